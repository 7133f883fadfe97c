"""`mean_scores`, `score_models`, `pass_at_k` and `worst_items`: the score of each model, and the items on which it
fails.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Literal

from howsure.inputs.arguments import Randomness, check_arguments
from howsure.inputs.frames import Source
from howsure.inputs.numbers_and_names import check_integer, notes_on_numbers
from howsure.inputs.parameter_types import ArrayLike, IntoFrame
from howsure.scores.results import ScoreTable
from howsure.scores.score_table import as_sequence, score_table
from howsure.significance.metrics.requested import metrics_and_class
from howsure.worst_rows import Show, WorstRows


def mean_scores(
    score: ArrayLike | str | None = None,
    *,
    model: ArrayLike | str | None = None,
    groups: ArrayLike | str | None = None,
    id: ArrayLike | str | None = None,
    run: ArrayLike | str | None = None,
    clusters: ArrayLike | str | None = None,
    pos_label: Hashable = None,
    bounds: tuple[float, float] | None = None,
    lower_is_better: bool = False,
    macro: bool = False,
    sampled: Literal["items", "groups", "both"] = "items",
    missing_score: float | None = None,
    level: float = 0.95,
    rng: Randomness = None,
    data: Source | IntoFrame | None = None,
) -> ScoreTable:
    """Estimate the mean score of each model on its own items, with an interval and its possible ranks.

    The result has a row per model and group. If an item has several runs, their mean counts once, because items (or
    clusters of items) were sampled, not runs. Scores that are all 0 or 1, or lie between known bounds, get Gaffke's
    interval; other scores get Student's t. Gaffke's interval is exact for scores of 0 and 1 without clusters, and is
    valid even if clusters are right or wrong as a whole. If several models have items in common, each model gets its
    possible ranks, a tier, and whether it is possibly the best. All ranks together are correct with probability
    `level`.

    score (n,): a number per row, such as whether the answer is right; a log names its scores itself.
    model (n,): the model of each row (default: in files, each file is a model).
    groups (n,): the group of each row, such as its task or category; each group gets a row of the table.
    id (n,): the item of each row, on which models are compared and over whose runs the mean is taken.
    run (n,): the repeated run of each row.
    clusters (n,): the cluster of each item, such as its document; items of a cluster may be correlated.
    pos_label: the value that counts as 1, every other as 0.
    bounds: the lowest and the highest possible score; those of scores that are all 0 or 1 are known.
    lower_is_better: lower scores are better.
    macro: also compute the mean of the groups' means, in which each group has the same weight.
    sampled: for the mean of groups, what is a random sample: items, groups (tasks, prompts), or both. With groups or
        both, its interval and ranks are also valid for other groups like these. An id that is in several groups is one
        item.
    missing_score: the score of a row without one, such as 0 for unanswered questions (default: an error).
    level: level of the intervals, and of all ranks of a group together.
    rng: seed of the multipliers of the ranks.

    Sources: Gaffke (2005); Mogstad, Romano, Shaikh & Wilhelm (2024) for ranks.

    >>> right = [1] * 90 + [0] * 10 + [1] * 60 + [0] * 40
    >>> table = mean_scores(right, model=["large"] * 100 + ["small"] * 100, id=[*range(100)] * 2, rng=0)
    >>> [(row.model, str(row.mean), row.ranks, row.tier) for row in table]
    [('large', '0.9000 [0.8238, 0.9510]', '1', 1), ('small', '0.6000 [0.4972, 0.6967]', '2', 2)]

    Raises InputError naming the parameter, row and value that violated a rule.
    """
    return score_table(**check_arguments(mean_scores, locals()))


def score_models(
    y_true: ArrayLike | str | None = None,
    prediction: ArrayLike | str | None = None,
    *,
    metrics: str | Sequence[str] | Mapping[str, Hashable] = (),
    model: ArrayLike | str | None = None,
    groups: ArrayLike | str | None = None,
    id: ArrayLike | str | None = None,
    run: ArrayLike | str | None = None,
    clusters: ArrayLike | str | None = None,
    macro: bool = False,
    sampled: Literal["items", "groups", "both"] = "items",
    level: float = 0.95,
    worst: int | None = None,
    show: Show = (),
    rng: Randomness = None,
    data: Source | IntoFrame | None = None,
) -> ScoreTable:
    """Compute metrics of each model's predictions, such as accuracy, entity F1 or BLEU, with intervals and possible
    ranks.

    y_true (n,): the true value of each row: a label, or tags, spans, labels, relevance, a text.
    prediction (n,): the prediction of the model.
    metrics: one or more metrics of labels (accuracy by default, macro_f1, balanced_accuracy, mcc …; {"f1": "spam"}: of
        one class) or of documents (entity_f1, multilabel_micro_f1, ndcg@10, wer, bleu …), listed in
        docs/significance.md.
    worst: number of items to list that most models get wrong; with a single model, items that it gets wrong.
    show: columns of these items to show, such as question,answer.

    The other parameters are those of `mean_scores`. Intervals of metrics that are not means come from the jackknife.
    Macro averages are over the classes that occur in `y_true` (of the group); a class with few items widens the
    interval. Without
    `data`, `show` maps names to arrays. Without `prediction`, `y_true` is a file like those of the models (`data`),
    with a document in each line or sentence.

    >>> row = score_models(["a", "b", "a", "b"] * 20, ["a", "b", "a", "a"] * 20)[0]
    >>> row.score, str(row.mean)
    ('accuracy', '0.7500 [0.6406, 0.8402]')

    Raises InputError naming the parameter, row and value that violated a rule.
    Source: the programs that define the metrics (docs/document-metrics.md).
    """
    arguments = check_arguments(score_models, locals())
    arguments |= metrics_and_class(arguments["metrics"])
    if prediction is None and isinstance(y_true, str) and isinstance(data, Source):
        arguments |= {"y_true": None, "targets": y_true}
    return score_table(**arguments)


def pass_at_k(
    score: ArrayLike | str | None = None,
    *,
    pass_at: Sequence[int] | int = (),
    pass_hat: Sequence[int] | int = (),
    model: ArrayLike | str | None = None,
    groups: ArrayLike | str | None = None,
    id: ArrayLike | str | None = None,
    run: ArrayLike | str | None = None,
    clusters: ArrayLike | str | None = None,
    pos_label: Hashable = None,
    macro: bool = False,
    sampled: Literal["items", "groups", "both"] = "items",
    missing_score: float | None = None,
    level: float = 0.95,
    rng: Randomness = None,
    data: Source | IntoFrame | None = None,
) -> ScoreTable:
    """Estimate the probability that at least one of k runs of an item is right (pass@k), or that all are (pass^k).

    score (n,): 1 if the run is right, else 0; a log names its scores itself.
    pass_at: numbers k of runs: the probability that at least one of k is right.
    pass_hat: numbers k of runs: the probability that all k are right.
    id (n,): the item of each row.
    run (n,): the run of each row.

    If c of n runs of an item are right, pass@k is 1 - C(n - c, k) / C(n, k) and pass^k is C(c, k) / C(n, k). Both are
    unbiased, and the intervals of all requested k hold simultaneously. If no k is given, the result is pass@1. The
    other parameters are those of `mean_scores`.

    >>> right = [1, 0, 0, 1, 1, 0, 0, 0, 0] * 10  # 3 runs each of 30 items
    >>> items, runs = [k // 3 for k in range(90)], [0, 1, 2] * 30
    >>> [(row.score, str(row.mean)) for row in pass_at_k(right, id=items, run=runs, pass_at=[1, 3])]
    [('score pass@1', '0.3333 [0.2155, 0.4722]'), ('score pass@3', '0.6667 [0.4464, 0.8443]')]

    Raises InputError naming the parameter, row and value that violated a rule.
    Source: Chen et al. (2021).
    """
    arguments = check_arguments(pass_at_k, locals())
    at, hat = as_sequence(pass_at), as_sequence(pass_hat)
    return score_table(**arguments | {"pass_at": at or (() if hat else (1,)), "pass_hat": hat})


def worst_items(
    score: ArrayLike | str | None = None,
    *,
    n: int = 10,
    show: Show = (),
    model: ArrayLike | str | None = None,
    groups: ArrayLike | str | None = None,
    id: ArrayLike | str | None = None,
    run: ArrayLike | str | None = None,
    pos_label: Hashable = None,
    bounds: tuple[float, float] | None = None,
    lower_is_better: bool = False,
    missing_score: float | None = None,
    data: Source | IntoFrame | None = None,
) -> WorstRows:
    """The n items with the lowest mean score over models and runs, which most models get wrong.

    n: number of items. Tied items keep the order of the rows; items with the best possible score are not listed.
    show: columns to show, such as question,answer, from the first row with the worst score; without `data`, arrays by
        name.

    The other parameters are those of `mean_scores`.

    >>> items, questions = ["x", "y", "z"] * 2, {"question": ["What?", "Who?", "When?"] * 2}
    >>> row = worst_items([1, 0, 1, 0, 0, 1], n=1, id=items, model=list("aaabbb"), show=questions)[0]
    >>> row.item, row.mean, row.shown
    ('y', 0.0, {'question': 'Who?'})

    Raises InputError naming the parameter, row and value that violated a rule.
    """
    arguments = check_arguments(worst_items, locals())
    worst = check_integer(arguments.pop("n"), name="n")
    table = score_table(**arguments, worst=worst, rng=0)
    assert table.worst is not None
    notes = notes_on_numbers([], table.recipe.get("percentages", ()))
    return replace(table.worst, recipe={**table.worst.recipe, "notes": notes}) if notes else table.worst
