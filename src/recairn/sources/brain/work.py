"""What Project Brain kept of work in progress: changes of memories, handoffs, daily logs, pains."""

from __future__ import annotations

from recairn.core.model import Draft
from recairn.core.record import record, replace
from recairn.sources.format import Fault, Omission, Record
from recairn.sources.readers.values import (
    all_required,
    amount,
    moment,
    records_from,
    required,
    text,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from recairn.sources.format import Reading

    Row = Mapping[str, Any]
    PlacedRow = tuple[str, dict[str, Any]] | Fault

_ITEM_KINDS = {"decision": "decision", "correction": "learning"}
# The importance of a daily log's items goes from one to ten.
_ITEM_STEPS = 10
_PUT_AWAY = ("archived", "completed", "wont_fix")


@record
class Change:
    """One change of a memory: what it said before, when that ended, and why."""

    name: str
    place: str
    at: int
    before: str
    reason: str


class History:
    """The changes of all memories, told before the memories themselves."""

    def __init__(self) -> None:
        # Of those with an earlier text; which of them are of memories that are there, turns out.
        self.count = 0
        self._changes: dict[str, list[Change]] = {}
        self._reasons: dict[str, str] = {}

    def read(self, rows: Iterable[PlacedRow]) -> Iterator[Reading]:
        """Takes the table in; only what is broken comes back."""
        return records_from(rows, self._note)

    def _note(self, place: str, row: Row) -> Iterator[Omission]:
        memory, operation = all_required(row, "memory_id", "operation")
        before, reason = text(row, "content_before"), text(row, "reason")
        at = moment(row, "changed_at", "created_at")
        if operation == "superseded":
            self._reasons[memory] = reason
        changed = before.strip() and before != text(row, "content_after")
        if operation == "updated" and changed and at is not None:
            change = Change(required(row, "id"), place, at, before, reason)
            self._changes.setdefault(memory, []).append(change)
            self.count += 1
        elif operation == "superseded":
            yield Omission("changes of memories", "as the reasons of their ends", kept=True)
        else:
            yield Omission("changes of memories", "they tell of no earlier text")

    def omissions(self) -> Iterator[Omission]:
        """What is left when all memories have taken theirs."""
        if self.count:
            yield Omission("changes of memories", "of memories that are gone", self.count)

    def why_replaced(self, memory: str) -> str:
        return self._reasons.get(memory, "")

    def versions(self, memory: str, last: Record) -> Iterator[Record]:
        """What a memory said before, each version superseded by the one after it."""
        changes = sorted(self._changes.get(memory, ()), key=lambda change: (change.at, change.name))
        began = last.draft.created_at
        for number, change in enumerate(changes):
            following = changes[number + 1 : number + 2]
            draft = replace(
                last.draft,
                content=change.before,
                immutable=False,
                external_id=change.name,
                created_at=change.at if began is None else min(began, change.at),
                valid_from=None,
                valid_until=change.at,
            )
            self.count -= 1
            later = _version(following[0].name) if following else last.key
            yield Record(
                _version(change.name),
                draft,
                change.place,
                [("superseded_by", later)],
                because=change.reason,
            )
            began = change.at


def _version(name: str) -> str:
    return f"version:{name}"


@record
class Entry:
    """One message of a handoff."""

    number: int
    type: str
    line: str
    content: str
    at: int | None


class Handoffs:
    """Handoffs with the messages that two programs left in them for one another."""

    def __init__(self) -> None:
        self._entries: dict[str, list[Entry]] = {}

    def read(
        self, entries: Iterable[PlacedRow], handoffs: Iterable[PlacedRow]
    ) -> Iterator[Reading]:
        yield from records_from(entries, self._entry)
        yield from records_from(handoffs, self._handoff)

    def _entry(self, place: str, row: Row) -> Iterator[Omission]:
        content, kind = required(row, "content"), text(row, "type") or "context"
        who = text(row, "from_client")
        line = f"{who}, {kind}: {content}" if who else f"{kind}: {content}"
        number = int(amount(row, "seq") or 0)
        entry = Entry(number, kind, line, content, moment(row, "created_at"))
        self._entries.setdefault(required(row, "handoff_id"), []).append(entry)
        yield Omission("handoff entries", "as the text of their handoffs", kept=True)

    def _handoff(self, place: str, row: Row) -> Iterator[Record]:
        """A handoff; of one that is closed, and emptied by that, the title is left to archive."""
        name, title, status = required(row, "id"), required(row, "title"), text(row, "status")
        entries = sorted(self._entries.get(name, ()), key=lambda entry: entry.number)
        times = [entry.at for entry in entries if entry.at is not None]
        draft = Draft(
            "\n\n".join(entry.line for entry in entries) or title,
            kind="handoff",
            title=title,
            fields={
                "next_steps": _still_open(entries, "task", "done"),
                "questions": _still_open(entries, "question", "decision"),
            },
            category=text(row, "project"),
            source_type="import",
            external_id=name,
            created_at=max(times, default=moment(row, "updated_at", "created_at")),
        )
        yield Record(f"handoff:{name}", draft, place, retired=_retired(status))


def _still_open(entries: Sequence[Entry], question: str, answer: str) -> list[str]:
    """What was asked and not settled by a later message."""
    last = max((number for number, entry in enumerate(entries) if entry.type == answer), default=-1)
    return [entry.content for entry in entries[last + 1 :] if entry.type == question]


def log_item(place: str, row: Row) -> Iterator[Record | Omission]:
    """An item of a daily log, unless it was promoted: then it is a memory already."""
    name, status = required(row, "id"), text(row, "status")
    if status == "promoted" or text(row, "promoted_to_id"):
        yield Omission("daily log items", "as the memories they were promoted to", kept=True)
        return
    item = text(row, "item_type") or "observation"
    kind = _ITEM_KINDS.get(item, "observation")
    importance = amount(row, "importance", most=_ITEM_STEPS)
    draft = Draft(
        required(row, "content"),
        kind=kind,
        fields={"source": "daily log"} if kind == "observation" else None,
        category=f"daily log/{item}"[:200],
        importance=None if importance is None else importance / _ITEM_STEPS,
        source_type="import",
        external_id=name,
        created_at=moment(row, "created_at"),
    )
    yield Record(f"daily_log_item:{name}", draft, place, retired=_retired(status))


def pain_point(place: str, row: Row) -> Iterator[Record]:
    """Something that hurts, or hurt until it was mended."""
    name, status = required(row, "id"), text(row, "status")
    severity = text(row, "severity")
    draft = Draft(
        required(row, "description"),
        kind="failure",
        fields={"cause": text(row, "context"), "fix": text(row, "resolution")},
        category="/".join(filter(None, ("pain point", severity)))[:200],
        source_type="import",
        external_id=name,
        created_at=moment(row, "created_at"),
    )
    yield Record(f"pain_point:{name}", draft, place, retired=_retired(status))


def _retired(status: str) -> str:
    return f"{status} in Brain" if status in _PUT_AWAY else ""
