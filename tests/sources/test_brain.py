"""A decrypted database of Project Brain comes in with entities, links, notes and its logs."""

import os

import apsw
import pytest

from recairn.core.errors import BadInput
from recairn.sources import sources_of

T0 = 1_770_000_000_000  # 2026-02-02T02:40:00Z
TS = "2026-02-02 02:40:00"

SCHEMA = """
create table memories (id text primary key, content text, category text, subcategory text,
  tags text, source text, status text, superseded_by text, project_id text, importance integer,
  memory_type text, last_accessed_at text, access_count integer, valid_from text, valid_until text,
  decay_score real, confidence real, has_embedding integer, embedding_model text, metadata text,
  created_at text, updated_at text);
create table entities (id text primary key, name text, type text, subtype text, description text,
  tags text, aliases text, status text, mention_count integer, created_at text);
create table links (id text primary key, source_type text, source_id text, target_type text,
  target_id text, relationship text, strength real, context text, bidirectional integer,
  created_at text);
create table notes (id text primary key, title text, content text, note_type text, summary text,
  key_points text, parent_note_id text, version integer, project_id text, entity_id text,
  created_at text);
create table resources (id text primary key, title text, url text, domain text, resource_type text,
  notes text, key_takeaways text, status text, quality_rating integer, created_at text);
create table config (key text primary key, value text);
create table query_log (id text primary key, query_text text, query_source text,
  result_count integer, result_ids text, execution_time_ms real, session_id text, created_at text);
create table chat_sessions (id text primary key, summary text, started_at text, ended_at text);
"""
MEMORY = (
    "insert into memories(id, content, category, created_at, {})"
    " values ('{}', '{}', '{}', '{}', {})"
)


def memory_row(name, said, category="fact", **more):
    values = ", ".join(repr(value) for value in more.values())
    columns = ", ".join(more)
    return MEMORY.format(columns, name, said, category, TS, values)


ROWS = [
    memory_row("m1", "The mill turns at half tide", tags='["mill"]', importance=5, confidence=0.9,
               access_count=3, last_accessed_at=TS, project_id="e1", status="active"),
    memory_row("m2", "The mill turns at full tide", status="superseded", superseded_by="m1"),
    memory_row("m3", "Millers sleep late", status="archived"),
    memory_row("m4", "Never grind on the Sabbath", "hard_constraint", status="active"),
    memory_row("m5", "Prefer rye", "preference", subcategory="grain", status="active"),
    f"insert into entities values ('e1', 'Tide Mill', 'project', 'mill', 'A mill moved by the sea',"
    f" '[]', '[\"the mill\"]', 'active', 12, '{TS}')",
    f"insert into links values ('l1', 'memory', 'm5', 'memory', 'm4', 'depends_on', 0.6, null, 0,"
    f" '{TS}')",
    f"insert into links values ('l2', 'memory', 'm5', 'timeline_event', 't1', 'relates_to', 1,"
    f" null, 0, '{TS}')",
    f"insert into notes values ('n1', 'Grinding', 'How we grind', 'design', 'short', '[\"a\"]',"
    f" null, 2, 'e1', 'e1', '{TS}')",
    f"insert into notes values ('n2', 'Stones', 'Which stones', 'note', null, null, 'n1', 1, null,"
    f" null, '{TS}')",
    f"insert into resources values ('r1', 'On mills', 'https://mill.example/x', 'mill.example',"
    f" 'article', 'long', '[\"tides\"]', 'read', 4, '{TS}')",
    "insert into config values ('retrieval.vector_weight', '0.4')",
    f"insert into query_log values ('q1', 'which tide', 'hybrid_search', 1, '[\"m1\"]', 12.5, 's1',"
    f" '{TS}')",
    f"insert into chat_sessions values ('s1', 'Talked of tides', '{TS}', null)",
]  # fmt: skip


@pytest.fixture
def core(tmp_path):
    path = tmp_path / "core.db"
    connection = apsw.Connection(str(path))
    connection.execute(SCHEMA)
    for row in ROWS:
        connection.execute(row)
    connection.close()
    return path


def change(path, *statements):
    connection = apsw.Connection(str(path))
    for each in statements:
        connection.execute(each)
    connection.close()


def test_everything_comes_in_and_a_second_run_adds_nothing(memory, core):
    (done,) = memory.import_from(core)
    assert (done.source, done.added, done.errors) == ("brain", 9, ())
    assert done.besides == {"edge": 1, "setting": 1, "query": 1, "session": 1}
    (again,) = memory.import_from(core)
    assert (again.added, again.changed, again.unchanged, again.besides) == (0, 0, 9, {})
    assert memory.verify().problems == ()


def test_memories_keep_what_was_known_of_them(memory, core):
    memory.import_from(core)
    mill = memory.get("m1")
    assert (mill.kind, mill.importance, mill.confidence, mill.keywords) == (
        "fact",
        1.0,
        0.9,
        ("mill",),
    )
    assert (mill.created_at, mill.usage_count, mill.last_used_at) == (T0, 3, T0)
    assert memory.get("m2").superseded_by == mill.id
    assert memory.history("m3")[-1].reason == "archived in Brain"
    sabbath = memory.get("m4")
    assert (sabbath.kind, sabbath.immutable) == ("rule", True)
    assert memory.get("m5").category == "preference/grain"


def test_entities_notes_and_resources_keep_their_parts(memory, core):
    memory.import_from(core)
    mill, note = memory.get("e1"), memory.get("n1")
    assert (mill.title, mill.fields["aliases"], mill.fields["mentions"]) == (
        "Tide Mill",
        ["the mill"],
        12,
    )
    assert note.fields == {"note_type": "design", "summary": "short", "key_points": ["a"]}
    assert memory.get("r1").fields["rating"] == 4
    found = {(edge.source, edge.relation, edge.target) for edge in memory.graph()[1]}
    assert {
        (memory.get("m1").id, "part_of", mill.id),
        (memory.get("n2").id, "part_of", note.id),
        (memory.get("m5").id, "depends_on", memory.get("m4").id),
    } <= found


def test_settings_queries_and_sessions_come_along(memory, core):
    memory.import_from(core)
    assert memory.config()["brain.retrieval.vector_weight"] == "0.4"
    (asked,) = memory.store.query_stats("query", 0, 10)
    assert (asked.name, asked.last_at, asked.mean_ms) == ("which tide", T0, 12.5)
    (session,) = (each for each in memory.sessions() if each.id == "s1")
    assert (session.started_at, session.state) == (T0, "ended")


def test_a_changed_memory_supersedes(memory, core):
    memory.import_from(core)
    change(core, "update memories set content = 'Prefer barley' where id = 'm5'")
    assert memory.import_from(core)[0].changed == 1
    assert memory.get("m5").content == "Prefer barley"


def test_wrong_values_are_told_by_row_and_stop_nothing(memory, core):
    change(
        core,
        "update memories set importance = 9 where id = 'm5'",
        "update memories set metadata = '{' where id = 'm4'",
        "update links set relationship = 'hums' where id = 'l1'",
        "update query_log set created_at = 'noon'",
        "insert into memories(id, content) values ('big', zeroblob(3000000)), ('none', null)",
        "insert into memories(content) values ('no id')",
    )
    (done,) = memory.import_from(core)
    assert [each.place.rpartition(":")[2] for each in done.errors] == [
        "memories/m4",
        "memories/m5",
        "memories/big",
        "memories/none",
        "memories",
        "links/l1",
        "query_log/q1",
    ]
    assert done.added == 7


def test_an_encrypted_database_is_refused_with_the_way_out(memory, tmp_path):
    (tmp_path / "core.db").write_bytes(os.urandom(4096))
    with pytest.raises(BadInput) as refused:
        memory.import_from(tmp_path / "core.db", "brain")
    assert refused.value.hint == "import a decrypted copy"


def test_the_tables_tell_that_it_is_brain(core, tmp_path, memory):
    assert [each.name for each in sources_of(str(core))] == ["brain"]
    assert [each.path.rpartition("/")[2] for each in memory.import_from(tmp_path, "brain")] == [
        "core.db"
    ]


LATER, LAST = "2026-02-03 02:40:00", "2026-02-04 02:40:00"
WORK = f"""
create table memory_history (id text primary key, db text, memory_id text, operation text,
  content_before text, content_after text, reason text, changed_at text);
create table handoffs (id text primary key, title text, project text, chat_last_seen integer,
  code_last_seen integer, status text, created_at text, updated_at text);
create table handoff_entries (seq integer primary key, handoff_id text, from_client text,
  type text, content text, created_at text);
create table daily_log_items (id text primary key, daily_log_id text, content text, item_type text,
  importance real, status text, promoted_to_id text, created_at text);
create table pain_points (id text primary key, description text, context text, severity text,
  status text, resolution text, created_at text, resolved_at text);
insert into memory_history values
  ('h2', 'core', 'm5', 'updated', 'Prefer oats', 'Prefer rye', 'the price', '{LAST}'),
  ('h1', 'core', 'm5', 'updated', 'Prefer wheat', 'Prefer oats', 'the harvest', '{LATER}'),
  ('h3', 'core', 'm1', 'updated', 'The mill turns at half tide', 'The mill turns at half tide',
   'tags only', '{LATER}'),
  ('h4', 'core', 'm2', 'superseded', 'The mill turns at full tide', null, 'we measured', '{LATER}'),
  ('h5', 'core', 'gone', 'deleted', 'Nobody may read this again', null, null, '{LATER}');
insert into handoffs values
  ('hof_1', 'Mend the sluice', 'mill', 3, 2, 'active', '{TS}', '{LAST}'),
  ('hof_2', 'Paint the door', null, 0, 0, 'completed', '{TS}', '{TS}');
insert into handoff_entries values
  (1, 'hof_1', 'chat', 'context', 'The sluice leaks', '{TS}'),
  (2, 'hof_1', 'chat', 'task', 'Buy oak', '{TS}'),
  (3, 'hof_1', 'code', 'done', 'Oak is bought', '{LATER}'),
  (4, 'hof_1', 'chat', 'task', 'Cut the oak', '{LATER}'),
  (5, 'hof_1', 'code', 'question', 'How long?', '{LAST}');
insert into daily_log_items values
  ('d1', 'l', 'The weir was iced over', 'observation', 7, 'pending', null, '{TS}'),
  ('d2', 'l', 'Prefer rye', 'correction', 5, 'promoted', 'm5', '{TS}');
insert into pain_points values
  ('p1', 'The gate sticks', 'in frost', 'major', 'fixed', 'grease it', '{TS}', '{LATER}'),
  ('p2', 'The bell is loud', null, 'minor', 'wont_fix', null, '{TS}', null);
"""


def test_what_a_memory_said_before_comes_with_the_reasons_of_its_changes(memory, core):
    change(core, WORK)
    (done,) = memory.import_from(core)
    assert done.errors == ()
    rye, oats, wheat = memory.get("m5"), memory.get("h2"), memory.get("h1")
    assert [each.content for each in (wheat, oats, rye)] == [
        "Prefer wheat",
        "Prefer oats",
        "Prefer rye",
    ]
    assert (wheat.superseded_by, oats.superseded_by) == (oats.id, rye.id)
    assert (wheat.created_at, wheat.valid_until) == (T0, T0 + 86_400_000)
    assert (oats.kind, oats.created_at) == ("preference", T0 + 86_400_000)
    assert memory.history("h1")[-1].reason == "the harvest"
    assert memory.history("m2")[-1].reason == "we measured"
    assert [each.content for each in memory.listing(kind="preference")] == ["Prefer rye"]
    assert "nobody may read this again" not in str(list(memory.export_records())).lower()
    (again,) = memory.import_from(core)
    assert (again.added, again.changed, again.linked, again.besides) == (0, 0, 0, {})


def test_a_handoff_tells_what_is_still_open_and_is_archived_when_it_was_closed(memory, core):
    change(core, WORK)
    memory.import_from(core)
    (sluice,) = memory.listing(kind="handoff")
    assert (sluice.external_id, sluice.title, sluice.category) == (
        "hof_1",
        "Mend the sluice",
        "mill",
    )
    assert sluice.content.startswith("chat, context: The sluice leaks\n\nchat, task: Buy oak\n\n")
    assert sluice.fields == {"next_steps": ["Cut the oak"], "questions": ["How long?"]}
    assert memory.resume().handoffs[0].id == sluice.id
    change(core, "update handoffs set status = 'completed'", "delete from handoff_entries")
    memory.import_from(core)
    assert memory.listing(kind="handoff") == []
    assert memory.resume().handoffs == ()
    assert memory.import_from(core)[0].added == 0


def test_daily_logs_and_pain_points_come_in_unless_they_are_memories_already(memory, core):
    change(core, WORK)
    memory.import_from(core)
    weir, gate = memory.get("d1"), memory.get("p1")
    assert (weir.kind, weir.category, weir.importance) == (
        "observation",
        "daily log/observation",
        0.7,
    )
    assert (gate.kind, gate.fields, gate.category) == (
        "failure",
        {"cause": "in frost", "fix": "grease it"},
        "pain point/major",
    )
    assert [each.content for each in memory.listing(kind="failure")] == ["The gate sticks"]
    assert memory.history("p2")[-1].reason == "wont_fix in Brain"


def test_its_other_databases_are_known_without_a_query_log(core):
    change(core, "drop table query_log", "drop table chat_sessions")
    with pytest.raises(BadInput):
        sources_of(str(core))
    change(core, "create table claude_notes (id text primary key, note text)")
    assert [each.name for each in sources_of(str(core))] == ["brain"]


def test_a_memory_that_says_again_what_it_said_before_holds(memory, core):
    change(
        core,
        WORK,
        f"insert into memory_history values ('h6', 'core', 'm5', 'updated', 'Prefer rye',"
        f" 'Prefer wheat', 'a whim', '{TS}')",
    )
    (done,) = memory.import_from(core)
    assert list(done.warnings) == []
    assert memory.get("m5").superseded_by is None
    assert [each.content for each in memory.listing(kind="preference")] == ["Prefer rye"]
    assert memory.get("h1").superseded_by == memory.get("h2").id


@pytest.mark.parametrize("source", ["brain", "core.db"])
def test_all_that_came_from_a_database_can_be_taken_back_at_once(memory, core, source):
    mine = memory.remember("Prefer rye").id
    memory.import_from(core)
    assert memory.count() > 1
    memory.undo(source=source)
    assert [each.id for each in memory.listing(include_superseded=True)] == [mine]
    assert memory.import_from(core)[0].added == 0
    assert memory.verify().problems == ()
