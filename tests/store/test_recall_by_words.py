"""Recall by words is made cheap in several ways; none of them may change what it finds."""

import math
import random
from collections import Counter
from typing import Any

import pytest

import recairn
from recairn.core.model import Filter
from recairn.core.words import understand
from tests.corpus import NOW, PROJECT, opened

# Few words, so that every question matches many memories, some with the same score.
WORDS = "tide buoy lamp pier gull tern mast keel sail rope hull fog horn reef dock crane".split()


class Book:
    """BM25 as a book has it, over every memory that an asker's project sees."""

    def __init__(self, store, filter):
        self.store = store
        whole: dict[str, Any] = {"now": 0, "include_deleted": True, "include_superseded": True}
        self.scope = self.split(Filter(project=filter.project, **whole))
        lengths = [terms.total() for terms in self.split(Filter(**whole)).values()]
        self.usual = sum(lengths) / len(lengths)
        self.passing = store.passing([*self.scope], filter)

    def split(self, filter):
        listed = self.store.listing(filter, order="newest", limit=-1)
        # The index holds the day of each as well.
        texts = {each.id: f"{each.content} 18 November 2026 Wednesday" for each in listed}
        return {
            number: Counter(term.term for term in self.store.terms(text))
            for number, text in texts.items()
        }

    def answers(self, plan):
        asked = [(term.term,) for word in plan.words for term in self.store.terms(word)]
        if plan.prefix and sum(asked[-1][0] in terms for terms in self.scope.values()) < 100:
            known = {term for terms in self.scope.values() for term in terms}
            asked.append(tuple(term for term in known if term.startswith(asked[-1][0])))
        scores = dict.fromkeys(self.scope, 0.0)
        for terms in asked:
            often = {number: sum(own[term] for term in terms) for number, own in self.scope.items()}
            holding = sum(count > 0 for count in often.values())
            rarity = math.log((len(self.scope) - holding + 0.5) / (holding + 0.5))
            for number, count in often.items():
                long = self.scope[number].total() / self.usual
                share = count * 2.2 / (count + 1.2 * (0.25 + 0.75 * long))
                scores[number] += max(rarity, 1e-6) * share
        best = sorted((-round(score, 9), number) for number, score in scores.items() if score)
        return [number for _, number in best if number in self.passing]


def fill(memory, count):
    """Memories, four in five in one project, many of them forgotten."""
    draw = random.Random(7)
    drafts = [
        {
            "content": " ".join(draw.choices(WORDS, k=draw.randint(3, 12))),
            "project": draw.choice(("puffin", "puffin", "puffin", "puffin", "kestrel")),
            "tier": draw.choice(("project", "project", "project", "global")),
            "kind": draw.choice(("note", "learning")),
        }
        for _ in range(count)
    ]
    ids = [answer.id for answer in memory.remember_many(drafts, on_similar="add")]
    for number in draw.sample(ids, count // 4):
        memory.forget(f"{memory.get(number).project}/{number}")


@pytest.fixture(scope="module")
def shelf(tmp_path_factory):
    with opened(tmp_path_factory.mktemp("recall") / "m.db") as memory:
        fill(memory, 600)
        yield memory.store


@pytest.fixture(scope="module")
def crowd(tmp_path_factory):
    """More memories than are all looked at, most of them about something else."""
    with opened(tmp_path_factory.mktemp("crowd") / "m.db") as memory:
        fill(memory, 600)
        projects = ["puffin"] * 900 + ["gannet"] * 500
        strangers = [
            {"content": f"crumb {number} of bread", "project": project}
            for number, project in enumerate(projects)
        ]
        memory.remember_many(strangers, on_similar="add")
        yield memory.store


def questions():
    draw = random.Random(3)
    for _ in range(60):
        asked = " ".join(draw.choices(WORDS, k=draw.choice((1, 2, 3, 3, 4, 6, 7))))
        yield draw.choice((asked, asked, asked + " ", f'"{asked}" reef', asked[:-1]))


FILTERS = [
    Filter(now=NOW),
    Filter(project="puffin", now=NOW),
    Filter(project="kestrel", now=NOW),
    Filter(project="puffin", kinds=("note",), now=NOW),
    Filter(project="puffin", hidden="deleted", now=NOW),
    Filter(project="nobody's", now=NOW),
]


@pytest.mark.parametrize("filter", FILTERS)
def test_what_is_found_is_what_a_book_says(shelf, filter):
    book = Book(shelf, filter)
    for question in [*questions()][:25]:
        plan = understand(question)
        wanted = book.answers(plan)
        for limit in (1, 7, 40, 400):
            found = [match.memory for match in shelf.match_text(plan, filter, limit)]
            assert found == wanted[:limit]


@pytest.mark.parametrize("share", [0.0, 2.0], ids=["a large share", "a small share"])
def test_a_large_scope_is_ranked_as_a_book_says_whoever_ranks_it(crowd, monkeypatch, share):
    # Below this share of the table the engine does not rank.
    monkeypatch.setattr("recairn.store.sqlite.match._LARGE_SHARE", share)
    for filter in (FILTERS[0], FILTERS[1], FILTERS[3]):
        book = Book(crowd, filter)
        for question in [*questions()][:12]:
            plan = understand(question)
            wanted = book.answers(plan)
            for limit in (1, 7, 40):
                found = [match.memory for match in crowd.match_text(plan, filter, limit)]
                assert found == wanted[:limit]


@pytest.mark.parametrize("share", [0.0, 2.0], ids=["a large share", "a small share"])
def test_of_a_long_question_about_much_the_rarest_words_choose(crowd, monkeypatch, share):
    monkeypatch.setattr("recairn.store.sqlite.match._LARGE_SHARE", share)
    monkeypatch.setattr("recairn.ranking.lexical._MANY", 100)
    for filter in FILTERS[:4]:
        found = crowd.match_text(understand(" ".join(WORDS) + " "), filter, 40)
        assert len(found) == 40
        assert {match.memory for match in found} == crowd.passing([m for m, _ in found], filter)


def test_a_long_question_whose_words_are_common_elsewhere_is_answered_in_a_large_scope(
    crowd, tmp_path
):
    common = " ".join(WORDS)
    crowd.backup_to(str(tmp_path / "m.db"))
    # Beyond 20,000 places of its words in the whole index only the rarest are asked for.
    with opened(tmp_path / "m.db") as memory:
        memory.remember_many(
            [{"content": f"{common} {n}", "project": "kestrel"} for n in range(1300)],
            on_similar="add",
        )
        found = memory.store.match_text(understand(common + " "), FILTERS[1], 7)
        texts = memory.store.get_many([each.memory for each in found]).values()
        assert [len({*each.content.split()} & {*WORDS}) > 5 for each in texts] == [True] * 7


def test_neither_cut_nor_filter_changes_what_is_found_or_its_order(address):
    with recairn.open(address, project=PROJECT, model="none") as memory:
        fill(memory, 160)
        store = memory.store
        for question in [*questions()][:8]:
            # A blank at the end: no word of it is the beginning of another.
            plan = understand(question.strip('"') + " ")
            terms = {term.term for word in plan.words for term in store.terms(word)}
            for filter in FILTERS:
                known = {each.id: each for each in store.listing(filter, order="newest", limit=-1)}
                found = [match.memory for match in store.match_text(plan, filter, 400)]
                holding = {
                    number
                    for number, each in known.items()
                    if terms & {term.term for term in store.terms(each.content)}
                }
                assert set(found) == holding
                for limit in (1, 7, 40):
                    first = [match.memory for match in store.match_text(plan, filter, limit)]
                    assert first == found[:limit]
                if filter == FILTERS[1]:
                    notes = [number for number in found if known[number].kind == "note"]
                elif filter == FILTERS[3]:
                    assert found == notes


def test_words_that_stand_together_in_one_memory_only_put_it_first(address):
    with recairn.open(address, project=PROJECT, model="none") as memory:
        memory.remember("the lamp of the pier, and far away from both of them stands a mast")
        memory.remember("mast and keel, sail and rope: the lamp is on the pier", force=True)
        memory.remember("tide lamp pier mast reef", force=True)
        found = memory.store.match_text(understand("lamp pier mast "), Filter(now=NOW), 10)
        assert found[0][0] == 3
        memory.forget(3)
        left = memory.store.match_text(understand("lamp pier mast "), Filter(now=NOW), 10)
        assert sorted(number for number, _ in left) == [1, 2]


def test_a_figure_is_counted_anew_after_another_process_wrote(address):
    here = Filter(project="puffin", now=NOW)
    one: Any
    with (
        recairn.open(address, project=PROJECT, model="none") as one,
        recairn.open(address, project=PROJECT, model="none") as other,
    ):
        one.remember("the tide table hangs in the harbour office")
        places = one.store.candidates(understand("tide"), None, here, 9).matches
        assert (places.total, places.frequencies) == (1, {"tide": 1})
        other.remember("the tide turned at noon")
        places = one.store.candidates(understand("tide"), None, here, 9).matches
        assert (places.total, places.frequencies) == (2, {"tide": 2})


def test_a_figure_of_a_change_that_failed_is_not_kept(address):
    here = Filter(project="puffin", now=NOW)
    with recairn.open(address, project=PROJECT, model="none") as memory:
        memory.remember("the tide table hangs in the harbour office")

        def count():
            candidates = memory.store.candidates(understand("tide"), None, here, 9)
            return candidates.matches.frequencies["tide"] if candidates.matches else 0

        def edit_and_fail():
            with memory.store.transaction():
                memory.edit(1, content="the table hangs in the harbour office")
                assert count() == 0
                raise RuntimeError

        assert count() == 1
        with pytest.raises(RuntimeError):
            edit_and_fail()
        assert count() == 1
