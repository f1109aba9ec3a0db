"""Whether a rule applies: its scope against the files and the words of the work at hand.

A scope names files and modules, several apart by commas: `*.sql`, `src/billing/**`, `docs/`,
`shop.billing`, `billing`. A pattern without a slash fits a file of that name in any folder. A
module fits its file or folder, and work that names it. No scope fits everything.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_GLOB = "*?["
# What stands between the names in a text.
_BETWEEN = str.maketrans(dict.fromkeys("`'\"()<>[]{},;|*", " "))
_MANY = 50  # files; a longer list is a directory listing, not a task

_FILE_ENDINGS = frozenset(
    "py js ts tsx jsx mjs go rs c h cc cpp hpp cs java kt rb php swift sh bash sql md rst txt json "
    "yaml yml toml ini cfg conf html css scss vue svelte lock xml proto tf env ipynb lua pl ex exs "
    "zig nix gradle".split()
)


def is_file_name(name: str) -> bool:
    """Whether a name ends as the files of a project do."""
    stem, dot, ending = name.rpartition(".")
    return bool(stem and dot) and ending in _FILE_ENDINGS


def files_in(text: str) -> tuple[str, ...]:
    """The files and folders a text names, in order."""
    files: dict[str, None] = {}
    for piece in text.translate(_BETWEEN).split():
        if "/" in piece or "." in piece:
            name = _without_line(piece.rstrip(".:!?"))
            if "://" not in name and "@" not in name and _is_path(name):
                files[normal(name).strip("/")] = None
    return tuple(files)[:_MANY]


def _without_line(name: str) -> str:
    """`tide.py` out of `tide.py:42:7` and `tide.py#L42`."""
    for sign in "#:":
        name = (
            name.partition(sign)[0]
            if name.partition(sign)[2].strip("L0123456789:-") == ""
            else name
        )
    return name


def _is_path(name: str) -> bool:
    """A name that ends as files do, or a path of folders; `e.g`, `3.5` and `and/or` are neither."""
    deep = name.startswith(("./", "/")) or name.rstrip("/").count("/") > 1 or name.endswith("/")
    return is_file_name(name) or (deep and "/" in name and any(map(str.isalnum, name)))


def normal(path: str) -> str:
    """The path with forward slashes and without a leading `./`."""
    path = path.replace("\\", "/")
    while path.startswith("./"):
        path = path[2:]
    return path


def applies(scope: str, files: Iterable[str], words: frozenset[str]) -> bool:
    """Whether the scope fits one of the files, or names a module among the words."""
    patterns = [pattern.strip() for pattern in scope.replace(",", " ").split()]
    if not patterns:
        return True
    paths = [normal(file).strip("/") for file in files]
    return any(_fits(normal(pattern), paths, words) for pattern in patterns)


def words_of(text: str) -> frozenset[str]:
    """The words a module may be named by: lower case, dots inside kept."""
    return frozenset(word.strip(".:!?/") for word in text.lower().translate(_BETWEEN).split())


def _fits(pattern: str, paths: list[str], words: frozenset[str]) -> bool:
    if any(sign in pattern for sign in _GLOB):
        if not paths:
            return False
        ending = pattern[1:]
        if pattern[0] == "*" and not any(sign in ending for sign in (*_GLOB, "/", "\n")):
            return any(part.endswith(ending) for path in paths for part in path.split("/"))
        import re

        wanted = re.compile(_translated(pattern))
        return any(wanted.fullmatch(path) for path in paths)
    bare = pattern.strip("/")
    if any(_under(path, bare) for path in paths):
        return True
    if "/" in pattern:
        return False
    return bare.lower() in words or any(_in_module(path, bare) for path in paths)


def _under(path: str, name: str) -> bool:
    """Whether the path is that file or folder, or lies in it, at the root or any depth."""
    return f"/{name}/" in f"/{path}/"


def _in_module(path: str, name: str) -> bool:
    """Whether the path is the module's file, or lies in its folder: shop.billing, billing."""
    folder = name.replace(".", "/")
    stem, dot, ending = path.rpartition(".")
    bare = stem if dot and "/" not in ending else path
    return f"/{folder}/" in f"/{bare}/"


def _translated(pattern: str) -> str:
    """The glob as a regular expression: `**` crosses folders, `*` and `?` do not."""
    anchored = "/" in pattern.rstrip("/")
    body = pattern.strip("/") if anchored else pattern.rstrip("/")
    made = "" if anchored else "(?:.*/)?"
    position = 0
    while position < len(body):
        if body.startswith("**/", position):
            made += "(?:.*/)?"
            position += 3
        elif body.startswith("**", position):
            made += ".*"
            position += 2
        else:
            made += {"*": "[^/]*", "?": "[^/]"}.get(body[position]) or _literal(body, position)
            position += _length(body, position)
    return made + "(?:/.*)?"


def _length(body: str, position: int) -> int:
    """How many characters of the glob one piece takes: a set takes all up to its bracket."""
    end = body.find("]", position + 2) if body[position] == "[" else -1
    return end + 1 - position if end > 0 else 1


def _literal(body: str, position: int) -> str:
    import re

    if body[position] != "[" or _length(body, position) == 1:
        return re.escape(body[position])
    inside = body[position + 1 : position + _length(body, position) - 1]
    negated = inside[:1] in ("!", "^")
    return f"[{'^' if negated else ''}{re.escape(inside[negated:]).replace(chr(92) + '-', '-')}]"
