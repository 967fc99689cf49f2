"""What is fuzzed: every public function of the package, and the functions and modules of ``pe_book.nn``.

Nothing is listed by hand but what is left out, with the reason, so that a new function joins by itself.
"""

import inspect
import pkgutil
import typing
from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any

import pe_book
import pe_book.nn

LEFT_OUT = {
    "show": "draws the pages; what it is given was computed by the build",
    "census": "a record that a command writes, and the pages read",
    "evidence": "the book's experiments, run with the arguments that stand in the book",
    "inputs": "the helpers of all others: what they are given comes through these",
    "numerics": "workshop of encode and table: gets what they have checked",
    "checkpoint": "workshop of plan_relayout",
    "config": "workshop of rotary_from_config and check_config",
    "family.context_extension.interpolation.checked_factor": "as inputs",
    "family.context_extension.interpolation.checked_frequencies": "as inputs",
    "family.context_extension.interpolation.checked_length": "as inputs",
    "family.context_extension.ramps.checked_turns": "as inputs",
    "family.offsets.axes_fit": "as inputs: compares shapes",
    "family.offsets.shape_of_pairs": "as inputs: compares shapes",
    "family.relative.log_buckets.bucket_of": "workshop of deberta_log_bucket",
    "family.relative.log_buckets.edges_of": "workshop of deberta_log_bucket",
    "family.relative.deberta.span_of": "as inputs",
    "family.relative.offsets": "workshop of the others",
    "family.rotary.bugs": "is given another program, which may do anything",
    "family.rotary.recovering": "is given what another program made, which may be anything",
    "family.rotary.given_frequencies": "as inputs",
    "family.rotary.head_width": "as inputs",
    "family.rotary.known_side": "as inputs",
    "family.rotary.slice_of": "as inputs",
    "family.members.places": "workshop of members",
    "family.members.properties.matrix": "takes nothing; measure, which it asks about every member, is fuzzed",
    "family.members.predicates.of_a_member": "wraps the predicates",
    "sinusoidal.readings": "is given what another program printed, which may be anything",
}
# but for what the catalogue has, and besides
TAKEN = {
    "checkpoint.heads.head_order", "config.reading.read_config", "numerics.cache.cached_bytes",
    "numerics.cache.keep_at_most", "numerics.exact.exact", "numerics.exact.exact_frequencies",
    "numerics.phases.phase_steps", "numerics.phases.steps_of_a_turn", "numerics.rounding.closest_pair",
    "numerics.rounding.known_format", "numerics.rounding.round_to", "numerics.rounding.spacing",
    *(f"{one.numpy}.{one.name}".removeprefix("pe_book.") for one in pe_book.catalogue() if one.numpy),
}  # fmt: skip


@cache
def surface() -> dict[str, Callable[..., Any]]:
    """Every fuzzed callable by its name below the package, such as ``why.norms.layer_norm``."""
    found: dict[str, Callable[..., Any]] = {}
    for info in pkgutil.walk_packages(pe_book.__path__, "pe_book."):
        home = info.name.removeprefix("pe_book.")
        if home.split(".")[0] == "nn" or home.rpartition(".")[2].startswith("_") or _left_out(home):
            continue
        module = import_module(info.name)
        for name, value in vars(module).items():
            own = getattr(value, "__module__", None) == info.name and not name.startswith("_")
            if own and callable(value) and not inspect.isclass(value) and not _left_out(f"{home}.{name}"):
                found[f"{home}.{name}"] = value
    return found | _torch_surface()


def _torch_surface() -> dict[str, Callable[..., Any]]:
    """The public names of ``pe_book.nn``; of a module, construction and each method that takes something."""
    found: dict[str, Callable[..., Any]] = {}
    for name in dir(pe_book.nn):
        value = None if name.startswith("_") else getattr(pe_book.nn, name)
        if not callable(value) or not getattr(value, "__module__", "").startswith("pe_book.nn."):
            continue
        found[f"nn.{name}"] = value
        if inspect.isclass(value):
            for method, code in inspect.getmembers(value, _has_code):
                own = code.__module__.startswith("pe_book.nn.") and not method.startswith("_")
                if own and len(inspect.signature(code).parameters) > 1:
                    found[f"nn.{name}.{method}"] = code
    return found


def _has_code(value: object) -> bool:
    """Whether something is a method in Python, of an instance or of its class."""
    return inspect.isfunction(value) or inspect.ismethod(value)


def _left_out(name: str) -> bool:
    if any(taken == name or taken.startswith(name + ".") for taken in TAKEN):
        return False
    return any(name == prefix or name.startswith(prefix + ".") for prefix in LEFT_OUT)


def parameters(function: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    """The parameters of a callable by name; of ``**name`` those that its annotation unpacks."""
    found = dict(inspect.signature(function).parameters)
    for name in [name for name, given in found.items() if given.kind is given.VAR_KEYWORD]:
        del found[name]
        unpacked = typing.get_args(function.__annotations__.get(name))
        for key in unpacked[0].__annotations__ if unpacked else ():
            found[key] = inspect.Parameter(key, inspect.Parameter.KEYWORD_ONLY, default=None)
    return found
