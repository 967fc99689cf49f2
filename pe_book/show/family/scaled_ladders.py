"""Ladders under each method of context extension: pictures, and what the explorer of ladders is given."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pe_book.config.classes import BASES, MODELS, Model, class_defaults
from pe_book.config.formats.answer import BEYOND, PUBLISHED, VERDICTS, WHOSE, publishers
from pe_book.config.formats.differing import TRAINED
from pe_book.config.keys import LENGTHS, POSITIONAL
from pe_book.config.pairings import SMALL
from pe_book.config.reading import rotary_from_config
from pe_book.config.widths import (
    BESIDE_SCALED,
    COUNTS,
    HEADS,
    SHARE_IN_BLOCK,
    SIZES,
    WIDTHS,
    WIDTHS_OF_SLICES,
    WINDOWS,
)
from pe_book.family.context_extension import scale_frequencies
from pe_book.show.drawing.figure import Figure
from pe_book.show.drawing.frame import Frame
from pe_book.show.drawing.panel import Panel
from pe_book.show.drawing.plots import Guide, Line
from pe_book.sinusoidal.formula import frequencies

# what the explorer of ladders calls the methods
METHODS = "interpolated", "NTK-aware", "YaRN", "YaRN in libraries", "Llama"
WAYS = {
    "none": "As trained", "linear": "Interpolated", "ntk": "NTK-aware",
    "dynamic": "Dynamic, at the asked length", "yarn": "YaRN, ramp of the paper",
    "library": "YaRN, ramp of libraries", "llama3": "Llama 3.1", "config": "Config",
}  # fmt: skip

# what the explorer takes from a class where a config is silent
OF_THE_CLASS = (*WIDTHS_OF_SLICES, "head_dim", "rope_parameters", *WINDOWS, LENGTHS[0])

# widths that are told as not read where a class does not look at them, beside what is positional by its name
TOLD = "|".join((POSITIONAL.pattern, *(f"^{name}$" for name in (*HEADS, *WIDTHS_OF_SLICES))))


def ladders(d: int, trained: int, factor: int) -> Figure:
    """The ladder under each method: wavelengths, and how much of each frequency stays."""
    method, pair, wave, share = "method", "pair", "wavelength (tokens)", "share that stays"
    scaled = _scaled(d, trained, factor, *METHODS)
    omega = scaled["as trained"]
    rows = [
        (name, i, 2 * np.pi / new[i], new[i] / omega[i])
        for name, new in scaled.items()
        for i in range(omega.size)
    ]

    def facts(f: Frame) -> dict[str, Any]:
        kept = int((f.where({method: "YaRN in libraries"})[share] > 1 - 1e-9).sum())
        return {**_in_new_angles(f), "kept": kept}

    half = {1.0: "1", 0.5: "1/2", 0.25: "1/4", 0.125: "1/8"}
    looks: dict[str, Any] = {"log": "y", "yticks": half, "ylim": (0.11, 1.15), "height": 240}
    return Figure(
        Frame.of_rows((method, pair, wave, share), rows, d_model=d, trained=trained, factor=factor),
        _against_lengths("as trained", "interpolated", "NTK-aware", "YaRN"),
        Panel(*(_line(name, share) for name in ("interpolated", "NTK-aware", "YaRN")), **looks),
        Panel(*(_line(name, share) for name in ("YaRN", "YaRN in libraries", "Llama")), **looks),
        facts=facts,
        alt="Wavelengths of the pairs of width {d_model}, and how much of each frequency stays, for {factor} "
        "times {trained} tokens. Pairs that meet new angles in {asked} tokens: {none} as trained, {linear} "
        "interpolated, {ntk} NTK-aware, {yarn} with YaRN, {library} with its ramp in libraries, {llama} with "
        "the rule of Llama. The ramp of libraries leaves {kept} pairs as they are.",
    )  # fmt: skip


def wavelengths(d: int, trained: int, factor: int) -> Figure:
    """The wavelength of each pair under each method, against both lengths; around it the explorer."""
    method, pair, wave = "method", "pair", "wavelength (tokens)"
    scaled = _scaled(d, trained, factor, "interpolated", "NTK-aware", "YaRN")
    rows = [(name, i, 2 * np.pi / omega) for name, new in scaled.items() for i, omega in enumerate(new)]

    def given(f: Frame) -> dict[str, Any]:
        base = round(float((f.where({method: "as trained", pair: 1})[wave][0] / (2 * np.pi)) ** (d / 2)))
        asked = f.settings["factor"] * f.settings["trained"]
        return {
            "width": f.settings["d_model"],
            "base": base,
            "trained": f.settings["trained"],
            "asked": asked,
            "ways": WAYS,
            **known_models(),
            "positional": TOLD,
            "sizes": [*SIZES, *LENGTHS],
            "says": {"verdict": VERDICTS, "beyond": BEYOND, "whose": WHOSE, "published": PUBLISHED},
            "publishers": dict(publishers()),
            "training": list(TRAINED),
        }

    return Figure(
        Frame.of_rows((method, pair, wave), rows, d_model=d, trained=trained, factor=factor),
        _against_lengths(*scaled), facts=_in_new_angles, explorer="pe-ladders", given=given,
        alt="Wavelengths of the pairs of width {d_model}, for {factor} times {trained} tokens, in which "
        "{whole} pairs have gone round. Pairs that meet new angles in {asked} tokens: {none} as trained, "
        "{linear} interpolated, {ntk} NTK-aware, {yarn} with YaRN.",
    )  # fmt: skip


def _against_lengths(*names: str) -> Panel:
    guides = (
        Guide(y="trained", label="trained", near=8),
        Guide(y="asked", label="asked", colour="ink", near=8),
    )
    lines = [_line(name, "wavelength (tokens)") for name in names]
    return Panel(*guides, *lines, log="y", height=240)


def _in_new_angles(f: Frame) -> dict[str, Any]:
    """How many pairs have gone round, and how many meet new angles under each method."""
    trained, factor = f.settings["trained"], f.settings["factor"]
    before = trained / f.where({"method": "as trained"})["wavelength (tokens)"]

    def new(name: str) -> int:
        after = factor * trained / f.where({"method": name})["wavelength (tokens)"]
        return int(((before < 1) & (after > before * (1 + 1e-4))).sum())

    short = {
        "none": "as trained", "linear": "interpolated", "ntk": "NTK-aware", "yarn": "YaRN",
        "library": "YaRN in libraries", "llama": "Llama",
    }  # fmt: skip
    told = {key: new(name) for key, name in short.items() if name in f["method"]}
    return {"asked": factor * trained, "whole": int((before >= 1).sum()), **told}


def _scaled(d: int, trained: int, factor: int, *names: str) -> dict[str, NDArray[np.float64]]:
    """The ladder as it was trained, and under the methods of these names."""
    lens: dict[str, Any] = {"original_len": trained}
    settings: dict[str, dict[str, Any]] = {
        "interpolated": {"method": "linear"},
        "NTK-aware": {"method": "ntk"},
        "YaRN": {"method": "yarn", **lens},
        "YaRN in libraries": {"method": "yarn", "ramp": "library", **lens},
        "Llama": {"method": "llama3", **lens},
    }
    scaled = {"as trained": frequencies(d)}
    for name in names:
        scaled[name], _ = scale_frequencies(scaled["as trained"], factor=factor, **settings[name])
    return scaled


def _line(name: str, y: str) -> Line:
    looks = {
        "as trained": ("ink", ""), "interpolated": ("orange", ""), "NTK-aware": ("green", ""),
        "YaRN": ("blue", ""), "YaRN in libraries": ("purple", "dashed"), "Llama": ("red", "dotted"),
    }  # fmt: skip
    colour, dash = looks[name]
    return Line("pair", y, {"method": name}, name, colour, dash, width=1.5)


def known_models() -> dict[str, Any]:
    """What the code of models takes where a config is silent, and the names of keys that each reads.

    A row of `models` has the base, the share that turns, which of `reads`, whether windows have other
    frequencies, whether a head is always the model's width over the heads, what the class assumes, and
    whether all layers that turn have a window, as :func:`windows_of` says. A model that does not turn, or not
    in the plain way, has the base 0, and one that never turns the share 0.
    """
    models: dict[str, list[Any]] = {}
    reads: list[list[str]] = []
    for name, model in MODELS.items():
        if model.kind != "rotary" or not plain(model) or not turns_as_said(name):
            models[name] = [0, int(model.kind in ("rotary", "axial"))]
            continue
        apart = model.local_base is not None
        own = class_defaults().get(name, {})
        assumed = {key: value for key, value in {**model.assumed, **own}.items() if key in OF_THE_CLASS}
        names = names_read(model, own.get("reads"))
        if names not in reads:
            reads.append(names)
        row = [model.base, model.share, reads.index(names), int(apart), int(model.heads_computed), assumed]
        row.append(windows_of(name))
        while len(row) > 3 and not row[-1]:
            row.pop()
        models[name] = row
    return {"models": models, "reads": reads}


def plain(model: Model) -> bool:
    """Whether one base and one width are in the keys that the box reads, and not in blocks by kind alone."""
    own = (model.heads, model.slice_within, model.share_of_head, model.listed_bases, model.turns_at)
    return bool(model.base_keys) and not any(own) and model.texts == ("text_config",)


def turns_as_said(model_type: str) -> bool:
    """Whether a layer of a type turns at frequencies that its config says.

    >>> turns_as_said("llama"), turns_as_said("kimi_linear"), turns_as_said("mistral_large4")
    (True, False, False)
    """
    records = rotary_from_config({**SMALL, "model_type": model_type})
    return any(one.kind == "rotary" for one in records)


def windows_of(model_type: str) -> int:
    """Whether all layers that turn have the window that a key names.

    0 says that they have not, 1 that all are alike, 2 that others do not turn, and 3 that all are alike once
    ``use_sliding_window`` switches it on.

    >>> [windows_of(name) for name in ("gemma2", "mistral", "cohere2", "qwen3_moe")]
    [0, 1, 2, 3]
    """
    for switch in (False, True):
        records = rotary_from_config({**SMALL, "model_type": model_type, "use_sliding_window": switch})
        if all(one.attention == "window" for one in records if one.kind == "rotary"):
            return 3 if switch else 2 if any(one.kind == "none" for one in records) else 1
    return 0


def names_read(model: Model, of_the_class: list[str] | None) -> list[str]:
    """The keys that a model reads, for each thing that they say, in the order of the explorer.

    A class that is recorded reads of the usual names those alone that it was seen to ask for.
    """
    bases = set(model.base_keys) if model.base_keys != BASES else {"rope_theta"}
    known = {*(of_the_class or ()), *(bases if model.blocks else bases - {*BASES})}
    doubtful = {*SIZES, *BASES, "rope_ratio"} if of_the_class is not None else set()
    blocks = ("rope_scaling", "rope_parameters")[: 1 if model.blocks_apart else 2]
    handed = (BESIDE_SCALED,) if BESIDE_SCALED in known else ()
    groups = (
        (SHARE_IN_BLOCK,), model.base_keys, ("rope_ratio",), (*LENGTHS, *model.lengths),
        [one for one in blocks if one in model.blocks],
        ("qk_rope_head_dim", *["head_dim"] * model.head_is_slice), ("qk_nope_head_dim",), HEADS,
        WIDTHS, COUNTS, ("rotary_dim",), model.share_keys, handed,
    )  # fmt: skip
    found = (" ".join(one for one in group if one in known or one not in doubtful) for group in groups)
    return [names.rpartition(".")[2] for names in found]
