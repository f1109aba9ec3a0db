"""Labelled prompts through the real hook: what of what is injected helps, and what is noise.

A folder has one folder for each project, with `memories.jsonl` (key, kind, content, fields of the
kind; `superseded_by`, `conflicts_with`; `stale` tells a reader what became of its subject, and is
not acted on) and `prompts.jsonl` (id, shape, prompt, the keys of the memories that would help, and
`after`: the prompt of the same session that came before).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zlib
from contextlib import contextmanager, nullcontext

from recairn.core.errors import BadInput, NotFound
from recairn.core.record import record
from recairn.core.token_estimate import estimate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from recairn.engine import Recairn

# Half of the prompts is for choosing constants, the other for the figure. The halves are drawn by
# the id alone, so that they stay what they are when prompts are added.
HALVES = ("tuning", "unseen")
# What says how memories of the set stand to each other, and is no field of theirs.
_STATE = ("key", "superseded_by", "conflicts_with", "stale")
# Seconds: a busy machine must not look like a hook that found nothing.
_PATIENCE = "60"


@record
class Prompt:
    id: str
    shape: str
    text: str
    helps: frozenset[str]
    after: str


@record
class Project:
    name: str
    memories: list[dict[str, Any]]
    prompts: list[Prompt]


@record
class Outcome:
    """What one prompt got. `helps` is what would have helped and was not in the session before."""

    prompt: Prompt
    helps: frozenset[str]
    injected: tuple[str, ...]
    tokens: int

    @property
    def is_unrelated(self) -> bool:
        """Whether nothing that is remembered would help, whether it was said before or not."""
        return not self.prompt.helps

    @property
    def right(self) -> int:
        """How many of the injected ones help, again or anew."""
        return sum(key in self.prompt.helps for key in self.injected)


def half_of(prompt: str) -> str:
    """The half that the prompt of an id belongs to."""
    return HALVES[zlib.crc32(prompt.encode()) & 1]


def read_projects(folder: str) -> list[Project]:
    """The projects of a set; NotFound or BadInput names what is wrong."""
    names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    folders = {name: os.path.join(folder, name) for name in names}
    projects = [
        _project(name, path)
        for name, path in folders.items()
        if os.path.exists(os.path.join(path, "prompts.jsonl"))
    ]
    if not projects:
        raise NotFound(f"{folder} has no folder with memories.jsonl and prompts.jsonl")
    return projects


def _project(name: str, folder: str) -> Project:
    memories = list(_rows(os.path.join(folder, "memories.jsonl"), ("key", "kind", "content")))
    keys = {row["key"] for row in memories}
    prompts = []
    for row in _rows(os.path.join(folder, "prompts.jsonl"), ("id", "shape", "prompt", "helps")):
        unknown = [key for key in row["helps"] if key not in keys]
        if unknown:
            raise BadInput(
                f"{row['id']} of {folder} names {unknown[0]!r}, which is no memory there"
            )
        prompts.append(
            Prompt(
                row["id"],
                row["shape"],
                row["prompt"],
                frozenset(row["helps"]),
                row.get("after", ""),
            )
        )
    return Project(name, memories, prompts)


def _rows(path: str, fields: Sequence[str]) -> Iterator[dict[str, Any]]:
    if not os.path.exists(path):
        raise NotFound(f"there is no {path}")
    with open(path, encoding="utf-8") as lines:
        for number, line in enumerate(lines, start=1):
            try:
                row = json.loads(line)
                [row[field] for field in fields]
            except (ValueError, KeyError, TypeError):
                wanted = ", ".join(fields)
                raise BadInput(f"{path} line {number} is not a record with {wanted}") from None
            yield row


def outcomes(project: Project, model: str, work: str, *, served: bool = False) -> list[Outcome]:
    """Every prompt in a session of its own, after the start of it and the prompts before it; the
    hooks ask a running server where they are to be `served`."""
    from recairn.engine import open_memory

    database = os.path.join(work, f"{project.name}-{model}.db")
    with open_memory(database, project=project.name, model=model) as memory:
        numbers = fill(memory, project.memories)
        if model == "none":
            memory.set_config("embedding.model", model)
        else:
            memory.embed()
    keys = {number: key for key, number in numbers.items()}
    agent = _Agent(database, project.name, work)
    with agent.server() if served else nullcontext():
        return _heard(agent, project, keys)


def _heard(agent: _Agent, project: Project, keys: Mapping[int, str]) -> list[Outcome]:
    by_id = {prompt.id: prompt for prompt in project.prompts}
    results = []
    for prompt in project.prompts:
        before = [keys[number] for number in agent.hears("SessionStart", prompt.id)[0]]
        earlier = by_id.get(prompt.after)
        if earlier is not None:
            shown, _ = agent.hears("UserPromptSubmit", prompt.id, earlier.text)
            before += [keys[number] for number in shown]
        injected, tokens = agent.hears("UserPromptSubmit", prompt.id, prompt.text)
        left = prompt.helps.difference(before)
        results.append(Outcome(prompt, left, tuple(keys[number] for number in injected), tokens))
    return results


def fill(memory: Recairn, rows: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """Remembers the rows, and how they stand to each other; key → number."""
    drafts = [{name: row[name] for name in row if name not in _STATE} for row in rows]
    added = memory.remember_many([_draft(draft) for draft in drafts], on_similar="add")
    numbers = {
        row["key"]: int(remembered.id or 0) for row, remembered in zip(rows, added, strict=True)
    }
    for row in rows:
        number = numbers[row["key"]]
        if "superseded_by" in row:
            memory.link(numbers[row["superseded_by"]], number, "supersedes")
        if "conflicts_with" in row:
            memory.link(number, numbers[row["conflicts_with"]], "contradicts")
    return numbers


def _draft(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row with the fields of its kind apart, as the write door wants them."""
    from recairn.core.kinds import KINDS

    own = {name: row[name] for name in row if name in KINDS[row["kind"]].fields}
    return {**{name: row[name] for name in row if name not in own}, "fields": own}


class _Agent:
    """An agent's program: it calls the hook, each time as a process of its own."""

    def __init__(self, database: str, project: str, folder: str) -> None:
        self._environment = {
            **os.environ,
            "RECAIRN_DB": database,
            "RECAIRN_PROJECT": project,
            "RECAIRN_HOOK_SECONDS": _PATIENCE,
        }
        self._folder = folder

    @contextmanager
    def server(self) -> Iterator[None]:
        """An MCP server runs beside, as in an agent's session, and has loaded what answers need."""
        from recairn.host.hook_socket import socket_folder

        folder = socket_folder()
        os.makedirs(os.path.dirname(folder), mode=0o700, exist_ok=True)
        files = set(os.listdir(folder)) if os.path.isdir(folder) else set()
        command = [sys.executable, "-m", "recairn", "mcp"]
        pipe = subprocess.PIPE
        with subprocess.Popen(
            command, env=self._environment, stdin=pipe, stdout=pipe, cwd=self._folder
        ) as process:
            while not (os.path.isdir(folder) and set(os.listdir(folder)) - files):
                _ping(process)
            self.hears("UserPromptSubmit", "first", "what is there to do?")
            _ping(process)
            yield
            assert process.stdin is not None
            process.stdin.close()

    def hears(self, event: str, session: str, prompt: str = "") -> tuple[list[int], int]:
        """The memories that are injected at an event, and the tokens of it all."""
        payload = {
            "session_id": session,
            "cwd": self._folder,
            "hook_event_name": event,
            "prompt": prompt,
        }
        done = subprocess.run(
            [sys.executable, "-m", "recairn", "hook", event, "--agent", "claude"],
            env=self._environment,
            input=json.dumps(payload).encode(),
            capture_output=True,
            check=True,
        )
        if not done.stdout:
            return [], 0
        answer = json.loads(done.stdout)
        text = answer.get("hookSpecificOutput", {}).get("additionalContext", "")
        return numbers_in(text), estimate(text)


def _ping(process: subprocess.Popen[bytes]) -> None:
    """Waits for the server's answer, which comes after all that was asked before."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n')
    process.stdin.flush()
    if not process.stdout.readline():
        raise NotFound("the MCP server of this bench has ended")


def numbers_in(text: str) -> list[int]:
    """The numbers of the memories in a block; what is quoted is no header."""
    heads = [line[1:].split(" ", 1)[0] for line in text.splitlines() if line.startswith("#")]
    return [int(head) for head in heads if head.isdecimal()]


def figures(results: Sequence[Outcome]) -> dict[str, Any]:
    """Precision of what was injected, and which prompts got what helps, or anything at all.

    A prompt whose helpful memories all came at the start of the session has no answer any more.
    """
    injected = sum(len(outcome.injected) for outcome in results)
    right = sum(outcome.right for outcome in results)
    answerable = [outcome for outcome in results if outcome.helps]
    answered = sum(not outcome.helps.isdisjoint(outcome.injected) for outcome in answerable)
    wanted = sum(len(outcome.helps) for outcome in answerable)
    brought = sum(len(outcome.helps.intersection(outcome.injected)) for outcome in answerable)
    unrelated = [outcome for outcome in results if outcome.is_unrelated]
    disturbed = sum(bool(outcome.injected) for outcome in unrelated)
    return {
        "prompts": len(results),
        "injected": injected,
        "precision": _share(right, injected),
        "answerable": len(answerable),
        "answered": _share(answered, len(answerable)),
        "memories_recalled": _share(brought, wanted),
        "unrelated": len(unrelated),
        "disturbed": _share(disturbed, len(unrelated)),
        "tokens": round(sum(outcome.tokens for outcome in results) / max(1, len(results)), 1),
    }


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None
