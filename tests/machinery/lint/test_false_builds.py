"""Ways in which a build could be green and false: each is refused, or has no effect."""

import pytest

HEAD = "(sec:{name}:top)=\n# Page\n\n"
CELL = "```{{code-cell}} python\n{code}\n```\n\n"


def page_with(name: str, code: str, text: str = "") -> str:
    return HEAD.format(name=name) + CELL.format(code=code) + text + "\n"


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
    built = book.build(**environment)
    assert built.code != 0
    assert any(word in built.output for word in ("AssertionError", "PYTHONOPTIMIZE"))


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
