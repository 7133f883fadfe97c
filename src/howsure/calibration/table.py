"""One row a group: the calibration of every tag, model or language, with tests adjusted for their number."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from html import escape
from typing import Any

import numpy as np

from howsure import __version__
from howsure.calibration.binned_test import p_value_of
from howsure.calibration.binning import bin_pairs
from howsure.calibration.error import plugin_mse, root
from howsure.calibration.judging import debiased_estimate, squared_error
from howsure.calibration.words import p_value_text
from howsure.errors import InputError
from howsure.stats.checks import check_level
from howsure.stats.door import pairs_from
from howsure.stats.estimate import Estimate
from howsure.stats.frames import to_frame
from howsure.stats.multiplicity import adjust_p_values
from howsure.stats.pairs import Pairs

HEADINGS = ("group", "n", "base rate", "error", "p (adjusted)")


@dataclass(frozen=True, slots=True)
class GroupCalibration:
    """The calibration of one group.

    n pairs, base_rate the frequency of label 1, mean_prob the mean prediction, error the debiased error with interval,
    plugin_error Algorithm 1's value, p_value of the hypothesis that the group is calibrated, p_adjusted for all groups.
    """

    name: str
    n: int
    base_rate: float
    mean_prob: float
    error: Estimate
    plugin_error: float
    p_value: float
    p_adjusted: float


@dataclass(frozen=True, slots=True)
class CalibrationTable:
    """The rows of `calibration_table`, one a group; iterate, index, or convert them."""

    rows: tuple[GroupCalibration, ...]
    recipe: dict[str, Any] = field(repr=False)

    def __iter__(self) -> Iterator[GroupCalibration]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, name: str) -> GroupCalibration:
        """The row of a group by its name."""
        for row in self.rows:
            if row.name == name:
                return row
        raise KeyError(name)

    def to_dict(self) -> dict[str, Any]:
        """Columns by name, and the recipe."""
        return {"recipe": self.recipe, "groups": self._columns()}

    def to_frame(self, backend: str | None = None) -> Any:
        """The rows as a data frame (pandas, else polars, else pyarrow; or the `backend` named)."""
        return to_frame(self._columns(), backend=backend)

    def _columns(self) -> dict[str, list[Any]]:
        rows = self.rows
        return {
            "group": [r.name for r in rows],
            "n": [r.n for r in rows],
            "base_rate": [r.base_rate for r in rows],
            "mean_prob": [r.mean_prob for r in rows],
            "error": [r.error.value for r in rows],
            "low": [r.error.low for r in rows],
            "high": [r.error.high for r in rows],
            "plugin_error": [r.plugin_error for r in rows],
            "p_value": [r.p_value for r in rows],
            "p_adjusted": [r.p_adjusted for r in rows],
        }

    def _cells(self) -> list[tuple[str, ...]]:
        return [
            (row.name, f"{row.n:,}", f"{row.base_rate:.4f}", str(row.error), p_value_text(row.p_adjusted))
            for row in self.rows
        ]

    def __repr__(self) -> str:
        width = max([len(row.name) for row in self.rows] + [5])
        return "\n".join(
            f"{group:<{width}}  {n:>9}  {base_rate:>9}  {error:>24}  {p:>12}"
            for group, n, base_rate, error, p in [HEADINGS, *self._cells()]
        )

    def _repr_html_(self) -> str:
        head, *rows = ("".join(f"<td>{escape(cell)}</td>" for cell in cells) for cells in [HEADINGS, *self._cells()])
        body = "".join(f"<tr>{row}</tr>" for row in rows)
        return f"<table><thead><tr>{head.replace('td>', 'th>')}</tr></thead><tbody>{body}</tbody></table>"


def calibration_table(
    y_true: Any,
    y_prob: Any,
    *,
    groups: Any,
    bin_size: int | str = "auto",
    n_bins: int | None = None,
    binning: str = "adaptive",
    sample_weight: Any = None,
    clusters: Any = None,
    pos_label: Any = None,
    level: float = 0.95,
    adjust: str | None = "holm",
    data: Any = None,
) -> CalibrationTable:
    """The calibration error of every group, from one sort, with p-values adjusted for the number of groups.

    groups (n,): what each pair belongs to; the other arguments are those of `calibration_curve` (bin_size="auto" is
    chosen for each group by itself). The p-value is that of the binned test (`calibration_test`, method "binned"), with
    clusters that of the debiased error's own standard error under calibration. `adjust`: "holm", "bh", None.

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> q = rng.random(4000)
    >>> tag = np.where(np.arange(4000) % 2, "NN", "VB")
    >>> table = calibration_table(rng.random(4000) < np.where(tag == "NN", q, q**2), q, groups=tag)
    >>> [(row.name, row.n, row.p_adjusted < 0.05) for row in table]
    [('NN', 2000, False), ('VB', 2000, True)]

    Raises InputError naming the parameter, row and value that broke a rule.
    """
    if groups is None:
        raise InputError("groups must say what each pair belongs to; without groups use calibration_curve")
    level = check_level(level)
    pairs = pairs_from(
        y_true, y_prob, data=data, sample_weight=sample_weight, groups=groups, clusters=clusters, pos_label=pos_label
    ).that_weigh()
    found = [(name, *_judge(group, binning, bin_size, n_bins, level)) for name, group in by_group(pairs)]
    adjusted = adjust_p_values([p for *_, p in found], method=adjust)
    rows = tuple(
        GroupCalibration(name, n, base_rate, mean_prob, error, plugin, p, float(p_adjusted))
        for (name, n, base_rate, mean_prob, error, plugin, p), p_adjusted in zip(found, adjusted, strict=True)
    )
    recipe = {
        "howsure": __version__,
        "n": len(pairs),
        "groups": len(rows),
        "binning": binning,
        "bin_size": bin_size,
        "n_bins": n_bins,
    }
    return CalibrationTable(rows, recipe | {"level": level, "adjust": adjust})


def by_group(pairs: Pairs) -> Iterator[tuple[str, Pairs]]:
    """The pairs of every group, in the order of the groups' names, from one stable sort."""
    if pairs.groups is None:
        raise InputError("the pairs have no groups")
    pairs = pairs.that_weigh()
    assert pairs.groups is not None
    order = np.argsort(pairs.groups, kind="stable")
    ends = np.cumsum(np.bincount(pairs.groups, minlength=len(pairs.group_names)))
    for name, start, end in zip(pairs.group_names, np.append(0, ends), ends, strict=False):
        if end == start:
            raise InputError(f"every weight of the group {name!r} is 0: nothing in it counts. Leave it out first.")
        yield name, pairs.only(order[start:end])


def _judge(
    pairs: Pairs, binning: str, bin_size: int | str, n_bins: int | None, level: float
) -> tuple[int, float, float, Estimate, float, float]:
    binned = bin_pairs(pairs, binning=binning, bin_size=bin_size, n_bins=n_bins)
    squared = squared_error(pairs, binned)
    weight = float(binned.sums.w1.sum())
    return (
        len(pairs),
        float(binned.sums.y.sum()) / weight,
        float(binned.sums.q.sum()) / weight,
        debiased_estimate(squared, n=len(pairs), level=level),
        root(plugin_mse(binned.sums)),
        p_value_of(pairs, binned, squared),
    )
