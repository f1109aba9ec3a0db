"""Architecture decision records: a folder of markdown files, one decision each.

The usual shapes are read: Nygard's sections, MADR's with front matter, and adr-tools' links.
"""

from __future__ import annotations

import os
import re

from recairn.core.errors import BadInput
from recairn.core.model import Draft
from recairn.sources.format import Fault, Omission, Record, Source
from recairn.sources.readers.files import is_inside, names_in
from recairn.sources.readers.frontmatter import parted
from recairn.sources.readers.values import moment, text, texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from recairn.sources.format import Reading
    from recairn.sources.readers.files import Origin

_FOLDERS = (
    "docs/adr",
    "docs/adrs",
    "docs/decisions",
    "doc/adr",
    "doc/adrs",
    "adr",
    "docs/architecture/decisions",
    "doc/architecture/decisions",
)
_FOLDER_NAMES = ("adr", "adrs", "decisions")
_NUMBERED = re.compile(r"(?:adr[-_ ]?)?(\d{1,5})[-_ .].*\.md$", re.IGNORECASE)
_HEADING = re.compile(r"(#{1,6})\s+(.*?)\s*#*$")
_TITLE_NUMBER = re.compile(r"^(?:ADR[-_ ]?)?\d{1,5}\s*[.:\-]\s*", re.IGNORECASE)
# The file that a link names, else the first number.
_FILE = re.compile(r"\]\((?:[^)\s]*/)?(?:ADR[-_ ]?)?0*(\d{1,5})\b", re.IGNORECASE)
_NUMBER = re.compile(r"\b(?:ADR[-_ ]?)?0*(\d{1,5})\b", re.IGNORECASE)
# Sections beside the status in which records name one another.
_LINKING = ("links", "related decisions", "relations")
_ABOUT_OTHERS = (*_LINKING, "more information", "related")
# Characters of a line that may be a heading, a field, or name other records.
_LINE = 1000
_FIELD = re.compile(
    r"^[*+-]?\s*\**(status|date|deciders|superseded by|supersedes)\**\s*:\**\s*(.+)$", re.IGNORECASE
)
_DATE = re.compile(r"\b(\d{4}-\d{2}-\d{2})\b")
# `Superseded by [ADR-0005](0005-x.md)`, `superseded by 5`, `Supercedes [3. Title](0003-x.md)`.
_REPLACED = re.compile(r"super[sc]eded\s+by\b(.*)", re.IGNORECASE)
_REPLACES = re.compile(r"super[sc]edes\b(.*)", re.IGNORECASE)
_RELATED = re.compile(
    r"(?:amends|amended by|clarifies|clarified by|related to|linked to)\b(.*)", re.IGNORECASE
)
_NOT_STANDING = ("rejected", "deprecated")
_CONFIDENCE = {"accepted": 0.8, "approved": 0.8, "decided": 0.8, "proposed": 0.4, "draft": 0.3}
_RATIONALE = (
    "context",
    "context and problem statement",
    "problem",
    "problem statement",
    "decision drivers",
    "rationale",
    "background",
    "motivation",
)
_CHOSEN = ("decision", "decision outcome", "outcome", "solution")
_FOLLOWS = ("consequences", "positive consequences", "negative consequences", "results", "impact")
_OPTIONS = (
    "considered options",
    "alternatives",
    "alternatives considered",
    "options",
    "options considered",
)


def takes(path: str) -> bool:
    if os.path.isdir(path):
        return os.path.basename(os.path.abspath(path)) in _FOLDER_NAMES and bool(find(path))
    folder = os.path.basename(os.path.dirname(os.path.abspath(path)))
    return folder in _FOLDER_NAMES and _NUMBERED.match(os.path.basename(path)) is not None


def find(folder: str) -> list[str]:
    """The folder itself when it holds numbered records, or the first usual one below it."""
    usual = [folder, *(os.path.join(folder, *name.split("/")) for name in _FOLDERS)]
    root = os.path.realpath(folder)
    folders = [path for path in usual if os.path.isdir(path) and is_inside(root, path)]
    return [path for path in folders if any(map(_NUMBERED.match, names_in(path)))][:1]


def read(origin: Origin) -> Iterator[Reading]:
    files = origin.files(".md") if os.path.isdir(origin.path) else [origin]
    for file in files:
        match = _NUMBERED.match(os.path.basename(file.path))
        if match is None and file is not origin:
            yield Omission("files", "their names have no number")
            continue
        try:
            yield _decision(file, match[1].lstrip("0") or "0" if match else "")
        except BadInput as error:
            yield Fault(file.place(getattr(error, "line", 1)), error.message)


def _decision(origin: Origin, number: str) -> Record:
    front, body, line = parted(origin.text())
    title, sections, loose = _sections(body)
    if not title and not sections:
        raise BadInput("there is no heading in it")
    fields = {**loose, **{name.lower(): value for name, value in front.items()}}
    spoken = sections.get("status", "") or text(fields, "status")
    content = "\n\n".join(filter(None, (_joined(sections, _CHOSEN), *_others(sections))))
    status = _status(spoken)
    key = number or os.path.basename(origin.name)
    others = _joined(sections, _ABOUT_OTHERS)
    links = _links(f"{spoken}\n{_spoken(fields)}\n{others}", key)
    replaced = any(relation == "superseded_by" for relation, _ in links)
    ended = status in _NOT_STANDING or (status.startswith("supers") and not replaced)
    draft = Draft(
        content or title,
        kind="decision",
        title=title,
        fields={
            "rationale": _joined(sections, _RATIONALE),
            "alternatives": _options(sections),
            "outcome": _joined(sections, _FOLLOWS),
            "type": status,
        },
        category="architecture",
        keywords=texts(front, "tags")[:50],
        confidence=_CONFIDENCE.get(status),
        source_type="import",
        external_id=f"ADR-{int(number):04d}" if number else None,
        created_at=_date(fields, f"{sections.get('date', '')} {spoken}"),
    )
    retired = f"{status} there" if ended else ""
    return Record(f"adr:{key}", draft, origin.place(line), links, retired=retired)


def _sections(body: str) -> tuple[str, dict[str, str], dict[str, Any]]:
    """(title, text by lower-case heading, fields told in lines such as `Status: accepted`)."""
    title, name = "", ""
    parts: dict[str, list[str]] = {"": []}
    fenced = False
    for line in body.replace("\r\n", "\n").split("\n"):
        fenced ^= line.lstrip().startswith(("```", "~~~"))
        match = None if fenced or len(line) > _LINE else _HEADING.match(line)
        if match and len(match[1]) == 1 and not title:
            title = _TITLE_NUMBER.sub("", match[2])
        elif match and len(match[1]) <= 3 and _heading_name(match[2]):
            name = _heading_name(match[2])
            parts.setdefault(name, [])
        elif match and len(match[1]) <= 2:
            name = match[2].lower()
            parts.setdefault(name, [])
        else:
            parts[name].append(line)
    loose = {
        match[1].lower(): match[2].strip(" *")
        for line in parts[""]
        if len(line) <= _LINE and (match := _FIELD.match(line.strip()))
    }
    return (
        title,
        {heading: "\n".join(lines).strip() for heading, lines in parts.items() if heading},
        loose,
    )


def _heading_name(heading: str) -> str:
    """The heading in lower case when it is one of those that mean something here."""
    name = heading.strip().rstrip(":").lower()
    ours = (*_RATIONALE, *_CHOSEN, *_FOLLOWS, *_OPTIONS, "status", "date")
    return name if name in ours else ""


def _joined(sections: dict[str, str], names: tuple[str, ...]) -> str:
    return "\n\n".join(sections[name] for name in names if sections.get(name))


def _others(sections: dict[str, str]) -> list[str]:
    """The sections that have no field of their own, each under its heading."""
    placed = (*_RATIONALE, *_CHOSEN, *_FOLLOWS, *_OPTIONS, *_LINKING, "status", "date")
    return [
        f"{name[:1].upper()}{name[1:]}:\n{words}"
        for name, words in sections.items()
        if words and name not in placed
    ]


def _options(sections: dict[str, str]) -> list[str]:
    words = _joined(sections, _OPTIONS)
    listed = [
        line.strip()[1:].strip()
        for line in words.split("\n")
        if line.strip()[:1] in ("*", "-", "+") and line.strip()[1:2] == " "
    ]
    return listed or ([words] if words else [])


def _status(spoken: str) -> str:
    """The first word of what is said of it, without decoration."""
    words = re.findall(r"[a-z]+", spoken.lower())
    return words[0] if words else ""


def _spoken(fields: dict[str, Any]) -> str:
    """What fields say of other records, as a sentence would."""
    names = ("superseded by", "supersedes", "superseded-by", "superseded_by")
    return "\n".join(
        f"{name.replace('-', ' ').replace('_', ' ')} {text(fields, name)}"
        for name in names
        if fields.get(name)
    )


def _links(spoken: str, own: str) -> list[tuple[str, str]]:
    links: list[tuple[str, str]] = []
    for line in (line[:_LINE] for line in spoken.split("\n")):
        for pattern, relation in (
            (_REPLACED, "superseded_by"),
            (_REPLACES, "supersedes"),
            (_RELATED, "relates_to"),
        ):
            match = pattern.search(line)
            other = _FILE.search(match[1]) or _NUMBER.search(match[1]) if match else None
            if other and other[1] != own:
                links.append((relation, f"adr:{other[1]}"))
    return list(dict.fromkeys(links))


def _date(fields: dict[str, Any], spoken: str) -> int | None:
    match = _DATE.search(f"{text(fields, 'date')} {spoken}")
    return moment({"date": match[1]}, "date") if match else None


SOURCE = Source(
    name="adr",
    about="architecture decision records: a folder of numbered markdown files",
    takes=takes,
    find=find,
    read=read,
    distinct=True,
    complete=True,
)
