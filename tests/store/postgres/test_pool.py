"""Clients behind pgbouncer, which lends connections by transaction: two for all of them."""

from __future__ import annotations

import os
import shutil
import subprocess
import time

import psycopg2
import pytest

import recairn
from tests.corpus import PROJECT
from tests.postgres_server import APP, DATABASE, as_whom, new_folder
from tests.store.postgres.test_members import member
from tests.store.postgres.test_writers import at_once

BOUNCER = shutil.which("pgbouncer", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
pytestmark = pytest.mark.thorough
CONFIGURATION = """
[databases]
* = host={server} user={role}
[pgbouncer]
listen_addr =
listen_port = 5432
unix_socket_dir = {folder}
auth_type = any
pool_mode = transaction
default_pool_size = 2
max_client_conn = 100
"""


@pytest.fixture
def pool(postgres):
    """Makes the address of a team lead through the pool."""
    if BOUNCER is None:
        pytest.skip("pgbouncer is not installed")
    folder = new_folder()
    whom = as_whom()
    if whom:
        os.chown(folder, whom["user"], whom["group"])  # type: ignore[arg-type]
    server = str(postgres.server.folder)
    configuration = folder / "pgbouncer.ini"
    configuration.write_text(CONFIGURATION.format(server=server, folder=folder, role=APP))
    process = subprocess.Popen(
        [BOUNCER, "-q", str(configuration)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=folder,
        **whom,  # type: ignore[call-overload]
    )
    deadline = time.monotonic() + 20
    while True:
        try:
            psycopg2.connect(f"postgresql://{APP}@/{DATABASE}?host={folder}").close()
            break
        except psycopg2.OperationalError:
            assert process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.02)
    yield lambda address: address.replace(server, str(folder))
    process.terminate()
    process.wait()
    shutil.rmtree(folder, ignore_errors=True)


def test_teams_and_members_share_two_connections_and_see_only_their_own(postgres, pool):
    first, second = pool(postgres.new_team()), pool(postgres.new_team())
    with recairn.open(first, project=PROJECT) as memory:
        memory.add_member("ann")
    ann = member(first, "ann")

    def life(address, bird):
        def work():
            with recairn.open(address, project=PROJECT, model="none") as memory:
                for number in range(10):
                    memory.remember(f"{bird} number {number} rests on the buoy", force=True)
                    memory.edit(memory.search(bird).hits[0].id, category=bird)
                return {each.content.split()[0] for each in memory.every_memory()}

        return work

    seen = at_once(
        life(first, "tern"), life(second, "skua"), life(ann, "gannet"), life(second, "skua")
    )
    assert seen == [{"tern"}, {"skua"}, seen[2], {"skua"}]
    assert "gannet" in seen[2] <= {"gannet", "tern"}
    with recairn.open(first, project=PROJECT, model="none") as memory:
        assert memory.verify().problems == ()
        assert sorted(each.content.split()[0] for each in memory.every_memory()) == ["tern"] * 10


def test_export_and_move_hold_one_connection_until_they_are_done(postgres, pool, tmp_path):
    address = pool(postgres.new_team())
    with recairn.open(address, project=PROJECT, model="none") as memory:
        memory.remember("Terns rest on the buoy")
        records = memory.export_records()
        next(records)
        with recairn.open(address, project=PROJECT, model="none") as other:
            other.remember("Skuas do not")
        assert "Skuas" not in repr(list(records))
        assert memory.move_to(str(tmp_path / "here.db")).missing == ()
