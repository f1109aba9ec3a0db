"""The table of secrets that give themselves away by their shape, wherever they stand.

A row holds the kind, the literal substrings that announce it (one of them must be in the text
before the pattern runs), how many characters before that substring the match may begin (fewest,
most), and the pattern. Group 1 of a pattern is what gets replaced; the rest stays readable.

Every repeat is either bounded or the last thing in its pattern, and patterns whose repeat is
followed by more start at a token boundary: that is what keeps the scan linear.
"""

from __future__ import annotations

from recairn.core.guard.vendors import vendor_rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    Shape = tuple[str, tuple[str, ...], tuple[int, int], str]

# Start of a token: no letter or digit before, unless that letter ends an escape such as \n, %20
# or \u0022 in text that was quoted by another program.
START = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrt])|(?<=%[0-9A-F][0-9A-F])|(?<=\\u00[0-9a-fA-F][0-9a-fA-F]))"
_HERE = (0, 0)

_OWN: tuple[Shape, ...] = (
    (
        "aws-access-key",
        ("AKIA", "ASIA", "ABIA", "ACCA"),
        _HERE,
        START + r"A[KSBC][IC]A([A-Z0-9]{16})(?![A-Za-z0-9])",
    ),
    (
        "github-token",
        ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"),
        _HERE,
        r"gh[pousr]_([A-Za-z0-9]{30,}(?:[._-][A-Za-z0-9._-]+)?)",
    ),
    ("github-token", ("github_pat_",), _HERE, r"github_pat_([A-Za-z0-9_]{30,})"),
    (
        "openai-key",
        ("sk-",),
        _HERE,
        START + r"sk-(?!ant-)(?:proj-|svcacct-|admin-|None-|or-v1-)?"
        # Names in kebab-case begin like this too, but have no capitals and few digits.
        r"(?=(?:[A-Za-z_-]{0,40}[0-9]){3}|[a-z0-9_-]{0,60}[A-Z])([A-Za-z0-9_-]{20,})",
    ),
    ("google-oauth-token", ("ya29.",), _HERE, START + r"ya29\.([A-Za-z0-9_-]{20,})"),
    ("google-oauth-token", ("1//0",), _HERE, START + r"1//0([A-Za-z0-9_-]{30,})"),
    (
        "slack-token",
        ("xoxb-", "xoxp-", "xoxa-", "xoxo-", "xoxr-", "xoxs-", "xoxc-", "xoxd-", "xoxe-", "xoxe."),
        _HERE,
        r"xox[a-z][-.](?:xox[a-z]-)?([A-Za-z0-9%][A-Za-z0-9%_-]{15,})",
    ),
    ("twilio-key", ("SK",), _HERE, START + r"SK([0-9a-f]{32})(?![A-Za-z0-9])"),
    (
        "mailchimp-key",
        ("-us",),
        (32, 32),
        START + r"([0-9a-f]{32})-us[0-9]{1,2}(?![A-Za-z0-9])",
    ),
    ("telegram-bot-token", (":AA",), (8, 10), START + r"[0-9]{8,10}:([A-Za-z0-9_-]{34,})"),
    (
        "square-token",
        ("EAAA",),
        _HERE,
        r"(?:(?<![A-Za-z0-9+/_-])|(?<=\\[nrt]))EAAA([A-Za-z0-9_-]{56,62})(?![A-Za-z0-9+/=_-])",
    ),
    (
        "terraform-token",
        (".atlasv1.",),
        (14, 14),
        START + r"([A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{40,})",
    ),
    ("newrelic-key", ("NRAL",), (36, 36), START + r"([0-9a-f]{36}NRAL)(?![A-Za-z0-9])"),
    ("azure-client-secret", ("Q~",), (4, 4), START + r"([A-Za-z0-9_~.-]{4}Q~[A-Za-z0-9_~.-]{31,})"),
    # Marks that Azure puts at a fixed place of its keys.
    (
        "azure-key",
        ("JQQJ99", "JQQJ9A", "JQQJ9B"),
        (52, 52),
        START + r"([A-Za-z0-9]{52}JQQJ9[0-9A-D][A-Za-z0-9]{20,}={0,2})",
    ),
    ("azure-key", ("AZDO",), (76, 76), START + r"([A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4})"),
    (
        "azure-key",
        ("AzFu", "AzSe", "AzCa"),
        (40, 48),
        START + r"([A-Za-z0-9_-]{40,48}Az(?:Fu|Se|Ca)[A-Za-z0-9_-]{6,10}={0,2})(?![A-Za-z0-9])",
    ),
    (
        "azure-key",
        ("+ACR", "+ASt", "+AEh", "+AIo", "ACDb"),
        (28, 80),
        r"(?<![A-Za-z0-9+/])([A-Za-z0-9+/]{28,80}(?:\+A(?:CR|St|Eh|Io)|ACDb)[A-Za-z0-9+/]{4,12}={0,2})"
        r"(?![A-Za-z0-9+/])",
    ),
    ("maxmind-key", ("_mmk",), (36, 36), START + r"([A-Za-z0-9]{6}_[A-Za-z0-9]{29})_mmk(?!\w)"),
    (
        "rapidapi-key",
        ("msh",),
        (10, 10),
        START + r"([0-9a-f]{10}msh[0-9a-f]{15}p1[0-9a-f]{5}jsn[0-9a-f]{12})(?![A-Za-z0-9])",
    ),
    (
        "facebook-token",
        ("|",),
        (15, 17),
        START + r"[0-9]{15,17}\|([A-Za-z0-9_-]{27,40})(?![A-Za-z0-9])",
    ),
    ("age-secret-key", ("AGE-SECRET-KEY-1",), _HERE, r"AGE-SECRET-KEY-1([A-Za-z0-9]{40,})"),
    (
        # base64 of the magic string that opens an OpenSSH private key, when the header is lost.
        "private-key",
        ("b3BlbnNzaC1rZXktdjE",),
        _HERE,
        r"b3BlbnNzaC1rZXktdjE([A-Za-z0-9+/=]{20,}(?:(?:\s|\\[nr]){1,20}[A-Za-z0-9+/=]{16,})*)",
    ),
    (
        # Header and payload of a signed token; a cut-off signature does not make it harmless.
        "jwt",
        ("eyJ",),
        _HERE,
        r"(?:(?<![A-Za-z0-9_-])|(?<=\\[nrt])|(?<=%[0-9A-F][0-9A-F]))"
        r"eyJ([A-Za-z0-9_-]{10,}\.(?:eyJ|[A-Za-z0-9_-]{20})[A-Za-z0-9_-]*(?:\.[A-Za-z0-9_-]*)*)",
    ),
)
_VENDORS = tuple(vendor_rows())
VENDOR_PREFIXES = frozenset(prefix for _, prefixes, _ in _VENDORS for prefix in prefixes)
SHAPES: tuple[Shape, ...] = (
    *((kind, triggers, _HERE, START + source) for kind, triggers, source in _VENDORS),
    *_OWN,
)

# A bot id in base64 (ids start with a digit, hence M, N or O), a time stamp, a signature. It has
# no literal part, so it is tried where a long run of token characters ends in a full stop.
DISCORD_KIND = "discord-token"
DISCORD_ID_LENGTHS = range(24, 29)
DISCORD_TOKEN = START + r"([MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,})"

# Password hashes as .htpasswd, /etc/shadow and web frameworks keep them: they can be cracked.
HASH_KIND = "password-hash"
HASHES: tuple[Shape, ...] = (
    (HASH_KIND, ("$2",), _HERE, r"\$2[abxy]?\$([0-9]{2}\$[./A-Za-z0-9]{53})"),
    (HASH_KIND, ("$apr1$",), _HERE, r"\$apr1\$([./A-Za-z0-9]{1,16}\$[./A-Za-z0-9]{22})"),
    (
        HASH_KIND,
        ("$1$", "$5$", "$6$", "$y$", "$7$"),
        _HERE,
        r"\$[1567y]\$((?:rounds=[0-9]{1,9}\$)?[./A-Za-z0-9]{1,32}(?:\$[./A-Za-z0-9]{1,64})?"
        r"\$[./A-Za-z0-9]{22,})",
    ),
    (HASH_KIND, ("$argon2",), _HERE, r"\$argon2(?:id|i|d)\$([A-Za-z0-9+/=,$]{40,})"),
    (
        HASH_KIND,
        ("pbkdf2_",),
        _HERE,
        r"pbkdf2_sha[0-9]{1,3}\$([0-9]{1,9}\$[^\s$]{1,64}\$[\w+/=]{27,})",
    ),
)
LDAP_HASH: Shape = (
    HASH_KIND,
    ("SHA}",),
    (2, 4),
    r"\{S?SHA[0-9]{0,3}\}([A-Za-z0-9+/]{27,}={0,2})",
)

PRIVATE_KEY_HEADER = r"-----BEGIN (?:[A-Z0-9]{1,12} ){0,4}PRIVATE KEY(?: BLOCK)?-----"
# What may follow a header whose END line was cut off: header fields, then lines of base64, each
# parted by white space, escaped line ends or the quotes of a concatenated string.
_BREAK = r"(?:\s|\\[nrt]|[\"',|>])"
PRIVATE_KEY_BODY = (
    rf"(?:{_BREAK}{{0,40}}[A-Za-z-]{{4,20}}: [^\n\\]{{1,120}}){{0,6}}"
    rf"(?:{_BREAK}{{0,40}}[A-Za-z0-9+/=]{{16,}})+"
    rf"(?:{_BREAK}{{1,40}}[A-Za-z0-9+/]{{1,15}}={{0,2}}(?=\s*\Z|\s*\n|\\n|[\"']))?"
)
