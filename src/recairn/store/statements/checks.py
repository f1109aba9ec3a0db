"""What `verify` asks of every engine: rows as they were written, a history, times in order."""

from __future__ import annotations

from recairn.core.errors import StoreError
from recairn.core.report import Problem, Report
from recairn.store.statements.memory_table import AUTHORED, row_hash

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import TypeVar

    from recairn.store.statements.connection import SqlConnection

    C = TypeVar("C", bound=SqlConnection)

REBUILD = "recairn doctor --repair"


def checked(
    c: C, checks: Sequence[tuple[str, Callable[[C], Iterator[Problem]]]], remedy: str
) -> Report:
    """Runs every check; one that cannot even run is a problem, not a crash."""
    problems: list[Problem] = []
    for name, check in checks:
        try:
            problems.extend(check(c))
        except StoreError as error:
            problems.append(Problem(name, error.message, remedy))
    try:
        memories = int(c.value("select count(*) from memories where kind <> 'chunk'"))
    except StoreError:
        memories = 0
    return Report(tuple(name for name, _ in checks), tuple(problems), memories)


def row_hashes(c: SqlConnection, remedy: str) -> Iterator[Problem]:
    columns = ", ".join(AUTHORED)
    for row in c.iterate(f"select id, row_hash, {columns} from memories"):
        if row_hash(row[2:]) != row[1]:
            yield Problem("row hashes", f"memory #{row[0]} changed behind recairn's back", remedy)


def history(c: SqlConnection, remedy: str) -> Iterator[Problem]:
    count = c.value(
        "select count(*) from memories m where not exists"
        " (select 1 from history h where h.memory = m.id and h.event in ('created', 'imported'))"
    )
    if count:
        yield Problem("history", f"{count} memories have no record of their creation", remedy)


def times(c: SqlConnection) -> Iterator[Problem]:
    count = c.value(
        "select count(*) from memories where valid_until is not null and valid_until < valid_from"
    )
    if count:
        yield Problem("times", f"{count} memories end before they begin", "recairn list --json")
