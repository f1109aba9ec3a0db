"""Surfaces talk to the engine alone: what lies below it is not theirs to touch."""

from __future__ import annotations

import ast

import pytest

from tests.repository import SOURCE

# Attributes of the engine that hold what lies below it.
BELOW = frozenset({"store", "meaning"})


def reaches(name: str, code: str) -> list[str]:
    """The places where a file reaches through the engine."""
    return [
        f"{name}:{node.lineno}: {ast.unparse(node)}"
        for node in ast.walk(ast.parse(code))
        if isinstance(node, ast.Attribute) and node.attr in BELOW
    ]


def test_no_surface_reaches_through_the_engine():
    found = [
        line
        for path in sorted((SOURCE / "surfaces").rglob("*.py"))
        for line in reaches(path.relative_to(SOURCE).as_posix(), path.read_text())
    ]
    assert not found, "make it a method of the engine:\n" + "\n".join(found)


@pytest.mark.parametrize("code", ["memory.store.path", "self._memory.meaning.wanted"])
def test_reaching_through_the_engine_is_found(code):
    assert reaches("x.py", f"path = {code}") == [f"x.py:1: {code.rpartition('.')[0]}"]
