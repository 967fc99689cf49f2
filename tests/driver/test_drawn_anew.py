"""What is drawn holds for other draws, too, and for more of them; and a run without a wish draws the same."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import find, settings
from hypothesis import strategies as st

from tests.seeds import WEEKLY, examples_drawn, seed

TESTS = Path(__file__).parents[1]
APART = ("site", "parity")
TEXTS = {
    file.relative_to(TESTS).as_posix(): file.read_text(encoding="utf-8")
    for file in sorted(TESTS.rglob("test_*.py"))
    if file.relative_to(TESTS).parts[0] not in APART and file != Path(__file__)
}
# the whole campaign of fuzz/ is in the weekly set as it is
DRAWS = re.compile(r"^from tests\.seeds import|^from hypothesis import .*\bgiven\b", re.MULTILINE)


def chosen(text: str) -> str:
    """The tests of a file that draw: all of one that takes the seed or draws within, else its properties."""
    whole = re.search(r"import seed|^ +@given", text, re.MULTILINE)
    return "not thorough" if whole else "hypothesis and not thorough"


@pytest.mark.thorough
@pytest.mark.parametrize(
    "file", [file for file, text in TEXTS.items() if DRAWS.search(text) and "fuzz" not in file]
)
def test_what_is_drawn_holds_for_other_draws(file: str) -> None:
    """Those of PE_WEEKLY=1 are new; where a part of the weekly set decides about a change, they are fixed."""
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-n", "0", "-m", chosen(TEXTS[file]), TESTS / file],
        cwd=TESTS.parent,
        env={**os.environ, "PE_WEEKLY": WEEKLY or "fixed"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_nothing_draws_in_its_own_way() -> None:
    """Neither a generator that the clock or the system starts, nor the number of examples of a property."""
    own = re.compile(r"SystemRandom|default_rng\(\)|[^.\w]Random\(\)|max_examples=(?!3,)")
    assert {file: found for file, text in TEXTS.items() if (found := own.findall(text))} == {}
    assert own.search("random.SystemRandom()")
    assert own.search("settings(max_examples=25)")


@pytest.mark.skipif(WEEKLY == "1", reason="then it draws anew")
def test_a_run_draws_what_the_run_before_drew() -> None:
    assert seed() == int(os.environ.get("PE_SEED") or 7)
    assert settings.default.derandomize
    assert examples_drawn(5).derandomize
    assert examples_drawn(5).database is None
    assert find(st.integers(), lambda n: n > 3) == 4
