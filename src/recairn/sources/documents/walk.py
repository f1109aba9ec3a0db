"""Finding the files of a folder: ignore files respected, links not followed."""

from __future__ import annotations

import os
import stat

from recairn.core.errors import BadInput, NotFound
from recairn.sources.documents.formats import format_of
from recairn.sources.documents.ignore import glob_fits, rules_of, verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from recairn.sources.documents.ignore import Rule

# Bytes of a file that is taken in without being asked twice; of an ignore file.
MAX_BYTES = 2_000_000
_MAX_IGNORE = 1_000_000
# Folders below the one given, and files in it.
_MAX_DEPTH = 40
MAX_FILES = 50_000
# Nobody's documents, whether a project says so or not.
_SKIPPED = frozenset(
    ".git .hg .svn node_modules __pycache__ .venv venv .tox .mypy_cache .ruff_cache"
    " .pytest_cache .recairn".split()
)
_GLOB = frozenset("*?[")


def files_named(name: str) -> list[str]:
    """The files a path, folder or pattern stands for, whole paths in order of name; NotFound."""
    path = os.path.abspath(os.path.expanduser(name))
    if os.path.isdir(path):
        if not os.access(path, os.R_OK | os.X_OK):
            raise NotFound(f"the folder {name} may not be read", "check its permissions")
        return list(files_of(os.path.realpath(path)))
    if os.path.lexists(path):
        return [os.path.realpath(path)]
    if not _GLOB.intersection(name):
        raise NotFound(f"there is no file or folder {name}", "check the path")
    base, pattern = glob_parts(path)
    if not os.path.isdir(base):
        raise NotFound(f"there is no folder {base}", "check the pattern")
    return [
        file
        for file in files_of(os.path.realpath(base), any_format=True)
        if glob_fits(pattern, os.path.relpath(file, os.path.realpath(base)))
    ]


def glob_parts(path: str) -> tuple[str, str]:
    """The folder before the first wildcard, and the pattern from there on."""
    parts = path.split(os.sep)
    fixed = next(index for index, part in enumerate(parts) if _GLOB.intersection(part))
    return os.sep.join(parts[:fixed]) or os.sep, "/".join(parts[fixed:])


def folder_of(name: str) -> str:
    """The folder that must be there for a path or pattern to mean anything."""
    return glob_parts(name)[0] if _GLOB.intersection(name) else name


def files_of(root: str, *, any_format: bool = False) -> Iterator[str]:
    """The files below a folder that nothing ignores, those of known formats unless told."""
    count = 0
    waiting = [(root, _ignored_above(root), 0)]
    while waiting:
        folder, ignores, depth = waiting.pop()
        ignores = [*ignores, (folder, _rules(os.path.join(folder, ".gitignore")))]
        below = []
        for entry in _entries(folder):
            if entry.is_symlink() or _is_ignored(ignores, entry):
                continue
            if entry.is_dir(follow_symlinks=False):
                if entry.name not in _SKIPPED and depth < _MAX_DEPTH:
                    below.append((entry.path, ignores, depth + 1))
            elif entry.is_file(follow_symlinks=False) and (any_format or format_of(entry.name)):
                count += 1
                if count > MAX_FILES:
                    raise BadInput(f"{root} holds more than {MAX_FILES:,} files", "add a part")
                yield entry.path
        waiting += reversed(below)


def _entries(folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return sorted(entries, key=lambda entry: entry.name)
    except OSError:
        return []  # a folder that may not be read holds nothing for us


def _is_ignored(ignores: list[tuple[str, list[Rule]]], entry: os.DirEntry[str]) -> bool:
    """The nearest ignore file that says something about a path decides."""
    folder = entry.is_dir(follow_symlinks=False)
    for base, rules in reversed(ignores):
        said = verdict(rules, os.path.relpath(entry.path, base), folder=folder) if rules else None
        if said is not None:
            return said
    return False


def _ignored_above(root: str) -> list[tuple[str, list[Rule]]]:
    """The ignore files between the git checkout's folder and the one given."""
    above: list[str] = []
    here = root
    while not os.path.exists(os.path.join(here, ".git")):
        parent = os.path.dirname(here)
        if parent == here:
            return []
        here = parent
        above.insert(0, here)
    exclude = _rules(os.path.join(here, ".git", "info", "exclude"))
    return [
        (here, exclude),
        *((folder, _rules(os.path.join(folder, ".gitignore"))) for folder in above),
    ]


def _rules(path: str) -> list[Rule]:
    try:
        raw = read_bytes(path, _MAX_IGNORE)
    except (OSError, BadInput):
        return []
    return rules_of(raw.decode("utf-8", "replace"))


def read_bytes(path: str, most: int) -> bytes:
    """A file whole; BadInput when it is none, or too large. A pipe is never waited for."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise BadInput(f"{path} is not a file", "give a file")
        raw = file.read(most + 1)
    if len(raw) > most:
        raise TooLarge(
            f"{os.path.basename(path)} is larger than {most / 1_000_000:g} MB",
            "--max-mb sets the limit",
        )
    return raw


class TooLarge(BadInput):
    """A file over the limit."""
