"""The settings of git that are carried over: how files are compared, never what is run.

A repository's `config` is somebody else's word, so git does not read it here. What must be known to
read the repository at all, or to tell a changed file from an unchanged one, is copied by name, and
only where the value is one of a few words. Includes are not followed.
"""

from __future__ import annotations

import os

from recairn.host.plain_file import content_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_YES, _NO = ("true", "yes", "on", "1"), ("false", "no", "off", "0", "")
_SWITCH = (*_YES, *_NO)
_CARRIED = {
    "core.filemode": _SWITCH,
    "core.symlinks": _SWITCH,
    "core.ignorecase": _SWITCH,
    "core.precomposeunicode": _SWITCH,
    "core.trustctime": _SWITCH,
    "core.sparsecheckout": _SWITCH,
    "core.sparsecheckoutcone": _SWITCH,
    "core.checkstat": ("default", "minimal"),
    "core.autocrlf": (*_SWITCH, "input"),
    "core.eol": ("lf", "crlf", "native"),
    "extensions.objectformat": ("sha1", "sha256"),
    "extensions.refstorage": ("files", "reftable"),
}
# Bytes of a settings file; thousands of branches fit, a disk image does not.
_LARGEST = 4_000_000


def carried_over(*paths: str) -> str:
    """The harmless settings of these files, a later one before an earlier one, as such a file."""
    settings: dict[str, str] = {}
    for path in paths:
        for name, value in _settings(path):
            if value.lower() in _CARRIED.get(name, ()):
                settings[name] = value.lower()
    # Version 1 makes git heed the extensions; it is fine without any.
    lines = ["[core]", "\trepositoryFormatVersion = 1", "\tbare = false"]
    for name, value in settings.items():
        section, _, key = name.partition(".")
        lines += [f"[{section}]", f"\t{key} = {value or 'false'}"]
    return "\n".join([*lines, ""])


def own_excludes() -> str:
    """The file of ignored names that this user's own settings name; "" for git's usual one."""
    named = os.environ.get("GIT_CONFIG_GLOBAL")
    home = os.path.expanduser("~")
    folder = os.environ.get("XDG_CONFIG_HOME") or os.path.join(home, ".config")
    usual = (os.path.join(folder, "git", "config"), os.path.join(home, ".gitconfig"))
    last = ""
    for path in usual if named is None else (named,):
        for name, value in _settings(path):
            if name == "core.excludesfile":
                last = value
    return last


def setting_of(path: str, wanted: str) -> str:
    """The last value of a `section.key` in a file; "" where there is none."""
    last = ""
    for name, value in _settings(path):
        if name == wanted:
            last = value
    return last


def origin_of(path: str) -> str:
    """The address that a file of settings gives for the remote `origin`; "" for none."""
    inside, address = False, ""
    for line in (content_of(path, _LARGEST) or b"").decode("utf-8", "replace").splitlines():
        text = line.strip()
        if text.startswith("["):
            inside = text.rstrip().lower() == '[remote "origin"]'
            continue
        key, sign, value = text.partition("=")
        if inside and sign and not address and key.strip().lower() == "url":
            address = _plain(value)
    return address


def _settings(path: str) -> Iterator[tuple[str, str]]:
    """The `section.key` and value of each plain line; sections with a second name are left out."""
    section = ""
    for line in (content_of(path, _LARGEST) or b"").decode("utf-8", "replace").splitlines():
        text = line.strip()
        if text.startswith("["):
            head, _, text = text[1:].partition("]")
            section = head.strip().lower()
            text = text.strip()
        if not section or '"' in section or not text or text[0] in "#;":
            continue
        key, sign, value = text.partition("=")
        yield f"{section}.{key.strip().lower()}", _plain(value) if sign else "true"


def _plain(value: str) -> str:
    """A value without its quotes and the remark after it."""
    value = value.strip()
    if value.startswith('"'):
        return value[1:].partition('"')[0]
    for mark in ("#", ";"):
        value = value.partition(mark)[0]
    return value.strip()
