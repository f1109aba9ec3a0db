"""Databases for the browser: a team's memory as it grows in a quarter, and one full of attacks."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import recairn
from recairn.core.times import DAY, now_ms
from tests.surfaces.web.serving import Served, surroundings

SESSION = "claude-7f3e9a"
QUESTION = "how do we retry failed payments"
OLD = "Retry failed payments after a fixed 30 s, five times"
NEW = (
    "Retry payments with full jitter, capped at 60 s, six attempts; the fixed back-off stampeded"
    " the broker on 4 October"
)
# Age in days, text, and what else is known.
MEMORIES = (
    (101, "Run every migration inside a transaction, and write its reverse beside it", "rule", ""),
    (100, "Never push to main; deploys go through the release branch", "rule", ""),
    (98, "Money is integer pence; never a float", "rule", "payments"),
    (38, "Retrying a charge without the idempotency key charged 14 customers twice", "failure", ""),
    (
        23,
        "The provider answers 409 while a charge is still running: do not retry it",
        "",
        "payments",
    ),
    (20, "Prefer small pull requests with one reason each", "preference", ""),
    (14, "pytest needs TZ=UTC, or three tide tests fail after 23:00", "", "testing"),
    (12, "The broker's connection limit is 200; each worker holds 4", "", "infrastructure"),
    (9, "Queue consumers retry by requeueing with a delay header", "decision", "payments"),
    (5, "Staging resets at 04:00 UTC", "", "infrastructure"),
)
# What was said when the candidates were picked up.
SAID = "Refunds went out twice again last night"
CANDIDATES = (
    "Maybe retries of refunds should be limited to one a day",
    "The nightly export must finish before 03:30, or the bank rejects it",
    "Support wants the word attempt, not try",
)
# Text that would do harm if anything but a text node were made of it.
ATTACK = (
    '<img src=x onerror="window.owned=1"><script>window.owned=1</script>'
    "\"'`${window.owned=1}{{7*7}}</textarea></title><svg onload=window.owned=1>"
    "javascript:window.owned=1 \u202egnp.exe\u2066 \u200b\x07 \U000e0041"
)


@contextmanager
def tidewater(folder: Path) -> Iterator[Served]:
    """A page over what a team of payments knows after a quarter, with a session of an agent."""
    checkout = folder / "tidewater"
    (checkout / ".git").mkdir(parents=True)
    (checkout / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (checkout / "payments.md").write_text("# Payments\n\n## Refunds\n\nTwo working days.\n")
    database = str(folder / "memories.db")
    now = [now_ms()]
    start = now[0]
    with recairn.open(database, project="tidewater", clock=lambda: now[0]) as memory:
        now[0] = start - 96 * DAY
        old = memory.remember(OLD, kind="decision", category="payments").id
        assert old is not None
        for age, text, kind, category in MEMORIES:
            now[0] = start - age * DAY
            memory.remember(text, kind=kind or "learning", category=category, force=True)
        now[0] = start - 41 * DAY
        reason = {"rationale": "All workers woke in the same second", "alternatives": ["a queue"]}
        new = memory.remember(NEW, kind="decision", supersede=old, fields=reason, force=True).id
        assert new is not None
        now[0] = start - 6 * DAY
        memory.link(5, new, "builds_on")
        memory.feedback(new, 1.0)
        memory.start_session("codex-0c1d", agent="codex")
        memory.session = "codex-0c1d"
        for number, text in enumerate(CANDIDATES):
            now[0] = start - DAY + number
            memory.note_turn("prompt", SAID, silence="no memory is about this prompt")
            memory.remember(text, force=True, trust="unverified", source_type="hook")
        memory.session = None
        now[0] = start
        memory.remember("The sea is in another project", project="sea")
        memory.add_task("Show the new limit", id="t-limit", description="Support sees five")
        memory.add_documents([str(checkout / "payments.md")])
    env = {**surroundings(folder), "RECAIRN_DB": database, "RECAIRN_PROJECT": "tidewater"}
    _hook(checkout, env, "SessionStart", source="startup")
    _hook(checkout, env, "UserPromptSubmit", prompt=f"{QUESTION}, and how often?")
    _hook(checkout, env, "UserPromptSubmit", prompt="looks good, continue")
    served = Served(checkout, database, env=env)
    try:
        yield served
    finally:
        served.stop()


def _hook(checkout: Path, env: dict[str, str], event: str, **fields: str) -> None:
    said = {"session_id": SESSION, "cwd": str(checkout), "hook_event_name": event, **fields}
    subprocess.run(
        [sys.executable, "-m", "recairn", "hook", event],
        input=json.dumps(said),
        text=True,
        cwd=checkout,
        env={**env, "CLAUDECODE": "1"},
        capture_output=True,
        check=True,
    )


@contextmanager
def under_attack(folder: Path) -> Iterator[Served]:
    """A page over memories whose every field is hostile."""
    database = str(folder / "memories.db")
    project = "<b>shop</b>"
    with recairn.open(
        database, project=project, model="none", session=f"s-{ATTACK[:60]}"
    ) as memory:
        memory.author = "agent:<i>codex</i>"
        for kind in ("decision", "learning", "rule"):
            fields = {"rationale": ATTACK, "alternatives": [ATTACK]} if kind == "decision" else None
            memory.remember(
                f"{kind} {ATTACK}",
                kind=kind,
                title=f"title {ATTACK}",
                category=ATTACK[:80],
                keywords=[ATTACK[:60]],
                scope=ATTACK[:60],
                source_ref="javascript:alert(1)",
                fields=fields,
                force=True,
            )
        memory.author = "person"
        memory.remember(f"linked {ATTACK}", source_ref="https://example.org/<x>", force=True)
        memory.link(1, 2, "relates_to")
        memory.remember(ATTACK[:60], kind="entity", branch=ATTACK[:60], force=True)
        memory.remember(f"elsewhere {ATTACK}", project=ATTACK[:60], force=True)
        memory.add_task(f"task {ATTACK}", id="t-1", description=ATTACK, category=ATTACK[:60])
        memory.block_task("t-1", ATTACK)
        memory.add_text(f"# {ATTACK}\n\n{ATTACK}\n".encode(), f"{ATTACK[:40].replace('/', '')}.md")
        memory.start_session(f"s-{ATTACK[:60]}", summary=ATTACK, agent="<u>codex</u>")
        memory.context(prompt=f"decision rationale {ATTACK}", surface="mcp")
        memory.note(files=[ATTACK[:90]], tests=[ATTACK[:90]])
        memory.note_turn("prompt", ATTACK, silence=ATTACK[:80])
        memory.remember(f"perhaps {ATTACK}", force=True, trust="unverified", source_type="hook")
    env = {**surroundings(folder), "RECAIRN_MODEL": "none"}
    served = Served(folder, database, "--project", project, env=env)
    try:
        yield served
    finally:
        served.stop()
