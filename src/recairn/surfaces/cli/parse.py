"""From the words typed to a command and its arguments.

Hand-written instead of argparse: it parses one row of the table without importing anything
(argparse and the `re` it needs cost most of an empty Python process), lets options stand between
the words of a text, and knows what to suggest for a misspelled option. How placeholders of the
table are read, and what may stand in their place, comes first.
"""

from __future__ import annotations

from recairn.core.argv import split, take
from recairn.core.errors import RecairnError
from recairn.core.lazy import load
from recairn.core.record import Row
from recairn.surfaces.cli.index import ROWS, SPELLINGS
from recairn.surfaces.cli.table import GLOBAL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from recairn.surfaces.cli.command import Argument, Command


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


class Option(Row):
    """One option as the parser sees it: its names, its placeholder ("" for a flag)."""

    names: tuple[str, ...]
    placeholder: str
    repeated: bool
    about: str

    @property
    def key(self) -> str:
        return self.names[-1].lstrip("-").replace("-", "_")


class Word(Row):
    """One place for words without a dash: `how_many` it takes is `""`, `?`, `+` or `*`."""

    name: str
    how_many: str
    about: str

    @property
    def key(self) -> str:
        return self.name.lower()


def option_from(spelling: str, about: str) -> Option:
    names, _, placeholder = spelling.rpartition(" ") if _has_value(spelling) else (spelling, "", "")
    repeated = placeholder.endswith("...")
    listed = tuple([name.strip() for name in names.split(",")])
    return Option._make((listed, placeholder.removesuffix("..."), repeated, about))


def _has_value(spelling: str) -> bool:
    return not spelling.rpartition(" ")[2].startswith("-")


def word_from(spelling: str, about: str) -> Word:
    if spelling.startswith("["):
        return Word._make((spelling.strip("[]"), "?", about))
    if spelling.endswith("..."):
        return Word._make((spelling.removesuffix("..."), "*", about))
    if spelling.endswith("+"):
        return Word._make((spelling.removesuffix("+"), "+", about))
    return Word._make((spelling, "", about))


def options_of(arguments: Iterable[Argument]) -> list[Option]:
    return [option_from(*pair) for pair in arguments if len(pair) == 2 and pair[0][0] == "-"]


def words_of(arguments: Iterable[Argument]) -> list[Word]:
    return [word_from(*pair) for pair in arguments if len(pair) == 2 and pair[0][0] != "-"]


GLOBAL_OPTIONS = options_of(GLOBAL)


def by_name(options: Iterable[Option]) -> dict[str, Option]:
    return {name: option for option in options for name in option.names}


def resolve(argv: list[str]) -> tuple[Command | None, list[str], dict[str, Any]]:
    """(command, its words, options before it); no command when only options were typed."""
    values: dict[str, Any] = {}
    options = by_name(GLOBAL_OPTIONS)
    placeholders = _placeholders(options)
    rest = list(argv)
    while rest and rest[0].startswith("-") and rest[0] != "-":
        if rest[0] == "--":
            rest.pop(0)
            break
        _put(values, options, *take(rest, placeholders), "recairn")
    if not rest:
        return None, [], values
    name, *typed = SPELLINGS[_spelling(rest)]
    return _row(name), [*typed, *rest], values


def command_line(words: list[str]) -> tuple[Command | None, dict[str, Any], dict[str, Any], bool]:
    """(command, options before it, what was typed after it, whether help is asked for)."""
    row, typed, before = resolve(words)
    after = {} if row is None else parse(row, typed)
    return row, before, after, asks_for_help({**before, **after})


def _row(name: str) -> Command:
    """The row of a command; the modules of other rows are not loaded."""
    rows: tuple[Command, ...] = load(ROWS[name])
    return next(row for row in rows if row.name == name)


def _spelling(rest: list[str]) -> str:
    """Takes the command off the front of `rest`: one word, or more of a family (`family:two`)."""
    first = rest.pop(0)
    family, colon, member = first.replace(":", " ").partition(" ")
    members = [name.partition(" ")[2] for name in SPELLINGS if name.startswith(f"{family} ")]
    if members:
        if not colon and rest and not rest[0].startswith("-"):
            member = rest.pop(0)
        deeper = any(name.startswith(f"{member} ") for name in members)
        if member and deeper and rest and not rest[0].startswith("-"):
            member = f"{member} {rest.pop(0)}"
        if f"{family} {member}" in SPELLINGS:
            return f"{family} {member}"
        if family in SPELLINGS and not member:
            return family
        # `bench FOLDER`, beside `bench hooks`: what is no member may be an argument.
        leading = _row(family).arguments[:1] if family in ROWS and not colon else ()
        if leading and not leading[0][0].startswith("-"):
            rest.insert(0, member)
            return family
        wrong = f"{family} has no command {member!r}" if member else f"{family} needs a command"
        raise Usage(wrong, f"{_nearest(member, members)}known: {', '.join(members)}")
    if first in SPELLINGS:
        return first
    names = [*SPELLINGS, *(name.replace(" ", ":") for name in SPELLINGS if " " in name)]
    hint = _nearest(first, names) or "recairn -h lists the commands"
    raise Usage(f"unknown command {first!r}", hint.strip())


def parse(row: Command, typed: list[str]) -> dict[str, Any]:
    """What was typed after the command, by key; only what was given is there, words always."""
    values: dict[str, Any] = {}
    options = {**by_name(GLOBAL_OPTIONS), **by_name(options_of(row.arguments))}
    words: list[str] = []
    for name, text in split(typed, _placeholders(options)):
        if name:
            _put(values, options, name, text, row.name)
        else:
            words.append(text or "")
    if not asks_for_help(values):
        values.update(_placed(row, words))
    return values


def asks_for_help(values: dict[str, Any]) -> bool:
    return "h" in values or "help" in values or "version" in values


def _placeholders(options: dict[str, Option]) -> dict[str, str]:
    return {name: option.placeholder for name, option in options.items()}


def _put(
    values: dict[str, Any], options: dict[str, Option], name: str, text: str | None, owner: str
) -> None:
    """Puts the value of an option, read as its placeholder says, among the values."""
    option = options.get(name)
    if option is None:
        raise _unknown(name, options, owner)
    if not option.placeholder:
        if text is not None:
            raise Usage(f"{name} takes no value")
        values[option.key] = True
        return
    if text is None:
        raise Usage(f"{name} needs a value", f"{name} {option.placeholder}: {option.about}")
    value = read(name, option.placeholder, text)
    if option.repeated:
        values.setdefault(option.key, []).append(value)
    else:
        values[option.key] = value


def _unknown(name: str, options: dict[str, Option], owner: str) -> Usage:
    more = "recairn -h" if owner == "recairn" else f"recairn {owner} -h"
    return Usage(
        f"{owner} has no option {name}",
        f"{_nearest(name, options)}see {more}; a text that starts with a dash goes after --",
    )


def _placed(row: Command, words: list[str]) -> dict[str, Any]:
    """The words in the places the row has for them."""
    placed: dict[str, Any] = {}
    left = list(words)
    for place in words_of(row.arguments):
        if place.how_many in ("*", "+"):
            placed[place.key], left = [as_text(place.name, word) for word in left], []
            if place.how_many == "+" and not placed[place.key]:
                raise _missing(row, place)
        elif left:
            placed[place.key] = read(place.name, place.name, left.pop(0))
        elif place.how_many == "?":
            placed[place.key] = None
        else:
            raise _missing(row, place)
    if left:
        raise Usage(f"{row.name} does not take {left[0]!r}", f"recairn help {row.name}")
    return placed


def _missing(row: Command, place: Word) -> Usage:
    return Usage(f"{row.name} needs {place.name}: {place.about}", f"for example: {row.examples[0]}")


def _nearest(word: str, candidates: Iterable[str]) -> str:
    from difflib import get_close_matches

    from recairn.surfaces.cli.synonyms import SYNONYMS

    names = list(candidates)
    meant = SYNONYMS.get(word, SYNONYMS.get(word.lower(), ""))
    close = [meant] if meant in names else get_close_matches(word.lower(), names, n=1, cutoff=0.6)
    return f"did you mean {close[0]}? " if close else ""
