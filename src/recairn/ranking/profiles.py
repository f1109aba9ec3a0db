"""Profiles: named sets of weights over signals. Data, never an `if`."""

from __future__ import annotations

from recairn.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


@record
class Weight:
    """How much a signal counts, and how it enters (see `Term`)."""

    weight: float
    effect: str = "add"


@record
class Profile:
    name: str
    weights: Mapping[str, Weight]


# Time, use and outcome tilt a score by at most half their weight: they order equals and never bury
# a relevant old memory.
DEFAULT = Profile(
    "default",
    {
        "keyword": Weight(0.5),
        "semantic": Weight(0.5),
        "recency": Weight(0.1, "tilt"),
        "freshness": Weight(0.04, "tilt"),
        "frequency": Weight(0.04, "tilt"),
        "salience": Weight(0.06, "tilt"),
        "importance": Weight(0.1, "tilt"),
        "confidence": Weight(0.04, "tilt"),
        "outcome": Weight(0.2, "tilt"),
        "project": Weight(0.2, "gate"),
        "current": Weight(0.5, "gate"),
    },
)

PROFILES = {DEFAULT.name: DEFAULT}
