"""The how-to on image patches beside the towers that its table names: what each turns, by which places."""

import numpy as np
import pytest
import torch

import pe_book as pe
from pe_book.family.rotary.axes import axial_frequencies, rotate_axes
from tests.howto.cells import run
from tests.pages.sources import typed_rows
from tests.parity.libraries import alone
from tests.parity.register import array, rows, rows_in_float32, tensor

transformers = pytest.importorskip("transformers")

GRID, HEADS, WIDTH = (6, 10), 2, 32  # rows and columns of patches, of two by two in a block
SIZES = {"hidden_size": HEADS * WIDTH, "num_attention_heads": HEADS, "patch_size": 16, "image_size": 160}
BY_TEXT = axial_frequencies(WIDTH, 2, base=10000)


@pytest.fixture(scope="module")
def page():
    return run("image-positions", 0)


def told(model: str) -> tuple[str, str, int]:
    """What the table says of a model: the function of its places, its layout and its base."""
    ((places, layout, base),) = (
        row[1:] for row in typed_rows("| model | places |") if row[0].startswith(model)
    )
    return places.split("`")[1], layout.split(",")[0], int(base)


def patches(count: int = GRID[0] * GRID[1]) -> np.ndarray:
    return rows(HEADS, count, WIDTH)


def by_halves(x: np.ndarray, cos: torch.Tensor, sin: torch.Tensor) -> np.ndarray:
    from transformers.models.dinov3_vit.modeling_dinov3_vit import rotate_half

    return array(tensor(x) * cos + rotate_half(tensor(x)) * sin)


def same(ours: np.ndarray, theirs: np.ndarray, reach: float = max(GRID)) -> bool:
    assert ours.shape == theirs.shape
    return bool(np.abs(ours - theirs).max() <= rows_in_float32(reach))


def test_dinov3_turns_by_centred_places(page):
    from transformers.models.dinov3_vit import modeling_dinov3_vit as home

    module = home.DINOv3ViTRopePositionEmbedding(transformers.DINOv3ViTConfig(**SIZES)).eval()
    theirs = by_halves(patches(), *module(torch.zeros(1, 3, *(16 * side for side in GRID))))
    places, layout, base = told("DINOv3")
    omega = axial_frequencies(WIDTH, 2, base=base)
    assert same(rotate_axes(patches(), page[places](*GRID), omega, layout=layout), theirs)
    assert not same(rotate_axes(patches(), page["whole"](*GRID), omega, layout="halves"), theirs)


def test_dinov3_draws_a_scale_while_it_trains():
    from transformers.models.dinov3_vit import modeling_dinov3_vit as home

    module = home.DINOv3ViTRopePositionEmbedding(transformers.DINOv3ViTConfig(**SIZES))
    image = torch.zeros(1, 3, 160, 160)
    once, again = (module.train()(image)[0] for _ in range(2))
    assert not torch.equal(once, again)
    assert torch.equal(*(module.eval()(image)[0] for _ in range(2)))


def test_eva_scales_whole_places_to_the_grid_of_training(page):
    timm = alone("timm.layers.pos_embed_sincos")
    made = timm.RotaryEmbeddingCat(
        WIDTH, in_pixels=False, feat_shape=[28, 28], ref_feat_shape=[14, 14], temperature=10000.0
    )
    theirs = array(timm.apply_rot_embed_cat(tensor(patches(28 * 28)), made.get_embed()))
    places, layout, base = told("EVA-02")
    omega = axial_frequencies(WIDTH, 2, base=base)
    scaled = page[places](28, 28) * 14 / 28
    assert same(rotate_axes(patches(28 * 28), scaled, omega, layout=layout), theirs, 28)


def test_qwen2_vl_turns_by_whole_places_and_lists_patches_block_by_block(page):
    from transformers.models.qwen2_vl import modeling_qwen2_vl as home
    from transformers.models.qwen2_vl.configuration_qwen2_vl import Qwen2VLVisionConfig

    module = home.Qwen2VLVisionRotaryEmbedding(Qwen2VLVisionConfig(embed_dim=HEADS * WIDTH, num_heads=HEADS))
    named, layout, base = told("Qwen2-VL")
    omega = axial_frequencies(WIDTH, 2, base=base)
    for merged in (1, 2):
        places = home.get_vision_position_ids(torch.tensor([[1, *GRID]]), merged)
        ours = rotate_axes(patches(), places.numpy(), omega, layout=layout)
        assert same(ours, by_halves(patches(), *module(tensor(patches()), places)))
        whole = page[named](*GRID)
        assert (places.numpy() == whole).all() == (merged == 1)
        blocks = whole.reshape(GRID[0] // merged, merged, GRID[1] // merged, merged, 2).swapaxes(1, 2)
        assert (places.numpy() == blocks.reshape(-1, 2)).all()


def test_pixtral_deals_one_ladder_out_to_rows_and_columns(page):
    from transformers.models.pixtral import modeling_pixtral as home

    module = home.PixtralVisionRotaryEmbedding(transformers.PixtralVisionConfig(**SIZES))
    theirs = by_halves(patches(), *module(tensor(patches()), torch.from_numpy(page["whole"](*GRID))))
    places, layout, base = told("Pixtral")
    ladder, omega = pe.frequencies(WIDTH, base=base), np.zeros((2, WIDTH // 2))
    omega[0, : WIDTH // 4], omega[1, WIDTH // 4 :] = ladder[0::2], ladder[1::2]
    assert same(rotate_axes(patches(), page[places](*GRID), omega, layout=layout), theirs)
    assert not same(rotate_axes(patches(), page["whole"](*GRID), BY_TEXT, layout="halves"), theirs)


def test_llama_4_puts_the_column_first_and_counts_from_one(page):
    from transformers.models.llama4 import modeling_llama4 as home

    module = home.Llama4VisionRotaryEmbedding(transformers.Llama4VisionConfig(**SIZES))
    x = patches(101)  # ten by ten, and the class token behind them
    theirs, _ = home.vision_apply_rotary_emb(*2 * [tensor(x).transpose(1, 2)], module(tensor(x)))
    named, layout, base = told("Llama 4")
    places = np.append(page[named](10, 10)[:, ::-1] + 1, [[0, 0]], axis=0)
    omega = axial_frequencies(WIDTH, 2, base=base)
    assert same(rotate_axes(x, places, omega, layout=layout), array(theirs.transpose(1, 2)))
