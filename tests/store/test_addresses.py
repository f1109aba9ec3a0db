"""An address of a kind that recairn does not know is refused, and makes no file of that name."""

import os

import pytest

import recairn
from recairn import store as stores
from recairn.core.address import scheme_of
from recairn.core.errors import BadInput

STRANGE = ["redis://me:secret@db/memories", "FTP://db", "mysql+pymysql://db/x", "file:///tmp/m"]


@pytest.mark.parametrize("make", [stores.open, stores.maintenance, recairn.open])
@pytest.mark.parametrize("address", STRANGE)
def test_a_strange_address_is_refused_without_its_secrets(make, address, tmp_path, monkeypatch):
    folder = tmp_path / "empty"
    folder.mkdir()
    monkeypatch.chdir(folder)
    with pytest.raises(BadInput, match=r"keeps no memories at .*://…") as refused:
        make(address)
    assert "secret" not in str(refused.value)
    assert os.listdir(folder) == []


@pytest.mark.parametrize("address", STRANGE)
def test_the_environment_names_no_strange_address_either(address, tmp_path, monkeypatch):
    folder = tmp_path / "empty"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("RECAIRN_DB", address)
    with pytest.raises(BadInput, match="keeps no memories at"):
        recairn.open()
    assert os.listdir(folder) == []


@pytest.mark.parametrize(
    ("address", "scheme"),
    [
        ("postgresql://db", "postgresql"),
        ("Mysql+Pymysql://db", "mysql+pymysql"),
        ("/home/gull/memory.db", ""),
        ("memory.db", ""),
        ("a folder://x", ""),
        ("://x", ""),
        ("1://x", ""),
        ("C:\\gull", ""),
    ],
)
def test_a_scheme_is_a_word_before_two_slashes(address, scheme):
    assert scheme_of(address) == scheme
