"""CLAUDE.md, AGENTS.md, MEMORY.md and rules files: one memory for each bullet or paragraph.

These files have no ids, so a record is known by its text: a line that moved is the same one, and a
line that changed is matched to the one it was by words, heading and place.
"""

from __future__ import annotations

import os
import re

from recairn.core.derived import overlap
from recairn.core.model import Draft
from recairn.core.words import normalised, words
from recairn.host.git import line_times
from recairn.sources.format import Omission, Record, Source, content_key
from recairn.sources.instruction_scopes import files_below, scope_of_folder, scope_of_globs
from recairn.sources.readers.files import is_inside, names_in
from recairn.sources.readers.markdown_blocks import nodes_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from recairn.sources.format import Predecessor, Reading
    from recairn.sources.readers.files import Origin
    from recairn.sources.readers.markdown_blocks import Node

# Looked for where no file was named.
_USUAL = (
    "CLAUDE.md",
    "AGENTS.md",
    "MEMORY.md",
    "CLAUDE.local.md",
    ".claude/CLAUDE.md",
    "GEMINI.md",
    ".github/copilot-instructions.md",
    ".cursorrules",
    ".windsurfrules",
)
_RULE_FOLDERS = (".claude/rules", ".cursor/rules")
_RULE_ENDINGS = (".md", ".mdc")

# Characters up to which a bullet and those below it are one memory; longer ones are told apart.
_ONE_THOUGHT = 700
# A line that introduces others ("When testing:") is short.
_INTRODUCTION = 160
# Characters of a category (the write door takes 200).
_CATEGORY = 200
_BETWEEN = " / "

# A line that only names a file to include.
_FILE_LINE = re.compile(r"^[ \t]*(?:[-*+][ \t]+)?@\S+[ \t]*$", re.MULTILINE)

# What a standing order begins with, itself or after the line that introduces it.
_ORDER = re.compile(
    rf"(?:[^\n]{{1,{_INTRODUCTION}}}: )?[*_]{{0,3}}(?:always|never)[*_]{{0,3}}(?= )",
    re.IGNORECASE,
)

# How much of its words a changed line keeps: anywhere, and in the same section.
_SAME_LINE = 0.5
_SAME_SECTION = 0.2
# What standing in the same section is worth, in shares of words.
_SECTION_COUNTS = 0.2
# Lines compared with one another at most (about a second), yet always with the nearest so many.
_COMPARISONS = 1_000_000
_NEAR = 20


def takes(path: str) -> bool:
    name = os.path.basename(os.path.normpath(path))
    usual = {path.rpartition("/")[2] for path in _USUAL}
    return name in usual or _is_rule_file(path)


def _is_rule_file(path: str) -> bool:
    """Whether a file holds rules for some files alone, which its front matter names."""
    folder, name = os.path.split(os.path.normpath(path))
    rules = folder.replace(os.sep, "/").endswith(_RULE_FOLDERS) and name.endswith(_RULE_ENDINGS)
    return rules or name.endswith(".mdc")


def find(folder: str) -> list[str]:
    """The files of that kind in a folder, and what git tracks of them below it, each once, however
    many links lead to it."""
    paths = [os.path.join(folder, *name.split("/")) for name in _USUAL]
    for rules in _RULE_FOLDERS:
        where = os.path.join(folder, *rules.split("/"))
        names = names_in(where)
        paths += [os.path.join(where, name) for name in names if name.endswith(_RULE_ENDINGS)]
    paths += files_below(folder)
    root = os.path.realpath(folder)
    files: dict[str, str] = {}
    for path in paths:
        if os.path.isfile(path) and is_inside(root, path):
            files.setdefault(os.path.realpath(path), path)
    return list(files.values())


def read(origin: Origin) -> Iterator[Reading]:
    """A record for each bullet and paragraph, under the headings it stands beneath."""
    keys: set[str] = set()
    document = origin.text()
    rules = _is_rule_file(os.path.abspath(origin.path))
    scope = scope_of_globs(document) if rules else scope_of_folder(origin.path)
    times, changed_at = line_times(origin.path), int(os.stat(origin.path).st_mtime) * 1000
    if names := len(_FILE_LINE.findall(document)):
        yield Omission("lines", "they only name files to include", names)
    for line, category, text, title in pieces(nodes_of(document)):
        key = content_key(normalised(text), keys)
        keys.add(key)
        kind = "rule" if _ORDER.match(text) else "learning"
        draft = Draft(
            text,
            kind=kind,
            title=title,
            category=category,
            scope=scope,
            source_type="claude_md",
        )
        at = times.get(line, changed_at)
        yield Record(key, draft, origin.place(line), written_at=at)


def pieces(nodes: Sequence[Node]) -> Iterator[tuple[int, str, str, str]]:
    """(line, category, text, title) of everything worth remembering."""
    above: list[tuple[int, str]] = []
    name = _document_title(nodes)
    introduction = ""
    at = 0
    while at < len(nodes):
        node = nodes[at]
        following = nodes[at + 1].kind if at + 1 < len(nodes) else ""
        at += 1
        category = _category(above)
        if node.kind == "heading":
            above = [heading for heading in above if heading[0] < node.level]
            above += [] if node is name else [(node.level, node.text)]
            introduction = ""
        elif node.kind == "item":
            yield from ((line, category, text, "") for line, text in _thoughts(node, introduction))
        elif node.kind == "text" and _introduces(node.text) and following == "item":
            introduction = node.text
        elif node.kind == "text":
            introduction = ""
            text = node.text
            while at < len(nodes) and nodes[at].kind == "code":
                text += f"\n{nodes[at].text}"
                at += 1
            if _says_something(text):
                yield node.line, category, text, ""
        elif _says_something(node.text):
            introduction = ""
            yield node.line, category, node.text, above[-1][1] if above else ""


def _document_title(nodes: Sequence[Node]) -> Node | None:
    """The one top heading a document begins with: it names the file, not a subject."""
    tops = [node for node in nodes if node.kind == "heading" and node.level == 1]
    first = next((node for node in nodes if node.kind == "heading"), None)
    return tops[0] if len(tops) == 1 and tops[0] is first else None


def _category(above: Sequence[tuple[int, str]]) -> str:
    """The headings from the outermost on; of too many, the nearest ones."""
    names = [" ".join(name.replace("`", "").replace("*", "").split()) for _, name in above]
    names = [name for name in names if name]
    while len(_BETWEEN.join(names)) > _CATEGORY and len(names) > 1:
        del names[0]
    return _BETWEEN.join(names)[:_CATEGORY].strip()


def _thoughts(item: Node, introduction: str) -> Iterator[tuple[int, str]]:
    """(line, text) of a bullet: in one with those below it, or each for itself when too long."""
    whole = "\n".join(_lines(item))
    children = [node for node in item.inner if node.kind == "item"]
    if len(whole) <= _ONE_THOUGHT or not children:
        if _says_something(whole):
            yield item.line, _introduced(introduction, whole)
        return
    rest = [node.text for node in item.inner if node.kind != "item"]
    own = "\n".join(filter(None, [item.text, *rest]))
    if len(own) > _INTRODUCTION:
        yield item.line, _introduced(introduction, own)
        own = ""
    for child in children:
        yield from _thoughts(child, _introduced(introduction, own) if own else introduction)


def _lines(item: Node) -> Iterator[str]:
    """A bullet's own text, and below it what is inside, bullets as bullets."""
    if item.text:
        yield item.text
    for node in item.inner:
        if node.kind == "item":
            for index, line in enumerate(_lines(node)):
                yield f"- {line}" if index == 0 else f"  {line}"
        else:
            yield from node.text.split("\n")


def _introduces(text: str) -> bool:
    return text.rstrip("*_ ").endswith(":") and len(text) <= _INTRODUCTION


def _introduced(introduction: str, text: str) -> str:
    if not introduction:
        return text
    return f"{introduction.rstrip()}{'' if _introduces(introduction) else ':'} {text}"


def _says_something(text: str) -> bool:
    """Whether there is a word in it; a line that only names a file to include says nothing."""
    if text.startswith("@") and len(text.split()) == 1:
        return False
    return any(letter.isalpha() for letter in text)


def pairs(fresh: Sequence[Record], former: Sequence[Predecessor]) -> dict[str, str]:
    """Which new line took the place of which former one; the surest first, each at most once."""
    old = [(one, set(words(one.text))) for one in former]
    window = max(_NEAR, _COMPARISONS // max(1, len(fresh)))
    candidates = []
    for place, here in enumerate(fresh):
        here_words = set(words(here.draft.content))
        start = max(0, place - window)
        for at, (there, there_words) in enumerate(old[start : place + window], start):
            shared = overlap(here_words, there_words)
            same = here.draft.category == there.category
            if shared >= (_SAME_SECTION if same else _SAME_LINE):
                score = shared + _SECTION_COUNTS * same
                candidates.append((-score, abs(place - at), place, here.key, there.key))
    matches: dict[str, str] = {}
    used: set[str] = set()
    for _, _, _, here_key, there_key in sorted(candidates):
        if here_key not in matches and there_key not in used:
            matches[here_key] = there_key
            used.add(there_key)
    return matches


SOURCE = Source(
    name="claude-md",
    about="CLAUDE.md, AGENTS.md, MEMORY.md and rules files, a memory for each bullet or paragraph",
    takes=takes,
    find=find,
    read=read,
    complete=True,
    pairs=pairs,
)
