"""By what a repository is known again wherever it lies: its first commit, and its remote address.

Everything here is asked once, when a checkout is met for the first time; git is run by `git` alone.
"""

from __future__ import annotations

import os

from recairn.core.guard import plain_name
from recairn.core.record import record
from recairn.host.git import git
from recairn.host.git_settings import origin_of
from recairn.host.repository import head_of, repository_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recairn.host.project import Place
    from recairn.host.repository import Repository

# Seconds; a prompt waits for this once. In a repository of a hundred thousand commits it is enough.
_TIMEOUT_S = 0.9
# The branch that a repository stands for, before whatever is checked out. The brackets make git
# take a whole name for a pattern, which may fit nothing.
_TRUNKS = ("--glob=refs/heads/mai[n]", "--glob=refs/heads/maste[r]")
# First commits along the first parents: what was merged in from another repository leads to that
# one's first commit, and it is not ours.
_ROOTS = ("rev-list", "--first-parent", "--max-parents=0")
# The newest commits of a shallow clone; one of them in another clone shows that they are clones.
_COMPARED = 50
# Characters of an address.
_LONGEST = 500

# Whether the first commit is known: not yet there (or cut off), known, or git gave no answer.
PENDING, KNOWN, SILENT = 0, 1, 2


@record
class Ancestry:
    """The first commits of a repository, whether there may be others later, and the address of its
    remote without user, password, port and `.git`."""

    roots: tuple[str, ...]
    state: int
    remote: str


def ancestry_of(place: Place) -> Ancestry:
    """What a checkout says of where it comes from."""
    remote = remote_name(origin_of(os.path.join(place.common, "config")))
    repository = repository_at(place.root)
    if repository is None or not _is_self_contained(repository, place.common):
        return Ancestry((), SILENT, "")
    if is_cut_off(place) or not _has_commits(repository):
        return Ancestry((), PENDING, remote)
    output = git(place.root, *_ROOTS, *_TRUNKS, "HEAD", timeout_s=_TIMEOUT_S)
    roots = tuple(sorted(set((output or "").split())))
    return Ancestry(roots, KNOWN if roots else SILENT, remote)


def may_have_ancestry(place: Place) -> bool:
    """Whether it is worth asking again in a checkout that had no first commit."""
    repository = repository_at(place.root)
    return repository is not None and not is_cut_off(place) and _has_commits(repository)


def is_cut_off(place: Place) -> bool:
    """Whether a checkout is a shallow clone, which does not know its first commit."""
    return os.path.exists(os.path.join(place.common, "shallow"))


def shares_commits(place: Place, other: str) -> bool:
    """Whether two checkouts, one of them shallow, have a commit in common."""
    for here, there in ((place.root, other), (other, place.root)):
        newest = git(here, "rev-list", "-n", str(_COMPARED), "HEAD", timeout_s=_TIMEOUT_S) or ""
        commits = newest.split()
        look = ("rev-list", "--no-walk", "--ignore-missing", *commits)
        if commits and (git(there, *look, timeout_s=_TIMEOUT_S) or "").split():
            return True
    return False


def _has_commits(repository: Repository) -> bool:
    """Whether the branch checked out has a commit, as far as one sees without git."""
    head = head_of(repository)
    if not head.startswith("ref:"):
        return bool(head)
    ref = os.path.join(repository.common, head.removeprefix("ref:").strip())
    packed = os.path.join(repository.common, "packed-refs")
    tables = os.path.join(repository.common, "reftable")
    return os.path.exists(ref) or os.path.exists(packed) or os.path.isdir(tables)


def _is_self_contained(repository: Repository, common: str) -> bool:
    """Whether history is read from the git folder itself: a link that came in an archive could
    lead to the refs of another repository, and speak for it."""
    inside = os.path.join(os.path.realpath(common), "")
    head = head_of(repository).removeprefix("ref:").strip()
    shared = ["objects", "packed-refs", "refs", os.path.join("refs", "heads"), "reftable"]
    shared += [head] if head.startswith("refs/") else []
    parts = [os.path.join(repository.common, name) for name in shared]
    parts += [os.path.join(common, "refs", "heads", name) for name in ("main", "master")]
    parts.append(os.path.join(repository.folder, "HEAD"))
    return all(os.path.realpath(path).startswith(inside) for path in parts)


def remote_name(address: str) -> str:
    """`host/path` of an address in any of git's spellings; "" for a path on this machine."""
    address = address.strip()
    scheme, sign, rest = address.partition("://")
    if not sign:
        host, colon, path = address.partition(":")
        if not colon or "/" in host or not path:
            return ""
    elif scheme.lower() == "file":
        return ""
    else:
        host, _, path = rest.partition("/")
    host = host.rpartition("@")[2]
    host = host.partition(":")[0] if not host.startswith("[") else host
    path = path.strip("/").removesuffix(".git").strip("/")
    name = f"{host.lower()}/{path}"
    if not host or not path or len(name) > _LONGEST:
        return ""
    return plain_name(name)
