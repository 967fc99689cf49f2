"""Names that people type because other libraries have them: answered with the name here."""

import re
from importlib import import_module

import pytest

import pe_book as pe
from pe_book import _names, nn


def said(package, name):
    with pytest.raises(AttributeError) as raised:
        getattr(package, name)
    return str(raised.value)


@pytest.mark.parametrize("package", [pe, nn], ids=["pe", "nn"])
@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("rope", "pe.nn.RotaryEncoding"),
        ("apply_rotary_pos_emb", "pe.rotate("),
        ("PositionalEncoding", "pe.nn.SinusoidalEncoding"),
        ("inv_freq", "pe.frequencies("),
        ("alibi", "pe.alibi_bias("),
        ("relative_position_bucket", "pe.t5_bucket"),
        ("fire", "FIRE is not in the book yet"),
        ("RotaryEmbeding", "pe.nn.RotaryEncoding"),
        ("relay_out", "did you mean 'relayout'?"),
    ],
)
def test_a_name_of_another_library_is_answered_with_the_one_here(package, name, answer):
    assert answer in said(package, name)
    assert "it offers" not in said(package, name)


def test_what_is_named_in_an_answer_is_there():
    for answer in (*_names.NAMES.values(), *_names.LACKING.values()):
        for path in re.findall(r"\bpe(?:_book)?\.[\w.]+\w", answer):
            *before, last = path.split(".")
            home = {"pe": pe, "pe.nn": nn}.get(".".join(before)) or import_module(".".join(before))
            assert callable(getattr(home, last))


def test_names_that_the_package_has_are_not_answered_as_lacking():
    plain = {record.name.lower().replace("_", "") for record in pe.catalogue()}
    assert not plain & set(_names.NAMES)
    assert not [name for name in plain if name.startswith(tuple(_names.LACKING))]
    assert not set(_names.NAMES) & set(_names.LACKING)
    assert all(key == key.lower().replace("_", "") for key in (*_names.NAMES, *_names.LACKING))
