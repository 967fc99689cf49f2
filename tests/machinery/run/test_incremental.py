"""A rebuild executes the pages that a change concerns, and no others; at the end it is a clean build.

Each page reads one thing in one way. Edits share a build only where their pages read nothing of each other; a
changed module has one of its own. What is no part of an execution is read anew in any build (run/fresh.py).
"""

from __future__ import annotations

import os
import sqlite3
import threading

import pytest

from tests.conftest import complaints, differences

HEAD = "(sec:{name}:top)=\n# Page {name}\n\n```{{code-cell}} python\n:tags: [hide-input]\n{code}\n```\n\n{{{{ x }}}}\n"
SHADOWED = """list, dict, sorted, print, bool, type, str, len, eval, compile, open, isinstance = [None] * 12
_os = _json = _sys = _files = ask = None
from pe_book.edited.formula import FORMULA as x"""
PAGES = {
    "direct": "from pe_book.edited.alpha import alpha\nx = alpha(2)",
    "behind": "from pe_book.edited.beta import beta\nx = beta(2)",
    "inside": "from pe_book.edited.late import late\nx = late()",
    "lazy": "import pe_book as pe\nx = pe.shift_matrix(1, 4).size",
    "optional": "try:\n    from pe_book.optional.missing import x\nexcept ImportError:\n    x = 0",
    "shadowed": SHADOWED,
    "record": "import json\nx = json.loads(open('../pe_book/edited/record.json').read())",
    "code": "x = len(open('../pe_book/edited/read.py').read())",
    "measured": "import numpy as np\nx = np.loadtxt('measured.csv')",
    "folder": "import pathlib\nx = sum(float(file.read_text()) for file in pathlib.Path('data').glob('*.csv'))",
    "glob": "x = len(__import__('glob').glob('*.part'))",
    "bytes": "x = int(open(b'bytes.txt').read())",
    "number": "import os\nx = int(os.fdopen(os.open('number.txt', 0)).read())",
    "listing": "names = {}\nexec(open('listing.txt').read(), names)\nx = names['listed']",
    "sqlite": "import sqlite3\ndata = sqlite3.connect('file:data.db?mode=ro', uri=True)\n"
    "x = data.execute('select count(*) from sqlite_master').fetchone()[0]",
    "alone": "x = 4",
}
FILES = {
    "pe_book/edited/__init__.py": '"""Modules that are edited."""\n',
    "pe_book/optional/__init__.py": "",
    "pe_book/edited/alpha.py": "STEP = 3\n\n\ndef alpha(n):\n    return STEP * n\n",
    "pe_book/edited/beta.py": "from pe_book.edited.alpha import alpha\n\n\ndef beta(n):\n    return alpha(n) + 1\n",
    "pe_book/edited/late.py": "def late():\n    from pe_book.edited.within import WITHIN\n\n    return WITHIN\n",
    "pe_book/edited/within.py": "WITHIN = 1\n",
    "pe_book/edited/formula.py": "FORMULA = 1\n",
    "pe_book/edited/read.py": "READ = 1\n",
    "pe_book/edited/record.json": "12\n",
    "docs/measured.csv": "0.5\n",
    "docs/data/first.csv": "0.25\n",
    "docs/bytes.txt": "1\n",
    "docs/number.txt": "1\n",
    "docs/listing.txt": "listed = 5\n",
}


def write(book, **files: str) -> None:
    for name, text in files.items():
        (book.root / name).parent.mkdir(exist_ok=True)
        (book.root / name).write_text(text, encoding="utf-8")


@pytest.fixture(scope="module")
def built(new_book, tmp_path_factory):
    book = new_book(tmp_path_factory.mktemp("incremental"))
    write(book, **FILES)
    add_table(book, "first")
    entries = "\n".join(PAGES)
    book.page(
        "index", f"(sec:index:top)=\n# Index\n\n```{{toctree}}\n{entries}\n```\n\n{{ref}}`sec:alone:top`\n"
    )
    for name, code in PAGES.items():
        book.page(name, HEAD.format(name=name, code=code))
    first = book.build()
    assert first.code == 0, first.output
    assert first.executed == sorted(PAGES)
    return book


def add_table(book, name: str) -> None:
    sqlite3.connect(book.root / "docs" / "data.db").execute(f"create table {name} (x)").connection.close()


def change_under_a_time(book, seconds: float) -> None:
    """A changed module under a time that says nothing."""
    path = book.root / "pe_book/edited/alpha.py"
    before = path.stat().st_mtime
    path.write_text(path.read_text(encoding="utf-8") + "# changed\n", encoding="utf-8")
    os.utime(path, (before + seconds, before + seconds))


def nothing_but_a_time(book) -> None:
    os.utime(book.root / "pe_book/edited/alpha.py")


def a_constant(book) -> None:
    write(book, **{"pe_book/edited/alpha.py": FILES["pe_book/edited/alpha.py"].replace("3", "5")})


def a_module_behind_a_module(book) -> None:
    book.change("pe_book/edited/beta.py", "+ 1", "+ 2")


def a_module_imported_when_it_is_used(book) -> None:
    write(book, **{"pe_book/edited/within.py": "WITHIN = 2\n"})


def a_name_of_the_package(book) -> None:
    book.change("pe_book/sinusoidal/shift/__init__.py", '"""', '"""Changed. ')


def a_module_that_was_missing(book) -> None:
    write(book, **{"pe_book/optional/missing.py": "x = 7\n"})


def a_module_that_is_gone(book) -> None:
    write(book, **{"pe_book/optional/missing.py": "x = 8\n"})
    assert book.build().executed == ["optional"]
    (book.root / "pe_book/optional/missing.py").unlink()


def a_module_behind_shadowed_names(book) -> None:
    write(book, **{"pe_book/edited/formula.py": "FORMULA = 2\n"})


def files_of_the_package_that_are_data(book) -> None:
    write(book, **{"pe_book/edited/record.json": "13\n", "pe_book/edited/read.py": "READ = 11\n"})


def files_and_folders_of_the_pages(book) -> None:
    write(book, **{"docs/measured.csv": "0.75\n", "docs/data/second.csv": "0.125\n", "docs/new.part": ""})
    write(book, **{"docs/bytes.txt": "2\n", "docs/number.txt": "2\n", "docs/listing.txt": "listed = 6\n"})
    add_table(book, "second")


def a_file_under_another_name_and_the_code_of_a_page(book) -> None:
    (book.root / "docs/data/first.csv").rename(book.root / "docs/data/zero.csv")
    book.change("docs/alone.md", "x = 4", "x = 5")


READ_IN_DOCS = {
    "bytes": "2",
    "folder": "0.375",
    "glob": "1",
    "listing": "6",
    "measured": "0.75",
    "number": "2",
}
EDITS = [  # what is changed, and the pages that are then executed, with what they say
    (nothing_but_a_time, {}),
    (a_constant, {"behind": "11", "direct": "10"}),
    (a_module_behind_a_module, {"behind": "12"}),
    (lambda book: change_under_a_time(book, -3600), {"behind": "12", "direct": "10"}),
    (lambda book: change_under_a_time(book, 86400), {"behind": "12", "direct": "10"}),
    (a_module_imported_when_it_is_used, {"inside": "2"}),
    (a_name_of_the_package, {"lazy": "16"}),
    (a_module_that_was_missing, {"optional": "7"}),
    (a_module_that_is_gone, {"optional": "0"}),
    (a_module_behind_shadowed_names, {"shadowed": "2"}),
    (files_of_the_package_that_are_data, {"code": "10", "record": "13"}),
    (files_and_folders_of_the_pages, {**READ_IN_DOCS, "sqlite": "2"}),
    (a_file_under_another_name_and_the_code_of_a_page, {"alone": "5", "folder": "0.375"}),
]


def test_each_edit_executes_the_pages_it_concerns_and_the_last_build_is_a_clean_one(built):
    """One after another, so that each begins from executions that others have left."""
    for edit, concerned in EDITS:
        edit(built)
        again = built.build()
        assert (again.code, again.executed) == (0, sorted(concerned)), f"{edit}\n{again.output}"
        for page, says in concerned.items():
            assert built.findings()[page]["found"] == [["x", says]], edit
    assert built.build().executed == []
    # one page has another title, and the page that names it stays as it is
    built.change("docs/alone.md", "# Page alone", "# The last page")
    built.change("docs/index.md", "glob\n", "")
    (built.root / "docs" / "glob.md").unlink()
    again = built.build(builder="html")
    assert again.executed == ["alone"], "one edit of prose executes one page"
    clean = built.build("-j", "2", builder="html", into="clean", PYTHONHASHSEED="random")
    assert clean.executed == sorted(PAGES.keys() - {"glob"})
    assert (again.code, complaints(again.output)) == (clean.code, complaints(clean.output)) == (0, [])
    assert differences(built.root / "out", built.root / "clean" / "out") == []


def breaks(book, was: str, now: str, page: str, code: str) -> None:
    book.change("pe_book/edited/beta.py", was, now)
    built = book.build()
    assert built.code != 0
    assert code in built.about(page)


def test_a_change_that_breaks_a_page_is_refused_again_until_it_is_taken_back(book):
    write(book, **{name: text for name, text in FILES.items() if name.startswith("pe_book")})
    text = HEAD.format(name="index", code=PAGES["behind"]) + "\n{holds}`it grows <x > 2>`\n"
    book.page("index", text)
    assert book.build().code == 0
    breaks(book, "return alpha(n)", "return 0 * alpha(n)", "index", "PE324")
    breaks(book, "def beta", "def betta", "index", "PE204")
    write(book, **{"pe_book/edited/beta.py": FILES["pe_book/edited/beta.py"]})
    assert book.build().code == 0


def requirements(book):
    book.change("requirements.txt", "\n", "\n# changed\n")


def machinery(book):
    book.change("docs/_ext/bookish/run/values.py", '"""', '"""Changed. ')


def python(book):
    book.change("conf.py", "import sys\n", "import sys\n\nsys.version += ' (another)'\n")


def test_what_every_page_rests_on_executes_all(book):
    """The requirements, the machinery, and the version of Python."""
    book.page("index", HEAD.format(name="index", code=PAGES["alone"]))
    assert book.build().executed == ["index"]
    for change in (requirements, machinery, python):
        change(book)
        assert book.build().executed == ["index"], change
        assert book.build().executed == [], change


def test_a_module_edited_while_its_page_is_executing(book):
    """The page waits inside the old module; meanwhile it is edited; the next build executes the page again."""
    module, signal_file = book.root / "pe_book" / "slow.py", book.root.parent / f"{book.root.name}-gate"
    module.write_text(
        f"import pathlib, time\nVALUE = 1\npathlib.Path({str(signal_file)!r}).touch()\n"
        f"while not pathlib.Path({str(signal_file)!r} + '-open').exists():\n    time.sleep(0.02)\n"
    )
    book.page("index", HEAD.format(name="index", code="from pe_book.slow import VALUE as x"))
    built = []
    thread = threading.Thread(target=lambda: built.append(book.build()))
    thread.start()
    while not signal_file.exists():
        assert thread.is_alive(), "the build ended before the page was executed"
    module.write_text("VALUE = 2\n")
    (signal_file.parent / f"{signal_file.name}-open").touch()
    thread.join()
    assert built[0].executed == ["index"]
    assert book.build().executed == ["index"]
    assert book.findings()["index"]["found"] == [["x", "2"]]
