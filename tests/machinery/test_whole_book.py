"""The pages themselves stay as they are on another machine, and an incremental book is a clean one."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

REPO = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def whole_book(new_book, tmp_path_factory):
    """A copy of the whole book."""
    book = new_book(tmp_path_factory.mktemp("whole"))
    copied = shutil.ignore_patterns("_build", "_ext", "_jupyter", "_static", "_templates", "__pycache__")
    shutil.copytree(REPO / "docs", book.root / "docs", ignore=copied, dirs_exist_ok=True)
    shutil.copytree(REPO / "tests", book.root / "tests", ignore=copied)
    for name in ("CHANGELOG.md", "CITATION.cff"):
        shutil.copy(REPO / name, book.root / name)
    return book


@pytest.fixture(scope="module")
def before(whole_book):
    """What the pages say as they are."""
    made = REPO / "docs" / "_build" / "doctrees" / "findings.json"
    sources = [*REPO.glob("docs/**/*.md"), *REPO.glob("pe_book/**/*.py"), *REPO.glob("docs/_ext/**/*.py")]
    if made.exists() and made.stat().st_mtime > max(file.stat().st_mtime for file in sources):
        return json.loads(made.read_text(encoding="utf-8"))  # the site has just been built
    built = whole_book.build("-j", "2")
    assert built.code == 0, built.output
    return whole_book.findings()


def test_every_word_survives_another_cpu(whole_book, before):
    """Without numpy's SIMD paths, and with another BLAS kernel, the last bits differ; no printed digit may."""
    from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__

    simd = " ".join(name for name in __cpu_dispatch__ if __cpu_features__.get(name))
    built = whole_book.build("-E", "-j", "2", NPY_DISABLE_CPU_FEATURES=simd, OPENBLAS_CORETYPE="Prescott")
    assert built.code == 0, built.output
    after = whole_book.findings()
    assert before.keys() == after.keys()
    for page in before:
        assert before[page]["found"] == after[page]["found"]
        assert before[page]["text"] == after[page]["text"]


EDITS = {
    "the title of a page": ("docs/family/doors.md", "\n# ", "\n# Again: "),
    "prose": (
        "docs/sinusoidal/waves.md",
        "\n(sec:waves:exercises)=",
        "\nOne more sentence.\n\n(sec:waves:exercises)=",
    ),
    "a docstring": ("pe_book/sinusoidal/shift/__init__.py", '"""', '"""Again: '),
    "the title of a theorem": ("docs/sinusoidal/shift.md", ":::{prf:theorem} ", ":::{prf:theorem} Again: "),
    "a year": ("docs/references.bib", "= {2017}", "= {2016}"),
    "the order of chapters": ("docs/sinusoidal/index.md", "formula\nwaves\n", "waves\nformula\n"),
}


@pytest.mark.thorough
@pytest.mark.parametrize("name", EDITS)
def test_an_incremental_book_is_a_clean_one(whole_book, name):
    """The real book, edited again and again."""
    file, old, new = EDITS[name]
    whole_book.change(file, old, new)
    assert whole_book.differs_from_clean() == []


def test_another_cpu_is_another_cpu():
    """The test above would prove nothing if the switches did nothing."""
    import os
    import subprocess
    import sys

    from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__

    code = "import numpy as np; rng = np.random.default_rng(0); a = rng.normal(size=(300, 300)); print((a @ a).tobytes().hex()[:40000], np.exp(a).tobytes().hex()[:40000])"
    simd = " ".join(name for name in __cpu_dispatch__ if __cpu_features__.get(name))
    outputs = []
    for extra in ({}, {"NPY_DISABLE_CPU_FEATURES": simd, "OPENBLAS_CORETYPE": "Prescott"}):
        done = subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, **extra},
        )
        outputs.append(done.stdout)
    if not simd:
        pytest.skip("numpy finds no SIMD feature on this CPU that could be switched off")
    assert outputs[0] != outputs[1]
