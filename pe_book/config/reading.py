r"""What a model's config says about position: one record for each layer, and what was read to get it.

A config is a dictionary of settings that stands beside the weights. Which columns of a head turn, which of
them form pairs, at which frequencies, in which layers: some of it is in the config, some in the code that is
chosen by ``model_type``. :func:`rotary_from_config` puts both together.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from pe_book.config.classes import BASES, MEASURED, MODELS, Kind, Model, class_defaults
from pe_book.config.formats import ConfigLike, loaded
from pe_book.config.formats.beside import Law, Table, said_if, tables_of, temperature_of
from pe_book.config.formats.types import types_of
from pe_book.config.keys import (
    LENGTHS,
    OF_THE_TEXT,
    POSITIONAL,
    Keys,
    even,
    flag,
    part_of,
    whole,
    zero_or_positive,
)
from pe_book.config.layers import Attention, from_types
from pe_book.config.options import dealt
from pe_book.config.records import LayerRotary, Reading, valid_len_of
from pe_book.config.scaling import Scaling, beside_kinds, scaled, scaling_of, with_alpha
from pe_book.config.widths import (
    BESIDE_SCALED,
    LAYERS,
    PATTERN_KEYS,
    SIZES,
    WINDOWS,
    head_width_of,
    slice_of_head,
    widths_by_kind,
)
from pe_book.inputs.checking import whole_number
from pe_book.inputs.wording import shown
from pe_book.sinusoidal.formula import frequencies as ladder_of

SHARE = "partial_rotary_factor"
DOORS = "family/doors.html#sec-doors-top"  # where layers are explained that do not turn
# as long as a model that names no number of layers
LISTS = {"layers_block_type": "list", "hybrid_override_pattern": "str"}
MOST_LAYERS = 10_000  # a config of more is a mistake, and would take long


def rotary_from_config(
    config: ConfigLike, *, length: int | None = None, assume: str | None = None
) -> tuple[LayerRotary, ...]:
    """One record for each layer of a model, from its ``config.json``.

    Parameters
    ----------
    config
        A path, a folder, the dictionary itself, or an object with ``to_dict``, as transformers has them.
        Nothing is downloaded and no code of the model is run.
    length
        How many tokens are read, for scalings that depend on it (dynamic, LongRoPE): the frequencies are
        those for texts of this length, and ``record.valid_len`` says up to which one they hold. The trained
        length if not given.
    assume
        The ``model_type`` whose code to assume where that of the config is not known here; without it such a
        config is refused. The records then say that they are not `known`.

    Returns
    -------
    tuple of LayerRotary

    Raises
    ------
    ValueError
        If the file is no config, its ``model_type`` is not known, or neither a key nor its class says a size.

    Examples
    --------
    >>> import pe_book as pe
    >>> llama = {"model_type": "llama", "head_dim": 128, "num_hidden_layers": 2}
    >>> first, _ = pe.rotary_from_config(llama)
    >>> first.rotary_dim, first.layout, first.frequencies[:2].round(4).tolist()
    (128, 'halves', [1.0, 0.866])

    With dynamic scaling frequencies change with the length of a text, and the record says so:

    >>> growing = llama | {"max_position_embeddings": 4096, "rope_scaling": {"type": "dynamic", "factor": 2}}
    >>> [pe.rotary_from_config(growing, length=n)[0].valid_len for n in (4096, 16384)]
    [4096, 16384]

    See Also
    --------
    read_config : the same with what was used, defaulted and ignored.
    """
    return read_config(config, length=length, assume=assume).records


def read_config(config: ConfigLike, *, length: int | None = None, assume: str | None = None) -> Reading:
    """The records of :func:`rotary_from_config`, and which keys were used, defaulted and ignored.

    >>> reading = read_config({"model_type": "gpt2", "n_layer": 1, "n_positions": 1024})
    >>> reading.records[0].kind, reading.max_len
    ('learned', 1024)
    """
    whole_config = loaded(config)
    if length is not None:
        length = whole_number(length, "length", least=1)
    values, outside = of_the_text(whole_config)
    name, read_as = types_of(whole_config, values, assume)
    model = MODELS[read_as]
    # sizes of a class that is assumed would be those of another model
    own = dict(class_defaults().get(read_as, {})) if name == read_as else {}
    unread = names_unread(model, own)
    own = {key: value for key, value in own.items() if key not in MEASURED}
    if any(values.get(block) for block in model.blocks):
        own.pop("rope_parameters", None)
    elif "rope_parameters" in own:
        values.pop("rope_parameters", None)
    beside = beside_kinds(values.get("rope_parameters"), model)
    keys = Keys({**values, **beside}, assumed={**model.assumed, **own}, unread=unread)
    keys.note("model_type", "text_config", "architectures", *model.beside, *model.uncomputed)
    layers = layers_of(keys, model.sublayers)
    max_len = keys.take(*LENGTHS, *model.lengths, check=whole)
    if values.get("original_max_position_embeddings") == max_len:
        keys.note("original_max_position_embeddings")
    tables, bias = tables_of(keys, model.tables), said_if(keys, model.bias)
    kind = kind_of(keys, model)
    if kind == "learned" and bias and not tables:
        kind = "bias"
    scalings: tuple[Scaling, ...] = ()
    if kind == "rotary":
        records, scalings = turned_layers(keys, model, layers, max_len, length)
    else:
        keys.note("position_embedding_type")
        attends: Attention = "linear" if model.moving else "full"
        records = tuple(LayerRotary(i, kind, attends, page=DOORS) for i in range(layers))
    records = beside_rotation(keys, model, records, tables, bias or ("alibi" if kind == "alibi" else ""))
    used, defaulted, ignored, slips = keys.used, keys.defaulted, keys.left(), keys.slips()
    for block in [scaling.keys for scaling in scalings]:
        used, defaulted = used | block.used, defaulted | block.defaulted
        ignored, slips = [*ignored, *block.left()], slips | block.slips()
    known = name == read_as
    if not known:
        records = tuple(replace(record, known=False) for record in records)
    if all(record.kind != "rotary" for record in records):
        scalings = ()  # they are of frequencies that are not given
    return Reading(
        records, name, known, max_len, used, defaulted, ignored, scalings, values, outside, read_as, own,
        slips, tables,
    )  # fmt: skip


def beside_rotation(
    keys: Keys, model: Model, records: tuple[LayerRotary, ...], tables: tuple[Table, ...], bias: str
) -> tuple[LayerRotary, ...]:
    """The same records with what else their layers have for position."""
    law, hotter = model.law, temperature_of(keys, model.law) if model.law else None
    return tuple(
        replace(
            one,
            bias="" if one.attention == "linear" else bias,
            tables=tables,
            temperature=hotter if law and one.attention != "linear" and in_layer(law, one) else None,
            sink=one.attention in model.sinks,
            moving=model.moving if one.attention == "linear" else "",
        )
        for one in records
    )


def in_layer(law: Law, record: LayerRotary) -> bool:
    """Whether a temperature acts in a layer."""
    met = {"all": True, "full": record.attention != "window", "still": record.kind == "none"}
    return met[law.layers]


def names_unread(model: Model, own: Mapping[str, Any]) -> frozenset[str]:
    """The names that a class does not look for, as was tried; of code that was not, those it cannot know.

    >>> sorted(names_unread(MODELS["kimi_k2"], {}))
    ['layer_types']
    """
    if "reads" not in own:  # layer_types is younger than the code of such a type
        return frozenset({"layer_types"} if model.plan is MODELS["llama"].plan else ())
    bases = {"rope_theta"} if model.base_keys == BASES else {*model.base_keys}
    bases &= {*BASES} if model.blocks else set()
    read = {*own["reads"], *bases}
    if "sliding_attention" in own.get("kinds", ()):
        read.add("sliding_window")  # layers that are listed so have this width
    return frozenset({*SIZES, *BASES, *PATTERN_KEYS, BESIDE_SCALED, "rope_ratio"}) - read


def of_the_text(config: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The settings of a model that reads text, and those on position beside them, where nothing looks.

    Sizes beside them are those of other parts, such as an encoder of sound.

    >>> of_the_text({"head_dim": 4, "rope_theta": 7, "text_config": {"num_layers": 8}})
    ({'text_config': {'num_layers': 8}, 'num_layers': 8}, {'rope_theta': 7})
    """
    text = text_within(config)
    if text is None:
        return dict(config), {}
    beside = {name for name in config if name in (*SIZES, *LENGTHS) or POSITIONAL.search(name)}
    values = {name: value for name, value in config.items() if name not in beside} | dict(text)
    pasted = sorted(beside & OF_THE_TEXT)
    outside = {name: config[name] for name in pasted if config[name] not in (None, {}, text.get(name))}
    return values, outside


def text_within(config: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The block of a config that is about text, where its type says it lies; None where there is none."""
    model = MODELS.get(str(config.get("model_type")))
    found: object = config
    for name in model.texts if model else ("text_config",):
        found = found.get(name) if isinstance(found, Mapping) else None
    return found if isinstance(found, Mapping) else None


def kind_of(keys: Keys, model: Model) -> Kind:
    """What the model has for position: a model that can have both says so in a key.

    >>> kind_of(Keys({"alibi": True}), MODELS["falcon"]), kind_of(Keys({"alibi": False}), MODELS["falcon"])
    ('alibi', 'rotary')

    Of Baichuan the width says it, as ``baichuan.py`` of vLLM and of SGLang have it: 7B turns, 13B does not.

    >>> [kind_of(Keys({"hidden_size": width}), MODELS["baichuan"]) for width in (4096, 5120)]
    ['rotary', 'alibi']
    """
    keys.note("attn_config")
    if model.turns_at:
        if (width := keys.take("hidden_size", check=whole)) is None:
            raise ValueError(
                f"hidden_size must be there: at {model.turns_at} the model turns, else it has ALiBi"
            )
        return "rotary" if width == model.turns_at else "alibi"
    return "alibi" if model.may_have_alibi and keys.take("alibi", check=flag) else model.kind


def layers_of(keys: Keys, sublayers: int = 1) -> int:
    """How many layers the config has, or its class; ``num_hidden_layers`` may count `sublayers` of each.

    >>> layers_of(Keys({"num_hidden_layers": 56}), 2), layers_of(Keys({"num_layers": 28}), 2)
    (28, 28)
    """
    layers: int | None = keys.take(*LAYERS, check=whole)
    for name in LAYERS:
        if name in keys.there and keys.has(name) and keys.values[name] != layers:
            first = next(one for one in LAYERS if one in keys.used)
            got = keys.values[name]
            raise ValueError(f"{name} must be {first}, {layers}, where both are there, got {got}")
    if layers and LAYERS[0] in {**keys.used, **keys.defaulted}:
        layers //= sublayers
    if layers is None:
        for name in sorted(LISTS, key=lambda one: one not in keys.there):
            row: Any = keys.take(name)
            if layers is None and type(row).__name__ == LISTS[name]:
                layers = len(row) or None
    if layers is None:
        where = "its text_config" if "text_config" in keys.values else "the config"
        if there := [name for name in LISTS if name in keys.there]:
            raise ValueError(f"{there[0]} must be a list of layers, got {shown(keys.values[there[0]])}")
        raise ValueError(f"{LAYERS[0]} must be there: neither {where} nor its class says how many layers")
    if layers > MOST_LAYERS:
        raise ValueError(f"{keys.named(*LAYERS)} must be at most {MOST_LAYERS}, got {layers}")
    return layers


def window_of(keys: Keys, model: Model) -> int | None:
    """How far back a layer with a window sees; a zero is none. Where it sees to both sides, half of it."""
    if model.switched and not keys.values.get("use_sliding_window"):
        keys.note("sliding_window")
        return None
    said = bool(model.two_sided_key) and keys.take(model.two_sided_key) in (True, "all")
    for name, more in model.window_keys.items():
        if keys.take(name, check=zero_or_positive):
            return whole(keys.values[name], name) + more
    for name in WINDOWS:
        if keys.take(name, check=zero_or_positive):
            width = whole(keys.values[name], name)
            half = width // 2 if said or name == "local_attention" else width  # on each side
            return half + 1 if said or model.two_sided else half
    return None


def scales(block: Mapping[str, Any]) -> bool:
    """Whether a block names a method that scales."""
    return (block.get("rope_type") or block.get("type") or "default") != "default"


def bases_by_layer(keys: Keys, model: Model, layers: int) -> list[float]:
    """For each layer its base where a list has one, 0 where it does not turn, else 1 for that of all."""
    listed = keys.take(model.listed_bases) if model.listed_bases else None
    if listed is None:
        return [1.0] * layers
    if not isinstance(listed, list) or len(listed) != layers:
        raise ValueError(
            f"{model.listed_bases} must list a base for each of {layers} layers, got {shown(listed)}"
        )
    found = [zero_or_positive(one, model.listed_bases) for one in listed]
    return found if model.bases_apart else [min(one, 1.0) for one in found]


def turned_layers(
    keys: Keys, model: Model, layers: int, max_len: int | None, length: int | None
) -> tuple[tuple[LayerRotary, ...], tuple[Scaling, ...]]:
    """The records of a model that turns, layer by layer."""
    try:
        head, turning, side = slice_of_head(
            keys, model.share, model.share_keys, head_is_slice=model.head_is_slice, within=model.slice_within
        )
    except ValueError:  # widths count for nothing where no layer turns
        if any(turns for _, turns in model.plan(keys, layers)):
            raise
        head, turning, side = 0, 0, "first"
    if model.heads_computed and keys.has("head_dim"):
        rest = {name: value for name, value in keys.values.items() if name != "head_dim"}
        if (computed := head_width_of(Keys(rest))) != head:
            takes = f"the width of the model over the heads, which its class takes, {computed}"
            raise ValueError(f"head_dim must be {takes}, got {head}")
    layout = model.layout
    said = keys.take(model.layout_key, check=flag) if model.layout_key else None
    if model.layout_key in keys.there:  # the code takes a null for false
        layout = "interleaved" if said else "halves"
        keys.note(model.layout_key)
    plan = model.plan(keys, layers)
    if "layer_types" in keys.unread and (types := keys.values.get("layer_types")):
        listed = from_types(types)  # transformers checks it for every class
        plan = plan if len(listed) == layers else listed
    if len(plan) != layers:
        raise ValueError(f"layer_types must have an entry for each of {layers} layers, got {len(plan)}")
    bases: list[float] = bases_by_layer(keys, model, layers)
    plan = [(attention, turns and bool(base)) for (attention, turns), base in zip(plan, bases, strict=True)]
    window = window_of(keys, model)
    widths = widths_by_kind(keys, model.heads, plan, head, turning)
    scalings: dict[Attention, Scaling] = {}
    made: dict[tuple[Attention, float], LayerRotary] = {}
    kinds = [(attention, base) for (attention, _), base in zip(plan, bases, strict=True)]
    for attention, base in dict.fromkeys(kind for kind, (_, turns) in zip(kinds, plan, strict=True) if turns):
        scaling = scaling_of(keys, model, attention, max_len)
        scaling = scalings[attention] = replace(scaling, base=base) if base > 1 else scaling
        head, width = widths[attention]
        whole_slice = width if side == "last" and not (model.slice_within or model.share_of_head) else head
        if scaling.method == "proportional" and scaling.share is None and keys.unread and width < head:
            scaling = scalings[attention] = replace(scaling, share=width / head)  # that of its class
        if scaling.share is not None:
            of = keys.named(*(model.heads or {}).get(attention, ("head_dim",))[:1])
            width = even(part_of(whole_slice, scaling.share), f"{SHARE}={scaling.share:g} of {of}")
        if scaling.alpha is not None:
            scaling = scalings[attention] = with_alpha(scaling, head)
        unscaled = ladder_of(width, base=scaling.base)
        found, on_rows, on_scores = scaled(unscaled, scaling, whole_slice, length)
        if scaling.method == "proportional":
            unscaled = np.where(found > 0, ladder_of(whole_slice, base=scaling.base), 0.0)
        sections = scaling.sections
        if scaling.arrangement not in ("", "sectioned") and "mrope_section" not in scaling.keys.there:
            sections = dealt(sections, found.size)
        made[attention, base] = LayerRotary(
            0, "rotary", attention, None, head, 2 * found.size, side, layout, found, unscaled,
            scaling.method, on_rows, on_scores, sections, scaling.arrangement,
            ramp=scaling.options.get("ramp", ""), truncate=bool(scaling.options.get("truncate")),
            valid_len=valid_len_of(scaling, length),
        )  # fmt: skip
        if model.learned and 2 * found.size < whole_slice:
            learned = f"a number is learned for each pair of {whole_slice} columns"
            raise ValueError(f"{SHARE} must be 1 or left out, since {learned}; got {scaling.share}")
        if model.learned:  # what the config gives is the ladder that they multiply
            ladder = replace(made[attention, base], kind="learned rotary", learned=model.learned)
            made[attention, base] = replace(ladder, frequencies=np.empty(0), unscaled=found)
    if not scalings:
        said = {name: keys.values.get(name) for name in model.blocks}
        still = [name for name, one in said.items() if isinstance(one, Mapping) and not scales(one)]
        keys.note(*still, *model.base_keys)  # there is nothing that they could change
    if scalings and all(scaling.share is not None for scaling in scalings.values()):
        for name in model.share_keys:
            keys.defaulted.pop(name, None)  # the blocks say it
    records = []
    for i, (attention, turns) in enumerate(plan):
        wide = window if attention in ("window", "compressed") else None
        if turns:
            records.append(replace(made[kinds[i]], layer=i, window=wide))
        else:
            records.append(LayerRotary(i, "none", attention, wide, widths[attention][0], page=DOORS))
    return tuple(records), tuple(scalings.values())
