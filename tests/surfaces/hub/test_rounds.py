"""Laptops and their team's server: what goes, what comes, and what never leaves."""

from __future__ import annotations

import json
import os
import random
import stat
import string
import subprocess
import sys
import threading
import time

import pytest

import recairn
from recairn.core.errors import NotFound, Refused
from recairn.sync.wire import Wire
from tests.surfaces.hub.laptop import Laptop
from tests.surfaces.hub.proxy import Proxy, standing_between
from tests.surfaces.hub.team import members, serving
from tests.surfaces.web.serving import PATIENCE_S, surroundings

SECRET = "ghp_" + "".join(random.Random(7).choices(string.ascii_letters + string.digits, k=36))


@pytest.fixture(scope="module")
def hub(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hub")
    database = str(folder / "team.db")
    tokens = members(database, ann="admin", bob="writer", rhea="reader")
    with serving(folder, database, tokens) as served:
        yield served


@pytest.fixture
def pair(hub, tmp_path):
    """Two laptops that share the project lantern."""
    ann, bob = Laptop(tmp_path, "ann"), Laptop(tmp_path, "bob")
    project = f"lantern-{tmp_path.name}"
    ann.project = bob.project = project
    with ann.open() as memory:
        memory.remember("The lamp turns with a stepper motor", kind="decision")
    ann.join(hub.url, hub.tokens["ann"])
    bob.join(hub.url, hub.tokens["bob"])
    return ann, bob


def test_what_one_remembers_the_other_finds_as_that_members_word(pair):
    ann, bob = pair
    assert [*bob.contents().values()] == ["The lamp turns with a stepper motor"]
    with bob.open() as memory:
        (found,) = memory.listing(limit=1000)
        assert found.author == "member:ann"
        memory.edit(found.id, content="The lamp turns with a servo motor")
        memory.remember("Fog is visibility below 800 m")
    assert bob.sync()["sent"] == 2
    told = ann.sync()
    assert (told["added"], told["updated"]) == (1, 1)
    assert ann.contents() == bob.contents()
    again = ann.sync(), bob.sync()
    assert [(each["sent"], each["added"], each["updated"]) for each in again] == [(0, 0, 0)] * 2


def test_two_texts_at_once_are_both_kept_and_listed_as_a_conflict(pair):
    ann, bob = pair
    for laptop, text in ((ann, "The lamp floats on mercury"), (bob, "The lamp rolls on balls")):
        with laptop.open() as memory:
            memory.edit(1, content=text)
    told = [laptop.sync() for laptop in (ann, bob, ann, bob)]
    # Who comes first has heard of nothing yet; where the texts met, and after that, it is told.
    assert [len(each["clashes"]) for each in told[:3]] == [0, 1, 1]
    assert ann.contents() == bob.contents()
    assert len(ann.contents()) == 2
    with bob.open() as memory:
        (conflict,) = memory.sync_conflicts()
        both = {conflict["content"], conflict["other"]["content"]}
        assert both == {"The lamp floats on mercury", "The lamp rolls on balls"}
        gone = memory.destroy(conflict["id"])
    assert gone.also == (conflict["other"]["id"],)
    assert not [each for each in gone.left if "the same" in each]


def test_what_is_destroyed_is_destroyed_everywhere_and_every_machine_says_so(pair):
    ann, bob = pair
    with ann.open() as memory:
        memory.destroy(1)
    for laptop in (ann, bob, ann):
        laptop.sync()
    assert bob.contents() == {}
    with ann.open() as memory:
        (gone,) = memory.erased_on()
    assert gone["acknowledged"] == 2
    assert b"stepper" not in b"".join(
        path.read_bytes() for path in bob.home.rglob("*") if path.is_file()
    )


def test_what_never_leaves_a_laptop_is_never_on_the_wire(hub, tmp_path):
    ann = Laptop(tmp_path, "ann", f"canary-{tmp_path.name}")
    page = tmp_path / "page.md"
    page.write_text("# Tides\n\nCANARY-document stands in a page\n")
    with ann.open("elsewhere") as memory:
        memory.remember("CANARY-elsewhere belongs to another project")
    with ann.open() as memory:
        memory.remember("The lamp may be known to all", kind="fact")
        memory.remember("CANARY-global is about all my projects", tier="global")
        memory.remember("CANARY-private is mine", private=True)
        memory.session = "s-1"
        memory.remember("CANARY-session is of a session", tier="session")
        memory.session = None
        memory.author = "agent:codex"
        memory.remember("CANARY-rule nobody has confirmed", kind="rule")
        memory.author = "person"
        memory.remember(f"The uplink key is {SECRET}")
        memory.add_documents([str(page)])
        memory.set_config("brain.note", "CANARY-setting")
        memory.search("CANARY-question somebody asked")
    proxy = Proxy([hub.port])
    with standing_between(proxy) as url:
        ann.join(url, hub.tokens["ann"])
        with ann.open() as memory:
            memory.edit(2, content="The lamp may be known to everybody")
        ann.sync()
        ann.sync()
    assert "known to everybody" in proxy.wire
    assert "CANARY" not in proxy.wire
    assert "The uplink key is ghp_[REDACTED]" in proxy.wire
    assert SECRET[4:] not in proxy.wire


def test_a_reader_takes_and_sends_nothing_and_the_token_lies_in_a_file_of_ones_own(
    pair, hub, tmp_path
):
    ann, _ = pair
    rhea = Laptop(tmp_path, "rhea", ann.project)
    with rhea.open() as memory:
        memory.join_team(hub.url, hub.tokens["rhea"])
        with pytest.raises(Refused, match="who reads"):
            memory.share_with_team()
    (kept,) = rhea.home.rglob("teams.json")
    assert stat.S_IMODE(os.stat(kept).st_mode) == 0o600
    held = [path for path in rhea.home.rglob("*") if path.is_file() and path != kept]
    assert not [path for path in held if hub.tokens["rhea"].encode() in path.read_bytes()]


def test_who_leaves_is_let_in_no_longer_and_may_keep_nothing_of_others(hub, tmp_path):
    with recairn.open(str(hub.audit_file.with_name("team.db")), project="", model="none") as memory:
        token = memory.add_device("bob", "leaving")[1]
    project = f"left-{tmp_path.name}"
    ann, bob = Laptop(tmp_path, "ann", project), Laptop(tmp_path, "bob", project)
    with ann.open() as memory:
        memory.remember("The lamp turns with a stepper motor")
    ann.join(hub.url, hub.tokens["ann"])
    with bob.open() as memory:
        memory.remember("Fog is visibility below 800 m")
    bob.join(hub.url, token)
    with bob.open() as memory:
        told = memory.leave_team(keep=False)
        assert told["forgotten"] == 1
        with pytest.raises(NotFound, match="joined no team"):
            memory.sync()
    assert [*bob.contents().values()] == ["Fog is visibility below 800 m"]
    assert hub.ask("GET", "/sync/1/hello", token=token).status == 401


def test_the_end_of_a_session_sends_in_the_background_what_waits(pair, hub):
    ann, bob = pair
    with ann.open() as memory:
        memory.remember("The fog horn is tested on Fridays")
        memory.start_session("s-1")
    env = {**surroundings(ann.home), "XDG_DATA_HOME": str(ann.home / "share")}
    env |= {"RECAIRN_DB": ann.database, "RECAIRN_PROJECT": ann.project, "RECAIRN_MODEL": "none"}
    event = {"hook_event_name": "SessionEnd", "session_id": "s-1", "cwd": str(ann.home)}
    done = subprocess.run(
        [sys.executable, "-m", "recairn", "hook", "SessionEnd"],
        input=json.dumps({**event, "reason": "other"}),
        text=True,
        capture_output=True,
        env=env,
        cwd=ann.home,
        timeout=PATIENCE_S,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    end = time.monotonic() + PATIENCE_S
    while "The fog horn is tested on Fridays" not in bob.contents().values():
        assert time.monotonic() < end
        with bob.open() as memory:
            memory.wait_for_news()
            memory.sync()


def test_the_server_says_within_a_moment_that_there_is_news(pair, hub):
    ann, bob = pair
    heard = []
    with bob.open() as memory:
        places = [(share["name"], share["cursor"]) for share in memory.shares()]
        token = memory.team().token
    wire = Wire(hub.url, token)
    waiting = threading.Thread(target=lambda: heard.append(wire.wait(places)))
    waiting.start()
    with ann.open() as memory:
        memory.remember("The fog horn is tested on Fridays")
    ann.sync()
    waiting.join(PATIENCE_S)
    wire.close()
    assert heard == [True]
