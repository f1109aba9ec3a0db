"""Lore: the flat files it keeps, wherever they lie below its data folder.

All its logs only grow, so the latest line of an id holds. Nodes of the graph that stand for records
are mapped to those through `journal_id`; the others are memories too.
"""

from __future__ import annotations

import os
from functools import partial
from itertools import chain

from recairn.core.errors import BadInput
from recairn.core.record import replace
from recairn.core.times import parse
from recairn.sources.format import BESIDES, Extra, Fault, Omission, Record, Source
from recairn.sources.lore.graph import Graph
from recairn.sources.lore.projects import Projects, registered
from recairn.sources.lore.records import (
    DOCUMENTS,
    LINES,
    SECTIONS,
    access,
    decision,
    flag,
    folder_name,
    goal,
)
from recairn.sources.readers.database import Database, tables_of
from recairn.sources.readers.files import Origin, log_lines
from recairn.sources.readers.values import records_from, texts
from recairn.sources.readers.yaml_items import items
from recairn.sources.readers.yaml_subset import load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from recairn.sources.format import Reading

    Item = Reading
    Maker = Callable[[str, Mapping[str, Any]], Iterator[Item]]

# Folder above `data` and file, by which a lone file is known as Lore's.
_PLACES = {
    "journal": ("decisions.jsonl",),
    "patterns": ("patterns.yaml", "concepts.yaml", "flags.jsonl"),
    "failures": ("failures.jsonl", "search-failures.jsonl"),
    "inbox": ("observations.jsonl", "signals.jsonl", "evidence.jsonl"),
    "evidence": ("evidence.jsonl",),
    "graph": ("graph.json",),
}
# Uses of records, as a log of lines or as a table of the search index.
_ACCESS = "access_log.jsonl"
_INDEX = "search.db"
_GRAPH = "graph.json"
_FLAGS, _REGISTRY, _GOALS = "flags.jsonl", "registry", "goals"
_SESSIONS = ("transfer", "data", "sessions")
# A session is compressed beside itself, and examples are no memories.
_LEFT_OUT = (".compressed.json", "schema.json")


def takes(path: str) -> bool:
    parts = os.path.abspath(path).split(os.sep)
    if os.path.isdir(path):
        return _is_home(path) or tuple(parts[-3:]) == _SESSIONS
    if len(parts) < 3:
        return False
    ours = parts[-2] == "data" and parts[-1] in _PLACES.get(parts[-3], ())
    session = tuple(parts[-4:-1]) == _SESSIONS and parts[-1].endswith(".json")
    goal_file = parts[-3:-1] == ["data", _GOALS] and parts[-1].endswith(".yaml")
    return ours or session or goal_file or parts[-1] == _ACCESS


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
    yield from _omissions(files)
    files = [file for file in files if not _is_left_out(file)]
    uses = [item for file in files for item in records_from(_accesses(file), access)]
    for file in files:
        uses += records_from(_lines(file) if _name(file) == _FLAGS else (), flag)
    counts = _counts(uses)
    graphs = [Graph(file) for file in files if _name(file) == _GRAPH]
    decisions = partial(decision, _projects(origin, graphs))
    makers: dict[str, Maker] = {**LINES, "decisions.jsonl": decisions}
    keys: set[str] = set()
    extras: list[Extra] = []
    records = chain.from_iterable(_records(file, makers) for file in files)
    for item in chain(records, *(graph.read(keys, alone=not folder) for graph in graphs)):
        if isinstance(item, Extra) and item.shape != "edge":
            extras.append(item)
        elif isinstance(item, Record):
            keys.add(item.key)
            yield replace(item, earned=counts.get(item.key))
        else:
            yield item
    yield from _fullest(extras, keys)
    yield from _of_records(uses, keys)


def _omissions(files: Sequence[Origin]) -> Iterator[Omission]:
    """What lies beside the records and is none."""
    for file in files:
        if _is_left_out(file):
            yield Omission("files", "examples, schemas, or compressed copies of sessions")
        elif _above(file) == _REGISTRY:
            yield Omission("registry files", "where projects lie and what they need")


def _projects(origin: Origin, graphs: Sequence[Graph]) -> Projects:
    """What Lore knows as projects: in its registry, its graph, its goals, its sessions."""
    home = origin if os.path.isdir(origin.path) else _home_around(origin)
    names = {name for graph in graphs for name in graph.projects()}
    for file in [] if home is None else home.files(".yaml", ".json"):
        try:
            names.update(_named_in(file))
        except BadInput:
            continue  # whoever reads the file is told
    return Projects(names - {""})


def _named_in(file: Origin) -> Iterable[str]:
    """The projects that a file tells of."""
    if _above(file) == _REGISTRY:
        return registered(load(file.text()))
    if _name(file) == _GRAPH:
        return Graph(file).projects()
    row: object = None
    if _folder(file) == _GOALS:
        row = load(file.text())
        return texts(row, "projects") if isinstance(row, dict) else ()
    if _folder(file) == _SESSIONS[-1] and not _is_left_out(file):
        row = _document(file)[1]
    return [folder_name(row)] if isinstance(row, dict) else ()


def _home_around(origin: Origin) -> Origin | None:
    """The data folder in which a file of Lore lies."""
    parts = os.path.abspath(origin.path).split(os.sep)
    if "data" not in parts[:-1]:
        return None
    last = len(parts) - 1 - parts[::-1].index("data")
    folder = os.sep.join(parts[: last - 1])
    return Origin(folder, folder) if folder and _is_home(folder) else None


def _of_records(uses: Sequence[Item], keys: Collection[str]) -> Iterator[Item]:
    for item in uses:
        if isinstance(item, Extra) and item.values["memory"] not in keys:
            yield Omission(BESIDES[item.shape][1], "of records that are not there")
        else:
            yield item


def _accesses(origin: Origin) -> Iterator[tuple[str, object] | Fault]:
    if _name(origin) == _ACCESS:
        yield from _lines(origin)
    elif _name(origin) == _INDEX and "access_log" in tables_of(origin.path):
        with Database(origin) as database:
            yield from database.rows("access_log")


def _counts(uses: Sequence[Item]) -> dict[str, dict[str, float]]:
    """How often each record was used, when last, and how often it was held to do harm."""
    last = {(item.shape, item.key): item.values for item in uses if isinstance(item, Extra)}
    counts: dict[str, dict[str, float]] = {}
    for (shape, _), values in last.items():
        of_record = counts.setdefault(values["memory"], {})
        if shape == "feedback":
            of_record["harmful"] = of_record.get("harmful", 0.0) + 1.0
            continue
        of_record["usage_count"] = of_record.get("usage_count", 0) + 1
        at = parse(values["at"], 0)
        of_record["last_used_at"] = max(of_record.get("last_used_at", 0), at)
    return counts


def _fullest(extras: list[Extra], keys: Collection[str]) -> Iterator[Extra | Omission]:
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
        if extra.shape == "use" and extra.values["memory"] not in keys:
            yield Omission("uses in sessions", "of records that are not there")
        elif extra.shape != "session":
            yield extra


def _fullness(session: Extra) -> tuple[bool, int]:
    started = session.values["started_at"]
    return "directory" in session.values, -int("".join(filter(str.isdigit, started)))


def _name(origin: Origin) -> str:
    return os.path.basename(origin.path)


def _folder(origin: Origin) -> str:
    return os.path.basename(os.path.dirname(os.path.abspath(origin.path)))


def _above(origin: Origin) -> str:
    """The folder above `data`, by which a part of Lore is called."""
    return os.path.abspath(origin.path).split(os.sep)[-3:][0]


def _is_left_out(origin: Origin) -> bool:
    name = _name(origin)
    return name.endswith(_LEFT_OUT) or "example" in name


def _records(origin: Origin, makers: Mapping[str, Maker]) -> Iterator[Item]:
    name, folder = _name(origin), _folder(origin)
    try:
        if name in makers:
            rows, earlier, faults = _latest(origin)
            yield from faults
            if earlier:
                yield Omission("earlier lines", "the latest of an id holds", earlier)
            yield from records_from(rows, makers[name])
        elif folder == _GOALS:
            yield from records_from([(origin.place(1), load(origin.text()))], goal)
        elif folder == _SESSIONS[-1]:
            yield from records_from([_document(origin)], DOCUMENTS)
        elif name.endswith(".yaml") and _above(origin) != _REGISTRY:
            yield from _sections(origin)
        elif name.endswith((".jsonl", ".json")) and name not in (_GRAPH, _ACCESS, _FLAGS):
            yield Omission("files", "nothing that Lore's contract knows")
    except BadInput as error:
        yield Fault(origin.place(getattr(error, "line", 1)), error.message)


def _lines(origin: Origin) -> Iterator[tuple[str, object] | Fault]:
    for line in log_lines(origin):
        yield line if isinstance(line, Fault) else (origin.place(line[0]), line[1])


def _latest(origin: Origin) -> tuple[list[tuple[str, object]], int, list[Fault]]:
    """The last line of each id, in the order of their first ones; the number of the earlier ones;
    and the broken lines."""
    last: dict[object, tuple[str, object]] = {}
    faults: list[Fault] = []
    lines = 0
    for line in _lines(origin):
        if isinstance(line, Fault):
            faults.append(line)
            continue
        place, row = line
        lines += 1
        name = row.get("id") if isinstance(row, dict) else None
        last[name if isinstance(name, str) else place] = (place, row)
    return list(last.values()), lines - len(last), faults


def _sections(origin: Origin) -> Iterator[Item]:
    """The items of a YAML file, each read by itself: a bad one costs only itself."""
    words = origin.text()
    if not any(f"\n{section}:" in f"\n{words}" for section in SECTIONS):
        yield Omission("files", "nothing that Lore's contract knows")
        return
    for section, line, row in items(words):
        if isinstance(row, BadInput):
            yield Fault(origin.place(line), row.message)
        elif section in SECTIONS:
            yield from records_from([(origin.place(line), row)], SECTIONS[section])
        else:
            yield Omission(f"items of {section[:40]}", "nothing that Lore's contract knows")


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
