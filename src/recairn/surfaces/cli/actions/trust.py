"""Handler of `trust`: the word of a person on the database of a checkout."""

from __future__ import annotations

import os

from recairn.core.errors import NotFound, Refused
from recairn.core.settings import is_personal
from recairn.core.times import iso, now_ms
from recairn.core.words import counted, one_line
from recairn.engine.trust import doubt_of, guard, trust_database, trust_file
from recairn.host.project import database_above, project_database
from recairn.store import maintenance
from recairn.surfaces.render.text import memories

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from recairn.host.trust import Trust
    from recairn.store.upkeep_rows import Inspection
    from recairn.surfaces.cli.call import Call

# Rules that are shown, and characters of each: enough to see what they want.
_SHOWN, _LONGEST = 20, 160


def answer(call: Call) -> None:
    if "list" in call.arguments:
        _list(call)
    elif "revoke" in call.arguments:
        _revoke(call)
    else:
        _trust(call)


def _trust(call: Call) -> None:
    from recairn.core.author import PERSON
    from recairn.host.project import author_here

    path = _database(call)
    if author_here() != PERSON:
        raise Refused(
            "whether a database is trusted is not an agent's to say",
            "a person types recairn trust in a terminal of their own",
        )
    guard(path)
    trust = trust_file().remembered(path)
    if trust is not None and doubt_of(trust):
        trust = None
    inspection = maintenance(path).inspect()
    if inspection.strangers:
        raise Refused(
            f"{path} holds what recairn never makes: {one_line(inspection.strangers[0], _LONGEST)}",
            "ask where it comes from for an export: recairn import takes that in",
        )
    if not call.json:
        _describe(call, path, inspection)
    if trust is None:
        if not call.confirm(_question(path, inspection)):
            return
        trust = trust_database(path, now_ms())
    if call.json:
        call.screen.document(_document(trust, inspection))
    else:
        call.say(f"Trusted since {iso(trust.since)}; recairn trust --revoke takes it back")


def _database(call: Call) -> str:
    """The database of the checkout meant."""
    folder = os.path.abspath(call.arguments.get("folder") or os.getcwd())
    path = project_database(folder) or database_above(folder)
    if path is None:
        raise NotFound(
            f"no .recairn/memory.db belongs to {folder}",
            'recairn --db .recairn/memory.db add "…" makes one, which is trusted at once',
        )
    return path


def _question(path: str, inspection: Inspection) -> str:
    rules = inspection.kinds.get("rule", 0)
    standing = f", with {counted(rules, 'standing rule')}" if rules else ""
    return f"{path} is then the memory of this project{standing}"


def _describe(call: Call, path: str, inspection: Inspection) -> None:
    """What is in there, before anybody is asked."""
    counted = ", ".join(f"{count:,} {kind}" for kind, count in inspection.kinds.items())
    total = memories(sum(inspection.kinds.values()))
    call.say(f"{path}: {total}{f' ({counted})' if counted else ''}")
    for rule in inspection.rules[:_SHOWN]:
        call.say(f"  rule: {one_line(rule, _LONGEST)}")
    more = inspection.kinds.get("rule", 0) - _SHOWN
    if more > 0:
        call.say(f"  and {more:,} rules more")
    used, unused = _settings(inspection)
    for key, value in used.items():
        call.say(f"  setting: {one_line(key, _LONGEST)} = {one_line(value, _LONGEST)}")
    for key in unused:
        call.say(f"  not used, only a person may set it: {one_line(key, _LONGEST)}")


def _settings(inspection: Inspection) -> tuple[dict[str, str], list[str]]:
    """Those that would count, and those that only a person on this machine may set."""
    used = {key: value for key, value in inspection.settings.items() if not is_personal(key)}
    return used, [key for key in inspection.settings if key not in used]


def _document(trust: Trust, inspection: Inspection) -> dict[str, Any]:
    used, unused = _settings(inspection)
    return {
        "database": trust.path,
        "since": iso(trust.since),
        "memories": sum(inspection.kinds.values()),
        "kinds": dict(inspection.kinds),
        "rules": list(inspection.rules),
        "settings": used,
        "settings_unused": unused,
    }


def _revoke(call: Call) -> None:
    folder = os.path.abspath(call.arguments.get("folder") or os.getcwd())
    path = project_database(folder) or os.path.join(folder, ".recairn", "memory.db")
    if not trust_file().revoke(path):
        raise NotFound(f"{path} is not trusted", "recairn trust --list shows what is")
    if call.json:
        call.screen.document({"revoked": path})
    else:
        call.say(f"{path} is not used any more; nothing in it was changed")


def _list(call: Call) -> None:
    listed = [(trust, doubt_of(trust)) for trust in trust_file().all()]
    if call.json:
        rows = [
            {"database": trust.path, "since": iso(trust.since), "doubt": why or None}
            for trust, why in listed
        ]
        call.screen.document({"trusted": rows})
        return
    for trust, why in listed:
        call.say(f"{trust.path}  since {iso(trust.since)}{f'; not used: {why}' if why else ''}")
    if not listed:
        call.screen.note("no database of a checkout is trusted; recairn trust trusts one")
