"""What `import recairn` offers, and what it costs."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import recairn
from recairn.core import errors
from recairn.core.errors import BadInput
from tests.repository import DOCS
from tools.public_types import public_methods, public_types


def names_type_checkers_see():
    """The names imported for type checkers at the top of the package."""
    tree = ast.parse(Path(recairn.__file__).read_text())
    block = next(node for node in tree.body if isinstance(node, ast.If))
    return {
        alias.asname or alias.name
        for node in block.body
        if isinstance(node, ast.ImportFrom) and node.module != "typing"
        for alias in node.names
    }


def test_the_public_names_are_sorted_and_each_is_there():
    assert recairn.__all__ == sorted(set(recairn.__all__))
    for name in recairn.__all__:
        assert getattr(recairn, name).__module__.startswith("recairn."), name


def test_the_public_names_are_those_a_type_checker_sees():
    assert names_type_checkers_see() == set(recairn.__all__)


def test_what_the_design_promises_is_public():
    assert {"open", "Recairn", "RecairnError", "Draft", "Memory", "Hit", "SearchResult"} <= set(
        recairn.__all__
    )
    assert {
        "remember",
        "remember_many",
        "search",
        "get",
        "listing",
        "edit",
        "forget",
        "restore",
        "supersede",
        "feedback",
        "history",
        "undo",
        "stats",
        "verify",
        "close",
        "context",
        "add_task",
        "ledger",
    } <= set(dir(recairn.Recairn))


def test_every_error_is_public_and_drawn_in_the_tree():
    raised = {
        name: value
        for name, value in vars(errors).items()
        if isinstance(value, type) and issubclass(value, Exception)
    }
    assert len(raised) > 10
    tree = (errors.__doc__ or "").partition("\n\n")[2]
    assert [line.strip("│├└─ ").split()[0] for line in tree.splitlines()] == list(raised)
    for name, error in raised.items():
        assert getattr(recairn, name) is error


def test_whoever_catches_a_public_error_catches_what_is_raised(memory):
    with pytest.raises(recairn.NotFound) as caught:
        memory.resolve("#42")
    assert isinstance(caught.value, recairn.RecairnError)
    assert caught.value.hint


def test_every_type_that_a_public_method_returns_is_public():
    types = public_types()
    assert {"SearchResult", "Hit", "Term", "Task", "Session", "ModelInfo", "Way"} <= types.keys()
    lacking = types.keys() - set(recairn.__all__)
    assert not lacking, f"run: python3 run.py fix (for {sorted(lacking)})"
    for name, home in types.items():
        assert getattr(recairn, name).__module__ == home.module


def test_what_a_call_returns_is_of_a_public_type(puffin):
    result = puffin.search("tide")
    puffin.add_task("Mend the lamp")
    returned = [result, result.meta, *result.hits, *result.hits[0].terms.values(), *puffin.tasks()]
    returned += [*puffin.models(), *puffin.history(1), puffin.verify(), puffin.context("tide")]
    for value in returned:
        assert type(value) is getattr(recairn, type(value).__name__)


def test_the_page_of_the_api_names_every_method_type_and_error():
    page = (DOCS / "python.md").read_text()
    methods = {node.name for _, node in public_methods()}
    assert len(methods) > 100
    for name in methods:
        assert f"\n    {name}(" in page or f"\n    {name}: " in page, name
    for name in recairn.__all__:
        assert name in page


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="remembrance"):
        _ = recairn.remembrance


def test_a_star_import_brings_exactly_the_public_names():
    space: dict[str, object] = {}
    exec("from recairn import *", space)
    assert space.keys() - {"__builtins__"} == set(recairn.__all__)


def test_importing_the_package_loads_nothing_else():
    program = (
        "import sys; before = set(sys.modules); import recairn;"
        " print(sorted(set(sys.modules) - before - {'recairn', '__future__'}))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


def test_the_package_says_that_it_is_typed():
    assert Path(recairn.__file__).with_name("py.typed").exists()


def test_every_public_method_is_documented():
    for name in dir(recairn.Recairn):
        value = getattr(recairn.Recairn, name)
        if callable(value) and not name.startswith("_"):
            assert value.__doc__, name


def keys_of(name: str) -> set[str]:
    """The keys of a TypedDict, which exists for type checkers alone."""
    from recairn.core import keyword_arguments

    tree = ast.parse(Path(keyword_arguments.__file__).read_text())
    classes = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    body = next(node.body for node in classes if node.name == name)
    return {str(ast.unparse(node.target)) for node in body if isinstance(node, ast.AnnAssign)}


def test_a_type_checker_knows_every_option_of_search_and_remember(memory):
    for name, call in (("SearchOptions", memory.search), ("DraftOptions", memory.remember)):
        with pytest.raises(BadInput) as caught:
            call("lamp", no_such_option=1)
        taken = caught.value.hint.rpartition("known: ")[2].split(", ")
        assert keys_of(name) | {"content"} == {*taken, "content"}
