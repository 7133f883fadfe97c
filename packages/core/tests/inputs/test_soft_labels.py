"""Labels that are shares of annotators: what they equal, how they are read, and how far intervals can be trusted."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.cli.running import howsure as run
from tests.cli.running import printed
from tests.data.files import write

import howsure
from howsure.calibration.curve import binned_curve
from howsure.inputs.classes import softly_reduced
from howsure.inputs.pairs import Pairs

RNG = np.random.default_rng(0)
NAMES = ("a", "b", "c")
MATRIX = RNG.dirichlet([1, 1, 1], 120)
VOTES = np.array([RNG.choice(3, 4, p=row) for row in MATRIX])
SHARES = np.array([np.bincount(votes, minlength=3) / 4 for votes in VOTES])
REDUCTIONS = ("top-label", "class-wise", "b")


def by_name(matrix: Any, names: tuple[str, ...] = NAMES) -> list[dict[str, float]]:
    return [dict(zip(names, map(float, row), strict=True)) for row in matrix]


@pytest.mark.parametrize("reduce", REDUCTIONS)
def test_shares_of_one_are_labels(reduce: str) -> None:
    hard = howsure.pairs_from_classes(VOTES[:, 0], MATRIX, classes=NAMES, reduce=reduce)
    soft = softly_reduced(np.eye(3)[VOTES[:, 0]], MATRIX, NAMES, reduce=reduce)
    np.testing.assert_array_equal(soft.labels, hard.labels)
    np.testing.assert_array_equal(soft.probabilities, hard.probabilities)
    assert set(soft.weights.tolist()) == {1.0}
    assert soft.group_names == hard.group_names


@pytest.mark.parametrize("reduce", REDUCTIONS)
def test_a_row_is_as_good_as_each_of_its_votes(reduce: str) -> None:
    """Every vote as a row of its own, a fourth as heavy, and the votes of an item one cluster."""
    soft = softly_reduced(SHARES, MATRIX, NAMES, reduce=reduce)
    each = howsure.pairs_from_classes(
        VOTES.ravel(),
        np.repeat(MATRIX, 4, axis=0),
        classes=NAMES,
        reduce=reduce,
        sample_weight=np.full(480, 0.25),
        clusters=np.repeat(np.arange(120), 4),
    )
    for group in range(3) if reduce == "class-wise" else [None]:
        soft_pairs, other = (
            pairs if group is None else pairs.select(np.flatnonzero(pairs.groups == group)) for pairs in (soft, each)
        )
        soft_curve, vote_curve = (binned_curve(pairs, binning="uniform", n_bins=5) for pairs in (soft_pairs, other))
        for name in ("error", "ece"):
            assert getattr(soft_curve, name).value == pytest.approx(getattr(vote_curve, name).value, rel=1e-9)
        assert soft_curve.brier.score == pytest.approx(vote_curve.brier.score, rel=1e-9)
        assert soft_curve.base_rate == pytest.approx(vote_curve.base_rate, rel=1e-9)


@pytest.mark.parametrize("suffix", [".jsonl", ".csv", ".parquet", ".npz"])
def test_files_of_any_format(suffix: str, tmp_path: Path) -> None:
    lists = suffix == ".npz"
    shares: Any = SHARES.tolist() if lists else by_name(SHARES[:, ::-1], NAMES[::-1])
    if suffix == ".csv":
        shares = [json.dumps(share) for share in shares]
    rows = {"y": shares, **{name: MATRIX[:, k].tolist() for k, name in enumerate(NAMES)}}
    path = write(tmp_path / f"x{suffix}", rows)
    expected = softly_reduced(SHARES, MATRIX, NAMES, reduce="top-label")
    with howsure.read(path).predictions(
        "y", howsure.Probabilities("probs", NAMES, reduce="top-label"), soft_labels=True
    ) as predictions:
        pairs = predictions.pairs()
    np.testing.assert_array_equal(pairs.labels, expected.labels)
    np.testing.assert_allclose(pairs.weights, expected.weights, rtol=1e-12)
    np.testing.assert_array_equal(pairs.clusters, expected.clusters)


def test_one_probability_with_shares_of_two_classes(tmp_path: Path) -> None:
    shares, prob = RNG.integers(0, 5, 50) / 4, RNG.random(50).round(3)
    rows = {"y": by_name(np.column_stack([1 - shares, shares]), ("0", "1")), "q": prob.tolist()}
    path = write(tmp_path / "x.jsonl", rows)
    content = json.loads(printed("calibration", path, "--target", "y", "--prob", "q", "--format", "json"))
    assert content["recipe"]["soft_labels"] is True
    assert content["curves"][0]["base_rate"] == pytest.approx(shares.mean())
    brier = (shares * (1 - prob) ** 2 + (1 - shares) * prob**2).mean()
    assert content["curves"][0]["brier"]["score"] == pytest.approx(brier)
    output = printed("calibration", path, "--target", "y", "--prob", "q")
    assert "labels are proportions of annotators" in output


@pytest.mark.parametrize(
    ("change", "arguments", "message"),
    [
        (
            {"y": {"a": 0.5, "b": 0.2, "c": 0.2}},
            (),
            r"y must sum to 1 in every row \(within 0\.001\); row 2 of .* sums to 0\.9\. Give the proportion of "
            r"annotators for each class: divide counts by the number of annotators\.$",
        ),
        ({"y": {"a": 3.0, "b": 1.0, "c": 0.0}}, (), "divide counts by the number of annotators"),
        ({"y": {"a": 1.0, "b": 0.0}}, (), "y must be an object with the names"),
        ({"y": None}, (), "y must not be missing; row 2 "),
        ({}, ("--classes", "x,y,z"), "classes .*must name the classes in p"),
        (
            {"one": 1.5},
            ("--prob", "one"),
            "y contains proportions of 3 classes, 'a', 'b', 'c', but the probability of one class",
        ),
    ],
)
def test_what_is_refused(change: dict[str, Any], arguments: tuple[str, ...], message: str, tmp_path: Path) -> None:
    rows = [{"y": y, "p": p, "one": 0.5} for y, p in zip(by_name(SHARES), by_name(MATRIX), strict=True)]
    rows[1] |= change
    path = tmp_path / "x.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    source = () if "--prob" in arguments else ("--probs-column", "p")
    done = run("calibration", path, "--target", "y", *source, *arguments)
    assert (done.code, done.out) == (2, "")
    assert re.search(message, done.err.strip()), done.err


def rejections_and_coverage(shift: float, *, n: int, m: int, runs: int) -> tuple[float, float]:
    rng = np.random.default_rng(1)
    rejected = covered = 0
    for _ in range(runs):
        prob = rng.random(n)
        mean = prob + shift * (0.5 - prob)
        share = rng.binomial(m, rng.beta(3 * mean + 1e-9, 3 * (1 - mean) + 1e-9)) / m
        pairs: Pairs = softly_reduced(
            np.column_stack([1 - share, share]), np.column_stack([1 - prob, prob]), ("0", "1"), reduce="1"
        )
        curve = binned_curve(pairs)
        low, high = curve.error.low, curve.error.high
        covered += low <= shift / np.sqrt(12) <= high
        rejected += curve.p_value < 0.05
    return rejected / runs, covered / runs


def test_intervals_are_on_the_safe_side_and_find_errors() -> None:
    """Measured with 250 runs: rejected 0 and .99, covered 1.0 and .98."""
    rejected, covered = rejections_and_coverage(0.0, n=400, m=4, runs=25)
    assert rejected <= 0.12
    assert covered >= 0.88
    rejected, covered = rejections_and_coverage(0.3, n=1_000, m=4, runs=25)
    assert rejected >= 0.8
    assert covered >= 0.8


def test_learning_with_disagreement(real_data: Path, tmp_path: Path) -> None:
    """A development set, as it was published, with invented probabilities."""
    with gzip.open(real_data / "lewidi2025" / "VariErrNLI_dev.jsonl.gz", "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    path = tmp_path / "x.jsonl"
    path.write_text("".join(json.dumps({"soft_label": row["soft_label"], "q": 0.5}) + "\n" for row in rows))
    content = json.loads(
        printed("calibration", path, "--target", "soft_label.entailment", "--prob", "q", "--format", "json")
    )
    share = np.mean([row["soft_label"]["entailment"]["1"] for row in rows])
    assert content["curves"][0]["base_rate"] == pytest.approx(share)
    assert content["recipe"]["rows"] == 50
