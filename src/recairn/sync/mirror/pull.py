"""From the folder into the database: what others wrote, and what was edited by hand."""

from __future__ import annotations

from recairn.core.record import record
from recairn.host.files import write_lines
from recairn.sync.entry import Fault
from recairn.sync.mirror.folder import FORGOTTEN, LINKS, MIRROR_KINDS, check_there, shared_memories
from recairn.sync.mirror.jsonl import LONGEST, bytes_of, lines_of, numbered_lines, uid_key, value_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from typing import Any

    from recairn.store.contract.base import Store
    from recairn.sync.mirror.folder import Folder

    # A record, with the place it stands at before it.
    Line = tuple[str, Mapping[str, Any]]

_BATCH = 500


@record
class Contents:
    """What a folder says: its records, what could not be read, and the line at each place."""

    records: list[Line]
    faults: list[Fault]
    lines: dict[str, str]
    unreadable: dict[str, str]

    def by_hand(self) -> list[str]:
        """The places of memories that somebody wrote by hand, and that have no uid yet."""
        return [
            place
            for place, record in self.records
            if record["type"] == "memory" and "uid" not in record and "content" in record
        ]

    def lines_but(self, places: Collection[str]) -> frozenset[str]:
        """The lines that could be read, but for those of some places."""
        return frozenset(line for place, line in self.lines.items() if place not in places)


def read(folder: Folder) -> Contents:
    """Everything the folder says. Lines that are wrong are named; they stay where they are."""
    check_there(folder)
    contents = Contents([], [], {}, {})
    for name in (*MIRROR_KINDS, LINKS, FORGOTTEN):
        for number, line in numbered_lines(folder.file(name)):
            place = f"{name}.jsonl:{number}"
            value = value_of(line) if len(line) <= LONGEST else None
            if isinstance(value, dict) and not _has_surrogates(line):
                contents.lines[place] = line
                contents.records.append((place, _with_type(name, value, folder.project)))
                continue
            why = "not JSON" if value is None else "not UTF-8"
            long = f"longer than {LONGEST // 1_000_000} MB" if len(line) > LONGEST else ""
            contents.faults.append(Fault(place, long or why))
            contents.unreadable[place] = line
    return contents


def as_written(folder: Folder, contents: Contents, faults: Sequence[Fault]) -> list[Fault]:
    """The faults with the places their lines have by now: writing puts a file in order."""
    numbers = {
        name: {line: number for number, line in numbered_lines(folder.file(name))}
        for name in {fault.place.partition(".jsonl:")[0] for fault in faults}
    }
    moved = []
    for fault in faults:
        name = fault.place.partition(".jsonl:")[0]
        line = contents.lines.get(fault.place) or contents.unreadable.get(fault.place, "")
        number = numbers[name].get(line)
        moved.append(Fault(f"{name}.jsonl:{number}", fault.reason) if number else fault)
    return moved


def _with_type(name: str, value: dict[str, Any], project: str) -> dict[str, Any]:
    """The record with what its file stands for; each clone may call the project as it likes."""
    if name == LINKS:
        return {**value, "type": "edge"}
    if name == FORGOTTEN:
        return {**value, "type": "forgotten"}
    own = {"tier": "project", "project": project, "type": "memory"}
    return {"kind": name, **value, **own}


def _has_surrogates(line: str) -> bool:
    return any("\udc80" <= letter <= "\udcff" for letter in line) if not line.isascii() else False


def adopt(folder: Folder, now: int) -> int:
    """Gives every memory that somebody wrote into a file by hand a uid and a time; how many."""
    from recairn.core.ids import new_uid
    from recairn.core.times import iso

    check_there(folder)
    count = 0
    for name in MIRROR_KINDS:
        path = folder.file(name)
        lines = lines_of(path)
        after = [_with_uid(line, new_uid(now), iso(now)) for line in lines]
        if after != lines:
            count += sum(new != old for new, old in zip(after, lines, strict=True))
            write_lines(path, [bytes_of(line) for line in after], private=False)
    return count


def _with_uid(line: str, uid: str, at: str | None) -> str:
    from json import dumps

    value = value_of(line)
    if not isinstance(value, dict) or "uid" in value or "content" not in value:
        return line
    return dumps({"uid": uid, "created_at": at, **value}, ensure_ascii=False)


def of_other_projects(store: Store, folder: Folder, contents: Contents) -> list[str]:
    """What to tell of memories that the folder holds, and that belong to another project here."""
    uids = {record["uid"] for _, record in contents.records if isinstance(record.get("uid"), str)}
    numbers = [number for number, uid in store.uids().items() if uid in uids]
    counts: dict[str, int] = {}
    for start in range(0, len(numbers), _BATCH):
        for memory in store.get_many(numbers[start : start + _BATCH]).values():
            if memory.tier == "project" and memory.project != folder.project:
                counts[memory.project] = counts.get(memory.project, 0) + 1
    return [
        f"{count} of the memories in {folder.path} belong to the project {project} here,"
        f" and stay there: recairn --project {project} edit ID --move-to {folder.project}"
        " brings one over"
        for project, count in sorted(counts.items())
    ]


def absent_memories(store: Store, folder: Folder) -> list[int]:
    """The living memories of the project that no file holds."""
    uids = {uid_key(line) for name in MIRROR_KINDS for line in lines_of(folder.file(name))}
    shared = shared_memories(store, store.all_numbers(), folder.project)
    return [
        number
        for number, memory in shared.items()
        if memory.deleted_at is None and memory.uid not in uids
    ]
