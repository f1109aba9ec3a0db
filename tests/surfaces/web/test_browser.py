"""The page in a real browser: a person's story, hostile text, other pages, and who cannot see."""

from __future__ import annotations

import http.server
import os
import re
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

import recairn
from tests.surfaces.web.serving import PATIENCE_S, Served, surroundings
from tests.surfaces.web.town import (
    ATTACK,
    NEW,
    OLD,
    QUESTION,
    SAID,
    SESSION,
    tidewater,
    under_attack,
)
from tools import browser as browsers

pytestmark = pytest.mark.thorough

AXE = Path(__file__).parent / "axe-core-4.14.0" / "axe.min.js"
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
WIDE, NARROW = {"width": 1280, "height": 860}, {"width": 390, "height": 844}
PLACES = (
    "search",
    f"search?q={quote(QUESTION)}",
    f"search?q={quote(QUESTION)}&as_of=2026-09-20",
    "search?q=zeppelin",
    "memory/12",
    "review",
    "sessions",
    f"session/{SESSION}",
    "rules",
    "ledger",
    "ledger?by=memory",
    f"try?prompt={quote(QUESTION)}",
    "graph",
    "graph/12",
    "memories",
    "documents",
    "tasks",
    "task/t-limit",
    "projects",
    "health",
    "more",
)


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """One browser process for all tests of this module."""
    program = browsers.found()
    if program is None:
        words = "no browser on this machine: python3 -m tools.browser installs one"
        if os.environ.get("CI") or os.environ.get("TEST_BROWSER") == "needed":
            pytest.fail(words)
        pytest.skip(words)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        # Chromium refuses its sandbox to root, and containers have nobody else.
        options = [] if os.geteuid() else ["--no-sandbox"]
        running = playwright.chromium.launch(executable_path=program, args=options)
        yield running
        running.close()


class Tab:
    """A page of the browser that notes whatever it should not have said or asked for."""

    def __init__(
        self, chromium: Any, served: Served, *, by_key: bool = False, **options: Any
    ) -> None:
        """`by_key`: the token is not there yet."""
        self.served = served
        self.base = f"http://{served.host}/"
        self.context = chromium.new_context(viewport=WIDE, reduced_motion="reduce", **options)
        self.context.set_default_timeout(15_000)
        self.noise: list[str] = []
        self.page = self.context.new_page()
        self.page.on("console", lambda message: self.noise.append(message.text))
        self.page.on("pageerror", lambda error: self.noise.append(str(error)))
        self.page.on("dialog", self._note_dialog)
        self.page.on("request", self._note_request)
        if not by_key:
            token = served.token
            self.context.add_init_script(f"localStorage.setItem('recairn.token', '{token}')")

    def _note_dialog(self, dialog: Any) -> None:
        self.noise.append(dialog.message)
        dialog.accept()

    def _note_request(self, request: Any) -> None:
        if not request.url.startswith((self.base, "data:")):
            self.noise.append(f"asked elsewhere: {request.url}")

    def go(self, place: str) -> Any:
        """A place, once it is drawn."""
        self.page.goto(f"{self.base}#/{place}")
        self.settled()
        return self.page

    def anew(self, place: str) -> Any:
        """The same in a page that knows nothing of the tests before."""
        self.page.goto(f"{self.base}#/{place}")
        self.page.reload()
        self.settled()
        self.page.evaluate("scrollTo(0, 0)")  # what lies beneath the head could not be pressed
        return self.page

    def settled(self) -> None:
        """Waits until what the address names is drawn."""
        self.until("document.querySelector('main')?.dataset.at === location.hash")

    def until(self, condition: str) -> None:
        """Waits for a condition; the page's own policy forbids Playwright's way to do so."""
        end = time.monotonic() + PATIENCE_S
        while not self.page.evaluate(condition):
            assert time.monotonic() < end, f"{condition}: {self.page.inner_text('body')}"
            self.page.wait_for_timeout(20)

    def close(self) -> list[str]:
        self.context.close()
        return self.noise

    def told(self) -> list[str]:
        """What it has said since it was asked last."""
        said, self.noise = self.noise, []
        return said


@pytest.fixture(scope="module")
def town(tmp_path_factory) -> Iterator[Served]:
    with tidewater(tmp_path_factory.mktemp("town")) as served:
        yield served


@pytest.fixture(scope="module")
def tab(chromium: Any, town: Served) -> Iterator[Tab]:
    """One tab for all tests that look at the same town."""
    one = Tab(chromium, town)
    yield one
    one.close()


def violations(
    page: Any, only: dict[str, Any] | list[str], *, without: str = "", within: str = "html"
) -> list[str]:
    """What axe finds by some rules."""
    rules = {without: {"enabled": False}} if without else {}
    found = page.evaluate(
        "([within, only, rules]) => axe.run(within, "
        "{runOnly: only, rules, resultTypes: ['violations'], selectors: false, preload: false})",
        [within, only, rules],
    )
    return [
        f"{each['id']}: {node['html'][:160]}"
        for each in found["violations"]
        for node in each["nodes"]
    ]


# Texts that lie beyond the screen or are cut by what is around them, and cannot be scrolled to.
CUT_OFF = """() => {
  const cut = [], wide = document.documentElement.scrollWidth - innerWidth;
  if (wide > 0) cut.push(`${wide} px wider than the screen`);
  const words = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (words.nextNode()) {
    const text = words.currentNode, range = document.createRange();
    range.selectNodeContents(text);
    const box = range.getBoundingClientRect();
    if (!text.data.trim() || !box.width || text.parentElement.closest('.skip, option')) continue;
    let left = 0, right = innerWidth;
    for (let each = text.parentElement; each; each = each.parentElement) {
      const { overflowX } = getComputedStyle(each), frame = each.getBoundingClientRect();
      if (overflowX === 'auto' || overflowX === 'scroll') { left = -Infinity; right = Infinity; }
      if (overflowX !== 'hidden') continue;
      left = Math.max(left, frame.left);
      right = Math.min(right, frame.right);
    }
    if (box.left < left - 1 || box.right > right + 1) cut.push(text.data.trim().slice(0, 60));
  }
  return cut;
}"""


COLOURS = {"type": "rule", "values": ["color-contrast"]}
# At 200 % a window of 1280 pixels has 640 of CSS.
TWICE = {"width": 640, "height": 430}
PRINTED = (f"search?q={quote(QUESTION)}", "memory/12", f"session/{SESSION}")


def test_every_place_can_be_used_by_everybody_enlarged_and_on_paper_too(tab):
    """Each place is looked at in every way while it is open: by axe, at 200 %, and printed."""
    found = []
    tab.anew(PLACES[0]).evaluate(AXE.read_text())  # it stays while only the address changes
    for place in PLACES:
        page = tab.go(place)
        seen = by_axe(page, place)
        wider = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        seen += [f"{wider} px wider than a narrow screen"] * (wider > 0)
        page.set_viewport_size(TWICE)
        seen += [f"at 200 % cut off: {each}" for each in page.evaluate(CUT_OFF)]
        page.set_viewport_size(WIDE)
        seen += on_paper(page) if place in PRINTED else []
        page.emulate_media(color_scheme="light", media="screen")
        found += [f"{place}: {each}" for each in seen]
    assert found == []
    assert tab.told() == []


def by_axe(page: Any, place: str) -> list[str]:
    """At two widths and in two colour schemes; leaves the page narrow.

    A scheme changes colours alone, and a narrow screen shows those of a wide one. Around every
    place there is the same frame, whose dark colours are looked at once.
    """
    found = violations(page, RULES)
    for scheme, size in (("dark", WIDE), ("dark", NARROW), ("light", NARROW)):
        page.set_viewport_size(size)
        page.emulate_media(color_scheme=scheme)
        seen = (
            violations(page, COLOURS, within="html" if place == PLACES[0] else "main")
            if scheme == "dark"
            else violations(page, RULES, without="color-contrast")
        )
        found += [f"{size['width']} {scheme} {line}" for line in seen]
    return found


def on_paper(page: Any) -> list[str]:
    """What is wrong with a place that is printed by somebody who likes it dark."""
    page.emulate_media(color_scheme="dark", media="print")
    parts = (".head", ".side", ".bottom", ".toasts", "main .button")
    shown = "all => all.filter((e) => e.offsetWidth).length"
    found = [
        f"on paper there is {part}" for part in parts if page.locator(part).evaluate_all(shown)
    ]
    colours = page.evaluate(
        "[getComputedStyle(document.querySelector('main .wrap')).color,"
        " getComputedStyle(document.body).backgroundColor]"
    )
    found += [] if colours == ["rgb(0, 0, 0)", "rgb(255, 255, 255)"] else [f"on paper {colours}"]
    return found + [f"on paper cut off: {each}" for each in page.evaluate(CUT_OFF)]


def test_tab_and_enter_alone_search_open_forget_and_undo(tab, town):
    """With the keys of the page turned off: nothing needs them, nor a mouse."""
    page, keys = tab.anew("search"), tab.page.keyboard
    page.evaluate("localStorage.setItem('recairn.keys', 'off')")

    def reach(what: str) -> None:
        """Goes on with Tab until something has the focus, which is to be seen there."""
        for _ in range(80):
            keys.press("Tab")
            if page.evaluate("what => document.activeElement.matches(what)", what):
                outline = "getComputedStyle(document.activeElement).outlineStyle"
                assert page.evaluate(outline) == "solid", what
                return
        pytest.fail(f"Tab never comes to {what}")

    reach("#question")
    keys.type(QUESTION)
    keys.press("Enter")
    page.locator(".hit").first.wait_for()
    reach(".hit")
    keys.press("Enter")
    page.locator("aside h2.wrap").wait_for()
    reach("aside button.bad")
    before = count_of(town)
    keys.press("Enter")
    page.locator(".toast button").wait_for()
    assert count_of(town) == before - 1
    reach(".toast button")
    keys.press("Enter")
    page.locator(".toast", has_text="Taken back").wait_for()
    assert count_of(town) == before
    page.evaluate("localStorage.removeItem('recairn.keys')")
    assert tab.told() == []


def count_of(served: Served) -> int:
    count: int = served.get("/api/memories")["meta"]["total"]
    return count


def test_hostile_text_stays_text_in_every_field_of_every_place(chromium, tmp_path):
    with under_attack(tmp_path) as served:
        tab = Tab(chromium, served)
        uid = served.get("/api/documents")["documents"][0]["uid"]
        session = quote(served.get("/api/sessions")["sessions"][0]["id"], safe="")
        own: tuple[str, ...] = (
            "search?q=decision",
            "memory/1",
            "memory/3",
            "memory/4",
            "graph/1",
            "task/t-1",
        )
        own += (f"document/{uid}", f"session/{session}", f"try?prompt={quote(ATTACK)}")
        own += (f"search?q={quote(ATTACK)}", f"memory/{quote(ATTACK, safe='')}", f"{quote('<x>')}")
        plain = ("search", "review", "sessions", "rules", "ledger?by=memory", "memories", "tasks")
        for place in (*own, *plain, "documents", "projects", "health"):
            page = tab.go(place)
            assert page.evaluate("window.owned") is None, place
            made = page.evaluate(
                "document.querySelectorAll('main img, main script, main b b, main i, main u, "
                'main svg[onload], [href^="javascript:" i]\').length'
            )
            assert made == 0, place
            shown = page.inner_text("main")
            assert not re.search("[\u202a-\u202e\u2066-\u2069\u200b\x07]", shown), place
        for place in (f"session/{session}", "review", "memory/5", "projects?project=*", "task/t-1"):
            assert "<img src=x" in tab.go(place).inner_text("main"), place
        # What is chosen from and what is said about it: a project with such a name.
        page = tab.go("memory/4")
        page.select_option("select.more", f"to {ATTACK[:60]}")
        page.locator(".toast", has_text="is moved to <img").wait_for()
        assert page.evaluate("window.owned") is None
        page = tab.go(f"memory/{quote('‮gnp')}")
        assert "U+202E" in page.inner_text("main")
        page = tab.go("memory/1")
        page.keyboard.press("e")
        assert ATTACK[:40] in page.input_value("#draft")
        # A browser tells of answers that were refused; the page itself says nothing.
        assert [line for line in tab.close() if "status of 404" not in line] == []


def test_another_page_in_the_same_browser_gets_nothing(chromium, town, tmp_path):
    """A real page of another origin, which even knows the token."""
    (tmp_path / "evil.html").write_text("<!doctype html><title>evil</title><p>evil</p>")

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *args: Any) -> None:
            super().__init__(*args, directory=str(tmp_path))

        def log_message(self, *args: Any) -> None:
            return

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Quiet) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        context = chromium.new_context()
        page = context.new_page()
        page.goto(f"http://127.0.0.1:{server.server_port}/evil.html")
        base = f"http://{town.host}"
        tried = page.evaluate(
            """async ([base, token]) => {
              const read = async (options) => {
                try { return await (await fetch(base + '/api/overview', options)).text(); }
                catch { return 'refused'; }
              };
              const bearer = { authorization: 'Bearer ' + token };
              const blind = { method: 'POST', mode: 'no-cors', body: '{}' };
              await fetch(base + '/api/memories/1/forget', blind).catch(() => 0);
              const frame = document.body.appendChild(document.createElement('iframe'));
              const done = new Promise((wake) => { frame.onload = wake; setTimeout(wake, 3000); });
              frame.src = base + '/';
              await done;
              let inside = 'closed';
              try { inside = frame.contentDocument?.body.innerText || 'closed'; } catch { }
              return [await read({}), await read({ headers: bearer }), inside];
            }""",
            [base, town.token],
        )
        context.close()
        server.shutdown()
    assert tried == ["refused", "refused", "closed"]
    assert town.get("/api/memories/1")["deleted_at"] is None


def test_the_key_opens_an_empty_memory_that_says_what_to_type_next(chromium, tmp_path):
    env = {**surroundings(tmp_path), "RECAIRN_MODEL": "none"}
    served = Served(tmp_path, str(tmp_path / "none.db"), env=env)
    tab, late = Tab(chromium, served, by_key=True), chromium.new_context()
    try:
        page = tab.page
        page.goto(served.url)
        assert "recairn add" in page.inner_text("main .empty")
        assert served.key not in page.url
        assert page.evaluate("!!localStorage.getItem('recairn.token')")
        assert page.evaluate("document.cookie") == ""
        for place in ("search", "review", "sessions", "rules", "ledger", "memories", "documents"):
            assert "recairn " in tab.go(place).inner_text("main .empty"), place
        for place in ("tasks", "graph", "projects"):
            assert "recairn " in tab.go(place).inner_text("main .empty"), place
        assert tab.noise == []
        # The key worked once, and the page ends with the process.
        second = late.new_page()
        second.goto(served.url)
        assert "used already" in second.inner_text("main .empty")
        assert "recairn serve" in second.inner_text("main .empty")
        served.stop()
        page.locator(".state", has_text="not connected").wait_for()
        page.goto(f"http://{served.host}/#/memories")
        assert "recairn serve" in page.inner_text("main .empty:has-text('The server is gone')")
    finally:
        tab.close()
        late.close()
        served.stop()


def test_a_person_reviews_replaces_travels_back_and_forgets(chromium, tmp_path):
    """The story of the page, by keyboard wherever there is a key for it."""
    with tidewater(tmp_path) as served:
        tab = Tab(chromium, served)
        page, keys = tab.page, tab.page.keyboard
        toast = page.locator(".toast").last

        # Three candidates: one accepted, one edited and accepted, one dropped and had back.
        tab.go("search")
        keys.press("g")
        keys.press("r")
        page.locator("h2", has_text="Maybe retries of refunds").wait_for()
        assert SAID in page.inner_text("aside blockquote")
        keys.press("a")
        page.locator("h2", has_text="The nightly export").wait_for()
        keys.press("e")
        page.fill("#draft", "The nightly export must finish before 03:15")
        page.click("text=Save")
        page.locator("h2", has_text="Support wants").wait_for()
        keys.press("x")
        page.locator("text=Nothing waits for a word").wait_for()
        keys.press("u")
        page.locator("h2", has_text="Support wants").wait_for()
        assert served.get("/api/overview")["counts"]["review"] == 1

        # A search; j and k move, the panel follows, and a wrong memory is replaced.
        keys.press("/")
        page.locator("#question").wait_for()
        page.fill("#question", QUESTION)
        keys.press("Enter")
        page.locator(".hit").first.wait_for()
        assert page.locator(".hit svg.bars").count() == page.locator(".hit").count()
        page.locator("#question").blur()
        while NEW not in page.inner_text("aside h2.wrap"):
            shown = page.inner_text("aside h2.wrap")
            keys.press("j")
            page.locator("aside h2.wrap", has_not_text=shown).wait_for()
        assert "Why it is number" in page.inner_text("aside")
        keys.press("s")
        page.fill("#draft", "Retry payments with full jitter, capped at 90 s, seven attempts")
        page.locator("aside button", has_text="Replace").last.click()
        page.locator("aside h2.wrap", has_text="capped at 90 s").wait_for()
        toast.locator("button", has_text="Undo").click()
        page.locator(".hit", has_text="capped at 60 s").wait_for()
        assert page.locator(".hit", has_text="capped at 90 s").count() == 0

        # Back in time: what replaced it was not known yet.
        tab.go(f"search?q={quote(QUESTION)}&as_of={_days_ago(60)}")
        page.locator(".hit", has_text=OLD).wait_for()
        assert "You are looking at" in page.inner_text("main")
        assert page.locator(".hit", has_text="capped at 60 s").count() == 0
        before = page.input_value("#asof")
        page.locator("#question").blur()
        keys.press("]")
        tab.until(f"document.querySelector('#asof').value == '{int(before) + 1}'")
        page.click("text=Back to now")
        page.locator(".hit", has_text="capped at 60 s").wait_for()

        # What the agent knew, and where nothing was said to it.
        tab.go("sessions")
        page.click(f"a[href*='{SESSION}']")
        page.locator("h1", has_text="knew, and when").wait_for()
        said = page.inner_text("main")
        assert QUESTION in said
        assert "Nothing handed out:" in said
        assert page.locator("td", has_text="Money is integer pence").count() == 1

        # An agent stores something meanwhile: it appears by itself.
        tab.go("memories")
        count = page.locator(".list > li").count()
        with recairn.open(str(tmp_path / "memories.db"), project="tidewater") as memory:
            memory.author = "agent:codex"
            memory.remember("The tide table of 2027 is in the repository")
        page.locator(".list > li", has_text="The tide table of 2027").wait_for()
        assert page.locator(".list > li").count() == count + 1

        # In bulk: counted first, then forgotten, then had back.
        tab.go("memories?category=infrastructure")
        assert not page.locator("button", has_text="Forget…").is_visible()
        page.locator("label", has_text="Tick these").click()
        page.locator("button", has_text="Forget…").click()
        page.locator("text=Forget 2 memories?").wait_for()
        assert len(served.get("/api/memories?category=infrastructure")["memories"]) == 2
        page.click("#go")
        page.locator("text=Nothing fits").wait_for()
        tab.go("memories?category=infrastructure&hidden=deleted")
        page.locator("label", has_text="Tick these").click()
        page.locator("button", has_text="Restore…").click()
        page.click("#go")
        page.locator("text=Nothing fits").wait_for()
        assert len(served.get("/api/memories?category=infrastructure")["memories"]) == 2

        # A task is said to have failed by mistake, and a search to have missed something.
        tab.go("task/t-limit")
        page.locator("button", has_text="Failed").click()
        page.locator(".title .tag", has_text="done, failure").wait_for()
        toast.locator("button", has_text="Undo").click()
        page.locator(".title .tag", has_text="open").wait_for()
        tab.go("search?q=zeppelin")
        page.locator("button", has_text="I missed").click()
        page.fill("#wanted", "the airship of 1931")
        keys.press("Enter")
        toast.locator("button", has_text="Undo").click()
        toast.filter(has_text="Taken back").wait_for()
        assert served.get("/api/health")["misses"] == 0
        assert tab.close() == []


def test_who_was_faster_is_shown_and_not_overwritten(tab, town):
    page = tab.anew("memory/7")
    page.keyboard.press("e")
    page.fill("#draft", "Prefer tiny pull requests")
    changes = {"content": "Prefer small pull requests with one reason and one test each"}
    town.post("/api/memories/7/edit", {"changes": changes})
    page.locator("aside dd", has_text="edited").wait_for()
    assert page.input_value("#draft") == "Prefer tiny pull requests"
    page.click("text=Save")
    page.locator("text=Somebody changed it in the meantime").wait_for()
    assert "and one test" in page.inner_text("ins")
    assert town.get("/api/memories/7")["content"] == changes["content"]
    page.click("text=Keep mine, save again")
    page.click("button.main >> text=Save")
    page.locator("h1", has_text="Prefer tiny pull requests").wait_for()
    assert town.get("/api/memories/7")["content"] == "Prefer tiny pull requests"
    assert [line for line in tab.told() if "status of 409" not in line] == []


def _days_ago(count: int) -> str:
    return (datetime.now(UTC) - timedelta(days=count)).date().isoformat()
