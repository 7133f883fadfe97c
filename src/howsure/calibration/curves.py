"""`calibration_curves`: a curve for each group, or one for all pairs, with everything that is said of them together."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from howsure import __version__
from howsure.calibration.calibration_errors import check_interval
from howsure.calibration.calibration_tests import CalibrationTest, check_calibration
from howsure.calibration.calibration_tests import METHODS as TESTS
from howsure.calibration.corp import SIMULATIONS, corp_of
from howsure.calibration.corp_results import CorpCurve, corp_table, interval_of, steps_table
from howsure.calibration.curve import check_method, curve_of
from howsure.calibration.engines.pairs_or_sums import Parts, parts_of, parts_read
from howsure.calibration.results import CalibrationCurve
from howsure.calibration.scores import scores_of_all_classes
from howsure.calibration.slots import Slots
from howsure.calibration.table import weighing
from howsure.calibration.words import bins_table, curves_table, notes_by_name, recipe_rows, verdict
from howsure.errors import InputError, parameter
from howsure.inputs.checks import check_level
from howsure.inputs.classes import CLASS_WISE
from howsure.inputs.frames import SAVED, Source
from howsure.inputs.given import Given
from howsure.inputs.pairs import Pairs
from howsure.inputs.parameter_types import ArrayLike, IntoFrame
from howsure.result import Result
from howsure.show.rows_read import left_out, n_skipped
from howsure.show.table import Table
from howsure.stats.multiplicity import ADJUSTED, adjust_p_values
from howsure.stats.randomness import Randomness

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Curve = TypeVar("Curve", CalibrationCurve, CorpCurve)
MOST_PICTURED = 24  # curves with a picture each in a report; the table holds all of them
ALIKE = "each pair of a row and a class counts alike; howsure calibration logits FILE has them count by probability"


@dataclass(frozen=True, slots=True)
class CalibrationCurves(Result):
    """The result of `calibration_curves`: iterate, index by the name of a group, or convert it.

    curves: one per group, or one without a name; all with bins, or all without. adjust: how p is adjusted for their
    number ("holm", "bh", None). without_bins: beside curves with bins, those without of the groups that a report draws,
    if asked for. recipe: what was read, and the adjustment.
    """

    curves: tuple[CalibrationCurve, ...] | tuple[CorpCurve, ...]
    adjust: str | None
    recipe: dict[str, Any] = field(repr=False)
    without_bins: tuple[CorpCurve, ...] = field(default=(), repr=False)

    def __iter__(self) -> Iterator[CalibrationCurve | CorpCurve]:
        return iter(self.curves)

    def __len__(self) -> int:
        return len(self.curves)

    def __getitem__(self, name: str | None) -> CalibrationCurve | CorpCurve:
        """The curve of a group, by name; None is that of all pairs."""
        for curve in self.curves:
            if curve.name == name:
                return curve
        raise KeyError(name)

    @property
    def binned(self) -> tuple[CalibrationCurve, ...]:
        """The curves if they have bins, else none."""
        return tuple(curve for curve in self.curves if isinstance(curve, CalibrationCurve))

    @property
    def corp(self) -> tuple[CorpCurve, ...]:
        """The curves if they have no bins, else none."""
        return tuple(curve for curve in self.curves if isinstance(curve, CorpCurve))

    @property
    def p_adjusted(self) -> list[float]:
        """The p-values, adjusted for the number of curves."""
        adjusted: list[float] = adjust_p_values([one.p_value for one in self.curves], method=self.adjust).tolist()
        return adjusted

    def to_dict(self) -> dict[str, Any]:
        """The documented schema: recipe, curves, skipped."""
        found = [curve.to_dict() for curve in self.corp]
        for curve, p in zip(self.binned, self.p_adjusted if self.binned else (), strict=True):
            found.append(curve.to_dict() | {"p_adjusted": None if math.isnan(p) else p, "recipe": curve.recipe})
        return {"recipe": self.recipe, "curves": found, "skipped": n_skipped(self.recipe)}

    def table(self, *, exact: bool = False) -> Table:
        """One row a curve; p is adjusted for the number of curves. `exact`: all digits, nothing for what is unknown."""
        if self.corp:
            return replace(corp_table(self.corp, exact=exact), caption="\n".join([*self._made(), *self._notes()]))
        adjusted = self._adjustment if len(self.curves) > 1 and self.adjust else ""
        table = curves_table(self.binned, self.p_adjusted, adjusted=adjusted, exact=exact)
        told = [*self._made(), *scores_of_all_classes(self.binned), *self._families(), *self._notes()]
        return replace(table, caption="\n".join(told))

    def details(self) -> Table | None:
        """The bins or the steps of the curve, where there is one for all pairs."""
        if len(self.curves) > 1 or self.curves[0].name is not None:
            return None
        return bins_table(self.binned[0]) if self.binned else steps_table(self.corp[0])

    def lines(self) -> list[str]:
        """What stands below the table: what p is, the verdict on each curve in a sentence, and the notes."""
        if self.corp:
            said = [f"low to high: {interval_of(self.corp)}", ""]
            return [*said, *(_named(curve, curve.verdict()) for curve in self.corp), *self._notes()]
        said = [_named(curve, verdict(curve, p)) for curve, p in zip(self.binned, self.p_adjusted, strict=True)]
        return [*scores_of_all_classes(self.binned), *self._families(), *said, *self._notes()]

    def _columns(self) -> dict[str, Any]:
        """One row a curve."""
        table = self.table(exact=True)
        numbers = [name for name in table.headings if name not in table.words]
        columns = dict(zip(table.headings, map(list, zip(*table.rows, strict=True)), strict=True))
        for name in numbers:
            whole = name == "n"
            columns[name] = [None if text == "" else int(text) if whole else float(text) for text in columns[name]]
        return columns

    def __repr__(self) -> str:
        details = self.details()
        if details is not None:
            return f"{self.curves[0]!r}\n\n{details}"
        return "\n".join([self.table().text(), *self.lines()])

    def _repr_html_(self) -> str:
        return replace(self.table(), caption="", notes=self.lines()).html()

    def plot(self, ax: Axes | None = None, *, axis: str = "auto") -> Axes:
        """Draw the curves, at most eight, on matplotlib axes (new ones if None) and return them."""
        from howsure.figures.calibration import draw_corp, draw_curves

        return draw_corp(self.corp, ax=ax, axis=axis) if self.corp else draw_curves(self.binned, ax=ax, axis=axis)

    def figure(self, *, axis: str = "auto") -> Figure:
        """The curves as a matplotlib figure: in one panel, in one each, or of very many the errors alone."""
        from howsure.figures.calibration import curves_figure

        return curves_figure(self.curves, axis=axis)

    @property
    def _adjustment(self) -> str:
        return f"adjusted for {len(self.curves):,} groups ({ADJUSTED[self.adjust or 'holm']})"

    def _families(self) -> list[str]:
        """What of several curves is adjusted for their number, and what is not."""
        if len(self.curves) == 1:
            return []
        if self.adjust is None:
            return [f"Verdicts and p are each group's own; nothing is adjusted for {len(self.curves):,} groups."]
        return [f"Verdicts are each group's own; p is {self._adjustment}."]

    def _notes(self) -> list[str]:
        return notes_by_name((curve.name or "note", curve.notes) for curve in self.curves)

    def _made(self) -> list[str]:
        """What was read, and how the curves were made."""
        files = self.recipe.get("files", [])
        read = f"howsure {__version__}"
        if files:
            read += f", files {', '.join(files)}, skipped {n_skipped(self.recipe)}{left_out(self.recipe)}"
        if self.corp:
            shown = ("method", "n_simulations", "level", "seed", "weighted", "clustered")
            return [read, ", ".join(f"{key} {self.corp[0].recipe[key]}" for key in shown)]
        read += f", files pooled {len(files)}" if len(files) > 1 else ""
        method = dict(recipe_rows(self.binned))
        return [read, ", ".join(f"{key} {value}" for key, value in method.items() if key not in ("howsure", "n"))]


def calibration_curves(
    y_true: ArrayLike | str | Pairs | None = None,
    y_prob: ArrayLike | str | Given | None = None,
    *,
    groups: ArrayLike | str | None = None,
    method: Literal["bins", "corp"] = "bins",
    bin_size: int | str = "auto",
    n_bins: int | None = None,
    binning: str = "adaptive",
    n_simulations: int | None = None,
    interval: str = "debiased",
    test: str | None = None,
    adjust: str | None = "holm",
    without_bins: bool = False,
    sample_weight: ArrayLike | str | None = None,
    clusters: ArrayLike | str | None = None,
    id: ArrayLike | str | None = None,
    pos_label: Hashable = None,
    level: float = 0.95,
    rng: Randomness = 0,
    data: Source | IntoFrame | None = None,
) -> CalibrationCurves:
    """A calibration curve for each group, or one for all pairs: what `howsure calibration` shows.

    groups (n,): what each pair belongs to. test: the method of `calibration_test` that p comes from (default: the
    binned test). adjust: how p is adjusted for the number of groups, "holm", "bh", or None. without_bins: beside curves
    with bins, also those without, for a report. id: in files, the item of each row, for rows of several files. The
    other arguments are those of `calibration_curve`. `calibration_table` gives fewer figures of many groups, quicker.

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> q, tag = rng.random(4000), np.where(np.arange(4000) % 2, "NN", "VB")
    >>> found = calibration_curves(rng.random(4000) < np.where(tag == "NN", q, q**2), q, groups=tag)
    >>> print(found["VB"].n, found.lines()[-1])
    2000 VB: overconfident above 0.08: mean prediction 0.54, observed frequency 0.36 (n = 1,840)

    Raises InputError naming the parameter, row and value that violated a rule.
    """
    of_bins: dict[str, Any] = {"bin_size": bin_size, "n_bins": n_bins, "binning": binning, "interval": interval}
    check_method(method, n_simulations, of_bins)
    check_interval(interval)
    if test is not None and test not in TESTS:
        raise InputError(f"{parameter('test')} must be one of {', '.join(map(repr, TESTS))}, not {test!r}")
    level = check_level(level)
    in_memory = test is not None or interval == "bootstrap"
    shared: dict[str, Any] = {"level": level, "rng": rng}
    roles: dict[str, Any] = {
        "groups": groups, "sample_weight": sample_weight, "clusters": clusters, "pos_label": pos_label,
    }  # fmt: skip
    with ExitStack() as stack:
        if isinstance(data, Source):
            read = stack.enter_context(data.predictions(y_true, y_prob, id=id, soft_labels=True, **roles))
            asked: Callable[[bool], Parts] = lambda rows: parts_read(read, data, in_memory=rows)  # noqa: E731
        else:
            asked = lambda rows: parts_of(y_true, y_prob, data=data, in_memory=rows, **roles)  # noqa: E731
        binned: list[CalibrationCurve] = []
        corp: list[CorpCurve] = []
        parts = asked(in_memory or (method == "corp" and sample_weight is not None))
        if method == "bins":
            binned = list(_with_bins(parts, test=test, **of_bins, **shared))
        if method == "corp" or without_bins:
            weighted = "weight" in parts.read or sample_weight is not None
            held = parts if method == "corp" or not weighted else asked(True)
            shown = None if method == "corp" else {binned[i].name for i in most_pairs(binned)}
            times = n_simulations or SIMULATIONS
            corp = list(_corp(held, only=shown, n_simulations=times, **shared))
    made = {**(parts.read or {"howsure": __version__, "n": parts.n})}
    curves = tuple(binned) if method == "bins" else tuple(corp)
    recipe = made | {"adjust": (adjust or "none") if method == "bins" and len(curves) > 1 else None}
    return CalibrationCurves(curves, adjust, recipe, tuple(corp) if method == "bins" else ())


def most_pairs(curves: Sequence[CalibrationCurve]) -> list[int]:
    """The places of the curves that a report draws, those with most pairs, in their own order."""
    return sorted(sorted(range(len(curves)), key=lambda i: -curves[i].n)[:MOST_PICTURED])


def _with_bins(parts: Parts, *, test: str | None, **arguments: Any) -> Iterator[CalibrationCurve]:
    """A curve of each part. `test` gives their p."""
    of_classes = parts.notes.get("engine") == SAVED  # perhaps of all classes of a language model
    for name, pairs in _parts(parts):
        curve = curve_of(pairs, name=name, whole=parts.n, **arguments)
        if of_classes and pairs.reduction == CLASS_WISE and pairs.weights is None:
            curve = replace(curve, notes=(ALIKE, *curve.notes))
        if test is not None:
            assert isinstance(pairs, Pairs)
            curve = _with_test(curve, pairs, test, **arguments)
        yield _positive(curve, parts)


def _corp(parts: Parts, *, only: set[str | None] | None, **arguments: Any) -> Iterator[CorpCurve]:
    """A curve without bins of each part; `only` of some."""
    for name, pairs in _parts(parts):
        if only is None or name in only:
            yield _positive(corp_of(pairs, name=name, **arguments), parts)


def _parts(parts: Parts) -> Iterator[tuple[str | None, Pairs | Slots]]:
    for name, pairs in parts.by_group:
        yield name, weighing(name, pairs) if isinstance(pairs, Pairs) and name is not None else pairs


def _positive(curve: Curve, parts: Parts) -> Curve:
    positive = parts.notes.get("positive")
    return curve if positive is None else replace(curve, positive=str(positive))


def _with_test(
    curve: CalibrationCurve, pairs: Pairs, method: str, *, interval: str, level: float, **options: Any
) -> CalibrationCurve:
    """The curve with the p-value of a method of `calibration_test`, and a note of what the method estimates."""
    found = check_calibration(pairs, method, **options)
    recipe = curve.recipe | {"test": method} | {k: v for k, v in found.recipe.items() if k in ("n_simulations", "seed")}
    return replace(curve, p_value=found.p_value, notes=(*curve.notes, *_said(found)), recipe=recipe)


def _said(found: CalibrationTest) -> list[str]:
    if found.method != "cox":
        return []
    if math.isinf(found.statistic):
        return [
            "cox test: wrong predictions of exactly 0 or 1 alone refute calibration; if these were rounded, use "
            "another test"
        ]
    intercept, slope = found.estimates["intercept"], found.estimates["slope"]
    if math.isfinite(intercept) and math.isfinite(slope):
        return [f"cox test: log-odds of the labels = {intercept:.3f} + {slope:.3f} · log-odds of the predictions"]
    return []


def _named(curve: CalibrationCurve | CorpCurve, said: str) -> str:
    """What is said of a curve, after its name, if it has one."""
    return said if curve.name is None else f"{curve.name}: {said}"
