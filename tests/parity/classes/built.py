"""A model of transformers as it is built from a config, without its weights: what its attention receives.

Large arrays are never made, norms change nothing, and projections give a staircase over their columns. So the
order of columns can be read at position 0, and whatever differs elsewhere was done by the rotation.
"""

import copy
import importlib
import inspect
import json
import re
from collections.abc import Iterator, Set
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import product
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np
import torch
import transformers
from torch import nn
from torch.overrides import TorchFunctionMode
from transformers.masking_utils import ALL_MASK_ATTENTION_FUNCTIONS
from transformers.modeling_utils import ALL_ATTENTION_FUNCTIONS
from transformers.models.auto.configuration_auto import CONFIG_MAPPING
from transformers.models.auto.modeling_auto import MODEL_MAPPING

POSITIONS = (0, 1, 3, 50, 400)
STEP = 1 / 1024  # from one column of a projection to the next
MOST_ENTRIES = 2**18  # an array of more is not made
OURS = "without_weights"
TEXT = frozenset({"input_ids", "args"})
MAKERS = {torch.empty, torch.zeros, torch.ones, torch.randn, torch.rand, torch.full}
SCORES = {torch.matmul, torch.Tensor.matmul, torch.Tensor.__matmul__, torch.bmm, torch.Tensor.baddbmm,
          torch.baddbmm, nn.functional.scaled_dot_product_attention}  # fmt: skip
# which of the modules that are left out return two things, tried one after the other
NONE, NO_NORM, NO_MLP = re.compile("(?!)"), re.compile("^(?!.*Norm)"), re.compile("^(?!.*(Norm|MLP|Mlp))")
MIXERS = re.compile("Attention|DeltaNet|Mamba|Mixer")
# inside of these nothing is left out, where a class does not run without them
HELPERS = re.compile("HyperConnection|Compressor|Indexer")
WAYS = [*product((NONE,), (NONE, NO_NORM, NO_MLP, MIXERS)), *product((HELPERS,), (NONE, MIXERS))]
ATTENTION = re.compile("Attention|Attn|Layer$|Block$|MLA$")
EXPERTS = re.compile("(Moe|MoE|MOE)(Block|Layer)$")
STEM = re.compile("(Decoder|Encoder)?(Layer|Block)$")
NO_SCORES = re.compile("LinearAtt|DeltaAtt")
PASSED_ON = re.compile(
    "Norm|MLP|Mlp|Moe|MoE|MOE|FeedForward|FFN|Experts|Mamba|DeltaNet|LinearAttention|LightningAttention|"
    "ShortConv|Conv1d|Mixer|Indexer|Router|Recurrent|Gate$|Kda|KDA|DeltaAttention"
)


class Received(NamedTuple):
    """What the attention of one layer received: of its first head a row for each position, and the window."""

    query: np.ndarray
    key: np.ndarray
    window: int | None
    on_scores: float | None = None
    """What it multiplies scores by, where the class hands it on."""
    sink: bool | None = None
    """Whether it has a logit of no token, where the class hands it on."""


class _Large(TorchFunctionMode):
    """No large array is made: it has a shape alone."""

    def __torch_function__(self, function, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if function in MAKERS and "device" not in kwargs:
            shape = kwargs.get("size", args[0] if args and not isinstance(args[0], int) else args)
            if np.prod([float(one) for one in shape if isinstance(one, int)] or [1.0]) > MOST_ENTRIES:
                kwargs["device"] = "meta"
        return function(*args, **kwargs)


class Watch(TorchFunctionMode):
    """Keeps, for each layer that runs, what its attention was given first."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: dict[int, Received] = {}
        self.layer: Any = None  # its number; to the census the list that it stands in, too
        self.handed: set[Any] = set()  # layers whose attention handed it on; a product may be another's

    def __torch_function__(self, function, types, args=(), kwargs=None):
        if function in SCORES and self.layer is not None and self.layer not in self.seen:
            both = [one for one in args if isinstance(one, torch.Tensor)][-2:]
            if len(both) == 2 and all(one.ndim >= 3 for one in both):
                query, key = args[:2] if "scaled" in function.__name__ else (both[0], both[1].mT)
                self.note(query, key, None)
        return function(*args, **(kwargs or {}))

    def note(self, query: torch.Tensor, key: torch.Tensor, window: Any, *more: Any) -> None:
        if self.layer is None or (self.layer in self.seen and (not more or self.layer in self.handed)):
            return
        rows, n = [], len(POSITIONS)
        for one in (query, key):
            axis = next((axis for axis in (-2, -3) if one.shape[axis] == n), None)
            if axis is None:
                return
            rows.append(one.detach().movedim(axis, -2).reshape(-1, n, one.shape[-1])[0].double().numpy())
        if rows[0].shape == rows[1].shape:
            self.handed |= {self.layer} if more else set()
            self.seen[self.layer] = Received(
                rows[0].copy(), rows[1].copy(), int(window) if window else None, *more
            )

    def attend(self, module, query, key, value, attention_mask=None, **kwargs):
        """Stands for the attention of a model; that of a residual stream is over layers, not over tokens."""
        if "Residual" in type(module).__name__:
            return torch.ones(query.shape[0], query.shape[2], query.shape[1], value.shape[-1]), None
        window = kwargs.get("sliding_window")
        if not window and isinstance(attention_mask, torch.Tensor) and attention_mask.ndim == 4:
            window = int(attention_mask.flatten()[0])
        key = key[..., : query.shape[-2], :]  # summaries of tokens may follow
        sink = any(kwargs.get(name) is not None for name in ("s_aux", "sinks"))
        self.note(query, key, window, kwargs.get("scaling"), sink)
        return torch.ones(query.shape[0], query.shape[2], query.shape[1], value.shape[-1]), None


def mask(batch_size, q_length, kv_length, local_size=None, **kwargs):
    """A mask that is made of the width of its window."""
    return torch.full((batch_size, 1, int(q_length), int(kv_length)), float(local_size or 0))


def config_of(values: dict[str, Any]) -> Any:
    """The config object that transformers makes of a dictionary."""
    config = CONFIG_MAPPING[values["model_type"]].from_dict(json.loads(json.dumps(values)))
    text = config.get_text_config(decoder=True)
    return config if type(text) is type(config) else text  # it would say of an encoder what its decoder has


def classes_of(config: Any, inputs: Set[str] = TEXT) -> list[type]:
    """The classes of models for a config that take one of these inputs, those first that do no more.

    Of text the decoder where no class names the config as its own: T5Gemma has one for each half of a model.
    """
    try:
        module = importlib.import_module(type(config).__module__.replace("configuration_", "modeling_"))
    except ModuleNotFoundError:  # a config of its own for the code of another type
        return [MODEL_MAPPING[type(config)]]
    fitting = [
        one
        for one in vars(module).values()
        if isinstance(one, type) and issubclass(one, transformers.PreTrainedModel)
        and one.__module__ == module.__name__ and getattr(one, "config_class", None) is type(config)
        and "PreTrained" not in one.__name__ and takes_of(one) & inputs
    ]  # fmt: skip
    endings = ("TextModel", "Model", "Decoder", "Encoder", "ForCausalLM", "")
    ranked = [one for ending in endings for one in fitting if one.__name__.endswith(ending)]
    half = type(config).__name__.partition("ModuleConfig")
    if inputs is TEXT and half[1] and not ranked:
        return [getattr(module, f"{half[0]}Decoder")]
    return list(dict.fromkeys(ranked))


def takes_of(cls: type) -> set[str]:
    """What a model is called with."""
    return set(inspect.signature(cls.forward).parameters)


def _stairs(self, x):
    columns = getattr(self, "out_features", None) or self.nf
    return (1 + STEP * torch.arange(columns)).expand(*x.shape[:-1], columns).contiguous()


def _embedded(self, ids):
    return torch.ones(*ids.shape, self.embedding_dim)


def passed_on(times: int, x: Any = None, *args: Any, **kwargs: Any) -> Any:
    """Stands for a module that is left out: it returns what it is given, as often as it returns things."""
    x = next(iter(kwargs.values())) if x is None else x
    return x if times == 1 else (x,) * times


def passes_on(kind: str) -> bool:
    """Whether a class of modules is left out: norms, and what computes no scores of queries and keys."""
    scores = ATTENTION.search(kind) and not EXPERTS.search(kind) and not NO_SCORES.search(kind)
    return bool(PASSED_ON.search(kind)) and ("Norm" in kind or not scores)


@contextmanager
def light() -> Iterator[None]:
    """Within it a model is built and run without weights."""
    nothing = {"reset_parameters": lambda self: None}
    changes = [
        (transformers.PreTrainedModel, {"init_weights": lambda self: None}),
        (nn.Linear, nothing),
        (nn.Embedding, {"forward": _embedded, **nothing}),
    ]
    with ExitStack() as stack:
        for owner, methods in changes:
            for name, method in methods.items():
                stack.enter_context(patch.object(owner, name, method))
        stack.enter_context(torch.no_grad())
        yield


class Unbuilt(Exception):
    """A class that cannot be built from a config, however its layers are called."""


# the way in which a class ran before is tried first
_WORKED: dict[type, tuple[str, tuple[re.Pattern[str], ...]]] = {}


def received(values: dict[str, Any]) -> tuple[int, dict[int, Received]]:
    """How many layers a config makes, and what the attention of each received."""
    config, failed = config_of(values), LookupError("transformers has no model for this config")
    for cls in classes_of(config)[:3]:
        ways, unbuilt = product((OURS, "eager"), WAYS), set()
        for way in sorted(ways, key=lambda one: one != _WORKED.get(cls)):
            if way[0] in unbuilt:
                continue
            try:
                found = _received(cls, copy.deepcopy(config), *way)
            except Unbuilt as error:
                failed = error
                unbuilt.add(way[0])
            except Exception as error:  # whatever a class raises, the next way is tried
                failed = error
            else:
                _WORKED[cls] = way
                return found
    raise failed


def _received(
    cls: type, config: Any, way: str, out: tuple[re.Pattern[str], ...]
) -> tuple[int, dict[int, Received]]:
    watch, (whole, pair) = Watch(), out
    with bare(cls, config, way, watch) as model:
        layers = layers_of(model, config)
        for i, layer in enumerate(layers):
            stem = STEM.sub("", type(layer).__name__)  # a model may itself be called linear
            named = layer.named_modules()
            kinds = {name: type(module).__name__.removeprefix(stem) for name, module in named}
            kept = tuple(name for name, kind in kinds.items() if whole.search(kind))
            for name, module in layer.named_modules():
                kind = kinds[name]
                if name and passes_on(kind) and not name.startswith(kept):
                    module.forward = partial(passed_on, 2 if pair.search(kind) else 1)
            layer.register_forward_pre_hook(lambda *_, i=i: setattr(watch, "layer", i))
            layer.register_forward_hook(lambda *_: setattr(watch, "layer", None))
        given = {
            "input_ids": torch.zeros(1, len(POSITIONS), dtype=torch.long),
            "position_ids": torch.tensor([POSITIONS]), "use_cache": False,
        }  # fmt: skip
        takes = takes_of(cls)
        given = {name: one for name, one in given.items() if name in takes or "kwargs" in takes}
        with watch:
            try:
                model(**given)
            except ValueError as error:
                if "encoder_hidden_states" not in str(error):
                    raise
                read = torch.ones(1, len(POSITIONS), config.hidden_size)
                model(**given, encoder_hidden_states=read)
    runs = config.num_hidden_layers if hasattr(config, "num_hidden_groups") else len(layers)  # ALBERT: again
    return runs, watch.seen


@contextmanager
def bare(cls: type, config: Any, way: str, watch: Watch, kept: str = "(?!)") -> Iterator[nn.Module]:
    """A model without weights whose projections give stairs, to be run within; `watch` stands for attention.

    Parameters are 1, but for those of modules whose class is called like `kept`.
    """
    ALL_ATTENTION_FUNCTIONS.register(OURS, watch.attend)
    ALL_MASK_ATTENTION_FUNCTIONS.register(OURS, mask)
    with light():
        # of the class, which may have its own, and of the models within it
        both = [patch.object(one, "_check_and_adjust_attn_implementation", lambda self, *a, **k: way)
                for one in (transformers.PreTrainedModel, cls)]  # fmt: skip
        with _Large(), both[0], both[1]:
            config._attn_implementation_internal = way
            try:
                model = cls(config).eval()
            except Exception as error:
                raise Unbuilt(f"{cls.__name__}: {error}") from error
        for module in model.modules():
            if isinstance(module, (nn.Linear, transformers.pytorch_utils.Conv1D)):
                module.forward = partial(_stairs, module)
            if re.search(kept, type(module).__name__):
                continue
            for held in (module._parameters, module._buffers):
                for name, one in held.items():
                    if one is not None and (one.is_meta or isinstance(one, nn.Parameter)):
                        ones = torch.ones((), dtype=one.dtype).expand(one.shape)
                        held[name] = nn.Parameter(ones, False) if isinstance(one, nn.Parameter) else ones
        yield model


def layers_of(model: nn.Module, config: Any) -> list[nn.Module]:
    """The layers of a model: the list that is as long as the config says, else the longest."""
    lists = [list(one) for one in model.modules() if isinstance(one, nn.ModuleList)]
    count = getattr(config, "num_hidden_layers", None)
    return next((one for one in lists if len(one) == count), None) or max(lists, key=len)
