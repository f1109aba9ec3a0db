"""Question sets on disk: read whole, or refused with the file and the line that is wrong."""

import pytest

from recairn.core.errors import BadInput, NotFound
from recairn.surfaces.bench.datasets import NO_SCOPE, read
from tests.surfaces.bench.questions import written


@pytest.mark.parametrize("packed", [False, True])
def test_a_set_is_read_as_it_was_written(tmp_path, packed):
    found = read(str(written(tmp_path, packed=packed)))
    assert found.name == "harbour"
    assert [document.id for document in found.documents] == ["d1", "d2", "d3", "d4", "d5", "d6"]
    assert (found.documents[4].scope, found.documents[4].timestamp) == ("south", None)
    assert found.documents[1].text == "Gulls nest on the roof of the boathouse"
    answerable = {question.id: question.answerable for question in found.questions}
    assert answerable == {"q1": True, "q2": True, "q3": True, "q4": False, "q5": False}
    assert found.questions[1].judged == {"d3": 2.0, "d4": 2.0}
    assert found.questions[3].judged == {}


def test_a_set_without_scopes_is_one_project(tmp_path):
    (tmp_path / "corpus.jsonl").write_text(
        '{"id": 7, "text": "gull", "timestamp": "2026-11-01"}\n\n'
    )
    (tmp_path / "queries.jsonl").write_text('{"id": 1, "text": "bird", "meta": null}\n')
    (tmp_path / "qrels.tsv").write_text("1\t7\t1\n")
    found = read(f"{tmp_path}/")
    (document,), (question,) = found.documents, found.questions
    assert (document.id, document.scope, document.timestamp) == ("7", NO_SCOPE, "2026-11-01")
    assert (question.scope, question.judged) == (NO_SCOPE, {"7": 1.0})
    assert found.name == tmp_path.name


@pytest.mark.parametrize("name", ["corpus.jsonl", "queries.jsonl", "qrels.tsv"])
def test_a_missing_file_is_named(tmp_path, name):
    folder = written(tmp_path)
    (folder / name).unlink()
    with pytest.raises(NotFound, match=name):
        read(str(folder))


@pytest.mark.parametrize(
    "line", ["{", "[]", "5", '"id"', '{"id": "d7"}', '{"text": "no id"}', "not json"]
)
@pytest.mark.parametrize("name", ["corpus.jsonl", "queries.jsonl"])
def test_a_line_that_is_no_record_is_named_by_number(tmp_path, name, line):
    path = written(tmp_path) / name
    good = path.read_text().splitlines()[0]
    path.write_text(f"{good}\n\n{line}\n")
    with pytest.raises(BadInput, match=f"{name} line 3 is not a record with id and text"):
        read(str(path.parent))


@pytest.mark.parametrize("line", ["q1\td1", "q1\td1\tmuch", "q1 d1 1", "q1\td1\t1\t1"])
def test_a_judgement_that_is_none_is_named_by_number(tmp_path, line):
    path = written(tmp_path) / "qrels.tsv"
    path.write_text(f"q1\td1\t1\n{line}\n")
    with pytest.raises(BadInput, match=r"qrels\.tsv line 2 is not question, document, gain"):
        read(str(path.parent))
