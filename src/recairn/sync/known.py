"""What this database knows of a memory, as the merge rule asks for it."""

from __future__ import annotations

from recairn.core.stamps import FORGOTTEN, KEPT, LEFT, parsed
from recairn.sync.merge_rule import State
from recairn.sync.record_format import said_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recairn.core.model import Memory


def state_of(memory: Memory, successor: str | None, text: str) -> State:
    """What is known here of a memory whose stamps are that text, and its successor by uid."""
    stamps = parsed(text)
    values = said_of(memory, successor)
    # One that left for a place that is not shared is hidden, not forgotten.
    hidden = None if LEFT in stamps else values["deleted_at"]
    values["deleted_at"] = stamps.pop(FORGOTTEN, hidden)
    return State(values, stamps, memory.created_at, stamps.pop(KEPT, {}))
