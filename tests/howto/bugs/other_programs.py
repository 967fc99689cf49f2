"""Programs that turn queries and keys, written otherwise than the package, and each with its mistake."""

from functools import partial

import numpy as np

import pe_book as pe
from pe_book.family.rotary.bugs import tried
from pe_book.numerics.rounding import round_to

BFLOAT16, FLOAT16 = (partial(round_to, dtype=dtype) for dtype in ("bfloat16", "float16"))


def same(x):
    return x


def ladder(width, base):
    return np.array([base ** (-2 * i / width) for i in range(width // 2)])


def neighbours(width, start=0):
    return [(start + i, start + i + 1) for i in range(0, width, 2)]


def halves(width, start=0):
    return [(start + i, start + i + width // 2) for i in range(width // 2)]


def turning(pairs, omega, *, factor=1.0, place=same, angle=same, ends=same, answer=same):
    """Each pair as a complex number, times a number of length one."""
    first, second = np.array(pairs).T

    def turn(rows, positions):
        rows = np.array(rows, dtype=float)
        t = angle(place(np.array(positions, dtype=float))[:, None] * omega)
        with np.errstate(invalid="ignore"):  # of an infinite angle
            turns = ends(np.cos(t)) + 1j * ends(np.sin(t))
            z = (rows[:, first] + 1j * rows[:, second]) * turns * factor
        rows[:, first], rows[:, second] = z.real, z.imag
        return answer(rows)

    return turn


class Case:
    """A head as a seed draws it, its config, and the pairs and frequencies of that config."""

    def __init__(self, seed, part=1.0, **config):
        rng = np.random.default_rng(seed)
        self.d, self.base = int(rng.choice([16, 64, 128])), float(rng.choice([1e4, 5e5, 1e7]))
        self.name = str(rng.choice(["llama", "cohere"])) if part == 1 else "stablelm"
        self.seed, self.width = seed, int(self.d * part)
        self.alpha, self.sink = rng.normal(0, 0.3, self.width // 2), float(rng.uniform(-3, 3))
        self.lay, self.other = (halves, neighbours) if self.name != "cohere" else (neighbours, halves)
        self.pairs, self.omega = self.lay(self.width), ladder(self.width, self.base)
        self.config = {"model_type": self.name, "head_dim": self.d, "rope_theta": self.base, **config}
        if part != 1:
            self.config |= {"partial_rotary_factor": part}
        self.layer = pe.rotary_from_config(self.config | {"num_hidden_layers": 1})[0]

    def turn(self, **mistake):
        return turning(self.pairs, self.omega, **mistake)

    @property
    def learned(self):
        return self.layer.frequencies * np.exp(self.alpha)

    def failed(self, turn, keys=None, **given):
        found = tried(turn, self.layer, turn_keys=keys, seed=self.seed, **given)
        return [what for what, passed in found.items() if passed is not True]


def by_table(case, n, at):
    """Rows of a table of n positions, and what is done beyond it."""
    right = case.turn()
    return lambda rows, positions: right(rows, at(np.asarray(positions), n))


def raising(p, n):
    return np.arange(n)[p]


def rolled(case):
    def turn(rows, positions):
        t = np.outer(positions, np.repeat(case.omega, 2))
        return np.array(rows) * np.cos(t) + np.roll(rows, 1, axis=1) * np.sin(t)

    return turn


def twice(case):
    once, again = case.turn(), turning(case.other(case.width), case.omega)
    return lambda rows, positions: again(once(rows, positions), positions)


PART = {"part": 0.25}
YARN = {"rope_scaling": {"rope_type": "yarn", "factor": 8.0, "original_max_position_embeddings": 4096}}
LLAMA3 = {
    "rope_scaling": {
        "rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
        "original_max_position_embeddings": 4096,
    }
}  # fmt: skip
LONG = {"longest": 131072}
PROPORTIONAL = {"rope_scaling": {"rope_type": "proportional", "partial_rotary_factor": 0.25}}


def stretched(case):
    """The ladder of the whole head, and 0 below."""
    ends = ladder(case.d, case.base)
    ends[case.width // 2 :] = 0
    return turning(case.lay(case.d), ends)


def attending(case, *, sink=True, causal=False, window=None):
    """Attention row by row, with a softmax of its own."""

    def attend(q, k, v):
        rows = []
        for i, query in enumerate(q):
            first = 0 if window is None else max(0, i + 1 - window)
            seen = slice(first, i + 1 if causal else len(k))
            scores = np.array([query @ key for key in k[seen]]) / np.sqrt(case.d)
            every = [*scores, case.sink] if sink is True else [*scores] if not sink else [*scores, sink]
            weights = np.exp(scores - max(every)) / sum(np.exp(np.array(every) - max(every)))
            rows.append(sum(w * value for w, value in zip(weights, v[seen], strict=True)))
        return np.array(rows)

    return attend


OPTIONS = ("longest", "learned", "attend")  # of `tried`; what else is given stands in the config
# The row of the table, the mistake, what makes it, and what the config has beyond sizes
BUGS = [
    ("alone as in a batch", "begins at 0", lambda c: lambda x, p: c.turn()(x, range(len(p))), {}),
    ("no table ends", "raises", lambda c: by_table(c, 2048, raising), {}),
    ("no table ends", "wraps", lambda c: by_table(c, 512, np.mod), {}),
    ("every answer is a number", "float16 positions", lambda c: c.turn(place=FLOAT16), LONG),
    ("the factor of the config", "one too many", lambda c: c.turn(factor=1.1), {}),
    ("the factor of the config", "missing", lambda c: turning(c.pairs, c.layer.frequencies), YARN),
    ("a row at position 0 stays", "from 1", lambda c: c.turn(place=lambda p: p + 1), {}),
    ("a row at position 0 stays", "behind padding", lambda c: c.turn(place=lambda p: p - 5), {}),
    ("columns pair off", "rolled", rolled, {}),
    ("columns pair off", "in both pairings", twice, {}),
    ("keys turn as queries do", "pairing", lambda c: (c.turn(), turning(c.other(c.d), c.omega)), {}),
    ("keys turn as queries do", "standing", lambda c: (c.turn(), lambda x, p: x), {}),
    ("keys turn as queries do", "other way", lambda c: (c.turn(), c.turn(angle=np.negative)), {}),
    ("only the difference counts", "bfloat16", lambda c: c.turn(angle=BFLOAT16), {}),
    ("every position counts", "bfloat16", lambda c: c.turn(place=BFLOAT16), {}),
    ("partial is not proportional", "proportional", stretched, PART),
    ("partial is not proportional", "partial",
     lambda c: turning(c.lay(c.d // 4), ladder(c.d // 4, c.base)), PROPORTIONAL),
    ("learned frequencies are taken", "the ladder", lambda c: c.turn(), {"learned": True}),
    ("a sink takes its share", "dropped", lambda c: attending(c, sink=False), {"attend": True}),
    ("a sink takes its share", "of another head", lambda c: attending(c, sink=c.sink + 2, causal=True),
     {"attend": True}),
    ("columns of the config", "pairing", lambda c: turning(c.other(c.d), c.omega), {}),
    ("columns of the config", "narrower", lambda c: turning(c.lay(c.d // 2), ladder(c.d // 2, c.base)), {}),
    ("columns of the config", "last", lambda c: turning(c.lay(c.width, c.d - c.width), c.omega), PART),
    ("columns of the config", "whole", lambda c: turning(c.lay(c.d), ladder(c.d, c.base)), PART),
    ("direction of the config", "clockwise", lambda c: c.turn(angle=np.negative), {}),
    ("frequencies of the config", "base", lambda c: turning(c.pairs, ladder(c.d, 2 * c.base)), {}),
    ("frequencies of the config", "block", lambda c: c.turn(), LLAMA3),
    ("frequencies of the config", "width",
     lambda c: turning(c.pairs, ladder(c.d, c.base)[: c.width // 2]), PART),
    ("far rows of the config", "bfloat16", lambda c: turning(c.pairs, BFLOAT16(c.omega)), {}),
    ("last digits of the config", "bfloat16", lambda c: c.turn(ends=BFLOAT16), {}),
    ("last digits of the config", "answer", lambda c: c.turn(answer=BFLOAT16), {}),
]  # fmt: skip
