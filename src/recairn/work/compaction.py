"""From finished work to learnings: done tasks, with all that belongs to them, become one memory.

Without any model: the text is put together from titles, outcomes, notes, decisions and the most
telling sentences. A program named in `compaction.command` may write it instead.
"""

from __future__ import annotations

from recairn.core.derived import subject_words
from recairn.core.draft import MAX_KEYWORDS, MAX_REFERENCE
from recairn.core.errors import Refused
from recairn.core.memory_text import kind_name
from recairn.core.model import Draft, Edge, TaskFilter
from recairn.core.record import record
from recairn.core.words import one_line, words
from recairn.host.program import answer_of
from recairn.memory import links
from recairn.memory.joined_sentences import sentences
from recairn.memory.remember import Door, remember

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from recairn.core.draft import Prepared
    from recairn.core.model import Act, Memory
    from recairn.embed.index import Meaning
    from recairn.store.contract.base import Store
    from recairn.store.work_rows import Task

COMMAND = "compaction.command"
SOURCE = "compaction"
# Characters of a learning, and of one line in it: a page is no longer a learning.
_LONGEST = 4000
_LINE = 240
_MAX_SENTENCES = 3
_MAX_PARTS = 12
_MAX_MEMORIES = 8
_TELLING_KINDS = ("decision", "pattern", "failure", "rule", "learning", "fact", "preference")


@record
class Group:
    """A finished task, everything finished below it, and the memories made or used in them."""

    tasks: Sequence[Task]
    made: Sequence[Memory]
    used: Sequence[Memory]

    @property
    def head(self) -> Task:
        return self.tasks[0]


@record
class Compacted:
    """What a group became, or would become: its text, who wrote it, and the memory."""

    tasks: tuple[str, ...]
    title: str
    text: str
    by: str
    memory: int | None = None
    notice: str = ""


def groups(store: Store, project: str | None, before: int) -> list[Group]:
    """The finished work that was not compacted yet, one group for each topmost task."""
    all_tasks = store.tasks(TaskFilter(project=project))
    by_id = {task.id: task for task in all_tasks}
    below: dict[str, list[str]] = {}
    for task in all_tasks:
        if task.parent is not None:
            below.setdefault(task.parent, []).append(task.id)
    compacted = _compacted_tasks(store)
    finished: dict[str, bool] = {}

    def is_finished(task: str) -> bool:
        """Done long enough, and so is everything below it; circles cannot be stored."""
        if task not in finished:
            is_done = by_id[task].status == "done" and (by_id[task].completed_at or 0) < before
            finished[task] = is_done and all(is_finished(child) for child in below.get(task, ()))
        return finished[task]

    heads = [
        task
        for task in all_tasks
        if is_finished(task.id) and not (task.parent in by_id and is_finished(task.parent or ""))
    ]
    results = []
    for head in sorted(heads, key=lambda task: (task.completed_at or 0, task.id)):
        family = [task for task in _family(head.id, below) if task not in compacted]
        if family:
            results.append(_group(store, [by_id[task] for task in family]))
    return results


def _family(task: str, below: dict[str, list[str]]) -> list[str]:
    """A task and everything below it, parents first."""
    family = [task]
    for member in family:
        family += below.get(member, [])
    return family


def _compacted_tasks(store: Store) -> set[str]:
    """Ids of the tasks that became learnings, unless that was taken back."""
    compacted: set[str] = set()
    undone = store.undone()
    for compaction in store.compactions():
        taken_back = [
            event.id in undone
            for memory in compaction.memories
            for event in store.history(memory)
            if event.event == "created"
        ]
        if not taken_back or not all(taken_back):
            compacted.update(compaction.task_ids)
    return compacted


def _group(store: Store, family: Sequence[Task]) -> Group:
    made = [memory for task in family for memory in store.from_source(task.id)]
    used = [
        member.memory
        for task in family
        for injection in store.injections(task=task.id)
        for member in injection.memories
        if member.used in ("cited", "helpful")
    ]
    memories = store.get_many(list(dict.fromkeys([*made, *used])))
    return Group(
        family,
        [memories[memory] for memory in dict.fromkeys(made) if _tellable(memories[memory])],
        [
            memories[memory]
            for memory in dict.fromkeys(used)
            if memory in memories and memory not in made
        ],
    )


def _tellable(memory: Memory) -> bool:
    """Whether a memory made in a task belongs into what the task taught."""
    live = memory.deleted_at is None and memory.superseded_by is None
    return live and memory.source_type != SOURCE and memory.kind in _TELLING_KINDS


# The text


def extract(group: Group) -> str:
    """What the work taught, in its own words."""
    head, parts = group.head, group.tasks[1:]
    lines = [_outcome_line(head)]
    lines += [sentence for sentence in _key_sentences(group) if sentence not in lines[0]]
    lines += [f"- {_outcome_line(part)}" for part in parts[:_MAX_PARTS]]
    if len(parts) > _MAX_PARTS:
        lines.append(f"- and {len(parts) - _MAX_PARTS} more parts")
    lines += [f"- {_memory_line(memory)}" for memory in group.made[:_MAX_MEMORIES]]
    if group.used:
        ids = ", ".join(f"#{memory.id}" for memory in group.used[:_MAX_MEMORIES])
        lines.append(f"Relied on {ids}.")
    return "\n".join(lines)[:_LONGEST].rstrip()


def _outcome_line(task: Task) -> str:
    """`Draw the chart: success, the legend came last`."""
    how = ", ".join(filter(None, (task.outcome, one_line(task.outcome_note, _LINE))))
    return f"{task.title}: {how}" if how else task.title


def _memory_line(memory: Memory) -> str:
    text = one_line(memory.title or memory.content, _LINE)
    why = memory.fields.get("rationale") or memory.fields.get("fix") or ""
    reason = f" ({one_line(why, _LINE)})" if why else ""
    return f"{kind_name(memory).capitalize()}: {text}{reason}"


def _key_sentences(group: Group) -> list[str]:
    """The sentences of the descriptions that share most with all the rest, in their order."""
    candidates = [
        one_line(sentence, _LINE)
        for task in group.tasks
        for sentence in sentences(task.description)
    ]
    candidates = list(dict.fromkeys(candidates))
    common: dict[str, int] = {}
    for text in (
        *candidates,
        *(task.title for task in group.tasks),
        *(m.content for m in group.made),
    ):
        for word in subject_words(set(words(text))):
            common[word] = common.get(word, 0) + 1

    def weight(sentence: str) -> float:
        subject = subject_words(set(words(sentence)))
        return sum(common.get(word, 0) for word in subject) / (len(subject) + 2)

    ranking = sorted(candidates, key=lambda text: (-weight(text), candidates.index(text)))
    return sorted(ranking[:_MAX_SENTENCES], key=candidates.index)


def written(store: Store, group: Group) -> Compacted:
    """The group with its text: by the configured program or, where that fails, extracted."""
    title = one_line(group.head.title, _LINE)
    ids = tuple(task.id for task in group.tasks)
    text = extract(group)
    command = store.config().get(COMMAND, "").strip()
    if not command:
        return Compacted(ids, title, text, "extract")
    try:
        summary = answer_of(command, f"{text}\n\n{_descriptions(group)}".strip(), COMMAND)
    except Refused as error:
        return Compacted(ids, title, text, "extract", notice=f"{error.message}; extracted instead")
    return Compacted(ids, title, summary[:_LONGEST].rstrip(), "command")


def _descriptions(group: Group) -> str:
    return "\n\n".join(
        f"{task.title}\n{task.description}" for task in group.tasks if task.description
    )


# Writing


class Compaction:
    """Writes what groups become, each in one transaction with its entry in the log."""

    def __init__(
        self, store: Store, meaning: Meaning, prepare: Callable[[Draft], Prepared], act: Act
    ) -> None:
        self._store = store
        self._meaning = meaning
        self._prepare = prepare
        self._act = act

    def keep(self, group: Group, compacted: Compacted) -> Compacted:
        """The group as a learning, linked to what was made and used in its tasks."""
        head = group.head
        rest = ",".join(compacted.tasks[1:])
        draft = Draft(
            content=compacted.text,
            title=compacted.title,
            category=head.category,
            project=head.project or None,
            keywords=compacted.tasks[:MAX_KEYWORDS],
            source_type=SOURCE,
            source_ref=f"{head.id}:{rest}"[:MAX_REFERENCE] if rest else head.id,
        )
        prepared = self._prepare(draft)
        pieces = self._meaning.pieces([prepared.text])[0]
        with self._store.transaction():
            door = Door(self._meaning, "add")
            stored = remember(self._store, prepared, door, pieces)
            assert stored.id is not None
            for other in (*group.made, *group.used):
                self._link(stored.id, other)
            self._store.add_compaction(
                {
                    "at": self._act.at,
                    "task_ids": list(compacted.tasks),
                    "memories": [stored.id],
                    "summary": prepared.row["content"],
                }
            )
        return Compacted(
            compacted.tasks,
            compacted.title,
            prepared.row["content"],
            compacted.by,
            stored.id,
            compacted.notice,
        )

    def _link(self, memory: int, other: Memory) -> None:
        at = self._act.at
        if other.deleted_at is None and other.id != memory:
            edge = Edge(memory, other.id, "derived_from", 1.0, 1.0, SOURCE, at, at, None)
            links.link(self._store, edge, self._act)
