"""For `evaluate` of Hugging Face, which loads this file: `evaluate.load(howsure.evaluate.__file__, "aurc")`.

It needs no network. `evaluate` copies the file and reads its class.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import datasets
import evaluate

from howsure.calibration.calibration_errors import calibration_error
from howsure.inputs.numbers_and_names import unknown_name
from howsure.result import Estimate
from howsure.scores.score_table import score_table
from howsure.selective.curve import selective_curve

__all__ = ["Howsure"]
DESCRIPTION = """\
Measures of howsure's with their intervals. The name that load is given chooses one:
calibration_error, the debiased calibration error of probabilities; auroc and aurc, how well confidence tells right
answers from wrong ones, and the area under the risk–coverage curve; mean, the mean of scores."""
INPUTS = """\
predictions: the probability or confidence of each answer (of mean: its score). references: 1 where it is right, else 0
(of mean: left out). Further arguments, such as clusters, level or, of mean, bounds, are those of howsure's functions
calibration_error, selective_curve and score_table."""


def calibration_error_of(references: Any, predictions: Any, **options: Any) -> Estimate:
    """The calibration error."""
    return calibration_error(references, predictions, **options)


def auroc(references: Any, predictions: Any, **options: Any) -> Estimate:
    """The area under the ROC curve of confidence for correctness."""
    return selective_curve(references, predictions, **options).auroc


def aurc(references: Any, predictions: Any, **options: Any) -> Estimate:
    """The area under the risk–coverage curve."""
    return selective_curve(references, predictions, **options).aurc


def mean(predictions: Any, **options: Any) -> Estimate:
    """The mean score."""
    return score_table(predictions, **options)[0].mean


MEASURES: dict[str, Callable[..., Estimate]] = {
    "calibration_error": calibration_error_of,
    "auroc": auroc,
    "aurc": aurc,
    "mean": mean,
}


class Howsure(evaluate.Metric):
    """A measure with the ends of its interval, such as `aurc`, `aurc_low` and `aurc_high`."""

    def _info(self) -> evaluate.MetricInfo:
        if self.config_name not in MEASURES:
            raise unknown_name("measure", self.config_name, tuple(MEASURES), place="evaluate.load")
        inputs = ["predictions"] if self.config_name == "mean" else ["predictions", "references"]
        return evaluate.MetricInfo(
            description=DESCRIPTION,
            inputs_description=INPUTS,
            citation="",
            features=datasets.Features({name: datasets.Value("float64") for name in inputs}),
        )

    def _compute(self, **inputs: Any) -> dict[str, float | None]:
        name = self.config_name
        found = MEASURES[name](**inputs)
        return {name: found.value, f"{name}_low": found.low, f"{name}_high": found.high}
