"""Fits what `ranking/profiles.py` knows of answers: the line of a clear one, and the odds of a hit.

    python3 -m tools.fit_chance SETS... --model static --work FOLDER [--reranker cross-mini]

Questions are asked of the whole sets and of stores drawn from them (`tools/chance_stores.py`), of
which some hold no answer. Each question belongs to one half by the hash of its name: odds are
fitted on the first, their error is that of the second. The line is fitted leaving out one family
after the other to see what it is worth elsewhere, then on all. What was asked is kept in FOLDER;
remove it after a change of the model or of ranking.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import os
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

import recairn.recall.search as pipeline
from recairn.core.memory_text import whole_text
from recairn.engine import Recairn, open_memory
from recairn.ranking.chance import Floor, answers, contenders
from recairn.surfaces.bench.datasets import Dataset, Document, documents_in, read
from recairn.surfaces.bench.metrics import calibration_error, ndcg
from recairn.surfaces.bench.run import database_for, fill
from tools.chance_stores import LARGEST, SIZES, Case, Draw, Drawn, family, same_text

Row = dict[str, Any]
Array = Any

_DEPTH = 10
# Answerable questions that may meet silence, of any size of store, and what no set may lose of
# its nDCG@10 by that: what measuring the same again would not show. What a reranker has read may
# lose as much as it gains.
_FALSE_SILENCE, _LOST = 0.0065, 0.007
_FALSE_SILENCE_READ, _LOST_READ = 0.0095, 0.0125
# What the start is given more, so that rounding silences nobody at the bar.
_SLACK = 0.05
# In stores below a hundred a wrong silence is soon noticed.
_FEWER, _FALSE_SILENCE_OF_FEW = 100, 0.0065
_BEST = 3
# A hit where there is none; a reranker says about that of what is far.
_NOTHING: list[Any] = [0.0, 0.0, 0.0, None, False, -9.0]
# What drawn stores count in the odds beside whole sets, of which nobody chose the size.
_DRAWN = 0.4
LINE = ("cosine", "cosine_by_size", "coverage", "keyword", "outstanding", "asked", "size")
READ = (*LINE, "reranker")
ODDS = (
    *("score", "behind", "lead", "coverage", "keyword", "keyword_by_size"),
    *("outstanding", "size", "few"),
)


# Asking


def asked_of_all(
    sets: list[Dataset], fill_up: list[Document], model: str, reranker: str, work: str
) -> Iterator[Row]:
    """Every question of the sets and of the drawn stores, with what was found."""
    for dataset in sets:
        with open_memory(database_for(work, dataset, model), project="", model=model) as one:
            fill(one, dataset, lambda done, total: None)
            texts = {(each.scope, each.id): same_text(each.text) for each in dataset.documents}
            for question in dataset.questions:
                if question.answerable and question.judged:
                    judged = question.judged.items()
                    right = {texts.get((question.scope, name), "") for name, gain in judged if gain}
                    case = Case(dataset.name, question, frozenset(right))
                    yield {**asked(one, question.scope, case, reranker), "store": "whole"}
    draw = Draw(sets, fill_up)
    for size in [size for size in SIZES if fill_up or size < LARGEST]:
        path = os.path.join(work, f"drawn-{size}-{model}.db")
        with open_memory(path, project="", model=model) as memory:
            new = memory.count(all_projects=True) == 0
            for store in draw.stores(size):
                if new:
                    _fill(memory, store)
                for case in store.cases:
                    row = asked(memory, store.name, case, reranker)
                    yield {**row, "store": store.name.partition("-")[0], "drawn": size}
        print(f"asked stores of {size}", flush=True)


def _fill(memory: Recairn, store: Drawn) -> None:
    memory.remember_many(
        [
            {"content": one.text, "project": store.name, "external_id": f"{store.name} {number}"}
            for number, one in enumerate(store.documents)
            if one.text.strip()
        ],
        on_similar="add",
    )


def asked(memory: Recairn, project: str, case: Case, reranker: str) -> Row:
    """What ranking knows of the best hits to one question, and which of them are answers."""
    seen: dict[str, Any] = {}

    def watched(ranking: Sequence[Any], floor: Floor | None, leaders: Any = tuple) -> Any:
        seen.update(floor=floor, facts={scored.facts.id: scored.facts for scored in ranking})
        seen["shown"] = bool(answers(ranking, floor, leaders))
        return answers(ranking, floor, leaders)

    vars(pipeline)["answers"] = watched
    result = memory.search(
        case.question.text,
        project=project,
        limit=2 * _DEPTH,
        track=False,
        all=True,
        profile="default",
    )
    floor, hits, texts = seen["floor"], [], []
    for hit in [hit for hit in result.hits if "reply" not in hit.terms]:
        facts = seen["facts"][hit.id]
        cosines = {} if facts.cosine is None else {hit.id: facts.cosine}
        if contenders({hit.id: hit.score}, {hit.id: facts.keyword}, cosines, floor):
            right = same_text(hit.memory.content) in case.answers
            hits.append([hit.score, facts.keyword, facts.coverage, facts.cosine, right])
            texts.append(whole_text(hit.memory))
    if reranker:
        said = memory.meaning.reranker(reranker).scores(case.question.text, texts[:_BEST])
        hits[:_BEST] = [[*hit, number] for hit, number in zip(hits, said, strict=False)]
    half = hashlib.sha256(f"{case.set}/{case.question.id}".encode()).digest()[-1] & 1
    question = floor.question
    return {
        "set": case.set,
        "half": half,
        "answers": len(case.answers),
        "shown": seen["shown"],
        "question": [question.memories, question.words, question.middle, question.spread],
        "hits": hits,
    }


# Arithmetic


def logistic(values: Array, right: Array, weights: Array) -> Array:
    """Start and weights of the log odds, by Newton's steps, a little drawn towards 0."""
    mean, spread = values.mean(0), values.std(0) + 1e-9
    scaled = np.c_[np.ones(len(values)), (values - mean) / spread]
    drawn = np.eye(scaled.shape[1]) * 1e-4 * weights.sum()
    drawn[0, 0] = 0.0
    found = np.zeros(scaled.shape[1])
    for _ in range(60):
        chance = 1.0 / (1.0 + np.exp(-np.clip(scaled @ found, -30, 30)))
        bend = (scaled * (weights * chance * (1 - chance) + 1e-9)[:, None]).T @ scaled + drawn
        step = np.linalg.solve(bend, scaled.T @ (weights * (right - chance)) - drawn @ found)
        found = found + step
        if abs(step).max() < 1e-7:
            break
    plain = found[1:] / spread
    return np.r_[found[0] - (plain * mean).sum(), plain]


def evened(*groups: Array) -> Array:
    """Weights by which each group counts alike."""
    keys = list(zip(*groups, strict=True))
    counts: dict[Any, int] = {}
    for key in keys:
        counts[key] = counts.get(key, 0) + 1
    return np.array([1000.0 / counts[key] for key in keys])


# The line of a clear answer


def line_parts(row: Row, names: Sequence[str]) -> Array:
    """The parts of the line for each of the best three hits."""
    memories, words, middle, spread = row["question"]
    size = math.log10(max(1, memories))
    parts = []
    for _, keyword, coverage, cosine, _, *said in row["hits"][:_BEST] or [_NOTHING]:
        near = middle if cosine is None else cosine
        known = {
            "cosine": near,
            "cosine_by_size": near * size,
            "coverage": coverage,
            "keyword": math.log1p(keyword),
            "outstanding": (near - middle) / spread,
            "asked": math.log(max(1, words)),
            "size": size,
            "reranker": said[0] if said else 0.0,
        }
        parts.append([known[name] for name in names])
    return np.array(parts)


def best_line(parts: list[Array], right: Array, weights: Array, some: Array) -> tuple[Array, Array]:
    """The line fitted on some questions, and how far the best hit of each lies above it."""
    best = [own[0] for own in parts]
    for _ in range(4):
        values = np.array(best)
        line = logistic(values[some], right[some], weights[some])
        best = [own[int(np.argmax(own @ line[1:]))] for own in parts]
    return line, line[0] + np.array(best) @ line[1:]


class Bar:
    """Where silence begins: at `least`, and higher by `few` for each tenfold below a hundred
    memories and by `many` for each tenfold above ten thousand.

    Of the slopes with which false silence is small in stores of every size and on every set, those
    with most silence towards strangers.
    """

    def __init__(self, rows: list[Row], right: Array, *, read: bool) -> None:
        self.rows, self.right, self.read = rows, right, read
        sizes = [math.log10(max(1, row["question"][0])) for row in rows]
        self.fewer = np.array([max(0.0, 2.0 - size) for size in sizes])
        self.more = np.array([max(0.0, size - 4.0) for size in sizes])
        self.drawn = np.array([row.get("drawn", 0) for row in rows])
        self.gains = np.array([gained(row) for row in rows])
        whole = np.array([row["store"] == "whole" for row in rows])
        sets = np.array([row["set"] for row in rows])
        self.wholes = [whole & (sets == name) for name in sorted(set(sets))]

    def found(self, above: Array, some: Array) -> tuple[float, float, float]:
        """Least, few and many, as the rows `some` would have them."""
        sizes = sorted({int(size) for size in self.drawn} - {0})
        strange = [some & (self.right == 0) & (self.drawn == size) for size in sizes]
        found = []
        for few in np.arange(0.0, 3.01, 0.2):
            for many in np.arange(-2.0, 1.01, 0.2) if LARGEST in sizes else (0.0,):
                bent = above - few * self.fewer - many * self.more
                least = self._least(bent, some, sizes)
                silence = np.mean([(bent[own] < least).mean() for own in strange])
                found.append((float(silence), least, float(few), float(many)))
        return max(found)[1:]

    def _least(self, above: Array, some: Array, sizes: list[int]) -> float:
        allowed = _FALSE_SILENCE_READ if self.read else _FALSE_SILENCE
        bars = []
        for size in sizes:
            own = some & (self.right == 1) & (self.drawn == size)
            share = _FALSE_SILENCE_OF_FEW if size < _FEWER else allowed
            bars.append(np.quantile(above[own], share) if own.any() else math.inf)
        for whole in self.wholes:
            own = np.flatnonzero(whole & some)
            order = own[np.argsort(above[own])]
            lost = np.cumsum(self.gains[order]) / max(1, len(order))
            beyond = np.flatnonzero(lost > (_LOST_READ if self.read else _LOST))
            bars += [above[order[beyond[0]]]] if len(beyond) else []
        return float(min(bars))


def gained(row: Row) -> float:
    """About the nDCG@10 of a question: all answers count alike here."""
    judged = {str(number): 1.0 for number in range(row["answers"])}
    places, left = [], iter(judged)
    for hit in row["hits"][:_DEPTH]:
        places.append(next(left, "") if hit[4] else "")
    return ndcg(places, judged) if judged else 0.0


def fitted_line(rows: list[Row]) -> None:
    """Prints the line, and what it does fitted without each family and on all.

    Where no answer is among the hits, silence is neither right nor wrong: not counted.
    """
    right = np.array([float(row["answers"] > 0) for row in rows])
    found = [any(hit[4] for hit in row["hits"][:_DEPTH]) for row in rows]
    known = np.array(found) | (right == 0)
    weights = evened([row.get("drawn", 0) for row in rows], right, known)
    read = any(len(hit) > 5 for row in rows for hit in row["hits"][:1])
    parts = [line_parts(row, READ if read else LINE) for row in rows]
    families = np.array([family(row["set"]) for row in rows])
    _show("as it is", rows, np.array([not row["shown"] for row in rows]), known)
    bar = Bar(rows, right, read=read)
    # Stores of the largest size hold texts that nobody asks about: only the bar is fitted to them.
    usual = known & (bar.drawn != LARGEST)
    silent = np.zeros(len(rows), bool)
    for name in sorted(set(families)):
        others = known & (families != name)
        _, above = best_line(parts, right, weights, others & usual)
        least, few, many = bar.found(above, others)
        own = families == name
        silent[own] = (above < least + few * bar.fewer + many * bar.more)[own]
    _show("each family by the others", rows, silent, known)
    line, above = best_line(parts, right, weights, usual)
    least, few, many = bar.found(above, known)
    above -= least + few * bar.fewer + many * bar.more
    _show("all", rows, above < 0.0, known)
    for row, own in zip(rows, above, strict=True):
        row["shown"] = bool(own >= 0.0)
    for whole in bar.wholes:
        lost = bar.gains[whole & (above < 0.0)].sum() / max(1, whole.sum())
        print(f"  {rows[int(np.argmax(whole))]['set']}: nDCG@10 lost to silence {lost:.4f}")
    names = ("start", *LINE, "few", "many", "reranker")
    values = [
        line[0] - least + _SLACK,
        *line[1 : 1 + len(LINE)],
        -few,
        -many,
        *line[1 + len(LINE) :],
    ]
    print("line:", _rounded(names[: len(values)], values))


def _rounded(names: Sequence[str], values: Sequence[float]) -> str:
    return ", ".join(f"{name}={value:.3g}" for name, value in zip(names, values, strict=True))


def _show(label: str, rows: list[Row], silent: Array, known: Array) -> None:
    print(f"silence, {label}:")
    for size in (*SIZES, None):
        figures = []
        for store, answered in (("one", 1), ("one", 0), ("mixed", 1), ("mixed", 0), ("whole", 1)):
            own = [
                quiet
                for row, quiet in zip(rows, silent & known, strict=True)
                if row["store"] == store
                and row.get("drawn") == size
                and bool(row["answers"]) == bool(answered)
            ]
            if own:
                kind = "false silence" if answered else "strangers"
                figures.append(f"{store} {kind} {np.mean(own):.4f} of {len(own)}")
        print(f"  {size or 'whole sets'}: {', '.join(figures)}")


# The odds of a hit


def odds_parts(row: Row) -> list[list[float]]:
    memories, _, middle, spread = row["question"]
    size, hits = math.log10(max(1, memories)), row["hits"][:_DEPTH]
    few = max(0.0, 2.0 - size)
    best = hits[0][0]
    lead = max(0.0, best - (hits[1][0] if len(hits) > 1 else 0.25))
    parts = []
    for score, keyword, coverage, cosine, *_ in hits:
        standing = 0.0 if cosine is None else (cosine - middle) / spread
        words = math.log1p(keyword)
        parts.append(
            [score, best - score, lead, coverage, words, words * size, standing, size, few],
        )
    return parts


def fitted_odds(rows: list[Row]) -> None:
    """Prints the odds fitted on one half of the questions, and how right they are on the other."""
    shown = [row for row in rows if row["shown"] and row["hits"]]
    values = np.array([part for row in shown for part in odds_parts(row)])
    right = np.array([float(hit[4]) for row in shown for hit in row["hits"][:_DEPTH]])
    of = [row for row in shown for _ in row["hits"][:_DEPTH]]
    places = np.array([place for row in shown for place in range(len(row["hits"][:_DEPTH]))])
    half, sets = np.array([row["half"] for row in of]), np.array([row["set"] for row in of])
    whole = np.array([row["store"] == "whole" for row in of])
    weights = evened(sets, whole) * np.where(whole, 1.0, _DRAWN)
    odds = logistic(values[half == 0], right[half == 0], weights[half == 0])
    said = _in_order(odds, values, places)
    apart = np.zeros(len(right))
    for name in sorted(set(sets)):
        own = logistic(*(each[(half == 0) & (sets != name)] for each in (values, right, weights)))
        apart[sets == name] = _in_order(own, values, places)[sets == name]
    for label, chances, among in (
        ("the other half", said, half == 1),
        ("the other half, whole sets", said, (half == 1) & whole),
        ("each set by the others", apart, half >= 0),
        ("each set by the others, whole sets", apart, whole),
    ):
        first = among & (places == 0)
        print(
            f"error, {label}: {_error(chances, right, first):.3f} of {first.sum()} best,"
            f" {_error(chances, right, among):.3f} of {among.sum()} hits"
        )
    for name in sorted(set(sets)):
        own = whole & (sets == name) & (places == 0) & (half == 1)
        print(
            f"  {name}: said {said[own].mean():.3f}, right {right[own].mean():.3f},"
            f" error {_error(said, right, own):.3f}; by the others {_error(apart, right, own):.3f}"
        )
    print("odds:", _rounded(("start", *ODDS), odds))


def _in_order(odds: Array, values: Array, places: Array) -> Array:
    """The chances, none above that of the hit before it."""
    logits = odds[0] + values @ odds[1:]
    for at in range(1, len(logits)):
        if places[at]:
            logits[at] = min(logits[at], logits[at - 1])
    return 1.0 / (1.0 + np.exp(-logits))


def _error(chances: Array, right: Array, some: Array) -> float:
    pairs = zip(chances[some].tolist(), right[some].tolist(), strict=True)
    return calibration_error([(chance, bool(came)) for chance, came in pairs])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="+")
    parser.add_argument("--model", default="static")
    parser.add_argument("--reranker", default="")
    parser.add_argument("--fill", default="", help="a set's folder, for stores of 100,000")
    parser.add_argument("--work", required=True)
    given = parser.parse_args()
    os.makedirs(given.work, exist_ok=True)
    kept = os.path.join(given.work, f"asked-{given.model}{given.reranker}.jsonl")
    if not os.path.exists(kept):
        sets = [read(folder) for folder in given.sets]
        fill_up = documents_in(given.fill) if given.fill else []
        with open(kept + ".part", "w", encoding="utf-8") as file:
            for row in asked_of_all(sets, fill_up, given.model, given.reranker, given.work):
                file.write(json.dumps(row) + "\n")
        os.replace(kept + ".part", kept)
    with open(kept, encoding="utf-8") as lines:
        rows: list[Row] = [json.loads(line) for line in lines]
    if given.model != "none":  # of words alone a line of one part is as good as this
        fitted_line(rows)
    fitted_odds(rows)


if __name__ == "__main__":
    main()
