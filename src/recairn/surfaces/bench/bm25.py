"""Plain BM25, the yardstick beside every result: stemmed, stop words dropped, k1 1.2, b 0.75.

It shares nothing with the shipped search but the engine library, and ranks each scope on its own.
"""

from __future__ import annotations

import time

import apsw

from recairn.core.words import STOP_WORDS, words
from recairn.surfaces.bench.metrics import ndcg, recall, reciprocal_rank
from recairn.surfaces.bench.run import DEPTH, Run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recairn.surfaces.bench.datasets import Dataset


def bm25(dataset: Dataset) -> Run:
    """The set ranked by BM25 alone."""
    scopes: dict[str, tuple[apsw.Connection, list[str]]] = {}
    for document in dataset.documents:
        if document.scope not in scopes:
            db = apsw.Connection(":memory:")
            db.execute("create virtual table t using fts5(text, tokenize='porter unicode61')")
            scopes[document.scope] = (db, [])
        db, ids = scopes[document.scope]
        ids.append(document.id)
        telling = " ".join(word for word in words(document.text) if word not in STOP_WORDS)
        db.execute("insert into t(rowid, text) values (?, ?)", (len(ids), telling))
    gains, reciprocal, spent = [], [], []
    unanswered = 0
    reached: dict[int, list[float]] = {5: [], 10: [], 20: []}
    for question in dataset.questions:
        if not (question.answerable and question.judged and question.scope in scopes):
            continue
        started = time.perf_counter()
        ranking = _ranked(*scopes[question.scope], question.text)
        spent.append((time.perf_counter() - started) * 1000)
        unanswered += not ranking
        gains.append(ndcg(ranking, question.judged))
        reciprocal.append(reciprocal_rank(ranking, question.judged))
        for depth, values in reached.items():
            values.append(recall(ranking, question.judged, depth))
    return Run("BM25", gains, reached, reciprocal, spent, 0, 0, unanswered)


def _ranked(db: apsw.Connection, ids: list[str], question: str) -> list[str]:
    terms = [word for word in words(question) if word not in STOP_WORDS]
    if not terms:
        return []
    rows = db.execute(
        "select rowid from t where t match ? order by rank, rowid limit ?",
        (" OR ".join(f'"{word}"' for word in terms), DEPTH),
    )
    return [ids[row[0] - 1] for row in rows]
