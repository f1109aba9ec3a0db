"""Secrets made at run time, each in an everyday carrier, and ordinary lines that hold none.

No token is written out here: a prefix and a random body meet only in memory.
"""

from __future__ import annotations

import base64
import itertools
import os
import random
import string
import uuid
from pathlib import Path
from typing import NamedTuple

from tests.repository import ROOT as REPOSITORY

LOWER_HEX = "0123456789abcdef"
UPPER_ALNUM = string.ascii_uppercase + string.digits
ALNUM = string.ascii_letters + string.digits
WORDY = ALNUM + "_-"
BASE64 = ALNUM + "+/"
PASSWORD = ALNUM + "!#$%^*_+-="


class Canary(NamedTuple):
    kind: str
    text: str
    secrets: tuple[str, ...]  # the random parts, none of which may survive


# Kind: the prefix in pieces, the alphabet of the body, its length.
PREFIXED = {
    "aws access key": ("AK" + "IA", UPPER_ALNUM, 16),
    "aws temporary key": ("AS" + "IA", UPPER_ALNUM, 16),
    "github classic": ("gh" + "p_", ALNUM, 36),
    "github oauth": ("gh" + "o_", ALNUM, 36),
    "github user": ("gh" + "u_", ALNUM, 36),
    "github server": ("gh" + "s_", ALNUM, 36),
    "github refresh": ("gh" + "r_", ALNUM, 76),
    "github fine-grained": ("github" + "_pat_", ALNUM, 82),
    "gitlab personal": ("gl" + "pat-", WORDY, 20),
    "gitlab runner": ("gl" + "rt-", WORDY, 20),
    "gitlab deploy": ("gl" + "dt-", WORDY, 20),
    "npm": ("np" + "m_", ALNUM, 36),
    "pypi": ("py" + "pi-AgEI", WORDY, 150),
    "openai": ("s" + "k-", ALNUM, 48),
    "openai project": ("s" + "k-proj-", WORDY, 120),
    "openai service account": ("s" + "k-svcacct-", WORDY, 120),
    "anthropic": ("s" + "k-ant-api03-", WORDY, 95),
    "huggingface": ("h" + "f_", string.ascii_letters, 34),
    "google api key": ("AI" + "za", WORDY, 35),
    "google oauth token": ("ya" + "29.", WORDY, 120),
    "google oauth secret": ("GOC" + "SPX-", WORDY, 28),
    "slack app": ("xa" + "pp-1-", UPPER_ALNUM, 60),
    "stripe live": ("sk_" + "live_", ALNUM, 24),
    "stripe restricted": ("rk_" + "live_", ALNUM, 99),
    "stripe webhook": ("wh" + "sec_", ALNUM, 32),
    "twilio key": ("S" + "K", LOWER_HEX, 32),
    "mailgun": ("ke" + "y-", LOWER_HEX, 32),
    "digitalocean": ("dop" + "_v1_", LOWER_HEX, 64),
    "heroku": ("HR" + "KU-", WORDY, 60),
    "shopify": ("shp" + "at_", LOWER_HEX, 32),
    "square secret": ("sq0" + "csp-", WORDY, 43),
    "square access": ("EA" + "AA", WORDY, 60),
    "databricks": ("da" + "pi", LOWER_HEX, 32),
    "docker": ("dckr" + "_pat_", WORDY, 27),
    "grafana cloud": ("gl" + "c_", ALNUM, 100),
    "vault": ("hv" + "s.", WORDY, 90),
    "linear": ("lin" + "_api_", ALNUM, 40),
    "notion": ("nt" + "n_", ALNUM, 46),
    "notion, older": ("sec" + "ret_", ALNUM, 43),
    "pulumi": ("pu" + "l-", LOWER_HEX, 40),
    "sentry": ("sn" + "trys_", ALNUM, 120),
    "new relic": ("NR" + "AK-", UPPER_ALNUM, 27),
    "atlassian": ("AT" + "ATT3xFfGF0", WORDY, 180),
    "figma": ("fi" + "gd_", WORDY, 40),
    "supabase": ("sb" + "p_", LOWER_HEX, 40),
    "netlify": ("nf" + "p_", ALNUM, 36),
    "age": ("AGE-SECRET" + "-KEY-1", UPPER_ALNUM, 58),
}

CARRIERS = (
    "The staging deploy uses {} until Friday.",
    "Rotated it again, the new one is {}",
    '{{"name": "ci", "value": "{}", "scope": [1, 2]}}',
    '{{"log": "started\\n{}\\ndone"}}',
    "export CI_VALUE={}",
    "FIRST={}; SECOND=2; export FIRST SECOND",
    "set CI_VALUE={}\r\necho done",
    'curl -s -H "X-Custom: {}" https://ci.example.org/run',
    "docker run -e VALUE={} -p 80:80 image:1.2",
    "client = Client('{}', timeout=30)",
    'const client = new Client("{}");',
    "https://api.example.org/v1/things?value={}&page=2",
    "service:\n  value: {}\n  replicas: 3",
    "- name: X\n  value: '{}'",
    "2024-05-01T12:00:03Z INFO worker-3 sent {} to queue",
    "Use `{}` for the sandbox.",
    "| ci | {} | yes |",
    "values = [{}, other]",
    "first line\n{}\nlast line",
    "({})",
    "<value>{}</value>",
    "über die Brücke: {} — danke",
)

NAMED = (
    "{name}={value}",
    "export {name}={value}",
    'export {name}="{value}" && make deploy',
    "A=1 {name}='{value}' ./run.sh --fast",
    '{{"{name}": "{value}", "port": 1}}',
    '{{"body": "{{\\"{name}\\": \\"{value}\\"}}"}}',
    "{name}: {value}",
    "config:\n  {name}: '{value}'\n  other: 1",
    '{name} = "{value}"  # from the vault',
    'config["{name}"] = "{value}"',
    '{name}: str = "{value}"',
    "const {name} = `{value}`;",
    "connect(host, {name}='{value}', port=1)",
    "<{name}>{value}</{name}>",
    "The {name} is `{value}`, ask before you change it.",
    "2024-05-01 WARN rejected {name}={value}",
    "**{name}:** {value}",
)

# Kind: the name it is known by, the alphabet, the length.
ASSIGNED = {
    "aws secret key": ("AWS_SECRET_ACCESS_KEY", BASE64, 40),
    "heroku key": ("HEROKU_API_KEY", "uuid", 36),
    "cloudflare token": ("CLOUDFLARE_API_TOKEN", WORDY, 40),
    "fastly token": ("FASTLY_API_TOKEN", WORDY, 32),
    "datadog key": ("DD_API_KEY", LOWER_HEX, 32),
    "datadog app key": ("DATADOG_APP_KEY", LOWER_HEX, 40),
    "okta token": ("OKTA_API_TOKEN", WORDY, 42),
    "vercel token": ("VERCEL_TOKEN", ALNUM, 24),
    "twilio auth token": ("TWILIO_AUTH_TOKEN", LOWER_HEX, 32),
    "password": ("db_password", PASSWORD, 16),
    "short password": ("password", ALNUM, 12),
    "client secret": ("client_secret", WORDY, 40),
    "api key": ("api_key", ALNUM, 32),
    "access token": ("accessToken", WORDY, 40),
    "framework secret": ("SECRET_KEY", ALNUM + "!@#$%^*(-_=+)", 50),
}


def body(rng: random.Random, alphabet: str, length: int) -> str:
    """Random text that no trimming can touch: its ends are letters or digits."""
    if alphabet == "uuid":
        return str(uuid.UUID(int=rng.getrandbits(128), version=4))
    while True:
        text = "".join(rng.choices(alphabet, k=length))
        if text[0].isalnum() and text[-1].isalnum() and len(set(text)) > min(7, length // 2):
            return text


def segments(rng: random.Random, alphabet: str, *lengths: int) -> tuple[str, ...]:
    return tuple(body(rng, alphabet, length) for length in lengths)


def structured(rng: random.Random) -> list[Canary]:
    """One canary of each kind that is more than a prefix and a body; text is the bare secret."""
    jwt = segments(rng, WORDY, 33, 120, 43)
    grid = segments(rng, WORDY, 22, 43)
    discord = segments(rng, WORDY, 25, 6, 38)
    slack = body(rng, ALNUM, 24)
    bot, chat, legacy, table = (body(rng, WORDY, n) for n in (33, 68, 24, 22))
    hexes = segments(rng, LOWER_HEX, 32, 24, 34, 64, 32, 32)
    atlas = segments(rng, ALNUM, 14, 67)
    airtable = body(rng, ALNUM, 14)
    grafana = body(rng, ALNUM, 32)
    bcrypt = body(rng, ALNUM, 53)
    hook = "https://hooks.sl" + f"ack.com/services/T{'0A1B2C3D'}/B{'9Z8Y7X6W'}/{slack}"
    webhook = f"https://discord.com/api/webhooks/{rng.randrange(10**17, 10**18)}/{chat}"
    return [
        Canary("jwt", f"ey{'J'}{jwt[0]}.ey{'J'}{jwt[1]}.{jwt[2]}", jwt),
        Canary("sendgrid", f"S{'G'}.{grid[0]}.{grid[1]}", grid),
        Canary("discord bot", f"M{discord[0]}.{discord[1]}.{discord[2]}", discord),
        Canary("slack bot", f"xo{'xb'}-{rng.randrange(10**11, 10**12)}-{legacy}", (legacy,)),
        Canary("slack webhook", hook, (slack,)),
        Canary("discord webhook", webhook, (chat,)),
        Canary("telegram bot", f"{rng.randrange(10**9, 10**10)}:A{'A'}{bot}", (bot,)),
        Canary("mailchimp", f"{hexes[0]}-us{rng.randrange(1, 22)}", hexes[:1]),
        Canary("postman", f"PM{'AK'}-{hexes[1]}-{hexes[2]}", hexes[1:3]),
        Canary("terraform", f"{atlas[0]}.atlas{'v1'}.{atlas[1]}", atlas),
        Canary("airtable", f"pa{'t'}{airtable}.{hexes[3]}", (hexes[3],)),
        Canary("grafana service", f"gl{'sa'}_{grafana}_{hexes[4][:8]}", (grafana,)),
        Canary("sentry dsn", f"https://{hexes[5]}@o12.ingest.sentry.io/45", hexes[5:]),
        Canary("bcrypt", f"$2{'y'}$10${bcrypt}", (bcrypt,)),
        Canary("url token", f"https://x.example.org/cb?access_token={table}&n=1", (table,)),
    ]


def situated(rng: random.Random) -> list[Canary]:
    """One canary of each kind that brings its own surroundings."""
    secret, word, key = body(rng, ALNUM, 40), body(rng, ALNUM, 14), body(rng, BASE64, 86)
    signature = body(rng, ALNUM, 43)
    pair = base64.b64encode(f"admin:{word}".encode()).decode()
    lines = [body(rng, BASE64, 64) for _ in range(8)]
    label = rng.choice(("RSA ", "EC ", "OPENSSH ", "ENCRYPTED ", "DSA ", ""))
    begin, end = (f"-----{edge} {label}PRIVATE" + " KEY-----" for edge in ("BEGIN", "END"))
    pgp = [f"-----{edge} PGP PRIVATE" + " KEY BLOCK-----" for edge in ("BEGIN", "END")]
    scheme = rng.choice(("postgres", "mysql", "mongodb+srv", "redis", "amqps", "https"))
    quote = rng.choice(("'", '"'))
    account = f"AccountName=dev;AccountKey={key}==;EndpointSuffix=core.windows.net"
    blob = f"https://a.blob.core.windows.net/c/f?sv=2022-11-02&sig={signature}%3D&se=2030"
    return [
        Canary("bearer", f"curl -H {quote}Authorization: Bearer {secret}{quote} h", (secret,)),
        Canary("bearer in json", f'{{"Authorization": "Bearer {secret}"}}', (secret,)),
        Canary("token header", f"Authorization: Token {secret}", (secret,)),
        Canary("basic header", f"Authorization: Basic {pair}\nAccept: */*", (pair, word)),
        Canary("api header", f"X-Api-Key: {secret}\n", (secret,)),
        Canary("connection", f"{scheme}://app:{word}@db.example.org:5432/main", (word,)),
        Canary("connection in env", f"DATABASE_URL={scheme}://app:{word}@db/main", (word,)),
        Canary("azure storage", f"DefaultEndpointsProtocol=https;{account}", (key,)),
        Canary("azure signature", f"azcopy '{blob}'", (signature,)),
        Canary("netrc", f"machine h.example.org login me password {word}", (word,)),
        Canary("netrc lines", f"machine h\n  login me\n  password {word}\n", (word,)),
        Canary("command line", f"tool push --token {secret} --force", (secret,)),
        Canary("curl user", f"curl -u admin:{word} https://example.org", (word,)),
        Canary("pem", "\n".join((begin, *lines, end)), tuple(lines)),
        Canary("pem in json", '{"key": "' + "\\n".join((begin, *lines, end)) + '"}', tuple(lines)),
        Canary("pem cut off", "\n".join(("key:", begin, *lines)), tuple(lines)),
        Canary("pem indented", "\n    ".join(("k: |", begin, *lines, end)), tuple(lines)),
        Canary("pgp", "\n".join((pgp[0], "Version: 2", "", *lines, pgp[1])), tuple(lines)),
    ]


def canaries(rng: random.Random, rounds: int) -> list[Canary]:
    """`rounds` canaries of every kind, the carriers taken in turn."""
    made: list[Canary] = []
    carriers, names = itertools.cycle(CARRIERS), itertools.cycle(NAMED)
    for _ in range(rounds):
        for kind, (prefix, alphabet, length) in PREFIXED.items():
            secret = body(rng, alphabet, length)
            made.append(Canary(kind, next(carriers).format(prefix + secret), (secret,)))
        for bare in structured(rng):
            made.append(bare._replace(text=next(carriers).format(bare.text)))
        for kind, (name, alphabet, length) in ASSIGNED.items():
            value = body(rng, alphabet, length)
            made.append(Canary(kind, next(names).format(name=name, value=value), (value,)))
        made += situated(rng)
    return made


def survives(secret: str, text: str) -> bool:
    """Whether twelve neighbouring characters of the secret, or all of a short one, are in text."""
    width = min(12, len(secret))
    return any(secret[at : at + width] in text for at in range(len(secret) - width + 1))


def standard_library_lines(rng: random.Random, count: int) -> list[str]:
    folder = Path(os.__file__).parent
    files = sorted(path for path in folder.glob("*.py") if path.stat().st_size > 2000)
    files += sorted(path for path in folder.glob("[a-z]*/*.py") if "site-packages" not in str(path))
    lines: list[str] = []
    for path in rng.sample(files, min(len(files), 120)):
        lines += path.read_text(encoding="utf-8", errors="replace").splitlines()
    return rng.sample([line for line in lines if line.strip()], count)


def repository_lines() -> list[str]:
    files = [
        *REPOSITORY.glob("*.*"),
        *REPOSITORY.glob("src/**/*.py"),
        *REPOSITORY.glob("docs/**/*"),
    ]
    wanted = (".md", ".toml", ".py", ".lock", ".txt")
    texts = [path.read_text(encoding="utf-8") for path in sorted(files) if path.suffix in wanted]
    return [line for text in texts for line in text.splitlines() if line.strip()][:4000]


def made_up_line(rng: random.Random) -> str:
    """A line with something that looks random and is no secret."""
    digest = "".join(rng.choices(LOWER_HEX, k=64))
    some_uuid = uuid.UUID(int=rng.getrandbits(128), version=4)
    picture = base64.b64encode(rng.randbytes(rng.randrange(60, 300))).decode()
    version = f"{rng.randrange(20)}.{rng.randrange(40)}.{rng.randrange(9)}"
    name = "".join(rng.choices(string.ascii_letters, k=rng.randrange(3, 9)))
    number = rng.randrange(10**9)
    return rng.choice(
        (
            f"commit {digest[:40]}",
            f"fixed in {digest[:7]}, reverted in {digest[7:47]}",
            f"session {some_uuid} ended after {number} ms",
            f'{{"id": "{some_uuid}", "version": "{version}", "count": {number}}}',
            f"    --hash=sha256:{digest} \\",
            f'"integrity": "sha512-{picture[:86]}==",',
            f"sha256:{digest}  {name}-{version}.tar.gz",
            f"{digest[:32]}  ./dist/{name}-{version}-py3-none-any.whl",
            f'<img src="data:image/png;base64,iVBORw0KGgo{picture}">',
            f"https://example.org/{name}/{digest[:40]}/blob/{version}?page={number}#L{number % 99}",
            f"git+https://github.com/{name}/{name}.git@{digest[:40]}#egg={name}",
            f"/var/lib/docker/overlay2/{digest}/merged/usr/lib/{name}.so.{version}",
            f"image: registry.example.org/{name}@sha256:{digest}",
            f"SELECT * FROM tokens WHERE user_id = {number} AND kind = '{name}' -- {version}",
            f"function {name}(e,t,n){{var r=e.{name}1,o=t[{number}];return r?n(o):{name}2(r,o)}}",
            f"password = os.environ['{name.upper()}_PASSWORD']",
            f'api_key: "${{{name.upper()}_API_KEY}}"',
            f"token = get_token({name}, retries={number % 9})",
            f"secret: {{{{ vault.{name}_secret }}}}",
            "api_key=your-api-key-here",
            f"max_tokens={number % 9000}, next_token=None, pad_token='[PAD]'",
            f"def test_{name}_{number}_rejects_bad_tokens(client_{version.replace('.', '_')}):",
            f"postgres://{name}:<password>@localhost:5432/{name}",
            f"http://localhost:{number % 60000}/@{name}/pkg-{version}.tgz",
            f"{name}@{version} resolved ssh://git@github.com/{name}/{name}.git#{digest[:40]}",
            f"cache key: {name}-linux-{digest[:40]}",
            f'ETag: "{digest[:32]}" X-Request-Id: {some_uuid}',
            f"Authorization: Bearer <token> for {name}, see the {version} notes",
            f"fingerprint SHA256:{picture[:43]} {name}@host (ED25519)",
            f"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{picture[:43]} {name}@host",
        )
    )
