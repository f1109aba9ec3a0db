"""From the words typed to a command and its arguments.

Hand-written instead of argparse: it parses one row of the table without importing anything
(argparse and the `re` it needs cost most of an empty Python process), lets options stand between
the words of a text, and knows what to suggest for a misspelled option.
"""

from __future__ import annotations

from recairn.core.record import record
from recairn.surfaces.cli.table import GLOBAL, spellings
from recairn.surfaces.cli.types import Usage, as_text, read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from recairn.surfaces.cli.command import Argument, Command


@record
class Option:
    """One option as the parser sees it: its names, its placeholder ("" for a flag)."""

    names: tuple[str, ...]
    placeholder: str
    repeated: bool
    about: str

    @property
    def key(self) -> str:
        return self.names[-1].lstrip("-").replace("-", "_")


@record
class Word:
    """One place for words without a dash: how many it takes is `""`, `?`, `+` or `*`."""

    name: str
    count: str
    about: str

    @property
    def key(self) -> str:
        return self.name.lower()


def option_from(spelling: str, about: str) -> Option:
    names, _, placeholder = spelling.rpartition(" ") if _has_value(spelling) else (spelling, "", "")
    repeated = placeholder.endswith("...")
    return Option(
        tuple(name.strip() for name in names.split(",")),
        placeholder.removesuffix("..."),
        repeated,
        about,
    )


def _has_value(spelling: str) -> bool:
    return not spelling.rpartition(" ")[2].startswith("-")


def word_from(spelling: str, about: str) -> Word:
    if spelling.startswith("["):
        return Word(spelling.strip("[]"), "?", about)
    if spelling.endswith("..."):
        return Word(spelling.removesuffix("..."), "*", about)
    if spelling.endswith("+"):
        return Word(spelling.removesuffix("+"), "+", about)
    return Word(spelling, "", about)


def options_of(arguments: Iterable[Argument]) -> list[Option]:
    return [option_from(*each) for each in arguments if len(each) == 2 and each[0][0] == "-"]


def words_of(arguments: Iterable[Argument]) -> list[Word]:
    return [word_from(*each) for each in arguments if len(each) == 2 and each[0][0] != "-"]


GLOBAL_OPTIONS = options_of(GLOBAL)


def by_name(options: Iterable[Option]) -> dict[str, Option]:
    return {name: option for option in options for name in option.names}


def resolve(
    argv: list[str], rows: dict[str, Command]
) -> tuple[Command | None, list[str], dict[str, Any]]:
    """(command, its words, options before it); no command when only options were typed."""
    given: dict[str, Any] = {}
    known = by_name(GLOBAL_OPTIONS)
    rest = list(argv)
    while rest and rest[0].startswith("-") and rest[0] != "-":
        if rest[0] == "--":
            rest.pop(0)
            break
        _take_option(rest, known, given, "recairn")
    if not rest:
        return None, [], given
    accepted = spellings(rows)
    words = _command_words(rest, accepted)
    name, *typed = accepted[words]
    return rows[name], [*typed, *rest], given


def _command_words(rest: list[str], accepted: dict[str, tuple[str, ...]]) -> str:
    """Takes the command off the front of `rest`: one word, or more of a family (`family:two`)."""
    first = rest.pop(0)
    family, colon, member = first.replace(":", " ").partition(" ")
    members = [name.partition(" ")[2] for name in accepted if name.startswith(f"{family} ")]
    if members:
        if not colon and rest and not rest[0].startswith("-"):
            member = rest.pop(0)
        deeper = any(name.startswith(f"{member} ") for name in members)
        if member and deeper and rest and not rest[0].startswith("-"):
            member = f"{member} {rest.pop(0)}"
        if f"{family} {member}" in accepted:
            return f"{family} {member}"
        if family in accepted and not member:
            return family
        wrong = f"{family} has no command {member!r}" if member else f"{family} needs a command"
        raise Usage(wrong, f"{_nearest(member, members)}known: {', '.join(members)}")
    if first in accepted:
        return first
    names = [*accepted, *(name.replace(" ", ":") for name in accepted if " " in name)]
    hint = _nearest(first, names) or "recairn -h lists the commands"
    raise Usage(f"unknown command {first!r}", hint.strip())


def parse(row: Command, typed: list[str]) -> dict[str, Any]:
    """What was typed after the command, by key; only what was given is there, words always."""
    given: dict[str, Any] = {}
    known = {**by_name(GLOBAL_OPTIONS), **by_name(options_of(row.arguments))}
    rest = list(typed)
    words: list[str] = []
    while rest:
        if rest[0] == "--":
            words += rest[1:]
            break
        if _is_option(rest[0]):
            _take_option(rest, known, given, row.name)
        else:
            words.append(rest.pop(0))
    if not asks_for_help(given):
        given.update(_placed(row, words))
    return given


def asks_for_help(given: dict[str, Any]) -> bool:
    return "h" in given or "help" in given or "version" in given


def _is_option(token: str) -> bool:
    """A dash begins an option, unless it stands alone, before a number, or before a sentence."""
    if not token.startswith("-") or token == "-":
        return False
    return not (token[1:].replace(".", "", 1).isdigit() or " " in token.partition("=")[0])


def _take_option(
    rest: list[str], known: dict[str, Option], given: dict[str, Any], owner: str
) -> None:
    """Moves the option at the front of `rest`, and its value, into `given`."""
    token = rest.pop(0)
    name, equals, value = token.partition("=")
    if not token.startswith("--") and len(token) > 2 and name not in known:
        name, equals, value = token[:2], "=", token[2:].removeprefix("=")
    option = known.get(name)
    if option is None:
        raise _unknown(token.partition("=")[0], known, owner)
    if not option.placeholder:
        if equals:
            raise Usage(f"{name} takes no value")
        given[option.key] = True
        return
    if not equals:
        if not rest or rest[0] in known:
            raise Usage(f"{name} needs a value", f"{name} {option.placeholder}: {option.about}")
        value = rest.pop(0)
    value = read(name, option.placeholder, value)
    if option.repeated:
        given.setdefault(option.key, []).append(value)
    else:
        given[option.key] = value


def _unknown(token: str, known: dict[str, Option], owner: str) -> Usage:
    more = "recairn -h" if owner == "recairn" else f"recairn {owner} -h"
    return Usage(
        f"{owner} has no option {token}",
        f"{_nearest(token, known)}see {more}; a text that starts with a dash goes after --",
    )


def _placed(row: Command, words: list[str]) -> dict[str, Any]:
    """The words in the places the row has for them."""
    placed: dict[str, Any] = {}
    left = list(words)
    for place in words_of(row.arguments):
        if place.count in ("*", "+"):
            placed[place.key], left = [as_text(place.name, word) for word in left], []
            if place.count == "+" and not placed[place.key]:
                raise _missing(row, place)
        elif left:
            placed[place.key] = read(place.name, place.name, left.pop(0))
        elif place.count == "?":
            placed[place.key] = None
        else:
            raise _missing(row, place)
    if left:
        raise Usage(f"{row.name} does not take {left[0]!r}", f"recairn help {row.name}")
    return placed


def _missing(row: Command, place: Word) -> Usage:
    return Usage(f"{row.name} needs {place.name}: {place.about}", f"for example: {row.examples[0]}")


def _nearest(word: str, known: Iterable[str]) -> str:
    from difflib import get_close_matches

    from recairn.surfaces.cli.synonyms import SYNONYMS

    names = list(known)
    meant = SYNONYMS.get(word, SYNONYMS.get(word.lower(), ""))
    close = [meant] if meant in names else get_close_matches(word.lower(), names, n=1, cutoff=0.6)
    return f"did you mean {close[0]}? " if close else ""
