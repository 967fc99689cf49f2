"""Each thing that a report says to do, and the config after somebody has done it."""

from collections.abc import Mapping
from functools import partial
from typing import Any, NamedTuple

from tests.config.configs import LLAMA, LONGROPE, YARN

Config = dict[str, Any]


class Followed(NamedTuple):
    """A remedy that was followed."""

    config: Config
    told: str
    """Kind and key of the finding."""
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


keeps, changes = Followed, partial(Followed, same=False)


def of(*blocks: Mapping[str, Any], **keys: Any) -> Config:
    """A small Llama with blocks and keys of its own; a key with None goes."""
    found = {**LLAMA, **{key: value for block in blocks for key, value in block.items()}, **keys}
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
ORIGINAL = "rope_scaling.original_max_position_embeddings"
KEEPS, OTHER = "make both say it: what was read keeps the model", "the other changes the model"
ENLARGED = 1e4 * 1000.0 ** (64 / 62)  # of a head of 64 columns, by an alpha of 1000
QWEN_VL = {"model_type": "qwen2_vl"}


def _of_two() -> list[Followed]:
    two_blocks = of(scaled(LINEAR), rope_parameters=DEFAULT)
    two_bases = of(rope_theta=1e4, rope_parameters={**DEFAULT, **BASE})
    two_types = scaled({**DYNAMIC, "type": "linear"})
    two_lengths = of(scaled(YARN), original_max_position_embeddings=2048)
    two_shares = of(model_type="internlm2", rotary_pct=0.25, partial_rotary_factor=0.5)
    both = {"rope_type": "linear", "factor": 2}
    return [
        keeps(two_blocks, "contradictory rope_parameters", KEEPS, {**two_blocks, "rope_parameters": both}),
        changes(two_blocks, "contradictory rope_parameters", OTHER, {**two_blocks, **scaled(DEFAULT)}),
        keeps(two_bases, "contradictory rope_theta", KEEPS, {**two_bases, **BASE}),
        changes(two_bases, "contradictory rope_theta", OTHER,
                {**two_bases, "rope_parameters": {**DEFAULT, "rope_theta": 1e4}}),
        keeps(of(two_types), "contradictory rope_scaling.type", KEEPS,
              of(scaled({**DYNAMIC, "type": "dynamic"}))),
        keeps(two_lengths, "contradictory rope_scaling.original_max_position_embeddings", KEEPS,
              {**two_lengths, **scaled(YARN, original_max_position_embeddings=2048)}),
        keeps(two_shares, "contradictory rotary_pct", "remove it",
              of(model_type="internlm2", partial_rotary_factor=0.5)),
        changes(two_shares, "contradictory rotary_pct",
                "write 0.25 as partial_rotary_factor, which changes the model",
                of(model_type="internlm2", partial_rotary_factor=0.25)),
    ]  # fmt: skip


def _ignored() -> list[Followed]:
    flat = of(GEMMA, rope_parameters={"rope_type": "linear", "factor": 8.0})
    by_kind = {"full_attention": {"rope_type": "linear", "factor": 8.0}, "sliding_attention": DEFAULT}
    inside, yarns = ({kind: {**YARN, **one} for kind in by_kind} for one in ({"truncate": False}, {}))
    beside = {**scaled(YARN), "text_config": LLAMA, "model_type": "llava"}
    alone, given = scaled(YARN, mscale=0.7), scaled(YARN, HEAT, attention_factor=1.2)
    deepseek = {**LLAMA, **DEEPSEEK}
    return [
        keeps(of(scaled(LINEAR, beta_fast=32)), "ignored rope_scaling.beta_fast", "remove the key",
              of(scaled(LINEAR))),
        changes(of(rotary_base=5e5), "ignored rotary_base",
                "write it as the program that loads the model reads it, which changes the model", of(BASE)),
        changes(of(rope_tehta=5e5), "ignored rope_tehta",
                "rename rope_tehta, 500000, to rope_theta, which changes", of(BASE)),
        keeps(flat, "ignored rope_parameters", "remove it", of(GEMMA)),
        changes(flat, "ignored rope_parameters",
                "write a block for each kind of layer into it, which changes the model",
                of(GEMMA, rope_parameters=by_kind)),
        keeps(of(GEMMA, rope_parameters=inside), "ignored rope_parameters.full_attention.truncate",
              "remove it", of(GEMMA, rope_parameters=yarns)),
        changes(of(GEMMA, rope_parameters=inside), "ignored rope_parameters.full_attention.truncate",
                "write it as rope_parameters.truncate, beside such blocks, which changes the model",
                of(GEMMA, rope_parameters={**yarns, "truncate": False})),
        keeps(beside, "ignored rope_scaling", "take it out", {"text_config": LLAMA, "model_type": "llava"}),
        changes(beside, "ignored rope_scaling", "move it into text_config, which changes the model",
                {"text_config": of(scaled(YARN)), "model_type": "llava"}),
        keeps(of(alone), "ignored rope_scaling.mscale", "remove it", of(scaled(YARN))),
        changes(of(alone), "ignored rope_scaling.mscale",
                "write mscale_all_dim beside it, if the model's card does",
                of(scaled(YARN, mscale=0.7, mscale_all_dim=1.0))),
        keeps(of(given), "ignored rope_scaling.mscale", "remove it, and mscale_all_dim with it",
              of(scaled(YARN, attention_factor=1.2))),
        keeps({**deepseek, **given}, "ignored rope_scaling.mscale", "remove it",
              {**deepseek, **scaled(YARN, attention_factor=1.2, mscale_all_dim=1.0)}),
    ]  # fmt: skip


def _missing() -> list[Followed]:
    no_length = scaled(YARN, original_max_position_embeddings=None)
    no_factor = scaled(YARN, factor=None)
    null = {"rope_type": "proportional", "factor": None}
    lost = of(rope_theta=1e4, max_position_embeddings=32768)
    return [
        keeps(of(no_length), "missing rope_scaling.original_max_position_embeddings",
              "write original_max_position_embeddings = 4096",
              of(scaled(YARN, original_max_position_embeddings=4096))),
        changes(of(no_length), "missing rope_scaling.original_max_position_embeddings",
                "or the length of training, if that was shorter, which changes the model", of(scaled(YARN))),
        keeps(of(no_factor), "missing rope_scaling.factor",
              "write factor, such as 4 for texts of 4096 tokens", of(scaled(YARN))),
        changes(of(no_factor, max_position_embeddings=1024), "missing rope_scaling.factor",
                "write factor, such as 4 for texts of 4096 tokens, which changes the model",
                of(scaled(YARN), max_position_embeddings=1024)),
        changes({**LLAMA, **DEEPSEEK, **scaled(YARN)}, "missing rope_scaling.mscale_all_dim",
                "copy mscale and mscale_all_dim from the published config, which changes the model",
                {**LLAMA, **DEEPSEEK, **scaled(YARN, HEAT)}),
        changes(of(scaled(LINEAR, factor=None)), "missing rope_scaling.factor",
                "add the key, with the value that the model was trained with; another than was taken changes",
                of(scaled(LINEAR))),
        keeps(of(rope_scaling=null), "missing rope_scaling.factor", "take the key out",
              of(scaled({"rope_type": "proportional"}))),
        changes(of(max_position_embeddings=8192), "missing rope_theta", "if it is Llama 3, write 500000",
                of(BASE, max_position_embeddings=8192)),
        keeps(of(max_position_embeddings=32768), "missing rope_theta",
              "copy rope_theta, max_position_embeddings and rope_scaling from the published config",
              of(rope_theta=1e4, max_position_embeddings=4096)),
        changes(of(scaled(LLAMA_3)), "missing rope_theta", "add rope_theta, 500000",
                of(scaled(LLAMA_3), BASE)),
        changes(of(rope_parameters=YARN), "missing rope_parameters.rope_theta",
                "another than 10000 changes the model", of(rope_parameters={**YARN, **BASE})),
        keeps(lost, "missing rope_scaling", "if the positions were raised by hand, put 4096 back",
              {**lost, "max_position_embeddings": 4096}),
        changes(of(BASE, max_position_embeddings=131072), "missing rope_scaling",
                "if this is Llama 3.1, add", of(BASE, scaled(LLAMA_31), max_position_embeddings=131072)),
        keeps(MISTRAL_NEMO, "missing head_dim", "as the rows of q_proj over num_attention_heads",
              {**MISTRAL_NEMO, "head_dim": 160}),
        changes(MISTRAL_NEMO, "missing head_dim", "write head_dim as in the published config",
                {**MISTRAL_NEMO, "head_dim": 128}),
    ]  # fmt: skip


def _contradictory() -> list[Followed]:
    attn = {**YARN, "attn_factor": 0.8}
    swapped, high = {**YARN, "beta_fast": 1, "beta_slow": 32}, {**YARN, "factor": 16.0}
    other = {**LLAMA_31, "factor": 4.0}
    longer = {**LLAMA_31, "original_max_position_embeddings": 32768}
    at_the_end, key = {**LLAMA_3, "original_max_position_embeddings": 4096}, f"contradictory {ORIGINAL}"
    sections = {"type": "mrope", "mrope_section": [16, 24, 24]}
    return [
        keeps(of(scaled(high)), "contradictory rope_scaling.factor",
              "write max_position_embeddings = 16384", of(scaled(high), max_position_embeddings=16384)),
        changes(of(scaled(high)), "contradictory rope_scaling.factor",
                "factor = 4 for 4096 tokens, which changes the model", of(scaled(YARN))),
        keeps(of(scaled(other), BASE), "contradictory rope_scaling.original_max_position_embeddings",
              "write max_position_embeddings = 32768",
              of(scaled(other), BASE, max_position_embeddings=32768)),
        changes(of(scaled(other), BASE), "contradictory rope_scaling.original_max_position_embeddings",
                "take it out or copy that of the published config, which changes the model", of(BASE)),
        changes(of(scaled(YARN, attention_factor=0.1)), "contradictory rope_scaling.attention_factor",
                "take it out", of(scaled(YARN))),
        changes(of(scaled(at_the_end), BASE), key, "write the length before scaling",
                of(scaled(LLAMA_3), BASE)),
        changes(of(scaled(at_the_end), BASE), key, "take the block out; each changes the model", of(BASE)),
        changes(of(scaled(longer), BASE, max_position_embeddings=131072), key,
                "write original_max_position_embeddings = 8192, as in Llama 3.1, which changes the model",
                of(scaled(LLAMA_31), BASE, max_position_embeddings=131072)),
        changes(of(scaled(swapped)), "contradictory rope_scaling.beta_fast",
                "write beta_fast = 32 and beta_slow = 1, which changes the model", of(scaled(YARN))),
        changes(of(scaled(LLAMA_3, low_freq_factor=4, high_freq_factor=1), BASE),
                "contradictory rope_scaling.high_freq_factor",
                "write low_freq_factor = 1 and high_freq_factor = 4, which changes the model",
                of(scaled(LLAMA_3), BASE)),
        changes(of(scaled(EXCHANGED), LONG), "contradictory rope_scaling.short_factor",
                "exchange short_factor and long_factor, which changes the model",
                of(scaled(LONGROPE), LONG), leaves="rope_scaling.rope_type"),
        changes(of(scaled(LLAMA_3), rope_theta=1e4), "contradictory rope_theta",
                "write 500000, the base of Llama 3", of(scaled(LLAMA_3), BASE)),
        changes(of(rope_theta=1000.0), "contradictory rope_theta",
                "write the base of the published config, which changes", of(rope_theta=10000.0)),
        keeps(of(num_key_value_heads=3), "contradictory num_key_value_heads",
              "copy both numbers from the published config", of(num_key_value_heads=2)),
        changes(of(num_key_value_heads=3), "contradictory num_key_value_heads",
                "another num_attention_heads changes the model",
                of(num_attention_heads=2, num_key_value_heads=2)),
        keeps(of(partial_rotary_factor=0.5), "contradictory partial_rotary_factor", "remove it", of()),
        keeps(of(scaled(attn)), "contradictory rope_scaling.attn_factor",
              "was trained with 1.1386, write attn_factor = 1", of(scaled(YARN, attn_factor=1.0))),
        changes(of(scaled(attn)), "contradictory rope_scaling.attn_factor",
                "add attention_factor = 0.9109, which transformers reads and which changes the model",
                of(scaled(attn, attention_factor=0.9109))),
        keeps(of(QWEN_VL, rope_scaling=sections), "contradictory rope_scaling.mrope_section",
              "write numbers whose sum is 32",
              of(QWEN_VL, rope_scaling={**sections, "mrope_section": [8, 12, 12]})),
    ]  # fmt: skip


def _of_classes() -> list[Followed]:
    phi = {"model_type": "phi3"}
    mistral, qwen = of(MISTRAL, layer_types=LIST), of(model_type="qwen2_moe", sliding_window=16)
    gemma = of(GEMMA, rope_scaling={"type": "linear", "factor": 8.0})
    falcon = {**LLAMA, "model_type": "falcon_h1", "head_dim": 64}
    ministral = of(MISTRAL, model_type="ministral", sliding_window=16)
    glm, cohere = of(model_type="glm4_moe"), {"model_type": "cohere2_moe", "head_dim": 64}
    part = {"rope_type": "linear", "factor": 4.0, "partial_rotary_factor": 0.5}
    alpha = {**DYNAMIC, "alpha": 1000.0}
    far, near = {"rope_type": "linear", "factor": 8.0, "rope_theta": 1e6}, {**DEFAULT, "rope_theta": 1e4}
    right = {"full_attention": far, "sliding_attention": near}
    wrong = {"full_attention": near, "sliding_attention": far}
    lfm3 = {**GEMMA, "model_type": "lfm3", "layer_types": LIST * 2}
    exchange = "exchange base and scaling of the two kinds, which changes the model"
    named = of(architectures=["CohereForCausalLM"])
    return [
        changes(of(phi, scaled(YARN)), "contradictory rope_scaling.rope_type", "take the block out",
                of(phi)),
        keeps(of(scaled(LONGROPE, rope_type="su"), LONG), "contradictory rope_scaling.rope_type",
              "write rope_type = longrope in its place", of(scaled(LONGROPE), LONG)),
        keeps(of(phi, scaled(LONGROPE, rope_type=None, type="su"), LONG), "contradictory rope_scaling.type",
              "write rope_type = longrope in its place", of(phi, scaled(LONGROPE), LONG),
              leaves="rope_scaling.rope_type"),
        keeps(of(rope_scaling={"type": "mrope"}), "contradictory rope_scaling.type",
              "write rope_type = default in its place", of(rope_scaling=DEFAULT)),
        changes(mistral, "contradictory layer_types", "such as ministral, which changes the model",
                of(MISTRAL, model_type="ministral", layer_types=LIST)),
        keeps({**falcon, "layer_types": ["hybrid"] * 3}, "contradictory layer_types", "take it out", falcon),
        keeps({**ministral, "layer_types": ["attention"] * 3}, "contradictory layer_types",
              "write one of full_attention, sliding_attention in its place",
              {**ministral, "layer_types": ["full_attention"] * 3}),
        changes({**qwen, "layer_types": LIST}, "contradictory layer_types",
                "write use_sliding_window = true",
                {**qwen, "layer_types": LIST, "use_sliding_window": True}),
        changes({**qwen, "layer_types": LIST}, "contradictory layer_types",
                "or full_attention for all layers; each changes the model",
                {**qwen, "layer_types": ["full_attention"] * 3}),
        Followed({**ministral, "sliding_window": None, "layer_types": LIST}, "contradictory layer_types",
                 "add sliding_window", {**ministral, "layer_types": LIST}, same=None),
        keeps({**glm, **scaled(YARN)}, "contradictory rope_scaling.rope_type", "add what is missing",
              {**glm, **scaled(YARN), "head_dim": 64}),
        changes(of(rope_scaling=part), "contradictory rope_scaling.partial_rotary_factor",
                "remove it, which turns all columns and so changes the model",
                of(scaled(part, partial_rotary_factor=None))),
        changes(of(lfm3, rope_parameters=wrong), "contradictory rope_parameters.sliding_attention", exchange,
                of(lfm3, rope_parameters=right)),
        changes(of(GEMMA, rope_theta=1e4, rope_local_base_freq=1e6), "contradictory rope_local_base_freq",
                exchange, of(GEMMA, rope_theta=1e6, rope_local_base_freq=1e4)),
        Followed(of(cohere, rope_parameters=DEFAULT), "contradictory rope_parameters.rope_theta", "copy it",
                 of(cohere, rope_parameters={**DEFAULT, **BASE}), same=None),
        changes(gemma, "contradictory rope_scaling.type",
                "write rope_type = linear, which changes the model",
                of(GEMMA, rope_scaling={"rope_type": "linear", "factor": 8.0})),
        changes(of(scaled(alpha)), "contradictory rope_scaling.alpha",
                f"write rope_theta = {ENLARGED:.15g} and take the block out, which changes the model",
                of(rope_theta=ENLARGED)),
        keeps(named, "contradictory architectures", "make architectures name a class of llama",
              of(architectures=["LlamaForCausalLM"])),
        changes(named, "contradictory architectures", "write model_type = cohere, which changes the model",
                {**named, "model_type": "cohere"}),
    ]  # fmt: skip


def _of_lengths() -> list[Followed]:
    lists, gpt2 = of(scaled(LONGROPE), LONG), {"model_type": "gpt2", "n_layer": 2, "n_positions": 1024}
    one = of(scaled(LONGROPE, short_factor=LONGROPE["long_factor"]), LONG)
    return [
        changes(lists, "cache rope_scaling.rope_type",
                "copy long_factor over short_factor, which changes the model in", one, length=(None, 1000)),
        keeps(lists, "cache rope_scaling.rope_type", "where texts grow past 1024 tokens", one,
              length=(4096, 4096)),
        changes(of(scaled(LONGROPE, short_mscale=1.1, long_mscale=1.2), LONG, model_type="phimoe"),
                "cache rope_scaling.rope_type",
                "over short_factor, and long_mscale over short_mscale, which changes",
                of(scaled(one["rope_scaling"], short_mscale=1.2, long_mscale=1.2), LONG, model_type="phimoe"),
                length=(None, 1000)),
        changes(of(scaled(DYNAMIC)), "cache rope_scaling.rope_type",
                "write rope_theta = 31082.2 and max_position_embeddings = 8192, and take the block out, "
                "which changes the model in all texts of another length",
                of(rope_theta=31082.2, max_position_embeddings=8192)),
        keeps(of(), "beyond max_position_embeddings", "read at most 4096 tokens", of(), length=(8192, 4096)),
        keeps(gpt2, "beyond n_positions", "read at most 1024 tokens", gpt2, length=(2048, 1024)),
    ]  # fmt: skip


FOLLOWED = [*_of_two(), *_ignored(), *_missing(), *_contradictory(), *_of_classes(), *_of_lengths()]


class Mended(NamedTuple):
    """A config that was refused, and what it is after somebody has done what the refusal says."""

    config: Config
    words: str
    after: Config
    assume: str | None = None


GPT_J = {"model_type": "gptj", "n_embd": 64, "n_head": 4}
MINE = of(model_type="mine", architectures=["MistralForCausalLM"])
MENDED = [
    Mended(of(scaled(YARN, rope_type="YaRN")), "write 'YaRN' as yarn", of(scaled(YARN))),
    Mended(of(GEMMA, rope_scaling={"full_attention": LINEAR}), "blocks by kind of layer as rope_parameters",
           of(GEMMA, rope_parameters={"full_attention": LINEAR})),
    Mended(of(rope_theta="32000"), "write it without quotes, as 32000", of(rope_theta=32000)),
    Mended(GPT_J, "or give rotary_dim", {**GPT_J, "rotary_dim": 8}),
    Mended(of(model_type="gpt_neox", head_dim=32), "which its class takes, 64",
           of(model_type="gpt_neox", head_dim=64)),
    Mended({"model_type": "internlm2", "num_layers": 2, "llm_config": LLAMA}, "give that block as the config",
           LLAMA),
    Mended(of(model_type="mistrall"), "if 'mistral' was meant, write that", of(model_type="mistral")),
    Mended({"model_type": "mistral3", "text_config": of(model_type="mistrall")},
           "model_type 'mistrall' of text_config is not known here (if 'mistral' was meant",
           {"model_type": "mistral3", "text_config": of(model_type="mistral")}),
    Mended({"model_type": "gemma3", "text_config": of(model_type="nobody")},
           "model_type 'nobody' of text_config is not known here",
           {"model_type": "gemma3", "text_config": of(GEMMA)}),
    Mended(MINE, "if its code is unchanged, assume='mistral'", MINE, "mistral"),
    Mended(of(rope_parameters={"full_attention": {**DEFAULT, **BASE}}),
           "write what stands there in its place", of(rope_parameters={**DEFAULT, **BASE})),
]  # fmt: skip
