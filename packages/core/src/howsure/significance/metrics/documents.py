"""Metrics of documents: entity F1, multi-label F1, nDCG, recall@k, word error rate, BLEU and chrF.

Each document contributes statistics, and the metric is a function of their sums over all documents.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from howsure.data.documents.entities import BIO, Entity, detect_scheme, parse_entities, strict_entities
from howsure.errors import InputError
from howsure.files.input_files import parsed_json
from howsure.inputs.pairs import Integers
from howsure.lazy_imports import require
from howsure.significance.metrics.labels import PER_CLASS, SHARE, TotalOf, macro, micro
from howsure.significance.metrics.metric import DOCUMENT, Floats, Metric, Rows, mean, ratio, register, register_family
from howsure.significance.systems import Problem

if TYPE_CHECKING:
    from sacrebleu.metrics.base import Metric as Scorer


PERCENT = (0.0, 100.0)
LABEL_AVERAGE = "multilabel_macro_f1"
RATE = (0.0, math.inf)  # an error rate may exceed 1, because a text may have more errors than the reference has words


def lengths_in_ngrams(statistics: Floats) -> Floats:
    """Sizes of documents for chrF: the number of n-grams of all lengths in the text and the reference."""
    return np.asarray(statistics.reshape(len(statistics), -1, 3)[..., :2].sum(axis=(1, 2)))


@dataclass(frozen=True, slots=True)
class DocumentRows:
    """Computes the statistics of each document as of(parse(true), parse(predicted)).

    rule: a description of the valid content, for messages.
    """

    parse: Callable[[Any], Any]
    rule: str
    of: Callable[[Any, Any], Sequence[float]]

    def __call__(self, targets: Any, predictions: Any, problem: Problem, /) -> Floats:
        true, predicted = (
            parsed(values, name, self.parse, self.rule)
            for values, name in ((targets, "y_true"), (predictions, "prediction"))
        )
        pairs = zip(true, predicted, strict=True)
        return np.array([self._of(row, *pair) for row, pair in enumerate(pairs)], dtype=np.float64)

    def _of(self, row: int, true: Any, predicted: Any) -> Sequence[float]:
        try:
            return self.of(true, predicted)
        except InputError as error:
            raise InputError("{error} This is the case in {row}.", error=error, row=row) from error


@dataclass(frozen=True, slots=True)
class StrictEntityRows:
    """Counts the entities that are complete in the tagging scheme of the true tags, as seqeval's strict mode does."""

    def __call__(self, targets: Any, predictions: Any, problem: Problem, /) -> Floats:
        scheme = detect_scheme(map(_tags, targets)) or BIO
        return DocumentRows(partial(_strict, scheme=scheme), f"tags of {scheme}", exact_counts)(
            targets, predictions, problem
        )


def _tags(content: Any) -> list[str]:
    """Return the tags of a sentence; an empty list for any other content, for which `_strict` raises an error."""
    if isinstance(content, str):
        content = content.split()
    return list(content) if isinstance(content, (list, tuple)) and all(isinstance(tag, str) for tag in content) else []


def _strict(content: Any, *, scheme: str) -> list[Entity]:
    tags = _tags(content)
    if content and not tags:
        raise InputError("strict entities need tags such as B-PER, not spans.")
    return strict_entities(tags, scheme)


def parsed(values: Any, name: str, parse: Callable[[Any], Any], rule: str) -> list[Any]:
    """Parse the content of each document. Raises InputError, which names the first invalid row."""
    contents = []
    for row, value in enumerate(values):
        try:
            contents.append(parse(value))
        except (ValueError, TypeError, OverflowError) as error:  # which an InputError is, too
            raise InputError(
                "{parameter} must contain {content}; {row} is {value!r}." + " {error}" * isinstance(error, InputError),
                name,
                content=rule,
                value=value,
                row=row,
                error=error,
            ) from error
    return contents


# Entities: numbers of matched (exactly or partially), predicted and true entities.


def exact_counts(true: Sequence[Entity], predicted: Sequence[Entity]) -> tuple[float, float, float]:
    """The numbers of entities matched (with exact boundaries and type), predicted and true."""
    return len({*true} & {*predicted}), len({*predicted}), len({*true})


def partial_counts(true: Sequence[Entity], predicted: Sequence[Entity]) -> tuple[float, float, float]:
    """The numbers of entities matched (regardless of type), predicted and true.

    A match with exact boundaries counts 1, an overlap ½. Each true entity is matched at most once.

    Source: the scheme "partial" of MUC and SemEval 2013 (task 9.1). Like nervaluate, entities are matched in text
    order, and an overlap must be at least 1% of the true entity.
    """
    left, matched = sorted({*true}), 0.0
    for entity in sorted({*predicted}):
        overlapping = [
            other
            for other in left
            if 100 * (min(entity.stop, other.stop) - max(entity.start, other.start)) >= max(other.stop - other.start, 1)
        ]
        exact = [other for other in overlapping if other[:2] == entity[:2]]
        if overlapping:
            matched += 1.0 if exact else 0.5
            left.remove((exact or overlapping)[0])
    return matched, len({*predicted}), len({*true})


# Sets of labels.


def parse_labels(labels: Any) -> frozenset[str]:
    """The labels of a row: from a list or set, JSON, or text separated by commas or semicolons; empty for None.

    >>> sorted(parse_labels("sport; news")), sorted(parse_labels('["a, b", "c"]')), sorted(parse_labels(None))
    (['news', 'sport'], ['a, b', 'c'], [])
    """
    if labels is None:
        return frozenset()
    if isinstance(labels, str):
        text = labels.strip()
        labels = (
            parsed_json(text) if text.startswith("[") else [label for label in re.split(r"[;,]", text) if label.strip()]
        )
    if isinstance(labels, Mapping) or any(isinstance(label, (list, dict)) or label is None for label in labels):
        raise ValueError(labels)
    return frozenset(str(label).strip() for label in labels)


def all_labels(true: frozenset[str], predicted: frozenset[str]) -> tuple[float, float, float]:
    """The numbers of correct, predicted and true labels."""
    return len(true & predicted), len(predicted), len(true)


SETS = "sets of labels: lists, or texts with commas between the labels"
LABEL_SETS = DocumentRows(parse_labels, SETS, all_labels)


def each_label(targets: Any, predictions: Any, problem: Problem, /) -> Floats:
    """Indicators of correct, predicted and true, for each label that is true in some row: (rows, 3 · labels)."""
    true = parsed(targets, "y_true", parse_labels, SETS)
    names = sorted(frozenset[str]().union(*true))
    if not names:
        raise InputError("`y_true` must contain a label in some row; every set is empty.")
    is_true, is_predicted = (
        np.array([[name in row for name in names] for row in rows], dtype=np.float64)
        for rows in (true, parsed(predictions, "prediction", parse_labels, SETS))
    )
    return np.concatenate([is_true * is_predicted, is_predicted, is_true], axis=1)


def label_counts(targets: Any) -> Integers:
    """In how many rows each label is true."""
    rows = Counter(label for labels in parsed(targets, "y_true", parse_labels, SETS) for label in labels)
    return np.fromiter(rows.values(), dtype=np.int64)


def of_occurring_labels(statistics: Floats) -> Floats:
    """Leave out the columns of `each_label` for labels that are true in none of these rows, such as those of a group.

    >>> of_occurring_labels(np.array([[1.0, 0, 1, 0, 1, 0], [0, 0, 0, 1, 1, 0]])).tolist()  # of two labels, the first
    [[1.0, 1.0, 1.0], [0.0, 0.0, 1.0]]
    """
    counts = statistics.reshape(len(statistics), 3, -1)
    kept = counts[:, :, counts[:, 2].any(axis=0)]
    return kept.reshape(len(statistics), 3 * kept.shape[-1])


def labels_by(metric: Metric) -> Callable[[Any], Iterable[str]] | None:
    """The function that lists the labels of a document for a metric that compares labels; None for any other metric.

    The labels of entities are their types.
    """
    if metric.rows in (LABEL_SETS, each_label):
        return parse_labels
    return _types if metric.rows is EXACT or isinstance(metric.rows, StrictEntityRows) else None


def _types(document: Any) -> list[str]:
    return [entity.type for entity in parse_entities(document)]


# Rankings: the relevance of the candidates of a query, and the scores by which they are ranked.


def parse_numbers(values: Any) -> Floats:
    """Parse the numbers of a query's candidates, from a list or JSON; they must be finite and not empty."""
    numbers = np.asarray(parsed_json(values) if isinstance(values, str) else values, dtype=np.float64)
    if numbers.ndim != 1 or not len(numbers) or not np.isfinite(numbers).all():
        raise ValueError(values)
    return numbers


def ranked(relevance: Floats, scores: Floats) -> Floats:
    """The relevance of candidates in descending order of score; tied candidates have their mean relevance.

    >>> ranked(np.array([3.0, 0.0, 1.0]), np.array([0.5, 0.9, 0.5])).tolist()
    [0.0, 2.0, 2.0]
    """
    if len(relevance) != len(scores):
        raise InputError(
            f"every candidate of a query must have a score; {len(relevance)} have a relevance, {len(scores)} a score."
        )
    group = np.unique(-scores, return_inverse=True)[1]
    means: Floats = np.bincount(group, relevance) / np.bincount(group)
    return means[np.sort(group)]


def ndcg(relevance: Floats, scores: Floats, *, k: int | None) -> tuple[float, float]:
    """nDCG of a query (0 if no candidate is relevant), and 1 for the mean over queries."""
    if (relevance < 0).any():
        raise InputError(f"the relevance of a candidate must be at least 0 for nDCG; it is {relevance.min():g}.")
    weights = 1 / np.log2(np.arange(len(relevance)) + 2)
    weights[len(relevance) if k is None else k :] = 0.0
    ideal = float(weights @ np.sort(relevance)[::-1])
    return (float(weights @ ranked(relevance, scores)) / ideal if ideal else 0.0), 1.0


def recall_at_k(relevance: Floats, scores: Floats, *, k: int | None) -> tuple[float, float]:
    """The proportion of a query's relevant candidates that are among the first k, and 1 for the mean over queries."""
    relevant = (relevance > 0).astype(np.float64)
    if not relevant.any():
        raise InputError(
            "recall@k needs a relevant candidate for each query, but a query has none. Leave such queries out."
        )
    return float(ranked(relevant, scores)[:k].sum() / relevant.sum()), 1.0


def _ranking_metric(name: str, value: Callable[..., tuple[float, float]], k: int | None) -> Metric:
    rows = DocumentRows(parse_numbers, "lists of numbers, one for each candidate of a query", partial(value, k=k))
    return Metric(name if k is None else f"{name}@{k}", DOCUMENT, rows, mean, best=1.0, bounds=SHARE)


# Texts: edits of words or letters, and the statistics of BLEU and chrF.


TEXTS = "texts"


def parse_text(text: Any) -> str:
    """The text; None becomes an empty text. Raises ValueError for anything else."""
    if text is not None and not isinstance(text, str):
        raise ValueError(text)
    return text or ""


def parse_references(references: Any) -> list[str]:
    """The list of references of a text, from one text, a list, or a JSON list."""
    if isinstance(references, str) and references.lstrip().startswith('["'):
        references = parsed_json(references)
    texts = [
        parse_text(reference) for reference in (references if isinstance(references, (list, tuple)) else [references])
    ]
    if not texts:
        raise ValueError(references)
    return texts


def levenshtein_distance(true: Sequence[str], predicted: Sequence[str]) -> int:
    """Levenshtein distance: the smallest number of insertions, deletions and substitutions between two sequences.

    >>> levenshtein_distance("the cat sat".split(), "the cat".split()), levenshtein_distance("kitten", "sitting")
    (1, 3)
    """
    positions = np.arange(len(predicted) + 1)
    number = {symbol: i for i, symbol in enumerate(dict.fromkeys([*true, *predicted]))}
    codes = np.array([number[symbol] for symbol in predicted], dtype=np.int64)
    row = positions
    for symbol in true:
        kept = np.minimum(row[:-1] + (codes != number[symbol]), row[1:] + 1)
        row = np.minimum.accumulate(np.concatenate([[row[0] + 1], kept]) - positions) + positions  # insertions
    return int(row[-1])


def _edited(true: str, predicted: str, *, split: Callable[[str], Sequence[str]]) -> tuple[float, float]:
    parts = split(true.strip())
    return levenshtein_distance(parts, split(predicted.strip())), len(parts)


def error_rate(sums: Floats) -> Floats:
    """The error rate: number of edits divided by the number of words (or letters) of the references."""
    return ratio(sums[..., 0], sums[..., 1])


@dataclass(frozen=True, slots=True)
class ScorerRows:
    """Computes the statistics of each text by sacrebleu."""

    name: str

    def __call__(self, targets: Any, predictions: Any, problem: Problem, /) -> Floats:
        references = parsed(targets, "y_true", parse_references, TEXTS)
        texts = parsed(predictions, "prediction", parse_text, TEXTS)
        return np.array(_scorer(self.name)._extract_corpus_statistics(texts, _streams(references)), dtype=np.float64)


def signatures(metrics: Sequence[str], targets: Any) -> dict[str, str]:
    """Return the settings that affect a metric's value, by the name of the metric: sacrebleu's signatures of BLEU and
    chrF, and the scheme of strict entities. Other metrics are left out."""
    names = [name for name in metrics if name in SCORERS]
    references = _streams([parse_references(target) for target in targets]) if names else None
    strict = [name for name in metrics if name.startswith("strict_entity_")]
    scheme = detect_scheme(map(_tags, targets)) or BIO if strict else None
    return {
        **{name: str(_scorer(name, references=references).get_signature()) for name in names},
        **dict.fromkeys(strict, f"chunks:strict|scheme:{scheme}"),
    }


def _streams(references: Sequence[Sequence[str]]) -> Any:
    """Return lists of references by position: the first of all texts, then the second …; None if a text has fewer."""
    most = max(map(len, references))
    return [[reference[i] if i < len(reference) else None for reference in references] for i in range(most)]


def _scorer(name: str, **more: Any) -> Scorer:
    require(f"The metric {name} (sacrebleu)", "text", "sacrebleu")
    from sacrebleu.metrics.bleu import BLEU
    from sacrebleu.metrics.chrf import CHRF

    return BLEU(**more) if name == "bleu" else CHRF(word_order=2 if name.endswith("++") else 0, **more)


def bleu(sums: Floats) -> Floats:
    """BLEU (0 to 100) from sums (…, 10): lengths of texts and references, then matched and total n-grams, n = 1 to 4.

    Smoothed as in sacrebleu: if no n-gram of a length matches, the precision for this length is 1 / total, halved once
    for the first such length, twice for the second, and so on.
    """
    length, reference = sums[..., 0], sums[..., 1]
    matches, there = sums[..., 2:6], sums[..., 6:10]
    none = (matches <= 0) & (there > 0)
    halved = 0.5 ** np.cumsum(none, axis=-1)
    precision = ratio(np.where(none, halved, matches), there)
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(np.where(there > 0, precision, 0.0)).mean(axis=-1)
        brevity = np.minimum(1.0 - ratio(reference, length), 0.0)
        score = 100 * np.exp(logs + np.where(np.isnan(brevity), -np.inf, brevity))
    return np.asarray(np.where((matches > 0).any(axis=-1), score, 0.0))


def chrf(sums: Floats) -> Floats:
    """chrF (0 to 100) from sums: for each n-gram length, the numbers in the texts, in the references, and matched."""
    texts, references, both = np.moveaxis(sums.reshape(*sums.shape[:-1], -1, 3), -1, 0)
    there = (texts > 0) & (references > 0)
    n = np.maximum(there.sum(axis=-1), 1)
    precision, recall = (
        np.where(there, both / np.where(there, totals, 1.0), 0.0).sum(axis=-1) / n for totals in (texts, references)
    )
    below = 4 * precision + recall
    return np.asarray(np.where(below > 0, 500 * precision * recall / np.where(below > 0, below, 1.0), 0.0))


SCORERS = {"bleu": bleu, "chrf": chrf, "chrf++": chrf}


# Statistics of all documents, computed once for all pairs of models.


@dataclass(frozen=True, slots=True)
class Columns:
    """Selects the statistics of one metric from the columns that `counted` computed.

    by_label: whether these are the columns of `each_label`.
    """

    start: int
    stop: int
    by_label: bool = False

    def __call__(self, targets: Any, predictions: Any, problem: Problem, /) -> Floats:
        statistics: Floats = predictions[:, self.start : self.stop]
        return of_occurring_labels(statistics) if self.by_label else statistics


def counted(
    metrics: Sequence[Metric], targets: Any, predictions: Mapping[str, Any], problem: Problem
) -> tuple[dict[str, Floats], tuple[Metric, ...]]:
    """Return the statistics of all metrics by model (runs, n, statistics), and metrics of these statistics."""
    functions = list(dict.fromkeys(metric.rows for metric in metrics))
    blocks = {
        name: [np.stack([function(targets, run, problem) for run in runs]) for function in functions]
        for name, runs in predictions.items()
    }
    ends = np.cumsum([0, *(block.shape[-1] for block in next(iter(blocks.values())))]).tolist()
    columns = {
        function: Columns(*pair, by_label=function is each_label)
        for function, pair in zip(functions, pairwise(ends), strict=True)
    }
    taking = tuple(
        replace(metric, rows=columns[metric.rows], score=_document_score(metric, columns[metric.rows]))
        for metric in metrics
    )
    return {name: np.concatenate(statistics, axis=-1) for name, statistics in blocks.items()}, taking


def _document_score(metric: Metric, columns: Columns) -> Callable[[Any, Any, Problem], Floats]:
    """A function that returns the metric of each single document, signed so that higher is better; NaN if undefined."""

    def score(targets: Any, predictions: Any, problem: Problem) -> Floats:
        with np.errstate(invalid="ignore"):
            values: Floats = metric.value(columns(targets, predictions, problem))
        return np.multiply(values, metric.sign)

    return score


EXACT, PART = (
    DocumentRows(parse_entities, "entities: tags such as B-PER, or spans", counts)
    for counts in (exact_counts, partial_counts)
)


def _document_metric(metric: Metric, rows: Rows) -> Metric:
    """Register a metric of correct, predicted and true counts as a metric of documents."""
    return register(replace(metric, task=DOCUMENT, rows=rows, score=None))


for _name, _quotient in PER_CLASS.items():
    _document_metric(micro(f"entity_{_name}", _quotient), EXACT)
    _document_metric(micro(f"strict_entity_{_name}", _quotient), StrictEntityRows())
    _document_metric(micro(f"entity_partial_{_name}", _quotient), PART)
_document_metric(micro("multilabel_micro_f1", PER_CLASS["f1"]), LABEL_SETS)
_document_metric(macro(LABEL_AVERAGE, PER_CLASS["f1"]), each_label)
register(_ranking_metric("ndcg", ndcg, None))
register_family("ndcg", partial(_ranking_metric, "ndcg", ndcg))
register_family("recall", partial(_ranking_metric, "recall", recall_at_k))
for _name, _split in (("wer", str.split), ("cer", list)):
    _rows = DocumentRows(parse_text, TEXTS, partial(_edited, split=_split))
    _rate = Metric(_name, DOCUMENT, _rows, error_rate, higher_is_better=False, best=0.0, bounds=RATE)
    register(replace(_rate, sizes=TotalOf((1,)), worst=1.0))
for _name, _value in SCORERS.items():
    _sizes = TotalOf((0, 1)) if _name == "bleu" else lengths_in_ngrams
    register(Metric(_name, DOCUMENT, ScorerRows(_name), _value, best=100.0, bounds=PERCENT, sizes=_sizes))
