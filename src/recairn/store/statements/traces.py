"""What the logs say in words: read whole, and cleared where they repeat what was destroyed."""

from __future__ import annotations

from recairn.store.statements.base import Statements, batches, marks
from recairn.store.work_rows import LogText

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

# Log → the columns that hold words, and what becomes of an entry that is cleared.
_LOGS = {
    "query_log": (("query",), "delete from query_log"),
    "search_failures": (("query", "note"), "delete from search_failures"),
    "injections": (("query",), "update injections set query = ''"),
    "turns": (("prompt",), "update turns set prompt = ''"),
    "feedback": (("query", "note"), "update feedback set query = '', note = ''"),
    "compactions": (("summary",), "update compactions set summary = ''"),
    "sessions": (("prompt", "summary"), "update sessions set prompt = '', summary = ''"),
    "history": (
        ("reason", "before", "after"),
        "update history set reason = '', before = '{}', after = '{}'",
    ),
}
# Entries that were about a memory, whatever they say.
_ABOUT = {
    "query_log": "replace(replace(result_ids, '[', ','), ']', ',') like '%,' || {} || ',%'",
    "search_failures": "wanted = {}",
    "injections": "id in (select injection from injection_memories where memory = {})",
    "turns": "injection in (select injection from injection_memories where memory = {})",
}


class TraceStatements(Statements):
    """The part of a store that knows where words stay beside the memories."""

    def log_texts(self) -> Iterator[LogText]:
        """Everything that the logs hold in words."""
        for log, (columns, _) in _LOGS.items():
            filled = " or ".join(f"{column} not in ('', '{{}}')" for column in columns)
            rows = self._c.rows(f"select id, {', '.join(columns)} from {log} where {filled}")
            for key, *texts in rows:
                yield LogText(log, key, " ".join(map(_plain, texts)))

    def logged_about(self, memory: int) -> dict[str, list[Any]]:
        """Log → keys of the entries that were made because of a memory."""
        return {
            log: [row[0] for row in self._c.rows(f"select id from {log} where {which}")]
            for log, about in _ABOUT.items()
            for which in (about.format(int(memory)),)
        }

    def clear_logs(self, entries: Mapping[str, Sequence[Any]]) -> None:
        """Lets entries of logs say nothing any more; what is only a question goes altogether."""
        for log, keys in entries.items():
            for part in batches(keys):
                self._c.run(f"{_LOGS[log][1]} where id in ({marks(part)})", part)


def _plain(text: str) -> str:
    """The words of a column, also where they are escaped inside a document."""
    if not text.startswith(("{", "[")) or "\\" not in text:
        return text
    from json import dumps, loads

    try:
        return dumps(loads(text), ensure_ascii=False).replace("\\n", " ").replace('\\"', " ")
    except ValueError:
        return text
