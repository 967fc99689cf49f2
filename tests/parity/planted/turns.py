"""Mistakes in turning and in context extension."""

from collections.abc import Callable

import numpy as np
import pytest

from pe_book.config import reading, scaling
from pe_book.family import context_extension, rotary
from pe_book.family.context_extension import ramps
from pe_book.family.rotary import axes as rotary_axes
from pe_book.sinusoidal import formula
from tests.parity.planted.patches import Patch, named, replaced
from tests.parity.register import Member

rotate, rotate_axes, sectioned = rotary.rotate, rotary_axes.rotate_axes, rotary_axes.sectioned_frequencies
scale, yarn, llama3 = context_extension.scale_frequencies, context_extension.yarn, context_extension.llama3
temperature = ramps.temperature
OTHER_LAYOUT = {"interleaved": "halves", "halves": "interleaved"}


def both(one_axis: Callable[..., object], axes: Callable[..., object]) -> Patch:
    def patched(patch: pytest.MonkeyPatch) -> None:
        patch.setattr(rotary, "rotate", one_axis)
        patch.setattr(rotary_axes, "rotate_axes", axes)

    return patched


def in_the_other_layout(turn):
    return lambda x, at, *more, layout="interleaved", **k: turn(
        x, at, *more, layout=OTHER_LAYOUT[layout], **k
    )


def other_ladder(x, positions, *, frequencies=None, **options):
    if frequencies is None:
        options["ladder"] = "tensor2tensor"
    return rotate(x, positions, frequencies=frequencies, **options)


def ladder_of_the_head(x, positions, *, rotary_dim=None, base=10000.0, frequencies=None, **options):
    if frequencies is not None:
        return rotate(x, positions, rotary_dim=rotary_dim, frequencies=frequencies, **options)
    omega = formula.frequencies(x.shape[-1], base=base)[: (rotary_dim or x.shape[-1]) // 2]
    return rotate(x, positions, rotary_dim=rotary_dim, frequencies=omega, **options)


def other_side(x, positions, *, rotary_dim=None, side="first", **options):
    return rotate(
        x, positions, rotary_dim=rotary_dim, side={"first": "last", "last": "first"}[side], **options
    )


def other_ramp(omega, factor, original_len, *, ramp="paper", **options):
    return yarn(omega, factor, original_len, ramp={"paper": "library", "library": "paper"}[ramp], **options)


def other_arrangement(head_dim, sections, *, arrangement="sectioned", **options):
    other = {"sectioned": "interleaved", "interleaved": "sectioned"}[arrangement]
    return sectioned(head_dim, sections, arrangement=other, **options)


def one_thousandth_larger(omega, *, factor, **options):
    return scale(omega, factor=1.001 * factor, **options)


def another_base(d_model, *, base=10000.0):
    return (1.001 * base) ** (-np.arange(0, d_model, 2) / d_model)


def ladder_of_the_slice(head_dim, width, *, base=10000.0):
    return np.append(base ** (-np.arange(0, width, 2) / width), np.zeros((head_dim - width) // 2))


def with_factor(change: Callable[[float], float]):
    def planted(omega, **options):
        frequencies, attention_factor = scale(omega, **options)
        return frequencies, change(attention_factor)

    return planted


def is_row(one: Member) -> bool:
    return one.kind == "rows"


def scaled(one: Member) -> bool:
    return one.kind == "frequencies" and not named("p-RoPE", "on scores", "config")(one)


PLANTED: dict[str, tuple[Patch, Callable[[Member], bool]]] = {
    "the other layout": (both(in_the_other_layout(rotate), in_the_other_layout(rotate_axes)), is_row),
    "the other sense of turning": (
        both(
            lambda x, at, **k: rotate(x, np.negative(at), **k),
            lambda x, at, *more, **k: rotate_axes(x, np.negative(at), *more, **k),
        ),
        is_row,
    ),
    "one position further": (
        both(
            lambda x, at, **k: rotate(x, np.add(at, 1), **k),
            lambda x, at, *more, **k: rotate_axes(x, np.add(at, 1), *more, **k),
        ),
        is_row,
    ),
    "the ladder of tensor2tensor": (
        replaced(rotary, "rotate", other_ladder),
        lambda one: is_row(one) and not named("axes", "columns and rows", "rows and columns", "YaRN")(one),
    ),
    "the ladder of the head for a slice": (
        replaced(rotary, "rotate", ladder_of_the_head), named("half of the head", "GPT-NeoX", "last columns"),
    ),
    "the other side of the head": (
        replaced(rotary, "rotate", other_side), named("GPT-", "half of the head", "last columns"),
    ),
    "axes in the other order": (
        replaced(rotary_axes, "rotate_axes", lambda x, at, *m, **k: rotate_axes(x, at[..., ::-1], *m, **k)),
        named("axes", "columns and rows", "rows and columns"),
    ),
    "sections for turns": (
        replaced(rotary_axes, "sectioned_frequencies", other_arrangement), named("three axes"),
    ),
    "the other ramp of YaRN": (replaced(context_extension, "yarn", other_ramp), named("YaRN")),
    "no factor on queries and keys": (
        replaced(context_extension, "scale_frequencies", with_factor(lambda m: 1.0)),
        named("YaRN", "LongRoPE"),
    ),
    "the square of that factor": (
        replaced(context_extension, "scale_frequencies", with_factor(lambda m: m * m)),
        named("YaRN", "LongRoPE"),
    ),
    "a coefficient that is left out": (
        replaced(ramps, "temperature", lambda factor, *, mscale: temperature(factor)), named("on scores"),
    ),
    "a scale that is a thousandth larger": (
        replaced(context_extension, "scale_frequencies", one_thousandth_larger),
        lambda one: scaled(one) and "within the trained" not in one.name,
    ),
    "a length that is a thousandth larger": (
        replaced(
            context_extension, "llama3", lambda o, s, length, **k: llama3(o, s, 1.001 * length, **k)
        ),
        named("Llama 3.1"),
    ),
    "another base": (
        replaced(formula, "frequencies", another_base),
        scaled,
    ),
    "another base, of every config": (
        replaced(reading, "ladder_of", another_base),
        named("config"),
    ),
    "a scale that is a thousandth larger, of every config": (
        replaced(scaling, "scale_frequencies", one_thousandth_larger),
        named("configs, linear", "configs, yarn", "configs, llama3"),
    ),
    "p-RoPE with the ladder of the slice": (
        replaced(rotary, "proportional_frequencies", ladder_of_the_slice),
        named("p-RoPE"),
    ),
}  # fmt: skip
