"""`check_calibration`: check whether the calibration error is below a limit, or below that of another model."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import Any, Literal

from howsure.calibration.bins import bin_pairs
from howsure.calibration.calibration_errors import notes_of_error, squared_error
from howsure.calibration.engines.pairs_or_sums import Parts, parts_read
from howsure.calibration.slots import Slots
from howsure.calibration.squared_error import SquaredError
from howsure.calibration.table import by_group
from howsure.check.errors_of_models import OneError, two_errors
from howsure.check.evidence import (
    BELOW,
    Baseline,
    Entry,
    ErrorSummary,
    Evidence,
    Rule,
    check_limit,
    check_margin,
    comparison_rules,
    other_model,
)
from howsure.check.verdicts import Check, Found, check_size, decide
from howsure.errors import InputError
from howsure.inputs.arguments import check_arguments
from howsure.inputs.checks import check_labels, check_probabilities, check_same_length
from howsure.inputs.frames import Source, named_columns
from howsure.inputs.matching import PairedRows
from howsure.inputs.numbers_and_names import notes_on_percentages
from howsure.inputs.pairs import Pairs, Probabilities
from howsure.inputs.pairs_from import pairs_from
from howsure.inputs.parameter_types import ArrayLike, IntoFrame
from howsure.inputs.repeated_items import item_notes

KIND, ERROR, DIFFERENCE = "calibration", "calibration error", "difference of calibration errors"
OTHER = "the other model"


@dataclass(frozen=True, slots=True)
class Bins:
    """The options for binning predictions; see `bin_pairs`."""

    bin_size: int | str = "auto"
    n_bins: int | None = None
    binning: str = "adaptive"

    @property
    def options(self) -> dict[str, Any]:
        """The arguments of `bin_pairs`."""
        return {"bin_size": self.bin_size, "n_bins": self.n_bins, "binning": self.binning}

    @property
    def growth(self) -> float:
        """The exponent g such that the noise of the bins decreases as n to the power -g."""
        if self.n_bins is not None or self.binning == "uniform":
            return 2.0
        return 5 / 3 if self.bin_size == "auto" else 1.0


def check_calibration(
    y_true: ArrayLike | str | Pairs | None = None,
    y_prob: ArrayLike | str | Probabilities | None = None,
    *,
    max_error: float | None = None,
    not_worse_than: float | None = None,
    against: ArrayLike | str | Source | Baseline | None = None,
    y_true_against: ArrayLike | str | None = None,
    groups: ArrayLike | str | None = None,
    n_bins: int | None = None,
    sample_weight: ArrayLike | str | None = None,
    clusters: ArrayLike | str | None = None,
    id: ArrayLike | str | None = None,
    pos_label: Hashable = None,
    name: str = KIND,
    level: float = 0.95,
    data: Source | IntoFrame | None = None,
) -> Check:
    """Check the calibration error of predictions: pass, fail, or cannot tell.

    y_true (n,): the true labels.
    max_error: limit below which the calibration error (root mean square, debiased) must be.
    against (n,): the probabilities of another model on the same rows, whose error must be larger; for files, a column,
    or a file with the same columns, whose rows are matched by `id` or position; or the `Baseline` of an earlier check.
    not_worse_than: the calibration error may be larger than that of `against` by less than this.
    y_true_against (n,): the labels of the other model, if each model has its own labels (such as: its answer is right).
    groups (n,): each group must keep the rules.
    name: name of the check in files, baselines and the history.

    Verdicts are based on one-sided tests of size 1 - level. A rule passes if the hypothesis that it is broken is
    rejected, and fails if the hypothesis that it is kept is rejected. Over all rules and groups, the probability of any
    false fail is at most 1 - level, and so is the probability that all rules pass although one is broken. If groups are
    independent, the latter holds for any single false pass too. `Check.together([check], alarms_over=30)` limits the
    probability of a false fail in 30 runs together. See docs/check.md for the tests and their error rates.

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> q = rng.random(5000)
    >>> y = rng.random(5000) < q
    >>> check_calibration(y, q, max_error=0.05).outcome, check_calibration(y, q**2, max_error=0.05).outcome
    ('pass', 'fail')
    >>> check_calibration(y, q**1.3, against=q)[0].outcome
    'fail'

    Raises InputError naming the parameter, row and value that violated a rule.
    """
    arguments = check_arguments(check_calibration, locals())
    if isinstance(against, Baseline):
        arguments |= {"against": None, "baseline": against}
    return run_calibration_check(**arguments)


def run_calibration_check(
    y_true: ArrayLike | str | Pairs | None = None,
    y_prob: ArrayLike | str | Probabilities | None = None,
    *,
    max_error: float | None = None,
    better_than: ArrayLike | str | Source | None = None,
    not_worse_than: float | None = None,
    against: ArrayLike | str | Source | None = None,
    y_true_against: ArrayLike | str | None = None,
    groups: ArrayLike | str | None = None,
    bin_size: int | str = "auto",
    n_bins: int | None = None,
    binning: Literal["adaptive", "uniform"] = "adaptive",
    sample_weight: ArrayLike | str | None = None,
    clusters: ArrayLike | str | None = None,
    id: ArrayLike | str | None = None,
    pos_label: Hashable = None,
    baseline: Baseline | None = None,
    name: str = KIND,
    level: float = 0.95,
    data: Source | IntoFrame | None = None,
) -> Check:
    """Check the calibration error of predictions: pass, fail, or cannot tell.

    This is the implementation of `check_calibration`, whose docstring explains the parameters, and of `howsure check`.
    """
    level = check_size(level)
    other = other_model(better_than, against, not_worse_than, baseline=baseline is not None)
    check_margin(not_worse_than)
    other_role = "against" if better_than is None else "better_than"
    if against is not None and not_worse_than is None:
        better_than, against = against, None
    rule = None if max_error is None else Rule(name, ERROR, BELOW, check_limit(max_error, name="max_error"))
    if rule is None and other is None and baseline is None:
        raise InputError("nothing to check: name a limit, `max_error=0.05`, or another model, `against=...`.")
    bins = Bins(bin_size, n_bins, binning)
    roles = {"groups": groups, "clusters": clusters, "sample_weight": sample_weight, "id": id, "pos_label": pos_label}
    matched: PairedRows | None = None
    clustered = clusters is not None
    evidence, entries = [], []
    with ExitStack() as reading:
        if isinstance(data, Source):
            pairing = other is not None
            predictions = reading.enter_context(
                data.predictions(y_true, y_prob, pairing=pairing, find_items=True, **roles)
            )
            parts = parts_read(predictions, data, one_by_one=True)
            if other is not None:
                matched = data.matched(
                    predictions, other, y_true=y_true, y_true_against=y_true_against, y_prob=y_prob, **roles
                )
        else:
            named = {other_role: other, "y_true_against": y_true_against}
            parts, matched, clustered = _read_rows(y_true, y_prob, named, data, roles)
        for group, pairs in parts.by_group:
            squared, n, notes = judged(pairs, bins, whole=parts.n)
            entries.append(Entry(name, group, ErrorSummary.of(squared, n, bins.growth), bins.options))
            if rule is not None:
                evidence.append(Evidence(rule, group, n, OneError(squared, n, bins.growth), notes))
    if baseline is not None:
        for baseline_rule in comparison_rules(name, DIFFERENCE, of=ERROR, margin=not_worse_than, against=baseline.name):
            evidence += baseline.evidence(entries, baseline_rule)
    recipe = {"check": name, **(parts.provenance or {"n": parts.n, "clustered": clustered}), **bins.options}
    all_notes: list[str] = [*item_notes(parts.notes)]
    if matched is not None:
        margin = not_worse_than if baseline is None or against is not None else None
        other_name = model_name(other) or OTHER
        rules = comparison_rules(
            name, DIFFERENCE, of=ERROR, better=better_than is not None, margin=margin, against=other_name
        )
        evidence += comparison_evidence(matched.a, matched.b, rules, bins, own_labels=matched.own_labels)
        if matched.inputs is not None:
            recipe |= {"without_the_other": matched.inputs.a.only, "only_the_other": matched.inputs.b.only}
        all_notes += matched.notes_on_rows
    limits = {"max_error": max_error, "better_than": model_name(better_than), "not_worse_than": not_worse_than}
    recipe |= limits | {"against": model_name(against)}
    result = Found(name, tuple(evidence), recipe, tuple(all_notes), tuple(entries))
    return decide([result], level=level)


def model_name(model: object) -> str | None:
    """Return the name of another model: its files or its column; None for arrays."""
    return model if isinstance(model, str) else model.name if isinstance(model, Source) else None


def _read_rows(
    y_true: Any, y_prob: Any, other: dict[str, Any], data: Any, roles: dict[str, Any]
) -> tuple[Parts, PairedRows | None, bool]:
    """Read the pairs of this model and of the other model on the same rows, and whether they have clusters."""
    del roles["id"]
    pairs = pairs_from(y_true, y_prob, data=data, **roles)
    clustered = pairs.clusters is not None
    (role, model), (_, labels) = other.items()
    column_by_role, name_by_role = named_columns(data, **other)
    notes = [*pairs.notes, *notes_on_percentages({name_by_role[role]: column_by_role[role]})]
    parts = Parts(tuple(_parts(pairs)), len(pairs), notes={"notes": notes})
    if model is None:
        return parts, None, clustered
    q = check_probabilities(column_by_role[role], name=name_by_role[role], n=len(pairs))
    if labels is None:
        return parts, PairedRows(pairs, replace(pairs, probabilities=q), own_labels=False), clustered
    theirs = check_labels(
        column_by_role["y_true_against"], pos_label=roles["pos_label"], name=name_by_role["y_true_against"]
    )
    check_same_length(y_true=pairs.labels, y_true_against=theirs)
    return parts, PairedRows(pairs, replace(pairs, labels=theirs, probabilities=q), own_labels=True), clustered


def judged(pairs: Pairs | Slots, bins: Bins, *, whole: int = 0) -> tuple[SquaredError, int, tuple[str, ...]]:
    """Return the squared calibration error of pairs, their number, and notes; whole: number of pairs of all groups."""
    weightless = 0
    if isinstance(pairs, Pairs):
        n_rows, pairs = len(pairs), pairs.with_positive_weight()
        weightless = n_rows - len(pairs)
    else:
        weightless = pairs.weightless
    binned = bin_pairs(pairs, **bins.options, whole=whole)
    squared = squared_error(pairs, binned)
    return squared, int(binned.sums.count.sum()), tuple(notes_of_error(pairs, binned, squared, weightless=weightless))


def comparison_evidence(
    pairs: Pairs, other: Pairs, rules: Iterable[Rule], bins: Bins, *, own_labels: bool
) -> Iterator[Evidence]:
    """Yield the evidence of each group on rules that compare this model with another one."""
    all_rules = list(rules)
    for (name, group_pairs), (_, other_pairs) in zip(_parts(pairs), _parts(other), strict=True):
        group_pairs, other_pairs = group_pairs.with_positive_weight(), other_pairs.with_positive_weight()
        test = two_errors(
            group_pairs, other_pairs, own_labels=own_labels, growth=bins.growth, **bins.options, whole=len(pairs)
        )
        for rule in all_rules:
            yield Evidence(rule, name, len(group_pairs), test)


def _parts(pairs: Pairs) -> Iterator[tuple[str | None, Pairs]]:
    """Yield the pairs of each group with its name, or all pairs with None."""
    return by_group(pairs) if pairs.groups is not None else iter([(None, pairs)])
