"""What tx kept comes in with numbers, times, links, counts and tasks; broken parts stop nothing."""

import json

import apsw
import pytest

from recairn.sources import sources_of
from recairn.sources.readers.files import MAX_LINE

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


def test_ranking_goes_on_with_the_outcomes_of_tx(memory, database):
    connection = apsw.Connection(str(database))
    connection.executemany(
        "insert into learnings(id, content, source_type, created_at, outcome_score)"
        f" values (?, ?, 'manual', '{TS}', ?)",
        [(11, "Seals doze on the east pier", 0.1), (12, "Seals doze on the west pier", 0.9)],
    )
    connection.close()
    memory.import_from(database)
    good = memory.get("tx-learning-12")
    assert (good.helpful, good.harmful, good.outcome_score) == (0.9, 0.1, 0.9)
    first, second = memory.search("seals doze pier").hits
    assert (first.id, first.terms["outcome"].value) == (good.id, pytest.approx(1.9 / 3))
    assert second.terms["outcome"].value == pytest.approx(1.1 / 3)


def test_what_a_run_left_is_given_to_agents_only_after_a_good_outcome(memory, database):
    connection = apsw.Connection(str(database))
    connection.execute(
        "insert into learnings(id, content, source_type, created_at, outcome_score)"
        f" values (10, 'Grease holds for a week', 'run', '{TS}', 0.8)"
    )
    connection.close()
    (would,) = memory.import_from(database, dry_run=True)
    (done,) = memory.import_from(database)
    assert would.unverified == done.unverified == 2  # with the pin, which is a rule
    assert memory.get("tx-learning-2").trust == "unverified"
    assert memory.get("tx-learning-10").trust == "attributed"
    assert memory.search("grease for a week", candidates=False).hits


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


WORK = f"""
create table runs (id text primary key, task_id text, agent text, started_at text, ended_at text,
  status text, exit_code integer, pid integer, transcript_path text, context_injected text,
  summary text, error_message text, metadata text);
create table docs (id integer primary key, hash text, kind text, name text, title text,
  version integer, status text, file_path text, parent_doc_id integer, created_at text,
  locked_at text, metadata text);
create table doc_links (id integer primary key, from_doc_id integer, to_doc_id integer,
  link_type text, created_at text);
create table task_doc_links (id integer primary key, task_id text, doc_id integer, link_type text,
  created_at text);
create table task_labels (id integer primary key, name text, color text);
create table task_label_assignments (task_id text, label_id integer);
create table decisions (id text primary key, content text, question text, status text, source text,
  commit_sha text, run_id text, task_id text, doc_id integer, review_note text,
  edited_content text, superseded_by text, created_at text);
create table invariants (id text primary key, rule text, enforcement text, doc_id integer,
  subsystem text, test_ref text, lint_rule text, prompt_ref text, status text, created_at text);
create table memory_documents (id text primary key, file_path text, root_dir text, title text,
  content text, frontmatter text, tags text, created_at text);
create table memory_links (id integer primary key, source_doc_id text, target_doc_id text,
  target_ref text, link_type text, created_at text);
alter table learnings add column run_id text;
update learnings set run_id = 'run-1' where id = 2;
insert into runs values ('run-1', 'tx-bbbbbb', 'tx-implementer', '{TS}', '2026-02-02T03:40:00Z',
  'completed', 0, 99, 'logs/run-1.jsonl', null, 'Greased the winch', null, '{{"branch": "winch"}}'),
  ('run-2', null, 'tx-tester', '{TS}', null, 'failed', 1, 8, null, null, null, 'no power', '{{}}');
insert into docs values (1, 'h', 'prd', 'PRD-001', 'Winch', 1, 'locked', 'prd/PRD-001.yml', null,
  '{TS}', null, '{{}}'), (2, 'h', 'design', 'DD-001', 'Winch motor', 1, 'locked',
  'design/DD-001.yml', null, '{TS}', null, '{{}}'), (3, 'h', 'design', 'DD-001', 'Winch motor', 2,
  'changing', 'design/DD-001.yml', 2, '{TS}', null, '{{}}'),
  (4, 'h', 'prd', 'PRD-666', 'Away', 1, 'locked', '{"../" * 9}etc/hostname', null, '{TS}', null,
  '{{}}');
insert into doc_links values (1, 1, 2, 'prd_to_design', '{TS}');
insert into task_doc_links values (1, 'tx-bbbbbb', 1, 'implements', '{TS}');
insert into task_labels values (7, 'iron', 'red');
insert into task_label_assignments values ('tx-bbbbbb', 7);
insert into decisions values ('dec-1', 'Use a motor', 'Motor or hand?', 'approved', 'agent', 'abc',
  'run-1', 'tx-bbbbbb', 2, 'hands get cold', null, null, '{TS}'),
  ('dec-2', 'Use steam', null, 'rejected', 'agent', null, null, null, null, null, null, null,
  '{TS}'), ('dec-3', 'Use oxen', null, 'pending', 'agent', null, null, null, null, null, null, null,
  '{TS}'), ('dec-4', 'Use a rope', null, 'superseded', 'agent', null, null, null, null, null, null,
  'dec-1', '{TS}');
insert into invariants values ('INV-1', 'The brake holds without power', 'integration_test', 2,
  'brake', 'tests/brake.c', null, null, 'active', '{TS}');
insert into memory_documents values
  ('mem-1', 'knots.md', '/srv/notes', 'Knots', '# Knots' || char(10, 10) || 'Bowline first',
   '{{"category": "ropes"}}', '["rope"]', '{TS}'),
  ('mem-2', 'splice.md', '/srv/notes', 'Splice', 'Six tucks', null, null, '{TS}'),
  ('mem-3', 'a.md', '/srv/docs/learnings', 'Twice', 'Read from its file', null, null, '{TS}');
insert into memory_links values (1, 'mem-1', 'mem-2', 'splice', 'wikilink', '{TS}'),
  (2, 'mem-1', null, 'nowhere', 'wikilink', '{TS}');
"""


@pytest.fixture
def worked(database):
    connection = apsw.Connection(str(database))
    connection.execute(WORK)
    connection.close()
    (database.parent / "docs" / "design").mkdir(parents=True)
    (database.parent / "docs" / "design" / "DD-001.yml").write_text("kind: design\n")
    (database.parent / "docs" / "design" / "DD-001.md").write_text("# Motor\n\nTwelve volts\n")
    return database


def test_runs_are_sessions_that_know_what_they_made_and_used(memory, worked):
    (done,) = memory.import_from(worked.parent)
    assert done.errors == ()
    runs = {each.id: each for each in memory.sessions()}
    assert (runs["run-1"].agent, runs["run-1"].branch, runs["run-1"].summary) == (
        "tx-implementer",
        "winch",
        "Greased the winch",
    )
    assert (runs["run-1"].started_at, runs["run-1"].ended_at) == (T0, T0 + 3_600_000)
    assert runs["run-2"].summary == "failed: no power"
    assert memory.get("tx-learning-2").session_id == "run-1"
    assert done.besides["use"] == 3
    assert memory.import_from(worked.parent)[0].besides == {}


def test_docs_come_with_the_text_of_their_files_and_nothing_from_elsewhere(memory, worked):
    memory.import_from(worked.parent)
    design, prd = memory.get("DD-001"), memory.get("PRD-001")
    assert (design.kind, design.title, design.content) == (
        "note",
        "Winch motor",
        "# Motor\n\nTwelve volts",
    )
    assert design.fields == {"note_type": "design", "summary": "version 2, changing"}
    assert (prd.content, memory.get("PRD-666").content) == ("Winch", "Away")
    linked = {(each.source, each.relation, each.target) for each in memory.graph()[1]}
    assert (design.id, "implements", prd.id) in linked
    assert memory.task("tx-bbbbbb").metadata["docs"] == ["PRD-001"]
    assert memory.task("tx-bbbbbb").metadata["labels"] == ["iron"]
    (again,) = memory.import_from(worked.parent)
    assert (again.added, again.changed) == (0, 0)


def test_decisions_keep_what_became_of_them(memory, worked):
    memory.import_from(worked.parent)
    motor = memory.get("dec-1")
    assert (motor.kind, motor.title, motor.session_id) == ("decision", "Motor or hand?", "run-1")
    assert motor.fields == {"rationale": "hands get cold", "type": "agent", "git_commit": "abc"}
    assert memory.get("dec-4").superseded_by == motor.id
    assert memory.history("dec-2")[-1].reason == "rejected in tx"
    assert memory.get("dec-3").trust == "unverified"


def test_invariants_and_indexed_markdown_come_in_once(memory, worked):
    memory.import_from(worked.parent)
    brake, knots = memory.get("INV-1"), memory.get("mem-1")
    assert (brake.kind, brake.category, brake.keywords) == (
        "fact",
        "invariant/brake",
        ("integration_test", "tests/brake.c"),
    )
    assert (knots.title, knots.content, knots.category, knots.keywords) == (
        "Knots",
        "Bowline first",
        "ropes",
        ("rope",),
    )
    linked = {(each.source, each.relation, each.target) for each in memory.graph()[1]}
    assert (knots.id, "relates_to", memory.get("mem-2").id) in linked
    assert "Read from its file" not in [each.content for each in memory.listing(limit=100)]


DOC = {"kind": "prd", "name": "PRD-7", "title": "Bell", "version": 1, "status": "changing",
       "filePath": "prd/PRD-7.yml", "hash": "h", "metadata": {}}  # fmt: skip
WORK_LOG = (
    told("doc_upsert", 1, data=DOC, contentHash="d1"),
    told("doc_upsert", 2, data={**DOC, "name": "DD-7", "kind": "design"}, contentHash="d2"),
    told("doc_link_upsert", 3, contentHash="l1", data={
        "fromDocKey": "PRD-7:1", "toDocKey": "DD-7:1", "linkType": "prd_to_design"}),
    told("task_doc_link_upsert", 4, contentHash="l2", data={
        "taskId": "tx-c", "docKey": "PRD-7:1", "linkType": "implements"}),
    told("invariant_upsert", "INV-7", contentHash="i1", data={
        "id": "INV-7", "rule": "It rings", "enforcement": "linter", "docKey": "DD-7:1"}),
    told("label_upsert", 5, contentHash="b1", data={"name": "Loud", "color": "red"}),
    {"v": 1, "op": "label_assignment_upsert", "ts": TS, "contentHash": "b2",
     "data": {"taskId": "tx-c", "labelName": "Loud"}},
    told("decision_upsert", "dec-7", contentHash="c1", data={
        "content": "Cast it in bronze", "status": "approved", "question": None}),
    told("decision_upsert", "dec-8", contentHash="c1", data={
        "content": "Cast it in brass", "status": "superseded", "supersededBy": "dec-7"}),
    told("upsert", "tx-c", data={"title": "Hang the bell", "status": "ready"}),
)  # fmt: skip


def test_events_of_a_stream_are_read_through_their_envelopes(memory, folder):
    events = [
        {"event_id": f"01{number}", "seq": number, "ts": TS, "v": 2, "type": "any", "payload": each}
        for number, each in enumerate(WORK_LOG)
    ]
    log(folder / "streams" / "01HX" / "events-2026-03-01.jsonl", *events)
    (done,) = memory.import_from(folder)
    assert (done.errors, done.added, done.besides) == ((), 5, {"task": 1, "edge": 1})
    assert memory.task("tx-c").metadata == {
        "original_status": "ready",
        "labels": ["Loud"],
        "docs": ["PRD-7"],
    }
    assert memory.get("dec-8").superseded_by == memory.get("dec-7").id
    bell = memory.get("INV-7").id
    assert (bell, "part_of", memory.get("DD-7").id) in {
        (each.source, each.relation, each.target) for each in memory.graph()[1]
    }


def test_hashes_of_newer_versions_are_known_to_mean_what_the_database_holds(memory, database):
    from hashlib import sha256

    def hashed(*parts):
        return sha256("|".join(parts).encode()).hexdigest()

    terns = "Terns nest on the slipway in May"
    log(
        database.parent / "learnings.jsonl",
        learned(1, terns, hashed=hashed(terns, "manual")),
        told(
            "attempt_upsert",
            4,
            data={"taskId": "tx-bbbbbb", "approach": "Heat the winch", "outcome": "failed"},
            contentHash=hashed("tx-bbbbbb", "Heat the winch"),
        ),
    )
    (done,) = memory.import_from(database.parent)
    assert (done.errors, done.added) == ((), 7)


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
    assert [(each.place.rpartition("/")[2], each.reason) for each in done.errors] == [
        ("bad.md:1", "an anchor is not read")
    ]
    assert done.added == 2
    (notes / "bell.md").write_text("# The bell\n\nRing it twice.\n")
    assert memory.import_from(notes)[0].changed == 1


def write_note(folder, name, *front, heading="", body=""):
    folder.mkdir(parents=True, exist_ok=True)
    above = "\n".join(("---", *front, "---", "")) if front else ""
    (folder / name).write_text(f"{above}\n# {heading}\n\n{body}\n")


@pytest.fixture
def notes(tmp_path):
    return tmp_path / "docs" / "learnings"


def test_markdown_learnings_keep_source_trust_rating_and_links(memory, notes):
    write_note(
        notes, "wrap-0221a8.md", "source_type: run", "source_ref: run-1", 'outcome_score: "0.9"',
        heading="Wrap inserts 0221a8", body="Wrap inserts in one transaction",
    )  # fmt: skip
    write_note(
        notes, "index-f67228.md", "source_type: run", "related: [wrap-0221a8]",
        heading="Index foreign keys f67228",
        body="Index foreign keys, see [[Mind the locks]] and [[nowhere]]",
    )  # fmt: skip
    write_note(notes, "locks.md", heading="Mind the locks", body="A lock waits for nobody")
    (done,) = memory.import_from(notes)
    assert (done.errors, done.added, done.linked, done.unverified) == ((), 3, 2, 1)
    wrap, index = memory.get("wrap-0221a8"), memory.get("index-f67228")
    assert (wrap.source_type, wrap.source_ref, wrap.trust) == ("run", "run-1", "attributed")
    assert (wrap.outcome_score, index.trust) == (0.9, "unverified")
    # The titles that tx makes repeat the text; those that somebody wrote stay.
    assert (wrap.title, index.title, memory.get("locks").title) == ("", "", "Mind the locks")
    linked = {(edge.source, edge.target) for edge in memory.graph()[1]}
    assert linked == {(index.id, wrap.id), (index.id, memory.get("locks").id)}


def test_indexed_learnings_are_found_by_the_ids_tx_gave_them(memory, worked, notes):
    write_note(notes, "a.md", heading="Anchors", body="Drop the anchor slowly")
    connection = apsw.Connection(str(worked))
    front = "---\ntags: [ops]\n---\n\n# Ropes\n\nSee [[Anchors]]"
    connection.execute(
        "insert into memory_documents(id, file_path, root_dir, title, content, created_at)"
        " values ('mem-9', 'ropes.md', '/srv/notes', 'Ropes', ?, ?)",
        (front, TS),
    )
    connection.execute(
        "insert into memory_links values (9, 'mem-9', 'mem-3', 'Anchors', 'wikilink', ?)", (TS,)
    )
    connection.close()
    done = memory.import_from(worked.parent)
    assert [each.errors for each in done] == [(), ()]
    ropes, anchors = memory.get("mem-9"), memory.get("mem-3")
    assert (ropes.content, anchors.content) == ("See [[Anchors]]", "Drop the anchor slowly")
    assert (ropes.id, anchors.id) in {(edge.source, edge.target) for edge in memory.graph()[1]}
    assert [each.added for each in memory.import_from(worked.parent)] == [0, 0]


def test_runs_may_stand_in_a_file_of_plain_lines(memory, folder):
    log(
        folder / "runs.jsonl",
        {"id": "run-1", "task_id": "tx-1", "agent": "tx-tester", "started_at": TS, "pid": 7,
         "status": "running"},
        {"id": "run-1", "task_id": "tx-1", "agent": "tx-tester", "started_at": TS, "pid": 7,
         "status": "completed", "ended_at": "2026-02-02T03:40:00Z"},
    )  # fmt: skip
    log(folder / "archive" / "run-1" / "transcript.jsonl", {"type": "user", "message": "hello"})
    (done,) = memory.import_from(folder)
    assert (done.errors, done.besides) == ((), {"session": 1})
    assert [(each.things, each.count) for each in done.left_out] == [
        ("files", 1),
        ("earlier log entries", 1),
    ]
    (run,) = memory.sessions()
    assert (run.agent, run.ended_at) == ("tx-tester", T0 + 3_600_000)


def test_docs_of_newer_versions_are_named_by_id_and_version(memory, folder):
    log(
        folder / "streams" / "01HX" / "events-2026-03-01.jsonl",
        told("doc_upsert", 1, data={**DOC, "docId": "doc-1"}, contentHash="d1"),
        told("doc_upsert", 2, data={**DOC, "docId": "doc-1", "version": 2}, contentHash="d2"),
        told("doc_upsert", 3, data={**DOC, "docId": "doc-9", "name": "DD-7"}, contentHash="d3"),
        told("doc_link_upsert", 4, contentHash="l1", data={
            "fromDocKey": "doc-1:1", "toDocKey": "doc-9:1", "linkType": "prd_to_design"}),
        told("doc_link_upsert", 5, contentHash="l2", data={
            "fromDocKey": "doc-1:1", "toDocKey": "doc-404:1", "linkType": "prd_to_design"}),
        told("claim_upsert", 6, data={"taskId": "tx-c"}),
    )  # fmt: skip
    (done,) = memory.import_from(folder)
    assert (done.errors, done.added, done.besides) == ((), 2, {"edge": 1})
    assert {(each.things, each.count) for each in done.left_out} == {
        ("earlier versions of docs", 1),
        ("links of docs", 1),
        ("claim entries", 1),
    }


def test_an_edited_learning_replaces_the_one_of_its_number(memory, folder):
    before = "Seals sleep on the long pier at noon"
    after = "Seals sleep on the short pier at noon"
    log(folder / "learnings.jsonl", learned(218, before, hashed="a"), learned(219, "Terns nest"))
    memory.import_from(folder)
    log(
        folder / "learnings.jsonl",
        learned(218, before, hashed="a"),
        learned(219, "Terns nest"),
        learned(218, after, "2026-03-01T00:00:00Z", hashed="b"),
    )
    (done,) = memory.import_from(folder)
    assert (done.added, done.changed, done.unchanged, done.gone) == (0, 1, 1, ())
    assert memory.get("tx-learning-218").content == after
    assert sorted(each.content for each in memory.listing()) == [after, "Terns nest"]
    # The same where the file was written anew, without the old line.
    log(folder / "learnings.jsonl", learned(218, "No seals any more", hashed="c"))
    (done,) = memory.import_from(folder)
    assert (done.changed, [text for _, text in done.gone]) == (1, ["Terns nest"])


def test_a_file_merged_from_two_machines_has_two_things_of_one_number(memory, folder):
    log(
        folder / "learnings.jsonl",
        learned(1, "Seals sleep on the pier", hashed="a"),
        learned(1, "Nets dry in the shed", hashed="b"),
    )
    assert memory.import_from(folder)[0].added == 2


def test_a_learning_deleted_in_tx_is_told_and_forgotten_on_request(memory, folder):
    log(folder / "learnings.jsonl", learned(1, "Seals sleep"), learned(2, "Terns nest"))
    memory.import_from(folder)
    log(
        folder / "learnings.jsonl",
        learned(1, "Seals sleep"),
        learned(2, "Terns nest"),
        told("learning_delete", 2, "2026-03-01T00:00:00Z"),
    )
    (done,) = memory.import_from(folder)
    assert [text for _, text in done.gone] == ["Terns nest"]
    memory.import_from(folder, prune=True)
    assert [each.content for each in memory.listing()] == ["Seals sleep"]


def test_a_learning_of_a_log_is_known_again_in_the_database(memory, database):
    log(database.parent / "learnings.jsonl", learned(1, "Terns nest on the slipway in May"))
    memory.import_from(database.parent / "learnings.jsonl")
    (done,) = memory.import_from(database.parent)
    assert done.added == 6
    same = [each for each in memory.listing() if each.content.startswith("Terns nest")]
    assert len(same) == 1


def test_a_removed_note_is_told(memory, notes):
    write_note(notes, "a.md", heading="Anchors", body="Drop the anchor slowly")
    write_note(notes, "b.md", heading="Bells", body="Ring twice")
    memory.import_from(notes)
    (notes / "a.md").unlink()
    assert [text for _, text in memory.import_from(notes)[0].gone] == ["Anchors"]


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
    assert "not a readable database" in done.errors[0].reason


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
    assert [each.name for each in sources_of(path)] == ["tx"]


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
