"""Where a store lies: the path of a file, or an address that begins with a scheme."""

from __future__ import annotations

_SIGNS = "+-."


def scheme_of(address: str) -> str:
    """The scheme of `postgresql://…`; "" for a path."""
    scheme, mark, _ = address.partition("://")
    plain = "".join(letter for letter in scheme if letter not in _SIGNS)
    named = plain.isascii() and plain.isalnum() and scheme[:1].isalpha()
    return scheme.lower() if mark and named else ""


def without_password(address: str) -> str:
    """The same address as it may be written down."""
    base, _, query = address.partition("?")
    scheme, mark, rest = base.partition("://")
    authority, slash, database = rest.partition("/")
    user, at, host = authority.rpartition("@")
    base = f"{scheme}{mark}{user.partition(':')[0]}{at}{host}{slash}{database}"
    others = [pair for pair in query.split("&") if pair and not pair.startswith("password=")]
    return "?".join([base, "&".join(others)] if others else [base])
