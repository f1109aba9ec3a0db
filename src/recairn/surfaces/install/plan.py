"""Planning and making the edits: what would change, and a copy of what was there."""

from __future__ import annotations

import os

from recairn.core.errors import BadInput, Refused
from recairn.core.record import record
from recairn.surfaces.install.agents import OPTIONAL, PROJECT, targets
from recairn.surfaces.install.edits import same_meaning

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from recairn.surfaces.install.agents import Place

_BACKUP = ".before-recairn"
# Bytes of a settings file; a larger one is something else.
LARGEST = 20_000_000


@record
class Change:
    """One file before and after, what is in it for recairn, and what `others` had there before.

    `base` is the folder it lies below, which is the user's or the project's. What is made anew for
    one user is for that user alone: agents keep accounts and keys in these files.
    """

    agent: str
    what: str
    path: str
    before: str | None
    after: str
    others: str
    base: str
    private: bool
    removing: bool

    @property
    def differs(self) -> bool:
        return (self.before or "") != self.after

    @property
    def verb(self) -> str:
        if not self.differs:
            return "unchanged"
        if self.before is None:
            return "create"
        return "remove" if not self.after else "change"


def planned(agents: Sequence[str], place: Place, *, remove: bool = False) -> list[Change]:
    """What putting recairn in (or taking it out) would change, one entry a file.

    A file that cannot be understood stops everything before anything is written.
    """
    changes: dict[str, Change] = {}
    for agent in agents:
        for target in targets(agent, place):
            path = _real(target.path, place)
            earlier = changes.get(path)
            before = _text(path) if earlier is None else earlier.before
            now = (before or "") if earlier is None else earlier.after
            others = (before or "") if earlier is None else earlier.others
            if remove and before is None:
                continue
            try:
                after = (target.take if remove else target.put)(now)
                others = target.take(others)
            except BadInput as error:
                raise BadInput(f"cannot edit {path}: {error.message}", error.hint) from None
            if remove:
                after = _as_it_was(path, after)
            named = [] if earlier is None else [earlier.what]
            if target.what not in OPTIONAL or after != now or earlier is None:
                named.append(target.what)
            changes[path] = Change(
                agent,
                ", ".join(named),
                path,
                before,
                after,
                others,
                os.path.realpath(place.base),
                place.scope != PROJECT,
                remove,
            )
    return list(changes.values())


def make(changes: Sequence[Change]) -> list[Change]:
    """Writes what differs; what was there first is kept beside it. The changes made."""
    made = []
    for change in changes:
        if not change.differs:
            continue
        if _text(change.path) != change.before:
            raise Refused(f"{change.path} was changed meanwhile", "run it again")
        if change.after:
            _keep_copy(change)
            _write(change.path, change.after, private=change.private)
        else:
            os.unlink(change.path)
        _drop_copy(change)
        _drop_empty_folders(change)
        made.append(change)
    return made


def _real(path: str, place: Place) -> str:
    """The file behind a path: settings are often links to a repository of dotfiles. In a project,
    which is not trusted, a link that leads out of it is refused."""
    real = os.path.realpath(path)
    if place.scope == PROJECT:
        root = os.path.realpath(place.project)
        if not real.startswith(root.rstrip(os.sep) + os.sep):
            raise Refused(f"{path} leads out of the project", "remove the link, or use --user")
    return real


def _text(path: str) -> str | None:
    try:
        with open(path, encoding="utf-8", newline="") as file:
            text = file.read(LARGEST + 1)
    except FileNotFoundError:
        return None
    except UnicodeDecodeError:
        raise BadInput(f"cannot edit {path}: it is not UTF-8", "mend it first") from None
    if len(text) > LARGEST:
        raise BadInput(f"cannot edit {path}: it is too large", "add the entry by hand")
    return text


def _keep_copy(change: Change) -> None:
    """The file as it was before recairn first touched it; one that is all ours needs no copy."""
    copy = change.path + _BACKUP
    kept = change.removing or os.path.lexists(copy)
    if change.before is not None and change.others and not kept:
        _write(copy, change.before, like=change.path)


def _as_it_was(path: str, after: str) -> str:
    """The text of the copy, byte by byte, where it says the same as what is left."""
    copy = path + _BACKUP
    if os.path.islink(copy) or not os.path.isfile(copy):
        return after
    original = _text(copy) or ""
    return original if same_meaning(original, after) else after


def _drop_copy(change: Change) -> None:
    """Once recairn is out of the file, or the file again what it was, the copy has served.

    It holds what the file held, accounts and keys too: it must not outlive its use.
    """
    copy = change.path + _BACKUP
    if not os.path.isfile(copy) or os.path.islink(copy):
        return
    if change.removing or _text(copy) == change.after:
        os.unlink(copy)


def _drop_empty_folders(change: Change) -> None:
    """The folders below the base that only the removed file kept from being empty."""
    folder = os.path.dirname(change.path)
    while change.removing and folder.startswith(change.base.rstrip(os.sep) + os.sep):
        try:
            os.rmdir(folder)
        except OSError:
            return
        folder = os.path.dirname(folder)


def _write(path: str, text: str, *, private: bool = False, like: str | None = None) -> None:
    from recairn.host.files import write_lines

    os.makedirs(os.path.dirname(path), exist_ok=True)
    write_lines(path, [text], private=private and not os.path.exists(path), like=like)
