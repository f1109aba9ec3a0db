"""Rows of the commands about a team: its members, and what each shares."""

from __future__ import annotations

from recairn.surfaces.cli.command import Command

SHARING = (
    Command(
        name="share",
        group="Change",
        about="share this project with the team, or show a private memory to all of it",
        handler="recairn.surfaces.cli.actions.teams:share",
        examples=("recairn share", "recairn share --as shop --yes", "recairn share 42 43"),
        arguments=(
            ("ID...", "private memories; without any, the project"),
            ("--as NAME", "what the team calls the project (as here)"),
            ("--yes", "do not ask"),
        ),
        notes="Of a project it shows what would go, and asks. What never goes: other projects,\n"
        "memories of a session or about all projects, what nobody confirmed, documents,\n"
        "settings and logs. In a database of your own, share ID takes away the mark of withhold.",
    ),
    Command(
        name="unshare",
        group="Change",
        about="share this project with the team no longer; nothing is removed",
        handler="recairn.surfaces.cli.actions.team_rounds:unshare",
        examples=("recairn unshare", "recairn sync status", "recairn share"),
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
        name="team join",
        group="Upkeep",
        about="join the team of a server; nothing is shared by that",
        handler="recairn.surfaces.cli.actions.team_rounds:join",
        creates=True,
        examples=(
            "recairn team join https://memory.example",
            "recairn team join https://memory.example --token-file token.txt",
            "recairn share",
        ),
        arguments=(
            ("URL", "the server"),
            ("--token-file FILE", "where the token stands; - reads standard input"),
        ),
        notes="Asks for the token that an admin gave you (recairn member token), or takes it from\n"
        "RECAIRN_TOKEN. It is kept in a file of yours beside the databases, mode 0600.",
    ),
    Command(
        name="team leave",
        group="Upkeep",
        about="leave the team: this machine's token counts no longer",
        handler="recairn.surfaces.cli.actions.team_rounds:leave",
        examples=("recairn team leave", "recairn team leave --keep", "recairn team leave --drop"),
        arguments=(
            ("--keep", "keep a copy of what others wrote"),
            ("--drop", "forget what others wrote; your own memories stay"),
        ),
    ),
    Command(
        name="team restored",
        group="Upkeep",
        about="on the server, after a restore from a backup: laptops compare everything anew",
        handler="recairn.surfaces.cli.actions.team_rounds:restored",
        examples=(
            "recairn team restored --db team.db",
            "recairn team restored --db 'postgresql://app@db/m?team=gulls'",
            "recairn sync",
        ),
        notes="Nothing is discarded: they keep what they have, and send what the server lost.",
    ),
    Command(
        name="sync",
        group="Upkeep",
        about="send what the team does not have, and take what others sent",
        handler="recairn.surfaces.cli.actions.team_rounds:sync",
        examples=("recairn sync", "recairn sync --watch", "recairn sync --json"),
        arguments=(
            ("--watch", "go on until Ctrl-C"),
            ("--quiet", "say nothing, not even of trouble: for the background"),
        ),
        notes="After the end of a session it happens by itself, in the background.",
    ),
    Command(
        name="sync status",
        group="Upkeep",
        about="what is shared, what waits, what was refused, what was destroyed where",
        handler="recairn.surfaces.cli.actions.team_rounds:status",
        examples=("recairn sync status", "recairn sync status --json", "recairn sync"),
    ),
    Command(
        name="sync conflicts",
        group="Upkeep",
        about="what two members changed at once: both texts",
        handler="recairn.surfaces.cli.actions.team_rounds:conflicts",
        examples=("recairn sync conflicts", "recairn sync conflicts --json", "recairn edit 42"),
    ),
    Command(
        name="policy add",
        group="Upkeep",
        about="as an admin of the team: let a rule hold for all who share this project",
        handler="recairn.surfaces.cli.actions.team_rounds:add_policy",
        examples=("recairn policy add 42", "recairn policy list", "recairn policy remove 42"),
        arguments=(("ID", "a rule of this project"),),
        notes="It holds in the words it has now: rewritten, it is a proposal again.\n"
        "Each member may decline it for themselves.",
    ),
    Command(
        name="policy list",
        group="Upkeep",
        about="the rules of this project that admins made team policy, and what holds here",
        handler="recairn.surfaces.cli.actions.team_rounds:policies",
        examples=("recairn policy list", "recairn policy list --json", "recairn rules"),
    ),
    Command(
        name="policy remove",
        group="Upkeep",
        about="as an admin of the team: let a rule be team policy no longer",
        handler="recairn.surfaces.cli.actions.team_rounds:remove_policy",
        examples=("recairn policy remove 42", "recairn policy list", "recairn policy add 42"),
        arguments=(("ID", "the rule"),),
    ),
    Command(
        name="policy decline",
        group="Upkeep",
        about="let a team policy not hold on this machine; nobody else is told",
        handler="recairn.surfaces.cli.actions.team_rounds:decline_policy",
        examples=("recairn policy decline 42", "recairn policy list", "recairn review accept 42"),
        arguments=(("ID", "the rule"),),
        notes="recairn review accept ID lets it hold again, as a rule of your own.",
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
