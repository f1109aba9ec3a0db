"""The logs of tx: the JSONL files it keeps in git, and its event streams. The last word holds."""

from __future__ import annotations

import os
import re

from recairn.core.derived import overlap
from recairn.core.errors import BadInput
from recairn.core.record import record
from recairn.core.words import words
from recairn.sources.format import Fault, Omission
from recairn.sources.readers.files import log_lines
from recairn.sources.readers.values import moment, required, text
from recairn.sources.tx.records import MAKERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from recairn.sources.readers.files import Origin

STREAMS = "streams"
_RUNS = "runs.jsonl"
# Operations of a log: what they are about, and whether they take it away.
_OPERATIONS = {
    "upsert": ("task", False),
    "delete": ("task", True),
    "dep_add": ("dep", False),
    "dep_remove": ("dep", True),
}
_DOINGS = {"upsert": False, "add": False, "delete": True, "remove": True}
# Told by names that are the same everywhere; others by their content.
_NAMED = ("task", "pin", "decision", "invariant", "run")
# How much of its words an edited learning keeps.
_SAME_WORDS = 0.5
_CAMEL = re.compile(r"(?<=[a-z])([A-Z])")


@record
class Entry:
    """What one line says of one thing: `key` names it among all logs, `number` in its own."""

    what: str
    key: str
    number: str
    gone: bool
    data: dict[str, Any]
    place: str
    at: int


class UnknownThing(Exception):
    """A line is about something that recairn has no place for."""


def last_words(files: Sequence[Origin]) -> Iterator[Entry | Fault | Omission]:
    """The last state of everything the logs tell of, whichever of them told it last.

    Within one log a number means one thing, so that a line with new content replaces the older
    one; in two of them the same number means two things, for every machine counts from one.
    """
    last: dict[tuple[str, str], Entry] = {}
    numbered: dict[tuple[str, str, str], Entry] = {}
    lines = 0
    for origin in files:
        scope = _scope(origin)
        for line in log_lines(origin):
            if isinstance(line, Fault):
                yield line
                continue
            place = origin.place(line[0])
            try:
                entry = _entry(line[1], place, is_run=os.path.basename(origin.path) == _RUNS)
            except BadInput as error:
                yield Fault(place, error.message)
                continue
            except UnknownThing as unknown:
                yield Omission(f"{unknown} entries", "recairn has no place for them")
                continue
            lines += 1
            if _is_later(entry, last.get((entry.what, entry.key))):
                last[entry.what, entry.key] = entry
            if entry.number and _is_later(entry, numbered.get((entry.what, scope, entry.number))):
                before = numbered.get((entry.what, scope, entry.number))
                numbered[entry.what, scope, entry.number] = entry
                if before is not None and before.key != entry.key and _is_same(before, entry):
                    last.pop((entry.what, before.key), None)
    entries = [entry for entry in last.values() if not entry.gone]
    if lines > len(entries):
        yield Omission("earlier log entries", "the last word holds", lines - len(entries))
    yield from entries


def _is_same(before: Entry, entry: Entry) -> bool:
    """Whether a number still means what it meant. A file in git may be merged from those of two
    machines, so there an edit keeps half of the words; a stream is of one machine alone."""
    if entry.gone or before.gone or f"{os.sep}{STREAMS}{os.sep}" in f"{os.sep}{entry.place}":
        return True
    ours, theirs = ({*words(_wording(one))} for one in (before, entry))
    return overlap(ours, theirs) >= _SAME_WORDS


def _wording(entry: Entry) -> str:
    return " ".join(str(entry.data.get(name, "")) for name in ("content", "note", "approach"))


def _is_later(entry: Entry, other: Entry | None) -> bool:
    return other is None or entry.at >= other.at


def _scope(origin: Origin) -> str:
    """Where numbers are counted together: in all files of one stream, or in one file."""
    folder = os.path.dirname(os.path.abspath(origin.path))
    in_stream = os.path.basename(os.path.dirname(folder)) == STREAMS
    return folder if in_stream else os.path.abspath(origin.path)


def _entry(row: Any, place: str, *, is_run: bool) -> Entry:
    if not isinstance(row, dict):
        raise BadInput(f"not an object but {type(row).__name__}")
    if isinstance(row.get("payload"), dict):  # an event of a stream, around an operation
        row = row["payload"]
    if is_run and "op" not in row:
        name = required(row, "id")
        return Entry("run", name, "", False, dict(row), place, moment(row, "started_at") or 0)
    what, gone = _operation(required(row, "op"))
    at = moment(row, "ts") or 0
    if what == "dep":
        data = {_snake(name): value for name, value in row.items()}
        key = f"{required(row, 'blockedId')} {required(row, 'blockerId')}"
        return Entry(what, key, "", gone, data, place, at)
    values = row.get("data", {} if gone else None)
    if not isinstance(values, dict):
        raise BadInput("it has no data")
    data = {_snake(name): value for name, value in values.items()}
    name, hashed = required(row, "id", "contentHash"), text(row, "contentHash")
    data |= {"id": name, "ts": row.get("ts"), "hash": hashed}
    key = name if what in _NAMED else hashed or name
    return Entry(what, key, text(row, "id"), gone, data, place, at)


def _operation(operation: str) -> tuple[str, bool]:
    """What an operation is about, and whether it takes that away."""
    if operation in _OPERATIONS:
        return _OPERATIONS[operation]
    what, _, doing = operation.rpartition("_")
    if doing not in _DOINGS or not what:
        raise BadInput(f"unknown operation {operation[:40]!r}")
    if what not in MAKERS:
        raise UnknownThing(what[:40])
    return what, _DOINGS[doing]


def _snake(name: str) -> str:
    return _CAMEL.sub(r"_\1", name).lower()
