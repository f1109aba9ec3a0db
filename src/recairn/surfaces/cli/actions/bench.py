"""Handlers of `bench`: question sets through the shipped search, prompts through the hook."""

from __future__ import annotations

import os

from recairn.core.errors import BadInput

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from recairn.surfaces.bench.datasets import Dataset
    from recairn.surfaces.bench.prompts import Outcome
    from recairn.surfaces.bench.run import Run
    from recairn.surfaces.cli.call import Call

_COLUMNS = ("ndcg@10", "recall@5", "recall@10", "recall@20", "mrr")


def bench(call: Call) -> int:
    import tempfile

    from recairn.surfaces.bench.datasets import read

    if call.arguments.get("verbatim"):
        return _verbatim(call)
    work = call.arguments.get("work")
    results = []
    with tempfile.TemporaryDirectory() as passing:
        for folder in call.arguments["folder"]:
            results.append(_measured(call, read(folder), work or passing))
            if not call.json:
                _show(call, results[-1])
    overall = _means(results)
    if call.json:
        call.screen.document({"sets": results, "means": overall})
    elif len(results) > 1:
        listed = "   ".join(f"{label} {value:.4f}" for label, value in overall.items())
        call.say(f"mean nDCG@10 over {len(results)} sets: {listed}")
    return 0


def hooks(call: Call) -> int:
    """Labelled prompts through the real hook: all of each half, then by the shape of the prompt."""
    import tempfile

    from recairn.surfaces.bench.prompts import HALVES, half_of, outcomes, read_projects

    folder, model = call.arguments["folder"], call.arguments.get("model", "static")
    projects = read_projects(folder)
    with tempfile.TemporaryDirectory() as work:
        results = [
            outcome
            for project in projects
            for outcome in outcomes(project, model, work, served=bool(call.arguments.get("server")))
        ]
    halves = {
        half: _by_shape([outcome for outcome in results if half_of(outcome.prompt.id) == half])
        for half in HALVES
    }
    memories = sum(len(project.memories) for project in projects)
    if call.json:
        call.screen.document({"model": model, "memories": memories, "halves": halves})
        return 0
    call.say(f"{len(results)} prompts, {memories} memories of {len(projects)} projects, {model}")
    for half, groups in halves.items():
        call.say(
            f"{half:14}  prompts  injected  precision  with answer  answered  unrelated"
            "  disturbed  tokens"
        )
        for name, row in groups.items():
            call.say(
                f"  {name:12}{row['prompts']:9}{row['injected']:10}{_percent(row['precision']):>11}"
                f"{row['answerable']:13}{_percent(row['answered']):>10}{row['unrelated']:11}"
                f"{_percent(row['disturbed']):>11}{row['tokens']:8.0f}"
            )
    return 0


def _by_shape(results: list[Outcome]) -> dict[str, dict[str, Any]]:
    """The figures of all prompts, and of those of each shape."""
    from recairn.surfaces.bench.prompts import figures

    shapes = dict.fromkeys(outcome.prompt.shape for outcome in results)
    groups = {
        shape: [outcome for outcome in results if outcome.prompt.shape == shape] for shape in shapes
    }
    return {name: figures(some) for name, some in {"all": results, **groups}.items()}


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.0f} %"


def _verbatim(call: Call) -> int:
    """Old memories asked for by their first words, of every profile."""
    import tempfile

    results = []
    for folder in call.arguments["folder"]:
        with tempfile.TemporaryDirectory() as passing:
            results.append(_trials(call, folder, passing))
        if not call.json:
            _show_trials(call, results[-1])
    if call.json:
        call.screen.document({"folders": results})
    return 0


def _trials(call: Call, folder: str, work: str) -> dict[str, Any]:
    from recairn.core.record import as_dict
    from recairn.core.times import now_ms
    from recairn.engine import open_memory
    from recairn.ranking.profiles import PROFILES
    from recairn.surfaces.bench.verbatim import fill_from, old_ones, tried

    path, model = os.path.join(work, "verbatim.db"), call.arguments.get("model", "static")
    profiles = (call.arguments["profile"],) if "profile" in call.arguments else tuple(PROFILES)
    with open_memory(path, project="bench", model=model) as memory:
        fill_from(memory, folder)
        sought = old_ones(memory, now_ms())
        if not sought:
            raise BadInput(
                f"{folder} has no memory older than 30 days",
                "give a folder with corpus.jsonl whose documents have timestamps, or one that"
                " recairn import reads",
            )
        trials = [tried(memory, sought, profile) for profile in profiles]
        total = memory.count(all_projects=True)
    return {
        "folder": folder,
        "memories": total,
        "asked": len(sought),
        "profiles": [as_dict(trial) for trial in trials],
    }


def _show_trials(call: Call, result: dict[str, Any]) -> None:
    call.say(
        f"{result['folder']}: {result['asked']} of {result['memories']} memories are older than"
        " 30 days; asked for by their first 8 words:"
    )
    call.say(f"  {'':12}{'first':>8}{'of three':>10}{'silent':>8}{'highest score':>15}")
    for trial in result["profiles"]:
        share = trial["first"] / result["asked"]
        call.say(
            f"  {trial['profile']:12}{trial['first']:8}{trial['among_three']:10}"
            f"{trial['silent']:8}{trial['highest']:15.3f}   {share:.0%} first"
        )


def _measured(call: Call, dataset: Dataset, work: str) -> dict[str, Any]:
    from recairn.surfaces.bench.bm25 import bm25
    from recairn.surfaces.bench.metrics import difference
    from recairn.surfaces.bench.run import summary

    yardstick = bm25(dataset)
    runs = [_run(call, dataset, work, variant) for variant in _variants(call)]
    pairs = [(runs[0], yardstick), *((other, runs[0]) for other in runs[1:])]
    return {
        "set": dataset.name,
        "documents": len(dataset.documents),
        "runs": [summary(run) for run in (yardstick, *runs)],
        "differences": [
            {"of": one.label, "to": other.label, **difference(one.ndcg, other.ndcg)}
            for one, other in pairs
        ],
    }


def _variants(call: Call) -> list[tuple[str, str, str]]:
    """(profile, model, reranker) of each run: the one asked for, then those to compare it with."""
    from recairn.embed.models import NAMES
    from recairn.ranking.profiles import PROFILES
    from recairn.surfaces.cli.actions.models import EMBEDDERS, RERANKERS

    profile = call.arguments.get("profile", "default")
    model = call.arguments.get("model", "static")
    variants = [(profile, model, "off")]
    for other in call.arguments.get("compare", ()):
        if other in PROFILES:
            variants.append((other, model, "off"))
        elif other in (*NAMES, *EMBEDDERS):
            variants.append((profile, other, "off"))
        elif other in RERANKERS or "/" in other:
            variants.append((profile, model, other))
        else:
            raise BadInput(
                f"{other!r} is neither a profile nor a model, nor a reranker",
                "see recairn bench -h",
            )
    return variants


def _run(call: Call, dataset: Dataset, work: str, variant: tuple[str, str, str]) -> Run:
    profile, model, reranker = variant
    from recairn.engine import open_memory
    from recairn.surfaces.bench.run import ask, database_for, fill

    os.makedirs(work, mode=0o700, exist_ok=True)
    options: dict[str, Any] = {"profile": profile, "mode": call.arguments.get("mode", "hybrid")}
    if call.arguments.get("all"):
        options["all"] = True
    options["deep"] = reranker != "off"
    with open_memory(database_for(work, dataset, model), project="", model=model) as memory:
        fill(memory, dataset, lambda done, total: None)
        if options["deep"]:
            memory.use_reranker(reranker)
        label = f"{profile}, {model}, {options['mode']}" + f", {reranker}" * options["deep"]
        return ask(memory, dataset, label, **options)


def _show(call: Call, result: dict[str, Any]) -> None:
    first = result["runs"][0]
    call.say(f"{result['set']}: {result['documents']} documents, {first['questions']} questions")
    heads = "".join(f"{name:>10}" for name in _COLUMNS)
    call.say(f"  {'':34}{heads}   95 % of nDCG    silent   p50 ms   p95 ms")
    for run in result["runs"]:
        figures = "".join(f"{run[name]:10.4f}" for name in _COLUMNS)
        interval = f"{run['ndcg@10_low']:.3f}-{run['ndcg@10_high']:.3f}"
        silent = f"{run['kept_silent']}/{run['unanswerable']}" if run["unanswerable"] else "-"
        times = f"{run['p50_ms']:9.1f}{run['p95_ms']:9.1f}"
        call.say(f"  {run['label']:34}{figures}   {interval}  {silent:>8}{times}")
    for run in result["runs"][1:]:
        evidence = ", ".join(
            f"{name} {run[f'recall_{name}@5']:.4f} {run[f'recall_{name}@10']:.4f}"
            for name in ("all", "any")
        )
        call.say(
            f"  {run['label']}: evidence among 5 and 10: {evidence}; false silence"
            f" {run['false_silence']:.1%}, calibration error of first hits"
            f" {run['calibration_error']:.3f}, of ten {run['calibration_error_of_all']:.3f}"
        )
    for difference in result["differences"]:
        call.say(
            f"  {difference['of']} - {difference['to']}: {difference['mean']:+.4f}"
            f" [{difference['low']:+.4f}, {difference['high']:+.4f}],"
            f" won {difference['won']}, lost {difference['lost']}"
        )


def _means(results: list[dict[str, Any]]) -> dict[str, float]:
    by_label: dict[str, list[float]] = {}
    for result in results:
        for run in result["runs"]:
            by_label.setdefault(run["label"], []).append(run["ndcg@10"])
    return {label: sum(values) / len(values) for label, values in by_label.items()}
