"""What the explorer of ladders reads in a pasted config, beside what Python reads: the same, or a refusal."""

import copy
import json
import random

import numpy as np
import pytest

import pe_book as pe
from pe_book.__main__ import tokens
from pe_book.config.checking import check_config
from pe_book.config.classes import MODELS
from pe_book.evidence.family.recorded import names, recorded
from pe_book.show.family.scaled_ladders import known_models, wavelengths
from tests.show.scripts import asked, script

MATHS = script("ladders-maths.js")
READ = """texts.map((text) => {
    try {
        const read = readConfig(text, given)
        const { width, base, trained, factor } = read.fields
        const omega = ladders.trained(width, base)
        read.all = lengths.map((asked) =>
            ladders.scaled(read.method, omega, { trained: trained ?? 4096, asked, factor }, read.options))
        return read
    } catch (error) {
        return { error: error.message }
    }
})"""
ANSWERED = """texts.map((text) => {
    try {
        const config = readConfig(text, given)
        return typed.map((length) => answered(config, typedLength(length) ?? config.fields.asked, given))
    } catch (error) {
        return error.message
    }
})"""
LENGTHS = (1000, 40000, 3_000_000)
TYPED = ("", "1000", "16k", "32k", "1.5e5", "100,000", "3M")
CONFIGS = {name: recorded(name)["config"] for name in names()}


@pytest.fixture(scope="module")
def given():
    return wavelengths(128, 4096, 8).given


def read(given, *texts):
    texts = [text if isinstance(text, str) else json.dumps(text) for text in texts]
    return asked(READ, MATHS, texts=texts, given=given, lengths=LENGTHS)


def of_python(config, length):
    """The frequencies of layers without a window, where they turn."""
    turning = [record for record in pe.rotary_from_config(config, length=length) if record.kind == "rotary"]
    return next((record for record in turning if record.attention == "full"), turning[0]).frequencies


def otherwise(config, answer):
    """Whether the explorer has other frequencies than Python for a config, or some where Python has none."""
    dynamic = answer["method"] == "dynamic"
    for length, found in zip(LENGTHS, answer["all"], strict=True):
        wanted = of_python(config, max(length, answer["fields"]["trained"]) if dynamic else length)
        if len(found) != len(wanted) or not np.allclose(found, wanted, rtol=1e-12, atol=0):
            return True
    return False


UNKNOWN = {  # recorded configs of which the explorer says that it does not know them, and in which words
    **dict.fromkeys(("phi-3-mini-128k", "phi-3.5-mini", "phi-3.5-moe", "phi-4-mini"), '"longrope"'),
    "minicpm3-4b": '"longrope"', "phi-3.5-vision": '"su"',
    **dict.fromkeys(("bloom-560m", "mpt-7b", "gpt2", "opt-125m", "falcon-rw-1b"), "turns nothing here"),
    "qwen2.5-yarn": "model_type must be known here", "qwen3-moe-yarn": "head_dim",
    "nomic-embed-v1.5": "head_dim",  # its sizes stand under names that the class does not read
}  # fmt: skip


def test_recorded_configs_are_read_as_python_reads_them(given):
    for (name, config), answer in zip(CONFIGS.items(), read(given, *CONFIGS.values()), strict=True):
        if name in UNKNOWN:
            assert UNKNOWN[name] in answer["error"]
        else:
            assert not otherwise(config, answer), name


# The answer -----------------------------------------------------------------------------------------------


ANSWERED_BESIDE = {
    "Llama 3, interpolated": {**CONFIGS["llama-3-8b"], "rope_scaling": {"type": "linear", "factor": 2.0}},
    "no length": {"model_type": "falcon", "hidden_size": 256, "num_attention_heads": 4},
}


def test_the_box_answers_as_the_report_does(given):
    """On recorded configs and typed lengths."""
    configs = {name: config for name, config in CONFIGS.items() if name not in UNKNOWN} | ANSWERED_BESIDE
    texts = [json.dumps(config) for config in configs.values()]
    found = asked(ANSWERED, MATHS, texts=texts, given=given, typed=TYPED)
    for config, answers in zip(configs.values(), found, strict=True):
        for typed, said in zip(TYPED, answers, strict=True):
            due = check_config(config, length=tokens(typed) if typed else None).answer
            assert said == [one for one in (due.verdict, due.beyond, due.published) if one], (config, typed)


@pytest.mark.parametrize("typed", ["0", "-5", "long", "32kb", "1,5", "1.5", "1.55e1"])
def test_a_length_that_is_none_is_refused(given, typed):
    texts = [json.dumps(CONFIGS["llama-3.1-8b"])]
    (said,) = asked(ANSWERED, MATHS, texts=texts, given=given, typed=[typed])
    assert said.startswith("The length must be")


LLAMA = CONFIGS["llama-3.1-8b"]
SCALING = LLAMA["rope_scaling"]
REFUSED = [
    ("{", ""),
    ("[]", "A config must be a JSON object, got []"),
    ('{"model_type": "llama"}', "head_dim, or hidden_size and num_attention_heads, must be there"),
    (
        {**LLAMA, "rope_theta": "10000"},
        'rope_theta must be a number from 1.01 to 1000000000000000, got "10000"',
    ),
    ({**LLAMA, "rope_scaling": "yarn"}, 'rope_scaling must be a JSON object, got "yarn"'),
    (
        {**LLAMA, "rope_scaling": {**SCALING, "rope_type": "constructor"}},
        "rope_scaling.rope_type must be one of",
    ),
    ({**LLAMA, "rope_scaling": {**SCALING, "factor": None}}, "factor must be there for llama3, got null"),
    ({**LLAMA, "head_dim": 127}, "1 of 127 columns must be an even number"),
    ({**LLAMA, "head_dim": None, "num_attention_heads": 33}, "must be a multiple of 33 heads, got 4096"),
    ({**LLAMA, "rope_scaling": {**SCALING, "high_freq_factor": 1}}, "high_freq_factor must be more than 1"),
    (
        {"model_type": "bert"},
        "bert turns nothing here, and this box draws rotary frequencies: pe.check_config",
    ),
    ({"model_type": "gemma4"}, "gemma4 does not turn by one base and one width"),
    ({"model_type": "dinov3_vit"}, "dinov3_vit does not turn by one base and one width"),
]


@pytest.mark.parametrize(("config", "says"), REFUSED)
def test_what_is_not_known_is_refused_by_name_and_value(given, config, says):
    (answer,) = read(given, config)
    assert says in answer["error"]  # what is wrong with text that is no JSON, each engine says its own way


def test_what_was_not_read_is_named_with_its_value(given):
    more = {"finetuned": True, "mscale": 0.7, "rope_type": "yarn", "factor": 2, "attn_factor": None}
    (answer,) = read(given, {**LLAMA, "rope_scaling": more, "use_dynamic_ntk": True})
    notes = "; ".join(answer["notes"])
    for word in (
        "rope_scaling.finetuned = true", "rope_scaling.mscale = 0.7",
        "use_dynamic_ntk = true", "max_position_embeddings = 131072 is taken",
    ):  # fmt: skip
        assert word in notes
    assert "attn_factor" not in notes
    assert read(given, LLAMA)[0]["notes"] == []
    (answer,) = read(given, CONFIGS["vicuna-7b-16k"])
    assert "= 4096 is taken for the trained" in "; ".join(answer["notes"])


def test_the_types_that_are_known_are_those_of_python(given):
    assert given["models"].keys() == MODELS.keys()
    for config, answer in zip(types := [{**SIZES, "model_type": name} for name in MODELS],
                              read(given, *types), strict=True):  # fmt: skip
        assert "model_type must be known" not in answer.get("error", ""), config
    fewer = {**given, "models": {name: row for name, row in given["models"].items() if name != "llama"}}
    assert "model_type must be known" in read(fewer, LLAMA)[0]["error"]


# What a class reads, and what it leaves -----------------------------------------------------------------

TURNING = [name for name, (base, *_) in known_models()["models"].items() if base]
SIZES = {"hidden_size": 256, "num_attention_heads": 2, "max_position_embeddings": 4096}
SMALL = {"num_hidden_layers": 6, "max_position_embeddings": 4096}
WITHIN = {  # of which the outer part has a block that the inner one does not have
    "rope_scaling": {"type": "linear", "factor": 4.0},
    "text_config": {"model_type": "gemma3_text", "num_hidden_layers": 6, **SIZES},
}
VARIED = [
    {}, {"head_dim": 64}, {"head_dim": 128}, {"kv_channels": 64}, {"d_head": 64},
    {"partial_rotary_factor": 0.5}, {"rotary_pct": 0.5}, {"rotary_emb_fraction": 0.5}, {"rotary_dim": 32},
    {"rope_parameters": {"rope_type": "default", "partial_rotary_factor": 0.5}},
    {"rope_scaling": {"rope_type": "linear", "factor": 2.0, "partial_rotary_factor": 0.5}},
    {"rope_scaling": {"rope_type": "linear", "factor": 2.0}}, {"rope_parameters": {}},
    {"rope_parameters": {"rope_type": "linear", "factor": 2.0, "rope_theta": 5e5}},
    {"rope_theta": 5e5}, {"rotary_emb_base": 2e4}, {"global_rope_theta": 2e4}, {"rope_ratio": 2.0},
    {"qk_rope_head_dim": 32}, {"qk_rope_head_dim": 32, "qk_nope_head_dim": 16, "head_dim": 32},
]  # fmt: skip
HEADS = [{"hidden_size": 512, "num_attention_heads": 4}, {"head_dim": 80}]
ALONE = [{"n_embd": 512, "n_head": 4}, {"hidden_size": 5120, "num_attention_heads": 32}, {}]
KINDS = [*(heads | more for heads in HEADS for more in VARIED), *ALONE]


def grid(names, every=1):
    """Configs of types with all sorts of keys; or of each type the first and one in so many, in turn."""
    return [
        {"model_type": name, **SMALL, **more}
        for at, name in enumerate(names)
        for kind, more in enumerate(KINDS)
        if kind == 0 or (kind + at) % every == 0
    ]


def of_each_list(given):
    """For each list of names that a class reads the first type that has it, with all sorts of keys."""
    first = {row[2]: name for name, row in reversed(given["models"].items()) if row[0]}
    return [*grid([*first.values(), "glm4_moe_lite"]), WITHIN]


def of_python_or_none(config):
    """The frequencies by Python of a config; None where it refuses."""
    try:
        return of_python(config, LENGTHS[0])
    except ValueError:
        return None


def test_every_type_has_the_width_and_the_base_that_python_has_whatever_keys_stand_there(given):
    configs, taken = of_each_list(given) + grid(TURNING, every=6), []
    for config, answer in zip(configs, read(given, *configs), strict=True):
        if "error" not in answer:
            wanted = of_python_or_none(config)
            np.testing.assert_allclose(answer["all"][0], wanted, rtol=1e-12, err_msg=str(config))
            taken.append(config)
    assert len(taken) > len(configs) / 3
    assert len({config.get("model_type") for config in taken}) > len(TURNING) - 5 > 150


# which layers turn, and along which axis: frequencies do not depend on it
ASIDE = {
    "num_hidden_layers", "num_layers", "n_layer", "layer_types", "sliding_window", "local_attention",
    "attention_chunk_size", "full_attention_interval", "global_attn_every_n_layers", "mrope_section",
}  # fmt: skip
ODD = [None, True, False, 0, -1, 1.5, 3, 1e-300, 1e300, "", "yarn", "16", [], [1], {}, {"a": 1}, 2**60]


def changed(dice):
    """A recorded config with one value made odd, or its key gone: the config, and the key."""
    config = copy.deepcopy(CONFIGS[dice.choice(list(CONFIGS))])
    inner = config.get("text_config", config)
    blocks = [inner, *(inner[key] for key in ("rope_scaling", "rope_parameters") if inner.get(key))]
    block = dice.choice(blocks)
    key = dice.choice(sorted(block.keys() - ASIDE))
    if dice.random() < 0.1:
        del block[key]
    else:
        block[key] = dice.choice(ODD)
    return config, key


def test_no_changed_config_is_read_wrongly_in_silence(given):
    dice = random.Random(19)
    cases = [changed(dice) for _ in range(600)]
    answers = read(given, *(config for config, _ in cases))
    compared = 0
    for (config, key), answer in zip(cases, answers, strict=True):
        if "error" not in answer and not any(f"{key} = " in note for note in answer["notes"]):
            assert not otherwise(config, answer), (key, config)
            compared += 1
    assert compared > 200
