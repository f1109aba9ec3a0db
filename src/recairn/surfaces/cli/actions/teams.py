"""Handlers of the commands about a team."""

from __future__ import annotations

from recairn.core.times import iso

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from recairn.store.member_rows import MemberRow
    from recairn.surfaces.cli.call import Call


def share(call: Call) -> None:
    _set_private(call, private=False)


def withhold(call: Call) -> None:
    _set_private(call, private=True)


def _set_private(call: Call, *, private: bool) -> None:
    references = call.arguments["id"]
    with call.open() as memory:
        for reference in references:
            memory.resolve(reference, change=True)  # all of them exist, or none is changed
        change = memory.withhold if private else memory.share
        numbers = [change(reference).id for reference in references]
    if call.json:
        call.screen.document({"memories": numbers, "private": private})
        return
    listed = ", ".join(f"#{number}" for number in numbers)
    call.say(f"Only you see {listed} now" if private else f"All of the team see {listed} now")


def create(call: Call) -> None:
    from recairn.surfaces.cli.actions.servers import server_of

    server, name = server_of(call), call.arguments["name"]
    is_new = server.create_team(name)
    if call.json:
        call.screen.document({"team": name, "new": is_new})
    elif is_new:
        call.say(f"Made the team {name}; its address ends in ?team={name}")
    else:
        call.say(f"There is a team {name} already")


def add_member(call: Call) -> None:
    with call.open() as memory:
        row = memory.add_member(call.arguments["name"], **call.chosen("role"))
    if call.json:
        call.screen.document(_json(row))
    else:
        call.say(f"{row.name} is on the team as {row.role}; their address has member={row.name}")


def members(call: Call) -> None:
    with call.open() as memory:
        rows = memory.members()
    if call.json:
        call.screen.document({"members": [_json(row) for row in rows]})
    elif rows:
        lines = [
            (row.name, row.role, f"until {iso(row.revoked_at)}" if row.revoked_at else "")
            for row in rows
        ]
        call.screen.table(("member", "role", ""), lines)
    else:
        call.say("no members yet\n  recairn member add NAME --role admin makes the first")


def revoke_member(call: Call) -> None:
    with call.open() as memory:
        row = memory.revoke_member(call.arguments["name"])
    if call.json:
        call.screen.document(_json(row))
    else:
        call.say(f"{row.name} is no longer a member; what they wrote stays")


def _json(row: MemberRow) -> dict[str, Any]:
    return {
        "name": row.name,
        "role": row.role,
        "since": iso(row.created_at),
        "revoked_at": iso(row.revoked_at) if row.revoked_at else None,
    }
