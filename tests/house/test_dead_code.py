"""Whatever is written down in the package is of use to somebody in it."""

from __future__ import annotations

import ast
import re
from collections import Counter, defaultdict

from tests.repository import ROOT, SOURCE

# Named nowhere else in the package, and why each stays all the same. May only shrink.
FOR_OTHERS = {
    "STATED_ERROR": "the promise of the token estimate, which its tests hold it to",
    "VARIABLES": "what tests take out of the environment, so that no agent is found there",
    "match_text": "the text index alone, without ranking: what its contract is tested by",
    "send_400_response": "uvicorn calls it by that name",
}


def defined(tree: ast.Module) -> list[str]:
    """The names of functions, methods and classes of a module, and of what it sets at its top."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    names = [node.name for node in ast.walk(tree) if isinstance(node, kinds)]
    for node in tree.body:
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        inside = [part for target in targets if target is not None for part in ast.walk(target)]
        names += [part.id for part in inside if isinstance(part, ast.Name)]
    return [name for name in names if not name.startswith("__")]


def test_every_name_that_is_defined_is_used_in_the_package_or_public():
    said: Counter[str] = Counter()
    definitions: dict[str, list[str]] = defaultdict(list)
    for path in SOURCE.rglob("*.py"):
        text = path.read_text()
        # The tables of lazy parts name every method: that is no use of it.
        if path.name != "parts.py":
            said.update(re.findall(r"\w+", text))
        for name in defined(ast.parse(text)):
            definitions[name].append(path.relative_to(SOURCE).as_posix())
    public = set(re.findall(r"\w+", (ROOT / "docs" / "python.md").read_text()))

    unused = {
        name: places
        for name, places in definitions.items()
        if said[name] <= len(places) and name not in public
    }
    assert {name: unused[name] for name in unused.keys() - FOR_OTHERS.keys()} == {}
    assert FOR_OTHERS.keys() - unused.keys() == set(), "used now: take these out of FOR_OTHERS"
