"""`judge_transport`: test whether human grades of some models can correct a judge's grades of other models.

A map is an isotonic regression that predicts the human grade from the judge's grade."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from howsure.calibration.isotonic import isotonic_values
from howsure.errors import InputError
from howsure.inputs.arguments import check_arguments
from howsure.inputs.frames import Source
from howsure.inputs.numbers_and_names import check_level, check_number, counted, shortened, unknown_name
from howsure.inputs.pairs import Floats, Integers
from howsure.inputs.parameter_types import ArrayLike, IntoFrame
from howsure.judges.columns import Columns, needed
from howsure.judges.correction import MIN_GRADES, UNKNOWN, Graded, undetermined_estimate
from howsure.notes import DETAIL, Note
from howsure.result import Estimate, Rows, as_json
from howsure.show.table import COUNT, ESTIMATE, WORDS, Column, digits
from howsure.stats.clusters import ItemGroups
from howsure.stats.mean_score import Bounds, mean_score
from howsure.stats.proportions import normal_quantile, t_quantile

MIN_OF_MAP = 30  # minimum number of human grades for learning a map
OUTSIDE = 0.02  # maximum proportion of a model's answers whose judge grades are outside the range of the map
SUSPICION = 0.05  # probability that some model is falsely excluded from the map
YES, NO, UNAUDITED = "transports", "does not", "not audited"


@dataclass(frozen=True, slots=True)
class JudgeTransportRow:
    """The test of a model: is the map from judge grades to human grades, learned from other models, valid for it?

    n: number of the model's answers; labelled: number of these that humans graded. residual: mean of the human grade
    minus the map's prediction. outside: proportion of its answers whose judge grade is outside the range of grades from
    which the map was learned. verdict: "transports" (the map is valid), "does not", "cannot tell" or "not audited";
    why: the reason for a missing or negative verdict. mapped: the mean human grade predicted by the map, if the map is
    valid; its interval is widened by the margin.
    """

    model: str
    n: int
    labelled: int
    residual: Estimate
    outside: float
    verdict: str
    mapped: Estimate
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class JudgeTransport(Rows[JudgeTransportRow]):
    """The result of `judge_transport`: a row per model. learned_from: the models from which the map is learned."""

    rows: tuple[JudgeTransportRow, ...] = as_json("models")
    learned_from: tuple[str, ...]
    notes: tuple[str, ...] = ()
    recipe: Mapping[str, object]

    named = "model"
    title = "Models for which the judge's grades keep their meaning"
    suggested: ClassVar = {"report": "transport.html"}

    def columns(self) -> Sequence[Column]:
        """The test of each model, and its mean according to the map."""
        level = f"in brackets the {100 * self.rows[0].residual.level:g}% interval"
        return [
            Column("model", WORDS),
            Column("n", COUNT, legend="answers that the judge graded"),
            Column("labelled", COUNT, legend="of these also graded by humans"),
            Column("residual", ESTIMATE, "people minus map", legend=level),
            Column("outside", digits(3), legend="share of answers beyond the grades of the map"),
            Column("verdict", WORDS, "the map"),
            Column("mapped", ESTIMATE, "mean by the map", legend="wider by the margin"),
        ]

    @property
    def answer(self) -> str:
        """A sentence on the models for which the map is valid, and for which it is not."""
        words = {"transports": "valid for", "does not": "not valid for"}
        models: dict[str, list[str]] = {}
        for row in self.rows:
            models.setdefault(words.get(row.verdict, f"{row.verdict} for"), []).append(row.model)
        parts = [f"{verdict} {shortened(names)}" for verdict, names in models.items()]
        return f"Validity of the map from the judge's grades to human grades: {'; '.join(parts)}."

    def footnotes(self) -> Sequence[str]:
        """The assumptions of the map, the models it is learned from, reasons for missing verdicts, and the notes."""
        within = f"within ±{self.recipe['margin']:g} on average"
        margin = f"A map is valid for a model if human grades minus mapped grades are {within}."
        learned = (
            f"The map is learned from the answers of {', '.join(self.learned_from)}. To audit a model, a map is "
            "learned from the other models and applied to it."
        )
        return [
            Note(margin, DETAIL),
            Note(learned, DETAIL),
            *(f"{row.model}: {row.why}." for row in self.rows if row.why),
            *self.notes,
        ]


def judge_transport(
    y_true: ArrayLike | str,
    score: ArrayLike | str,
    *,
    model: ArrayLike | str,
    margin: float,
    against: str | None = None,
    clusters: ArrayLike | str | None = None,
    pos_label: Hashable = None,
    bounds: tuple[float, float] | None = None,
    level: float = 0.95,
    data: Source | IntoFrame | None = None,
) -> JudgeTransport:
    """Test whether the relation between judge grades and human grades is the same for every model, so that human grades
    of some models can correct the judge's grades of the others.

    A map that predicts the human grade from the judge's grade is learned from the other models' answers with human
    grades, and tested on each model's own answers with human grades. The verdict is "transports" if the mean of human
    grade minus predicted grade is significantly within the margin, "does not" if it is significantly outside, else
    "cannot tell". Each verdict is wrong with a probability of at most 1 - level.

    y_true (n,): the human grade, missing for answers without one.
    score (n,): the judge's grade of each answer.
    model (n,): the model of each answer.
    margin: the largest acceptable mean of human grade minus mapped grade, in either direction.
    against: the model from whose answers the map is learned (default: all models that agree with each other).
    clusters (n,): the cluster of each answer, such as its item; answers of a cluster may be correlated.
    pos_label: the grade that counts as 1, every other as 0.
    bounds: the lowest and the highest possible human grade; (0, 1) is known if all grades are 0 or 1.
    level: level of the intervals; verdicts are one-sided tests of size 1 - level.

    The map is fitted by isotonic regression. As long as the map is learned from at least three models and one of them
    deviates significantly from the map of the others, the model that deviates most is excluded from learning. A model
    with fewer than 10 human grades is not tested ("not audited"). The verdict is also "does not" if more than 2% of a
    model's answers have judge grades outside the range from which the map was learned. The answers with human grades
    must be a random sample of each model's answers.

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> truth = (rng.random(3000) < 0.5) * 1.0
    >>> model = np.repeat(["a", "b", "c"], 1000)
    >>> judge = np.where(rng.random(3000) < np.where(model == "c", 0.35, 0.05), 1.0, truth)  # too kind to c
    >>> people = np.where(rng.random(3000) < 0.2, truth, np.nan)
    >>> [row.verdict for row in judge_transport(people, judge, model=model, margin=0.06)]
    ['transports', 'transports', 'does not']

    Raises InputError naming the parameter, row and value that violated a rule.
    """
    check_arguments(judge_transport, locals())
    level = check_level(level)
    check_number(margin, name="margin", low=0, open="low")
    for role, column in (("y_true", y_true), ("score", score), ("model", model)):
        if column is None:
            raise needed(role, "since the human grades of some models are applied to the others")
    roles = {"score": score, "y_true": y_true, "model": model, "clusters": clusters}
    answers = Columns.read(roles, data, pos_label=pos_label)
    with answers.rows.locating_errors():
        names = answers.names("model")
        if len(names) < 2:
            raise InputError(f"`model` must contain two or more models; it contains only {names[0]!r}.")
        if against is not None and str(against) not in names:
            raise unknown_name("model", str(against), names, place="the data")
        y, f, code = answers.numbers["y_true"], answers.numbers["score"], answers.codes("model")
        ends = answers.bounds(bounds, "y_true" if data is None else str(y_true))
        audit = _Audit(y, f, code, answers.units, ends, level)
        count = np.bincount(code[~np.isnan(y)], minlength=len(names))
        kept = [index for index in range(len(names)) if count[index] >= MIN_GRADES]
        if against is not None:
            kept = [names.index(str(against))]
        elif not kept:
            raise InputError(
                f"each model has fewer than {MIN_GRADES} human grades, which is too few. Have more answers graded."
            )
        else:
            kept = audit.agreeing(kept)
        rows = [_row(audit, index, name, kept, margin) for index, name in enumerate(names)]
    learned = tuple(names[index] for index in kept)
    recipe = answers.recipe | {"margin": float(margin), "against": against, "bounds": ends, "level": level}
    return JudgeTransport(rows=tuple(rows), learned_from=learned, notes=tuple(answers.notes), recipe=recipe)


@dataclass(frozen=True, slots=True)
class _Audit:
    y: Floats
    f: Floats
    model: Integers
    units: Integers | None
    bounds: Bounds | None
    level: float

    def read(self, models: Sequence[int]) -> Integers:
        """Return the rows of these models that have human grades."""
        return np.flatnonzero(np.isin(self.model, models) & ~np.isnan(self.y))

    def agreeing(self, models: list[int]) -> list[int]:
        """Return the models that agree with each other, after removing those that deviate significantly."""
        kept, far = list(models), normal_quantile(1 - SUSPICION / len(models))
        while len(kept) > 2:
            off = {}
            for model in kept:
                residual = self.residual(model, [other for other in kept if other != model], self.level)
                off[model] = 0.0 if residual is None else abs(residual[0].value) / (residual[1] or math.inf)
            worst = max(off, key=lambda code: off[code])
            if off[worst] <= far:
                break
            kept.remove(worst)
        return kept

    def residual(self, model: int, others: Sequence[int], level: float) -> tuple[Estimate, float] | None:
        """Return the mean of a model's human grades minus the predictions of the map learned from the other models, and
        its standard error.

        Returns None if the other models have too few human grades for a map.
        """
        learned, mine = self.read(others), self.read([model])
        if len(learned) < MIN_OF_MAP:
            return None
        step, value = _steps(self.f[learned], self.y[learned])
        at = self.f[mine]
        mapped = value(at)
        nowhere = np.zeros(len(mine), dtype=np.int64)
        units = None if self.units is None else self.units[mine]
        graded = Graded(mapped, np.arange(len(mine)), self.y[mine], np.ones(len(mine)), nowhere, units)
        estimate = graded.mean(level, slope=1.0, of_rest=True)
        if estimate.low is None:  # few answers cause the deviation
            estimate = replace(graded, bounds=self.bounds).mean(level, slope=1.0, of_rest=True)
        of_map = self._error(learned, step(self.f[learned]), step(at))
        mean_error = mean_score(self.y[mine] - mapped, ItemGroups.of(len(mine), clusters=units)).error
        if estimate.low is None or estimate.high is None:
            return estimate, math.hypot(of_map, mean_error)
        t, mean = t_quantile(level, len(learned) - 1) * of_map, estimate.value
        low, high = mean - math.hypot(mean - estimate.low, t), mean + math.hypot(estimate.high - mean, t)
        made = Estimate(mean, low, high, level=level, method=estimate.method, n=estimate.n)
        return made, math.hypot(of_map, mean_error)

    def _error(self, learned: Integers, step: Integers, at: Integers) -> float:
        """Return the standard error of the mean prediction of the map.

        learned: the rows from which the map was learned. step: the step of the map for each of these rows. at: the step
        for each predicted answer.
        """
        n = np.bincount(step)
        share = np.bincount(at, minlength=len(n)) / len(at)
        mean = np.bincount(step, self.y[learned]) / n
        moved = (share / np.sqrt(n * np.maximum(n - 1, 1)))[step] * (self.y[learned] - mean[step])
        unit = np.arange(len(learned)) if self.units is None else self.units[learned]
        return math.sqrt(float((np.bincount(unit, moved) ** 2).sum()))

    def mapped(self, model: int, others: Sequence[int], margin: float) -> Estimate:
        """Return the mean prediction for all answers of a model, by the map learned from the models `others`.

        The margin widens the interval."""
        learned, f = self.read(others), self.f[self.model == model]
        step, value = _steps(self.f[learned], self.y[learned])
        units = None if self.units is None else self.units[self.model == model]
        of_answers = mean_score(value(f), ItemGroups.of(len(f), clusters=units)).error
        error = math.hypot(self._error(learned, step(self.f[learned]), step(f)), of_answers)
        mean, reach = float(value(f).mean()), t_quantile(self.level, len(learned) - 1) * error + margin
        low, high = mean - reach, mean + reach
        if self.bounds is not None:
            low, high = max(low, self.bounds[0]), min(high, self.bounds[1])
        return Estimate(mean, low, high, level=self.level, method="map and margin", n=len(f))


def _steps(f: Floats, y: Floats) -> tuple[Callable[[Floats], Integers], Callable[[Floats], Floats]]:
    """Fit an isotonic regression of human grades y on judge grades f.

    Returns two functions of judge grades: the index of the step of the regression, and the predicted human grade.
    """
    at, grade_index, n = np.unique(f, return_inverse=True, return_counts=True)
    fitted = isotonic_values(np.bincount(grade_index, y) / n, n.astype(np.float64))
    of = np.append(0, np.cumsum(np.diff(fitted) > 0.0))
    values, middles = fitted[np.append(True, np.diff(of) > 0)], (at[1:] + at[:-1]) / 2

    def step(grades: Floats) -> Integers:
        return np.asarray(of[np.searchsorted(middles, grades, side="left")])

    return step, lambda grades: np.asarray(values[step(grades)])


def _row(audit: _Audit, code: int, name: str, kept: Sequence[int], margin: float) -> JudgeTransportRow:
    model_grades, labelled = audit.f[audit.model == code], len(audit.read([code]))
    unknown = undetermined_estimate(audit.level, labelled)
    others = [other for other in kept if other != code]
    map_grades = audit.f[audit.read(kept)]
    outside = float(((model_grades < map_grades.min()) | (model_grades > map_grades.max())).mean())
    residual, verdict, why = unknown, UNAUDITED, ""
    if not others:
        why = "the map is learned only from it, so it cannot be audited"
    elif labelled < MIN_GRADES:
        why = (
            f"humans graded {counted(labelled, 'answer')} of it, fewer than {MIN_GRADES}, so the map cannot be audited"
        )
    else:
        at_level, tested = (
            audit.residual(code, others, level) for level in (audit.level, max(2 * audit.level - 1, 0.5))
        )
        verdict = UNKNOWN
        if at_level is None or tested is None:
            why = f"the map of the others is based on fewer than {MIN_OF_MAP} human grades"
        else:
            residual, low, high = at_level[0], tested[0].low, tested[0].high
            if outside > OUTSIDE:
                why = f"{outside:.0%} of its answers have judge grades outside the range of the map"
                verdict = NO
            elif low is not None and high is not None:
                inside, beyond = -margin <= low and high <= margin, low > margin or high < -margin
                verdict = NO if beyond else YES if inside else UNKNOWN
    mapped = audit.mapped(code, kept, margin) if verdict == YES else unknown
    return JudgeTransportRow(name, len(model_grades), labelled, residual, outside, verdict, mapped, why)
