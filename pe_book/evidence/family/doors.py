"""Decides what the map of the family says: attention tables built another way, and who is left to choose."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_book.census import census
from pe_book.config.reading import read_config
from pe_book.evidence.family import recorded as configs
from pe_book.evidence.records import length_generalisation
from pe_book.evidence.verdict import Verdict
from pe_book.family.doors import DOORS, NOWHERE, SLOPE, STEP, attend
from pe_book.family.members import members, predicates
from pe_book.family.members.places import Handed, Mask, Member
from pe_book.family.members.properties import Properties, matrix
from pe_book.family.score_bias.windows import window_mask
from pe_book.inputs.checking import real_array
from pe_book.sinusoidal.formula import encode
from pe_book.why.order_blindness import attention_weights

Array = NDArray[np.float64]


def cannot_count(copies: int) -> list[str]:
    """The doors behind which the last of many equal words gets what a single one gets, and nowhere.

    >>> cannot_count(2)
    ['query and key', 'score', 'nowhere']
    """
    where = (*DOORS, NOWHERE)
    last = {door: [attend([[1.0, 0.0]] * n, door).output[-1] for n in range(1, copies + 1)] for door in where}
    return [door for door, rows in last.items() if np.allclose(rows, rows[0], rtol=0, atol=1e-12)]


# members that the study of longer texts has trained, and what it calls them
STUDIED = {
    "learned table": "learned", "sinusoid": "sinusoidal", "rotary": "rotary", "Shaw": "Shaw", "T5": "T5",
    "ALiBi": "ALiBi", "KERPLE": "KERPLE", "NoPE": "none",
}  # fmt: skip
DONE = 0.95  # of the answers, by each seed: less is no word about longer texts


def right_when_longer(member: str, task: str) -> float:
    """The share right at the end of texts of ten times the trained length, mean over the seeds of the study.

    NaN for one that does not learn the task at the trained length.

    >>> right_when_longer("NoPE", "back")
    nan
    """
    at_end = [
        [np.mean(one["tested"]["as trained"]["accuracy"][length][-3:]) for length in (0, -1)]
        for one in _studied()
        if (one["run"]["member"], one["run"]["task"], one["run"]["layers"]) == (STUDIED[member], task, 2)
    ]
    trained, longer = np.transpose(at_end)
    return float(longer.mean()) if trained.min() >= DONE else float("nan")


@cache
def _studied() -> list[dict[str, Any]]:
    runs: list[dict[str, Any]] = length_generalisation.recorded()[0]["runs"]
    return runs


class Drained(Handed):
    """An attention call with a sink logit of 0: the exponential of it stands beside those of the scores."""

    def weights(self, seen: Mask | None = None) -> Array:
        """The weights of the keys, which sum to less than 1."""
        scores = self.scores() if seen is None else np.where(seen, self.scores(), -np.inf)
        top = np.maximum(scores.max(axis=-1, keepdims=True), 0)
        powers = np.exp(scores - top)
        weights: Array = powers / (powers.sum(axis=-1, keepdims=True) + np.exp(-top))
        return weights


def drained(member: Member) -> Member:
    """A member whose attention has a sink logit of 0 in every head."""
    return replace(member, hands=lambda *given: Drained(*member.hands(*given)))


def a_sink_counts() -> Verdict:
    """Whether a sink logit lets every member tell how many equal words there are, whatever its door."""
    told = {name: predicates.counts(drained(one)) for name, one in members().items()}
    return Verdict(all(told.values()), told)


def kept_beside_a_sink(copies: int) -> float:
    """The share of a word that comes out of so many equal ones, each of score 1, beside a sink logit of 0.

    A key and a value of zeros have the same effect.

    >>> round(kept_beside_a_sink(1), 3)
    0.731
    """
    return float(attend([[0.0, 0.0], *[[1.0, 0.0]] * copies], causal=False).weights[-1, 1:].sum())


def at_scores_without_a_square() -> list[str]:
    """The members that enter at the scores and hand over no number for each query and key.

    >>> at_scores_without_a_square()
    ['ALiBi by keys']
    """
    found = matrix()
    return [name for name, one in members().items() if one.place == "score" and not found[name].square]


def pairs_seen(tokens: int) -> int:
    """How many pairs of a query and a key the family's window leaves in a text, under a causal mask.

    >>> pairs_seen(8192)
    261648
    """
    width, at = int(members()["window"].options["window"]), np.arange(tokens)
    parts = (
        window_mask(some, at[: some[-1] + 1], window=width) for some in np.array_split(at, 1 + tokens // 256)
    )
    return sum(int(part.sum()) for part in parts)


NEEDS: dict[str, Callable[[Member, Properties], bool]] = {
    "repeats": lambda member, found: not found.counts,
    "longer": lambda member, found: found.beyond != "goes on",
    "anywhere": lambda member, found: not found.difference,
    "many": lambda member, found: found.square or found.call == "own code",
    "cache": lambda member, found: not found.cache,
    "two sides": lambda member, found: not found.order,
    "no mask": lambda member, found: not found.maskless,
    "any distance": lambda member, found: (
        found.bounded is False or (found.bounded is None and member.place != "nowhere")
    ),
}
"""What a text can need, and who is left out by it."""


def left_out(*needs: str) -> list[str]:
    """The members of the family that some needs leave out, by what was measured of them.

    >>> left_out("longer")
    ['count over length', 'learned table']
    """
    listed, found = members(), matrix()
    return [name for name, one in listed.items() if any(NEEDS[need](one, found[name]) for need in needs)]


def remaining(*needs: str) -> list[str]:
    """The members that none of some needs leaves out.

    >>> remaining("many", "anywhere", "two sides", "any distance")
    ['rotary']
    """
    out = left_out(*needs)
    return [name for name in members() if name not in out]


def added_in_a_step(name: str, kept: int) -> tuple[int, ...]:
    """The shape of what a member adds to scores when one token is asked about all that are kept.

    >>> added_in_a_step("T5", 7)
    (8, 1, 7)
    """
    member, at = members()[name], np.arange(kept)
    bias = member.handed(np.zeros((kept, member.width)), at, at[-1:]).bias
    return () if bias is None else bias.shape


def long_ones_turn(tokens: int) -> Verdict:
    """Whether every recorded model that promises so many tokens turns in some layer."""
    promised = [read_config(configs.recorded(name)["config"])
                for name in configs.names() if name not in configs.WITHOUT_SIZES]  # fmt: skip
    kinds = [
        {record.kind for record in one.records} for one in promised if one.max_len and one.max_len >= tokens
    ]
    turns = sum("rotary" in kind for kind in kinds)
    return Verdict(0 < len(kinds) == turns, {"models": len(kinds), "turn": turns})


def turning() -> tuple[int, int]:
    """How many model types of transformers turn queries and keys in some layer, and how many the census ran.

    >>> turning()[0] < turning()[1]
    True
    """
    seen = census()
    return seen.by_class()["turned"], sum(not one.not_run for one in seen.types.values())


def apart(contents: ArrayLike, positions: ArrayLike) -> Array:
    r"""The causal attention table where words and sinusoid have columns of their own, undivided by √width.

    .. math:: s_{ij} = c_i \cdot c_j + PE(p_i) \cdot PE(p_j)

    The contents have a row for each word; a token turns the sinusoid by a fixed step.

    >>> apart([[1, 0]] * 2, [0, 1]).round(3)
    array([[1.   , 0.   ],
           [0.467, 0.533]])
    """
    rows = np.hstack([real_array(contents, "contents"), encode(STEP * real_array(positions, "positions"), 2)])
    return attention_weights(rows * np.sqrt(rows.shape[1]), rows, causal=True)


def by_key(contents: ArrayLike, positions: ArrayLike) -> Array:
    r"""The causal attention table where each score has the slope times the position of its *key* added.

    .. math:: s_{ij} = c_i \cdot c_j + m\,p_j

    >>> by_key([[1, 0]] * 3, [0, 1, 2])[2].round(3)
    array([0.186, 0.307, 0.506])
    """
    rows = real_array(contents, "contents")
    bias = np.tile(SLOPE * real_array(positions, "positions"), (len(rows), 1))
    return attention_weights(rows * np.sqrt(rows.shape[1]), rows, bias=bias, causal=True)
