"""How far something long has come: a bar on a terminal that rich can draw on, else a counter."""

from __future__ import annotations

import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType
    from typing import Any

    from recairn.surfaces.cli.call import Screen

# Seconds between two counter lines: often enough to be seen moving.
_EVERY_S = 0.1


class Bar:
    """Call it with (done, total); it draws on standard error, and only on a terminal."""

    def __init__(self, screen: Screen, what: str, *, unit: float = 1) -> None:
        """`unit` is what one shown step counts, for example 1,000,000 to show bytes as MB."""
        self._screen = screen
        self._what = what
        self._unit = unit
        self._shown_at = 0.0
        self._progress: Any = None
        self._task: Any = None

    def __enter__(self) -> Bar:
        return self

    def __call__(self, done: int, total: int) -> None:
        if not self._screen.err.isatty():
            return
        if self._progress is None and not self._shown_at:
            self._progress = self._started(total)
        if self._progress is not None:
            self._progress.update(self._task, completed=done / self._unit, total=total / self._unit)
        elif done >= total or time.monotonic() - self._shown_at >= _EVERY_S:
            counted = f"{done / self._unit:,.0f} of {total / self._unit:,.0f}"
            self._screen.err.write(f"\r{self._what}: {counted}")
            self._screen.err.flush()
        if not self._shown_at or time.monotonic() - self._shown_at >= _EVERY_S:
            self._shown_at = time.monotonic()

    def _started(self, total: int) -> Any:
        try:
            from rich.console import Console
            from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn
        except ImportError:
            return None
        coloured = self._screen.coloured(self._screen.err)
        console = Console(file=self._screen.err, no_color=not coloured, highlight=False)
        columns = ("{task.description}", BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        progress = Progress(*columns, console=console)
        progress.start()
        self._task = progress.add_task(self._what, total=total / self._unit)
        return progress

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._progress is not None:
            self._progress.stop()
        elif self._shown_at:
            self._screen.err.write("\n")
