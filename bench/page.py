"""What the page asks for at 100,000 memories, in CPU beside a bare search on the same database.

    python3 run.py bench page [COUNT]

Answers come as those of `recairn serve` do: nobody writes meanwhile, so what was counted is kept;
`after a write` is the first answer after another process has stored a memory. The aims: a page of a
list costs at most a tenth of a search in both, and no answer is larger than 50 KB.

Where there is a browser, the time from the address to the drawn place is compared with that of an
empty page; the aim is three times as long.
"""

from __future__ import annotations

import sys

sys.path.append(sys.path.pop(0))  # so that keyword.py here does not hide the standard library's

import json
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from corpus import memories, questions

import recairn
from recairn.surfaces.web.answers import context, health, one_memory, recall, review, sessions
from recairn.surfaces.web.desk import Desk
from recairn.surfaces.web.parameters import Parameters
from tests.surfaces.web.serving import Served, surroundings
from tools import browser

ROUNDS = 25
SESSION = "s-bench"


def views(count: int) -> dict[str, tuple[Callable[..., Any], Callable[[str], Parameters]]]:
    """Name → what answers, and what is asked for a question."""
    deep: dict[str, str] = {}

    def far(question: str) -> Parameters:
        return Parameters(query={"after": deep["cursor"]} if "cursor" in deep else {})

    def listed(memory: Any, asked: Parameters) -> Any:
        found = recall.listing(memory, asked)
        if found["meta"]["next"]:
            deep["cursor"] = found["meta"]["next"]
        return found

    def one(question: str) -> Parameters:
        return Parameters(path={"id": str(1 + hash(question) % count)})

    return {
        "first sight": (recall.first, lambda question: Parameters()),
        "search": (recall.search, lambda question: Parameters(query={"q": question})),
        "list, first page": (recall.listing, lambda question: Parameters()),
        "list, going on": (listed, far),
        "histogram": (recall.histogram, lambda question: Parameters()),
        "overview": (recall.overview, lambda question: Parameters()),
        "memory": (one_memory.show, one),
        "review": (review.candidates, lambda question: Parameters()),
        "session": (sessions.show, lambda question: Parameters(path={"id": SESSION})),
        "rules": (context.rules, lambda question: Parameters()),
        "ledger by day": (context.ledger, lambda question: Parameters()),
        "health": (health.health, lambda question: Parameters()),
    }


def cost(desk: Desk, work: Callable[..., Any], asked: Parameters) -> tuple[float, int]:
    """Milliseconds of CPU and bytes of the answer."""
    started = time.process_time()
    answer = desk.answer(None, lambda memory: work(memory, asked))
    text = json.dumps(answer, separators=(",", ":"))
    return (time.process_time() - started) * 1000, len(text)


def after_a_write(writer: Any, desk: Desk, work: Callable[..., Any], asked: Parameters) -> float:
    """The same for the first answer after another connection has stored something."""
    writer.remember(f"Noted at {time.perf_counter_ns()}", force=True)
    return cost(desk, work, asked)[0]


def bare_search(memory: Any, question: str) -> float:
    started = time.process_time()
    memory.search(question, track=False)
    return (time.process_time() - started) * 1000


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    with tempfile.TemporaryDirectory() as name:
        os.chdir(name)
        path = str(Path(name) / "memory.db")
        with recairn.open(path, project="one", model="static") as memory:
            for start in range(0, count, 10_000):
                drafts = memories(min(10_000, count - start), seed=start)
                memory.remember_many([{**d, "project": "one"} for d in drafts], on_similar="add")
            memory.start_session(SESSION, agent="bench")
            for question in questions(20):
                memory.context(prompt=question, surface="hook")
        desk, asked = Desk(path, "one"), questions(ROUNDS)
        with recairn.open(path, project="one", model="static") as memory:
            bare = statistics.median(bare_search(memory, question) for question in asked)
        print(f"{count:,} memories; a bare search takes {bare:.2f} ms of CPU\n")
        print(f"{'view':<18} {'CPU ms':>8} {'of a search':>12} {'after a write':>14} {'bytes':>8}")
        with recairn.open(path, project="one", model="static") as writer:
            for title, (work, wanted) in views(count).items():
                spent = [cost(desk, work, wanted(question)) for question in asked]
                # The same questions: one that has no answer is not read by the reranker.
                anew = [after_a_write(writer, desk, work, wanted(each)) for each in asked]
                middle = statistics.median(each for each, _ in spent)
                first = statistics.median(anew) / bare
                most = max(size for _, size in spent)
                print(
                    f"{title:<18} {middle:>8.2f} {middle / bare:>12.2f} {first:>14.2f} {most:>8,}"
                )
        desk.close()
        ready(path)


# Draws nothing and asks for nothing.
EMPTY = b"<!doctype html><title>empty</title><link rel=icon href=data:,><p>empty</p>"
PLACES = ("search", "memories", "review", "sessions", "rules", "ledger", "tasks", "health")
OPENINGS = 9
# Notes when what the address names is drawn; asking from outside would measure the asking, too.
WATCH = """new MutationObserver(() => {
  if (!window.drawn && document.querySelector('main')?.dataset.at === location.hash)
    window.drawn = performance.now();
}).observe(document, { subtree: true, childList: true, attributes: true });"""
EMPTY_AT = "performance.getEntriesByType('navigation')[0].loadEventEnd"
GO = "place => { window.drawn = 0; window.left = performance.now(); location.hash = `#/${place}`; }"


def ready(database: str) -> None:
    """How long a browser takes until a place is drawn, beside an empty page; first visits."""
    program = browser.found()
    if program is None:
        print("\nno browser here: python3 -m tools.browser installs one")
        return
    from playwright.sync_api import sync_playwright

    folder = Path(database).parent
    served = Served(folder, database, "--project", "one", env=surroundings(folder))
    empty = EmptyPage()
    try:
        with sync_playwright() as playwright:
            options = [] if os.geteuid() else ["--no-sandbox"]
            chromium = playwright.chromium.launch(executable_path=program, args=options)
            opened = [opening(chromium, served, empty.url) for _ in range(OPENINGS)]
            chromium.close()
    finally:
        served.stop()
        empty.shutdown()
        empty.server_close()
    nothing = statistics.median(each["empty"] for each in opened)
    print(f"\n{'ready':<18} {'ms':>8} {'of an empty page':>17}")
    for place in opened[0]:
        middle = statistics.median(each[place] for each in opened)
        print(f"{place:<18} {middle:>8.0f} {middle / nothing:>17.2f}")


def opening(chromium: Any, served: Any, empty: str) -> dict[str, float]:
    """Milliseconds until each place is there: the first in a browser without anything kept, the
    others from there by their links."""
    context = chromium.new_context(viewport={"width": 1280, "height": 860})
    context.add_init_script(f"localStorage.setItem('recairn.token', '{served.token}'); {WATCH}")
    page = context.new_page()
    page.goto(empty)
    took = {"empty": moment(page, EMPTY_AT)}
    page.goto(f"http://{served.host}/#/search")
    took["search"] = moment(page, "window.drawn")
    for place in PLACES[1:]:
        page.evaluate(GO, place)
        took[place] = moment(page, "window.drawn") - page.evaluate("window.left")
    context.close()
    return took


def moment(page: Any, what: str) -> float:
    """The milliseconds a page notes, once it does."""
    while not (found := page.evaluate(what)):
        page.wait_for_timeout(5)
    return float(found)


class EmptyPage(ThreadingHTTPServer):
    """Serves one empty page on this machine."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Empty)
        self.url = f"http://127.0.0.1:{self.server_port}/"
        Thread(target=self.serve_forever, daemon=True).start()


class _Empty(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/html")
        self.send_header("content-length", str(len(EMPTY)))
        self.end_headers()
        self.wfile.write(EMPTY)

    def log_message(self, format: str, *args: Any) -> None:
        return


if __name__ == "__main__":
    main()
