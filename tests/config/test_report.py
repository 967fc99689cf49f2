"""How a report tells what it found: its lengths, turns and order, in words and in JSON."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pe_book as pe
from pe_book.config.checking import check_config
from pe_book.config.report import MORE
from pe_book.evidence.family.context_extension import in_new_angles
from pe_book.evidence.family.recorded import WITHOUT_SIZES
from pe_book.family.context_extension.interpolation import turns
from tests.config.configs import BLOCKS, LLAMA, LONGROPE, YARN
from tests.seeds import examples_drawn


def in_one_line(report: object) -> str:
    """A report without its line breaks."""
    return " ".join(str(report).split())


def test_findings_stand_above_turns_and_turns_above_what_was_used() -> None:
    config = {**LLAMA, "max_position_embeddings": 3072, "rope_scaling": {**YARN, "beta_slow": 64}}
    lines = str(check_config(config, length=9000)).splitlines()
    order = [
        "9,000 tokens",
        "Pairs are not",
        "error",
        "warning",
        "note",
        "layers",
        "used",
        "defaulted",
        "explained",
    ]
    at = [next(i for i, line in enumerate(lines) if line.startswith(word)) for word in order]
    assert at == sorted(at)
    assert max(map(len, lines)) <= 72


COUNTED = re.compile(r"\d+ of \d+ pairs")


@pytest.mark.parametrize(
    ("changes", "counted"),
    [
        ({}, True),
        ({"rope_scaling": {**YARN, "attn_factor": 0.8}}, True),
        ({"rope_theta": 1000.0}, False),
        ({"rope_scaling": YARN, "text_config": LLAMA}, False),
    ],
)
def test_pairs_are_not_counted_beside_a_finding_on_their_frequencies(changes: Any, counted: bool) -> None:
    told = str(check_config({**LLAMA, **changes}))
    assert bool(COUNTED.search(told)) is counted
    assert ("Pairs are not counted" in told) is not counted


def test_no_fact_is_told_twice() -> None:
    """Each of these configs has one thing wrong, or one length that is too long."""
    misspelt = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embedding": 1024}
    for changes, length, key in (
        ({}, 8192, "max_position_embeddings"),
        ({"rope_scaling": misspelt}, None, "rope_scaling.original_max_position_embedding"),
        ({"rope_scaling": {"type": "dynamic", "factor": 2.0}}, 8192, "rope_scaling.type"),
        ({"rope_theta": 5e5, "max_position_embeddings": 131072}, 9000, "rope_scaling"),
        ({"max_position_embeddings": 32768}, None, "rope_theta"),
        ({"rope_scaling": {"type": "linear"}}, None, "rope_scaling.factor"),
        (
            {"rope_scaling": {"type": "yarn", "original_max_position_embeddings": 1024}},
            None,
            "rope_scaling.factor",
        ),
    ):
        assert [one.key for one in check_config({**LLAMA, **changes}, length=length).findings] == [key]
    dynamic = check_config({**LLAMA, "rope_scaling": {"type": "dynamic", "factor": 2.0}})
    assert not dynamic.notes
    assert "cached keys stay" not in str(dynamic)
    longer = {**LLAMA, "max_position_embeddings": 1024, "rope_scaling": YARN}
    assert len(check_config(longer, length=4096).notes) == 1
    assert "4096 tokens asked" not in str(check_config(LLAMA, length=4096))  # as many as in training
    assert "1024 tokens asked, scaled" in str(check_config(longer, length=1024))


def test_each_finding_has_a_weight_and_what_to_do() -> None:
    report = check_config({**LLAMA, "rope_theta": 1000.0, "rotary_base": 3}, length=8192)
    assert [one["severity"] for one in report.as_dict()["findings"]] == ["error", "warning", "warning"]
    for finding in report.findings:
        assert finding.remedy
        assert f"{finding} to do: {finding.remedy}" in in_one_line(report)
        assert str(finding).startswith(f"{finding.severity}, ")
    assert not any(note.remedy for note in check_config({**LLAMA, "model_type": "phi"}).notes)


def test_pages_that_the_report_names_are_there(monkeypatch: pytest.MonkeyPatch) -> None:
    root = Path(pe.__file__).parents[1]
    monkeypatch.delenv("PE_SITE_URL", raising=False)
    told = in_one_line(check_config(LLAMA)).partition(" explained in ")[2]
    # no path: who has the package alone has no docs
    (title,) = re.fullmatch(r'"(.+)", a chapter of the book that pe_book comes from', told).groups()
    page = f"docs/{MORE.replace('.html', '.md')}"
    assert f"\ntitle: {title}\n" in (root / page).read_text(encoding="utf-8")
    for site in ("https://book.example/", "https://book.example"):
        monkeypatch.setenv("PE_SITE_URL", site)
        assert in_one_line(check_config(LLAMA)).endswith(f" explained in https://book.example/{MORE}")
    pages = {finding.page for finding in check_config({**LLAMA, "rope_theta": 7.0, "rope_freqs": 3}).findings}
    assert len(pages) == 2
    for address in pages:
        page, _, section = address.partition(".html#sec-config-")
        assert f"(sec:config:{section})=" in (root / "docs" / f"{page}.md").read_text(encoding="utf-8")
    for config in (
        LLAMA,
        {**LLAMA, "model_type": "gpt2"},
        {**LLAMA, "model_type": "smollm3", "no_rope_layers": [0] * 3},
    ):
        (address,) = {record.page for record in check_config(config).reading.records}
        page, _, section = address.partition(".html#")
        text = (root / "docs" / f"{page}.md").read_text(encoding="utf-8")
        assert section in [label.replace(":", "-") for label in re.findall(r"^\(([a-z:]+)\)=$", text, re.M)]


def test_without_a_length_the_promised_one_decides_which_list_is_read() -> None:
    config = {**LLAMA, "rope_scaling": LONGROPE, "original_max_position_embeddings": 1024}
    (group,) = check_config(config).turns
    np.testing.assert_array_equal(group.asked, turns(pe.frequencies(64) / 4, 4096))
    (group,) = check_config(config, length=1024).turns
    np.testing.assert_array_equal(group.asked, turns(pe.frequencies(64), 1024))


def test_a_window_bounds_the_turns() -> None:
    config = {**LLAMA, "model_type": "mistral", "sliding_window": 100}
    (group,) = check_config(config, length=10**6).turns
    np.testing.assert_array_equal(group.asked, turns(pe.frequencies(64), 100))
    assert group.fresh == 0


# Turns ----------------------------------------------------------------------------------------------------


few = examples_drawn(60)


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


@pytest.mark.parametrize("name", sorted(BLOCKS.keys() - WITHOUT_SIZES))
def test_pairs_meet_new_angles_as_the_chapter_on_context_extension_counts_them(name: str) -> None:
    trained = check_config(BLOCKS[name]["config"]).reading.trained_len
    length = round(4 * (trained or 4096))
    report = check_config(BLOCKS[name]["config"], length=length)
    told = in_one_line(report)
    for group in report.turns:
        if trained is None:
            assert group.new is None
            continue
        spans = (min(span, group.record.window or span) for span in (trained, length))
        wanted = len(in_new_angles(group.record.unscaled, group.record.frequencies, *spans))
        assert group.new == wanted
        if not report.doubts:
            assert f"{wanted} of {group.record.frequencies.size} pairs meet new angles" in told
    assert [kind["new_pairs"] for kind in report.as_dict()["kinds"]] == [group.new for group in report.turns]


# In words and in JSON -------------------------------------------------------------------------------------


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
