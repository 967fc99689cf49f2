"""A config from a file that may be anything: bounded in size, and refused by the name of what it is."""

import json
import stat
from collections.abc import Iterable, Mapping
from os import PathLike
from pathlib import Path
from typing import Any

from pe_book.inputs.wording import shown

MOST_BYTES = 4 * 2**20  # the longest config recorded here has 6 thousand
IN_A_FOLDER = ("config.json", "params.json")

# what files of models begin with that are no config
BEGINNINGS = {
    b"GGUF": "a GGUF file, whose header is not read here: give the config.json of the model it was made from",
    b"PK\x03\x04": "an archive, as torch.save writes them: give the config.json beside the weights",
    b"\x80": "a pickle, which could run code: give the config.json beside the weights",
}


def text_of(path: str | PathLike[str]) -> str:
    """The text of a file, or of the config in a folder: an ordinary file of ordinary length."""
    file = Path(path)
    name = shown(str(path))
    try:
        if file.is_dir():
            held = [file / one for one in IN_A_FOLDER if (file / one).exists()]
            if not held:
                raise ValueError(f"config must be a file, and the folder {name} holds no {IN_A_FOLDER[0]}")
            file = held[0]
        if not stat.S_ISREG(file.stat().st_mode):
            raise ValueError(f"config must be an ordinary file, and {name} is a pipe or a device")
        with file.open("rb") as opened:
            found = opened.read(MOST_BYTES + 1)
    except OSError as error:
        more = (
            ""
            if file.suffix == ".json"
            else "; nothing is downloaded: of a model on a hub give its config.json"
        )
        raise ValueError(
            f"config must name a file that can be read, got {name}: {error.strerror}{more}"
        ) from None
    for beginning, what in BEGINNINGS.items():
        if found.startswith(beginning):
            raise ValueError(f"config must be a JSON file, and {name} is {what}")
    if found[8:9] == b"{" and int.from_bytes(found[:8], "little") < 2**40:
        raise ValueError(
            f"config must be a JSON file, and {name} holds weights: give the config.json beside it"
        )
    return decoded(found, name)


def decoded(found: bytes, name: str) -> str:
    """Bytes as text, if they are not too many."""
    if len(found) > MOST_BYTES:
        raise ValueError(f"config must have at most {MOST_BYTES} bytes, and {name} has more: it is no config")
    try:
        return found.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"config must be a JSON file in UTF-8, got {name}: {error.reason}") from None


def parsed(text: str, name: str) -> Mapping[str, Any]:
    """A JSON object, in which no key stands twice."""
    try:
        values = json.loads(text, object_pairs_hook=_each_once)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"config must be a JSON file, got {shown(name)}: {error}") from None
    if not isinstance(values, Mapping):
        raise ValueError(f"config must be a JSON object of settings, got {shown(values)}")
    return values


def _each_once(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found and found[key] != value:
            raise ValueError(f"{shown(key)} stands twice, as {shown(found[key])} and as {shown(value)}")
        found[key] = value
    return found
