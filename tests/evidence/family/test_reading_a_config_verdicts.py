"""What the chapter on reading a config says of cases and models, and that a silent report is noticed."""

import dataclasses

import pytest

from pe_book.evidence.family import reading_a_config as evidence
from pe_book.evidence.family.reading_a_config import (
    CASES,
    Case,
    every_case_is_named,
    reports,
    slowest,
    stands_still,
)


def test_every_case_is_named_and_a_silent_report_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    assert every_case_is_named()
    monkeypatch.setattr(evidence, "CASES", (*CASES, Case("nothing is wrong", {}, "rope_theta", "note: ")))
    assert not every_case_is_named()


def test_a_case_without_its_change_or_with_other_words_is_silent() -> None:
    for case in CASES:
        wrong = [dataclasses.replace(case, told=told) for told in (f"{case.told}!", "of no kind: ")]
        if case.changes:
            wrong.append(dataclasses.replace(case, changes={}, length=None))
        assert not any(one.says() for one in wrong), case.trouble


def test_a_base_that_is_missed_speeds_up_the_slowest_pair() -> None:
    ratio = slowest("llama-3-8b", rope_theta=10000.0) / slowest("llama-3-8b")
    assert ratio == pytest.approx(50 ** (63 / 64), rel=1e-12)


@pytest.mark.parametrize("name", ["smollm3-3b", "command-r7b"])
def test_one_layer_that_turns_or_stands_by_mistake_is_seen(name, monkeypatch):
    assert stands_still(name, 4)
    assert not stands_still(name, 2)
    report = reports()[name]
    records = report.reading.records
    for layer, kind in ((3, "rotary"), (2, "none")):
        wrong = tuple(dataclasses.replace(r, kind=kind) if r.layer == layer else r for r in records)
        reading = dataclasses.replace(report.reading, records=wrong)
        monkeypatch.setattr(
            evidence, "reports", lambda r=reading: {name: dataclasses.replace(report, reading=r)}
        )
        assert not stands_still(name, 4)
