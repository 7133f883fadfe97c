"""The first line of output for score tables and battles: one sentence with the result."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from howsure.inputs.numbers_and_names import counted, shortened
from howsure.result import Estimate

if TYPE_CHECKING:
    from howsure.scores.results import BattleTable, ScoreRow, ScoreTable

OVERALL, MACRO = "overall", "macro mean"  # names of the rows over all items and for means of groups
MAX_NAMED = 3  # number of models in a sentence


def best_model_sentence(
    names: Sequence[str], values: Sequence[Estimate], not_worse: Sequence[bool | None], *, what: str = "best"
) -> str:
    """Return a sentence that the first model is the best, and on the other models that are not significantly worse.

    >>> large, small = (Estimate(x, x - 0.05, x + 0.05, level=0.95, method="", n=9) for x in (0.75, 0.5))
    >>> best_model_sentence(["large", "small"], [large, small], [True, False])
    'large scores best, 0.7500 [0.7000, 0.8000]; significantly better than small.'
    """
    rivals = [name for name, rival in zip(names[1:], not_worse[1:], strict=True) if rival]
    return f"{names[0]} scores {what}, {values[0]}; {_rivals_text(rivals, names[1:])}."


def best_and_equal(means: Sequence[float]) -> int:
    """Return how many of the first means are equal, up to rounding.

    >>> best_and_equal([0.1 + 0.2, 0.3, 0.2])
    2
    """
    return next((i for i, mean in enumerate(means) if not math.isclose(mean, means[0], rel_tol=1e-12)), len(means))


def equal_means_text(names: Sequence[str], value: str, *, extreme: str, of_all: int) -> str:
    """Return a sentence, without a full stop, on the models that share the best mean. of_all: the number of all models.

    >>> equal_means_text(["a", "b"], "0.6000", extreme="highest", of_all=3)
    'a and b have equal means, the highest, 0.6000'
    """
    listed = " and ".join(names) if len(names) == 2 else shortened(names, limit=MAX_NAMED)
    return f"{listed} have equal means, {f'the {extreme}, ' if len(names) < of_all else ''}{value}"


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
    equal = 1 if any(row.lacks_items for row in rows) else best_and_equal([value.value for value in values])
    extreme = "lowest" if recipe["lower_is_better"] else "highest"
    if equal > 1:
        statement = equal_means_text(names[:equal], f"{values[0].value:.4f}", extreme=extreme, of_all=len(rows))
        rest = "not ranked" if rows[0].ranks is None else ranked_best_text(rows, equal=equal)
        return f"{prefix}{statement}{where}{f'; {rest}' if equal < len(rows) or rows[0].ranks is None else ''}."
    if rows[0].ranks is not None:
        best = "best (lowest)" if recipe["lower_is_better"] else "best"
        means = [value.value for value in values]
        if values[0].value != (min(means) if recipe["lower_is_better"] else max(means)):
            shared = f"{prefix}{names[0]} scores {best}{where} on the items that models share"
            return f"{shared}, {values[0]} on all of its own; {ranked_best_text(rows)}."
        where = " on its own items" if rows[0].lacks_items else where
        return f"{prefix}{names[0]} scores {best}{where}, {values[0]}; {ranked_best_text(rows)}."
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
            for row in rows[: best_and_equal([row.mean.value for row in rows])]
        )
        shares = [f"{model} in {count:,}" for model, count in firsts.most_common()]
        extreme = "lowest" if recipe["lower_is_better"] else "highest"
        groups = counted(len(by_group), "group")
        return f"{by}{'the' if by else 'The'} {extreme} mean of {groups} has {shortened(shares, limit=MAX_NAMED)}."
    ordered = sorted((rows[0] for rows in by_group.values()), key=lambda row: row.mean.value)
    low, high = ordered[0], ordered[-1]
    means = f"{by}{'means' if by else 'Means'}"
    return f"{means} of {len(ordered):,} groups range from {low.mean} ({low.group}) to {high.mean} ({high.group})."


def battles_answer(table: BattleTable) -> str:
    """A sentence on the strongest model by expected points, and the models that are not significantly weaker; if
    battles fall into several parts, the strongest model of each part.
    """
    rows = table.rows
    if rows[-1].part > 1:
        first_rows = {row.part: row.model for row in reversed(rows)}
        listed = shortened([first_rows[part] for part in sorted(first_rows)], limit=MAX_NAMED)
        return f"The battles fall into {len(first_rows)} parts that cannot be compared; strongest in each: {listed}."
    if len(rows) == 1 or math.isnan(rows[0].points.value):
        return f"{rows[0].model} won the most, {rows[0].wins:,} of {counted(rows[0].n, 'battle')}."
    first = [str(row.model) for row in rows if row.points.value == rows[0].points.value]
    verb = "scores" if len(first) == 1 else "score"
    rest = "" if len(first) == len(rows) else f"; {ranked_best_text(rows, equal=len(first))}"
    return f"{' and '.join(first)} {verb} the most points, {rows[0].points}{rest}."
