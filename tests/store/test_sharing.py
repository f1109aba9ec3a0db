"""What every store promises about members, and about what is kept from a team."""

from tests.corpus import NOW
from tests.store.test_contract import keep


def test_members_are_listed_by_name_with_their_roles(store):
    with store.transaction():
        second = store.put_member("bob", "reader", NOW)
        first = store.put_member("ann", "admin", NOW + 1)
    assert first != second
    assert [(row.id, *row[1:]) for row in store.members()] == [
        (first, "ann", "admin", NOW + 1, None),
        (second, "bob", "reader", NOW, None),
    ]


def test_a_member_who_is_put_again_keeps_the_number_and_gets_the_role(store):
    with store.transaction():
        number = store.put_member("ann", "writer", NOW)
        store.revoke_member(number, NOW + 5)
    assert store.members()[0].revoked_at == NOW + 5
    with store.transaction():
        assert store.put_member("ann", "reviewer", NOW + 9) == number
    assert store.members()[0][1:] == ("ann", "reviewer", NOW, None)


def test_who_names_no_member_shares_what_is_put(store):
    (memory,) = keep(store, "gulls nest on the pier")
    assert (store.member, store.role) == ("", "")
    assert store.sharing([memory, memory + 1]) == {memory: ("", False)}
    with store.transaction():
        store.set_private(memory, False)
    assert store.sharing([memory]) == {memory: ("", False)}
