"""How the placeholders of the command table are read, and what may stand in their place."""

from __future__ import annotations

from recairn.core.errors import RecairnError
from recairn.core.lazy import load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Usage(RecairnError):
    """What was typed is not a command line recairn understands (exit status 2)."""


# Known names per placeholder, as `module:name` so that reading them costs nothing until needed.
CHOICES = {
    "KIND": "recairn.core.kinds:KINDS",
    "SECTOR": "recairn.core.kinds:SECTORS",
    "TIER": "recairn.core.kinds:TIERS",
    "TRUST": "recairn.core.kinds:TRUSTS",
    "SOURCE": "recairn.core.kinds:SOURCE_TYPES",
    "MODE": "recairn.engine.options:MODES",
    "ORDER": "recairn.engine.options:ORDERS",
    "PROFILE": "recairn.ranking.profiles:PROFILES",
    "RELATION": "recairn.core.kinds:RELATIONS",
    "DRAWING": "recairn.surfaces.cli.actions.graph:DRAWINGS",
    "WAY": "recairn.surfaces.cli.actions.graph:WAYS",
    "SHELL": "recairn.surfaces.cli.completion:SHELLS",
    "COMMAND": "recairn.surfaces.cli.completion:COMMAND_NAMES",
    "SETTING": "recairn.core.settings:SETTINGS",
    "MODEL": "recairn.surfaces.cli.actions.models:MODELS",
    "GROUP": "recairn.recall.query_log:GROUPS",
    "WHAT": "recairn.engine.context:LEDGER_GROUPS",
    "STATUS": "recairn.work.tasks:STATUSES",
    "OUTCOME": "recairn.work.tasks:OUTCOMES",
    "FORMAT": "recairn.sources:SOURCES",
    "EXPORT": "recairn.surfaces.cli.actions.exchange:FORMATS",
    "AGENT": "recairn.surfaces.install.agents:AGENTS",
}
# Placeholders that name things without limiting them.
_OPEN = ("COMMAND", "SETTING", "STATUS", "FORMAT")
# Options that ask for so many of something: none is not asked for.
_AT_LEAST_ONE = ("-n", "--limit")
FILES = ("FILE", "FOLDER", "PATH")
# Where bytes that are no text may be meant: names of files, and the words of a program.
_BYTES = (*FILES, "FORMAT", "PROGRAM")
# What an error calls a placeholder, where its own name would say too little.
_CALLED = {
    "SOURCE": "source type",
    "GROUP": "grouping",
    "WHAT": "grouping",
    "EXPORT": "export format",
    "DRAWING": "format of a drawing",
    "WAY": "way to write",
}


def choices(placeholder: str) -> tuple[str, ...]:
    """The names a placeholder may take; empty when it is free."""
    address = CHOICES.get(placeholder)
    return () if address is None else tuple(load(address))


def read(option: str, placeholder: str, text: str) -> Any:
    """The value of an option as its placeholder's type; Usage when it is none."""
    if placeholder == "MODEL" and "/" in text:  # one of the model hub, or a folder
        return text
    if placeholder in CHOICES and placeholder not in _OPEN:
        return _name(placeholder, text)
    if placeholder == "N":
        count = _number(option, text, int, "a whole number")
        if count < 1 and option in _AT_LEAST_ONE:
            raise Usage(f"{option} takes 1 or more, not {text!r}", f"for example: {option} 5")
        return count
    if placeholder == "NUMBER":
        return _number(option, text, float, "a number")
    if placeholder == "SCORE":
        value = _number(option, text, float, "a number between 0 and 1")
        if not 0.0 <= value <= 1.0:
            raise Usage(f"{option} takes a number between 0 and 1, not {text!r}")
        return value
    if placeholder == "NAME=NUMBER":
        name, equals, amount = text.partition("=")
        if not (name and equals):
            raise Usage(f"{option} takes NAME=NUMBER, not {text!r}", f"{option} recency=0.2")
        return name, _number(option, amount, float, "NAME=NUMBER")
    return as_text(placeholder, text)


def as_text(placeholder: str, typed: str) -> str:
    """What was typed, as text whatever the locale's encoding; names of files stay as they are."""
    if typed.isascii() or placeholder in _BYTES:
        return typed
    from recairn.core.words import as_utf8

    return as_utf8(typed)


def _name(placeholder: str, text: str) -> str:
    from recairn.core.errors import BadInput
    from recairn.core.kinds import kind_named, one_of, relation_named

    try:
        if placeholder == "KIND":
            kind_named(text)
            return text
        if placeholder == "RELATION":
            return relation_named(text)
        return one_of(_CALLED.get(placeholder, placeholder.lower()), text, choices(placeholder))
    except BadInput as error:
        raise Usage(error.message, error.hint) from None


def _number(option: str, text: str, kind: type, words: str) -> Any:
    try:
        return kind(text)
    except ValueError:
        raise Usage(f"{option} takes {words}, not {text!r}") from None
