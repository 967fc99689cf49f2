"""The how-to on configs: what it says of other bases is what the report says."""

from tests.howto.cells import cells, said


def test_a_zero_too_few_is_an_error_and_another_models_base_is_sound_in_itself():
    every = cells("check-a-config")
    fewer, other = said(every[0], every[4])[-2:]
    assert fewer.startswith("50000.0 error, contradictory rope_theta")
    assert other == "1000000.0"
