"""A thousand laptops that come back at the same moment.

CROWD=1000 python3 run.py test --slow tests/surfaces/hub/test_crowd.py
"""

from __future__ import annotations

import os
import threading
import time
from collections import Counter
from typing import Any

import pytest

import recairn
from recairn.sync.wire import Unreachable, Wire
from tests.surfaces.hub.laptop import Laptop
from tests.surfaces.hub.team import members, serving

LAPTOPS = int(os.environ.get("CROWD", "1000"))
pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]
# Seconds in which all must be done, on any machine.
PATIENCE_S = 1500.0


class Watched(Wire):
    """A laptop's line that notes every status it was answered, and when it was told to come."""

    def __init__(self, server: str, token: str, seen: Counter[tuple[int, bool]]) -> None:
        super().__init__(server, token)
        self._seen = seen

    def _exchange(self, *asked: Any) -> tuple[int, dict[str, str], bytes]:
        status, told, text = super()._exchange(*asked)
        self._seen[status, "retry-after" in told] += 1
        return status, told, text


@pytest.fixture
def hub(tmp_path):
    database = str(tmp_path / "team.db")
    tokens = members(database, ann="admin")
    with recairn.open(database, project="", model="none") as memory:
        for number in range(LAPTOPS):
            tokens[str(number)] = memory.add_device("ann", f"laptop {number}")[1]
    with serving(tmp_path, database, tokens) as served:
        yield served


def records(tmp_path, number):
    """As many records as an honest laptop would send for so many memories."""
    laptop = Laptop(tmp_path, "author")
    with laptop.open() as memory:
        drafts = [{"content": f"Buoy {n} is {n * 7919} cables out"} for n in range(number)]
        memory.remember_many(drafts, on_similar="add")
        memory.share_project("lantern", "lantern", "https://nowhere.example")
        page = memory.outbox_page(limit=10**6, max_bytes=10**8)
        return [each for each in page["records"] if each["type"] == "memory"]


def test_all_are_current_afterwards_and_nobody_meets_an_error_without_a_time(hub, tmp_path):
    news = records(tmp_path, LAPTOPS + 50)
    first = Wire(hub.url, hub.tokens["ann"])
    first.share("lantern")
    first.push(news[LAPTOPS:])
    seen: Counter[tuple[int, bool]] = Counter()
    troubles: list[str] = []
    held: dict[int, set[str]] = {}
    cursors: dict[int, str] = {}
    end = time.monotonic() + PATIENCE_S

    def round_of(number: int, *, push: bool) -> None:
        wire = Watched(hub.url, hub.tokens[str(number)], seen)
        own, cursor = held.setdefault(number, set()), cursors.get(number, "")
        waiting = [news[number]] if push else []
        try:
            while time.monotonic() < end:
                try:
                    if waiting:
                        waiting = wire.push(waiting)["answers"][0]["answer"] != "ok" and waiting
                    page = wire.pull("lantern", cursor)
                except Unreachable as error:
                    # Told to come later six times: it comes later.
                    if "busy" not in error.message:
                        troubles.append(error.message)
                    continue
                own.update(each["uid"] for each in page["records"] if each["type"] == "memory")
                cursor = cursors[number] = page["next"]
                if not page["more"] and not waiting:
                    return
            troubles.append(f"laptop {number} was not done in time")
        finally:
            wire.close()

    for push in (True, False):
        lives = [
            threading.Thread(target=round_of, args=(number,), kwargs={"push": push})
            for number in range(LAPTOPS)
        ]
        for life in lives:
            life.start()
        for life in lives:
            life.join()
    first.close()
    assert troubles == []
    assert {status for status, _ in seen} <= {200, 429, 503}
    assert not [status for status, timed in seen if status != 200 and not timed]
    everything = {record["uid"] for record in news if record["type"] == "memory"}
    assert len(everything) == LAPTOPS + 50
    assert all(own == everything for own in held.values())
    assert len(held) == LAPTOPS
