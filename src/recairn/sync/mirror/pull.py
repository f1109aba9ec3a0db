"""From the folder into the database: what others wrote, and what was edited by hand."""

from __future__ import annotations

from recairn.core.record import record, replace
from recairn.host.files import write_lines
from recairn.sync.entry import Fault
from recairn.sync.mirror.folder import (
    FORGOTTEN,
    LINKS,
    MIRROR_KINDS,
    NAMES,
    check_there,
    shared_memories,
)
from recairn.sync.mirror.jsonl import (
    LONGEST,
    bytes_of,
    lines_of,
    link_key,
    numbered_lines,
    uid_key,
    value_of,
)
from recairn.sync.mirror.known_files import KnownFiles, signature_of
from recairn.sync.mirror.own_lines import own_lines
from recairn.sync.mirror.stretches import Stretches, file_at, split_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from typing import Any

    from recairn.store.contract.base import Store
    from recairn.sync.mirror.folder import Folder
    from recairn.sync.mirror.known_files import Signature

    # A record, with the place it stands at before it.
    Line = tuple[str, Mapping[str, Any]]

_BATCH = 500


@record
class Contents:
    """What a folder says: its records, what could not be read, and the line at each place.

    Where files that are known were left out, `unchanged` counts the memories in them.
    """

    records: list[Line]
    faults: list[Fault]
    lines: dict[str, str]
    unreadable: dict[str, str]
    signatures: dict[str, Signature]
    is_whole: bool
    unchanged: int

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

    def uids(self) -> set[str]:
        """The memories that it speaks of, forgotten ones too."""
        return {
            record["uid"]
            for _, record in self.records
            if record["type"] != "edge" and isinstance(record.get("uid"), str)
        }

    def stubs(self) -> set[str]:
        """Those that were forgotten."""
        return {
            record["uid"]
            for _, record in self.records
            if record["type"] == "forgotten" and isinstance(record.get("uid"), str)
        }

    def link_ends(self) -> set[str]:
        """The memories that its links lead from and to."""
        return {
            str(record.get(end))
            for _, record in self.records
            if record["type"] == "edge"
            for end in ("source", "target")
        }


def look(folder: Folder, store: Store) -> Contents:
    """What the folder says in files that changed since they were last known.

    All of it, where it is not known what some file should hold, or where lines of it are missing.
    """
    check_there(folder)
    known = KnownFiles(folder, store)
    files = known.news(Stretches(folder, NAMES))
    if files is None:
        return read(folder)
    contents = read(folder, files)
    if _lacks(store, contents, known):
        return read(folder)
    count = sum(
        entry.keys
        for file, entry in known.files.items()
        if file not in contents.signatures and split_name(file)[0] != LINKS
    )
    news = _news(store, folder, contents)
    return replace(contents, records=news, unchanged=count + len(contents.records) - len(news))


def _news(store: Store, folder: Folder, contents: Contents) -> list[Line]:
    """The records without those that say in the right place what is written here anyway."""
    own = own_lines(store, folder.project, contents.uids())
    stretches = Stretches(folder, NAMES)
    times: dict[str, int] = {}
    for _, values in contents.records:
        uid = str(values.get("uid"))
        times[uid] = times.get(uid, 0) + 1
    news: list[Line] = []
    for place, values in contents.records:
        file, uid = file_at(place), str(values.get("uid"))
        ours = own.get(split_name(file)[0], {}).get(uid)
        is_own = ours == contents.lines[place] and times[uid] == 1
        if not is_own or stretches.place(split_name(file)[0], uid) != file:
            news.append((place, values))
    return news


def _lacks(store: Store, contents: Contents, files: KnownFiles) -> bool:
    """Whether a file holds fewer things that are known here than it did."""
    uids = contents.uids() | contents.link_ends()
    here = {*store.numbers_of(sorted(uids))}
    here |= {row.uid for row in store.erased(sorted(uids - here))}
    held: dict[str, set[str]] = {file: set() for file in contents.signatures}
    for place, values in contents.records:
        file = file_at(place)
        if values["type"] == "edge":
            held[file].add(link_key(contents.lines[place]))
        elif values["type"] == "forgotten" or values.get("uid") in here:
            held[file].add(str(values.get("uid")))
    return any(len(keys) < files.files[file].keys for file, keys in held.items())


def read(folder: Folder, files: Sequence[str] | None = None) -> Contents:
    """Everything the folder says, or some of its files. Lines that are wrong are named; they stay
    where they are."""
    check_there(folder)
    contents = Contents([], [], {}, {}, {}, files is None, 0)
    stretches = Stretches(folder, NAMES)
    wanted = stretches.files if files is None else set(files)
    for file in [file for name in NAMES for file in stretches.of(name) if file in wanted]:
        # Before it is read: what changes after that is seen next time.
        contents.signatures[file] = signature_of(folder.file(file))
        for number, line in numbered_lines(folder.file(file)):
            _read_line(contents, folder, f"{file}:{number}", line)
    return contents


def _read_line(contents: Contents, folder: Folder, place: str, line: str) -> None:
    value = value_of(line) if len(line) <= LONGEST else None
    if isinstance(value, dict) and not _has_surrogates(line):
        name, _ = split_name(file_at(place))
        contents.lines[place] = line
        contents.records.append((place, _with_type(name, value, folder.project)))
        return
    why = "not JSON" if value is None else "not UTF-8"
    long = f"longer than {LONGEST // 1_000_000} MB" if len(line) > LONGEST else ""
    contents.faults.append(Fault(place, long or why))
    contents.unreadable[place] = line


def as_written(folder: Folder, contents: Contents, faults: Sequence[Fault]) -> list[Fault]:
    """The faults with the places their lines have by now: writing puts a file in order."""
    numbers = {
        file: {line: number for number, line in numbered_lines(folder.file(file))}
        for file in {file_at(fault.place) for fault in faults}
    }
    moved = []
    for fault in faults:
        file = file_at(fault.place)
        line = contents.lines.get(fault.place) or contents.unreadable.get(fault.place, "")
        number = numbers[file].get(line)
        moved.append(Fault(f"{file}:{number}", fault.reason) if number else fault)
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


def adopt(folder: Folder, contents: Contents, now: int) -> int:
    """Gives every memory that somebody wrote into a file by hand a uid and a time; how many."""
    from recairn.core.ids import new_uid
    from recairn.core.times import iso

    count = 0
    for file in sorted({file_at(place) for place in contents.by_hand()}):
        lines = lines_of(folder.file(file))
        after = [_with_uid(line, new_uid(now), iso(now)) for line in lines]
        if after != lines:
            count += sum(new != old for new, old in zip(after, lines, strict=True))
            write_lines(folder.file(file), [bytes_of(line) for line in after], private=False)
    return count


def _with_uid(line: str, uid: str, at: str | None) -> str:
    from json import dumps

    value = value_of(line)
    if not isinstance(value, dict) or "uid" in value or "content" not in value:
        return line
    return dumps({"uid": uid, "created_at": at, **value}, ensure_ascii=False)


def of_other_projects(
    store: Store, folder: Folder, contents: Contents
) -> tuple[list[str], list[str]]:
    """What to tell of memories that the folder holds, and that belong to another project here; and
    the places where those stand."""
    uids = contents.uids()
    numbers = sorted(store.numbers_of(sorted(uids)).values())
    counts: dict[str, int] = {}
    elsewhere = set()
    for start in range(0, len(numbers), _BATCH):
        for memory in store.get_many(numbers[start : start + _BATCH]).values():
            if memory.tier == "project" and memory.project != folder.project:
                counts[memory.project] = counts.get(memory.project, 0) + 1
                elsewhere.add(memory.uid)
    lines = [
        f"{count} of the memories in {folder.path} belong to the project {project} here,"
        f" and stay there: recairn --project {project} edit ID --move-to {folder.project}"
        " brings one over"
        for project, count in sorted(counts.items())
    ]
    return lines, [place for place, record in contents.records if record.get("uid") in elsewhere]


def absent_memories(store: Store, folder: Folder) -> list[int]:
    """The living memories of the project that no file holds."""
    stretches = Stretches(folder, MIRROR_KINDS)
    uids = {
        uid_key(line)
        for name in MIRROR_KINDS
        for file in stretches.of(name)
        for line in lines_of(folder.file(file))
    }
    shared = shared_memories(store, store.all_numbers(), folder.project)
    return [
        number
        for number, memory in shared.items()
        if memory.deleted_at is None and memory.uid not in uids
    ]
