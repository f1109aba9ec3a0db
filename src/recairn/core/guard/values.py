"""Whether a value that stands where a secret could stand is one.

A name such as `password` or `token` is in every second line of source code, mostly before a
variable, a call, a placeholder or a word. What tells a secret is the mixing: random text changes
between lower case, upper case, digits and symbols every two or three characters, words do not.
"""

from __future__ import annotations

from recairn.core.lazy import compiled

TYPE_CHECKING = False
if TYPE_CHECKING:
    # Start and end of the value, kind, and the whole match, which the allow-list may name.
    Span = tuple[int, int, str, str]

# What takes the place of a value.
MARK = "[REDACTED]"
# The kind whose values are allowed by no word in them.
PRIVATE_KEY_KIND = "private-key"
# Long base64 begins with these; a slash among the first signs hides it from the look for runs.
LONG_BASE64 = ("IQoJb3JpZ2lu", "FwoGZXIvYXdz", "FQoGZXIvYXdz", "ABSK", "bedrock-api-key-")

# Share of neighbours that differ in class. Random base62 has 0.62, base36 0.40, hexadecimal 0.47;
# identifiers with a version number in them stay below 0.15.
_RANDOM_MIXING = 0.2
# Without digits only the changes of case speak, and CamelCase reaches 0.3 by itself.
_RANDOM_CASE_MIXING = 0.35
# Behind a vendor's prefix less is enough: letters alone fall short of the above by chance.
_MADE_UP_MIXING = 0.12
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
    # Both ends tell; what lies between would be read again for every place a long text matches at.
    ends = value if len(value) <= 2 * _SAMPLE else value[:_SAMPLE] + value[-_SAMPLE:]
    return len(value) >= _LONG and len(set(ends)) < _FEWEST_DIFFERENT


def is_made_up(body: str) -> bool:
    """Whether the body of a token is such as a generator makes, no name and no stand-in."""
    if is_monotonous(body):
        return False
    body = body[:_SAMPLE]
    changes = len(compiled(_ONE_CLASS).findall(body)) - 1
    if not _has_digit(body) and body in (body.lower(), body.upper()):
        return False
    return changes >= _MADE_UP_MIXING * (len(body) - 1)


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
    if compiled(r"[0-9.]+[)\]]").match(value):
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
    if value.isdigit():
        return not is_monotonous(value) and len(set(value)) > 2
    if not any(char.isalpha() for char in value):
        return False
    if _has_digit(value) or _has_symbol(value):
        likely = quoted or not value.isidentifier() or value[-1].isdigit() or looks_random(value)
    else:
        likely = len(value) >= 8 and (looks_random(value) or _is_no_name(value))
    return likely and _is_literal(value, quoted=quoted)


# Sentences about passwords, as labels and messages hold them.
_ABOUT_PASSWORDS = (
    r"(?i)\b(?:passw|passphrase|your|enter|must|please|forgot|reset|confirm|required|the|a|an|is|are|for|to|of"
    r"|and|or|not|new|old|use|you|we|should|with|in|on|no|if|characters?|invalid|wrong|show|hide|repeat|type)\b"
)
# Names of algorithms, versions and standards: they mix letters and digits too.
_TECHNICAL = (
    r"(?i)sha-?[0-9]|md[45]|pbkdf|aes-?[0-9]|utf-?[0-9]|base-?[0-9]|bcrypt|argon|scrypt|oauth|http|rsa-?[0-9]"
    r"|ed25519|x509|rfc|v[0-9]+(?:\.|\Z)|^[0-9]+(?:st|nd|rd|th|px|ms|kb|mb|gb|x|h|s|m)\b|[0-9]{4}-[0-9]{2}"
    r"|ipv[46]|i18n|l10n|k8s|2fa|u2f|s3\b|ec2|win32|x86|x64|[a-z]:[\\/]|unicode|latin|ntlm|tls|ssl"
)


def _is_no_name(value: str) -> bool:
    """Whether letters change their case more often than names in camel case do."""
    changes = len(compiled(_ONE_CLASS).findall(value)) - 1
    humps = r"(?:[a-z]+|[A-Z]{2,6})?(?:[A-Z][a-z]+)*[A-Z]{0,4}"
    if compiled(humps).fullmatch(value):
        # Nobody can say such a word.
        return changes >= 2 and compiled(r"(?i)[bcdfghjklmnpqrstvwxz]{5}").search(value) is not None
    return changes >= 3


def is_strong(value: str) -> bool:
    """Whether a word in a sentence can be nothing but a password: it mixes as no other does."""
    value = value[:_SAMPLE].rstrip(".,;:)")
    if not _SHORTEST_PASSWORD <= len(value) <= 64 or " " in value:
        return False
    letters = [char for char in value if char.isalpha()]
    digits = sum(char.isdigit() for char in value)
    inner = value[1:-1]
    symbol = any(char in "!@#$%^&*+?~=" for char in value) or any(
        char in "!@#$%&*-_." for char in inner
    )
    unlike = len(value) >= 10 and (looks_random(value) or _is_no_name(value))
    if len(letters) < 2 or not (digits or unlike):
        return False
    cases = (value != value.lower()) + (value != value.upper())
    if cases + symbol < 2 and not (len(value) >= 8 and looks_random(value)):
        return False
    if not (unlike or compiled(r"[!#$%^&*+?~=@]").search(value) or _mixes_inside(value)):
        return False
    return _is_literal(value, quoted=False) and not compiled(_TECHNICAL).search(value)


def _mixes_inside(value: str) -> bool:
    """Whether letters follow digits, or cases mix, as in no word with a number behind it."""
    if len(compiled(_ONE_CLASS).findall(value)) > _RANDOM_CASE_MIXING * len(value):
        return True
    return bool(
        compiled(
            r"[0-9][A-Za-z]{1,}[0-9A-Z]|[0-9][A-Z][a-z]|[a-z][A-Z][a-z]*[0-9]|[A-Z][a-z]+[0-9]{2,}"
        ).search(value)
    ) and not compiled(r"[A-Za-z]+[-_.][A-Za-z]+").search(value)


def is_passphrase(word: str, value: str) -> bool:
    """Whether a quoted value of several words is a password, and no sentence about one."""
    if " " not in value or len(value) > 120 or is_stand_in(value):
        return False
    if len(value) >= 32 and looks_random(value.replace(" ", "")):
        return True
    if compiled(_ABOUT_PASSWORDS).search(value) or value.endswith((".", ":", "…", "?")):
        return False
    words = value.split(" ")
    if word == "passphrase" and len(words) >= 4:
        return all(part.isalpha() and part.islower() for part in words)
    marked = _has_digit(value) or compiled(r"[!@#$%^&*+=~]").search(value) is not None
    return marked and len(words) <= 6 and compiled(r"[A-Za-z]").search(value) is not None


# What stands in an environment file where no password does.
_NO_PASSWORD = frozenset(
    """required optional default disabled enabled string value variable hidden masked unset empty
    secret password passwd changeme change example placeholder undefined null none true
    false yes no todo prompt stdin encrypted plaintext plain generate generated random
    autogenerated somepassword mypassword yourpassword""".split()
)


def is_weak_password(value: str) -> bool:
    """Whether the value of a shouted name is taken for a password though any word could be it."""
    if len(value) < 4 or value.lower() in _NO_PASSWORD or is_stand_in(value):
        return False
    return (
        compiled(r"[A-Za-z0-9!@#%^&*+=?~._-]+").fullmatch(value) is not None and not value.isupper()
    )


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
