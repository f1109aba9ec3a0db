"""What tx keeps beside learnings: runs, docs, decisions, invariants, labels, indexed markdown."""

from __future__ import annotations

from contextlib import suppress

from recairn.core.draft import MAX_CONTENT
from recairn.core.errors import BadInput
from recairn.core.model import Draft
from recairn.sources.format import Extra, Fault, Record
from recairn.sources.readers.values import count, mapping, moment, needed, text, texts, when

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

    from recairn.sources.tx.records import Tx

    Row = tuple[str, Any] | Fault

    Told = Mapping[str, Any]
    Given = Record | Extra

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


def run(tx: Tx, place: str, told: Told) -> Iterator[Given]:
    """A run of an agent is a session; why it failed stands for the summary it never wrote."""
    name, started = needed(told, "id"), when(told, "started_at")
    if started is None:
        raise BadInput("it has no started_at")
    tx.runs.add(name)
    more, error = mapping(told, "metadata"), text(told, "error_message")
    failed = f"{text(told, 'status') or 'failed'}: {error}" if error else ""
    noted = {each: told[each] for each in _RUN_NOTES if told.get(each) not in (None, "")}
    values = {
        "id": name,
        "project": "",
        "agent": text(told, "agent"),
        "branch": text(more, "branch", "git_branch"),
        "summary": text(told, "summary") or failed,
        "context": {**more, **noted},
        "started_at": started,
        "ended_at": when(told, "ended_at") or started,
    }
    yield Extra(name, "session", values, place)


def made_in_run(tx: Tx, told: Told) -> str | None:
    """The run that made a record, where that is known."""
    name = text(told, "run_id")
    return name if name in tx.runs else None


def of_run(key: str, session: str | None, place: str, told: Told) -> Iterator[Given]:
    """That a run made the record of that key."""
    at = when(told, "created_at", "ts")
    if session is not None and at is not None:
        values = {"session_id": session, "memory": key, "usage_type": "created", "at": at}
        yield Extra(f"{session} {key}", "use", values, place)


def doc(tx: Tx, place: str, told: Told) -> Iterator[Given]:
    """A doc is a note with the text of its file, as far as that is found; else its title."""
    kind, name = needed(told, "kind"), needed(told, "name")
    version, title = text(told, "version") or "1", needed(told, "title")
    key = _doc_named(tx, told)
    if not tx.first(key):
        return
    path, status = text(told, "file_path"), text(told, "status")
    written = tx.text_of(path) if path else ""
    draft = Draft(
        written if written and len(written) <= MAX_CONTENT else title,
        kind="note",
        title=title[:500],
        fields={"note_type": kind, "summary": f"version {version}, {status}".rstrip(", ")},
        category=f"docs/{kind}"[:200],
        source_type="import",
        source_ref=path,
        created_at=moment(told, "created_at", "ts"),
        external_id=name,
    )
    yield Record(key, draft, place)


def newest_docs(tx: Tx, rows: Iterable[Row]) -> list[Row]:
    """The last version of each doc; tx keeps the file of that one only."""
    last: dict[object, tuple[int, Row]] = {}
    for number, row in enumerate(rows):
        which: object = number
        version = 0
        if not isinstance(row, Fault) and isinstance(row[1], dict):
            with suppress(BadInput):
                which, version = _doc_named(tx, row[1]), count(row[1], "version")
        if which not in last or version >= last[which][0]:
            last[which] = version, row
    return [row for _, row in last.values()]


def _doc_named(tx: Tx, told: Told) -> str:
    """The key of a doc, which is known from now on by its number and by its name and version."""
    kind, name = needed(told, "kind"), needed(told, "name")
    number, version = text(told, "id"), text(told, "version") or "1"
    key = f"doc:{kind}:{name}"
    for known in (f"#{number}", f"{name}:{version}", f"{kind}:{name}:{version}"):
        tx.docs.setdefault(known, key)
    return key


def doc_link(tx: Tx, place: str, told: Told) -> Iterator[Given]:
    ends = [_doc_key(tx, told, f"{end}_doc") for end in ("from", "to")]
    if not tx.first(f"doc_link:{ends}"):
        return
    relation = _DOC_RELATIONS.get(text(told, "link_type"), "relates_to")
    values = {
        "source": ends[1],
        "target": ends[0],
        "relation": relation,
        "created_at": moment(told, "created_at", "ts"),
    }
    yield Extra(f"doc {ends}", "edge", values, place)


def task_doc(tx: Tx, place: str, told: Told) -> Iterator[Given]:
    """Which doc a task is about: known before the task itself comes."""
    key = _doc_key(tx, told, "doc")
    tx.task_docs.setdefault(needed(told, "task_id"), {})[key.rpartition(":")[2]] = None
    return iter(())


def _doc_key(tx: Tx, told: Told, name: str) -> str:
    """The key of the doc that a row names by number, and a log by name and version."""
    spelled = text(told, f"{name}_key") or f"#{needed(told, f'{name}_id')}"
    known = tx.docs.get(spelled)
    if known is None:
        raise BadInput(f"there is no doc {spelled[:80]}")
    return known


def decision(tx: Tx, place: str, told: Told) -> Iterator[Given]:
    """A decision as it was reviewed; one that nobody has looked at yet is a candidate here too."""
    name = needed(told, "id")
    key = f"decision:{name}"
    if not tx.first(key):
        return
    status, replaced = text(told, "status"), text(told, "superseded_by")
    session = made_in_run(tx, told)
    draft = Draft(
        needed(told, "edited_content", "content"),
        kind="decision",
        title=text(told, "question")[:500],
        fields={
            "rationale": text(told, "review_note"),
            "type": text(told, "source"),
            "git_commit": text(told, "commit_sha"),
        },
        source_type="import",
        source_ref=text(told, "task_id"),
        session=session,
        trust="unverified" if status == "pending" else None,
        created_at=moment(told, "created_at", "ts"),
        external_id=name,
    )
    gone = status == "rejected" or (status == "superseded" and not replaced)
    links = [("superseded_by", f"decision:{replaced}")] if replaced else []
    yield Record(key, draft, place, links, retired=f"{status} in tx" if gone else "")
    yield from of_run(key, session, place, told)


def invariant(tx: Tx, place: str, told: Told) -> Iterator[Given]:
    """What must always hold, and how that is checked. There can be hundreds: no standing rules."""
    name = needed(told, "id")
    key = f"invariant:{name}"
    if not tx.first(key):
        return
    checks = [text(told, each) for each in ("enforcement", "test_ref", "lint_rule", "prompt_ref")]
    status = text(told, "status")
    draft = Draft(
        needed(told, "rule"),
        kind="fact",
        title=name[:500],
        category="/".join(filter(None, ("invariant", text(told, "subsystem"))))[:200],
        keywords=[each for each in checks if each],
        source_type="import",
        created_at=moment(told, "created_at", "ts"),
        external_id=name,
    )
    known = tx.docs.get(text(told, "doc_key") or f"#{text(told, 'doc_id')}")
    links = [("part_of", known)] if known else []
    yield Record(key, draft, place, links, retired="" if status != "deprecated" else "deprecated")


def label(tx: Tx, place: str, told: Told) -> Iterator[Given]:
    tx.labels[needed(told, "id")] = needed(told, "name")
    return iter(())


def label_assignment(tx: Tx, place: str, told: Told) -> Iterator[Given]:
    """Which label a task has: known before the task itself comes."""
    name = text(told, "label_name") or tx.labels.get(needed(told, "label_id"), "")
    if name:
        tx.task_labels.setdefault(needed(told, "task_id"), {})[name] = None
    return iter(())


def memory_document(tx: Tx, place: str, told: Told) -> Iterator[Given]:
    """Markdown that tx has indexed, unless it is where its learnings are read from anyway."""
    name, path = needed(told, "id"), text(told, "file_path")
    whole = f"{text(told, 'root_dir').rstrip('/')}/{path}"
    if _NOTES in whole:
        return
    title, above = text(told, "title"), mapping(told, "frontmatter")
    body = text(told, "content").strip().removeprefix(f"# {title}").strip()
    draft = Draft(
        body or needed(told, "title"),
        kind="note",
        title=title[:500] if body else "",
        category=text(above, "category"),
        keywords=texts(told, "tags")[:50],
        scope=text(above, "file_pattern"),
        source_type="import",
        source_ref=path,
        created_at=moment(above, "created") or moment(told, "created_at"),
        external_id=name,
    )
    tx.documents.add(name)
    yield Record(f"memory:{name}", draft, place)


def memory_link(tx: Tx, place: str, told: Told) -> Iterator[Given]:
    ends = [text(told, each) for each in ("source_doc_id", "target_doc_id")]
    if tx.documents.issuperset(ends):
        values = {
            "source": f"memory:{ends[0]}",
            "target": f"memory:{ends[1]}",
            "relation": "relates_to",
            "created_at": moment(told, "created_at"),
        }
        yield Extra(f"memory {ends}", "edge", values, place)
