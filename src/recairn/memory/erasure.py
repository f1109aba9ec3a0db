"""Destroying a memory with everything that repeats it: logs, notes, and what was made by itself.

What a person wrote elsewhere (another memory, a task) is theirs: it is named, not touched.
"""

from __future__ import annotations

from recairn.core.memory_text import whole_text
from recairn.core.model import Filter
from recairn.core.record import record, replace
from recairn.core.stamps import COPY_OF, VECTOR, parsed
from recairn.core.words import STOP_WORDS, words
from recairn.memory.authority import in_force
from recairn.memory.lifecycle import erase, event_of, generations
from recairn.memory.lookup import known_memory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from recairn.core.model import Act, Event, Memory
    from recairn.core.stamps import Stamp
    from recairn.store.contract.base import Store

# Words in a row that are a quotation, not chance.
_RUN = 4
# Letters of a word that can tell a text; words of a long text that are looked at.
_TELLING, _MOST_WORDS = 4, 400
# A word so long, or with a digit or an underscore in it, is a name: nobody says it by chance.
_NAME = 12
# Runs by which other memories are looked for, spread over the text.
_SAMPLES = 16
# The event by which an agent asks a person to destroy a memory, and that of one who did not.
REQUESTED, DECLINED = "erasure requested", "erasure declined"


@record
class Erased:
    """What was destroyed: a memory, others made by themselves that repeated it, log entries.

    `left` says, in words, where it still stands and what to do about it.
    """

    memory: Memory
    also: tuple[int, ...]
    cleared: Mapping[str, int]
    left: tuple[str, ...] = ()


class Wording:
    """What was destroyed, as it can be known again in other texts."""

    def __init__(self, texts: Iterable[str]) -> None:
        spoken = [words(text) for text in texts]
        self.runs = {run for text in spoken for run in _runs(text)}
        distinct = dict.fromkeys(word for text in spoken for word in text)
        self.rare = [word for word in distinct if len(word) >= _TELLING and word not in STOP_WORDS][
            :_MOST_WORDS
        ]
        self.names = {word for word in self.rare if _is_name(word)}

    def quoted_in(self, spoken: Sequence[str]) -> bool:
        """Whether a text repeats some words in a row, or a name that nobody says by chance."""
        return not (self.runs.isdisjoint(_runs(spoken)) and self.names.isdisjoint(spoken))


def wording_of(store: Store, memory: int) -> Wording:
    """What a memory says, and what it said before it was edited."""
    return Wording([whole_text(known_memory(store, memory)), *_earlier(store.history(memory))])


def destroy(store: Store, memory: int, act: Act) -> Erased:
    """Destroys a memory for good, and what repeats its words; nothing of it stays on disk."""
    with store.transaction():
        current = known_memory(store, memory)
        said = wording_of(store, memory)
        others = _others(store, current, said)
        also, cleared = _destroy(store, current, said, act, None)
        left = [f"#{other}" for other in others if other not in also]
    notes = []
    if left:
        verb = "says" if len(left) == 1 else "say"
        notes.append(f"{', '.join(left)} {verb} the same: recairn forget ID --hard")
    kept = store.scrub()
    if kept:
        notes.append(kept)
    counts = {log: count for log, count in cleared.items() if count}
    return Erased(current, tuple(also), counts, tuple(notes))


def erase_everywhere(store: Store, memory: int, act: Act, stamp: Stamp) -> list[int]:
    """Destroys a memory that was destroyed elsewhere, and what repeats it; all that went.

    What stays in the log of the file goes with the next one that a person destroys here.
    """
    current = known_memory(store, memory)
    also, _ = _destroy(store, current, wording_of(store, memory), act, stamp)
    return [*also, memory]


def copies_of(store: Store, memory: Memory) -> list[int]:
    """The texts that gave way to a memory's when two were written at once, and that nobody has
    touched since."""
    edges = store.edges_touching([memory.id])
    sources = sorted({edge.source for edge in edges if edge.created_by == "sync"})
    by_memory = {number: parsed(text) for number, text in store.stamps_of(sources).items()}
    return [
        number
        for number, stamps in by_memory.items()
        if stamps.get(COPY_OF) == memory.uid and VECTOR not in stamps
    ]


def _destroy(
    store: Store, memory: Memory, said: Wording, act: Act, stamp: Stamp | None
) -> tuple[list[int], dict[str, int]]:
    """Destroys a memory and what was made of it by itself: the others that went, by log how many
    entries."""
    copies = copies_of(store, memory)
    also = [
        *copies,
        *(copy for copy in _made_alike(store, memory, said, act) if copy not in copies),
    ]
    about = store.logged_about(memory.id)
    for number in (*also, memory.id):
        erase(store, number, act, stamp)
    cleared = _clear_logs(store, said, about)
    cleared["sessions"] = cleared.get("sessions", 0) + _clear_notes(store, said)
    return also, cleared


def _earlier(events: Iterable[Event]) -> list[str]:
    """What a memory said before it was edited."""
    texts = []
    for event in events:
        for values in (event.before, event.after):
            texts += [
                str(values[name]) for name in ("title", "content", "fields") if name in values
            ]
    return texts


def _made_alike(store: Store, memory: Memory, said: Wording, act: Act) -> list[int]:
    """Candidates and handoffs that nobody wrote, forgotten ones too, that repeat the memory."""
    everything = Filter(
        source_types=("hook",), include_deleted=True, include_superseded=True, now=act.at
    )
    alike = []
    for other in store.listing(everything, order="id", limit=-1):
        spoken = words(whole_text(other))
        if other.id != memory.id and said.quoted_in(spoken):
            alike.append(other.id)
    return alike


def _others(store: Store, memory: Memory, said: Wording) -> list[int]:
    """Memories that people or agents wrote and that quote this one, or are its other versions."""
    numbers = {number for generation in generations(store, memory.id) for number in generation}
    runs = sorted(said.runs)
    for run in runs[:: max(1, len(runs) // _SAMPLES)]:
        numbers.update(text.memory for text in store.texts_with(" ".join(run), None, 9))
    others = store.get_many(sorted(numbers - {memory.id}))
    return [
        other.id
        for other in others.values()
        if other.source_type != "hook" and said.quoted_in(words(whole_text(other)))
    ]


def _clear_logs(store: Store, said: Wording, about: Mapping[str, Sequence[Any]]) -> dict[str, int]:
    telling = {word for word in said.rare if not store.texts_with(word, None, 1)}
    entries = {log: set(keys) for log, keys in about.items()}
    for entry in store.log_texts():
        spoken = words(entry.text)
        # What others can still take back is cleared for nothing less than a quotation.
        by_word = entry.log != "history" and not telling.isdisjoint(spoken)
        if by_word or said.quoted_in(spoken):
            entries.setdefault(entry.log, set()).add(entry.key)
    store.clear_logs({log: sorted(keys) for log, keys in entries.items()})
    return {log: len(keys) for log, keys in entries.items()}


def _clear_notes(store: Store, said: Wording) -> int:
    """Takes the notes of sessions that repeat the memory out of them; how many sessions had any."""
    telling = {word for word in said.rare if not store.texts_with(word, None, 1)}

    def repeats(note: object) -> bool:
        spoken = words(note) if isinstance(note, str) else []
        return not telling.isdisjoint(spoken) or said.quoted_in(spoken)

    changed = 0
    for session in store.sessions():
        notes = store.session_notes(session.id)
        kept = {
            name: [note for note in value if not repeats(note)]
            if isinstance(value, list)
            else value
            for name, value in notes.items()
            if not repeats(value)
        }
        if kept != notes:
            store.set_session_notes(session.id, kept)
            changed += 1
    return changed


def _runs(spoken: Sequence[str]) -> set[tuple[str, ...]]:
    if not spoken:
        return set()
    size = min(_RUN, len(spoken))
    return {tuple(spoken[at : at + size]) for at in range(len(spoken) - size + 1)}


def _is_name(word: str) -> bool:
    return len(word) >= _NAME or "_" in word or (not word.isdigit() and not word.isalpha())


# An agent's request, which a person decides about


def request(store: Store, memory: int, act: Act) -> Memory:
    """Hides a memory and asks a person to destroy it: an agent alone can not.

    A rule in force holds until that person has answered.
    """
    with store.transaction():
        current = known_memory(store, memory)
        store.note(event_of(REQUESTED, memory, act))
        if current.deleted_at is None and (act.is_own or not in_force(current)):
            store.change(memory, {"deleted_at": act.at}, event_of("forgotten", memory, act))
        return known_memory(store, memory)


def requests(store: Store) -> list[tuple[Memory, Event]]:
    """The memories that a person is asked to destroy, and who asked, oldest first."""
    waiting: dict[int, Event] = {}
    for event in store.events_named((REQUESTED, DECLINED, "restored")):
        if event.event == REQUESTED:
            waiting.setdefault(event.memory, event)
        else:
            waiting.pop(event.memory, None)
    memories = store.get_many(list(waiting))
    return [(memories[number], event) for number, event in waiting.items() if number in memories]


def decline(store: Store, memory: int, act: Act) -> Memory:
    """Leaves a memory whose destruction was asked for, and brings it back."""
    with store.transaction():
        store.note(event_of(DECLINED, memory, act))
        if known_memory(store, memory).deleted_at is not None:
            back = event_of("restored", memory, replace(act, reason="its destruction was declined"))
            store.change(memory, {"deleted_at": None}, back)
        return known_memory(store, memory)
