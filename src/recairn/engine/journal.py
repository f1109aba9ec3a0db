"""The engine's memory of its own changes: which events something wrote, and versions to expect."""

from __future__ import annotations

from recairn.engine.base import Base
from recairn.memory.lookup import known_memory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recairn.memory.journal import Journal


class Journaling(Base):
    """What was written, for whoever wants to take exactly that back; and what is expected."""

    def journal(self) -> Journal:
        """For a `with`: all inside is one transaction, and `events` says what it has written."""
        from recairn.memory.journal import Journal

        self.settle()
        return Journal(self.store)

    def version(self, reference: int | str) -> str:
        """Sixteen hex digits that are others when a memory says something else.

        Ratings, uses and how much it counts for whom do not change them. `edit(expect=VERSION)`.
        """
        from recairn.memory.versions import version_here

        self.settle()
        return version_here(known_memory(self.store, self.resolve(reference)))
