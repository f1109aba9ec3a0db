"""What a person does to projects: rename, join, part, name a part; and taking that back.

Every one is a single transaction of the caller. It answers with what is needed to take it back,
which the caller notes beside what follows from it elsewhere.
"""

from __future__ import annotations

import os

from recairn.core.errors import BadInput, NotFound, Refused
from recairn.core.record import record, replace
from recairn.host.ancestry import ancestry_of
from recairn.host.project import CHECKOUT, FOLDER, mark_text, one_name, place_of
from recairn.memory.lifecycle import MOVED, event_of
from recairn.store.project_rows import ProjectMark
from recairn.work.belonging import known_home
from recairn.work.first_meeting import COPY, STAMP, free_name, is_unclaimed, path_of, stamp_of
from recairn.work.handoff import stream_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from recairn.core.model import Act
    from recairn.host.project import Place
    from recairn.store.contract.base import Store
    from recairn.store.project_rows import ProjectRow

# Sessions of a project that are looked through for those of one checkout.
_SESSIONS = 100_000


@record
class Project:
    """A project: its names, what is kept under it, and what leads there.

    `checkouts` and `folders` are paths on this machine, `roots` first commits, `remotes` addresses.
    """

    name: str
    aliases: tuple[str, ...]
    parent: str | None
    folder: str
    parts: tuple[str, ...]
    memories: int
    sessions: int
    tasks: int
    documents: int
    checkouts: tuple[str, ...]
    folders: tuple[str, ...]
    roots: tuple[str, ...]
    remotes: tuple[str, ...]
    last_used_at: int | None = None


@record
class ProjectMove:
    """What was done to a project, and how much it moved; `change` is its number for undo."""

    change: int
    event: str
    project: str
    to: str
    memories: int
    tasks: int


def project_list(store: Store) -> list[Project]:
    """All projects, also those that only memories name, the ones with most memories first."""
    counts = store.project_counts()
    rows = store.projects()
    named = {row.name for row in rows}
    parts: dict[str, list[str]] = {}
    for row in rows:
        if row.parent is not None:
            parts.setdefault(row.parent, []).append(row.name)
    listed = [_project(store, row, counts.get(row.name, {}), parts) for row in rows]
    listed += [_unclaimed(name, counts[name]) for name in counts if name not in named]
    used = store.last_uses()
    dated = [replace(project, last_used_at=used.get(project.name)) for project in listed]
    return sorted(dated, key=lambda one: (-one.memories, one.name))


def places_of(store: Store, name: str) -> list[str]:
    """The checkouts and folders of a project; nothing is counted for it."""
    rows = [row for row in store.projects() if row.name == name]
    projects = [_project(store, row, {}, {}) for row in rows]
    return [path for project in projects for path in (*project.checkouts, *project.folders)]


def _project(
    store: Store,
    row: ProjectRow,
    counts: Mapping[str, int],
    parts: Mapping[str, Sequence[str]],
) -> Project:
    marks = store.marks_of(row.id)

    def values(kind: str) -> tuple[str, ...]:
        return tuple(dict.fromkeys(mark.value for mark in marks if mark.kind == kind))

    return Project(
        row.name,
        tuple(store.aliases(row.id)),
        row.parent,
        row.folder,
        tuple(parts.get(row.name, ())),
        *_counted(counts),
        checkouts=tuple(dict.fromkeys(_shown(path) for path in values(CHECKOUT))),
        folders=values(FOLDER),
        roots=values("root"),
        remotes=values("remote"),
    )


def _unclaimed(name: str, counts: Mapping[str, int]) -> Project:
    return Project(name, (), None, "", (), *_counted(counts), (), (), (), ())


def _counted(counts: Mapping[str, int]) -> tuple[int, int, int, int]:
    memories, sessions, tasks, documents = (
        counts.get(table, 0) for table in ("memories", "sessions", "tasks", "documents")
    )
    return memories, sessions, tasks, documents


def _shown(key: str) -> str:
    """The folder of a checkout by its key."""
    path = path_of(key)
    return os.path.dirname(path) if os.path.basename(path) == ".git" else path


# Changes


def rename(store: Store, old: str, new: str, act: Act) -> dict[str, Any]:
    """Gives a project another name; the old one goes on leading to it."""
    row = project_row(store, old, act)
    name = _checked_name(store, new, row)
    if name == row.name:
        raise Refused(f"the project is called {name} already", "recairn project list")
    store.rename_project(row.id, name)
    store.put_alias(row.name, row.id)
    _move_readers(store, row.name, name, act)
    moved = _move_all(store, row.name, name, act, f"project {row.name} renamed to {name}")
    return {"event": "renamed", "project": row.name, "details": {"to": name, **moved}}


def merge(store: Store, source: str, target: str, act: Act) -> dict[str, Any]:
    """Makes a project a part of another one's memory; its name and places lead there then."""
    one, other = project_row(store, source, act), project_row(store, target, act)
    if one.id == other.id:
        raise Refused(f"{source} and {target} are one project already", "recairn project list")
    if other.parent == one.name:
        raise Refused(
            f"{other.name} is a part of {one.name}",
            f"recairn project merge {other.name} {one.name}",
        )
    marks, aliases = store.marks_of(one.id), store.aliases(one.id)
    parts = [row.id for row in store.projects() if row.parent == one.name]
    details: dict[str, Any] = {
        "to": other.name,
        "row": list(one),
        "marks": [list(mark) for mark in marks],
        "aliases": aliases,
        "parts": parts,
        "doubles": _drop_doubles(store, one.name, other.name, act),
    }
    for mark in marks:
        store.put_mark(mark._replace(project=other.id))
    store.adopt_parts(one.id, other.id)
    store.drop_project(one.id)
    for name in (*aliases, one.name):
        store.put_alias(name, other.id)
    reason = f"project {one.name} merged into {other.name}"
    details.update(_move_all(store, one.name, other.name, act, reason))
    return {"event": "merged", "project": one.name, "details": details}


def split(store: Store, place: Place, name: str | None, act: Act) -> dict[str, Any]:
    """Makes the checkout or folder of a place a project of its own, with what was made there.

    What was made there is what sessions say: memories of those that ran in it.
    """
    home = known_home(store, place)
    if home is None:
        raise Refused("this folder shares its memory with no other", "recairn project show")
    whole = home.parent or home.name
    old = project_row(store, whole, act)
    new = free_name(store, place.root) if name is None else _checked_name(store, name, None)
    before = store.marks_of(old.id)
    project = store.add_project(new, act.at)
    for mark in _own_marks(place, project, act.at):
        store.put_mark(mark)
    sessions = [
        row.id
        for row in store.sessions(project=whole, limit=_SESSIONS)
        if row.directory and place_of(row.directory).keys[0] == place.keys[0]
    ]
    contents = _of_sessions(store, whole, sessions)
    _move(store, contents, new, act, f"project {new} split from {whole}")
    details = {"to": new, "marks": [list(mark) for mark in before], **contents}
    return {"event": "split", "project": whole, "details": details}


def add_part(store: Store, whole: str, name: str, folder: str, act: Act) -> dict[str, Any]:
    """Names a part of a project: what is remembered below that folder is its own."""
    row = project_row(store, whole, act)
    if row.parent is not None:
        row = project_row(store, row.parent, act)
    path = os.path.normpath(folder)
    if os.path.isabs(path) or path == "." or path.split(os.sep)[0] == "..":
        raise BadInput(
            f"{folder} is not a folder inside of {row.name}",
            "name one below the project's root, as packages/web",
        )
    if any(project.parent == row.name and project.folder == path for project in store.projects()):
        raise Refused(f"{path} of {row.name} is a project already", "recairn project list")
    part = _checked_name(store, name, None)
    store.add_project(part, act.at, parent=row.id, folder=mark_text(path))
    return {"event": "added", "project": row.name, "details": {"to": part, "folder": path}}


def take_back(store: Store, event: str, project: str, details: Mapping[str, Any], act: Act) -> None:
    """Takes one of the changes above back; Refused where a later one stands in the way."""
    row = store.project_named(details["to"])
    if row is None or row.name != details["to"]:
        raise Refused(
            f"there is no project {details['to']} any more", "undo the later change first"
        )
    reason = f"undo of project {event}"
    if event == "renamed":
        _make_free(store, project, row.id)
        store.rename_project(row.id, project)
        _move_readers(store, row.name, project, act)
        _move_all(store, row.name, project, act, reason)
    elif event == "merged":
        _part_again(store, project, details, row, act)
    else:
        back = project_row(store, project, act)
        for mark in details.get("marks", ()):
            store.put_mark(ProjectMark(*mark))
        store.adopt_parts(row.id, back.id)
        store.drop_project(row.id)
        _move_all(store, row.name, back.name, act, reason)


def _part_again(
    store: Store, name: str, details: Mapping[str, Any], target: ProjectRow, act: Act
) -> None:
    """What was merged is a project again, with what it brought along and still has there."""
    _make_free(store, name, target.id)
    _, _, parent, folder, made_at = details["row"]
    above = None if parent is None else project_row(store, parent, act).id
    project = store.add_project(name, made_at, parent=above, folder=folder)
    for kind, value, _, state, at in details["marks"]:
        store.put_mark(ProjectMark(kind, value, project, state, at))
    for alias in details["aliases"]:
        store.put_alias(alias, project)
    kept = set(store.memories_of(target.name))
    there = store.records_of(target.name)
    contents = {
        "memories": [memory for memory in details["memories"] if memory in kept],
        "records": {
            noun: sorted(set(ids) & set(there[noun])) for noun, ids in details["records"].items()
        },
    }
    _move(store, contents, name, act, "undo of project merged")
    store.move_origins(target.name, name)
    for uid, chunks in details["doubles"]:
        store.change_document(uid, {"deleted_at": None})
        for memory in chunks:
            store.change(memory, {"deleted_at": None}, event_of("restored", memory, act))


# Parts of them


def project_row(store: Store, name: str, act: Act) -> ProjectRow:
    """The project of a name; one that only memories name so far is made one."""
    name = one_name(name)
    row = store.project_named(name)
    if row is None and is_unclaimed(store, name):
        store.add_project(name, act.at)
        row = store.project_named(name)
    if row is None:
        raise NotFound(f"there is no project {name}", "recairn project list shows them")
    return row


def _checked_name(store: Store, name: str, own: ProjectRow | None) -> str:
    """A name that a person gives; Refused where another project bears it."""
    name = one_name(name)
    if not name:
        raise BadInput("a project needs a name", "for example: recairn project rename api backend")
    row = store.project_named(name)
    is_own = row is not None and own is not None and row.id == own.id
    if not is_own and (row is not None or store.is_name_in_use(name)):
        owner = name if row is None else row.name
        raise Refused(
            f"there is a project {owner} already",
            "choose another name, or recairn project merge joins two projects",
        )
    return name


def _make_free(store: Store, name: str, project: int) -> None:
    """Refused where a name that a project shall have again is another one's now."""
    row = store.project_named(name)
    if row is not None and row.id != project:
        raise Refused(f"another project is called {name} now", "rename that one first")
    store.drop_alias(name)


def _own_marks(place: Place, project: int, at: int) -> list[ProjectMark]:
    """What leads to a place alone, and not to others with the same first commit."""
    if place.kind == FOLDER:
        return [ProjectMark(FOLDER, mark_text(place.folder), project, 1, at)]
    ancestry, key = ancestry_of(place), place.keys[0]
    marks = [ProjectMark(CHECKOUT, key, project, ancestry.state, at)]
    if stamp_of(key):
        marks.append(ProjectMark(STAMP, stamp_of(key), project, 1, at))
    copies = [f"{root} {ancestry.remote}" for root in ancestry.roots if ancestry.remote]
    return marks + [ProjectMark(COPY, copy, project, 1, at) for copy in copies]


def _of_sessions(store: Store, project: str, sessions: Sequence[str]) -> dict[str, Any]:
    """What sessions made in a project: their memories, tasks, and they themselves."""
    wanted = set(sessions)
    memories = store.get_many(store.memories_of(project))
    tasks = [row.id for row in store.tasks(_tasks_of(project)) if row.session_id in wanted]
    return {
        "memories": [memory.id for memory in memories.values() if memory.session_id in wanted],
        "records": {"session": list(sessions), "task": tasks},
    }


def _tasks_of(project: str) -> Any:
    from recairn.core.model import TaskFilter

    return TaskFilter(project=project)


def _move_all(store: Store, old: str, new: str, act: Act, reason: str) -> dict[str, Any]:
    """Everything under one name, under another."""
    contents = {"memories": store.memories_of(old), "records": store.records_of(old)}
    _move(store, contents, new, act, reason)
    store.move_origins(old, new)
    return contents


def _move(store: Store, contents: Mapping[str, Any], new: str, act: Act, reason: str) -> None:
    for memory in contents["memories"]:
        store.change(memory, {"project": new}, event_of(MOVED, memory, act, reason))
    store.move_records(contents["records"], new)


def _move_readers(store: Store, old: str, new: str, act: Act) -> None:
    """Who has read the handoffs of a project has read them under its new name."""
    for row in list(store.records("read")):
        if row["stream"] == stream_of(old):
            store.move_reader(row["reader"], stream_of(new), row["position"], act.at)


def _drop_doubles(store: Store, one: str, other: str, act: Act) -> list[Any]:
    """Forgets documents that both projects keep under the same path, of the first: the second's
    stay. Each with its chunks, to bring them back."""
    there = {row.path for row in store.documents(other)}
    doubles = []
    for row in store.documents(one):
        if row.path in there:
            known = store.get_many(store.chunks_of(row.uid))
            chunks = [memory.id for memory in known.values() if memory.deleted_at is None]
            for memory in chunks:
                event = event_of("forgotten", memory, act, f"{row.path} is in {other} too")
                store.change(memory, {"deleted_at": act.at}, event)
            store.change_document(row.uid, {"deleted_at": act.at})
            doubles.append([row.uid, chunks])
    return doubles
