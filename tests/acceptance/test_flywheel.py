"""The flywheel: outcomes of the first tasks make the answers to the later ones better.

Twelve topics of a harbour, ten memories each, all of which sound as if they might help; two of the
ten do. An agent works through sixty tasks. It is handed a context, says in its note what it relied
on, mostly right, and succeeds mostly when something helpful was among it.
"""

from __future__ import annotations

import random
from typing import NamedTuple

import pytest

from tests.corpus import Clock, opened

TOPICS = (
    "foghorn lantern tidegauge winch mooring breakwater slipway radio barometer pilotboat"
    " drydock buoy"
).split()
ASPECTS = "timing pressure wiring grease bearings voltage seals filters brackets alarms".split()
WORK = "repair inspect replace document calibrate".split()
# A task is worded by who plans it, a memory by who did it: they share the topic, seldom the verb.
PLANNED = "overhaul check renew repair service".split()
PER_TOPIC = 10
HELPFUL_PER_TOPIC = 2
TASKS = 60
LEARNED_FROM = 30
SEED = 11


class World(NamedTuple):
    memories: list[str]
    topic_of: dict[int, str]
    helpful: set[int]
    tasks: list[tuple[str, str]]


def world() -> World:
    """The texts, which of them help, and (topic, title) of every task. Equal every time."""
    draw = random.Random(SEED)
    memories, topic_of, helpful = [], {}, set()
    for topic in TOPICS:
        for aspect in draw.sample(ASPECTS, PER_TOPIC):
            verb, other = draw.sample(WORK, 2)
            memories.append(f"{topic}: {verb} the {aspect} of the {topic} before you {other} it")
            topic_of[len(memories)] = topic
        ids = range(len(memories) - PER_TOPIC + 1, len(memories) + 1)
        helpful |= set(draw.sample(ids, HELPFUL_PER_TOPIC))
    tasks = []
    for number in range(TASKS):
        topic = TOPICS[number % len(TOPICS)]
        tasks.append((topic, f"{draw.choice(PLANNED)} the {topic}"))
    return World(memories, topic_of, helpful, tasks)


def ranks(memory, made: World, topic: str, title: str) -> dict[int, int]:
    """Places of all memories in the answer to a task, from 1; absent ones come last."""
    hits = memory.search(title, limit=200, all=True, track=False).hits
    places = {hit.id: place for place, hit in enumerate(hits, start=1)}
    return {each: places.get(each, len(made.memories)) for each in made.topic_of}


def work(memory, made: World, clock: Clock) -> None:
    """The first thirty tasks, with their outcomes."""
    draw = random.Random(SEED + 1)
    for number, (_, title) in enumerate(made.tasks[:LEARNED_FROM]):
        clock.advance(3_600_000)
        task = memory.add_task(title, id=f"t-{number}").id
        memory.start_task(task)
        given = [hit.id for hit in memory.context(task, limit=8).hits]
        useful = [each for each in given if each in made.helpful]
        relied_on = [each for each in useful if draw.random() < 0.9]
        relied_on += [each for each in given if each not in useful and draw.random() < 0.05]
        succeeded = draw.random() < (0.9 if useful else 0.3)
        note = "relied on " + ", ".join(f"#{each}" for each in relied_on) if relied_on else ""
        memory.finish_task(task, "success" if succeeded else "failure", note)


def mean_rank(found: list[dict[int, int]], made: World) -> float:
    """The mean place of the memories that help with a task, over the later tasks."""
    places = [
        each[memory]
        for each, (topic, _) in zip(found, made.tasks[LEARNED_FROM:], strict=True)
        for memory in made.helpful
        if made.topic_of[memory] == topic
    ]
    return sum(places) / len(places)


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    """(the world, ranks before, ranks after) of the last thirty tasks."""
    made, clock = world(), Clock()
    with opened(tmp_path_factory.mktemp("flywheel") / "harbour.db", clock=clock) as memory:
        memory.remember_many([{"content": each} for each in made.memories], on_similar="add")
        later = made.tasks[LEARNED_FROM:]
        before = [ranks(memory, made, *task) for task in later]
        work(memory, made, clock)
        after = [ranks(memory, made, *task) for task in later]
        assert memory.verify().problems == ()
    return made, before, after


def test_outcomes_lift_what_helps_with_later_tasks(told):
    made, before, after = told
    assert len(made.helpful) == len(made.memories) / 5
    first, then = mean_rank(before, made), mean_rank(after, made)
    print(f"mean rank of helpful memories: {first:.2f} before, {then:.2f} after")  # noqa: T201
    assert then <= first - 0.5


def test_feedback_alone_never_lets_the_irrelevant_overtake_the_relevant(told):
    made, before, after = told
    overtaken = [
        (topic, stranger, relevant)
        for first, then, (topic, _) in zip(before, after, made.tasks[LEARNED_FROM:], strict=True)
        for relevant in made.topic_of
        for stranger in made.topic_of
        if made.topic_of[relevant] == topic != made.topic_of[stranger]
        and first[relevant] < first[stranger]
        and then[stranger] < then[relevant]
    ]
    assert overtaken == []
