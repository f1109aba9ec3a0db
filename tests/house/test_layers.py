"""Imports point downward: nothing in src/recairn may import what lies above it.

The table is the architecture. A module may import what lies in its own unit, and the rows above its
own line here, which are the lower layers; never a neighbour of its row. Imports inside functions
and under TYPE_CHECKING count like all others.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.repository import SOURCE

# From the bottom up. No unit imports another one of its own row: not even in one direction.
LAYERS = (
    ("core",),
    ("host", "ranking"),
    ("store",),
    ("embed",),
    ("memory",),
    ("work",),
    ("recall",),
    ("sync",),
    ("sources",),
    ("engine",),
    ("__init__", "surfaces", "surfaces.render", "surfaces.bench", "surfaces.install"),
    ("surfaces.cli", "surfaces.mcp", "surfaces.hooks", "surfaces.web"),
    ("__main__", "surfaces.demo", "surfaces.hub"),
)

# Ranking is a pure function of its arguments: no clock, no files, no database, no randomness. Of
# zlib it takes a checksum, which adds up bytes faster than anything else does.
RANKING_MAY_IMPORT = frozenset(
    {"__future__", "bisect", "collections", "functools", "heapq", "itertools", "math", "operator"}
    | {"array", "recairn", "simsimd", "typing", "zlib"}
)

HEIGHT = {name: height for height, row in enumerate(LAYERS) for name in row}
# The surfaces lie in one package, and each of them is a unit of its own.
DIVIDED = "surfaces"


def unit_of(path: Path) -> str:
    """The top-level module or package of src/recairn that a file belongs to."""
    return unit_named([part.removesuffix(".py") for part in path.relative_to(SOURCE).parts])


def unit_named(parts: list[str]) -> str:
    divided = len(parts) > 1 and parts[0] == DIVIDED and parts[1] != "__init__"
    return f"{DIVIDED}.{parts[1]}" if divided else parts[0]


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
    dynamic = name in ("import_module", "__import__", "load")
    return [str(value).replace(":", ".") for value in literals if dynamic]


def target_unit(dotted: str) -> str | None:
    """The unit of src/recairn that an import reaches, and None for one from elsewhere."""
    parts = dotted.split(".")
    if parts[0] != "recairn" or parts[1:] == ["__version__"]:
        return None
    if len(parts) == 1:
        return "__init__"
    exists = (SOURCE / parts[1]).is_dir() or (SOURCE / f"{parts[1]}.py").exists()
    return unit_named(parts[1:]) if exists else "__init__"


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
    return HEIGHT[target] < HEIGHT[unit]


def circles(graph: dict[str, set[str]]) -> list[str]:
    """What is left of the graph when modules that import nothing left, and those that nothing left
    imports, are taken away in turn."""
    left = {unit: set(targets) for unit, targets in graph.items()}
    while True:
        imported = {target for targets in left.values() for target in targets}
        done = {
            unit
            for unit, targets in left.items()
            if not targets & left.keys() or unit not in imported
        }
        if not done:
            return sorted(left)
        left = {unit: targets for unit, targets in left.items() if unit not in done}


def without_type_checking(tree: ast.Module) -> ast.Module:
    """The file as it runs: what only type checkers read is no import."""
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING":
            node.body = [ast.Pass()]
    return tree


def source_files() -> list[Path]:
    return sorted(SOURCE.rglob("*.py"))


def test_every_import_points_downward():
    wrong = [line for path in source_files() for line in violations(path, path.read_text())]
    assert not wrong, "\n" + "\n".join(wrong)


def test_no_modules_import_one_another_in_a_circle():
    """Within a unit too; packages count as what their `__init__` imports."""
    modules = {".".join(dotted_name(path)): path for path in source_files()}
    graph = {}
    for name, path in modules.items():
        tree = without_type_checking(ast.parse(path.read_text()))
        targets = [dotted for _, dotted in imported_names(tree, path)]
        named = {each if each in modules else each.rpartition(".")[0] for each in targets}
        graph[name] = (named & modules.keys()) - {name}
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
        ("store/sqlite.py", "def f():\n    import recairn.surfaces.cli.main", "surfaces.cli"),
        ("store/schema/first.py", "from ...engine import Recairn", "engine"),
        ("core/model.py", "if TYPE_CHECKING:\n    from recairn import recall", "recall"),
        ("ranking/score.py", "from ..store import base", "store"),
        ("ranking/score.py", "from recairn.host import files", "host"),
        ("surfaces/mcp/server.py", "from recairn.surfaces.cli import main", "surfaces.cli"),
        ("surfaces/cli/__init__.py", "from .. import hooks", "surfaces.hooks"),
        ("store/base.py", "import_module('recairn.embed.static')", "embed"),
        ("store/base.py", "load('recairn.embed.static:StaticModel')", "embed"),
        ("engine/base.py", "import recairn", "__init__"),
    ],
)
def test_a_planted_upward_or_sideways_import_is_reported(file, code, target):
    (report,) = violations(SOURCE / file, code)
    assert report.endswith(f"may not import {target}")


@pytest.mark.parametrize(
    ("file", "code"),
    [
        ("surfaces/cli/read.py", "from recairn.engine import Recairn\nfrom . import table"),
        ("surfaces/hooks/prompt.py", "from recairn.surfaces.render import text"),
        ("recall/context.py", "from recairn.recall.search import search"),
        ("store/base.py", "from recairn import __version__"),
        ("store/sqlite.py", "import os\nfrom recairn.core.model import Memory"),
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
