"""Secrets known by what stands before them: names, headers, URLs, command lines.

`find_in_context` gets the text and its lower-case ASCII bytes of the same length, in which the
announcing words are looked for; a pattern runs only where one was found.
"""

from __future__ import annotations

from recairn.core.guard.values import compiled, is_password, is_stand_in, is_token, looks_random

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterator

    from recairn.core.guard.values import Span

    # Kind, announcing word, pattern with the value in group 1, test of the value.
    Context = tuple[str, str, str, Callable[[str], bool]]

_OPEN_QUOTE = r"\\?[\"'`]?"


def _is_header_value(value: str) -> bool:
    return not is_stand_in(value) and (looks_random(value) or not value.isalpha())


def _is_pair_in_base64(value: str) -> bool:
    from binascii import Error, a2b_base64

    try:
        decoded = a2b_base64(value + "=" * (-len(value) % 4))
    except Error:
        return False
    return b":" in decoded and all(32 <= byte < 127 for byte in decoded)


def _is_command_line_password(value: str) -> bool:
    # A user and a group, as in -u 1000:staff, are lower case or digits.
    has_capitals = len(value) >= 8 and value != value.lower()
    return is_password(value, quoted=True) or (has_capitals and not is_stand_in(value))


def _is_given(value: str) -> bool:
    return not is_stand_in(value)


# In groups under a character or word that all of a group contain: most texts skip most groups.
_CONTEXTS: tuple[tuple[str, tuple[Context, ...]], ...] = (
    (
        "",
        (
            (
                "authorization-header",
                "authorization",
                rf"authorization[\"'\]\\]{{0,4}}\s{{0,3}}[:=,]\s{{0,3}}{_OPEN_QUOTE}"
                r"(?:bearer|basic|token|apikey|api-key|ssws|key|bot|digest)\s{1,4}([^\s\"'`<>,;\\)]{8,})",
                _is_header_value,
            ),
            (
                "authorization-header",
                "authorization",
                rf"authorization[\"'\]\\]{{0,4}}\s{{0,3}}[:=]\s{{0,3}}{_OPEN_QUOTE}"
                r"([A-Za-z0-9_.~+/=-]{16,})",
                is_token,
            ),
            (
                "bearer-token",
                "bearer",
                rf"bearer[\s:=]{{1,4}}{_OPEN_QUOTE}([A-Za-z0-9_.~+/=-]{{12,}})",
                is_token,
            ),
            ("basic-auth", "basic ", r"basic\s{1,4}([A-Za-z0-9+/]{8,}={0,2})", _is_pair_in_base64),
            (
                "password",
                "identified by",
                r"identified\s{1,4}by\s{1,4}[\"']([^\s\"']{4,200})",
                _is_given,
            ),
        ),
    ),
    (
        "pass",
        (
            (
                "netrc-password",
                "machine ",
                r"machine\s{1,20}\S{1,200}\s{1,20}(?:login\s{1,20}\S{1,200}\s{1,20})?"
                r"(?:account\s{1,20}\S{1,200}\s{1,20})?password\s{1,20}(\S{1,200})",
                _is_given,
            ),
            (
                "netrc-password",
                "default login",
                r"default\s{1,20}login\s{1,20}\S{1,200}\s{1,20}password\s{1,20}(\S{1,200})",
                _is_given,
            ),
            ("password", "sshpass", r"sshpass\s{1,4}-p\s{0,4}[\"']?([^\s\"']{1,200})", _is_given),
        ),
    ),
    (
        ":",
        (
            (
                "pgpass-password",
                ":5432:",
                r":5432:[^\s:]{1,64}:[^\s:]{1,64}:([^\s:]{4,200})",
                _is_given,
            ),
            (
                "basic-auth",
                "-u ",
                r"-u {1,4}[\"']?[^\s:\"'/]{1,100}:([^\s\"']{4,200})",
                _is_command_line_password,
            ),
            (
                "basic-auth",
                "--user ",
                r"--user {1,4}[\"']?[^\s:\"'/]{1,100}:([^\s\"']{4,200})",
                _is_command_line_password,
            ),
        ),
    ),
    (
        "=",
        (
            (
                "url-signature",
                "sig=",
                r"(?<=[?&;])sig=([A-Za-z0-9%+/=_-]{16,})",
                looks_random,
            ),
            (
                "url-signature",
                "signature=",
                r"(?<=[?&;, -])signature=([A-Za-z0-9%+/=_-]{16,})",
                looks_random,
            ),
        ),
    ),
    (
        "/",
        (
            (
                "slack-webhook",
                "hooks.slack.com/",
                r"hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9_/-]{20,})",
                _is_given,
            ),
            (
                "discord-webhook",
                "/webhooks/",
                r"(?<=/api)(?:/v[0-9]{1,2})?/webhooks/[0-9]{10,24}/([A-Za-z0-9_-]{40,})",
                _is_given,
            ),
            (
                "discord-webhook",
                "/webhooks/",
                r"/webhooks/[0-9]{15,24}/([A-Za-z0-9_-]{40,})",
                _is_given,
            ),
            (
                "teams-webhook",
                "webhook.office.com/",
                r"webhook\.office\.com/webhookb2/([A-Za-z0-9@/_-]{40,})",
                _is_given,
            ),
        ),
    ),
)

_USER_INFO = r"://[^\s/@:\"'`<>?#]{0,256}:([^\s/\"'`<>]{1,512})@(?=[\w\[$({<%*.-])"
_TOKEN_AS_USER = r"://([A-Za-z0-9_.~-]{20,256})(?::|:x-oauth-basic)?@(?=[\w\[])"

# The last word of a name that holds a secret. "pass" comes before its longer forms in the text,
# so one look-up finds them all.
_NAME_WORDS = ("pass", "pwd", "secret", "token", "key", "auth", "credential")
_NAME = r"""(?ix)(?P<word>pass(?:word|wd|phrase|code)?|pwd|secret|token|key|auth|credential)s?
    (?:[_-](?:prod|production|dev|staging|stage|test|live|value|string|base64|b64|[0-9]{1,3})
      |[0-9]{1,2})?
    (?![A-Za-z0-9_])"""
_VALUE_START = r"""(?P<break>(?:[|>][+-]?)?[ \t]{0,4}\n[ \t]{0,20})?
    (?:\[[ \t]{0,4}(?=["']))?
    (?:[rbfuRBFU@]{0,2}(?=["']))?
    (?P<quote>\\?["'`])?"""
_ASSIGNMENT = (
    _NAME
    + r"""(?:\\?["'`]|\]|\*\*?|\[[0-9]{0,4}\]){0,3}
    (?P<link>
       \s{0,3}(?::\s{0,3}[A-Za-z][A-Za-z\[\]|. ]{0,30})?[ \t]{0,20}(?:=>|:=|\?=|={1,3})[ \t]{0,8}
      |[ \t]{0,20}:\*{0,2}[ \t]{0,20}
      |[ \t]{1,3}(?:is|was)(?:[ \t]now|[ \t]set[ \t]to)?:?[ \t]{1,3}
      |[ \t]{0,3}[(,][ \t]{0,3}(?=["'])
      |>
      |[ \t]{1,4}(?=['"`])
    )"""
    + _VALUE_START
)
# On a command line a value may follow its option after mere white space.
_OPTION = _NAME + r"(?P<link>[ \t]{1,4}(?:\\\n[ \t]{0,20})?)" + _VALUE_START
# A value among others ends at the sign that parts them; on a line of its own, as in an environment
# file, it may hold any sign.
_ARGUMENT = r"[^\s\"'`<>,;&|]"
_WORD = r"[^\s\"'`]"
# As much of a value is read to judge it; only a secret is followed to its end, however far.
_JUDGED = "{1,96}"
_WHOLE = "+"
_LINE_START = r"[ \t]*(?:export[ \t]+|set[ \t]+|- )?[A-Za-z0-9_.-]*"
_LONGEST_LINE_START = 80
_LONGEST_NAME = 40
_LONGEST_QUOTED = 4000

# "key" alone names half of all variables; these words before it make it a secret.
_KEY_QUALIFIERS = (
    "api",
    "access",
    "secret",
    "private",
    "auth",
    "encryption",
    "encrypt",
    "signing",
    "sign",
    "account",
    "master",
    "admin",
    "app",
    "application",
    "service",
    "server",
    "storage",
    "license",
    "deploy",
    "session",
    "hmac",
    "webhook",
    "integration",
    "write",
    "client",
    "rest",
    "shared",
    "aws",
    "heroku",
    "cloudflare",
    "fastly",
    "datadog",
    "stripe",
    "openai",
    "anthropic",
    "okta",
    "twilio",
    "mailgun",
    "sendgrid",
    "vercel",
)
# Names that end in a secret's word and hold none: page tokens, vocabularies, cache keys, hashes.
_NOT_SECRET = (
    "public",
    "publishable",
    "public_api",
    "next",
    "page",
    "paging",
    "continuation",
    "cursor",
    "sync",
    "cache",
    "primary",
    "foreign",
    "sort",
    "partition",
    "idempotency",
    "pad",
    "eos",
    "bos",
    "unk",
    "sep",
    "cls",
    "mask",
    "special",
    "stop",
)
_VENDOR = (
    r"(?:\A|[^a-z])(aws|heroku|cloudflare|cf|fastly|datadog|dd|okta|vercel|twilio|mailgun|azure"
    r"|sentry|stripe|openai|github|gitlab|algolia|cloudinary|mailchimp|newrelic)(?![a-z])"
)
_VENDOR_NAMES = {"cf": "cloudflare", "dd": "datadog"}


def find_in_context(text: str, lowered: str) -> list[Span]:
    """The spans of values that their surroundings give away."""
    spans: list[Span] = []
    for gate, rows in _CONTEXTS:
        if gate in lowered:
            for row in rows:
                if row[1] in lowered:
                    spans.extend(_matches(text, lowered, row))
    if "@" in text and "://" in text:
        spans.extend(_find_in_urls(text))
    for word in _NAME_WORDS:
        if word in lowered:
            spans.extend(_find_assigned(text, lowered, word))
    return spans


def _matches(text: str, lowered: str, row: Context) -> Iterator[Span]:
    kind, announcing, source, is_secret = row
    pattern = compiled("(?i)" + source)
    at = lowered.find(announcing)
    while at >= 0:
        found = pattern.match(text, at)
        if found and is_secret(found[1]):
            yield found.start(1), found.end(1), kind, found[1]
        at = lowered.find(announcing, max(at + len(announcing), found.end() if found else 0))


def _find_in_urls(text: str) -> Iterator[Span]:
    at = text.find("://")
    while at >= 0:
        if found := compiled(_USER_INFO).match(text, at):
            if not is_stand_in(found[1]):
                yield found.start(1), found.end(1), "connection-string", found[1]
        elif (found := compiled(_TOKEN_AS_USER).match(text, at)) and looks_random(found[1]):
            kind = "sentry-dsn" if "sentry" in text[found.end() : found.end() + 64] else "url-token"
            yield found.start(1), found.end(1), kind, found[1]
        at = text.find("://", at + 3)


def _find_assigned(text: str, lowered: str, word: str) -> Iterator[Span]:
    at = lowered.find(word)
    while at >= 0:
        head = lowered[max(0, at - _LONGEST_NAME) : at]
        if _names_a_secret(word, head):
            found = compiled(_ASSIGNMENT).match(text, at) or (
                compiled(_OPTION).match(text, at) if "--" in head else None
            )
            if found and (span := _assigned_value(text, found, head)):
                yield span
                at = max(at, span[1] - len(word))
        at = lowered.find(word, at + len(word))


def _names_a_secret(word: str, head: str) -> bool:
    stem = head.rstrip(" _.-")
    # A colon before the name makes it part of a path such as a resource name, not an assignment.
    if stem.endswith(_NOT_SECRET) or head.endswith(":"):
        return False
    if word == "key":
        return stem.endswith(_KEY_QUALIFIERS) or head.endswith(("?", "&"))
    return word != "auth" or not head or not head[-1].isalpha()


def _assigned_value(text: str, found: re.Match[str], head: str) -> Span | None:
    start = found.end()
    end = _end_of_value(text, found, _JUDGED)
    value = text[start:end]
    quoted = found["quote"] is not None or found["link"] == ">"
    if not value or (not quoted and text[end : end + 1] in ("(", "[")):
        return None
    word = found["word"].lower()
    # Without a sign of assignment between them, or on the next line, only a random value counts.
    loose = bool(found["break"]) or found["link"].strip(" \t") in ("", "(", ",")
    if word.startswith(("pass", "pwd")) and not loose:
        secret = is_password(value, quoted=quoted)
    else:
        secret = is_token(value, quoted=quoted)
    if not secret:
        return None
    end = _end_of_value(text, found, _WHOLE)
    if found["link"] == ">" and not text.startswith("</", end):
        return None
    return start, end, _kind(word, head), text[start:end]


def _end_of_value(text: str, found: re.Match[str], length: str) -> int:
    start = found.end()
    quote: str | None = found["quote"]
    if quote is not None:
        end = text.find(quote, start, start + _LONGEST_QUOTED)
        if end >= 0 and "\n" not in text[start:end]:
            return end
    link = found["link"].strip()
    alone = link == "=" and _begins_line(text, found.start())
    inside = link in ("=", ">") and not alone
    word = compiled((_ARGUMENT if inside else _WORD) + length).match(text, start)
    return start + len(word[0].rstrip(",;)]}.:\\")) if word else start


def _begins_line(text: str, name_end: int) -> bool:
    """Whether nothing but indentation, `export` and the start of the name stands before."""
    line = text.rfind("\n", max(0, name_end - _LONGEST_LINE_START), name_end) + 1
    if not line and name_end > _LONGEST_LINE_START:
        return False
    return compiled(_LINE_START).fullmatch(text, line, name_end) is not None


def _kind(word: str, head: str) -> str:
    vendor = compiled(_VENDOR).search(head.rpartition("\n")[2])
    if vendor:
        return f"{_VENDOR_NAMES.get(vendor[1], vendor[1])}-{'key' if word == 'key' else 'secret'}"
    if word.startswith(("pass", "pwd")):
        return "password"
    return {"key": "api-key", "auth": "auth-value"}.get(word, word)
