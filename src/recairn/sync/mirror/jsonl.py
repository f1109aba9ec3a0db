"""Lines of JSON in files, each line with a key. What cannot be read stays there."""

from __future__ import annotations

import os

from recairn.core.errors import Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection
    from typing import Any

# Git puts these around lines it could not join; the lines between them are what counts.
_CONFLICT = ("<<<<<<< ", "=======", ">>>>>>> ", "||||||| ")
# Bytes of one line: the longest memory in four-byte letters with its fields, and room.
LONGEST = 2_000_000
_UID = '{"uid": "'
_LETTERS = 26
# So many keys are looked for in a whole file faster than its lines are told apart.
_FEW = 20


def uid_key(line: str) -> str:
    """The key of a memory's line: its uid, read without parsing where recairn wrote it."""
    if line.startswith(_UID) and line[len(_UID) + _LETTERS : len(_UID) + _LETTERS + 1] == '"':
        return line[len(_UID) : len(_UID) + _LETTERS]
    value = value_of(line)
    return str(value.get("uid") or "") if isinstance(value, dict) else ""


def link_key(line: str) -> str:
    """The key of a link's line: both ends and the relation."""
    value = value_of(line)
    if not isinstance(value, dict):
        return ""
    parts = [value.get(name) for name in ("source", "target", "relation")]
    return " ".join(map(str, parts)) if all(isinstance(part, str) for part in parts) else ""


def link_ends(line: str) -> list[str]:
    """The uids that a link's line names."""
    return link_key(line).split(" ")[:2]


def value_of(line: str) -> Any:
    """The value of a line of JSON; None when it is none."""
    from json import loads

    try:
        return loads(line)
    except (ValueError, RecursionError):
        return None


def lines_of(path: str) -> list[str]:
    return [line for _, line in numbered_lines(path)]


def lines_about(path: str, keys: Collection[str]) -> list[str]:
    """The lines that may be about some memories; for few, no other line is told apart."""
    if len(keys) > _FEW:
        return lines_of(path)
    if os.path.islink(path):
        return lines_of(path)  # which refuses it
    raw = content(path)
    starts: set[int] = set()
    for key in keys:
        wanted = key.encode("utf-8", "surrogateescape")
        at = raw.find(wanted) if wanted else -1
        while at >= 0:
            starts.add(raw.rfind(b"\n", 0, at) + 1)
            at = raw.find(wanted, at + 1)
    lines = []
    for start in sorted(starts):
        end = raw.find(b"\n", start)
        line = raw[start : len(raw) if end < 0 else end].decode("utf-8-sig", "surrogateescape")
        if _counts(line):
            lines.append(line.rstrip("\r\n"))
    return lines


def numbered_lines(path: str) -> list[tuple[int, str]]:
    """The lines of a file that are not empty and no marks of git; none where there is no file."""
    if os.path.islink(path):
        raise Refused(f"{path} is a symbolic link", "replace it by the file itself")
    try:
        with open(path, encoding="utf-8-sig", errors="surrogateescape", newline="\n") as file:
            numbered = enumerate(file, start=1)
            return [(number, line.rstrip("\r\n")) for number, line in numbered if _counts(line)]
    except FileNotFoundError:
        return []


def _counts(line: str) -> bool:
    return bool(line.strip()) and not line.startswith(_CONFLICT)


def content(path: str) -> bytes:
    """The bytes of a file; with marks of git and other line ends, which are not lines."""
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return b""


def bytes_of(line: str) -> bytes:
    """The bytes a line was read from."""
    return line.encode("utf-8", "surrogateescape") + b"\n"
