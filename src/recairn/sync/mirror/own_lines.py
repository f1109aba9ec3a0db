"""The lines of memories as this database writes them into a folder."""

from __future__ import annotations

from recairn.core.fields import STANDING
from recairn.core.stamps import ALL, SEEN, SHARED, latest
from recairn.memory.versions import version_of
from recairn.sync.export import known_state
from recairn.sync.merge_rule import is_gone, travelling
from recairn.sync.mirror.folder import FORGOTTEN, MIRROR_KINDS, shared_memories
from recairn.sync.record_format import record_of, stub_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from typing import Any

    from recairn.core.model import Memory
    from recairn.store.contract.base import Store
    from recairn.sync.merge_rule import State


class OwnLines:
    """What is known of some memories, and their lines by the name of the files they belong in.

    `names` are the uids of these and of what replaced them.
    """

    def __init__(
        self, store: Store, memories: Mapping[int, Memory], names: Mapping[int, str]
    ) -> None:
        self.lines: dict[str, dict[str, str]] = {name: {} for name in (*MIRROR_KINDS, FORGOTTEN)}
        self.states: dict[str, State] = {}
        stamps = store.stamps_of(list(memories))
        for memory in memories.values():
            self._add(memory, known_state(store, memory, stamps[memory.id], names))

    def _add(self, memory: Memory, state: State) -> None:
        self.states[memory.uid] = state
        stamps = travelling(state.stamps, SHARED)
        if is_gone(state):
            stub = stub_of(memory, state.values, stamps, ("life", SEEN, ALL))
            self.lines[FORGOTTEN][memory.uid] = spelled_line(stub)
            return
        # What each reader decides for themselves is not part of it, nor when it was decided.
        changed = latest(stamps, memory.created_at, SHARED)
        line = record_of(memory.uid, state.values, changed)
        for name in ("project", *STANDING):
            line.pop(name, None)
        line["version"] = version_of(state.values)
        if stamps:
            line["stamps"] = stamps
        self.lines[memory.kind][memory.uid] = spelled_line({**line, **state.kept})


def own_lines(store: Store, project: str, uids: Collection[str]) -> dict[str, dict[str, str]]:
    """The lines of memories that are the project's, by the name of their files and by uid."""
    numbers = store.numbers_of(sorted(uids))
    memories = shared_memories(store, sorted(numbers.values()), project)
    successors = {memory.superseded_by or 0 for memory in memories.values()}
    names = {number: uid for uid, number in numbers.items()}
    names |= store.uids_of(successors - names.keys() - {0})
    return OwnLines(store, memories, names).lines


def spelled_line(record: Mapping[str, Any]) -> str:
    from json import dumps

    return dumps(record, ensure_ascii=False)
