"""How long a table takes: this book, the usual recipes, and other libraries.

Every method fills or returns a float32 table, and its floor is the time to fill the same array with one
number, as :mod:`pe_book.evidence.rounds` measures.
"""

import os
from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from pe_book.evidence.records.bench import RECORD
from pe_book.evidence.rounds import ROUNDS, Method, Row, measure, write
from pe_book.inputs.checking import Layout
from pe_book.inputs.pairs import relayout
from pe_book.numerics import cache
from pe_book.sinusoidal import computing
from pe_book.sinusoidal.formula import encode, frequencies

SIZES = ((4096, 512), (65536, 512))
LIBRARIES = ("numpy", "torch", "numba", "positional-encodings", "x-transformers", "transformers", "diffusers")
FLOOR = "write floor"
BY_NUMBER = {"double loop": 16, "transformers, Marian": 512}  # rows made by what makes number after number

Table = NDArray[np.float32]


def methods(out: Table, threads: int) -> dict[str, Method]:
    """All of them, for one array; those of the book by what they find kept."""
    seq_len, d_model = out.shape
    positions = np.arange(seq_len)
    right = computing.table(seq_len, d_model)

    def told(made: Any, *, layout: Layout = "interleaved") -> Row:
        """How many entries were made, and how many of them are not the nearest float32."""
        rows = relayout(np.asarray(out if made is None else made), source=layout, to="interleaved")
        return {"misrounded": int((rows != right[: len(rows)]).sum()), "entries": rows.size}

    def numpy_recipe(dtype: str) -> None:
        steps = np.arange(0, d_model, 2).astype(dtype)
        factor = np.dtype(dtype).type(-np.log(10000.0) / d_model)
        angles = positions.astype(dtype)[:, None] * np.exp(steps * factor)
        out[:, 0::2], out[:, 1::2] = np.sin(angles), np.cos(angles)

    def torch_recipe() -> None:
        # the lines of the common tutorial, filling what it has allocated
        position = torch.arange(seq_len).unsqueeze(1)
        steps = torch.exp(torch.arange(0, d_model, 2) * (-np.log(10000.0) / d_model))
        into = torch.from_numpy(out)
        into[:, 0::2] = torch.sin(position * steps)
        into[:, 1::2] = torch.cos(position * steps)

    def loop() -> Table:
        few = BY_NUMBER["double loop"]
        for position in range(few):
            for i in range(d_model // 2):
                angle = position / 10000 ** (2 * i / d_model)
                out[position, 2 * i], out[position, 2 * i + 1] = np.sin(angle), np.cos(angle)
        return out[:few]

    fill = torch.from_numpy(out).fill_ if threads > 1 else out.fill
    nothing = {"misrounded": None, "entries": out.size}
    found = {FLOOR: Method(lambda: fill(1.0), FLOOR, lambda made: nothing)}
    for way, compiled in (("this book", False), ("this book, compiled", True)):
        run = partial(computing.write, out, threads=threads, compiled=compiled)
        found[way] = Method(run, FLOOR, told)
        found[f"{way}, certificates anew"] = Method(run, FLOOR, told, partial(cache.clear, "certificates"))
        found[f"{way}, cold"] = Method(run, FLOOR, told, cache.clear)
    others: dict[str, tuple[Callable[[], Any], Layout]] = {
        "numpy, float64 then cast": (partial(numpy_recipe, "float64"), "interleaved"),
        "numpy, float32": (partial(numpy_recipe, "float32"), "interleaved"),
        "torch, float32": (torch_recipe, "interleaved"),
        "double loop": (loop, "interleaved"),
        **peers(seq_len, d_model),
    }
    return found | {
        name: Method(run, FLOOR, partial(told, layout=layout)) for name, (run, layout) in others.items()
    }


def peers(seq_len: int, d_model: int) -> dict[str, tuple[Callable[[], Any], Layout]]:
    """The same table from other libraries, and how each lays it out."""
    encoding = import_module("positional_encodings.torch_encodings").PositionalEncoding1D(d_model)
    like = torch.zeros(1, seq_len, d_model)

    def anew() -> torch.Tensor:
        encoding.cached_penc = None
        made: torch.Tensor = encoding(like)[0]
        return made

    scaled = import_module("x_transformers.x_transformers").ScaledSinusoidalEmbedding(d_model)
    scaled.scale.data.fill_(1.0)
    marian = import_module("transformers.models.marian.modeling_marian").MarianSinusoidalPositionalEmbedding
    few = BY_NUMBER["transformers, Marian"]
    timesteps = import_module("diffusers.models.embeddings").get_timestep_embedding
    steps = torch.arange(seq_len)
    return {
        "positional-encodings": (anew, "interleaved"),
        "x-transformers": (lambda: scaled(like), "halves"),
        "transformers, Marian": (lambda: marian(few, d_model).create_weight(), "halves"),
        "diffusers": (lambda: timesteps(steps, d_model, downscale_freq_shift=0), "halves"),
    }


def measure_tables(seq_len: int, d_model: int, threads: int) -> list[Row]:
    """Every method at one size; the time of what makes some rows alone is scaled up."""
    out = np.empty((seq_len, d_model), np.float32)
    rows = measure(methods(out, threads), threads=threads)
    for row in rows:
        share = row["entries"] / out.size
        row |= {key: round(row[key] / share, 3) for key in ("ms", "over_floor")}
    return [{"seq_len": seq_len, "d_model": d_model, "threads": threads, **row} for row in rows]


def calls(d_model: int = 512, n: int = 4096) -> dict[str, Method]:
    """Other calls than a whole table, and the call that each is measured against."""
    rng, row = np.random.default_rng(0), np.empty((1, d_model), np.float32)
    scattered, far = np.sort(rng.choice(10**6, n, replace=False)), iter(rng.integers(0, 2**40, 10**6))
    near, away = np.arange(n), np.arange(n) + 10**9

    def plain(positions: NDArray[np.int64]) -> None:
        angles = positions[:, None] * frequencies(d_model)
        np.sin(angles)
        np.cos(angles)

    computing.table(n, d_model)  # which is kept, and which the first rows are of
    cached, consecutive = "a row of a table that was made", "rows of consecutive positions"
    formula, formula_away = "the formula in float64", "the formula in float64, from 10**9 on"
    return {
        cached: Method(lambda: computing.write(row, start=1000), cached),
        "a row at a new place": Method(lambda: computing.write(row, start=int(next(far))), cached),
        consecutive: Method(lambda: computing.rows(near, d_model), consecutive),
        "rows of scattered positions up to a million": Method(
            lambda: computing.rows(scattered, d_model), consecutive
        ),
        formula: Method(lambda: plain(near), formula),
        "encode": Method(lambda: encode(near, d_model), formula),
        formula_away: Method(lambda: plain(away), formula_away),
        "encode, from 10**9 on": Method(lambda: encode(away, d_model), formula_away),
    }


def measure_calls() -> list[Row]:
    """Each of `calls`, against the one that it is measured against."""
    names = {"method": "call", "ms": "ms", "floor": "against", "over_floor": "ratio"}
    rows = measure(calls(), rounds=8 * ROUNDS)
    return [{name: row[key] for key, name in names.items()} for row in rows]


def measure_adding(batch: int, seq_len: int, d_model: int) -> Row:
    """Adding a row to each word, or appending it, and the first projection to queries, keys and values."""
    torch.manual_seed(0)
    x, p = torch.randn(batch, seq_len, d_model), torch.from_numpy(computing.table(seq_len, d_model))
    narrow, wide, widened = (
        torch.randn(rows, 3 * width)
        for rows, width in ((d_model, d_model), (2 * d_model, d_model), (2 * d_model, 2 * d_model))
    )
    ways: dict[str, Callable[[], Any]] = {
        "add": lambda: (x + p) @ narrow,
        "concat": lambda: torch.cat([x, p.expand_as(x)], -1) @ wide,
        "widened": lambda: torch.cat([x, p.expand_as(x)], -1) @ widened,
    }
    rows = {row["method"]: row for row in measure({name: Method(way, "add") for name, way in ways.items()})}
    ratios = {f"{name}_over_add": rows[name]["over_floor"] for name in ("concat", "widened")}
    return {"batch": batch, "seq_len": seq_len, "d_model": d_model, "add_ms": rows["add"]["ms"], **ratios}


def main() -> None:
    """Measure everything and write the record."""
    threads = sorted({1, os.cpu_count() or 1})
    table = [row for several in threads for size in SIZES for row in measure_tables(*size, several)]
    adding = [measure_adding(8, 256, width) for width in (256, 512)]
    write(RECORD, {"table": table, "calls": measure_calls(), "adding": adding}, LIBRARIES)


if __name__ == "__main__":
    main()
