"""ccmemory's export and database come in with sectors, tiers, counts, sessions and links."""

import json
import os

import apsw
import pytest

from recairn.core.errors import BadInput
from recairn.sources import sources_of
from recairn.sources.ccmemory import find

T0 = 1_772_352_000_000  # 2026-03-01T08:00:00Z
DAY = 86_400_000


def told(name, content, **more):
    """A memory as the export spells it."""
    return {
        "id": name,
        "projectId": "p1",
        "content": content,
        "sector": "procedural",
        "tier": "project",
        "memoryType": "gotcha",
        "importance": 0.7,
        "confidence": 0.6,
        "salience": 0.42,
        "accessCount": 9,
        "createdAt": T0,
        "updatedAt": T0,
        "lastAccessed": T0 + DAY,
        "validUntil": None,
        "isDeleted": False,
        "tags": ["oil"],
        "concepts": ["Lamp"],
        "files": ["lamp/wick.py"],
        "simhash": "00ff00ff00ff00ff",
        "scopePath": "lamp/",
        **more,
    }


LAMP = told("m-lamp", "Colza oil gums up below zero")
HORN = told("m-horn", "The horn is tuned to F", memoryType="codebase", sector="semantic")
OLD = told("m-old", "The horn is tuned to G", isDeleted=True, memoryType="novelty")


@pytest.fixture
def export(tmp_path):
    path = tmp_path / "export.json"
    path.write_text(json.dumps([LAMP, HORN, OLD], indent=1))
    return path


TABLES = """
create table projects (id text primary key, path text, name text);
create table sessions (id text primary key, project_id text, started_at integer, ended_at integer,
  summary text, user_prompt text, context_json text);
create table memories (id text primary key, project_id text, content text, summary text,
  sector text, tier text, importance real, categories_json text, memory_type text, simhash text,
  salience real, access_count integer, created_at integer, updated_at integer,
  last_accessed integer, valid_from integer, valid_until integer, is_deleted integer,
  deleted_at integer, tags_json text, concepts_json text, files_json text, scope_path text);
create table session_memories (session_id text, memory_id text, created_at integer,
  usage_type text);
create table entities (id text primary key, name text, entity_type text, summary text,
  created_at integer);
create table memory_entities (memory_id text, entity_id text, role text, created_at integer);
create table memory_relationships (id text primary key, source_memory_id text,
  target_memory_id text, relationship_type text, created_at integer, valid_from integer,
  valid_until integer, confidence real, extracted_by text);
create table memory_vectors (memory_id text primary key, model_id text, vector f32_blob,
  dim integer);
create index memory_vectors_idx on memory_vectors(libsql_vector_idx(vector));
"""


def insert(connection, table, **values):
    names, marks = ", ".join(values), ", ".join("?" * len(values))
    connection.execute(f"insert into {table}({names}) values ({marks})", tuple(values.values()))


def row(name, content, **more):
    """A memory as the database spells it."""
    return {
        "id": name,
        "project_id": "p1",
        "content": content,
        "sector": "semantic",
        "tier": "project",
        "importance": 0.5,
        "salience": 0.3,
        "access_count": 4,
        "created_at": T0,
        "updated_at": T0,
        "last_accessed": T0 + DAY,
        "is_deleted": 0,
        "tags_json": '["fog"]',
        **more,
    }


@pytest.fixture
def database(tmp_path):
    path = tmp_path / "memories.db"
    connection = apsw.Connection(str(path))
    connection.create_scalar_function("libsql_vector_idx", lambda *_: None, deterministic=True)
    connection.execute(TABLES)
    insert(connection, "projects", id="p1", path="/srv/skerry", name=None)
    insert(
        connection,
        "sessions",
        id="watch-9",
        project_id="p1",
        started_at=T0,
        ended_at=T0 + 5000,
        summary="A quiet watch",
        user_prompt="Check the horn",
        context_json='{"working_dir": "/srv/skerry", "git_branch": "fog"}',
    )
    insert(connection, "memories", **row("m1", "The horn sounds every ninety seconds"))
    insert(connection, "memories", **row("m2", "The horn sounds every minute", valid_until=T0))
    insert(
        connection,
        "memories",
        **row("m3", "The valve sticks tonight", tier="session", summary="Sticking valve"),
    )
    for memory, usage in (("m3", "created"), ("m1", "recalled")):
        insert(
            connection,
            "session_memories",
            session_id="watch-9",
            memory_id=memory,
            created_at=T0,
            usage_type=usage,
        )
    insert(
        connection,
        "entities",
        id="e1",
        name="Fog horn",
        entity_type="technology",
        summary="Two trumpets on the gallery",
        created_at=T0,
    )
    insert(connection, "memory_entities", memory_id="m1", entity_id="e1", role="subject")
    for number, (source, target, relation) in enumerate(
        (("m1", "m2", "SUPERSEDES"), ("m3", "m1", "APPLIES_TO"))
    ):
        insert(
            connection,
            "memory_relationships",
            id=f"r{number}",
            source_memory_id=source,
            target_memory_id=target,
            relationship_type=relation,
            created_at=T0 + 7,
            valid_from=T0 + 7,
            confidence=0.8,
            extracted_by="llm",
        )
    connection.close()
    return path


def change(path, sql):
    connection = apsw.Connection(str(path))
    connection.create_scalar_function("libsql_vector_idx", lambda *_: None, deterministic=True)
    connection.execute(sql)
    connection.close()


def test_an_export_keeps_kind_sector_scope_times_and_counts(memory, export):
    (done,) = memory.import_from(export)
    assert (done.source, done.added, done.failed) == ("ccmemory", 3, 0)
    lamp = memory.get("m-lamp")
    assert (lamp.kind, lamp.sector, lamp.tier, lamp.scope) == (
        "pattern",
        "procedural",
        "project",
        "lamp/",
    )
    assert (lamp.importance, lamp.confidence, lamp.salience) == (0.7, 0.6, 0.42)
    assert (lamp.usage_count, lamp.last_used_at, lamp.created_at) == (9, T0 + DAY, T0)
    assert lamp.keywords == ("oil", "lamp/wick.py")
    assert memory.get("m-horn").kind == "fact"
    assert [each.external_id for each in memory.listing()] == ["m-horn", "m-lamp"]
    assert memory.history("m-old")[-1].reason == "deleted in ccmemory"


def test_a_second_run_adds_nothing_and_a_changed_record_supersedes(memory, export):
    memory.import_from(export)
    (again,) = memory.import_from(export)
    assert (again.added, again.changed, again.unchanged) == (0, 0, 3)
    changed = {**HORN, "content": "The horn is tuned to F sharp", "accessCount": 30}
    export.write_text("\n".join(json.dumps(each) for each in (LAMP, changed, OLD)))
    (more,) = memory.import_from(export)
    assert (more.added, more.changed, more.unchanged) == (0, 1, 2)
    assert "The horn is tuned to F sharp" in {each.content for each in memory.listing()}


def test_an_export_of_several_lists_brings_sessions_and_relationships(memory, tmp_path):
    path = tmp_path / "all.json"
    whole = {
        "version": 2,
        "projects": [{"id": "p1", "path": "/srv/skerry", "name": "skerry"}],
        "memories": [LAMP, HORN],
        "sessions": [{"id": "s1", "projectId": "p1", "startedAt": T0}],
        "relationships": [
            {
                "sourceMemoryId": "m-lamp",
                "targetMemoryId": "m-horn",
                "relationshipType": "RELATED_TO",
            }
        ],
    }
    path.write_text(json.dumps(whole))
    (done,) = memory.import_from(path)
    assert (done.added, done.besides) == (2, {"edge": 1, "session": 1})
    assert {each.project for each in memory.listing(all_projects=True)} == {"skerry"}


def test_the_database_brings_sessions_entities_and_relationships(memory, database):
    before = database.read_bytes()
    (done,) = memory.import_from(database)
    assert (done.source, done.added, done.failed) == ("ccmemory", 4, 0)
    assert done.besides == {"use": 2, "session": 1, "edge": 3}
    assert memory.get("m2").superseded_by == memory.get("m1").id
    valve = memory.get("m3")
    assert (valve.tier, valve.session_id, valve.title) == ("session", "watch-9", "Sticking valve")
    horn = memory.get("e1")
    assert (horn.kind, horn.title, horn.fields["entity_type"]) == (
        "entity",
        "Fog horn",
        "technology",
    )
    (kept,) = (each for each in memory.sessions(all_projects=True) if each.id == "watch-9")
    assert (kept.project, kept.directory, kept.branch) == ("skerry", "/srv/skerry", "fog")
    assert (kept.summary, kept.agent, kept.ended_at) == (
        "A quiet watch",
        "claude",
        T0 + 5000,
    )
    links = {(each.relation, each.confidence) for each in memory.graph(all_projects=True)[1]}
    assert {("supersedes", 0.8), ("applies_to", 0.8), ("relates_to", 1.0)} <= links
    assert database.read_bytes() == before
    assert [each.name for each in database.parent.glob("memories.db*")] == ["memories.db"]


def test_the_database_adds_nothing_twice_and_follows_changes(memory, database):
    memory.import_from(database)
    (again,) = memory.import_from(database)
    assert (again.added, again.unchanged, again.besides) == (0, 4, {})
    change(database, "update memories set content = 'The valve is mended' where id = 'm3'")
    (more,) = memory.import_from(database)
    assert (more.added, more.changed, more.unchanged) == (0, 1, 3)


def test_it_is_known_by_its_content_and_found_where_it_is_kept(
    own_home, tmp_path, export, database
):
    assert [each.name for each in sources_of(str(export))] == ["ccmemory"]
    assert [each.name for each in sources_of(str(database))] == ["ccmemory"]
    own = own_home / ".local" / "share" / "ccmemory"
    own.mkdir(parents=True)
    database.rename(own / "memories.db")
    empty = tmp_path / "empty"
    empty.mkdir()
    os.symlink(export, empty / "link.json")
    assert find(str(empty)) == [str(own / "memories.db")]
    assert find(str(tmp_path)) == [str(export)]


def test_hostile_records_are_named_and_stop_nothing(memory, tmp_path):
    bad = [
        told("b1", 7),
        told("b2", ["x"]),
        told("", "No id"),
        told("b4", "Not a number", salience=float("nan")),
        told("b5", "Too much", importance=9),
        told("b6", "Less than nothing", accessCount=-1),
        told("b7", "No time", createdAt="last spring"),
        told("b8", "Tags of no kind", tags={"a": 1}),
        ["a list"],
        told("m-lamp", "Twice the same id"),
        told("b11", "No such words", sector="cosmic", tier="galaxy", memoryType="comet"),
    ]
    path = tmp_path / "export.json"
    lines = [json.dumps(each) for each in (LAMP, *bad)]
    path.write_text("[\n" + ",\n".join(lines) + ',\n{"id": "cut", "content": "cut o')
    (done,) = memory.import_from(path)
    assert [(each.place.rpartition(":")[2], each.reason[:34]) for each in done.errors] == [
        ("14", "not JSON: Unterminated string star"),
        ("4", "content must be text, got list"),
        ("5", "it has no id"),
        ("6", "salience must be a number from 0 t"),
        ("7", "importance must be a number from 0"),
        ("8", "access_count must be a number from"),
        ("9", "created_at is no time: 'last sprin"),
        ("10", "tags must be a list, got dict"),
        ("11", "not an object but list"),
    ]
    assert {each.content for each in memory.listing()} >= {
        "7",
        "Twice the same id",
        "No such words",
    }
    assert memory.verify().problems == ()


def test_an_export_too_large_or_too_deep_is_refused(memory, tmp_path):
    path = tmp_path / "export.json"
    path.write_text(json.dumps(LAMP) + "\n" + "[" * 100_000)
    (done,) = memory.import_from(path, "ccmemory")
    assert (done.added, done.errors[0].reason[:17]) == (1, "nested too deeply")
    with path.open("ab") as file:
        file.truncate(70_000_000)
    with pytest.raises(BadInput, match="larger than 64 MB"):
        memory.import_from(path, "ccmemory")


def test_a_damaged_database_is_told_and_a_sound_one_next_to_bad_rows_comes_in(memory, database):
    change(
        database,
        "insert into memories(id, content) values ('x1', zeroblob(9));"
        "insert into memories(id, content, sector) values ('x2', hex(zeroblob(3000000)), 's');"
        "insert into memory_relationships(id, source_memory_id, target_memory_id,"
        " relationship_type) values ('x3', 'm1', 'ghost', 'RELATED_TO');"
        "insert into sessions(id, context_json) values ('x4', '{cut')",
    )
    (done,) = memory.import_from(database)
    assert done.added == 4
    assert [(each.place.rpartition(":")[2], each.reason) for each in done.errors] == [
        ("sessions/x4", "context is not JSON"),
        ("memories/x1", "content must be text, got bytes"),
        ("memories/x2", "a value is larger than 2 MB"),
        ("memory_relationships/x3", "no record 'ghost' to link"),
    ]
    whole = database.read_bytes()
    database.write_bytes(whole[:4096] + b"\x00" * 4096 + whole[8192:20_000])
    with pytest.raises(BadInput, match="not a readable database"):
        memory.import_from(database, "ccmemory")
    assert memory.verify().problems == ()


def test_a_type_without_a_kind_of_its_own_stays_readable_as_the_category(memory, tmp_path):
    path = tmp_path / "gotchas.json"
    path.write_text(json.dumps([LAMP]))
    memory.import_from(path, "ccmemory")
    (kept,) = memory.listing()
    assert (kept.kind, kept.category) == ("pattern", "gotcha")
