"""For Inspect AI, which finds it by its entry point: metrics, a report for each task, and early stopping."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from math import isnan, nan
from pathlib import Path
from typing import TYPE_CHECKING, Any

from inspect_ai.hooks import Hooks, TaskEnd, hooks
from inspect_ai.log import EvalSpec
from inspect_ai.scorer import SampleScore, metric, value_to_float
from inspect_ai.util import EarlyStop

if TYPE_CHECKING:
    from howsure.sequential.comparison import SequentialComparison, SequentialScore

__all__ = ["auroc", "calibration_error", "howsure_mean", "risk_coverage", "stop_when"]
REPORTS = "HOWSURE_REPORTS"  # the folder of reports
NUMBER = value_to_float()
ENDS = ("low", "high")
Figures = dict[str, float]
Measure = Callable[[Sequence[SampleScore]], Figures]


@metric
def howsure_mean(cluster: str | None = None, bounds: tuple[float, float] | None = None, level: float = 0.95) -> Measure:
    """Return a metric with the mean score and its interval, computed by `howsure.mean_scores`: `mean`, `low`, `high`.

    cluster: a key of the samples' metadata whose value is equal for samples that may be correlated, such as those about
    the same document. bounds: the lowest and the highest possible score; not needed if all scores are 0 or 1. level:
    the level of the interval.
    """

    def measure(scores: Sequence[SampleScore]) -> Figures:
        from howsure.scores.model_scores import mean_scores

        values = [NUMBER(score.score.value) for score in scores]
        clusters = (
            [str(_metadata_value(score, cluster, score.sample_metadata)) for score in scores] if cluster else None
        )
        estimate = mean_scores(values, clusters=clusters, bounds=bounds, level=level)[0].mean
        return _figures("mean", estimate)

    return _nan_on_error(measure, "mean", *ENDS)


@metric
def calibration_error(confidence: str = "confidence", level: float = 0.95) -> Measure:
    """Return a metric with the debiased calibration error of confidences: `calibration_error`, `low`, `high`.

    confidence: the key of each score's metadata that holds the probability that the answer is right.
    """

    def measure(scores: Sequence[SampleScore]) -> Figures:
        from howsure.calibration.calibration_errors import calibration_error

        error = calibration_error(*_pairs(scores, confidence), level=level)
        return _figures("calibration_error", error)

    return _nan_on_error(measure, "calibration_error", *ENDS)


@metric
def auroc(confidence: str = "confidence", level: float = 0.95) -> Measure:
    """Return a metric with the AUROC of confidences for right against wrong answers: `auroc`, `low`, `high`."""

    return _selective("auroc", confidence, level)


@metric
def risk_coverage(confidence: str = "confidence", level: float = 0.95) -> Measure:
    """Return a metric with the area under the risk–coverage curve of confidences: `aurc`, `low`, `high`."""

    return _selective("aurc", confidence, level)


def _selective(name: str, confidence: str, level: float) -> Measure:
    def measure(scores: Sequence[SampleScore]) -> Figures:
        from howsure.selective.curve import selective_curve

        return _figures(name, getattr(selective_curve(*_pairs(scores, confidence), level=level), name))

    return _nan_on_error(measure, name, *ENDS)


def _figures(name: str, estimate: Any) -> Figures:
    ends = {end: getattr(estimate, end) for end in ENDS}
    return {name: float(estimate.value), **{end: nan if bound is None else float(bound) for end, bound in ends.items()}}


def _nan_on_error(measure: Measure, *names: str) -> Measure:
    """Return a metric that logs an error and returns NaN instead, so that a costly evaluation continues."""
    from howsure.errors import InputError

    def safe_measure(scores: Sequence[SampleScore]) -> Figures:
        if scores:
            try:
                return measure(scores)
            except InputError as error:
                logging.getLogger(__name__).warning("howsure: %s: %s", names[0], error)
        return dict.fromkeys(names, nan)

    return safe_measure


def _metadata_value(sample_score: SampleScore, key: str, metadata: dict[str, Any] | None) -> Any:
    from howsure.errors import InputError

    if metadata is None or metadata.get(key) is None:
        raise InputError(
            f"the metadata of every sample must contain {key!r}; sample {sample_score.sample_id} lacks it."
        )
    return metadata[key]


def _pairs(scores: Sequence[SampleScore], confidence: str) -> tuple[list[float], list[float]]:
    values = [NUMBER(score.score.value) for score in scores]
    return values, [float(_metadata_value(score, confidence, score.score.metadata)) for score in scores]


@hooks(name="howsure_report", description="Writes a report of each task to the folder HOWSURE_REPORTS.")
class Report(Hooks):
    """Writes a report for each task, if an environment variable names a folder."""

    def enabled(self) -> bool:
        return bool(os.environ.get(REPORTS))

    async def on_task_end(self, data: TaskEnd) -> None:
        """Write the scores of a task with their intervals."""
        from howsure.data.sources import read
        from howsure.inputs.source_names import source_name
        from howsure.scores.model_scores import mean_scores

        location = data.log.location.removeprefix("file://")
        page = Path(os.environ[REPORTS]) / f"{source_name(location)}.html"
        mean_scores(data=read(location)).report(page, title=data.log.eval.task)


@dataclass
class _Task:
    """A running task: the items in random order, their scores as they arrive, and the sequential test so far."""

    items: list[str]
    epochs: int
    sequence: SequentialScore | SequentialComparison
    against: dict[str, float] | None
    arrived: dict[str, dict[int, float]] = field(default_factory=dict)
    reason: str | None = None

    def take(self, item: str, epoch: int, value: float) -> None:
        """Store a score, and add all items to the test whose earlier items are complete, in order."""
        if isnan(value):  # not scored
            return
        self.arrived.setdefault(item, {})[epoch] = value
        for item in self.items[len(self.sequence) :]:
            runs = self.arrived.get(item, {})
            if len(runs) < self.epochs or self.reason is not None:
                return
            mean = [sum(runs.values()) / self.epochs]
            rows = [mean] if self.against is None else [mean, [self.against[item]]]
            self.sequence.add(*rows, id=[item])
            if self.sequence.outcome not in ("undecided", "cannot tell"):
                self.reason = self.sequence.status().description


RUNNING: ContextVar[_Task] = ContextVar("howsure_task")  # samples of a task run in its context


class stop_when:
    """Stop an evaluation as soon as there is a verdict: `Task(…, early_stopping=stop_when(limit=0.8))`.

    limit: stop when the mean score of all items is shown to be above or below this limit. against: an Inspect log of
    another model on the same items; stop when one model is shown to be better. score: the scorer, if there are several.
    bounds: the lowest and the highest possible score. level: 1 minus the probability that the verdict is ever wrong.

    Samples that take long may differ from others, so the order in which samples end is not random. Therefore, scores
    are used in the order of the dataset, which must be shuffled (`sample_shuffle`): a later score waits for earlier
    ones.
    """

    def __init__(
        self,
        *,
        limit: float | None = None,
        against: str | None = None,
        score: str | None = None,
        bounds: tuple[float, float] = (0.0, 1.0),
        level: float = 0.95,
    ) -> None:
        from howsure.errors import InputError
        from howsure.sequential.comparison import SequentialScore

        if (limit is None) == (against is None):
            raise InputError("stop_when needs limit=0.8, or against='other.eval', and not both.")
        SequentialScore(min_score=limit, bounds=bounds, level=level)  # raises InputError for invalid settings
        self.limit, self.against, self.score = limit, against, score
        self.bounds, self.level = bounds, level

    async def start_task(self, task: EvalSpec, samples: Sequence[Any], epochs: int) -> str:
        """Start the sequential test, with the samples in the order of the dataset."""
        from howsure.errors import InputError
        from howsure.sequential.comparison import SequentialComparison, SequentialScore

        if not (task.config.sample_shuffle or task.dataset.shuffled):
            raise InputError(
                "stop_when needs samples in random order, because the first samples of a sorted dataset differ from "
                "the others. Run with sample_shuffle=SEED, or shuffle the dataset."
            )
        items = [str(sample.id) for sample in samples]
        settings: dict[str, Any] = {"items_total": len(items), "bounds": self.bounds, "level": self.level}
        if self.against is None:
            RUNNING.set(_Task(items, epochs, SequentialScore(min_score=self.limit, **settings), None))
            return "howsure"
        other = self._other(self.against)
        missing = [item for item in items if item not in other]
        if missing:
            raise InputError(
                f"{self.against} must have a score of every sample; it lacks {len(missing):,} of {len(items):,}, such "
                f"as {missing[0]}. Name a log of the same samples."
            )
        RUNNING.set(_Task(items, epochs, SequentialComparison(**settings), other))
        return "howsure"

    async def schedule_sample(self, id: str | int, epoch: int) -> EarlyStop | None:
        """Return a reason to skip a sample if there is a verdict; None to evaluate the sample."""
        reason = RUNNING.get().reason
        return None if reason is None else EarlyStop(id=id, epoch=epoch, reason=reason)

    async def complete_sample(self, id: str | int, epoch: int, scores: dict[str, SampleScore]) -> None:
        """Add the score of a sample to the test."""
        values = {name: score.score.value for name, score in scores.items()}
        RUNNING.get().take(str(id), epoch, NUMBER(self._chosen(values)))

    async def complete_task(self) -> dict[str, Any]:
        """Return the verdict as metadata for the log."""
        running = RUNNING.get()
        status = running.sequence.status()
        n_waiting = sum(len(running.arrived[item]) == running.epochs for item in running.arrived) - len(
            running.sequence
        )
        return {**status.to_dict(), "held_back": n_waiting, "words": status.description}

    def _chosen(self, scores: dict[str, Any]) -> Any:
        from howsure.errors import InputError

        name = self.score or (next(iter(scores)) if len(scores) == 1 else None)
        if name not in scores:
            raise InputError(f"score must name one of the scorers: {', '.join(scores)}; it is {self.score!r}.")
        return scores[name]

    def _other(self, path: str) -> dict[str, float]:
        """Return the mean score of each item in the log of another model."""
        from inspect_ai.log import read_eval_log

        values: dict[str, list[float]] = {}
        for sample in read_eval_log(path).samples or []:
            score_values = {name: score.value for name, score in (sample.scores or {}).items()}
            number = NUMBER(self._chosen(score_values)) if score_values else nan
            if not isnan(number):
                values.setdefault(str(sample.id), []).append(number)
        return {item: sum(runs) / len(runs) for item, runs in values.items()}
