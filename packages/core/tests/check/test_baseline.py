"""Baselines: what goes into a file comes out of it, what is damaged is refused, and what is compared."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from howsure import InputError, check_calibration, check_score, check_selective, read
from howsure.check import Check
from howsure.check.calibration import DIFFERENCE, ERROR, Bins, judged
from howsure.check.evidence import (
    ABOVE,
    Baseline,
    Entry,
    ErrorSummary,
    MeanSummary,
    baseline_dict,
    baseline_from,
    comparison_rules,
)
from howsure.inputs.pairs import Pairs
from howsure.stats.mean_score import mean_score


def entries(shift: float, *, rng: np.random.Generator, groups: tuple[str | None, ...] = (None,)) -> list[Entry]:
    rows = []
    for group in groups:
        q = rng.uniform(0.2, 0.8, 2000)
        squared, n, _ = judged(Pairs((rng.random(2000) < q - shift).astype(np.uint8), q), Bins())
        rows.append(Entry("calibration", group, ErrorSummary.of(squared, n, 5 / 3), Bins().options))
    return rows


def reread(rows: list[Entry]) -> Baseline:
    return baseline_from(json.loads(json.dumps(baseline_dict(rows), allow_nan=False)), name="old.json")


RULES = {
    margin: comparison_rules("calibration", DIFFERENCE, of=ERROR, margin=margin, against="old.json")[0]
    for margin in (0.0, 0.05)
}


def test_a_file_says_what_was_written() -> None:
    rows = entries(0.1, rng=np.random.default_rng(0), groups=("a", "b"))
    back = reread(rows)
    assert [(entry.check, entry.group) for entry in back.entries] == [("calibration", "a"), ("calibration", "b")]
    for entry, other in zip(rows, back.entries, strict=True):
        assert entry.summary.numbers() == other.summary.numbers()
    again = entries(0.1, rng=np.random.default_rng(1), groups=("a", "b"))
    direct, reread_p_values = (
        [evidence.p_kept for evidence in baseline.evidence(again, RULES[0.05])]
        for baseline in (Baseline(tuple(rows), "x"), back)
    )
    assert direct == reread_p_values


def test_worse_than_last_night() -> None:
    rng = np.random.default_rng(2)
    good, bad = entries(0.0, rng=rng), entries(0.15, rng=rng)
    (worse,) = reread(good).evidence(bad, RULES[0.05])
    (better,) = reread(bad).evidence(good, RULES[0.0])
    assert worse.p_broken < 0.05 < worse.p_kept
    assert better.p_kept < 0.05 < better.p_broken


def test_means_of_two_nights() -> None:
    rng = np.random.default_rng(3)
    night = [
        [Entry("score", None, MeanSummary(mean_score((rng.random(900) < p).astype(float), None), 900), {})]
        for p in (0.8, 0.6)
    ]
    (rule,) = comparison_rules(
        "score", "difference of mean score", of="mean score", margin=0.02, against="old.json", side=ABOVE
    )
    (evidence,) = reread(night[0]).evidence(night[1], rule)
    assert evidence.p_broken < 1e-6
    assert evidence.test.value == pytest.approx(-0.2, abs=0.06)


def test_groups_that_only_one_has_are_named() -> None:
    rng = np.random.default_rng(4)
    old, new = entries(0, rng=rng, groups=("a", "b")), entries(0, rng=rng, groups=("b", "c"))
    (evidence,) = reread(old).evidence(new, RULES[0.0])
    assert evidence.group == "b"
    assert evidence.notes == ("only in this run, and not compared: c", "only in old.json, and not compared: a")


def test_two_equal_nights_raise_an_alarm_as_seldom_as_promised() -> None:
    rng = np.random.default_rng(6)
    alarms = 0
    for _ in range(100):
        (evidence,) = Baseline(tuple(entries(0.05, rng=rng)), "x").evidence(entries(0.05, rng=rng), RULES[0.0])
        alarms += evidence.p_broken <= 0.05
    assert alarms <= 13  # 5 expected


GOOD = baseline_dict(entries(0.1, rng=np.random.default_rng(7)))


def damaged(**changes: Any) -> Any:
    document = copy.deepcopy(GOOD)
    for path, value in changes.items():
        place: Any = document["entries"][0]
        *above, last = path.split("__")
        for part in above:
            place = place[part.replace("_", " ")]
        if value is KeyError:
            del place[last]
        else:
            place[last] = value
    return document


def test_what_a_check_left_is_saved_and_compared_with(tmp_path: Path) -> None:
    """A check against its own baseline: the difference is 0, whatever the surface."""
    rng = np.random.default_rng(3)
    q = rng.random(2000)
    right = rng.random(2000) < q
    checks = [
        check_calibration(right, q, max_error=0.2),
        check_score(right, min_score=0.1, name="means"),
        check_selective(right, q, max_risk=0.9),
    ]
    whole = Check.together(checks, level=0.9)
    assert [verdict.check for verdict in whole] == ["calibration", "means", "selective"]
    whole.baseline.save(tmp_path / "night.json")
    former: dict[str, Any] = {"against": Baseline.load(tmp_path / "night.json"), "not_worse_than": 0.2}
    again = [
        check_calibration(right, q, **former),
        check_score(right, name="means", **former),
        check_selective(right, q, **former),
    ]
    for check in again:
        (verdict,) = check
        assert (verdict.estimate.value, verdict.outcome) == (0.0, "pass")
    with pytest.raises(InputError, match="checks must have different names; they are means, means"):
        Check.together([again[1], checks[1]])


def test_a_check_of_a_file_matches_its_columns(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    columns = {"a": rng.random(300), "b": rng.random(300), "g": rng.integers(0, 3, 300)}
    lines = [",".join(map(repr, row)) for row in zip(*(column.tolist() for column in columns.values()), strict=True)]
    for name in ("one.csv", "two.csv"):
        (tmp_path / name).write_text("a,b,g\n" + "\n".join(lines if name == "one.csv" else ["0.5,0.5,1"] * 300))
    data = read(tmp_path / "one.csv")
    from_file = check_score("a", min_score=0.4, against="b", groups="g", data=data)
    from_arrays = check_score(columns["a"], min_score=0.4, against=columns["b"], groups=columns["g"])
    assert [verdict.p_pass for verdict in from_file] == [verdict.p_pass for verdict in from_arrays]
    check = check_score("a", against=read(tmp_path / "two.csv"), data=data)
    assert check[0].p_pass == check_score(columns["a"], against=np.full(300, 0.5))[0].p_pass


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("night*.json", r"baseline=\.\.\. must be the path of one file; '.*' is a pattern"),
        ("pairs.csv", r"pairs\.csv is not a baseline. A run of howsure check must write it first"),
    ],
)
def test_an_invalid_baseline_says_what_to_do(name: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "pairs.csv").write_text("y,p\n1,0.5\n", encoding="utf-8")
    with pytest.raises(InputError, match=message):
        Baseline.load(tmp_path / name)
