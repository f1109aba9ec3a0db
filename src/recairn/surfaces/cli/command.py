"""One row of the command table: what may be typed, and what answers it."""

from __future__ import annotations

from recairn.core.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    Argument = tuple[str, str] | tuple[str]


@record
class Command:
    """`handler` is `module:function`; `notes` is what --help says beyond -h.

    `creates` is said of those that bring something in: where there is no database, they make one.
    """

    name: str
    group: str
    about: str
    handler: str
    examples: tuple[str, ...]
    arguments: tuple[Argument, ...] = ()
    aliases: tuple[str, ...] = ()
    notes: str = ""
    creates: bool = False
