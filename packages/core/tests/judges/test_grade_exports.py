"""Grades by source: tables of Langfuse, MLflow, Phoenix and OpenTelemetry, and any table with a row for each grade.

The layouts are those of the programs; all values are by hand.
"""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

import howsure
from howsure.data.pivot import columns_of_rows, pivoted
from howsure.errors import InputError

# Of 12 items, the judge says 1 to the first 7; a person labels the first 10 and says 1 to the first 5 and the ninth.
JUDGE = {k: int(k < 7) for k in range(12)}
PERSON = {k: int(k < 5 or k == 8) for k in range(10)}
RIGHT = {"0": (2, 4), "1": (5, 6)}  # of the items to which the person gives this label


def langfuse(*, snake: bool, kind: str) -> list[dict[str, Any]]:
    names = ("trace_id", "data_type", "string_value") if snake else ("traceId", "dataType", "stringValue")

    def row(k: int, value: int, source: str) -> dict[str, Any]:
        label = ("Bad", "Good")[value] if kind == "CATEGORICAL" else ("False", "True")[value]
        record = dict(zip(names, (f"0{k}e1", kind, label), strict=True))
        return {"id": f"{source}-{k}", "name": "helpful", "value": value, "source": source, "comment": None} | record

    rows = [row(k, value, "EVAL") for k, value in JUDGE.items()]
    rows += [row(k, value, "ANNOTATION") for k, value in PERSON.items()]
    return [*rows, row(0, 1, "EVAL") | {names[1]: "CORRECTION"}]


def langfuse_traces() -> list[dict[str, Any]]:
    """Traces with their scores, as the API returns a trace, and as the web page exports one."""
    rows = langfuse(snake=False, kind="BOOLEAN")
    scores = {k: [row for row in rows if row["traceId"] == f"0{k}e1"] for k in JUDGE}
    traces = [{"id": f"0{k}e1", "name": "qa", "scores": of_trace, "observations": []} for k, of_trace in scores.items()]
    return [*traces[:6], *({"trace": trace, "observations": []} for trace in traces[6:])]


def assessment(k: int, value: object, source: str, **more: object) -> dict[str, Any]:
    return {
        "assessment_id": f"a-{source}-{k}",
        "assessment_name": "helpful",
        "trace_id": f"tr-{k}",
        "source": {"source_type": source, "source_id": "x"},
        "feedback": {"value": value},
        "valid": True,
    } | more


def mlflow() -> list[dict[str, Any]]:
    """Judges of MLflow answer yes and no; a value that was replaced is not valid."""
    return [
        {
            "trace_id": f"tr-{k}",
            "request": "a question",
            "assessments": [
                assessment(k, "yes" if value else "no", "LLM_JUDGE"),
                *([assessment(k, bool(PERSON[k]), "HUMAN")] if k in PERSON else []),
                assessment(k, not PERSON.get(k, 0), "HUMAN", valid=False),
            ],
        }
        for k, value in JUDGE.items()
    ]


def phoenix() -> list[dict[str, Any]]:
    grades = [(k, value, "LLM") for k, value in JUDGE.items()] + [(k, value, "HUMAN") for k, value in PERSON.items()]
    return [
        {"span_id": f"s{k}", "name": "helpful", "annotator_kind": kind, "result": {"score": float(value)}}
        for k, value, kind in grades
    ]


def otel() -> list[dict[str, Any]]:
    """The convention does not say who graded: evaluations are told apart by their names."""
    grades = [(k, value, "judge") for k, value in JUDGE.items()] + [(k, value, "person") for k, value in PERSON.items()]
    events = [
        {
            "eventName": "gen_ai.evaluation.result",
            "traceId": "t",
            "spanId": f"{k:04}",
            "attributes": [
                {"key": "gen_ai.evaluation.name", "value": {"stringValue": name}},
                {"key": "gen_ai.evaluation.score.value", "value": {"doubleValue": float(value)}},
            ],
        }
        for k, value, name in grades
    ]
    return [{"resourceLogs": [{"scopeLogs": [{"logRecords": [{"attributes": []}, *events]}]}]}]


def written(path: Path, records: list[dict[str, Any]]) -> Path:
    spell = str if path.stem == "pandas" else json.dumps
    with open(path, "w", newline="") as file:
        if path.suffix == ".csv":
            table = csv.DictWriter(file, records[0].keys())
            table.writeheader()
            table.writerows(
                {name: spell(value) if isinstance(value, list) else value for name, value in record.items()}
                for record in records
            )
        elif path.suffix == ".jsonl":
            file.writelines(json.dumps(record) + "\n" for record in records)
        else:
            json.dump({"data": records, "meta": {"page": 1}}, file)
    return path


EXPORTS = {
    "langfuse.csv": lambda: langfuse(snake=False, kind="BOOLEAN"),
    "langfuse.jsonl": lambda: langfuse(snake=True, kind="BOOLEAN"),
    "langfuse.json": lambda: langfuse(snake=False, kind="CATEGORICAL"),
    "langfuse_traces.jsonl": langfuse_traces,
    "mlflow.jsonl": mlflow,
    "pandas.csv": mlflow,
    "mlflow.csv": mlflow,
    "phoenix.json": phoenix,
    "otel.jsonl": otel,
}


@pytest.mark.parametrize("name", EXPORTS)
def test_an_export_is_a_table_by_judge_and_person(tmp_path: Path, name: str) -> None:
    path = written(tmp_path / name, EXPORTS[name]())
    positive = "Good" if name == "langfuse.json" else None
    data = howsure.read(path, pivot="item,rater,grade")
    validation = howsure.validate_judge("person", "judge", data=data, pos_label=positive)
    assert {row.label: (row.right, row.n) for row in validation} == RIGHT
    assert (validation.n, validation.labelled) == (12, 10)
    corrected = howsure.correct_judge_scores("person", "judge", data=data, pos_label=positive)
    assert corrected.rows[0].judge.value == pytest.approx(7 / 12)
    agreement = howsure.rater_agreement("grade", rater="rater", id="item", data=howsure.read(path))
    assert agreement.rows[0].share.value == pytest.approx(7 / 10)


def test_any_table_with_a_row_for_each_grade_can_be_pivoted(tmp_path: Path) -> None:
    rows = [{"q": f"0{k}", "who": "bot", "mark": value, "len": 3} for k, value in JUDGE.items()]
    rows += [{"q": f"0{k}", "who": "ann", "mark": value, "len": 3} for k, value in PERSON.items()]
    path = written(tmp_path / "long.csv", rows)
    notes = list[str]()
    data = howsure.read(path, pivot="q,who,mark", where="len = 3")
    validation = howsure.validate_judge("ann", "bot", data=data, show=["q"])
    assert {row.label: (row.right, row.n) for row in validation} == RIGHT
    assert [row.shown["q"] for row in validation.disagreements] == ["05", "06", "08"]
    assert validation.recipe["pivot"] == "q,who,mark"
    assert notes == []


def test_a_rater_who_grades_an_item_twice_is_settled(tmp_path: Path) -> None:
    people = [(1, 0, 0), (1, 0)] * 10
    rows = [{"item": k, "rater": "judge", "grade": 1} for k in range(20)]
    rows += [{"item": k, "rater": "person", "grade": grade} for k, grades in enumerate(people) for grade in grades]
    data = howsure.read(written(tmp_path / "twice.csv", rows), pivot="item,rater,grade")
    assert howsure.validate_judge("person", "judge", data=data).labelled == 10  # ties have no label
    graded = [row | {"grade": 2 + 3 * row["grade"] if row["rater"] == "person" else 4} for row in rows]
    data = howsure.read(written(tmp_path / "grades.csv", graded), pivot="item,rater,grade")
    corrected = howsure.correct_judge_scores("person", "judge", data=data, bounds=(1, 5)).rows[0]
    assert corrected.people.value == pytest.approx((3 + 3.5) / 2)


@pytest.mark.parametrize(
    ("pivot", "message"),
    [
        ("item,grade", "pivot='item,grade' must name the columns of the item, the rater and the grade"),
        ("item,who,grade", "column 'who'"),
        ("grade,rater,item", "finds no item with grades of two raters (graded by judge, person)"),
        ("rater,item,grade", "finds 120 raters"),
    ],
)
def test_columns_that_cannot_be_pivoted_are_named(tmp_path: Path, pivot: str, message: str) -> None:
    raters = ("judge", "person")
    rows = [{"item": f"{name}{k}", "rater": name, "grade": f"{name} {k % 2}"} for k in range(60) for name in raters]
    data = howsure.read(written(tmp_path / "long.csv", rows), pivot=pivot)
    with pytest.raises(InputError) as error:
        howsure.validate_judge("person", "judge", data=data)
    assert message in str(error.value)


def test_two_sources_that_share_no_item_are_refused(tmp_path: Path) -> None:
    scores = langfuse(snake=False, kind="BOOLEAN")
    rows = [row for row in scores if (row["source"] == "EVAL") == (row["traceId"] > "05")]
    data = howsure.read(written(tmp_path / "scores.jsonl", rows), pivot="item,rater,grade")
    with pytest.raises(InputError, match="no item with grades of two raters"):
        howsure.validate_judge("person", "judge", data=data)


def test_a_named_format_is_read_verbatim(tmp_path: Path) -> None:
    path = written(tmp_path / "scores.csv", langfuse(snake=False, kind="BOOLEAN"))
    data = howsure.read(path, format="csv", where="source = 'EVAL' and dataType = 'BOOLEAN'")
    assert howsure.mean_scores(score="value", data=data).rows[0].mean.value == pytest.approx(7 / 12)


def test_grades_by_several_annotators_of_a_source_are_not_mixed(tmp_path: Path) -> None:
    """Judge a gives item k the grade k mod 2, judge b the opposite, ann the same as a."""
    values = {"a": 0, "b": 1, "ann": 0}
    sources = {who: {"source_type": "HUMAN" if who == "ann" else "LLM_JUDGE", "source_id": who} for who in values}
    rows = [
        {
            "trace_id": f"t{k}",
            "assessments": [
                assessment(k, (k + value) % 2, "") | {"source": sources[who]} for who, value in values.items()
            ],
        }
        for k in range(20)
    ]
    path = written(tmp_path / "two.jsonl", rows)
    with pytest.raises(InputError, match="differ in annotator") as error:
        howsure.validate_judge("person", "judge", data=howsure.read(path, pivot="item,rater,grade"))
    assert "item,annotator,grade" in str(error.value)
    data = howsure.read(path, pivot="item,annotator,grade")
    for judge, right in (("a", 10), ("b", 0)):
        validation = howsure.validate_judge("ann", judge, data=data)
        assert [(row.right, row.n) for row in validation] == [(right, 10)] * 2


@pytest.mark.parametrize("column", ["criterion", "model", "prompt"])
def test_grades_that_differ_in_another_column_are_not_mixed(tmp_path: Path, column: str) -> None:
    rows = [
        {"item": k, column: which, "rater": rater, "grade": k % 2}
        for k in range(12)
        for which in ("it's", "y")
        for rater in ("judge", "person")
    ]
    path = written(tmp_path / "long.csv", rows)
    with pytest.raises(InputError, match=f"differ in {column}") as error:
        howsure.validate_judge("person", "judge", data=howsure.read(path, pivot="item,rater,grade"))
    assert f"item,{column},rater,grade" in str(error.value)
    data = howsure.read(path, pivot=f"item,{column},rater,grade", where=f"{column} = 'it''s'")
    assert howsure.validate_judge("person", "judge", data=data).labelled == 12


def test_grades_at_different_times_are_settled(tmp_path: Path) -> None:
    """A column whose values do not recur, such as a time, does not tell grades apart."""
    rows = [{"item": k, "rater": r, "grade": k % 2, "comment": "ok"} for k in range(9) for r in ("judge", "person") * 2]
    timed = [row | {"at": f"10:{place}", "comment": "abc"[place % 3]} for place, row in enumerate(rows)]
    data = howsure.read(written(tmp_path / "timed.csv", timed), pivot="item,rater,grade")
    assert howsure.validate_judge("person", "judge", data=data).labelled == 9


def test_the_first_item_may_be_zero_and_ungraded_items_are_counted(tmp_path: Path) -> None:
    rows = [row | {"traceId": int(row["traceId"][1:-2])} for row in langfuse(snake=False, kind="BOOLEAN")[:-1]]
    data = howsure.read(written(tmp_path / "zero.jsonl", rows), pivot="item,rater,grade")
    assert howsure.validate_judge("person", "judge", data=data).n == 12
    bare = [{"item": k, "rater": r, "grade": "" if k == 3 else k % 2} for k in range(9) for r in ("judge", "person")]
    notes = list[str]()
    assert len(pivoted(columns_of_rows(bare), "item,rater,grade", "bare.csv", notes.append)["item"]) == 8
    assert notes[0] == "bare.csv: 1 item without any grade left out."


def test_a_table_with_names_of_an_export_is_kept(tmp_path: Path) -> None:
    """If it has no grades, or the requested columns are its own."""
    ungraded = [{"name": f"m{k}", "source": "wiki", "data_type": "text", "score": k % 2} for k in range(10)]
    own_path = written(tmp_path / "own.csv", ungraded)
    assert howsure.mean_scores(score="score", data=howsure.read(own_path)).rows[0].n == 10
    lists = [{"id": k, "score": k % 2, "assessments": [{"a": 1}]} for k in range(10)]
    lists_path = written(tmp_path / "own.jsonl", lists)
    assert howsure.mean_scores(score="score", data=howsure.read(lists_path)).rows[0].n == 10
    path = written(tmp_path / "scores.csv", langfuse(snake=False, kind="BOOLEAN")[:-1])
    by_source = howsure.mean_scores(score="value", model="source", data=howsure.read(path))
    assert {row.model: row.n for row in by_source.rows} == {"ANNOTATION": 10, "EVAL": 12}


def test_judges_of_different_items_are_named(tmp_path: Path) -> None:
    rows = [{"item": k, "rater": "judge", "annotator": "ab"[k % 2], "grade": 1} for k in range(8)]
    rows += [{"item": k, "rater": "person", "annotator": "ann", "grade": 1} for k in range(8)]
    notes = list[str]()
    assert len(pivoted(columns_of_rows(rows), "item,rater,grade", "x.csv", notes.append)["item"]) == 8
    assert notes[0] == "x.csv: judge is 2 annotators (a, b) of different items."


@pytest.mark.parametrize("grade", [["good"], {"quality": "good"}])
def test_nested_grades_are_texts(grade: object) -> None:
    raters = ("judge", "person")
    columns = {"item": [1, 1, 2, 2], "rater": [*raters, *raters], "grade": [grade] * 4}
    table = pivoted(columns, "item,rater,grade", "grades.jsonl", lambda note: None)
    assert table == {"item": [1, 2], "judge": [json.dumps(grade)] * 2, "person": [json.dumps(grade)] * 2}
