"""What every store promises about events by their numbers."""

from tests.store.test_contract import change, keep


def test_events_are_found_by_number_and_those_after_one(store):
    assert store.last_event() == 0
    tide, fog = keep(store, "tide", "fog")
    last = store.last_event()
    change(store, tide, {"importance": 0.9})
    change(store, fog, {"importance": 0.1})
    newer = store.events_after(last)
    assert [event.memory for event in store.events_numbered(newer)] == [tide, fog]
    assert store.last_event() == newer[-1]
    assert store.events_numbered([newer[1], 999]) == store.history(fog)[-1:]
    assert store.events_numbered([]) == []
