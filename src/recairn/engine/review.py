"""The engine's candidates: what was captured by itself, and a person's word on it."""

from __future__ import annotations

from recairn.engine.changes import Changing
from recairn.engine.options import listing_from

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from recairn.core.model import Event, Memory, Remembered


class Reviewing(Changing):
    """Capturing, and reviewing what was captured."""

    def capture(self, texts: Iterable[str], *, source_ref: str = "") -> list[Remembered]:
        """Stores what people said should last as candidates, all in one transaction.

        They pass the one door: secrets are redacted, what is known already is reinforced. What a
        person has dropped before stays dropped.
        """
        from recairn.memory.remember import Door, remember_all
        from recairn.memory.review import drafts_from, still_open

        now, allow = self._clock(), self._allowed()
        prepared = [self._prepared(draft, now, allow) for draft in drafts_from(texts, source_ref)]
        if not prepared:
            return []
        self.settle()
        left = still_open(self.store, prepared)
        results = remember_all(self.store, left, Door(self.meaning, "reinforce"))
        added = [
            result.id for result in results if result.status == "added" and result.id is not None
        ]
        self.meaning.later(added, now=now)
        self.withdraw_candidates()
        return results

    def withdraw_candidates(self) -> list[int]:
        """Forgets those of this session that something else written in it says; their ids."""
        from recairn.memory.review import withdraw_repeated

        if self.session is None or self.store.read_only:
            return []
        with self.store.transaction():
            return withdraw_repeated(self.store, self.session, self._act())

    def candidates(self, **options: Any) -> list[Memory]:
        """The unverified memories that wait for a decision, oldest first; filters as in listing."""
        from recairn.memory.review import MANY, waiting

        options.setdefault("limit", MANY)
        extent = listing_from(options)
        self.settle()
        return waiting(self.store, self._filter(options, self._clock()), limit=int(extent["limit"]))

    def endings(self) -> list[tuple[Memory, Event]]:
        """The rules of this project whose end others have asked for: they hold until it is agreed
        to (`agree_to_end`) or declined."""
        from recairn.memory.endings import open_requests
        from recairn.memory.lookup import other_project

        return [
            (memory, event)
            for memory, event in open_requests(self.store)
            if self.everywhere or not other_project(memory, self.project)
        ]

    def agree_to_end(self, reference: int | str) -> Memory:
        """Forgets a rule whose end others have asked for."""
        self._decide_end(reference, "accept")
        return self.forget(reference, reason="its end was agreed to")

    def decline_end(self, reference: int | str) -> Memory:
        """Lets a rule hold whose end others have asked for."""
        from recairn.memory.endings import decline

        return decline(self.store, self._decide_end(reference, "drop"), self._act())

    def _decide_end(self, reference: int | str, verb: str) -> int:
        from recairn.memory.authority import guard_person

        number = self.resolve(reference, change=True)
        guard_person(self._act(), f"decide about #{number}", f"review {verb} {number}")
        return number

    def accept(self, references: Sequence[int | str] | int | str) -> list[Memory]:
        """Verifies candidates, all or none; `undo` takes it back."""
        from recairn.memory import review

        return review.accept(self.store, self._all_resolved(references), self._act())

    def accept_edited(self, reference: int | str, **changes: Any) -> Memory:
        """Changes a candidate and verifies it in one step; `undo` takes both back one by one."""
        with self.store.transaction():
            edited = self.edit(reference, **changes)
            return self.accept(edited.id)[0]

    def drop(
        self, references: Sequence[int | str] | int | str, *, reason: str = ""
    ) -> list[Memory]:
        """Forgets candidates, all or none; the same words are not captured again."""
        from recairn.memory import review

        return review.drop(self.store, self._all_resolved(references), self._act(reason))

    def _all_resolved(self, references: Sequence[int | str] | int | str) -> list[int]:
        self.settle()
        listed = [references] if isinstance(references, int | str) else references
        return list(dict.fromkeys(self.resolve(reference, change=True) for reference in listed))
