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


def test_a_device_is_known_by_the_digest_of_its_token_until_it_or_its_member_is_revoked(store):
    with store.transaction():
        ann = store.put_member("ann", "writer", NOW)
        laptop = store.put_device(ann, "laptop", "aa", "lantern", at=NOW, until=NOW + 50)
        phone = store.put_device(ann, "phone", "bb", "", at=NOW, until=NOW + 60)
        store.note_device(phone, NOW + 3)
    assert store.device_of("cc") is None
    assert store.device_of("aa") == store.devices()[0]
    assert [(row.id, *row[1:]) for row in store.devices()] == [
        (laptop, "ann", "writer", "laptop", "lantern", NOW, NOW + 50, None, None),
        (phone, "ann", "writer", "phone", "", NOW, NOW + 60, None, NOW + 3),
    ]
    with store.transaction():
        store.revoke_device(laptop, NOW + 5)
        store.revoke_device(laptop, NOW + 7)
    assert [row.revoked_at for row in store.devices()] == [NOW + 5, None]
    with store.transaction():
        store.revoke_member(ann, NOW + 9)
    assert [row.revoked_at for row in store.devices()] == [NOW + 5, NOW + 9]
