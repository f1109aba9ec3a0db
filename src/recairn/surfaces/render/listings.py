"""How many memories were made when, as JSON."""

from __future__ import annotations

from recairn.core.times import iso

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from recairn.recall.listings import Histogram


def histogram_json(histogram: Histogram) -> dict[str, Any]:
    """The bins that hold something, oldest first, each with the time it begins at."""
    bins = [{"start": iso(part.start), "count": part.count} for part in histogram.bins]
    return {"by": histogram.by, "total": histogram.total, "bins": bins}
