"""`check_selective`: are the most confident answers right often enough?"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from functools import partial

import numpy as np

from howsure import __version__
from howsure.calibration.table import by_group
from howsure.check.decision import check_sizes, decided
from howsure.check.evidence import BELOW, Evidence, Rule, check_limit
from howsure.check.results import Check
from howsure.check.scores import notes_on
from howsure.errors import InputError, parameter
from howsure.inputs.frames import Source
from howsure.inputs.given import Given
from howsure.inputs.numbers import is_number
from howsure.inputs.pairs import Pairs
from howsure.inputs.pairs_from import pairs_from
from howsure.inputs.parameter_types import ArrayLike, IntoFrame
from howsure.stats.clusters import ItemGroups
from howsure.stats.mean_score import mean_score

KIND = "selective"


def check_selective(
    y_true: ArrayLike | str | Pairs | None = None,
    y_prob: ArrayLike | str | Given | None = None,
    *,
    max_risk: float,
    min_coverage: float = 1.0,
    groups: ArrayLike | str | None = None,
    clusters: ArrayLike | str | None = None,
    pos_label: Hashable = None,
    level: float = 0.95,
    alarms_over: int = 1,
    data: Source | IntoFrame | None = None,
) -> Check:
    """Verdicts on the risk of the most confident answers: the share of wrong ones among them.

    y_true (n,): 1 where the answer is right. y_prob (n,): its confidence. max_risk: the risk must lie below.
    min_coverage: the share of all answers that is kept, the most confident first; answers as confident as the last one
    kept are kept, too. The other arguments are those of `check_calibration`.

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> confidence = rng.random(3000)
    >>> right = rng.random(3000) < confidence**0.2
    >>> [check_selective(right, confidence, max_risk=0.08, min_coverage=c).outcome for c in (0.5, 1.0)]
    ['pass', 'fail']

    Raises InputError naming the parameter, row and value that violated a rule.
    """
    level, alarms_over = check_sizes(level, alarms_over)
    rule = risk_rule(max_risk, min_coverage)
    pairs = pairs_from(y_true, y_prob, data=data, groups=groups, clusters=clusters, pos_label=pos_label)
    found = list(of_risk(pairs, rule, min_coverage))
    recipe = {"howsure": __version__, "n": len(pairs), "clustered": pairs.clusters is not None, "max_risk": max_risk}
    recipe |= {"min_coverage": min_coverage, "level": level, "alarms_over": alarms_over}
    return Check(rows=decided(found, level=level, alarms_over=alarms_over), level=level, recipe=recipe)


def risk_rule(max_risk: float, min_coverage: float, *, name: str = KIND) -> Rule:
    """The rule about the risk of what is kept.

    Raises InputError for a risk or a coverage that is none.
    """
    risk = check_limit(max_risk, name="max_risk")
    if not (is_number(min_coverage) and 0.0 < min_coverage <= 1.0):
        raise InputError(
            f"{parameter('min_coverage')} must lie above 0 and be at most 1; it is {min_coverage!r}. Write 0.7 for 70 "
            "%."
        )
    kept = "risk" if min_coverage == 1.0 else f"risk of the most confident {100 * min_coverage:g} %"
    return Rule(name, kept, BELOW, risk)


def of_risk(pairs: Pairs, rule: Rule, min_coverage: float) -> Iterator[Evidence]:
    """What the answers of each group say about the risk of the most confident ones."""
    if pairs.weights is not None:
        raise InputError("answers that are kept or not have no weights; leave the weights out.")
    for name, one in by_group(pairs) if pairs.groups is not None else [(None, pairs)]:
        kept = np.flatnonzero(one.probabilities >= least_kept(one, min_coverage))
        clusters = None if one.clusters is None else one.clusters[kept]
        wrong = 1.0 - one.labels[kept].astype(np.float64)
        test = mean_score(wrong, ItemGroups.of(len(wrong), clusters=clusters), bounds=(0.0, 1.0), n=len(one))
        shown = (f"{len(kept):,} of {len(one):,} answers are kept",) if len(kept) < len(one) else ()
        yield Evidence(rule, name, len(one), test, shown, partial(notes_on, wrong, clusters, test, rule))


def least_kept(pairs: Pairs, coverage: float) -> float:
    """The confidence of the last answer that belongs to the most confident share."""
    place = max(int(np.ceil(coverage * len(pairs) - 1e-9)), 1)
    return float(-np.partition(-pairs.probabilities, place - 1)[place - 1])
