"""What turning queries and keys costs in a step of decoding, in a model of many layers.

`make bench` runs it beside :mod:`pe_book.evidence.rotary_timing`. Times are of the processor, since a step is
calls rather than arithmetic, and ratios are those of one round to the peer's.
"""

import random
import statistics
import time
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from typing import Any

import torch
from torch import Tensor

from pe_book.inputs.checking import Layout
from pe_book.nn.modules.rotary import RotaryEncoding

HEADS, KEYS, WIDTH, LAYERS = 32, 8, 128, 32  # those of Llama 3 8B
PEER = "transformers"
ROUNDS, STEPS = 40, 8  # steps of one method in a round


def steps(dtype: torch.dtype) -> dict[str, tuple[Layout, Callable[[int], object]]]:
    """What a model of each program does with a token at some position, and how it pairs."""
    q, k = (torch.randn(1, h, 1, WIDTH, generator=torch.Generator().manual_seed(h)) for h in (HEADS, KEYS))
    q, k = q.to(dtype), k.to(dtype)
    llama = import_module("transformers.models.llama.modeling_llama")
    config = import_module("transformers").LlamaConfig(hidden_size=WIDTH, num_attention_heads=1)
    embedding = llama.LlamaRotaryEmbedding(config)

    def peer(position: int) -> None:
        cos, sin = embedding(q, torch.tensor([[position]]))
        for _ in range(LAYERS):
            llama.apply_rotary_pos_emb(q, k, cos, sin)

    found: dict[str, tuple[Layout, Callable[[int], object]]] = {PEER: ("halves", peer)}
    layouts: tuple[Layout, Layout] = ("interleaved", "halves")
    for layout in layouts:
        layers = [RotaryEncoding(WIDTH, layout=layout, heads_first=True) for _ in range(LAYERS)]
        found[f"this book, {layout}"] = layout, partial(_from_start, layers, q, k)
        found[f"this book, {layout}, positions"] = layout, partial(_at_positions, layers, q, k)
    return found


def _from_start(layers: list[RotaryEncoding], q: Tensor, k: Tensor, position: int) -> None:
    for layer in layers:
        layer(q, k, start=position)


def _at_positions(layers: list[RotaryEncoding], q: Tensor, k: Tensor, position: int) -> None:
    positions = torch.tensor([position])
    for layer in layers:
        layer(q, k, positions)


def measure(dtype: torch.dtype) -> Iterator[dict[str, Any]]:
    """Every program's step at batch 1 on one thread.

    Yields
    ------
    dict
        method, layout, layers, dtype, ms of processor time, over_peer (median of the ratios in one round).
    """
    torch.set_num_threads(1)
    rng, tried = random.Random(0), steps(dtype)
    times: dict[str, list[float]] = {name: [] for name in tried}
    with torch.no_grad():
        for turn in range(ROUNDS + 1):  # the first warms up
            for name in rng.sample(list(tried), len(tried)):
                before = time.process_time()
                for position in range(1000 + STEPS * turn, 1000 + STEPS * (turn + 1)):
                    tried[name][1](position)
                if turn:
                    times[name].append((time.process_time() - before) * 1000 / STEPS)
    for name, (layout, _) in tried.items():
        ratios = [own / peer for own, peer in zip(times[name], times[PEER], strict=True)]
        yield {
            "method": name,
            "layout": layout,
            "layers": LAYERS,
            "dtype": str(dtype).removeprefix("torch."),
            "ms": round(statistics.median(times[name]), 4),
            "over_peer": round(statistics.median(ratios), 2),
        }
