"""What a question may say beside its words: phrases, `-word`, AND, NOT, `kind:rule`, a time.

Any string is a question still: what means nothing here is left as words. Who asks by `search` may
write so; the prompts of an agent, full of code and options of commands, are never read this way.
"""

from __future__ import annotations

from recairn.core.kinds import KIND_WORDS, KINDS
from recairn.core.lazy import compiled
from recairn.core.record import record, replace
from recairn.core.time_words import date_in, release_in, span_in
from recairn.core.words import FOREIGN_WORDS, STOP_WORDS, words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from recairn.core.time_words import Span

# A question that is longer, or has lines, was pasted: what looks like a sign in it is none.
_TYPED = 300  # characters
# Quotes as they are printed and as word processors make them.
_QUOTES = dict.fromkeys(map(ord, "“”„«»"), '"')
# A quote that stands for itself: not the argument of a call, nor one of several that would do.
_QUOTED = r'(?<!\S)(?<!\bOR )"([^"]{2,200})"(?=[\s?!.,;:]|$)(?! OR\b)'
# A word or a name: -DskipTests, -Dname, -Wall and -Xlint are options.
_WITHOUT = (
    r"(?:(?<!\S)-(?![DWX])|\bNOT )"
    r"([A-Za-z\u00df-\uffff][a-z0-9_\u00df-\uffff]{2,})(?=[\s?!.,;:]|$)"
)
# Not "DO NOT edit", nor `grep -r -name`: one letter, or two dashes, is what programs take.
_NO_SIGN = (
    r"(?i:\b(?:do|does|did|must|should|shall|may|can|could|will|would|is|are|was|were|if) NOT )"
)
_OPTIONS = r"(?<!\S)(?:-[A-Za-z]\b|--\w)"
_BOTH = r"\b(\w{2,}) AND (?=(\w{2,}))"
_JOINING = r"\b(?:AND|OR)\b"
# A field with its value, without a space as people write them: `kind:rule author:agent`.
_FIELD = r'(?i:(?<!\S)(kind|type|category|author|tier|trust|since|before):("[^"]+"|[^\s":]+))(?!\S)'
# What recairn shows beside every memory.
_ID = r"\s*#(\d{1,15})\s*"
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
    saved noted things anything everything say said do done did add added write wrote written work
    worked working change changed changes talk talked discuss discussed memory memories remember
    lately oldest first earliest top best went anti
    """.split()
)
# Words that ask for what is new, or for all there is.
_NEWS = frozenset("new newest latest recent recently lately anything everything oldest".split())
_OLD = frozenset("oldest first earliest".split())
# What asks where work stopped, which a handoff says.
_STOPPED = (
    r"(?i)\W*(?:so,? )?(?:where (?:were|was|are) (?:we|i)(?: last time)?"
    r"|where (?:did )?(?:we|i|you) (?:stop(?:ped)?|leave off|left off|leave|left)"
    r"|what(?:[’']?s| is| was| comes)? next|next steps?|(?:the )?(?:last|previous) session"
    r"|what (?:were|was) (?:we|i) (?:doing|working on)(?: last time)?)\W*"
)
_PLACES = frozenset("where next session doing working".split())
# Kinds of which a subject can be asked: `rules about commits`. Of others the word says little:
# people learn from failures and note decisions.
_ASKED_ABOUT = ("rule", "decision", "failure", "handoff", "preference")
_ABOUT = (
    r"(?i)\W*(?:(?:which|what|any|the|all|our|are|is|there|do|have|we|a|an|latest|newest|recent"
    r"|last|show|list|find|give|me|known) )*(\w+)(?: (?:do|did) (?:we|you) (?:have|make|take))? "
    r"(?:about|on|for|regarding|concerning|around|with) (.+)"
)
# Telling words beside a quote from which on a question is prose, in which quotes name things.
_PROSE = 4
# More are a number of something else.
_MOST = 100


@record
class Query:
    """A question taken apart: `text` is what is looked for, `phrases` what a hit must hold,
    `without` what it must not (and what may be an option of a command instead), `span` when it was
    stored, `fields` what it must be. `kind` is one of which it asks for all there is, and nothing
    besides, or `count` of them; with `subject` what of that kind is about something. `release` is
    how a time was said that no tag tells, and `id` the one memory that is meant. `unsure`: the one
    word that was said may also be looked for like any other."""

    text: str
    phrases: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    span: Span | None = None
    kind: str | None = None
    subject: bool = False
    fields: tuple[tuple[str, str], ...] = ()
    count: int = 0
    oldest: bool = False
    everything: bool = False
    unsure: bool = False
    release: str = ""
    id: int | None = None

    @property
    def is_plain(self) -> bool:
        said = self.phrases or self.without or self.fields or self.span or self.release
        return not (said or self.kind or self.everything or self.id)


def read_query(query: str, now: int, released_at: Callable[[str], int | None]) -> Query:
    """The parts of a question."""
    asked_for = compiled(_ID).fullmatch(query)
    if asked_for is not None:
        return Query(query, id=int(asked_for.group(1)))
    if len(query) > _TYPED or "\n" in query.strip():
        return Query(query)
    if not query.isascii():  # half a character, which no text holds, is none
        query = query.encode("utf-8", "ignore").decode().translate(_QUOTES)
    if not FOREIGN_WORDS.isdisjoint(words(query)) or not query.isascii():
        from recairn.core.foreign_questions import in_english

        query = in_english(query) or query
    text, fields = _fields(query)
    phrases = _quotes(text) + _joined(text)
    without = tuple(dict.fromkeys(_left_out(text)))
    if "AND" in text or "OR" in text:
        text = compiled(_JOINING).sub(" ", text)
    read = Query(text, tuple(dict.fromkeys(phrases)), without, fields=tuple(fields))
    return _with_kind(_with_time(read, now, released_at), now)


def asks_for_nothing(text: str) -> bool:
    """Whether the words of a question name no subject."""
    return all(word in STOP_WORDS or word in _ASKING or _count(word) for word in words(text))


def _with_time(query: Query, now: int, released_at: Callable[[str], int | None]) -> Query:
    """The question and when what it asks for was stored, if it says that."""
    text, span = query.text, span_in(query.text, now, released_at)
    said = release_in(text) if span is None else span.words
    if not said:
        return query
    beside = words(text.replace(said, " ", 1))
    if _LOOKING_BACK.isdisjoint(beside) and len(_telling(beside)) > _LITTLE:
        return query
    text = text.replace(said, " ", 1)
    return replace(query, text=text, span=span, release="" if span is not None else said)


def _with_kind(query: Query, now: int) -> Query:
    """The question and the kind of which it asks for all, if it names no subject."""
    if query.phrases or query.without:
        return query
    if _asks_where_work_stopped(query.text):
        return replace(query, kind="handoff")
    dated = date_in(query.text, now) if query.span is None else None
    rest = query.text if dated is None else query.text.replace(dated.words, " ", 1)
    found = words(rest)
    kinds = {KIND_WORDS.get(word) for word in _telling(found) if not _asks(word)}
    kind = kinds.pop() if len(kinds) == 1 else None
    if kind is None and not asks_for_nothing(rest):
        return _of_a_time_and_kind(query) if query.span else _about_a_kind(query)
    counts = [_count(word) for word in found if _count(word)]
    asking = not _NEWS.isdisjoint(found) or (counts and not _ASKING.isdisjoint(found))
    return replace(
        query,
        text=rest,
        span=dated or query.span,
        kind=kind,
        count=counts[0] if len(counts) == 1 else 0,
        oldest=not _OLD.isdisjoint(found),
        everything=kind is None and bool(asking),
        unsure=query.span is None and len(words(query.text)) == 1,
    )


def _asks_where_work_stopped(text: str) -> bool:
    where = not _PLACES.isdisjoint(words(text))
    return where and compiled(_STOPPED).fullmatch(text) is not None


def _about_a_kind(query: Query) -> Query:
    """The question without the kind that it asks about a subject for: `rules about commits`."""
    if KIND_WORDS.keys().isdisjoint(words(query.text)):
        return query
    match = compiled(_ABOUT).fullmatch(query.text)
    kind = None if match is None else KIND_WORDS.get(match.group(1).lower())
    if match is None or kind not in _ASKED_ABOUT or not match.group(1).lower().startswith(kind):
        return query
    return replace(query, text=match.group(2), kind=kind, subject=True)


def _of_a_time_and_kind(query: Query) -> Query:
    """The question without the one word that names a kind, as in `what broke in billing`."""
    named = [word for word in words(query.text) if KIND_WORDS.get(word) in _ASKED_ABOUT]
    if len(named) != 1:
        return query
    text = compiled(rf"(?i)(?<!\w){named[0]}(?!\w)").sub(" ", query.text)
    return replace(query, text=text, kind=KIND_WORDS[named[0]], subject=True)


def _asks(word: str) -> bool:
    return word in _ASKING or bool(_count(word))


def _count(word: str) -> int:
    """How many are asked for, in digits; 0 for other words."""
    return int(word) if word.isascii() and word.isdecimal() and int(word) <= _MOST else 0


def _fields(query: str) -> tuple[str, list[tuple[str, str]]]:
    """A question without the fields it names, and those with a value that they can have."""
    from recairn.core.kinds import TIERS, TRUSTS

    known = {"tier": TIERS, "trust": TRUSTS}
    found: list[tuple[str, str]] = []
    for match in compiled(_FIELD).finditer(query) if ":" in query else ():
        name, value = match.group(1).lower(), match.group(2).strip('"')
        if name in ("kind", "type"):
            name, value = "kind", _kind_of(value.lower())
        if value and value in known.get(name, (value,)):
            query = query.replace(match.group(), " ", 1)
            found.append((name, value))
    return query, found


def _kind_of(word: str) -> str:
    """The kind that a word names, in the singular or the plural; "" for other words."""
    return word if word in KINDS else KIND_WORDS.get(word, "")


def leaving_out(text: str, unwanted: Collection[str]) -> str:
    """The text of a question without the words that nobody wants, and their signs."""
    return compiled(_WITHOUT).sub(
        lambda match: " " if match.group(1) in unwanted else match.group(), text
    )


def _left_out(query: str) -> list[str]:
    """The words that a question does not want."""
    if "-" not in query and "NOT" not in query:
        return []
    if compiled(_OPTIONS).search(query) or compiled(_NO_SIGN).search(query):
        return []
    return compiled(_WITHOUT).findall(query)


def _quotes(query: str) -> list[str]:
    """What a question of few words puts into quotes."""
    if '"' not in query:
        return []
    pattern = compiled(_QUOTED)
    if len(_telling(words(pattern.sub(" ", query)))) >= _PROSE:
        return []
    return [quote for quote in pattern.findall(query) if _is_telling(quote)]


def _joined(query: str) -> list[str]:
    """The words that AND stands between."""
    if " AND " not in query or " OR " in query:
        return []
    pairs = compiled(_BOTH).findall(query)
    return [word for pair in pairs for word in pair if _is_telling(word)]


def _is_telling(text: str) -> bool:
    return bool(_telling(words(text)))


def _telling(found: Sequence[str]) -> list[str]:
    return [word for word in found if word not in STOP_WORDS]
