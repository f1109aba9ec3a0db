"""The words of a command line: one grammar for the commands, for hooks and for the MCP server.

`--name value`, `--name=value`, `-nvalue` and `-n=value`; flags; and `--`, after which nothing is an
option. The caller has a table of its options with their placeholders, "" for a flag, and its own
way with what is wrong: a command refuses it, a hook must not. Imports nothing: agents wait for it.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


def split(
    words: Sequence[str], placeholders: Mapping[str, str]
) -> Iterator[tuple[str, str | None]]:
    """Each option with its value, and each other word as ("", word), in the order typed."""
    rest = list(words)
    while rest:
        if rest[0] == "--":
            yield from (("", word) for word in rest[1:])
            return
        yield take(rest, placeholders) if is_option(rest[0]) else ("", rest.pop(0))


def is_option(word: str) -> bool:
    """A dash begins an option, unless it stands alone, before a number, or before a sentence."""
    if not word.startswith("-") or word == "-":
        return False
    return not (word[1:].replace(".", "", 1).isdigit() or " " in word.partition("=")[0])


def take(rest: list[str], placeholders: Mapping[str, str]) -> tuple[str, str | None]:
    """Takes the option at the front of `rest` off it, and its value.

    None is the value of a flag, and of an option that another one or the end follows. An option
    that the table lacks comes back as it was typed, up to any "=".
    """
    word = rest.pop(0)
    typed, equals, text = word.partition("=")
    name = typed
    if not word.startswith("--") and len(word) > 2 and name not in placeholders:
        name, equals, text = word[:2], "=", word[2:].removeprefix("=")
    if name not in placeholders:
        return typed, None
    if equals:
        return name, text
    missing = not placeholders[name] or not rest or rest[0] in placeholders
    return name, None if missing else rest.pop(0)
