"""Columns whose values all have a percent sign are read as proportions."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tests.cli.running import howsure as run

import howsure
from howsure import CalibrationMonitor, pairs_from_classes, recalibrate
from howsure.data.added_columns import open_to_extend
from howsure.errors import InputError
from howsure.inputs.frames import Kind
from howsure.inputs.pairs import Probabilities
from howsure.inputs.pairs_from import pairs_from

READ_AS = "Read as proportions (65% is 0.65): "
NOTE = f"{READ_AS}p."


def table(path: Path, values: list[str]) -> Path:
    """A file with the values as the column p, and labels."""
    frame = pd.DataFrame({"y": ["1", "0"] * (len(values) // 2), "p": values})
    if path.suffix == ".csv":
        frame.to_csv(path, index=False, sep=";")
    elif path.suffix == ".jsonl":
        frame.to_json(path, orient="records", lines=True)
    else:
        frame.to_parquet(path)
    return path


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet"])
@pytest.mark.parametrize("kind", [Kind.NUMBER, Kind.SCORE, Kind.MEASURE])
def test_percentages_are_proportions(suffix: str, kind: Kind, tmp_path: Path) -> None:
    path = table(tmp_path / f"x.{suffix}", ["65%", "35,5 %", "100\u00a0%", ".5%"])
    rows = howsure.read(path).rows({"p": kind})
    assert [float(value) for value in rows["p"]] == [0.65, 0.355, 1.0, 0.005]
    assert rows.provenance["percentages"] == ["p"]


def test_scores_and_probabilities_in_percent(tmp_path: Path) -> None:
    path = table(tmp_path / "x.csv", ["60%", "40%", "80%", "20%"])
    twin = table(tmp_path / "y.csv", ["0.6", "0.4", "0.8", "0.2"])
    for data, note in ((path, NOTE), (twin, "")):
        result = run("score", data, "--score", "p")
        assert "The mean score is 0.5000" in result.out
        assert (NOTE in result.err) == bool(note)
    errors = [howsure.calibration_error("y", "p", data=howsure.read(data)) for data in (path, twin)]
    assert errors[0] == errors[1]
    assert NOTE in (look := str(howsure.look(path)))
    assert "--prob p" in look


def test_missing_values_and_names_have_no_sign(tmp_path: Path) -> None:
    path = table(tmp_path / "x.csv", ["65%", "", "NA", "5%"])
    data = howsure.read(path, skip_missing=True, missing_values=["NA"])
    assert data.rows({"p": Kind.NUMBER})["p"].tolist() == [0.65, 0.05]
    texts = howsure.read(table(path, ["65%", "", "NA", "5%"]), skip_missing=True).rows({"p": Kind.GRADE})["p"]
    assert texts.tolist() == ["65%", None, "NA", "5%"]
    with data.predictions("y", "p") as predictions:
        assert predictions.pairs().probabilities.tolist() == [0.65, 0.05]
    assert howsure.read(table(path, ["65%", "5%"])).rows({"p": Kind.VALUES})["p"].tolist() == ["65%", "5%"]


@pytest.mark.parametrize(
    ("other", "fault"), [("35", "row 2 of .* is '35', but most are like '65%'"), ("high", "row 2 of .* is 'high'")]
)
def test_all_values_have_the_sign_or_none(other: str, fault: str, tmp_path: Path) -> None:
    path = table(tmp_path / "x.csv", ["65%", other, "5%", "5%"])
    message = f"^p must .*{fault}"
    for kind in (Kind.NUMBER, Kind.SCORE):
        with pytest.raises(InputError, match=message):
            howsure.read(path).rows({"p": kind})
    with pytest.raises(InputError, match=message):
        howsure.calibration_error("y", "p", data=howsure.read(path))
    with pytest.raises(InputError, match=message):
        howsure.correct_judge_scores("p", "y", data=howsure.read(path))


def test_percentages_without_a_sign_are_refused_with_the_reason(tmp_path: Path) -> None:
    path = table(tmp_path / "x.csv", ["65", "35", "80", "20"])
    with pytest.raises(InputError, match="Are these percentages"):
        howsure.calibration_error("y", "p", data=howsure.read(path))


def test_the_decimal_point_is_shifted_exactly(tmp_path: Path) -> None:
    values = ["29.4%", "1.1%", "7%", "57,5 %"]
    rows = howsure.read(table(tmp_path / "x.csv", values)).rows({"p": Kind.NUMBER})
    assert rows["p"].tolist() == [0.294, 0.011, 0.07, 0.575]
    texts = howsure.read(table(tmp_path / "x.csv", values)).rows({"p": Kind.MEASURE})
    assert texts["p"].tolist() == ["0.294", "0.011", "0.07", "0.575"]


@pytest.mark.parametrize("kind", [Kind.NUMBER, Kind.SCORE, Kind.MEASURE, Kind.GRADE])
@pytest.mark.parametrize(
    ("values", "message"),
    [
        (["90.5%", "1,250%"], "Its comma may .* write 1250%, or 1.2500% if it is a decimal"),
        (["90%", "1,250%"], "Its comma may .* write 1250%, or 1.2500% if it is a decimal"),
        (["90,5 %", "1.250 %"], "Its point may .* write 1250%, or 1,2500% if it is a decimal"),
        (["90 %", "1.250 %"], "Its point may .* write 1250%, or 1,2500% if it is a decimal"),  # between semicolons
    ],
)
def test_separators_of_thousands_are_refused(kind: Kind, values: list[str], message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=f"row 2 of .*{message}"):
        howsure.read(table(tmp_path / "x.csv", values)).rows({"p": kind})


def test_decimals_of_three_digits_are_read(tmp_path: Path) -> None:
    path = table(tmp_path / "x.csv", ["0,5 %", "12,345 %"])
    assert howsure.read(path).rows({"p": Kind.NUMBER})["p"].tolist() == [0.005, 0.12345]
    path.write_text("p\n33.333%\n66.667%\n")  # no sign of decimal commas
    assert howsure.read(path).rows({"p": Kind.NUMBER})["p"].tolist() == [0.33333, 0.66667]


@pytest.mark.parametrize(
    ("name", "values", "written"),
    [
        ("x.csv", ["60,5%", "40,5%"], [";0,605", ";0,405"]),
        ("x.csv", ["60.5%", "40.5%"], [";0.605", ";0.405"]),
        ("x.jsonl", ["60,5%", "40,5%"], [":0.605}", ":0.405}"]),
        ("x.jsonl", ["0,605", "0,405"], [":0.605}", ":0.405}"]),
    ],
)
def test_added_numbers_have_the_decimal_mark_of_the_file(
    name: str, values: list[str], written: list[str], tmp_path: Path
) -> None:
    path = table(tmp_path / name, values)
    with open_to_extend(path, Probabilities("prob", "p")) as file:
        for chunk in file.chunks():
            file.add(chunk, {"more": chunk.scores})
        file.write(tmp_path / f"out-{name}")
    lines = (tmp_path / f"out-{name}").read_text().splitlines()[-2:]
    assert [line.endswith(end) for line, end in zip(lines, written, strict=True)] == [True, True]


def test_labels_in_percent_are_as_written_where_one_counts_as_1(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    labels = ["100%", "0%"] * 10
    pd.DataFrame({"judge": labels, "y": labels, "p": [0.8, 0.3] * 10, "id": range(20)}).to_csv(path, index=False)
    data = howsure.read(path)
    twin = howsure.correct_judge_scores("judge", "y", data=data)
    assert howsure.correct_judge_scores("judge", "y", data=data, pos_label="100%").rows[0] == twin.rows[0]
    counts = howsure.estimate_counts("y", "p", data=data, pos_label="100%")
    assert (counts.total.labelled, counts.total.positives) == (20, 10)
    assert howsure.score_agents("judge", model="id", data=data, pos_label="100%").rows[0].lowest == 1.0


@pytest.fixture
def mixed(tmp_path: Path) -> howsure.Files:
    """Twelve items with grades from 0 to 100, in percent, and from 0 to 1."""
    grades = [10 * k for k in range(11)] + [50]
    columns = {"id": range(12), "judge": grades, "person": [f"{grade}%" for grade in grades]}
    columns["share"] = [grade / 100 for grade in grades]
    pd.DataFrame(columns).to_csv(tmp_path / "x.csv", index=False)
    return howsure.read(tmp_path / "x.csv")


def test_percentages_and_numbers_up_to_100_are_refused_together(mixed: howsure.Files) -> None:
    message = "^person has percent signs, so 75% is read as 0.75, but judge goes up to 100"
    with pytest.raises(InputError, match=message):
        howsure.correct_judge_scores("judge", "person", data=mixed)
    with pytest.raises(InputError, match=message):
        howsure.rater_agreement(raters=["judge", "person"], id="id", data=mixed, scale="interval")
    with pytest.raises(InputError, match=message):
        howsure.compare_models(against="judge", model="person", metrics="score", data=mixed)
    with pytest.raises(InputError, match=message):
        howsure.regress_predicted(prediction="judge", y_true="person", covariates="share", data=mixed)
    assert howsure.correct_judge_scores("share", "person", data=mixed).rows[0].judge.value == pytest.approx(0.5)


def test_bounds_of_percentages_are_those_of_proportions(mixed: howsure.Files) -> None:
    message = "because person has percent signs, so 75% is read as 0.75. Give bounds=.0, 1."
    for score in (howsure.mean_scores, howsure.check_score):
        limit = {"min_score": 0.1} if score is howsure.check_score else {}
        with pytest.raises(InputError, match=message):
            score("person", data=mixed, bounds=(0, 100), **limit)
    with pytest.raises(InputError, match=message):
        howsure.correct_judge_scores("share", "person", data=mixed, bounds=(0, 100))
    assert howsure.mean_scores("person", data=mixed, bounds=(0, 1)).rows[0].mean.value == pytest.approx(0.5)


def test_conditions_compare_proportions(mixed: howsure.Files) -> None:
    for where, n in (("person > 0.5", 5), ("person = '50%'", 2), ("person >= share", 12)):
        assert howsure.read(mixed.paths[0], where=where).rows({"id": Kind.VALUES}).provenance["rows"] == n


def test_look_keeps_labels_and_names_in_percent(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    columns = {"gold": ["100%", "0%"] * 30, "model": ["50%", "90%", "70%"] * 20, "score": ["100%", "0%"] * 30}
    columns["prediction"] = [f"{k}%" for k in range(60)]
    pd.DataFrame(columns).to_csv(path, index=False)
    look = howsure.look(path)
    assert {column.name: column.examples[0] for column in look} == {
        "gold": "100%",
        "model": "50%",
        "score": "1",
        "prediction": "0",
    }
    assert "Read as proportions (65% is 0.65): score, prediction." in look.notes


def test_look_reads_commas_and_percentages_as_commands_do(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    rows = [
        {"gold": k % 2, "p": f"0,{k + 11}", "n": "1.035", "t": 1.5 + k % 2, "out": {"q": f"{k}%"}} for k in range(40)
    ]
    path.write_text("\n".join(map(json.dumps, rows)))
    look = howsure.look(path)
    examples = {column.name: column.examples[0] for column in look}
    assert (examples["p"], examples["n"], examples["t"], examples["out.q"]) == ("0.11", "1.035", "1.5", "0")
    assert any(note.startswith("n has 1.035. Its point may separate thousands") for note in look.notes)
    assert "Read with decimal commas (0,5 is a half): p." in look.notes
    assert "Read as proportions (65% is 0.65): out.q." in look.notes
    with pytest.raises(InputError, match="may separate thousands"):
        howsure.read(path).rows({"p": Kind.MEASURE, "n": Kind.MEASURE})


def test_probabilities_of_a_data_frame_and_of_a_file_are_read_alike(tmp_path: Path) -> None:
    texts, labels = ["60%", "40,5 %", "80%", "20%"], ["1", "0", "1.0", " 0"]
    frame = pd.DataFrame({"y": labels, "p": texts})
    pairs = pairs_from("y", "p", data=frame)
    assert (pairs.labels.tolist(), pairs.probabilities.tolist()) == ([1, 0, 1, 0], [0.6, 0.405, 0.8, 0.2])
    assert pairs.notes == (NOTE,)
    of_file = pairs_from("y", "p", data=howsure.read(table(tmp_path / "x.csv", texts)))
    assert of_file.probabilities.tolist() == pairs.probabilities.tolist()
    with pytest.raises(InputError, match="row 0 is '60%'"):
        pairs_from("y", "p", data=frame.assign(p=["60%", "0.4", "80%", "20%"]))
    with pytest.raises(InputError, match="row 0 is '60%'"):
        pairs_from("y", "p", data=frame.assign(p=["60%", "1,250%", "80%", "20%"]))


def test_scores_of_a_data_frame_and_of_a_file_are_read_alike(tmp_path: Path) -> None:
    texts = ["60%", "40,5 %", "80%", "20%"]
    frame, path = pd.DataFrame({"p": texts, "y": [1, 0, 1, 0]}), table(tmp_path / "x.csv", texts)
    of_frame, of_file = (howsure.mean_scores("p", data=data) for data in (frame, howsure.read(path)))
    assert of_frame.rows[0].mean == of_file.rows[0].mean
    assert NOTE in of_frame.notes
    with pytest.raises(InputError, match=r"p has percent signs, so 75% is read as 0\.75"):
        howsure.mean_scores("p", data=frame, bounds=(0, 100))
    missing = frame.assign(p=["60%", None, "80%", "20%"])
    with pytest.raises(InputError, match="p must not be missing; row 1 is empty"):
        howsure.mean_scores("p", data=missing)
    assert howsure.mean_scores("p", data=missing, missing_score=0).rows[0].mean.value == pytest.approx(0.4)


def test_arrays_of_percentages_are_read_by_every_function_of_probabilities() -> None:
    """As in frames and files; one text of another form is refused with advice that every function can follow."""
    q = np.array([0.25, 0.75, 0.5, 1.0])
    texts, y = ["25%", "75%", "50 %", "100,0%"], [0, 1, 0, 1]
    assert (
        recalibrate(y * 10, texts * 10).apply(texts).tolist() == recalibrate(y * 10, np.tile(q, 10)).apply(q).tolist()
    )
    days = ["2026-01-01", "2026-01-01", "2026-01-01", "2026-01-02"]
    monitors = [CalibrationMonitor(), CalibrationMonitor()]
    for monitor, probabilities in zip(monitors, (q, texts), strict=True):
        monitor.update(days, y, probabilities)
    assert monitors[0].to_json() == monitors[1].to_json()
    matrix = np.array([["20.0%", "30.0%", "50.0%"], ["70%", "10%", "20%"]])
    pairs = pairs_from_classes(["c", "b"], matrix, classes=["a", "b", "c"])
    assert pairs.probabilities.tolist() == [0.5, 0.7]
    assert pairs.labels.tolist() == [1, 0]
    with pytest.raises(InputError, match=r"row 1 is '5%'\. It is a percentage: write 0\.05\."):
        recalibrate(y, [0.5, "5%", 0.5, 0.5])
    with pytest.raises(InputError, match=r"row 1 is '5%'\. It is a percentage: write 0\.05\."):
        pairs_from_classes([0, 1], [["0.4", "0.6"], ["0.95", "5%"]])
    with pytest.raises(InputError, match=r"row 0 is '0\.5'\. It is a text: convert all values to numbers first"):
        howsure.calibration_error(y, ["0.5", "0.5", "0.5", "0.5"])


PROBABILITIES: dict[str, dict[str, object]] = {
    "calibration_curve": {},
    "calibration_error": {},
    "calibration_table": {"groups": "group"},
    "cross_validate_curve": {"rng": 0},
    "decompose_score": {},
    "decompose_score_by_label": {},
    "evaluate_recalibration": {"rng": 0},
    "recalibrate": {},
    "recalibration_table": {"groups": "group", "rng": 0},
    "local_regression": {"span": 1.0},
    "multicalibration_error": {"features": ["group"], "min_rows": 5},
    "selective_curve": {},
    "worst_predictions": {},
    "compare_calibration": {"against": "other"},
    "check_calibration": {"max_error": 0.5},
    "estimate_counts": {"rng": 0},
    "draw_label_sample": {"y_true": None, "n": 40, "rng": 0},
    "plan_label_sample": {"y_true": None, "width": 50},
    "ordinal_calibration": {"y_prob": ["q", "rest"], "levels": [0, 1]},
}
SCORES: dict[str, dict[str, object]] = {
    "mean_scores": {},
    "worst_items": {"id": "row"},
    "check_score": {"min_score": 0.2, "bounds": (0, 1)},
    "compare_scores": {"model": "model", "id": "item"},
    "correct_judge_scores": {"y_true": "other"},
    "draw_judge_sample": {"n": 20},
    "judge_bias": {"y_true": "other", "length": "row"},
    "regress_predicted": {"score": None, "prediction": "q", "y_true": "other", "covariates": ["row"]},
    "race_models": {"model": "model", "id": "item", "bounds": (0, 1), "rng": 0},
    "plan_comparison": {"against": "other", "items_total": 100, "bounds": (0, 1), "n_simulations": 2, "rng": 0},
}


@pytest.mark.parametrize("of", ["arrays", "frame"])
@pytest.mark.parametrize("name", [*PROBABILITIES, *SCORES])
def test_results_of_arrays_and_frames_say_that_percentages_are_proportions(name: str, of: str) -> None:
    """The result is that of the proportions, and only its text has the note."""
    first = {"y_true": "y", "y_prob": "q"} if name in PROBABILITIES else {"score": "q"}
    options = {role: value for role, value in {**first, **(PROBABILITIES | SCORES)[name]}.items() if value is not None}
    if name == "compare_scores" and of == "arrays":
        options = {"score": {"large": "q", "small": "other"}}
    percent = [(7 * row % 99) + 1 for row in range(200)]
    columns = {"q": percent, "other": percent[::-1], "rest": [100 - p for p in percent]}
    others = {
        "y": [int(37 * p % 100 < p) for p in percent],
        "row": np.arange(200) * 37 % 211 + 1,
        "item": np.repeat(np.arange(100), 2),
        "model": ["large", "small"] * 100,
        "group": np.arange(200) // 100,
    }
    shares = pd.DataFrame(others | {column: np.array(values) / 100 for column, values in columns.items()})
    texts = pd.DataFrame(others | {column: [f"{p}%" for p in values] for column, values in columns.items()})

    def arrays(frame: pd.DataFrame, role: str, value: object) -> object:
        if isinstance(value, dict):
            return {model: arrays(frame, role, listed) for model, listed in value.items()}
        if role == "y_prob" and isinstance(value, list):
            return frame[value].to_numpy()
        if role in ("features", "covariates"):
            return frame[value]
        return frame[value].to_numpy() if isinstance(value, str) else value

    results = [
        getattr(howsure, name)(**options, data=frame)
        if of == "frame"
        else getattr(howsure, name)(**{role: arrays(frame, role, value) for role, value in options.items()})
        for frame in (shares, texts)
    ]
    assert [READ_AS in result.text() for result in results] == [False, True]
    assert results[0].to_csv() == results[1].to_csv()
