"""What the comparison finds is collected here and, where asked for, recorded when all tests have passed."""

import os
import socket
from pathlib import Path

import pytest

from pe_book.evidence.records import parity
from tests.parity.defects import Defect, defects
from tests.parity.register import Member, members

HERE = Path(__file__).parent
AGREEMENTS = pytest.StashKey[dict[str, parity.Agreement]]()
FOUND_WRONG = pytest.StashKey[dict[str, parity.Defect]]()


def pytest_configure(config):
    config.stash[AGREEMENTS], config.stash[FOUND_WRONG] = {}, {}


def pytest_collection_modifyitems(items):
    """What is deprecated in a library is its own affair."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning"))


class Found:
    """What the tests of members and of defects report to."""

    def __init__(self, stash):
        self.stash = stash

    def agreement(self, one: Member, version: str, difference: float) -> None:
        written = float(f"{difference:.1e}"), float(f"{one.bound:.1e}")
        self.stash[AGREEMENTS][one.name] = parity.Agreement(
            one.name, one.library, version, one.kind, one.layout, *written
        )

    def defect(self, one: Defect, version: str, gives: str, right: str) -> None:
        self.stash[FOUND_WRONG][one.name] = parity.Defect(
            one.call, one.asked, one.library, version, gives, right
        )


@pytest.fixture
def found(pytestconfig):
    return Found(pytestconfig.stash)


@pytest.fixture(autouse=True, scope="session")
def one_thread():
    """What is compared is small: threads that wait for each other take ten times as long."""
    import torch

    torch.set_num_threads(1)


@pytest.fixture(autouse=True)
def no_network(monkeypatch):
    def refused(*_):
        raise AssertionError("a comparison asks the network for nothing")

    monkeypatch.setattr(socket.socket, "connect", refused)


def pytest_sessionfinish(session, exitstatus):
    if os.environ.get("PE_RECORD") != "parity" or exitstatus != 0:
        return
    agreements, wrong = (session.config.stash[key] for key in (AGREEMENTS, FOUND_WRONG))
    if agreements.keys() == {one.name for one in members()} and wrong.keys() == {
        one.name for one in defects()
    }:
        in_order = [agreements[one.name] for one in members()], [wrong[one.name] for one in defects()]
        parity.RECORD.write(parity.written(*in_order))
