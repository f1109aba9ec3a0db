"""A folder met for the first time: whose project it is, and by what it is known from then on.

What counts is history. Who has a project's first commit has a copy of it: a clone, a fork, the same
folder elsewhere. A remote address is only a hint, since anybody can write one into an archive: it
joins a shallow clone with a project when they also have a commit in common.
"""

from __future__ import annotations

import os

from recairn.core.errors import RecairnError
from recairn.host.ancestry import ancestry_of, may_have_ancestry, shares_commits
from recairn.host.project import CHECKOUT, FOLDER, mark_text, one_name, place_of
from recairn.store.project_rows import ProjectMark
from recairn.work.belonging import Home, known_home, part_or_whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from recairn.host.ancestry import Ancestry
    from recairn.host.project import Place
    from recairn.store.contract.base import Store
    from recairn.store.rows import KnownPlace

# What leads to a project beside the places it lies in: its first commit, its remote, both (where
# copies of one first commit were parted), and what stays the same when a git folder is moved.
ROOT, REMOTE, COPY, STAMP = "root", "remote", "copy", "stamp"
# Seconds to wait for another writer; a place that is not written down is asked again next time.
_PATIENCE_S = 0.1
# Folders of sessions that are looked at to find out whose a name was.
_FOLDERS = 20
_SESSIONS = 500
# Characters of a folder's name; two of them and a number are still a project's.
_LONGEST_NAME = 120


def meet(store: Store, place: Place, at: int) -> Home:
    """The project of a place that is not known; that of a checkout is written down at once.

    A plain folder becomes a project when something is first written there, or whoever looks around
    would make one of every folder.
    """
    if place.kind == FOLDER:
        return stranger(store, place)
    ancestry = ancestry_of(place)
    if not store.read_only:
        try:
            with store.bookkeeping(_PATIENCE_S), store.transaction():
                return known_home(store, place) or _enter(store, place, ancestry, at)
        except RecairnError:
            pass  # somebody else writes, or the disk is full: reading goes on without
    return stranger(store, place, ancestry)


def stranger(store: Store, place: Place, ancestry: Ancestry | None = None) -> Home:
    """The project that a place would belong to, were it written down."""
    if place.kind == FOLDER:
        return Home(_folder_name(store, place), newcomer=place)
    ancestry = ancestry or ancestry_of(place)
    relative = _relative(store, place, ancestry)
    if relative is None:
        path = _checkout_path(place)
        name = _own_name(store, place, path, ancestry) or free_name(store, path)
        return Home(name, newcomer=place)
    home = _part_or_whole(store, place, relative.name)
    home.newcomer = place
    return home


def move_in(store: Store, place: Place, at: int) -> Home:
    """Writes a newcomer down as a project, within the transaction that writes for it."""
    home = known_home(store, place)
    if home is not None:
        return home
    if place.kind == CHECKOUT:
        return _enter(store, place, ancestry_of(place), at)
    name = _folder_name(store, place)
    project = store.add_project(name, at)
    store.put_mark(ProjectMark(FOLDER, mark_text(place.root), project, 1, at))
    return Home(name)


def catch_up(store: Store, place: Place, project: int, at: int) -> None:
    """Notes the first commit of a checkout that had none when it was met."""
    if store.read_only or not may_have_ancestry(place):
        return
    ancestry = ancestry_of(place)
    try:
        with store.bookkeeping(_PATIENCE_S), store.transaction():
            _mark(store, place, ancestry, project, at)
    except RecairnError:
        return


def _enter(store: Store, place: Place, ancestry: Ancestry, at: int) -> Home:
    """Writes a checkout down: as one of a known project, of a name without one, or as new."""
    relative = _relative(store, place, ancestry)
    if relative is not None:
        _mark(store, place, ancestry, relative.project, at)
        home = _part_or_whole(store, place, relative.name)
        home.notice = _joined(relative.name, ancestry)
        return home
    path = _checkout_path(place)
    name = _own_name(store, place, path, ancestry)
    if name:
        count = len(store.memories_of(name))
        notice = (
            f"{count:,} memories stored under the name {name} are now those of this checkout;"
            " recairn project split parts them, should they be another one's"
        )
        store.add_project_change(
            {"at": at, "event": "adopted", "project": name, "details": {"memories": count}}
        )
    else:
        name, notice = free_name(store, path), ""
    _mark(store, place, ancestry, store.add_project(name, at), at)
    return Home(name, notice=notice)


def _part_or_whole(store: Store, place: Place, name: str) -> Home:
    """The project of a name, or the part of it that a place lies in."""
    parts = [(row.folder, row.name) for row in store.projects() if row.parent == name]
    return part_or_whole(name, parts, place.inside(place.root))


def _joined(name: str, ancestry: Ancestry) -> str:
    because = f"the first commit {ancestry.roots[0][:10]}" if ancestry.roots else "its history"
    return (
        f"this checkout shares the memory of project {name}, as it shares {because};"
        " recairn project split parts them"
    )


def _mark(store: Store, place: Place, ancestry: Ancestry, project: int, at: int) -> None:
    """Lets a checkout lead to a project, and what it comes from, where that leads nowhere yet."""
    key = place.keys[0]
    store.put_mark(ProjectMark(CHECKOUT, key, project, ancestry.state, at))
    origins = [(ROOT, root) for root in ancestry.roots]
    origins += [(REMOTE, ancestry.remote)] if ancestry.remote else []
    origins += [(STAMP, stamp)] if (stamp := stamp_of(key)) else []
    for kind, value in origins:
        if not store.known_places(kind, [value]):
            store.put_mark(ProjectMark(kind, value, project, 1, at))


def stamp_of(key: str) -> str:
    """What stays the same when the git folder of a key is moved."""
    return key.rpartition("#")[2]


def path_of(key: str) -> str:
    """The git folder of a key."""
    return key.rpartition("#")[0]


def _relative(store: Store, place: Place, ancestry: Ancestry) -> KnownPlace | None:
    """The project that a checkout is a copy of, or the same under another path."""
    copies = [f"{root} {ancestry.remote}" for root in ancestry.roots if ancestry.remote]
    rows = store.known_places(COPY, copies) if copies else []
    if not rows and ancestry.roots:
        rows = store.known_places(ROOT, ancestry.roots)
    # A plain folder that became a checkout.
    rows = rows or store.known_places(FOLDER, [mark_text(place.root)])
    rows = rows or _moved(store, place)
    if not rows and ancestry.remote:
        rows = [
            row
            for row in store.known_places(REMOTE, [ancestry.remote])
            if any(shares_commits(place, folder) for folder in _checkouts(store, row.project))
        ]
    return min(rows, key=lambda row: row.project) if rows else None


def _moved(store: Store, place: Place) -> list[KnownPlace]:
    """The project of a git folder that is gone from where it was, and is now here."""
    stamp = stamp_of(place.keys[0])
    return [
        row
        for row in (store.known_places(STAMP, [stamp]) if stamp else [])
        if not any(
            stamp_of(mark.value) == stamp and os.path.exists(path_of(mark.value))
            for mark in store.marks_of(row.project)
            if mark.kind == CHECKOUT
        )
    ]


def _checkouts(store: Store, project: int) -> Iterator[str]:
    """Folders in which git can be asked about a project."""
    for mark in store.marks_of(project):
        folder = os.path.dirname(path_of(mark.value))
        if mark.kind == CHECKOUT and os.path.isdir(folder):
            yield folder


# Names


def is_unclaimed(store: Store, name: str) -> bool:
    """Whether memories bear the name of a project that no mark leads to."""
    return store.project_named(name) is None and store.is_name_in_use(name)


def _own_name(store: Store, place: Place, path: str, ancestry: Ancestry) -> str:
    """The checkout's name, where memories bear it that are nobody's but perhaps its own; or ""."""
    name = one_name(os.path.basename(path))
    return name if is_unclaimed(store, name) and _fits(store, place, name, ancestry) else ""


def _fits(store: Store, place: Place, name: str, ancestry: Ancestry) -> bool:
    """Whether nothing speaks against a checkout taking over what bears its name: the folders of
    sessions do, where they all belong to other checkouts."""
    folders = {row.directory for row in store.sessions(project=name, limit=_SESSIONS)}
    is_elsewhere = False
    for folder in sorted(folders - {""})[:_FOLDERS]:
        there = place_of(folder)
        if there.kind != CHECKOUT:
            continue
        if there.keys == place.keys or set(ancestry_of(there).roots) & set(ancestry.roots):
            return True
        is_elsewhere = True
    return not is_elsewhere


def free_name(store: Store, path: str) -> str:
    """A name that nobody bears, after the folder, with the one above it or a number if need be."""
    name = one_name(os.path.basename(path))[:_LONGEST_NAME] or "root"
    above = one_name(os.path.basename(os.path.dirname(path)))[:_LONGEST_NAME]
    wanted = [name, f"{above}/{name}"] if above else [name]
    number = 2
    while True:
        for free in wanted:
            if store.project_named(free) is None and not store.is_name_in_use(free):
                return free
        wanted = [f"{name}-{number}"]
        number += 1


def _folder_name(store: Store, place: Place) -> str:
    """The name for a plain folder's project. One that is there no more, as transcripts name them,
    was perhaps a checkout, and has what bears its name."""
    home = os.path.realpath(os.path.expanduser("~"))
    path = "home" if place.root == home else place.root
    name = one_name(os.path.basename(path))
    if not os.path.isdir(place.root) and is_unclaimed(store, name):
        return name
    return free_name(store, path)


def _checkout_path(place: Place) -> str:
    """The path that names a checkout: of its main work tree, or what a bare repository lies in."""
    above, name = os.path.split(place.common)
    if f"{os.sep}.git{os.sep}modules{os.sep}" in place.common:
        return place.root
    return above if name.startswith(".") else place.common.removesuffix(".git")
