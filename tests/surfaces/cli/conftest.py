"""A terminal for the command line: runs `main` in this process and keeps what it said."""

from __future__ import annotations

import io
import json
import re
import sys
from typing import Any, NamedTuple

import pytest

from recairn.surfaces.cli import main


def pytest_addoption(parser):
    parser.addoption(
        "--update-golden",
        action="store_true",
        help="write what the commands say now into the files",
    )


@pytest.fixture
def update_golden(request) -> bool:
    return bool(request.config.getoption("--update-golden", default=False))


class Stream(io.TextIOWrapper):
    """A text stream that may claim to be a terminal."""

    def __init__(self, content: bytes = b"", *, tty: bool = False, encoding: str = "utf-8") -> None:
        super().__init__(io.BytesIO(content), encoding=encoding, newline="\n")
        self.tty = tty

    def isatty(self) -> bool:
        return self.tty

    def said(self) -> str:
        self.flush()
        raw = self.buffer
        assert isinstance(raw, io.BytesIO)
        return raw.getvalue().decode(self.encoding)


class Ran(NamedTuple):
    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@pytest.fixture
def recairn(monkeypatch):
    """Types a command line; `tty` makes all three streams a terminal."""

    def run(*words: str, stdin: str = "", tty: bool = False, encoding: str = "utf-8") -> Ran:
        out, err = Stream(tty=tty, encoding=encoding), Stream(tty=tty, encoding=encoding)
        with monkeypatch.context() as patch:
            patch.setattr(sys, "stdin", Stream(stdin.encode(), tty=tty))
            patch.setattr(sys, "stdout", out)
            patch.setattr(sys, "stderr", err)
            status = main([*words])
            return Ran(status, out.said(), err.said())

    return run


@pytest.fixture
def lamp(recairn):
    """A memory to work on: #1."""
    recairn("add", "Wipe the lens after every storm", "-c", "lamp")
    return recairn


TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
UID = re.compile(r"\b01[0-9a-hjkmnp-tv-z]{24}\b")


def settled(text: str, home: str) -> str:
    """The text with everything that differs from run to run replaced by a stand-in."""
    text = TIME.sub("2026-11-15T10:30:00.000Z", text)
    text = UID.sub("01hexample0000000000000000", text)
    text = re.sub(r"\d{8}T\d{6}Z", "20261115T103000Z", text)
    text = re.sub(r'"(duration|mean|p95)_ms": [\d.]+', r'"\1_ms": 1.5', text)
    text = re.sub(r'"injection": \d+', '"injection": 1837817856000123', text)
    text = re.sub(r'"version": "[0-9a-f]{16}"', '"version": "5e0c1f0e7d9a3b42"', text)
    text = re.sub(r'"bytes": \d+', '"bytes": 258048', text)
    text = re.sub(r"[\d,]+ MB free", "70,000 MB free", text)
    text = re.sub(r"[\d,]+ bytes", "258,048 bytes", text)
    text = re.sub(r"\(\d+ KiB\)", "(252 KiB)", text)
    return text.replace(home, "~").replace(home.removesuffix("/home"), "/src/shop")


@pytest.fixture
def settle(own_home):
    return lambda text: settled(text, str(own_home))
