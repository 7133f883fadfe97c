"""A confidence in each prediction: the label is whether the prediction is the true label, as in `score_models`."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import howsure
from howsure import InputError, Probabilities
from howsure.calibration.slots import sum_by_slot
from howsure.data.predictions.predictions import open_predictions

N = 240
NAMES = np.array(["neg", "neu", "pos"])


def table(**columns: Any) -> pd.DataFrame:
    rng = np.random.default_rng(3)
    q = rng.uniform(0.35, 1, N).round(3)
    codes = rng.integers(0, 3, N)
    predicted = np.where(rng.random(N) < q, codes, (codes + 1) % 3)
    return pd.DataFrame({"label": NAMES[codes], "pred": NAMES[predicted], "conf": q}).assign(**columns)


def answers(way: str = "prob", column: str = "conf", prediction: str = "pred") -> Probabilities:
    return Probabilities(way, column, prediction=prediction)


def saved(frame: pd.DataFrame, folder: Path, name: str = "preds.csv") -> howsure.Source:
    frame.to_parquet(folder / name) if name.endswith("parquet") else frame.to_csv(folder / name, index=False)
    return howsure.read(folder / name)


SPELLINGS: dict[str, dict[str, list[Any]]] = {
    "names": {},
    "numbers in two formats": {"label": ["0", "1", "01"], "pred": ["0.0", "1.0", "01"]},
    "truth values": {"label": ["true", "False"], "pred": ["1", "0"]},
    "some in other cases": {"label": ["yes", "no", "no"], "pred": ["yes", "No", "no"]},
}


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize("name", ["preds.csv", "preds.parquet"])
def test_labels_are_those_of_the_accuracy_in_files_frames_and_arrays(spelling: str, name: str, tmp_path: Path) -> None:
    frame = table(**{column: np.resize(values, N) for column, values in SPELLINGS[spelling].items()})
    source = saved(frame, tmp_path, name)
    accuracy = howsure.score_models("label", "pred", data=source)[0].mean
    with source.predictions("label", answers()) as predictions:
        pairs = predictions.pairs()
    assert pairs.labels.mean() == pytest.approx(accuracy.value)
    by_source = [
        howsure.calibration_error("label", answers(), data=source),
        howsure.calibration_error("label", answers(), data=frame),
        howsure.calibration_error(frame.label, Probabilities("prob", frame.conf, prediction=frame.pred)),
        howsure.calibration_error((frame.label == frame.pred).to_numpy(), frame.conf),
    ]
    values = [(estimate.value, estimate.low, estimate.high) for estimate in by_source]
    assert values[0] == values[1] == values[2]
    assert spelling != "names" or values[3] == values[0]


def test_streamed_sums_are_those_of_pairs(tmp_path: Path) -> None:
    source = saved(table(), tmp_path)
    assert isinstance(source, howsure.data.sources.Files)
    with open_predictions(source, y_true="label", y_prob=answers(), exact_up_to=10) as predictions:
        slots = predictions.source()
    with open_predictions(source, y_true="label", y_prob=answers()) as predictions:
        pairs = predictions.pairs()
    assert slots.reduction == pairs.reduction == "top-label"
    assert slots == sum_by_slot(pairs)


def test_missing_predictions_are_wrong_unless_they_are_skipped(tmp_path: Path) -> None:
    frame = table()
    frame.loc[::10, "pred"] = None
    source = saved(frame, tmp_path)
    curve = howsure.calibration_curve("label", answers(), data=source)
    assert curve.n == N
    assert any("pred is empty in 24 rows, counted as wrong" in note for note in curve.notes)
    assert curve.notes == howsure.calibration_curve("label", answers(), data=frame).notes
    skipped = howsure.read(tmp_path / "preds.csv", skip_missing=True)
    assert howsure.calibration_curve("label", answers(), data=skipped).n == N - 24


def test_other_spellings_are_noted(tmp_path: Path) -> None:
    frame = table()
    frame.loc[::10, "pred"] = frame.pred[::10].str.upper()
    (note,) = howsure.calibration_error("label", answers(), data=saved(frame, tmp_path)).notes
    assert note.startswith("pred: 24 predictions differ from a true label only in case or spaces")


@pytest.mark.parametrize("way", ["logits", "logprobs", "verbalised"])
def test_other_forms_of_a_confidence(way: str, tmp_path: Path) -> None:
    frame = table()
    q = frame.conf.clip(upper=0.99)
    forms = {"logits": np.log(q / (1 - q)), "logprobs": np.log(q), "verbalised": [f"{100 * p:.1f} % sure" for p in q]}
    frame["stated"] = forms[way]
    estimates = [
        howsure.calibration_error("label", answers(way, "stated"), data=data)
        for data in (saved(frame, tmp_path), frame)
    ]
    expected = howsure.calibration_error("label", answers(), data=frame.assign(conf=q))
    for estimate in estimates:
        assert (estimate.value, estimate.low) == pytest.approx((expected.value, expected.low))


def binary_table(threshold: float = 0.5) -> pd.DataFrame:
    rng = np.random.default_rng(4)
    q = rng.random(N).round(3)
    frame = pd.DataFrame({"label": (rng.random(N) < q).astype(int), "conf": q})
    return frame.assign(pred=(q >= threshold).astype(int))


@pytest.mark.parametrize("threshold", [0.5, 0.2, 0.7])
@pytest.mark.parametrize("in_file", [True, False])
def test_the_probability_of_one_label_is_refused(threshold: float, in_file: bool, tmp_path: Path) -> None:
    frame = binary_table(threshold)
    data = saved(frame, tmp_path) if in_file else frame
    with pytest.raises(InputError, match=r"conf must be the confidence in the prediction .* probability of one label"):
        howsure.calibration_error("label", answers(), data=data)


def test_own_confidence_in_two_labels_is_evaluated_and_low_values_are_noted(tmp_path: Path) -> None:
    frame = binary_table()
    confident = frame.assign(conf=np.maximum(frame.conf, 1 - frame.conf))
    assert not howsure.calibration_curve("label", answers(), data=saved(confident, tmp_path)).notes
    mixed = frame.assign(pred=np.where(np.arange(N) % 5 == 0, 1 - frame.pred, frame.pred))
    for data in (saved(mixed, tmp_path), mixed):
        (note,) = howsure.calibration_error("label", answers(), data=data).notes
        assert "conf is below one half in 102 rows, although there are only two predictions" in note


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "no true label": ({"pred": np.resize(["Neg", "Neu"], N)}, "no value of pred is a true label"),
    "empty": ({"pred": np.full(N, None)}, "pred must contain predictions, but it is empty in all rows"),
    "in percent": (
        {"conf": np.resize([61.5, 80.25], N)},
        "conf must be between 0 and 1; .* 61.5. Are these percentages",
    ),
    "another type": ({"label": np.resize([1, 2, 3], N)}, "no value of pred is a true label: it contains 'neg'"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_unusable_columns_are_refused(case: str, tmp_path: Path) -> None:
    columns, message = REFUSED[case]
    frame = table(**columns)
    for data in (saved(frame, tmp_path), frame):
        with pytest.raises(InputError, match=message):
            howsure.calibration_error("label", answers(), data=data)


def test_options_that_contradict_predictions_are_refused(tmp_path: Path) -> None:
    source = saved(table(), tmp_path)
    with pytest.raises(InputError, match=r"pos_label.*does not apply with .*prediction"):
        howsure.calibration_error("label", answers(), pos_label="pos", data=source)
    with pytest.raises(InputError, match=r"prediction=\.\.\. is for one confidence per row"):
        Probabilities("probs", ["a", "b"], prediction="pred")
    with pytest.raises(InputError, match="y_true and prediction name the same column, 'label'"):
        howsure.calibration_error("label", answers(prediction="label"), data=source)


def test_every_use_of_the_pairs_agrees_with_labels_of_right_answers(tmp_path: Path) -> None:
    frame = table(day=pd.date_range("2026-01-01", periods=N).strftime("%Y-%m-%d"), item=np.arange(N) // 2)
    frame["right"] = (frame.label == frame.pred).astype(int)
    source = saved(frame, tmp_path)
    for function, options in (
        (howsure.selective_table, {"risk": 0.4}),
        (howsure.check_calibration, {"max_error": 0.2, "clusters": "item"}),
        (howsure.check_selective, {"max_risk": 0.5}),
        (howsure.recalibration_table, {"methods": ["platt"], "rng": 0}),
    ):
        results = [
            function("label", answers(), data=source, **options),
            function("right", "conf", data=source, **options),
        ]
        first, second = (re.sub(r"'(label|pred|right)'", "", str(list(result))) for result in results)
        assert first == second, function
    monitors = [howsure.CalibrationMonitor() for _ in range(2)]
    for monitor, label, prob in zip(monitors, ("label", "right"), (answers(), "conf"), strict=True):
        monitor.update("day", label, prob, data=source)
    assert monitors[0].status().to_dict() == monitors[1].status().to_dict()


def test_two_models_need_their_own_predictions(tmp_path: Path) -> None:
    frame = table()
    frame["pred_b"], frame["conf_b"] = np.roll(frame.pred, 7), np.roll(frame.conf, 5)
    source, other = saved(frame, tmp_path), answers("prob", "conf_b", "pred_b")
    right, right_b = (frame.label == frame[name] for name in ("pred", "pred_b"))
    expected = howsure.compare_calibration(right, frame.conf, against=frame.conf_b, y_true_against=right_b)
    for data in (source, frame):
        compared = howsure.compare_calibration("label", answers(), against=other, data=data)
        assert compared.squared_error_difference == expected.squared_error_difference
        with pytest.raises(InputError, match="each model needs its own predictions"):
            howsure.compare_calibration("label", answers(), against="conf_b", data=data)
