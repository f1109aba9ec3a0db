"""The default tools: small, complete without the text, and clear about what went wrong."""

from __future__ import annotations

import json
import re

import pytest

from recairn.core.times import now_ms
from recairn.core.token_estimate import estimate
from recairn.surfaces.mcp.dispatch import TOOLSETS, offered
from recairn.surfaces.mcp.protocol import MOST, fitted, size
from recairn.surfaces.render.json_objects import search_json
from tests.corpus import opened

from .conftest import HANDSHAKE

DEFAULT = offered(["default"])
EVERY = {name: tool for each in TOOLSETS for name, tool in offered([each]).items()}

# Words, numbers of three digits, and runs of punctuation up to three: on this list it counts 1 to
# 2 % more tokens than the vocabularies o200k and Claude 2's.
TOKEN = re.compile(r"[A-Za-z]{1,12}|\d{1,3}|[^\sA-Za-z\d]{1,3}")


def test_the_default_tools_are_at_most_eight_and_cost_at_most_2000_tokens():
    listed = [tool.described(HANDSHAKE) for tool in DEFAULT.values()]
    assert len(listed) <= 8
    assert len(TOKEN.findall(json.dumps(listed, separators=(",", ":")))) <= 2000
    assert len(json.dumps(listed)) / 4 <= 2000
    told = [
        {name: each[name] for name in ("name", "description", "inputSchema")} for each in listed
    ]
    assert estimate(json.dumps(told, separators=(",", ":"))) <= 2000


def test_no_two_sets_have_a_tool_of_the_same_name():
    assert len(EVERY) == sum(len(offered([each])) for each in TOOLSETS)


@pytest.mark.parametrize("tool", EVERY.values(), ids=EVERY)
def test_a_tool_says_first_when_to_use_it_and_what_it_does_to_the_memory(tool):
    shown = tool.described(HANDSHAKE)
    assert shown["description"].startswith("Use ")
    assert len(shown["description"]) <= 1000
    assert shown["title"]
    assert shown["annotations"]["openWorldHint"] is False
    assert shown["annotations"].keys() >= {"readOnlyHint"}
    for schema in (shown["inputSchema"], shown["outputSchema"]):
        assert schema["type"] == "object"
    assert shown["inputSchema"]["additionalProperties"] is False


def test_search_gives_ids_and_texts_and_little_else(agent):
    found = agent.call("recairn_search", query="sensor readings under 4 cm")
    best = found["hits"][0]
    assert best["id"] == 3
    assert best["content"].startswith("Gulls peck the ultrasonic sensor")
    said = {"score", "chance", "match"}
    assert {*best} <= {"id", "kind", "content", "project", "created_at", *said}
    assert 0.5 < best["chance"] < 1.0


def test_full_detail_is_what_the_command_line_gives_as_json(agent, path):
    shown = agent.call("recairn_search", query="gulls", detail="full", limit=1)
    with opened(path, clock=now_ms) as memory:
        told = search_json(memory.search("gulls", limit=1, trust="verified", track=False))
    used = ("duration_ms", "salience", "usage_count", "last_used_at")
    changing = (*used, "score", "terms", "chance", "odds")
    for found in (shown, told):
        for each in (found["meta"], found["hits"][0]):
            for name in changing:
                each.pop(name, None)
    assert shown == told


def test_a_context_is_one_text_with_the_ids_in_it(agent, path):
    with opened(path, clock=now_ms) as memory:
        memory.remember("Walruses run the harbour office", source_type="hook")
        memory.add_task("Filter the beaks out of the sensor readings", id="pf-12ab34")
    agent.call("recairn_add", content="Label every reading", kind="rule")
    found = agent.call("recairn_context", task="pf-12ab34")
    assert found["task"] == "pf-12ab34"
    assert "Label every reading" in found["text"]
    assert "Gulls peck the ultrasonic sensor" in found["text"]
    assert "Walruses" not in found["text"]
    assert 3 in found["memories"]
    assert 0 < found["tokens"] <= found["budget"]
    small = agent.call("recairn_context", prompt="beaks in the sensor readings", max_tokens=200)
    assert small["tokens"] <= 200
    assert size(small) < size(found)
    full = agent.call("recairn_context", prompt="beaks in the sensor readings", detail="full")
    assert {"rules", "hits", "handoff", "text", "tokens", "budget"} <= {*full}


def test_a_context_for_nothing_known_says_so(connect, tmp_path, monkeypatch):
    monkeypatch.setenv("RECAIRN_DB", str(tmp_path / "empty.db"))
    agent = connect()
    agent.desk.close()
    agent.connection.desk = type(agent.desk)(str(tmp_path / "empty.db"), "heron")
    found = agent.call("recairn_context", prompt="anything")
    assert found["text"] == ""
    assert "go on without" in found["hint"]
    agent.connection.desk.close()


def test_reading_a_memory_whole_counts_as_use_of_the_context_it_was_in(agent, path):
    found = agent.call("recairn_context", prompt="gulls at the sensor")
    assert 3 in found["memories"]
    agent.call("recairn_get", id="3")
    agent.desk.close()
    with opened(path, clock=now_ms) as memory:
        assert memory.ledger()["totals"]["expanded"] == 1


def test_nothing_found_says_so_and_what_to_try(agent):
    found = agent.call("recairn_search", query="zeppelin")
    assert found["hits"] == []
    assert found["meta"]["searched"] > 0
    assert "nothing relevant is known" in found["meta"]["hint"]


def test_signs_alone_are_told_that_they_stand_in_no_index(agent):
    found = agent.call("recairn_search", query="???")
    assert found["hits"] == []
    assert "signs alone stand in no index" in found["meta"]["hint"]
    for query in ("zeppelin", " "):
        assert "signs alone" not in agent.call("recairn_search", query=query)["meta"]["hint"]


def test_a_misspelt_question_is_told_the_spelling_that_finds_something(agent):
    agent.call("recairn_add", content="Puffins nest on the pier", kind="fact")
    found = agent.call("recairn_search", query="pufifns")
    assert found["hits"] == []
    assert "“puffins” finds something" in found["meta"]["hint"]


def test_a_search_looks_where_it_is_told_to(agent):
    agent.call("recairn_add", content="Puffins nest on the pier", kind="fact", category="birds")
    assert agent.call("recairn_search", query="puffins nest", kind="fact")["hits"]
    assert not agent.call("recairn_search", query="puffins nest", kind="rule")["hits"]
    assert agent.call("recairn_search", query="puffins nest", category="birds")["hits"]
    assert not agent.call("recairn_search", query="puffins nest", project="heron")["hits"]
    assert agent.call("recairn_search", query="puffins nest", project="*")["hits"]
    assert not agent.call("recairn_search", query="puffins nest", as_of="2001-01-01")["hits"]


def test_unverified_memories_are_found_only_when_asked_for(agent, path):
    with opened(path, clock=now_ms) as memory:
        memory.remember("Walruses run the harbour office", source_type="hook")
    assert not agent.call("recairn_search", query="walruses")["hits"]
    (hit,) = agent.call("recairn_search", query="walruses", include=["unverified"])["hits"]
    assert hit["trust"] == "unverified"
    newest = agent.call("recairn_timeline")["memories"]
    assert "Walruses" not in json.dumps(newest)
    agent.call("recairn_add", content="After the walruses came the seals")
    around = agent.call("recairn_timeline", id=str(hit["id"] + 1))["memories"]
    assert "Walruses run" not in json.dumps(around)


def test_the_reranker_reads_the_best_unless_it_is_switched_off_and_with_deep_then_too(
    connect, path
):
    asked = {"query": "what happens to the sensor on the pier", "detail": "full"}
    with opened(path, clock=now_ms) as memory:
        memory.set_config("retrieval.reranker_ms", "60000")
    usual = connect().call("recairn_search", **asked)["hits"]
    with opened(path, clock=now_ms) as memory:
        memory.set_config("retrieval.reranker", "off")
    # One that begins now: on a server a setting of others counts within two seconds.
    agent = connect()
    plain, deep = (
        agent.call("recairn_search", **asked)["hits"],
        agent.call("recairn_search", **asked, deep=True)["hits"],
    )
    assert len(usual) == len(deep) > 1
    assert all("reranker" in hit["terms"] for hit in (*usual, *deep))
    assert all("reranker" not in hit["terms"] for hit in plain)


def test_unverified_memories_come_neither_by_a_link_nor_as_a_handoff(agent, path):
    with opened(path, clock=now_ms) as memory:
        hidden = memory.remember("Walruses run the harbour office", source_type="hook").id
        memory.link(3, hidden, "relates_to")
        memory.link(3, 1, "relates_to")
        memory.remember("Walruses took over", kind="handoff", source_type="hook")
    walked = agent.call("recairn_search", query="gulls peck the sensor", graph_depth=2)
    assert 1 in [each["id"] for each in walked["hits"]]
    links = agent.call("recairn_get", id="3", show="links")
    handoff = agent.call("recairn_handoff")
    context = agent.call("recairn_context", prompt="walruses in the harbour office")
    prompt = agent.ask("prompts/get", name="handoff")
    assert [each["id"] for each in links["links"]] == [1]
    assert [each["id"] for each in handoff["handoffs"]] == [8]
    assert "Walruses" not in json.dumps([walked, links, handoff, context, prompt])


def test_a_budget_of_tokens_cuts_the_answer(agent):
    for number in range(30):
        content = f"Seal {number} was seen at pier {number * 7} by the harbour watch " * 6
        agent.call("recairn_add", content=content, force=True)
    wide = agent.call("recairn_search", query="seal harbour watch", limit=30)
    tight = agent.call("recairn_search", query="seal harbour watch", limit=30, max_tokens=300)
    assert size(wide) <= MOST
    assert wide["omitted"] + len(wide["hits"]) == 30
    assert size(tight) <= 900
    assert len(tight["hits"]) < len(wide["hits"])


def test_adding_something_like_what_is_known_asks_for_a_decision(agent):
    text = "Gulls peck the ultrasonic sensor: readings under 4 cm are beaks and not water"
    asked = agent.call("recairn_add", content=text)
    assert asked["status"] == "needs_decision"
    assert [each["id"] for each in asked["similar"]] == [3]
    assert "supersede=3" in asked["hint"]
    done = agent.call("recairn_add", content=text, supersede="3")
    assert done["status"] == "superseded"
    assert agent.call("recairn_get", id="3")["superseded_by"] == done["id"]


def test_what_is_added_is_an_agents_and_secrets_do_not_get_in(agent):
    done = agent.call(
        "recairn_add", content="Deploy with ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    )
    assert done["warnings"]
    found = agent.call("recairn_get", id=done["id"], detail="full")
    assert found["source_type"] == "agent"
    assert "a1B2c3D4" not in found["content"]


def test_a_long_memory_is_read_page_by_page(agent):
    text = " ".join(f"word{number}" for number in range(2000))
    added = agent.call("recairn_add", content=text)
    pages, offset = "", 0
    while offset is not None:
        page = agent.call("recairn_get", id=str(added["id"]), offset=offset)
        assert size(page) <= MOST
        pages += page["content"]
        offset = page.get("next_offset")
    assert pages == text
    assert "characters" in agent.refused("recairn_get", id=added["id"], offset=99_999)


def test_history_and_links_of_a_memory_are_shown_when_asked_for(agent):
    agent.call("recairn_update", id="1", action="edit", title="Logging in")
    history = agent.call("recairn_get", id="1", show="history")["history"]
    assert [each["event"] for each in history] == ["updated", "created"]
    agent.call("recairn_update", id="1", action="link", target="2", relation="depends_on")
    (link,) = agent.call("recairn_get", id="1", show="links")["links"]
    assert link["id"] == 2
    assert "depends_on" in link["path"]


def test_feedback_rates_all_memories_or_none(agent):
    assert "no memory 999" in agent.refused("recairn_feedback", ids=["1", "999"])
    rated = agent.call("recairn_feedback", ids=["1", 2], score=0)["rated"]
    assert rated == [
        {"id": 1, "helpful": 0.0, "harmful": 1.0},
        {"id": 2, "helpful": 0.0, "harmful": 1.0},
    ]
    assert agent.call("recairn_feedback", ids="1")["rated"][0]["helpful"] == 1.0


def test_update_changes_a_memory_in_every_way_it_names(agent):
    def done(**given):
        return agent.call("recairn_update", **given)["done"]

    assert done(id="1", action="edit", importance=0.9) == "edited importance"
    assert done(id="1", action="forget", reason="obsolete") == "forgotten; restore brings it back"
    assert done(id="1", action="restore") == "restored"
    assert done(id="1", action="link", target="2", relation="builds_on") == "#1 builds_on #2"
    assert done(id="1", action="unlink", target="2") == "ended: #1 builds_on #2"
    assert done(id="1", action="pin") == "pinned"
    assert done(id="1", action="unpin") == "unpinned"
    assert done(id="1", action="promote") == "now of the tier global"
    assert done(id="1", action="deemphasize").startswith("salience 0.")
    assert done(id="1", action="reinforce").startswith("salience 0.")
    assert done(id="1", action="supersede", target="2") == "#1 is superseded by #2"
    replaced = agent.call("recairn_update", id="5", action="supersede", content="Send at dawn")
    assert replaced["memory"]["content"] == "Send at dawn"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"id": "1", "action": "edit"}, "edit changes nothing"),
        ({"id": "1", "action": "supersede"}, "give content (a new text) or target (an id)"),
        ({"id": "1", "action": "supersede", "content": "x", "target": "2"}, "give content"),
        ({"id": "1", "action": "link"}, "link needs 'target'"),
        ({"id": "1", "action": "forgett"}, "did you mean 'forget'?"),
        ({"id": "404", "action": "forget"}, "there is no memory 404"),
        ({"action": "forget"}, "recairn_update needs 'id'"),
        ({"id": "1", "action": "edit", "importance": 3}, "between 0 and 1"),
        ({"id": "1", "action": "link", "target": "2", "relation": "likes"}, "contradicts"),
    ],
)
def test_update_says_what_is_missing_or_wrong(agent, given, said):
    assert said in agent.refused("recairn_update", **given)


def test_the_timeline_shows_what_was_around_a_memory(agent):
    around = agent.call("recairn_timeline", id="5", before=2, after=1)
    assert around["anchor"] == 5
    assert [each["id"] for each in around["memories"]] == [3, 4, 5, 6]


def test_a_handoff_left_is_what_the_next_one_takes_up(agent):
    left = agent.call(
        "recairn_handoff", content="The legend is missing", next_steps=["draw it"], blockers=["ink"]
    )
    taken = agent.call("recairn_handoff")
    (handoff,) = taken["handoffs"]
    assert handoff["id"] == left["left"]["id"]
    assert taken["threads"] == {"next_steps": ["draw it"], "blockers": ["ink"], "questions": []}
    assert "needs 'content'" in agent.refused("recairn_handoff", next_steps=["x"])


@pytest.mark.parametrize(
    ("tool", "given", "said"),
    [
        ("recairn_search", {}, "recairn_search needs 'query'"),
        ("recairn_search", {"qurey": "x"}, "did you mean 'query'?"),
        ("recairn_search", {"query": "x", "limit": 0}, "limit must be between 1 and 50, got 0"),
        ("recairn_search", {"query": "x", "limit": "many"}, "limit must be a whole number"),
        ("recairn_search", {"query": ["x"]}, "query must be text"),
        ("recairn_search", {"query": "x", "kind": "desicion"}, "did you mean 'decision'?"),
        ("recairn_search", {"query": "x", "include": ["ghosts"]}, "include[0] cannot be 'ghosts'"),
        ("recairn_search", {"query": "x", "since": "whenever"}, "cannot read 'whenever' as a time"),
        ("recairn_add", {"content": "  "}, "nothing to remember"),
        ("recairn_add", {"content": "x", "force": True, "merge": "1"}, "exclude each other"),
        (
            "recairn_add",
            {"content": "x", "kind": "decision", "fields": {"why": "y"}},
            "its fields:",
        ),
        ("recairn_add", {"content": "a\ud800b"}, "half a character"),
        ("recairn_feedback", {"ids": []}, "at least one"),
        ("recairn_get", {"id": {"no": 1}}, "id must be text, got a dict"),
    ],
)
def test_wrong_parameters_are_told_with_the_way_out(agent, tool, given, said):
    assert said in agent.refused(tool, **given)


def test_arguments_that_are_no_object_are_refused(agent):
    result = agent.ask("tools/call", name="recairn_search", arguments=[1])
    assert result["isError"]
    assert agent.ask("tools/call", name="recairn_timeline", arguments=None)["isError"] is False


def test_numbers_as_text_and_null_or_empty_for_nothing_are_understood(agent):
    found = agent.call(
        "recairn_search", query="gulls", limit="1", kind=None, category="", max_tokens=500.0
    )
    assert len(found["hits"]) == 1
    text = "Gulls peck the ultrasonic sensor: readings under 4 cm are beaks and not water"
    replaced = agent.call("recairn_add", content=text, force=False, merge="", supersede=3)
    assert replaced["status"] == "superseded"
    assert agent.call("recairn_handoff", content="", next_steps=None)["handoffs"]


@pytest.mark.files("moves it aside")
def test_a_locked_away_database_is_told_and_used_again_when_it_is_back(agent, path):
    aside = path.with_suffix(".aside")
    path.rename(aside)
    path.mkdir()
    said = agent.refused("recairn_search", query="gulls")
    assert str(path) in said
    path.rmdir()
    aside.rename(path)
    assert agent.call("recairn_search", query="gulls")["hits"]


@pytest.mark.files("replaces it")
def test_a_database_that_was_replaced_is_opened_anew(agent, path, filled):
    first = agent.call("recairn_add", content="Written before the backup came back")
    path.unlink()
    for side in ("-wal", "-shm"):
        path.with_name(path.name + side).unlink(missing_ok=True)
    path.write_bytes(filled.read_bytes())
    assert "no memory" in agent.refused("recairn_get", id=first["id"])
    again = agent.call("recairn_add", content="Written after the backup came back")
    with opened(path, clock=now_ms) as memory:
        assert memory.get(again["id"]).content == "Written after the backup came back"


@pytest.mark.files("damages its bytes")
def test_a_damaged_database_is_an_answer_with_the_fix_until_it_is_mended(agent, path, filled):
    agent.call("recairn_get", id="1")
    path.write_bytes(b"no database at all" * 100)
    assert "recairn doctor" in agent.refused("recairn_search", query="gulls")
    path.write_bytes(filled.read_bytes())
    assert agent.call("recairn_search", query="gulls")["hits"]


def test_a_call_joins_the_session_that_was_started_meanwhile(agent, path):
    agent.call("recairn_search", query="gulls")
    with opened(path, clock=now_ms) as memory:
        session = memory.start_session(agent="test").id
    added = agent.call("recairn_add", content="Made inside the session")
    with opened(path, clock=now_ms) as memory:
        assert memory.get(added["id"]).session_id == session
        memory.end_session(session)
    later = agent.call("recairn_add", content="Made after its end, elsewhere")
    with opened(path, clock=now_ms) as memory:
        assert memory.get(later["id"]).session_id is None


@pytest.mark.parametrize(
    "document",
    [
        {"hits": [{"content": "x" * 50_000}]},
        {"hits": [{"content": "x" * 900} for _ in range(50)]},
        {"a": "x" * 20_000, "b": ["y" * 3_000] * 9, "c": [{"d": [1, 2, 3] * 900}]},
        {"fields": {f"name{number}": "long text " * 40 for number in range(100)}},
    ],
)
def test_an_answer_is_cut_to_the_cap_and_stays_json(document):
    cut = fitted(document)
    assert size(cut) <= MOST or document.get("fields")
    assert json.loads(json.dumps(cut)) == cut
    assert size(document) > MOST  # what was given is left as it was


def test_an_answer_to_a_write_says_that_a_mirror_cannot_follow(agent, tmp_path):
    with opened(tmp_path / "puffin.db") as memory:
        memory.start_mirror(tmp_path / "mirror")
    (tmp_path / "mirror").rename(tmp_path / "elsewhere")
    answer = agent.call("recairn_add", content="Ring the bell in fog, twice a minute")
    assert answer["mirror"].startswith(f"the mirror {tmp_path / 'mirror'} is not there")
    assert "mirror" not in agent.call("recairn_search", query="bell in fog")


def test_a_contradiction_is_told_with_the_calls_that_decide_it(agent):
    old = agent.call("recairn_add", content="Coverage must be 100 percent before release")["id"]
    answer = agent.call("recairn_add", content="Coverage must be 95 percent before release")
    new = answer["id"]
    assert answer["conflicts"] == [old]
    assert f"action=supersede id={old} target={new}" in answer["hint"]
    agent.call("recairn_update", action="unlink", id=str(new), target=str(old))
    (hit, *_) = agent.call("recairn_search", query="coverage before release")["hits"]
    assert "flags" not in hit


@pytest.mark.parametrize(
    ("tool", "given", "said"),
    [
        ("recairn_get", {"id": "404"}, "recairn_timeline lists the newest"),
        ("recairn_update", {"id": "1", "action": "restore"}, "recairn_get id=1"),
        (
            "recairn_update",
            {"id": "1", "action": "unlink", "target": "2"},
            "recairn_get id=1 show=links",
        ),
    ],
)
def test_trouble_names_the_call_that_helps(agent, tool, given, said):
    message = agent.refused(tool, **given)
    assert said in message
    assert "--" not in message
    assert "recairn show" not in message


def test_what_only_a_person_can_do_is_said_to_be_that(agent, tmp_path):
    with opened(tmp_path / "puffin.db") as memory:
        memory.edit(1, immutable=True)
    said = agent.refused("recairn_update", id="1", action="edit", title="x")
    assert "only the user can change it, in a terminal" in said


def test_a_search_that_only_what_was_superseded_answers_says_so(agent):
    old = agent.call("recairn_add", content="Quokkas graze by the old weighbridge")["id"]
    agent.call(
        "recairn_update", id=str(old), action="supersede", content="No pasture is left there"
    )
    meta = agent.call("recairn_search", query="quokkas weighbridge")["meta"]
    assert (
        meta["hint"] == f'only what was superseded fits (#{old}): include=["superseded"] shows it'
    )
