"""Does the guarantee about filed documents hold, and how many are filed? Simulated documents with known risks.

    .venv/bin/python benchmarks/fields.py [--quick] [--promises | --adversarial | --bound | --recalibration] [SIZE ...]

prints the tables of docs/fields.md for these numbers of checked documents (default: 50, 300 and 2,000), from 1,000
samples each (200 for recalibration), or a tenth with `--quick`. Options print only the table of promises, that of
adversarial documents, the largest share that any valid procedure can file of "some whole documents", or the table of
recalibration. A document or value is filed if it is accepted without review. The tests import functions of this file.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np

from howsure.errors import InputError
from howsure.fields.checked_values import CheckedValues
from howsure.fields.evaluation import filing_policy
from howsure.fields.filing import DOCUMENTS, FIELDS, PROMISES, VALUES
from howsure.fields.filing_tests import RankedDocuments, lowest_count, lowest_counts
from howsure.fields.recalibration import FLOOR, field_map, halves, recalibrated, recalibrated_values
from howsure.recalibration.results import RecalibrationMap

WORLDS = (
    "independent errors",
    "whole documents wrong",
    "some whole documents",
    "rare fields",
    "confidence says nothing",
)
ADVERSARIAL = (
    "a drifted field",
    "fields at the limit",
    "ties",
    "sparse fields",
    "long documents wrong",
    "confident errors",
)
NAMES = ("total", "date", "vendor", "number", "currency", "tax")
RECALIBRATED = ("calibrated", "independent errors", "fields differ", "rare fields", "whole documents wrong")
DELTA = 0.1
RISKS = {VALUES: 0.03, DOCUMENTS: 0.1, FIELDS: 0.05}
POPULATION = 50_000
RECALIBRATED_POPULATION = 5_000
SIZES = (50, 300, 2000)


@dataclass(frozen=True)
class World:
    """n documents: whether each has each field, the confidences, the true probabilities that values are correct, and
    whether they are correct."""

    present: Any
    confidence: Any
    chance: Any
    right: Any
    document_chance: Any

    def checked(self) -> CheckedValues:
        """Return the values in the form in which `evaluate_fields` gets them."""
        document, field = np.nonzero(self.present)
        n = len(document)
        return CheckedValues(
            documents=tuple(map(str, range(len(self.present)))),
            fields=NAMES,
            document=document,
            field=field,
            path=[NAMES[place] for place in field],
            value=["a"] * n,
            gold=["a"] * n,
            right=self.right[document, field],
            predicted=np.ones(n, dtype=np.bool_),
            confidence=self.confidence[document, field],
            unseen=np.full(n, np.nan),
            equalities={},
            provenance={},
            notes=(),
        )


def world(kind: str, n: int, rng: np.random.Generator) -> World:
    """Return documents that differ in difficulty, with an overconfident model."""
    difficulty = rng.normal(4.0, 1.5, n)[:, None]
    logit = difficulty + rng.normal(0.0, 1.0, (n, len(NAMES)))
    chance, confidence = (1 / (1 + np.exp(-x)) for x in (logit, 1.3 * logit + 0.3))
    present = np.ones((n, len(NAMES)), dtype=np.bool_)
    if kind == "calibrated":
        confidence = chance.copy()
    if kind == "fields differ":
        confidence = 1 / (1 + np.exp(-np.linspace(0.5, 2.0, len(NAMES)) * logit - np.linspace(1.0, -1.0, len(NAMES))))
    if kind == "rare fields":
        present[:, 4:] = rng.random((n, 2)) < 0.1
    right = rng.random((n, len(NAMES))) < chance
    document_chance = np.where(present, chance, 1.0).prod(axis=1)
    if kind == "whole documents wrong":
        document_chance = chance.mean(axis=1)
        right[:] = (rng.random(n) < document_chance)[:, None]
        chance = np.repeat(document_chance[:, None], len(NAMES), axis=1)
    if kind == "confidence says nothing":  # just above the promised risks, partly by documents too rare to be seen
        confidence, chance[:], document_chance[:] = (
            0.9 + 0.1 * rng.random(chance.shape),
            0.985 * 0.984,
            0.985**6 * 0.984,
        )
        right = (rng.random(chance.shape) < 0.985) & (rng.random(n) < 0.984)[:, None]
    if kind == "a drifted field":
        right[:, 0] &= rng.random(n) < 0.8
        chance[:, 0] *= 0.8
        document_chance = chance.prod(axis=1)
    if kind == "fields at the limit":  # the other fields are always right
        confidence[:, :3] = 0.9 + 0.1 * rng.random((n, 3))
        chance[:, :3], chance[:, 3:] = 0.9485, 1.0
        right, document_chance = rng.random(chance.shape) < chance, chance.prod(axis=1)
    if kind == "ties":
        confidence = 1 / (1 + np.exp(-2 * np.round(logit / 2)))
    if kind == "sparse fields":
        present = rng.random(chance.shape) < 0.25
        present[~present.any(axis=1), 0] = True
        document_chance = np.where(present, chance, 1.0).prod(axis=1)
    if kind == "long documents wrong":  # just above the limits of values and documents
        is_long = rng.random(n) < 0.1
        present[~is_long, 1:] = False
        confidence = 0.9 + 0.1 * rng.random(chance.shape)
        chance[:] = np.where(is_long, 0.92, 1.0)[:, None]
        right = (rng.random(n) < chance[:, 0])[:, None] & present
        document_chance = chance[:, 0]
    if kind == "confident errors":  # a tenth of the documents, which are the most confident
        is_confident = rng.random(n) < 0.1
        confidence[is_confident] = 1 - 0.001 * rng.random((is_confident.sum(), len(NAMES)))
        chance[is_confident] = 0.9
        right, document_chance = rng.random(chance.shape) < chance, chance.prod(axis=1)
    if kind == "some whole documents":
        right &= (rng.random(n) > 0.01)[:, None]
        chance, document_chance = 0.99 * chance, 0.99 * document_chance
    return World(present, confidence, chance, right, document_chance)


@cache
def population(kind: str) -> World:
    """Return many documents, from which true risks are computed."""
    return world(kind, POPULATION, np.random.default_rng(9))


def scores(documents: World, promise: str) -> Any:
    """Return the score of each document, as docs/fields.md defines it."""
    if promise == DOCUMENTS:
        return np.where(documents.present, documents.confidence, 1.0).prod(axis=1)
    loss = np.where(documents.present, 1 - documents.confidence, 0.0).sum(axis=1)
    return 1 - loss / documents.present.sum(axis=1)


@dataclass(frozen=True)
class Filed:
    """For each number of most confident documents or values that could be filed: their scores, and the risk up to
    each."""

    score: Any
    risk: Any

    @classmethod
    def of(cls, score: Any, wrong: Any, n: Any) -> Filed:
        """Build it from the scores, the expected number of wrong values and the number of values."""
        order = np.argsort(-score)
        return cls(score[order], np.cumsum(wrong[order]) / np.cumsum(n[order]))

    def at(self, threshold: float | None) -> tuple[int, float]:
        """Return how many are filed at a threshold, and their risk."""
        n = 0 if threshold is None else int(np.searchsorted(-self.score, -threshold, side="right"))
        return n, float(self.risk[n - 1]) if n else 0.0


@cache
def filed(kind: str, promise: str) -> tuple[Filed, ...]:
    """Return what thresholds file in the population: for documents, or for each field."""
    return filed_of(population(kind), promise)


def filed_of(truth: World, promise: str) -> tuple[Filed, ...]:
    """Return what thresholds file of these documents: for documents, or for each field."""
    wrong = np.where(truth.present, 1 - truth.chance, 0.0)
    if promise == FIELDS:
        rows = [(truth.present[:, place], place) for place in range(len(NAMES))]
        return tuple(Filed.of(truth.confidence[r, p], wrong[r, p], np.ones(r.sum())) for r, p in rows)
    if promise == DOCUMENTS:
        return (Filed.of(scores(truth, promise), 1 - truth.document_chance, np.ones(len(wrong))),)
    return (Filed.of(scores(truth, promise), wrong.sum(axis=1), truth.present.sum(axis=1)),)


def thresholds(sample: World, promise: str) -> list[float | None]:
    """Return the thresholds of the policy for a sample: that of documents, or that of each field. They are equal to
    those of `filing_policy` (packages/core/tests/fields/test_promise.py), in a tenth of the time."""
    wrong = sample.present & ~sample.right
    if promise == FIELDS:
        columns = zip(sample.confidence.T, sample.present.T, wrong.T, strict=True)
        fields = {name: RankedDocuments.of(*column) for name, column in zip(NAMES, columns, strict=True)}
        counts = lowest_counts(fields, risk=RISKS[promise], delta=DELTA)
        return [fields[name].threshold(counts[name]) for name in NAMES]
    n, errors = sample.present.sum(axis=1), wrong.sum(axis=1)
    if promise == DOCUMENTS:
        n, errors = n > 0, errors > 0
    documents = RankedDocuments.of(scores(sample, promise), n, errors)
    return [documents.threshold(lowest_count(documents, risk=RISKS[promise], delta=DELTA))]


def policy_thresholds(values: CheckedValues, promise: str) -> list[float | None]:
    """Return the thresholds of a policy."""
    how: dict[str, Any] = {"delta": DELTA, "checked": len(values.documents), "choices": {}, "recipe": {}}
    policy = filing_policy(values, promise, risk=RISKS[promise], **how)
    return [row.threshold for row in policy.fields] if promise == FIELDS else [policy.threshold]


def risk_and_share(parts: tuple[Filed, ...], at: list[float | None]) -> tuple[float, float]:
    """Return the true risk of what thresholds file (the largest over fields), and the proportion of documents or values
    filed."""
    counts_and_risks = [part.at(threshold) for part, threshold in zip(parts, at, strict=True)]
    share = sum(n for n, _ in counts_and_risks) / sum(len(part.score) for part in parts)
    return max(risk for _, risk in counts_and_risks), share


@cache
def oracle_share(kind: str, promise: str) -> float:
    """Return the proportion filed with the lowest thresholds whose true risk keeps the guarantee."""
    parts = filed(kind, promise)
    kept = [np.flatnonzero(part.risk <= RISKS[promise]) for part in parts]
    return sum(int(places[-1]) + 1 for places in kept if len(places)) / sum(len(part.score) for part in parts)


def broken(
    kind: str, promise: str, n: int, *, runs: int, seed: int = 1, recalibrate: bool = False
) -> tuple[float, float]:
    """Draw `runs` samples of n checked documents; return how often the true risk exceeds the limit, and the mean
    proportion filed. recalibrate: whether half of the documents are used to fit recalibration maps."""
    rng, risks, shares = np.random.default_rng(seed), [], []
    for _ in range(runs):
        sample, parts = world(kind, n, rng), filed(kind, promise)
        if recalibrate:
            for_maps, rest = halves(sample.checked(), rng)
            recalibration = field_map(for_maps, NAMES, checked=n)
            parts = filed_of(recalibrated_world(population(kind), recalibration), promise)
            at = policy_thresholds(recalibrated_values(rest, recalibration), promise)
        else:
            at = thresholds(sample, promise)
        risk, share = risk_and_share(parts, at)
        risks.append(risk)
        shares.append(share)
    return float(np.mean(np.array(risks) > RISKS[promise])), float(np.mean(shares))


def recalibrated_world(documents: World, recalibration: RecalibrationMap) -> World:
    """Return the documents with recalibrated confidences."""
    fields = np.tile(NAMES, len(documents.present))
    after = recalibrated(documents.confidence.ravel(), fields, recalibration)
    return replace(documents, confidence=after.reshape(documents.confidence.shape))


def recalibration_gain(kind: str, n: int, *, runs: int, seed: int = 2) -> tuple[float, float]:
    """Fit `runs` maps, each to n checked documents. Return the mean decrease of the log loss of a value in the
    population, and the proportion of maps that increase it by more than its standard error in n documents."""
    rng, gains = np.random.default_rng(seed), []
    truth = population(kind)
    there = truth.present[:RECALIBRATED_POPULATION]
    chance, before = (column[:RECALIBRATED_POPULATION][there] for column in (truth.chance, truth.confidence))
    fields = np.array(NAMES)[np.nonzero(there)[1]]
    losses = _log_loss(chance, before)
    noise = losses.std() / np.sqrt(n)
    for _ in range(runs):
        after = before
        with suppress(InputError):  # too few documents for a map
            after = recalibrated(before, fields, field_map(world(kind, n, rng).checked(), NAMES, checked=n))
        gains.append(float((losses - _log_loss(chance, after)).mean()))
    return float(np.mean(gains)), float(np.mean(np.array(gains) < -noise))


def _log_loss(chance: Any, p: Any) -> Any:
    p = np.clip(p, FLOOR, 1 - FLOOR)
    return -(chance * np.log(p) + (1 - chance) * np.log1p(-p))


def largest_share(promise: str, n: int, *, runs: int, seed: int = 3) -> float:
    """Return an upper bound of the proportion of "some whole documents" that any valid procedure files on average.

    Among the most confident documents, a coverage q, let the proportion of entirely wrong documents be so large that
    their risk is at the limit. A valid procedure then files the coverage q with probability at most delta. By Neyman
    and Pearson's lemma, it files q of the original documents with a probability of at most the power of the likelihood
    ratio test at level delta. The bound is the mean of this power over q. promise: VALUES or DOCUMENTS.
    """
    rng, truth = np.random.default_rng(seed), population("some whole documents")
    order = np.argsort(-scores(truth, promise))
    chance = (truth.chance / 0.99)[order]  # without entirely wrong documents
    loss = (1 - chance).mean(axis=1) if promise == VALUES else 1 - chance.prod(axis=1)
    risk, by_luck = np.cumsum(loss) / np.arange(1, len(loss) + 1), (1 - chance).prod(axis=1)
    powers = []
    for count in ((np.arange(40) + 0.5) / 40 * len(loss)).astype(int):
        rates = (RISKS[promise] - risk[count - 1]) / (1 - risk[count - 1]), 0.01  # at the limit, and the true one
        if rates[0] <= rates[1]:
            powers.append(DELTA)
            continue
        ratios = []
        for rate in rates:
            drawn = rng.integers(0, count, (runs, n))
            used = np.arange(n) < rng.binomial(n, count / len(loss), runs)[:, None]
            luck = by_luck[drawn]
            wrong = (rng.random(luck.shape) < rate) | (rng.random(luck.shape) < luck)
            limit, true = (np.where(wrong, r + (1 - r) * luck, (1 - r) * (1 - luck)) for r in rates)
            ratios.append((np.log(limit / true) * used).sum(axis=1).round(9))
        threshold = np.quantile(ratios[0], DELTA, method="inverted_cdf")
        below, at = ([np.mean(f(ratio, threshold)) for ratio in ratios] for f in (np.less, np.equal))
        powers.append(float(below[1] + (DELTA - below[0]) / at[0] * at[1]))
    return float(np.mean(powers))


def print_promises(runs_by_size: dict[int, int], kinds: tuple[str, ...] = WORLDS) -> None:
    """Print how often guarantees are broken, and how much is filed."""
    print("| errors | promise | risk | oracle |", *(f"{n:,} documents |" for n in runs_by_size))
    print("|---|---|---:|---:|", *("---:|" for _ in runs_by_size))
    for kind in kinds:
        for promise in PROMISES:
            cells = [broken(kind, promise, n, runs=runs) for n, runs in runs_by_size.items()]
            print(
                f"| {kind} | {promise} | {RISKS[promise]} | {oracle_share(kind, promise):.2f} |",
                *(f"{share:.2f} ({rate:.3f}) |" for rate, share in cells),
                flush=True,
            )
    errors = ", ".join(f"{np.sqrt(DELTA * (1 - DELTA) / runs):.3f}" for runs in runs_by_size.values())
    print(f"\nStandard error of a rate of {DELTA}: {errors}.\n")


def print_recalibration(runs_by_size: dict[int, int]) -> None:
    """Print the gain from recalibration, and how often it does harm."""
    print("| confidences |", *(f"{n:,} documents |" for n in runs_by_size))
    print("|---|", *("---:|" for _ in runs_by_size))
    for kind in RECALIBRATED:
        cells = [recalibration_gain(kind, n, runs=runs) for n, runs in runs_by_size.items()]
        print(f"| {kind} |", *(f"{gain:+.4f} ({rate:.3f}) |" for gain, rate in cells), flush=True)


def main() -> None:
    """Print the tables."""
    sizes = [int(text) for text in sys.argv[1:] if text.isdigit()] or SIZES
    part = 10 if "--quick" in sys.argv else 1
    tables = {
        "--promises": lambda: print_promises(dict.fromkeys(sizes, 1000 // part)),
        "--adversarial": lambda: print_promises(dict.fromkeys(sizes, 1000 // part), ADVERSARIAL),
        "--bound": lambda: print(
            *(f"{p}, {n}: {largest_share(p, n, runs=20_000 // part):.3f}" for p in (VALUES, DOCUMENTS) for n in sizes)
        ),
        "--recalibration": lambda: print_recalibration(dict.fromkeys(sizes, 200 // part)),
    }
    for print_table in [tables[text] for text in sys.argv if text in tables] or tables.values():
        print_table()


if __name__ == "__main__":
    main()
