"""What stands in the cells of a row on a model: words for what its layers do, and for where they differ."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from pe_book.census import Layer, Table, Turned

#: Where a layer's attention is told from that of others.
SEEING = {
    "full": "in full attention",
    "window": "with a window",
    "chunk": "in chunks",
    "compressed": "where compressed",
}
BIASES = {
    "t5": "T5 bias",
    "alibi": "ALiBi",
    "disentangled": "disentangled bias",
    "content": "bias by content",
    "by content": "bias by content",
}
TABLES = {"learned": "learned table", "sinusoidal": "sinusoid", "convolution": "convolution at the input"}
ROWS = {
    "learned": "{:,} learned rows", "sinusoidal": "{:,} sinusoidal rows",
    "convolution": "a convolution over {:,} positions",
}  # fmt: skip
MOVING = {"linear": "linear attention", "nothing": "no attention"}
PLACES = "by row and column"  # the method of turns whose positions have coordinates of their own
Tables = dict[str, tuple[Table, ...]]


class Alike(NamedTuple):
    """Layers of a part that do the same."""

    part: str
    layers: tuple[int, ...]
    does: Layer
    scaling: str


def cells(groups: Sequence[Alike], tables: Tables) -> tuple[Any, ...]:
    """What stands in the columns of a row."""
    turned = [(group, group.does.turned) for group in groups if group.does.turned]
    return (
        encodings(groups, tables),
        differing({group: pairs_of(one) for group, one in turned}),
        differing({group: f"{one.base:,.0f}" if one.base else "" for group, one in turned}),
        differing({group: group.scaling for group, _ in turned}),
        layers_said(groups, tables),
        besides(groups),
    )


def encodings(groups: Sequence[Alike], tables: Tables) -> tuple[str, ...]:
    """In words, what tells positions, and what is particular."""
    does = [group.does for group in groups]
    scored = [one for one in does if one.attends in SEEING]
    kinds = [TABLES[table.kind] for part in tables.values() for table in part]
    kinds += ["rotary" for one in does if one.turned]
    kinds += [BIASES.get(one.bias.lower(), one.bias) for one in does if one.bias]
    if scored and not kinds:
        kinds.append("NoPE")
    elif any(one.does in scored and still(one.does) and turns_in(one.part, groups) for one in groups):
        kinds.append("still layers")
    kinds += ["partial" for one in does if one.turned and one.turned.columns < one.turned.head]
    kinds += ["scaled" for group in groups if group.scaling]
    kinds += [
        "several axes" for one in does if one.turned and (one.turned.sections or one.turned.method == PLACES)
    ]
    kinds += [MOVING.get(one.attends, one.attends) for one in does if one.attends not in (*SEEING, "nothing")]
    kinds += ["convolution" if "convolution" in one.moving else "recurrent" for one in scored if one.moving]
    kinds += ["sliding window" for one in does if one.attends == "window"]
    kinds += ["sink logit" for one in does if one.sink] + ["temperature" for one in does if one.temperature]
    return tuple(dict.fromkeys(kinds))


def still(layer: Layer) -> bool:
    """Whether nothing tells a layer positions."""
    return not layer.turned and not layer.bias


def turns_in(part: str, groups: Sequence[Alike]) -> bool:
    """Whether some layer of a part turns: the tower beside it is another model."""
    return any(one.part == part and one.does.turned for one in groups)


def pairs_of(turned: Turned) -> str:
    """Which columns pair, and how many of a head turn.

    >>> pairs_of(Turned(192, 64, "last", "interleaved"))
    'interleaved, the last 64 of 192 columns'
    """
    part = (
        f"all {turned.head}"
        if turned.columns == turned.head
        else f"the {turned.side} {turned.columns} of {turned.head}"
    )
    still = f", of which {2 * turned.still} stand" if turned.still else ""
    axes = (
        f"; {' + '.join(map(str, turned.sections))} pairs for the axes, {turned.arrangement}"
        if turned.sections
        else ""
    )
    return f"{turned.pairing}, {part} columns{still}{axes}"


def differing(said: Mapping[Alike, str]) -> str:
    """What is said of all groups; where that differs, each with the layers of which it is said."""
    found: dict[str, list[Alike]] = {}
    for group, words in said.items():
        found.setdefault(words, []).append(group)
    if len(found) < 2:
        return next(iter(found), "")
    return "; ".join(f"{where(those, [*said])}: {words}" for words, those in found.items() if words)


def where(those: Sequence[Alike], groups: Sequence[Alike]) -> str:
    """How some of the groups are told from the others: by part, by attention, else by their layers."""
    ways: tuple[Callable[[Alike], str], ...] = (
        lambda one: f"in the {one.part}",
        lambda one: SEEING.get(one.does.attends, one.does.attends),
    )
    for way in ways:
        own = {way(one) for one in those}
        if len(own) == 1 and not own & {way(one) for one in groups if one not in those}:
            return own.pop()
    return "in " + ", ".join(numbered(one.layers) for one in those)


def layers_said(groups: Sequence[Alike], tables: Tables) -> str:
    """Tables at the input, and the groups of layers part by part."""
    said = []
    for part, there in tables.items():
        own = [group for group in groups if group.part == part]
        words = [ROWS[table.kind].format(table.rows) for table in there]
        count = sum(len(group.layers) for group in own)
        if len(own) > 1:
            both = len({bool(group.does.turned) for group in own if group.does.attends in SEEING}) > 1
            each = [f"{does(one, both=both)} in {numbered(one.layers)}" for one in own]
            words.append(f"{count} layers: " + "; ".join(each))
        elif own:
            words.append(f"{count} layers" + (f", {seen(own[0])}" if seen(own[0]) != "full" else ""))
        words = words or ["not seen"]
        said.append((f"{part}: " if len(tables) > 1 else "") + "; ".join(words))
    return ". ".join(said)


def seen(group: Alike) -> str:
    """What the layers of a group see, and what else moves words there."""
    one = group.does
    if one.attends not in SEEING:
        return one.moving or MOVING.get(one.attends, one.attends)
    sees = one.attends if one.window is None else f"{one.attends} of {one.window:,}"
    if one.attends == "compressed":
        sees = f"window of {one.window:,} and compressed text before it"
    return f"{sees} beside {one.moving}" if one.moving else sees


def does(group: Alike, *, both: bool) -> str:
    """What the layers of a group do; whether they turn is said where some do and others are still."""
    turns = f", {'turned' if group.does.turned else 'still'}" if both and group.does.attends in SEEING else ""
    return seen(group) + turns


def numbered(layers: Sequence[int]) -> str:
    """Layers by their numbers from 0, as short as it can be said.

    >>> numbered(range(3, 48, 4)), numbered([0, 1, 2, 4, 5, 6, 8, 9]), numbered([7])
    ('3, 7, 11 … 43, 47', '0-2, 4-6, 8-9', '7')
    """
    runs: list[list[int]] = []
    for at in layers:
        if runs and at == runs[-1][-1] + 1:
            runs[-1].append(at)
        else:
            runs.append([at])
    said = [f"{run[0]}-{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs]
    return ", ".join(said) if len(said) < 7 else f"{', '.join(said[:3])} … {', '.join(said[-2:])}"


def besides(groups: Sequence[Alike]) -> str:
    """A sink and a temperature, and in which layers if not in all that attend."""
    scored = [group for group in groups if group.does.attends in SEEING]
    said = {"a sink logit": [group for group in scored if group.does.sink]}
    for group in scored:
        if group.does.temperature:
            said.setdefault(f"scores × ({group.does.temperature})", []).append(group)
    return "; ".join(
        words + ("" if len(own) == len(scored) else f" {where(own, scored)}")
        for words, own in said.items()
        if own
    )
