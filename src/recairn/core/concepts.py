"""Guesses made at the write door: the sector of a text and the concepts it names."""

from __future__ import annotations

from recairn.core.regex import compiled
from recairn.core.scopes import is_file_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

# Words that speak for a sector. Ties go to the earlier sector, as in ccmemory.
_SECTOR_WORDS = {
    "emotional": "prefer prefers preferred preference like likes love loves hate hates enjoy "
    "annoyed annoying frustrated frustrating happy favourite favorite dislike dislikes wants",
    "reflective": "decided decision because learned realised realized lesson insight turns should "
    "tradeoff rationale conclusion better instead chose chosen reason therefore mistake",
    "episodic": "today yesterday tomorrow ago session meeting happened happen morning week "
    "deployed fixed shipped merged released broke failed crashed started finished completed",
    "procedural": "run use always never install deploy build first then step steps command create "
    "configure how execute call set restart migrate ensure make before after avoid",
}
_SECTOR_OF = {word: sector for sector, line in _SECTOR_WORDS.items() for word in line.split()}
_ORDER = tuple(_SECTOR_WORDS)

_BACKTICKED = r"`([^`\n]{2,80})`"
_PATH = r"(?<![\w:/.])~?\.{0,2}/?(?:[\w.@+-]+/)+[\w.@+-]+|\b[\w-]+\.[a-z]{1,4}\b"
_CAMEL = r"\b(?:[A-Z][a-z0-9]+){2,}\b|\b[a-z]+(?:[A-Z][a-z0-9]*)+\b|\b[A-Z]{2,}[a-z]+\w*"
_SNAKE = r"\b[A-Za-z0-9]+(?:_[A-Za-z0-9]+)+\b"
# A longer piece without a space is data, not a path; and a listing of paths is not about them all.
_LONGEST_PATH = 200
_MANY_PATHS = 100

MAX_CONCEPTS = 20  # ccmemory's figure; what a text names first names it best


def guess_sector(found_words: Iterable[str]) -> str:
    """The sector whose words occur most often; semantic when none do."""
    speaking = [_SECTOR_OF[word] for word in found_words if word in _SECTOR_OF]
    if not speaking:
        return "semantic"
    return max(_ORDER, key=speaking.count)


def concepts(text: str, mixed: str) -> tuple[str, ...]:
    """The things a text names: `backticked` code, paths, CamelCase and snake_case names.

    `mixed` is `text.mixed_case(text)`, where alone a CamelCase name can be.
    """
    found: dict[str, None] = {}
    if "`" in text:
        found.update(dict.fromkeys(match.strip() for match in compiled(_BACKTICKED).findall(text)))
    if "/" in text or _has_inner_dot(text):
        dotted = [
            piece
            for piece in text.split()
            if ("/" in piece or "." in piece[:-1]) and len(piece) <= _LONGEST_PATH
        ]
        paths = compiled(_PATH).findall(" ".join(dotted[:_MANY_PATHS]))
        found.update(dict.fromkeys(filter(_is_path, paths)))
    if "_" in text:
        found.update(dict.fromkeys(compiled(_SNAKE).findall(text)))
    if mixed:
        found.update(dict.fromkeys(compiled(_CAMEL).findall(mixed)))
    found.pop("", None)
    return tuple(found)[:MAX_CONCEPTS]


def _has_inner_dot(text: str) -> bool:
    """Whether a full stop stands elsewhere than at the end of a sentence."""
    dots = text.count(".") - text.endswith(".")
    return dots > 0 and dots > text.count(". ")


def _is_path(candidate: str) -> bool:
    return "/" in candidate or is_file_name(candidate)
