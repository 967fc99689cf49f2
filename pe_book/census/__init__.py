"""What every model type of transformers does with positions, layer by layer, as it was seen when it ran.

Each type was built from its default config, without weights, and what attention received was measured. The
record names the version of transformers; where a name of a class decided, and no measurement, `by_name`
says it.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from pe_book.inputs.wording import shown

RECORD = Path(__file__).with_name("types.json")
WHICH = re.compile(r"(\d+)(?:-(\d+)(?::([1-9]\d*))?)?")
#: How a layer mixes positions.
ATTENDS = ("full", "window", "compressed", "linear", "recurrent", "convolution", "cross", "nothing")


class Turned(NamedTuple):
    """How queries and keys of a layer are turned."""

    head: int
    """Width of a head, in columns."""
    columns: int
    """How many of them lie in the slice that turns, with pairs that stand."""
    side: str
    pairing: str
    base: float | None = None
    """What the frequencies are powers of, None where none fits."""
    method: str = "default"
    """How frequencies were scaled; ``"learned"`` where they are parameters."""
    scale: float = 1.0
    """What every frequency is divided by."""
    still: int = 0
    """How many of the slowest pairs have frequency 0."""
    listed: tuple[float, ...] = ()
    """The frequencies, where base, scale and still pairs do not give them."""
    factor: float = 1.0
    """What queries and keys are multiplied by."""
    sections: tuple[int, ...] = ()
    """Pairs for each axis, where positions have several."""
    arrangement: str = ""

    def frequencies(self) -> tuple[float, ...]:
        """Of each pair of the slice, in radians per token.

        >>> [round(one, 4) for one in Turned(4, 4, "first", "halves", 100.0).frequencies()]
        [1.0, 0.1]
        """
        if self.listed or self.base is None:
            return self.listed
        pairs = self.columns // 2
        turning = range(pairs - self.still)
        return tuple(self.base ** (-i / pairs) / self.scale for i in turning) + (0.0,) * self.still


class Layer(NamedTuple):
    """What a layer does with positions."""

    layer: int
    attends: str
    """One of :data:`ATTENDS`."""
    window: int | None = None
    turned: Turned | None = None
    bias: str = ""
    """The kind of what is added to scores."""
    temperature: str = ""
    """What queries are multiplied by at position p, as a formula."""
    sink: bool = False
    """Whether a logit that belongs to no key stands in the softmax."""
    moving: str = ""
    """What else carries order: the recurrence, linear attention or convolution by its name."""
    by_name: tuple[str, ...] = ()
    """Which of these fields were read off the name of a class."""

    @property
    def kind(self) -> str:
        """In a word or two: what puts order into this layer.

        >>> Layer(0, "full").kind, Layer(0, "linear", moving="gated delta net").kind
        ('still', 'linear')
        """
        if self.attends not in ATTENDS[:3]:
            return self.attends
        return "turned" if self.turned else "bias" if self.bias else "still"


class Table(NamedTuple):
    """What is added to the input of a part."""

    kind: str
    """``"learned"``, ``"sinusoidal"`` or ``"convolution"``."""
    rows: int
    """How many, or how wide the convolution is."""
    offset: int = 0
    """The row of the first token."""
    by_name: bool = False
    """Whether it was found by its name, and not by the places that it was asked for."""


class Part(NamedTuple):
    """A text model, an encoder, a tower."""

    layers: tuple[Layer, ...] = ()
    tables: tuple[Table, ...] = ()
    not_seen: str = ""
    """Why nothing is known of it, where it has no layers here."""


class ModelType(NamedTuple):
    """A model type of transformers: its parts, or why it was not run."""

    name: str
    parts: Mapping[str, Part]
    not_run: str = ""
    error: str = ""

    @property
    def text(self) -> Part | None:
        """The part that reads or writes text, which a config's sizes are of: of two the decoder."""
        names = ("text", "decoder", *(one for one in self.parts if one.endswith("_text")), "encoder")
        found = (self.parts[name] for name in names if name in self.parts)
        return next((part for part in found if part.layers), None)


class Census(NamedTuple):
    """All types of one version."""

    transformers: str
    date: str
    types: Mapping[str, ModelType]

    def of_type(self, name: str) -> ModelType:
        """What a type does.

        >>> llama = census().of_type("llama").parts["text"]
        >>> len(llama.layers), llama.layers[0].turned.pairing
        (32, 'halves')
        """
        if name not in self.types:
            raise ValueError(f"the census of transformers {self.transformers} has no type {shown(name)}")
        return self.types[name]

    def layers(self) -> Iterator[tuple[str, str, Layer]]:
        """Every layer of every part, with its type and part; a part that several types share, in each."""
        for one in self.types.values():
            for name, part in one.parts.items():
                yield from ((one.name, name, layer) for layer in part.layers)

    def by_reason(self) -> dict[str, int]:
        """How many types were not run, by reason."""
        return dict(Counter(one.not_run for one in self.types.values() if one.not_run).most_common())

    def by_class(self) -> dict[str, int]:
        """How many types have a layer or a table of each kind; a type that has several counts in each."""
        layers = {(name, one.kind) for name, _, one in self.layers()}
        tables = {
            (one.name, f"{table.kind} table")
            for one in self.types.values() for part in one.parts.values() for table in part.tables
        }  # fmt: skip
        return dict(Counter(kind for _, kind in layers | tables).most_common())


@cache
def census() -> Census:
    """The census that comes with the package.

    >>> census().of_type("gpt2").text.tables
    (Table(kind='learned', rows=1024, offset=0, by_name=False),)
    """
    return read(RECORD.read_text(encoding="utf-8"), RECORD.name)


def read(text: str, name: str) -> Census:
    """A census as it is written in a file; what it says of a part is refused where it cannot be so.

    >>> read('{"transformers": "5", "date": "", "types": {"x": {"not_run": "no input"}}}', "x").by_reason()
    {'no input': 1}
    """
    found = json.loads(text)
    raw = found["types"]
    types = {}
    for one, said in raw.items():
        try:
            parts = {part: _part(value, raw) for part, value in said.get("parts", {}).items()}
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"{name}, {one}: {error}; run `make census`") from error
        types[one] = ModelType(one, parts, said.get("not_run", ""), said.get("error", ""))
    return Census(found["transformers"], found["date"], types)


def _part(value: Any, types: Mapping[str, Any]) -> Part:
    """A part, or that of another type, by its name."""
    if isinstance(value, str):
        return _part(next(iter(types[value]["parts"].values())), types)
    if "not_seen" in value:
        return Part(**value)
    layers = sorted(layer for one in value["layers"] for layer in _group(**one))
    if [one.layer for one in layers] != list(range(len(layers))):
        raise ValueError("the layers of a part must be each there once, from 0")
    return Part(tuple(layers), tuple(Table(**one) for one in value.get("tables", ())))


def _group(which: str, attends: str, turned: Mapping[str, Any] | None = None, **more: Any) -> Iterator[Layer]:
    """The layers that are alike."""
    if attends not in ATTENDS:
        raise ValueError(f"a layer must attend by one of {', '.join(ATTENDS)}, got {shown(attends)}")
    made = None if turned is None else Turned(**_in_tuples(turned))
    if made and len(made.frequencies()) * 2 not in (0, made.columns):
        raise ValueError("what is turned must have a frequency for each pair of its columns")
    for run in which.split(","):
        if not (found := WHICH.fullmatch(run)):
            raise ValueError(f"which must be like '0-4,6,8-12:2', got {shown(run)}")
        first, last, step = (found[1], found[2] or found[1], found[3] or 1)
        for i in range(int(first), int(last) + 1, int(step)):
            yield Layer(i, attends, turned=made, **_in_tuples(more))


def _in_tuples(values: Mapping[str, Any]) -> dict[str, Any]:
    return {key: tuple(one) if isinstance(one, list) else one for key, one in values.items()}
