"""Passwords on command lines, in calls and in sentences: what stands before tells.

Rows for `contexts`: kind, the word that announces it in lower case, the pattern from that word on
with the value in group 1, and the test of the value. Patterns ignore case unless they say so.
"""

from __future__ import annotations

from recairn.core.guard.values import is_password, is_stand_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    # Kind, announcing word, pattern with the value in group 1, test of the value.
    Context = tuple[str, str, str, Callable[[str], bool]]

# The rest of a command before the option, within one command of one line.
_REST = r"[^\n|;]{0,160}?"
_VALUE = r"[\"']?([^\s\"'`]{4,200})"
_TEXT = r"[\"']([^\"'\n]{4,200})[\"']"
_ARGUMENT = r"[\"'][^\"'\n]{1,120}[\"']"


def _is_given(value: str) -> bool:
    """Anything but a variable, a placeholder, another option, a port or a path."""
    if value.startswith(("-", "/", "./", "rint")) or not any(char.isalpha() for char in value):
        return value.isdigit() and len(value) >= 6
    return not is_stand_in(value)


def _is_quoted_password(value: str) -> bool:
    return is_password(value, quoted=True)


def _option(kind: str, program: str, option: str, gap: str = r"\s{1,4}=?") -> Context:
    source = rf"{program}[\w.-]{{0,16}}\s{_REST}(?<=\s)(?-i:{option}){gap}{_VALUE}"
    return kind, program, source, _is_given


PASSWORD = "password"
# In groups under a character or word without which none of a group can match: most texts skip most
# groups.
COMMANDS: tuple[tuple[str, tuple[Context, ...]], ...] = (
    (
        "-",
        (
            _option(PASSWORD, "mysql", "-p", ""),
            _option(PASSWORD, "mariadb", "-p", ""),
            _option(PASSWORD, "mycli", "-p", r"\s{0,4}"),
            _option(PASSWORD, "login", "-p"),
            _option(PASSWORD, "redis-cli", "-a"),
            _option(PASSWORD, "mongo", "-p"),
            _option(PASSWORD, "cqlsh", "-p"),
            _option(PASSWORD, "ldap", "-w"),
            _option(PASSWORD, "sqlcmd", "-P", r"\s{0,4}"),
            _option(PASSWORD, "bcp", "-P", r"\s{0,4}"),
            _option(PASSWORD, "ipmitool", "-P"),
            _option(PASSWORD, "snmp", "-[AX]"),
            _option(PASSWORD, "rdesktop", "-p"),
            _option(PASSWORD, "7z", "-p", ""),
            _option(PASSWORD, "zip", "-P", r"\s{0,4}"),
            _option(PASSWORD, "influx", "-password"),
            _option(PASSWORD, "http", "-a", r"\s{1,4}[\w.@-]{1,60}:"),
            _option(PASSWORD, "curl", "--proxy-user", r"[\s=]{1,4}[\w.@-]{1,60}:"),
            _option(PASSWORD, "smbclient", "-U", r"\s{0,4}[\"']?[^\s%\"']{1,60}%"),
            (PASSWORD, "sshpass", rf"sshpass\s{{1,4}}-p\s{{0,4}}{_VALUE}", _is_given),
            (
                PASSWORD,
                "htpasswd",
                rf"htpasswd(?=[^\n]{{0,40}} -\w{{0,5}}b)(?:\s{{1,3}}-\w{{1,6}}){{1,4}}"
                rf"(?<!nb)(?<!bn)(?<!nbB)(?<!nbBC)\s{{1,4}}[^\s-]\S{{0,120}}\s{{1,4}}\S{{1,60}}\s{{1,4}}{_VALUE}",
                _is_given,
            ),
            (
                PASSWORD,
                "htpasswd",
                rf"htpasswd\s{{1,4}}-(?=\w{{0,5}}n)(?=\w{{0,5}}b)\w{{2,6}}\s{{1,4}}\S{{1,60}}\s{{1,4}}{_VALUE}",
                _is_given,
            ),
            (
                PASSWORD,
                "-stdin",
                rf"-stdin[^\n|]{{0,80}}?<<<\s{{0,4}}{_VALUE}",
                _is_given,
            ),
            (
                PASSWORD,
                "convertto-securestring",
                rf"convertto-securestring\s{{1,4}}(?:-\w{{1,12}}\s{{1,4}}){{0,3}}{_TEXT}",
                _is_given,
            ),
        ),
    ),
    (
        "/",
        (
            _option(PASSWORD, "xfreerdp", "/p:", ""),
            _option(PASSWORD, "cmdkey", "/pass:", ""),
            _option(PASSWORD, "net use", r"/user:\S{1,80}", r"\s{1,4}"),
            (PASSWORD, "net user", rf"net user \S{{1,40}} {_VALUE} /add", _is_given),
        ),
    ),
    (
        "|",
        (
            (
                PASSWORD,
                "echo ",
                r"echo\s{1,4}(?:-n\s{1,4})?[\"']?[\w.-]{1,40}:([^\s\"'|]{4,200})[\"']?\s{0,4}\|"
                r"\s{0,4}(?:sudo\s{1,4})?chpasswd",
                _is_given,
            ),
            (
                PASSWORD,
                "echo ",
                r"echo\s{1,4}(?:-n\s{1,4})?[\"']?([^\s\"'|]{4,200})[\"']?\s{0,4}\|\s{0,4}"
                r"(?:sudo\s{1,4}-\w{0,3}S\b|[^\n|]{1,120}?(?:--stdin|password-stdin|passphrase-fd|--with-token))",
                _is_given,
            ),
            (
                PASSWORD,
                "printf ",
                r"printf\s{1,4}(?:[\"']?%s(?:\\n)?[\"']?\s{1,4})?[\"']?([^\s\"'|]{4,200}?)(?:\\n)?[\"']?\s{0,4}"
                r"\|\s{0,4}[^\n|]{1,120}?(?:--stdin|password-stdin|passphrase-fd|--with-token)",
                _is_given,
            ),
        ),
    ),
    (
        ":",
        ((PASSWORD, "pass:", rf"(?<=[\s\"'])pass:{_VALUE}", _is_given),),
    ),
    (
        "pass",
        (
            (
                PASSWORD,
                "wpa_passphrase",
                rf"wpa_passphrase\s{{1,4}}\S{{1,60}}\s{{1,4}}{_VALUE}",
                _is_given,
            ),
            (PASSWORD, "requirepass", rf"requirepass\s{{1,4}}{_VALUE}", _is_given),
            (
                PASSWORD,
                "password",
                r"password\s{1,4}[0578]\s{1,4}([^\s\"']{6,200})",
                _is_given,
            ),
        ),
    ),
    (
        "",
        (
            (
                PASSWORD,
                "rabbitmqctl",
                rf"rabbitmqctl\s{{1,4}}(?:add_user|change_password)\s{{1,4}}\S{{1,60}}\s{{1,4}}{_VALUE}",
                _is_given,
            ),
            (PASSWORD, "masterauth", rf"masterauth\s{{1,4}}{_VALUE}", _is_given),
            (PASSWORD, "bindpw", rf"bindpw\s{{1,4}}{_VALUE}", _is_given),
            (PASSWORD, "rootpw", rf"rootpw\s{{1,4}}{_VALUE}", _is_given),
        ),
    ),
)

# What a call takes last, after the address and the name.
_PAIR_CALL = rf"[\w.]{{0,20}}\s{{0,2}}=?\s{{0,2}}\(\s{{0,4}}{_ARGUMENT}\s{{0,2}},\s{{0,4}}{_TEXT}"
_EARLIER = rf"(?:[\w.$]{{1,60}}|{_ARGUMENT})\s{{0,2}},\s{{0,4}}"
_TRIPLE_CALL = rf"[\w.]{{0,20}}\(\s{{0,4}}{_EARLIER}{_EARLIER}{_TEXT}"
CALLS: tuple[Context, ...] = (
    *(
        (PASSWORD, word, word + _PAIR_CALL, _is_quoted_password)
        for word in ("login", "auth", "networkcredential", "credential", "basic_auth")
    ),
    *(
        (PASSWORD, word, word + _TRIPLE_CALL, _is_quoted_password)
        for word in ("connect", "getconnection")
    ),
)

_ACCOUNT = (
    r"(?:root|admin|administrator|user|username|sa|postgres|mysql|guest|ubuntu|pi|test|demo|oracle"
    r"|superuser|operator|deploy|jenkins|elastic|service|[\w.+-]{1,40}@[\w-]{1,40}\.[a-z]{2,10})"
)
# A strong word behind a slash, and a name before it.
SLASH = r"/\s{0,2}[\"'`*]{0,2}(?=[^\s0-9]{0,40}[0-9])([^\s\"'`/|<>]{6,80})(?![/\w])"
ACCOUNT = rf"(?i)(?<![\w/.-]){_ACCOUNT}[\"'`*]{{0,2}}\s{{0,2}}\Z"
LONGEST_ACCOUNT = 100
# A name and a password after a word for both.
LOGINS: tuple[str, ...] = (
    "login",
    "log in",
    "sign in",
    "credential",
    "creds",
    "account",
    "zugang",
    "anmeldung",
    "identifiant",
    "acceso",
    "acesso",
)
AFTER_LOGIN = (
    r"[a-z]{0,12}\b[^\n/]{0,40}?[:=\s]\s{0,3}[\"'`*]{0,2}[\w.@+-]{2,40}[\"'`*]{0,2}\s{0,2}[/:|]\s{0,2}"
    r"[\"'`*]{0,2}([^\s\"'`/|<>]{6,80})"
)
