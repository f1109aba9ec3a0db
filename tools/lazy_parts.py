"""The tables of methods that a class made of lazily loaded parts gets (`recairn.core.lazy`).

They are read from the source, because a part that nothing names yet cannot be found by importing:
the bases that type checkers see, less those that are there when the program runs.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TypeVar

Node = TypeVar("Node", bound=ast.AST)

SOURCE = Path(__file__).resolve().parent.parent / "src"
# A class made of parts, and the module its table is in.
WHOLES = {
    "recairn.engine:Recairn": "recairn.engine.parts",
    "recairn.store.sqlite:SqliteStore": "recairn.store.sqlite.parts",
    "recairn.store.postgres:PostgresStore": "recairn.store.postgres.parts",
}
HEAD = '''\
"""The methods of each lazily loaded part of {name}. Written by `python3 run.py fix`."""

PARTS = {{
'''


@dataclass(frozen=True)
class Class:
    """A class by the module that defines it."""

    module: str
    name: str

    @property
    def address(self) -> str:
        return f"{self.module}:{self.name}"


def path_of(module: str) -> Path:
    path = SOURCE.joinpath(*module.split("."))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


@cache
def tree_of(module: str) -> ast.Module:
    return ast.parse(path_of(module).read_text())


@cache
def all_nodes(module: str) -> list[ast.AST]:
    """The nodes of a module, walked through once: they are asked for again and again."""
    return [*ast.walk(tree_of(module))]


def nodes_of(module: str, kind: type[Node]) -> list[Node]:
    """The nodes of that kind in a module, wherever they stand."""
    return [node for node in all_nodes(module) if isinstance(node, kind)]


def defines(named: Class) -> list[ast.ClassDef]:
    """The class statements of that name in the module."""
    return [node for node in nodes_of(named.module, ast.ClassDef) if node.name == named.name]


def definition(named: Class) -> ast.ClassDef:
    return defines(named)[0]


def origin(module: str, name: str) -> Class:
    """The class that a name stands for in a module, which defines or imports it."""
    for node in nodes_of(module, ast.ImportFrom):
        if node.module:
            for alias in node.names:
                if (alias.asname or alias.name) == name:
                    return Class(node.module, alias.name)
    return Class(module, name)


def with_bases(start: Class) -> list[Class]:
    """A class and all it inherits as type checkers see it."""
    classes = [start]
    for base in definition(start).bases:
        classes += with_bases(origin(start.module, ast.unparse(base)))
    return classes


def loaded_at_once(whole: Class) -> list[Class]:
    """What the class inherits when the program runs: `_Parts` is then what `else` assigns."""
    names = {ast.unparse(base) for base in definition(whole).bases}
    for node in tree_of(whole.module).body:
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            assigned = [each for each in node.orelse if isinstance(each, ast.Assign)]
            names |= {ast.unparse(each.value) for each in assigned}
    names.discard("_Parts")
    return [base for name in sorted(names) for base in with_bases(origin(whole.module, name))]


def methods(part: Class) -> list[str]:
    return [node.name for node in definition(part).body if isinstance(node, ast.FunctionDef)]


def parts(whole: Class) -> dict[str, list[str]]:
    """The parts loaded at first use, by address, with their methods."""
    at_once = set(loaded_at_once(whole))
    taken = {name for part in at_once for name in methods(part)}
    named: dict[str, list[str]] = {}
    # What a part inherits comes after it, and does not take the place of its methods.
    for part in dict.fromkeys(with_bases(whole)):
        if part in at_once or part.module == whole.module:
            continue
        named[part.address] = [name for name in methods(part) if name not in taken]
        taken.update(named[part.address])
    return {address: names for address, names in sorted(named.items()) if names}


def table(whole: Class) -> str:
    """The module that holds the table, as the formatter would leave it."""
    text = HEAD.format(name=whole.name)
    for address, names in parts(whole).items():
        if len(names) == 1:
            text += f'    "{address}": ("{names[0]}",),\n'
        else:
            lines = "".join(f'        "{name}",\n' for name in names)
            text += f'    "{address}": (\n{lines}    ),\n'
    return text + "}\n"


def tables() -> dict[Path, str]:
    """The text of every table by its file."""
    return {
        SOURCE.joinpath(*module.split(".")).with_suffix(".py"): table(Class(*address.split(":")))
        for address, module in WHOLES.items()
    }
