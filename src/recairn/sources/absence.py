"""What a source no longer has: told, matched to what took its place, and on request forgotten."""

from __future__ import annotations

from recairn.core.model import TaskFilter
from recairn.core.record import replace
from recairn.core.words import one_line
from recairn.memory import lifecycle
from recairn.memory.lookup import known_memory
from recairn.sources.extras import extra_key
from recairn.sources.format import Predecessor
from recairn.sources.former import all_rows
from recairn.work.tasks import tasks as all_tasks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from recairn.sources.format import Extra
    from recairn.sources.target import Target
    from recairn.store.contract.imported import ImportedRow

# Characters of a text by which a memory is named.
_SHOWN = 80
# Tasks that are named one by one.
_TASKS = 20


def predecessors(target: Target, keys: Container[str]) -> list[tuple[Predecessor, ImportedRow]]:
    """The living memories of earlier runs whose records are not in the source any more."""
    rows = [row for row in all_rows(target) if row.live and row.own and row.key not in keys]
    memories = target.store.get_many([row.memory for row in rows if row.memory is not None])
    former = []
    for row in rows:
        memory = None if row.memory is None else memories.get(row.memory)
        if memory is not None:
            text, category, name = memory.content, memory.category, memory.external_id
            one = Predecessor(row.key, memory.id, text, category, row.position, name)
            former.append((one, row))
    return former


def absent(target: Target, keys: Container[str]) -> tuple[tuple[int, str], ...]:
    """The memories whose records the source no longer has, with how their texts begin."""
    rows = all_rows(target)
    # What a second record still says is not gone.
    present = {row.memory for row in rows if row.key in keys}
    numbers = [
        row.memory
        for row in rows
        if row.live and row.own and row.memory is not None and row.memory not in present
    ]
    memories = target.store.get_many(numbers)
    return tuple(
        (number, one_line(memories[number].title or memories[number].content, _SHOWN))
        for number in dict.fromkeys(numbers)
    )


def absent_tasks(target: Target, extras: Sequence[Extra]) -> list[str]:
    """The tasks that the source no longer has and that are still to be done here, as warnings."""
    here = {extra.key for extra in extras if extra.shape == "task"}
    prefix = extra_key("task", "")
    names = [row.key.removeprefix(prefix) for row in all_rows(target) if row.key.startswith(prefix)]
    missing = tuple(name for name in names if name not in here)
    if not missing:
        return []
    tasks = [
        task for task in all_tasks(target.store, TaskFilter(ids=missing)) if task.status != "done"
    ]
    lines = [f"task {task.id} is no longer there: {one_line(task.title, _SHOWN)}" for task in tasks]
    more = len(lines) - _TASKS
    return lines[:_TASKS] + ([f"and {more:,} more tasks are no longer there"] if more > 0 else [])


def forget_absent(target: Target, gone: Sequence[tuple[int, str]], *, dry_run: bool) -> int:
    """Lets go of those memories, and says of how many; what was declared unchangeable stays."""
    act = replace(target.act, reason=f"no longer in {target.where[0]}")
    count = 0
    with target.store.transaction():
        for number, _ in gone:
            if not known_memory(target.store, number).immutable:
                count += 1
                if not dry_run:
                    lifecycle.forget(target.store, number, act)
    return count
