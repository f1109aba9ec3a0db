"""Rules and pinned memories as a block inside CLAUDE.md or AGENTS.md, kept up to date.

Only what a person or an outcome has confirmed goes in: agents read such a file as the user's own
word.
"""

from __future__ import annotations

import os

from recairn.core.record import record, replace
from recairn.core.words import flowing, one_line
from recairn.host.managed_block import ManagedBlock, one_safe_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from recairn.core.model import Filter, Memory
    from recairn.store.contract.base import Store

# The setting that lists the files with a block, one a line, by project.
FILES = "pin.files."
# Characters of one memory: an instruction is a sentence or two, #id shows the rest.
_LONGEST = 500
# Memories in all; every session of an agent pays for each of them.
_MOST = 100
_KEPT = ("risk", "fix")

_HEAD = (
    "<!-- Written by recairn pin: what is changed in here is lost with the next refresh. -->",
    "## Rules and pinned memories",
    "",
)
_EMPTY = 'Nothing yet: `recairn add -k rule "..."` adds a rule, `recairn pin ID` pins a memory.'


@record
class Pinned:
    """A file whose block was looked at: `state` is written, unchanged, removed or missing."""

    path: str
    state: str
    memories: tuple[int, ...] = ()
    left_out: int = 0


class Pins:
    """The pinned blocks of one project, whose files lie below `root`."""

    def __init__(self, store: Store, project: str, root: str) -> None:
        self._store = store
        self._key = FILES + project
        self._root = root

    def files(self) -> list[str]:
        """Paths, from the project's folder on, of the files that have a block."""
        return [path for path in self._store.config().get(self._key, "").split("\n") if path]

    def into(self, path: str, visible: Filter, at: int) -> Pinned:
        """Writes the block into a file, and remembers to keep it up to date."""
        block = ManagedBlock(path, self._root)
        file = self._write(block, visible)
        self._set_files([*self.files(), self._relative(block.path)], at)
        return file

    def refresh(self, visible: Filter, at: int) -> list[Pinned]:
        """Brings every block up to date; a block somebody took out is not put back."""
        files = []
        for name in self.files():
            block = ManagedBlock(os.path.join(self._root, name), self._root)
            files.append(self._write(block, visible) if block.exists() else Pinned(name, "missing"))
        paths = [file.path for file in files if file.state != "missing"]
        if len(paths) != len(files):
            self._set_files(paths, at)
        return files

    def out_of(self, path: str, at: int) -> Pinned:
        """Takes the block out of a file; everything else stays as it is."""
        block = ManagedBlock(path, self._root)
        name = self._relative(block.path)
        removed = block.remove()
        self._set_files([path for path in self.files() if path != name], at)
        return Pinned(name, "removed" if removed else "missing")

    def _write(self, block: ManagedBlock, visible: Filter) -> Pinned:
        memories = standing(self._store, visible)
        lines = [*_HEAD, *(line_of(memory) for memory in memories[:_MOST])]
        if not memories:
            lines.append(_EMPTY)
        state = "written" if block.write(lines) else "unchanged"
        ids = tuple(memory.id for memory in memories[:_MOST])
        return Pinned(self._relative(block.path), state, ids, max(0, len(memories) - _MOST))

    def _relative(self, path: str) -> str:
        folder = os.path.realpath(os.path.dirname(path))
        return os.path.relpath(
            os.path.join(folder, os.path.basename(path)), os.path.realpath(self._root)
        )

    def _set_files(self, paths: Sequence[str], at: int) -> None:
        value = "\n".join(dict.fromkeys(paths))
        if value != self._store.config().get(self._key, ""):
            with self._store.transaction():
                self._store.set_config(self._key, value or None, at)


def standing(store: Store, visible: Filter) -> list[Memory]:
    """The rules, then the pinned memories, that everybody in the project sees and may rely on."""
    everybody = replace(visible, session=None, trust="verified", standing=True)
    memories = [
        memory
        for memory in store.listing(everybody, order="id", limit=-1)
        if memory.tier != "session"
    ]
    return sorted(
        memories, key=lambda memory: (memory.kind != "rule", -memory.importance, memory.id)
    )


def line_of(memory: Memory) -> str:
    """`- Always use transactions (for src/db/**; #12)`."""
    text = memory.content if not memory.title else f"{memory.title}: {memory.content}"
    if memory.fields.get("anti_pattern"):
        # Without the way out an agent would know only what not to do.
        endings = [f"{name}: {memory.fields[name]}" for name in _KEPT if memory.fields.get(name)]
        text = "; ".join([f"Avoid: {one_line(text, _LONGEST // 2)}", *endings])
    if "\n" in text:
        text = flowing(text)
    scope = f"for {one_safe_line(memory.scope)}; " if memory.scope else ""
    return f"- {one_safe_line(one_line(text, _LONGEST))} ({scope}#{memory.id})"
