"""Import paths of the first edition, which go on working: ``pe_book.pairs`` is ``pe_book.inputs.pairs``."""

import sys
from importlib import import_module
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

# folder of today: module of the first edition, with = and its name of today where that is another
_NOW_IN = {
    "inputs": "checking arrays wording shapes pairs",
    "numerics": (
        "scaling why.rounding sinusoidal.exact sinusoidal.phases sinusoidal.angles sinusoidal.certified "
        "sinusoidal.settled=corrected sinusoidal.blocks sinusoidal.kept=cache sinusoidal.compiled "
        "sinusoidal.products sinusoidal.pieces=chunks"
    ),
    "sinusoidal.waves": "sinusoidal.aliasing sinusoidal.digits",
    "sinusoidal.shift": "sinusoidal.fitting sinusoidal.planes",
    "sinusoidal.distance": "sinusoidal.offsets sinusoidal.blending sinusoidal.spread",
    "sinusoidal.adding": "sinusoidal.reading sinusoidal.spans=subspaces",
    "sinusoidal.precision": "sinusoidal.recipes",
    "family": "family.comparison=members family.doors.comparison=members",
    "family.doors": "family.models",
    "family.score_bias": "family.t5",
    "family.learned": (
        "family.initialisation family.learned_measures=measures family.learned_parameters=counting"
    ),
    "family.rotary": "family.rotary_axes=axes family.latent",
    "family.context_extension": "family.interpolation family.ramps family.longrope=divisors family.remapped",
    "config": (
        "family.config_keys=keys family.config_numbers=keys family.config_models=classes "
        "family.config_plans=layers family.config_options=options family.config_widths=widths "
        "family.config_scaling=scaling family.config_records=records family.reading_a_config=reading "
        "family.config_findings=findings family.config_factors=factors "
        "family.config_consequences=consequences family.config_report=report "
        "family.checking_a_config=checking family.config_pairings=pairings"
    ),
    "checkpoint": (
        "family.checkpoints=plan family.checkpoint_entries=entries family.checkpoint_names=names "
        "family.porting=heads family.porting_a_model=agreement"
    ),
    "nn.functional": "nn.functions=sinusoidal nn.shifting=shift nn.rotary nn.tables=table",
    "nn": "nn.columns=pairs",
    "nn.kernels": "nn.float64 nn.turning=rotary nn.memory",
    "nn.modules": "nn.added nn.sinusoidal nn.learned nn.rotating=rotary nn.turn_table=rotary_cache",
    "evidence": "verdict",
    "evidence.sinusoidal.steps": (
        "evidence.sinusoidal.distance_steps=distance evidence.sinusoidal.formula_steps=formula "
        "evidence.sinusoidal.shift_steps=shift"
    ),
    "evidence.records": "evidence.audit evidence.bench evidence.fuzz evidence.parity",
    "evidence.derivations": (
        "evidence.derivation evidence.equality evidence.notation evidence.latex_tokens=tokens "
        "evidence.latex_values=values"
    ),
    "show.drawing": (
        "show.diagram show.figure show.frame show.inline show.panel show.places show.plots show.scene "
        "show.style show.table show.texts"
    ),
}
MOVED = {
    f"pe_book.{old}": f"pe_book.{folder}.{new or old.rpartition('.')[2]}"
    for folder, names in _NOW_IN.items()
    for old, _, new in (name.partition("=") for name in names.split())
}
RENAMED = {  # functions; their old names are bound where they stand
    "pe_book.sinusoidal.adding.reading.heard": "recovered_place",
    "pe_book.sinusoidal.adding.reading.word_heard": "recovered_word",
    "pe_book.sinusoidal.adding.subspaces.untied": "separate_projections",
}


class _Finder:
    """Hands on the module that stands elsewhere now: one module under two names, not a copy."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        # a loader needs create_module and exec_module alone; its declared base would cost an import
        return ModuleSpec(name, self) if name in MOVED else None  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        sys.modules[module.__name__] = import_module(MOVED[module.__name__])


def install() -> None:
    """Let old paths be found, behind everything that Python finds by itself."""
    if not any(type(finder).__name__ == _Finder.__name__ for finder in sys.meta_path):
        sys.meta_path.append(_Finder())
