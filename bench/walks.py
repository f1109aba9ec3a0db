"""How far a reader walks through one command: modules entered, and calls from one into another.

    python3 run.py bench walks [--source FOLDER] [--trace WALK]

Counts what runs once everything is imported: a call into a module other than the caller's is one
step, whatever comes between (the standard library is not counted), and a generator is one call.
`--source` walks another tree's `src`, so that two commits are compared by one script; `--trace`
prints one walk step by step, indented by depth. The promise is decision 0011's.
"""

from __future__ import annotations

import sys

sys.path.append(sys.path.pop(0))  # so that keyword.py here does not hide the standard library's

import json
import os
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import apsw

# What the child runs: a profile that notes calls between modules, and then `python -m recairn`.
TRACER = """
import os, sys
log, root = sys.argv[1], sys.argv[2] + os.sep
del sys.argv[1:3]
sys.argv[0] = "recairn"
steps, resumed, kept = [], set(), []
named = {}

def module(code):
    name = named.get(code)
    if name is None:
        path = code.co_filename
        inside = path.startswith(root)
        name = named[code] = path[len(root):-3] if inside else ""
    return name

def note(frame, event, _):
    if event != "call":
        return
    code = frame.f_code
    own = module(code)
    if not own or code.co_name == "<module>":
        return
    if code.co_flags & 0x20:
        if id(frame) in resumed:
            return
        resumed.add(id(frame))
        kept.append(frame)
    caller, depth, came = frame.f_back, 0, ""
    while caller is not None:
        name = module(caller.f_code)
        if name or caller.f_code.co_filename.startswith("<frozen importlib"):
            if not name or caller.f_code.co_name == "<module>":
                if name != "recairn/__main__":
                    return
            came = came or name
            depth += 1
        caller = caller.f_back
    if own != came:
        steps.append((depth, came, own, code.co_qualname))

def write():
    sys.setprofile(None)
    with open(log, "w") as file:
        file.writelines("\\t".join(map(str, step)) + "\\n" for step in steps)

import _thread
begin = _thread.start_new_thread
def begun(work, *rest):
    def traced(*words, **named):
        sys.setprofile(note)
        work(*words, **named)
    return begin(traced, *rest)
_thread.start_new_thread = begun
leave = os._exit
def left(status):
    write()
    leave(status)
os._exit = left
import runpy
spec = runpy._get_module_details("recairn.__main__")
sys.setprofile(note)
try:
    exec(spec[2], {"__name__": "__main__", "__file__": spec[1].origin})
finally:
    write()
"""

MEMORIES = (
    ("decision", "The tide table is read once a day, since the harbour office prints it at six"),
    ("failure", "The winch on the slipway jams below zero unless its oil is warmed first"),
    ("pattern", "Every sensor of the tide station reports its battery in the last two bytes"),
    ("learning", "A migration of the berth table takes four minutes on the harbour's own server"),
    ("fact", "The pilot boat leaves from berth seven when the wind comes from the west"),
    ("note", "Ask the harbour office about the new buoy before the chart is printed"),
    ("learning", "The tide station sensors drift by two centimetres in a month of frost"),
    ("decision", "Charts are drawn from the survey of spring, and never from the older paper"),
    ("rule", "Run the tests of the chart before the survey is merged"),
    ("learning", "Readings of the tide sensors are averaged over six minutes against the swell"),
)
LEARNINGS = (
    "The crane's cable is changed every second spring, whatever it looks like",
    "Divers need the sluice closed and its key in their own hands",
    "A ferry that is late by ten minutes gets the outer ramp",
    "The radar of the mole shadows everything smaller than a dinghy",
    "Fuel is sold until sunset, and only against a signature",
    "Ropes of nylon stretch by a third before they break",
)
ADDED = "The lock gate sticks at low water, so open the sluice a hand's breadth before"
QUESTION = "tide station sensors"
PROMPT = "Why do the tide station sensors drift so much in frost, and how do we average them?"
TX = """
create table learnings (id integer primary key, content text, source_type text, source_ref text,
  created_at text, keywords text, category text, usage_count integer default 0, last_used_at text,
  outcome_score real, embedding blob);
create table tasks (id text primary key, title text, description text, status text, score integer,
  parent_id text, created_at text, updated_at text, completed_at text, metadata text);
create table task_dependencies (blocker_id text, blocked_id text, created_at text);
insert into tasks values ('tx-aaaaaa', 'Open the harbour', '', 'backlog', 900, null,
  '2026-02-02T02:40:00.000Z', '2026-02-02T02:40:00.000Z', null, '{"area": "north"}');
insert into tasks values ('tx-bbbbbb', 'Mend the winch', 'it jams', 'done', 500, 'tx-aaaaaa',
  '2026-02-02T02:40:00.000Z', '2026-02-02T02:40:00.000Z', '2026-02-03T00:00:00Z', '{}');
insert into task_dependencies values ('tx-bbbbbb', 'tx-aaaaaa', '2026-02-02T02:40:00.000Z');
"""


def tx_folder(project: Path) -> None:
    """Six learnings and two tasks, as tx keeps them."""
    (project / ".tx").mkdir()
    connection = apsw.Connection(str(project / ".tx" / "tasks.db"))
    connection.execute(TX)
    for number, text in enumerate(LEARNINGS):
        connection.execute(
            "insert into learnings (id, content, source_type, created_at)"
            " values (?, ?, 'manual', '2026-02-02T02:40:00.000Z')",
            (number + 1, text),
        )
    connection.close()


def mcp_messages() -> bytes:
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "walk"}}
    call = {"name": "recairn_search", "arguments": {"query": QUESTION}}
    messages: list[dict[str, Any]] = [
        {"id": 1, "method": "initialize", "params": hello},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/call", "params": call},
    ]
    return b"".join(json.dumps({"jsonrpc": "2.0", **one}).encode() + b"\n" for one in messages)


def hook_event(project: Path, event: str, **more: str) -> bytes:
    said = {"session_id": "walk", "cwd": str(project), "hook_event_name": event, **more}
    return json.dumps(said).encode()


class Harbour:
    """A project with ten memories in a home of its own, and the walks through it."""

    def __init__(self, folder: Path, source: Path) -> None:
        self.project, self.source, self.log = folder / "harbour", source, folder / "steps"
        self.environment = {
            "HOME": str(folder),
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(source),
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        self.project.mkdir()
        git = ["git", "-c", "user.name=walk", "-c", "user.email=walk@localhost"]
        for words in (["init", "-q"], ["commit", "-q", "--allow-empty", "-m", "begun"]):
            subprocess.run([*git, *words], cwd=self.project, env=self.environment, check=True)
        tx_folder(self.project)
        for kind, text in MEMORIES:
            self.run([sys.executable, "-m", "recairn", "add", text, "--kind", kind])

    def run(self, command: list[str], sent: bytes = b"") -> bytes:
        done = subprocess.run(
            command,
            input=sent,
            cwd=self.project,
            env=self.environment,
            capture_output=True,
            check=True,
        )
        return done.stdout

    def walk(self, words: list[str], sent: bytes = b"") -> list[list[str]]:
        """The steps of one command: depth, module left, module entered, function."""
        traced = [sys.executable, "-c", TRACER, str(self.log), str(self.source), *words]
        answer = self.run(traced, sent)
        if not answer.strip():
            sys.exit(f"{' '.join(words)}: no answer")
        return [line.split("\t") for line in self.log.read_text().splitlines()]

    def walks(self) -> dict[str, list[list[str]]]:
        # A prompt comes in a session that has begun, as agents say before the first.
        begun = hook_event(self.project, "SessionStart", source="startup")
        self.run([sys.executable, "-m", "recairn", "hook", "SessionStart"], begun)
        prompt = hook_event(self.project, "UserPromptSubmit", prompt=PROMPT)
        return {
            "search": self.walk(["search", QUESTION]),
            "hook": self.walk(["hook", "UserPromptSubmit"], prompt),
            "mcp": self.walk(["mcp"], mcp_messages()),
            "add": self.walk(["add", ADDED]),
            "import": self.walk(["import", "tx", str(self.project)]),
        }


def option(name: str, default: str) -> str:
    words = sys.argv[1:]
    return words[words.index(name) + 1] if name in words else default


def main() -> None:
    here = Path(__file__).resolve().parent.parent / "src"
    source = Path(option("--source", str(here))).resolve()
    with tempfile.TemporaryDirectory() as name:
        walks = Harbour(Path(name), source).walks()
    traced = option("--trace", "")
    for depth, _, entered, function in walks.get(traced, []):
        print(f"{'  ' * int(depth)}{entered.removeprefix('recairn/')}  {function}")
    for label, steps in walks.items():
        modules = {entered for _, _, entered, _ in steps} | {left for _, left, _, _ in steps}
        print(f"{label:8s} {len(modules - {''}):3d} modules  {len(steps):5d} steps")


if __name__ == "__main__":
    main()
