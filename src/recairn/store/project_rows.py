"""The rows of projects: their names, the marks that lead to them, and what was done to them."""

from __future__ import annotations

from recairn.core.record import Row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


class ProjectRow(Row):
    """A project; `parent` is the one it is a part of, `folder` where that part begins."""

    id: int
    name: str
    parent: str | None
    folder: str
    created_at: int


class ProjectMark(Row):
    """A place or an origin that leads to a project."""

    kind: str
    value: str
    project: int
    state: int
    at: int


class ProjectChange(Row):
    """What was done to a project, and what is needed to take it back."""

    id: int
    at: int
    event: str
    project: str
    details: Mapping[str, Any]
    session_id: str | None
    undone_at: int | None
