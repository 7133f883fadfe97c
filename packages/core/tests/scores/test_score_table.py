"""Scores by model and group: against sums by hand, from arrays, frames, files and logs, and what is refused."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.stats import binom, binomtest
from tests.cli.running import howsure as run_command
from tests.data.logs.writers import lm_eval_sample, lm_eval_text, write_lm_eval

import howsure
from howsure.errors import InputError
from howsure.scores.score_table import mean_of_groups, score_table
from howsure.stats.mean_score import STUDENT_NOTE

RIGHT = np.array([1] * 90 + [0] * 10 + [1] * 60 + [0] * 40)
MODEL = np.repeat(["large", "small"], 100)
ITEM = np.tile(np.arange(100), 2)


def test_a_share_has_its_exact_interval() -> None:
    (row,) = score_table(RIGHT[:100])
    exact = binomtest(90, 100).proportion_ci(0.95, "exact")
    assert (row.mean.value, row.n, row.runs, row.missing) == (0.9, 100, 1, 0)
    assert (row.mean.low, row.mean.high) == pytest.approx((exact.low, exact.high), abs=1e-6)
    assert row.model is row.group is row.ranks is None


def test_arrays_frames_and_files_say_the_same(tmp_path: Path) -> None:
    frame = pd.DataFrame({"right": RIGHT, "model": MODEL, "item": ITEM, "subject": ITEM % 3})
    frame.to_csv(tmp_path / "scores.csv", index=False)
    names = {"model": "model", "id": "item", "groups": "subject"}
    arrays = score_table(RIGHT, model=MODEL, id=ITEM, groups=ITEM % 3, macro=True, rng=0)
    for data in (frame, pl.from_pandas(frame).lazy(), howsure.read(tmp_path / "scores.csv")):
        table = score_table("right", **names, macro=True, rng=0, data=data)
        expected = [row | {"score": "right"} for row in arrays.to_dict()["scores"]]
        assert table.to_dict()["scores"] == expected
    by_hand = frame.groupby(["subject", "model"])["right"].mean()
    for row in arrays:
        if row.group in ("0", "1", "2"):
            assert row.mean.value == pytest.approx(by_hand[int(row.group), row.model])
    macro = {row.model: row for row in arrays if row.group == "macro mean"}
    assert macro["large"].mean.value == pytest.approx(by_hand.unstack()["large"].mean())
    assert macro["large"].tier == 1
    assert macro["small"].tier == 2


def test_booleans_and_texts_with_a_positive_value_are_scores() -> None:
    assert score_table([True, False, True, True])[0].mean.value == 0.75
    table = score_table(["correct", "wrong", "unparseable", "correct"], pos_label="correct")
    assert table[0].mean.value == 0.5
    assert "unparseable (1), wrong (1)" in table.notes[0]


def test_runs_of_an_item_count_once(tmp_path: Path) -> None:
    score, item, run = [1, 0, 1, 1, 0, 0], [1, 1, 1, 2, 2, 2], [1, 2, 3, 1, 2, 3]
    (row,) = score_table(score, id=item, run=run)
    assert (row.n, row.runs, row.mean.value) == (2, 3, pytest.approx(0.5))
    with pytest.raises(InputError, match=r"row 0 and row 1 are both item '1'.*name their column \(run=...\)"):
        score_table(score, id=item)
    with pytest.raises(InputError, match=r"row 0 and row 1 are both item '1' of run '1'"):
        score_table(score, id=item, run=[1, 1, 1, 1, 2, 3])
    uneven = score_table(score[:5], id=item[:5], run=run[:5])
    assert uneven[0].notes == ("Items have 2 to 3 runs.",)


def test_missing_scores_are_refused_counted_or_left_out(tmp_path: Path) -> None:
    path = tmp_path / "holes.csv"
    path.write_text("right,model\n1,a\n,a\n1,a\n0,b\n1,b\n")
    with pytest.raises(InputError, match="right"):
        score_table("right", model="model", data=howsure.read(path))
    wrong = score_table("right", model="model", missing_score=0, data=howsure.read(path))
    assert [(row.model, row.n, row.missing, round(row.mean.value, 3)) for row in wrong] == [
        ("a", 3, 1, 0.667),
        ("b", 2, 0, 0.5),
    ]
    left = score_table("right", model="model", data=howsure.read(path, skip_missing=True))
    assert [(row.n, row.mean.value) for row in left] == [(2, 1.0), (2, 0.5)]
    assert left.recipe["skipped"] == {"right": 1}
    nothing = score_table([np.nan, np.nan, 1.0], model=["a", "a", "b"], missing_score=0)
    assert [(row.model, row.n, row.missing, row.mean.value) for row in nothing] == [("b", 1, 0, 1.0), ("a", 2, 2, 0.0)]
    with pytest.raises(InputError, match="not both"):
        score_table("right", missing_score=0, data=howsure.read(path, skip_missing=True))
    arrays = score_table([1.0, np.nan, 1.0], missing_score=0.0)
    assert arrays[0].mean.value == pytest.approx(2 / 3)


def test_models_need_not_have_the_same_items() -> None:
    table = score_table([1, 0, 1, 1, 0, 1], model=list("aaabbb"), id=[1, 2, 3, 2, 3, 4], rng=0)
    assert [row.n for row in table] == [3, 3]
    assert all(row.ranks == "1–2" for row in table)
    apart = score_table([1, 0, 1, 0], model=list("aabb"), id=[1, 2, 3, 4])
    assert apart[0].ranks is None
    assert "fewer than two items in common" in str(apart)
    thin = score_table(
        np.append(RIGHT, 1), model=np.append(MODEL, "thin"), id=np.append(ITEM, 999), rng=0
    )  # the others keep their ranks
    assert {row.model: row.ranks for row in thin} == {"large": "1–2", "small": "2–3", "thin": "1–3"}
    assert "name the item of each row" in str(score_table([1, 0], model=["a", "b"]))


def test_losses_are_ranked_from_below() -> None:
    draw = np.random.default_rng(0)
    loss = np.concatenate([draw.normal(1.0, 0.1, 50), draw.normal(2.0, 0.1, 50)])
    table = score_table(loss, model=np.repeat(["good", "bad"], 50), id=[*range(50)] * 2, lower_is_better=True, rng=0)
    assert [(row.model, row.ranks) for row in table] == [("good", "1"), ("bad", "2")]
    assert "Student's t" in str(table)


def test_clusters_that_are_right_as_a_whole_widen_the_interval() -> None:
    right, cluster = np.repeat([1, 0, 1, 1, 0, 1], 50), np.repeat(np.arange(6), 50)
    (free,), (clustered,) = score_table(right), score_table(right, clusters=cluster)
    assert clustered.mean.low < binom.ppf(0.05, 6, 2 / 3) / 6 + 0.1 < free.mean.low
    assert "6 clusters" in clustered.notes[0]


@pytest.mark.long
def test_a_mean_of_groups_covers() -> None:
    draw, covered = np.random.default_rng(1), 0
    for _ in range(300):
        groups = [((draw.random(n) < p).astype(float), None) for n, p in ((40, 0.9), (200, 0.5), (15, 0.2))]
        low, high = mean_of_groups(groups, bounds=(0.0, 1.0)).interval(0.95)
        covered += low <= 1.6 / 3 <= high
    assert covered / 300 >= 0.93


@pytest.mark.parametrize(("groups", "size"), [(50, 2), (100, 1), (8, 10)])
def test_a_mean_of_small_groups_covers_without_bounds(groups: int, size: int) -> None:
    draw, covered = np.random.default_rng(2), 0
    for _ in range(200):
        drawn_groups = [(draw.normal(size=size), None) for _ in range(groups)]
        low, high = mean_of_groups(drawn_groups).interval(0.95)
        covered += low <= 0.0 <= high
    assert covered / 200 >= 0.91


def test_clusters_may_lie_in_several_groups() -> None:
    draw = np.random.default_rng(3)
    first, two, units = draw.normal(size=300), draw.normal(size=300), np.arange(300)
    apart = mean_of_groups([(first, units), (two, 1000 + units)]).error
    assert apart == pytest.approx(mean_of_groups([(first, None), (two, None)]).error)
    assert mean_of_groups([(first, units), (first, units)]).error > 1.3 * apart


def test_a_log_names_everything_itself(tmp_path: Path) -> None:
    for model, hits in (("org/a", 18), ("org/b", 9)):
        write_lm_eval(tmp_path, model, "quiz", [lm_eval_text(i, "yes", "yes" if i < hits else "no") for i in range(20)])
    done = run_command("score", str(tmp_path / "*" / "samples_*.jsonl"), "--seed", "1", "--format", "json")
    assert done.code == 0, done.err
    table = score_table(data=howsure.read(tmp_path / "*" / "samples_*.jsonl"), rng=1)
    assert [(row.score, row.model, row.mean.value) for row in table] == [
        ("exact_match", "org/a", 0.9),
        ("exact_match", "org/b", 0.45),
    ]


def test_tasks_of_a_log_may_have_metrics_of_their_own(tmp_path: Path) -> None:
    choices = [lm_eval_sample(i, [-1.0, -0.5], i % 2) for i in range(10)]
    write_lm_eval(tmp_path, "org/a", "arc", choices)
    write_lm_eval(tmp_path, "org/a", "gsm", [lm_eval_text(i, "1", "1") for i in range(5)])
    table = score_table(data=howsure.read(tmp_path / "*" / "samples_*.jsonl"))
    assert [(row.score, row.group, row.model, row.n) for row in table] == [
        ("acc", "arc", "org/a", 10),
        ("exact_match", "gsm", "org/a", 5),
    ]


def test_a_field_of_the_questions_is_a_group_and_no_score(tmp_path: Path) -> None:
    write_lm_eval(tmp_path, "org/a", "quiz", [lm_eval_sample(i, [-1.0, -0.5], i % 4 // 2) for i in range(20)])
    table = score_table(data=howsure.read(tmp_path / "*" / "samples_*.jsonl"), groups="doc.subject")
    assert [(row.score, row.group, row.n, row.mean.value) for row in table] == [
        ("acc", "overall", 20, 0.5),
        ("acc", "letters", 10, 0.5),
        ("acc", "physics", 10, 0.5),
    ]


def test_groups_that_a_model_lacks_are_reported(tmp_path: Path) -> None:
    score, model, group = [1, 0, 1, 0, 1], list("aaaab"), list("xxyyx")
    table = score_table(score, model=model, groups=group, macro=True)
    assert [row.model for row in table if row.group == "macro mean"] == ["a"]
    assert "score: b lacks 1 group, so it has no mean of groups" in table.notes


def test_roles_that_do_not_go_together_are_refused() -> None:
    with pytest.raises(InputError, match=r"run needs the item of each row\. Give it as id"):
        score_table([1, 0], run=[1, 2])
    with pytest.raises(InputError, match="the same for all models on an item; it differs for 1 item"):
        score_table([1, 0, 1, 1], model=list("aabb"), id=[1, 2, 1, 2], clusters=[1, 2, 1, 3])
    (row,) = score_table([1, 0], id=[1, 2], pass_at=1)
    assert row.score == "score pass@1"
    assert "pass@1" in str(score_table([1, 0], id=[1, 2], pass_at=(1,)))


def test_files_without_a_model_are_models_with_short_names(tmp_path: Path) -> None:
    for name, score in (("gpt", "1\n1\n0\n"), ("yi", "0\n1\n0\n")):
        (tmp_path / f"{name}.csv").write_text(f"right\n{score}")
    table = score_table("right", data=howsure.read(tmp_path / "*.csv"))
    assert [row.model for row in table] == ["gpt", "yi"]


@pytest.mark.parametrize("against", [None, "a/samples", "a/samples.csv"])
def test_models_named_by_files_are_called_alike_in_scores_and_comparisons(against: str | None, tmp_path: Path) -> None:
    for name, score in (("a", "1\n1\n1\n"), ("b", "0\n1\n0\n")):
        (tmp_path / name).mkdir()
        rows = [f"{i},{mark}" for i, mark in enumerate(score.split())]
        (tmp_path / name / "samples.csv").write_text("\n".join(["item,right", *rows, ""]))
    files = howsure.read(tmp_path / "*" / "samples.csv")
    assert [row.model for row in score_table("right", id="item", rng=0, data=files)] == ["a/samples", "b/samples"]
    comparison = howsure.compare_scores(score="right", id="item", against=against, rng=0, data=files)
    assert [mean.model for mean in comparison.means] == ["a/samples", "b/samples"]
    assert [row.model for row in comparison.rows] == ["b/samples"]


def test_pass_at_k_is_the_share_of_draws_of_k_runs(tmp_path: Path) -> None:
    draw = np.random.default_rng(3)
    right = (draw.random((7, 6)) < draw.random((7, 1))).astype(int)
    item, run = np.repeat(np.arange(7), 6), np.tile(np.arange(6), 7)
    table = score_table(right.ravel(), id=item, run=run, pass_at=(1, 3, 6), pass_hat=(2,))
    draws = {
        k: [item_scores[list(some)] for item_scores in right for some in itertools.combinations(range(6), k)]
        for k in (1, 2, 3, 6)
    }
    expected = [np.mean([some.any() for some in draws[k]]) for k in (1, 3, 6)] + [
        np.mean([all(drawn_runs) for drawn_runs in draws[2]])
    ]
    assert [row.mean.value for row in table] == pytest.approx(expected, abs=1e-12)
    assert [row.score for row in table] == ["score pass@1", "score pass@3", "score pass@6", "score pass^2"]
    (alone,) = score_table(right.ravel(), id=item, run=run)
    assert table[0].mean.value == pytest.approx(alone.mean.value)
    assert table[0].mean.low < alone.mean.low  # all four hold together


@pytest.mark.long
def test_pass_at_k_covers_where_success_is_rare() -> None:
    draw, covered = np.random.default_rng(4), 0
    share = np.array([0.0] * 45 + [0.1] * 5)
    for _ in range(100):
        p = draw.choice(share, 60)
        right = (draw.random((60, 8)) < p[:, None]).astype(int)
        table = score_table(
            right.ravel(), id=np.repeat(np.arange(60), 8), run=np.tile(np.arange(8), 60), pass_at=(1, 4, 8)
        )
        truth = [np.mean(1 - (1 - share) ** k) for k in (1, 4, 8)]
        covered += all(
            row.mean.low <= true_value <= row.mean.high for row, true_value in zip(table, truth, strict=True)
        )
    assert covered / 100 >= 0.93


def test_none_of_five_hundred_has_its_claim() -> None:
    (row,) = score_table([0] * 500)
    assert row.notes == ("All 500 scores are 0: the mean of such items is at most 0.006 (one-sided, level 0.95).",)
    assert pytest.approx(0.006, abs=5e-5) == 1 - 0.05 ** (1 / 500)


# The worst items against a search by hand, of arrays, frames, files and logs.


def scored(*, whole: bool) -> pd.DataFrame:
    draw = np.random.default_rng(2)
    n = 5 * 40
    item = np.tile(np.arange(40), 5)
    score = (draw.random(n) < 0.2 + item / 50).astype(float) if whole else np.round(draw.random(n), 2)
    frame = pd.DataFrame({"model": np.repeat(list("vwxyz"), 40), "item": item, "task": item % 2, "score": score})
    return frame.assign(text=[f"text {i}" for i in range(n)]).drop(index=[3, 50, 51]).reset_index(drop=True)


def by_hand(frame: pd.DataFrame, n: int, *, lower: bool = False, best: float | None = None) -> list[tuple[Any, ...]]:
    """Of each item in a task: its mean, rows, and the place, model and text of its first row of the worst score."""
    candidates = []
    for (item, task), rows in frame.groupby(["item", "task"]):
        worst = rows["score"].max() if lower else rows["score"].min()
        row = rows[rows["score"] == worst].index[0]
        mean = sum(rows["score"]) / len(rows)
        place = (str(item), str(task), len(rows), row + 1, frame["model"][row], frame["text"][row])
        candidates += [] if mean == best else [(-mean if lower else mean, rows.index[0], mean, *place)]
    return [candidate[2:] for candidate in sorted(candidates)[:n]]


def worst_rows(table: Any) -> list[tuple[Any, ...]]:
    return [(row.mean, row.item, row.group, row.n, row.row, row.model, row.shown["text"]) for row in table.worst]


@pytest.mark.parametrize("n", [1, 12, 100])
@pytest.mark.parametrize(("whole", "lower"), [(True, False), (False, False), (False, True)])
def test_items_are_those_found_by_hand(tmp_path: Path, n: int, whole: bool, lower: bool) -> None:
    frame = scored(whole=whole)
    frame.to_csv(tmp_path / "a.csv", index=False)
    expected = by_hand(frame, n, lower=lower, best=1.0 if whole else None)
    roles: dict[str, Any] = {"model": "model", "id": "item", "groups": "task", "lower_is_better": lower, "rng": 0}
    for data in (frame, howsure.read(tmp_path / "a.csv")):
        table = score_table("score", worst=n, show=["text"], data=data, **roles)
        rows_shown = worst_rows(table)
        assert [item[1:] for item in rows_shown] == [item[1:] for item in expected]
        assert [item[0] for item in rows_shown] == pytest.approx([item[0] for item in expected], abs=1e-12)


def test_without_items_rows_are_the_worst_and_missing_ones_count_as_requested(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("right,say\n1,a\n,b\n0,c\n1,d\n0,e\n")
    data = howsure.read(tmp_path / "a.csv")
    table = score_table("right", missing_score=0, worst=9, show=["say", "right"], data=data)
    assert table.worst is not None
    assert [(row.row, row.mean, row.shown) for row in table.worst] == [
        (2, 0.0, {"say": "b", "right": None}),
        (3, 0.0, {"say": "c", "right": "0"}),
        (5, 0.0, {"say": "e", "right": "0"}),
    ]
    skipping = howsure.read(tmp_path / "a.csv", skip_missing=True)
    table = score_table("right", worst=9, show=["say"], data=skipping)
    assert table.worst is not None
    assert [(row.row, row.shown["say"]) for row in table.worst] == [(3, "c"), (5, "e")]
    alone = score_table([1, 0, 1], worst=2, show={"say": ["a", "b", "c"]}).worst
    assert alone is not None
    assert [(row.file, row.row, row.shown) for row in alone] == [(None, 2, {"say": "b"})]


def test_of_logs_fields_of_the_program_and_the_answer_are_shown(tmp_path: Path) -> None:
    for model, wrong in (("small", {0, 1, 4}), ("large", {1})):
        lines = [
            {
                "doc_id": i,
                "doc": {"question": f"{i} + {i}"},
                "target": "1",
                "resps": [[["-9", "F"]], [["-1", "F"]]],
                "filtered_resps": [["-9", "False"], ["-1", "False"]],
                "acc": float(i not in wrong),
            }
            for i in range(6)
        ]
        (tmp_path / model).mkdir()
        texts = "".join(json.dumps(line) + "\n" for line in lines)
        (tmp_path / model / "samples_sums_2026-11-22T10-00-00.000001.jsonl").write_text(texts)
    done = run_command(
        f"score {tmp_path}/*/samples_*.jsonl --worst 2 --show doc.question,prediction --seed 1 --format json"
    )
    worst = json.loads(done.out)["worst"]
    assert [(item["item"], item["mean"], item["n"], item["shown"]["doc.question"]) for item in worst] == [
        ("1", 0.0, 2, "1 + 1"),
        ("0", 0.5, 2, "0 + 0"),
    ]
    assert {item["shown"]["prediction"] for item in worst} == {"1"}
    assert worst[1]["model"] == "small"


def test_a_group_called_as_the_macro_row_is_refused() -> None:
    groups = ["macro mean", "law"] * 10
    with pytest.raises(
        InputError, match=r"a group has the name 'macro mean', which is the name of the row that macro=True adds"
    ):
        score_table([0, 1] * 10, groups=groups, macro=True)
    assert {row.group for row in score_table([0, 1] * 10, groups=groups)} >= set(groups)


def _by_task(tasks: int, *, crossed: bool) -> dict[str, list[object]]:
    """Three models on 6 items of each task; with `crossed`, the items of all tasks are the same."""
    draw, rows = np.random.default_rng(11), [(t, i, m) for t in range(tasks) for i in range(6) for m in range(3)]
    return {
        "score": [int(draw.random() < 0.05 + 0.45 * m) for _, _, m in rows],
        "model": [f"m{m}" for _, _, m in rows],
        "groups": [f"task {t}" for t, _, _ in rows],
        "id": [i if crossed else 6 * t + i for t, i, _ in rows],
    }


def test_the_mean_over_sampled_groups_is_a_mean_of_group_means() -> None:
    rows = _by_task(30, crossed=False)
    table = {
        row.model: row for row in howsure.mean_scores(**rows, sampled="groups", rng=0) if row.group == "macro mean"
    }
    frame = pd.DataFrame(rows)
    for model, means in frame.groupby(["model", "groups"])["score"].mean().groupby("model"):
        by_hand = howsure.mean_scores(means.to_numpy(), bounds=(0, 1))[0].mean
        assert table[model].mean.low == pytest.approx(by_hand.low)
        assert table[model].mean.high == pytest.approx(by_hand.high)
    both = [row for row in howsure.mean_scores(**rows, sampled="both", rng=0) if row.group == "macro mean"]
    assert [(str(row.mean), row.ranks) for row in both] == [(str(row.mean), row.ranks) for row in table.values()]


def test_items_under_several_prompts_widen_the_mean_over_prompts() -> None:
    rows = _by_task(45, crossed=True)
    by_sample = {
        sampled: {
            row.model: row
            for row in howsure.mean_scores(**rows, sampled=sampled, macro=True, rng=0)
            if row.group == "macro mean"
        }
        for sampled in ("items", "groups", "both")
    }
    for model, row in by_sample["both"].items():
        groups = by_sample["groups"][model].mean
        assert row.mean.value == pytest.approx(groups.value)
        assert row.mean.low < groups.low
        assert row.mean.high > groups.high
    assert {row.ranks for row in by_sample["groups"].values()} == {"1", "2", "3"}


@pytest.mark.parametrize(
    ("tasks", "message"), [(6, "at least 7 are needed"), (12, "with fewer than 40, only large differences")]
)
def test_few_groups_cannot_tell(tasks: int, message: str) -> None:
    rows = _by_task(tasks, crossed=False)
    rows["score"] = [(int(str(i)) + int(str(m)[1:])) % 2 for i, m in zip(rows["id"], rows["model"], strict=True)]
    table = howsure.mean_scores(**rows, sampled="groups", rng=0)
    assert {row.ranks for row in table if row.group == "macro mean"} == {"1–3"}
    assert any(message in note for note in table.notes)


def test_what_is_sampled_is_one_of_three() -> None:
    with pytest.raises(InputError, match="one of 'items', 'groups', 'both'; it is 'tasks'"):
        howsure.mean_scores([0, 1], groups=["a", "b"], sampled="tasks")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="sampled='groups' is about the mean of groups"):
        howsure.mean_scores([0, 1], sampled="groups")


@pytest.mark.parametrize(
    ("scores", "answer"),
    [
        ({"a": [0.5, 0.7, 0.6], "b": [0.7, 0.5, 0.6]}, "a and b have equal means, 0.6000."),
        (
            {"a": [0.5, 0.7, 0.6], "b": [0.7, 0.5, 0.6], "c": [0.1, 0.5, 0.6]},
            "a and b have equal means, the highest, 0.6000; c is not significantly worse.",
        ),
        (
            {"a": [2.0, 2.2] * 20, "b": [2.2, 2.0] * 20, "c": [0.1, 0.2] * 20},
            "a and b have equal means, the highest, 2.1000; significantly better than c.",
        ),
    ],
)
def test_equal_means_are_reported_as_equal(scores: dict[str, list[float]], answer: str) -> None:
    model = [name for name, values in scores.items() for _ in values]
    items = [item for values in scores.values() for item in range(len(values))]
    values = [value for model_scores in scores.values() for value in model_scores]
    assert howsure.mean_scores(values, model=model, id=items, rng=0).answer == answer


@pytest.mark.parametrize(("n", "level", "needed"), [(3, 0.95, 6), (5, 0.95, 6), (6, 0.95, 0), (5, 0.9, 0)])
def test_a_mean_of_too_few_items_says_why_it_has_no_interval(n: int, level: float, needed: int) -> None:
    """No p-value is below 2^-n, so an interval of level 0.95 needs 6 items, and one of level 0.9 needs 5."""
    table = howsure.mean_scores([0.1, 0.9, 0.4, 0.3, 0.8, 0.7][:n], level=level)
    reason = [f"No interval: {n} items; at least {needed} are needed at level {level:g}."]
    assert [*table.footnotes()] == (reason if needed else [STUDENT_NOTE])
    assert (table[0].mean.low is None) == bool(needed)


def test_of_two_models_ranks_and_possibly_best_models_agree() -> None:
    """The mean of ours is higher by 2.3 (p = 0.11): the single pair has one test."""
    accuracy = [80.67, 80.56, 78.55, 78.84, 79.91, 80.52, 82.47, 82.23, 81.78, 83.09]
    table = howsure.mean_scores(accuracy, model=["base"] * 5 + ["ours"] * 5, id=[*range(5)] * 2, rng=0)
    assert [(row.ranks, row.maybe_best) for row in table] == [("1–2", True), ("1–2", True)]
    assert table.answer == "ours scores best, 82.0180; base is not significantly worse."


@pytest.mark.parametrize(
    ("maybe_best", "phrase"),
    [(True, "b is not significantly worse"), (False, "b is not significantly worse when all pairs are compared")],
)
def test_the_sentence_agrees_with_ranks_and_possibly_best_models(maybe_best: bool, phrase: str) -> None:
    """b: its ranks begin at 1, but it may be significantly worse than a by the tests of its own pairs alone."""
    table = howsure.mean_scores([0.9, 0.5, 0.1], model=["a", "b", "c"], id=[0, 0, 0])
    columns = zip(table.rows, [1, 1, 2], [2, 3, 3], [True, maybe_best, False], strict=True)
    rows = tuple(replace(row, rank_low=low, rank_high=high, maybe_best=best) for row, low, high, best in columns)
    table = replace(table, rows=rows)
    assert table.answer.endswith(f"; {phrase}.")
    assert any("whose ranks begin at 1 can have" in note for note in table.footnotes()) != maybe_best


def test_groups_of_models_that_share_none_are_no_ids() -> None:
    models = np.repeat([f"m{model}" for model in range(10)], 40)
    groups = [f"{model}-{row % 5}" for row, model in enumerate(models)]
    table = howsure.mean_scores(np.arange(400) % 2, model=models, groups=groups)
    assert len([row for row in table if not row.is_overall]) == 50


def test_few_scores_with_one_other_value_are_announced() -> None:
    """-1 may mean "not graded"; in a scale of -1, 0 and 1 it is frequent."""
    scores = [1, 0, 1, 0, 1, 1, 0, 1, 0, 0] * 4
    assert "2 scores are -1 and all others 0 or 1" in str(howsure.mean_scores([*scores, -1, -1]))
    assert "1 score is 99" in str(howsure.mean_scores([*scores, 99]))
    assert "all others 0 or 1" not in str(howsure.mean_scores([*scores, *[-1] * 20]))
    assert "all others 0 or 1" not in str(howsure.mean_scores([*scores, 2, 3]))


@pytest.mark.parametrize("role", ["id", "clusters"])
def test_several_columns_of_a_frame_name_an_item_together(role: str, tmp_path: Path) -> None:
    frame = pd.DataFrame({"model": ["a", "b"] * 12, "task": [k // 12 for k in range(24)], "score": [0, 1, 1] * 8})
    frame["item"] = [k // 2 % 6 for k in range(24)]
    frame.to_csv(tmp_path / "x.csv", index=False)
    together = [f"{task}-{item}" for task, item in zip(frame["task"], frame["item"], strict=True)]
    expected = howsure.mean_scores(frame["score"], model=frame["model"], **{role: together})
    for data in (frame, howsure.read(tmp_path / "x.csv")):
        result = howsure.mean_scores("score", model="model", data=data, **{role: ["task", "item"]})
        assert [(row.mean, row.ranks) for row in result] == [(row.mean, row.ranks) for row in expected]
