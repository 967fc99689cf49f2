"""A slice of the fuzz for every run of the tests, and the whole of it for ``make thorough``."""

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from tests.fuzz.inputs import calls, plain_call, valid
from tests.fuzz.judge import REFUSED, RIGHT, judged
from tests.fuzz.surface import parameters, surface

SURFACE = surface()


@pytest.mark.parametrize("name", SURFACE)
def test_every_parameter_of_every_public_function_is_fuzzed(name):
    for parameter in parameters(SURFACE[name]):
        try:
            valid(name, parameter)
        except KeyError:
            pytest.fail(f"say in tests/fuzz/inputs.py what {name} takes as {parameter}")


@pytest.mark.parametrize("name", SURFACE)
def test_a_plain_call_has_a_right_result(name):
    assert judged(plain_call(name)) == RIGHT, str(plain_call(name))


@pytest.mark.parametrize("name", SURFACE)
def test_a_few_odd_calls_are_answered_or_refused(name):
    @settings(max_examples=4, database=None, derandomize=True, deadline=None, phases=[Phase.generate],
              suppress_health_check=list(HealthCheck))  # fmt: skip
    @given(calls(name))
    def answered(call):
        assert judged(call) in (RIGHT, REFUSED), str(call)

    answered()
