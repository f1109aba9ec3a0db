"""Whether each profile finds what is asked for in its own words, where old and new lie together.

Formulas that weigh age as much as relevance put what came in yesterday before what is meant. Every
memory older than a month is asked for by its first words, beside whatever is newer.
"""

from __future__ import annotations

import os

from recairn.core.record import record
from recairn.core.times import DAY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from recairn.core.model import Memory
    from recairn.engine import Recairn

# Words of a memory that are asked. Fewer than three mean too many things.
_ASKED, _FEWEST = 8, 3
# What is older gets nothing from tx for being new.
_OLD = 30 * DAY
_LOOKED_AT = 3


@record
class Trial:
    """What a profile made of the questions: how often the memory was the first answer, or among
    three, how often there was none, and the highest score of all."""

    profile: str
    first: int
    among_three: int
    silent: int
    highest: float


def fill_from(memory: Recairn, folder: str) -> None:
    """Takes in the documents of a question set, or else all that can be imported from a folder."""
    from recairn.surfaces.bench.datasets import Dataset, documents_in, has_documents
    from recairn.surfaces.bench.run import fill

    if has_documents(folder):
        fill(memory, Dataset(folder, documents_in(folder), []), lambda done, total: None)
        return
    from recairn.sources import SOURCES, source_named
    from recairn.sources.readers.files import is_inside

    root = os.path.realpath(folder)
    for name in SOURCES:
        if any(is_inside(root, path) for path in source_named(name).find(folder)):
            memory.import_from(folder, name)


def old_ones(memory: Recairn, now: int) -> list[Memory]:
    """The living memories older than a month that have words enough to be asked for."""
    return [
        stored
        for stored in memory.every_memory()
        if now - stored.created_at > _OLD
        and stored.deleted_at is None
        and stored.valid_until is None
        and len(_question(stored).split()) >= _FEWEST
    ]


def tried(memory: Recairn, sought: Sequence[Memory], profile: str) -> Trial:
    """Every memory sought by its first words. Of several that begin alike each is as good."""
    first = among_three = silent = 0
    highest = 0.0
    for wanted in sought:
        question = _question(wanted)
        scope = {"project": wanted.project} if wanted.project else {"all_projects": True}
        hits = memory.search(question, profile=profile, track=False, **scope).hits
        right = [_question(hit.memory) == question for hit in hits[:_LOOKED_AT]]
        first += right[:1] == [True]
        among_three += any(right)
        silent += not hits
        highest = max([highest, *(hit.score for hit in hits)])
    return Trial(profile, first, among_three, silent, highest)


def _question(memory: Memory) -> str:
    return " ".join(memory.content.split()[:_ASKED])
