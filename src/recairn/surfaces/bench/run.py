"""Runs a question set through the shipped write door and the shipped search."""

from __future__ import annotations

import os
import time

from recairn.core.record import record
from recairn.core.words import normalised
from recairn.surfaces.bench.metrics import (
    calibration_error,
    interval,
    mean,
    ndcg,
    percentile,
    recall,
    reciprocal_rank,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any

    from recairn.core.model import Hit
    from recairn.engine import Recairn
    from recairn.surfaces.bench.datasets import Dataset, Question

# Deep enough for recall@20.
DEPTH = 20


@record
class Run:
    """One way of searching, measured on one set; lists are in the order of the scored questions.

    `unanswered` of them met silence. `said` has what is shown of each first hit as its chance, and
    whether it is one of the answers; `said_of_all` the same of the first ten.
    """

    label: str
    ndcg: list[float]
    recall: Mapping[int, list[float]]
    reciprocal: list[float]
    milliseconds: list[float]
    answered: int
    silent: int
    unanswered: int = 0
    said: Sequence[tuple[float, bool]] = ()
    said_of_all: Sequence[tuple[float, bool]] = ()


def fill(memory: Recairn, dataset: Dataset, report: Callable[[int, int], None]) -> None:
    """Remembers every document under its own id; a filled database is left as it is."""
    if memory.count(all_projects=True) > 0:
        return
    batch = 5000
    for start in range(0, len(dataset.documents), batch):
        memory.remember_many(
            [
                {
                    "content": document.text,
                    "project": document.scope,
                    "external_id": f"{document.scope}\x1f{document.id}"[-200:],
                    "source_ref": document.id,
                    **({"created_at": document.timestamp} if document.timestamp else {}),
                }
                for document in dataset.documents[start : start + batch]
                if document.text.strip()
            ],
            on_similar="add",
        )
        report(min(start + batch, len(dataset.documents)), len(dataset.documents))


def ask(memory: Recairn, dataset: Dataset, label: str, **options: Any) -> Run:
    """Every question once; those without judgements count only towards silence."""
    twins = _twins(dataset)
    gains: list[float] = []
    reached: dict[int, list[float]] = {5: [], 10: [], 20: []}
    reciprocal: list[float] = []
    spent: list[float] = []
    said: list[list[tuple[float, bool]]] = []
    answered = silent = unanswered = 0
    for question in dataset.questions:
        started = time.perf_counter()
        result = memory.search(
            question.text, project=question.scope, limit=DEPTH, track=False, **options
        )
        spent.append((time.perf_counter() - started) * 1000)
        if not question.answerable:
            silent += not result.hits
            answered += bool(result.hits)
        elif question.judged:
            ranking = _expanded([hit.memory.source_ref for hit in result.hits], question, twins)
            unanswered += not ranking
            said.append([(hit.shown, _is_right(hit, question, twins)) for hit in result.hits[:10]])
            gains.append(ndcg(ranking, question.judged))
            reciprocal.append(reciprocal_rank(ranking, question.judged))
            for depth, values in reached.items():
                values.append(recall(ranking, question.judged, depth))
    first = [own[0] for own in said if own]
    every = [rank for own in said for rank in own]
    return Run(label, gains, reached, reciprocal, spent, answered, silent, unanswered, first, every)


def _is_right(hit: Hit, question: Question, twins: Mapping[tuple[str, str], list[str]]) -> bool:
    documents = _expanded([hit.memory.source_ref], question, twins)
    return any(question.judged.get(document, 0.0) > 0 for document in documents)


def _twins(dataset: Dataset) -> dict[tuple[str, str], list[str]]:
    """Documents of a scope with the same text: recairn keeps one memory for all of them."""
    groups: dict[tuple[str, str], list[str]] = {}
    for document in dataset.documents:
        key = (document.scope, normalised(document.text))
        groups.setdefault(key, []).append(document.id)
    return {(scope, ids[0]): ids for (scope, _), ids in groups.items() if len(ids) > 1}


def _expanded(
    ranking: list[str], question: Question, twins: Mapping[tuple[str, str], list[str]]
) -> list[str]:
    """The ranking with every twin in the place of the one that was kept."""
    return [
        document for memory in ranking for document in twins.get((question.scope, memory), [memory])
    ]


def summary(run: Run) -> dict[str, Any]:
    """The figures of a run, as `recairn bench --json` prints them."""
    low, high = interval(run.ndcg)
    return {
        "label": run.label,
        "questions": len(run.ndcg),
        "ndcg@10": mean(run.ndcg),
        "ndcg@10_low": low,
        "ndcg@10_high": high,
        **{f"recall@{depth}": mean(values) for depth, values in run.recall.items()},
        "mrr": mean(run.reciprocal),
        **{f"recall_{name}@{depth}": value for name, depth, value in _evidence(run)},
        "false_silence": run.unanswered / len(run.ndcg) if run.ndcg else 0.0,
        "calibration_error": calibration_error(run.said),
        "calibration_error_of_all": calibration_error(run.said_of_all),
        "unanswerable": run.answered + run.silent,
        "kept_silent": run.silent,
        "p50_ms": percentile(run.milliseconds, 0.5),
        "p95_ms": percentile(run.milliseconds, 0.95),
    }


def _evidence(run: Run) -> Iterator[tuple[str, int, float]]:
    """For LongMemEval and LoCoMo: how often all the evidence, or any, is among the first."""
    for depth in (5, 10):
        yield "all", depth, mean([float(share == 1.0) for share in run.recall[depth]])
        yield "any", depth, mean([float(share > 0.0) for share in run.recall[depth]])


def database_for(work: str, dataset: Dataset, model: str) -> str:
    return os.path.join(work, f"{dataset.name}-{model}.db")
