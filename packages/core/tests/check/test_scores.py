"""`check_score`: verdicts on means; wrong arguments."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.data.logs.samples import document
from tests.data.logs.writers import alpaca_eval, deepeval_case, deepeval_run

import howsure
from howsure import InputError, check_score
from howsure.check.scores import run_score_check

RNG = np.random.default_rng(4)
GRADES = RNG.normal(3.5, 1.0, 600)
OTHER = GRADES - 0.3 + RNG.normal(0, 0.5, 600)
ASSUMED: Any = {"assume_no_rare_losses": True}
PARTS = np.array(["x", "y"])[np.arange(600) % 2]


def test_limits_of_the_mean() -> None:
    limits = (3.2, GRADES.mean() - 0.01, 3.9)
    outcomes = [check_score(GRADES, min_score=limit, **ASSUMED).outcome for limit in limits]
    assert outcomes == ["pass", "cannot tell", "fail"]
    assert check_score(GRADES, max_score=4.0, **ASSUMED).outcome == "pass"
    assert check_score(GRADES, min_score=3.2, max_score=3.0, **ASSUMED).outcome == "fail"


def test_without_bounds_there_is_no_verdict() -> None:
    """Grades that are too rare to have been seen may lie anywhere; the interval of the mean is shown all the same."""
    for bound in ({"min_score": 3.2}, {"min_score": 3.9}, {"against": OTHER}, {"max_score": 4.0}):
        check = check_score(GRADES, **bound)
        verdict = check[0]
        assert (verdict.outcome, verdict.reason, verdict.bound, verdict.more_rows) == (
            "cannot tell",
            "no bounds",
            None,
            None,
        )
        assert verdict.p_pass == verdict.p_fail == 1.0
        assert verdict.estimate.low < verdict.estimate.value < verdict.estimate.high
        assert "bounds=LOW,HIGH" in verdict.sentence
        assert "assume_no_rare_losses=True" in verdict.sentence
        assert check_score(GRADES, **bound, bounds=(-10, 20)).outcome != "cannot tell"
        assert check_score(GRADES, **bound, **ASSUMED)[0].reason is None


def test_scores_within_0_and_1_are_bounded_by_them() -> None:
    rng = np.random.default_rng(0)
    scores = rng.uniform(0.9, 1.0, 200)
    guessed = check_score(scores, min_score=0.9)
    check = check_score(scores, min_score=0.9, bounds=(0, 1))
    assert guessed.outcome == check.outcome == "pass"
    assert guessed[0].p_pass == check[0].p_pass
    assert "taken as the bounds" in guessed[0].notes[0]
    assert not check[0].notes
    assert check_score(np.append(scores, 1.01), min_score=0.9).outcome == "cannot tell"
    assert check_score(scores, against=scores - 1e-9, lower_is_better=True).outcome == "cannot tell"


@pytest.mark.long
def test_rare_large_losses_pass_nothing() -> None:
    """The files of an outside test: 2 % of zeros; 36 % of files of 50 rows contain none."""
    rng, passed = np.random.default_rng(1), 0
    for _ in range(100):
        scores = np.where(rng.random(50) < 0.02, 0.0, rng.uniform(0.98, 1.0, 50))
        passed += check_score(scores, min_score=0.98 * 0.99).outcome == "pass"
    assert passed == 0


def test_a_baseline_gives_no_verdict_without_bounds() -> None:
    earlier = check_score(OTHER, min_score=3.0).baseline
    check = check_score(GRADES, not_worse_than=0.5, against=earlier)
    assert (check.outcome, check[0].reason) == ("cannot tell", "no bounds")
    assert check_score(GRADES, not_worse_than=0.5, against=earlier, bounds=(-10, 20)).outcome == "pass"
    assert check_score(GRADES, not_worse_than=0.5, against=earlier, **ASSUMED).outcome == "pass"


def test_bets_need_bounds() -> None:
    with pytest.raises(InputError, match=r"sequential=True needs the bounds of the scores\. Leave assume_no_rare"):
        run_score_check(GRADES, min_score=3.0, sequential=True, items_total=1000, **ASSUMED)


def test_another_model() -> None:
    assert check_score(GRADES, against=OTHER, **ASSUMED).outcome == "pass"
    assert check_score(OTHER, against=GRADES, **ASSUMED).outcome == "fail"
    assert check_score(OTHER, against=GRADES, lower_is_better=True, **ASSUMED).outcome == "pass"
    margins = [check_score(OTHER, not_worse_than=m, against=GRADES, **ASSUMED).outcome for m in (0.5, 0.1)]
    assert margins == ["pass", "fail"]
    assert check_score(GRADES, not_worse_than=0.1, against=OTHER, lower_is_better=True, **ASSUMED).outcome == "fail"


def test_a_pair_knows_more_than_two_samples() -> None:
    paired = check_score(GRADES, against=OTHER)[0].estimate
    alone = check_score(GRADES, min_score=3.0)[0].estimate
    assert paired.low is not None
    assert paired.high - paired.value < (alone.high - alone.value) / 1.5
    assert paired.value == pytest.approx((GRADES - OTHER).mean())


def test_groups_clusters_and_frames() -> None:
    frame = pd.DataFrame({"score": GRADES, "old": OTHER, "part": PARTS, "doc": np.arange(600) // 3})
    named = check_score("score", data=frame, min_score=3.2, against="old", groups="part", clusters="doc")
    check = check_score(GRADES, min_score=3.2, against=OTHER, groups=PARTS, clusters=np.arange(600) // 3)
    assert named.rows == check.rows
    assert [verdict.group for verdict in named] == ["x", "y", "x", "y"]


def test_booleans_are_shares() -> None:
    right = np.repeat([True, False], [95, 5])
    verdict = check_score(right, min_score=0.9)[0]
    assert (verdict.estimate.value, verdict.n) == (0.95, 100)


def test_scores_that_do_not_vary_are_reported() -> None:
    check = check_score(np.full(30, 7.0), min_score=5.0, **ASSUMED)
    assert check.outcome == "cannot tell"
    assert "every value is 7" in str(check)
    assert check[0].estimate.low is None


def test_scores_that_are_all_alike_are_shares_only_where_the_limit_is_one() -> None:
    """Three grades of 1 do not prove that grades are below 2."""
    grades = check_score([1, 1, 1], max_score=2)
    assert grades.outcome == "cannot tell"
    assert grades[0].reason == "no bounds"
    assert check_score([1, 1, 1], max_score=2, bounds=(1, 5)).outcome == "cannot tell"
    assert "taken as the bounds" in check_score(np.ones(50), min_score=0.9)[0].notes[0]


def test_the_fewest_rows_match_the_requested_level() -> None:
    twenty = np.r_[np.ones(19), 0.0]
    assert "at least 29 rows are needed" in check_score(twenty, min_score=0.9)[0].notes[0]
    assert check_score(twenty, min_score=0.9, level=0.8)[0].notes == ()
    assert "at least 44 rows are needed" in check_score(twenty, min_score=0.9, level=0.99)[0].notes[0]


def test_an_assumption_that_is_stated_replaces_a_guess() -> None:
    """Scores near 1 are far from the bound 0, which would allow for losses that are assumed away."""
    scores = np.random.default_rng(0).beta(38, 2, 300)
    assert check_score(scores, min_score=0.942).outcome == "cannot tell"
    stated = check_score(scores, min_score=0.942, **ASSUMED)
    assert stated.outcome == "pass"
    assert "rare losses are assumed not to exist" in stated[0].notes[0]
    right = np.repeat([1.0, 0.0], [95, 5])
    assert check_score(right, min_score=0.8, **ASSUMED)[0].p_pass == check_score(right, min_score=0.8)[0].p_pass


@pytest.mark.parametrize(
    ("suffix", "value", "refusal"),
    [
        ("jsonl", 1.7e308, r"be between -1e\+70 and 1e\+70; row 2 of .* is 1.7e\+308. Larger values"),
        ("jsonl", 10**400, "be finite; row 2 of .* is inf"),
        ("jsonl", -(10**400), "be finite; row 2 of .* is -inf"),
        ("csv", "inf", "be finite; row 2 of .* is inf"),
    ],
)
def test_files_are_refused_where_arrays_and_the_other_commands_do(
    tmp_path: Path, suffix: str, value: Any, refusal: str
) -> None:
    file, other = tmp_path / f"s.{suffix}", tmp_path / f"t.{suffix}"
    for path, values in ((file, (1, value, 0)), (other, (1, 1, 0))):
        rows = [json.dumps({"s": value}) for value in values] if suffix == "jsonl" else ["s", *map(str, values)]
        path.write_text("\n".join(rows) + "\n")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for keywords in (
            {"min_score": 1.0, "data": howsure.read(file)},
            {"against": howsure.read(file), "data": howsure.read(other)},
        ):
            with pytest.raises(InputError, match=f"s must {refusal}"):
                check_score("s", **keywords)
        with pytest.raises(InputError, match=f"s must {refusal}"):
            howsure.mean_scores("s", data=howsure.read(file))


@pytest.mark.parametrize("value", [10**400, -(10**400)])
def test_integers_that_no_float_holds_are_reported_with_both_ends(value: int) -> None:
    with pytest.raises(InputError, match=r"score must be between -1.8e\+308 and 1.8e\+308"):
        check_score([1, value], min_score=1.0)


def test_a_log_defines_the_bounds_of_its_scores(tmp_path: Path) -> None:
    """Preferences of AlpacaEval are between 0 and 1 by definition, so these bounds are not a guess."""
    rows = [alpaca_eval(1.05 + i % 10 / 100, item=i) for i in range(60)]
    path = tmp_path / "annotations.json"
    path.write_text(json.dumps(rows))
    wins = [row["preference"] - 1 for row in rows]
    verdict = check_score("win", max_score=0.3, data=howsure.read(path))[0]
    bounded = check_score(wins, max_score=0.3, bounds=(0, 1))[0]
    assert (verdict.outcome, verdict.notes) == (bounded.outcome, bounded.notes) == ("pass", ())
    assert verdict.p_pass == pytest.approx(bounded.p_pass, abs=1e-12)
    assumed = check_score("win", max_score=0.3, data=howsure.read(path), **ASSUMED)[0]
    assert assumed.p_pass == pytest.approx(bounded.p_pass, abs=1e-12)
    assert "taken as the bounds" in check_score(wins, max_score=0.3)[0].notes[0]


def test_the_primary_score_of_a_log_needs_no_name(tmp_path: Path) -> None:
    cases = [deepeval_case(i % 4 > 0, item=i, match=0.1) for i in range(80)]
    path = document(tmp_path, deepeval_run(*cases))
    default, named = (check_score(*score, min_score=0.5, data=howsure.read(path)) for score in ((), ("success",)))
    assert default[0] == named[0]
    assert default[0].estimate.value == 0.75
    with pytest.raises(InputError, match=r"score=\.\.\. must name the column of the score"):
        check_score(min_score=0.5)


def test_a_table_has_no_primary_score(tmp_path: Path) -> None:
    path = tmp_path / "dev.csv"
    path.write_text("right\n1\n0\n")
    for groups in (None, "right"):
        with pytest.raises(InputError, match=r"must name the column of the score\. Logs name"):
            check_score(min_score=0.5, groups=groups, data=howsure.read(path))


def test_a_label_that_counts_as_1(tmp_path: Path) -> None:
    verdicts = ["PASS", "PASS", "FAIL", "PASS"] * 50
    checked = check_score(verdicts, min_score=0.6, pos_label="PASS")
    path = tmp_path / "verdicts.csv"
    path.write_text("\n".join(["verdict", *verdicts]))
    of_file = check_score("verdict", min_score=0.6, pos_label="PASS", data=howsure.read(path))
    for check in (checked, of_file):
        assert (check.outcome, check[0].estimate.value) == ("pass", 0.75)
    assert "1 for PASS and 0 for every other value: FAIL (50)" in str(of_file)
    for score, data in ((verdicts, None), ("verdict", howsure.read(path))):
        with pytest.raises(InputError, match="If one value means correct, name it: pos_label='PASS'"):
            check_score(score, min_score=0.6, data=data)
