"""How a test run came out is read off the answer."""

from __future__ import annotations

import pytest

from recairn.surfaces.hooks.test_runs import passed

CLAUDE = {"stderr": "", "interrupted": False, "isImage": False}


@pytest.mark.parametrize(
    ("command", "response", "failed", "outcome"),
    [
        ("pytest", {**CLAUDE, "stdout": "3 passed in 0.12s"}, False, True),
        ("make test", {**CLAUDE, "stdout": "all well"}, False, True),
        ("pytest | tail -1", {**CLAUDE, "stdout": "1 failed, 2 passed in 0.12s"}, False, False),
        ("make test | tail -1", {**CLAUDE, "stdout": "make: done"}, False, None),
        ("pytest", "Exit code 1\n1 failed", True, False),
        ("pytest", {**CLAUDE, "stdout": "", "interrupted": True}, False, None),
        ("pytest", {"exit_code": 0, "output": ""}, False, True),
        ("pytest", {"output": "boom", "metadata": {"exit_code": 1}}, False, False),
        ("pytest", {"output": "boom", "metadata": {"exit_code": 2}}, False, None),
        ("pytest", {"output": "1 error in 0.1s", "metadata": {"exit_code": 2}}, False, False),
        ("cd a && .venv/bin/python -m pytest x", {"output": "", "exit_code": 4}, False, None),
        ("pytest x", "Exit code 4\nERROR: file or directory not found: x", True, None),
        ("pytest", "Exit code 5\nno tests ran in 0.01s", True, None),
        ("npm test", 'Exit code 1\nnpm error Missing script: "test"', True, None),
        ("make test", "Exit code 2\nmake: *** No rule to make target 'test'.  Stop.", True, None),
        ("tox", {"output": "tox: command not found", "exit_code": 127}, False, None),
        ("cargo test", {"output": "", "exit_code": 137}, False, None),
        (
            "go test ./...",
            {"output": "no tests to run\nok  shop 1s", "exit_code": 0},
            False,
            True,
        ),
        ("go test ./...", "Exit code: 0\nOutput:\nok  shop/tide 0.01s", False, True),
        ("go test ./...", "Process exited with code 1\n--- FAIL: TestTide", False, False),
        ("cargo test", "test result: ok. 4 passed; 0 failed;", False, True),
        ("cargo test", "test result: FAILED. 3 passed; 1 failed;", False, False),
        ("npx jest", "Tests:       2 failed, 9 passed, 11 total", False, False),
        ("npx jest", [{"type": "text", "text": "Tests:       9 passed, 9 total"}], False, True),
        ("make test", "done", False, None),
        ("make test", None, False, None),
    ],
)
def test_the_outcome_comes_from_status_and_summary(command, response, failed, outcome):
    assert passed(command, response, failed=failed) is outcome
