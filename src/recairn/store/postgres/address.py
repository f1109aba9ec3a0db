"""The address of a store on a server: what is recairn's own in it, and how a person may see it.

`postgresql://user:password@host/database?team=gulls&member=ann&schema=recairn` is libpq's address
with three parameters of ours; the rest goes to the driver as it is.
"""

from __future__ import annotations

from recairn.core.address import without_password
from recairn.core.errors import BadInput

DEFAULT_TEAM = "main"
DEFAULT_SCHEMA = "recairn"
_OWN = ("team", "member", "schema")
# Characters of a name of a team; PostgreSQL itself cuts names of schemas at 63 bytes.
_LONGEST = 63


class Address:
    """`conninfo` is what the driver gets, `shown` the same without a password.

    `member` is who of the team asks; "" where the team itself does.
    """

    __slots__ = ("conninfo", "member", "schema", "shown", "team")

    def __init__(self, address: str) -> None:
        base, _, query = address.partition("?")
        own = {"team": DEFAULT_TEAM, "member": "", "schema": DEFAULT_SCHEMA}
        others = []
        for pair in query.split("&") if query else []:
            name, _, value = pair.partition("=")
            if name in _OWN:
                own[name] = _name(name, value)
            else:
                others.append(pair)
        self.team, self.member, self.schema = own["team"], own["member"], own["schema"]
        self.conninfo = "?".join([base, "&".join(others)] if others else [base])
        self.shown = without_password(base)
        usual = {"team": DEFAULT_TEAM, "member": ""}
        asked = [f"{name}={own[name]}" for name in usual if own[name] != usual[name]]
        if asked:
            self.shown += "?" + "&".join(asked)


def _name(parameter: str, value: str) -> str:
    if "%" in value:
        from urllib.parse import unquote

        value = unquote(value)
    check_name(parameter, value)
    return value


def check_name(parameter: str, value: str) -> None:
    """BadInput for what is no name of a team, a member or a schema."""
    if not value or len(value) > _LONGEST or not value.isprintable():
        raise BadInput(
            f"the name of a {parameter} has 1 to {_LONGEST} characters",
            f"write ?{parameter}=NAME at its end",
        )
