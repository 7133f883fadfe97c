"""Small parsed documents, written down by hand."""

from __future__ import annotations

import numpy as np

from howsure.data.documents.document import Document, Mention, Sentence
from howsure_text.coreference import AntecedentScores, CorefPosterior


def parsed(text: str, **metadata: str) -> Sentence:
    """A sentence from `word|tag|head|relation`, heads counted from 1, 0 for the root."""
    rows = [token.split("|") for token in text.split()]
    words, tags, heads, relations = zip(*rows, strict=True)
    heads_from_0 = tuple(int(head) - 1 for head in heads)
    return Sentence(words, tags=tags, heads=heads_from_0, relations=relations, metadata=metadata)


def document(*sentences: Sentence, mentions: list[tuple[int, int, int, object]] | None = None) -> Document:
    """A document with mentions (sentence, start, end, entity)."""
    annotated = None if mentions is None else tuple(Mention(*mention) for mention in mentions)
    return Document("example", sentences, annotated)


UD = parsed(
    "The|DT|3|det old|JJ|3|amod king|NN|5|nmod:poss 's|POS|3|case daughter|NN|6|nsubj saw|VBD|0|root Ann|NNP|6|obj "
    "and|CC|10|cc her|PRP$|10|nmod:poss brother|NN|7|conj in|IN|12|case Paris|NNP|6|obl .|.|6|punct"
)
CLEAR = parsed(
    "The|DT|3|det old|JJ|3|amod king|NN|5|poss 's|POS|3|case daughter|NN|6|nsubj saw|VBD|0|ROOT Ann|NNP|6|dobj "
    "and|CC|7|cc her|PRP$|10|poss brother|NN|7|conj in|IN|6|prep Paris|NNP|11|pobj .|.|6|punct"
)
PREDICATE_UD = parsed(
    "Bonn|NNP|5|nsubj was|VBD|5|cop the|DT|5|det old|JJ|5|amod capital|NN|0|root of|IN|7|case Germany|NNP|5|nmod"
)
PREDICATE_CLEAR = parsed(
    "Bonn|NNP|2|nsubj was|VBD|0|ROOT the|DT|5|det old|JJ|5|amod capital|NN|2|attr of|IN|5|prep Germany|NNP|6|pobj"
)


def story() -> Document:
    """Ann Bell met a doctor . The doctor greeted her . He knew Mrs. Bell . She thanked the doctors ."""
    return document(
        parsed("Ann|NNP|3|nsubj Bell|NNP|1|flat met|VBD|0|root a|DT|5|det doctor|NN|3|obj .|.|3|punct"),
        parsed("The|DT|2|det doctor|NN|3|nsubj greeted|VBD|0|root her|PRP|3|obj .|.|3|punct"),
        parsed("He|PRP|2|nsubj knew|VBD|0|root Mrs.|NNP|4|nmod:desc Bell|NNP|2|obj .|.|2|punct"),
        parsed("She|PRP|2|nsubj thanked|VBD|0|root the|DT|4|det doctors|NNS|2|obj .|.|2|punct"),
        mentions=[
            (0, 0, 2, "Ann"),
            (0, 3, 5, "doctor"),
            (1, 0, 2, "doctor"),
            (1, 3, 4, "Ann"),
            (2, 0, 1, "doctor"),
            (2, 2, 4, "Ann"),
            (3, 0, 1, "Ann"),
            (3, 2, 4, "doctors"),
        ],
    )


def dialogue() -> Document:
    """Two people who speak of themselves and of each other: I, you, a name."""
    line = "I|PRP|2|nsubj see|VBP|0|root you|PRP|2|obj"
    name = "Hello|UH|0|root Eve|NNP|1|vocative"
    return document(
        parsed(line, speaker="Adam", addressee="Eve"),
        parsed(line, speaker="Eve", addressee="Adam"),
        parsed(name, speaker="Adam", addressee="Eve"),
        parsed(line, speaker="Adam", addressee="Eve,Lilith"),
        mentions=[
            (0, 0, 1, "A"),
            (0, 2, 3, "E"),
            (1, 0, 1, "E"),
            (1, 2, 3, "A"),
            (2, 1, 2, "E"),
            (3, 0, 1, "A"),
            (3, 2, 3, "both"),
        ],
    )


def exported(document: Document, posterior: CorefPosterior, *, places: list[int] | None = None) -> AntecedentScores:
    """Log-probabilities as scores, by antecedents that are listed; of the mentions at `places`, by default all."""
    chosen = list(range(len(posterior))) if places is None else places
    starts = np.cumsum([0, *map(len, document.sentences)])
    rows = [posterior.antecedents.row(place) for place in chosen]
    kept = [[at for at, k in enumerate(antecedents.tolist()) if k in chosen] for antecedents, _ in rows]
    mentions: list[Mention] = [posterior.mentions[place] for place in chosen]  # type: ignore[misc]
    with np.errstate(divide="ignore"):
        return AntecedentScores(
            id=document.name,
            words=[list(sentence.words) for sentence in document.sentences],
            mentions=[
                (starts[mention.sentence] + mention.start, starts[mention.sentence] + mention.end)
                for mention in mentions
            ],
            antecedents=[[chosen.index(row[0][at]) for at in columns] for row, columns in zip(rows, kept, strict=True)],
            scores=[np.log(row[1][columns]) for row, columns in zip(rows, kept, strict=True)],
            null=np.log(posterior.antecedents.new[chosen]),
        )
