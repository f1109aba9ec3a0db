"""The engine's ways to other databases and files."""

from __future__ import annotations

from recairn.engine.base import Base

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from recairn.model import Memory
    from recairn.taking import Taken

_BATCH = 500


class Transfer(Base):
    """Export and import of everything."""

    def export_records(self) -> Iterator[dict[str, Any]]:
        """Everything the database holds as records that `take_records` understands."""
        from recairn.export import all_records

        self.settle()
        return all_records(self.store)

    def every_memory(self, kinds: Sequence[str] = ()) -> Iterator[Memory]:
        """All memories, or those of some kinds, superseded and forgotten ones too."""
        from recairn.kinds import kind_named

        wanted = {kind_named(kind) for kind in kinds}
        numbers = self.store.all_numbers()
        for start in range(0, len(numbers), _BATCH):
            found = self.store.get_many(numbers[start : start + _BATCH])
            yield from (each for each in found.values() if not wanted or each.kind in wanted)

    def take_records(self, told: Iterable[tuple[str, Mapping[str, Any]]]) -> Taken:
        """Takes in the records of an export, each with the place it came from."""
        from recairn.taking import take

        self.settle()
        taken = take(told, self.store, self.meaning, self._act(), self._allowed())
        self.meaning.later(taken.added, now=self._clock())
        self.meaning.embed_late()
        return taken
