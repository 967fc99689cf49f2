"""The how-to on bugs: in a program of another make, each mistake first fails the test that names it."""

import re
from dataclasses import replace

import numpy as np
import pytest
import torch

import pe_book as pe
from pe_book.family.rotary.bugs import tried
from tests.howto.cells import cells, run, text

SEEDS = range(20)
NAMED = {
    "counts from 1": "a row at position 0 stays",
    "sine and cosine exchanged": "a row at position 0 stays",
    "begins anew in each call": "alone as in a batch",
    "a table that raises": "no table ends",
    "a table that is clamped": "no table ends",
    "a table that is added": "zeros stay zeros",
    "a factor": "the factor of the config",
    "a table of the other pairing": "a pair turns by one angle",
    "angles in 16 bits": "only the difference counts",
    "positions in 16 bits": "every position counts",
    "neighbours": "columns of the config",
    "a narrower slice": "columns of the config",
    "clockwise": "direction of the config",
    "another base": "frequencies of the config",
    "frequencies in 16 bits": "far rows of the config",
    "cosines in 16 bits": "last digits of the config",
}
NAMED_BY_MORE = {
    "a slice with a ladder of its own": "partial is not proportional",
    "the ladder for learned frequencies": "learned frequencies are taken",
    "a kernel without the sink": "a sink takes its share",
}


# A program that is written otherwise than the package ----------------------------------------------------


def in_bfloat16(x):
    """The nearest number of eight bits, a tie to the even one, from the bits of float32."""
    bits = np.asarray(x, np.float32).view(np.uint32).astype(np.uint64)
    nearest = (bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000
    return nearest.astype(np.uint32).view(np.float32).astype(float)


def in_float16(x):
    with np.errstate(over="ignore"):
        return np.asarray(x).astype(np.float16).astype(float)


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


def slowed(case):
    """A slice of a ladder that is that of the whole head."""
    return turning(case.pairs, ladder(case.d, case.base)[: case.width // 2])


def in_part(case):
    return turning(case.lay(case.d // 4), ladder(case.d // 4, case.base))


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
    ("alone as in a batch", "from the first", lambda c: lambda x, p: c.turn()(x, np.subtract(p, p[0])), {}),
    ("no table ends", "raises", lambda c: by_table(c, 2048, raising), {}),
    ("no table ends", "clamped", lambda c: by_table(c, 4096, lambda p, n: np.minimum(p, n - 1)), {}),
    ("no table ends", "wraps", lambda c: by_table(c, 512, np.mod), {}),
    ("every answer is a number", "float16 positions", lambda c: c.turn(place=in_float16), LONG),
    ("the factor of the config", "one too many", lambda c: c.turn(factor=1.1), {}),
    ("the factor of the config", "missing", lambda c: turning(c.pairs, c.layer.frequencies), YARN),
    ("a row at position 0 stays", "from 1", lambda c: c.turn(place=lambda p: p + 1), {}),
    ("a row at position 0 stays", "behind padding", lambda c: c.turn(place=lambda p: p - 5), {}),
    ("columns pair off", "rolled", rolled, {}),
    ("columns pair off", "in both pairings", twice, {}),
    ("keys turn as queries do", "pairing", lambda c: (c.turn(), turning(c.other(c.d), c.omega)), {}),
    ("keys turn as queries do", "standing", lambda c: (c.turn(), lambda x, p: x), {}),
    ("keys turn as queries do", "other way", lambda c: (c.turn(), c.turn(angle=np.negative)), {}),
    ("only the difference counts", "bfloat16", lambda c: c.turn(angle=in_bfloat16), {}),
    ("every position counts", "bfloat16", lambda c: c.turn(place=in_bfloat16), {}),
    ("partial is not proportional", "proportional", stretched, PART),
    ("partial is not proportional", "partial", in_part, PROPORTIONAL),
    ("learned frequencies are taken", "the ladder", lambda c: c.turn(), {"learned": True}),
    ("learned frequencies are taken", "in a part", lambda c: c.turn(), {"learned": True, **PART}),
    ("a sink takes its share", "dropped", lambda c: attending(c, sink=False), {"attend": True}),
    ("a sink takes its share", "dropped, causal", lambda c: attending(c, sink=False, causal=True),
     {"attend": True}),
    ("a sink takes its share", "of another head", lambda c: attending(c, sink=c.sink + 2, causal=True),
     {"attend": True}),
    ("columns of the config", "pairing", lambda c: turning(c.other(c.d), c.omega), {}),
    ("columns of the config", "narrower", lambda c: turning(c.lay(c.d // 2), ladder(c.d // 2, c.base)), {}),
    ("columns of the config", "last", lambda c: turning(c.lay(c.width, c.d - c.width), c.omega), PART),
    ("columns of the config", "whole", lambda c: turning(c.lay(c.d), ladder(c.d, c.base)), PART),
    ("direction of the config", "clockwise", lambda c: c.turn(angle=np.negative), {}),
    ("frequencies of the config", "base", lambda c: turning(c.pairs, ladder(c.d, 2 * c.base)), {}),
    ("frequencies of the config", "block", lambda c: c.turn(), LLAMA3),
    ("frequencies of the config", "width", slowed, PART),
    ("far rows of the config", "bfloat16", lambda c: turning(c.pairs, in_bfloat16(c.omega)), {}),
    ("last digits of the config", "bfloat16", lambda c: c.turn(ends=in_bfloat16), {}),
    ("last digits of the config", "answer", lambda c: c.turn(answer=in_bfloat16), {}),
]  # fmt: skip


@pytest.mark.parametrize(("row", "mistake", "make", "given"), BUGS, ids=[" ".join(bug[:2]) for bug in BUGS])
def test_a_mistake_first_fails_the_test_whose_row_names_it(row, mistake, make, given):
    first = set()
    for seed in SEEDS:
        case = Case(seed, **{key: value for key, value in given.items() if key not in OPTIONS})
        made = make(case)
        options = {"longest": given["longest"]} if "longest" in given else {}
        options |= {"learned": case.learned} if "learned" in given else {}
        if "attend" in given:
            options, made = {"attend": made, "sink": case.sink}, case.turn()
        first.add(case.failed(*(made if isinstance(made, tuple) else (made,)), **options)[0])
    assert first == {row}


@pytest.mark.parametrize("given", [{}, PART, YARN, LLAMA3, PROPORTIONAL], ids=str)
def test_a_program_of_another_make_passes_all(given):
    for seed in SEEDS:
        case = Case(seed, **given)
        turn = turning(case.pairs, case.layer.frequencies, factor=case.layer.attention_factor)
        assert case.failed(turn) == case.failed(turn, turn, longest=131072) == []


@pytest.mark.parametrize("given", [{}, PART], ids=str)
def test_learned_frequencies_and_a_sink_that_are_there_pass_all(given):
    for seed in SEEDS:
        case = Case(seed, **given)
        turn = turning(case.pairs, case.learned)
        for more in ({}, {"causal": True}, {"causal": True, "window": 3}):
            attend = attending(case, **more)
            assert case.failed(turn, learned=case.learned, attend=attend, sink=case.sink) == []


def test_the_layers_of_gemma_4_that_see_everything_are_told_from_partial_rotary():
    for seed in SEEDS:
        case = Case(seed)
        block = {"rope_type": "proportional", "partial_rotary_factor": 0.25, "rope_theta": case.base}
        blocks = {"full_attention": block, "sliding_attention": {"rope_type": "default", "rope_theta": 1e4}}
        gemma = {"model_type": "gemma4_text", "num_hidden_layers": 6, "head_dim": 32,
                 "global_head_dim": case.d, "rope_parameters": blocks}  # fmt: skip
        case.layer, right = pe.rotary_from_config(gemma)[5], ladder(case.d, case.base)
        right[case.d // 8 :] = 0
        assert case.failed(turning(halves(case.d), right)) == []
        wrong = turning(halves(case.d // 4), ladder(case.d // 4, case.base))
        assert case.failed(wrong)[0] == "partial is not proportional"


def test_a_layer_that_was_edited_by_hand_is_refused_by_name():
    case = Case(0)
    for edited, says in (
        ({"rotary_dim": case.d // 2}, "frequencies must have shape"),
        ({"side": "left"}, "side must be 'first' or 'last'"),
        ({"rotary_dim": 0, "kind": "learned"}, "layer must be one that turns, got one of kind 'learned'"),
    ):
        with pytest.raises(ValueError, match=says):
            tried(case.turn(), replace(case.layer, **edited))
    with pytest.raises(ValueError, match="attend and sink must be given together"):
        tried(case.turn(), case.layer, sink=1.0)


@pytest.mark.parametrize("length", [128, 300, 2048, 12000, 32000])
def test_texts_of_any_length_are_tested_within_it(length):
    case, reached = Case(3), []

    def turn(rows, positions):
        reached.extend(positions)
        return case.turn()(rows, positions)

    assert case.failed(turn, longest=length) == []
    assert max(reached) == length - 1
    assert case.failed(by_table(case, length, raising), longest=length) == []
    assert case.failed(by_table(case, length // 2, raising), longest=length)[0] == "no table ends"


# What a program may take and return ------------------------------------------------------------------------


class Module(torch.nn.Module):
    """A module that takes tensors alone, with its frequencies in a buffer, and pairs halves."""

    def __init__(self, d, base=10000.0):
        super().__init__()
        self.register_buffer("inv_freq", 1.0 / base ** (torch.arange(0, d, 2).float() / d))

    def forward(self, rows, positions):
        t = torch.outer(positions.to(self.inv_freq.dtype), self.inv_freq)
        t = torch.cat([t, t], dim=-1)
        a, b = rows.chunk(2, dim=-1)
        return rows * t.cos() + torch.cat([-b, a], dim=-1) * t.sin()


LAYER = pe.rotary_from_config({"model_type": "llama", "head_dim": 16})[0]


def first_failed(turn, **given):
    return next((what for what, passed in tried(turn, LAYER, **given).items() if passed is not True), None)


def in_lists(rows, positions):
    """Lists in, lists out, with a loop over all numbers."""
    rows = [list(row) for row in rows]
    for row, p in zip(rows, positions, strict=True):
        for i in range(8):
            t = p / 10000 ** (i / 8)
            a, b = row[i], row[i + 8]
            row[i], row[i + 8] = a * np.cos(t) - b * np.sin(t), a * np.sin(t) + b * np.cos(t)
    return rows


def lists_alone(rows, positions):
    assert type(rows) is type(positions) is list
    return in_lists(rows, positions)


def test_modules_tensors_and_lists_are_taken():
    module = Module(16)
    assert first_failed(module) is None
    assert first_failed(lambda x, p: module(x.float(), p).requires_grad_()) is None
    assert first_failed(lambda x, p: module(x, p)[None, None]) is None
    assert first_failed(in_lists) is first_failed(lists_alone) is None
    assert first_failed(lambda x, p: torch.from_numpy(pe.rotate(x, p, layout="halves"))) is None


def test_a_module_that_wants_rows_of_its_own_dtype_gets_them():
    module, weight = Module(16), torch.eye(16)
    assert first_failed(lambda x, p: module(x @ weight, p)) is None


def test_a_cast_of_the_whole_module_is_told_by_what_it_rounds():
    assert first_failed(Module(16).bfloat16()) == "only the difference counts"
    assert first_failed(Module(16).half()) == "only the difference counts"


def test_what_a_program_raises_is_told():
    assert "no such" in tried(lambda x, p: {}["no such"], LAYER)["alone as in a batch"]
    assert "(1, 16), got (16, 16)" in tried(lambda x, p: np.eye(16), LAYER)["alone as in a batch"]


# The page --------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def names():
    return run("find-the-bug", *range(len(cells("find-the-bug"))))


def test_every_mistake_of_the_page_is_caught_by_the_line_that_names_it(names):
    assert names["wrong"].keys() == NAMED.keys()
    for what, broken in names["wrong"].items():
        assert first_failed(broken) == NAMED[what]


def test_every_test_has_its_line_in_the_table_and_no_line_lacks_its_test_or_a_planted_mistake(names):
    table = text("find-the-bug").partition("| fails | look at | more |")[2].partition("\n\n")[0]
    told = re.findall(r"^\| ([^:|]+?) \|", table, re.MULTILINE)
    assert told == list(tried(names["turn"], names["layer"]))
    assert set(told) == {*NAMED.values(), *NAMED_BY_MORE.values(), *(row for row, *_ in BUGS)}


def test_mistakes_that_need_more_than_the_config_are_caught_by_the_line_that_names_them(names):
    assert names["first"] == NAMED_BY_MORE
