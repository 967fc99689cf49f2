"""What decides the claims about longer texts, comparisons and models: C099 to C112, C121, C123, C124."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module

import numpy as np

from pe_book.evidence.claims import quoted
from pe_book.evidence.claims.claim import Change, Decided, given
from pe_book.evidence.family import beyond_training
from pe_book.evidence.family import who_uses_what as who
from pe_book.evidence.family.doors import turning
from pe_book.evidence.family.score_bias import moves_along
from pe_book.evidence.outcome import fails_with
from pe_book.evidence.records import length_generalisation
from pe_book.evidence.sinusoidal.distance import heads_before_training, sees_the_offset_alone
from pe_book.evidence.verdict import Verdict
from pe_book.family.doors.models import model, models
from pe_book.family.learned import lookup, parameters
from pe_book.family.learned.initialisation import initial
from pe_book.family.members import members
from pe_book.family.members.predicates import difference, direction
from pe_book.family.rotary import rotate
from pe_book.sinusoidal.formula import encode

STUDY = "pe_book.evidence.length_generalisation.findings"  # late: the other groups do without torch
LEARNED = ("GPT-1", "BERT", "GPT-2", "RoBERTa", "GPT-3")


def _works_beyond(*, times: int = 10) -> Verdict:
    """Whether no seed of the recorded study, with the notes' 100 words, loses a tenth of a nat and more."""
    runs, study = length_generalisation.recorded()[0]["runs"], import_module(STUDY)
    inside, beyond = (study.scores(runs, "notes", "sinusoidal", times=many) for many in (1, times))
    evidence = {"inside": inside.mean(), "beyond": beyond.mean(), "least": min(beyond - inside)}
    evidence |= {"trained": 100, "tested": 100 * times, "runs": len(beyond), "guess": np.log(study.WORDS)}
    return Verdict(max(beyond - inside) < 0.1, evidence)


def _superior(*, learned: tuple[float, float] = quoted.TABLE_3["learned"]) -> Verdict:
    """Whether the sinusoid is better in both columns of the paper's table."""
    perplexity, bleu = quoted.TABLE_3["sinusoidal"]
    return Verdict(perplexity < learned[0] and bleu > learned[1])


def _close(learned: tuple[float, float]) -> bool:
    """Whether both columns of the paper's table are less than a fifth of a point apart."""
    pairs = zip(quoted.TABLE_3["sinusoidal"], learned, strict=True)
    return all(abs(one - two) < 0.2 for one, two in pairs)


def _as_good(*, learned: tuple[float, float] = quoted.TABLE_3["learned"]) -> Verdict:
    """Whether the two are equal in the paper's table and wherever a model reads."""
    return Verdict(_close(learned) and not beyond_training.ahead_past_the_end())


def _as_good_within(*, learned: tuple[float, float] = quoted.TABLE_3["learned"]) -> Verdict:
    """Whether they are, within the length that was trained."""
    past = beyond_training.ahead_past_the_end().evidence
    return Verdict(_close(learned) and beyond_training.right_within(), past)


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
    """Whether Shaw and T5 hand over a number for each pair, T5 2n - 1 different ones, ALiBi one for a key."""
    n, words = 5, np.ones((5, 512))
    shaw, by_offset, by_key = (
        members()[name].handed(words, range(n)).bias for name in ("Shaw", "T5", "ALiBi by keys")
    )
    if shaw is None or by_offset is None or by_key is None:
        return Verdict(False)
    different = {len(np.unique(head)) for head in by_offset}
    return Verdict(
        shaw.size == by_offset.size == 8 * n * n and different == {2 * n - 1} and by_key.size == 8 * n
    )


def _sinusoidal(*, name: str = "BERT") -> Verdict:
    return Verdict(model(name).sinusoidal)


def _both_learned(*, name: str = "BERT") -> Verdict:
    found = model(name)
    return Verdict(who.rows_alone(found) and who.rows_alone(model("GPT-2")), {"numbers": found.parameters})


def _as_bert(*, other: str = "RoBERTa") -> Verdict:
    one, two = model("BERT"), model(other)
    return Verdict((one.doors, one.method) == (two.doors, two.method), {"rows": two.shapes[0][0]})


def _all_learned(*, names: Sequence[str] = ("GPT-1", "GPT-2", "GPT-3")) -> Verdict:
    inferred = [name for name in names if not model(name).confirmed]
    learned = all(model(name).method == "learned table" for name in names)
    return Verdict(learned, {"inferred": ", ".join(inferred)})


def _hybrid(*, name: str = "T5") -> Verdict:
    """Whether a model has a bias on scores, and adds rows as well."""
    return Verdict({"score", "input"} <= set(model(name).doors))


def _relative_alone() -> Verdict:
    return Verdict(
        model("T5").doors == ("score",) and bool(moves_along(1000)), {"numbers": model("T5").parameters}
    )


def _relative_and_late_rows(*, name: str = "DeBERTa") -> Verdict:
    """Whether a model has relative positions on scores, which tell two gaps apart, and rows besides."""
    relative, absolute = (shape[0] for shape in model(name).shapes)
    gaps = who.tells_gaps_apart()
    apart = bool(gaps) and not who.tells_gaps_apart(relative=False)
    evidence = {"relative": relative, "absolute": absolute, **gaps.evidence}
    return Verdict(model(name).doors == ("score", "input") and apart, evidence)


def _often_learned(*, since: int = 2021) -> Verdict:
    """Whether most models that were made public since a year learn a table."""
    learned = [who.learns_rows(found) for found in who.in_years(since, 9999)]
    return Verdict(2 * sum(learned) > len(learned), {"recent": len(learned), "learned": sum(learned)})


def _in_its_years(*, first: int = 2018, last: int = 2020) -> Verdict:
    found, (turn, ran) = who.in_years(first, last), turning()
    then, alone = (sum(map(learns, found)) for learns in (who.learns_rows, who.rows_alone))
    evidence = {"then": then, "alone": alone, "years": len(found), "turn": turn, "ran": ran}
    return Verdict(2 * then > len(found), evidence)


def _after_a_step(length: int) -> tuple[np.ndarray, np.ndarray]:
    """A learned table of 400 rows before and after one step of training on texts of some words."""
    torch = import_module("torch")
    table = torch.nn.Embedding.from_pretrained(torch.tensor(initial(400, 50, seed=3)), freeze=False)
    before = table.weight.detach().numpy().copy()
    (table(torch.arange(length)) - 1).square().sum().backward()
    torch.optim.SGD(table.parameters(), lr=0.1).step()
    return before, table.weight.detach().numpy()


def _ends_with_training(*, length: int = 100) -> Verdict:
    """Whether the row after those of the texts of training is refused."""
    _, after = _after_a_step(length)
    return fails_with("ValueError", lookup, after, [length])


def _ends_with_the_table(*, rows: int = 400, d_model: int = 50, seed: int = 4) -> Verdict:
    before, after = _after_a_step(100)
    random = not np.array_equal(before, initial(rows, d_model, seed=seed))
    trained = (after != before).all(axis=1)
    moved = bool(trained[:100].all()) and not trained[100:].any()
    adds, refused = parameters(rows, d_model), bool(_ends_with_training(length=rows))
    return Verdict(random and moved and refused and adds == before.size, {"adds": adds})


def _first_alone() -> Verdict:
    found = [one.name for one in models() if one.sinusoidal]
    return Verdict(found == ["Transformer"], {"one": found[0], "of": len(models())})


def _interpretable_in_a_model(*, heads: int = 40, d_model: int = 64) -> Verdict:
    """Whether the scores of a head see the offset alone, as those of the bare rows do."""
    share = float(heads_before_training(heads, d_model, 16, 24, seed=0).relative.mean())
    return Verdict(share > 0.9, {"share": 100 * share})


def _interpretable_itself(*, rows: np.ndarray | None = None) -> Verdict:
    table = encode(range(24), 64) if rows is None else rows
    return Verdict(bool(sees_the_offset_alone(table @ table.T)))


def _score(turned: int, distances: Sequence[int], width: int) -> np.ndarray:
    key = rotate(np.ones(width), turned)
    return np.asarray(rotate(np.ones(width), distances) @ key)


def _far_scores_less(*, turned: int = 100, stretch: int = 100, width: int = 128) -> Verdict:
    """Whether the scores of a turned key fall on the whole, averaged over stretches of distances."""
    plain, means = _score(0, range(1001), width), _score(turned, range(1000), width).reshape(-1, stretch)
    found = {"rises": 100 * float((np.diff(plain) > 0).mean()), "farthest": len(plain) - 1}
    return Verdict(bool((np.diff(means.mean(axis=1)) < 0).all()), found)


def _any_distance() -> Verdict:
    turned = 100
    best = int(_score(turned, range(1001), 128).argmax())
    return Verdict(best == turned, {"best": best})


DECIDED = {
    "C099": Decided(
        _works_beyond, instead=lambda: "it may allow the model to extrapolate" in quoted.SECTION, torch=True
    ),
    "C100": Decided(_superior, beyond_training.ahead_past_the_end, torch=True),
    "C101": Decided(_no_downsides, instead=_some),
    "C102": Decided(_all_sinusoidal, instead=_tables),
    "C103": Decided(_every_pair, _some_do),
    "C104": Decided(_sinusoidal, instead=_both_learned),
    "C105": Decided(given(_sinusoidal, name="RoBERTa"), _as_bert),
    "C107": Decided(_all_learned),
    "C108": Decided(_hybrid, instead=_relative_alone),
    "C109": Decided(_relative_and_late_rows),
    "C110": Decided(_often_learned, _in_its_years),
    "C111": Decided(_ends_with_training, _ends_with_the_table, torch=True),
    "C112": Decided(
        lambda names=("BERT", "GPT-2", "T5", "LLaMA"): all(model(name).sinusoidal for name in names),
        instead=_first_alone,
    ),
    "C123": Decided(_as_good, _as_good_within, torch=True),
    "C124": Decided(_far_scores_less, instead=_any_distance),
    "C121": Decided(_interpretable_in_a_model, _interpretable_itself),
}
FAILS_WITH = {
    "C099": Change("the text is no longer than in training", {"times": 1}),
    "C100": Change("the texts are no longer than in training", {"length": beyond_training.LENGTH}),
    "C101": Change("the encoding is Shaw's", {"name": "Shaw"}),
    "C102": Change("the one model asked is that of 2017", {"names": ("Transformer",)}),
    "C103": Change("the method is Shaw's", {"name": "Shaw"}),
    "C104": Change("the model is that of 2017", {"name": "Transformer"}),
    "C105": Change("it is compared with T5", {"other": "T5"}),
    "C107": Change("LLaMA is among them", {"names": ("GPT-1", "LLaMA")}),
    "C108": Change("the model is DeBERTa", {"name": "DeBERTa"}),
    "C109": Change("the model is T5", {"name": "T5"}),
    "C110": Change("one asks since {since}", {"since": 2018}),
    "C111": Change("the texts of training have as many words as the table has rows", {"length": 400}),
    "C112": Change("the one model asked is that of 2017", {"names": ("Transformer",)}),
    "C123": Change("row (E) is a fourth of a point worse in both", {"learned": (5.17, 25.55)}),
    "C124": Change("the key is not turned", {"turned": 0}),
    "C121": Change("the rows are drawn at random", {"rows": np.random.default_rng(0).normal(size=(24, 64))}),
}
