"""The how-to on M-RoPE beside transformers: its positions, and what packed rows see of each other."""

from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from pe_book.family.rotary.axes import text_and_image_places
from tests.howto.cells import run

transformers = pytest.importorskip("transformers")

NAMES = {"qwen2_vl": "Qwen2VL", "qwen2_5_vl": "Qwen2_5_VL", "qwen3_vl": "Qwen3VL"}


def home(name: str):
    return getattr(transformers.models, name)


def indexed(name: str, parts: list) -> tuple[np.ndarray, int]:
    """What `get_rope_index` says of words, images and videos: positions, and the next one less the length."""
    model = getattr(home(name), f"{NAMES[name]}Model")
    vision = SimpleNamespace(spatial_merge_size=2, tokens_per_second=1)
    itself = SimpleNamespace(
        config=SimpleNamespace(vision_config=vision),
        get_vision_position_ids=partial(model.get_vision_position_ids, None),
    )
    kinds, grids = [], {1: [], 2: []}
    for part in parts:
        size, kind = (part, 0) if isinstance(part, int) else (np.prod(part), 1 + (part[0] > 1))
        kinds += [kind] * int(size)
        if kind:
            grids[kind].append([part[0], 2 * part[1], 2 * part[2]])
    images, videos = (torch.tensor(grids[kind]) if grids[kind] else None for kind in (1, 2))
    ids, delta = model.get_rope_index(
        itself, torch.zeros(1, len(kinds), dtype=torch.long), torch.tensor([kinds]),
        image_grid_thw=images, video_grid_thw=videos,
    )  # fmt: skip
    return ids[:, 0].T.numpy(), int(delta)


@pytest.fixture(scope="module")
def page():
    return run("mrope-positions", 0, 1, 2)


@pytest.mark.parametrize("name", NAMES)
def test_places_of_the_page_are_those_of_the_model(name, page):
    for parts, ours in zip(page["texts"], page["each"], strict=True):
        theirs, delta = indexed(name, parts)
        np.testing.assert_array_equal(theirs, ours)
        assert len(ours) + delta == ours.max() + 1


def test_words_behind_a_long_video_get_times_that_its_frames_have():
    parts = [2, (5, 1, 2), 3]
    theirs, _ = indexed("qwen2_vl", parts)
    ours = text_and_image_places(parts)
    np.testing.assert_array_equal(theirs[:-3], ours[:-3])
    assert theirs[-3:, 0].tolist() == [4, 5, 6]  # two words, and the longer side of a frame
    assert ours[-3:, 0].tolist() == [7, 8, 9]  # behind the last of five frames
    assert set(theirs[-3:, 0]) <= set(theirs[2:-3, 0])


def outputs(name: str, *rows_of_positions: np.ndarray, x: torch.Tensor, **options) -> torch.Tensor:
    config = getattr(home(name), f"{NAMES[name]}TextConfig")(
        vocab_size=11, hidden_size=32, intermediate_size=32, num_hidden_layers=2, num_attention_heads=2,
        num_key_value_heads=2, head_dim=16,
        rope_parameters={"rope_type": "default", "rope_theta": 1e6, "mrope_section": [4, 2, 2]},
    )  # fmt: skip
    torch.manual_seed(0)
    model = getattr(home(name), f"{NAMES[name]}TextModel")(config).double().eval()
    positions = torch.from_numpy(np.vstack(rows_of_positions))[:, None]
    return model(inputs_embeds=x, position_ids=positions, **options).last_hidden_state[0].detach()


@pytest.mark.parametrize("name", NAMES)
def test_a_packed_row_leaks_without_a_fourth_row_and_with_a_cache(name, page):
    places, order, text = (page[one] for one in ("places", "order", "text"))
    x = torch.randn(1, len(text), 32, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    second = torch.from_numpy(text == 1)
    alone = outputs(name, places[text == 1].T, x=x[:, second], use_cache=False)

    def packed(*rows_of_positions: np.ndarray, **options) -> bool:
        found = outputs(name, *rows_of_positions, x=x, **options)[second]
        return torch.allclose(found, alone, atol=1e-6)

    assert packed(order, places.T, use_cache=False)
    assert not packed(places.T, use_cache=False)
    assert not packed(order, places.T, use_cache=True)
    assert not packed(order, places.T, use_cache=False, attention_mask=torch.ones(1, len(text)))
