"""What a report says of a config: each problem that a config can show is planted, and is named."""

import io
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pe_book as pe
from pe_book.__main__ import main
from pe_book.family.checking_a_config import check_config
from pe_book.family.interpolation import turns
from tests.family.test_reading_a_config import BLOCKS, LLAMA, WITHOUT_SIZES

few = settings(deadline=None, max_examples=60)
YARN = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 1024}
LLAMA_3 = {"rope_type": "llama3", "factor": 4.0, "original_max_position_embeddings": 1024}


def found(config: dict[str, Any], length: int | None = None) -> set[tuple[str, str]]:
    """Kind and key of every finding and every note."""
    report = check_config(config, length=length)
    return {(one.kind, one.key) for one in (*report.findings, *report.notes)}


def in_one_line(report: object) -> str:
    """A report without its line breaks."""
    return " ".join(str(report).split())


def test_a_plain_config_has_no_findings() -> None:
    report = check_config(LLAMA)
    assert report.findings == report.notes == ()
    assert report.keeps_cache


# Each problem planted -------------------------------------------------------------------------------------

TWO_BLOCKS = {"rope_scaling": {"type": "linear", "factor": 2}, "rope_parameters": {"rope_type": "default"}}
LONG = {"rope_type": "longrope", "short_factor": [1.0] * 32, "long_factor": [4.0] * 32}
PLANTED: dict[str, tuple[dict[str, Any], int | None, tuple[str, str]]] = {
    "two blocks that differ": (TWO_BLOCKS, None, ("contradictory", "rope_parameters")),
    "a base that older programs miss": (
        {"rope_parameters": {"rope_type": "default", "rope_theta": 5e5}}, None,
        ("note", "rope_parameters.rope_theta"),
    ),
    "two bases": (
        {"rope_theta": 1e4, "rope_parameters": {"rope_type": "default", "rope_theta": 5e5}}, None,
        ("contradictory", "rope_theta"),
    ),
    "two names of a method": (
        {"rope_scaling": {"type": "linear", "rope_type": "dynamic", "factor": 2}}, None,
        ("contradictory", "rope_scaling.type"),
    ),
    "a key that its method does not read": (
        {"rope_scaling": {"type": "linear", "factor": 2, "beta_fast": 32}}, None,
        ("ignored", "rope_scaling.beta_fast"),
    ),
    "a key that nothing reads": ({"rope_freqs": 3}, None, ("ignored", "rope_freqs")),
    "mscale alone": ({"rope_scaling": {**YARN, "mscale": 0.7}}, None, ("ignored", "rope_scaling.mscale")),
    "mscale beside an attention factor": (
        {"rope_scaling": {**YARN, "mscale": 0.7, "mscale_all_dim": 1.0, "attention_factor": 1.2}}, None,
        ("ignored", "rope_scaling.mscale"),
    ),
    "a factor that does not fit": (
        {"rope_scaling": {**YARN, "factor": 16.0}}, None, ("contradictory", "rope_scaling.factor"),
    ),
    "no trained length": (
        {"rope_scaling": {"rope_type": "yarn", "factor": 4.0}}, None,
        ("missing", "rope_scaling.original_max_position_embeddings"),
    ),
    "two trained lengths": (
        {"rope_scaling": YARN, "original_max_position_embeddings": 2048}, None,
        ("contradictory", "rope_scaling.original_max_position_embeddings"),
    ),
    "a ramp without width": (
        {"rope_scaling": {**YARN, "beta_fast": 1, "beta_slow": 1}}, None,
        ("contradictory", "rope_scaling.beta_fast"),
    ),
    "ends of YaRN's ramp that are swapped": (
        {"rope_scaling": {**YARN, "beta_fast": 1, "beta_slow": 32}}, None,
        ("contradictory", "rope_scaling.beta_fast"),
    ),
    "an end of YaRN's ramp that is behind the other's default": (
        {"rope_scaling": {**YARN, "beta_slow": 64}}, None, ("contradictory", "rope_scaling.beta_slow"),
    ),
    "a ramp of Llama without width": (
        {"rope_scaling": {**LLAMA_3, "high_freq_factor": 1}}, None, ("note", "rope_scaling.high_freq_factor"),
    ),
    "ends of Llama's ramp that are swapped": (
        {"rope_scaling": {**LLAMA_3, "low_freq_factor": 4, "high_freq_factor": 1}}, None,
        ("contradictory", "rope_scaling.high_freq_factor"),
    ),
    "Llama's scaling on another base": ({"rope_scaling": LLAMA_3}, None, ("note", "rope_theta")),
    "a linear factor, without a length": (
        {"rope_scaling": {"type": "linear", "factor": 2}}, None, ("note", "rope_scaling.factor"),
    ),
    "two shares": (
        {"rotary_pct": 0.25, "partial_rotary_factor": 0.5}, None, ("contradictory", "rotary_pct"),
    ),
    "a share that is not the width": (
        {"rotary_pct": 0.25, "rotary_dim": 32}, None, ("contradictory", "rotary_pct"),
    ),
    "a share in the block and another beside it": (
        {"partial_rotary_factor": 0.5,
         "rope_parameters": {"rope_type": "default", "partial_rotary_factor": 0.25}}, None,
        ("contradictory", "partial_rotary_factor"),
    ),
    "a factor that reaches further than the positions": (
        {"max_position_embeddings": 3072, "rope_scaling": YARN}, None, ("note", "rope_scaling.factor"),
    ),
    "a factor of YaRN below the growth": (
        {"max_position_embeddings": 5120, "rope_scaling": YARN}, None, ("note", "rope_scaling.factor"),
    ),
    "more tokens than positions, within the factor": (
        {"max_position_embeddings": 1024, "rope_scaling": YARN}, 2000, ("note", "max_position_embeddings"),
    ),
    "more tokens than positions under another name": (
        {"model_type": "gptj", "max_position_embeddings": None, "n_positions": 2048}, 4096,
        ("beyond", "n_positions"),
    ),
    "a model whose pairing is not known": ({"model_type": "nobody"}, None, ("unknown", "model_type")),
    "a share that only the code knows": ({"model_type": "phi"}, None, ("note", "partial_rotary_factor")),
    "layers that do not turn": (
        {"model_type": "smollm3", "no_rope_layers": [1, 1, 0]}, None, ("note", "no_rope_layers"),
    ),
    "layers with frequencies of their own": (
        {"model_type": "gemma3_text", "sliding_window": 512, "sliding_window_pattern": 3,
         "rope_scaling": {"rope_type": "linear", "factor": 8.0}}, None, ("note", "sliding_window_pattern"),
    ),
    "sections that do not add up": (
        {"model_type": "qwen2_vl", "rope_scaling": {"type": "mrope", "mrope_section": [16, 24, 24]}}, None,
        ("contradictory", "rope_scaling.mrope_section"),
    ),
    "positions with three coordinates": (
        {"model_type": "qwen2_vl", "rope_scaling": {"type": "mrope", "mrope_section": [8, 12, 12]}}, None,
        ("note", "rope_scaling.mrope_section"),
    ),
    "a cache that goes out of date": (
        {"rope_scaling": {"type": "dynamic", "factor": 2.0}}, None, ("cache", "rope_scaling.type"),
    ),
    "a list that switches": (
        {"rope_scaling": LONG, "original_max_position_embeddings": 1024}, None,
        ("cache", "rope_scaling.rope_type"),
    ),
    "a window that is off": (
        {"model_type": "qwen2", "sliding_window": 512}, None, ("note", "sliding_window"),
    ),
    "more tokens than promised": ({}, 8192, ("beyond", "max_position_embeddings")),
    "angles never met": ({}, 8192, ("beyond", "length")),
    "a factor below the growth": (
        {"rope_scaling": {"rope_type": "llama3", "factor": 2.0, "original_max_position_embeddings": 1024}},
        None, ("note", "rope_scaling.factor"),
    ),
    "scaling without need": ({"rope_scaling": YARN}, 512, ("note", "rope_scaling.factor")),
    "what acts beside the rotation": (
        {"model_type": "qwen", "use_logn_attn": True}, None, ("uncomputed", "use_logn_attn"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", PLANTED)
def test_a_problem_that_is_planted_is_named(name: str) -> None:
    changes, length, wanted = PLANTED[name]
    assert wanted in found({**LLAMA, **changes}, length)
    assert wanted not in found(LLAMA)


def test_two_blocks_that_mean_the_same_are_no_contradiction() -> None:
    old, new = {"type": "linear", "factor": 2}, {"rope_type": "linear", "factor": 2.0, "rope_theta": 5e5}
    both = {"rope_scaling": old, "rope_parameters": new}
    same = found({**LLAMA, **both, "rope_theta": 5e5})
    assert {key for kind, key in same if kind != "note"} == set()
    report = check_config({**LLAMA, **both, "rope_parameters": {**new, "factor": 4}, "rope_theta": 1e4})
    (finding,) = (one for one in report.findings if one.key == "rope_parameters")
    assert "factor (4, not 2), rope_theta (500000, not 10000);" in finding.says
    assert "rope_type" not in finding.says


def test_equal_shares_are_no_contradiction() -> None:
    for share in (
        {"rotary_pct": 0.5, "partial_rotary_factor": 0.5},
        {"rotary_pct": 0.5, "rotary_dim": 32},
        {"partial_rotary_factor": 0.5,
         "rope_parameters": {"rope_type": "default", "partial_rotary_factor": 0.5}},
    ):  # fmt: skip
        kinds = {kind for kind, _ in found({**LLAMA, **share})}
        assert "contradictory" not in kinds


def test_a_contradiction_is_not_told_twice() -> None:
    report = check_config({**LLAMA, "rotary_pct": 0.25, "partial_rotary_factor": 0.5})
    assert [one.key for one in report.findings] == ["rotary_pct"]
    assert report.reading.records[0].rotary_dim == 32


def test_the_base_of_llama_3_is_not_missed_where_it_is_there() -> None:
    for base in (
        {"rope_theta": 5e5},
        {"rope_theta": 1e4},
        {"model_type": "llama4", "no_rope_layers": [1] * 3},
    ):
        assert ("note", "rope_theta") not in found({**LLAMA, "rope_scaling": LLAMA_3, **base})


def test_what_loaders_do_at_a_switch_is_told_of_each_method() -> None:
    listed = {"rope_scaling": LONG, "original_max_position_embeddings": 1024}
    growing = {"rope_scaling": {"type": "dynamic", "factor": 2.0}}
    for block, words in ((listed, "Phi-3 drops the cache"), (growing, "change with each longer text")):
        report = check_config({**LLAMA, **block})
        assert [one.kind for one in report.findings] == ["cache"]
        assert any(words in note.says and note.key == report.findings[0].key for note in report.notes)


@pytest.mark.parametrize(
    ("longest", "factor", "length", "header"),
    [
        (4096, 4.0, None, "4096 tokens promised"),
        (3072, 4.0, None, "4096 tokens promised by the factor, 3072 by max_position_embeddings"),
        (3072, 4.0, 3500, "4096 tokens promised by the factor, 3072 by max_position_embeddings, 3500 asked"),
        (5120, 4.0, 4500, "5120 tokens promised, 4500 asked"),
    ],
)
def test_one_length_is_promised_and_the_header_says_by_what(
    longest: int, factor: float, length: int | None, header: str
) -> None:
    config = {**LLAMA, "max_position_embeddings": longest, "rope_scaling": {**YARN, "factor": factor}}
    report = check_config(config, length=length)
    told, _, _ = in_one_line(report).partition(" contradictory ")
    assert told.partition(" note ")[0].partition(" layers 0")[0] == f"llama: 3 layers, {header}"
    assert report.length == (length or report.reading.promised_len)
    promised = [one for one in (*report.findings, *report.notes) if "promise" in one.says]
    assert all(f"the longest position is {longest}" in one.says for one in promised)


def test_one_list_twice_switches_nothing() -> None:
    block = {**LONG, "long_factor": LONG["short_factor"], "factor": 4.0}
    report = check_config({**LLAMA, "rope_scaling": block, "original_max_position_embeddings": 1024})
    assert report.keeps_cache
    assert not report.findings


def test_without_a_length_the_promised_one_decides_which_list_is_read() -> None:
    config = {**LLAMA, "rope_scaling": LONG, "original_max_position_embeddings": 1024}
    (group,) = check_config(config).turns
    np.testing.assert_array_equal(group.asked, turns(pe.frequencies(64) / 4, 4096))
    (group,) = check_config(config, length=1024).turns
    np.testing.assert_array_equal(group.asked, turns(pe.frequencies(64), 1024))


def test_a_window_bounds_the_turns() -> None:
    config = {**LLAMA, "model_type": "mistral", "sliding_window": 100}
    (group,) = check_config(config, length=10**6).turns
    np.testing.assert_array_equal(group.asked, turns(pe.frequencies(64), 100))
    assert group.fresh == 0


def test_trained_and_asked_are_told_apart() -> None:
    """Of one length the unscaled and the scaled frequencies are two lines, and each says which it is."""
    config = {**LLAMA, "rope_scaling": {**YARN, "original_max_position_embeddings": 4096}}
    told = [line for line in str(check_config(config, length=4096)).splitlines() if "pairs go round" in line]
    assert [line.split(":")[0].strip() for line in told] == [
        "over 4096 tokens in training, unscaled", "over 4096 tokens asked, scaled",
    ]  # fmt: skip
    plain = [line for line in str(check_config(LLAMA)).splitlines() if "pairs go round" in line]
    assert len(plain) == 1


def test_the_factor_of_yarn_promises_its_length() -> None:
    config = {**LLAMA, "max_position_embeddings": 1024, "rope_scaling": YARN}
    assert ("beyond", "max_position_embeddings") not in found(config, 4096)
    assert ("beyond", "max_position_embeddings") in found(config, 4097)


def test_a_factor_that_is_the_growth_is_not_noted() -> None:
    block = {"rope_type": "llama3", "factor": 4.0, "original_max_position_embeddings": 1024}
    assert ("note", "rope_scaling.factor") not in found({**LLAMA, "rope_scaling": block})


def test_a_factor_below_the_growth_does_not_matter_within_windows() -> None:
    config = {**LLAMA, "rope_scaling": {**LLAMA_3, "factor": 2.0}, "model_type": "mistral"}
    for window, noted in ((2048, False), (3000, True), (None, True)):
        assert (("note", "rope_scaling.factor") in found({**config, "sliding_window": window})) is noted


def test_a_share_in_the_block_is_said_by_the_config() -> None:
    config = {**LLAMA, "model_type": "qwen3_next", "num_hidden_layers": 4}
    said = {"rope_parameters": {"rope_type": "default", "partial_rotary_factor": 0.25}}
    assert ("note", "partial_rotary_factor") in found(config)
    assert ("note", "partial_rotary_factor") not in found({**config, **said})


def test_a_learned_table_ends() -> None:
    report = check_config({"model_type": "gpt2", "n_layer": 2, "n_positions": 1024}, length=2048)
    assert [finding.says for finding in report.findings] == [
        "there are 1024 learned rows, and none for the positions from 1024 on."
    ]


# The order of the report ----------------------------------------------------------------------------------


def test_findings_stand_above_turns_and_turns_above_what_was_used() -> None:
    config = {**LLAMA, "max_position_embeddings": 3072, "rope_scaling": {**YARN, "beta_slow": 64}}
    lines = str(check_config(config, length=9000)).splitlines()
    order = ["contradictory", "beyond", "note", "layers", "a pair that", "used", "defaulted", "explained"]
    at = [next(i for i, line in enumerate(lines) if line.startswith(word)) for word in order]
    assert at == sorted(at)
    assert max(map(len, lines)) <= 72


def test_the_ramp_of_yarn_is_told() -> None:
    for truncate, ends in {True: "rounded to whole ones", False: "not rounded"}.items():
        report = check_config({**LLAMA, "rope_scaling": {**YARN, "truncate": truncate}})
        assert f"  ramp of libraries, by the index of a pair, ends {ends}\n" in str(report)
        (record,) = {(one.ramp, one.truncate) for one in report.reading.records}
        assert record == ("library", truncate)
        assert report.as_dict()["kinds"][0]["truncate"] is truncate
    assert "ramp" not in str(check_config(LLAMA))
    assert check_config(LLAMA).reading.records[0].ramp == ""


def test_pages_that_the_report_names_are_there() -> None:
    root = Path(pe.__file__).parents[1]
    told = str(check_config(LLAMA)).splitlines()[-1].removeprefix("explained in ")
    assert (root / told).is_file()
    for config in (
        LLAMA,
        {**LLAMA, "model_type": "gpt2"},
        {**LLAMA, "model_type": "smollm3", "no_rope_layers": [0] * 3},
    ):
        (address,) = {record.page for record in check_config(config).reading.records}
        page, _, section = address.partition(".html#")
        text = (root / "docs" / f"{page}.md").read_text(encoding="utf-8")
        assert section in [label.replace(":", "-") for label in re.findall(r"^\(([a-z:]+)\)=$", text, re.M)]


# Turns ----------------------------------------------------------------------------------------------------


@few
@given(length=st.integers(1, 10**6))
def test_turns_are_length_times_frequency_over_a_circle(length: int) -> None:
    (group,) = check_config({**LLAMA, "rope_scaling": YARN}, length=length).turns
    np.testing.assert_array_equal(group.trained, turns(pe.frequencies(64), 1024))
    np.testing.assert_array_equal(group.asked, turns(group.record.frequencies, length))
    np.testing.assert_allclose(group.asked, length * group.record.frequencies / (2 * np.pi), rtol=1e-15)


@few
@given(length=st.integers(1, 10**6))
def test_pairs_are_fresh_where_they_meet_angles_that_no_promised_length_has(length: int) -> None:
    (group,) = check_config(LLAMA, length=length).turns
    reached, seen = (n * pe.frequencies(64) / (2 * np.pi) for n in (length, 4096))
    assert group.fresh == int((np.minimum(reached, 1) > np.minimum(seen, 1)).sum())


def test_interpolation_by_the_growth_meets_nothing_new() -> None:
    """Position interpolation keeps every angle within those of training, which is why it was proposed."""
    config = {**LLAMA, "max_position_embeddings": 4096, "rope_scaling": {"type": "linear", "factor": 2.0}}
    (group,) = check_config(config).turns
    np.testing.assert_allclose(group.asked, turns(pe.frequencies(64), 2048), rtol=1e-15)


# The report, and the command ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(BLOCKS.keys() - WITHOUT_SIZES))
def test_every_real_config_can_be_told_in_words_and_in_json(name: str) -> None:
    report = check_config(BLOCKS[name]["config"], length=10_000)
    again = json.loads(json.dumps(report.as_dict(), allow_nan=False))
    layers = sorted(
        [layer for kind in again["kinds"] for layer in kind["layers"]] + again["without_rotation"]
    )
    assert layers == list(range(again["layers"]))
    told = in_one_line(report)
    assert all(str(finding) in told for finding in (*report.findings, *report.notes))
    blocks = {key.rpartition(".")[0] for key in report.reading.used}
    for key in report.reading.used.keys() - {"model_type"} - blocks:
        block, _, last = key.rpartition(".")
        assert f"used in {block}: " in told if block else "used " in told
        assert last in told


def test_real_configs_show_what_their_users_met() -> None:
    wanted = {
        "kimi-k2": ("contradictory", "rope_scaling.beta_fast"),
        "phi-3-mini-128k": ("cache", "rope_scaling.type"),
        "qwen-7b": ("uncomputed", "use_dynamic_ntk"),
        "llama-4-scout": ("uncomputed", "attn_temperature_tuning"),
        "smollm3-3b": ("note", "no_rope_layers"),
        "gemma-3-27b": ("note", "model_type"),
        "gemma-3-1b": ("note", "sliding_window_pattern"),
        "qwen3.5-27b": ("note", "rope_parameters.rope_theta"),
    }
    for name, finding in wanted.items():
        assert finding in found(BLOCKS[name]["config"]), name
    assert not check_config(BLOCKS["llama-3.1-8b"]["config"]).findings


@pytest.mark.parametrize(
    ("config", "status"), [(LLAMA, 0), ({**LLAMA, "rope_freqs": 3}, 1), ({"model_type": "llama"}, 2)]
)
def test_the_exit_status_tells_clean_findings_and_unreadable(
    config: dict[str, Any], status: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "config.json"
    file.write_text(json.dumps(config))
    assert main(["config", str(file)]) == status
    out, error = capsys.readouterr()
    assert bool(out) == (status < 2)
    assert error.count("\n") == (status == 2)


def test_json_is_what_the_report_says(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "config.json"
    file.write_text(json.dumps(LLAMA))
    assert main(["config", str(file), "--json", "--length", "8192"]) == 1
    said = json.loads(capsys.readouterr().out)
    assert said["length"] == 8192
    assert said["kinds"][0]["frequencies"] == pe.frequencies(64).tolist()
    assert said["findings"][0]["key"] == "max_position_embeddings"


def test_a_config_can_come_from_standard_input(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(json.dumps(LLAMA)))
    assert main(["config", "-"]) == 0
    assert "layers 0-2: all 64 columns of a head turn" in capsys.readouterr().out
    monkeypatch.setattr(sys, "stdin", io.StringIO("no config"))
    assert main(["config", "-"]) == 2
    monkeypatch.setattr(sys, "stdin", io.StringIO("[1]"))
    assert main(["config", "-"]) == 2


@pytest.mark.parametrize(("word", "length"), [("8192", 8192), ("8k", 8192), ("8K", 8192), ("1m", 2**20)])
def test_a_length_can_be_typed_in_units(
    word: str, length: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "config.json"
    file.write_text(json.dumps(LLAMA))
    assert main(["config", str(file), "--json", "--length", word]) == 1
    assert json.loads(capsys.readouterr().out)["length"] == length


@pytest.mark.parametrize("word", ["0", "0k", "-3", "32kb", "1.5k", "long", ""])
def test_a_length_that_cannot_be_read_is_refused_with_what_would_do(
    word: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(["config", "-", f"--length={word}"])
    assert f"as 32768 or 32k, would do; got {word!r}" in capsys.readouterr().err


def test_the_command_is_there_and_does_not_load_torch(tmp_path: Path) -> None:
    file = tmp_path / "config.json"
    file.write_text(json.dumps(LLAMA))
    call = [sys.executable, "-X", "importtime", "-m", "pe_book", "config", str(file)]
    done = subprocess.run(call, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("llama: 3 layers, 4096 tokens promised\n")
    assert "torch" not in done.stderr


@pytest.mark.parametrize(("length", "error"), [(0, ValueError), (-5, ValueError), (1.5, TypeError)])
def test_a_length_that_is_none_is_refused(length: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match=r"length must be"):
        check_config(LLAMA, length=length)
