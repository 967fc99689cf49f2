"""The pages themselves stay as they are on another machine, and an incremental book is a clean one."""

import os
import subprocess
import sys

import pytest

from bookish.run.cells import from_text
from tests.pages.sources import names, text_of

COMPUTED = [name for name in names() if from_text(text_of(name))]
ALONE = "family/yarn-as-run"  # in every run
PARTS = [  # one build for the pages of each
    [ALONE],
    *(
        pytest.param(
            [page for page in COMPUTED if page.startswith(part) and page != ALONE], marks=pytest.mark.thorough
        )
        for part in sorted({page.partition("/")[0] + "/" for page in COMPUTED if "/" in page})
    ),
]


def another_cpu() -> dict[str, str]:
    """Without numpy's SIMD paths, and with another BLAS kernel, the last bits differ."""
    from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__

    simd = " ".join(name for name in __cpu_dispatch__ if __cpu_features__.get(name))
    return {"NPY_DISABLE_CPU_FEATURES": simd, "OPENBLAS_CORETYPE": "Prescott"}


@pytest.mark.parametrize("pages", PARTS)
def test_every_word_survives_another_cpu(remembering, pages):
    """No printed digit may be another one."""
    part = pages[0].partition("/")[0]
    built = " ".join([*([f"{part}/index"] if len(pages) > 1 else []), *pages])  # its list numbers the others
    before = remembering.remembered(built)
    kept = remembering.findings()
    after = remembering.build("-D", f"pe_only={built}", **another_cpu())
    assert (before.code, after.code) == (0, 0), before.output + after.output
    assert {*pages} - {*after.executed} == set()
    for page in pages:
        for what in ("found", "text"):
            assert remembering.findings()[page][what] == kept[page][what], page


EDITED = (
    "family/index family/doors family/rotary sinusoidal/index sinusoidal/formula sinusoidal/waves sinusoidal/unique"
    " sinusoidal/shift sinusoidal/heads reference/bibliography"
)
EDITS = [
    ("docs/family/doors.md", "\n# ", "\n# Again: "),
    (
        "docs/sinusoidal/waves.md",
        "\n(sec:waves:exercises)=",
        "\nOne more sentence.\n\n(sec:waves:exercises)=",
    ),
    ("pe_book/sinusoidal/shift/__init__.py", '"""', '"""Again: '),
    ("docs/sinusoidal/shift.md", ":::{prf:theorem} ", ":::{prf:theorem} Again: "),
    ("docs/references.bib", "= {2017}", "= {2016}"),
    ("docs/sinusoidal/index.md", "formula\nwaves\n", "waves\nformula\n"),
]


@pytest.mark.thorough
def test_an_incremental_book_is_a_clean_one(remembering):
    """Pages of the real book: titles, prose, code, a source and the order of chapters."""
    remembering.build("-D", f"pe_only={EDITED}", builder="html")
    for edit in EDITS:
        remembering.change(*edit)
    assert remembering.differs_from_clean("-D", f"pe_only={EDITED}") == []


def test_another_cpu_is_another_cpu():
    """The test above would prove nothing if the switches did nothing."""
    code = "import numpy as np; rng = np.random.default_rng(0); a = rng.normal(size=(300, 300)); print((a @ a).tobytes().hex()[:40000], np.exp(a).tobytes().hex()[:40000])"
    if not another_cpu()["NPY_DISABLE_CPU_FEATURES"]:
        pytest.skip("numpy finds no SIMD feature on this CPU that could be switched off")
    here, there = (
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, check=True, env={**os.environ, **extra}
        )
        for extra in ({}, another_cpu())
    )
    assert here.stdout != there.stdout
