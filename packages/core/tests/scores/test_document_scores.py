"""Scores in metrics of documents: values, intervals, files."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tests.cli.running import printed as run

import howsure
from howsure.errors import InputError
from howsure.scores.prediction_metrics import jackknife_value, unit_contributions
from howsure.scores.score_table import score_table
from howsure.significance.comparison import compare
from howsure.significance.metrics.metric import DOCUMENT, find_metric
from howsure.stats.clusters import ItemGroups


def _entities(rng, n):
    """Counts (found, predicted, true) of documents of unlike length, some of them harder than others."""
    true = rng.poisson(rng.gamma(1.0, 3.0, n))
    correct = rng.binomial(true, rng.beta(8.0, 2.0, n))
    return np.stack([correct, correct + rng.poisson(0.25 * true), true], axis=1).astype(np.float64)


def _edits(rng, n):
    words = rng.integers(3, 30, n)
    return np.stack([rng.binomial(words, rng.beta(0.5, 4.0, n)), words], axis=1).astype(np.float64)


def _value(metric, statistics, clusters=None):
    n = len(statistics)
    parts = unit_contributions(metric, statistics, None, clusters)
    return jackknife_value(metric, parts, metric.sizes(statistics), ItemGroups.of(n, clusters=clusters))


SENTENCES = ["O B-ORG I-ORG I-ORG I-ORG O", "B-ORG I-ORG I-ORG I-ORG"] * 10  # every second prediction is truncated
TRUNCATED = ["O B-ORG I-ORG I-ORG O O", "B-ORG I-ORG I-ORG I-ORG"] * 10
TAGS = {name: " ".join(rows).split() for name, rows in (("y_true", SENTENCES), ("prediction", TRUNCATED))}
SENTENCE = [sentence for sentence, tags in enumerate(SENTENCES) for _ in tags.split()]


@pytest.mark.parametrize("metric", ["entity_f1", "strict_entity_f1", "entity_partial_f1"])
def test_rows_of_one_tag_are_joined_to_sentences(metric: str) -> None:
    """The entities of single tags would give an F1 of 0.93, not 0.5."""
    table = howsure.score_models(SENTENCES, TRUNCATED, metrics=metric)
    assert metric != "entity_f1" or table[0].mean.value == 0.5
    for columns in ({"id": SENTENCE}, {"clusters": SENTENCE}, {"id": [*range(100)], "clusters": SENTENCE}):
        joined = howsure.score_models(**TAGS, metrics=metric, **columns)
        assert (joined[0].n, str(joined[0].mean)) == (20, str(table[0].mean))
        assert f"Rows are single tags, joined to 20 sentences by {[*columns][-1]}." in joined.notes
    two = {name: column + TAGS["y_true"] for name, column in TAGS.items()}
    models = howsure.score_models(**two, metrics=metric, id=SENTENCE * 2, model=["a"] * 100 + ["b"] * 100, worst=1)
    assert [(row.model, row.n, row.mean.value) for row in models] == [("b", 20, 1.0), ("a", 20, table[0].mean.value)]
    assert models.worst is not None
    assert (models.worst[0].item, models.worst[0].row) == ("0", 1)


def test_rows_of_one_tag_without_their_sentence_are_refused() -> None:
    for columns in ({}, {"id": [*range(100)]}):
        with pytest.raises(InputError, match="each row is one tag, but entities need the tags of whole sentences"):
            howsure.score_models(**TAGS, metrics="entity_f1", **columns)
        with pytest.raises(InputError, match="each row is one tag"):
            compare(TAGS["y_true"], TAGS["prediction"], TAGS["y_true"], metrics="entity_f1", **columns)
    with pytest.raises(InputError, match="request metrics of labels and of entities separately"):
        howsure.score_models(**TAGS, metrics=["accuracy", "entity_f1"], id=SENTENCE)
    with pytest.raises(InputError, match="must be the same in all rows with the same id; it differs in row 1"):
        howsure.score_models(**TAGS, metrics="entity_f1", id=SENTENCE, clusters=[*range(100)])
    by_cluster = compare(TAGS["y_true"], TAGS["prediction"], TAGS["y_true"], metrics="entity_f1", clusters=SENTENCE)
    assert by_cluster[0].against_value == 0.5


@pytest.mark.long
@pytest.mark.parametrize(("name", "draw"), [("entity_f1", _entities), ("wer", _edits)])
def test_intervals_hold(name, draw):
    metric, rng = find_metric(name, DOCUMENT), np.random.default_rng(0)
    truth = float(metric.value(draw(np.random.default_rng(9), 1_000_000).sum(axis=0)))
    covering = 0
    for _ in range(400):
        low, high = _value(metric, draw(rng, 20)).interval(0.95)
        covering += low <= truth <= high
    assert covering / 400 > 0.92  # see benchmarks/document_metrics.py


def test_clusters_and_items_are_left_out_whole():
    """A document of several sentences, or a text with several runs, counts as the sum of its parts."""
    metric, rng = find_metric("entity_f1", DOCUMENT), np.random.default_rng(3)
    statistics, clusters = _entities(rng, 60), np.repeat(np.arange(12), 5)
    joined = statistics.reshape(12, 5, 3).sum(axis=1)
    expected = _value(metric, joined)
    estimate = _value(metric, statistics, clusters)
    assert (estimate.value, estimate.error) == pytest.approx((expected.value, expected.error), rel=1e-9)
    assert estimate.interval(0.95) == pytest.approx(expected.interval(0.95), rel=1e-9)
    items = unit_contributions(metric, statistics, clusters, None)  # five runs of 12 items
    assert items[::5] == pytest.approx(unit_contributions(metric, joined, None, None), rel=1e-9)
    uneven = np.repeat(np.arange(12), [8, *[5] * 9, 4, 3])
    of_items = unit_contributions(metric, statistics, uneven, None)
    firsts = np.unique(uneven, return_index=True)[1]
    assert of_items[firsts].mean() == pytest.approx(expected.value, rel=1e-9)


TEXTS = ["a b c d e f"] * 20


@pytest.mark.parametrize("metric", ["wer", "bleu", "chrf"])
def test_intervals_stay_in_the_possible_range(metric):
    """Also where F1 had reached 1.0092, BLEU 100.42, and the word error rate below 0."""
    answers = [*["a b c d e f"] * 18, "a b c d", "a"]
    options = {"y_true": TEXTS, "prediction": answers, "metrics": metric}
    whole, in_groups = score_table(**options), score_table(**options, groups=["north", "south"] * 10, macro=True)
    for row in (*whole, *in_groups):
        low, high = (row.mean.low, row.mean.high)
        assert low is not None
        assert high is not None
        assert 0.0 <= low <= row.mean.value <= high
        assert metric == "wer" or high <= 100.0


def test_where_all_is_right_a_bound_is_claimed():
    row = score_table(y_true=TEXTS, prediction=TEXTS, metrics="bleu")[0]
    assert (row.mean.value, row.mean.high) == (100.0, 100.0)
    assert row.mean.low == pytest.approx(100 * 0.025 ** (1 / 20), rel=1e-9)
    claim = "the value of such items is at least 86.09 (one-sided, level 0.95)"
    assert row.notes == (f"The value is at its limit, 100: {claim}",)
    row = score_table(y_true=TEXTS, prediction=TEXTS, metrics="wer")[0]
    assert (row.mean.low, row.mean.high) == (0.0, pytest.approx(-np.log(0.025) / 20, rel=1e-9))


def test_too_little_has_no_interval_and_says_why():
    few = score_table(y_true=TEXTS[:4], prediction=["a b", *TEXTS[:3]], metrics="wer")[0]
    assert few.mean.low is None
    assert few.notes == ("no interval: 4 items; at least 6 are needed at level 0.95",)
    alike = score_table(y_true=TEXTS, prediction=["a b c d e"] * 20, metrics="wer")[0]
    assert alike.mean.low is None
    assert alike.notes == ("no interval: the value is the same without any single item, so its variation is unknown",)
    long = [" ".join(["a"] * 5000), *["a b c"] * 20]
    row = score_table(y_true=long, prediction=[" ".join(["a"] * 4000), *["a b"] * 20], metrics="wer")[0]
    assert row.mean.low is None
    assert row.notes == ("no interval: one of 21 items is so large (99% of the total) that the others hardly matter",)


def test_runs_groups_and_ranks_match_scores():
    rng = np.random.default_rng(1)
    references = ["a b c d e f"] * 40
    answers = {
        p: [" ".join("x" if rng.random() < p else word for word in "abcdef") for _ in range(40)] for p in (0.1, 0.5)
    }
    table = score_table(
        y_true=references * 2,
        prediction=[answer for model_answers in answers.values() for answer in model_answers],
        metrics="wer",
        model=["good"] * 40 + ["bad"] * 40,
        id=[*range(40)] * 2,
        groups=(["north"] * 20 + ["south"] * 20) * 2,
        macro=True,
        rng=1,
    )
    assert [(row.group, row.model) for row in table[4:6]] == [("north", "good"), ("north", "bad")]
    assert table[4].ranks == "1"
    assert table[2].group == "macro mean"
    edits = sum(word == "x" for text in answers[0.1][:20] for word in text.split())
    assert table[4].mean.value == pytest.approx(edits / 120, abs=1e-12)
    edits = sum(word == "x" for text in answers[0.1] for word in text.split())
    assert (table[0].group, table[0].n) == ("overall", 40)
    assert table[0].mean.value == pytest.approx(edits / 240, abs=1e-12)


def test_a_mean_has_the_bounds_of_a_share():
    ranking = {"y_true": [[1, 0]] * 20, "prediction": [[1, 2]] * 2 + [[2, 1]] * 18}
    mean = score_table(**ranking, metrics="recall@1")[0].mean
    assert mean == score_table([0.0] * 2 + [1.0] * 18)[0].mean


def test_labels_have_an_accuracy(tmp_path):
    true, predicted = ["a", "b", "a", "c", "1"] * 8, ["a", "b", None, "a", "1.0"] * 8
    table = score_table(y_true=true, prediction=predicted)
    assert table[0].score == "accuracy"
    assert table[0].mean == score_table([1.0, 1.0, 0.0, 0.0, 1.0] * 8)[0].mean
    assert "prediction is empty in 8 rows" in table.notes[0]
    rows = [{"true": label, "said": other} for label, other in zip(true, predicted, strict=True)]
    (tmp_path / "it.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    done = run("score", tmp_path / "it.jsonl", "--target", "true", "--prediction", "said", "--format", "json")
    assert json.loads(done)["scores"][0]["mean"]["value"] == 0.6


def test_files_of_lines_and_of_tables_say_the_same(tmp_path):
    references = ["the cat sat", "a dog", "it ran home", "so it is"]
    answers = {"base": ["the cat", "a cat", "it ran", ""], "large": ["the cat sat", "a dog", "he ran home", "so it is"]}
    (tmp_path / "gold.txt").write_text("\n".join(references) + "\n")
    for name, lines in answers.items():
        (tmp_path / f"{name}.txt").write_text("\n".join(lines) + "\n")
        rows = [
            {"id": i, "said": answer, "true": true}
            for i, (answer, true) in enumerate(zip(lines, references, strict=True))
        ]
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    lines = run("score", tmp_path / "base.txt", tmp_path / "large.txt", "--targets", tmp_path / "gold.txt", *METRIC)
    columns = ["--target", "true", "--prediction", "said", "--id", "id", *METRIC]
    table = run("score", tmp_path / "base.jsonl", tmp_path / "large.jsonl", *columns)
    of_lines, other = (json.loads(text)["scores"] for text in (lines, table))
    assert of_lines == other
    assert [row["mean"]["value"] for row in of_lines] == [pytest.approx(1 / 11), pytest.approx(6 / 11)]
    frame = howsure.read(tmp_path / "base.jsonl")
    by_name = score_table(y_true="true", prediction="said", metrics="wer", data=frame)
    assert by_name[0].mean.value == pytest.approx(6 / 11)


METRIC = ["--metric", "wer", "--seed", "1", "--format", "json"]


def test_an_answer_that_is_missing_counts_as_wrong_and_is_reported() -> None:
    """Whichever way a frame writes it."""
    true = ["a", "b", "a", "b"] * 10
    for nothing in (None, float("nan")):
        table = howsure.score_models(y_true=true, prediction=["a", "b", nothing, "b"] * 10)
        assert table.rows[0].mean.value == 0.75
        assert "prediction is empty in 10 rows, which is scored as an empty answer." in table.notes


@pytest.mark.parametrize("form", ["frame", "file"])
def test_a_metric_without_labels_is_the_score_of_this_name(form: str, tmp_path: Path) -> None:
    frame = pd.DataFrame({"model": ["a", "b"] * 20, "acc_norm": [1, 0, 1, 1] * 10})
    frame.to_csv(tmp_path / "scores.csv", index=False)
    data = frame if form == "frame" else howsure.read(tmp_path / "scores.csv")
    table = score_table(metrics="acc_norm", model="model", data=data)
    assert [(row.model, row.mean.value) for row in table] == [("a", 1.0), ("b", 0.5)]
    with pytest.raises(InputError, match=r"it has model, acc_norm\. To compute it, name the true"):
        score_table(metrics="wer", model="model", data=data)
    with pytest.raises(InputError, match=r"it has model, acc_norm\. brier is a metric of `howsure significance`"):
        score_table(metrics="brier", model="model", data=data)
    with pytest.raises(InputError, match=r"no column 'acc_nrm' in .* Did you mean acc_norm\?"):
        score_table(metrics="acc_nrm", model="model", data=data)
    if form == "file":
        with pytest.raises(InputError, match=r"names 2 columns \(model, acc_norm\).* Name one of them, or make them"):
            score_table(metrics=["model", "acc_norm"], data=data)
    with pytest.raises(InputError, match=r"compares models\. Scores of models can be accuracy, macro_precision"):
        score_table(metrics="brier", y_true=["a"], prediction=["a"])


def test_a_label_counts_only_in_the_groups_and_models_in_whose_truth_it_occurs() -> None:
    true = ["a,b"] * 10 + ["a"] * 10
    predicted = ["a,b"] * 10 + ["a"] * 9 + ["b"]  # in h, F1 of a is 18 / 19
    groups, of_h = ["g"] * 10 + ["h"] * 10, pytest.approx(18 / 19, abs=1e-12)
    for parts in ({"groups": groups}, {"model": groups}):
        table = score_table(y_true=true, prediction=predicted, id=range(20), metrics="multilabel_macro_f1", **parts)
        values = {row.group or row.model: row.mean.value for row in table}
        assert (values["g"], values["h"]) == (1.0, of_h)
    compared = compare(true, predicted, {"m": true}, groups=groups, metrics=["multilabel_macro_f1"])
    assert compared.groups["h", "m", "multilabel_macro_f1"].difference == pytest.approx(1 / 19, abs=1e-12)
    assert compared.groups["g", "m", "multilabel_macro_f1"].difference == 0.0


def test_a_group_without_labels_has_no_mean_over_labels() -> None:
    true, groups = ["a,b"] * 10 + [""] * 10, ["g"] * 10 + ["h"] * 10
    with pytest.raises(InputError, match=r"^multilabel_macro_f1 of h is undefined: there is nothing to count"):
        score_table(y_true=true, prediction=true, id=range(20), groups=groups, metrics="multilabel_macro_f1")
    compared = compare(true, true, {"m": true}, groups=groups, metrics=["multilabel_macro_f1"])
    assert np.isnan(compared.groups["h", "m", "multilabel_macro_f1"].difference)
