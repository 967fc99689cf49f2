"""What the comparison finds is recorded, where that is asked for, when all tests have passed."""

import os
import socket
import warnings
from pathlib import Path

import pytest

from pe_book.evidence.records import parity
from tests.parity.defects import defects
from tests.parity.register import members

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items):
    """What is deprecated in a library is its own affair."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning"))


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
    if os.environ.get("PE_RECORD") == "parity" and exitstatus == 0:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            agreements = [one.row(one.agree()) for one in members()]
            wrong = [one.row() for one in defects()]
        parity.RECORD.write(parity.written(agreements, wrong))
