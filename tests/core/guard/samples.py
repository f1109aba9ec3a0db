"""Realistic secrets by kind and by surrounding, for measuring what share is caught.

A kind makes a random value by a vendor's or a user's habit, a surrounding puts it into a text as
people write and programs print it. The hash of a name says to which half a kind or a surrounding
belongs: rules may be tuned on the development half, the other one measures.
"""

from __future__ import annotations

import base64
import hashlib
import random
import string
import uuid
from typing import NamedTuple
from urllib.parse import quote

HEX = "0123456789abcdef"
UPPER = string.ascii_uppercase + string.digits
LOWER = string.ascii_lowercase + string.digits
ALNUM = string.ascii_letters + string.digits
URL64 = ALNUM + "_-"
BASE64 = ALNUM + "+/"


class Sample(NamedTuple):
    kind: str
    surrounding: str
    text: str
    secrets: tuple[str, ...]

    @property
    def held_out(self) -> bool:
        """Whether the sample measures: its kind or its surrounding was never looked at."""
        return is_held_out(self.kind) or is_held_out(self.surrounding)


def is_held_out(name: str) -> bool:
    return hashlib.sha256(name.encode()).digest()[0] % 2 == 1


def draw(rng: random.Random, alphabet: str, length: int) -> str:
    while True:
        text = "".join(rng.choices(alphabet, k=length))
        if text[0].isalnum() and text[-1].isalnum() and len(set(text)) > min(7, length // 2):
            return text


# Kind: prefix in pieces, so that no scanner takes this file for a leak; alphabet; length.
_TOKENS = {
    "aws key": ("AK|IA", "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16),
    "github": ("gh|p_", ALNUM, 36),
    "github fine": ("github|_pat_11", ALNUM, 80),
    "gitlab": ("gl|pat-", URL64, 20),
    "gitlab trigger": ("gl|ptt-", HEX, 40),
    "npm": ("np|m_", ALNUM, 36),
    "pypi": ("py|pi-AgEIcHlwaS5vcmc", URL64, 120),
    "openai project": ("sk|-proj-", URL64, 150),
    "anthropic": ("sk|-ant-api03-", URL64, 93),
    "openrouter": ("sk|-or-v1-", HEX, 64),
    "deepseek": ("sk|-", HEX, 32),
    "cerebras": ("cs|k-", LOWER, 48),
    "fireworks": ("f|w_", ALNUM, 24),
    "voyage": ("p|a-", URL64, 43),
    "together": ("tgp|_v1_", URL64, 43),
    "groq": ("gs|k_", ALNUM, 52),
    "xai": ("xa|i-", ALNUM, 80),
    "elevenlabs": ("s|k_", HEX, 48),
    "jina": ("ji|na_", ALNUM, 60),
    "tavily": ("tv|ly-dev-", ALNUM, 32),
    "firecrawl": ("f|c-", HEX, 32),
    "runpod": ("rp|a_", UPPER, 44),
    "bedrock": ("AB|SK", BASE64, 128),
    "alibaba": ("LT|AI5t", ALNUM, 20),
    "tencent": ("AK|ID", ALNUM, 32),
    "scaleway": ("SC|W", UPPER, 17),
    "yandex": ("AQ|VN", URL64, 36),
    "artifactory": ("AK|Cp8", ALNUM, 69),
    "openshift": ("sha|256~", URL64, 43),
    "sourcegraph": ("sg|p_", HEX, 40),
    "buildkite": ("bk|ua_", HEX, 40),
    "doppler": ("dp|.ct.", ALNUM, 43),
    "doppler service": ("dp|.st.prd.", ALNUM, 43),
    "dropbox": ("s|l.", URL64, 136),
    "facebook": ("EA|AC", ALNUM, 160),
    "razorpay": ("rzp|_live_", ALNUM, 14),
    "huggingface": ("h|f_", string.ascii_letters, 34),
    "google": ("AI|za", URL64, 35),
    "google refresh": ("1//|0g", URL64, 60),
    "slack app": ("xa|pp-1-A", UPPER, 60),
    "stripe": ("sk|_live_", ALNUM, 24),
    "stripe hook": ("wh|sec_", ALNUM, 32),
    "brevo": ("xkey|sib-", HEX, 64),
    "mailersend": ("ml|sn.", HEX, 64),
    "onesignal": ("os|_v2_app_", string.ascii_lowercase + "234567", 103),
    "netlify": ("nf|p_", ALNUM, 36),
    "vercel": ("vc|p_", ALNUM, 56),
    "render": ("rn|d_", ALNUM, 32),
    "fly": ("fo|1_", URL64, 43),
    "neon": ("nap|i_", LOWER, 64),
    "cloudflare": ("cf|ut_", ALNUM, 48),
    "digitalocean": ("dop|_v1_", HEX, 64),
    "databricks": ("da|pi", HEX, 32),
    "supabase": ("sb|p_", HEX, 40),
    "vault": ("hv|s.", URL64, 95),
    "pulumi": ("pu|l-", HEX, 40),
    "postman": ("PM|AT-", UPPER, 26),
    "grafana": ("gl|sa_", ALNUM, 32),
    "honeycomb": ("hca|ik_01", LOWER, 56),
    "posthog": ("ph|x_", ALNUM, 43),
    "newrelic": ("NR|AK-", UPPER, 27),
    "sentry": ("sntr|yu_", HEX, 64),
    "sonar": ("sq|u_", HEX, 40),
    "notion": ("nt|n_", ALNUM, 46),
    "linear": ("lin|_api_", ALNUM, 40),
    "figma": ("fi|gd_", URL64, 40),
    "atlassian": ("AT|ATT3xFfGF0", URL64, 180),
    "trello": ("AT|TA", HEX, 64),
    "shopify": ("shp|at_", HEX, 32),
    "easypost": ("EZ|AK", ALNUM, 54),
    "shippo": ("ship|po_live_", HEX, 40),
    "typeform": ("tf|p_", ALNUM, 44),
    "contentful": ("CF|PAT-", URL64, 43),
    "docker": ("dckr|_pat_", URL64, 27),
    "nuget": ("oy|2", LOWER, 43),
    "octopus": ("AP|I-", UPPER, 26),
    "readme": ("rd|me_", LOWER, 70),
    "rubygems": ("ruby|gems_", HEX, 48),
    "clojars": ("CLOJ|ARS_", LOWER, 60),
    "apify": ("apify|_api_", ALNUM, 36),
    "twilio": ("S|K", HEX, 32),
    "aws session": ("IQoJ|b3JpZ2lu", BASE64, 200),
    "adafruit": ("ai|o_", ALNUM, 28),
    "infracost": ("ic|o-", ALNUM, 32),
    "plaid": ("access|-production-", "uuid", 36),
    "hubspot": ("pat|-na1-", "uuid", 36),
    "launchdarkly": ("sd|k-", "uuid", 36),
    "langfuse": ("sk|-lf-", "uuid", 36),
}


def _token(rng: random.Random, kind: str) -> tuple[str, str]:
    """A token as it is issued, and its random part."""
    prefix, alphabet, length = _TOKENS[kind]
    body = (
        str(uuid.UUID(int=rng.getrandbits(128), version=4))
        if alphabet == "uuid"
        else draw(rng, alphabet, length)
    )
    ending = "-" + draw(rng, LOWER, 16) if kind == "brevo" else ""
    return prefix.replace("|", "") + body + ending, body


# Where a token stands without a name that tells.
BARE = {
    "sentence": "We use {} on the staging machines until the move is done.",
    "sentence, de": "Für die Testumgebung gilt {} bis Ende der Woche.",
    "sentence, fr": "Sur la préproduction on utilise {} pour l'instant.",
    "sentence, es": "En el servidor nuevo se usa {} desde ayer.",
    "sentence, ru": "\u041d\u0430 тестовом сервере сейчас стоит {} до пятницы.",
    "line": "notes\n{}\nend of notes",
    "log": "2025-03-04 11:02:17,391 DEBUG [worker-2] sending {} upstream",
    "json list": '["first", "{}", 3]',
    "json in a string": '{{"line": "a\\n{}\\tb"}}',
    "python call": "client = Client('{}', retries=3)",
    "javascript call": 'await connect("{}", {{ region: "eu" }});',
    "go call": 'c := api.New("{}")',
    "java call": 'Service s = Service.of("{}");',
    "rust call": 'let c = Client::new("{}")?;',
    "shell": "deploy.sh {} --yes",
    "env": "CI_VALUE={}",
    "yaml": "ci:\n  value: {}\n  retries: 2",
    "toml": 'value = "{}"',
    "table": "| prod | {} | eu |",
    "code span": "The value `{}` belongs to the bot.",
    "address": "https://api.example.org/v1/run?v={}&n=1",
    "percent": "https://example.org/cb?state=a%26v%3D{}",
    "parentheses": "(see {})",
    "xml": "<v>{}</v>",
    "comment": "# old one: {}",
    "diff": "-  v: {}\n+  v: from the vault",
}

PASSWORDS = {
    "generated": lambda rng: draw(rng, ALNUM, rng.randrange(12, 20)),
    "generated with signs": lambda rng: draw(rng, ALNUM + "!#%^*_+-=", rng.randrange(12, 20)),
    "season": lambda rng: (
        rng.choice(("Summer", "Winter", "Herbst", "Verano"))
        + f"{rng.randrange(2015, 2027)}{rng.choice('!#$%')}"
    ),
    "substituted word": lambda rng: (
        rng.choice(("Tr0ub4dor", "Dr4g0nfly", "P1neappl3", "B4nana"))
        + rng.choice("&!?#")
        + str(rng.randrange(2, 99))
    ),
    "syllables": lambda rng: (
        "".join(rng.choice("BKMRTbkmrt") + rng.choice("aeiou") for _ in range(4))
        + f"{rng.randrange(10, 99)}!"
    ),
}

ASSIGNED = {
    "env password": "DB_PASSWORD={}",
    "env quoted": 'export SMTP_PASSWORD="{}"',
    "dotenv many": "HOST=db\nDB_PASS={}\nPORT=5432",
    "docker env": "docker run -e POSTGRES_PASSWORD={} postgres:16",
    "dockerfile": "ENV REDIS_PASSWORD={}",
    "yaml password": "database:\n  user: app\n  password: {}\n",
    "yaml quoted": "password: '{}'",
    "yaml pair": "env:\n  - name: DB_PASSWORD\n    value: {}\n",
    "yaml pair quoted": '- name: "SMTP_PASSWORD"\n  value: "{}"',
    "json password": '{{"user": "app", "password": "{}"}}',
    "json pair": '{{"name": "DB_PASSWORD", "value": "{}"}}',
    "json pair lines": '{{\n  "key": "ADMIN_PASSWORD",\n  "value": "{}"\n}}',
    "properties": "spring.datasource.password={}",
    "ini": "[db]\nuser = app\npassword = {}\n",
    "toml password": 'password = "{}"',
    "hcl": 'variable "x" {{}}\nadmin_password = "{}"',
    "xml element": "<password>{}</password>",
    "xml attribute": '<add key="Password" value="{}" />',
    "xml property": '<property name="password" value="{}"/>',
    "python": 'password = "{}"',
    "python dict": "config = {{'host': 'db', 'password': '{}'}}",
    "python keyword": "connect(host='db', user='app', password='{}')",
    "java": 'String dbPassword = "{}";',
    "go": 'password := "{}"',
    "ruby": ":password => '{}',",
    "php": "define('DB_PASSWORD', '{}');",
    "csharp": 'var cs = "Server=db;User Id=app;Password={};";',
    "jdbc": "jdbc:mysql://db/app?user=app&password={}",
    "connection": "postgres://app:{}@db.example.org/main",
    "mysql": "mysql -h db -u root -p{} app",
    "mysqldump": "mysqldump -uroot -p'{}' app > app.sql",
    "docker login": "docker login -u ci -p {} registry.example.org",
    "redis": "redis-cli -h cache -a {} ping",
    "mongosh": "mongosh --host db -u admin -p {} admin",
    "sshpass": "sshpass -p {} ssh root@10.0.0.4",
    "curl": "curl -u admin:{} https://example.org/api",
    "psql": "PGPASSWORD={} psql -h db app",
    "option": "tool connect --password {} --host db",
    "option equals": "tool connect --password={} --host db",
    "keytool": "keytool -list -keystore a.jks -storepass {}",
    "openssl": "openssl pkcs12 -in a.p12 -passin pass:{} -nodes",
    "stdin": "echo '{}' | docker login -u ci --password-stdin",
    "chpasswd": "echo 'root:{}' | chpasswd",
    "ldap": "ldapsearch -D cn=admin -w {} -b dc=example",
    "sqlcmd": "sqlcmd -S db -U sa -P {} -Q 'select 1'",
    "powershell": '$p = ConvertTo-SecureString "{}" -AsPlainText -Force',
    "credential": 'new NetworkCredential("app", "{}")',
    "requests": 'requests.get(url, auth=("app", "{}"))',
    "smtp": "server.login('bot@example.org', '{}')",
    "sql": "CREATE USER app IDENTIFIED BY '{}';",
    "sql postgres": "ALTER ROLE app WITH PASSWORD '{}';",
    "netrc": "machine h.example.org login me password {}",
    "redis conf": "requirepass {}",
    "csv": "host,user,password\ndb1,app,{}\n",
    "tsv": "user\tpassword\tnote\napp\t{}\told\n",
    "markdown table": "| host | user | password |\n|---|---|---|\n| db | app | {} |\n",
    "aligned table": "USER      PASSWORD\napp       {}\n",
    "prose with": "Log in as app with password {} and run it again.",
    "prose is": "The password is {} for now.",
    "prose for": "The password for the staging database is {}.",
    "prose to": "I set the root password to {} this morning.",
    "prose slash": "Login is root / {} on the new box.",
    "prose account": "Use admin / {} there.",
    "prose label": "Password: {}",
    "prose bold": "**Password:** {}",
    "german": "Passwort: {}",
    "german sentence": "Das Passwort für den Server lautet {}",
    "kennwort": "Kennwort: {}",
    "french": "Mot de passe : {}",
    "french sentence": "le mot de passe est {}",
    "spanish": "Contraseña: {}",
    "spanish sentence": "la contraseña es {}",
    "portuguese": "Senha: {}",
    "polish": "Hasło: {}",
    "russian": "Пароль: {}",
    "russian sentence": "пароль от базы: {}",
    "chinese": "密码\uff1a{}",
    "chinese sentence": "数据库密码是 {}\uff0c不要外传",
    "japanese": "パスワード\uff1a{}",
    "korean": "비밀번호: {}",
    "dutch": "Wachtwoord: {}",
    "swedish": "Lösenord: {}",
    "czech": "Heslo: {}",
    "turkish": "Şifre: {}",
    "italian": "password di root: {}",
    "percent form": "user=app&password%3D{}",
    "log line": "2025-01-02 WARN login failed user=app password={} ip=10.0.0.3",
    "chat": "admin> btw pw: {}",
}
# Some surroundings cannot hold every sign.
_PLAIN_ONLY = frozenset({"connection", "jdbc", "percent form", "csharp", "smtp"})


def _named_keys() -> dict[str, tuple[str, str, int]]:
    return {
        "aws secret": ("AWS_SECRET_ACCESS_KEY", BASE64, 40),
        "rails": ("SECRET_KEY_BASE", HEX, 128),
        "fernet": ("FERNET_KEY", URL64, 43),
        "salt": ("SIGNING_SALT", ALNUM, 16),
        "jwt secret": ("JWT_SECRET", ALNUM, 32),
        "datadog": ("DD_API_KEY", HEX, 32),
        "mistral": ("MISTRAL_API_KEY", ALNUM, 32),
        "cohere": ("COHERE_API_KEY", ALNUM, 40),
        "azure": ("AZURE_OPENAI_API_KEY", HEX, 32),
        "client secret": ("client_secret", URL64, 40),
        "camel": ("apiKey", ALNUM, 32),
        "dotted": ("app.auth.token", URL64, 36),
        "kebab": ("x-api-key", ALNUM, 40),
        "encryption": ("ENCRYPTION_KEY", HEX, 64),
        "webhook": ("WEBHOOK_SECRET", ALNUM, 32),
        "suffix": ("API_KEY_PAYMENTS", ALNUM, 32),
        "wireguard": ("PrivateKey", BASE64, 43),
        "snyk": ("SNYK_TOKEN", "uuid", 36),
        "algolia": ("ALGOLIA_ADMIN_KEY", HEX, 32),
        "telegram": ("BOT_TOKEN", ALNUM, 40),
    }


NAMED = {
    "env line": "{name}={value}",
    "env export": "export {name}='{value}'",
    "yaml line": "{name}: {value}",
    "yaml indented": 'a:\n  {name}: "{value}"\n  b: 1',
    "json member": '{{"{name}": "{value}"}}',
    "json name and value": '{{"name": "{name}", "value": "{value}"}}',
    "yaml name and value": "- name: {name}\n  value: {value}",
    "python name": '{name} = "{value}"',
    "environ": 'os.environ["{name}"] = "{value}"',
    "node": "process.env.{name} = '{value}';",
    "compose": "    environment:\n      - {name}={value}",
    "terraform": 'variable "{name}" {{ default = "{value}" }}\n{name} = "{value}"',
    "table row": "| name | {name} |\n|---|---|\n| prod | {value} |",
    "log text": "INFO loaded {name}={value} from file",
    "sentence text": "The {name} is `{value}`.",
    "github": "gh secret set X; {name}: {value}",
    "set call": 'setenv("{name}", "{value}", 1);',
}


def _structures(rng: random.Random) -> list[Sample]:
    """One sample of each kind that brings its own surroundings."""
    made: list[Sample] = []

    def add(kind: str, text: str, *secrets: str) -> None:
        made.append(Sample(kind, kind, text, secrets))

    lines = [draw(rng, BASE64, 64) for _ in range(6)]
    begin, end = (f"-----{edge} RSA PRIVATE" + " KEY-----" for edge in ("BEGIN", "END"))
    pem = "\n".join((begin, *lines, end))
    packed = base64.b64encode(pem.encode()).decode()
    add("pem", pem, *lines)
    add("pem in base64", f"key: {packed}", packed[60:200])
    add("kubeconfig", f"users:\n- user:\n    client-key-data: {packed}\n", packed[60:200])
    ppk = "\n".join((f"Private-Lines: {len(lines)}", *lines, "Private-MAC: 00"))
    add("putty", "PuTTY-User-Key-File-3: ssh-rsa\n" + ppk, *lines)
    key, secret = draw(rng, UPPER, 16), draw(rng, BASE64, 40)
    add("aws pair", f"AK{'IA'}{key}\n{secret}\n", secret)
    add("aws pair csv", f"AK{'IA'}{key},{secret}", secret)
    token, body = _token(rng, "github")
    add("cut token", f"see {token[:22]}\n{token[22:]} there", body[20:])
    add("cut string", f'"{token[:20]}" +\n    "{token[20:]}"', body[18:])
    add("token in base64", f"data: {base64.b64encode(f'token={token}'.encode()).decode()}")
    hidden = base64.b64encode(f"token={token}".encode()).decode()
    made[-1] = made[-1]._replace(text=f"data {hidden} end", secrets=(hidden[12:],))
    wide = "".join(chr(ord(sign) + 0xFEE0) for sign in token)
    add("full width", f"トークン {wide}", wide[8:])
    add("percent", f"https://example.org/?x={quote('token=' + token, safe='')}&y", body)
    word = PASSWORDS["generated"](rng)
    add("secret manifest", "kind: Secret\ndata:\n  tls: " + hidden[:40] + "\n", hidden[8:40])
    cookie = draw(rng, ALNUM, 32)
    add("cookie", f"Cookie: theme=dark; sessionid={cookie}; lang=de", cookie)
    add("set cookie", f"Set-Cookie: connect.sid=s%3A{cookie}; Path=/; HttpOnly", cookie)
    add("php session", f"curl -b PHPSESSID={cookie[:26].lower()} http://h", cookie[:26].lower())
    digits = str(rng.randrange(10**7, 10**9))
    add("digits", f"DB_PASSWORD={digits}", digits)
    add("digits yaml", f"password: {digits}", digits)
    phrase = f"{rng.choice(('blue', 'green'))} Kettle {rng.randrange(10, 99)} river"
    add("space", f'DB_PASSWORD="{phrase}"', phrase)
    add("space json", f'{{"password": "{phrase}"}}', phrase)
    dice = " ".join(rng.sample(_DICE, 5))
    add("passphrase", f'passphrase: "{dice}"', dice)
    seeds = " ".join(rng.sample(_SEEDS, 12))
    add("seed phrase", f"wallet: {seeds}", seeds[8:50])
    many = "\n".join(f"{n}. {w}" for n, w in enumerate(rng.sample(_SEEDS, 24), 1))
    add("seed list", f"Write down:\n{many}\n", many[12:60])
    add("basic", f"Authorization: Basic {base64.b64encode(f'a:{word}'.encode()).decode()}", word)
    add("bearer", f"Authorization: Bearer {draw(rng, URL64, 40)}")
    made[-1] = made[-1]._replace(secrets=(made[-1].text[-30:],))
    jwk = draw(rng, URL64, 43)
    add("json web key", f'{{"kty": "EC", "crv": "P-256", "d": "{jwk}"}}', jwk)
    return made


_DICE = "anchor velvet pumpkin saddle mirror lantern copper thistle walnut canyon".split()
# Words of the list of BIP-39.
_SEEDS = (
    "abandon ability able about above absent absorb abstract absurd abuse access accident account"
    " achieve acid acoustic acquire across act action actor actress actual adapt add addict address"
    " admit adult advance zebra zero zone zoo wrong yard year yellow young youth wrist write"
).split()


def samples(rng: random.Random, rounds: int) -> list[Sample]:
    """Samples of every kind and surrounding, the kinds in other surroundings each round."""
    made: list[Sample] = []
    for _ in range(rounds):
        for kind in _TOKENS:
            token, body = _token(rng, kind)
            where = rng.choice(tuple(BARE))
            made.append(Sample(kind, where, BARE[where].format(token), (body,)))
        for where, text in ASSIGNED.items():
            kind = rng.choice(("generated", "season") if where in _PLAIN_ONLY else tuple(PASSWORDS))
            value = PASSWORDS[kind](rng)
            if where in _PLAIN_ONLY:
                value = value.rstrip("!#$%")
            made.append(Sample(kind, where, text.format(value), (value,)))
        for kind, (name, alphabet, length) in _named_keys().items():
            value = str(uuid.uuid4()) if alphabet == "uuid" else draw(rng, alphabet, length)
            where = rng.choice(tuple(NAMED))
            text = NAMED[where].format(name=name, value=value)
            made.append(Sample(kind, where, text, (value,)))
        made += _structures(rng)
    return made
