"""The how-to on configs: what it says of other bases is what the report says."""

from tests.howto.cells import run


def test_a_zero_too_few_is_an_error_and_another_models_base_is_sound_in_itself(capsys):
    run("check-a-config", 0, 4)
    fewer, other = capsys.readouterr().out.splitlines()[-2:]
    assert fewer.startswith("50000.0 error, contradictory rope_theta")
    assert other == "1000000.0"
