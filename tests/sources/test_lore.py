"""What Lore kept in flat files comes in, the latest line of each id, with graph and access log."""

import json

import apsw
import pytest

from recairn.sources import sources_of
from recairn.sources.readers.files import MAX_LINE

T0 = 1_770_000_000_000  # 2026-02-02T02:40:00Z
TS = "2026-02-02T02:40:00Z"

PATTERNS = """\
# Lore patterns
patterns:
  - id: "pat-1"
    name: "Weigh the catch twice"
    context: "market days"
    problem: "scales drift"
    solution: |
      Weigh it, turn the scale,
      weigh it again.
    category: "trade"
    origin: "session-2026-02-02"
    confidence: 0.7
    validations: 3
    created_at: "2026-02-02T02:40:00Z"
    examples:
      - bad: "one weighing"
      - good: "two weighings"
  - id: "pat-2"
    name: "[DEPRECATED] Sell before noon"
    problem: "heat"
    solution: "hurry"
    confidence: 0
    created_at: "2026-02-02T02:40:00Z"
anti_patterns:
  - id: "anti-1"
    name: "Selling by eye"
    symptom: "angry customers"
    risk: "fines"
    fix: "use the scale"
    category: "trade"
    severity: "high"
    created_at: "2026-02-02T02:40:00Z"
"""


def decision(name, said, **more):
    return {
        "id": name,
        "timestamp": TS,
        "session_id": "session-07",
        "decision": said,
        "rationale": "cheaper",
        "alternatives": ["tin", "glass"],
        "outcome": "successful",
        "type": "implementation",
        "entities": ["cooper"],
        "tags": ["storage", "barrels"],
        "lesson_learned": "",
        "related_decisions": [],
        "git_commit": None,
        "valid_at": None,
        "spec_quality": 0.85,
        "status": "active",
        "superseded_by": None,
        **more,
    }


def lines(path, *records):
    path.parent.mkdir(parents=True, exist_ok=True)
    raw = [each if isinstance(each, bytes) else json.dumps(each).encode() for each in records]
    path.write_bytes(b"\n".join(raw) + b"\n")


SESSION = {
    "id": "session-20260202-024000-aabbccdd",
    "started_at": TS,
    "ended_at": "2026-02-02T06:00:00Z",
    "summary": "Counted the barrels",
    "goals_addressed": ["stocktaking"],
    "decisions_made": [],
    "patterns_learned": [],
    "open_threads": ["find barrel nine"],
    "handoff": {
        "message": "Nine barrels, one leaks",
        "next_steps": ["mend it"],
        "blockers": [],
        "questions": ["who has pitch?"],
        "created_at": "2026-02-02T06:00:00Z",
    },
    "git_state": {"branch": "stock", "commits": ["abc"], "uncommitted": [], "stash_count": 0},
    "context": {"active_files": ["list.txt"], "environment": {"pwd": "/home/me/market"}},
    "related": {"journal_entries": ["dec-1", "dec-lost"], "patterns": ["pat-1"], "goals": []},
}
GRAPH = {
    "nodes": {
        "decision-f6": {"type": "decision", "name": "x", "data": {"journal_id": "dec-1"}},
        "decision-f7": {"type": "decision", "name": "dec-2", "data": {}},
        "pattern-a1": {"type": "pattern", "name": "pat-1", "data": {}},
        "file-66": {"type": "file", "name": "list.txt", "data": {}},
    },
    "edges": [
        {"from": "decision-f6", "to": "pattern-a1", "relation": "yields", "weight": 0.8,
         "bidirectional": False, "status": "active", "created_at": TS},
        {"from": "decision-f6", "to": "file-66", "relation": "references", "weight": 1},
        {"from": "decision-f7", "to": "decision-f6", "relation": "contains", "weight": 1},
    ],
}  # fmt: skip


@pytest.fixture
def home(tmp_path):
    data = tmp_path / "lore"
    lines(
        data / "journal" / "data" / "decisions.jsonl",
        decision("dec-1", "Keep cod in tin"),
        decision("dec-2", "Keep eel in brine", related_decisions=["dec-1"], lesson_learned="salt"),
        decision("dec-1", "Keep cod in oak barrels"),
        decision("dec-3", "Sell on Sundays", status="retracted"),
        decision("dec-4", "Use one scale", status="superseded", superseded_by="dec-5"),
        decision("dec-5", "Use two scales"),
    )
    (data / "patterns" / "data").mkdir(parents=True)
    (data / "patterns" / "data" / "patterns.yaml").write_text(PATTERNS)
    (data / "patterns" / "data" / "concepts.yaml").write_text(
        f"concepts:\n  - {{id: con-1, name: Brine, definition: Salt water for eels,"
        f' grounded_by: [dec-2], created_at: "{TS}", source: manual}}\n'
    )
    lines(
        data / "failures" / "data" / "failures.jsonl",
        {"id": "fail-1", "timestamp": TS, "error_type": "Timeout", "error_message": "No ice came",
         "tool": "Bash", "step": 3},
    )  # fmt: skip
    lines(
        data / "failures" / "data" / "search-failures.jsonl",
        {"id": "sf-1", "timestamp": TS, "failure_type": "semantic_miss", "query": "fish box"},
    )
    lines(
        data / "inbox" / "data" / "observations.jsonl",
        {"id": "obs-1", "timestamp": TS, "source": "walk", "content": "Gulls follow the ice cart",
         "status": "raw", "tags": ["gulls"]},
        {"id": "obs-2", "timestamp": TS, "source": "walk", "content": "Rain", "status": "discarded",
         "tags": []},
    )  # fmt: skip
    sessions = data / "transfer" / "data" / "sessions"
    sessions.mkdir(parents=True)
    (sessions / f"{SESSION['id']}.json").write_text(json.dumps(SESSION))
    (sessions / "session-example.json").write_text("{}")
    (sessions / "session-1.compressed.json").write_text("{}")
    (data / "graph" / "data").mkdir(parents=True)
    (data / "graph" / "data" / "graph.json").write_text(json.dumps(GRAPH))
    lines(
        data / "access_log.jsonl",
        {"record_type": "decision", "record_id": "dec-1", "accessed_at": "2026-02-03 10:00:00"},
    )
    return data


def test_everything_comes_in_and_a_second_run_adds_nothing(memory, home):
    (done,) = memory.import_from(home)
    assert (done.source, done.added, done.errors) == ("lore", 14, ())
    assert done.besides == {"session": 2, "use": 7, "miss": 1, "edge": 3, "access": 1}
    (again,) = memory.import_from(home)
    assert (again.added, again.changed, again.unchanged, again.besides) == (0, 0, 14, {})
    assert memory.verify().problems == ()


def test_the_latest_line_of_a_decision_holds_with_all_it_says(memory, home):
    memory.import_from(home)
    cod = memory.get("dec-1")
    assert (cod.content, cod.kind, cod.created_at) == ("Keep cod in oak barrels", "decision", T0)
    assert cod.fields["alternatives"] == ["tin", "glass"]
    assert (cod.category, cod.keywords, cod.confidence) == (
        "storage",
        ("storage", "barrels", "cooper"),
        0.85,
    )
    assert (cod.session_id, cod.superseded_by) == ("session-07", None)
    assert memory.get("dec-2").importance == 0.8
    assert memory.get("dec-4").superseded_by == memory.get("dec-5").id
    assert memory.history("dec-3")[-1].reason == "retracted in Lore"


def test_patterns_and_anti_patterns_keep_their_parts(memory, home):
    memory.import_from(home)
    weigh, eye = memory.get("pat-1"), memory.get("anti-1")
    assert weigh.fields == {
        "context": "market days",
        "problem": "scales drift",
        "solution": "Weigh it, turn the scale,\nweigh it again.",
        "good_example": "two weighings",
        "bad_example": "one weighing",
        "validations": 3,
    }
    assert (weigh.confidence, weigh.importance) == (0.7, 0.7)
    assert weigh.source_ref == "session-2026-02-02"
    assert (eye.fields["anti_pattern"], eye.fields["fix"], eye.importance) == (
        True,
        "use the scale",
        0.8,
    )
    assert memory.history("pat-2")[-1].reason == "deprecated in Lore"


def test_a_session_comes_with_its_handoff_and_times(memory, home):
    memory.import_from(home)
    (kept,) = (each for each in memory.sessions(all_projects=True) if each.id == SESSION["id"])
    assert (kept.project, kept.branch, kept.started_at) == ("market", "stock", T0)
    assert (kept.summary, kept.uses) == ("Counted the barrels", {"recalled": 2})
    handoff = memory.get(SESSION["id"])
    assert (handoff.kind, handoff.content) == ("handoff", "Nine barrels, one leaks")
    assert handoff.fields["next_steps"] == ["mend it", "find barrel nine"]
    assert handoff.session_id == SESSION["id"]


def test_the_graph_is_mapped_to_the_records(memory, home):
    memory.import_from(home)
    ids = {name: memory.get(name).id for name in ("dec-1", "dec-2", "pat-1", "con-1")}
    found = {
        (edge.source, edge.relation, edge.target, edge.weight)
        for edge in memory.graph()[1]
        if edge.created_by == "import"
    }
    assert (ids["dec-1"], "produces", ids["pat-1"], 0.8) in found
    assert (ids["dec-1"], "part_of", ids["dec-2"], 1.0) in found
    assert (ids["con-1"], "derived_from", ids["dec-2"], 1.0) in found


def test_an_edge_may_name_records_that_have_no_node(memory, home):
    edge = {"from": "pat-1", "to": "dec-5", "relation": "derived_from"}
    path = home / "graph" / "data" / "graph.json"
    path.write_text(json.dumps({**GRAPH, "edges": [*GRAPH["edges"], edge]}))
    (done,) = memory.import_from(home)
    assert done.errors == ()
    (around,) = (each for each in memory.related("pat-1") if "derived_from" in each.path)
    assert around.memory.external_id == "dec-5"


def full_graph():
    """A graph as Lore kept it before it was derived: most of it stands nowhere else."""
    named = {
        "concept-6f": {"type": "concept", "name": "smoking", "data": {"tags": ["fish"]}},
        "concept-8e": {"type": "concept", "name": "alder wood", "data": {}},
        "lesson-0b": {"type": "lesson", "name": "Always dry the wood first",
                      "data": {"severity": "high"}},
        "decision-d7": {"type": "decision", "name": "Smoke eels cold", "data": {}},
        "decision-d8": {"type": "decision", "name": "dec-lost",
                        "data": {"journal_id": "dec-lost", "decision": "Sell eels on ice"}},
        "session-5a": {"type": "session", "name": "2024-01-15-smoking", "data": {"goal": "eels"}},
        "project-a1": {"type": "project", "name": "smokehouse",
                       "data": {"description": "Where fish is smoked", "type": "shed"}},
        "file-66": {"type": "file", "name": "oven.c", "data": {"path": "src/oven.c"}},
    }  # fmt: skip
    ends = [
        ("concept-6f", "concept-8e", "relates_to"),
        ("lesson-0b", "session-5a", "learned_from"),
        ("decision-d7", "concept-6f", "related_to"),
        ("decision-d7", "file-66", "references"),
        ("decision-d8", "project-a1", "hosts"),
        ("lesson-0b", "concept-6f", "smells_of"),
        ("decision-d7", "session-nowhere", "learned_from"),
    ]
    edges = [{"from": a, "to": b, "relation": c, "weight": 1.0} for a, b, c in ends]
    edges.append({**edges[0], "relation": "implements", "status": "removed"})
    return {"nodes": named, "edges": edges}


def test_a_graph_alone_comes_in_with_all_its_nodes_and_edges(memory, tmp_path):
    path = tmp_path / "graph.json"
    path.write_text(json.dumps(full_graph()))
    (done,) = memory.import_from(path, "lore")
    assert (done.errors, done.added, done.besides) == ((), 8, {"edge": 6})
    assert [(each.things, each.why, each.count) for each in done.left_out] == [
        ("graph edges", "one end is not there", 1),
        ("graph edges", "removed in Lore", 1),
    ]
    kinds = {each.external_id: each.kind for each in memory.listing()}
    assert kinds["lesson-0b"] == "learning"
    assert kinds["decision-d7"] == kinds["dec-lost"] == "decision"
    assert memory.get("project-a1").fields["entity_type"] == "project"
    assert memory.get("file-66").content == "src/oven.c"
    (hit, *_) = memory.search("smoking", graph_depth=2).hits
    assert hit.id == memory.get("concept-6f").id
    around = {each.memory.external_id for each in memory.related("concept-6f", depth=2)}
    assert {"concept-8e", "lesson-0b", "decision-d7", "file-66", "session-5a"} <= around
    (again,) = memory.import_from(path, "lore")
    assert (again.added, again.unchanged, again.besides) == (0, 8, {})
    path.write_text(json.dumps(full_graph()).replace("dry the wood", "split the wood"))
    assert memory.import_from(path, "lore")[0].changed == 1


def test_a_node_of_the_graph_gives_way_to_its_record_when_that_comes(memory, home):
    path = home / "graph" / "data" / "graph.json"
    path.write_text(json.dumps(full_graph()))
    memory.import_from(path)
    assert memory.get("dec-lost").content == "Sell eels on ice"
    lines(home / "journal" / "data" / "decisions.jsonl", decision("dec-lost", "Sell eels smoked"))
    memory.import_from(home)
    assert memory.get("dec-lost").fields["rationale"] == "cheaper"
    assert memory.get("dec-lost").content == "Sell eels smoked"
    assert memory.verify().problems == ()


def test_a_graph_alone_takes_nothing_away_from_its_records(memory, home):
    path = home / "graph" / "data" / "graph.json"
    nodes = {"decision-f6": {"type": "decision", "name": "dec-1",
                             "data": {"journal_id": "dec-1", "decision": "Keep cod"}}}  # fmt: skip
    path.write_text(json.dumps({"nodes": nodes, "edges": []}))
    memory.import_from(home)
    before = memory.get("dec-1")
    (done,) = memory.import_from(path)
    assert (done.added, done.changed, done.unchanged) == (0, 0, 1)
    assert memory.get("dec-1") == before
    assert memory.import_from(home)[0].changed == 0


GOAL = """\
id: goal-1
name: "Double the catch"
description: |
  More boats, and
  better nets.

created_at: "2026-02-02T02:40:00Z"
status: active
priority: high
deadline: null
success_criteria:
  - id: sc-1
    description: "Six boats"
    type: manual
    met: true
  - "New nets"
depends_on: [goal-2]
projects:
  - saltworks
tags: []
metrics: {}
notes: ""
"""
REGISTRY = """\
# Projects
version: "1.0"

metadata:
  saltworks:
    role: salt
    contracts:
      exposes:
        - SALT.md
"""


def put(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def test_goals_are_tasks_and_the_registry_is_no_error(memory, home):
    put(home / "intent" / "data" / "goals" / "goal-1.yaml", GOAL)
    other = (
        GOAL.replace("goal-1", "goal-2").replace("[goal-2]", "[]").replace("active", "completed")
    )
    put(home / "intent" / "data" / "goals" / "goal-2.yaml", other)
    put(home / "registry" / "data" / "metadata.yaml", REGISTRY)
    (done,) = memory.import_from(home)
    assert (done.errors, done.besides["task"], done.besides["dependency"]) == ((), 2, 1)
    goal = memory.task("goal-1")
    assert (goal.title, goal.status, goal.category) == ("Double the catch", "open", "goal")
    assert (goal.project, goal.depends_on) == ("saltworks", ("goal-2",))
    assert goal.description == (
        "More boats, and\nbetter nets.\n\nDone when:\n- Six boats (met)\n- New nets"
    )
    assert memory.task("goal-2").status == "done"
    left = {each.things: each.count for each in done.left_out}
    assert (left["registry files"], left["files"], left["earlier lines"]) == (1, 2, 1)


def test_a_decision_belongs_to_the_tag_that_lore_knows_as_a_project(memory, home):
    put(home / "registry" / "data" / "metadata.yaml", REGISTRY)
    lines(
        home / "journal" / "data" / "decisions.jsonl",
        decision("dec-1", "Salt from the north", tags=["saltworks", "supply"]),
        decision("dec-2", "Nets of hemp", tags=["nets", "supply"]),
        decision("dec-3", "Count on Mondays", tags=["stock", "market"]),
    )
    (done,) = memory.import_from(home)
    projects = [memory.get(f"dec-{number}").project for number in (1, 2, 3)]
    assert projects == ["saltworks", memory.project, "market"]
    # The handoff of the session that worked in /home/me/market is of that project too.
    assert done.projects == {"saltworks": 1, "market": 2}


def test_where_lore_knows_no_projects_the_first_tag_is_one(memory, tmp_path):
    journal = tmp_path / "store" / "journal" / "data" / "decisions.jsonl"
    lines(journal, decision("dec-1", "Salt from the north", tags=["saltworks", "supply"]))
    memory.import_from(journal)
    assert memory.get("dec-1").project == "saltworks"


def test_what_was_flagged_in_lore_counts_as_harmful(memory, home):
    lines(
        home / "patterns" / "data" / "flags.jsonl",
        {"pattern_id": "pat-1", "type": "harmful", "reason": "wet hands", "timestamp": TS},
        {"pattern_id": "pat-1", "type": "harmful", "reason": "slow", "timestamp": TS},
        {"pattern_id": "pat-none", "type": "harmful", "reason": "x", "timestamp": TS},
    )
    (done,) = memory.import_from(home)
    assert (done.errors, done.besides["feedback"]) == ((), 2)
    assert memory.get("pat-1").harmful == 2.0
    assert ("ratings", 1) in [(each.things, each.count) for each in done.left_out]


def test_what_was_superseded_by_nothing_that_is_there_is_put_away(memory, home):
    lines(
        home / "journal" / "data" / "decisions.jsonl",
        decision("dec-1", "Use one scale", status="superseded", superseded_by="dec-nowhere"),
        decision("dec-2", "Use two scales"),
    )
    memory.import_from(home)
    assert memory.get("dec-1").deleted_at is not None
    for restore in (False, True):
        (again,) = memory.import_from(home, restore=restore)
        assert (again.added, again.changed, again.forgotten, again.restored) == (0, 0, 0, 0)
    assert memory.get("dec-1").deleted_at is not None


def test_files_one_by_one_and_then_the_folder_store_nothing_twice(memory, home):
    for name in ("patterns/data/patterns.yaml", "journal/data/decisions.jsonl"):
        memory.import_from(home / name)
    before = len(memory.listing(include_deleted=True, include_superseded=True, all_projects=True))
    (done,) = memory.import_from(home)
    after = len(memory.listing(include_deleted=True, include_superseded=True, all_projects=True))
    assert (done.unchanged, done.gone, after - before) == (8, (), done.added)


def test_a_decision_that_is_gone_is_told(memory, home):
    memory.import_from(home)
    lines(
        home / "journal" / "data" / "decisions.jsonl", decision("dec-1", "Keep cod in oak barrels")
    )
    (done,) = memory.import_from(home)
    assert "Keep eel in brine" in [text for _, text in done.gone]
    (pruned,) = memory.import_from(home, prune=True)
    assert pruned.pruned == len(done.gone)
    assert memory.get("dec-2").deleted_at is not None


def test_what_was_used_often_in_lore_begins_with_its_uses(memory, home):
    """Its log of lines and the table of its search index; a use told in both counts once."""
    index = apsw.Connection(str(home / "search.db"))
    index.execute("create table access_log(record_type, record_id, accessed_at)")
    index.execute("create virtual table decisions using fts5(id unindexed, decision)")
    for at in ("2026-02-03 10:00:00", "2026-02-05 10:00:00"):
        index.execute("insert into access_log values ('decision', 'dec-1', ?)", (at,))
    index.close()
    (done,) = memory.import_from(home)
    assert (done.errors, done.besides["access"]) == ((), 2)
    used, unused = memory.get("dec-1"), memory.get("dec-5")
    assert (used.usage_count, used.last_used_at) == (2, T0 + 285_600_000)
    assert (unused.usage_count, unused.last_used_at) == (0, None)
    assert memory.import_from(home)[0].besides == {}
    assert memory.get("dec-1").usage_count == 2


def test_a_record_that_names_its_project_belongs_there(memory, home):
    lines(
        home / "journal" / "data" / "decisions.jsonl",
        decision("dec-1", "Salt from the north", project="saltworks"),
        decision("dec-2", "Ice from the lake"),
    )
    memory.import_from(home)
    assert memory.get("dec-1").project == "saltworks"
    assert memory.get("dec-2").project == memory.project


def test_a_changed_decision_supersedes(memory, home):
    memory.import_from(home)
    path = home / "journal" / "data" / "decisions.jsonl"
    with path.open("a") as log:
        log.write(json.dumps(decision("dec-2", "Keep eel in ice")) + "\n")
    assert memory.import_from(home)[0].changed == 1
    assert memory.get("dec-2").content == "Keep eel in ice"


def test_a_count_inside_a_pattern_follows_the_file(memory, home):
    memory.import_from(home)
    before = memory.get("pat-1").id
    path = home / "patterns" / "data" / "patterns.yaml"
    path.write_text(PATTERNS.replace("validations: 3", "validations: 4"))
    assert memory.import_from(home)[0].changed == 1
    assert (memory.get("pat-1").id, memory.get("pat-1").fields["validations"]) == (before, 4)


def test_broken_parts_are_told_with_their_place_and_stop_nothing(memory, home, tmp_path):
    journal = home / "journal" / "data" / "decisions.jsonl"
    lines(
        journal,
        decision("dec-1", "Keep cod in oak barrels"),
        b'{"id": "dec-2", "decision": "cut off',
        decision("dec-3", 7, spec_quality=9),
        decision("", "nameless"),
        {"id": "dec-4", "decision": ["a"]},
        b"[" * 100_000,
        b'{"id": "\xff"}',
        b'{"id": "n", "decision": "x", "spec_quality": NaN}',
        b'"' + b"x" * (MAX_LINE + 1) + b'"',
        decision("dec-9", "The last line is read too", related_decisions=["ghost"]),
    )
    (home / "patterns" / "data" / "patterns.yaml").write_text(
        PATTERNS + "  - id: anti-2\n    name: &bomb [x, x]\n  - id: anti-3\n    symptom: [1]\n"
        "  - id: anti-4\n    name: Still read\n"
    )
    (home / "graph" / "data" / "graph.json").write_text(
        '{"nodes": {}, "edges": [{"from": "a"}, 1]}'
    )
    outside = tmp_path / "outside.jsonl"
    lines(outside, {"id": "obs-9", "content": "not ours"})
    (home / "inbox" / "data" / "signals.jsonl").symlink_to(outside)
    (home / "transfer" / "data" / "sessions" / "session-2.json").write_text("{")
    (done,) = memory.import_from(home)
    places = sorted(each.place.rpartition("data/")[2] for each in done.errors)
    assert places == [
        "decisions.jsonl:2",
        "decisions.jsonl:3",
        "decisions.jsonl:4",
        "decisions.jsonl:5",
        "decisions.jsonl:6",
        "decisions.jsonl:7",
        "decisions.jsonl:8",
        "decisions.jsonl:9",
        "graph.json:edges/0",
        "graph.json:edges/1",
        "patterns.yaml:34",
        "patterns.yaml:35",
        "sessions/session-2.json:1",
    ]
    assert memory.get("dec-9").content == "The last line is read too"
    assert memory.get("anti-4").content == "Still read"
    assert memory.get("obs-9") is None


@pytest.mark.parametrize(
    "path",
    ["", "journal/data/decisions.jsonl", "patterns/data/patterns.yaml", "access_log.jsonl",
     "transfer/data/sessions", "graph/data/graph.json"],
)  # fmt: skip
def test_the_path_tells_that_it_is_lore(home, path):
    assert [each.name for each in sources_of(str(home / path))] == ["lore"]


def test_one_file_alone_can_be_imported(memory, home):
    (done,) = memory.import_from(home / "patterns" / "data" / "patterns.yaml")
    assert (done.added, done.errors) == (3, ())
