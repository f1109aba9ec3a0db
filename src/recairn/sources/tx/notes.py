"""Markdown learnings of tx, and what they link to."""

from __future__ import annotations

import os
import re

from recairn.core.errors import BadInput
from recairn.core.kinds import SOURCE_TYPES
from recairn.core.model import Draft
from recairn.core.record import record
from recairn.sources.format import Extra, Fault, Record
from recairn.sources.readers.database import Database, is_database
from recairn.sources.readers.files import Origin
from recairn.sources.readers.frontmatter import parted
from recairn.sources.readers.values import moment, share, text, texts
from recairn.sources.tx.records import HELPED, rated

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from recairn.sources.format import Reading

# Below the folder of the project.
PLACE = ("docs", "learnings")
_ENDING = ".md"
_LINK = re.compile(r"\[\[([^\]\[|#\n]{1,300})(?:[|#][^\]\n]*)?\]\]")
# A title that tx made: the first words without signs, and the beginning of a hash.
_MADE_TITLE = re.compile(r"(.+\S) [0-9a-f]{6}$")
_SIGNS = re.compile(r"[\W_]+")
_LONGEST_TITLE = 500
_LONGEST_NAME = 200
_MOST_KEYWORDS = 50


class Names:
    """What notes call one another: titles, file names and ids, and the keys they mean."""

    def __init__(self) -> None:
        self._keys: dict[str, str] = {}
        # By the key of a note, the id under which tx has indexed it.
        self.ids: dict[str, str] = {}
        self.links: list[tuple[str, str]] = []

    def put(self, key: str, *names: str) -> None:
        for name in names:
            self._keys.setdefault(_plain(name), key)

    def key(self, name: str) -> str | None:
        return self._keys.get(_plain(name))

    def index(self, database: Database) -> None:
        """Takes in what tx itself knows of its markdown: ids, titles and links."""
        keys: dict[str, str] = {}
        for item in database.rows("memory_documents"):
            if isinstance(item, Fault):
                continue
            name, title = str(item[1].get("id")), str(item[1].get("title"))
            below = path_below(item[1])
            key = key_of(below) if below else f"memory:{name}"
            keys[name] = key
            self.put(key, name, title, str(item[1].get("file_path")))
            if below:
                self.ids[key] = name
        for item in database.rows("memory_links"):
            if not isinstance(item, Fault):
                ends = [keys.get(str(item[1].get(f"{end}_doc_id"))) for end in ("source", "target")]
                if ends[0] and ends[1]:
                    self.links.append((ends[0], ends[1]))


@record
class Note:
    """A markdown learning: fields above, title in the first heading, the text below it."""

    origin: Origin
    key: str
    front: Mapping[str, Any]
    body: str
    line: int

    def record(self, names: Names) -> Record:
        front, (title, content) = self.front, _heading(self.body)
        score, source = share(front, "outcome_score"), text(front, "source_type")
        tags = [tag for tag in texts(front, "tags") if tag != "learning"]
        stem = os.path.basename(self.origin.name).removesuffix(_ENDING)
        draft = Draft(
            content or title,
            title=own_title(title, content),
            category=text(front, "category"),
            keywords=tags[:_MOST_KEYWORDS],
            scope=text(front, "file_pattern"),
            source_type=source if source in SOURCE_TYPES else "import",
            source_ref=text(front, "source_ref", "task_id"),
            created_at=moment(front, "created", "created_at"),
            external_id=names.ids.get(self.key, stem)[:_LONGEST_NAME],
            # As with learnings of the database: a good outcome counts as accepted.
            trust="verified" if score is not None and score >= HELPED else None,
        )
        targets = (*_LINK.findall(self.body), *texts(front, "related"))
        others = dict.fromkeys(names.key(name) for name in targets)
        links = [("relates_to", key) for key in others if key and key != self.key]
        return Record(self.key, draft, self.origin.place(self.line), links, rated(score))


def path_below(row: Mapping[str, Any]) -> str:
    """Where in the folder of learnings an indexed file lies; nothing where it lies elsewhere."""
    whole = f"/{str(row.get('root_dir')).strip('/')}/{row.get('file_path')}"
    return whole.partition(f"/{'/'.join(PLACE)}/")[2]


def key_of(path: str) -> str:
    return f"note:{path}"


def notes(folder: str, files: Sequence[Origin]) -> Iterator[Reading]:
    """The learnings of those files of the folder, with the links between them."""
    names = Names()
    all_notes: list[Note] = []
    for file in files:
        key = key_of(os.path.relpath(file.path, folder).replace(os.sep, "/"))
        try:
            front, body, line = parted(file.text())
        except BadInput as error:
            yield Fault(file.place(1), error.message)
            continue
        all_notes.append(Note(file, key, front, body, line))
        names.put(key, key.removeprefix("note:"), _heading(body)[0])
    _ask_database(folder, names)
    keys = {note.key for note in all_notes}
    for note in all_notes:
        try:
            yield note.record(names)
        except BadInput as error:
            yield Fault(note.origin.place(1), error.message)
    # What other indexed files say of learnings; links of learnings stand in their own text.
    for source, target in names.links:
        if source not in keys and target in keys:
            values = {"source": source, "target": target, "relation": "relates_to"}
            yield Extra(f"{source} {target}", "edge", values, folder)


def _ask_database(folder: str, names: Names) -> None:
    """Learns names from the database beside the folder, where there is one."""
    path = os.path.join(folder, *(".." for _ in PLACE), ".tx", "tasks.db")
    if not is_database(path):
        return
    try:
        with Database(Origin(path, path)) as database:
            names.index(database)
    except BadInput:
        return  # whoever imports the database is told


def _heading(body: str) -> tuple[str, str]:
    """The first heading of a text, where it begins with one; and what stands below it."""
    lines = body.strip().split("\n")
    if not lines[0].startswith("# "):
        return "", body.strip()
    return lines[0][2:].strip(), "\n".join(lines[1:]).strip()


def own_title(title: str, content: str) -> str:
    """A title that says more than how the text begins; those that tx makes repeat that."""
    match = _MADE_TITLE.match(title)
    if not content or len(title) > _LONGEST_TITLE:
        return ""
    if match and _SIGNS.sub("", content).lower().startswith(_SIGNS.sub("", match[1]).lower()):
        return ""
    return title


def _plain(name: str) -> str:
    return name.strip().lower().rpartition("/")[2].removesuffix(_ENDING)
