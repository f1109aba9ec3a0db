"""Who did what, and who was refused: a line of JSON each, never a text of a memory."""

from __future__ import annotations

import json
import os
import sys

from recairn.core.times import iso, now_ms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recairn.surfaces.hub.callers import Caller

# Characters of what a client sent that a line repeats.
_QUOTED = 80


class Audit:
    """Lines go to a file that only its owner reads, or to standard error."""

    def __init__(self, path: str | None) -> None:
        self._file = 2
        if path is not None:
            self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)

    def note(self, what: str, caller: Caller | None, **more: str | int) -> None:
        """Writes a line at once; one that cannot be written fails nobody's request."""
        line: dict[str, object] = {"at": iso(now_ms()), "what": what}
        if caller is not None:
            line |= {"member": caller.member, "device": caller.device}
        line |= {
            name: value[:_QUOTED] if isinstance(value, str) else value
            for name, value in more.items()
        }
        sys.stderr.flush()
        try:
            os.write(self._file, json.dumps(line).encode() + b"\n")
        except OSError:
            return
