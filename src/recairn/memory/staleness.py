"""Does a memory still fit the repository? What it names is looked up in the checkout, with git.

A file may be deleted, moved, or much changed since the memory was written; a symbol may occur
nowhere any more. What was never part of the repository says nothing: it may be of another one.
Staleness is a remark and a signal, never a deletion. Without git only the files are looked for.
"""

from __future__ import annotations

import os
import time

from recairn.core.record import record
from recairn.core.scopes import is_file_name
from recairn.host.git import TIMEOUT_S, git
from recairn.store.memory_rows import StalenessRow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from recairn.core.model import Filter, Memory
    from recairn.store.contract.base import Store

# How stale each finding makes a memory; `changed` counts the share of lines that are gone.
_WORTH = {"deleted": 1.0, "gone": 0.8, "moved": 0.5}
# Less than half of a file rewritten: what was said about it most likely holds.
MUCH_CHANGED = 0.5
# Seconds a whole check may take; what is left keeps what was found before.
_BUDGET_S = 60.0
# Seconds for one walk through the whole history or the whole tree.
_HISTORY_S = 30.0
_PAGE = 500
# Kinds about a moment, not about how things are.
_OF_THE_MOMENT = ("handoff", "chunk")
_HOPS = 5
_NUMSTAT = ("diff", "--numstat", "--no-ext-diff", "--no-textconv")
_SHORTEST_SYMBOL = 4


@record
class Stale:
    """A memory that may no longer fit: the worst thing found, how stale in 0..1, and what is so."""

    memory: Memory
    state: str
    value: float
    detail: str
    checked_at: int


@record
class Finding:
    """What became of one thing a memory names: fresh, deleted, moved, changed or gone."""

    state: str
    value: float
    detail: str


_FRESH = Finding("fresh", 0.0, "")


def known_stale(store: Store, filter: Filter) -> list[Stale]:
    """What the last check found, the stalest first."""
    checks = store.staleness()
    ids = [memory for memory, check in checks.items() if check.value > 0.0]
    results = []
    for memory in store.get_many(ids).values():
        check = checks[memory.id]
        if _concerned(memory, filter) and memory.updated_at <= check.checked_at:
            results.append(Stale(memory, check.state, check.value, check.detail, check.checked_at))
    return sorted(results, key=lambda stale: (-stale.value, stale.memory.id))


def _concerned(memory: Memory, filter: Filter) -> bool:
    ours = filter.project is None or memory.project == filter.project
    live = memory.deleted_at is None and memory.superseded_by is None
    return ours and live and memory.kind not in _OF_THE_MOMENT


def check(
    store: Store,
    filter: Filter,
    root: str,
    *,
    now: int,
    report: Callable[[int, int], None] | None = None,
) -> int:
    """Looks at every memory of the project that names something; how many were looked at."""
    tree = Tree(root)
    deadline = time.monotonic() + _BUDGET_S
    rows = []
    total = store.count(filter)
    for position, memory in enumerate(_memories(store, filter), start=1):
        if time.monotonic() > deadline:
            break
        findings = findings_of(memory, tree)
        if findings:
            rows.append(StalenessRow._make((memory.id, now, *_summary(findings))))
        if report is not None:
            report(position, total)
    with store.transaction():
        store.put_staleness(rows)
    return len(rows)


def _memories(store: Store, filter: Filter) -> Iterator[Memory]:
    start = 0
    while page := store.listing(filter, order="id", limit=_PAGE, offset=start):
        start += len(page)
        yield from (memory for memory in page if _concerned(memory, filter))


def _summary(findings: Sequence[Finding]) -> tuple[str, float, str]:
    """The worst state, the mean of all values, and every detail."""
    worst = max(findings, key=lambda finding: finding.value)
    mean = sum(finding.value for finding in findings) / len(findings)
    return (
        worst.state,
        round(mean, 4),
        "; ".join(finding.detail for finding in findings if finding.detail),
    )


def findings_of(memory: Memory, tree: Tree) -> list[Finding]:
    """What became of the files and symbols a memory names, those of the repository alone."""
    paths, symbols = named_by(memory)
    findings = [tree.file(path, memory.updated_at) for path in paths]
    findings += [tree.symbol(symbol, memory.updated_at) for symbol in symbols]
    return [finding for finding in findings if finding is not None]


def named_by(memory: Memory) -> tuple[list[str], list[str]]:
    """The paths and the symbols a memory names, in its scope and among its concepts."""
    paths: dict[str, None] = {}
    symbols: dict[str, None] = {}
    if memory.scope and ("/" in memory.scope or is_file_name(memory.scope)):
        paths[memory.scope] = None
    for concept in memory.concepts:
        name = concept.removesuffix("()").removeprefix("./")
        if " " in name or name.startswith(("/", "~", "-", "../")) or "://" in name:
            continue
        if "/" in name or is_file_name(name):
            paths[name] = None
        elif len(name) >= _SHORTEST_SYMBOL and name.replace("_", "a").isalnum():
            symbols[name] = None
    # `engine.py` beside `src/engine.py` is the same file named twice.
    whole = [path for path in paths if not any(other.endswith("/" + path) for other in paths)]
    return whole, list(symbols)


class Tree:
    """One checkout, asked through git where that works; answers are kept for the whole check."""

    def __init__(self, root: str) -> None:
        self.root = root
        # Where each question to git takes all the time it is given, the first few are enough.
        self._until = time.monotonic() + _BUDGET_S
        listing = self._ask("ls-files", "-z", timeout_s=_HISTORY_S)
        self._by_git = listing is not None and self._ask("rev-parse", "HEAD") is not None
        self._files = set((listing or "").split("\0")) - {""}
        self._by_name: dict[str, list[str]] = {}
        for path in sorted(self._files):
            self._by_name.setdefault(os.path.basename(path), []).append(path)
        self._answers: dict[tuple[str, ...], str | None] = {}
        self._deleted: dict[str, str] | None = None

    def _ask(self, *words: str, timeout_s: float = TIMEOUT_S) -> str | None:
        left_s = self._until - time.monotonic()
        return git(self.root, *words, timeout_s=min(timeout_s, left_s)) if left_s > 0 else None

    def _git(self, *words: str) -> str | None:
        if words not in self._answers:
            self._answers[words] = self._ask(*words)
        return self._answers[words]

    def file(self, path: str, at: int) -> Finding | None:
        """What became of a file (or glob) since a time; None when it never was of this tree."""
        present = self._present(path)
        if not self._by_git:
            return self._without_git(path, present)
        if not present:
            return self._missing(path)
        if len(present) > 1 or "*" in path:
            return _FRESH
        return self._changed(present[0], at)

    def _present(self, path: str) -> list[str]:
        """The files that a path, the end of one, or a glob means."""
        if "*" in path:
            listing = self._git("ls-files", "-z", "--", f":(glob){path}") or ""
            return [file for file in listing.split("\0") if file] or self._on_disk(path)
        if path in self._files:
            return [path]
        inside = path.rstrip("/") + "/"
        if any(file.startswith(inside) for file in self._files):
            return [path, inside]
        same = self._by_name.get(os.path.basename(path), ())
        return [file for file in same if file.endswith("/" + path)] or self._on_disk(path)

    def _on_disk(self, path: str) -> list[str]:
        if "*" in path:
            from glob import glob

            return glob(os.path.join(self.root, path), recursive=True)[:1]
        return [path] if os.path.exists(os.path.join(self.root, path)) else []

    def _without_git(self, path: str, present: Sequence[str]) -> Finding | None:
        """A file is missing where its folder is known; other names may be of another tree."""
        if present:
            return _FRESH
        top = path.partition("/")[0]
        if "/" not in path or "*" in top or not os.path.isdir(os.path.join(self.root, top)):
            return None
        return Finding("deleted", _WORTH["deleted"], f"{path} is not there")

    def _missing(self, path: str) -> Finding | None:
        deletion = self._deletion(path)
        if deletion is None:
            return None
        file, commit = deletion
        target = None if "*" in path else self._moved_to(file, commit)
        if target is None:
            detail = f"{path} was deleted in {commit[:8]}"
            return Finding("deleted", _WORTH["deleted"], detail)
        return Finding("moved", _WORTH["moved"], f"{path} is now {target}")

    def _deletion(self, path: str) -> tuple[str, str] | None:
        """The file that a missing path means, and the last commit that took it away."""
        if self._deleted is None:
            self._deleted = self._all_deletions()
        if "*" in path:
            from fnmatch import fnmatchcase

            patterns = (path, path.replace("**/", ""))
            fits = (
                name
                for name in self._deleted
                if any(fnmatchcase(name, pattern) for pattern in patterns)
            )
            file = next(fits, None)
        elif path in self._deleted:
            file = path
        else:
            file = next((name for name in self._deleted if name.endswith("/" + path)), None)
        return None if file is None else (file, self._deleted[file])

    def _all_deletions(self) -> dict[str, str]:
        """Every path that was ever taken away, with the newest commit that did, newest first."""
        log = ("log", "--no-renames", "--diff-filter=D", "--name-only", "-z", "--format=%x01%H")
        deleted: dict[str, str] = {}
        commit = ""
        for part in (self._ask(*log, timeout_s=_HISTORY_S) or "").split("\0"):
            name = part.strip("\n")
            if name.startswith("\x01"):
                commit = name[1:]
            elif name:
                deleted.setdefault(name, commit)
        return deleted

    def _moved_to(self, path: str, commit: str) -> str | None:
        """Where the file is now, followed through one rename after the other."""
        for _ in range(_HOPS):
            show = ("show", "-M", "-z", "--name-status", "--diff-filter=R", "--format=", commit)
            parts = (self._git(*show) or "").split("\0")
            target = dict(zip(parts[1::3], parts[2::3], strict=False)).get(path)
            if target is None or target in self._files:
                return target
            deletion = self._deletion(target)
            if deletion is None:
                return None
            path, commit = deletion
        return None

    def _changed(self, path: str, at: int) -> Finding:
        """The share of the lines of that time that are gone."""
        base = self._commit_at(at)
        numstat = self._git(*_NUMSTAT, base, "HEAD", "--", path) if base else None
        words = (numstat or "").split()
        if len(words) < 2 or not (words[0].isdigit() and words[1].isdigit()):
            return _FRESH
        gone = int(words[1])
        before = len((self._git("show", f"{base}:{path}") or "").splitlines())
        share = min(1.0, gone / before) if before else 0.0
        if share < MUCH_CHANGED:
            return _FRESH
        return Finding("changed", round(share, 4), f"{round(100 * share)}% of {path} was rewritten")

    def _commit_at(self, at: int) -> str:
        """The commit that was checked out at a time, or nothing before the first one."""
        commit = self._git("rev-list", "-1", f"--before=@{at // 1000}", "HEAD")
        return (commit or "").strip()

    def symbol(self, symbol: str, at: int) -> Finding | None:
        """Whether a name still occurs; None without git, or when it never occurred."""
        if not self._by_git:
            return None
        if self._occurs(symbol, "HEAD"):
            return _FRESH
        base = self._commit_at(at)
        if not base or not self._occurs(symbol, base):
            return None
        return Finding("gone", _WORTH["gone"], f"{symbol} occurs nowhere any more")

    def _occurs(self, symbol: str, commit: str) -> bool:
        return self._git("grep", "-q", "-w", "-F", "-e", symbol, commit) is not None
