"""The how-to on longer texts: its code runs when it is pasted, and prints what its prose says."""

import re

import numpy as np
import pytest

import pe_book
from tests.howto.cells import cells, printed, text

TEXT, CELLS = text("longer-texts"), cells("longer-texts")


def test_the_answer_runs_when_it_is_pasted():
    """It needs nothing else on the page. The file as it is does not cover the length, the block does."""
    verdicts = [line for line in printed(CELLS[0]) if line.startswith("131,072 tokens: ")]
    assert [line.split(": ")[1].split(",")[0] for line in verdicts] == ["not covered", "covered"]


def test_the_factor_of_the_answer_is_what_covers():
    """A smaller one does not, so the verdict is no constant."""
    smaller = CELLS[0].replace('"factor": 4.0', '"factor": 2.0')
    assert smaller != CELLS[0]
    assert not any(": covered" in line for line in printed(smaller))


def answered(trained: str) -> list[str]:
    """What the answer prints when other keys stand in the place of the base."""
    base = '    "rope_theta": 1000000.0}'
    assert CELLS[0].count(base) == 1
    return printed(CELLS[0].replace(base, f"    {trained}}}"))


def test_a_file_that_has_the_newer_block_keeps_its_base_and_has_one_block():
    lines = answered('"rope_parameters": {"rope_type": "default", "rope_theta": 1e6}')
    assert not any("error" in line for line in lines)
    assert lines[-2].startswith("131,072 tokens: covered")
    assert "rope_theta" not in lines[-1]


@pytest.mark.parametrize(
    "lost", ['"rope_parameters": {"rope_type": "default"}', '"rope_parameters": {"factor": 2}']
)
def test_a_base_that_is_nowhere_is_told(lost):
    lines = answered(lost)
    assert any(line.startswith("warning, missing rope_parameters.rope_theta") for line in lines)
    assert "rope_theta': 10000" in lines[-1]


def test_the_base_for_a_length_is_the_smallest_that_leaves_no_pair_in_new_angles():
    pair, base = re.findall(r"[\d,]+", printed("\n".join(CELLS[:2]))[-1])
    config = {"model_type": "llama", "head_dim": 128, "num_hidden_layers": 1, "rope_theta": 1e6}
    before = pe_book.rotary_from_config(config)[0].frequencies
    assert (before * 32768 >= 2 * np.pi).sum() == int(pair)

    def leave(theta):
        after = pe_book.rotary_from_config(config | {"rope_theta": theta})[0].frequencies
        slow = before * 32768 < 2 * np.pi
        return (after * 131072 > before * 32768 * (1 + 1e-6))[slow].sum()

    found = int(base.replace(",", ""))
    assert leave(1.0001 * found) == 0 < leave(0.999 * found)


def test_the_fastest_pair_stays_and_the_slowest_has_the_whole_factor():
    *_, slowed, factor = printed("\n".join([CELLS[0], CELLS[2]]))
    assert slowed == "1.00 4.00"
    assert abs(float(factor) - 1.13863) < 1e-5  # YaRN, equation 22


def test_pairs_in_new_angles_are_those_that_had_not_gone_round_and_none_is_left():
    before, after = (int(line.split()[0]) for line in printed("\n".join([CELLS[0], CELLS[3]]))[-2:])
    turns = pe_book.frequencies(128, base=1e6) * 32768 / (2 * np.pi)
    assert before == (turns < 1).sum() > 0
    assert after == 0


def test_a_module_takes_the_numbers_of_the_page():
    torch = pytest.importorskip("torch")
    names: dict[str, object] = {}
    exec("\n".join([CELLS[0], CELLS[2]]), names)
    call = re.search(r"`(pe\.nn\.RotaryEncoding\.from_config\(.*?\))`", TEXT).group(1)
    module, record = eval(call, names), names["now"]
    assert module.attention_factor == record.attention_factor
    q = torch.zeros(1, 2, 5, 128)
    assert module(q, q)[0].shape == q.shape


def test_one_mscale_alone_is_not_read_and_attention_factor_overrules_both():
    lines = printed("\n".join([CELLS[0], CELLS[6]]))[-4:]
    none, one, both, overruled = (float(line.split()[0]) for line in lines)
    of = [coefficient * np.log(4) / 10 + 1 for coefficient in (0.7, 0.5)]
    assert none == one == pytest.approx(np.log(4) / 10 + 1, abs=1e-4)
    assert both == pytest.approx(of[0] / of[1], abs=1e-4)
    assert overruled == 1
