"""One call, and what became of it: a right result, a clear refusal, or anything else, said in words."""

import inspect
import re
import types
import typing
import warnings
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import numpy as np

from pe_book.inputs.wording import shown
from tests.fuzz.inputs import NAMES, Call
from tests.fuzz.oracles import ORACLES, arrays, of_plain_numbers
from tests.fuzz.surface import parameters, surface

RIGHT, REFUSED = "right result", "refused"

# What is documented to return numbers that are not finite.
NOT_FINITE = {
    "numerics.rounding.round_to": "past the end of the format, infinity",
    "sinusoidal.precision.recipes.encode_rounded": "NaN where the format overflows",
    "sinusoidal.precision.recipes.recipe": "NaN where the format overflows",
    "sinusoidal.precision.recipes.recipe_frequencies": "infinity where the format overflows",
    "why.requirements.measure": "step_ratio is infinite where a step is zero",
    "inputs.pairs.relayout": "moves whatever it is given",
    "nn.relayout": "moves whatever it is given",
    "checkpoint.heads.relayout_heads": "moves whatever it is given",
    "nn.RelativeVectors.forward": "what is not a number stays visible",
    **{
        f"nn.{name}Bias.{method}": "-inf hides a key"
        for name in ("ALiBi", "T5", "KERPLE")
        for method in ("forward", "at")
    },
    "family.members.members": "returns functions",
}
_CURE = re.compile(r"\b(must|use|at most|needs?|give|pass|choose|one of|takes?|within|set|scale|move)\b")
_SEEN = re.compile(r"shape \(|\b(zero|equal|constant|all be 0)\b|position \d+ is past")
_LONGEST = 500


def judged(call: Call, *, guard: Callable[[], Any] = nullcontext) -> str:
    """Make one call, within a guard, and say how it ended: right, refused, or what was wrong."""
    function = surface()[call.name]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            given = {key: eval(text, dict(NAMES)) for key, text in call.arguments}
    except Exception:  # an odd expression that has no value, as the transpose of a list: not a call
        return REFUSED
    before = {key: value.copy() for key, value in given.items() if _watched(key, value)}
    positional, named = _split(function, given)
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            with guard():
                result = function(*positional, **named)
        except (ValueError, TypeError) as error:
            said = _said(error, call, function, given)
            return said or (f"warned: {warned[0].message}" if warned else REFUSED)
        except Exception as error:
            return f"raised {type(error).__name__}: {str(error)[:120]}"
    if warned:
        return f"warned: {warned[0].message}"
    for key, value in before.items():
        if not _same(given[key], value):
            return f"changed its argument {key}"
    return _wrong_result(call, function, result, given) or RIGHT


def _split(function: Callable[..., Any], given: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
    """Positional and named arguments: those before ``*rest`` have to come by position."""
    rest = [name for name, wanted in parameters(function).items() if wanted.kind is wanted.VAR_POSITIONAL]
    if not rest or rest[0] not in given:
        return [], given
    names = list(parameters(function))
    first = names[: names.index(rest[0])]
    spread = given[rest[0]] if isinstance(given[rest[0]], tuple) else (given[rest[0]],)
    named = {key: value for key, value in given.items() if key not in (*first, rest[0])}
    return [*(given[key] for key in first), *spread], named


def _said(error: Exception, call: Call, function: Callable[..., Any], given: dict[str, Any]) -> str:
    """What a refusal lacks: the name of an argument, a value, what would do; empty if nothing."""
    message = str(error)
    names = [*parameters(function)]
    if call.name.count(".") == 2 and call.name.startswith("nn."):
        names += ["position", "d_model", "max_len"]
    if not any(re.search(rf"\b{re.escape(name)}\b", message) for name in names):
        return f"names no argument: {type(error).__name__}: {message[:160]}"
    if not re.search(r"\bgot\b|\bwould take\b", message) and not _shows(message, given):
        return f"shows no value: {message[:160]}"
    if not _CURE.search(message):
        return f"says nothing that would do: {message[:160]}"
    if len(message) > _LONGEST:
        return f"is {len(message)} characters long: {message[:100]}"
    return ""


def _shows(message: str, given: dict[str, Any]) -> bool:
    """Whether a message shows a value without `got`: number, empty text, shape, that all is zero."""
    numbers = [value for value in given.values() if isinstance(value, int | float | np.number) and value]
    empty = [value for value in given.values() if isinstance(value, str) and not value]
    return any(shown(value) in message for value in [*numbers, *empty]) or bool(_SEEN.search(message))


def _wrong_result(call: Call, function: Callable[..., Any], result: Any, given: dict[str, Any]) -> str:
    wrong = _not_as_annotated(result, _returns(function))
    if wrong:
        return f"returned {wrong}"
    if call.name not in NOT_FINITE and not all(
        np.isfinite(one).all() for one in arrays(result) if one.dtype.kind in "fc"
    ):
        return "returned NaN or infinity"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return _beside_the_oracle(call.name, function, result, given) or of_plain_numbers(
            call.name, result, given
        )


def _beside_the_oracle(name: str, function: Callable[..., Any], result: Any, given: dict[str, Any]) -> str:
    if name not in ORACLES:
        return ""
    bound = inspect.signature(function).bind(**given)
    bound.apply_defaults()
    try:
        return ORACLES[name](result, **bound.arguments)
    except Exception as error:  # of any kind: what an oracle cannot read is a finding
        return f"cannot be compared: {type(error).__name__}: {str(error)[:120]}"


def _returns(function: Callable[..., Any]) -> Any:
    if inspect.isclass(function):
        return function
    found = typing.get_type_hints(inspect.unwrap(function)).get("return", Any)
    return function.__self__ if found is typing.Self else found


def _not_as_annotated(value: Any, annotation: Any) -> str:
    """What the result is if it is not what the function says; empty if it is."""
    origin, inner = typing.get_origin(annotation), typing.get_args(annotation)
    if annotation is Any or isinstance(annotation, typing.TypeVar) or origin is typing.Literal:
        return ""
    if origin in (typing.Union, types.UnionType):
        return "" if any(not _not_as_annotated(value, one) for one in inner) else type(value).__name__
    if origin is np.ndarray:
        wanted = typing.get_args(inner[1])[0]
        if not isinstance(value, np.ndarray | np.generic):  # a number of numpy is an array without axes
            return f"{type(value).__name__}, not an array"
        fits = wanted is Any or np.issubdtype(value.dtype, wanted)
        return "" if fits else f"an array of {value.dtype}, not of {wanted.__name__}"
    kind = type(None) if annotation is None else origin or annotation
    if not isinstance(value, kind) or (kind is int and type(value) is not int):
        return f"{type(value).__name__}, not {kind.__name__}"
    each = (inner[0],) * len(value) if inner[1:] == (Ellipsis,) else inner if kind is tuple else ()
    if hasattr(kind, "_fields"):
        each = typing.get_type_hints(kind).values()
    if kind is tuple and len(each) != len(value):
        return f"a tuple of {len(value)}"
    parts = zip(value, each, strict=True) if each else ()
    return next((wrong for one, part in parts if (wrong := _not_as_annotated(one, part))), "")


def _same(left: np.ndarray, right: np.ndarray) -> bool:
    try:
        return bool(np.array_equal(left, right, equal_nan=left.dtype.kind in "fc"))
    except Exception:  # objects that cannot be compared
        return True


def _watched(key: str, value: Any) -> bool:
    """Whether to look that a call leaves this argument as it was."""
    return type(value) is np.ndarray and value.size < 10**6 and key != "out"
