"""The words by which secrets are called, in names and in sentences, in several languages."""

from __future__ import annotations

# Words to look for in the lower-case ASCII text, in which any other letter is a question mark.
# "pass" comes before its longer forms, so one look-up finds them all.
NAME_WORDS = (
    "pass",
    "pwd",
    "secret",
    "token",
    "key",
    "auth",
    "credential",
    "creds",
    "salt",
    "kennwort",
    "contrase",
    "clave",
    "senha",
    "wachtwoord",
    "senord",
    "adgangskode",
    "heslo",
    "parol",
    "has?o",
    "haslo",
    "jelsz",
    "salasana",
    "kata sandi",
    "ifre",
    "psk",
    "mdp",
    "pw",
    "pat",
    "pin",
    "jwt",
)
# The same in other scripts, in lower case.
FOREIGN_WORDS = (
    "пароль",
    "пароля",
    "ключ",
    "токен",
    "секрет",
    "密码",
    "密碼",
    "口令",
    "密钥",
    "令牌",
    "パスワード",
    "暗証番号",
    "비밀번호",
    "암호",
    "كلمة المرور",
    "كلمة السر",
    "סיסמה",
    "סיסמא",
    "पासवर्ड",
    "mật khẩu",
    "รหัสผ่าน",
    "κωδικός",
    "şifre",
    "parolă",
)
_PASSWORDS = (
    r"pass(?:word|wd|phrase|code|wort|e)?|pwd|pw|psk|mdp|pin"
    r"|kennwort|contrase[nñ]a|clave|senha|wachtwoord|l?[öo]?senord|adgangskode|heslo|parol(?:a|ă|e)?"
    r"|has[łl]o|jelsz[óo]|salasana|kata\ sandi|[sş]?ifre(?:si|niz)?|пароль|пароля|密码|密碼|口令"
    r"|パスワード|暗証番号|비밀번호|암호|كلمة\ المرور|كلمة\ السر|סיסמה|סיסמא|पासवर्ड"
    r"|mật\ khẩu|รหัสผ่าน|κωδικός"
)
PASSWORD_WORD = rf"(?:{_PASSWORDS})\Z"
WORD = (
    rf"{_PASSWORDS}|secret|token|key|auth|credential|creds|salt|pat|jwt"
    r"|ключ|токен|секрет|密钥|令牌"
)

# "key" alone names half of all variables; these words before it make it a secret.
KEY_QUALIFIERS = tuple(
    """access account admin aes anthropic api app application auth aws azure bot cipher client
    cloudflare cohere consumer crypt crypto datadog dd decryption deploy encryption encrypt
    fastly fernet gemini google groq heroku hmac ingest integration jwt license licence
    mailgun mapbox master mistral oauth okta openai org pre-shared preshared private project
    rest root sdk secret sendgrid server service session shared sign signing ssh storage
    stripe subscription team tls twilio user vault vercel wallet webhook wireguard write""".split()
)
SALT_QUALIFIERS = tuple(
    "auth cookie encryption hash hmac hashids nonce pass password secret session signing".split()
)
# Names that end in a secret's word and hold none: page tokens, vocabularies, cache keys, hashes.
NOT_SECRET = tuple(
    """public publishable public_api next page paging continuation cursor sync cache primary
    foreign sort partition idempotency pad eos bos unk sep cls mask special stop object""".split()
)
# And endings that make the name one of something about a secret.
NOT_SECRET_SUFFIX = tuple(
    """id ids name names file files path paths url uri type types hash hashes hasher hashers length
    len size ttl expiry expires expire expiration at count counts limit version field fields
    column prefix header env arn ref refs hint policy algorithm alg format manager endpoint
    store index usage min max reset regex pattern class dir location provider issuer in
    digest fingerprint checksum generator validator validators label required rotation age
    days hours minutes seconds enabled disabled map list set func fn error errors mode
    status budget budgets per user username email input text box form state""".split()
)
VENDOR = (
    r"(?:\A|[^a-z])(aws|heroku|cloudflare|cf|fastly|datadog|dd|okta|vercel|twilio|mailgun|azure"
    r"|sentry|stripe|openai|github|gitlab|algolia|cloudinary|mailchimp|newrelic)(?![a-z])"
)
VENDOR_NAMES = {"cf": "cloudflare", "dd": "datadog"}
