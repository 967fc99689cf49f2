"""What the page on what models turn says of a slice and of slow pairs that stand still."""

import numpy as np

import pe_book as pe
from pe_book.census import census
from pe_book.family.rotary import proportional_frequencies
from pe_book.family.rotary.axes import rotate_axes, sectioned_frequencies

PLANTED = {
    "exponent": [
        ("pe_book/sinusoidal/formula.py", "-np.arange(pairs) / rungs", "-np.arange(pairs) / (rungs + 1)")
    ],
}


def test_a_slice_has_frequencies_of_its_own_and_other_partners():
    by_hand = [1, 10000 ** (-2 / 4)], [1, 10000 ** (-2 / 8), 0, 0]
    np.testing.assert_allclose(pe.frequencies(4), by_hand[0])
    np.testing.assert_allclose(proportional_frequencies(8, 4), by_hand[1])
    row = np.eye(8)[0]
    in_slice = pe.rotate(row, 1, rotary_dim=4, layout="halves")
    in_head = pe.rotate(row, 1, frequencies=proportional_frequencies(8, 4), layout="halves")
    assert [np.flatnonzero(one).tolist() for one in (in_slice, in_head)] == [[0, 2], [0, 4]]


def test_a_full_layer_of_gemma_4_turns_as_the_page_has_it_and_not_as_it_is_misread():
    full = next(one for one in census().of_type("gemma4_text").text.layers if one.attends == "full")
    ours = proportional_frequencies(512, 128, base=1e6)
    np.testing.assert_allclose(full.turned.frequencies(), ours, rtol=1e-6)
    misread = pe.frequencies(128, base=1e6)
    assert (ours[1:64] > misread[1:]).all()
    assert ours[0] == misread[0]


def test_text_does_not_tell_the_forms_of_m_rope_apart_and_an_image_does():
    rows, forms = np.eye(16), ("sectioned", "interleaved")
    ladders = [sectioned_frequencies(16, [4, 2, 2], arrangement=form) for form in forms]
    text, image = ([rotate_axes(rows, place, one) for one in ladders] for place in ([7, 7, 7], [2, 3, 5]))
    np.testing.assert_allclose(*text)
    assert abs(image[0] - image[1]).max() > 0.1
