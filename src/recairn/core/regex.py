"""Regular expressions compiled at first use: `re` alone is a tenth of a cold search."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re

_compiled: dict[str, re.Pattern[str]] = {}


def compiled(source: str) -> re.Pattern[str]:
    """The pattern; a process that never asks for one imports nothing."""
    pattern = _compiled.get(source)
    if pattern is None:
        import re

        pattern = _compiled[source] = re.compile(source)
    return pattern
