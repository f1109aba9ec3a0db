"""The engine's reminders: what a file, or a test that failed, brings to mind in an agent's work."""

from __future__ import annotations

import os

from recairn.core.record import replace
from recairn.engine.base import BOOKKEEPING_PATIENCE_S, place
from recairn.host.project import root_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from recairn.core.model import Memory
    from recairn.engine.session_notes import Noting
    from recairn.recall.reminder import Reminder, Subject
else:
    Noting = object

# Memories of one reminder: it interrupts.
_MOST = 4
# What nobody wants to be reminded of by a name: where sessions stopped, pieces of documents.
_UNWANTED = ("handoff", "chunk")
# Moments that are about files which the agent has just opened.
_OPENING = ("read", "edit")
_TITLE = 100  # characters of a command or of names of files above them


class Moments(Noting):
    """What is injected beside the prompts."""

    def named_in_memory(self, subject: Subject, *, surface: str = "") -> list[int]:
        """The memories that name what the work is about, which this session does not have yet."""
        from recairn.core.kinds import KINDS
        from recairn.recall.reminder import subjects_of

        filter = self._filter({"candidates": False}, self._clock())
        kinds = tuple([kind for kind in KINDS if kind not in _UNWANTED])
        subjects = subjects_of(subject, replace(filter, kinds=kinds), self.store)
        if not subjects:
            return []
        injected = set(self.injected(surface))
        return [memory for memory in subjects if memory not in injected]

    def remind(
        self, memories: Sequence[int], *, moment: str, about: str, surface: str, max_chars: int
    ) -> Reminder:
        """Memories as one marked block, and its entry in the ledger, each once in a session."""
        from recairn.core.words import one_line
        from recairn.recall.reminder import reminder, worth_reminding

        now = self._clock()
        stored = self.store.get_many(memories)
        wanted = worth_reminding([stored[memory] for memory in memories if memory in stored])
        opened = about.split(", ") if moment in _OPENING else []
        wanted = self._not_held(wanted, opened)
        failed = moment == "test"
        what = one_line(about.removesuffix(": failed") if failed else about, _TITLE)
        title = f"About {what}{', which failed' if failed else ''}:"
        made = reminder(wanted, title, max_chars, _MOST, now)
        if made.text:
            turn = self._turn(moment, about, now)
            self._book(made, {"at": now, "surface": surface, "query": about}, turn)
        return made

    def _not_held(self, memories: Sequence[Memory], opened: Sequence[str]) -> list[Memory]:
        """Those that do not come from a file which the agent's program gives it anyway."""
        sourced = any(memory.source_ref for memory in memories)
        agent, _, subagent = self.author.partition(":")[2].partition("/")
        if not sourced:
            return list(memories)
        from recairn.host.instruction_files import InstructionFiles, reads_files

        folder = os.getcwd()
        name = "claude" if agent == "claude-code" else agent
        if not reads_files(name, subagent):
            return list(memories)
        known = [*opened, *self.notes().get("files", ())]
        files = InstructionFiles(name, folder, root_of(folder) or folder, known)
        held = {
            memory.id for memory in memories if files.holding(memory.source_ref, memory.content)
        }
        return [memory for memory in memories if memory.id not in held]

    def _book(
        self, made: Reminder, described: Mapping[str, Any], turn: Mapping[str, Any] | None
    ) -> None:
        """Notes the injection before it is made: who cannot would make it again and again."""
        from recairn.recall.ledger import log_injection, log_turn

        entry = {
            **described,
            "id": (described["at"] << 10) | int.from_bytes(os.urandom(2), "big") & 1023,
            "session_id": self.session,
            "project": self.project,
            "budget_tokens": None,
            "tokens": made.tokens,
            "characters": len(made.text),
            "task_id": self.task_at_hand(),
        }
        costs = [(memory, cost, None) for memory, cost in made.costs.items()]
        with self.store.bookkeeping(BOOKKEEPING_PATIENCE_S), self.store.transaction():
            number = log_injection(self.store, entry, costs)
            if turn is not None:
                self.store.open_session(turn["session_id"], {"project": self.project}, turn["at"])
                log_turn(self.store, {**turn, "injection": number, "left_out": made.left_out})

    def task_at_hand(self) -> str | None:
        """The task that this session, or else this checkout, is at work on; none that is done."""
        own = [] if self.session is None else [f"session: {self.session}"]
        named = next(filter(None, map(self.store.current_task, [*own, place()])), None)
        if named is None:
            return None
        from recairn.work.tasks import task_named

        return None if task_named(self.store, named).status == "done" else named
