"""x-transformers, rotary-embedding-torch and local-attention."""

import numpy as np

from pe_book.family import context_extension, rotary
from pe_book.family.rotary import axes
from pe_book.sinusoidal import formula
from tests.parity.libraries import alone
from tests.parity.register import HEAD_DIM, HEADS, LENGTH, POSITIONS, array, member, rows, tensor

FACTOR = 4.0
GRID = (5, 9)  # rows and columns of patches


@member("x-transformers", library="x-transformers", layout="interleaved")
def x_transformers():
    from x_transformers.x_transformers import RotaryEmbedding, apply_rotary_pos_emb

    x = rows()
    angles, _ = RotaryEmbedding(HEAD_DIM)(tensor(POSITIONS)[0])
    return rotary.rotate(x, POSITIONS), array(apply_rotary_pos_emb(tensor(x), angles))


@member(
    "x-transformers, half of the head", library="x-transformers", layout="interleaved in the first columns"
)
def x_transformers_partial():
    from x_transformers.x_transformers import RotaryEmbedding, apply_rotary_pos_emb

    x, width = rows(), HEAD_DIM // 2
    angles, _ = RotaryEmbedding(width)(tensor(POSITIONS)[0])
    return rotary.rotate(x, POSITIONS, rotary_dim=width), array(apply_rotary_pos_emb(tensor(x), angles))


@member("linear, x-transformers", library="x-transformers", layout="each twice", kind="frequencies")
def x_transformers_linear():
    from x_transformers.x_transformers import RotaryEmbedding

    angles, _ = RotaryEmbedding(HEAD_DIM, interpolation_factor=FACTOR)(tensor(np.array([0, 1]))[0])
    ours, _ = context_extension.scale_frequencies(
        formula.frequencies(HEAD_DIM), method="linear", factor=FACTOR
    )
    return np.repeat(ours, 2), array(angles)[1]  # the angles of position 1 are the frequencies


@member("NTK-aware, x-transformers", library="x-transformers", layout="each once", kind="frequencies")
def x_transformers_ntk():
    from x_transformers.x_transformers import RotaryEmbedding

    theirs = RotaryEmbedding(HEAD_DIM, base_rescale_factor=FACTOR).inv_freq
    ours, _ = context_extension.scale_frequencies(formula.frequencies(HEAD_DIM), method="ntk", factor=FACTOR)
    return ours, theirs.double().numpy()


@member("rotary-embedding-torch", library="rotary-embedding-torch", layout="interleaved")
def rotary_embedding_torch():
    from rotary_embedding_torch import RotaryEmbedding

    x = rows()
    theirs = RotaryEmbedding(HEAD_DIM).rotate_queries_or_keys(tensor(x))
    return rotary.rotate(x, POSITIONS), array(theirs)


@member("rotary-embedding-torch, a cached step", library="rotary-embedding-torch", layout="interleaved")
def rotary_embedding_torch_cached():
    from rotary_embedding_torch import RotaryEmbedding

    x = rows(HEADS, 1, HEAD_DIM)
    theirs = RotaryEmbedding(HEAD_DIM).rotate_queries_or_keys(tensor(x), offset=LENGTH - 1)
    return rotary.rotate(x, [LENGTH - 1]), array(theirs)


@member("rotary-embedding-torch, rows and columns", library="rotary-embedding-torch", layout="interleaved",
        reach=max(GRID))  # fmt: skip
def rotary_embedding_torch_axial():
    from rotary_embedding_torch import RotaryEmbedding, apply_rotary_emb

    x = rows(*GRID, HEAD_DIM)
    angles = RotaryEmbedding(HEAD_DIM // 2).get_axial_freqs(*GRID)  # the ladder of each axis
    places = np.moveaxis(np.indices(GRID), 0, -1)
    omega = axes.axial_frequencies(HEAD_DIM, 2, base=10000)
    return axes.rotate_axes(x, places, omega), array(apply_rotary_emb(angles, tensor(x)))


@member("NTK-aware, rotary-embedding-torch", library="rotary-embedding-torch", layout="each once",
        kind="frequencies")  # fmt: skip
def rotary_embedding_torch_ntk():
    from rotary_embedding_torch import RotaryEmbedding

    theirs = RotaryEmbedding(HEAD_DIM, theta_rescale_factor=FACTOR).freqs
    ours, _ = context_extension.scale_frequencies(formula.frequencies(HEAD_DIM), method="ntk", factor=FACTOR)
    return ours, theirs.detach().double().numpy()


@member("local-attention", library="local-attention", layout="halves")
def local_attention():
    home = alone("local_attention.rotary")
    x = rows()
    angles, scale = home.SinusoidalEmbeddings(HEAD_DIM)(tensor(x))
    queries, _ = home.apply_rotary_pos_emb(tensor(x), tensor(x), angles, scale)
    return rotary.rotate(x, POSITIONS, layout="halves"), array(queries)
