"""What text must pass at the door: Unicode clean-up, secret redaction, and safe output.

Pure functions without clock or files. `clean_text` then `redact` run on everything that is
written; `safe_for_terminal` runs on everything that is shown, because a memory may come from an
older database or another program's export.
"""

from __future__ import annotations

from recairn.core.guard.characters import clean_text, safe_for_terminal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["clean_text", "redact", "safe_for_terminal"]


def redact(text: str, allow: Iterable[str] = ()) -> tuple[str, tuple[str, ...]]:
    """The text with secret values replaced by `[REDACTED]`, and the kinds found, first one first.

    What tells the kind stays (`ghp_[REDACTED]`). An entry of `allow` is a value to leave alone,
    or, after `re:`, a pattern for the whole value. Redacting twice changes nothing more.
    """
    # Deferred: showing and searching need this package, only writing needs the rules.
    from recairn.core.guard.redaction import redact_secrets

    return redact_secrets(text, allow)
