"""Pairs of documentation, proposals, handbooks and runbooks: a heading, the first sentence or a few
words of a section ask for it; and of questions with an answer: medical ones, privacy policies,
interviews, and questions of SQuAD as somebody says them who corrects himself.
"""

from __future__ import annotations

import html
import json
import random
import re
from collections.abc import Iterator
from pathlib import Path

from reranker_code import sampled
from reranker_notes import SENTENCE, WORD, Pair, files_in, git, plain
from reranker_talk import topic_of

# Source, repository, folder, ends, and how many pairs are kept.
DOCUMENTS = (
    ("mdn", "mdn+content", "files/en-us", ".md", 10_000),
    ("github", "github+docs", "content", ".md", 6_000),
    ("vscode", "microsoft+vscode-docs", "", ".md", 6_000),
    ("cloudflare", "cloudflare+cloudflare-docs", "src/content/docs", ".mdx", 6_000),
    ("istio", "istio+istio.io", "content/en", ".md", 3_000),
    ("operations", "prometheus+docs", "", ".md", 1_200),
    ("operations", "openshift+runbooks", "alerts", ".md", 1_500),
    ("operations", "prometheus-operator+runbooks", "content", ".md", 1_000),
    ("operations", "etcd-io+etcd", "", ".md", 500),
    ("powershell", "MicrosoftDocs+PowerShell-Docs", "reference", ".md", 5_000),
    ("handbook", "18F+handbook", "", ".md", 2_500),
    ("handbook", "alphagov+govuk-developer-docs", "source", ".md", 3_000),
    ("frontend", "reactjs+react.dev", "src/content", ".md", 2_500),
    ("frontend", "vuejs+docs", "src", ".md", 1_500),
    ("frontend", "angular+angular", "adev/src/content", ".md", 3_000),
    ("frontend", "eslint+eslint", "docs/src", ".md", 2_000),
    ("language", "rust-lang+book", "src", ".md", 800),
    ("language", "nodejs+node", "doc", ".md", 3_500),
    ("language", "elixir-lang+elixir", "lib", ".md", 1_000),
    ("language", "google+error-prone", "docs", ".md", 800),
    ("language", "adambard+learnxinyminutes-docs", "", ".md", 600),
    ("rails", "rails+rails", "guides/source", ".md", 3_500),
    ("spring", "spring-projects+spring-framework", "framework-docs", ".adoc", 3_500),
    ("proposal:rust", "rust-lang+rfcs", "text", ".md", 4_500),
    ("proposal:swift", "swiftlang+swift-evolution", "proposals", ".md", 4_500),
    ("proposal:ethereum", "ethereum+EIPs", "EIPS", ".md", 4_500),
    ("proposal:kubernetes", "kubernetes+enhancements", "keps", ".md", 4_500),
    ("proposal:python", "python+peps", "peps", ".rst", 5_000),
    ("decision", "cosmos+cosmos-sdk", "docs", ".md", 2_500),
    ("minutes", "rust-lang+lang-team", "", ".md", 3_000),
    ("minutes", "ethereum+pm", "", ".md", 3_500),
    ("django", "django+django", "docs", ".txt", 4_000),
    ("pandas", "pandas-dev+pandas", "doc/source", ".rst", 3_000),
    ("curl", "curl+curl", "docs", ".md", 3_000),
    ("howto", "k88hudson+git-flight-rules", "", "README.md", 400),
    ("howto", "dylanaraps+pure-bash-bible", "", "README.md", 400),
    ("howto", "onceupon+Bash-Oneliner", "", "README.md", 400),
    ("howto", "mhinz+vim-galore", "", "README.md", 400),
    ("howto", "donnemartin+system-design-primer", "", "README.md", 400),
    ("howto", "30-seconds+30-seconds-of-code", "snippets", ".md", 1_000),
)
SGML = (("postgres", "postgres+postgres", "doc/src/sgml", ".sgml", 7_000),
        ("systemd", "systemd+systemd", "man", ".xml", 5_000))  # fmt: skip
MOST = {"medquad": 7_000, "acl": 16_000}
MOST_LATER = 450  # characters of a section among which the words of a question are looked for
HEADING = re.compile(
    r"^(?:(#{1,5}|={2,5}) +(.+?)[ #]*|(.+)\n[=\-~^*#\"'+`]{4,})[ \t]*$", re.MULTILINE
)
TITLE = re.compile(r"^(?:title|shortTitle|Title): *[\"']?(.+?)[\"']?$", re.MULTILINE)
# Headings that say nothing without the title of the page.
BARE = re.compile(
    r"^(?:syntax|examples?|specifications?|browser compat\w+|see also|return value|parameters?|"
    r"references?|links?|copyright|attendees?|table of contents|license|acknowledge?ments?)\b",
    re.IGNORECASE,
)
PUBLISHED = re.compile(
    r"/(?:\d{4}\.(?:acl|emnlp|naacl|eacl|aacl|findings|tacl|conll|semeval|starsem)|[PDNEKSQ]1[6-9])\.xml$"
)
# Headings that are no title of a page although they come first.
GENERIC = re.compile(
    r"^(?:summary|abstract|motivation|introduction|overview|description|synopsis|name|meaning|"
    r"release signoff checklist|background|changelog|agenda|context)\b",
    re.IGNORECASE,
)
DROPPED = re.compile(
    r"\{%.*?%\}|\{\{.*?\}\}|^\.\. [\w:-]+::.*$|^:\w[\w ]*:.*$|^import .*$|^:::.*$|<[^<>\n]{1,300}>|"
    r"^\[[^\]]+\]: .*$|^\[\[.*\]\]$|^\[source.*$|\{#[\w-]+\}",
    re.MULTILINE,
)
ROLE = re.compile(r":[\w:]+:`~?!?\.?([^`<]*)(?:<[^`]*>)?`|`([^`<]+) <[^`>]*>`__?")
DOES = re.compile(
    r"^(?:add|allow|avoid|build|call|change|check|choose|configure|connect|convert|create|define|"
    r"delete|deploy|disable|edit|enable|export|find|fix|get|handle|import|install|list|make|manage|"
    r"migrate|move|open|pass|prevent|remove|rename|reset|restore|return|run|send|set|show|start|"
    r"stop|store|test|update|upgrade|use|verify|view|write)\b",
    re.IGNORECASE,
)
chance = random.Random(17)


def document_pairs(repositories: Path) -> Iterator[Pair]:
    for source, name, under, ends, most in DOCUMENTS:
        found = (
            pair
            for path, _, written in files_in(repositories / name, ends, under)
            if not re.search(r"whatsnew|releases/|RELEASE|CHANGELOG|/archive/|\.vtt", path)
            for pair in page_pairs(f"docs:{source}", cleaned(written), path)
        )
        yield from sampled(found, most)
    for source, name, under, ends, most in SGML:
        yield from sampled(marked_pairs(repositories / name, source, under, ends), most)
    yield from sampled(medical_answers(repositories / "abachaa+MedQuAD"), MOST["medquad"])
    yield from sampled(paper_pairs(repositories / "acl-org+acl-anthology"), MOST["acl"])
    yield from interview_answers(repositories)
    yield from corrected_pairs(repositories)


def cleaned(written: str) -> str:
    titled = TITLE.search(written[:1_500])
    text = re.sub(r"^---\n.*?\n---\n|^#!.*?\n\n", "", written, flags=re.DOTALL)
    text = ROLE.sub(lambda found: found[1] or found[2] or "", DROPPED.sub("", plain(text)))
    return f"# {titled.group(1)}\n{text}" if titled else text


def page_pairs(source: str, text: str, path: str) -> Iterator[Pair]:
    """The sections of a page, each asked for in one of some ways."""
    found = list(HEADING.finditer(text))
    ends = [match.start() for match in found[1:]] + [len(text)]
    title = re.sub(r"[-_]", " ", path.split("/")[-1].split(".")[0])
    for number, (match, end) in enumerate(zip(found, ends, strict=False)):
        heading = re.sub(r"[`*\\]|\b_\B|\B_\b", "", match.group(2) or match.group(3)).strip()
        body = re.sub(r"\n{2,}", "\n", text[match.end() : end]).strip()
        is_title = number == 0 and not GENERIC.match(heading)
        if is_title:
            title = heading
        if len(body) > 90 and len(heading) < 140 and not BARE.match(heading):
            question, rest = asked_for(title, "" if is_title else heading, body)
            if len(rest) > 60:
                yield source, question, rest
                if len(body) > 900 and chance.random() < 0.5:
                    later = body[450:].partition("\n")[2]
                    some = topic_of(later[:MOST_LATER])
                    if some:
                        yield source, f"{heading} {some}", later


def asked_for(title: str, heading: str, body: str) -> tuple[str, str]:
    """A question for a section, and what of the section answers it."""
    draw = chance.random()
    first, _, rest = SENTENCE.sub("\x1f", body, count=1).partition("\x1f")
    if draw < 0.15 and 40 < len(first) < 220 and len(rest) > 100 and "\n" not in first:
        return first, rest
    some = topic_of(body[:MOST_LATER])
    if draw < 0.4 and some:
        shape = chance.choice(("{0} {1}", "{1} in {0}", "{0}: what about {1}?", "{1} ({0})"))
        return shape.format(heading or title, some), body
    if not heading:
        shape = chance.choice(("what is {}", "{}", "how does {} work?", "{} explained"))
        return shape.format(title), body
    if heading.endswith("?"):
        return heading, body
    low = heading if heading[1:2].isupper() else heading[0].lower() + heading[1:]
    if DOES.match(heading):
        shapes: tuple[str, ...] = (
            "how do I {}?",
            "how to {}",
            "{}",
            "I need to {}",
            "we want to {}",
        )
        return f"{chance.choice(shapes).format(low)}{within(title, 0.4)}", body
    if len(WORD.findall(heading)) < 3 or chance.random() < 0.3:
        shape = chance.choice(("{0}: {1}", "{0} {1}", "{1} of {0}", "what about {1} in {0}?"))
        return shape.format(title, low), body
    return chance.choice(("{}", "{}", "tell me about {}", "{}?")).format(low), body


def within(title: str, often: float) -> str:
    return f" ({title})" if chance.random() < often else ""


def marked_pairs(repository: Path, source: str, under: str, ends: str) -> Iterator[Pair]:
    """Sections of DocBook, and what is said of an option by the first sentence about it."""
    for _, _, written in files_in(repository, ends, under):
        for title, body in re.findall(
            r"<title>(.{4,120}?)</title>(.*?)(?=<title>|\Z)", written, re.DOTALL
        ):
            text, heading = unmarked(body), unmarked(title)
            if len(text) > 120 and len(WORD.findall(heading)) >= 2:
                yield f"docs:{source}", asked_for(source, heading, text)[0], text
        for term, body in re.findall(
            r"<varlistentry.*?<term>(.*?)</term>.*?<listitem>(.*?)</listitem>", written, re.DOTALL
        ):
            text, name = unmarked(body), unmarked(term)
            first, _, rest = SENTENCE.sub("\x1f", text, count=1).partition("\x1f")
            if 30 < len(first) < 220 and len(rest) > 80:
                yield f"docs:{source}/option", first, f"{name}: {rest}"


def unmarked(text: str) -> str:
    text = re.sub(
        r"<(?:indexterm|primary|programlisting|screen).*?</\w+>", "", text, flags=re.DOTALL
    )
    return " ".join(html.unescape(re.sub(r"<[^>]+>", "", text)).split())


def medical_answers(repository: Path) -> Iterator[Pair]:
    """Questions and answers of the institutes of health (MedQuAD, CC BY 4.0)."""
    shape = re.compile(r"<Question[^>]*>(.*?)</Question>\s*<Answer>(.*?)</Answer>", re.DOTALL)
    for _, _, written in files_in(repository, ".xml"):
        for question, answer in shape.findall(written):
            text = " ".join(html.unescape(answer).split())
            asked = re.sub(r"\(are\) |\s+(?=\?)", "", " ".join(html.unescape(question).split()))
            if len(text) > 80 and "Human Phenotype Ontology" not in text:
                yield "medquad", asked, text


def paper_pairs(repository: Path) -> Iterator[Pair]:
    """Title or a claim of a paper on language, and its abstract: what the ACL itself has published
    since 2016 (CC BY 4.0); other publishers of the Anthology have other terms."""
    for path, _, written in files_in(repository, ".xml", "data/xml/"):
        if not PUBLISHED.search(path):
            continue
        year = re.search(r"<year>(\d{4})</year>", written)
        if year is None or int(year.group(1)) < 2016:
            continue
        for entry in written.split("<paper ")[1:]:
            title = re.search(r"<title>(.*?)</title>", entry, re.DOTALL)
            told = re.search(r"<abstract>(.*?)</abstract>", entry, re.DOTALL)
            if title is None or told is None:
                continue
            text, named = unmarked(told.group(1)), unmarked(title.group(1))
            sentences = re.split(r"(?<=[.])\s+(?=[A-Z])", text)
            if len(sentences) <= 3:
                continue
            if chance.random() < 0.5:
                yield "acl", named, text
                continue
            claim = chance.choice(sentences[1:])
            rest = " ".join(each for each in sentences if each != claim)
            yield "acl/claim", claim, f"{named}. {rest}" if chance.random() < 0.5 else rest


def interview_answers(repositories: Path) -> Iterator[Pair]:
    """Questions of interviews: system administration and the web (MIT)."""
    written = git(repositories / "trimstray+test-your-sysadmin-skills", "show", "HEAD:README.md")
    shape = re.compile(r"<summary><b>(.*?)</b></summary><br>(.*?)</details>", re.DOTALL)
    for question, answer in shape.findall(written):
        text = DROPPED.sub("", plain(answer)).strip()
        if len(text) > 80 and "To be completed" not in text:
            yield "interview", re.sub(r"<[^>]+>", "", html.unescape(question)), text
    guide = repositories / "yangshun+front-end-interview-handbook"
    for _, _, written in files_in(guide, "en-US.mdx", "packages/quiz"):
        titled = TITLE.search(written)
        text = re.sub(r"^---\n.*?\n---\n", "", written, flags=re.DOTALL)
        text = re.sub(r"^#.*$", "", DROPPED.sub("", plain(text)), flags=re.MULTILINE).strip()
        if titled and len(text) > 80:
            yield "interview", titled.group(1), text


def corrected_pairs(repositories: Path) -> Iterator[Pair]:
    """Questions of SQuAD as they are said by one who corrects himself (Disfl-QA, CC BY 4.0), and
    the sentence that answers."""
    sentences: dict[str, str] = {}
    squad = repositories / "xinyadu+nqg"
    for part in ("dev", "test"):
        texts = git(squad, "show", f"HEAD:data/processed/src-{part}.txt").split("\n")
        asked = git(squad, "show", f"HEAD:data/processed/tgt-{part}.txt").split("\n")
        for text, question in zip(texts, asked, strict=True):
            sentences[letters(question)] = text
    for part in ("train", "dev", "test"):
        path = f"HEAD:{part}.json"
        entries = json.loads(git(repositories / "google-research-datasets+Disfl-QA", "show", path))
        for entry in entries.values():
            text = sentences.get(letters(entry["original"]))
            if text:
                yield "disfluent", entry["disfluent"], respaced(text)


def letters(text: str) -> str:
    return "".join(re.findall(r"[a-z0-9]", text.lower().replace("-lrb-", "").replace("-rrb-", "")))


def respaced(text: str) -> str:
    for token, spelled in (("-lrb- ", "("), (" -rrb-", ")"), ("`` ", '"'), (" ''", '"')):
        text = text.replace(token, spelled)
    return re.sub(r" (?=[,.;:?!]|'s\b|n't\b)", "", text).strip()
