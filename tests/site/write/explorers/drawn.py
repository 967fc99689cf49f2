"""What Python computes of the marks of each explorer, in the state that its test moves it to."""

import numpy as np

import pe_book as pe
from pe_book.evidence.records.model_tour import recorded
from pe_book.family.learned import lookup


def drawn(element, given):
    """The numbers of its marks in the state that it is moved to, from Python."""
    return {
        "pe-rotary": turned_hands, "pe-ladders": divided_ladder, "pe-bias": window_and_first,
        "pe-circle": circle_and_wave, "pe-matrix": column_and_dials, "pe-shift": there_and_back,
        "pe-fit": missed, "pe-near": first_of_the_rises, "pe-attempts": failing,
        "pe-past": stretched, "pe-lengths": past_the_trained_length, "pe-tour": answered,
        "pe-order": lambda given: [],
    }[element](given)  # fmt: skip


def turned_hands(given):
    def turned(name, at):
        omega = np.array(given["frequencies"])
        return pe.rotate(np.array(given[name]), at, frequencies=omega, layout="halves")

    def place(m, n):
        most = 8  # no turn of four pairs of ones gives a larger score
        score = turned("query", m) @ turned("key", n)
        return 24 + 280 * (n - m + 63) / 126, 54 - 46 * score / most

    hands = np.stack([turned("key", 6).reshape(2, 4), turned("query", 9).reshape(2, 4)])
    ends = hands / np.hypot(hands[:, 0], hands[:, 1])[:, None] * [[1], [-1]]
    curve = [place(max(-r, 0), max(r, 0)) for r in range(-63, 64)]
    return [*ends.transpose(2, 0, 1).ravel(), *place(9, 6), *np.ravel(curve)]


def divided_ladder(given):
    omega = pe.frequencies(given["width"], base=given["base"])
    longest = pe.scale_frequencies(omega, method="dynamic", factor=16, original_len=4096, length=65536)[0]
    most = np.log10(2 * np.pi / longest.min())

    def down(tokens):
        return 144 - 134 * np.maximum(np.log10(tokens) - 0.5, 0) / (most - 0.5)

    lines = [32, down(4096), 304, 32, down(65536), 304]
    across = 32 + 272 * (np.arange(omega.size) + 0.5) / omega.size
    before = np.column_stack([across, down(2 * np.pi / omega)])
    strokes = np.column_stack([across, down(2 * np.pi * 16 / omega), np.zeros(omega.size)])
    turned = 65536 * omega[40] / 16
    return [*lines, *before.ravel(), *strokes.ravel(), np.cos(turned), -np.sin(turned)]


def window_and_first(given):
    mask = pe.window_mask(range(10), range(10), window=given["window"], sinks=given["sinks"])
    weights = mask / mask.sum(axis=1, keepdims=True)
    cells = [(20 + 12 * j, 18 + 12 * i, weights[i, j]) for i in range(10) for j in range(i + 1)]
    far = np.flatnonzero(mask[-1][::-1])
    return [
        *np.ravel(cells),
        *np.column_stack([186 + 114 * far / 9, np.full(far.size, 24 + 114 * 3 / 11)]).ravel(),
    ]


def circle_and_wave(given):
    steps = np.arange(given["samples"] * given["last"] + 1) / given["samples"]
    x, y, at = 58 + 50 * np.sin(0.4), 68 - 50 * np.cos(0.4), 136 + 172 * 40 / given["last"]
    lines = [58, 68, x, 68, x, 68, x, y, x, y, at, y, 58, 68, x, y]
    wave = np.column_stack([136 + 172 * steps / given["last"], 68 - 50 * np.sin(steps / 100)])
    return [*lines, *wave.ravel()]


def column_and_dials(given):
    rows = pe.encode(range(40), 12, base=given["base"])
    curve = np.column_stack([24 + 280 * np.arange(40) / 39, 26 - 22 * rows[:, 7]])
    hands = (
        [24, 92] + np.column_stack([38 * np.arange(6), np.zeros(6)]) + 16 * rows[2].reshape(6, 2) * [1, -1]
    )
    return [*curve.ravel(), *hands.ravel()]


def there_and_back(given):
    rows = pe.encode([3, -4, 3], given["width"], base=given["base"]).reshape(3, -1, 2)
    centres = np.column_stack([52 + 104 * np.arange(3), np.full(3, 44)])
    return (centres + 38 * rows * [1, -1]).transpose(1, 0, 2).ravel()


def missed(given):
    places = np.arange(given["last"] + 1)
    rows, right = (pe.encode(places + k, given["width"]) for k in (0, given["k"]))
    errors = np.linalg.norm(rows @ np.array(given["fits"]["5"]).T - right, axis=1) / np.sqrt(
        given["width"] / 2
    )
    curve = np.column_stack([24 + 284 * places / given["last"], 100 - 92 * errors])
    return [*curve[77], 24, 284 * 4 / given["last"], *curve.ravel()]


def first_of_the_rises(given):
    k = np.arange(given["reach"] + 1)
    cosines = pe.similarity(k, 128, base=100) / 64
    least = np.floor(2 * min(cosines.min(), 0)) / 2
    points = np.column_stack([24 + 284 * k / given["reach"], 18 + 116 * (1 - cosines) / (1 - least)])
    steps = [points[at : at + 2] for at in np.flatnonzero(np.diff(cosines) > 0)]
    return [*steps[0][0], *points.ravel(), *np.ravel(steps)]


def failing(given):
    """Beyond one common period of the three dials two positions come too close, and nothing else fails."""
    places = [i for i, n in enumerate(given["lengths"]) if n > 6 * 2 * np.pi]
    margin = given["demands"].index("different, margin")
    cells = [(108 + 24 * place, 4 + 18 * margin) for place in places]
    return [*np.ravel(cells), 108 + 24 * 1 - 2]


def stretched(given):
    positions = np.arange(8)
    rows = lookup(np.arange(given["rows"], dtype=float)[:, np.newaxis], positions, beyond="interpolate")
    middles = 312 / given["most"] * (np.column_stack([positions, rows]) + 0.5)
    return middles.ravel()


def past_the_trained_length(given):
    shares = np.array(given["tasks"]["first"]["curves"]["learned"][4])
    stretches = 30 + 274 * (np.arange(12) + 0.5) / 12
    return [*np.column_stack([stretches, 8 + 120 * (1 - shares)]).ravel(), 274 / 10]


def answered(given):
    odds = recorded().inside(32, 2).output[40]
    return np.column_stack([108 - 100 * odds, 100 * odds]).ravel()
