"""How a mistake is planted, and which members have to refuse it."""

from collections.abc import Callable

import pytest

from tests.parity.register import Member

Patch = Callable[[pytest.MonkeyPatch], None]
Chosen = Callable[[Member], bool]


def replaced(home: object, name: str, planted: Callable[..., object]) -> Patch:
    return lambda patch: patch.setattr(home, name, planted)


def together(*patches: Patch) -> Patch:
    def patched(patch: pytest.MonkeyPatch) -> None:
        for one in patches:
            one(patch)

    return patched


def named(*words: str) -> Chosen:
    return lambda one: any(word in one.name for word in words)
