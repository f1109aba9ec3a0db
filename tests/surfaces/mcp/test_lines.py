"""A message on its way out is one line of JSON, in which a payload is written as it was made."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from recairn.surfaces.mcp.protocol import (
    Payload,
    ProtocolError,
    compact,
    error,
    fitted,
    line,
    payload,
    result,
)
from recairn.surfaces.render.json_objects import concise, concise_hit, hit_json

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
DOCUMENTS = st.dictionaries(st.text(), VALUES, max_size=4)


def answer(document):
    made = Payload(document)
    content = [{"type": "text", "text": made.json}]
    return {"content": content, "isError": False, "structuredContent": made}


@given(DOCUMENTS, st.dictionaries(st.just("_meta"), DOCUMENTS))
def test_a_line_says_what_the_message_says(document, more):
    message = result(7, {**more, **answer(document)})
    assert json.loads(line(message)) == message
    assert json.loads(line([message, message])) == [message, message]


@given(DOCUMENTS)
def test_the_structured_part_is_the_text_to_the_letter(document):
    text = Payload(document).json
    assert line(result(7, answer(document))).endswith(f'"structuredContent":{text}}}}}')


def test_what_holds_no_payload_is_plain_json():
    for message in (
        result(1, {}),
        result("a", {"tools": []}),
        error(None, ProtocolError(-32600, "a message is a JSON object")),
        {"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progress": 1}},
    ):
        assert line(message) == compact(message)


def test_a_payload_is_made_once():
    made = fitted({"hits": ["tide"] * 3})
    assert payload(made) is made
    assert made.json == '{"hits":["tide","tide","tide"]}'


def test_a_document_that_was_cut_is_written_as_cut():
    made = fitted({"text": "tide " * 5_000})
    assert json.loads(made.json) == made
    assert len(made.json) <= 8_000


def test_a_concise_hit_is_the_whole_one_with_less_in_it(puffin):
    old = puffin.remember("Gulls peck the lamp at dusk", title="Lamp", scope="lamp.py").id
    new = puffin.remember("Gulls never peck the lamp", kind="rule", category="birds").id
    puffin.supersede(old, new)
    puffin.link(new, 3, "relates_to")
    puffin.forget(2)
    seen = {"include_superseded": True, "include_deleted": True, "graph_depth": 1, "all": True}
    hits = puffin.search("why do gulls peck the lamp", limit=20, **seen).hits
    assert {old, new} <= {hit.id for hit in hits}
    for hit in hits:
        assert concise_hit(hit) == concise(hit_json(hit))
