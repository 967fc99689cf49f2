"""How long biases on scores take: what attention makes of a mask, and what making one costs.

Times are of the processor, on one thread, as :mod:`pe_book.evidence.rounds` measures.
"""

import time
from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import pad, scaled_dot_product_attention

from pe_book.evidence.records.bench import BIAS_RECORD
from pe_book.evidence.rounds import Method, Row, measure, write
from pe_book.family.score_bias import alibi_bias, alibi_key_bias
from pe_book.family.score_bias.t5 import t5_bias
from pe_book.nn.modules.score_bias import ALiBiBias
from pe_book.nn.modules.score_bias_learned import T5Bias
from pe_book.why.order_blindness import attention

LIBRARIES = ("torch", "transformers", "x-transformers")
MASKED = (1, 8, 1024, 64)  # batch, heads, rows, width of the attention that is given a mask
HEADS, ROWS = 16, 2048  # of the bias that is made
KEYS, WIDTH = 32768, 64  # of a decoding step
NONE, CAUSAL = "no mask", "is_causal"  # the floors of attention
FILL, STEP = "fill", "attention of the step"

Right = NDArray[np.float64]


def method(run: Callable[[], Any], floor: str, right: Right | None = None) -> Method:
    """One way to make a bias, or to attend with one, and what the first head of the result has to be."""

    def told(result: Tensor) -> Row:
        """How far it is from right: the largest difference over the largest number, or None."""
        if right is None:
            return {"off": None}
        found = result.double().reshape(-1, *right.shape)[0].numpy()
        return {"off": float(np.abs(found - right).max() / np.abs(right).max())}

    return Method(run, floor, told)


def masks() -> dict[str, Method]:
    """Attention of torch with masks of every shape that holds the same ALiBi."""
    generator = torch.Generator().manual_seed(0)
    q, k, v = (torch.randn(MASKED, generator=generator) for _ in range(3))
    _, h, n, d = MASKED
    alibi = ALiBiBias(h)
    both, causal, by_keys = alibi(n), alibi(n, causal=True), alibi.by_keys(n)

    def attend(mask: Tensor | None = None, **options: Any) -> Callable[[], Tensor]:
        return lambda: scaled_dot_product_attention(q, k, v, attn_mask=mask, **options)

    def one_more_column() -> Tensor:
        query, key, value = (pad(x, (0, 1)) for x in (q, k, v))  # of one width, or the fast path is left
        query[..., d], key[..., d] = 1.0, d**0.5 * by_keys[:, :, 0]
        attended = scaled_dot_product_attention(query, key, value, is_causal=True, scale=d**-0.5)
        return attended[..., :d]

    def right(bias: Tensor | None, only_behind: bool) -> Right:
        first = (x[:1, :1].double().numpy() for x in (q, k, v))
        added = None if bias is None else bias[:, :1].double().numpy()
        return np.asarray(attention(*first, bias=added, causal=only_behind)[0, 0])

    seen, hidden = right(both, False), right(both, True)
    return {
        NONE: method(attend(), NONE, right(None, False)),
        CAUSAL: method(attend(is_causal=True), CAUSAL, right(None, True)),
        "(1, h, 1, n)": method(attend(by_keys), NONE, right(by_keys, False)),
        "(1, h, n, n)": method(attend(both), NONE, seen),
        "(h, n, n)": method(attend(both[0]), NONE, seen),
        "(1, h, n, n), causal": method(attend(causal), CAUSAL, hidden),
        "(h, n, n), causal": method(attend(causal[0]), CAUSAL, hidden),
        "one more column, is_causal": method(one_more_column, CAUSAL, hidden),
    }


def biases() -> dict[str, Method]:
    """Every way to make the bias of consecutive positions, beside filling as much memory."""
    alibi, t5 = ALiBiBias(HEADS), T5Bias(HEADS, bidirectional=True)
    slopes, weight = alibi.slopes, t5.weight.detach()
    room, n = torch.zeros(1, HEADS, ROWS, ROWS), torch.arange(ROWS)
    every = np.arange(ROWS)
    right = {
        "ALiBi": alibi_bias(slopes[:1].double().numpy(), every, every)[0],
        "T5": t5_bias(weight[:, :1].double().numpy(), every, every)[0],
    }

    found = {FILL: method(lambda: room.fill_(1.0), FILL)}
    for kind, module in (("ALiBi", alibi), ("T5", t5)):
        quick = torch.compile(module, fullgraph=True)
        ways: dict[str, Callable[[], Tensor]] = {
            "into a buffer": partial(module, ROWS, out=room),
            "into a buffer, causal": partial(module, ROWS, causal=True, out=room),
            "into a buffer, compiled": partial(quick, ROWS, out=room),
            "into new memory": partial(module, ROWS),
            "at positions": partial(module.at, n),
            "vector of offsets": partial(module.by_offset, torch.arange(1 - ROWS, ROWS)),
        }
        for name, run in ways.items():
            whole = "vector" not in name and "causal" not in name
            found[f"{kind}, {name}"] = method(run, FILL, right[kind] if whole else None)
    return found | peers(slopes, weight, right)


def peers(slopes: Tensor, weight: Tensor, right: dict[str, Right]) -> dict[str, Method]:
    """The same from other libraries."""
    config = import_module("transformers").T5Config(num_heads=HEADS, d_kv=WIDTH, d_model=HEADS * WIDTH)
    library = import_module("transformers.models.t5.modeling_t5").T5Attention(config, True)
    library.relative_attention_bias.weight.data.copy_(weight)
    build = import_module("transformers.models.bloom.modeling_bloom").build_alibi_tensor
    crossed = import_module("x_transformers.x_transformers")
    linear = crossed.AlibiPositionalBias(HEADS)
    buckets = crossed.RelativePositionBias(scale=1.0, heads=HEADS)
    buckets.relative_attention_bias.weight.data.copy_(weight)
    ones = torch.ones(1, ROWS)
    last = alibi_key_bias(slopes[:1].double().numpy(), np.arange(ROWS))[0]

    def anew() -> Any:
        linear.bias = None  # it keeps what it has made
        return linear(ROWS, ROWS)

    spread = np.broadcast_to(last - last[:, :1], (ROWS, ROWS))
    ways: dict[str, tuple[Callable[[], Any], Right]] = {
        "ALiBi, transformers": (
            lambda: build(ones, HEADS, torch.float32).expand(HEADS, ROWS, ROWS).contiguous(), spread
        ),
        "ALiBi, x-transformers": (anew, right["ALiBi"]),
        "T5, transformers": (lambda: library.compute_bias(ROWS, ROWS), right["T5"]),
        "T5, x-transformers": (lambda: buckets(ROWS, ROWS), right["T5"]),
    }  # fmt: skip
    return {name: method(run, FILL, wanted) for name, (run, wanted) in ways.items()}


def step() -> dict[str, Method]:
    """The bias of one query behind a cache of keys, beside the attention of that query."""
    alibi, t5 = ALiBiBias(HEADS), T5Bias(HEADS, bidirectional=False)
    q, k, v = (torch.randn(1, HEADS, rows, WIDTH) for rows in (1, KEYS, KEYS))
    last = KEYS - 1
    right = t5_bias(t5.weight[:, :1].detach().double().numpy(), [last], np.arange(KEYS), bidirectional=False)
    by_keys = alibi_key_bias(alibi.slopes[:1].double().numpy(), np.arange(KEYS))
    return {
        STEP: method(lambda: scaled_dot_product_attention(q, k, v), STEP),
        "ALiBi, by keys": method(lambda: alibi.by_keys(KEYS), STEP, by_keys[0]),
        "T5": method(lambda: t5(1, start=last), STEP, right[0]),
    }


def main() -> None:
    """Measure everything and write the record."""
    clock = time.process_time
    _, h, n, d = MASKED
    what = {"dtype": "float32", "heads": h, "rows": n, "width": d}
    shapes = [row | what for row in measure(masks(), clock=clock)]
    made = [row | {"heads": HEADS, "rows": ROWS} for row in measure(biases(), clock=clock)]
    steps = [row | {"heads": HEADS, "keys": KEYS} for row in measure(step(), calls=10, clock=clock)]
    write(BIAS_RECORD, {"masks": shapes, "biases": made, "step": steps}, LIBRARIES)


if __name__ == "__main__":
    main()
