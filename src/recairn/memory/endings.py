"""The end of a rule in force that others ask for: it holds until the person has answered.

Others end a rule by forgetting or replacing it in a mirror, or in a file that is imported.
"""

from __future__ import annotations

from recairn.core.record import replace
from recairn.memory.authority import in_force
from recairn.memory.lifecycle import event_of
from recairn.memory.lookup import known_memory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from recairn.core.model import Act, Event, Memory
    from recairn.store.contract.base import Store

# The event by which others ask for the end of a rule, and that of one who wants it to hold.
ASKED, DECLINED = "ending asked", "ending declined"
_ENDS = ("forgotten", "superseded", "erased")
# For so many memories their own histories are read, and not that of all.
_FEW = 100


def holds(memory: Memory) -> bool:
    """Whether it is a rule that is in force now."""
    return in_force(memory) and memory.deleted_at is None and memory.valid_until is None


def ask(store: Store, memory: int, act: Act, author: str) -> bool:
    """Notes that others want its end, and why; False where they have asked for that before."""
    history = store.history(memory)
    if any(event.event == ASKED and event.reason == act.reason for event in history):
        return False
    store.note(replace(event_of(ASKED, memory, act), author=author))
    return True


def open_requests(store: Store) -> list[tuple[Memory, Event]]:
    """The rules whose end others have asked for, and what they said, oldest first."""
    return _open(store, (DECLINED, *_ENDS))


def disputed(store: Store, among: Sequence[Memory]) -> list[Memory]:
    """Those of some memories that hold here as rules and were ended by others, also where the
    person has declined."""
    rules = [memory for memory in among if holds(memory)]
    if len(rules) <= _FEW:
        events = [event for memory in rules for event in store.history(memory.id)]
        return [memory for memory, _ in _unanswered(store, events, (*_ENDS, "updated"))]
    return [memory for memory, _ in _open(store, (*_ENDS, "updated"))]


def _open(store: Store, answers: Sequence[str]) -> list[tuple[Memory, Event]]:
    """Those that still hold, and to which nothing of these happened since."""
    return _unanswered(store, store.events_named((ASKED, *answers)), answers)


def _unanswered(
    store: Store, events: Sequence[Event], answers: Sequence[str]
) -> list[tuple[Memory, Event]]:
    """What was asked in some events and got no answer in them."""
    waiting: dict[int, Event] = {}
    for event in events:
        if event.event == ASKED:
            waiting[event.memory] = event
        elif event.event in answers:
            waiting.pop(event.memory, None)
    memories = store.get_many(list(waiting))
    return [
        (memories[number], event)
        for number, event in waiting.items()
        if number in memories and holds(memories[number])
    ]


def decline(store: Store, memory: int, act: Act) -> Memory:
    """Lets the rule hold; that wish is not shown again."""
    with store.transaction():
        store.note(event_of(DECLINED, memory, act))
        return known_memory(store, memory)
