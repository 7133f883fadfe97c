"""Coreference metrics: MUC, B³, CEAF-e, their mean, LEA and pairs, for one or several documents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any

import numpy as np

from howsure import __version__
from howsure.data.documents.document import Document, named_part
from howsure.errors import InputError, quote
from howsure.inputs.arguments import check_arguments, is_listlike
from howsure.inputs.checks import listed
from howsure.inputs.numbers_and_names import counted, shortened
from howsure.result import Result
from howsure.show.table import FRAME, TABLE, WORDS, Column, Kind, in_a_line

# The overlap of two clusterings. Every coreference metric is a ratio of two sums, which are added up over documents.

Sums = tuple[float, float, float, float]  # numerator and denominator of precision, then of recall


@dataclass(frozen=True, slots=True)
class Overlap:
    """The sizes of gold and predicted clusters; shared: by (gold, predicted) cluster, the number of common mentions."""

    gold: tuple[int, ...]
    predicted: tuple[int, ...]
    shared: dict[tuple[int, int], int]

    def swapped(self) -> Overlap:
        """Return the overlap with gold and predicted exchanged."""
        return Overlap(self.predicted, self.gold, {(p, g): n for (g, p), n in self.shared.items()})


def cluster_overlap(gold: object, predicted: object, *, singletons: bool) -> Overlap:
    """Compute the overlap of two clusterings; without `singletons`, clusters of one mention are left out."""
    golden, guessed = _clusters(gold, "gold", singletons), _clusters(predicted, "predicted", singletons)
    cluster_of = {mention: p for p, members in enumerate(guessed) for mention in members}
    shared = Counter(
        (g, cluster_of[mention]) for g, members in enumerate(golden) for mention in members if mention in cluster_of
    )
    return Overlap(tuple(map(len, golden)), tuple(map(len, guessed)), dict(shared))


def recall_and_precision(recall: Callable[[Overlap], tuple[float, float]], overlap: Overlap) -> Sums:
    """Return the sums of a metric, given its recall; precision is the recall with gold and predicted exchanged."""
    return (*recall(overlap.swapped()), *recall(overlap))


def muc(overlap: Overlap) -> tuple[float, float]:
    """Return the recall of MUC as numerator Σ (|g| - parts(g)) and denominator Σ (|g| - 1).

    parts(g) is the number of parts into which the predicted clusters divide the gold cluster g.
    """
    parts = list(overlap.gold)  # a mention that is not predicted is a part of its own
    for (g, _), n in overlap.shared.items():
        parts[g] -= n - 1
    return sum(overlap.gold) - sum(parts), sum(overlap.gold) - len(overlap.gold)


def b_cubed(overlap: Overlap) -> tuple[float, float]:
    """Return the recall of B³: Σ |g ∩ p|² / |g|, out of Σ |g|.

    Each gold mention has the proportion of its gold cluster g that is also in its predicted cluster p.
    """
    return sum(n * n / overlap.gold[g] for (g, _), n in overlap.shared.items()), sum(overlap.gold)


def lea(overlap: Overlap) -> tuple[float, float]:
    """Return the recall of LEA: the proportion of each gold cluster's links that are predicted, weighted by its size.

    A singleton has a link to itself.
    """
    score = 0.0
    for (g, p), n in overlap.shared.items():
        size = overlap.gold[g]
        score += float(overlap.predicted[p] == 1) if size == 1 else size * _links(n) / _links(size)
    return score, sum(overlap.gold)


def pairwise(overlap: Overlap) -> tuple[float, float]:
    """Return the recall of pairs: the number of pairs in both clusterings, out of the number in gold."""
    return sum(map(_links, overlap.shared.values())), sum(map(_links, overlap.gold))


def ceaf_e(overlap: Overlap) -> Sums:
    """Return the sums of CEAF-e: the sum of 2 |g ∩ p| / (|g| + |p|) over the best one-to-one alignment of clusters.

    The denominators are the numbers of clusters.
    """
    from scipy.optimize import linear_sum_assignment

    similarity = np.zeros((len(overlap.gold), len(overlap.predicted)))
    for (g, p), n in overlap.shared.items():
        similarity[g, p] = 2 * n / (overlap.gold[g] + overlap.predicted[p])
    aligned = float(similarity[linear_sum_assignment(similarity, maximize=True)].sum())
    return aligned, len(overlap.predicted), aligned, len(overlap.gold)


def _links(n: int) -> int:
    return n * (n - 1) // 2


def _clusters(clusters: Any, name: str, singletons: bool) -> list[set[Hashable]]:
    if not is_listlike(clusters):
        raise InputError(f"{name} must be a list of clusters, each a list or set of mentions; it is {quote(clusters)}.")
    checked: list[set[Hashable]] = []
    assigned: set[Hashable] = set()
    for place, members in enumerate(clusters):
        if not is_listlike(members):
            raise InputError(f"{name} must contain lists or sets of mentions; cluster {place} is {quote(members)}.")
        cluster: set[Hashable] = set()
        for mention in members:
            if not isinstance(mention, Hashable):
                raise InputError(
                    f"{name} must contain hashable mentions, such as tuples; cluster {place} is {mention!r}."
                )
            if mention in assigned:
                raise InputError(f"{name} must contain each mention once; cluster {place} is {mention!r} again.")
            assigned.add(mention)
            cluster.add(mention)
        if len(cluster) > 1 or (cluster and singletons):
            checked.append(cluster)
    return checked


Side = Document | Iterable[Iterable[Hashable]]  # metrics of a document
SHARES = ("precision", "recall", "f1")
PERCENT = Kind(lambda share: f"{100 * share:.2f}")
METRICS = {"MUC": "muc", "B³": "b_cubed", "CEAF-e": "ceaf_e", "LEA": "lea", "pairs": "pairwise"}


@dataclass(frozen=True, slots=True)
class Score:
    """Precision, recall and F1, stored as sums; 0 divided by 0 is 0, as in the official scorer."""

    right_of_predicted: float
    predicted: float
    right_of_gold: float
    gold: float

    @property
    def precision(self) -> float:
        """The proportion of predictions that are correct."""
        return self.right_of_predicted / self.predicted if self.predicted else 0.0

    @property
    def recall(self) -> float:
        """The proportion of gold items that are predicted."""
        return self.right_of_gold / self.gold if self.gold else 0.0

    @property
    def f1(self) -> float:
        """2 precision recall / (precision + recall)."""
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both else 0.0

    def __add__(self, other: Score) -> Score:
        return Score(
            self.right_of_predicted + other.right_of_predicted,
            self.predicted + other.predicted,
            self.right_of_gold + other.right_of_gold,
            self.gold + other.gold,
        )


NOTHING = Score(0.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True, repr=False)
class CoreferenceScores(Result):
    """The scores of one or several documents; `a + b` is the score of all documents of a and b.

    documents: the number of documents. singletons: whether clusters of one mention are counted; None if they are
    counted in some documents only. read: the files, "gold" and "predicted", if they are known.
    """

    muc: Score = NOTHING
    b_cubed: Score = NOTHING
    ceaf_e: Score = NOTHING
    lea: Score = NOTHING
    pairwise: Score = NOTHING
    documents: int = field(default=0, kw_only=True)
    singletons: bool | None = field(default=None, kw_only=True, compare=False)
    inputs: Mapping[str, Any] = field(default_factory=dict, kw_only=True, compare=False)

    description = ""

    @property
    def recipe(self) -> dict[str, Any]:
        """How the scores were computed."""
        made = {"howsure": __version__, "documents": self.documents, "singletons": self.singletons}
        return made | dict(self.inputs)

    @property
    def conll_f1(self) -> float:
        """The mean F1 of MUC, B³ and CEAF-e, used for ranking in the CoNLL-2011 and 2012 shared tasks."""
        return (self.muc.f1 + self.b_cubed.f1 + self.ceaf_e.f1) / 3

    def __add__(self, other: CoreferenceScores) -> CoreferenceScores:
        sums = (getattr(self, name) + getattr(other, name) for name in METRICS.values())
        ways = {scores.singletons for scores in (self, other) if scores.documents}
        singletons = ways.pop() if len(ways) == 1 else None
        return CoreferenceScores(*sums, documents=self.documents + other.documents, singletons=singletons)

    def to_dict(self) -> dict[str, Any]:
        """The JSON form: `recipe`, `conll_f1`, and precision, recall and f1 of each metric."""
        each = {name: getattr(self, name) for name in METRICS.values()}
        return {"recipe": self.recipe, "conll_f1": self.conll_f1} | {
            name: {part: getattr(score, part) for part in SHARES} for name, score in each.items()
        }

    def table_rows(self) -> Sequence[tuple[str, str, Score | None]]:
        """Return the heading, the name and the score of each metric; for the mean F1, the score is None."""
        rows: list[tuple[str, str, Score | None]] = [
            (label, name, getattr(self, name)) for label, name in METRICS.items()
        ]
        return [*rows[:3], ("CoNLL", "conll", None), *rows[3:]]

    def columns(self) -> Sequence[Column]:
        """Precision, recall and F1 of each metric, in tables as percentages."""
        rows = self.table_rows()
        f1 = [self.conll_f1 if score is None else score.f1 for _, _, score in rows]
        return [
            Column("metric", WORDS, get=lambda row: row[0], only=TABLE),
            Column("metric", WORDS, get=lambda row: row[1], only=FRAME),
            Column("precision", PERCENT, values=[None if score is None else score.precision for _, _, score in rows]),
            Column("recall", PERCENT, values=[None if score is None else score.recall for _, _, score in rows]),
            Column("f1", PERCENT, "F1", values=f1),
        ]

    def text(self, **options: Any) -> str:
        """The files and the number of documents, if they are known, and the table."""
        text = super(CoreferenceScores, self).text(**options)
        if not self.inputs:
            return text
        without = "" if self.singletons else ", without singletons"
        heading = (
            f"{self.inputs['predicted']} against {self.inputs['gold']}: {counted(self.documents, 'document')}{without}"
        )
        return f"{in_a_line(heading)}\n\n{text}"


def coreference_scores(
    gold: Iterable[Iterable[Hashable]], predicted: Iterable[Iterable[Hashable]], *, singletons: bool = True
) -> CoreferenceScores:
    """Score the predicted clusters of a document against the gold clusters: MUC, B³, CEAF-e, LEA and pairs.

    gold, predicted: lists of clusters, which are lists or sets of mentions; a mention may be any hashable object, such
    as a span or a number. Mentions that are only gold or only predicted are counted as in the official scorer.
    singletons: False leaves out clusters of one mention, as is usual for OntoNotes, which does not annotate them.

    >>> scores = coreference_scores([["a", "b", "c"], ["d", "e"]], [["a", "b"], ["c", "d", "e"]])
    >>> round(scores.muc.f1, 4), round(scores.b_cubed.f1, 4), round(scores.conll_f1, 4)
    (0.6667, 0.7333, 0.7333)

    Raises InputError if a mention is in two clusters on the same side.
    Source: Vilain et al. (1995), Bagga & Baldwin (1998), Luo (2005), Moosavi & Strube (2016); definitions as in Pradhan
    et al. (2014).
    """
    check_arguments(coreference_scores, locals())
    overlap = cluster_overlap(gold, predicted, singletons=singletons)
    return CoreferenceScores(*(Score(*sums) for sums in _sums(overlap)), documents=1, singletons=singletons)


def score_documents(gold: Iterable[Side], predicted: Iterable[Side], *, singletons: bool = True) -> CoreferenceScores:
    """Score several documents; numerators and denominators are added up over documents, as in the official scorer.

    gold, predicted: the clusters of each document; or documents with entities. Documents are matched by name, and their
    mentions by the positions of their words.

    >>> score_documents([[[1, 2]], [[1, 2], [3]]], [[[1, 2]], [[1], [2], [3]]]).muc.recall
    0.5
    """
    golden, guessed = (
        listed(side, name=name, of="clusterings, one per document")
        for name, side in (("gold", gold), ("predicted", predicted))
    )
    if golden and guessed and all(isinstance(document, Document) for document in (*golden, *guessed)):
        golden, guessed = matched_documents(golden, guessed)
    if len(golden) != len(guessed):
        raise InputError(f"gold and predicted must be of the same documents; they have {len(golden)}, {len(guessed)}.")
    total = CoreferenceScores()
    for place, (expected, other) in enumerate(zip(golden, guessed, strict=True)):
        try:
            total += coreference_scores(expected, other, singletons=singletons)
        except InputError as error:
            raise error.inside(f"document {place}") from None
    return total


# Gold and predicted documents are matched by name, and their mentions by the positions of their words.

MAX_DIFFERING_SHARE = 0.1  # proportion of differing words from which two documents of the same name are different
Span = tuple[int, int]


def matched_documents(
    gold: Sequence[Document], predicted: Sequence[Document], *, names: tuple[str, str] = ("gold", "predicted")
) -> tuple[list[list[list[Span]]], list[list[list[Span]]]]:
    """Return the gold and the predicted clusters (lists of spans) of each document. names: of both files."""
    expected, other = (_spans_by_name(side, name) for side, name in zip((gold, predicted), names, strict=True))
    for here, there, path in ((expected, other, names[1]), (other, expected, names[0])):
        missing = [name for name in here if name not in there]
        if missing:
            raise InputError(
                f"both files must contain the same documents; {path} lacks {shortened(missing, limit=3)}. Documents "
                "are matched by name: # newdoc id in CoNLL-U, #begin document in CoNLL-2012."
            )
    for name, (words, _) in expected.items():
        _check_same_words(name, words, other[name][0], names)
    return [clusters for _, clusters in expected.values()], [other[name][1] for name in expected]


def _check_same_words(name: str, words: list[str], guessed: list[str], names: tuple[str, str]) -> None:
    if len(words) != len(guessed):
        raise InputError(
            f"document {name} has {len(words):,} words in {names[0]} and {len(guessed):,} in {names[1]}; "
            "mentions are matched by word position."
        )
    differing = [at for at, pair in enumerate(zip(words, guessed, strict=True)) if pair[0] != pair[1]]
    if len(differing) > MAX_DIFFERING_SHARE * len(words):  # a few words may be escaped, such as -LRB-
        at = differing[0]
        raise InputError(
            f"document {name} has different words in {names[0]} and in {names[1]}, {len(differing):,} of "
            f"{len(words):,}; the first is word {at + 1}, {words[at]!r} in {names[0]} and {guessed[at]!r} in "
            f"{names[1]}."
        )


def _spans_by_name(documents: Sequence[Document], side: str) -> dict[str, tuple[list[str], list[list[Span]]]]:
    """Return, by name of a document, its words and its clusters of spans (positions of words in the document)."""
    spans: dict[str, tuple[list[str], list[list[Span]]]] = {}
    for document in documents:
        name = named_part(document)
        if name in spans:
            raise InputError(f"{side} contains two documents {name}; their names must differ.")
        if document.mentions is None:
            raise InputError(f"document {name} of {side} has no annotated mentions, so there is nothing to score.")
        starts = [0, *accumulate(len(sentence) for sentence in document.sentences)]
        clusters: dict[object, list[Span]] = {}
        for mention in document.mentions:
            span = (starts[mention.sentence] + mention.start, starts[mention.sentence] + mention.end)
            clusters.setdefault(mention.entity, []).append(span)
        spans[name] = [word for sentence in document.sentences for word in sentence.words], list(clusters.values())
    return spans


def _sums(overlap: Overlap) -> list[Sums]:
    return [
        recall_and_precision(muc, overlap),
        recall_and_precision(b_cubed, overlap),
        ceaf_e(overlap),
        recall_and_precision(lea, overlap),
        recall_and_precision(pairwise, overlap),
    ]
