"""Texts as sentences of words: nothing is lost, and sentences end where they should."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from howsure.events.extraction.import_events import sentences_of


def written(text: str) -> str:
    """The words of a text put together again."""
    return "".join(
        word + " " * space for words, spaces in sentences_of(text) for word, space in zip(words, spaces, strict=True)
    )


@given(st.text())
def test_nothing_but_white_space_is_lost(text: str) -> None:
    assert written(text).split() == "".join(written(text)).split()
    assert "".join(written(text).split()) == "".join(text.split())
    assert all(words and len(words) == len(spaces) for words, spaces in sentences_of(text))


@given(
    st.lists(st.sampled_from(["They", "attacked", "Norland,", "(again)", "“No!”", "U.S.", "3.5", "don't"]), min_size=1)
)
def test_spaces_stay_where_they_are(words: list[str]) -> None:
    assert written(" ".join(words)).rstrip() == " ".join(words)


def test_sentences_end_at_marks_and_lines() -> None:
    found = sentences_of("They attacked. “We did!” he said.\nNobody saw it\nRain… fell? Yes.")
    assert ["".join(words) for words, _ in found] == [
        "Theyattacked.",
        "“Wedid!”hesaid.",
        "Nobodysawit",
        "Rain…fell?",
        "Yes.",
    ]
    assert [len(sentences_of(text)) for text in ("", " \n ", "一。二！", "no end", "...")] == [0, 0, 2, 1, 1]
