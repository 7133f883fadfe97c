"""The risk–coverage curve: by loops, its points, what single points of it cover, groups, refusals."""

from __future__ import annotations

import numpy as np
import pytest

import howsure
from benchmarks.selective import answers, clustered_answers, confidences, risk_at
from howsure import Pairs, selective_curve, selective_table
from howsure.selective.curve import build_selective_curve
from howsure.selective.kept_answers import kept_at
from howsure.selective.ranked_answers import ranked


def test_points_are_counted() -> None:
    pairs = answers("ties", "overconfident", 400, np.random.default_rng(1))
    points = build_selective_curve(pairs).points
    assert points.threshold.tolist() == sorted(set(pairs.probabilities.tolist()), reverse=True)
    for i, threshold in enumerate(points.threshold):
        kept = pairs.probabilities >= threshold
        assert points.n[i] == kept.sum()
        assert points.coverage[i] == kept.mean()
        assert points.risk[i] == pytest.approx(1 - pairs.labels[kept].mean())
        assert points.low[i] <= points.risk[i] <= points.high[i]


def test_many_thresholds_are_thinned_but_the_last_stays() -> None:
    curve = build_selective_curve(answers("different", "sharp", 5000, np.random.default_rng(2)))
    assert len(curve.points) <= 200
    assert curve.points.coverage[-1] == 1.0
    assert np.abs(np.diff(curve.points.coverage)).max() < 0.006
    assert curve.accuracy.value == 1 - curve.points.risk[-1]


def test_what_is_kept_at_a_coverage() -> None:
    """At least the share asked for, and less with the next higher threshold."""
    for law in ("different", "ties", "one value"):
        pairs = answers(law, "sharp", 777, np.random.default_rng(3))
        for point in build_selective_curve(pairs, coverage=[0.1, 0.5, 0.9, 1.0]).at_coverage:
            kept = pairs.probabilities >= point.threshold
            assert point.n == kept.sum()
            assert point.coverage == kept.mean() >= point.asked
            assert (pairs.probabilities > point.threshold).mean() < point.asked
            assert point.accuracy.value == pytest.approx(pairs.labels[kept].mean())


def test_the_coverage_at_an_accuracy_is_the_largest() -> None:
    pairs = answers("different", "overconfident", 2000, np.random.default_rng(4))
    (point,) = build_selective_curve(pairs, accuracy=[0.8]).at_accuracy
    order = np.argsort(-pairs.probabilities)
    accuracy = np.cumsum(pairs.labels[order]) / np.arange(1, 2001)
    assert point.coverage.value == (np.flatnonzero(accuracy >= 0.8)[-1] + 1) / 2000
    assert pairs.labels[pairs.probabilities >= point.threshold].mean() >= 0.8
    assert point.coverage.low <= point.coverage.value <= point.coverage.high
    (never,) = selective_curve([0, 0, 1, 0], [0.9, 0.8, 0.7, 0.6], accuracy=[1.0]).at_accuracy
    assert (never.threshold, never.n, never.coverage.value) == (None, 0, 0.0)


def test_a_printed_threshold_keeps_the_answers_that_are_counted() -> None:
    """More digits are printed where six do not separate the threshold from the next lower confidence."""
    confidence = np.repeat([0.9999999, 0.9999992, 0.5123456789], [132, 23, 95])
    correct = np.repeat([1, 0, 1, 0], [124, 8, 19, 99])
    curve = selective_curve(correct, confidence, coverage=[0.5, 0.6, 1.0], accuracy=[0.93])
    for point in (*curve.at_coverage, *curve.at_accuracy):
        printed = float(str(point).split(" ≥ ")[1].split(" keeps")[0])
        assert (confidence >= printed).sum() == point.n
    assert "≥ 0.512345 keeps" in str(curve)


def test_errors_given_as_right_answers_are_noticed() -> None:
    rng = np.random.default_rng(5)
    confidence = rng.random(400)
    right = rng.random(400) < confidence
    assert "check that the label is 1 for a right answer" in str(selective_curve(~right, confidence))
    assert "check that" not in str(selective_curve(right, confidence))


def _cover(n: int, runs: int) -> tuple[float, float]:
    """How often the intervals of the coverage at an accuracy of .8 and of the accuracy at a coverage hold."""
    grid = -np.sort(-confidences("different", 1_000_000, np.random.default_rng(5)))
    accuracy = 1 - np.cumsum(risk_at("overconfident", grid)) / np.arange(1, len(grid) + 1)
    truth = (np.flatnonzero(accuracy >= 0.8)[-1] + 1) / len(grid)
    rng, covered = np.random.default_rng(6), np.zeros(2)
    for _ in range(runs):
        curve = build_selective_curve(answers("different", "overconfident", n, rng), accuracy=[0.8], coverage=[0.5])
        (first,), (second,) = curve.at_accuracy, curve.at_coverage
        true = accuracy[np.searchsorted(-grid, -second.threshold)]
        covered += [
            first.coverage.low <= truth <= first.coverage.high,
            second.accuracy.low <= true <= second.accuracy.high,
        ]
    return tuple(covered / runs)


def test_single_points_cover_in_a_small_simulation() -> None:
    assert min(_cover(300, 60)) > 0.87


@pytest.mark.slow
@pytest.mark.parametrize("n", [100, 300, 2000])
def test_single_points_cover(n: int) -> None:
    assert min(_cover(n, 1000)) > 0.93


def test_bands_of_clusters_are_wider() -> None:
    pairs = clustered_answers("ties", "overconfident", 200, np.random.default_rng(7))
    clustered, alone = (
        build_selective_curve(pairs).points,
        build_selective_curve(Pairs(pairs.labels, pairs.probabilities)).points,
    )
    assert clustered.risk.tolist() == alone.risk.tolist()
    assert np.mean((clustered.high - clustered.low) / (alone.high - alone.low)) > 1.5


def test_the_order_of_rows_is_nothing() -> None:
    pairs = clustered_answers("ties", "sharp", 100, np.random.default_rng(8))
    order = np.random.default_rng(9).permutation(len(pairs))
    moved = Pairs(pairs.labels[order], pairs.probabilities[order], clusters=pairs.clusters[order])
    assert (
        build_selective_curve(moved, accuracy=[0.9]).to_dict() == build_selective_curve(pairs, accuracy=[0.9]).to_dict()
    )


def test_groups_match_the_parts() -> None:
    pairs = answers("ties", "sharp", 300, np.random.default_rng(10))
    groups = np.arange(300) % 3
    table = selective_table(pairs, groups=groups)
    for code, row in enumerate(table):
        alone = build_selective_curve(pairs.select(groups == code), name=str(code))
        assert row.to_dict() == alone.to_dict()
    assert table["1"].n == 100
    with pytest.raises(KeyError):
        table["9"]


def test_notes_say_what_is_odd() -> None:
    def notes(y: object, q: object, **more: object) -> str:
        return " ".join(selective_curve(y, q, **more).notes)

    assert "every answer is right" in notes([1, 1, 1], [0.6, 0.7, 0.8])
    assert "there is only 1 wrong answer, on" in notes([1, 1, 0, 1], [0.6, 0.7, 0.8, 0.9])
    assert "every answer has the same confidence" in notes([1, 0], [0.7, 0.7])
    assert "only 2 distinct confidences: coverage changes in steps of up to 75.0% (confidence 0.9)" in notes(
        [1, 0, 1, 1], [0.9, 0.5, 0.9, 0.9]
    )
    assert "the larger of p and 1 - p" in notes([1, 0, 0, 1], [0.9, 0.05, 0.2, 0.8])
    assert "there are 3 clusters" in notes([1, 0, 0, 1], [0.9, 0.6, 0.7, 0.8], clusters=[1, 2, 3, 1])


def test_a_frame_and_classes_are_read() -> None:
    import pandas

    frame = pandas.DataFrame({"right": [1, 0, 1], "p": [0.9, 0.4, 0.8], "doc": ["a", "b", "b"]})
    curve = selective_curve("right", "p", clusters="doc", data=frame)
    assert curve.recipe["clusters"] == 2
    pairs = howsure.pairs_from_classes([0, 1, 1], [[0.7, 0.3], [0.4, 0.6], [0.8, 0.2]])
    assert selective_curve(pairs).accuracy.value == pytest.approx(2 / 3)


def test_copies_of_answers_count_once() -> None:
    pairs = answers("ties", "overconfident", 200, np.random.default_rng(13))
    copied = Pairs(np.repeat(pairs.labels, 3), np.repeat(pairs.probabilities, 3), clusters=np.repeat(np.arange(200), 3))
    alone, clustered = (kept_at(ranked(answered), slice(None)) for answered in (pairs, copied))
    assert clustered.effective_total == pytest.approx(alone.effective_total)
    assert (clustered.n == 3 * alone.n).all()


def test_right_is_explained_if_confidences_may_be_probabilities_of_a_class() -> None:
    y, q = ["pos", "neg"] * 20, [0.9, 0.2] * 20
    (note,) = (note for note in selective_table(y, q, pos_label="pos")[0].notes if "counts as right" in note)
    assert note.startswith("an answer counts as right if its label is pos, and 50% of the confidences are below 0.5")
    assert not any("counts as right" in note for note in selective_table(y, [0.9, 0.6] * 20, pos_label="pos")[0].notes)
