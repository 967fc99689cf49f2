"""How long rotary encoding takes: this book and other libraries in one run, beside a copy of the same rows.

`make bench` runs it. Every method turns the same queries and keys. A round runs each of them once, in an
order that is drawn anew, and a ratio is the median of the ratios to the floor of the same round. The floor is
the time to copy queries and keys to memory that exists.
"""

import os
import random
import statistics
import time
from collections.abc import Callable
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from pe_book.evidence import rotary_decode
from pe_book.evidence.records.bench import ROTARY_RECORD
from pe_book.evidence.timing import machine
from pe_book.family.rotary import rotate
from pe_book.inputs.checking import Layout
from pe_book.nn.modules.rotary import RotaryEncoding

PREFILL, STEP = (8, 16, 2048, 64), (8, 16, 1, 64)  # batch, heads, rows, width
STEP_AT = 1000  # the position of a single row
ROUNDS = {PREFILL: 15, STEP: 60}
CALLS = {PREFILL: 1, STEP: 100}  # of one method in one round
LIBRARIES = ("torch", "transformers", "x-transformers", "rotary-embedding-torch")
FLOOR, CASTS = "copy floor", "cast to float32 and back"
AT_A_TIME = 2**17  # numbers that are cast to float32 before the next ones are: they stay in the cache

Both = tuple[Tensor, Tensor]


class Method(NamedTuple):
    """One way to turn queries and keys."""

    run: Callable[[], Both]  # timed
    layout: Layout | None  # None for the floor
    in_place: bool = False
    remakes: bool = False  # whether cosines and sines are part of the call, as where a model has one layer


def methods(q: Tensor, k: Tensor, start: int) -> dict[str, Method]:
    """All of them, for queries and keys from a position on; those in place have tensors of their own."""
    into = torch.empty_like(q), torch.empty_like(k)

    def copy() -> Both:
        return into[0].copy_(q), into[1].copy_(k)

    found = {FLOOR: Method(copy, None)}
    if q.dtype != torch.float32:
        found[CASTS] = Method(casts(q, k), None)
    layouts: tuple[Layout, Layout] = ("interleaved", "halves")
    for layout in layouts:
        encoding = RotaryEncoding(q.shape[-1], layout=layout, heads_first=True).to(q.dtype)
        own = q.clone(), k.clone()
        found[f"this book, {layout}"] = Method(lambda e=encoding: e(q, k, start=start), layout)  # type: ignore[misc]  # bound now
        found[f"this book, {layout}, in place"] = Method(
            lambda e=encoding, own=own: e(*own, start=start, in_place=True),  # type: ignore[misc]  # bound now
            layout,
            in_place=True,
        )
    return found | peers(q, k, start)


def casts(q: Tensor, k: Tensor) -> Callable[[], Both]:
    """What turning in float32 adds to a copy by itself: rows are made float32 and rounded back, in place."""
    own = q.clone(), k.clone()
    room = torch.empty(min(AT_A_TIME * torch.get_num_threads(), q.numel()))

    def there_and_back() -> Both:
        for x in own:
            for some in torch.split(x.view(-1), len(room)):
                some.copy_(room[: len(some)].copy_(some))
        return own

    return there_and_back


def peers(q: Tensor, k: Tensor, start: int) -> dict[str, Method]:
    """The same from other libraries, those that are installed."""
    found: dict[str, Method] = {}
    n, d = q.shape[-2:]
    places = torch.arange(start, start + n)
    llama = import_module("transformers.models.llama.modeling_llama")
    config = import_module("transformers").LlamaConfig(hidden_size=d, num_attention_heads=1)
    embedding = llama.LlamaRotaryEmbedding(config)
    cos, sin = embedding(q, places[None])
    found["transformers"] = Method(lambda: llama.apply_rotary_pos_emb(q, k, cos, sin), "halves")
    found["transformers, cosines anew"] = Method(
        lambda: llama.apply_rotary_pos_emb(q, k, *embedding(q, places[None])), "halves", remakes=True
    )
    crossed = import_module("x_transformers.x_transformers")
    angles, _ = crossed.RotaryEmbedding(d)(places)
    found["x-transformers"] = Method(
        lambda: (crossed.apply_rotary_pos_emb(q, angles), crossed.apply_rotary_pos_emb(k, angles)),
        "interleaved",
    )
    turned = torchtune_form(d, start + n)
    # it takes (batch, n, heads, d)
    q_rows, k_rows = (x.transpose(1, 2).contiguous() for x in (q, k))
    found["torchtune's form"] = Method(
        lambda: (turned(q_rows, start).transpose(1, 2), turned(k_rows, start).transpose(1, 2)), "interleaved"
    )
    try:
        lucid = import_module("rotary_embedding_torch").RotaryEmbedding(d)
    except ImportError:
        return found
    found["rotary-embedding-torch"] = Method(
        lambda: (
            lucid.rotate_queries_or_keys(q, offset=start),
            lucid.rotate_queries_or_keys(k, offset=start),
        ),
        "interleaved",
    )
    return found


def torchtune_form(d: int, length: int) -> Callable[[Tensor, int], Tensor]:
    """The published algorithm of torchtune's module: a table of (cosine, sine), the product in float32."""
    steps = 1.0 / 10000 ** (torch.arange(0, d, 2).float() / d)
    angles = torch.outer(torch.arange(length).float(), steps)
    cache = torch.stack([angles.cos(), angles.sin()], dim=-1)

    def turned(x: Tensor, start: int) -> Tensor:
        rows = cache[start : start + x.shape[1]].view(1, x.shape[1], 1, d // 2, 2)
        pairs = x.float().reshape(*x.shape[:-1], -1, 2)
        new = [
            pairs[..., 0] * rows[..., 0] - pairs[..., 1] * rows[..., 1],
            pairs[..., 1] * rows[..., 0] + pairs[..., 0] * rows[..., 1],
        ]
        return torch.stack(new, -1).flatten(3).type_as(x)

    return turned


def errors(result: Tensor, x: Tensor, start: int, layout: Layout | None) -> tuple[float, float] | None:
    """How far one head of a result is from the definition: the most, and the share; None for what is no turn.

    The share is the root mean square of the differences over that of the rows.
    """
    if layout is None:
        return None
    places = np.arange(start, start + x.shape[-2])
    right = rotate(x[0, 0].double().numpy(), places, layout=layout)
    apart = result[0, 0].double().numpy() - right
    return float(np.abs(apart).max()), float(np.sqrt(np.square(apart).mean() / np.square(right).mean()))


def measure(shape: tuple[int, int, int, int], dtype: torch.dtype, threads: int) -> list[dict[str, Any]]:
    """Every method for queries and keys of one shape: median time, and median ratio to the floor.

    Returns
    -------
    list of dict
        method, layout, in_place, remakes, rows, dtype, threads, ms, over_floor, off (the largest error, or
        None), off_share (as :func:`errors` says).
    """
    torch.set_num_threads(threads)
    generator, rng = torch.Generator().manual_seed(0), random.Random(0)
    q, k = (torch.randn(shape, generator=generator).to(dtype) for _ in range(2))
    start = 0 if shape == PREFILL else STEP_AT
    tried = methods(q, k, start)
    times: dict[str, list[float]] = {name: [] for name in tried}
    found: dict[str, tuple[float, float] | None] = {}
    with torch.no_grad():
        for turn in range(ROUNDS[shape] + 1):  # the first turn warms up, and is where results are looked at
            for name in rng.sample(list(tried), len(tried)):
                method = tried[name]
                before = time.perf_counter()
                for _ in range(CALLS[shape] if turn else 1):
                    result = method.run()
                took = (time.perf_counter() - before) * 1000 / CALLS[shape]
                if turn:
                    times[name].append(took)
                else:
                    found[name] = errors(result[0], q, start, method.layout)
                del result  # the next method allocates its own
    floors = times[FLOOR]
    return [
        {
            "method": name,
            "layout": method.layout,
            "in_place": method.in_place,
            "remakes": method.remakes,
            "rows": shape[2],
            "dtype": str(dtype).removeprefix("torch."),
            "threads": threads,
            "ms": round(statistics.median(times[name]), 4),
            "over_floor": round(
                statistics.median(a / b for a, b in zip(times[name], floors, strict=True)), 2
            ),
            "off": None if (error := found[name]) is None else error[0],
            "off_share": None if error is None else error[1],
        }
        for name, method in tried.items()
    ]


def installed(name: str) -> str:
    """A library with its version, or that it is not there."""
    try:
        return f"{name} {version(name)}"
    except PackageNotFoundError:
        return f"{name} not installed"


def main() -> None:
    """Measure everything, write the record, and print it."""
    rows = [
        row
        for threads in sorted({1, os.cpu_count() or 1})
        for shape in (PREFILL, STEP)
        for dtype in (torch.float32, torch.bfloat16)
        for row in measure(shape, dtype, threads)
    ]
    steps = [row for dtype in (torch.float32, torch.bfloat16) for row in rotary_decode.measure(dtype)]
    versions = ", ".join(map(installed, LIBRARIES))
    parts = {"rotary": rows, "decode": steps}
    ROTARY_RECORD.write({"machine": machine(), "versions": versions, "parts": parts})
    for row in rows:
        size = f"{row['rows']} rows, {row['dtype']}, {row['threads']} threads"
        error = "" if row["off"] is None else f"off by {row['off']:.1e}, {row['off_share']:.1e} of the rows"
        print(f"{size:30} {row['method']:36} {row['ms']:10.4f} ms {row['over_floor']:8.2f} x floor  {error}")
    for row in steps:
        what = f"a step of {rotary_decode.LAYERS} layers, {row['dtype']}"
        print(f"{what:30} {row['method']:36} {row['ms']:10.4f} ms {row['over_peer']:8.2f} x the peer")
    print(f"Recorded in {ROTARY_RECORD.file.name}: {machine()}; {versions}")


if __name__ == "__main__":
    main()
