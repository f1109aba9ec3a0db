"""What holds for every test: its own home, no network, the same hypothesis examples each run."""

import os
import socket

import hypothesis
import pytest

from recairn.host.project import VARIABLES as AGENT_VARIABLES
from tests.corpus import ELSEWHERE, MEMORIES, Clock, opened, place

# The gate must give the same answer twice; `run.py test --hypothesis-profile=explore` digs deeper,
# and `run.py test --quick` only scratches.
hypothesis.settings.register_profile("gate", deadline=None, derandomize=True, print_blob=True)
hypothesis.settings.register_profile(
    "explore", deadline=None, derandomize=False, print_blob=True, max_examples=2000
)
hypothesis.settings.register_profile(
    "quick", hypothesis.settings.get_profile("gate"), max_examples=5
)
hypothesis.settings.load_profile("gate")

# Set by git when it runs a hook; with them, project detection would find the outer repository.
GIT_VARIABLES = ("GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE")
# Set by whoever runs the tests: an agent's would make it the author of what tests write.
FOREIGN_VARIABLES = ("FORCE_COLOR", *AGENT_VARIABLES)


class NetworkBlocked(AssertionError):
    """A test tried to leave this machine."""


def _require_loopback(address):
    if not isinstance(address, tuple):  # a Unix socket's path
        return
    host = address[0]
    if host not in ("", "::1", "localhost") and not str(host).startswith("127."):
        raise NetworkBlocked(f"tests may not connect to {address}")


@pytest.fixture(scope="session", autouse=True)
def no_network():
    """Connections of this process end at loopback."""
    really_connect, really_connect_ex = socket.socket.connect, socket.socket.connect_ex
    really_resolve = socket.getaddrinfo

    def connect(self, address):
        _require_loopback(address)
        return really_connect(self, address)

    def connect_ex(self, address):
        _require_loopback(address)
        return really_connect_ex(self, address)

    def resolve(host, *args, **kwargs):
        name = host.decode() if isinstance(host, bytes) else host
        _require_loopback((name or "",))
        return really_resolve(host, *args, **kwargs)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "connect", connect)
        patch.setattr(socket.socket, "connect_ex", connect_ex)
        patch.setattr(socket, "getaddrinfo", resolve)
        yield


@pytest.fixture(autouse=True)
def own_home(tmp_path, monkeypatch):
    """A home, a database path and a working directory that nobody else uses."""
    home = tmp_path / "home"
    home.mkdir()
    for name in [*os.environ]:
        if name.startswith(("RECAIRN_", "XDG_")) or name in (*GIT_VARIABLES, *FOREIGN_VARIABLES):
            monkeypatch.delenv(name)
    # What no command foresaw shows itself to a test; a person gets one line instead.
    monkeypatch.setenv("RECAIRN_DEBUG", "1")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_DATA_HOME", str(home / ".local" / "share"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / ".config"))
    monkeypatch.setenv("RECAIRN_DB", str(home / "memories.db"))
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.chdir(tmp_path)
    return home


@pytest.fixture(autouse=True)
def elsewhere(request, own_home, monkeypatch):
    """With TEST_STORE=postgresql, every database of a test is a team on the server."""
    if os.environ.get("TEST_STORE") != "postgresql":
        yield
        return
    about_files = request.node.get_closest_marker("files")
    if about_files is not None:
        pytest.skip(f"about files: {about_files.args[0]}")
    server = request.getfixturevalue("postgres")
    teams: dict[str, str] = {}
    ELSEWHERE.append(lambda path: teams.setdefault(path, server.new_team()))
    monkeypatch.setenv("RECAIRN_DB", place(own_home / "memories.db"))
    yield
    ELSEWHERE.clear()


@pytest.fixture(scope="session")
def postgres(tmp_path_factory):
    """The one PostgreSQL server of the run, started when the first test asks for it."""
    from tests.postgres_server import Shared

    folder = tmp_path_factory.getbasetemp()
    server = Shared(folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder)
    yield server
    server.close()


@pytest.fixture
def clock():
    """A clock that stands at noon of 15 November 2026 until a test moves it."""
    return Clock()


@pytest.fixture
def memory(tmp_path, clock):
    """An empty memory of the project puffin, which knows words only."""
    with opened(tmp_path / "puffin.db", clock=clock) as empty:
        yield empty


@pytest.fixture
def puffin(memory):
    """The memory with the whole corpus in it."""
    memory.remember_many(MEMORIES)
    return memory
