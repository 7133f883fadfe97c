"""Result classes of scores and battles: a row per model and group, with ranks and tiers, and the sentence on them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from howsure.inputs.numbers_and_names import (
    MAX_NAMED,
    count_equal_first,
    counted,
    equal_values_text,
    listed_names,
    shortened,
)
from howsure.inputs.parameter_types import Axes, Figure
from howsure.notes import DETAIL, FINDING, WARNING, Note, notes_by_name
from howsure.result import AMONG, Estimate, Row, Rows, as_json, estimate_text
from howsure.show.axes import checks_axes
from howsure.show.table import COUNT, ESTIMATE, FLAG, FRAME, HIGHER, LOWER, TABLE, TEXT, WORDS, Column
from howsure.stats.jackknife_value import JackknifeValue
from howsure.stats.mean_score import MeanScore
from howsure.worst_rows import WorstRows


class Ranked:
    """Base class of rows with optional ranks."""

    __slots__ = ()
    rank_low: int | None
    rank_high: int | None

    @property
    def ranks(self) -> str | None:
        """The possible ranks of the model.

        >>> ScoreRow("acc", None, "a", 9, 1, 0, Estimate(0.5, 0.4, 0.6, level=0.95, method="", n=9), 1, 3).ranks
        '1–3'
        """
        if self.rank_low is None:
            return None
        return f"{self.rank_low}" if self.rank_low == self.rank_high else f"{self.rank_low}–{self.rank_high}"


RANKS_AND_BEST_NOTE = (
    'Ranks allow for the tests of all pairs of models, "may be best" only for the tests of one model. So a model whose '
    'ranks begin at 1 can have "no" in this column.'
)


class Leaderboard(Rows[Row]):
    """Rows of models, the best first, with their figure."""

    __slots__ = ()
    recipe: Mapping[str, Any]

    @checks_axes
    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw means, or points of battles, with intervals and ranks on matplotlib axes (new ones if None)."""
        from howsure.figures.scores import draw_scores

        return draw_scores(self, ax=ax)

    def figure(self) -> Figure:
        """The same as a figure, as high as its rows need."""
        from howsure.figures.style import parent_figure

        return parent_figure(self.plot())


@dataclass(frozen=True, slots=True)
class ScoreRow(Ranked):
    """The mean score of a model in a group over its n items; an item with several runs counts with their mean.

    score: name of the score. missing: number of rows without a score that count as `missing_score`. rank_low,
    rank_high: possible ranks among the models of the group. tier: tier in the group. maybe_best: no other model is
    significantly better. Ranks, tier and maybe_best are None if models are not ranked. lacks_items: other models have
    items that this model lacks. not_compared: the models with which it shares too few items for a test. test: the tests
    of the mean, for `check_score`; None for the mean of groups over two samples. is_overall: the groups are pooled.
    """

    score: str
    group: str | None
    model: str | None
    n: int
    runs: int
    missing: int
    mean: Estimate
    rank_low: int | None = None
    rank_high: int | None = None
    tier: int | None = None
    maybe_best: bool | None = None
    notes: tuple[str, ...] = ()
    lacks_items: bool = as_json(None, default=False)
    not_compared: tuple[str, ...] = as_json(None, default=())
    test: MeanScore | JackknifeValue | None = as_json(None, default=None, repr=False, compare=False)
    is_overall: bool = as_json(None, default=False)


FEW_SHARED = 30  # items; a note names a model that shares fewer


def lacking_items_notes(lacking: int, n: int, shared: Mapping[str, int]) -> list[str]:
    """A note on a model that lacks items of other models. shared: the number of items it shares with each model."""
    if not lacking:
        return []
    missing = f"{lacking:,} of {counted(n, 'item')} missing; ranks compare shared items"
    few = {model: count for model, count in shared.items() if 1 < count < FEW_SHARED}
    if not few:
        return [f"{missing}."]
    model = min(few, key=lambda name: few[name])
    return [Note(f"{missing}, and only {few[model]:,} are shared with {model}.", WARNING)]


def not_compared_notes(names: Sequence[str], kind: str, *, notes: bool) -> list[Note]:
    """A note on the models with which a model shares too few items or clusters (`kind`)."""
    text = f"not compared with {shortened(names)}: fewer than two {kind} in common."
    return [Note(text, WARNING)] if names and notes else []


class NotRanked(Note):
    """A note that says why models are not ranked."""


def without_ranks(rows: Sequence[ScoreRow], note: Note) -> list[ScoreRow]:
    """The rows of models that are not ranked, with a note that says why."""
    why = NotRanked(note, WARNING, note.template)
    return [replace(row, notes=(*row.notes, why)) for row in rows]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ScoreTable(Leaderboard[ScoreRow]):
    """The result of `mean_scores`: a row per score, group and model, the best model of a group first.

    Iteration and `len` refer to rows. The index is the position of a row. worst: the worst items, if requested. recipe:
    all settings and the provenance of the data, to reproduce the result.
    """

    rows: tuple[ScoreRow, ...] = as_json("scores")
    worst: WorstRows | None = as_json(AMONG, default=None)
    notes: tuple[str, ...] = ()
    recipe: Mapping[str, Any]

    named = ""
    title = "Scores"
    further = ("worst",)

    def columns(self) -> Sequence[Column]:
        """Groups, models and means with intervals; ranks if the models are ranked."""
        rows = self.rows
        level = f"in brackets the {100 * rows[0].mean.level:g}% interval"
        mixed = "lower_is_better_scores" in self.recipe
        better = "" if mixed else LOWER if self.recipe["lower_is_better"] else HIGHER
        several = len({row.score for row in rows}) > 1 or {"pass_at", "pass_hat"} & self.recipe.keys()
        metrics = self.recipe.get("metrics", ())
        heading = metrics[0] if len(metrics) == 1 else "value" if metrics else ""
        shown = [
            Column("score", WORDS) if several else None,
            Column("group", WORDS) if any(row.group is not None for row in rows) else None,
            Column("model", WORDS) if any(row.model is not None for row in rows) else None,
            Column("n", COUNT, legend="number of items"),
            Column("runs", COUNT) if any(row.runs > 1 for row in rows) else None,
            Column("missing", COUNT) if any(row.missing for row in rows) else None,
            Column("mean", ESTIMATE, heading, better=better, legend=level),
            *(_rank_columns(rows[0].mean.level) if any(row.ranks for row in rows) else ()),
        ]
        ranked = RANKS if any(row.ranks for row in rows) else []
        return [
            *(column for column in shown if column is not None),
            *ranked,
            Column("method", WORDS, get=lambda row: row.mean.method, only=FRAME),
        ]

    @property
    def answer(self) -> str:
        """A sentence that names the best model, or gives the only mean."""
        return scores_answer(self)

    def next_parameters(self) -> Mapping[str, object]:
        """Parameters for the suggested next step: the worst items, or a report."""
        return {"worst": 10} if self.worst is None else {"report": "scores.html"}

    def footnotes(self) -> Sequence[str]:
        """The notes; a note on some rows only names their models. Models that lack the most items come first."""
        several = len({row.score for row in self.rows}) > 1
        common = [note for note in self.rows[0].notes if all(note in row.notes for row in self.rows)]
        of_rows = notes_by_name(
            (_row_label(row, row.score if several else None), [note for note in row.notes if note not in common])
            for row in sorted(self.rows, key=lambda row: row.n if row.lacks_items else math.inf)
        )
        return [*ranks_notes(self.rows), *self.notes, *common, *of_rows]

    def competing_rows(self) -> Sequence[Hashable]:
        """The competing models, by score and group."""
        return [(row.score, row.group) for row in self.rows]


@dataclass(frozen=True, slots=True)
class BattleRow(Ranked):
    """The strength of a model, from its n battles.

    strength: log odds, or Elo points; infinite, with a lower bound, if the model won all its battles. points: expected
    points of a battle against a random other model of finite strength (win 1, tie ½). rank_low, rank_high: possible
    ranks. tier: tier of the model. maybe_best: whether no other model is significantly better. part: the number of the
    connected set of models to which the model belongs; ranks and tiers are within this set.
    """

    model: str
    n: int
    wins: int
    ties: int
    strength: Estimate
    points: Estimate
    rank_low: int
    rank_high: int
    tier: int
    maybe_best: bool
    part: int = 1


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class BattleTable(Leaderboard[BattleRow]):
    """The result of `rank_battles`: a row per model, the strongest first.

    first: expected points of the model shown first, if both are equally strong; None unless requested. ties: the
    probability that two equally strong models tie; None without ties. recipe: all settings, to reproduce the result.
    """

    rows: tuple[BattleRow, ...] = as_json("models")
    first: Estimate | None
    ties: Estimate | None
    notes: tuple[str, ...] = ()
    recipe: Mapping[str, Any]

    named = "model"
    title = "Battles"
    suggested: ClassVar = {"report": "battles.html"}

    @property
    def answer(self) -> str:
        """A sentence that names the strongest model."""
        return battles_answer(self)

    def columns(self) -> Sequence[Column]:
        """Models, numbers of battles, points and strengths with intervals, and ranks."""
        level = f"in brackets the {100 * self.rows[0].strength.level:g}% interval"
        others = "others of finite strength" if any(math.isinf(row.strength.value) for row in self.rows) else "others"
        return [
            *([Column("part", COUNT)] if self.rows[-1].part > 1 else []),
            Column("model", WORDS),
            Column("n", COUNT, legend="number of battles"),
            Column("wins", COUNT),
            *([] if self.ties is None else [Column("ties", COUNT)]),
            Column(
                "points",
                ESTIMATE,
                better=HIGHER,
                legend=f"expected points of a battle with one of the {others}; {level}",
            ),
            *self._strength_columns(),
            *_rank_columns(self.rows[0].strength.level),
            *RANKS,
        ]

    def _strength_columns(self) -> list[Column]:
        """Strengths in log odds with four decimals; Elo points, in a table, without decimals."""
        if self.recipe.get("scale") != "elo":
            legend = "log odds compared with the mean model"
            return [Column("strength", ESTIMATE, better=HIGHER, legend=legend)]
        legend = "Elo points; the mean model has 1,000"
        return [
            Column("strength", TEXT, get=lambda row: estimate_text(row.strength, 0), only=TABLE, legend=legend),
            Column("strength", ESTIMATE, only=FRAME),
        ]

    def footnotes(self) -> Sequence[str]:
        """The effects of position and ties, and the notes."""
        lead = f"Of two equally strong models, the one shown first gets {self.first} of the points."
        tied = f"Two equally strong models tie with probability {self.ties}."
        findings = [] if self.first is None else [Note(lead, FINDING)]
        ties = [] if self.ties is None else [Note(tied, DETAIL)]
        points = Note(
            "Points are the probability of a win plus half that of a tie, averaged over the other models.", DETAIL
        )
        return [*findings, *ranks_notes(self.rows), *ties, *self.notes, points]


RANKS = [Column(name, COUNT, only=FRAME) for name in ("rank_low", "rank_high")]


def ranks_notes(rows: Sequence[ScoreRow | BattleRow]) -> list[str]:
    """A note if the possible ranks of a model begin at 1, although it is not possibly best."""
    return [RANKS_AND_BEST_NOTE] if any(row.rank_low == 1 and row.maybe_best is False for row in rows) else []


def _rank_columns(level: float) -> Iterator[Column]:
    together = f"the ranks of all models hold together with {100 * level:g}% confidence"
    yield Column("rank", TEXT, get=lambda row: row.ranks, only=TABLE, legend=together)
    yield Column(
        "tier", COUNT, legend="each model of a tier is significantly better than all models of lower tiers", detail=True
    )
    yield Column("maybe_best", FLAG, "may be best", legend="not significantly worse than any other model")


def _row_label(row: ScoreRow, score: str | None) -> str:
    return ", ".join(part for part in (score, row.group, row.model) if part is not None) or "note"


# The first line of output for score tables and battles: one sentence with the result.


OVERALL, MACRO = "overall", "macro mean"  # names of the rows over all items and for means of groups


def best_model_sentence(
    names: Sequence[str], values: Sequence[Estimate], not_worse: Sequence[bool | None], *, by: str = ""
) -> str:
    """Return a sentence on the model or the models with the best mean, which come first, and on the other models that
    are not significantly worse. not_worse: None if a model is not compared with the best. by: a phrase on how means are
    estimated.

    >>> large, small = (Estimate(x, x - 0.05, x + 0.05, level=0.95, method="", n=9) for x in (0.75, 0.5))
    >>> best_model_sentence(["large", "small"], [large, small], [True, False])
    'large scores best, 0.7500 [0.7000, 0.8000]; significantly better than small.'
    """
    equal = count_equal_first([value.value for value in values])
    others, verdicts = names[equal:], not_worse[equal:]
    rivals = [name for name, rival in zip(others, verdicts, strict=True) if rival]
    compared = [name for name, rival in zip(others, verdicts, strict=True) if rival is not None]
    if len(compared) == len(others):
        rest = _rivals_text(rivals, others)
    elif not compared:
        rest = f"{counted(len(names), 'model')}, not compared"
    else:
        better = [name for name in compared if name not in rivals]
        lists = {"significantly better than": better, "not significantly worse:": rivals}
        lists["not compared:"] = [name for name in others if name not in compared]
        rest = "; ".join(f"{label} {shortened(models, limit=MAX_NAMED)}" for label, models in lists.items() if models)
    if equal == 1:
        return f"{names[0]} {'scores best' if compared else 'has the highest mean'}{by}, {values[0]}; {rest}."
    statement = equal_means_text(names, values, by=by)
    return f"{statement}{f'; {rest}' if others else ''}."


def equal_means_text(names: Sequence[str], values: Sequence[Estimate], *, by: str) -> str:
    """Return the beginning of a sentence on the models with the best mean, which come first."""
    equal, value = count_equal_first([value.value for value in values]), f"{values[0].value:.4f}"
    return equal_values_text(names[:equal], value, extreme="highest", of_all=len(names), what=f"equal means{by}")


def _rivals_text(rivals: Sequence[str], others: Sequence[str]) -> str:
    """Return the phrase on the other models that are not significantly worse than the best model."""
    if not rivals:
        return f"significantly better than {others[0] if len(others) == 1 else f'the other {len(others):,} models'}"
    if len(rivals) == len(others) > 1:
        return "no other model is significantly worse"
    return f"{shortened(rivals, limit=MAX_NAMED)} {'is' if len(rivals) == 1 else 'are'} not significantly worse"


def ranked_best_text(rows: Sequence[Any], *, equal: int = 1) -> str:
    """Return the phrase on models that do not differ significantly from the best model (the first row), by their ranks.
    equal: the number of first rows with the best mean.

    A model whose ranks begin at 1 is not significantly worse than any other model if all pairs are compared. The phrase
    says so if such a model is not possibly best, because that test compares fewer pairs. If the best models do not
    differ significantly from some model whose ranks begin later, the phrase gives their possible ranks instead.
    """
    best, others = rows[:equal], rows[equal:]
    rivals = [row for row in others if row.rank_low == 1]
    if {equal + len(rivals)} == {row.rank_high for row in best}:
        pairs = "" if all(row.maybe_best for row in rivals) else " when all pairs are compared"
        not_compared = getattr(rows[0], "not_compared", ())
        if not_compared:
            tested = [str(row.model) for row in rivals if str(row.model) not in not_compared]
            phrases = [f"not significantly worse: {shortened(tested, limit=MAX_NAMED)}"] if tested else []
            return "; ".join([*phrases, f"not compared with it: {shortened(not_compared, limit=MAX_NAMED)}"])
        return _rivals_text([str(row.model) for row in rivals], [str(row.model) for row in others]) + pairs
    if equal == 1:
        return f"its possible ranks are {rows[0].ranks}"
    return f"possible ranks: {shortened([f'{row.model} {row.ranks}' for row in best], limit=MAX_NAMED)}"


def scores_answer(table: ScoreTable) -> str:
    """The first line of a table: its best model, or its only mean."""
    first_score = table.rows[0].score
    rows = [row for row in table.rows if row.score == first_score]
    several_scores = len({row.score for row in table.rows}) > 1
    by_group: dict[str | None, list[ScoreRow]] = {}
    for row in rows:
        by_group.setdefault(row.group, []).append(row)
    pooled = next((group for group in (MACRO, OVERALL) if group in by_group), None)
    if pooled is None and len(by_group) > 1:
        return _across_groups(by_group, table.recipe, f"By {first_score}, " * several_scores)
    where = " over all groups" if pooled == OVERALL else " in the mean of the groups" if pooled == MACRO else ""
    return _group_sentence(
        by_group[pooled] if pooled else rows, table.recipe, f"By {first_score}" * several_scores, where
    )


def _group_sentence(rows: Sequence[ScoreRow], recipe: Mapping[str, Any], by: str, where: str) -> str:
    """Return the first line for the models of one group. by: a phrase that names the score, if there are several
    scores. where: a phrase on the rows that are compared.
    """
    names, values = [str(row.model) for row in rows], [row.mean for row in rows]
    prefix = f"{by}, " if by else ""
    if len(rows) == 1:
        metrics = recipe.get("metrics", ())
        quantity = by.removeprefix("By ") or (metrics[0] if len(metrics) == 1 else "The mean score")
        of = "" if rows[0].model is None else f" of {rows[0].model}"
        return f"{quantity}{of} is {values[0]}{where}."
    means = [value.value for value in values]
    lower_is_better, equal = recipe["lower_is_better"], count_equal_first(means)
    extreme, best_mean = ("lowest", min(means)) if lower_is_better else ("highest", max(means))
    if equal > 1 and math.isclose(means[0], best_mean, rel_tol=1e-12):
        where += " of their own items" if any(row.lacks_items for row in rows[:equal]) else ""
        statement = equal_values_text(names[:equal], f"{values[0].value:.4f}", extreme=extreme, of_all=len(rows))
        rest = "not ranked" if rows[0].ranks is None else ranked_best_text(rows, equal=equal)
        return f"{prefix}{statement}{where}{f'; {rest}' if equal < len(rows) or rows[0].ranks is None else ''}."
    if rows[0].ranks is not None:
        rest = ranked_best_text(rows)
        best = "best (lowest)" if lower_is_better else "best"
        if means[0] != best_mean:
            shared = f"{prefix}{names[0]} scores {best}{where} on the items that models share"
            return f"{shared}, {values[0]} on all its own items; {rest}."
        where = " on its own items" if rows[0].lacks_items else where
        return f"{prefix}{names[0]} scores {best}{where}, {values[0]}; {rest}."
    return f"{prefix}{names[0]} has the {extreme} mean{where}, {values[0]}; {counted(len(rows), 'model')}, not ranked."


def _across_groups(by_group: Mapping[str | None, Sequence[ScoreRow]], recipe: Mapping[str, Any], by: str) -> str:
    """Return the first line if groups are not pooled: in how many groups each model is first, or the range of the
    means.

    by: a phrase that names the score, if there are several scores; groups of other scores are not counted.
    """
    if any(len(rows) > 1 for rows in by_group.values()):
        firsts = Counter(
            str(row.model)
            for rows in by_group.values()
            for row in rows[: count_equal_first([row.mean.value for row in rows])]
        )
        shares = [f"{model} in {count:,}" for model, count in firsts.most_common()]
        extreme = "lowest" if recipe["lower_is_better"] else "highest"
        groups = counted(len(by_group), "group")
        return f"{by}{'the' if by else 'The'} {extreme} mean of {groups} has {shortened(shares, limit=MAX_NAMED)}."
    ordered = sorted((rows[0] for rows in by_group.values()), key=lambda row: row.mean.value)
    low, high = ordered[0], ordered[-1]
    means = f"{by}{'means' if by else 'Means'}"
    if count_equal_first([low.mean.value, high.mean.value]) > 1:
        return f"{means} of {len(ordered):,} groups are equal, {low.mean.value:.4f}."
    return f"{means} of {len(ordered):,} groups range from {low.mean} ({low.group}) to {high.mean} ({high.group})."


def battles_answer(table: BattleTable) -> str:
    """Return a sentence on the strongest model by expected points, and the models that are not significantly weaker. If
    no battles connect some models, the sentence names the strongest model of each connected part."""
    rows = table.rows
    if rows[-1].part > 1:
        parts = [[row for row in rows if row.part == part] for part in sorted({row.part for row in rows})]
        listed = shortened([listed_names(_strongest(part)) for part in parts], limit=MAX_NAMED)
        return f"The battles fall into {len(parts)} parts that cannot be compared; strongest in each: {listed}."
    if len(rows) == 1 or math.isnan(rows[0].points.value):
        most = max(row.wins for row in rows)
        first = [row for row in rows if row.wins == most]
        if len(first) > 1:
            return f"{listed_names([row.model for row in first])} have equal wins, {counted(most, 'battle')} each."
        return f"{first[0].model} won the most, {most:,} of {counted(first[0].n, 'battle')}."
    names = _strongest(rows)
    verb = "scores" if len(names) == 1 else "score"
    rest = "" if len(names) == len(rows) else f"; {ranked_best_text(rows, equal=len(names))}"
    return f"{listed_names(names)} {verb} the most points, {rows[0].points}{rest}."


def _strongest(rows: Sequence[BattleRow]) -> list[str]:
    """Return the models with the most points, those of the first row."""
    return [row.model for row in rows[: count_equal_first([row.points.value for row in rows])]]
