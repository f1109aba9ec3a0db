"""Every format, friendly and hostile."""

import json

import pytest

from recairn.core.errors import BadInput
from recairn.core.token_estimate import estimate
from recairn.sources.documents.chunking import BUDGET, chunks_of
from recairn.sources.documents.formats import format_of, read


def test_html_is_read_as_a_reader_sees_it_with_its_lines():
    page = (
        b"<html><head><title>Lamp &amp; oil</title><style>p{}</style></head>\n<body>\n"
        b"<script>alert(1)</script><h1>The\nlamp</h1>\n<p>Burns <b>whale</b> oil.</p>\n"
        b"<ul><li>One</li><li>Two</li></ul><pre>a\n  b</pre><table><tr><td>x</td><td>y</td></table>"
    )
    reading = read(page, "html", "lamp.html")
    assert reading.title == "Lamp & oil"
    told = [
        ("\n".join(text for _, text in block.lines), block.lines[0][0]) for block in reading.blocks
    ]
    assert told == [
        ("The\nlamp", 3),
        ("Burns whale oil.", 5),
        ("- One", 6),
        ("- Two", 6),
        ("a\n  b", 6),
        ("x | y", 7),
    ]
    assert reading.blocks[1].heading == ("The lamp",)


def test_html_may_nest_as_deep_as_it_likes():
    raw = b"<div>" * 20_000 + b"deep" + b"</div>" * 20_000
    (block,) = read(raw, "html", "deep.html").blocks
    assert block.lines[0][1] == "deep"


@pytest.mark.parametrize(
    "piece",
    ["<!--", "<![", "<a ", "<", "</", "<?", "<a x='", '<a x="', "<script>"],
)
def test_broken_html_takes_no_time(piece):
    read(piece.encode() * 50_000, "html", "broken.html")


def test_html_is_read_past_quoted_brackets_and_broken_tags():
    page = b'<p title="a > b">One</p><p>2 < 3 &lt; 4</p><svg><p>x</p></svg><p>Two <!-- no --> three'
    told = [block.lines[0][1] for block in read(page, "html", "x.html").blocks]
    assert told == ["One", "2 < 3 < 4", "Two three"]


def test_a_notebook_that_spells_its_lines_oddly_takes_no_time():
    lines = ",".join(rf'"\u0061{number}\n"' for number in range(10_000))
    raw = f'{{"cells": [{{"cell_type": "code", "source": [{lines}]}}]}}'
    (block,) = read(raw.encode(), "ipynb", "odd.ipynb").blocks
    assert block.lines[0] == (1, "a0")


def test_a_notebook_gives_cells_at_their_lines_in_the_file():
    cells = [
        {"cell_type": "markdown", "source": ["# Tides\n", "\n", "High at noon."]},
        {"cell_type": "code", "source": ["tide = 3\n", "print(tide)"], "outputs": []},
    ]
    text = json.dumps({"cells": cells}, indent=1)
    reading = read(text.encode(), "ipynb", "tides.ipynb")
    assert reading.title == "Tides"
    number, said = reading.blocks[-1].lines[1]
    assert said == "print(tide)"
    assert "print(tide)" in text.split("\n")[number - 1]
    assert reading.blocks[-1].heading == ("Tides",)


@pytest.mark.parametrize("raw", [b"[]", b"{", b'{"cells": 3}', b"[" * 100_000])
def test_what_is_no_notebook_is_told(raw):
    with pytest.raises(BadInput, match="is not a notebook"):
        read(raw, "ipynb", "x.ipynb")


def test_bytes_that_are_no_utf8_do_not_stop_the_rest():
    (block,) = read(b"caf\xe9 open\n", "txt", "x.txt").blocks
    assert block.lines[0][1] == "café open"


def test_a_file_with_a_nul_is_binary():
    with pytest.raises(BadInput, match="binary"):
        read(b"a\0b", "txt", "x.txt")


def test_one_huge_line_becomes_chunks_of_that_line():
    chunks = chunks_of(read(b"oil " * 20_000, "txt", "x.txt").blocks)
    assert {(chunk.line, chunk.end_line) for chunk in chunks} == {(1, 1)}
    assert all(estimate(chunk.text) <= BUDGET for chunk in chunks)
    assert sum(chunk.text.count("oil") for chunk in chunks) >= 20_000


def test_windows_line_ends_count_as_one():
    blocks = read(b"one\r\n\r\ntwo\r\n", "txt", "x.txt").blocks
    assert [block.lines for block in blocks] == [[(1, "one")], [(3, "two")]]


def test_names_tell_formats():
    named = ("a.MD", "b.py", "Makefile", "c.bin", "README", "d.tar.gz")
    assert [format_of(name) for name in named] == ["md", "code", "code", "", "txt", ""]


def simple_pdf(*pages):
    """A PDF with a line of text on each page."""
    kids = " ".join(f"{3 + 2 * at} 0 R" for at in range(len(pages)))
    objects = [
        "<</Type/Catalog/Pages 2 0 R>>",
        f"<</Type/Pages/Kids[{kids}]/Count {len(pages)}>>",
    ]
    font = "<</Font<</F1<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>"
    for at, text in enumerate(pages):
        drawn = f"BT /F1 12 Tf 20 50 Td ({text}) Tj ET"
        box = f"/MediaBox[0 0 300 100]/Resources{font}/Contents {4 + 2 * at} 0 R"
        objects += [f"<</Type/Page/Parent 2 0 R{box}>>"]
        objects += [f"<</Length {len(drawn)}>>stream\n{drawn}\nendstream"]
    raw, places = b"%PDF-1.4\n", []
    for number, told in enumerate(objects, start=1):
        places.append(len(raw))
        raw += f"{number} 0 obj{told}endobj\n".encode()
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    end = f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}"
    end += f"trailer<</Size {len(objects) + 1}/Root 1 0 R>>\nstartxref\n{len(raw)}\n%%EOF"
    return raw + end.encode()


def test_pages_of_a_pdf_are_counted():
    pytest.importorskip("pypdf")
    first, second = chunks_of(read(simple_pdf("Oil is low", "Fog came"), "pdf", "x.pdf").blocks)
    assert (first.page, first.text) == (1, "Oil is low")
    assert (second.page, second.text) == (2, "Fog came")


def test_a_broken_pdf_is_told():
    pytest.importorskip("pypdf")
    with pytest.raises(BadInput, match="cannot be read as PDF"):
        read(b"%PDF-1.4 nothing more", "pdf", "x.pdf")


def test_without_its_package_pdf_names_the_extra(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "pypdf", None)
    with pytest.raises(BadInput, match=r"recairn\[pdf\]"):
        read(b"%PDF", "pdf", "x.pdf")
