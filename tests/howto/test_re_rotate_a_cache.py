"""The how-to on moving cached keys: its check knows the sign, and which keys stay."""

import pytest

from tests.howto.cells import cells, run, said

torch = pytest.importorskip("torch")


ANSWER, CHECK, *_ = cells("re-rotate-a-cache")


@pytest.mark.parametrize(
    ("right", "wrong", "prints"),
    [
        ("", "", "True"),
        ("-46)], 1)", "46)], 1)", "False"),
        ("-46)], 1)", "-50)], 1)", "False"),  # those that stay are forgotten
        ("cached[:, :4],", "moved(cached[:, :4], -46),", "False"),
        ("keys, by, **how", 'keys, by, layout="interleaved"', "False"),
    ],
)
def test_the_check_of_the_page_passes_and_sees_a_mistake(right, wrong, prints):
    assert right in ANSWER
    assert said(ANSWER.replace(right, wrong), CHECK)[-1] == prints


def test_many_small_moves_lose_more_than_one_in_sixteen_bits():
    names = run("re-rotate-a-cache", 0, 1, 2)
    moved, cached, lost = names["moved"], names["cached"], names["lost"]
    for dtype, least in ((torch.float16, 4), (torch.bfloat16, 4)):
        once, often = moved(cached.to(dtype), -100), cached.to(dtype)
        for _ in range(100):
            often = moved(often, -1)
        assert least * lost(once) < lost(often) < 100 * lost(once)


def test_a_key_of_another_ladder_needs_the_difference_of_angles():
    every = cells("re-rotate-a-cache")
    assert said(*every[:3], every[4])[-2:] == ["False", "True"]
