"""How long rotary encoding takes: this book and other libraries, as :mod:`pe_book.evidence.rounds` measures.

Every method turns the same queries and keys, and its floor is the time to copy them to memory that exists.
A step of decoding in a model of many layers is calls rather than arithmetic: there times are of the
processor, and the floor is a peer.
"""

import time
from collections.abc import Callable
from functools import partial
from importlib import import_module
from itertools import count
from typing import Any

import numpy as np
import torch
from torch import Tensor

from pe_book.evidence.records.bench import ROTARY_RECORD
from pe_book.evidence.rounds import Method, Row, measure, write
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
HEADS, KEYS, WIDTH, LAYERS = 32, 8, 128, 32  # of decoding: those of Llama 3 8B
PEER = "transformers"
LAYOUTS: tuple[Layout, Layout] = ("interleaved", "halves")
DTYPES = (torch.float32, torch.bfloat16)

Both = tuple[Tensor, Tensor]


def methods(q: Tensor, k: Tensor, start: int) -> dict[str, Method]:
    """All of them, for queries and keys from a position on; those in place have tensors of their own."""
    into = torch.empty_like(q), torch.empty_like(k)

    def method(run: Callable[[], Both], layout: Layout | None) -> Method:  # None of what turns nothing
        def told(result: Both) -> Row:
            off, share = errors(result[0], q, start, layout) if layout else (None, None)
            return {"layout": layout, "off": off, "off_share": share}

        return Method(run, FLOOR, told)

    found = {FLOOR: method(lambda: (into[0].copy_(q), into[1].copy_(k)), None)}
    if q.dtype != torch.float32:
        found[CASTS] = method(casts(q, k), None)
    for layout in LAYOUTS:
        encoding = RotaryEncoding(q.shape[-1], layout=layout, heads_first=True).to(q.dtype)
        found[f"this book, {layout}"] = method(partial(encoding, q, k, start=start), layout)
        in_place = partial(encoding, q.clone(), k.clone(), start=start, in_place=True)
        found[f"this book, {layout}, in place"] = method(in_place, layout)
    return found | {name: method(*peer) for name, peer in peers(q, k, start).items()}


def casts(q: Tensor, k: Tensor) -> Callable[[], Both]:
    """What turning in float32 adds to a copy by itself: rows are made float32 and rounded back, in place."""
    own = q.clone(), k.clone()
    room = torch.empty(min(AT_A_TIME, q.numel()))

    def there_and_back() -> Both:
        for x in own:
            for some in torch.split(x.view(-1), len(room)):
                some.copy_(room[: len(some)].copy_(some))
        return own

    return there_and_back


def peers(q: Tensor, k: Tensor, start: int) -> dict[str, tuple[Callable[[], Both], Layout]]:
    """The same from other libraries, and how each pairs."""
    n, d = q.shape[-2:]
    places = torch.arange(start, start + n)
    llama = import_module("transformers.models.llama.modeling_llama")
    embedding = llama_embedding(d)
    cos, sin = embedding(q, places[None])
    crossed = import_module("x_transformers.x_transformers")
    angles, _ = crossed.RotaryEmbedding(d)(places)
    turned = torchtune_form(d, start + n)
    # it takes (batch, n, heads, d)
    q_rows, k_rows = (x.transpose(1, 2).contiguous() for x in (q, k))
    lucid = import_module("rotary_embedding_torch").RotaryEmbedding(d)

    def of_both(turn: Callable[[Tensor], Tensor]) -> Callable[[], Both]:
        return lambda: (turn(q), turn(k))

    return {
        "transformers": (lambda: llama.apply_rotary_pos_emb(q, k, cos, sin), "halves"),
        "transformers, cosines anew": (
            lambda: llama.apply_rotary_pos_emb(q, k, *embedding(q, places[None])), "halves"
        ),
        "x-transformers": (of_both(lambda x: crossed.apply_rotary_pos_emb(x, angles)), "interleaved"),
        "torchtune's form": (
            lambda: (turned(q_rows, start).transpose(1, 2), turned(k_rows, start).transpose(1, 2)),
            "interleaved",
        ),
        "rotary-embedding-torch": (
            of_both(lambda x: lucid.rotate_queries_or_keys(x, offset=start)), "interleaved"
        ),
    }  # fmt: skip


def llama_embedding(d: int) -> Any:
    """What makes cosines and sines for a head of some width in transformers' Llama."""
    config = import_module("transformers").LlamaConfig(hidden_size=d, num_attention_heads=1)
    return import_module("transformers.models.llama.modeling_llama").LlamaRotaryEmbedding(config)


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


def errors(result: Tensor, x: Tensor, start: int, layout: Layout) -> tuple[float, float]:
    """How far one head of a result is from the definition: the most, and the share.

    The share is the root mean square of the differences over that of the rows.
    """
    places = np.arange(start, start + x.shape[-2])
    right = rotate(x[0, 0].double().numpy(), places, layout=layout)
    apart = result[0, 0].double().numpy() - right
    return float(np.abs(apart).max()), float(np.sqrt(np.square(apart).mean() / np.square(right).mean()))


def measure_shape(shape: tuple[int, int, int, int], dtype: torch.dtype) -> list[Row]:
    """Every method for queries and keys of one shape, on one thread."""
    generator = torch.Generator().manual_seed(0)
    q, k = (torch.randn(shape, generator=generator).to(dtype) for _ in range(2))
    tried = methods(q, k, 0 if shape == PREFILL else STEP_AT)
    found = measure(tried, rounds=ROUNDS[shape], calls=CALLS[shape])
    what = {"rows": shape[2], "dtype": str(dtype).removeprefix("torch."), "threads": 1}
    return [what | row for row in found]


def steps(dtype: torch.dtype) -> dict[str, Method]:
    """What each program does in all layers with one token, which stands elsewhere every time."""
    q, k = (torch.randn(1, h, 1, WIDTH, generator=torch.Generator().manual_seed(h)) for h in (HEADS, KEYS))
    q, k = q.to(dtype), k.to(dtype)
    llama = import_module("transformers.models.llama.modeling_llama")
    embedding, places = llama_embedding(WIDTH), count(STEP_AT)

    def peer() -> None:
        cos, sin = embedding(q, torch.tensor([[next(places)]]))
        for _ in range(LAYERS):
            llama.apply_rotary_pos_emb(q, k, cos, sin)

    layers = [RotaryEncoding(WIDTH, layout="halves", heads_first=True) for _ in range(LAYERS)]

    def ours() -> None:
        start = next(places)
        for layer in layers:
            layer(q, k, start=start)

    return {PEER: Method(peer, PEER), "this book, halves": Method(ours, PEER)}


def measure_steps(dtype: torch.dtype) -> list[Row]:
    """Every program's step at batch 1 on one thread."""
    rows = measure(steps(dtype), rounds=40, calls=8, clock=time.process_time)
    for row in rows:
        row["over_peer"] = round(row.pop("over_floor"), 2)
    return [{"layers": LAYERS, "dtype": str(dtype).removeprefix("torch."), **row} for row in rows]


def main() -> None:
    """Measure everything and write the record."""
    rows = [row for shape in (PREFILL, STEP) for dtype in DTYPES for row in measure_shape(shape, dtype)]
    decode = [row for dtype in DTYPES for row in measure_steps(dtype)]
    write(ROTARY_RECORD, {"rotary": rows, "decode": decode}, LIBRARIES)


if __name__ == "__main__":
    main()
