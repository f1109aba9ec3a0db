"""When each part of what is said about a memory was said last, and by which database.

A memory's fields form groups; each has a stamp: milliseconds, and the replica that said it. A
change is later than all that is known of the memory, whatever the clock says, so a larger stamp
never belongs to what somebody has replaced. A memory to which nothing happened has no stamps, and
is behind whatever came of it, also where it was created by a clock that was ahead.

The text also has a vector: how often it was rewritten, and by whom. By it two texts are known to
have been written without knowledge of each other. There a database goes by another name each time
it is opened, its incarnation: one that was put back from a backup, or copied with its disk, would
else count once more what it has counted before.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from typing import Any

    Stamp = tuple[int, str]

GROUPS = {
    "text": ("title", "content", "fields"),
    "sort": ("kind", "sector", "category", "keywords", "scope", "branch"),
    "weight": ("confidence",),
    "life": ("deleted_at", "expires_at"),
    "valid": ("valid_from", "valid_until", "superseded_by"),
    "origin": ("source_type", "source_ref", "session_id", "external_id", "created_at"),
    "place": ("project",),
    "pin": ("importance", "pinned", "immutable"),
    "word": ("tier", "trust", "author"),
}
# What each person decides for themselves is taken over from their own databases alone; and what a
# project is called, from nobody: the place has its own way.
SHARED = ("text", "sort", "weight", "life", "valid", "origin")
OWN = (*SHARED, "pin", "word")
GROUP_OF = {field: group for group, fields in GROUPS.items() for field in fields}
_RATED = ("helpful", "harmful")
# Columns whose change is stamped.
STAMPED = frozenset((*GROUP_OF, *_RATED))
UNCHANGED: Stamp = (0, "")
# What stands for every group that is not named.
ALL = "all"
# Beside stamps: the text's vector, what of it was known to who forgot the memory, when it was
# forgotten where that does not hold, which memory it is a copy of; fields of newer programs.
VECTOR, SEEN, FORGOTTEN, COPY_OF, KEPT = "vector", "seen", "forgotten", "copy_of", "kept"
# How often it helped, how often it harmed, and when that was said last, by replica; when it
# left a shared project for a place that is not shared.
RATINGS, LEFT = "ratings", "left"
# Incarnations that a vector names: what is older is left out where the text is rewritten. Who was
# away for as many of them finds a text kept beside that was known; a vector has 2 KB at most.
_MOST_NAMES = 100
# Of one database; the rest travels.
LOCAL = frozenset((FORGOTTEN, KEPT, RATINGS, LEFT))


def parsed(text: str) -> dict[str, Any]:
    """The stamps that a column holds."""
    if not text:
        return {}
    from recairn.core.fastjson import loads

    try:
        value = loads(text)
    except (ValueError, TypeError, AttributeError):
        return {}
    return value if isinstance(value, dict) else {}


def spelled(stamps: Mapping[str, Any]) -> str:
    """Stamps as a column holds them."""
    if not stamps:
        return ""
    from json import dumps

    return dumps(stamps, ensure_ascii=False, separators=(",", ":"), sort_keys=True)


def stamp_of(stamps: Mapping[str, Any], group: str) -> Stamp:
    """When a group was said last, and by whom; `UNCHANGED` where nobody has changed it."""
    stamp = stamps.get(group) or stamps.get(ALL)
    return (stamp[0], stamp[1]) if stamp else UNCHANGED


def is_stamp(value: Any) -> bool:
    return (
        isinstance(value, list | tuple)
        and len(value) == 2
        and type(value[0]) is int
        and isinstance(value[1], str)
    )


def latest(
    stamps: Mapping[str, Any], created_at: int, groups: Collection[str] | None = None
) -> int:
    """The milliseconds of the newest stamp, of all groups or of some."""
    times: list[int] = [
        value[0]
        for name, value in stamps.items()
        if is_stamp(value) and (groups is None or name in groups or name == ALL)
    ]
    return max([created_at, *times])


def after_change(
    text: str, row: Mapping[str, Any], after: Mapping[str, Any], at: int, names: tuple[str, str]
) -> str:
    """The stamps of a memory that is changed: its row before, changed columns after.

    The names are those of the replica that changes it and of its incarnation.
    """
    replica, incarnation = names
    groups = {GROUP_OF[name] for name in after if name in GROUP_OF}
    rated = any(name in after for name in _RATED)
    if not groups and not rated:
        return text
    stamps = parsed(text)
    moment = max(at, latest(stamps, row["created_at"]) + 1)
    if rated:
        others = {
            name: counts for name, counts in stamps.get(RATINGS, {}).items() if name != replica
        }
        total = [after.get(name, row[name]) for name in _RATED]
        own = [
            round(count - sum(counts[at] for counts in others.values()), 6)
            for at, count in enumerate(total)
        ]
        stamps[RATINGS] = {**others, replica: [*own, moment]}
    is_gone = after.get("deleted_at", row["deleted_at"]) is not None
    vector = dict(stamps.get(VECTOR, {}))
    if "text" in groups:
        vector = counted(vector, incarnation)
        stamps[VECTOR] = vector
        # Who rewrites a forgotten memory knows that it is; one that left is only hidden.
        if is_gone and LEFT not in stamps:
            groups.add("life")
    if "life" in groups:
        stamps.pop(FORGOTTEN, None)
        stamps.pop(SEEN, None)
        if is_gone and vector:
            stamps[SEEN] = dict(vector)
    for group in groups:
        stamps[group] = [moment, replica]
    return spelled(stamps)


def counted(vector: Mapping[str, int], incarnation: str) -> dict[str, int]:
    """A vector with one more change of the text; names sort by age."""
    others = sorted(name for name in vector if name != incarnation)[1 - _MOST_NAMES :]
    return {**{name: vector[name] for name in others}, incarnation: vector.get(incarnation, 0) + 1}


def covers(vector: Mapping[str, int], other: Mapping[str, int]) -> bool:
    """Whether who knows the first vector knows all of the second."""
    return all(vector.get(replica, 0) >= count for replica, count in other.items())
