"""The engine's way of learning: weights from feedback, outcomes from work, tasks into memory."""

from __future__ import annotations

import os

from recairn.engine.options import moment, request_from
from recairn.engine.recall import Reading
from recairn.engine.remember import Writing
from recairn.engine.tasks import Tasks
from recairn.host.project import root_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recairn.core.model import Memory, SearchResult
    from recairn.host.managed_block import ManagedBlock
    from recairn.ranking.profiles import Profile
    from recairn.recall.tune import Tuned
    from recairn.store.work_rows import Task
    from recairn.work.compaction import Compacted
    from recairn.work.outcomes import Observed

# tx's figure: a week after its end a task is history.
COMPACTED_AFTER = "7d"


class Learning(Tasks, Reading, Writing):
    """What happened, made useful."""

    # Weights

    def tune(self, *, apply: bool = False) -> Tuned:
        """Weights fitted to the feedback and misses so far, with what they do to questions held
        back; `apply` writes them as settings, Refused when they are no better."""
        from recairn.core.record import replace
        from recairn.ranking.profiles import for_model
        from recairn.recall.tune import apply as write
        from recairn.recall.tune import tune

        self.settle()
        settings = self.store.config()
        profile = request_from("", {}, self._filter({}, self._clock()), settings).profile
        active = self.store.active_model()
        prior = for_model(profile, None if active is None else active.name)
        weights = {name: weight.weight for name, weight in prior.weights.items()}
        tuned = tune(self.store, self._ask_again, prior, weights)
        if not apply:
            return tuned
        names = {name: _setting(name, settings, prior) for name in weights}
        return replace(tuned, applied=write(self.store, tuned, names, self._clock()))

    def undo_tuning(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Puts the weights back as they were before `tune(apply=True)`: the settings restored, and
        those left alone because somebody changed them since."""
        from recairn.recall.tune import take_back

        return take_back(self.store, self._clock())

    def _ask_again(self, query: str, wanted: int) -> SearchResult:
        """The answers of today to a question, asked in the project of the memory wanted."""
        from recairn.recall.tune import ANSWERS

        memory = self.store.get(wanted)
        project = memory.project if memory and memory.tier == "project" else None
        return self.search(query, project=project, limit=ANSWERS, all=True, track=False)

    # Outcomes

    def observe(
        self, passed: bool, *, task: str | None = None, what: str = "tests"
    ) -> Observed | None:
        """Notes the outcome of a run of tests on a task, and on what was handed out for it.

        By default the current task; None when there is none. The next run takes its place.
        """
        from recairn.core.draft import MAX_REFERENCE, Cleaner
        from recairn.work import tasks
        from recairn.work.feedback import observation
        from recairn.work.outcomes import OBSERVED_RUN, Observed

        self.settle()
        served = self.current_task() if task is None else self.task(task)
        if served is None:
            return None
        clean, act = Cleaner(self._allowed()), self._act()
        seen = clean.name("note", what[:MAX_REFERENCE], MAX_REFERENCE)
        note = f"{seen} {'passed' if passed else 'failed'}"
        with self.store.transaction():
            reached = observation(self.store, served, passed=passed, act=act, note=note)
            if served.metadata.get(OBSERVED_RUN) != note:
                tasks.edit(self.store, served, {"metadata": {OBSERVED_RUN: note}}, act, clean)
        return Observed(served.id, "pass" if passed else "fail", seen, reached)

    def observe_reverts(self) -> list[Observed]:
        """Looks for commits that name a task and were reverted: such a task has failed."""
        from recairn.core.model import TaskFilter
        from recairn.work.outcomes import reverts

        self.settle()
        observed = []
        for revert in reverts(self._work_root()):
            what = f"commit {revert.commit[:10]} was reverted by {revert.by[:10]}"
            for task in self.store.tasks(TaskFilter(ids=revert.words)):
                if what not in (task.outcome_note, task.metadata.get("reverted")):
                    observed.append(self._failed(task, what))
        return observed

    def _failed(self, task: Task, what: str) -> Observed:
        from recairn.work.outcomes import Observed

        if task.status == "done":
            self.finish_task(task.id, "failure", what)
            said = self.store.feedback(task=task.id)
            reached = {row.memory for row in said if not row.undone}
            return Observed(task.id, "failure", what, len(reached))
        seen = self.observe(False, task=task.id, what=what)
        self.edit_task(task.id, metadata={"reverted": what})
        assert seen is not None
        return seen

    # Compaction

    def compact(
        self,
        *,
        before: int | str = COMPACTED_AFTER,
        dry_run: bool = False,
        output: str | os.PathLike[str] | None = None,
        all_projects: bool = False,
    ) -> tuple[list[Compacted], list[int]]:
        """Finished tasks as learnings, and the ids of those added to the file `output`.

        Tasks done `before` a time (or an age), with everything below them done too, count; none is
        compacted twice. `undo(source="compaction")` takes it back.
        """
        from functools import partial

        from recairn.work.compaction import Compaction, groups, written

        self.settle()
        act = self._act()
        block = None if output is None else _learnings_in(os.fspath(output))
        project = None if all_projects else self.project
        task_groups = groups(self.store, project, moment(before, act.at) or 0)
        compacted = [written(self.store, group) for group in task_groups]
        if not dry_run:
            prepare = partial(self._prepared, now=act.at, allow=self._allowed())
            writing = Compaction(self.store, self.meaning, prepare, act)
            compacted = [writing.keep(*each) for each in zip(task_groups, compacted, strict=True)]
        if block is None or dry_run:
            return compacted, []
        from recairn.work.learnings_file import append

        added = append(block, self._compacted(project), act.at)
        with self.store.transaction():
            self.store.note_exported(added, os.fspath(output or ""))
        return compacted, added

    def _compacted(self, project: str | None) -> list[Memory]:
        """The living learnings that compaction made, oldest first."""
        ids = [memory for row in self.store.compactions() for memory in row.memories]
        memories = self.store.get_many(ids)
        return [
            memories[number]
            for number in dict.fromkeys(ids)
            if number in memories
            and memories[number].deleted_at is None
            and memories[number].superseded_by is None
            and project in (None, memories[number].project)
        ]


def _learnings_in(path: str) -> ManagedBlock:
    """The block of learnings in a file of the project; Refused before anything is written."""
    from recairn.work.learnings_file import block_in

    return block_in(path, root_of(os.getcwd()) or os.getcwd())


def _setting(signal: str, settings: dict[str, str], profile: Profile) -> str:
    """The setting that weighs a signal: the one somebody chose for it already, or its own."""
    from recairn.engine.options import weight_named
    from recairn.ranking.profiles import signal_named

    for key in reversed(settings):
        name = weight_named(key)
        if name is not None and signal_named(profile, name) == signal:
            return key
    return f"retrieval.{signal}_weight"
