"""Handlers of the commands that look after the database and the tool itself."""

from __future__ import annotations

from recairn.core.record import as_dict
from recairn.core.times import iso
from recairn.surfaces.render.overview import backup_json as _backup_json
from recairn.surfaces.render.text import memories, styled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from recairn.core.report import Problem
    from recairn.store.contract.maintenance import Maintenance
    from recairn.store.upkeep_rows import Finding
    from recairn.surfaces.cli.call import Call


def doctor(call: Call) -> int:
    from recairn.store import shown

    path, store = shown(call.database()), call.maintenance()
    repaired = _repaired(call, store) if "repair" in call.arguments else None
    findings = (*store.diagnose(), *_checkouts(call), *_opened(call), *_agents(call))
    if call.json:
        listed = [as_dict(finding) for finding in findings]
        call.screen.document({"database": path, "repaired": repaired, "findings": listed})
    else:
        for finding in findings:
            style = _LEVEL_STYLES.get(finding.level, "dim")
            call.say(f"{styled(f'{finding.level:<8}', style)} {finding.what}")
            if finding.remedy:
                call.say(f"         {finding.remedy}")
    return 1 if any(finding.level == "problem" for finding in findings) else 0


_LEVEL_STYLES = {"problem": "bold", "warning": "hit"}


def _checkouts(call: Call) -> Iterator[Finding]:
    """Which databases of checkouts are trusted, and the one of this checkout if it is not."""
    import os

    from recairn.engine.trust import doubt_of, trust_file
    from recairn.host.project import chosen_database
    from recairn.host.trust import objection
    from recairn.store.upkeep_rows import Finding

    for trust in trust_file().all():
        why = doubt_of(trust)
        if why:
            yield Finding(
                "warning", f"{trust.path} is trusted, but not used: {why}", "recairn trust"
            )
        else:
            yield Finding("ok", f"trusted since {iso(trust.since)}: {trust.path}")
    path = chosen_database(call.arguments.get("db"), os.getcwd()).passed_over
    if path and trust_file().remembered(path) is None:
        why = objection(path) or "nobody has trusted it"
        yield Finding("warning", f"{path} is not used: {why}", "recairn trust")


def _agents(call: Call) -> Iterator[Finding]:
    """How it stands with the agents of this machine."""
    import os
    import sys

    from recairn.host.project import root_of
    from recairn.surfaces.install.diagnosis import agent_findings

    yield from agent_findings(root_of(os.getcwd()) or "", sys.argv, call.arguments.get("db"))


def _opened(call: Call) -> Iterator[Finding]:
    """The mirrors that cannot follow, and a model that cannot answer; the database's own trouble
    has been told by now."""
    from recairn.core.errors import RecairnError
    from recairn.store.upkeep_rows import Finding

    try:
        with call.open() as memory:
            troubles = [*memory.mirror_troubles(), *memory.model_troubles()]
    except RecairnError:
        return
    for what, remedy in troubles:
        yield Finding("warning", what, remedy)


def _repaired(call: Call, store: Maintenance) -> dict[str, Any]:
    """Mends what can be mended, says what was done, and gives it back for --json."""
    from recairn.engine.trust import still_trusted

    repaired = still_trusted(call.database(), store.repair)
    for action in repaired.actions or ("nothing needed mending",):
        call.screen.note(f"doctor: {action}")
    if repaired.changed:
        ids = ", ".join(f"#{memory}" for memory in repaired.changed)
        call.screen.note(f"doctor: the bytes of {ids} had changed; read them again")
    if repaired.lost:
        call.screen.note(f"doctor: lost {', '.join(f'#{memory}' for memory in repaired.lost)}")
    return {
        "actions": list(repaired.actions),
        "memories": repaired.memories,
        "aside": repaired.aside,
        "changed": list(repaired.changed),
        "lost": list(repaired.lost),
    }


def verify(call: Call) -> int:
    with call.open() as memory:
        if memory.absent:
            from recairn.core.errors import NotFound

            raise NotFound(f"there is no database at {memory.database}", "recairn doctor")
        report = memory.verify()
        path = memory.database
    if call.json:
        call.screen.document(
            {
                "database": path,
                "memories": report.memories,
                "checks": list(report.checks),
                "problems": [as_dict(problem) for problem in report.problems],
            }
        )
    elif report.problems:
        _show_problems(call, report.problems)
    else:
        checks = ", ".join(report.checks)
        call.say(f"{path} is healthy: {memories(report.memories)} ({checks})")
    return 1 if report.problems else 0


def _show_problems(call: Call, problems: Sequence[Problem]) -> None:
    for problem in problems:
        call.say(f"{problem.check}: {problem.detail}\n  {problem.remedy}")


def backup_create(call: Call) -> None:
    info = call.maintenance().create_backup(call.arguments.get("folder"), **call.chosen("keep"))
    if call.json:
        call.screen.document(_backup_json(info))
    else:
        call.say(f"Wrote {info.path} ({memories(info.memories or 0)})")


def backup_list(call: Call) -> None:
    store = call.maintenance()
    folder = store.backup_folder(call.arguments.get("folder"))
    backups = store.backups(folder)
    if call.json:
        call.screen.document(
            {"folder": folder, "backups": [_backup_json(backup) for backup in backups]}
        )
        return
    if not backups:
        call.say(f"no backups in {folder}\n  recairn backup create writes one")
        return
    import os

    rows = [
        (
            os.path.basename(backup.path),
            f"{iso(backup.created_at)}",
            "?" if backup.memories is None else f"{backup.memories:,}",
            f"{backup.bytes / 1024:,.0f}",
            backup.problem,
        )
        for backup in backups
    ]
    call.say(f"{folder}\n")
    call.screen.table(("name", "created", "memories", "KiB", ""), rows)


def backup_restore(call: Call) -> None:
    store, database = call.maintenance(), call.database()
    backup = store.find_backup(call.arguments["file"], call.arguments.get("folder"))
    if not call.confirm(f"this replaces the memories in {database} by those of {backup}"):
        return
    from recairn.engine.trust import still_trusted

    outcome = still_trusted(database, lambda: store.restore(backup))
    if call.json:
        call.screen.document(
            {
                "restored": outcome.backup.path,
                "memories": outcome.memories,
                "previous": outcome.previous,
                "settings_left_out": list(outcome.left_out),
            }
        )
        return
    call.say(f"Restored {memories(outcome.memories)} from {outcome.backup.path}")
    if outcome.left_out:
        call.screen.note(
            "note: it is not a backup of this database, so settings that only a person may set were"
            f" left out: {', '.join(outcome.left_out)}"
        )
    if outcome.previous is not None:
        call.say(
            f"What was there before is in {outcome.previous}\n"
            f"  recairn backup restore {outcome.previous} brings it back"
        )


def version(call: Call) -> None:
    import sys

    from recairn import __version__
    from recairn.store import engine_version

    python = ".".join(map(str, sys.version_info[:3]))
    if call.json:
        call.screen.document({"recairn": __version__, "python": python, "sqlite": engine_version()})
        return
    call.say(f"recairn {__version__} (Python {python}, SQLite {engine_version()})")
