"""The census: every model type of transformers built and run, and what each layer does with positions.

`make census` writes the record that the package carries and says what is another than before;
`python -m tests.parity.census.taken helium` with the libraries of `make parity` prints what it holds of some.
"""

import json
import logging
import multiprocessing
import re
import signal
import sys
import time
import warnings
from collections.abc import Iterator, Sequence
from datetime import date
from typing import Any

import numpy as np
import torch
import transformers
from transformers.models.auto.configuration_auto import CONFIG_MAPPING, CONFIG_MAPPING_NAMES

from pe_book.census import RECORD, read
from tests.parity.census import fitted, kinds
from tests.parity.census.inputs import POSITIONS, NotMade
from tests.parity.census.seen import FEW_ROWS, NoClass, Place, Run, Scored, Stopped, ran, scores
from tests.parity.classes.built import Unbuilt
from tests.parity.classes.variants import silent

SECONDS = 120  # for one type
SHORT = 90  # characters of an error
MOVED = ("linear", "recurrent")  # told by names alone, whether a layer ran or not
LINE = 200  # of what changed
READS = {
    "input_ids": "text", "grid_thw": "vision", "pixel_values": "vision", "flattened_patches": "vision",
    "input_features": "audio", "input_values": "audio", "audio_values": "audio", "past_values": "series",
}  # fmt: skip
#: Parts by the path of their layers, the first that fits.
PARTS = (
    (r"decoder", "decoder"), (r"vision|visual|image", "vision"), (r"audio|speech", "audio"),
    (r"text|language", "text"), (r"encoder", "encoder"),
)  # fmt: skip


def parts_of(config: Any) -> dict[str, Any]:
    """The parts of a model: those of configs within, or its own lists of layers."""
    found: dict[str, Any] = {}
    failed: Exception | None = None
    for key in getattr(config, "sub_configs", None) or {}:
        inner = getattr(config, key, None)
        if inner is None or isinstance(inner, dict):
            continue
        name = key.removesuffix("_config")
        if known(inner):
            found[name] = inner.model_type
            continue
        try:
            within = parts_of(inner)
        except Exception as error:  # whatever a class raises, the model as a whole may run
            if not isinstance(error, NoClass):  # else it is no model
                failed, found[name] = error, {"not_seen": reason(error)}
            continue
        for part, one in within.items():
            alone = len(within) == 1
            found[name if alone else f"{name}_{part}"] = one
    seen = [one for one in found.values() if "not_seen" not in one]
    has_layers = "num_hidden_layers" in getattr(type(config), "__dataclass_fields__", {})
    if seen and not has_layers:
        return found
    try:
        return found | own_parts(config)
    except Exception as error:  # what a part says is nearer to the reason
        failed = failed or error
    if not seen:
        raise failed
    return found


def known(config: Any) -> bool:
    """Whether a config is the default one of a type."""
    name = getattr(config, "model_type", "")
    if name not in CONFIG_MAPPING_NAMES or getattr(config, "sub_configs", None):
        return False
    try:
        return bool(CONFIG_MAPPING[name]().to_dict() == config.to_dict())
    except Exception:  # a class that needs what a default has not
        return False


def own_parts(config: Any) -> dict[str, Any]:
    """The parts of a model that was run."""
    settings = config.to_dict()
    run = ran(config, fitted.far(settings))
    buffers = [
        np.asarray(one.detach().double())
        for name, one in run.model.named_buffers()
        if one.ndim == 1 and one.is_floating_point() and not one.is_meta
    ]
    merged: dict[str, list[tuple[str, int]]] = {}
    for path, layers in run.lists.items():
        told = all(kinds.moving(layer)[0] in MOVED for layer in layers)
        if told or any(run.calls[path, i] for i in range(len(layers))):
            merged.setdefault(re.sub(r"\.\d+", "", path), []).extend((path, i) for i in range(len(layers)))
    named = {}
    for path, places in merged.items():
        named_in = path if len(merged) > 1 else "" if run.main in READS else config.model_type
        name = next(
            (one for pattern, one in PARTS if re.search(pattern, named_in)), READS.get(run.main, "tokens")
        )
        named[path if name in named else name] = (path, places)
    whole = len(named) == 1
    found = {}
    for name, (path, places) in named.items():
        layers = [of_a_layer(run, at, settings, buffers) for at in places]
        if len(places) == 1:  # one that is run again and again, as in ALBERT
            layers *= max(1, run.calls[places[0]])
        if not all(layers):
            found[name] = {"not_seen": run.error or "its attention was not seen"}
            continue
        tables = [*tables_of(run, None if whole else path)]
        if any("turned" in one for one in layers):  # queries and keys may be turned by the rows of one
            tables = [one for one in tables if one["kind"] != "sinusoidal"]
        found[name] = ({"tables": tables} if tables else {}) | {"layers": grouped(layers)}
    if not any("layers" in one for one in found.values()):
        raise Stopped(run.error) if run.error else Nothing("no scores were seen")
    return found


class Nothing(Exception):
    """A model that ran, and nothing in it attends."""


def of_a_layer(run: Run, at: Place, settings: dict[str, Any], buffers: list[np.ndarray]) -> dict[str, Any]:
    """What is recorded of one layer; empty where it was neither seen nor told by names."""
    layer = run.lists[at[0]][at[1]]
    attends, moving = kinds.moving(layer)
    named = ["moving"] if moving else []
    seen = run.near.get(at) or run.plain.get(at)
    if seen is None:
        if not run.calls[at] and "CrossAttention" in type(layer).__name__:  # waits for an image
            return {"attends": "cross", "by_name": ["attends"]}
        if not run.calls[at] and attends not in MOVED:
            return {}
        if not attends and not scores(layer):
            attends = "convolution" if kinds.convolves(layer) else "nothing"
        return {"attends": attends} | named_as(moving, ["attends", *named]) if attends else {}
    compressed = seen.compressed or any("Compressor" in one for one in kinds.names_in(layer).values())
    named += ["attends"] if compressed > seen.compressed else []
    window = next((one.window for one in (run.plain.get(at), seen) if one and one.window), None)
    found: dict[str, Any] = {"attends": "compressed" if compressed else "window" if window else "full"}
    if window:
        found["window"] = window
    if turned := turned_of(run, at, settings, buffers):
        found["turned"] = turned
    bias, by_name = ("", False) if turned and not seen.biased else bias_of(run, at, seen, layer)
    if bias:
        found["bias"] = bias
        named += ["bias"] if by_name else []
    if at in run.far and (formula := fitted.temperature(run.far[at].query, run.at, settings)):
        found["temperature"] = formula
    if seen.sink:
        found["sink"] = True
    elif any(name.rpartition(".")[2] == "sinks" for name, _ in layer.named_parameters()):
        found["sink"] = True
        named += ["sink"]
    return found | named_as(moving, named)


def named_as(moving: str, named: list[str]) -> dict[str, Any]:
    return ({"moving": moving} if moving else {}) | ({"by_name": named} if named else {})


def turned_of(run: Run, at: Place, settings: dict[str, Any], buffers: list[np.ndarray]) -> dict[str, Any]:
    """How a layer turns queries and keys; empty where it does not."""
    seen, told = (run.near[at], True) if at in run.near else (run.plain[at], False)
    fit = fitted.fitted(seen.key) or fitted.fitted(seen.query)
    if fit is None:
        return {}
    found: dict[str, Any] = {
        "head": fit.head,
        "columns": fit.columns,
        "side": fit.side,
        "pairing": fit.pairing,
    }
    if not fit.pairs:
        return found | {"method": "other"}
    if told or READS.get(run.main) != "vision":
        rows = seen.key if fitted.fitted(seen.key) else seen.query
        counted = range(len(rows))
        positions = POSITIONS if told and fitted.keeps_pace(rows, fit, POSITIONS) else counted
        found |= fitted.ladder(fitted.frequencies(rows, fit, positions), positions[-1], settings, buffers)
    else:
        return found | fitted.by_place(seen.key, fit, settings)
    if any(
        "Rotary" in type(one).__name__ and list(one.parameters(recurse=False)) for one in run.model.modules()
    ):
        found["method"] = "learned"
    if (factor := fitted.factor(seen.key, fit)) != 1:
        found["factor"] = factor
    if at in run.axes:
        found |= fitted.owners(run.axes[at].key, fit)
    return {key: one for key, one in found.items() if (key, one) != ("method", "default")}


def bias_of(run: Run, at: Place, seen: Scored, layer: Any) -> tuple[str, bool]:
    """What is added to the scores of a layer, and whether names alone say so."""
    between = [one for one in run.indexed if one.asked.ndim == 2 and offsets(one.asked)]
    if seen.biased:
        return "t5" if any(one.place and one.place[0] == at[0] for one in between) else "content", False
    name = kinds.bias_of(layer)
    return (name, True) if name or at[0] not in run.alibi else ("alibi", False)


def offsets(asked: np.ndarray) -> bool:
    """Whether what is asked for depends on the distance of query and key alone."""
    n = asked.shape[0]
    return asked.shape == (n, n) and n > 1 and bool(np.array_equal(asked[1:, 1:], asked[:-1, :-1]))


def tables_of(run: Run, path: str | None) -> Iterator[dict[str, Any]]:
    """The tables that are added to the input of a part: those asked for row after row, and by name."""
    top = (path or "").split(".")[0]
    told = set()
    for one in run.indexed:
        row = one.asked.reshape(-1, one.asked.shape[-1])[0]
        if one.place is not None or one.name in told or len(row) < 2 or (np.diff(row) != 1).any():
            continue
        told.add(one.name)
        if path is None or one.name.startswith(f"{top}."):
            yield {"kind": kind_of(run.model, one.name), "rows": one.rows} | (
                {"offset": int(row[0])} if row[0] else {}
            )
    for name, one in run.tables:
        if name not in told and (path is None or name.startswith(f"{top}.")):
            yield {"kind": kind_of(run.model, name), "rows": int(np.prod(one.shape[:-1])), "by_name": True}
    for name, module in run.model.named_modules():
        if kinds.CONVOLVED.search(type(module).__name__) and (path is None or name.startswith(f"{top}.")):
            wide = next(
                (one.kernel_size[0] for one in module.modules() if isinstance(one, torch.nn.Conv1d)), 0
            )
            yield {"kind": "convolution", "rows": int(wide), "by_name": True}
            break


def kind_of(model: Any, name: str) -> str:
    """Whether a table is filled with sines and cosines: its model fills it as it would before training."""
    owner, _, own = name.rpartition(".")
    module = model.get_submodule(owner)
    table = getattr(module, own)
    if isinstance(table, torch.nn.Parameter) and 0 in table.stride():
        shape = (min(FEW_ROWS, len(table)), *table.shape[1:])
        empty = torch.nn.Parameter(torch.zeros(shape), requires_grad=False)
        setattr(module, own, empty)
        for one in (owner, owner.rpartition(".")[0]):
            try:
                model._init_weights(model.get_submodule(one))
            except Exception:  # its other weights take no memory, and cannot be filled
                continue
        table = getattr(module, own)
    rows = table.detach().double().reshape(-1, table.shape[-1])
    rows = rows[rows.abs().sum(-1) > 0]
    squares = (rows**2).sum(-1) / rows.shape[-1]
    return "sinusoidal" if len(rows) and bool(((squares - 0.5).abs() < 1e-3).all()) else "learned"


def grouped(layers: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Layers that are alike, once, with which they are."""
    groups: dict[str, list[int]] = {}
    for i, one in enumerate(layers):
        groups.setdefault(json.dumps(one), []).append(i)
    return [{"which": runs_of(which)} | json.loads(one) for one, which in groups.items()]


def runs_of(which: Sequence[int]) -> str:
    """Numbers as ranges, with a step where it is not 1.

    >>> runs_of([0, 1, 2, 4, 10, 12, 14])
    '0-2,4,10-14:2'
    """
    found, i = [], 0
    while i < len(which):
        step = which[i + 1] - which[i] if i + 1 < len(which) else 1
        last = i
        while last + 1 < len(which) and which[last + 1] - which[last] == step:
            last += 1
        if last == i or (step > 1 and last < i + 2):
            last = i
        run = f"{which[i]}-{which[last]}" if last > i else f"{which[i]}"
        found.append(run if step == 1 or last == i else f"{run}:{step}")
        i = last + 1
    return ",".join(found)


def of_type(model_type: str) -> dict[str, Any]:
    """What the record says of a type."""
    try:
        config = CONFIG_MAPPING[model_type].from_dict(silent(model_type))
    except Exception as error:  # whatever a class raises
        return not_run(reason(error, "no config from its defaults"), error)
    signal.signal(signal.SIGALRM, out_of_time)
    signal.alarm(SECONDS)
    try:
        found = parts_of(config)
        own = {name: part for name, part in found.items() if not isinstance(part, str)}
        read(
            json.dumps({"transformers": "", "date": "", "types": {model_type: {"parts": own}}}), "the census"
        )
        return {"parts": found}
    except OutOfTime:
        return {"not_run": "takes too long"}
    except Exception as error:  # whatever a class raises
        return not_run(reason(error), error)
    finally:
        signal.alarm(0)


def reason(error: Exception, else_: str = "stops when it is run") -> str:
    """Why something was not run, as one of the reasons of the record."""
    if isinstance(error, ImportError) or isinstance(error.__cause__, ImportError):
        return "asks for a library"
    known = {
        NoClass: "no class of models for its config",
        Unbuilt: "its class cannot be built from its defaults",
        NotMade: "its input is not made here",
        Nothing: "no layers that attend",
    }
    return known.get(type(error), else_)


class OutOfTime(BaseException):
    """A type that takes too long: nothing that catches what a model raises catches it."""


def out_of_time(*_: Any) -> None:
    raise OutOfTime


def not_run(reason: str, error: Exception) -> dict[str, Any]:
    said = " ".join(str(error).split())
    return {"not_run": reason} | ({"error": said[:SHORT]} if said else {})


def quietly() -> None:
    """What classes print while they are built is theirs."""
    torch.set_num_threads(1)
    logging.disable(logging.CRITICAL)
    transformers.logging.set_verbosity_error()
    warnings.simplefilter("ignore")


def of_all(names: Sequence[str] = (), workers: int = 2) -> dict[str, dict[str, Any]]:
    """Of every type, or of those named and of what they have as a part."""
    missing = [*(names or sorted(CONFIG_MAPPING_NAMES))]
    types: dict[str, dict[str, Any]] = {}
    spawned = multiprocessing.get_context("spawn")
    with spawned.Pool(workers, quietly, maxtasksperchild=100) as pool:
        while missing:
            types |= zip(missing, pool.imap(of_type, missing), strict=True)
            parts = {str(part) for one in types.values() for part in one.get("parts", {}).values()}
            missing = sorted(parts & CONFIG_MAPPING_NAMES.keys() - types.keys())
    return settled(types)


def settled(types: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Where a part is that of a type that was not run, this is said; of such alone a model was not run."""
    for one in types.values():
        parts = one.get("parts", {})
        gone = {name: types.get(part, {}) for name, part in parts.items() if isinstance(part, str)}
        gone = {name: other for name, other in gone.items() if "parts" not in other}
        parts |= {name: {"not_seen": other.get("not_run", "was not run")} for name, other in gone.items()}
        if parts and all("not_seen" in part for part in parts.values()):
            del one["parts"]
            one |= next(iter(gone.values()), {}) or {"not_run": "stops when it is run"}
    return types


def written(types: dict[str, dict[str, Any]]) -> str:
    """The record: a line for each type."""
    lines = ",\n".join(
        f'"{name}": {json.dumps(one, separators=(",", ":"))}' for name, one in sorted(types.items())
    )
    head = json.dumps({"transformers": transformers.__version__, "date": date.today().isoformat()})
    return f'{head[:-1]}, "types": {{\n{lines}\n}}}}\n'


def changes(before: dict[str, Any], after: dict[str, Any]) -> Iterator[str]:
    """What is another between two records, a line for each type."""
    for name in sorted(before.keys() | after.keys()):
        if name not in before:
            yield f"new: {name}, {after[name].get('not_run') or ', '.join(after[name]['parts'])}"
        elif name not in after:
            yield f"gone: {name}"
        elif before[name] != after[name]:
            yield f"changed: {name}: {' | '.join(dict.fromkeys(apart(before[name], after[name])))}"[:LINE]


def apart(before: Any, after: Any, where: str = "") -> Iterator[str]:
    """Where two values differ."""
    if isinstance(before, dict) and isinstance(after, dict):
        for key in dict.fromkeys([*before, *after]):
            yield from apart(before.get(key), after.get(key), f"{where} {key}")
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for one, other in zip(before, after, strict=True):
            yield from apart(one, other, where)
    elif before != after:
        yield f"{where.strip()} {before} -> {after}"


def main(names: list[str]) -> None:
    """Take the census, or that of some types, which is printed."""
    begun = time.monotonic()
    if names:
        for name, one in of_all(names, 1).items():
            sys.stdout.write(f"{name}: {json.dumps(one)}\n")
        return
    before = json.loads(RECORD.read_text(encoding="utf-8"))["types"] if RECORD.exists() else {}
    found = of_all()
    text = written(found)
    census = read(text, RECORD.name)
    RECORD.write_text(text, encoding="utf-8")
    for line in changes(before, found):
        sys.stdout.write(f"{line}\n")
    seconds = time.monotonic() - begun
    sys.stdout.write(f"{census.transformers}: {len(found)} types in {seconds:.0f} s\n")
    sys.stdout.write(f"{census.by_class()}\n{census.by_reason()}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
