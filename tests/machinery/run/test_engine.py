"""What is borrowed from MyST-NB: each symbol exists, is what it was, and is called; replays equal executions."""

from __future__ import annotations

import ast
import inspect
import json
import re
from pathlib import Path
from types import SimpleNamespace

import pytest
from myst_nb.core.execute.base import NotebookClientBase
from myst_nb.core.execute.inline import NotebookClientInline
from myst_nb.sphinx_ import SphinxNbRenderer

from bookish.run import engine, foreign, fresh

BORROWED = [(home, name) for home, names in foreign.BORROWED.items() for name in names]
OURS = {NotebookClientInline: engine.Client, SphinxNbRenderer: engine.Renderer}
PARAMETERS = {
    "start_client": "self",
    "finalise_client": "self",
    "close_client": "self exc_type exc_val exc_tb",
    "code_cell_outputs": "self cell_index",
    "eval_variable": "self name",
    "render_substitution": "self token inline",
}
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

\begin{{gather}} y = \val{{x:.3f}} \end{{gather}}

```python
>>> x + 1
np.float64(1.125)
```
"""


@pytest.mark.parametrize(("home", "name"), BORROWED, ids=lambda part: getattr(part, "__name__", part))
def test_what_is_borrowed_is_what_it_was(home, name):
    assert name in dir(home), f"{home.__name__}.{name} is gone"
    wanted = PARAMETERS.get(name, "self token" if name.startswith("render_") else None)
    if wanted:
        assert " ".join(inspect.signature(getattr(home, name)).parameters) == wanted, name
    assert name in vars(OURS[home]) or name == "eval_variable", f"{name} is borrowed and not used"


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
    """One build with every method counted: a symbol that upstream no longer calls guards nothing."""
    counting = """
from bookish.run import engine, foreign
counted = {}
def count(home, name):
    original = getattr(home, name)
    def counting(self, *args, **options):
        counted[name] = counted.get(name, 0) + 1
        return original(self, *args, **options)
    setattr(home, name, counting)
for ours, names in zip((engine.Client, engine.Renderer), foreign.BORROWED.values()):
    for name in names:
        count(ours, name)
import atexit, json, os, pathlib
atexit.register(lambda: pathlib.Path(os.environ["PE_COUNTED"]).write_text(json.dumps(counted)))
"""
    path = book.root / "conf.py"
    extensions = 'myst_enable_extensions = ["dollarmath", "amsmath",'
    text = path.read_text().replace('myst_enable_extensions = ["dollarmath",', extensions)
    path.write_text(text + counting)
    book.page("index", PAGE.format(name="index"))
    built = book.build(strict=False, PE_COUNTED=str(tmp_path / "counted.json"))
    counted = json.loads((tmp_path / "counted.json").read_text())
    assert {name for _, name in BORROWED} - counted.keys() == set(), built.output


def test_another_version_is_refused(book):
    path = book.root / "conf.py"
    path.write_text("import myst_nb\nmyst_nb.__version__ = '2.0.0'\n" + path.read_text())
    book.page("index", PAGE.format(name="index"))
    built = book.build()
    assert built.code != 0
    assert "was written for MyST-NB" in built.output


@pytest.mark.parametrize("failures", [0, 1, 2, 3])
def test_a_kernel_that_loses_its_port_is_started_anew(monkeypatch, failures):
    starts = []

    def start(client):
        starts.append(client)
        if len(starts) <= failures:
            raise RuntimeError("Kernel died before replying to kernel_info")

    monkeypatch.setattr(NotebookClientInline, "start_client", start)
    client = object.__new__(engine.Client)
    client._notebook = type("Notebook", (), {"metadata": {}})()
    client.kernel_started, client.record, client.shown_cell = False, None, -1
    if failures < engine.START_ATTEMPTS:
        client.start_kernel()
        assert len(starts) == failures + 1
        assert client.kernel_started
    else:
        with pytest.raises(RuntimeError, match="Kernel died"):
            client.start_kernel()


def test_a_lost_port_leaves_no_trace_on_the_page(book):
    """The first start of every kernel fails with noise on both streams; the page is what it is otherwise."""
    book.page(
        "index", PAGE.format(name="index").replace("\\begin{gather} y = \\val{x:.3f} \\end{gather}\n", "")
    )
    undisturbed = book.build(builder="html")
    assert undisturbed.code == 0, undisturbed.output
    before = (book.root / "out" / "index.html").read_bytes()
    launch = book.root / "docs" / "_jupyter" / "kernels" / "python3" / "launch.py"
    started_once = book.root / "started"
    text = launch.read_text()
    disturbance = f"""
    mark = Path({str(started_once)!r})
    if not mark.exists():
        mark.touch()
        print("zmq.error.ZMQError: Address already in use", file=sys.stderr)
        print("noise")
        sys.exit(1)
"""
    launch.write_text(
        text.replace('if __name__ == "__main__":\n', 'if __name__ == "__main__":' + disturbance, 1)
    )
    again = book.build(builder="html")
    assert again.code == 0, again.output
    assert started_once.exists()
    assert (book.root / "out" / "index.html").read_bytes() == before


def test_pieces_of_a_stream_are_joined():
    piece = engine.from_dict
    parts = [
        {"output_type": "stream", "name": "stdout", "text": "a"},
        {"output_type": "stream", "name": "stdout", "text": "b"},
        {"output_type": "stream", "name": "stderr", "text": "c"},
        {"output_type": "stream", "name": "stdout", "text": "d"},
    ]
    assert [part.text for part in engine.join_streams([piece(part) for part in parts])] == ["ab", "c", "d"]


def test_a_replay_is_the_execution(book):
    book.page(
        "index", PAGE.format(name="index").replace("\\begin{gather} y = \\val{x:.3f} \\end{gather}\n", "")
    )
    assert book.build(builder="html").executed == ["index"]
    first = (book.root / "out" / "index.html").read_bytes()
    assert book.build(builder="html").executed == []
    assert (book.root / "out" / "index.html").read_bytes() == first


def test_a_record_that_does_not_fit_is_not_believed(book):
    """Somebody edits the record: the page is executed after all, from its first cell on."""
    path = book.page(
        "index", PAGE.format(name="index").replace("\\begin{gather} y = \\val{x:.3f} \\end{gather}\n", "")
    )
    assert book.build(builder="html").code == 0
    first = (book.root / "out" / "index.html").read_bytes()
    (file,) = (book.root / "doctrees" / "executions").glob("*.json")
    record = json.loads(file.read_text())
    record["questions"] = record["questions"][:1]
    file.write_text(json.dumps(record))
    again = book.build(builder="html")
    assert again.code == 0, again.output
    assert again.executed == [path.stem]
    assert (book.root / "out" / "index.html").read_bytes() == first


def test_eval_variable_is_still_open_to_questions():
    assert "name" in inspect.signature(NotebookClientBase.eval_variable).parameters


def test_each_process_reads_long_pages_and_short_ones(tmp_path):
    for size in range(1, 13):
        (tmp_path / f"page-{size:02}").write_text("x" * size)
    env = SimpleNamespace(doc2path=lambda name: tmp_path / name)
    names = sorted(file.name for file in tmp_path.iterdir())
    fresh.share_out(SimpleNamespace(parallel=2), env, names)
    pieces = [[int(name[-2:]) for name in names[first : first + 3]] for first in range(0, 12, 3)]
    assert [max(piece) for piece in pieces] == [12, 11, 10, 9]
    assert sorted(size for piece in pieces for size in piece) == [*range(1, 13)]
