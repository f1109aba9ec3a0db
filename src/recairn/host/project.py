"""Where a process stands: the project of its folder, the database there, and who types."""

from __future__ import annotations

import os

from recairn.core.errors import BadInput
from recairn.core.guard import clean_text, plain_name
from recairn.host.data_folder import data_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recairn.host.trust import Trust


_OWN_FOLDER = ".recairn"
_DATABASE = "memory.db"
_OWN_PATH = f"{os.sep}{_OWN_FOLDER}{os.sep}{_DATABASE}"
# Characters; no folder has a longer name.
_LONGEST_NAME = 255
# What marks a place.
CHECKOUT, FOLDER = "checkout", "folder"
# Bits of a mode: the kind of a file, a folder, a plain file; that everybody may write.
_KIND, _FOLDER_KIND, _FILE_KIND = 0o170000, 0o040000, 0o100000
_OTHERS_WRITE = 0o002
# Files of a git folder as old as itself: git never writes the first one again, the second rarely.
_UNCHANGING = ("description", "config")

# What agents set to the session that a command or server of theirs runs in.
AGENT_SESSIONS = ("CLAUDE_CODE_SESSION_ID", "CODEX_THREAD_ID", "COPILOT_AGENT_SESSION_ID")


def session_here() -> str | None:
    """The session of the agent whose shell or server this is; None where it does not say."""
    for variable in AGENT_SESSIONS:
        if os.environ.get(variable):
            return os.environ[variable]
    return None


def root_of(folder: str) -> str | None:
    """The nearest folder upward that is a git checkout or holds `.recairn`; None outside any.

    What somebody else has put into a folder that is not theirs decides nothing. A `.recairn` in the
    home folder, or in `/`, is for whoever stands right there: not everything below is one project.
    """
    start = here = os.path.abspath(folder)
    while True:
        if os.path.exists(os.path.join(here, ".git")) and _is_of_here(here):
            return here
        if (
            os.path.isdir(os.path.join(here, _OWN_FOLDER))
            and _is_ours(os.path.join(here, _OWN_FOLDER))
            and (here == start or not _holds_everything(here))
        ):
            return here
        above = os.path.dirname(here)
        if above == here:
            return None
        here = above


def _is_of_here(folder: str) -> bool:
    """Whether the `.git` of a folder is of whom the folder is, of root, or of us."""
    try:
        owner = os.lstat(os.path.join(folder, ".git")).st_uid
        return owner in (os.geteuid(), 0) or owner == os.stat(folder).st_uid
    except OSError:
        return False


def _is_ours(path: str) -> bool:
    try:
        return os.lstat(path).st_uid == os.geteuid()
    except OSError:
        return False


def _holds_everything(folder: str) -> bool:
    """Whether all of a user's folders, or everybody's, lie below: nothing there is one project."""
    if folder == os.sep or folder == os.path.realpath(os.path.expanduser("~")):
        return True
    try:
        return bool(os.stat(folder).st_mode & _OTHERS_WRITE)
    except OSError:
        return True


class Place:
    """Where somebody stands, by marks that a database may know.

    `kind` says what marks: a "checkout" has one key, that of the git folder that its work trees
    share; a plain "folder" has its own and those of the folders above. `root` is where the project
    begins, `inside` the way from there to the folder.
    """

    __slots__ = ("common", "folder", "keys", "kind", "root")

    def __init__(self, kind: str, keys: tuple[str, ...], root: str, common: str) -> None:
        self.kind = kind
        self.keys = keys
        self.root = root
        self.common = common
        self.folder = root

    def inside(self, root: str) -> str:
        """The way from a folder above to where somebody stands; "" right there."""
        return "" if root == self.folder else os.path.relpath(self.folder, root)


def place_of(folder: str) -> Place:
    """Where a folder is, without asking git: two looks at files in an ordinary checkout."""
    here = os.path.realpath(folder)
    root = root_of(here)
    common = "" if root is None else _common_folder(root)
    if root is None or not common:
        place = Place(FOLDER, _folder_keys(here), root or here, "")
    else:
        place = Place(CHECKOUT, (_stamped(common),), root, common)
    place.folder = here
    return place


def _common_folder(root: str) -> str:
    """The git folder that all work trees share; "" where there is none that is the root's own."""
    marker = os.path.join(root, ".git")
    try:
        mode = os.lstat(marker).st_mode & _KIND
    except OSError:
        return ""
    if mode == _FOLDER_KIND:
        return marker
    if mode != _FILE_KIND:
        return ""
    from recairn.host.linked_folder import linked_folder

    return linked_folder(root)


def _stamped(common: str) -> str:
    """The path of a git folder, and what tells it from another one that is put in its place."""
    for name in _UNCHANGING:
        try:
            born = os.stat(os.path.join(common, name)).st_mtime_ns
            return mark_text(f"{common}#{os.stat(common).st_ino}-{born}")
        except OSError:
            continue
    return mark_text(f"{common}#")


def _folder_keys(here: str) -> tuple[str, ...]:
    """The folder and those above it, the nearest first; none above that holds everything."""
    keys, above = [here], os.path.dirname(here)
    while above != os.path.dirname(above):
        keys.append(above)
        above = os.path.dirname(above)
    return tuple(map(mark_text, keys))


def may_hold(folder: str) -> bool:
    """Whether a plain folder known as a project stands for what lies below it, too."""
    return not _holds_everything(folder)


def mark_text(path: str) -> str:
    """A path as a database can keep it."""
    if path.isascii():
        return path
    return os.fsencode(path).decode("utf-8", "backslashreplace")


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
    # As the write door cleans it, so that what was kept under a name is found under it.
    return plain_name(" ".join(clean_text(name).split()))


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


def database_above(folder: str) -> str | None:
    """The nearest database upward in a `.recairn`, whoever put it there and whatever it is for."""
    here, above = os.path.abspath(folder), ""
    while here != above:
        path = os.path.join(here, _OWN_FOLDER, _DATABASE)
        if os.path.lexists(path):
            return path
        here, above = os.path.dirname(here), here
    return None


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


def models_folder() -> str:
    """Where pulled embedding models lie, for all databases of the user."""
    return os.environ.get("RECAIRN_MODELS") or os.path.join(data_folder(), "models")


# What agents set for the commands they run; what only configures one is not among them.
_SIGNS = {
    "CLAUDECODE": "claude-code",
    "CODEX_THREAD_ID": "codex",
    "CODEX_CI": "codex",
    "CODEX_SANDBOX": "codex",
    "CODEX_SANDBOX_NETWORK_DISABLED": "codex",
    "GEMINI_CLI": "gemini",
    "OPENCODE": "opencode",
    "CURSOR_AGENT": "cursor",
    "COPILOT_CLI": "copilot",
    "COPILOT_AGENT": "copilot",
    "GOOSE_TERMINAL": "goose",
    "AMP_CURRENT_THREAD_ID": "amp",
}
# Those whose value is the agent's name: ours, and the one that several agents share.
_NAMING = ("RECAIRN_AGENT", "AI_AGENT")
VARIABLES = (*_NAMING, *_SIGNS, *AGENT_SESSIONS)


def author_here() -> str:
    """The author of what is typed in this environment. No variable says that it is a person."""
    from recairn.core.author import PERSON, agent_named

    for variable in _NAMING:
        name = os.environ.get(variable)
        if name:
            return agent_named(name)
    for variable, name in _SIGNS.items():
        if os.environ.get(variable):
            return agent_named(name)
    return PERSON
