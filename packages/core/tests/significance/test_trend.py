"""Results over dates: what was added is there, in order; what is wrong is refused."""

from __future__ import annotations

import datetime
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from howsure import Experiments, InputError, check_score
from howsure.files.atomic_write import checksummed_line
from howsure.significance.trend import Trend, TrendPoint

POINT = TrendPoint("2026-11-20", "dev", "mean > 0.8", "fi", 100, 0.85, 0.79, 0.91, 0.8, "cannot tell")


def written(path: Path, *points: TrendPoint) -> Trend:
    store = Experiments(path)
    for point in points:
        store.add_points([point])
    assert repr(store.trend().rows) == repr(Experiments(path).trend().rows)  # NaN equals nothing
    return store.trend()


def test_points_are_ordered_by_date(tmp_path: Path) -> None:
    later, earlier = replace(POINT, date="2026-11-22"), replace(POINT, date="2026-11-19", group=None)
    trend = written(tmp_path / "nightly", later, POINT, earlier)
    assert trend.rows == (earlier, POINT, later)
    assert trend.rules == ("mean > 0.8",)
    assert list(trend.to_frame("pandas")["date"]) == ["2026-11-19", "2026-11-20", "2026-11-22"]


def test_a_night_that_is_repeated_replaces_the_former_one(tmp_path: Path) -> None:
    again = replace(POINT, estimate=0.9, outcome="pass")
    trend = written(tmp_path / "nightly", POINT, again)
    assert trend.rows == (again,)
    assert trend.recipe["replaced"] == 1


def test_what_is_undefined_stays_undefined(tmp_path: Path) -> None:
    trend = written(tmp_path / "nightly", replace(POINT, low=math.nan, high=math.nan))
    assert math.isnan(trend.rows[0].low)
    assert trend.to_dict()["points"][0]["low"] is None


def test_a_check_gives_its_points(tmp_path: Path) -> None:
    check = check_score(np.repeat([1, 0], [90, 10]), min_score=0.8, groups=np.arange(100) % 2)
    points = check.points(datetime.date(2026, 11, 22))
    assert [(point.date, point.group, point.outcome) for point in points] == [
        ("2026-11-22", verdict.group, verdict.outcome) for verdict in check
    ]
    store = Experiments(tmp_path / "nightly")
    store.add_points(points)
    store.add("base", "seed 1", ["a", "b"], y_true=["a", "a"])  # next to predictions
    assert len(Experiments(tmp_path / "nightly").trend("score")) == 2
    assert Experiments(tmp_path / "nightly").conditions == {"base": ("seed 1",)}
    with pytest.raises(InputError, match=r"no check 'scores' in .*Did you mean score"):
        store.trend("scores")
    with pytest.raises(InputError, match="no rule 'mean'"):
        store.trend().of("mean")


GOOD: dict[str, Any] = {
    "kind": "point",
    "schema": 1,
    "date": "2026-11-20",
    "check": "dev",
    "rule": "r",
    "group": None,
    "n": 3,
    "estimate": 0.1,
    "low": None,
    "high": 0.2,
    "limit": 0.1,
    "outcome": "pass",
}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"date": "today"}, "date must be a day"),
        ({"check": 3}, "its check must be a string"),
        ({"group": 3}, "its group must be a string or null"),
        ({"n": -1}, "its n must be a whole number"),
        ({"high": "x"}, "its high must be a number or null"),
        ({"schema": 2}, "its schema is 2"),
    ],
)
def test_damaged_points_are_refused(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    path = tmp_path / "nightly"
    path.write_bytes(checksummed_line(GOOD))
    assert len(Experiments(path).trend()) == 1
    path.write_bytes(checksummed_line(GOOD) + checksummed_line(GOOD | change))
    with pytest.raises(InputError, match=f"line 2 is not a record of a store of experiments: .*{message}"):
        Experiments(path)


def test_checks_with_the_same_rule_are_kept_apart(tmp_path: Path) -> None:
    trend = written(tmp_path / "nightly", POINT, replace(POINT, check="test", estimate=0.5))
    assert trend.rules == (f"{POINT.check}: {POINT.rule}", f"test: {POINT.rule}")
    assert [point.check for point in trend.of(trend.rules[1])] == ["test"]
    assert trend.table().headings[:3] == ["date", "check", "rule"]
