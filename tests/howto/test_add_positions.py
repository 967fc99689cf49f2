"""The how-to on positions in a model: no token sees its future, whatever comes in which pieces."""

import pytest

from tests.howto.cells import blocks, cells, run, said

torch = pytest.importorskip("torch")


@pytest.fixture(scope="module")
def names():
    return run("add-positions", *range(len(cells("add-positions"))))


@pytest.mark.parametrize("sizes", [[4, 3, 3], [1] * 10, [5, 1, 4], [9, 1], [1, 9], [10]])
def test_pieces_behind_a_cache_say_what_the_whole_says(names, sizes):
    cache, steps = None, []
    for part in names["text"].split(sizes, dim=1):
        y, cache = names["attend"](part, cache=cache)
        steps.append(y)
    assert (torch.cat(steps, 1) - names["whole"]).abs().max() < 1e-5


def test_a_later_token_changes_nothing_before_it(names):
    attend, text = names["attend"], names["text"]
    _, cache = attend(text[:, :4])
    other = text.clone()
    other[:, 7:] += 1
    found, changed = (attend(x[:, 4:], cache=cache)[0] for x in (text, other))
    assert torch.equal(found[:, :3], changed[:, :3])
    assert not torch.allclose(found[:, 3:], changed[:, 3:])


def test_what_the_page_prints_is_that_all_is_well():
    told = [line.rpartition(" ")[2] for line in said(*cells("add-positions"))[1:]]
    assert told == ["False", *["True"] * 8, "False"]  # without positions; and positions from the column


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("if mask is None and past:", "if False:"),
        ('{"start": past}', '{"start": 0}'),
        ("mask.tril(past)", "mask.tril()"),
    ],
)
def test_the_checks_of_the_page_catch_what_it_says_to_plant(right, wrong):
    every = cells("add-positions")
    assert right in every[0]
    assert any("False" in line for line in said(every[0].replace(right, wrong), every[3]))


def test_graphs_stop_growing_but_where_the_table_ends(names, capsys):
    torch._dynamo.reset()
    exec(blocks("add-positions")[0], names)
    steps = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert {same for same, _ in steps} == {"True"}
    counted = [int(graphs) for _, graphs in steps]
    assert len(counted) == 6
    assert counted[2] == counted[-2] < counted[-1] <= 3  # the first step, any inside the table, any past it


def test_a_length_that_is_read_from_a_tensor_breaks_the_graph_in_two():
    torch._dynamo.reset()
    graphs = []

    def turned(x, positions):
        return (2 * x)[: positions.max().item() + 1] + 1

    torch.compile(turned, backend=lambda graph, _: graphs.append(0) or graph)(torch.ones(5), torch.arange(3))
    assert len(graphs) == 2
