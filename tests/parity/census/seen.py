"""A model as it runs: what attention receives in each list of layers, and what is looked up by place."""

import copy
import inspect
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, partial
from itertools import product
from types import MappingProxyType
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np
import torch
from torch import nn
from transformers import AutoModel

from tests.parity.census import inputs, kinds
from tests.parity.classes.built import OURS, Unbuilt, Watch, bare, classes_of, passed_on

SCORING = re.compile(
    "Attention|Attn|MLA$|Mixer|Mamba|DeltaNet|Kda|Rglru|Rwkv|xLSTM|mLSTM|ShortConv|Recurrent"
)
FEW_ROWS = 64  # of a table of sines, which is filled row by row
LEAST_WIDTH = 4  # of a head: narrower products are of positions and frequencies
MOST_CLASSES = 4
ADDS = {torch.add, torch.Tensor.add, torch.Tensor.add_, torch.Tensor.__add__, torch.Tensor.__iadd__}
Place = tuple[str, int]


class Scored(NamedTuple):
    """What attention received in one layer: rows of its first head."""

    query: np.ndarray
    key: np.ndarray
    window: int | None
    sink: bool = False
    biased: bool = False
    compressed: bool = False


class Indexed(NamedTuple):
    """A table that was asked for rows."""

    name: str
    place: Any
    """The layer that asked, None outside layers."""
    rows: int
    asked: np.ndarray


class Witness(Watch):
    """Keeps what attention is given, by list and layer, and which rows of which tables are asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.scored: dict[Place, Scored] = {}
        self.calls: Counter[Place] = Counter()
        self.order: dict[Place, None] = {}
        self.held: dict[int, tuple[str, torch.Tensor]] = {}
        self.names: dict[int, str] = {}
        self.indexed: list[Indexed] = []
        self.used: dict[str, None] = {}
        self.extra: dict[str, Any] = {}
        self.alibi: set[str] = set()
        self.instead: torch.Tensor | None = None
        """Positions that a model finds where it counts its tokens."""
        self.before_layers = False
        self.of_text = False
        """Whether each token has a key, and is told its position."""

    def enter(self, place: Place) -> None:
        if self.before_layers:
            raise Reached
        self.layer = place
        self.calls[place] += 1

    def leave(self) -> None:
        self.layer = None

    def forget(self) -> dict[Place, Scored]:
        """What was seen since the last time."""
        found, self.scored, self.seen, self.handed = self.scored, {}, {}, set()
        return found

    def __torch_function__(self, function, types, args=(), kwargs=None):
        if function is torch.arange and self.instead is not None and args[-1:] == (len(self.instead),):
            return self.instead
        for one in args[:2]:
            if isinstance(one, torch.Tensor) and id(one) in self.held:
                name, table = self.held[id(one)]
                self.used[name] = None
                self.look_up(name, table.shape[-2], args[1:])
        if function is torch.functional.einsum and self.layer not in self.scored:
            self.note_product(*args)
        if function is nn.functional.multi_head_attention_forward and self.layer not in self.scored:
            self.note(*[torch.zeros(2, LEAST_WIDTH)[None]] * 2, None)  # nothing turns within it
        if function is torch.Tensor.baddbmm and self.layer is not None and (kwargs or {}).get("beta"):
            self.add(args[0])
            self.note(kwargs["batch1"], kwargs["batch2"].mT, None)
        if function in ADDS and self.layer in self.scored:
            n = len(self.scored[self.layer].key)
            if [getattr(one, "shape", ())[-2:] for one in args[:2]].count((n, n)):
                self.add(args[0]), self.add(args[1])
        return super().__torch_function__(function, types, args, kwargs)

    def note_product(self, equation: Any, *operands: Any) -> None:
        """Notice queries and keys in a product written with letters: one is summed over, two end it."""
        operands = operands[0] if len(operands) == 1 else operands
        found = re.fullmatch(r"(\w+),(\w+)->\w*(\w)(\w)", str(equation).replace(" ", ""))
        if not found or len(operands) != 2:
            return
        rows = []
        for letters, other, row in zip(
            found.groups()[:2], found.groups()[1::-1], found.groups()[2:], strict=True
        ):
            summed = [one for one in letters if one in other and one not in equation.partition("->")[2]]
            if len(summed) != 1 or row not in letters:
                return
            rows.append(operands[len(rows)].movedim((letters.index(row), letters.index(summed[0])), (-2, -1)))
        self.note(*rows, None)

    def add(self, bias: Any) -> None:
        """Notice what is added to scores where it falls by the same step from key to key, as in ALiBi."""
        if (
            isinstance(bias, torch.Tensor)
            and bias.ndim >= 3
            and bias.shape[-1] > 2
            and bias.is_floating_point()
        ):
            row = bias.detach()[..., -1, :].reshape(-1, bias.shape[-1])[0].double()
            if row[0] == row[1]:
                return
            counted = torch.arange(len(row))
            for places in (counted, counted if self.instead is None else self.instead):
                if len(places) == len(row):
                    slopes = row.diff() / places.diff()
                    if self.layer and (slopes / slopes[0] - 1).abs().max() < 1e-4:
                        self.alibi.add(self.layer[0])

    def embed(self, module: nn.Embedding, *args: Any) -> torch.Tensor:
        """Stands for an embedding: which rows it is asked for is kept."""
        self.look_up(f"{self.names.get(id(module))}.weight", module.num_embeddings, args)
        if "Sinusoidal" in type(module).__name__:  # queries and keys may be turned by it
            return nn.functional.embedding(args[0], module.weight)
        return torch.ones(*args[0].shape, module.embedding_dim)

    def look_up(self, name: str, rows: int, args: Sequence[Any]) -> None:
        """Keep the rows that a table is asked for, where they are not one token throughout."""
        for one in args:
            if isinstance(one, torch.Tensor) and one.numel() > 1 and one.dtype in (torch.int64, torch.int32):
                values = one.detach().numpy()
                if (values != values.flat[0]).any():
                    self.indexed.append(Indexed(name, self.layer, rows, values.copy()))

    def attend(self, module, query, key, value, attention_mask=None, **kwargs):
        self.add(attention_mask)
        sinks = [one for name, one in kwargs.items() if name in ("s_aux", "sinks")]
        bias = kwargs.get("position_bias")
        self.extra = {
            "sink": any(one is not None for one in sinks),
            "biased": isinstance(bias, torch.Tensor) and bool((bias != 0).any()),
        }
        nothing = torch.ones(query.shape[0], query.shape[2], query.shape[1], value.shape[-1]), None
        if "Residual" in type(module).__name__ or self.layer in self.handed:  # over layers, or across
            return nothing
        n, merged = query.shape[-2], "Merged" in type(module).__name__
        if isinstance(attention_mask, torch.Tensor):
            attention_mask = attention_mask[..., :1] if merged else attention_mask
            attention_mask = attention_mask if ours(attention_mask) else None
        before = self.scored.pop(self.layer, None)
        self.extra["compressed"] = key.shape[-2] > n and not merged
        key = key[..., :n, :]  # summaries of tokens follow, or where they are merged the keys of an encoder
        super().attend(module, query, key, value, attention_mask, **kwargs)
        if self.layer in self.scored:
            self.handed.add(self.layer)
        elif before:
            self.scored[self.layer] = before
        self.extra = {}
        return nothing

    def note(self, query: torch.Tensor, key: torch.Tensor, window: Any, *more: Any) -> None:
        if self.layer is None or self.layer in self.scored:
            return
        (n, width), (m, of_keys) = query.shape[-2:], key.shape[-2:]
        if (
            width != of_keys
            or width < LEAST_WIDTH
            or n < 2
            or (n != m and not self.extra and (self.of_text or query.ndim != 4))
        ):
            return  # a product that is of something else
        rows = [one.detach().reshape(-1, *one.shape[-2:])[0].double().numpy().copy() for one in (query, key)]
        width = int(window) if window and 1 < window < 1e9 else None  # else it is a mask of -inf
        self.scored[self.layer] = Scored(*rows, width, **self.extra)


def ours(mask: torch.Tensor) -> bool:
    """Whether a mask is the one that is made here, of the width of a window alone."""
    return (
        mask.ndim == 4
        and mask.shape[1] == 1
        and mask.is_floating_point()
        and bool((mask == mask.flatten()[0]).all())
    )


class Reached(Exception):
    """A model that came to its first layer, where that is far enough."""


class Run(NamedTuple):
    """A model that was run, and what was seen of it."""

    model: nn.Module
    lists: dict[str, list[nn.Module]]
    main: str
    calls: Counter[Place]
    plain: Mapping[Place, Scored] = MappingProxyType({})
    """Without positions, as they are counted."""
    near: Mapping[Place, Scored] = MappingProxyType({})
    far: Mapping[Place, Scored] = MappingProxyType({})
    at: Sequence[int] = ()
    """The positions of what was seen far."""
    axes: Mapping[Place, Scored] = MappingProxyType({})
    tables: tuple[tuple[str, Any], ...] = ()
    indexed: tuple[Indexed, ...] = ()
    alibi: frozenset[str] = frozenset()
    error: str = ""


def scores(module: nn.Module) -> bool:
    """Whether a module has one that attends, or stands for attention, by its name."""
    return any(SCORING.search(type(one).__name__) for one in module.modules())


def lists_of(model: nn.Module) -> dict[str, list[nn.Module]]:
    """The lists of layers of a model by their paths: the outermost ones, of stages the ones within."""
    found: dict[str, list[nn.Module]] = {}

    def staged(element: nn.Module) -> bool:
        lists = (list(one) for one in element.modules() if isinstance(one, nn.ModuleList | nn.Sequential))
        blocks = ([type(one) for one in inner if any(map(scores, one.children()))] for inner in lists)
        return any(len(inner) > len(set(inner)) for inner in blocks)

    def walk(module: nn.Module, path: str) -> None:
        for name, child in module.named_children():
            here = f"{path}.{name}" if path else name
            elements = list(child) if isinstance(child, nn.ModuleList | nn.Sequential) else []
            if any(map(scores, elements)) and not any(map(staged, elements)):
                found[here] = elements
            else:
                walk(child, here)

    walk(model, "")
    if found:
        return found
    lists = {
        name: list(one)
        for name, one in model.named_modules()
        if isinstance(one, nn.ModuleList | nn.Sequential)
    }
    convolving = {name: one for name, one in lists.items() if one and all(map(kinds.convolves, one))}
    return {
        name: one
        for name, one in convolving.items()
        if not any(name.startswith(f"{other}.") for other in convolving)
    }


def models_for(config: Any) -> list[type]:
    """The classes that take a config and an input of some kind, those first that do no more than run it."""
    try:
        found = classes_of(config, frozenset(inputs.MAIN)) or beside(type(config))
    except ModuleNotFoundError:
        found = []
    mapped = AutoModel._model_mapping.get(type(config), None)  # its class may stand in another type's module
    mapped = list(mapped) if isinstance(mapped, tuple) else [mapped] if mapped else []
    return list(dict.fromkeys([*(one for one in found if one in mapped), *found, *mapped]))[:MOST_CLASSES]


def beside(config_class: type) -> list[type]:
    """The classes of models for a config that stand in another file of its folder."""
    folder = f"{config_class.__module__.rpartition('.')[0]}."
    files = [module for name, module in [*sys.modules.items()] if name.startswith(folder)]
    named = {one for file in files for one in vars(file).values() if isinstance(one, type)}
    fitting = [one for one in named if getattr(one, "config_class", None) is config_class]
    return sorted((one for one in fitting if issubclass(one, nn.Module)), key=lambda one: one.__name__)


def ran(config: Any, far: Sequence[int]) -> Run:
    """A model of a config that was run; refused with the last error where nothing was seen."""
    failed: Exception | None = None
    best: Run | None = None
    for cls in models_for(config):
        for way in (OURS, "eager"):
            try:
                for one in runs(cls, copy.deepcopy(config), way, far):
                    if complete(one):
                        return one
                    best = max(filter(None, (best, one)), key=lambda run: len(run.plain) + len(run.near))
            except Unbuilt as error:
                failed = failed or error
            except inputs.NotMade as error:
                failed = error
    if best is None:
        raise failed or NoClass("transformers names none")
    return best


class NoClass(Exception):
    """A config that no model is built from by itself."""


class Stopped(Exception):
    """A model that stopped before anything was seen."""


def complete(run: Run) -> bool:
    """Whether every layer of some list was reached, and its scores were seen or its names tell what moves."""
    return any(
        all(
            run.calls[name, i] and ((name, i) in run.plain or (name, i) in run.near or not scores(layer)
            or kinds.moving(layer)[0])
            for i, layer in enumerate(layers)
        )
        for name, layers in run.lists.items()
    )  # fmt: skip


def runs(cls: type, config: Any, way: str, far: Sequence[int]) -> Iterator[Run]:
    """A class run with one input after the other, and with norms and the like left out in several ways."""
    watch = Witness()
    watch.of_text = inputs.takes_places(cls)

    def embed(module: nn.Embedding, *args: Any) -> torch.Tensor:
        return watch.embed(module, *args)

    with bare(cls, config, way, watch, kept="Rotary") as model, patch.object(nn.Embedding, "forward", embed):
        lists = lists_of(model)
        watch.names = {id(module): name for name, module in model.named_modules()}
        for name, layers in lists.items():
            for i, layer in enumerate(layers):
                layer.register_forward_pre_hook(lambda *_, at=(name, i): watch.enter(at))
                layer.register_forward_hook(lambda *_: watch.leave())
        tables = tuple(kinds.tables(model))
        watch.held = {id(one): (name, one) for name, one in tables}
        for module in model.modules():
            if isinstance(module, nn.Embedding) and "Sinusoidal" in type(module).__name__:
                module.weight = nn.Parameter(torch.zeros(FEW_ROWS, module.embedding_dim), requires_grad=False)
                model._init_weights(module)
        left = [one for layers in lists.values() for layer in layers for one in kinds.left_out(layer)]
        ways = product((True, False), (*inputs.given(cls, config), *inputs.given(cls, config, more=True)))
        for leaving, given in ways:
            for module in left:
                if leaving:
                    module.forward = partial(passed_on, kinds.returned(type(module)))
                else:  # what is left out may have been needed
                    vars(module).pop("forward", None)
            for kept in (watch.calls, watch.used):
                kept.clear()
            first = Run(
                model,
                lists,
                next((name for name in ("grid_thw", *inputs.MAIN) if name in given), ""),
                watch.calls,
            )
            run = told(first, watch, given, cls, far)
            watch.before_layers = len(lists) == 1 and complete(run)  # tables are looked up before
            watch.indexed.clear()
            error = called(model, watch, given)
            watch.before_layers = False
            used = tuple((name, one) for name, one in tables if name in watch.used)
            yield run._replace(
                plain=watch.forget(), calls=Counter(watch.calls), tables=used, indexed=tuple(watch.indexed),
                alibi=frozenset(watch.alibi), error=error,
            )  # fmt: skip


def told(run: Run, watch: Witness, given: dict[str, Any], cls: type, far: Sequence[int]) -> Run:
    """The same, run at positions that it is told, where its class takes them."""
    if not inputs.takes_places(cls):
        return run
    n, settings = len(inputs.POSITIONS), str(run.model.config.to_dict())
    by_length = "dynamic" in settings or "longrope" in settings  # frequencies depend on the longest position
    for at in [inputs.POSITIONS, far] if by_length else [(*inputs.POSITIONS, *far)]:
        for instead in (torch.tensor(at), None):
            watch.instead = instead
            called(run.model, watch, given | at_places(torch.tensor([at])))
            watch.instead = None
            if watch.scored:
                break  # else it counts where it looks into what is shorter
        run = run._replace(far=watch.forget(), at=at)
        if not run.near:
            run = run._replace(near={
                place: one._replace(query=one.query[:n], key=one.key[:n]) for place, one in run.far.items()
            })  # fmt: skip
    if by_sections(cls.__module__):
        axes = not called(run.model, watch, given | at_places(inputs.axes()))
        found = watch.forget()
        run = run._replace(axes=found if axes else {})
    return run


@cache
def by_sections(module: str) -> bool:
    """Whether a module speaks of sections: of pairs that turn by another axis each."""
    return "section" in inspect.getsource(sys.modules[module])


def at_places(places: torch.Tensor) -> dict[str, torch.Tensor]:
    return {"position_ids": places, "input_ids": torch.full((1, places.shape[-1]), inputs.A_TOKEN)}


def called(model: nn.Module, watch: Witness, given: dict[str, Any]) -> str:
    """Run a model; the error, in a few words, where it stops."""
    watch.leave()
    try:
        with watch:
            model(**given)
    except Exception as error:  # whatever a class raises: what was seen before counts
        watch.leave()
        return f"{type(error).__name__}: {error}".split("\n")[0][:120]
    return ""
