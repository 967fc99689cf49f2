"""Names in checkpoints: which entry of a state belongs to queries, to keys, or to both.

Nothing is guessed: an entry whose name speaks of queries or keys, and which is not known here, is refused
until somebody says what it is.
"""

import re
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from typing import Literal, NamedTuple, cast

from pe_book.inputs.checking import one_of
from pe_book.inputs.wording import shown

Fused = Literal["concatenated", "per-head", "grouped", "four-blocks"]
FUSED = ("concatenated", "per-head", "grouped", "four-blocks")
ROLES = ("query", "gated query", "key", "fused", "query norm", "key norm", "latent key", "left")

# the name of a module, the part behind which "weight" and "bias" stand, and what it is
MODULES: dict[str, str] = {
    **dict.fromkeys(("q_proj", "wq", "query", "q_b_proj"), "query"),
    **dict.fromkeys(("k_proj", "wk", "key"), "key"),
    **dict.fromkeys(("query_key_value", "qkv_proj", "linear_qkv", "qkv", "wqkv", "Wqkv"), "fused"),
    **dict.fromkeys(("W_pack", "att_proj", "c_attn"), "fused"),
    **dict.fromkeys(("q_norm", "q_layernorm", "query_norm", "query_layernorm"), "query norm"),
    **dict.fromkeys(("k_norm", "k_layernorm", "key_norm", "key_layernorm"), "key norm"),
    "kv_a_proj_with_mqa": "latent key",
    **dict.fromkeys(("q_a_proj", "q_a_layernorm", "kv_a_layernorm", "kv_b_proj"), "left"),  # no rotary rows
}

# fused projections whose arrangement the name tells; "attn.qkv_proj" and other names have had several
ARRANGED: dict[str, Fused] = {
    "*gpt_neox.layers.*.attention.query_key_value.*": "per-head",
    "*self_attn.qkv_proj.*": "concatenated",
    "*W_pack.*": "concatenated",
    "*Wqkv.*": "concatenated",
    "*linear_qkv.*": "grouped",
}

# a word of a name that speaks of queries or keys, and one that speaks of values alone, with what sticks to it
_STUCK = r"(s|\d+|proj\w*|lin|linear|layer|head|heads|norm|layernorm|weight|bias|gain)?"
_ASKING = re.compile(rf"w?(q|k|qk|kq|kv|qkv|kqv|quer(y|ies)|keys?|querykey(value)?|keyvalue){_STUCK}")
_VALUES = re.compile(rf"w?(v|values?){_STUCK}")
WRAPPER = "base_model.model."  # what peft writes before the names of a model with adapters
_PACKED = ("in_proj_weight", "in_proj_bias")  # of torch's MultiheadAttention: all three
_ADAPTER = re.compile(r"(lora_B|lora_magnitude_vector)(\..+)?")
_ROWS = re.compile(r"(base_layer\.)?(weight|bias)")
_OF_NORM = re.compile(r"(norms\.\d+\.)?(weight|bias)")


class Part(NamedTuple):
    """What an entry is.

    Parameters
    ----------
    role : str
        One of ``ROLES``, or ``"refused"``.
    attention : str
        The module whose projections and norms belong together.
    adapter : bool
        Whether it is added to a projection, which then stands in another state.
    named : bool
        Whether the caller said so.
    why : str
        Of what is refused.
    """

    role: str
    attention: str
    adapter: bool = False
    named: bool = False
    why: str = ""


def known_names(names: object, entries: Iterable[str]) -> Mapping[str, str]:
    """The roles by pattern, refused unless each pattern fits an entry; none if not given."""
    if names is None:
        return {}
    if not isinstance(names, Mapping):
        raise TypeError(f"names must be a mapping from patterns to roles, got {shown(names)}")
    there = list(entries)
    for pattern, role in names.items():
        if not isinstance(pattern, str):
            raise TypeError(f"names must have patterns as keys, such as '*.to_q.*', got {shown(pattern)}")
        one_of(role, ROLES, f"names[{shown(pattern)}]")
        if not any(fnmatchcase(name, pattern) for name in there):
            such = f"such as {shown(there[0])}" if there else "of which there is none"
            raise ValueError(f"names must fit entries of state, {such}, got the pattern {shown(pattern)}")
    return cast(Mapping[str, str], names)


def part_of(name: str, names: Mapping[str, str]) -> Part:
    """What the entry of a name is: as `names` says, else as its last known module does."""
    parts = name.split(".")
    if "lora_A" in parts:  # its rows are those of the rank
        return Part("left", "")
    for pattern, role in names.items():
        if fnmatchcase(name, pattern):
            path = [one for one in parts if one != "base_layer"]  # what an adapter wraps
            of_module = len(path) > 1 and path[-1] in ("weight", "bias")
            attention = ".".join(path[: -2 if of_module else -1])
            return Part(role, attention, adapter=_ADAPTER.search(name) is not None, named=True)
    found = [at for at, part in enumerate(parts) if part in MODULES]
    if not found:
        if not name.endswith(_PACKED) and not any(map(_ASKING.fullmatch, words_of(name))):
            return Part("left", "")
        return Part(
            "refused", "", why=f"{name} must have a known role, got none by its name: say it in names"
        )
    at = found[-1]
    role, attention, rest = MODULES[parts[at]], ".".join(parts[:at]), ".".join(parts[at + 1 :])
    if role == "left":
        return Part("left", attention)
    if role.endswith("norm"):
        fits = _OF_NORM.fullmatch(rest)
    else:
        fits = _ROWS.fullmatch(rest) or _ADAPTER.fullmatch(rest)
    if not fits:
        got = f"got {rest!r}" if rest else "got the name of the module alone"
        cure = "unpack or dequantise it first, or say its role in names"
        return Part("refused", attention, why=f"{name} must be a weight or a bias, {got}: {cure}")
    return Part(role, attention, adapter=bool(_ADAPTER.fullmatch(rest)))


def words_of(name: str) -> list[str]:
    """The words that a name is made of, in small letters.

    >>> words_of("layers.0.attn.keyProj_weight")
    ['layers', '0', 'attn', 'key', 'proj', 'weight']
    """
    return re.split(r"[._]", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower())


def makes_values(name: str) -> bool:
    """Whether the name is of a projection to values."""
    words = words_of(name)
    return any(map(_VALUES.fullmatch, words)) and not any("norm" in word or "lora" in word for word in words)


def with_values(names: Iterable[str]) -> set[str]:
    """The paths below which there is a projection to values."""
    paths = [name.split(".")[:-1] for name in names if makes_values(name)]
    return {".".join(path[:end]) for path in paths for end in range(len(path) + 1)}


def stack_of(attention: str) -> str:
    """The attention of all layers: the path of one, its numbers as stars; a wrapper of adapters is none."""
    return re.sub(r"(?<![^.])\d+(?![^.])", "*", attention.removeprefix(WRAPPER))


def arrangement_of(
    name: str, n_heads: int, n_kv_heads: int, fused: Fused | None
) -> tuple[str, tuple[bool, ...]]:
    """How a fused projection is arranged, and for each head of its rows whether it is turned."""
    told = fused or next((way for pattern, way in ARRANGED.items() if fnmatchcase(name, pattern)), None)
    if told:
        return told, turned_heads(n_heads, n_kv_heads, told, f"the arrangement of {name}")
    ways: tuple[Fused, ...] = ("concatenated", "grouped")  # with a key for each query, per-head is grouped
    turned = {turned_heads(n_heads, n_kv_heads, way, "fused") for way in ways}
    if len(turned) > 1:
        choices = " or ".join(map(repr, FUSED if n_heads == n_kv_heads else ways))
        raise ValueError(
            f"{name} does not tell how it is arranged: fused must be {choices}, got None; "
            "another order is not carried: split it into q_proj, k_proj and v_proj first"
        )
    return "concatenated", turned.pop()


def turned_heads(n_heads: int, n_kv_heads: int, fused: Fused, what: str) -> tuple[bool, ...]:
    """For each head of the rows of a fused projection whether it is turned, as all but values are."""
    if fused == "concatenated":
        return (*[True] * (n_heads + n_kv_heads), *[False] * n_kv_heads)
    if fused in ("per-head", "four-blocks") and n_heads != n_kv_heads:
        sizes = f"n_heads={n_heads} and n_kv_heads={n_kv_heads}"
        raise ValueError(f"{what} must be 'concatenated' or 'grouped' for {sizes}, got {fused!r}")
    if fused == "four-blocks" and n_heads % 4:
        raise ValueError(f"{what} must be in four blocks of whole heads, got n_heads={n_heads}")
    if fused == "four-blocks":  # each block: queries, values, keys
        return tuple(turned for turned in (True, False, True) for _ in range(n_heads // 4)) * 4
    return (*[True] * (n_heads // n_kv_heads + 1), False) * n_kv_heads
