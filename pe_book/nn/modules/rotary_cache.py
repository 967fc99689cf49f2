"""The table behind rotary encoding: cosines and sines that no cast, move or load of a model changes."""

import warnings
from collections.abc import Callable
from threading import RLock
from typing import Any, Self
from weakref import WeakValueDictionary

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from torch import Tensor, nn

from pe_book.family.rotary import given_frequencies
from pe_book.inputs.arrays import LARGEST_EXACT
from pe_book.inputs.checking import (
    Ladder,
    Layout,
    base_above_one,
    known_ladder,
    known_layout,
    positive_number,
    room_for,
    whole_number,
)
from pe_book.nn.kernels.float64 import angles
from pe_book.nn.kernels.rotary import Parts, folded, turns_of, unfolded
from pe_book.nn.modules.added import check_whole, checked_start
from pe_book.nn.modules.rotary_checks import PEERS, frequencies_differ
from pe_book.nn.modules.sinusoidal import graph_outlives_table
from pe_book.nn.pairs import side_by_side
from pe_book.nn.tensors import (
    checked_device,
    in_float64,
    is_at_hand,
    memory_on,
    on_device,
    read,
    refuse_scripting,
    send_without_waiting,
)
from pe_book.sinusoidal.formula import frequencies as ladder_of

_ENTRIES_AT_A_TIME = 2**21  # of a table that is made: the steps on the way hold about ten times as much
_replacing = RLock()  # of all modules: a lock of their own could be neither copied nor pickled


class Shared:
    """A table that modules share, and what a step needed of it; a weak reference to a tensor is not safe."""

    def __init__(self, table: Tensor) -> None:
        self.table = table
        self.step: tuple[object, Tensor] | None = None  # positions and form, with their turns
        self.call: tuple[object, Tensor, Parts] | None = None  # of a whole call, which was checked


# the longest of each setting
_tables: WeakValueDictionary[tuple[object, ...], Shared] = WeakValueDictionary()


class RotaryCache(nn.Module):
    """Cosines and sines of whole positions, in float32 as long as they are kept.

    Modules of one setting on one device have one table; a copy and a pickle of a module hold none, and find
    or make it again. So does what a call needs of it: the layers of a step compute it once.
    """

    _place: Tensor

    def __init__(
        self,
        width: int,
        *,
        base: float,
        layout: Layout,
        ladder: Ladder,
        frequencies: ArrayLike | None,
        attention_factor: float,
        valid_len: int | None,
        max_len: int,
        device: torch.device | str | int | None,
    ) -> None:
        super().__init__()
        self.rotary_dim = width
        self.base, self.ladder, self.layout = base_above_one(base), known_ladder(ladder), known_layout(layout)
        self.attention_factor = positive_number(attention_factor, "attention_factor")
        self.valid_len = None if valid_len is None else whole_number(valid_len, "valid_len", least=1)
        self.max_len = whole_number(max_len, "max_len", least=1)
        where = checked_device(device)
        room_for(4 * max_len * self.rotary_dim, "max_len", max_len, most=memory_on(where))
        self._omega: Tensor | None = None
        if frequencies is not None:
            omega = given_frequencies(frequencies, width // 2, self.base, self.ladder)
            with torch.inference_mode(False):
                self._omega = torch.from_numpy(omega.copy())
        self._held = self._shared(self.max_len, where)
        # what torch sees of the table: where it is; a whole number, so that no cast of the model reaches it
        self.register_buffer("_place", torch.empty(0, dtype=torch.uint8, device=where), persistent=False)

    @property
    def table(self) -> Tensor:
        """Cosines and sines of the positions 0, 1, 2, …."""
        return self._held.table

    @table.setter
    def table(self, table: Tensor) -> None:
        self._held = Shared(table)

    __prepare_scriptable__ = refuse_scripting  # what torch.jit.script calls first

    def reset_parameters(self) -> None:
        """Make the table anew, where the module is and as long as it is."""
        with _replacing:
            self.table = self._made(len(self.table), self._place.device)

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_held": len(self.table)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)  # type: ignore[no-untyped-call]  # torch's
        self._held = self._shared(state["_held"], self._place.device)

    def _load_from_state_dict(
        self, state_dict: dict[str, Any], prefix: str, local_metadata: Any, strict: bool,
        missing_keys: list[str], unexpected_keys: list[str], error_msgs: list[str],
    ) -> None:  # fmt: skip
        """Note the frequencies that other libraries keep in a checkpoint, and refuse those that differ."""
        kept = {key: value for key, value in state_dict.items() if key not in {prefix + one for one in PEERS}}
        for key in state_dict.keys() - kept.keys():
            if differing := frequencies_differ(state_dict[key], self._frequencies(), key):
                error_msgs.append(differing)
            else:
                warnings.warn(
                    f"{key} was not loaded: the module computes its own, and they agree", stacklevel=2
                )
        super()._load_from_state_dict(
            kept, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
        )

    def _frequencies(self) -> NDArray[np.float64]:
        """Radians per token, one for each pair."""
        if self._omega is not None:
            return np.asarray(self._omega)
        return ladder_of(self.rotary_dim, base=self.base, ladder=self.ladder)

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> Self:
        """Whatever torch does to every tensor of a module (casts, moves, ``to_empty``) comes by here."""
        with _replacing:
            before = self._place
            if before.is_meta:
                try:
                    fn(before)
                except NotImplementedError:
                    # a meta tensor has nothing to copy: let an empty one show the way
                    self._place = torch.empty(0, dtype=torch.uint8, device="cpu")
            try:
                # torch leaves its methods without types
                super()._apply(fn, recurse)  # type: ignore[no-untyped-call]
                if self.table.device != self._place.device:
                    self._held = self._shared(len(self.table), self._place.device)
                elif self._place.is_shared():  # type: ignore[no-untyped-call]
                    self.table.share_memory_()  # type: ignore[no-untyped-call]
            except BaseException:
                self._place = before
                raise
        return self

    def _turns(
        self, n: int, start: int | Tensor, positions: Tensor | None, device: torch.device, dtype: torch.dtype
    ) -> Tensor:
        """Cosines and sines of n rows, or of `positions`, which fit: from the table if `dtype` is float32."""
        places, end = _places(n, start, positions, device)
        if end is not None and self.valid_len is not None and end > self.valid_len:
            why = "these frequencies are for texts of that many tokens"
            cure = "for a longer one give from_config its length, and turn cached keys anew"
            limit = f"below valid_len={self.valid_len}"
            raise ValueError(f"positions must be {limit}, got {end - 1}: {why}; {cure}")
        if end is not None and dtype == torch.float32 and not graph_outlives_table():
            kept = self._reaching(end, n, device)
            if end <= len(kept):
                return unfolded(kept[places], self.layout)
        if isinstance(places, slice):
            places = torch.arange(places.start, places.stop, device=device)
        return self._computed(places, dtype)

    def _reaching(self, end: int, n: int, device: torch.device) -> Tensor:
        """The table on `device`, with rows up to `end` if they are to be had; in a graph as it is."""
        kept = self.table
        if kept.device == device and end <= len(kept):
            return kept
        if torch.compiler.is_compiling():
            return kept if kept.device == device else kept[:0]
        if self._place.is_meta and device.type != "meta":  # load_state_dict(assign=True) leaves buffers there
            self._place = torch.empty(0, dtype=torch.uint8, device=device)
        length = len(self.table)
        if length < end <= 2 * max(length, n) or self.table.device != device:
            with _replacing:
                length = len(self.table)  # another thread may have been here
                wanted = max(end, 2 * length) if length < end <= 2 * max(length, n) else length
                if wanted > length or self.table.device != device:
                    self._held = self._shared(wanted, device)
        return self.table

    def _shared(self, length: int, device: torch.device) -> Shared:
        """The table of this setting on a device, made if the process has none of that length."""
        omega = None if self._omega is None else self._omega.numpy().tobytes()
        setting = (
            self.rotary_dim,
            self.base,
            self.ladder,
            self.layout,
            self.attention_factor,
            self.valid_len,
        )
        key = (*setting, omega, str(torch.empty(0, device=device).device))
        with _replacing:
            found = _tables.get(key)
            if found is None or len(found.table) < length or found.table._version:  # somebody wrote to it
                found = Shared(self._made(length, device))
                if is_at_hand(found.table) and not found.table.is_meta:
                    _tables[key] = found
            return found

    def _made(self, length: int, device: torch.device) -> Tensor:
        if device.type == "meta":
            return torch.empty(length, *self._form(), device=device, dtype=torch.float32)
        at_a_time = max(1, _ENTRIES_AT_A_TIME // self.rotary_dim)
        with torch.inference_mode(False), torch.no_grad():
            ends = ((begin, min(begin + at_a_time, length)) for begin in range(0, length, at_a_time))
            rows = (self._computed(torch.arange(*some, device=device)) for some in ends)
            return torch.cat([folded(some, self.layout) for some in rows])

    def _computed(self, positions: Tensor, dtype: torch.dtype = torch.float32) -> Tensor:
        """Cosines and sines of any positions, by operations that a graph can hold."""
        if self._omega is None:
            angle = angles(positions, self.rotary_dim, self.base, self.ladder)
        else:
            real = in_float64(positions)
            angle = real[..., None] * self._omega.to(real.device)
        if self.valid_len is not None:  # what could not be read is not wrong in silence
            angle = torch.where((positions < self.valid_len).to(angle.device)[..., None], angle, torch.nan)
        return turns_of(angle, self.layout, self.attention_factor).to(dtype).to(positions.device)

    def _form(self) -> tuple[int, int]:
        return (self.rotary_dim // 2, 2) if side_by_side(self.layout) else (2, self.rotary_dim // 2)


def _places(
    n: int, start: int | Tensor, positions: Tensor | None, device: torch.device
) -> tuple[slice | Tensor, int | None]:
    """Which rows, and the end of the table that they need; None if that cannot be read."""
    first = checked_start(start)
    if positions is None:
        if isinstance(first, Tensor):
            return on_device(first, "start", device) + torch.arange(n, device=device), None
        if not 0 <= first <= LARGEST_EXACT - n:
            raise ValueError(f"start must be from 0 to 2**53 - {n}, got {first}")
        return slice(first, first + n), first + n
    check_whole(positions, "positions")
    if isinstance(first, Tensor) or first != 0:
        raise ValueError(f"start must be left out beside positions, got {start}; give one of them")
    found = read(positions)
    if found is None:
        return on_device(positions, "positions", device).to(torch.int64), None
    if found.size and (int(found.min()) < 0 or int(found.max()) > LARGEST_EXACT):
        cure = "pe_book.nn.rotate takes negative ones"
        span = f"{int(found.min())} to {int(found.max())}"
        raise ValueError(f"positions must be from 0 to 2**53, got {span}; {cure}")
    end = int(found.max()) + 1 if found.size else 0
    return send_without_waiting(positions.to(torch.int64), device), end
