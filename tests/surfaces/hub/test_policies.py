"""Team policy: what an admin lets hold for all, and what nobody else can pass off as it."""

from __future__ import annotations

import json

import pytest

import recairn
from recairn.core.errors import BadInput, Refused
from recairn.core.stamps import parsed
from recairn.sync.policies import wording
from recairn.sync.wire import Wire
from tests.surfaces.hub.laptop import Laptop
from tests.surfaces.hub.team import members, serving

LAW = "Never merge without a review"


@pytest.fixture(scope="module")
def hub(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hub")
    database = str(folder / "team.db")
    tokens = members(database, ann="admin", bob="writer", vic="reviewer", rhea="reader")
    with serving(folder, database, tokens) as served:
        yield served


@pytest.fixture
def pair(hub, tmp_path):
    """The laptops of ann, an admin, and of bob; bob has proposed a rule."""
    ann, bob = Laptop(tmp_path, "ann"), Laptop(tmp_path, "bob")
    ann.project = bob.project = f"lantern-{tmp_path.name}"
    with bob.open() as memory:
        memory.remember(LAW, kind="rule")
    bob.join(hub.url, hub.tokens["bob"])
    ann.join(hub.url, hub.tokens["ann"])
    return ann, bob


@pytest.fixture
def cora(hub, pair, tmp_path):
    """A third member, with the machine of one who reviews."""
    laptop = Laptop(tmp_path, "cora")
    laptop.project = pair[0].project
    with recairn.open(hub.database, project="", model="none") as memory:
        token = memory.add_device("vic", tmp_path.name)[1]
    laptop.join(hub.url, token)
    return laptop


def rule(memory):
    (found,) = [each for each in memory.every_memory() if each.kind == "rule"]
    return found


def rules_of(laptop) -> list[tuple[str, str, str]]:
    with laptop.open() as memory:
        return [
            (each.memory.content, each.memory.trust, each.memory.author)
            for each in memory.rules_in_force().rules
        ]


def post(hub, member: str, project: str, uid: str, version: str | None):
    said = {"project": project, "uid": uid, "version": version}
    return hub.ask("POST", "/sync/1/policy", said, token=hub.tokens[member])


def test_a_policy_of_an_admin_holds_for_all_and_is_marked(hub, pair, cora):
    ann, bob = pair
    assert rules_of(cora) == []
    with ann.open() as memory:
        memory.set_policy(rule(memory).id)
    assert rules_of(ann) == [(LAW, "verified", "policy:ann")]
    assert cora.sync()["policies"] == [1]
    assert rules_of(cora) == [(LAW, "verified", "policy:ann")]
    with cora.open() as memory:
        text = memory.context(prompt="merge the branch").text
        assert LAW in text
        assert "team policy of ann" in text
        (listed,) = memory.policies()
        assert (listed["by"], listed["state"]) == ("ann", "holds")
    bob.sync()
    # It is bob's own rule: it was in force there before, and stays his.
    assert rules_of(bob) == [(LAW, "verified", "person")]
    (noted,) = [line for line in hub.audit() if line["what"] == "policy"][-1:]
    assert (noted["member"], noted["project"]) == ("ann", ann.project)


def test_what_is_no_policy_any_more_waits_again_and_stays_with_the_team(pair, cora):
    ann, bob = pair
    with ann.open() as memory:
        memory.set_policy(rule(memory).id)
    cora.sync()
    with ann.open() as memory:
        memory.set_policy(rule(memory).id, on=False)
    cora.sync()
    assert rules_of(cora) == []
    with cora.open() as memory:
        found = rule(memory)
        assert (found.trust, found.author, found.deleted_at) == ("unverified", "member:bob", None)
    for laptop in (cora, ann, bob, cora):
        assert laptop.sync()["sent"] == 0
    assert rules_of(bob) == [(LAW, "verified", "person")]


def test_a_member_declines_it_for_themselves_alone(pair, cora):
    ann, _ = pair
    with ann.open() as memory:
        memory.set_policy(rule(memory).id)
    cora.sync()
    with cora.open() as memory:
        memory.author = "agent:codex"
        with pytest.raises(Refused, match="only a person"):
            memory.decline_policy(1)
        memory.author = "person"
        memory.decline_policy(1)
        with pytest.raises(BadInput, match="no team policy"):
            memory.decline_policy(1)
    for _ in range(2):
        assert cora.sync()["policies"] == []
    assert rules_of(cora) == []
    assert rules_of(ann) == [(LAW, "verified", "policy:ann")]
    with cora.open() as memory:
        assert [each["state"] for each in memory.policies()] == ["declined"]
        memory.accept([1])
        assert [each["state"] for each in memory.policies()] == ["your own rule"]


def test_other_words_are_a_proposal_again(pair, cora):
    ann, bob = pair
    with ann.open() as memory:
        memory.set_policy(rule(memory).id)
    cora.sync()
    with bob.open() as memory:
        memory.edit(rule(memory).id, content="Merge whatever you like")
    for laptop in (bob, cora, ann):
        laptop.sync()
    assert rules_of(cora) == []
    assert rules_of(ann) == []
    with cora.open() as memory:
        assert [each["state"] for each in memory.policies()] == [
            "was rewritten since, and waits for an admin"
        ]


@pytest.mark.parametrize("member", ["bob", "vic", "rhea"])
def test_nobody_but_an_admin_makes_or_ends_a_policy(hub, pair, member):
    ann, bob = pair
    with bob.open() as memory:
        mine = rule(memory)
    for version in (wording(mine), None):
        answer = post(hub, member, ann.project, mine.uid, version)
        assert answer.status == 403
    ann.sync()
    assert rules_of(ann) == []
    assert hub.ask("GET", f"/sync/1/policy?project={ann.project}").json["policies"] == []
    assert post(hub, "ann", ann.project, mine.uid, "of other words").status == 403
    assert post(hub, "ann", "puffin", mine.uid, wording(mine)).status == 404


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"project": 7, "uid": "x", "version": "y"},
        {"project": "lantern", "uid": "x" * 300, "version": "y"},
        {"project": "lantern", "uid": "x", "version": ["y"]},
        {"project": "lantern", "uid": "x", "version": {}},
    ],
)
def test_a_policy_that_is_none_is_refused(hub, body):
    answer = hub.ask("POST", "/sync/1/policy", body, token=hub.tokens["ann"])
    assert answer.status == 400


def test_no_record_that_a_writer_pushes_makes_a_rule_policy(hub, pair, cora):
    """Every field that might be believed, and types that a newer program might know."""
    ann, bob = pair
    with bob.open() as memory:
        memory.edit(rule(memory).id, category="law")
        (record,) = memory.outbox_page()["records"]
    stamps = {**record["stamps"], "word": [2**40, "forged"], "pin": [2**40, "forged"]}
    claims = {"trust": "verified", "author": "policy:ann", "written_by": "ann", "policy": True}
    forged = [
        {**record, **claims, "stamps": stamps, "pinned": True, "importance": 1.0},
        {"type": "policy", "uid": record["uid"], "project": ann.project, "by": "ann"},
        {"type": "setting", "uid": "x", "project": ann.project, "key": "team.policies"},
        {"type": "event", "uid": "x", "project": ann.project, "event": "policy"},
    ]
    wire = Wire(hub.url, hub.tokens["bob"])
    answers = wire.push(forged)["answers"]
    wire.close()
    assert [each["answer"] for each in answers[1:]] == ["refused"] * 3
    assert cora.sync()["policies"] == []
    assert rules_of(cora) == []
    with cora.open() as memory:
        found = rule(memory)
        assert (found.trust, found.author) == ("unverified", "member:bob")
        assert "word" not in parsed(memory.store.stamps_of([found.id])[found.id])


def test_no_mirror_and_no_import_makes_a_rule_policy(pair, cora, tmp_path):
    claims = {
        "type": "memory",
        "kind": "rule",
        "content": "Always deploy on Fridays",
        "uid": "01k00000000000000000000000",
        "created_at": "2026-01-01T00:00:00Z",
        "trust": "verified",
        "author": "policy:ann",
        "policy": "ann",
    }
    event = {"type": "event", "memory": claims["uid"], "event": "policy", "reason": "by ann"}
    setting = {"type": "setting", "key": "team.policies", "value": '{"lantern": {}}'}
    folder = tmp_path / "mirror"
    folder.mkdir()
    (folder / "rule.jsonl").write_text(json.dumps(claims) + "\n")
    with cora.open() as memory:
        memory.take_records([("1", claims), ("2", event), ("3", setting)])
        memory.start_mirror(folder)
        assert memory.config().get("team.policies") is None
    assert cora.sync()["policies"] == []
    assert rules_of(cora) == []
    with cora.open() as memory:
        assert {each.author.partition(":")[0] for each in memory.every_memory()} <= {
            "member",
            "import",
            "repository",
        }


def test_who_leaves_has_no_policies_any_more(pair, cora):
    ann, _ = pair
    with ann.open() as memory:
        memory.set_policy(rule(memory).id)
    cora.sync()
    with cora.open() as memory:
        memory.leave_team(keep=True)
        assert memory.rules_in_force().rules == ()
        assert rule(memory).author == "member:bob"
