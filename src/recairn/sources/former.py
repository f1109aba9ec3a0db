"""Which source this is: a file or folder known by its name, or by what it says under a new one.

Rows are kept under `project:path`, so that two files that count alike are two. A folder that was
moved is known again by its records: most of those whose keys are kept under another path say what
they said there. A folder takes over what was imported from files in it, and a file of a folder that
was imported as a whole goes on in its rows.
"""

from __future__ import annotations

import os

from recairn.core.record import record, replace
from recairn.sources.target import Former

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from recairn.sources.format import Source
    from recairn.sources.readers.files import Origin
    from recairn.sources.target import Target
    from recairn.store.contract.imported import ImportedRow


@record
class _Place:
    """A path that was or is imported."""

    origin: str
    path: str

    def encloses(self, other: _Place) -> bool:
        """Whether whoever reads this reads the other one too."""
        return other.path.startswith(self.path.rstrip(os.sep) + os.sep)


def identify(
    target: Target, source: Source, origin: Origin, sample: Mapping[str, str]
) -> tuple[Target, bool]:
    """The target with the origins under which rows of this source are kept, and whether this is
    only a part of what is kept there. `sample` are hashes of the first records by their keys."""
    name, own = target.where
    origins = target.store.import_origins(name)
    others = [other for other in origins if other != own]
    if source.everywhere or not others:
        return target, False
    here = _Place(own, os.path.abspath(origin.path))
    prefix = f"{target.project}:"
    places = [
        _Place(other, _path(other.removeprefix(prefix), target.root))
        for other in others
        if other.startswith(prefix)
    ]
    is_new = own not in origins
    beside = {os.path.abspath(path) for path in source.beside(here.path)}
    target = replace(target, beside=[place.origin for place in places if place.path in beside])
    above = next((place for place in places if place.encloses(here)), None)
    if above is not None and is_new:
        return replace(target, where=(name, above.origin)), True
    former = [Former(place.origin, whole=True) for place in places if here.encloses(place)]
    if is_new:
        elsewhere = [place for place in places if not here.encloses(place)]
        former += _earlier(target, source, elsewhere, sample)
    # Versions before this one kept all files of some formats under the project alone.
    if target.project in others and _is_alike(target, target.project, sample):
        former.append(Former(target.project))
    return replace(target, former=tuple(former)), False


def kept_rows(target: Target, keys: Sequence[str]) -> dict[str, ImportedRow]:
    """By key, the rows kept of records: under this origin's name, or else a former one."""
    rows = {row.key: row for row in target.store.imported(*target.where, keys)}
    for former in target.former:
        missing = [key for key in keys if key not in rows]
        rows.update(_rows_of(target, former.origin, missing))
    return rows


def linkable_rows(target: Target, keys: Sequence[str]) -> dict[str, ImportedRow]:
    """The same, and those of records that lie beside the origin and may be linked to."""
    rows = kept_rows(target, keys)
    for origin in target.beside:
        rows.update(_rows_of(target, origin, [key for key in keys if key not in rows]))
    return rows


def all_rows(target: Target) -> list[ImportedRow]:
    """All rows kept of the origin, those of former names that are wholly the same one included."""
    source, _ = target.where
    rows = {row.key: row for row in target.store.imported(*target.where)}
    for former in target.former:
        if former.whole:
            rows = {row.key: row for row in target.store.imported(source, former.origin)} | rows
    return list(rows.values())


def adopt(target: Target, keys: Sequence[str]) -> None:
    """Keeps the rows of those keys under this origin's name from now on."""
    for former in target.former:
        here = {row.key for row in target.store.imported(*target.where, keys)}
        rows = _rows_of(target, former.origin, [key for key in keys if key not in here])
        _carry(target, former, list(rows.values()))


def adopt_whole(target: Target) -> None:
    """The same for all rows of former names that are wholly the same origin."""
    source, _ = target.where
    for former in target.former:
        if former.whole:
            with target.store.transaction():
                rows = target.store.imported(source, former.origin)
                keys = [row.key for row in rows]
                here = {row.key for row in target.store.imported(*target.where, keys)}
                _carry(target, former, [row for row in rows if row.key not in here])
                target.store.drop_imported(source, former.origin, keys)


def _carry(target: Target, former: Former, rows: Sequence[ImportedRow]) -> None:
    if not rows:
        return
    target.store.put_imported(*target.where, rows)
    if not former.copy:
        source, _ = target.where
        target.store.drop_imported(source, former.origin, [row.key for row in rows])


def _rows_of(target: Target, origin: str, keys: Sequence[str]) -> dict[str, ImportedRow]:
    source, _ = target.where
    return {row.key: row for row in target.store.imported(source, origin, keys)} if keys else {}


def _path(name: str, root: str) -> str:
    return os.path.abspath(os.path.join(root, os.path.expanduser(name)))


def _earlier(
    target: Target, source: Source, places: Sequence[_Place], sample: Mapping[str, str]
) -> list[Former]:
    """The places from which this source came before: moved from there, or copied."""
    former = []
    for place in places:
        there = os.path.lexists(place.path)
        # Without ids a file that says nearly the same is another file: CLAUDE.md and AGENTS.md.
        if (source.distinct or not there) and _is_alike(target, place.origin, sample):
            former.append(Former(place.origin, whole=not there, copy=there))
    return former


def _is_alike(target: Target, origin: str, sample: Mapping[str, str]) -> bool:
    """Whether most records that are kept under a name, of those in the sample, say the same."""
    rows = _rows_of(target, origin, list(sample)).values()
    equal = sum(row.hash == sample[row.key] for row in rows)
    return equal > 0 and 2 * equal >= len(rows)
