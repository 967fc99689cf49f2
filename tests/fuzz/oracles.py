"""What a result has to be, computed another way: in multiple precision, by numpy, by the definition."""

from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import torch

_precise = mpmath.mp.clone()
_precise.dps = 60
_ENTRIES = 6  # that are compared of each result

U = 2.0**-53


def _as_array(result: Any) -> np.ndarray:
    return (
        result.detach().to(torch.float64).numpy() if isinstance(result, torch.Tensor) else np.asarray(result)
    )


def _some(shape: tuple[int, ...]) -> list[tuple[int, ...]]:
    """A few indices, first and last among them."""
    size = int(np.prod(shape))
    if size == 0:
        return []
    flat = sorted({0, size - 1, *np.random.default_rng(size).integers(0, size, _ENTRIES - 2).tolist()})
    return [tuple(int(i) for i in np.unravel_index(at, shape)) for at in flat]


def _omega(pair: int, d_model: int, base: float, ladder: str) -> Any:
    pairs = int(d_model) // 2
    rungs = pairs if ladder == "paper" else max(pairs - 1, 1)
    return _precise.power(_precise.mpf(float(base)), -_precise.mpf(pair) / rungs)


def _pair_of(column: int, d_model: int, layout: str) -> tuple[int, bool]:
    """Which pair a column belongs to, and whether it is the cosine."""
    if layout == "interleaved":
        return column // 2, bool(column % 2)
    return column % (int(d_model) // 2), column >= int(d_model) // 2


def _entry(position: Any, column: int, d_model: int, base: float, layout: str, ladder: str) -> Any:
    pair, cosine = _pair_of(column, d_model, layout)
    angle = _precise.mpf(position) * _omega(pair, d_model, base, ladder)
    return _precise.cos(angle) if cosine else _precise.sin(angle)


def _positions(values: Any) -> np.ndarray:
    return _as_array(values).astype(np.float64)


def encoded(
    result: Any, *, positions: Any, d_model: int, base: Any, layout: str, ladder: str, **_: Any
) -> str:
    places, rows = _positions(positions), _as_array(result)
    if rows.shape != (*places.shape, d_model):
        return f"shape {rows.shape}"
    half = isinstance(result, torch.Tensor) and result.dtype != torch.float64
    for index in _some(rows.shape):
        position = float(places[index[:-1]])
        true = _entry(position, index[-1], d_model, base, layout, ladder)
        # a whole position is right to 1e-15; a fraction as far as float64 knows its angle
        bound = 1e-15 if position.is_integer() else 1e-15 + 4 * U * abs(position)
        off = float(abs(true - float(rows[index])))
        if off > (bound + 2.0**-8 if half else bound):
            return f"entry {index} of position {position!r} is off by {off:.1e}"
    return ""


def _rounded_once(true: Any, dtype: str) -> float:
    """The nearest number of a format, by its number of bits."""
    bits, least = {"float32": (24, -126), "float16": (11, -14), "bfloat16": (8, -126)}[dtype]
    if true == 0:
        return 0.0
    exponent = max(int(_precise.floor(_precise.log(abs(true), 2))), least)
    unit = _precise.ldexp(1, exponent - bits + 1)
    return float(_precise.nint(true / unit) * unit)


def _table(
    rows: np.ndarray, positions: np.ndarray, dtype: str, d_model: int, base: Any, layout: str, ladder: str
) -> str:
    if rows.shape != (*positions.shape, d_model):
        return f"shape {rows.shape}"
    for index in _some(rows.shape):
        position = int(positions[index[:-1]])
        true = _entry(position, index[-1], d_model, base, layout, ladder)
        found = float(rows[index])
        right = abs(true - found) <= 6 * U if dtype == "float64" else found == _rounded_once(true, dtype)
        if not right:
            return f"entry {index} of position {position} is {found!r}, not {float(true)!r} in {dtype}"
    return ""


def _name(dtype: Any) -> str:
    return str(dtype).removeprefix("torch.")


def table(
    result: Any, *, seq_len: int, d_model: int, base: Any, layout: str, ladder: str, start: int, **_: Any
) -> str:
    positions = int(start) + np.arange(int(seq_len))
    return _table(_as_array(result), positions, _name(result.dtype), d_model, base, layout, ladder)


def written(
    result: Any, *, out: Any, base: Any, layout: str, ladder: str, start: int, rounding: Any, **_: Any
) -> str:
    if result is not out:
        return "another array than out"
    positions = int(start) + np.arange(len(out))
    return _table(np.asarray(out), positions, rounding or out.dtype.name, out.shape[1], base, layout, ladder)


def rows(
    result: Any, *, positions: Any, d_model: int, base: Any, layout: str, ladder: str, **more: Any
) -> str:
    dtype = more.get("rounding") or _name(result.dtype)
    places = np.asarray(_as_array(positions), dtype=np.float64).astype(np.int64)
    return _table(_as_array(result), places, dtype, d_model, base, layout, ladder)


def shifted(result: Any, *, x: Any, k: Any, base: Any, layout: str, ladder: str, **_: Any) -> str:
    given, found = _as_array(x).astype(np.float64), _as_array(result)
    offsets = _positions(k)
    d = given.shape[-1]
    if found.shape != (*np.broadcast_shapes(given.shape[:-1], offsets.shape), d):
        return f"shape {found.shape}"
    given, offsets = np.broadcast_to(given, found.shape), np.broadcast_to(offsets, found.shape[:-1])
    rough = isinstance(result, torch.Tensor) and result.dtype != torch.float64
    for index in _some(found.shape):
        pair, cosine = _pair_of(index[-1], d, layout)
        columns = [c for c in range(d) if _pair_of(c, d, layout)[0] == pair]
        s, c = (float(given[(*index[:-1], column)]) for column in columns)
        k_here = float(offsets[index[:-1]])
        angle = _precise.mpf(k_here) * _omega(pair, d, base, ladder)
        true = _precise.cos(angle) * (c if cosine else s) + _precise.sin(angle) * (-s if cosine else c)
        size = abs(s) + abs(c)
        exact = k_here.is_integer()
        bound = (
            size * (8 * U + (0 if exact else 4 * U * abs(k_here)) + (2.0**-7 if rough else 0)) + 2.0**-1070
        )
        off = abs(true - float(found[index]))
        if off > bound:
            return f"entry {index}, k={k_here!r}, is off by {float(off / (size or 1)):.1e}"
    return ""


def similar(result: Any, *, offsets: Any, d_model: int, base: Any, **more: Any) -> str:
    places = _positions(offsets)
    if result.shape != places.shape:
        return f"shape {result.shape}"
    for index in _some(places.shape):
        k = float(places[index])
        angles = [
            _precise.mpf(k) * _omega(i, d_model, base, more.get("ladder", "paper"))
            for i in range(d_model // 2)
        ]
        true = _precise.fsum(_precise.cos(angle) for angle in angles)
        bound = d_model * (1e-15 if k.is_integer() else 1e-15 + 4 * U * abs(k))
        if abs(true - float(result[index])) > bound:
            return f"offset {k!r} is off by {float(abs(true - float(result[index]))):.1e}"
    return ""


def apart(result: Any, *, offsets: Any, d_model: int, base: Any, ladder: str, **_: Any) -> str:
    places = _positions(offsets)
    if result.shape != places.shape:
        return f"shape {result.shape}"
    for index in _some(places.shape):
        k = float(places[index])
        halves = [_precise.mpf(k) * _omega(i, d_model, base, ladder) / 2 for i in range(d_model // 2)]
        true = 2 * _precise.sqrt(_precise.fsum(_precise.sin(angle) ** 2 for angle in halves))
        bound = 1e-15 * d_model if k.is_integer() else d_model * (1e-15 + 4 * U * abs(k))
        if abs(true - float(result[index])) > bound:
            return f"offset {k!r} is off by {float(abs(true - float(result[index]))):.1e}"
    return ""


def _reordered(column: int, d: int, source: str, to: str) -> int:
    pair, cosine = _pair_of(column, d, to)
    return 2 * pair + cosine if source == "interleaved" else pair + cosine * (d // 2)


def relaid(result: Any, *, x: Any, source: str, to: str, axis: int) -> str:
    given = x.detach() if isinstance(result, torch.Tensor) else np.asarray(x)
    if result.shape != given.shape or result.dtype != given.dtype:
        return f"shape {result.shape}, {result.dtype}"
    d = given.shape[axis]
    order = [_reordered(column, d, source, to) for column in range(d)]
    if isinstance(result, torch.Tensor):
        wanted = torch.nan_to_num(given.index_select(axis, torch.tensor(order)))
        return (
            ""
            if result.is_meta or torch.equal(torch.nan_to_num(result.detach()), wanted)
            else "moved wrongly"
        )
    if not np.array_equal(
        np.ma.getmaskarray(result),
        np.ma.getmaskarray(x if isinstance(x, np.ma.MaskedArray) else given).take(order, axis),
    ):
        return "lost its mask"
    pairs = zip(np.ma.getdata(result).flat, given.take(order, axis).flat, strict=True)
    return "" if all(a is b or a == b or a != a for a, b in pairs) else "moved wrongly"


def permuted(result: Any, *, d: int, source: str, to: str) -> str:
    wanted = [_reordered(column, int(d), source, to) for column in range(int(d))]
    return "" if _as_array(result).tolist() == wanted else "another order"


def heads_listed(
    result: Any, *, head_dim: int, source: str, to: str, rotary_dim: int | None, side: str
) -> str:
    head = int(head_dim)
    width = head if rotary_dim is None else int(rotary_dim)
    start = 0 if side == "first" else head - width
    wanted = list(range(head))
    wanted[start : start + width] = [start + _reordered(c, width, source, to) for c in range(width)]
    return "" if _as_array(result).tolist() == wanted else "another order"


def heads_relaid(
    result: Any,
    *,
    weight: Any,
    n_heads: int,
    source: str,
    to: str,
    rotary_dim: int | None,
    side: str,
    **_: Any,
) -> str:
    given = weight if isinstance(weight, torch.Tensor | np.ndarray) else np.asarray(weight)
    head = len(given) // int(n_heads)
    width = head if rotary_dim is None else int(rotary_dim)
    start = 0 if side == "first" else head - width
    for first in range(0, len(given), head):
        turned = slice(first + start, first + start + width)
        for rows, there in (
            (turned, to),
            (slice(first, turned.start), source),
            (slice(turned.stop, first + head), source),
        ):
            if wrong := relaid(result[rows], x=given[rows], source=source, to=there, axis=0):
                return f"head {first // head} {wrong}"
    return ""


def falling(result: Any, *, d_model: int, base: Any, ladder: str, **_: Any) -> str:
    found = _as_array(result)
    if found.shape != (d_model // 2,):
        return f"shape {found.shape}"
    wrong = [
        i
        for (i,) in _some(found.shape)
        if abs(found[i] / float(_omega(i, d_model, base, ladder)) - 1) > 1e-13
    ]
    return f"pair {wrong[0]}" if wrong else ""


def waves(result: Any, **conventions: Any) -> str:
    return falling(2 * np.pi / _as_array(result), **conventions)


def weighed(result: Any, **_: Any) -> str:
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
    values = np.asarray(_as_array(x), dtype=np.float64)
    if result.shape != values.shape:
        return f"shape {result.shape}"
    for index in _some(values.shape):
        largest = {"float32": 3.4028235677973366e38, "float16": 65520.0, "bfloat16": 3.3961775292304957e38}[
            dtype
        ]
        true = float(values[index])
        wanted = (
            np.copysign(np.inf, true) if abs(true) >= largest else _rounded_once(_precise.mpf(true), dtype)
        )
        if float(result[index]) != wanted:
            return f"{true!r} became {float(result[index])!r}, not {wanted!r}"
    return ""


def looked_up(result: Any, *, weight: Any, positions: Any, beyond: str) -> str:
    table, places = np.asarray(_as_array(weight), dtype=np.float64), _positions(positions).astype(np.int64)
    if result.shape != (*places.shape, table.shape[1]):
        return f"shape {result.shape}"
    inside = places < len(table)
    if not inside.all() and beyond == "interpolate":
        return ""
    place = places % len(table) if beyond == "wrap" else np.minimum(places, len(table) - 1)
    return "" if np.array_equal(result, table[place]) else "other rows"


def closest(result: Any, *, x: Any) -> str:
    rows = np.asarray(_as_array(x), dtype=np.longdouble)
    rows = rows.reshape(len(rows), -1)
    gap = np.sqrt(np.square(rows[result.second] - rows[result.first]).sum())
    if not np.isclose(float(gap), result.gap, rtol=1e-12):
        return f"gap {result.gap!r}, not {float(gap)!r}"
    all_gaps = [np.sqrt(np.square(rows[j] - rows[i]).sum()) for j in range(len(rows)) for i in range(j)]
    return "" if result.gap <= float(min(all_gaps)) * (1 + 1e-12) else "not the closest"


def turned(result: Any, *, x: Any, angles: Any) -> str:
    rows = np.asarray(_as_array(x), dtype=np.longdouble)
    lengths = np.hypot(rows[:, 0], rows[:, 1])
    found = np.hypot(*np.asarray(result, dtype=np.longdouble).T)
    return "" if np.allclose(found, lengths, rtol=1e-12, atol=1e-320) else "changed lengths"


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
    "sinusoidal.offsets.offset_distance": apart,
    "sinusoidal.formula.relayout": relaid,
    "nn.relayout": relaid,
    "sinusoidal.formula.permutation": permuted,
    "nn.permutation": permuted,
    "sinusoidal.formula.frequencies": falling,
    "nn.frequencies": falling,
    "sinusoidal.formula.wavelengths": waves,
    "nn.wavelengths": waves,
    "why.order_blindness.attention_weights": weighed,
    "why.norms.layer_norm": normed,
    "why.norms.rms_norm": rms_normed,
    "family.learned_measures.cosines": angles,
    "why.first_attempts.count": counted,
    "sinusoidal.digits.digits": written_digits,
    "sinusoidal.production.packed_positions": packed,
    "why.rounding.round_to": in_format,
    "family.learned.lookup": looked_up,
    "why.rounding.closest_pair": closest,
    "family.doors.turn": turned,
    "family.porting.head_order": heads_listed,
    "family.porting.relayout_heads": heads_relaid,
}
