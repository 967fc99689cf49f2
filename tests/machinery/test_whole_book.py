"""The pages themselves: their numbers move when the package is changed, and stay when the machine is."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

REPO = Path(__file__).resolve().parents[2]
FORMULA = "pe_book/sinusoidal/formula.py"
FREQUENCIES = "pe_book/sinusoidal/exact.py"  # where `encode` and the table have their frequencies from
CHAPTERS = {
    "why/order-blindness",
    "why/first-attempts",
    "sinusoidal/formula",
    "sinusoidal/waves",
    "sinusoidal/shift",
    "sinusoidal/distance",
    "sinusoidal/adding",
    "sinusoidal/precision",
    "sinusoidal/computing",
    "reference/conventions",
}
COMPUTED = CHAPTERS - {"sinusoidal/computing"}  # its numbers are counts and bounds of any frequencies
SIGNED = {"sinusoidal/formula", "sinusoidal/shift", "reference/conventions"}
# what is changed, and where numbers must follow; lengths and distances do not know the sign of a sine
PERTURBED = {
    "base": (
        {
            FORMULA: ("np.power(base, ", "np.power(1.5 * base, "),
            FREQUENCIES: ("context.log(base)", "context.log(1.5 * base)"),
        },
        COMPUTED,
    ),
    "sign": ({FORMULA: ("np.stack([sines, ", "np.stack([-sines, ")}, SIGNED),
    "exponent": (
        {
            FORMULA: ("-np.arange(pairs) / rungs", "-np.arange(pairs) / (2 * rungs)"),
            FREQUENCIES: ("context.log(base) / rungs", "context.log(base) / (2 * rungs)"),
        },
        COMPUTED,
    ),
}


@pytest.fixture(scope="module")
def whole(new_book, tmp_path_factory):
    """A copy of the whole book."""
    book = new_book(tmp_path_factory.mktemp("whole"))
    copied = shutil.ignore_patterns("_build", "_ext", "_jupyter", "_static", "_templates", "__pycache__")
    shutil.copytree(REPO / "docs", book.root / "docs", ignore=copied, dirs_exist_ok=True)
    shutil.copytree(REPO / "tests", book.root / "tests", ignore=copied)
    for name in ("CHANGELOG.md", "CITATION.cff"):
        shutil.copy(REPO / name, book.root / name)
    return book


@pytest.fixture(scope="module")
def before(whole):
    """What the pages say as they are."""
    made = REPO / "docs" / "_build" / "doctrees" / "findings.json"
    sources = [*REPO.glob("docs/**/*.md"), *REPO.glob("pe_book/**/*.py"), *REPO.glob("docs/_ext/*.py")]
    if made.exists() and made.stat().st_mtime > max(file.stat().st_mtime for file in sources):
        return json.loads(made.read_text(encoding="utf-8"))  # the site has just been built
    built = whole.build("-j", "2")
    assert built.code == 0, built.said
    return whole.findings()


def changed(before, after) -> set[str]:
    """Pages on which an evaluated number has another value (a field that failed does not count)."""
    return {
        page
        for page, findings in before.items()
        for (field, value), (same, other) in zip(findings["found"], after[page]["found"], strict=False)
        if field == same and value != other != "?"
    }


@pytest.mark.parametrize(
    "what", ["base", *(pytest.param(name, marks=pytest.mark.thorough) for name in ("sign", "exponent"))]
)
def test_numbers_follow_the_package(whole, before, what):
    """Cells go on after a failed assertion here, so that every number is seen, not only those before it."""
    changes, follow = PERTURBED[what]
    for file, (old, new) in changes.items():
        whole.change(file, old, new)
    try:
        options = ["-j", "2", "-D", "nb_execution_allow_errors=1", "-D", "pe_draw=0"]
        built = whole.build(*options, strict=False)
    finally:
        for file, (old, new) in changes.items():
            whole.change(file, new, old)
    assert CHAPTERS & set(built.executed) == CHAPTERS, built.said
    assert follow - changed(before, whole.findings()) == set()


def test_every_word_survives_another_cpu(whole, before):
    """Without numpy's SIMD paths, and with another BLAS kernel, the last bits differ; no printed digit may."""
    from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__

    simd = " ".join(name for name in __cpu_dispatch__ if __cpu_features__.get(name))
    built = whole.build("-E", "-j", "2", NPY_DISABLE_CPU_FEATURES=simd, OPENBLAS_CORETYPE="Prescott")
    assert built.code == 0, built.said
    after = whole.findings()
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
    "a docstring": ("pe_book/sinusoidal/shift.py", '"""', '"""Again: '),
    "the title of a theorem": ("docs/sinusoidal/shift.md", ":::{prf:theorem} ", ":::{prf:theorem} Again: "),
    "a year": ("docs/references.bib", "= {2017}", "= {2016}"),
    "the order of chapters": ("docs/sinusoidal/index.md", "formula\nwaves\n", "waves\nformula\n"),
}


@pytest.mark.thorough
@pytest.mark.parametrize("name", EDITS)
def test_an_incremental_book_is_a_clean_one(whole, name):
    """The real book, edited again and again."""
    file, old, new = EDITS[name]
    whole.change(file, old, new)
    assert whole.differs_from_clean() == []


def test_another_cpu_is_another_cpu():
    """The test above would prove nothing if the switches did nothing."""
    import os
    import subprocess
    import sys

    from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__

    code = "import numpy as np; rng = np.random.default_rng(0); a = rng.normal(size=(300, 300)); print((a @ a).tobytes().hex()[:40000], np.exp(a).tobytes().hex()[:40000])"
    simd = " ".join(name for name in __cpu_dispatch__ if __cpu_features__.get(name))
    said = []
    for extra in ({}, {"NPY_DISABLE_CPU_FEATURES": simd, "OPENBLAS_CORETYPE": "Prescott"}):
        done = subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, **extra},
        )
        said.append(done.stdout)
    if not simd:
        pytest.skip("numpy finds no SIMD feature on this CPU that could be switched off")
    assert said[0] != said[1]
