"""One page: `make page P=sinusoidal/shift` builds and tries it, `make test P=sinusoidal/shift` tests it."""

from __future__ import annotations

import difflib
import os
import re
import sys
from importlib.util import find_spec
from pathlib import Path

from book import BUILD, ROOT, Refusal, call, option

NOTHING_CHOSEN = 5  # what pytest says if no test was chosen: a page without figures and tables


def page_name(given: str) -> str:
    """`sinusoidal/shift` from that, from `docs/sinusoidal/shift.md` or from `sinusoidal/shift.html`."""
    name = re.sub(r"^(\./)?docs/|\.md$|\.html$", "", given.replace("\\", "/").strip("/"))
    if (ROOT / "docs" / f"{name}.md").exists():
        return name
    pages = [file.relative_to(ROOT / "docs").with_suffix("").as_posix() for file in ROOT.glob("docs/*/*.md")]
    closest = difflib.get_close_matches(name, pages, n=1, cutoff=0.4)
    hint = f"did you mean {closest[0]}?" if closest else "give it as P=sinusoidal/shift."
    raise Refusal(f"There is no page {given!r}: {hint}")


def sphinx(out: Path, *settings: str, jobs: str = "1") -> int:
    """Build into a folder what the settings of conf.py ask for; its doctrees lie beside it."""
    asked = [word for setting in settings for word in ("-D", setting)]
    places = ["-d", out.with_name(f"{out.name}.doctrees"), *asked, "docs", out]
    return call("-m", "sphinx", "-E", "-W", "-j", jobs, "-b", "html", "-c", ".", *places)


def shown_and_pasted(name: str, *, recording: str = "") -> int:
    """Run the visible cells of a page by themselves; compare figures and words with how they were last seen.

    Recording, what is harmless, or all that somebody has looked at, is written down. For the whole book that
    takes half as long as a build, so `html` leaves it to `test`.
    """
    if not (ROOT / "tests" / "show").is_dir():
        return 0
    files = ["tests/pages/test_pasted.py", "tests/show/test_whole.py", "tests/recorded/test_recorded.py"]
    variables = {**os.environ, "PE_RECORD": recording}
    code = call("-m", "pytest", "-q", *files, "-k", f"[{name}- or [{name}]", variables=variables)
    return 0 if code == NOTHING_CHOSEN else code


def needs_torch(file: Path) -> bool:
    return bool(re.search(r"^(import|from) torch\b", file.read_text(encoding="utf-8"), re.MULTILINE))


def tests_of(name: str) -> list[Path]:
    """The tests of what a chapter defines and decides."""
    part, _, slug = name.replace("-", "_").rpartition("/")
    folders = [ROOT / "tests" / top for top in (part, f"evidence/{part}", "nn/functional")]
    found = [file for folder in folders for file in sorted(folder.glob(f"test_{slug}*.py"))]
    return found + sorted((ROOT / "tests" / part / slug).glob("test_*.py"))  # of its later sections


def examples_of(name: str) -> list[Path]:
    """The modules whose examples belong to a chapter: what its files define, and its public names."""
    from pe_book.catalogue import RECORDS

    stem = name.replace("-", "_")
    homes = [ROOT / "pe_book" / top / stem for top in ("", "evidence", "show")]
    public = [home for row in RECORDS if row.page == name for home in (row.numpy, row.torch) if home]
    homes += [ROOT / home.replace(".", "/") for home in public]
    found = {
        file for home in homes for file in (home.with_suffix(".py"), *home.rglob("*.py")) if file.exists()
    }
    return sorted(file for file in found if find_spec("torch") or not needs_torch(file))


def test(name: str) -> int:
    own = [*tests_of(name), *examples_of(name)]  # of a how-to there may be none, and pytest would take all
    code = call("-m", "pytest", "-q", "--doctest-modules", *own) if own else 0
    return (0 if code == NOTHING_CHOSEN else code) or shown_and_pasted(name)


def page(name: str) -> int:
    out = BUILD / "page" / name.replace("/", "-")
    code = sphinx(out, f"pe_only={name}", f"pe_executions={BUILD / 'executions'}")
    if code == 0:
        print(f"Open {out / f'{name}.html'}")
    return code or shown_and_pasted(name, recording="looked" if option("RECORD") == "yes" else "harmless")


if __name__ == "__main__":
    sys.exit((test if sys.argv[1:] == ["test"] else page)(page_name(option("P"))))
