"""What a result has to be, computed another way: in multiple precision, by numpy, by the definition."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from tests.fuzz.oracles_biases import alibi, alibi_by_keys, falls, slopes
from tests.fuzz.oracles_layouts import heads_listed, heads_relaid, permuted, relaid
from tests.fuzz.oracles_tables import apart, encoded, falling, rows, shifted, similar, table, waves, written
from tests.fuzz.precise import (
    PRECISE,
    as_array,
    as_numbers,
    rounded_once,
    some,
)
from tests.fuzz.surface import surface

LARGEST = np.finfo(float).max


def scaleless(name: str, parameter: str) -> Callable[..., str]:
    """What has no scale is the same of numbers that are a power of two larger."""

    def same(result: Any, **given: Any) -> str:
        rows = np.asarray(as_array(given[parameter]), dtype=np.float64)
        shift = 300 - int(np.frexp(np.abs(rows).max())[1])
        other = np.ldexp(rows, shift)
        if not np.array_equal(np.ldexp(other, -shift), rows):
            return ""  # the smallest numbers did not come along
        again = surface()[name](**{**given, parameter: other})
        return "" if np.allclose(again, result, rtol=1e-9, atol=1e-14) else f"{again} at another scale"

    return same


def weighed(result: Any, *, q: Any, k: Any, bias: Any = None, scale: Any = None, **_: Any) -> str:
    query, key = (np.asarray(as_array(rows), dtype=np.longdouble) for rows in (q, k))
    scores = query @ np.swapaxes(key, -1, -2) * (query.shape[-1] ** -0.5 if scale is None else scale)
    added = scores + np.asarray(as_array(0.0 if bias is None else bias), dtype=np.longdouble)
    if max(np.abs(scores).max(initial=0), np.abs(added[np.isfinite(added)]).max(initial=0)) > LARGEST:
        return "took a score beyond float64"
    right = (result >= 0).all() and np.allclose(result.sum(axis=-1), 1, rtol=0, atol=1e-12)
    return "" if right else "rows do not sum to 1"


def normed(result: Any, *, x: Any) -> str:
    spread = np.allclose(np.square(result).mean(axis=-1), 1, rtol=1e-9) and np.allclose(
        result.mean(axis=-1), 0, atol=1e-9
    )
    return "" if result.shape == np.shape(x) and spread else "not mean 0 and variance 1"


def rms_normed(result: Any, *, x: Any) -> str:
    return (
        ""
        if result.shape == np.shape(x) and np.allclose(np.square(result).mean(axis=-1), 1, rtol=1e-9)
        else "not 1"
    )


def angles(result: Any, *, weight: Any) -> str:
    right = np.allclose(np.diag(result), 1, rtol=0, atol=1e-12) and np.allclose(
        result, result.T, rtol=0, atol=1e-12
    )
    return "" if right and np.abs(result).max() <= 1 else "no cosines"


def counted(result: Any, *, seq_len: int) -> str:
    return "" if result.tolist() == list(range(1, int(seq_len) + 1)) else "not 1, 2, 3"


def written_digits(result: Any, *, number: int, radix: int, places: Any) -> str:
    total = 0
    for digit in result.tolist():
        total = total * int(radix) + digit
    return "" if total == number and (places is None or len(result) == places) else f"{total} for {number}"


def packed(result: Any, *, lengths: Any) -> str:
    wanted = [place for length in lengths for place in range(int(length))]
    return "" if result.tolist() == wanted else "other positions"


def in_format(result: Any, *, x: Any, dtype: str) -> str:
    values = np.asarray(as_array(x), dtype=np.float64)
    if result.shape != values.shape:
        return f"shape {result.shape}"
    for index in some(values.shape):
        largest = {"float32": 3.4028235677973366e38, "float16": 65520.0, "bfloat16": 3.3961775292304957e38}[
            dtype
        ]
        true = float(values[index])
        wanted = np.copysign(np.inf, true) if abs(true) >= largest else rounded_once(PRECISE.mpf(true), dtype)
        if float(result[index]) != wanted:
            return f"{true!r} became {float(result[index])!r}, not {wanted!r}"
    return ""


def looked_up(result: Any, *, weight: Any, positions: Any, beyond: str) -> str:
    table, places = np.asarray(as_array(weight), dtype=np.float64), as_numbers(positions).astype(np.int64)
    if result.shape != (*places.shape, table.shape[1]):
        return f"shape {result.shape}"
    inside = places < len(table)
    if not inside.all() and beyond == "interpolate":  # position p of n lies at p (len - 1) / (n - 1)
        at = places.astype(np.longdouble) * (len(table) - 1) / places.max()
        low = np.minimum(at.astype(np.int64), max(len(table) - 2, 0))
        share = (at - low)[..., None]
        mixed = (1 - share) * table[low] + share * table[np.minimum(low + 1, len(table) - 1)]
        return "" if np.allclose(result, mixed.astype(float), rtol=1e-12, atol=1e-300) else "other rows"
    place = places % len(table) if beyond == "wrap" else np.minimum(places, len(table) - 1)
    return "" if np.array_equal(result, table[place]) else "other rows"


def closest(result: Any, *, x: Any) -> str:
    rows = np.asarray(as_array(x), dtype=np.longdouble)
    rows = rows.reshape(len(rows), -1)
    gap = np.sqrt(np.square(rows[result.second] - rows[result.first]).sum())
    if not np.isclose(float(gap), result.gap, rtol=1e-12):
        return f"gap {result.gap!r}, not {float(gap)!r}"
    all_gaps = [np.sqrt(np.square(rows[j] - rows[i]).sum()) for j in range(len(rows)) for i in range(j)]
    return "" if result.gap <= float(min(all_gaps)) * (1 + 1e-12) else "not the closest"


def turned(result: Any, *, x: Any, angles: Any) -> str:
    rows = np.asarray(as_array(x), dtype=np.longdouble)
    lengths = np.hypot(rows[:, 0], rows[:, 1])
    found = np.hypot(*np.asarray(result, dtype=np.longdouble).T)
    return "" if np.allclose(found, lengths, rtol=1e-12, atol=1e-320) else "changed lengths"


def narrowed(result: Any, *, std: Any, cut: Any) -> str:
    with PRECISE.workdps(700):  # of the difference from 1 a narrow cut leaves the last digits
        c = PRECISE.mpf(float(cut))
        left = 1 - 2 * c * PRECISE.npdf(c) / (2 * PRECISE.ncdf(c) - 1) if c < 100 else PRECISE.mpf(1)
        true = float(std) * (c / PRECISE.sqrt(3) if c < 1e-100 else PRECISE.sqrt(left))
        return (
            "" if abs(result - true) <= 1e-13 * true + 2.0**-1070 else f"is {result!r}, not {float(true)!r}"
        )


def shared(result: Any, *, number: Any, d_model: int) -> str:
    square = Fraction(float(number)) ** 2
    true = float(square / (square + int(d_model)))
    return "" if np.isclose(result, true, rtol=1e-12, atol=1e-300) else f"not {true!r}"


ORACLES: dict[str, Callable[..., str]] = {
    "sinusoidal.formula.encode": encoded,
    "nn.encode": encoded,
    "sinusoidal.computing.table": table,
    "sinusoidal.computing.write": written,
    "sinusoidal.computing.rows": rows,
    "nn.table": table,
    "sinusoidal.shift.shift": shifted,
    "nn.shift": shifted,
    "sinusoidal.distance.similarity": similar,
    "sinusoidal.distance.offsets.offset_distance": apart,
    "inputs.pairs.relayout": relaid,
    "nn.relayout": relaid,
    "inputs.pairs.permutation": permuted,
    "nn.permutation": permuted,
    "sinusoidal.formula.frequencies": falling,
    "nn.frequencies": falling,
    "sinusoidal.formula.wavelengths": waves,
    "nn.wavelengths": waves,
    "why.order_blindness.attention_weights": weighed,
    "why.norms.layer_norm": normed,
    "why.norms.rms_norm": rms_normed,
    "why.norms.share_of_squares": shared,
    "why.descent.condition_number": scaleless("why.descent.condition_number", "features"),
    **{
        f"family.learned.measures.{name}": scaleless(f"family.learned.measures.{name}", parameter)
        for name, parameter in (
            ("mean_cosine", "weight"),
            ("neighbour_distance", "weight"),
            ("share_by_offset", "scores"),
        )
    },
    "family.learned.initialisation.narrowed_std": narrowed,
    "family.score_bias.alibi_slopes": slopes,
    "nn.alibi_slopes": slopes,
    "family.score_bias.alibi_bias": alibi,
    "nn.alibi_bias": alibi,
    "family.score_bias.alibi_key_bias": alibi_by_keys,
    "nn.alibi_key_bias": alibi_by_keys,
    "family.score_bias.kerple.kerple_bias": falls,
    "nn.kerple_bias": falls,
    "family.learned.measures.cosines": angles,
    "why.first_attempts.count": counted,
    "sinusoidal.waves.digits.digits": written_digits,
    "sinusoidal.production.packed_positions": packed,
    "numerics.rounding.round_to": in_format,
    "family.learned.lookup": looked_up,
    "numerics.rounding.closest_pair": closest,
    "family.doors.turn": turned,
    "checkpoint.heads.head_order": heads_listed,
    "checkpoint.heads.relayout_heads": heads_relaid,
}
