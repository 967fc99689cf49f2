"""One page: `make page P=sinusoidal/shift` builds and tries it, `make test P=sinusoidal/shift` tests it."""

import ast
import difflib
import os
import re
import sys
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from book import BUILD, ROOT, Refusal, call, option
from bookish.run.flow import path_of
from bookish.run.package import imports, modules, parsed, resolve
from driver import second_reader

NOTHING_CHOSEN = 5  # what pytest says if no test was chosen: a page without figures and tables
ELSEWHERE = ("driver", "fuzz", "machinery", "parity", "site")  # tests that have commands of their own


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


def shown_and_pasted(name: str, *twins: str, recording: str = "", built: bool = True) -> int:
    """Run the cells of a page as pasted; compare figures, words, typed rows and twins with what is due.

    Recording, what is harmless, or all that somebody has looked at, is written down. For the whole book that
    takes half as long as a build, so `html` leaves it to `test`. Of a refused page words alone are compared.
    """
    if not (ROOT / "tests" / "show").is_dir():
        return 0
    files = ["tests/recorded/test_recorded.py", "tests/pages/test_typed_tables.py"]
    files += ["tests/evidence/claims/test_claims.py"] * name.startswith("evidence/claims/")
    files += ["tests/pages/test_pasted.py", "tests/show/test_whole.py"] * built
    files += ["tests/nn/test_parity.py"] * bool(twins)
    variables = {**os.environ, "PE_RECORD": recording if built else ""}
    own = [f"[{one}" for one in (f"{name}-", f"{name}]", *(f"{twin}]" for twin in twins))]
    chosen = " or ".join(["test_typed_tables", *own])
    chosen = chosen if built else f"({chosen}) and not test_a_figure"
    code = call("-m", "pytest", "-q", *files, "-k", chosen, variables=variables)
    return 0 if code == NOTHING_CHOSEN else code


def rows_of(name: str) -> list[Any]:
    """What the catalogue lists for a page, read when asked: `make chapter` adds to it."""
    from pe_book.catalogue import RECORDS

    return [row for row in RECORDS if row.page == name]


def belonging(name: str) -> re.Pattern[str]:
    """The modules of a page: that bear its name, have its public names, or share a room beside the parts."""
    homes = {home for row in rows_of(name) for home in (row.numpy, row.torch) if home}
    rooms = {home.split(".")[1] for home in homes} - {"nn", *os.listdir(ROOT / "docs")}
    named = rf".*\.{name.rpartition('/')[2].replace('-', '_')}(_\w+)?"
    return re.compile(rf"(?:{'|'.join([named, *homes, *(f'pe_book.{room}' for room in rooms)])})\b")


@cache
def used_by(file: Path) -> frozenset[str]:
    """The names of the package that a test uses, each by where it is defined."""
    known = {name: home for node in ast.walk(parsed(file)) for name, home in imports(node).items()}
    paths = filter(None, map(path_of, ast.walk(parsed(file))))
    meant = {".".join([known[first], *rest]) for first, *rest in paths if first in known}
    return frozenset(filter(None, map(resolve, meant)))


def tests_of(name: str) -> list[Path]:
    """The tests that lie where the modules of a page do, or use a fifth of their names from these."""
    belongs, found = belonging(name), []
    for file in sorted((ROOT / "tests").rglob("test_*.py")):
        place = file.relative_to(ROOT / "tests").with_suffix("").as_posix().replace("/", ".")
        used = frozenset[str]() if place.startswith(ELSEWHERE) else used_by(file)
        own = [home for home in used if belongs.match(home.rpartition(".")[0])]
        if len(own) > len(used) / 5 or belongs.match(f"pe_book.{place}".replace(".test_", ".")):
            found.append(file)
    return found


def test(name: str) -> int:
    belongs = belonging(name)
    own = [*tests_of(name), *(file for module, file in modules().items() if belongs.match(module))]
    quick = ["-q", "-m", "not thorough", "--doctest-modules"]
    quick += ["--doctest-ignore-import-errors"] * (not find_spec("torch"))
    twins = [row.name for row in rows_of(name) if row.numpy and row.torch]
    code = call("-m", "pytest", *quick, *own) if own else 0  # of nothing, pytest would take all
    return (0 if code == NOTHING_CHOSEN else code) or shown_and_pasted(name, *twins)


def recorded(name: str) -> dict[str, bytes]:
    """What somebody has seen of a page, and of claims, by the files that hold it."""
    files = (f"tests/recorded/{name}.txt", "tests/evidence/claims/said.txt")
    return {file: (ROOT / file).read_bytes() if (ROOT / file).exists() else b"" for file in files}


def page(name: str) -> int:
    out = BUILD / "page" / name.replace("/", "-")
    code = sphinx(out, f"pe_only={name}", f"pe_executions={BUILD / 'executions'}")
    if code == 0:
        print(f"Open {out / f'{name}.html'}")
    looked, before = option("RECORD") == "yes", recorded(name)
    shown = shown_and_pasted(name, recording="looked" if looked else "harmless", built=code == 0)
    written = [file for file, text in recorded(name).items() if before[file] != text]
    if written or looked:
        print(f"Recorded in {', '.join(written)}." if written else "Nothing was recorded.")
    second_reader.tell(f"docs/{name}.md")
    return code or shown


if __name__ == "__main__":
    sys.exit((test if sys.argv[1:] == ["test"] else page)(page_name(option("P"))))
