"""What the page on YaRN as it is run says of the two ramps."""

import numpy as np

import pe_book as pe
from pe_book.family.context_extension.interpolation import turns

PLANTED = {
    "ramp": [
        (
            "pe_book/family/context_extension/ramps.py",
            "(turns(omega, length) - slow)",
            "(turns(omega, length) - fast)",
        ),
    ],
}


def test_the_ramps_agree_outside_their_ends_and_nowhere_between():
    trained = pe.frequencies(128)
    made = {"method": "yarn", "factor": 8, "original_len": 4096}
    paper, library = (pe.scale_frequencies(trained, **made, ramp=ramp)[0] for ramp in ("paper", "library"))
    count = turns(trained, 4096)
    between = (count > 1) & (count < 32)
    outside = (count > 40) | (count < 0.8)  # libraries round the ends outwards to whole pairs
    np.testing.assert_allclose(library[outside], paper[outside], rtol=1e-12)
    assert (np.abs(library / paper - 1)[between] > 0.001).all()
