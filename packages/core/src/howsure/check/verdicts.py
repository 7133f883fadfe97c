"""Verdicts of checks, decided from evidence, with adjustment for the number of rules and of repeated runs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np

from howsure import __version__
from howsure.check.evidence import BELOW, NO_BOUNDS, RARE_DOCUMENTS, Baseline, Entry, Evidence
from howsure.errors import InputError
from howsure.inputs.numbers_and_names import check_integer, check_level, shortened
from howsure.notes import FINDING, Note, footnote, marked_note, severity
from howsure.result import Estimate, Rows, as_json, provenance_line
from howsure.show.table import COUNT, ENDS, FRAME, NUMBER, TABLE, WORDS, Column, Kind, interval, number, p_in_words
from howsure.significance.trend import TrendPoint, check_date
from howsure.stats.betting import BettingMean
from howsure.stats.jackknife_value import JackknifeValue
from howsure.stats.p_values import adjust_p_values

BETS = "bets on rows in the order drawn"
PASS, FAIL, CANNOT_TELL = "pass", "fail", "cannot tell"
EXIT_CODES = {PASS: 0, FAIL: 1, CANNOT_TELL: 3}
PLAIN = ("limit", "p_pass", "p_fail", "p_pass_adjusted", "p_fail_adjusted")
INTERVAL = Kind(lambda estimate: interval(estimate.low, estimate.high), ends=ENDS)


@dataclass(frozen=True, slots=True)
class Verdict:
    """The verdict on a rule in a group (None: all rows).

    estimate: the quantity with its interval at the requested level. bound: the one-sided bound on the side of the
    limit, at the level of the test after adjustment for several rules: the verdict follows from it. wanted: the side of
    the limit ("below" or "above") on which the quantity must be. p_pass: the one-sided p-value of the hypothesis that
    the rule is broken. p_fail: that of the hypothesis that the rule is kept. The adjusted p-values determine `outcome`:
    "pass", "fail" or "cannot tell". more_rows: the number of further rows that would probably be enough for a verdict
    if the estimate is right; None if no more rows are needed, or no number would be enough. unit: what is counted, such
    as "row". reason: why no number of rows is enough: "no bounds" if scores that were not observed could have any size,
    "rare documents" if documents could; otherwise None. measured: the quantity in words. remedy: what the user can do
    then.
    """

    check: str
    rule: str
    group: str | None
    n: int
    quantity: str
    estimate: Estimate
    bound: float | None
    wanted: str
    limit: float
    p_pass: float
    p_fail: float
    p_pass_adjusted: float
    p_fail_adjusted: float
    outcome: str
    more_rows: int | None
    notes: tuple[str, ...] = ()
    reason: str | None = None
    unit: str = as_json(None, default="row")
    measured: str = as_json(None, default="")
    remedy: str = as_json(None, default="")

    derived: ClassVar = {"sentence": "notes"}

    @property
    def sentence(self) -> str:
        """Return the verdict in one sentence, the estimate before the p-value."""
        observed = f"{self.measured or self.quantity} is {self.estimate}"
        if self.reason is not None:
            return f"{observed}: {self.remedy}"
        if self.bound is None:
            return f"{observed}: too little data"
        above = "above" if (self.outcome == PASS) == (self.wanted != BELOW) else "below"
        if self.outcome == CANNOT_TELL:
            return f"{observed}, not clearly above or below {self.limit:g}{self._advice()}"
        p, adjusted = (
            (self.p_pass, self.p_pass_adjusted) if self.outcome == PASS else (self.p_fail, self.p_fail_adjusted)
        )
        how = "" if adjusted == p else "adjusted "
        bound = f"one-sided {'lower' if self._is_lower_bound else 'upper'} bound {number(self.bound)}"
        return f"{observed}, {above} {self.limit:g} ({bound}, {how}{p_in_words(adjusted)})"

    @property
    def bound_text(self) -> str:
        """The one-sided bound, as an inequality."""
        if self.bound is None:
            return "–"
        return f"{'≥' if self._is_lower_bound else '≤'} {number(self.bound)}"

    @property
    def _is_lower_bound(self) -> bool:
        """Whether the bound is below the estimate, on the side of the limit."""
        return self.estimate.value > self.limit

    def _advice(self) -> str:
        if self.estimate.method == BETS:
            return "; evaluate the next items in the order drawn, and check again"
        if self.more_rows is None:
            return f"; the estimate is too close to the limit for any number of {self.unit}s to decide"
        return f"; about {rounded_up(self.more_rows):,} more {self.unit}s would decide it if the estimate is right"


STATE_BOUNDS = marked_note(
    "no verdict, because rare scores of any size could be missing from these data. Give the lowest and highest "
    "possible score, `bounds=LOW,HIGH`, or assume that there are no such scores, `assume_no_rare_losses=True`"
)

STATE_NO_RARE_DOCUMENTS = marked_note(
    "no verdict, because rare documents that are longer and much worse could be missing from these data. Assume that "
    "there are none, `assume_no_rare_losses=True`"
)
REMEDIES = {NO_BOUNDS: STATE_BOUNDS, RARE_DOCUMENTS: STATE_NO_RARE_DOCUMENTS}


def rounded_up(rows: int) -> int:
    """Round a number of rows up to two digits.

    >>> rounded_up(3_412), rounded_up(7)
    (3500, 7)
    """
    step: int = 10 ** max(len(str(rows)) - 2, 0)
    return -(-rows // step) * step


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Check(Rows[Verdict]):
    """The verdicts of a check, the level of its tests, and notes; iterate over them, or index by position.

    outcome: "fail" if any verdict is "fail", else "cannot tell" if any verdict is, else "pass". A verdict is wrong with
    a probability of at most 1 - level; docs/check.md explains for which sets of verdicts this holds. results: the
    evidence from which the verdicts were decided.
    """

    level: float
    rows: tuple[Verdict, ...] = as_json("verdicts")
    notes: tuple[str, ...] = ()
    recipe: Mapping[str, Any]
    results: tuple[Found, ...] = as_json(None, default=(), repr=False, compare=False)

    named = ""
    derived: ClassVar = {"outcome": "recipe", "exit_code": "outcome"}

    @property
    def outcome(self) -> str:
        """The worst of the verdicts: "fail", "cannot tell" or "pass"."""
        outcomes = {row.outcome for row in self.rows}
        return next(outcome for outcome in (FAIL, CANNOT_TELL, PASS) if outcome in outcomes)

    @property
    def exit_code(self) -> int:
        """The exit code of the command: 0 pass, 1 fail, 3 cannot tell."""
        return EXIT_CODES[self.outcome]

    @classmethod
    def together(cls, checks: Sequence[Check], *, level: float = 0.95, alarms_over: int = 1) -> Check:
        """Return the verdicts of several checks, adjusted for the number of all verdicts and for `alarms_over` runs.

        Raises InputError for an invalid level or number of runs, and for two checks with the same name.
        """
        return decide([result for check in checks for result in check.results], level=level, alarms_over=alarms_over)

    @property
    def baseline(self) -> Baseline:
        """The baseline for later checks: `check.baseline.save("night.json")`."""
        return Baseline(tuple(entry for each in self.results for entry in each.entries), "this run")

    def points(self, date: object) -> tuple[TrendPoint, ...]:
        """The verdicts as points of a trend, for `Experiments.add_points`; `date` is a day like 2026-11-22.

        Raises InputError if `date` is not such a day.
        """
        day = check_date(date)
        return tuple(
            TrendPoint(
                day,
                row.check,
                row.rule,
                row.group,
                row.n,
                row.estimate.value,
                _or_nan(row.estimate.low),
                _or_nan(row.estimate.high),
                row.limit,
                row.outcome,
            )
            for row in self.rows
        )

    def columns(self) -> Sequence[Column]:
        """One row per verdict; columns for checks and groups only if there are several."""
        grouped = any(row.group is not None for row in self.rows)
        of_groups = [Column("group", WORDS, get=lambda row: row.group or "all", only=TABLE)] if grouped else []
        ends = [
            Column(name, NUMBER, get=partial(_estimate_field, name), only=FRAME) for name in ("value", "low", "high")
        ]
        return [
            Column("group", WORDS, only=FRAME),
            Column("check", WORDS, only="" if _several(self.rows) else FRAME),
            Column("rule", WORDS),
            *of_groups,
            Column("n", COUNT),
            *(Column(name, WORDS, only=FRAME) for name in ("quantity", "wanted")),
            *(Column(name, NUMBER, only=FRAME) for name in PLAIN),
            Column("outcome", WORDS, only=FRAME),
            *ends,
            Column("estimate", NUMBER, get=partial(_estimate_field, "value"), only=TABLE),
            Column("interval", INTERVAL, get=lambda row: row.estimate, only=TABLE),
            Column("bound", NUMBER, only=FRAME),
            Column("bound", Kind(str), get=lambda row: row.bound_text, only=TABLE, detail=True),
            Column("verdict", WORDS, get=lambda row: row.outcome, only=TABLE),
            Column("more_rows", NUMBER, only=FRAME),
            Column("sentence", WORDS, only=FRAME),
            Column("notes", WORDS, get=lambda row: "; ".join(row.notes), only=FRAME),
        ]

    @property
    def answer(self) -> str:
        """The verdict on the only rule, or the numbers of rules that fail, are undecided, and pass."""
        if len(self.rows) == 1:
            return self._sentences()[0]
        counts = {outcome: sum(row.outcome == outcome for row in self.rows) for outcome in (FAIL, CANNOT_TELL, PASS)}
        others = "".join(f"; {n:,} {outcome}" for outcome, n in counts.items() if n and outcome != self.outcome)
        return f"{self.outcome}: {counts[self.outcome]:,} of {len(self.rows):,} verdicts{others}."

    @property
    def provenance(self) -> str:
        """The input of each check, with each file named once."""
        lines = [provenance_line(recipe) for recipe in self.recipe.get("checks", [self.recipe])]
        return " ".join(dict.fromkeys(filter(None, lines)))

    def footnotes(self) -> Sequence[str]:
        """Findings, then a sentence per verdict, failures first, then notes."""
        sentences = [Note(sentence, FINDING) for sentence in self._sentences()]
        findings = [note for note in self.notes if severity(note) == FINDING]
        return [*findings, *sentences, *(note for note in self.notes if note not in findings), *_notes(self.rows)]

    def _sentences(self) -> list[str]:
        order = (FAIL, CANNOT_TELL, PASS)
        ranked = sorted(self.rows, key=lambda row: order.index(row.outcome))
        return [f"{row.outcome}: {_prefix(row, self.rows)}{row.sentence}." for row in ranked]


def _estimate_field(name: str, verdict: Verdict) -> object:
    return getattr(verdict.estimate, name)


def _or_nan(value: float | None) -> float:
    return math.nan if value is None else value


def _prefix(verdict: Verdict, others: Sequence[Verdict]) -> str:
    """Return the group, and the check if there are several, as the start of a sentence."""
    names = ([verdict.check] if _several(others) else []) + ([] if verdict.group is None else [verdict.group])
    return f"{', '.join(names)}: " if names else ""


def _several(verdicts: Sequence[Verdict]) -> bool:
    return len({verdict.check for verdict in verdicts}) > 1


def _notes(verdicts: Sequence[Verdict]) -> list[str]:
    about: dict[str, list[str]] = {}
    for verdict in verdicts:
        for note in verdict.notes:
            about.setdefault(note, []).append(_prefix(verdict, verdicts))
    return [
        footnote(f"{'; '.join(dict.fromkeys(name[:-2] for name in names if name))}: {note}")
        if any(names)
        else footnote(note)
        for note, names in about.items()
    ]


MAX_RUNS = 100_000


def check_size(level: float) -> float:
    """Check and return the level of the tests."""
    level = check_level(level)
    if level <= 0.5:
        raise InputError(
            f"level must be greater than 0.5, because a verdict is wrong with probability 1 - level; it is {level:g}."
        )
    return level


def verdicts_on(evidence: Sequence[Evidence], *, level: float, alarms_over: int) -> tuple[Verdict, ...]:
    """Decide the verdicts on rules that are checked together.

    The tests for "pass" and those for "fail" are two families of one-sided tests, each adjusted by Holm's method. All
    rules pass together if all unadjusted p-values are at most 1 - level, because the hypothesis that some rule is
    broken is then rejected at this level (Berger 1982). P-values for "fail" are multiplied by `alarms_over`.
    """
    size = 1 - level
    kept = np.array([comparison.p_kept for comparison in evidence])
    broken = np.array([comparison.p_broken for comparison in evidence])
    passing = np.minimum(adjust_p_values(kept), kept.max())
    failing = np.minimum(adjust_p_values(broken) * alarms_over, 1.0)
    return tuple(
        _verdict(comparison, *ps, size=size, alone=size / len(evidence), alarms_over=alarms_over)
        for comparison, *ps in zip(
            evidence, kept.tolist(), broken.tolist(), passing.tolist(), failing.tolist(), strict=True
        )
    )


def _rows_needed(evidence: Evidence, size: float) -> int | None:
    """Return the number of rows with which a test of this size would probably give a verdict; None if none would.

    The test itself may predict that the present rows are enough although they are not. Then, the number is computed
    from the distance of the bound from the estimate, which decreases with the root of n: the bound must reach the
    limit.
    """
    value, limit = evidence.test.value, evidence.rule.limit
    needed = evidence.test.rows_needed(limit, size)
    if needed is not None and isinstance(evidence.test, JackknifeValue):  # a number of units
        needed = math.ceil(needed * evidence.n / evidence.test.units)
    if needed is None or needed > evidence.n:
        return needed
    low, high = evidence.test.bounds(size)
    reach, distance = high - value if limit > value else value - low, abs(limit - value)
    return math.ceil(evidence.n * (reach / distance) ** 2) if reach > distance > 0.0 else evidence.n + 1


def _verdict(
    evidence: Evidence,
    kept: float,
    broken: float,
    passing: float,
    failing: float,
    *,
    size: float,
    alone: float,
    alarms_over: int,
) -> Verdict:
    value, limit = evidence.test.value, evidence.rule.limit
    outcome = PASS if passing <= size else FAIL if failing <= size else CANNOT_TELL
    low, high = evidence.test.bounds(size / 2)
    is_above = value > limit
    p, adjusted = (kept, passing) if is_above == (evidence.rule.wanted != BELOW) else (broken, failing)
    bound = evidence.test.bounds(size * p / adjusted if adjusted > 0.0 else alone)[0 if is_above else 1]
    needed = None
    if outcome == CANNOT_TELL and not math.isnan(value) and evidence.undecided is None:
        seems_kept = (value < limit) == (evidence.rule.wanted == BELOW)
        needed = _rows_needed(evidence, alone if seems_kept else alone / alarms_over)
    undefined = math.isnan(value) or math.isnan(low)
    estimate = Estimate(
        value,
        None if undefined else low,
        None if undefined else high,
        round(1 - size, 12),
        BETS if isinstance(evidence.test, BettingMean) else "two one-sided tests",
        evidence.n,
    )
    return Verdict(
        check=evidence.rule.check,
        rule=str(evidence.rule),
        group=evidence.group,
        n=evidence.n,
        quantity=evidence.rule.quantity,
        measured=evidence.rule.measured,
        estimate=estimate,
        bound=None if math.isnan(value) or math.isnan(bound) or evidence.undecided is not None else bound,
        wanted=evidence.rule.wanted,
        limit=limit,
        p_pass=kept,
        p_fail=broken,
        p_pass_adjusted=passing,
        p_fail_adjusted=failing,
        outcome=outcome,
        more_rows=None if needed is None else needed - evidence.n,
        notes=(*evidence.notes, *(evidence.caveats(size) if evidence.caveats else ())),
        reason=evidence.undecided,
        remedy=REMEDIES.get(evidence.undecided or "", ""),
        unit=evidence.rule.unit,
    )


@dataclass(frozen=True, slots=True)
class Found:
    """The evidence of one check, its recipe, notes on the input, and entries for a baseline."""

    name: str
    evidence: tuple[Evidence, ...]
    recipe: dict[str, Any]
    notes: tuple[str, ...]
    entries: tuple[Entry, ...]


def decide(results: Sequence[Found], *, level: float, alarms_over: int = 1) -> Check:
    """Decide the verdicts on the evidence of all checks together, adjusted for their number, in `alarms_over` runs."""
    level, alarms_over = check_size(level), check_integer(alarms_over, name="alarms_over", most=MAX_RUNS)
    names = [result.name for result in results]
    if len(set(names)) < len(names):
        raise InputError(f"checks must have different names; they are {shortened(names)}. Name them: `name='…'`.")
    evidence = [comparison for each in results for comparison in each.evidence]
    recipe = {"howsure": __version__, "level": level, "alarms_over": alarms_over}
    recipe |= results[0].recipe if len(results) == 1 else {"checks": [each.recipe for each in results]}
    notes = tuple(dict.fromkeys(note for each in results for note in each.notes))
    rows = verdicts_on(evidence, level=level, alarms_over=alarms_over)
    return Check(rows=rows, level=level, recipe=recipe, notes=notes, results=tuple(results))
