"""What a question may say beside its words: quoted phrases, `-word`, AND and NOT, a time.

Any string is a question still: what means nothing here is left as words. Who asks by `search` may
write so; the prompts of an agent, full of code and options of commands, are never read this way.
"""

from __future__ import annotations

from recairn.core.lazy import compiled
from recairn.core.record import record
from recairn.core.time_words import span_in
from recairn.core.words import STOP_WORDS, words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from recairn.core.time_words import Span

# A quote that stands for itself: not the argument of a call.
_QUOTED = r'(?<!\S)"([^"]{2,200})"(?=[\s?!.,;:]|$)'
# In small letters: -DskipTests is an option, and so may be what has none.
_WITHOUT = r"(?:(?<!\S)-|\bNOT )([a-z\u00df-\uffff][a-z0-9_\u00df-\uffff]{2,})(?=[\s?!.,;:]|$)"
_BOTH = r"\b(\w{2,}) AND (?=(\w{2,}))"
_JOINING = r"\b(?:AND|OR)\b"
# A time may belong to the subject: "files modified in the last 7 days", "done before the release".
# It says when something was stored where people look back on what they did, or say little else.
_LOOKING_BACK = frozenset(
    """
    did we our us i decided agreed chose learned learnt happened said noted remembered stored
    discussed wrote
    """.split()
)
_LITTLE = 2
# Telling words beside a quote from which on a question is prose, in which quotes name things.
_PROSE = 4


@record
class Query:
    """A question taken apart: `text` is what is looked for, `phrases` what a hit must hold,
    `without` what it must not (and what may be an option of a command instead), `span` when it was
    stored."""

    text: str
    phrases: tuple[str, ...]
    without: tuple[str, ...]
    span: Span | None

    @property
    def is_plain(self) -> bool:
        return not self.phrases and not self.without and self.span is None


def read_query(query: str, now: int, released_at: Callable[[str], int | None]) -> Query:
    """The parts of a question."""
    phrases = _quotes(query)
    for pair in compiled(_BOTH).findall(query):
        phrases += [word for word in pair if _is_telling(word)]
    without = compiled(_WITHOUT).findall(query)
    text = compiled(_JOINING).sub(" ", query)
    span = span_in(text, now, released_at)
    if span is not None:
        beside = words(text.replace(span.words, " ", 1))
        if _LOOKING_BACK.isdisjoint(beside) and len(_telling(beside)) > _LITTLE:
            span = None
        else:
            text = text.replace(span.words, " ", 1)
    return Query(text, tuple(dict.fromkeys(phrases)), tuple(dict.fromkeys(without)), span)


def leaving_out(text: str, unwanted: Collection[str]) -> str:
    """The text of a question without the words that nobody wants, and their signs."""
    return compiled(_WITHOUT).sub(
        lambda match: " " if match.group(1) in unwanted else match.group(), text
    )


def _quotes(query: str) -> list[str]:
    """What a question of few words puts into quotes."""
    pattern = compiled(_QUOTED)
    if len(_telling(words(pattern.sub(" ", query)))) >= _PROSE:
        return []
    return [quote for quote in pattern.findall(query) if _is_telling(quote)]


def _is_telling(text: str) -> bool:
    return bool(_telling(words(text)))


def _telling(found: Sequence[str]) -> list[str]:
    return [word for word in found if word not in STOP_WORDS]
