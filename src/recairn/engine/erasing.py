"""The engine's way of destroying: in the database, in files it wrote, and by a person's word."""

from __future__ import annotations

import os

from recairn.core.record import replace
from recairn.core.times import SECOND
from recairn.core.words import counted
from recairn.engine.base import MIRRORS
from recairn.engine.changes import Changing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from recairn.core.model import Event, Memory
    from recairn.memory.erasure import Erased, Wording


class Erasing(Changing):
    """Destroying memories for good."""

    def destroy(
        self,
        reference: int | str,
        *,
        reason: str = "",
        force: bool = False,
        confirmed: bool = False,
    ) -> Erased:
        """Destroys a memory and everything in the database that repeats its words.

        Who acts for an agent needs a person's word for it, and says so with `confirmed`. The answer
        says what went with it, and what is left elsewhere: backups, the history of git.
        """
        from recairn.memory import erasure
        from recairn.memory.authority import guard_person

        memory = self._changeable(reference, force=force)
        act = self._act(reason)
        if not confirmed:
            guard_person(act, f"destroy #{memory} for good", f"forget {memory} --hard")
        said = erasure.wording_of(self.store, memory)
        erased = erasure.destroy(self.store, memory, replace(act, is_own=True))
        self.settle()
        self._clear_files(said)
        return replace(erased, left=(*erased.left, *self._elsewhere(erased.memory)))

    def request_erasure(self, reference: int | str, *, reason: str = "") -> Memory:
        """Hides a memory and asks a person to destroy it: an agent cannot do so alone."""
        from recairn.memory import erasure

        memory = self._changeable(reference, force=False)
        return erasure.request(self.store, memory, self._act(reason))

    def erasure_requests(self) -> list[tuple[Memory, Event]]:
        """The memories of this project that a person is asked to destroy, and who asked."""
        from recairn.memory.erasure import requests
        from recairn.memory.lookup import other_project

        self.settle()
        return [
            (memory, event)
            for memory, event in requests(self.store)
            if self.everywhere or not other_project(memory, self.project)
        ]

    def decline_erasure(self, reference: int | str) -> Memory:
        """Brings back a memory whose destruction was asked for."""
        from recairn.memory import erasure

        return erasure.decline(self.store, self.resolve(reference, change=True), self._act())

    def _elsewhere(self, memory: Memory) -> Iterator[str]:
        """The files that others keep, and that may hold a destroyed memory."""
        for path in self._learnings_files(memory.id):
            yield f"{path} may hold it, among the learnings that were written there"
        if self.store.config().get(MIRRORS):
            from recairn.sync.mirror.follow import folders_of

            for folder in folders_of(self.store.config().get(MIRRORS)):
                if folder.project == memory.project or memory.tier == "global":
                    yield f"the mirror {folder.path} holds it no more, but the history of git may"
        yield from self._copies(memory)

    def _clear_files(self, said: Wording) -> None:
        """Takes it out of the files that recairn itself wrote into this checkout."""
        from recairn.core.words import words
        from recairn.host.project import root_of
        from recairn.recall.context_files import clear_contexts
        from recairn.recall.pinned_files import Pins

        root = root_of(self.folder) if self.folder else None
        if root is None:
            return
        clear_contexts(root, lambda text: said.quoted_in(words(text)))
        pins, now = Pins(self.store, self.project, root), self._clock()
        if pins.files():
            pins.refresh(self._filter({}, now), now)

    def _learnings_files(self, memory: int) -> list[str]:
        rows = [row for row in self.store.compactions() if memory in row.memories]
        return sorted({row.exported_to for row in rows if row.exported_to})

    def _copies(self, memory: Memory) -> Iterator[str]:
        """Backups, and files that a repair has put aside, which were made while it was there."""
        from recairn.host.project import is_address
        from recairn.store import maintenance

        if is_address(self.database):
            return  # the store itself says what its server keeps
        store = maintenance(self.database)
        # Their names tell the second in which they were made.
        copies = [copy for copy in store.backups() if copy.created_at + SECOND > memory.created_at]
        if copies:
            folder = store.backup_folder()
            count = counted(len(copies), "backup")
            yield f"{count} in {folder} may hold it: recairn backup list, then delete them"
        name = os.path.basename(self.database) + ".damaged-"
        place = os.path.dirname(self.database)
        aside = [file for file in _names_in(place) if file.startswith(name)]
        yield from (f"{os.path.join(place, file)} may hold it: delete it" for file in aside)


def _names_in(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []
