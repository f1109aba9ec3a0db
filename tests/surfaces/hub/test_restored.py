"""A team's PostgreSQL is put back from `pg_dump`, and its laptops go on: nothing they have is lost,
and nothing that was destroyed lives.

    python3 run.py test --slow tests/surfaces/hub/test_restored.py
"""

from __future__ import annotations

import subprocess
import sys

import psycopg2
import pytest

import recairn
from tests.postgres_server import OWNER, Server, as_whom, binaries, own_server
from tests.surfaces.hub.laptop import Laptop
from tests.surfaces.hub.team import TeamServer, members

pytestmark = pytest.mark.slow


@pytest.fixture
def postgres():
    with own_server() as own:
        yield own


def run(postgres: Server, program: str, *words: str) -> None:
    """A program of the server's own, as the role that sees every row."""
    command = [str(binaries() / program), "-h", str(postgres.folder), "-U", OWNER, *words]
    whom = as_whom()
    done = subprocess.run(command, capture_output=True, text=True, cwd=postgres.folder, **whom)  # type: ignore[call-overload]
    assert done.returncode == 0, done.stderr


def test_laptops_bring_a_restored_server_what_it_lost_and_destroy_what_it_brought_back(
    postgres, tmp_path
):
    address = postgres.address()
    tokens = members(address, ann="admin", bob="writer")
    (tmp_path / "hub").mkdir()
    hub = TeamServer(tmp_path / "hub", address)
    ann, bob = Laptop(tmp_path, "ann"), Laptop(tmp_path, "bob")
    with ann.open() as memory:
        kept = memory.remember("The lamp turns with a stepper motor")
        doomed = memory.remember("The keeper sleeps in the tower", force=True)
        moved = memory.remember("Oil comes by boat", force=True)
    ann.join(hub.url, tokens["ann"])
    bob.join(hub.url, tokens["bob"])

    run(postgres, "pg_dump", "-Fc", "-f", str(postgres.folder / "team.dump"), "postgres")
    with bob.open() as memory:
        memory.remember("Fog comes from the north", force=True)
        memory.edit(moved.uid, content="Oil comes by helicopter")
        memory.sync()
    with ann.open() as memory:
        memory.destroy(doomed.id)
        memory.sync()
    bob.sync()
    with bob.open() as memory:  # and what nobody but this laptop has heard of
        memory.remember("The stairs were painted", force=True)
    hub.stop()

    owner = psycopg2.connect(postgres.address(OWNER))
    owner.autocommit = True
    with owner.cursor() as cursor:
        cursor.execute("create database restored")
    owner.close()
    run(postgres, "pg_restore", "-d", "restored", str(postgres.folder / "team.dump"))
    again = postgres.address(database="restored")
    said = [sys.executable, "-m", "recairn", "team", "restored", "--db", again]
    assert subprocess.run(said, cwd=tmp_path, check=False).returncode == 0

    hub = TeamServer(tmp_path / "hub", again, port=hub.port)
    try:
        for laptop in (ann, bob, ann, bob):
            laptop.sync()
        wanted = {
            "The lamp turns with a stepper motor",
            "Oil comes by helicopter",
            "Fog comes from the north",
            "The stairs were painted",
        }
        assert {*ann.contents().values()} == {*bob.contents().values()} == wanted
        with recairn.open(again, project="lantern", model="none") as memory:
            assert {each.content for each in memory.listing(limit=99)} == wanted
            assert memory.get(doomed.uid) is None
            assert memory.get(kept.uid) is not None
            assert [each["uid"] for each in memory.erasures("lantern")] == [doomed.uid]
        assert hub.ask("GET", "/sync/1/erased?project=lantern", token=tokens["ann"]).json["erased"]
        for laptop in (ann, bob):  # nothing is left to say
            told = laptop.sync()
            assert (told["sent"], told["added"], told["updated"]) == (0, 0, 0)
    finally:
        hub.stop()
