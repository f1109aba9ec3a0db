"""A person's own sentences in a text: without code, quotes, logs, and what programs put there."""

from __future__ import annotations

import re

from recairn.core.lazy import compiled_later
from recairn.core.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

# Characters of prose up to which all of it is taken for typed. Of a longer text, which holds a
# pasted document, only the ends are the person's own.
_TYPED = 2500
_ENDS = 600
_LONGEST_SENTENCE = 500
# A line at least this long that ends in the middle of a sentence was wrapped.
_WRAPPED = 60

# Stands for every character inside inline code or quotation marks while rules look at a sentence.
MASK = "\ue010"

# Blocks of tags: what recairn or the agent's program put into a text, and pasted markup. A block of
# recairn that was cut off reaches to the end.
_OWN_BLOCK = compiled_later(r"<(recairn[\w-]*)\b[^>]*>.*?(?:</\1>|\Z)", re.S | re.I)
_TAG = compiled_later(r"<([A-Za-z][\w:-]*)\b[^<>]*>")
# Tags as programs name theirs: `system-reminder`, `user_instructions`. Those of HTML are one word.
PROGRAM_TAG = compiled_later(r"<([A-Za-z]+(?:[_-][A-Za-z]+)+)\b[^<>]*>")
_FENCED = compiled_later(r"^[ \t]*(```+|~~~+).*?(?:^[ \t]*\1[`~]*[ \t]*$|\Z)", re.S | re.M)
# "Review this text:" and all that follows: material, not the person's own words.
_TO_WORK_ON = compiled_later(
    r"^[ \t]*(?:please |can you |could you )?(?:review|proofread|translate|summari[sz]e|explain"
    r"|rewrite|rephrase|improve|shorten|format|convert|classify|analy[sz]e|comment on|draft|write"
    r"|generate|create|edit|check|correct)\b[^\n]*:[ \t]*\n.*",
    re.S | re.M | re.I,
)
# "Add a section to the README: …", "here is the text for …": what follows, up to a blank line, are
# words to be put somewhere.
_ANNOUNCED = compiled_later(
    r"""^[ \t]*(?:(?:please|can\syou|could\syou|then|and|also|now|ok|okay)[,]?\s+)*(?:
      (?:write|add|put|create|generate|draft|insert|append|include|print|make|prepare|update|extend)\b
      [^\n:]{0,120}?\b(?:readme|docs?|documentation|sections?|guides?|guidelines?|pages?|polic(?:y|ies)
        |templates?|messages?|comments?|banners?|e-?mails?|posts?|articles?|paragraphs?|lines?|texts?
        |prompts?|instructions?|slides?|changelog|contributing|headlines?|slogans?|labels?|tooltips?|notices?|\w+\.md)\b
      [^\n:]{0,80}?(?::|\b(?:with\sthe\s(?:line|text|words|sentence|following)|saying
        |(?:that|which)\s(?:says|reads))\b)
    | here(?:'s|\sis|\sare)\s(?:the|a|some|my|our)\s(?:new\s)?
      (?:text|copy|draft|wording|lines|slogans?)\b
    )""",
    re.X | re.I,
)

# What is said once and meant of each point below it.
_LEADING = compiled_later(
    r"^(?:please |also |and )*(?:remember|keep in mind|bear in mind|from now on|going forward"
    r"|for (?:the record|future reference))\b[^:]{0,60}:$",
    re.I,
)
# "Here is the review I got:" and the points below it: somebody else's words.
_HANDED_ON = compiled_later(
    r"\b(?:review(?:er)?s?|feedback|comments?|remarks?|findings|notes|e-?mails?|messages?|tickets?"
    r"|issues?|thread|customer|boss|guide(?:line)?s?|article|specs?|requirements?|policy|checklist)\b"
    r"[^\n]{0,60}:[ \t]*$",
    re.I,
)
# The head of a mail; all below it is the mail.
_MAIL = compiled_later(
    r"^(?:From|To|Cc|Sent|Date|Subject): .*\n(?:From|To|Cc|Sent|Date|Subject): .*\Z", re.M | re.S
)
# A role for the agent to play, with orders of its own.
_ROLE = compiled_later(
    r"^[ \t]*(?:you are|act as|pretend to be|imagine you are)\s+(?:an?|the|my|our)\b[^\n]*"
    r"(?:\n[^\n]+)*",
    re.M | re.I,
)

_BULLET = compiled_later(r"^(?:[-*•]|\d{1,2}[.)])\s+")
_NOT_PROSE = compiled_later(
    r"""^(?:
      \s{4,}\S | \t                                   # indented code
    | \s*(?:>|\|)                                     # quotation, table
    | \s*[$%\u276f]\s | \s*>>> | \s*\#                     # commands, headings, comments
    | \s*(?://|/\*|\*/|--\s|;;|<!--|%%)               # comments
    | diff\s--git | @@ | \+\+\+ | ---                 # diffs
    | [+-](?=\S)
    | \s*\[?\d{4}-\d\d-\d\d[T\s_]\d\d | \s*\[?\d\d:\d\d:\d\d
    | \s*\[?(?:ERROR|WARN(?:ING)?|INFO|DEBUG|TRACE|FATAL|CRITICAL|PANIC)\b
    | \s*(?:error|warning|note|help|fatal|panic)(?:\[\w+\])?:\s  # compilers
    | \s*(?:npm|yarn|pip|cargo)\s(?:ERR!|WARN|error|warning)
    | \s*(?:Traceback\b|File\s"|at\s\S+\s?\(|Caused\sby:|E\s{2,})
    | \s*[\w.]*(?:Error|Exception|Warning|Panic)\b\s*:
    | \s*[\w./\\-]+:\d+(?::\d+)?[:\s]                  # file:line
    | \s*(?:import|from|def|class|function|const|let|var|return|public|private|func|fn|use)\s
      [^ ]+.*[;{(:]\s*$
    )""",
    re.X,
)
_CODE_END = compiled_later(r"[;{}]\s*$|\(\);|=>|\);\s*$|&&|\|\|")
# A speaker's name before the line: a chat log or a review thread, so somebody else's words.
_SPEAKER = compiled_later(r"^\s*(?:@\w+|[A-Z][\w.]+(?: [A-Z][\w.]+)?)(?: \[[^\]]*\]| \([^)]*\))?: ")
_HIDDEN = compiled_later(r"`[^`\n]*`|\"[^\"\n]{2,}\"|“[^”\n]+”|«[^»\n]+»|(?<!\w)'[^'\n]{2,}'(?!\w)")
_QUOTES = ("`", '"', "“", "«", "'")
_END = compiled_later(r"(?<=[.!?])[\"')\]]*\s+(?=\S)|;\s+|(?<=[.!?])$")
_ABBREVIATED = compiled_later(r"\b(?:e\.g|i\.e|etc|vs|cf|approx)\.$", re.I)


@record
class Sentence:
    """A sentence as written, and the same with code and quotations masked."""

    text: str
    masked: str


def sentences(text: str) -> list[Sentence]:
    """The sentences a person seems to have typed, in order."""
    parts = []
    for line in _paragraphs(_ends(_prose(text))):
        parts += _split(line)
    return [sentence for sentence in parts if 0 < len(sentence.text) <= _LONGEST_SENTENCE]


def _prose(text: str) -> list[str]:
    """The lines that are neither code nor quotation nor a program's output."""
    # Curly apostrophes are what editors and phones type.
    plain = text.replace("\r\n", "\n").replace("’", "'")
    # Each of these is compiled for texts that may hold what it looks for: most hold none of it.
    if "<" in plain:
        plain = _OWN_BLOCK.sub("\n\n", plain)
    if "```" in plain or "~~~" in plain:
        plain = _FENCED.sub("\n\n", plain)
    if "<" in plain:
        plain = without_tagged(plain)
    if ":" in plain and "\n" in plain:
        plain = _TO_WORK_ON.sub("\n\n", _MAIL.sub("\n\n", plain))
    low = plain.lower()
    if any(sign in low for sign in ("you are ", "act as ", "pretend to be ")):
        plain = _ROLE.sub("\n", plain)
    return [
        line
        if line.strip() and not (_NOT_PROSE.match(line) or _is_code(line) or _is_spoken(line))
        else ""
        for line in _without_announced(plain.split("\n"))
    ]


def _without_announced(lines: list[str]) -> Iterator[str]:
    """The lines without the words that are to be written somewhere."""
    announced = handed_on = False
    for line in lines:
        if announced and line.strip():
            yield ""
            continue
        # Points go on below an empty line; other text below it is the person's again.
        if handed_on and (not line.strip() or _BULLET.match(line.strip())):
            yield ""
            continue
        handed_on = line.rstrip().endswith(":") and bool(_HANDED_ON.search(line))
        match = _ANNOUNCED.match(line) if _may_announce(line) else None
        announced = match is not None
        yield line if match is None else line[: match.end()]


def _may_announce(line: str) -> bool:
    """Whether a line may say that what follows are words to be written somewhere."""
    low = line.lower()
    return ":" in low or any(
        sign in low for sign in (" with the ", "here", "saying", " says", " reads")
    )


def without_tagged(text: str, tags: re.Pattern[str] = _TAG) -> str:
    """The text without what stands between an opening tag and its end; linear in its length."""
    parts, position = [], 0
    unclosed: set[str] = set()
    for tag in tags.finditer(text):
        name = tag.group(1)
        if tag.start() < position or name in unclosed:
            continue
        end = text.find(f"</{name}>", tag.end())
        if end < 0:
            unclosed.add(name)
            continue
        parts.append(text[position : tag.start()])
        position = end + len(name) + 3
    return "\n\n".join([*parts, text[position:]])


def _is_spoken(line: str) -> bool:
    """Whether the line is what somebody else said; an ordinary word before a colon is not."""
    speaker = _SPEAKER.match(line) if ": " in line else None
    if speaker is None:
        return False
    name = speaker.group(0).strip().rstrip(":").lower().split(" (")[0]
    return name not in _LABELS


# Words with a capital that begin an order or a decision rather than name a speaker.
_LABELS = frozenset(
    "wrong incorrect"
    " remember important reminder note decision decided rule preference always never please also"
    " btw fyi correction agreed final convention policy memo todo".split()
) | {"final decision", "from now on", "going forward", "for the record"}


def _is_code(line: str) -> bool:
    if _CODE_END.search(line):
        return True
    marks = sum(not (letter.isalnum() or letter.isspace()) for letter in line)
    return marks > 0.3 * len(line.strip())


def _ends(lines: list[str]) -> list[str]:
    """All lines of what was typed; the first and the last ones of what was mostly pasted."""
    if sum(map(len, lines)) <= _TYPED:
        return lines

    def head_count(side: list[str]) -> int:
        length = count = 0
        for line in side:
            length += len(line)
            if length > _ENDS:
                break
            count += 1
        return count

    first, last = head_count(lines), head_count(lines[::-1])
    return [*lines[:first], "", *lines[len(lines) - last :]]


def _paragraphs(lines: list[str]) -> list[str]:
    """Lines with those put together again that were wrapped in the middle of a sentence, and the
    points below "please remember:" each behind these words."""
    paragraphs: list[str] = []
    goes_on = listing = False
    lead = ""
    for line in lines:
        bare = line.strip()
        bullet = _BULLET.match(bare)
        if bullet:
            bare = lead + bare[bullet.end() :]
        elif bare or listing:
            lead = f"{bare} " if bare.endswith(":") and _LEADING.match(bare) else ""
        listing = bool(bullet)
        if goes_on and bare and not bullet:
            paragraphs[-1] += " " + bare
        elif bare:
            paragraphs.append(bare)
        goes_on = bool(bare) and len(line) >= _WRAPPED and bare[-1] not in ".!?:"
    return paragraphs


def _split(line: str) -> list[Sentence]:
    quoted = any(sign in line for sign in _QUOTES)
    masked = _HIDDEN.sub(lambda hidden: MASK * len(hidden.group(0)), line) if quoted else line
    parts, start = [], 0
    for end in _END.finditer(masked):
        if _ABBREVIATED.search(masked[start : end.start()]):
            continue
        parts.append(_sentence(line, masked, start, end.start()))
        start = end.end()
    parts.append(_sentence(line, masked, start, len(line)))
    return parts


def _sentence(line: str, masked: str, start: int, end: int) -> Sentence:
    while start < end and line[start].isspace():
        start += 1
    while end > start and line[end - 1].isspace():
        end -= 1
    return Sentence(line[start:end], masked[start:end])
