"""diffusers and timm: turns of text, of images, and of heads with frequencies of their own."""

import numpy as np

from pe_book.family import context_extension, rotary
from pe_book.family.rotary import axes
from pe_book.sinusoidal import formula
from tests.parity.libraries import alone
from tests.parity.register import HEAD_DIM, HEADS, LENGTH, POSITIONS, array, member, rows, tensor

FACTOR = 4.0
GRID = (7, 9)  # rows and columns of patches


@member("diffusers, as in Flux", library="diffusers", layout="interleaved")
def flux():
    from diffusers.models.embeddings import apply_rotary_emb, get_1d_rotary_pos_embed

    x = rows()
    turns = get_1d_rotary_pos_embed(HEAD_DIM, POSITIONS, use_real=True)
    return rotary.rotate(x, POSITIONS), array(apply_rotary_emb(tensor(x), turns))


@member("diffusers, as in Stable Audio", library="diffusers", layout="halves")
def stable_audio():
    from diffusers.models.embeddings import apply_rotary_emb, get_1d_rotary_pos_embed

    x = rows()
    turns = get_1d_rotary_pos_embed(HEAD_DIM, POSITIONS, use_real=True, repeat_interleave_real=False)
    theirs = apply_rotary_emb(tensor(x), turns, use_real_unbind_dim=-2)
    return rotary.rotate(x, POSITIONS, layout="halves"), array(theirs)


@member("diffusers, as in Lumina", library="diffusers", layout="interleaved, as complex numbers")
def lumina():
    from diffusers.models.embeddings import apply_rotary_emb, get_1d_rotary_pos_embed

    x = rows()
    turns = get_1d_rotary_pos_embed(HEAD_DIM, POSITIONS)[None]
    by_position = tensor(x).transpose(1, 2)  # heads stand behind positions
    theirs = apply_rotary_emb(by_position, turns, use_real=False).transpose(1, 2)
    return rotary.rotate(x, POSITIONS), array(theirs)


@member("diffusers, angles in float64, to 100,000", library="diffusers", layout="interleaved",
        bound=4 * 2.0**-24)  # fmt: skip
def flux_far():
    import torch
    from diffusers.models.embeddings import apply_rotary_emb, get_1d_rotary_pos_embed

    x, far = rows(), np.linspace(0, 100_000, LENGTH).round()
    turns = get_1d_rotary_pos_embed(HEAD_DIM, far, use_real=True, freqs_dtype=torch.float64)
    return rotary.rotate(x, far), array(apply_rotary_emb(tensor(x), turns))


@member("linear, diffusers", library="diffusers", layout="each once", kind="frequencies")
def diffusers_linear():
    ours, _ = context_extension.scale_frequencies(
        formula.frequencies(HEAD_DIM), method="linear", factor=FACTOR
    )
    return ours, angles_of_one(linear_factor=FACTOR)


@member("NTK-aware, diffusers", library="diffusers", layout="each once", kind="frequencies")
def diffusers_ntk():
    ours, _ = context_extension.scale_frequencies(formula.frequencies(HEAD_DIM), method="ntk", factor=FACTOR)
    on_the_base = FACTOR ** (HEAD_DIM / (HEAD_DIM - 2))  # its factor multiplies the base as it is given
    return ours, angles_of_one(ntk_factor=on_the_base)


def angles_of_one(**factors: float) -> np.ndarray:
    """The frequencies, which it does not return: the angles of position 1."""
    from diffusers.models.embeddings import get_1d_rotary_pos_embed

    turns = get_1d_rotary_pos_embed(HEAD_DIM, np.array([1.0]), **factors)[0].numpy().astype(np.complex128)
    return np.angle(turns)


def grid_of(height: int, width: int) -> np.ndarray:
    """Row and column of every patch, row by row."""
    return np.indices((height, width)).reshape(2, -1).T


def timm():
    return alone("timm.layers.pos_embed_sincos")


@member("timm, rows and columns", library="timm", layout="interleaved", reach=max(GRID))
def timm_axial():
    x = rows(HEADS, GRID[0] * GRID[1], HEAD_DIM)
    module = timm().RotaryEmbeddingCat(HEAD_DIM, in_pixels=False, temperature=100.0)
    theirs = timm().apply_rot_embed_cat(tensor(x), module.get_embed(list(GRID)))
    omega = axes.axial_frequencies(HEAD_DIM, 2, base=100)
    return axes.rotate_axes(x, grid_of(*GRID), omega), array(theirs)


@member("timm, rows and columns mixed by each head", library="timm", layout="interleaved", reach=sum(GRID))
def timm_mixed():
    import torch

    x, omega = rows(HEADS, GRID[0] * GRID[1], HEAD_DIM), rows(2, HEADS, HEAD_DIM // 2, seed=1)
    down, across = (torch.from_numpy(axis.astype(np.float32)) for axis in grid_of(*GRID).T)
    turns = timm().get_mixed_freqs(torch.from_numpy(omega), down, across)
    ours = [axes.rotate_axes(x[h], grid_of(*GRID), omega[:, h]) for h in range(HEADS)]
    return np.stack(ours), array(timm().apply_rot_embed_cat(tensor(x), turns))


@member("timm, three axes in turn", library="timm", layout="halves", reach=max(GRID))
def timm_in_turn():
    head_dim = 72  # the pairs of three equal sections
    sections = (head_dim // 6,) * 3
    x = rows(HEADS, GRID[0] * GRID[1], head_dim)
    turns = timm().RotaryEmbeddingMRope(head_dim, mrope_section=sections).get_embed(list(GRID))
    places = np.insert(grid_of(*GRID), 0, 0, axis=1)  # an image has one time
    omega = axes.sectioned_frequencies(head_dim, sections, arrangement="interleaved")
    ours = axes.rotate_axes(x, places, omega, layout="halves")
    return ours, array(timm().apply_rot_embed_cat(tensor(x), turns, half=True))
