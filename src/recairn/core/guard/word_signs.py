"""Signs of secrets in the words of a text, where a process looks at each word once.

A sign is what a rule knows a secret by, in lower case: `key`, `sig=`, `hooks.slack.com/`. Where it
stands, its longest part without punctuation stands in a word: at the beginning or the end of it
where the sign goes on with punctuation. Text repeats its words, so that most texts are asked
nothing but whether their words are known.
"""

from __future__ import annotations

from itertools import filterfalse

from recairn.core.lazy import compiled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

# Words remembered; and letters of one, so that a text of one endless word is not kept.
_MOST_WORDS = 50_000
_LONGEST_WORD = 40


class WordSigns:
    """A table of signs, and the words that were looked at.

    Where a word holds nothing but `names`, only those count that may be its end by the pattern
    `named`: `pat` announces something in `github-pat` and nothing in `pattern`.
    """

    def __init__(self, signs: Iterable[str], names: Collection[str], named: str) -> None:
        self._names = frozenset(names)
        self._named = named
        self._signs_of: dict[str, list[str]] = {}
        for sign in signs:
            self._signs_of.setdefault(_part_of(sign), []).append(sign)
        self._forget()

    def _forget(self) -> None:
        # Made anew instead of emptied: another thread may be asking them.
        self._silent: set[str] = set()
        self._telling: dict[str, frozenset[str]] = {}

    def standing_in(self, words: Iterable[str]) -> set[str]:
        """The signs that may stand in a text of these words, which are in lower case."""
        silent, telling = self._silent, self._telling
        left = set(filterfalse(silent.__contains__, words))
        if not left:
            return set()
        new = left.difference(telling)
        if not new:
            return set().union(*[telling[word] for word in left])
        learned = self._learned(new)
        if len(silent) + len(telling) > _MOST_WORDS:
            self._forget()
        for word in new:
            if len(word) <= _LONGEST_WORD:
                if word in learned:
                    telling[word] = learned[word]
                else:
                    silent.add(word)
        known = [telling[word] for word in left - new]
        return set().union(*known, *learned.values())

    def _learned(self, words: Iterable[str]) -> dict[str, frozenset[str]]:
        """The signs in new words, of those that hold any."""
        joined = f" {'  '.join(words)} "
        parts = [part for part in self._signs_of if part in joined]
        learned = {}
        for word in words if parts else ():
            spaced = f" {word} "
            signs = {sign for part in parts if part in spaced for sign in self._signs_of[part]}
            if signs and signs <= self._names:
                signs = {sign for sign in signs if self._may_end(word, sign)}
            if signs:
                learned[word] = frozenset(signs)
        return learned

    def _may_end(self, word: str, name: str) -> bool:
        """Whether a name of a secret that stands in a word may reach to the end of it."""
        if not name.isalnum():
            return True
        pattern = compiled(self._named)
        at = word.find(name)
        while at >= 0:
            if pattern.fullmatch(word, at):
                return True
            at = word.find(name, at + 1)
        return False


def _part_of(sign: str) -> str:
    """The longest part of a sign without punctuation, between spaces where it had any beside it."""
    spaced = "".join([letter if letter.isalnum() else " " for letter in sign])
    parts = [f" {part} " for part in spaced.split()]
    if spaced[0] != " ":
        parts[0] = parts[0][1:]
    if spaced[-1] != " ":
        parts[-1] = parts[-1][:-1]
    return max(parts, key=len)
