"""An HTML page with the text of documents, in which entities are coloured and uncertain mentions marked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from howsure.data.documents.document import Mention
from howsure.inputs.pairs import Floats
from howsure_cli.report.pages import page_template
from howsure_text.coreference.resolution import ResolvedDocument

MIN_CONFIDENCE = 0.75  # a mention below this confidence is marked
MIN_RIVAL_PROBABILITY = 0.25  # another entity's mention is named if it corefers with at least this probability
ROUNDED = (
    "The entities here are those of a single clustering, which rounds: a mention that is new with p = 0.6 is a whole "
    "entity here, and 0.6 of one in the expected number."
)
COLOURS = 12  # number of colours in the template; further entities reuse them


@dataclass(frozen=True, slots=True)
class Bracket:
    """The bracket at the beginning or the end of a mention. says: the text shown on hover."""

    entity: int
    colour: int
    doubtful: bool
    says: str


@dataclass(frozen=True, slots=True)
class Word:
    """A word, with the brackets before and after it.

    colour: the colour of the innermost mention around the word; None outside of mentions.
    """

    text: str
    space: bool
    colour: int | None
    doubtful: bool
    says: str
    opening: tuple[Bracket, ...]
    closing: tuple[Bracket, ...]


@dataclass(frozen=True, slots=True)
class Page:
    """The content of a document for the HTML template."""

    name: str
    summary: str
    sentences: list[list[Word]]


def coreference_page(documents: Sequence[ResolvedDocument]) -> str:
    """Return an HTML page of documents without scripts and network access; all texts are escaped.

    A mention is shown in brackets with the number of its entity if the entity has other mentions, or if a mention of
    another entity corefers with it with a probability of at least 0.25. A dotted line marks mentions whose confidence
    is below 0.75. The probabilities of a mention are shown on hover.
    """
    pages = [_page(document) for document in documents]
    title = "Who is who, and how certain is that?"
    return page_template("coreference.html").render(title=title, subtitle=None, pages=pages, doubtful=MIN_CONFIDENCE)


def _page(resolved_document: ResolvedDocument) -> Page:
    low, high = resolved_document.number.interval()
    brackets = _brackets(resolved_document)
    doubts = sum(bracket.doubtful for bracket in brackets.values())
    summary = (
        f"{len(resolved_document.mentions):,} mentions; entities here: "
        f"{len(set(resolved_document.labels.tolist())):,}, expected {resolved_document.number.mean:.1f}, between {low} "
        f"and {high} with 95% probability. Uncertain mentions: {doubts:,}."
    )
    if resolved_document.recalibration is None:
        summary += " Confidence is not recalibrated, and likely too high."
    if not low <= len(set(resolved_document.labels.tolist())) <= high:
        summary += f" {ROUNDED}"
    shown = {place: resolved_document.mentions[place] for place in brackets}
    sentences = []
    for number, sentence in enumerate(resolved_document.document.sentences):
        here = {place: mention for place, mention in shown.items() if mention.sentence == number}
        spaces = sentence.spaces or (True,) * len(sentence)
        sentences.append([_word(word, spaces[at], at, here, brackets) for at, word in enumerate(sentence.words)])
    return Page(resolved_document.document.name, summary, sentences)


def _word(text: str, space: bool, at: int, here: dict[int, Mention], brackets: dict[int, Bracket]) -> Word:
    starts = sorted((place for place, m in here.items() if m.start == at), key=lambda place: -here[place].end)
    ends = sorted((place for place, m in here.items() if m.end == at + 1), key=lambda place: -here[place].start)
    inside = [place for place, mention in here.items() if mention.start <= at < mention.end]
    innermost = min(inside, key=lambda place: here[place].end - here[place].start, default=None)
    bracket = None if innermost is None else brackets[innermost]
    return Word(
        text,
        space,
        None if bracket is None else bracket.colour,
        bracket is not None and bracket.doubtful,
        "" if bracket is None else bracket.says,
        tuple(brackets[place] for place in starts),
        tuple(brackets[place] for place in ends),
    )


def _brackets(resolved_document: ResolvedDocument) -> dict[int, Bracket]:
    """Return the brackets of all mentions that are shown, by index; entities are numbered in text order."""
    sizes, together = Counter(resolved_document.labels.tolist()), resolved_document.posterior.pair_probability()
    numbers: dict[int, int] = {}
    brackets = {}
    for place, label in enumerate(resolved_document.labels.tolist()):
        rival = _rival(resolved_document, together[place], place)
        if sizes[label] == 1 and rival is None:
            continue
        number = numbers.setdefault(label, len(numbers) + 1)
        doubtful = bool(resolved_document.confidence[place] < MIN_CONFIDENCE)
        tooltip = _hover_text(resolved_document, together[place], place, number, sizes[label], rival)
        brackets[place] = Bracket(number, (number - 1) % COLOURS, doubtful, tooltip)
    return brackets


def _rival(resolved_document: ResolvedDocument, together: Floats, place: int) -> int | None:
    """Return the mention of another entity that most probably corefers; None if its probability is below 0.25."""
    outside = resolved_document.labels != resolved_document.labels[place]
    if not outside.any():
        return None
    best = int((together * outside).argmax())
    return best if together[best] >= MIN_RIVAL_PROBABILITY else None


def _hover_text(
    resolved_document: ResolvedDocument, together: Floats, place: int, number: int, size: int, rival: int | None
) -> str:
    sure = f"{resolved_document.confidence[place]:.2f}"
    text = f"entity {number}: alone, probability {sure}" if size == 1 else f"entity {number}, confidence {sure}"
    if rival is None:
        return text
    words = " ".join(resolved_document.document.words_of(resolved_document.mentions[rival]))
    return f"{text}; or the same as “{words}”: {together[rival]:.2f}"
