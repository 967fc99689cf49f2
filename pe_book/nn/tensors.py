"""Which tensors are taken as arguments, and what can be read of them without waiting for a device."""

import math
from collections.abc import Callable, Sequence
from typing import Any, NoReturn, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from pe_book.inputs.arrays import LARGEST_EXACT
from pe_book.inputs.checking import finite_positions, physical_memory, room_for
from pe_book.inputs.wording import shown

_F = TypeVar("_F", bound=Callable[..., Any])

DTYPES = (torch.float32, torch.float16, torch.bfloat16, torch.float64)
INTEGERS = (
    torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8, torch.uint16, torch.uint32, torch.uint64,
)  # fmt: skip

_WITHOUT_FLOAT64 = frozenset({"mps"})

Positions = Tensor | NDArray[Any] | Sequence[Any] | range | float


def real_positions(values: Positions, name: str) -> Tensor:
    """`values` as a dense tensor of int64 or floats, refused as the numpy functions refuse them.

    >>> real_positions(torch.tensor([0.5, float("nan")]), "positions")
    Traceback (most recent call last):
        ...
    ValueError: positions must be finite, got NaN or infinity
    """
    if not isinstance(values, Tensor):
        if torch.compiler.is_compiling():  # numpy's calls would become part of the graph
            return torch.as_tensor(values, dtype=torch.float64)
        return torch.from_numpy(np.asarray(finite_positions(values, name))).to(default_device())
    require_dense(values, name)
    checked = values.to(torch.int64) if values.dtype in INTEGERS else _as_float(values, name)
    found = read(values if values.dtype in INTEGERS else checked.to(torch.float64))
    if found is not None and found.size:
        if not np.isfinite(found).all():
            raise ValueError(f"{name} must be finite, got NaN or infinity")
        lowest, highest = found.min().item(), found.max().item()
        if lowest < -LARGEST_EXACT or highest > LARGEST_EXACT:
            limit = "positions must lie within ±2**53, where float64 tells neighbours apart"
            raise ValueError(f"{name}: {limit}, got {lowest} to {highest}")
    return checked


def common_shape(values: Tensor, name: str, x: Tensor) -> tuple[int, ...]:
    """The shape of rows without their last axis and of what each is given, broadcast against each other."""
    try:
        fitting = torch.broadcast_shapes(values.shape, x.shape[:-1])  # type: ignore[no-untyped-call]  # torch's
        return tuple(fitting)
    except RuntimeError:
        fits = f"that of x without its last axis, {tuple(x.shape[:-1])}"
        raise ValueError(
            f"{name} must have a shape that broadcasts with {fits}, got {tuple(values.shape)}"
        ) from None


def require_rows(x: object) -> None:
    """Refuse what is no dense floating tensor with a last axis of dimensions.

    >>> require_rows(torch.tensor(1.0))
    Traceback (most recent call last):
        ...
    ValueError: x must have a last axis of dimensions, got a single number
    """
    if not isinstance(x, Tensor) or x.dtype not in DTYPES:
        raise TypeError(f"x must be a tensor of float32, float16, bfloat16 or float64, got {described(x)}")
    require_dense(x, "x")
    if x.dim() == 0:
        raise ValueError("x must have a last axis of dimensions, got a single number")


def beside_rows(values: Positions, name: str, x: Tensor) -> tuple[Tensor, tuple[int, ...]]:
    """`values` on the device of the rows, and the shape of a result that has room in memory.

    >>> beside_rows([3, 4], "k", torch.zeros(5, 1, 8))[1]
    (5, 2, 8)
    """
    placed = on_device(real_positions(values, name), name, x.device)
    shape = (*common_shape(placed, name, x), x.shape[-1])
    if not torch.compiler.is_compiling():
        room_for(4 * 8 * math.prod(shape), f"the result of x and {name}", shape, most=memory_on(x.device))
    return placed, shape


def require_dense(x: Tensor, name: str) -> None:
    """Refuse a tensor that does not hold its numbers one beside the other.

    >>> require_dense(torch.zeros(3).to_sparse(), "x")
    Traceback (most recent call last):
        ...
    TypeError: x must be a dense tensor, got one of layout torch.sparse_coo; use .to_dense()
    """
    if x.is_nested:
        got, cure = "a nested one", "give one sequence at a time, or use .to_padded_tensor(0)"
    elif x.layout != torch.strided:
        got, cure = f"one of layout {x.layout}", "use .to_dense()"
    elif x.is_quantized:
        got, cure = "a quantized one", "use .dequantize()"
    elif not torch.compiler.is_compiling() and hasattr(x, "to_local"):
        got, cure = "a distributed one", "use .to_local(), with the positions of its own rows"
    else:
        return
    raise TypeError(f"{name} must be a dense tensor, got {got}; {cure}")


def read(x: Tensor) -> NDArray[Any] | None:
    """The numbers of a tensor that this process holds in its memory, by no operation of torch.

    None for all others: on a device, where reading would wait for it; inside a graph, a trace or
    ``torch.vmap``, where there are no numbers; of a dtype that numpy lacks.
    """
    if torch.compiler.is_compiling() or tracing() or x.device.type != "cpu":
        return None
    try:
        return np.asarray((x.detach() if x.requires_grad else x).numpy())
    except (RuntimeError, TypeError):
        return None


def on_device(values: Tensor, name: str, device: torch.device) -> Tensor:
    """`values` on the device of the rows, refused where they would lose what they do not have."""
    if values.is_meta and device.type != "meta":
        raise ValueError(f"{name} must be on {device}, as x is: got a tensor on meta, which holds no values")
    return values.to(device)


def send_without_waiting(x: Tensor, device: torch.device) -> Tensor:
    """A tensor of the CPU on a device, without waiting for that device."""
    # CUDA has taken what is not pinned before the call returns, so the tensor may be freed or written to
    return x.to(device, non_blocking=device.type == "cuda" and not x.is_pinned())


def tracing() -> bool:
    """Whether ``torch.jit.trace`` is at work."""
    # torch leaves this function without types, and out of what it exports
    return bool(torch.jit.is_tracing())  # type: ignore[no-untyped-call, attr-defined]


def transformed() -> bool:
    """Whether ``torch.vmap`` or another transformation of ``torch.func`` is at work."""
    return bool(torch._C._are_functorch_transforms_active())


def is_eager() -> bool:
    """Whether no graph, trace or transformation of torch is being made."""
    return not torch.compiler.is_compiling() and not tracing() and not transformed()


def constant_in_graphs(function: _F) -> _F:
    """A function whose results a graph holds as constants, as by ``torch.compiler.assume_constant_result``.

    That one imports the compiler, which takes most of an import's time.
    """
    # for a type checker a function has no attributes
    function._dynamo_marked_constant = True  # type: ignore[attr-defined]
    return function


def in_float64(x: Tensor) -> Tensor:
    """`x` in float64, on its device if that has float64, else on the CPU."""
    return (x.cpu() if lacks_float64(x.device) else x).to(torch.float64)


def lacks_float64(device: torch.device) -> bool:
    """Whether a device has no float64.

    >>> lacks_float64(torch.device("mps"))
    True
    """
    return device.type in _WITHOUT_FLOAT64


def memory_on(device: torch.device) -> int:
    """The bytes that a tensor may take: none are taken on meta, and a table goes by way of the CPU.

    >>> memory_on(torch.device("meta")) > memory_on(torch.device("cpu"))
    True
    """
    return 2**62 if device.type == "meta" else physical_memory()


def checked_dtype(dtype: torch.dtype, device: torch.device) -> None:
    """Refuse a dtype that is none of the four, or that the device lacks.

    >>> checked_dtype(torch.float64, torch.device("mps"))
    Traceback (most recent call last):
        ...
    TypeError: dtype: device mps has no float64; pass torch.float32, or use the CPU
    """
    given: object = dtype
    if not isinstance(given, torch.dtype) or given not in DTYPES:
        raise TypeError(f"dtype must be torch.float32, float16, bfloat16 or float64, got {shown(dtype)}")
    if dtype == torch.float64 and lacks_float64(device):
        raise TypeError(f"dtype: device {device} has no float64; pass torch.float32, or use the CPU")


def default_device() -> torch.device:
    """Where torch puts a new tensor; not all versions of its own function see ``with torch.device(...)``."""
    return torch.empty(0).device


def checked_device(device: torch.device | str | int | None) -> torch.device:
    """The device that is named, or torch's default.

    >>> checked_device("nowhere")
    Traceback (most recent call last):
        ...
    ValueError: device must be one that torch knows, such as 'cpu' or 'cuda:0', got 'nowhere'
    """
    if device is None:
        return default_device()
    try:
        found = torch.device(device)
    except Exception as error:  # torch raises four kinds, according to what it was given
        known = "one that torch knows, such as 'cpu' or 'cuda:0'"
        raise ValueError(f"device must be {known}, got {shown(device)}") from error
    try:
        torch.empty(0, device=found)
    except Exception as error:  # each kind of device fails in its own way
        reason = str(error).partition("\n")[0]
        raise ValueError(f"device must be one that torch can use here, such as 'cpu', got {shown(device)}: "
                         f"{reason}") from error  # fmt: skip
    return found


def is_tensor(x: object) -> bool:
    """Whether `x` is a tensor; torch.is_tensor would have mypy believe the annotations of callers."""
    return isinstance(x, Tensor)


def is_at_hand(x: Tensor) -> bool:
    """Whether `x` may be kept for other calls: no graph, trace, transformation or mode stands before it."""
    return type(x) is Tensor and is_eager()


def described(x: object) -> str:
    """What a message says of `x`: dtype and shape of a tensor, the type of anything else.

    >>> described(torch.zeros(2, 3))
    'torch.float32 of shape (2, 3)'
    """
    if type(x).__module__.startswith("torch.fx"):
        return f"a {type(x).__name__} of torch.fx, which has no shape; use torch.export"
    if not isinstance(x, Tensor):
        return f"a {type(x).__name__}"
    return f"a nested tensor of {x.dtype}" if x.is_nested else f"{x.dtype} of shape {tuple(x.shape)}"


def refuse_scripting(module: torch.nn.Module) -> NoReturn:
    """Say what does instead of ``torch.jit.script``, which cannot read the modules."""
    name = type(module).__name__
    raise TypeError(f"{name} cannot be scripted: use torch.export, torch.jit.trace or torch.compile")


def _as_float(values: Tensor, name: str) -> Tensor:
    """`values` in a floating dtype that torch computes with; those of 8 bits are made float32."""
    if values.dtype in DTYPES:
        return values
    try:
        if values.is_floating_point():
            return values.to(torch.float32)
    except (NotImplementedError, RuntimeError):  # two numbers in a byte: torch itself cannot read them
        pass
    raise TypeError(f"{name} must hold integers or floats, got {values.dtype}")
