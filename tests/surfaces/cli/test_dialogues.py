"""Dialogues written down in Markdown happen again exactly as written.

A block of ```console holds command lines after `$ ` and what they say. All blocks of a file are one
dialogue with one database; a block with a path beside its language is a file that lies there by
then. Scores are compared by their shape: ranking has tests of its own.
"""

from __future__ import annotations

import json
import os
import re
import shlex
from pathlib import Path

import pytest

from recairn.store.postgres.address import Address
from tests.corpus import ELSEWHERE, place
from tests.repository import DOCS

HERE = Path(__file__).resolve().parent
DIALOGUES = [
    DOCS.parent / "README.md",
    DOCS / "json.md",
    DOCS / "graph.md",
    DOCS / "context.md",
    *sorted((HERE / "dialogues").glob("*.md")),
]

# What `verify` looks at in a file alone.
FILE_CHECKS = re.compile(r"integrity, foreign keys, |\"integrity\",\s+\"foreign keys\",\s+")
BLOCK = re.compile(r"(?<=```console\n).*?(?=```\n)", re.DOTALL)
FILE = re.compile(r"^```\w+ (\S+)\n(.*?)^```\n", re.DOTALL | re.MULTILINE)


def turns(block: str) -> list[tuple[str, str]]:
    """(command line, answer) pairs of a block."""
    parts = re.split(r"^\$ (.*)\n", block, flags=re.MULTILINE)
    return list(zip(parts[1::2], parts[2::2], strict=True))


def answer(line: str, recairn, settle) -> str:
    """What the command says: standard error first, then output, JSON laid out for reading."""
    program, *words = shlex.split(line)
    assert program == "recairn", line
    ran = recairn(*words)
    out = ran.out
    if out.startswith(("{", "[{")):
        # What fades with every millisecond would be written anew by every run.
        document = json.loads(out, parse_float=lambda number: round(float(number), 6))
        out = json.dumps(document, indent=2, ensure_ascii=False) + "\n"
    status = f"(exit status {ran.status})\n" if ran.status else ""
    return settle(ran.err + out + status)


def on_a_server(text: str) -> str:
    """What a file answers, where a server does: it names itself, and watches its own bytes."""
    where = str(place(Path(os.environ["HOME"]) / "memories.db"))
    return FILE_CHECKS.sub("", text.replace("~/memories.db", Address(where).shown))


def comparable(text: str) -> str:
    """The answer without the numbers that ranking decides."""
    text = re.sub(r"\[\d+%\]", "[NN%]", text)
    text = re.sub(r", \d+%(?=\n|\\n)", ", NN%", text)
    text = re.sub(r"(similar to #\d+) \(0\.\d\d\)", r"\1 (0.NN)", text)
    if not text.startswith("{"):
        return text
    text, _, status = text.partition("(exit")
    document = json.loads(text)
    for similar in document.get("similar", []):
        similar["similarity"] = 0.0
    for hit in document.get("hits", []):
        hit["score"] = hit["chance"] = 0.0
        if "terms" not in hit:
            continue
        hit["terms"] = {name: sorted(term) for name, term in hit["terms"].items()}
        hit["terms"] = {"each": sorted({tuple(keys) for keys in hit["terms"].values()})}
        hit["odds"] = {name: sorted(term) for name, term in hit["odds"].items()}
    if "weights" in document.get("meta", {}):
        assert all(isinstance(value, float) for value in document["meta"]["weights"].values())
        document["meta"]["weights"] = {}
    return json.dumps(document, indent=2) + status


@pytest.mark.parametrize("path", DIALOGUES, ids=lambda path: path.stem)
def test_a_written_dialogue_happens_again_as_written(
    path, recairn, settle, update_golden, monkeypatch
):
    monkeypatch.setenv("RECAIRN_PROJECT", "shop")
    # Whoever runs this may have agents on the PATH; the machine of the dialogues has none.
    monkeypatch.setenv("PATH", str(Path("no-programs").resolve()))
    text = path.read_text()
    files = list(FILE.finditer(text))

    def replayed(match: re.Match[str]) -> str:
        while files and files[0].start() < match.start():
            name, content = files.pop(0).groups()
            Path(name).parent.mkdir(parents=True, exist_ok=True)
            Path(name).write_text(content)
        said = []
        for line, expected in turns(match.group()):
            if ELSEWHERE and line.startswith(("recairn backup", "recairn doctor")):
                continue  # a server is looked after by who runs it
            now = answer(line, recairn, settle)
            expected = on_a_server(expected) if ELSEWHERE else expected
            said.append(f"$ {line}\n{now}")
            if not update_golden:
                assert comparable(now) == comparable(expected), line
        return "".join(said)

    assert BLOCK.search(text), f"{path} holds no dialogue"
    renewed = BLOCK.sub(replayed, text)
    if update_golden:
        path.write_text(renewed)
