"""Looking up what must exist."""

from __future__ import annotations

from recairn.core.errors import NotFound

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from recairn.core.model import Memory
    from recairn.store.contract.base import Store


def other_project(memory: Memory, project: str) -> str:
    """The project a memory belongs to if it is another one, and keeps it to itself; "" if not."""
    if not project or memory.project in ("", project) or memory.tier == "global":
        return ""
    return memory.project


def seen_in(store: Store, ids: Sequence[int], projects: Collection[str]) -> list[int]:
    """Those of the memories that somebody sees who works in one of the projects."""
    return [
        number
        for number, memory in store.get_many(ids).items()
        if any(not other_project(memory, project) for project in projects)
    ]


def known_memory(store: Store, memory: int) -> Memory:
    """The memory of that id; NotFound otherwise."""
    stored = store.get(memory)
    if stored is None:
        raise NotFound(f"there is no memory #{memory}", "recairn recent")
    return stored
