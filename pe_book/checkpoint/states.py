"""States: the entries of a checkpoint by name, from one state, a file that is read lazily, or many shards."""

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from pe_book.inputs.wording import shown

# how safetensors calls the dtypes that a plan can move
_DTYPES = {"F16": "float16", "BF16": "bfloat16", "F32": "float32", "F64": "float64"}
_MOMENTS = frozenset(("exp_avg", "exp_avg_sq", "momentum_buffer", "square_avg"))


class LazyFile(Protocol):
    """What ``safetensors.safe_open`` returns, as far as it is used here."""

    def keys(self) -> Iterable[str]: ...  # noqa: D102 - safetensors says it
    def get_slice(self, name: str) -> Any: ...  # noqa: D102 - safetensors says it
    def get_tensor(self, name: str) -> Any: ...  # noqa: D102 - safetensors says it


Shard = Mapping[str, Any] | LazyFile


class Unread:
    """An entry of a file that is read lazily: its shape and its dtype are known before it is read."""

    def __init__(self, file: LazyFile, name: str) -> None:
        header = file.get_slice(name)
        self.file, self.name = file, name
        self.shape: tuple[int, ...] = tuple(header.get_shape())
        self.dtype: str = _DTYPES.get(header.get_dtype(), header.get_dtype())


def read(value: Any) -> Any:
    """An entry as an array or a tensor, read now if it was not."""
    return value.file.get_tensor(value.name) if isinstance(value, Unread) else value


def entries_of(state: object) -> dict[str, Any]:
    """The entries of a state by name, those of all shards together."""
    entries: dict[str, Any] = {}
    for shard in state if isinstance(state, list | tuple) else [state]:
        if twice := entries.keys() & (found := _entries_of_one(shard)).keys():
            raise ValueError(f"state must have every name in one shard, got {min(twice)!r} in two")
        entries |= found
    return entries


def _entries_of_one(state: Any) -> dict[str, Any]:
    if all(hasattr(state, method) for method in ("keys", "get_slice", "get_tensor")):
        return {name: Unread(state, name) for name in state.keys()}  # noqa: SIM118 - it is no mapping
    if not isinstance(state, Mapping):
        wanted = "a mapping from names to arrays or tensors, a file of safe_open, or a list of these"
        raise TypeError(f"state must be {wanted}, got {shown(state)}")
    nested = {name: value for name, value in state.items() if isinstance(value, Mapping)}
    if "param_groups" in state or any(not _MOMENTS.isdisjoint(value) for value in nested.values()):
        cure = "a moment of the shape of its weight moves as that: plan.apply({name of the weight: moment})"
        raise TypeError(f"state must be that of a model, got that of an optimizer: {cure}")
    if strange := [name for name in state if not isinstance(name, str)]:
        raise TypeError(f"state must have names as keys, got {shown(strange[0])}: use text")
    if nested:
        inner = f"a mapping at {shown(next(iter(nested)))}"
        raise TypeError(f"state must hold arrays or tensors, got {inner}: give that mapping as state")
    return dict(state)
