"""What the models of a census are called with: the inputs of their kind, small, and at chosen positions."""

import inspect
from collections.abc import Callable, Iterator
from itertools import islice, product
from typing import Any

import torch

from tests.parity.classes.built import POSITIONS

TOKENS = len(POSITIONS)
A_TOKEN = 7  # no padding, no end, no image
FAR = (0, 1000, 8191, 8192, 16383, 131072, 300000, 1000000)  # for what changes with the length of a text
ONE_AXIS = 97.0  # a token stands so far along one axis, and at 0 on the others
GRID = (1, 4, 6)  # of patches: time, rows, columns; even, since they may be merged by two
LARGE, SMALL = 600, 16  # pixels on a side from which on fewer patches are tried first
FRAMES = 3000  # of ten milliseconds, as Whisper asks for them


class NotMade(Exception):
    """An input that is asked for and is not made here."""


def first(config: Any, *names: str, default: Any = None) -> Any:
    """The first of these settings that is there."""
    found = (getattr(config, name, None) for name in names)
    return next((one for one in found if one not in (None, ())), default)


def ids(config: Any) -> list[torch.Tensor]:
    return [torch.full((1, TOKENS), A_TOKEN)]


def images(config: Any) -> list[torch.Tensor]:
    """An image as pixels, as a video, as patches in a row."""
    size = first(config, "image_size", "img_size", "input_size", "crop_size", default=224)
    height, width = size[:2] if isinstance(size, list | tuple) else (size, size)
    channels = first(config, "num_channels", "in_channels", "in_chans", default=3)
    patch = first(config, "patch_size", default=16)
    patch = patch[-1] if isinstance(patch, list | tuple) else patch
    frames = first(config, "num_frames", "frames_per_clip", default=4)
    pixels = torch.ones(1, channels, height, width)
    small = [torch.ones(1, channels, SMALL * patch, SMALL * patch)] if height > LARGE else []
    rows = torch.ones(
        GRID[1] * GRID[2], channels * patch * patch * first(config, "temporal_patch_size", default=1)
    )
    return [*small, pixels, rows[None], rows, pixels[:, None].expand(-1, frames, -1, -1, -1)]


def sound(config: Any) -> list[torch.Tensor]:
    """Frames of a spectrum, the bands first and last."""
    bands = first(config, "num_mel_bins", "n_mels", "feature_size", "input_feat_per_channel",
                  "feature_projection_input_dim", "input_dim", "mel_bins", default=80)  # fmt: skip
    frames = 2 * first(config, "max_source_positions", "n_ctx", default=FRAMES // 2)
    longest = torch.ones(1, bands, min(frames, FRAMES))
    return [longest, longest.mT[:, :256], longest[..., :256]]


def waves(config: Any) -> list[torch.Tensor]:
    return [torch.ones(1, 16000), torch.ones(1, 1, 16000), torch.ones(1, 1024, 128)]


def hidden(config: Any) -> list[torch.Tensor]:
    """States of a few tokens, and patches in a row."""
    width = first(config, "hidden_size", "d_model", "embed_dim", "dim", default=64)
    return [
        torch.ones(1, TOKENS, width),
        *(one for one in images(config) if one.ndim == 2),
        torch.ones(GRID[1] * GRID[2], width),
    ]


def places(config: Any) -> list[torch.Tensor]:
    return [torch.tensor([POSITIONS])]


def grid(config: Any) -> list[torch.Tensor]:
    return [torch.tensor([GRID]), torch.tensor([GRID[1:]])]


MADE: dict[str, Callable[[Any], list[Any]]] = {
    "input_ids": ids, "decoder_input_ids": ids, "position_ids": places,
    "pixel_values": images, "flattened_patches": images, "pixel_values_videos": images,
    "input_features": sound, "audio_features": sound, "audio_values": sound, "input_values": waves,
    "hidden_states": hidden, "inputs_embeds": hidden, "encoder_hidden_states": hidden,
    "inputs": hidden, "query_embeds": hidden,
    "grid_thw": grid, "image_grid_thw": grid, "spatial_shapes": lambda _: [torch.tensor([GRID[1:]])],
    "image_sizes": lambda config: [[(one.shape[-2], one.shape[-1]) for one in images(config)[:1]]],
    "pixel_attention_mask": lambda _: [torch.ones(1, GRID[1] * GRID[2], dtype=torch.long)],
    "attention_mask": lambda _: [torch.ones(1, TOKENS, dtype=torch.long)],
    "input_features_mask": lambda _: [torch.ones(1, FRAMES, dtype=torch.long)],
    "bbox": lambda _: [torch.zeros(1, TOKENS, 4, dtype=torch.long)],
    "feature_lens": lambda _: [torch.tensor([FRAMES])],
    "past_values": lambda config: [torch.ones(1, first(config, "context_length", default=512))],
    "num_frames": lambda _: [1], "merge_sizes": lambda _: [torch.tensor([2])],
    "pixel_position_ids": lambda _: [torch.cartesian_prod(*map(torch.arange, GRID[1:]))[None]],
}  # fmt: skip
#: What a model reads, in the order in which one of them is taken.
MAIN = ("input_ids", "pixel_values", "input_features", "input_values", "hidden_states", "inputs_embeds",
        "flattened_patches", "audio_values", "audio_features", "past_values", "inputs", "args")  # fmt: skip
#: What is given beside it wherever a class takes it.
BESIDE = ("decoder_input_ids", "grid_thw", "spatial_shapes", "image_sizes", "pixel_attention_mask", "bbox")
MORE = ("encoder_hidden_states", "attention_mask", "input_features_mask", "feature_lens", "query_embeds")
MOST_TRIED = 6


def given(cls: type, config: Any, *, more: bool = False) -> Iterator[dict[str, Any]]:
    """What a class is called with, one way after the other, without positions; `more` has masks, too."""
    takes = inspect.signature(cls.forward).parameters
    needed = [name for name, one in takes.items() if name != "self" and one.default is one.empty
              and one.kind is one.POSITIONAL_OR_KEYWORD]  # fmt: skip
    main = [name for name in MAIN if name in takes][:1] if not set(needed) & set(MAIN) else []
    if main == ["args"] or not (main or needed):
        main = ["input_ids"]
    names = dict.fromkeys(
        [*main, *needed, *(name for name in (*BESIDE, *(MORE if more else ())) if name in takes)]
    )
    if missing := [name for name in names if name not in MADE]:
        raise NotMade(", ".join(missing))
    still = {"use_cache": False} if "use_cache" in takes else {}
    for values in islice(product(*(MADE[name](config) for name in names)), MOST_TRIED):
        yield dict(zip(names, values, strict=True)) | still


def takes_places(cls: type) -> bool:
    """Whether a model can be told positions."""
    takes = inspect.signature(cls.forward).parameters
    return "input_ids" in takes and ("position_ids" in takes or "kwargs" in takes)


def axes() -> torch.Tensor:
    """Positions on three axes: a token at 0, one along each, and one along all."""
    return ONE_AXIS * torch.tensor([[[0, 1, 0, 0, 1]], [[0, 0, 1, 0, 1]], [[0, 0, 0, 1, 1]]])
