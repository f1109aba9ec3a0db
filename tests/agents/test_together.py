"""Four real agents at work in one folder at once: each has its own session and its own memories."""

from __future__ import annotations

import subprocess
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.corpus import opened

from . import model_api
from .model_api import Call
from .programs import RECAIRN
from .test_end_to_end import KINDS, environment, run

pytestmark = [pytest.mark.agents, pytest.mark.timeout(900)]

# Two of each, so that neither the program nor the folder tells them apart; and four of a kind each.
GROUPS = (("claude", "codex", "claude", "codex"), ("claude", "codex", "opencode", "copilot"))
BIRDS = ("Gulls nest on the eastern crane", "Terns dive off the second buoy")
MORE = ("Skuas steal bread at the kiosk", "Auks sleep below the lamp room")
FACTS = dict(enumerate((*BIRDS, *MORE)))


@pytest.fixture
def database(tmp_path):
    path = tmp_path / "memory.db"
    with opened(path, model=None) as memory:
        memory.remember("Never touch the tide sensor without gloves")
    return path


@pytest.fixture
def checkout(tmp_path):
    folder = tmp_path / "puffin"
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    return folder


class Desk:
    """One agent with a home and a model of its own, in the folder of all of them."""

    def __init__(self, name: str, program: str, model: model_api.Model, place: Path) -> None:
        number = len(list(place.glob("home-*")))
        self.name, self.model, self.fact = name, model, FACTS[number]
        home = place / f"home-{number}"
        home.mkdir()
        env = environment(home, place / "memory.db")
        run([RECAIRN, "install", name], place / "puffin", env)
        self.agent = KINDS[name](program, model, env, place / "puffin")

    def learn(self) -> None:
        self.model.moves = [Call("recairn_add", {"content": self.fact}), "Noted."]
        self.agent.ask(f"What did we see today: {self.fact.split()[0].lower()}?")

    def ask(self, question: str) -> str:
        self.model.requests.clear()
        self.agent.ask(question)
        return self.model.sent()


@pytest.fixture(params=GROUPS, ids="-".join)
def desks(request, tmp_path, database, checkout):
    with ExitStack() as models:
        yield [
            Desk(
                name,
                request.getfixturevalue(name),
                models.enter_context(model_api.serving()),
                tmp_path,
            )
            for name in request.param
        ]


def test_four_agents_at_once_keep_their_memories_apart_and_find_each_others(desks, database):
    with ThreadPoolExecutor(len(desks)) as at_once:
        list(at_once.map(Desk.learn, desks))
    with opened(database) as memory:
        sessions = {session.id: session for session in memory.sessions(all_projects=True)}
        made = {
            name: [each.content for each in memory.listing(in_session=name, all_projects=True)]
            for name in sessions
        }
        authors = {each.content: each.author for each in memory.listing(all_projects=True)}
    # Each session has exactly the one memory that its own agent made.
    assert sorted(made.values()) == sorted([fact] for fact in FACTS.values())
    names = sorted(desk.name for desk in desks)
    assert sorted(session.agent for session in sessions.values()) == names
    for desk in desks:
        assert desk.name in authors[desk.fact]
    # What one has learned, the others are told.
    assert FACTS[1] in desks[0].ask("Where do terns dive, off the second buoy?")
    assert FACTS[0] in desks[1].ask("Where do gulls nest, on the eastern crane?")
    # Taking back what one did leaves the others.
    (mine,) = [name for name, contents in made.items() if contents == [FACTS[2]]]
    with opened(database) as memory:
        memory.undo(session=mine, all_projects=True)
        left = {each.content for each in memory.listing(all_projects=True)}
    assert left >= set(FACTS.values()) - {FACTS[2]}
    assert FACTS[2] not in left
