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

from pe_book.evidence.outcome import PASSED, SAID_NO, outcome
from pe_book.evidence.sinusoidal import production_ways as ways
from pe_book.show.sinusoidal import production as show
from pe_book.sinusoidal.formula import encode
from pe_book.sinusoidal.production import packed_positions, position_ids
from tests.seeds import examples_drawn

# planted in the package: file, what stands there, what is planted; the numbers of the page have to move
PLANTED = {
    "weights": [("pe_book/nn/trial/padded.py", "size=(3, 16, 16)) / 4", "size=(3, 16, 16)) / 2")],
}

few = examples_drawn(60)
MASKS = st.lists(st.integers(0, 1), min_size=1, max_size=12)


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


def test_every_usual_kind_of_mask_gives_int64_positions_that_do_not_overflow() -> None:
    for dtype in (bool, np.int8, np.uint8, np.int64, np.float32, np.float64):
        ids = position_ids(np.ones(1000, dtype))
        assert ids.dtype == np.int64
        assert ids[-1] == 999


# Mistakes that must be refused ----------------------------------------------------------------------------


@pytest.mark.parametrize(("mask", "said"), [([0, 2, 1], "got 2"), ([0.0, -np.inf], "got -inf"), (1, "axis")])
def test_a_mask_that_is_none_is_refused(mask: Any, said: str) -> None:
    with pytest.raises(ValueError, match=f"mask.*{said}"):
        position_ids(mask)


def test_a_mask_may_be_booleans_in_any_form(torch: Any) -> None:
    of_each = [True, 0, 1.0], (np.True_, False, 1), torch.tensor([True, False, True])
    assert [position_ids(mask).tolist() for mask in of_each] == [[0, 0, 1]] * 3
    rows = [torch.tensor([True, True]), torch.tensor([False, True])]
    assert position_ids(rows).tolist() == [[0, 1], [0, 0]]
    with pytest.raises(TypeError, match="on the CPU"):
        position_ids(torch.ones(3, dtype=torch.bool, device="meta"))


# What the table refuses -----------------------------------------------------------------------------------


def test_the_table_of_failures_refuses_a_test_that_does_not_fail_or_a_cure_that_does_not_cure() -> None:
    wrong = {way.check: SAID_NO for way in ways.WAYS}
    cured = dict.fromkeys(wrong, PASSED)
    assert len(show.ways_to_fail(wrong, cured).cells) == len(ways.WAYS)
    with pytest.raises(ValueError, match="resumes"):
        show.ways_to_fail({**wrong, "resumes": PASSED}, cured)
    with pytest.raises(ValueError, match="loads"):
        show.ways_to_fail(wrong, {**cured, "loads": "`RuntimeError`"})


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


# The tests that the reader copies, as printed -------------------------------------------------------------


def cells_of(page: str) -> list[str]:
    text = (Path(__file__).parents[2] / "docs" / f"{page}.md").read_text(encoding="utf-8")
    return re.findall(r"```\{code-cell\} python\n(.*?)```", text, re.S)


def classes_in(source: str) -> dict[str, str]:
    """The classes of a cell or a module, without what a page leaves out of them: docstrings and types."""
    tree = ast.parse(re.sub(r"\A(:.*\n)+", "", source))  # without the tags of a cell
    for node in ast.walk(tree):
        if isinstance(node, ast.arg):
            node.annotation = None
        elif isinstance(node, ast.ClassDef | ast.FunctionDef):
            body = node.body[ast.get_docstring(node) is not None :]
            node.body = [line for line in body if not isinstance(line, ast.AnnAssign) or line.value]
            if isinstance(node, ast.FunctionDef):
                node.returns = None
    return {node.name: ast.unparse(node) for node in tree.body if isinstance(node, ast.ClassDef)}


def test_the_how_to_judges_the_classes_that_the_chapter_prints(torch: Any) -> None:
    from pe_book.nn.trial import usual_classes

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
    cells = [
        cell
        for page in ("howto/test-your-module", "sinusoidal/production", "sinusoidal/classes")
        for cell in cells_of(page)
    ]
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


def reader(torch: Any, wrong: str = "") -> Callable[..., Any]:
    """A module that a reader may have: right, or with a mistake that no class of the page makes."""

    class Own(torch.nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self, d_model: int, max_len: int = 50, dropout: float = 0.1) -> None:
            super().__init__()
            if d_model % 2:
                raise ValueError(f"d_model must be even, got {d_model}")
            self.d_model, self.drop, self.cached = d_model, torch.nn.Dropout(dropout), {}
            self.register_buffer("omega", 10000.0 ** (-torch.arange(0, d_model, 2) / d_model))

        def forward(self, x: Any, start: int = 0, positions: Any = None) -> Any:
            n = x.shape[1]
            p = torch.arange(start, start + n) if positions is None else positions
            if wrong == "cached" and positions is None:
                p = self.cached.setdefault(n, p)  # under the length alone
            if wrong == "one_clock" and p.dim() == 2 and n == 1:
                p = p[:1].max() + torch.zeros_like(p)
            if wrong == "no_restart" and p.dim() == 2 and n > 1:
                p = p.clamp(min=0).cummax(-1).values
            omega = 10000.0 ** (-torch.arange(0, self.d_model, 2).double() / self.d_model)
            angle = p[..., None].double() * (self.omega.double() if wrong == "rounded" else omega)
            rows = torch.stack([angle.sin(), angle.cos()], -1).flatten(-2).to(x.dtype)
            return self.drop(x) + rows if wrong == "late" else self.drop(x + rows)

    return Own


@pytest.mark.parametrize(
    ("mistake", "caught"),
    [
        ("", set()),  # dropout is 0.1 by default: the tests call eval()
        ("cached", {"resumes"}),
        ("one_clock", {"clock_per_row"}),
        ("no_restart", {"restarts"}),
        ("rounded", {"survives_cast"}),
        ("late", {"silences"}),
    ],
)
def test_each_mistake_is_caught_by_the_printed_test_made_for_it(
    torch: Any, printed: Any, mistake: str, caught: set[str]
) -> None:
    """The page itself proves that each test sees the mistake of a usual class and passes its cure."""
    assert failing(printed, reader(torch, mistake)) == caught


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
                other = encode(np.arange(rows), d_model, **foreign)
                assert refused(torch.from_numpy(other).to(dtype)), (dtype, d_model, foreign)
