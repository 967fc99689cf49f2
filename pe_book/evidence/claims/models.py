"""What decides the claims about longer texts, comparisons and models: C099 to C112, C121, C123, C124."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pe_book.evidence.claims import quoted
from pe_book.evidence.claims.claim import Change, Decided
from pe_book.evidence.family import beyond_training
from pe_book.evidence.family.doors import turning
from pe_book.evidence.family.score_bias import moves_along
from pe_book.evidence.outcome import outcome
from pe_book.evidence.records.classes import recorded
from pe_book.evidence.sinusoidal.distance import heads_before_training, sees_the_offset_alone
from pe_book.evidence.verdict import Verdict
from pe_book.family.doors.models import model, models
from pe_book.family.learned import lookup, parameters
from pe_book.family.learned.initialisation import initial
from pe_book.family.members import members
from pe_book.family.members.predicates import difference, direction
from pe_book.family.rotary import rotate
from pe_book.sinusoidal.formula import encode

LEARNED = ("GPT-1", "BERT", "GPT-2", "RoBERTa", "GPT-3")


def _may() -> Verdict:
    """Whether the paper leaves it at *may*."""
    return Verdict("it may allow the model to extrapolate" in quoted.SECTION)


def _superior(*, learned: tuple[float, float] = quoted.TABLE_3["learned"]) -> Verdict:
    """Whether the sinusoid is better in both columns of the paper's table."""
    perplexity, bleu = quoted.TABLE_3["sinusoidal"]
    return Verdict(perplexity < learned[0] and bleu > learned[1])


def _close(learned: tuple[float, float]) -> bool:
    """Whether both columns of the paper's table are nearly the same."""
    pairs = zip(quoted.TABLE_3["sinusoidal"], learned, strict=True)
    return all(abs(one - two) < 0.2 for one, two in pairs)


def _as_good(*, learned: tuple[float, float] = quoted.TABLE_3["learned"]) -> Verdict:
    """Whether the two are equal in the paper's table and wherever a model reads."""
    return Verdict(_close(learned) and not beyond_training.ahead_past_the_end())


def _as_good_within(*, learned: tuple[float, float] = quoted.TABLE_3["learned"]) -> Verdict:
    """Whether they are, within the length that was trained."""
    found = beyond_training.ahead_past_the_end()
    return Verdict(_close(learned) and bool(found), found.evidence)


def _no_downsides(*, name: str = "sinusoid") -> Verdict:
    found = members()[name]
    return Verdict(bool(difference(found)) and bool(direction(found)))


def _some() -> Verdict:
    found = members()["sinusoid"]
    return Verdict(not difference(found) and not direction(found))


def _all_sinusoidal(*, names: Sequence[str] = LEARNED) -> Verdict:
    longest = max((model(name).shapes[0][0] for name in names if model(name).shapes), default=0)
    return Verdict(all(model(name).sinusoidal for name in names), {"longest": longest})


def _tables() -> Verdict:
    rows = [model(name).shapes[0][0] for name in LEARNED]
    return Verdict(all(model(name).method == "learned table" for name in LEARNED) and max(rows) > 512)


def _every_pair(*, name: str = "rotary") -> Verdict:
    """Whether a method hands attention something for each pair of positions."""
    return Verdict(members()[name].handed(np.ones((5, 512)), range(5)).bias is not None)


def _some_do() -> Verdict:
    bias = members()["Shaw"].handed(np.ones((5, 512)), range(5)).bias
    return Verdict(bias is not None and bias.size == 8 * 5 * 5)


def _sinusoidal(*, name: str = "BERT") -> Verdict:
    return Verdict(model(name).sinusoidal)


def _learned_table(*, name: str = "BERT") -> Verdict:
    found = model(name)
    return Verdict(found.method == "learned table", {"numbers": found.parameters})


def _as_bert(*, other: str = "RoBERTa") -> Verdict:
    one, two = model("BERT"), model(other)
    return Verdict((one.doors, one.method) == (two.doors, two.method), {"rows": two.shapes[0][0]})


def _sinusoidal_too() -> Verdict:
    return _sinusoidal(name="RoBERTa")


def _both_learned(*, name: str = "BERT") -> Verdict:
    return Verdict(model("GPT-2").method == model(name).method == "learned table")


def _all_learned(*, names: Sequence[str] = ("GPT-1", "GPT-2", "GPT-3")) -> Verdict:
    inferred = [name for name in names if not model(name).confirmed]
    learned = all(model(name).method == "learned table" for name in names)
    return Verdict(learned, {"inferred": ", ".join(inferred)})


def _hybrid(*, name: str = "T5") -> Verdict:
    return Verdict("input" in model(name).doors)


def _relative_alone() -> Verdict:
    return Verdict(
        model("T5").doors == ("score",) and bool(moves_along(1000)), {"numbers": model("T5").parameters}
    )


def _only_relative(*, name: str = "DeBERTa") -> Verdict:
    return Verdict(model(name).doors == ("score",))


def _late_rows() -> Verdict:
    found = model("DeBERTa")
    relative, absolute = (shape[0] for shape in found.shapes)
    return Verdict(found.doors == ("score", "input"), {"relative": relative, "absolute": absolute})


def _often_learned(*, since: int = 2021) -> Verdict:
    """Whether most models that were made public since a year learn a table."""
    learned = _learn(since, 9999)
    return Verdict(2 * sum(learned) > len(learned), {"recent": len(learned), "learned": sum(learned)})


def _in_its_years() -> Verdict:
    then, (turn, types) = _learn(2018, 2020), turning()
    ran = types - sum(recorded().outcomes[name] for name in ("refused, not run", "read, not run"))
    evidence = {"then": sum(then), "years": len(then), "turn": turn, "ran": ran}
    return Verdict(2 * sum(then) > len(then), evidence)


def _learn(first: int, last: int) -> list[bool]:
    return [found.method == "learned table" for found in models() if first <= found.year <= last]


def _trained(*, seed: int = 4) -> Verdict:
    table, other = initial(400, 50, seed=3), initial(400, 50, seed=seed)
    refused = outcome(lookup, table, [400]) == "`ValueError`"
    adds = parameters(400, 50)
    return Verdict(not np.array_equal(table, other) and refused and adds == table.size, {"adds": adds})


def _crucial(*, names: Sequence[str] = ("BERT", "GPT-2", "T5", "LLaMA")) -> Verdict:
    return Verdict(all(model(name).sinusoidal for name in names))


def _first_alone() -> Verdict:
    found = [one.name for one in models() if one.sinusoidal]
    return Verdict(found == ["Transformer"], {"one": found[0], "of": len(models())})


def _interpretable_in_a_model(*, untrained: bool = True) -> Verdict:
    """Whether the scores of a head see the offset alone, as those of the bare rows do."""
    share = float(heads_before_training(40, 64, 16, 24, seed=0).relative.mean()) if untrained else 1.0
    return Verdict(share > 0.9, {"share": 100 * share})


def _interpretable_itself(*, rows: np.ndarray | None = None) -> Verdict:
    table = encode(range(24), 64) if rows is None else rows
    return Verdict(bool(sees_the_offset_alone(table @ table.T)))


def _score(turned: int, distances: Sequence[int]) -> np.ndarray:
    key = rotate(np.ones(128), turned)
    return np.asarray(rotate(np.ones(128), distances) @ key)


def _far_scores_less(*, distances: Sequence[int] = range(1001)) -> Verdict:
    """Whether the score of a key that equals its query falls from each distance to the next."""
    steps = np.diff(_score(0, distances))
    return Verdict(bool((steps < 0).all()), {"rises": 100 * float((steps > 0).mean())})


def _any_distance() -> Verdict:
    best = int(_score(100, range(1001)).argmax())
    return Verdict(best == 100, {"best": best})


DECIDED = {
    "C099": Decided(
        beyond_training.works_beyond,
        instead=_may,
        fails_with=Change("the text is no longer than in training", {"length": beyond_training.LENGTH}),
        torch=True,
    ),
    "C100": Decided(
        _superior,
        beyond_training.ahead_past_the_end,
        fails_with=Change("row (E) is one point of BLEU and of perplexity worse", {"learned": (5.92, 24.7)}),
        torch=True,
    ),
    "C101": Decided(
        _no_downsides, instead=_some, fails_with=Change("the encoding is Shaw's", {"name": "Shaw"})
    ),
    "C102": Decided(
        _all_sinusoidal,
        instead=_tables,
        fails_with=Change("the one model asked is that of 2017", {"names": ("Transformer",)}),
    ),
    "C103": Decided(_every_pair, _some_do, fails_with=Change("the method is Shaw's", {"name": "Shaw"})),
    "C104": Decided(
        _sinusoidal,
        instead=_learned_table,
        fails_with=Change("the model is that of 2017", {"name": "Transformer"}),
    ),
    "C105": Decided(
        _sinusoidal_too,
        _as_bert,
        fails_with=Change("it is compared with T5", {"other": "T5"}),
    ),
    "C106": Decided(
        _sinusoidal,
        instead=_both_learned,
        fails_with=Change("the model is that of 2017", {"name": "Transformer"}),
    ),
    "C107": Decided(_all_learned, fails_with=Change("LLaMA is among them", {"names": ("GPT-1", "LLaMA")})),
    "C108": Decided(_hybrid, _relative_alone, fails_with=Change("the model is DeBERTa", {"name": "DeBERTa"})),
    "C109": Decided(_only_relative, _late_rows, fails_with=Change("the model is T5", {"name": "T5"})),
    "C110": Decided(_often_learned, _in_its_years, fails_with=Change("one asks since 2018", {"since": 2018})),
    "C111": Decided(
        _trained, fails_with=Change("the table it is compared with begins with the same seed", {"seed": 3})
    ),
    "C112": Decided(
        _crucial,
        instead=_first_alone,
        fails_with=Change("the one model asked is that of 2017", {"names": ("Transformer",)}),
    ),
    "C123": Decided(
        _as_good,
        _as_good_within,
        fails_with=Change("row (E) is one point of BLEU and of perplexity worse", {"learned": (5.92, 24.7)}),
        torch=True,
    ),
    "C124": Decided(
        _far_scores_less,
        instead=_any_distance,
        fails_with=Change("one asks up to distance 2", {"distances": (0, 1, 2)}),
    ),
    "C121": Decided(
        _interpretable_in_a_model,
        _interpretable_itself,
        fails_with=Change(
            "the rows are drawn at random", {"rows": np.random.default_rng(0).normal(size=(24, 64))}
        ),
    ),
}
