"""Figures and tables of the chapter on what breaks on the server. Verdicts are computed by the page."""

import inspect
import textwrap
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.patches import FancyBboxPatch
from numpy.typing import NDArray

from pe_book.evidence.outcome import PASSED, SAID_NO
from pe_book.show.figure import PALETTE, Figure, canvas
from pe_book.show.table import Table
from pe_book.sinusoidal.production import packed_positions, position_ids

BATCH = (("the", "lion", "sleeps", "at", "noon"), ("Nitish", "killed", "lion"), ("the", "bank", "is", "wet"))
PACKED = (("the", "lion", "sleeps"), ("Nitish", "runs"))
# on which class of the page a test was run, where the usual one does not make its mistake
RUN_ON = {"wakes_up": "Unsaved", "follows": "Plain", "survives_cast": "Angles"}


def mask_of(sentences: Sequence[Sequence[str]]) -> NDArray[np.int64]:
    """The mask of the sentences, padded on the left to the longest: 1 for a token, 0 for padding."""
    width = max(map(len, sentences))
    rows = [[0] * (width - len(words)) + [1] * len(words) for words in sentences]
    return np.array(rows, dtype=np.int64)


def padded_batch(sentences: Sequence[Sequence[str]] = BATCH) -> Figure:
    """A left-padded batch: above each token its column number, below it its place in its own sentence."""
    mask = mask_of(sentences)
    places, (rows, width) = position_ids(mask), mask.shape
    fig, ax = canvas(1.12 * rows + 0.1, width=6.2)
    data, wrong = [], 0
    for row, words in enumerate(sentences):
        y, pad = -1.45 * row, width - len(words)
        for column in range(width):
            real = bool(mask[row, column])
            bad = real and column != places[row, column]
            wrong += bad
            word = words[column - pad] if real else "pad"
            _token(ax, column, y, word, PALETTE.red if bad else PALETTE.ink if real else PALETTE.grid)
            top = PALETTE.red if bad else PALETTE.muted
            ax.text(column, y + 0.36, str(column), ha="center", va="bottom", color=top, fontsize=11.5)
            if real:
                below = str(places[row, column])
                ax.text(column, y - 0.36, below, ha="center", va="top", color=PALETTE.blue, fontsize=11.5)
            data.append((row, column, word, int(mask[row, column]), int(places[row, column])))
    ax.set(xlim=(-0.55, width - 0.45), ylim=(-1.45 * (rows - 1) - 0.75, 0.75))
    ax.set_axis_off()
    tokens = int(mask.sum())
    shifted = sum(1 for words in sentences if len(words) < width)
    alt = (
        f"{rows} sentences of {', '.join(str(len(s)) for s in sentences)} words, padded on the left to "
        f"{width} columns. Column numbers stand above the tokens, places in the sentence below; they differ "
        f"for {wrong} of {tokens} tokens, drawn in red, in {shifted} of the {rows} sentences."
    )
    return Figure.of(fig, alt=alt, columns=("sentence", "column", "token", "mask", "position"), rows=data)


def packed_row(sentences: Sequence[Sequence[str]] = PACKED) -> Figure:
    """Two sentences in one row, and which token may see which."""
    words = [word for sentence in sentences for word in sentence]
    lengths = [len(sentence) for sentence in sentences]
    places, owner = packed_positions(lengths), np.repeat(np.arange(len(lengths)), lengths)
    n = len(words)
    fig, ax = canvas(3.3, width=4.4)
    data, causal, leaks = [], 0, 0
    for q in range(n):
        for k in range(n):
            before, same = k <= q, owner[q] == owner[k]
            causal, leaks = causal + before, leaks + (before and not same)
            colour = PALETTE.grid if not before else PALETTE.blue if same else PALETTE.red
            ax.scatter([k], [-q], s=900, marker="s", color=colour, alpha=1.0 if before else 0.35)
            may = "no" if not before else "yes" if same else "no, but a causal mask lets it"
            data.append((words[q], words[k], int(places[q]), int(places[k]), may))
        ax.text(-0.65, -q, words[q], ha="right", va="center", fontsize=11)
    for k in range(n):
        ax.text(k, 0.5, words[k], ha="center", va="bottom", fontsize=10.5)
        ax.text(k, 0.95, str(places[k]), ha="center", va="bottom", color=PALETTE.blue, fontsize=11.5)
    ax.text(-0.65, 0.95, "position", ha="right", va="bottom", color=PALETTE.muted, fontsize=10.5)
    ax.set(xlim=(-2.3, n - 0.4), ylim=(-n + 0.4, 1.45))
    ax.set_aspect("equal")
    ax.set_axis_off()
    alt = (
        f"{n} tokens of {len(lengths)} sentences in one row, with positions {', '.join(map(str, places))}. A "
        f"causal mask lets each token see itself and all before it; {leaks} of these {causal} "
        f"cells, in red, reach into another sentence."
    )
    columns = ("query", "key", "position of query", "position of key", "may see")
    return Figure.of(fig, alt=alt, columns=columns, rows=data)


def two_clocks(kept: Sequence[int], seen: int) -> Table:
    """How far each kept token lies behind the next one, by the true count and by the number kept."""
    header = ("kept token", *(f"${p}$" for p in kept))
    true = ("behind, counted", *(f"${seen - p}$" for p in kept))
    wrong = ("behind, by cache size", *(f"${len(kept) - p}$" for p in kept))
    return Table(header, [true, wrong], align="l" + "r" * len(kept))


def verdicts(results: Mapping[str, Mapping[str, str]]) -> Table:
    """Which class passes which check: `results` has a column for each class, an outcome for each check."""
    checks = list(next(iter(results.values())))
    rows = [(f"`{check}`", *(_mark(column[check]) for column in results.values())) for check in checks]
    names = (f"`{name}`" if name.isidentifier() else name for name in results)
    return Table(("check", *names), rows, align="l" + "c" * len(results))


def signature(cls: Any) -> str:
    """How a module is made and called: its arguments with their defaults, without their types."""
    made = _arguments(cls.__init__)
    return "\n".join(
        textwrap.fill(text, 66, subsequent_indent="    ")
        for text in (f"{cls.__name__}({made})", f"forward({_arguments(cls.forward)})")
    )


class Row:
    """One way to be wrong: what one does, what breaks, its test, the line that cures it, who met it."""

    def __init__(self, does: str, breaks: str, check: str, cure: str, met: str) -> None:
        self.does, self.breaks, self.check, self.cure, self.met = does, breaks, check, cure, met


ROWS = (
    Row(
        "feeds one new token at a time",
        "every new token stands at 0",
        "resumes",
        "`start=7`",
        "[equinox 704](https://github.com/patrick-kidger/equinox/pull/704), [rotary-embedding-torch 11](https://github.com/lucidrains/rotary-embedding-torch/issues/11)",
    ),
    Row(
        "pads on the left",
        "every sentence but the longest is shifted",
        "skips_padding",
        "positions from the mask: `cumsum(-1) - 1`, cut at 0",
        "[nnsight 672](https://github.com/ndif-team/nnsight/issues/672), [TransformerLens 1609](https://github.com/TransformerLensOrg/TransformerLens/issues/1609)",
    ),
    Row(
        "decodes the padded batch with one clock",
        "prompt and answer of a row disagree",
        "clock_per_row",
        "next positions from the mask: `sum(-1)`",
        "[unsloth 3699](https://github.com/unslothai/unsloth/issues/3699)",
    ),
    Row(
        "packs sentences into one row",
        "the second starts where the first ends, and hears it",
        "restarts",
        "restart at 0, and cut the mask",
        "[nanoVLM 201](https://github.com/huggingface/nanoVLM/issues/201)",
    ),
    Row(
        "hands over the other order of axes",
        "sentences are numbered, not tokens",
        "same_in_all",
        "`batch_first=…`",
        "[C.Origami 42](https://github.com/tanjimin/C.Origami/issues/42)",
    ),
    Row(
        "drops old tokens from the cache",
        "the next token stands before tokens it follows",
        "counts_all",
        "count tokens seen, not kept",
        "[VeloxQuant-MLX 389](https://github.com/rajveer43/VeloxQuant-MLX/issues/389)",
    ),
    Row(
        "scales in the model and in the module",
        "the words drown the positions",
        "scales_once",
        "`scale=False`",
        "{ref}`the scale <sec:production:scale>`",
    ),
    Row(
        "meets a longer text",
        "the addition does not fit",
        "grows",
        "make the missing rows",
        "[Transformer 8](https://github.com/SamLynnEvans/Transformer/issues/8), [espnet 1105](https://github.com/espnet/espnet/pull/1105)",
    ),
    Row(
        "loads with another `max_len`",
        "the checkpoint does not fit",
        "loads",
        "`persistent=False`",
        "[espnet 1060](https://github.com/espnet/espnet/pull/1060), [sd-webui-animatediff 180](https://github.com/continue-revolution/sd-webui-animatediff/issues/180)",
    ),
    Row(
        "builds on the meta device",
        "the table is memory that nobody wrote",
        "wakes_up",
        "make the table again",
        "[transformers 45902](https://github.com/huggingface/transformers/issues/45902)",
    ),
    Row(
        "keeps the table as a plain attribute",
        "`.half()` passes it by; the next layer stops",
        "follows",
        "`register_buffer`",
        "[RT-DETR 677](https://github.com/lyuwenyu/RT-DETR/issues/677)",
    ),
    Row(
        "forms angles in 16 bits",
        "positions become equal",
        "survives_cast",
        "float64 first, cast last",
        "[gpt-neox 1016](https://github.com/EleutherAI/gpt-neox/pull/1016), [transformers 28685](https://github.com/huggingface/transformers/issues/28685)",
    ),
    Row(
        "drops out the rows before the sum",
        "the words are never dropped",
        "silences",
        "`drop(x + rows)`",
        "the paper has it: section 5.4",
    ),
    Row(
        "takes an odd width",
        "the cosines do not fit their columns",
        "names_width",
        "an even `d_model`",
        "[BERT-pytorch 78](https://github.com/codertimo/BERT-pytorch/issues/78), [Informer2020 224](https://github.com/zhouhaoyi/Informer2020/issues/224)",
    ),
)


def ways_to_fail(outcomes: Mapping[str, str], cured: Mapping[str, str]) -> Table:
    """The table of the chapter; raises unless every test fails on the usual code and passes on the cure."""
    missing = {row.check for row in ROWS} ^ set(outcomes)
    if missing or set(outcomes) != set(cured):
        raise ValueError(f"outcomes and cured must have one entry for each row; they differ in {missing}")
    for row in ROWS:
        if outcomes[row.check] == PASSED or cured[row.check] != PASSED:
            raise ValueError(
                f"{row.check} must fail before the cure and pass after it, got {outcomes[row.check]!r} and "
                f"{cured[row.check]!r}"
            )
    cells = [
        (f"{row.does}: {row.breaks} ({row.met})", f"`{row.check}` {outcomes[row.check]}", row.cure)
        for row in ROWS
    ]
    header = ("what one does, what breaks, and who met it", "test, and what it says", "what cures it")
    return Table(header, cells)


def _arguments(function: Callable[..., object]) -> str:
    parameters = list(inspect.signature(function).parameters.values())[1:]  # without self
    bare = [parameter.replace(annotation=inspect.Parameter.empty) for parameter in parameters]
    return str(inspect.Signature(bare))[1:-1]


def _mark(said: str) -> str:
    return "✓" if said == PASSED else "✗" if said == SAID_NO else f"✗ {said}"


def _token(ax: Any, x: float, y: float, word: str, colour: str) -> None:
    box = FancyBboxPatch(
        (x - 0.41, y - 0.27), 0.82, 0.54, boxstyle="round,pad=0.02", facecolor="none", edgecolor=colour
    )
    ax.add_patch(box)
    faint = PALETTE.muted if colour == PALETTE.grid else colour
    ax.text(x, y - 0.01, word, ha="center", va="center", color=faint, fontsize=11)
