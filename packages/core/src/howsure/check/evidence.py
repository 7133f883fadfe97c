"""Evidence on rules: limits, one-sided tests, and baselines with which a later run can compare its results."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from howsure import __version__
from howsure.calibration.squared_error import SquaredError
from howsure.check.errors_of_models import independent_errors, rare_error
from howsure.errors import InputError, parameter, quote
from howsure.files.atomic_write import Place
from howsure.files.input_files import is_version, parsed_json, read_text
from howsure.files.serialization import save
from howsure.inputs.numbers_and_names import is_number, shortened
from howsure.stats.mean_score import BoundedMean, MeanScore


def check_limit(value: object, *, name: str, low: float = 0.0, high: float = 1.0) -> float:
    """Check a limit, which must be strictly between two numbers, and return it as float.

    >>> check_limit(5, name="max_error")
    Traceback (most recent call last):
    howsure.errors.InputError: max_error must be greater than 0 and less than 1; it is 5. Write 0.05 for 5%.
    """
    if is_number(value) and low < value < high:
        return float(value)
    if np.isfinite(low):
        rule = f"must be greater than {low:g} and less than {high:g}"
        raise InputError(f"{parameter(name)} {rule}; it is {value!r}. Write 0.05 for 5%.")
    raise InputError(f"{parameter(name)} must be a finite number; it is {quote(value)}.")


def check_margin(value: object, *, most: float = 1.0) -> None:
    """Raise InputError for a margin that is not a number from 0 to below `most`."""
    if value is not None and not (is_number(value) and 0.0 <= value < most):
        rule = "of 0 or more" + (f" and below {most:g}" if np.isfinite(most) else "")
        raise InputError(f"`not_worse_than` must be a margin {rule}; it is {value!r}.")


def other_model(better_than: Any, against: Any, margin: Any, *, baseline: bool) -> Any:
    """Return the other model, which one of two parameters names; None if neither does.

    baseline: whether a baseline of an earlier run is given. Raises InputError if the other model is named twice, or is
    needed but not named, or if a baseline has no margin.
    """
    check_margin(margin, most=np.inf)
    if better_than is not None and against is not None:
        raise InputError(
            "only one of `better_than=...` and `against=...` may name the other model. Leave one of them out."
        )
    if margin is None and baseline:
        raise InputError("a baseline needs the margin by which this model may be worse: `not_worse_than=0.01`.")
    if margin is not None and better_than is None and against is None and not baseline:
        raise InputError(
            "`not_worse_than=...` needs the other model, `against=...`, or the baseline of an earlier run."
        )
    return against if better_than is None else better_than


BELOW: str = "below"
ABOVE: str = "above"
NO_BOUNDS = "no bounds"  # reason for no verdict: without bounds, rare extreme scores could move the mean
RARE_DOCUMENTS = "rare documents"  # reason for no verdict: rare documents of any size could move the value


class OneSidedTest(Protocol):
    """One-sided tests of a quantity against any limit."""

    @property
    def value(self) -> float:
        """The estimate; NaN if it is undefined."""
        ...

    def p_below(self, limit: float) -> float:
        """The p-value of the hypothesis that the quantity is `limit` or more."""
        ...

    def p_above(self, limit: float) -> float:
        """The p-value of the hypothesis that the quantity is `limit` or less."""
        ...

    def bounds(self, size: float) -> tuple[float, float]:
        """The one-sided bounds of tests of this size."""
        ...

    def rows_needed(self, limit: float, size: float) -> int | None:
        """Return the number of rows that would probably give a verdict if the estimate is right; None if none would."""
        ...


@dataclass(frozen=True, slots=True)
class Rule:
    """A requirement: the `quantity` must be on the `wanted` side of the limit, "below" or "above".

    check: the kind of check. against: the name of the other model or of the baseline; None for a fixed limit. unit: the
    kind of rows, for messages. of: if the quantity is a difference, the quantity of each model, for messages.
    """

    check: str
    quantity: str
    wanted: str
    limit: float
    against: str | None = None
    unit: str = "row"  # what is counted, in sentences such as "about 100 more rows would decide it"
    of: str | None = None

    @property
    def measured(self) -> str:
        """What is estimated, for the sentence of a verdict."""
        return self.quantity if self.of is None else f"{self.of} minus that of {self.against}"

    def __str__(self) -> str:
        against = "" if self.against is None else f" against {self.against}"
        return f"{self.quantity} {'<' if self.wanted == BELOW else '>'} {self.limit:g}{against}"


def comparison_rules(
    check: str, quantity: str, *, of: str, better: bool = False, margin: float | None, against: str, side: str = BELOW
) -> list[Rule]:
    """Return the rules of a comparison with another model: being better, or being worse by less than the margin."""
    limits = ([0.0] if better else []) + ([] if margin is None else [margin if side == BELOW else -margin])
    return [Rule(check, quantity, side, limit, against, of=of) for limit in limits]


@dataclass(frozen=True, slots=True)
class Evidence:
    """A rule, and its tests on the rows of a group (None: all rows).

    notes: sentences for the verdict. caveats: a function that returns further sentences for the size of the tests.
    undecided: the reason why no verdict is possible, whatever the data (`NO_BOUNDS`, `RARE_DOCUMENTS`); both p-values
    are then 1.
    """

    rule: Rule
    group: str | None
    n: int
    test: OneSidedTest
    notes: tuple[str, ...] = ()
    caveats: Callable[[float], tuple[str, ...]] | None = None
    undecided: str | None = None

    @property
    def p_kept(self) -> float:
        """The p-value of the hypothesis that the rule is broken: small if it is met."""
        return self._p(kept=True)

    @property
    def p_broken(self) -> float:
        """The p-value of the hypothesis that the rule is met: small if it is broken."""
        return self._p(kept=False)

    def _p(self, *, kept: bool) -> float:
        if self.undecided is not None:
            return 1.0
        below = (self.rule.wanted == BELOW) == kept
        return self.test.p_below(self.rule.limit) if below else self.test.p_above(self.rule.limit)


FORMAT, SCHEMA = "howsure check baseline", 1
ERROR_FIELDS = ("value", "variance", "slope_above", "slope_below", "least", "degrees_of_freedom", "rare")
LARGEST = 1e100  # larger than any score
MEAN_FIELDS = ("value", "variance", "lean", "degrees_of_freedom")  # lean: the skewness
UNBOUNDED = {"degrees_of_freedom": math.inf}  # what null means in this field; in other fields, null means undefined


@dataclass(frozen=True, slots=True)
class ErrorSummary:
    """A squared calibration error and the numbers that determine its precision, without the rows."""

    squared: SquaredError
    rare: float
    n: int
    growth: float

    @classmethod
    def of(cls, squared: SquaredError, n: int, growth: float) -> ErrorSummary:
        """Return the summary of an error estimated from rows."""
        return cls(squared, rare_error(squared), n, growth)

    def minus(self, other: ErrorSummary) -> OneSidedTest:
        """Return tests of the difference from an earlier error."""
        return independent_errors(
            self.squared, other.squared, n=self.n, rare=(self.rare, other.rare), growth=self.growth
        )

    def numbers(self) -> dict[str, float]:
        """The summary as plain numbers."""
        values = {name: getattr(self.squared, name) for name in ERROR_FIELDS if name != "rare"}
        return values | {"rare": self.rare}

    @classmethod
    def from_numbers(cls, numbers: Mapping[str, float], n: int) -> ErrorSummary:
        """The summary from plain numbers."""
        scalars: dict[str, Any] = {name: numbers[name] for name in ERROR_FIELDS if name != "rare"}
        return cls(SquaredError(**scalars, left_out=0), numbers["rare"], n, 5 / 3)


@dataclass(frozen=True, slots=True)
class MeanSummary:
    """A mean and the numbers that determine its precision, without the rows."""

    mean: MeanScore
    n: int

    @classmethod
    def of(cls, mean: MeanScore, n: int) -> MeanSummary:
        """Return the summary of a mean estimated from rows."""
        return cls(mean.summary if isinstance(mean, BoundedMean) else mean, n)

    def minus(self, other: MeanSummary) -> OneSidedTest:
        """Return tests of the difference from an earlier mean."""
        return replace(self.mean.minus(other.mean), n=self.n)

    def numbers(self) -> dict[str, float]:
        """The summary as plain numbers."""
        mean = self.mean
        return {
            "value": mean.value,
            "lean": mean.skewness,
            "degrees_of_freedom": mean.degrees_of_freedom,
            "variance": mean.error**2,
        }

    @classmethod
    def from_numbers(cls, numbers: Mapping[str, float], n: int) -> MeanSummary:
        """The summary from plain numbers."""
        error = math.sqrt(numbers["variance"])
        return cls(MeanScore(numbers["value"], error, numbers["lean"], numbers["degrees_of_freedom"], n), n)


Summary = ErrorSummary | MeanSummary
KINDS: dict[str, tuple[Any, tuple[str, ...]]] = {
    "squared error": (ErrorSummary, ERROR_FIELDS),
    "mean": (MeanSummary, MEAN_FIELDS),
}


@dataclass(frozen=True, slots=True)
class Entry:
    """The result of a check in a group (None: all rows); how: settings that must be the same in both runs compared."""

    check: str
    group: str | None
    summary: Summary
    how: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Baseline:
    """The results of a run with which later runs can be compared; name: its name in messages.

    `Check.baseline` makes it; it is saved and loaded as JSON.
    """

    entries: tuple[Entry, ...]
    name: str

    @classmethod
    def load(cls, path: Place) -> Baseline:
        """Read a baseline from a file."""
        try:
            text = read_text(path)
        except InputError as error:
            if not {*"*?["} & {*str(path)}:
                raise
            raise InputError(
                f"`baseline=...` must be the path of one file; {quote(str(path))} is a pattern for several files."
            ) from error
        try:
            document = parsed_json(text.content)
        except ValueError as error:
            raise InputError(f"{path} is not a baseline. A run of howsure check must write it first.") from error
        return baseline_from(document, name=str(path))

    def save(self, path: Place) -> None:
        """Write the baseline as JSON, atomically. Raises InputError if it has no entry."""
        if not self.entries:
            raise InputError(
                "a baseline has means of scores and calibration errors only, and this check has none, so no later run "
                "could be compared with it. Leave the baseline out."
            )
        text = json.dumps(baseline_dict(self.entries), indent=2, ensure_ascii=False, allow_nan=False)
        save(f"{text}\n".encode(), path, like="baseline.json")

    def evidence(self, entries: Sequence[Entry], rule: Rule) -> Iterator[Evidence]:
        """Yield the evidence on a rule that compares the entries of a new run with this baseline.

        Groups that occur in only one of the two runs are left out, and named in a note.
        """
        earlier = {entry.group: entry for entry in self.entries if entry.check == rule.check}
        shared = [entry for entry in entries if entry.group in earlier]
        if not shared:
            available = shortened(dict.fromkeys(repr(entry.check) for entry in self.entries)) or "none"
            raise InputError(
                f"{self.name} contains nothing to compare the check {rule.check!r} with; it has {available}."
            )
        notes = tuple(self._left_out(entries, list(earlier.values())))
        for entry in shared:
            before = earlier[entry.group]
            if type(before.summary) is not type(entry.summary) or dict(before.how) != dict(entry.how):
                raise InputError(
                    f"{self.name} was made with {_entry_text(before)}, this run with "
                    f"{_entry_text(entry)}; use the same."
                )
            test = entry.summary.minus(before.summary)  # type: ignore[arg-type]
            yield Evidence(rule, entry.group, entry.summary.n, test, notes)

    def _left_out(self, entries: Sequence[Entry], earlier: Sequence[Entry]) -> Iterator[str]:
        for which, some, others in (("this run", entries, earlier), (self.name, earlier, entries)):
            other_groups = {entry.group for entry in others}
            alone = [str(entry.group) for entry in some if entry.group not in other_groups]
            if alone:
                yield f"only in {which}, and not compared: {shortened(alone)}"


def _entry_text(entry: Entry) -> str:
    return ", ".join(f"{name}={value}" for name, value in entry.how.items()) or type(entry.summary).__name__


def baseline_dict(entries: Iterable[Entry]) -> dict[str, Any]:
    """Return the JSON form of a baseline."""
    shown = []
    for entry in entries:
        kind = next(kind for kind, (made, _) in KINDS.items() if isinstance(entry.summary, made))
        numbers = {name: value if math.isfinite(value) else None for name, value in entry.summary.numbers().items()}
        shown.append(
            {"check": entry.check, "group": entry.group, "n": entry.summary.n, kind: numbers, "how": dict(entry.how)}
        )
    return {"format": FORMAT, "schema": SCHEMA, "howsure": __version__, "entries": shown}


def baseline_from(document: Any, *, name: str) -> Baseline:
    """Restore a baseline from its JSON form."""
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise InputError(f"{name} is not a baseline. A run of howsure check must write it first.")
    if not is_version(document.get("schema"), SCHEMA):
        raise InputError(
            f"{name} is of schema {document.get('schema')!r}, this howsure reads {SCHEMA}; write it again."
        )
    entries = document.get("entries")
    if not isinstance(entries, list):
        raise InputError(f"{name} has no list of entries; write it again.")
    parsed_entries = []
    for place, entry in enumerate(entries, 1):
        try:
            parsed_entries.append(_entry(entry))
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise InputError(f"entry {place} of {name} is damaged ({error}); write the baseline again.") from error
    return Baseline(tuple(parsed_entries), name)


def _entry(entry: Any) -> Entry:
    """Restore an entry from its JSON form.

    Raises KeyError, TypeError, ValueError or OverflowError if `entry` is not an entry.
    """
    kind = next((kind for kind in KINDS if kind in entry), None)
    if kind is None:
        raise ValueError("it has no estimate")
    made, names = KINDS[kind]
    check, group, n, how = entry["check"], entry["group"], entry["n"], entry["how"]
    texts = isinstance(check, str) and (group is None or isinstance(group, str)) and isinstance(how, dict)
    if not texts or type(n) is not int or n < 1:
        raise ValueError("its check, group, n or how is of the wrong type")
    numbers = {}
    for name in names:
        value = entry[kind][name]
        if value is None:
            value = UNBOUNDED.get(name, math.nan)
        if not is_number(value) or (name in ("variance", "least", "rare") and value < 0):
            raise ValueError(f"its {name} is {value!r}")
        if (name == "degrees_of_freedom" and not value > 0) or LARGEST < abs(value) < math.inf:
            raise ValueError(f"its {name} is {value!r}")
        numbers[name] = float(value)
    return Entry(check, group, made.from_numbers(numbers, n), how)
