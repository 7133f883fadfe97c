"""Judged scores: against another program, sums by hand, simulations of their coverage, and what is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tests.cli.running import howsure as run_command

import howsure
from howsure.errors import InputError
from howsure.judges.correct_judge_scores import correct_grades
from howsure.judges.correction import Graded
from howsure.stats.mean_score import STUDENT_NOTE

# `ppi_py` 0.2.3 of these grades: ppi_mean_pointestimate(y, f, of the others), lam=None.
PPI_PY = 3.1211161481140977
Truth = tuple[np.ndarray, np.ndarray, float, tuple[float, float] | None]


def grades() -> tuple[np.ndarray, np.ndarray]:
    """Of 240 answers, the first 40 of which people graded."""
    draw = np.random.default_rng(0)
    y = np.round(draw.random(40) * 4) + 1
    f = np.clip(y + draw.integers(-1, 2, 40), 1, 5).astype(float)
    return np.append(y, np.full(200, np.nan)), np.append(f, draw.integers(1, 6, 200).astype(float))


def test_the_mean_matches_prediction_powered_inference() -> None:
    y, f = grades()
    row = howsure.correct_judge_scores(y, f, bounds=(1, 5)).rows[0]
    assert row.corrected.value == pytest.approx(PPI_PY, abs=1e-12)
    assert (row.n, row.labelled, row.judge.value) == (240, 40, pytest.approx(f.mean(), abs=1e-12))


def test_the_mean_within_strata_is_the_sum_by_hand() -> None:
    y, f = grades()
    strata = np.array(["x", "y"])[(np.arange(240) % 3 == 0) * 1]
    row = howsure.correct_judge_scores(y, f, strata=strata, bounds=(1, 5)).rows[0]
    shared = spread = value = 0.0
    parts = [(in_stratum := strata == stratum, in_stratum & ~np.isnan(y)) for stratum in "xy"]
    for in_stratum, labelled in parts:
        w = in_stratum.mean()
        cov = np.cov(y[labelled], f[labelled], ddof=0)
        shared, spread = shared + w**2 / labelled.sum() * cov[0, 1], spread + w**2 / labelled.sum() * cov[1, 1]
    slope = shared / spread
    for in_stratum, labelled in parts:
        value += in_stratum.mean() * (slope * f[in_stratum].mean() + (y - slope * f)[labelled].mean())
    assert (row.slope, row.corrected.value) == (pytest.approx(slope, abs=1e-12), pytest.approx(value, abs=1e-12))
    chances = {row: float((strata == strata[row])[:40].sum() / (strata == strata[row]).sum()) for row in range(40)}
    again = howsure.correct_judge_scores(y, f, strata=strata, inclusion=chances, bounds=(1, 5)).rows[0]
    assert again.corrected.value == pytest.approx(value, abs=1e-12)


def test_where_all_were_graded_the_judge_does_not_count() -> None:
    y = np.array([1.0, 0.0, 1.0, 1.0, 0.0] * 8)
    row = howsure.correct_judge_scores(y, np.arange(40) % 2).rows[0]
    assert row.corrected.value == pytest.approx(y.mean(), abs=1e-12)
    assert row.people.value == pytest.approx(y.mean(), abs=1e-12)


def test_a_difference_is_the_mean_of_differences_of_the_same_items() -> None:
    y, f = grades()
    draw = np.random.default_rng(5)
    g, z = draw.permutation(f), np.where(np.isnan(y), np.nan, draw.integers(1, 6, 240))
    corrected = howsure.correct_judge_scores(
        np.append(y, z),
        np.append(f, g),
        model=["x"] * 240 + ["z"] * 240,
        id=[*range(240)] * 2,
        against="z",
        bounds=(1, 5),
    )
    (difference,) = corrected.differences
    alone = Graded(
        (f - g), np.arange(40), (y - z)[:40], np.full(40, 6.0), np.zeros(40, dtype=np.int64), None, (-4.0, 4.0)
    )
    assert (difference.model, difference.against, difference.n, difference.labelled) == ("x", "z", 240, 40)
    assert difference.corrected == alone.mean(0.95, slope=alone.slope())


def rare(draw: np.random.Generator) -> Truth:
    y = (draw.random(1000) < 0.05) * 1.0
    return y, np.where(draw.random(1000) < 0.98, y, 1 - y), 0.05, (0.0, 1.0)


def half(draw: np.random.Generator) -> Truth:
    y = (draw.random(1000) < 0.5) * 1.0
    return y, np.where(draw.random(1000) < 0.9, y, 1 - y), 0.5, (0.0, 1.0)


def rare_errors(draw: np.random.Generator) -> Truth:
    y = draw.choice(5, 1000, p=[0.1, 0.15, 0.3, 0.3, 0.15]) + 1.0
    return y, np.where(draw.random(1000) < 0.97, y, 1.0), 3.25, (1.0, 5.0)


def rare_errors_unbounded(draw: np.random.Generator) -> Truth:
    return *rare_errors(draw)[:3], None


def normal(draw: np.random.Generator) -> Truth:
    y = draw.normal(size=1000)
    return y, 3 * y + draw.normal(size=1000), 0.0, None


@pytest.mark.slow
@pytest.mark.parametrize("regime", [rare, half, rare_errors, rare_errors_unbounded, normal])
@pytest.mark.parametrize("n", [50, 100, 300])
def test_intervals_cover_or_say_that_they_cannot_tell(regime: Callable[[np.random.Generator], Truth], n: int) -> None:
    draw, covered = np.random.default_rng(n), list[bool]()
    for _ in range(200):
        y, f, truth, bounds = regime(draw)
        labelled = draw.choice(1000, n, replace=False)
        graded = Graded(f, labelled, y[labelled], np.full(n, 1000 / n), np.zeros(n, dtype=np.int64), None, bounds)
        estimate = graded.mean(0.95, slope=graded.slope())
        if estimate.low is not None and estimate.high is not None:
            covered.append(estimate.low <= truth <= estimate.high)
    if regime is rare_errors_unbounded:
        assert len(covered) < 5
    else:
        assert len(covered) >= 195
        assert np.mean(covered) > 0.915  # .95 less two and a half standard errors of 200


@pytest.mark.slow
def test_clusters_that_are_right_or_wrong_together_widen_the_interval() -> None:
    draw, covered, wider = np.random.default_rng(8), list[bool](), list[bool]()
    for _ in range(150):
        units = np.repeat(np.arange(300), 5)
        y = np.repeat((draw.random(300) < 0.6) * 1.0, 5)
        f = np.where(np.repeat(draw.random(300) < 0.85, 5), y, 1 - y)
        people = np.where(np.isin(units, draw.choice(300, 40, replace=False)), y, np.nan)
        row, loose = (
            howsure.correct_judge_scores(people, f, clusters=clusters).rows[0].corrected for clusters in (units, None)
        )
        covered.append(row.low <= 0.6 <= row.high)
        if loose.low is not None and loose.high is not None:
            wider.append(row.high - row.low > loose.high - loose.low)
    assert np.mean(covered) > 0.9
    assert all(wider)


@pytest.mark.long
def test_a_judge_that_knows_nothing_costs_little() -> None:
    draw, ratios = np.random.default_rng(2), list[float]()
    for _ in range(60):
        y, f = (draw.random(1000) < 0.3) * 1.0, (draw.random(1000) < 0.5) * 1.0
        row = howsure.correct_judge_scores(np.where(np.arange(1000) < 100, y, np.nan), f).rows[0]
        widths = [(estimate.high or 0.0) - (estimate.low or 0.0) for estimate in (row.corrected, row.people)]
        ratios.append(widths[0] / widths[1])
    assert np.mean(ratios) < 1.03


def test_few_grades_and_a_judge_that_gives_all_the_same_are_reported() -> None:
    y, f = grades()
    few = howsure.correct_judge_scores(np.where(np.arange(240) < 5, y, np.nan), f, bounds=(1, 5))
    assert np.isnan(few.rows[0].corrected.value)
    assert "humans graded 5 answers, fewer than 10" in repr(few)
    same = howsure.correct_judge_scores(y, np.ones(240), bounds=(1, 5)).rows[0]
    assert same.corrected == same.people
    assert "the same grade" in same.notes[0]


def test_answers_that_were_chosen_by_their_grade_are_told_apart() -> None:
    y, f = np.arange(400) % 2 * 1.0, np.arange(400) / 400
    chosen = howsure.correct_judge_scores(np.where(f > 0.8, y, np.nan), f).rows[0]
    assert np.isnan(chosen.corrected.value)
    assert "If the answers were not drawn at random" in chosen.notes[0]


def test_a_perfect_judge_without_bounds_has_no_interval() -> None:
    f = np.arange(500) % 7 + 0.5
    row = howsure.correct_judge_scores(np.where(np.arange(500) < 60, f, np.nan), f).rows[0]
    assert row.corrected.low is None
    assert "Give the lowest and the highest grade, bounds=..." in row.notes[0]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"y_true": [6.0] + [None] * 59}, r"y_true must be between the bounds, 1 and 5; row 0 is 6"),
        ({"y_true": [None] * 60}, r"y_true is empty in every row\. Have some answers graded"),
        ({"score": [None] + [1.0] * 59}, "score must not be missing; row 0 is empty"),
        ({"id": [0] * 60}, "an item must have one row for each model; row 0 and row"),
        ({"against": "q"}, "no model 'q' in the data"),
        ({"against": "a", "id": None}, "against='a' needs several models"),
        ({"inclusion": [0.5] * 60}, "inclusion says that there are"),
        ({"inclusion": [2.0] * 60}, r"must be greater than 0 and at most 1 for a unit with a label; row 0 is"),
    ],
)
def test_bad_input_is_refused(change: dict[str, object], message: str) -> None:
    arguments: dict[str, object] = {
        "y_true": [1.0, 2.0, 3.0] * 20,
        "score": [1.0, 2.0] * 30,
        "model": ["a"] * 30 + ["b"] * 30,
        "id": [*range(30)] * 2,
        "bounds": (1, 5),
    }
    arguments |= change
    with pytest.raises(InputError, match=message):
        howsure.correct_judge_scores(arguments.pop("y_true"), arguments.pop("score"), **arguments)


def test_files_say_what_arrays_say(tmp_path: Path) -> None:
    y, f = grades()
    table = pd.DataFrame({"person": y, "judge": f, "model": ["x", "y"] * 120, "item": np.arange(240) // 2})
    table.to_csv(tmp_path / "answers.csv", index=False)
    roles = {"model": "model", "id": "item", "bounds": (1, 5)}
    from_table = howsure.correct_judge_scores("person", "judge", data=table, **roles)
    from_file = howsure.correct_judge_scores("person", "judge", data=howsure.read(tmp_path / "answers.csv"), **roles)
    assert (from_table.rows, from_table.differences) == (from_file.rows, from_file.differences)
    options = ["--target", "person", "--score", "judge", "--model", "model", "--id", "item", "--bounds", "1,5"]
    done = run_command("judge", tmp_path / "answers.csv", *options, "--format", "json", "--figure", tmp_path / "f.png")
    assert json.loads(done.out)["models"] == json.loads(json.dumps(from_file.to_dict()["models"]))
    assert (tmp_path / "f.png").stat().st_size > 10_000


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["strata", "clusters in part", "clusters as a whole"])
def test_designs_cover_the_mean_of_all_such_answers(kind: str) -> None:
    draw, covered = np.random.default_rng(11), list[bool]()
    for _ in range(200):
        labels, strata, clusters = np.full(600, np.nan), None, None
        if kind == "strata":
            strata = draw.integers(0, 2, 600)
            y = np.where(strata, draw.normal(1, 0.2, 600), draw.normal(-1, 0.2, 600))
            rows = np.concatenate(
                [draw.choice(np.flatnonzero(strata == stratum), 100, replace=False) for stratum in (0, 1)]
            )
        else:
            clusters, y = np.repeat(np.arange(120), 5), np.repeat(draw.normal(size=120), 5)
            rows = np.flatnonzero(np.arange(600) % 5 < (2 if kind == "clusters in part" else 5))
        labels[rows] = y[rows]
        f = y + draw.normal(size=600)
        row = howsure.correct_judge_scores(labels, f, strata=strata, clusters=clusters).rows[0].corrected
        covered.append(row.low <= 0.0 <= row.high)
    assert np.mean(covered) > 0.9


def test_a_model_without_a_mean_has_no_difference() -> None:
    draw = np.random.default_rng(1)
    a, b = draw.random((2, 400))
    chosen = a > 0.8
    corrected = howsure.correct_judge_scores(
        np.concatenate([np.where(chosen, labels, np.nan) for labels in (a, b)]),
        np.concatenate([a, b]),
        model=["a"] * 400 + ["b"] * 400,
        id=[*range(400)] * 2,
        bounds=(0, 1),
    )
    assert np.isnan(corrected.differences[0].corrected.value)


def test_texts_for_nothing_and_numbers_spelled_otherwise_are_understood() -> None:
    labels = ["yes", "no"] * 20 + [""] * 160
    row = howsure.correct_judge_scores(labels, ["yes", "no"] * 100, pos_label="yes").rows[0]
    assert (row.labelled, row.people.value) == (40, 0.5)
    row = howsure.correct_judge_scores([5.0, 3.0, np.nan, np.nan] * 25, [5, 4] * 50, pos_label="5").rows[0]
    assert (row.labelled, row.people.value) == (50, 0.5)


def test_zeros_and_ones_of_people_are_not_shares_where_the_judge_gives_more() -> None:
    row = howsure.correct_judge_scores([1.0] * 20 + [None] * 80, np.arange(100) % 5 + 1).rows[0]
    assert row.corrected.low is None


def test_differences_are_adjusted_and_agree_with_their_intervals() -> None:
    y, f = grades()
    draw = np.random.default_rng(5)
    steps = (0, 0.5, 1.5)
    people = np.concatenate([np.clip(y - step - 0.4 * draw.random(240), 1, 5) for step in steps])
    judge = np.concatenate([np.clip(f + draw.integers(-1, 1, 240), 1, 5) for _ in steps])
    options = {"model": np.repeat(["x", "y", "z"], 240), "id": np.tile(np.arange(240), 3), "bounds": (1, 5)}
    differences = howsure.correct_judge_scores(people, judge, against="x", **options).differences
    smaller, larger = sorted(differences, key=lambda difference: difference.p_value)
    assert smaller.p_adjusted == pytest.approx(2 * smaller.p_value)
    assert larger.p_adjusted == pytest.approx(max(larger.p_value, 2 * smaller.p_value))
    again = correct_grades(people, judge, against="x", adjust=None, level=1 - larger.p_value, **options)
    (same,) = (difference for difference in again.differences if difference.model == larger.model)
    assert same.corrected.high == pytest.approx(0.0, abs=1e-4)  # where the interval ends that only just leaves out 0
    assert same.p_value == same.p_adjusted


def test_a_model_whose_draw_shows_nothing_ends_the_call_for_no_other() -> None:
    y, f = grades()
    strata = np.where(np.arange(240) < 39, "often", np.where(np.arange(240) < 41, "rare", "often"))
    plain = np.full(240, "often")
    options = {"model": ["x"] * 240 + ["z"] * 240, "strata": np.concatenate([strata, plain]), "bounds": (1, 5)}
    corrected = howsure.correct_judge_scores(np.append(y, y), np.append(f, f), **options)
    assert np.isnan(corrected["x"].corrected.value)
    assert "strata: 'rare' has 2 units and 1 with labels; each stratum needs 2" in corrected["x"].notes[0]
    assert corrected["z"].corrected.value == pytest.approx(PPI_PY, abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("spread", [0.3, 1.0, 1.5])
@pytest.mark.parametrize("n", [50, 100, 300])
def test_unequal_chances_cover(spread: float, n: int) -> None:
    draw, covered = np.random.default_rng(n), list[bool]()
    for _ in range(300):
        y = draw.normal(size=1000)
        size = np.exp(spread * draw.normal(size=1000))
        chance = np.minimum(n * size / size.sum(), 1)
        labelled = np.flatnonzero(draw.random(1000) < chance)
        nowhere = np.zeros(len(labelled), dtype=np.int64)
        graded = Graded(y + draw.normal(size=1000), labelled, y[labelled], 1 / chance[labelled], nowhere, None, None)
        estimate = graded.mean(0.95, slope=graded.slope())
        if estimate.low is not None and estimate.high is not None:  # else: it cannot tell
            covered.append(estimate.low <= 0.0 <= estimate.high)
    assert len(covered) > {0.3: 230, 1.0: 180, 1.5: 80}[spread]
    assert np.mean(covered) > 0.93


@pytest.mark.parametrize(("times", "n", "decides"), [(5, 150, True), (100, 50, False), (20, 400, True)])
def test_unequal_chances_decide_or_give_a_note(times: int, n: int, decides: bool) -> None:
    """Where the judge is kindest it is furthest off, and people graded fewest."""
    covered, notes = list[bool](), set[str]()
    for run in range(30):
        draw = np.random.default_rng(run)
        f = draw.uniform(1, 5, 1000)
        y = f + 0.3 * (f - 3) ** 2 + draw.normal(0, 0.5, 1000)  # 3.4 on average
        chance = times ** np.where(f >= 4, 0.0, np.where(f >= 2, 0.5, 1.0))
        chance = np.minimum(n * chance / chance.sum(), 1)
        row = howsure.correct_judge_scores(np.where(draw.random(1000) < chance, y, np.nan), f, inclusion=chance).rows[0]
        notes |= {note[:20] for note in row.notes}
        if row.corrected.low is not None and row.corrected.high is not None:
            covered.append(row.corrected.low <= 3.4 <= row.corrected.high)
    assert (len(covered) > 20) is decides
    if not decides:
        assert "inclusion probabilit" in notes
    assert sum(covered) >= 0.85 * len(covered)


# Annotation errors.


def labels_by(draw: np.random.Generator, truth: np.ndarray, alpha: float, beta: float) -> np.ndarray:
    return np.where(truth == 1, draw.random(len(truth)) >= beta, draw.random(len(truth)) < alpha) * 1.0


def two_models(run: int, alpha: float, beta: float, *, n: int = 1000, of: int = 200) -> tuple[float, dict[str, object]]:
    """The true difference of two models, their rates .55 and .35, and what a judge and two readers say of both."""
    draw = np.random.default_rng(run)
    item, truth = np.tile(np.arange(n), 2), (draw.random(2 * n) < np.repeat([0.55, 0.35], n)) * 1.0
    first, second = (labels_by(draw, truth, alpha, beta) for _ in range(2))
    settled = np.where(first != second, truth, np.nan)
    order = draw.permutation(n)
    first[~np.isin(item, order[:of])] = np.nan
    second[~np.isin(item, order[: of // 2])] = settled[~np.isin(item, order[: of // 2])] = np.nan
    judge = np.where(draw.random(2 * n) < 0.9, truth, 1 - truth)
    model = np.repeat(["x", "z"], n)
    columns = {"y_true": first, "score": judge, "model": model, "id": item, "against": "z"}
    return 0.2, columns | {"second": second, "settled": settled}


@pytest.mark.long
@pytest.mark.parametrize(("alpha", "beta"), [(0.05, 0.05), pytest.param(0.02, 0.25, marks=pytest.mark.slow)])
def test_means_and_differences_hold_what_is_true_where_people_err(alpha: float, beta: float) -> None:
    covered = []
    for run in range(30):
        truth, columns = two_models(run, alpha, beta)
        corrected = howsure.correct_judge_scores(**columns)
        ends = [
            (corrected["x"].corrected, 0.55),
            (corrected["x"].people, 0.55),
            (corrected.differences[0].corrected, truth),
        ]
        covered.append([estimate.low <= true <= estimate.high for estimate, true in ends])
    assert (np.mean(covered, axis=0) > 0.85).all()


def test_errors_of_people_move_a_mean_and_a_difference_as_by_hand() -> None:
    _, columns = two_models(0, 0.02, 0.25)
    uncorrected = howsure.correct_judge_scores(
        **{name: column for name, column in columns.items() if name not in ("second", "settled")}
    )
    corrected = howsure.correct_judge_scores(**columns)
    alpha, beta = corrected.readings.false_positives.value, corrected.readings.false_negatives.value
    for row, before in zip(corrected, uncorrected, strict=True):
        for name in ("people", "corrected"):
            true = (getattr(before, name).value - alpha) / (1 - alpha - beta)
            assert getattr(row, name).value == pytest.approx(true, abs=1e-12)
        judge = before.bias.value + before.people.value
        assert row.bias.value == pytest.approx(judge - row.people.value, abs=1e-12)
        assert (row.judge, row.worth) == (before.judge, before.worth)
    (difference,), (before,) = corrected.differences, uncorrected.differences
    assert difference.corrected.value == pytest.approx(before.corrected.value / (1 - alpha - beta), abs=1e-12)
    assert (difference.p_value, difference.p_adjusted) == (before.p_value, before.p_adjusted)
    assert difference.corrected.low >= before.corrected.low > 0  # who finds a difference finds it still
    del columns["settled"]
    wide = howsure.correct_judge_scores(**columns)
    assert np.isnan(wide["x"].corrected.value)
    assert wide["x"].corrected.width > corrected["x"].corrected.width > uncorrected["x"].corrected.width
    assert "allow for either" in str(wide)
    alike = howsure.correct_judge_scores(**columns, flips="alike")
    assert alike.readings.false_positives == alike.readings.false_negatives
    assert alike.recipe["flips"] == "alike"


def test_people_who_never_differ_change_a_mean_by_little() -> None:
    _, columns = two_models(0, 0.0, 0.0)
    with pytest.raises(InputError, match=r"settled=.* needs second=.*, the second labels"):
        howsure.correct_judge_scores(**{name: column for name, column in columns.items() if name != "second"})
    corrected = howsure.correct_judge_scores(**columns)
    assert corrected["x"].corrected.value == pytest.approx(0.55, abs=0.06)
    assert "is second a copy of y_true" in corrected.notes[0]


def test_errors_are_of_yes_and_no() -> None:
    _, columns = two_models(0, 0.05, 0.05)
    grades = {"y_true": columns["y_true"] * 2 + 1}
    with pytest.raises(InputError, match=r"humans mislabel 0 and 1; row .* of y_true is .* graded by two people"):
        howsure.correct_judge_scores(**columns | grades)
    named = {name: columns[name] * 2 + 1 for name in ("y_true", "score", "second", "settled")}
    again = howsure.correct_judge_scores(**columns | named, pos_label=3)
    assert again["x"] == howsure.correct_judge_scores(**columns)["x"]


def test_a_judge_that_equals_people_everywhere_may_be_a_copy() -> None:
    grades = [0, 1, 1] * 10
    corrected = howsure.correct_judge_scores(grades, grades)
    assert any("Check that neither is a copy of the other" in note for note in corrected.notes)
    people = [1 - grades[0], *grades[1:]]
    assert not any("copy" in note for note in howsure.correct_judge_scores(people, grades).notes)


@pytest.mark.parametrize(("bounds", "noted"), [(None, True), ((1, 5), False)])
def test_student_intervals_and_own_corrections_are_noted(bounds: tuple[float, float] | None, noted: bool) -> None:
    rng = np.random.default_rng(3)
    person = rng.integers(1, 6, 160).astype(float)
    judge = np.clip(person + rng.integers(-1, 2, 160), 1, 5)
    person[rng.permutation(160)[:40]] = np.nan
    rows = {"model": ["a", "b"] * 80, "id": np.arange(160) // 2}
    scores = howsure.correct_judge_scores(person, judge, bounds=bounds, **rows)
    assert (STUDENT_NOTE in scores.notes) == noted
    a, b = (row.corrected.value for row in sorted(scores.rows, key=lambda row: str(row.model)))
    (difference,) = scores.differences
    gap = difference.corrected.value - (a - b if difference.model == "a" else b - a)
    assert abs(gap) > 1e-4
    assert any(note.startswith("Each difference has its own correction") for note in scores.notes)
    alone = howsure.correct_judge_scores(person, judge, bounds=bounds)
    assert not any(note.startswith("Each difference") for note in alone.notes)


@pytest.mark.parametrize(
    ("against", "expected"),
    [
        (None, "has the highest mean by corrected grades, {}; 2 models, not compared."),
        ("b", "{}; not compared with b: a."),
    ],
)
def test_models_without_shared_human_grades_are_not_compared(against: str | None, expected: str) -> None:
    # people graded the items 0-19 of a (18 of them right) and 20-39 of b (2 right): no item has grades of both answers
    item, model = np.arange(80) % 40, np.repeat(["a", "b"], 40)
    judge = np.where(model == "a", item % 10 > 0, item % 10 == 0).astype(float)
    people = np.where((item < 20) == (model == "a"), judge, np.nan)
    result = howsure.correct_judge_scores(people, judge, model=model, id=item, against=against)
    assert result.answer.endswith(expected.format(result.rows[0].corrected))


def test_no_model_is_best_without_a_corrected_mean() -> None:
    """Each model has 8 human grades, too few to correct its mean."""
    grades = np.tile([1.0, 2.0, 3.0, 4.0], 15)
    people = [grade if i % 20 < 8 else None for i, grade in enumerate(grades)]
    corrected = howsure.correct_judge_scores(
        people, grades, model=np.repeat(["a", "b", "c"], 20), id=np.tile(range(20), 3)
    )
    assert corrected.answer == "Too few human grades to correct the mean of any of 3 models."
    only = howsure.correct_judge_scores(people[:20], grades[:20])
    assert only.answer == "Too few human grades to correct the mean; the judge gives 2.5000."


def test_a_judge_that_widens_the_interval_is_named() -> None:
    rng = np.random.default_rng(0)
    people = rng.integers(1, 6, 87).astype(float)
    judge = np.clip(people + rng.integers(-1, 2, 87), 1, 5)
    graded = np.arange(87) % 4 == 0
    labels = np.where(graded, people, np.nan)
    how = {"bounds": (1, 5), "clusters": np.arange(87) // 3}
    rows = howsure.correct_judge_scores(labels, judge, **how)
    row = rows.rows[0]
    assert row.corrected.high - row.corrected.low > row.people.high - row.people.low
    assert "The judge does not help here" in str(rows)
    y, f = grades()
    assert "does not help" not in str(howsure.correct_judge_scores(y, f, bounds=(1, 5)))
