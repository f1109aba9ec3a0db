"""What a store promises about sessions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from recairn.core.model import Filter
    from recairn.store.work_rows import (
        SeenSession,
        Session,
        SessionUse,
        Use,
    )


class Sessions(Protocol):
    """Runs of agents, what they did with memories, and which place is in which."""

    def link_session(self, session: str, memory: int, usage: str, at: int) -> None:
        """Notes what a session did with a memory; an unknown or ended session begins anew."""

    def open_session(self, session: str, description: Mapping[str, str], at: int) -> None:
        """Begins a session, or takes it up again; empty values leave what was there."""

    def end_session(self, session: str, summary: str, at: int) -> None:
        """Ends a session; no place is in it any more."""

    def sessions(
        self, *, project: str | None = None, ids: Sequence[str] | None = None, limit: int = -1
    ) -> list[Session]:
        """Sessions, newest first."""

    def session_notes(self, session: str) -> dict[str, Any]:
        """What was noted in a session; empty when nothing was, or there is no such session."""

    def set_session_notes(self, session: str, notes: Mapping[str, Any]) -> None:
        """Keeps the notes of a session in place of those before."""

    def find_sessions(self, beginning: str) -> list[str]:
        """Ids of the session of that id, or else of those whose id begins so."""

    def open_since(self, before: int) -> list[SeenSession]:
        """The sessions nobody ended, last seen at or before a time."""

    def used_in(self, session: str) -> list[Use]:
        """Everything a session did, oldest first."""

    def session_uses(self, memories: Sequence[int]) -> list[SessionUse]:
        """What sessions did with memories, newest first."""

    def of_session_tier(self, session: str, now: int) -> list[int]:
        """Ids of the live memories that only this session sees."""

    def neighbours(self, memory: int, seen: Filter, *, count: int) -> list[int]:
        """Ids made in one's project just before (count < 0) or after it; `seen`: session, trust."""

    def current_session(self, place: str) -> SeenSession | None:
        """The session a place is in, unless it was ended."""

    def set_current_session(self, place: str, session: str) -> None:
        """Puts a place into a session."""
