"""Entries of checkpoints: what is done with each, decided by its name, its shape and those beside it."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

from pe_book.checkpoint.names import Fused, Part, arrangement_of, stack_of
from pe_book.family.rotary import Side

# what saved frequencies are called: the last part of a name
SAVED_FREQUENCIES = ("inv_freq", "original_inv_freq", "freqs")

_FLOATS = ("float16", "bfloat16", "float32", "float64")


@dataclass(frozen=True)
class Step:
    """What is done with one entry of a state.

    Parameters
    ----------
    name : str
        Of the entry.
    role : str
        ``"query"``, ``"gated query"``, ``"key"``, ``"fused"``, ``"query norm"``, ``"key norm"`` or
        ``"latent key"``, which are moved; ``"left"`` or ``"refused"``.
    shape : tuple of int or None
        None for what has no shape.
    turned : tuple of bool
        For each head along the axis that is moved whether it is turned; those of values are not.
    note : str
        How a fused projection is arranged, or why the entry is refused.
    """

    name: str
    role: str
    shape: tuple[int, ...] | None
    turned: tuple[bool, ...] = ()
    note: str = ""


@dataclass(frozen=True)
class Sizes:
    """Of the attention: how many heads, how wide, and which slice of each is turned."""

    n_heads: int
    n_kv_heads: int
    head_dim: int
    rotary_dim: int
    side: Side


def step_of(name: str, value: Any, part: Part, sizes: Sizes, fused: Fused | None) -> Step:
    """What is done with an entry, by itself."""
    step = Step(name, part.role, shape_of(value), note=part.why)
    if part.role in ("left", "refused"):
        return step
    try:
        require_floats(value, name)
        return _norm(step, sizes) if part.role.endswith("norm") else _rows(step, sizes, fused)
    except (ValueError, TypeError) as error:
        return replace(step, role="refused", note=str(error))


def _rows(step: Step, sizes: Sizes, fused: Fused | None) -> Step:
    """The step of a projection, whose first axis runs over the dimensions of its heads."""
    shape, note = step.shape or (0,), ""
    if step.role == "latent key":
        if sizes.side != "last" or sizes.rotary_dim >= min(shape[0], sizes.head_dim):
            wanted = "must be moved with side='last' and the rotary_dim of its last rows, below head_dim"
            got = f"shape {shape}, side={sizes.side!r} and rotary_dim={sizes.rotary_dim}"
            raise ValueError(f"{step.name} {wanted}, got {got}")
        return step
    heads = {
        "query": sizes.n_heads, "gated query": 2 * sizes.n_heads, "key": sizes.n_kv_heads,
        "fused": sizes.n_heads + 2 * sizes.n_kv_heads,
    }[step.role]  # fmt: skip
    if shape[0] != (rows := heads * sizes.head_dim):
        wanted = f"{heads} heads of head_dim={sizes.head_dim} make {rows} rows"
        cure = "check n_heads, n_kv_heads and head_dim"
        held, over = divmod(shape[0], sizes.head_dim)
        if held and not over and heads % held == 0 and step.role in ("query", "key"):
            cure = f"{cure}; of a file that one of {heads // held} ranks holds, give the heads in it"
        if step.role == "query" and shape[0] == 2 * rows:
            cure = f"{cure}, or name it a gated query where each head's gate stands behind its query"
        if shape[1:] == (rows,):  # a count that is wrong looks alike where it is a whole number of heads
            cure = (
                f"transpose it first, or {cure}" if shape[0] % sizes.head_dim == 0 else "transpose it first"
            )
        raise ValueError(f"{step.name} must have shape ({rows}, …), as {wanted}, got {shape}: {cure}")
    turned: tuple[bool, ...] = (True,) * heads
    if step.role == "gated query":
        turned = (True, False) * sizes.n_heads
    if step.role == "fused":
        note, turned = arrangement_of(step.name, sizes.n_heads, sizes.n_kv_heads, fused)
    return replace(step, turned=turned, note=note)


def _norm(step: Step, sizes: Sizes) -> Step:
    """The step of a norm, whose last axis runs over the dimensions of one head or of all."""
    heads = sizes.n_heads if step.role == "query norm" else sizes.n_kv_heads
    shape, width = step.shape or (0,), sizes.head_dim
    if shape in ((width,), (1, width), (heads, width)):
        return replace(step, turned=(True,))
    if shape == (heads * width,):
        return replace(step, turned=(True,) * heads)
    fits, cure = (
        f"({width},), ({heads}, {width}) or ({heads * width},)",
        "check the sizes, or say it in names",
    )
    raise ValueError(f"{step.name} must have shape {fits}, got {shape}: {cure}")


def with_width(steps: list[Step], parts: Mapping[str, Part], sizes: Sizes) -> list[Step]:
    """The steps, saved frequencies refused unless they are one for each pair of the slice that turns."""
    if all(step.role == "left" for step in steps):  # nothing is moved
        return steps
    found = []
    for step in steps:
        saved = step.name.rpartition(".")[2] in SAVED_FREQUENCIES and len(step.shape or ()) == 1
        if saved and step.role == "left" and not parts[step.name].named:
            pairs = cast(tuple[int, ...], step.shape)[0]
            if 2 * pairs != sizes.rotary_dim:
                wanted = f"rotary_dim must be {2 * pairs}, got {sizes.rotary_dim}"
                note = f"{step.name} has {pairs} frequencies: {wanted}; or name it as left in names"
                step = replace(step, role="refused", note=note)
        found.append(step)
    return found


def lines_of(steps: Iterable[Step]) -> list[str]:
    """A line for all entries whose names differ in numbers alone; before them, what is refused, by reason."""
    lines: Counter[tuple[str, str, object]] = Counter()
    alike: dict[str, list[Step]] = {}
    for step in steps:
        if step.role == "refused":
            alike.setdefault(step.note.replace(step.name, ""), []).append(step)
        else:
            role = f"{step.role}, {step.note}" if step.note else step.role
            lines[role, stack_of(step.name), step.shape] += 1
    refused = []
    for first, *others in alike.values():
        such = ", ".join(dict.fromkeys(stack_of(step.name) for step in others))
        more = f" (alike {len(others)} more: {such})" if others else ""
        refused.append(f"refused: {first.note}{more}")
    wide = max((len(role) for role, _, _ in lines), default=0)
    told = [f"{role:{wide}}  {count} × {name} {shape}" for (role, name, shape), count in lines.items()]
    return refused + told


def shape_of(value: Any) -> tuple[int, ...] | None:
    """The shape of an array or a tensor; None for what has none."""
    try:
        return tuple(int(length) for length in value.shape)
    except Exception:  # what has none, and nested tensors, which raise
        return None


def require_floats(value: Any, name: str) -> None:
    """Refuse what is packed or quantised, or no array at all."""
    dtype = getattr(value, "dtype", None)
    kind = getattr(dtype, "name", str(dtype).removeprefix("torch."))
    if kind not in _FLOATS or shape_of(value) is None:
        got = f"a {type(value).__name__}" if dtype is None else kind
        raise TypeError(f"{name} must hold {', '.join(_FLOATS)}, got {got}: dequantise it first")
