"""What a source format gives and what an import answers: records, errors, counts."""

from __future__ import annotations

from recairn.core.record import record
from recairn.sync.entry import Fault as Fault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterator, Mapping, Sequence
    from typing import Any

    from recairn.core.model import Draft
    from recairn.sources.readers.files import Origin


@record
class Record:
    """One thing to remember, as its source tells it.

    `key` names it there and stays the same when its text changes; without an id of its own it may
    be `content_key`. `place` is `path:line`; it becomes the draft's source_ref unless that is set.
    `links` are (relation, key of another record of the same source); `superseded_by` says that the
    other one replaced this. `earned` are counts it brings along (columns of `core.fields.EARNED`);
    they are taken once, afterwards this database counts. `retired` says why the source had put it
    away already: it is imported and archived. `because` is why it was replaced, for its history.
    `written_at` dates a draft that says no time: it is no part of what the record says, and differs
    between two copies of a file. A `stand_in` tells less than the record it is named after, and
    gives way to it: nothing that is there is changed by it.
    """

    key: str
    draft: Draft
    place: str
    links: Sequence[tuple[str, str]] = ()
    earned: Mapping[str, Any] | None = None
    retired: str = ""
    because: str = ""
    written_at: int | None = None
    stand_in: bool = False


# As a source tells it: the other record took the place of this one.
REPLACED = "superseded_by"


@record
class Extra:
    """Something of the source that is no memory, and comes in after all memories.

    `shape` is its name in an export (`store.tables`): session, use, access, query, miss, setting,
    edge, task or dependency; `values` are its fields there, except that memories are told by the
    keys of their records. A task is told as to `tasks.add`. `key` is unique within the shape.
    """

    key: str
    shape: str
    values: Mapping[str, Any]
    place: str


@record
class Omission:
    """Something the source holds that recairn has no place for: counted, and named in the answer.

    `things` is its plural (`events`), `why` the end of a sentence about it; `count` of them. What
    it says may be `kept` all the same, with another record.
    """

    things: str
    why: str
    count: int = 1
    kept: bool = False


if TYPE_CHECKING:
    Reading = Record | Extra | Fault | Omission


@record
class Predecessor:
    """A record of an earlier run that the source no longer has, and what was remembered of it."""

    key: str
    memory: int
    text: str
    category: str
    position: int
    external_id: str | None = None


@record
class Source:
    """A format: how to know it, where to find it, how to read it.

    `find` lists the paths to read where a folder (or nothing) was given. `read` yields records and
    broken ones in order, and never raises for a single bad record. `complete` says that it yields
    everything there is, so that what is missing was removed. `pairs` matches new records to former
    ones they replace (new key → former key), for formats whose records have no ids. `everywhere`
    says that keys are the same in every file of all the world, so that no file has keys of its own.
    `distinct` says that records have ids of their own: two that are alike stay two. `beside` are
    the paths from which records come that those of the one given are linked to.
    """

    name: str
    about: str
    takes: Callable[[str], bool]
    find: Callable[[str], list[str]]
    read: Callable[[Origin], Iterator[Reading]]
    complete: bool = False
    pairs: Callable[[Sequence[Record], Sequence[Predecessor]], Mapping[str, str]] | None = None
    everywhere: bool = False
    distinct: bool = False
    beside: Callable[[str], Sequence[str]] = lambda path: ()


COUNTS = (
    "added",
    "changed",
    "unchanged",
    "known",
    "forgotten",
    "restored",
    "linked",
    "pruned",
    "failed",
)


# What comes in beside memories, by its shape: one of it, and many.
BESIDES = {
    "session": ("session", "sessions"),
    "task": ("task", "tasks"),
    "dependency": ("dependency", "dependencies"),
    "edge": ("link", "links"),
    "use": ("use in a session", "uses in sessions"),
    "access": ("use", "uses"),
    "document": ("document", "documents"),
    "conversation": ("conversation", "conversations"),
    "injection": ("context handed out", "contexts handed out"),
    "feedback": ("rating", "ratings"),
    "query": ("query", "queries"),
    "miss": ("failed search", "failed searches"),
    "setting": ("setting", "settings"),
    "compaction": ("compaction", "compactions"),
}


@record
class ImportSummary:
    """What an import did, or with dry_run would do.

    `known` were remembered before by other ways and are reinforced; `forgotten` were imported once
    and forgotten since, and stay so; `gone` are (memory, its text) of records the source no longer
    has, which stay remembered unless they are `pruned`. `unverified` of those added wait for a
    review. `besides` counts what came in that is no memory, by its shape; so many of that kind were
    in already. `left_out` is what the source holds and recairn has no place for; settings that only
    a person may set are left out, whatever the file says. `projects` counts the memories added
    that belong to other projects than the one of the run, because their records say so.
    """

    source: str
    path: str
    added: int
    changed: int
    unchanged: int
    known: int
    forgotten: int
    restored: int
    linked: int
    pruned: int
    failed: int
    gone: Sequence[tuple[int, str]]
    errors: Sequence[Fault]
    memories: Sequence[int]
    warnings: Sequence[str]
    dry_run: bool
    besides: Mapping[str, int]
    settings_left_out: Sequence[str]
    left_out: Sequence[Omission]
    projects: Mapping[str, int]
    unverified: int = 0
    besides_unchanged: int = 0


class ImportStopped(KeyboardInterrupt):
    """An import that its user has interrupted: so many memories came in, and stay."""

    def __init__(self, kept: int) -> None:
        super().__init__()
        self.kept = kept


def unread(source: str, path: str, why: str, *, dry_run: bool) -> ImportSummary:
    """What is told of a file, one of several, that could not be read at all."""
    counts = {**dict.fromkeys(COUNTS, 0), "failed": 1}
    error = Fault(path, why.removeprefix(f"{path} "))
    return ImportSummary(
        source=source,
        path=path,
        **counts,
        gone=(),
        errors=(error,),
        memories=(),
        warnings=(),
        dry_run=dry_run,
        besides={},
        settings_left_out=(),
        left_out=(),
        projects={},
    )


def content_key(text: str, taken: Container[str] = ()) -> str:
    """A key made from the text itself, with a number behind it where the text occurs again."""
    from hashlib import blake2b

    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()
    key, count = digest, 1
    while key in taken:
        count += 1
        key = f"{digest}-{count}"
    return key
