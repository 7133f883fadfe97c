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
    """The mean score with its interval: `mean`, `low`, `high`, as `howsure.mean_scores` gives them.

    cluster: a key of the samples' metadata whose value is equal for samples that may be correlated, such as those about
    the same document. bounds: the lowest and the highest possible score; not needed if all scores are 0 or 1. level: of
    the interval.
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
    """The calibration error of the confidence of answers, debiased, with its interval: `calibration_error`, `low`,
    `high`.

    confidence: the key of each score's metadata that holds the probability that the answer is right.
    """

    def measure(scores: Sequence[SampleScore]) -> Figures:
        from howsure.calibration.calibration_errors import calibration_error

        error = calibration_error(*_pairs(scores, confidence), level=level)
        return _figures("calibration_error", error)

    return _nan_on_error(measure, "calibration_error", *ENDS)


@metric
def auroc(confidence: str = "confidence", level: float = 0.95) -> Measure:
    """How well confidence separates right answers from wrong ones, with its interval: `auroc`, `low`, `high`."""

    return _selective("auroc", confidence, level)


@metric
def risk_coverage(confidence: str = "confidence", level: float = 0.95) -> Measure:
    """The area under the risk–coverage curve, with its interval: `aurc`, `low`, `high`."""

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
    """The metric with NaN in place of an error, which is logged, so that a costly evaluation continues."""
    from howsure.errors import InputError

    def told(scores: Sequence[SampleScore]) -> Figures:
        if scores:
            try:
                return measure(scores)
            except InputError as error:
                logging.getLogger(__name__).warning("howsure: %s: %s", names[0], error)
        return dict.fromkeys(names, nan)

    return told


def _metadata_value(sample_score: SampleScore, key: str, metadata: dict[str, Any] | None) -> Any:
    from howsure.errors import InputError

    if metadata is None or metadata.get(key) is None:
        raise InputError(
            f"the metadata of sample {sample_score.sample_id} must contain {key!r}, as that of every sample."
        )
    return metadata[key]


def _pairs(scores: Sequence[SampleScore], confidence: str) -> tuple[list[float], list[float]]:
    values = [NUMBER(score.score.value) for score in scores]
    return values, [float(_metadata_value(score, confidence, score.score.metadata)) for score in scores]


@hooks(name="howsure_report", description="Writes a report of each task to the folder HOWSURE_REPORTS.")
class Report(Hooks):
    """Writes a report for each task, if an environment variable names a folder."""

    def enabled(self) -> bool:
        """Whether reports are requested."""
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
    """A running task: the items in the order drawn, their scores as they arrive, and the bets so far."""

    items: list[str]
    epochs: int
    sequence: SequentialScore | SequentialComparison
    against: dict[str, float] | None
    arrived: dict[str, dict[int, float]] = field(default_factory=dict)
    reason: str | None = None

    def take(self, item: str, epoch: int, value: float) -> None:
        """Keep a score until all items before it have theirs, then bet on them in order."""
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
    """Stop an evaluation as soon as it is decided: `Task(…, early_stopping=stop_when(limit=0.8))`.

    limit: decided is whether the mean score of all items lies above or below. against: a log of Inspect's, of the same
    items; decided is which model is better. score: the scorer, if there are several. bounds: the lowest and the highest
    score that is possible. level: 1 minus the probability that a verdict is ever wrong.

    Samples end in another order than they begin, and slow ones are not like others. So bets are made in the order of
    the dataset, which must be shuffled (`sample_shuffle`), and later results wait for earlier ones.
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
        SequentialScore(min_score=limit, bounds=bounds, level=level)  # refuses what cannot be
        self.limit, self.against, self.score = limit, against, score
        self.bounds, self.level = bounds, level

    async def start_task(self, task: EvalSpec, samples: Sequence[Any], epochs: int) -> str:
        """Begin with the order of the samples."""
        from howsure.errors import InputError
        from howsure.sequential.comparison import SequentialComparison, SequentialScore

        if not (task.config.sample_shuffle or task.dataset.shuffled):
            raise InputError(
                "stop_when needs samples in random order: run with sample_shuffle=SEED, or "
                "shuffle the dataset. In a sorted dataset the first samples are not like the others."
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
                f"{self.against} must have a score of every sample; it lacks {len(missing):,} of {len(items):,}, the "
                f"first of them {missing[0]}."
            )
        RUNNING.set(_Task(items, epochs, SequentialComparison(**settings), other))
        return "howsure"

    async def schedule_sample(self, id: str | int, epoch: int) -> EarlyStop | None:
        """Leave a sample out once it is decided."""
        reason = RUNNING.get().reason
        return None if reason is None else EarlyStop(id=id, epoch=epoch, reason=reason)

    async def complete_sample(self, id: str | int, epoch: int, scores: dict[str, SampleScore]) -> None:
        """Take a score."""
        values = {name: score.score.value for name, score in scores.items()}
        RUNNING.get().take(str(id), epoch, NUMBER(self._chosen(values)))

    async def complete_task(self) -> dict[str, Any]:
        """The verdict, for the log."""
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
        """The mean score of each item in another log."""
        from inspect_ai.log import read_eval_log

        values: dict[str, list[float]] = {}
        for sample in read_eval_log(path).samples or []:
            score_values = {name: score.value for name, score in (sample.scores or {}).items()}
            number = NUMBER(self._chosen(score_values)) if score_values else nan
            if not isnan(number):
                values.setdefault(str(sample.id), []).append(number)
        return {item: sum(runs) / len(runs) for item, runs in values.items()}
