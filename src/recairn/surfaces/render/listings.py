"""How many memories were made when, as JSON."""

from __future__ import annotations

from recairn.core.times import iso

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from recairn.recall.listings import Histogram


def histogram_json(made: Histogram) -> dict[str, Any]:
    """The bins that hold something, oldest first, each with the time it begins at."""
    bins = [{"start": iso(each.start), "count": each.count} for each in made.bins]
    return {"by": made.by, "total": made.total, "bins": bins}
