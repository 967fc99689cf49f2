"""The registry of the family: every way of telling a transformer where a word is that the book defines.

One record a member: its place, source, definition, torch module, options, and what training sets, for which
random numbers stand. The map, the property matrix (:mod:`pe_book.family.members.properties`) and whatever
else compares members are made from these records; no second list is kept.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from pe_book.catalogue import catalogue
from pe_book.family.learned import lookup
from pe_book.family.members.places import (
    Array,
    Hands,
    Mask,
    Member,
    Positions,
    added,
    biased,
    hidden,
    sizes,
    turned,
    untold,
)
from pe_book.family.relative import relative_scores, relative_values
from pe_book.family.relative.deberta import deberta_bias
from pe_book.family.rotary import rotate
from pe_book.family.score_bias import alibi_bias, alibi_key_bias, alibi_slopes
from pe_book.family.score_bias.kerple import kerple_bias
from pe_book.family.score_bias.t5 import t5_bias
from pe_book.family.score_bias.windows import window_mask
from pe_book.inputs.checking import room_for, whole_number
from pe_book.inputs.wording import shown
from pe_book.sinusoidal.formula import encode
from pe_book.why.first_attempts import count, over_length

#: What can be set, member by member, and what it is if nobody sets it.
OPTIONS: dict[str, dict[str, float]] = {
    "sinusoid": {"base": 10000.0},
    "rotary": {"base": 10000.0},
    "Shaw": {"clip": 16},
    "DeBERTa": {"span": 512},
    "T5": {"n_buckets": 32, "max_distance": 128},
    "ALiBi": {"bias_max": 8.0},
    "ALiBi by keys": {"bias_max": 8.0},
    "window": {"window": 32},
    "window + first": {"window": 32, "sinks": 4},
}

# the torch module of each source, as text: nothing here imports torch
_MODULES = {
    one.source: f"pe_book.nn.{one.name}" for one in catalogue() if not one.numpy and one.place != "none"
}


def members(
    *,
    width: int = 512,
    heads: int = 8,
    length: int = 512,
    seed: int = 2017,
    options: Mapping[str, Mapping[str, float]] | None = None,
) -> dict[str, Member]:
    r"""The members by name, in the order of the doors.

    With offset :math:`k` = key minus query they tell a score

    .. math:: (x_i + P_i)\cdot(x_j + P_j), \qquad (R_i x_i)\cdot(R_j x_j), \qquad \allowbreak
              x_i \cdot x_j + b_k

    at the input, at query and key, and at the score; Shaw's and DeBERTa's :math:`b_k` are products of
    :math:`x` with a vector of the offset.

    Parameters
    ----------
    width
        Of a word, in columns: an even number for each head.
    heads
        h.
    length
        The longest text in training, in tokens: the rows of the learned table.
    seed
        Of the random numbers that stand for what training would find.
    options
        By the name of a member, what is to differ from :data:`OPTIONS`.

    Returns
    -------
    dict of str to Member
        Those of the input first, what is told nothing last.

    Raises
    ------
    ValueError
        If sizes do not fit, or an option is not one of the member.

    Examples
    --------
    >>> found = members()
    >>> [name for name, one in found.items() if one.place == "input"]
    ['count', 'count over length', 'learned table', 'sinusoid']
    >>> found["learned table"].parameters, members(heads=16)["T5"].parameters
    (262144, 512)
    """
    d, h, most = sizes(width, heads, length)
    room_for(3 * 8 * most * d, "length and width", (most, d))
    draw = np.random.default_rng(whole_number(seed, "seed", least=0))
    chosen = _chosen({} if options is None else options)
    table = {"rows": draw.normal(0, 0.02, (most, d))}
    r = {name: draw.uniform(0.5, 2, h) for name in ("r1", "r2")}
    buckets = {"numbers": draw.normal(size=(int(chosen["T5"]["n_buckets"]), h))}
    slopes = {name: alibi_slopes(h, **chosen[name]) for name in ("ALiBi", "ALiBi by keys")}
    shaw = {
        name: draw.normal(0, 0.1, (2 * int(chosen["Shaw"]["clip"]) + 1, d // h))
        for name in ("keys", "values")
    }
    offsets = {
        "vectors": draw.normal(0, 0.1, (2 * int(chosen["DeBERTa"]["span"]), d)),
        **{name: draw.normal(0, d**-0.5, (d, d)) for name in ("to keys", "to queries")},
    }
    as_keys, as_queries = (
        (offsets["vectors"] @ offsets[name]).reshape(-1, h, d // h).swapaxes(0, 1)  # (h, 2k, d/h)
        for name in ("to keys", "to queries")
    )
    far = int(chosen["T5"]["max_distance"])

    def counted(positions: Positions, seq_len: int) -> Array:
        return count(seq_len)[positions, None]  # (n, 1)

    def shared_out(positions: Positions, seq_len: int) -> Array:
        return over_length(seq_len)[positions, None]  # (n, 1)

    listed = [
        _record("count", "input", "", "why.first_attempts.count", added(counted)),
        _record("count over length", "input", "", "why.first_attempts.over_length", added(shared_out)),
        _record(
            "learned table", "input", "gehring2017", "family.learned.lookup",
            added(lambda positions, _: lookup(table["rows"], positions)),
            learned=table,
        ),
        _record(
            "sinusoid", "input", "vaswani2017", "sinusoidal.formula.encode",
            added(lambda positions, _: encode(positions, d, base=chosen["sinusoid"]["base"])),
        ),
        _record(
            "rotary", "query and key", "su2021", "family.rotary.rotate",
            turned(
                lambda rows, positions: rotate(rows, positions, base=chosen["rotary"]["base"]),
                lambda positions: encode(positions, d // h, base=chosen["rotary"]["base"]),
            ),
        ),
        _record(
            "Shaw", "score", "shaw2018", "family.relative.relative_scores family.relative.relative_values",
            biased(
                lambda q, k, i, j: relative_scores(q, shaw["keys"], i, j) / np.sqrt(d // h),
                after=lambda table, i, j: relative_values(table, shaw["values"], i, j),
            ),
            learned=shaw
        ),
        _record(
            "DeBERTa", "score", "he2021", "family.relative.deberta.deberta_bias",
            biased(
                lambda q, k, i, j: deberta_bias(q, k, as_keys, as_queries, i, j, convention="paper"),
                scale=(3 * d // h) ** -0.5
            ),
            learned=offsets
        ),
        _record(
            "T5", "score", "raffel2020", "family.score_bias.t5.t5_bias",
            biased(lambda q, k, i, j: t5_bias(buckets["numbers"], i, j, max_distance=far), scale=1.0),
            learned=buckets,
        ),
        _record(
            "ALiBi", "score", "press2022", "family.score_bias.alibi_bias",
            biased(lambda q, k, i, j: alibi_bias(slopes["ALiBi"], i, j)),
        ),
        _record(
            "ALiBi by keys", "score", "press2022", "family.score_bias.alibi_key_bias",
            biased(lambda q, k, i, j: alibi_key_bias(slopes["ALiBi by keys"], j)),
        ),
        _record(
            "KERPLE", "score", "chi2022", "family.score_bias.kerple.kerple_bias",
            biased(lambda q, k, i, j: kerple_bias(r["r1"], r["r2"], i, j)), learned=r,
        ),
        _record(
            "window", "score", "beltagy2020", "family.score_bias.windows.window_mask",
            hidden(_window(chosen["window"])),
        ),
        _record(
            "window + first", "score", "xiao2024", "family.score_bias.windows.window_mask",
            hidden(_window(chosen["window + first"])),
        ),
        _record("NoPE", "nowhere", "kazemnejad2023", "", untold),
    ]  # fmt: skip
    return {
        one.name: replace(one, width=d, heads=h, length=most, options=chosen.get(one.name, {}))
        for one in listed
    }


def _record(
    name: str, place: str, source: str, definition: str, hands: Hands, *,
    learned: Mapping[str, Array] | None = None,
) -> Member:  # fmt: skip
    return Member(
        name, place, hands, source,
        tuple(definition.split()), _MODULES.get(source), learned=learned or {},
    )  # fmt: skip


def _window(options: Mapping[str, float]) -> Callable[[Positions, Positions], Mask]:
    sizes = {name: int(value) for name, value in options.items()}
    return lambda queries, keys: window_mask(queries, keys, causal=False, **sizes)


def _chosen(given: object) -> dict[str, dict[str, float]]:
    """The options of every member, with those that were given."""
    if not isinstance(given, Mapping) or not all(isinstance(one, Mapping) for one in given.values()):
        raise TypeError(f"options must be a mapping from members to their options, got {shown(given)}")
    unknown = [
        (name, key)
        for name, one in given.items()
        for key in one or [""]
        if name not in OPTIONS or (key and key not in OPTIONS[name])
    ]
    if unknown:
        name, key = unknown[0]
        known = "; ".join(f"{one}: {', '.join(keys)}" for one, keys in OPTIONS.items())
        raise ValueError(f"options must be among {known}; got {shown(key)} of {shown(name)}")
    return {name: {**one, **given.get(name, {})} for name, one in OPTIONS.items()}
