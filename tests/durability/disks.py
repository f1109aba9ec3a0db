"""Disks that fail: one that can lose power at any moment, one that refuses the Nth write.

Both are SQLite file layers (VFS) around the real one, made the default while they are in use.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from pathlib import Path

import apsw

# Bytes a disk writes at once; a write torn by a power cut is torn between two of these.
SECTOR = 512


class File(apsw.VFSFile):
    """A file that tells its disk before every change."""

    def __init__(self, disk, path, flags):
        self.disk = disk
        named = path.filename() if isinstance(path, apsw.URIFilename) else path
        self.name = os.path.basename(named) if named else ""
        super().__init__(disk.real, path, flags)

    def xWrite(self, data, offset):
        self.disk.changing(("write", self.name, offset, bytes(data)))
        super().xWrite(data, offset)

    def xTruncate(self, size):
        self.disk.changing(("truncate", self.name, size))
        super().xTruncate(size)

    def xSync(self, flags):
        self.disk.changing(("sync", self.name))


class Disk(apsw.VFS):
    def __init__(self, name):
        self.real = apsw.vfs_names()[0]
        super().__init__(name, self.real, makedefault=True)

    def xOpen(self, name, flags):
        return File(self, name, flags)

    def xDelete(self, path, sync_folder):
        self.changing(("delete", os.path.basename(path)))
        super().xDelete(path, sync_folder)

    def changing(self, event):
        """Called before each change of a file; may raise instead of letting it happen."""


class RecordingDisk(Disk):
    """Remembers every change, so that the disk can be shown as a power cut would leave it."""

    def __init__(self, name):
        self.events: list = []
        super().__init__(name)

    def changing(self, event):
        if event[1]:  # a scratch file has no name: no power cut leaves it behind
            self.events.append(event)


class FailingDisk(Disk):
    """Refuses change number `at` (and, when it is full, all after it) with a SQLite error code."""

    def __init__(self, name):
        self.code = apsw.SQLITE_OK
        self.countdown = 0
        self.stays = False
        self.failed = False
        super().__init__(name)

    def fail(self, code, at, *, stays):
        self.code, self.countdown, self.stays, self.failed = code, at, stays, False

    def mend(self):
        self.code = apsw.SQLITE_OK

    def changing(self, event):
        if self.code == apsw.SQLITE_OK:
            return
        self.countdown -= 1
        if self.countdown == 0 or (self.countdown < 0 and self.stays):
            self.failed = True
            raise apsw.exception_for(self.code)


@contextmanager
def inserted(kind):
    """The disk as the one every new connection uses, until the block ends."""
    disk = kind(f"test-{kind.__name__}")
    try:
        yield disk
    finally:
        disk.unregister()


def lines_until(events, cut):
    """What had been written into the ledger before the cut."""
    return [event[1] for event in events[:cut] if event[0] == "line"]


def after_power_cut(events, cut, rng):
    """File name → bytes, as a disk may hold them when the power goes after `cut` events.

    Synced changes are there. Of the others any may be missing, and a write may be torn.
    """
    synced: dict[str, bytearray] = {}
    waiting: dict[str, list] = {}
    for event in events[:cut]:
        kind, name = event[0], event[1]
        if kind == "line":
            continue
        if kind == "delete":
            synced.pop(name, None)
            waiting.pop(name, None)
        elif kind == "sync":
            content = synced.setdefault(name, bytearray())
            for change in waiting.pop(name, ()):
                apply(content, change, None)
        else:
            waiting.setdefault(name, []).append(event)
    return survivors(synced, waiting, rng)


def survivors(synced, waiting, rng):
    luck = rng.choice((0.0, 0.3, 0.7, 1.0))
    for name in sorted(waiting):
        if name not in synced and rng.random() > luck:
            continue  # the new file's name never reached the folder
        content = synced.setdefault(name, bytearray())
        for change in waiting[name]:
            if rng.random() < luck:
                apply(content, change, rng if rng.random() < 0.5 else None)
    return synced


def apply(content, change, torn_by):
    """Carries out a change; with a random source, only some sectors of a write."""
    if change[0] == "truncate":
        del content[change[2] :]
        return
    _, _, offset, data = change
    for start in range(0, len(data), SECTOR):
        if torn_by is None or torn_by.random() < 0.5:
            piece = data[start : start + SECTOR]
            at = offset + start
            if len(content) < at:
                content.extend(bytes(at - len(content)))
            content[at : at + len(piece)] = piece


def write_files(folder, files):
    folder = Path(folder)
    folder.mkdir(mode=0o700)
    for name, content in files.items():
        (folder / name).write_bytes(content)
        (folder / name).chmod(0o600)
