"""torchtune, of which single modules are imported, and fair-esm."""

import numpy as np

from pe_book.family import context_extension, rotary
from pe_book.family.rotary import axes
from pe_book.sinusoidal import formula
from tests.parity.libraries import alone
from tests.parity.register import HEAD_DIM, HEADS, POSITIONS, array, member, rows, tensor

SIDE = 6  # patches of a square image


@member("torchtune", library="torchtune", layout="interleaved")
def torchtune():
    home = alone("torchtune.modules.position_embeddings")
    x = rows()
    theirs = home.RotaryPositionalEmbeddings(HEAD_DIM)(tensor(x).transpose(1, 2))  # heads behind positions
    return rotary.rotate(x, POSITIONS), array(theirs.transpose(1, 2))


@member("torchtune, columns and rows", library="torchtune", layout="interleaved, columns first", reach=SIDE)
def torchtune_vision():
    home = alone("torchtune.modules.position_embeddings")
    x = rows(HEADS, SIDE * SIDE + 1, HEAD_DIM)
    module = home.VisionRotaryPositionalEmbeddings(
        patch_size=1, tile_size=SIDE, max_num_tiles=1, dim=HEAD_DIM // 2
    )
    across_and_down = np.indices((SIDE, SIDE)).reshape(2, -1).T[:, ::-1] + 1  # it counts patches from 1
    places = np.vstack([across_and_down, [[0, 0]]])  # and the class token behind them is not turned
    omega = axes.axial_frequencies(HEAD_DIM, 2, base=10000)
    theirs = module(tensor(x).transpose(1, 2)).transpose(1, 2)
    return axes.rotate_axes(x, places, omega), array(theirs)


@member("Llama 3.1, torchtune", library="torchtune", layout="each once", kind="frequencies")
def torchtune_llama3():
    home = alone("torchtune.models.llama3_1._position_embeddings")
    theirs = home.Llama3ScaledRoPE(HEAD_DIM, max_seq_len=1, base=500000, scale_factor=8).theta
    omega = formula.frequencies(HEAD_DIM, base=500000)
    ours, _ = context_extension.scale_frequencies(omega, method="llama3", factor=8, original_len=8192)
    return ours, theirs.double().numpy()


@member("fair-esm", library="fair-esm", layout="halves")
def fair_esm():
    home = alone("esm.rotary_embedding")
    x = rows()
    queries, _ = home.RotaryEmbedding(HEAD_DIM)(tensor(x)[0], tensor(x)[0])  # heads are its batch
    return rotary.rotate(x, POSITIONS, layout="halves"), queries.double().numpy()
