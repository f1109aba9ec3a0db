"""From the folder into the database: what others wrote, and what was edited by hand."""

from __future__ import annotations

from recairn.core.record import record
from recairn.host.files import write_lines
from recairn.sync.mirror.folder import FORGOTTEN, KINDS_KEPT, LINKS, check_there, shared_memories
from recairn.sync.mirror.jsonl import LONGEST, encoded, lines_of, numbered_lines, parsed, uid_key

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from recairn.store.contract.base import Store
    from recairn.sync.mirror.folder import Folder

    Told = tuple[str, Mapping[str, Any]]

_BATCH = 500


@record
class Read:
    """The records of a folder, each with the place it stands at, and what could not be read."""

    told: list[Told]
    problems: list[str]
    lines: dict[str, str]

    def taken(self, problems: Sequence[str]) -> frozenset[str]:
        """The lines that were taken in, given what was wrong with some of the records."""
        bad = {problem.partition(": ")[0] for problem in problems}
        return frozenset(line for place, line in self.lines.items() if place not in bad)


def read(folder: Folder) -> Read:
    """Everything the folder says. Lines that are wrong are named; they stay where they are."""
    check_there(folder)
    told: list[Told] = []
    problems: list[str] = []
    lines: dict[str, str] = {}
    for name in (*KINDS_KEPT, LINKS, FORGOTTEN):
        for number, line in numbered_lines(folder.file(name)):
            place = f"{name}.jsonl:{number}"
            value = parsed(line) if len(line) <= LONGEST else None
            if not isinstance(value, dict):
                long = f"longer than {LONGEST // 1_000_000} MB"
                problems.append(f"{place}: {long if len(line) > LONGEST else 'not JSON'}")
            elif _has_surrogates(line):
                problems.append(f"{place}: not UTF-8")
            else:
                lines[place] = line
                told.append((place, _typed(name, value, folder.project)))
    return Read(told, problems, lines)


def _typed(name: str, value: dict[str, Any], project: str) -> dict[str, Any]:
    """The record with what its file stands for; each clone may call the project as it likes."""
    if name == LINKS:
        return {**value, "type": "edge"}
    if name == FORGOTTEN:
        return {**value, "type": "forgotten"}
    return {"kind": name, "tier": "project", **value, "project": project, "type": "memory"}


def _has_surrogates(line: str) -> bool:
    return any("\udc80" <= letter <= "\udcff" for letter in line) if not line.isascii() else False


def adopt(folder: Folder, now: int) -> int:
    """Gives every memory that somebody wrote into a file by hand a uid and a time; how many."""
    from recairn.core.ids import new_uid
    from recairn.core.times import iso

    check_there(folder)
    count = 0
    for name in KINDS_KEPT:
        path = folder.file(name)
        lines = lines_of(path)
        adopted = [_adopted(line, new_uid(now), iso(now)) for line in lines]
        if adopted != lines:
            count += sum(new != old for new, old in zip(adopted, lines, strict=True))
            write_lines(path, [encoded(line) for line in adopted], private=False)
    return count


def _adopted(line: str, uid: str, at: str | None) -> str:
    from json import dumps

    value = parsed(line)
    if not isinstance(value, dict) or "uid" in value or "content" not in value:
        return line
    return dumps({"uid": uid, "created_at": at, **value}, ensure_ascii=False)


def of_other_projects(store: Store, folder: Folder, found: Read) -> list[str]:
    """What to tell of memories that the folder holds, and that belong to another project here."""
    uids = {record["uid"] for _, record in found.told if isinstance(record.get("uid"), str)}
    numbers = [number for number, uid in store.uids().items() if uid in uids]
    counts: dict[str, int] = {}
    for start in range(0, len(numbers), _BATCH):
        for memory in store.get_many(numbers[start : start + _BATCH]).values():
            if memory.tier == "project" and memory.project != folder.project:
                counts[memory.project] = counts.get(memory.project, 0) + 1
    return [
        f"{count} of the memories in {folder.path} belong to the project {project} here,"
        f" and stay there: recairn edit ID --project {folder.project} brings one over"
        for project, count in sorted(counts.items())
    ]


def absent(store: Store, folder: Folder) -> list[int]:
    """The living memories of the project that no file holds."""
    held = {uid_key(line) for name in KINDS_KEPT for line in lines_of(folder.file(name))}
    shared = shared_memories(store, store.all_numbers(), folder.project)
    return [
        number
        for number, memory in shared.items()
        if memory.deleted_at is None and memory.uid not in held
    ]
