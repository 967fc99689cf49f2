"""What a config was found to mean, as a record, in words and in JSON."""

import itertools
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from pe_book.config.consequences import within
from pe_book.config.findings import Finding
from pe_book.config.formats.words import address, plain, verdict
from pe_book.config.records import LayerRotary, Reading
from pe_book.inputs.shapes import PerPair

KEPT = "\N{NO-BREAK SPACE}"
ROUND = (
    "a pair that goes full circle in training has met every angle, which is good: longer texts bring it none "
    "that is new; one that does not meets new ones there, unless scaling slows it"
)
MORE = "family/reading-a-config.html"
MOST_TOLD = 40  # findings, or keys in a list; of more the rest is counted
PAIRS = {"interleaved": "neighbouring columns paired", "halves": "column i paired with i + {half}"}


@dataclass(frozen=True, eq=False)
class Turns:
    """How often the pairs of one kind of layer go round.

    Parameters
    ----------
    record : LayerRotary
        The first layer of this kind.
    layers : tuple of int
        All layers of this kind.
    trained : NDArray[np.float64] or None
        Turns of each pair over the trained length, before scaling; None where no length is known. In a layer
        with a window, over the window, if that is shorter.
    asked : NDArray[np.float64] or None
        Over the asked length or the window, after scaling.
    fresh : int
        Pairs that reach angles at the asked length which they did not meet within the longest one that the
        config may promise.
    """

    record: LayerRotary
    layers: tuple[int, ...]
    trained: PerPair | None
    asked: PerPair | None
    fresh: int

    @property
    def new(self) -> int | None:
        """Pairs that the asked length brings to angles new after training; None if that is not known."""
        if self.trained is None or self.asked is None:
            return None
        return int(((self.trained < 1) & (self.asked > self.trained * (1 + 1e-9))).sum())


@dataclass(frozen=True, eq=False)
class ConfigReport:
    """What `pe.check_config` found; ``print`` it, or take :meth:`as_dict` for JSON.

    Parameters
    ----------
    reading : Reading
        The records, and which keys were used, defaulted and ignored.
    length : int or None
        The length that was asked for; the promised one if none was.
    turns : tuple of Turns
        One entry for each kind of layer that turns.
    keeps_cache : bool
        Whether cached keys stay right when the text grows past the trained length.
    findings : tuple of Finding
        What deserves a second look; notes are not among them.
    notes : tuple of Finding
        What is in order, and easily misread.
    """

    reading: Reading
    length: int | None
    turns: tuple[Turns, ...]
    keeps_cache: bool
    findings: tuple[Finding, ...]
    notes: tuple[Finding, ...]

    @property
    def verdict(self) -> str:
        """In one sentence, which needs no book, whether the model reads the length that was asked."""
        errors = sum(one.severity == "error" for one in self.findings)
        doubts = sum(one.kind not in ("unknown", "beyond") for one in self.findings)
        return verdict(self.reading, self.length, errors, doubts)

    def as_dict(self) -> dict[str, Any]:
        """The report in numbers, strings and lists alone."""
        return {
            "model_type": self.reading.model_type, "known": self.reading.known,
            "read_as": self.reading.read_as, "layers": len(self.reading.records),
            "max_len": self.reading.max_len, "trained_len": self.reading.trained_len,
            "promised_len": self.reading.promised_len, "length": self.length,
            "kinds": [_in_json(group) for group in self.turns],
            "without_rotation": [r.layer for r in self.reading.records if r.kind != "rotary"],
            "used": self.reading.used, "defaulted": self.reading.defaulted, "ignored": self.reading.ignored,
            "keeps_cache": self.keeps_cache,
            "verdict": self.verdict,
            "findings": [finding.as_dict() for finding in self.findings],
            "notes": [note.as_dict() for note in self.notes],
        }  # fmt: skip

    def __str__(self) -> str:
        return "\n".join(map(plain, _lines(self)))


def _in_json(group: Turns) -> dict[str, Any]:
    kept = ("attention", "window", "head_dim", "rotary_dim", "side", "layout", "method", "attention_factor",
            "score_factor", "sections", "arrangement", "ramp", "truncate", "page")  # fmt: skip
    arrays = {
        "frequencies": group.record.frequencies,
        "turns_trained": group.trained,
        "turns_asked": group.asked,
    }
    return {
        "layers": list(group.layers),
        **{name: getattr(group.record, name) for name in kept},
        **{name: None if values is None else values.tolist() for name, values in arrays.items()},
        "fresh_pairs": group.fresh,
        "new_pairs": group.new,
    }


def _lines(report: ConfigReport) -> Iterator[str]:
    reading = report.reading
    name = reading.model_type or "no model_type"
    yield from _wrapped("", report.verdict.split())
    name = name if reading.known else f"{name}, not known here and read as {reading.read_as}"
    yield from _wrapped("", f"{name}: {len(reading.records)} layers, {_promised(report)}".split())
    every = (*report.findings, *report.notes)
    for finding in every[:MOST_TOLD]:
        yield from _wrapped("", str(finding).split())
        if finding.severity != "note":
            yield from _wrapped("", f"{finding.severity}, to do: {finding.remedy}".split(), "  ")
    if len(every) > MOST_TOLD:
        yield f"and {len(every) - MOST_TOLD} findings and notes more"
    for group in report.turns:
        yield from _of_a_kind(group, reading, report.length)
    still = [r for r in reading.records if r.kind != "rotary"]
    for kind in dict.fromkeys(r.kind for r in still):
        what = "nothing turns" if kind == "none" else kind
        yield f"layers {_ranges([r.layer for r in still if r.kind == kind])}: {what}"
    if any(group.trained is not None or group.asked is not None for group in report.turns):
        yield from _wrapped("", ROUND.split())
    if report.turns:
        yield f"cached keys {'stay right' if report.keeps_cache else 'go out of date'} as the text grows"
    for word, values in (("used", reading.used), ("defaulted", reading.defaulted)):
        for block, keys in _by_block(values).items():
            told = [f"{key}{_beside(value)}" for key, value in keys.items()]
            yield from _wrapped(f"{word} {f'in {block}: ' if block else ''}", told)
    yield f"explained in {address(MORE)}"


def _promised(report: ConfigReport) -> str:
    """The length that the config promises, whose it is where two keys differ, and the one that was asked."""
    reading = report.reading
    if reading.promised_len is None or reading.max_len is None:
        return "no length promised" + ("" if report.length is None else f", {report.length} asked")
    told = f"{reading.promised_len:.0f} tokens promised"
    if reading.promised_len > reading.max_len:
        told += f" by the factor, {reading.max_len} by {reading.max_len_key}"
    return told if report.length == round(reading.promised_len) else f"{told}, {report.length} asked"


def _by_block(values: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Keys by the block they stand in, those of no block first; the blocks themselves are no keys."""
    found: dict[str, dict[str, Any]] = {"": {}}
    blocks = {key.rpartition(".")[0] for key in values}
    for key, value in values.items():
        block, _, name = key.rpartition(".")
        if key not in blocks and key != "model_type":
            found.setdefault(block, {})[name] = value
    return found


def _of_a_kind(group: Turns, reading: Reading, length: int | None) -> Iterator[str]:
    record = group.record
    columns = f"all {record.head_dim}"
    if record.rotary_dim != record.head_dim:
        columns = f"the {record.side} {record.rotary_dim} of {record.head_dim}"
    window = "" if record.attention != "window" else f"window {record.window or 'of unknown width'}, "
    pairs = PAIRS[record.layout].format(half=record.rotary_dim // 2)
    slice_ = f"{window}{columns} columns of a head turn"
    yield from _wrapped("", f"layers {_ranges(group.layers)}: {slice_}, {pairs}, {record.method}".split())
    spans = [(reading.trained_len, group.trained, "in training"), (length, group.asked, "asked")]
    for span, found, when in spans:
        if span is None or found is None or (when == "asked" and _told_already(group, reading, length)):
            continue
        over = f"{within(span, record):.0f} tokens {when}"
        if record.window and record.window < span:
            over = f"{record.window} tokens {when}, the window"
        how = "" if record.method == "default" else ", unscaled" if when == "in training" else ", scaled"
        told = f"{int((found >= 1).sum())} of {found.size} pairs go full circle"
        if when == "asked" and group.new is not None:
            told = f"{group.new} of {found.size} pairs meet new angles"
        yield f"  over {over}{how}: {told}"
    if record.ramp:
        ends = "rounded to whole ones" if record.truncate else "not rounded"
        yield f"  ramp of libraries, by the index of a pair, ends {ends}"
    factors = {"queries and keys": record.attention_factor, "scores": record.score_factor}
    for where, factor in factors.items():
        if factor != 1:
            yield f"  {where} times {factor:.6g}"


def _told_already(group: Turns, reading: Reading, length: int | None) -> bool:
    """Whether the asked length is that of training, and nothing is scaled."""
    return length == reading.trained_len and group.record.method == "default"


def _ranges(layers: list[int] | tuple[int, ...]) -> str:
    """Runs of layers as a reader writes them, and of many the first and the last."""
    cuts = [0, *(np.flatnonzero(np.diff(layers) != 1) + 1).tolist(), len(layers)]
    runs = [layers[a:b] for a, b in itertools.pairwise(cuts)]
    told = [str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs]
    return ", ".join(told if len(told) < 6 else [*told[:3], "…", told[-1]])


def _beside(value: Any) -> str:
    """What stands at a key, if that is short."""
    return "" if isinstance(value, list | tuple | Mapping) else f" = {_short(value)[:60]}"


def _short(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _wrapped(name: str, words: list[str], indent: str = "") -> Iterator[str]:
    """What is told of a name, with commas, or without a name as a sentence; broken at 72 columns."""
    if words:
        if name and len(words) > MOST_TOLD:
            words = [*words[:MOST_TOLD], f"and {len(words) - MOST_TOLD} more"]
        told = ", ".join(word.replace(" ", KEPT) for word in words) if name else " ".join(words)
        whole = f"{name.rstrip()} {told}".strip()
        kept = textwrap.TextWrapper(
            72,
            initial_indent=indent,
            subsequent_indent=indent + "  ",
            break_long_words=False,
            break_on_hyphens=False,
        )
        yield from (line.replace(KEPT, " ") for line in kept.wrap(whole))
