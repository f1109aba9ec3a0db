"""Rows of the commands about a team: its members, and what each shares."""

from __future__ import annotations

from recairn.surfaces.cli.command import Command

SHARING = (
    Command(
        name="share",
        group="Change",
        about="show a private memory to all of the team",
        handler="recairn.surfaces.cli.actions.teams:share",
        examples=("recairn share 42", "recairn share 42 43", "recairn share 42 --json"),
        arguments=(("ID+", "the memories"),),
        notes="In a database of your own it only takes away the mark of withhold.",
    ),
    Command(
        name="withhold",
        group="Change",
        about="keep a memory to yourself: nobody else of the team sees it",
        handler="recairn.surfaces.cli.actions.teams:withhold",
        examples=("recairn withhold 42", "recairn withhold 42 43", "recairn undo 42"),
        arguments=(("ID+", "the memories"),),
        notes="In a database of your own it is a mark, which travels with exports.",
    ),
)
TEAMS = (
    Command(
        name="team create",
        group="Upkeep",
        about="make a team: on a PostgreSQL server as the owner of its tables, or in a file",
        handler="recairn.surfaces.cli.actions.teams:create",
        creates=True,
        examples=(
            "recairn team create gulls --db postgresql://owner@db.example/memories",
            "recairn member add ann --role admin --db 'postgresql://app@db/m?team=gulls'",
            "recairn team create gulls --db postgresql://owner@db/memories --json",
        ),
        arguments=(("NAME", "what to call it"),),
        notes="A file holds one team: it is made where there is none, and gets the name.\n"
        "docs/team.md goes on from here.",
    ),
    Command(
        name="member add",
        group="Upkeep",
        about="make somebody a member of the team, or give a member another role",
        handler="recairn.surfaces.cli.actions.teams:add_member",
        creates=True,
        examples=(
            "recairn member add ann",
            "recairn member add ann --role reviewer",
            "recairn member add ann --role admin --json",
        ),
        arguments=(
            ("NAME", "what they are called in the team"),
            ("--role ROLE", "reader, writer (the usual one), reviewer or admin"),
        ),
        notes="A reader reads; a writer also remembers; a reviewer also decides what waits\n"
        "for review; an admin also changes members and settings. The address of a member\n"
        "ends in member=NAME. recairn member token NAME lets a machine of theirs in.",
    ),
    Command(
        name="member token",
        group="Upkeep",
        about="a new token for a machine of a member, shown this once",
        handler="recairn.surfaces.cli.actions.teams:add_device",
        examples=(
            "recairn member token ann",
            "recairn member token ann --device ci --projects shop,lantern --days 30",
            "recairn member token ann --json",
        ),
        arguments=(
            ("NAME", "the member"),
            ("--device NAME", "which machine (laptop)"),
            ("--projects NAMES", "for these alone, with commas; without it all of the team's"),
            ("--days N", "how long it counts (365)"),
        ),
        notes="Only a digest of it is kept. A machine of the same name loses its former one.",
    ),
    Command(
        name="member list",
        group="Upkeep",
        about="the members of the team",
        handler="recairn.surfaces.cli.actions.teams:members",
        examples=("recairn member list", "recairn member list --json", "recairn member add ann"),
    ),
    Command(
        name="member revoke",
        group="Upkeep",
        about="end a membership, or let one machine in no longer; what they wrote stays",
        handler="recairn.surfaces.cli.actions.teams:revoke_member",
        examples=(
            "recairn member revoke ann",
            "recairn member revoke ann --device laptop",
            "recairn member list",
        ),
        arguments=(("NAME", "the member"), ("--device NAME", "only the token of this machine")),
    ),
)
