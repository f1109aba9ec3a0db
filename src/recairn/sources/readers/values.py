"""What other programs wrote, read leniently where that loses nothing and refused where it would."""

from __future__ import annotations

from recairn.core.errors import BadInput, RecairnError
from recairn.sources.format import Fault
from recairn.sources.readers.files import refuse_constant, whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import Any

    from recairn.sources.format import Reading

    Row = Mapping[str, Any]
    PlacedRow = tuple[str, Any] | Fault
    Maker = Callable[[str, Row], Iterable[Reading]]
    Field = tuple[Any, *tuple[str, ...]]

# Beyond a million million nothing was counted, it was made up.
_MOST = 10**12
# Characters of a number in quotes.
_LONGEST_NUMBER = 40
# Times before 1973 in milliseconds are times in seconds: nobody kept agents' memories then.
_LEAST_MS = 100_000_000_000


def records_from(items: Iterable[PlacedRow], make: Maker) -> Iterator[Reading]:
    """What `make` makes of every (place, object); one that it refuses is a fault."""
    for item in items:
        yield from records_of([item], make)


def records_of(items: Iterable[PlacedRow], make: Maker) -> list[Reading]:
    """The same at once."""
    records: list[Reading] = []
    for item in items:
        if isinstance(item, Fault):
            records.append(item)
            continue
        place, row = item
        if not isinstance(row, dict):
            records.append(Fault(place, f"not an object but {type(row).__name__}"))
            continue
        try:
            records += list(make(place, row))
        except RecairnError as error:
            records.append(Fault(place, error.message))
    return records


def text(row: Row, *names: str) -> str:
    """The first of the fields that holds something; numbers as text, "" for none of them."""
    for name in names:
        value = row.get(name)
        if value is None or value == "":
            continue
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            raise BadInput(f"{name} must be text, got {type(value).__name__}")
        return str(value)
    return ""


def required(row: Row, *names: str) -> str:
    """The same, where there must be something."""
    value = text(row, *names).strip()
    if not value:
        raise BadInput(f"it has no {names[0]}")
    return value


def all_required(row: Row, *names: str) -> tuple[str, ...]:
    """What each of the fields holds, where each must hold something."""
    return tuple([required(row, name) for name in names])


def read(row: Row, fields: Iterable[Field]) -> Iterator[Any]:
    """What each of the fields holds, read when it is asked for: of each how, and its names."""
    for how, *names in fields:
        yield how(row, *names)


def texts(row: Row, name: str) -> list[str]:
    """A list of texts, also where it is spelled as JSON or as one text between commas."""
    value = row.get(name)
    if isinstance(value, str):
        value = _listed(value)
    if value is None:
        return []
    if not isinstance(value, list):
        raise BadInput(f"{name} must be a list, got {type(value).__name__}")
    return [item if isinstance(item, str) else _as_json(item) for item in value if item is not None]


def _listed(value: str) -> Any:
    if value.lstrip().startswith("["):
        try:
            return _parsed(value)
        except (ValueError, RecursionError):
            pass
    return [part.strip() for part in value.split(",") if part.strip()]


def _parsed(value: str) -> Any:
    from json import loads

    return whole(loads(value, parse_constant=refuse_constant), value.encode("utf-8", "replace"))


def _as_json(value: Any) -> str:
    from json import dumps

    return dumps(value, ensure_ascii=False)


def amount(row: Row, name: str, *, most: float = _MOST) -> float | None:
    """A number from 0 up, also where it is spelled in quotes; None where there is none."""
    value = row.get(name)
    if isinstance(value, str):
        value = _numeric(value)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= most:
        raise BadInput(f"{name} must be a number from 0 to {most:g}, got {str(value)[:40]}")
    return value


def _numeric(value: str) -> float | str | None:
    """The number that a text spells; the text itself where it spells none."""
    bare = value.strip()
    if not bare:
        return None
    if bare.replace(".", "", 1).isdecimal() and bare.isascii() and len(bare) <= _LONGEST_NUMBER:
        return float(bare) if "." in bare else int(bare)
    return value


def count(row: Row, name: str) -> int:
    """A whole number from 0 up; 0 where there is none."""
    value = amount(row, name)
    if value is not None and value != int(value):
        raise BadInput(f"{name} must be a whole number, got {str(value)[:40]}")
    return int(value or 0)


def share(row: Row, name: str) -> float | None:
    """A number in 0..1; None where there is none."""
    return amount(row, name, most=1.0)


def moment(row: Row, *names: str) -> int | None:
    """Milliseconds of the first of the fields that tells a time: ISO 8601, or a number since 1970
    in seconds or milliseconds. Ages such as `7d` are no times here."""
    from recairn.core.times import check, parse

    for name in names:
        value = row.get(name)
        if value is None or value == "" or value == 0:
            continue
        if isinstance(value, str) and value[:4].isdigit() and "-" in value:
            return parse(value, 0)
        if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
            raise BadInput(f"{name} is no time: {str(value)[:40]!r}")
        if abs(value) > _MOST * 1000:
            raise BadInput(f"{name} is no time: {str(value)[:40]}")
        return check(int(value if abs(value) >= _LEAST_MS else value * 1000))
    return None


def when(row: Row, *names: str) -> str | None:
    """The same, spelled as in exports."""
    from recairn.core.times import iso

    return iso(moment(row, *names))


def flag(row: Row, name: str) -> bool:
    value = row.get(name)
    if value in (None, False, True, 0, 1):
        return bool(value)
    raise BadInput(f"{name} must be true or false, got {str(value)[:40]!r}")


def mapping(row: Row, name: str) -> dict[str, Any]:
    """An object, also where it is spelled as JSON; empty where there is none."""
    value = row.get(name)
    if isinstance(value, str) and value.strip():
        try:
            value = _parsed(value)
        except (ValueError, RecursionError):
            raise BadInput(f"{name} is not JSON") from None
    if value is None or value == "":
        return {}
    if not isinstance(value, dict):
        raise BadInput(f"{name} must be an object, got {type(value).__name__}")
    return value


def earned(row: Row, **named: str) -> dict[str, Any]:
    """Counts of ours from fields of theirs, e.g. usage_count="accessCount"; nothings left out."""
    counts: dict[str, Any] = {}
    for ours, theirs in named.items():
        if ours == "usage_count":
            counts[ours] = count(row, theirs)
        elif ours == "last_used_at":
            counts[ours] = moment(row, theirs)
        else:
            most = 1.0 if ours in ("salience", "outcome_score") else _MOST
            value = amount(row, theirs, most=most)
            counts[ours] = None if value is None else float(value)
    return {name: value for name, value in counts.items() if value is not None and value != 0}
