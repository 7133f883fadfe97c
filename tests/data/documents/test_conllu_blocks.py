"""Sentences by blank lines, with the numbers of their lines, and the names of documents."""

from __future__ import annotations

from itertools import groupby

from hypothesis import given
from hypothesis import strategies as st

from howsure.data.documents.conllu import blocks_in, comments_of, name_of_document


@given(st.lists(st.sampled_from(["", "", "# a", "1\tx", "2\ty", " "])))
def test_every_line_that_is_not_blank_stands_at_its_number(lines: list[str]) -> None:
    blocks = list(blocks_in(iter(lines)))
    found = {first + at: text for first, above, rows in blocks for at, text in enumerate([*above, *rows])}
    assert found == {number: text for number, text in enumerate(lines, start=1) if text}
    assert len(blocks) == sum(filled for filled, _ in groupby(lines, key=bool))
    assert all(text.startswith("#") for _, above, _ in blocks for text in above)
    assert not any(rows and rows[0].startswith("#") for _, _, rows in blocks)


def test_comments() -> None:
    assert comments_of(["# a = b = c", "#d=1", "# d = 2", "# newpar"]) == {"a": "b = c", "d": "2", "newpar": ""}


def test_names_of_documents() -> None:
    assert name_of_document({"newdoc id": "x", "newdoc": ""}, stem="f", number=3) == "x"
    assert name_of_document({"newdoc id": ""}, stem="f", number=3) == "f-3"
    assert name_of_document({"text": "Hm"}, stem="f", number=1) == "f"
