"""What a config answers to a length: one thing, then what lies beyond training, then the publisher."""

import dataclasses
import math
import re
from typing import Any

import pytest

from pe_book.config.checking import check_config
from pe_book.config.formats.answer import publishers
from pe_book.evidence.family.recorded import WITHOUT_SIZES, recorded
from tests.config.configs import BLOCKS, LLAMA, YARN
from tests.config.test_report import COUNTED

LINEAR = {"rope_scaling": {"type": "linear", "factor": 2.0}}
GPT2 = {"model_type": "gpt2", "n_layer": 2, "n_positions": 1024}
BLOOM = {"model_type": "bloom", "seq_length": 2048, "n_layer": 2}
LONGEST = "the longest position, since the file names no other length"
APART = "which the file names apart from its longest position"


@pytest.mark.parametrize(
    ("config", "length", "covered", "verdict", "beyond"),
    [
        (LLAMA, 4096, True, "4,096 tokens: covered, the file says up to 4,096.",
         f"Training is taken as 4,096 tokens, {LONGEST}: nothing of the text lies beyond them."),
        (LLAMA, 8192, False, "8,192 tokens: not covered, the file says up to 4,096.",
         f"Training is taken as 4,096 tokens, {LONGEST}: beyond them 9 of 32 pairs meet new angles."),
        ({**LLAMA, **LINEAR}, 8192, None,
         "8,192 tokens: covered only if 4,096 is the length before scaling; the file does not say it.",
         "The file does not say how long training was, so new angles are not counted."),
        ({**LLAMA, **LINEAR}, 8193, False,
         "8,193 tokens: not covered, the file says up to 4,096, or 8,192 with its factor.",
         "The file does not say how long training was, so new angles are not counted."),
        ({**LLAMA, "rope_scaling": YARN}, 4096, True, "4,096 tokens: covered, the file says up to 4,096.",
         f"Training is taken as 1,024 tokens, {APART}: beyond them no pair meets a new angle."),
        ({**LLAMA, "rope_theta": 1000.0}, 4096, None,
         "4,096 tokens: in doubt, though the file says up to 4,096.",
         "Pairs are not counted, since findings put the frequencies in doubt."),
        (GPT2, 2048, False, "2,048 tokens: not covered, the file says up to 1,024.",
         f"Training is taken as 1,024 tokens, {LONGEST}: beyond them there is no learned row."),
        (BLOOM, 8192, False,
         "8,192 tokens: not covered, the file says up to 2,048, though no table ends there.",
         f"Training is taken as 2,048 tokens, {LONGEST}: beyond them no pair turns, and the bias goes on."),
        ({**LLAMA, "model_type": "falcon", "max_position_embeddings": None}, 9, None,
         "The file does not say how many tokens the model reads.",
         "The file does not say how long training was, so new angles are not counted."),
        ({**LLAMA, "model_type": "somebody"}, 4096, None,
         "Guessed, as if it were llama: 4,096 tokens: covered, the file says up to 4,096.",
         f"Training is taken as 4,096 tokens, {LONGEST}: nothing of the text lies beyond them."),
    ],
)  # fmt: skip
def test_an_answer_says_one_thing(
    config: Any, length: int, covered: bool | None, verdict: str, beyond: str
) -> None:
    report = check_config(config, length=length, assume="llama")
    answer = report.answer
    assert (answer.covered, answer.verdict, answer.beyond, answer.published) == (covered, verdict, beyond, "")
    assert report.as_dict()["answer"] == dataclasses.asdict(answer)


def test_the_answer_comes_first_and_the_findings_are_counted_behind_its_verdict() -> None:
    told = str(check_config({**LLAMA, "rope_theta": 1000.0, "rope_a": 1, "rope_b": 2}))
    first = " ".join(told.split()).partition(" llama: 3 layers")[0]
    assert first == (
        "4,096 tokens: in doubt, though the file says up to 4,096. 1 error and 2 warnings below. "
        "Pairs are not counted, since findings put the frequencies in doubt."
    )


@pytest.mark.parametrize("length", [None, 100, 10_000, 1_000_000])
@pytest.mark.parametrize("name", sorted(BLOCKS.keys() - WITHOUT_SIZES))
def test_no_answer_contradicts_itself(name: str, length: int | None) -> None:
    """What it says of one length agrees with its other sentence and with the lines for each kind of layer."""
    report = check_config(BLOCKS[name]["config"], length=length)
    answer, reading = report.answer, report.reading
    inside = re.search(r"the file says up to ([\d,]+)", answer.verdict)
    if answer.covered is not None and inside and answer.length:
        assert answer.covered == (answer.length <= int(inside[1].replace(",", "")))
    new = [group.new for group in report.turns if group.new is not None]
    trained = reading.trained_len
    if "pairs meet new angles" in answer.beyond:
        assert int(re.search(r"(\d+) of \d+ pairs", answer.beyond)[1]) == max(new) > 0
    elif "no pair meets" in answer.beyond or "nothing of the text" in answer.beyond:
        assert max(new, default=0) == 0
    if "nothing of the text" in answer.beyond:
        assert answer.length <= trained


# What layers have besides rotation ------------------------------------------------------------------------

WHISPER = {"model_type": "whisper", "encoder_layers": 2, "max_source_positions": 1500,
           "max_target_positions": 448}  # fmt: skip
ROBERTA = {"model_type": "roberta", "num_hidden_layers": 2, "max_position_embeddings": 514,
           "pad_token_id": 1}  # fmt: skip
STEPS = {**LLAMA, "model_type": "ministral3", "rope_parameters": {
    **YARN, "rope_theta": 1e6, "llama_4_scaling_beta": 0.1}}  # fmt: skip
SINKS = {**LLAMA, "model_type": "gpt_oss", "sliding_window": 128}
LEARNED = {"model_type": "mistral_large4_text", "num_hidden_layers": 4, "qk_rope_head_dim": 64,
           "qk_nope_head_dim": 128, "max_position_embeddings": 4096}  # fmt: skip
KIMI = {**LLAMA, "model_type": "kimi_linear", "num_hidden_layers": 4, "qk_rope_head_dim": 64,
        "qk_nope_head_dim": 128}  # fmt: skip


@pytest.mark.parametrize(
    ("config", "besides"),
    [
        (LLAMA, []),
        (WHISPER, ["whisper turns nothing: a sinusoidal table of 1,500 rows is added in the encoder, and a "
                   "learned table of 448 rows is added in the decoder."]),
        (ROBERTA, ["roberta turns nothing: a learned table of 512 rows is added to the text."]),
        (BLOOM, ["bloom turns nothing: a slope times the distance is added to scores."]),
        (STEPS, ["Layers 0-2: queries at position p are multiplied by 1 + 0.1 log(1 + floor(p / 1024)), the "
                 f"last of 4,096 by {1 + 0.1 * math.log(1 + 4095 // 1024):.4g}."]),
        (SINKS, ["Layers 0-2: a learned logit s of each head stands beside the scores: a weight is "
                 "exp(score) / (exp(s) + sum of exp(scores)), and weights sum to less than 1."]),
        (LEARNED, ["Layers 0-2: frequencies are learned, and no config has them: rotary_emb.alpha has a "
                   "number for each pair, and exp of it multiplies its frequency.",
                   "Layers 0-3: queries at position p are multiplied by s log(p + 1) + b, s and b learned "
                   "for each head."]),
        (KIMI, ["kimi_linear turns nothing: layers without scores have order from kimi delta attention."]),
    ],
)  # fmt: skip
def test_what_layers_have_besides_rotation_is_named(config: Any, besides: list[str]) -> None:
    report = check_config(config)
    assert list(report.answer.besides) == besides
    told = " ".join(str(report).split())
    assert all(sentence in told for sentence in besides)
    assert report.as_dict()["answer"]["besides"] == tuple(besides)


@pytest.mark.parametrize(("config", "rows"), [(WHISPER, 448), (ROBERTA, 512)])
def test_a_text_ends_with_the_table_that_is_added_to_it(config: Any, rows: int) -> None:
    for length, covered in ((None, True), (rows, True), (rows + 1, False)):
        answer = check_config(config, length=length).answer
        assert (answer.covered, f"the file says up to {rows}." in answer.verdict) == (covered, True)
    assert "beyond them there is no learned row" in answer.beyond


@pytest.mark.parametrize(
    ("config", "beyond"),
    [
        (LEARNED, "beyond them new angles are not counted, since frequencies are learned."),
        (KIMI, "beyond them nothing turns and no table ends."),
    ],
)
def test_without_angles_that_are_known_none_are_counted(config: Any, beyond: str) -> None:
    report = check_config(config, length=9000)
    assert report.answer.beyond.endswith(beyond)
    assert report.turns == ()
    assert not COUNTED.search(str(report))


# What publishers say --------------------------------------------------------------------------------------

THEIRS = {
    "Llama 3": ["llama-3-8b"], "Llama 3.1": ["llama-3.1-8b", "llama-3.3-70b"],
    "Code Llama": ["codellama-7b"], "Qwen3": ["qwen3-8b"],
    "Gemma 3 from 4B on": ["gemma-3-27b", "gemma-3-27b-resaved"], "DeepSeek-V3": ["deepseek-v3"],
    "Kimi K2": ["kimi-k2"],
}  # fmt: skip


def test_a_publisher_is_quoted_for_the_configs_that_have_its_numbers_and_for_no_other() -> None:
    assert THEIRS.keys() == publishers().keys()
    whose = {name: model for model, names in THEIRS.items() for name in names}
    for name in BLOCKS.keys() - WITHOUT_SIZES:
        answer = check_config(BLOCKS[name]["config"], length=5000).answer
        if name in whose:
            one = publishers()[whose[name]]
            assert answer.published.startswith(f"The numbers are those of {whose[name]}; ")
            assert answer.published.endswith(f'"{one["says"]}" ({one["source"]}).')
        else:
            assert answer.published == "", name


@pytest.mark.parametrize("key", ["rope_theta", "max_position_embeddings", "rope_scaling", "model_type"])
def test_a_number_that_is_not_the_publishers_takes_the_quotation_away(key: str) -> None:
    config = recorded("llama-3.1-8b")["config"]
    other = {
        "rope_theta": 1e6, "max_position_embeddings": 65536, "model_type": "mistral",
        "rope_scaling": {**config["rope_scaling"], "factor": 32.0},
    }  # fmt: skip
    assert check_config(config).answer.published
    assert not check_config({**config, key: other[key]}).answer.published


def test_each_quotation_has_its_source() -> None:
    for name, one in publishers().items():
        assert re.search(
            r"arXiv:\d{4}\.\d{5}, (abstract|section [\d.]+)|\w+\.com, \w+ \d{4}", one["source"]
        ), name
        assert one["says"].strip() == one["says"]
