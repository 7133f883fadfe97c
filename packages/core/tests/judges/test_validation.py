"""`validate_judge` against scipy's exact intervals, by exact error rates, and on what people's labels lack."""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, binomtest
from sklearn.metrics import cohen_kappa_score, confusion_matrix

import howsure
from howsure.errors import InputError

LABELS = st.lists(st.sampled_from([(0, 0), (0, 1), (1, 0), (1, 1), (None, 0), (None, 1)]), min_size=1, max_size=80)


def validated(right: int, n: int, *, min_rate: float = 0.8) -> howsure.JudgeValidation:
    """A judge that is right in all of 400 answers labelled 0, and in `right` of n answers labelled 1."""
    people = [0] * 400 + [1] * n
    return howsure.validate_judge(people, [0] * 400 + [1] * right + [0] * (n - right), min_rate=min_rate)


@given(LABELS)
def test_rates_are_the_shares_of_a_confusion_matrix_with_exact_bounds(pairs: list[tuple[int | None, int]]) -> None:
    people, judge = (list(column) for column in zip(*pairs, strict=True))
    if all(label is None for label in people):
        with pytest.raises(InputError, match="have some answers labelled by humans"):
            howsure.validate_judge(people, judge)
        return
    validation = howsure.validate_judge(people, judge)
    for label, row in zip((0, 1), validation, strict=True):
        judged = [judge_label for person, judge_label in pairs if person == label]
        assert row.judged == {"0": judged.count(0), "1": judged.count(1)}
        assert (row.n, row.right) == (len(judged), judged.count(label))
        if judged:
            exact = binomtest(row.right, row.n).proportion_ci(0.95, method="exact")
            assert (row.rate.low, row.rate.high) == pytest.approx((exact.low, exact.high), abs=1e-8)
            one_sided = binomtest(row.right, row.n, alternative="greater").proportion_ci(0.95, method="exact")
            assert row.low == pytest.approx(one_sided.low, abs=1e-8)
    different = [(row, person) for row, (person, label) in enumerate(pairs, 1) if person not in (None, label)]
    assert [(row.row, int(row.people)) for row in validation.disagreements] == different


def test_the_matrix_of_grades_equals_scikit_learns() -> None:
    draw = np.random.default_rng(3)
    people = draw.integers(1, 6, 300)
    judge = np.where(draw.random(300) < 0.7, people, draw.integers(1, 6, 300))
    judged = [list(row.judged.values()) for row in howsure.validate_judge(people, judge)]
    assert judged == confusion_matrix(people, judge).tolist()


def test_a_judge_that_never_says_yes_is_invalid() -> None:
    validation = howsure.validate_judge(["yes", "no"] * 40, ["no"] * 80, pos_label="yes")
    assert (validation.outcome, validation["1"].right, validation["0"].right) == ("invalid", 0, 40)
    with pytest.raises(InputError, match="no value 'yes' in y_true; it has 'no'"):
        howsure.validate_judge(["no"] * 80, ["yes", "no"] * 40, pos_label="yes")


@pytest.mark.parametrize("n", [5, 14, 30, 77])
@pytest.mark.parametrize("min_rate", [0.6, 0.8, 0.9])
def test_verdicts_are_rarely_wrong_at_the_required_rate(n: int, min_rate: float) -> None:
    verdicts = [validated(right, n, min_rate=min_rate)["1"].verdict for right in range(n + 1)]
    chance = binom.pmf(np.arange(n + 1), n, min_rate)
    assert sum(chance[right] for right in range(n + 1) if verdicts[right] == "valid") <= 0.05
    assert sum(chance[right] for right in range(n + 1) if verdicts[right] == "invalid") <= 0.025


def test_a_judge_is_valid_only_if_every_label_is() -> None:
    people = np.repeat([0, 1], 200)
    good, bad = np.where(np.arange(400) % 20 == 0, 1 - people, people), np.where(people == 1, np.arange(400) % 2, 0)
    assert howsure.validate_judge(people, good).outcome == "valid"
    invalid = howsure.validate_judge(people, bad)
    assert (invalid.outcome, invalid["0"].verdict, invalid["1"].verdict) == ("invalid", "valid", "invalid")
    assert "less than 0.8 of answers that people label 1" in str(invalid.answer)


def test_the_number_of_labels_needed_decides_in_most_samples() -> None:
    undecided = validated(27, 30)
    assert undecided.outcome == "cannot tell"
    assert undecided.labels_needed is not None
    positives = math.ceil(undecided.labels_needed * 30 / 430)
    valid = [validated(right, positives)["1"].verdict == "valid" for right in range(positives + 1)]
    power = float(binom.pmf(np.arange(positives + 1), positives, 0.9)[valid].sum())
    assert 0.7 < power < 0.95
    assert validated(24, 30).labels_needed is None  # the rate is the required one


def test_clusters_count_as_a_whole() -> None:
    rng = np.random.default_rng(3)
    right = np.repeat(rng.random(30) < 0.9, 20)  # all answers of a conversation are right, or none
    people = np.tile([0, 1], 300)
    judge = np.where(right, people, 1 - people)
    alone = howsure.validate_judge(people, judge)
    clustered = howsure.validate_judge(people, judge, clusters=np.repeat(np.arange(30), 20))
    assert alone["1"].rate.value == clustered["1"].rate.value
    assert clustered["1"].low < alone["1"].low - 0.08
    assert clustered.kappa.low is None


def test_grades_have_a_row_each() -> None:
    rng = np.random.default_rng(1)
    people = rng.integers(1, 6, 500)
    judge = np.where(rng.random(500) < 0.95, people, np.minimum(people + 1, 5))
    validation = howsure.validate_judge(people, judge, min_rate=0.7)
    assert [row.label for row in validation] == ["1", "2", "3", "4", "5"]
    assert validation.outcome == "valid"


def test_a_label_that_people_never_gave_decides_nothing() -> None:
    validation = howsure.validate_judge([0] * 200, [0] * 199 + [1])
    assert (validation["0"].verdict, validation["1"].verdict, validation.outcome) == ("valid",) + ("cannot tell",) * 2
    assert "No answer has the human label 1" in str(validation)
    assert "The judge gave the label 1 to none" in str(howsure.validate_judge([0, 1] * 40, [0] * 80))


def test_texts_are_labels_if_one_is_named_positive() -> None:
    frame = pd.DataFrame({"person": ["good", "bad", None] * 40, "judge": ["good", "bad", "bad"] * 40, "text": "a b"})
    validation = howsure.validate_judge("person", "judge", pos_label="good", show=["text"], data=frame)
    assert [row.right for row in validation] == [40, 40]
    assert validation.judge == pytest.approx(1 / 3)


def test_three_texts_have_a_row_each(tmp_path: Path) -> None:
    draw = np.random.default_rng(5)
    people = draw.choice(["correct", "partly", "wrong"], 200)
    judge = np.where(draw.random(200) < 0.6, people, draw.choice(["correct", "partly", "wrong", "ERROR"], 200))
    frame = pd.DataFrame({"judge": judge, "person": np.where(np.arange(200) < 150, people, None)})
    frame.to_csv(tmp_path / "x.csv", index=False)
    names = ["ERROR", "correct", "partly", "wrong"]
    matrix = confusion_matrix(people[:150], judge[:150], labels=names).tolist()
    for data in (frame, howsure.read(tmp_path / "x.csv")):
        validation = howsure.validate_judge("person", "judge", data=data)
        assert [row.label for row in validation] == names
        assert [list(row.judged.values()) for row in validation] == matrix
        assert validation.kappa.value == pytest.approx(cohen_kappa_score(people[:150], judge[:150]))
        assert (validation.corrected, validation.judge, validation.labelled) == (None, None, 150)
        assert (people[:150] != judge[:150]).sum() == len(validation.disagreements)
    assert howsure.validate_judge(frame.person.tolist(), judge).rows == validation.rows


@pytest.mark.parametrize(
    ("people", "message"),
    [
        (["good", "bad"] * 20, "name it: pos_label="),  # one of two labels must count as 1
        (["good", "bad", "3", "tie"] * 10, "must be a number"),
        (["Good", "good", "bad", "tie"] * 10, "have 'Good' and 'good'. Spell the values in the same way"),
        ([f"answer {k}" for k in range(40)], "must be a number"),
    ],
)
def test_other_texts_are_refused(people: list[str], message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        howsure.validate_judge(people, people[::-1])


def test_disagreements_show_columns() -> None:
    frame = pd.DataFrame({"person": [1, 0] * 20, "judge": [1, 0] * 19 + [0, 0], "answer": list("abcdefghij") * 4})
    validation = howsure.validate_judge("person", "judge", show=["answer"], data=frame)
    (row,) = validation.disagreements
    assert (row.row, row.judge, row.people, row.shown) == (39, "0", "1", {"answer": "i"})
    assert "Judge and people disagree on" in str(validation)


def test_only_labels_below_the_required_rate_are_named() -> None:
    people = np.repeat(["a", "b", "tie"], 100)
    judge = np.concatenate([np.repeat(["a", "b"], [30, 70]), np.repeat("b", 100), np.repeat(["tie", "b"], [10, 90])])
    answer = howsure.validate_judge(people, judge).answer
    assert answer.startswith("The judge is invalid: it agrees in less than 0.8 of answers that people label a (0.3000")
    assert "tie (0.1000" in answer
    assert "b (" not in answer
