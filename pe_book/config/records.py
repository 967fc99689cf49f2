"""What is known of a model's positions once its config was read: a record for each layer, and the reading."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pe_book.config.classes import MODELS
from pe_book.config.formats.beside import Table, Temperature
from pe_book.config.keys import LENGTHS, first_named
from pe_book.config.layers import Attention
from pe_book.config.scaling import Scaling
from pe_book.family.rotary import Side
from pe_book.inputs.checking import Layout
from pe_book.inputs.shapes import PerPair

BIASES = {
    "alibi": "a slope times the distance is added to scores",
    "t5": "a learned number for each bucket of distances is added to scores",
    "disentangled": "products with learned rows for distances are added to scores",
    "content": "a number that each query makes for each distance is added to scores",
}


@dataclass(frozen=True, eq=False)
class LayerRotary:
    """What one layer does to a query and a key.

    Parameters
    ----------
    layer : int
        From 0.
    kind : str
        ``"rotary"``, ``"none"`` (nothing is turned here), or what a model has that turns nothing by the place
        in a text: ``"alibi"``, ``"bias"``, ``"learned"``, ``"sinusoidal"``, ``"convolution"``,
        ``"axial"``. With frequencies that are not in the config it is ``"learned rotary"``.
    attention : str
        ``"full"``, ``"window"``, ``"linear"``, or ``"compressed"``: a window, and summaries of the rest.
    window : int or None
        How many tokens back the layer sees, where it has a window and the config says how wide.
    head_dim, rotary_dim : int
        Width of a head and of the slice that turns; 0 where nothing does.
    side : str
        Whether the slice is the ``"first"`` columns or the ``"last"``.
    layout : str
        ``"interleaved"`` or ``"halves"``.
    frequencies : NDArray[np.float64]
        Shape (rotary_dim/2,), radians per token, at the length that was asked for; 0 for a pair that stands.
    unscaled : NDArray[np.float64]
        The same before scaling.
    method : str
        How they were scaled: ``"default"`` if not at all.
    attention_factor : float
        On queries and on keys, after the rotation: scores carry its square.
    score_factor : float
        On the scores.
    sections, arrangement : tuple of int, str
        Pairs for each axis, where positions have several, and how they lie: as for
        :func:`pe_book.family.rotary.axes.sectioned_frequencies`; else empty.
    ramp, truncate : str, bool
        Of YaRN: the ramp that was taken, always ``"library"``, and whether its ends are whole indices, as for
        :func:`pe_book.family.context_extension.ramps.yarn`; else empty and False.
    page : str
        The section of the book that explains it: its address from the root of the site.
    known : bool
        Whether the conventions are those of the config's own ``model_type``; False where another was assumed.
    valid_len : int or None
        For texts of how many tokens the frequencies hold, where they depend on it, as with dynamic scaling
        and LongRoPE; a longer text has others. None where they hold at any length.
    bias : str
        What is added to scores besides: ``"alibi"``, ``"t5"``, ``"disentangled"`` or ``"content"``, a number
        that each query makes for each distance; else empty.
    tables : tuple of Table
        What was added to embeddings before the first layer: its kind, ``rows`` and ``offset``, and the part
        of the model in which that is done.
    temperature : Temperature or None
        What queries are multiplied by as the text grows: ``temperature.formula`` is text, and
        ``temperature(positions)`` the factors, where the config gives them.
    sink : bool
        Whether the softmax has one logit more for each head, learned and of no token.
    moving : str
        What brings order into a layer without scores, such as ``"gated delta net"``; else empty.
    learned : str
        Where learned factors on the frequencies lie in a checkpoint, with what is done with them. Then
        ``kind`` is ``"learned rotary"``, `frequencies` are empty, and `unscaled` is the ladder that they
        multiply, as the config gives it.
    """

    layer: int
    kind: str
    attention: Attention
    window: int | None = None
    head_dim: int = 0
    rotary_dim: int = 0
    side: Side = "first"
    layout: Layout = "interleaved"
    frequencies: PerPair = field(default_factory=lambda: np.empty(0))
    unscaled: PerPair = field(default_factory=lambda: np.empty(0))
    method: str = "default"
    attention_factor: float = 1.0
    score_factor: float = 1.0
    sections: tuple[int, ...] = ()
    arrangement: str = ""
    page: str = "reference/conventions.html#sec-conventions-rotary"
    ramp: str = ""
    truncate: bool = False
    known: bool = True
    valid_len: int | None = None
    bias: str = ""
    tables: tuple[Table, ...] = ()
    temperature: Temperature | None = None
    sink: bool = False
    moving: str = ""
    learned: str = ""


@dataclass(frozen=True, eq=False)
class Reading:
    """What a config means, and how it was read.

    Parameters
    ----------
    records : tuple of LayerRotary
        One for each layer.
    model_type : str
        As the config names it.
    known : bool
        Whether the conventions of this ``model_type`` are known here; else those of `read_as` were assumed.
    max_len : int or None
        The length that the config promises, in tokens.
    used, defaulted : dict
        Keys with what stood there, and with what was taken because nothing stood there.
    ignored : list of str
        Keys that bear on position and changed nothing.
    scalings : tuple of Scaling
        The blocks on scaling, one for each kind of layer that has one of its own.
    values : dict
        The config itself, with what stands under ``text_config`` in the first row.
    outside : dict
        What stands on position beside ``text_config``, where the class of a model does not look.
    read_as : str
        The ``model_type`` whose conventions were taken: its own, or the one that was assumed.
    of_the_class : dict
        What its class has for keys that a config leaves out, as far as it is recorded.
    slips : dict
        Keys that nothing reads and that are nearly right, each with the one that is missing.
    tables : tuple of Table
        What is added to embeddings, in each part of the model.
    """

    records: tuple[LayerRotary, ...]
    model_type: str
    known: bool
    max_len: int | None
    used: dict[str, Any]
    defaulted: dict[str, Any]
    ignored: list[str]
    scalings: tuple[Scaling, ...]
    values: Mapping[str, Any]
    outside: Mapping[str, Any] = field(default_factory=dict)
    read_as: str = ""
    of_the_class: Mapping[str, Any] = field(default_factory=dict)
    slips: Mapping[str, str] = field(default_factory=dict)
    tables: tuple[Table, ...] = ()

    @property
    def instead(self) -> str:
        """What a model has that turns nothing by the place in a text, in a sentence; else empty.

        >>> from pe_book.config.reading import read_config
        >>> read_config({"model_type": "bert"}).instead
        'bert turns nothing: a learned table of 512 rows is added to the text.'
        """
        kinds = {one.kind for one in self.records}
        if kinds & {"rotary", "learned rotary"}:
            return ""
        if "axial" in kinds:
            return f"{self.model_type} turns by row and column of a patch, and not by a place in a text."
        biases, moving = ({getattr(one, name) for one in self.records} - {""} for name in ("bias", "moving"))
        said = [*map(str, self.tables), *(BIASES[one] for one in sorted(biases))]
        said += [f"layers without scores have order from {one}" for one in sorted(moving)]
        has = ", and ".join(said) or "its attention has no encoding of position"
        return f"{self.model_type} turns nothing: {has}."

    @property
    def trained_len(self) -> float | None:
        """The length of training as far as the config says it; a linear factor alone does not."""
        if any(scaling.method == "linear" for scaling in self.scalings):
            return None
        lengths = [scaling.original_len for scaling in self.scalings if scaling.original_len]
        return lengths[0] if lengths else self.max_len

    def named(self, *names: str) -> str:
        """Of several names of one key the one that the config has; the first if it has none."""
        return first_named(self.values, *names)

    @property
    def max_len_key(self) -> str:
        """The key of the longest position."""
        return self.named(*LENGTHS, *MODELS[self.read_as].lengths)

    @property
    def promised_len(self) -> float | None:
        """The longest length that the config promises; YaRN's factor may promise more than the positions."""
        if not self.max_len:
            return None
        yarns = (scaling for scaling in self.scalings if scaling.method == "yarn")
        return max([self.max_len, *((one.factor or 1) * (one.original_len or 1) for one in yarns)])

    @property
    def possible_len(self) -> float:
        """The longest length that the config may mean.

        With position interpolation and dynamic scaling it does not say whether the longest position is that
        of training or has the factor in it.
        """
        factors = (one.factor or 1 for one in self.scalings if one.method in ("linear", "dynamic"))
        return max(self.promised_len or 0, (self.max_len or 0) * max(factors, default=1))


def valid_len_of(scaling: Scaling, length: int | None) -> int | None:
    """For texts of how many tokens the frequencies at `length` hold; None where that is any number."""
    if scaling.method not in ("dynamic", "longrope"):
        return None
    trained = int(scaling.original_len or 0)
    if length is None or length <= trained:
        return trained
    return None if scaling.method == "longrope" else length  # the long factors are of all longer texts
