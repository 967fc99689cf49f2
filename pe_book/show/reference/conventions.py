"""One small vector under every convention, added or turned."""

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from pe_book.config.classes import MODELS
from pe_book.config.pairings import UNREAD_BY_TRANSFORMERS, Pairing, pairings
from pe_book.config.reading import read_config
from pe_book.evidence.family.recorded import WITHOUT_SIZES, names, recorded
from pe_book.evidence.records.parity import Parity
from pe_book.evidence.reference.rotations import turned
from pe_book.evidence.reference.turned_rows import EXTENDED, rounded_turn, scaled_by
from pe_book.show.drawing.table import Column, Table
from pe_book.show.drawing.texts import PAIRED
from pe_book.sinusoidal.precision.recipes import STAGES
from pe_book.sinusoidal.readings import variants

STAGED = {stage: stage for stage in STAGES} | {"table": "cosines and sines"}


def listed(numbers: ArrayLike, spec: str, between: str = ", ") -> str:
    """Numbers as a sentence lists them, or a program that prints them.

    >>> listed([0, -1], "d"), listed([0.8415, 0.5403], ".2f")
    ('0, −1', '0.84, 0.54')
    """
    return between.join(f"{number:{spec}}".replace("-", "−") for number in np.asarray(numbers))


def one_row(position: int, d_model: int) -> Table:
    """The row of one position under every convention, a line each."""
    rows = variants(position, d_model)
    entries = (Column(str(c), [row[c] for row in rows.values()], "{:.4f}") for c in range(d_model))
    return Table(Column("convention", list(rows)), *entries)


def one_turn(position: int, d: int, rotary_dim: int) -> Table:
    """What you see of the row 1, 2, …, d turned at one position, and which program does that, in order."""
    rows = turned(np.arange(1, d + 1), position, rotary_dim=rotary_dim)
    seen = sorted((tuple(row.round(2) + 0.0), float(np.linalg.norm(row)), name) for name, row in rows.items())
    half = (d + 1) // 2  # a first column that is narrow on a phone
    return Table(
        Column(f"columns 0 to {half - 1}", [listed(row[:half], ".2f", " ") for row, _, _ in seen]),
        Column(f"{half} to {d - 1}", [listed(row[half:], ".2f", " ") for row, _, _ in seen]),
        Column("the program", [name for _, _, name in seen]),
        Column("length", [length for _, length, _ in seen], "{:.2f}"),
    )


def pairs_by_library(parity: Parity) -> Table:
    """Which form of each compared library turns neighbours, and which turns halves."""
    found: dict[str, dict[str, list[str]]] = {}
    for one in parity.of("rows"):
        pairs = PAIRED[next(layout for layout in PAIRED if one.layout.startswith(layout))]
        form = re.sub(rf"^{one.library}(, )?", "", one.member) or "its turn"
        rest = one.layout.removeprefix("interleaved").removeprefix("halves").strip(" ,").removeprefix("in, ")
        cell = f"{form} ({rest})" if rest else form
        found.setdefault(one.library, {name: [] for name in PAIRED.values()})[pairs].append(cell)
    libraries = sorted(found)
    return Table(
        Column("library", libraries),
        *(
            Column(name, ["; ".join(found[one][name]) or "none" for one in libraries])
            for name in PAIRED.values()
        ),
    )


def pairs_by_model() -> Table:
    """Which columns turn together by the ``model_type`` of a config, and which columns turn at all.

    A line for each family of names that pair and turn alike, by the alphabet, so that a reader finds a type.
    """
    groups: dict[tuple[str, str, str], list[str]] = {}
    for one in pairings():
        pairs = PAIRED[one.layout]
        if one.layout_key:
            pairs += f", or as `{one.layout_key}` says"
        if one.layout_key in UNREAD_BY_TRANSFORMERS:
            pairs += " to code beside the weights"
        family = family_of(one.model_type)
        groups.setdefault((family, pairs, slice_by_code(one.model_type)), []).append(marked(one))
    order = sorted(groups)
    return Table(
        Column("`model_type`", [", ".join(groups[one]) for one in order]),
        Column("pairs", [pairs for _, pairs, _ in order]),
        Column("columns that turn", [columns for _, _, columns in order]),
    )


def family_of(model_type: str) -> str:
    """The letters with which a model type begins, small.

    >>> family_of("qwen2_5_vl"), family_of("RefinedWebModel")
    ('qwen', 'refinedwebmodel')
    """
    return re.split("[^a-z]", model_type.lower())[0]


def marked(one: Pairing) -> str:
    """A model type as listed: ``†`` for code beside the weights, ``‡`` for layers that do not turn.

    >>> from pe_book.config.pairings import pairings
    >>> [marked(one) for one in pairings() if one.model_type in ("llama", "qwen", "smollm3")]
    ['`llama`', '`qwen`†', '`smollm3`‡']
    """
    return f"`{one.model_type}`" + "†" * one.beside_weights + "‡" * one.some_still


def slice_by_code(model_type: str) -> str:
    """Which columns of a head turn, by the code of a model and the configs that are recorded of it.

    >>> slice_by_code("llama"), slice_by_code("gptj")
    ('all', 'the first 64, or as many as the config says')
    """
    model = MODELS[model_type]
    if "qk_rope_head_dim" in model.assumed or model.slice_within:
        return "the last, `qk_rope_head_dim` of them"
    least = f"{model.share:.0%}" if model.share < 1 else model.assumed.get("rotary_dim")
    if least is not None:
        return f"the first {least}, or as many as the config says"
    turning = [
        record
        for name in names()
        if name not in WITHOUT_SIZES and recorded(name)["config"].get("model_type") == model_type
        for record in read_config(recorded(name)["config"]).records
        if record.kind == "rotary"
    ]
    if any(one.rotary_dim < one.head_dim for one in turning):
        return "the first, as many as the config says"
    return "all"


def scaled_ladders(d: int, factor: float, original_len: int) -> Table:
    """The frequencies of one small head under every method of context extension, and their factor."""
    found = {name: scaled_by(name, d, factor, original_len) for name in EXTENDED}
    return Table(
        Column("method", list(found)),
        Column("factor", [on_rows for _, on_rows in found.values()], "{:.4g}"),
        *(Column(f"pair {i}", [omega[i] for omega, _ in found.values()], "{:.3g}") for i in range(d // 2)),
    )


def rounded_turns(length: int, d: int, last: int, dtypes: Sequence[str] = ("bfloat16", "float16")) -> Table:
    """The last rows of ones in a text, turned by angles of which one stage was rounded."""
    rows = [
        (f"{dtype}: {STAGED[stage]}", *rounded_turn(length, d, rounded=stage, dtype=dtype, last=last))
        for dtype in dtypes
        for stage in STAGES
    ]
    header = ("rounded", "different rows", "fastest pair off by", "others off by")
    return Table.of_rows(header, rows, [None, None, "{:.1g}", "{:.1g}"])
