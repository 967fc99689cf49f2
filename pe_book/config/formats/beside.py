"""What a layer has for position beside turns: a table that is added, a temperature that follows length."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pe_book.config.keys import Keys, whole, zero_or_positive
from pe_book.family.context_extension.lengths import length_factor


class Table(NamedTuple):
    """What is added to embeddings, once, before the first layer.

    >>> str(Table("encoder", "sinusoidal", 1500))
    'a sinusoidal table of 1,500 rows is added in the encoder'
    """

    part: str
    """``"encoder"``, ``"decoder"``, ``"text"``, ``"image"`` or ``"sound"``."""
    kind: str
    """``"learned"``, ``"sinusoidal"`` or ``"convolution"``, which is over what is embedded."""
    rows: int | None
    """For how many positions; of a convolution, how many of them it sees. None where nothing says it."""
    offset: int = 0
    """Which row position 0 has; those before it are not counted in `rows`."""

    def __str__(self) -> str:
        if self.kind == "convolution":
            what = f"a convolution over {self.rows or 'some'} positions"
        else:
            what = f"a {self.kind} table" + (f" of {self.rows:,} rows" if self.rows else "")
        return f"{what} is added {PLACES[self.part]}"


PLACES = {
    "encoder": "in the encoder", "decoder": "in the decoder", "text": "to the text",
    "image": "to the patches of an image", "sound": "to frames of sound",
}  # fmt: skip


#: By the name of a rule its formula, with p for a position.
FORMULAS = {
    "steps": "1 + {rate:g} log(1 + floor(p / {length:g}))",
    "steps from 1": "1 + {rate:g} log(1 + floor((p + 1) / {length:g}))",
    "beyond": "1 + {rate:g} log(max((p + 1) / {length:g}, 1))",
    "power": "(1 + (p + 1) / {length:g}) ** {rate:g}",
    "learned": "s log(p + 1) + b, s and b learned for each head",
}


class Temperature(NamedTuple):
    """A factor on queries, and so on scores, that depends on the position of the query.

    >>> hotter = Temperature("steps", 0.1, 8192)
    >>> hotter.formula
    '1 + 0.1 log(1 + floor(p / 8192))'
    >>> hotter([0, 8191, 8192]).round(4).tolist()
    [1.0, 1.0, 1.0693]
    """

    rule: str
    """One of :data:`FORMULAS`."""
    rate: float | None = None
    length: float | None = None

    @property
    def formula(self) -> str:
        """As text, with p for the position from 0."""
        return FORMULAS[self.rule].format(rate=self.rate, length=self.length)

    def __call__(self, positions: ArrayLike) -> NDArray[np.float64]:
        """The factor at each of `positions`; where it is learned there is none to compute."""
        if self.rate is None or self.length is None:
            raise ValueError(
                f"the factor must be given by the config to be computed, and it is {self.formula}"
            )
        return length_factor(positions, rule=self.rule, trained_len=self.length, strength=self.rate)


class Law(NamedTuple):
    """Which temperature the code of a type has, by which keys, or as which numbers, and in which layers."""

    rule: str
    rate: str | float = ""
    length: str | float = ""
    layers: str = "all"
    """``"all"``, those without a window, which are ``"full"``, or those that do not turn, ``"still"``."""
    switch: str = ""
    """A key that has to be true."""


def temperature_of(keys: Keys, law: Law) -> Temperature | None:
    """The temperature that a config says; None where it is off, or a number is missing."""
    if law.rule == "learned":
        return Temperature("learned")
    blocks = (keys.values.get(name) for name in ("rope_scaling", "rope_parameters"))
    block: Mapping[str, Any] = next((one for one in blocks if isinstance(one, Mapping)), {})
    keys.note(*(one for one in law[1:] if isinstance(one, str) and one in keys.there))
    said = (law.rate, law.length)
    found = [keys.values.get(one, block.get(one)) if isinstance(one, str) else one for one in said]
    if law.switch and not keys.values.get(law.switch):
        return None
    rate, length = (float(one) if isinstance(one, int | float) and 0 < one < 2**53 else None for one in found)
    return None if rate is None or length is None else Temperature(law.rule, rate, length)


def tables_of(keys: Keys, tables: tuple[tuple[Any, ...], ...]) -> tuple[Table, ...]:
    """The tables of a model, with as many rows as its config says, or its class.

    >>> vit = Keys({"image_size": 224, "patch_size": 16})
    >>> tables_of(vit, (("image", "learned", "patches + 1"),))
    (Table(part='image', kind='learned', rows=197, offset=0),)
    """
    found = []
    for part, kind, said, *offset in tables:
        rows = said_if(keys, said)
        if rows:
            found.append(Table(part, kind, counted(keys, rows), *(counted(keys, one) or 0 for one in offset)))
    return tuple(found)


def said_if(keys: Keys, said: str) -> str:
    """What stands before an ``if``, where the key after it is true; else nothing."""
    what, _, key = said.partition(" if ")
    return what if not key or keys.take(key) else ""


def counted(keys: Keys, said: str | int) -> int | None:
    """A sum of numbers and keys; None where a key is nowhere said. A square of patches is called so.

    >>> counted(Keys({"max_position_embeddings": 514, "pad": 1}), "max_position_embeddings - pad - 1")
    512
    """
    total = 0
    found: int | None
    for sign, name in zip(*[iter(f"+ {said}".split())] * 2, strict=True):
        if name.isdigit():
            found = int(name)
        elif name == "patches":
            sides = [keys.take(one, check=whole) for one in ("image_size", "patch_size")]
            found = None if None in sides else (sides[0] // sides[1]) ** 2
        else:
            found = keys.take(name, check=zero_or_positive)
        if found is None:
            return None
        total += int(found) * (1 if sign == "+" else -1)
    return total


def keys_of(law: Law | None, tables: tuple[tuple[Any, ...], ...], bias: str) -> set[str]:
    """The keys of a config that say a temperature, how long tables are, and whether there is a bias.

    >>> sorted(keys_of(None, (("image", "learned", "patches + 1"),), "disentangled if relative"))
    ['image_size', 'patch_size', 'relative']
    """
    words = {word for row in tables for one in row[2:] for word in str(one).split()} - {"if"}
    words |= {*bias.split(" if ")[1:]}
    words |= {one for one in (law.rate, law.length, law.switch) if isinstance(one, str)} if law else set()
    if "patches" in words:
        words = words - {"patches"} | {"image_size", "patch_size"}
    return {word for word in words if word.isidentifier()}
