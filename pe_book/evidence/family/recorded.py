"""Config blocks of real models, as they were published: settings with source and date, and no file copied."""

import json
from functools import cache
from pathlib import Path
from typing import Any

from pe_book.inputs.wording import shown

FOLDER = Path(__file__).parent / "configs"
SHOWN = (
    "llama-3.1-8b", "gpt-j-6b", "gpt-neox-20b", "phi-2", "glm-4-9b-chat", "command-r", "gemma-3-27b",
    "command-r7b", "qwen3-next-80b", "deepseek-v3",
)  # fmt: skip

# examples of documentation: a block on scaling, and no sizes of a model
WITHOUT_SIZES = frozenset({"qwen2.5-yarn", "qwen3-moe-yarn"})


@cache
def names() -> tuple[str, ...]:
    """The names of all recorded blocks.

    >>> "llama-3.1-8b" in names()
    True
    """
    return tuple(sorted(file.stem for file in FOLDER.glob("*.json")))


def recorded(name: str) -> dict[str, Any]:
    """One recorded block: the model's ``name``, ``published``, ``source``, ``seen``, ``note`` and ``config``.

    >>> recorded("llama-3.1-8b")["config"]["rope_theta"]
    500000.0
    """
    if name not in names():
        raise ValueError(f"name must be one of recorded.names(), got {shown(name)}")
    found: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    return found
