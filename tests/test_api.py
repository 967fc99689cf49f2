"""The top of the package: names that load when used, and the signatures that the book promises."""

import inspect
import pydoc
from importlib import import_module
from importlib.util import find_spec

import pytest

import pe_book as pe
from tests.test_names import run

# Data first, then sizes; conventions are keyword-only, with the paper's default or, as DeBERTa's, none.
K = "*, base=10000.0, layout='interleaved', ladder='paper'"
SIGNATURES = {
    "alibi_bias": "(slopes, queries, keys)",
    "alibi_slopes": "(n_heads, *, bias_max=8.0)",
    "attention": "(q, k, v, *, bias=None, causal=False, scale=None, scale_bias=False)",
    "collisions": "(x)",
    "encode": f"(positions, d_model, {K})",
    "frequencies": "(d_model, *, base=10000.0, ladder='paper')",
    "generator": f"(d_model, {K})",
    "permutation": "(d, *, source, to)",
    "relayout": "(x, *, source, to, axis=-1)",
    "shift": f"(x, k, {K})",
    "shift_matrix": f"(k, d_model, {K})",
    "error": f"(table, {K}, start=0, dtype=None)",
    "similarity": "(offsets, d_model, *, base=10000.0, ladder='paper')",
    "table": f"(seq_len, d_model, {K}, start=0, dtype=None, out=None)",
    "wavelengths": "(d_model, *, base=10000.0, ladder='paper')",
}


def plain_signature(function):
    signature = inspect.signature(function)
    bare = [p.replace(annotation=inspect.Parameter.empty) for p in signature.parameters.values()]
    return str(signature.replace(parameters=bare, return_annotation=inspect.Signature.empty))


def test_using_one_name_loads_no_chapter_but_its_own():
    code = "import sys, pe_book as pe; pe.encode; print(*(m for m in sys.modules if m[:8] == 'pe_book.'))"
    loaded = set(run(code).split())
    assert loaded & set(pe._HOME.values()) == {
        "pe_book.catalogue", "pe_book.inputs.pairs", "pe_book.sinusoidal.formula",
    }  # fmt: skip
    rooms = ("why", "family", "nn", "show", "evidence")
    assert not [name for name in loaded if name.split(".")[1] in rooms]


@pytest.mark.parametrize("name", sorted(pe._HOME))
def test_each_everyday_name_is_the_object_its_chapter_defines(name):
    assert getattr(pe, name) is getattr(import_module(pe._HOME[name]), name)
    assert name in dir(pe)
    assert name in vars(pe)  # kept after the first use
    assert getattr(pe, name).__doc__


@pytest.mark.parametrize("name", sorted(set(SIGNATURES) & set(pe._HOME)))
def test_signatures(name):
    assert plain_signature(getattr(pe, name)) == SIGNATURES[name]


def shown_in_help():
    """Every public name, and every method that it has from this package, as help shows it."""
    for package in [pe] + [pe.nn] * bool(find_spec("torch")):
        for name in package._HOME:
            value = getattr(package, name)
            yield f"{package.__name__}.{name}", value
            for method, code in (
                inspect.getmembers(value, inspect.isroutine) if inspect.isclass(value) else ()
            ):
                own = getattr(code, "__module__", "") or ""
                if own.startswith("pe_book.") and (method == "__init__" or not method.startswith("_")):
                    yield f"{package.__name__}.{name}.{method}", code


@pytest.mark.parametrize(("name", "value"), list(shown_in_help()))
def test_signatures_in_help_are_read_at_a_glance(name, value):
    shown = str(inspect.signature(value))
    assert len(shown) < 200, shown
    assert f"{name.rpartition('.')[2]}{shown}" in pydoc.render_doc(value, renderer=pydoc.plaintext)
    assert not inspect.isfunction(value) or value.__annotations__
