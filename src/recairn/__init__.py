"""recairn: the long-term memory that a developer's AI coding agents share.

Its names are those of the engine's methods' types and of all errors; `python3 run.py fix` writes
the three lists of them.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from recairn.core.errors import (
        Ambiguous,
        BadInput,
        BadOption,
        Conflict,
        EngineTooOld,
        ModelFailed,
        ModelMissing,
        NotFound,
        OtherProject,
        RecairnError,
        Refused,
        SchemaTooNew,
        StoreAbsent,
        StoreBusy,
        StoreDamaged,
        StoreError,
        StoreFull,
        StoreReadOnly,
    )
    from recairn.core.model import (
        Draft,
        Edge,
        Event,
        Filter,
        Hit,
        Memory,
        Remembered,
        SearchMeta,
        SearchResult,
        Similar,
        Term,
    )
    from recairn.core.report import Problem, Report
    from recairn.engine import Recairn
    from recairn.engine import open_memory as open
    from recairn.engine.exchange import MirrorPull, MirrorState, Move
    from recairn.engine.models import Embedded, ModelInfo, RerankerInfo
    from recairn.engine.overview import Health, MirrorFolder
    from recairn.host.git import GitState
    from recairn.host.team_file import Team
    from recairn.memory.branches import Branch
    from recairn.memory.consolidate import Cluster, Consolidated
    from recairn.memory.erasure import Erased
    from recairn.memory.journal import Journal
    from recairn.memory.staleness import Stale
    from recairn.memory.undo import Undone
    from recairn.recall.context import ContextResult
    from recairn.recall.graph_search import Neighbourhood, Node, Related, Way
    from recairn.recall.listings import Bin, Histogram, Page
    from recairn.recall.pinned_files import Pinned
    from recairn.recall.query_log import Missed
    from recairn.recall.reminder import Reminder
    from recairn.recall.rules_in_force import RuleInForce, RulesInForce
    from recairn.recall.tune import Tuned
    from recairn.recall.walks import Link
    from recairn.sources.documents.collection import DocumentChanges
    from recairn.sources.format import ImportSummary, Omission
    from recairn.store.member_rows import DeviceRow, MemberRow, Sharing
    from recairn.store.memory_rows import Label
    from recairn.store.project_rows import ProjectChange
    from recairn.store.upkeep_rows import BackupInfo, Finding
    from recairn.store.work_rows import (
        Document,
        Evidence,
        HandOutRow,
        LastHook,
        LedgerRow,
        Miss,
        Session,
        Task,
    )
    from recairn.sync.entry import Fault
    from recairn.sync.receive import Receipt
    from recairn.work.compaction import Compacted
    from recairn.work.handoff import Resumed
    from recairn.work.outcomes import Observed
    from recairn.work.projects import Project, ProjectMove
    from recairn.work.sessions import Ended, SessionContext, Timeline
    from recairn.work.turns import HandedOut, LeftOut, Turn

__version__ = "0.1.0"

__all__ = [
    "Ambiguous",
    "BackupInfo",
    "BadInput",
    "BadOption",
    "Bin",
    "Branch",
    "Cluster",
    "Compacted",
    "Conflict",
    "Consolidated",
    "ContextResult",
    "DeviceRow",
    "Document",
    "DocumentChanges",
    "Draft",
    "Edge",
    "Embedded",
    "Ended",
    "EngineTooOld",
    "Erased",
    "Event",
    "Evidence",
    "Fault",
    "Filter",
    "Finding",
    "GitState",
    "HandOutRow",
    "HandedOut",
    "Health",
    "Histogram",
    "Hit",
    "ImportSummary",
    "Journal",
    "Label",
    "LastHook",
    "LedgerRow",
    "LeftOut",
    "Link",
    "MemberRow",
    "Memory",
    "MirrorFolder",
    "MirrorPull",
    "MirrorState",
    "Miss",
    "Missed",
    "ModelFailed",
    "ModelInfo",
    "ModelMissing",
    "Move",
    "Neighbourhood",
    "Node",
    "NotFound",
    "Observed",
    "Omission",
    "OtherProject",
    "Page",
    "Pinned",
    "Problem",
    "Project",
    "ProjectChange",
    "ProjectMove",
    "Recairn",
    "RecairnError",
    "Receipt",
    "Refused",
    "Related",
    "Remembered",
    "Reminder",
    "Report",
    "RerankerInfo",
    "Resumed",
    "RuleInForce",
    "RulesInForce",
    "SchemaTooNew",
    "SearchMeta",
    "SearchResult",
    "Session",
    "SessionContext",
    "Sharing",
    "Similar",
    "Stale",
    "StoreAbsent",
    "StoreBusy",
    "StoreDamaged",
    "StoreError",
    "StoreFull",
    "StoreReadOnly",
    "Task",
    "Team",
    "Term",
    "Timeline",
    "Tuned",
    "Turn",
    "Undone",
    "Way",
    "open",
]

_HOMES = {
    "Ambiguous": "recairn.core.errors:Ambiguous",
    "BackupInfo": "recairn.store.upkeep_rows:BackupInfo",
    "BadInput": "recairn.core.errors:BadInput",
    "BadOption": "recairn.core.errors:BadOption",
    "Bin": "recairn.recall.listings:Bin",
    "Branch": "recairn.memory.branches:Branch",
    "Cluster": "recairn.memory.consolidate:Cluster",
    "Compacted": "recairn.work.compaction:Compacted",
    "Conflict": "recairn.core.errors:Conflict",
    "Consolidated": "recairn.memory.consolidate:Consolidated",
    "ContextResult": "recairn.recall.context:ContextResult",
    "DeviceRow": "recairn.store.member_rows:DeviceRow",
    "Document": "recairn.store.work_rows:Document",
    "DocumentChanges": "recairn.sources.documents.collection:DocumentChanges",
    "Draft": "recairn.core.model:Draft",
    "Edge": "recairn.core.model:Edge",
    "Embedded": "recairn.engine.models:Embedded",
    "Ended": "recairn.work.sessions:Ended",
    "EngineTooOld": "recairn.core.errors:EngineTooOld",
    "Erased": "recairn.memory.erasure:Erased",
    "Event": "recairn.core.model:Event",
    "Evidence": "recairn.store.work_rows:Evidence",
    "Fault": "recairn.sync.entry:Fault",
    "Filter": "recairn.core.model:Filter",
    "Finding": "recairn.store.upkeep_rows:Finding",
    "GitState": "recairn.host.git:GitState",
    "HandOutRow": "recairn.store.work_rows:HandOutRow",
    "HandedOut": "recairn.work.turns:HandedOut",
    "Health": "recairn.engine.overview:Health",
    "Histogram": "recairn.recall.listings:Histogram",
    "Hit": "recairn.core.model:Hit",
    "ImportSummary": "recairn.sources.format:ImportSummary",
    "Journal": "recairn.memory.journal:Journal",
    "Label": "recairn.store.memory_rows:Label",
    "LastHook": "recairn.store.work_rows:LastHook",
    "LedgerRow": "recairn.store.work_rows:LedgerRow",
    "LeftOut": "recairn.work.turns:LeftOut",
    "Link": "recairn.recall.walks:Link",
    "MemberRow": "recairn.store.member_rows:MemberRow",
    "Memory": "recairn.core.model:Memory",
    "MirrorFolder": "recairn.engine.overview:MirrorFolder",
    "MirrorPull": "recairn.engine.exchange:MirrorPull",
    "MirrorState": "recairn.engine.exchange:MirrorState",
    "Miss": "recairn.store.work_rows:Miss",
    "Missed": "recairn.recall.query_log:Missed",
    "ModelFailed": "recairn.core.errors:ModelFailed",
    "ModelInfo": "recairn.engine.models:ModelInfo",
    "ModelMissing": "recairn.core.errors:ModelMissing",
    "Move": "recairn.engine.exchange:Move",
    "Neighbourhood": "recairn.recall.graph_search:Neighbourhood",
    "Node": "recairn.recall.graph_search:Node",
    "NotFound": "recairn.core.errors:NotFound",
    "Observed": "recairn.work.outcomes:Observed",
    "Omission": "recairn.sources.format:Omission",
    "OtherProject": "recairn.core.errors:OtherProject",
    "Page": "recairn.recall.listings:Page",
    "Pinned": "recairn.recall.pinned_files:Pinned",
    "Problem": "recairn.core.report:Problem",
    "Project": "recairn.work.projects:Project",
    "ProjectChange": "recairn.store.project_rows:ProjectChange",
    "ProjectMove": "recairn.work.projects:ProjectMove",
    "Recairn": "recairn.engine:Recairn",
    "RecairnError": "recairn.core.errors:RecairnError",
    "Receipt": "recairn.sync.receive:Receipt",
    "Refused": "recairn.core.errors:Refused",
    "Related": "recairn.recall.graph_search:Related",
    "Remembered": "recairn.core.model:Remembered",
    "Reminder": "recairn.recall.reminder:Reminder",
    "Report": "recairn.core.report:Report",
    "RerankerInfo": "recairn.engine.models:RerankerInfo",
    "Resumed": "recairn.work.handoff:Resumed",
    "RuleInForce": "recairn.recall.rules_in_force:RuleInForce",
    "RulesInForce": "recairn.recall.rules_in_force:RulesInForce",
    "SchemaTooNew": "recairn.core.errors:SchemaTooNew",
    "SearchMeta": "recairn.core.model:SearchMeta",
    "SearchResult": "recairn.core.model:SearchResult",
    "Session": "recairn.store.work_rows:Session",
    "SessionContext": "recairn.work.sessions:SessionContext",
    "Sharing": "recairn.store.member_rows:Sharing",
    "Similar": "recairn.core.model:Similar",
    "Stale": "recairn.memory.staleness:Stale",
    "StoreAbsent": "recairn.core.errors:StoreAbsent",
    "StoreBusy": "recairn.core.errors:StoreBusy",
    "StoreDamaged": "recairn.core.errors:StoreDamaged",
    "StoreError": "recairn.core.errors:StoreError",
    "StoreFull": "recairn.core.errors:StoreFull",
    "StoreReadOnly": "recairn.core.errors:StoreReadOnly",
    "Task": "recairn.store.work_rows:Task",
    "Team": "recairn.host.team_file:Team",
    "Term": "recairn.core.model:Term",
    "Timeline": "recairn.work.sessions:Timeline",
    "Tuned": "recairn.recall.tune:Tuned",
    "Turn": "recairn.work.turns:Turn",
    "Undone": "recairn.memory.undo:Undone",
    "Way": "recairn.recall.graph_search:Way",
    "open": "recairn.engine:open_memory",
}


def __getattr__(name: str) -> Any:
    """Loads a public name on first use, so that `import recairn` costs next to nothing."""
    if name not in _HOMES:
        raise AttributeError(f"module 'recairn' has no attribute {name!r}")
    from recairn.core.lazy import load

    return load(_HOMES[name])
