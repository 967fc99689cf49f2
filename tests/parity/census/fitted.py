"""From rows that attention received to what was done to them: columns that turn, their pairs, their speed."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from tests.parity.census.inputs import FAR
from tests.parity.classes.built import STEP

ROUNDED = 3e-6  # float32, after a handful of operations on entries of order 1
OF_FREQUENCY = 2e-6  # relative: a float32 of a float32
OF_ANGLE = 2e-6  # what rounding leaves of the angle at the furthest token
Rows = np.ndarray


class Fit(NamedTuple):
    """Which columns of a head turn."""

    head: int
    columns: int
    side: str
    pairing: str
    pairs: tuple[tuple[int, int], ...]
    """Places of the columns of each turning pair among those of the head."""
    index: tuple[int, ...]
    """Where these pairs stand among all of the slice."""


def numbers_of(values: Any) -> Iterator[float]:
    """All numbers that a config holds."""
    if isinstance(values, Mapping):
        values = list(values.values())
    if isinstance(values, list | tuple):
        for one in values:
            yield from numbers_of(one)
    elif isinstance(values, int | float) and not isinstance(values, bool):
        yield values


def levelled(rows: Rows) -> Rows:
    """Rows without what multiplies each as a whole."""
    lengths = np.linalg.norm(rows, axis=1) / np.linalg.norm(rows[0])
    return rows / lengths[:, None] if abs(lengths - 1).max() > ROUNDED else rows


def moved(rows: Rows) -> np.ndarray:
    """The columns that are not the same in every row; of rows that were levelled, up to their rounding."""
    level = levelled(rows)
    allowed = 0.0 if level is rows else 5e-7 * abs(rows[0]).max()
    return np.flatnonzero(abs(level - level[0]).max(0) > allowed)


def fitted(rows: Rows) -> Fit | None:
    """How the rows turn; None where they stand, and pairing "other" where no pairs keep their length."""
    turning, head = moved(rows), rows.shape[1]
    if not turning.size:
        return None
    rows = levelled(rows)
    first, last = turning.min(), turning.max() + 1
    within = rows[0, first:last]
    for order in (np.argsort(within, kind="stable"), np.arange(last - first)):
        places = first + order  # as columns lie in the projection, whose stairs rise
        moving = np.flatnonzero(np.isin(places, turning))
        half, even = moving.size // 2, moving.size % 2 == 0
        blocks = moving[: 4 * (moving.size // 4)].reshape(2, 2, -1)
        ways = {
            "halves": (moving[:half], moving[half:]),
            "interleaved": (moving[::2], moving[1::2]),
            "halves in 2 blocks": (blocks[:, 0].ravel(), blocks[:, 1].ravel()),
        }
        for pairing, (a, b) in ways.items():
            if not even or not keeps_length(rows, places[a], places[b]):
                continue
            gap = int(b[0] - a[0])
            columns = 2 * gap if pairing == "halves" else int(last - first + (last - first) % 2)
            index = {"halves": a, "interleaved": a // 2}.get(pairing, np.arange(a.size))
            side = "last" if first and first + columns == head else "first"
            pairs = tuple(zip(places[a].tolist(), places[b].tolist(), strict=True))
            return Fit(head, columns, side, pairing, pairs, tuple(index.tolist()))
    return Fit(head, int(last - first), "last" if first else "first", "other", (), ())


def keeps_length(rows: Rows, a: np.ndarray, b: np.ndarray) -> bool:
    lengths = np.hypot(rows[:, a], rows[:, b])
    return bool((abs(lengths / lengths[0] - 1) < 1e-5).all())


def angles(rows: Rows, fit: Fit) -> np.ndarray:
    """By how much each pair is turned in each row, from the first row on; shape (n, pairs)."""
    a, b = np.array(fit.pairs).T
    z = levelled(rows)[:, a] + 1j * levelled(rows)[:, b]
    return np.asarray(np.angle(z / z[0]))


def keeps_pace(rows: Rows, fit: Fit, positions: Sequence[int]) -> bool:
    """Whether these are the positions of the rows: the second step is as much further as they say."""
    first, second = angles(rows, fit)[1:3]
    return bool((abs(np.angle(np.exp(1j * (first * positions[2] / positions[1] - second)))) < 1e-4).all())


def frequencies(rows: Rows, fit: Fit, positions: Sequence[int]) -> np.ndarray:
    """Radians per token of every pair of the slice, from the first positions, refined by those further on."""
    turned = angles(rows, fit)
    omega = turned[1] / positions[1]
    for row, at in zip(turned[2:], positions[2:], strict=True):
        omega = (row + 2 * np.pi * np.round((omega * at - row) / (2 * np.pi))) / at
    found = np.zeros(fit.columns // 2)
    found[list(fit.index)] = omega
    return found


def close(found: np.ndarray, wanted: np.ndarray, furthest: int) -> bool:
    """Whether these are the frequencies that were found, as well as tokens up to the furthest tell."""
    apart = abs(found - wanted) if found.shape == wanted.shape else np.inf
    return bool(np.all(apart <= OF_ANGLE / furthest + OF_FREQUENCY * abs(wanted)))


def ladder(
    found: np.ndarray, furthest: int, settings: Mapping[str, Any], buffers: Sequence[np.ndarray]
) -> dict[str, Any]:
    """What frequencies are: powers of a base, divided or cut off, or a list with the method of the config."""
    pairs = found.size
    still = pairs - 1 - int(np.flatnonzero(found)[-1])
    bases = sorted({one for one in numbers_of(settings) if one > 1} | {10000.0})
    if pairs > 2 and 0 < found[2] < found[1] < 1:  # one that no key names: a few digits of it
        bases.append(float(f"{(found[2] / found[1]) ** -pairs:.4g}"))
    exponents = np.arange(pairs) / pairs
    scales = {1.0, *(float(one) for one in numbers_of(settings) if one > 1)}
    for scale in sorted(scales, key=lambda one: abs(found[0] * one - 1)):
        if abs(found[0] * scale - 1) > 1e-5:
            break
        for base in bases:
            wanted = float(base) ** -exponents / scale
            for left in dict.fromkeys((0, still)):  # the slowest may stand, or be too slow to be seen
                wanted[pairs - left :] = 0
                if close(found, wanted, furthest):
                    method = "proportional" if left else "default" if scale == 1 else "linear"
                    return {"base": float(base), "method": method} | (
                        ({"scale": scale} if scale != 1 else {}) | ({"still": left} if left else {})
                    )
    exact = next((one for one in buffers if close(found, one, furthest)), found)
    named = {*methods_of(settings)} - {"default"}
    fastest = found[1] if pairs > 1 else 0.0
    base = next((one for one in bases if abs(fastest * one ** (1 / pairs) - 1) < 1e-5), None)
    method = named.pop() if len(named) == 1 else "other"
    listed = [float(f"{one:.7g}") for one in exact]
    return ({"base": float(base)} if base else {}) | {"method": method, "listed": listed}


def methods_of(settings: Any) -> Iterator[str]:
    """The methods of scaling that a config names."""
    if isinstance(settings, Mapping):
        for key, one in settings.items():
            if key in ("rope_type", "type") and isinstance(one, str):
                yield one
            yield from methods_of(one)


def factor(key: Rows, fit: Fit) -> float:
    """What a key is multiplied by where it turns: how much steeper its stairs are."""
    row = np.sort(key[0, sorted(one for pair in fit.pairs for one in pair)])
    steps = np.diff(row)
    found = float(np.median(steps) / STEP)
    return round(found, 4) if abs(found - 1) > 2e-3 else 1.0


def owners(rows: Rows, fit: Fit) -> dict[str, Any]:
    """Which of three axes each pair turns with, of positions on each axis alone; empty if it is one."""
    pair_moved = abs(angles(rows, fit)) > 1e-5
    owner = np.full(fit.columns // 2, -1)
    owner[list(fit.index)] = [next((i for i in range(3) if row[1 + i]), 2) for row in pair_moved.T]
    counts = [int((owner == axis).sum()) for axis in range(3)]
    if max(counts) == sum(counts):
        return {}
    turn = np.arange(owner.size) % 3
    dealt = np.where(np.arange(owner.size) < 3 * np.take(counts, turn), turn, 0)
    ways = {"sectioned": np.repeat(np.arange(3), counts), "interleaved": dealt}
    way = next((name for name, wanted in ways.items() if np.array_equal(owner, wanted)), "other")
    return {"sections": counts, "arrangement": way}


def far(settings: Mapping[str, Any]) -> tuple[int, ...]:
    """Positions at which a change with the length shows: around every length that a config names."""
    lengths = {int(one) for one in numbers_of(settings) if 256 < one < 2_000_000 and one == int(one)}
    return tuple(sorted({*FAR, *(at for one in lengths for at in (one - 1, one))}))


def temperature(query: Rows, positions: Sequence[int], settings: Mapping[str, Any]) -> str:
    """What queries are multiplied by at a position p, as a formula; empty where it is the same at all."""
    found = np.linalg.norm(query, axis=1) / np.linalg.norm(query[0])
    if abs(found - 1).max() < 1e-4:
        return ""
    p = np.array(positions, dtype=float)
    if np.allclose(found, 1 + np.log(p + 1), rtol=1e-4):
        return "s log(p + 1) + b, s and b learned for each head"  # parameters are 1 here
    for n in sorted({one for one in numbers_of(settings) if one > 1} | {2.0**k for k in range(8, 21)}):
        logs = {
            f"1 + {{:g}} log(1 + floor(p / {n:g}))": np.log(1 + np.floor(p / n)),
            f"1 + {{:g}} log(1 + floor((p + 1) / {n:g}))": np.log(1 + np.floor((p + 1) / n)),
            f"1 + {{:g}} log(max((p + 1) / {n:g}, 1))": np.log(np.maximum((p + 1) / n, 1)),
        }
        for formula, log in logs.items():
            rate = round(float(log @ (found - 1) / (log @ log)), 4) if log.any() else 0
            if rate and np.allclose(found, (1 + rate * log) / (1 + rate * log[0]), rtol=1e-4):
                return formula.format(rate)
        power = np.log((1 + (p + 1) / n) / (1 + 1 / n))
        rate = round(float(power @ np.log(found) / (power @ power)), 4)
        if rate and np.allclose(np.log(found), rate * power, atol=1e-4):
            return f"(1 + (p + 1) / {n:g}) ** {rate:g}"
    return "other"


def by_place(rows: Rows, fit: Fit, settings: Mapping[str, Any]) -> dict[str, Any]:
    """How patches turn, by a step along a row and from row to row, and which pairs by which of them."""
    turned = angles(rows, fit)
    moving = np.flatnonzero((abs(turned) > 1e-6).any(1))
    if not moving.size or moving[0] + 1 >= len(turned):
        return {"method": "other"}
    origin = moving[0] if (abs(turned[moving[0]]) > 1e-6).all() else moving[0] - 1
    steps = np.angle(np.exp(1j * (turned[origin:] - turned[origin])))  # (tokens, pairs)
    along = abs(steps[1]) > 1e-6
    if along.all() or not along.any():
        return {"method": "other"}
    below = next((row for row in steps[1:] if (abs(row[~along]) > 1e-6).all()), None)
    if below is None:
        return {"method": "other"}
    omega = np.where(along, steps[1], below)
    listed = [0.0] * (fit.columns // 2)
    for i, one in zip(fit.index, omega, strict=True):
        listed[i] = float(f"{abs(one):.5g}")
    axes = ["column" if one else "row" for one in along]
    runs = [one for i, one in enumerate(axes) if not i or axes[i - 1] != one]
    found: dict[str, Any] = {
        "method": "by row and column",
        "listed": listed,
        "sections": [axes.count("row"), axes.count("column")],
        "arrangement": ", ".join(runs) if len(runs) < 5 else f"in turn, {axes[0]} first",
    }
    ladder_of_rows = abs(omega[~along])
    ratios = ladder_of_rows[1:] / ladder_of_rows[:-1]
    if len(ratios) > 1 and np.ptp(ratios) < 1e-3 * ratios.mean():
        base = float(ratios.mean() ** -len(ladder_of_rows))
        named = [
            one for one in {*numbers_of(settings), 100.0, 10000.0} if one > 1 and abs(base / one - 1) < 5e-3
        ]
        found = {"base": float(named[0]) if named else float(f"{base:.3g}")} | found
    return found
