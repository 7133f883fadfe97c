"""`rater_agreement`: the agreement of raters, and whether a judge (a model that grades) may replace a human rater."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from typing import Any, Literal

import numpy as np

from howsure import __version__
from howsure.calibration.squared_error import exact_interval
from howsure.errors import ColumnName, InputError, parameter
from howsure.inputs.arguments import check_arguments
from howsure.inputs.checks import NUMERIC, Coded, is_missing
from howsure.inputs.frames import Kind, Source, not_a_column_name, read_columns
from howsure.inputs.label_spelling import WHOLE_WITH_POINT, spellings_note
from howsure.inputs.numbers_and_names import (
    check_level,
    check_number,
    check_scales,
    number_or_text,
    parse_number,
    parse_number_column,
    shortened,
    unknown_name,
    words_among_numbers,
)
from howsure.inputs.pairs import Floats, Integers
from howsure.inputs.parameter_types import ArrayLike, IntoFrame
from howsure.inputs.repeated_items import frame_clusters
from howsure.judges.columns import Columns
from howsure.judges.results import JudgeReplacement, RaterAgreement, RaterAgreementRow
from howsure.notes import marked_note
from howsure.result import Estimate
from howsure.stats.agreement import alpha, pairable_sums
from howsure.stats.mean_score import mean_score
from howsure.stats.p_values import adjust_p_values
from howsure.stats.proportions import t_quantile

SCALES = ("nominal", "ordinal", "interval")
MAX_RATERS = 12  # maximum number of raters; each pair has a row
MAX_VALUES = 200
MIN_COMMON_ITEMS = 30  # a judge is tested only against human raters with at least this many items
FALSE_DISCOVERIES = 0.05
ROUNDING = 1e-12
# largest integer that encodes a row of grades; up to this many codes are counted without sorting
LARGEST_KEY, SHORT = 2**62, 1_000
MIN_DISAGREEING_ITEMS = 5  # minimum number of items with disagreement for the jackknife
JACKKNIFE, EXACT_SHARE = "jackknife", "share of items whose raters differ"


def rater_agreement(
    score: ArrayLike | str | None = None,
    *,
    rater: ArrayLike | str | None = None,
    id: ArrayLike | str | None = None,
    raters: Sequence[str] | None = None,
    scale: Literal["nominal", "ordinal", "interval"] | None = None,
    categories: Sequence[str | float] | None = None,
    judge: str | None = None,
    margin: float = 0.1,
    level: float = 0.95,
    data: Source | IntoFrame | None = None,
) -> RaterAgreement:
    """Estimate the agreement of raters with intervals, and test whether a judge may replace a human rater.

    Returns a row for all raters and one for each pair: the observed agreement, Krippendorff's α, Cohen's κ and Gwet's
    AC. The agreement has the interval of a mean, the others have jackknife intervals over items. If grades are ordered,
    grades close to each other agree in part.

    score (n,): the grade that a rater gave an item: a label, or a number.
    rater (n,): who gave it.
    id (n,): the item that was graded.
    raters: instead of `score` and `rater`, the columns of `data` that hold the grades of each rater, with a row per
    item. With `id`, repeated items are refused.
    scale: nominal: labels without an order (default); ordinal: numbers of which only the order matters; interval:
    numbers whose distances matter.
    categories: all grades that raters could give, including those that nobody gave (default: those that occur).
    judge: the rater who is a model; tests whether it may replace a human rater.
    margin: how much less often than a human rater the judge may be closer to the other raters, because it costs less.
    level: level of the intervals.

    α = 1 - D_o / D_e, where the disagreement δ² of two grades c and k, given n_c and n_k times, is 1 (nominal), (n_c/2
    + number of ratings between + n_k/2)² (ordinal) or (c - k)² (interval). κ and AC are (P_o - P_e) / (1 - P_e). Equal
    grades have agreement 1; unequal grades have agreement 0 (nominal), 1 - |c - k| / range of the ranks (ordinal) or 1
    - (c - k)² / range² (interval), over all categories. AC depends on the number of categories, ordinal κ on the
    categories between others, and ordinal and interval agreement and AC on the lowest and the highest category. α and
    nominal κ depend only on grades that occur. If raters differ on fewer than 5 items, their intervals follow from the
    exact interval of the proportion of such items. The alternative annotator test compares the judge with each human
    rater, item by item: which of the two is closer to the other human raters? The judge may replace human raters if it
    is as good, up to the margin, as at least half of them, at a false discovery rate of 0.05.

    Sources: Krippendorff (2011); Cohen (1968); Gwet (2008, 2014); Calderon, Reichart & Dror (2025).

    >>> grades = [1, 1, 2, 2, 3, 3, 1, 2]
    >>> found = rater_agreement(grades, rater=list("abababab"), id=[0, 0, 1, 1, 2, 2, 3, 3])
    >>> round(found.rows[0].alpha.value, 4), round(found.rows[0].kappa.value, 4)
    (0.6667, 0.6364)

    Raises InputError naming the parameter, row and value that violated a rule.
    """
    check_arguments(rater_agreement, locals())
    level, chosen_scale, scale = check_level(level), scale, "nominal" if scale is None else scale
    if scale not in SCALES:
        raise unknown_name("scale", str(scale), SCALES, place="agreement of raters")
    check_number(margin, name="margin", low=0, high=1, open="high")
    roles = {"score": score, "rater": rater, "id": id}
    if raters is None:
        for role, column in roles.items():
            if column is None:
                raise InputError(
                    f"{parameter(role)} is missing. For a table with a row per grade, give `score`, `rater` and `id`; "
                    "for a table with a row per item, give the columns of grades, `raters=...`."
                )
        answers = Columns.read(roles, data, labels=scale == "nominal")
    else:
        answers = _read_wide(raters, roles, data, labels=scale == "nominal")
    with answers.rows.locating_errors():
        grades = _grades(answers, scale, categories)
    judge = None if judge is None else str(judge)
    if judge is not None and judge not in grades.raters:
        raise unknown_name("judge", judge, grades.raters, place="the raters")
    rows = [_row(grades, grades.raters, "all", None, level)]
    notes = list(answers.notes)
    if len(grades.raters) > MAX_RATERS:
        notes.append(
            f"there are {len(grades.raters):,} raters, more than {MAX_RATERS}, so pairs of raters have no rows"
        )
    elif len(grades.raters) > 2:
        rows += [
            _row(grades, (a, b), a, b, level) for a, b in combinations(grades.raters, 2) if grades.common(a, b) > 1
        ]
    else:
        rows = [_row(grades, grades.raters, grades.raters[0], grades.raters[1], level)]
    if scale == "nominal":
        counts = {name: int((grades.table == code).sum()) for code, name in enumerate(grades.names)}
        note = spellings_note(counts, "categories")
        notes += [note] if note else []
        if categories is None and (words := words_among_numbers(counts)):
            remedy = f"leave such grades out, or, in a file, name it: {parameter('missing_values', words)}"
            notes.append(marked_note(f"{shortened(words)} counts as a category; if it is a missing value, {remedy}."))
        if (
            chosen_scale is None
            and len(grades.names) > 2
            and all(parse_number(name) is not None for name in grades.names)
        ):
            partly = "`scale='ordinal'` or `scale='interval'` counts near grades as partial agreement"
            notes.append(marked_note(f"Grades are numbers: {partly}."))
    if (codes := grades.table[grades.table >= 0]).min() == codes.max():
        notes.append("all raters gave the same value: agreement by chance is 1, so α and κ are undefined")
    notes += [_scale_note(grades)] if categories is None and any(row.ac is not None for row in rows) else []
    named = None if categories is None else list(categories)
    recipe = answers.recipe | {"scale": scale, "categories": named, "judge": judge, "margin": margin, "level": level}
    test = None if judge is None else _replacement(grades, judge, margin)
    return RaterAgreement(rows=tuple(rows), replacement=test, notes=tuple(notes), recipe=recipe)


def _grade_with_all_digits(grade: float) -> str:
    """Return a whole-number grade as a string with all digits, also if missing values made the column one of floats."""
    return str(int(grade)) if grade.is_integer() else repr(grade)


ROWS_ARE_ITEMS = "Each row counts as a different item; if items repeat, name their column: `id=...`."


def _repeats_note(column: str) -> str:
    remedy = f"give {parameter('id', column)} to find them"
    return marked_note(f"{column} repeats. If it identifies the item, some items count twice: {remedy}.")


def _read_wide(
    raters: Sequence[str], roles: Mapping[str, object], data: Source | IntoFrame | None, *, labels: bool
) -> Columns:
    """Read a table with a row per item and a column per rater; return its grades with a row per grade."""
    names = [raters] if isinstance(raters, str) else list(map(str, raters))
    id = roles["id"]
    if data is None or any(column is not None for role, column in roles.items() if role != "id"):
        raise InputError(
            "`raters` names the columns of grades in `data`, a table with a row per item. Leave out `score` and "
            "`rater`."
        )
    if not (id is None or isinstance(id, str)):
        raise not_a_column_name("id", id)
    if len(set(names)) < max(len(names), 2):
        raise InputError(f"`raters` must name two or more different columns; it is {shortened(names)}.")
    kinds = ({} if id is None else {id: Kind.NAMES}) | dict.fromkeys(names, Kind.OPTIONAL if labels else Kind.GRADE)
    rows = read_columns(data, kinds, cells=[] if id is None else None)
    repeated = rows.chosen.get("clusters") or (frame_clusters(data, [], names)[0] if id is None else None)
    notes = [_repeats_note(repeated)] if repeated else [marked_note(ROWS_ARE_ITEMS)] if id is None else []
    items, grades, by = list[int](), list[Any](), list[str]()
    for name in names:
        for item, value in enumerate(rows[name].tolist()):
            if not is_missing(value):
                items.append(item)
                grades.append(_grade_with_all_digits(value) if labels and isinstance(value, float) else value)
                by.append(name)
    if not labels:
        grades = [number_or_text(value) for value in grades]
        of_rater = {
            name: np.array([grade for grade, at in zip(grades, by, strict=True) if at == name]) for name in names
        }
        numbers = {name: values for name, values in of_rater.items() if values.dtype.kind == "f"}
        check_scales(numbers, rows.provenance.get("percentages", ()))
    long = {"score": np.array(grades, dtype=object), "rater": np.array(by, dtype=object), "id": np.array(items)}
    if id is not None:
        ids = rows[id]
        ids = np.array(ids.names, dtype=object)[ids.codes] if isinstance(ids, Coded) else np.asarray(ids, dtype=object)
        long["id"] = ids[items]
    place = rows.place
    rows = replace(rows, place=lambda row: place(items[row]))
    with rows.locating_errors():
        try:
            columns = Columns.read(long, None, labels=labels)
        except InputError as error:
            if error.fault is None or error.fault.row is None or error.fault.name != "score":
                raise
            raise InputError(replace(error.fault, name=ColumnName(by[error.fault.row], "score"))) from error
    recipe = {"howsure": __version__, **(rows.provenance or {"n": len(items)}), "raters": names}
    return replace(columns, rows=rows, recipe=recipe, notes=[*notes, *columns.notes])


def cohens_kappa(first: Floats, second: Floats, level: float) -> Estimate:
    """Cohen's κ of two raters who both graded all items (n,), with its interval."""
    values, codes = np.unique(np.append(first, second), return_inverse=True)
    raters, names = ("first", "second"), tuple(map(str, values.tolist()))
    grades = _Grades(codes.reshape(2, -1).T, np.arange(len(values), dtype=np.float64), names, raters, "nominal")
    kappa = _row(grades, raters, *raters, level).kappa
    assert kappa is not None
    return kappa


@dataclass(frozen=True, slots=True)
class _Grades:
    """A table (items, raters) of grades as codes of `values`, -1 where a rater gave none."""

    table: Integers
    values: Floats  # the grades as numbers; the codes themselves if grades are labels
    names: tuple[str, ...]  # of the values
    raters: tuple[str, ...]
    scale: str

    def distinct(self, raters: Sequence[str]) -> tuple[Integers, Integers]:
        """The distinct rows (u, raters) of grades of some raters, two or more in each, and the number of items (u,)."""
        columns, base = [self.table[:, self.raters.index(rater)] for rater in raters], len(self.values) + 1
        if base ** len(columns) > LARGEST_KEY:
            rows, times = np.unique(np.stack(columns, axis=1), axis=0, return_counts=True)
        else:
            digits = base ** np.arange(len(columns))
            keys = sum(((1 + column) * digit for column, digit in zip(columns, digits, strict=True)), start=0)
            if base ** len(columns) <= len(self.table) + SHORT:
                all_times = np.bincount(keys)
                distinct_keys = np.flatnonzero(all_times)
                times = all_times[distinct_keys]
            else:
                distinct_keys, times = np.unique(keys, return_counts=True)
            rows = distinct_keys[:, None] // digits % base - 1
        comparable = (rows >= 0).sum(axis=1) > 1
        return rows[comparable], times[comparable]

    def common(self, a: str, b: str) -> int:
        """The number of items that both raters graded."""
        return int(self.distinct((a, b))[1].sum())


def _grades(columns: Columns, scale: str, categories: Sequence[str | float] | None) -> _Grades:
    if scale == "nominal":
        codes, names = _without_points(columns.codes("score"), columns.names("score"))
        values = np.arange(len(names), dtype=np.float64)
    else:
        values, codes = np.unique(columns.numbers["score"], return_inverse=True)
        names = tuple(f"{value:g}" for value in values)
    if categories is not None:
        occurring = list(names) if scale == "nominal" else values.tolist()
        listed, keys = _code_scale(categories, occurring, scale)
        code_by_key = {key: code for code, key in enumerate(listed)}
        code_of = np.array([code_by_key.get(key, -1) for key in keys])
        if (code_of < 0).any():
            row = int((code_of[codes] < 0).argmax())
            raise InputError(
                f"`score` must be one of the categories {shortened(_texts(listed))}; `row {row}` is "
                f"{names[codes[row]]}. Correct it, or add it to `categories`."
            )
        codes, names = code_of[codes], tuple(_texts(listed))
        values = np.array(range(len(listed)) if scale == "nominal" else listed, dtype=np.float64)
    if len(values) > MAX_VALUES:
        raise InputError(
            f"`score` must have at most {MAX_VALUES} different values; it has {len(values):,}. If these are grades, "
            "round them."
        )
    raters = columns.names("rater")
    if len(raters) < 2:
        raise InputError(f"`rater` must name two or more raters; it names only {raters[0]!r}.")
    columns.check_once(["rater"], "rater")
    table = np.full((len(columns.names("id")), len(raters)), -1, order="F")
    table[columns.codes("id"), columns.codes("rater")] = codes
    if not ((table >= 0).sum(axis=1) > 1).any():
        raise InputError("no item has grades of two raters, so their agreement is unknown. Is `id` the right column?")
    return _Grades(table, values, names, raters, scale)


def _without_points(codes: Integers, names: tuple[str, ...]) -> tuple[Integers, tuple[str, ...]]:
    """Treat grades such as 3.0 as 3 if both occur, since a missing value makes a column one of floats.

    >>> _without_points(np.array([0, 1, 2]), ("3", "3.0", "4.0"))
    (array([0, 0, 1]), ('3', '4.0'))
    """
    known = set(names)
    merged = [whole[1] if (whole := WHOLE_WITH_POINT.fullmatch(name)) and whole[1] in known else name for name in names]
    place = {name: code for code, name in enumerate(dict.fromkeys(merged))}
    return np.array([place[name] for name in merged], dtype=np.int64)[codes], tuple(place)


def _scale_note(grades: _Grades) -> str:
    """Return a note if a coefficient depends on all possible grades, but only the grades that occur are known."""
    what = {"nominal": "AC counts", "ordinal": "agreement, κ and AC count", "interval": "agreement and AC count"}
    return marked_note(
        f"{what[grades.scale]} only the values that occur ({shortened(grades.names)}); if the scale has others, give "
        "all of them: `categories=...`"
    )


def _code_scale(categories: Sequence[str | float], occurring: list[Any], scale: str) -> tuple[list[Any], list[Any]]:
    """Return all categories (sorted if ordered) and the grades that occur, both as numbers or both as strings."""
    name = "`categories`"
    if isinstance(categories, str) or not 2 <= len(categories) <= MAX_VALUES:
        content = repr(categories) if isinstance(categories, str) else f"a list of {len(categories):,}"
        raise InputError(f"{name} must be a list of 2 to {MAX_VALUES} values; it is {content}.")
    both = parse_number_column(np.array([str(value) for value in [*categories, *occurring]], dtype=object))
    listed, keys = both[: len(categories)].tolist(), both[len(categories) :].tolist()
    if scale != "nominal":
        if both.dtype.kind not in NUMERIC:
            wrong = next(value for value in listed if parse_number(value) is None)
            raise InputError(f"{name} must be numbers with `scale={scale!r}`; {wrong!r} is not a number.")
        listed = sorted(listed)
    if (twice := next((value for value in listed if listed.count(value) > 1), None)) is not None:
        raise InputError(f"{name} must be different; {twice} occurs twice.")
    return listed, keys


def _texts(categories: list[Any]) -> list[str]:
    return [value if isinstance(value, str) else f"{value:g}" for value in categories]


# Coefficients of a table of grades, from the numbers of items with each combination of grades.


def _alphas(counts: Floats, values: Floats, scale: str) -> Callable[[Floats], float]:
    """Return a function that computes Krippendorff's α from the number of items of each kind (u,).

    Items of a kind have the same grades. counts (u, values): how often each grade was given to an item of each kind (at
    least two grades in all). The result is NaN if all grades are equal.
    """
    if scale == "nominal":
        apart, pairable = pairable_sums(counts)
        return lambda times: float(alpha(times @ apart, times @ pairable))
    m = counts.sum(axis=1)

    def observed(distance: Floats) -> Floats:
        return np.asarray(((counts @ distance) * counts).sum(axis=1) / (m - 1))

    fixed = (values[:, None] - values[None, :]) ** 2 if scale == "interval" else None
    of_fixed = None if fixed is None else observed(fixed)

    def of(times: Floats) -> float:
        frequency = times @ counts
        distance = _ordinal_distances(frequency) if fixed is None else fixed
        disagreement = float(times @ (observed(distance) if of_fixed is None else of_fixed))
        by_chance = float(frequency @ distance @ frequency) / (frequency.sum() - 1)
        return float(1.0 - disagreement / by_chance) if by_chance > 0.0 else math.nan

    return of


def _ordinal_distances(frequency: Floats) -> Floats:
    """δ² for ordinal grades, from the frequency of each grade."""
    below = np.cumsum(frequency) - frequency / 2
    return np.asarray((below[:, None] - below[None, :]) ** 2)


def _agreement(values: Floats, scale: str) -> Floats:
    """The agreement weights of all pairs of grades (q, q); 1 on the diagonal."""
    if scale == "nominal" or len(values) < 2:
        return np.eye(len(values))
    positions = np.arange(len(values), dtype=np.float64) if scale == "ordinal" else values
    power = 1 if scale == "ordinal" else 2
    return np.asarray(1.0 - (np.abs(positions[:, None] - positions[None, :]) / np.ptp(positions)) ** power)


def pair_agreement(pairs: Floats, agree: Floats) -> tuple[float, float, float]:
    """The agreement of two raters, Cohen's κ and Gwet's AC, from the cross table (q, q) of their grades."""
    p = pairs / pairs.sum()
    first, second = p.sum(axis=1), p.sum(axis=0)
    share, mean, q = float((agree * p).sum()), (first + second) / 2, len(p)
    chance = float(first @ agree @ second)
    gwet = float(agree.sum() * (mean * (1 - mean)).sum() / (q * (q - 1))) if q > 1 else 1.0
    kappa, ac = ((share - expected) / (1 - expected) if expected < 1.0 else math.nan for expected in (chance, gwet))
    return share, kappa, ac


def _row(grades: _Grades, raters: Sequence[str], a: str, b: str | None, level: float) -> RaterAgreementRow:
    rows, items = grades.distinct(raters)
    values, q, n = grades.values, len(grades.values), int(items.sum())
    counts = np.stack([(rows == c).sum(axis=1) for c in range(q)], axis=1)
    patterns, pattern_of_item = np.unique(counts, axis=0, return_inverse=True)
    times = np.bincount(pattern_of_item, items).astype(np.float64)
    agree, m = _agreement(values, grades.scale), patterns.sum(axis=1)
    n_disagreeing = int(times[patterns.max(axis=1) < m].sum())
    p = times @ patterns / (times @ m)
    estimate = partial(_estimate, n=n, apart=n_disagreeing, level=level)
    of_all = estimate(_alphas(patterns, values, grades.scale), times, chance=float(p @ p))
    together = (((patterns @ agree) * patterns).sum(axis=1) - m) / (m * (m - 1))
    mean = mean_score(np.repeat(np.clip(together, 0.0, 1.0), times.astype(np.int64)), bounds=(0.0, 1.0))
    low, high = mean.interval(level) if n > 1 else (None, None)
    share = Estimate(mean.value, low, high, level=level, method=mean.method, n=n)
    if b is None:
        return RaterAgreementRow(a, b, n, share, of_all, None, None)
    cells = rows[:, 0] * q + rows[:, 1]

    def coefficient(pair_counts: Floats, which: int) -> float:
        pairs = np.zeros(q * q)
        pairs[cells] = pair_counts
        return pair_agreement(pairs.reshape(q, q), agree)[which]

    of_pairs = items.astype(np.float64)
    kappa = estimate(partial(coefficient, which=1), of_pairs, chance=float(p @ p))
    gwet = estimate(partial(coefficient, which=2), of_pairs, chance=float(p @ (1 - p)) / max(q - 1, 1))
    return RaterAgreementRow(a, b, n, share, of_all, kappa, gwet)


def _estimate(
    statistic: Callable[[Floats], float], times: Floats, *, n: int, apart: int, chance: float, level: float
) -> Estimate:
    """Return a statistic of n items with its jackknife interval over items. times: the number of items of each kind.

    If raters disagree on fewer than 5 of n items (`apart`), the jackknife cannot show how frequent disagreement is. The
    interval then follows from the exact interval of the proportion of items with disagreement. Each such item lowers
    the statistic from 1 by as much as an observed item with disagreement does or, if none was observed, by 1 / (1 - P),
    where P is the agreement by `chance`.
    """
    value = statistic(times)
    unknown = Estimate(value, None, None, level=level, method=JACKKNIFE, n=n)
    if math.isnan(value) or n < 2:
        return unknown
    if apart < MIN_DISAGREEING_ITEMS:
        ends = exact_interval(np.array([apart / n]), np.array([float(n)]), tail=(1 - level) / 2)
        low, high = (float(end[0]) for end in ends)
        each = (1.0 - value) * n / apart if apart else 1.0 / (1.0 - chance)
        return Estimate(value, max(1.0 - each * high, -1.0), 1.0 - each * low, level=level, method=EXACT_SHARE, n=n)
    without = np.empty(len(times))
    for left_out in range(len(times)):
        times[left_out] -= 1.0
        without[left_out] = statistic(times)
        times[left_out] += 1.0
    if np.isnan(without).any():
        return unknown
    centre = float(times @ without) / n
    reach = t_quantile(level, n - 1) * math.sqrt((n - 1) / n * float(times @ (without - centre) ** 2))
    if not reach > ROUNDING:  # too few items, and leaving one out does not change the statistic
        return unknown
    return Estimate(value, max(value - reach, -1.0), min(value + reach, 1.0), level=level, method=JACKKNIFE, n=n)


def _replacement(grades: _Grades, judge: str, margin: float) -> JudgeReplacement:
    """Test for each human rater whether the judge is as close to the others as this rater is, up to the margin."""
    from scipy.special import stdtr

    judge_column = grades.raters.index(judge)
    people = [rater for rater in range(len(grades.raters)) if rater != judge_column]
    if len(people) < 2:
        raise InputError(
            "`judge` is compared with the human raters as if it were one more rater, so at least two human raters are "
            f"needed; grades contain {len(people)}."
        )
    table = np.where(grades.table >= 0, grades.values[grades.table], np.nan)
    nearer, p = [], []
    for person in people:
        others = table[:, [k for k in people if k != person]]
        there = ~np.isnan(table[:, [judge_column, person]]).any(axis=1) & ~np.isnan(others).all(axis=1)
        if there.sum() < MIN_COMMON_ITEMS:
            continue
        of_person, of_judge = (
            _nearness(table[there][:, k], others[there], grades.scale) for k in (person, judge_column)
        )
        wins, losses = (of_judge >= of_person) * 1.0, (of_person >= of_judge) * 1.0
        behind, n = losses - wins, int(there.sum())
        error = float(behind.std(ddof=1)) / math.sqrt(n)
        distance = float(behind.mean()) - margin
        nearer.append(float(wins.mean()))
        p.append(float(stdtr(n - 1, distance / error)) if error > 0.0 else float(distance >= 0.0))
    if not p:
        why = (
            f"each human rater graded fewer than {MIN_COMMON_ITEMS} items that the judge and other human raters "
            "also graded"
        )
        return JudgeReplacement(judge, len(people), 0, math.nan, math.nan, None, why)
    harmonic = sum(1 / k for k in range(1, len(p) + 1))  # tests may depend on each other (Benjamini & Yekutieli 2001)
    n_rejected = int((harmonic * adjust_p_values(p, method="bh") <= FALSE_DISCOVERIES).sum())
    rate = n_rejected / len(p)
    return JudgeReplacement(judge, len(people), len(p), rate, float(np.mean(nearer)), rate >= 0.5, "")


def _nearness(grades: Floats, others: Floats, scale: str) -> Floats:
    """Return how close each grade (n,) is to the grades of other raters (n, k), some of which may be missing. The
    closeness is the proportion of equal grades, or the negative root mean squared distance.
    """
    if scale == "nominal":
        return np.asarray(np.nanmean(np.where(np.isnan(others), np.nan, others == grades[:, None]), axis=1))
    return np.asarray(-np.sqrt(np.nanmean((others - grades[:, None]) ** 2, axis=1)))
