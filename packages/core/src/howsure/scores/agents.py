"""`score_agents`: the mean scores and costs of agents if some of their trials ended in an error."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import permutations
from typing import Any

import numpy as np

from howsure import __version__
from howsure.errors import InputError, quote
from howsure.inputs.arguments import Randomness, check_arguments, generator_from, seed_in_recipe, with_seed
from howsure.inputs.checks import is_missing, missing, with_none
from howsure.inputs.frames import Source
from howsure.inputs.numbers_and_names import (
    check_bounds,
    check_level,
    check_scales,
    check_within,
    counted,
    parse_number,
    shortened,
)
from howsure.inputs.pairs import Floats, Integers
from howsure.inputs.parameter_types import ArrayLike, IntoFrame
from howsure.notes import WARNING, Note, marked_note
from howsure.result import Estimate
from howsure.scores.agent_results import AgentRow, AgentTable
from howsure.scores.ranks import Flags, Ranks, assemble_ranks, count_shared, ranks
from howsure.scores.scored_rows import (
    ScoredRows,
    check_distinct_runs,
    clusters_of_items,
    iterate_cells,
    read_scored_rows,
)
from howsure.stats.clusters import MIN_CLUSTERS, ItemGroups, kish
from howsure.stats.mean_score import Bounds, mean_difference, mean_score, unit_bounds

LARGEST_COST = 1e300  # sums of such costs are still finite
MAX_AGENTS = 200  # each pair of them is tested
# spellings of "no error"
NO_ERROR = frozenset({"false", "no", "none", "no error", "no_error", "null", "n/a", "[]", "{}"})


def score_agents(
    score: ArrayLike | str | None = None,
    *,
    error: ArrayLike | str | None = None,
    cost: ArrayLike | str | None = None,
    model: ArrayLike | str | None = None,
    id: ArrayLike | str | None = None,
    run: ArrayLike | str | None = None,
    clusters: ArrayLike | str | None = None,
    pos_label: Hashable = None,
    bounds: tuple[float, float] | None = None,
    level: float = 0.95,
    rng: Randomness = None,
    data: Source | IntoFrame | None = None,
) -> AgentTable:
    """Estimate bounds for the mean score of each agent, because errored trials have no score, and find agents that are
    worse and more expensive than another agent.

    A trial that ended in an error, such as a timeout or a broken container, does not show what the agent can do. The
    mean score of an agent lies between two bounds: the mean with all errored trials counted as failed and the mean with
    all of them counted as passed. The interval is valid whatever the errored trials would have scored. One agent ranks
    above another only if it would do so even with its own errored trials counted as failed and the other agent's as
    passed.

    score (n,): the score of each trial, such as 1 if it passed; a missing score counts as an error.
    error (n,): the error that ended the trial; missing, 0, false, "no", "none" or "null" if there was no error.
    cost (n,): the cost of each trial: dollars, seconds or tokens, above 0.
    model (n,): the agent of each trial (default: in files, each file is an agent).
    id (n,): the task of each trial, on which agents are compared.
    run (n,): the number or name of the trial, to find trials counted twice (default: every row is a trial).
    clusters (n,): the cluster of each task, such as its repository; tasks of a cluster may be correlated.
    pos_label: the score that counts as 1, every other as 0.
    bounds: the lowest and the highest possible score; (0, 1) if all scores lie within this range.
    level: level of the intervals, and of all ranks together.
    rng: seed of the multipliers for ranks, used if no trial errored.

    An interval begins at the lower one-sided bound of the mean with errored trials failed, and ends at the upper
    one-sided bound of the mean with errored trials passed, each at (1 - level) / 2. Costs are compared by their
    geometric means over tasks. An agent is dominated by an agent that is significantly better and significantly
    cheaper. Both tests have the size (1 - level) / (m - 1) for m agents, so that an agent without a dominating agent is
    falsely called dominated in at most 1 - level of cases.

    >>> passed, tasks = [1, 1, 1, None] * 10 + [0, 1, 0, 0] * 10, [*range(40)] * 2
    >>> agents = score_agents(passed, model=["a"] * 40 + ["b"] * 40, id=tasks, cost=[1, 2] * 20 + [5, 9] * 20, rng=0)
    >>> [(row.model, row.errored, row.range_text, row.dominated_by) for row in agents]
    [('a', 10, '0.7500–1.0000 [0.5880, 1.0000]', ()), ('b', 0, '0.2500 [0.1269, 0.4120]', ('a',))]

    Raises InputError naming the parameter, row and value that violated a rule.
    Sources: Manski (1990); Imbens & Manski (2004); Gaffke (2005); Berger (1982) for two tests that must both reject.
    """
    check_arguments(score_agents, locals())
    level, ends = check_level(level), None if bounds is None else check_bounds(bounds)
    roles = {"model": model, "groups": None, "clusters": clusters, "id": id, "run": run, "error": error, "cost": cost}
    rows = read_scored_rows(score, roles, data=data, pos_label=pos_label, may_miss=True, macro=False)
    if "run" in rows.coded and "id" not in rows.coded:
        raise InputError("`run` needs the task of each trial. Give it as `id=...`.")
    name = rows.only_score
    with rows.locating_errors():
        trials = _trials(rows, name, ends)
    cells = _cells(rows, trials)
    if len(cells) > MAX_AGENTS:
        raise InputError(
            f"there are {len(cells):,} agents, but at most {MAX_AGENTS} are allowed, because every pair is tested. "
            "Select fewer."
        )
    rng = with_seed(rng)
    generator = generator_from(rng)
    ordered = sorted(cells, key=lambda cell: (-cell.failed.mean(), cell.costs_mean, cell.model or ""))
    p_better = cache(lambda a, b: _p_better(ordered[a], ordered[b], trials.ends))  # of ranks and of domination
    scores, units = _align_tasks(ordered)
    few = count_shared(scores, units) < 2
    np.fill_diagonal(few, False)
    model_ranks = None
    if "id" in rows.coded and few.sum() < len(cells) * (len(cells) - 1):
        model_ranks = _ranks(ordered, scores, units, trials.ends, p_better, level, generator)
    dominators = _dominators(ordered, p_better, level) if "id" in rows.coded and cost is not None else {}
    table_rows = tuple(
        _row(
            cell,
            trials.ends,
            level,
            model_ranks,
            position,
            [str(ordered[i].model) for i in dominators.get(position, ())],
            [str(ordered[i].model) for i in np.flatnonzero(few[position])],
        )
        for position, cell in enumerate(ordered)
    )
    if table_rows[0].rank_low not in (None, 1):  # the agent with the best mean was tested on easier tasks
        table_rows = tuple(sorted(table_rows, key=lambda row: row.rank_low or len(ordered)))
    recipe: dict[str, Any] = {"howsure": __version__, **rows.provenance, "level": level, "bounds": trials.ends}
    recipe |= {"seed": seed_in_recipe(rng)} if model_ranks is not None and not trials.errored.any() else {}
    notes = (*_notes(rows, trials, ordered, few), *_of_tasks(ordered if model_ranks is not None else []))
    return AgentTable(rows=table_rows, score=name, notes=notes, recipe=recipe)


def _of_tasks(cells: Sequence[_Cell]) -> list[str]:
    """Return a note on agents that lack some of the tasks of other agents."""
    n = len(set().union(*(cell.items.tolist() for cell in cells)))
    missing_counts = [f"{cell.model} {n - len(cell.items):,}" for cell in cells if len(cell.items) < n]
    return (
        [f"Of {counted(n, 'task')}, some are missing: {shortened(missing_counts)}. Ranks compare shared tasks."]
        if missing_counts
        else []
    )


@dataclass(frozen=True, slots=True)
class _Trials:
    """The trials of all agents.

    scores (n,): NaN if the trial errored. costs (n,): NaN if missing. ends: the bounds of scores. reasons: how often
    each error occurred."""

    scores: Floats
    errored: Flags
    costs: Floats | None
    ends: Bounds
    reasons: Counter[str]


@dataclass(frozen=True, slots=True)
class _Cell:
    """The results of an agent by task, in ascending order of the tasks' codes.

    These are the mean scores with errored trials failed, with errored trials passed, and over trials without errors
    (for tasks with such trials); the clusters of the tasks; and the mean costs, NaN if unknown.
    """

    model: str | None
    n_trials: int
    errored: int
    items: Integers
    failed: Floats
    passed: Floats
    scored: Floats
    of_scored: Flags
    units: Integers | None
    costs: Floats

    @property
    def costs_mean(self) -> float:
        """The mean cost of a task; infinite if unknown."""
        has_cost = ~np.isnan(self.costs)
        return float(self.costs[has_cost].mean()) if has_cost.any() else math.inf


def _trials(rows: ScoredRows, name: str, ends: Bounds | None) -> _Trials:
    measure = rows.measures.get(name)
    if measure is not None and measure.lower_is_better is not False:
        raise InputError(
            f"higher values of `score={name!r}` must be better, but lower values are. Choose another score."
        )
    scores = rows.scores[name].copy()
    reasons: Counter[str] = Counter()
    errors = rows.of_trials.get("error")
    if errors is not None:
        for row, value in enumerate(with_none(errors).tolist()):
            if is_error(value):
                scores[row] = math.nan
                reasons[str(value)] += 1
    errored = np.isnan(scores)
    without_reason = int(errored.sum()) - reasons.total()
    if without_reason:
        reasons["no score"] += without_reason
    if errored.all() and errors is not None:
        value, times = reasons.most_common(1)[0]
        raise InputError(
            f"every trial errored: `error=...` is {value!r} in {times:,} of {len(errored):,}. It must be empty, 0, "
            "false or none if no error occurred. If `error` is left out, trials without a score count as errored."
        )
    if errored.all():
        raise InputError("every trial errored or has no score in {parameter}. Is this the right column?", name)
    scores_given = scores[~errored]
    if ends is not None:
        check_scales({name: scores_given}, rows.provenance.get("percentages", ()), ends)
        check_within(scores_given, ends, name=name)
    log_bounds = None if measure is None or not len(scores_given) else measure.known_bounds(scores_given)
    ends = ends or log_bounds or unit_bounds(scores_given)
    if ends is None:
        row = int(np.flatnonzero(~errored)[((scores_given < 0) | (scores_given > 1)).argmax()])
        raise InputError(
            f"{name} has scores outside 0 to 1, such as {quote(float(scores[row]))}. Errored trials have no score, "
            "so the lowest and the highest possible score must be known: give `bounds=...`."
        )
    return _Trials(scores, errored, _costs(rows, errored), ends, reasons)


def is_error(value: object) -> bool:
    """Whether a value of a column of errors is an error, that is, is not missing, 0, false or a word for none.

    >>> [is_error(value) for value in (None, "", 0, "0.00", False, "No error", "null", "timeout", 1, True)]
    [False, False, False, False, False, False, False, True, True, True]
    """
    text = str(value).strip().casefold()
    return not (is_missing(value) or text in NO_ERROR or parse_number(text) == 0)


def _costs(rows: ScoredRows, errored: Flags) -> Floats | None:
    """Return the costs of trials, NaN for errored trials without a cost."""
    column = rows.of_trials.get("cost")
    if column is None:
        return None
    name = str(rows.provenance.get("cost", "cost"))
    costs = np.full(len(column), math.nan)
    for row, value in enumerate(with_none(column).tolist()):
        if is_missing(value):
            if not errored[row]:
                raise missing(name, row, remedy="Fill it in, or leave the trial out.")
            continue
        try:
            costs[row] = float(value)
        except (TypeError, ValueError, OverflowError) as fault:
            raise InputError("not_a_number", name, value=value, row=row) from fault
        if not 0.0 < costs[row] < LARGEST_COST:
            raise InputError(
                "{parameter} must be above 0 and finite, since costs are compared by their ratio",
                name,
                value=value,
                row=row,
                remedy="Leave such trials out, or count in another unit.",
            )
    return costs


def _cells(rows: ScoredRows, trials: _Trials) -> list[_Cell]:
    low, high = trials.ends
    failed, passed = (np.where(trials.errored, end, trials.scores) for end in (low, high))
    ids = rows.coded.get("id")
    cells = []
    for _, model, positions in iterate_cells(_without_groups(rows), np.ones(len(trials.scores), dtype=bool)):
        codes = positions if ids is None else ids.codes[positions]
        items, first, item_of_row, times = np.unique(codes, return_index=True, return_inverse=True, return_counts=True)
        if "run" in rows.coded and ids is not None and int(times.max()) > 1:
            check_distinct_runs(rows, positions, item_of_row)
        scored = ~trials.errored[positions]
        n_scored = np.bincount(item_of_row, scored)
        sums = np.bincount(item_of_row, np.where(scored, trials.scores[positions], 0.0))
        costs = np.full(len(items), math.nan)
        if trials.costs is not None:
            has_cost = ~np.isnan(trials.costs[positions])
            n_known = np.bincount(item_of_row, has_cost)
            total = np.bincount(item_of_row, np.where(has_cost, trials.costs[positions], 0.0))
            costs = np.divide(total, n_known, out=costs, where=n_known > 0)
        cells.append(
            _Cell(
                model,
                len(positions),
                int((~scored).sum()),
                items.astype(np.int64),
                np.bincount(item_of_row, failed[positions]) / times,
                np.bincount(item_of_row, passed[positions]) / times,
                sums[n_scored > 0] / n_scored[n_scored > 0],
                n_scored > 0,
                clusters_of_items(rows, positions, first, item_of_row),
                costs,
            )
        )
    cluster_of: dict[int, int] = {}
    for cell in cells:
        for item, unit in () if cell.units is None else zip(cell.items.tolist(), cell.units.tolist(), strict=True):
            if cluster_of.setdefault(item, unit) != unit:
                raise InputError("`clusters=...` must be the same for every agent of a task. Are the ids right?")
    return cells


def _without_groups(rows: ScoredRows) -> ScoredRows:
    """Return the rows with the tasks of all groups pooled."""
    return replace(rows, coded={role: column for role, column in rows.coded.items() if role != "groups"})


def _row(
    cell: _Cell,
    ends: Bounds,
    level: float,
    model_ranks: Ranks | None,
    place: int,
    dominated_by: Sequence[str],
    not_compared: Sequence[str],
) -> AgentRow:
    groups = ItemGroups.of(len(cell.items), clusters=cell.units)
    failed, passed = (mean_score(values, groups, bounds=ends) for values in (cell.failed, cell.passed))
    tail = (1 - level) / 2
    scored = None
    if len(cell.scored):
        units = None if cell.units is None else cell.units[cell.of_scored]
        mean = mean_score(cell.scored, ItemGroups.of(len(cell.scored), clusters=units), bounds=ends)
        scored = Estimate(mean.value, *mean.interval(level), level=level, method=mean.method, n=len(cell.scored))
    return AgentRow(
        model=cell.model,
        n=len(cell.items),
        trials=cell.n_trials,
        errored=cell.errored,
        errors_left_out=scored,
        lowest=failed.value,
        highest=passed.value,
        low=failed.bound(tail, upper=False),
        high=passed.bound(tail, upper=True),
        cost=_cost(cell, level),
        mean_cost=None if cell.costs_mean == math.inf else cell.costs_mean,
        dominated_by=None if model_ranks is None else tuple(dominated_by),
        rank_low=None if model_ranks is None else int(model_ranks.low[place]),
        rank_high=None if model_ranks is None else int(model_ranks.high[place]),
        tier=None if model_ranks is None else int(model_ranks.tier[place]),
        maybe_best=None if model_ranks is None else bool(model_ranks.best[place]),
        not_compared=tuple(not_compared),
    )


def _cost(cell: _Cell, level: float) -> Estimate | None:
    """The geometric mean of the tasks' costs; interval of the mean logarithm: Student's t, Hall's correction."""
    has_cost = ~np.isnan(cell.costs)
    if not has_cost.any():
        return None
    units = None if cell.units is None else cell.units[has_cost]
    mean = mean_score(np.log(cell.costs[has_cost]), ItemGroups.of(int(has_cost.sum()), clusters=units))
    low, high = mean.interval(level)
    has_interval = not math.isnan(low)
    return Estimate(
        math.exp(mean.value),
        math.exp(low) if has_interval else None,
        math.exp(high) if has_interval else None,
        level=level,
        method=f"{mean.method}, of logarithms",
        n=int(has_cost.sum()),
    )


def _align_tasks(cells: Sequence[_Cell]) -> tuple[Floats, Integers | None]:
    """Return all tasks' scores with errored trials failed (m, tasks), NaN if lacking; and the tasks' clusters."""
    items = np.unique(np.concatenate([cell.items for cell in cells]))
    scores, units = np.full((len(cells), len(items)), math.nan), np.full(len(items), -1)
    for agent_scores, cell in zip(scores, cells, strict=True):
        positions = np.searchsorted(items, cell.items)
        agent_scores[positions] = cell.failed
        if cell.units is not None:
            units[positions] = cell.units
    return scores, None if cells[0].units is None else units


def _ranks(
    cells: Sequence[_Cell],
    scores: Floats,
    units: Integers | None,
    ends: Bounds,
    p_better: Callable[[int, int], float],
    level: float,
    rng: np.random.Generator,
) -> Ranks:
    """Return ranks that are valid for any scores that errored trials might have had."""
    m = len(cells)
    if not any(cell.errored for cell in cells):
        return ranks(scores, units, bounds=ends, level=level, rng=rng)
    p = np.ones((m, m))
    for a, b in permutations(range(m), 2):
        p[a, b] = p_better(a, b)
    better = p <= (1 - level) / (m * (m - 1))
    return assemble_ranks(better, np.asarray((p <= (1 - level) / (m - 1)).any(axis=0)), "Bonferroni")


def _dominators(cells: Sequence[_Cell], p_better: Callable[[int, int], float], level: float) -> dict[int, list[int]]:
    """By the index of each dominated agent, the indices of the agents that dominate it, the most significant first."""
    size = (1 - level) / max(len(cells) - 1, 1)
    dominators: dict[int, list[tuple[float, int]]] = {}
    for a, b in permutations(range(len(cells)), 2):
        first, second = cells[a], cells[b]
        if first.costs_mean >= second.costs_mean or first.failed.mean() <= second.passed.mean():
            continue
        p = max(_p_cheaper(first, second), p_better(a, b))
        if p <= size:
            dominators.setdefault(b, []).append((p, a))
    return {b: [a for _, a in sorted(pairs)] for b, pairs in dominators.items()}


def _shared(first: _Cell, second: _Cell) -> tuple[Integers, Integers]:
    """The indices of the tasks that both agents tried."""
    _, of_first, of_second = np.intersect1d(first.items, second.items, assume_unique=True, return_indices=True)
    return of_first, of_second


def _p_better(first: _Cell, second: _Cell, ends: Bounds) -> float:
    """Return the p-value of "the first agent is not better", if its errored trials failed and the other's passed."""
    of_first, of_second = _shared(first, second)
    scores = first.failed[of_first], second.passed[of_second]
    return _p_above(scores[0], scores[1], None if first.units is None else first.units[of_first], ends)


def _p_cheaper(first: _Cell, second: _Cell) -> float:
    """Return the p-value of "the first agent's geometric mean cost is not lower"."""
    of_first, of_second = _shared(first, second)
    a, b = first.costs[of_first], second.costs[of_second]
    both_have_cost = ~(np.isnan(a) | np.isnan(b))
    units = None if first.units is None else first.units[of_first][both_have_cost]
    return _p_above(np.log(b[both_have_cost]), np.log(a[both_have_cost]), units, None)


def _p_above(first: Floats, second: Floats, units: Integers | None, ends: Bounds | None) -> float:
    """Return the p-value of "the mean of the paired differences is at most 0"; 1 for fewer than two pairs. With too few
    clusters for Student's t, Gaffke's test for bounded scores is used.
    """
    if len(first) < 2:
        return 1.0
    groups = ItemGroups.of(len(first), clusters=units)
    few = units is not None and kish(groups.sizes) < MIN_CLUSTERS
    p = mean_difference(first, second, groups, bounds=ends if few else None).p_value("better")
    return 1.0 if math.isnan(p) else p


def _notes(rows: ScoredRows, trials: _Trials, cells: Sequence[_Cell], few: Flags) -> list[str]:
    notes = [*rows.notes]
    if "run" not in rows.coded and any(len(cell.items) < cell.n_trials for cell in cells):
        notes.append(Note("Several rows of a task and agent count as trials.", WARNING))
    if trials.reasons:
        reasons = shortened([f"{reason} ({times:,})" for reason, times in trials.reasons.most_common()], limit=4)
        notes.append(f"{counted(int(trials.errored.sum()), 'trial')} of {len(trials.scores):,} errored: {reasons}.")
    if len(cells) > 1 and "id" not in rows.coded:
        notes.append(marked_note("Agents are not compared: name the task of each trial (`id=...`).", WARNING))
    elif few.any():
        kind = "tasks" if cells[0].units is None else "clusters"
        pairs = [f"{cells[a].model} and {cells[b].model}" for a, b in zip(*np.nonzero(np.triu(few)), strict=True)]
        notes.append(Note(f"Not compared, because they share fewer than two {kind}: {shortened(pairs)}.", WARNING))
    return notes
