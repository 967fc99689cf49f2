"""transformers' context extension: frequencies and, behind them, the factor on queries and keys."""

import numpy as np

from pe_book.family import context_extension, rotary
from pe_book.family.context_extension import interpolation, ramps
from pe_book.sinusoidal import formula
from tests.parity.register import HEAD_DIM, HEADS, POSITIONS, array, member, rows, tensor

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


@extension("linear")
def linear():
    return ours("linear", factor=FACTOR), theirs("linear", factor=FACTOR)


@extension("dynamic, within the trained length")
def dynamic_within():
    mine = ours("dynamic", factor=FACTOR, original_len=TRAINED, length=TRAINED // 2)
    return mine, theirs("dynamic", factor=FACTOR, seq_len=TRAINED // 2)


@extension("dynamic, at four times the trained length")
def dynamic_beyond():
    mine = ours("dynamic", factor=FACTOR, original_len=TRAINED, length=4 * TRAINED)
    return mine, theirs("dynamic", factor=FACTOR, seq_len=4 * TRAINED)


@extension("YaRN, the ramp of libraries")
def yarn():
    mine = ours("yarn", factor=FACTOR, original_len=TRAINED, ramp="library")
    return mine, theirs("yarn", factor=FACTOR, original_max_position_embeddings=TRAINED)


@extension("YaRN, ends of the ramp not rounded")
def yarn_not_rounded():
    mine = ours("yarn", factor=FACTOR, original_len=TRAINED, ramp="library", truncate=False)
    return mine, theirs("yarn", factor=FACTOR, original_max_position_embeddings=TRAINED, truncate=False)


@extension("YaRN, the factor of DeepSeek-V2")
def yarn_of_deepseek():
    given = {"beta_fast": 32, "beta_slow": 1, "mscale": 1.0, "mscale_all_dim": 0.707}
    mine = ours("yarn", factor=40, original_len=TRAINED, ramp="library", **given)
    return mine, theirs("yarn", factor=40.0, original_max_position_embeddings=TRAINED, **given)


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
    module = home.LlamaRotaryEmbedding(
        config("yarn", factor=FACTOR, original_max_position_embeddings=TRAINED)
    )
    queries, _ = home.apply_rotary_pos_emb(tensor(x), tensor(x), *module(tensor(x), tensor(POSITIONS)))
    *omega, attention_factor = ours("yarn", factor=FACTOR, original_len=TRAINED, ramp="library")
    turned = rotary.rotate(x, POSITIONS, frequencies=omega, layout="halves")
    return attention_factor * turned, array(queries)


@extension("LongRoPE, short factors")
def longrope_short():
    return longrope(SHORT, seq_len=TRAINED)


@extension("LongRoPE, long factors")
def longrope_long():
    return longrope(LONG, seq_len=TRAINED + 1)


def longrope(factors: np.ndarray, *, seq_len: int) -> tuple[np.ndarray, np.ndarray]:
    """Both lists are given, and the length says which of them is used."""
    given = {"short_factor": SHORT.tolist(), "long_factor": LONG.tolist(), "factor": 32.0}
    mine = ours("longrope", factor=32, original_len=TRAINED, factors=factors)
    return mine, theirs("longrope", seq_len=seq_len, original_max_position_embeddings=TRAINED, **given)


@extension("Llama 3.1")
def llama3():
    given = {"low_freq_factor": 1.0, "high_freq_factor": 4.0}
    mine = ours("llama3", base=500000.0, factor=FACTOR, original_len=8192, **given)
    there = theirs(
        "llama3", base=500000.0, longest=131072, factor=FACTOR, original_max_position_embeddings=8192, **given
    )
    return mine, there


@extension("the ramp of Llama 3 without width")
def llama3_step():
    given = {"low_freq_factor": 1.0, "high_freq_factor": 1.0}
    mine = ours("llama3", base=500000.0, factor=16, original_len=8192, **given)
    there = theirs(
        "llama3", base=500000.0, longest=131072, factor=16.0, original_max_position_embeddings=8192, **given
    )
    return mine, there


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
