"""What became of the memories that were handed out."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recairn.model import Act
    from recairn.store.base import Store
    from recairn.tasks import Task


def task_outcome(store: Store, task: Task, outcome: str, act: Act) -> None:
    """Carries the outcome of a task to what was handed out for it; inside a transaction."""
    store.note_outcome(task.id, outcome, act.at)
