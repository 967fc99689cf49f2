"""The cells of a page as code: names are followed as Python follows them."""

import builtins
import importlib

import pytest

from bookish.run import package
from bookish.run.cells import called, from_text, last_binding, names_read
from tests.pages.sources import names, text_of

PAGE = '''---
file_format: mystnb
kernelspec: {name: python3, display_name: Python 3}
---

# A page

```{code-cell} python
:tags: [remove-input, remove-output]
from pe_book.show.sinusoidal import shift as show
```

Words.

```{code-cell} python
import numpy as np
import pe_book as pe
bank = pe.encode(2, 6)
```

:::{exercise} [in code, level 1, 5 min] Nested
What looks like a cell in here is none:

```{code-cell} python
nested = 1
```
:::

````{code-cell} python
:tags: [hide-input]
text = """
```
"""
bank = bank[:2]
````
'''


def cells_of(*sources):
    fences = "\n".join(f"```{{code-cell}} python\n{source}\n```\n" for source in sources)
    return from_text(f"---\nfile_format: mystnb\n---\n{fences}")


def cell_of(source):
    return cells_of(source)[0]


def test_the_cells_of_a_page():
    imports, visible, folded = from_text(PAGE)
    assert [cell.number for cell in (imports, visible, folded)] == [1, 2, 3]
    assert [PAGE.splitlines()[cell.line - 1].strip("`") for cell in (imports, visible, folded)] == [
        "{code-cell} python"
    ] * 3
    assert (imports.hidden, visible.hidden, folded.hidden) == (True, False, False)
    assert (imports.folded, visible.folded, folded.folded) == (False, False, True)
    assert imports.source == "from pe_book.show.sinusoidal import shift as show"
    assert visible.calls == ("pe_book.sinusoidal.formula.encode",)
    assert visible.imports == {"np": "numpy", "pe": "pe_book"}
    assert folded.binds == {"text", "bank"}
    assert folded.needs == {"bank"}


BINDING = [
    "x, (y, *z) = 1, (2, 3)",
    "for x in range(2):\n    y = x\nelse:\n    z = 1",
    "with open('/dev/null') as x:\n    pass",
    "from os import path as x, sep",
    "def x(a, b=1):\n    c = a\n    return c",
    "class X:\n    a = 1\n    def f(self): pass",
    "y = (lambda a: (b := a))(1)",
    "if (x := 1) > 0:\n    y = x",
    "x = y = 1\ndel x\nx = 2",
    "try:\n    1 / 0\nexcept ZeroDivisionError as error:\n    x = str(error)",
    "match {'a': 1, 'b': 2}:\n    case {'a': x, **rest}:\n        pass",
    "d = {k: v for k, v in {1: 2}.items() if k}",
    "y = sum(i * j for i in range(3) for j in range(i))",
]


@pytest.mark.parametrize("source", BINDING)
def test_bound_names_are_those_that_python_leaves(source):
    space = {}
    exec(source, space)
    assert cell_of(source).binds == set(space) - {
        "__builtins__",
        "__annotations__",
        "__conditional_annotations__",
    }


READING = [  # what has to be there already
    ("x = a + b", "ab"),
    ("x += 1", "x"),
    ("x = [n for n in a if n > b]", "ab"),
    ("x = [n for n in n]", "n"),
    ("def f(x, y=a):\n    z = x\n    return z + b", "ab"),
    ("def f():\n    return b\nb = 1", ""),
    ("class X(a):\n    y = b\n    z = y\nb = 1", "ab"),
    ("x = f'{a:{b}}'", "ab"),
    ("@a\ndef f(): pass", "a"),
    ("def f():\n    def g():\n        return y + c\n    y = 1\n    return g", "c"),
    ("x = [(m, [m + k for k in a]) for m in b]", "ab"),
]


@pytest.mark.parametrize(("source", "needs"), READING)
def test_names_that_are_read(source, needs):
    assert cell_of(source).needs - set(dir(builtins)) == set(needs)


def test_what_is_changed_in_place_is_not_bound():
    cell = cell_of("a[0] = 1\nb.c.d = 2\nc[0].e += 1\nf[0][1] = 3\nx = d[0]")
    assert cell.alters == {"a", "b", "c", "f"}
    assert cell.binds == {"x"}


def test_the_last_binding_of_each_name():
    cells = cells_of("a = 1\nb = 2", "a = 3", "del b", "b = a = 5")
    found = last_binding(cells[:2], "a + b + len(c):.2f")
    assert {name: cell.number for name, cell in found.items()} == {"a": 2, "b": 1}
    found = last_binding(cells[:3], "a + b")
    assert {name: cell.number for name, cell in found.items()} == {"a": 2}
    found = last_binding(cells, "a + b")
    assert {name: cell.number for name, cell in found.items()} == {"a": 4, "b": 4}


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("bank[2]:.4f", {"bank"}),
        ("x:{width}.{digits}f", {"x", "width", "digits"}),
        ("{1: a}[1]", {"a"}),
        ("all(f(x) < bound for x in xs)", {"all", "f", "bound", "xs"}),
    ],
)
def test_names_of_an_expression(expression, expected):
    assert names_read(expression) == expected


CALLING = [
    ("import pe_book as pe\npe.encode(1, 2)", "pe_book.sinusoidal.formula.encode"),
    ("import pe_book.sinusoidal.shift\npe_book.sinusoidal.shift.generator(4)", "pe_book.sinusoidal.shift.generator"),
    ("from pe_book.sinusoidal import formula as f\nx = map(f.encode, [])", "pe_book.sinusoidal.formula.encode"),
    ("from pe_book.sinusoidal.formula import encode as e\ndef g(): return e(1, 2)", "pe_book.sinusoidal.formula.encode"),
    ("from pe_book import nn\nnn.SinusoidalEncoding(2)", "pe_book.nn.modules.sinusoidal.SinusoidalEncoding"),
    ("import pe_book as pe\npe.nn.encode", "pe_book.nn.functional.sinusoidal.encode"),
    ("from pe_book.sinusoidal.computing import overlaps_itself\noverlaps_itself(2)", "pe_book.inputs.arrays.overlaps_itself"),
    ("from pe_book.evidence.verdict import Verdict\nVerdict(True).holds", "pe_book.evidence.verdict.Verdict"),
    ("import pe_book as pe\npe = 3\npe.encode", None),
    ("import numpy as np\nnp.sin(0)", None),
    ("import pe_book as pe\npe.nothing_of_the_kind", None),
]  # fmt: skip


@pytest.mark.parametrize(("source", "found"), CALLING)
def test_objects_of_the_package(source, found):
    assert cell_of(source).calls == ((found,) if found else ())


def test_imports_reach_later_cells_until_the_name_is_bound_anew():
    cells = cells_of(
        "import pe_book as pe", "x = pe.encode(1, 2)", "def f(): return pe.shift", "pe = 1", "pe.encode"
    )
    assert [len(cell.calls) for cell in cells] == [0, 1, 1, 0, 0]
    assert called("pe.table(2, 4)[0]:.2f", cells[:3]) == ("pe_book.sinusoidal.computing.table",)
    assert called("pe.table(2, 4)", cells) == ()


@pytest.mark.parametrize("page", names())
def test_every_page_of_the_book(page):
    cells = from_text(text_of(page))
    known = set(dir(builtins)) | {"get_ipython"}
    for cell in cells:
        assert cell.needs <= known, (cell.line, cell.needs - known)  # no cell rests on a later one
        known = known - cell.deletes | cell.binds
        for dotted in cell.calls:
            module, _, name = dotted.rpartition(".")
            assert name in package.contents(package.file_of(module))[0]


def test_everyday_names_have_the_home_that_the_package_gives_them():
    pe = importlib.import_module("pe_book")
    for name in pe._HOME:
        value = getattr(pe, name)
        assert package.resolve(f"pe_book.{name}") == f"{value.__module__}.{value.__name__}"


def test_code_that_is_not_python_binds_nothing():
    cell = cell_of("x = = 1")
    assert (cell.binds, cell.needs, cell.calls) == (frozenset(), frozenset(), ())
