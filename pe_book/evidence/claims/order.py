"""What decides the claims about order, attention and parallelism: C001 to C013."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from pe_book.evidence.claims.claim import ROUNDING, Change, Decided, equal, given
from pe_book.evidence.verdict import Verdict
from pe_book.evidence.why.order_blindness import equivariant, every_row_moved, invariant, needs_order
from pe_book.family.doors.models import model
from pe_book.sinusoidal.formula import encode
from pe_book.why.chain import operation_counts, recurrent_chain
from pe_book.why.layers import Layer, power_of_two_layer, random_layers, stacked_attention
from pe_book.why.order_blindness import attention, self_attention

Rows = NDArray[np.float64]

X: Rows = np.random.default_rng(0).normal(size=(3, 8))  # three words
FIRST, SECOND = random_layers(2, 8, seed=0)
BACK, SWAPPED = [2, 1, 0], [1, 0, 2]
PLACED = Change("the words get their positions before the layer", {"places": encode(range(3), 8)})


def _gap(a: Rows, b: Rows) -> float:
    return float(np.abs(a - b).max())


def _chain(*, w_state: Rows | None = None, linear: bool = False) -> Verdict:
    w_s, w_i = np.random.default_rng(1).normal(size=(2, 8, 8))
    kept = w_s if w_state is None else w_state
    last, other = (recurrent_chain(x, kept, w_i, linear=linear)[-1] for x in (X, X[SWAPPED]))
    return Verdict(_gap(last, other) > 0.1, {"apart": _gap(last, other)})


def _in_turn_is_enough() -> Verdict:
    """Whether a chain that reads in turn, and adds, ends elsewhere when two words change places."""
    return _chain(w_state=np.eye(8), linear=True)


def _if_steps_do_not_commute(*, w_state: Rows | None = None, linear: bool = False) -> Verdict:
    return Verdict(bool(_chain(w_state=w_state, linear=linear)) and not _in_turn_is_enough())


def _work_keeps_pace(*, seq_len: int = 10_000, d_model: int = 512) -> Verdict:
    """Whether a word costs as many multiplications in a long text as in one of two words."""
    few, many = operation_counts(2, d_model), operation_counts(seq_len, d_model)
    evidence = {"ratio": many.product / many.chain, "scores": many.scores}
    return Verdict(2 * many.product == seq_len * few.product, evidence)


def _one_step(*, layer: str = "product") -> Verdict:
    """Whether as few steps wait for each other in a long text, and the products grow with the square."""
    few, more, many = (operation_counts(n, 512) for n in (2, 4, 10_000))
    steps = {getattr(counted, f"{layer}_steps") for counted in (few, more, many)}
    square = more.product == 4 * few.product
    return Verdict(len(steps) == 1 and square, {"chain steps": many.chain_steps})


def _moved(layer: Callable[[Rows], Rows], token: int) -> tuple[Rows, Rows]:
    other = X.copy()
    other[token] += 1
    return layer(X), layer(other)


def _attention(x: Rows) -> Rows:
    return self_attention(x, *FIRST)


def _independent(*, layer: Callable[[Rows], Rows] = _attention) -> Verdict:
    others = [[row for row in range(3) if row != token] for token in range(3)]
    pairs = [_moved(layer, token) for token in range(3)]
    kept = [equal(after[rows], before[rows]) for (before, after), rows in zip(pairs, others, strict=True)]
    return Verdict(all(kept))


def _all_depend() -> Verdict:
    """Whether every row moves with each token, and under a causal mask those from the token on."""
    behind = [_moved(_read(None, causal=True), token) for token in range(3)]
    masked = all(
        equal(after[:token], before[:token]) and every_row_moved(before[token:], after[token:])
        for token, (before, after) in enumerate(behind)
    )
    free = all(every_row_moved(*_moved(_attention, token)) for token in range(3))
    return Verdict(masked and free and bool(_independent(layer=np.tanh)))


def _read(places: Rows | None, causal: bool = False) -> Callable[[Rows], Rows]:
    def layer(x: Rows) -> Rows:
        return self_attention(x if places is None else x + places, *FIRST, causal=causal)

    return layer


def _identical(*, places: Rows | None = None) -> Verdict:
    return Verdict(_gap(_read(places)(X[BACK]), _read(places)(X)) < ROUNDING)


def _aligned(*, places: Rows | None = None, causal: bool = False) -> Verdict:
    """Whether each word has the same vector in every order, and so all words the same mean."""
    found = equivariant(_read(places, causal), X)
    pooled = invariant(lambda x: _read(places, causal)(x).mean(axis=0), X)
    return Verdict(bool(found) and bool(pooled), {"orders": found.evidence["orders"]})


def _invariant_once_pooled(*, causal: bool = False) -> Verdict:
    """Whether the mean of the rows is, and what one query makes of shuffled keys and values."""
    pooled = invariant(lambda x: _read(None, causal)(x).mean(axis=0), X)
    of_one = invariant(lambda x: attention(X[:1] @ FIRST.w_q, x @ FIRST.w_k, x @ FIRST.w_v), X)
    return Verdict(bool(pooled) and bool(of_one) and bool(equivariant(_attention, X)))


def _blind_where_products_commute(*, masked: bool = True) -> Verdict:
    """Whether a layer is blind wherever its scores are dot products, which commute: under a mask, too."""
    return _aligned(causal=masked)


def _blind_without_symmetry() -> Verdict:
    scores = (X @ FIRST.w_q) @ (X @ FIRST.w_k).T
    symmetric = equal(scores, scores.T)
    return Verdict(not symmetric and bool(_aligned()), {"asymmetry": _gap(scores, scores.T)})


def _last_rows(causal: bool, depth: int) -> float:
    layers: Sequence[Layer] = [FIRST, SECOND][:depth]
    one, other = (stacked_attention(x, layers, causal=causal)[-1] for x in (X, X[SWAPPED]))
    return _gap(one, other)


def _needs_positions(*, masked: bool = True) -> Verdict:
    return Verdict(_last_rows(masked, 2) < ROUNDING)


def _blind_without_mask(*, causal: bool = False) -> Verdict:
    one = _last_rows(True, 1)  # the words before the last are a bag for it
    return Verdict(_last_rows(causal, 2) < ROUNDING and one < ROUNDING)


def _sums(first: Rows, second: Rows, positions: tuple[int, int], d_model: int) -> tuple[float, float]:
    """How far the sums of two words with their rows are apart, and how far the rows are."""
    near, far = (encode(p, d_model) for p in positions)
    return float(np.linalg.norm((second + far) - (first + near))), float(np.linalg.norm(far - near))


def _differs() -> Verdict:
    first, second = np.random.default_rng(3).normal(size=(2, 512))
    return Verdict(_sums(first, second, (0, 3), 512)[0] > 1)


def _codes_alone() -> Verdict:
    """Whether the sums are as far apart as their codes, where *the* and *The* are two tokens."""
    first, second = np.random.default_rng(3).normal(size=(2, 512))
    return Verdict(equal(*_sums(first, second, (0, 3), 512)))


def _same_word(*, positions: tuple[int, int] = (0, 3), d_model: int = 512) -> Verdict:
    words = np.random.default_rng(4).normal(size=(3, d_model))
    found = [_sums(word, word, positions, d_model) for word in words]
    return Verdict(all(equal(*pair) and pair[1] > 1 for pair in found), {"codes": found[0][1]})


def _same_bag() -> Verdict:
    pair = ("dog bites man", "man bites dog")
    return Verdict(Counter(pair[0].split()) == Counter(pair[1].split()) and bool(needs_order(*pair)))


def _roles(causal: bool) -> float:
    """How far two layers have *man* of *dog bites man* from *man* of *man bites dog*, with drawn words."""
    one, other = (stacked_attention(x, [FIRST, SECOND], causal=causal) for x in (X, X[BACK]))
    return _gap(one[2], other[0])


def _two_banks(*, layer: Callable[[Rows], Rows] | None = None) -> Verdict:
    vectors = {"river": (0.0, 2.0), "money": (2.0, 0.0), "bank": (1.0, 1.0)}
    hand = power_of_two_layer(2)
    read = layer or (lambda x: self_attention(x, *hand))
    river, money = (np.array([vectors[word], vectors["bank"]]) for word in ("river", "money"))
    return Verdict(bool((river[1] == money[1]).all()) and _gap(read(river)[1], read(money)[1]) > 0.1)


DECIDED = {
    "C001": Decided(_chain, _if_steps_do_not_commute, because=_in_turn_is_enough),
    "C002": Decided(_work_keeps_pace, _one_step),
    "C003": Decided(_independent, instead=_all_depend),
    "C004": Decided(_identical, _aligned),
    "C005": Decided(given(invariant, _attention, X), _invariant_once_pooled),
    "C006": Decided(_aligned, because=_blind_where_products_commute, instead=_blind_without_symmetry),
    "C007": Decided(_needs_positions, _blind_without_mask, because=_blind_without_mask),
    "C008": Decided(_differs, _same_word, because=_codes_alone),
    "C009": Decided(lambda pair=("read a book", "book a flight"): needs_order(*pair), instead=_same_bag),
    "C010": Decided(_two_banks),
    "C011": Decided(
        lambda: "input" not in model("Transformer").doors,
        lambda names=("T5", "BLOOM", "LLaMA"): all("input" not in model(name).doors for name in names),
    ),
    "C012": Decided(
        lambda: _roles(True) < ROUNDING, lambda causal=False: _roles(causal) < ROUNDING and bool(_same_bag())
    ),
}
FAILS_WITH = {
    "C001": Change(
        "the old state is kept as it is and nothing is squashed, which leaves a sum",
        {"w_state": np.eye(8), "linear": True},
    ),
    "C002": Change("the layer is the recurrent chain", {"layer": "chain"}),
    "C003": Change("the layer is a function of each row alone", {"layer": np.tanh}),
    "C004": PLACED,
    "C005": Change("a mask hides what comes later", {"causal": True}),
    "C006": Change("the reason is tried without a mask alone", {"masked": False}),
    "C007": Change("the layers that should be blind get a causal mask", {"causal": True}),
    "C008": Change("both words stand at position 3", {"positions": (3, 3)}),
    "C009": Change(
        "the second phrase has the words of the first", {"pair": ("book a flight", "flight a book")}
    ),
    "C010": Change("the layer is a look-up", {"layer": lambda x: x}),
    "C011": Change("the models asked are BERT and GPT-2", {"names": ("BERT", "GPT-2")}),
    "C012": Change("the layers that should be blind get a causal mask", {"causal": True}),
}
