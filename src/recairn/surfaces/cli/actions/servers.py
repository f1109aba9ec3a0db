"""Handlers of the commands that look after a store on a server."""

from __future__ import annotations

from recairn.core.errors import BadInput
from recairn.host.project import is_address

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recairn.store.server_tables import Server
    from recairn.surfaces.cli.call import Call


def init(call: Call) -> None:
    _prepare(call, "made")


def migrate(call: Call) -> None:
    _prepare(call, "migrated")


def _prepare(call: Call, what: str) -> None:
    server = server_of(call)
    role = call.arguments.get("role") or server.APP_ROLE
    if "print" in call.arguments:
        for statement in server.statements(role):
            call.say(statement if statement.startswith("--") else f"{statement.strip()};\n")
        return
    versions = server.migrate(role)
    if call.json:
        call.screen.document({"store": server.shown, "role": role, "versions": versions})
        return
    state = f"{what}: schema {versions[-1]}" if versions else "up to date already"
    call.say(
        f"The tables at {server.shown} are {state}, and the team {server.team} is there;"
        f" clients connect as {role}"
    )


def status(call: Call) -> int:
    findings = server_of(call).status()
    if call.json:
        call.screen.document(
            {
                "findings": [
                    {"level": finding.level, "what": finding.what, "remedy": finding.remedy}
                    for finding in findings
                ]
            }
        )
    else:
        for finding in findings:
            remedy = f" ({finding.remedy})" if finding.remedy else ""
            call.say(f"{finding.level:8} {finding.what}{remedy}")
    return 1 if any(finding.level == "problem" for finding in findings) else 0


def server_of(call: Call) -> Server:
    """What looks after the server that was named; BadInput for a file."""
    from recairn.store.server_tables import server

    place = call.database()
    if not is_address(place):
        raise BadInput(
            f"{place} is a file, which needs none of this",
            "name a server: recairn store … --db postgresql://owner@host/database",
        )
    return server(place)
