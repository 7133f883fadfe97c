"""`howsure significance --model model`: tables with one row per model and item, and a file for each model."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.cli.running import howsure
from tests.cli.test_significance import run, table
from tests.data.logs.writers import (
    inspect_sample,
    lm_eval_sample,
    lm_eval_text,
    promptfoo,
    write_inspect,
    write_lm_eval,
    write_parquet,
)
from tests.significance.test_rows_by_model import frame

from howsure import read
from howsure.errors import InputError
from howsure.significance import Runs
from howsure.significance.comparison import compare

HELD = frame()
BY = ["--model", "model", "--id", "uid", "--run", "seed"]


def rows_of(scores: pd.DataFrame) -> list[dict[str, object]]:
    return [
        {name: getattr(value, "item", lambda v=value: v)() for name, value in row.items()}
        for row in scores.to_dict("records")
    ]


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return table(tmp_path_factory.mktemp("log") / "log.csv", rows_of(HELD))


def significance_json(*arguments: object) -> dict:
    return json.loads(run(*arguments, "--format", "json").stdout)


def test_a_file_for_each_model(tmp_path: Path, log: Path) -> None:
    """Two JSON-lines files, rows in any order, are matched by id; the models are the files."""
    for model, answers in HELD.groupby("model"):
        table(tmp_path / f"{model}.jsonl", rows_of(answers.drop(columns="model").sample(frac=1, random_state=3)))
    files = [tmp_path / "base.jsonl", tmp_path / "large.jsonl"]
    options = ["--id", "uid", "--run", "seed", "--target", "gold", "--prediction", "answer", "--metric", "accuracy"]
    comparison = significance_json(*files, *options, "--against", "base")
    assert (
        comparison["comparisons"]
        == significance_json(log, "--model", "model", *options, "--against", "base")["comparisons"]
    )


def test_columns_of_scores(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    rows = [{"base": float(a), "large": float(b), "doc": k // 3} for k, (a, b) in enumerate(rng.random((30, 2)))]
    path = table(tmp_path / "items.csv", rows)
    comparison = significance_json(
        path, "--against", "base", "--model", "large", "--metric", "score", "--cluster", "doc"
    )
    scores = {name: [row[name] for row in rows] for name in ("base", "large")}
    expected = compare(score=scores, against="base", clusters=[row["doc"] for row in rows])
    assert comparison["comparisons"][0]["p_value"] == pytest.approx(expected[0].p_value, rel=1e-12)
    assert comparison["comparisons"][0]["metric"] == "score"
    lower = significance_json(path, "--against", "base", "--model", "large", "--metric", "score", "--lower-is-better")
    assert not lower["comparisons"][0]["higher_is_better"]


@pytest.mark.long
def test_models_rows_and_values_are_chosen(log: Path, tmp_path: Path) -> None:
    third = HELD[HELD.model == "base"].assign(model="third")
    path = table(tmp_path / "three.csv", rows_of(pd.concat([HELD, third])))
    two = significance_json(path, *BY, "--score", "grade", "--where", "model in ('base', 'large')")
    assert two["comparisons"] == significance_json(log, *BY, "--score", "grade")["comparisons"]
    comparison = significance_json(log, "--model", "model", "--id", "uid", "--score", "grade", "--where", "seed = 1")
    assert comparison["comparisons"][0]["n"] == 40
    assert comparison["means"][0]["runs"] == 1
    right = table(tmp_path / "right.csv", rows_of(HELD.assign(grade=["yes" if g > 2 else "no" for g in HELD.grade])))
    yes = significance_json(right, *BY, "--score", "grade", "--positive", "yes")
    expected = compare(data=HELD.assign(grade=HELD.grade > 2), model="model", id="uid", run="seed", score="grade")
    assert yes["comparisons"][0]["p_value"] == pytest.approx(expected[0].p_value, rel=1e-12)
    assert len(significance_json(path, *BY, "--score", "grade", "--all-pairs")["comparisons"]) == 3


def test_sets_that_number_their_items_alike(tmp_path: Path) -> None:
    for name, seed in (("arc", 0), ("mmlu", 1)):
        table(tmp_path / f"{name}.csv", rows_of(frame(seed, runs=1)))
    files = [tmp_path / "arc.csv", tmp_path / "mmlu.csv"]
    with pytest.raises(InputError, match="equal values of uid occur in several files"):
        run(*files, "--model", "model", "--id", "uid", "--score", "grade")
    apart = significance_json(
        *files, "--model", "model", "--id", "uid", "--cluster", "doc", "--score", "grade", "--across-files", "separate"
    )
    assert apart["comparisons"][0]["n"] == 80
    assert apart["recipe"]["clusters"] == 20
    named = significance_json(
        *files, "--model", "model", "--by-file", "--id", "file,uid", "--cluster", "file,doc", "--score", "grade"
    )
    assert named["comparisons"] == apart["comparisons"]


def test_missing_items_are_counted(tmp_path: Path) -> None:
    path = table(tmp_path / "log.csv", rows_of(HELD.drop(index=[0, 1])))
    comparison = significance_json(path, *BY, "--score", "grade", "--skip-missing")
    assert comparison["comparisons"][0]["n"] in (38, 39)
    assert any("left out for all models, because some have no answer there" in note for note in comparison["notes"])


@pytest.mark.long
def test_what_is_true_in_a_file_of_its_own(tmp_path: Path, log: Path) -> None:
    """Predictions of two files and the labels of a third, matched by id."""
    for model, answers in HELD.groupby("model"):
        table(tmp_path / f"{model}.jsonl", rows_of(answers[["uid", "seed", "answer"]]))
    gold = HELD.drop_duplicates("uid")[["uid", "gold"]]
    table(tmp_path / "gold.jsonl", rows_of(gold))
    files = [tmp_path / "base.jsonl", tmp_path / "large.jsonl", "--targets", tmp_path / "gold.jsonl"]
    options = ["--id", "uid", "--run", "seed", "--target", "gold", "--prediction", "answer", "--metric", "accuracy"]
    expected = significance_json(log, "--model", "model", *options)
    assert significance_json(*files, *options)["comparisons"] == expected["comparisons"]
    table(tmp_path / "gold.jsonl", [*rows_of(gold), {"uid": "more", "gold": "c1"}])
    with pytest.raises(InputError, match=r"no model has 'more' \(1 item in all\)"):
        run(*files, *options)
    more = significance_json(*files, *options, "--skip-missing")
    assert more["comparisons"] == expected["comparisons"]
    assert any("1 item of" in note and "no model answers them" in note for note in more["notes"])


def test_a_log_names_models_and_items_by_itself(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    acc: dict[str, list[float]] = {}
    for model, right in (("org/small", 0.5), ("org/big", 0.8)):
        for task in ("letters", "sums"):
            wins = rng.random(30) < right
            acc.setdefault(model, []).extend(wins.tolist())
            samples = [lm_eval_sample(item, [-1.0, -2.0] if win else [-2.0, -1.0], 0) for item, win in enumerate(wins)]
            write_lm_eval(tmp_path, model, task, samples)
    done = run(tmp_path / "*" / "samples_*.jsonl", "--score", "acc", "--format", "json")
    assert (done.stderr, json.loads(done.stdout)["recipe"]["format"]) == ("", "lm-eval")
    comparison = json.loads(done.stdout)["comparisons"][0]
    expected = compare(score=acc)[0]
    assert (comparison["p_value"], comparison["n"]) == (pytest.approx(expected.p_value), 60)
    with pytest.raises(InputError, match="no score 'bleu' in this log of lm-evaluation-harness; it has acc"):
        run(tmp_path / "*" / "samples_*.jsonl", "--score", "bleu")


def quiz(folder: Path, wins: dict[str, Any], **scores: Any) -> Path:
    """Logs of lm-evaluation-harness, one for each model, of whether its answers are right; or with these scores."""
    for model, right in wins.items():
        scores_of_items = [
            {name: float(scores_by_model[model][i]) for name, scores_by_model in scores.items()}
            for i in range(len(right))
        ]
        samples = [
            lm_eval_sample(i, [-1.0 - (not win), -1.5], 0, scores=scores_of_items[i] or None)
            for i, win in enumerate(right)
        ]
        write_lm_eval(folder, model, "quiz", samples)
    return folder / "*" / "samples_*.jsonl"


WINS = {
    name: np.random.default_rng(at).random(30) < share for at, (name, share) in enumerate({"a": 0.4, "b": 0.9}.items())
}


@pytest.mark.long
def test_a_log_names_its_score_by_itself(tmp_path: Path) -> None:
    path = quiz(tmp_path, WINS)
    comparison = significance_json(path)
    assert comparison["comparisons"] == significance_json(path, "--score", "acc")["comparisons"]
    assert (comparison["comparisons"][0]["metric"], comparison["notes"]) == ("acc", [])
    expected = compare(score=WINS)[0]
    assert comparison["comparisons"][0]["p_value"] == pytest.approx(expected.p_value, rel=1e-12)
    in_python = compare(data=read(str(path)))
    assert in_python.to_dict()["comparisons"] == comparison["comparisons"]
    named = compare(data=read(str(path)), against="b", groups="doc.subject")
    assert named[0].difference == pytest.approx(WINS["a"].mean() - WINS["b"].mean())
    assert [row.group for row in named.groups or ()] == ["letters", "physics"]


def test_all_scores_of_a_log_are_compared_and_listed(tmp_path: Path) -> None:
    other = {name: wins[::-1] for name, wins in WINS.items()}
    path = quiz(tmp_path, WINS, acc=WINS, acc_norm=other)
    comparison = significance_json(path)
    assert [row["metric"] for row in comparison["comparisons"]] == ["acc", "acc_norm"]
    note = "this log has the scores acc, acc_norm, and all are compared. To compare only one, use --score acc."
    assert comparison["notes"] == [note]
    for model in WINS:
        write_lm_eval(tmp_path, model, "more", [lm_eval_sample(i, [-1.0, -2.0], 0) for i in range(10)])
    fewer = significance_json(path)
    assert [(row["metric"], row["n"]) for row in fewer["comparisons"]] == [("acc", 40)]
    assert fewer["notes"] == ["not compared, since other scores have more rows: acc_norm (60 of 80 rows)."]


@pytest.mark.long
def test_prompts_of_a_single_model_are_compared(tmp_path: Path) -> None:
    """Two logs of one model: what differs between the paths names its prompts; in a single log, the prompts do."""
    for prompt, wins in (("short", WINS["a"]), ("long", WINS["b"])):
        samples = [inspect_sample(f"q{i}", "yes", "yes" if win else "no") for i, win in enumerate(wins)]
        (tmp_path / "runs" / prompt).mkdir(parents=True)
        write_inspect(tmp_path / "runs" / prompt / "log.json", samples)
    done = run(tmp_path / "runs" / "short" / "log.json", tmp_path / "runs" / "long" / "log.json", "--format", "json")
    (comparison_row,) = json.loads(done.stdout)["comparisons"]
    assert (comparison_row["against"], comparison_row["model"]) == ("long/log", "short/log")
    assert comparison_row["p_value"] == pytest.approx(compare(score={"s": WINS["a"], "l": WINS["b"]})[0].p_value)
    against = significance_json(tmp_path / "runs" / "*" / "log.json", "--against", "short/log")["comparisons"]
    assert (against[0]["model"], against[0]["difference"]) == ("long/log", pytest.approx(-comparison_row["difference"]))
    rows = [promptfoo(bool(WINS[p][i]), prompt=p, item=i) for p in "ab" for i in range(30)]
    (tmp_path / "log.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (comparison_row,) = significance_json(tmp_path / "log.jsonl", "--score", "success")["comparisons"]
    assert (comparison_row["against"], comparison_row["model"], comparison_row["p_value"]) == (
        "b",
        "a",
        pytest.approx(against[0]["p_value"]),
    )
    with pytest.raises(InputError, match="model must name two or more models; every row is of 'mockllm/model'"):
        run(tmp_path / "runs" / "short" / "log.json")


def test_groups_of_files_have_short_names(tmp_path: Path) -> None:
    for name, at in (("arc", 0), ("mmlu", 1)):
        (tmp_path / name).mkdir()
        table(tmp_path / name / "log.csv", rows_of(frame(at, runs=1)))
    options = ["--by-file", "--model", "model", "--id", "file,uid", "--group", "file", "--score", "grade"]
    comparison = significance_json(tmp_path / "*" / "log.csv", *options)
    assert [group["group"] for group in comparison["groups"]] == ["arc/log", "mmlu/log"]
    assert comparison["recipe"]["group"] == "file"
    alone = significance_json(tmp_path / "arc" / "log.csv", "--model", "model", "--id", "uid", "--score", "grade")
    assert comparison["groups"][0]["difference"] in (
        alone["comparisons"][0]["difference"],
        -alone["comparisons"][0]["difference"],
    )


def test_files_of_labels_in_python_as_on_the_command_line(tmp_path: Path) -> None:
    labels = {"gold": "aabb" * 5, "old": "abab" * 5, "new": "aaba" * 5}
    for name, tags in labels.items():
        (tmp_path / f"{name}.txt").write_text("\n".join(tags))
    gold, old, new = (str(tmp_path / f"{name}.txt") for name in labels)
    comparison = significance_json("--targets", gold, "--against", old, "--model", new, "--metric", "accuracy")
    result = compare(targets=gold, against=old, model=new, metrics="accuracy", rng=0)
    assert comparison["comparisons"] == result.to_dict()["comparisons"]
    assert comparison["recipe"]["files"] == result.recipe["files"] == [gold, old, new]
    assert (result[0].against, result[0].model, result[0].difference) == ("old", "new", 0.25)
    with pytest.raises(InputError, match=r"must name different files; .*old\.txt is named twice"):
        compare(targets=gold, against=old, model=[new, old])
    with pytest.raises(InputError, match="id is for columns: name a FILE that contains them"):
        compare(targets=gold, against=old, model=new, id="uid")
    with pytest.raises(InputError, match="targets for the true labels, against and model for predictions"):
        compare(targets=gold, model=new)


def test_epochs_of_a_log_are_runs(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    scores = rng.random((2, 2, 20)) < 0.6
    for model in range(2):
        samples = [
            inspect_sample(f"q{item}", "yes", "yes" if scores[model, epoch, item] else "no", epoch=epoch + 1)
            for epoch in range(2)
            for item in range(20)
        ]
        path = write_inspect(tmp_path / f"m{model}.json", samples)
        path.write_text(path.read_text().replace('"mockllm/model"', f'"m{model}"'))
    comparison = significance_json(tmp_path / "m0.json", tmp_path / "m1.json", "--score", "choice")
    expected = compare(score={f"m{k}": Runs(list(scores[k])) for k in range(2)})
    assert comparison["comparisons"][0]["p_value"] == pytest.approx(expected[0].p_value)
    assert [mean["runs"] for mean in comparison["means"]] == [2, 2]


def two_filters(folder: Path, task: str = "gsm8k") -> Path:
    """Logs of the models a and b whose answers two filters read: strict finds fewer of them right than flexible."""
    rng = np.random.default_rng(5)
    for model in ("a", "b"):
        samples = [
            lm_eval_text(item, "3" if rng.random() < (0.4 if way == "strict" else 0.8) else "", "3", filter=way)
            for way in ("strict", "flexible")
            for item in range(40)
        ]
        write_lm_eval(folder, model, task, samples)
    return folder / "*" / "samples_*.jsonl"


SEVERAL = (
    "contains the same answers scored in several ways ('strict', 'flexible'), which are never averaged. Choose one, "
)


@pytest.mark.parametrize("options", [[], ["--run", "run"], ["--id", "run,item"], ["--model", "model"]], ids=str)
def test_filters_of_a_log_are_never_averaged_and_the_advice_can_be_typed(tmp_path: Path, options: list[str]) -> None:
    path = two_filters(tmp_path)
    with pytest.raises(InputError) as refused:
        run(path, "--score", "exact_match", *options)
    assert SEVERAL + "--where \"run = 'strict'\", or compare them, --model model,run." in str(refused.value)
    typed = shlex.split(str(refused.value).partition("Choose one, ")[2].partition(", or ")[0])
    assert typed == ["--where", "run = 'strict'"]
    (row,) = significance_json(path, "--score", "exact_match", *typed, *options)["comparisons"]
    assert row["n"] == 40


def test_two_filters_are_compared(tmp_path: Path) -> None:
    path = two_filters(tmp_path)
    (log,) = (tmp_path / "a").glob("samples_*.jsonl")
    (row,) = significance_json(log, "--score", "exact_match", "--model", "run")["comparisons"]
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    scores = {way: [line["exact_match"] for line in lines if line["filter"] == way] for way in ("flexible", "strict")}
    assert row["p_value"] == pytest.approx(compare(score=scores)[0].p_value)
    assert (
        len(significance_json(path, "--score", "exact_match", "--model", "model,run", "--all-pairs")["comparisons"])
        == 6
    )


@pytest.mark.long
def test_tasks_with_one_filter_each_are_compared_as_they_are(tmp_path: Path) -> None:
    for model in ("a", "b"):
        for task, way in (("arc", "none"), ("gsm8k", "strict")):
            samples = [lm_eval_text(item, "3" if (item + ord(model)) % 3 else "", "3", filter=way) for item in range(9)]
            write_lm_eval(tmp_path, model, task, samples)
    path = tmp_path / "*" / "samples_*.jsonl"
    assert significance_json(path, "--score", "exact_match")["comparisons"][0]["n"] == 18
    two_filters(tmp_path, "maths")
    with pytest.raises(InputError, match="Choose one, --where \"run <> 'flexible'\", or"):
        run(path, "--score", "exact_match")
    assert (
        significance_json(path, "--score", "exact_match", "--where", "run <> 'flexible'")["comparisons"][0]["n"] == 58
    )


@pytest.mark.parametrize("form", ["csv", "json", "jsonl", "parquet"])
def test_truth_values_are_scores_in_every_format(tmp_path: Path, form: str) -> None:
    rows: list[dict[str, object]] = [
        {"model": model, "item": item, "right": item % share > 0, "easy": item % 3 > 0}
        for model, share in (("a", 2), ("b", 5))
        for item in range(40)
    ]
    path = tmp_path / f"log.{form}"
    if form == "parquet":
        write_parquet(path, rows)
    else:
        contents = {"csv": pd.DataFrame(rows).to_csv(index=False), "json": json.dumps(rows)}
        path.write_text(contents.get(form, "".join(json.dumps(row) + "\n" for row in rows)))
    means = significance_json(path, "--model", "model", "--id", "item", "--score", "right")["means"]
    assert {mean["model"]: mean["value"] for mean in means} == {"a": 0.5, "b": 0.8}
    checked = howsure("check", "score", path, "--score", "right", "--min-score", "0.5", "--where", "model = 'b'")
    assert "mean right is 0.8000" in checked.out
    as_probability = howsure("calibration", path, "--target", "easy", "--prob", "right")
    assert (as_probability.code, "right must be " in as_probability.err) == (2, True)
