"""For pydantic-evals: a report evaluator with the mean score and the calibration of confidence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pydantic_evals.evaluators import ReportEvaluator, ReportEvaluatorContext
from pydantic_evals.reporting import ReportCase
from pydantic_evals.reporting.analyses import LinePlot, LinePlotCurve, LinePlotPoint, ReportAnalysis, TableResult

from howsure.calibration.curve import calibration_curve
from howsure.errors import InputError
from howsure.inputs.numbers_and_names import counted
from howsure.result import Estimate
from howsure.scores.model_scores import mean_scores
from howsure.selective.curve import selective_curve

__all__ = ["ConfidenceEvaluator"]
MAX_POINTS = 100
DIAGONAL = [(0.0, 0.0), (1.0, 1.0)]


@dataclass(repr=False)
class ConfidenceEvaluator(ReportEvaluator[Any, Any, Any]):
    """Evaluate the mean score of a report's cases and, if they have confidences, the quality of the confidences.

    score: the name of the assertion or score that says whether an answer is right. confidence: the name of the score or
    metric with the probability that the answer is right. bounds: the lowest and the highest possible score; not needed
    if all scores are 0 or 1. level: level of the intervals. Repeated runs of a case count as a cluster.

    The analyses are a table (mean, calibration error, AUROC, area under the risk–coverage curve) and two plots. An
    analysis that cannot be computed is listed in the report's `report_evaluator_failures`, with the reason.
    """

    score: str
    confidence: str | None = None
    bounds: tuple[float, float] | None = None
    level: float = 0.95

    def evaluate(self, ctx: ReportEvaluatorContext[Any, Any, Any]) -> list[ReportAnalysis]:
        """Return the table and the plots.

        Raises InputError for a case without the score or the confidence.
        """
        cases = ctx.report.cases
        right = [self._named_value(case, self.score, case.assertions, case.scores) for case in cases]
        repeated = any(case.source_case_name for case in cases)
        clusters = [case.source_case_name or case.name for case in cases] if repeated else None
        scores = mean_scores(right, clusters=clusters, bounds=self.bounds, level=self.level)
        estimates, plots = {f"mean {self.score}": scores[0].mean}, []
        if self.confidence is not None:
            prob = [self._named_value(case, self.confidence, case.scores, case.metrics) for case in cases]
            curve = calibration_curve(right, prob, clusters=clusters, level=self.level)
            selective = selective_curve(right, prob, clusters=clusters, level=self.level)
            estimates |= {"calibration error": curve.error, "AUROC": selective.auroc, "AURC": selective.aurc}
            bins, points = curve.bins, selective.points
            plots = [
                _plot("Calibration", (self.confidence, "share that is right"), bins.mean_prob, bins.frequency, True),
                _plot("Risk and coverage", ("coverage", "share that is wrong"), points.coverage, points.risk),
            ]
        return [self._table(estimates, len(ctx.report.failures)), *plots]

    def _table(self, estimates: dict[str, Estimate], failed: int) -> TableResult:
        note = f"; {counted(failed, 'case')} failed and are left out" if failed else ""
        return TableResult(
            title="Scores and confidence",
            description=f"with {100 * self.level:g}% intervals{note}",
            columns=["measure", "value", "low", "high", "cases"],
            rows=[
                [name, *map(_rounded, (estimate.value, estimate.low, estimate.high)), estimate.n]
                for name, estimate in estimates.items()
            ],
        )

    def _named_value(self, case: ReportCase[Any, Any, Any], name: str, *places: dict[str, Any]) -> float:
        value = next((place[name] for place in places if name in place), None)
        if value is None:
            known_names = sorted({key for place in places for key in place})
            raise InputError(
                f"every case must have {name!r}; {case.name!r} has {', '.join(map(repr, known_names)) or 'no scores'}. "
                "Name a score or metric that all cases have."
            )
        return float(getattr(value, "value", value))


def _rounded(value: float | None) -> float | None:
    """Round a number to four digits, because tables of pydantic-evals show all digits."""
    return None if value is None else round(value, 4)


def _plot(title: str, labels: tuple[str, str], x: Any, y: Any, diagonal: bool = False) -> LinePlot:
    """Return a plot of a curve with at most a hundred points."""
    kept = sorted({round(at * (len(x) - 1) / (MAX_POINTS - 1)) for at in range(MAX_POINTS)})
    curves = [LinePlotCurve(name=title, points=[LinePlotPoint(x=float(x[at]), y=float(y[at])) for at in kept])]
    if diagonal:
        ends = [LinePlotPoint(x=x, y=y) for x, y in DIAGONAL]
        curves.append(LinePlotCurve(name="calibrated", points=ends, style="dashed"))
    first, second = labels
    return LinePlot(title=title, x_label=first, y_label=second, x_range=(0, 1), y_range=(0, 1), curves=curves)
