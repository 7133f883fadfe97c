"""The metrics straight from their definitions, in fractions: the slow twin of the scorer."""

from __future__ import annotations

import itertools
from collections.abc import Hashable
from fractions import Fraction

Clusters = list[frozenset[Hashable]]


def ratio(a: Fraction | int, b: Fraction | int) -> Fraction:
    return Fraction(a) / b if b else Fraction(0)


def muc_recall(gold: Clusters, predicted: Clusters) -> tuple[Fraction, Fraction]:
    """|S| - |p(S)|, where p(S) is S cut into its parts in predicted clusters and single others, of |S| - 1."""
    right = total = 0
    for s in gold:
        parts = {s & p for p in predicted if s & p} | {frozenset([m]) for m in s if not any(m in p for p in predicted)}
        right += len(s) - len(parts)
        total += len(s) - 1
    return Fraction(right), Fraction(total)


def b_cubed_recall(gold: Clusters, predicted: Clusters) -> tuple[Fraction, Fraction]:
    """Mention by mention: the share of its gold cluster that is in its predicted cluster."""
    shares = []
    for g in gold:
        for mention in g:
            own = next((p for p in predicted if mention in p), frozenset())
            shares.append(Fraction(len(g & own), len(g)))
    return sum(shares, Fraction(0)), Fraction(len(shares))


def lea_recall(gold: Clusters, predicted: Clusters) -> tuple[Fraction, Fraction]:
    """Importance |g| times resolution: the share of the links of g, those in predicted clusters as well."""

    def links(cluster: frozenset[Hashable]) -> set[frozenset[Hashable]]:
        """Pairs; a cluster of one has the link of the mention with itself."""
        return {frozenset(pair) for pair in itertools.combinations(cluster, 2)} if len(cluster) > 1 else {cluster}

    right = total = Fraction(0)
    for g in gold:
        found = sum(len(links(g) & links(p)) for p in predicted)
        right += len(g) * Fraction(found, len(links(g)))
        total += len(g)
    return right, total


def pair_recall(gold: Clusters, predicted: Clusters) -> tuple[Fraction, Fraction]:
    def together(clusters: Clusters) -> set[frozenset[Hashable]]:
        return {frozenset(pair) for c in clusters for pair in itertools.combinations(c, 2)}

    return Fraction(len(together(gold) & together(predicted))), Fraction(len(together(gold)))


def ceaf_e_similarity(gold: Clusters, predicted: Clusters) -> Fraction:
    """The best of all one-to-one alignments, by trying all of them."""
    few, many = sorted((gold, predicted), key=len)
    values = (
        sum((Fraction(2 * len(a & b), len(a) + len(b)) for a, b in zip(few, chosen, strict=True)), Fraction(0))
        for chosen in itertools.permutations(many, len(few))
    )
    return max(values, default=Fraction(0))


def sums(gold: Clusters, predicted: Clusters) -> dict[str, tuple[Fraction, Fraction, Fraction, Fraction]]:
    """What is right and what there is: of the predicted, of the gold."""
    found = {
        name: (*recall(predicted, gold), *recall(gold, predicted))
        for name, recall in (
            ("muc", muc_recall),
            ("b_cubed", b_cubed_recall),
            ("lea", lea_recall),
            ("pairwise", pair_recall),
        )
    }
    similarity = ceaf_e_similarity(gold, predicted)
    found["ceaf_e"] = (similarity, Fraction(len(predicted)), similarity, Fraction(len(gold)))
    return found


def precision_recall_f1(right_p: Fraction, of_p: Fraction, right_r: Fraction, of_r: Fraction) -> tuple[Fraction, ...]:
    p, r = ratio(right_p, of_p), ratio(right_r, of_r)
    return p, r, ratio(2 * p * r, p + r)
