"""Memories as records that mean the same in every database: what export, import and mirror write.

A record names memories by uid, never by row number, and spells times as ISO 8601. Values that a new
memory would have anyway are left out, so that a line holds what somebody meant.
"""

from __future__ import annotations

from recairn.core.errors import BadInput
from recairn.core.fields import EARNED, NOTHING_EARNED, SAID
from recairn.core.times import iso

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from recairn.core.model import Memory

TIMES = (
    "created_at",
    "updated_at",
    "changed_at",
    "valid_from",
    "valid_until",
    "expires_at",
    "deleted_at",
    "decayed_at",
    "last_used_at",
)
_USUAL: dict[str, Any] = {
    "title": "",
    "fields": {},
    "category": "",
    "keywords": (),
    "scope": "",
    "branch": "",
    "pinned": False,
    "immutable": False,
    "trust": "verified",
    "source_type": "manual",
    "source_ref": "",
    "author": "",
    "session_id": None,
    "external_id": None,
    "valid_until": None,
    "superseded_by": None,
    "expires_at": None,
    "deleted_at": None,
    **NOTHING_EARNED,
}
# Times that every memory has, and those they are when a record does not say; in this order.
_USUAL_TIMES = {
    "valid_from": "created_at",
    "updated_at": "created_at",
    "decayed_at": "updated_at",
    "changed_at": "updated_at",
}
# The most each may be; beyond a million million nothing was counted, it was made up.
_AMOUNTS = {
    "salience": 1.0,
    "helpful": 1e12,
    "harmful": 1e12,
    "outcome_score": 1.0,
    "usage_count": 1e12,
}
# In records a session is called as in all other JSON.
_RENAMED = {"session_id": "session"}
_NAMES = {spelled: name for name, spelled in _RENAMED.items()}
_EPOCH_DAY = "1970-01-01T00:00:00.000Z"


def said_of(memory: Memory, successor: str | None) -> dict[str, Any]:
    """What was said about a memory, by column; the successor by its uid."""
    values = {name: getattr(memory, name) for name in SAID}
    values["superseded_by"] = successor
    return values


def earned_of(memory: Memory) -> dict[str, Any]:
    return {name: getattr(memory, name) for name in EARNED}


def stub_of(
    memory: Memory, values: Mapping[str, Any], stamps: Mapping[str, Any], groups: Sequence[str]
) -> dict[str, Any]:
    """What travels of a memory that is forgotten: when it went, and the stamps of these groups."""
    stub = {"uid": memory.uid, "deleted_at": iso(values["deleted_at"])}
    if values["expires_at"] is not None:
        stub["expires_at"] = iso(values["expires_at"])
    life = {name: stamps[name] for name in groups if name in stamps}
    return {**stub, "stamps": life or {"life": [memory.created_at, ""]}}


def record_of(uid: str, values: Mapping[str, Any], updated_at: int) -> dict[str, Any]:
    """The record that spells these values; usual ones are left out."""
    record: dict[str, Any] = {"uid": uid}
    for name, value in values.items():
        if name in _USUAL and value == _USUAL[name]:
            continue
        if name == "valid_from" and value == values["created_at"]:
            continue
        if name == "decayed_at" and value == updated_at:
            continue
        record[_RENAMED.get(name, name)] = _spelled(name, value)
    if updated_at != values["created_at"]:
        record["updated_at"] = iso(updated_at)
    return record


def values_of(record: Mapping[str, Any]) -> dict[str, Any]:
    """The columns a record spells, with the usual ones filled in. Raises BadInput."""
    values: dict[str, Any] = dict(_USUAL)
    for name, value in record.items():
        if name not in _KNOWN:
            continue
        column = _NAMES.get(name, name)
        values[column] = moment(name, value) if column in TIMES else value
    for name in ("uid", "content", "created_at"):
        if not values.get(name):
            raise BadInput(f"a memory record needs {name}")
    for name, usual in _USUAL_TIMES.items():
        if values.get(name) is None:
            values[name] = values[usual]
    _check(values)
    values["keywords"] = tuple(values["keywords"])
    values["author"] = values["author"] or ""
    return values


def unknown_fields(record: Mapping[str, Any]) -> dict[str, Any]:
    """What a newer program says of a memory: kept as it is, and sent on."""
    return {name: value for name, value in record.items() if name not in _KNOWN}


def _check(values: Mapping[str, Any]) -> None:
    """BadInput for what the write door does not look at."""
    if not isinstance(values["keywords"], list | tuple):
        raise BadInput("keywords must be a list")
    for name in ("pinned", "immutable"):
        if not isinstance(values[name], bool):
            raise BadInput(f"{name} must be true or false")
    for name in ("author", "session_id", "external_id", "superseded_by"):
        if values[name] is not None and not isinstance(values[name], str):
            raise BadInput(f"{_RENAMED.get(name, name)} must be text")
    for name, most in _AMOUNTS.items():
        value = values[name]
        if value is None and name == "outcome_score":
            continue
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= most:
            raise BadInput(f"{name} must be a number from 0 on, got {str(value)[:40]}")
    if not isinstance(values["usage_count"], int):
        raise BadInput("usage_count must be a whole number")


def moment(what: str, value: Any) -> int | None:
    """The milliseconds of an ISO time as `iso` spells it, or of any other that `times` reads."""
    if value is None:
        return None
    if isinstance(value, str) and len(value) == len(_EPOCH_DAY) and value[-1] == "Z":
        time = _by_parts(value)
        if time is not None:
            return time
    from recairn.core.times import check, parse

    if isinstance(value, str):
        return parse(value, 0)
    if isinstance(value, bool) or not isinstance(value, int):
        raise BadInput(f"{what} must be a time, got {type(value).__name__}")
    return check(value)


_days: dict[str, int] = {}
_MANY_DAYS = 10_000


def _by_parts(text: str) -> int | None:
    """The same for our own spelling, without `datetime`: records come by the ten thousand."""
    date = text[:10]
    start = _days.get(date)
    if start is None:
        from recairn.core.times import parse

        try:
            start = parse(date, 0)
        except BadInput:
            return None
        if len(_days) < _MANY_DAYS:
            _days[date] = start
    hours, minutes, seconds, parts = text[11:13], text[14:16], text[17:19], text[20:23]
    digits = hours + minutes + seconds + parts
    if not (digits.isascii() and digits.isdigit()) or text[10] + text[13] + text[16] != "T::":
        return None
    if hours > "23" or minutes > "59" or seconds > "59" or text[19] != ".":
        return None
    return start + ((int(hours) * 60 + int(minutes)) * 60 + int(seconds)) * 1000 + int(parts)


def _spelled(name: str, value: Any) -> Any:
    if name in TIMES:
        return iso(value)
    return list(value) if isinstance(value, tuple) else value


_KNOWN = frozenset(
    {"type", "id", "uid", "updated_at", "changed_at", "version", "past", "stamps"}
    | {"links", "ratings", "written_by"}
    | {_RENAMED.get(name, name) for name in SAID + EARNED}
)
