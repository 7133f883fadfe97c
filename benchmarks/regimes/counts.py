"""Corrected counts in difficult regimes: domains of a sample with unequal probabilities, few cells, clusters, missing
labels."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from benchmarks.regimes.regime import Generator, Regime
from howsure import CountEstimates, LabelSample, draw_label_sample, estimate_counts
from howsure.errors import InputError

Answers = Mapping[str, bool | None]
TAKES_SAMPLE = "sample" in inspect.signature(estimate_counts).parameters
ALL = "all"  # the last column of cells, where domains are requested

CHANCES = "4 domains of an importance draw"
CELLS = "5 an event in few cells"
DOCUMENTS = "6 few documents, some of them long"
HOLES = "8 a sample with holes"


def score_of(truth: Any, kind: str, rng: Generator) -> Any:
    """Return scores that find six of ten positives ("good"), are reversed ("opposite"), or are independent
    ("useless")."""
    n = len(truth)
    if kind == "constant":
        return np.full(n, 0.5)
    if kind == "opposite":
        return np.where(truth, rng.beta(1, 5, n), rng.beta(2, 3, n)).round(3)
    is_high = rng.random(n) < (0.3 if kind == "useless" else np.where(truth, 0.6, 0.1))
    high = rng.beta(2, 2, n) if kind == "useless" else np.where(truth, rng.beta(5, 2, n), rng.beta(2, 5, n))
    return np.where(is_high, high, 0.0).round(3)


def labels_of_sample(truth: Any, sample: LabelSample) -> Any:
    """Return the labels of all sampled units."""
    labels = np.full(len(truth), np.nan)
    labels[sample.indices] = truth[sample.indices]
    return labels


def holds(row: Any, truth: float) -> bool | None:
    """Return whether an interval contains the true value; None if no coverage is guaranteed."""
    if row.low is None or row.high is None or np.isnan(row.estimate):
        return None
    return bool(row.low <= truth <= row.high)


def difference_holds(counts: CountEstimates, a: str, b: str, truth: float) -> bool | None:
    """Return the same for a difference."""
    difference, _ = counts.difference(a, b)
    if difference.low is None or np.isnan(difference.value):
        return None
    return bool(difference.low <= truth <= difference.high)


def importance(rng: Generator, *, n: int, domains: int, rate: tuple[float, float], kind: str) -> Answers:
    """Test domains of unequal size in a sample with unequal probabilities: one domain, two domains, and everything."""
    units = 3_000
    size = rng.dirichlet(np.full(domains, 2.0)) if domains < 20 else np.full(domains, 1 / domains)
    domain = rng.choice(domains, units, p=size)
    truth = rng.random(units) < rng.uniform(*rate, domains)[domain]
    score = score_of(truth, kind, rng)
    sample = draw_label_sample(score, n, design="importance", rng=rng)
    cells = {"domain": domain.astype(str), "all": np.full(units, ALL)}
    counts = estimate_counts(labels_of_sample(truth, sample), score, groups=cells, inclusion=sample.chances, rng=0)
    named = {row.group[0]: row for row in counts.domains}
    a, b = rng.choice(sorted(named), 2, replace=False)
    of_a, of_b = (int(truth[domain == int(domain_code)].sum()) for domain_code in (a, b))
    return {
        "a domain covers": holds(named[a], of_a),
        "a difference covers": difference_holds(counts, a, b, of_a - of_b),
        "the total covers": holds(counts.total, truth.sum()),
    }


def few_cells(
    rng: Generator, *, n: int, cells: int, carrying: int, inside: float, outside: float, kind: str
) -> Answers:
    """Test an event that occurs in few cells and nearly never elsewhere."""
    units = 200 * cells
    cell = rng.integers(0, cells, units)
    truth = rng.random(units) < np.where(cell < carrying, inside, outside)
    score = score_of(truth, kind, rng)
    sample = draw_label_sample(score, n, rng=rng)
    counts = estimate_counts(
        labels_of_sample(truth, sample), score, groups=cell.astype(str), strata=sample.stratum, rng=0
    )
    truths = np.bincount(cell, weights=truth, minlength=cells)
    of_event, other = rng.integers(0, carrying), rng.integers(carrying, cells)
    quiet = rng.choice(np.arange(carrying, cells), 2, replace=False)
    return {
        "a cell of the event covers": holds(counts[str(of_event)], truths[of_event]),
        "another cell covers": holds(counts[str(other)], truths[other]),
        "their difference covers": difference_holds(
            counts, str(of_event), str(other), truths[of_event] - truths[other]
        ),
        "a difference elsewhere covers": difference_holds(
            counts, str(quiet[0]), str(quiet[1]), truths[quiet[0]] - truths[quiet[1]]
        ),
    }


def documents(rng: Generator, *, n: int, sizes: str, follow: float, kind: str = "good") -> Answers:
    """Test pairs in documents; a proportion `follow` of the pairs of a document has one label, drawn for the
    document."""
    n_documents = 800
    if sizes == "long":
        long = rng.random(n_documents) < 0.05
        size, rate = np.where(long, 40, rng.integers(1, 4, n_documents)), np.where(long, 0.5, 0.15)
    elif sizes == "lognormal":
        size = np.ceil(rng.lognormal(0.7, 1.0, n_documents)).astype(int)
        rate = np.clip(0.08 * size**0.5, 0, 0.7)
    elif sizes == "equal":
        size, rate = np.full(n_documents, 20), np.full(n_documents, 0.06)
    else:
        size, rate = rng.integers(1, 6, n_documents), np.full(n_documents, 0.25)
    document = np.repeat(np.arange(n_documents), size)
    pairs = len(document)
    whole = (rng.random(n_documents) < rate)[document]
    truth = np.where(rng.random(pairs) < follow, whole, rng.random(pairs) < rate[document])
    score = score_of(truth, kind, rng)
    domain = rng.integers(0, 2, pairs)
    sample = draw_label_sample(score, n, clusters=document, design="simple", rng=rng)
    cells = {"domain": domain.astype(str), "all": np.full(pairs, ALL)}
    counts = estimate_counts(labels_of_sample(truth, sample), score, groups=cells, clusters=document, rng=0)
    return {
        "the total covers": holds(counts.total, truth.sum()),
        "a domain covers": holds(counts.domains[0], truth[domain == 0].sum()),
    }


def with_holes(rng: Generator, *, n: int, unread: str, kind: str = "good", design: str = "stratified") -> Answers:
    """Test a sample with unlabelled units, if being unlabelled depends on the labels or the scores."""
    units = 2_000
    cell = rng.integers(0, 4, units)
    truth = rng.random(units) < np.array([0.1, 0.15, 0.2, 0.3])[cell]
    score = score_of(truth, kind, rng)
    sample = draw_label_sample(score, n, design=design, rng=rng)
    labels = labels_of_sample(truth, sample)
    drawn = sample.indices
    if unread == "positives":
        lost = drawn[truth[drawn] & (rng.random(len(drawn)) < 0.5)]
    elif unread == "low":  # of each stratum the lower half of the scores is left; of equal scores some at random
        order = np.lexsort((rng.random(len(drawn)), score[drawn], sample.codes[drawn]))
        stratum = sample.codes[drawn][order]
        rank = np.arange(len(drawn)) - np.searchsorted(stratum, stratum)
        lost = drawn[order][rank < np.bincount(stratum)[stratum] // 2]
    else:
        lost = rng.choice(drawn, n // 10, replace=False)
    labels[lost] = np.nan
    options: dict[str, Any] = (
        {"sample": sample}
        if TAKES_SAMPLE
        else {"strata": sample.stratum}
        if design == "stratified"
        else {"inclusion": sample.chances}
    )
    try:
        counts = estimate_counts(labels, score, groups=cell.astype(str), rng=0, **options)
    except InputError:
        return {"the total covers": None, "a cell covers": None}
    return {
        "the total covers": holds(counts.total, truth.sum()),
        "a cell covers": holds(counts["0"], truth[cell == 0].sum()),
    }


def chosen_by_score(rng: Generator, *, n: int) -> Answers:
    """Test labels of the highest scores of each stratum, passed as if they were drawn at random within strata."""
    units = 2_000
    truth = rng.random(units) < 0.2
    score = np.clip(rng.beta(2, 5, units) + 0.15 * truth, 0, 1).round(3)
    sample = draw_label_sample(score, n, rng=rng)
    stratum = sample.codes
    labels = np.full(units, np.nan)
    for code in range(len(sample.strata)):
        members = np.flatnonzero(stratum == code)
        take = int((stratum[sample.indices] == code).sum())
        chosen = members[np.argsort(-score[members], kind="stable")[:take]]
        labels[chosen] = truth[chosen]
    counts = estimate_counts(labels, score, strata=sample.stratum, rng=0)
    return {"the total covers": holds(counts.total, truth.sum())}


def _importance(name: str, **how: Any) -> Regime:
    return Regime(CHANCES, name, partial(importance, **how), 400)


def _few_cells(name: str, **how: Any) -> Regime:
    return Regime(CELLS, name, partial(few_cells, **how), 400)


def _documents(name: str, **how: Any) -> Regime:
    return Regime(DOCUMENTS, name, partial(documents, **how), 400)


def _with_holes(name: str, **how: Any) -> Regime:
    return Regime(HOLES, name, partial(with_holes, **how), 400)


REGIMES = [
    _importance("200 labels, 10 domains, 5 to 40 %", n=200, domains=10, rate=(0.05, 0.4), kind="good"),
    _importance("100 labels, 10 domains, 5 to 40 %", n=100, domains=10, rate=(0.05, 0.4), kind="good"),
    _importance("200 labels, 40 domains, 20 to 60 %", n=200, domains=40, rate=(0.2, 0.6), kind="good"),
    _importance("200 labels, 10 domains, useless scores", n=200, domains=10, rate=(0.05, 0.4), kind="useless"),
    _importance("200 labels, 10 domains, opposite scores", n=200, domains=10, rate=(0.05, 0.4), kind="opposite"),
    _importance("400 labels, 3 domains, 1 to 5 %", n=400, domains=3, rate=(0.01, 0.05), kind="good"),
    _few_cells("3 of 12, 40 % and 1 %, 200 labels", n=200, cells=12, carrying=3, inside=0.4, outside=0.01, kind="good"),
    _few_cells(
        "2 of 12, 60 % and 0.5 %, no score", n=200, cells=12, carrying=2, inside=0.6, outside=0.005, kind="constant"
    ),
    _few_cells(
        "1 of 24, 30 % and 0.5 %, 400 labels", n=400, cells=24, carrying=1, inside=0.3, outside=0.005, kind="good"
    ),
    _few_cells(
        "3 of 20, 20 % and none, useless scores", n=300, cells=20, carrying=3, inside=0.2, outside=0.0, kind="useless"
    ),
    _few_cells(
        "6 of 12, 30 % and 2 %, opposite scores", n=200, cells=12, carrying=6, inside=0.3, outside=0.02, kind="opposite"
    ),
    _few_cells("1 of 6, 40 % and 1 %, 100 labels", n=100, cells=6, carrying=1, inside=0.4, outside=0.01, kind="good"),
    _few_cells("2 of 8, 30 % and 2 %, 150 labels", n=150, cells=8, carrying=2, inside=0.3, outside=0.02, kind="good"),
    _documents("60 read, 5 % hold 40 pairs and are richer", n=60, sizes="long", follow=0.5),
    _documents("120 read, 5 % hold 40 pairs, no score", n=120, sizes="long", follow=0.5, kind="constant"),
    _documents("40 read, lognormal sizes, longer ones richer", n=40, sizes="lognormal", follow=0.3),
    _documents("60 read, 20 pairs each, 6 %, whole documents", n=60, sizes="equal", follow=0.8),
    _documents("100 read, 20 pairs each, 6 %, whole documents", n=100, sizes="equal", follow=0.95, kind="useless"),
    _documents("easy: 150 read, 1 to 5 pairs", n=150, sizes="short", follow=0.2),
    _with_holes("half of the positives", n=200, unread="positives"),
    _with_holes("half of the positives, useless scores", n=200, unread="positives", kind="useless"),
    _with_holes("half of the positives, importance draw", n=200, unread="positives", design="importance"),
    _with_holes("the lower half of each stratum", n=200, unread="low"),
    _with_holes("a tenth, at random", n=200, unread="some"),
    Regime(HOLES, "the highest scores of each stratum, not drawn", partial(chosen_by_score, n=200), 400),
]
