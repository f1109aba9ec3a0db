"""Rules in force and the health of everything, as text and as JSON."""

from __future__ import annotations

from recairn.core.author import POLICY, role_of
from recairn.core.record import as_dict
from recairn.core.times import age, iso
from recairn.core.words import counted
from recairn.host.project import is_address
from recairn.surfaces.render.json_objects import memory_json
from recairn.surfaces.render.text import headline, memories, written_by

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from recairn.engine.overview import Health
    from recairn.recall.rules_in_force import RulesInForce
    from recairn.store.upkeep_rows import BackupInfo


def rules_json(in_force: RulesInForce) -> dict[str, Any]:
    """The rules of a project in the order in which they get room."""
    return {
        "project": in_force.project or None,
        "agent": in_force.agent or None,
        "characters": in_force.characters,
        "tokens": in_force.tokens,
        "rules": [
            {**as_dict(rule), "memory": memory_json(rule.memory), "last_at": iso(rule.last_at)}
            for rule in in_force.rules
        ],
    }


def rules_text(in_force: RulesInForce, now: int) -> str:
    """A line for each rule, with what it costs and how often it was said; then the sum."""
    lines = []
    for rule in in_force.rules:
        about = [f"{rule.tokens} tokens"]
        about += [f"for {rule.memory.scope}"] if rule.memory.scope else []
        about += [written_by(rule.memory.author)] if role_of(rule.memory.author) == POLICY else []
        last = "" if rule.last_at is None else f", last {age(rule.last_at, now)}"
        about += [f"handed out {counted(rule.times, 'time')}{last}"]
        about += [] if rule.fits else [f"does not fit: {rule.why}"]
        lines += [f"#{rule.memory.id} {headline(rule.memory)}", f"      {', '.join(about)}"]
    fitting = sum(rule.fits for rule in in_force.rules)
    lines.append(
        f"{fitting} of {len(in_force.rules)} fit into {in_force.characters:,} characters at the"
        f" start of a session (estimated {in_force.tokens:,} tokens)"
    )
    return "\n".join(lines) + "\n"


def backup_json(info: BackupInfo) -> dict[str, Any]:
    """A backup; what could not be read is null."""
    return {
        "path": info.path,
        "created_at": iso(info.created_at),
        "bytes": info.bytes,
        "memories": info.memories,
        "schema": info.schema,
        "problem": info.problem or None,
    }


def health_json(health: Health) -> dict[str, Any]:
    """Whether everything works."""
    return {
        **as_dict(health),
        "hooks": [{**hook._asdict(), "at": iso(hook.at)} for hook in health.hooks],
        "backups": [backup_json(info) for info in health.backups],
        "mirrors": [as_dict(mirror) for mirror in health.mirrors],
        "troubles": [{"what": what, "remedy": remedy} for what, remedy in health.troubles],
        "findings": [as_dict(finding) for finding in health.findings],
    }


def health_text(health: Health, now: int) -> str:
    """A line for each part that was looked at."""
    lines = [
        f"{health.database} ({health.bytes / 1024:,.0f} KiB, {memories(health.memories)})",
        f"model: {health.model or 'none'}, {health.to_embed:,} without a vector",
        f"to review: {health.waiting:,}; searches that missed: {health.misses:,}",
    ]
    newest = next(iter(health.backups), None)
    copied = "never" if newest is None else age(newest.created_at, now)
    on_server = is_address(health.database)
    lines.append("backups: the server's own" if on_server else f"last backup: {copied}")
    lines += [f"mirror: {mirror.folder} of {mirror.project}" for mirror in health.mirrors]
    lines += [f"trouble: {what}; {remedy}" for what, remedy in health.troubles]
    lines += [
        f"hook: {hook.agent} {hook.event}, {age(hook.at, now)} ({hook.times:,} kept)"
        for hook in health.hooks
    ] or ["hooks: none has called yet; recairn install registers agents"]
    lines += [f"{finding.level}: {finding.what}" for finding in health.findings]
    return "\n".join(lines) + "\n"
