"""What is fuzzed: every public function of the package, and the functions and modules of ``pe_book.nn``.

Nothing is listed by hand but what is left out, with the reason, so that a new function joins by itself.
"""

import inspect
import pkgutil
from collections.abc import Callable
from importlib import import_module
from typing import Any

import pe_book
import pe_book.nn

LEFT_OUT = {
    "show": "draws the pages; what it is given was computed by the build",
    "evidence": "the book's experiments, run with the arguments that stand in the book",
    "checking": "the helpers of all others: what they are given comes through these",
    "arrays": "as checking",
    "pairs": "as checking",
    "shapes": "names of types",
    "wording": "as checking",
    "scaling": "as checking",
    "family.checkpoint_entries": "workshop of plan_relayout",
    "family.checkpoint_names": "workshop of plan_relayout",
    "family.config_consequences": "workshop of check_config",
    "family.config_factors": "workshop of check_config",
    "family.config_findings": "workshop of check_config",
    "family.config_report": "workshop of check_config",
    "family.config_keys": "workshop of rotary_from_config",
    "family.config_models": "workshop of rotary_from_config",
    "family.config_numbers": "workshop of rotary_from_config",
    "family.config_options": "workshop of rotary_from_config",
    "family.config_pairings": "workshop of rotary_from_config",
    "family.config_plans": "workshop of rotary_from_config",
    "family.config_records": "workshop of rotary_from_config",
    "family.config_scaling": "workshop of rotary_from_config",
    "family.config_widths": "workshop of rotary_from_config",
    "family.reading_a_config.kind_of": "workshop of rotary_from_config",
    "family.reading_a_config.layers_of": "workshop of rotary_from_config",
    "family.reading_a_config.loaded": "workshop of rotary_from_config",
    "family.reading_a_config.of_the_text": "workshop of rotary_from_config",
    "family.reading_a_config.turned_layers": "workshop of rotary_from_config",
    "family.interpolation.checked_factor": "as checking",
    "family.interpolation.checked_frequencies": "as checking",
    "family.interpolation.checked_length": "as checking",
    "family.porting.movable": "as checking",
    "family.porting.rows_of_heads": "workshop",
    "family.porting.taken": "workshop",
    "family.porting_a_model.heads_of": "workshop of relayout_arguments",
    "family.ramps.checked_turns": "as checking",
    "family.rotary.given_frequencies": "as checking",
    "family.rotary.head_width": "as checking",
    "family.rotary.known_side": "as checking",
    "family.rotary.slice_of": "as checking",
    "sinusoidal.angles": "workshop of encode and table: gets what they have checked",
    "sinusoidal.blocks": "workshop",
    "sinusoidal.certified": "workshop",
    "sinusoidal.compiled": "workshop",
    "sinusoidal.kept.keep": "workshop: holds what it is given",
    "sinusoidal.kept.change": "workshop",
    "sinusoidal.kept.forget": "workshop",
    "sinusoidal.kept.held_during_fork": "workshop",
    "sinusoidal.exact.exact_entry": "workshop",
    "sinusoidal.exact.exact_frequency": "workshop",
    "sinusoidal.exact.fixed_point": "workshop",
    "sinusoidal.exact.nearest_frequencies": "workshop",
    "sinusoidal.phases.phases": "workshop",
    "sinusoidal.exact.precisely": "a context manager that the others enter",
    "sinusoidal.phases.sine_cosine": "workshop",
    "sinusoidal.phases.turns": "workshop",
    "sinusoidal.phases.wave": "workshop",
    "sinusoidal.pieces": "workshop",
    "sinusoidal.products": "workshop",
    "sinusoidal.settled": "workshop",
}


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
            for method, code in inspect.getmembers(value, inspect.isfunction):
                own = code.__module__.startswith("pe_book.nn.") and not method.startswith("_")
                if own and len(inspect.signature(code).parameters) > 1:
                    found[f"nn.{name}.{method}"] = code
    return found


def _left_out(name: str) -> bool:
    return any(name == prefix or name.startswith(prefix + ".") for prefix in LEFT_OUT)


def parameters(function: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    """The parameters of a callable by name; of ``**name`` none, because nothing has to be given."""
    found = inspect.signature(function).parameters
    return {name: given for name, given in found.items() if given.kind is not given.VAR_KEYWORD}
