"""The engine's way in."""

from __future__ import annotations

from recairn.core.errors import BadInput
from recairn.core.ids import cited_in
from recairn.core.kinds import fields_text, one_of
from recairn.core.memory_text import joined_text
from recairn.core.model import Draft
from recairn.core.record import replace
from recairn.engine.base import Base, allowed_in
from recairn.engine.options import DOOR, draft_from

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any, Unpack

    from recairn.core.draft import Prepared
    from recairn.core.keyword_arguments import DraftOptions
    from recairn.core.model import Remembered


# Sources in which `#42` means one of our memories; in others it is somebody else's number.
_OWN_WORDS = ("manual", "agent", "hook", "run")
# Citations that one bulk of drafts can mark; more is not somebody who cites.
_MANY_CITED = 200


class Writing(Base):
    """Remembering."""

    def remember(self, content: str, **options: Unpack[DraftOptions]) -> Remembered:
        """Remembers a text, or says what it resembles (`status="needs_decision"`).

        `force` stores it beside look-alikes, `supersede` replaces a memory, `merge` adds to one.
        """
        from recairn.memory.remember import Door, remember

        values: dict[str, Any] = {"content": content, **options}
        now = self._clock()
        draft = draft_from({k: v for k, v in values.items() if k not in DOOR}, now)
        force = bool(values.get("force"))
        replaced, joined = (
            None if values.get(name) is None else self._changeable(values[name], force=force)
            for name in ("supersede", "merge")
        )
        for target in (replaced, joined):
            if target is not None:
                self._guard_rule(target)
        settings = self.store.config()
        door = Door(
            self.meaning, "add" if force else "ask", replaced, joined, _similar_above(settings)
        )
        prepared = self._prepared(draft, now, allowed_in(settings))
        pieces = self.meaning.pieces([prepared.text], settings)[0]
        self.settle()
        outcome = remember(self.store, prepared, door, pieces)
        if outcome.id is not None:
            taken_up = [memory for memory in (replaced, joined) if memory is not None]
            if cited := [*taken_up, *_cited(prepared)]:
                self._used(cited, "cited")
        return outcome

    def _guard_rule(self, memory: int) -> None:
        """Refused for a rule in force, unless a person replaces it or adds to it."""
        from recairn.memory.authority import guard_rule
        from recairn.memory.lookup import known_memory

        act = self._act()
        if not act.is_own:
            guard_rule(known_memory(self.store, memory), act, "change", f"edit {memory}")

    def remember_many(
        self, drafts: Iterable[Draft | Mapping[str, Any]], *, on_similar: str = "ask"
    ) -> list[Remembered]:
        """Remembers all drafts in one transaction: all of them or, on an error, none.

        `on_similar` decides about look-alikes: ask (skip and report), reinforce, or add.
        """
        from recairn.memory.remember import Door, remember_all

        one_of("on_similar", on_similar, ("ask", "reinforce", "add"))
        self.settle()
        self._move_in()
        cited: list[int] = []
        door = Door(self.meaning, on_similar, similar_above=_similar_above(self.store.config()))
        results = remember_all(self.store, self._all_prepared(drafts, cited), door)
        self._used(list(dict.fromkeys(cited))[:_MANY_CITED], "cited")
        added = [
            result.id for result in results if result.status == "added" and result.id is not None
        ]
        self.meaning.later(added, now=self._clock())
        self.meaning.embed_late()
        return results

    def _all_prepared(
        self, drafts: Iterable[Draft | Mapping[str, Any]], cited: list[int]
    ) -> Iterator[Prepared]:
        from recairn.core.draft import prepare

        now, allow = self._clock(), self._allowed()
        project, session, writer = self.project, self.session, self._writer()
        names: dict[str, str] = {}
        for number, entry in enumerate(drafts, start=1):
            try:
                draft = entry if isinstance(entry, Draft) else draft_from(entry, now)
                draft = self._under_name(draft, names)
                prepared = prepare(
                    draft, writer=writer, project=project, session=session, allow=allow, now=now
                )
            except BadInput as error:
                raise BadInput(f"draft {number}: {error.message}", error.hint) from None
            cited += _cited(prepared)
            yield prepared

    def _prepared(
        self, draft: Draft, now: int | None = None, allow: Sequence[str] | None = None
    ) -> Prepared:
        from recairn.core.draft import prepare

        if self._newcomer is not None:
            self._move_in()
        return prepare(
            self._under_name(draft, {}),
            writer=self._writer(),
            project=self.project,
            session=self.session,
            allow=self._allowed() if allow is None else allow,
            now=self._clock() if now is None else now,
        )

    def _under_name(self, draft: Draft, names: dict[str, str]) -> Draft:
        """The draft under the name that its project bears now; `names` are known by then."""
        self._guard_tier(draft.tier)
        if draft.branch == ".":
            draft = replace(draft, branch=self._branch(draft.branch))
        if draft.project is None:
            return draft
        name = names.get(draft.project)
        if name is None:
            name = names[draft.project] = self._home(draft.project).name
        return draft if name == draft.project else replace(draft, project=name)


def _similar_above(settings: Mapping[str, str]) -> float:
    """The share of common words from which on two texts look alike."""
    from recairn.core.derived import NEAR_DUPLICATE

    try:
        return float(settings.get("add.similar_above", NEAR_DUPLICATE))
    except ValueError:
        return NEAR_DUPLICATE


def _cited(prepared: Prepared) -> list[int]:
    """The memories a new one cites as `#42`; the numbers in a handoff's commits are not ours."""
    row = prepared.row
    if "#" not in prepared.text or row["source_type"] not in _OWN_WORDS:
        return []
    if row["kind"] == "handoff" and row["source_type"] == "hook":
        return []  # it repeats what was asked and answered, where a number may be anything's
    fields = {name: value for name, value in row["fields"].items() if name != "commits"}
    return cited_in(joined_text(row["title"], row["content"], fields_text(fields)))
