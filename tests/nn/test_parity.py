"""Every function that numpy and torch both have: one signature, one value, whatever it is given.

Nothing is listed here: the twins come from the catalogue, what they are given from the fuzz, by the names of
their parameters.
"""

import inspect
from importlib import import_module

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import pe_book as pe

torch = pytest.importorskip("torch")

from tests.fuzz.inputs import NAMES, SIZES, valid
from tests.seeds import examples_drawn

TWINS = {record.name: record for record in pe.catalogue() if record.numpy and record.torch}
OWN_TO_TORCH = {"dtype", "device"}
drawn = settings(examples_drawn(60), suppress_health_check=list(HealthCheck))
CLOSE = 1e-14  # either is within 1.5e-15 of the exact value, what is turned within a few times as much


def sides(name):
    record = TWINS[name]
    return getattr(import_module(record.numpy), name), getattr(import_module(record.torch), name)


def signatures_differ(numpy, torch_side) -> str:
    """In what the torch function departs from the definition; empty if in nothing."""
    theirs = list(inspect.signature(numpy).parameters.values())
    more = OWN_TO_TORCH - {p.name for p in theirs}
    every = inspect.signature(torch_side).parameters.values()
    ours = [p for p in every if p.name not in more]
    if [(p.name, p.kind) for p in ours] != [(p.name, p.kind) for p in theirs]:
        return f"{list(map(str, ours))} for {list(map(str, theirs))}"
    defaults = [
        (str(p.default).removeprefix("torch."), str(q.default)) for p, q in zip(ours, theirs, strict=True)
    ]
    if any(p != q for p, q in defaults):
        return f"defaults {defaults}"
    by_position = [p.name for p in every if p.name in more and p.kind is not p.KEYWORD_ONLY]
    return f"{by_position} by position" if by_position else ""


@st.composite
def arguments(draw, name):
    """Valid arguments of a definition, as texts."""
    home = TWINS[name].numpy.removeprefix("pe_book.")
    sizes = {size: draw(st.sampled_from(values)) for size, values in SIZES.items()}
    texts = {}
    for key, wanted in inspect.signature(sides(name)[0]).parameters.items():
        if wanted.default is inspect.Parameter.empty or draw(st.booleans()):
            texts[key] = draw(st.sampled_from(valid(f"{home}.{name}", key))).format(**sizes)
    return texts


def as_torch(key, value):
    """An argument as the torch function takes it: rows as a tensor, a dtype by its torch name."""
    if key == "dtype" and value is not None:
        return getattr(torch, value)
    return torch.from_numpy(np.array(value)) if isinstance(value, np.ndarray) and value.ndim > 1 else value


def answer(function, given):
    try:
        return function(**given)
    except (ValueError, TypeError) as error:
        return f"refused: {error}"


def differ(numpy, torch_side, texts) -> str:
    """In what two functions differ when both are given this; empty if in nothing."""
    given = {key: eval(text, dict(NAMES)) for key, text in texts.items()}
    true = answer(numpy, given)
    tensors = {key: as_torch(key, value) for key, value in given.items()}
    if "dtype" in set(inspect.signature(torch_side).parameters) - set(inspect.signature(numpy).parameters):
        tensors["dtype"] = torch.float64  # that of the definition
    found = answer(torch_side, tensors)
    refused = [isinstance(one, str) for one in (true, found)]
    if any(refused):
        return "" if all(refused) else f"{true!s:.200} against {found!s:.200}"
    if tuple(found.shape) != np.shape(true):
        return f"shape {tuple(found.shape)}, not {np.shape(true)}"
    if not found.is_floating_point() or found.dtype != torch.float64:  # whole numbers, and what was rounded
        same = np.array_equal(found.numpy(), true) and str(found.dtype) == f"torch.{true.dtype}"
        return "" if same else f"{found} for {true}"
    gaps = np.abs(found.numpy() - true) / np.maximum(1.0, np.abs(true))
    worst = float(gaps.max(initial=0.0))
    return "" if worst <= CLOSE else f"off by {worst:.1e}"


@pytest.mark.parametrize("name", TWINS)
def test_names_order_kinds_and_defaults_are_those_of_the_definition(name):
    assert signatures_differ(*sides(name)) == ""


@pytest.mark.parametrize("name", TWINS)
def test_values_are_those_of_the_definition(name):
    @drawn
    @given(arguments(name))
    def same(texts):
        assert differ(*sides(name), texts) == "", texts

    same()


def test_what_torch_has_alone_is_modules():
    alone = [record.name for record in pe.catalogue() if record.torch and not record.numpy]
    assert alone
    assert all(inspect.isclass(getattr(pe.nn, name)) for name in alone)


# ---------------------------------------------------------------- and they can fail


def test_a_signature_that_departs_is_seen():
    def definition(x, k, *, base=10000.0): ...
    def exchanged(k, x, *, base=10000.0): ...
    def by_position(x, k, base=10000.0): ...
    def another_base(x, k, *, base=500.0): ...
    def device_first(x, k, device=None, *, base=10000.0): ...
    def with_device(x, k, *, base=10000.0, device=None): ...

    assert signatures_differ(definition, with_device) == ""
    for wrong in (exchanged, by_position, another_base, device_first):
        assert signatures_differ(definition, wrong), wrong


MISTAKES = {
    "encode": lambda **given: pe.nn.encode(**given | {"base": given.get("base", 1e4) * (1 + 1e-13)}),
    "relayout": lambda x, **given: x,
    "shift_matrix": lambda **given: pe.nn.shift_matrix(**given | {"k": -given["k"]}),
    "t5_bucket": lambda **given: pe.nn.t5_bucket(**given) + 1,
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_value_that_departs_is_seen(name):
    found = []

    @drawn
    @given(arguments(name))
    def counted(texts):
        found.append(bool(differ(sides(name)[0], MISTAKES[name], texts)))

    counted()
    assert sum(found) >= 10
