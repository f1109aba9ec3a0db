"""Rows of the text index lie together by who may see them, so that a search reads its own alone.

The number of a row there, its place, begins with the digits of `reach` and ends with the memory's
id. `everyone0` has no digits behind its first letter, which makes it 0. Two projects whose digits
agree in their last bits share a stretch: who may see a memory is always asked of the memory.
"""

from __future__ import annotations

_NAMES = ("title", "content", "details", "keywords", "category", "idents", "dates")
_COLUMNS = ", ".join(_NAMES)
_PLACE = "(cast(substr({row}.reach, 2) as integer) & 134217727) << 35 | {row}.id"


def _values(row: str) -> str:
    return ", ".join((_PLACE.format(row=row), *[f"{row}.{name}" for name in _NAMES]))


_ADD = f"insert into memories_fts(rowid, {_COLUMNS}) values ({_values('new')});"
_REMOVE = (
    f"insert into memories_fts(memories_fts, rowid, {_COLUMNS})"
    f" values ('delete', {_values('old')});"
)

SQLITE = f"""
drop trigger memories_added;
drop trigger memories_removed;
drop trigger memories_rewritten;
drop table memories_terms;
drop table memories_fts;
create view memories_text as select {_PLACE.format(row="m")} as place, {_COLUMNS} from memories m;
create virtual table memories_fts using fts5(
    {_COLUMNS}, content='memories_text', content_rowid='place',
    tokenize='porter unicode61 remove_diacritics 2'
);
-- What is forgotten for good leaves the index too, not only its result lists.
insert into memories_fts(memories_fts, rank) values ('secure-delete', 1);
create virtual table memories_terms using fts5vocab('memories_fts', 'row');
create trigger memories_added after insert on memories begin {_ADD} end;
create trigger memories_removed after delete on memories begin {_REMOVE} end;
create trigger memories_rewritten
after update of {_COLUMNS}, reach on memories begin {_REMOVE} {_ADD} end;
-- In the order of their places; only numbers are sorted, not texts.
insert into memories_fts(rowid, {_COLUMNS}) select {_values("m")} from (
    select l.id, {_PLACE.format(row="l")} as place from memories l order by place
) listed cross join memories m on m.id = listed.id;
insert into memories_fts(memories_fts) values ('optimize');
create index tallies_for_all on tallies(day, memories) where tier = 'global';
"""
