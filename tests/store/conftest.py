"""A store of every engine that keeps the contract, empty for each test."""

import pytest

from recairn import store as stores
from tests.store.engines import ADDRESSES


@pytest.fixture(params=sorted(ADDRESSES))
def address(request):
    return ADDRESSES[request.param](request)


@pytest.fixture
def open_store(address):
    """Opens the one database of a test, as often as the test calls it."""
    opened = []

    def open_it(patience_s=30.0):
        opened.append(stores.open(address, patience_s=patience_s))
        return opened[-1]

    yield open_it
    for each in opened:
        each.close()


@pytest.fixture
def store(open_store):
    return open_store()
