"""Handlers of the commands by which a laptop exchanges with its team's server."""

from __future__ import annotations

import os
import sys

from recairn.core.errors import BadInput, RecairnError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from recairn.surfaces.cli.call import Call

# Where a token may stand that is not typed.
_VARIABLE = "RECAIRN_TOKEN"
# Seconds between two tries of --watch while the server is away.
_PAUSE_S = 30.0
# Characters of a text in a list.
_SHOWN = 160


def join(call: Call) -> None:
    url = call.arguments["url"]
    token = _token(call)
    with call.open() as memory:
        said = memory.join_team(url, token)
    if call.json:
        names = ("server", "member", "role", "device", "projects")
        call.screen.document({name: said.get(name) for name in names})
        return
    call.say(f"Joined {said['server']} as {said['member']} ({said['role']}), on {said['device']}")
    shared = ", ".join(said.get("projects", ()))
    call.screen.note(
        f"Shared there: {shared or 'nothing yet'}. recairn share, in a checkout, shares its project"
    )
    call.screen.note(
        "Rules that admins of the team make team policy will hold here in projects you share:"
        " recairn policy list shows them, recairn policy decline ID ends one here"
    )


def _token(call: Call) -> str:
    """The token that an admin gave, never from the command line: that is seen by all."""
    path = call.arguments.get("token_file")
    if path == "-":
        from recairn.surfaces.cli.call import text_from

        token = text_from(["-"], "the token", call)
    elif path:
        with open(path, encoding="utf-8") as file:
            token = file.read()
    else:
        token = os.environ.get(_VARIABLE) or _typed()
    token = token.strip()
    if not token:
        raise BadInput(
            "joining needs the token of this machine",
            f"an admin makes it: recairn member token NAME; put it into {_VARIABLE},"
            " or name --token-file (- is standard input)",
        )
    return token


def _typed() -> str:
    """What somebody types without showing it; nothing where nobody is there."""
    if sys.stdin is None or not sys.stdin.isatty():
        return ""
    from getpass import getpass

    return getpass("The token of this machine: ")


def leave(call: Call) -> None:
    keep = "keep" in call.arguments
    if not keep and "drop" not in call.arguments:
        answer = call.screen.confirmed("Keep a copy of what others wrote?")
        if answer is None:
            raise BadInput("say whether a copy of what others wrote stays here", "--keep or --drop")
        keep = answer
    with call.open() as memory:
        left = memory.leave_team(keep=keep)
    if call.json:
        call.screen.document(left)
        return
    call.say(f"Left {left['server']}; its token counts no longer")
    if left["forgotten"]:
        call.say(f"Forgot {left['forgotten']} memories of others; recairn restore brings one back")


def restored(call: Call) -> None:
    with call.open() as memory:
        epoch = memory.new_epoch()
    if call.json:
        call.screen.document({"epoch": epoch})
    else:
        call.say(
            "Every laptop compares everything with its next round, and sends what is lost here"
        )


def share_project(call: Call) -> None:
    """Shows what would go to the team, asks, and shares the project."""
    with call.open() as memory:
        team = memory.team()
        name = call.arguments.get("as") or memory.project
        preview = memory.share_preview(memory.project)
        numbers = [preview[name] for name in ("memories", "tasks", "handoffs")]
        words = ("memory", "memories"), ("task", "tasks"), ("handoff", "handoffs")
        going = ", ".join(f"{n:,} {w[n != 1]}" for n, w in zip(numbers, words, strict=True))
        if not call.json:
            call.screen.note(f"{memory.project} → {team.server} as {name}: {going}")
            for why, number in sorted(preview["left_out"].items()):
                call.screen.note(f"  {number} stay here: {why}")
        if "yes" not in call.arguments:
            answer = call.screen.confirmed(f"Share {memory.project} with the team?")
            if answer is None:
                raise BadInput("nobody can be asked here", "recairn share --yes")
            if not answer:
                return
        said = memory.share_with_team(name)
        summary = memory.sync()
    if call.json:
        call.screen.document({**said, "left_out": preview["left_out"], **summary})
    else:
        call.say(f"Shared {said['project']} as {said['name']}: {_round(summary)}")
        _tell_policies(call, summary)


def unshare(call: Call) -> None:
    with call.open() as memory:
        memory.unshare_project(memory.project)
        project = memory.project
    if call.json:
        call.screen.document({"project": project, "shared": False})
    else:
        call.say(f"{project} is shared no longer; what the team has of it stays there")


def sync(call: Call) -> int:
    quiet = "quiet" in call.arguments
    if "watch" in call.arguments:
        _watch(call)
        return 0
    try:
        with call.open() as memory:
            summary = memory.sync()
    except RecairnError:
        if quiet:
            return 1
        raise
    if quiet:
        return 0
    if call.json:
        call.screen.document(summary)
        return 0
    call.say(_round(summary))
    for fault in summary["faults"]:
        call.screen.note(f"note: {fault}")
    _tell_policies(call, summary)
    if summary["clashes"]:
        call.screen.note("two of you changed the same memory: recairn sync conflicts")
    return 0


def _tell_policies(call: Call, summary: dict[str, Any]) -> None:
    for number in summary["policies"]:
        call.screen.note(f"note: #{number} is team policy, and holds here: recairn show {number}")


def add_policy(call: Call) -> None:
    _set_policy(call, on=True)


def remove_policy(call: Call) -> None:
    _set_policy(call, on=False)


def _set_policy(call: Call, *, on: bool) -> None:
    with call.open() as memory:
        rule = memory.set_policy(call.arguments["id"], on=on)
    if call.json:
        call.screen.document({"id": rule.id, "uid": rule.uid, "policy": on})
    elif on:
        call.say(f"#{rule.id} is team policy now: it holds for all who share {rule.project}")
    else:
        call.say(f"#{rule.id} is team policy no longer; for others it waits for review again")


def decline_policy(call: Call) -> None:
    with call.open() as memory:
        rule = memory.decline_policy(call.arguments["id"])
    if call.json:
        call.screen.document({"id": rule.id, "uid": rule.uid, "declined": True})
    else:
        call.say(f"#{rule.id} does not hold here; recairn review accept {rule.id} lets it again")


def policies(call: Call) -> None:
    from recairn.core.times import iso
    from recairn.surfaces.render.text import headline

    with call.open() as memory:
        rules = memory.policies()
    if call.json:
        listed = [
            {
                "id": policy["memory"] and policy["memory"].id,
                **{name: policy[name] for name in ("uid", "by", "state")},
                "at": iso(policy["at"]),
            }
            for policy in rules
        ]
        call.screen.document({"policies": listed})
        return
    for policy in rules:
        rule, day = policy["memory"], (iso(policy["at"]) or "").partition("T")[0]
        name = policy["uid"] if rule is None else f"#{rule.id} {headline(rule)}"
        call.say(f"{name}\n  by {policy['by']} on {day}: {policy['state']}")
    if not rules:
        call.say("no team policies\n  recairn policy add ID makes a rule one, for an admin")


def _watch(call: Call) -> None:
    """A round whenever there is news, here or there; trouble is told once and waited out."""
    import time

    trouble = ""
    while True:
        try:
            with call.open() as memory:
                summary = memory.sync()
                moved = any(summary[name] for name in ("sent", "added", "updated", "erased"))
            if moved or trouble:
                call.say(_round(summary))
                call.screen.flush()
            trouble = ""
            with call.open() as memory:
                memory.wait_for_news()
        except RecairnError as error:
            if error.message != trouble:
                call.screen.note(f"{error.message}; trying again")
            trouble = error.message
            time.sleep(_PAUSE_S)
        except KeyboardInterrupt:
            return


def _round(summary: dict[str, Any]) -> str:
    """What went both ways, in a line."""
    parts = [
        f"sent {summary['sent']}",
        f"took {summary['added']} new and {summary['updated']} changed",
    ]
    if summary["erased"]:
        parts.append(f"destroyed {summary['erased']}")
    if summary["refused"]:
        parts.append(f"{summary['refused']} refused (recairn sync status)")
    if summary["later"]:
        parts.append(f"{summary['later']} later")
    return ", ".join(parts)


def status(call: Call) -> None:
    with call.open() as memory:
        team = memory.team()
        shares, refused = memory.shares(), memory.outbox_refused()
        try:
            erased, trouble = memory.erased_on(), ""
        except RecairnError as error:
            erased, trouble = [], error.message
    if call.json:
        call.screen.document(
            {
                "server": team.server,
                "member": team.member,
                "shares": shares,
                "refused": refused,
                "erased": erased,
                "trouble": trouble,
            }
        )
        return
    from recairn.core.times import iso

    call.say(f"{team.server} as {team.member}" + (f"; {trouble}" if trouble else ""))
    rows = [
        (share["project"], share["name"], iso(share["pulled_at"]) or "never") for share in shares
    ]
    if rows:
        call.screen.table(("project", "there", "last taken"), rows)
        call.say(f"{shares[0]['waiting']} to send")
    else:
        call.say("no project is shared; recairn share, in a checkout, shares its project")
    for refusal in refused:
        call.say(
            f"refused: {refusal['type']} {refusal['uid']} of {refusal['project']}: {refusal['why']}"
        )
    for erasure in erased:
        gone = f"{erasure['acknowledged']} of {erasure['devices']} devices"
        call.say(f"destroyed: {erasure['uid']} of {erasure['project']}, gone on {gone}")


def conflicts(call: Call) -> None:
    with call.open() as memory:
        listed = memory.sync_conflicts()
    if call.json:
        call.screen.document({"conflicts": listed})
        return
    if not listed:
        call.say("no conflicts")
    for conflict in listed:
        for text in (conflict, conflict["other"]):
            author = text["author"] or "somebody"
            call.say(f"#{text['id']} ({author}) {_short(text['content'])}")
        call.say(f"  recairn supersede {conflict['other']['id']} {conflict['id']}, or forget one\n")


def search_team(call: Call, query: str) -> None:
    """What the team's server finds; this laptop's own memory is not asked."""
    with call.open() as memory:
        hits = memory.search_team(query, **call.chosen("limit"))
    if call.json:
        call.screen.document({"query": query, "hits": hits})
        return
    if not hits:
        call.say("the team's server finds nothing")
    for number, hit in enumerate(hits, 1):
        call.say(f"{number}. {hit['project']}/{hit['id']} {hit['kind']}: {_short(hit['content'])}")


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _SHOWN else f"{line[: _SHOWN - 1]}…"
