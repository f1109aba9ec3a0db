"""The keyword arguments of `remember` and `search`, for type checkers."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, TypedDict

    class DraftOptions(TypedDict, total=False):
        """Keyword arguments of `remember`: the fields of a Draft, and how to treat look-alikes."""

        kind: str
        title: str
        fields: Mapping[str, Any] | None
        project: str | None
        tier: str | None
        sector: str | None
        category: str
        keywords: Sequence[str]
        scope: str
        branch: str
        importance: float | None
        confidence: float | None
        pinned: bool
        immutable: bool
        source_type: str
        source_ref: str
        session: str | None
        trust: str | None
        external_id: str | None
        created_at: int | str | None
        valid_from: int | str | None
        valid_until: int | str | None
        expires_at: int | str | None
        private: bool | None
        force: bool
        supersede: int | str | None
        merge: int | str | None

    class SearchOptions(TypedDict, total=False):
        """Keyword arguments of `search`, named as on the command line."""

        project: str | None
        all_projects: bool
        session: str | None
        in_session: str | None
        kind: str | Sequence[str] | None
        sector: str | None
        tier: str | None
        category: str | None
        source_type: str | Sequence[str] | None
        source_ref: str | None
        trust: str | None
        branch: str | None
        author: str | None
        candidates: bool
        min_salience: float
        since: int | str | None
        before: int | str | None
        as_of: int | str | None
        include_superseded: bool
        include_deleted: bool
        docs: bool
        transcripts: bool
        mode: str
        profile: str
        limit: int
        min_score: float | None
        graph_depth: int
        deep: bool | None
        weights: Mapping[str, float] | None
        track: bool
        tool: str
        all: bool
