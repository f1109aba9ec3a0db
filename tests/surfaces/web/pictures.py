"""Pictures of every place for docs/page: a team's memory after a quarter, wide and narrow, in both
colour schemes.

    python -m tests.surfaces.web.pictures [FOLDER]
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from typing import Any
from urllib.parse import quote

import recairn
from recairn.core.times import DAY, HOUR, now_ms
from tests.repository import DOCS
from tests.surfaces.web.serving import Served
from tests.surfaces.web.town import QUESTION, SESSION, tidewater
from tools import browser

SIZES = {1280: 860, 390: 844}
PLACES = {
    "search": f"search?q={quote(QUESTION)}",
    "as-of": f"search?q={quote(QUESTION)}&as_of={{day}}",
    "deep": f"search?q={quote(QUESTION)}&deep=1",
    "nothing": "search?q=zeppelin",
    "memory": "memory/12",
    "review": "review",
    "sessions": "sessions",
    "session": f"session/{SESSION}",
    "rules": "rules",
    "ledger": "ledger",
    "try": f"try?prompt={quote(QUESTION)}",
    "graph": "graph/12?hops=2",
    "memories": "memories",
    "documents": "documents",
    "tasks": "tasks",
    "task": "task/t-export",
    "projects": "projects",
    "health": "health",
    "more": "more",
}
PROMPTS = (
    "how do we retry failed payments",
    "which limit does the broker have",
    "when does staging reset",
    "why do the tide tests fail at night",
    "may I push to main",
    "how is money stored",
)


def grow(database: str) -> None:
    """What a quarter of work leaves besides: hand-outs, tasks, links, documents, other projects."""
    now = [now_ms()]
    start = now[0]
    with recairn.open(database, project="tidewater", clock=lambda: now[0]) as memory:
        for ago in range(26, 0, -1):
            if ago % 7 in (2, 3) and ago > 4:
                continue  # the weekend
            now[0] = start - ago * DAY + 9 * HOUR
            memory.session = f"{'codex' if ago % 3 else 'claude'}-{4096 + ago * 37:x}"
            memory.author = f"agent:{memory.session.split('-')[0]}"
            memory.start_session(memory.session, agent=memory.session.split("-")[0])
            for number in range(1 + ago % 3):
                now[0] += HOUR
                prompt = PROMPTS[(ago + number) % len(PROMPTS)]
                found = memory.context(prompt=prompt, surface="hook", moment="prompt")
                used = [hit.memory.id for hit in found.hits[: ago % 2]]
                since, at = now[0] - HOUR, now[0]
                memory.store.note_used(used, "cited", session=memory.session, since=since, at=at)
            memory.end_session(summary=PROMPTS[ago % len(PROMPTS)].capitalize())
        memory.session, memory.author = None, "person"
        now[0] = start - 3 * DAY
        memory.link(5, 10, "relates_to")
        memory.link(10, 12, "builds_on")
        memory.link(4, 12, "learned_from")
        memory.add_task(
            "Let the export finish before 03:30",
            id="t-export",
            description="The bank rejects what comes later; the queue is the slow part",
            category="payments",
        )
        memory.add_task("Tell support about the new limit", id="t-support", depends_on=["t-limit"])
        memory.add_task("Rotate the provider's key", id="t-key")
        memory.finish_task("t-key", "success", "the old one is revoked")
        memory.context(prompt="export before 03:30", task="t-export", surface="mcp")
        memory.start_task("t-export")
        for project, text in (("harbour", "Berths are numbered from the sea"), ("docs-site", "")):
            memory.remember(text or "The site is built by make html", project=project)
        now[0] = now_ms()
        memory.session, memory.author = SESSION, "agent:claude"
        memory.store.note_used([12], "cited", session=SESSION, since=start - HOUR, at=now[0])
        memory.note(files=["src/tide/payments.py"], tests=["pytest -q: passed"])
        memory.remember("Attempts shown on the dead-letter page come from settings", force=True)


def shoot(served: Served, folder: Path) -> None:
    from datetime import UTC, datetime, timedelta

    from playwright.sync_api import sync_playwright

    day = (datetime.now(UTC) - timedelta(days=60)).date().isoformat()
    with sync_playwright() as playwright:
        options = [] if os.geteuid() else ["--no-sandbox"]
        program = browser.found()
        chromium = playwright.chromium.launch(executable_path=program, args=options)
        for scheme in ("light", "dark"):
            for width, height in SIZES.items():
                _each_place(chromium, served, folder, (scheme, width, height, day))
        chromium.close()


def _each_place(
    chromium: Any, served: Served, folder: Path, look: tuple[str, int, int, str]
) -> None:
    scheme, width, height, day = look
    context = chromium.new_context(
        viewport={"width": width, "height": height}, color_scheme=scheme, reduced_motion="reduce"
    )
    context.add_init_script(f"localStorage.setItem('recairn.token', '{served.token}')")
    page = context.new_page()
    for name, place in PLACES.items():
        page.goto(f"http://{served.host}/#/{place.format(day=day)}")
        while not page.evaluate("document.querySelector('main')?.dataset.at === location.hash"):
            page.wait_for_timeout(20)
        page.wait_for_timeout(60)
        page.screenshot(path=folder / f"{name}-{scheme}-{width}.png")
    context.close()


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else DOCS / "page"
    folder.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as made:
        home = Path(made) / "ann"
        home.mkdir()
        with tidewater(home) as served:
            grow(str(home / "memories.db"))
            shoot(served, folder)


if __name__ == "__main__":
    main()
