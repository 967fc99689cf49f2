"""Keys of a config, so that it is known which were used, and their numbers, refused by the name of the key.

The keys that bear on position go by several names. The first name of a group that is present counts, as in
the libraries; what nobody asked for is ignored.
"""

import math
import re
from collections.abc import Callable, Mapping
from typing import Any

from pe_book.config.formats.slips import meant
from pe_book.inputs.checking import base_above_one
from pe_book.inputs.wording import shown

# keys of other parts of attention, one letter from those that are read
NO_SLIPS = frozenset({"v_head_dim"})  # the width of values, in latent attention

# keys of the whole model that bear on position, beside those that are asked for
POSITIONAL = re.compile(
    "rope|rotary|position|alibi|sliding|window|layer_types|layer_switch|ntk|yarn|logn|attn_temperature|"
    "seq_length|n_ctx|mscale|theta|llama_4|context_len|interleave"
)

# what looks positional and says nothing about the encoding
BESIDE = frozenset({
    "vision_start_token_id", "image_token_index", "position_ids", "image_seq_length", "video_seq_length",
    "mlp_layer_types", "interleave_moe_layer_step", "window_size", "mtp_layer_types",
})  # fmt: skip

#: What counts for the text of a model alone, and is easily pasted beside its block.
OF_THE_TEXT = frozenset({
    "rope_theta", "rotary_emb_base", "rope_scaling", "rope_parameters", "sliding_window", "layer_types",
    "original_max_position_embeddings", "no_rope_layers", "rope_local_base_freq",
})  # fmt: skip

#: The longest position, under the names that configs have for it.
LENGTHS = ("max_position_embeddings", "n_positions", "max_sequence_length", "max_seq_len")

MOST_COMPARED = 500  # a config of more keys is no model's

# given a value and the name of its key, it returns what the value means, or refuses it
Check = Callable[[Any, str], Any]


class Keys:
    """A config, or a block of it, that notes what was asked of it.

    Parameters
    ----------
    values
        The keys and what stands there.
    prefix
        Where they stand, such as ``"rope_scaling."``: names in reports begin with it.
    assumed
        What a model's class has for keys that are not there at all; taken, they count as defaulted.
    unread
        Names that the class does not look for: they count for nothing, and stay among those that are left.

    Examples
    --------
    >>> keys = Keys({"rope_theta": 500000.0, "rope_ratio": 2})
    >>> keys.take("rotary_emb_base", "rope_theta", default=10000.0), keys.take("head_dim")
    (500000.0, None)
    >>> keys.used, keys.defaulted, keys.left()
    ({'rope_theta': 500000.0}, {}, ['rope_ratio'])
    """

    def __init__(
        self,
        values: Mapping[Any, Any],
        prefix: str = "",
        assumed: Mapping[str, Any] | None = None,
        unread: frozenset[str] = frozenset(),
    ) -> None:
        if strange := [name for name in values if not isinstance(name, str)]:
            where = prefix[:-1] or "config, with its text_config,"
            raise ValueError(f"{where} must have texts for keys, got {shown(strange[0])}")
        self.values: Mapping[str, Any] = {**(assumed or {}), **values}
        self.there = values.keys()
        self.unread = unread
        self._strange = unread - (assumed or {}).keys()  # what the class itself has is no other spelling
        self.prefix = prefix
        self.used: dict[str, Any] = {}
        self.defaulted: dict[str, Any] = {}
        self.asked: set[str] = set()

    def take(self, *names: str, check: Check | None = None, default: Any = None) -> Any:
        """What stands at the first of the names that is not null, checked; else the default, noted."""
        read = [name for name in names if name not in self.unread]
        self.asked.update(read)
        for name in sorted(read, key=lambda one: one not in self.there):  # what is there comes first
            value = self.values.get(name)
            if value is not None:
                (self.used if name in self.there else self.defaulted)[self.prefix + name] = value
                return value if check is None else check(value, self.prefix + name)
        if default is not None and names:
            self.defaulted[self.prefix + names[0]] = default
        return default

    def has(self, name: str) -> bool:
        """Whether a key is there that the class reads, or that it has by itself."""
        self.asked.update({name} - self.unread)
        return name not in self.unread and self.values.get(name) is not None

    def named(self, *names: str) -> str:
        """Of several names of one key the one that is there, with its block; the first if none is."""
        return self.prefix + first_named(self.values, *names)

    def note(self, *names: str) -> None:
        """Say that keys were looked at, though what stands there changed nothing."""
        self.asked.update(names)
        for name in names:
            if name in self.there:
                self.used[self.prefix + name] = self.values[name]

    def slips(self) -> dict[str, str]:
        """Names that nobody asked for and that are nearly those of keys that are missing: which ones."""
        if len(self.there) > MOST_COMPARED:
            return {}
        missing = {name for name in self.asked if self.values.get(name) is None or name not in self.there}
        found = {name: meant(name, missing) for name in self.there if name not in self.asked | NO_SLIPS}
        return {self.prefix + name: of for name, of in found.items() if of}

    def left(self) -> list[str]:
        """The keys that bear on position and that nobody asked for; in a block, all of them."""
        slips = self.slips()
        wanted = [
            name
            for name in self.there
            if (self.prefix or name in self._strange or POSITIONAL.search(name) or name in slips)
            and name not in BESIDE
            and self.values.get(name) is not None
            and self.prefix + name not in self.used
        ]
        return [self.prefix + name for name in wanted]


def first_named(values: Mapping[str, Any], *names: str) -> str:
    """Of several names of one key the one that is there; the first if none is."""
    return next((name for name in names if values.get(name) is not None), names[0])


def part_of(head: int, share: float) -> int:
    """So many columns of a head: cut to a whole number, as the libraries do."""
    return int(head * share)


def share_of_one(value: Any, name: str) -> float:
    """A number above 0 and at most 1 from a config, refused by the name of its key."""
    if positive(value, name) > 1:
        raise ValueError(f"{name} must be at most 1, got {shown(value)}")
    return float(value)


def even(value: Any, name: str) -> int:
    """An even width from a config, refused by the name of its key."""
    width = whole(value, name)
    if width % 2:
        raise ValueError(f"{name} must be even, got {width}")
    return width


def whole(value: Any, name: str) -> int:
    """A whole number above 0 from a config, refused by the name of its key."""
    if positive(value, name) != math.floor(value):
        raise ValueError(f"{name} must be a whole number above 0, got {shown(value)}")
    return int(value)


def above_one(value: Any, name: str) -> float:
    """A base from a config, refused by the name of its key unless frequencies fall with it."""
    return base_above_one(positive(value, name), name)


def flag(value: Any, name: str) -> bool:
    """A yes or a no from a config, refused by the name of its key."""
    if not isinstance(value, bool):
        raise ValueError(f"{name} must be true or false, got {shown(value)}")
    return value


def zero_or_positive(value: Any, name: str) -> float:
    """A number that is not negative from a config, refused by the name of its key."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 2**53:
        wanted = "a number of at least 0 and below 2**53"
        raise ValueError(f"{name} must be {wanted}, got {shown(value)}{quoted(value)}")
    return float(value)


def positive(value: Any, name: str) -> float:
    """A number above 0 from a config, refused by the name of its key."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 2**53:
        wanted = "a number above 0 and below 2**53"
        raise ValueError(f"{name} must be {wanted}, got {shown(value)}{quoted(value)}")
    return float(value)


def quoted(value: Any) -> str:
    """What to do about a number that stands in quotes; nothing of anything else."""
    number = isinstance(value, str) and re.fullmatch(r"\d+(\.\d*)?([eE][+-]?\d+)?", value)
    return f", a text: write it without quotes, as {value}" if number else ""
