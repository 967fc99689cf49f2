"""Tables of typed words: what the functions of the package say is what the words say."""

import re

import numpy as np
import pytest

import pe_book as pe
from pe_book.why.requirements import Measured, failures
from tests.pages.sources import ROOT, typed_rows

CALL = re.compile(r"`[^`]*\w\([^`]*\)[^`]*`")
FIELD = re.compile(r"\{\{.*?\}\}|\{[a-z:]+\}`[^`]*`")


def test_no_row_has_a_call_with_its_result_typed_beside_it():
    typed = [" | ".join(row) for row in typed_rows() if CALL.search(FIELD.sub("", " ".join(row)))]
    assert not typed, f"let these be computed: {typed}"


SHAW, DEBERTA = pe.clipped_offsets([0], [0, 1], clip=2), pe.deberta_offsets([0], [0, 1], span=4)
SIGNS = {
    "Shaw": SHAW, "{cite:t}`shaw2018`": SHAW, "DeBERTa": DEBERTA, "{cite:t}`he2021`": DEBERTA,
    "T5": pe.t5_bucket([0, 1]), "{cite:t}`raffel2020`": pe.t5_bucket([0, 1]),
    "{cite:t}`su2021`, the rotation": pe.rotate([[1.0, 0.0]] * 2, [0, 1])[:, 1],  # a key, anticlockwise
}  # fmt: skip


@pytest.mark.parametrize("name", SIGNS)
def test_an_offset_grows_as_its_row_says(name):
    rows = typed_rows("| | counts |", "| source | written as")
    (row,) = (row for row in rows if row[0].startswith(name))
    at, ahead = np.ravel(SIGNS[name])  # keys at 0 and 1, the query at 0
    assert row[-1].startswith("key minus query" if ahead > at else "query minus key")


def test_a_demand_fails_where_its_row_says_so():
    *_, limits, fields = zip(*typed_rows("| row | what is measured"), strict=True)
    assert [field.strip("`") for field in fields] == list(Measured._fields[:-1])
    edges = {"not 512": (512, 511), "below 1": (1, 0.9), "above 1": (1, 1.1), "not 0": (0, 0.1), "no": (1, 0)}
    said = [" ".join(limit.split()) for limit in limits]
    assert {*said} <= {*edges}, "this test does not know these words"
    found = [edges[limit] for limit in said]
    good = Measured(*(passes for passes, _ in found), seq_len=512)
    assert not failures(good)
    for field, (_, wrong) in zip(Measured._fields, found, strict=False):
        assert failures(good._replace(**{field: wrong})) == {field}


def test_every_key_of_a_config_is_one_that_is_read():
    files = [*(ROOT / "pe_book/config").rglob("*.py"), *(ROOT / "pe_book/config").rglob("*.toml")]
    read = set(re.findall(r"\w+", "\n".join(file.read_text(encoding="utf-8") for file in files)))
    told = " ".join(cell for row in typed_rows("| key |") for cell in row)
    assert set(re.findall(r"`(\w+)`", told)) <= read
