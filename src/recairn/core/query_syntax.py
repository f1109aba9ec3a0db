"""What a question may say beside its words: phrases, `-word`, AND and NOT, a time, a kind.

Any string is a question still: what means nothing here is left as words. Who asks by `search` may
write so; the prompts of an agent, full of code and options of commands, are never read this way.
"""

from __future__ import annotations

from recairn.core.kinds import KIND_WORDS
from recairn.core.lazy import compiled
from recairn.core.record import record
from recairn.core.time_words import span_in
from recairn.core.words import STOP_WORDS, words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from recairn.core.time_words import Span

# A quote that stands for itself: not the argument of a call, nor one of several that would do.
_QUOTED = r'(?<!\S)(?<!\bOR )"([^"]{2,200})"(?=[\s?!.,;:]|$)(?! OR\b)'
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
# Words that ask for things and name none: "show me the latest rules that we have here".
_ASKING = frozenset(
    """
    list show give find see get name know known made make taken take happened new newest latest
    recent recently last current currently far project repository recorded stored remembered
    saved noted things anything everything say said do done add added write wrote written work
    worked working change changed changes talk talked discuss discussed memory memories
    """.split()
)
# Telling words beside a quote from which on a question is prose, in which quotes name things.
_PROSE = 4


@record
class Query:
    """A question taken apart: `text` is what is looked for, `phrases` what a hit must hold,
    `without` what it must not (and what may be an option of a command instead), `span` when it was
    stored. `kind` is one of which it asks for all there is, and nothing besides."""

    text: str
    phrases: tuple[str, ...]
    without: tuple[str, ...]
    span: Span | None
    kind: str | None = None

    @property
    def is_plain(self) -> bool:
        return not (self.phrases or self.without or self.span or self.kind)


def read_query(query: str, now: int, released_at: Callable[[str], int | None]) -> Query:
    """The parts of a question."""
    phrases = _quotes(query)
    for pair in compiled(_BOTH).findall(query) if " OR " not in query else ():
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
    kind = None if phrases or without else _kind_in(words(text))
    return Query(text, tuple(dict.fromkeys(phrases)), tuple(dict.fromkeys(without)), span, kind)


def asks_for_nothing(text: str) -> bool:
    """Whether the words of a question name no subject."""
    return all(word in STOP_WORDS or word in _ASKING for word in words(text))


def _kind_in(found: Sequence[str]) -> str | None:
    """The kind that a question is about, where it names nothing else."""
    kinds = {KIND_WORDS.get(word) for word in _telling(found) if word not in _ASKING}
    return kinds.pop() if len(kinds) == 1 else None


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
