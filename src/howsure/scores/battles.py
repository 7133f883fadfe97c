"""`rank_battles`: strengths and ranks of models from pairwise battles."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from howsure import __version__
from howsure.errors import InputError, Parameter, Verbatim, parameter
from howsure.inputs.checks import Coded, check_codes, check_same_length
from howsure.inputs.frames import AS_READ, Kind, Rows, Source, no_column_name
from howsure.inputs.frames import rows_of as rows_of_data
from howsure.inputs.numbers_and_names import check_level, shortened, spelled_number
from howsure.inputs.pairs import Floats, Integers
from howsure.inputs.parameter_types import ArrayLike, IntoFrame
from howsure.result import Estimate
from howsure.scores.ranks import Flags, rank_estimates
from howsure.scores.results import BattleRow, BattleTable
from howsure.scores.scored_rows import cluster_codes
from howsure.scores.strengths import FIRST, SECOND, TIE, Strengths, fit_strengths
from howsure.stats.clusters import few_clusters
from howsure.stats.randomness import Randomness, generator_from, seed_in_recipe

TIES = ("tie", "tie (bothbad)", "both_bad", "0", "1.5")
WINS = {FIRST: ("model_a", "a", "1"), SECOND: ("model_b", "b", "2")}
SANDWICH, UNKNOWN = "sandwich", -1


def rank_battles(
    a: ArrayLike | str,
    b: ArrayLike | str,
    winner: ArrayLike | str,
    *,
    clusters: ArrayLike | str | None = None,
    tie: Sequence[str] = TIES,
    position_effect: bool = False,
    level: float = 0.95,
    rng: Randomness = None,
    data: Source | IntoFrame | None = None,
) -> BattleTable:
    """How strong is each model, from battles of two? Its strength with an interval, and the ranks that it may have.

    A row per model: the model of Bradley & Terry (1952), with ties as Davidson (1970) has them, fitted by maximum
    likelihood. Points are what a model is expected to get of a battle with one of the others, each as likely: 1 for a
    win, ½ for a tie. Intervals need not believe the model: they are of the sandwich, by battles or clusters of them.
    All ranks together are right with probability `level`, as those of scores are; so are tiers, and which may be best.

    a (n,): the model of each battle that is shown first.
    b (n,): the other model.
    winner (n,): who won: the name of a model; model_a, a or 1; model_b, b or 2; or a tie. As preferences, numbers from
    1 to 2: 1.8 gives the other model 0.8 of the battle, and the first one 0.2.
    clusters (n,): what is correlated, such as the prompt of each battle.
    tie: the values of `winner` that mean a tie.
    position_effect: also estimate what it is worth to be shown first.
    level: level of the intervals, and of all ranks together.
    rng: seed of the multipliers of the ranks.

    Preferences have no ties; their strengths are fitted by the quasi-likelihood of Papke & Wooldridge (1996). A model
    wins the battles of which it gets more than half.

    A strength is a log odds: of two models that are d apart, the better one wins exp(d) times as often as the other;
    all strengths add up to 0. Multiply by 173.7 for Elo points.

    Sources: Bradley & Terry (1952); Davidson (1970); Davidson & Beaver (1977) for the order; Mogstad, Romano, Shaikh &
    Wilhelm (2024) for ranks.

    >>> battles = [("x", "y", "a")] * 30 + [("x", "y", "b")] * 10 + [("y", "z", "a")] * 25 + [("y", "z", "b")] * 15
    >>> a, b, winner = zip(*battles)
    >>> for row in rank_battles(a, b, winner, rng=0):
    ...     print(row.model, row.points, row.ranks)
    x 0.7917 [0.6337, 0.8930] 1
    y 0.4375 [0.3387, 0.5416] 2–3
    z 0.2708 [0.1583, 0.4231] 2–3

    Raises InputError naming the parameter, row and value that violated a rule, and models without a finite strength.
    """
    level = check_level(level)
    generator = generator_from(rng)
    roles = {"a": a, "b": b, "winner": winner, "clusters": clusters}
    held, named, rows = _read_columns(roles, data)
    with rows.placed():
        n = check_same_length(**held)
        codes = {role: Coded(*check_codes(held[role], n=n, name=named[role])) for role in ("a", "b", "winner")}
        units = None if clusters is None else cluster_codes(held["clusters"], n, named["clusters"])
        first, second, models = _model_codes(codes["a"], codes["b"], named)
        preferences = _preferences(codes["winner"], models, tuple(tie), named["winner"])
        if preferences is None:
            share = None
            outcome, notes = _outcomes(codes["winner"], first, second, models, tuple(tie), named["winner"])
        else:
            share, outcome, notes = preferences
    if len(models) < 2:
        raise InputError("there is no battle.")
    _check_connected(first, second, outcome, models)
    strengths = fit_strengths(
        first, second, outcome, units, m=len(models), position_effect=position_effect, share=share
    )
    if units is not None and (few := few_clusters(np.bincount(units))):
        notes.append(few)
    read = dict(rows.read) or {"n": n}
    recipe: dict[str, Any] = {"howsure": __version__, **read}
    recipe |= {AS_READ.get(role, role): one for role, one in roles.items() if data is not None and one is not None}
    recipe |= {"tie": list(tie), "position_effect": position_effect, "level": level, "seed": seed_in_recipe(rng)}
    battles = _Battles(models, first, second, outcome, units)
    all_units = n if units is None else int(units.max()) + 1
    lead, tied = (_share_estimate(of_equal, all_units, level=level, n=n) for of_equal in strengths.equal_models())
    return BattleTable(
        rows=battles.rows(strengths, level, generator),
        first=lead if position_effect else None,
        ties=tied if share is None and (outcome == TIE).any() else None,
        notes=tuple(notes),
        recipe=recipe,
    )


def _read_columns(roles: dict[str, Any], data: Any) -> tuple[dict[str, Any], dict[str, str], Rows]:
    """The column of each role, its name in messages, and the rows that give messages their line numbers."""
    roles = {role: one for role, one in roles.items() if one is not None}
    if data is None:
        return roles, {role: role for role in roles}, Rows({})
    for role, column in roles.items():
        if not isinstance(column, str):
            raise no_column_name(role, column)
    how = {"clusters": roles.get("clusters")} if isinstance(data, Source) else {}
    rows = rows_of_data(data, dict.fromkeys(roles.values(), Kind.NAMES), **how)
    return {role: rows[column] for role, column in roles.items()}, roles, rows


def _model_codes(a: Coded, b: Coded, named: dict[str, str]) -> tuple[Integers, Integers, tuple[str, ...]]:
    """The codes of both models of each battle, and the model names."""
    models = tuple(dict.fromkeys([*a.names, *b.names]))
    place = {name: code for code, name in enumerate(models)}
    first, second = (np.array([place[name] for name in one.names], dtype=np.int64)[one.codes] for one in (a, b))
    if (same := first == second).any():
        row = int(same.argmax())
        raise InputError(
            "{parameter} and {other} must name different models; both are {value!r} in {row}",
            named["b"],
            other=Parameter(named["a"]),
            value=models[first[row]],
            row=row,
            remedy="leave_out_rows",
        )
    return first, second, models


def _outcomes(
    winner: Coded, first: Integers, second: Integers, models: tuple[str, ...], ties: tuple[str, ...], name: str
) -> tuple[Integers, list[str]]:
    """The outcome of each battle, and a note on how values of `winner` were interpreted."""
    texts = [_drop_decimals(text) for text in winner.names]
    place = {model: code for code, model in enumerate(models)}
    meant = {text: outcome for outcome, words in WINS.items() for text in words} | dict.fromkeys(ties, TIE)
    model = np.array([place.get(text, UNKNOWN) for text in winner.names])[winner.codes]
    word = np.array([meant.get(text, UNKNOWN) for text in texts])[winner.codes]
    by_name = np.select([model == first, model == second], [FIRST, SECOND], UNKNOWN)
    rule = (
        "{parameter} must name one of the two models, model_a or model_b, a or b, 1 or 2, or a tie ({ties}); {row} is "
        "{value!r}"
    )
    unclear = (model != UNKNOWN) & (word != UNKNOWN) & (by_name != word)
    if unclear.any():
        row = int(unclear.argmax())
        value = winner.names[winner.codes[row]]
        remedy = "A model has that name, too: rename it, so that the name is unambiguous."
        raise InputError(rule, name, ties=ties, value=value, row=row, remedy=remedy)
    outcome = np.where(by_name == UNKNOWN, word, by_name)
    if (unknown := outcome == UNKNOWN).any():
        row = int(unknown.argmax())
        text = texts[winner.codes[row]]
        tie = Parameter("tie", ",".join([*(ties if ties != TIES else ()), text]))
        remedy = "If it means a tie, set {tie}."
        if (spelled_number(text) or 0.0) % 1:
            remedy = "If the numbers are preferences, they must be between 1 (first model) and 2 (second model)."
        value = winner.names[winner.codes[row]]
        raise InputError(rule, name, ties=ties, value=value, row=row, tie=tie, remedy=remedy)
    if ties == TIES and "0" in texts and not (outcome == SECOND).any():
        raise InputError(
            f"{parameter(name)} holds 0, which means a tie, and never that {parameter('b')} won. If 0 means that, "
            f"write 2 instead; if it is a tie, say so: {parameter('tie', 0)}."
        )
    count = np.bincount(winner.codes[by_name == UNKNOWN], minlength=len(texts))
    said = []
    for code, words in ((FIRST, "a win of the first model"), (SECOND, "a win of the other one"), (TIE, "a tie")):
        values = [f"{text} ({count[i]:,})" for i, text in enumerate(texts) if meant.get(text) == code and count[i]]
        said += [f"{', '.join(values)} is {words}"] if values else []
    return outcome, [f"{name}: {'; '.join(said)}"] if said else []


def _preferences(
    winner: Coded, models: tuple[str, ...], ties: tuple[str, ...], name: str
) -> tuple[Floats, Integers, list[str]] | None:
    """For graded preferences: the share of each battle that the first model gets, the outcome, and a note. None if all
    values are wins or ties.

    Raises InputError for a number outside of 1 to 2 among preferences.
    """
    numbers = [spelled_number(text) for text in winner.names]
    known = [number for number in numbers if number is not None]
    graded = any(
        1.0 < number < 2.0 and text not in (*ties, *models)
        for text, number in zip(map(_drop_decimals, winner.names), numbers, strict=True)
        if number is not None
    )
    if not graded or len(known) < len(numbers):
        return None
    values = np.array([1.5 if number == 0.0 and "0" in ties else number for number in known])[winner.codes]
    wrong = (values < 1.0) | (values > 2.0)
    if wrong.any():
        row = int(wrong.argmax())
        value = Verbatim(repr(winner.names[winner.codes[row]]))
        remedy = "1 is a preference for the first model, 2 for the second. Name the winner, or rescale the preferences."
        raise InputError("outside", name, low=1, high=2, value=value, row=row, remedy=remedy)
    share = 2.0 - values
    outcome = np.select([share > 0.5, share < 0.5], [FIRST, SECOND], TIE)
    return (
        share,
        outcome,
        [f"{name}: a preference, 1 for the first model and 2 for the other one, which share a battle"],
    )


def _drop_decimals(text: str) -> str:
    """A whole number without its decimals ("1.0" → "1"); any other text unchanged."""
    number = spelled_number(text)
    return text if number is None or number % 1 else str(int(number))


def _check_connected(first: Integers, second: Integers, outcome: Integers, models: tuple[str, ...]) -> None:
    """Raise InputError if a group of models never lost to, never beat or never met the others: their strengths would be
    infinite (Ford 1957)."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    m = len(models)
    if (outcome == TIE).all():
        raise InputError("every battle is a tie: nothing tells the models apart.")
    winner = np.concatenate([first[outcome != SECOND], second[outcome != FIRST]])
    loser = np.concatenate([second[outcome != SECOND], first[outcome != FIRST]])
    won = coo_array((np.ones(len(winner)), (winner, loser)), shape=(m, m)).tocsr()
    for connection in ("weak", "strong"):
        number, part = connected_components(won, connection=connection)
        if number < 2:
            continue
        beaten = np.zeros((number, number), dtype=bool)
        beaten[part[winner], part[loser]] = True
        np.fill_diagonal(beaten, val=False)
        kinds = (("never lost to", beaten.any(axis=0)), ("never beat", beaten.any(axis=1)))
        ends = [(int((part == i).sum()), how, i) for how, met in kinds for i in np.flatnonzero(~met)]
        size, how, end = min(ends, key=lambda one: one[0])
        names = shortened([model for model, i in zip(models, part, strict=True) if i == end], limit=5)
        if connection == "weak":
            how = "had no battle with"
        else:
            how += ", or tied with,"
        raise InputError(
            f"{names} {how} any other model{'' if size == 1 else ' than these'}: beside the others, no finite strength "
            f"fits. Leave {'it' if size == 1 else 'them'} out, or add battles."
        )


@dataclass(frozen=True, slots=True)
class _Battles:
    models: tuple[str, ...]
    first: Integers
    second: Integers
    outcome: Integers
    clusters: Integers | None

    def rows(self, strengths: Strengths, level: float, rng: np.random.Generator) -> tuple[BattleRow, ...]:
        """A row per model, the best first."""
        m, theta, units = len(self.models), strengths.theta, self._effective_sizes()
        covariance = strengths.covariance[:m, :m]
        ranks = rank_estimates(theta, covariance, units, level=level, rng=rng)
        won, tied = np.where(self.outcome == FIRST, self.first, self.second), self.outcome == TIE
        wins = np.bincount(won[~tied], minlength=m)
        battles, ties = (self._count_battles(kept) for kept in (np.ones_like(tied), tied))
        points = list(zip(*strengths.points(), strict=True))
        made = []
        for i in np.argsort(-theta, kind="stable"):
            n, reach = int(battles[i]), _t_quantile(units[i], level) * float(np.sqrt(covariance[i, i]))
            strength = _estimate(theta[i], theta[i] - reach, theta[i] + reach, level=level, n=n)
            share = _share_estimate(points[i], units[i], level=level, n=n)
            at = (int(ranks.low[i]), int(ranks.high[i]), int(ranks.tier[i]), bool(ranks.best[i]))
            made.append(BattleRow(self.models[i], n, int(wins[i]), int(ties[i]), strength, share, *at))
        return tuple(made)

    def _count_battles(self, flags: Flags) -> Integers:
        """The number of these battles per model."""
        return np.bincount(np.concatenate([self.first[flags], self.second[flags]]), minlength=len(self.models))

    def _effective_sizes(self) -> Floats:
        """The number of battles of each model, or its effective number of clusters (Kish)."""
        if self.clusters is None:
            return self._count_battles(np.ones(len(self.first), dtype=bool)).astype(np.float64)
        m = len(self.models)
        cell = np.concatenate([self.clusters * m + one for one in (self.first, self.second)])
        pairs, sizes = np.unique(cell, return_counts=True)
        total, squares = (np.bincount(pairs % m, sizes.astype(float) ** power, minlength=m) for power in (1, 2))
        return np.asarray(total**2 / squares)


def _t_quantile(units: float, level: float) -> float:
    """The quantile of Student's t; NaN for a single unit."""
    from scipy.special import stdtrit

    return float(stdtrit(max(units - 1, 1.0), (1 + level) / 2)) if units > 1 else math.nan


def _estimate(value: float, low: float, high: float, *, level: float, n: int) -> Estimate:
    known = math.isfinite(high - low)
    ends = (float(low) if known else None, float(high) if known else None)
    return Estimate(float(value), ends[0], ends[1], level=level, method=SANDWICH, n=n)


def _share_estimate(share: tuple[float, float], units: float, *, level: float, n: int) -> Estimate:
    """The estimate of a share, with an interval that is symmetric in log odds. share: value and standard error."""
    from scipy.special import expit

    value, error = share
    if not 0.0 < value < 1.0:
        return _estimate(value, math.nan, math.nan, level=level, n=n)
    odds, reach = math.log(value / (1 - value)), _t_quantile(units, level) * error / (value * (1 - value))
    return _estimate(value, expit(odds - reach), expit(odds + reach), level=level, n=n)
