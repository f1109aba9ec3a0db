"""What a store promises about injections."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from recairn.store.work_rows import (
        HandOutRow,
        InjectionRow,
        InjectionTotal,
        LastHook,
        LedgerRow,
        TurnRow,
    )


class Ledger(Protocol):
    """What was handed to whom, what it cost, and what became of it."""

    def put_injection(
        self, entry: Mapping[str, Any], memories: Sequence[tuple[int, int, float | None]]
    ) -> int:
        """Records what was handed out, with (memory, tokens, score) in order; its id."""

    def put_turn(self, turn: Mapping[str, Any]) -> None:
        """Records a moment of a session, by the names of a TurnRow; what is left out is empty."""

    def turns(self, session: str, *, after: int = 0, limit: int = -1) -> list[TurnRow]:
        """The moments of a session, oldest first; those after one, by its number."""

    def last_hooks(self) -> list[LastHook]:
        """When each agent last reported each event, newest first."""

    def prompt_before(self, session: str, at: int) -> str:
        """What was said last in a session up to a time; "" where nothing is noted."""

    def drop_turns(self, before: int, most: int) -> int:
        """Forgets the turns before a time, and of the others all but so many; how many went."""

    def injections(
        self, *, task: str | None = None, session: str | None = None, since: int = 0
    ) -> list[InjectionRow]:
        """What was handed out, oldest first."""

    def note_outcome(self, task: str, outcome: str | None, at: int) -> int:
        """Writes the outcome of a task to all that was handed out for it; how many those were.

        None takes an outcome back.
        """

    def settle_injections(self, ids: Sequence[int], outcome: str, at: int) -> None:
        """Writes an outcome to injections that have none yet."""

    def note_used(
        self, memories: Sequence[int], how: str, *, session: str | None, since: int, at: int
    ) -> int:
        """Marks memories as used where each was handed out last, in this session if it was.

        Only what was handed out since a time counts, a stronger mark stays; how many were marked.
        """

    def ledger(self, by: str, since: int, project: str | None) -> list[LedgerRow]:
        """What was handed out by task, memory, moment, agent or session, most tokens first, or by
        day. Of a memory its own tokens count, else all of an injection.
        """

    def injections_of(self, memory: int, limit: int) -> list[HandOutRow]:
        """When and to whom a memory was handed out, newest first."""

    def times_handed_out(self, memories: Sequence[int], agent: str) -> list[LedgerRow]:
        """How often memories were handed out, to one agent where one is named."""

    def handed_out(self, since: int, project: str | None) -> InjectionTotal:
        """Everything handed out since a time, added up."""
