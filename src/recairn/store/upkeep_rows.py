"""What backups, diagnoses and repairs answer, whichever engine they look after."""

from __future__ import annotations

from recairn.core.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


@record
class BackupInfo:
    """One backup; `problem` says why it could not be read, and then the counts are None."""

    path: str
    created_at: int
    bytes: int
    memories: int | None
    schema: int | None
    problem: str = ""


@record
class Restored:
    """What a restore did: the backup now in place, and where the content before it went.

    `left_out` are settings of somebody else's database that only a person here may set.
    """

    backup: BackupInfo
    previous: str | None
    memories: int
    left_out: tuple[str, ...] = ()


@record
class Finding:
    """One thing looked at: level ok, warning or problem; `remedy` is what to type."""

    level: str
    what: str
    remedy: str = ""


@record
class Inspection:
    """What a database holds that nobody trusts yet; `strangers` are parts that recairn never made.

    Counts and rules are of memories that hold.
    """

    kinds: Mapping[str, int]
    rules: tuple[str, ...]
    settings: Mapping[str, str]
    strangers: tuple[str, ...]


@record
class Repaired:
    """What a repair did. After a salvage, `aside` is the damaged file and `lost` names memories."""

    actions: tuple[str, ...]
    memories: int
    aside: str | None = None
    changed: tuple[int, ...] = ()
    lost: tuple[int, ...] = ()
