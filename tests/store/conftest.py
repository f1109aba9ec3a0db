"""The stores that keep the contract. A backend joins by one entry in BACKENDS."""

import pytest

from recairn.store.sqlite import SqliteStore


def open_file(folder, patience_s):
    return SqliteStore(str(folder / "contract.db"), patience_s=patience_s)


BACKENDS = {"sqlite": open_file}


@pytest.fixture(params=sorted(BACKENDS))
def open_store(request, tmp_path):
    """Opens the one database of a test, as often as the test calls it."""
    opened = []

    def open_it(patience_s=30.0):
        opened.append(BACKENDS[request.param](tmp_path, patience_s))
        return opened[-1]

    yield open_it
    for each in opened:
        each.close()


@pytest.fixture
def store(open_store):
    return open_store()
