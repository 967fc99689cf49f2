"""Blocks on which something goes wrong in practice, and what recorded configs of real models show."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from pe_book.config.checking import check_config
from pe_book.config.reading import rotary_from_config
from pe_book.config.report import ConfigReport
from pe_book.evidence.family.recorded import WITHOUT_SIZES, names, recorded
from pe_book.evidence.verdict import Verdict

SMALL: dict[str, Any] = {
    "model_type": "llama", "hidden_size": 256, "num_attention_heads": 4, "num_hidden_layers": 4,
    "max_position_embeddings": 4096,
}  # fmt: skip
YARN = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 1024}


@dataclass(frozen=True)
class Case:
    """A small config with one trouble in it.

    The `trouble` is in the words of somebody who has it; `changes` are what differs from a config without.
    The report names a `key` and says what is `told`: the kind of the finding, and words of it that another
    trouble does not get. A model is asked to read `length` tokens, if any.
    """

    trouble: str
    changes: Mapping[str, Any]
    key: str
    told: str
    length: int | None = None

    def says(self) -> str:
        """What the report says of the trouble; empty if it does not name it."""
        report = check_config({**SMALL, **self.changes}, length=self.length, assume="llama")
        kind, _, words = self.told.partition(": ")
        named = (one for one in (*report.findings, *report.notes) if one.key == self.key)
        return next((one.says for one in named if one.kind == kind and words in one.says), "")


CASES = (
    Case("the base is not where my program looks",
         {"rope_parameters": {"rope_type": "default", "rope_theta": 500000.0}}, "rope_parameters.rope_theta",
         "note: looks for rope_theta beside the block misses this 500000"),
    Case("two blocks disagree",
         {"rope_scaling": {"type": "linear", "factor": 2.0}, "rope_parameters": {"rope_type": "default"}},
         "rope_parameters", "contradictory: differs in rope_type"),
    Case("YaRN's correction does nothing",
         {"rope_scaling": {**YARN, "mscale": 0.707}}, "rope_scaling.mscale",
         "ignored: mscale_all_dim is missing"),
    Case("the factor is that of another length",
         {"rope_scaling": {**YARN, "factor": 16.0}}, "rope_scaling.factor",
         "contradictory: 16 times the trained length 1024 is 16384"),
    Case("which columns pair?", {"model_type": "somebody"}, "model_type",
         "unknown: which columns somebody pairs"),
    Case("how much of the head turns?", {"model_type": "phi"}, "partial_rotary_factor",
         "note: 0.5 of the head turns"),
    Case("some layers do not turn",
         {"model_type": "smollm3", "no_rope_layers": [1, 1, 1, 0]}, "no_rope_layers",
         "note: 1 of 4 layers do not turn"),
    Case("an image is in the text",
         {"model_type": "qwen2_vl", "rope_scaling": {"type": "mrope", "mrope_section": [8, 12, 12]}},
         "rope_scaling.mrope_section",
         "note: a position has 3 coordinates"),
    Case("answers change in mid-text",
         {"rope_scaling": {"type": "dynamic", "factor": 2.0}}, "rope_scaling.type",
         "cache: keys cached from before position 4096 were turned at other frequencies"),
    Case("the text is longer than training", {}, "max_position_embeddings",
         "beyond: 8192 tokens are more than the 4096", 8192),
    Case("settings for long texts, short texts", {"rope_scaling": YARN}, "rope_scaling.factor",
         "note: 512 tokens are within the trained 1024", 512),
)  # fmt: skip


@cache
def reports() -> dict[str, ConfigReport]:
    """The report on every recorded config that states its sizes, by name."""
    return {name: check_config(recorded(name)["config"]) for name in names() if name not in WITHOUT_SIZES}


def every_case_is_named() -> Verdict:
    """Whether the report names the trouble of each case, and none of them in a config without trouble."""
    silent = [case.trouble for case in CASES if not case.says()]
    clean = check_config(SMALL)
    return Verdict(
        not silent and not clean.findings and not clean.notes,
        {"cases": len(CASES), "not named": len(silent), "findings without trouble": len(clean.findings)},
    )


def stands_still(name: str, every: int) -> Verdict:
    """Whether of a recorded model every so many-th layer turns nothing, and no other one."""
    kinds = [record.kind for record in reports()[name].reading.records]
    still = [layer for layer, kind in enumerate(kinds) if kind == "none"]
    return Verdict(
        still == list(range(every - 1, len(kinds), every)), {"layers": len(kinds), "still": len(still)}
    )


def slowest(name: str, **instead: float) -> float:
    """The frequency of the slowest pair of a recorded model, with keys of its config replaced.

    >>> slowest("llama-3-8b") < slowest("llama-3-8b", rope_theta=10000.0)
    True
    """
    records = rotary_from_config({**recorded(name)["config"], **instead})
    return float(np.min(next(record.frequencies for record in records if record.kind == "rotary")))
