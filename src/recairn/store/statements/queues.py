"""What others are to hear: the outbox towards a server, the feed of a server, what is only kept."""

from __future__ import annotations

import os

from recairn.core.record import as_tuple
from recairn.store.share_rows import Acknowledgement, FeedRow, Kept, Queued, Refusal, Share
from recairn.store.statements.base import Statements, batches, marks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_SHARE = "project, name, server, position, created_at, pulled_at"
_KEPT = "noun, name, project, waits_for, record"
_EPOCH = "epoch"
_LETTERS = 12


class QueueStatements(Statements):
    """The part of a store that knows what goes to others."""

    # Shared projects, on a client

    def shares(self) -> list[Share]:
        """The projects that go to a server, by name."""
        return [
            Share(*row) for row in self._c.rows(f"select {_SHARE} from shares order by project")
        ]

    def put_share(self, share: Share) -> None:
        """Shares a project, or notes how far it was read."""
        self._c.run(
            f"insert into shares({_SHARE}) values (?, ?, ?, ?, ?, ?) on conflict"
            f" {self._c.unique('project')} do update set name = excluded.name,"
            " server = excluded.server, position = excluded.position,"
            " pulled_at = excluded.pulled_at",
            as_tuple(share),
        )

    def drop_share(self, project: str) -> None:
        """Ends sharing; what waited for other projects goes on waiting."""
        self._c.run("delete from shares where project = ?", (project,))
        if not self._c.value("select count(*) from shares"):
            self._c.run("delete from outbox")
            self._c.run("delete from outbox_refused")

    # What waits to be sent

    def queue_project(self, project: str) -> int:
        """Queues everything of a project; how much that is."""
        mark = _mark()
        key = self._c.unique("noun, name")
        last = f" on conflict {key} do update set mark = excluded.mark"
        into = "insert into outbox(noun, name, mark)"
        count = self._c.run(
            f"{into} select 'memory', uid, ? from memories where project = ?"
            f" and tier = 'project' and kind <> 'chunk'{last}",
            (mark, project),
        )
        count += self._c.run(
            f"{into} select 'memory', uid, ? from erased where project = ?{last}", (mark, project)
        )
        count += self._c.run(
            f"{into} select noun, name, ? from kept_records where project = ?"
            f" and waits_for = ''{last}",
            (mark, project),
        )
        return count + self._c.run(
            f"{into} select 'task', id, ? from tasks where project = ?{last}", (mark, project)
        )

    def queue_name(self, noun: str, name: str, project: str) -> None:
        """Notes that others are to hear of one thing of a project, where that is shared."""
        self._c.run_many(
            "insert into outbox(noun, name, mark) select ?, ?, ? where exists"
            f" (select 1 from shares) on conflict {self._c.unique('noun, name')}"
            " do update set mark = excluded.mark",
            [(noun, name, _mark())],
        )
        self._move_on(noun, name, project)

    def note_left(self, project: str, uid: str) -> None:
        """Notes for who reads a project here that a memory left it."""
        self._move_on("memory", uid, project)

    def _move_on(self, noun: str, name: str, project: str) -> None:
        """Gives a thing the next number of its project, while nobody else gives one out."""
        self._c.run_many("update feed_heads set last = last + 1 where project = ?", [(project,)])
        self._c.run_many(
            "insert into feed(project, noun, name, number) select h.project, ?, ?, h.last"
            f" from feed_heads h where h.project = ? on conflict"
            f" {self._c.unique('project, noun, name')} do update set number = excluded.number",
            [(noun, name, project)],
        )

    def outbox(self, limit: int) -> list[Queued]:
        """Things that wait to be sent, in a stable order."""
        rows = self._c.rows(
            "select noun, name, mark from outbox order by noun, name limit ?", (limit,)
        )
        return [Queued(*row) for row in rows]

    def outbox_marks(self, noun: str, names: Sequence[str]) -> dict[str, int]:
        """The marks of those of the things that wait."""
        return {
            row[0]: row[1]
            for part in batches(names)
            for row in self._c.rows(
                f"select name, mark from outbox where noun = ? and name in ({marks(part)})",
                (noun, *part),
            )
        }

    def outbox_size(self) -> int:
        """How much waits to be sent."""
        return int(self._c.value("select count(*) from outbox"))

    def unqueue(self, things: Sequence[Queued]) -> None:
        """Takes things out of the outbox, unless they have changed since."""
        self._c.run_many(
            "delete from outbox where noun = ? and name = ? and mark = ?",
            [as_tuple(thing) for thing in things],
        )

    def refuse(self, refusal: Refusal) -> None:
        """Notes that a server does not take a thing."""
        self._c.run(
            "insert into outbox_refused(noun, name, project, why, at) values (?, ?, ?, ?, ?)"
            f" on conflict {self._c.unique('noun, name')} do update set why = excluded.why,"
            " at = excluded.at",
            as_tuple(refusal),
        )

    def refusals(self) -> list[Refusal]:
        """What servers did not take, oldest first."""
        rows = self._c.rows(
            "select noun, name, project, why, at from outbox_refused order by at, name"
        )
        return [Refusal(*row) for row in rows]

    def unrefuse(self, noun: str, name: str) -> None:
        """Forgets a refusal: the thing was taken after all."""
        self._c.run("delete from outbox_refused where noun = ? and name = ?", (noun, name))

    # What others read here

    def host(self, project: str) -> None:
        """Lets others read a project here from now on, and all that it holds by now."""
        if self.feed_last(project) is not None:
            return
        self._c.run("insert into feed_heads(project, last) values (?, 0)", (project,))
        if not self.epoch():
            self.new_epoch()
        last = 0
        for noun, name, table in (("memory", "uid", "memories"), ("task", "id", "tasks")):
            last += self._c.run(
                "insert into feed(project, noun, name, number)"
                f" select ?, ?, {name}, ? + row_number() over (order by created_at, {name})"
                f" from {table} where project = ?",
                (project, noun, last, project),
            )
        self._c.run("update feed_heads set last = ? where project = ?", (last, project))

    def hosted(self) -> list[str]:
        """The projects that others may read here."""
        return [row[0] for row in self._c.rows("select project from feed_heads order by project")]

    def feed(self, project: str, after: int, limit: int) -> list[FeedRow]:
        """What changed after a number, in the order of the numbers."""
        return [
            FeedRow(*row)
            for row in self._c.rows(
                "select number, noun, name from feed where project = ? and number > ?"
                " order by number limit ?",
                (project, after, limit),
            )
        ]

    def feed_last(self, project: str) -> int | None:
        """The last number given out for a project; None where nobody may read it."""
        last = self._c.value("select last from feed_heads where project = ?", (project,))
        return None if last is None else int(last)

    def epoch(self) -> str:
        """The text that tells this sequence of numbers from one that a backup brought back."""
        return str(self._c.value(f"select value from meta where key = '{_EPOCH}'") or "")

    def new_epoch(self) -> str:
        """Begins another sequence: who has read before compares everything once more."""
        from recairn.core.ids import letters_of

        epoch = letters_of(os.urandom(_LETTERS))
        self._c.run(
            f"insert into meta(key, value) values (?, ?) on conflict {self._c.unique('key')}"
            " do update set value = excluded.value",
            (_EPOCH, epoch),
        )
        return epoch

    # What is kept as it came

    def keep_record(self, kept: Kept) -> None:
        """Keeps a record that cannot be read here, in place of an older one."""
        self._c.run(
            f"insert into kept_records({_KEPT}) values (?, ?, ?, ?, ?) on conflict"
            f" {self._c.unique('noun, name')} do update set record = excluded.record,"
            " waits_for = excluded.waits_for",
            as_tuple(kept),
        )
        if not kept.waits_for:
            self.queue_name(kept.noun, kept.name, kept.project)

    def kept_records(self, noun: str, names: Sequence[str] | None = None) -> list[Kept]:
        """Those of the records of a noun, or all of it."""
        if names is None:
            rows = self._c.rows(f"select {_KEPT} from kept_records where noun = ?", (noun,))
            return [Kept(*row) for row in rows]
        return [
            Kept(*row)
            for part in batches(names)
            for row in self._c.rows(
                f"select {_KEPT} from kept_records where noun = ? and name in ({marks(part)})",
                (noun, *part),
            )
        ]

    def records_waiting_for(self, names: Sequence[str]) -> list[Kept]:
        """The records that wait for one of these to arrive."""
        return [
            Kept(*row)
            for part in batches(names)
            for row in self._c.rows(
                f"select {_KEPT} from kept_records where waits_for in ({marks(part)})"
                " and waits_for <> ''",
                part,
            )
        ]

    def drop_kept(self, noun: str, name: str) -> None:
        """Forgets a record that was read after all."""
        self._c.run("delete from kept_records where noun = ? and name = ?", (noun, name))

    # Who has destroyed what was to be destroyed

    def acknowledge_erasures(self, replica: str, uids: Sequence[str], at: int) -> None:
        """Notes that a device holds nothing any more of memories."""
        self._c.run_many(
            "insert into erasure_acks(uid, replica, at) values (?, ?, ?) on conflict do nothing",
            [(uid, replica, at) for uid in uids],
        )

    def erasures(self, project: str) -> list[Acknowledgement]:
        """What was destroyed in a project, a row for each device that has acknowledged it."""
        rows = self._c.rows(
            "select e.uid, e.at, coalesce(a.replica, '') from erased e left join erasure_acks a"
            " on a.uid = e.uid where e.project = ? order by 1, 3",
            (project,),
        )
        return [Acknowledgement(*row) for row in rows]


def _mark() -> int:
    return int.from_bytes(os.urandom(6), "big")
