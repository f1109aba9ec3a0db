"""The engine and the store are made of parts that are loaded at first use."""

from __future__ import annotations

import ast
import pydoc
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import recairn
from recairn.core.lazy import assemble, load
from recairn.store.sqlite import SqliteStore

SOURCE = Path(recairn.__file__).parent
# Modules of the two packages that hold no part of the class.
NO_PARTS = {
    "absent",
    "base",
    "connection",
    "copies",
    "text_index",
    "files",
    "memory_table",
    "maintenance",
    "verify",
    "vector_checks",
}
NOT_METHODS = {"Sketches", "Snapshot", "ModelInfo", "Embedded", "MirrorState", "MirrorPull"}


def methods_of(package):
    """(module, class, method) of everything the parts in a package define."""
    found = []
    for path in sorted((SOURCE / package).glob("[a-z]*.py")):
        if path.stem in NO_PARTS:
            continue
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.ClassDef) and node.name not in NOT_METHODS:
                names = [each.name for each in node.body if isinstance(each, ast.FunctionDef)]
                module = ".".join(["recairn", *package.split("/"), path.stem])
                found += [(module, node.name, name) for name in names]
    return found


@pytest.mark.parametrize(
    ("whole", "package", "own"),
    [
        (recairn.Recairn, "engine", set()),
        (SqliteStore, "store/sqlite", {"__init__"}),
        (SqliteStore, "store/statements", set()),
    ],
    ids=["engine", "store", "statements"],
)
def test_every_method_of_every_part_is_the_one_the_whole_has(whole, package, own):
    methods = methods_of(package)
    assert len(methods) > 50
    names = [name for _, _, name in methods]
    assert sorted(names) == sorted(set(names)), "two parts define the same method"
    for module, part, name in methods:
        if name not in own:
            made = vars(getattr(import_module(module), part))[name]
            assert getattr(whole, name) is made, f"{module} {part}.{name}"


def run(program):
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    return done.stdout.splitlines()


def test_a_part_is_loaded_by_the_first_call_of_one_of_its_methods():
    program = """
import sys
import recairn
with recairn.open() as memory:
    print("recairn.engine.remember" in sys.modules)
    kept = memory.remember("Ebb tables are printed in March")
    print("recairn.engine.remember" in sys.modules)
    print("recairn.engine.graph" in sys.modules, "recairn.store.sqlite.tasks" in sys.modules)
    print(memory.get(kept.id).content)
"""
    assert run(program) == ["False", "True", "False False", "Ebb tables are printed in March"]


def test_all_methods_are_listed_before_any_part_is_loaded():
    program = """
import sys
import recairn
print({"link", "tune", "import_from", "add_task", "context"} <= set(dir(recairn.Recairn)))
print([name for name in sys.modules if name.startswith("recairn.engine.")])
"""
    loaded = "['recairn.engine.options', 'recairn.engine.base', 'recairn.engine.parts']"
    assert run(program) == ["True", loaded]


def test_help_shows_the_methods_of_parts_as_those_of_the_class():
    text = pydoc.plain(pydoc.render_doc(recairn.Recairn))
    assert "remember(self, content: 'str', **options" in text
    assert "recairn.core.lazy" not in text


def test_a_method_overridden_by_a_subclass_stays_overridden():
    program = """
import recairn
class Counting(recairn.Recairn):
    def forget(self, *references, **options):
        return "not here"
print(Counting.forget(None))
print(Counting.restore.__qualname__)
print(Counting.forget(None), recairn.Recairn.forget.__qualname__)
"""
    assert run(program) == ["not here", "Changing.restore", "not here Changing.forget"]


def test_a_name_no_part_has_is_an_attribute_error():
    with pytest.raises(AttributeError, match="remembrance"):
        _ = recairn.Recairn.remembrance  # type: ignore[attr-defined]


def test_load_gives_what_an_address_names():
    assert load("recairn.store.sqlite:SqliteStore") is SqliteStore


@pytest.mark.parametrize(
    ("address", "error"),
    [
        ("recairn.core.nowhere:THING", ModuleNotFoundError),
        ("recairn.core.lazy:nothing", AttributeError),
    ],
)
def test_an_address_of_nothing_is_an_error(address, error):
    with pytest.raises(error, match=r"nowhere|nothing"):
        load(address)


def test_modules_are_imported_by_name_in_one_place_alone():
    callers = [
        path.relative_to(SOURCE).as_posix()
        for path in SOURCE.rglob("*.py")
        if any(name in path.read_text() for name in ("__import__(", "import_module("))
    ]
    assert callers == ["core/lazy.py"]


class Plain:
    def answer(self):
        return self.word()

    def word(self):
        return "plain"


class Better:
    def word(self):
        return "better"


def test_a_method_that_one_part_has_instead_of_another_stays_when_the_other_is_loaded():
    whole = type("Whole", (), {})
    assemble(whole, {f"{__name__}:Better": ("word",), f"{__name__}:Plain": ("answer",)})
    assert whole().answer() == "better"
