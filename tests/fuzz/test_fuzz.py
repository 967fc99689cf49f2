"""A slice of the fuzz for every run of the tests, and the whole of it for ``make thorough``."""

import ast
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings

from tests.fuzz import campaign, judge
from tests.fuzz.inputs import PARTICULAR, Call, calls, huge, misfit, never, plain_call, valid
from tests.fuzz.judge import REFUSED, RIGHT, judged
from tests.fuzz.surface import parameters, surface

SURFACE = surface()


def test_a_parameter_that_nobody_explained_is_refused_with_its_cure():
    says = 'takes as swing: add a line such as "swing": POSITIVE, to KINDS in tests/fuzz/inputs.py'
    with pytest.raises(LookupError, match=re.escape(says)):
        valid("family.swing", "swing")


@pytest.mark.parametrize(("name", "parameter"), PARTICULAR)
def test_what_is_said_of_one_function_is_said_of_one_that_there_is(name, parameter):
    assert parameter in parameters(SURFACE[name])


@pytest.mark.parametrize("name", SURFACE)
def test_a_plain_call_has_a_right_result(name):
    assert judged(plain_call(name)) == RIGHT, str(plain_call(name))


@pytest.mark.parametrize("name", SURFACE)
def test_a_few_odd_calls_are_answered_or_refused(name):
    @settings(max_examples=3, database=None, derandomize=True, deadline=None, phases=[Phase.generate],
              suppress_health_check=list(HealthCheck))  # fmt: skip
    @given(calls(name))
    def answered(call):
        assert judged(call) in (RIGHT, REFUSED), str(call)

    answered()


@pytest.mark.parametrize("name", SURFACE)
def test_what_is_no_flag_no_size_no_choice_and_no_array_is_refused(name):
    for call in never(name):
        cure = "refuse it, or say in PARTICULAR of tests/fuzz/inputs.py that this function takes such a value"
        assert judged(call) == REFUSED, f"{call}: {cure}"


@pytest.mark.parametrize("name", SURFACE)
def test_another_shape_is_answered_or_refused_and_no_size_is_tried_before_it_is_refused(name):
    for call in misfit(name):
        assert judged(call) in (RIGHT, REFUSED), str(call)
    for call in huge(name):
        assert judged(call, guard=campaign.limits) in (RIGHT, REFUSED), str(call)


FOUND = (Path(__file__).with_name("found.txt")).read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("line", FOUND)
def test_what_the_fuzz_once_found_is_answered_or_refused(line):
    made = ast.parse(line, mode="eval").body
    given = tuple((one.arg, ast.get_source_segment(line, one.value)) for one in made.keywords)
    assert judged(Call(line.partition("(")[0], given)) in (RIGHT, REFUSED)


# The judge itself can fail


def planted(monkeypatch, function, **arguments):
    """What is judged of a function under the name and the parameters of one of the package."""
    monkeypatch.setitem(SURFACE, "planted", function)
    monkeypatch.setattr(judge, "surface", lambda: SURFACE)
    return judged(Call("planted", tuple(arguments.items())))


def refuse(error):
    def function(x: object) -> float:
        raise error

    return function


def warn(x: object) -> float:
    return float(np.float64(1e308) * np.float64(10 + 0 * len(str(x))) > 0)


def overwrite(x: np.ndarray) -> float:
    x[0] = 7
    return 1.0


def nowhere(x: object) -> float:
    return float("nan")


def whole(x: object) -> float:
    return 3


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (refuse(ValueError("x must be 1, got 2")), "refused"),
        (refuse(ValueError("operands could not be broadcast")), "names no argument"),
        (refuse(TypeError("x must be something else")), "shows no value"),
        (refuse(TypeError("x is bad, got 2")), "says nothing that would do"),
        (refuse(ValueError("x must be 1, got " + "2" * 900)), "is 917 characters long"),
        (refuse(MemoryError("no room")), "raised MemoryError"),
        (refuse(AttributeError("x")), "raised AttributeError"),
        (warn, "warned: overflow encountered"),
        (overwrite, "changed its argument x"),
        (nowhere, "returned NaN or infinity"),
        (whole, "returned int, not float"),
    ],
)
def test_the_judge_sees_what_is_wrong(monkeypatch, function, said):
    assert planted(monkeypatch, function, x="np.zeros(2)").startswith(said)


@pytest.mark.parametrize(
    ("name", "mistake", "said"),
    [
        ("sinusoidal.formula.encode", lambda positions, d_model, **_: np.zeros((5, 4)), "other numbers"),
        ("inputs.pairs.relayout", lambda x, **_: np.array(x)[:, :2], "shape (5, 2), and (5, 4)"),
        ("family.score_bias.kerple.kerple_bias", lambda r1, r2, **_: np.zeros((2, 5, 5)), "another fall"),
        ("family.learned.initialisation.narrowed_std", lambda std, **_: 0.3, "is 0.3"),
        ("why.descent.condition_number", lambda features: 1.5, "another scale"),
    ],
)
def test_the_oracles_see_a_wrong_number(name, mistake, said):
    call = plain_call(name)
    given = {key: eval(text, dict(judge.NAMES)) for key, text in call.arguments}
    assert said in judge._wrong_result(call, SURFACE[name], mistake(**given), given)


def test_a_form_of_numbers_that_changes_them_is_seen(monkeypatch):
    def doubled(x: object) -> np.ndarray:
        return np.asarray(x) + np.asarray(x)

    for text, said in (("np.int8([7])", RIGHT), ("np.int8([70])", "other numbers than of plain numbers")):
        assert planted(monkeypatch, doubled, x=text) == said


def test_a_call_that_takes_too_long_or_too_much_is_seen(monkeypatch):
    def endless(x: object) -> float:
        while True:
            pass

    def greedy(x: object) -> float:
        return float(len(bytearray(4 * campaign.BYTES)))

    monkeypatch.setattr(campaign, "SECONDS", 0.05)
    for function, said in ((endless, "raised TooSlow"), (greedy, "raised MemoryError")):
        monkeypatch.setitem(SURFACE, "planted", function)
        monkeypatch.setattr(judge, "surface", lambda: SURFACE)
        assert judged(Call("planted", (("x", "1"),)), guard=campaign.limits).startswith(said)


@pytest.mark.thorough
@pytest.mark.parametrize("portion", range(campaign.PORTIONS))
def test_every_call_of_the_whole_campaign_is_answered_or_refused(portion):
    names = campaign.portions()[portion]
    counts, wrong = campaign.run(names)
    assert not wrong, "\n".join(wrong)
    assert {name: count.total() for name, count in counts.items()} == dict.fromkeys(
        names, pytest.approx(campaign.FOR_A_FUNCTION, rel=0.1)
    )
