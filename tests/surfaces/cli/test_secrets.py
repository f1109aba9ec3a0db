"""A secret that comes in by any door of the command line is not in the database afterwards."""

from __future__ import annotations

import json
import string

import pytest

from tests.corpus import kept_at

# In pieces, so that no scanner takes it for a leak.
BODY = "Zk3vQ9" + "xW2mLr" + "8TnB5y" + "HcJ7pD" + "4sFgV6" + "aKeU1q"
SECRET = "gh" + "p_" + BODY

# The exit status of a command line that was not understood: no door at all.
USAGE = 2

# The doors: command lines with {} where the secret goes. A bar parts words.
DOORS = [
    "add|{}",
    "add|The value is {}",
    "add|Wipe the lens|--title|{}",
    "add|Wipe the lens|-c|{}",
    "add|Wipe the lens|--keyword|{}",
    "add|Wipe the lens|--source-ref|{}",
    "add|Wipe the lens|--external-id|{}",
    "add|Wipe the lens|--rationale|{}|--alternative|{}",
    "add|Wipe the lens|--url|https://example.org/?token={}|--kind|resource",
    "add|Wipe the lens|--kind|note|--field|summary={}",
    "add|Wipe the lens|--kind|handoff|--branch|{}|--file|{}|--commit|{}",
    "add|Wipe the lens|--kind|entity|--alias|{}|--entity-type|{}",
    "add|Wipe the lens|--scope|{}|--kind|rule",
    "add|Wipe the lens|--project|{}",
    "add|Wipe the lens|--session|{}",
    "search|{}",
    "search|lens {}",
    "search|lens|--project|{}",
    "context|{}",
    "miss|{}",
    "miss|lens|--note|{}",
    "edit|1|--content|Now {}",
    "edit|1|--title|{}",
    "supersede|1|Now {}",
    "forget|1|--reason|{}",
    "helpful|1|--note|{}",
    "session|start|{}",
    "session|start|--summary|{}",
    "session|start|--agent|{}",
    "handoff|{}",
    "task|add|{}",
    "task|add|Mend the lamp|--description|{}",
    "task|add|Mend the lamp|-c|{}",
    "task|add|Mend the lamp|--id|{}",
    "task|add|{}|--project|{}",
    "observe|echo|{}",
    "session|end|{}",
    "undo|--session|{}",
    "config|set|my.{}|1",
    "config|set|my.setting|{}",
    "config|set|my.api_key|" + BODY,
    "config|set|embedding.external.url|http://localhost:1/?token={}",
    "config|set|compaction.command|summary --token {}",
    "doc|add|notes-{}.md",
    "doc|add|titled.md",
    "import|draft.jsonl",
    "import|graph.json",
    "import|draft-{}.jsonl",
]


@pytest.fixture
def outside(tmp_path):
    """Files that hold a secret in a name, a title, an id, or what they say."""
    draft = {"content": "Wipe the lens", "external_id": SECRET, "keywords": [SECRET]}
    entity = {"type": "entity", "name": SECRET, "entityType": SECRET, "observations": [SECRET]}
    relation = {"type": "relation", "from": SECRET, "to": SECRET, "relationType": SECRET}
    (tmp_path / f"notes-{SECRET}.md").write_text("# Lamp\n\nWipe the lens.\n", "utf-8")
    (tmp_path / "titled.md").write_text(f"# Lamp {SECRET}\n\nWipe the lens.\n", "utf-8")
    (tmp_path / "draft.jsonl").write_text(json.dumps(draft) + "\n", "utf-8")
    (tmp_path / f"draft-{SECRET}.jsonl").write_text('{"content": "Lamps"}\n', "utf-8")
    (tmp_path / "graph.json").write_text(f"{json.dumps(entity)}\n{json.dumps(relation)}\n", "utf-8")


def kept(home) -> str:
    """Everything the database and the files beside it hold, as text."""
    return kept_at(home / "memories.db").decode("latin-1")


@pytest.mark.parametrize("door", DOORS)
def test_a_secret_at_a_door_is_not_kept(recairn, own_home, outside, door):
    recairn("add", "The lamp is lit at dusk")
    recairn("add", "The bell is rung at noon")
    ran = recairn(*(word.replace("{}", SECRET) for word in door.split("|")))

    assert ran.status != USAGE, ran.err
    assert BODY[:12] not in kept(own_home)
    assert BODY[-12:] not in kept(own_home)


def test_a_secret_in_a_hook_is_not_kept(recairn, own_home):
    recairn("add", "The lamp is lit at dusk")
    for event in ("SessionStart", "UserPromptSubmit", "PostToolUse", "Stop", "SessionEnd"):
        told = {
            "hook_event_name": event,
            "session_id": f"s-{SECRET}",
            "prompt": f"always use {SECRET} for the lamp",
            "tool_name": "Bash",
            "tool_input": {"command": f"deploy --token {SECRET}"},
            "tool_response": {"stdout": SECRET},
        }
        recairn("hook", "--agent", "claude", stdin=json.dumps(told))
        recairn("hook", stdin=json.dumps(told))

    assert BODY[:12] not in kept(own_home)


def test_a_setting_that_is_a_secret_is_refused_with_the_way_to_do_it(recairn):
    ran = recairn("config", "set", "my.api_key", BODY)
    assert ran.status != 0
    assert "environment variable" in ran.err
    assert BODY not in ran.err


def test_what_was_declared_to_be_no_secret_may_be_listed_and_set(recairn, own_home):
    assert recairn("config", "set", "redaction.allow", SECRET).status == 0
    assert recairn("config", "set", "my.setting", SECRET).status == 0
    assert SECRET in kept(own_home)


def test_a_project_whose_name_holds_a_secret_is_found_again(recairn, own_home):
    recairn("add", "The lamp is lit at dusk", "--project", SECRET)
    other = SECRET.translate(str.maketrans(string.digits, string.digits[::-1]))
    assert "lamp" in recairn("search", "lamp dusk", "--project", SECRET).out
    assert "lamp" not in recairn("list", "--project", other).out
    assert BODY[:12] not in kept(own_home)
