"""What the page on unique rows shows of its theorems, worked out another way: long numbers."""

import mpmath

PLANTED = {
    "base": [
        ("pe_book/sinusoidal/formula.py", "np.power(base, ", "np.power(1.5 * base, "),
        ("pe_book/numerics/exact.py", "context.log(base)", "context.log(1.5 * base)"),
    ],
}


def test_the_mirror_images_of_the_page_add_up_to_half_wavelengths():
    with mpmath.workdps(40):
        half = mpmath.pi * mpmath.mpf(10000) ** (mpmath.mpf(100) / 512)  # of column 100, a sine
        sines = [mpmath.sin(p * mpmath.pi / half) for p in (22, 35)]
        assert abs((22 + 35) / half - 3) < 0.01
        assert abs(sines[0] - sines[1]) < 0.02
        assert abs(sines[0] - mpmath.sin(25 * mpmath.pi / half)) > 0.3  # what the question took for it
