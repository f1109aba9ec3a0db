"""What each kind of record that tx keeps becomes here; rows and log entries have one shape."""

from __future__ import annotations

from hashlib import sha256

from recairn.core.errors import BadInput
from recairn.core.kinds import SOURCE_TYPES
from recairn.core.model import Draft
from recairn.sources.format import Extra, Record
from recairn.sources.readers.values import earned, mapping, moment, needed, share, text, texts, when
from recairn.sources.tx import work

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any

    from recairn.sources.readers.files import Origin

    Told = Mapping[str, Any]
    Given = Record | Extra

_RELATIONS = {
    "SIMILAR_TO": "relates_to",
    "LINKS_TO": "relates_to",
    "DERIVED_FROM": "derived_from",
    "IMPORTS": "depends_on",
    "CO_CHANGES_WITH": "relates_to",
    "ANCHORED_TO": "applies_to",
}
_USED, _REPLACED = "USED_IN_RUN", "INVALIDATED_BY"
# From this outcome on a learning has helped more than it harmed.
_HELPED = 0.5
_DIGITS = 9
# How deep a parent of a parent of ... of metadata may go is the task door's business; its size too.
_TASK_TEXTS = ("assignee_type", "assignee_id", "assigned_at", "assigned_by", "verify_cmd")


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
        self.told: set[str] = set()

    def first(self, key: str) -> bool:
        """Whether a record is told for the first time; the database comes before the logs."""
        new = not (self.from_logs and key in self.told)
        if not self.from_logs:
            self.told.add(key)
        return new

    def text_of(self, path: str) -> str:
        """The text of a doc, as tx rendered it or else as it stands; nothing where it is not."""
        if self._project is None:
            return ""
        rendered = path.rpartition(".")[0] + ".md"
        for name in (f"{folder}/{each}" for folder in _DOCS for each in (rendered, path)):
            try:
                return self._project.inside(name).text().strip()
            except BadInput:
                continue
        return ""


def anchor(tx: Tx, place: str, told: Told) -> Iterator[Given]:
    """The file a learning is about: known before the learning itself comes."""
    of = text(told, "learning_content_hash") or f"#{needed(told, 'learning_id')}"
    tx.files.setdefault(of, []).append(
        needed(told, "anchor_value")
        if told.get("anchor_type") == "glob"
        else needed(told, "file_path")
    )
    return iter(())


def learning(tx: Tx, place: str, told: Told) -> Iterator[Given]:
    content, number = needed(told, "content"), needed(told, "id")
    source = text(told, "source_type") or "manual"
    spelled = (_hashed(content, source), _hashed(content, source, between="|"))
    hashed = text(told, "hash") or spelled[0]
    if tx.from_logs and hashed in tx.hashes:
        return
    key = f"learning:{hashed}" if tx.from_logs else f"learning:{number}"
    tx.hashes |= dict.fromkeys((hashed,) if tx.from_logs else (hashed, *spelled), key)
    session = work.made_in_run(tx, told)
    tx.numbers.setdefault(number, key)
    files = list(dict.fromkeys([*tx.files.get(hashed, ()), *tx.files.get(f"#{number}", ())]))
    score = share(told, "outcome_score")
    draft = Draft(
        content,
        category=text(told, "category"),
        keywords=[*texts(told, "keywords"), *files[1:]][:50],
        scope=files[0] if files else "",
        source_type=source if source in SOURCE_TYPES else "import",
        source_ref=text(told, "source_ref"),
        session=session,
        created_at=moment(told, "created_at", "ts"),
        external_id=f"tx-learning-{number}",
        # What a run left behind waits for a review, unless its outcome has confirmed it there.
        trust="verified" if score is not None and score >= _HELPED else None,
    )
    used = earned(told, usage_count="usage_count", last_used_at="last_used_at")
    yield Record(key, draft, place, (), {**used, **rated(score)})
    yield from work.of_run(key, session, place, told)


def rated(score: float | None) -> dict[str, float]:
    """What an outcome counts here: as much as one rating, so that ranking goes on with it."""
    if score is None:
        return {}
    return {"outcome_score": score, "helpful": score, "harmful": round(1.0 - score, _DIGITS)}


def file_learning(tx: Tx, place: str, told: Told) -> Iterator[Given]:
    note, pattern = needed(told, "note"), needed(told, "file_pattern")
    key = _known_by(tx, "file", told, pattern, note)
    if tx.first(key):
        draft = Draft(
            note,
            scope=pattern,
            source_type="import",
            source_ref=text(told, "task_id"),
            created_at=moment(told, "created_at", "ts"),
            external_id=f"tx-file-learning-{needed(told, 'id')}",
        )
        yield Record(key, draft, place)


def attempt(tx: Tx, place: str, told: Told) -> Iterator[Given]:
    """What was tried for a task: a failure with its reason, or something that worked."""
    task, approach = needed(told, "task_id"), needed(told, "approach")
    key = _known_by(tx, "attempt", told, task, approach)
    if not tx.first(key):
        return
    outcome, reason = needed(told, "outcome"), text(told, "reason")
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
        created_at=moment(told, "created_at", "ts"),
        external_id=f"tx-attempt-{needed(told, 'id')}",
    )
    yield Record(key, draft, place)


def pin(tx: Tx, place: str, told: Told) -> Iterator[Given]:
    """A pinned block is a standing rule."""
    name = needed(told, "id")
    key = f"pin:{name}"
    if tx.first(key):
        draft = Draft(
            needed(told, "content"),
            kind="rule",
            title=name,
            pinned=True,
            source_type="import",
            created_at=moment(told, "created_at", "ts"),
            external_id=f"tx-pin-{name}",
        )
        yield Record(key, draft, place)


def task(tx: Tx, place: str, told: Told) -> Iterator[Given]:
    name = needed(told, "id")
    if not tx.first(f"task:{name}"):
        return
    more = {each: told[each] for each in _TASK_TEXTS if told.get(each) is not None}
    metadata = mapping(told, "metadata")
    category = metadata.get("category")
    about = {"labels": tx.task_labels.get(name), "docs": tx.task_docs.get(name)}
    more |= {each: list(named) for each, named in about.items() if named}
    values = {
        "id": name,
        "title": needed(told, "title"),
        "description": text(told, "description"),
        "category": category if isinstance(category, str) else "",
        "status": text(told, "status") or "open",
        "score": told.get("score") or 0,
        "parent": text(told, "parent_id") or None,
        "metadata": {**metadata, **more},
        "created_at": moment(told, "created_at", "ts"),
        "updated_at": moment(told, "updated_at", "ts"),
        "completed_at": moment(told, "completed_at"),
    }
    yield Extra(name, "task", values, place)


def dep(tx: Tx, place: str, told: Told) -> Iterator[Given]:
    blocked, blocker = needed(told, "blocked_id"), needed(told, "blocker_id")
    key = f"{blocked} {blocker}"
    if tx.first(f"dep:{key}"):
        yield Extra(key, "dependency", {"task_id": blocked, "depends_on": blocker}, place)


def edge(tx: Tx, place: str, told: Told) -> Iterator[Given]:
    """A link between learnings, or the use of one in a run; other ends are no memories here."""
    kind = needed(told, "edge_type")
    ends = [
        (needed(told, f"{end}_type"), needed(told, f"{end}_id")) for end in ("source", "target")
    ]
    key = f"{kind} {ends}"
    if not tx.first(f"edge:{key}") or ends[0][0] != "learning":
        return
    source = tx.numbers.get(ends[0][1]) or tx.hashes.get(ends[0][1], f"learning:{ends[0][1]}")
    at = moment(told, "created_at", "ts")
    if kind == _USED:
        used, name = when(told, "created_at", "ts"), ends[1][1]
        values = {"memory": source, "at": used, "source": f"tx run {name}"}
        yield Extra(key, "access", values, place)
        if name in tx.runs:
            values = {"session_id": name, "memory": source, "usage_type": "recalled", "at": used}
            yield Extra(key, "use", values, place)
    elif ends[1][0] == "learning":
        target = tx.numbers.get(ends[1][1]) or tx.hashes.get(ends[1][1], f"learning:{ends[1][1]}")
        if kind == _REPLACED:
            source, target = target, source
        relation = "supersedes" if kind == _REPLACED else _RELATIONS.get(kind)
        if relation is None:
            raise BadInput(f"unknown edge type {kind[:40]!r}")
        weight = share(told, "weight")
        linked: dict[str, Any] = {
            "source": source,
            "target": target,
            "relation": relation,
            "weight": 1.0 if weight is None else weight,
            "created_at": at,
            "valid_until": moment(told, "invalidated_at"),
        }
        yield Extra(key, "edge", linked, place)


def compaction(tx: Tx, place: str, told: Told) -> Iterator[Given]:
    """What tasks were summed up as, and the learnings that came of it."""
    number = needed(told, "id")
    values = {
        "at": when(told, "compacted_at"),
        "task_ids": texts(told, "task_ids"),
        "memories": [],
        "summary": text(told, "summary"),
        "exported_to": text(told, "learnings_exported_to"),
    }
    yield Extra(number, "compaction", values, place)
    learned = text(told, "learnings").strip()
    if learned:
        draft = Draft(
            learned,
            source_type="compaction",
            created_at=moment(told, "compacted_at"),
            external_id=f"tx-compaction-{number}",
        )
        yield Record(f"compaction:{number}", draft, place)


def setting(tx: Tx, place: str, told: Told) -> Iterator[Given]:
    """Its weights mean its own formula: kept under its name, for the profile `tx`."""
    name = needed(told, "key")
    yield Extra(name, "setting", {"key": f"tx.{name}", "value": text(told, "value")}, place)


def _known_by(tx: Tx, what: str, told: Told, *parts: str) -> str:
    """The key of a record that tx knows by its content; older versions of it hashed otherwise."""
    spelled = [f"{what}:{_hashed(*parts)}", f"{what}:{_hashed(*parts, between='|')}"]
    if not text(told, "hash"):
        if not tx.from_logs:
            tx.told.add(spelled[1])
        return spelled[0]
    key = f"{what}:{text(told, 'hash')}"
    return spelled[0] if key in spelled else key


def _hashed(*parts: str, between: str = "") -> str:
    return sha256(between.join(parts).encode("utf-8", "surrogatepass")).hexdigest()


MAKERS: dict[str, Callable[[Tx, str, Told], Iterator[Given]]] = {
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
