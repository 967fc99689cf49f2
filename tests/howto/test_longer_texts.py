"""The how-to on longer texts: its code runs when it is pasted, and prints what its prose says."""

import re
import subprocess
import sys
from pathlib import Path

import pe_book

PAGE = Path(pe_book.__file__).parents[1] / "docs" / "howto" / "longer-texts.md"
CELLS = re.findall(r"```\{code-cell\} python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)


def printed(source: str) -> list[str]:
    """What a fresh interpreter prints."""
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_the_answer_runs_when_it_is_pasted():
    """The first cell needs nothing else on the page, and its verdict is that the length is covered."""
    assert printed(CELLS[0])[0].startswith("131,072 tokens: covered")


def test_the_factor_of_the_answer_is_what_covers():
    """A smaller one does not, so the verdict is no constant."""
    smaller = CELLS[0].replace('"factor": 4.0', '"factor": 2.0')
    assert smaller != CELLS[0]
    assert "covered, up to 131,072" not in printed(smaller)[0]


def test_the_fastest_pair_stays_and_the_slowest_has_the_whole_factor():
    *_, slowed, factor = printed("\n".join(CELLS[:2]))
    assert slowed == "1.00 4.00"
    assert abs(float(factor) - 1.13863) < 1e-5  # YaRN, equation 22


def test_a_key_turned_anew_has_the_score_of_its_distance_and_a_stale_one_another():
    stale, fresh = (map(float, line.split(" of ")) for line in printed("import pe_book as pe\n" + CELLS[2]))
    kept, right = stale
    assert abs(kept - right) > 0.1
    assert len(set(fresh)) == 1
