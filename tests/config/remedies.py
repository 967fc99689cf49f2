"""Each thing that a report says to do, and the config after somebody has done it."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from tests.config.configs import LLAMA, LONGROPE, YARN

Config = dict[str, Any]


class Followed(NamedTuple):
    """A remedy that was followed."""

    config: Config
    key: str
    """Of the finding."""
    words: str
    """What of the remedy was followed."""
    after: Config
    """The config then."""
    same: bool | None = True
    """Whether frequencies, factors and windows are what they were: else the remedy says that they change.
    None where transformers does not run the config before."""
    length: tuple[int | None, int | None] = (None, None)
    """How many tokens were asked for, before and after."""
    leaves: str = ""
    """The key of a finding that is there only then."""


def of(*blocks: Mapping[str, Any], **changes: Any) -> Config:
    """A small Llama with blocks and keys of its own; a key with None goes."""
    found = {**LLAMA, **{key: value for block in blocks for key, value in block.items()}, **changes}
    return {key: value for key, value in found.items() if value is not None}


def scaled(*blocks: Mapping[str, Any], **keys: Any) -> Config:
    """The block on scaling; a key with None goes."""
    found = {**{key: value for block in blocks for key, value in block.items()}, **keys}
    return {"rope_scaling": {key: value for key, value in found.items() if value is not None}}


LINEAR = {"type": "linear", "factor": 2}
DYNAMIC = {"rope_type": "dynamic", "factor": 2.0}
DEFAULT = {"rope_type": "default"}
LLAMA_3 = {"rope_type": "llama3", "factor": 4.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
           "original_max_position_embeddings": 1024}  # fmt: skip
LLAMA_31 = {**LLAMA_3, "factor": 8.0, "original_max_position_embeddings": 8192}
BASE = {"rope_theta": 5e5}
LONG = {"original_max_position_embeddings": 1024}
EXCHANGED = {**LONGROPE, "short_factor": LONGROPE["long_factor"], "long_factor": LONGROPE["short_factor"]}
LIST = ["sliding_attention", "full_attention", "sliding_attention"]
GEMMA = {"model_type": "gemma3_text", "head_dim": 64, "sliding_window": 512, "num_hidden_layers": 6}
MISTRAL = {"model_type": "mistral", "sliding_window": 16, "head_dim": 64}
MISTRAL_NEMO = {**LLAMA, "model_type": "mistral", "hidden_size": 5120, "num_attention_heads": 32}
DEEPSEEK = {"model_type": "deepseek_v3", "qk_rope_head_dim": 64, "qk_nope_head_dim": 128}
HEAT = {"mscale": 1.0, "mscale_all_dim": 1.0}
KEYS_OF_A_BLOCK = "rope_scaling."
TRAINED = f"{KEYS_OF_A_BLOCK}original_max_position_embeddings"
KEEPS, OTHER = "make both say it: what was read keeps the model", "the other changes the model"
ENLARGED = 1e4 * 1000.0 ** (64 / 62)  # of a head of 64 columns, by an alpha of 1000
QWEN_VL = {"model_type": "qwen2_vl"}


def _of_two() -> dict[str, Followed]:
    two_blocks = of(scaled(LINEAR), rope_parameters=DEFAULT)
    two_bases = of(rope_theta=1e4, rope_parameters={**DEFAULT, **BASE})
    two_types = scaled({**DYNAMIC, "type": "linear"})
    two_lengths = of(scaled(YARN), original_max_position_embeddings=2048)
    two_shares = of(model_type="exaone", rotary_pct=0.25, partial_rotary_factor=0.5)
    both = {"rope_type": "linear", "factor": 2}
    return {
        "two blocks, the one that was read": Followed(
            two_blocks, "rope_parameters", KEEPS, {**two_blocks, "rope_parameters": both}
        ),
        "two blocks, the other": Followed(
            two_blocks, "rope_parameters", OTHER, {**two_blocks, **scaled(DEFAULT)}, same=False
        ),
        "two bases, the one that was read": Followed(two_bases, "rope_theta", KEEPS, {**two_bases, **BASE}),
        "two bases, the other": Followed(
            two_bases, "rope_theta", OTHER,
            {**two_bases, "rope_parameters": {**DEFAULT, "rope_theta": 1e4}}, same=False,
        ),
        "two names of a method": Followed(
            of(two_types), "rope_scaling.type", KEEPS, of(scaled({**DYNAMIC, "type": "dynamic"}))
        ),
        "two trained lengths": Followed(
            two_lengths, TRAINED, KEEPS,
            {**two_lengths, **scaled(YARN, original_max_position_embeddings=2048)},
        ),
        "two shares": Followed(
            two_shares, "rotary_pct", "remove it", of(model_type="exaone", partial_rotary_factor=0.5)
        ),
        "two shares, the other": Followed(
            two_shares, "rotary_pct", "write 0.25 as partial_rotary_factor, which changes the model",
            of(model_type="exaone", partial_rotary_factor=0.25), same=False,
        ),
        "a width and a share": Followed(
            of(model_type="exaone", rotary_dim=32, rotary_pct=0.25), "rotary_pct", "remove it",
            of(model_type="exaone", rotary_dim=32),
        ),
    }  # fmt: skip


def _ignored() -> dict[str, Followed]:
    flat = of(GEMMA, rope_parameters={"rope_type": "linear", "factor": 8.0})
    by_kind = {"full_attention": {"rope_type": "linear", "factor": 8.0}, "sliding_attention": DEFAULT}
    beside = {**scaled(YARN), "text_config": LLAMA, "model_type": "llava"}
    alone, given = scaled(YARN, mscale=0.7), scaled(YARN, HEAT, attention_factor=1.2)
    deepseek = {**LLAMA, **DEEPSEEK}
    return {
        "a key of another method": Followed(
            of(scaled(LINEAR, beta_fast=32)), "rope_scaling.beta_fast", "remove the key", of(scaled(LINEAR))
        ),
        "a key that nothing reads": Followed(of(rope_freqs=3), "rope_freqs", "remove the key", of()),
        "a key of another program": Followed(of(rotary_base=5e5), "rotary_base", "remove the key", of()),
        "a key of another program, as transformers reads it": Followed(
            of(rotary_base=5e5), "rotary_base",
            "write it as the program that loads the model reads it, which changes the model",
            of(BASE), same=False,
        ),
        "a slip": Followed(
            of(rope_tehta=5e5), "rope_tehta", "rename rope_tehta, 500000, to rope_theta, which changes",
            of(BASE), same=False,
        ),
        "a slip that changes nothing": Followed(
            of(rope_tehta=10000.0), "rope_tehta", "rename rope_tehta, 10000, to rope_theta",
            of(rope_theta=10000.0),
        ),
        "a block for all layers": Followed(
            flat, "rope_parameters", "remove it", of(GEMMA)
        ),
        "a block for all layers, by kind": Followed(
            flat, "rope_parameters", "write a block for each kind of layer into it, which changes the model",
            of(GEMMA, rope_parameters=by_kind), same=False,
        ),
        "a block beside the text": Followed(
            beside, "rope_scaling", "take it out", {"text_config": LLAMA, "model_type": "llava"}
        ),
        "a block beside the text, moved": Followed(
            beside, "rope_scaling", "move it into text_config, which changes the model",
            {"text_config": of(scaled(YARN)), "model_type": "llava"}, same=False,
        ),
        "mscale alone": Followed(of(alone), "rope_scaling.mscale", "remove it", of(scaled(YARN))),
        "mscale with its partner": Followed(
            of(alone), "rope_scaling.mscale", "write mscale_all_dim beside it, if the model's card does",
            of(scaled(YARN, mscale=0.7, mscale_all_dim=1.0)), same=False,
        ),
        "mscale beside a factor": Followed(
            of(given), "rope_scaling.mscale", "remove it, and mscale_all_dim with it",
            of(scaled(YARN, attention_factor=1.2)),
        ),
        "mscale beside a factor, with one on scores": Followed(
            {**deepseek, **given}, "rope_scaling.mscale", "remove it",
            {**deepseek, **scaled(YARN, attention_factor=1.2, mscale_all_dim=1.0)},
        ),
    }  # fmt: skip


def _missing() -> dict[str, Followed]:
    no_length = scaled(YARN, original_max_position_embeddings=None)
    no_factor = scaled(YARN, factor=None)
    null = {"rope_type": "proportional", "factor": None}
    lost = of(rope_theta=1e4, max_position_embeddings=32768)
    return {
        "no trained length": Followed(
            of(no_length), TRAINED, "write original_max_position_embeddings = 4096",
            of(scaled(YARN, original_max_position_embeddings=4096)),
        ),
        "no trained length, that was shorter": Followed(
            of(no_length), TRAINED, "or the length of training, if that was shorter, which changes the model",
            of(scaled(YARN)), same=False,
        ),
        "no factor": Followed(
            of(no_factor), "rope_scaling.factor", "write factor, such as 4 for texts of 4096 tokens",
            of(scaled(YARN)),
        ),
        "no factor, and no growth": Followed(
            of(no_factor, max_position_embeddings=1024), "rope_scaling.factor",
            "write factor, such as 4 for texts of 4096 tokens, which changes the model",
            of(scaled(YARN), max_position_embeddings=1024), same=False,
        ),
        "no factor of interpolation": Followed(
            of(scaled(LINEAR, factor=None)), "rope_scaling.factor",
            "add the key, with the value that the model was trained with; another than was taken changes",
            of(scaled(LINEAR)), same=False,
        ),
        "a null factor": Followed(
            of(rope_scaling=null), "rope_scaling.factor", "take the key out",
            of(scaled({"rope_type": "proportional"})),
        ),
        "an end of Llama's ramp": Followed(
            of(scaled(LLAMA_3, low_freq_factor=None), BASE), "rope_scaling.low_freq_factor", "add the key",
            of(scaled(LLAMA_3), BASE),
        ),
        "the base of Llama 3": Followed(
            of(max_position_embeddings=8192), "rope_theta", "if it is Llama 3, write 500000",
            of(BASE, max_position_embeddings=8192), same=False,
        ),
        "the base of another Llama": Followed(
            of(max_position_embeddings=8192), "rope_theta", "copy rope_theta from the published config",
            of(rope_theta=1e4, max_position_embeddings=8192),
        ),
        "a base, and positions raised by hand": Followed(
            of(max_position_embeddings=32768), "rope_theta",
            "copy rope_theta, max_position_embeddings and rope_scaling from the published config",
            of(rope_theta=1e4, max_position_embeddings=4096),
        ),
        "a base beside Llama's scaling": Followed(
            of(scaled(LLAMA_3)), "rope_theta", "add rope_theta, 500000", of(scaled(LLAMA_3), BASE), same=False
        ),
        "a base that the newer block held": Followed(
            of(rope_parameters=YARN), "rope_parameters.rope_theta",
            "copy rope_theta from the published config into the block",
            of(rope_parameters={**YARN, "rope_theta": 1e4}),
        ),
        "another base that the newer block held": Followed(
            of(rope_parameters=YARN), "rope_parameters.rope_theta", "another than 10000 changes the model",
            of(rope_parameters={**YARN, **BASE}), same=False,
        ),
        "positions raised by hand": Followed(
            lost, "rope_scaling", "if the positions were raised by hand, put 4096 back",
            {**lost, "max_position_embeddings": 4096},
        ),
        "a block that was lost": Followed(
            of(BASE, max_position_embeddings=131072), "rope_scaling", "if this is Llama 3.1, add",
            of(BASE, scaled(LLAMA_31), max_position_embeddings=131072), same=False,
        ),
        "a width that is rare": Followed(
            MISTRAL_NEMO, "head_dim", "as the rows of q_proj over num_attention_heads",
            {**MISTRAL_NEMO, "head_dim": 160},
        ),
        "a width that is rare, as published": Followed(
            MISTRAL_NEMO, "head_dim", "write head_dim as in the published config",
            {**MISTRAL_NEMO, "head_dim": 128}, same=False,
        ),
    }  # fmt: skip


def _contradictory() -> dict[str, Followed]:
    attn = {**YARN, "attn_factor": 0.8}
    swapped, high = {**YARN, "beta_fast": 1, "beta_slow": 32}, {**YARN, "factor": 16.0}
    other = {**LLAMA_31, "factor": 4.0}
    sections = {"type": "mrope", "mrope_section": [16, 24, 24]}
    return {
        "a factor and the positions that fit it": Followed(
            of(scaled(high)), "rope_scaling.factor", "write max_position_embeddings = 16384",
            of(scaled(high), max_position_embeddings=16384),
        ),
        "a factor that fits the positions": Followed(
            of(scaled(high)), "rope_scaling.factor",
            "factor = 4 for 4096 tokens, which changes the model", of(scaled(YARN)), same=False,
        ),
        "training that is too long": Followed(
            of(scaled(other), BASE), TRAINED, "write max_position_embeddings = 8192",
            of(scaled(other), BASE, max_position_embeddings=8192),
        ),
        "training of another model": Followed(
            of(scaled(other), BASE), TRAINED,
            "take it out or copy that of the published config, which changes the model",
            of(BASE), same=False,
        ),
        "ends of YaRN's ramp": Followed(
            of(scaled(swapped)), "rope_scaling.beta_fast",
            "write beta_fast = 32 and beta_slow = 1, which changes the model", of(scaled(YARN)), same=False,
        ),
        "ends of Llama's ramp": Followed(
            of(scaled(LLAMA_3, low_freq_factor=4, high_freq_factor=1), BASE),
            "rope_scaling.high_freq_factor",
            "write low_freq_factor = 1 and high_freq_factor = 4, which changes the model",
            of(scaled(LLAMA_3), BASE), same=False,
        ),
        "lists of LongRoPE": Followed(
            of(scaled(EXCHANGED), LONG), "rope_scaling.short_factor",
            "exchange short_factor and long_factor, which changes the model", of(scaled(LONGROPE), LONG),
            same=False, leaves="rope_scaling.rope_type",
        ),
        "a base too low for Llama's scaling": Followed(
            of(scaled(LLAMA_3), rope_theta=1e4), "rope_theta", "write 500000, the base of Llama 3",
            of(scaled(LLAMA_3), BASE), same=False,
        ),
        "a base with a zero too few": Followed(
            of(rope_theta=1000.0), "rope_theta", "write the base of the published config, which changes",
            of(rope_theta=10000.0), same=False,
        ),
        "heads that do not group": Followed(
            of(num_key_value_heads=3), "num_key_value_heads", "copy both numbers from the published config",
            of(num_key_value_heads=2),
        ),
        "heads that do not group, all of them": Followed(
            of(num_key_value_heads=3), "num_key_value_heads", "another num_attention_heads changes the model",
            of(num_attention_heads=2, num_key_value_heads=2), same=False,
        ),
        "a share that programs differ on": Followed(
            of(partial_rotary_factor=0.5), "partial_rotary_factor", "remove it", of()
        ),
        "a factor that programs differ on": Followed(
            of(scaled(attn)), "rope_scaling.attn_factor", "was trained with 1.1386, write attn_factor = 1",
            of(scaled(YARN, attn_factor=1.0)),
        ),
        "a factor that programs differ on, the other": Followed(
            of(scaled(attn)), "rope_scaling.attn_factor",
            "add attention_factor = 0.9109, which transformers reads and which changes the model",
            of(scaled(attn, attention_factor=0.9109)), same=False,
        ),
        "sections that do not add up": Followed(
            of(QWEN_VL, rope_scaling=sections), "rope_scaling.mrope_section",
            "write numbers whose sum is 32",
            of(QWEN_VL, rope_scaling={**sections, "mrope_section": [8, 12, 12]}),
        ),
    }  # fmt: skip


def _of_classes() -> dict[str, Followed]:
    phi = {"model_type": "phi3"}
    mistral, qwen = of(MISTRAL, layer_types=LIST), of(model_type="qwen2_moe", sliding_window=16)
    gemma = of(GEMMA, rope_scaling={"type": "linear", "factor": 8.0})
    falcon = {**LLAMA, "model_type": "falcon_h1", "head_dim": 64}
    ministral = of(MISTRAL, model_type="ministral", sliding_window=16)
    glm, part = (
        of(model_type="glm4_moe"),
        {"rope_type": "linear", "factor": 4.0, "partial_rotary_factor": 0.5},
    )
    alpha = {**DYNAMIC, "alpha": 1000.0}
    named = of(architectures=["CohereForCausalLM"])
    return {
        "a method that a class does not take": Followed(
            of(phi, scaled(YARN)), "rope_scaling.rope_type", "take the block out", of(phi), same=False
        ),
        "another name of LongRoPE": Followed(
            of(scaled(LONGROPE, rope_type="su"), LONG), "rope_scaling.rope_type",
            "write rope_type = longrope in its place", of(scaled(LONGROPE), LONG),
        ),
        "another name of LongRoPE in Phi-3": Followed(
            of(phi, scaled(LONGROPE, rope_type=None, type="su"), LONG), "rope_scaling.type",
            "write rope_type = longrope in its place", of(phi, scaled(LONGROPE), LONG),
            leaves="rope_scaling.rope_type",
        ),
        "sections of a class that has none": Followed(
            of(rope_scaling={"type": "mrope"}), "rope_scaling.type", "write rope_type = default in its place",
            of(rope_scaling=DEFAULT),
        ),
        "a list that the class does not read": Followed(mistral, "layer_types", "take it out", of(MISTRAL)),
        "a list that another class reads": Followed(
            mistral, "layer_types", "such as ministral, which changes the model",
            of(MISTRAL, model_type="ministral", layer_types=LIST), same=False,
        ),
        "a list that stops the class": Followed(
            {**falcon, "layer_types": ["hybrid"] * 3}, "layer_types", "take it out", falcon
        ),
        "layers of no kind": Followed(
            {**ministral, "layer_types": ["attention"] * 3}, "layer_types",
            "write one of full_attention, sliding_attention in its place",
            {**ministral, "layer_types": ["full_attention"] * 3},
        ),
        "windows that are switched off": Followed(
            {**qwen, "layer_types": LIST}, "layer_types", "write use_sliding_window = true",
            {**qwen, "layer_types": LIST, "use_sliding_window": True}, same=False,
        ),
        "windows that are switched off, all full": Followed(
            {**qwen, "layer_types": LIST}, "layer_types",
            "or full_attention for all layers; each changes the model",
            {**qwen, "layer_types": ["full_attention"] * 3}, same=False,
        ),
        "windows without a width": Followed(
            {**ministral, "sliding_window": None, "layer_types": LIST}, "layer_types", "add sliding_window",
            {**ministral, "layer_types": LIST}, same=None,
        ),
        "a method without a key": Followed(
            {**glm, **scaled(YARN)}, "rope_scaling.rope_type", "add what is missing",
            {**glm, **scaled(YARN), "head_dim": 64},
        ),
        "a part of the head": Followed(
            of(rope_scaling=part), "rope_scaling.partial_rotary_factor",
            "remove it, which turns all columns and so changes the model",
            of(scaled(part, partial_rotary_factor=None)), same=False,
        ),
        "an old name of a method": Followed(
            gemma, "rope_scaling.type", "take the block out", of(GEMMA)
        ),
        "an old name of a method, if it was trained so": Followed(
            gemma, "rope_scaling.type", "write rope_type = linear, which changes the model",
            of(GEMMA, rope_scaling={"rope_type": "linear", "factor": 8.0}), same=False,
        ),
        "an alpha": Followed(of(scaled(alpha)), "rope_scaling.alpha", "take out alpha", of(scaled(DYNAMIC))),
        "an alpha in the base": Followed(
            of(scaled(alpha)), "rope_scaling.alpha",
            f"write rope_theta = {ENLARGED:.15g} and take the block out, which changes the model",
            of(rope_theta=ENLARGED), same=False,
        ),
        "an architecture of another type": Followed(
            named, "architectures", "make architectures name a class of llama",
            of(architectures=["LlamaForCausalLM"]),
        ),
        "the type of an architecture": Followed(
            named, "architectures", "write model_type = cohere, which changes the model",
            {**named, "model_type": "cohere"}, same=False,
        ),
    }  # fmt: skip


def _of_lengths() -> dict[str, Followed]:
    lists, gpt2 = of(scaled(LONGROPE), LONG), {"model_type": "gpt2", "n_layer": 2, "n_positions": 1024}
    one = of(scaled(LONGROPE, short_factor=LONGROPE["long_factor"]), LONG)
    return {
        "a list that switches": Followed(
            lists, "rope_scaling.rope_type", "copy long_factor over short_factor, which changes the model in",
            one, same=False, length=(None, 1000),
        ),
        "a list that switches, in a longer text": Followed(
            lists, "rope_scaling.rope_type", "where texts grow past 1024 tokens", one, length=(4096, 4096)
        ),
        "dynamic scaling": Followed(
            of(scaled(DYNAMIC)), "rope_scaling.rope_type",
            "write rope_theta = 31082.2 and max_position_embeddings = 8192, and take the block out, which "
            "changes the model in all texts of another length",
            of(rope_theta=31082.2, max_position_embeddings=8192), same=False,
        ),
        "more tokens than promised": Followed(
            of(), "max_position_embeddings", "read at most 4096 tokens", of(), length=(8192, 4096)
        ),
        "more tokens than rows": Followed(
            gpt2, "n_positions", "read at most 1024 tokens", gpt2, length=(2048, 1024)
        ),
    }  # fmt: skip


FOLLOWED: dict[str, Followed] = {
    **_of_two(), **_ignored(), **_missing(), **_contradictory(), **_of_classes(), **_of_lengths(),
}  # fmt: skip


class Mended(NamedTuple):
    """A config that was refused, and what it is after somebody has done what the refusal says."""

    config: Config
    words: str
    after: Config
    assume: str | None = None


MENDED: dict[str, Mended] = {
    "another spelling of a method": Mended(
        of(scaled(YARN, rope_type="YaRN")), "write 'YaRN' as yarn", of(scaled(YARN))
    ),
    "a number in quotes": Mended(
        of(rope_theta="32000"), "write it without quotes, as 32000", of(rope_theta=32000)
    ),
    "a head narrower than the slice of its class": Mended(
        {"model_type": "gptj", "n_embd": 64, "n_head": 4}, "or give rotary_dim",
        {"model_type": "gptj", "n_embd": 64, "n_head": 4, "rotary_dim": 8},
    ),
    "a width that the class computes": Mended(
        of(model_type="gpt_neox", head_dim=32), "which its class takes, 64",
        of(model_type="gpt_neox", head_dim=64),
    ),
    "sizes in a block of another name": Mended(
        {"model_type": "exaone", "num_layers": 2, "llm_config": LLAMA}, "give that block as the config", LLAMA
    ),
    "a type with a slip": Mended(
        of(model_type="mistrall"), "if 'mistral' was meant, write that", of(model_type="mistral")
    ),
    "an unknown type with a known class": Mended(
        of(model_type="mine", architectures=["MistralForCausalLM"]),
        "if its code is unchanged, assume='mistral'",
        of(model_type="mine", architectures=["MistralForCausalLM"]), "mistral",
    ),
    "blocks by kind where there is one for all": Mended(
        of(rope_parameters={"full_attention": {**DEFAULT, **BASE}}), "write what stands there in its place",
        of(rope_parameters={**DEFAULT, **BASE}),
    ),
}  # fmt: skip
