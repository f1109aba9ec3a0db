"""The database of ClaudeMemory comes in with counts, links, episodes and checkpoints."""

import os

import apsw
import pytest

from recairn.core.errors import BadInput
from recairn.sources import sources_of
from recairn.sources.engram import find

T0 = 1_772_352_000  # seconds; 2026-03-01T08:00:00Z
NEVER = 64_092_211_200.0

TABLES = """
create table Memory (id integer primary key, globalId text, content text, topic text, project text,
  source text, embedding blob, createdAt real, lastAccessedAt real, expiresAt real,
  accessCount integer, importance integer, episodeId bigint);
create table Edge (id integer primary key, sourceId bigint, targetId bigint, relation text,
  createdAt real);
create table Episode (id integer primary key, title text, summary text, project text, status text,
  startedAt real, endedAt real);
create table Checkpoint (id integer primary key, title text, status text, project text, plan text,
  progress text, context text, createdAt real, checkpointedAt real);
"""


def insert(connection, table, **values):
    names, marks = ", ".join(values), ", ".join("?" * len(values))
    connection.execute(f"insert into {table}({names}) values ({marks})", tuple(values.values()))


def said(number, content, **more):
    return {
        "id": number,
        "content": content,
        "topic": "general",
        "project": "puffin",
        "source": "conversation",
        "createdAt": T0 + 0.5,
        "lastAccessedAt": T0 + 60.0,
        "expiresAt": NEVER,
        "accessCount": 5,
        "importance": 4,
        "episodeId": 0,
        **more,
    }


@pytest.fixture
def database(tmp_path):
    path = tmp_path / "memory.sqlite"
    connection = apsw.Connection(str(path))
    connection.execute(TABLES)
    rows = [
        said(1, "The stairs have 181 steps", episodeId=3),
        said(2, "Tea before the climb", topic="preferences", project="global", importance=0),
        said(3, "Step 40 is loose", importance=0, expiresAt=T0 + 9e8),
        said(4, "Step 41 is loose", importance=0, globalId="9A-41"),
        said(5, "Steps 40 and 41 are loose"),
    ]
    for row in rows:
        insert(connection, "Memory", **row)
    for source, target, relation in (
        (3, 5, "summarized_by"),
        (4, 5, "summarized_by"),
        (5, 1, "part_of"),
    ):
        insert(
            connection,
            "Edge",
            sourceId=source,
            targetId=target,
            relation=relation,
            createdAt=T0 + 2.0,
        )
    insert(
        connection,
        "Episode",
        id=3,
        title="Counting",
        summary="All counted",
        project="puffin",
        status="ended",
        startedAt=float(T0),
        endedAt=T0 + 100.0,
    )
    insert(
        connection,
        "Checkpoint",
        id=8,
        title="Mend step 40",
        status="paused",
        project="puffin",
        plan="Buy oak",
        progress="Measured",
        context="",
        createdAt=float(T0),
    )
    connection.close()
    return path


def change(path, sql):
    connection = apsw.Connection(str(path))
    connection.execute(sql)
    connection.close()


def test_memories_keep_topic_importance_times_and_counts(memory, database):
    before = database.read_bytes()
    (done,) = memory.import_from(database)
    assert (done.source, done.added, done.failed) == ("engram", 5, 0)
    stairs = memory.get("engram-1")
    assert (stairs.kind, stairs.category, stairs.project) == ("learning", "general", "puffin")
    assert (stairs.importance, stairs.usage_count, stairs.keywords) == (0.8, 5, ("conversation",))
    assert (stairs.created_at, stairs.last_used_at, stairs.expires_at) == (
        T0 * 1000 + 500,
        T0 * 1000 + 60_000,
        None,
    )
    tea = memory.get("engram-2")
    assert (tea.kind, tea.tier, tea.project) == ("preference", "global", "")
    assert database.read_bytes() == before


def test_links_come_along_and_what_was_consolidated_is_archived(memory, database):
    memory.import_from(database)
    contents = {each.content for each in memory.listing(all_projects=True)}
    assert contents == {
        "The stairs have 181 steps",
        "Tea before the climb",
        "Steps 40 and 41 are loose",
    }
    assert memory.history("9A-41")[-1].reason == "consolidated in Engram"
    (edge,) = (each for each in memory.graph(all_projects=True)[1] if each.relation == "part_of")
    assert (edge.source, edge.target, edge.created_at) == (
        memory.get("engram-5").id,
        memory.get("engram-1").id,
        T0 * 1000 + 2000,
    )


def test_episodes_become_sessions_and_checkpoints_tasks(memory, database):
    (done,) = memory.import_from(database)
    assert done.besides == {"task": 1, "edge": 3, "session": 1, "use": 1}
    (kept,) = (each for each in memory.sessions(all_projects=True) if each.id.startswith("engram"))
    assert (kept.id, kept.project, kept.summary) == ("engram-episode-3", "puffin", "All counted")
    assert (kept.started_at, kept.ended_at, kept.memories) == (T0 * 1000, T0 * 1000 + 100_000, 1)
    assert memory.get("engram-1").session_id == "engram-episode-3"
    task = memory.task("engram-8")
    assert (task.title, task.status, task.project) == ("Mend step 40", "blocked", "puffin")
    assert task.metadata["original_status"] == "paused"
    assert task.description == "Plan: Buy oak\n\nProgress: Measured"


def test_a_second_run_adds_nothing_and_a_changed_memory_supersedes(memory, database):
    memory.import_from(database)
    (again,) = memory.import_from(database)
    assert (again.added, again.unchanged, again.besides) == (0, 5, {})
    change(database, "update Memory set content = 'The stairs have 182 steps' where id = 1")
    (more,) = memory.import_from(database)
    assert (more.added, more.changed, more.unchanged) == (0, 1, 4)
    assert memory.get("engram-1").content == "The stairs have 182 steps"


def test_it_is_known_by_its_tables_and_found_where_it_is_kept(own_home, tmp_path, database):
    assert [each.name for each in sources_of(str(database))] == ["engram"]
    own = own_home / ".claude" / "memory.sqlite"
    own.parent.mkdir()
    empty = tmp_path / "empty"
    empty.mkdir()
    os.symlink(database, empty / "link.sqlite")
    assert find(str(empty)) == []
    database.rename(own)
    assert find(str(empty)) == [str(own)]


def test_hostile_rows_are_named_and_stop_nothing(memory, database):
    change(
        database,
        "insert into Memory(id, content) values (11, zeroblob(3));"
        "insert into Memory(id, content) values (12, '');"
        "insert into Memory(id, content, importance) values (13, 'x y', 77);"
        "insert into Memory(id, content, accessCount) values (14, 'x y', 'many');"
        "insert into Memory(id, content, createdAt) values (15, 'x y', 9e99);"
        "insert into Memory(id, content, expiresAt) values (16, 'x y', 9e999);"
        "insert into Memory(id, content) values (17, hex(zeroblob(3000000)));"
        "insert into Memory(id, content, topic) values (18, 'Kept all the same', null);"
        "insert into Edge(sourceId, targetId, relation) values (1, 99, 'part_of');"
        "insert into Edge(sourceId, targetId, relation) values (1, 2, 'sings_to');"
        "insert into Checkpoint(id) values (9)",
    )
    (done,) = memory.import_from(database)
    told = [(each.place.rpartition(":")[2], each.reason[:32]) for each in done.errors]
    assert told == [
        ("Memory/11", "content must be text, got bytes"),
        ("Memory/12", "it has no content"),
        ("Memory/13", "importance must be a number from"),
        ("Memory/14", "accessCount must be a number fro"),
        ("Memory/15", "createdAt is no time: 9e+99"),
        ("Memory/16", "expiresAt is no time: inf"),
        ("Memory/17", "a value is larger than 2 MB"),
        ("Checkpoint/9", "it has no title"),
        ("Edge/4", "no record '99' to link"),
        ("Edge/5", "unknown relation 'sings_to'"),
    ]
    assert memory.get("engram-18").content == "Kept all the same"
    assert memory.verify().problems == ()


def test_a_file_that_is_no_sound_database_is_refused(memory, database):
    database.write_bytes(database.read_bytes()[:3000])
    with pytest.raises(BadInput, match="not a readable database"):
        memory.import_from(database, "engram")
    database.write_bytes(b"not a database at all")
    with pytest.raises(BadInput, match="no SQLite database"):
        memory.import_from(database, "engram")
    assert memory.count() == 0
