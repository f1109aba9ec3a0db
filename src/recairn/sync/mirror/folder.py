"""The folder itself: where it may be, what lies in it, and how far it has come."""

from __future__ import annotations

import os
import time

from recairn.core.errors import BadInput, NotFound, Refused
from recairn.core.kinds import KINDS
from recairn.core.record import record
from recairn.host.files import write_lines
from recairn.sync.mirror.known_files import STATE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from recairn.core.model import Memory
    from recairn.store.contract.base import Store

LINKS, FORGOTTEN = "links", "forgotten"
# Documents are files already, and have their own way in.
MIRROR_KINDS = tuple(kind for kind in KINDS if kind != "chunk")
NAMES = (*MIRROR_KINDS, LINKS, FORGOTTEN)
# The beginnings of the names of files for reading.
READABLE = {"decision": "decisions", "pattern": "patterns"}

_BATCH = 500
# Seconds to wait for another writer of the folder, and between two looks.
_PATIENCE_S = 5.0
_PAUSE_S = 0.01
_FIXED = {
    ".gitattributes": "*.jsonl merge=union\ndecisions*.md merge=union\npatterns*.md merge=union\n",
    ".gitignore": f"{STATE}\n.recairn-*.new\n",
    "README.md": """# Memories

Kept by recairn: one line a memory, one file a kind; a large one goes on in further files, each
named by the beginning of its first uid. `decisions.md` and `patterns.md` show the same for reading
and are made anew. After editing a line, or after git merged, run `recairn mirror pull`.
""",
}
# What folders were made with before files went on in others.
_FORMER = "*.jsonl merge=union\ndecisions.md merge=union\npatterns.md merge=union\n"


@record
class Folder:
    """A mirror: its folder, and the project whose memories it holds."""

    path: str
    project: str

    @property
    def author(self) -> str:
        """Whose word its lines are; told from the root of the checkout."""
        from recairn.core.author import REPOSITORY, author_named
        from recairn.host.project import root_of

        root = root_of(self.path)
        name = os.path.basename(self.path) if root is None else os.path.relpath(self.path, root)
        return author_named(REPOSITORY, name)

    def file(self, name: str) -> str:
        """The path of a file in it."""
        return os.path.join(self.path, name)


def make(folder: Folder) -> None:
    """Makes the folder, with what explains it to git and to people."""
    check_place(folder.path)
    os.makedirs(folder.path, exist_ok=True)
    for name, text in _FIXED.items():
        path = os.path.join(folder.path, name)
        if not os.path.lexists(path) or (name == ".gitattributes" and _is_former(path)):
            write_lines(path, [text], private=False)


def _is_former(path: str) -> bool:
    try:
        with open(path, "rb") as file:
            return file.read(len(_FORMER) + 1) == _FORMER.encode()
    except OSError:
        return False


def check_place(path: str) -> None:
    """Refused for a place that is not a folder of its own."""
    if os.path.islink(path):
        raise Refused(f"{path} is a symbolic link", "name the folder itself")
    if ".git" in os.path.abspath(path).split(os.sep):
        raise Refused(f"{path} lies inside .git", "choose a folder of the checkout")
    if os.path.exists(path) and not os.path.isdir(path):
        raise BadInput(f"{path} is a file", "name a folder")


def check_there(folder: Folder) -> None:
    """NotFound where the folder is missing: it may be on a disk that is not mounted."""
    check_place(folder.path)
    if not os.path.isdir(folder.path):
        again = f"recairn mirror on {folder.path} makes it again"
        raise NotFound(
            f"the mirror {folder.path} is not there",
            f"{again}, recairn mirror off {folder.path} ends it",
        )


class Lock:
    """One writer at a time in a folder; the others wait for it, or come again later."""

    def __init__(self, folder: Folder) -> None:
        self._path = folder.path
        self._handle = -1

    def __enter__(self) -> None:
        import fcntl

        self._handle = os.open(self._path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        until = time.monotonic() + _PATIENCE_S
        while True:
            try:
                fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return
            except OSError:
                if time.monotonic() > until:
                    self.__exit__()
                    raise Refused(f"{self._path} is being written by another process") from None
                time.sleep(_PAUSE_S)

    def __exit__(self, *_: object) -> None:
        os.close(self._handle)


def shared_memories(store: Store, numbers: Sequence[int], project: str) -> dict[int, Memory]:
    """Those of the memories that a mirror of the project holds."""
    shared: dict[int, Memory] = {}
    for start in range(0, len(numbers), _BATCH):
        for number, memory in store.get_many(numbers[start : start + _BATCH]).items():
            if is_shared(memory, project):
                shared[number] = memory
    return shared


def waiting_uids(store: Store, numbers: Sequence[int], folder: Folder) -> set[str]:
    """The uids of memories that came with the folder, and that wait for the person's word; and of
    rules in force that others have ended there."""
    from recairn.memory.endings import disputed

    waiting, rules = set(), []
    for start in range(0, len(numbers), _BATCH):
        for memory in store.get_many(numbers[start : start + _BATCH]).values():
            if memory.trust == "unverified" and memory.author == folder.author:
                waiting.add(memory.uid)
            elif memory.kind == "rule":
                rules.append(memory)
    return waiting | {memory.uid for memory in disputed(store, rules)}


def is_shared(memory: Memory, project: str) -> bool:
    """Whether a mirror of the project holds it: the project's own, and confirmed."""
    own = memory.tier == "project" and memory.project == project
    return own and memory.kind in MIRROR_KINDS and memory.trust != "unverified"
