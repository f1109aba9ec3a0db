"""What tools did is noted in the session."""

from __future__ import annotations

import pytest

from tests.surfaces.hooks.conftest import SESSION


@pytest.fixture
def notes(store):
    def read():
        with store(session=SESSION) as memory:
            return memory.notes()

    return read


PATCH = (
    "*** Begin Patch\n*** Update File: src/tide.py\n@@\n-a\n+b\n*** Add File: b.md\n*** End Patch"
)


@pytest.mark.parametrize(
    ("tool", "given", "files"),
    [
        ("Edit", {"file_path": "{here}/src/tide.py", "old_string": "a"}, ["src/tide.py"]),
        ("Write", {"file_path": "{here}/README.md", "content": "x"}, ["README.md"]),
        ("MultiEdit", {"file_path": "{here}/a.py", "edits": []}, ["a.py"]),
        ("NotebookEdit", {"notebook_path": "{here}/n.ipynb"}, ["n.ipynb"]),
        ("Edit", {"file_path": "/etc/hosts"}, ["/etc/hosts"]),
        ("apply_patch", {"command": PATCH}, ["src/tide.py", "b.md"]),
        ("apply_patch", {"input": PATCH}, ["src/tide.py", "b.md"]),
        ("shell", {"command": ["apply_patch", PATCH]}, ["src/tide.py", "b.md"]),
        ("write_file", {"file_path": "{here}/g.py"}, ["g.py"]),
    ],
)
def test_touched_files_are_noted(hook, notes, checkout, tool, given, files):
    given = {
        name: value.replace("{here}", str(checkout)) if isinstance(value, str) else value
        for name, value in given.items()
    }
    said = hook("PostToolUse", tool_name=tool, tool_input=given, tool_response={"ok": True})
    assert said == (0, "", "")
    assert notes() == {"files": files}


def test_cursors_own_events_are_understood(hook, notes, checkout):
    hook("afterFileEdit", file_path=str(checkout / "a.ts"), edits=[])
    hook("afterShellExecution", command="npm test", output="Tests: 3 passed, 3 total")
    assert notes() == {"files": ["a.ts"], "tests": ["npm test: passed"]}


def test_copilots_arguments_inside_a_string_are_understood(hook, notes):
    result = {"resultType": "failure", "textResultForLlm": "broken"}
    hook("postToolUse", toolName="bash", toolArgs='{"command": "go test ./..."}', toolResult=result)
    assert notes() == {"tests": ["go test ./...: failed"]}


def test_a_test_run_is_noted_with_its_outcome(hook, notes):
    response = {"stdout": "4 passed", "stderr": "", "interrupted": False}
    hook(
        "PostToolUse",
        tool_name="Bash",
        tool_input={"command": "uv run pytest -q", "description": "Run tests"},
        tool_response=response,
        tool_use_id="toolu_1",
    )
    error = "Exit code 1\nFAILED tests/test_tide.py"
    hook("PostToolUseFailure", tool_name="Bash", tool_input={"command": "make test"}, error=error)
    assert notes() == {"tests": ["uv run pytest -q: passed", "make test: failed"]}


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("Read", {"file_path": "/a"}),
        ("Bash", {"command": "ls"}),
        ("Edit", {}),
        ("Edit", {"file_path": 7}),
        ("Bash", {"command": None}),
        ("mcp__recairn__search", {"query": "x"}),
        ("", "not even an object"),
    ],
)
def test_other_tools_leave_nothing(hook, notes, tool, given):
    said = hook("PostToolUse", tool_name=tool, tool_input=given, tool_response="")
    assert said == (0, "", "")
    assert notes() == {}


def test_an_edit_that_failed_touched_nothing(hook, notes, checkout):
    given = {"file_path": str(checkout / "a.py")}
    hook("PostToolUseFailure", tool_name="Edit", tool_input=given, error="no match")
    assert notes() == {}


@pytest.mark.parametrize(
    ("name", "answer", "helped", "harmed"),
    [
        ("PostToolUse", {"tool_response": {"stdout": "4 passed", "stderr": ""}}, True, False),
        ("PostToolUseFailure", {"error": "Exit code 1\n1 failed"}, False, True),
    ],
)
def test_a_test_run_says_something_about_what_was_handed_out(
    hook, store, name, answer, helped, harmed
):
    with store() as memory:
        memory.remember("Tide charts are drawn in metres")
    with store(session=SESSION) as memory:
        memory.add_task("Draw the tide chart", id="t-chart")
        memory.start_task("t-chart")
    hook("UserPromptSubmit", prompt="go on with t-chart")
    hook(name, tool_name="Bash", tool_input={"command": "pytest -q"}, **answer)
    with store() as memory:
        known = memory.get(1)
    assert (known.helpful > 0.0, known.harmful > 0.0) == (helped, harmed)
