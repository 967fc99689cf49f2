"""The sweep of every model type that transformers has: what is read is right, what is wrong is said.

It writes the record that the book shows. ``PE_SEED`` chooses which keys are respelt, and how.
"""

from collections.abc import Iterator

import pytest
import transformers
from transformers.models.auto.configuration_auto import CONFIG_MAPPING_NAMES

from pe_book.config.classes import MODELS
from pe_book.evidence.records import classes
from tests.parity.classes import outcomes
from tests.parity.classes.variants import SEED

SHARES = 14  # a part of the weekly set takes one


@pytest.fixture(scope="module")
def swept() -> Iterator[list[outcomes.Outcome]]:
    """What every share found; when all have run, it is the record."""
    found: list[outcomes.Outcome] = []
    yield found
    if len(found) == len(CONFIG_MAPPING_NAMES):
        refused = [one.model_type for one in found if one.word == "refused, and it turns"]
        words, configs = [one.word for one in found], sum(one.configs for one in found)
        classes.RECORD.write(classes.written(transformers.__version__, words, configs, refused))


@pytest.mark.thorough
@pytest.mark.parametrize("share", range(SHARES))
def test_every_type_is_read_rightly_or_refused(share: int, swept: list[outcomes.Outcome]) -> None:
    found = outcomes.of_all(sorted(CONFIG_MAPPING_NAMES)[share::SHARES])
    swept += found
    assert {one.model_type: one.wrong for one in found if one.wrong} == {}, f"PE_SEED={SEED}"


def test_a_claim_that_is_wrong_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    assert outcomes.of_type("helium").word == "right"
    monkeypatch.setitem(MODELS, "helium", MODELS["llama"])
    one = outcomes.of_type("helium")
    assert one.word == "silently wrong"
    assert "turns otherwise than halves" in one.wrong["default"]


@pytest.mark.thorough
def test_the_record_is_of_the_types_that_stand_here() -> None:
    found = classes.recorded()
    cure = "run `make thorough` and commit what it writes"
    assert found.transformers == transformers.__version__, cure
    assert found.types() == len(CONFIG_MAPPING_NAMES), cure
