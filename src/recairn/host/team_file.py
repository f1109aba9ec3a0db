"""The servers this user has joined, each with its token: a file for the owner's eyes alone.

It lies beside the databases, never in one: those are exported, copied and backed up.
"""

from __future__ import annotations

import os

from recairn.core.errors import Refused
from recairn.core.fastjson import dumps, loads
from recairn.core.record import record
from recairn.host.data_folder import data_folder

_FILE = "teams.json"
_VERSION = 1
_OTHERS = 0o077


@record
class Team:
    """A server that was joined: who one is there, and what one shows."""

    server: str
    member: str
    device: str
    token: str


def teams() -> dict[str, Team]:
    """What was joined, by the address of the server; Refused where others could read the file."""
    path = _path()
    try:
        with open(path, encoding="utf-8") as file:
            status = os.fstat(file.fileno())
            if status.st_uid != os.geteuid() or status.st_mode & _OTHERS:
                raise Refused(f"others can read {path}, which holds tokens", f"chmod 600 {path}")
            document = loads(file.read())
    except FileNotFoundError:
        return {}
    except ValueError:
        raise Refused(f"{path} cannot be understood", "move it away, and join again") from None
    kept = document.get("teams") if isinstance(document, dict) else None
    return {
        server: Team(server, *(str(entry.get(name, "")) for name in ("member", "device", "token")))
        for server, entry in (kept.items() if isinstance(kept, dict) else ())
        if isinstance(entry, dict)
    }


def keep(team: Team) -> None:
    """Remembers a server, in the place of what was known of it."""
    _write({**teams(), team.server: team})


def drop(server: str) -> None:
    """Forgets a server and its token."""
    _write({name: team for name, team in teams().items() if name != server})


def _write(listed: dict[str, Team]) -> None:
    from recairn.host.files import write_lines

    os.makedirs(os.path.dirname(_path()), 0o700, exist_ok=True)
    kept = {
        name: {"member": team.member, "device": team.device, "token": team.token}
        for name, team in listed.items()
    }
    write_lines(_path(), [dumps({"version": _VERSION, "teams": kept}) + "\n"])


def _path() -> str:
    return os.path.join(data_folder(), _FILE)
