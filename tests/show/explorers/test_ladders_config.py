"""What the explorer of ladders reads in a pasted config, beside what Python reads: the same, or a refusal."""

import copy
import json
import random
from functools import cache

import numpy as np
import pytest

import pe_book as pe
from pe_book.__main__ import tokens
from pe_book.config.checking import check_config
from pe_book.config.classes import MODELS
from pe_book.evidence.family.recorded import names, recorded
from pe_book.show.family.scaled_ladders import known_models, wavelengths
from tests.show.scripts import asked, script, with_planted

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


def read(given, *texts, maths=MATHS):
    texts = [text if isinstance(text, str) else json.dumps(text) for text in texts]
    return asked(READ, maths, texts=texts, given=given, lengths=LENGTHS)


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


def drifted_readings(given, maths=MATHS):
    answers = dict(zip(CONFIGS, read(given, *CONFIGS.values(), maths=maths), strict=True))
    return {
        name
        for name, answer in answers.items()
        if (UNKNOWN.get(name, "nothing") not in answer["error"] if "error" in answer else name in UNKNOWN)
        or ("error" not in answer and otherwise(CONFIGS[name], answer))
    }


def test_recorded_configs_are_read_as_python_reads_them(given):
    assert drifted_readings(given) == set()
    assert UNKNOWN.keys() < CONFIGS.keys()


# The answer -----------------------------------------------------------------------------------------------


ANSWERED_BESIDE = {
    "Llama 3, interpolated": {**CONFIGS["llama-3-8b"], "rope_scaling": {"type": "linear", "factor": 2.0}},
    "no length": {"model_type": "falcon", "hidden_size": 256, "num_attention_heads": 4},
}


def other_answers(given, maths=MATHS):
    """Recorded configs and typed lengths to which the box says otherwise than Python what is covered."""

    def due(name, typed):
        answer = check_config(configs[name], length=tokens(typed) if typed else None).answer
        return [said for said in (answer.verdict, answer.beyond, answer.published) if said]

    configs = {name: config for name, config in CONFIGS.items() if name not in UNKNOWN} | ANSWERED_BESIDE
    texts = [json.dumps(config) for config in configs.values()]
    found = asked(ANSWERED, maths, texts=texts, given=given, typed=TYPED)
    return {
        (name, typed)
        for name, answers in zip(configs, found, strict=True)
        for typed, said in zip(TYPED, answers, strict=True)
        if said != due(name, typed)
    }


def test_the_box_answers_as_the_report_does(given):
    assert other_answers(given) == set()


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


@pytest.mark.parametrize(
    ("name", "called", "numbers", "says"),
    [
        ("llama-3.1-8b", "llama3", [128, 500000, 8192, 131072, 8], None),
        ("vicuna-7b-16k", "linear", [128, 10000, 4096, 4096, 4], "= 4096 is taken for the trained"),
        ("phi-2", "default", [32, 10000, 2048, 2048, None], None),
    ],
)
def test_the_fields_are_filled_from_a_config(given, name, called, numbers, says):
    (answer,) = read(given, CONFIGS[name])
    fields = ("width", "base", "trained", "asked", "factor")
    assert [answer["fields"].get(field) for field in fields] == numbers
    assert answer["called"] == called
    assert says in "; ".join(answer["notes"]) if says else answer["notes"] == []


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


@cache
def known(text):
    """The frequencies by Python of a config, as text; None where it refuses."""
    try:
        return of_python(json.loads(text), LENGTHS[0])
    except ValueError:
        return None


def compared(given, configs, maths=MATHS):
    """Configs of which the explorer has other frequencies than Python, and those of which it has the same."""
    wrong, taken = [], []
    for config, answer in zip(configs, read(given, *configs, maths=maths), strict=True):
        if "error" not in answer:
            wanted, found = known(json.dumps(config)), answer["all"][0]
            same = wanted is not None and len(found) == len(wanted) and np.allclose(found, wanted, rtol=1e-12)
            (taken if same else wrong).append(config)
    return wrong, taken


def test_every_type_has_the_width_and_the_base_that_python_has_whatever_keys_stand_there(given):
    configs = of_each_list(given) + grid(TURNING, every=6)
    wrong, taken = compared(given, configs)
    assert wrong == []
    assert len(taken) > len(configs) / 3
    assert len({config.get("model_type") for config in taken}) > len(TURNING) - 5 > 150


def misread_keys(given, maths):
    return compared(given, of_each_list(given), maths)[0]


@pytest.mark.parametrize(
    ("seen_by", "stands", "planted"),
    [
        (drifted_readings, 'yarn: "library"', 'yarn: "yarn"'),
        (drifted_readings, "keys.take(ratio, positive) ?? 1", "1"),
        (drifted_readings, "const originals = ", "const originals = [].length ? [] : "),
        (drifted_readings, "...Object.fromEntries(seen), ...inner", "...Object.fromEntries(seen)"),
        (other_answers, "if (asked <= promised)", "if (asked < promised)"),
        (other_answers, "asked <= possible ?", "asked < possible ?"),
        (other_answers, "if (asked <= known)", "if (asked <= longest)"),
        (other_answers, "turns(scaled, Math.min(asked, sees))", "turns(scaled, asked)"),
        (other_answers, "turns(omega, Math.min(known, sees))", "turns(scaled, Math.min(known, sees))"),
        (other_answers, "Math.max(longest, method", "Math.min(longest, method"),
        (other_answers, 'method === "none" && length >= 1', "false && length >= 1"),
        (other_answers, "one[key] === undefined || ", ""),
        (
            other_answers,
            'has = { method: config.called === "mrope" ? "default" : config.called, ',
            "has = { ",
        ),
        (other_answers, " && (values === this.values || !(one in this.values))", ""),
        (misread_keys, "keys.take(shares, share)", 'keys.take("partial_rotary_factor", share)'),
        (misread_keys, "block.take(inside, share)", 'block.take("partial_rotary_factor", share)'),
        (misread_keys, "if (!head || computed)", "if (!head)"),
        (misread_keys, "must((keys.values[name] ?? last) === last", "must(true"),
        (
            misread_keys,
            "for (const values of [this.values, this.assumed])",
            "for (const values of [this.values])",
        ),
        (misread_keys, "keys.take(bases, above)", 'keys.take("rope_theta", above)'),
        (misread_keys, "keys.take(bases, above) ?? usual", "keys.take(bases, above) ?? 10000"),
        (misread_keys, "!(inner && (asks.test(name)", "!(false && (asks.test(name)"),
    ],
)
def test_a_drift_is_noticed(given, seen_by, stands, planted):
    text = with_planted(MATHS, stands, planted)
    if "originals" in stands:
        text = with_planted(text, "? [] : [keys, block]", "? [] : []")
    assert seen_by(given, text)


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
