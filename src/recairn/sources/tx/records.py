"""What each kind of record that tx keeps becomes here; rows and log entries have one shape."""

from __future__ import annotations

from functools import partial
from hashlib import sha256
from itertools import islice

from recairn.core.errors import BadInput
from recairn.core.kinds import SOURCE_TYPES
from recairn.core.model import Draft
from recairn.sources.format import Extra, Omission, Record
from recairn.sources.readers.values import (
    all_required,
    earned,
    mapping,
    moment,
    read,
    required,
    share,
    text,
    texts,
    when,
)
from recairn.sources.tx import work
from recairn.sources.tx.work import IN_DATABASE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from recairn.sources.readers.files import Origin

    Row = Mapping[str, Any]
    Item = Record | Extra | Omission

_RELATIONS = {
    "SIMILAR_TO": "relates_to",
    "LINKS_TO": "relates_to",
    "DERIVED_FROM": "derived_from",
    "IMPORTS": "depends_on",
    "CO_CHANGES_WITH": "relates_to",
    "ANCHORED_TO": "applies_to",
}
_ENDS = ("source", "target")
_USED, _REPLACED = "USED_IN_RUN", "INVALIDATED_BY"
# From this outcome on a learning has helped more than it harmed.
HELPED = 0.5
_DIGITS = 9
# How deep a parent of a parent of ... of metadata may go is the task door's business; its size too.
_TASK_TIMES = ("created_at", "updated_at", "completed_at")
_TASK_TEXTS = ("assignee_type", "assignee_id", "assigned_at", "assigned_by", "verify_cmd")
# How the fields of a row are read, those first that tell whether it is known already.
_LEARNING = (
    (required, "content"),
    (required, "id"),
    (text, "source_type"),
    (text, "hash"),
    (text, "run_id"),
    (text, "category"),
    (text, "source_ref"),
    (texts, "keywords"),
    (share, "outcome_score"),
    (moment, "created_at", "ts"),
    (partial(earned, usage_count="usage_count", last_used_at="last_used_at"),),
)
_TASK = (
    (required, "id"),
    (required, "title"),
    (text, "description"),
    (text, "status"),
    (text, "parent_id"),
    (mapping, "metadata"),
    (moment, "created_at", "ts"),
    (moment, "updated_at", "ts"),
    (moment, "completed_at"),
)

# Below the folder of the project, where tx writes docs unless it is told otherwise.
_DOCS = (".tx/docs", "specs", "docs")


class Tx:
    """What was met so far: the keys of learnings by number and by hash, and files they name."""

    def __init__(self, project: Origin | None = None) -> None:
        self._project = project
        self.from_logs = False
        self.runs: set[str] = set()
        self.docs: dict[str, str] = {}
        self.documents: set[str] = set()
        self.labels: dict[str, str] = {}
        self.task_docs: dict[str, dict[str, None]] = {}
        self.task_labels: dict[str, dict[str, None]] = {}
        self.hashes: dict[str, str] = {}
        self.numbers: dict[str, str] = {}
        self.files: dict[str, list[str]] = {}
        self.keys: set[str] = set()

    def first(self, key: str) -> bool:
        """Whether a record is told for the first time; the database comes before the logs."""
        new = not (self.from_logs and key in self.keys)
        if not self.from_logs:
            self.keys.add(key)
        return new

    def key_of(self, name: str) -> str:
        """The key of the learning that is called by its number or its hash."""
        return self.numbers.get(name) or self.hashes.get(name, f"learning:{name}")

    def text_of(self, path: str) -> str:
        """The text of a doc, as tx rendered it or else as it stands; nothing where it is not."""
        if self._project is None:
            return ""
        rendered = path.rpartition(".")[0] + ".md"
        for name in (f"{folder}/{file}" for folder in _DOCS for file in (rendered, path)):
            try:
                return self._project.inside(name).text().strip()
            except BadInput:
                continue
        return ""


def anchor(tx: Tx, place: str, row: Row) -> list[Item]:
    """The file a learning is about: known before the learning itself comes."""
    of = text(row, "learning_content_hash") or f"#{required(row, 'learning_id')}"
    tx.files.setdefault(of, []).append(
        required(row, "anchor_value")
        if row.get("anchor_type") == "glob"
        else required(row, "file_path")
    )
    return [Omission("anchors", "as the scope of their learnings", kept=True)]


def learning(tx: Tx, place: str, row: Row) -> list[Item]:
    fields = read(row, _LEARNING)
    content, number, source, hashed, run = islice(fields, 5)
    source = source or "manual"
    spellings = (_hashed(content, source), _hashed(content, source, between="|"))
    hashed = hashed or spellings[0]
    if tx.from_logs and hashed in tx.hashes:
        return [IN_DATABASE]
    category, reference, keywords, score, created, counts = fields
    session = run if run in tx.runs else None
    key = f"learning:{hashed}" if tx.from_logs else f"learning:{number}"
    tx.hashes |= dict.fromkeys((hashed,) if tx.from_logs else (hashed, *spellings), key)
    tx.numbers.setdefault(number, key)
    files = list(dict.fromkeys([*tx.files.get(hashed, ()), *tx.files.get(f"#{number}", ())]))
    draft = Draft(
        content,
        category=category,
        keywords=[*keywords, *files[1:]][:50],
        scope=files[0] if files else "",
        source_type=source if source in SOURCE_TYPES else "import",
        source_ref=reference,
        session=session,
        created_at=created,
        external_id=f"tx-learning-{number}",
        # What a run left behind waits for a review, unless its outcome has confirmed it there.
        trust="verified" if score is not None and score >= HELPED else None,
    )
    record = Record(key, draft, place, (), {**counts, **rated(score)})
    return [record, *work.use_in_run(key, session, place, created)] if session else [record]


def rated(score: float | None) -> dict[str, float]:
    """What an outcome counts here: as much as one rating, so that ranking goes on with it."""
    if score is None:
        return {}
    return {"outcome_score": score, "helpful": score, "harmful": round(1.0 - score, _DIGITS)}


def file_learning(tx: Tx, place: str, row: Row) -> list[Item]:
    note, pattern = all_required(row, "note", "file_pattern")
    key = _content_key(tx, "file", row, pattern, note)
    if not tx.first(key):
        return [IN_DATABASE]
    draft = Draft(
        note,
        scope=pattern,
        source_type="import",
        source_ref=text(row, "task_id"),
        created_at=moment(row, "created_at", "ts"),
        external_id=f"tx-file-learning-{required(row, 'id')}",
    )
    return [Record(key, draft, place)]


def attempt(tx: Tx, place: str, row: Row) -> list[Item]:
    """What was tried for a task: a failure with its reason, or something that worked."""
    task, approach = all_required(row, "task_id", "approach")
    key = _content_key(tx, "attempt", row, task, approach)
    if not tx.first(key):
        return [IN_DATABASE]
    outcome, reason = required(row, "outcome"), text(row, "reason")
    if outcome not in ("failed", "succeeded"):
        raise BadInput(f"unknown outcome {outcome[:40]!r}")
    failed = outcome == "failed"
    draft = Draft(
        approach if failed or not reason else f"{approach}\n\n{reason}",
        kind="failure" if failed else "learning",
        fields={"cause": reason} if failed and reason else None,
        category=f"attempt {outcome}",
        source_type="import",
        source_ref=task,
        created_at=moment(row, "created_at", "ts"),
        external_id=f"tx-attempt-{required(row, 'id')}",
    )
    return [Record(key, draft, place)]


def pin(tx: Tx, place: str, row: Row) -> list[Item]:
    """A pinned block is a standing rule."""
    name = required(row, "id")
    key = f"pin:{name}"
    if not tx.first(key):
        return [IN_DATABASE]
    draft = Draft(
        required(row, "content"),
        kind="rule",
        title=name,
        pinned=True,
        source_type="import",
        created_at=moment(row, "created_at", "ts"),
        external_id=f"tx-pin-{name}",
    )
    return [Record(key, draft, place)]


def task(tx: Tx, place: str, row: Row) -> list[Item]:
    fields = read(row, _TASK)
    name = next(fields)
    if not tx.first(f"task:{name}"):
        return [IN_DATABASE]
    title, description, status, parent, metadata, *times = fields
    more = {field: row[field] for field in _TASK_TEXTS if row.get(field) is not None}
    category = metadata.get("category")
    about = {"labels": tx.task_labels.get(name), "docs": tx.task_docs.get(name)}
    more |= {field: list(names) for field, names in about.items() if names}
    values = {
        "id": name,
        "title": title,
        "description": description,
        "category": category if isinstance(category, str) else "",
        "status": status or "open",
        "score": row.get("score") or 0,
        "parent": parent or None,
        "metadata": {**metadata, **more},
        **dict(zip(_TASK_TIMES, times, strict=True)),
    }
    return [Extra(name, "task", values, place)]


def dep(tx: Tx, place: str, row: Row) -> list[Item]:
    blocked, blocker = all_required(row, "blocked_id", "blocker_id")
    key = f"{blocked} {blocker}"
    if not tx.first(f"dep:{key}"):
        return [IN_DATABASE]
    return [Extra(key, "dependency", {"task_id": blocked, "depends_on": blocker}, place)]


def edge(tx: Tx, place: str, row: Row) -> list[Item]:
    """A link between learnings, or the use of one in a run; other ends are no memories here."""
    kind = required(row, "edge_type")
    ends = [(required(row, f"{end}_type"), required(row, f"{end}_id")) for end in _ENDS]
    (source_type, source), (target_type, other) = ends
    key = f"{kind} {ends}"
    if not tx.first(f"edge:{key}"):
        return [IN_DATABASE]
    if source_type == "learning" and kind == _USED:
        return _uses(tx, key, place, row, tx.key_of(source), other)
    if source_type != "learning" or target_type != "learning":
        return [Omission("edges", "their ends are files, tasks or runs")]
    relation = "supersedes" if kind == _REPLACED else _RELATIONS.get(kind)
    if relation is None:
        raise BadInput(f"unknown edge type {kind[:40]!r}")
    if kind == _REPLACED:
        source, other = other, source
    weight = share(row, "weight")
    values: dict[str, Any] = {
        "source": tx.key_of(source),
        "target": tx.key_of(other),
        "relation": relation,
        "weight": 1.0 if weight is None else weight,
        "created_at": moment(row, "created_at", "ts"),
        "valid_until": moment(row, "invalidated_at"),
    }
    return [Extra(key, "edge", values, place)]


def _uses(tx: Tx, key: str, place: str, row: Row, memory: str, run: str) -> list[Item]:
    """That a learning was used in a run, which may be a session here."""
    at = when(row, "created_at", "ts")
    values = {"memory": memory, "at": at, "source": f"tx run {run}"}
    uses: list[Item] = [Extra(key, "access", values, place)]
    if run in tx.runs:
        values = {"session_id": run, "memory": memory, "usage_type": "recalled", "at": at}
        uses.append(Extra(key, "use", values, place))
    return uses


def compaction(tx: Tx, place: str, row: Row) -> list[Item]:
    """What tasks were summed up as, and the learnings that came of it."""
    number, lessons = required(row, "id"), text(row, "learnings").strip()
    values = {
        "at": when(row, "compacted_at"),
        "task_ids": texts(row, "task_ids"),
        "memories": [],
        "summary": text(row, "summary"),
        "exported_to": text(row, "learnings_exported_to"),
    }
    items: list[Item] = [Extra(number, "compaction", values, place)]
    if lessons:
        draft = Draft(
            lessons,
            source_type="compaction",
            created_at=moment(row, "compacted_at"),
            external_id=f"tx-compaction-{number}",
        )
        items.append(Record(f"compaction:{number}", draft, place))
    return items


def setting(tx: Tx, place: str, row: Row) -> list[Item]:
    """Its weights mean its own formula: kept under its name, for the profile `tx`."""
    name = required(row, "key")
    return [Extra(name, "setting", {"key": f"tx.{name}", "value": text(row, "value")}, place)]


def _content_key(tx: Tx, what: str, row: Row, *parts: str) -> str:
    """The key of a record that tx knows by its content; older versions of it hashed otherwise."""
    hashed = text(row, "hash")
    now, before = (f"{what}:{_hashed(*parts, between=sign)}" for sign in ("", "|"))
    if not hashed:
        if not tx.from_logs:
            tx.keys.add(before)
        return now
    key = f"{what}:{hashed}"
    return now if key in (now, before) else key


def _hashed(*parts: str, between: str = "") -> str:
    return sha256(between.join(parts).encode("utf-8", "surrogatepass")).hexdigest()


MAKERS: dict[str, Callable[[Tx, str, Row], list[Item]]] = {
    "anchor": anchor,
    "learning": learning,
    "file_learning": file_learning,
    "attempt": attempt,
    "pin": pin,
    "task": task,
    "dep": dep,
    "edge": edge,
    "compaction": compaction,
    "setting": setting,
    "run": work.run,
    "doc": work.doc,
    "doc_link": work.doc_link,
    "task_doc_link": work.task_doc,
    "decision": work.decision,
    "invariant": work.invariant,
    "label": work.label,
    "label_assignment": work.label_assignment,
    "memory_document": work.memory_document,
    "memory_link": work.memory_link,
}
