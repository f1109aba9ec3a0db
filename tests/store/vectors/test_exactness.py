"""Vector search against looking at everything: the same memories, in the same order."""

from __future__ import annotations

import numpy
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

import recairn
from recairn.core.errors import ModelFailed
from recairn.core.model import Filter, Vectors
from recairn.ranking.codes import codes_of, one_byte_each, sketch, within
from tests.corpus import Clock
from tests.store.engines import FILES
from tests.store.vectors.conftest import NOON, Shelf, random_codes, same


def fill(shelf, rng, count, **options):
    ids = shelf.add(count, **options)
    shelf.put(ids, lambda _: [random_codes(rng, shelf.dim)])
    return ids


def test_codes_are_rounded_to_the_nearest_integer_and_halves_to_the_even_one():
    halves = [127.0, 0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 126.4, -126.6, 0.49999, 0.0, -127.0]
    wanted = [127, 0, 2, 2, 0, -2, -2, 126, -127, 0, 0, -127]
    assert list(memoryview(codes_of(halves)).cast("b")) == wanted


def test_a_search_finds_what_looking_at_everything_finds(shelf, rng):
    fill(shelf, rng, 280)
    for _ in range(20):
        asked = random_codes(rng, shelf.dim)
        same(shelf.found(asked, 10), shelf.expected(asked, 10))


def test_a_filter_of_one_percent_gives_full_results(shelf, rng):
    fill(shelf, rng, 1980)
    fill(shelf, rng, 20, category="rare")
    for _ in range(5):
        asked = random_codes(rng, shelf.dim)
        found = shelf.found(asked, 20, category="rare")
        same(found, shelf.expected(asked, 20, lambda kept: kept.category == "rare"))
        assert len(found) == 20


def test_a_filter_of_a_third_is_applied_before_the_cut(shelf, rng):
    fill(shelf, rng, 1000)
    fill(shelf, rng, 500, category="third")
    asked = random_codes(rng, shelf.dim)
    found = shelf.found(asked, 10, category="third")
    same(found, shelf.expected(asked, 10, lambda kept: kept.category == "third"))


def test_a_project_sees_its_own_and_no_other(shelf, rng):
    fill(shelf, rng, 60, project="one")
    fill(shelf, rng, 60, project="two")
    asked = random_codes(rng, shelf.dim)
    found = shelf.found(asked, 100, project="two")
    same(found, shelf.expected(asked, 100, lambda kept: kept.project == "two"))
    assert len(found) == 60


def test_tiers_and_sessions_decide_who_finds_a_memory(address, own_home):
    with recairn.open(address, project="one", session="s1", model="static") as memory:
        for tier in ("global", "project", "session"):
            memory.remember(f"the lamp of the {tier} lighthouse", tier=tier, force=True)

        def seen(**options):
            return {hit.memory.tier for hit in memory.semantic_search("lamp", **options).hits}

        assert seen() == {"global", "project", "session"}
        assert seen(session="s2") == {"global", "project"}
        assert seen(project="two", session="s2") == {"global"}


def test_the_nearest_piece_of_a_long_text_counts(shelf, rng):
    ids = shelf.add(120)
    shelf.put(ids, lambda memory: [random_codes(rng, 64) for _ in range(1 + memory % 4)])
    for _ in range(10):
        asked = random_codes(rng, 64)
        same(shelf.found(asked, 15), shelf.expected(asked, 15))


@pytest.mark.parametrize("dim", [32, 100, 384, 768, 1536])
def test_every_dimension_is_searched_exactly(address, rng, dim):
    shelf = Shelf(address, dim)
    fill(shelf, rng, 290)
    asked = random_codes(rng, dim)
    same(shelf.found(asked, 10), shelf.expected(asked, 10))
    shelf.memory.close()


def test_wide_vectors_keep_their_order_among_many(address, rng):
    """With 1,024 dimensions unrelated vectors differ in about 512 bits, more than a byte holds."""
    shelf = Shelf(address, 1024)
    ids = fill(shelf, rng, 900)
    near = numpy.frombuffer(shelf.kept[ids[450]].pieces[0], "i1").astype("f8")
    asked = codes_of((near + 40 * rng.standard_normal(1024)).tolist())
    assert shelf.found(asked, 1)[0][0] == ids[450]
    shelf.memory.close()


def test_a_replaced_vector_is_found_in_its_new_place_only(shelf, rng):
    ids = fill(shelf, rng, 50)
    before = shelf.kept[ids[3]].pieces[0]
    fresh = random_codes(rng, shelf.dim)
    shelf.put([ids[3]], lambda _: [fresh])
    assert shelf.found(fresh, 1)[0][0] == ids[3]
    same(shelf.found(before, 50), shelf.expected(before, 50))


@pytest.mark.parametrize("address", FILES, indirect=True)
def test_dropped_vectors_are_not_found_and_their_places_are_used_again(shelf, rng):
    ids = fill(shelf, rng, 600)
    shelf.drop(ids[:300])
    asked = random_codes(rng, shelf.dim)
    same(shelf.found(asked, 300), shelf.expected(asked, 300))
    fill(shelf, rng, 300)
    blocks = shelf.memory.store._c.rows("select count, length(members) / 8 from vector_blocks")
    assert sorted(blocks) == [(88, 88), (512, 512)]
    same(shelf.found(asked, 300), shelf.expected(asked, 300))
    shelf.drop([*shelf.kept])
    assert shelf.memory.store._c.rows("select id from vector_blocks") == []


def test_dropped_vectors_are_not_found(shelf, rng):
    ids = fill(shelf, rng, 60)
    shelf.drop(ids[:30])
    asked = random_codes(rng, shelf.dim)
    same(shelf.found(asked, 60), shelf.expected(asked, 60))


@pytest.mark.parametrize("address", FILES, indirect=True)
def test_what_a_reader_keeps_of_the_vectors_follows_every_writer(shelf, rng):
    """It reads the blocks that changed, or all of them after many changes: none is missed."""
    ids = fill(shelf, rng, 1100)
    fill(shelf, rng, 30, project="two")
    here = Filter(project="one", now=NOON)
    rows = {memory: kept.pieces[0] for memory, kept in shelf.kept.items()}
    changes = [
        lambda: shelf.put([ids[3], ids[700]], lambda _: [random_codes(rng, shelf.dim)]),
        lambda: shelf.drop(ids[20:30]),
        lambda: fill(shelf, rng, 5),
        lambda: fill(shelf, rng, 5, project="two"),
        lambda: [fill(shelf, rng, 1) for _ in range(40)],
        lambda: fill(shelf, rng, 600),
        lambda: shelf.drop(ids[512:1024]),
    ]
    with recairn.open(shelf.path, project="", model="none") as reader:

        def first(codes):
            return reader.store.match_vector(shelf.model, codes, here, 1)[0].memory

        assert first(rows[ids[3]]) == ids[3]
        for change in changes:
            change()
            now = {memory: kept.pieces[0] for memory, kept in shelf.kept.items()}
            own = [memory for memory in now if shelf.kept[memory].project == "one"]
            new = [memory for memory in own if rows.get(memory) != now[memory]]
            for memory in (*new[:20], *new[-20:], *rng.choice(own, 10)):
                assert first(now[memory]) == memory
            for memory in sorted(rows.keys() - now.keys())[::20]:
                assert first(rows[memory]) != memory
            rows = now


@pytest.mark.parametrize("address", FILES, indirect=True)
def test_nothing_of_a_dropped_vector_stays_in_its_block(shelf, rng):
    ids = fill(shelf, rng, 3)
    sketched = sketch(shelf.kept[ids[1]].pieces[0])
    shelf.drop([ids[1]])
    (bits,) = shelf.memory.store._c.row("select bits from vector_blocks")
    assert sketched not in bits


def test_vectors_are_there_after_reopening(shelf, rng):
    fill(shelf, rng, 200)
    shelf.reopen()
    asked = random_codes(rng, shelf.dim)
    same(shelf.found(asked, 10), shelf.expected(asked, 10))


def test_a_second_connection_sees_new_changed_and_dropped_vectors(shelf, rng):
    ids = fill(shelf, rng, 30)
    with recairn.open(shelf.path, project="", clock=Clock(), model="none") as other:
        wanted = Filter(now=NOON)

        def found(asked, limit):
            return other.store.match_vector(shelf.model, asked, wanted, limit)

        asked = random_codes(rng, shelf.dim)
        same(found(asked, 30), shelf.expected(asked, 30))
        fill(shelf, rng, 10)
        same(found(asked, 40), shelf.expected(asked, 40))
        shelf.drop(ids[:5])
        same(found(asked, 40), shelf.expected(asked, 40))
        shelf.put([ids[9]], lambda _: [asked])
        assert found(asked, 1)[0][0] == ids[9]


def test_a_rolled_back_change_is_not_found(shelf, rng):
    ids = fill(shelf, rng, 20)
    asked = random_codes(rng, shelf.dim)

    def drop_and_fail():
        with shelf.memory.store.transaction():
            shelf.memory.store.drop_vectors(ids)
            assert shelf.found(asked, 20) == []
            raise RuntimeError

    with pytest.raises(RuntimeError):
        drop_and_fail()
    same(shelf.found(asked, 20), shelf.expected(asked, 20))


def test_forgotten_expired_and_superseded_memories_are_left_out_before_the_cut(address, clock):
    with recairn.open(address, project="p", clock=clock, model="static") as memory:
        for number in range(30):
            memory.remember(f"the lamp number {number}", force=True)
        memory.remember("a brass lamp", force=True, expires_at=clock() + 1000)
        for number in range(1, 11):
            memory.forget(number)
        for number in range(11, 21):
            memory.supersede(number, 30)
        clock.now += 2000
        found = memory.semantic_search("the lamp number", limit=10)
        assert sorted(hit.id for hit in found.hits) == list(range(21, 31))


def test_a_vector_of_another_length_is_refused(shelf, rng):
    (memory,) = shelf.add(1)
    wrong = Vectors(memory, "p1", "x", [random_codes(rng, 65)])
    with pytest.raises(ModelFailed, match="64 dimensions"), shelf.memory.store.transaction():
        shelf.memory.store.put_vectors(shelf.model, [wrong])


def test_the_zero_vector_is_similar_to_nothing(shelf, rng):
    fill(shelf, rng, 5)
    assert shelf.found(bytes(shelf.dim), 5) == []


@pytest.mark.parametrize(("count", "wanted"), [(0, 3), (1, 3), (500, 20), (3000, 100)])
def test_within_gives_the_nearest_and_everything_as_near(rng, count, wanted):
    distances = rng.integers(60, 140, count).astype("u1").tobytes()
    positions, reach = within(distances, wanted)
    assert positions == [at for at in range(count) if distances[at] <= reach]
    assert len(positions) >= min(wanted, count)
    assert sum(each < reach for each in distances) < wanted or reach == 255
    further, farther = within(distances, wanted, reach)
    assert further == [at for at in range(count) if reach < distances[at] <= farther]


def test_wide_distances_are_scaled_to_a_byte():
    wide = numpy.array([0, 7, 8, 300, 768], "f4").tobytes()
    assert [*one_byte_each(wide, 768)] == [0, 3, 4, 150, 255]
    assert [*one_byte_each(wide, 2048)] == [0, 0, 1, 37, 96]
    assert [*one_byte_each(wide, 300)] == [0, 7, 8, 255, 255]


@pytest.mark.parametrize(
    ("most", "shift"), [(16, 0), (128, 0), (300, 0), (512, 1), (768, 1), (1536, 2), (3072, 3)]
)
def test_every_distance_is_scaled_as_by_dividing_it(most, shift):
    every = range(most + 1)
    scaled = [min(255, distance >> shift) for distance in every]
    assert [*one_byte_each(numpy.array(every, "f4").tobytes(), most)] == scaled
    # With nothing unusual among them, no correction is needed.
    usual = range(most // 2, most // 2 + 8)
    expected = [min(255, distance >> shift) for distance in usual]
    assert [*one_byte_each(numpy.array(usual, "f4").tobytes(), most)] == expected


def test_a_sketch_tells_small_steps_from_large_ones():
    far, near, zero = (bytes([value % 256] * 8) for value in (-100, 100, 0))
    differ = [
        (int.from_bytes(sketch(one + far)) ^ int.from_bytes(sketch(other + far))).bit_count()
        for one, other in ((near, near), (near, zero), (far, zero), (near, far))
    ]
    assert differ == [0, 8, 8, 16]


class Vectorkeeping(RuleBasedStateMachine):
    """Random puts, drops and questions; the store and plain Python must always agree."""

    def __init__(self) -> None:
        super().__init__()
        import tempfile

        self.folder = tempfile.TemporaryDirectory()
        self.shelf = Shelf(f"{self.folder.name}/v.db", dim=32)
        self.rng = numpy.random.default_rng(1)

    def teardown(self) -> None:
        self.shelf.memory.close()
        self.folder.cleanup()

    @rule(count=st.integers(1, 40), project=st.sampled_from("ab"), most=st.integers(1, 3))
    def put(self, count, project, most):
        ids = self.shelf.add(count, project=project)
        self.shelf.put(
            ids, lambda memory: [random_codes(self.rng, 32) for _ in range(1 + memory % most)]
        )

    @precondition(lambda self: self.shelf.kept)
    @rule(seed=st.integers(0, 1000))
    def put_again(self, seed):
        ids = list(self.shelf.kept)
        some = ids[seed % len(ids) :: 3]
        self.shelf.put(some, lambda _: [random_codes(self.rng, 32)])

    @precondition(lambda self: self.shelf.kept)
    @rule(seed=st.integers(0, 1000), every=st.integers(1, 5))
    def drop(self, seed, every):
        ids = list(self.shelf.kept)
        self.shelf.drop(ids[seed % len(ids) :: every])

    @rule()
    def rebuild(self):
        self.shelf.memory.store.rebuild_indexes()

    @rule()
    def reopen(self):
        self.shelf.reopen()

    @rule(limit=st.integers(1, 50), project=st.sampled_from((None, "a", "b")))
    def ask(self, limit, project):
        asked = random_codes(self.rng, 32)
        found = self.shelf.found(asked, limit, project=project)
        same(
            found,
            self.shelf.expected(asked, limit, lambda kept: project in (None, kept.project)),
        )

    @invariant()
    def healthy(self):
        assert self.shelf.memory.verify().problems == ()


TestVectorkeeping = Vectorkeeping.TestCase
TestVectorkeeping.settings = settings(max_examples=25, stateful_step_count=15)
