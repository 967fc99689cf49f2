"""The ways to be wrong of the chapter on production: what breaks, its test, its cure, who met it."""

from collections.abc import Mapping
from typing import NamedTuple

from pe_book.evidence.outcome import PASSED

# on which class of the page a test was run, where the usual one does not make its mistake
RUN_ON = {"wakes_up": "Unsaved", "follows": "Plain", "survives_cast": "Angles"}


class Way(NamedTuple):
    """One way to be wrong: what one does, what breaks, its test, the line that cures it, who met it."""

    does: str
    breaks: str
    check: str
    cure: str
    met: str


WAYS = (
    Way(
        "feeds one new token at a time",
        "every new token stands at 0",
        "resumes",
        "`start=7`",
        "[equinox 704](https://github.com/patrick-kidger/equinox/pull/704), [rotary-embedding-torch 11](https://github.com/lucidrains/rotary-embedding-torch/issues/11)",
    ),
    Way(
        "pads on the left",
        "every sentence but the longest is shifted",
        "skips_padding",
        "positions from the mask: `cumsum(-1) - 1`, cut at 0",
        "[nnsight 672](https://github.com/ndif-team/nnsight/issues/672), [TransformerLens 1609](https://github.com/TransformerLensOrg/TransformerLens/issues/1609)",
    ),
    Way(
        "decodes the padded batch with one clock",
        "prompt and answer of a row disagree",
        "clock_per_row",
        "next positions from the mask: `sum(-1)`",
        "[unsloth 3699](https://github.com/unslothai/unsloth/issues/3699)",
    ),
    Way(
        "packs sentences into one row",
        "the second starts where the first ends, and hears it",
        "restarts",
        "restart at 0, and cut the mask",
        "[nanoVLM 201](https://github.com/huggingface/nanoVLM/issues/201)",
    ),
    Way(
        "hands over the other order of axes",
        "sentences are numbered, not tokens",
        "same_in_all",
        "`batch_first=…`",
        "[C.Origami 42](https://github.com/tanjimin/C.Origami/issues/42)",
    ),
    Way(
        "drops old tokens from the cache",
        "the next token stands before tokens it follows",
        "counts_all",
        "count tokens seen, not kept",
        "[VeloxQuant-MLX 389](https://github.com/rajveer43/VeloxQuant-MLX/issues/389)",
    ),
    Way(
        "scales in the model and in the module",
        "the words drown the positions",
        "scales_once",
        "`scale=False`",
        "{ref}`the scale <sec:production:scale>`",
    ),
    Way(
        "meets a longer text",
        "the addition does not fit",
        "grows",
        "make the missing rows",
        "[Transformer 8](https://github.com/SamLynnEvans/Transformer/issues/8), [espnet 1105](https://github.com/espnet/espnet/pull/1105)",
    ),
    Way(
        "loads with another `max_len`",
        "the checkpoint does not fit",
        "loads",
        "`persistent=False`",
        "[espnet 1060](https://github.com/espnet/espnet/pull/1060), [sd-webui-animatediff 180](https://github.com/continue-revolution/sd-webui-animatediff/issues/180)",
    ),
    Way(
        "builds on the meta device",
        "the table is memory that nobody wrote",
        "wakes_up",
        "make the table again",
        "[transformers 45902](https://github.com/huggingface/transformers/issues/45902)",
    ),
    Way(
        "keeps the table as a plain attribute",
        "`.half()` passes it by; the next layer stops",
        "follows",
        "`register_buffer`",
        "[RT-DETR 677](https://github.com/lyuwenyu/RT-DETR/issues/677)",
    ),
    Way(
        "forms angles in 16 bits",
        "positions become equal",
        "survives_cast",
        "float64 first, cast last",
        "[gpt-neox 1016](https://github.com/EleutherAI/gpt-neox/pull/1016), [transformers 28685](https://github.com/huggingface/transformers/issues/28685)",
    ),
    Way(
        "drops out the rows before the sum",
        "the words are never dropped",
        "silences",
        "`drop(x + rows)`",
        "the paper has it: section 5.4",
    ),
    Way(
        "takes an odd width",
        "the cosines do not fit their columns",
        "names_width",
        "an even `d_model`",
        "[BERT-pytorch 78](https://github.com/codertimo/BERT-pytorch/issues/78), [Informer2020 224](https://github.com/zhouhaoyi/Informer2020/issues/224)",
    ),
)


def refuse_unproved(outcomes: Mapping[str, str], cured: Mapping[str, str]) -> None:
    """Raise unless every test fails on the usual code and passes on the cure; both say so by its name."""
    for way in WAYS:
        if outcomes[way.check] == PASSED or cured[way.check] != PASSED:
            raise ValueError(
                f"{way.check} must fail before the cure and pass after it, got {outcomes[way.check]!r} and "
                f"{cured[way.check]!r}"
            )
