"""Documents: files, pages and pipes read into chunks that search can point at.

`formats` reads them into blocks, `chunking` packs blocks into chunks, `walk` finds files,
`collection` keeps the store in step with them.
"""

from __future__ import annotations

# What `url` holds of a document that came through a pipe.
FROM_STDIN = "stdin:"


def is_url(text: str) -> bool:
    return text.lower().startswith(("http://", "https://"))
