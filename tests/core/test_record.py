"""Records: frozen, slotted, compared by value."""

import copy
import pickle

import pytest

from recairn.core.model import Memory, Similar
from recairn.core.record import as_dict, as_tuple, record, replace


def fresh():
    """A record class that nobody has built before."""

    @record
    class Buoy:
        name: str
        depth: float = 3.0
        lamps: tuple[str, ...] = ()

        @property
        def label(self) -> str:
            return f"{self.name} at {self.depth:g} m"

    return Buoy


@pytest.fixture(params=["new", "built often"])
def buoy(request):
    made = fresh()
    if request.param == "built often":
        for _ in range(200):
            made("x")
    return made


def test_fields_are_given_by_position_or_name(buoy):
    assert as_tuple(buoy("north")) == ("north", 3.0, ())
    assert as_tuple(buoy("north", 5.0)) == ("north", 5.0, ())
    assert as_tuple(buoy(lamps=("red",), name="north")) == ("north", 3.0, ("red",))
    assert buoy("north").label == "north at 3 m"


@pytest.mark.parametrize(
    ("args", "given"),
    [((), {}), ((), {"depth": 2.0}), (("a", 1.0, (), 4), {}), (("a",), {"colour": "red"})],
)
def test_missing_unknown_and_too_many_values_are_type_errors(buoy, args, given):
    with pytest.raises(TypeError):
        buoy(*args, **given)


def test_a_field_given_twice_is_a_type_error(buoy):
    with pytest.raises(TypeError):
        buoy("a", name="b")


def test_a_record_cannot_be_changed(buoy):
    made = buoy("north")
    with pytest.raises(AttributeError, match="frozen"):
        made.name = "south"
    with pytest.raises(AttributeError):
        made.colour = "red"
    with pytest.raises(AttributeError, match="frozen"):
        del made.name
    assert made.name == "north"
    assert not hasattr(made, "__dict__")


def test_equal_values_are_equal_records(buoy):
    assert buoy("north") == buoy("north", 3.0)
    assert buoy("north") != buoy("south")
    assert buoy("north") != ("north", 3.0, ())
    assert buoy("north").__eq__(Similar(1, "u", "t", "c", 1.0)) is False
    with pytest.raises(TypeError, match="unhashable"):
        hash(buoy("north"))


def test_a_record_shows_its_fields(buoy):
    assert repr(buoy("north")) == "Buoy(name='north', depth=3.0, lamps=())"
    assert as_dict(buoy("north")) == {"name": "north", "depth": 3.0, "lamps": ()}


def test_replace_copies_with_changes(buoy):
    made = buoy("north")
    assert replace(made, depth=9.0) == buoy("north", 9.0)
    assert made.depth == 3.0
    with pytest.raises(TypeError):
        replace(made, colour="red")


def test_records_survive_copying_and_pickling():
    alike = Similar(1, "u", "t", "c", 0.5)
    assert copy.deepcopy(alike) == alike
    assert pickle.loads(pickle.dumps(alike)) == alike


def test_records_can_be_matched():
    match Similar(1, "u", "t", "c", 0.5):
        case Similar(id, uid, _, _, similarity):
            assert (id, uid, similarity) == (1, "u", 0.5)


def test_a_memory_has_the_fields_of_the_data_model():
    assert {"id", "uid", "kind", "title", "content", "fields", "project", "tier", "sector"} < set(
        Memory.__match_args__
    )
