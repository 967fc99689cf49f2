"""One small row turned under every rotary convention, and how a turned row tells which one it was."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pe_book.config.reading import read_config
from pe_book.evidence.family.recorded import WITHOUT_SIZES, names, recorded
from pe_book.evidence.verdict import Verdict
from pe_book.family.rotary import proportional_frequencies, rotate
from pe_book.family.rotary.recovering import recovered
from pe_book.inputs.checking import Layout, real_array
from pe_book.inputs.pairs import join, relayout, split
from pe_book.inputs.shapes import Rows
from pe_book.sinusoidal.formula import encode, frequencies

# the keys of a base, and what types whose recorded config has none take
BASE_KEYS = ("rope_theta", "rotary_emb_base")
BASES_OF_CLASSES = dict.fromkeys(("chatglm", "codegen", "gptj", "minicpm3", "phi-msft"), 10000.0)


def exponent_is_of_the_slice() -> Verdict:
    """In every recorded config whose head turns in part, the ladder is that of a head as wide as it turns.

    Two neighbours give the step, and so the base for a width: that of the slice is the
    base which the file or the class says, that of the head is another.
    """
    seen, slices, heads = 0, 0, 0
    for name in sorted(set(names()) - WITHOUT_SIZES):
        config = recorded(name)["config"]
        for record in read_config(config).records:
            if record.kind == "rotary" and record.rotary_dim < record.head_dim:
                seen += 1
                step = record.unscaled[0] / record.unscaled[1]
                said = base_of(config)
                slices += bool(np.isclose(step ** (record.rotary_dim / 2), said))
                heads += bool(np.isclose(step ** (record.head_dim / 2), said))
    return Verdict(
        0 < seen == slices and not heads, {"layers": seen, "of the slice": slices, "of the head": heads}
    )


def base_of(config: Mapping[str, Any]) -> float:
    """The base that a recorded file says, wherever it stands, or its class; read without the reader.

    >>> base_of({"rope_scaling": {"rope_theta": 5e5}}), base_of({"model_type": "gptj"})
    (500000.0, 10000.0)
    """
    config = {**config, **(config.get("text_config") or {})}
    blocks = [config, *(config.get(key) or {} for key in ("rope_scaling", "rope_parameters"))]
    said = [block[key] for block in blocks for key in BASE_KEYS if block.get(key)]
    base = said[0] if said else BASES_OF_CLASSES[config["model_type"]]
    return float(base * config.get("rope_ratio", 1))


def turned(x: ArrayLike, position: float, *, rotary_dim: int) -> Mapping[str, Rows]:
    """A row turned by its position in tokens under this book's conventions and under others, by their names.

    Rows have shape (d,), d even; `rotary_dim` is the width of the slice, where one is turned: even, below d.

    >>> turned([1, 0, 0, 0], 1, rotary_dim=2)["halves: most code"].round(4)
    array([0.5403, 0.    , 0.8415, 0.    ])
    """
    row, d = real_array(x, "x"), len(real_array(x, "x"))
    of_the_head = frequencies(d)[: rotary_dim // 2]
    kept = proportional_frequencies(d, rotary_dim)
    return {
        "neighbours: this book, the paper": rotate(row, position),
        "halves: most code": rotate(row, position, layout="halves"),
        "neighbours, clockwise": rotate(row, -position),
        "neighbours in the first columns": rotate(row, position, rotary_dim=rotary_dim),
        "halves in the first columns": rotate(row, position, rotary_dim=rotary_dim, layout="halves"),
        "neighbours in the last columns": rotate(row, position, rotary_dim=rotary_dim, side="last"),
        "halves in the last columns: MiniCPM3": rotate(
            row, position, rotary_dim=rotary_dim, layout="halves", side="last"
        ),
        "neighbours in the last columns, given as halves: DeepSeek-V3": given_as_halves(
            row, position, rotary_dim=rotary_dim
        ),
        # two ways to write one program
        "neighbours, slow pairs stopped: p-RoPE, or the first columns with the exponent of the head": rotate(
            row, position, rotary_dim=rotary_dim, frequencies=of_the_head
        ),
        "halves, slow pairs stopped: p-RoPE": rotate(row, position, layout="halves", frequencies=kept),
        "halves, clockwise": rotate(row, -position, layout="halves"),
        "mixed: table in halves, turn of neighbours": mixed(
            row, position, table="halves", turn="interleaved"
        ),
        "mixed: table of neighbours, turn of halves": mixed(
            row, position, table="interleaved", turn="halves"
        ),
    }


def given_as_halves(x: ArrayLike, position: float, *, rotary_dim: int | None = None) -> Rows:
    """Rows whose last columns are turned as neighbours, and those columns then listed as halves.

    Queries and keys, of shape (..., d), d even, are listed alike, so that scores are those of neighbours.
    `rotary_dim` says how many of the last columns turn, an even number; all if it is not given.

    >>> given_as_halves([1, 1, 0, 0], 1).round(4)
    array([-0.3012,  0.    ,  1.3818,  0.    ])
    """
    rows = rotate(x, position, rotary_dim=rotary_dim, side="last")
    first = rows.shape[-1] - (rotary_dim or rows.shape[-1])
    rows[..., first:] = relayout(rows[..., first:], source="interleaved", to="halves")
    return rows


def ones_hide_the_pairing(d: int) -> Verdict:
    """Neighbours given as halves, a row of ones read in halves: right frequencies, and every factor 1.

    The unit row of column 1 tells: in halves that column keeps a part of it, here it is left empty.
    """
    where = [0, 1]
    omega, factors = recovered(
        [given_as_halves(np.ones(d), position) for position in where], where, layout="halves"
    )
    clean = bool(np.allclose(omega, frequencies(d)) and np.allclose(factors, 1))
    unit = np.eye(d)[1]
    left = {
        "given as halves": float(given_as_halves(unit, 1)[1]),
        "halves": float(rotate(unit, 1, layout="halves")[1]),
    }
    return Verdict(clean and left["given as halves"] == 0 < left["halves"], {"clean": clean, **left})


def mixed(x: ArrayLike, position: float, *, table: Layout, turn: Layout) -> Rows:
    """A row turned by code whose table of cosines and sines has one layout, and whose turn another.

    `table` says in which columns cosine and sine of a pair stand, `turn` which columns the code exchanges:
    ``"interleaved"`` or ``"halves"``. Where they are one, this is a rotation as most code writes it, and only
    there one at all. Rows have shape (..., d), d even.

    >>> mixed([1, 0, 0, 0], 1, table="halves", turn="halves").round(4)
    array([0.5403, 0.    , 0.8415, 0.    ])
    >>> mixed([1, 0, 0, 0], 1, table="halves", turn="interleaved").round(4)
    array([0.5403, 0.01  , 0.    , 0.    ])
    """
    rows = real_array(x, "x")
    sines, cosines = split(encode(position, rows.shape[-1], layout=table), table)
    a, b = split(rows, turn)
    exchanged = join(-b, a, turn)
    turned_rows: Rows = rows * join(cosines, cosines, table) + exchanged * join(sines, sines, table)
    return turned_rows


def scores_mirrored(x: ArrayLike, y: ArrayLike, m: float, n: float) -> Verdict:
    """Turned the other way, a query and a key have the score that they have at exchanged positions."""
    q, k = real_array(x, "x"), real_array(y, "y")
    other_way = float(rotate(q, -m) @ rotate(k, -n))
    exchanged = float(rotate(q, n) @ rotate(k, m))
    here = float(rotate(q, m) @ rotate(k, n))
    return Verdict(
        bool(np.isclose(other_way, exchanged) and not np.isclose(other_way, here)),
        {"other way": other_way, "exchanged": exchanged, "this way": here},
    )
