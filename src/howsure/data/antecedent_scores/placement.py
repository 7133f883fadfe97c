"""The mentions of a model in a document whose words may be cut otherwise, found by the characters other than blanks."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate

from howsure.data.antecedent_scores.antecedent_scores import AntecedentScores
from howsure.data.documents.document import Document, Mention
from howsure.errors import InputError, shown

SHOWN = 20  # characters around a difference


@dataclass(frozen=True, slots=True)
class Placement:
    """For each mention of a model, the mention of the document, None if it is none; and why, by its number."""

    mentions: tuple[Mention | None, ...]
    faults: dict[int, str]


def place_mentions(scores: AntecedentScores, document: Document) -> Placement:
    """Find mentions in a document of the same text; blanks are not compared.

    A mention is at fault if it begins or ends inside a word of the document, or if it crosses sentences.

    Raises InputError where the texts differ.
    """
    starts, ends, letters = _words(document)
    given, places = _places(scores)
    if given != letters:
        raise _difference(scores.id, given, letters, document.name)
    mentions: list[Mention | None] = []
    faults: dict[int, str] = {}
    for number, (start, end) in enumerate(places):
        first, last = starts.get(start), ends.get(end)
        fault = (
            "holds nothing but blanks" if start == end
            else "begins inside a word" if first is None
            else "ends inside a word" if last is None
            else "crosses sentences" if first[0] != last[0]
            else None
        )  # fmt: skip
        if fault is not None or first is None or last is None:
            faults[number] = f"{shown(given[start:end])} {fault}"
            mentions.append(None)
        else:
            mentions.append(Mention(first[0], first[1], last[1] + 1))
    return Placement(tuple(mentions), faults)


Places = dict[int, tuple[int, int]]  # of a word in its sentence, by a place among the letters


def _words(document: Document) -> tuple[Places, Places, str]:
    """Where words begin and end among the letters of a document, and these."""
    starts: Places = {}
    ends: Places = {}
    letters: list[str] = []
    place = 0
    for number, sentence in enumerate(document.sentences):
        for position, word in enumerate(sentence.words):
            held = _letters(word)
            if held:
                starts[place] = ends[place + len(held)] = number, position
            place += len(held)
            letters.append(held)
    return starts, ends, "".join(letters)


def _places(scores: AntecedentScores) -> tuple[str, list[tuple[int, int]]]:
    """The letters that a model was given, and where its mentions begin and end among them."""
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


def _difference(name: str, given: str, letters: str, document: str) -> InputError:
    at = next((n for n, (one, other) in enumerate(zip(given, letters, strict=False)) if one != other), None)
    place = min(len(given), len(letters)) if at is None else at
    low = max(0, place - SHOWN // 2)
    one, other = (text[low : low + SHOWN] or "the end" for text in (given, letters))
    return InputError(
        f"the scores of {name} belong to another text than document {document}: after {place:,} characters without "
        f"blanks, …{one!r} in the scores is …{other!r} in the document. Score the words of the document itself."
    )
