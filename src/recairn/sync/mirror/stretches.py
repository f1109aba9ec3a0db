"""Which file of a folder a line belongs in: a large file goes on in others, in the order of keys.

`learning.jsonl` holds all learnings of a small mirror. Beyond a size it is cut: what begins at a
uid lies in `learning-01k5q.jsonl`, named by so many letters of that uid as tell it from the one
before. So a change writes a file of that size, however many memories there are. The names are all
there is to know, and none is ever taken away: clones that cut at different places have both cuts
after they exchanged, and a line that lies in a wrong file is read like any other.
"""

from __future__ import annotations

import os
from bisect import bisect_right
from itertools import pairwise

from recairn.core.ids import is_uid_beginning

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from recairn.sync.mirror.folder import Folder

# Bytes of a file before it is cut: some three hundred lines, which are read and written in a
# fraction of the time that the change itself takes.
LARGEST = 128 * 1024
# What a file that is cut in the middle is filled to, so that it is not cut again at once.
_FILLED = LARGEST * 2 // 3
_END = ".jsonl"


class Stretches:
    """The files of a folder by the name of what they hold, as they are listed now."""

    def __init__(self, folder: Folder, names: Iterable[str]) -> None:
        self._starts: dict[str, list[str]] = {name: [""] for name in names}
        self.files: set[str] = set()
        for file in os.listdir(folder.path):
            name, start = split_name(file)
            if name in self._starts:
                self.files.add(file)
                if start:
                    self._starts[name].append(start)
        for starts in self._starts.values():
            starts.sort()

    def of(self, name: str) -> list[str]:
        """The files of a name, in the order of what they hold; the first one may not be there."""
        return [file_of(name, start) for start in self._starts[name]]

    def place(self, name: str, key: str) -> str:
        """The file that a key belongs in."""
        starts = self._starts[name]
        return file_of(name, starts[bisect_right(starts, key) - 1] if len(starts) > 1 else "")

    def by_place(self, name: str, keys: Iterable[str]) -> dict[str, set[str]]:
        """Keys by the file that they belong in."""
        if len(self._starts[name]) == 1:
            return {file_of(name, ""): set(keys)}
        places: dict[str, set[str]] = {}
        for key in keys:
            places.setdefault(self.place(name, key), set()).add(key)
        return places

    def add(self, file: str) -> None:
        """Notes a file that was made since."""
        name, start = split_name(file)
        self.files.add(file)
        if start not in self._starts[name]:
            self._starts[name].append(start)
            self._starts[name].sort()


def file_of(name: str, start: str) -> str:
    return f"{name}-{start}{_END}" if start else f"{name}{_END}"


def file_at(place: str) -> str:
    """The file of a place in it."""
    return place.rpartition(":")[0]


def split_name(file: str) -> tuple[str, str]:
    """What a file holds, and where it begins; no name for one that is none of a mirror's."""
    stem, end = file[: -len(_END)], file[-len(_END) :]
    name, dash, start = stem.partition("-")
    return (name, start) if end == _END and (not dash or is_uid_beginning(start)) else ("", "")


def cut(file: str, lines: Mapping[str, Sequence[bytes]]) -> Iterator[tuple[str, list[str]]]:
    """The file, and those it goes on in, each with its keys; lines come by key, in order."""
    keys = list(lines)
    sizes = [sum(map(len, lines[key])) for key in keys]
    total = sum(sizes)
    if total <= LARGEST:
        yield file, keys
        return
    # What was added at the end begins the next file: the one that is full stays as it is.
    full = LARGEST if total - sizes[-1] <= LARGEST else _FILLED
    name, _ = split_name(file)
    current, size = [keys[0]], sizes[0]
    for (before, key), bytes_of_key in zip(pairwise(keys), sizes[1:], strict=True):
        start = _between(before, key)
        if start and size + bytes_of_key > full:
            yield file, current
            file, current, size = file_of(name, start), [], 0
        current.append(key)
        size += bytes_of_key
    yield file, current


def _between(before: str, key: str) -> str:
    """The fewest letters of a key that the one before it is smaller than; none where it cannot
    be told by the letters of a uid."""
    letters = enumerate(zip(before, key, strict=False), start=1)
    start = key[: next((at for at, (one, other) in letters if one != other), len(key))]
    return start if is_uid_beginning(start) else ""
