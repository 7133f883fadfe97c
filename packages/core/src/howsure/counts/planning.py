"""`plan_label_sample`: the number of labels that a count needs."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from howsure import __version__
from howsure.counts.columns import Columns
from howsure.counts.label_sample import score_bands
from howsure.counts.label_sheets import sheet_labels
from howsure.counts.sampling_design import partial_labels
from howsure.errors import InputError
from howsure.inputs.arguments import check_arguments
from howsure.inputs.checks import check_probabilities
from howsure.inputs.frames import Source
from howsure.inputs.numbers_and_names import check_level, check_number, counted, unknown_name
from howsure.inputs.pairs import Floats, Integers
from howsure.inputs.parameter_types import ArrayLike, IntoFrame
from howsure.notes import marked_note
from howsure.result import Result, as_json
from howsure.show.table import COUNT, FLAG, NUMBER, Column
from howsure.stats.proportions import normal_quantile

DESIGNS = ("stratified", "simple")
MIN_LABELS = 20  # with fewer existing labels, the variance of labels is treated as unknown
PSEUDO = 1.0  # number of labels of the rarer value that are added to each band
MAX_VARIANCE = 0.25  # the variance of labels of which half are positive

AS_LABELLED = "Assumed: the scores of the other units are as informative as those of the labelled units."
UNINFORMATIVE = marked_note(
    f"Assumed: the scores are uninformative, and half of the units are positive. With at least {MIN_LABELS} existing "
    "labels (`labelled`, `y_true`), possibly fewer labels are needed."
)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class LabelPlan(Result):
    """The number of labels that are needed for an interval of a certain width.

    labels: the number of labels, including existing ones. units: the number of all units. share: whether `width` is a
    proportion of the units. from_labels: whether the plan uses existing labels. assumption: the plan's assumption about
    the scores.
    """

    labels: int
    units: int
    width: float
    share: bool
    from_labels: bool
    assumption: str = as_json(None)
    recipe: Mapping[str, Any]

    provenance = ""

    def columns(self) -> Sequence[Column]:
        """One row."""
        kinds = {"labels": COUNT, "units": COUNT, "width": NUMBER, "share": FLAG, "from_labels": FLAG}
        return [Column(name, kind, name.replace("_", " ")) for name, kind in kinds.items()]

    @property
    def answer(self) -> str:
        """The number of labels in a sentence."""
        wide = f"{self.width:g} of the units" if self.share else counted(round(self.width), "unit")
        included = ", including the existing labels" if self.from_labels else ""
        of_all = f"{counted(self.units, 'unit')}"
        return f"An interval about {wide} wide needs labels of {self.labels:,} of {of_all}{included}."

    def footnotes(self) -> Sequence[str]:
        """The answer, and what the plan assumes about the scores."""
        return [self.answer, self.assumption, *self.recipe_notes]


def plan_label_sample(
    y_prob: ArrayLike | str,
    *,
    width: float,
    share: bool = False,
    labelled: Source | None = None,
    y_true: ArrayLike | Mapping[int, object] | str | None = None,
    pos_label: Hashable = None,
    design: str = "stratified",
    level: float = 0.95,
    data: Source | IntoFrame | None = None,
) -> LabelPlan:
    """Compute the number of labels (including existing ones) that are needed for an interval of this width.

    y_prob (N,): scores, from 0 to 1.
    width: width of the total's interval, in units.
    share: the width is a proportion of the units, such as 0.05.
    labelled: a file written by `howsure counts sample`, in which the existing labels are filled in.
    y_true (N,): the existing labels, empty for other units; or a mapping of rows to labels.
    pos_label: label value treated as positive (default: 1).
    design: sampling method: stratified or simple.
    level: level of the interval.

    Existing labels must be of units drawn at random, from all units or within bands of the score. Then n = (Σ N_h s_h)²
    / ((width / 2z)² + Σ N_h s_h²), where s_h is the standard deviation of the labels of band h and one more label of
    the rarer value. With fewer than 20 labels, s_h = 1/2, which is enough for any proportion of positives, even without
    scores. If positives are rare, this is more than needed, so plan again with the first labels. "simple" has one band.
    Source: Cochran (1977), section 5.9.

    >>> import numpy as np
    >>> plan_label_sample(np.full(10_000, 0.1), width=1_000).labels
    370
    >>> known = {row: row % 10 // 9 for row in range(50)}
    >>> print(plan_label_sample(np.full(10_000, 0.1), width=0.1, share=True, y_true=known).answer)
    An interval about 0.1 of the units wide needs labels of 158 of 10,000 units, including the existing labels.

    Raises InputError if the width is below 1 unit, or is not a share above 0 and at most 1; for an unknown design; or
    for both `labelled` and `y_true`.
    """
    check_arguments(plan_label_sample, locals())
    if labelled is not None and y_true is not None:
        raise InputError("labels must be given either as `labelled=...` or as `y_true=...`, not both.")
    columns = Columns.read(data, pos_label=pos_label, y_prob=y_prob, y_true=y_true)
    with columns.rows.locating_errors():
        score, labels = check_probabilities(columns["y_prob"]), columns["y_true"]
        if labelled is not None:
            positive = None if pos_label is None else str(pos_label)
            (labels,), _ = sheet_labels(labelled, score, place=columns.rows.place, pos_label=positive)
            pos_label = None
        n = len(score)
        labelled_rows, values = partial_labels({} if labels is None else labels, n=n, pos_label=pos_label)
        codes, size = _bands(score, design)
        variance = np.full(len(size), MAX_VARIANCE)
        if from_labels := len(labelled_rows) >= MIN_LABELS:
            variance = _variances(codes[labelled_rows], values, len(size))
        variance_target = (_units(width, share, n) / (2.0 * normal_quantile(check_level(level)))) ** 2
    needed = float((size @ np.sqrt(variance)) ** 2 / (variance_target + size @ variance))
    return LabelPlan(
        labels=min(max(int(np.ceil(needed)), 2 * len(size)), n),
        units=n,
        width=float(width),
        share=share,
        from_labels=from_labels,
        assumption=AS_LABELLED if from_labels else UNINFORMATIVE,
        recipe={"design": design, "level": level, "howsure": __version__, **columns.rows.provenance},
    )


def _units(width: float, share: bool, n: int) -> float:
    check_number(width, name="width", low=0, open="low")
    if share and width > 1:
        raise InputError(f"with `share=True`, `width` must be at most 1, the proportion of all units; it is {width:g}.")
    if not share and width < 1:
        raise InputError(
            f"`width` must be at least 1 unit; it is {width:g}. If it is a proportion of the units, set `share=True`."
        )
    return width * n if share else width


def _bands(score: Floats, design: str) -> tuple[Integers, Integers]:
    if design not in DESIGNS:
        raise unknown_name("design", design, DESIGNS, place="plans for labels")
    codes = score_bands(score)[0] if design == "stratified" else np.zeros(len(score), dtype=np.int64)
    return codes, np.bincount(codes)


def _variances(band: Integers, labels: Floats, bands: int) -> Floats:
    """Return p (1 - p) of each band, where p is the proportion of positives with one more label of the rarer value."""
    n = np.bincount(band, minlength=bands)
    rarer = np.minimum(k := np.bincount(band, weights=labels, minlength=bands), n - k)
    share = np.minimum((rarer + PSEUDO) / (n + PSEUDO), 0.5)
    return np.asarray(share * (1.0 - share))
