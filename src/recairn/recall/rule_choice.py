"""Which rules fit the work, and which come first when there are more than there is room for."""

from __future__ import annotations

from recairn.core.record import replace
from recairn.recall.search import search

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from recairn.core.model import Memory
    from recairn.embed.index import Meaning
    from recairn.recall.context import ContextRequest
    from recairn.store.contract.base import Store


def by_fit(
    rules: Sequence[Memory], request: ContextRequest, store: Store, meaning: Meaning, *, now: int
) -> list[Memory]:
    """The rules with those first that are pinned, whose scope fits, that say most about the work.

    Later in a session, unasked, only the first two come of themselves: the reader got as many as
    there was room for when the session began, and the others are found like any memory.
    """
    if request.search.unasked and request.exclude:
        return [rule for rule in rules if rule.pinned or rule.scope]
    of_rules = replace(
        request.search,
        filter=request.rules,
        limit=len(rules),
        below_floor=True,
        unasked=False,
        counted=False,
    )
    hits = search(of_rules, store, meaning, now=now).hits
    fit = {hit.id: hit.score for hit in hits}
    # Stable: what nothing is known of keeps its order.
    return sorted(rules, key=lambda rule: (not rule.pinned, not rule.scope, -fit.get(rule.id, 0.0)))


def in_scope(rules: Sequence[Memory], request: ContextRequest) -> list[Memory]:
    """Those whose scope fits what the work names, or else what the checkout has changed."""
    from recairn.core.scopes import applies, files_in, words_of

    query = request.search.query
    files, names = (*request.files, *files_in(query)), words_of(query)
    fitting = {rule.id for rule in rules if applies(rule.scope, files, names)}
    if len(fitting) < len(rules):
        changed = request.changed_files()
        fitting |= {rule.id for rule in rules if applies(rule.scope, changed, frozenset())}
    return [rule for rule in rules if rule.id in fitting]
