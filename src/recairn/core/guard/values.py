"""Whether a value that stands where a secret could stand is one.

A name such as `password` or `token` is in every second line of source code, mostly before a
variable, a call, a placeholder or a word. What tells a secret is the mixing: random text changes
between lower case, upper case, digits and symbols every two or three characters, words do not.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    # Start and end of the value, kind, and the whole match, which the allow-list may name.
    Span = tuple[int, int, str, str]

_compiled: dict[str, re.Pattern[str]] = {}


def compiled(source: str) -> re.Pattern[str]:
    """The pattern, compiled at its first use: a process that meets no secret compiles nothing."""
    pattern = _compiled.get(source)
    if pattern is None:
        pattern = _compiled[source] = re.compile(source)
    return pattern


# What takes the place of a value.
MARK = "[REDACTED]"

# Share of neighbours that differ in class. Random base62 has 0.62, base36 0.40, hexadecimal 0.47;
# identifiers with a version number in them stay below 0.15.
_RANDOM_MIXING = 0.2
# Without digits only the changes of case speak, and CamelCase reaches 0.3 by itself.
_RANDOM_CASE_MIXING = 0.35
# Fewer different characters than this in a long value is somebody's row of x or of zeros.
_FEWEST_DIFFERENT = 6
_LONG = 16
_SHORTEST_PASSWORD = 6
# Characters of a value that are judged; enough to tell, and a limit to what a hostile text costs.
_SAMPLE = 96
_SHORTEST_TOKEN = 12
_SHORTEST_WITHOUT_DIGITS = 16

_SYMBOLS = frozenset("!@#$%^&*+=?~|/\\:;<>()[]{},'\"`")
# Runs of one class of characters; what is neither ASCII letter nor digit counts as a symbol.
_ONE_CLASS = r"[a-z]+|[A-Z]+|[0-9]+|[^A-Za-z0-9]+"

# Variables, templates, environment look-ups, calls and dotted names.
_REFERENCE = (
    r"(?i)\$\w+\Z|\$[{(]|[<{\[(]+[a-z_ ]|[!*&%@][a-z_.:-]*\Z|%\(|#\{|"
    r"(?:os|process|env|settings|config|self|this|cfg|args|opts|options|secrets|vars?|local|data|"
    r"module|request|req|ctx|app|user|params)\b[.\[(]"
)
_DOTTED_NAME = r"[A-Za-z_]\w*(?:(?:\.|->|::|\?\.)[A-Za-z_]\w*)+[(\[]?\S*\Z"
_CALL = r"[A-Za-z_][\w.:]*[(\[]"
_TEMPLATE = r"\$\{|\{\{|\}\}|\$\([^)]*\)|<[A-Za-z_ -]+>|%\([A-Za-z_]+\)|\{[A-Za-z_][\w.]*\}"
_PLACEHOLDER = (
    r"(?i)your|xxxx|\*\*\*|\.\.\.|…|change.?me|replace.?(?:me|with|this)|insert.?|placeholder|redacted"
    r"|example|(?:^|[-_.])(?:sample|dummy|fake|mock|todo|fixme|some|my|the|test|demo|foo|bar|here"
    r"|password|passwd|secret|token|key|none|null|undefined|true|false|string)(?:$|[-_.0-9])"
)
# Also with hyphens: some vendors issue UUIDs as keys.
_HEXADECIMAL = r"(?=[^0-9]*[0-9])[0-9a-fA-F-]{16,}"
_PLAIN_WORDS = frozenset({"pass", "password", "passwd", "pwd", "pw", "secret", "token", "key"})


def is_monotonous(value: str) -> bool:
    """Whether a long value is made of so few characters that it must be a stand-in."""
    return len(value) >= _LONG and len(set(value)) < _FEWEST_DIFFERENT


def is_stand_in(value: str) -> bool:
    """Whether the value refers to a secret, or holds its place, instead of being one."""
    value = value[:_SAMPLE]
    if MARK in value or is_monotonous(value) or value.lower() in _PLAIN_WORDS:
        return True
    if compiled(_REFERENCE).match(value) or compiled(_TEMPLATE).search(value):
        return True
    # A long random value may contain any short word by chance.
    return bool(compiled(_PLACEHOLDER).search(value)) and not (
        len(value) >= 20 and looks_random(value)
    )


def looks_random(value: str) -> bool:
    """Whether the value mixes letters and digits, or cases, as only a generator does."""
    solid = value[:_SAMPLE].replace("-", "").replace("_", "").replace(".", "")
    has_digit = _has_digit(solid)
    if len(solid) < 2 or (not has_digit and solid in (solid.lower(), solid.upper())):
        return False
    changes = len(compiled(_ONE_CLASS).findall(solid)) - 1
    least = _RANDOM_MIXING if has_digit else _RANDOM_CASE_MIXING
    return changes >= least * (len(solid) - 1)


def is_token(value: str, *, quoted: bool = False) -> bool:
    """Whether a value named token, key or secret is one."""
    value = value[:_SAMPLE]
    if len(value) < 8 or value.isdigit() or " " in value or "\t" in value:
        return False
    if not compiled(_HEXADECIMAL).fullmatch(value):
        has_digit = _has_digit(value)
        if len(value) < (_SHORTEST_TOKEN if has_digit else _SHORTEST_WITHOUT_DIGITS):
            return has_digit and _has_symbol(value) and _is_literal(value, quoted=quoted)
        if not looks_random(value):
            return False
    return _is_literal(value, quoted=quoted)


def is_password(value: str, *, quoted: bool) -> bool:
    """Whether a value named password is one; unquoted words with a number may be variables."""
    value = value[:_SAMPLE]
    if len(value) < _SHORTEST_PASSWORD or " " in value or "\t" in value:
        return False
    if not any(char.isalpha() for char in value):
        return False
    if _has_digit(value) or _has_symbol(value):
        likely = quoted or not value.isidentifier() or value[-1].isdigit() or looks_random(value)
    else:
        likely = len(value) >= 10 and looks_random(value)
    return likely and _is_literal(value, quoted=quoted)


def _is_literal(value: str, *, quoted: bool) -> bool:
    return not is_stand_in(value) and not _is_code_or_path(value, quoted=quoted)


def _has_digit(value: str) -> bool:
    return compiled("[0-9]").search(value) is not None


def _has_symbol(value: str) -> bool:
    return not _SYMBOLS.isdisjoint(value)


def _is_code_or_path(value: str, *, quoted: bool) -> bool:
    if "://" in value or value.startswith(("./", "../", "~/")):
        return True
    if not quoted and compiled(_CALL).match(value):
        return True
    if compiled(_DOTTED_NAME).match(value):
        return not (len(value) >= 20 and looks_random(value))
    return "/" in value and not looks_random(value)
