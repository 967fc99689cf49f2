"""Which encoding each model has, by the names that people type: a row for each, and where it comes from.

``by_name.toml`` has names and sources. What a row says is computed: a published config is read by
:mod:`pe_book.config`, the defaults of a class by the census, a quotation from the records of the doors. Where
code was read and nothing was run, the words stand in the file beside the line that says so.
"""

import tomllib
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from pe_book.census import Layer, Table, Turned, census
from pe_book.config.formats.answer import published_of
from pe_book.config.reading import read_config
from pe_book.config.records import LayerRotary, Reading
from pe_book.config.scaling import Scaling
from pe_book.evidence.family.recorded import recorded
from pe_book.evidence.family.who_uses_what.cells import BIASES, PLACES, Alike, cells
from pe_book.family.doors.models import model
from pe_book.inputs.wording import shown

LISTED = Path(__file__).with_name("by_name.toml")
SAID = ("encoding", "pairs", "base", "scaling", "layers", "besides")
#: What the census calls a method of another kind, in words.
SCALED = {"learned": "learned frequencies", "other": "by a rule of its own"}
#: What a recorded block is called that is a whole file.
COPIED = "config.json as copied there"
#: How the methods of quoted models are called in the column of encodings.
METHODS = {
    "rotation": "rotary", "slopes": BIASES["alibi"], "learned numbers of offsets": BIASES["t5"],
    "learned vectors of offsets": BIASES["disentangled"],
}  # fmt: skip


class Row(NamedTuple):
    """What is known of one model."""

    name: str
    called: tuple[str, ...]
    """Other names that people type."""
    model_type: str
    origin: str
    """``"published config"``, ``"class default"``, ``"code read"`` or ``"quoted"``."""
    source: str
    """Where exactly, with version or date."""
    encoding: tuple[str, ...]
    """In words, what tells positions."""
    pairs: str
    base: str
    scaling: str
    layers: str
    besides: str
    """A sink logit, a temperature that follows length, what is added to scores."""
    trained: str = ""
    """What its publisher says of training, with the source; empty where none is recorded."""


@cache
def rows() -> tuple[Row, ...]:
    """All rows, in the order of their names.

    >>> [row.base for row in rows() if row.name == "Llama 3.1 8B"]
    ['500,000']
    """
    listed = tomllib.loads(LISTED.read_text(encoding="utf-8"))
    entries = [one for one in (*listed["model"], *listed["more"]) if known(one)]
    return tuple(sorted(map(row_of, entries), key=lambda one: one.name.lower()))


def known(one: dict[str, Any]) -> bool:
    """Whether the source of an entry says anything: a type that the census did not run gets no row."""
    kind = census().types.get(one.get("type", ""))
    return "type" not in one or (kind is not None and not kind.not_run)


def row(name: str) -> Row:
    """The row that has a name, or is called so.

    >>> row("gpt2").encoding
    ('learned table',)
    """
    wanted = as_name(name)
    exact = [one for one in rows() if as_name(one.name) == wanted]
    found = exact or [one for one in rows() if wanted in map(as_name, one.called)]
    if len(found) > 1:
        raise ValueError(
            f"name must be of one model, and {shown(name)} is of {', '.join(one.name for one in found)}"
        )
    if not found:
        raise ValueError(f"name must be one of the {len(rows())} models of the list, got {shown(name)}")
    return found[0]


def as_name(text: str) -> str:
    """A name without what people write in different ways.

    >>> as_name("Llama-3.1") == as_name("llama3.1")
    True
    """
    return "".join(one for one in text.lower() if one.isalnum() or one == "+")


def row_of(one: dict[str, Any]) -> Row:
    """A row from an entry of the file, by what the entry names as its source."""
    head = (one["name"], tuple(one.get("called", ())))
    if "quoted" in one:
        return Row(*head, "", "quoted", *quoted(one["quoted"]))
    if "read" in one:
        said = [one["says"].get(name, "") for name in SAID]
        source = f"`{one['read']}`, {one['version']}: `{one['line']}`"
        return Row(*head, "", one.get("kind", "code read"), source, tuple(said[0]), *said[1:])
    if "type" in one:
        return Row(*head, one["type"], "class default", *of_class(one["type"]))
    block = one if "from" in one else recorded(one["config"])
    address, reading = (
        block.get("from") or block["source"],
        read_config(whole(block["config"], one.get("layers"))),
    )
    kind = block.get("kind", COPIED)
    seen = f"`{address.partition(' (stored')[0]}`, seen {block['seen']}"
    cut = f", a copy cut to fewer than {one['layers']} layers" if "layers" in one else ""
    found = cells(grouped_as_read(reading), tables_of(reading))
    origin = "published config" if kind == COPIED else kind
    found_row = Row(*head, reading.model_type, origin, seen + cut, *found)
    return found_row._replace(trained=trained_on(reading))


def whole(config: dict[str, Any], layers: int | None) -> dict[str, Any]:
    """A config with as many layers as other copies have, where the recorded one is known to be cut."""
    if layers is None:
        return config
    text = config.get("text_config")
    more = {"num_hidden_layers": layers}
    return config | ({"text_config": text | more} if text else more)


def of_class(name: str) -> tuple[Any, ...]:
    """Source and cells of a model type, from the census."""
    kind = census().of_type(name)
    groups = [group for part, of in kind.parts.items() for group in grouped(part, of.layers)]
    source = f"`{name}` in transformers {census().transformers}"
    return source, *cells(groups, {part: of.tables for part, of in kind.parts.items()})


def trained_on(reading: Reading) -> str:
    """What the publisher of a config's numbers says of training."""
    numbers, _, says = published_of(reading).partition("; of its training the publisher says: ")
    return f"{numbers.removeprefix('The numbers are those of ')}: {says}" if says else ""


def quoted(name: str) -> tuple[Any, ...]:
    """Source and cells of a model whose code or paper is quoted on the page.

    >>> quoted("DeBERTa")[1]
    ('disentangled bias', 'learned table')
    """
    found = model(name)
    kind = {"code": "its code", "paper": "its paper", "inferred": "inferred from its paper"}
    source = " and ".join(dict.fromkeys(kind[item.kind] for item in found.evidence)) + ", quoted below"
    methods = [METHODS.get(found.method.partition(";")[0], found.method)]
    methods += ["learned table"] if "learned table" in found.method and len(found.doors) > 1 else []
    arrays = ", ".join(" × ".join(f"{size:,}" for size in shape) for shape in found.shapes)
    layers = "learned numbers, " + f"{found.size}: {arrays}".removeprefix(": ") if arrays else ""
    return source, tuple(methods), "", "", "", layers, ""


# ---------------------------------------------------------------- what layers do


def grouped(part: str, layers: Iterable[Layer]) -> list[Alike]:
    """Layers that do the same, together."""
    found: dict[Layer, list[int]] = {}
    for layer in layers:
        found.setdefault(layer._replace(layer=0, by_name=()), []).append(layer.layer)
    return [Alike(part, tuple(at), does, scaled_as(does.turned)) for does, at in found.items()]


def scaled_as(turned: Turned | None) -> str:
    """How frequencies of a class are scaled, as far as the census saw it."""
    if turned is None or turned.method in ("default", PLACES):
        return ""
    return SCALED.get(turned.method, turned.method) + (f" × {turned.scale:g}" if turned.scale != 1 else "")


def grouped_as_read(reading: Reading) -> list[Alike]:
    """The same of a config."""
    kinds = dict.fromkeys(one.attention for one in reading.records if one.kind == "rotary")
    scalings = dict(zip(kinds, reading.scalings, strict=True))
    found: dict[tuple[Layer, str], list[int]] = {}
    for one in reading.records:
        scaling = scalings.get(one.attention) if one.kind == "rotary" else None
        turned = as_turned(one, scaling) if scaling else None
        hotter = one.temperature.formula if one.temperature else ""
        does = Layer(0, *sees(one, reading), turned, one.bias, hotter, one.sink, one.moving)
        found.setdefault((does, in_words(scaling)), []).append(one.layer)
    return [Alike("text", tuple(at), *does) for does, at in found.items()]


def sees(one: LayerRotary, reading: Reading) -> tuple[str, int | None]:
    """How a layer attends, and how far; a window as long as the longest position of the file is none."""
    if one.attention == "linear" and "conv" in reading.values.get("layer_types", ()):
        return "convolution", None
    if one.attention != "window" or one.window is None:
        return one.attention, one.window
    if "attention_chunk_size" in reading.used:
        return "chunk", one.window
    return ("full", None) if one.window >= (reading.max_len or np.inf) else ("window", one.window)


def as_turned(one: LayerRotary, scaling: Scaling) -> Turned:
    """What a record says of turns, in the words of the census."""
    return Turned(
        one.head_dim, one.rotary_dim, one.side, one.layout, scaling.base, one.method,
        still=int((one.frequencies == 0).sum()), sections=one.sections, arrangement=one.arrangement,
    )  # fmt: skip


def in_words(scaling: Scaling | None) -> str:
    """How a block scales: the method, its factor, and from which length.

    >>> from pe_book.config.keys import Keys
    >>> in_words(Scaling(Keys({}), "yarn", 10000.0, factor=40.0, original_len=4096))
    'yarn × 40 from 4,096'
    """
    if scaling is None or scaling.method == "default":
        return ""
    times = f" × {scaling.factor:g}" if scaling.factor else ""
    return f"{scaling.method}{times}" + (f" from {scaling.original_len:,.0f}" if scaling.original_len else "")


def tables_of(reading: Reading) -> dict[str, tuple[Table, ...]]:
    """What a config adds to embeddings, by the part of the model in which that is done."""
    added = reading.records[0].tables
    found = {one.part: tuple(other for other in added if other.part == one.part) for one in added}
    return {
        part: tuple(Table(one.kind, one.rows or 0, one.offset) for one in tables)
        for part, tables in found.items()
    } or {"text": ()}
