"""A story of five sessions with the real Claude Code and Codex: what each moment brings, and costs.

The model's answers are scripted; what the model is sent says whether recairn was heard. `-s` shows
the tokens that were injected into each session.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.corpus import opened

from . import model_api
from .model_api import Call
from .programs import RECAIRN
from .test_end_to_end import Claude, Codex, environment, run

pytestmark = [pytest.mark.agents, pytest.mark.timeout(900)]

RULE = "Never touch the tide sensor without gloves"
LAMP = "The lamp in src/lamp.py takes 12 volts, 24 burn it"
FAILURE = "test_gauge_counts fails while HEIGHT is negative: counting begins below"
SENSOR = "The tide sensor at pier 4 answers only after two wake-up pings"
NEWS = "The harbour moved all gauges to metres"
TESTS = "python3 -m unittest discover -s tests"


@pytest.fixture
def model():
    with model_api.serving() as serving:
        yield serving


@pytest.fixture
def checkout(tmp_path) -> Path:
    folder = tmp_path / "puffin"
    (folder / "src").mkdir(parents=True)
    (folder / "tests").mkdir()
    (folder / "src" / "lamp.py").write_text("VOLTS = 12\n")
    (folder / "src" / "tide.py").write_text("HEIGHT = -3\n")
    (folder / "tests" / "test_tide.py").write_text(
        "import pathlib\nimport unittest\n\n\nclass TideTest(unittest.TestCase):\n"
        "    def test_gauge_counts(self):\n"
        "        text = pathlib.Path('src/tide.py').read_text()\n"
        "        self.assertNotIn('-', text)\n"
    )
    for words in (
        ("init", "-q", "-b", "harbour"),
        ("config", "user.email", "keeper@puffin.example"),
        ("config", "user.name", "Keeper"),
        ("add", "-A"),
        ("commit", "-qm", "begin"),
    ):
        subprocess.run(["git", "-C", str(folder), *words], check=True)
    return folder


@pytest.fixture
def database(tmp_path, checkout, monkeypatch) -> Path:
    path = tmp_path / "memory.db"
    monkeypatch.chdir(checkout)
    with opened(path, model=None, project=None) as memory:
        memory.remember(RULE, kind="rule")
        memory.remember(LAMP)
        memory.remember(FAILURE, kind="failure")
        memory.remember(SENSOR)
        memory.remember("The canteen closes at three")
    return path


class Story:
    """Both agents in one folder, each request kept by the session it was made in."""

    def __init__(self, model: Any, database: Path, checkout: Path) -> None:
        self.model, self.database, self.checkout = model, database, checkout
        self.tokens: list[tuple[str, int, int]] = []

    def session(self, agent: Any, prompt: str, moves: list[str | Call], *words: str) -> list[str]:
        """One run; what the model was sent at each step of it."""
        self.model.requests.clear()
        self.model.moves = [*moves]
        agent.ask(prompt, *words)
        with opened(self.database, project=None) as memory:
            last = max(memory.sessions(all_projects=True), key=lambda each: each.last_seen_at)
            injections = memory.store.injections(session=last.id)
        tokens = sum(each.tokens for each in injections)
        self.tokens.append((last.agent, len(injections), tokens))
        return [
            json.dumps(each.get("messages") or each.get("input"), ensure_ascii=False)
            for each in self.model.requests
        ]

    def evidence(self, content: str) -> list[tuple[float, str]]:
        with opened(self.database, project=None) as memory:
            (number,) = (
                each.id for each in memory.listing(all_projects=True) if each.content == content
            )
            return [(piece.score, piece.note) for piece in memory.evidence(number)]


@pytest.fixture
def story(model, database, checkout) -> Story:
    return Story(model, database, checkout)


def agent_for(kind: Any, name: str, program: str, story: Story) -> Any:
    home = story.checkout.parent / f"home-{name}"
    home.mkdir()
    env = environment(home, story.database)
    run([RECAIRN, "install", name], story.checkout, env)
    return kind(program, story.model, env, story.checkout)


def test_five_sessions_of_two_agents_hand_the_work_on(claude, codex, story, checkout, capsys):
    anthropic = agent_for(Claude, "claude", claude, story)
    openai = agent_for(Codex, "codex", codex, story)
    free = ("--dangerously-skip-permissions",)
    anthropic.env["IS_SANDBOX"] = "1"
    lamp, tide = str(checkout / "src" / "lamp.py"), str(checkout / "src" / "tide.py")

    # 1. Claude Code: rules at the start, a memory with the prompt, with a file, with a failed test.
    test = Call("Bash", {"command": TESTS, "description": "Run the tests"})
    mend = {"file_path": tide, "old_string": "-3", "new_string": "3"}
    sent = story.session(
        anthropic,
        "The tide sensor at pier 4 does not answer, what could it be?",
        [
            Call("Read", {"file_path": lamp}),
            test,
            Call("Read", {"file_path": tide}),
            Call("Edit", mend),
            test,
            "Mended, as #3 says. Should the chart be in feet?",
        ],
        *free,
    )
    assert RULE in sent[0]
    assert SENSOR in sent[0]
    assert LAMP not in sent[0]
    assert LAMP in sent[1]
    assert FAILURE not in sent[1]
    assert FAILURE in sent[2]
    assert "canteen" not in sent[-1]
    ((score, note),) = story.evidence(FAILURE)
    assert (score, note) == (1.0, f"{TESTS} failed, then passed, handed out")

    # 2. Codex: what the other one left, true to the last word; the file it shows with a command.
    sent = story.session(
        openai,
        "Go on with the chart",
        [Call("exec_command", {"cmd": "cat src/lamp.py"}), "The lamp is fine."],
    )
    for words in (
        "Left by a session of claude-code that has ended",
        "branch: harbour",
        "files: src/tide.py",
        f"Last test runs: {TESTS}: passed",
        "questions: Should the chart be in feet?",
        "The tide sensor at pier 4 does not answer",
    ):
        assert words in sent[0], words
    assert RULE in sent[0]
    assert LAMP in sent[1]

    # 3. Claude Code again: what is new, a subagent with the rules, one question in an open task.
    with opened(story.database, project=None) as memory:
        memory.remember(NEWS)
        memory.add_task("Draw the chart", id="t-chart")
        memory.start_task("t-chart")
    look = {"description": "look", "prompt": "Find the gauge", "subagent_type": "Explore"}
    sent = story.session(
        anthropic,
        "Draw the tide chart of pier 4 with what you know of the sensor",
        [Call("Agent", look), "It is under way.", "Nothing to keep.", "So it is."],
        *free,
    )
    assert "New since you were last here:" in sent[0]
    assert NEWS in sent[0]
    own = next(each for each in sent if "Find the gauge" in each and "Draw the tide" not in each)
    assert RULE in own
    assert any("did this session teach you something" in each for each in sent)
    assert not any("Stop hook error" in each for each in sent)
    with opened(story.database, project=None) as memory:
        memory.finish_task("t-chart", "success")

    # 4. Codex, asked about something else: the rules, nothing that does not belong.
    sent = story.session(openai, "Write a limerick about accountants in Zurich", ["Ah."])
    assert RULE in sent[0]
    assert "Memories:" not in sent[0]
    assert "handoff, just now, hook, task t-chart is done since" in sent[0]
    assert "canteen" not in sent[0]

    # 5. Claude Code takes an edit back: a little against what led to it.
    burn = {"file_path": lamp, "old_string": "12", "new_string": "24"}
    back = {"command": "git checkout -- src/lamp.py", "description": "Put it back"}
    sent = story.session(
        anthropic,
        "Set the lamp to 24 volts",
        [Call("Read", {"file_path": lamp}), Call("Edit", burn), Call("Bash", back), "Put back."],
        *free,
    )
    assert LAMP in sent[0] + sent[1]
    assert (checkout / "src" / "lamp.py").read_text() == "VOLTS = 12\n"
    # In the first session it came with the work on the failing test, in this one with the edit.
    assert story.evidence(LAMP) == [
        (1.0, f"{TESTS} failed, then passed, handed out"),
        (0.0, "git checkout -- src/lamp.py, handed out"),
    ]

    with capsys.disabled():
        lines = [
            f"session {number}, {agent}: {times} injections, {tokens} tokens"
            for number, (agent, times, tokens) in enumerate(story.tokens, start=1)
        ]
        together = sum(tokens for *_, tokens in story.tokens)
        sys.stdout.write("\n".join(["", *lines, f"together {together} tokens", ""]))
