"""Results about selective answers: curves, tables of groups, and guaranteed thresholds, with their sentences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import ROUND_FLOOR, Context
from typing import Any, ClassVar, Final

from howsure.inputs.numbers_and_names import count_equal_first, part_of
from howsure.inputs.pairs import Bools, Floats, Integers
from howsure.inputs.parameter_types import Axes, Figure
from howsure.inputs.repeated_items import item_notes
from howsure.notes import notes_by_name
from howsure.result import AMONG, Arrays, Estimate, Result, Rows, as_json, provenance_line
from howsure.show.axes import checks_axes
from howsure.show.table import COUNT, ESTIMATE, EXACT, FRAME, HIGHER, LOWER, POINT, WORDS, Column, number
from howsure.worst_rows import WorstRows

ESTIMATED: Final = "estimated"
ANY: Final = "any"
ASSUMED = {
    ESTIMATED: "the guarantee assumes independent clusters, with sizes and dependence as observed here",
    ANY: "the guarantee assumes independent clusters, none larger than the largest in the data",
}


@dataclass(frozen=True, slots=True)
class RiskCoverage(Arrays):
    """The risk–coverage curve: arrays with an entry for each of at most 200 thresholds, from the highest down.

    n: the number of answers whose confidence is at least `threshold`. errors: the number of wrong ones among them.
    coverage: n divided by the number of all answers. risk: errors / n, with the interval [low, high]; each interval has
    the stated level separately.
    """

    threshold: Floats
    n: Integers
    errors: Integers
    coverage: Floats
    risk: Floats
    low: Floats
    high: Floats


@dataclass(frozen=True, slots=True)
class AtCoverage:
    """The accuracy of the n answers whose confidence is at least `threshold`.

    threshold: the highest threshold with a coverage of at least `asked`. coverage: the proportion of answers that it
    keeps. next_lower: the highest confidence below it.
    """

    asked: float
    threshold: float
    n: int
    coverage: float
    accuracy: Estimate
    next_lower: float | None = as_json(None, default=None)

    def __str__(self) -> str:
        kept = f"confidence ≥ {_digits(self.threshold, self.next_lower)} keeps {self.n:,} ({self.coverage:.1%})"
        return f"coverage {self.asked:.4g}: {kept}, accuracy {self.accuracy}"


@dataclass(frozen=True, slots=True)
class AtAccuracy:
    """The largest coverage with an accuracy of at least `asked`, its threshold (None if no coverage has this accuracy)
    and the number n of answers kept. next_lower: the highest confidence below the threshold.
    """

    asked: float
    threshold: float | None
    n: int
    coverage: Estimate
    next_lower: float | None = as_json(None, default=None)

    def __str__(self) -> str:
        if self.threshold is None:
            return f"accuracy {self.asked:.4g}: no threshold, coverage {self.coverage}"
        kept = f"confidence ≥ {_digits(self.threshold, self.next_lower)} keeps {self.n:,}"
        return f"accuracy {self.asked:.4g}: {kept}, coverage {self.coverage}"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class SelectiveCurve(Result):
    """The result of `selective_curve`.

    name: the group. n: the number of answers. accuracy: the accuracy of all answers. auroc: the AUROC of confidence for
    correctness. aurc, excess_aurc: the area under the risk–coverage curve, and AURC minus that of a perfect ranking.
    at_coverage, at_accuracy: the requested points of the curve. notes: caveats. points: the curve. recipe: everything
    needed to repeat it.
    """

    name: str | None = as_json("group", default=None)
    n: int
    accuracy: Estimate
    auroc: Estimate
    aurc: Estimate
    excess_aurc: Estimate
    at_coverage: tuple[AtCoverage, ...]
    at_accuracy: tuple[AtAccuracy, ...]
    notes: tuple[str, ...] = ()
    points: RiskCoverage
    recipe: dict[str, Any]

    def columns(self) -> Sequence[Column]:
        """The points of the curve."""
        return self.points.columns()

    @property
    def figures(self) -> list[str]:
        """The key figures of the curve, aligned, one per line."""
        figures = {
            "answers": f"{self.n:,}",
            "accuracy": str(self.accuracy),
            "AUROC": str(self.auroc),
            "AURC": str(self.aurc),
            "E-AURC": f"{self.excess_aurc} (0: a perfect ranking)",
        }
        return [
            *(f"{name:<8}  {text}" for name, text in figures.items()),
            *map(str, (*self.at_coverage, *self.at_accuracy)),
        ]

    @property
    def description(self) -> str:
        """The key figures of the curve, with the level of the intervals and the notes."""
        lines = [*self.figures, f"intervals: {100 * self.accuracy.level:g}%"]
        head = "selective answers" + (f" of {self.name}" if self.name is not None else "")
        return "\n  ".join([head, *lines, *self.footnotes()])

    @checks_axes
    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the risk–coverage curve with its band on matplotlib axes (new ones if None)."""
        from howsure.figures.selective import draw_risk_coverage

        return draw_risk_coverage([self], ax=ax)


@dataclass(frozen=True, slots=True)
class Candidates(Arrays):
    """The tested thresholds, from the highest down.

    For each: the numbers of answers kept and of errors, the p-value of "the risk exceeds the target", the level of the
    test, and whether the threshold passed.
    """

    threshold: Floats
    n: Integers
    errors: Integers
    coverage: Floats
    risk: Floats
    p_value: Floats
    level: Floats
    passed: Bools


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class SelectiveThreshold(Result):
    """The result of `selective_threshold`.

    name: the group. threshold: keep answers whose confidence is at least this value; None if nothing can be guaranteed.
    risk, delta: the guarantee is P(wrong | kept) ≤ risk, and is broken with probability at most delta. n_kept, errors:
    the numbers of answers kept here and of wrong ones among them. coverage: the proportion kept. n, n_wrong: the
    numbers of all answers and of all wrong ones. needed: if there is no threshold, about how many answers like these
    are needed to find one with probability 0.8; None if no number suffices. notes: caveats. candidates: the tested
    thresholds. recipe: everything needed to repeat it.
    """

    name: str | None = as_json("group", default=None)
    threshold: float | None
    risk: float
    delta: float
    n_kept: int
    errors: int
    coverage: Estimate
    n: int
    n_wrong: int
    needed: int | None
    notes: tuple[str, ...] = ()
    candidates: Candidates
    recipe: dict[str, Any]

    def columns(self) -> Sequence[Column]:
        """The tested thresholds."""
        return self.candidates.columns()

    @property
    def description(self) -> str:
        """The guarantee, in a few sentences."""
        of = "" if self.name is None else f"{self.name}: "
        if self.threshold is None:
            promise = f"risk at most {self.risk:g} with probability {1 - self.delta:g}"
            lines = [f"{of}no threshold can be guaranteed: {promise}", self.advice]
        else:
            lines = [
                f"{of}keep answers with confidence ≥ {self.threshold!r}: {self._share_kept}",
                f"guarantee: at most {self.risk:.4g} of such answers are wrong, with probability {1 - self.delta:g}",
                f"observed: of the kept answers, {self.errors:,} are wrong ({number(self.errors / self.n_kept)}); of "
                f"the others, {self.n_wrong - self.errors:,}",
            ]
        return "\n  ".join([*lines, *self.footnotes()])

    @property
    def kept(self) -> str:
        """The number of answers that the threshold keeps in these data, and the numbers of wrong answers on both sides
        of it."""
        return (
            f"confidence ≥ {self.threshold!r} keeps {self._share_kept}: of these, {self.errors:,} are "
            f"wrong ({number(self.errors / self.n_kept)}); of the others, {self.n_wrong - self.errors:,}"
        )

    @property
    def _share_kept(self) -> str:
        cover = self.coverage
        ends = "" if cover.low is None or cover.high is None else f" [{cover.low:.1%}, {cover.high:.1%}]"
        return f"{self.n_kept:,} of {self.n:,}, {cover.value:.1%}{ends}"

    @property
    def advice(self) -> str:
        """Without a guarantee, advice on whether more answers would lead to one."""
        if self.needed is None:
            return "no threshold has an observed risk below the target, which more answers alone would not change"
        return f"about {self.needed:,} answers like these are needed; there are {self.n:,}"

    @checks_axes
    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the tested thresholds, the target and the selected threshold on matplotlib axes (new ones if None)."""
        from howsure.figures.selective import draw_threshold

        return draw_threshold(self, ax=ax)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class SelectiveTable(Rows[SelectiveCurve]):
    """The curves of `selective_table`, one per group, and their guaranteed thresholds if a risk was given.

    Iterate over the curves, or index by the name of the group. worst: the worst rows, if requested. recipe: the input,
    and everything that is needed to repeat the analysis."""

    rows: tuple[SelectiveCurve, ...] = as_json("curves")
    thresholds: tuple[SelectiveThreshold, ...] = ()
    worst: WorstRows | None = as_json(AMONG, default=None)
    recipe: dict[str, Any] = field(repr=False)

    title = "Selective answers"
    derived: ClassVar = {"skipped": "thresholds"}
    further = ("worst",)

    def columns(self) -> Sequence[Column]:
        """Return the columns of the table, which has one row per group."""
        first, thresholds = self.rows[0], self.thresholds
        level = f"in brackets the {100 * first.auroc.level:g}% interval"
        auroc, aurc = f"area under the ROC curve of confidence for correctness; {level}", "area under the risk–coverage"
        columns = [
            Column("group", WORDS, get=_name),
            Column("n", COUNT),
            Column("accuracy", POINT, better=HIGHER),
            Column("auroc", ESTIMATE, "AUROC", HIGHER, auroc),
            Column("aurc", ESTIMATE, "AURC", LOWER, f"{aurc} curve", detail=True),
            Column("excess_aurc", ESTIMATE, "E-AURC", LOWER, "AURC minus that of a perfect ranking", detail=True),
        ]
        for i, point in enumerate(first.at_coverage):
            values = [row.at_coverage[i].accuracy for row in self.rows]
            columns.append(_requested_column(f"accuracy at {point.asked:g}", values))
        for i, other in enumerate(first.at_accuracy):
            values = [row.at_accuracy[i].coverage for row in self.rows]
            columns.append(_requested_column(f"coverage at {other.asked:g}", values))
        if thresholds:
            columns.append(Column("threshold", EXACT, values=[row.threshold for row in thresholds]))
            columns.append(Column("kept", COUNT, values=[row.n_kept for row in thresholds]))
            columns.append(Column("wrong", COUNT, values=[row.errors for row in thresholds]))
        return [*columns, Column("notes", WORDS, get=lambda row: "; ".join(row.notes), only=FRAME)]

    @property
    def description(self) -> str:
        """The key figures of a single group without a name; otherwise empty, and the table is printed."""
        return "\n\n".join(part.description for part in (*self.rows, *self.thresholds)) if self._is_of_one else ""

    @property
    def _is_of_one(self) -> bool:
        return len(self.rows) == 1 and self.rows[0].name is None

    @property
    def answer(self) -> str:
        """The guarantee if a risk was named; else the accuracy of the most confident answers."""
        if self.thresholds:
            return self._promised()
        if not self.rows[0].at_coverage:
            return f"AUROC of confidence for correctness {self._range([row.auroc for row in self.rows])}."
        point = self.rows[0].at_coverage[0]
        kept, whole = [row.at_coverage[0].accuracy for row in self.rows], [row.accuracy for row in self.rows]
        return (
            f"Of the {point.asked:.0%} most confident answers, {self._range(kept)} are right; of all answers, "
            f"{self._range(whole)}."
        )

    def _range(self, estimates: Sequence[Estimate]) -> str:
        """The estimate of a single group, or the lowest and the highest estimate of several groups."""
        if len(estimates) == 1:
            return str(estimates[0])
        named = sorted(zip(estimates, map(_name, self.rows), strict=True), key=lambda pair: pair[0].value)
        if count_equal_first([named[0][0].value, named[-1][0].value]) > 1:
            return f"{named[0][0].value:.4f} (all)"
        return " to ".join(f"{estimate.value:.4f} ({name})" for estimate, name in (named[0], named[-1]))

    def _promised(self) -> str:
        """The answers that can be kept with the guaranteed risk."""
        first = self.thresholds[0]
        promise = f"at most {first.risk:.4g} wrong, with probability {1 - first.delta:g}"
        if len(self.thresholds) == 1 and first.threshold is None:
            return f"No threshold can be guaranteed ({promise}): {first.advice}."
        if len(self.thresholds) == 1:
            share = f"{first.n_kept:,} of {first.n:,}, {first.coverage.value:.1%}"
            return f"Keep answers with confidence ≥ {first.threshold!r} ({share}): {promise}."
        n_promised = sum(threshold.threshold is not None for threshold in self.thresholds)
        return f"{part_of(n_promised, len(self.thresholds), 'group', 'has', 'have')} a threshold ({promise})."

    @property
    def key_figures(self) -> str:
        """For a single group without a name, its figures."""
        kept = [threshold.kept for threshold in self.thresholds if threshold.threshold is not None]
        return "\n".join([*self.rows[0].figures, *kept]) if self._is_of_one else ""

    def footnotes_of_answer(self, *, verbose: bool) -> Sequence[str]:
        """The guarantees and notes, if the figures of a single group do not contain them."""
        return () if verbose else self.footnotes()

    @property
    def provenance(self) -> str:
        """A description of the input, and the level of the intervals."""
        return provenance_line(self.recipe | {"level": self.rows[0].auroc.level})

    def next_parameters(self) -> Mapping[str, object]:
        """Parameters for the suggested next step: a guaranteed threshold, or a figure."""
        return {"figure": "selective.svg"} if self.thresholds else {"risk": 0.05}

    def footnotes(self) -> Sequence[str]:
        """The guarantees, and the notes."""
        assumed = set(ASSUMED.values())
        notes = [(row.name or "note", row.notes) for row in self.rows]
        of_found = [
            (threshold.name or "note", [note for note in threshold.notes if note not in assumed])
            for threshold in self.thresholds
        ]
        of_rows = {note for row in self.rows for note in row.notes}
        of_reading = [("note", [note for note in item_notes(self.recipe) if note not in of_rows])]
        return [*self._promises(), *dict.fromkeys(notes_by_name([*notes, *of_reading]) + notes_by_name(of_found))]

    def _promises(self) -> Iterator[str]:
        for threshold in self.thresholds[:1]:
            each = "for each group by itself, " if len(self.thresholds) > 1 else ""
            yield (
                f"threshold: {each}at most {threshold.risk:g} of the answers at or above it are wrong, with "
                f"probability {1 - threshold.delta:g}"
            )
        yield from dict.fromkeys(
            note for threshold in self.thresholds for note in threshold.notes if note in ASSUMED.values()
        )
        for threshold in self.thresholds:
            if threshold.threshold is None:
                yield f"{_name(threshold)}: no threshold can be guaranteed; {threshold.advice}"

    @checks_axes
    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the risk–coverage curves of all groups on matplotlib axes (new ones if None)."""
        from howsure.figures.selective import draw_risk_coverage

        return draw_risk_coverage(self.rows, ax=ax)

    def figure(self) -> Figure:
        """The risk–coverage curves; for a single group with a guarantee, the tested thresholds."""
        from howsure.figures.selective import draw_threshold
        from howsure.figures.style import parent_figure

        return parent_figure(draw_threshold(self.thresholds[0]) if len(self.thresholds) == 1 else self.plot())


def _digits(threshold: float, next_lower: float | None) -> str:
    """A threshold for a sentence, rounded down to six digits, or to as many as keep the same answers.

    >>> _digits(0.5115108470943258, 0.5), _digits(0.8, None), _digits(0.99999999, 0.9999995), _digits(1.0, 0.9)
    ('0.51151', '0.8', '0.9999999', '1')
    """
    for digits in range(6, 17):
        rounded = float(Context(prec=digits, rounding=ROUND_FLOOR).create_decimal(repr(threshold)))
        if next_lower is None or rounded > next_lower:
            return f"{rounded:.{digits}g}"
    return repr(threshold)


def _name(row: SelectiveCurve | SelectiveThreshold) -> str:
    return row.name or "all"


def _requested_column(heading: str, values: Sequence[Estimate]) -> Column:
    return Column(heading.replace(" ", "_").replace(".", "_"), POINT, heading, values=values)
