"""Nothing of a source is dropped in silence: what an import says adds up to what was there.

Each format is given at least one record of every type its documents know, and each type says what
a record of it is counted as. What comes along with a record beyond that is said too.
"""

from __future__ import annotations

import json
from collections import Counter

import apsw
import pytest

from recairn.sources import SOURCES
from tests.sources import (
    test_beads,
    test_brain,
    test_ccmemory,
    test_engram,
    test_lore,
    test_transcripts,
    test_tx,
)

LEFT, MEMORY, TS = "left out", "memory", "2026-02-02T02:40:00Z"


class Account:
    """What a source holds: so many records of each type, and what they are counted as."""

    def __init__(self, path, source=None):
        self.path = path
        self.source = source
        self.records = self.along = 0
        self.expected: Counter[str] = Counter()

    def holds(self, number, counted_as, **along):
        """So many records; `along` is what comes with them beyond their own counts."""
        self.records += number
        self.expected[counted_as] += number
        self.expected.update(along)
        self.along += sum(along.values())


def counted(summary):
    """The counts of an answer, by what a record may have become."""
    counts = Counter({shape: many for shape, many in summary.besides.items() if many})
    counts[MEMORY] = sum(
        getattr(summary, name)
        for name in ("added", "changed", "unchanged", "known", "forgotten", "restored")
    )
    counts["linked"] = summary.linked
    counts["failed"] = summary.failed
    counts[LEFT] = sum(omission.count for omission in summary.left_out)
    return +counts


def jsonl(path, *rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def text(path, words):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(words)
    return path


def database(path, *scripts):
    path.parent.mkdir(parents=True, exist_ok=True)
    connection = apsw.Connection(str(path))
    for script in scripts:
        connection.execute(script)
    connection.close()
    return path


def rows_in(path, table):
    connection = apsw.Connection(str(path))
    count = connection.execute(f"select count(*) from {table}").get
    connection.close()
    return count


# The formats


def tx(folder):
    path = database(
        folder / ".tx" / "tasks.db",
        test_tx.SCHEMA,
        test_tx.ROWS,
        test_tx.WORK,
        "create table events (id integer, what text); insert into events values (1, 'run.began');"
        "create table memory_properties (id integer, doc_id text, key text, value text);"
        "insert into memory_properties values (1, 'mem-1', 'category', 'ropes');"
        "insert into learning_edges values (8, 'ANCHORED_TO', 'learning', '1', 'file', 'a.c', 1,"
        f" '{{}}', '{TS}', null)",
    )
    jsonl(
        folder / ".tx" / "learnings.jsonl",
        test_tx.learned(9, "Only the log knows of the seals", hashed="s"),
        test_tx.learned(9, "Only the log knows of the seals", hashed="s"),
        test_tx.told("claim_upsert", 1, data={"taskId": "tx-aaaaaa"}),
        test_tx.told("pin_upsert", "tides", data={"content": "Read the tide table first"}),
    )
    jsonl(folder / ".tx" / "runs.jsonl", {"id": "run-9", "started_at": TS, "agent": "a"})
    account = Account(folder / ".tx")
    for table, shape in {
        "learnings": MEMORY,
        "file_learnings": MEMORY,
        "attempts": MEMORY,
        "context_pins": MEMORY,
        "invariants": MEMORY,
        "learning_anchors": LEFT,
        "task_doc_links": LEFT,
        "task_labels": LEFT,
        "task_label_assignments": LEFT,
        "events": LEFT,
        "memory_properties": LEFT,
        "runs": "session",
        "doc_links": "edge",
        "tasks": "task",
        "task_dependencies": "dependency",
        "learnings_config": "setting",
    }.items():
        account.holds(rows_in(path, table), shape)
    account.holds(0, MEMORY, use=1, linked=1)  # a learning of a run; an invariant of a doc
    account.holds(1, "compaction", memory=1)
    account.holds(4, MEMORY, use=1, linked=1)  # decisions: one of a run, one superseded
    account.holds(3, MEMORY)  # docs, and an earlier version of one
    account.holds(1, LEFT)
    account.holds(2, MEMORY)  # indexed markdown, and one of docs/learnings
    account.holds(1, LEFT)
    account.holds(1, "edge")  # links of those, and one that leads nowhere
    account.holds(1, LEFT)
    account.holds(1, "edge")  # edges: between learnings, of a run, to a file
    account.holds(1, "access", use=1)
    account.holds(1, LEFT)
    account.holds(1, MEMORY)  # the log: a learning told twice, a claim, what the database has
    account.holds(3, LEFT)
    account.holds(1, "session")
    return account


def lore(folder):
    home = folder / "lore"
    said, put, lines = test_lore.decision, test_lore.put, test_lore.lines
    lines(
        home / "journal" / "data" / "decisions.jsonl",
        said("dec-1", "Keep cod in tin", session_id=None),
        said("dec-1", "Keep cod in oak", session_id=None),
        said("dec-2", "Keep eel in brine", related_decisions=["dec-1"]),
    )
    put(home / "patterns" / "data" / "patterns.yaml", test_lore.PATTERNS)
    put(
        home / "patterns" / "data" / "concepts.yaml",
        "concepts:\n  - {id: con-1, name: Brine, definition: Salt water, grounded_by: [dec-2]}\n",
    )
    flag = {"type": "harmful", "reason": "slow", "timestamp": TS}
    lines(
        home / "patterns" / "data" / "flags.jsonl",
        {**flag, "pattern_id": "pat-1"},
        {**flag, "pattern_id": "pat-none"},
    )
    failed = {"id": "fail-1", "timestamp": TS, "error_type": "Timeout", "error_message": "No ice"}
    lines(home / "failures" / "data" / "failures.jsonl", failed)
    missed = {"id": "sf-1", "timestamp": TS, "query": "fish box"}
    lines(home / "failures" / "data" / "search-failures.jsonl", missed)
    seen = {"timestamp": TS, "source": "walk", "status": "raw", "tags": []}
    lines(home / "inbox" / "data" / "observations.jsonl", {**seen, "id": "o", "content": "Gulls"})
    lines(home / "inbox" / "data" / "signals.jsonl", {**seen, "id": "s", "content": "Smoke"})
    proof = {**seen, "id": "evi-1", "content": "Ice melts", "confidence": "confirmed"}
    lines(home / "evidence" / "data" / "evidence.jsonl", {**proof, "cited_by": ["dec-1"]})
    sessions = home / "transfer" / "data" / "sessions"
    put(sessions / "session-1.json", json.dumps(test_lore.SESSION))
    put(sessions / "session-example.json", "{}")
    put(home / "journal" / "data" / "schema.json", "{}")
    put(home / "graph" / "data" / "graph.json", json.dumps(test_lore.full_graph()))
    put(home / "intent" / "data" / "goals" / "goal-1.yaml", test_lore.GOAL.replace("goal-2", ""))
    put(home / "registry" / "data" / "metadata.yaml", test_lore.REGISTRY)
    used = {"record_type": "decision", "accessed_at": "2026-02-03 10:00:00"}
    lines(home / "access_log.jsonl", {**used, "record_id": "dec-1"}, {**used, "record_id": "x"})
    lines(home / "notes.jsonl", {"x": 1})
    account = Account(home)
    account.holds(2, MEMORY, session=1, use=1, linked=1)  # decisions, one of a session
    account.holds(1, LEFT)
    account.holds(4, MEMORY, linked=1)  # patterns, an anti-pattern, a concept
    account.holds(1, "feedback")
    account.holds(1, LEFT)
    account.holds(1, MEMORY)  # a failure
    account.holds(1, "miss")
    account.holds(3, MEMORY, linked=1)  # observation, signal, evidence
    account.holds(
        1, "session", memory=1, use=2, **{LEFT: 1}
    )  # with its handoff; one use is of none
    account.holds(2, LEFT)  # an example, a schema
    account.holds(7, MEMORY)  # nodes of the graph, and one whose record is not there
    account.holds(1, LEFT)
    account.holds(5, "edge")  # edges, of which three have an end that is not there, or are ended
    account.holds(3, LEFT)
    account.holds(1, "task")
    account.holds(1, LEFT)  # the registry
    account.holds(1, "access")
    account.holds(2, LEFT)  # a use of nothing; a file that nobody knows
    return account


def brain(folder):
    path = database(
        folder / "core.db",
        test_brain.SCHEMA,
        *test_brain.ROWS,
        f"""
        create table memory_history (id text, memory_id text, operation text, content_before text,
          content_after text, reason text, changed_at text);
        insert into memory_history values
          ('h1', 'm1', 'updated', 'The mill turns', 'x', '', '{TS}'),
          ('h2', 'm2', 'superseded', '', '', 'wrong', '{TS}'), ('h3', 'm1', 'created', '', 'x', '',
          '{TS}'), ('h4', 'm-gone', 'updated', 'Gone before', 'x', '', '{TS}');
        create table handoffs (id text, title text, status text, project text, created_at text);
        insert into handoffs values ('ho1', 'To the next', 'open', 'mill', '{TS}');
        create table handoff_entries (id text, handoff_id text, type text, content text,
          seq integer, from_client text, created_at text);
        insert into handoff_entries values ('x1', 'ho1', 'task', 'Oil it', 1, 'a', '{TS}');
        create table daily_log_items (id text, item_type text, content text, status text,
          promoted_to_id text, importance integer, created_at text);
        insert into daily_log_items values
          ('d1', 'decision', 'Grind finer', 'open', null, 4, '{TS}'),
          ('d2', 'decision', 'Grind coarser', 'promoted', 'm1', 4, '{TS}');
        create table pain_points (id text, description text, context text, resolution text,
          severity text, status text, created_at text);
        insert into pain_points values ('p1', 'Dust', 'dry', 'water', 'low', 'open', '{TS}');
        create table timeline_events (id text, title text);
        insert into timeline_events values ('t1', 'Built');
        create table templates (id text, body text);
        insert into templates values ('t1', 'Dear'), ('t2', 'Sir');
        """,
    )
    account = Account(path)
    account.holds(5, MEMORY, linked=2)  # one superseded, one of a project
    account.holds(1, MEMORY)  # an entity
    account.holds(1, "edge")  # links: one of them to an event
    account.holds(1, LEFT)
    account.holds(2, MEMORY, linked=3)  # notes: of a project, about it, below another
    account.holds(1, MEMORY)  # a resource
    account.holds(1, "setting")
    account.holds(1, "query")
    account.holds(1, "session")
    account.holds(1, MEMORY, linked=1)  # history: what a memory said before
    account.holds(3, LEFT)
    account.holds(1, MEMORY)  # a handoff and its entry
    account.holds(1, LEFT)
    account.holds(1, MEMORY)  # items of a daily log
    account.holds(1, LEFT)
    account.holds(1, MEMORY)  # a pain point
    account.holds(3, LEFT)  # events and templates
    return account


def ccmemory(folder):
    made = test_ccmemory
    path = folder / "memories.db"
    connection = apsw.Connection(str(path))
    connection.create_scalar_function("libsql_vector_idx", lambda *_: None, deterministic=True)
    connection.execute(made.TABLES)
    insert = made.insert
    insert(connection, "projects", id="p1", path="/srv/skerry", name=None)
    insert(connection, "sessions", id="w", project_id="p1", started_at=made.T0)
    for number in (1, 2):
        insert(connection, "memories", **made.row(f"m{number}", f"Horn number {number}"))
    insert(connection, "memories", **made.row("m3", "A deleted horn", is_deleted=1))
    used = {"session_id": "w", "memory_id": "m1", "created_at": made.T0, "usage_type": "recalled"}
    insert(connection, "session_memories", **used)
    insert(connection, "entities", id="e1", name="Fog horn", entity_type="thing")
    insert(connection, "memory_entities", memory_id="m1", entity_id="e1", role="subject")
    related = {"source_memory_id": "m1", "target_memory_id": "m2", "created_at": made.T0}
    insert(connection, "memory_relationships", id="r", relationship_type="CONFIRMS", **related)
    connection.execute("create table documents (id text); insert into documents values ('d')")
    connection.execute("insert into memory_vectors(memory_id, dim) values ('m1', 3)")
    connection.close()
    account = Account(path)
    account.holds(1, LEFT)  # a project: its name is in its memories
    account.holds(1, "session")
    account.holds(3, MEMORY)
    account.holds(1, "use")
    account.holds(1, MEMORY)  # an entity
    account.holds(2, "edge")  # a mention, a relationship
    account.holds(2, LEFT)  # a document, a vector
    return account


def engram(folder):
    made = test_engram
    path = folder / "memory.sqlite"
    connection = apsw.Connection(str(path))
    connection.execute(made.TABLES)
    made.insert(connection, "Memory", **made.said(1, "The stairs have 181 steps", episodeId=3))
    made.insert(connection, "Memory", **made.said(2, "Step 40 is loose"))
    made.insert(connection, "Edge", sourceId=2, targetId=1, relation="part_of", createdAt=made.T0)
    made.insert(connection, "Episode", id=3, title="Climb", project="puffin", startedAt=made.T0)
    made.insert(connection, "Checkpoint", id=4, title="Mend it", project="puffin", status="active")
    connection.execute("create table Topic (id integer); insert into Topic values (1), (2)")
    connection.close()
    account = Account(path)
    account.holds(2, MEMORY, use=1)
    account.holds(1, "edge")
    account.holds(1, "session")
    account.holds(1, "task")
    account.holds(2, LEFT)
    return account


def mem0(folder):
    rows = [{"id": f"m{n}", "memory": f"Ada rows at {n}", "user_id": "ada"} for n in (5, 6)]
    relations = [{"source": "ada", "relationship": "rows", "target": "skiff"}]
    path = text(folder / "mem0.json", json.dumps({"results": rows, "relations": relations}))
    account = Account(path)
    account.holds(2, MEMORY)
    account.holds(1, LEFT)
    return account


def mcp_memory(folder):
    path = jsonl(
        folder / "memory.jsonl",
        {"type": "entity", "name": "Ada", "entityType": "person", "observations": ["rows"]},
        {"type": "entity", "name": "Skiff", "entityType": "boat", "observations": []},
        {"type": "relation", "from": "Ada", "to": "Skiff", "relationType": "owns"},
    )
    account = Account(path)
    account.holds(2, MEMORY, memory=1, linked=1)
    account.holds(1, "edge")
    return account


def adr(folder):
    decisions = folder / "docs" / "adr"
    text(decisions / "0001-oak.md", "# 1. Oak\n\n## Status\n\nAccepted\n\n## Decision\n\nUse oak\n")
    text(decisions / "0002-elm.md", "# 2. Elm\n\n## Status\n\nSupersedes 1\n\n## Decision\n\nElm\n")
    text(decisions / "README.md", "# Records\n")
    account = Account(decisions)
    account.holds(2, MEMORY, linked=1)
    account.holds(1, LEFT)
    return account


def beads(folder):
    issue, on = test_beads.issue, test_beads.on
    path = jsonl(
        folder / ".beads" / "issues.jsonl",
        issue("bd-1", "Buy oakum"),
        issue("bd-1", "Buy more oakum"),
        issue("bd-2", "Caulk", dependencies=[on("bd-1")]),
    ).parent
    account = Account(path)
    account.holds(2, "task", dependency=1)
    account.holds(1, LEFT)
    return account


def claude_md(folder):
    path = text(folder / "CLAUDE.md", "# Us\n\n- Never sleep\n- Use oak\n\n@docs/more.md\n")
    account = Account(path)
    account.holds(2, MEMORY)
    account.holds(1, LEFT)
    return account


def claude_memory(folder):
    kept = folder / "memory"
    text(kept / "oil.md", "---\nname: oil\ntype: feedback\n---\n\nNever use paraffin\n")
    text(kept / "MEMORY.md", "# Memory\n\n- [Oil](oil.md)\n- The key hangs behind the clock\n")
    account = Account(kept)
    account.holds(1, MEMORY)  # a fact
    account.holds(1, LEFT)  # the index: a line that leads to it, and one of its own
    account.holds(1, MEMORY)
    return account


def transcripts(folder):
    path = jsonl(folder / "5e55-a.jsonl", *test_transcripts.NIGHT)
    account = Account(path)
    account.holds(3, LEFT, memory=2, use=2)  # prompts, with what was found in them
    account.holds(len(test_transcripts.NIGHT) - 3, LEFT)
    account.holds(0, LEFT, session=1, conversation=1)
    return account


def jsonl_drafts(folder):
    path = jsonl(
        folder / "drafts.jsonl",
        {"content": "Eels are smoked over alder", "kind": "fact", "external_id": "1"},
        {"content": "Ropes are tarred in autumn"},
        {"content": "A field nobody knows", "colour": "red"},
    )
    account = Account(path, "jsonl")
    account.holds(2, MEMORY)
    account.holds(1, "failed")
    return account


ACCOUNTS = {
    "transcripts": transcripts,
    "claude-memory": claude_memory,
    "claude-md": claude_md,
    "tx": tx,
    "beads": beads,
    "lore": lore,
    "brain": brain,
    "adr": adr,
    "mem0": mem0,
    "mcp-memory": mcp_memory,
    "ccmemory": ccmemory,
    "engram": engram,
    "jsonl": jsonl_drafts,
}


def test_every_format_gives_an_account():
    assert ACCOUNTS.keys() == SOURCES.keys()


@pytest.mark.parametrize("name", ACCOUNTS)
def test_what_an_import_says_adds_up_to_what_was_there(memory, tmp_path, name):
    account = ACCOUNTS[name](tmp_path)
    (done,) = memory.import_from(account.path, account.source)
    assert done.source == name
    counts = counted(done)
    assert (counts, list(done.warnings)) == (+account.expected, []), done.left_out
    assert counts.total() - account.along == account.records
    (again,) = memory.import_from(account.path, account.source)
    assert (again.added, again.changed, again.besides) == (0, 0, {})
    assert (again.unchanged, again.left_out) == (counts[MEMORY], done.left_out)
    assert again.besides_unchanged == sum(done.besides.values())
    assert memory.verify().problems == ()


@pytest.mark.parametrize("name", ACCOUNTS)
def test_a_dry_run_says_the_same(memory, tmp_path, name):
    account = ACCOUNTS[name](tmp_path)
    (would,) = memory.import_from(account.path, account.source, dry_run=True)
    (done,) = memory.import_from(account.path, account.source)
    assert counted(would)[MEMORY] == counted(done)[MEMORY]
    assert (would.besides, would.left_out) == (done.besides, done.left_out)
