"""Metrics of documents against the programs that define them, and by hand."""

from __future__ import annotations

import random
from functools import cache
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from howsure.data.documents.document import Document, Mention, Sentence
from howsure.errors import InputError, MissingExtraError
from howsure.scores.score_table import score_table
from howsure.significance import metric_names
from howsure.significance.comparison import compare
from howsure.significance.metrics import documents
from howsure.significance.metrics.documents import levenshtein_distance, ndcg, ranked, recall_at_k

LABELS = ["O", "O", "O", "B-PER", "I-PER", "B-LOC", "I-LOC"]
WORDS = ["the", "a", "cat", "dog", "sat", "on", "mat", "ran", "with", "big", "small", "house", ".", ",", "!"]

FROZEN = {
    "seqeval 1.2.2": [0.6967383761276892, 0.69432918395574, 0.6991643454038997],
    "nervaluate 1.2.1, partial": [0.8029146426092992, 0.8001383125864454, 0.8057103064066853],
    "nervaluate 1.2.1, strict": 0.6967383761276892,
    "jiwer 4.0.0": [0.36446469248291574, 0.31776913099870296],
}


def _value(true, predicted, metric):
    return score_table(y_true=true, prediction=predicted, metrics=metric)[0].mean.value


def _legal(tags):
    """The same tags with B where an entity begins."""
    legal, before = [], "O"
    for tag in tags:
        legal.append("B" + tag[1:] if tag[0] == "I" and before[2:] != tag[2:] else tag)
        before = tag
    return legal


@cache
def _tagged():
    rng = random.Random(7)
    gold = [[rng.choice(LABELS) for _ in range(rng.randint(3, 12))] for _ in range(200)]
    predicted = [[tag if rng.random() < 0.7 else rng.choice(LABELS) for tag in tags] for tags in gold]
    return gold, predicted


@cache
def _texts():
    rng = random.Random(8)

    def text():
        return " ".join(rng.choices(WORDS, k=rng.randint(1, 12)))

    references = [text() for _ in range(60)]
    changed = [
        [word if rng.random() > 0.3 else rng.choice(WORDS) for word in reference.split()] for reference in references
    ]
    answers = [" ".join(word for word in words if rng.random() > 0.1) for words in changed]
    return references, [text() for _ in range(60)], answers


def test_entities_match_seqeval_and_nervaluate():
    gold, predicted = _tagged()
    frozen = FROZEN["seqeval 1.2.2"]
    names = ("entity_f1", "entity_precision", "entity_recall")
    assert [_value(gold, predicted, name) for name in names] == pytest.approx(frozen, abs=1e-12)
    legal = [[_legal(tags) for tags in side] for side in (gold, predicted)]
    names = ("entity_partial_f1", "entity_partial_precision", "entity_partial_recall")
    assert [_value(*legal, name) for name in names] == pytest.approx(FROZEN["nervaluate 1.2.1, partial"], abs=1e-12)
    assert _value(*legal, "entity_f1") == pytest.approx(FROZEN["nervaluate 1.2.1, strict"], abs=1e-12)


def test_error_rates_match_jiwer():
    references, _, answers = _texts()
    error_rates = [_value(references, answers, name) for name in ("wer", "cer")]
    assert error_rates == pytest.approx(FROZEN["jiwer 4.0.0"], abs=1e-12)


def test_bleu_and_chrf_match_sacrebleu():
    from sacrebleu.metrics import BLEU, CHRF

    references, others, answers = _texts()
    both = [list(pair) for pair in zip(references, others, strict=True)]
    for truth, streams in ((references, [references]), (both, [references, others])):
        for name, scorer in (("bleu", BLEU()), ("chrf", CHRF()), ("chrf++", CHRF(word_order=2))):
            expected = scorer.corpus_score(answers, streams)
            table = score_table(y_true=truth, prediction=answers, metrics=name)
            assert table[0].mean.value == pytest.approx(expected.score, abs=1e-10)
            assert f"{name}: {scorer.get_signature()}" in table.notes
    for few in range(1, 4):  # where some n-grams are never found
        expected = BLEU().corpus_score(answers[:few], [others[:few]]).score
        score = documents.bleu(documents.ScorerRows("bleu")(others[:few], answers[:few], None).sum(axis=0))
        assert score == pytest.approx(expected, abs=1e-10)


def test_rankings_match_scikit_learn():
    from sklearn.metrics import ndcg_score

    rng = np.random.default_rng(3)
    relevance, scores = rng.integers(0, 4, (50, 8)), rng.integers(0, 5, (50, 8)).astype(float)
    relevance[7] = 0
    for name, k in (("ndcg", None), ("ndcg@3", 3), ("ndcg@10", 10)):
        assert _value(relevance, scores, name) == pytest.approx(ndcg_score(relevance, scores, k=k), abs=1e-12)


def test_ties_are_worth_the_mean_of_all_orders():
    relevance, scores = np.array([2.0, 0.0, 1.0, 3.0]), np.array([0.5, 0.5, 0.9, 0.5])
    for k in (1, 2, 3):
        orders = [order for order in permutations(range(4)) if all(np.diff(scores[list(order)]) <= 0)]
        by_order = [(relevance[list(order)][:k] > 0).sum() / 3 for order in orders]
        assert recall_at_k(relevance, scores, k=k)[0] == pytest.approx(np.mean(by_order))
        gains = [sum(relevance[i] / np.log2(place + 2) for place, i in enumerate(order[:k])) for order in orders]
        ideal = sum(value / np.log2(place + 2) for place, value in enumerate(sorted(relevance)[::-1][:k]))
        assert ndcg(relevance, scores, k=k)[0] == pytest.approx(np.mean(gains) / ideal)
    assert ranked(relevance, scores)[0] == 1.0


def test_sets_of_labels_match_scikit_learn():
    from sklearn.metrics import f1_score
    from sklearn.preprocessing import MultiLabelBinarizer

    rng = np.random.default_rng(5)
    true = [[label for label in "abcd" if rng.random() < 0.4] for _ in range(60)]
    predicted = [
        [label for label in "abcde" if (label in true_labels) != (rng.random() < 0.25)] for true_labels in true
    ]
    coded = MultiLabelBinarizer().fit([*true, *predicted])
    both = coded.transform(true), coded.transform(predicted)
    as_text = [", ".join(labels) for labels in true], ["; ".join(labels) for labels in predicted]
    for columns in ((true, predicted), as_text):
        assert _value(*columns, "multilabel_micro_f1") == pytest.approx(f1_score(*both, average="micro"), abs=1e-12)
        expected = f1_score(*both, average="macro", labels=[0, 1, 2, 3])
        assert _value(*columns, "multilabel_macro_f1") == pytest.approx(expected, abs=1e-12)


@given(st.text("ab", max_size=6), st.text("abc", max_size=6))
def test_edits_are_the_least_number(text, other):
    @cache
    def least(i, j):
        if 0 in (i, j):
            return i + j
        return min(least(i - 1, j) + 1, least(i, j - 1) + 1, least(i - 1, j - 1) + (text[i - 1] != other[j - 1]))

    assert levenshtein_distance(text, other) == least(len(text), len(other))


def test_all_forms_of_entities_say_the_same():
    class Span:
        start_char, end_char, label_ = 0, 2, "PER"

    class Doc:
        ents = (Span(),)

    document = Document("a", (Sentence(("Ada", "Byron")), Sentence(("sang",))), (Mention(0, 0, 2, "1", "PER"),))
    forms = [
        ["B-PER", "I-PER", "O"],
        "B-PER I-PER O",
        '["B-PER", "I-PER", "O"]',
        [(0, 2, "PER")],
        [{"start": 0, "end": 2, "label": "PER", "text": "Ada Byron"}],
        '[{"start": 0, "end": 2, "label": "PER"}]',
        document,
        Doc(),
    ]
    for form in forms:
        assert _value([forms[0], forms[0]], [form, []], "entity_f1") == pytest.approx(2 / 3)


def test_the_document_is_what_is_drawn():
    gold, predicted = _tagged()
    clusters = [row // 10 for row in range(200)]
    comparison = compare(gold, predicted, gold, metrics="entity_f1", clusters=clusters, n_resamples=200, rng=1)
    assert comparison.recipe["resampled"] == "clusters"
    assert comparison.recipe["clusters"] == 20
    joined = [[tag for row in gold[k : k + 10] for tag in [*row, "O"]] for k in range(0, 200, 10)]
    whole = [[tag for row in predicted[k : k + 10] for tag in [*row, "O"]] for k in range(0, 200, 10)]
    other = compare(joined, whole, joined, metrics="entity_f1", n_resamples=200, rng=1)
    assert other[0].difference == pytest.approx(comparison[0].difference, abs=1e-12)
    assert other[0].p_value == pytest.approx(comparison[0].p_value, rel=1e-6)
    assert (other[0].low, other[0].high) == pytest.approx((comparison[0].low, comparison[0].high), rel=1e-6)


def test_rows_of_an_id_are_one_document():
    rows = {
        "q": [1, 1, 1, 2, 2, 3, 3],
        "rel": [0, 1, 0, 1, 0, 0, 1],
        "a": [3, 2, 1, 3, 2, 1, 2],
        "b": [1, 2, 3, 2, 1, 2, 1],
    }
    rows["topic"] = ["x", "x", "x", "y", "y", "y", "y"]
    options = {"metrics": ["ndcg", "recall@1"], "n_resamples": 50, "rng": 1}
    comparison = compare(data=rows, y_true="rel", against="a", model="b", id="q", clusters="topic", **options)
    lists = [[[0, 1, 0], [1, 0], [0, 1]], [[3, 2, 1], [3, 2], [1, 2]], [[1, 2, 3], [2, 1], [2, 1]]]
    assert [row.difference for row in comparison] == [row.difference for row in compare(*lists, **options)]
    rows["topic"][1] = "y"
    with pytest.raises(InputError, match="clusters must be the same in all rows with the same id; it differs in row 1"):
        compare(data=rows, y_true="rel", against="a", model="b", id="q", clusters="topic", **options)


def test_nothing_counts_as_empty_and_is_reported():
    comparison = compare(["a b", "c", "d"], ["a b", None, "d"], ["a b", "c", "d"], metrics="wer", n_resamples=50, rng=1)
    assert comparison[0].against_value == 0.25
    assert "baseline is empty in 1 row, which is scored as an empty answer." in comparison.notes


def test_swapped_systems_and_rows_change_nothing_but_the_sign():
    references, others, answers = _texts()
    options = {"metrics": ["bleu", "wer"], "n_resamples": 100, "rng": 1}
    forward, back = (compare(references, *pair, **options) for pair in ((answers, others), (others, answers)))
    assert [row.p_value for row in forward] == [row.p_value for row in back]
    assert [row.difference for row in forward] == [-row.difference for row in back]
    order = np.random.default_rng(0).permutation(60)
    mixed = compare(*([texts[i] for i in order] for texts in (references, answers, others)), **options)
    assert [row.low for row in mixed] == [row.low for row in forward]


def test_bleu_says_what_to_install(monkeypatch):
    monkeypatch.setattr("howsure.lazy_imports.installed", lambda library: library != "sacrebleu")
    with pytest.raises(MissingExtraError, match=r'pip install "howsure\[text\]"'):
        _value(["a"], ["a"], "bleu")


def test_names_with_any_k_are_known():
    assert {"entity_f1", "ndcg@10", "recall@10", "wer", "bleu"} <= set(metric_names("document"))
    assert _value([[1, 0, 1]], [[3, 2, 1]], "recall@2") == 0.5
