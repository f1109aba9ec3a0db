"""The contract of stores: small protocols, nothing of one engine in them, and all of it tested."""

from __future__ import annotations

import ast
import re

import pytest

from tests.repository import ROOT, SOURCE

PROTOCOLS = sorted((SOURCE / "store" / "contract").glob("[a-z]*.py"))
# The suite that every store must pass; what only one engine does is tested elsewhere.
SUITE = [
    path
    for path in sorted((ROOT / "tests" / "store").glob("test_*.py"))
    if "open_store" in path.read_text()
    or re.search(r"def test_\w+\((store|gull|ledger)", path.read_text())
]
MOST_METHODS = 15
# A tuple of several things that have no names; `tuple[Finding, ...]` is a row of one kind.
BARE = re.compile(r"tuple\[(?!\w+, \.\.\.\])|tuple\[Any")
# Words of an engine, of files, and of how rows are numbered.
FOREIGN = ("sqlite", "apsw", "fts5", "pragma", "postgres", "psycopg", "pgvector", "rowid")


def methods(path):
    """The methods that the protocols of a module promise."""
    return [
        function
        for node in ast.parse(path.read_text()).body
        if isinstance(node, ast.ClassDef)
        for function in node.body
        if isinstance(function, ast.FunctionDef)
    ]


def called(path):
    """Every name that is called on something in a file."""
    return {
        node.func.attr
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    }


@pytest.mark.parametrize("path", PROTOCOLS, ids=lambda path: path.stem)
def test_a_protocol_has_few_methods_and_says_what_each_promises(path):
    promised = methods(path)
    assert len(promised) <= MOST_METHODS
    assert [function.name for function in promised if not ast.get_docstring(function)] == []


@pytest.mark.parametrize("path", PROTOCOLS, ids=lambda path: path.stem)
def test_no_signature_knows_an_engine_or_hands_out_a_bare_tuple(path):
    for function in methods(path):
        signature = ast.unparse(function.args).lower()
        answer = ast.unparse(function.returns) if function.returns else ""
        assert not any(word in signature + answer.lower() for word in FOREIGN), function.name
        assert not BARE.search(answer), f"{function.name} answers {answer}: give it a row type"


def test_every_method_of_every_protocol_is_called_in_the_suite():
    tested = set().union(*map(called, SUITE))
    promised = {function.name for path in PROTOCOLS for function in methods(path)}
    assert len(promised) > 100
    assert sorted(promised - tested) == []


@pytest.mark.parametrize("path", SUITE, ids=lambda path: path.stem)
def test_the_suite_names_no_engine(path):
    text = path.read_text().lower()
    assert [word for word in (*FOREIGN, "_c.") if word in text] == []
