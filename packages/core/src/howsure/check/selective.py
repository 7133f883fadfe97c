"""`check_selective`: check whether the most confident answers are right often enough."""

from __future__ import annotations

from collections.abc import Hashable
from functools import partial
from typing import Any

import numpy as np

from howsure.calibration.table import by_group
from howsure.check.evidence import BELOW, Baseline, Entry, Evidence, MeanSummary, Rule, check_limit, other_model
from howsure.check.scores import notes_on
from howsure.check.verdicts import Check, Found, check_size, decide
from howsure.errors import InputError
from howsure.inputs.arguments import check_arguments
from howsure.inputs.frames import Source
from howsure.inputs.numbers_and_names import check_number
from howsure.inputs.pairs import CLASS_WISE, Floats, Integers, Pairs, Probabilities
from howsure.inputs.pairs_from import pairs_from
from howsure.inputs.parameter_types import ArrayLike, IntoFrame
from howsure.stats.clusters import ItemGroups
from howsure.stats.mean_score import mean_score

KIND = "selective"


def check_selective(
    y_true: ArrayLike | str | Pairs | None = None,
    y_prob: ArrayLike | str | Probabilities | None = None,
    *,
    max_risk: float | None = None,
    min_coverage: float = 1.0,
    against: Baseline | None = None,
    not_worse_than: float | None = None,
    groups: ArrayLike | str | None = None,
    clusters: ArrayLike | str | None = None,
    id: str | None = None,
    pos_label: Hashable = None,
    name: str = KIND,
    level: float = 0.95,
    data: Source | IntoFrame | None = None,
) -> Check:
    """Check the risk of the most confident answers, the proportion of wrong ones: pass, fail, or cannot tell.

    y_true (n,): 1 if the answer is right, otherwise 0.
    y_prob (n,): the confidence of each answer.
    max_risk: limit below which the proportion of wrong answers among the kept answers must be.
    min_coverage: the proportion of answers that is kept, the most confident first; answers with the same confidence as
    the last kept answer are also kept.
    against: the `Baseline` of an earlier check.
    not_worse_than: the risk may be larger than that of `against` by less than this.
    groups (n,): each group must keep the rules.
    name: name of the check in files, baselines and the history.

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> confidence = rng.random(3000)
    >>> right = rng.random(3000) < confidence**0.2
    >>> [check_selective(right, confidence, max_risk=0.08, min_coverage=c).outcome for c in (0.5, 1.0)]
    ['pass', 'fail']

    Raises InputError naming the parameter, row and value that violated a rule.
    """
    check_arguments(check_selective, locals())
    level = check_size(level)
    if max_risk is None and against is None:
        raise InputError("nothing to check: name a limit, `max_risk=0.05`.")
    if isinstance(y_prob, Probabilities) and y_prob.reduce == CLASS_WISE:
        option = f"`reduce={CLASS_WISE!r}`"
        raise InputError(f"{option} cannot be used, because an answer is kept or not as a whole. Leave it out.")
    other_model(None, None, not_worse_than, baseline=against is not None)
    quantity = kept_risk(min_coverage)
    rule = None if max_risk is None else Rule(name, quantity, BELOW, check_limit(max_risk, name="max_risk"))
    roles: dict[str, Any] = {"groups": groups, "clusters": clusters, "pos_label": pos_label}
    if isinstance(data, Source):
        with data.predictions(y_true, y_prob, id=id, find_items=True, **roles) as predictions:
            pairs, described = predictions.pairs(), predictions.describe()
    else:
        pairs = pairs_from(y_true, y_prob, data=data, **roles)
        described = {"n": len(pairs), "clustered": pairs.clusters is not None}
    evidence, entries = [], []
    for group, group_pairs in by_group(pairs) if pairs.groups is not None else [(None, pairs)]:
        wrong, clusters = wrong_answers(group_pairs, min_coverage)
        test = mean_score(wrong, ItemGroups.of(len(wrong), clusters=clusters), bounds=(0.0, 1.0), n=len(group_pairs))
        entries.append(Entry(name, group, MeanSummary.of(test, len(group_pairs)), {"min_coverage": min_coverage}))
        if rule is not None:
            shown = (
                (f"{len(wrong):,} of {len(group_pairs):,} answers are kept",) if len(wrong) < len(group_pairs) else ()
            )
            notes = partial(notes_on, wrong, clusters, test, rule)
            evidence.append(Evidence(rule, group, len(group_pairs), test, shown, notes))
    if against is not None:
        compared = Rule(
            name, f"difference of the {quantity}", BELOW, float(not_worse_than or 0), against.name, of=quantity
        )
        evidence = [*evidence, *against.evidence(entries, compared)]
    limits = {"max_risk": max_risk, "min_coverage": min_coverage, "not_worse_than": not_worse_than}
    recipe = {"check": name, **described, **limits}
    return decide([Found(name, tuple(evidence), recipe, pairs.notes, tuple(entries))], level=level)


def kept_risk(min_coverage: float) -> str:
    """Return the name of the risk, which mentions the coverage.

    Raises InputError for an invalid coverage.
    """
    check_number(min_coverage, name="min_coverage", low=0, high=1, open="low", remedy="Write 0.7 for 70%.")
    return "risk" if min_coverage == 1.0 else f"risk of the most confident {100 * min_coverage:g}%"


def wrong_answers(pairs: Pairs, min_coverage: float) -> tuple[Floats, Integers | None]:
    """Return for each of the most confident answers whether it is wrong, and its cluster."""
    if pairs.weights is not None:
        raise InputError(
            "weights cannot be used, because the risk is a proportion of the kept answers. Leave `sample_weight` out."
        )
    kept = np.flatnonzero(pairs.probabilities >= lowest_kept(pairs, min_coverage))
    return 1.0 - pairs.labels[kept].astype(np.float64), None if pairs.clusters is None else pairs.clusters[kept]


def lowest_kept(pairs: Pairs, coverage: float) -> float:
    """Return the lowest confidence among the most confident answers; coverage: their proportion."""
    place = max(int(np.ceil(coverage * len(pairs) - 1e-9)), 1)
    return float(-np.partition(-pairs.probabilities, place - 1)[place - 1])
