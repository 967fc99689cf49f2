"""What a config answers to a length: covered by the file or not, what lies beyond training, who says more.

Each sentence stands here once. The box of the site that reads a pasted config is given all of them.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

from pe_book.config.records import Reading

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
COVERED = {"covered": True, "factor": False, "longer": False, "endless": False}

#: What lies beyond training; where its length is taken from stands in the second group.
BEYOND = {
    "doubtful": "Pairs are not counted, since findings put the frequencies in doubt.",
    "unsaid": "The file does not say how long training was, so new angles are not counted.",
    "within": "Training is taken as {trained} tokens, {whose}: nothing of the text lies beyond them.",
    "met": "Training is taken as {trained} tokens, {whose}: beyond them no pair meets a new angle.",
    "new": "Training is taken as {trained} tokens, {whose}: beyond them {new} of {pairs} pairs meet new "
    "angles.",
    "learned": "Training is taken as {trained} tokens, {whose}: beyond them there is no learned row.",
    "still": "Training is taken as {trained} tokens, {whose}: beyond them no pair turns, and the bias goes "
    "on.",
}
WHOSE = {
    "named": "which the file names apart from its longest position",
    "longest": "the longest position, since the file names no other length",
}
PUBLISHED = 'The numbers are those of {name}; of its training the publisher says: "{says}" ({source}).'

TRAINED = Path(__file__).parents[1] / "trained.toml"


@dataclass(frozen=True)
class Answer:
    """What a config answers to one length, in three sentences that stand in this order.

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

    def __str__(self) -> str:
        return "\n".join(filter(None, (self.verdict, self.beyond, self.published)))

    def as_dict(self) -> dict[str, Any]:
        """All of it by name."""
        return asdict(self)


def answer_to(
    length: int | None, reading: Reading, new: tuple[int, int] | None, doubt: tuple[bool, bool]
) -> Answer:
    """What a config answers to a length.

    Parameters
    ----------
    length
        In tokens.
    reading
        Of the config.
    new
        How many pairs meet angles that are new after training, and of how many; None if that is not known.
    doubt
        Whether findings put in doubt what the file says, and whether they do so of its frequencies.

    Returns
    -------
    Answer

    Examples
    --------
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
    fields["whose"] = WHOSE["longest" if reading.trained_len == reading.max_len else "named"]
    kind = _verdict_of(length, reading, doubt[0])
    guess = "" if reading.known else f"Guessed, as if it were {reading.read_as}: "
    return Answer(
        length,
        COVERED.get(kind) if reading.known else None,
        guess + VERDICTS[kind].format_map(fields),
        BEYOND[_beyond_of(length, reading, new, doubt[1])].format_map(fields),
        published_of(reading),
    )


def _verdict_of(length: int | None, reading: Reading, doubt: bool) -> str:
    """Which of the verdicts."""
    promised = round(reading.promised_len or 0)
    if length is None or reading.max_len is None:
        return "unsaid"
    if length <= promised:
        return "doubtful" if doubt else "covered"
    if reading.records[0].kind in ("alibi", "bias"):
        return "endless"
    if length <= reading.possible_len:
        return "depends"
    return "factor" if reading.possible_len > promised else "longer"


def _beyond_of(length: int | None, reading: Reading, new: tuple[int, int] | None, doubt: bool) -> str:
    """Which of the sentences on training."""
    trained, kind = reading.trained_len, reading.records[0].kind
    if length is None or trained is None:
        return "unsaid"
    if doubt and new is not None:
        return "doubtful"
    if length <= trained:
        return "within"
    if new is None:
        return "learned" if kind == "learned" else "still"
    return "new" if new[0] else "met"


@cache
def publishers() -> Mapping[str, Mapping[str, Any]]:
    """By the name of a model the numbers by which its config is known, and what its publisher says.

    >>> publishers()["Llama 3"]["longest"]
    8192
    """
    return tomllib.loads(TRAINED.read_text(encoding="utf-8"))


def published_of(reading: Reading) -> str:
    """What the publisher of a model says of the length of training; empty where no source is recorded.

    >>> from pe_book.config.reading import read_config
    >>> published_of(read_config({"model_type": "llama", "rope_theta": 5e5, "max_position_embeddings": 8192}))
    'The numbers are those of Llama 3; of its training the publisher says: "We trained the models on \
sequences of 8,192 tokens" (Introducing Meta Llama 3, ai.meta.com, April 2024).'
    """
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
