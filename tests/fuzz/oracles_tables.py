"""What tables, shifted rows and distances have to be, computed in multiple precision."""

from typing import Any

import numpy as np
import torch

from tests.fuzz.precise import (
    PRECISE,
    U,
    as_array,
    as_numbers,
    entry,
    name_of,
    omega,
    pair_of,
    rounded_once,
    some,
)


def encoded(
    result: Any, *, positions: Any, d_model: int, base: Any, layout: str, ladder: str, **_: Any
) -> str:
    places, rows = as_numbers(positions), as_array(result)
    if rows.shape != (*places.shape, d_model):
        return f"shape {rows.shape}"
    half = isinstance(result, torch.Tensor) and result.dtype != torch.float64
    for index in some(rows.shape):
        position = float(places[index[:-1]])
        true = entry(position, index[-1], d_model, base, layout, ladder)
        # a whole position is right to 1e-15; a fraction as far as float64 knows its angle
        bound = 1e-15 if position.is_integer() else 1e-15 + 4 * U * abs(position)
        off = float(abs(true - float(rows[index])))
        if off > (bound + 2.0**-8 if half else bound):
            return f"entry {index} of position {position!r} is off by {off:.1e}"
    return ""


def _table(
    rows: np.ndarray, positions: np.ndarray, dtype: str, d_model: int, base: Any, layout: str, ladder: str
) -> str:
    if rows.shape != (*positions.shape, d_model):
        return f"shape {rows.shape}"
    for index in some(rows.shape):
        position = int(positions[index[:-1]])
        true = entry(position, index[-1], d_model, base, layout, ladder)
        found = float(rows[index])
        right = abs(true - found) <= 6 * U if dtype == "float64" else found == rounded_once(true, dtype)
        if not right:
            return f"entry {index} of position {position} is {found!r}, not {float(true)!r} in {dtype}"
    return ""


def table(
    result: Any, *, seq_len: int, d_model: int, base: Any, layout: str, ladder: str, start: int, **_: Any
) -> str:
    positions = int(start) + np.arange(int(seq_len))
    return _table(as_array(result), positions, name_of(result.dtype), d_model, base, layout, ladder)


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
    dtype = more.get("rounding") or name_of(result.dtype)
    places = np.asarray(as_array(positions), dtype=np.float64).astype(np.int64)
    return _table(as_array(result), places, dtype, d_model, base, layout, ladder)


def shifted(result: Any, *, x: Any, k: Any, base: Any, layout: str, ladder: str, **_: Any) -> str:
    given, found = as_array(x).astype(np.float64), as_array(result)
    offsets = as_numbers(k)
    d = given.shape[-1]
    if found.shape != (*np.broadcast_shapes(given.shape[:-1], offsets.shape), d):
        return f"shape {found.shape}"
    given, offsets = np.broadcast_to(given, found.shape), np.broadcast_to(offsets, found.shape[:-1])
    rough = isinstance(result, torch.Tensor) and result.dtype != torch.float64
    for index in some(found.shape):
        pair, cosine = pair_of(index[-1], d, layout)
        columns = [c for c in range(d) if pair_of(c, d, layout)[0] == pair]
        s, c = (float(given[(*index[:-1], column)]) for column in columns)
        k_here = float(offsets[index[:-1]])
        angle = PRECISE.mpf(k_here) * omega(pair, d, base, ladder)
        true = PRECISE.cos(angle) * (c if cosine else s) + PRECISE.sin(angle) * (-s if cosine else c)
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
    places = as_numbers(offsets)
    if result.shape != places.shape:
        return f"shape {result.shape}"
    for index in some(places.shape):
        k = float(places[index])
        angles = [
            PRECISE.mpf(k) * omega(i, d_model, base, more.get("ladder", "paper")) for i in range(d_model // 2)
        ]
        true = PRECISE.fsum(PRECISE.cos(angle) for angle in angles)
        bound = d_model * (1e-15 if k.is_integer() else 1e-15 + 4 * U * abs(k))
        if abs(true - float(result[index])) > bound:
            return f"offset {k!r} is off by {float(abs(true - float(result[index]))):.1e}"
    return ""


def apart(result: Any, *, offsets: Any, d_model: int, base: Any, ladder: str, **_: Any) -> str:
    places = as_numbers(offsets)
    if result.shape != places.shape:
        return f"shape {result.shape}"
    for index in some(places.shape):
        k = float(places[index])
        halves = [PRECISE.mpf(k) * omega(i, d_model, base, ladder) / 2 for i in range(d_model // 2)]
        true = 2 * PRECISE.sqrt(PRECISE.fsum(PRECISE.sin(angle) ** 2 for angle in halves))
        bound = 1e-15 * d_model if k.is_integer() else d_model * (1e-15 + 4 * U * abs(k))
        if abs(true - float(result[index])) > bound:
            return f"offset {k!r} is off by {float(abs(true - float(result[index]))):.1e}"
    return ""


def falling(result: Any, *, d_model: int, base: Any, ladder: str, **_: Any) -> str:
    found = as_array(result)
    if found.shape != (d_model // 2,):
        return f"shape {found.shape}"
    wrong = [
        i for (i,) in some(found.shape) if abs(found[i] / float(omega(i, d_model, base, ladder)) - 1) > 1e-13
    ]
    return f"pair {wrong[0]}" if wrong else ""


def waves(result: Any, **conventions: Any) -> str:
    return falling(2 * np.pi / as_array(result), **conventions)
