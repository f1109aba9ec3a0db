"""The API keeps what docs/openapi.json promises: every address, every field, every type."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest

import recairn
from recairn.core.times import DAY
from recairn.surfaces.web.answers import ROUTES
from tests.repository import DOCS
from tests.surfaces.web.serving import Served
from tests.surfaces.web.town import QUESTION, SESSION, tidewater

pytestmark = pytest.mark.thorough

PROMISED = json.loads((DOCS / "openapi.json").read_text())
# Bytes; what one answer may hold, whatever is remembered.
MOST_BYTES = 50_000
TYPES: dict[str, Any] = {
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
    "array": list,
    "object": dict,
    "null": type(None),
}


def faults(value: Any, schema: dict[str, Any], at: str = "answer") -> Iterator[str]:
    """Where a value is not what a schema of our file says: types, missing and unknown fields."""
    if "$ref" in schema:
        yield from faults(
            value, PROMISED["components"]["schemas"][schema["$ref"].split("/")[-1]], at
        )
        return
    if "anyOf" in schema:
        found = [list(faults(value, each, at)) for each in schema["anyOf"]]
        yield from [] if [] in found else found[0]
        return
    named = schema.get("type", [])
    kinds = [named] if isinstance(named, str) else named
    right = any(
        isinstance(value, TYPES[kind]) and (kind == "boolean" or not isinstance(value, bool))
        for kind in kinds
    )
    if kinds and not right:
        yield f"{at} is {value!r:.60}, not {' or '.join(kinds)}"
    elif isinstance(value, list):
        for number, each in enumerate(value):
            yield from faults(each, schema.get("items", {}), f"{at}[{number}]")
    elif isinstance(value, dict):
        yield from _of_fields(value, schema, at)


def _of_fields(value: dict[str, Any], schema: dict[str, Any], at: str) -> Iterator[str]:
    known = schema.get("properties", {})
    others = schema.get("additionalProperties", {})
    yield from (
        f"{at}.{name} is missing" for name in schema.get("required", ()) if name not in value
    )
    for name, each in value.items():
        if name not in known and others is False:
            yield f"{at}.{name} is not promised"
        else:
            yield from faults(each, known.get(name, others), f"{at}.{name}")


def promise(method: str, address: str) -> dict[str, Any]:
    answers = PROMISED["paths"][address][method.lower()]["responses"]
    return answers["200"]["content"]["application/json"]["schema"]


@pytest.fixture(scope="module")
def town(tmp_path_factory) -> Iterator[Served]:
    with tidewater(tmp_path_factory.mktemp("town")) as served:
        yield served


def test_every_address_is_described_and_every_description_is_answered():
    described = {
        (method.upper(), path) for path, methods in PROMISED["paths"].items() for method in methods
    }
    answered = {(method, path) for method, path, _ in ROUTES}
    assert described == answered | {("POST", "/api/key"), ("GET", "/api/changes")}


def test_every_answer_is_as_described_and_small(town):
    question = quote(QUESTION)
    uid = town.get("/api/documents")["documents"][0]["uid"]
    asked: list[tuple[str, str, str, Any]] = [
        ("GET", "/api/first", "", None),
        ("GET", "/api/overview", "", None),
        ("GET", "/api/overview", "?project=*", None),
        ("GET", "/api/search", f"?q={question}", None),
        ("GET", "/api/search", f"?q={question}&as_of=2026-09-20&replaced=1&docs=1&limit=15", None),
        ("GET", "/api/search", "?q=zeppelin&all=1", None),
        ("GET", "/api/search", f"?q={question}&deep=1", None),
        ("GET", "/api/histogram", "", None),
        ("POST", "/api/misses", "", {"query": "zeppelin"}),
        ("GET", "/api/memories", "?limit=3", None),
        ("POST", "/api/memories/bulk", "?category=payments", {"act": "forget", "preview": True}),
        ("GET", "/api/memories/{id}", "", None),
        ("GET", "/api/memories/{id}/similar", "", None),
        ("GET", "/api/review", "", None),
        ("GET", "/api/sessions", "", None),
        ("GET", "/api/rules", "?agent=claude", None),
        *(
            ("GET", "/api/ledger", f"?by={by}", None)
            for by in ("day", "agent", "session", "memory")
        ),
        ("GET", "/api/ledger", "?by=memory&unused=1", None),
        ("POST", "/api/try", "", {"prompt": QUESTION, "files": ["src/pay.py"]}),
        ("GET", "/api/graph/{id}", "?hops=2", None),
        ("GET", "/api/documents", "", None),
        ("GET", "/api/tasks", "?all=1", None),
        ("GET", "/api/projects", "", None),
        ("GET", "/api/health", "", None),
        ("POST", "/api/memories/{id}/{act}", "", ("rate", {"score": 1})),
        ("POST", "/api/memories/{id}/{act}", "", ("pin", {"pinned": True})),
        ("POST", "/api/memories/{id}/{act}", "", ("edit", {"changes": {"category": "pay"}})),
        ("POST", "/api/memories/{id}/{act}", "", ("correct", {"content": "It was the 5th"})),
    ]
    seen = set()
    for method, address, query, body in asked:
        path = address.replace("{id}", "12") + query
        if isinstance(body, tuple):
            path, body = path.replace("{act}", body[0]), body[1]
        answer = town.ask(method, path, body)
        assert answer.status == 200, (path, answer)
        assert list(faults(answer.json, promise(method, address))) == [], path
        assert len(answer.body) <= MOST_BYTES, path
        seen.add((method, address))
    events = town.post("/api/memories/6/forget")["events"]
    others: list[tuple[str, str, str, Any]] = [
        ("POST", "/api/undo", "/api/undo", {"events": events}),
        ("GET", "/api/sessions/{id}", f"/api/sessions/{SESSION}", None),
        ("POST", "/api/sessions/{id}/undo", f"/api/sessions/{SESSION}/undo", {"preview": True}),
        ("GET", "/api/documents/{id}", f"/api/documents/{uid}", None),
        ("GET", "/api/tasks/{id}", "/api/tasks/t-limit", None),
        ("POST", "/api/tasks/{id}/{act}", "/api/tasks/t-limit/start", {}),
        (
            "POST",
            "/api/projects/rename",
            "/api/projects/rename",
            {"name": "tidewater", "new": "tide"},
        ),
        ("POST", "/api/projects/merge", "/api/projects/merge", {"source": "tide", "into": "sea"}),
    ]
    for method, address, path, body in others:
        answer = town.ask(method, path, body)
        assert answer.status == 200, (path, answer)
        assert list(faults(answer.json, promise(method, address))) == [], path
        seen.add((method, address))
    assert seen == {(method, path) for method, path, _ in ROUTES}
    trouble = town.ask("GET", "/api/memories/999")
    assert list(faults(trouble.json, {"$ref": "#/components/schemas/Error"})) == []


def test_a_list_tells_what_not_to_do_from_what_works(serve, tmp_path):
    with recairn.open(str(tmp_path / "memories.db"), project="lantern", model="none") as memory:
        memory.remember("Trim the wick first", kind="pattern")
        memory.remember("Trim it lit", kind="pattern", fields={"anti_pattern": True})
    listed = serve("--project", "lantern").get("/api/memories")["memories"]
    told = {each["content"]: each["anti_pattern"] for each in listed}
    assert told == {"Trim the wick first": False, "Trim it lit": True}


def test_a_look_back_says_what_became_of_what_was_known_then(serve, tmp_path):
    now = [1_750_000_000_000]
    path = str(tmp_path / "memories.db")
    with recairn.open(path, project="lantern", model="none", clock=lambda: now[0]) as memory:
        old = memory.remember("The lamp burns oil").id
        gone = memory.remember("Lamp oil comes by boat").id
        now[0] += 10 * DAY
        new = memory.remember("The lamp burns gas", supersede=old, force=True).id
        memory.forget(gone or 0)
    served = serve("--project", "lantern")
    hits = served.get("/api/search?q=lamp&as_of=2025-06-16")["hits"]
    since = {hit["id"]: hit["since"] for hit in hits}
    assert since[old]["replaced_by"] == new
    assert since[old]["replaced_at"].startswith("2025-06-25")
    assert since[gone]["forgotten_at"].startswith("2025-06-25")
    assert "since" not in served.get("/api/search?q=lamp")["hits"][0]


def test_what_an_agent_named_with_a_slash_is_found_under_its_name(serve, tmp_path):
    with recairn.open(str(tmp_path / "memories.db"), project="lantern", model="none") as memory:
        memory.start_session("feat/lamp", agent="codex")
        memory.add_task("Oil the bearings", id="feat/oil")
    served = serve("--project", "lantern")
    assert served.get("/api/sessions/feat%2Flamp")["session"]["id"] == "feat/lamp"
    assert served.post("/api/sessions/feat%2Flamp/undo", {"preview": True})["count"] == 0
    assert served.get("/api/tasks/feat%2Foil")["status"] == "open"
    assert served.post("/api/tasks/feat%2Foil/start")["task"]["status"] == "active"


def test_the_first_sight_is_what_its_parts_say_apart(lighthouse):
    first = lighthouse.get("/api/first")
    assert first["overview"] == lighthouse.get("/api/overview")
    assert first["histogram"] == lighthouse.get("/api/histogram")
    assert first["memories"] == lighthouse.get("/api/memories?limit=10")


def test_how_often_a_memory_was_handed_out_is_counted_whole(serve, tmp_path):
    with recairn.open(str(tmp_path / "memories.db"), project="lantern", model="none") as memory:
        memory.remember("Never switch the lamp off", kind="rule")
        for _ in range(41):
            memory.context(prompt="when does the lamp go off", surface="mcp")
    shown = serve("--project", "lantern").get("/api/memories/1")
    assert (len(shown["handed_out"]), shown["times_handed_out"], shown["times_used"]) == (40, 41, 0)


def test_a_fault_is_found():
    schema = {"$ref": "#/components/schemas/Span"}
    assert list(faults({"text": "x", "mark": True}, schema)) == []
    assert len(list(faults({"text": 1, "other": True}, schema))) == 3


def test_lists_stay_small_however_long_their_texts_are(serve, tmp_path):
    with recairn.open(str(tmp_path / "memories.db"), project="lantern", model="none") as memory:
        for number in range(60):
            long = "lamp " + " ".join(f"w{number}x{word}" for word in range(900))
            trust = "unverified" if number % 2 else "verified"
            fields = {"rationale": long}
            memory.remember(long, kind="decision", fields=fields, trust=trust, force=True)
    served = serve("--project", "lantern")
    for path in ("/api/memories?limit=50", "/api/search?q=lamp&limit=15", "/api/review"):
        assert len(served.ask("GET", path).body) <= MOST_BYTES, path


# What one asks may be wrong


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/api/search?q=x&limit=999", 400),
        ("/api/search?q=x&kind=nonsense", 400),
        ("/api/search?q=x&as_of=never", 400),
        ("/api/search?q=x&replaced=perhaps", 400),
        ("/api/memories?after=nonsense", 400),
        ("/api/memories?order=sideways", 400),
        ("/api/memories/nonsense", 404),
        ("/api/sessions/nobody", 404),
        ("/api/tasks/nothing", 404),
        ("/api/graph/12?hops=9", 400),
        ("/api/ledger?by=colour", 400),
        ("/api/nothing", 404),
    ],
)
def test_a_wrong_question_is_told_as_such(town, path, status):
    answer = town.ask("GET", path)
    assert answer.status == status
    assert answer.json["error"]["message"]


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/api/memories/1/explode", {}),
        ("/api/memories/1/rate", {"score": "much"}),
        ("/api/memories/1/rate", {"score": True}),
        ("/api/memories/1/edit", {"changes": ["content"]}),
        ("/api/memories/1/replace", {"content": "12"}),
        ("/api/memories/bulk", {"act": "correct"}),
        ("/api/memories/bulk", {"act": "forget", "ids": ["1"]}),
        ("/api/undo", {}),
        ("/api/undo", {"task": "t-limit"}),
        ("/api/try", {}),
        ("/api/tasks/t-limit/explode", {}),
    ],
)
def test_a_wrong_act_changes_nothing(town, path, body):
    before = town.get("/api/memories/1")
    assert town.ask("POST", path, body).status == 400
    assert town.get("/api/memories/1") == before


def test_a_step_of_a_task_is_taken_back_unless_somebody_went_on(lighthouse):
    began = lighthouse.post("/api/tasks/t-oil/start")
    lighthouse.post("/api/undo", began["back"])
    assert lighthouse.get("/api/tasks/t-oil")["status"] == "open"
    blocked = lighthouse.post("/api/tasks/t-oil/block", {"reason": "no oil"})
    done = lighthouse.post("/api/tasks/t-oil/done", {"outcome": "success"})
    late = lighthouse.ask("POST", "/api/undo", blocked["back"])
    assert (late.status, late.error) == (409, "Refused")
    assert lighthouse.get("/api/tasks/t-oil")["status"] == "done"
    lighthouse.post("/api/undo", done["back"])
    task = lighthouse.get("/api/tasks/t-oil")
    assert (task["status"], task["outcome"]) == ("blocked", None)
    lighthouse.post("/api/tasks/t-oil/open")


def test_a_miss_is_taken_back(lighthouse):
    before = lighthouse.get("/api/health")["misses"]
    back = lighthouse.post("/api/misses", {"query": "who paints the tower"})["back"]
    assert lighthouse.get("/api/health")["misses"] == before + 1
    lighthouse.post("/api/undo", back)
    assert lighthouse.get("/api/health")["misses"] == before
    assert lighthouse.ask("POST", "/api/undo", back).status == 404
