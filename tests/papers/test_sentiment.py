"""The sentiment experiment on a slice of the tweets: its data, its quantities, its findings."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pytest
from howsure_papers.corpora.labelled import read_tweets
from howsure_papers.intervals import mean_estimate
from howsure_papers.reproduction import Reproduction
from howsure_papers.sentiment import f1_with_influence, part_of_train, quantities, reproduce_sentiment
from howsure_papers.text_classifiers import LOGISTIC_REGRESSION, NAIVE_BAYES, binary_unigrams

from howsure import calibration_error
from howsure.errors import InputError
from tests.papers.whole import check_whole, rows_of

SLICE = 400


@pytest.fixture(scope="module")
def sentiment(real_data: Path) -> Reproduction:
    steps: list[int] = []
    result = reproduce_sentiment(data=str(real_data), limit=SLICE, seed=1, advance=steps.append)
    assert sum(steps) == reproduce_sentiment.steps()
    return result


def written(folder: Path, **splits: list[tuple[str, int]]) -> str:
    (folder / "sentiment140").mkdir()
    for name, tweets in splits.items():
        lines = [json.dumps({"text": text, "label": label}) for text, label in tweets]
        (folder / "sentiment140" / f"{name}.jsonl.gz").write_bytes(gzip.compress("\n".join(lines).encode()))
    return str(folder)


def test_a_tweet_seen_in_an_earlier_split_is_left_out(tmp_path: Path) -> None:
    data = written(
        tmp_path,
        train=[("good day", 1), ("bad day", 0), ("a good day", 1)],
        dev=[("Good  DAY", 1), ("day good", 0), ("so bad", 0)],
        test=[("so bad", 0), ("A good day", 1), ("really so so bad", 0)],
    )
    tweets = read_tweets(data, None)
    assert [one.repeated for one in tweets] == [0, 1, 2]
    features = binary_unigrams(*(one.words for one in tweets))
    assert [matrix.toarray().tolist() for matrix in features] == [
        [[0, 0, 1, 1], [0, 1, 1, 0], [1, 0, 1, 1]],  # a bad day good
        [[0, 0, 1, 1], [0, 1, 0, 0]],
        [[0, 1, 0, 0]],
    ]
    assert tweets[1].labels.tolist() == [0, 0]
    splits = [(matrix, one.labels) for matrix, one in zip(features, tweets, strict=True)]
    part, dev, _ = part_of_train(np.array([0, 1]), *splits)  # which hold no "a"
    assert part[0].toarray().tolist() == [[0, 1, 1], [1, 1, 0]]
    assert dev[0].toarray().tolist() == [[0, 1, 1], [1, 0, 0]]


def test_a_repetition_within_train_is_kept(tmp_path: Path) -> None:
    one = [("good", 1), ("good", 1), ("bad", 0)]
    tweets = read_tweets(written(tmp_path, train=one, dev=[("so", 1)], test=[("sad", 0)]), None)
    assert [one.repeated for one in tweets] == [0, 0, 0]
    assert len(tweets[0].labels) == 3


def test_the_interval_of_f1_is_that_of_a_bootstrap() -> None:
    rng = np.random.default_rng(0)
    y = (rng.random(2000) < 0.4).astype(np.uint8)
    predicted = rng.random(2000) < np.where(y == 1, 0.7, 0.2)
    value, influence = f1_with_influence(y, predicted)
    found = mean_estimate(value + influence)
    drawn = [f1_with_influence(y[rows], predicted[rows])[0] for rows in rng.integers(0, 2000, (2000, 2000))]
    assert found.value == pytest.approx(value)
    assert found.low is not None
    assert value - found.low == pytest.approx(1.96 * np.std(drawn), rel=0.08)


def test_the_quantities_are_those_of_the_public_calls() -> None:
    rng = np.random.default_rng(3)
    q = rng.random(20_000)
    y = (rng.random(20_000) < q).astype(np.uint8)
    extreme = np.where(q > 0.5, 1 - (1 - q) / 2, q / 2)
    found = quantities(y, {NAIVE_BAYES: extreme, LOGISTIC_REGRESSION: q})
    assert found[f"CalibErr, {NAIVE_BAYES}"] == calibration_error(y, extreme, bin_size=5_000)
    assert found["F1, difference"].value == pytest.approx(0.0)
    both, one, other = (
        found[name] for name in ("CalibErr, NB - 2 LR", f"CalibErr, {NAIVE_BAYES}", f"CalibErr, {LOGISTIC_REGRESSION}")
    )
    assert both.value == pytest.approx(one.value - 2 * other.value)
    for side in ("low below", "high above"):
        assert found[f"too {side} 1/2, {NAIVE_BAYES}"].value == pytest.approx(0.125, abs=0.02)
        assert abs(found[f"too {side} 1/2, {LOGISTIC_REGRESSION}"].value) < 0.02
    assert found["too extreme, difference"].value == pytest.approx(0.125, abs=0.02)


def test_the_tables_and_figures(sentiment: Reproduction) -> None:
    check_whole(sentiment)
    first, second, third = map(rows_of, sentiment.tables)
    assert [row[1] for row in first[:2]] == ["0.738", "0.729"]
    assert [row[0] for row in second] == [NAIVE_BAYES, LOGISTIC_REGRESSION]
    assert len(third) == 13
    assert "test tweets are left out" in sentiment.notes[1]


def test_the_findings_follow_from_the_intervals_of_the_table(sentiment: Reproduction) -> None:
    intervals = {row[0]: json.loads(row[-1]) for row in rows_of(sentiment.tables[0])}
    names = ("F1, difference", "CalibErr, difference", "CalibErr, NB - 2 LR")
    for finding, name in zip(sentiment.findings[:3], names, strict=True):
        low, high = intervals[name]
        assert finding.holds is (True if low > 0 else False if high < 0 else None)
        assert finding.verdict in ("holds", "does NOT hold", "undecided")


def test_without_its_data_it_says_so(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="sentiment140 is not found"):
        reproduce_sentiment(data=str(tmp_path))
