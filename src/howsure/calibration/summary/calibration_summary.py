"""A calibration summary: sums that stand for pairs, are added to, merged, and asked for every figure of a curve."""

from __future__ import annotations

from typing import Any, Self

from howsure.calibration.curve import curve_of
from howsure.calibration.estimates.calibration_error import error_of
from howsure.calibration.results import CalibrationCurve
from howsure.calibration.summary.by_probability import by_probability
from howsure.calibration.summary.logits.slots_of_logits import IGNORED, slots_of_logits
from howsure.calibration.summary.slot_adder import slots_of
from howsure.calibration.summary.slots import Slots
from howsure.errors import InputError
from howsure.inputs.classes import CLASS_WISE
from howsure.inputs.pairs_from import pairs_from
from howsure.stats.estimate import Estimate
from howsure.stats.randomness import Randomness


class CalibrationSummary:
    """What a calibration curve needs to know of pairs, in about a megabyte however many there are.

    Pairs are added up by narrow cells of the probability scale (27,555 to each side of one half, 1.5·10⁻⁴ of min(q,
    1 - q) wide at one half), and bins are made of whole cells. Summaries of two sets of pairs add up to that of both,
    in any order to the same bytes: of yesterday and today, of two machines, of two hospitals that show no rows.

    >>> monday, tuesday = CalibrationSummary(), CalibrationSummary()
    >>> monday.add([0, 1, 1, 1], [0.1, 0.4, 0.8, 0.9])
    >>> tuesday.add([0, 1], [0.2, 0.7])
    >>> curve = (monday + tuesday).curve(bin_size=3)
    >>> curve.bins.mean_prob.round(3).tolist(), curve.bins.frequency.round(3).tolist()
    ([0.233, 0.8], [0.333, 1.0])
    """

    def __init__(self) -> None:
        self._slots = Slots.none()

    @classmethod
    def of_slots(cls, slots: Slots) -> Self:
        """The summary of sums that were added up elsewhere."""
        found = cls()
        found._slots = slots
        return found

    @property
    def slots(self) -> Slots:
        """The sums by cell and label."""
        return self._slots

    def add(self, y_true: Any, y_prob: Any = None, *, sample_weight: Any = None, pos_label: Any = None) -> None:
        """Add pairs: labels and probabilities as of `calibration_curve`, or `Pairs` in place of both.

        Raises InputError naming the parameter, row and value that violated a rule; nothing is added then.
        """
        pairs = pairs_from(y_true, y_prob, sample_weight=sample_weight, pos_label=pos_label)
        self._slots = self._slots + slots_of(pairs)

    def add_logits(self, logits: Any, targets: Any, *, reduce: str = CLASS_WISE, ignore: int = IGNORED) -> None:
        """Add the pairs of rows of logits (…, V), as a language model gives them, and the numbers of the right classes,
        targets (…), from 0.

        reduce="class-wise": V pairs a row, the probability of each class and whether it is the target; "top-label": one
        pair a row, the largest probability and whether its class is the target (ties go to the first class). Rows with
        the target `ignore` make no pairs. Probabilities are softmax in float64, of any floating-point type; -inf is the
        probability 0. Arrays are summed by numpy, tensors of torch by torch on their own device, from where only sums
        and a few numbers a row come back.

        >>> import numpy as np
        >>> summary = CalibrationSummary()
        >>> summary.add_logits(np.log([[0.7, 0.2, 0.1], [0.5, 0.1, 0.4], [0.1, 0.1, 0.8]]), [0, 2, -100])
        >>> len(summary)
        6

        Raises InputError for what is no such input; nothing is added then.
        """
        self._slots = self._slots + slots_of_logits(logits, targets, reduce=reduce, ignore=ignore)

    def by_probability(self) -> Self:
        """The same pairs, each with its own probability as its weight: of all classes of a large vocabulary, those that
        the model would choose. `curve(binning="weight")` then gives bins of equal expected frequency.

        Raises InputError for pairs that have weights.
        """
        return self.of_slots(by_probability(self._slots))

    def __add__(self, other: Self) -> Self:
        if not isinstance(other, CalibrationSummary):
            return NotImplemented
        return self.of_slots(self._slots + other._slots)

    def __len__(self) -> int:
        return len(self._slots)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CalibrationSummary) and self._slots == other._slots

    __hash__ = None  # type: ignore[assignment]

    def curve(
        self,
        *,
        bin_size: int | str = "auto",
        n_bins: int | None = None,
        binning: str = "adaptive",
        interval: str = "debiased",
        level: float = 0.95,
        rng: Randomness = None,
    ) -> CalibrationCurve:
        """The calibration curve of the pairs, as of `calibration_curve`; its bins are made of whole cells.

        binning="weight": bins of equal weight instead of equally many pairs, about 2 n^(1/3) for n pairs whose weights
        are alike.
        """
        options: Any = {"bin_size": bin_size, "n_bins": n_bins, "binning": binning, "interval": interval}
        return curve_of(self._filled(), level=level, rng=rng, **options)

    def error(
        self,
        *,
        estimator: str = "debiased",
        bin_size: int | str = "auto",
        n_bins: int | None = None,
        binning: str = "adaptive",
        interval: str = "debiased",
        level: float = 0.95,
        rng: Randomness = None,
    ) -> Estimate:
        """The calibration error of the pairs, as of `calibration_error`."""
        options: Any = {"bin_size": bin_size, "n_bins": n_bins, "binning": binning, "interval": interval}
        return error_of(self._filled(), estimator=estimator, level=level, rng=rng, **options)

    def _filled(self) -> Slots:
        if not len(self._slots.slot):
            raise InputError("the summary is empty: add pairs first.")
        return self._slots
