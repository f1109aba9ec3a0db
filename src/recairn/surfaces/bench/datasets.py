"""Question sets on disk: a folder with `corpus.jsonl`, `queries.jsonl` (or .gz) and `qrels.tsv`."""

from __future__ import annotations

import gzip
import json
import os

from recairn.core.errors import BadInput, NotFound
from recairn.core.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import IO, Any

# A query may only see documents of its own scope; sets without scopes are one project.
NO_SCOPE = "bench"


@record
class Document:
    id: str
    text: str
    scope: str
    timestamp: str | None


@record
class Question:
    """`answerable` is false for questions whose premise is false or whose answer is not there."""

    id: str
    text: str
    scope: str
    answerable: bool
    judged: Mapping[str, float]


@record
class Dataset:
    name: str
    documents: list[Document]
    questions: list[Question]


def read(folder: str) -> Dataset:
    """The question set in a folder; NotFound or BadInput names the file that is wrong."""
    judgements = _judgements(os.path.join(folder, "qrels.tsv"))
    documents = documents_in(folder)
    questions = []
    for row in _rows(folder, "queries"):
        about = row.get("meta") or {}
        answerable = not (about.get("adversarial") or about.get("abstention"))
        judged = judgements.get(str(row["id"]), {})
        questions.append(
            Question(str(row["id"]), str(row["text"]), _scope(row), answerable, judged)
        )
    return Dataset(os.path.basename(os.path.normpath(folder)), documents, questions)


def documents_in(folder: str) -> list[Document]:
    """The documents of a question set."""
    return [
        Document(str(row["id"]), str(row["text"]), _scope(row), row.get("timestamp"))
        for row in _rows(folder, "corpus")
    ]


def has_documents(folder: str) -> bool:
    """Whether a folder is a question set, by its name for documents."""
    return os.path.exists(_path(folder, "corpus"))


def _path(folder: str, name: str) -> str:
    plain = os.path.join(folder, f"{name}.jsonl")
    return plain if os.path.exists(plain) else plain + ".gz"


def _scope(row: Mapping[str, Any]) -> str:
    return str((row.get("meta") or {}).get("scope") or NO_SCOPE)


def _rows(folder: str, name: str) -> Iterator[dict[str, Any]]:
    path = _path(folder, name)
    if not os.path.exists(path):
        raise NotFound(f"there is no {name}.jsonl or {name}.jsonl.gz in {folder}")
    with _opened(path) as lines:
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                row = json.loads(line)
                row["id"], row["text"]
            except (ValueError, KeyError, TypeError):
                raise BadInput(f"{path} line {number} is not a record with id and text") from None
            yield row


def _opened(path: str) -> IO[str]:
    if path.endswith(".gz"):
        return gzip.open(path, "rt", encoding="utf-8")
    return open(path, encoding="utf-8")


def _judgements(path: str) -> dict[str, dict[str, float]]:
    if not os.path.exists(path):
        raise NotFound(f"there is no {path}")
    judgements: dict[str, dict[str, float]] = {}
    with open(path, encoding="utf-8") as lines:
        for number, line in enumerate(lines, start=1):
            try:
                question, document, gain = line.rstrip("\n").split("\t")
                judgements.setdefault(question, {})[document] = float(gain)
            except ValueError:
                raise BadInput(f"{path} line {number} is not question, document, gain") from None
    return judgements
