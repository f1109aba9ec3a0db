"""Looking up what must exist."""

from __future__ import annotations

from recairn.core.errors import NotFound

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recairn.core.model import Memory
    from recairn.store.contract.base import Store


def other_project(memory: Memory, project: str) -> str:
    """The project a memory belongs to if it is another one, and keeps it to itself; "" if not."""
    if not project or memory.project in ("", project) or memory.tier == "global":
        return ""
    return memory.project


def known_memory(store: Store, memory: int) -> Memory:
    """The memory of that id; NotFound otherwise."""
    stored = store.get(memory)
    if stored is None:
        raise NotFound(f"there is no memory #{memory}", "recairn recent")
    return stored
