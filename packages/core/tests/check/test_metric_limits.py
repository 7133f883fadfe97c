"""Limits on metrics of predictions: `check_score` of a table of `score_models`, and `howsure check score --metric`."""

from __future__ import annotations

import json
import math
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import howsure
from benchmarks.label_limits import draw, true_values
from howsure.check.scores import run_score_check
from howsure.errors import InputError
from howsure.stats.jackknife_value import JackknifeValue

GOLD = ["a", "b", "c"] * 40
LABELS = ["a", "b", "c"] * 34 + ["b", "c", "a"] * 6


def write_labels(path: Path) -> str:
    lines = [f"{i // 4},{'en' if i % 2 else 'de'},{a},{b}" for i, (a, b) in enumerate(zip(GOLD, LABELS, strict=True))]
    path.write_text("\n".join(["doc,lang,gold,label", *lines]))
    return str(path)


def test_accuracy_is_checked_like_the_share_of_right_answers() -> None:
    by_metric = howsure.check_score(howsure.score_models(GOLD, LABELS), min_score=0.8)[0]
    by_score = howsure.check_score(np.equal(GOLD, LABELS), min_score=0.8)[0]
    assert by_metric.quantity == "accuracy"
    assert (by_metric.p_pass, by_metric.p_fail, by_metric.bound) == (by_score.p_pass, by_score.p_fail, by_score.bound)


@pytest.mark.parametrize(("limit", "outcome"), [(0.7, "pass"), (0.84, "cannot tell"), (0.95, "fail")])
def test_macro_f1_follows_from_the_bounds_of_the_table(limit: float, outcome: str) -> None:
    table = howsure.score_models(GOLD, LABELS, metrics="macro_f1", level=0.9)
    check = howsure.check_score(table, min_score=limit)
    assert check.outcome == outcome
    side, end = (0, table[0].mean.low) if limit < table[0].mean.value else (1, table[0].mean.high)
    test = table[0].test
    assert isinstance(test, JackknifeValue)
    assert test.bounds(0.05)[side] == pytest.approx(end, rel=1e-12)
    p = test.p_above(limit) if side == 0 else test.p_below(limit)
    assert test.bounds(min(p * 1.01, 0.49))[side] == pytest.approx(limit, abs=2e-3)


def test_more_rows_are_enough_if_the_estimate_is_right() -> None:
    few = howsure.score_models(GOLD, LABELS, metrics="macro_f1")
    check = howsure.check_score(few, min_score=0.79)
    assert check[0].more_rows is not None
    times = math.ceil((len(GOLD) + check[0].more_rows) / len(GOLD))
    more = howsure.score_models(GOLD * times, LABELS * times, metrics="macro_f1")
    assert howsure.check_score(more, min_score=0.79).outcome == "pass"
    assert howsure.check_score(few, min_score=few[0].mean.value)[0].more_rows is None


def test_each_model_and_group_is_a_verdict_and_the_overall_row_is_not(tmp_path: Path) -> None:
    source = howsure.read(write_labels(tmp_path / "labels.csv"))
    table = howsure.score_models("gold", "label", metrics="macro_f1", groups="lang", clusters="doc", data=source)
    check = howsure.check_score(table, min_score=0.5)
    assert len(table) == 3
    assert [verdict.group for verdict in check] == ["de", "en"]
    models = howsure.score_models(GOLD * 2, LABELS + GOLD, model=["x"] * 120 + ["y"] * 120, id=[*range(120)] * 2, rng=0)
    assert [verdict.group for verdict in howsure.check_score(models, min_score=0.5)] == ["y", "x"]


def test_files_are_checked_as_tables_are(tmp_path: Path) -> None:
    source = howsure.read(write_labels(tmp_path / "labels.csv"))
    by_file = run_score_check(
        y_true="gold", prediction="label", metrics="macro_f1", clusters="doc", min_score=0.7, data=source
    )
    table = howsure.score_models("gold", "label", metrics="macro_f1", clusters="doc", data=source)
    assert by_file.rows == howsure.check_score(table, min_score=0.7).rows


def test_documents_need_the_assumption_that_no_rare_one_is_much_worse() -> None:
    table = howsure.score_models(["a b c d"] * 30, ["a b c d"] * 25 + ["a b c e"] * 5, metrics="wer")
    check = howsure.check_score(table, max_score=0.2)
    assert (check.outcome, check[0].reason) == ("cannot tell", "rare documents")
    assert "assume_no_rare_losses=True" in check[0].sentence
    assert howsure.check_score(table, max_score=0.2, assume_no_rare_losses=True).outcome == "pass"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"min_score": 80}, r"^min_score must be between 0 and 1, the range of macro_f1; it is 80. Write 0.8"),
        ({"min_score": 0.8, "bounds": (0, 1)}, r"^bounds is for the mean of a score, not for a metric .* Leave it"),
        ({"min_score": 0.8, "against": GOLD}, r"^against is for .* `?howsure significance`?, or `?compare_models`?.$"),
        ({"min_score": 0.8, "groups": GOLD}, r"^groups belongs to the computation of the table"),
        ({}, r"^nothing to check: name a limit, min_score=0.8.$"),
    ],
)
def test_parameters_that_a_metric_does_not_use(arguments: dict[str, object], message: str) -> None:
    table = howsure.score_models(GOLD, LABELS, metrics="macro_f1")
    with pytest.raises(InputError, match=message):
        howsure.check_score(table, **arguments)  # type: ignore[arg-type]


def test_several_metrics_are_refused() -> None:
    table = howsure.score_models(GOLD, LABELS, metrics=["macro_f1", "mcc"])
    with pytest.raises(InputError, match="limits are for one metric; there are macro_f1, mcc"):
        howsure.check_score(table, min_score=0.5)


@pytest.mark.slow
@pytest.mark.parametrize("rare", [0.05, 0.1, 0.3])
def test_false_passes_with_a_rare_class(rare: float) -> None:
    rng, runs, passes, frequencies = np.random.default_rng(5), 400, 0, [1 - rare, rare]
    right = np.array([0.95, 0.6])
    joint = np.array(frequencies)[:, None] * np.array([[right[0], 1 - right[0]], [1 - right[1], right[1]]])
    limit = float(np.mean(2 * np.diag(joint) / (joint.sum(0) + joint.sum(1))))
    for _ in range(runs):
        true = rng.choice(2, 60, p=frequencies)
        if true.all() or not true.any():
            continue
        predicted = np.where(rng.random(60) < right[true], true, 1 - true)
        table = howsure.score_models(true.tolist(), predicted.tolist(), metrics="macro_f1")
        passes += howsure.check_score(table, min_score=limit).outcome == "pass"
    assert passes / runs <= 0.05 + 3.1 * math.sqrt(0.05 * 0.95 / runs)


def test_clusters_need_more_rows_than_independent_ones_and_a_closer_limit_more_than_a_farther_one() -> None:
    rng = np.random.default_rng(5)
    true, shift = rng.integers(0, 2, 2_000), np.repeat(rng.beta(0.6, 0.1, 40), 50)
    predicted = np.where(rng.random(2_000) < shift, true, 1 - true)
    clusters = np.repeat(np.arange(40), 50)

    def more_rows(distance: float, units: object) -> int:
        table = howsure.score_models(y_true=true, prediction=predicted, metrics="macro_f1", clusters=units)
        verdict = howsure.check_score(table, min_score=table[0].mean.value - distance)[0]
        assert verdict.more_rows is not None
        return verdict.more_rows

    closer, farther = more_rows(0.01, clusters), more_rows(0.02, clusters)
    assert closer > 2 * farther
    assert closer > 5 * more_rows(0.01, None)


def test_parameters_of_the_table_belong_to_its_computation() -> None:
    table = howsure.score_models(y_true=["a", "b"] * 10, prediction=["a", "a"] * 10, metrics="macro_f1")
    with pytest.raises(InputError, match=r"^clusters belongs to the computation of the table: give it to score_models"):
        howsure.check_score(table, min_score=0.5, clusters=[1, 2] * 10)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["independent", "class", "both", "block", "copies"])
@pytest.mark.parametrize(("n", "rare"), [(60, 0.1), (300, 0.05)])
def test_false_verdicts_in_documents(kind: str, n: int, rare: float) -> None:
    rng, runs, wrong, values = np.random.default_rng(6), 400, np.zeros((2, 2)), true_values(rare)
    for _ in range(runs):
        true, predicted, documents = draw(rng, kind, n, rare)
        if np.ptp(true) == 0:
            continue
        for row, (metric, truth) in enumerate((("macro_f1", values.mean()), ({"f1": 0}, values[0]))):
            table = howsure.score_models(true, predicted, metrics=metric, clusters=documents)
            outcome = howsure.check_score(table, min_score=float(truth)).outcome
            wrong[row] += outcome == "fail", outcome == "pass"
    assert (wrong / runs <= 0.06 + 2 * math.sqrt(0.06 * 0.94 / runs)).all()


def test_no_item_of_a_class_is_right() -> None:
    """Five true and eleven predicted items are worth eight correct ones: 1 - 0.05 ** (1 / 8)."""
    true, predicted = [1] * 5 + [0] * 95, [0] * 5 + [1] * 11 + [0] * 84
    table = howsure.score_models(true, predicted, metrics={"f1": 1})
    assert howsure.check_score(table, min_score=0.4)[0].bound == pytest.approx(1 - 0.05 ** (1 / 8))


def test_error_rates_of_models_in_one_file(tmp_path: Path) -> None:
    """A limit in percent and a baseline are refused; verdicts do not say that models are not ranked."""
    path = tmp_path / "texts.jsonl"
    texts = [{"file": f"f{k}", "model": model, "gold": "a b c d", "text": "a b c"} for k in range(4) for model in "mn"]
    path.write_text("\n".join(map(json.dumps, texts)))
    data = howsure.read(path)
    check_wer = partial(run_score_check, y_true="gold", prediction="text", metrics="wer", data=data)
    with pytest.raises(InputError, match=r"max_score is 90, and wer is 0.25, .* Write 0.9 for 90%"):
        check_wer(max_score=90)
    check = check_wer(groups="model", id="file", max_score=0.9)
    assert not [note for verdict in check for note in verdict.notes if "ranked" in note]
    with pytest.raises(InputError, match="this check has none"):
        check.baseline.save(tmp_path / "baseline.json")
