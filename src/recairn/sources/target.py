"""Where one run of an import writes, and how it writes many things of which some are refused."""

from __future__ import annotations

from recairn.core.errors import RecairnError, StoreError
from recairn.core.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeVar

    from recairn.core.author import Writer
    from recairn.core.model import Act
    from recairn.store.contract.base import Store

    Item = TypeVar("Item")

# Things written in one transaction: others wait for it about half a second.
BATCH = 1000


@record
class Former:
    """Another name under which rows of the same records are kept.

    They are taken over from a place that is no more: the `whole` of them where it was this very
    one, else those that are met; of a place that is still there they are a `copy`.
    """

    origin: str
    whole: bool = False
    copy: bool = False


@record
class Target:
    """The store, in whose name, and for which project.

    `where` is (source, origin): the names under which the rows of the run are kept; what is not
    found there may be kept under one of the `former` origins, and what lies `beside` can be linked
    to. Origins are told from the folder `root` on. `writer` is the author of what comes. `allow` is
    what the user declared not to be a secret.
    """

    store: Store
    act: Act
    where: tuple[str, str]
    project: str
    writer: Writer
    allow: Sequence[str] = ()
    root: str = ""
    former: Sequence[Former] = ()
    beside: Sequence[str] = ()


def write_all(
    store: Store,
    items: Sequence[Item],
    write: Callable[[Item], None],
    keep: Callable[[Sequence[Item]], None] = lambda written: None,
) -> list[tuple[Item, str]]:
    """Writes all items in few transactions; those that were refused come back, with the reason.

    A refusal undoes its transaction, so the items of one that failed are written each by itself.
    `keep` is called, inside the transaction, with those that were written.
    """
    refused = []
    for start in range(0, len(items), BATCH):
        part = items[start : start + BATCH]
        try:
            with store.transaction():
                for item in part:
                    write(item)
                keep(part)
        except StoreError:
            raise
        except RecairnError:
            for item in part:
                try:
                    with store.transaction():
                        write(item)
                        keep([item])
                except StoreError:
                    raise
                except RecairnError as error:
                    refused.append((item, error.message))
    return refused
