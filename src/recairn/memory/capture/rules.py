"""The rules that tell a standing order, a decision or a correction from ordinary talk.

A rule looks at one sentence, from its beginning: what stands in the middle ("write a function that
always returns true") is about the work, not about how to work. Each gives the words to keep.
"""

from __future__ import annotations

import re

from recairn.core.words import STOP_WORDS, words
from recairn.memory.capture import patterns
from recairn.memory.capture.candidate import Candidate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from recairn.memory.capture.passages import Sentence

    Span = tuple[str, int, int] | None  # kind, and from where to where the words go

# Words that must be left without the stop words: "never do that again" says nothing later.
_TELLING = 2


def judged(sentences: Iterable[Sentence]) -> Iterator[Candidate]:
    """The candidates among sentences; a bare "no." lends its force to the next one."""
    refused = False
    for sentence in sentences:
        candidate = _judge(sentence, refused)
        if candidate is not None:
            yield candidate
        refused = _refuses(sentence.masked) and bool(patterns.BARE_NO.match(sentence.masked))


def _judge(sentence: Sentence, refused: bool) -> Candidate | None:
    masked = sentence.masked
    for name, rule in _RULES.items():
        span = rule(masked) if _has(masked, _SIGNS[name]) else None
        if span is not None and (name == "remember" or not _is_question(masked)):
            return None if _is_doubted(masked) else _candidate(sentence, name, span)
    if refused and not _is_question(masked) and not _is_doubted(masked):
        span = _corrected(masked, 0)
        return None if span is None else _candidate(sentence, "correction", span)
    return None


def _has(masked: str, signs: Sequence[str]) -> bool:
    """Whether a sentence holds one of the words: a pattern is compiled where it may fit."""
    low = masked.lower()
    return any(sign in low for sign in signs)


def _refuses(masked: str) -> bool:
    return masked.lower().startswith(("no", "nah", "wrong", "incorrect", "that's", "that is"))


def _is_doubted(masked: str) -> bool:
    """Whether the speaker only supposes it, or is not sure."""
    return bool(patterns.SUPPOSED.match(masked) or patterns.UNSURE.search(masked))


def _is_question(masked: str) -> bool:
    if patterns.HOW_MANY.match(masked):
        return False
    return masked.rstrip("\"')").endswith("?") or bool(patterns.QUESTION.match(masked))


def _candidate(sentence: Sentence, rule: str, span: tuple[str, int, int]) -> Candidate | None:
    kind, start, end = span
    text = sentence.text[start:end].strip(" \t-–—:,").rstrip(" .!?")
    if kind == "negated":
        kind, text = "rule", f"Do not {text}"
    if sum(word not in STOP_WORDS for word in words(text)) < _TELLING:
        return None
    fields = _decision_fields(sentence.text[start:end]) if kind == "decision" else {}
    return Candidate(kind, text[:1].upper() + text[1:], fields, rule)


def _decision_fields(text: str) -> dict[str, object]:
    fields: dict[str, object] = {}
    reason = patterns.REASON.search(text)
    if reason is not None:
        fields["rationale"] = reason["why"].rstrip(" .!")
    other = patterns.ALTERNATIVE.search(text)
    if other is not None:
        fields["alternatives"] = [other["other"].strip(" .!,")]
    return fields


def _body(kind: str, match: re.Match[str], group: str = "body") -> tuple[str, int, int]:
    return kind, match.start(group), match.end(group)


def _remember(masked: str) -> Span:
    match = patterns.REMEMBER_AFTER.match(masked)
    if match is not None:
        return _body("learning", match)
    match = patterns.REMEMBER.match(masked)
    if match is None:
        return None
    body, joint = match["body"], match["joint"].strip().lower()
    if masked.rstrip().endswith("?") and not match["asked"]:
        return None
    if not joint and not patterns.STATEMENT.match(body):
        return None
    if patterns.SOON.search(masked):
        return None
    forgets = "forget" in masked[: match.start("body")].lower()
    if joint.endswith("to") and (forgets or patterns.LOCAL.search(body)):
        return None
    for rule in (_decided, _prefer, _standing):
        span = rule(body)
        if span is not None:
            shift = match.start("body")
            return span[0], span[1] + shift, span[2] + shift
    is_rule = joint.endswith("to") or re.match(r"(?:don't|do not|use|avoid|only)\b", body, re.I)
    return _body("rule" if is_rule else "learning", match)


def _standing(masked: str) -> Span:
    match = patterns.STANDING.match(masked) or patterns.PLURAL_STANDING.match(masked)
    if match is None or patterns.LOCAL.search(masked) or not _ordered(match["verb"].lower()):
        return None
    if patterns.WE_SUFFER.search(masked):
        return None
    return _body("rule", match)


def _ordered(verb: str) -> bool:
    """Whether a word after always or never is an order, not a report of what happens."""
    if verb in patterns.NOT_ORDERED or "'" in verb:
        return False
    if verb.endswith("s") and not verb.endswith(("ss", "us", "is", "as")):
        return False
    if verb.endswith("ed") and verb not in patterns.BASE_IN_ED:
        return False
    return not verb.endswith("ing") or verb in patterns.BASE_IN_ING


def _from_now(masked: str) -> Span:
    if _has(masked, ("every time", "each time", "whenever", "for all future")):
        match = patterns.EVERY_TIME.match(masked)
        if match is not None:
            return _body("rule", match)
    match = patterns.FROM_NOW.match(masked) or patterns.NEXT_TIME.match(masked)
    if match is not None:
        return _body("rule", match)
    match = patterns.TO_NOW_ON.match(masked)
    if match is None or re.match(r"(?:it|this|that|he|she|they|there|i)\b", match["body"], re.I):
        return None
    return _body("rule", match)


def _in_place(masked: str) -> Span:
    if _has(masked, _PLACES):
        match = patterns.IN_PLACE.match(masked)
        if match is not None and not patterns.LOCAL.search(masked):
            return _body("rule", match)
    if _has(masked, _WAYS):
        named = patterns.OUR_RULE.match(masked)
        if named is not None and not patterns.LOCAL.search(masked):
            return _body("rule", named)
    if not _has(masked, ("we ",)):
        return None
    match = patterns.OUR_WAY.match(masked.rstrip(".!"))
    if match is None or patterns.LOCAL.search(masked) or patterns.ARTICLE.match(match["thing"]):
        return None
    return _body("rule", match) if patterns.OUR_WAY_ENDS.search(match["body"]) else None


def _decided(masked: str) -> Span:
    if not _has(masked, _DECIDED):
        return _chosen(masked)
    match = patterns.DECISION.match(masked)
    if match is not None:
        vague = patterns.POINTING.match(match["body"]) or patterns.UNDECIDED.match(match["body"])
        return None if vague else _body("decision", match)
    match = patterns.IT_WAS_DECIDED.match(masked)
    if match is not None:
        return None if patterns.UNDECIDED.match(match["rest"]) else _body("decision", match)
    match = patterns.DECIDED.match(masked)
    if match is not None:
        return _body("decision", match) if _is_decision(match, masked) else None
    return _chosen(masked)


def _is_decision(match: re.Match[str], masked: str) -> bool:
    """Whether what somebody decided is told, and is a matter of the work."""
    rest = match["rest"]
    if patterns.UNDECIDED.match(rest) or patterns.PRIVATE.match(rest):
        return False
    if match["who"].lower() == "i" and not _is_about_work(match):
        return False
    if patterns.POINTING.match(rest) and not re.match(r"that\s", rest, re.I):
        return False
    bare = re.match(r"(?:to|that|for|against|on (?!\w+day\b))\b", rest, re.I)
    loose = match["how"].lower() in patterns.LOOSE
    return bool(not loose or bare or patterns.REASONED.search(masked) or " over " in masked)


def _chosen(masked: str) -> Span:
    """`let's go with X`, or with a reason `going with X`, `we'll use X`."""
    reasoned = patterns.REASONED.search(masked)
    match = patterns.GO_WITH.match(masked) if _has(masked, _GOING) else None
    if match is not None and match["bare"] and not reasoned:
        return None
    if match is None:
        match = patterns.CHANGE_TO.match(masked)
        if match is None or not reasoned or patterns.ARTICLE.match(match["rest"]):
            return None
    if patterns.POINTING.match(match["rest"]) or patterns.LOCAL.search(masked):
        return None
    return _body("decision", match)


def _is_about_work(match: re.Match[str]) -> bool:
    """Whether what one person decided is a matter of the project, and not of their day."""
    if match["how"].lower() == "agreed":
        return False
    return bool(patterns.WORKING.match(match["rest"])) or not match["rest"].lower().startswith(
        "to "
    )


def _correction(masked: str) -> Span:
    match = patterns.NO.match(masked) if _refuses(masked) else None
    if match is not None:
        span = _corrected(match["body"], match.start("body"))
        if span is not None:
            return span
    if not _has(masked, _TOLD):
        return _stopped(masked)
    match = patterns.TOLD.match(masked) or patterns.HOW_MANY.match(masked)
    if match is not None:
        # "I asked you to rename it" is about the work.
        if patterns.PRONOUN.search(match["body"]) or patterns.LOCAL.search(match["body"]):
            return None
        return _body("negated" if "not" in (match["joint"] or "") else "rule", match)
    match = patterns.AS_SAID.match(masked) or patterns.SAID_AFTER.match(masked)
    if match is not None:
        return _body("rule", match)
    return _stopped(masked)


def _stopped(masked: str) -> Span:
    """`stop adding comments`, or `use pnpm, not npm`."""
    match = patterns.STOP.match(masked) if _has(masked, ("stop ",)) else None
    if (
        match is not None
        and match["verb"].lower() not in patterns.RUNNING
        and not patterns.LOCAL.search(masked)
    ):
        return _body("rule", match)
    return _used_instead(masked)


def _used_instead(masked: str) -> Span:
    """`use pnpm, not npm`: names; with an article it is about the code at hand."""
    if not (
        _has(masked, ("use ",)) and _has(masked, ("not ", "never ", "instead of", "rather than"))
    ):
        return None
    match = patterns.USE_NOT.match(masked)
    if match is None or patterns.LOCAL.search(masked):
        return None
    if patterns.ARTICLE.match(match["this"]) or patterns.ARTICLE.match(match["other"]):
        return None
    return _body("rule", match)


def _corrected(body: str, shift: int) -> Span:
    """What follows a no: an order or a fact that stands on its own."""
    if not patterns.CORRECTING.match(body) or patterns.LOCAL.search(body):
        return None
    contrast = patterns.CONTRAST.search(body)
    start, end = shift, shift + len(body)
    if re.match(r"(?:it's|it is|it should|call it|name it|use (?:it|that|this)\b)", body, re.I):
        return None
    if patterns.IS.match(body):
        return "learning", start, end
    ordered = re.match(
        r"(?:we (?:use|don't|do not)|don't|do not|always|never|prefer)\b", body, re.I
    )
    pointing = patterns.PRONOUN.search(body)
    if (ordered and not pointing) or (contrast and re.match(r"(?:use|prefer)\b", body, re.I)):
        return "rule", start, end
    return None


def _prefer(masked: str) -> Span:
    match = patterns.PREFER.match(masked)
    if match is None or patterns.LOCAL.search(masked):
        return None
    rest = match["rest"] or ""
    if patterns.POINTING.match(rest) or patterns.PRIVATE.match(rest):
        return None
    return None if re.match(r"not to\b|[,.;:!]", rest, re.I) else _body("preference", match)


# What a rule needs to find in a sentence, in lower case.
_TOLD = ("told", "asked", "reminded", "how many times", "said", "mentioned")
_DECIDED = (
    *("decid", "decision", "agreed", "settled", "opted", "chose", "voted", "picked"),
    *("went with", "going with"),
)
_GOING = ("go ", "going ", "stick", "stay", "settle")
_REASONS = ("instead of", "rather than", "because", "since", "due to", "so that")
_PLACES = (
    *(" repo", "project", "codebase", "code base", "monorepo", "team", "company", "shop"),
    *(" app", "package"),
)
_WAYS = ("rule", "convention", "policy", "guideline", "standard")
_SIGNS = {
    "remember": (
        *("remember", "in mind", "forget", " note", "for the record", "future reference"),
        *(" memory", "note "),
    ),
    "decision": (*_DECIDED, *_GOING, *_REASONS),
    "correction": (*_TOLD, "no", "nah", "wrong", "incorrect", "that's", "that is", "stop ", "use "),
    "standing": ("always", "never", " ever"),
    "from now on": (
        *("every time", "each time", "whenever", "for all future", " on", "forward"),
        *("henceforth", "future", "next time"),
    ),
    "preference": ("prefer", "rather", "like it when", "like when", "hate", "dislike"),
    "our way": (*_PLACES, *_WAYS, "we "),
}
# In the order they are tried; the first that fits gives the candidate.
_RULES = {
    "remember": _remember,
    "decision": _decided,
    "correction": _correction,
    "standing": _standing,
    "from now on": _from_now,
    "preference": _prefer,
    "our way": _in_place,
}
