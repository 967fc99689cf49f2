"""What is borrowed from MyST-NB: each symbol exists, is what it was, and is called; replays equal executions."""

import ast
import json
import re
from pathlib import Path

import pytest
from myst_nb.core.execute.inline import NotebookClientInline
from sphinx.errors import ExtensionError

from bookish.run import engine, foreign

# a page that needs every symbol once
PAGE = r"""(sec:{name}:top)=
# Page

```{{code-cell}} python
x = __import__("numpy").float64(0.125)
print(x)
```

A {{{{ x }}}}, {{holds}}`a statement <x < 1>`, $\val{{x:.3f}}$.

$$
y = \val{{x:.3f}}
$$

$$ y = \val{{x:.3f}} $$ (eq:{name}:two)

```python
>>> x + 1
np.float64(1.125)
```
"""


def names_in(text):
    """Of attributes and imports, wherever in it."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.Attribute):
            yield f".{node.attr}"


def test_what_others_do_not_document_stands_in_one_file():
    ext = Path(foreign.__file__).parents[1]
    used = {
        file.relative_to(ext).as_posix(): {*names_in(file.read_text(encoding="utf-8"))}
        for file in ext.rglob("*.py")
    }
    undocumented = used.pop("run/foreign.py")
    imported = {name for name in undocumented if re.match(r"myst_|sphinx_proof|sphinx_exercise", name)}
    attributes = {
        *(".proof_list", ".anonlabels", ".toc_secnumbers", ".toc_fignumbers", ".render_partial"),
        *(".relations", ".domain_indices", ".highlighter"),
    }
    for file, names in used.items():
        found = {name for name in names if re.match(r"\._(?!_)", name)} | names & (imported | attributes)
        assert found == set(), file


def test_what_is_borrowed_is_called(book, tmp_path):
    """One build in which every method of ours is called: one that upstream no longer calls guards nothing."""
    noting = """
from bookish.run import engine
import atexit, json, os, pathlib
called = []
def note(home, name, original):
    def noting(self, *args, **options):
        called.append(name)
        return original(self, *args, **options)
    setattr(home, name, noting)
for home in (engine.Client, engine.Renderer):
    for name, original in list(vars(home).items()):
        if callable(original):
            note(home, name, original)
atexit.register(lambda: pathlib.Path(os.environ["PE_CALLED"]).write_text(json.dumps(called)))
"""
    path = book.root / "conf.py"
    path.write_text(path.read_text() + noting)
    book.page("index", PAGE.format(name="index"))
    built = book.build(strict=False, PE_CALLED=str(tmp_path / "called.json"))
    called = json.loads((tmp_path / "called.json").read_text())
    ours = {name: one for home in (engine.Client, engine.Renderer) for name, one in vars(home).items()}
    uncalled = {name for name, one in ours.items() if callable(one) and name[0] != "_"} - {*called}
    assert uncalled == {"stop"}, built.output  # no cell failed


def test_another_version_is_refused(monkeypatch):
    monkeypatch.setattr("myst_nb.__version__", "2.0.0")
    with pytest.raises(ExtensionError, match="was written for MyST-NB"):
        foreign.install(engine.Client, engine.Renderer)


def test_a_kernel_that_never_comes_up_is_not_started_for_ever(monkeypatch):
    starts = []

    def start(client):
        starts.append(client)
        raise RuntimeError("Kernel died before replying to kernel_info")

    monkeypatch.setattr(NotebookClientInline, "start_client", start)
    client = object.__new__(engine.Client)
    client.kernel_started = False
    with pytest.raises(RuntimeError, match="Kernel died"):
        client.start_kernel()
    assert len(starts) == engine.START_ATTEMPTS


def test_a_page_is_what_it_was_whether_or_not_it_is_executed_again(book):
    """A record is replayed; one that does not fit is not believed; a start that fails with noise leaves no trace."""
    book.page("index", PAGE.format(name="index"))

    def built():
        done = book.build(builder="html")
        assert done.code == 0, done.output
        return done.executed, (book.root / "out" / "index.html").read_bytes()

    executed, page = built()
    assert executed == ["index"]
    assert built() == ([], page)

    (file,) = (book.root / "doctrees" / "executions").glob("*.json")
    record = json.loads(file.read_text())
    record["questions"] = record["questions"][:1]
    file.write_text(json.dumps(record))
    assert built() == (["index"], page), "from its first cell on"

    mark = book.root / "started"
    disturbance = f"""
    mark = Path({str(mark)!r})
    if not mark.exists():
        mark.touch()
        print("zmq.error.ZMQError: Address already in use", file=sys.stderr)
        print("noise")
        sys.exit(1)
"""
    main = 'if __name__ == "__main__":'
    book.change("docs/_jupyter/kernels/python3/launch.py", main + "\n", main + disturbance)
    assert built() == (["index"], page)
    assert mark.exists()
