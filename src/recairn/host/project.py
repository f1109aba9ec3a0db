"""Which project a folder belongs to, and where its database lies."""

from __future__ import annotations

import os

from recairn.core.errors import BadInput
from recairn.core.guard.log_text import plain_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recairn.host.trust import Trust

_OWN_FOLDER = ".recairn"
_DATABASE = "memory.db"
_OWN_PATH = f"{os.sep}{_OWN_FOLDER}{os.sep}{_DATABASE}"
# Characters; no folder has a longer name.
_LONGEST_NAME = 255


def root_of(folder: str) -> str | None:
    """The nearest folder upward that is a git checkout or holds `.recairn`; None outside any."""
    here = os.path.abspath(folder)
    while True:
        if os.path.exists(os.path.join(here, ".git")) or os.path.isdir(
            os.path.join(here, _OWN_FOLDER)
        ):
            return here
        above = os.path.dirname(here)
        if above == here:
            return None
        here = above


def detect(folder: str) -> str:
    """The project's name: that of its main checkout, so that all worktrees share one memory."""
    name = os.environ.get("RECAIRN_PROJECT")
    return one_name(name) if name is not None else project_of(folder)


def project_of(folder: str) -> str:
    """The project a folder belongs to, whatever the environment says; "" outside any."""
    root = root_of(folder)
    return "" if root is None else one_name(os.path.basename(_main_checkout(root)))


def one_name(name: str) -> str:
    """A project's name as it is kept: one line of text, though a folder may be named otherwise."""
    if not isinstance(name, str):
        raise BadInput(f"project must be text, got {type(name).__name__}")
    if len(name) > _LONGEST_NAME:
        raise BadInput(
            f"project has {len(name):,} characters, {_LONGEST_NAME} at most", "shorten it"
        )
    if not name.isascii():
        from recairn.core.words import as_utf8

        name = as_utf8(name)
    return plain_name(" ".join(name.split()))


def _main_checkout(root: str) -> str:
    """The checkout a linked worktree belongs to: its `.git` is a file that names the real one."""
    marker = os.path.join(root, ".git")
    if not os.path.isfile(marker):
        return root
    from recairn.host.plain_file import first_line

    target = first_line(marker).removeprefix("gitdir:").strip()
    main, is_linked, _ = os.path.join(root, target).partition("/.git/worktrees/")
    return os.path.normpath(main) if is_linked else root


def is_address(path: str) -> bool:
    """Whether a path is none, but the address of a store elsewhere."""
    if "://" not in path:
        return False
    from recairn.core.address import scheme_of

    return bool(scheme_of(path))


class DatabaseChoice:
    """The database to use. `trust` is the user's word on one that lies in a checkout; one that has
    none is `passed_over`."""

    __slots__ = ("passed_over", "path", "trust")

    def __init__(self, path: str, trust: Trust | None = None, passed_over: str = "") -> None:
        self.path = path
        self.trust = trust
        self.passed_over = passed_over


def chosen_database(path: str | None, folder: str) -> DatabaseChoice:
    """The database to use: that path, RECAIRN_DB, the project's own if trusted, the user's one."""
    path = path or os.environ.get("RECAIRN_DB")
    if path and is_address(path):
        return DatabaseChoice(path)
    if path:
        path = _spellable(os.path.abspath(os.path.expanduser(path)))
        return DatabaseChoice(path, _trust_of(path) if is_project_database(path) else None)
    own = project_database(folder)
    if own is None:
        return DatabaseChoice(users_database())
    trust = _trust_of(own)
    if trust is None:
        return DatabaseChoice(users_database(), passed_over=own)
    return DatabaseChoice(_spellable(own), trust)


def _trust_of(path: str) -> Trust | None:
    from recairn.host.trust import TrustFile

    return TrustFile(data_folder()).trust_of(path)


def database_path(path: str | None, folder: str) -> str:
    """The path of the database to use."""
    return chosen_database(path, folder).path


def project_database(folder: str) -> str | None:
    """The database that the checkout of a folder keeps for itself, trusted or not."""
    root = root_of(folder)
    if root is None:
        return None
    own = os.path.join(root, _OWN_FOLDER, _DATABASE)
    return own if os.path.exists(own) else None


def is_project_database(path: str) -> bool:
    """Whether a checkout would keep its own database at such a path."""
    return path.endswith(_OWN_PATH)


def users_database() -> str:
    """The one database of the user for all projects that keep none of their own."""
    return _spellable(os.path.join(data_folder(), _DATABASE))


def _spellable(path: str) -> str:
    """The same path; BadInput for one that SQLite, which knows UTF-8 alone, cannot open."""
    try:
        path.encode()
    except UnicodeEncodeError:
        raise BadInput(
            f"the path of the database is not UTF-8: {ascii(path)[1:-1]}",
            "name another file with --db or RECAIRN_DB",
        ) from None
    return path


def existing_database(folder: str) -> DatabaseChoice | None:
    """The database to use from a folder, if there is one; an empty file is none."""
    choice = chosen_database(None, folder)
    try:
        return choice if is_there(choice.path) else None
    except OSError:
        return None


def is_there(path: str) -> bool:
    """Whether there is a database at a path, or an address names one; an empty file is none.

    OSError where nobody can tell.
    """
    try:
        return is_address(path) or os.stat(path).st_size > 0
    except FileNotFoundError:
        return False


def data_folder() -> str:
    """Where recairn keeps what belongs to the user: `$XDG_DATA_HOME/recairn`."""
    base = os.environ.get("XDG_DATA_HOME") or os.path.expanduser("~/.local/share")
    return os.path.join(base, "recairn")


def models_folder() -> str:
    """Where pulled embedding models lie, for all databases of the user."""
    return os.environ.get("RECAIRN_MODELS") or os.path.join(data_folder(), "models")
