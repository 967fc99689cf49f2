"""Each key that the reader asks for, given each wrong kind of value: a result, or a refusal by its name."""

import math
import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest

from pe_book.config import keys as reader
from pe_book.config.checking import check_config
from pe_book.config.classes import MODELS
from tests.config.configs import LLAMA, LONGROPE, YARN
from tests.seeds import seed

#: What stands nowhere in place of a number, a flag, a name or a list of them, whichever the key wants.
WRONG = (
    *([], {}, [[1]], [None], ["a"], {"a": 1}, {"a": {"b": []}}, {1: 2}, (), b"x"),
    *("", "text", math.nan, math.inf, -math.inf, -1, -0.5, 10**400),
)
#: What some keys want: refused, if it is, by this key or by one that it does not fit.
ODD = (None, "4.0", True, False, 0, 0.5, 3, [1], [0, 1, 1])
BLOCKS: tuple[dict[str, Any], ...] = (
    {},
    {"rope_scaling": YARN},
    {"rope_scaling": LONGROPE | {"original_max_position_embeddings": 1024}},
    {"rope_scaling": {"rope_type": "dynamic", "factor": 2.0}},
    {"rope_scaling": {"rope_type": "llama3", "factor": 2.0, "original_max_position_embeddings": 1024}},
    {"rope_parameters": {"rope_type": "linear", "factor": 2.0, "rope_theta": 500.0}},
)


def asked(config: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """The keys that were asked of a config and of its blocks while it was read; none if it is refused."""
    made: list[reader.Keys] = []
    plain = reader.Keys.__init__
    with monkeypatch.context() as patched:
        patched.setattr(reader.Keys, "__init__", lambda one, *a, **k: made.append(one) or plain(one, *a, **k))
        try:
            check_config(config, length=5000)
        except ValueError:
            return set()
    return {one.prefix + name for one in made for name in one.asked | {*one.used}}


def wrongly(config: dict[str, Any], key: str, value: Any) -> dict[str, Any]:
    """The config with a value at a key, which may stand in a block."""
    block, _, inner = key.rpartition(".")
    return {**config, **({block: {**config[block], inner: value}} if block else {key: value})}


def broken(config: dict[str, Any], key: str, value: Any) -> str:
    """What is wrong with how a config is answered, or nothing."""
    try:
        assert str(check_config(wrongly(config, key, value), length=5000))
    except ValueError as error:
        told = str(error)
        by_name = key.rpartition(".")[2] in told or (
            (key == "text_config" or any(value is one for one in ODD))  # what such a block lacks is named
            and any(name in told for name in (*config, "block"))
        )
        return "" if by_name and ("must" in told or "write" in told) else told
    except Exception as error:  # whatever else is raised is the defect that is looked for
        return repr(error)
    return ""


def models() -> Iterator[str]:
    """One model of each way in which keys are read."""
    ways = {}
    for name, model in MODELS.items():
        plan = getattr(model.plan, "__qualname__", "")
        way = (plan, model.kind, model.head_is_slice, model.blocks_apart, model.may_have_alibi, model.alpha)
        ways.setdefault((*way, bool(model.layout_key), model.heads_computed), name)
    yield from sorted(ways.values())


def found_with(
    names: Iterator[str],
    each: int,
    monkeypatch: pytest.MonkeyPatch,
    values: Callable[[], Sequence[Any]] = lambda: (*WRONG, *ODD),
) -> tuple[set[str], list[Any]]:
    """The keys that were given wrong values, each in so many configs at most, and what was not answered."""
    tried: dict[str, int] = {}
    wrong = []
    for name in names:
        for block in BLOCKS:
            config = {**LLAMA, **block, "model_type": name}
            for key in sorted(asked(config, monkeypatch) - {"model_type"}):
                inside = key.rpartition(".")[0]
                if tried.get(key, 0) < each and (not inside or inside in config):
                    tried[key] = tried.get(key, 0) + 1
                    told = [(value, broken(config, key, value)) for value in values()]
                    wrong += [(name, key, value, said) for value, said in told if said]
    return {*tried}, wrong


def test_each_key_given_each_wrong_kind_is_answered_or_refused_by_name(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tried, wrong = found_with(models(), 3, monkeypatch)
    assert {"qk_rope_head_dim", "layer_types", "rope_scaling.factor", "rope_scaling.short_factor"} <= tried
    assert wrong == [], "\n".join(map(repr, wrong))


@pytest.mark.thorough
def test_so_it_is_for_every_model_type(monkeypatch: pytest.MonkeyPatch) -> None:
    """One value each, drawn: all of them at every key of every type take minutes."""
    draw = random.Random(seed())
    tried = found_with(iter(MODELS), len(MODELS), monkeypatch, lambda: [draw.choice((*WRONG, *ODD))])
    assert tried[1] == []


def test_a_block_that_hides_the_sizes_is_named() -> None:
    with pytest.raises(ValueError, match="neither its text_config nor its class says how many layers"):
        check_config({**LLAMA, "model_type": "minicpm", "text_config": {}}, length=5000)
