"""Tables in long form: rows find their place whatever their order, and what does not fit is refused or counted."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.significance.made_systems import distributions, labels

from howsure.errors import InputError
from howsure.inputs.long_form import joined_key, long_form
from howsure.result import plain
from howsure.significance import Runs
from howsure.significance.comparison import compare
from howsure.significance.comparison_input import add_targets
from howsure.stats.p_values import adjust_p_values


def frame(seed: int = 0, *, n: int = 40, runs: int = 2) -> pd.DataFrame:
    """Two models' labels and scores on n items in each of their runs, rows in random order."""
    rng = np.random.default_rng(seed)
    gold, *_ = labels(n, 3, seed)
    rows = [
        {
            "model": model,
            "uid": f"q{item}",
            "seed": run,
            "gold": f"c{gold[item]}",
            "doc": item // 4,
            "answer": f"c{gold[item] if rng.random() < right else rng.integers(3)}",
            "grade": rng.integers(1, 6),
        }
        for model, right in (("base", 0.5), ("large", 0.7))
        for run in range(runs)
        for item in range(n)
    ]
    return pd.DataFrame(rows).sample(frac=1, random_state=seed).reset_index(drop=True)


ROLES = {"model": "model", "id": "uid", "run": "seed"}


def wide(answers: pd.DataFrame, column: str) -> dict[str, Runs]:
    """A column by model, as runs of the items in the order of their names."""
    out = {}
    for model, rows in answers.groupby("model"):
        table = rows.pivot(index="uid", columns="seed", values=column)
        out[str(model)] = Runs([table[run].to_numpy() for run in table])
    return out


def test_predictions_are_compared_as_columns_are() -> None:
    answers = frame()
    gold = answers.drop_duplicates("uid").sort_values("uid")
    systems = wide(answers, "answer")
    options = {"metrics": ["accuracy", "macro_f1"], "rng": 0, "n_resamples": 300}
    long = compare(data=answers, **ROLES, y_true="gold", prediction="answer", against="base", clusters="doc", **options)
    plain = compare(
        gold["gold"].to_numpy(),
        {"base": systems["base"]},
        {"large": systems["large"]},
        clusters=gold["doc"].to_numpy(),
        **options,
    )
    for row, other in zip(long, plain, strict=True):
        assert (row.difference, row.p_value, row.low, row.high) == (
            other.difference,
            other.p_value,
            other.low,
            other.high,
        )
    assert long.recipe["clusters"] == 10


def test_scores_are_compared_as_columns_are() -> None:
    answers = frame()
    long = compare(data=answers, **ROLES, score="grade")
    columns = compare(score=wide(answers, "grade"))
    for row, other in zip(long, columns, strict=True):
        for key, value in plain(row).items():
            expected = plain(other)[key]
            close = pytest.approx(expected, rel=1e-12) if isinstance(expected, float) else expected
            assert key == "metric" or value == close
    assert long[0].metric == "grade"


@pytest.mark.parametrize("kind", [pl.DataFrame, dict, lambda answers: answers.sample(frac=1, random_state=9)])
def test_any_frame_and_any_order(kind) -> None:
    answers = frame()
    expected = compare(data=answers, **ROLES, score="grade").to_dict()
    data = kind({name: answers[name].to_numpy() for name in answers}) if kind in (pl.DataFrame, dict) else kind(answers)
    content = compare(data=data, **ROLES, score="grade").to_dict()
    assert content["comparisons"][0]["p_value"] == pytest.approx(expected["comparisons"][0]["p_value"], rel=1e-12)


def test_several_scores_are_one_family() -> None:
    answers = frame().assign(exact=lambda rows: (rows.gold == rows.answer).astype(float))
    both = compare(data=answers, **ROLES, score=["grade", "exact"], against="base")
    alone = [compare(data=answers, **ROLES, score=score, against="base")[0].p_value for score in ("grade", "exact")]
    assert [row.p_value for row in both] == alone
    assert min(row.p_adjusted for row in both) == pytest.approx(min(1.0, 2 * min(alone)))


def test_probabilities_in_a_column_of_lists() -> None:
    y, a, b = distributions(30, 3, 1)
    gold = y.argmax(axis=1)
    columns = {
        "m": ["a"] * 30 + ["b"] * 30,
        "i": [*range(30)] * 2,
        "y": np.tile(gold, 2),
        "p": [*a.tolist(), *b.tolist()],
    }
    names = ["accuracy", "log_loss", "multiclass_brier"]
    long = compare(data=columns, model="m", id="i", y_true="y", prediction="p", against="a", metrics=names, rng=0)
    plain = compare(gold, {"a": a}, {"b": b}, metrics=names, rng=0)
    assert [row.p_value for row in long] == [row.p_value for row in plain]
    assert [mean.metric for mean in long.means] == ["accuracy"] * 2 + ["log_loss"] * 2 + ["multiclass_brier"] * 2


def test_several_columns_identify_the_item() -> None:
    """Two benchmarks that number their questions alike."""
    answers = pd.concat([frame(0, runs=1).assign(task="arc"), frame(1, runs=1).assign(task="mmlu")])
    comparison = compare(data=answers, model="model", id=["task", "uid"], score="grade", clusters=["task", "doc"])
    assert comparison[0].n == 80
    assert comparison.recipe["clusters"] == 20
    assert joined_key([["a", "b", "a"], [1, 1, 2]], ["x", "y"], n=3).names == ("a / 1", "a / 2", "b / 1")


@given(st.sets(st.tuples(st.integers(0, 2), st.integers(0, 6), st.integers(0, 1)), min_size=2), st.randoms())
def test_an_item_is_kept_if_every_model_has_it_in_its_runs(cells, rng) -> None:
    rows = sorted(cells)
    rng.shuffle(rows)
    model, item, run = (np.array(part) for part in zip(*rows, strict=True))
    models = sorted(set(model.tolist()))
    by_item = {(m, i): sorted(r for n, j, r in cells if (n, j) == (m, i)) for m, i, _ in cells}
    numbers = {m: {len(runs_) for (n, _), runs_ in by_item.items() if n == m} for m in models}
    divided = any(max(numbers[m]) < len({r for n, _, r in cells if n == m}) for m in models)
    if divided and all(len(numbers[m]) == 1 for m in models):  # folds: in the place of a run, the repetition
        rows = [(m, i, by_item[m, i].index(r)) for m, i, r in rows]
        cells = set(rows)
    repetition = np.array([r for *_, r in rows])
    runs = {model_name: sorted(set(repetition[model == model_name].tolist())) for model_name in models}
    full = [i for i in sorted(set(item.tolist())) if all((m, i, r) in cells for m in models for r in runs[m])]
    if len(models) < 2 or not full:
        with pytest.raises(InputError):
            long_form(model, item, run, n=len(rows), skip_missing=True)
        return
    matched = long_form(model, item, run, n=len(rows), skip_missing=True)
    for model_name in models:
        table = matched.rows[str(model_name)]
        assert table.shape == (len(runs[model_name]), len(full))
        assert [[rows[place] for place in line] for line in table] == [
            [(model_name, i, r) for i in full] for r in runs[model_name]
        ]
    if len(full) < len(set(item.tolist())):
        items = len(set(item.tolist())) - len(full)
        lost = len(rows) - sum(table.size for table in matched.rows.values())
        assert ("are folds" in matched.notes[-1]) == (not np.array_equal(run, repetition))
        assert re.match(rf"{items} items? \({lost} rows?\) left out for all models", matched.notes[0])
        with pytest.raises(InputError, match="every model must have every item"):
            long_form(model, item, run, n=len(rows))


@pytest.mark.parametrize("repetitions", [1, 2])
@pytest.mark.parametrize("by_model", [False, True])
def test_folds_are_sets_of_items(repetitions: int, by_model: bool) -> None:
    """Cross-validation, once or twice, of five unequal folds: the result is that of the items, in any order."""
    rng = np.random.default_rng(3)
    gold = rng.integers(0, 3, 60)
    a, b = (np.where(rng.random((repetitions, 60)) < right, gold, 0) for right in (0.5, 0.8))
    expected = compare(gold, {"a": Runs(list(a))}, {"b": Runs(list(b))}, metrics="macro_f1", rng=1)
    fold = np.stack([np.digitize(rng.permutation(60), [5, 20, 33, 48]) + 5 * k for k in range(repetitions)])
    columns = {"i": np.tile(np.arange(60), repetitions), "k": fold.ravel(), "y": np.tile(gold, repetitions)}
    order = rng.permutation(60 * repetitions)
    columns |= {"a": a.ravel(), "b": b.ravel()}
    columns = {name: column[order] for name, column in columns.items()}
    roles = {"y_true": "y", "id": "i", "run": "k", "metrics": "macro_f1", "against": "a", "rng": 1}
    if by_model:
        long = {name: np.tile(column, 2) for name, column in columns.items() if name not in "ab"}
        long |= {"m": np.repeat(["a", "b"], len(order)), "p": np.concatenate([columns["a"], columns["b"]])}
        result = compare(data=long, model="m", prediction="p", **roles)
    else:
        result = compare(data=columns, model="b", **roles)
    assert result.to_dict()["comparisons"] == expected.to_dict()["comparisons"]
    of_model = " of a" if by_model else ""
    each = f"The {5 * repetitions} runs{of_model} are folds: each item is in {repetitions} of them."
    assert each in result.notes


def test_rows_left_out_are_counted_and_reported() -> None:
    answers = frame(runs=1)
    lost = answers.assign(grade=answers["grade"].astype(float))
    lost.loc[3, "grade"] = np.nan
    with pytest.raises(InputError, match="grade must not be missing; row 3 is empty"):
        compare(data=lost, **ROLES, score="grade")
    comparison = compare(data=lost, **ROLES, score="grade", skip_missing=True)
    assert comparison[0].n == 39
    assert "1 row with missing values left out (grade: 1)." in comparison.notes
    model = lost.loc[3, "model"]
    lacking = f"base {int(model == 'base')}, large {int(model == 'large')}"
    note = f"1 item (1 row) left out for all models, because some have no answer there: {lacking}."
    assert note in comparison.notes


def test_what_counts_as_right_is_reported() -> None:
    answers = frame(runs=1).assign(grade=lambda rows: np.where(rows.gold == rows.answer, "right", "wrong"))
    answers.loc[5, "grade"] = "unclear"
    comparison = compare(data=answers, **ROLES, score="grade", pos_label="right")
    assert any(
        note.startswith("grade is 1 for right and 0 for every other value: unclear (1)") for note in comparison.notes
    )


OPTIONS = {"rng": 0, "n_resamples": 200}


def test_labels_of_probabilities_are_the_most_probable_class() -> None:
    y, a, b = distributions(80, 3, 1)
    gold = y.argmax(axis=1)
    mixed = compare(gold, a, b, metrics=["macro_f1", "log_loss", "accuracy", "total_variation"], **OPTIONS)
    assert [row.metric for row in mixed] == ["macro_f1", "log_loss", "accuracy", "total_variation"]
    hard = compare(gold, a.argmax(axis=1), b.argmax(axis=1), metrics=["macro_f1", "accuracy"], **OPTIONS)
    soft = compare(np.eye(3)[gold], a, b, metrics="total_variation", **OPTIONS)
    for row in [*hard, *soft, *compare(gold, a, b, metrics="log_loss", **OPTIONS)]:
        assert mixed["model", row.metric].p_value == row.p_value
        assert mixed["model", row.metric].difference == row.difference
    assert [row.p_adjusted for row in mixed] == adjust_p_values([row.p_value for row in mixed]).tolist()
    assert any("metrics of labels use the most probable class" in note for note in mixed.notes)
    assert any("each true label as a distribution" in note for note in mixed.notes)
    assert mixed.recipe["task"] == "hard, probabilistic, soft"


def test_votes_give_labels_and_what_is_tied_is_counted() -> None:
    votes = np.array([[0.5, 0.5], [0.2, 0.8], [0.9, 0.1], [0.7, 0.3]] * 5)
    a, b = np.tile([[0.6, 0.4], [0.4, 0.6], [0.5, 0.5], [0.8, 0.2]], (5, 1)), np.tile([[0.3, 0.7]], (20, 1))
    comparison = compare(votes, a, b, metrics=["cross_entropy", "accuracy", "log_loss"], **OPTIONS)
    gold = np.tile([0, 1, 0, 0], 5)
    assert comparison["model", "accuracy"].against_value == 1.0
    assert (
        comparison["model", "log_loss"].difference == compare(gold, a, b, metrics="log_loss", **OPTIONS)[0].difference
    )
    notes = " ".join(comparison.notes)
    assert "most probable class; in 5 rows several classes are" in notes
    assert "the most probable true class as the true label; in 5 rows several classes are" in notes


def test_one_column_of_probabilities_is_cut_at_one_half() -> None:
    y, p, q = [0, 1, 1, 0], [0.5, 0.6, 0.4, 0.1], [0.2, 0.9, 0.9, 0.1]
    comparison = compare(y, p, q, metrics=["accuracy", "brier"], **OPTIONS)
    assert (comparison[0].against_value, comparison[0].model_value) == (0.75, 1.0)
    assert any("in 1 row several classes are, and the first counts" in note for note in comparison.notes)


def test_the_f1_of_a_class_of_probabilities() -> None:
    y, a, b = distributions(60, 3, 2)
    gold = y.argmax(axis=1)
    comparison = compare(gold, a, b, metrics=["f1", "log_loss"], target_class=1, **OPTIONS)
    hard = compare(gold, a.argmax(axis=1), b.argmax(axis=1), metrics="f1", target_class=1, **OPTIONS)
    assert comparison[0].p_value == hard[0].p_value


def test_a_data_frame_has_a_column_for_each_model() -> None:
    scores = {"a": [0.5, 1.0, 0.0, 1.0], "b": [1.0, 1.0, 0.5, 1.0]}
    assert compare(score=pd.DataFrame(scores)).to_dict() == compare(score=scores).to_dict()


def test_booleans_are_scores() -> None:
    first = compare(score={"a": [True, False, True], "b": np.array([True, True, True])})
    assert plain(first[0]) == plain(compare(score={"a": [1, 0, 1], "b": [1, 1, 1]})[0])


def test_a_table_of_true_values_replaces_no_other_column() -> None:
    """Predictions and true values in columns of one name were compared with themselves: accuracy 1."""
    answers = {"id": np.array([0, 1]), "label": np.array(["x", "x"])}
    gold = pl.DataFrame({"id": [0, 1], "label": ["x", "y"]})
    with pytest.raises(InputError, match="and of the models' tables; rename it in one"):
        add_targets(answers, {"id": ["id"], "y_true": ["label"]}, gold, skip_missing=False)
    assert answers["label"].tolist() == ["x", "x"]
