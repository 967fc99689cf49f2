"""What is given: valid texts for each parameter by its name, and hostile ones for every parameter.

The fuzz and the comparison of twins (tests/nn/test_parity.py) read this one table; a new name is one entry.

An argument is a Python expression as text, so that a call that failed can be pasted. ``{n}``, ``{d}`` and the
others are sizes that one call shares, so that shapes fit each other where nothing hostile is meant.
"""

from dataclasses import dataclass
from inspect import Parameter
from typing import Any

import mpmath
import numpy as np
import torch
from hypothesis import strategies as st

import pe_book
import pe_book.nn
from pe_book.family.members import members
from pe_book.sinusoidal.formula import encode
from pe_book.why.first_attempts import count
from pe_book.why.layers import random_layers
from pe_book.why.requirements import measure
from tests.fuzz.surface import parameters, surface


def made(seed: int, *shape: int) -> np.ndarray:
    """Normal numbers."""
    return np.random.default_rng(seed).normal(size=shape)


def read_only(array: np.ndarray) -> np.ndarray:
    array.flags.writeable = False
    return array


def circle() -> list:
    itself: list = []
    itself.append(itself)
    return itself


class Unspeakable:
    """Cannot be shown."""

    def __repr__(self) -> str:
        raise RuntimeError("no words")


NAMES: dict[str, Any] = {
    "np": np, "torch": torch, "nn": pe_book.nn, "mpmath": mpmath, "made": made, "encode": encode, "count": count,
    "random_layers": random_layers, "members": members, "measure": measure, "read_only": read_only,
    "circle": circle, "pe_book": pe_book, "Unspeakable": Unspeakable, "inf": float("inf"), "nan": float("nan"),
}  # fmt: skip

SIZES = {"n": (1, 2, 3, 5, 8), "d": (2, 4, 6, 8), "m": (1, 2, 3), "s": (0, 1, 2, 3)}
PLAIN = {"n": 5, "d": 4, "m": 2, "s": 0}

# Kinds of valid value. The first of each is the plain one, with which every function has to answer.
WIDTH = ("{d}", "np.int64({d})")
LENGTH = ("{n}", "np.int16({n})")
COUNT = ("3", "1", "2", "7")
MAYBE_NONE = ("{n}", "np.int16({n})", "0")
SEED = ("0", "1", "2017")
FLAG = ("False", "True", "np.True_")
POSITIVE = ("0.5", "1", "2.0", "np.float32(0.25)")
SHARE = ("0.5", "0.01", "0.99")
BASE = ("10000.0", "10000", "1.5", "100", "1e6", "500000.0")
LAYOUT = ("'interleaved'", "'halves'")
LADDER = ("'paper'", "'tensor2tensor'")
POSITIONS = (
    "range({n})", "3", "[0, 1.5, -2]", "np.arange({n})[:, None]", "2**53", "-(2**53)", "[2**40 + 1, 7]", "[]",
    "torch.arange({n})", "np.array([1, 300], dtype='int16')", "np.array([1, 200], dtype='uint8')", "10**6 + 0.25",
    "np.array([3, 4], dtype=object)", "np.array([1.5], dtype=np.longdouble)", "made({s}, {n}, 2) * 1e3",
)  # fmt: skip
OFFSET = ("3", "-2", "0", "1.5", "2**40", "np.float32(0.5)", "2**53")
ROWS = ("made({s}, {n}, {d})",)
SQUARE = ("made({s}, {d}, {d})",)
LIST = ("made({s}, {n} + 1)",)
WEIGHTS = ("made({s}, {d}, {m})",)
FORMAT = ("'float32'", "'float16'", "'bfloat16'")
OUT = ("None", "np.empty(({n}, {d}), 'float32')")
FEW = ("{n} + 1", "20", "100")
DTYPE = ("'float32'", "'float16'", "'float64'")
TORCH_DTYPE = ("torch.float32", "torch.float64", "torch.float16", "torch.bfloat16")
TENSOR_ROWS = ("torch.tensor(made({s}, {n}, {d}))", "torch.tensor(made({s}, 2, {n}, {d})).float()")
DEVICE = ("None", "'cpu'")
VECTORS = ("made({s}, 5, {d})", "made({s} + 1, 1, {d})")
TABLE = ("made({s}, 4, {d})", "made({s} + 1, 4, {d})")

KINDS: dict[str, tuple[str, ...]] = {
    "a": WEIGHTS, "align": ("'ends'", "'half-pixels'"), "angles": ("made({s}, {n})",),
    "axis": ("-1", "0"), "member": ("members(length=256)['ALiBi']", "members(length=256)['learned table']"),
    "heads": ("2", "1"), "options": ("None", "{{'T5': {{'n_buckets': 8}}}}"), "width": ("16", "32"),
    "b": WEIGHTS, "base": BASE, "beyond": ("'refuse'", "'clamp'", "'wrap'", "'interpolate'"),
    "bias": ("None", "np.zeros(({n}, {n}))", "np.where(np.tri({n}), 0, -np.inf)"), "bidirectional": FLAG,
    "bits": ("192", "64"), "causal": FLAG, "code": ("made({s}, {n})", "made({s}, {n}, {d})"), "compiled": ("False",),
    "contents": ("made({s}, {n}, 2)",), "cut": SHARE, "d": WIDTH, "d_ff": COUNT, "d_model": WIDTH, "d_place": COUNT,
    "device": DEVICE, "digits": ("20", "40", "1"), "doors": ("()", "('input',)", "('score', 'query and key')"),
    "dropout": ("0.0", "0.1"), "dtype": FORMAT, "energy": SHARE, "everything": FLAG, "features": ROWS,
    "first": POSITIONS, "fraction": SHARE, "frequencies": ("[1.0, 0.01]", "made({s}, {n})"),
    "frequencies_by": ("'exp'", "'power'", "'nearest'"), "k": OFFSET, "key_minus_query": ("range(-{n}, {n})", "3"),
    "ladder": LADDER, "layers": COUNT, "layout": LAYOUT, "lengths": ("[3, 2]", "[{n}]", "np.array([1, {n}])"),
    "linear": FLAG, "mask": ("[0, 1, 1]", "np.ones((2, {n}), bool)", "torch.ones(2, {n})"), "matrix": SQUARE,
    "max_distance": ("128", "64"), "max_len": ("16", "{n} + 8"), "maximum": COUNT,
    "measured": ("measure(count, seq_len=16)",), "reading_error": ("0.05", "0.5"), "n": FEW, "n_buckets": ("32", "8"),
    "n_layers": ("2", "0"), "n_steps": COUNT, "name": ("'GPT-2'", "'BERT'"), "number": ("759", "0", "10**6"),
    "offset": ("1", "0", "-2.5"), "offsets": POSITIONS, "out": OUT, "padding_idx": ("1", "0"), "pairs": COUNT,
    "place_std": POSITIVE, "places": ROWS, "position": ("5", "0", "2.5"), "positions": POSITIONS, "q": ROWS,
    "radix": ("10", "2"), "rcond": ("1e-10", "0", "0.5"), "rounded": ("'table'", "('positions', 'angles')"),
    "rounding": ("None",), "scale": FLAG, "scores": ("made({s}, {n} + 1, {n} + 1)",), "second": ("7", "-3.5"),
    "seed": SEED, "segments": COUNT, "seq_len": LENGTH, "shapes": ("{{'a': (2, 3), 'b': (4,)}}", "{{}}"),
    "slope": POSITIVE, "source": LAYOUT, "start": ("0", "7", "2**40", "-3"), "std": POSITIVE, "step": (*POSITIVE, "0", "-1"),
    "steps": ("10", "0", "inf"), "table": ("encode(range({n}), {d}).astype('float32')",), "target": ROWS,
    "targets": ("made({s}, {n})",), "threads": ("1", "2"), "threshold": ("0.1", "0.5"), "to": LAYOUT,
    "tokens": ("[[0, 31, 8, 2, 1, 1]]", "range({n})"), "u": ROWS, "v": ROWS, "values": LIST, "vocabulary": COUNT,
    "w": WEIGHTS, "w_input": WEIGHTS, "w_k": WEIGHTS, "w_q": WEIGHTS, "w_state": ("made({s}, {m}, {m}) / 4",),
    "w_v": WEIGHTS, "weight": ("made({s}, {n} + 1, {d})",), "word_std": POSITIVE, "words": ROWS, "x": ROWS,
    "config": ("{{'model_type': 'llama', 'head_dim': {d}, 'rope_theta': 1e6}}", "{{'model_type': 'gpt2', 'n_layer': 2}}"),
    "batch_first": FLAG, "arrangement": ("'sectioned'", "'interleaved'"), "axes": ("2", "1"), "beta_fast": ("32", "4.5"),
    "beta_slow": ("1", "0.5"), "chunk": ("3", "1"), "count": ("1", "32", "0.5"), "distance": POSITIONS,
    "factor": ("4", "1", "2.5"), "factors": ("[1, 4]",), "head_dim": WIDTH, "high_freq_factor": ("4", "2.5"),
    "k_content": ("made({s}, 2, {n}, 3)",), "k_rotary": ROWS, "keys": ("range({n})",), "length": ("100", "4096.5"),
    "low_freq_factor": ("1", "0.5"), "method": ("'linear'", "'ntk'", "'dynamic'", "'yarn'", "'longrope'", "'llama3'"),
    "mscale": ("1.0", "0.707", "0"), "mscale_all_dim": ("1.0",), "original_len": ("4096", "8", "100.5"),
    "parts": ("[2, (1, 2, 2), 1]", "[]", "[3]"), "q_content": ("made({s}, 2, {n}, 3)",), "q_rotary": ("made({s}, 2, {n}, {d})",),
    "queries": ("range({n})",), "ramp": ("'paper'", "'library'"), "rotary_dim": ("None", "2", "{d}"),
    "sections": ("[{d} // 2]", "[{d} // 2 - 1, 1]"), "side": ("'first'", "'last'"), "stride": ("inf", "2"),
    "fused": ("None", "'concatenated'", "'per-head'", "'grouped'", "'four-blocks'"), "assume": ("None", "'llama'"),
    "model_type": ("None", "'falcon'"), "n_heads": ("2", "1", "4"), "n_kv_heads": ("2", "1"),
    "names": ("None", "{{'*q_proj*': 'query'}}", "{{'*k_*': 'left'}}"),
    "state": ("{{f'0.{{name}}_proj.weight': made({s}, 2 * {d}, {n}) for name in 'qkv'}}", "{{'0.qkv.weight': made({s}, 6 * {d}, 1)}}"),
    "scale_bias": FLAG, "slopes": ("[0.5, 0.25]", "pe_book.alibi_slopes({d})", "[0.0]"), "r1": ("[1.5, 0.5]",), "r2": ("[0.3, 2.0]",),
    "rule": ("'exact'", "'float32'"), "sinks": ("0", "2"), "bias_max": ("8.0", "4", "0.5"),
    "truncate": FLAG, "window": ("4", "2.5"), "attention_factor": POSITIVE, "in_place": FLAG,
    "vectors": VECTORS, "key_vectors": VECTORS, "value_vectors": ("None", *VECTORS), "clip": ("2", "0", "7"),
    "weights": ("made({s}, {n}, {n})",), "position_keys": TABLE, "position_queries": ("None", *TABLE), "span": ("3", "1"),
    "max_position": ("None", "7", "64"), "convention": ("'paper'", "'library'"),
    "query_minus_key": ("range(-{n}, {n})", "3"),
    "trained_len": ("8192", "8", "100.5"), "strength": POSITIVE,
    "heads_first": ("None", *FLAG), "layer": ("0",), "valid_len": ("None", "4", "10**6"),
}  # fmt: skip

CONFIG = ("checking.check_config", "reading.rotary_from_config", "reading.read_config")
OPTIONS = (
    "original_len", "length", "factors", "beta_fast", "beta_slow", "ramp", "truncate", "mscale", "mscale_all_dim",
    "low_freq_factor", "high_freq_factor",
)  # fmt: skip

# Where a name means something else in one function.
PARTICULAR: dict[tuple[str, str], tuple[str, ...]] = {
    **{(f"why.order_blindness.{name}", "k"): ROWS for name in ("attention", "attention_weights")},
    **{(f"family.relative.{name}", "k"): ROWS
       for name in ("shaw_attention", "deberta.deberta_bias", "deberta.deberta_scores")},
    **{(f"{name}.deberta_offsets", "span"): ("4", "6") for name in ("family.relative.deberta", "nn")},
    **{(f"{name}.deberta_log_bucket", "max_position"): ("64", "128")
       for name in ("family.relative.log_buckets", "nn")},
    ("nn.DisentangledBias", "d_model"): ("4", "8"),
    ("nn.DisentangledBias.forward", "q"): ("torch.tensor(made({s}, 2, {n}, 2)).float()",),
    ("nn.DisentangledBias.forward", "k"): ("torch.tensor(made({s}, 2, {n}, 2)).float()",),
    ("nn.DisentangledBias.forward", "table"): ("torch.tensor(made({s}, 4, 4)).float()",),
    ("nn.RelativeVectors", "values"): FLAG,
    ("nn.RelativeVectors.forward", "k"): ("torch.tensor(made({s}, 4, {n}, {d})).float()",),
    ("family.context_extension.lengths.length_factor", "positions"): ("range({n})", "[0, 8191]", "3"),
    ("family.context_extension.lengths.length_factor", "rule"): ("'steps'", "'beyond'", "'power'"),
    **{(f"family.learned.{name}", "positions"): ("range({n})", "3", "[[0, 1]]") for name in ("lookup",)},
    **{(f"sinusoidal.shift.fitting.{name}", "source"): ROWS for name in ("fit_shift", "gradient_descent", "relative_residual")},
    **{(f"sinusoidal.computing.{name}", "dtype"): DTYPE for name in ("table", "rows")},
    **{("family.context_extension.scale_frequencies", key): ("None", *KINDS[key]) for key in OPTIONS},
    **{(f"config.{name}", "length"): ("None", "100", "8192") for name in CONFIG},
    **{(f"family.{name}", "frequencies"): ("None", "np.linspace(1, 0.1, {d} // 2)")
       for name in ("rotary.rotate", "rotary.rotate_back", "rotary.latent.decoupled_scores")},
    **{(f"nn.{name}", "frequencies"): ("None", "np.linspace(1, 0.1, {d} // 2)") for name in ("rotate", "RotaryEncoding")},
    ("nn.RotaryEncoding.from_config", "config"): ("{{'model_type': 'llama', 'head_dim': {d}, 'rope_theta': 1e6}}",),
    ("nn.RotaryEncoding.from_config", "length"): ("None", "100"),
    ("family.rotary.proportional_frequencies", "rotary_dim"): ("2", "{d}"),
    ("family.rotary.axes.rotate_axes", "places"): ("made({s}, {n}, 2)", "[3, 0]"),
    ("family.rotary.axes.rotate_axes", "frequencies"): ("made({s}, 2, {d} // 2)",),
    ("family.context_extension.remapped.scores_at", "k"): ROWS,
    ("family.context_extension.remapped.scores_at", "distance"): ("made({s}, {n}, {n}) * 10",),
    ("family.context_extension.remapped.scores_at", "frequencies"): ("np.linspace(1, 0.1, {d} // 2)",),
    ("family.context_extension.remapped.dual_chunk_distance", "original_len"): ("8", "5"),
    ("checkpoint.heads.relayout_heads", "weight"): ("made({s}, 4 * {d}, {n})", "range(4 * {d})", "made({s}, 2, 2)"),
    ("checkpoint.heads.relayout_heads", "head_dim"): ("None", "2 * {d}"),
    **{("checkpoint.agreement.check_port", name): ("[made({s} + i, 2 * {d}, {n}) for i in range(3)]",)
       for name in ("old", "new")},
    **{("checkpoint.agreement.check_port", name): ("pe_book.rotate", "lambda rows, positions: rows")
       for name in ("old_turn", "new_turn")},
    ("checkpoint.programs.relayout_arguments", "config"): (
        "{{'model_type': 'llama', 'head_dim': {d}, 'num_attention_heads': 2}}",
        "{{'model_type': 'gptj', 'n_embd': 4 * {d}, 'n_head': 4, 'rotary_dim': 2}}",
    ),
    ("checkpoint.agreement.check_port", "tokens"): ("8", "2"),
    ("checkpoint.agreement.check_port", "rtol"): ("1e-4", "0.5"),
    **{(f"why.order_blindness.{name}", "scale"): ("None", "1", "0.125") for name in ("attention", "attention_weights")},
    ("family.score_bias.t5.t5_bias", "weight"): ("made({s}, 32, 2)", "made({s}, 8, 1)"),
    ("family.score_bias.windows.window_mask", "window"): ("4", "1"),
    ("nn.window_mask", "window"): ("4", "1"),
    ("nn.t5_bias", "weight"): ("torch.tensor(made({s}, 32, 2)).float()", "torch.tensor(made({s}, 8, 1)).bfloat16()"),
    ("nn.alibi_bias", "slopes"): ("torch.tensor([0.5, 0.25])", "[0.5]", "nn.alibi_slopes({d})"),
    ("nn.alibi_key_bias", "slopes"): ("torch.tensor([0.5, 0.25]).bfloat16()", "[0.5]", "nn.alibi_slopes({d})"),
    **{(f"nn.{name}", "k"): OFFSET for name in ("shift", "shift_matrix")},
    ("family.doors.attend", "slope"): (*POSITIVE, "0", "-1"),
    ("why.descent.descend", "step"): POSITIVE,
    ("sinusoidal.adding.reading.recovered_place", "word_std"): (*POSITIVE, "0"),
    **{(name, "seq_len"): MAYBE_NONE for name in ("sinusoidal.computing.table", "nn.table")},
    **{(f"nn.{name}.rows", "seq_len"): MAYBE_NONE for name in ("LearnedEncoding", "SinusoidalEncoding")},
    **{(f"sinusoidal.distance.blending.{name}", "fraction"): (*SHARE, "0") for name in ("blend", "blend_pairs")},
    **{(f"nn.{name}", "std"): (*POSITIVE, "0") for name in ("LearnedEncoding", "RelativeVectors", "T5Bias")},
    ("why.descent.descend", "n_steps"): MAYBE_NONE,
    ("family.members.members", "length"): ("512", "100"),
    ("family.doors.attend", "positions"): ("None", "range({n})"),
    ("family.doors.turn", "x"): ("made({s}, {n}, 2)",),
    ("numerics.cache.keep_at_most", "n_bytes"): ("2**26", "0"),
    ("sinusoidal.adding.subspaces.separate_projections", "words"): ("made({s}, 1, {d})",),
    ("sinusoidal.adding.subspaces.separate_projections", "places"): ("made({s} + 9, 1, {d})",),
    ("family.learned.initialisation.narrowed_std", "cut"): POSITIVE,
    ("numerics.exact.exact", "positions"): ("[0, 1]", "[2.5]", "[2**53]"),
    ("sinusoidal.computing.write", "out"): ("np.empty(({n}, {d}), 'float32')", "np.empty(({n}, {d}), 'float16')"),
    ("sinusoidal.precision.error", "dtype"): ("None", "'float32'"),
    ("sinusoidal.shift.fitting.gradient_descent", "start"): ("None", "made({s}, {d}, {d})"),
    ("sinusoidal.shift.fitting.relative_residual", "matrix"): SQUARE,
    ("sinusoidal.shift.planes.rotation_planes", "matrix"): ("made(0, 4, 4) - made(0, 4, 4).T", "[[0, 1], [-1, 0]]"),
    ("sinusoidal.shift.shift", "x"): ("made({s}, {n}, {d})", "encode(range({n}), {d})"),
    ("sinusoidal.shift.fitting.shift_residual", "k"): ("0", "1 if {n} > 1 else 0"),
    ("sinusoidal.shift.fitting.shift_residual", "table"): ROWS,
    ("sinusoidal.waves.digits.digits", "places"): ("None", "9"),
    ("why.norms.share_of_squares", "number"): (*POSITIVE, "-1"),
    ("why.first_attempts.over_last", "seq_len"): ("{n} + 1",),
    ("why.layers.stacked_attention", "layers"): ("random_layers(2, {d}, seed={s})", "[]"),
    ("why.requirements.measure", "code"): ("count", "lambda n: encode(range(n), 8)", "lambda n: np.sqrt(np.arange(n))"),
    ("why.requirements.measure", "seq_len"): ("16", "64"),
    ("why.requirements.measure_all", "seq_len"): ("128",),
}  # fmt: skip

# What has to be given although there is a default: one of several, or a choice that nobody may make for others.
NEEDED = {
    "nn.LearnedEncoding.rows": "seq_len",
    "nn.SinusoidalEncoding.rows": "seq_len",
    "nn.RotaryEncoding": "layout",
    "nn.ALiBiBias.by_keys": "n_k",
}

TORCH: dict[str, tuple[str, ...]] = {
    "dtype": TORCH_DTYPE, "x": TENSOR_ROWS, "out": ("None", "torch.empty({n}, {d})"), "positions": POSITIONS,
    "SinusoidalEncoding": ("nn.SinusoidalEncoding({d}, max_len=16).eval()",),
    "LearnedEncoding": ("nn.LearnedEncoding(max_len=16, d_model={d}).eval()",),
    **{name: (f"torch.tensor({KINDS[name][0]})",) for name in ("q", "v", "vectors", "key_vectors", "weights", "position_keys")},
    **{name: ("None", f"torch.tensor({KINDS[name][1]})") for name in ("value_vectors", "position_queries")},
    "k": ("torch.tensor(made({s}, {n}, {d}))",), "bias": ("None", "torch.zeros({n}, {n})"),
    "RelativeVectors": ("nn.RelativeVectors({d}, clip=2)",), "DisentangledBias": ("nn.DisentangledBias(4, 2, convention='paper')",),
    "ALiBiBias": ("nn.ALiBiBias(2)",), "T5Bias": ("nn.T5Bias(2, bidirectional=True)",), "KERPLEBias": ("nn.KERPLEBias(2)",),
    "RotaryEncoding": ("nn.RotaryEncoding({d}, layout='halves', heads_first=True, max_len=16)",),
}  # fmt: skip
TORCH_MODULES: dict[str, tuple[str, ...]] = {
    "positions": ("None", "torch.arange({n})", "torch.arange({n})[None]"), "start": ("0", "3"),
    "x": ("torch.tensor(made({s}, {n}, {d})).float()", "torch.tensor(made({s}, 2, {n}, {d})).float()"),
    "dtype": ("None", "torch.float32", "torch.bfloat16"),
    "v": ("torch.tensor(made({s}, 4, {n}, {d})).float()",), "weights": ("torch.tensor(made({s}, 4, {n}, {n})).float()",),
    "n_q": ("{n}", "1"), "n_k": ("{n}", "None", "9"), "heads": ("None", "range(1)", "[1, 0]"),
    "q": ("torch.tensor(made({s}, 4, {n}, {d})).float()",), "k": ("torch.tensor(made({s}, 2, {n}, {d})).bfloat16()",),
}  # fmt: skip

# What everything is given. {v} stands for a valid text of the parameter.
HOSTILE = (
    "None", "True", "np.False_", "'six'", "''", "b'6'", "object()", "Unspeakable()", "...", "{{}}", "{{1, 2}}", "[]",
    "[[]]", "()", "[[1, 2], [3]]", "[None]", "['a', 1]", "[True, 2.0]", "circle()", "iter([1, 2])", "lambda n: n",
    "nan", "inf", "-inf", "[1.0, nan]", "[[0.0, inf]]", "1j", "np.array([1 + 2j])", "0", "-1", "1", "3", "7", "-4",
    "0.5", "4.0", "-0.0", "5e-324", "1e-310", "1e200", "-1e200", "1e308", "[1e200, 3.0]", "[[1e308, -1e308]]",
    "[[1e200, 0.0], [0.0, 1e200]]", "np.full((3, 4), 1e-310)", "2**31", "2**53 + 1", "2**63", "2**64", "-(2**63) - 1",
    "10**12", "10**18", "10**30", "10**400", "-(10**400)", "10**5000", "[10**400, 1]", "[2**53 + 1, 0.5]",
    "[10**5000, 0.5]", "np.float64(2.0**60)", "np.uint64(2**63)", "np.int8(-5)", "np.longdouble('1e400')",
    "np.array([np.longdouble(2)**60])", "np.array(3)", "np.array([4])", "np.array([])", "np.zeros((0, 4))",
    "np.zeros((3, 0))", "np.zeros((2, 3, 4))", "np.ones((3, 4))", "np.zeros(3)", "np.array([1, 2], dtype=object)",
    "np.array(['x', None], dtype=object)", "np.array([10**30, 1], dtype=object)", "np.array(['2020-01-01'], 'M8[D]')",
    "np.ma.array([1.0, 2.0, 3.0], mask=[0, 1, 0])", "np.ma.masked", "np.ones((3, 4), '>f4')", "np.zeros(2, 'f4,f4')",
    "np.ones((4, 3), order='F').T", "read_only(np.ones((5, 4), 'float32'))", "np.matrix([[1, 2], [3, 4]])",
    "np.broadcast_to(0.0, (10**12,))", "range(10**12)", "range(10**30)", "mpmath.mpf('0.5')", "memoryview(b'ab')",
    "torch.ones(3, 4)", "torch.ones(3, requires_grad=True)", "torch.ones(3, 4, dtype=torch.bfloat16)", "torch.tensor(3)",
    "torch.ones(3, dtype=torch.bool)", "torch.ones(3, 4).to(torch.float8_e4m3fn)", "torch.ones(3, 4, device='meta')",
    "torch.eye(3).to_sparse()", "torch.nested.nested_tensor([torch.ones(2), torch.ones(3)], layout=torch.jagged)",
    "torch.ones(2, dtype=torch.complex64)", "torch.tensor([nan, 1.0])", "torch.tensor([2**60])", "torch.ones(0, 4)",
    "torch.tensor([2.0**60])", "torch.arange(4, dtype=torch.uint16)", "np.float32", "float", "'f4'", "torch.float32",
)  # fmt: skip
WARPED = (
    "np.asarray({v}) * 1e200", "np.asarray({v}) * 1e307", "np.asarray({v}) * 1e-310", "np.asarray({v}) * 0",
    "np.asarray({v})[..., :-1]", "np.asarray({v})[None]", "np.asarray({v}).astype(object)", "np.asarray({v}).tolist()",
    "np.asarray({v}).astype('float32')", "np.asarray({v}).astype(np.longdouble)", "np.ma.masked_invalid({v})",
    "np.ma.masked_greater({v}, 0)", "torch.tensor(np.asarray({v}), requires_grad=True)", "torch.tensor(np.asarray({v}))",
    "torch.tensor(np.asarray({v})).bfloat16()", "torch.tensor(np.asarray({v})).to('meta')", "np.asarray({v}).T",
    "torch.tensor(np.asarray({v})).to_sparse()", "np.asfortranarray({v})", "np.asarray({v})[:0]", "np.asarray({v}).ravel()",
    "np.where(np.asarray({v}) > 0, nan, {v})",
)  # fmt: skip


# What a parameter of a kind must not take silently. {v} as above, any array or list.
NEVER = {
    "flag": ("'no'", "1", "np.ones(2)"),
    "whole": ("2.5", "'six'", "[1, 2]"),
    "number": ("nan", "'six'", "[1, 2]"),
    "size": ("-1",),
    "above": ("0",),
    "choice": ("'else'",),
    "positions": ("2.0**60", "[1, 2**53 + 2]", "np.array([2.0**60], np.longdouble)"),
    "array": ("np.ma.masked_array({v}, np.ones_like({v}, bool))", "torch.tensor(np.asarray({v}) * 1.0, requires_grad=True)",
              "np.asarray({v}) * nan"),
}  # fmt: skip
# Shapes of an array that fit to no other argument, or to all of them: answered, or refused by name.
MISFIT = ("({v})[:-1]", "({v})[..., :-1]", "({v})[None]", "3.0")
HUGE = "10**12"  # a size that must not be tried
MOVES_ANYTHING = ("inputs.pairs.relayout", "checkpoint.heads.relayout_heads")


@dataclass(frozen=True)
class Call:
    """One call as text."""

    name: str
    arguments: tuple[tuple[str, str], ...]

    def __str__(self) -> str:
        return f"{self.name}({', '.join(f'{key}={text}' for key, text in self.arguments)})"


def valid(name: str, parameter: str) -> tuple[str, ...]:
    """The valid texts of one parameter of one function; LookupError if nobody has said what it takes."""
    in_torch, is_method = name.startswith("nn."), name.count(".") == 2
    if parameter == "self":
        return TORCH[name.split(".")[1]]
    if (name, parameter) in PARTICULAR:
        return PARTICULAR[name, parameter]
    if in_torch and (is_method or name[3].isupper()) and parameter in TORCH_MODULES:
        return TORCH_MODULES[parameter]
    if in_torch and parameter in TORCH:
        return TORCH[parameter]
    if parameter not in KINDS:
        cure = f'add a line such as "{parameter}": POSITIVE, to KINDS in tests/fuzz/inputs.py'
        raise LookupError(f"nobody has said what {name} takes as {parameter}: {cure}")
    return KINDS[parameter]


def plain_call(name: str) -> Call:
    """The call in which nothing is unusual: what has to be given, in its plainest form."""
    wanted = parameters(surface()[name])
    return Call(
        name,
        tuple(
            (key, valid(name, key)[0].format(**PLAIN))
            for key, given in wanted.items()
            if given.default is Parameter.empty or NEEDED.get(name) == key
        ),
    )


def with_one_changed(name: str, parameter: str, text: str) -> Call:
    """The plain call but for one argument."""
    return Call(name, tuple((dict(plain_call(name).arguments) | {parameter: text}).items()))


def kinds(name: str, parameter: str) -> list[str]:
    """What a parameter takes, by its valid texts: the keys of NEVER."""
    texts = valid(name, parameter)
    values = [eval(text.format(**PLAIN), dict(NAMES)) for text in texts]
    if texts[-3:] == FLAG:
        return ["flag"]
    if isinstance(values[0], str):
        return ["choice"]
    said = [value for value in values if value is not None]
    if said and all(isinstance(value, int | float | np.number) and type(value) is not bool for value in said):
        whole = all(isinstance(value, int | np.integer) for value in said)
        return (
            ["whole" if whole else "number"]
            + ["size"] * bool(min(said) >= 0)
            + ["above"] * bool(min(said) > 0)
        )
    of_numpy = not name.startswith("nn.") and name not in MOVES_ANYTHING and parameter != "out"
    array = of_numpy and isinstance(values[0], np.ndarray | list | range)
    return ["positions"] * (texts is POSITIONS) + ["array"] * array


def never(name: str) -> list[Call]:
    """Calls that must be refused: plain but for one argument, which is no flag, no size or no array, say."""
    return [
        with_one_changed(name, key, text.replace("{v}", f"({valid(name, key)[0].format(**PLAIN)})"))
        for key in parameters(surface()[name])
        for kind in kinds(name, key)
        for text in NEVER[kind]
    ]


def misfit(name: str) -> list[Call]:
    """Calls in which one array has another shape than in the plain one."""
    found = []
    for key in parameters(surface()[name]):
        plain = valid(name, key)[0].format(**PLAIN)
        if isinstance(eval(plain, dict(NAMES)), np.ndarray | torch.Tensor):
            found += [with_one_changed(name, key, text.replace("{v}", plain)) for text in MISFIT]
    return found


def huge(name: str) -> list[Call]:
    """Calls with a size that no memory holds."""
    wanted = [
        key for key in parameters(surface()[name]) if valid(name, key) in (WIDTH, LENGTH, COUNT, MAYBE_NONE)
    ]
    return [with_one_changed(name, key, HUGE) for key in wanted]


@st.composite
def calls(draw: st.DrawFn, name: str) -> Call:
    """Calls with valid arguments but for none, one or two."""
    wanted = parameters(surface()[name])
    sizes = {size: draw(st.sampled_from(values)) for size, values in SIZES.items()}
    how_many = draw(st.sampled_from([0, 0, 1, 1, 1, 2]))
    odd = draw(st.permutations(list(wanted)))[:how_many] if wanted else []
    arguments = []
    for key, given in wanted.items():
        texts = valid(name, key)
        if key in odd and key != "self":
            text = draw(st.sampled_from(HOSTILE + WARPED))
            fitting = draw(st.sampled_from(texts)) if "{v}" in text else ""
            text = text.replace("{v}", f"({fitting})")
        elif given.default is not Parameter.empty and draw(st.booleans()):
            continue
        else:
            text = draw(st.sampled_from(texts))
        arguments.append((key, text.format(**sizes)))
    return Call(name, tuple(arguments))
