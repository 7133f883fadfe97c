"""`calibration_table`: the calibration error of every group (tag, model, language), with adjusted p-values."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from howsure import __version__
from howsure.calibration.binned_test import binned_tests
from howsure.calibration.bins import bin_parts
from howsure.calibration.calibration_errors import debiased_estimate, error_notes, squared_error
from howsure.calibration.engines.pairs_or_sums import read_calibration_input
from howsure.calibration.slots import Slots
from howsure.calibration.squared_error import plugin_mse, root
from howsure.errors import InputError
from howsure.inputs.arguments import check_arguments
from howsure.inputs.frames import Source
from howsure.inputs.numbers_and_names import check_level
from howsure.inputs.pairs import Pairs, Probabilities
from howsure.inputs.parameter_types import ArrayLike, Axes, IntoFrame
from howsure.notes import notes_by_name
from howsure.result import Estimate, Rows, plain
from howsure.show.axes import checks_axes
from howsure.show.table import COUNT, ESTIMATE, FRAME, NUMBER, P_VALUE, TABLE, WORDS, Column, with_ends
from howsure.stats.p_values import adjust_p_values

TOGETHER = 256  # groups that are evaluated together


@dataclass(frozen=True, slots=True)
class GroupCalibration:
    """The calibration of one group.

    n: number of pairs. base_rate: frequency of label 1. mean_prob: mean prediction. error: debiased error with
    interval. algorithm1_error: Algorithm 1's value. p_value: the p-value of the hypothesis that the group is
    calibrated. p_adjusted: the p-value adjusted for the number of groups. notes: caveats.
    """

    name: str
    n: int
    base_rate: float
    mean_prob: float
    error: Estimate
    algorithm1_error: float
    p_value: float
    p_adjusted: float
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, repr=False)
class CalibrationTable(Rows[GroupCalibration]):
    """The result of `calibration_table`, with one row per group: iterate over it, index it by group, or convert it."""

    rows: tuple[GroupCalibration, ...]
    recipe: dict[str, Any]

    def to_dict(self) -> dict[str, Any]:
        """Return a dictionary for JSON: the columns by name, and the recipe."""
        return {
            "recipe": self.recipe,
            "groups": plain({**self.frame_columns(), "notes": [row.notes for row in self.rows]}),
        }

    def columns(self) -> Sequence[Column]:
        """One row per group."""
        return [
            Column("group", WORDS, get=lambda row: row.name),
            Column("n", COUNT),
            Column("base_rate", NUMBER),
            Column("mean_prob", NUMBER, only=FRAME),
            Column("error", ESTIMATE, only=TABLE),
            *with_ends(Column("error", NUMBER, only=FRAME)),
            Column("algorithm1_error", NUMBER, only=FRAME),
            Column("p_value", P_VALUE, only=FRAME),
            Column("p_adjusted", P_VALUE, "p (adjusted)"),
            Column("notes", WORDS, get=lambda row: "; ".join(row.notes), only=FRAME),
        ]

    def footnotes(self) -> Sequence[str]:
        """The notes."""
        return [*notes_by_name((row.name, row.notes) for row in self.rows), *self.recipe_notes]

    @checks_axes
    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the errors with their intervals by group, the largest at the top, on axes (new ones if None)."""
        from howsure.figures.calibration import draw_errors, error_figure

        return error_figure(self.rows).axes[0] if ax is None else draw_errors(self.rows, ax=ax)


def calibration_table(
    y_true: ArrayLike | str | Pairs | None = None,
    y_prob: ArrayLike | str | Probabilities | None = None,
    *,
    groups: ArrayLike | str | None = None,
    bin_size: int | str = "auto",
    n_bins: int | None = None,
    binning: str = "adaptive",
    sample_weight: ArrayLike | str | None = None,
    clusters: ArrayLike | str | None = None,
    pos_label: Hashable = None,
    level: float = 0.95,
    adjust: str | None = "holm",
    data: Source | IntoFrame | None = None,
) -> CalibrationTable:
    """Estimate the calibration error of every group, with p-values adjusted for the number of groups.

    groups (n,): the group of each pair, unless `Pairs` with groups are given. The other arguments are those of
    `calibration_curve`; bin_size="auto" is chosen for each group separately. The p-value is the p-value of the binned
    test (`calibration_test`, method "binned") or, with clusters, is based on the debiased error's distribution under
    calibration. adjust: "holm", "bh" (Benjamini–Hochberg) or None.

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> q = rng.random(4000)
    >>> tag = np.where(np.arange(4000) % 2, "NN", "VB")
    >>> table = calibration_table(rng.random(4000) < np.where(tag == "NN", q, q**2), q, groups=tag)
    >>> [(row.name, row.n, row.p_adjusted < 0.05) for row in table]
    [('NN', 2000, False), ('VB', 2000, True)]

    Raises InputError, which names the parameter, row and value, for an invalid input.
    """
    check_arguments(calibration_table, locals())
    bins: dict[str, Any] = {"bin_size": bin_size, "n_bins": n_bins, "binning": binning}
    roles: dict[str, Any] = {"sample_weight": sample_weight, "clusters": clusters, "pos_label": pos_label}
    parts = read_calibration_input(y_true, y_prob, data=data, groups=groups, soft_labels=True, **roles)
    named_parts = [(name, part) for name, part in parts.by_group if name is not None]
    if not named_parts:
        raise InputError("groups must name the group of each pair; without groups use calibration_curve.")
    whole = parts.n if isinstance(named_parts[0][1], Pairs) else 0
    table = build_table(named_parts, whole=whole, level=level, adjust=adjust, **bins)
    return replace(table, recipe=table.recipe | {name: parts.notes[name] for name in ("notes",) if name in parts.notes})


def build_table(
    parts: Iterable[tuple[str, Pairs | Slots]],
    *,
    bin_size: int | str = "auto",
    n_bins: int | None = None,
    binning: str = "adaptive",
    level: float = 0.95,
    adjust: str | None = "holm",
    whole: int = 0,
) -> CalibrationTable:
    """Compute `calibration_table` for pairs or sums by group; `whole` is the number of pairs in the whole input."""
    bins: dict[str, Any] = {"bin_size": bin_size, "n_bins": n_bins, "binning": binning}
    level = check_level(level)
    rows = [row for some in _batches(parts) for row in _judged(some, level, bins | {"whole": whole})]
    adjusted = adjust_p_values([row.p_value for row in rows], method=adjust).tolist()
    rows = [replace(row, p_adjusted=p) for row, p in zip(rows, adjusted, strict=True)]
    recipe = {
        "howsure": __version__,
        "n": sum(row.n for row in rows),
        "groups": len(rows),
        "binning": binning,
        "bin_size": bin_size,
        "n_bins": n_bins,
    }
    return CalibrationTable(tuple(rows), recipe | {"level": level, "adjust": adjust})


def by_group(pairs: Pairs) -> Iterator[tuple[str, Pairs]]:
    """Yield the pairs of positive weight in every group, in the order of group names."""
    if pairs.groups is None:
        raise InputError("the pairs have no groups. Give groups.")
    for name, group in pairs.by_group():
        yield name, positive_weight_pairs(name, group)


def positive_weight_pairs(name: str, pairs: Pairs) -> Pairs:
    """Return the pairs of positive weight in a group. Raises InputError if it has none."""
    if pairs.weights is not None and not pairs.weights.any():
        raise group_weighs_nothing(name)
    return pairs.with_positive_weight()


def group_weighs_nothing(name: str) -> InputError:
    """Build the error for a group in which all weights are 0."""
    return InputError(f"every weight of the group {name!r} is 0. Leave this group out first.")


def _empty_group_error(name: str, weightless: int) -> InputError:
    return group_weighs_nothing(name) if weightless else InputError(f"the group {name!r} is empty. Leave it out first.")


def _batches(parts: Iterable[tuple[str, Pairs | Slots]]) -> Iterator[list[tuple[str, Pairs | Slots]]]:
    """Yield batches of at most `TOGETHER` groups. Slots take much memory: a group with slots ends its batch."""
    batch: list[tuple[str, Pairs | Slots]] = []
    for name, part in parts:
        batch.append((name, part))
        if isinstance(part, Slots) or len(batch) == TOGETHER:
            yield batch
            batch = []
    if batch:
        yield batch


def _judged(
    parts: Sequence[tuple[str, Pairs | Slots]], level: float, bins: dict[str, Any]
) -> Iterator[GroupCalibration]:
    """Yield the table rows of some groups, with unadjusted p-values."""
    counting = [_nonempty_part(name, part) for name, part in parts]
    many = bin_parts(counting, **bins)
    squared = [squared_error(pairs, binned) for pairs, binned in zip(counting, many, strict=True)]
    clustered = [isinstance(pairs, Pairs) and pairs.clusters is not None for pairs in counting]
    tested = iter(binned_tests([binned for binned, by_signs in zip(many, clustered, strict=True) if not by_signs]))
    for (name, part), pairs, binned, error, by_signs in zip(parts, counting, many, squared, clustered, strict=True):
        s, n = binned.sums, len(pairs)
        if not by_signs:
            error = replace(error, test=partial(float, next(tested)[1]))
        weight = float(s.w1.sum())
        yield GroupCalibration(
            name=name,
            n=n,
            base_rate=float(s.y.sum()) / weight,
            mean_prob=float(s.q.sum()) / weight,
            error=debiased_estimate(error, n=n, level=level),
            algorithm1_error=root(plugin_mse(s)),
            p_value=error.p_value,
            p_adjusted=error.p_value,
            notes=error_notes(
                pairs, binned, error, weightless=part.weightless if isinstance(part, Slots) else len(part) - n
            ),
        )


def _nonempty_part(name: str, part: Pairs | Slots) -> Pairs | Slots:
    """Return the pairs of positive weight in a group, or its sums. Raises InputError if the group is empty."""
    if isinstance(part, Slots) and not len(part):
        raise _empty_group_error(name, part.weightless)
    return part if isinstance(part, Slots) else positive_weight_pairs(name, part)
