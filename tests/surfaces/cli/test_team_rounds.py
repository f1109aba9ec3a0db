"""Commands by which a laptop exchanges with its team's server, and that server's own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from functools import partial

import pytest

from tests.surfaces.hub.team import TeamServer, members


@pytest.fixture
def hub(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hub")
    database = str(folder / "team.db")
    tokens = members(database, ann="admin", bob="writer")
    served = TeamServer(folder, database)
    served.tokens = tokens
    yield served
    served.stop()


@pytest.fixture
def laptop(recairn, tmp_path, monkeypatch, hub):
    """Types as a member, in a checkout that is called lantern on the laptop of each."""

    def of(member):
        return partial(typed, member)

    def typed(member, *words, stdin="", **options):
        folder = tmp_path / member / "lantern"
        (folder / ".git").mkdir(parents=True, exist_ok=True)
        with monkeypatch.context() as patch:
            patch.chdir(folder)
            patch.setenv("XDG_DATA_HOME", str(tmp_path / member / "share"))
            patch.setenv("RECAIRN_DB", str(tmp_path / member / "memory.db"))
            patch.delenv("RECAIRN_TOKEN", raising=False)
            return recairn(*words, stdin=stdin, **options)

    return of


def test_a_laptop_joins_shares_exchanges_and_leaves(recairn, laptop, hub):
    ann, bob = laptop("ann"), laptop("bob")
    assert "recairn team join https" in ann("sync").err
    without = ann("team", "join", hub.url)
    assert (without.status, "recairn member token" in without.err) == (1, True)
    wrong = ann("team", "join", hub.url, "--token-file", "-", stdin="rcn_wrong")
    assert (wrong.status, "does not know this machine" in wrong.err) == (1, True)
    plain = ann("team", "join", "http://memory.example", "--token-file", "-", stdin="x")
    assert "unencrypted" in plain.err
    for name in ("ann", "bob"):
        words = ("team", "join", hub.url, "--token-file", "-")
        assert f"as {name}" in laptop(name)(*words, stdin=hub.tokens[name] + "\n").out
    ann("add", "The lamp turns with a stepper motor")
    ann("add", "The lamp is mine alone", "--private")
    assert "nobody can be asked" in ann("share").err
    shared = ann("share", "--yes")
    assert "1 memory" in shared.err
    assert "1 stay here: it is kept from the team" in shared.err
    assert shared.out.startswith("Shared lantern as lantern: sent 1")
    assert "took 1 new" in bob("share", "--as", "lantern", "--yes").out
    assert "from member ann" in bob("recent").out
    bob("add", "Fog is visibility below 800 m")
    assert bob("sync").out == "sent 1, took 0 new and 0 changed\n"
    assert json.loads(ann("sync", "--json").out)["added"] == 1
    found = ann("search", "--team", "fog visibility").out
    assert "Fog is visibility" in found
    assert "mine alone" not in bob("search", "--team", "lamp").out
    assert "0 to send" in ann("sync", "status").out
    assert ann("sync", "conflicts").out == "no conflicts\n"
    database = str(hub.audit_file.with_name("team.db"))
    assert "every laptop" in recairn("team", "restored", "--db", database).out.lower()
    assert ann("sync").status == 0
    assert "shared no longer" in ann("unshare").out
    assert "--keep or --drop" in bob("team", "leave").err
    assert "Forgot 1 memories of others" in bob("team", "leave", "--drop").out
    assert "has joined no team" in bob("sync").err


def test_without_the_server_everything_waits_and_the_background_says_nothing(laptop, hub):
    ann = laptop("ann")
    ann("team", "join", hub.url, "--token-file", "-", stdin=hub.tokens["ann"])
    ann("share", "--yes")
    ann("add", "The lamp turns with a stepper motor")
    hub.stop()
    quiet = ann("sync", "--quiet")
    assert (quiet.status, quiet.out, quiet.err) == (1, "", "")
    status = ann("sync", "status")
    assert "cannot be reached" in status.out
    assert "1 to send" in status.out


def test_who_watches_takes_what_others_send_until_told_to_stop(laptop, hub, tmp_path):
    for name in ("ann", "bob"):
        laptop(name)("team", "join", hub.url, "--token-file", "-", stdin=hub.tokens[name])
        laptop(name)("share", "--yes")
    own = tmp_path / "bob"
    places = {"XDG_DATA_HOME": str(own / "share"), "RECAIRN_DB": str(own / "memory.db")}
    watching = subprocess.Popen(
        [sys.executable, "-m", "recairn", "sync", "--watch"],
        cwd=own / "lantern",
        env={**os.environ, **places},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert watching.stdout is not None
    try:
        laptop("ann")("add", "The lamp turns with a stepper motor")
        laptop("ann")("sync")
        assert "took 1 new" in watching.stdout.readline()
    finally:
        watching.send_signal(signal.SIGINT)
        watching.communicate(timeout=60)
    assert "stepper" in laptop("bob")("recent").out


def test_both_texts_of_a_conflict_are_shown(laptop, hub):
    ann, bob = laptop("ann"), laptop("bob")
    ann("add", "The lamp turns with a stepper motor")
    for name in ("ann", "bob"):
        laptop(name)("team", "join", hub.url, "--token-file", "-", stdin=hub.tokens[name])
        laptop(name)("share", "--yes")
    ann("edit", "1", "The lamp floats on mercury")
    bob("edit", "1", "The lamp rolls on balls")
    for name in ("ann", "bob", "ann"):
        laptop(name)("sync")
    shown = ann("sync", "conflicts").out
    assert "floats on mercury" in shown
    assert "rolls on balls" in shown


def test_an_admin_makes_a_rule_team_policy_and_others_may_decline_it(laptop, hub):
    ann, bob = laptop("ann"), laptop("bob")
    for name in ("ann", "bob"):
        words = ("team", "join", hub.url, "--token-file", "-")
        joined = laptop(name)(*words, stdin=hub.tokens[name] + "\n")
        assert "make team policy will hold here" in joined.err
    assert "is not shared" in ann("policy", "list").err
    ann("add", "Never merge without a review", "--kind", "rule")
    ann("add", "Fog is visibility below 800 m")
    ann("share", "--yes")
    assert ann("policy", "list").out.startswith("no team policies")
    assert "only a rule" in ann("policy", "add", "2").err
    assert "holds for all who share lantern" in ann("policy", "add", "1").out
    taken = bob("share", "--yes")
    number = json.loads(bob("policy", "list", "--json").out)["policies"][0]["id"]
    assert f"#{number} is team policy" in bob("sync").err + taken.err
    assert "team policy of ann" in bob("rules").out
    assert "by ann on " in bob("policy", "list").out
    refused = bob("policy", "add", str(number))
    assert (refused.status, "bob is a writer" in refused.err) == (1, True)
    assert "does not hold here" in bob("policy", "decline", str(number)).out
    assert "team policy" not in bob("rules").out
    assert "declined" in bob("policy", "list").out
    assert "no longer" in ann("policy", "remove", "1").out
    assert ann("policy", "remove", "1").status == 1
