"""Handlers of the commands about a team."""

from __future__ import annotations

from recairn.core.times import iso

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from recairn.store.member_rows import DeviceRow, MemberRow
    from recairn.surfaces.cli.call import Call

# The setting that names the team whose memory a file is.
TEAM_NAME = "sync.team"


def share(call: Call) -> None:
    if not call.arguments.get("id"):
        from recairn.surfaces.cli.actions.team_rounds import share_project

        share_project(call)
        return
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
    from recairn.host.project import is_address

    name = call.arguments["name"]
    in_file = not is_address(call.database())
    if in_file:
        is_new = _create_in_file(call, name)
    else:
        from recairn.surfaces.cli.actions.servers import server_of

        is_new = server_of(call).create_team(name)
    if call.json:
        call.screen.document({"team": name, "new": is_new})
    elif is_new:
        where = (
            f"{call.database()} is its memory" if in_file else f"its address ends in ?team={name}"
        )
        call.say(f"Made the team {name}; {where}")
    else:
        call.say(f"There is a team {name} already")


def _create_in_file(call: Call, name: str) -> bool:
    """A file is the memory of one team; whether it was not this one's yet."""
    from recairn.core.errors import Refused

    with call.open() as memory:
        former = memory.config().get(TEAM_NAME)
        if former not in (None, name):
            raise Refused(
                f"{memory.database} is the memory of the team {former}",
                f"name another file: recairn team create {name} --db FILE",
            )
        memory.set_config(TEAM_NAME, name)
    return former is None


def add_device(call: Call) -> None:
    device = call.arguments.get("device") or "laptop"
    names = str(call.arguments.get("projects") or "")
    projects = [name.strip() for name in names.split(",") if name.strip()]
    with call.open() as memory:
        row, token = memory.add_device(
            call.arguments["name"], device, projects=projects, **call.chosen("days")
        )
    if call.json:
        call.screen.document({**_device_json(row), "token": token})
        return
    call.say(token)
    what = f"for {', '.join(projects)} " if projects else ""
    day = (iso(row.expires_at) or "").partition("T")[0]
    call.screen.note(
        f"{row.member}'s {row.name} may come in with it {what}until {day}. It is not shown again."
    )


def add_member(call: Call) -> None:
    from recairn.host.project import is_address

    with call.open() as memory:
        row = memory.add_member(call.arguments["name"], **call.chosen("role"))
    if call.json:
        call.screen.document(_json(row))
        return
    call.say(f"{row.name} is on the team as {row.role}")
    call.screen.note(f"recairn member token {row.name} gives a machine of theirs its token")
    if is_address(call.database()):
        call.screen.note(f"Who opens the database itself has member={row.name} in its address")


def members(call: Call) -> None:
    with call.open() as memory:
        rows, devices = memory.members(), memory.devices()
    if call.json:
        listed = [
            {**_json(row), "devices": [_device_json(device) for device in _of(row, devices)]}
            for row in rows
        ]
        call.screen.document({"members": listed})
    elif rows:
        lines = [
            (
                row.name,
                row.role,
                ", ".join(device.name for device in _of(row, devices) if device.revoked_at is None),
                f"until {iso(row.revoked_at)}" if row.revoked_at else "",
            )
            for row in rows
        ]
        call.screen.table(("member", "role", "devices", ""), lines)
    else:
        call.say("no members yet\n  recairn member add NAME --role admin makes the first")


def _of(member: MemberRow, devices: list[DeviceRow]) -> list[DeviceRow]:
    return [device for device in devices if device.member == member.name]


def revoke_member(call: Call) -> None:
    if "device" in call.arguments:
        _revoke_device(call)
        return
    with call.open() as memory:
        row = memory.revoke_member(call.arguments["name"])
    if call.json:
        call.screen.document(_json(row))
    else:
        call.say(f"{row.name} is no longer a member; what they wrote stays")


def _revoke_device(call: Call) -> None:
    with call.open() as memory:
        row = memory.revoke_device(call.arguments["name"], call.arguments["device"])
    if call.json:
        call.screen.document(_device_json(row))
    else:
        call.say(f"{row.member}'s {row.name} comes in no longer")


def _device_json(row: DeviceRow) -> dict[str, Any]:
    return {
        "member": row.member,
        "device": row.name,
        "projects": row.projects.split("\n") if row.projects else [],
        "since": iso(row.created_at),
        "expires_at": iso(row.expires_at),
        "revoked_at": iso(row.revoked_at) if row.revoked_at else None,
        "seen_at": iso(row.seen_at) if row.seen_at else None,
    }


def _json(row: MemberRow) -> dict[str, Any]:
    return {
        "name": row.name,
        "role": row.role,
        "since": iso(row.created_at),
        "revoked_at": iso(row.revoked_at) if row.revoked_at else None,
    }
