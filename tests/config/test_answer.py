"""What a config answers to a length: one thing, then what lies beyond training, then the publisher."""

import dataclasses
import re
from typing import Any

import pytest

from pe_book.config.checking import check_config
from pe_book.config.formats.answer import publishers
from pe_book.evidence.family.recorded import WITHOUT_SIZES, recorded
from tests.config.configs import BLOCKS, LLAMA, YARN

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
