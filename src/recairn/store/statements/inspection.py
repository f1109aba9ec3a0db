"""What somebody is shown of a database before they trust it: the kinds, the rules, the settings."""

from __future__ import annotations

from recairn.store.upkeep_rows import Inspection

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    Rows = Callable[[str], Iterable[tuple[Any, ...]]]

# Rules that are read to be shown, and characters of one.
_MOST_RULES, _LONGEST = 200, 2000
_HOLDS = "deleted_at is null and superseded_by is null"
_KINDS = f"select kind, count(*) from memories where {_HOLDS} group by 1 order by 1"
_RULES = (
    f"select substr(content, 1, {_LONGEST}) from memories where kind = 'rule' and {_HOLDS}"
    f" order by id limit {_MOST_RULES}"
)
_SETTINGS = "select key, value from config order by key"


def inspected(rows: Rows) -> Inspection:
    """What it holds, as `rows` answers statements."""
    rules = tuple(rule for (rule,) in rows(_RULES))
    return Inspection(dict(rows(_KINDS)), rules, dict(rows(_SETTINGS)), ())
