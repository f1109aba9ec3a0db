"""Imports point downward: nothing in src/recairn may import what lies above it.

The table is the architecture. A module may import the rows above its own line here, which are the
lower layers; within its own row it may import a neighbour only where the row says so, and never in
a circle. Imports inside functions and under TYPE_CHECKING count like all others.
"""

from __future__ import annotations

import ast
from pathlib import Path
from typing import NamedTuple

import pytest

SOURCE = Path(__file__).resolve().parent.parent / "src" / "recairn"


class Layer(NamedTuple):
    modules: frozenset[str]
    neighbours: bool  # may modules of this row import one another?


def layer(names: str, *, neighbours: bool) -> Layer:
    return Layer(frozenset(names.split()), neighbours)


# From the bottom up.
LAYERS = (
    layer("record errors model parts", neighbours=True),
    layer(
        "text tokens kinds ids times classify similarity reach projects checkout files"
        " capture plainjson ownblock outside fence scopes safefiles readable",
        neighbours=True,
    ),
    layer("ranking", neighbours=False),
    layer("store embed", neighbours=False),
    layer("guard", neighbours=False),
    layer("drafts known meaning", neighbours=False),
    layer("salvage backup", neighbours=False),
    layer("doctor", neighbours=False),
    layer(
        "remember search context lifecycle graph sessions tasks feedback tracking undo"
        " blocks handouts handoffs stale ingest export links linkstates entities reached"
        " consolidate queries portable versions arrivals arrivinglinks belongings taking mirror"
        " review notes pins tune observe compact learned documents",
        neighbours=True,
    ),
    layer("options", neighbours=False),
    layer("engine", neighbours=False),
    layer("__init__ render measure install", neighbours=False),
    layer("cli mcp hooks web", neighbours=False),
    layer("__main__ demo", neighbours=False),
)

# Ranking is a pure function of its arguments: no clock, no files, no database, no randomness.
RANKING_MAY_IMPORT = frozenset(
    {"__future__", "bisect", "collections", "functools", "heapq", "itertools", "math", "operator"}
    | {"array", "recairn", "simsimd", "typing"}
)

HEIGHT = {name: height for height, row in enumerate(LAYERS) for name in row.modules}


def unit_of(path: Path) -> str:
    """The top-level module or package of src/recairn that a file belongs to."""
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def dotted_name(path: Path) -> list[str]:
    parts = ["recairn", *path.relative_to(SOURCE).with_suffix("").parts]
    return parts[:-1] if parts[-1] == "__init__" else parts


def imported_names(tree: ast.AST, path: Path) -> list[tuple[int, str]]:
    """Every (line, dotted name) a file imports; `from a import b` gives a.b."""
    package = dotted_name(path) if path.name == "__init__.py" else dotted_name(path)[:-1]
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [(node.lineno, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            origin = ".".join([*base, *([node.module] if node.module else [])])
            found += [(node.lineno, f"{origin}.{alias.name}") for alias in node.names]
        elif isinstance(node, ast.Call):
            found += [(node.lineno, name) for name in dynamically_imported(node)]
    return found


def dynamically_imported(call: ast.Call) -> list[str]:
    name = getattr(call.func, "attr", getattr(call.func, "id", ""))
    literals = [arg.value for arg in call.args[:1] if isinstance(arg, ast.Constant)]
    return [str(value) for value in literals if name in ("import_module", "__import__")]


def target_unit(dotted: str) -> str | None:
    """The unit of src/recairn that an import reaches, and None for one from elsewhere."""
    parts = dotted.split(".")
    if parts[0] != "recairn" or parts[1:] == ["__version__"]:
        return None
    if len(parts) == 1:
        return "__init__"
    exists = (SOURCE / parts[1]).is_dir() or (SOURCE / f"{parts[1]}.py").exists()
    return parts[1] if exists or parts[1] in HEIGHT else "__init__"


def arrows(path: Path, code: str) -> list[tuple[int, str]]:
    """The (line, unit) pairs of a file's imports that leave its own unit, in order."""
    names = imported_names(ast.parse(code), path)
    targets = {(line, target_unit(dotted)) for line, dotted in names}
    return sorted((line, unit) for line, unit in targets if unit and unit != unit_of(path))


def violations(path: Path, code: str) -> list[str]:
    unit = unit_of(path)
    if unit not in HEIGHT:
        return [f"{unit} is in no row of LAYERS; add it to the row it belongs to (test_layers.py)"]
    return [
        f"src/recairn/{path.relative_to(SOURCE)}:{line}: {unit} may not import {target}"
        for line, target in arrows(path, code)
        if not allowed(unit, target)
    ]


def allowed(unit: str, target: str) -> bool:
    if target not in HEIGHT:  # reported once, where the target itself is looked at
        return True
    beside = HEIGHT[target] == HEIGHT[unit] and LAYERS[HEIGHT[unit]].neighbours
    return beside or HEIGHT[target] < HEIGHT[unit]


def circles(graph: dict[str, set[str]]) -> list[str]:
    """What is left of the graph when modules that import nothing left are taken away in turn."""
    left = {unit: set(targets) for unit, targets in graph.items()}
    while True:
        done = {unit for unit, targets in left.items() if not targets & left.keys()}
        if not done:
            return sorted(left)
        left = {unit: targets for unit, targets in left.items() if unit not in done}


def source_files() -> list[Path]:
    return sorted(SOURCE.rglob("*.py"))


def test_every_import_points_downward():
    wrong = [line for path in source_files() for line in violations(path, path.read_text())]
    assert not wrong, "\n" + "\n".join(wrong)


def test_no_modules_import_one_another_in_a_circle():
    graph: dict[str, set[str]] = {}
    for path in source_files():
        targets = {unit for _, unit in arrows(path, path.read_text())}
        graph.setdefault(unit_of(path), set()).update(targets)
    assert circles(graph) == []


def test_ranking_imports_nothing_that_could_make_it_impure():
    wrong = [
        f"src/recairn/{path.relative_to(SOURCE)}:{line}: ranking may not import {dotted}"
        for path in source_files()
        if unit_of(path) == "ranking"
        for line, dotted in imported_names(ast.parse(path.read_text()), path)
        if dotted.split(".")[0] not in RANKING_MAY_IMPORT
    ]
    assert not wrong, "\n" + "\n".join(wrong)


@pytest.mark.parametrize(
    ("file", "code", "target"),
    [
        ("store/sqlite.py", "from recairn.engine import Recairn", "engine"),
        ("store/sqlite.py", "def f():\n    import recairn.cli.main", "cli"),
        ("store/schema/first.py", "from ...engine import Recairn", "engine"),
        ("model.py", "if TYPE_CHECKING:\n    from recairn import search", "search"),
        ("ranking/score.py", "from ..store import base", "store"),
        ("mcp/server.py", "from recairn.cli import main", "cli"),
        ("cli/__init__.py", "from .. import hooks", "hooks"),
        ("embed/base.py", "import_module('recairn.store.vectors')", "store"),
        ("engine.py", "import recairn", "__init__"),
    ],
)
def test_a_planted_upward_or_sideways_import_is_reported(file, code, target):
    (report,) = violations(SOURCE / file, code)
    assert report.endswith(f"may not import {target}")


@pytest.mark.parametrize(
    ("file", "code"),
    [
        ("cli/read.py", "from recairn.engine import Recairn\nfrom . import table"),
        ("context.py", "from recairn.search import search"),
        ("store/base.py", "from recairn import __version__"),
        ("store/sqlite.py", "import os\nfrom recairn.model import Memory"),
    ],
)
def test_a_downward_import_is_allowed(file, code):
    assert violations(SOURCE / file, code) == []


def test_a_module_outside_the_table_is_told_to_join_it():
    (report,) = violations(SOURCE / "helpers.py", "")
    assert report.startswith("helpers is in no row of LAYERS; add it")


def test_a_circle_is_found():
    graph = {"model": set(), "search": {"context", "model"}, "context": {"search"}}
    assert circles(graph) == ["context", "search"]
