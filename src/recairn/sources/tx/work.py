"""What tx keeps beside learnings: runs, docs, decisions, invariants, labels, indexed markdown."""

from __future__ import annotations

from contextlib import suppress

from recairn.core.draft import MAX_CONTENT
from recairn.core.errors import BadInput
from recairn.core.model import Draft
from recairn.core.times import iso
from recairn.sources.format import Extra, Fault, Omission, Record
from recairn.sources.readers.frontmatter import parted
from recairn.sources.readers.values import (
    all_required,
    count,
    mapping,
    moment,
    required,
    text,
    texts,
    when,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from recairn.sources.tx.records import Tx

    PlacedRow = tuple[str, Any] | Fault
    Row = Mapping[str, Any]
    Item = Record | Extra | Omission

# Of a run, beside what every session has.
_RUN_NOTES = ("task_id", "status", "exit_code", "error_message", "transcript_path")
# What the second doc of a link is to the first.
_DOC_RELATIONS = {
    "overview_to_prd": "part_of",
    "overview_to_design": "part_of",
    "prd_to_design": "implements",
    "design_patch": "builds_on",
}
_NOTES = "docs/learnings/"
# What a log says and the database says too.
IN_DATABASE = Omission("log entries", "as the database holds them", kept=True)


def run(tx: Tx, place: str, row: Row) -> list[Item]:
    """A run of an agent is a session; why it failed stands for the summary it never wrote."""
    name, started = required(row, "id"), when(row, "started_at")
    if started is None:
        raise BadInput("it has no started_at")
    tx.runs.add(name)
    more, error = mapping(row, "metadata"), text(row, "error_message")
    failed = f"{text(row, 'status') or 'failed'}: {error}" if error else ""
    notes = {field: row[field] for field in _RUN_NOTES if row.get(field) not in (None, "")}
    values = {
        "id": name,
        "project": "",
        "agent": text(row, "agent"),
        "branch": text(more, "branch", "git_branch"),
        "summary": text(row, "summary") or failed,
        "context": {**more, **notes},
        "started_at": started,
        "ended_at": when(row, "ended_at") or started,
    }
    return [Extra(name, "session", values, place)]


def run_of(tx: Tx, row: Row) -> str | None:
    """The run that made a record, where that is known."""
    name = text(row, "run_id")
    return name if name in tx.runs else None


def use_in_run(key: str, session: str | None, place: str, created: int | None) -> list[Item]:
    """That a run made the record of that key."""
    if session is None or created is None:
        return []
    values = {"session_id": session, "memory": key, "usage_type": "created", "at": iso(created)}
    return [Extra(f"{session} {key}", "use", values, place)]


def doc(tx: Tx, place: str, row: Row) -> list[Item]:
    """A doc is a note with the text of its file, as far as that is found; else its title."""
    kind, name = all_required(row, "kind", "name")
    version, title = text(row, "version") or "1", required(row, "title")
    key = _doc_named(tx, row)
    if not tx.first(key):
        return [IN_DATABASE]
    path, status = text(row, "file_path"), text(row, "status")
    written = _below_front(tx.text_of(path)) if path else ""
    draft = Draft(
        written if written and len(written) <= MAX_CONTENT else title,
        kind="note",
        title=title[:500],
        fields={"note_type": kind, "summary": f"version {version}, {status}".rstrip(", ")},
        category=f"docs/{kind}"[:200],
        source_type="import",
        source_ref=path,
        created_at=moment(row, "created_at", "ts"),
        external_id=name,
    )
    return [Record(key, draft, place)]


def newest_docs(tx: Tx, rows: Iterable[PlacedRow]) -> tuple[list[PlacedRow], int]:
    """The last version of each doc, and the number of earlier ones: tx keeps the file of that one
    only."""
    last: dict[object, tuple[int, PlacedRow]] = {}
    number = -1
    for number, item in enumerate(rows):
        which: object = number
        version = 0
        if not isinstance(item, Fault) and isinstance(item[1], dict):
            with suppress(BadInput):
                which, version = _doc_named(tx, item[1]), count(item[1], "version")
        if which not in last or version >= last[which][0]:
            last[which] = version, item
    return [item for _, item in last.values()], number + 1 - len(last)


def _doc_named(tx: Tx, row: Row) -> str:
    """The key of a doc, which is known from now on by its number and by its name and version."""
    kind, name = all_required(row, "kind", "name")
    number, version = text(row, "id"), text(row, "version") or "1"
    key = f"doc:{kind}:{name}"
    spellings = [f"#{number}", f"{name}:{version}", f"{kind}:{name}:{version}"]
    spellings += [f"{text(row, 'doc_id')}:{version}"] if text(row, "doc_id") else []
    for spelling in spellings:
        tx.docs.setdefault(spelling, key)
    return key


def doc_link(tx: Tx, place: str, row: Row) -> list[Item]:
    ends = [_doc_key(tx, row, f"{end}_doc") for end in ("from", "to")]
    if ends[0] is None or ends[1] is None:
        return [Omission("links of docs", "one end is not there")]
    if not tx.first(f"doc_link:{ends}"):
        return [IN_DATABASE]
    relation = _DOC_RELATIONS.get(text(row, "link_type"), "relates_to")
    values = {
        "source": ends[1],
        "target": ends[0],
        "relation": relation,
        "created_at": moment(row, "created_at", "ts"),
    }
    return [Extra(f"doc {ends}", "edge", values, place)]


def task_doc(tx: Tx, place: str, row: Row) -> list[Item]:
    """Which doc a task is about: known before the task itself comes."""
    key = _doc_key(tx, row, "doc")
    if key is None:
        return [Omission("links of docs", "one end is not there")]
    tx.task_docs.setdefault(required(row, "task_id"), {})[key.rpartition(":")[2]] = None
    return [Omission("docs of tasks", "by name in their tasks", kept=True)]


def _doc_key(tx: Tx, row: Row, end: str) -> str | None:
    """The key of the doc that a row names by number, and a log by name or id and version."""
    return tx.docs.get(text(row, f"{end}_key") or f"#{required(row, f'{end}_id')}")


def decision(tx: Tx, place: str, row: Row) -> list[Item]:
    """A decision as it was reviewed; one that nobody has looked at yet is a candidate here too."""
    name = required(row, "id")
    key = f"decision:{name}"
    if not tx.first(key):
        return [IN_DATABASE]
    status, replaced = text(row, "status"), text(row, "superseded_by")
    session, created = run_of(tx, row), moment(row, "created_at", "ts")
    draft = Draft(
        required(row, "edited_content", "content"),
        kind="decision",
        title=text(row, "question")[:500],
        fields={
            "rationale": text(row, "review_note"),
            "type": text(row, "source"),
            "git_commit": text(row, "commit_sha"),
        },
        source_type="import",
        source_ref=text(row, "task_id"),
        session=session,
        trust="unverified" if status == "pending" else None,
        created_at=created,
        external_id=name,
    )
    gone = status == "rejected" or (status == "superseded" and not replaced)
    links = [("superseded_by", f"decision:{replaced}")] if replaced else []
    record = Record(key, draft, place, links, retired=f"{status} in tx" if gone else "")
    return [record, *use_in_run(key, session, place, created)]


def invariant(tx: Tx, place: str, row: Row) -> list[Item]:
    """What must always hold, and how that is checked. There can be hundreds: no standing rules."""
    name = required(row, "id")
    key = f"invariant:{name}"
    if not tx.first(key):
        return [IN_DATABASE]
    checks = [text(row, field) for field in ("enforcement", "test_ref", "lint_rule", "prompt_ref")]
    status = text(row, "status")
    draft = Draft(
        required(row, "rule"),
        kind="fact",
        title=name[:500],
        category="/".join(filter(None, ("invariant", text(row, "subsystem"))))[:200],
        keywords=[field for field in checks if field],
        source_type="import",
        created_at=moment(row, "created_at", "ts"),
        external_id=name,
    )
    doc = tx.docs.get(text(row, "doc_key") or f"#{text(row, 'doc_id')}")
    links = [("part_of", doc)] if doc else []
    retired = status if status == "deprecated" else ""
    return [Record(key, draft, place, links, retired=retired)]


def label(tx: Tx, place: str, row: Row) -> list[Item]:
    tx.labels[required(row, "id")] = required(row, "name")
    return [Omission("labels", "by name in their tasks", kept=True)]


def label_assignment(tx: Tx, place: str, row: Row) -> list[Item]:
    """Which label a task has: known before the task itself comes."""
    name = text(row, "label_name") or tx.labels.get(required(row, "label_id"), "")
    if name:
        tx.task_labels.setdefault(required(row, "task_id"), {})[name] = None
    return [Omission("labels of tasks", "by name in their tasks", kept=True)]


def memory_document(tx: Tx, place: str, row: Row) -> list[Item]:
    """Markdown that tx has indexed, unless it is where its learnings are read from anyway."""
    name, path = required(row, "id"), text(row, "file_path")
    whole = f"{text(row, 'root_dir').rstrip('/')}/{path}"
    if _NOTES in whole:
        return [Omission("learnings", "read from docs/learnings", kept=True)]
    title, above = text(row, "title"), mapping(row, "frontmatter")
    body = _below_front(text(row, "content")).removeprefix(f"# {title}").strip()
    draft = Draft(
        body or required(row, "title"),
        kind="note",
        title=title[:500] if body else "",
        category=text(above, "category"),
        keywords=texts(row, "tags")[:50],
        scope=text(above, "file_pattern"),
        source_type="import",
        source_ref=path,
        created_at=moment(above, "created") or moment(row, "created_at"),
        external_id=name,
    )
    tx.documents.add(name)
    return [Record(f"memory:{name}", draft, place)]


def _below_front(content: str) -> str:
    """A text without the fields above it, also where these are no proper YAML."""
    try:
        return parted(content)[1].strip()
    except BadInput:
        rest = content.replace("\r\n", "\n")[4:].partition("\n---\n")[2]
        return rest.strip() or content.strip()


def memory_link(tx: Tx, place: str, row: Row) -> list[Item]:
    ends = [text(row, name) for name in ("source_doc_id", "target_doc_id")]
    if not ends[1]:
        return [Omission("links of notes", "they lead to no file")]
    if not tx.documents.issuperset(ends):
        return [Omission("links of notes", "made with docs/learnings", kept=True)]
    values = {
        "source": f"memory:{ends[0]}",
        "target": f"memory:{ends[1]}",
        "relation": "relates_to",
        "created_at": moment(row, "created_at"),
    }
    return [Extra(f"memory {ends}", "edge", values, place)]
