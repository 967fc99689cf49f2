"""Which published model is told positions through which door: one record a model, with what says so.

The records stand in ``models.toml``: words that somebody published. What can be computed from them, the
numbers in a table, is computed.
"""

import tomllib
from functools import cache
from math import prod
from pathlib import Path
from typing import Literal, NamedTuple

from pe_book.inputs.wording import shown

Kind = Literal["code", "paper", "inferred"]


class Evidence(NamedTuple):
    """One place that says what a model does."""

    kind: Kind
    """``"code"``: a published file does it; ``"paper"``: the authors write it; ``"inferred"``: neither."""
    where: str
    """Repository and path, or section of the paper."""
    quote: str
    """What stands there, word for word."""
    key: str = ""
    """Bibliography key of a paper."""


class Model(NamedTuple):
    """One published model."""

    name: str
    year: int
    """In which it was first made public."""
    doors: tuple[str, ...]
    """Where position enters; words of ``pe_book.family.doors.DOORS``. A second one is opened late."""
    method: str
    shapes: tuple[tuple[int, ...], ...]
    """Of every learned array that holds positions, in the setting of `size`."""
    size: str
    """Which release of the model the shapes belong to; empty if it makes no difference."""
    evidence: tuple[Evidence, ...]

    @property
    def parameters(self) -> int:
        """Learned numbers that hold positions."""
        return sum(prod(shape) for shape in self.shapes)

    @property
    def confirmed(self) -> bool:
        """Whether code or paper says it, so that nothing is inferred."""
        return all(item.kind != "inferred" for item in self.evidence)

    @property
    def sinusoidal(self) -> bool:
        """Whether a sinusoid is added to the input."""
        return self.method == "sinusoid" and "input" in self.doors


@cache
def models() -> tuple[Model, ...]:
    """The models that the book names, in the order in which they were published.

    Examples
    --------
    >>> [model.name for model in models() if model.sinusoidal]
    ['Transformer']
    >>> model("BERT").shapes, model("BERT").parameters
    (((512, 768),), 393216)
    """
    listed = tomllib.loads(Path(__file__).with_name("models.toml").read_text(encoding="utf-8"))["model"]
    return tuple(
        Model(
            one["name"],
            one["year"],
            tuple(one["doors"]),
            one["method"],
            tuple(tuple(shape) for shape in one.get("shapes", ())),
            one.get("size", ""),
            tuple(Evidence(**item) for item in one["evidence"]),
        )
        for one in listed
    )


def model(name: str) -> Model:
    """The record of one model.

    Parameters
    ----------
    name
        As the authors write it, such as ``"GPT-2"``.

    Examples
    --------
    >>> model("T5").doors
    ('score',)
    """
    given: object = name
    for found in models():
        if isinstance(given, str) and found.name == given:
            return found
    offered = ", ".join(found.name for found in models())
    raise ValueError(f"name must be one of {offered}; got {shown(name)}")
