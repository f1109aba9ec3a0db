"""The files of the page, read once: exactly these are served, under exactly these names."""

from __future__ import annotations

import os

_KINDS = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
FOLDER = os.path.join(os.path.dirname(__file__), "page")


def page_files() -> dict[str, tuple[bytes, str]]:
    """Path → bytes and media type; the shell is `/`. Licences and checksums stay at home."""
    files: dict[str, tuple[bytes, str]] = {}
    for folder, _, names in os.walk(FOLDER):
        for name in names:
            kind = _KINDS.get(os.path.splitext(name)[1])
            if kind is None:
                continue
            path = os.path.join(folder, name)
            with open(path, "rb") as file:
                address = "/" + os.path.relpath(path, FOLDER).replace(os.sep, "/")
                files["/" if address == "/index.html" else address] = (file.read(), kind)
    return files
