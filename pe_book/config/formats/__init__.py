"""What a config is given as: a file, a folder, a dictionary, and the form of the programs that wrote it."""

from collections.abc import Mapping
from os import PathLike
from typing import Any, Protocol

from pe_book.config.formats.files import parsed, text_of
from pe_book.config.formats.params import in_keys_of_transformers
from pe_book.inputs.wording import shown


class Saved(Protocol):
    """An object that gives its settings as a dictionary, as those of transformers do."""

    def to_dict(self) -> dict[str, Any]:
        """The settings."""


ConfigLike = str | PathLike[str] | Mapping[str, Any] | Saved


def loaded(config: ConfigLike) -> Mapping[str, Any]:
    """A config as a dictionary with the keys of transformers, from a path, an object or as it is."""
    if isinstance(config, str | PathLike):
        return in_keys_of_transformers(parsed(text_of(config), str(config)))
    if not isinstance(config, Mapping) and hasattr(config, "to_dict"):
        config = config.to_dict()
    if not isinstance(config, Mapping):
        raise TypeError(f"config must be a path or a dictionary, got {shown(config)}")
    return in_keys_of_transformers(config)
