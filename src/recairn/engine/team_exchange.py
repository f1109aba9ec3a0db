"""The engine's side of a team: what goes to a server, and what a server hands out."""

from __future__ import annotations

from recairn.core.errors import BadInput
from recairn.engine.base import Base

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from typing import Any

    from recairn.core.model import Memory
    from recairn.sync.taking import Where

# Records and bytes of one page, of a push or a pull.
_RECORDS, _BYTES = 500, 1_000_000
_WORDS = frozenset(("title", "content", "fields"))


class TeamExchange(Base):
    """Shared projects: the outbox of a laptop, the feed of a server."""

    def shares(self) -> list[dict[str, Any]]:
        """The projects that go to a server: what each is called there, and how far it was read."""
        waiting = self.store.outbox_size()
        return [
            {
                "project": share.project,
                "name": share.name,
                "server": share.server,
                "cursor": share.position,
                "waiting": waiting,
                "pulled_at": share.pulled_at,
            }
            for share in self.store.shares()
        ]

    def share_preview(self, project: str) -> dict[str, Any]:
        """What sharing a project would send, and what of it would stay, by reason."""
        from recairn.core.model import Filter, TaskFilter
        from recairn.sync.shareable import why_kept

        everything = Filter(project=project, include_superseded=True, include_documents=True)
        counts: dict[str, int] = {"memories": 0, "handoffs": 0}
        left_out: dict[str, int] = {}
        memories = self.store.listing(everything, order="id", limit=-1)
        own = [memory for memory in memories if memory.project == project]
        private = self.store.sharing([memory.id for memory in own])
        for memory in own:
            why = why_kept(memory, is_private=private[memory.id].is_private)
            if why:
                left_out[why] = left_out.get(why, 0) + 1
            else:
                counts["handoffs" if memory.kind == "handoff" else "memories"] += 1
        tasks = len(self.store.tasks(TaskFilter(project=project)))
        return {**counts, "tasks": tasks, "left_out": left_out}

    def share_project(self, project: str, name: str, server: str) -> int:
        """Shares a project with a server, under its name there; how much waits to be sent."""
        from recairn.store.share_rows import Share

        if not project or not name or not server:
            raise BadInput("sharing needs a project, its name on the server, and the server")
        with self.store.transaction():
            if any(share.project == project for share in self.store.shares()):
                raise BadInput(f"the project {project} is shared already", "recairn unshare")
            self.store.put_share(Share(project, name, server, "", self._clock(), None))
            return self.store.queue_project(project)

    def unshare_project(self, project: str) -> None:
        """Stops sharing a project; nothing is removed, here or there."""
        from recairn.sync.outbox import share_of

        with self.store.transaction():
            share_of(self.store, project)
            self.store.drop_share(project)

    def outbox_page(self, limit: int = _RECORDS, max_bytes: int = _BYTES) -> dict[str, Any]:
        """The next records for the server, with the marks by which `outbox_answers` knows them."""
        from recairn.sync.outbox import page

        self.settle()
        return page(self._where(), limit, max_bytes)

    def outbox_answers(
        self, marks: Sequence[Any], answers: Sequence[Mapping[str, Any]]
    ) -> dict[str, Any]:
        """Takes out of the outbox what the server has, by its answers in the order of a page."""
        from recairn.sync.outbox import settle

        return settle(self._where(), marks, answers)

    def outbox_refused(self) -> list[dict[str, Any]]:
        """What the server did not take, and why."""
        return [
            {
                "type": refusal.noun,
                "uid": refusal.name,
                "project": refusal.project,
                "why": refusal.why,
                "at": refusal.at,
            }
            for refusal in self.store.refusals()
        ]

    def pull_cursor(self, project: str) -> str:
        """How far the server's feed of a project was read; "" at the beginning."""
        from recairn.sync.outbox import share_of

        return share_of(self.store, project).position

    def take_page(self, project: str, page: Mapping[str, Any], member: str = "") -> dict[str, Any]:
        """Takes in a page of the server's feed; what `member` wrote is the person's own word."""
        from recairn.sync.outbox import take_page

        self.settle()
        taken = take_page(self._where(), project, page, member)
        self.meaning.embed_late()
        return taken

    def sync_conflicts(self) -> list[dict[str, Any]]:
        """The clashes that are open: both texts, each with its author."""
        from recairn.sync.merge import CLASH_MAKER

        edges = self.store.edges_created_by(CLASH_MAKER)
        ends = sorted({end for edge in edges for end in (edge.source, edge.target)})
        memories = self.store.get_many(ends)
        return [
            {**self._text(memories[edge.target]), "other": self._text(memories[edge.source])}
            for edge in edges
            if edge.source in memories and edge.target in memories
        ]

    def _text(self, memory: Memory) -> dict[str, Any]:
        """A text, and who wrote it: of a memory that was rewritten who did that last."""
        writers = [
            event.author
            for event in self.store.history(memory.id)
            if event.author and not _WORDS.isdisjoint(event.before)
        ]
        return {
            "uid": memory.uid,
            "id": memory.id,
            "title": memory.title,
            "content": memory.content,
            "author": writers[-1] if writers else memory.author,
        }

    # On a server

    def host_project(self, project: str) -> None:
        """Lets members read and write a project here."""
        with self.store.transaction():
            self.store.host(project)

    def hosted_projects(self) -> list[str]:
        """The projects that members may read here."""
        return self.store.hosted()

    def take_push(
        self, records: Sequence[Any], *, member: str, projects: Collection[str]
    ) -> dict[str, Any]:
        """Takes in what a member sends into the projects they may write; an answer for each."""
        from recairn.sync.feed import take_push

        self.settle()
        answers = take_push(self._where(), records, member, projects)
        self.meaning.embed_late()
        return {"answers": answers, "time": self._clock()}

    def pull_page(
        self, project: str, after: str = "", limit: int = _RECORDS, max_bytes: int = _BYTES
    ) -> dict[str, Any]:
        """What changed in a project after a cursor, and the cursor that follows."""
        from recairn.sync.feed import pull_page

        return pull_page(self.store, project, after, limit, max_bytes)

    def has_news(self, project: str, after: str) -> bool:
        """Whether anything changed in a project after a cursor."""
        from recairn.sync.feed import has_news

        return has_news(self.store, project, after)

    def team_policies(self, project: str) -> list[dict[str, Any]]:
        """The rules of a project that admins made team policy here, on the server."""
        from recairn.core.record import as_dict
        from recairn.sync.policies import policies_of

        return [as_dict(policy) for policy in policies_of(self.store, project)]

    def set_team_policy(self, project: str, uid: str, version: str | None, *, admin: str) -> None:
        """Makes a rule team policy in the words of that version; with None it is none any more."""
        from recairn.sync.policies import end_policy, set_policy

        if version is None:
            end_policy(self.store, project, uid, self._clock())
        else:
            set_policy(self.store, project, uid, version, admin, self._clock())

    def new_epoch(self) -> str:
        """After a restore from a backup: every cursor begins anew, and nothing is discarded."""
        with self.store.transaction():
            return self.store.new_epoch()

    def erasures(self, project: str) -> list[dict[str, Any]]:
        """What was destroyed in a project, and which devices hold nothing of it any more."""
        listed: dict[str, dict[str, Any]] = {}
        for row in self.store.erasures(project):
            entry = listed.setdefault(row.uid, {"uid": row.uid, "at": row.at, "acknowledged": []})
            if row.replica:
                entry["acknowledged"].append(row.replica)
        return list(listed.values())

    def acknowledge_erasures(self, replica: str, uids: Sequence[str]) -> None:
        """Notes that a device holds nothing any more of memories that were destroyed."""
        with self.store.transaction():
            erased = sorted(row.uid for row in self.store.erased(uids))
            self.store.acknowledge_erasures(replica, erased, self._clock())

    def replica(self) -> str:
        """The name of this database among those that exchange."""
        with self.store.transaction():
            return self.store.replica()

    def _where(self) -> Where:
        from recairn.sync.taking import Where

        return Where(self.store, self.meaning, self._act(), self._allowed())
