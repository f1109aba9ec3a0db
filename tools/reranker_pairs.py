"""Gathers pairs of a question and the text that answers it, for the reranker to learn from.

    python tools/reranker_pairs.py --packages DIR --repositories DIR --exclude SETS --out FILE.xz

DIR of packages holds the wheels of PACKAGES, that of repositories a clone of each that
reranker_sources.py names, in a folder owner+name. Pairs: subject and body of commits, question and
sentence (SQuAD), question and passage, claim and abstract, what a command does and the command,
first line and rest of docstrings, headings and sections, and those of reranker_notes.py,
reranker_docs.py, reranker_code.py and reranker_talk.py. A pair that shares eight words in a row
with the benchmark sets is left out.
"""

from __future__ import annotations

import argparse
import ast
import gzip
import html
import json
import lzma
import random
import re
import sys
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path

from reranker_code import code_pairs
from reranker_docs import document_pairs
from reranker_notes import (
    SENTENCE,
    WORD,
    Pair,
    files_in,
    git,
    interview_pairs,
    learnt_pairs,
    plain,
    prompt_rows,
    rule_pairs,
    talk_pairs,
)
from reranker_sources import differing
from reranker_talk import spoken_pairs
from static_corpus import benchmark_shingles, shingles

# Repositories of which the history is read.
COMMITS = ("git+git", "postgres+postgres", "curl+curl", "redis+redis", "django+django",
           "golang+go", "systemd+systemd")  # fmt: skip
MORE_COMMITS = (
    "rails+rails", "pandas-dev+pandas", "vuejs+core", "neovim+neovim", "nginx+nginx",
    "angular+angular", "tokio-rs+tokio", "ansible+ansible", "nodejs+node", "elixir-lang+elixir",
    "apache+kafka", "spring-projects+spring-framework", "prometheus+prometheus", "etcd-io+etcd",
    "eslint+eslint", "laravel+framework", "BurntSushi+ripgrep", "cosmos+cosmos-sdk",
)  # fmt: skip
MOST_COMMITS, MOST_OF_MORE = 6_000, 2_200
# Sources of which one text answers several questions.
SHARED_TEXTS = ("squad", "disfluent")
PACKAGES = """
aiohttp==3.14.5 ansible-core==2.19.14 apache-airflow==3.3.2 celery==5.7.0 dask==2026.8.0
django==5.2.19 dulwich==1.2.21 fastapi==0.162.4 homeassistant==2024.3.3 hypothesis==6.170.15
interpret==0.7.8 jinja2==3.1.6 langchain==1.4.10 matplotlib==3.11.2 mercurial==7.2.4 mlflow==3.18.0
networkx==3.6.1 nltk==3.10.4 numpy==2.4.6 pandas==3.1.1 paramiko==5.1.0 prefect==3.9.0
pubmed_parser==0.5.1 pymongo==4.19.0 pytest==9.2.0 requests==2.34.2 rich==15.0.0
scikit-learn==1.9.1 scipy==1.17.1 scrapy==2.19.0 setuptools==84.2.1 sphinx==9.0.4 sqlalchemy==2.1.8
sympy==1.14.0 tornado==6.6.1 trio==0.35.0 twisted==26.10.0 werkzeug==3.1.9 xarray==2026.9.0
yt-dlp==2026.10.26
""".split()
MOST_CODE = 4_000_000  # characters of one package
MOST_TEXT = 520  # characters of a text: beyond, its tokens seldom fit the window

TRAILER = re.compile(
    r"^(?:[A-Z][\w-]+-by|Cc|Discussion|Author|Reviewed|Backpatch|Back-patch|Fixes|Closes|Refs?|"
    r"Change-Id|Reported|Bug|Link|Co-authored|Updates|Security|See also|Follow-up|For #|cherry|"
    r"TryBot|Run-TryBot|LUCI|Auto-Submit|GitHub)[\w-]*\b.{0,160}$",
    re.IGNORECASE,
)
# Commits of programs, and those that leave the form to be filled in as it was.
BUMP = re.compile(r"updated-dependencies|dependabot|All items are required", re.IGNORECASE)
HEADING = re.compile(r"^(?:#{1,4} +(.+)|(.+)\n[=\-~^*#\"']{4,})\s*$", re.MULTILINE)
OPTION = re.compile(r"^(?:`?(--?[\w-]+[^\n`]*)`?::\n)+((?:\t.*\n|\n)+)", re.MULTILINE)
CONCLUSION = re.compile(
    r"^(?:in conclusion|(?:these|our) (?:results|findings|data) (?:suggest|indicate|show|"
    r"demonstrate) that|we conclude that|conclusions?:?|thus|therefore),?\s*",
    re.IGNORECASE,
)
chance = random.Random(7)


def commit_pairs(repository: Path, most: int) -> Iterator[Pair]:
    """A commit's subject asks for its body; a sentence from inside for the title and beginning."""
    source = "commit:" + repository.name.partition("+")[2]
    given = 0
    for entry in git(repository, "log", "--no-merges", "--format=%s%x1f%b%x1e").split("\x1e"):
        subject, _, body = entry.strip("\n").partition("\x1f")
        lines = [
            line
            for line in body.split("\n")
            if not TRAILER.match(line.strip()) and "http" not in line
        ]
        blocks = [block.strip() for block in re.split(r"\n\s*\n", "\n".join(lines))]
        blocks = [block for block in blocks if len(block) > 60]
        if not blocks or given >= most or subject.startswith("Revert") or BUMP.search(entry):
            continue
        given += 1
        subject = re.sub(r"^\[[^\]]*\]\s*|\s*\(?#\d+\)?|^(?:Fixed|Refs)\s*--\s*", "", subject)
        plain = re.sub(r"^[\w./\-{},* ]{1,40}: ", "", subject)
        whole = blocks[0] if len(blocks[0]) >= 200 else "\n".join(blocks[:2])
        if plain in whole and len(whole) < len(plain) + 40:
            continue
        yield source, plain if chance.random() < 0.7 else subject, whole
        if len(blocks) > 2 and chance.random() < 0.5:
            first = SENTENCE.split(blocks[1].replace("\n", " "))[0]
            if 30 < len(first) < 200:
                yield f"{source}/inner", first, f"{subject}\n{blocks[0]}"


def squad_pairs(repository: Path) -> Iterator[Pair]:
    """Questions of SQuAD (CC BY-SA 4.0) and the sentence that answers, in the order of the text."""
    for part in ("dev", "test"):
        texts = git(repository, "show", f"HEAD:data/processed/src-{part}.txt").split("\n")
        asked = git(repository, "show", f"HEAD:data/processed/tgt-{part}.txt").split("\n")
        for text, question in zip(texts, asked, strict=True):
            if text and question and len(text) < 700:
                yield "squad", untokenised(question), untokenised(text)


def untokenised(text: str) -> str:
    for token, spelled in (
        ("-lrb-", "("), ("-rrb-", ")"), (" 's", "'s"), (" n't", "n't"), ("``", '"'), ("''", '"'),
        (" ,", ","), (" .", "."),
    ):  # fmt: skip
        text = text.replace(token, spelled)
    return text.strip()


def passage_pairs(repository: Path, path: str, source: str) -> Iterator[Pair]:
    """Questions and the passage around their answer, from a file in SQuAD's format."""
    for article in json.loads(git(repository, "show", f"HEAD:{path}"))["data"]:
        for paragraph in article["paragraphs"]:
            text = paragraph["context"]
            for asked in paragraph["qas"]:
                if asked.get("answers"):
                    start = max(0, asked["answers"][0]["answer_start"] - 250)
                    start = text.find(" ", start) + 1 if start else 0
                    yield source, asked["question"], text[start : start + 500].rsplit(" ", 1)[0]


def medical_pairs(repository: Path) -> Iterator[Pair]:
    for entry in json.loads(git(repository, "show", "HEAD:data/ori_pqal.json")).values():
        yield "pubmedqa", entry["QUESTION"], " ".join(entry["CONTEXTS"])
        yield "pubmedqa/said", entry["LONG_ANSWER"], " ".join(entry["CONTEXTS"])


def command_pairs(repository: Path) -> Iterator[Pair]:
    """What a command does, as the tldr pages (CC BY 4.0) say it, and the command."""
    for line in git(repository, "ls-tree", "-r", "HEAD", "pages/").split("\n"):
        if not line.endswith(".md"):
            continue
        page = git(repository, "cat-file", "blob", line.split()[2])
        about = [each[2:] for each in page.split("\n") if each.startswith("> ")]
        about = [
            each for each in about if "More information" not in each and "See also" not in each
        ]
        name = page.split("\n")[0].lstrip("# ")
        for purpose, command in re.findall(r"^- (.+?):\n\n`(.+)`", page, re.MULTILINE):
            command = re.sub(r"\{\{\[[^\]|]*\|([^\]]*)\]\}\}", r"\1", command)
            command = re.sub(r"\{\{([^}]*)\}\}", r"\1", command)
            named = f" with {name}" if chance.random() < 0.3 else ""
            yield "tldr", re.sub(r"[`\[\]]", "", purpose) + named, f"{' '.join(about)}\n$ {command}"


def docstring_pairs(source: str) -> Iterator[Pair]:
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return
    lines = source.split("\n")
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        head, _, rest = (ast.get_docstring(node) or "").partition("\n\n")
        first = re.split(r"(?<=[.])\s", " ".join(head.split()))[0]
        if not 20 < len(first) < 220:
            continue
        body = node.body[1:]
        if body and not isinstance(node, ast.ClassDef) and chance.random() < 0.6:
            signature = "\n".join(lines[node.lineno - 1 : node.body[0].lineno - 1])
            code = "\n".join(lines[body[0].lineno - 1 : node.end_lineno][:25])
            yield "py/code", first, f"{signature}\n{code}"
        elif len(rest) > 120:
            shown = re.sub(r"^>>>.*$", "", rest, flags=re.MULTILINE)
            yield "py/doc", first, f"{node.name}: {shown}"


def section_pairs(text: str) -> Iterator[Pair]:
    found = list(HEADING.finditer(text))
    ends = [match.start() for match in found[1:]] + [len(text)]
    for match, end in zip(found, ends, strict=False):
        heading = (match.group(1) or match.group(2)).strip()
        body = text[match.end() : end].strip()
        if len(body) > 80 and len(WORD.findall(heading)) >= 3:
            yield "doc/section", re.sub(r"[`*_]", "", heading), body


def option_pairs(text: str) -> Iterator[Pair]:
    """The first sentence about an option, and the rest of what is said about it."""
    for option, body in OPTION.findall(text):
        words = " ".join(body.split())
        first = SENTENCE.split(words)[0]
        if 30 < len(first) < 200 and len(body) - len(first) > 100:
            yield "option", first, f"{option} {words[len(first) :]}"


def abstract_pairs(text: str) -> Iterator[Pair]:
    """A claim of an abstract asks for the rest of it, a title for the whole."""
    for entry in text.split("<PubmedArticle>")[1:]:
        title = re.search(r"<ArticleTitle[^>]*>(.*?)</ArticleTitle>", entry, re.DOTALL)
        parts = re.findall(r"<AbstractText[^>]*>(.*?)</AbstractText>", entry, re.DOTALL)
        if "<Language>eng<" not in entry or not title or not parts:
            continue
        named = re.sub(r"<[^>]+>", "", html.unescape(title.group(1)))
        whole = re.sub(r"<[^>]+>", "", html.unescape(" ".join(parts)))
        sentences = re.split(r"(?<=[.])\s+(?=[A-Z])", whole)
        if len(sentences) <= 4:
            continue
        claim = sentences[-1] if chance.random() < 0.7 else chance.choice(sentences[-3:])
        claim = CONCLUSION.sub("", claim)
        if chance.random() < 0.65:
            beginning = f"{named}. " if chance.random() < 0.5 else ""
            yield "claim", claim, beginning + " ".join(s for s in sentences if claim not in s)
        else:
            yield "abstract", named, whole


def package_pairs(wheel: Path) -> Iterator[Pair]:
    read = 0
    with zipfile.ZipFile(wheel) as archive:
        for member in archive.infolist():
            name = member.filename.lower()
            if re.search(r"/(?:tests?|vendor|_vendor|locale|migrations|_pb2)/", name):
                continue
            if name.endswith(".xml.gz") and "pubmed" in name:
                yield from abstract_pairs(gzip.decompress(archive.read(member)).decode())
            elif member.file_size > 1_000_000:
                continue
            elif name.endswith(".py") and read < MOST_CODE:
                source = archive.read(member).decode("utf-8", "replace")
                read += len(source)
                yield from docstring_pairs(source)
            elif name.endswith((".md", ".rst", ".txt")):
                yield from section_pairs(archive.read(member).decode("utf-8", "replace"))


def manual_pairs(repository: Path) -> Iterator[Pair]:
    for line in git(repository, "ls-tree", "-r", "HEAD", "Documentation/").split("\n"):
        if line.endswith((".adoc", ".txt")):
            text = git(repository, "cat-file", "blob", line.split()[2])
            yield from section_pairs(text)
            yield from option_pairs(text)


def documentation_pairs(repository: Path) -> Iterator[Pair]:
    for _, _, written in files_in(repository, ".md", "content/en/docs/"):
        for _, heading, body in section_pairs(plain(written)):
            yield "k8s", heading.split("{")[0], body


def all_pairs(repositories: Path, packages: Path) -> Iterator[Pair]:
    for name in COMMITS:
        yield from commit_pairs(repositories / name, MOST_COMMITS)
    yield from squad_pairs(repositories / "xinyadu+nqg")
    covid = repositories / "deepset-ai+COVID-QA"
    yield from passage_pairs(covid, "data/question-answering/200423_covidQA.json", "covidqa")
    yield from passage_pairs(repositories / "deepmind+xquad", "xquad.en.json", "xquad")
    yield from medical_pairs(repositories / "pubmedqa+pubmedqa")
    yield from command_pairs(repositories / "tldr-pages+tldr")
    for wheel in sorted(packages.glob("*.whl")):
        yield from package_pairs(wheel)
    yield from manual_pairs(repositories / "git+git")
    yield from learnt_pairs(repositories / "jbranchaud+til")
    yield from learnt_pairs(repositories / "simonw+til")
    yield from rule_pairs(repositories / "PatrickJS+awesome-cursorrules")
    yield from interview_pairs(repositories / "sudheerj+reactjs-interview-questions")
    yield from documentation_pairs(repositories / "kubernetes+website")
    yield from talk_pairs(repositories / "alexa+Topical-Chat")
    yield from wider_pairs(repositories)


def wider_pairs(repositories: Path) -> Iterator[Pair]:
    for name in MORE_COMMITS:
        yield from commit_pairs(repositories / name, MOST_OF_MORE)
    for part in ("dev", "test"):
        policies = repositories / "wasiahmad+PolicyQA"
        yield from passage_pairs(policies, f"data/{part}.json", "policy")
    yield from document_pairs(repositories)
    yield from code_pairs(repositories)
    yield from spoken_pairs(repositories)


def tidy(text: str, most: int) -> str:
    lines = (re.sub(r"[ \t\r\f\v]+", " ", line).strip() for line in text.split("\n"))
    text = "\n".join(line for line in lines if line)
    return text[:most].rsplit(" ", 1)[0] if len(text) > most else text


def is_prose(text: str) -> bool:
    sample = text[:400]
    letters = sum(map(str.isalpha, sample))
    foreign = sum(letter > "\u024f" for letter in sample)
    return len(text) >= 30 and letters > 0.5 * len(sample) and foreign < 0.02 * len(sample)


def rows(pairs: Iterable[Pair], sets: Path) -> Iterator[dict[str, str]]:
    """The pairs worth learning from, none of them twice or with words of the benchmark sets."""
    forbidden = benchmark_shingles(sets)
    seen: set[tuple[str, str]] = set()
    for source, asked, said in pairs:
        question, text = tidy(asked, 300).replace("\n", " "), tidy(said, MOST_TEXT)
        # A sentence of SQuAD answers several questions, and its neighbours must stay beside it.
        if (source, text) in seen and source not in SHARED_TEXTS:
            continue
        if len(WORD.findall(question)) < 3 or not is_prose(text):
            continue
        if forbidden.isdisjoint(shingles(question) | shingles(text)):
            seen.add((source, text))
            yield {"source": source, "question": question, "text": text}


def main() -> None:
    options = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    for name in ("packages", "repositories", "exclude", "out"):
        options.add_argument(f"--{name}", type=Path, required=True)
    chosen = options.parse_args()
    for line in differing(chosen.repositories):
        sys.stderr.write(f"{line}\n")
    kinds: Counter[str] = Counter()
    pairs = rows(all_pairs(chosen.repositories, chosen.packages), chosen.exclude)
    with lzma.open(chosen.out, "wt", encoding="utf-8", preset=4) as lines:
        for row in chain(pairs, prompt_rows()):
            kinds[row["source"]] += 1
            lines.write(json.dumps(row, ensure_ascii=False) + "\n")
    sys.stderr.write(f"{sum(kinds.values())} pairs: {dict(kinds)}\n")


if __name__ == "__main__":
    main()
