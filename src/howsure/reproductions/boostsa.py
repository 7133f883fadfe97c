"""BooStSa's p against test-set size and sub-sample share (Fornaciari et al. 2022, Figures 1 and 2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from howsure import __version__
from howsure.data.registry import find_dataset
from howsure.figures.lines import Series, series_figure
from howsure.reproductions.reproduction import Advance, Finding, Reproduction, ResultTable, nobody
from howsure.significance import compare
from howsure.significance.boostsa.storage import read_labels
from howsure.stats.pairs import Floats

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SIZES = (1_000, 2_000, 4_000, 6_000, 8_000, 10_000)
SHARES = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5)
SIMULATIONS, LOOPS, LOOPS_FIGURE_2 = 10, 1_000, 10_000
ACCURACIES = (0.80, 0.81)
FULL, EXACT = "full size", "exact permutation"
PAIRS = {"h0.0 and h1.0": ("h0.0", "h1.0"), "h0.0 and h2.0": ("h0.0", "h2.0")}
METRICS = ("accuracy", "macro_f1")
Set = tuple[Any, Any, Any]


@dataclass(frozen=True, slots=True)
class Simulated:
    """p by test and test-set size: (sizes, simulations)."""

    by_test: dict[str, Floats]

    def series(self) -> list[Series]:
        """The mean over the simulations, with its 95 % interval."""
        lines = []
        for name, p in self.by_test.items():
            half = 1.96 * p.std(axis=1, ddof=1) / np.sqrt(SIMULATIONS)
            lines.append(Series(name, SIZES, p.mean(axis=1), p.mean(axis=1) - half, p.mean(axis=1) + half))
        return lines


def reproduce_boostsa(*, data: str | None = None, seed: int = 0, advance: Advance = nobody) -> Reproduction:
    """Run Figures 1 and 2 again, each beside what resamples of full size and the exact test say of the same data.

    Figure 1 is simulated as the paper says (balanced classes and predictions, a difference of one point, 10 simulations
    of 1,000 loops a point); it does not give the accuracies, which are .80 and .81 here. Figure 2 shows two taggers
    whose predictions are not public; here it shows BooStSa's own test data, from the folder `boostsa_test` in `data`.

    Raises InputError if that folder is not found.
    """
    folder = find_dataset("boostsa_test", data=data)
    simulated = _simulate(seed, advance)
    real = {name: _shares(_read(folder, *pair), seed, advance) for name, pair in PAIRS.items()}
    findings = (*_findings_1(simulated), *_findings_2(real))

    def draw() -> dict[str, Figure]:
        figure_1 = series_figure(
            [("a true difference of one point", simulated.series())], x_label="test set", y_label="p"
        )
        panels = [(name, _lines(found)) for name, found in real.items()]
        return {"figure-1": figure_1, "figure-2": series_figure(panels, x_label="share in a sub-sample", y_label="p")}

    recipe = {
        "howsure": __version__,
        "seed": seed,
        "accuracies": list(ACCURACIES),
        "simulations": SIMULATIONS,
        "loops": [LOOPS, LOOPS_FIGURE_2],
    }
    title = "BooStSa's p against sub-sample share and test-set size (Fornaciari et al. 2022, Figures 1 and 2)"
    return Reproduction("boostsa", title, findings, (_table_1(simulated), _table_2(real)), recipe, draw)


def steps_of_boostsa() -> int:
    """How often `advance` is called."""
    return len(SIZES) * SIMULATIONS + len(PAIRS) * len(SHARES)


def balanced(n: int, rng: np.random.Generator) -> Set:
    """Two classes of n/2 items; both systems are right equally often in either class, and their errors independent."""
    targets = np.repeat([0, 1], n // 2)
    systems = []
    for accuracy in ACCURACIES:
        wrong = np.zeros(n, dtype=bool)
        errors = round((1 - accuracy) * n / 2)
        for start in (0, n // 2):
            wrong[start + rng.choice(n // 2, errors, replace=False)] = True
        systems.append(np.where(wrong, 1 - targets, targets))
    return targets, systems[0], systems[1]


def _simulate(seed: int, advance: Advance) -> Simulated:
    tests = [*map(_share, SHARES), FULL, EXACT]
    by_test = {name: np.empty((len(SIZES), SIMULATIONS)) for name in tests}
    for i, n in enumerate(SIZES):
        for k in range(SIMULATIONS):
            columns = balanced(n, np.random.default_rng([seed, n, k]))
            for name, p in _p_values(columns, "macro_f1", LOOPS, seed + k).items():
                by_test[name][i, k] = p
            advance(1)
    return Simulated(by_test)


def _p_values(columns: Set, metric: str, loops: int, seed: int) -> dict[str, float]:
    """p of BooStSa's rule by share, of the full-size bootstrap and of the exact test, all one-sided as BooStSa's is."""
    one: dict[str, Any] = {"metrics": metric, "interval": None, "rng": seed, "n_resamples": loops}
    found = {
        _share(share): compare(*columns, method="boostsa", sample_size=share, **one)[0].p_value for share in SHARES
    }
    found[FULL] = compare(*columns, method="bootstrap", alternative="better", **one)[0].p_value
    found[EXACT] = compare(*columns, alternative="better", **one)[0].p_value
    return found


def _shares(columns: Set, seed: int, advance: Advance) -> dict[str, dict[str, float]]:
    found = {metric: _p_values(columns, metric, LOOPS_FIGURE_2, seed) for metric in METRICS}
    advance(len(SHARES))
    return found


def _findings_1(simulated: Simulated) -> tuple[Finding, ...]:
    means = {name: p.mean(axis=1) for name, p in simulated.by_test.items()}
    shares = [means[_share(share)] for share in SHARES]
    by_size = all(line[-1] < line[0] for line in shares)
    by_share = all(np.all(wide <= narrow) for narrow, wide in pairwise(shares))
    spread = max(
        float(p.std(axis=1, ddof=1).max()) for name, p in simulated.by_test.items() if name not in (FULL, EXACT)
    )
    largest, whole = shares[-1][-1], (means[FULL][-1], means[EXACT][-1])
    return (
        Finding("1", "the larger the test set, the smaller p", _ends(shares, "p goes from {} to {}"), by_size),
        Finding(
            "1", "p depends on the share of the sub-sample (its text: too broad a one makes p artificially high)",
            f"p falls as the share grows, at every size; at n = {SIZES[-1]:,} it is {shares[0][-1]:.3f} for a share of "
            f"{SHARES[0]}, {largest:.3f} for {SHARES[-1]}, {whole[0]:.3f} for all items and {whole[1]:.3f} exactly",
            by_share,
        ),
        Finding(
            "1", "1,000 iterations give stable results over 10 simulations",
            f"the standard deviation of p over the simulations is at most {spread:.3f}", spread < 0.05,
        ),
    )  # fmt: skip


PAPERS_SHARE = 0.3  # above which the paper's two taggers differ significantly


def _findings_2(real: dict[str, dict[str, dict[str, float]]]) -> tuple[Finding, ...]:
    found = []
    for name, by_metric in real.items():
        parts, late = [], True
        for metric, p in by_metric.items():
            first = next((share for share in SHARES if p[_share(share)] <= 0.05), None)
            late = late and first is not None and first > PAPERS_SHARE
            at = "at no share" if first is None else f"from a share of {first} on"
            parts.append(f"{metric}: p ≤ .05 {at}, all items {p[FULL]:.4f}, exactly {p[EXACT]:.4f}")
        paper = "p ≤ .05 only with a share above 30 % (two taggers of the paper's own; these are others)"
        found.append(Finding(f"2, {name}", paper, "; ".join(parts), late))
    return tuple(found)


def _lines(found: dict[str, dict[str, float]]) -> list[Series]:
    lines = [Series(metric, SHARES, [p[_share(share)] for share in SHARES]) for metric, p in found.items()]
    lines += [Series(f"{metric}, exact", SHARES, [p[EXACT]] * len(SHARES)) for metric, p in found.items()]
    return lines


def _table_1(simulated: Simulated) -> ResultTable:
    headers = ["test set", *simulated.by_test]
    rows = [[f"{n:,}", *(f"{p[i].mean():.3f}" for p in simulated.by_test.values())] for i, n in enumerate(SIZES)]
    return ResultTable("Figure 1: mean p of macro-F1 by test-set size and share, one-sided", headers, rows)


def _table_2(real: dict[str, dict[str, dict[str, float]]]) -> ResultTable:
    headers = ["systems", "metric", *map(_share, SHARES), FULL, EXACT]
    rows = [
        [name, metric, *(f"{p[test]:.4f}" for test in headers[2:])]
        for name, by_metric in real.items()
        for metric, p in by_metric.items()
    ]
    return ResultTable("Figure 2: p by share, one-sided", headers, rows)


def _share(share: float) -> str:
    return f"share {share:g}"


def _ends(lines: Sequence[Floats], text: str) -> str:
    return text.format(f"{max(line[0] for line in lines):.3f}", f"{min(line[-1] for line in lines):.3f}") + (
        f" between {SIZES[0]:,} and {SIZES[-1]:,} items"
    )


def _read(folder: Path, baseline: str, model: str) -> Set:
    names = (f"{baseline}/targs.txt", f"{baseline}/preds.txt", f"{model}/preds.txt")
    targets, first, second = (read_labels(folder / name) for name in names)
    return targets, first, second
