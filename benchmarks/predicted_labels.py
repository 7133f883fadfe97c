"""Do the intervals of corrected coefficients cover? Simulated and real data.

    HOWSURE_DATA=… .venv/bin/python benchmarks/predicted_labels.py [--quick]
    .venv/bin/python benchmarks/predicted_labels.py --few-clusters [--files 500]

prints the tables of docs/predicted-labels.md: how often the intervals contain the coefficients that human labels of all
rows would give (for the coefficient of each regression with the lowest coverage), how often the intervals with
predictions used as labels do, how often there is no interval, and the width relative to that from labels alone. From
the real data, 100 labels are drawn repeatedly; without HOWSURE_DATA, only simulated data are used.

`--few-clusters` prints the coverage (level 0.95) and size (of a test of no effect at 0.05) of one coefficient that few
clusters determine, the median width and degrees of freedom of its interval, and how often it has none.
"""

from __future__ import annotations

import gzip
import json
import math
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import howsure
from howsure.inputs.pairs import Floats
from howsure.stats.logistic import sigmoid

FILES, FEWER, QUICK, N, LABELS = 500, 200, 10, 2000, (50, 100, 300)
Draw = np.random.Generator
Made = tuple[Any, Any, dict[str, Any], dict[str, float]]  # labels, predictions, what is asked, the true coefficients


def wrong(y: Floats, often: Any, draw: Draw) -> Floats:
    """Return labels 0 and 1, swapped with the given probability."""
    return np.where(draw.random(len(y)) < often, 1.0 - y, y)


def plain(draw: Draw, errors: float = 0.08) -> Made:
    """Return a model that makes twice as many errors if z is 1."""
    x, z = draw.uniform(-1, 1, N), (draw.random(N) < 0.4) * 1.0
    y = (draw.random(N) < 0.3 + 0.15 * x + 0.1 * z) * 1.0
    return y, wrong(y, errors * (1 + z), draw), {"covariates": {"x": x, "z": z}}, {"x": 0.15, "z": 0.1}


def good(draw: Draw) -> Made:
    """Return a model with an accuracy of 98%."""
    return plain(draw, 0.0143)


def logit(draw: Draw, level: float = -1.0) -> Made:
    """Return the same on the log-odds scale."""
    x, z = draw.standard_normal(N), (draw.random(N) < 0.4) * 1.0
    y = (draw.random(N) < sigmoid(level + 0.5 * x + 0.5 * z)) * 1.0
    options = {"covariates": {"x": x, "z": z}, "method": "logit"}
    return y, wrong(y, 0.06 * (1 + z), draw), options, {"x": 0.5, "z": 0.5}


def rare(draw: Draw) -> Made:
    """Return a label that is 1 in one row of twelve."""
    return logit(draw, -2.9)


def units(draw: Draw) -> tuple[Any, Floats]:
    """Return 100 units and their levels."""
    unit = np.repeat(np.arange(100), N // 100)
    return unit, draw.uniform(-0.15, 0.15, 100)[unit]


def effects(draw: Draw) -> Made:
    """Return units whose levels are correlated with x."""
    unit, level = units(draw)
    x = draw.uniform(-1, 1, N) + 4 * level
    y = (draw.random(N) < 0.4 + level + 0.1 * (x - 4 * level)) * 1.0
    y_of_x = {"covariates": {"x": x}, "fixed_effects": {"unit": unit}}
    return y, wrong(y, 0.08 * (1 + (x > 0)), draw), y_of_x, {"x": 0.1}


def clusters(draw: Draw) -> Made:
    """Return units that differ in labels and in the model's error rate; x is constant within a unit."""
    unit, level = units(draw)
    x = draw.uniform(-1, 1, 100)[unit]
    y = (draw.random(N) < 0.4 + level + 0.15 * x) * 1.0
    often = draw.uniform(0, 0.15, 100)[unit] * (1 + (x > 0))
    return y, wrong(y, often, draw), {"covariates": {"x": x}, "clusters": unit}, {"x": 0.15}


def did(draw: Draw, *, periods: bool = True) -> Made:
    """Return treated units after a change; the model misses their labels more often."""
    unit, level = units(draw)
    period = np.tile(np.arange(N // 100), 100)
    treated, after = unit < 40, period >= 10
    p = 0.35 + level + 0.05 * after + 0.15 * treated * after
    y = (draw.random(N) < p) * 1.0
    fixed_effects = {"unit": unit, "period": period}
    options = {"treated": treated, "after": after, "fixed_effects": fixed_effects, "clusters": unit}
    return y, wrong(y, 0.08 + 0.15 * (treated & after & (y > 0)), draw), options, {"treated × after": 0.15}


def topics(draw: Draw) -> Made:
    """Return three classes; the model often predicts the first instead of another."""
    x = draw.uniform(-1, 1, N)
    u = draw.random(N)
    y = np.where(u < 0.4 + 0.15 * x, "a", np.where(u < 0.7 + 0.05 * x, "b", "c"))
    f = np.where(draw.random(N) < 0.1 * (1 + (x > 0)), "a", y)
    return y, f, {"covariates": {"x": x}}, {"a: x": 0.15, "b: x": -0.1, "c: x": -0.05}


def scale(draw: Draw) -> Made:
    """Return a number, which the model overestimates if z is 1."""
    x, z = draw.standard_normal(N), (draw.random(N) < 0.4) * 1.0
    y = 0.5 * x + 0.5 * z + draw.standard_normal(N)
    return y, y + 0.4 * z + 0.6 * draw.standard_normal(N), {"covariates": {"x": x, "z": z}}, {"x": 0.5, "z": 0.5}


def useless(draw: Draw) -> Made:
    """Return a model whose predictions are independent of the labels."""
    y, _, options, true = plain(draw)
    return y, (draw.random(N) < 0.4) * 1.0, options, true


def all_at_once(y: Any, f: Any, draw: Draw, n: int) -> tuple[Any, dict[str, Any]]:
    """Return rows drawn at random."""
    return draw.choice(len(y), n, replace=False), {}


def by_strata(y: Any, f: Any, draw: Draw, n: int) -> tuple[Any, dict[str, Any]]:
    """Return rows drawn in strata; half of them are rows for which the model predicts 1."""
    stratum = (f > 0.5) * 1
    drawn = np.concatenate([draw.choice(np.flatnonzero(stratum == code), n // 2, replace=False) for code in (0, 1)])
    return drawn, {"strata": stratum}


def by_chance(y: Any, f: Any, draw: Draw, n: int) -> tuple[Any, dict[str, Any]]:
    """Return rows drawn independently, with three times the probability if the model predicts 1."""
    chance = 1.0 + 2.0 * (f > 0.5)
    chance *= n / chance.sum()
    return np.flatnonzero(draw.random(len(y)) < chance), {"inclusion": chance}


REGIMES: dict[str, tuple[Callable[[Draw], Made], Any]] = {
    "least squares": (plain, all_at_once),
    "the model is right in 98 %": (good, all_at_once),
    "the model knows nothing": (useless, all_at_once),
    "logistic": (logit, all_at_once),
    "logistic, one row in twelve": (rare, all_at_once),
    "fixed effects of units": (effects, all_at_once),
    "clusters": (clusters, all_at_once),
    "difference in differences, units and periods": (did, all_at_once),
    "three classes": (topics, all_at_once),
    "a scale": (scale, all_at_once),
    "drawn within strata of the prediction": (plain, by_strata),
    "drawn with unequal chances": (plain, by_chance),
}


def judged(y: Any, f: Any, options: dict[str, Any], drawn: Any, how: dict[str, Any]) -> Any:
    """Return the corrected regression with labels of the drawn rows."""
    labels = {int(row): y[row].item() for row in drawn}
    return howsure.regress_predicted(labels, f, **options, **how)


def alone(y: Any, options: dict[str, Any], drawn: Any) -> Any:
    """Return the regression on the labelled rows alone."""
    rows = np.sort(drawn)
    kept = options | {"covariates": {name: column[rows] for name, column in options["covariates"].items()}}
    kept |= {"clusters": options["clusters"][rows]} if "clusters" in options else {}
    return howsure.regress_predicted(y[rows], y[rows], **kept)


def width(estimate: Any) -> float:
    """Return the width of an interval."""
    return math.nan if estimate.low is None else estimate.high - estimate.low


def contains(estimate: Any, true: float) -> float:
    """Return whether the interval contains the true value; NaN if there is no interval."""
    return math.nan if estimate.low is None else float(estimate.low <= true <= estimate.high)


def simulated(name: str, labels: int, files: int) -> list[str]:
    """Return a cell of the table: coverage, coverage of the naive interval, proportion without an interval, width."""
    made, drawing = REGIMES[name]
    coverage_by_name: dict[str, list[tuple[float, float, float]]] = {}
    for seed in range(files):
        draw = np.random.default_rng(seed)
        y, f, options, true = made(draw)
        drawn, how = drawing(y, f, draw, labels)
        result = judged(y, f, options, drawn, how)
        compared = not how and "fixed_effects" not in options
        others = alone(y, options, drawn) if compared else None
        for key, value in true.items():
            row = result[key]
            ratio = math.nan if others is None else width(row.corrected) / width(others[key].naive)
            coverage_by_name.setdefault(key, []).append(
                (contains(row.corrected, value), contains(row.naive, value), ratio)
            )
    cells = {key: np.array(values) for key, values in coverage_by_name.items()}
    corrected = min(np.nanmean(cell[:, 0]) for cell in cells.values())
    naive = min(np.nanmean(cell[:, 1]) for cell in cells.values())
    untold = max(np.isnan(cell[:, 0]).mean() for cell in cells.values())
    ratios = [np.nanmedian(cell[:, 2]) for cell in cells.values() if not np.isnan(cell[:, 2]).all()]
    return [f"{corrected:.3f}", f"{naive:.2f}", f"{untold:.3f}", f"{max(ratios):.2f}" if ratios else "–"]


@dataclass(frozen=True)
class FewClusters:
    """Rows in clusters whose levels differ. The treated clusters, or a column that is constant within clusters, have an
    effect.

    clusters: their number.
    treated: how many of them are treated, from half-time on; 0: there is a column that is constant within clusters
        instead, with the distribution `shape`.
    shock: the standard deviation of what a cluster's rows have in common before and after.
    labels: the number of labels; None: all rows have one.
    unequal: whether cluster sizes are lognormal.
    """

    clusters: int
    treated: int = 0
    effects: bool = False
    shape: str = "lognormal"
    shock: float = 0.1
    labels: int | None = 300
    unequal: bool = False
    method: str = "linear"

    def draw(self, effect: float, draw: Draw) -> tuple[Floats, Any, dict[str, Any], str]:
        """Return labels, predictions, the arguments of the regression, and the name of the coefficient."""
        share = draw.lognormal(0, 0.8, self.clusters) if self.unequal else np.ones(self.clusters)
        size = np.maximum((share / share.sum() * N).round().astype(int), 10)
        unit = np.repeat(np.arange(self.clusters), size)
        period = np.concatenate([np.arange(k) % 10 for k in size])
        after, treated = period >= 5, unit < self.treated
        level, shocks = draw.uniform(-0.12, 0.12, self.clusters), draw.normal(0, self.shock, (self.clusters, 2))
        options: dict[str, Any] = {"clusters": unit, "method": self.method}
        if self.treated:
            column, name = (treated & after) * 1.0, "treated × after"
            options |= {"treated": treated, "after": after}
            options |= {"fixed_effects": {"unit": unit, "period": period}} if self.effects else {}
        else:
            x = (
                draw.lognormal(0, 1, self.clusters)
                if self.shape == "lognormal"
                else draw.standard_normal(self.clusters)
            )
            x = (x - x.mean()) / np.abs(x - x.mean()).max()
            column, name = x[unit], "x"
            options["covariates"] = {"x": column}
        common = level[unit] + shocks[unit, after * 1]
        p = sigmoid(-0.4 + 4 * common + effect * column) if self.method == "logit" else 0.45 + common + effect * column
        y = (draw.random(len(unit)) < np.clip(p, 0.02, 0.98)) * 1.0
        return y, wrong(y, 0.08 + 0.1 * ((column > 0) & (y > 0)), draw), options, name


FEW_CLUSTERS = {
    "difference in differences, 3 of 20 clusters treated": FewClusters(20, 3, effects=True),
    "3 of 20 clusters treated, every row labelled": FewClusters(20, 3, effects=True, labels=None),
    "80 clusters, a skewed column of clusters": FewClusters(80),
    "80 clusters, a skewed column, every row labelled": FewClusters(80, labels=None),
    "2 of 20 clusters treated, no fixed effects": FewClusters(20, 2),
    "4 of 40 clusters of unequal size treated": FewClusters(40, 4, effects=True, unequal=True),
    "30 clusters, a normal column of clusters": FewClusters(30, shape="normal"),
    "logistic, 5 of 40 clusters treated": FewClusters(40, 5, method="logit", shock=0.0),
    "15 of 30 clusters treated, no shocks": FewClusters(30, 15, effects=True, shock=0.0),
}


def few_clusters(name: str, files: int) -> list[str]:
    """Return a row of the table: coverage and size with their standard errors, width, degrees of freedom, no
    interval."""
    regime, cells, widths, degrees, without = FEW_CLUSTERS[name], [], [], [], 0
    logit = regime.method == "logit"
    for effect in (0.8 if logit else 0.1, 0.0):
        covered = []
        for seed in range(files):
            draw = np.random.default_rng(seed)
            y, f, options, key = regime.draw(effect, draw)
            drawn = np.arange(len(y)) if regime.labels is None else draw.choice(len(y), regime.labels, replace=False)
            row = judged(y, f, options, drawn, {})[key]
            without += row.corrected.low is None
            covered.append(contains(row.corrected, effect))
            widths.append(width(row.corrected))
            degrees.append(getattr(row, "corrected_degrees", math.nan))
        share = float(np.nanmean(covered))
        error = math.sqrt(share * (1 - share) / np.isfinite(covered).sum())
        cells.append(f"{share if effect else 1 - share:.3f} ({error:.3f})")
    freedom = "–" if np.isnan(degrees).all() else f"{np.nanmedian(degrees):.1f}"
    return [*cells, f"{np.nanmedian(widths):.3f}", freedom, f"{without / (2 * files):.3f}"]


def articles(folder: Path) -> Made:
    """Return a newspaper's articles about a month of violence: whether they report arrests, by search terms, and by
    week."""
    with gzip.open(folder / "india_police_events" / "documents.jsonl.gz", "rt", encoding="utf-8") as file:
        records = [json.loads(line) for line in file]
    y = np.array([record["labels"]["ARREST"] for record in records], dtype=np.float64)
    texts = [record["text"].lower() for record in records]
    f = np.array([any(word in text for word in ("arrest", "detain", "custody")) for text in texts]) * 1.0
    late = np.array([record["date"] > "2002-03-10" for record in records]) * 1.0
    length = np.log([len(text) for text in texts])
    return y, f, {"covariates": {"late": late, "length": length - length.mean()}}, {}


def repeated(method: str, labels: int, files: int, folder: Path) -> list[list[str]]:
    """Return how often the intervals contain the coefficients from all human labels, over repeated draws of labels."""
    y, f, options, _ = articles(folder)
    options |= {"method": method}
    census = howsure.regress_predicted(y, f, **options)
    estimates_by_name: dict[str, list[tuple[float, float, float]]] = {row.name: [] for row in census}
    for seed in range(files):
        drawn, _ = all_at_once(y, f, np.random.default_rng(seed), labels)
        for row in judged(y, f, options, drawn, {}):
            true = census[row.name].corrected.value
            estimates_by_name[row.name].append(
                (row.corrected.value, contains(row.corrected, true), width(row.corrected))
            )
    lines = []
    for name, values in estimates_by_name.items():
        held_of, truth = np.array(values), census[name].corrected.value
        means = [f"{np.nanmean(held_of[:, 0]):.3f}", f"{np.nanmean(held_of[:, 1]):.3f}"]
        lines.append([method, name, f"{truth:.3f}", f"{census[name].naive.value:.3f}", *means])
    return lines


def main() -> None:
    """Print the tables."""
    files = QUICK if "--quick" in sys.argv else FILES
    if "--few-clusters" in sys.argv:
        files = int(sys.argv[sys.argv.index("--files") + 1]) if "--files" in sys.argv else files
        print("| regression | coverage | size | width | degrees of freedom | no interval |")
        for name in FEW_CLUSTERS:
            print(f"| {name} | {' | '.join(few_clusters(name, files))} |", flush=True)
        return
    print("| regression |" + "".join(f" {n} labels: held | naive | not told | width |" for n in LABELS))
    for name in REGIMES:
        cells = [
            cell for labels in LABELS for cell in simulated(name, labels, files if labels == 100 else min(files, FEWER))
        ]
        print(f"| {name} | {' | '.join(cells)} |", flush=True)
    if folder := os.environ.get("HOWSURE_DATA"):
        print("| regression | coefficient | all labels | predictions | mean of corrected | held |")
        for method in ("linear", "logit"):
            for cells in repeated(method, 100, files, Path(folder)):
                print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
