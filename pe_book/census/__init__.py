"""What every model type of transformers does with positions, layer by layer, as it was seen when it ran.

Each type was built from its default config, without weights, and what attention received was measured. The
record names the version of transformers; where a name of a class decided, and no measurement, `by_name`
says it.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from pe_book.inputs.wording import shown

RECORD = Path(__file__).with_name("census.json")
#: How a layer mixes positions.
ATTENDS = ("full", "window", "linear", "recurrent", "convolution", "nothing")
#: Why a type was not run.
REASONS = (
    "no config from its defaults",
    "no class of models for its config",
    "its class cannot be built from its defaults",
    "its input is not made here",
    "stops when it is run",
    "takes too long",
    "no layers that attend",
)


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
        if self.attends not in ATTENDS[:2]:
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

    layers: tuple[Layer, ...]
    tables: tuple[Table, ...] = ()


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
        return next((self.parts[name] for name in names if name in self.parts), None)


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
        """How many types were not run, by reason.

        >>> set(census().by_reason()) <= set(REASONS)
        True
        """
        return dict(Counter(one.not_run for one in self.types.values() if one.not_run).most_common())

    def by_class(self) -> dict[str, int]:
        """How many types have a layer or a table of each kind; a type that has several counts in each.

        >>> census().by_class()["turned"] > 0
        True
        """
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
    """A census as it is written in a file.

    >>> read('{"transformers": "5", "date": "", "types": {"x": {"runs": 1}}}', "old.json")
    Traceback (most recent call last):
    ...
    ValueError: old.json, x: 'runs' is no key of a type; run `make census`
    """
    try:
        found = json.loads(text)
    except ValueError as error:
        raise ValueError(f"{name} is no JSON ({error}); run `make census`") from None
    wanted = {"transformers", "date", "types"}
    if not isinstance(found, dict) or set(found) != wanted:
        raise ValueError(f"{name} must have {', '.join(sorted(wanted))}; run `make census`")
    raw = found["types"]
    types = {one: _Reader(name, one, raw).read() for one in raw}
    return Census(found["transformers"], found["date"], types)


class _Reader(NamedTuple):
    """Reads one type, and says where it is wrong."""

    file: str
    name: str
    types: Mapping[str, Any]

    def wrong(self, why: str) -> ValueError:
        return ValueError(f"{self.file}, {self.name}: {why}; run `make census`")

    def keyed(self, value: Any, what: str, *, needs: set[str], may: set[str]) -> dict[str, Any]:
        """A dictionary that has all that it needs and nothing but what it may have."""
        if not isinstance(value, dict):
            raise self.wrong(f"{what} must be an object, got {shown(value)}")
        for key in value.keys() - needs - may:
            raise self.wrong(f"{shown(key)} is no key of {what}")
        for key in sorted(needs - value.keys()):
            raise self.wrong(f"{what} must have {shown(key)}")
        return {key: tuple(one) if isinstance(one, list) else one for key, one in value.items()}

    def read(self) -> ModelType:
        raw = self.keyed(self.types[self.name], "a type", needs=set(), may={"parts", "not_run", "error"})
        reason = raw.get("not_run", "")
        if ("parts" in raw) == bool(reason) or (reason and reason not in REASONS):
            raise self.wrong(f"it must have parts, or not_run with a known reason, got {shown(reason)}")
        parts = {part: self.part(one) for part, one in raw.get("parts", {}).items()}
        return ModelType(self.name, parts, reason, raw.get("error", ""))

    def part(self, value: Any) -> Part:
        """A part, or that of another type, by its name."""
        if isinstance(value, str):
            if value not in self.types or "parts" not in self.types[value]:
                raise self.wrong(f"a part is that of {shown(value)}, which was not run")
            other = _Reader(self.file, value, self.types)
            return next(other.part(one) for one in self.types[value]["parts"].values())
        raw = self.keyed(value, "a part", needs={"layers"}, may={"tables"})
        tables = []
        for one in raw.get("tables", ()):
            tables.append(Table(**self.keyed(one, "a table", needs={"kind", "rows"}, may=set(Table._fields))))
        layers = [layer for one in raw["layers"] for layer in self.group(one)]
        if sorted(one.layer for one in layers) != list(range(len(layers))):
            raise self.wrong("the layers of a part must be each there once, from 0")
        return Part(tuple(sorted(layers)), tuple(tables))

    def group(self, value: Any) -> Iterator[Layer]:
        """The layers that are alike."""
        raw = self.keyed(value, "a layer", needs={"which", "attends"}, may={*Layer._fields} - {"layer"})
        if raw["attends"] not in ATTENDS:
            raise self.wrong(
                f"a layer must attend by one of {', '.join(ATTENDS)}, got {shown(raw['attends'])}"
            )
        if "turned" in raw:
            needs = {"head", "columns", "side", "pairing"}
            turned = self.keyed(raw["turned"], "what is turned", needs=needs, may=set(Turned._fields))
            raw["turned"] = Turned(**turned)
            if len(raw["turned"].frequencies()) * 2 not in (0, turned["columns"]):
                raise self.wrong("what is turned must have a frequency for each pair of its columns")
        for run in raw.pop("which").split(","):
            try:
                first, last = ([int(one) for one in run.split("-")] * 2)[:2]
            except ValueError:
                raise self.wrong(f"which must be like '0-4,6', got {shown(run)}") from None
            yield from (Layer(i, **raw) for i in range(first, last + 1))
