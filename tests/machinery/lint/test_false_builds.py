"""Ways in which a build could be green and false: each is refused, or has no effect."""

from __future__ import annotations

import os
import socket
import subprocess
import sys

import pytest

from kernel.refusals import catalogue

HEAD = "(sec:{name}:top)=\n# Page\n\n"
CELL = "```{{code-cell}} python\n{code}\n```\n\n"


def page_with(name: str, code: str, text: str = "") -> str:
    return HEAD.format(name=name) + CELL.format(code=code) + text + "\n"


# what the catalogue plants as a whole cell or as text behind one, by code and name
CELLS, TEXTS = (
    {
        f"{code} {planted['name']}": (planted[kind], code)
        for code, entry in catalogue().items()
        for planted in entry.get("planted", ())
        if kind in planted
    }
    for kind in ("cell", "text")
)


def page_name(kind: str, fault: str) -> str:
    return f"{kind}-{fault.replace(' ', '-').lower()}"


SHADOWED = """list, dict, sorted, print, bool, type, str, len, eval, compile, open, isinstance = [None] * 12
_os = _json = _sys = _files = ask = None
from pe_book.sinusoidal.formula import encode
x = encode(1, 4).size + 1
"""


WITHOUT_KERNEL = """(sec:bare:top)=
# Page

{holds}`it holds <x < 1>`

:::{drawn} picture
:name: fig:bare:one
A.
:::

```{math}
:label: eq:bare:one
y = \\val{x}
```

```python
>>> 1 + 1
3
```
"""


@pytest.fixture(scope="module")
def messages(new_book, tmp_path_factory):
    """One strict build of a page for each."""
    book = new_book(tmp_path_factory.mktemp("false"))
    names = []
    for kind, planted in (("cell", CELLS), ("text", TEXTS)):
        for fault, (text, _) in planted.items():
            name = page_name(kind, fault)
            code = text if kind == "cell" else "x = 1"
            asks = kind == "cell" or ">>>" in text  # the others need no kernel
            book.page(
                name,
                page_with(name, code, text * (kind == "text"))
                if asks
                else HEAD.format(name=name) + text + "\n",
            )
            names.append(name)
    book.page(
        "shadowed",
        page_with("shadowed", SHADOWED, "{holds}`five <x == 5>`, {{ x }}.\n\n```python\n>>> x\n5\n```"),
    )
    book.page("false-shadow", page_with("false-shadow", SHADOWED, "{holds}`six <x == 6>`"))
    path = book.page("no-kernel", WITHOUT_KERNEL)
    kernel = "file_format: mystnb\nkernelspec: {name: python3, display_name: Python 3}\n"
    path.write_text(path.read_text(encoding="utf-8").replace(kernel, ""), encoding="utf-8")
    entries = "\n".join([*names, "shadowed", "false-shadow", "no-kernel"])
    book.page("index", f"(sec:index:top)=\n# Index\n\n```{{toctree}}\n{entries}\n```\n")
    before = sorted(file.name for file in (book.root / "docs").iterdir())
    built = book.build()
    assert built.code != 0
    assert sorted(file.name for file in (book.root / "docs").iterdir()) == before, (
        "a cell wrote into the book"
    )
    return built


@pytest.mark.parametrize("fault", CELLS)
def test_cells(messages, fault):
    complaint = messages.about(page_name("cell", fault))
    assert CELLS[fault][1] in complaint, complaint
    named = (
        f"cell {0}" in complaint or "cell 1" in complaint or "PE214" in complaint
    )  # that one asks at the end
    assert named, "the message names the cell"


@pytest.mark.parametrize("fault", TEXTS)
def test_texts(messages, fault):
    complaint = messages.about(page_name("text", fault))
    assert TEXTS[fault][1] in complaint, complaint


def test_the_names_of_a_page_disturb_no_question(messages):
    assert messages.about("shadowed") == ""
    assert "PE324" in messages.about("false-shadow")


def test_a_page_without_a_kernel_says_so(messages):
    """Everything that would ask one is refused at its place; nothing of the book raises."""
    said = messages.about("no-kernel")
    for words in ("PE213 a doctest would not be run: the page has no kernel", "PE313", "PE501"):
        assert words in said
    assert (
        "/docs/_ext/" not in said
    )  # a kernel of another page may die between these lines, with its own words
    assert "KeyError" not in said


@pytest.mark.parametrize(
    "environment",
    [
        {"PYTHONOPTIMIZE": "1"},
        {"PYTHONSTARTUP": "startup.py", "PYTHONWARNINGS": "ignore"},
    ],
    ids=str,
)
def test_settings_of_python_take_no_assertion_out(book, environment):
    (book.root / "startup.py").write_text("x = 1\n")
    book.page("index", page_with("index", "assert 1 == 2"))
    command = [sys.executable, str(book.root / "docs" / "_ext" / "book.py"), "page", "index"]
    done = subprocess.run(
        command, env={**os.environ, **environment, "PE_BOOK_NO_VENV": "1"}, cwd=book.root,
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode != 0
    assert "AssertionError" in done.stdout + done.stderr
    assert book.build(**environment).code != 0


def test_startup_files_and_settings_of_the_user_reach_no_page(book, tmp_path):
    home = tmp_path / "home"
    startup = home / ".ipython" / "profile_default" / "startup"
    startup.mkdir(parents=True)
    (startup / "0.py").write_text("planted = 0.0464\n")
    (home / ".ipython" / "profile_default" / "ipython_config.py").write_text(
        "c.InteractiveShellApp.exec_lines = ['planted = 0.0464']\n"
    )
    settings = home / ".config" / "matplotlib"
    settings.mkdir(parents=True)
    (settings / "matplotlibrc").write_text("lines.linewidth: 43\n")
    book.page(
        "index",
        page_with(
            "index", "import matplotlib\nwidth = matplotlib.rcParams['lines.linewidth']", "{{ width }}"
        ),
    )
    book.page("other", page_with("other", "x = 1", "{{ planted }}"))
    code = "import os\nseen = len(os.environ.get('PLANTED', '')) + len([k for k in os.environ if k.startswith('IPYTHON')])"
    book.page("variables", page_with("variables", code, "{{ seen }}"))
    book.change("docs/index.md", "# Page\n", "# Page\n\n```{toctree}\nother\nvariables\n```\n")
    built = book.build(
        PLANTED="planted",
        IPYTHONDIR=str(home / ".ipython"),
        HOME=str(home),
        XDG_CONFIG_HOME=str(home / ".config"),
    )
    assert "NameError" in built.output
    assert ["width", "1.5"] in book.findings()["index"]["found"]
    assert ["seen", "0"] in book.findings()["variables"]["found"]


def test_the_first_complaint_is_the_cause(book):
    book.page(
        "index",
        page_with("index", "value = 1 / 0", "{{ value }}, {holds}`it holds <value > 1>`, $\\val{value:.2f}$"),
    )
    built = book.build()
    complaints = [line for line in built.output.splitlines() if "WARNING" in line]
    assert "PE204 cell 0 failed" in complaints[0] or "PE204 cell 1 failed" in complaints[0]
    assert "index.md:1" in complaints[0], "with its line"
    assert "ZeroDivisionError" in built.output
    assert len(complaints) == 1, "what failed because of it is not reported beside it"


def test_a_loop_without_end_is_stopped_and_other_pages_are_reported(book):
    book.page("cell", page_with("cell", "while True:\n    pass"))
    book.page("field", page_with("field", "def f():\n    while True:\n        pass", "{{ f() }}"))
    book.page("other", page_with("other", "x = 1", "The number 48.5."))
    book.page("index", "(sec:index:top)=\n# Index\n\n```{toctree}\ncell\nfield\nother\n```\n")
    built = book.build("-D", "nb_execution_timeout=3")
    assert built.code != 0
    assert "PE208" in built.about("cell")
    assert "did not end within 3 s" in built.about("field")
    assert "48.5" in built.about("other"), "the other page is reported"


def test_a_server_in_a_cell_is_refused_even_here(book):
    """The guard is for connections, not for ports that nobody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        book.page(
            "index", page_with("index", f"import socket\nsocket.create_connection(('127.0.0.1', {port}))")
        )
        assert "PE206" in book.build().output
