r"""A config told in sentences: what was read, how far each pair turns, and what deserves a second look."""

import itertools
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np

from pe_book.checking import whole_number
from pe_book.family.config_consequences import LENGTH_RULES, distinct, fresh_pairs, switches
from pe_book.family.config_findings import RULES, Finding
from pe_book.family.config_records import LayerRotary, Reading
from pe_book.family.interpolation import turns
from pe_book.family.reading_a_config import read_config
from pe_book.shapes import PerPair

KEPT = "\N{NO-BREAK SPACE}"


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
        Pairs that reach angles at the asked length which they never met before.
    """

    record: LayerRotary
    layers: tuple[int, ...]
    trained: PerPair | None
    asked: PerPair | None
    fresh: int


@dataclass(frozen=True, eq=False)
class ConfigReport:
    """What :func:`check_config` found; ``print`` it, or take :meth:`as_dict` for JSON.

    Parameters
    ----------
    reading : Reading
        The records, and which keys were used, defaulted and ignored.
    length : int or None
        The length that was asked for; the promised one if none was.
    turns : tuple of Turns
        One entry for each kind of layer that turns.
    keeps_cache : bool
        Whether kept keys stay right when the text grows past the trained length.
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

    def as_dict(self) -> dict[str, Any]:
        """The report in numbers, strings and lists alone."""
        return {
            "model_type": self.reading.model_type, "layers": len(self.reading.records),
            "max_len": self.reading.max_len, "trained_len": self.reading.trained_len, "length": self.length,
            "kinds": [_in_json(group) for group in self.turns],
            "without_rotation": [r.layer for r in self.reading.records if r.kind != "rotary"],
            "used": self.reading.used, "defaulted": self.reading.defaulted, "ignored": self.reading.ignored,
            "keeps_cache": self.keeps_cache,
            "findings": [vars(finding) for finding in self.findings],
            "notes": [vars(note) for note in self.notes],
        }  # fmt: skip

    def __str__(self) -> str:
        return "\n".join(_lines(self))


def check_config(
    config: str | PathLike[str] | Mapping[str, Any], *, length: int | None = None
) -> ConfigReport:
    r"""What a model's config means for position, key by key, and what in it deserves a second look.

    A pair of frequency :math:`\omega` makes :math:`L\omega/2\pi` turns over L tokens. One that went round
    once in training has met every angle; one that did not meets new ones in a longer text.

    Parameters
    ----------
    config
        A path to a ``config.json``, or the dictionary itself. Nothing is downloaded and no code is run.
    length
        How many tokens the model is asked to read: at least 1. The length that the config promises if not
        given.

    Returns
    -------
    ConfigReport

    Raises
    ------
    ValueError, TypeError
        If the file is no config, or lacks what the width of a head is computed from.

    Examples
    --------
    >>> llama = {"model_type": "llama", "head_dim": 128, "num_hidden_layers": 32,
    ...          "max_position_embeddings": 4096, "rope_scaling": {"type": "linear", "factor": 2, "beta": 32}}
    >>> print(check_config(llama, length=16384))
    llama: 32 layers, 4096 tokens promised, 16384 asked
    layers 0-31: all 128 columns of a head turn, halves, linear
      over 16384 tokens asked, scaled: 50 of 64 pairs go round
    used num_hidden_layers = 32, max_position_embeddings = 4096,
      head_dim = 128, rope_scaling, rope_scaling.type = linear,
      rope_scaling.factor = 2
    defaulted rope_theta = 10000
    kept keys stay right as the text grows
    ignored rope_scaling.beta: linear does not read it.
    beyond max_position_embeddings: 16384 tokens are more than the 4096 that the config promises.
    beyond length: at 16384 tokens 23 of 64 pairs go further than before, where they had not gone round once.

    See Also
    --------
    pe_book.family.reading_a_config.rotary_from_config : the records alone, one for each layer.
    """
    if length is not None:
        length = whole_number(length, "length")
        if length < 1:
            raise ValueError(f"length must be at least 1, got {length}")
    reading = read_config(config, length=length)
    asked = reading.max_len if length is None else length
    if length is None and asked is not None:
        reading = read_config(config, length=asked)
    found = [finding for rule in RULES for finding in rule(reading)]
    found += [finding for length_rule in LENGTH_RULES for finding in length_rule(reading, length)]
    found = list(dict.fromkeys(found))
    return ConfigReport(
        reading, asked, tuple(_turns(reading, asked)), not any(map(switches, reading.scalings)),
        tuple(finding for finding in found if finding.kind != "note"),
        tuple(finding for finding in found if finding.kind == "note"),
    )  # fmt: skip


def _turns(reading: Reading, asked: int | None) -> Iterator[Turns]:
    trained = reading.trained_len
    for first in distinct(reading):
        alike = (first.attention, first.window)
        layers = tuple(
            r.layer for r in reading.records if r.kind == "rotary" and (r.attention, r.window) == alike
        )
        yield Turns(
            first, layers,
            None if trained is None else turns(first.unscaled, _within(trained, first)),
            None if asked is None else turns(first.frequencies, _within(asked, first)),
            fresh_pairs(reading, first, asked),
        )  # fmt: skip


def _within(length: float, record: LayerRotary) -> float:
    """The longest distance that a layer sees."""
    return min(length, record.window or length)


def _in_json(group: Turns) -> dict[str, Any]:
    kept = ("attention", "window", "head_dim", "rotary_dim", "side", "layout", "method", "attention_factor",
            "score_factor", "sections", "arrangement", "page")  # fmt: skip
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
    }


def _lines(report: ConfigReport) -> Iterator[str]:
    reading = report.reading
    promised = "no length" if reading.promised_len is None else f"{reading.promised_len:.0f} tokens"
    asked = "" if report.length in (None, reading.promised_len) else f", {report.length} asked"
    name = reading.model_type or "no model_type"
    name = name if reading.known else f"{name}, not known here and read as llama"
    yield f"{name}: {len(reading.records)} layers, {promised} promised{asked}"
    for group in report.turns:
        yield from _of_a_kind(group, reading, report.length)
    still = [r for r in reading.records if r.kind != "rotary"]
    for kind in dict.fromkeys(r.kind for r in still):
        what = "nothing turns" if kind == "none" else kind
        yield f"layers {_ranges([r.layer for r in still if r.kind == kind])}: {what}"
    used = {key: value for key, value in reading.used.items() if key != "model_type"}
    yield from _wrapped("used", [f"{key}{_told(value)}" for key, value in used.items()])
    yield from _wrapped("defaulted", [f"{key} = {_short(value)}" for key, value in reading.defaulted.items()])
    if report.turns:
        yield f"kept keys {'stay right' if report.keeps_cache else 'go out of date'} as the text grows"
    yield from map(str, report.findings)
    yield from map(str, report.notes)


def _of_a_kind(group: Turns, reading: Reading, length: int | None) -> Iterator[str]:
    record = group.record
    columns = f"all {record.head_dim}"
    if record.rotary_dim != record.head_dim:
        columns = f"the {record.side} {record.rotary_dim} of {record.head_dim}"
    window = "" if record.attention != "window" else f"window {record.window or 'of unknown width'}, "
    slice_ = f"{window}{columns} columns of a head turn"
    yield f"layers {_ranges(group.layers)}: {slice_}, {record.layout}, {record.method}"
    spans = [(reading.trained_len, group.trained, "in training"), (length, group.asked, "asked")]
    for span, found, when in spans:
        if span is None or found is None or (when == "asked" and _told_already(group, reading, length)):
            continue
        over = f"{_within(span, record):.0f} tokens {when}"
        how = "" if record.method == "default" else ", unscaled" if when == "in training" else ", scaled"
        yield f"  over {over}{how}: {int((found >= 1).sum())} of {found.size} pairs go round"
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


def _told(value: Any) -> str:
    """What stands at a key, if that is short."""
    return "" if isinstance(value, list | tuple | Mapping) else f" = {_short(value)}"


def _short(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _wrapped(name: str, words: list[str]) -> Iterator[str]:
    """A line of words with commas, broken at 72 columns and within no word."""
    if words:
        whole = f"{name} {', '.join(word.replace(' ', KEPT) for word in words)}"
        lines = textwrap.wrap(whole, 72, subsequent_indent="  ", break_long_words=False)
        yield from (line.replace(KEPT, " ") for line in lines)
