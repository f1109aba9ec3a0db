"""Lore: the flat files it keeps, wherever they lie below its data folder.

All its logs only grow, so the latest line of an id holds. What the graph knows is mapped to the
records themselves through `journal_id`; its other nodes are derived and not taken.
"""

from __future__ import annotations

import os

from recairn.core.errors import BadInput
from recairn.core.record import replace
from recairn.core.times import parse
from recairn.sources.format import Extra, Fault, Record, Source
from recairn.sources.lore.graph import graph
from recairn.sources.lore.records import DOCUMENTS, LINES, SECTIONS, access
from recairn.sources.readers.database import Database, tables_of
from recairn.sources.readers.files import log_lines
from recairn.sources.readers.values import records_from
from recairn.sources.readers.yaml_items import items

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from recairn.sources.readers.files import Origin

    Item = Record | Extra | Fault

# Folder above `data` and file, by which a lone file is known as Lore's.
_PLACES = {
    "journal": ("decisions.jsonl",),
    "patterns": ("patterns.yaml", "concepts.yaml"),
    "failures": ("failures.jsonl", "search-failures.jsonl"),
    "inbox": ("observations.jsonl", "signals.jsonl", "evidence.jsonl"),
    "graph": ("graph.json",),
}
# Uses of records, as a log of lines or as a table of the search index.
_ACCESS = "access_log.jsonl"
_INDEX = "search.db"
_GRAPH = "graph.json"
_SESSIONS = ("transfer", "data", "sessions")
# A session is compressed beside itself, and examples are no memories.
_LEFT_OUT = (".compressed.json",)


def takes(path: str) -> bool:
    parts = os.path.abspath(path).split(os.sep)
    if os.path.isdir(path):
        return _is_home(path) or tuple(parts[-3:]) == _SESSIONS
    if len(parts) < 3:
        return False
    ours = parts[-2] == "data" and parts[-1] in _PLACES.get(parts[-3], ())
    session = tuple(parts[-4:-1]) == _SESSIONS and parts[-1].endswith(".json")
    return ours or session or parts[-1] == _ACCESS


def _is_home(folder: str) -> bool:
    usual = [os.path.join(folder, above, "data") for above in (*_PLACES, _SESSIONS[0])]
    return sum(os.path.isdir(path) for path in usual) >= 2


def find(folder: str) -> list[str]:
    """The folder itself, the one in it called lore, or where Lore keeps its data."""
    home = os.environ.get("LORE_DATA_DIR") or os.path.expanduser("~/.local/share/lore")
    parts = os.path.abspath(folder).split(os.sep)
    if _is_home(folder) or tuple(parts[-3:]) == _SESSIONS:
        return [folder]
    usual = (os.path.join(folder, "lore"), os.path.join(folder, ".lore"), home)
    return [path for path in usual if _is_home(path)][:1]


def read(origin: Origin) -> Iterator[Item]:
    """The records of all files first, then what links them and how they were used."""
    folder = os.path.isdir(origin.path)
    files = origin.files(".jsonl", ".yaml", ".json", _INDEX) if folder else [origin]
    files = [file for file in files if not _left_out(file)]
    accesses = [item for file in files for item in records_from(_accesses(file), access)]
    uses = _uses(accesses)
    keys: dict[str, str] = {}
    extras: list[Extra] = []
    for file in files:
        if _name(file) in (_GRAPH, _ACCESS, _INDEX):
            continue
        for item in _records(file):
            if isinstance(item, Extra):
                extras.append(item)
            elif isinstance(item, Record):
                keys[item.key] = item.key
                yield replace(item, earned=uses.get(item.key))
            else:
                yield item
    yield from _wanted(extras, keys)
    for file in files:
        if _name(file) == _GRAPH:
            yield from graph(file, keys)
    yield from accesses


def _accesses(origin: Origin) -> Iterator[tuple[str, object] | Fault]:
    if _name(origin) == _ACCESS:
        yield from _lines(origin)
    elif _name(origin) == _INDEX and "access_log" in tables_of(origin.path):
        with Database(origin) as database:
            yield from database.rows("access_log")


def _uses(accesses: Sequence[Item]) -> dict[str, dict[str, int]]:
    """How often each record was used, and when last: what Lore ranks by."""
    last = {item.key: item.values for item in accesses if isinstance(item, Extra)}
    uses: dict[str, dict[str, int]] = {}
    for values in last.values():
        counts = uses.setdefault(values["memory"], {"usage_count": 0, "last_used_at": 0})
        counts["usage_count"] += 1
        counts["last_used_at"] = max(counts["last_used_at"], parse(values["at"], 0))
    return uses


def _wanted(extras: list[Extra], keys: dict[str, str]) -> Iterator[Extra]:
    """What comes beside the records: of each session the fullest telling, else the earliest."""
    sessions: dict[str, Extra] = {}
    for extra in extras:
        if extra.shape != "session":
            continue
        other = sessions.get(extra.key)
        if other is None or _fullness(extra) > _fullness(other):
            sessions[extra.key] = extra
    yield from sessions.values()
    for extra in extras:
        if extra.shape != "session" and (extra.shape != "use" or extra.values["memory"] in keys):
            yield extra


def _fullness(session: Extra) -> tuple[bool, int]:
    started = session.values["started_at"]
    return "directory" in session.values, -int("".join(filter(str.isdigit, started)))


def _name(origin: Origin) -> str:
    return os.path.basename(origin.path)


def _left_out(origin: Origin) -> bool:
    name = _name(origin)
    return name.endswith(_LEFT_OUT) or "example" in name


def _records(origin: Origin) -> Iterator[Item]:
    name = _name(origin)
    try:
        if name in LINES:
            rows, faults = _latest(origin)
            yield from faults
            yield from records_from(rows, LINES[name])
        elif name.endswith(".yaml"):
            yield from _sections(origin)
        elif os.path.basename(os.path.dirname(origin.path)) == _SESSIONS[-1]:
            yield from records_from([_document(origin)], DOCUMENTS)
    except BadInput as error:
        yield Fault(origin.place(getattr(error, "line", 1)), error.message)


def _lines(origin: Origin) -> Iterator[tuple[str, object] | Fault]:
    for line in log_lines(origin):
        yield line if isinstance(line, Fault) else (origin.place(line[0]), line[1])


def _latest(origin: Origin) -> tuple[list[tuple[str, object]], list[Fault]]:
    """The last line of each id, in the order of their first ones; and the broken lines."""
    last: dict[object, tuple[str, object]] = {}
    faults: list[Fault] = []
    for line in _lines(origin):
        if isinstance(line, Fault):
            faults.append(line)
            continue
        place, row = line
        name = row.get("id") if isinstance(row, dict) else None
        last[name if isinstance(name, str) else place] = (place, row)
    return list(last.values()), faults


def _sections(origin: Origin) -> Iterator[Item]:
    """The items of a YAML file, each read by itself: a bad one costs only itself."""
    for section, line, row in items(origin.text()):
        if isinstance(row, BadInput):
            yield Fault(origin.place(line), row.message)
        elif section in SECTIONS:
            yield from records_from([(origin.place(line), row)], SECTIONS[section])


def _document(origin: Origin) -> tuple[str, object]:
    from recairn.sources.readers.json_document import json_document

    return origin.place(1), json_document(origin)


SOURCE = Source(
    name="lore",
    about="Lore: decisions, patterns, sessions, failures, observations, graph, access log",
    takes=takes,
    find=find,
    read=read,
    distinct=True,
    complete=True,
)
