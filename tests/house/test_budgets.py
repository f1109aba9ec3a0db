"""Modules, functions and parameter lists of src stay small enough to read at one go."""

from __future__ import annotations

import ast

from tests.repository import ROOT

MODULE_LINES = 450
FUNCTION_LINES = 50
PARAMETERS = 6

# What is over budget, as measured: {"src/recairn/x.py: f has 7 parameters, 6 are allowed"}.
# May only shrink: an entry that no longer matches fails, and so does a new excess.
EXCEPTIONS: frozenset[str] = frozenset()

Function = ast.FunctionDef | ast.AsyncFunctionDef


def excesses(name: str, code: str) -> list[str]:
    """One line for each budget that a file breaks."""
    found = []
    lines = len(code.splitlines())
    if lines > MODULE_LINES:
        found.append(f"{name}: the module has {lines} lines, {MODULE_LINES} are allowed")
    tree = ast.parse(code)
    methods = {
        child for node in ast.walk(tree) if isinstance(node, ast.ClassDef) for child in node.body
    }
    for node in ast.walk(tree):
        if isinstance(node, Function):
            found += function_excesses(f"{name}: {node.name}", node, node in methods)
    return found


def function_excesses(name: str, node: Function, is_method: bool) -> list[str]:
    found = []
    length = (node.end_lineno or node.lineno) - node.lineno + 1
    if length > FUNCTION_LINES:
        found.append(f"{name} has {length} lines, {FUNCTION_LINES} are allowed")
    count = parameter_count(node, is_method)
    if count > PARAMETERS:
        found.append(f"{name} has {count} parameters, {PARAMETERS} are allowed")
    return found


def parameter_count(node: Function, is_method: bool) -> int:
    """Every parameter but self or cls; *args and **kwargs are one each."""
    given = node.args
    positional = [*given.posonlyargs, *given.args]
    decorators = {getattr(decorator, "id", "") for decorator in node.decorator_list}
    bound = bool(positional) and is_method and "staticmethod" not in decorators
    starred = [star for star in (given.vararg, given.kwarg) if star]
    return len(positional) + len(given.kwonlyargs) + len(starred) - bound


def test_no_module_function_or_parameter_list_is_over_budget():
    measured = {
        line
        for path in sorted((ROOT / "src").rglob("*.py"))
        for line in excesses(path.relative_to(ROOT).as_posix(), path.read_text())
    }
    assert measured - EXCEPTIONS == set()
    assert EXCEPTIONS - measured == set(), "mended: take these out of EXCEPTIONS"


def test_a_module_of_451_lines_is_over_budget():
    assert excesses("m", "x = 1\n" * 450) == []
    assert excesses("m", "x = 1\n" * 451) == ["m: the module has 451 lines, 450 are allowed"]


def test_a_function_of_51_lines_is_over_budget():
    assert excesses("m", "def f():\n" + "    x = 1\n" * 49) == []
    assert excesses("m", "def f():\n" + "    x = 1\n" * 50) == ["m: f has 51 lines, 50 are allowed"]


def test_a_seventh_parameter_is_over_budget_wherever_it_stands():
    over = ["m: f has 7 parameters, 6 are allowed"]
    assert excesses("m", "def f(a, b, c, d, e, f): ...") == []
    assert excesses("m", "def f(a, b, /, c, d, *e, f, **g): ...") == over
    assert excesses("m", "async def f(a, b, c, d, e, f, g): ...") == over


def test_self_and_cls_are_not_counted():
    assert excesses("m", "class C:\n    def f(self, a, b, c, d, e, f): ...") == []
    assert excesses("m", "class C:\n    @classmethod\n    def f(cls, a, b, c, d, e, f): ...") == []
    assert excesses("m", "class C:\n    @staticmethod\n    def f(a, b, c, d, e, f, g): ...") == [
        "m: f has 7 parameters, 6 are allowed"
    ]
