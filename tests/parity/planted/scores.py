"""Mistakes in biases on scores, relative vectors, windows, and in where scores are divided."""

import numpy as np

from pe_book.family import relative, score_bias
from pe_book.family.relative import deberta, log_buckets
from pe_book.family.score_bias import t5, windows
from pe_book.why import order_blindness
from tests.parity.planted.patches import Chosen, Patch, named, replaced, together
from tests.parity.register import Member

attention = order_blindness.attention
alibi_slopes, alibi_bias, alibi_key_bias = (
    score_bias.alibi_slopes, score_bias.alibi_bias, score_bias.alibi_key_bias,
)  # fmt: skip
whole_offsets, begins, t5_bias = t5.whole_offsets, t5._begins, t5.t5_bias
window_mask, seen_from = windows.window_mask, windows.offsets
clipped_offsets, offset_scores = relative.clipped_offsets, relative._scores
edges_of, deberta_bias = deberta.edges_of, deberta.deberta_bias


def later_buckets(side, farthest):
    """A wide bucket begins where the formula is above its number, not where it reaches it."""
    first = begins(side, farthest).copy()
    first[side // 2 + 1 :] += 1
    return first


def earlier_edges(n_buckets, max_position, name):
    """An offset that reaches the end of a bucket is put into the next."""
    edges = edges_of(n_buckets, max_position, name).copy()
    edges[1:] -= 1
    return edges


def not_divided(q, *given):
    return offset_scores(q, *given) * np.sqrt(np.shape(q)[-1])


def one_later(queries, keys, *, clip):
    """The rows of the offsets one further ahead, up to the last."""
    return np.minimum(clipped_offsets(queries, keys, clip=clip) + 1, 2 * clip)


def one_formula_for_all(n_heads, *, bias_max=8.0):
    return np.exp2(-bias_max * np.arange(1, n_heads + 1) / n_heads)


def steepest_first(n_heads, **options):
    return -np.sort(-alibi_slopes(n_heads, **options))


def as_first_of_the_call(where):
    """Positions of queries counted from the first query of the call."""
    where = np.asarray(where)
    return where - where[..., :1]


def not_turned_back(q, k, as_keys, as_queries, *places, **options):
    """Offset with content, computed by keys and added as it is, without swapping queries and keys."""
    whole = deberta_bias(q, k, as_keys, as_queries, *places, **options)
    if as_queries is None:
        return whole
    rest = deberta_bias(q, k, as_keys, np.zeros_like(as_queries), *places, **options)
    return rest + np.swapaxes(whole - rest, -1, -2)


def row_of_the_paper(*arguments, convention, **options):
    return deberta_bias(*arguments, convention="paper", **options)


def always_divided(*arguments, scale=None, **options):
    return attention(*arguments, **options)


def divided_the_other_way(*arguments, scale_bias=False, **options):
    return attention(*arguments, scale_bias=not scale_bias, **options)


def but(chosen: Chosen, *words: str) -> Chosen:
    return lambda one: chosen(one) and not named(*words)(one)


def whole(chosen: Chosen) -> Chosen:
    return lambda one: one.kind == "attention" and chosen(one)


def queries_of_the_call(home: object, name: str, right) -> Patch:
    """A bias or mask whose second or first argument, the positions of queries, is counted from 0."""
    at = 0 if name == "window_mask" else 1

    def planted(*arguments, **options):
        given = list(arguments)
        given[at] = as_first_of_the_call(given[at])
        return right(*given, **options)

    return replaced(home, name, planted)


def other_heads(one: Member) -> bool:
    """Those with a number of heads that is no power of two."""
    return named("BLOOM", "MPT", "ALiBi's")(one)


PLANTED: dict[str, tuple[Patch, Chosen]] = {
    "the other sign of the offset": (
        together(
            *(
                replaced(home, "whole_offsets", lambda *places: -whole_offsets(*places))
                for home in (t5, relative, deberta)
            ),
            replaced(score_bias, "alibi_key_bias", lambda *given: -alibi_key_bias(*given)),
            replaced(windows, "offsets", lambda *places: -seen_from(*places)),
        ),
        lambda one: whole(named("T5", "Shaw", "DeBERTa", "BLOOM", "MPT", "Falcon"))(one)
        or named("BLOOM's bias", "MPT's bias", "window, causal", "Mistral", "a window")(one),
    ),
    "`>` for `>=` in T5's buckets": (
        replaced(t5, "_begins", later_buckets), named("T5's buckets", "T5's attention"),
    ),
    "`>=` for `>` in DeBERTa's buckets": (
        together(
            replaced(deberta, "edges_of", earlier_edges), replaced(log_buckets, "edges_of", earlier_edges)
        ),
        named("logarithmic buckets", "versions, buckets"),
    ),
    "slopes of 12 heads by the formula of 8 or 16": (
        replaced(score_bias, "alibi_slopes", one_formula_for_all), other_heads
    ),
    "slopes of 12 heads in falling order": (
        replaced(score_bias, "alibi_slopes", steepest_first), other_heads
    ),
    "slopes that always end at 1/256": (
        replaced(score_bias, "alibi_slopes", lambda heads, **_: alibi_slopes(heads)),
        named("down to 1/16", "2⁻¹⁶"),
    ),
    "offset with content, not transposed": (
        replaced(deberta, "deberta_bias", not_turned_back),
        but(whole(named("DeBERTa")), "content to position"),
    ),
    "offset with content, by the row of the paper": (
        replaced(deberta, "deberta_bias", row_of_the_paper),
        but(whole(named("DeBERTa")), "content to position"),
    ),
    "Shaw's scores of offsets, not divided": (
        replaced(relative, "_scores", not_divided),
        named("Shaw"),
    ),
    "Shaw's offsets clipped one later": (
        replaced(relative, "clipped_offsets", one_later), named("Shaw"),
    ),
    "scores divided by the root of the width, whatever the scale": (
        replaced(order_blindness, "attention", always_divided),
        whole(named("T5's attention", "DeBERTa", "T5's bias in Flex")),
    ),
    "the bias divided where it is not, and not where it is": (
        replaced(order_blindness, "attention", divided_the_other_way),
        whole(named("BLOOM", "MPT", "Falcon", "ALiBi in", "T5's bias in x", "DeBERTa")),
    ),
    "a bias by the number of the query in the call": (
        together(
            queries_of_the_call(t5, "t5_bias", t5_bias),
            queries_of_the_call(score_bias, "alibi_bias", alibi_bias),
            queries_of_the_call(windows, "window_mask", window_mask),
        ),
        named("T5's attention, two words", "two queries of many", "window, ", "behind a cache, window"),
    ),
    "a window that is one wider": (
        replaced(windows, "window_mask", lambda *at, window, **k: window_mask(*at, window=window + 1, **k)),
        named("window"),
    ),
}  # fmt: skip
