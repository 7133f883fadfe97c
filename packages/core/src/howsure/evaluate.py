"""For Hugging Face's `evaluate`, which loads this file: `evaluate.load(howsure.evaluate.__file__, "aurc")`.

It needs no network. `evaluate` copies the file and reads its class.
"""

from __future__ import annotations

from typing import Any

import datasets
import evaluate

from howsure.calibration.calibration_errors import calibration_error
from howsure.inputs.numbers_and_names import unknown_name
from howsure.scores.model_scores import mean_scores
from howsure.selective.curve import selective_curve

__all__ = ["Howsure"]
DESCRIPTION = """\
Measures of howsure's with their intervals. The name that load is given chooses one:
calibration_error, the debiased calibration error of probabilities; auroc and aurc, how well confidence separates right
answers from wrong ones, and the area under the risk–coverage curve; mean, the mean of scores."""
INPUTS = """\
predictions: the probability or confidence of each answer (of mean: its score). references: 1 if it is right, else 0
(of mean: left out). Further arguments, such as clusters, level or, of mean, bounds, are those of howsure's functions
calibration_error, selective_curve and mean_scores."""
MEASURES = ("calibration_error", "auroc", "aurc", "mean")


class Howsure(evaluate.Metric):
    """A measure with its interval, such as `aurc`, `aurc_low` and `aurc_high`."""

    def _info(self) -> evaluate.MetricInfo:
        if self.config_name not in MEASURES:
            raise unknown_name("measure", self.config_name, MEASURES, place="evaluate.load")
        inputs = ["predictions"] if self.config_name == "mean" else ["predictions", "references"]
        return evaluate.MetricInfo(
            description=DESCRIPTION,
            inputs_description=INPUTS,
            citation="",
            features=datasets.Features({name: datasets.Value("float64") for name in inputs}),
        )

    def _compute(self, *, predictions: Any, references: Any = None, **options: Any) -> dict[str, float | None]:
        name = self.config_name
        if name == "mean":
            estimate = mean_scores(predictions, **options)[0].mean
        elif name == "calibration_error":
            estimate = calibration_error(references, predictions, **options)
        else:
            estimate = getattr(selective_curve(references, predictions, **options), name)
        return {name: estimate.value, f"{name}_low": estimate.low, f"{name}_high": estimate.high}
