"""Databases whose look-alike keys are of an older make get the new ones when they are opened."""

import gzip

import apsw

from recairn.core.derived import keys_of_row
from recairn.store.sqlite import SqliteStore
from tests.repository import DATA


def test_an_older_database_gets_the_keys_of_ten_words(tmp_path):
    path = tmp_path / "memory.db"
    path.write_bytes(gzip.decompress((DATA / "schema-8.db.gz").read_bytes()))
    older = apsw.Connection(str(path))
    older.execute("delete from look_alikes where memory % 2")
    older.close()
    store = SqliteStore(str(path))
    columns = ("kind", "title", "content", "details", "content_hash", "reach")
    rows = store._c.rows(f"select id, {', '.join(columns)} from memories where kind <> 'chunk'")
    kept = set(store._c.rows("select memory, key from look_alikes"))
    store.close()
    made = {
        (number, key)
        for number, *values in rows
        for key in keys_of_row(dict(zip(columns, values, strict=True)))
    }
    assert len(rows) > 3
    assert made <= kept
