"""`calibration_curves`: a curve for each group, or one for all pairs, with adjusted p-values, verdicts and notes."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from howsure import __version__
from howsure.calibration.calibration_errors import check_interval
from howsure.calibration.calibration_tests import METHODS as TESTS
from howsure.calibration.calibration_tests import CalibrationTest, check_calibration
from howsure.calibration.corp import SIMULATIONS, CorpCurve, corp_answer, corp_columns, fit_corp, interval_legend
from howsure.calibration.corp import figures_in_words as corp_figures_in_words
from howsure.calibration.curve import binned_curve, check_method
from howsure.calibration.curve_text import (
    calibration_answer,
    curve_columns,
    figures_in_words,
    parts_table,
    recipe_rows,
    verdict,
)
from howsure.calibration.engines.pairs_or_sums import Parts, parts_read, read_calibration_input
from howsure.calibration.results import CalibrationCurve
from howsure.calibration.scores import heading, score_words, scores_of_all_classes
from howsure.calibration.slots import Slots
from howsure.calibration.table import positive_weight_pairs
from howsure.errors import InputError
from howsure.inputs.arguments import Randomness, check_arguments
from howsure.inputs.frames import SAVED, Source
from howsure.inputs.numbers_and_names import check_integer, check_level, counted
from howsure.inputs.pairs import CLASS_WISE, Pairs, Probabilities
from howsure.inputs.parameter_types import ArrayLike, Axes, Figure, IntoFrame
from howsure.inputs.repeated_items import item_notes
from howsure.notes import DETAIL, Note, footnote, marked_note, notes_by_name
from howsure.result import Result, Rows, plain, provenance_line, rows_read
from howsure.show.axes import checks_axes
from howsure.show.table import Column, Table, figures_text
from howsure.stats.p_values import ADJUSTED, adjust_p_values
from howsure.worst_rows import Show, WorstRows, check_worst

if TYPE_CHECKING:
    from howsure.calibration.calibration_summary import CalibrationSummary

Curve = TypeVar("Curve", CalibrationCurve, CorpCurve)
OF_A_PAPER = {"group", "n", "error", "ece", "p_value"}  # columns of LaTeX by default, with the Brier score
MAX_PICTURED = 24  # curves drawn in a report; the table has all of them
PAIRS_NOTE = (
    "each pair of a row and a class has the same weight; howsure calibration logits FILE weights them by probability"
)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class CalibrationCurves(Rows[Any]):
    """The result of `calibration_curves`: iterate over the curves, or index it by group (None: the curve of all pairs).

    rows: the curves, all with bins or all without. adjust: how p-values are adjusted for the number of curves ("holm",
    "bh" or None). other_method: the curves of the other method, if a report needs them. worst: the most confidently
    wrong rows, if requested. recipe: what was read, and the adjustment. summary: for logits, the sums of the pairs.
    input_notes: notes on repeated items, soft labels and several files.
    """

    rows: tuple[CalibrationCurve, ...] | tuple[CorpCurve, ...]
    adjust: str | None
    other_method: tuple[CalibrationCurve, ...] | tuple[CorpCurve, ...] = field(default=(), repr=False)
    worst: WorstRows | None = field(default=None, repr=False)
    recipe: dict[str, Any] = field(repr=False)
    summary: CalibrationSummary | None = field(default=None, repr=False)
    input_notes: tuple[str, ...] = field(default=(), repr=False)

    suggested: ClassVar = {"report": "calibration.html"}
    further = ("worst",)

    @property
    def binned(self) -> tuple[CalibrationCurve, ...]:
        """The curves with bins; () if the curves have none."""
        return tuple(curve for curve in self.rows if isinstance(curve, CalibrationCurve))

    @property
    def corp(self) -> tuple[CorpCurve, ...]:
        """The curves without bins; () if the curves have bins."""
        return tuple(curve for curve in self.rows if isinstance(curve, CorpCurve))

    @property
    def p_adjusted(self) -> list[float]:
        """The p-values. For curves with bins, they are adjusted for the number of curves."""
        adjusted = adjust_p_values([row.p_value for row in self.rows], method=self.adjust if self.binned else None)
        return [float(p) for p in adjusted]

    def to_dict(self) -> dict[str, Any]:
        """Return a dictionary for JSON by the documented schema: recipe, curves, skipped."""
        curves = [curve.to_dict() for curve in self.rows]
        if self.binned:
            more = zip(self.p_adjusted, self.binned, strict=True)
            more_of_each = [{"p_adjusted": plain(p), "recipe": curve.recipe} for p, curve in more]
            curves = [curve | of_it for curve, of_it in zip(curves, more_of_each, strict=True)]
        worst = {} if self.worst is None else {"worst": plain(self.worst.rows)}
        return {"recipe": self.recipe, "curves": curves, **worst, "skipped": self.skipped}

    def columns(self) -> Sequence[Column]:
        """The columns of a table with one row per curve; p is adjusted for the number of curves."""
        if self.corp:
            return corp_columns(self.corp)
        adjusted = self._adjustment if len(self.rows) > 1 and self.adjust else ""
        return curve_columns(self.binned, self.p_adjusted, adjusted=adjusted)

    def table(self) -> Table:
        """Return the table with one row per curve and the lines below it."""
        title = "Calibration without bins" if self.corp else "Calibration"
        title += f" of {len(self.rows):,} groups" if len(self.rows) > 1 else ""
        bold = bool(self.corp) or any(curve.reduction != CLASS_WISE for curve in self.binned)
        return replace(Rows.table(self), title=title, bold=bold)

    @property
    def latex_columns(self) -> Sequence[str] | None:
        """The columns of a paper for curves with bins: group, n, error with its interval, ECE, Brier score and p."""
        if not self.binned:
            return None
        brier = heading(score_words("brier", self.binned[0].reduction))
        return [column.shown for column in self.columns() if column.name in OF_A_PAPER or column.shown == brier]

    @property
    def answer(self) -> str:
        """The size of the calibration errors (or miscalibrations), and which groups are over- or underconfident."""
        return calibration_answer(self.binned, self.p_adjusted) if self.binned else corp_answer(self.corp)

    @property
    def key_figures(self) -> str:
        """The figures of a single curve of all pairs, one per line; otherwise an empty string."""
        if not self.description:
            return ""
        return figures_text(figures_in_words(self.binned[0]) if self.binned else corp_figures_in_words(self.corp[0]))

    @property
    def provenance(self) -> str:
        """A description of the input and the level of the intervals."""
        level = self.binned[0].error.level if self.binned else self.corp[0].by_chance.level
        return provenance_line(self.recipe | {"level": level})

    @property
    def input_line(self) -> str:
        """A description of the input, and whether rows of several files count as independent."""
        notes = [*map(footnote, self.input_notes)]
        return "\n".join(filter(None, [rows_read(self.recipe), *notes]))

    @property
    def description(self) -> str:
        """The figures and bins or steps of a single curve of all pairs; otherwise empty, and a table is shown."""
        if len(self.rows) > 1 or self.rows[0].name is not None:
            return ""
        return f"{self.rows[0].description}\n\n{parts_table(self.rows[0]).text()}"

    def footnotes(self) -> Sequence[str]:
        """Lines below the table: how p is adjusted, the verdict on each curve, and the notes."""
        if self.corp:
            lines = [f"low to high: {interval_legend(self.corp)}", ""]
            return [
                *lines,
                *(_verdict_with_name(curve, curve.verdict()) for curve in self.corp),
                *self._notes_by_curve(),
            ]
        lines = [
            _verdict_with_name(curve, verdict(curve, p)) for curve, p in zip(self.binned, self.p_adjusted, strict=True)
        ]
        return [*self._lines_of_all(), *lines, *self.input_notes, *self._notes_by_curve()]

    def footnotes_of_answer(self, *, verbose: bool) -> Sequence[str]:
        """Lines below the answer; for a single curve, they omit the verdict, which is in the answer."""
        if not self.description:
            return Result.footnotes_of_answer(self, verbose=verbose)
        notes = [] if verbose else self._notes_by_curve()
        return [*self._lines_of_all(), *self.input_notes, *notes]

    def _lines_of_all(self) -> list[str]:
        """Return lines on the scores of all classes, and on how p-values are adjusted."""
        return [*scores_of_all_classes(self.binned), *(Note(line, DETAIL) for line in self.families())]

    def _notes_by_curve(self) -> list[str]:
        """Return the notes of the curves without repetition."""
        return notes_by_name((curve.name or "note", curve.notes) for curve in self.rows)

    @checks_axes
    def plot(self, ax: Axes | None = None, *, axis: str = "auto") -> Axes:
        """Draw the curves, at most eight, on matplotlib axes (new ones if None) and return them."""
        from howsure.figures.calibration import draw_corp, draw_curves

        return draw_corp(self.corp, ax=ax, axis=axis) if self.corp else draw_curves(self.binned, ax=ax, axis=axis)

    def figure(self, *, axis: str = "auto") -> Figure:
        """Return a matplotlib figure of the curves in one or more panels; for very many curves, only the errors."""
        from howsure.figures.calibration import curves_figure

        return curves_figure(self.rows, axis=axis)

    @property
    def _adjustment(self) -> str:
        return f"adjusted for {len(self.rows):,} groups ({ADJUSTED[self.adjust or 'holm']})"

    def families(self) -> list[str]:
        """Return a sentence on how p-values and verdicts are adjusted for the number of groups; [] for one curve."""
        if len(self.rows) == 1:
            return []
        if self.adjust is None:
            return [f"Neither verdicts nor p are adjusted for the number of groups, {len(self.rows):,}."]
        return [f"Verdicts and p are {self._adjustment}; intervals are not adjusted."]

    def _printed(self, columns: Sequence[str] | None) -> Table:
        table = Rows._printed(self, columns)
        how = ", ".join(f"{key} {value}" for key, value in recipe_rows(self.rows) if key != "n")
        return replace(table, caption=f"{how}\n{table.caption}")


def calibration_curves(
    y_true: ArrayLike | str | Pairs | None = None,
    y_prob: ArrayLike | str | Probabilities | None = None,
    *,
    groups: ArrayLike | str | None = None,
    method: str = "bins",
    bin_size: int | str = "auto",
    n_bins: int | None = None,
    binning: str = "adaptive",
    interval: str = "debiased",
    sample_weight: ArrayLike | str | None = None,
    clusters: ArrayLike | str | None = None,
    id: ArrayLike | str | None = None,
    pos_label: Hashable = None,
    level: float = 0.95,
    rng: Randomness = 0,
    data: Source | IntoFrame | None = None,
) -> CalibrationCurves:
    """Compute a calibration curve for each group, or one for all pairs.

    groups (n,): the group of each pair (tag, model, language), with one curve each; without them, one curve of all
    pairs.
    method: a curve of bins, or without bins: isotonic regression (CORP).
    binning: bins of equal size (adaptive), or bins of equal width (uniform).
    interval: interval of Algorithm 1's value, in addition to the debiased one.
    rng: seed of random intervals and tests.

    The p-value comes from the binned test and is adjusted for the number of groups (Holm); `calibration_test` offers
    other tests. `id`
    names the column that identifies items, if several files have rows of the same items. The other parameters are those
    of `calibration_curve`. `calibration_table` computes fewer figures in less time; `worst_predictions` returns the
    rows that are most confidently wrong.

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> q, tag = rng.random(4000), np.where(np.arange(4000) % 2, "NN", "VB")
    >>> curves = calibration_curves(rng.random(4000) < np.where(tag == "NN", q, q**2), q, groups=tag)
    >>> print(curves["VB"].n, curves.footnotes()[-1])
    2000 VB: overconfident between 0.04 and 0.94: mean prediction 0.49, observed frequency 0.30 (n = 1,817)

    Raises InputError, which names the parameter, row and value, for an invalid input.
    """
    return curves_by_group(**check_arguments(calibration_curves, locals()))


def worst_predictions(
    y_true: ArrayLike | str | Pairs | None = None,
    y_prob: ArrayLike | str | Probabilities | None = None,
    *,
    n: int = 10,
    show: Show = (),
    groups: ArrayLike | str | None = None,
    sample_weight: ArrayLike | str | None = None,
    id: ArrayLike | str | None = None,
    pos_label: Hashable = None,
    data: Source | IntoFrame | None = None,
) -> WorstRows:
    """Find the n rows that are most confidently wrong: those with the largest |p - y| or wrong top-class probability.

    n: number of rows; equally wrong rows keep their order.
    show: further columns to show, such as question,answer; they are read only for these rows. groups (n,): the group of
    each row, to be shown.

    The other parameters are those of `calibration_curves`. Without `data`, `show` maps names to arrays.

    >>> row = worst_predictions([1, 0, 1, 0], [0.9, 0.8, 0.4, 0.1], n=1, show={"text": ["a", "b", "c", "d"]})[0]
    >>> row.row, row.probability, row.shown
    (2, 0.8, {'text': 'b'})

    Raises InputError, which names the parameter, row and value, for an invalid input.
    """
    check_arguments(worst_predictions, locals())
    roles: dict[str, Any] = {"groups": groups, "sample_weight": sample_weight, "id": id, "pos_label": pos_label}
    worst = curves_by_group(y_true, y_prob, **roles, worst=check_integer(n, name="n"), show=show, data=data).worst
    assert worst is not None
    return worst


def curves_by_group(
    y_true: ArrayLike | str | Pairs | None = None,
    y_prob: ArrayLike | str | Probabilities | None = None,
    *,
    groups: ArrayLike | str | None = None,
    method: str = "bins",
    bin_size: int | str = "auto",
    n_bins: int | None = None,
    binning: str = "adaptive",
    n_simulations: int | None = None,
    interval: str = "debiased",
    test: str | None = None,
    adjust: str | None = "holm",
    both_methods: bool = False,
    sample_weight: ArrayLike | str | None = None,
    clusters: ArrayLike | str | None = None,
    id: ArrayLike | str | None = None,
    pos_label: Hashable = None,
    level: float = 0.95,
    worst: int | None = None,
    show: Show = (),
    rng: Randomness = 0,
    data: Source | IntoFrame | None = None,
) -> CalibrationCurves:
    """Compute a calibration curve for each group, or one for all pairs: do predicted probabilities match frequencies?

    method: a curve of bins, or without bins: isotonic regression (CORP).
    interval: interval of Algorithm 1's value, in addition to the debiased one.
    test: test that p comes from (default: the binned test).

    The implementation of `calibration_curves` and `worst_predictions`, whose docstrings explain the parameters, and of
    `howsure calibration`.
    """
    of_bins: dict[str, Any] = {"bin_size": bin_size, "n_bins": n_bins, "binning": binning, "interval": interval}
    check_method(method, n_simulations, {**of_bins, "test": test, "adjust": adjust})
    check_interval(interval)
    if test is not None and test not in TESTS:
        raise InputError("not_one_of", "test", options=[*map(repr, TESTS)], value=test)
    level, asked_worst = check_level(level), check_worst(worst, show, data)
    in_memory = test is not None or interval == "bootstrap"
    shared: dict[str, Any] = {"level": level, "rng": rng}
    roles: dict[str, Any] = {
        "groups": groups,
        "sample_weight": sample_weight,
        "clusters": clusters,
        "pos_label": pos_label,
    }
    with ExitStack() as stack:
        if isinstance(data, Source):
            how: dict[str, Any] = {} if asked_worst is None else {"later": list(asked_worst.show)}
            how |= {"soft_labels": True, "find_items": True}
            predictions = stack.enter_context(data.predictions(y_true, y_prob, id=id, **roles, **how))
            read_parts: Callable[..., Parts] = partial(
                parts_read, predictions, data, one_by_one=True, worst=asked_worst
            )
        else:
            read_parts = partial(read_calibration_input, y_true, y_prob, data=data, worst=asked_worst, **roles)
        parts = read_parts(in_memory=in_memory or (method == "corp" and sample_weight is not None))
        binned = []
        corp = []
        if method == "bins" or both_methods:
            binned = list(_with_bins(parts, test=test, **of_bins, **shared))
        if method == "corp" or both_methods:
            weighted = "weight" in parts.provenance or sample_weight is not None
            parts_in_memory = parts if method == "corp" or not weighted else read_parts(in_memory=True)
            only = None if method == "corp" else {binned[i].name for i in largest_curves(binned)}
            simulations = SIMULATIONS if n_simulations is None else n_simulations
            corp = list(_corp(parts_in_memory, only=only, n_simulations=simulations, **shared))
    rows, other_curves = (tuple(binned), tuple(corp)) if method == "bins" else (tuple(corp), tuple(binned))
    made = parts.provenance or {"howsure": __version__, "n": parts.n, **parts.notes}
    recipe = {**made, "adjust": (adjust or "none") if len(binned) > 1 else None}
    recipe |= {} if asked_worst is None else asked_worst.recipe
    return CalibrationCurves(
        rows=rows,
        adjust=adjust,
        other_method=other_curves,
        worst=parts.worst,
        recipe=recipe,
        input_notes=pooling_notes(recipe),
    )


def largest_curves(curves: Sequence[CalibrationCurve]) -> list[int]:
    """Return the indices of the curves that a report draws: the 24 with the most pairs, in ascending order."""
    return sorted(sorted(range(len(curves)), key=lambda i: -curves[i].n)[:MAX_PICTURED])


def _with_bins(parts: Parts, *, test: str | None, **arguments: Any) -> Iterator[CalibrationCurve]:
    """Yield a curve with bins for each part; if `test` is given, with the p-value of this test."""
    of_classes = parts.notes.get("engine") == SAVED  # perhaps of all classes of a language model
    for name, pairs in _parts(parts):
        curve = binned_curve(pairs, name=name, whole=parts.n, **arguments)
        if of_classes and pairs.reduction == CLASS_WISE and pairs.weights is None:
            curve = replace(curve, notes=(PAIRS_NOTE, *curve.notes))
        if test is not None:
            assert isinstance(pairs, Pairs)
            curve = _with_test(curve, pairs, test, **arguments)
        yield _positive(curve, parts)


def _corp(parts: Parts, *, only: set[str | None] | None, **arguments: Any) -> Iterator[CorpCurve]:
    """Yield a curve without bins for each part, or only for the groups in `only`."""
    for name, pairs in _parts(parts):
        if only is None or name in only:
            yield _positive(fit_corp(pairs, name=name, **arguments), parts)


def _parts(parts: Parts) -> Iterator[tuple[str | None, Pairs | Slots]]:
    for name, pairs in parts.by_group:
        yield name, positive_weight_pairs(name, pairs) if isinstance(pairs, Pairs) and name is not None else pairs


def _positive(curve: Curve, parts: Parts) -> Curve:
    positive = parts.notes.get("positive")
    return curve if positive is None else replace(curve, positive=str(positive))


def _with_test(
    curve: CalibrationCurve, pairs: Pairs, method: str, *, interval: str, level: float, **options: Any
) -> CalibrationCurve:
    """Return the curve with the p-value of a `calibration_test` method; "cox" adds a note on its estimates."""
    test = check_calibration(pairs, method, **options)
    recipe = curve.recipe | {"test": method} | {k: v for k, v in test.recipe.items() if k in ("n_simulations", "seed")}
    return replace(curve, p_value=test.p_value, notes=(*curve.notes, *_test_notes(test)), recipe=recipe)


def _test_notes(calibration_test: CalibrationTest) -> list[str]:
    if calibration_test.method != "cox":
        return []
    if math.isinf(calibration_test.statistic):
        return [
            "cox test: wrong predictions of exactly 0 or 1 alone refute calibration; if these were rounded, use "
            "another test"
        ]
    intercept, slope = calibration_test.estimates["intercept"], calibration_test.estimates["slope"]
    if math.isfinite(intercept) and math.isfinite(slope):
        return [f"cox test: log-odds of the labels = {intercept:.3f} + {slope:.3f} · log-odds of the predictions"]
    return []


ROUNDED = "the rounded probabilities of {} do not sum to 1; each was divided by their sum"
SOFT = (
    "labels are proportions of annotators: each row is a pair of label 1 and one of label 0, weighted by these "
    "proportions, in one cluster; scores are expected scores against a randomly drawn annotator, and intervals are "
    "conservative"
)


def pooling_notes(recipe: Mapping[str, Any]) -> tuple[str, ...]:
    """Return notes on repeated items, rounded probabilities, labels that are proportions, and dependence of files."""
    rounded = recipe.get("rounded_rows", 0)
    notes = (*item_notes(recipe), *([SOFT] if recipe.get("soft_labels") else []))
    notes += (ROUNDED.format(counted(rounded, "row")),) if rounded else ()
    if len(recipe.get("files", [])) < 2 or "classes" in recipe:  # shards of one data set
        return notes
    independent = "rows of all files count as independent"
    if "engine" in recipe:
        return (*notes, independent)
    if recipe.get("across_files"):
        column = recipe.get("cluster") or recipe["id"]
        same = "are one cluster" if recipe["across_files"] == "same" else "are kept apart"
        return (*notes, f"equal values of {column} in several files {same}")
    if recipe.get("cluster") or recipe.get("id"):
        return notes
    return (*notes, marked_note(f"{independent}; if files evaluate the same items, name the item with `id='COL'`"))


def _verdict_with_name(curve: CalibrationCurve | CorpCurve, verdict_text: str) -> str:
    """Return the verdict, after the name of the curve if it has one."""
    return verdict_text if curve.name is None else f"{curve.name}: {verdict_text}"
