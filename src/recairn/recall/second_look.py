"""The second look: a reranker reads the question together with the best candidates' texts."""

from __future__ import annotations

import time

from recairn.core.errors import RecairnError
from recairn.core.memory_text import whole_text
from recairn.ranking.rerank import reranked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from recairn.embed.protocol import Reranker
    from recairn.ranking.score import Scored
    from recairn.store.contract.base import Store


def second_look(
    ranking: Sequence[Scored],
    question: str,
    load: Callable[[], Reranker],
    store: Store,
    patience: float,
) -> tuple[Sequence[Scored], str]:
    """The ranking as the reranker would have it, and what there is to tell about it.

    It may take so many seconds once it is loaded, which a process does once: what it has not read
    by then stays where it is, behind. A reranker that fails changes nothing.
    """
    if len(ranking) < 2:
        return ranking, ""
    try:
        reranker = load()
        until = time.monotonic() + patience
        memories = store.get_many([scored.facts.id for scored in ranking])
        found = [memories.get(scored.facts.id) for scored in ranking]
        # One that another process has erased since has no text to be read.
        texts = ["" if memory is None else whole_text(memory) for memory in found]
        said = reranker.scores(question, texts, until)
    except RecairnError as error:
        hint = f"; {error.hint}" if error.hint else ""
        return ranking, f"not reranked: {error.message}{hint}"
    if len(said) < 2:
        return ranking, f"not reranked: that would have taken more than {patience:g} s"
    return reranked(ranking, said, reranker.weight), ""
