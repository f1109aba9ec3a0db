"""The database of a checkout: opened only as the one the user trusts, and made known as that."""

from __future__ import annotations

import os

from recairn import store as stores
from recairn.core.errors import RecairnError, Refused
from recairn.host.data_folder import data_folder
from recairn.host.project import DatabaseChoice, is_project_database, users_database
from recairn.host.trust import PersonalSettings, TrustFile, doubt, objection

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    from recairn.host.trust import Trust
    from recairn.store.contract.base import Store

    T = TypeVar("T")

# Bytes; nobody guesses so many.
_SEAL_BYTES = 16
_OWNER_ALONE = 0o600


def trust_file() -> TrustFile:
    """What this user trusts."""
    return TrustFile(data_folder())


def as_trusted(store: Store, trust: Trust) -> bool:
    """Whether an open database bears the seal it was trusted with; a person's settings are then
    those of this machine, else it is closed."""
    if store.seal() == trust.seal:
        store.personal = PersonalSettings(trust_file(), trust)
        return True
    store.close()
    return False


def instead(choice: DatabaseChoice, *, typed: bool) -> DatabaseChoice:
    """What to open in the place of a database that does not bear its seal: what a person typed is
    theirs to open, and else it is the user's own."""
    if typed:
        return DatabaseChoice(choice.path)
    return DatabaseChoice(users_database(), passed_over=choice.path)


def doubt_of(trust: Trust) -> str:
    """Why a trusted database is not used, its seal included; "" when it is."""
    why = doubt(trust)
    if why:
        return why
    try:
        store = stores.open(trust.path, read_only=True)
        seal = store.seal()
        store.close()
    except RecairnError as error:
        return error.message
    return "" if seal == trust.seal else f"{trust.path} is another one than was trusted"


def guard(path: str) -> None:
    """Refused for a database that others could change."""
    why = objection(path)
    if why:
        raise Refused(f"{path} is not used: {why}", _way_out(path, why))


def trust_database(path: str, at: int) -> Trust:
    """Seals a database and remembers it; Refused where others could change it."""
    guard(path)
    os.chmod(path, _OWNER_ALONE)
    store = stores.open(path)
    try:
        with store.transaction():
            seal = _sealed(store)
    finally:
        store.close()
    return trust_file().remember(path, seal, at)


def trust_new(store: Store, path: str, at: int) -> None:
    """Trusts a database that was made here this moment, where nobody else can write it."""
    if objection(path):
        return
    with store.transaction():
        # Another process may have made it, and be about to remember its seal.
        seal = store.seal() or _sealed(store)
    file = trust_file()
    store.personal = PersonalSettings(file, file.remember(path, seal, at))


def _sealed(store: Store) -> str:
    seal = os.urandom(_SEAL_BYTES).hex()
    store.set_seal(seal)
    return seal


def still_trusted(path: str, replacement: Callable[[], T]) -> T:
    """What puts another file in the place of a database at the user's wish: a trusted one stays
    so."""
    trust = trust_file().trust_of(path) if is_project_database(path) else None
    answer = replacement()
    if trust is not None:
        trust_database(path, trust.since)
    return answer


def _way_out(path: str, why: str) -> str:
    if "can be written by others" in why:
        from shlex import quote

        folder = os.path.dirname(path)
        return f"chmod go-w {quote(os.path.dirname(folder))} {quote(folder)} {quote(path)}"
    return "recairn import takes in what somebody exported; --db opens any file you name"
