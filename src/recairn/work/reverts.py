"""Which commands of git take back what was done: read as words, without running anything. Pure."""

from __future__ import annotations

from recairn.work.test_commands import words_of

# Options that do not change files, or only ask.
_HARMLESS = frozenset("--staged -S -b -B -c -C --create --orphan --abort --continue --quit".split())


def taken_back(command: str) -> tuple[str, ...] | None:
    """The files that a command puts back, none of them for all; None where it takes nothing back.

    A commit that is reverted is ("HEAD",): what it held is the repository's to say.
    """
    words = words_of(command.partition("&&")[0].partition(";")[0].strip())
    if len(words) < 2 or words[0] != "git":
        return None
    verb, rest = words[1], words[2:]
    if not _HARMLESS.isdisjoint(rest):
        return None
    if verb == "revert":
        return ("HEAD",)
    if verb == "reset":
        return () if "--hard" in rest else None
    if verb == "restore":
        return _named([word for word in rest if not word.startswith("-")])
    if verb == "checkout" and "--" in rest:
        return _named(rest[rest.index("--") + 1 :])
    return None


def _named(files: list[str]) -> tuple[str, ...] | None:
    if not files:
        return None
    return () if "." in files else tuple(files)
