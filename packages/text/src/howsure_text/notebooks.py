"""HTML of sentences for notebooks: tags shaded by their probability, mentions coloured by their entity."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape

from howsure.data.documents.document import Document, Mention
from howsure.show.table import on_a_terminal

MAX_SENTENCES = 10
COLOURS = ("0,114,178", "230,159,0", "0,158,115", "204,121,167", "213,94,0", "86,180,233", "150,120,60", "120,120,220")
MARK = '<span style="background:rgba({},{:.2f});border-radius:3px;padding:0 2px" title="{}">'
SMALL = '<sub style="opacity:.75">{}</sub>'


def tags_html(sentences: Iterable[Sequence[tuple[str | None, str, float]]]) -> str:
    """Return HTML of sentences, given as (word or None, tag, probability); each word is shaded by the probability.

    >>> tags_html([[("Ada", "PER", 0.9)]])
    '<p><span style="background:rgba(0,114,178,0.45);border-radius:3px;padding:0 2px" title="P(PER) = 0.9000">Ada <sub \
style="opacity:.75">PER</sub></span></p>'
    """
    paragraphs = []
    for sentence in sentences:
        tokens = []
        for word, tag, p in sentence:
            start = MARK.format(COLOURS[0], 0.5 * p, _text(f"P({tag}) = {p:.4f}"))
            tokens.append(
                f"{start}{_text(tag) if word is None else f'{_text(word)} {SMALL.format(_text(tag))}'}</span>"
            )
        paragraphs.append(f"<p>{' '.join(tokens)}</p>")
    return "".join(paragraphs)


def mentions_html(
    document: Document, mentions: Sequence[Mention], labels: Sequence[int], titles: Mapping[int, str]
) -> str:
    """Return HTML of the sentences of a document, in which the mentions of an entity have the same colour.

    titles: by index of a mention, the text shown on hover. If mentions cross, only the first of them is coloured.
    """
    colour_of = {label: COLOURS[at % len(COLOURS)] for at, label in enumerate(dict.fromkeys(labels))}
    opens: dict[tuple[int, int], list[str]] = {}
    closes: dict[tuple[int, int], int] = {}
    places = sorted(
        range(len(mentions)), key=lambda place: (mentions[place].sentence, mentions[place].start, -mentions[place].end)
    )
    open_until: list[Mention] = []
    for place in places:
        mention = mentions[place]
        open_until = [outer for outer in open_until if (outer.sentence, outer.end) > (mention.sentence, mention.start)]
        if open_until and mention.end > open_until[-1].end:
            continue
        open_until.append(mention)
        mark = MARK.format(colour_of[labels[place]], 0.3, _text(titles.get(place, "")))
        opens.setdefault((mention.sentence, mention.start), []).append(mark)
        end = (mention.sentence, mention.end - 1)
        closes[end] = closes.get(end, 0) + 1
    paragraphs = []
    for number, sentence in enumerate(document.sentences[:MAX_SENTENCES]):
        words = (
            f"{''.join(opens.get((number, at), []))}{_text(word)}{'</span>' * closes.get((number, at), 0)}"
            for at, word in enumerate(sentence.words)
        )
        paragraphs.append(f"<p>{' '.join(words)}</p>")
    return "".join([*paragraphs, *more_html(len(document.sentences))])


def more_html(sentences: int) -> list[str]:
    """Return a line with the number of sentences that are not shown; empty if all are shown."""
    left = sentences - MAX_SENTENCES
    return [f"<p>… {left:,} more sentence{'s' if left > 1 else ''}</p>"] if left > 0 else []


def _text(text: str) -> str:
    return escape(on_a_terminal(text))
