"""What people tell an agent to keep, found in their own words by rules alone.

`remember that ...`, standing orders, decisions and corrections become candidates. Pure: text in,
candidates out. Whoever calls this stores them unverified, and a person decides about them.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recairn.memory.capture.candidate import Candidate

# Characters that are read at all; nobody types more, and what is longer was pasted.
LONGEST_TEXT = 50_000
# Candidates taken out of one text; who says more than this at once is quoting a document.
MOST_CANDIDATES = 5

# A text without any of these holds no candidate: most prompts are done with after this look.
_SIGNS = (
    "remember",
    "in mind",
    "forget",
    "future",
    "for the record",
    " memory",
    "whenever",
    "convention",
    "policy",
    "rule",
    "in our ",
    "we picked",
    "a note",
    "always",
    "never",
    " ever ",
    "every time",
    "now on",
    "here on",
    "point on",
    "today on",
    "moving forward",
    "going forward",
    "henceforth",
    "next time",
    "because",
    "decid",
    "decision",
    "agreed",
    "settled",
    "chose",
    "opted",
    "voted",
    "going with",
    "go with",
    "went with",
    "stick with",
    "stay with",
    "stick to",
    "instead",
    "rather",
    " not ",
    "prefer",
    "hate",
    "dislike",
    "like it when",
    "don't",
    "do not",
    "dont",
    "stop ",
    "told you",
    "asked you",
    "i said",
    "how many times",
    "we use",
    "we only",
    "no, ",
    "no. ",
    "nope",
    "wrong",
    "incorrect",
    "not right",
    " repo",
    "project",
    "codebase",
    "code base",
)


def worth_reading(text: str) -> bool:
    """Whether a text could hold a candidate; costs next to nothing."""
    low = text[:LONGEST_TEXT].lower().replace("’", "'")
    return any(sign in low for sign in _SIGNS)


def candidates(text: str) -> list[Candidate]:
    """The candidates in a text, in its order; never from code, quotes, logs or questions."""
    if not worth_reading(text):
        return []
    from recairn.memory.capture.passages import sentences
    from recairn.memory.capture.rules import judged

    by_content: dict[str, Candidate] = {}
    for candidate in judged(sentences(text[:LONGEST_TEXT])):
        by_content.setdefault(candidate.content.lower(), candidate)
    return list(by_content.values())[:MOST_CANDIDATES]
