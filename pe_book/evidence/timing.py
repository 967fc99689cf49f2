"""How long a table takes: this book, the usual recipes, and other libraries, in one run.

`make bench` runs it. Every method fills or returns a float32 table. A round runs each of them once, in an
order that is drawn anew, and a ratio is the median of the ratios to the floor of the same round. The floor is
the time to fill the same array with one number.
"""

import os
import platform
import random
import statistics
import time
from collections.abc import Callable
from importlib import import_module
from importlib.metadata import version
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from pe_book.evidence.records.bench import RECORD
from pe_book.inputs.checking import Layout
from pe_book.inputs.pairs import relayout
from pe_book.numerics import cache
from pe_book.sinusoidal import computing
from pe_book.sinusoidal.formula import encode, frequencies

ROUNDS = 15
PATIENCE_MS = 4000  # what has taken so long in all, in three rounds or more, has been seen often enough
SIZES = ((4096, 512), (65536, 512))
LIBRARIES = ("numpy", "torch", "numba", "positional-encodings", "x-transformers", "transformers", "diffusers")

Table = NDArray[np.float32]


class Method(NamedTuple):
    """One way to make a table."""

    run: Callable[[], Any]  # timed; returns the table, or None if it filled the array it was given
    prepare: Callable[[], None] = lambda: None  # before each run, not timed
    cached: str = ""
    layout: Layout = "interleaved"
    rows: int | None = None  # how many rows a run makes, when not all; its time is scaled up
    encodes: bool = True  # the floor does not


def methods(out: Table, threads: int) -> dict[str, Method]:
    """All of them, for one array."""
    seq_len, d_model = out.shape
    positions = np.arange(seq_len)

    def two_level(**options: Any) -> Callable[[], None]:
        return lambda: void(computing.write(out, threads=threads, **options))

    def clear_certificates() -> None:
        cache.clear("certificates")

    def numpy_recipe(dtype: str) -> Callable[[], None]:
        def run() -> None:
            steps = np.arange(0, d_model, 2).astype(dtype)
            angles = positions.astype(dtype)[:, None] * np.exp(steps * dtype_of(-np.log(10000.0) / d_model))
            out[:, 0::2], out[:, 1::2] = np.sin(angles), np.cos(angles)

        dtype_of = np.dtype(dtype).type
        return run

    def torch_recipe() -> None:
        # the lines of the common tutorial, filling what it has allocated
        position = torch.arange(seq_len).unsqueeze(1)
        steps = torch.exp(torch.arange(0, d_model, 2) * (-np.log(10000.0) / d_model))
        into = torch.from_numpy(out)
        into[:, 0::2] = torch.sin(position * steps)
        into[:, 1::2] = torch.cos(position * steps)

    def loop() -> None:
        for position in range(few):
            for i in range(d_model // 2):
                angle = position / 10000 ** (2 * i / d_model)
                out[position, 2 * i], out[position, 2 * i + 1] = np.sin(angle), np.cos(angle)

    def fill() -> None:
        if threads == 1:
            out.fill(1.0)
        else:
            torch.from_numpy(out).fill_(1.0)

    few = 16
    found = {
        "write floor": Method(fill, encodes=False),
        "this book": Method(two_level(), cached="frequencies, edges and certificates"),
        "this book, certificates anew": Method(
            two_level(), clear_certificates, cached="frequencies and edges"
        ),
        "this book, cold": Method(two_level(), cache.clear, cached="nothing"),
        "this book, compiled": Method(two_level(compiled=True), cached="frequencies, edges and certificates"),
        "this book, compiled, certificates anew": Method(
            two_level(compiled=True), clear_certificates, cached="frequencies and edges"
        ),
        "this book, compiled, cold": Method(two_level(compiled=True), cache.clear, cached="nothing"),
        "numpy, float64 then cast": Method(numpy_recipe("float64")),
        "numpy, float32": Method(numpy_recipe("float32")),
        "torch, float32": Method(torch_recipe),
        "double loop": Method(loop, rows=few),
    }
    return found | peers(seq_len, d_model)


def peers(seq_len: int, d_model: int) -> dict[str, Method]:
    """The same table from other libraries."""
    encoding = import_module("positional_encodings.torch_encodings").PositionalEncoding1D(d_model)
    like = torch.zeros(1, seq_len, d_model)

    def clear() -> None:
        encoding.cached_penc = None

    scaled = import_module("x_transformers.x_transformers").ScaledSinusoidalEmbedding(d_model)
    scaled.scale.data.fill_(1.0)
    marian = import_module("transformers.models.marian.modeling_marian").MarianSinusoidalPositionalEmbedding
    timesteps = import_module("diffusers.models.embeddings").get_timestep_embedding
    steps = torch.arange(seq_len)
    few = 4096  # it makes its table number by number
    return {
        "positional-encodings": Method(lambda: encoding(like)[0], clear),
        "x-transformers": Method(lambda: scaled(like).detach(), layout="halves"),
        "transformers, Marian": Method(
            lambda: marian(few, d_model).create_weight(), layout="halves", rows=few
        ),
        "diffusers": Method(lambda: timesteps(steps, d_model, downscale_freq_shift=0), layout="halves"),
    }


def misrounded(made: Table, right: Table, method: Method) -> tuple[int | None, int]:
    """How many of the entries made are not the nearest float32, and how many were made."""
    rows = len(right) if method.rows is None else method.rows
    made = relayout(made[:rows], source=method.layout, to="interleaved")
    return (int((made != right[:rows]).sum()) if method.encodes else None), made.size


def void(_: object) -> None:
    """Nothing, whatever comes."""


def measure(seq_len: int, d_model: int, threads: int, rounds: int = ROUNDS) -> list[dict[str, Any]]:
    """Every method at one size: median time, median ratio to the floor, and misrounded entries.

    Returns
    -------
    list of dict
        method, seq_len, d_model, threads, ms, over_floor, misrounded (None for the floor and where only some
        rows are made), entries, cached.
    """
    torch.set_num_threads(threads)
    out = np.empty((seq_len, d_model), np.float32)
    right = computing.table(seq_len, d_model)
    tried = methods(out, threads)
    rng = random.Random(0)
    times: dict[str, list[float]] = {name: [] for name in tried}
    counted: dict[str, tuple[int | None, int]] = {}
    for turn in range(rounds + 1):  # the first turn warms up, and is where entries are counted
        for name in rng.sample(list(tried), len(tried)):
            method = tried[name]
            if len(times[name]) >= 3 and sum(times[name]) > PATIENCE_MS:
                continue
            method.prepare()
            before = time.perf_counter()
            made = method.run()
            took = (time.perf_counter() - before) * 1000
            if turn:
                times[name].append(took)
            else:
                counted[name] = misrounded(out if made is None else np.asarray(made), right, method)
    for name, method in tried.items():
        scale = seq_len / (method.rows or seq_len)
        times[name] = [took * scale for took in times[name]]
    floors = times["write floor"]
    return [
        {
            "method": name,
            "seq_len": seq_len,
            "d_model": d_model,
            "threads": threads,
            "ms": round(statistics.median(times[name]), 3),
            "over_floor": round(
                statistics.median(a / b for a, b in zip(times[name], floors, strict=False)), 2
            ),
            "misrounded": counted[name][0],
            "entries": counted[name][1],
            "cached": method.cached,
        }
        for name, method in tried.items()
    ]


def calls(d_model: int = 512, n: int = 4096) -> dict[str, tuple[str, Method]]:
    """Other calls than a whole table, and the call that each is measured against."""
    rng, row = np.random.default_rng(0), np.empty((1, d_model), np.float32)
    scattered, far = np.sort(rng.choice(10**6, n, replace=False)), iter(rng.integers(0, 2**40, 10**6))

    def plain(positions: NDArray[np.int64]) -> None:
        angles = positions[:, None] * frequencies(d_model)
        void((np.sin(angles), np.cos(angles)))

    def cache_the_table() -> None:
        computing.table(n, d_model)

    near, away = np.arange(n), np.arange(n) + 10**9
    cached, consecutive = "a row of a table that was made", "rows of consecutive positions"
    formula, formula_away = "the formula in float64", "the formula in float64, from 10**9 on"
    return {
        cached: (cached, Method(lambda: void(computing.write(row, start=1000)), cache_the_table)),
        "a row at a new place": (
            cached,
            Method(lambda: void(computing.write(row, start=int(next(far)))), cache_the_table),
        ),
        consecutive: (consecutive, Method(lambda: void(computing.rows(near, d_model)), cache_the_table)),
        "rows of scattered positions up to a million": (
            consecutive,
            Method(lambda: void(computing.rows(scattered, d_model))),
        ),
        formula: (formula, Method(lambda: plain(near))),
        "encode": (formula, Method(lambda: void(encode(near, d_model)))),
        formula_away: (formula_away, Method(lambda: plain(away))),
        "encode, from 10**9 on": (formula_away, Method(lambda: void(encode(away, d_model)))),
    }


def measure_calls(rounds: int = 8 * ROUNDS) -> list[dict[str, Any]]:
    """Median time of each of `calls`, and its median ratio to the one it is measured against."""
    torch.set_num_threads(1)
    tried, rng = calls(), random.Random(0)
    times: dict[str, list[float]] = {name: [] for name in tried}
    for turn in range(rounds + 1):
        for name in rng.sample(list(tried), len(tried)):
            _, method = tried[name]
            method.prepare()
            method.run()  # what other calls drove out of the processor's cache comes back
            before = time.perf_counter()
            method.run()
            if turn:
                times[name].append((time.perf_counter() - before) * 1000)
    return [
        {
            "call": name,
            "ms": round(statistics.median(times[name]), 4),
            "against": other,
            "ratio": round(
                statistics.median(a / b for a, b in zip(times[name], times[other], strict=True)), 2
            ),
        }
        for name, (other, _) in tried.items()
    ]


def measure_adding(batch: int, seq_len: int, d_model: int, rounds: int = ROUNDS) -> dict[str, Any]:
    """Adding a row to each word, or appending it, and the first projection to queries, keys and values."""
    torch.set_num_threads(1)
    torch.manual_seed(0)
    x, p = torch.randn(batch, seq_len, d_model), torch.from_numpy(computing.table(seq_len, d_model))
    narrow, wide, widened = (
        torch.randn(rows, 3 * width)
        for rows, width in ((d_model, d_model), (2 * d_model, d_model), (2 * d_model, 2 * d_model))
    )
    ways: dict[str, Callable[[], Any]] = {
        "add_ms": lambda: (x + p) @ narrow,
        "concat_ms": lambda: torch.cat([x, p.expand_as(x)], -1) @ wide,
        "widened_ms": lambda: torch.cat([x, p.expand_as(x)], -1) @ widened,
    }
    times: dict[str, list[float]] = {name: [] for name in ways}
    for turn in range(rounds + 1):
        for name, way in ways.items():
            before = time.perf_counter()
            way()
            if turn:
                times[name].append((time.perf_counter() - before) * 1000)

    def ratio(name: str) -> float:
        return round(statistics.median(a / b for a, b in zip(times[name], times["add_ms"], strict=True)), 2)

    return {
        "batch": batch,
        "seq_len": seq_len,
        "d_model": d_model,
        **{name: round(statistics.median(taken), 2) for name, taken in times.items()},
        "concat_over_add": ratio("concat_ms"),
        "widened_over_add": ratio("widened_ms"),
    }


def machine() -> str:
    """The processor, in words: no name of a host."""
    model = platform.processor() or platform.machine()
    if os.path.exists("/proc/cpuinfo"):
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            names = [line.split(":")[1].strip() for line in file if line.startswith("model name")]
        model = names[0] if names else model
    return f"{model}, {os.cpu_count()} cores, {platform.system()}"


def main() -> None:
    """Measure everything, write the record, and print it."""
    table = [
        row
        for threads in sorted({1, os.cpu_count() or 1})
        for seq_len, d_model in SIZES
        for row in measure(seq_len, d_model, threads)
    ]
    others = measure_calls()
    adding = [measure_adding(8, 256, width) for width in (256, 512)]
    versions = ", ".join(
        [f"Python {platform.python_version()}", *(f"{name} {version(name)}" for name in LIBRARIES)]
    )
    parts = {"table": table, "calls": others, "adding": adding}
    RECORD.write({"machine": machine(), "versions": versions, "parts": parts})
    for row in table:
        share = "" if row["misrounded"] is None else f"{row['misrounded'] / row['entries']:9.4%} misrounded"
        size = f"{row['seq_len']} x {row['d_model']}, {row['threads']} threads"
        print(f"{size:26} {row['method']:30} {row['ms']:11.2f} ms {row['over_floor']:9.2f} x floor {share}")
    print("\n".join(str(row) for row in others + adding))
    print(f"Recorded in {RECORD.file.name}: {machine()}; {versions}")


if __name__ == "__main__":
    main()
