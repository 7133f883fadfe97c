"""Files whose documents are compared: lines, sentences of tags, documents with mentions, files of spaCy."""

from __future__ import annotations

import pytest

from howsure.data.documents.entities import entities_of
from howsure.data.documents.read_documents import document_items
from howsure.errors import InputError


def _items(tmp_path, name, text):
    path = tmp_path / name
    path.write_text(text)
    return document_items(path)


def test_a_line_is_a_text(tmp_path):
    assert _items(tmp_path, "a.txt", "one two\n\nthree\r\n") == (["one two", "", "three"], None)


def test_tags_stand_in_the_last_column(tmp_path):
    text = "# newdoc\n# text = Ada sang\nAda\tN\tB-PER\nsang\tV\tO\n\n\nRome N B-LOC\n\n# newdoc\nIn P O\n"
    assert _items(tmp_path, "a.conll", text) == ([["B-PER", "O"], ["B-LOC"], ["O"]], [0, 0, 1])
    assert _items(tmp_path, "b.bio", "Ada B-PER\n\nsang O\n\n") == ([["B-PER"], ["O"]], None)


def test_brackets_are_mentions(tmp_path):
    row = "a 0 {} {} N * - - - - * {}\n"
    text = (
        "#begin document (a); part 000\n"
        + row.format(0, "Ada", "(1)")
        + row.format(1, "sang", "-")
        + "\n#end document\n"
    )
    items, documents = _items(tmp_path, "a.conll", text)
    assert documents is None
    assert [entities_of(item) for item in items] == [[(0, 1, "entity")]]


def test_a_file_of_spacy_has_ents(tmp_path):
    import spacy
    from spacy.tokens import DocBin, Span

    doc = spacy.blank("en")("Ada Byron sang")
    doc.ents = [Span(doc, 0, 2, "PERSON")]
    DocBin(docs=[doc]).to_disk(tmp_path / "gold.spacy")
    (item,), documents = document_items(tmp_path / "gold.spacy")
    assert (entities_of(item), documents) == ([(0, 9, "PERSON")], None)


@pytest.mark.parametrize(
    ("text", "said"), [("Ada\n", "a word needs a tag beside it; 'Ada'"), ("-DOCSTART- O\n", "holds no sentence")]
)
def test_what_is_no_file_of_tags_is_refused(tmp_path, text, said):
    with pytest.raises(InputError, match=said):
        _items(tmp_path, "a.conll", text)
