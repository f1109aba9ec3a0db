"""A file that is one JSON value, read whole and with limits."""

from __future__ import annotations

from recairn.core.errors import BadInput
from recairn.sources.readers.files import refuse_constant, whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from recairn.sources.readers.files import Origin


def json_document(origin: Origin, most: int | None = None) -> Any:
    """The value; BadInput when it is too large, no JSON, nested too deeply, or holds NaN."""
    from json import loads

    try:
        text = origin.text() if most is None else origin.text(most)
        return whole(loads(text, parse_constant=refuse_constant), text.encode())
    except RecursionError:
        raise BadInput("nested too deeply") from None
    except ValueError as error:
        raise BadInput(f"not JSON: {str(error)[:100]}") from None
