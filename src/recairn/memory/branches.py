"""Memories that belong to a branch: where it stands, and what holds for all once it is merged."""

from __future__ import annotations

from recairn.core.errors import NotFound
from recairn.core.record import record
from recairn.host.git import branch_of, git, has_own_commits
from recairn.memory.lifecycle import edit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recairn.core.draft import Cleaner
    from recairn.core.model import Act, Memory
    from recairn.store.contract.base import Store

# How a branch stands to the one that is checked out; what is merged or gone waits for a word.
HERE, OPEN, MERGED, GONE = "here", "open", "merged", "gone"
_WAITING = (MERGED, GONE)
# Commits of the checked-out branch that are looked through for where another one began.
_LOOKED_AT = 5000
_FORMAT = "%(refname)%09%(objectname)%09%(committerdate:unix)"


@record
class Branch:
    """A branch that memories belong to. `state` is here, open, merged or gone; "" outside git."""

    name: str
    memories: tuple[int, ...]
    state: str

    @property
    def waits(self) -> bool:
        """Whether what belongs to it may be told to all by now."""
        return self.state in _WAITING


def branches(store: Store, project: str, root: str | None) -> list[Branch]:
    """The branches of a project that memories belong to, by name."""
    ids_by_branch = store.memories_by_branch(project)
    if not ids_by_branch:
        return []
    standing = _Standing(root) if root is not None else None
    memories = store.get_many([memory for ids in ids_by_branch.values() for memory in ids])
    return [
        Branch(name, tuple(ids), _state(standing, name, [memories[memory] for memory in ids]))
        for name, ids in sorted(ids_by_branch.items())
    ]


def _state(standing: _Standing | None, name: str, memories: list[Memory]) -> str:
    if standing is None or not standing.current:
        return ""
    if name == standing.current:
        return HERE
    if name not in standing.tips:
        return GONE
    return (
        MERGED if standing.is_merged(name, max(memory.created_at for memory in memories)) else OPEN
    )


class _Standing:
    """The branches of a checkout, as its git tells them."""

    def __init__(self, root: str) -> None:
        self.current = branch_of(root)
        self._root = root
        self.tips = self._listed("branch", "--all", f"--format={_FORMAT}")
        self._merged = self._listed("branch", "--all", "--merged", "HEAD", f"--format={_FORMAT}")
        self._trunk: set[str] | None = None

    def _listed(self, *words: str) -> dict[str, tuple[str, int]]:
        """Branch → its newest commit and the time of that; of a remote one without its remote."""
        tips: dict[str, tuple[str, int]] = {}
        for line in (git(self._root, *words) or "").splitlines():
            reference, commit, time = [*line.split("\t"), "", ""][:3]
            name = reference.removeprefix("refs/heads/")
            if name == reference:
                name = reference.removeprefix("refs/remotes/").partition("/")[2]
            if name and time.isdigit():
                tips.setdefault(name, (commit, int(time) * 1000))
        return tips

    def is_merged(self, name: str, written_at: int) -> bool:
        """Whether its commits are in the one checked out.

        A branch without any commit of its own looks like one that was merged by moving on: it is
        taken for that when commits were made on it here, or, where they were made elsewhere, when
        the newest is newer than what was remembered.
        """
        if name not in self._merged:
            return False
        commit, at = self._merged[name]
        if self._trunk is None:
            log = git(self._root, "rev-list", "--first-parent", "-n", str(_LOOKED_AT), "HEAD")
            self._trunk = set((log or "").split())
        moved_on = commit in self._trunk and at <= written_at
        return not moved_on or has_own_commits(self._root, name)


def promote_branch(store: Store, project: str, name: str, act: Act, clean: Cleaner) -> list[Memory]:
    """Lets what belongs to a branch hold on all of them: all of it or, on an error, nothing."""
    ids = store.memories_by_branch(project).get(name)
    if not ids:
        raise NotFound(f"no memory belongs to the branch {name}", "recairn branch lists them")
    with store.transaction():
        return [edit(store, memory, {"branch": ""}, act, clean) for memory in ids]
