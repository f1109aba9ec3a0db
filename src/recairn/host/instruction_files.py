"""Which files of instructions an agent's program reads by itself: it holds what they say anyway."""

from __future__ import annotations

import os

from recairn.host.plain_file import text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

# Agent → the files it reads in its folder and in those above it, and those that it reads instead
# where none of them is there.
_FILES = {
    "claude": (("CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md"), ("AGENTS.md",)),
    "codex": (("AGENTS.override.md", "AGENTS.md"), ()),
    "opencode": (("AGENTS.md",), ("CLAUDE.md",)),
    "gemini": (("GEMINI.md",), ()),
    "cursor": (("AGENTS.md", ".cursorrules"), ()),
    "copilot": (("AGENTS.md", ".github/copilot-instructions.md", "CLAUDE.md", "GEMINI.md"), ()),
}
# The folders whose files it reads, all of them or when it comes to the files they are for.
_FOLDERS = {"claude": ".claude/rules", "cursor": ".cursor/rules"}
# Those that read such files of a folder below, too, once they have opened a file in it.
_FOLLOWING = ("claude", "cursor", "gemini", "opencode")
# Of these, those that look in each such folder for the files they read instead.
_INSTEAD_IN_EACH = ("opencode",)
# The user's own file: the variable that moves its folder, the usual folder, the name.
_HOMES = {
    "claude": ("CLAUDE_CONFIG_DIR", "~/.claude", "CLAUDE.md"),
    "codex": ("CODEX_HOME", "~/.codex", "AGENTS.md"),
    "gemini": ("GEMINI_CLI_HOME", "~", ".gemini/GEMINI.md"),
    "opencode": ("XDG_CONFIG_HOME", "~/.config", "opencode/AGENTS.md"),
    "copilot": ("COPILOT_HOME", "~/.copilot", "copilot-instructions.md"),
}
# Those whose files take in others: a word like @docs/style.md. So many deep, as Claude Code does.
_IMPORTING = ("claude", "gemini")
_DEEPEST = 5
# Bytes of a file that are looked through for such words.
_LONGEST = 200_000
# Subagents that get none of these files from their program, though others of it do (Claude Code
# 2.1.325). Of subagents of other programs nobody knows.
_BARE_SUBAGENTS = {"claude": ("Explore", "Plan")}
# Characters of a text that says something of its own; less stands in many files.
_SHORTEST = 12
_ENDINGS = (".md", ".mdc", ".cursorrules")


def reads_files(agent: str, subagent: str) -> bool:
    """Whether an agent's program gives these files to who is at work: itself, or a subagent."""
    return not subagent or subagent not in _BARE_SUBAGENTS.get(agent, (subagent,))


class InstructionFiles:
    """The files that one agent's program reads when it works in a folder, and has opened some files
    below it. Asked for when needed."""

    def __init__(self, agent: str, folder: str, root: str, opened: Sequence[str] = ()) -> None:
        self._agent, self._folder, self._root = agent, folder, root
        self._opened = opened if agent in _FOLLOWING else ()
        self._paths: set[str] | None = None
        self._texts: dict[str, str] = {}
        self._joined: dict[str, str] = {}

    def holding(self, source: str, text: str = "") -> str:
        """The file that a memory came from (`CLAUDE.md:12`) when it is one of them, or one of them
        that says the same (a copy for another agent); else ""."""
        name, colon, line = source.rpartition(":")
        name = name if colon and line.isdecimal() else source
        if not name.endswith(_ENDINGS) or self._agent not in _FILES:
            return ""
        path = os.path.join(self._root, os.path.expanduser(name))
        return name if self._reads(path) else self._saying(" ".join(text.split()))

    def _saying(self, words: str) -> str:
        """The file that says a text, however its lines are broken."""
        if len(words) < _SHORTEST or self._paths is None:
            return ""
        for path in sorted(self._paths):
            if path not in self._joined:
                self._joined[path] = " ".join(text_of(path, _LONGEST).split())
            if words in self._joined[path]:
                return os.path.relpath(path, os.path.realpath(self._root))
        return ""

    def says(self, name: str, words: str) -> bool:
        """Whether a file of the checkout is one of them, and holds those words."""
        path = os.path.join(self._root, name)
        if path not in self._texts:
            self._texts[path] = text_of(path, _LONGEST) if self.holding(name) else ""
        return words in self._texts[path]

    def _reads(self, path: str) -> bool:
        if self._paths is None:
            self._paths = self._read()
        rules = _FOLDERS.get(self._agent)
        if rules is not None:
            own = os.path.join(self._root, rules) + os.sep
            if os.path.normpath(path).startswith(own) and os.path.isfile(path):
                return True
        return os.path.realpath(path) in self._paths

    def _read(self) -> set[str]:
        usual, instead = _FILES[self._agent]
        files = self._upwards(usual) or self._upwards(instead)
        files += self._below(usual, instead if self._agent in _INSTEAD_IN_EACH else ())
        if self._agent in _HOMES:
            variable, folder, name = _HOMES[self._agent]
            home = os.environ.get(variable) or os.path.expanduser(folder)
            files.append(os.path.join(home, name))
        paths: set[str] = set()
        for path in files:
            _take_in(path, paths, _DEEPEST if self._agent in _IMPORTING else 0)
        return paths

    def _below(self, usual: tuple[str, ...], instead: tuple[str, ...]) -> list[str]:
        """The files of the folders, below the root, of what was opened."""
        folders: set[str] = set()
        for file in self._opened:
            folder = os.path.dirname(os.path.normpath(file))
            # A name that is whole, or begins so, leads out of the checkout.
            while folder and not os.path.isabs(folder) and not folder.startswith(os.pardir):
                folders.add(os.path.join(self._root, folder))
                folder = os.path.dirname(folder)
        return [
            path
            for folder in sorted(folders)
            for path in _present(folder, usual) or _present(folder, instead)
        ]

    def _upwards(self, names: tuple[str, ...]) -> list[str]:
        """The files of those names in the folder and above it."""
        files: list[str] = []
        folder = os.path.abspath(self._folder)
        while True:
            files += _present(folder, names)
            above = os.path.dirname(folder)
            if above == folder:
                return files
            folder = above


def _present(folder: str, names: tuple[str, ...]) -> list[str]:
    return [path for name in names if os.path.isfile(path := os.path.join(folder, name))]


def _take_in(path: str, paths: set[str], depth: int) -> None:
    """Adds a file, and what it takes in with words like @docs/style.md."""
    real = os.path.realpath(path)
    if real in paths or not os.path.isfile(real):
        return
    paths.add(real)
    if not depth:
        return
    for word in text_of(real, _LONGEST).split():
        if word.startswith("@") and len(word) > 1:
            name = os.path.expanduser(word[1:].rstrip(".,;:)"))
            _take_in(os.path.join(os.path.dirname(path), name), paths, depth - 1)
