"""What redaction keeps, what it replaces, and what it costs at worst."""

from __future__ import annotations

import string
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recairn.core.errors import BadInput
from recairn.core.guard import redact
from recairn.core.guard.shapes import HASHES, SHAPES, VENDOR_PREFIXES

# Random once, so that every value is literal; split, so that no scanner takes it for a leak.
BODY = "Zk3vQ9" + "xW2mLr" + "8TnB5y" + "HcJ7pD" + "4sFgV6" + "aKeU1q"
GITHUB = "gh" + "p_" + BODY
PRIVATE = "PRIVATE" + " KEY"


@pytest.mark.parametrize(
    ("text", "redacted", "kind"),
    [
        (GITHUB, "ghp_[REDACTED]", "github-token"),
        (f'{{"t":"{GITHUB}"}}', '{"t":"ghp_[REDACTED]"}', "github-token"),
        (f"Bearer {BODY}", "Bearer [REDACTED]", "bearer-token"),
        (
            f"postgres://user:{BODY}@host/db",
            "postgres://user:[REDACTED]@host/db",
            "connection-string",
        ),
        ("redis://:s3cr3t!@cache:6379/0", "redis://:[REDACTED]@cache:6379/0", "connection-string"),
        (
            f"-----BEGIN RSA {PRIVATE}-----\n{BODY}\n{BODY}\n",
            f"-----BEGIN RSA {PRIVATE}-----[REDACTED]\n",
            "private-key",
        ),
        (
            f"-----BEGIN {PRIVATE}-----\n{BODY}\n-----END {PRIVATE}-----\nnext",
            f"-----BEGIN {PRIVATE}-----[REDACTED]-----END {PRIVATE}-----\nnext",
            "private-key",
        ),
        ("DB_PASSWORD=hunter2x", "DB_PASSWORD=[REDACTED]", "password"),
        ('password = "hunter2!"', 'password = "[REDACTED]"', "password"),
        ("the password is Tr0ub4dor&3", "the password is [REDACTED]", "password"),
        (f"api_key: {BODY}", "api_key: [REDACTED]", "api-key"),
        (f"x?access_token={BODY}&n=1", "x?access_token=[REDACTED]&n=1", "token"),
        (
            "machine h login me password abc",
            "machine h login me password [REDACTED]",
            "netrc-password",
        ),
        (
            "CREATE USER a WITH PASSWORD 'x7Kp2mQ9vLw4'",
            "CREATE USER a WITH PASSWORD '[REDACTED]'",
            "password",
        ),
    ],
)
def test_the_value_goes_and_what_tells_its_kind_stays(text, redacted, kind):
    assert redact(text) == (redacted, (kind,))


@pytest.mark.parametrize(
    "text",
    [
        'password = os.environ["DB_PASSWORD"]',
        "password = getpass.getpass()",
        "token = response.json()['token1']",
        "api_key: your-api-key",
        "API_KEY=xxxxxxxxxxxxxxxxxxxxxxxx",
        "token: <token>",
        "password: changeme",
        "SECRET_KEY=${SECRET_KEY}",
        "token: {{ vault_token_2 }}",
        "gh" + "p_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        "AK" + "IAIOSFODNN7EXAMPLE",
        "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/" + "bPxRfiCYEXAMPLEKEY",
        "postgres://user:password@localhost/db",
        "postgres://{user}:{password}@{host}/db",
        "Authorization: Bearer $TOKEN",
        f"between -----BEGIN {PRIVATE}----- and -----END {PRIVATE}----- lines",
        "docker run -u 1000:1000 image",
        "def f(password: str, token: str | None = None) -> None:",
        "arn:aws:secretsmanager:us-west-2:123456789012:secret:MyDatabase-a1b2c3",
        "use sk-fading-circle-container-element-2 as the class",
        "",
    ],
)
def test_references_and_placeholders_stay(text):
    assert redact(text) == (text, ())


def test_kinds_come_once_each_in_order_of_appearance():
    text = f"postgres://u:{BODY}@h then {GITHUB} and again {GITHUB} then password='x1y2z3!'"
    assert redact(text) == (
        "postgres://u:[REDACTED]@h then ghp_[REDACTED] and again ghp_[REDACTED] "
        "then password='[REDACTED]'",
        ("connection-string", "github-token", "password"),
    )


def test_a_token_keeps_its_prefix_even_where_its_name_tells_too():
    assert redact(f"GITHUB_TOKEN={GITHUB}") == ("GITHUB_TOKEN=ghp_[REDACTED]", ("github-token",))


def test_a_secret_that_shows_only_after_another_was_replaced_goes_too():
    key = "AK" + "IA" + BODY.upper()[:16]
    redacted, kinds = redact(f"password: hunter2x-{key}")
    assert "hunter2x" not in redacted
    assert BODY.upper()[:16] not in redacted
    assert kinds == ("aws-access-key", "password")
    assert redact(redacted) == (redacted, ())


@pytest.mark.parametrize("entry", [GITHUB, BODY, "re:gh" + "p_Zk3.*", "re:[A-Za-z0-9]{36}"])
def test_an_allowed_value_stays(entry):
    assert redact(f"see {GITHUB}", allow=[entry]) == (f"see {GITHUB}", ())


MNEMONIC = "abandon ability able about above absent absorb abuse access account achieve acid"


@pytest.mark.parametrize("between", [" ", ", ", " 7. "])
def test_a_seed_phrase_goes_wherever_it_begins(between):
    for before in range(22):
        text = "To " * before + between.join(MNEMONIC.split()) + " Of." * 3
        redacted, kinds = redact(text)
        assert kinds == ("seed-phrase",)
        assert "ability" not in redacted


def test_allowing_one_value_does_not_spare_another():
    text = f"{GITHUB} password=hunter2x"
    assert redact(text, allow=[GITHUB]) == (f"{GITHUB} password=[REDACTED]", ("password",))


def test_a_broken_allow_pattern_is_named():
    with pytest.raises(BadInput, match="re:\\("):
        redact(GITHUB, allow=["re:("])


def test_characters_outside_ascii_do_not_shift_the_value():
    assert redact(f"İstanbul 👩‍⚕️ ü: {GITHUB} ß") == (
        "İstanbul 👩‍⚕️ ü: ghp_[REDACTED] ß",
        ("github-token",),
    )


ANNOUNCING = [
    *sorted({each for row in (*SHAPES, *HASHES) for each in row[1]} - VENDOR_PREFIXES),
    *("password=", "password: '", "api_key=", "token ", "--token ", 'secret\\"', "auth", "key"),
    *("Authorization: ", "Authorization: Bearer ", "bearer ", "basic ", "machine a login b "),
    *("default login ", ":5432:a:b:", "-u a:", "sshpass -p", "identified by '", "?sig=", "://a:"),
    *("://a@", "/api/webhooks/1234567890123456/", "hooks.slack.com/services/", "SHA}", "{SHA}"),
    *(f"-----BEGIN RSA {PRIVATE}-----", "-----END ", "M" + BODY[:23] + ".", "://", "password"),
]
LENGTH = 25_000
FILLERS = ("", "a", "a1B2", " ", "-", "=", "\n", ".", "/", ":", "@", '"', "\\n")
# What takes no longer needs no second look; a quadratic rule takes seconds.
SECONDS = 0.06
# Where it takes longer, that is the machine only if half of the text takes half as long: at their
# best, since what else a machine has to do comes and goes while a rule stays quadratic.
MOST_SECONDS, MOST_GROWTH, TRIES = 0.75, 3.0, 5


def spent(text):
    started = time.process_time()
    redact(text)
    return time.process_time() - started


def is_quick(text):
    if spent(text) < SECONDS:
        return True
    half = min(spent(text[: len(text) // 2]) for _ in range(TRIES))
    whole = min(spent(text) for _ in range(TRIES))
    return whole < MOST_SECONDS and whole < MOST_GROWTH * half


@pytest.mark.thorough
@pytest.mark.parametrize("announcing", ANNOUNCING)
def test_no_input_makes_a_rule_slow(announcing):
    repeated = [(announcing + filler) * (LENGTH // len(announcing + filler)) for filler in FILLERS]
    stretched = [(announcing + filler * LENGTH)[:LENGTH] for filler in FILLERS if filler]
    for text in repeated + stretched:
        assert is_quick(text), (announcing, text[:60])


# Vendors' rows have one form, and there are hundreds: some at a time.
_TOGETHER = 16
PREFIXES = [
    sorted(VENDOR_PREFIXES)[at : at + _TOGETHER] for at in range(0, len(VENDOR_PREFIXES), _TOGETHER)
]


@pytest.mark.thorough
@pytest.mark.parametrize("prefixes", PREFIXES)
def test_no_input_makes_a_vendors_row_slow(prefixes):
    for filler in FILLERS:
        unit = "".join(prefix + filler for prefix in prefixes)
        repeated = unit * (LENGTH // len(unit))
        stretched = "".join(prefix + filler * (LENGTH // 64) for prefix in prefixes)
        for text in (repeated, stretched):
            assert is_quick(text), (prefixes, filler)


TEXT = st.text(max_size=300) | st.lists(
    st.sampled_from([*ANNOUNCING, GITHUB, BODY, *"=:@'\"`\\\n .-_/[]{}$", "[REDACTED]", "é"]),
    max_size=20,
).map("".join)


@given(TEXT)
def test_redacting_twice_is_redacting_once(text):
    once, _ = redact(text)
    assert redact(once) == (once, ())


@given(st.text(alphabet=string.ascii_lowercase + " \n", max_size=400))
def test_plain_words_are_left_alone(text):
    assert redact(text) == (text, ())
