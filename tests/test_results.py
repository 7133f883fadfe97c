"""One contract for results: what every public function hands back is printed, converted, and drawn in the same way."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import is_dataclass, replace
from functools import cache
from html.parser import HTMLParser
from importlib import import_module
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import howsure
import howsure_events as events
from howsure.calibration.curves import curves_by_group
from howsure.check.calibration import run_calibration_check
from howsure.errors import InputError
from howsure.result import Rows
from howsure_events.labels.answers import reading_order
from howsure_text.coreference import AntecedentScores, CorefPosterior, recalibrate_coreference, resolve, score_documents
from howsure_text.sequences import (
    TagPosterior,
    compare_posteriors,
    entity_spans,
    evaluate_entities,
    evaluate_tags,
    fit_temperatures,
)
from tests.events.corrected.known_truth import labelled_store

HOSTILE = "<b>NN & \x1b[31m"
ROOMS = (
    "howsure",
    *(
        f"howsure.{room}"
        for room in [
            "calibration",
            "significance",
            "scores",
            "judges",
            "regression",
            "selective",
            "fields",
            "sequential",
            "recalibration",
            "propagation",
            "monitoring",
            "data",
        ]
    ),
    "howsure_text.sequences",
    "howsure_text.coreference",
    "howsure_events",
)
PAIRS = replace(
    howsure.simulate_pairs(300, 0.5, 0.5, transform=0.2, rng=3),
    groups=np.arange(300) % 2,
    group_names=("VB", HOSTILE),
    clusters=np.arange(300) // 5,
)
FEW = howsure.Pairs(np.array([1, 0], dtype=np.uint8), np.array([0.0, 0.9]))  # a wrong certainty, a pair in each bin
TAGGED = TagPosterior.from_logits([np.zeros((2, 3))], labels=["O", f"B-{HOSTILE}", f"I-{HOSTILE}"], grammar="BIO")
POSTERIOR = CorefPosterior([[1, 0, 0], [0.4, 0.6, 0], [0.5, 0.3, 0.2]])


def _field_columns(n: int) -> dict[str, Any]:
    p = np.random.default_rng(5).beta(20, 1, 2 * n)
    value = np.where(np.random.default_rng(6).random(2 * n) < p, "1", HOSTILE)
    return {"document": np.repeat(np.arange(n), 2), "field": [HOSTILE, "b"] * n, "value": value, "confidence": p}


def _fields(n: int = 60, **how: Any) -> Any:
    return howsure.evaluate_fields(**_field_columns(n), **{"gold": ["1"] * (2 * n)} | how)


def _planted() -> Any:
    rng = np.random.default_rng(8)
    kind, q = rng.choice(["VB", HOSTILE], 4000), rng.random(4000)
    return howsure.find_miscalibrated_groups(
        rng.random(4000) < np.where(kind == HOSTILE, q**3, q), q, features={HOSTILE: kind}
    )


def _differences(metrics: list[str]) -> Any:
    rng = np.random.default_rng(4)
    gold = rng.integers(0, 3, 120)
    base, other = (np.where(rng.random(120) < share, gold, (gold + 1) % 3) for share in (0.7, 0.8))
    return howsure.resample_models(
        gold, base, {HOSTILE: other}, metrics=metrics, method="permutation", n_resamples=200, rng=0
    )


def _comparison() -> howsure.SequentialComparison:
    comparison = howsure.SequentialComparison(items_total=90, clusters_total=30, largest_cluster=3)
    comparison.add([1, 1, 0, 1] * 10, [0, 1, 0, 1] * 10, clusters=np.arange(40) // 3)
    return comparison


def _score_so_far() -> howsure.SequentialScore:
    score = howsure.SequentialScore(min_score=0.5)
    score.add([1, 1, 0, 1] * 10)
    return score


def _scores() -> dict[str, Any]:
    rng = np.random.default_rng(6)
    return {HOSTILE: howsure.Runs([rng.random(40), rng.random(40)]), "base": howsure.Runs([rng.random(40)])}


def _long_form() -> Any:
    table = {"m": [HOSTILE, "base"] * 30, "i": np.arange(60) // 2, "s": np.random.default_rng(7).random(60)}
    return howsure.compare_scores(data=table, model="m", id="i", score="s")


def _by_group() -> Any:
    rng = np.random.default_rng(9)
    scores = {HOSTILE: rng.random(40) < 0.9, "base": rng.random(40) < 0.5}
    return howsure.compare_scores(score=scores, groups=[HOSTILE, "b", "b", "c"] * 9 + ["few"] * 4)


def _counts() -> Any:
    rng = np.random.default_rng(5)
    score = rng.random(300)
    labels = np.where(np.arange(300) < 100, rng.random(300) < score, np.nan)
    return howsure.estimate_counts(labels, score, groups=rng.choice(["VB", HOSTILE], 300), rng=0)


def _look() -> Any:
    path = Path(mkdtemp(), "answers.csv")
    path.write_text(f"right,{HOSTILE}\n" + "1,0.9\n0,\n1,0.7\n" * 20)
    return howsure.look(path)


@cache
def _tagged() -> Any:
    rng = np.random.default_rng(8)
    posterior = TagPosterior(list(rng.normal(size=(60, 4, 2))), np.eye(2), labels=["O", HOSTILE])
    return posterior, [posterior.names(labels_of_sentences[0]) for labels_of_sentences in posterior.sample(1, rng=9)]


def _resolved() -> Any:
    text = {"id": HOSTILE, "words": ["Ann", "saw", HOSTILE], "mentions": [(0, 1), (2, 3)]}
    return resolve(scores=AntecedentScores(**text, scores=[[], [2.0]], null=0.0))


@cache
def _store() -> Any:
    return events.example_store()


@cache
def _corrected() -> Any:
    path = labelled_store(Path(mkdtemp()) / "labelled.duckdb", n=120, n_labelled=40)
    with events.EventStore.open(path) as store:
        return events.corrected_series(store)


@cache
def _drawn() -> tuple[Any, Any]:
    with example_copy() as store:
        drawn = events.draw_documents(store, 20, period="year")
        for coder, acting in (("anna", drawn.actors[:1]), ("<b>bob", drawn.actors[:2])):
            for number in reading_order(store):
                events.record_answer(store, number, coder, acting=acting if number % 2 else [], revision=0)
        return drawn, events.agreement(store)


def example_copy() -> Any:
    """The example, open for writing."""
    path = Path(mkdtemp()) / "news.duckdb"
    events.example_store(path).close()
    return events.EventStore.open(path, read_only=False)


def _trend() -> Any:
    store = howsure.Experiments(Path(mkdtemp()) / "nightly")
    for day, limit in (("2026-11-21", 0.1), ("2026-11-22", 0.1), ("2026-11-22", 0.2)):
        store.add_points(result_of("check").points(day) if limit == 0.1 else result_of("check of little").points(day))
    return store.trend()


@cache
def _monitored() -> tuple[Any, Any]:
    rng = np.random.default_rng(9)
    q, days = rng.random(400), np.datetime64("2026-01-01") + np.arange(400) // 40
    monitor = howsure.CalibrationMonitor()
    update = monitor.update(days, rng.random(400) < q / 3, q, groups=np.array([HOSTILE, "fine"])[np.arange(400) % 2])
    return monitor, update


def _grades() -> tuple[Any, Any]:
    """Levels, and the probabilities of all of them."""
    rng = np.random.default_rng(0)
    probabilities = rng.dirichlet([1.0, 2.0, 1.0], 90)
    return (rng.random((90, 1)) > probabilities.cumsum(axis=1)).sum(axis=1), probabilities


CALLS: dict[str, Callable[[], Any]] = {
    "curve": lambda: howsure.calibration_curve(PAIRS, interval="bootstrap", rng=0),
    "curve of little": lambda: howsure.calibration_curve(FEW, bin_size=1),
    "curve without bins": lambda: howsure.calibration_curve(PAIRS, method="corp", rng=0),
    "curve without bins of little": lambda: howsure.calibration_curve(FEW, method="corp", rng=0),
    "curves": lambda: curves_by_group(PAIRS, both_methods=True),
    "curves without bins": lambda: howsure.calibration_curves(PAIRS, method="corp"),
    "curves of little": lambda: howsure.calibration_curves(FEW, bin_size=1),
    "decomposition": lambda: result_of("curve without bins").brier,
    "decomposition of little": lambda: result_of("curve without bins of little").log_loss,
    "ordered levels": lambda: howsure.ordinal_calibration(*_grades(), levels=["low", HOSTILE, "high"]),
    "error": lambda: howsure.calibration_error(PAIRS),
    "error of little": lambda: howsure.calibration_error(FEW, bin_size=1),
    "table": lambda: howsure.calibration_table(PAIRS),
    "table of little": lambda: howsure.calibration_table(FEW, groups=["a", "b"], bin_size=1),
    "test": lambda: howsure.calibration_test(PAIRS, rng=0),
    "test refuted": lambda: howsure.calibration_test(FEW, method="cox"),
    "comparison": lambda: howsure.compare_calibration(
        PAIRS, against=replace(PAIRS, probabilities=PAIRS.probabilities**2)
    ),
    "check": lambda: run_calibration_check(
        PAIRS, max_error=0.1, better_than=PAIRS.probabilities**2, not_worse_than=0.05
    ),
    "trend": lambda: _trend(),
    "check of little": lambda: run_calibration_check(FEW, max_error=0.1, bin_size=1),
    "comparison of little": lambda: howsure.compare_calibration(FEW, against=FEW, bin_size=1),
    "parts": lambda: howsure.decompose_score(PAIRS),
    "choice of a curve": lambda: howsure.cross_validate_curve(PAIRS),
    "local regression": lambda: howsure.local_regression(PAIRS, span=0.5),
    "parts by label": lambda: howsure.decompose_score_by_label(PAIRS),
    "parts by label of little": lambda: howsure.decompose_score_by_label(FEW, score="log"),
    "parts of little": lambda: howsure.decompose_score(FEW, score="log", bin_size=1),
    "quantiles": lambda: howsure.quantile_calibration(
        np.arange(40.0), np.random.default_rng(0).normal(20, 9, (40, 9)), clusters=np.arange(40) // 4, rng=0
    ),
    "entity spans": lambda: entity_spans(TAGGED, [["O", f"B-{HOSTILE}"]], min_probability=0.0),
    "entity evaluation": lambda: evaluate_entities(result_of("entity spans")),
    "tag evaluation": lambda: evaluate_tags(*_tagged()),
    "tag evaluation of little": lambda: evaluate_tags(TAGGED, [["O", "O"]]),
    "comparison of posteriors": lambda: compare_posteriors(
        _tagged()[0].tempered(0.5), *_tagged(), unseen=[[True] * 4] * 60
    ),
    "temperatures": lambda: fit_temperatures(*_tagged()),
    "differences": lambda: _differences(["accuracy"]),
    "differences of several metrics": lambda: _differences(["accuracy", "macro_f1"]),
    "means of scores": lambda: howsure.compare_scores(score=_scores()),
    "means of a table": lambda: _long_form(),
    "models by group": lambda: _by_group(),
    "groups alone": lambda: _by_group().groups,
    "means alone": lambda: howsure.compare_scores(score=_scores()).means,
    "counts": lambda: _counts(),
    "counts without cells": lambda: howsure.estimate_counts([1, 0] * 20, np.linspace(0, 1, 40), method="labels"),
    "sample for labels": lambda: howsure.draw_label_sample(np.linspace(0, 1, 200), 30, rng=0),
    "comparison power": lambda: howsure.comparison_power(0.1, n=500),
    "labels needed": lambda: howsure.plan_label_sample(np.linspace(0, 1, 200), width=40),
    "groups found": lambda: _planted(),
    "multicalibration": lambda: howsure.multicalibration_error(PAIRS, features={HOSTILE: np.arange(300) % 2}),
    "groups not found": lambda: howsure.find_miscalibrated_groups(
        PAIRS, features={HOSTILE: np.arange(300) % 2}, min_rows=20
    ),
    "look": lambda: _look(),
    "signature": lambda: howsure.read_signature("howsure|estimate|method:debiased|n:6000|v:0.2.0"),
    "scores of models": lambda: howsure.mean_scores(
        np.arange(60) % 3 > 0,
        model=["a", "b", HOSTILE] * 20,
        id=np.arange(60) // 3,
        groups=np.arange(60) // 3 % 2,
        rng=0,
    ),
    "pass at k": lambda: howsure.pass_at_k(
        np.arange(60) % 7 > 3,
        model=[HOSTILE, "b"] * 30,
        id=np.repeat(np.arange(6), 10),
        run=np.arange(60) % 10 // 2,
        pass_at=(1, 3),
        pass_hat=2,
    ),
    "worst rows": lambda: howsure.worst_predictions(
        PAIRS, n=9, show={"said": [f"{HOSTILE} {i}" * i for i in range(300)]}
    ),
    "worst items": lambda: howsure.worst_items(
        np.arange(60) % 3, n=5, model=["a", "b", HOSTILE] * 20, id=np.arange(60) // 3
    ),
    "agents": lambda: howsure.score_agents(
        [1, 1, None] * 20 + [0, 1, 1] * 20,
        error=[HOSTILE, None, None] * 40,
        cost=np.arange(1, 121) / 7,
        model=np.repeat(["a", HOSTILE], 60),
        id=[*range(60)] * 2,
        rng=0,
    ),
    "items": lambda: howsure.score_items(
        (np.arange(240) * 7 % 11 > np.repeat([2, 3, 4, 5, 6, 7], 40)).astype(int),
        model=np.repeat(["a", "b", "c", "d", "e", HOSTILE], 40),
        id=[*range(39), HOSTILE] * 6,
        show={"question": [HOSTILE] * 240},
    ),
    "battles": lambda: howsure.rank_battles(
        ["a", "b", HOSTILE] * 20,
        ["b", HOSTILE, "a"] * 20,
        [("1", "2", "2", "tie", "1")[i % 5] for i in range(60)],
        clusters=np.arange(60) // 4,
        position_effect=True,
        rng=0,
    ),
    "judged scores": lambda: howsure.correct_judge_scores(
        np.where(np.arange(120) % 40 < 15, np.arange(120) % 3 > 0, np.nan),
        np.arange(120) % 4 > 0,
        model=np.repeat(["a", "b", HOSTILE], 40),
        id=np.tile(np.arange(40), 3),
    ),
    "judged score of one": lambda: howsure.correct_judge_scores([1, 0] * 10, [1, 1] * 10),
    "judge sample": lambda: howsure.draw_judge_sample(
        np.arange(60) % 4, 12, model=np.tile(["a", HOSTILE], 30), id=np.arange(60) // 2
    ),
    "judge plan": lambda: howsure.plan_judge_sample(
        np.arange(60) % 2, width=0.4, correlation=0.5, model=np.tile(["a", HOSTILE], 30)
    ),
    "transport": lambda: howsure.judge_transport(
        np.arange(120) % 4 > 0, np.arange(120) % 5 > 0, model=np.repeat(["a", "b", HOSTILE], 40), margin=0.1
    ),
    "judge bias": lambda: howsure.judge_bias(
        np.arange(120) % 5,
        y_true=np.arange(120) % 4,
        swapped=np.arange(120) % 7 // 2,
        length=np.arange(120) % 9 + 1,
        family=np.tile(["a", "b", HOSTILE], 40),
        own=HOSTILE,
    ),
    "prompts": lambda: howsure.prompt_sensitivity(
        np.arange(120) % 7, prompt=np.tile(["a", "b", HOSTILE], 40), id=np.arange(120) // 6, run=np.arange(120) // 3 % 2
    ),
    "validation of a judge": lambda: howsure.validate_judge([1, 0] * 30 + [None] * 40, [1, 0] * 28 + [0, 1] * 22),
    "disagreements of a judge": lambda: howsure.validate_judge(
        "p", "j", show=["t"], data=pd.DataFrame({"p": [1, 0] * 30, "j": [1, 0] * 28 + [0] * 4, "t": HOSTILE})
    ).further_tables()[0],
    "agreement on spans": lambda: howsure.span_agreement(
        [*range(0, 60, 3), *range(20)],
        end=[*range(2, 62, 3), *range(2, 22)],
        category=[HOSTILE, "b"] * 20,
        rater=["x"] * 20 + [HOSTILE] * 20,
        document=[*range(20), *range(20)],
    ),
    "agreement of raters": lambda: howsure.rater_agreement(
        [(i * i + i // 3) % 3 for i in range(120)],
        rater=np.repeat(["a", "b", HOSTILE], 40),
        id=np.tile(np.arange(40), 3),
        judge=HOSTILE,
    ),
    "predicted regression": lambda: howsure.regress_predicted(
        np.where(np.arange(120) % 3 > 0, np.arange(120) % 5 > 2, np.nan),
        np.arange(120) % 5 > 1,
        covariates={HOSTILE: np.arange(120) % 7, "few": np.arange(120) == 3},
    ),
    "predicted regression of classes": lambda: howsure.regress_predicted(
        np.array(["a", "b", HOSTILE])[np.arange(120) % 3], np.array(["a", "b", HOSTILE])[np.arange(120) % 5 % 3]
    ),
    "comparison so far": lambda: _comparison().status(),
    "score so far": lambda: _score_so_far().status(),
    "order of items": lambda: howsure.draw_order([HOSTILE, "b", "c"], clusters=["x", HOSTILE, "x"], rng=0),
    "race of models": lambda: howsure.race_models(
        [1, 1, 1, 0] * 20 + [0, 1, 0, 0] * 20, model=[HOSTILE] * 80 + ["b"] * 80, id=[*range(80)] * 2, rng=0
    ),
    "plan of a comparison": lambda: howsure.plan_comparison(
        [1, 1, 0, 1] * 9, [0, 1, 0, 1] * 9, items_total=200, n_simulations=20, rng=0
    ),
    "score of one": lambda: howsure.mean_scores([1, 0, 1, 1]),
    "selective": lambda: howsure.selective_curve(PAIRS, accuracy=[0.9]),
    "selective of little": lambda: howsure.selective_curve(FEW, accuracy=[0.9]),
    "fields": lambda: _fields(),
    "fields with a policy": lambda: _fields(max_risk=0.3, promise="fields"),
    "filing policy": lambda: _fields(max_risk=0.3).policy,
    "recalibrated fields": lambda: _fields(200, gold=["1", "1", "1", "2"] * 100, max_risk=0.6, recalibrate=True),
    "filing policy of little": lambda: _fields(4, max_risk=0.1).policy,
    "filing decisions": lambda: howsure.file_documents(
        _fields(max_risk=0.3).policy, **_field_columns(60), audit=2, rng=0
    ),
    "worst fields": lambda: _fields(worst=2).worst,
    "check of fields": lambda: howsure.check_fields(
        _fields(max_risk=0.3).policy, **_field_columns(60), gold=["1"] * 120
    ),
    "map": lambda: howsure.recalibrate(PAIRS, method="venn-abers", small_groups="pooled"),
    "map of little": lambda: howsure.recalibrate(np.arange(40) % 2, np.linspace(0, 1, 40), method="isotonic"),
    "evaluation": lambda: howsure.evaluate_recalibration(PAIRS.labels, PAIRS.probabilities, method="platt"),
    "evaluation of a map": lambda: result_of("map of little").evaluate([0, 1] * 10, np.linspace(0.1, 1, 20)),
    "evaluations": lambda: howsure.recalibration_table(PAIRS, methods=["temperature", "histogram"], repeats=1),
    "map of classes": lambda: howsure.recalibrate(
        np.arange(60) % 3,
        howsure.Probabilities("probs", np.random.default_rng(8).dirichlet(np.ones(3), 60), classes=["a", "b", HOSTILE]),
    ),
    "selective table": lambda: howsure.selective_table(PAIRS),
    "threshold": lambda: howsure.selective_threshold(PAIRS, risk=0.5),
    "threshold of little": lambda: howsure.selective_threshold(FEW, risk=0.1),
    "monitor": lambda: _monitored()[0].status(),
    "monitored group": lambda: _monitored()[0].status()[HOSTILE],
    "monitor before data": lambda: howsure.CalibrationMonitor().status(),
    "monitored series": lambda: _monitored()[0].series(HOSTILE),
    "update of a monitor": lambda: _monitored()[1],
    "resolved document": lambda: _resolved(),
    "scores": lambda: score_documents([[[1, 2], [3]]], [[[1, 2, 3]]]),
    "recalibration of coreference": lambda: recalibrate_coreference(
        [POSTERIOR] * 3, [[[0, 1], [2]], [[0, 1, 2]], [[0], [1], [2]]]
    ),
    "query": lambda: POSTERIOR.query(len, 50, rng=0),
    "query of texts": lambda: POSTERIOR.query(lambda clusters: (HOSTILE, len(clusters)), 50, rng=0),
    "propagated samples": lambda: howsure.propagate_samples([{HOSTILE: i % 3, "b": 1} for i in range(300)], dict),
    "shares of a variance": lambda: howsure.decompose_variance(
        [[1, 1, 0], [0, 1], [1, 0, 2]] * 4,
        lambda counts: howsure.WeightedSamples(counts, [1] * len(counts)),
        lambda count: {HOSTILE: count, "b": 1},
        samples=12,
        rng=0,
    ),
    "clustering entropy": lambda: POSTERIOR.clustering_entropy(50, rng=0),
    "series": lambda: howsure.event_series(_store(), period="year"),
    "actors": lambda: howsure.compare_actors(_store(), "SUDORIA", "NORLAND", period="year"),
    "corrected series": lambda: _corrected(),
    "corrected comparison": lambda: events.corrected_comparison(_corrected(), "AAA", "BBB"),
    "draw of documents": lambda: _drawn()[0],
    "agreement": lambda: _drawn()[1],
    "rules": lambda: events.compare_rules(_store(), _store()),
    "store": lambda: events.check_store(_store().path),
}
DRAWN = (
    "local regression",
    "propagated samples",
    "fields",
    "fields with a policy",
    "recalibrated fields",
    "agents",
    "items",
    "ordered levels",
    "curves",
    "curves of little",
    "curves without bins",
    "curve",
    "curve of little",
    "curve without bins",
    "curve without bins of little",
    "table",
    "table of little",
    "quantiles",
    "series",
    "corrected series",
    "differences",
    "differences of several metrics",
    "models by group",
    "counts",
    "counts without cells",
    "validation of a judge",
    "selective",
    "selective of little",
    "selective table",
    "threshold",
    "threshold of little",
    "scores of models",
    "pass at k",
    "battles",
    "judged scores",
    "judged score of one",
    "judge bias",
    "prompts",
    "predicted regression",
    "predicted regression of classes",
    "score of one",
    "means of scores",
    "means of a table",
    "comparison",
    "comparison of little",
    "groups found",
    "groups not found",
    "trend",
    "monitored series",
    "map",
    "map of little",
    "map of classes",
    "evaluation",
    "evaluation of a map",
    "evaluations",
    "comparison of posteriors",
    "resolved document",
)
MANY_PANELS = {
    "ordered levels",
    "comparison",
    "quantiles",
    "differences of several metrics",
    "series",
    "trend",
    "evaluation",
    "evaluation of a map",
    "monitored series",
    "comparison of posteriors",
    "resolved document",
}  # figure() has more than plot() can
PARTS = {
    "FieldRow",
    "FilingDecision",
    "PolicyField",
    "WrongValue",
    "AgentRow",
    "BenchmarkItem",
    "MiscalibratedGroup",
    "AtAccuracy",
    "AtCoverage",
    "Candidates",
    "RiskCoverage",
    "Bins",
    "ConsistencyBand",
    "CorpSteps",
    "CountEstimate",
    "GroupCalibration",
    "Difference",
    "GroupDifference",
    "ModelMean",
    "OrderedItem",
    "Racer",
    "ScoreRow",
    "BattleRow",
    "JudgedRow",
    "JudgedDifference",
    "RaterAgreementRow",
    "SpanAgreementRow",
    "JudgeReplacement",
    "JudgePlanRow",
    "JudgeTransportRow",
    "JudgeValidationRow",
    "JudgeDisagreement",
    "BiasRow",
    "PromptPart",
    "PredictedCoefficient",
    "SeenColumn",
    "MulticlassScores",
    "LabelScore",
    "LocalPoint",
    "SampledQuantity",
    "TriedCurve",
    "VarianceShare",
    "Score",
    "TrendPoint",
    "Verdict",
    "WrongRow",
    "LowItem",
}  # rows and columns of a result, not one
GIVEN = {
    "Files",
    "Probabilities",  # what a public function takes, or a model that it asks: no result
    "AntecedentScores",
    "Document",
    "Fields",
    "Filter",
    "Lexicon",
    "Mention",
    "Metric",
    "Pairs",
    "Predictions",
    "ProperLoss",
    "Rule",
    "Runs",
    "ScoreColumns",
    "Sentence",
    "SettledLabels",
    "Sharpening",
    "WeightedSamples",
    "Work",
}


@cache
def result_of(name: str) -> Any:
    """The result of a public call, made once."""
    return CALLS[name]()


RESULTS = pytest.mark.parametrize("name", CALLS)
# As pages and drawings, each kind of result once a day; these are of a kind that another one is of.
AGAIN = {
    *(name for name in CALLS if name.endswith(" of little")),
    "counts without cells",
    "differences",
    "evaluation of a map",
    "groups not found",
    "means of a table",
    "monitor before data",
    "query of texts",
    "recalibrated fields",
    "test refuted",
}


def once(names: Iterable[str]) -> list[Any]:
    """The names; repeated kinds are for the long tests."""
    return [pytest.param(name, marks=pytest.mark.long if name in AGAIN else ()) for name in names]


@RESULTS
def test_it_knows_how_it_was_made(name: str) -> None:
    recipe = dict(result_of(name).recipe)
    assert recipe
    json.dumps(recipe, allow_nan=False)
    line = result_of(name).signature
    assert (line.isprintable(), len(line.splitlines())) == (True, 1)
    signature = howsure.read_signature(line)
    assert {key: signature.settings[key] for key in ("n", "level") if key in recipe} == {
        key: str(recipe[key]) for key in ("n", "level") if key in recipe
    }


@RESULTS
def test_its_dict_is_plain_json_and_has_the_recipe(name: str) -> None:
    fields = result_of(name).to_dict()
    assert json.loads(json.dumps(fields, allow_nan=False))
    assert set(result_of(name).recipe) <= set(fields.get("recipe", fields))


@RESULTS
@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_its_frame_has_named_columns_in_every_library(name: str, backend: str) -> None:
    frame = result_of(name).to_frame(backend=backend)
    assert type(frame).__module__.startswith(backend)
    names = list(frame.column_names if backend == "pyarrow" else frame.columns)
    assert len(set(names)) == len(names) > 0
    assert all(re.fullmatch(r"[a-z][a-z0-9_]*", column) for column in names)
    assert list(result_of(name).to_frame("pyarrow").column_names) == names


@RESULTS
def test_it_prints_for_people(name: str) -> None:
    printed_text = str(result_of(name))
    assert printed_text.strip()
    assert "\x1b" not in printed_text
    assert not re.search(r"0x[0-9a-f]{6,}|array\(|<[a-z_.]+ object", printed_text)


class Tags(HTMLParser):
    """Which elements there are, and all text."""

    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.names.append(tag)

    def handle_data(self, data: str) -> None:
        self.text += data


@RESULTS
def test_its_html_is_escaped(name: str) -> None:
    html = result_of(name)._repr_html_()
    tags = Tags()
    tags.feed(html)
    assert tags.text.strip()
    assert "b" not in tags.names
    assert "\x1b" not in html


@pytest.mark.parametrize("name", once(DRAWN))
def test_it_is_drawn_on_the_axes_given(name: str) -> None:
    result = result_of(name)
    options = {"metric": "accuracy"} if name.startswith("differences") else {}
    options |= {"rule": result.rules[0]} if name == "trend" else {}
    ax = Figure().add_subplot()
    assert result.plot(ax, **options) is ax
    assert ax.has_data() or ax.texts
    assert isinstance(result.plot(**options), Axes)
    assert next(iter(inspect.signature(result.plot).parameters.values())).name == "ax"
    if name in MANY_PANELS:
        figure = result.figure()
        assert isinstance(figure, Figure)
        assert len(figure.axes) > 1


@RESULTS
def test_it_is_printed_in_a_paper(name: str) -> None:
    result = result_of(name)
    latex, markdown = result.to_latex(label="tab:it"), result.to_markdown()
    for other in result.further_tables():  # which has a table of its own
        assert latex.endswith(other.to_latex())
        assert markdown.endswith(other.to_markdown())
        alone: dict[str, Any] = {"groups": None} if isinstance(result, howsure.Comparison) else {"differences": ()}
        result = replace(result, **alone)
        latex, markdown = result.to_latex(label="tab:it"), result.to_markdown()
    begin = re.search(r"\\begin{(table\*?)}\n\\centering\n\\begin{tabular}{[lr]+}", latex)
    assert re.search(rf"\\caption{{.+}}\n\\label{{tab:it}}\n\\end{{{re.escape(begin[1])}}}$", latex)
    assert r"% preamble: \usepackage{booktabs}" in latex
    assert not re.search(r"(?<!\\)[_#&](?! )", re.sub(r"(?m)^%.*$| & |\$.*?\$", "", latex))  # all is escaped
    comments = [line for line in latex.splitlines() if line.startswith("%")]
    assert len(comments) == len(set(comments))  # nothing is reported twice
    rows = [line for line in markdown.splitlines() if line.startswith("|")]
    assert len(rows) == 2 + len(result.table().rows)
    first = result.table().headings[0]
    assert result.to_markdown(columns=[first]).count("|") == 2 * len(rows) + result.table().text().count("|")
    for key in ("to_markdown", "to_latex"):
        with pytest.raises(howsure.InputError, match=r"no column 'nothing such' in the table; it has "):
            getattr(result, key)(columns=["nothing such"])


@pytest.mark.parametrize("name", once(CALLS))
def test_it_is_a_page(name: str, tmp_path: Path) -> None:
    result, path = result_of(name), tmp_path / "page.html"
    result.report(path, title="<b>What")
    tags = Tags()
    tags.feed(path.read_text(encoding="utf-8"))
    assert "<b>What" in tags.text
    assert "script" not in tags.names
    assert "Recipe" in tags.text
    assert "table" in tags.names
    if name in DRAWN and name != "counts without cells":
        assert "svg" in tags.names
    with pytest.raises(howsure.InputError, match=r"must end in \.html"):
        result.report(tmp_path / "page.pdf")


@pytest.mark.parametrize("name", [*CALLS])
def test_rows_are_taken_by_position_slice_and_name(name: str) -> None:
    result = result_of(name)
    if isinstance(result, Rows):
        rows = list(result)
        assert list(result[:]) == rows
        assert all(result[place] is row for place, row in enumerate(rows))
        with pytest.raises(IndexError):
            result[len(rows)]
        with pytest.raises((KeyError, InputError)):
            result["a name that no row has"]


def test_several_metrics_do_not_fit_into_one_panel() -> None:
    with pytest.raises(
        howsure.InputError, match=r"metric must be one of accuracy, macro_f1. To draw all of them, use figure\(\)"
    ):
        result_of("differences of several metrics").plot()
    with pytest.raises(howsure.InputError, match="no metric 'mcc' in the comparison"):
        result_of("differences").plot(metric="mcc")


def _public_results() -> Iterator[str]:
    """Every public data class and whatever has a recipe, by its name."""
    for room in map(import_module, ROOMS):
        for name in room.__all__:
            public = getattr(room, name)
            if inspect.isclass(public) and is_dataclass(public) and name not in PARTS | GIVEN:
                yield name


def test_no_public_result_is_forgotten() -> None:
    made = {type(result_of(name)).__name__ for name in CALLS}
    assert set(_public_results()) == made
    assert {type(result_of(name)).__name__ for name in CALLS.keys() - AGAIN} == made
    assert {name for name in CALLS if hasattr(result_of(name), "plot")} == set(DRAWN)
