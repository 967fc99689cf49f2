"""A rebuild executes the pages that a change concerns, and no others; at the end it is a clean build, byte for byte.

Each page reads one thing in one way. Edits share a build only where their pages read nothing of each other; a
changed module has one of its own. What is no part of an execution is read anew in any build (run/fresh.py).
"""

import json
import os
import shutil
import sqlite3
import threading

import pytest

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
# what pages say of each other: one page has it, the other names it and is not edited
SHOWN = """
(sec:shown:text)=
## A section

{{holds}}`it grows <x < 4>`. A {{term}}`dial` turns.

:::{{prf:theorem}} First
:label: thm:shown:first

All is well.
:::

:::{{drawn}} line(4)
:name: fig:shown:line
A line.
:::

:::{{tabled}} Table(Column("n", ["a"]), Column("value", [f"{{x}}"]))
:name: tab:shown:values
Values.
:::

$$ a + b = \\val{{x:.2f}} $$ (eq:shown:sum)
"""
DRAWS = """from pe_book.show.drawing.figure import Figure
from pe_book.show.drawing.frame import Frame
from pe_book.show.drawing.panel import Panel
from pe_book.show.drawing.plots import Line
from pe_book.show.drawing.table import Column, Table

x = 3

def line(n):
    frame = Frame({"n": range(n), "value": range(n)}, steps=n)
    return Figure(frame, Panel(Line("n", "value")), facts=lambda f: {"last": f["value"][-1]},
                  alt="One line that rises from zero to {last} in {steps} steps.")"""
NAMING = """
See {ref}`sec:shown:text`, {doc}`alone`, {prf:ref}`thm:shown:first`, {eq}`eq:shown:sum`, {numref}`fig:shown:line`, and
{numref}`tab:shown:values`. At the base 10000 a {term}`dial` turns, as {cite:t}`vaswani2017` say.
"""
GLOSSARY = (
    "(sec:glossary:top)=\n# Glossary\n\n:::{glossary}\ndial\n  What turns.\n\nwave\n  What returns.\n:::\n"
)
SOURCES = "(sec:sources:top)=\n# Sources\n\n```{bibliography}\n```\n"
INDEX = "(sec:index:top)=\n# Index\n\n```{toctree}\n:caption: Pages\n"
ALPHA, BETA = "pe_book/edited/alpha.py", "pe_book/edited/beta.py"
FILES = {
    "pe_book/edited/__init__.py": '"""Modules that are edited."""\n',
    "pe_book/optional/__init__.py": "",
    ALPHA: "STEP = 3\n\n\ndef alpha(n):\n    return STEP * n\n",
    BETA: "from pe_book.edited.alpha import alpha\n\n\ndef beta(n):\n    return alpha(n) + 1\n",
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


def write(book, files: dict[str, str]) -> None:
    for name, text in files.items():
        (book.root / name).parent.mkdir(exist_ok=True)
        (book.root / name).write_text(text, encoding="utf-8")


def add_table(book, name: str) -> None:
    sqlite3.connect(book.root / "docs" / "data.db").execute(f"create table {name} (x)").connection.close()


@pytest.fixture(scope="module")
def built(new_book, tmp_path_factory):
    book = new_book(tmp_path_factory.mktemp("incremental"))
    theme = book.root / "docs" / "_themes"
    target = theme.resolve()
    theme.unlink()
    shutil.copytree(target, theme)
    write(book, FILES)
    add_table(book, "first")
    for name, code in PAGES.items():
        book.page(name, HEAD.format(name=name, code=code))
    book.page("shown", HEAD.format(name="shown", code=DRAWS) + SHOWN.format())
    book.page("naming", HEAD.format(name="naming", code="x = 5") + NAMING)
    book.page("glossary", GLOSSARY)
    book.page("sources", SOURCES)
    entries = "\n".join([*PAGES, "shown", "naming", "glossary", "sources"])
    book.page("index", f"{INDEX}{entries}\n```\n")
    first = book.build()
    assert first.code == 0, first.output
    assert first.executed == sorted([*PAGES, "shown", "naming"])
    return book


def change_under_a_time(book, seconds: float) -> None:
    """A changed module under a time that says nothing."""
    path = book.root / ALPHA
    before = path.stat().st_mtime
    path.write_text(path.read_text(encoding="utf-8") + "# changed\n", encoding="utf-8")
    os.utime(path, (before + seconds, before + seconds))


def remove_a_module(book) -> None:
    write(book, {"pe_book/optional/missing.py": "x = 8\n"})
    assert book.build().executed == ["optional"]
    (book.root / "pe_book/optional/missing.py").unlink()


def change_what_pages_read(book) -> None:
    write(book, {"docs/measured.csv": "0.75\n", "docs/data/second.csv": "0.125\n", "docs/new.part": ""})
    write(book, {"docs/bytes.txt": "2\n", "docs/number.txt": "2\n", "docs/listing.txt": "listed = 6\n"})
    add_table(book, "second")


def rename_a_file_and_change_code(book) -> None:
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
DATA = {"pe_book/edited/record.json": "13\n", "pe_book/edited/read.py": "READ = 11\n"}
EDITS = {  # what is changed, and the pages that are then executed, with what they say
    "nothing but a time": (lambda book: os.utime(book.root / ALPHA), {}),
    "a constant": (lambda book: book.change(ALPHA, "3", "5"), {"behind": "11", "direct": "10"}),
    "a module behind a module": (lambda book: book.change(BETA, "+ 1", "+ 2"), {"behind": "12"}),
    "under an old time": (lambda book: change_under_a_time(book, -3600), {"behind": "12", "direct": "10"}),
    "under a future time": (lambda book: change_under_a_time(book, 86400), {"behind": "12", "direct": "10"}),
    "imported when it is used": (lambda book: write(book, {"pe_book/edited/within.py": "WITHIN = 2\n"}), {"inside": "2"}),
    "a name of the package": (
        lambda book: book.change("pe_book/sinusoidal/shift/__init__.py", '"""', '"""Changed. '), {"lazy": "16"},
    ),
    "a module that was missing": (lambda book: write(book, {"pe_book/optional/missing.py": "x = 7\n"}), {"optional": "7"}),
    "a module that is gone": (remove_a_module, {"optional": "0"}),
    "behind shadowed names": (lambda book: write(book, {"pe_book/edited/formula.py": "FORMULA = 2\n"}), {"shadowed": "2"}),
    "data of the package": (lambda book: write(book, DATA), {"code": "10", "record": "13"}),
    "files and folders of the pages": (change_what_pages_read, {**READ_IN_DOCS, "sqlite": "2"}),
    "another name, and the code of a page": (rename_a_file_and_change_code, {"alone": "5", "folder": "0.375"}),
}  # fmt: skip
BOX = ":::{{prf:theorem}} {0}\n:label: thm:shown:{1}\n\nTrue.\n:::\n\n"
FIGURE = ":::{drawn} line(3)\n:name: fig:shown:short\nAnother line.\n:::\n\n"
ANEW = [  # what changes without a change of what a page executes
    ("docs/alone.md", "# Page alone", "# The last page"),
    ("docs/alone.md", "title: A page", "title: The last"),
    ("docs/alone.md", "description: A page of", "description: Another page of"),
    ("docs/code.md", ":tags: [hide-input]\n", ""),
    ("docs/shown.md", "## A section", "## A renamed section"),
    ("docs/shown.md", ":::{prf:theorem}", BOX.format("New", "new") + ":::{prf:theorem}"),
    ("docs/shown.md", ":::{drawn} line(4)", FIGURE + ":::{drawn} line(4)"),
    ("docs/shown.md", "A line.\n", "A rising line.\n"),
    ("docs/shown.md", '["a"]), Column("value", [', '["b", "a"]), Column("value", ["5", '),
    ("docs/glossary.md", ":::{glossary}\n", ":::{glossary}\nhand\n  What points.\n\n"),
    ("docs/references.bib", "year = {2017}", "year = {2018}"),
    ("docs/references.bib", "@inproc", "@misc{new2020,\n  author = {New, Ann}, title = {New}, year = {2020}\n}\n@inproc"),
    ("docs/index.md", ":caption: Pages\ndirect\nbehind\n", ":caption: All pages\nbehind\ndirect\n"),
    ("docs/index.md", "glob\n", "new\n"),
    ("pyproject.toml", 'title = "Positional', 'title = "On positional'),
]  # fmt: skip
BREAKING = [  # what is changed, and the word that is then missed by the page that names it
    ("docs/glossary.md", "dial\n", "disc\n", "dial"),
    ("docs/shown.md", "sec:shown:text", "sec:shown:other", "sec:shown:text"),
    ("docs/shown.md", "thm:shown:first", "thm:shown:other", "thm:shown:first"),
    ("docs/shown.md", "(eq:shown:sum)", "(eq:shown:other)", "eq:shown:sum"),
    ("docs/shown.md", "fig:shown:line", "fig:shown:other", "fig:shown:line"),
    ("docs/given.yml", "\n10000:", "\n10001:", "10000"),
    ("docs/references.bib", "{vaswani2017,", "{other2017,", "vaswani2017"),
]


def test_each_edit_executes_the_pages_it_concerns_and_the_last_build_is_a_clean_one(built):
    """One after another, so that each begins from executions that others have left."""
    for name, (edit, concerned) in EDITS.items():
        edit(built)
        again = built.build()
        assert (again.code, again.executed) == (0, sorted(concerned)), f"{name}\n{again.output}"
        for page, says in concerned.items():
            assert built.findings()[page]["found"] == [["x", says]], name
    asking = "from os import getenv\n\nWITHIN = len(getenv('PE_SITE_URL', ''))\n"
    write(built, {"pe_book/edited/within.py": asking})
    assert [built.build(PE_SITE_URL=address).executed for address in ("https://a.b/", "")] == [["inside"]] * 2
    assert built.build(builder="html").executed == []
    for file, was, now in ANEW:
        built.change(file, was, now)
    (built.root / "docs" / "glob.md").rename(built.root / "docs" / "new.md")
    (built.root / "docs/_themes/executable_book/static/book.css").write_text("body { margin: 1px }\n")
    assert built.differs_from_clean() == []
    executed = json.loads((built.root / "doctrees" / "executed.json").read_text())
    assert executed == ["alone", "code", "new", "shown"], "what only names an edited page is not executed"
    for file, was, now, _ in BREAKING:
        built.change(file, was, now)
    said = built.build().about("naming")
    assert [word for *_, word in BREAKING if word not in said] == []


def test_a_change_that_breaks_a_page_is_refused_again_until_it_is_taken_back(book):
    write(book, {name: text for name, text in FILES.items() if name.startswith("pe_book")})
    text = HEAD.format(name="index", code=PAGES["behind"]) + "\n{holds}`it grows <x > 2>`\n"
    book.page("index", text)
    assert book.build().code == 0
    for was, now, code in (
        ("return alpha(n)", "return 0 * alpha(n)", "PE324"),
        ("def beta", "def betta", "PE204"),
    ):
        book.change(BETA, was, now)
        built = book.build()
        assert built.code != 0
        assert code in built.about("index")
    write(book, {BETA: FILES[BETA]})
    assert book.build().code == 0


def test_what_every_page_rests_on_executes_all(book):
    """The requirements, the machinery, and the version of Python."""
    book.page("index", HEAD.format(name="index", code=PAGES["alone"]))
    assert book.build().executed == ["index"]
    for file, was, now in (
        ("requirements.txt", "\n", "\n# changed\n"),
        ("docs/_ext/bookish/run/values.py", '"""', '"""Changed. '),
        ("conf.py", "import sys\n", "import sys\n\nsys.version += ' (another)'\n"),
    ):
        book.change(file, was, now)
        assert book.build().executed == ["index"], file
        assert book.build().executed == [], file


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
