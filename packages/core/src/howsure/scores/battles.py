"""`rank_battles`: strengths and ranks of models from pairwise battles."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from typing import Any, Literal

import numpy as np

from howsure import __version__
from howsure.errors import InputError, Parameter, Verbatim, parameter
from howsure.inputs.arguments import Randomness, check_arguments, generator_from, seed_in_recipe, with_seed
from howsure.inputs.checks import Coded, check_codes, check_same_length
from howsure.inputs.frames import AS_READ, Kind, Rows, Source, not_a_column_name
from howsure.inputs.frames import read_columns as rows_of_data
from howsure.inputs.label_spelling import spellings_note, variants
from howsure.inputs.numbers_and_names import check_level, nearest, parse_number, shortened, unknown_name
from howsure.inputs.pairs import Floats, Integers
from howsure.inputs.parameter_types import ArrayLike, IntoFrame
from howsure.notes import WARNING, Note
from howsure.result import Estimate
from howsure.scores.ranks import MAX_T, Flags, Ranks, assemble_ranks, better_estimates
from howsure.scores.results import BattleRow, BattleTable
from howsure.scores.scored_rows import cluster_codes
from howsure.scores.strengths import FIRST, SECOND, TIE, Strengths, expected_points, fit_strengths, no_finite_strengths
from howsure.scores.unbounded_strengths import (
    Connections,
    OneSidedBattles,
    connections,
    one_per_cluster,
    one_sided_battles,
    pairwise_better,
)
from howsure.stats.clusters import few_clusters
from howsure.stats.proportions import t_quantile
from howsure.stats.threads import one_thread

TIES = ("tie", "tie (bothbad)", "both_bad", "bothbad", "0", "1.5")
JUDGES = {"judge", "llm", "gpt", "model", "auto", "human", "people", "person", "expert"}  # in names of columns
MAX_TIES = 3  # if there are at most this many unknown winners, the message suggests that all mean a tie
WINS = {FIRST: ("model_a", "model_1", "a", "left", "1"), SECOND: ("model_b", "model_2", "b", "right", "2")}
SANDWICH, BOUND, UNKNOWN = "sandwich", "bound", -1
# the strength of the mean model, and of 1 log odds
SCALES = {"log-odds": (0.0, 1.0), "elo": (1000.0, 400 / math.log(10))}


def rank_battles(
    a: ArrayLike | str,
    b: ArrayLike | str,
    winner: ArrayLike | str,
    *,
    clusters: ArrayLike | str | None = None,
    tie: Sequence[str] = TIES,
    position_effect: bool = False,
    scale: Literal["log-odds", "elo"] = "log-odds",
    level: float = 0.95,
    rng: Randomness = None,
    data: Source | IntoFrame | None = None,
) -> BattleTable:
    """Estimate the strength of each model with an interval, and its possible ranks, from pairwise battles.

    Fits the model of Bradley & Terry (1952), with Davidson's (1970) treatment of ties, by maximum likelihood. The
    result has a row per model. The points of a model are its expected gain in a battle with a random other model: 1 for
    a win, ½ for a tie. Intervals remain valid if the Bradley–Terry model does not hold, because they use the sandwich
    estimator of the variance, by battle or by cluster of battles. All ranks together are correct with probability
    `level`, and so are the tiers and the statements on which models are possibly best.

    a (n,): the model that is shown first in each battle.
    b (n,): the model that is shown second in each battle.
    winner (n,): who won: the name of a model; model_a, model_1, a, A, left or 1; model_b, model_2, b, B, right or 2; or
    a tie. As preferences, numbers from 1 to 2: 1.8 gives 0.8 of the battle to the second model, and 0.2 to the first.
    clusters (n,): the cluster of each battle, such as its prompt; battles of a cluster may be correlated.
    tie: the values of `winner` that mean a tie.
    position_effect: also estimate the advantage of being shown first.
    scale: log-odds, or elo, on which 400 points are odds of 10 to 1 and the mean model has 1,000.
    level: level of the intervals, and of all ranks together.
    rng: seed of the multipliers of the ranks.

    Preferences have no ties; strengths are fitted to them by the quasi-likelihood of Papke & Wooldridge (1996). A model
    wins a battle if it gets more than half of it.

    Strengths are log odds that add up to 0: if two models differ by d, the better one wins exp(d) times as often as the
    other.

    A model that won all its battles has no finite strength. Its estimate is infinite, with ranks and a lower bound (an
    upper bound if it lost all its battles). Only models of finite strength count for the sum of strengths and for
    expected points. These models are the largest group in which each model won over each other model, directly or
    through a chain of wins. If no battle connects two sets of models, each set is ranked separately; it is called a
    part of the battles.

    Sources: Bradley & Terry (1952); Davidson (1970); Davidson & Beaver (1977) for the order; Mogstad, Romano, Shaikh &
    Wilhelm (2024) for ranks.

    >>> battles = [("x", "y", "a")] * 30 + [("x", "y", "b")] * 10 + [("y", "z", "a")] * 25 + [("y", "z", "b")] * 15
    >>> a, b, winner = zip(*battles)
    >>> for row in rank_battles(a, b, winner, rng=0):
    ...     print(row.model, row.points, row.ranks)
    x 0.7917 [0.6337, 0.8930] 1
    y 0.4375 [0.3387, 0.5416] 2–3
    z 0.2708 [0.1583, 0.4231] 2–3

    Raises InputError naming the parameter, row and value that violated a rule.
    """
    check_arguments(rank_battles, locals())
    level = check_level(level)
    if scale not in SCALES:
        raise unknown_name("scale", str(scale), tuple(SCALES), place="strengths")
    rng = with_seed(rng)
    generator = generator_from(rng)
    roles = {"a": a, "b": b, "winner": winner, "clusters": clusters}
    for role in ("a", "b", "winner"):
        if roles[role] is None:
            raise InputError("not_a_column", role, type="None")
    columns, named, rows = _read_columns(roles, data)
    with rows.locating_errors():
        n = check_same_length(**columns)
        codes = {role: Coded(*check_codes(columns[role], n=n, name=named[role])) for role in ("a", "b", "winner")}
        units = None if clusters is None else cluster_codes(columns["clusters"], n, named["clusters"])
        first, second, models = _model_codes(codes["a"], codes["b"], named)
        preferences = _preferences(codes["winner"], models, tuple(tie), named["winner"])
        if preferences is None:
            share = None
            outcome, notes = _outcomes(codes["winner"], first, second, models, tuple(tie), named["winner"])
        else:
            share, outcome, notes = preferences
    if len(models) < 2:
        raise InputError("there are no battles. Are these the right rows?")
    battles_by_model = np.bincount(np.concatenate((first, second)), minlength=len(models)).tolist()
    if (spelling_note := spellings_note(dict(zip(models, battles_by_model, strict=True)), "models")) is not None:
        notes.append(Note(f"{spelling_note}.", WARNING))
    if (outcome == TIE).all():
        raise InputError("every battle is a tie, so strengths cannot be estimated. Add battles with a winner.")
    if units is not None and (few := few_clusters(np.bincount(units))):
        notes.append(few)
    gained = (outcome != SECOND, outcome != FIRST) if share is None else (share > 0.0, share < 1.0)
    connected = connections(first, second, gained[0], gained[1], len(models))
    battles = _Battles(models, first, second, outcome, units, share)
    parts = [battles.select_part(connected, code) for code in np.argsort(-np.bincount(connected.part), kind="stable")]
    with one_thread():
        results = [
            part.rank(number, position_effect=position_effect, scale=scale, level=level, rng=generator)
            for number, part in enumerate(parts, start=1)
        ]
    notes += _notes_on_connections(parts)
    provenance = dict(rows.provenance) or {"n": n}
    recipe: dict[str, Any] = {"howsure": __version__, **provenance}
    recipe |= {
        AS_READ.get(role, role): column for role, column in roles.items() if data is not None and column is not None
    }
    recipe |= {
        "tie": list(tie),
        "position_effect": position_effect,
        "scale": scale,
        "level": level,
        "seed": seed_in_recipe(rng),
    }
    strengths, largest = results[0][1], parts[0].battles.among(parts[0].core)
    n_units = len(largest.first) if largest.clusters is None else len(np.unique(largest.clusters))
    of_equal = strengths.equal_models()
    lead, tied = (_share_estimate(estimate, n_units, level=level, n=len(largest.first)) for estimate in of_equal)
    return BattleTable(
        rows=tuple(row for rows_of_part, _ in results for row in rows_of_part),
        first=lead if position_effect else None,
        ties=tied if share is None and (largest.outcome == TIE).any() and not largest.is_even else None,
        notes=tuple(notes),
        recipe=recipe,
    )


def _read_columns(roles: dict[str, Any], data: Any) -> tuple[dict[str, Any], dict[str, str], Rows]:
    """Return the column of each role, the name of the column for messages, and the rows, which know line numbers."""
    roles = {role: column for role, column in roles.items() if column is not None}
    if data is None:
        return roles, {role: role for role in roles}, Rows({})
    for role, column in roles.items():
        if not isinstance(column, str):
            raise not_a_column_name(role, column)
    exploded = str(getattr(data, "explode", None) or "").split(",")
    if len({frozenset(JUDGES & set(re.split(r"[^a-z]+", column.casefold()))) for column in exploded}) > 1:
        raise InputError(
            f"one ranking would pool the winners of {', '.join(exploded)}, as of a judge and of people. Rank each "
            f"alone: {parameter('winner', exploded[0].strip())}, without `explode`."
        )
    how = {"clusters": roles.get("clusters")} if isinstance(data, Source) else {}
    rows = rows_of_data(data, dict.fromkeys(roles.values(), Kind.NAMES), **how)
    return {role: rows[column] for role, column in roles.items()}, roles, rows


def _model_codes(a: Coded, b: Coded, named: dict[str, str]) -> tuple[Integers, Integers, tuple[str, ...]]:
    """Return the codes of both models of each battle, and the names of the models."""
    models = tuple(dict.fromkeys([*a.names, *b.names]))
    code_by_name = {name: code for code, name in enumerate(models)}
    first, second = (
        np.array([code_by_name[name] for name in coded.names], dtype=np.int64)[coded.codes] for coded in (a, b)
    )
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
    """Return the outcome of each battle, and a note on how the values of `winner` were interpreted."""
    texts = [_drop_decimals(text) for text in winner.names]
    code_by_model = {model: code for code, model in enumerate(models)}
    outcomes = {text: outcome for outcome, words in WINS.items() for text in words} | dict.fromkeys(ties, TIE)
    spellings = {text: text if text in code_by_model else _spelling(text, outcomes) for text in texts}
    outcome_by_text = {text: outcomes.get(spelling, UNKNOWN) for text, spelling in spellings.items()}
    # A word for a side may also be the name of a model, but for case, blanks or hyphens. It must then mean this model.
    code_by_form = {_normal_form(model): code for model, code in code_by_model.items()}
    code_by_word = {
        text: code_by_form.get(_normal_form(text), UNKNOWN)
        for text in texts
        if outcome_by_text[text] != UNKNOWN and not (text in outcomes and len(text) == 1)  # a, b, 1, 2: always sides
    } | code_by_model
    model = np.array([code_by_word.get(text, UNKNOWN) for text in winner.names])[winner.codes]
    word = np.array([outcome_by_text[text] for text in texts])[winner.codes]
    by_name = np.select([model == first, model == second], [FIRST, SECOND], UNKNOWN)
    rule = (
        "{parameter} must name one of the two models, model_a or model_b, a or b, left or right, 1 or 2, or a tie "
        "({ties}); {row} is {value!r}"
    )
    unclear = (model != UNKNOWN) & (word != UNKNOWN) & (by_name != word)
    if unclear.any():
        row = int(unclear.argmax())
        value = winner.names[winner.codes[row]]
        same_name = value in code_by_model
        remedy = "Rename the model, so that the value is unambiguous." if same_name else "Spell both the same way."
        remedy = f"This is also the name of a model{'' if same_name else ', but for case, blanks or hyphens'}. {remedy}"
        raise InputError(rule, name, ties=ties, value=value, row=row, remedy=remedy)
    outcome = np.where(by_name == UNKNOWN, word, by_name)
    if (unknown := outcome == UNKNOWN).any():
        row = int(unknown.argmax())
        text = texts[winner.codes[row]]
        others = (texts[code] for code in winner.codes[unknown] if winner.names[code] not in code_by_model)
        unknown_texts = dict.fromkeys([text, *others])
        known_ties = [name for name in ties if ties != TIES or name in spellings.values()]
        tie = Parameter("tie", ",".join([*known_ties, *(unknown_texts if len(unknown_texts) <= MAX_TIES else [text])]))
        remedy = "If it means a tie, set {tie}."
        if variants(models, [text]):
            remedy = "It differs from the name of a model only in case or spaces. Spell both the same way."
        elif (parse_number(text) or 0.0) % 1:
            remedy = "If the numbers are preferences, they must be between 1 (first model) and 2 (second model)."
        elif text in code_by_model:
            remedy = "It is a model of other battles."
        elif (near := _only_nearest(spellings[text], [*outcomes, *models])) is not None:
            remedy = f"Did you mean {near}?"
        value = winner.names[winner.codes[row]]
        raise InputError(rule, name, ties=ties, value=value, row=row, tie=tie, remedy=remedy)
    if ties == TIES and "0" in texts and not (outcome == SECOND).any():
        raise InputError(
            f"{parameter(name)} contains 0, which means a tie, and no value that means that `b` won. If 0 means that "
            "`b` won, write 2 instead. If 0 is a tie, give `tie=0`."
        )
    count = np.bincount(winner.codes[by_name == UNKNOWN], minlength=len(texts))
    counted_texts = []
    for code, words in ((FIRST, "a win of the first model"), (SECOND, "a win of the other one"), (TIE, "a tie")):
        values = [
            f"{text} ({count[i]:,})" for i, text in enumerate(texts) if outcome_by_text[text] == code and count[i]
        ]
        counted_texts += [f"{', '.join(values)} is {words}"] if values else []
    return outcome, [f"{name}: {'; '.join(counted_texts)}"] if counted_texts else []


def _only_nearest(text: str, names: Sequence[str]) -> str | None:
    """The name that is most similar to a text; None if no name is similar, or if several are equally similar.

    >>> _only_nearest("model_c", ["model_a", "model_b"]), _only_nearest("modle_b", ["model_a", "model_b"])
    (None, 'model_b')
    """
    near = nearest(text, names)
    if near is None:
        return None
    similarity = SequenceMatcher(None, near.lower(), text.lower()).ratio()
    return near if nearest(text, [name for name in names if name != near], cutoff=similarity) is None else None


def _spelling(text: str, outcomes: Collection[str]) -> str:
    """Return the outcome whose spelling equals a text, apart from case, blanks and hyphens; the text in lower case if
    there is none.

    >>> [_spelling(text, ["model_a", "tie (bothbad)"]) for text in ("Model A", "model-a", "Tie (bothbad)", "Draw")]
    ['model_a', 'model_a', 'tie (bothbad)', 'draw']
    """
    lower = text.casefold()
    return next((spelled for spelled in (text, lower, _normal_form(text)) if spelled in outcomes), lower)


def _normal_form(text: str) -> str:
    """A text in lower case, with an underscore for blanks and hyphens."""
    return re.sub(r"[\s_-]+", "_", text.casefold())


def _preferences(
    winner: Coded, models: tuple[str, ...], ties: tuple[str, ...], name: str
) -> tuple[Floats, Integers, list[str]] | None:
    """Return each battle's fraction for the first model, the outcome and a note; None if all are wins or ties."""
    numbers = [parse_number(text) for text in winner.names]
    present = [number for number in numbers if number is not None]
    graded = any(
        1.0 < number < 2.0 and text not in (*ties, *models)
        for text, number in zip(map(_drop_decimals, winner.names), numbers, strict=True)
        if number is not None
    )
    if not graded or len(present) < len(numbers):
        return None
    values = np.array([1.5 if number == 0.0 and "0" in ties else number for number in present])[winner.codes]
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
        [f"{name} is a preference from 1 (first model) to 2 (second model) that divides each battle between both"],
    )


def _drop_decimals(text: str) -> str:
    """Return a whole number without its decimals ("1.0" → "1"), and any other string unchanged."""
    number = parse_number(text)
    return text if number is None or number % 1 else str(int(number))


def _notes_on_connections(parts: Sequence[_Part]) -> list[str]:
    """Notes on models without a finite strength, and on battles that fall into several parts."""
    notes = []
    outside = [
        (part.battles.models[model], battles)
        for part in parts
        if part.has_strengths
        for model, battles in part.outside.items()
    ]
    for sign, verb, side in ((1, "won", "lower"), (-1, "lost", "upper")):
        names = [name for name, battles in outside if battles is not None and battles.sign == sign]
        if names:
            notes.append(
                f"{shortened(names, limit=5)} {verb} all battles with the models of finite strength: the estimate is "
                f"infinite, and the {side} bound is shown; points are expected of battles with the latter"
            )
    if names := [name for name, battles in outside if battles is None]:
        notes.append(f"{shortened(names, limit=5)} had no battle with the models of finite strength: no bound is known")
    if names := [name for part in parts if not part.has_strengths for name in part.battles.models]:
        notes.append(
            f"no two of {shortened(names, limit=5)} won over each other, directly or through others: no strength is "
            "finite, and ranks are those that battles of two models show"
        )
    if len(parts) > 1:
        sizes = ", ".join(str(len(part.battles.models)) for part in parts)
        notes.append(
            f"the battles fall into {len(parts)} parts of {sizes} models without a battle between them: strengths, "
            "ranks and tiers hold within a part"
        )
    return notes


@dataclass(frozen=True, slots=True)
class _Battles:
    """Battles of models: both codes, outcome, clusters, and the first model's fraction of graded preferences."""

    models: tuple[str, ...]
    first: Integers
    second: Integers
    outcome: Integers
    clusters: Integers | None
    share: Floats | None

    def among(self, chosen: Flags) -> _Battles:
        """Return the battles among the models in a mask (m,), with the models' codes renumbered in the same order."""
        new_code, kept = np.cumsum(chosen) - 1, chosen[self.first] & chosen[self.second]
        return _Battles(
            tuple(model for model, is_chosen in zip(self.models, chosen, strict=True) if is_chosen),
            new_code[self.first[kept]],
            new_code[self.second[kept]],
            self.outcome[kept],
            None if self.clusters is None else self.clusters[kept],
            None if self.share is None else self.share[kept],
        )

    def select_part(self, connected: Connections, code: int) -> _Part:
        """Return the battles of one connected part, with the one-sided battles of each model outside its core."""
        inside = connected.part == code
        battles, core = self.among(inside), connected.core[inside]
        core_place = np.where(core, np.cumsum(core) - 1, UNKNOWN)
        outside = {
            model: one_sided_battles(
                model, battles.first, battles.second, battles.outcome, battles.clusters, core_place
            )
            for model in np.flatnonzero(~core).tolist()
        }
        return _Part(battles, core, outside)

    @property
    def is_even(self) -> bool:
        """Whether there is no battle with a winner, so that the precision of strengths is unknown."""
        return bool((self.outcome == TIE).all())

    def fit(self, *, position_effect: bool) -> Strengths:
        """The strengths of models that are all connected by wins and losses; all are equal if battles are even."""
        m = len(self.models)
        if self.is_even:
            if position_effect:
                raise no_finite_strengths(position_effect=True)
            return Strengths(np.zeros(m), -math.inf, 0.0, np.zeros((m + 2, m + 2)))
        clusters = None if self.clusters is None else np.unique(self.clusters, return_inverse=True)[1]
        return fit_strengths(
            self.first, self.second, self.outcome, clusters, m=m, position_effect=position_effect, share=self.share
        )

    def log_p_if_equal(self, *, position_effect: bool) -> Floats:
        """Return an upper bound (m, m) of the log probability that the row's model wins all battles with the column's
        model, if both are equally strong; 0 if it did not win all of them.

        Battles in a cluster count as one. With a position effect, the bound is the maximum over its unknown size, given
        the numbers of wins as the first and as the second model.
        """
        m = len(self.models)
        first_won, second_won = (
            (self.outcome == FIRST, self.outcome == SECOND)
            if self.share is None
            else (self.share == 1.0, self.share == 0.0)
        )
        winner, loser = np.where(second_won, (self.second, self.first), (self.first, self.second))
        pair, decided = winner * m + loser, first_won | second_won
        wins = np.bincount(pair[decided], minlength=m * m).reshape(m, m)
        fought = np.bincount(self.first * m + self.second, minlength=m * m).reshape(m, m)
        swept = (wins > 0) & (wins == fought + fought.T)
        rows = np.flatnonzero(decided & swept.ravel()[pair])
        weights = np.ones(len(rows))
        if self.clusters is not None:
            weights = one_per_cluster(pair[rows] * (int(self.clusters.max()) + 1) + self.clusters[rows])
        as_first, as_second = (
            np.bincount(pair[rows], weights * won[rows], minlength=m * m).reshape(m, m)
            for won in (first_won, second_won)
        )
        if not position_effect:
            return np.asarray((as_first + as_second) * math.log(0.5), dtype=np.float64)
        from scipy.special import xlogy

        both = as_first + as_second
        return np.asarray(xlogy(as_first, as_first) + xlogy(as_second, as_second) - xlogy(both, both))

    def count_battles(self, flags: Flags | None = None) -> Integers:
        """The number of battles of each model; with `flags`, only of the flagged battles."""
        kept = np.ones(len(self.first), dtype=bool) if flags is None else flags
        return np.bincount(np.concatenate([self.first[kept], self.second[kept]]), minlength=len(self.models))

    def effective_sizes(self) -> Floats:
        """The number of battles of each model, or its effective number of clusters (Kish)."""
        if self.clusters is None:
            return self.count_battles().astype(np.float64)
        m = len(self.models)
        cell = np.concatenate([self.clusters * m + model for model in (self.first, self.second)])
        pairs, sizes = np.unique(cell, return_counts=True)
        total, squares = (np.bincount(pairs % m, sizes.astype(float) ** power, minlength=m) for power in (1, 2))
        return np.asarray(np.divide(total**2, squares, out=np.zeros(m), where=squares > 0))


@dataclass(frozen=True, slots=True)
class _Part:
    """Battles of models that are connected by battles, directly or through other models.

    core (m,): a mask of the models of finite strength. outside: for each other model, its battles with the core.
    """

    battles: _Battles
    core: Flags
    outside: dict[int, OneSidedBattles | None]

    def rank(
        self, number: int, *, position_effect: bool, scale: str, level: float, rng: np.random.Generator
    ) -> tuple[list[BattleRow], Strengths]:
        """The rows of this part, the best model first, and the strengths of its core."""
        battles, m = self.battles, len(self.core)
        of_core = battles.among(self.core)
        strengths, core_units = of_core.fit(position_effect=position_effect), of_core.effective_sizes()
        estimates = self._core_estimates(of_core, strengths, core_units, level)
        estimates |= self._outside_estimates(strengths, core_units, level)
        ranks = self._ranks(of_core, strengths, core_units, position_effect=position_effect, level=level, rng=rng)
        counts, ties = battles.count_battles(), battles.count_battles(battles.outcome == TIE)
        decided = battles.outcome != TIE
        won = np.where(battles.outcome == FIRST, battles.first, battles.second)
        wins = np.bincount(won[decided], minlength=m)

        order = self._order(estimates, ranks, (wins + ties / 2) / counts)
        return [
            BattleRow(
                model=battles.models[model],
                n=int(counts[model]),
                wins=int(wins[model]),
                ties=int(ties[model]),
                strength=_rescaled(estimates[model][0], *SCALES[scale]),
                points=estimates[model][1],
                rank_low=int(ranks.low[model]),
                rank_high=int(ranks.high[model]),
                tier=int(ranks.tier[model]),
                maybe_best=bool(ranks.best[model]),
                part=number,
            )
            for model in order
        ], strengths

    def _order(self, estimates: dict[int, tuple[Estimate, Estimate]], ranks: Ranks, won_shares: Floats) -> list[int]:
        """Return the models from best to worst: the models above the core, the core by strength, the models below the
        core.

        Models outside the core (all models if no strength is finite) are ordered by ranks, then by bounds, then by the
        proportion of battles won.
        """
        middle = ranks.low + ranks.high
        best, worst = middle[self.core].min(), middle[self.core].max()

        def key(model: int) -> tuple[float, ...]:
            strength = estimates[model][0]
            if math.isfinite(strength.value):
                return 0.0, -float(f"{strength.value:.9g}"), float(model)  # fitted to about 1e-10
            side = float(np.sign(strength.value))
            if math.isnan(strength.value):
                side = float(middle[model] < best) - float(middle[model] > worst) if self.has_strengths else 0.0
            bound = strength.low if strength.low is not None else strength.high
            return -side, float(middle[model]), -(bound or 0.0), -float(won_shares[model])

        return sorted(range(len(self.core)), key=key)

    @property
    def has_strengths(self) -> bool:
        """Whether two models or more have a finite strength."""
        return int(self.core.sum()) > 1

    def _core_estimates(
        self, of_core: _Battles, strengths: Strengths, core_units: Floats, level: float
    ) -> dict[int, tuple[Estimate, Estimate]]:
        """Return strengths and points of the core: undefined for a single model, and without intervals if all battles
        are ties."""
        core_models, counts = np.flatnonzero(self.core).tolist(), of_core.count_battles()
        if not self.has_strengths:
            nothing = _estimate(math.nan, math.nan, math.nan, level=level, n=int(counts[0]))
            return {core_models[0]: (nothing, nothing)}
        errors = np.sqrt(np.diag(strengths.covariance)[: len(core_models)])
        estimates, is_even = {}, of_core.is_even
        for place, (model, share) in enumerate(zip(core_models, zip(*strengths.points(), strict=True), strict=True)):
            value, n = float(strengths.theta[place]), int(counts[place])
            reach = math.nan if is_even else _t_quantile(core_units[place], level) * float(errors[place])
            estimates[model] = (
                _estimate(value, value - reach, value + reach, level=level, n=n),
                _share_estimate(share, core_units[place], level=level, n=n),
            )
        return estimates

    def _outside_estimates(
        self, strengths: Strengths, core_units: Floats, level: float
    ) -> dict[int, tuple[Estimate, Estimate]]:
        """Strengths and points of the models outside the core: bounds, or no estimate."""
        estimates = {}
        mean, tail = np.full((1, len(strengths.theta)), 1 / len(strengths.theta)), (1 - level) / 2
        for model, battles in self.outside.items():
            n = 0 if battles is None else len(battles.opponents)
            nothing = Estimate(math.nan, None, None, level=level, method=BOUND, n=n)
            estimates[model] = (nothing, nothing)
            if battles is None or not self.has_strengths:
                continue
            bound = battles.sign * float(battles.bounds(strengths, mean, tail=tail, degrees=_degrees(core_units))[0])
            expected = float(expected_points(bound - strengths.theta, strengths.tie).mean())
            if battles.sign > 0:
                estimates[model] = (
                    replace(nothing, value=math.inf, low=bound),
                    replace(nothing, value=1.0, low=expected, high=1.0),
                )
            else:
                estimates[model] = (
                    replace(nothing, value=-math.inf, high=bound),
                    replace(nothing, value=0.0, low=0.0, high=expected),
                )
        return estimates

    def _ranks(
        self,
        of_core: _Battles,
        strengths: Strengths,
        core_units: Floats,
        *,
        position_effect: bool,
        level: float,
        rng: np.random.Generator,
    ) -> Ranks:
        m, m_core = len(self.core), len(strengths.theta)
        pairs_of_core = np.zeros((m_core, m_core), dtype=bool), np.zeros(m_core, dtype=bool)
        if not of_core.is_even:
            share_of_pairs, share_of_best = m_core * (m_core - 1) / (m * (m - 1)), (m_core - 1) / (m - 1)
            pairs_of_core = better_estimates(
                strengths.theta,
                strengths.covariance[:m_core, :m_core],
                core_units,
                level=level if m_core == m else 1 - (1 - level) * share_of_pairs,
                level_of_best=level if m_core == m else 1 - (1 - level) * share_of_best,
                rng=rng,
            )
        if m_core == m:
            return assemble_ranks(*pairs_of_core, MAX_T)
        core, outside = self.core, {model: battles for model, battles in self.outside.items() if battles is not None}
        if not self.has_strengths:  # the core is a single model, so only battles of two models are tested
            core, outside, pairs_of_core = np.zeros(m, dtype=bool), {}, (pairs_of_core[0][:0, :0], pairs_of_core[1][:0])
        log_p = self.battles.log_p_if_equal(position_effect=position_effect)
        better, worse_than_some = pairwise_better(
            pairs_of_core, core, outside, log_p, strengths, level=level, degrees=_degrees(core_units)
        )
        return assemble_ranks(better, worse_than_some, MAX_T)


def _rescaled(strength: Estimate, mean: float, unit: float) -> Estimate:
    """Convert a strength in log odds to a scale with this mean and unit."""
    low, high = (None if end is None else mean + unit * end for end in (strength.low, strength.high))
    return replace(strength, value=mean + unit * strength.value, low=low, high=high)


def _degrees(units: Floats) -> float:
    """Degrees of freedom of the core's errors: the smallest number of clusters or battles of a model, minus 1."""
    return max(float(units.min()) - 1, 1.0) if len(units) > 1 else 1.0


def _t_quantile(units: float, level: float) -> float:
    """The quantile of Student's t; NaN for a single unit."""
    return t_quantile(level, units - 1) if units > 1 else math.nan


def _estimate(value: float, low: float, high: float, *, level: float, n: int) -> Estimate:
    is_finite = math.isfinite(high - low)
    ends = (float(low) if is_finite else None, float(high) if is_finite else None)
    return Estimate(float(value), ends[0], ends[1], level=level, method=SANDWICH, n=n)


def _share_estimate(share: tuple[float, float], units: float, *, level: float, n: int) -> Estimate:
    """The estimate of a proportion, with an interval that is symmetric in log odds. share: value and standard error."""
    from scipy.special import expit

    value, error = share
    if not 0.0 < value < 1.0 or error == 0.0:
        return _estimate(value, math.nan, math.nan, level=level, n=n)
    odds, reach = math.log(value / (1 - value)), _t_quantile(units, level) * error / (value * (1 - value))
    return _estimate(value, expit(odds - reach), expit(odds + reach), level=level, n=n)
