"""The types a program meets: what the public methods of `Recairn` return, and what is in those.

Found in the source by annotations, most of which are imported for type checkers alone.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tools.lazy_parts import Class, defines, definition, nodes_of, origin, with_bases

ENGINE = Class("recairn.engine", "Recairn")


def is_public(name: str) -> bool:
    return not name.startswith("_")


def public_methods() -> Iterator[tuple[Class, ast.FunctionDef]]:
    """Every public method and property of the engine, with the part that defines it."""
    for part in dict.fromkeys(with_bases(ENGINE)):
        for node in definition(part).body:
            if isinstance(node, ast.FunctionDef) and is_public(node.name):
                yield part, node


def types_in(module: str, annotation: ast.expr | None) -> Iterator[Class]:
    """Our own classes that an annotation names, through aliases too."""
    for node in [] if annotation is None else ast.walk(annotation):
        if isinstance(node, ast.Name):
            named = origin(module, node.id)
            if not named.module.startswith("recairn."):
                continue
            if defines(named):
                yield named
            else:
                yield from types_in(named.module, alias(named))


def alias(named: Class) -> ast.expr | None:
    """What a name is assigned to in its module; None for a builtin."""
    for node in nodes_of(named.module, ast.Assign):
        if ast.unparse(node.targets[0]) == named.name:
            return node.value
    return None


def annotations_of(type: Class) -> Iterator[ast.expr | None]:
    """The annotations of a type's public fields and properties."""
    for node in definition(type).body:
        if isinstance(node, ast.AnnAssign) and is_public(ast.unparse(node.target)):
            yield node.annotation
        elif isinstance(node, ast.FunctionDef) and is_public(node.name):
            yield node.returns


def public_types() -> dict[str, Class]:
    """By name, everything that a public method returns, and all that is in its fields."""
    waiting = [
        each for part, method in public_methods() for each in types_in(part.module, method.returns)
    ]
    types: dict[str, Class] = {}
    while waiting:
        each = waiting.pop()
        if each == ENGINE or types.get(each.name) == each:
            continue
        assert each.name not in types, f"{each.address} and {types[each.name].address}"
        types[each.name] = each
        waiting += [inner for one in annotations_of(each) for inner in types_in(each.module, one)]
    return dict(sorted(types.items()))
