"""The first hour of somebody who comes with years of another memory: his folder in, his commands
typed, his questions answered."""

from __future__ import annotations

import json

import apsw
import pytest

from tests.checkouts import Checkout, needs_git

pytestmark = needs_git
TS = "2026-03-01T08:00:00.000Z"


@pytest.fixture
def shop(tmp_path, clock, monkeypatch):
    """The checkout he works in."""
    checkout = Checkout(tmp_path / "shop", clock)
    checkout.write("README.md", "# Shop")
    checkout.commit("A shop")
    monkeypatch.chdir(checkout.root)
    monkeypatch.setenv("RECAIRN_MODEL", "none")
    return checkout.root


def lines(path, *rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def put(path, *words):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(words) + "\n")


def first(ran):
    """The text of the best answer."""
    assert ran.status == 0, ran.err
    hits = ran.json["hits"]
    return hits[0]["content"] if hits else None


def test_somebody_who_comes_from_tx(recairn, shop):
    learnings = shop / "docs" / "learnings"
    front = ["---", "tags: [learning]", f'created: "{TS}"', "source_type: manual"]
    put(
        learnings / "wrap-batch-inserts-in-3f0115.md", *front, "category: database",
        'outcome_score: "0.9"', "---", "", "# Wrap batch inserts in 3f0115", "",
        "Wrap batch inserts in one transaction; single inserts take a minute per thousand rows",
    )  # fmt: skip
    put(
        learnings / "ids-are-sorted-737c6c.md", *front, "file_pattern: src/ids.ts", "---", "",
        "# ids are sorted 737c6c", "",
        "ids are sorted by time only across milliseconds, see [[wrap-batch-inserts-in-3f0115]]",
    )  # fmt: skip
    task = {"title": "Import orders", "description": "slow batch inserts", "status": "ready"}
    operations: tuple[dict[str, object], ...] = (
        {"op": "upsert", "id": "tx-a1b2c3d4", "data": task},
        {"op": "attempt_upsert", "id": 1, "contentHash": "h1", "data": {
            "taskId": "tx-a1b2c3d4", "approach": "raise the pool size", "outcome": "failed",
            "reason": "locks wait longer"}},
        {"op": "pin_upsert", "id": "logging", "data": {
            "content": "Never call console.log in services"}},
        {"op": "doc_upsert", "id": 1, "contentHash": "d1", "data": {
            "docId": "doc-1", "kind": "prd", "name": "orders-prd", "title": "Orders", "version": 1,
            "status": "locked", "filePath": "prd/orders.yml"}},
        {"op": "task_doc_link_upsert", "id": 1, "contentHash": "t1", "data": {
            "taskId": "tx-a1b2c3d4", "docKey": "doc-1:1", "linkType": "implements"}},
    )  # fmt: skip
    lines(
        shop / ".tx" / "streams" / "01HX" / "events-2026-03-01.jsonl",
        *({"ts": TS, "v": 2, "payload": {"v": 1, "ts": TS, **one}} for one in operations),
    )
    lines(shop / ".tx" / "runs.jsonl", {"id": "run-1", "agent": "tx-tester", "started_at": TS})

    assert "recairn import tx" in recairn("import").out
    assert recairn("import", ".tx").status == 0
    again = recairn("import", ".tx", "--json").json["imports"]
    assert [one["added"] for one in again] == [0, 0]

    best = first(recairn("learning:search", "how to make batch inserts fast", "-n", "5", "--json"))
    assert best.startswith("Wrap batch inserts in one transaction")
    assert "raise the pool size" in recairn("search", "pool size").out
    assert "wrap-batch-inserts" in recairn("show", "wrap-batch-inserts-in-3f0115").out
    assert recairn("task", "show", "tx-a1b2c3d4").status == 0
    context = recairn("context", "tx-a1b2c3d4", "--text")
    assert "Wrap batch inserts in one transaction" in context.out
    number = str(recairn("learning:recent", "--json").json["memories"][0]["id"])
    assert recairn("learning:helpful", number, "--score", "0.8").status == 0

    # Tomorrow: one learning was edited, one deleted.
    (learnings / "ids-are-sorted-737c6c.md").unlink()
    edited = learnings / "wrap-batch-inserts-in-3f0115.md"
    edited.write_text(edited.read_text().replace("a minute", "two minutes"))
    told = recairn("import", "docs/learnings", "--prune")
    assert "1 changed" in told.out
    assert "no longer there" in told.out
    assert "two minutes" in first(recairn("search", "single inserts take", "--json"))


def test_somebody_who_comes_from_lore(recairn, shop, own_home):
    store = own_home / ".local" / "share" / "lore"

    def decided(name, what, *tags, **more):
        return {
            "id": name, "timestamp": TS, "decision": what, "rationale": "fewer moving parts",
            "alternatives": ["SQLite"], "tags": [*tags], "entities": [], **more,
        }  # fmt: skip

    lines(
        store / "journal" / "data" / "decisions.jsonl",
        decided("dec-1", "Keep sessions in signed cookies", "shop", "auth"),
        decided("dec-2", "Use JSONL for the journal", "notes", "storage"),
        decided("dec-3", "Keep sessions in Redis", "shop", "auth", status="superseded"),
    )
    put(
        store / "patterns" / "data" / "patterns.yaml", "patterns:", '  - id: "pat-1"',
        '    name: "Safe bash arithmetic"', '    problem: "((x++)) ends a script at zero"',
        '    solution: "x=$((x + 1))"', '    category: "bash"', "    confidence: 0.9",
    )  # fmt: skip
    put(
        store / "intent" / "data" / "goals" / "goal-1.yaml", "id: goal-1",
        'name: "Passwordless login"', "status: active", "priority: high", "projects:", "  - shop",
        "success_criteria:", '  - "No password is stored"',
    )  # fmt: skip
    put(store / "registry" / "data" / "metadata.yaml", "metadata:", "  shop:", "    role: web",
        "  notes:", "    role: tool")  # fmt: skip
    nodes = {
        "concept-1": {"type": "concept", "name": "authentication", "data": {}},
        "lesson-1": {"type": "lesson", "name": "Always validate tokens on the server", "data": {}},
        "decision-1": {"type": "decision", "name": "dec-1", "data": {"journal_id": "dec-1"}},
    }
    edges = [
        {"from": "decision-1", "to": "concept-1", "relation": "relates_to"},
        {"from": "lesson-1", "to": "decision-1", "relation": "learned_from"},
    ]
    put(store / "graph" / "data" / "graph.json", json.dumps({"nodes": nodes, "edges": edges}))

    told = recairn("import", "lore", "~/.local/share/lore".replace("~", str(own_home)))
    assert (told.status, told.err) == (0, "")
    assert "1 notes" in told.out
    assert recairn("import", "lore", "--json").json["imports"][0]["added"] == 0

    assert first(recairn("search", "bash arithmetic", "--json")) == "Safe bash arithmetic"
    assert first(recairn("search", "sessions in cookies", "--json")).endswith("signed cookies")
    around = recairn("search", "authentication", "--graph-depth", "2").out
    assert "signed cookies" in around
    assert "Always validate tokens" in around
    assert "fewer moving parts" in recairn("show", "dec-1").out
    assert "Use JSONL" in recairn("search", "JSONL journal", "--all-projects").out
    assert "Passwordless login" in recairn("task", "list").out
    assert "Redis" not in recairn("search", "sessions in Redis").out.replace(
        "'sessions in Redis'", ""
    )
    assert recairn("graph", "traverse", "dec-1").status == 0


def test_somebody_who_comes_from_ccmemory(recairn, shop):
    def kept(name, content, **more):
        return {
            "id": name, "projectId": "p", "content": content, "sector": "semantic",
            "tier": "project", "memoryType": "codebase", "importance": 0.5, "salience": 0.8,
            "accessCount": 3, "createdAt": 1_772_352_000_000, "lastAccessed": 1_772_352_000_000,
            "isDeleted": False, "tags": ["cart"], "files": ["cart.py"], **more,
        }  # fmt: skip

    export = {
        "memories": [
            kept("11111111-aaaa", "The cart is priced in cents, never in floats"),
            kept("22222222-bbbb", "Prefer small pull requests", memoryType="preference",
                 sector="emotional"),
            kept("33333333-cccc", "Checkout retries twice", isDeleted=True),
        ],
        "relationships": [
            {"id": "r1", "sourceMemoryId": "22222222-bbbb", "targetMemoryId": "11111111-aaaa",
             "relationshipType": "RELATED_TO", "createdAt": 1_772_352_000_000},
        ],
        "documents": [{"id": "d1", "title": "Cart"}],
    }  # fmt: skip
    put(shop / "ccmemory.json", json.dumps(export))

    told = recairn("import", "ccmemory.json")
    assert (told.status, told.err) == (0, "")
    assert (
        "left out: 1 items of documents" in told.out or "left out: 1 item of documents" in told.out
    )
    assert recairn("import", "ccmemory.json", "--json").json["imports"][0]["unchanged"] == 3

    assert "cents" in first(recairn("search", "how is the cart priced", "--json"))
    emotional = recairn("search", "pull requests", "--sector", "emotional", "--json")
    assert first(emotional) == "Prefer small pull requests"
    assert recairn("search", "checkout retries", "--json").json["hits"] == []
    shown = recairn("show", "11111111-aaaa", "--json").json
    assert (shown["usage_count"] > 3, shown["keywords"]) == (True, ["cart", "cart.py"])
    assert "Prefer small pull requests" in recairn("graph", "related", "11111111-aaaa").out
    assert recairn("timeline", "11111111-aaaa", "--before", "5", "--after", "5").status == 0


def test_somebody_who_comes_from_project_brain(recairn, shop):
    path = shop / "core.db"
    connection = apsw.Connection(str(path))
    connection.execute(
        f"""
        create table memories (id text, content text, category text, subcategory text, tags text,
          status text, superseded_by text, importance integer, confidence text, created_at text);
        insert into memories values
          ('m1', 'Invoices are numbered per year', 'fact', null, '["invoices"]', 'active', null, 4,
           '0.9', '{TS}'),
          ('m2', 'Never delete an invoice', 'hard_constraint', null, '[]', 'active', null, 5, null,
           '{TS}'),
          ('m3', 'Invoices are numbered per month', 'fact', null, '[]', 'superseded', 'm1', 3, null,
           '{TS}'),
          ('m4', 'Legal has not answered yet', 'blocker', 'legal', '[]', 'active', null, 3, null,
           '{TS}');
        create table entities (id text, name text, type text, description text, created_at text);
        insert into entities values ('e1', 'Billing', 'system', 'Writes invoices', '{TS}');
        create table links (id text, source_type text, source_id text, target_type text,
          target_id text, relationship text, strength text, created_at text);
        insert into links values
          ('l1', 'memory', 'm1', 'entity', 'e1', 'relates_to', '0.8', '{TS}');
        create table notes (id text, title text, content text, note_type text, created_at text);
        insert into notes values ('n1', 'Dunning', 'Remind after ten days', 'design', '{TS}');
        create table config (key text, value text);
        insert into config values ('retrieval.vector_weight', '0.5');
        create table query_log (id text, query_text text, created_at text);
        insert into query_log values ('q1', 'invoice numbers', '{TS}');
        create table templates (id text); insert into templates values ('t1');
        """
    )
    connection.close()

    told = recairn("import", "brain", "core.db")
    assert (told.status, told.err) == (0, "")
    assert "left out: 1 row of other tables (templates)" in told.out
    assert recairn("import", "core.db", "--json").json["imports"][0]["added"] == 0

    found = recairn("search", "how are invoices numbered", "--profile", "brain", "--json")
    assert first(found) == "Invoices are numbered per year"
    assert found.json["hits"][0]["terms"]
    old = recairn("search", "numbered per month", "--include-superseded", "--json").json["hits"]
    assert "per month" in " ".join(hit["content"] for hit in old)
    assert recairn("show", "m4", "--json").json["category"] == "blocker/legal"
    assert recairn("show", "m2", "--json").json["kind"] == "rule"
    assert "Billing" in recairn("graph", "related", "m1").out
    assert first(recairn("search", "when do we remind", "-k", "note", "--json")) == (
        "Remind after ten days"
    )
    assert "invoice numbers" in recairn("stats", "queries", "--by", "query", "--days", "3650").out
    assert recairn("undo", "--source", "core.db", "--yes").status == 0
    assert recairn("search", "invoices", "--json").json["hits"] == []
    assert recairn("import", "core.db", "--restore").status == 0
    assert first(recairn("search", "how are invoices numbered", "--json")).endswith("per year")
