"""The names in `src/recairn/__init__.py`: for type checkers, for `import *`, for loading."""

from __future__ import annotations

import ast

from tools.lazy_parts import SOURCE, Class, tree_of
from tools.public_types import ENGINE, public_types

FILE = SOURCE / "recairn" / "__init__.py"
ERRORS = "recairn.core.errors"
WIDTH = 100
# What a program begins with, and what it may hand in; the name is the public one.
BEGIN = {
    "Draft": Class("recairn.core.model", "Draft"),
    "Filter": Class("recairn.core.model", "Filter"),
    "Recairn": ENGINE,
    "open": Class("recairn.engine", "open_memory"),
}


def errors() -> dict[str, Class]:
    classes = [node for node in tree_of(ERRORS).body if isinstance(node, ast.ClassDef)]
    return {node.name: Class(ERRORS, node.name) for node in classes}


def public_names() -> dict[str, Class]:
    """Every public name and where it is defined."""
    return dict(sorted({**BEGIN, **errors(), **public_types()}.items()))


def imports(names: dict[str, Class]) -> str:
    """The imports that type checkers read, as the formatter would leave them."""
    text = ""
    for module in sorted({home.module for home in names.values()}):
        own = {name: home.name for name, home in names.items() if home.module == module}
        plain = [name for name, inner in own.items() if name == inner]
        line = f"    from {module} import {', '.join(plain)}"
        if len(line) > WIDTH:
            column = "".join(f"        {name},\n" for name in plain)
            line = f"    from {module} import (\n{column}    )"
        text += f"{line}\n"
        for name, inner in own.items():
            if name != inner:
                text += f"    from {module} import {inner} as {name}\n"
    return text


def section(value: str, names: dict[str, Class]) -> str:
    if value == "imports":
        return f"if TYPE_CHECKING:\n    from typing import Any\n\n{imports(names)}"
    if value == "__all__":
        return "__all__ = [\n" + "".join(f'    "{name}",\n' for name in names) + "]\n"
    rows = (f'    "{name}": "{home.address}",\n' for name, home in names.items())
    return "_HOMES = {\n" + "".join(rows) + "}\n"


def kind_of(node: ast.stmt) -> str:
    """Which of the written sections a statement is; "" for one that was typed."""
    if isinstance(node, ast.If):
        return "imports"
    name = ast.unparse(node.targets[0]) if isinstance(node, ast.Assign) else ""
    return name if name in ("__all__", "_HOMES") else ""


def package() -> str:
    """The package's file with its three lists of names written anew."""
    names = public_names()
    lines = FILE.read_text().splitlines(keepends=True)
    for node in reversed(ast.parse("".join(lines)).body):
        kind = kind_of(node)
        if kind:
            lines[node.lineno - 1 : node.end_lineno] = [section(kind, names)]
    return "".join(lines)
