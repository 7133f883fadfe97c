"""Every public result in every form: text, values, frame, table, Markdown, LaTeX, CSV, HTML, figure and report."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import howsure
from tests.cli.running import howsure as run
from tests.goldens import inputs
from tests.goldens.figures import figure_lines
from tests.goldens.running import Room

GIVEN = ["--id", "id", "--date", "date", "--actor", "actor", "--prob", "p", "--store"]


def store(name: str = "read.duckdb") -> howsure.EventStore:
    """Return the store that `events import` makes of four documents."""
    if not Path(name).exists():
        rows = [
            "id,date,actor,p",
            "a,2001-01-03,IRQ,0.9",
            "a,2001-01-03,USA,0.25",
            "b,2001-02-03,,",
            "c,2001-05-03,USA,1",
            "d,2001-05-13,IRQ,0.5",
        ]
        Path("found.csv").write_text("\n".join([*rows, ""]))
        run("events", "import", "found.csv", *GIVEN, name)
    return howsure.EventStore.open(name)


def monitor() -> howsure.CalibrationMonitor:
    rows = inputs.monitored()
    made = howsure.CalibrationMonitor()
    made.update(*([row[name] for row in rows] for name in ("time", "right", "p")), groups=[row["part"] for row in rows])
    return made


def updated() -> object:
    rows = inputs.monitored()
    return howsure.CalibrationMonitor().update(*([row[name] for row in rows] for name in ("time", "right", "p")))


def trend() -> howsure.Trend:
    kept = howsure.Experiments("results.experiments")
    pairs = inputs.pairs()
    for day, prob in enumerate((pairs["p"], pairs["q"]), 1):
        check = howsure.check_calibration(pairs["y"], prob, max_error=0.3)
        kept.add_points(check.points(date=f"2026-01-0{day}"))
    return kept.trend()


def counted(**options: Any) -> howsure.CountEstimates:
    rows = inputs.news_scores()
    labels = [row["truth"] if k % 3 == 0 else None for k, row in enumerate(rows)]
    return howsure.estimate_counts(labels, [row["score"] for row in rows], rng=0, **options)


def makers() -> dict[str, Callable[[], Any]]:
    """Return a function for each public result that makes it."""
    pairs = inputs.pairs()
    y, p, q = (np.array(pairs[name]) for name in ("y", "p", "q"))
    frame = pl.DataFrame(pairs)
    source: dict[str, Any] = {"data": frame}
    systems = {name: [row[name] for row in inputs.systems()] for name in ("gold", "base", "large", "huge")}
    columns = inputs.classes()
    draws = np.random.default_rng(4)
    truth = draws.normal(size=60).round(4)
    spread = (truth[:, None] + draws.normal(size=(60, 1)) + draws.normal(size=(60, 15))).round(4)
    scores = [row["score"] for row in inputs.news_scores()]
    months = [row["month"] for row in inputs.news_scores()]
    return {
        "calibration_curve": lambda: howsure.calibration_curve(y, p, n_bins=5),
        "calibration_curve of a frame, clusters": lambda: howsure.calibration_curve(
            "y", "p", n_bins=4, clusters="doc", sample_weight="w", **source
        ),
        "calibration_curve by corp": lambda: howsure.calibration_curve(
            y[:50], p[:50], method="corp", n_simulations=100, rng=0
        ),
        "calibration_curve of classes": lambda: howsure.calibration_curve(
            howsure.pairs_from_classes(
                columns["gold"],
                np.array([list(row.values()) for row in columns["probs"]]),
                classes=["cat", "cow", "dog"],
            ),
            n_bins=3,
        ),
        "calibration_error": lambda: howsure.calibration_error(y, p),
        "calibration_error by plugin": lambda: howsure.calibration_error(y, p, estimator="plugin"),
        "calibration_table": lambda: howsure.calibration_table("y", "p", groups="lang", **source),
        "calibration_table of whole numbers": lambda: howsure.calibration_table("y", "p", groups="year", **source),
        "calibration_test": lambda: howsure.calibration_test(y, p, n_simulations=99, rng=0),
        "calibration_test by cox": lambda: howsure.calibration_test(y, p, method="cox"),
        "calibration_test by spiegelhalter": lambda: howsure.calibration_test(y, p, method="spiegelhalter"),
        "calibration_test by binned": lambda: howsure.calibration_test(y, p, method="binned"),
        "calibration_test by cumulative": lambda: howsure.calibration_test(y, p, method="cumulative"),
        "compare_calibration": lambda: howsure.compare_calibration(y, p, against=q, n_bins=4),
        "find_miscalibrated_groups": lambda: howsure.find_miscalibrated_groups(
            "y", "q", features=["lang", "year"], **source
        ),
        "multicalibration_error": lambda: howsure.multicalibration_error("y", "q", features=["lang", "year"], **source),
        "quantile_calibration": lambda: howsure.quantile_calibration(truth, spread, rng=0),
        "decompose_score": lambda: howsure.decompose_score(y, p, n_bins=4),
        "decompose_score of log": lambda: howsure.decompose_score(y, p, score="log", n_bins=4),
        "check_calibration": lambda: howsure.check_calibration("y", "p", max_error=0.2, groups="lang", **source),
        "check_score": lambda: howsure.check_score(p, min_score=0.4, against=q),
        "check_selective": lambda: howsure.check_selective(y, p, max_risk=0.6, min_coverage=0.3),
        "selective_curve": lambda: howsure.selective_curve(y[:60], p[:60], accuracy=(0.6,)),
        "selective_table": lambda: howsure.selective_table("y", "p", groups="lang", **source),
        "selective_table of whole numbers": lambda: howsure.selective_table("y", "p", groups="year", **source),
        "selective_threshold": lambda: howsure.selective_threshold(y[:60], p[:60], risk=0.4),
        "selective_threshold clusters": lambda: howsure.selective_threshold(
            "y", "p", risk=0.4, clusters="doc", data=frame[:60]
        ),
        "recalibrate": lambda: howsure.recalibrate(y, q, method="histogram", n_bins=5),
        "evaluate_recalibration": lambda: howsure.evaluate_recalibration(y, q, method="histogram", repeats=1, rng=0),
        "recalibration_table": lambda: howsure.recalibration_table(
            y, q, methods=["histogram", "isotonic"], repeats=1, rng=0
        ),
        "monitor status": lambda: monitor().status(),
        "monitor series": lambda: monitor().series("shaky"),
        "monitor update": updated,
        "monitor group": lambda: monitor().status().rows[0],
        "trend": trend,
        "compare": lambda: howsure.resample_models(
            systems["gold"],
            systems["base"],
            {"large": systems["large"], "huge": systems["huge"]},
            method="permutation",
            n_resamples=300,
            rng=0,
        ),
        "compare scores": lambda: howsure.compare_scores(score={"one": p, "two": q}, bounds=(0, 1)),
        "estimate_counts": counted,
        "estimate_counts by month": lambda: counted(groups=months),
        "count": lambda: counted().total,
        "draw_label_sample": lambda: howsure.draw_label_sample(scores, 40, rng=0),
        "plan_label_sample": lambda: howsure.plan_label_sample(scores, width=40),
        "comparison_power": lambda: howsure.comparison_power(0.1, n=500, difference=0.03),
        "comparison_power of n": lambda: howsure.comparison_power(0.1, n=500),
        "comparison_power of a difference": lambda: howsure.comparison_power(0.1, difference=0.03),
        "coreference_scores": lambda: howsure.coreference_scores([[1, 2, 3], [4, 5]], [[1, 2], [3, 4, 5]]),
        "event_series": lambda: howsure.event_series(store(), period="year"),
        "compare_actors": lambda: howsure.compare_actors(store(), "USA", "IRQ", period="year"),
        "CalibrationSummary": lambda: howsure.CalibrationSummary().add(y, p),
        "Pairs": lambda: howsure.simulate_pairs(6, 1, 1, rng=0),
    }


FORMS: dict[str, Callable[[Any], object]] = {
    "str": str,
    "repr": repr,
    "to_dict": lambda result: result.to_dict(),
    "frame": lambda result: result.to_frame("polars").to_dict(as_series=False),
    "Markdown": lambda result: result.to_markdown(),
    "LaTeX": lambda result: result.to_latex(label="tab:one"),
    "CSV": lambda result: result.table().csv(),
    "HTML": lambda result: result._repr_html_(),
}
NEEDS = {
    "to_dict": "to_dict",
    "frame": "to_frame",
    "Markdown": "to_markdown",
    "LaTeX": "to_latex",
    "CSV": "table",
    "HTML": "_repr_html_",
}


def drawn(result: Any) -> object:
    """Return the data of a result's figure."""
    axes = (
        result.plot(metric="macro_f1")
        if isinstance(result, howsure.Comparison) and len(result.rows) > 2
        else result.plot()
    )
    return figure_lines((axes if not isinstance(axes, np.ndarray | list | tuple) else np.ravel(axes)[0]).figure)


def reported(result: Any) -> object:
    """Return the text that a reader of a result's report sees."""
    result.report("report.html", title="A report")
    return Path("report.html").read_text(encoding="utf-8")


def calls() -> Mapping[str, Callable[[], object]]:
    """Return each result in each of its forms."""
    calls_by_name: dict[str, Callable[[], object]] = {}
    for name, make in makers().items():
        once = functools.cache(make)
        try:
            kind = type(once())
        except Exception:  # then what it says is stored
            calls_by_name[name] = once
            continue
        forms = FORMS | {"figure": drawn, "report": reported}
        needs = NEEDS | {"figure": "plot", "report": "report"}
        for form, show in forms.items():
            if hasattr(kind, needs.get(form, "__str__")) and not (form == "str" and kind.__str__ is object.__str__):
                calls_by_name[f"{name} | {form}"] = lambda once=once, show=show: show(once())
    return calls_by_name


ROOM = Room(calls=calls, declared={"multicalibration_error": 1e-6}, long=True)
