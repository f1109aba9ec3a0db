"""What tx kept comes in with numbers, times, links, counts and tasks; broken parts stop nothing."""

import json

import apsw
import pytest

from recairn.ingest import source_of
from recairn.ingest.files import MAX_LINE

T0 = 1_770_000_000_000  # 2026-02-02T02:40:00Z
TS = "2026-02-02T02:40:00.000Z"

SCHEMA = """
create table learnings (id integer primary key, content text, source_type text, source_ref text,
  created_at text, keywords text, category text, usage_count integer default 0, last_used_at text,
  outcome_score real, embedding blob);
create table file_learnings (id integer primary key, file_pattern text, note text, task_id text,
  created_at text);
create table attempts (id integer primary key, task_id text, approach text, outcome text,
  reason text, created_at text);
create table learning_anchors (id integer primary key, learning_id integer, anchor_type text,
  anchor_value text, file_path text, created_at text);
create table learning_edges (id integer primary key, edge_type text, source_type text,
  source_id text, target_type text, target_id text, weight real, metadata text, created_at text,
  invalidated_at text);
create table context_pins (id text primary key, content text, created_at text);
create table tasks (id text primary key, title text, description text, status text, score integer,
  parent_id text, created_at text, updated_at text, completed_at text, metadata text);
create table task_dependencies (blocker_id text, blocked_id text, created_at text);
create table learnings_config (key text primary key, value text);
create table compaction_log (id integer primary key, compacted_at text, task_count integer,
  summary text, task_ids text, learnings_exported_to text, learnings text);
"""
ROWS = f"""
insert into learnings values (1, 'Terns nest on the slipway in May', 'manual', 'tx-aaaaaa', '{TS}',
  '["terns"]', 'birds', 5, '{TS}', 0.9, x'00000000');
insert into learnings values (2, 'The slipway winch jams below zero', 'run', null, '{TS}', null,
  null, 0, null, 0.0, null);
insert into learning_anchors values (1, 2, 'glob', 'winch/*.c', 'winch/motor.c', '{TS}');
insert into file_learnings values (3, 'src/db.c', 'Flush before the pilot leaves', null, '{TS}');
insert into attempts values (4, 'tx-bbbbbb', 'Heat the winch', 'failed', 'fuse blew', '{TS}');
insert into attempts values (5, 'tx-bbbbbb', 'Grease the winch', 'succeeded', null, '{TS}');
insert into learning_edges values (6, 'SIMILAR_TO', 'learning', '1', 'learning', '2', 0.4, '{{}}',
  '{TS}', null);
insert into learning_edges values (7, 'USED_IN_RUN', 'learning', '1', 'run', 'run-1', 1.0, '{{}}',
  '{TS}', null);
insert into context_pins values ('tides', 'Read the tide table first', '{TS}');
insert into tasks values ('tx-aaaaaa', 'Open the harbour', '', 'backlog', 900, null, '{TS}', '{TS}',
  null, '{{"area": "north"}}');
insert into tasks values ('tx-bbbbbb', 'Mend the winch', 'it jams', 'done', 500, 'tx-aaaaaa',
  '{TS}', '{TS}', '2026-02-03T00:00:00Z', '{{}}');
insert into task_dependencies values ('tx-bbbbbb', 'tx-aaaaaa', '{TS}');
insert into learnings_config values ('bm25_weight', '0.4');
insert into compaction_log values (8, '{TS}', 1, 'One task', '["tx-bbbbbb"]', 'CLAUDE.md',
  '- Keep the fuses dry');
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / ".tx").mkdir()
    return tmp_path / ".tx"


@pytest.fixture
def database(folder):
    connection = apsw.Connection(str(folder / "tasks.db"))
    connection.execute(SCHEMA)
    connection.execute(ROWS)
    connection.close()
    return folder / "tasks.db"


def log(path, *lines):
    path.parent.mkdir(parents=True, exist_ok=True)
    raw = [each if isinstance(each, bytes) else json.dumps(each).encode() for each in lines]
    path.write_bytes(b"\n".join(raw) + b"\n")


def told(op, name, at=TS, data=None, **more):
    return {"v": 1, "op": op, "ts": at, "id": name, "data": data or {}, **more}


def learned(name, content, at=TS, hashed=None):
    data = {"content": content, "sourceType": "manual", "sourceRef": None, "keywords": ["k"]}
    return told("learning_upsert", name, at, data, contentHash=hashed or f"h{name}")


def test_the_database_comes_in_whole(memory, database):
    (done,) = memory.import_from(database.parent)
    assert (done.source, done.added, done.errors) == ("tx", 7, ())
    assert done.besides == {
        "task": 2,
        "dependency": 1,
        "edge": 1,
        "access": 1,
        "setting": 1,
        "compaction": 1,
    }
    terns = memory.get("tx-learning-1")
    assert (terns.created_at, terns.category, terns.keywords) == (T0, "birds", ("terns",))
    assert (terns.usage_count, terns.last_used_at, terns.outcome_score) == (5, T0, 0.9)
    assert (terns.source_type, terns.source_ref) == ("manual", "tx-aaaaaa")
    winch = memory.get("tx-learning-2")
    assert (winch.scope, winch.outcome_score) == ("winch/*.c", 0.0)
    assert memory.get("tx-file-learning-3").scope == "src/db.c"
    failed = memory.get("tx-attempt-4")
    assert (failed.kind, failed.fields, failed.source_ref) == (
        "failure",
        {"cause": "fuse blew"},
        "tx-bbbbbb",
    )
    assert memory.get("tx-pin-tides").pinned
    (edge,) = memory.graph()[1]
    assert (edge.source, edge.target, edge.weight) == (terns.id, winch.id, 0.4)
    assert memory.config()["tx.bm25_weight"] == "0.4"
    assert memory.verify().problems == ()


def test_tasks_come_with_parents_dependencies_and_what_they_were_called(memory, database):
    memory.import_from(database)
    mend, opening = memory.task("tx-bbbbbb"), memory.task("tx-aaaaaa")
    assert (mend.status, mend.parent, mend.score) == ("done", "tx-aaaaaa", 500.0)
    assert mend.completed_at == 1_770_076_800_000
    assert (opening.status, opening.depends_on) == ("open", ("tx-bbbbbb",))
    assert opening.metadata == {"original_status": "backlog", "area": "north"}


def test_the_category_of_a_task_is_found_in_its_metadata(memory, database):
    connection = apsw.Connection(str(database))
    connection.execute("""update tasks set metadata = '{"category": "docks"}'""")
    connection.close()
    memory.import_from(database)
    assert memory.task("tx-aaaaaa").category == "docks"
    assert memory.context("tx-aaaaaa").query == "Open the harbour\ndocks"


def test_what_a_run_left_is_verified_only_by_a_good_outcome(memory, database):
    connection = apsw.Connection(str(database))
    connection.execute(
        "insert into learnings(id, content, source_type, created_at, outcome_score)"
        f" values (10, 'Grease holds for a week', 'run', '{TS}', 0.8)"
    )
    connection.close()
    (would,) = memory.import_from(database, dry_run=True)
    (done,) = memory.import_from(database)
    assert would.unverified == done.unverified == 1
    assert memory.get("tx-learning-2").trust == "unverified"
    assert memory.get("tx-learning-10").trust == "verified"
    assert memory.search("grease for a week", trust="verified").hits


def test_a_second_run_adds_nothing_and_a_changed_row_supersedes(memory, database):
    memory.import_from(database.parent)
    (again,) = memory.import_from(database.parent)
    assert (again.added, again.changed, again.unchanged, again.besides) == (0, 0, 7, {})
    connection = apsw.Connection(str(database))
    connection.execute("update learnings set content = 'Terns nest in April' where id = 1")
    connection.close()
    (changed,) = memory.import_from(database.parent)
    assert (changed.added, changed.changed) == (0, 1)
    assert memory.get("tx-learning-1").content == "Terns nest in April"


def test_what_the_database_holds_is_not_taken_again_from_the_logs(memory, database):
    from hashlib import sha256

    hashed = sha256(b"Terns nest on the slipway in Maymanual").hexdigest()
    log(
        database.parent / "learnings.jsonl",
        learned(1, "Terns nest on the slipway in May", hashed=hashed),
        learned(9, "Only the log knows of the seals"),
    )
    (done,) = memory.import_from(database.parent)
    assert (done.added, done.known) == (8, 0)


def test_the_last_word_of_all_logs_and_streams_holds(memory, folder):
    late = "2026-03-01T00:00:00Z"
    log(
        folder / "learnings.jsonl",
        learned(1, "Seals sleep on the pier"),
        learned(2, "Gone tomorrow"),
    )
    log(
        folder / "streams" / "01HX" / "events-2026-03-01.jsonl",
        told("learning_delete", 2, late, contentHash="h2"),
        learned(1, "Another machine counts from one too", hashed="other"),
        told("pin_upsert", "rule", late, {"content": "Knock twice"}),
        told(
            "file_learning_upsert",
            3,
            late,
            {"filePattern": "a.c", "note": "Mind the bell", "taskId": None},
            contentHash="f3",
        ),
        told(
            "attempt_upsert",
            4,
            late,
            {"taskId": "tx-1", "approach": "Paint it", "outcome": "failed", "reason": "rain"},
            contentHash="a4",
        ),
        told("upsert", "tx-cccccc", TS, {"title": "Old name", "status": "ready", "score": 1}),
        told("upsert", "tx-cccccc", late, {"title": "New name", "status": "active", "score": 1}),
        told("upsert", "tx-dddddd", TS, {"title": "Dropped", "status": "ready"}),
        told("delete", "tx-dddddd", late),
        {"v": 1, "op": "dep_add", "ts": TS, "blockerId": "tx-eeeeee", "blockedId": "tx-cccccc"},
        {
            "v": 1,
            "op": "dep_remove",
            "ts": late,
            "blockerId": "tx-eeeeee",
            "blockedId": "tx-cccccc",
        },
    )
    (done,) = memory.import_from(folder)
    assert sorted(each.content for each in memory.listing()) == [
        "Another machine counts from one too",
        "Knock twice",
        "Mind the bell",
        "Paint it",
        "Seals sleep on the pier",
    ]
    assert (done.besides, [task.title for task in memory.tasks()]) == ({"task": 1}, ["New name"])


def test_markdown_learnings_keep_their_fields(memory, tmp_path):
    notes = tmp_path / "docs" / "learnings"
    notes.mkdir(parents=True)
    (notes / "bell.md").write_text(
        '---\ntags: [learning, sound]\ncreated: "2026-02-02T02:40:00Z"\nfile_pattern: "bell/*.js"\n'
        "source_type: manual\noutcome_score: 0.5\n---\n# The bell\n\nRing it slowly.\n"
    )
    (notes / "short.md").write_text("# A whole learning in one line\n")
    (notes / "bad.md").write_text("---\na: &x 1\n---\n# B\n\ntext\n")
    (notes / "out.md").symlink_to("/etc/hostname")
    (done,) = memory.import_from(notes)
    bell = memory.get("bell")
    assert (bell.title, bell.content, bell.scope) == ("The bell", "Ring it slowly.", "bell/*.js")
    assert (bell.keywords, bell.created_at, bell.outcome_score) == (("sound",), T0, 0.5)
    assert memory.get("short").content == "A whole learning in one line"
    assert [(each.place.rpartition("/")[2], each.why) for each in done.errors] == [
        ("bad.md:1", "an anchor is not read")
    ]
    assert done.added == 2
    (notes / "bell.md").write_text("# The bell\n\nRing it twice.\n")
    assert memory.import_from(notes)[0].changed == 1


def test_every_broken_line_is_told_and_the_good_ones_come_in(memory, folder):
    log(
        folder / "learnings.jsonl",
        learned(1, "Seals sleep on the pier"),
        b"{",
        b'{"op": "learning_upsert", "id": 2, "data": {"content": "\xff"}}',
        b'{"op": "learning_upsert", "id": 2, "ts": NaN}',
        b'"' + b"x" * (MAX_LINE + 10) + b'"',
        [1],
        told("learning_upsert", 3, data={"content": ["no"]}),
        told("learning_upsert", 4, data={"content": " "}),
        told("learning_upsert", 5, "whenever", {"content": "x"}),
        told("sing", 6),
        {"op": "dep_add", "blockerId": "tx-1"},
        told("upsert", "no id!", data={"title": "t"}),
        learned(7, "Seals wake at noon"),
    )
    (done,) = memory.import_from(folder)
    assert done.added == 2
    lines = sorted(int(each.place.rpartition(":")[2]) for each in done.errors)
    assert lines == [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]


def test_halves_of_characters_and_endless_ids_stop_nothing(memory, folder):
    log(
        folder / "learnings.jsonl",
        b'{"op": "learning_upsert", "id": 1, "contentHash": "\\ud800",'
        b' "data": {"content": "half \\udfff a character"}}',
        learned(2, "An id without end", hashed="h" * 5000),
        {"op": "pin_upsert", "id": "p" * 300, "data": {"content": "A long name"}},
        told("upsert", "tx-\ud800", data={"title": "Odd", "parentId": "\ud800"}),
        learned(3, "Seals sleep on the pier"),
    )
    (done,) = memory.import_from(folder)
    assert sorted(each.content for each in memory.listing()) == [
        "Seals sleep on the pier",
        "half \ufffd a character",
    ]
    assert sorted(int(each.place.rpartition(":")[2]) for each in done.errors) == [2, 3, 4]


def test_a_corrupt_database_does_not_stop_the_logs(memory, folder):
    (folder / "tasks.db").write_bytes(b"SQLite format 3\x00" + b"\xff" * 5000)
    log(folder / "learnings.jsonl", learned(1, "Seals sleep on the pier"))
    (done,) = memory.import_from(folder)
    assert (done.added, len(done.errors)) == (1, 1)
    assert "not a readable database" in done.errors[0].why


def test_rows_of_wrong_types_are_told_by_table_and_number(memory, database):
    connection = apsw.Connection(str(database))
    connection.execute(
        "insert into learnings(id, content, created_at, usage_count) values (10, 'x', 'May', 0),"
        " (11, x'ff', null, 0), (12, 'many', null, -4), (13, null, null, 0);"
        "update tasks set score = 'high', metadata = '[' where id = 'tx-bbbbbb'"
    )
    connection.close()
    (done,) = memory.import_from(database)
    places = [each.place.rpartition(":")[2] for each in done.errors]
    assert places == [
        "learnings/10",
        "learnings/11",
        "learnings/12",
        "learnings/13",
        "tasks/tx-bbbbbb",
        "task_dependencies",
    ]
    assert done.added == 7


@pytest.mark.parametrize(
    "path", [".tx", ".tx/tasks.db", ".tx/pins.jsonl", ".tx/streams/01/events-1.jsonl"]
)
def test_the_path_tells_that_it_is_tx(folder, path, monkeypatch):
    monkeypatch.chdir(folder.parent)
    assert source_of(path).name == "tx"


def test_a_project_with_tx_in_it_gives_all_of_it(memory, database, tmp_path):
    (tmp_path / "docs" / "learnings").mkdir(parents=True)
    (tmp_path / "docs" / "learnings" / "a.md").write_text("# Coil ropes clockwise\n")
    done = memory.import_from(tmp_path, "tx")
    assert [each.added for each in done] == [7, 1]


def test_nothing_outside_the_folder_is_read(memory, folder, tmp_path):
    log(tmp_path / "elsewhere.jsonl", learned(1, "Secret of another place"))
    (folder / "learnings.jsonl").symlink_to(tmp_path / "elsewhere.jsonl")
    log(folder / "pins.jsonl", told("pin_upsert", "a", data={"content": "Ours"}))
    (done,) = memory.import_from(folder)
    assert [each.content for each in memory.listing()] == ["Ours"]
    assert done.errors == ()
