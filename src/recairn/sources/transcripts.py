"""Session files of Claude Code and Codex: sessions with their prompts, and what was told to keep.

Only what a person typed is read. Decisions, corrections and standing orders in it are found by the
rules of `capture`, as the hooks find them, and wait for review like those. The formats are the
agents' own and grow without notice: what is not recognised is passed over.
"""

from __future__ import annotations

import os
from itertools import islice

from recairn.core.errors import BadInput
from recairn.core.memory_text import without_blocks
from recairn.core.record import replace
from recairn.core.times import iso
from recairn.core.words import normalised
from recairn.memory.capture.passages import PROGRAM_TAG, without_tagged
from recairn.memory.capture.prompts import prompt_of
from recairn.memory.review import drafts_from
from recairn.sources.format import Extra, Fault, Omission, Record, Source, content_key
from recairn.sources.readers.files import MAX_FILES, head_of, names_in
from recairn.sources.readers.values import moment, text
from recairn.work.session_notes import note_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from recairn.sources.format import Reading
    from recairn.sources.readers.files import Origin

ENDING = ".jsonl"
# Where the agents keep them, in the home folder or where their settings say.
_CLAUDE, _CODEX = (".claude", "projects"), (".codex", "sessions")
# A line holds one of these when it may be read at all; most lines are the program's own records.
_READ = (
    b'"user"',
    b'"assistant"',
    b'"session_meta"',
    b'"turn_context"',
    b'"user_message"',
    b'"agent_message"',
    b'"UserMessage"',
    b'"AgentMessage"',
)
_NOT_READ = (b'"tool_result"', b'"response_item"')
# What begins a transcript stands within its first so many bytes: the instructions come with it.
_HEAD = 64_000
# Prompts of a session that are kept, the newest; each is cut like the notes of a hook.
_PROMPTS = 100
_LONGEST_NAME = 200
# Transcripts that are asked where they were begun; the first one mostly says it.
_ASKED = 5
_INTERRUPTED = "[Request interrupted by user"


class _Session:
    """What the lines of one session say of it."""

    def __init__(self, name: str, agent: str, place: str, origin: Origin) -> None:
        self.name = name
        self._origin = origin
        self._project: tuple[str, str] | None = None
        self.agent = agent
        self.place = place
        self.directory = ""
        self.branch = ""
        self.first = ""
        self.prompts: list[str] = []
        self.count = 0
        self.times: list[int] = []
        # Keys of the candidates, and where and when each was said.
        self.keys: dict[str, tuple[str, int | None]] = {}

    @property
    def project(self) -> str:
        """The project of the session's folder."""
        if not os.path.isabs(self.directory):
            return ""
        if self._project is None or self._project[0] != self.directory:
            self._project = self.directory, self._origin.project_of(self.directory)
        return self._project[1]

    def note_time(self, at: int | None) -> None:
        if at is not None:
            self.times = [min([*self.times, at]), max([*self.times, at])]

    def note_prompt(self, prompt: str) -> None:
        self.count += 1
        self.first = self.first or note_value(prompt)
        self.prompts = [*self.prompts, note_value(prompt)][-_PROMPTS:]

    def extras(self) -> Iterator[Extra]:
        """The session, and that it brought forth its candidates."""
        begun, ended = self.times or (None, None)
        values = {
            "id": self.name,
            "project": self.project,
            "agent": self.agent,
            "directory": self.directory,
            "branch": self.branch,
            "prompt": self.first,
            "context": {"prompts": self.prompts, "prompt_count": self.count},
            "started_at": iso(begun),
            "ended_at": iso(ended),
        }
        yield Extra(self.name, "session", values, self.place)
        for key, (place, at) in self.keys.items():
            values = {"session_id": self.name, "memory": key, "usage_type": "created"}
            yield Extra(key, "use", {**values, "at": iso(begun if at is None else at)}, place)


def read(origin: Origin) -> Iterator[Reading]:
    """The candidates of every transcript, and its sessions."""
    if not os.path.isdir(origin.path):
        yield from _read_file(origin)
        return
    files = origin.files(ENDING)
    origin.size = sum(file.size for file in files)
    for file in files:
        yield from _read_file(file)
        origin.done += file.size


def _read_file(origin: Origin) -> Iterator[Reading]:
    sessions: dict[str, _Session] = {}
    lines = 0

    def counted(line: bytes) -> bool:
        nonlocal lines
        lines += bool(line.strip())
        return wanted(line)

    faults = 0
    try:
        for line in origin.json_lines(wanted=counted, growing=True):
            if isinstance(line, Fault):
                faults += 1
                yield line
                continue
            try:
                yield from list(_entry(sessions, line[1], origin, line[0]))
            except BadInput as error:
                faults += 1
                yield Fault(origin.place(line[0]), error.message)
    except BadInput as error:
        yield Fault(origin.name, error.message)
    prompts = sum(session.count for session in sessions.values())
    if prompts:
        yield Omission("prompts", "with their sessions", prompts, kept=True)
    if lines > prompts + faults:
        yield Omission("lines", "nobody typed them", lines - prompts - faults)
    for session in sessions.values():
        if session.count:
            yield from session.extras()


def wanted(line: bytes) -> bool:
    """Whether a line may hold what somebody said, or whose session it is."""
    return any(sign in line for sign in _READ) and not any(sign in line for sign in _NOT_READ)


def _entry(
    sessions: dict[str, _Session], entry: Any, origin: Origin, line: int
) -> Iterator[Record]:
    """The candidates of one line; what it says of its session is noted there."""
    if not isinstance(entry, dict) or entry.get("isSidechain"):
        return
    kind, place = entry.get("type"), origin.place(line)
    if kind in ("user", "assistant"):
        name = text(entry, "sessionId") or stem(origin)
        session = _session(sessions, (name, "claude"), place, origin)
        about = {"cwd": entry.get("cwd"), "branch": entry.get("gitBranch")}
    elif kind in ("session_meta", "turn_context", "event_msg"):
        payload = entry.get("payload")
        about = _codex_fields(payload if isinstance(payload, dict) else {})
        if not sessions and kind == "session_meta" and about["id"]:
            _session(sessions, (str(about["id"]), "codex"), place, origin)
        session = next(iter(sessions.values()), None) or _session(
            sessions, (stem(origin), "codex"), place, origin
        )
    else:
        return
    at = moment(entry, "timestamp")
    session.note_time(at)
    session.directory = session.directory or text(about, "cwd")
    session.branch = text(about, "branch") or session.branch
    prompt = typed(prompt_of(entry))
    if prompt:
        session.note_prompt(prompt)
        yield from _candidates(session, prompt, at, place)


def _codex_fields(payload: dict[str, Any]) -> dict[str, Any]:
    git = payload.get("git")
    branch = git.get("branch") if isinstance(git, dict) else None
    return {"id": payload.get("id"), "cwd": payload.get("cwd"), "branch": branch}


def _session(
    sessions: dict[str, _Session], who: tuple[str, str], place: str, origin: Origin
) -> _Session:
    """The session of a name and an agent."""
    name, agent = who
    if len(name) > _LONGEST_NAME:
        raise BadInput(f"the session's id has {len(name):,} characters")
    if name not in sessions:
        sessions[name] = _Session(name, agent, place, origin)
    return sessions[name]


def stem(origin: Origin) -> str:
    """What a transcript is called: mostly the name of its session."""
    return os.path.basename(origin.name).removesuffix(ENDING)


def typed(prompt: str) -> str:
    """The prompt without what programs put into it: recairn's blocks, reminders, command output."""
    bare = without_tagged(without_blocks(prompt)[0], PROGRAM_TAG).strip()
    return "" if bare.startswith(_INTERRUPTED) else bare


def _candidates(session: _Session, prompt: str, at: int | None, place: str) -> Iterator[Record]:
    for draft in drafts_from([prompt], ""):
        key = f"{session.name}/{content_key(normalised(draft.content))}"
        if key in session.keys:
            continue
        session.keys[key] = place, at
        candidate = replace(
            draft,
            project=session.project,
            source_type="import",
            session=session.name,
            external_id=key,
            created_at=at,
        )
        yield Record(key, candidate, place)


# Knowing and finding them


def takes(path: str) -> bool:
    if os.path.isdir(path):
        return _is_folder_of_agents(path) or any(is_transcript(path) for path in _directly_in(path))
    return path.endswith(ENDING) and is_transcript(path)


def is_transcript(path: str) -> bool:
    """Whether a file begins as the agents write theirs."""
    tight = head_of(path, _HEAD).replace(b'": ', b'":')
    claude = b'"sessionId":"' in tight and b'"type":"' in tight
    return claude or (b'"type":"session_meta"' in tight and b'"payload":{' in tight)


def _is_folder_of_agents(path: str) -> bool:
    parts = tuple(os.path.abspath(path).split(os.sep))
    return any(
        parts[at : at + 2] in (_CLAUDE, _CODEX) and "memory" not in parts[at:]
        for at in range(len(parts))
    )


def _directly_in(folder: str) -> list[str]:
    names = names_in(folder)[:MAX_FILES]
    paths = [os.path.join(folder, name) for name in names if name.endswith(ENDING)]
    return [path for path in paths if os.path.isfile(path)]


def find(folder: str) -> list[str]:
    """A folder of transcripts itself; for a project, what the agents keep about it."""
    if takes(folder):
        return [folder]
    home = os.path.expanduser("~")
    claude = os.environ.get("CLAUDE_CONFIG_DIR") or os.path.join(home, _CLAUDE[0])
    own = os.path.join(claude, _CLAUDE[1], project_slug(folder))
    codex = os.environ.get("CODEX_HOME") or os.path.join(home, _CODEX[0])
    paths = [own] if os.path.isdir(own) and takes(own) else []
    return paths + _rollouts_about(os.path.join(codex, _CODEX[1]), folder)


def project_slug(folder: str) -> str:
    """A folder's path as Claude Code names its own folder for it."""
    return "".join(
        sign if sign.isascii() and sign.isalnum() else "-" for sign in os.path.abspath(folder)
    )


def folder_about(transcripts: str) -> str:
    """The folder in which the sessions of a folder of Claude Code's were begun; "" unknown."""
    from recairn.sources.readers.files import Origin, is_inside

    root = os.path.realpath(transcripts)
    for path in _directly_in(transcripts)[:_ASKED]:
        if not is_inside(root, path):
            continue
        lines = Origin(path, path).json_lines(wanted=lambda line: b'"cwd"' in line)
        for line in islice(lines, 1) if head_of(path, 1) else ():
            entry = None if isinstance(line, Fault) else line[1]
            directory = entry.get("cwd") if isinstance(entry, dict) else None
            if isinstance(directory, str) and os.path.isabs(directory):
                return directory
    return ""


def _rollouts_about(sessions: str, folder: str) -> list[str]:
    """The rollouts of Codex that were begun in a project's folder."""
    from recairn.sources.readers.files import Origin

    if not os.path.isdir(sessions):
        return []
    root = os.path.abspath(folder)
    return [file.path for file in Origin(sessions, sessions).files(ENDING) if _begun_in(file, root)]


def _begun_in(origin: Origin, root: str) -> bool:
    try:
        first = next(origin.json_lines(wanted=lambda line: b'"session_meta"' in line), None)
    except BadInput:
        return False
    if first is None or isinstance(first, Fault) or not isinstance(first[1], dict):
        return False
    payload = first[1].get("payload")
    directory = payload.get("cwd") if isinstance(payload, dict) else None
    if not isinstance(directory, str):
        return False
    return directory == root or directory.startswith(root.rstrip(os.sep) + os.sep)


SOURCE = Source(
    name="transcripts",
    about="session files of Claude Code and Codex; what was told to keep waits for review",
    takes=takes,
    find=find,
    read=read,
    everywhere=True,
)
