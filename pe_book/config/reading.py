r"""What a model's config says about position: one record for each layer, and what was read to get it.

A config is a dictionary of settings that stands beside the weights. Which columns of a head turn, which of
them form pairs, at which frequencies, in which layers: some of it is in the config, some in the code that is
chosen by ``model_type``. :func:`rotary_from_config` puts both together.
"""

import json
from collections.abc import Mapping
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from pe_book.config.classes import MODELS, Kind, Model
from pe_book.config.keys import BESIDE, LENGTHS, POSITIONAL, Keys, even, flag, part_of, whole
from pe_book.config.layers import Attention
from pe_book.config.records import LayerRotary, Reading
from pe_book.config.scaling import Scaling, scaled, scaling_of
from pe_book.config.widths import slice_of_head
from pe_book.inputs.checking import whole_number
from pe_book.inputs.wording import shown
from pe_book.sinusoidal.formula import frequencies as ladder_of

SHARE = "partial_rotary_factor"
DOORS = "family/doors.html#sec-doors-top"  # where layers are explained that do not turn
MOST_LAYERS = 10_000  # a config of more is a mistake, and would take long


def rotary_from_config(
    config: str | PathLike[str] | Mapping[str, Any], *, length: int | None = None
) -> tuple[LayerRotary, ...]:
    """One record for each layer of a model, from its ``config.json``.

    Parameters
    ----------
    config
        A path, or the dictionary itself. Nothing is downloaded and no code of the model is run.
    length
        How many tokens are read, for scalings that depend on it (dynamic, LongRoPE). The trained length if
        not given.

    Returns
    -------
    tuple of LayerRotary

    Raises
    ------
    ValueError
        If the file is no config, or lacks what the width of a head is computed from.

    Examples
    --------
    >>> import pe_book as pe
    >>> llama = {"model_type": "llama", "head_dim": 128, "num_hidden_layers": 2}
    >>> first, _ = pe.rotary_from_config(llama)
    >>> first.rotary_dim, first.layout, first.frequencies[:2].round(4).tolist()
    (128, 'halves', [1.0, 0.866])

    See Also
    --------
    read_config : the same with what was used, defaulted and ignored.
    """
    return read_config(config, length=length).records


def read_config(config: str | PathLike[str] | Mapping[str, Any], *, length: int | None = None) -> Reading:
    """The records of :func:`rotary_from_config`, and which keys were used, defaulted and ignored.

    Parameters
    ----------
    config, length
        As for :func:`rotary_from_config`.

    Returns
    -------
    Reading

    Examples
    --------
    >>> reading = read_config({"model_type": "gpt2", "n_layer": 1, "n_positions": 1024})
    >>> reading.records[0].kind, reading.max_len
    ('learned', 1024)
    """
    whole_config = loaded(config)
    if length is not None:
        length = whole_number(length, "length", least=1)
    values, outside = of_the_text(whole_config)
    named = [str(one.get("model_type") or "") for one in (values, whole_config)]
    name = next((one for one in named if one in MODELS), named[1])
    model = MODELS.get(name, Model())
    keys = Keys(values, assumed=model.assumed)
    keys.note("model_type", "text_config", *model.beside, *model.uncomputed)
    layers = layers_of(keys)
    max_len = keys.take(*LENGTHS, *model.lengths, check=whole)
    if values.get("original_max_position_embeddings") == max_len:
        keys.note("original_max_position_embeddings")
    kind = kind_of(keys, model)
    scalings: tuple[Scaling, ...] = ()
    if kind == "rotary":
        records, scalings = turned_layers(keys, model, layers, max_len, length, known=name in MODELS)
    else:
        keys.note("position_embedding_type")
        records = tuple(LayerRotary(i, kind, "full", page=DOORS) for i in range(layers))
    used, defaulted, ignored = keys.used, keys.defaulted, keys.left()
    for scaling in scalings:
        used, defaulted = used | scaling.keys.used, defaulted | scaling.keys.defaulted
        ignored = [*ignored, *scaling.keys.left()]
    known = name in MODELS
    return Reading(records, name, known, max_len, used, defaulted, ignored, scalings, values, outside)


def of_the_text(config: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The settings of a model that reads text, and those on position beside them, where nothing looks.

    >>> of_the_text({"vision_config": {}, "rope_theta": 7, "text_config": {"head_dim": 8}})
    ({'vision_config': {}, 'text_config': {'head_dim': 8}, 'head_dim': 8}, {'rope_theta': 7})
    """
    text = config.get("text_config")
    if not isinstance(text, Mapping):
        return dict(config), {}
    beside = {name for name in config if POSITIONAL.search(name) and name not in BESIDE}
    values = {name: value for name, value in config.items() if name not in beside} | dict(text)
    outside = {name: config[name] for name in beside if config[name] not in (None, text.get(name))}
    return values, outside


def loaded(config: str | PathLike[str] | Mapping[str, Any]) -> Mapping[str, Any]:
    """A config as a dictionary, from a path or as it is.

    >>> loaded({"model_type": "llama"})
    {'model_type': 'llama'}
    """
    if isinstance(config, Mapping):
        return config
    if not isinstance(config, str | PathLike):
        raise TypeError(f"config must be a path or a dictionary, got {shown(config)}")
    try:
        values = json.loads(Path(config).read_text(encoding="utf-8"))
    except OSError as error:
        raise ValueError(
            f"config must name a file that can be read, got {str(config)!r}: {error.strerror}"
        ) from None
    except (ValueError, RecursionError) as error:
        raise ValueError(f"config must be a JSON file, got {str(config)!r}: {error}") from None
    if not isinstance(values, Mapping):
        raise ValueError(f"config must be a JSON object of settings, got {shown(values)}")
    return values


def kind_of(keys: Keys, model: Model) -> Kind:
    """What the model has for position: a model that can have both says so in a key.

    >>> kind_of(Keys({"alibi": True}), MODELS["falcon"]), kind_of(Keys({"alibi": False}), MODELS["falcon"])
    ('alibi', 'rotary')
    """
    block = keys.values.get("attn_config")
    keys.note("attn_config")
    if keys.take("alibi", check=flag) or (isinstance(block, Mapping) and block.get("alibi")):
        return "alibi"
    if keys.values.get("position_embedding_type") == "absolute" and model == Model():
        keys.note("position_embedding_type")
        return "learned"
    return model.kind


def layers_of(keys: Keys) -> int:
    """How many layers the config has; 1 where it does not say."""
    names = ("num_hidden_layers", "n_layer", "n_layers", "num_layers")
    layers: int = keys.take(*names, check=whole, default=1)
    if layers > MOST_LAYERS:
        raise ValueError(f"{keys.named(*names)} must be at most {MOST_LAYERS}, got {layers}")
    return layers


def turned_layers(
    keys: Keys, model: Model, layers: int, max_len: int | None, length: int | None, *, known: bool
) -> tuple[tuple[LayerRotary, ...], tuple[Scaling, ...]]:
    """The records of a model that turns, layer by layer."""
    head, turning, side = slice_of_head(keys, model.share, model.share_keys)
    layout = model.layout
    if model.layout_key and (said := keys.take(model.layout_key)) is not None:
        layout = "interleaved" if said else "halves"
    plan = model.plan(keys, layers)
    if len(plan) != layers:
        raise ValueError(f"layer_types must have an entry for each of {layers} layers, got {len(plan)}")
    window = keys.take("sliding_window", "local_attention", "attention_chunk_size", check=whole)
    scalings: dict[Attention, Scaling] = {}
    made: dict[Attention, LayerRotary] = {}
    for attention in dict.fromkeys(attention for attention, turns in plan if turns):
        scaling = scalings[attention] = scaling_of(keys, model, attention, max_len, known=known)
        width = turning
        if scaling.share is not None:
            width = even(part_of(head, scaling.share), f"the slice of {SHARE}={scaling.share:g}")
        unscaled = ladder_of(width, base=scaling.base)
        found, on_rows, on_scores = scaled(unscaled, scaling, head, length)
        if scaling.method == "proportional":
            unscaled = np.where(found > 0, ladder_of(head, base=scaling.base), 0.0)
        made[attention] = LayerRotary(
            0, "rotary", attention, None, head, 2 * found.size, side, layout, found, unscaled,
            scaling.method, on_rows, on_scores, scaling.sections, scaling.arrangement,
            ramp=scaling.options.get("ramp", ""), truncate=bool(scaling.options.get("truncate")),
        )  # fmt: skip
    if scalings and all(scaling.share is not None for scaling in scalings.values()):
        for name in model.share_keys:
            keys.defaulted.pop(name, None)  # the blocks say it
    records = []
    for i, (attention, turns) in enumerate(plan):
        wide = window if attention == "window" else None
        if turns:
            records.append(replace(made[attention], layer=i, window=wide))
        else:
            records.append(LayerRotary(i, "none", attention, wide, head, page=DOORS))
    return tuple(records), tuple(scalings.values())
