"""Holds pe_book.sinusoidal.production, and what the chapter says about modules on a server, to their word."""

import ast
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pe_book.evidence.claims import stands
from pe_book.evidence.outcome import PASSED, SAID_NO, outcome
from pe_book.evidence.sinusoidal import production_ways as ways
from pe_book.numerics.rounding import collisions, round_to
from pe_book.show.sinusoidal import production as show
from pe_book.sinusoidal.formula import encode
from pe_book.sinusoidal.production import packed_positions, position_ids
from pe_book.why.order_blindness import attention
from tests.seeds import examples_drawn

# planted in the package: file, what stands there, what is planted; the numbers of the page have to move
PLANTED = {
    "rows": [
        (
            "pe_book/family/learned/__init__.py",
            'whole_number(max_len, "max_len", least=1) * whole_number(d_model',
            'whole_number(max_len, "max_len", least=1) + whole_number(d_model',
        )
    ]
}

few = examples_drawn(60)
MASKS = st.lists(st.integers(0, 1), min_size=1, max_size=12)


# Exact small tables ---------------------------------------------------------------------------------------


def test_the_mask_of_the_page_by_hand() -> None:
    assert position_ids([0, 0, 1, 1, 1]).tolist() == [0, 0, 0, 1, 2]
    batch = position_ids([[1, 1, 1, 1, 1], [0, 0, 1, 1, 1], [0, 1, 1, 1, 1]])
    assert batch.tolist() == [[0, 1, 2, 3, 4], [0, 0, 0, 1, 2], [0, 0, 1, 2, 3]]


def test_padding_on_the_right_and_a_row_without_a_token() -> None:
    assert position_ids([1, 1, 0, 0]).tolist() == [0, 1, 1, 1]
    assert position_ids([0, 0, 0]).tolist() == [0, 0, 0]
    assert position_ids(np.zeros((2, 0), dtype=int)).shape == (2, 0)


def test_packed_rows_by_hand() -> None:
    assert packed_positions([3, 2]).tolist() == [0, 1, 2, 0, 1]
    assert packed_positions([2, 1, 3]).tolist() == [0, 1, 0, 0, 1, 2]
    assert packed_positions([4]).tolist() == [0, 1, 2, 3]


# Properties -----------------------------------------------------------------------------------------------


@few
@given(mask=MASKS)
def test_real_tokens_are_numbered_from_zero_whatever_stands_between_them(mask: list[int]) -> None:
    ids = position_ids(mask)
    real = np.array(mask) == 1
    assert ids[real].tolist() == list(range(int(real.sum())))
    assert (ids >= 0).all()
    assert ids.max() <= max(int(real.sum()) - 1, 0)


@few
@given(mask=MASKS, pads=st.integers(0, 5))
def test_more_padding_on_the_left_changes_no_token(mask: list[int], pads: int) -> None:
    longer = position_ids([0] * pads + mask)
    assert np.array_equal(longer[pads:], position_ids(mask))


@few
@given(masks=st.lists(st.lists(st.integers(0, 1), min_size=5, max_size=5), min_size=1, max_size=4))
def test_rows_of_a_batch_do_not_hear_each_other(masks: list[list[int]]) -> None:
    batch = position_ids(masks)
    assert np.array_equal(batch, np.stack([position_ids(mask) for mask in masks]))
    assert np.array_equal(position_ids(np.array(masks)[:, None]), batch[:, None])


@few
@given(lengths=st.lists(st.integers(1, 9), min_size=1, max_size=6))
def test_a_packed_row_falls_apart_into_its_sentences(lengths: list[int]) -> None:
    row = packed_positions(lengths)
    parts = np.split(row, np.cumsum(lengths)[:-1])
    assert [part.tolist() for part in parts] == [list(range(n)) for n in lengths]


@pytest.mark.parametrize("dtype", [bool, np.int8, np.uint8, np.int64, np.float32, np.float64])
def test_every_usual_kind_of_mask_gives_the_same_int64_positions(dtype: type) -> None:
    ids = position_ids(np.array([[0, 1, 1], [1, 1, 1]], dtype=dtype))
    assert ids.dtype == np.int64
    assert ids.tolist() == [[0, 0, 1], [0, 1, 2]]


def test_a_long_uint8_mask_does_not_overflow() -> None:
    assert position_ids(np.ones(1000, dtype=np.uint8))[-1] == 999
    assert position_ids(np.ones(1000, dtype=bool))[-1] == 999


# Mistakes that must be refused ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("mask", "error", "said"),
    [
        ([0, 2, 1], ValueError, "got 2"),
        ([0.0, -np.inf], ValueError, "got -inf"),
        ([0.0, np.nan], ValueError, "got nan"),
        ([0, -1], ValueError, "got -1"),
        (1, ValueError, "last axis"),
        (["pad", "lion"], TypeError, "mask must hold"),
        ([[1, 1], [1]], ValueError, "one shape"),
    ],
)
def test_a_mask_that_is_none_is_refused(mask: Any, error: type[Exception], said: str) -> None:
    with pytest.raises(error, match="mask") as caught:
        position_ids(mask)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("lengths", "error"),
    [
        ([], ValueError),
        (3, ValueError),
        ([3, 0], ValueError),
        ([3, -1], ValueError),
        ([2.0, 1.0], TypeError),
        ([True, 2], TypeError),
        ([[1, 2]], ValueError),
    ],
)
def test_lengths_that_are_none_are_refused(lengths: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match="lengths"):
        packed_positions(lengths)


def test_a_mask_keeps_its_own_mask_or_is_refused() -> None:
    for masked in (
        np.ma.array([1, 1, 0], mask=[0, 1, 0]),
        np.ma.array([True, True, False], mask=[0, 1, 0]),
        [np.ma.array([True, True], mask=[0, 1]), np.ma.array([True, True])],
    ):
        with pytest.raises(TypeError, match=r"mask must .* got a masked array"):
            position_ids(masked)
    with pytest.raises(TypeError, match=r"lengths must .* got a masked array"):
        packed_positions(np.ma.array([3, 2], mask=[0, 1]))


def test_a_mask_may_be_booleans_in_any_form(torch: Any) -> None:
    for mask in (
        [True, False, True],
        [True, 0, 1.0],
        (np.True_, False, 1),
        torch.tensor([True, False, True]),
    ):
        assert position_ids(mask).tolist() == [0, 0, 1]
    assert position_ids([torch.tensor([True, True]), torch.tensor([False, True])]).tolist() == [
        [0, 1],
        [0, 0],
    ]
    for bad, cure in (
        (torch.ones(3, dtype=torch.bool, device="meta"), "on the CPU"),
        (torch.ones(3, dtype=torch.bool).to_sparse(), "to_dense"),
    ):
        with pytest.raises(TypeError, match=cure):
            position_ids(bad)


def test_lengths_beyond_memory_are_refused_before_they_are_tried() -> None:
    for lengths in ([10**12], [5, 10**300], [10**10] * 3):
        with pytest.raises(ValueError, match=r"lengths must be smaller: .* of memory"):
            packed_positions(lengths)
    for bad in ([3.0, 2], [True, 2], [0], [-1], [2, 0.5], [10**400], [[3, 2]], 3):
        with pytest.raises((ValueError, TypeError), match="lengths"):
            packed_positions(bad)


# What the page says of one attention head -----------------------------------------------------------------


def last_token(rows: Any, visible: Any) -> Any:
    rng = np.random.default_rng(5)
    w_q, w_k, w_v = rng.normal(size=(3, rows.shape[1], rows.shape[1])) / np.sqrt(rows.shape[1])
    bias = np.where(np.asarray(visible, dtype=bool), 0.0, -np.inf)
    return attention(rows[-1:] @ w_q, rows @ w_k, rows @ w_v, bias=bias)[0]


def off(rows: Any, visible: Any, alone: Any) -> float:
    true = last_token(alone, np.ones(len(alone)))
    return float(np.linalg.norm(last_token(rows, visible) - true) / np.linalg.norm(true))


@few
@given(n=st.integers(1, 6), pads=st.integers(1, 6), seed=st.integers(0, 99))
def test_left_padding_is_cured_by_the_mask_and_by_nothing_less(n: int, pads: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    words, filling = rng.normal(size=(n, 16)), rng.normal(size=(pads, 16))
    mask = np.repeat([0, 1], [pads, n])
    padded, alone = np.vstack([filling, words]), words + encode(np.arange(n), 16)
    assert off(padded + encode(position_ids(mask), 16), mask, alone) < 1e-12
    assert off(padded + encode(np.arange(n + pads), 16), mask, alone) > 1e-3  # masked, and still wrong
    assert off(padded + encode(position_ids(mask), 16), np.ones_like(mask), alone) > 1e-3


def test_a_packed_row_needs_the_restart_and_the_cut_mask() -> None:
    rng = np.random.default_rng(7)
    words = rng.normal(size=(5, 16))
    cut, whole = [0, 0, 0, 1, 1], [1, 1, 1, 1, 1]
    alone = words[3:] + encode(range(2), 16)
    restarted, running = words + encode(packed_positions([3, 2]), 16), words + encode(range(5), 16)
    assert off(restarted, cut, alone) < 1e-12
    for rows, visible in ((restarted, whole), (running, cut), (running, whole)):
        assert off(rows, visible, alone) > 1e-2


def test_a_row_that_moves_as_a_whole_keeps_its_products_and_two_clocks_do_not() -> None:
    here = encode(2, 16) @ encode([0, 1, 2], 16).T
    np.testing.assert_allclose(encode(4, 16) @ encode([2, 3, 4], 16).T, here, atol=1e-12)
    true = encode(3, 16) @ encode([0, 1, 2], 16).T
    assert np.abs(encode(5, 16) @ encode([0, 1, 2], 16).T - true).max() > 0.5


def test_by_the_size_of_its_cache_a_token_stands_before_those_it_follows() -> None:
    kept, seen = [0, 1, 8, 9, 10, 11], 12
    rows = show.two_clocks(kept, seen).cells
    assert rows[0][1:] == ("$12$", "$11$", "$4$", "$3$", "$2$", "$1$")
    assert rows[1][1:] == ("$6$", "$5$", "$-2$", "$-3$", "$-4$", "$-5$")


# What the tables and figures say --------------------------------------------------------------------------


def test_the_table_of_failures_refuses_a_test_that_does_not_fail_or_a_cure_that_does_not_cure() -> None:
    wrong = {way.check: SAID_NO for way in ways.WAYS}
    cured = dict.fromkeys(wrong, PASSED)
    assert len(show.ways_to_fail(wrong, cured).cells) == len(ways.WAYS)
    with pytest.raises(ValueError, match="resumes"):
        show.ways_to_fail({**wrong, "resumes": PASSED}, cured)
    with pytest.raises(ValueError, match="loads"):
        show.ways_to_fail(wrong, {**cured, "loads": "`RuntimeError`"})
    with pytest.raises(ValueError, match="grows"):
        show.ways_to_fail({k: v for k, v in wrong.items() if k != "grows"}, cured)


# The class that everybody has met, and the module ---------------------------------------------------------


@pytest.fixture(scope="module")
def torch() -> Any:
    return pytest.importorskip("torch")


@pytest.fixture(scope="module")
def classic(torch: Any) -> Callable[..., Any]:
    """The usual class, written once more: a table in a buffer, one addition, one dropout."""
    nn = torch.nn

    class Classic(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self, d_model: int, max_len: int = 5000, dropout: float = 0.1) -> None:
            super().__init__()
            position = torch.arange(max_len, dtype=torch.float32).reshape(-1, 1)
            omega = 10000.0 ** (-torch.arange(0, d_model, 2, dtype=torch.float32) / d_model)
            pe = torch.zeros(1, max_len, d_model)
            pe[0, :, 0::2], pe[0, :, 1::2] = torch.sin(position * omega), torch.cos(position * omega)
            self.register_buffer("pe", pe)
            self.drop = nn.Dropout(dropout)

        def forward(self, x: Any) -> Any:
            return self.drop(x + self.pe[:, : x.size(1)])

    return Classic


@pytest.fixture(scope="module")
def module(torch: Any) -> Callable[..., Any]:
    nn = pytest.importorskip("pe_book.nn")

    def make(d_model: int = 8, **settings: Any) -> Any:
        return nn.SinusoidalEncoding(d_model, **{"dropout": 0.0, **settings})

    return make


def test_the_usual_class_is_right_for_one_sentence_and_gives_every_new_token_row_zero(
    torch: Any, classic: Any, module: Any
) -> None:
    usual = classic(8).eval()
    rows = usual(torch.zeros(1, 12, 8))
    np.testing.assert_allclose(rows[0].numpy(), encode(np.arange(12), 8), atol=1e-5)
    for _ in range(3):
        assert torch.equal(usual(torch.zeros(1, 1, 8))[0, 0], rows[0, 0])
    place = module()
    parts = [place(torch.zeros(1, 1, 8), start=t) for t in range(12)]
    assert torch.equal(torch.cat(parts, 1), place(torch.zeros(1, 12, 8)))


def test_the_module_is_right_behind_padding_in_a_packed_row_and_with_one_clock_a_row(
    torch: Any, module: Any
) -> None:
    place, mask = module(), torch.tensor([[1, 1, 1, 1, 1], [0, 0, 1, 1, 1], [0, 1, 1, 1, 1]])
    positions = (mask.cumsum(-1) - 1).clamp(min=0)
    assert np.array_equal(positions.numpy(), position_ids(mask.numpy()))
    out, whole = place(torch.zeros(3, 5, 8), positions=positions), place(torch.zeros(1, 6, 8))[0]
    assert torch.equal(out[1, 2:], whole[:3])
    assert torch.equal(out[2, 1:], whole[:4])
    following = place(torch.zeros(3, 1, 8), positions=mask.sum(-1, keepdim=True))
    assert torch.equal(following[:, 0], whole[[5, 3, 4]])
    packed = place(torch.zeros(1, 5, 8), positions=torch.from_numpy(packed_positions([3, 2])))
    assert torch.equal(packed[0, 3:], whole[:2])


def test_positions_of_the_other_order_of_axes_are_refused(torch: Any, module: Any) -> None:
    positions = torch.arange(5).expand(3, 5)
    with pytest.raises(ValueError, match="positions"):
        module()(torch.zeros(5, 3, 8), positions=positions)


def test_the_usual_class_numbers_sentences_when_the_axes_are_swapped(torch: Any, classic: Any) -> None:
    usual = classic(8).eval()
    out = usual(torch.zeros(5, 3, 8))  # meant as 5 tokens of 3 sentences
    for sentence in range(3):
        assert torch.equal(out[:, sentence], usual.pe[0, sentence].expand(5, 8))


def test_scaling_twice_leaves_the_position_one_part_in_seven_hundred(torch: Any, module: Any) -> None:
    d = 512
    place, zero, one = module(d, scale=True), torch.zeros(1, 1, d), torch.ones(1, 1, d)
    gain = (place(one * d**0.5) - place(zero)).mean().item()
    assert gain == pytest.approx(d, rel=1e-6)
    share = np.linalg.norm(encode(0, d)) / (gain * np.sqrt(d))
    assert 1 / 750 < share < 1 / 700


def test_dropout_comes_after_the_sum(torch: Any, classic: Any, module: Any) -> None:
    x = torch.zeros(2, 12, 8)
    for all_gone in (classic(8, dropout=1.0), module(dropout=1.0)):
        assert (all_gone.train()(x) == 0).all()
    before = lambda x: torch.nn.functional.dropout(x, 1.0) + classic(8).pe[:, :12]  # noqa: E731
    assert not (before(x) == 0).all()


# The tests that the reader copies, as printed -------------------------------------------------------------


def cells_of(page: str) -> list[str]:
    text = (Path(__file__).parents[2] / "docs" / f"{page}.md").read_text(encoding="utf-8")
    return re.findall(r"```\{code-cell\} python\n(.*?)```", text, re.S)


class Bare(ast.NodeTransformer):
    """Takes from a class what a page leaves out of it: its docstrings and types."""

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        return self.generic_visit(self.without_docstring(node))

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.returns = None
        return self.generic_visit(self.without_docstring(node))

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST | None:
        return node if node.value else None

    def visit_arg(self, node: ast.arg) -> ast.AST:
        node.annotation = None
        return node

    def without_docstring(self, node: Any) -> Any:
        node.body = node.body[ast.get_docstring(node) is not None :]
        return node


def classes_in(source: str) -> dict[str, str]:
    code = re.sub(r"\A(:.*\n)+", "", source)  # the tags of a cell
    tops = [node for node in ast.parse(code).body if isinstance(node, ast.ClassDef)]
    return {node.name: ast.unparse(Bare().visit(node)) for node in tops}


def test_the_how_to_judges_the_classes_that_the_chapter_prints(torch: Any) -> None:
    from pe_book.evidence.sinusoidal import usual_classes

    pages = ("sinusoidal/production", "sinusoidal/checklist")
    printed = {
        name: code for page in pages for cell in cells_of(page) for name, code in classes_in(cell).items()
    }
    judged = classes_in(Path(usual_classes.__file__).read_text(encoding="utf-8"))
    assert len(judged) == 6
    assert judged == {name: printed.get(name) for name in judged}


@pytest.fixture(scope="module")
def printed(torch: Any) -> dict[str, Any]:
    """What the listings of the how-to and the chapter define, run alone as by somebody who copied them."""
    cells = cells_of("howto/test-your-module") + cells_of("sinusoidal/production")
    (listing,) = [cell for cell in cells if "CHECKS = [" in cell]
    (whole,) = [cell for cell in cells if "def same_everywhere(" in cell]
    (checkpoint,) = [cell for cell in cells if "def without_table(" in cell]
    names: dict[str, Any] = {}
    for cell in (listing, whole, checkpoint[: checkpoint.index("# end solution")]):
        assert ":tags:" not in cell  # nothing hides it
        exec(cell, names)
    assert "pe_book" not in listing + whole  # to be copied without this book
    return names


def failing(printed: dict[str, Any], make: Callable[..., Any]) -> set[str]:
    """The names of the printed tests that a module does not pass."""
    return {check.__name__ for check in printed["CHECKS"] if outcome(check, make) != PASSED}


def reader(torch: Any, **mistake: bool) -> Callable[..., Any]:
    """A module that a reader may have, right unless told to make one of the mistakes of the page."""
    wrong = {name for name, made in mistake.items() if made}

    class Own(torch.nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self, d_model: int, max_len: int = 50, dropout: float = 0.1) -> None:
            super().__init__()
            if d_model % 2 and "odd" not in wrong:
                raise ValueError(f"d_model must be even, got {d_model}")
            self.d_model, self.drop = d_model, torch.nn.Dropout(dropout)
            ladder = 10000.0 ** (-torch.arange(0, d_model, 2) / d_model)
            self.register_buffer("omega", ladder, persistent="bound" in wrong or "rounded" in wrong)
            if "saved" in wrong:
                self.register_buffer("spare", torch.zeros(max_len))
            self.max_len, self.cached = max_len, {}

        def forward(self, x: Any, start: int = 0, positions: Any = None) -> Any:
            n = x.shape[1]
            p = torch.arange(start, start + n) if positions is None else positions
            if "start" in wrong and positions is None:
                p = torch.arange(n)
            if "cached" in wrong and positions is None:
                p = self.cached.setdefault(n, p)  # under the length alone
            if "positions" in wrong:
                p = torch.arange(start, start + n)
            if "one_clock" in wrong and p.dim() == 2:
                p = p[:1].max() + torch.zeros_like(p) if n == 1 else p
            if "no_restart" in wrong and p.dim() == 2 and n > 1:
                p = p.clamp(min=0).cummax(-1).values
            if "bound" in wrong and n > self.max_len:
                raise IndexError("too long")
            omega = 10000.0 ** (-torch.arange(0, self.d_model, 2).double() / self.d_model)
            if "asleep" in wrong or "rounded" in wrong:
                omega = self.omega.double()
            angle = p[..., None].double() * omega
            dtype = torch.float32 if "wide" in wrong else x.dtype
            rows = torch.stack([angle.sin(), angle.cos()], -1).flatten(-2).to(dtype)
            if "early" in wrong:
                return x + self.drop(rows)
            if "late" in wrong:
                return self.drop(x) + rows
            return self.drop(x + rows)

    return Own


def test_the_printed_tests_pass_for_right_modules_as_they_are_made(torch: Any, printed: Any) -> None:
    nn = pytest.importorskip("pe_book.nn")
    assert failing(printed, reader(torch)) == set()  # dropout is 0.1 by default: the tests call eval()
    assert failing(printed, nn.SinusoidalEncoding) == set()


@pytest.mark.parametrize(
    ("mistake", "caught"),
    [
        ("start", {"resumes"}),
        ("cached", {"resumes"}),
        ("positions", {"skips_padding", "clock_per_row", "restarts"}),
        ("one_clock", {"clock_per_row"}),
        ("no_restart", {"restarts"}),
        ("bound", {"grows"}),
        ("saved", {"loads"}),
        ("asleep", {"wakes_up", "survives_cast"}),
        ("rounded", {"survives_cast"}),
        ("wide", {"follows"}),
        ("early", {"silences"}),
        ("late", {"silences"}),
        ("odd", {"names_width"}),
    ],
)
def test_each_mistake_is_caught_by_the_printed_test_made_for_it(
    torch: Any, printed: Any, mistake: str, caught: set[str]
) -> None:
    assert failing(printed, reader(torch, **{mistake: True})) == caught


def test_the_printed_test_of_waking_does_not_depend_on_what_memory_held(
    torch: Any, classic: Any, printed: Any
) -> None:
    class Unsaved(torch.nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self, d_model: int) -> None:
            super().__init__()
            self.register_buffer("rows", classic(8, max_len=500).pe.clone(), persistent=False)

        def forward(self, x: Any) -> Any:
            return x + self.rows[:, : x.size(1)]

    was = torch.are_deterministic_algorithms_enabled()
    assert not any(printed["wakes_up"](Unsaved) for _ in range(50))
    assert torch.are_deterministic_algorithms_enabled() == was


def test_rows_that_all_differ_and_are_wrong_do_not_survive_the_cast(torch: Any, printed: Any) -> None:
    own = reader(torch, rounded=True)(128).bfloat16().eval()
    rows = own(torch.zeros(1, 5000, 128, dtype=torch.float32))[0]
    assert len(torch.unique(rows, dim=0)) == 5000  # to count rows is not enough
    assert not printed["right"](rows, range(5000))


def test_the_printed_tests_of_the_caller(torch: Any, module: Any, printed: Any) -> None:
    zeros = torch.zeros(5, 3, 8)  # 5 tokens of 3 sentences
    assert printed["same_in_all"](module(batch_first=False), zeros, 1)
    assert not printed["same_in_all"](module(), zeros, 1)
    assert printed["same_in_all"](module(), zeros.transpose(0, 1), 0)
    seen: list[int] = []
    assert printed["counts_all"](lambda: seen.append(0), lambda: len(seen))
    assert not printed["counts_all"](lambda: None, lambda: 6)
    undone: list[int] = []
    assert printed["counts_all"](
        lambda: undone.append(0), lambda: len(undone), lambda n: undone.__delitem__(slice(-n, None))
    )
    ever: list[int] = []  # tokens ever seen: a rejected draft goes on counting
    assert not printed["counts_all"](lambda: ever.append(0), lambda: len(ever), lambda n: None)


@pytest.mark.parametrize("d_model", [8, 512])
def test_the_printed_test_of_the_scale_tells_twice_from_once(
    torch: Any, module: Any, printed: Any, d_model: int
) -> None:
    zeros, root = torch.zeros(1, 3, d_model), d_model**0.5
    scales, leaves = module(d_model, scale=True), module(d_model)
    assert printed["scales_once"](scales, zeros)
    assert printed["scales_once"](leaves, zeros)
    assert printed["scales_once"](lambda x: leaves(x * root), zeros)
    assert not printed["scales_once"](lambda x: scales(x * root), zeros)


def test_the_printed_test_of_the_whole_model_catches_every_mistake_and_each_part_of_it_is_needed(
    printed: Any,
) -> None:
    evidence = pytest.importorskip("pe_book.evidence.sinusoidal.production")
    assert evidence.catches(printed["same_everywhere"])
    # what only looks at single calls, without packing and without a cache, misses most
    alone = evidence.catches(lambda model, x, other: np.allclose(model(other)[:, :2], model(other[:, :2])))
    assert not alone
    assert sum(said is True for said in alone.evidence.values()) == len(alone.evidence)


def test_a_refused_checkpoint_is_another_table_and_not_a_rounded_one(
    torch: Any, classic: Any, printed: Any
) -> None:
    def refused(rows: Any) -> bool:
        try:
            printed["without_table"]({"rows": torch.as_tensor(rows)[None]})
        except ValueError:
            return True
        return False

    for dtype in (torch.float32, torch.float16, torch.bfloat16):
        for d_model, rows in ((8, 24), (128, 5000), (512, 1500), (512, 5000), (768, 2000)):
            stored = classic(d_model, rows).pe[0].to(dtype)
            exponent = torch.arange(0, d_model, 2) * -(np.log(10000.0) / d_model)  # the other usual spelling
            angle = torch.arange(rows)[:, None] * exponent.exp()
            spelled = torch.stack([angle.sin(), angle.cos()], -1).flatten(-2)
            assert not refused(stored)
            assert not refused(spelled.to(dtype))
            assert refused(stored.flip(-1))
            assert refused(stored.roll(1, 0))
            assert refused(torch.full_like(stored, float("nan")))
            for foreign in ({"base": 9000.0}, {"layout": "halves"}, {"ladder": "tensor2tensor"}):
                other = encode(np.arange(rows), d_model, **foreign)  # type: ignore[arg-type]
                assert refused(torch.from_numpy(other).to(dtype)), (dtype, d_model, foreign)


def test_a_plain_attribute_stays_behind_and_a_buffer_comes_along(
    torch: Any, classic: Any, module: Any
) -> None:
    class Plain(torch.nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.rows = classic(8).pe

        def forward(self, x: Any) -> Any:
            return x + self.rows[:, : x.size(1)]

    x = torch.zeros(1, 4, 8, dtype=torch.float16)
    assert Plain().half()(x).dtype == torch.float32
    assert classic(8).half().eval()(x).dtype == module().half()(x).dtype == torch.float16
    next_layer = torch.nn.Linear(8, 8).half()
    with pytest.raises(RuntimeError, match="dtype"):
        next_layer(Plain().half()(x))


def test_a_table_outside_the_checkpoint_sleeps_on_the_meta_device(
    torch: Any, classic: Any, module: Any
) -> None:
    class Unsaved(torch.nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("rows", torch.as_tensor(classic(8, max_len=20).pe), persistent=False)

        def forward(self, x: Any) -> Any:
            return x + self.rows[:, : x.size(1)]

    def woken(make: Callable[[], Any]) -> Any:
        with torch.device("meta"):
            sleeping = make()
        awake = sleeping.to_empty(device="cpu").eval()
        awake.load_state_dict(make().state_dict())
        return awake(torch.zeros(1, 12, 8))

    was = torch.are_deterministic_algorithms_enabled()
    torch.use_deterministic_algorithms(True)  # fresh memory is NaN then
    try:
        assert torch.isnan(woken(Unsaved)).all()
        np.testing.assert_allclose(woken(lambda: classic(8, max_len=20))[0], encode(range(12), 8), atol=1e-5)
        np.testing.assert_allclose(woken(module)[0], encode(range(12), 8), atol=1e-6)
    finally:
        torch.use_deterministic_algorithms(was)


def test_an_odd_width_is_refused_by_name(torch: Any, classic: Any, module: Any) -> None:
    with pytest.raises(RuntimeError, match="must match"):
        classic(7)
    with pytest.raises(ValueError, match="d_model"):
        module(7)


# Claims of the ledger -------------------------------------------------------------------------------------


def test_c090_register_buffer_is_a_method_is_saved_and_freezing_a_slice_does_nothing(
    torch: Any, classic: Any
) -> None:
    assert stands("C090")
    assert not hasattr(torch, "register_buffer")
    assert callable(torch.nn.Module.register_buffer)
    usual = classic(8, max_len=24)
    assert list(usual.state_dict()) == ["pe"]
    with pytest.raises(RuntimeError, match="size mismatch for pe"):
        classic(8, max_len=32).load_state_dict(usual.state_dict())
    assert not usual.pe.requires_grad
    assert usual.pe[:, :5].requires_grad_(False) is not None
    parameter = torch.nn.Parameter(torch.zeros(1, 10, 4))
    with pytest.raises(RuntimeError, match="leaf"):
        parameter[:, :5].requires_grad_(False)


def test_c090_without_the_table_in_it_a_checkpoint_loads_at_any_length(torch: Any, module: Any) -> None:
    short, long = module(max_len=24), module(max_len=32)
    assert not short.state_dict()
    long.load_state_dict(short.state_dict())
    short.load_state_dict(long.state_dict())
    assert torch.equal(short(torch.zeros(1, 30, 8)), long(torch.zeros(1, 30, 8)))


def test_c091_nothing_is_trained_and_what_the_buffer_weighs(torch: Any, classic: Any, module: Any) -> None:
    assert stands("C091")
    usual, ours = classic(512, max_len=1000), module(512, max_len=1000)
    assert sum(p.numel() for made in (usual, ours) for p in made.parameters()) == 0
    assert [b.nbytes for b in usual.buffers()] == [ours.table.nbytes] == [2_048_000]


def test_c092_a_learned_table_is_less_than_one_percent_of_the_models_named() -> None:
    assert stands("C092")

    def parameters(vocabulary: int, positions: int, d: int, layers: int) -> int:
        layer = 4 * (d * d + d) + (d * 4 * d + 4 * d) + (4 * d * d + d) + 2 * 2 * d
        return (vocabulary + positions) * d + layers * layer

    bert = parameters(30522, 512, 768, 12) + 2 * 768 + 2 * 768 + 768 * 768 + 768
    gpt2 = parameters(50257, 1024, 768, 12) + 2 * 768
    assert (bert, gpt2) == (109_482_240, 124_439_808)  # what the published models have
    assert 0.3 < 100 * 512 * 768 / bert < 0.4
    assert 0.6 < 100 * 1024 * 768 / gpt2 < 0.7


def test_c093_embedding_has_no_argument_of_that_name(torch: Any) -> None:
    found = stands("C093")
    assert found
    assert found.evidence["said"] == "TypeError"
    with pytest.raises(TypeError, match="max_seq_len"):
        torch.nn.Embedding(max_seq_len=512, d_model=512)


def test_c094_a_table_of_512_ends_at_511(torch: Any) -> None:
    assert stands("C094")
    table = torch.nn.Embedding(512, 8)
    assert table(torch.tensor([511])).shape == (1, 8)
    with pytest.raises(IndexError):
        table(torch.tensor([512]))
    longer = torch.nn.Embedding(600, 8)
    with torch.no_grad():
        longer.weight[:512] = table.weight
    assert torch.equal(longer(torch.tensor([511])), table(torch.tensor([511])))
    assert longer(torch.tensor([512])).shape == (1, 8)  # a wall, not a law


@pytest.mark.parametrize("max_len", [1000, 5000])
def test_c095_the_formula_has_no_limit_and_the_usual_class_has_one(
    torch: Any, classic: Any, module: Any, max_len: int
) -> None:
    assert stands("C095")
    assert classic(8, max_len)(torch.zeros(1, max_len, 8)).shape == (1, max_len, 8)
    with pytest.raises(RuntimeError, match=str(max_len + 1)):
        classic(8, max_len)(torch.zeros(1, max_len + 1, 8))
    place = module(8, max_len=max_len)
    np.testing.assert_allclose(place(torch.zeros(1, max_len + 1, 8))[0, -1], encode(max_len, 8), atol=1e-6)
    assert len(place.table) > max_len  # it grew, and the next long text finds it so
    far = place(torch.zeros(1, 2, 8), start=10**6)[0]
    np.testing.assert_allclose(far.numpy(), encode([10**6, 10**6 + 1], 8), atol=1e-6)


def test_c096_five_thousand_rows_weigh_less_than_ten_mebibytes(torch: Any, classic: Any) -> None:
    assert stands("C096")
    rows = classic(512, 5000).pe
    assert rows.numel() * rows.element_size() == 10_240_000 < 10 * 2**20


def test_c097_round_the_finished_table_and_nothing_is_lost_round_the_angle_and_positions_are() -> None:
    assert stands("C097")
    table, positions = encode(np.arange(5000), 512), np.arange(5000.0)
    for name, bound, first in (("bfloat16", 2**-9, (256, 257)), ("float16", 2**-12, (2048, 2049))):
        cast = round_to(table, name)
        assert np.abs(cast - table).max() <= bound
        assert collisions(cast).distinct == 5000
        lost = collisions(round_to(positions, name))
        assert lost.first == first
        assert lost.distinct < 3500
    assert collisions(round_to(positions, "bfloat16")).distinct == 797
    assert collisions(round_to(positions, "float16")).distinct == 3299


def test_c097_angles_in_the_dtype_of_the_module_collide_and_the_module_of_the_book_does_not(
    torch: Any, module: Any
) -> None:
    omega = torch.tensor(10000.0 ** (-np.arange(0, 512, 2) / 512)).bfloat16()
    angle = torch.arange(300).bfloat16()[:, None] * omega
    assert torch.equal(angle[256], angle[257])
    exact = np.arange(5000)[:, None] * omega.double().numpy()
    rounded = (torch.arange(5000).bfloat16()[:, None] * omega).double().numpy()
    assert np.abs(np.sin(rounded) - np.sin(exact)).max() > 1.99  # as wrong as a sine can be
    rows = module(512).bfloat16()(torch.zeros(1, 300, 512, dtype=torch.bfloat16))[0]
    assert len(torch.unique(rows.float(), dim=0)) == 300


def test_c098_which_listings_do_not_run_and_what_python_says(torch: Any) -> None:
    found = stands("C098")
    assert found
    assert (found.evidence["run"], found.evidence["of"]) == (14, 17)
    assert (
        found.evidence["stopped"]
        == "a model, NameError; a learned table, NameError; a checklist, SyntaxError"
    )
    with pytest.raises(AttributeError, match="register_buffer"):
        exec("torch.register_buffer('rows', torch.zeros(1))", {"torch": torch})


# The three classes of the notes, rebuilt ------------------------------------------------------------------


@pytest.mark.parametrize(("max_len", "dropout"), [(1000, 0.0), (1000, 0.1)])
def test_words_and_places_together_have_the_shapes_and_values_of_the_usual_models(
    torch: Any, classic: Any, module: Any, max_len: int, dropout: float
) -> None:
    words = torch.nn.Embedding(10000, 512)
    tokens = torch.arange(100).reshape(2, 50) * 99
    mine = module(512, max_len=max_len, dropout=dropout, scale=True).eval()
    usual = classic(512, max_len, dropout).eval()
    assert usual.pe.shape == (1, max_len, 512)
    assert mine.table.shape == (max_len, 512)
    out = mine(words(tokens))
    assert out.shape == (2, 50, 512)
    torch.testing.assert_close(out, usual(words(tokens) * 512**0.5), atol=1e-4, rtol=0)


def test_the_class_alone_has_a_table_of_5000_rows(torch: Any, classic: Any, module: Any) -> None:
    assert classic(512).pe.shape == (1, 5000, 512)
    x = torch.ones(2, 50, 512)
    mine, usual = module(512, max_len=5000)(x), classic(512).eval()(x)
    assert mine.shape == usual.shape == (2, 50, 512)
    torch.testing.assert_close(mine, usual, atol=1e-5, rtol=0)
