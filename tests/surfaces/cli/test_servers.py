"""Commands on a server: made and migrated by its owner, used by a role that owns nothing."""

from __future__ import annotations

import json

import pytest

from tests.postgres_server import OWNER


@pytest.fixture
def server(postgres):
    return postgres.server


def test_an_owner_makes_tables_and_team_and_a_client_uses_them(recairn, server):
    owner = server.address(OWNER, schema="made_by_hand", team="gulls")
    made = recairn("store", "init", "--db", owner)
    assert "clients connect as recairn_app" in made.out
    again = recairn("store", "init", "--db", owner)
    assert "up to date already" in again.out
    client = server.address(schema="made_by_hand", team="gulls")
    assert recairn("--db", client, "add", "Gulls nest on the north pier").status == 0
    assert "north pier" in recairn("--db", client, "search", "where do gulls nest").out
    status = recairn("store", "status", "--db", client)
    assert (status.status, "problem" in status.out) == (0, False)
    assert "row-level security holds for every table" in status.out


def test_what_is_printed_makes_the_same_tables(recairn, server):
    owner = server.address(OWNER, schema="printed")
    printed = recairn("store", "init", "--db", owner, "--print").out
    import psycopg2

    connection = psycopg2.connect(server.address(OWNER))
    connection.autocommit = True
    connection.cursor().execute(printed)
    connection.close()
    status = recairn("store", "status", "--db", server.address(schema="printed"))
    assert (status.status, "problem" in status.out) == (0, False)


@pytest.mark.parametrize(
    ("role", "parameters", "says"),
    [
        (OWNER, {}, "may bypass row-level security"),
        ("recairn_app", {"team": "nobody"}, "there is no team nobody"),
        ("recairn_app", {"schema": "nothing"}, "there are no tables of recairn in schema nothing"),
        ("stranger", {}, "no connection"),
    ],
)
def test_who_cannot_be_served_is_told_why_and_what_to_do(recairn, server, role, parameters, says):
    ran = recairn("--db", server.address(role, **parameters), "recent")
    assert ran.status == 1
    assert says in ran.err
    assert "hint:" in ran.err


def test_a_password_is_never_shown(recairn, server):
    address = server.address().replace("recairn_app@", "recairn_app:hunter2@")
    away = address.replace(str(server.folder), "/no/such/folder")
    for place in (address, away):
        for words in (
            ("stats",),
            ("doctor",),
            ("store", "status"),
            ("backup", "create"),
            ("status",),
        ):
            for ran in (recairn("--db", place, *words), recairn("--db", place, *words, "--json")):
                assert "hunter2" not in ran.out + ran.err


@pytest.mark.files("asks what a file answers")
def test_a_file_has_no_tables_on_a_server(recairn):
    ran = recairn("store", "status")
    assert ran.status == 1
    assert "is a file, which needs none of this" in ran.err


def test_a_client_older_than_the_tables_is_refused_with_what_to_type(recairn, server):
    owner = server.address(OWNER, schema="newer")
    recairn("store", "init", "--db", owner)
    import psycopg2

    connection = psycopg2.connect(server.address(OWNER))
    connection.autocommit = True
    connection.cursor().execute("insert into newer.migrations(version) values (99)")
    connection.close()
    for address, words in (
        (server.address(schema="newer"), ("recent",)),
        (owner, ("store", "migrate")),
    ):
        ran = recairn("--db", address, *words)
        assert ran.status == 1
        assert "schema 99, newer than this recairn knows" in ran.err
        assert "pip install -U recairn" in ran.err


def test_everything_moves_there_and_back_by_uid_and_nothing_is_removed_here(
    recairn, postgres, tmp_path
):
    recairn("add", "Gulls nest on the north pier")
    recairn("add", "The lamp burns until dawn", "--kind", "decision")
    recairn("forget", "1")
    recairn("task", "add", "Mend the lamp")
    there, back = postgres.new_team(), str(tmp_path / "back.db")
    would = json.loads(recairn("move", "--to", there, "--dry-run", "--json").out)
    assert (would["added"], would["dry_run"]) == (2, True)
    assert json.loads(recairn("move", "--to", there, "--json").out)["added"] == 2
    again = json.loads(recairn("move", "--to", there, "--json").out)
    assert (again["added"], again["unchanged"], again["missing"]) == (0, 2, [])
    assert recairn("--db", there, "move", "--to", back).status == 0
    assert recairn("--db", back, "export").out == recairn("export").out
    assert "Mend the lamp" in recairn("--db", there, "export").out
    assert recairn("--db", there, "verify").status == 0


def test_moving_to_where_the_memories_are_is_refused(recairn, postgres):
    there = postgres.new_team()
    ran = recairn("--db", there, "move", "--to", there)
    assert (ran.status, "are at" in ran.err) == (1, True)


@pytest.mark.parametrize(
    "words", [("store", "init"), ("store", "migrate"), ("team", "create", "x")]
)
def test_who_does_not_own_the_tables_is_told_who_makes_them(recairn, server, words):
    ran = recairn(*words, "--db", server.address())
    assert (ran.status, "hint: name the owner in the address" in ran.err) == (1, True)
