"""Brackets of mentions: nesting, crossing, in parts, on empty nodes; and back."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from howsure.data.documents.brackets import BracketError, Brackets, bracket_texts, entity_text
from howsure.data.documents.document import Document, Mention, Sentence
from howsure.errors import InputError

Found = list[tuple[int, int, object, str | None]]


def mentions_of(column: Sequence[str], layout: Sequence[str] = ("eid",), *, repeated: bool = False) -> Found:
    brackets = Brackets(layout, repeated=repeated)
    for word, text in enumerate(column):
        if text:
            brackets.read(text, word)
    return [(one.start, one.end, one.entity, one.type) for one in brackets.finish()]


GUM = ("eid", "etype", "infstat", "minspan", "link", "identity")
CASES = [
    (["(1)"], ("eid",), False, [(0, 1, "1", None)]),
    (["(1", "", "1)"], ("eid",), False, [(0, 3, "1", None)]),
    (["(1(2", "2)", "1)"], ("eid",), False, [(0, 2, "2", None), (0, 3, "1", None)]),
    (["(1|(2", "2)|1)"], ("eid",), False, [(0, 2, "2", None), (0, 2, "1", None)]),
    (["(1", "(2", "1)", "2)"], ("eid",), False, [(0, 3, "1", None), (1, 4, "2", None)]),
    (["(1", "(1", "1)", "1)"], ("eid",), False, [(0, 4, "1", None), (1, 3, "1", None)]),
    (["(1", "(1)1)"], ("eid",), False, [(0, 2, "1", None), (1, 2, "1", None)]),
    (["(1", "1)(1", "1)"], ("eid",), False, [(0, 2, "1", None), (1, 3, "1", None)]),
    (["(8-person-new-1,2-coref-A._B%2DC(9-place-giv:act-1-ana)", "8)"], GUM, False,
     [(0, 1, "9", "place"), (0, 2, "8", "person")]),
    (["(7", "7)"], ("etype", "GRP"), False, None),
    (["(person-7", "7)"], ("etype", "GRP"), False, [(0, 2, "7", "person")]),
    (["(person-7-Ann", "person-7-Ann)(place-8)"], ("etype", "eid"), True,
     [(0, 2, "7", "person"), (1, 2, "8", "place")]),
    (["(7[1/2])", "", "(7[2/2]", "7[2/2])"], ("eid",), False, [(0, 4, "7", None)]),
    (["(7[1/2]-person-new)", "(7-person)", "(7[2/2]-person)"], GUM, False,
     [(0, 3, "7", "person"), (1, 2, "7", "person")]),
]  # fmt: skip


@pytest.mark.parametrize(("column", "layout", "repeated", "expected"), CASES)
def test_hand_worked_cases(column: list[str], layout: Sequence[str], repeated: bool, expected: Found | None) -> None:
    if expected is None:
        with pytest.raises(BracketError, match="names no entity"):
            mentions_of(column, layout, repeated=repeated)
    else:
        assert mentions_of(column, layout, repeated=repeated) == expected


@pytest.mark.parametrize(
    ("column", "message"),
    [
        (["(1"], r"\(1 is never closed"),
        (["1)"], r"1\) closes what was never opened"),
        (["1)", "(1"], r"1\) closes what was never opened"),
        (["(1", "2)"], r"2\) closes what was never opened"),
        (["1"], "no row of brackets"),
        (["(1)2"], "no row of brackets"),
        (["()"], "no row of brackets"),
        (["((1)"], "no row of brackets"),
        (["(1))"], "no row of brackets"),
        (["(1)|"], "no row of brackets"),
        (["(7[2/2])"], "out of order"),
        (["(7[1/2])"], "last part is missing"),
        (["(7[1/2])", "(7[2/1])"], "out of order"),
    ],
)
def test_brackets_that_do_not_match(column: list[str], message: str) -> None:
    with pytest.raises(BracketError, match=message):
        mentions_of(column)


def test_a_mention_of_empty_nodes_alone_has_no_words() -> None:
    brackets = Brackets()
    brackets.read("(1)", 0, empty=True)
    brackets.read("(2", 0, empty=True)
    brackets.read("2)(3", 2)
    brackets.read("3)", 3, empty=True)
    assert [(one.start, one.end, one.entity) for one in brackets.finish()] == [(1, 3, "2"), (2, 4, "3")]


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(1, 4), st.integers(0, 3)), max_size=8, unique=True))
def test_what_is_written_is_read(spans: list[tuple[int, int, int]]) -> None:
    mentions = sorted(Mention(0, start, start + length, str(entity)) for start, length, entity in spans)
    document = Document("d", (Sentence(("w",) * 9),), tuple(mentions))
    if any(a.entity == b.entity and a.start < b.start < a.end - 1 < b.end - 1 for a in mentions for b in mentions):
        with pytest.raises(InputError, match="must not cross"):
            bracket_texts(document, entity_text, closing=entity_text)
    else:
        texts = bracket_texts(document, entity_text, closing=entity_text, joint="|")
        found = mentions_of([texts.get((0, word), "") for word in range(9)])
        assert sorted(found) == sorted((one.start, one.end, one.entity, None) for one in mentions)


@pytest.mark.parametrize("entity", [None, "", "a-b", "a b", "(1", "x|y", "x[1/2]"])
def test_entities_that_no_bracket_can_name(entity: object) -> None:
    with pytest.raises(InputError, match=r"must have an entity to be written.*Number the entities"):
        entity_text(Mention(0, 0, 1, entity))
