"""What a config was found to mean, as a record, in words and in JSON."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pe_book.config.consequences import within
from pe_book.config.findings import Finding
from pe_book.config.formats.answer import Answer, answer_to
from pe_book.config.formats.words import MOST_TOLD, address, beside, by_block, plain, ranges, wrapped
from pe_book.config.records import LayerRotary, Reading
from pe_book.inputs.shapes import PerPair

ROUND = (
    "a pair that goes full circle in training has met every angle; another one meets new angles in longer "
    "texts, unless scaling slows it"
)
MORE, TITLE = "family/reading-a-config.html", "What rope_theta and rope_scaling in a config do"
SOUND = "Nothing wrong found in the file."
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
    def answer(self) -> Answer:
        """Whether the file covers the length, what lies beyond training, and what the publisher says."""
        counted = [(group.new, group.record.frequencies.size) for group in self.turns]
        new = max(((new, pairs) for new, pairs in counted if new is not None), default=None)
        return answer_to(self.length, self.reading, new, (bool(self.doubts), _doubtful(self)))

    @property
    def doubts(self) -> tuple[str, ...]:
        """The keys that put in doubt what the file says; of those ignored, the ones meant for others."""
        kinds = "contradictory", "missing"
        return tuple(one.key for one in self.findings if one.kind in kinds or one.meant)

    @property
    def status(self) -> int:
        """0 without findings, 1 with warnings and 3 with errors, as the command exits."""
        return 3 if any(one.severity == "error" for one in self.findings) else int(bool(self.findings))

    def as_dict(self) -> dict[str, Any]:
        """The report in numbers, strings and lists alone."""
        return {
            "model_type": self.reading.model_type, "known": self.reading.known,
            "read_as": self.reading.read_as, "layers": len(self.reading.records),
            "max_len": self.reading.max_len, "trained_len": self.reading.trained_len,
            "promised_len": self.reading.promised_len, "length": self.length,
            "kinds": [_in_json(group) for group in self.turns],
            "without_rotation": [r.layer for r in self.reading.records if not r.rotary_dim],
            "used": self.reading.used, "defaulted": self.reading.defaulted, "ignored": self.reading.ignored,
            "keeps_cache": self.keeps_cache,
            "answer": self.answer.as_dict(),
            "findings": [finding.as_dict() for finding in self.findings],
            "notes": [note.as_dict() for note in self.notes],
        }  # fmt: skip

    def __str__(self) -> str:
        return "\n".join(map(plain, _lines(self)))


def _in_json(group: Turns) -> dict[str, Any]:
    kept = ("attention", "window", "head_dim", "rotary_dim", "side", "layout", "method", "attention_factor",
            "score_factor", "sections", "arrangement", "ramp", "truncate", "valid_len", "page")  # fmt: skip
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
    answer = report.answer
    sentences = (f"{answer.verdict} {_counted(report)}", answer.beyond, answer.published, *answer.besides)
    for sentence in sentences:
        yield from wrapped("", sentence.split())
    name = name if reading.known else f"{name}, not known here and read as {reading.read_as}"
    yield from wrapped("", f"{name}: {len(reading.records)} layers, {_promised(report)}".split())
    if not report.findings:
        yield SOUND
    every = (*report.findings, *report.notes)
    for finding in every[:MOST_TOLD]:
        yield from wrapped("", str(finding).split())
        if finding.severity != "note":
            yield from wrapped("", f"to do: {finding.remedy}".split(), "  ")
    if len(every) > MOST_TOLD:
        yield f"and {len(every) - MOST_TOLD} findings and notes more"
    for group in report.turns:
        yield from _of_a_kind(group, report)
    others: dict[str, list[int]] = {}
    for record in (one for one in reading.records if one.kind != "rotary"):
        others.setdefault(_without_counts(record), []).append(record.layer)
    for what, layers in others.items():
        yield from wrapped("", f"layers {ranges(layers)}: {what}".split())
    counts = any(group.trained is not None or group.asked is not None for group in report.turns)
    if counts and not _doubtful(report):
        yield from wrapped("", ROUND.split())
    if report.turns and report.keeps_cache:
        yield "cached keys stay right as the text grows"
    for word, values in (("used", reading.used), ("defaulted", reading.defaulted)):
        for block, keys in by_block(values).items():
            told = [f"{key}{beside(value)}" for key, value in keys.items()]
            yield from wrapped(f"{word} {f'in {block}: ' if block else ''}", told)
    yield from wrapped("", f"explained in {address(MORE, TITLE)}".split(" "))


def _counted(report: ConfigReport) -> str:
    """How many errors and warnings stand below; empty without any."""
    told = [one.severity for one in report.findings]
    counts = [(told.count(weight), weight) for weight in ("error", "warning") if weight in told]
    counted = " and ".join(f"{n} {weight}{'s' * (n > 1)}" for n, weight in counts)
    return f"{counted} below." if counted else ""


def _promised(report: ConfigReport) -> str:
    """The length that the config promises, whose it is where two keys differ, and the one that was asked."""
    reading = report.reading
    if reading.promised_len is None or reading.max_len is None:
        return "no length promised" + ("" if report.length is None else f", {report.length} asked")
    told = f"{reading.promised_len:.0f} tokens promised"
    if reading.promised_len > reading.max_len:
        told += f" by the factor, {reading.max_len} by {reading.max_len_key}"
    return told if report.length == round(reading.promised_len) else f"{told}, {report.length} asked"


def _of_a_kind(group: Turns, report: ConfigReport) -> Iterator[str]:
    record, reading, length = group.record, report.reading, report.length
    method = "not scaled" if record.method == "default" else record.method
    yield from wrapped("", f"layers {ranges(group.layers)}: {_slice_of(record)}, {method}".split())
    spans = [(reading.trained_len, group.trained, "taken as trained"), (length, group.asked, "asked")]
    for span, found, when in spans:
        told_above = when == "asked" and length == reading.trained_len and record.method == "default"
        if span is None or found is None or told_above or _doubtful(report):
            continue
        over = f"{within(span, record):.0f} tokens {when}"
        if record.window and record.window < span:
            over = f"{record.window} tokens {when}, the window"
        how = "" if record.method == "default" else ", unscaled" if when != "asked" else ", scaled"
        told = f"{int((found >= 1).sum())} of {found.size} pairs go full circle"
        if when == "asked" and group.new is not None:
            told = f"{group.new} of {found.size} pairs meet new angles"
        yield from wrapped("", f"over {over}{how}: {told}".split(), "  ")
    if record.valid_len:
        yield f"  frequencies hold for texts of up to {record.valid_len} tokens"
    if record.ramp:
        ends = "rounded to whole ones" if record.truncate else "not rounded"
        yield f"  ramp of libraries, by the index of a pair, ends {ends}"
    factors = {"queries and keys": record.attention_factor, "scores": record.score_factor}
    for where, factor in factors.items():
        if factor != 1:
            yield f"  {where} times {factor:.6g}"


def _slice_of(record: LayerRotary) -> str:
    """Which columns turn, in which window, and how they pair."""
    columns = f"all {record.head_dim}"
    if record.rotary_dim != record.head_dim:
        columns = f"the {record.side} {record.rotary_dim} of {record.head_dim}"
    pairs = PAIRS[record.layout].format(half=record.rotary_dim // 2)
    return f"{_window_of(record)}{columns} columns of a head turn, {pairs}"


def _window_of(record: LayerRotary) -> str:
    return "" if record.attention != "window" else f"window {record.window or 'of unknown width'}, "


def _without_counts(record: LayerRotary) -> str:
    """A layer whose turns are not counted, since it has none or learned ones."""
    if record.kind == "learned rotary":
        return f"{_slice_of(record)}, learned frequencies"
    what = {"none": "nothing turns", "linear": "no scores"}
    kind = "linear" if record.attention == "linear" else record.kind
    return f"{_window_of(record)}{what.get(kind, kind)}"


def _doubtful(report: ConfigReport) -> bool:
    """Whether findings put the frequencies in doubt; a factor on rows or on scores leaves them."""
    return any(
        not key.endswith(("attn_factor", "attention_factor", "mscale_all_dim")) for key in report.doubts
    )
