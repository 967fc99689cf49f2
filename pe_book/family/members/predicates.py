"""The properties of a member, each a predicate that runs the member's arrays.

None of them reads a name, a source or a description, and each is defined by the place where position enters.
A property that makes no sense at a place is None: it does not apply.
"""

from itertools import pairwise
from typing import Literal

import numpy as np

from pe_book.family.members.places import TOKENS, Array, Handed, Member, of_a_member
from pe_book.inputs.checking import room_for, whole_number
from pe_book.inputs.wording import shown
from pe_book.numerics.rounding import collisions

Beyond = Literal["goes on", "refuses", "moves"]
Call = Literal["no mask", "key mask", "square mask", "own code"]
_SAME = 1e-9  # what may differ by rounding
_GROWS = 1.05  # per doubling: a logarithm from 64 tokens on grows faster, noise of stand-ins less


@of_a_member
def bounded(member: Member) -> bool | None:
    """Whether what comes in stops growing when the text doubles, three times, up to the training length.

    At the input that is the code, at query and key the length of a changed row, at the score what is added
    over the far half of the text. It does not apply where nothing is added or changed.

    >>> from pe_book.family.members import members
    >>> [bounded(members()[name]) for name in ("count", "sinusoid", "ALiBi", "NoPE")]
    [False, True, False, None]
    """
    found = []
    for n in (member.length // 8, member.length // 4, member.length // 2, member.length):
        ends, half = np.array([0, n - 1]), n // 2
        if member.place == "input":
            came_in = _code(member, n)[half:]
        elif member.place == "query and key":
            came_in = equal(member, n).k[:, half:]
        elif member.place == "score":
            bias = member.handed(_words(member, n, equal=True), np.arange(n), ends).bias
            if bias is None:
                return None
            far = np.abs(np.arange(n) - ends[:, None]) >= half  # (2, n)
            came_in = np.broadcast_to(bias, (member.heads, 2, n))[:, far]  # (h, m)
        else:
            return None
        found.append(float(np.sqrt(np.mean(came_in**2))))
    return not all(after > _GROWS * before for before, after in pairwise(found))


@of_a_member
def distinct(member: Member) -> tuple[int, int] | None:
    """How many are told apart: rows of codes at the input, elsewhere offsets by their scores in all heads.

    One word asks and another answers. Offsets cannot be told apart where a score depends on more than the
    offset; then it does not apply, and where nothing comes in neither.
    """
    n = member.length
    if member.place == "input":
        rows = collisions(_code(member, n))
        return rows.distinct, rows.total
    if member.place == "nowhere":
        return None
    at, shape = np.arange(n), (member.heads, n, member.width // member.heads)
    word, other = (
        np.broadcast_to(row.reshape(shape[0], 1, -1), shape)  # (h, n, d)
        for row in _words(member, 2)
    )
    scores = member.hands(word, other, at, at).scores()
    over_own = scores - scores.diagonal(axis1=1, axis2=2)[..., None]  # (h, n, n)
    scores = np.where(np.isfinite(scores), over_own, -1e9)
    offsets = np.concatenate([scores[:, 1:, 0][:, ::-1], scores[:, 0]], axis=1)  # (h, 2n - 1)
    square = np.arange(n) - np.arange(n)[:, None] + n - 1  # (n, n)
    if np.abs(offsets[:, square] - scores).max() > _SAME * max(1, np.abs(offsets).max()):
        return None
    by_offset = offsets.T.round(9)  # (2n - 1, h)
    rows = collisions(by_offset)
    return rows.distinct, rows.total


@of_a_member
def difference(member: Member) -> bool:
    """Whether all weights of different words stay when every position moves on by the same number."""
    n = member.length // 4
    words = _words(member, n)
    here = member.handed(words, np.arange(n)).weights()
    moved = (member.handed(words, np.arange(n) + by).weights() for by in (1, 7, n, 3 * n))
    return all(np.allclose(there, here, rtol=0, atol=_SAME) for there in moved)


@of_a_member
def beyond(member: Member) -> Beyond:
    """What happens at one token more than in training."""
    n = member.length
    words, some = _words(member, n + 1), np.array([0, n // 2, n - 1])
    before = member.handed(words[:n], np.arange(n), some)
    try:
        after = member.handed(words, np.arange(n + 1), some)
    except ValueError:
        return "refuses"
    seen = np.tile(np.arange(n + 1) < n, (3, 1))  # (3, n + 1)  the old words alone
    same = _same(before.weights(), after.weights(seen)[..., :n])
    return "goes on" if same and _kept(before, after, n) else "moves"


@of_a_member
def cache(member: Member) -> bool:
    """Whether keys and values stay when a token is added, and one query gives what the full pass gives."""
    n = member.length // 4
    words, every = _words(member, n), np.arange(n)
    full = member.handed(words, every)
    whole = full.output(np.tri(n, dtype=bool))
    for p in (1, n // 2, n - 1):
        kept = member.handed(words[:p], every[:p])
        step = member.handed(words[: p + 1], every[: p + 1], every[p : p + 1])
        if not (_kept(kept, step, p) and _same(step.output()[:, 0], whole[:, p])):
            return False
    return True


@of_a_member
def square(member: Member) -> bool:
    """Whether what is handed over has a number for every query and every key."""
    handed = equal(member, TOKENS)
    given = (handed.bias, handed.mask)
    return any(one is not None and one.shape[-2:] == (TOKENS, TOKENS) for one in given)


@of_a_member
def call(member: Member) -> Call:
    """What the attention call needs, from the shapes of what is handed over."""
    handed = equal(member, TOKENS)
    if handed.after is not None:
        return "own code"
    if square(member):
        return "square mask"
    return "no mask" if handed.bias is None and handed.mask is None else "key mask"


@of_a_member
def direction(member: Member) -> bool:
    """Whether of two equal words the one ahead scores the other differently, with W_Q = W_K."""
    scores = equal(member, TOKENS).scores()
    other_way = np.swapaxes(scores, -1, -2)  # (h, n, n)
    return not _same(scores, other_way)


@of_a_member
def order(member: Member) -> bool:
    """Whether without a mask a text read backwards gives other outputs than the text, backwards."""
    words, every = _words(member, TOKENS), np.arange(TOKENS)
    forwards, backwards = (member.handed(text, every).output() for text in (words, words[::-1]))
    return not _same(forwards, backwards[:, ::-1])


@of_a_member
def maskless(member: Member) -> bool:
    """Whether without a mask equal words have other weights in other places: where a query stands matters."""
    weights = equal(member, TOKENS).weights()
    return not _same(weights, weights[:, :1])


@of_a_member
def counts(member: Member) -> bool:
    """Whether equal words come out different in different places, under a causal mask."""
    output = equal(member, TOKENS).output(np.tri(TOKENS, dtype=bool))
    return not _same(output, output[:, :1])


def _words(member: Member, n: int, *, equal: bool = False) -> Array:
    """Different words, or one word n times, in numbers that are the same in every run."""
    # small, so that no softmax is decided by the words alone
    rows = np.random.default_rng(1).normal(0, 0.25, (1 if equal else n, member.width))
    return np.broadcast_to(rows, (n, member.width))  # (n, width)


def equal(member: Member, n: int) -> Handed:
    """What a member hands over of one word, n times."""
    if not isinstance(member, Member):
        raise TypeError(f"member must be one of members(), got {shown(member)}")
    count = whole_number(n, "n", least=1, most=2**15)
    room_for(4 * 8 * count * max(member.width, count), "n", count)
    return member.handed(_words(member, count, equal=True), np.arange(count))


def _code(member: Member, n: int) -> Array:
    """What is added to the words, shape (n, width)."""
    keys = member.handed(np.zeros((n, member.width)), np.arange(n)).k
    return keys.swapaxes(0, 1).reshape(n, -1)  # (n, width)


def _kept(before: Handed, after: Handed, n: int) -> bool:
    return _same(before.k, after.k[:, :n]) and _same(before.v, after.v[:, :n])


def _same(a: Array, b: Array) -> bool:
    return bool(np.allclose(a, b, rtol=_SAME, atol=_SAME))
