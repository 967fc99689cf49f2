"""The pages themselves: their numbers move when the package is changed, and stay when the machine is."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

REPO = Path(__file__).resolve().parents[2]
FORMULA = "pe_book/sinusoidal/formula.py"
CHAPTERS = {
    "why/order-blindness",
    "why/first-attempts",
    "sinusoidal/formula",
    "sinusoidal/waves",
    "sinusoidal/shift",
    "reference/conventions",
}
PERTURBED = {
    "base": (FORMULA, "np.power(base, ", "np.power(1.5 * base, "),
    "sign": (FORMULA, "np.stack([np.sin(angles)", "np.stack([-np.sin(angles)"),
    "exponent": (FORMULA, "-np.arange(pairs) / rungs", "-np.arange(pairs) / (2 * rungs)"),
}


@pytest.fixture(scope="module")
def whole(new_book, tmp_path_factory):
    """A copy of the whole book, built once as it is."""
    book = new_book(tmp_path_factory.mktemp("whole"))
    copied = shutil.ignore_patterns("_build", "_ext", "_jupyter", "_static", "_templates", "__pycache__")
    shutil.copytree(REPO / "docs", book.root / "docs", ignore=copied, dirs_exist_ok=True)
    shutil.copytree(REPO / "tests", book.root / "tests", ignore=copied)
    for name in ("CHANGELOG.md", "CITATION.cff"):
        shutil.copy(REPO / name, book.root / name)
    built = book.build("-j", "2")
    assert built.code == 0, built.said
    return book, book.findings()


def changed(before, after) -> set[str]:
    """Pages on which an evaluated number has another value (a field that failed does not count)."""
    return {
        page
        for page, findings in before.items()
        for (field, value), (same, other) in zip(findings["found"], after[page]["found"], strict=False)
        if field == same and value != other != "?"
    }


@pytest.mark.parametrize("what", PERTURBED)
def test_numbers_follow_the_package(whole, what):
    """Cells go on after a failed assertion here, so that every number is seen, not only those before it."""
    book, before = whole
    file, old, new = PERTURBED[what]
    book.change(file, old, new)
    try:
        built = book.build("-j", "2", "-D", "nb_execution_allow_errors=1", strict=False)
    finally:
        book.change(file, new, old)
    assert CHAPTERS & set(built.executed) == CHAPTERS
    after = book.findings()
    assert CHAPTERS - changed(before, after) == set()


def test_every_word_survives_another_cpu(whole):
    """Without numpy's SIMD paths, and with another BLAS kernel, the last bits differ; no printed digit may."""
    from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__

    book, before = whole
    simd = " ".join(name for name in __cpu_dispatch__ if __cpu_features__.get(name))
    built = book.build("-E", "-j", "2", NPY_DISABLE_CPU_FEATURES=simd, OPENBLAS_CORETYPE="Prescott")
    assert built.code == 0, built.said
    after = book.findings()
    assert before.keys() == after.keys()
    for page in before:
        assert before[page]["found"] == after[page]["found"]
        assert before[page]["text"] == after[page]["text"]


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
