"""The memory Claude Code keeps by itself: one fact a file, and an index of them.

A fact is a Markdown file whose front matter has a name, a description and a type; `[[name]]` in its
text points at another. MEMORY.md lists the facts; what it says beside that is remembered as well.
"""

from __future__ import annotations

import os
import re

from recairn.core.errors import BadInput
from recairn.core.model import Draft
from recairn.core.words import normalised
from recairn.sources.claude_md import pairs as matched_lines
from recairn.sources.claude_md import pieces
from recairn.sources.format import Fault, Omission, Record, Source, content_key
from recairn.sources.readers.files import names_in
from recairn.sources.readers.frontmatter import parted
from recairn.sources.readers.markdown_blocks import nodes_of
from recairn.sources.readers.values import mapping, moment, text
from recairn.sources.transcripts import folder_about, project_slug

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from recairn.sources.format import Predecessor, Reading
    from recairn.sources.readers.files import Origin

_INDEX, _FOLDER, _ENDING = "MEMORY.md", "memory", ".md"
_OF_INDEX = f"{_INDEX}#"
# What the four types of fact are here; any other is a learning.
_KINDS = {"user": "preference", "feedback": "rule", "project": "fact", "reference": "resource"}
_LONGEST_TITLE = 500
_LONGEST_NAME = 200

_LINK = re.compile(r"\[\[([^\[\]|#\n]{1,200})(?:[|#][^\[\]\n]*)?\]\]")
_POINTER = re.compile(r"\]\(([^()\s]{1,300})\)|\[\[([^\[\]|#\n]{1,200})\]\]")
_URL = re.compile(r"https?://[^\s<>()\[\]\"'`]{1,1000}")
_FIELD = re.compile(r"\s*(name|description|type|originSessionId):\s*(.*)$")


def read(origin: Origin) -> Iterator[Reading]:
    """A record for each fact, and one for each line of the index that is about no file."""
    folder = os.path.isdir(origin.path)
    files = origin.files(_ENDING) if folder else [origin]
    start = len(origin.name) + 1 if folder and origin.name != "." else 0
    keys = [(file, file.name[start:] if folder else os.path.basename(file.name)) for file in files]
    project = _project(origin, origin.path if folder else os.path.dirname(origin.path))
    names = _names(keys)
    origin.size = sum(file.size for file in files)
    for file, key in keys:
        try:
            if key == _INDEX:
                yield from _index(file, names, project)
            else:
                yield _fact(file, key, names, project)
        except BadInput as error:
            yield Fault(file.place(getattr(error, "line", 1)), error.message)
        except OSError as error:
            yield Fault(file.name, f"cannot be read: {error.strerror}")
        origin.done = min(origin.size, origin.done + file.size)


def _names(keys: Sequence[tuple[Origin, str]]) -> dict[str, str]:
    """What facts call one another, by file and by name, and the keys of the facts."""
    by_file, by_name = {}, {}
    for file, key in keys:
        if key == _INDEX:
            continue
        by_file[_plain(os.path.basename(key))] = by_file[_plain(key)] = key
        try:
            by_name[_plain(text(_parted(file)[0], "name"))] = key
        except (BadInput, OSError):
            continue
    return {**by_name, **by_file}


def _plain(name: str) -> str:
    return name.strip().removeprefix("./").removesuffix(_ENDING).lower()


def _parted(origin: Origin) -> tuple[Mapping[str, Any], str]:
    """The front matter and the rest. One that is no proper YAML (`description: so: it goes`, as
    models write it) is read line by line, for nothing in it is worth losing the fact."""
    whole = origin.text()
    try:
        fields, rest, _ = parted(whole)
    except BadInput:
        head, _, rest = whole.replace("\r\n", "\n")[4:].partition("\n---\n")
        matches = [match for line in head.split("\n") if (match := _FIELD.match(line))]
        fields = {match[1]: match[2].strip().strip("\"'") for match in matches}
    return fields, rest


def _fact(origin: Origin, key: str, names: Mapping[str, str], project: str | None) -> Record:
    fields, rest = _parted(origin)
    more = {**mapping(fields, "metadata"), **fields}
    name = text(fields, "name") or os.path.basename(key).removesuffix(_ENDING)
    description = " ".join(text(fields, "description").split())
    content = rest.strip() or description
    if not content:
        raise BadInput("it says nothing")
    kind = _KINDS.get(text(more, "type").strip().lower(), "learning")
    url = _URL.search(f"{content} {description}") if kind == "resource" else None
    targets = [names.get(_plain(name)) for name in _LINK.findall(content)]
    others = dict.fromkeys(name for name in targets if name is not None and name != key)
    draft = Draft(
        content,
        kind=kind,
        title=description if 0 < len(description) <= _LONGEST_TITLE else name[:_LONGEST_TITLE],
        fields={"url": url[0].rstrip(".,;:!?")} if url else None,
        project=project,
        category=text(more, "type")[:_LONGEST_NAME],
        source_type="import",
        session=text(more, "originSessionId")[:_LONGEST_NAME] or None,
        external_id=name[:_LONGEST_NAME],
        created_at=moment(more, "created", "created_at") or _changed_at(origin),
    )
    return Record(key, draft, origin.place(1), [("relates_to", name) for name in others])


def _changed_at(origin: Origin) -> int:
    return int(os.stat(origin.path).st_mtime) * 1000


def _index(origin: Origin, names: Mapping[str, str], project: str | None) -> Iterator[Reading]:
    """What the index says that is not a pointer to one of the facts."""
    keys: set[str] = set()
    for line, category, content, title in pieces(nodes_of(origin.text())):
        pointers = [_plain(path or name) for path, name in _POINTER.findall(content)]
        if any(name in names for name in pointers):
            yield Omission("lines of the index", "as the facts they lead to", kept=True)
            continue
        key = content_key(normalised(content), keys)
        keys.add(key)
        draft = Draft(
            content, title=title, category=category, project=project, source_type="import"
        )
        yield Record(_OF_INDEX + key, draft, origin.place(line))


def pairs(fresh: Sequence[Record], former: Sequence[Predecessor]) -> dict[str, str]:
    """Which line of the index took the place of which; facts are known by their files."""
    return matched_lines(
        [record for record in fresh if record.key.startswith(_OF_INDEX)],
        [record for record in former if record.key.startswith(_OF_INDEX)],
    )


def _project(origin: Origin, memory: str) -> str | None:
    """The project a folder of memory is about, when sessions beside it tell; else the current."""
    about = folder_about(os.path.dirname(os.path.abspath(memory)))
    if not about:
        return None
    return origin.project_of(about)


def takes(path: str) -> bool:
    if os.path.isdir(path):
        whole = os.path.abspath(path)
        beside_sessions = os.sep + os.path.join(".claude", "projects") + os.sep in whole
        has_index = os.path.isfile(os.path.join(whole, _INDEX))
        return os.path.basename(whole) == _FOLDER and (beside_sessions or has_index)
    folder = os.path.dirname(os.path.abspath(path))
    return path.endswith(_ENDING) and takes(folder)


def find(folder: str) -> list[str]:
    """A folder of memory itself, or those in the folders of Claude Code; for a project, its own."""
    if takes(folder):
        return [folder]
    home = os.environ.get("CLAUDE_CONFIG_DIR") or os.path.expanduser("~/.claude")
    below = [folder, *_folders_in(folder)]
    places = [*below, os.path.join(home, "projects", project_slug(folder))]
    folders = [os.path.join(place, _FOLDER) for place in places]
    return [path for path in folders if os.path.isdir(path) and takes(path)]


def _folders_in(folder: str) -> list[str]:
    """The folders directly below; links are not followed."""
    paths = [os.path.join(folder, name) for name in names_in(folder)]
    return [path for path in paths if os.path.isdir(path) and not os.path.islink(path)]


SOURCE = Source(
    name="claude-memory",
    about="the memory Claude Code keeps by itself: MEMORY.md and one fact a file",
    takes=takes,
    find=find,
    read=read,
    complete=True,
    pairs=pairs,
)
