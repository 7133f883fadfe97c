"""What users write, judged by mypy and pyright: right calls pass, and each line marked `wrong` is an error to both.

Nothing here is run: a marked line that a checker takes for right is an unused `type: ignore`, which it reports.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl

import howsure
from howsure_text.coreference import resolve, score_documents
from howsure_text.sequences import TagPosterior, compare_posteriors, entity_spans, evaluate_entities, evaluate_tags

Y, Q = np.array([0, 1, 1]), np.array([0.2, 0.7, 0.9])
FRAME = pd.DataFrame({"gold": Y, "p": Q})
POLARS = pl.DataFrame({"gold": Y, "p": Q})
FILES = howsure.read("predictions.csv", where="n > 3")


def calibration() -> None:
    error: howsure.Estimate = howsure.calibration_error(Y, Q)
    howsure.calibration_error([0, 1, 1], [0.2, 0.7, 0.9], level=0.9)
    howsure.calibration_curve(FRAME["gold"], POLARS["p"], sample_weight=(1, 2, 3))
    howsure.calibration_curve("gold", "p", data=FRAME)
    howsure.calibration_table("gold", "p", groups="model", data=POLARS.lazy())
    howsure.calibration_table("gold", ["p_no", "p_yes"], data=FILES)
    howsure.calibration_table("gold", howsure.Probabilities("logits", "z"), data=FILES, pos_label="yes")
    howsure.calibration_test(howsure.Pairs(Y, Q), rng=np.random.default_rng(0))
    howsure.compare_calibration(Y, Q, against=Q)
    howsure.compare_calibration("gold", "p", y_prob_against="q", against=FILES, data=FILES)
    print(howsure.logit_calibration(FILES, sample_weight="equal").summary)
    print(error.low)
    howsure.calibration_error(Y, {"p": Q})  # type: ignore  # wrong: columns by name are a data frame
    howsure.calibration_error(Y, 0.5)  # type: ignore  # wrong: one number is no column
    howsure.calibration_error(Y, Q, level="0.95")  # type: ignore  # wrong: a level is a number
    howsure.calibration_curve("gold", "p", data="predictions.csv")  # type: ignore  # wrong: howsure.read("predictions.csv")
    howsure.calibration_table(Y, Q, groups=3)  # type: ignore  # wrong: a group per row
    howsure.calibration_table(Y, Q, group="model")  # type: ignore  # wrong: no such parameter
    howsure.calibration_curve(Y, Q, pos_label=["yes"])  # type: ignore  # wrong: one label
    howsure.logit_calibration("logits.npy")  # type: ignore  # wrong: howsure.read("logits.npy")
    howsure.calibration_test(Y, Q, rng="0")  # type: ignore  # wrong: a seed is a whole number


def significance() -> None:
    result: howsure.Comparison = howsure.compare_models(["a", "b"], ["a", "a"], ["a", "b"])
    howsure.compare_models(Y, Q, {"large": Q, "small": Q}, metrics="accuracy", clusters=["d1", "d1", "d2"])
    howsure.compare_scores(score="score", model="model", against="old", id="item", groups="topic", data=FILES)
    howsure.compare_models("gold.txt", against="old.txt", model=["new.txt"], metrics="accuracy")
    groups = howsure.compare_scores(data=FILES, groups=["task", "topic"]).groups
    by_group: list[str] = [] if groups is None else [row.group for row in groups]
    print(result, by_group)
    howsure.compare_scores(score=3)  # type: ignore  # wrong: a column's name
    print(howsure.comparison_power(0.1, n=500).difference)
    howsure.resample_models(Y, Q, Q, n_resamples="many")  # type: ignore  # wrong: a number
    howsure.compare_models(Y, Q, Q, clusters=1)  # type: ignore  # wrong: a cluster per row


def how_it_was_made() -> None:
    signature: howsure.Signature = howsure.read_signature(howsure.calibration_error(Y, Q).signature)
    print(signature.kind, signature.settings["n"], signature.version)
    howsure.read_signature(3)  # type: ignore  # wrong: a line


def what_is_in_a_file() -> None:
    overview: howsure.Look = howsure.look(["a.csv", "b.csv"], format="csv")
    column: howsure.SeenColumn = overview["right"]
    print(overview.commands, column.could_be)
    howsure.look(3)  # type: ignore  # wrong: a path


def scores() -> None:
    table: howsure.ScoreTable = howsure.mean_scores([1, 0, 1], model=["a", "a", "b"], rng=0)
    row: howsure.ScoreRow = table[0]
    judged: howsure.JudgedScores = howsure.correct_judge_scores([1, None], [1, 0], bounds=(0, 1))
    howsure.correct_judge_scores("person", "judge", model="model", id="item", against="old", data=FILES)
    sample: howsure.JudgeSample = howsure.draw_judge_sample("judge", 80, model="model", id="item", data=FILES)
    plan: howsure.JudgePlan = howsure.plan_judge_sample([1, 0], width=0.1, correlation=0.5)
    howsure.plan_judge_sample([1, 0], correlation=0.5)  # type: ignore  # wrong: no width
    moved: howsure.JudgeTransport = howsure.judge_transport([1, None], [1, 0], model=["a", "b"], margin=0.05)
    howsure.judge_transport("person", "judge", margin=0.05, data=FILES)  # type: ignore  # wrong: the models are missing
    off: howsure.JudgeBias = howsure.judge_bias("judge", y_true="person", length="words", data=FILES)
    howsure.judge_bias([1, 0], y_true=[1, 0], own=3)  # type: ignore  # wrong: no name of a family
    parts: howsure.PromptSensitivity = howsure.prompt_sensitivity(
        "grade", prompt="prompt", id="item", run="run", data=FILES
    )
    howsure.prompt_sensitivity([1, 0], id=[1, 2])  # type: ignore  # wrong: no prompts
    print(sample, plan, moved, off, parts)
    agreed: howsure.RaterAgreement = howsure.rater_agreement(
        "grade", rater="rater", id="item", scale="ordinal", data=FILES
    )
    print(judged, agreed)
    howsure.rater_agreement("grade", rater="rater", id="item", scale="ratio", data=FILES)  # type: ignore  # no such scale
    howsure.mean_scores("right", model="model", id="item", groups="task", macro=True, data=FILES)
    howsure.score_models(y_true="reference", prediction="answer", metrics=["bleu", "chrf"], data=FILES)
    levels: howsure.OrdinalCalibration = howsure.ordinal_calibration("grade", ["low", "high"], data=FILES)
    print(table, row.mean.low, row.rank_low, levels)
    order: howsure.ItemOrder = howsure.draw_order("question", clusters="document", rng=1, data=FILES)
    comparison = howsure.SequentialComparison(order=order)
    comparison.add([1, 0], [0.5, 0.5], id=["a", "b"])
    comparison.add("new", "old", id="question", data=FRAME)
    print(comparison.outcome, comparison.status().estimate.low, howsure.SequentialScore.load("state.json").interval)
    race: howsure.Race = howsure.race_models("right", model="model", id="question", order=order, data=FILES)
    print(race.left, race.answers, race["large"].mean.low)
    planned: howsure.ComparisonPlan = howsure.plan_comparison("new", "old", items_total=5000, data=FILES)
    print(planned.items)
    howsure.SequentialComparison(items_total="many")  # type: ignore  # wrong: a number
    battles: howsure.BattleTable = howsure.rank_battles(["x", "y"], ["y", "x"], [1, 1], clusters=[1, 2])
    howsure.rank_battles("model_a", "model_b", "winner", tie=["even"], position_effect=True, data=FILES)
    print(battles.first, battles["x"].points.low)
    howsure.rank_battles("a", "b", "winner", ties=3, data=FRAME)  # type: ignore  # wrong: no such word
    howsure.mean_scores(Y, bounds=1)  # type: ignore  # wrong: two numbers
    howsure.mean_scores(Y, missing_score="wrong")  # type: ignore  # wrong: a number


def answers_and_limits() -> None:
    curve: howsure.SelectiveCurve = howsure.selective_curve(Y, Q)
    howsure.selective_table("gold", "p", groups="model", worst=20, show=["question"], data=FRAME)
    howsure.selective_table(Y, Q, worst="all")  # type: ignore  # wrong: a number
    howsure.selective_threshold(Y, Q, risk=0.1)
    check: howsure.Check = howsure.check_calibration("gold", "p", max_error=0.05, data=FILES)
    howsure.check_calibration(Y, Q, max_error=0.05, groups=["a", "a", "b"])
    print(curve, check)
    howsure.selective_curve(Y, {"p": Q})  # type: ignore  # wrong: columns by name are a data frame
    howsure.selective_threshold(Y, Q, risk="small")  # type: ignore  # wrong: a number
    howsure.check_calibration("gold", "p", against="q", data=FRAME)
    howsure.recalibrate(Y, Q).apply([0.2, 0.7])
    howsure.find_miscalibrated_groups(Y, Q, features={"length": [3, 1, 2]})
    howsure.find_miscalibrated_groups("gold", "p", features=["length"], data=FRAME)
    howsure.CalibrationSummary().add(Y, Q, sample_weight=[1, 2, 3])
    howsure.check_calibration(Y, Q, max_error="0.05")  # type: ignore  # wrong: a number
    howsure.check_calibration(Y, Q, against=0.5)  # type: ignore  # wrong: another model's probabilities
    howsure.recalibrate(Y, Q).apply(0.5)  # type: ignore  # wrong: one number is no column
    howsure.find_miscalibrated_groups(Y, Q, features=3)  # type: ignore  # wrong: columns by name
    howsure.check_calibration("gold", "p", max_error=0.05, data=3)  # type: ignore  # wrong: no frame, no source


def counts() -> None:
    estimates: howsure.CountEstimates = howsure.estimate_counts([1, None, 0], Q, rng=0)
    howsure.estimate_counts("gold", "p", data=FILES)
    fit: howsure.PredictedRegression = howsure.regress_predicted([1, None, 0], Q, covariates={"age": [20, 30, 40]})
    howsure.regress_predicted("gold", "p", covariates=["age"], fixed_effects="unit", method="logit", data=FILES)
    howsure.regress_predicted("gold", "p", method="probit", data=FILES)  # type: ignore  # no such method
    drawn: howsure.LabelSample = howsure.draw_label_sample(Q, 2, rng=0)
    planned: howsure.LabelPlan = howsure.plan_label_sample(Q, width=0.1, share=True)
    print(estimates, drawn, fit, planned)
    howsure.draw_label_sample(Q, "two")  # type: ignore  # wrong: a number
    howsure.draw_label_sample({"p": Q}, 2)  # type: ignore  # wrong: columns by name are a data frame


def structures() -> None:
    posterior = TagPosterior([np.zeros((2, 3))], np.zeros((3, 3)), labels=["O", "B-PER", "I-PER"])
    gold = [["O", "B-PER"]]
    print(evaluate_tags(posterior, gold, adjust="bh")["all"].recall)
    print(evaluate_entities(entity_spans(posterior, gold, grammar="BIO")).spans.changed_by_grammar)
    print(compare_posteriors(posterior, posterior.tempered(2.0), gold, level=0.9).verdict())
    print(score_documents([[["a", "b"]]], [[["a"], ["b"]]]).conll_f1)
    TagPosterior(3, np.zeros((3, 3)))  # type: ignore  # wrong: an array per sentence
    compare_posteriors(posterior, gold, gold)  # type: ignore  # wrong: the posterior after the change
    score_documents(3, [[["a"]]])  # type: ignore  # wrong: the clusters of each document
    resolve(model="model.npz")  # type: ignore  # wrong: AntecedentModel.load("model.npz")
