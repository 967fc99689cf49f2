"""transformers' context extension: frequencies and, behind them, the factor on queries and keys."""

from functools import partial

import numpy as np

from pe_book.family import context_extension, rotary
from pe_book.family.context_extension import interpolation, ramps
from pe_book.sinusoidal import formula
from tests.parity.register import HEAD_DIM, HEADS, POSITIONS, Pair, array, member, rows, tensor

LIBRARY = "transformers"
BASE, TRAINED, FACTOR = 10000.0, 4096, 8.0
SHORT = np.linspace(1.0, 1.5, HEAD_DIM // 2)
LONG = np.geomspace(1.0, 32.0, HEAD_DIM // 2)


def config(kind: str, *, base: float = BASE, longest: int = TRAINED, **parameters: object):
    from transformers import LlamaConfig

    return LlamaConfig(
        hidden_size=HEADS * HEAD_DIM, num_attention_heads=HEADS, max_position_embeddings=longest,
        rope_parameters={"rope_type": kind, "rope_theta": base, **parameters},
    )  # fmt: skip


def theirs(kind: str, *, seq_len: int | None = None, **settings: object) -> np.ndarray:
    """Frequencies and, as the last entry, the factor that a configuration gives."""
    from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS

    inv_freq, attention_factor = ROPE_INIT_FUNCTIONS[kind](config(kind, **settings), None, seq_len=seq_len)
    return np.append(inv_freq.double().numpy(), attention_factor)


def ours(method: str, *, base: float = BASE, **options: object) -> np.ndarray:
    """The same by the definition."""
    omega = formula.frequencies(HEAD_DIM, base=base)
    return np.append(*context_extension.scale_frequencies(omega, method=method, **options))


def extension(name: str):
    return member(name, library=LIBRARY, layout="each once", kind="frequencies")


def extended(method: str, mine: dict, there: dict, both: dict) -> Pair:
    """A method by what the definition is told, what the library is, and what both are."""
    return ours(method, **mine, **both), theirs(method, **there, **both)


GROWN = {"factor": FACTOR, "original_len": TRAINED}
OF_LIBRARIES = {"original_len": TRAINED, "ramp": "library"}
SAID = {"original_max_position_embeddings": TRAINED}
OF_DEEPSEEK = {"factor": 40.0, "beta_fast": 32, "beta_slow": 1, "mscale": 1.0, "mscale_all_dim": 0.707}
for name, method, mine, there, both in (
    ("linear", "linear", {}, {}, {"factor": FACTOR}),
    ("dynamic, within the trained length", "dynamic", {**GROWN, "length": TRAINED // 2},
     {"factor": FACTOR, "seq_len": TRAINED // 2}, {}),
    ("dynamic, at four times the trained length", "dynamic", {**GROWN, "length": 4 * TRAINED},
     {"factor": FACTOR, "seq_len": 4 * TRAINED}, {}),
    ("YaRN, the ramp of libraries", "yarn", OF_LIBRARIES, SAID, {"factor": FACTOR}),
    ("YaRN, ends of the ramp not rounded", "yarn", OF_LIBRARIES, SAID,
     {"factor": FACTOR, "truncate": False}),
    ("YaRN, the factor of DeepSeek-V2", "yarn", OF_LIBRARIES, SAID, OF_DEEPSEEK),
):  # fmt: skip
    extension(name)(partial(extended, method, mine, there, both))


@member("DeepSeek-V2, the factor on scores", library=LIBRARY, layout="one number", kind="frequencies")
def factor_on_scores():
    from transformers.models.deepseek_v2.modeling_deepseek_v2 import yarn_apply_mscale

    given = {"rope_type": "yarn", "factor": 40.0, "mscale_all_dim": 0.707}
    mine = ramps.temperature(40, mscale=0.707) ** 2
    return np.array([mine]), np.array([yarn_apply_mscale(given, 1.0)])


@member("Llama under YaRN, turned and sharpened", library=LIBRARY, layout="halves")
def llama_under_yarn():
    from transformers.models.llama import modeling_llama as home

    x = rows()
    module = home.LlamaRotaryEmbedding(config("yarn", factor=FACTOR, **SAID))
    queries, _ = home.apply_rotary_pos_emb(tensor(x), tensor(x), *module(tensor(x), tensor(POSITIONS)))
    *omega, attention_factor = ours("yarn", factor=FACTOR, **OF_LIBRARIES)
    turned = rotary.rotate(x, POSITIONS, frequencies=omega, layout="halves")
    return attention_factor * turned, array(queries)


LISTS = {"short_factor": SHORT.tolist(), "long_factor": LONG.tolist(), **SAID}
LLAMA_3 = {"longest": 131072, "original_max_position_embeddings": 8192}
for name, method, mine, there, both in (
    ("LongRoPE, short factors", "longrope", {"original_len": TRAINED, "factors": SHORT},
     {**LISTS, "seq_len": TRAINED}, {"factor": 32.0}),
    ("LongRoPE, long factors", "longrope", {"original_len": TRAINED, "factors": LONG},
     {**LISTS, "seq_len": TRAINED + 1}, {"factor": 32.0}),
    ("Llama 3.1", "llama3", {"original_len": 8192}, LLAMA_3,
     {"base": 500000.0, "factor": FACTOR, "low_freq_factor": 1.0, "high_freq_factor": 4.0}),
    ("the ramp of Llama 3 without width", "llama3", {"original_len": 8192}, LLAMA_3,
     {"base": 500000.0, "factor": 16.0, "low_freq_factor": 1.0, "high_freq_factor": 1.0}),
):  # fmt: skip
    extension(name)(partial(extended, method, mine, there, both))


@extension("p-RoPE, a quarter of the head")
def proportional():
    mine = rotary.proportional_frequencies(HEAD_DIM, HEAD_DIM // 4, base=BASE)
    return np.append(mine, 1.0), theirs("proportional", partial_rotary_factor=0.25)


@extension("p-RoPE, interpolated")
def proportional_interpolated():
    mine = interpolation.interpolated(
        rotary.proportional_frequencies(HEAD_DIM, HEAD_DIM // 4, base=BASE), FACTOR
    )
    return np.append(mine, 1.0), theirs("proportional", partial_rotary_factor=0.25, factor=FACTOR)
