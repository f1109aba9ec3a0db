"""The table of secrets that give themselves away by their shape, wherever they stand.

A row holds the kind, the literal substrings that announce it (one of them must be in the text
before the pattern runs), how many characters before that substring the match may begin (fewest,
most), and the pattern. Group 1 of a pattern is what gets replaced; the rest stays readable.

Every repeat is either bounded or the last thing in its pattern, and patterns whose repeat is
followed by more start at a token boundary: that is what keeps the scan linear.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    Shape = tuple[str, tuple[str, ...], tuple[int, int], str]

# Start of a token: no letter or digit before, unless that letter ends an escape such as \n, %20
# or \u0022 in text that was quoted by another program.
START = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrt])|(?<=%[0-9A-F][0-9A-F])|(?<=\\u00[0-9a-fA-F][0-9a-fA-F]))"
_HERE = (0, 0)

SHAPES: tuple[Shape, ...] = (
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
        "gitlab-token",
        ("glpat-", "gldt-", "glrt-", "glptt-", "glcbt-", "glft-", "glimt-", "gloas-", "glsoat-"),
        _HERE,
        r"gl[a-z]{1,5}-([A-Za-z0-9_-]{18,}(?:\.[A-Za-z0-9_.-]+)?)",
    ),
    ("gitlab-token", ("glagent-", "glffct-"), _HERE, r"gl[a-z]{1,5}-([A-Za-z0-9_-]{18,})"),
    ("gitlab-token", ("GR1348941",), _HERE, START + r"GR1348941([A-Za-z0-9_-]{20,})"),
    ("npm-token", ("npm_",), _HERE, START + r"npm_([A-Za-z0-9]{30,})"),
    ("pypi-token", ("pypi-",), _HERE, START + r"pypi-([A-Za-z0-9_-]{50,})"),
    ("rubygems-token", ("rubygems_",), _HERE, r"rubygems_([0-9a-f]{40,})"),
    ("anthropic-key", ("sk-ant-",), _HERE, START + r"sk-ant-([A-Za-z0-9_-]{20,})"),
    (
        "openai-key",
        ("sk-",),
        _HERE,
        START + r"sk-(?!ant-)(?:proj-|svcacct-|admin-|None-|or-v1-)?"
        # Names in kebab-case begin like this too, but have no capitals and few digits.
        r"(?=(?:[A-Za-z_-]{0,40}[0-9]){3}|[a-z0-9_-]{0,60}[A-Z])([A-Za-z0-9_-]{20,})",
    ),
    ("groq-key", ("gsk_",), _HERE, START + r"gsk_([A-Za-z0-9]{30,})"),
    ("xai-key", ("xai-",), _HERE, START + r"xai-([A-Za-z0-9]{40,})"),
    ("perplexity-key", ("pplx-",), _HERE, START + r"pplx-([A-Za-z0-9]{30,})"),
    ("replicate-token", ("r8_",), _HERE, START + r"r8_([A-Za-z0-9]{30,})"),
    ("nvidia-key", ("nvapi-",), _HERE, START + r"nvapi-([A-Za-z0-9_-]{40,})"),
    ("langsmith-key", ("lsv2_",), _HERE, START + r"lsv2_(?:pt|sk)_([A-Za-z0-9_]{30,})"),
    ("huggingface-token", ("hf_",), _HERE, START + r"hf_([A-Za-z0-9]{30,})"),
    ("huggingface-token", ("api_org_",), _HERE, START + r"api_org_([A-Za-z0-9]{30,})"),
    ("google-api-key", ("AIza",), _HERE, START + r"AIza([A-Za-z0-9_-]{30,})"),
    ("google-oauth-token", ("ya29.",), _HERE, START + r"ya29\.([A-Za-z0-9_-]{20,})"),
    ("google-oauth-token", ("1//0",), _HERE, START + r"1//0([A-Za-z0-9_-]{30,})"),
    ("google-oauth-secret", ("GOCSPX-",), _HERE, START + r"GOCSPX-([A-Za-z0-9_-]{20,})"),
    (
        "slack-token",
        ("xoxb-", "xoxp-", "xoxa-", "xoxo-", "xoxr-", "xoxs-", "xoxc-", "xoxd-", "xoxe-", "xoxe."),
        _HERE,
        r"xox[a-z][-.](?:xox[a-z]-)?([A-Za-z0-9%][A-Za-z0-9%_-]{15,})",
    ),
    ("slack-token", ("xapp-",), _HERE, START + r"xapp-([A-Za-z0-9-]{20,})"),
    (
        "stripe-key",
        ("sk_live_", "sk_test_", "rk_live_", "rk_test_"),
        _HERE,
        r"[sr]k_(?:live|test)_([A-Za-z0-9]{16,})",
    ),
    ("stripe-webhook-secret", ("whsec_",), _HERE, r"whsec_([A-Za-z0-9+/=]{24,})"),
    ("twilio-key", ("SK",), _HERE, START + r"SK([0-9a-f]{32})(?![A-Za-z0-9])"),
    (
        "sendgrid-key",
        ("SG.",),
        _HERE,
        START + r"SG\.([A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{16,})",
    ),
    ("mailgun-key", ("key-",), _HERE, START + r"key-([0-9a-f]{32})(?![A-Za-z0-9])"),
    (
        "mailchimp-key",
        ("-us",),
        (32, 32),
        START + r"([0-9a-f]{32})-us[0-9]{1,2}(?![A-Za-z0-9])",
    ),
    ("digitalocean-token", ("_v1_",), (3, 3), START + r"do[opr]_v1_([0-9a-f]{40,})"),
    ("heroku-key", ("HRKU-",), _HERE, START + r"HRKU-([A-Za-z0-9_-]{30,})"),
    ("telegram-bot-token", (":AA",), (8, 10), START + r"[0-9]{8,10}:([A-Za-z0-9_-]{34,})"),
    (
        "shopify-token",
        ("shpat_", "shpss_", "shpca_", "shppa_"),
        _HERE,
        START + r"shp[a-z]{2}_([0-9a-fA-F]{30,})",
    ),
    ("square-token", ("sq0",), _HERE, START + r"sq0[a-z]{3}-([A-Za-z0-9_-]{22,})"),
    (
        "square-token",
        ("EAAA",),
        _HERE,
        r"(?:(?<![A-Za-z0-9+/_-])|(?<=\\[nrt]))EAAA([A-Za-z0-9_-]{56,62})(?![A-Za-z0-9+/=_-])",
    ),
    ("databricks-token", ("dapi",), _HERE, START + r"dapi([0-9a-f]{32}(?:-[0-9])?)(?![A-Za-z0-9])"),
    ("docker-token", ("dckr_",), _HERE, START + r"dckr_[op]at_([A-Za-z0-9_-]{20,})"),
    ("grafana-token", ("glc_",), _HERE, START + r"glc_([A-Za-z0-9+/=_-]{32,})"),
    ("grafana-token", ("glsa_",), _HERE, START + r"glsa_([A-Za-z0-9_]{32,})"),
    ("vault-token", ("hvs.", "hvb.", "hvr."), _HERE, START + r"hv[sbr]\.([A-Za-z0-9_-]{20,})"),
    (
        "terraform-token",
        (".atlasv1.",),
        (14, 14),
        START + r"([A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{40,})",
    ),
    ("linear-key", ("lin_api_", "lin_oauth_"), _HERE, r"lin_(?:api|oauth)_([A-Za-z0-9]{32,})"),
    ("notion-token", ("ntn_",), _HERE, START + r"ntn_([A-Za-z0-9]{40,})"),
    ("notion-token", ("secret_",), _HERE, START + r"secret_([A-Za-z0-9]{43})(?![A-Za-z0-9])"),
    ("postman-key", ("PMAK-",), _HERE, START + r"PMAK-([0-9a-f]{24}-[0-9a-f]{30,})"),
    ("pulumi-token", ("pul-",), _HERE, START + r"pul-([0-9a-f]{40})(?![A-Za-z0-9])"),
    ("sentry-token", ("sntrys_", "sntryu_"), _HERE, r"sntry[su]_([A-Za-z0-9+/=_-]{40,})"),
    (
        "newrelic-key",
        ("NRAK-", "NRII-", "NRJS-", "NRIQ-", "NRAA-"),
        _HERE,
        START + r"NR[A-Z]{2}-([A-Za-z0-9_-]{16,})",
    ),
    ("newrelic-key", ("NRAL",), (36, 36), START + r"([0-9a-f]{36}NRAL)(?![A-Za-z0-9])"),
    (
        "atlassian-token",
        ("ATATT", "ATCTT"),
        _HERE,
        START + r"AT[AC]TT([A-Za-z0-9_=-]{40,})",
    ),
    ("bitbucket-token", ("ATBB",), _HERE, START + r"ATBB([A-Za-z0-9]{24,})"),
    ("figma-token", ("figd_", "figdr_"), _HERE, START + r"figdr?_([A-Za-z0-9_-]{30,})"),
    ("airtable-token", ("pat",), _HERE, START + r"pat([A-Za-z0-9]{14}\.[0-9a-f]{60,})"),
    ("supabase-token", ("sbp_",), _HERE, START + r"sbp_([0-9a-f]{40,})"),
    ("supabase-token", ("sb_secret_",), _HERE, START + r"sb_secret_([A-Za-z0-9_-]{20,})"),
    ("netlify-token", ("nfp_",), _HERE, START + r"nfp_([A-Za-z0-9_-]{30,})"),
    ("vercel-token", ("vcp_", "vca_", "vci_"), _HERE, START + r"vc[pai]_([A-Za-z0-9]{24,})"),
    ("planetscale-token", ("pscale_",), _HERE, r"pscale_[a-z]{2,6}_([A-Za-z0-9_.=-]{30,})"),
    ("tailscale-key", ("tskey-",), _HERE, START + r"tskey-([a-z]{2,8}-[A-Za-z0-9-]{20,})"),
    ("doppler-token", ("dp.pt.", "dp.st."), _HERE, START + r"dp\.[ps]t\.([A-Za-z0-9._-]{40,})"),
    ("fly-token", ("fm2_",), _HERE, START + r"fm2_([A-Za-z0-9+/=_-]{50,})"),
    ("crates-io-token", ("cio",), _HERE, START + r"cio([A-Za-z0-9]{32})(?![A-Za-z0-9])"),
    ("azure-client-secret", ("Q~",), (4, 4), START + r"([A-Za-z0-9_~.-]{4}Q~[A-Za-z0-9_~.-]{31,})"),
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

PRIVATE_KEY_KIND = "private-key"
PRIVATE_KEY_HEADER = r"-----BEGIN (?:[A-Z0-9]{1,12} ){0,4}PRIVATE KEY(?: BLOCK)?-----"
# What may follow a header whose END line was cut off: header fields, then lines of base64, each
# parted by white space, escaped line ends or the quotes of a concatenated string.
_BREAK = r"(?:\s|\\[nrt]|[\"',|>])"
PRIVATE_KEY_BODY = (
    rf"(?:{_BREAK}{{0,40}}[A-Za-z-]{{4,20}}: [^\n\\]{{1,120}}){{0,6}}"
    rf"(?:{_BREAK}{{0,40}}[A-Za-z0-9+/=]{{16,}})+"
    rf"(?:{_BREAK}{{1,40}}[A-Za-z0-9+/]{{1,15}}={{0,2}}(?=\s*\Z|\s*\n|\\n|[\"']))?"
)
