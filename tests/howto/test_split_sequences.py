"""The how-to on split sequences: the orders of libraries, and a check that sees positions which restart."""

import pytest

from tests.howto.cells import cells, run, said

torch = pytest.importorskip("torch")


@pytest.fixture(scope="module")
def names():
    return run("split-sequences", 0, 1)


def test_zigzag_is_the_order_by_which_torch_balances(names):
    from torch.distributed.tensor.experimental._context_parallel._load_balancer import _HeadTailLoadBalancer

    for tokens, ranks in ((16, 4), (24, 3), (8, 1)):
        theirs = _HeadTailLoadBalancer(tokens, ranks, "cpu")._generate_indices()
        assert torch.equal(names["zigzag"](tokens, ranks).flatten(), theirs.flatten())


@pytest.mark.parametrize(
    ("right", "wrong", "prints"),
    [
        ("", "", "[True, True]"),
        ("positions=at)", "positions=torch.arange(len(at)))", "[False, False]"),  # every rank begins at 0
        ("k[:, :, at], at)", "k[:, :, at], torch.arange(len(at)) + at[0])", "[True, False]"),  # not in zigzag
        ("at[:, None] >= where", "at[:, None] >= torch.arange(16)", "[True, False]"),  # a mask by rows
        ("v[:, :, where]", "v", "[True, False]"),  # values in the order of the text
    ],
)
def test_the_check_of_the_page_passes_and_sees_a_mistake(right, wrong, prints):
    page = "\n".join(cells("split-sequences")[:2])
    assert right in page
    assert said(page.replace(right, wrong))[-1] == prints


def test_alibi_of_a_shard_is_what_the_page_says(names):
    import pe_book as pe

    alibi, where = pe.nn.ALiBiBias(2), names["zigzag"](16, 4)
    whole = alibi(16)[:, :, where[1]][..., where.flatten()]
    assert torch.equal(alibi.at(where[1], where.flatten()), whole)
