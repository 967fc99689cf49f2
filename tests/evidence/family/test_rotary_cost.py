"""What the page on the format of the angle works out by hand, by the bits of the format."""

import struct

import numpy as np

from pe_book.numerics.rounding import round_to
from pe_book.sinusoidal.formula import frequencies

PLANTED = {
    "exponent": [
        ("pe_book/sinusoidal/formula.py", "-np.arange(pairs) / rungs", "-np.arange(pairs) / (rungs + 1)")
    ],
}


def test_a_frequency_in_bfloat16_is_one_of_the_two_numbers_beside_it():
    second = 10000 ** (-2 / 128)
    (bits,) = struct.unpack(">I", struct.pack(">f", second))
    beside = [struct.unpack(">f", struct.pack(">I", ((bits >> 16) + up) << 16))[0] for up in (0, 1)]
    nearest = min(beside, key=lambda x: abs(x - second))
    np.testing.assert_equal(float(round_to(frequencies(128)[1], "bfloat16")), nearest)
    assert 4096 * abs(nearest - second) > np.pi  # more than half a turn
