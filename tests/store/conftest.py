"""The stores that keep the contract. An engine joins by one entry in ADDRESSES."""

import pytest

from recairn import store as stores

# Where each engine would keep the one database of a test.
ADDRESSES = {"sqlite": lambda folder: str(folder / "contract.db")}


@pytest.fixture(params=sorted(ADDRESSES))
def address(request, tmp_path):
    return ADDRESSES[request.param](tmp_path)


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
