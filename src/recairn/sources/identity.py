"""What a record is known by: its key, and a hash of what it says."""

from __future__ import annotations

from recairn.core.guard import plain_name
from recairn.core.record import as_tuple, replace
from recairn.sources.deferred_links import REPLACED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recairn.sources.format import Record


def record_hash(item: Record) -> str:
    """Equal while a record says the same, wherever in its source it stands."""
    from hashlib import blake2b

    retired = (item.retired,) if item.retired else ()
    text = "\x1f".join(map(str, (*as_tuple(item.draft), *item.links, *retired)))
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


def is_replaced(item: Record) -> bool:
    """Whether its source says that another record took its place."""
    return any(relation == REPLACED for relation, _ in item.links)


def without_secrets(item: Record) -> Record:
    """The record under a name that may be kept readable; its links follow."""
    key = plain_name(item.key)
    links = tuple((relation, plain_name(other)) for relation, other in item.links)
    if key == item.key and links == tuple(item.links):
        return item
    return replace(item, key=key, links=links)
