"""recairn beside the systems people would pick instead: the same work, the same vectors.

    python3 run.py bench peers SETS [--memories N] [--documents N] [--questions N]
                                    [--only NAME,NAME] [--keep] [--write]

SETS is a folder of question sets in the format of `recairn bench`. Peers are installed into
.cache/peers by exact version, once; every server is driven over MCP as an agent drives it, in a
fresh home, with vectors of one MiniLM on loopback. The figures are printed as tables with where
recairn loses; --write puts them, plots and all, into docs/benchmarks.md, and --keep goes on where a
run was interrupted. Needs Linux, the package index and npm.
"""

from __future__ import annotations

import sys

sys.path.append(sys.path.pop(0))  # so that keyword.py here does not hide the standard library's

import argparse
import datetime
import json
import os
import platform
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from beside import page, trials
from beside.installing import CACHE, MODELS, NotInstalled, install, pull_minilm, size_of, version_of
from beside.server import Failed
from beside.sets import Sample, sample
from beside.systems import SYSTEMS, System, is_ours
from beside.vectors import vector_server

from recairn.core.token_estimate import estimate
from recairn.surfaces.bench.bm25 import bm25
from recairn.surfaces.bench.datasets import Dataset, Document, Question, has_documents
from recairn.surfaces.bench.metrics import difference, interval, mean


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="run.py bench peers", description=__doc__.split("\n")[0])
    parser.add_argument("sets", help="a folder of question sets")
    parser.add_argument("--memories", type=int, default=1000, help="in the store that is timed")
    parser.add_argument("--documents", type=int, default=400, help="of each set")
    parser.add_argument("--questions", type=int, default=60, help="of each set")
    parser.add_argument("--only", default="", help="names of systems, by commas")
    parser.add_argument("--keep", action="store_true", help="what an interrupted run has measured")
    parser.add_argument("--write", action="store_true", help="write docs/benchmarks.md anew")
    return parser.parse_args()


def main() -> None:
    options = arguments()
    folders = [
        str(path) for path in sorted(Path(options.sets).iterdir()) if has_documents(str(path))
    ]
    if not folders:
        sys.exit(f"{options.sets} has no folder with corpus.jsonl, queries.jsonl and qrels.tsv")
    samples = [sample(folder, options.documents, options.questions) for folder in folders]
    wanted = [each for each in SYSTEMS if not options.only or each.name in options.only.split(",")]
    python = f"Python {platform.python_version()}"
    run: dict[str, Any] = {
        "date": datetime.date.today().isoformat(),
        "machine": f"{os.cpu_count()} cores, {platform.system()}, {python}",
        "memories": options.memories,
        "sets": [
            {"name": each.name, "documents": len(each.documents), "questions": len(each.questions)}
            for each in samples
        ],
        "systems": [],
        "absent": [],
    }
    gains: dict[str, dict[str, list[float]]] = {}
    environments = installed(wanted, run)
    with tempfile.TemporaryDirectory() as work, vector_server(str(MODELS)) as vectors:
        for system, environment in environments.items():
            about = kept(system, options)
            if about is None:
                about = measured(system(environment, vectors, MODELS), Path(work), options, samples)
                keep(system, options, about)
            gains[system.name] = {name: each.pop("ndcg") for name, each in about["quality"].items()}
            run["systems"].append({**identity(system, environment), **about})
    run["bm25"] = yardstick(samples)
    run["differences"] = differences(gains)
    print("\n".join(page.report(run)))
    if options.write:
        page.write(run)


def installed(wanted: list[type[System]], run: dict[str, Any]) -> dict[type[System], Path]:
    """The environments of all that could be installed; the others are named in the run."""
    environments = {}
    for system in wanted:
        try:
            environments[system] = install(system)
        except NotInstalled as problem:
            run["absent"].append(f"{system.name} ({system.package}): {problem}")
    ours = next((path for each, path in environments.items() if is_ours(each.name)), None)
    if ours is None:
        ours = install(SYSTEMS[0])
    pull_minilm(ours)
    return environments


def _file(system: type[System], options: argparse.Namespace) -> Path:
    sizes = f"{options.memories}-{options.documents}-{options.questions}-{Path(options.sets).name}"
    return CACHE / "runs" / f"{system.__name__}-{sizes}.json"


def kept(system: type[System], options: argparse.Namespace) -> dict[str, Any] | None:
    """What an earlier run with the same sizes measured, where it may be taken."""
    path = _file(system, options)
    return json.loads(path.read_text()) if options.keep and path.exists() else None


def keep(system: type[System], options: argparse.Namespace, about: dict[str, Any]) -> None:
    path = _file(system, options)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(about))


def identity(system: type[System], environment: Path) -> dict[str, Any]:
    return {
        "name": system.name,
        "version": version_of(system, environment),
        "notes": system.notes,
        "ours": is_ours(system.name),
    }


def measured(
    system: System, work: Path, options: argparse.Namespace, samples: list[Sample]
) -> dict[str, Any]:
    """All trials of a system; what it cannot do stays out, and standard error says why."""
    megabytes, packages = size_of(type(system), system.environment)
    figures: dict[str, Any] = {"installed_mb": megabytes, "packages": packages}
    quality: dict[str, Any] = {}

    def home(name: str) -> trials.Home:
        return trials.Home(system, work / f"{type(system).__name__}-{name}")

    def score(each: Sample) -> None:
        quality[each.name] = scored(trials.quality(home(each.name), each))

    parts: dict[str, Callable[[], None]] = {
        "speed": lambda: figures.update(trials.speed(home("speed"), options.memories)),
        "schemas": lambda: figures.update(trials.schemas(home("schemas"), estimate)),
        "kills": lambda: figures.update(trials.kills(home("kills"))),
        "odd queries": lambda: figures.update(trials.odd_queries(home("odd"))),
        "secrets": lambda: figures.update(trials.secrets(home("secrets"))),
        "deletion": lambda: figures.update(trials.deletion(home("deletion"))),
    }
    for each in samples:
        parts[each.name] = partial(score, each)
    for name, part in parts.items():
        print(f"{system.name}: {name}", file=sys.stderr, flush=True)
        try:
            part()
        except (Failed, KeyError, TypeError, AttributeError) as problem:
            print(f"{system.name}: {name} failed: {problem!r}", file=sys.stderr, flush=True)
    return {"figures": figures, "quality": quality}


def scored(found: dict[str, Any]) -> dict[str, Any]:
    low, high = interval(found["ndcg"])
    return {
        **found,
        "mean": mean(found["ndcg"]),
        "low": low,
        "high": high,
        "off_topic": len(trials.OFF_TOPIC),
    }


def yardstick(samples: list[Sample]) -> dict[str, Any]:
    """Plain BM25 over the same samples."""
    quality = {}
    for each in samples:
        documents = [Document(key, text, "", None) for key, text in each.documents.items()]
        questions = [
            Question(str(place), text, "", True, judged)
            for place, (text, judged) in enumerate(each.questions)
        ]
        quality[each.name] = {"mean": mean(bm25(Dataset(each.name, documents, questions)).ndcg)}
    return {"name": "BM25", "ours": False, "quality": quality}


def differences(gains: dict[str, dict[str, list[float]]]) -> list[dict[str, Any]]:
    """Ours against every other system, set by set, question by question."""
    return [
        {"set": name, "ours": own, "other": other, **difference(mine, gains[other][name])}
        for own in gains
        if is_ours(own)
        for other in gains
        if not is_ours(other)
        for name, mine in gains[own].items()
        if name in gains[other]
    ]


if __name__ == "__main__":
    main()
