"""The contract every store keeps. Engines promise behaviour, not SQL; they never fuse or weigh.

Only type checkers import this module; the promises are tested by one suite that names no engine.
"""

from __future__ import annotations

from typing import Protocol

from recairn.store.contract.documents import Documents
from recairn.store.contract.edges import Edges
from recairn.store.contract.exchange import Exchange
from recairn.store.contract.feed import Feed
from recairn.store.contract.history import History
from recairn.store.contract.imports import Imports
from recairn.store.contract.ledger import Ledger
from recairn.store.contract.listings import Listings
from recairn.store.contract.logs import Logs
from recairn.store.contract.look_alikes import LookAlikes
from recairn.store.contract.memories import Memories
from recairn.store.contract.outbox import Outbox
from recairn.store.contract.project_contents import ProjectContents
from recairn.store.contract.projects import Places, Projects
from recairn.store.contract.recall import Recall
from recairn.store.contract.replicas import Replicas
from recairn.store.contract.sessions import Sessions
from recairn.store.contract.settings import Settings
from recairn.store.contract.sharing import Shared
from recairn.store.contract.tasks import Tasks
from recairn.store.contract.text_index import TextIndex
from recairn.store.contract.traces import Traces
from recairn.store.contract.upkeep import Upkeep
from recairn.store.contract.vector_index import VectorIndex


class Store(
    Memories,
    Listings,
    History,
    LookAlikes,
    Recall,
    TextIndex,
    VectorIndex,
    Edges,
    Sessions,
    Shared,
    Tasks,
    Ledger,
    Logs,
    Traces,
    Documents,
    Imports,
    Settings,
    Places,
    Projects,
    ProjectContents,
    Exchange,
    Replicas,
    Outbox,
    Feed,
    Upkeep,
    Protocol,
):
    """All of it: what one open memory stands on."""
