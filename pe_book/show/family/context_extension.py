"""Figures and tables of the chapter on context extension."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pe_book.config.reading import read_config
from pe_book.config.records import LayerRotary
from pe_book.evidence.family.context_extension import dynamic_scores, ramps_apart
from pe_book.evidence.family.passkey import FOUND, LENGTHS
from pe_book.evidence.family.recorded import recorded
from pe_book.family.context_extension.interpolation import turns
from pe_book.family.context_extension.lengths import length_factor
from pe_book.family.context_extension.remapped import dual_chunk_distance, rectified_distance
from pe_book.show.drawing.diagram import Dial
from pe_book.show.drawing.figure import Figure
from pe_book.show.drawing.frame import Frame
from pe_book.show.drawing.panel import Panel
from pe_book.show.drawing.plots import Guide, Line
from pe_book.show.drawing.table import Table
from pe_book.sinusoidal.formula import frequencies

Array = NDArray[np.float64]
YARN_MODELS = ("olmo-3.1-32b", "yarn-llama-2-7b-64k", "gpt-oss-20b", "deepseek-v3")
CHOSEN = (
    "deepseek-llm-7b", "olmo-2-7b", "gemma-2-9b", "llama-3-8b", "qwen2.5-7b", "glm-4.5", "granite-3.1-8b",
    "yi-6b-200k", "qwen3-next-80b", "qwen2.5-14b-1m",
)  # fmt: skip
LENGTHWISE = (
    # model, layers, what a query at p is multiplied by, and rule and n by the class of transformers 5.24.0
    (
        "Llama 4",
        "those that do not turn",
        r"$1 + b\log(1 + \lfloor (p + 1)/n \rfloor)$",
        "steps from 1",
        8192,
    ),
    ("Ministral 3", "all", r"$1 + b\log(1 + \lfloor p/n \rfloor)$", "steps", 16384),
    ("Mistral 4", "all", r"$1 + b\log(1 + \lfloor p/n \rfloor)$", "steps", 8192),
    ("Inkling 2", "those without a window", r"$1 + b\log(\max((p + 1)/n, 1))$", "beyond", 128000),
    ("Mistral Large 4", "all", r"$s\log(p + 1) + t$", None, None),
)
HEATED = ("yarn-llama-2-7b-64k", "gpt-oss-20b", "ministral-3-3b", "deepseek-v2", "deepseek-v3")


def dials(d: int, trained: int, position: int) -> Figure:
    """Each pair of a small head as a dial: where training has been, and where a later position stands."""
    omega = frequencies(d)
    count = turns(omega, trained)
    rows = [
        (i, when, m, m * omega[i], count[i])
        for i in range(d // 2)
        for when, places in (("training", range(trained)), ("later", (position,)))
        for m in places
    ]
    angle = "angle (radians)"
    panels = [
        Panel(
            Dial(angle, {"pair": i, "when": "training"}, "blue", hand=False, size=4, rotary=True),
            Dial(angle, {"pair": i, "when": "later"}, "orange", rim=False, radius=0.8, rotary=True),
            title=f"{{title_{i}}}", bare=True, equal=True, width=150, height=160,
        )
        for i in range(d // 2)
    ]  # fmt: skip

    def facts(f: Frame) -> dict[str, Any]:
        counted = [f.where({"pair": i})["turns in training"][0] for i in range(d // 2)]
        titles = {f"title_{i}": f"pair {i}: {count:.3g} turns" for i, count in enumerate(counted)}
        last = f.where({"pair": d // 2 - 1})
        beyond = last.where({"when": "later"})[angle][0] / last.where({"when": "training"})[angle].max()
        whole = sum(count >= 1 for count in counted)
        return {"pairs": len(counted), "whole": whole, "last": counted[-1], "beyond": beyond, **titles}

    return Figure(
        Frame.of_rows(("pair", "when", "position", angle, "turns in training"), rows, trained=trained,
                      later=position),
        *panels, facts=facts,
        alt="{pairs} dials after {trained} tokens of training: {whole} have been round, and the last has "
        "made {last:.4f} turns. At position {later} the hand of the last stands at {beyond:.1f} times the "
        "largest angle of training.",
    )  # fmt: skip


def cached(trained: int, text: int, factor: float, within: int = 200) -> Figure:
    """The score over the distance under dynamic scaling: keys as they were kept, and keys turned anew."""
    distance, score, key = "distance (tokens)", "score / width", "keys"
    near = np.arange(within + 1)
    names = {"turned anew": False, "as they were kept": True}
    rows = [
        (name, int(x), y)
        for name, kept in names.items()
        for x, y in zip(near, dynamic_scores(near, text, trained, factor, kept=kept), strict=True)
    ]

    def facts(f: Frame) -> dict[str, Any]:
        anew, kept = (f.where({key: name})[score] for name in names)
        return {"most": f[distance].max(), "apart": np.abs(anew - kept).max(),
                "anew": anew[1:].max(), "kept": kept[within // 2 :].max(), "half": within // 2,
                "late": anew[within // 2 :].max()}  # fmt: skip

    return Figure(
        Frame.of_rows((key, distance, score), rows, trained=trained, text=text, factor=factor),
        Panel(
            Guide(y=0),
            Line(distance, score, {key: "as they were kept"}, "as they were kept", "orange", width=1.3),
            Line(distance, score, {key: "turned anew"}, "turned anew", "blue", width=1.3),
            height=220,
        ),
        facts=facts,
        alt="The score over the distance up to {most:.0f} tokens at the end of {text} tokens. Keys as they "
        "were kept and keys turned anew differ by up to {apart:.2f}; from distance {half} on the former "
        "reach {kept:.2f} and the latter {late:.2f}.",
    )  # fmt: skip


def remapped(trained: int, text: int, window: int, stride: int, chunk: int) -> Figure:
    """The distance at which the last word of a text sees each key, for three ways to assign it."""
    true, seen, way = "true distance (tokens)", "distance seen (tokens)", "way"
    far = np.arange(text)
    keys = text - 1 - far
    ways = {
        "as it is": far.astype(np.float64),
        "ReRoPE": rectified_distance(far, window),
        "ReRoPE, leaky": rectified_distance(far, window, stride=stride),
        "dual chunk": dual_chunk_distance([text - 1], keys, chunk=chunk, original_len=trained)[0],
    }
    rows = [(name, int(x), y) for name, values in ways.items() for x, y in zip(far, values, strict=True)]
    return Figure(
        Frame.of_rows((way, true, seen), rows, trained=trained, text=text, window=window, stride=stride,
                      chunk=chunk),
        Panel(
            Guide(y="trained", label="trained", near=20),
            Line(true, seen, {way: "as it is"}, "as it is", "ink", width=1.3),
            Line(true, seen, {way: "ReRoPE"}, "ReRoPE", "blue", width=1.5),
            Line(true, seen, {way: "ReRoPE, leaky"}, "leaky", "green", "dashed", width=1.5),
            Line(true, seen, {way: "dual chunk"}, "dual chunk", "orange", width=1.3),
            height=240,
        ),
        facts=lambda f: {name: f.where({way: name})[seen].max() for name in ways},
        alt="The distance seen over the true distance, for the last of {text} words and a model trained on "
        "{trained}. As it is, it reaches {as it is:.0f}; with ReRoPE {ReRoPE:.0f}, leaky "
        "{ReRoPE, leaky:.1f}, with dual chunks {dual chunk:.0f}.",
    )  # fmt: skip


def apart(names: Sequence[str] = YARN_MODELS) -> Table:
    """How far the ramp of libraries and that of the paper lie apart, for the settings of real models."""
    rows = []
    for name in names:
        layer, block = _scaled_layer(name), _block(name)
        factor, length = block["factor"], block["original_max_position_embeddings"]
        whole, exact = (
            ramps_apart(layer.unscaled, factor, length, truncate=truncate)[1] for truncate in (True, False)
        )
        runs = "rounded" if layer.truncate else "exact"
        rows.append((recorded(name)["name"], whole, exact, runs, f"{factor:g}"))
    header = ("model", "ends rounded: up to", "ends exact: up to", "runs", "factor")
    return Table.of_rows(header, rows, [None, "{:.2f}", "{:.2f}", None, None])


def heated(names: Sequence[str] = HEATED) -> Table:
    """Where YaRN's factor acts in real models, and what it makes of scores."""
    rows = []
    for name in names:
        layer = _scaled_layer(name)
        on_rows, on_scores = layer.attention_factor, layer.score_factor
        still = None if layer.rotary_dim == layer.head_dim else on_scores
        rows.append((recorded(name)["name"], on_rows, on_scores, on_rows**2 * on_scores, still))
    header = (
        "model", "queries, keys", "scores", "in all: turning", "in all: still")  # fmt: skip
    return Table.of_rows(header, rows, [None] + ["{:.3f}"] * 4)


def by_length(*positions: int) -> Table:
    """Factors on queries that grow with their position, in some models, and what they are at some places."""
    rows = []
    for model, layers, formula, rule, n in LENGTHWISE:
        found = length_factor(positions, rule=rule, trained_len=n) if rule and n else [None] * len(positions)
        rows.append((model, layers, formula, n, *found))
    header = ("model", "layers", "times", "$n$", *(f"$p = {p:,}$".replace(",", "{,}") for p in positions))
    return Table.of_rows(header, rows, [None, None, None, "{:,}"] + ["{:.3f}"] * len(positions))


def chosen_bases(names: Sequence[str] = CHOSEN) -> Table:
    """Bases that publishers chose without scaling, beside the length that the file promises."""
    rows = []
    for name in names:
        block = recorded(name)
        reading = read_config(block["config"])
        omega = next(one.frequencies for one in reading.records if one.kind == "rotary")
        length, base = reading.max_len or 0, round(reading.scalings[0].base)
        round_once = f"{(turns(omega, length) >= 1).sum()} of {len(omega)}"
        rows.append((block["name"], length, base, 2 * np.pi / omega[-1], round_once))
    header = ("model", "longest position", "base", "a turn of the slowest", "pairs that go round")
    return Table.of_rows(header, rows, [None, "{:,}", "{:,}", "{:,.0f}", None])


def hidden() -> Table:
    """How often a number hidden in a text is found under each method, as published with the code of YaRN."""
    header = ("method", *(f"{length:,}" for length in LENGTHS))
    return Table.of_rows(
        header, [(method, *found) for method, found in FOUND.items()], [None] + ["{:.2f}"] * 5
    )


def _scaled_layer(name: str) -> LayerRotary:
    records = read_config(recorded(name)["config"]).records
    return next(record for record in records if record.method == "yarn")


def _block(name: str) -> dict[str, Any]:
    config = recorded(name)["config"]
    found: dict[str, Any] = config.get("rope_scaling") or config["rope_parameters"]
    return found
