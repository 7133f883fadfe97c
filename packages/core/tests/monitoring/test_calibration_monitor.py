"""The monitor as its users meet it: what it takes, when it alarms, and that it comes back from its text as it was."""

from __future__ import annotations

import datetime
import json
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.monitoring import Streams
from benchmarks.regimes.monitoring import Watched
from howsure import CalibrationMonitor, InputError
from howsure.monitoring.bets import CellSums, tolerated_by
from howsure.monitoring.calibration_monitor import FIRST_SHARE, STATE, packed, unpacked
from howsure.monitoring.settings import fingerprint, fingerprints

N, PER_DAY = 12_000, 150
DAYS = np.datetime64("2026-01-01") + np.arange(N) // PER_DAY
DROP = "2026-02-20"


def stream(seed: int = 0, *, drop: float = 0.0) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    q = rng.beta(4, 1.5, N)
    return (rng.random(N) < np.clip(q - drop * (np.datetime64(DROP) <= DAYS), 0, 1)).astype(float), q


@pytest.fixture(scope="module")
def dropped() -> CalibrationMonitor:
    monitor = CalibrationMonitor()
    monitor.update(DAYS, *stream(drop=0.1))
    return monitor


def test_a_drop_is_found_and_dated(dropped: CalibrationMonitor) -> None:
    (row,) = dropped.status()
    assert row.outcome == "alarm"
    assert dropped.status().exit_code == 1
    assert DROP <= row.alarm <= "2026-03-05"
    assert abs(datetime.date.fromisoformat(row.since) - datetime.date.fromisoformat(DROP)).days <= 3
    assert -0.12 < row.gap < -0.08
    assert row.p_value < 0.05
    assert "no longer calibrated" in repr(row)


def test_a_calibrated_model_has_no_alarm() -> None:
    monitor = CalibrationMonitor(tolerance=0.0)
    monitor.update(DAYS, *stream())
    assert monitor.status().outcome == "no alarm"
    assert monitor.status()["all"].error.low == 0.0


def test_night_by_night_is_as_at_once(dropped: CalibrationMonitor) -> None:
    """Each night the whole log so far is given again, in another order: nothing is taken twice."""
    y, q = stream(drop=0.1)
    rng = np.random.default_rng(1)
    nightly, total = CalibrationMonitor(), 0
    for day in np.unique(DAYS)[9::10]:
        rows = rng.permutation(np.flatnonzero(day >= DAYS))
        nightly = CalibrationMonitor.from_json(nightly.to_json())
        total += nightly.update(DAYS[rows], y[rows], q[rows], until=day).n
    once = CalibrationMonitor()
    once.update(DAYS, y, q, until=DAYS.max())
    assert total == N
    assert nightly.status()["all"].alarm == once.status()["all"].alarm
    assert nightly.series().e_value == pytest.approx(once.series().e_value, rel=1e-6)
    assert nightly.update(DAYS, y, q, until=DAYS.max()).already == N


def test_one_stream_is_as_many_side_by_side() -> None:
    """The e-value of the monitor is that of the simulations (streams.py), which follow the formulas on their own."""
    y, q = stream(2)
    monitor, streams = CalibrationMonitor(tolerance=0.01), Streams(1, tolerance=0.01)
    monitor.update(DAYS[:3000], y[:3000], q[:3000], until="2026-01-20")
    expected = [streams.take(y[None, i : i + 150] == 1, q[None, i : i + 150])[0] for i in range(0, 3000, 150)]
    assert np.log(monitor.series().e_value) == pytest.approx(expected, abs=1e-9)


def test_clusters_side_by_side_are_as_one_after_the_other() -> None:
    rng = np.random.default_rng(3)
    q = np.repeat(rng.beta(4, 1.5, 600), 5)
    y = np.repeat(rng.random(600), 5) < q
    monitor, streams = CalibrationMonitor(tolerance=0.01), Streams(1, tolerance=0.01, size=5)
    monitor.update(DAYS[:3000], y, q, clusters=np.arange(3000) // 5, until="2026-01-20")
    expected = [streams.take(y[None, i : i + 150], q[None, i : i + 150])[0] for i in range(0, 3000, 150)]
    assert np.log(monitor.series().e_value) == pytest.approx(expected, abs=1e-9)


def test_late_labels_are_waited_for() -> None:
    y, q = stream()
    late = np.where((np.datetime64("2026-03-10") <= DAYS) & (np.arange(N) % 3 == 0), np.nan, y)
    patient, hasty = CalibrationMonitor(wait=14), CalibrationMonitor()
    first, hurried = patient.update(DAYS, late, q), hasty.update(DAYS, late, q)
    assert (first.unlabelled, first.periods[-1]) == (0, "2026-03-06")
    assert "of periods that are not over yet, or still wait for labels" in repr(first)
    assert "wait for labels" not in repr(hurried)
    assert hurried.unlabelled == 50 * 11
    assert patient.update(DAYS, y, q, until="2026-04-30").n == N - first.n
    again = hasty.update(DAYS, y, q)
    assert (again.n, again.late) == (0, 50 * 11)
    assert "550 labels not used" in repr(again)
    assert hasty.status().unlabelled_by_period["2026-03-11"] == 50
    assert "550 of 11,850 rows had no label" in hasty.status().notes[0]


def test_a_period_is_taken_whole_and_once() -> None:
    y, q = stream()
    monitor = CalibrationMonitor(period="week")
    monitor.update(DAYS[::2], y[::2], q[::2])
    other = monitor.update(DAYS[1::2], y[1::2], q[1::2])
    assert (other.n, other.changed) == (0, len(monitor.series()))
    assert "different rows" in repr(other)


def test_weeks_and_months_begin_where_they_do() -> None:
    y, q = stream()
    for by, first in (("week", "2025-12-29"), ("month", "2026-01-01"), ("day", "2026-01-01")):
        monitor = CalibrationMonitor(period=by)
        monitor.update(DAYS, y, q)
        assert monitor.series().period[0] == first
        assert sum(monitor.series().n) == monitor.status()["all"].n


def test_each_group_has_its_alarm_and_all_of_them_one_promise() -> None:
    y, q = stream(drop=0.0)
    groups = np.array(["b", "a", "<b>"])[np.arange(N) % 3]
    worse = np.where((groups == "a") & (q > 0.5) & (np.arange(N) % 5 == 0), 0.0, y)
    monitor = CalibrationMonitor()
    monitor.update(DAYS, worse, q, groups=groups)
    status = monitor.status()
    assert {row.name: row.outcome for row in status} == {"<b>": "no alarm", "a": "alarm", "b": "no alarm"}
    assert status["a"].threshold == pytest.approx(20 / (FIRST_SHARE / 3))
    later = np.datetime64("2026-05-01") + np.arange(300) // 100
    monitor.update(later, np.ones(300), np.full(300, 0.9), groups=np.array(["new", "newer", "a"])[np.arange(300) % 3])
    assert sum(20 / row.threshold for row in monitor.status()) < 1
    assert monitor.status().e_value > 1
    with pytest.raises(InputError, match="groups must be given as before"):
        monitor.update(later, np.ones(300), np.full(300, 0.9))
    with pytest.raises(InputError, match="group must name one of"):
        monitor.series()
    with pytest.raises(InputError, match="no group 'c'"):
        monitor.series("c")


def test_clusters_count_for_what_they_are_worth() -> None:
    """Whole documents right or wrong together: as rows they would alarm, as clusters they do not."""
    rng = np.random.default_rng(8)
    documents = np.arange(N) // 25
    q = np.full(N, 0.8)
    y = (rng.random(N // 25)[documents] < 0.8).astype(float)
    rows, clusters = CalibrationMonitor(tolerance=0), CalibrationMonitor(tolerance=0)
    rows.update(DAYS, y, q)
    update = clusters.update(DAYS, y, q, clusters=documents)
    assert update.moved == 0
    assert rows.status().outcome == "alarm"
    assert clusters.status().outcome == "no alarm"
    assert clusters.status()["all"].error.high > 0.03
    worse = CalibrationMonitor(tolerance=0)
    worse.update(DAYS, (rng.random(N // 25)[documents] < 0.6).astype(float), q, clusters=documents)
    assert worse.status().outcome == "alarm"


def test_a_cluster_stays_in_one_period() -> None:
    y, q = stream()
    monitor = CalibrationMonitor()
    update = monitor.update(DAYS, y, q, clusters=np.arange(N) // 100)
    assert update.moved > 0
    assert "their cluster began" in repr(update)


def lasting(seed: int, nights: int = 3) -> tuple[Any, ...]:
    """Twenty calibrated conversations begin each night, each right or wrong as a whole on three nights."""
    rng = np.random.default_rng(seed)
    cluster, age = np.repeat(np.arange(600), nights), np.tile(np.arange(nights), 600)
    q = np.repeat(rng.beta(4, 1.5, 600), nights)
    y = (np.repeat(rng.random(600), nights) < q).astype(float)
    order = np.argsort(cluster // 20 + age, kind="stable")
    days = np.datetime64("2026-01-01") + cluster // 20 + age
    return days[order], y[order], q[order], np.array([f"conversation {number}" for number in cluster[order]])


@pytest.mark.parametrize("whole_log", [True, False])
def test_a_cluster_that_lasts_is_taken_once(whole_log: bool) -> None:
    """Night by night, also by way of the saved text: rows of a conversation that was taken before are left out, said,
    and no news of the log. Taken as new ones, they gave an alarm in each of 37 runs."""
    days, y, q, clusters = lasting(0)
    monitor, left_out = CalibrationMonitor(tolerance=0.0), 0
    for night in np.unique(days):
        rows = (days <= night) if whole_log else (days == night)
        update = monitor.update(days[rows], y[rows], q[rows], clusters=clusters[rows], until=night)
        assert (update.late, update.changed, update.moved) == (0, 0, 0)
        assert update.n + update.continued == (days == night).sum()
        left_out += update.continued
        monitor = CalibrationMonitor.from_json(monitor.to_json())
    assert (monitor.status()["all"].n, left_out) == (600, 1200)
    assert monitor.status().outcome == "no alarm"
    assert "20 rows of clusters added in an earlier update, left out" in repr(update)
    assert (
        "1,200 of 1,800 rows were left out, because their clusters began in an earlier update"
        in monitor.status().notes[0]
    )


def test_a_cluster_over_many_cells_comes_back_from_its_text() -> None:
    """What its rows in other cells add to a cell may be more than that cell's rows squared."""
    rng = np.random.default_rng(3)
    q = rng.random(600)
    days = np.repeat(np.arange("2026-01-01", "2026-01-31", dtype="datetime64[D]"), 20)
    monitor = CalibrationMonitor()
    monitor.update(days, (rng.random(600) < q).astype(int), q, clusters=np.arange(600) // 10, until=days.max())
    assert CalibrationMonitor.from_json(monitor.to_json()).to_json() == monitor.to_json()


def test_a_moved_cluster_is_neither_late_nor_changed() -> None:
    """A cluster taken with the period in which it began: the same log again has neither late nor other rows."""
    days, y, q, clusters = lasting(1)
    monitor = CalibrationMonitor()
    assert monitor.update(days, y, q, clusters=clusters, until=days.max()).moved == 1200
    again = monitor.update(days, y, q, clusters=clusters, until=days.max())
    assert (again.n, again.already, again.late, again.changed) == (0, 1800, 0, 0)


@pytest.mark.long
def test_rows_of_a_reference_without_surprise_prove_nothing() -> None:
    """A model that was always off, half the evidence of its reference in cells near 0 and 1: of 60 runs, 27 had an
    alarm where the spread of one row was added."""
    watched = Watched(150, "near 0 and 1", "shrunk")
    alarms = sum(bool(watched.trial(np.random.default_rng([26, run]))["false alarm"]) for run in range(20))
    assert alarms <= 1


def test_a_reference_of_few_clusters_proves_little() -> None:
    """Of whole clusters of ten rows, only these are counted."""
    q = np.full(400, 0.995)
    y = np.ones(400, np.uint8)
    rows, clusters = (
        tolerated_by(CellSums.of(y, q, codes), tolerance=0.0, alpha=0.05) for codes in (None, np.arange(400) // 10)
    )
    assert rows.below[13] == pytest.approx(0.025 ** (1 / 400) - 0.995, rel=1e-9)
    assert clusters.below[13] == pytest.approx(0.025 ** (1 / 40) - 0.995, rel=1e-9)
    few = tolerated_by(CellSums.of(y, q, np.arange(400) // 50), tolerance=0.0, alpha=0.05)
    assert (few.below[13], few.above[13]) == (-1.0, 1.0)


def test_a_reference_is_not_tested_but_learned_from() -> None:
    """A model that was off by .1 all the time has not changed; one that was right, and is off now, has."""
    rng = np.random.default_rng(9)
    q = rng.uniform(0.2, 0.9, N)
    always = (rng.random(N) < q - 0.1).astype(float)
    now = (rng.random(N) < q - 0.15 * (np.datetime64(DROP) <= DAYS)).astype(float)
    outcomes = []
    for y in (always, now):
        monitor = CalibrationMonitor(reference="2026-02-10")
        monitor.update(DAYS, y, q)
        outcomes.append(monitor.status().outcome)
        assert monitor.series().e_value[0] is None
    assert outcomes == ["no alarm", "alarm"]
    assert "until 2026-02-10" in monitor.status().notes[0]


def test_it_comes_back_from_its_text(dropped: CalibrationMonitor) -> None:
    text = dropped.to_json()
    back = CalibrationMonitor.from_json(text)
    assert back.to_json() == text
    assert back.status() == dropped.status()
    assert json.loads(text)["kind"] == "howsure monitor"


@given(st.integers(0, 10**6), st.sampled_from(["cut", "swap", "digit"]))
def test_a_changed_text_is_refused(dropped: CalibrationMonitor, place: int, way: str) -> None:
    text = dropped.to_json()
    at = place % len(text)
    if way == "cut":
        changed = text[:at]
    elif way == "digit":
        digits = [i for i in range(at, len(text)) if text[i].isdigit()]
        if not digits:
            return
        changed = text[: digits[0]] + str((int(text[digits[0]]) + 1) % 10) + text[digits[0] + 1 :]
        if json.loads(changed) == json.loads(text):  # a last digit that no number shows
            return
    else:
        changed = text[:at] + "[" + text[at + 1 :] if text[at] != "[" else text[:at] + "{" + text[at + 1 :]
    with pytest.raises(InputError):
        CalibrationMonitor.from_json(changed)


def test_dates_of_all_kinds_are_read() -> None:
    y, q = stream()
    kinds = [
        DAYS[:600],
        DAYS[:600].astype(str),
        [f"{day}T23:59:59+05:00" for day in DAYS[:600]],
        pd.Series(pd.to_datetime(DAYS[:600])),
        DAYS[:600].tolist(),
    ]
    texts = set()
    for dates in kinds:
        monitor = CalibrationMonitor()
        monitor.update(dates, y[:600], q[:600])
        texts.add(monitor.to_json())
    assert len(texts) == 1


def test_labels_may_be_none_or_missing() -> None:
    monitor = CalibrationMonitor()
    dates = ["2026-01-01", "2026-01-01", "2026-01-03"]
    update = monitor.update(dates, [True, None, False], [0.9, 0.8, 0.7])
    assert (update.n, update.unlabelled, update.open) == (1, 1, 1)


def test_what_cannot_be_read_changes_nothing(dropped: CalibrationMonitor) -> None:
    before = dropped.to_json()
    with pytest.raises(InputError):
        dropped.update(["2027-01-01"], [1], [7])
    assert dropped.to_json() == before


def _places(content: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place in a state, but of lists only the first."""
    inside = (
        content.items() if isinstance(content, dict) else enumerate(content[:1]) if isinstance(content, list) else ()
    )
    return [path, *(place for key, value in inside for place in _places(value, (*path, key)))]


def test_a_state_of_wrong_values_is_refused_whatever_its_checksum() -> None:
    """Every value in turn replaced by others; what is read then can be asked for everything."""
    monitor = CalibrationMonitor()
    monitor.update(["2026-01-01", "2026-01-02", "2026-01-03"], [1, 0, 1], [0.9, 0.4, 0.8])
    state = json.loads(monitor.to_json())["state"]
    refused = 0
    for path in _places(state)[1:]:
        for other in (None, "x", -1, 1e308, [], {}, [None]):
            changed = json.loads(json.dumps(state))
            inside = changed
            for key in path[:-1]:
                inside = inside[key]
            inside[path[-1]] = other
            try:
                back = CalibrationMonitor.from_json(STATE.text(changed))
                back.status()
                back.series()
            except InputError:
                refused += 1
    assert refused > 100


# Clusters that are known again, whatever rows they come with.


def test_numbers_and_their_texts_are_one_cluster() -> None:
    kinds = [["7", "8"], [7, 8], np.array([7.0, 8.0]), pd.Series([7, 8], dtype=object).to_numpy()]
    prints = [fingerprints(np.asarray(ids), n=2).tolist() for ids in kinds]
    assert prints == [[fingerprint("7"), fingerprint("8")]] * 4


def test_a_database_counts_the_same() -> None:
    for name in ("doc 7", "", "Gespräch", "\U0001f600"):
        ((hashed,),) = duckdb.execute("SELECT md5_number_lower(?)", [name]).fetchall()
        assert np.uint64(hashed).astype(np.int64) == fingerprint(name)


def test_fingerprints_come_back_from_their_text() -> None:
    """Also those whose difference no number of 64 bits holds."""
    prints = np.array([-(2**63), -5, 0, 2**63 - 1])
    assert unpacked(packed(prints)).tolist() == prints.tolist()
    assert unpacked(packed(prints[:0])).tolist() == []
    for wrong in (packed(prints[::-1]), packed(prints[[0, 0]]), "AAA", "AAAA", "ä", "AAAA AAAA"):
        with pytest.raises(ValueError):  # noqa: PT011 -- whatever base64 says
            unpacked(wrong)
