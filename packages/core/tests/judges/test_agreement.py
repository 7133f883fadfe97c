"""Agreement of raters: against other programs, cases by hand, coverage, and the test of a judge."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import cohen_kappa_score

import howsure
from howsure.errors import InputError

# `krippendorff` 0.9.0 of all four raters; `irrCAC` 0.4.4, Gwet's AC and Conger's κ of the first two.
OTHERS = {
    "nominal": (0.29728753711580136, 0.196490043874, 0.185550082102),
    "ordinal": (0.7603600876908322, 0.518796992481, 0.507559395248),
    "interval": (0.7601213683561633, 0.743645048, 0.734693877551),
}


def ratings(n: int = 80, *, kept: float = 0.8) -> dict[str, np.ndarray]:
    """Grades from 1 to 5 of 80 items by four raters, who skip some."""
    draw = np.random.default_rng(0)
    truth = draw.integers(1, 6, n)
    score = np.concatenate([np.clip(truth + draw.integers(-1, 2, n), 1, 5) for _ in range(4)])
    rated = draw.random(4 * n) < kept
    rater, item = np.repeat(["ann", "bob", "cyd", "gpt"], n), np.tile(np.arange(n), 4)
    return {"score": score[rated], "rater": rater[rated], "id": item[rated]}


@pytest.mark.parametrize("scale", OTHERS)
def test_coefficients_match_other_programs(scale: str) -> None:
    agreement = howsure.rater_agreement(**ratings(), scale=scale)
    alpha, ac, kappa = OTHERS[scale]
    first = next(row for row in agreement if row.b is not None)
    assert agreement[0].alpha.value == pytest.approx(alpha, abs=1e-12)
    assert (first.ac.value, first.kappa.value) == (pytest.approx(ac, abs=1e-8), pytest.approx(kappa, abs=1e-11))


@pytest.mark.parametrize("scale", OTHERS)
def test_a_column_per_rater_equals_a_row_per_grade(scale: str, tmp_path: Path) -> None:
    long = pd.DataFrame(ratings())
    wide = long.pivot(index="id", columns="rater", values="score").reset_index()
    wide.to_csv(tmp_path / "wide.csv", index=False)
    names = ["ann", "bob", "cyd", "gpt"]
    rows = [
        (row.a, row.b, row.n, str(row.alpha), str(row.ac)) for row in howsure.rater_agreement(**ratings(), scale=scale)
    ]
    for data in (wide, howsure.read(tmp_path / "wide.csv")):
        agreement = howsure.rater_agreement(raters=names, scale=scale, data=data)
        assert [(row.a, row.b, row.n, str(row.alpha), str(row.ac)) for row in agreement] == rows


def test_repeated_items_of_a_table_with_a_column_per_rater(tmp_path: Path) -> None:
    items = [*range(1, 11), 3]
    table = pd.DataFrame({"item": items, "ann": [item % 2 for item in items], "bob": 1})
    table.to_csv(tmp_path / "x.csv", index=False)
    for data in (table, howsure.read(tmp_path / "x.csv")):
        note, *_ = howsure.rater_agreement(raters=["ann", "bob"], data=data).notes
        assert note.startswith("item repeats. If it identifies the item, some items count twice: give id='item'")
        with pytest.raises(InputError, match=r"row (2|3) .*and row 1[01] .*are identical, with item '3'\. Remove one"):
            howsure.rater_agreement(raters=["ann", "bob"], id="item", data=data)
        for row in howsure.rater_agreement(raters=["ann", "bob"], id="row", data=table.assign(row=range(11))):
            assert row.n == 11


@pytest.mark.parametrize(("grade", "message"), [(1, "are identical, with item 'b'"), (0, "are both item 'b'")])
def test_a_grade_given_twice_is_refused_without_advice_on_runs(grade: int, message: str) -> None:
    with pytest.raises(InputError, match=f"row 3 and row 4 {message}") as refused:
        howsure.rater_agreement([1, 0, 1, 1, grade], rater=["x", "x", "y", "y", "y"], id=["a", "b", "a", "b", "b"])
    assert "run" not in str(refused.value)


def test_columns_of_raters_are_two_or_more_and_replace_the_others() -> None:
    table = pd.DataFrame({"judge": [0, 1], "human": [1, 1]})
    with pytest.raises(InputError, match="two or more different columns; it is judge, judge"):
        howsure.rater_agreement(raters=["judge", "judge"], data=table)
    with pytest.raises(InputError, match="Leave out score and rater"):
        howsure.rater_agreement("judge", raters=["judge", "human"], data=table)
    with pytest.raises(
        InputError, match=r"rater is missing\. For a table with a row per grade, give score, rater and id"
    ):
        howsure.rater_agreement([0, 1], id=[0, 0])


def test_kappa_equals_scikit_learns() -> None:
    draw = np.random.default_rng(2)
    human = draw.integers(0, 4, 90)
    judge = np.where(draw.random(90) < 0.6, human, draw.integers(0, 4, 90))
    table = pd.DataFrame({"judge": judge, "human": human})
    for scale, weights in (("nominal", None), ("ordinal", "linear"), ("interval", "quadratic")):
        (row,) = howsure.rater_agreement(raters=["judge", "human"], scale=scale, data=table)
        assert row.kappa is not None
        assert row.kappa.value == pytest.approx(cohen_kappa_score(human, judge, weights=weights), abs=1e-12)


@pytest.mark.parametrize("scale", OTHERS)
def test_alpha_is_the_sum_over_pairs_of_grades(scale: str) -> None:
    rows = ratings(12)
    units = [rows["score"][rows["id"] == item].tolist() for item in range(12)]
    units = [unit for unit in units if len(unit) > 1]
    every = [value for unit in units for value in unit]

    def apart(a: int, b: int) -> float:
        if scale == "ordinal":
            low, high = sorted((a, b))
            return (
                (sum(low <= v <= high for v in every) - (every.count(a) + every.count(b)) / 2) ** 2 if a != b else 0.0
            )
        return float(a != b) if scale == "nominal" else (a - b) ** 2

    observed = sum(apart(a, b) / (len(unit) - 1) for unit in units for a, b in product(unit, unit)) / len(every)
    expected = sum(apart(a, b) for a, b in product(every, every)) / (len(every) * (len(every) - 1))
    agreement = howsure.rater_agreement(**rows, scale=scale)
    assert agreement[0].alpha.value == pytest.approx(1 - observed / expected, abs=1e-12)


def test_intervals_are_a_jackknife_by_hand() -> None:
    rows = ratings(30, kept=1.0)
    agreement = howsure.rater_agreement(**rows, scale="ordinal")
    without = [
        howsure.rater_agreement(**{name: column[rows["id"] != item] for name, column in rows.items()}, scale="ordinal")
        for item in range(30)
    ]
    for row, place in ((0, "alpha"), (1, "kappa"), (1, "ac")):
        values = np.array([getattr(replicate[row], place).value for replicate in without])
        error = np.sqrt(29 / 30 * ((values - values.mean()) ** 2).sum())
        estimate = getattr(agreement[row], place)
        assert estimate.high - estimate.value == pytest.approx(2.045229642132703 * error, rel=1e-9)


def test_raters_who_never_disagree_keep_an_interval() -> None:
    same = np.arange(40) % 3
    agreement = howsure.rater_agreement(np.tile(same, 2), rater=["a"] * 40 + ["b"] * 40, id=[*range(40)] * 2)
    assert agreement[0].alpha.value == 1.0
    by_chance = float(((np.bincount(same) / 40) ** 2).sum())
    assert agreement[0].alpha.low == pytest.approx(1 - (1 - 0.025 ** (1 / 40)) / (1 - by_chance))
    assert agreement[0].share.low == pytest.approx(0.025 ** (1 / 40))
    constant = howsure.rater_agreement([1] * 8, rater=list("ab") * 4, id=np.arange(8) // 2)
    assert np.isnan(constant[0].alpha.value)


@pytest.mark.slow
@pytest.mark.parametrize(("n", "rate", "flips"), [(50, 0.05, 0.01), (50, 0.5, 0.02), (50, 0.05, 0.05), (100, 0.3, 0.1)])
def test_intervals_of_alpha_cover(n: int, rate: float, flips: float) -> None:
    """Two raters of two labels, with few or many mistakes: the interval covers α of all such items."""
    draw, covered = np.random.default_rng(4), list[bool]()
    differ, share = 2 * flips * (1 - flips), rate * (1 - flips) + (1 - rate) * flips
    right = 1 - differ / (2 * share * (1 - share))
    rows = {"rater": ["a"] * n + ["b"] * n, "id": [*range(n)] * 2}
    for _ in range(300):
        truth = draw.random(n) < rate
        score = np.concatenate([truth ^ (draw.random(n) < flips) for _ in "ab"])
        alpha = howsure.rater_agreement(score * 1, **rows)[0].alpha
        if alpha.low is not None and alpha.high is not None:
            covered.append(alpha.low <= right <= alpha.high)
    assert len(covered) > 250
    assert np.mean(covered) > 0.92


def two_raters(pairs: str) -> dict[str, object]:
    """Grades of two raters, a pair of digits per item."""
    grades = [[int(grade) for grade in pair] for pair in pairs.split()]
    return {"score": np.ravel(grades), "rater": ["a", "b"] * len(grades), "id": np.repeat(np.arange(len(grades)), 2)}


def by_definition(pairs: str, categories: list[int], scale: str) -> tuple[float, float, float]:
    """Agreement, κ and AC of two raters, term by term (Gwet 2014, tables 3.5 and 4.2)."""
    grades = [(int(a), int(b)) for a, b in pairs.split()]
    n, q = len(grades), len(categories)
    width = categories[-1] - categories[0]

    def agree(a: int, b: int) -> float:
        if scale == "nominal":
            return float(a == b)
        if scale == "ordinal":
            return 1 - abs(categories.index(a) - categories.index(b)) / (q - 1)
        return 1 - (a - b) ** 2 / width**2

    share = sum(agree(a, b) for a, b in grades) / n
    of_a, of_b = ({k: sum(pair[who] == k for pair in grades) / n for k in categories} for who in (0, 1))
    both = list(product(categories, categories))
    chance = sum(agree(a, b) * of_a[a] * of_b[b] for a, b in both)
    mean = {k: (of_a[k] + of_b[k]) / 2 for k in categories}
    of_gwet = sum(agree(a, b) for a, b in both) / (q * (q - 1)) * sum(p * (1 - p) for p in mean.values())
    return share, (share - chance) / (1 - chance), (share - of_gwet) / (1 - of_gwet)


@pytest.mark.parametrize("scale", OTHERS)
@pytest.mark.parametrize(
    ("pairs", "categories"), [("22 23 33 22 32 22 33 33", [1, 2, 3]), ("11 14 44 11 22", [1, 2, 3, 4])]
)
def test_categories_that_nobody_gave_are_part_of_the_scale(scale: str, pairs: str, categories: list[int]) -> None:
    rows = two_raters(pairs)
    agreement = howsure.rater_agreement(**rows, scale=scale, categories=categories[::-1])
    row = agreement[0]
    assert (row.share.value, row.kappa.value, row.ac.value) == pytest.approx(by_definition(pairs, categories, scale))
    occurring = sorted({int(digit) for digit in pairs.replace(" ", "")})
    without = howsure.rater_agreement(**rows, scale=scale)
    assert without[0].ac.value == pytest.approx(by_definition(pairs, occurring, scale)[2])
    assert without[0].ac.value < row.ac.value
    assert without[0].alpha == row.alpha
    occurring_notes = [
        [note for note in result.notes if "values that occur" in note] for result in (agreement, without)
    ]
    assert [len(notes) for notes in occurring_notes] == [0, 1]
    assert "only the values that occur" in without.notes[-1]
    assert agreement.recipe["categories"] == categories[::-1]


def test_raters_of_one_value_agree_on_a_scale_of_more() -> None:
    alike = two_raters("22 " * 30)
    assert np.isnan(howsure.rater_agreement(**alike)[0].ac.value)
    with_categories = howsure.rater_agreement(**alike, categories=["1", "2", "3"])[0]
    assert (with_categories.ac.value, with_categories.ac.method) == (1.0, "share of items whose raters differ")
    assert with_categories.ac.low == pytest.approx(0.025 ** (1 / 30))


def test_categories_match_numbers_and_labels_as_they_are_written() -> None:
    labels = {**two_raters("22 23 33 22"), "score": ["no", "no", "no", "yes", "yes", "yes", "no", "no"]}
    three = howsure.rater_agreement(**labels, categories=["yes", "no", "unsure"])[0]
    assert three.ac.value == pytest.approx(by_definition("22 23 33 22", [1, 2, 3], "nominal")[2])
    floats = {**two_raters("22 23 33 22"), "score": np.array([2.0, 2, 2, 3, 3, 3, 2, 2])}
    assert howsure.rater_agreement(**floats, categories=[1, 2, 3])[0].ac == three.ac


def people_and_judge(right: float, n: int = 200) -> dict[str, np.ndarray]:
    """Three people who are right in .8 of two labels, and a judge."""
    draw = np.random.default_rng(1)
    truth = draw.integers(0, 2, n)
    labels = [np.where(draw.random(n) < p, truth, 1 - truth) for p in (0.8, 0.8, 0.8, right)]
    return {
        "score": np.concatenate(labels),
        "rater": np.repeat(["ann", "bob", "cyd", "gpt"], n),
        "id": np.tile(np.arange(n), 4),
    }


def test_a_good_judge_may_replace_a_rater_and_a_bad_one_may_not() -> None:
    good, bad = (howsure.rater_agreement(**people_and_judge(p), judge="gpt").replacement for p in (0.9, 0.55))
    assert (good.may, good.winning_rate, bad.may, bad.winning_rate) == (True, 1.0, False, 0.0)
    few = howsure.rater_agreement(**people_and_judge(0.9, 20), judge="gpt").replacement
    assert few.may is None
    assert "fewer than 30 items" in few.sentence


def test_the_advantage_is_counted_by_hand() -> None:
    rows = people_and_judge(0.7)
    table = rows["score"].reshape(4, -1)
    wins = []
    for rater in range(3):
        others = [table[k] for k in range(3) if k != rater]
        near = [np.mean([other == table[k] for other in others], axis=0) for k in (3, rater)]
        wins.append((near[0] >= near[1]).mean())
    agreement = howsure.rater_agreement(**rows, judge="gpt").replacement
    assert agreement.advantage == pytest.approx(np.mean(wins), abs=1e-12)


@pytest.mark.parametrize(("scale", "heading", "value"), [("nominal", "agreement", 0.5), ("ordinal", "linear", 0.75)])
def test_a_weighted_agreement_is_called_weighted(scale: str, heading: str, value: float) -> None:
    """Two raters with equal grades in two items, and grades next to each other of three in the others."""
    grades = [1, 1, 3, 3, 1, 2, 2, 3]
    agreement = howsure.rater_agreement(grades, rater=list("abababab"), id=[0, 0, 1, 1, 2, 2, 3, 3], scale=scale)
    assert agreement[0].share.value == value
    assert heading in str(agreement)
    assert ("κ (linear weights)" in str(agreement)) == (scale == "ordinal")


def test_grades_of_a_frame_stay_different_in_all_digits() -> None:
    """A missing grade makes a column float: 1000001 and 1000002 are still two grades."""
    ann, bea = [1000001.0, 1000001.0, 1000002.0, 1000003.0], [1000002, 1000001, 1000001, 1000003]
    table = howsure.rater_agreement(raters=["ann", "bea"], data=pd.DataFrame({"ann": ann, "bea": bea}))
    assert table[0].share.value == 0.5


def test_a_word_among_numeric_grades_is_noted() -> None:
    """As a category, n/a would be a value on which raters agree."""
    note = (
        "n/a counts as a category; if it is a missing value, leave such grades out, or, in a file, name it: "
        "missing_values=['n/a']."
    )
    for grades, noted in ((["1", "2", "n/a"], True), (["good", "bad", "n/a"], False)):
        frame = pd.DataFrame({"ann": grades * 4, "bea": grades * 4})
        assert (note in howsure.rater_agreement(raters=["ann", "bea"], data=frame).notes) == noted


@pytest.mark.parametrize(("pairs", "noted"), [("11 12 23 33", True), ("11 12 22 21", False)])
def test_nominal_agreement_of_graded_numbers_is_noted(pairs: str, noted: bool) -> None:
    """Nominal α ignores that 1 is nearer to 2 than to 3; two values have no such order."""
    agreement = howsure.rater_agreement(**two_raters(pairs))
    assert "(nominal scale, 4 items with two grades or more)" in agreement.answer
    assert any(note.startswith("Grades are numbers") for note in agreement.notes) == noted
    ordinal = howsure.rater_agreement(**two_raters(pairs), scale="ordinal")
    assert "(ordinal scale, " in ordinal.answer
    nominal = howsure.rater_agreement(**two_raters(pairs), scale="nominal")  # the user knows
    for chosen in (ordinal, nominal):
        assert not any(note.startswith("Grades are numbers") for note in chosen.notes)


@pytest.mark.parametrize(("equal", "ends"), [(0, (0.0, 0.2646)), (3, (0.0549, 0.5719)), (12, (0.7354, 1.0))])
def test_the_interval_of_the_share_of_equal_grades_is_exact(equal: int, ends: tuple[float, float]) -> None:
    # Clopper and Pearson's intervals of 0, 3 and 12 of 12; a jackknife would begin at -0.037 for 3 of 12
    grades = [g for item in range(12) for g in (item % 3, (item % 3 + (item >= equal)) % 3)]
    pair = howsure.rater_agreement(grades, rater=list("xy") * 12, id=[i // 2 for i in range(24)]).rows[0]
    assert (pair.share.low, pair.share.high) == pytest.approx(ends, abs=5e-5)


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_grades_of_a_column_with_missing_values_are_those_of_the_others(suffix: str, tmp_path: Path) -> None:
    frame = pd.DataFrame({"task": [1, 2] * 6, "n": [k // 2 for k in range(12)], "ann": [1, 2, 3, 1] * 3})
    frame["bob"] = frame["ann"].where(frame["ann"] != 3)  # floats, because a grade is missing
    path = tmp_path / f"grades.{suffix}"
    frame.to_csv(path, index=False) if suffix == "csv" else frame.to_parquet(path)
    for data, more in ((howsure.read(path), {"id": "task,n"}), (frame, {})):
        row = howsure.rater_agreement(raters=["ann", "bob"], data=data, **more)[0]
        assert (row.n, row.share.value, row.kappa.value) == (9, 1.0, 1.0)
