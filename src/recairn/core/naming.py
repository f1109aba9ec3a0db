"""Whether a text names a thing of the work: a file by its path, a symbol by its name. Pure."""

from __future__ import annotations

from recairn.core.scopes import files_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

# Files that many folders have: one of them is meant only where its folder is named, too.
_COMMON = frozenset(
    "__init__.py __main__.py conftest.py main.py app.py setup.py utils.py config.py settings.py"
    " models.py views.py tests.py index.js index.ts index.tsx index.jsx index.html index.css"
    " main.js main.ts main.go main.rs main.c mod.rs lib.rs package.json tsconfig.json"
    " pyproject.toml Cargo.toml go.mod README.md CHANGELOG.md requirements.txt Makefile"
    " Dockerfile types.ts page.tsx layout.tsx route.ts styles.css".split()
)
# What stands before the word that says what is defined.
_BEFORE = frozenset(
    "export default pub public private protected internal static final abstract async const open"
    " override inline virtual unsafe extern".split()
)
_DEFINES = frozenset(
    "def class function fn func fun struct interface enum trait type module object record".split()
)
# A shorter name is a word that any text may hold.
_SHORTEST_SYMBOL = 6
# Lines of a file that are looked at; what is shown of it is seldom longer.
_LINES = 2000
_NO_NAME = str.maketrans(dict.fromkeys("()[]{}<>.,;:'\"`=+-*/|&!?@#$%^~\\", " "))


def names_file(text: str, path: str) -> bool:
    """Whether a text means a file: by its path from any folder on, or by a name that is its own."""
    whole, common = f"/{path.strip('/')}", path.rpartition("/")[2] in _COMMON
    return any(
        whole.endswith(f"/{name}") and ("/" in name or not common) for name in files_in(text)
    )


def names_symbol(text: str, symbol: str) -> bool:
    """Whether a symbol stands in a text, as it is written and not inside another."""
    start = text.find(symbol)
    while start >= 0:
        end = start + len(symbol)
        around = text[start - 1 : start] + text[end : end + 1]
        if not any(character.isalnum() or character == "_" for character in around):
            return True
        start = text.find(symbol, start + 1)
    return False


def is_symbol(name: str) -> bool:
    """Whether a word can only be a name of code: `retry_payment`, `TideGauge`, not `retry`."""
    if len(name) < _SHORTEST_SYMBOL or not name.isidentifier() or not name.isascii():
        return False
    return "_" in name.strip("_") or (not name.isupper() and name[1:] != name[1:].lower())


def symbols_in(code: str, most: int) -> list[str]:
    """The names of code in a piece of it, in order."""
    words = dict.fromkeys(code.translate(_NO_NAME).split())
    return [word for word in words if is_symbol(word)][:most]


def definitions_in(code: str, most: int) -> list[str]:
    """The names that a file defines, in order."""
    names: dict[str, None] = {}
    for line in code.split("\n", _LINES)[:_LINES]:
        words = line.translate(_NO_NAME).split(None, 6)
        while words and words[0] in _BEFORE:
            del words[0]
        if len(words) > 1 and words[0] in _DEFINES and is_symbol(words[1]):
            names[words[1]] = None
    return list(names)[:most]


def phrases_of(files: Sequence[str], symbols: Sequence[str]) -> list[str]:
    """What the index is asked for: texts that name one of them hold one of these."""
    return [*dict.fromkeys([file.rpartition("/")[2] for file in files] + list(symbols))]
