"""The how-to on moving cached keys: its check knows the sign, and which keys stay."""

import pytest

from tests.howto.cells import cells, run

torch = pytest.importorskip("torch")


def said(capsys, right: str = "", wrong: str = "") -> str:
    answer, check, *_ = cells("re-rotate-a-cache")
    assert right in answer
    exec("\n".join([answer.replace(right, wrong) if right else answer, check]), {})
    return capsys.readouterr().out.splitlines()[-1]


def test_the_check_of_the_page_passes(capsys):
    assert said(capsys) == "True"


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("-46)], 1)", "46)], 1)"),
        ("-46)], 1)", "-50)], 1)"),  # those that stay are forgotten
        ("cached[:, :4],", "moved(cached[:, :4], -46),"),
        ("keys, by, **how", 'keys, by, layout="interleaved"'),
    ],
)
def test_the_check_of_the_page_sees_a_mistake(capsys, right, wrong):
    assert said(capsys, right, wrong) == "False"


def test_many_small_moves_lose_more_than_one_in_sixteen_bits():
    names = run("re-rotate-a-cache", 0, 1, 2)
    moved, cached, lost = names["moved"], names["cached"], names["lost"]
    for dtype, least in ((torch.float16, 4), (torch.bfloat16, 4)):
        once, often = moved(cached.to(dtype), -100), cached.to(dtype)
        for _ in range(100):
            often = moved(often, -1)
        assert least * lost(once) < lost(often) < 100 * lost(once)


def test_a_key_of_another_ladder_needs_the_difference_of_angles(capsys):
    run("re-rotate-a-cache", 0, 1, 2, 4)
    assert capsys.readouterr().out.splitlines()[-2:] == ["False", "True"]


def test_a_module_with_a_factor_multiplies_cached_keys_again():
    import pe_book as pe

    keys = torch.randn(1, 2, 5, 64, generator=torch.Generator().manual_seed(0))
    module = pe.nn.RotaryEncoding(64, layout="halves", heads_first=True, attention_factor=1.25)
    again = module.turn(module.turn(keys), start=3)
    assert torch.allclose(again.norm(dim=-1), 1.25**2 * keys.norm(dim=-1))
