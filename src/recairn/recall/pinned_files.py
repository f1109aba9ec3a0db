"""Rules and pinned memories as a block inside CLAUDE.md or AGENTS.md, kept up to date.

Only what a person or an outcome has confirmed goes in: agents read such a file as the user's own
word.
"""

from __future__ import annotations

import os

from recairn.core.record import record, replace
from recairn.core.words import one_line
from recairn.host.managed_block import OwnBlock, one_safe_line

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
        return [each for each in self._store.config().get(self._key, "").split("\n") if each]

    def into(self, path: str, seen: Filter, at: int) -> Pinned:
        """Writes the block into a file, and remembers to keep it up to date."""
        block = OwnBlock(path, self._root)
        done = self._write(block, seen)
        self._keep([*self.files(), self._named(block.path)], at)
        return done

    def refresh(self, seen: Filter, at: int) -> list[Pinned]:
        """Brings every known block up to date; a block somebody took out is not put back."""
        done = []
        for name in self.files():
            block = OwnBlock(os.path.join(self._root, name), self._root)
            done.append(self._write(block, seen) if block.exists() else Pinned(name, "missing"))
        kept = [each.path for each in done if each.state != "missing"]
        if len(kept) != len(done):
            self._keep(kept, at)
        return done

    def out_of(self, path: str, at: int) -> Pinned:
        """Takes the block out of a file; everything else stays as it is."""
        block = OwnBlock(path, self._root)
        name = self._named(block.path)
        removed = block.remove()
        self._keep([each for each in self.files() if each != name], at)
        return Pinned(name, "removed" if removed else "missing")

    def _write(self, block: OwnBlock, seen: Filter) -> Pinned:
        chosen = standing(self._store, seen)
        lines = [*_HEAD, *(line_of(each) for each in chosen[:_MOST])]
        if not chosen:
            lines.append(_EMPTY)
        state = "written" if block.write(lines) else "unchanged"
        ids = tuple(each.id for each in chosen[:_MOST])
        return Pinned(self._named(block.path), state, ids, max(0, len(chosen) - _MOST))

    def _named(self, path: str) -> str:
        folder = os.path.realpath(os.path.dirname(path))
        return os.path.relpath(
            os.path.join(folder, os.path.basename(path)), os.path.realpath(self._root)
        )

    def _keep(self, names: Sequence[str], at: int) -> None:
        value = "\n".join(dict.fromkeys(names))
        if value != self._store.config().get(self._key, ""):
            with self._store.transaction():
                self._store.set_config(self._key, value or None, at)


def standing(store: Store, seen: Filter) -> list[Memory]:
    """The rules, then the pinned memories, that everybody in the project sees and may rely on."""
    everybody = replace(seen, session=None, trust="verified", standing=True)
    listed = store.listing(everybody, order="id", limit=-1)
    found = [each for each in listed if each.tier != "session"]
    return sorted(found, key=lambda each: (each.kind != "rule", -each.importance, each.id))


def line_of(memory: Memory) -> str:
    """`- Always use transactions (for src/db/**; #12)`."""
    said = memory.content if not memory.title else f"{memory.title}: {memory.content}"
    scope = f"for {one_safe_line(memory.scope)}; " if memory.scope else ""
    return f"- {one_safe_line(one_line(said, _LONGEST))} ({scope}#{memory.id})"
