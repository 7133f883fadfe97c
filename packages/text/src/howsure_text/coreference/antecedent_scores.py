"""Antecedent scores of any coreference model, and the alignment of its mentions with documents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any

import numpy as np

from howsure.data.documents.document import Document, Mention, Sentence, Strings
from howsure.errors import InputError, quote
from howsure.inputs.checks import as_array
from howsure.inputs.numbers_and_names import counted
from howsure.inputs.pairs import Integers

# The scores that a coreference model gives the antecedents of the mentions of one document.


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class AntecedentScores:
    """The mentions that a model found in a document, and its log-scores of their antecedents.

    mentions (M, 2): start and end of each mention, in text order. The end is exclusive, and positions count from 0:
    words in `words` (a list of words, or of sentences, which are lists of words), or characters in `text`. scores (M,
    M): row j contains the scores of the mentions k < j as antecedents, -inf for a k that was not scored. With
    `antecedents` (M rows of indices k), row j contains only the scores of these mentions. A score is masked if it is
    -inf, or so low that its probability is 0. null: the score of "no antecedent": a number, one number per mention, or
    its position in `scores` ("first" or "last" column, "diagonal").

    >>> AntecedentScores(id="a", words=["Ann", "saw", "herself"], mentions=[(0, 1), (2, 3)], scores=[[], [1.5]], null=0)
    AntecedentScores('a', 2 mentions)

    Raises InputError naming the mention that is out of order, repeated or outside of the text.
    """

    id: str
    mentions: Any
    scores: Any
    null: Any
    antecedents: Any = None
    words: Any = None
    text: str | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.id, str) or not self.id:
            raise InputError(f"id must be the name of a document; it is {quote(self.id)}.")
        if (self.words is None) == (self.text is None):
            raise InputError("exactly one of words (a list of words or of sentences) and text must be given.")
        if self.text is not None and not isinstance(self.text, str):
            raise InputError(f"text must be a string; it is {quote(self.text)}.")
        words = None if self.words is None else _sentences(self.words)
        object.__setattr__(self, "words", words)
        length = len(self.text) if self.text is not None else sum(map(len, words or ()))
        spans = _spans(self.mentions, length, "words" if self.text is None else "characters")
        object.__setattr__(self, "mentions", spans)
        if not hasattr(self.scores, "__len__") or len(self.scores) != len(spans):
            n_rows = len(self.scores) if hasattr(self.scores, "__len__") else repr(self.scores)[:40]
            raise InputError(f"scores must have a row for each of {len(spans)} mentions; they have {n_rows}.")
        if self.antecedents is None:
            object.__setattr__(self, "scores", _square_scores(self.scores))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.id!r}, {counted(len(self.mentions), 'mention')})"

    def __len__(self) -> int:
        return len(self.mentions)

    def document(self) -> Document:
        """Return the words as a document; `text` is split at blanks, and at the starts and ends of mentions."""
        if self.text is None:
            return Document(self.id, tuple(Sentence(word) for word in self.words))
        words, spaces = _split_words(self.text, self.mentions)
        return Document(self.id, (Sentence(words, spaces=spaces),))


def _sentences(words: object) -> tuple[Strings, ...]:
    """Return words as sentences; a flat list of words is a single sentence."""
    word_list = list(words) if isinstance(words, Sequence | np.ndarray) and not isinstance(words, str | bytes) else []
    nested = bool(word_list) and not isinstance(word_list[0], str)
    if nested and any(isinstance(item, str) or not isinstance(item, Sequence) for item in word_list):
        raise InputError(
            "words must be a list of words, or a list of sentences (lists of words), but not a mixture of both."
        )
    sentences = tuple(tuple(sentence) for sentence in word_list) if nested else (tuple(word_list),)
    wrong = [word for sentence in sentences for word in sentence if not isinstance(word, str) or not word]
    if wrong or not any(sentences):
        raise InputError(
            f"words must be a list of words or of sentences; {quote((wrong or [words])[0])} is not a word."
        )
    return tuple(tuple(map(str, sentence)) for sentence in sentences if sentence)


def _spans(mentions: object, length: int, unit: str) -> Integers:
    spans = as_array(mentions)
    if spans.size == 0:
        return np.empty((0, 2), dtype=np.int64)
    if spans.ndim != 2 or spans.shape[1] != 2 or spans.dtype.kind not in "iu":
        raise InputError(f"mentions must be pairs of whole numbers, start and end; they are {quote(spans.tolist())}.")
    spans = spans.astype(np.int64)
    rows: list[list[int]] = spans.tolist()
    for row, (start, end) in enumerate(rows):
        if not 0 <= start < end <= length:
            advice = " Ends are exclusive; if yours are inclusive, add 1." if start == end else ""
            raise InputError(
                f"mentions must be in the text, which has {length:,} {unit}; `matrix row {row}` is "
                f"{[start, end]}.{advice}"
            )
    for row, (previous, other) in enumerate(pairwise(rows), 1):
        if other[0] < previous[0]:
            raise InputError(
                f"mentions must be in text order; `matrix row {row}`, {other}, begins before {previous}. Antecedents "
                "are earlier mentions: sort the mentions together with their scores."
            )
    places: dict[tuple[int, ...], int] = {}
    for row, span in enumerate(map(tuple, rows)):
        if places.setdefault(span, row) != row:
            raise InputError(f"mentions must be distinct; rows {places[span]} and {row} are both {list(span)}.")
    return spans


def _square_scores(scores: Any) -> Any:
    """Convert rows with only the scores of earlier mentions to a square matrix."""
    m = len(scores)
    lengths = [len(row) if hasattr(row, "__len__") else -1 for row in scores]
    if m == 0 or set(lengths) <= {m, m + 1}:
        return scores
    if lengths != list(range(m)):
        row = next(j for j, length in enumerate(lengths) if length != j)
        row_text = f"has {lengths[row]}" if lengths[row] >= 0 else "is not a list"
        raise InputError(
            f"each row of scores must contain one score for each earlier mention, or all rows {m} or {m + 1} scores; "
            f"`matrix row {row}` {row_text}, but there are {counted(row, 'earlier mention')}. If the model prunes "
            "antecedents, pass the remaining ones as `antecedents`."
        )
    square = np.full((m, m), -np.inf)
    for j, row in enumerate(scores):
        try:
            square[j, :j] = row
        except (TypeError, ValueError) as error:
            raise InputError(f"scores must be numbers; `matrix row {j}` is {quote(list(row))} ({error}).") from error
    return square


def _split_words(text: str, mentions: Integers) -> tuple[Strings, tuple[bool, ...]]:
    """Split a text at blanks and at the ends of mentions. Return the words, and whether a blank follows each word."""
    blank = [character.isspace() for character in text]
    ends = set(mentions.ravel().tolist()) | {len(text)}
    ends |= {at for at, (first, other) in enumerate(pairwise(blank), 1) if first != other}
    places = sorted(ends - {0})
    pieces = [(start, end) for start, end in pairwise([0, *places]) if not blank[start]]
    return tuple(text[start:end] for start, end in pieces), tuple(end == len(text) or blank[end] for _, end in pieces)


# Alignment of a model's mentions with a document that may be tokenised differently, by characters that are not blanks.

CONTEXT_LENGTH = 20  # characters shown around a difference


@dataclass(frozen=True, slots=True)
class Placement:
    """The alignment of a model's mentions with a document.

    mentions: for each mention of the model, its counterpart in the document; None if it has none. faults: the reason
    for each None, by the index of the mention.
    """

    mentions: tuple[Mention | None, ...]
    faults: dict[int, str]


def place_mentions(scores: AntecedentScores, document: Document) -> Placement:
    """Find mentions in a document that has the same text, apart from blanks.

    A mention cannot be aligned if it begins or ends inside a word of the document, or if it crosses sentences.
    """
    starts, ends, letters = _word_spans(document)
    letters_given, places = _mention_spans(scores)
    if letters_given != letters:
        raise _difference(scores.id, letters_given, letters, document.name)
    mentions: list[Mention | None] = []
    faults: dict[int, str] = {}
    for number, (start, end) in enumerate(places):
        first, last = starts.get(start), ends.get(end)
        fault = (
            "contains only blanks"
            if start == end
            else "begins inside a word"
            if first is None
            else "ends inside a word"
            if last is None
            else "crosses sentences"
            if first[0] != last[0]
            else None
        )
        if fault is not None or first is None or last is None:
            faults[number] = f"{quote(letters_given[start:end])} {fault}"
            mentions.append(None)
        else:
            mentions.append(Mention(first[0], first[1], last[1] + 1))
    return Placement(tuple(mentions), faults)


Places = dict[int, tuple[int, int]]  # by character position: indices of a sentence, and of a word in it


def _word_spans(document: Document) -> tuple[Places, Places, str]:
    """Return the words that start and end at each character, and the characters of a document without blanks."""
    starts: Places = {}
    ends: Places = {}
    letters: list[str] = []
    place = 0
    for number, sentence in enumerate(document.sentences):
        for position, word in enumerate(sentence.words):
            letters_ = _letters(word)
            if letters_:
                starts[place] = ends[place + len(letters_)] = number, position
            place += len(letters_)
            letters.append(letters_)
    return starts, ends, "".join(letters)


def _mention_spans(scores: AntecedentScores) -> tuple[str, list[tuple[int, int]]]:
    """Return the characters of a model's input without blanks, and the start and end of each mention in them."""
    if scores.text is None:
        words = [_letters(word) for sentence in scores.words for word in sentence]
        counts = [0, *accumulate(map(len, words))]
        letters = "".join(words)
    else:
        counts = [0, *accumulate(int(not character.isspace()) for character in scores.text)]
        letters = _letters(scores.text)
    return letters, [(counts[start], counts[end]) for start, end in scores.mentions.tolist()]


def _letters(text: str) -> str:
    return "".join(text.split())


def _difference(name: str, letters_given: str, letters: str, document: str) -> InputError:
    at = next((n for n, (first, other) in enumerate(zip(letters_given, letters, strict=False)) if first != other), None)
    place = min(len(letters_given), len(letters)) if at is None else at
    low = max(0, place - CONTEXT_LENGTH // 2)
    given_part, other = (text[low : low + CONTEXT_LENGTH] or "the end" for text in (letters_given, letters))
    return InputError(
        f"the scores of {name} belong to another text than document {document}: after {place:,} characters without "
        f"blanks, …{given_part!r} in the scores is …{other!r} in the document. Score the words of the document itself."
    )
