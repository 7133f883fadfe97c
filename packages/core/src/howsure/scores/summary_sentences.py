"""The first line of output for score tables and battles: one sentence with the result."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from howsure.inputs.numbers_and_names import counted, shortened
from howsure.result import Estimate
from howsure.show.ties import MAX_NAMED, count_equal_first, equal_values_text, listed_names

if TYPE_CHECKING:
    from howsure.scores.results import BattleRow, BattleTable, ScoreRow, ScoreTable

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


def ranked_best_text(rows: Sequence[Any], *, equal: int = 1, not_compared: Sequence[str] = ()) -> str:
    """Return the phrase on models that do not differ significantly from the best model (the first row), by their ranks.
    equal: the number of first rows with the best mean. not_compared: models that are not compared with the best model.

    A model whose ranks begin at 1 is not significantly worse than any other model if all pairs are compared. The phrase
    says so if such a model is not possibly best, because that test compares fewer pairs. If the best models do not
    differ significantly from some model whose ranks begin later, the phrase gives their possible ranks instead.
    """
    best, others = rows[:equal], rows[equal:]
    rivals = [row for row in others if row.rank_low == 1]
    if {equal + len(rivals)} == {row.rank_high for row in best}:
        pairs = "" if all(row.maybe_best for row in rivals) else " when all pairs are compared"
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
        rest = (
            "not ranked"
            if rows[0].ranks is None
            else ranked_best_text(rows, equal=equal, not_compared=rows[0].not_compared)
        )
        return f"{prefix}{statement}{where}{f'; {rest}' if equal < len(rows) or rows[0].ranks is None else ''}."
    if rows[0].ranks is not None:
        rest = ranked_best_text(rows, not_compared=rows[0].not_compared)
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
