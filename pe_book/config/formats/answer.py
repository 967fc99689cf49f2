"""What a config answers to a length: covered or not, what lies beyond training, what is there besides.

Each sentence stands here once. The box of the site that reads a pasted config is given all of them.
"""

import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from pe_book.config.formats.beside import Temperature
from pe_book.config.formats.words import ranges
from pe_book.config.records import BIASES, Reading

VERDICTS = {
    "unsaid": "The file does not say how many tokens the model reads.",
    "covered": "{asked} tokens: covered, the file says up to {promised}.",
    "doubtful": "{asked} tokens: in doubt, though the file says up to {promised}.",
    "depends": "{asked} tokens: covered only if {longest} is the length before scaling; the file does not "
    "say it.",
    "factor": "{asked} tokens: not covered, the file says up to {promised}, or {possible} with its factor.",
    "longer": "{asked} tokens: not covered, the file says up to {promised}.",
    "endless": "{asked} tokens: not covered, the file says up to {promised}, though no table ends there.",
}
ENDLESS = ("alibi", "bias", "none", "convolution")
COVERED = {"covered": True, "factor": False, "longer": False, "endless": False}

#: What lies beyond training; where its length is taken from stands in the second group.
BEYOND = {
    "doubtful": "Pairs are not counted, since findings put the frequencies in doubt.",
    "unsaid": "The file does not say how long training was, so new angles are not counted.",
    "within": "Training is taken as {trained} tokens, {whose}: nothing of the text lies beyond them.",
    "met": "Training is taken as {trained} tokens, {whose}: beyond them no pair meets a new angle.",
    "new": "Training is taken as {trained} tokens, {whose}: beyond them {new} of {pairs} pairs meet new "
    "angles.",
    "rows": "Training is taken as {trained} tokens, {whose}: beyond them there is no {table} row.",
    "learned": "Training is taken as {trained} tokens, {whose}: beyond them new angles are not counted, "
    "since frequencies are learned.",
    "nothing": "Training is taken as {trained} tokens, {whose}: beyond them nothing turns and no table ends.",
    "still": "Training is taken as {trained} tokens, {whose}: beyond them no pair turns, and the bias goes "
    "on.",
}
WITHOUT_ANGLES = {
    "learned": "rows", "sinusoidal": "rows", "alibi": "still", "bias": "still", "learned rotary": "learned",
}  # fmt: skip
WHOSE = {
    "named": "which the file names apart from its longest position",
    "longest": "the longest position, since the file names no other length",
}

#: What layers may have besides rotation.
SINK = (
    "a learned logit s of each head stands beside the scores: a weight is exp(score) / (exp(s) + sum of "
    "exp(scores)), and weights sum to less than 1"
)
LEARNED = "frequencies are learned, and no config has them: {}"
MOVING = "without scores, order comes from {}"
PUBLISHED = 'The numbers are those of {name}; of its training the publisher says: "{says}" ({source}).'

TRAINED = Path(__file__).parents[1] / "trained.toml"


@dataclass(frozen=True)
class Answer:
    """What a config answers to one length, in sentences that stand in this order.

    Parameters
    ----------
    length : int or None
        The length in tokens; None where none was asked for and the file promises none.
    covered : bool or None
        Whether the file covers it; None where the file leaves it open, or findings put it in doubt.
    verdict : str
        The same in a sentence.
    beyond : str
        What the text meets that lies beyond training, as far as the file says how long that was.
    published : str
        What the publisher says of training, word for word and with its source; empty where none is known.
    besides : tuple of str
        What layers have for position besides rotation, a sentence each: tables, a bias, a temperature and
        a sink with their formulas, what moves without scores; and what a model has that turns nothing.

    Examples
    --------
    >>> import pe_book as pe
    >>> print(pe.check_config({"model_type": "llama", "head_dim": 64}, length=4096).answer)
    4,096 tokens: not covered, the file says up to 2,048.
    Training is taken as 2,048 tokens, the longest position, since the file names no other length:
    beyond them 11 of 32 pairs meet new angles.
    """

    length: int | None
    covered: bool | None
    verdict: str
    beyond: str
    published: str
    besides: tuple[str, ...] = ()

    def __str__(self) -> str:
        return "\n".join(filter(None, (self.verdict, self.beyond, self.published, *self.besides)))

    def as_dict(self) -> dict[str, Any]:
        """All of it by name."""
        return asdict(self)


def answer_to(
    length: int | None, reading: Reading, new: tuple[int, int] | None, doubt: tuple[bool, bool]
) -> Answer:
    """What a config answers to a length.

    `new` is how many pairs meet angles that are new after training, and of how many; `doubt` whether findings
    put in doubt what the file says, and whether they do so of its frequencies.

    >>> from pe_book.config.reading import read_config
    >>> answer_to(1024, read_config({"model_type": "bert"}), None, (False, False)).verdict
    '1,024 tokens: not covered, the file says up to 512.'
    """
    said = {
        "asked": length, "promised": reading.promised_len, "longest": reading.max_len,
        "possible": reading.possible_len, "trained": reading.trained_len,
    }  # fmt: skip
    fields = {name: f"{value:,.0f}" for name, value in said.items() if value is not None}
    fields |= zip(("new", "pairs"), map(str, new or ()), strict=False)
    fields["table"] = door_of(reading)
    fields["whose"] = WHOSE["longest" if reading.trained_len == reading.max_len else "named"]
    kind = _verdict_of(length, reading, doubt[0])
    guess = "" if reading.known else f"Guessed, as if it were {reading.read_as}: "
    return Answer(
        length,
        COVERED.get(kind) if reading.known else None,
        guess + VERDICTS[kind].format_map(fields),
        BEYOND[_beyond_of(length, reading, new, doubt[1])].format_map(fields),
        published_of(reading),
        tuple(besides_of(reading, length)),
    )


def with_its_rows(reading: Reading) -> Reading:
    """A reading whose longest text ends with the shortest table that is added to it."""
    rows = [one.rows for one in reading.tables if one.rows and one.part in ("text", "decoder")]
    rows += [reading.max_len] if rows and reading.max_len else []
    return replace(reading, max_len=min(rows)) if rows else reading


def besides_of(reading: Reading, length: int | None) -> Iterator[str]:
    """What layers have for position besides rotation, and what a model has that turns nothing."""
    told: dict[str, Callable[[Any], str]] = {
        "learned": LEARNED.format, "temperature": lambda one: _heat(one, length), "sink": lambda _: SINK,
    }  # fmt: skip
    if reading.instead:
        yield reading.instead
    else:
        yield from (f"{str(one)[0].upper()}{str(one)[1:]}." for one in reading.tables)
        told |= {"bias": BIASES.__getitem__, "moving": MOVING.format}
    for name, words in told.items():
        layers: dict[Any, list[int]] = {}
        for one in reading.records:
            layers.setdefault(getattr(one, name), []).append(one.layer)
        yield from (f"Layers {ranges(of)}: {words(what)}." for what, of in layers.items() if what)


def _heat(temperature: Temperature, length: int | None) -> str:
    """A temperature by its formula, and what it is for the last token."""
    told = f"queries at position p are multiplied by {temperature.formula}"
    if length is None or temperature.rate is None:
        return told
    return f"{told}, the last of {length:,} by {float(temperature([length - 1])[0]):.4g}"


def door_of(reading: Reading) -> str:
    """What tells positions in the whole model: the kind of the layers that turn, if there are any."""
    kinds = [one.kind for one in reading.records]
    return next((kind for kind in ("rotary", "learned rotary") if kind in kinds), kinds[0])


def _verdict_of(length: int | None, reading: Reading, doubt: bool) -> str:
    """Which of the verdicts."""
    promised = round(reading.promised_len or 0)
    if length is None or reading.max_len is None:
        return "unsaid"
    if length <= promised:
        return "doubtful" if doubt else "covered"
    if door_of(reading) in ENDLESS and not any(one.rows for one in reading.tables):
        return "endless"
    if length <= reading.possible_len:
        return "depends"
    return "factor" if reading.possible_len > promised else "longer"


def _beyond_of(length: int | None, reading: Reading, new: tuple[int, int] | None, doubt: bool) -> str:
    """Which of the sentences on training."""
    trained = reading.trained_len
    if length is None or trained is None:
        return "unsaid"
    if doubt and new is not None:
        return "doubtful"
    if length <= trained:
        return "within"
    if new is None:
        return WITHOUT_ANGLES.get(door_of(reading), "nothing")
    return "new" if new[0] else "met"


@cache
def publishers() -> Mapping[str, Mapping[str, Any]]:
    """By the name of a model the numbers by which its config is known, and what its publisher says."""
    return tomllib.loads(TRAINED.read_text(encoding="utf-8"))


def published_of(reading: Reading) -> str:
    """What the publisher of a model says of the length of training; empty where no source is recorded."""
    for name, one in publishers().items():
        if reading.read_as not in one["types"] or not reading.known or reading.max_len != one["longest"]:
            continue
        for scaling in reading.scalings:
            has = {
                "method": scaling.method, "base": scaling.base, "factor": scaling.factor,
                "original": scaling.original_len,
            }  # fmt: skip
            if all(one[key] == value for key, value in has.items() if key in one):
                return PUBLISHED.format(name=name, **{key: one[key] for key in ("says", "source")})
    return ""
