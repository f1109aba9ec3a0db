"""The files of lines in a folder, written: every line in its place, nothing of others lost."""

from __future__ import annotations

from recairn.host.files import write_lines
from recairn.sync.mirror.folder import NAMES
from recairn.sync.mirror.jsonl import bytes_of, content, lines_about, lines_of
from recairn.sync.mirror.known_files import CHANGED, KnownFiles
from recairn.sync.mirror.stretches import Stretches, cut, file_at, split_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from recairn.store.contract.base import Store
    from recairn.store.tables import Position
    from recairn.sync.mirror.folder import Folder
    from recairn.sync.mirror.pull import Contents


class LineFiles:
    """A folder that is being written; `contents` were read and taken in just before."""

    def __init__(self, folder: Folder, store: Store, contents: Contents | None) -> None:
        self._folder = folder
        self._stretches = Stretches(folder, NAMES)
        self._known = KnownFiles(folder, store)
        self._read = {} if contents is None else contents.signatures
        # All of it is put in order: the first time, and where something is missing.
        self.is_whole = contents is not None and contents.is_whole
        if self.is_whole:
            self._known.files.clear()
        # Files that have to be read again, each with how many keys in it are not known here.
        self._faulty: dict[str, int] = {}
        self.written: set[str] = set()

    @property
    def position(self) -> Position:
        """The last event that the folder knows of."""
        return self._known.position

    def places(self, name: str, keys: Collection[str]) -> dict[str, Collection[str]]:
        """The files where lines of some keys may be, each with those to look for: where they
        belong, and in what was just read, wherever git has put them."""
        by_file: dict[str, Collection[str]] = {**self._stretches.by_place(name, keys)}
        for file in self._stretches.of(name):
            if file in self._read or self.is_whole:
                by_file[file] = keys
        return by_file

    def by_place(self, name: str, keys: Collection[str]) -> dict[str, set[str]]:
        """Keys by the file that they belong in."""
        return self._stretches.by_place(name, keys)

    def all_of(self, name: str) -> list[str]:
        """All files of a name."""
        return self._stretches.of(name)

    def was_read(self, file: str) -> bool:
        """Whether it was just read: then it is put in order."""
        return file in self._read

    def belongs(self, file: str, key: str) -> bool:
        """Whether a file is the one that a key belongs in."""
        return self._stretches.place(split_name(file)[0], key) == file

    def about(self, file: str, keys: Collection[str]) -> list[str]:
        """The lines of a file that may be about some memories."""
        return lines_about(self._folder.file(file), keys) if file in self._stretches.files else []

    def rewrite(
        self,
        file: str,
        changes: Mapping[str, str | None],
        key_of: Callable[[str], str],
        outdated: Callable[[str, str], bool],
    ) -> int:
        """Puts changed lines in their places, drops those changed to None; how many files differ.

        A line gives way only if it is `outdated(key, line)`, or the beginning of what takes its
        place: what others wrote and nobody took in yet stays beside the new one. A line of which
        nobody knows the key is kept at the end, and so is one that belongs in another file.
        """
        before = self._known.signature(file)
        is_known = self._read[file] == before if file in self._read else None
        if is_known is None:
            is_known = self._known.is_known(file, before)
        lines: dict[str, list[str]] = {}
        strays, keys = [], set()
        for line in lines_of(self._folder.file(file)):
            key = key_of(line)
            keys.add(key)
            if not key:
                strays.append(line)
            elif key not in changes or not (
                (changes[key] or "").startswith(line) or outdated(key, line)
            ):
                lines.setdefault(key, []).append(line)
        for key, new in changes.items():
            if new is not None:
                lines.setdefault(key, []).append(new)
        own = self._stretches.by_place(split_name(file)[0], lines).get(file, set())
        for key in [key for key in lines if key not in own]:
            strays += lines.pop(key)
        count = 0
        more = len({*lines, *map(key_of, strays)}) - len(keys)
        for stretch, held in self._cut(file, lines, strays):
            differs = self._put(stretch, held)
            count += differs
            after = self._known.signature(stretch) if differs or stretch != file else before
            self._note(stretch, after if is_known else CHANGED, held, key_of, more)
        return count

    def _cut(
        self, file: str, lines: Mapping[str, list[str]], strays: list[str]
    ) -> list[tuple[str, list[str]]]:
        """The file and those it goes on in, with their lines; strays stay in the first."""
        if not lines:
            return [(file, strays)]
        ordered = {key: list(map(bytes_of, lines[key])) for key in sorted(lines)}
        stretches = [
            (stretch, [line for key in keys for line in lines[key]])
            for stretch, keys in cut(file, ordered)
        ]
        return [(file, [*stretches[0][1], *strays]), *stretches[1:]]

    def _put(self, file: str, lines: list[str]) -> bool:
        path = self._folder.file(file)
        raw = b"".join(map(bytes_of, lines))
        if raw == content(path):
            return False
        write_lines(path, [raw], private=False)
        self._stretches.add(file)
        self.written.add(file)
        return True

    def _note(
        self,
        file: str,
        signature: tuple[int, int, int],
        lines: list[str],
        key_of: Callable[[str], str],
        more: int,
    ) -> None:
        """Notes what is known of a file now; of one that others changed before, so many more keys
        than were known."""
        if file not in self._stretches.files:
            return
        known = self._known.files.get(file)
        count = len({*map(key_of, lines)} - {""}) - self._faulty.get(file, 0)
        if signature == CHANGED and known is not None and file not in self._read:
            count = max(0, known.keys + more)
        self._known.note(file, CHANGED if file in self._faulty else signature, count)

    def distrust(self, faulty: Collection[str], unsettled: Collection[str]) -> None:
        """Lets the files of some places be read again next time; what stands at the `faulty` ones
        could not be taken in."""
        for place in unsettled:
            self._faulty.setdefault(file_at(place), 0)
        for place in faulty:
            self._faulty[file_at(place)] = self._faulty.get(file_at(place), 0) + 1

    def remember(self, position: Position) -> None:
        """Writes down how far the folder has come."""
        self._known.remember(position)
