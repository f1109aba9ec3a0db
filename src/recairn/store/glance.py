"""A first look into a database file, before anything is opened: for who usually finds nothing."""

from __future__ import annotations

import apsw

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_HOLDS = """
select exists (select 1 from memories_fts where memories_fts match ?)
    or exists (select 1 from memories where kind in ('rule', 'handoff', 'entity', 'chunk')
        and kind = 'rule' and scope <> '')
"""


def may_name(path: str, phrases: Sequence[str]) -> bool:
    """Whether a memory of anybody holds one of the phrases, or a rule has a scope.

    Where that cannot be told (another version, a damaged file), it may.
    """
    quoted = ['"' + phrase.replace('"', '""') + '"' for phrase in phrases]
    try:
        connection = apsw.Connection(path, flags=apsw.SQLITE_OPEN_READONLY)
        try:
            asked = f"{{title content details}} : ({' OR '.join(quoted)})"
            return bool(connection.execute(_HOLDS, (asked,)).get)
        finally:
            connection.close()
    except apsw.Error:
        return True
