"""Test runs are recognised by their command, and their outcome by the answer."""

from __future__ import annotations

import pytest

from recairn.surfaces.hooks.test_runs import passed
from recairn.surfaces.hooks.test_runs import test_command as command_of

TESTS = [
    "pytest",
    "pytest -q tests/test_x.py::test_y",
    "python -m pytest -x",
    "python3.12 -m unittest discover",
    "cd api && uv run pytest -q",
    "CI=1 npm test",
    "npm run test:unit -- --watch=false",
    "pnpm test",
    "yarn test src",
    "bun test",
    "npx vitest run",
    "cargo test --workspace",
    "cargo +nightly nextest run",
    "go test ./...",
    "mvn -q test",
    "./gradlew :app:test",
    "dotnet test",
    "make -j4 test",
    "make check",
    "just test",
    "bundle exec rspec",
    "bin/rails test",
    "vendor/bin/phpunit",
    "mix test",
    "swift test",
    "ctest --output-on-failure",
    "bazel test //...",
    "docker compose exec -T api pytest",
    "timeout 60 nice -n 10 python manage.py test",
    "python3 run.py test",
    "pytest 2>&1 | tail -5",
]
OTHERS = [
    "ls tests",
    "cat pytest.ini",
    "pip install pytest",
    "git commit -m 'pytest passes'",
    "npm install",
    "npm run build",
    "cargo build",
    "go vet ./...",
    "grep -rn test src",
    "vim test.py",
    "make build",
    "pytest --version",
    "pytest --collect-only",
    "echo npm test",
    "",
]


@pytest.mark.parametrize("command", TESTS)
def test_a_command_that_runs_tests_is_recognised(command):
    assert command_of(command) is not None


@pytest.mark.parametrize("command", OTHERS)
def test_other_commands_run_no_tests(command):
    assert command_of(command) is None


def test_only_the_part_that_runs_tests_is_named():
    assert command_of("cd api && CI=1 uv run pytest -q; echo done") == "CI=1 uv run pytest -q"


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
        ("pytest", {"output": "boom", "metadata": {"exit_code": 2}}, False, False),
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
