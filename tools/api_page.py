"""docs/python.md, written from the engine's methods, the types they return, and the errors."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tools.lazy_parts import SOURCE, Class, definition, origin, tree_of, with_bases
from tools.public_names import BEGIN, ERRORS
from tools.public_types import ENGINE, is_public, public_methods, public_types

FILE = SOURCE.parent / "docs" / "python.md"
# Columns of a signature on one line.
WIDTH = 92
# The modules of the engine in the order a reader wants them; those not named come last.
ORDER = (
    "remember recall changes aging graph sessions session_notes tasks context review learning"
    " documents imports exchange models queries base"
).split()
HEAD = """\
# The Python API

This page is written from the code (`python3 run.py fix`). Everything the command line does is a
method of `Recairn`, which `recairn.open()` gives:

```python
import recairn

with recairn.open() as memory:
    memory.remember("Always run migrations in a transaction", kind="rule")
    for hit in memory.search("migrations").hits:
        print(hit.id, hit.score, hit.memory.content)
```

One `Recairn` is for one thread. Everything named here is in `recairn` itself
(`recairn.SearchResult`, `except recairn.NotFound`), loaded when first used. A `reference` to a
memory is its id, `#42`, the beginning of its uid, or its external id. Times are milliseconds since
1970; where text may stand for one, it is a date, a time or an age (`2026-11-15`, `7d`).

## Opening

"""


def first_paragraph(node: ast.FunctionDef | ast.ClassDef) -> str:
    return (ast.get_docstring(node) or "").partition("\n\n")[0]


def whole_docstring(node: ast.FunctionDef | ast.ClassDef) -> str:
    return ast.get_docstring(node) or ""


def spelled(annotation: ast.expr | None) -> str:
    """An annotation as a reader wants it: `Unpack[SearchOptions]` is `SearchOptions`."""
    text = "" if annotation is None else ast.unparse(annotation)
    return text[len("Unpack[") : -1] if text.startswith("Unpack[") else text


def parameters(node: ast.FunctionDef) -> list[str]:
    """The parameters but `self`, as they are written."""
    given = node.args
    shown = []
    positional = [*given.posonlyargs, *given.args]
    defaults = [None] * (len(positional) - len(given.defaults)) + list(given.defaults)
    pairs = list(zip(positional, defaults, strict=True))
    shown += [parameter(argument, default) for argument, default in pairs if argument.arg != "self"]
    if given.vararg:
        shown.append("*" + parameter(given.vararg, None))
    elif given.kwonlyargs:
        shown.append("*")
    named = zip(given.kwonlyargs, given.kw_defaults, strict=True)
    shown += [parameter(argument, default) for argument, default in named]
    return [*shown, "**" + parameter(given.kwarg, None)] if given.kwarg else shown


def parameter(argument: ast.arg, default: ast.expr | None) -> str:
    text = f"{argument.arg}: {spelled(argument.annotation)}"
    return text if default is None else f"{text} = {ast.unparse(default)}"


def signature(node: ast.FunctionDef, name: str) -> str:
    """The method as a block of code, on one line where it fits."""
    returns = spelled(node.returns)
    if any(ast.unparse(mark) == "property" for mark in node.decorator_list):
        return f"    {name}: {returns}\n"
    shown = parameters(node)
    line = f"    {name}({', '.join(shown)}) -> {returns}\n"
    if len(line) <= WIDTH:
        return line
    column = "".join(f"        {each},\n" for each in shown)
    return f"    {name}(\n{column}    ) -> {returns}\n"


def method(node: ast.FunctionDef, name: str) -> str:
    return f"{signature(node, name)}\n{first_paragraph(node)}\n\n"


def place(part: Class) -> int:
    name = part.module.rpartition(".")[2]
    return ORDER.index(name) if name in ORDER else len(ORDER)


def parts() -> Iterator[str]:
    """A section for each part of the engine."""
    methods = list(public_methods())
    for part in sorted(dict.fromkeys(with_bases(ENGINE)), key=place):
        own = [node for home, node in methods if home == part]
        if own:
            yield f"## {first_paragraph(definition(part)).removesuffix('.')}\n\n"
            yield from (method(node, node.name) for node in own)


def options() -> dict[str, Class]:
    """The sets of keyword arguments that methods take."""
    found = {}
    for part, node in public_methods():
        text = "" if node.args.kwarg is None else ast.unparse(node.args.kwarg.annotation or node)
        if text.startswith("Unpack["):
            found[spelled(ast.parse(text, mode="eval").body)] = part.module
    return {name: origin(module, name) for name, module in sorted(found.items())}


def fields(node: ast.ClassDef) -> str:
    """The fields and properties of a type, one a line."""
    text = ""
    for each in node.body:
        if isinstance(each, ast.AnnAssign) and is_public(ast.unparse(each.target)):
            default = "" if each.value is None else f" = {ast.unparse(each.value)}"
            text += f"    {ast.unparse(each.target)}: {spelled(each.annotation)}{default}\n"
        elif isinstance(each, ast.FunctionDef) and is_public(each.name):
            text += signature(each, each.name)
    return text


def section(name: str, home: Class) -> str:
    node = definition(home)
    about = whole_docstring(node)
    return f"### {name}\n\n" + (f"{about}\n\n" if about else "") + f"{fields(node)}\n"


def tree() -> str:
    """The errors as their module draws them."""
    text = ast.get_docstring(tree_of(ERRORS)) or ""
    lines = text.partition("\n\n")[2].splitlines()
    return "".join(f"    {line}\n" for line in lines)


def page() -> str:
    """The whole page."""
    opening = next(
        node
        for node in tree_of(BEGIN["open"].module).body
        if isinstance(node, ast.FunctionDef) and node.name == BEGIN["open"].name
    )
    text = HEAD + signature(opening, "recairn.open") + f"\n{whole_docstring(opening)}\n\n"
    text += "".join(parts())
    text += "## Options\n\nKeyword arguments; all may be left out.\n\n"
    text += "".join(section(name, home) for name, home in options().items())
    text += "## Types\n\nRecords: they cannot be assigned to, and compare by value.\n\n"
    types = {**{name: BEGIN[name] for name in ("Draft", "Filter")}, **public_types()}
    text += "".join(section(name, home) for name, home in sorted(types.items()))
    text += "## Errors\n\nEach has a `message` and a `hint`: what happened, and what to do.\n\n"
    return text + tree()
