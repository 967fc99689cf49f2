"""What becomes of a model type: read rightly, refused, or wrong without a word.

`python -m tests.parity.classes.outcomes helium` with the libraries of `make parity` says it of some types.
"""

import multiprocessing
import sys
from collections.abc import Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import torch
from transformers.models.auto.configuration_auto import CONFIG_MAPPING_NAMES

from pe_book.config.checking import check_config
from pe_book.config.classes import MODELS
from pe_book.config.reading import read_config
from pe_book.config.records import Reading
from tests.parity.classes.built import Received, received
from tests.parity.classes.sweep import differences
from tests.parity.classes.variants import ALL_AT_ONCE, CHUNKS, changed, foreign, respelt, saved, silent


class Outcome(NamedTuple):
    """Of one model type: one of the words of the record, and each thing that is wrong and was not said."""

    model_type: str
    word: str
    wrong: dict[str, str]
    configs: int
    """How many were compared with the class."""


def of_type(model_type: str) -> Outcome:
    """What becomes of the configs of a type."""
    try:
        layers, seen = received(saved(model_type))
    except Exception:  # whatever a class raises
        layers, seen = 0, None
    try:
        reading = read_config(saved(model_type))
    except Exception:  # it has no config, or it is refused here
        if model_type in MODELS and seen is not None:
            return with_variants(model_type, Outcome(model_type, "refused, and it turns", {}, 0))
        word = "not run" if seen is None else ("and it turns" if turns(seen) else "nothing turns")
        return Outcome(model_type, f"refused, {word}", {}, 0)
    if seen is None:
        return Outcome(model_type, "read, not run", {}, 0)
    apart = differences(reading.records, layers, seen)
    first = Outcome(model_type, "right", {"default": apart[0]} if apart else {}, 1)
    return with_variants(model_type, first) if model_type in MODELS else judged(first)


def with_variants(model_type: str, first: Outcome) -> Outcome:
    """The same with the configs that say nothing, lack a key, or have another or one with a slip."""
    found, count = dict(first.wrong), first.configs
    tried = {"silent": silent(model_type), **dict(changed(model_type))}
    slips = {slip: (right, wrong) for slip, right, wrong in respelt(model_type)}
    misspelt = {slip: wrong for slip, (_, wrong) in slips.items()}
    for what, values in chain(tried.items(), misspelt.items(), foreign(model_type)):
        apart = wrong_in(values)
        count += apart is not None
        if apart:
            found[what] = apart[0]
        if what == ALL_AT_ONCE and apart == []:
            break  # a class that looks at none of them looks at no single one
    found |= {slip: "nothing says so" for slip, both in slips.items() if unsaid(slip, *both)}
    return judged(Outcome(model_type, first.word, found, count))


def judged(one: Outcome) -> Outcome:
    return one._replace(word="silently wrong") if one.wrong else one


def turns(seen: dict[int, Received]) -> bool:
    """Whether in any layer queries or keys differ from one position to another."""
    rows = [one for layer in seen.values() for one in (layer.query, layer.key)]
    return any(not np.array_equal(one, one[[0] * len(one)]) for one in rows)


def wrong_in(values: dict[str, Any]) -> list[str] | None:
    """Where the records of a config differ from its class; None where either refuses it."""
    try:
        layers, seen = received(values)
    except Exception:  # what a class refuses, in whatever way, is no config
        return None
    try:
        records = read_config(values).records
    except ValueError:
        return None
    return differences(records, layers, seen)


def unsaid(slip: str, right: dict[str, Any], wrong: dict[str, Any]) -> bool:
    """Whether a slip changes what is read, and no finding names it."""
    try:
        report = check_config(wrong)
        meant = check_config(right).reading
    except ValueError:  # refused, which says it; or the key as it is has no meaning
        return False
    named = any(one.key.rpartition(".")[2] == slip for one in report.findings)
    return not named and told(meant) != told(report.reading)


def told(reading: Reading) -> list[Any]:
    """All that a reading says of positions, comparable."""
    rows = [{**vars(one), "frequencies": one.frequencies.tolist()} for one in reading.records]
    kept = ("kind", "attention", "window", "head_dim", "frequencies", "layout", "side", "attention_factor")
    return [reading.max_len, *([row[name] for name in kept] for row in rows)]


def of_all(names: Sequence[str] = (), workers: int = 2) -> list[Outcome]:
    """Of every type that transformers has a config for, in their order."""
    spawned = multiprocessing.get_context("spawn")
    with spawned.Pool(workers, torch.set_num_threads, (1,), maxtasksperchild=CHUNKS) as pool:
        return pool.map(of_type, names or sorted(CONFIG_MAPPING_NAMES), chunksize=2)


if __name__ == "__main__":
    for one in of_all(sys.argv[1:]):
        sys.stdout.write(f"{one.model_type}: {one.word}, {one.configs} configs {one.wrong or ''}\n")
