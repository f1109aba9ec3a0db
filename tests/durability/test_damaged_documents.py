"""A document in a column that a flipped bit made unreadable stops nobody, and is named."""

from __future__ import annotations

import apsw
import pytest

from recairn.surfaces.cli import main
from tests.corpus import opened


@pytest.fixture
def database(tmp_path, monkeypatch):
    """#1 has fields and keywords, a task, notes and a history; everything is well."""
    path = tmp_path / "memory.db"
    monkeypatch.setenv("RECAIRN_PROJECT", "p")
    with opened(path, project="p", session="s-1") as memory:
        memory.remember(
            "Use full jitter",
            kind="decision",
            fields={"rationale": "no stampede"},
            keywords=["net"],
        )
        memory.remember("Trim the wick")
        memory.edit(1, content="Use full jitter for retries")
        memory.add_task("Mend the lamp", metadata={"size": "small"})
        memory.note(prompts=["why jitter"])
    return path


def break_(path, table, column, where="1"):
    """The second quotation mark of a document becomes another sign, as one flipped bit would."""
    with apsw.Connection(str(path)) as db:
        db.execute(
            f"update {table} set {column} = replace({column}, '\"', '#') where {where}"
            if column != "keywords"
            else f"update {table} set {column} = '[\"net' where {where}"
        )
    db.close()


READING = ["list", "show 1", "export", "context --prompt jitter", "search jitter", "history 1"]


@pytest.mark.parametrize("column", ["fields", "keywords"])
@pytest.mark.parametrize("line", READING)
def test_reading_goes_on_and_names_the_memory(database, capsys, line, column):
    break_(database, "memories", column, "id = 1")
    assert main(["--db", str(database), *line.split()]) == 0
    out, err = capsys.readouterr()
    assert "jitter" in out
    assert err == (
        "note: a part of #1 cannot be read any more: recairn verify, recairn doctor --repair\n"
    )


def test_verify_names_the_memory_and_repair_makes_it_readable(database, capsys):
    break_(database, "memories", "fields", "id = 1")
    assert main(["--db", str(database), "verify"]) == 1
    assert "memory #1 changed" in capsys.readouterr().out
    assert main(["--db", str(database), "doctor", "--repair"]) == 0
    with opened(database, project="p") as memory:
        assert memory.get(1).content == "Use full jitter for retries"
        assert memory.damaged == set()
        assert memory.verify().problems == ()


@pytest.mark.parametrize(
    ("table", "column", "line"),
    [
        ("history", "before", "history 1"),
        ("history", "after", "export"),
        ("tasks", "metadata", "task list"),
        ("sessions", "context", "session show s-1"),
    ],
)
def test_what_lies_beside_memories_stops_nobody_either(database, capsys, table, column, line):
    break_(database, table, column)
    assert main(["--db", str(database), *line.split()]) == 0
    capsys.readouterr()
    assert main(["--db", str(database), "verify"]) == 1
    assert f"{table} row" in capsys.readouterr().out
    assert main(["--db", str(database), "doctor", "--repair"]) == 0
    assert main(["--db", str(database), "verify"]) == 0


def test_an_agent_is_told_which_memory_is_damaged(database):
    from recairn.surfaces.mcp.dispatch import Desk
    from recairn.surfaces.mcp.server import Connection

    break_(database, "memories", "fields", "id = 1")
    connection = Connection(Desk(str(database), "p"))
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {}}
    connection.handle({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello})
    call = {"name": "recairn_get", "arguments": {"id": "1"}}
    answer = connection.handle({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call})
    assert isinstance(answer, dict)
    assert answer["result"]["structuredContent"]["damaged"] == [1]


def test_a_text_that_is_none_any_more_is_named_and_made_readable_again(database, capsys):
    with apsw.Connection(str(database)) as db:
        db.execute("update history set reason = cast(x'6c6fff70' as text) where id = 1")
    db.close()
    assert main(["--db", str(database), "verify"]) == 1
    assert "reason of history row 1 is no text any more" in capsys.readouterr().out
    assert main(["--db", str(database), "doctor", "--repair"]) == 0
    assert main(["--db", str(database), "verify"]) == 0
    assert main(["--db", str(database), "export"]) == 0
