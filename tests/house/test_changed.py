"""`run.py test --changed` runs the tests that belong to what changed, and all when in doubt."""

from __future__ import annotations

import pytest

import run

THERE = frozenset(
    {
        "tests/core",
        "tests/data",
        "tests/host",
        "tests/store",
        "tests/memory",
        "tests/memory/capture",
    }
    | {"tests/surfaces", "tests/surfaces/cli", "tests/surfaces/mcp", "tests/durability"}
    | {"tests/store/test_edges.py"}
)


def chosen(*paths: str) -> list[str]:
    return run.tests_of([*paths], THERE.__contains__)


@pytest.mark.parametrize(
    ("path", "tests"),
    [
        ("src/recairn/core/times.py", "tests/core"),
        ("src/recairn/store/sqlite/edges.py", "tests/store"),
        ("src/recairn/memory/capture/rules.py", "tests/memory"),
        ("src/recairn/surfaces/cli/parse.py", "tests/surfaces/cli"),
        ("src/recairn/surfaces/mcp/calls/tx.py", "tests/surfaces/mcp"),
        ("src/recairn/surfaces/render/text.py", "tests/surfaces"),
        ("src/recairn/surfaces/demo.py", "tests/surfaces"),
        ("tests/store/test_edges.py", "tests/store/test_edges.py"),
        ("tests/durability/children.py", "tests/durability"),
        ("tests/surfaces/cli/dialogues/first.md", "tests/surfaces/cli"),
        ("docs/json.md", "tests/surfaces"),
        ("README.md", "tests/surfaces"),
    ],
)
def test_a_change_brings_the_tests_of_its_package_and_the_rules_of_the_house(path, tests):
    assert chosen(path) == sorted(["tests/house", tests])


@pytest.mark.parametrize(
    "path",
    [
        "src/recairn/__init__.py",
        "src/recairn/untested/part.py",
        "tests/conftest.py",
        "tests/corpus.py",
        "tests/data/tx/learnings.jsonl",
        "bench/cold.py",
        "pyproject.toml",
        "requirements-dev.lock",
    ],
)
def test_what_may_concern_every_test_brings_all_of_them(path):
    assert chosen("src/recairn/core/times.py", path) == ["tests"]


@pytest.mark.parametrize("path", ["run.py", "CHANGELOG.md", "docs/decisions/0001-sqlite.md"])
def test_what_only_the_rules_of_the_house_look_at_brings_nothing_else(path):
    assert chosen(path) == ["tests/house"]


def test_a_test_that_is_gone_is_not_asked_for():
    assert chosen("tests/store/test_gone.py") == ["tests/house"]


def test_a_file_inside_a_folder_that_runs_anyway_is_not_named_twice():
    assert chosen("tests/store/test_edges.py", "src/recairn/store/tables.py") == [
        "tests/house",
        "tests/store",
    ]


def test_no_change_brings_no_test():
    assert chosen() == []
