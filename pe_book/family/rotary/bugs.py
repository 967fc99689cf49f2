"""Tests of a program that turns queries and keys, and attends; the first that fails names the mistake."""

import math
import sys
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_book.family.rotary import rotate
from pe_book.inputs.checking import real_number, whole_number
from pe_book.inputs.shapes import PerPair

Array = NDArray[np.float64]
Program = Callable[..., Any]
Turn = Callable[[Array, Iterable[int]], Array]

ROWS = 64  # that are drawn
NEAR, FAR = 128, 8192  # positions: float32 leaves an angle at FAR a thousandth
SIXTEEN_BITS = 0.01  # of a row's length: cosines in bfloat16 lose less, angles in 16 bits more
FLOAT32 = 5e-5  # of a row's length, before NEAR: float32 loses less, cosines in float16 lose more
FILLED = 1e-9  # of a 1, in another column
LOW = -40.0  # a score that leaves all weight to a sink, and whose exponential float32 holds
SMALL = 1e-6  # radians: float16 leaves smaller angles less than two digits


def tried(
    turn: Program,
    layer: Any,
    *,
    turn_keys: Program | None = None,
    learned: ArrayLike | None = None,
    attend: Program | None = None,
    sink: float | None = None,
    longest: int = FAR,
    seed: int = 0,
) -> dict[str, bool | str]:
    """What a program that turns queries and keys passes: True, False, or the error that it raised.

    One mistake can fail several tests. The first that fails names it.

    Parameters
    ----------
    turn : callable
        Called with rows, shape (n, d), and their whole positions, shape (n,), it returns the rows turned. It
        gets arrays; if these raise an error, tensors where torch is imported, or lists. It may return any.
    layer : LayerRotary
        A record of :func:`pe_book.config.reading.rotary_from_config`: what the program should do.
    turn_keys : callable
        The same for keys, if another function turns them.
    learned : array_like
        Frequencies that were learned, shape (rotary_dim/2,), in place of those that the config gives.
    attend : callable
        Called with queries, keys and values of one head, shape (n, d) each, it returns the mixed values.
    sink : float
        The sink logit of that head, as it lies in the checkpoint; with `attend` alone.
    longest : int
        Your longest text in tokens, at least 128; a table that ends behind it is not seen.
    seed : int
        Of the rows that are drawn.

    Returns
    -------
    dict of str to bool or str
        By the name of the test, in the order in which to read them.

    Examples
    --------
    >>> import pe_book as pe
    >>> layer = pe.rotary_from_config({"model_type": "llama", "head_dim": 16})[0]
    >>> found = tried(lambda rows, positions: pe.rotate(rows, np.add(positions, 1), layout="halves"), layer)
    >>> [what for what, passed in found.items() if passed is not True][0]
    'a row at position 0 stays'
    """
    d, end = layer.head_dim, whole_number(longest, "longest", least=NEAR)
    if not layer.rotary_dim:
        raise ValueError(f"layer must be one that turns, got one of kind {layer.kind!r}")
    if learned is None and not layer.frequencies.size:
        raise ValueError(f"learned must be given, since no config has these frequencies: {layer.learned}")
    if (attend is None) != (sink is None):
        raise ValueError(
            "attend and sink must be given together: the attention of a head, and its sink logit"
        )
    rng = np.random.default_rng(whole_number(seed, "seed", least=0))
    asked = _asked(turn, np.ones((1, d)), [0])
    keys = asked if turn_keys is None else _asked(turn_keys, np.ones((1, d)), [0])
    omega = layer.frequencies if learned is None else np.asarray(learned, dtype=float)
    meant, other = _meant(layer, frequencies=omega), _partial_or_proportional(layer, omega)
    meant(np.ones((1, d)), [0])  # a layer that was edited by hand is refused here, by name
    ladder = layer.frequencies if layer.frequencies.size else layer.unscaled
    unlearned = None if np.array_equal(omega, ladder) else _meant(layer, frequencies=ladder)
    q, k = rng.normal(size=(2, ROWS, d))
    near, step = rng.permutation(NEAR)[:ROWS], math.isqrt(end)
    spread = np.unique([*range(step + 2), *range(0, end, step), end - 1])  # two of them lie any length apart
    reached = _held_by_16_bits(min(end, FAR))
    half = len(reached) // 2
    here, there = reached[rng.integers(half, size=(2, ROWS))], int(reached[half])
    far = here[0] + there

    def scores(start: int) -> Array:
        return np.asarray((asked(q, here[0] + start) * keys(k, here[1] + start)).sum(axis=-1))

    def in_a_batch() -> bool:
        alone = [asked(q[i : i + 1], [i])[0] for i in range(8)]
        return _off(asked(q[:8], range(8)), np.array(alone)) < FLOAT32

    def everywhere() -> Array:
        return asked(np.tile(q[0], (len(spread), 1)), spread)

    def goes_on() -> bool:
        rows = everywhere()
        numbers = np.isfinite(rows).all(axis=-1)
        kinds, kind = np.unique(rows[numbers], axis=0, return_inverse=True)
        first, last = np.full(len(kinds), end), np.zeros(len(kinds), dtype=int)
        np.minimum.at(first, kind.ravel(), spread[numbers])
        np.maximum.at(last, kind.ravel(), spread[numbers])
        return bool((last - first <= last / NEAR).all())  # so near each other, 16 bits may take them for one

    def factor() -> bool:
        lengths, one = np.linalg.norm(_columns(asked, d, 0), axis=1), layer.attention_factor
        given = np.abs(lengths - one) < SIXTEEN_BITS
        return bool(given.any() and (given | (np.abs(lengths - 1) < SIXTEEN_BITS)).all())

    def only_the_difference() -> bool:
        lengths = np.linalg.norm(q, axis=1) * np.linalg.norm(k, axis=1)
        return bool((np.abs(scores(0) - scores(there)) < SIXTEEN_BITS * lengths).all())

    def every_position() -> bool:
        rows = asked(np.tile(q[0], (16, 1)), range(end - 16, end))
        return len(np.unique(rows, axis=0)) == len(rows)

    tests: dict[str, Callable[[], bool]] = {
        "alone as in a batch": in_a_batch,
        "no table ends": goes_on,
        "every answer is a number": lambda: bool(np.isfinite(everywhere()).all()),
        "zeros stay zeros": lambda: not asked(0 * q, near).any(),
        "the factor of the config": factor,
        "a row at position 0 stays": lambda: not _filled(_columns(asked, d, 0)).any(),
        "columns pair off": lambda: _pair_off(_columns(asked, d)),
        "a pair turns by one angle": lambda: _one_angle(_columns(asked, d)),
        "keys turn as queries do": lambda: _off(keys(q, near), asked(q, near)) < SIXTEEN_BITS,
        "only the difference counts": only_the_difference,
        "every position counts": every_position,
        "partial is not proportional": lambda: (
            other is None or _same_turns(meant, other, d) or not _same_turns(asked, other, d)
        ),
        "learned frequencies are taken": lambda: unlearned is None or not _same_turns(asked, unlearned, d),
        "columns of the config": lambda: _same_columns(asked, meant, d),
        "direction of the config": lambda: bool((_above(asked, d) * _above(meant, d) >= 0).all()),
        "frequencies of the config": lambda: _same_angles(asked, meant, d),
        "far rows of the config": lambda: _off(asked(q, far), meant(q, far)) < SIXTEEN_BITS,
        "last digits of the config": lambda: _off(asked(q, near), meant(q, near)) < FLOAT32,
        "a sink takes its share": lambda: (
            attend is None or _sink_counts(attend, real_number(sink, "sink"), d)
        ),
    }
    found: dict[str, bool | str] = {}
    for what, test in tests.items():
        try:
            found[what] = test()
        except Exception as error:  # whatever the program raises is the finding
            found[what] = repr(error)
    return found


def _asked(program: Program, *tried_on: Any) -> Callable[..., Array]:
    """The program with arrays in and out, whatever it takes and returns itself."""
    forms: list[Callable[[Any], Any]] = [np.asarray]
    if torch := sys.modules.get("torch"):
        usual = {np.float64: torch.get_default_dtype()}
        forms += [torch.tensor, lambda array: torch.tensor(array, dtype=usual.get(array.dtype.type))]
    forms.append(np.ndarray.tolist)

    def called(form: Callable[[Any], Any], rows: Array, *more: Any) -> Array:
        answer = program(form(np.array(rows, dtype=float)), *(form(np.array(one)) for one in more))
        if hasattr(answer, "detach"):
            answer = answer.detach().cpu().double()
        found = np.asarray(answer, dtype=float)
        if found.size != rows.size:
            raise ValueError(f"turn must return the shape that it is given, {rows.shape}, got {found.shape}")
        return found.reshape(rows.shape)

    for form in forms:
        try:
            called(form, *tried_on)
        except Exception:  # it may take another form; if it takes none, the tests say why
            continue
        return lambda *given: called(form, *given)
    return lambda *given: called(forms[0], *given)


def _meant(layer: Any, **changed: Any) -> Turn:
    """The layer as the package turns it, or as it would with other settings."""
    given = {name: getattr(layer, name) for name in ("layout", "side", "rotary_dim", "frequencies")} | changed

    def turn(rows: Array, positions: Iterable[int]) -> Array:
        turned = rotate(rows, list(positions), **given)
        width = given["rotary_dim"]
        slice_ = slice(width) if given["side"] == "first" else slice(rows.shape[-1] - width, None)
        turned[..., slice_] *= layer.attention_factor
        return turned

    return turn


def _partial_or_proportional(layer: Any, omega: PerPair) -> Turn | None:
    """Where the layer turns a part of the head, the other of the two ways to do it."""
    d, n = layer.head_dim, np.count_nonzero(omega)
    if 2 * n == d:
        return None
    step = np.log(layer.unscaled[1]) if n > 1 else 0.0  # of the logarithm, from pair to pair
    if layer.rotary_dim < d:  # the ladder of the whole head, and 0 below
        ladder = np.where(np.arange(d // 2) < n, np.exp(step * 2 * n / d * np.arange(d // 2)), 0)
        return _meant(layer, rotary_dim=d, frequencies=ladder)
    return _meant(layer, rotary_dim=2 * n, frequencies=np.exp(step * d / (2 * n) * np.arange(n)))


def _held_by_16_bits(end: int) -> NDArray[np.intp]:
    """Positions below the end, from 128 to 255 of them, that bfloat16 and float16 hold."""
    return np.arange(0, end, 2 ** (end.bit_length() - NEAR.bit_length()))


def _off(found: Array, due: Array) -> float:
    """How far a row is off at most, as a part of its length."""
    return float((np.linalg.norm(found - due, axis=-1) / np.linalg.norm(due, axis=-1)).max())


def _columns(turn: Turn, width: int, position: int = 1) -> Array:
    """What a 1 in each column becomes, a row for each."""
    return turn(np.eye(width), [position] * width)


def _filled(found: Array) -> NDArray[np.bool_]:
    """Which other columns have filled."""
    return np.abs(found - np.diag(np.diag(found))) > FILLED


def _above(turn: Turn, width: int) -> Array:
    """What has come into later columns."""
    return np.triu(_columns(turn, width), 1)


def _pair_off(found: Array) -> bool:
    fills = _filled(found)
    return bool((fills == fills.T).all() and fills.sum(axis=1).max() <= 1)


def _one_angle(found: Array) -> bool:
    """Whether both columns of each pair have one cosine, and sines of opposite sign."""
    i, j = np.nonzero(_filled(found))
    gaps = np.abs([found[i, j] + found[j, i], found[i, i] - found[j, j]])
    return bool((gaps <= SIXTEEN_BITS * np.abs(found[i, j]) + SMALL).all())


def _same_columns(turn: Turn, meant: Turn, width: int) -> bool:
    fills, due = _filled(_columns(turn, width)), np.abs(_columns(meant, width))
    np.fill_diagonal(due, 0)
    return bool(fills[due > SMALL].all() and not fills[due == 0].any())


def _same_angles(turn: Turn, meant: Turn, width: int) -> bool:
    """Whether each column has turned as far, to the digits that 16 bits have."""
    found, due = (_columns(one, width) for one in (turn, meant))
    return bool(np.allclose(_angles(found), _angles(due), rtol=SIXTEEN_BITS, atol=SMALL))


def _angles(found: Array) -> Array:
    stays = np.diag(found)
    return np.asarray(np.arctan2(np.linalg.norm(found - np.diag(stays), axis=1), stays))


def _same_turns(turn: Turn, meant: Turn, width: int) -> bool:
    return _same_columns(turn, meant, width) and _same_angles(turn, meant, width)


def _sink_counts(attend: Program, sink: float, width: int) -> bool:
    """Whether weights sum to what the sink leaves: where scores are 0, and to nothing where they are low."""
    ones, counts = np.ones((8, width)), np.arange(1, 9)
    asked = _asked(attend, ones, ones, ones)
    level, low = (asked(score / np.sqrt(width) * ones, ones, ones) for score in (0.0, LOW))
    due = counts / (counts + np.exp(sink))  # however many keys a mask lets a row see
    return bool(
        (np.abs(level[..., np.newaxis] - due).min(axis=-1) < SIXTEEN_BITS).all() and (low < 0.5).all()
    )
