"""Instruction files for a part of a project: those of folders below it, and what each is for."""

from __future__ import annotations

import os
import re

from recairn.core.draft import MAX_NAME
from recairn.host.git import git
from recairn.host.project import root_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

# Files that agents read when they come to the folder they lie in, and what they say is for it.
_OF_FOLDERS = ("AGENTS.md", "CLAUDE.md", "GEMINI.md")
# Folders of other people's code, in lower case; hidden ones are left alone, too.
_VENDORED = frozenset(
    "node_modules bower_components vendor vendored third_party third-party thirdparty"
    " site-packages pods".split()
)
# Files of folders that are read, those nearest to the root first, and bytes of each.
_MOST_FILES = 100
_LONGEST_FILE = 100_000
# What Cursor calls the files a rule is for, and what Claude Code does.
_KEYS = ("globs", "paths")
# With it Cursor gives a rule to every prompt, whatever the globs.
_ALWAYS = "alwaysApply"
# Globs that fit every file.
_ALL = frozenset(("*", "**", "**/*", "**/**", "**/*.*", "*.*", "."))
# Patterns that the braces of one glob are written out to; of more nobody reads the list.
_PATTERNS = 30
# Characters of a line of front matter that are read: five times what a scope has room for.
_LONGEST_LINE = 1000

_FIELD = re.compile(r"([A-Za-z]+)[ \t]*:[ \t]*(.*)")
_ENTRY = re.compile(r"[ \t]*-[ \t]+(.*)")
_COMMENT = re.compile(r"(?:^|[ \t]+)#.*")
# A comma that stands in no braces.
_COMMA = re.compile(r",(?![^{}]*\})")
_BRACES = re.compile(r"\{([^{}]*)\}")
# What a scope would read as its own signs.
_BLANK = re.compile(r"[\s,]")
_SIGNS = re.compile(r"[\s,*?\[\]]")


def files_below(folder: str) -> list[str]:
    """The instruction files of folders below one, of those that git tracks there."""
    globs = [f":(glob)**/{name}" for name in _OF_FOLDERS]
    listed = (git(folder, "ls-files", "-z", "--", *globs) or "").split("\0")
    names = sorted({name for name in listed if "/" in name and _is_own(name)}, key=_nearest)
    paths = [os.path.join(folder, name) for name in names]
    return [path for path in paths if _is_short(path)][:_MOST_FILES]


def _is_own(name: str) -> bool:
    folders = name.lower().split("/")[:-1]
    return not any(one in _VENDORED or one.startswith(".") for one in folders)


def _nearest(name: str) -> tuple[int, str]:
    return name.count("/"), name


def _is_short(path: str) -> bool:
    try:
        return os.path.getsize(path) <= _LONGEST_FILE
    except OSError:
        return False


def scope_of_folder(path: str) -> str:
    """The scope of what an instruction file says: the folder of the checkout that it lies in; "" at
    the root, outside any, and for files of other names."""
    folder, name = os.path.split(os.path.abspath(path))
    root = root_of(folder) if name in _OF_FOLDERS else None
    if root is None:
        return ""
    below = os.path.relpath(folder, root).replace(os.sep, "/").removesuffix("/.claude")
    if below in (os.curdir, ".claude"):
        return ""
    scope = f"{_SIGNS.sub('?', below)}/**"
    return scope if len(scope) <= MAX_NAME else ""


def scope_of_globs(document: str) -> str:
    """The scope that the front matter of a rule file says; "" where it holds for every file, or
    names more than a scope has room for."""
    fields = _front_matter(document)
    if "true" in [value.lower() for value in fields.get(_ALWAYS, ())]:
        return ""
    globs = [glob for key in _KEYS for value in fields.get(key, ()) for glob in _globs(value)]
    # What is left out is no scope; without anything else it leaves all.
    patterns = [pattern for glob in globs if not glob.startswith("!") for pattern in _plain(glob)]
    if not _ALL.isdisjoint(patterns):
        return ""
    scope = ", ".join(dict.fromkeys(patterns))
    return scope if len(patterns) <= _PATTERNS and len(scope) <= MAX_NAME else ""


def _front_matter(document: str) -> dict[str, list[str]]:
    """Its fields with their values. It is no YAML: nobody quotes the star a glob begins with."""
    lines = document.split("\n")
    fields: dict[str, list[str]] = {}
    if lines[0].rstrip() != "---":
        return fields
    name = ""
    for whole in lines[1:]:
        line = whole[:_LONGEST_LINE]
        if line.rstrip() in ("---", "..."):
            return fields
        if field := _FIELD.match(line):
            name = field[1]
            fields[name] = [_COMMENT.sub("", field[2]).strip()]
        elif name and (entry := _ENTRY.match(line)):
            fields[name].append(_COMMENT.sub("", entry[1]).strip())
    return {}


def _globs(value: str) -> Iterator[str]:
    """The globs of a value: one, several apart by commas, or a list in brackets."""
    inside = value[1:-1].strip()
    if value[:1] + value[-1:] == "[]" and (inside[:1] in ("'", '"') or "]" not in inside):
        value = inside  # a list; else two sets of letters, as in [ab]*.[ch]
    for glob in _COMMA.split(value.strip("\"'")):
        bare = glob.strip().strip("\"'").strip().removeprefix("./").lstrip("/")
        if bare:
            yield _BLANK.sub("?", bare) if "{" not in bare else bare


def _plain(glob: str) -> list[str]:
    """A glob with its braces written out: `*.{ts,tsx}` is `*.ts` and `*.tsx`."""
    whole: list[str] = []
    open_ones = [glob]
    while open_ones and len(whole) + len(open_ones) <= _PATTERNS:
        one = open_ones.pop(0)
        braces = _BRACES.search(one)
        if braces is None:
            whole.append(_BLANK.sub("?", one))
        else:
            start, end = one[: braces.start()], one[braces.end() :]
            open_ones += [f"{start}{part.strip()}{end}" for part in braces[1].split(",")]
    return whole + open_ones
