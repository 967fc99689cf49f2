"""Records: each says of which version it is, none is refused for its age, the committed ones are whole."""

import json
import re
import shutil

import pytest

import pe_ext
from pe_book.evidence.claims import changes
from pe_book.evidence.records import audit, bench, classes, fuzz, length_generalisation, parity, versions
from pe_book.evidence.records.model_tour import RECORD as TOUR
from pe_book.evidence.records.record import CHANGED, ROOT, STANDS, Record

RECORDS = (
    *(bench.RECORD, bench.ROTARY_RECORD, bench.BIAS_RECORD, audit.RECORD, changes.RECORD, classes.RECORD),
    *(fuzz.RECORD, length_generalisation.RECORD, parity.RECORD, TOUR, versions.RECORD),
)
CODE = '''"""A module."""

_GRAIN = 2**15


def turned(x, factor: float = 2.0):
    """What it does."""
    if x:
        y = factor
        return y
    return x
'''


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.file.stem)
def test_it_says_its_version_and_every_pattern_finds_what_was_measured(record):
    _, standing = record.read()
    assert standing.startswith("pe_book 0.")
    assert all(any(ROOT.glob(pattern)) for pattern in record.measured)


@pytest.mark.parametrize(
    ("record", "recorded"),
    [(audit.RECORD, audit.recorded), (changes.RECORD, changes.recorded), (classes.RECORD, classes.recorded),
     (fuzz.RECORD, fuzz.recorded), (parity.RECORD, parity.recorded), (versions.RECORD, versions.recorded)],
)  # fmt: skip
def test_a_record_of_earlier_code_says_so_and_is_shown_all_the_same(tmp_path, record, recorded):
    copy = record._replace(file=tmp_path / record.file.name)
    copy.write(record.read()[0])
    here = recorded(copy)
    assert f"({STANDS})" in here.standing
    copy.write(record.read()[0], digest="0123456789")
    earlier = recorded(copy)
    assert f"(digest 01234567; {CHANGED})" in earlier.standing
    assert earlier._replace(standing="") == here._replace(standing="")


def test_a_record_without_a_version_is_refused(tmp_path):
    file = tmp_path / "bench.json"
    whole = json.loads(bench.RECORD.file.read_text(encoding="utf-8"))
    for missing in ("version", "digest"):
        file.write_text(json.dumps({key: value for key, value in whole.items() if key != missing}))
        with pytest.raises(ValueError, match=r"bench\.json must have a version and a digest, got "):
            bench.recorded("table", record=bench.RECORD._replace(file=file))


@pytest.mark.parametrize(
    ("was", "now", "alike"),
    [
        ('"""A module."""\n', '# a comment\n"""Other words."""\n', True),
        ("_GRAIN = 2**15", '_GRAIN = (2 ** 15)\n"""What it is for."""', True),
        ("2**15", "2**15 + 0", False),
        ("    return x", "        return x", False),
    ],
)
def test_the_digest_is_of_statements_and_deaf_to_words(tmp_path, was, now, alike):
    record = Record(tmp_path / "some.json", ("code/*.py", "code/*.toml"))
    (tmp_path / "code").mkdir()
    (tmp_path / "code" / "some.py").write_text(CODE)
    before = record.digest(tmp_path)
    assert was in CODE
    (tmp_path / "code" / "some.py").write_text(CODE.replace(was, now))
    assert (record.digest(tmp_path) == before) == alike


def test_a_file_more_or_less_changes_the_digest(tmp_path):
    seen = set()
    for name in ("a.py", "b.py", "c.toml"):
        (tmp_path / name).write_text("x = 1\n")
        seen.add(Record(tmp_path / "some.json", ("*.py", "*.toml")).digest(tmp_path))
    assert len(seen) == 3


# What the committed ones hold ------------------------------------------------------------------------------


def test_the_audit_weighs_every_page_it_scored():
    found = audit.recorded()
    assert set(found.chapters()) <= set(found.weights)


def test_the_fuzz_is_large_and_holds_nothing_but_results_and_refusals():
    found = fuzz.recorded()
    sums = found.sums()
    assert sum(sums.values()) >= 10_000
    assert sums["anything else"] == 0
    one, counts = next(iter(found.functions.items()))
    assert found.sums([one])["right result"] == counts["right result"]


def test_the_parity_is_of_the_pinned_libraries():
    lists = (
        "requirements.txt",
        "tests/parity/requirements.txt",
        "pe_book/evidence/records/bench-requirements.txt",
    )
    lines = "".join((ROOT / name).read_text(encoding="utf-8") for name in lists)
    pinned = dict(re.findall(r"^([\w.-]+)==([\w.]+)", lines, re.MULTILINE))
    found = parity.recorded()
    for one in (*found.agreements, *found.defects):
        assert pinned[one.library] == one.version
    assert {one.kind for one in found.agreements} == set(parity.KINDS)


def test_a_difference_above_its_bound_is_seen():
    found = parity.recorded()
    assert found.all_within()
    first = found.agreements[0]
    for wrong in (
        [first._replace(difference=2 * first.bound)],
        [first._replace(difference=float("nan"))],
        [],
    ):
        assert not found._replace(agreements=wrong).all_within()


def test_the_readme_says_what_was_tried_and_what_is_only_promised():
    found = versions.recorded()
    assert found.sentence() in " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    for trial in found.tried:
        assert list(trial.versions) == ["Python", "numpy", "mpmath", "numba", "torch"]
        assert trial.passed >= 1000


def other_versions(text: str) -> list[str]:
    """Libraries that ours was compared with, named at a version that the record does not have.

    Versions of two numbers tell of the past of a library: since transformers 4.43.
    """
    recorded = parity.recorded().libraries()
    named = re.findall(rf"\b({'|'.join(map(re.escape, recorded))})`?[ =]+v?(\d+\.\d+\.\d+)\b", text)
    return [" ".join(one) for one in named if recorded[one[0]] != one[1]]


def test_pages_name_the_versions_that_were_compared():
    files = [*ROOT.glob("docs/*/*.md"), *ROOT.glob("pe_book/evidence/claims/*.toml")]
    texts = {file.relative_to(ROOT): file.read_text(encoding="utf-8") for file in files}
    found = {str(name): wrong for name, text in texts.items() if (wrong := other_versions(text))}
    assert found == {}, "the record of the comparison has other versions: make parity RECORD=yes writes it"
    assert sum("transformers 5." in text for text in texts.values()) > 5


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("as transformers 5.1.0 does", ["transformers 5.1.0"]),
        ("pip install transformers==5.1.0", ["transformers 5.1.0"]),
        ("since transformers 4.43, and xformers 0.0.35", []),
        (f"as transformers {parity.recorded().libraries()['transformers']} does", []),
    ],
)
def test_another_version_is_seen(text, wrong):
    assert other_versions(text) == wrong


def test_a_renamed_option_is_told_where_a_record_is_shown(tmp_path, monkeypatch):
    """By a page with the bench of turning, and by the build report of the fuzz and the versions."""
    before = [one.digest() for one in (bench.ROTARY_RECORD, fuzz.RECORD, versions.RECORD)]
    shutil.copytree(ROOT / "pe_book", tmp_path / "pe_book", ignore=shutil.ignore_patterns("__pycache__"))
    rotary = tmp_path / "pe_book" / "nn" / "modules" / "rotary.py"
    rotary.write_text(rotary.read_text(encoding="utf-8").replace("in_place", "at_once"), encoding="utf-8")
    monkeypatch.setattr(Record.digest, "__defaults__", (tmp_path,))
    assert not {one.digest() for one in (bench.ROTARY_RECORD, fuzz.RECORD, versions.RECORD)} & {*before}
    report = " ".join(map(str, pe_ext.records(None)))
    for name, said in (
        ("bench_rotary", bench.recorded("rotary")["versions"]),
        ("fuzz", report),
        ("versions", report),
    ):
        whole = json.loads((bench.HERE / f"{name}.json").read_text(encoding="utf-8"))
        assert f"pe_book {whole['version']} (digest {whole['digest'][:8]}; {CHANGED})" in said
