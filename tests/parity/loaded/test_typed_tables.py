"""Rows of typed tables that name a function of a library: it does what the row says."""

import inspect

import numpy as np
import pytest
import torch

import pe_book as pe
from tests.pages.sources import typed_rows

pytest.importorskip("transformers")
T2T = "$i/(d/2-1)$"
LADDERS = {"$2i/d$": "paper", T2T: "tensor2tensor", f"{T2T} unless set otherwise": "tensor2tensor"}


def test_sinusoids_of_libraries_are_laid_out_as_the_table_says():
    from transformers.models.marian.modeling_marian import MarianSinusoidalPositionalEmbedding as Marian
    from transformers.models.whisper.modeling_whisper import sinusoids

    diffusers = pytest.importorskip("diffusers")
    timesteps = diffusers.models.embeddings.get_timestep_embedding
    asked = inspect.signature(diffusers.UNet2DConditionModel).parameters
    flip, shift = (asked[name].default for name in ("flip_sin_to_cos", "freq_shift"))
    t = torch.arange(5)
    made = sinusoids(5, 8), Marian(5, 8).create_weight(), timesteps(t, 8), timesteps(t, 8, flip, shift)
    rows = typed_rows("| source | first position")
    rows = [row for row in rows if row[0].startswith(("`whisper`", "`transformers`", "`diffusers`"))]
    assert {row[-1] for row in rows} <= {*LADDERS}, "this test does not know these words"
    for (*_, order, exponent), theirs in zip(rows, made, strict=True):
        ours = pe.encode(range(5), 8, layout="halves", ladder=LADDERS[exponent])
        due = {"halves": ours, "halves, cosines first": np.roll(ours, 4, axis=-1)}[order]
        np.testing.assert_allclose(theirs.tolist(), due, atol=1e-6)


def test_swin_counts_as_the_table_says():
    from transformers.models.swin.modeling_swin import SwinRelativePositionBias as Bias

    at, ahead = Bias(1, (1, 2)).relative_position_index[:2]
    told = dict(typed_rows("| | counts |"))["Swin in transformers"]
    assert told.startswith("key minus query" if ahead > at else "query minus key")
