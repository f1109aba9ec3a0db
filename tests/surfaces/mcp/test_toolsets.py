"""The seeds' tools: their names, their parameters, and the shapes of what they give."""

from __future__ import annotations

import json

import pytest

from recairn.core.model import total
from recairn.core.settings import SETTINGS
from recairn.core.times import now_ms
from tests.corpus import MEMORIES, opened

SETS = {
    "tx": {"tx_context", "tx_learning_add", "tx_learning_search", "tx_learning_helpful"},
    "lore": {"lore_search", "lore_show", "lore_graph_traverse"},
    "brain": {
        "hybrid_search",
        "semantic_search",
        "batch_embed",
        "get_config",
        "set_config",
        "get_query_stats",
        "save_memory",
        "create_entity",
        "create_link",
        "save_note",
        "save_resource",
    },
    "ccmemory": {
        "memory_search",
        "memory_timeline",
        "memory_add",
        "memory_reinforce",
        "memory_deemphasize",
        "memory_delete",
        "memory_supersede",
        "relationship_add",
        "docs_search",
    },
}


@pytest.mark.parametrize("name", SETS)
def test_a_set_has_the_tools_its_seed_names(connect, name):
    assert {tool["name"] for tool in connect(name).ask("tools/list")["tools"]} == SETS[name]


def test_a_learning_is_added_found_and_rated_as_in_tx(connect):
    agent = connect("tx")
    added = agent.call(
        "tx_learning_add",
        content="Retry the uplink with full jitter",
        sourceRef="tx-4f2a91",
        category="radio",
        keywords=["uplink"],
    )
    assert added["sourceType"] == "manual"
    found = agent.call("tx_learning_search", query="uplink jitter", limit=3)
    first = found["learnings"][0]
    assert {name: first[name] for name in ("id", "content", "sourceRef", "category")} == {
        "id": added["id"],
        "content": "Retry the uplink with full jitter",
        "sourceRef": "tx-4f2a91",
        "category": "radio",
    }
    assert {"relevanceScore", "bm25Score", "vectorScore", "recencyScore"} <= {*first}
    assert (found["query"], len(found["learnings"])) == ("uplink jitter", 2)
    assert found["totalMatches"] == 2
    assert found["searchDuration"] > 0
    rated = agent.call("tx_learning_helpful", id=added["id"], score=0.8)
    assert rated == {"success": True, "id": added["id"], "score": 0.8}
    again = agent.call("tx_learning_search", query="uplink jitter", limit=1)["learnings"][0]
    assert again["outcomeScore"] == 0.8


def test_the_context_of_a_task_is_its_learnings_as_in_tx(connect, path):
    with opened(path, clock=now_ms) as memory:
        memory.add_task("Gulls disturb the ultrasonic sensor", id="tx-4f2a91")
        memory.remember("Label every reading", kind="rule")
    agent = connect("tx")
    found = agent.call("tx_context", taskId="tx-4f2a91", maxTokens=1000)
    first = found["learnings"][0]
    assert first["content"].startswith("Gulls peck the ultrasonic sensor")
    assert first["bm25Score"] > 0
    assert found["query"] == "Gulls disturb the ultrasonic sensor"
    assert "Label every reading" in [each["content"] for each in found["rules"]]
    assert found["recent"] == []
    more = agent.call("tx_context", taskId="tx-4f2a91", includeRecent=2)["recent"]
    assert len(more) == 2
    assert {each["id"] for each in more}.isdisjoint(each["id"] for each in found["learnings"])
    unknown = agent.call("tx_context", taskId="tx-000000")
    assert unknown["learnings"] == []
    assert "tx-000000" in unknown["notices"][0]


def test_the_token_budget_of_tx_holds_for_the_learnings_themselves(connect, path):
    from recairn.core.token_estimate import estimate

    long = "Walruses sleep on the slipway from noon to four. " * 30
    with opened(path, clock=now_ms) as memory:
        memory.add_task("Walruses on the slipway", id="tx-4f2a91")
        name = memory.remember(long).id
        memory.handoff("Stopped at the slipway", git=False)
    agent = connect("tx")

    def given(tokens):
        found = agent.call("tx_context", taskId="tx-4f2a91", maxTokens=tokens)
        assert found["handoff"]["content"] == "Stopped at the slipway"
        told = {each["id"]: each["content"] for each in found["learnings"]}
        assert estimate("\n".join(told.values())) <= tokens
        return told[name]

    short = given(150)
    assert short.startswith("Walruses sleep on the slipway from noon to four. ")
    assert short.endswith(f" to four. [... #{name}]")
    assert given(2000) == long.strip()


def test_a_minimum_score_leaves_weak_learnings_out(connect):
    agent = connect("tx")
    assert agent.call("tx_learning_search", query="uplink packets", minScore=1)["learnings"] == []


def test_tx_is_told_that_what_a_run_left_waits_for_the_user(connect):
    agent = connect("tx")
    told = agent.call("tx_learning_add", content="Walrus at the limit", sourceType="run")
    assert "unverified" in told["warnings"][0]
    assert agent.call("tx_learning_search", query="walrus")["learnings"] == []
    kept = agent.call("tx_learning_add", content="Walrus at the gate", sourceType="manual")
    assert kept["warnings"] == []


def test_tx_learnings_are_found_by_source_and_what_tx_does_not_know_is_manual(connect, path):
    agent = connect("tx")
    sources = {"compaction": "summed up", "manual": "by hand", "claude_md": "as told"}
    for source, how in sources.items():
        agent.call("tx_learning_add", content=f"Walrus {how}", sourceType=source)
    with opened(path, clock=now_ms) as memory:
        memory.remember("Walrus from elsewhere", source_type="import")

    def found(*wanted):
        result = agent.call("tx_learning_search", query="walrus", sourceTypes=list(wanted))
        return {each["content"] for each in result["learnings"] if "Walrus" in each["content"]}

    assert found("compaction", "claude_md") == {"Walrus summed up", "Walrus as told"}
    assert found("manual") == {"Walrus by hand", "Walrus from elsewhere"}
    assert "it is one of compaction" in agent.refused(
        "tx_learning_search", query="walrus", sourceTypes=["gossip"]
    )


def test_lore_search_takes_its_types_and_walks_the_graph(connect):
    agent = connect("lore")
    every = agent.call("lore_search", query="satellite uplink postgresql tide")["results"]
    assert {"decision", "pattern"} <= {each["type"] for each in every}
    only = agent.call("lore_search", query="satellite uplink postgresql tide", type="decision")
    assert {each["type"] for each in only["results"]} == {"decision"}
    assert only["total"] == len(only["results"])
    agent.desk.memory().link(4, 5, "affects")
    walked = agent.call("lore_search", query="harbour office runs a server", graph_depth=2)
    assert "affects" in " ".join(each.get("path", "") for each in walked["results"])
    assert "between 0 and 3" in agent.refused("lore_search", query="x", graph_depth=4)


def test_lore_shows_a_record_whole_by_the_id_that_search_gave(connect):
    agent = connect("lore")
    memory = agent.desk.memory()
    fields = {"rationale": "it is what the ferry speaks"}
    old = memory.remember(
        "Marine VHF for the uplink", kind="decision", fields=fields, external_id="dec-5741815d"
    ).id
    shown = agent.call("lore_show", id="dec-5741815d")
    assert {name: shown[name] for name in ("id", "type", "content", "fields")} == {
        "id": "dec-5741815d",
        "type": "decision",
        "content": "Marine VHF for the uplink",
        "fields": fields,
    }
    assert "superseded_by" not in shown
    new = memory.remember("A satellite for the uplink", kind="decision", supersede=old).id
    assert agent.call("lore_show", id="dec-5741815d")["superseded_by"] == str(new)
    assert "no memory" in agent.refused("lore_show", id="dec-000")


def test_lore_follows_the_graph_around_a_record(connect):
    agent = connect("lore")
    memory = agent.desk.memory()
    far = memory.remember("The rota hangs in the kitchen", kind="pattern", project="kitchen").id
    hidden = memory.remember("Walruses run the office", source_type="hook").id
    memory.link(4, 5, "affects")
    memory.link(5, f"kitchen/{far}", "derived_from")
    memory.link(4, hidden, "relates_to")
    near = agent.call("lore_graph_traverse", id="4")
    assert (near["id"], [each["id"] for each in near["related"]]) == ("4", ["5"])
    assert "→ affects →" in near["related"][0]["path"]
    further = agent.call("lore_graph_traverse", id="4", depth=2)["related"]
    assert [(each["id"], each["hops"]) for each in further] == [("5", 1), (f"kitchen/{far}", 2)]
    assert "between 1 and 3" in agent.refused("lore_graph_traverse", id="4", depth=4)


def test_lore_calls_a_handoff_a_transfer(connect):
    found = connect("lore").call("lore_search", query="stopped halfway", type="transfer")
    assert found["results"][0]["type"] == "transfer"


def test_hybrid_search_tells_the_signals_that_a_score_is_the_sum_of(connect, monkeypatch):
    monkeypatch.setenv("RECAIRN_MODEL", "static")
    agent = connect("brain")
    agent.call("batch_embed")
    found = agent.call("hybrid_search", query="gulls and the sensor", limit=2)
    for each in found["results"]:
        assert {*each} == {"id", "type", "content", "score", "signals", "data"}
        assert {*each["signals"]} == {"vector", "fts", "recency", "importance"}
        assert each["score"] == pytest.approx(sum(each["signals"].values()), abs=0.005)
    assert found["meta"]["weights"] == {
        "vector": 0.4,
        "fts": 0.3,
        "recency": 0.2,
        "importance": 0.1,
    }
    assert found["meta"]["returned"] == 2
    assert found["meta"]["total_candidates"] >= 3


def test_hybrid_search_uses_nothing_where_nothing_fits_and_semantic_search_gives_the_nearest(
    connect, monkeypatch
):
    monkeypatch.setenv("RECAIRN_MODEL", "static")
    agent = connect("brain")
    agent.call("batch_embed")
    assert agent.call("hybrid_search", query="zebra stampede")["results"] == []
    assert all(each.usage_count == 0 for each in agent.desk.memory().listing())
    assert len(agent.call("semantic_search", query="zebra stampede", limit=3)["results"]) == 3


def test_weights_of_a_query_go_before_configured_ones_and_zero_counts(connect):
    agent = connect("brain")
    agent.call("set_config", key="retrieval.fts_weight", value=0.7)
    assert agent.call("get_config", key="retrieval.fts_weight") == {
        "config": {"retrieval.fts_weight": "0.7"}
    }
    configured = agent.call("hybrid_search", query="gulls")["meta"]["weights"]
    asked = agent.call("hybrid_search", query="gulls", weights={"fts": 0, "recency": 0.5})
    assert configured["fts"] == 0.7
    assert (asked["meta"]["weights"]["fts"], asked["meta"]["weights"]["recency"]) == (0, 0.5)
    assert "did you mean 'vector'?" in agent.refused(
        "hybrid_search", query="x", weights={"vectors": 1}
    )


def test_semantic_search_gives_the_nearest_first(connect, monkeypatch):
    monkeypatch.setenv("RECAIRN_MODEL", "static")
    agent = connect("brain")
    embedded = agent.call("batch_embed", limit=500)
    assert embedded["memory"]["embedded"] > 5
    assert embedded["remaining"] == 0
    found = agent.call("semantic_search", query="birds disturb a measurement", limit=4)["results"]
    distances = [each["distance"] for each in found]
    assert distances == sorted(distances)
    assert found[0]["data"]["kind"]


def test_without_a_model_semantic_search_says_why_it_is_empty(connect):
    found = connect("brain").call("semantic_search", query="birds")
    assert found["results"] == []
    assert "No embedding model configured" in found["meta"]["notices"][0]


def test_embedding_reports_progress_and_stops_when_cancelled(connect, path, monkeypatch):
    with opened(path, clock=now_ms) as memory:
        memory.remember_many(
            [{"content": f"Reading {number} of buoy {number * 3}"} for number in range(600)],
            on_similar="add",
        )
    monkeypatch.setenv("RECAIRN_MODEL", "static")
    agent = connect("brain")
    embed = {"name": "batch_embed", "arguments": {"limit": 300}, "_meta": {"progressToken": "p"}}
    work = agent.connection.receive(agent.message("tools/call", {**embed}))
    work.run()
    told = [each["params"] for each in agent.notices]
    assert [each["progressToken"] for each in told] == ["p"] * 3
    # 300 memories, and the one entity, note and resource: the limit is for each type.
    assert [each["progress"] for each in told] == [128, 256, 303]
    agent.notices.clear()
    work = agent.connection.receive(agent.message("tools/call", {**embed}))

    def cancel(message):
        agent.tell("notifications/cancelled", requestId=work.request.id)

    agent.connection.notify = cancel
    assert work.run() is None
    left = agent.call("batch_embed", limit=1)["remaining"]
    assert left == len(MEMORIES) + 600 - 303 - 2 * 128 - 1  # it stopped at the next report


def test_what_brain_saves_is_found_by_type(connect):
    agent = connect("brain")
    memory = agent.call(
        "save_memory", content="The pier is 80 m long", category="fact", importance=5, tags=["pier"]
    )
    assert (memory["type"], memory["data"]["kind"], memory["data"]["importance"]) == (
        "memory",
        "fact",
        1.0,
    )
    entity = agent.call("create_entity", name="Harbour office", type="organization")
    note = agent.call("save_note", title="Minutes", content="The pier is sinking", summary="pier")
    resource = agent.call(
        "save_resource", title="Pier atlas", url="https://example.org/pier", key_takeaways=["old"]
    )
    assert [each["type"] for each in (entity, note, resource)] == ["entity", "note", "resource"]
    found = agent.call("hybrid_search", query="pier", types=["note", "resource"])["results"]
    assert {each["type"] for each in found} == {"note", "resource"}
    constraint = agent.call("save_memory", content="No diving", category="hard_constraint")
    assert constraint["data"]["kind"] == "rule"


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("consolidate.command", "rm -rf /", "not an agent's to change"),
        ("embedding.external.url", "http://example.org", "not an agent's to change"),
        ("redaction.allow", "re:.*", "not an agent's to change"),
        ("retrieval.vector_weight", "7", "between 0 and 1"),
        ("retrieval.profile", "best", "unknown profile 'best'"),
        ("retrieval.vectr_weight", "0.5", "there is no setting"),
        ("", "x", "a setting has a name"),
    ],
)
def test_an_agent_may_tune_search_and_nothing_that_could_do_harm(connect, key, value, said):
    agent = connect("brain")
    assert said in agent.refused("set_config", key=key, value=value)
    assert agent.call("get_config") == {"config": {}}


def test_an_agent_changes_no_setting_but_those_of_search(connect):
    agent = connect("brain")
    kept = (
        "retrieval.all_projects",
        "mirror.folders",
        "documents.folders",
        "pin.files.puffin",
        "pin.files.north/puffin",
        "tune.before",
    )
    others = [key for key in SETTINGS if not key.startswith("retrieval.")]
    for key in (*kept, *others, "puffin/hooks.inject"):
        said = agent.refused("set_config", key=key, value="x")
        assert said.startswith(f"{key} is not an agent's to change")
    assert agent.call("set_config", key="team.motto", value="calm") == {
        "key": "team.motto",
        "value": "calm",
    }


# What Project Brain and ccmemory promise


@pytest.fixture
def thirty(path):
    """Thirty one-line memories beside the corpus."""
    with opened(path, clock=now_ms) as memory:
        memory.remember_many(
            [{"content": f"Lantern {number} burns whale oil"} for number in range(30)],
            on_similar="add",
        )


def test_hybrid_search_gives_as_many_as_it_was_asked_for(connect, thirty):
    found = connect("brain").call("hybrid_search", query="lantern whale oil")
    assert len(found["results"]) == found["meta"]["returned"] == 20
    assert "omitted" not in found
    assert all(each["content"].endswith("burns whale oil") for each in found["results"])
    assert all(each["data"]["created_at"] for each in found["results"])


def test_what_does_not_fit_is_not_counted_as_returned(connect, thirty):
    found = connect("brain").call("hybrid_search", query="lantern whale oil", limit=100)
    assert found["meta"]["returned"] == len(found["results"]) < 30
    assert found["omitted"] == 30 - len(found["results"])


@pytest.mark.parametrize(
    ("tools", "tool"), [("ccmemory", "memory_search"), ("brain", "hybrid_search")]
)
def test_long_texts_are_cut_before_any_is_left_out(connect, path, tools, tool):
    with opened(path, clock=now_ms) as memory:
        memory.remember_many(
            [
                {"content": f"Lantern {number}: " + f"oil wick {number} " * 150}
                for number in range(10)
            ],
            on_similar="add",
        )
    found = connect(tools).call(tool, query="lantern oil wick", limit=10)
    texts = [each.get("memory", each)["content"] for each in found["results"]]
    assert len(texts) == 10
    assert all(text.startswith("Lantern") and "more characters]" in text for text in texts)
    assert len({len(text.partition("…")[0]) for text in texts}) == 1
    assert len(json.dumps(found, separators=(",", ":"), ensure_ascii=False)) <= 8_000


def test_weights_set_by_brains_tool_change_no_other_search(connect, path):
    agent = connect("brain")
    agent.call("set_config", key="retrieval.fts_weight", value="0.9")
    assert agent.call("hybrid_search", query="gulls")["meta"]["weights"]["fts"] == 0.9
    with opened(path, clock=now_ms) as memory:
        assert memory.config() == {"brain.retrieval.fts_weight": "0.9"}
        assert memory.search("gulls", profile="tx").meta.weights["matched"] == 0.4
        assert memory.search("gulls").meta.weights["keyword"] == 0.9  # words alone, as usual
    said = agent.refused("set_config", key="retrieval.profile", value="lore")
    assert "not an agent's to change" in said


def test_what_a_person_set_for_every_search_comes_first_and_the_tool_says_so(connect, path):
    with opened(path, clock=now_ms) as memory:
        memory.set_config("retrieval.fts_weight", "0.6")
    agent = connect("brain")
    answer = agent.call("set_config", key="retrieval.fts_weight", value="0.9")
    assert "is set for every search" in answer["notice"]
    assert agent.call("get_config", key="retrieval.fts_weight")["config"] == {
        "retrieval.fts_weight": "0.6"
    }
    assert agent.call("hybrid_search", query="gulls")["meta"]["weights"]["fts"] == 0.6


def test_a_setting_that_was_never_changed_is_told_with_its_default(connect):
    agent = connect("brain")
    told = {
        key: agent.call("get_config", key=key)["config"]
        for key in ("retrieval.vector_weight", "retrieval.fts_weight", "no.such.setting")
    }
    assert told == {
        "retrieval.vector_weight": {"retrieval.vector_weight": "0.4"},
        "retrieval.fts_weight": {"retrieval.fts_weight": "0.3"},
        "no.such.setting": {},
    }
    assert agent.call("get_config") == {"config": {}}


def test_a_weight_in_quotes_counts(connect, path):
    """Project Brain keeps settings as JSON strings; imported ones are as they were there."""
    with opened(path, clock=now_ms) as memory:
        memory.set_config("brain.retrieval.recency_weight", '"0.35"')
    agent = connect("brain")
    assert agent.call("set_config", key="retrieval.vector_weight", value='"0.5"')["value"] == "0.5"
    weights = agent.call("hybrid_search", query="gulls")["meta"]["weights"]
    assert (weights["vector"], weights["recency"]) == (0.5, 0.35)


def test_a_category_with_its_subcategory_goes_in_and_comes_out(connect):
    agent = connect("brain")
    told = {"content": "Contracts wait for the lawyer", "category": "blocker"}
    saved = agent.call("save_memory", **told, subcategory="legal")
    assert saved["data"]["category"] == "blocker/legal"
    again = agent.call(
        "save_memory", content="So does the lease", category=saved["data"]["category"]
    )
    assert (again["data"]["category"], again["data"]["kind"]) == ("blocker/legal", "observation")
    assert "did you mean 'blocker'?" in agent.refused(
        "save_memory", content="x", category="blockr/legal"
    )


@pytest.mark.parametrize("name", ["gotcha", "codebase", "turn_summary", "decision", "learning"])
def test_a_type_of_ccmemory_goes_in_and_comes_out(connect, name):
    agent = connect("ccmemory")
    added = agent.call("memory_add", content="Herons wait under the third bridge", type=name)
    assert added["memory"]["memoryType"] == name
    found = agent.call("memory_search", query="herons bridge", memory_type=name)["results"]
    assert [each["memory"]["memoryType"] for each in found] == [name]


def test_other_kinds_come_back_as_types_that_are_taken(connect, path):
    with opened(path, clock=now_ms) as memory:
        memory.remember("Herons wait under the third bridge", kind="fact")
    agent = connect("ccmemory")
    (found,) = agent.call("memory_search", query="herons bridge")["results"]
    told = found["memory"]["memoryType"]
    assert len(agent.call("memory_search", query="herons bridge", memory_type=told)["results"]) == 1


def test_an_entity_made_twice_is_one_and_knows_more(connect):
    agent = connect("brain")
    first = agent.call("create_entity", name="Harbour office", type="organization")
    again = agent.call(
        "create_entity",
        name="harbour  Office",
        type="organization",
        description="Lets berths",
        aliases=["HO"],
    )
    assert (again["id"], again["status"]) == (first["id"], "updated")
    assert again["data"]["fields"] == {
        "entity_type": "organization",
        "description": "Lets berths",
        "aliases": ["HO"],
    }
    found = agent.call("hybrid_search", query="harbour office", types=["entity"])["results"]
    assert [each["id"] for each in found] == [first["id"]]


def test_two_records_are_related_by_the_tools_of_brain_and_ccmemory(connect):
    agent = connect("brain", "ccmemory")
    one = agent.call("save_memory", content="The lock gate sticks in frost", category="fact")["id"]
    two = agent.call("memory_add", content="Grease keeps the gate moving")["memory"]["id"]
    link = agent.call("create_link", source_id=one, target_id=two, relationship="depends_on")
    assert link == {
        "source_id": one,
        "target_id": two,
        "relationship": "depends_on",
        "strength": 1.0,
    }
    relation = agent.call(
        "relationship_add",
        source_memory_id=two,
        target_memory_id=one,
        relationship_type="BUILDS_ON",
        confidence=0.7,
    )
    assert (relation["relationship_type"], relation["confidence"]) == ("BUILDS_ON", 0.7)
    (found, *_) = agent.call("memory_search", query="grease gate moving")["results"]
    assert found["relatedMemoryCount"] == 2


def test_the_limit_of_batch_embed_is_for_each_type(connect, monkeypatch):
    agent = connect("brain")
    for number in range(3):
        agent.call("save_memory", content=f"Reading {number} of the buoy", category="fact")
        agent.call("save_note", title=f"Watch {number}", content=f"Calm in watch {number}")
    monkeypatch.setenv("RECAIRN_MODEL", "static")
    done = connect("brain").call("batch_embed", limit=2)
    assert (done["memory"]["embedded"], done["note"]["embedded"]) == (2, 2)
    assert done["remaining"] > 0


def test_query_statistics_count_what_was_asked_by_which_tool(connect):
    agent = connect("brain")
    for _ in range(2):
        agent.call("hybrid_search", query="gulls")
    found = agent.call("get_query_stats", group_by="tool")
    assert (found["grouped_by"], found["totals"]["count"]) == ("tool", 2)
    assert found["data"][0]["tool"] == "hybrid_search"
    assert found["data"][0]["last_at"].endswith("Z")


def test_ccmemory_search_gives_session_successor_and_relations(connect, path):
    with opened(path, clock=now_ms) as memory:
        session = memory.start_session("s-pier", summary="pier work").id
        old = memory.remember("The pier opens at nine").id
        new = memory.remember("The pier opens at eight since June", supersede=old).id
        memory.link(new, 1, "relates_to")
    agent = connect("ccmemory")
    found = agent.call("memory_search", query="pier opens", include_superseded=True)["results"]
    by_id = {each["memory"]["id"]: each for each in found}
    assert by_id[str(old)]["isSuperseded"] is True
    assert by_id[str(old)]["supersededBy"]["id"] == str(new)
    assert by_id[str(new)]["isSuperseded"] is False
    assert by_id[str(new)]["relatedMemoryCount"] >= 1
    assert by_id[str(new)]["sourceSession"]["id"] == session
    assert by_id[str(new)]["sourceSession"]["startedAt"] > 1_700_000_000_000
    assert "<mark>" in by_id[str(new)]["highlights"][0]
    assert by_id[str(new)]["matchType"] == "keyword"
    current = agent.call("memory_search", query="pier opens")["results"]
    assert str(old) not in {each["memory"]["id"] for each in current}
    theirs = agent.call("memory_search", query="pier opens", session_id="s-pier")["results"]
    assert {each["memory"]["id"] for each in theirs} == {str(new)}


def test_ccmemory_adds_reinforces_deemphasizes_supersedes_and_deletes(connect):
    agent = connect("ccmemory")
    added = agent.call("memory_add", content="Cormorants dive at noon", type="gotcha", tags=["b"])
    assert added["created"] is True
    assert (added["memory"]["memoryType"], added["memory"]["tags"]) == ("gotcha", ["b"])
    again = agent.call("memory_add", content="Cormorants dive at noon", type="gotcha")
    assert (again["created"], again["memory"]["id"]) == (False, added["memory"]["id"])
    name = added["memory"]["id"]
    weaker = agent.call("memory_deemphasize", memory_id=name, amount=0.5)["salience"]
    stronger = agent.call("memory_reinforce", memory_id=name)["salience"]
    assert weaker < stronger < 1
    other = agent.call("memory_add", content="Since May they dive at ten")["memory"]["id"]
    assert agent.call("memory_supersede", old_memory_id=name, new_memory_id=other) == {
        "old_memory_id": name,
        "new_memory_id": other,
    }
    assert agent.call("memory_delete", memory_id=other)["hard"] is False
    gone = agent.call("memory_delete", memory_id=other, hard=True)
    assert (gone["id"], gone["deleted"], gone["hard"]) == (other, True, False)
    assert f"recairn review accept {other}" in gone["hint"]
    memory = agent.desk.memory()
    assert [record.id for record, _ in memory.erasure_requests()] == [int(other)]


def found_by(agent, **asked):
    results = agent.call("memory_search", **asked)["results"]
    return [each["memory"]["content"] for each in results]


def test_ccmemory_finds_in_another_project_or_in_all(connect, path):
    with opened(path, project="kestrel", clock=now_ms) as other:
        other.remember("Walruses sleep on the north pier")
    agent = connect("ccmemory")
    agent.call("memory_add", content="Walruses sleep on the south pier")
    asked = {"query": "walruses sleep", "mode": "keyword"}
    assert found_by(agent, **asked) == ["Walruses sleep on the south pier"]
    assert found_by(agent, **asked, project="kestrel") == ["Walruses sleep on the north pier"]
    assert len(found_by(agent, **asked, project="*")) == 2


def test_a_ccmemory_session_sees_its_own_memories_and_recalls_them(connect):
    agent = connect("ccmemory")
    added = {"content": "Walruses sleep on the pier", "tier": "session"}
    assert "needs a session" in agent.refused("memory_add", **added)
    agent.call("memory_add", **added, session_id="s-pier")
    assert found_by(agent, query="walruses", mode="keyword") == []
    found = agent.call("memory_search", query="walruses", session_id="s-pier")["results"]
    assert [each["sourceSession"]["id"] for each in found] == ["s-pier"]
    (name,) = (each["memory"]["id"] for each in found)
    used = agent.call("memory_timeline", anchor_id=name)["sessionContext"]
    assert (used["session"]["id"], used["usageType"]) == ("s-pier", "recalled")
    assert used["memoriesInSession"] == 1


def test_ccmemory_highlights_only_what_words_have_found(connect, path, monkeypatch):
    monkeypatch.setenv("RECAIRN_MODEL", "static")
    with opened(path, model="static", clock=now_ms) as memory:
        memory.embed()
    agent = connect("ccmemory")
    results = agent.call("memory_search", query="uplink", limit=8)["results"]
    assert {"both", "semantic"} <= {each["matchType"] for each in results}
    for each in results:
        assert ("highlights" in each) == (each["matchType"] != "semantic")


def test_scores_in_the_shapes_of_tx_and_ccmemory_never_exceed_one(connect, path, monkeypatch):
    monkeypatch.setenv("RECAIRN_MODEL", "static")
    text = "Settlement reconciliation retries payments nightly with jitter against stampedes"
    with opened(path, model="static", clock=now_ms) as memory:
        memory.embed()
        name = memory.remember(text, sector="reflective").id
        for _ in range(5):
            memory.feedback(name, 1.0)
        raw = {each: memory.search(text, profile=each).hits[0] for each in ("tx", "ccmemory")}
    assert {each.id for each in raw.values()} == {name}
    beyond = {
        name: total({each: term for each, term in hit.terms.items() if each != "ceiling"})
        for name, hit in raw.items()
    }
    assert all(score > 1.0 for score in beyond.values())
    assert all(0.99 < hit.score <= 1.0 for hit in raw.values())
    agent = connect("tx", "ccmemory")
    learning = agent.call("tx_learning_search", query=text)["learnings"][0]
    assert learning["relevanceScore"] == pytest.approx(raw["tx"].score, abs=0.005)
    found = agent.call("memory_search", query=text)["results"][0]
    assert found["score"] == pytest.approx(raw["ccmemory"].score, abs=0.005)


def test_ccmemory_shows_the_memories_around_one(connect):
    found = connect("ccmemory").call("memory_timeline", anchor_id="5", depth_before=1)
    assert found["anchor"]["id"] == "5"
    assert [each["id"] for each in found["before"]] == ["4"]
    assert len(found["after"]) == 5


def test_documents_are_searched_apart_from_memories(connect, path):
    agent = connect("ccmemory")
    assert agent.call("docs_search", query="gulls") == {"results": []}
    with opened(path, clock=now_ms) as memory:
        memory.remember(
            "Gulls are described on page two",
            kind="chunk",
            title="Bird guide",
            source_type="document",
            fields={"path": "docs/birds.md", "heading": "Gulls", "line": 12},
        )
    (found,) = agent.call("docs_search", query="gulls")["results"]
    assert found["document"] == {"title": "Bird guide", "sourcePath": "docs/birds.md"}
    assert found["chunk"]["lineStart"] == 12


@pytest.mark.parametrize("name", ["tx", "lore", "brain", "ccmemory"])
def test_no_set_gives_unverified_memories(connect, path, name):
    with opened(path, clock=now_ms) as memory:
        memory.remember("Walruses run the harbour office", source_type="hook")
    agent = connect(name)
    tools = {
        "tx": ["tx_learning_search"],
        "lore": ["lore_search"],
        "brain": ["hybrid_search"],
        "ccmemory": ["memory_search"],
    }
    for tool in tools[name]:
        assert "Walruses" not in json.dumps(agent.call(tool, query="walruses"))


def test_an_unknown_set_is_refused_with_the_known_ones(connect):
    from recairn.core.errors import BadInput

    with pytest.raises(BadInput, match="unknown set of tools 'brian'"):
        connect("brian")


def test_the_trouble_of_other_sets_speaks_of_no_tool_they_lack(connect):
    said = connect("ccmemory").refused("memory_reinforce", memory_id="404")
    assert "recairn_" not in said
    assert said.endswith("the user can type: recairn recent lists the newest")


def test_a_made_up_tool_leads_to_none_that_destroys(connect):
    trouble = connect("ccmemory").ask("tools/call", name="memory_deleet", arguments={})
    assert "memory_delete" not in trouble["message"]
    trouble = connect("ccmemory").ask("tools/call", name="memory_serch", arguments={})
    assert "did you mean 'memory_search'?" in trouble["message"]
