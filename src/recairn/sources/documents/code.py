"""Source code as blocks: paragraphs between empty lines, under the definitions around them. Pure.

The rules know no language: a line that reads like a definition opens one, and what is indented
deeper belongs to it.
"""

from __future__ import annotations

import re

from recairn.sources.documents.chunking import Block
from recairn.sources.documents.prose import Headings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from recairn.sources.documents.chunking import Line

# What may stand before the word that defines.
_BEFORE = (
    r"(?:export|default|pub(?:\([^)]*\))?|public|private|protected|internal|static|final|abstract"
    r"|async|unsafe|extern|inline|virtual|override|sealed|open|data|partial|local|declare)"
)
_WORDS = (
    r"(?:def|class|func|function|fn|interface|struct|impl|enum|trait|type|module|namespace|object"
    r"|protocol|extension|record|macro|defmodule|defp?|sub|proc)"
)
_DEFINITION = re.compile(
    rf"[ \t]*(?:{_BEFORE}\s+){{0,4}}{_WORDS}\b\*?\s*(?:<[^>]*>\s*)?(?:\([^)]*\)\s*)?"
    r"([\w$]+(?:(?:\.|::)[\w$]+)*)"
)
_SQL = re.compile(
    r"create\s+(?:or\s+replace\s+)?(?:unique\s+)?\w+\s+(?:if\s+not\s+exists\s+)?"
    r"([\w.]+)",
    re.IGNORECASE,
)
_ASSIGNED = re.compile(
    r"(?:export\s+)?(?:const|let|var)\s+([\w$]+)\s*=\s*(?:async\s*)?(?:function|\()"
)
_CALLED = re.compile(r"([A-Za-z_][\w-]*)\s*\(\)\s*\{")
# Lines that belong to the definition right below them.
_ANNOUNCES = re.compile(r"[ \t]*(?:@|#|//|/\*|\*|--|;|\"\"\"|\[[\w(])")
# A longer line is generated; nobody looks for a definition in it.
_LONGEST_LINE = 400


def code_blocks(lines: Sequence[Line]) -> list[Block]:
    """Paragraphs of code, each under the names of the definitions it stands in."""
    above = Headings()
    blocks: list[Block] = []
    for group in _groups(lines):
        opens = False
        for _, text in group:
            name = defined_in(text)
            if name:
                indent = len(text.expandtabs(4)) - len(text.expandtabs(4).lstrip())
                above.enter(indent, name)
                opens = indent == 0
                break
            if text[:1].strip() and not _ANNOUNCES.match(text) and text[0] not in ")}]":
                above.enter(0, "")
        blocks.append(Block(group, above.path, opens=opens))
    return blocks


def defined_in(line: str) -> str:
    """The name a line defines; empty for none."""
    if len(line) > _LONGEST_LINE:
        return ""
    match = _DEFINITION.match(line) or _ASSIGNED.match(line) or _CALLED.match(line)
    match = match or _SQL.match(line)
    return match[1] if match else ""


def _groups(lines: Sequence[Line]) -> list[list[Line]]:
    """Lines between empty ones; a definition at the margin begins a group of its own."""
    groups: list[list[Line]] = []
    held: list[Line] = []
    for number, text in [*lines, (0, "")]:
        begins = text[:1].strip() and defined_in(text)
        if held and (not text.strip() or (begins and not _ANNOUNCES.match(held[-1][1]))):
            groups.append(held)
            held = []
        if text.strip():
            held.append((number, text))
    return groups
