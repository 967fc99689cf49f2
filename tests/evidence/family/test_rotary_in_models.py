"""What the page on what models turn says of slow pairs that stand still."""

import numpy as np

import pe_book as pe
from pe_book.census import census
from pe_book.family.rotary import proportional_frequencies

PLANTED = {
    "exponent": [
        ("pe_book/sinusoidal/formula.py", "-np.arange(pairs) / rungs", "-np.arange(pairs) / (rungs + 1)")
    ],
}


def test_a_full_layer_of_gemma_4_turns_as_the_page_has_it_and_not_as_it_is_misread():
    full = next(one for one in census().of_type("gemma4_text").text.layers if one.attends == "full")
    ours = proportional_frequencies(512, 128, base=1e6)
    np.testing.assert_allclose(full.turned.frequencies(), ours, rtol=1e-6)
    misread = pe.frequencies(128, base=1e6)
    assert (ours[1:64] > misread[1:]).all()
    assert ours[0] == misread[0]
