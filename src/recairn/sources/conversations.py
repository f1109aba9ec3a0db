"""What was said in sessions of Claude Code and Codex, kept as documents of their own kind.

A conversation is a document, what one side said before the other answered is one chunk of it, or
several where it is long. Tools, their output and what programs put between are left out.
"""

from __future__ import annotations

import os

from recairn.core.errors import BadInput
from recairn.core.model import Draft
from recairn.core.record import record
from recairn.sources.documents.collection import DocumentCollection, Source
from recairn.sources.documents.formats import Reading
from recairn.sources.format import Fault
from recairn.sources.readers.values import moment, text
from recairn.sources.transcripts import ENDING, stem, typed, wanted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from recairn.core.draft import Prepared
    from recairn.sources.readers.files import Origin

FORMAT = "transcript"
# What `url` holds: it is no file that a refresh would look for.
_URL = "session:"
PERSON, AGENT = "person", "agent"
# Characters of one chunk; longer answers are cut between their paragraphs.
_LONGEST = 2000
# What is said in one go; what is longer was pasted or printed, and its beginning is kept.
_MOST = 20_000


@record
class Said:
    """What one side said: `line` is where it stands in the transcript."""

    speaker: str
    text: str
    line: int
    at: int | None


class Conversation:
    """The turns of one session, in their order."""

    def __init__(self, session: str, agent: str) -> None:
        self.session = session
        self.agent = agent
        self.directory = ""
        self.said: list[Said] = []

    @property
    def path(self) -> str:
        return f"{self.agent}/{self.session}"

    def add(self, said: Said) -> None:
        """Puts what was said behind the rest; one side's words in a row are one turn."""
        last = self.said[-1] if self.said else None
        if last is not None and last.speaker == said.speaker:
            if said.text not in last.text:
                joined = f"{last.text}\n\n{said.text}"
                self.said[-1] = Said(last.speaker, joined, last.line, last.at)
        else:
            self.said.append(said)


def conversations(origin: Origin) -> Iterator[Conversation]:
    """The conversations of a transcript, or of all below a folder."""
    files = origin.files(ENDING) if os.path.isdir(origin.path) else [origin]
    for file in files:
        by_name: dict[str, Conversation] = {}
        try:
            for line in file.json_lines(wanted=wanted, growing=True):
                if not isinstance(line, Fault) and isinstance(line[1], dict):
                    _note(by_name, line[1], line[0], file)
        except BadInput:
            continue  # whoever imports it is told by the import itself
        yield from (conversation for conversation in by_name.values() if conversation.said)


def _note(by_name: dict[str, Conversation], entry: dict[str, Any], line: int, file: Origin) -> None:
    kind, payload = entry.get("type"), entry.get("payload")
    if kind in ("user", "assistant"):
        name = text(entry, "sessionId") or stem(file)
        conversation = by_name.setdefault(name, Conversation(name, "claude"))
        about: Any = entry
    elif kind in ("session_meta", "turn_context", "event_msg") and isinstance(payload, dict):
        if not by_name:
            name = text(payload, "id") or stem(file)
            by_name[name] = Conversation(name, "codex")
        conversation, about = next(iter(by_name.values())), payload
    else:
        return
    conversation.directory = conversation.directory or text(about, "cwd")
    speaker, words = _speaker_and_words(entry)
    if words:
        conversation.add(Said(speaker, words[:_MOST], line, moment(entry, "timestamp")))


def _speaker_and_words(entry: dict[str, Any]) -> tuple[str, str]:
    """Who said what in an entry; no words where nobody spoke."""
    from recairn.memory.capture.prompts import answer_of, prompt_of

    prompt = typed(prompt_of(entry))
    return (PERSON, prompt) if prompt else (AGENT, typed(answer_of(entry)))


class ConversationCollection(DocumentCollection):
    """One run over conversations of one project."""

    def keep(self, conversation: Conversation) -> None:
        """Takes in a conversation as it is now; of a longer one only what is new is written."""
        said = tuple(conversation.said)
        raw = "\n".join(f"{turn.speaker}: {turn.text}" for turn in said).encode()
        day = _day(said[0].at)
        title = f"{conversation.agent} session{f' of {day}' if day else ''}"
        self._turns = said
        url = f"{_URL}{conversation.session}"
        self.take(Source(conversation.path, raw, FORMAT, url, title), lambda _: False)

    def _read(self, source: Source) -> Reading:
        from recairn.sources.documents.chunking import Block

        return Reading(source.title, [Block(())] if self._turns else [])

    def _drafts(self, source: Source, reading: Reading, title: str, uid: str) -> Iterable[Prepared]:
        position = 0
        for said in self._turns:
            for piece in _pieces(said.text):
                draft = Draft(
                    piece,
                    kind="chunk",
                    fields={
                        "document": uid,
                        "position": position,
                        "heading": said.speaker,
                        "path": source.path,
                        "line": said.line,
                        "end_line": said.line,
                        "page": None,
                    },
                    source_type=FORMAT,
                    source_ref=source.path[:1000],
                    created_at=said.at,
                )
                position += 1
                try:
                    yield self._prepare(draft)
                except BadInput:
                    continue  # nothing is left of it


def _pieces(words: str) -> Iterator[str]:
    """A text in parts of at most a chunk's length, cut between paragraphs, lines or words."""
    left = words.strip()
    while len(left) > _LONGEST:
        window = left[:_LONGEST]
        ends = (window.rfind(mark) for mark in ("\n\n", "\n", " "))
        cut = next((end for end in ends if end > _LONGEST // 4), _LONGEST)
        yield left[:cut].rstrip()
        left = left[cut:].lstrip()
    if left:
        yield left


def _day(at: int | None) -> str:
    from recairn.core.times import day

    return "" if at is None else day(at)
