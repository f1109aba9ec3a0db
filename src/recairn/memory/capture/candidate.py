"""What a rule found in a text, before a person decides about it."""

from __future__ import annotations

from recairn.core.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


@record
class Candidate:
    """Something worth keeping: its kind, its words, the fields it names, and the rule's name."""

    kind: str
    content: str
    fields: Mapping[str, object]
    rule: str
