"""Calibration pairs of structures, such as parses or translations: parts of structures in samples or k-best lists."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from howsure.errors import InputError, quote
from howsure.inputs.arguments import check_arguments, is_listlike
from howsure.inputs.numbers_and_names import counted, shortened
from howsure.inputs.pairs import Floats, Pairs

Part: TypeAlias = Hashable | Sequence[object]
Parts: TypeAlias = dict[Hashable, None]  # an ordered set


@dataclass(frozen=True, slots=True)
class _Item:
    """The structures of one item (samples, or a k-best list with weights), and the parts of its gold structure."""

    name: str
    structures: list[Parts]
    gold: Parts
    weights: Floats | None
    candidates: Parts | None

    def totals(self) -> dict[Hashable, float]:
        """Return each part's total weight in a k-best list, or the number of samples that have the part."""
        parts = _union(self.structures) if self.candidates is None else self.candidates
        weights = np.ones(len(self.structures)) if self.weights is None else self.weights
        totals = dict.fromkeys(parts, 0.0)
        for structure, weight in zip(self.structures, weights.tolist(), strict=True):
            for part in structure:
                totals[part] += weight
        return totals


def structure_pairs(
    samples: Sequence[Sequence[Iterable[Part]]] | Mapping[Hashable, Sequence[Iterable[Part]]],
    gold: Sequence[Iterable[Part]] | Mapping[Hashable, Iterable[Part]],
    *,
    sample_weight: Sequence[Sequence[float]] | Mapping[Hashable, Sequence[float]] | None = None,
    candidates: Sequence[Iterable[Part]] | Mapping[Hashable, Iterable[Part]] | None = None,
    by_label: bool = False,
) -> Pairs:
    """Make calibration pairs (P(structure has a part), whether the gold structure has it) from samples or k-best lists.

    samples: structures that a model drew or ranked, several per item. A structure is a list of parts, such as edges,
    spans, phrases, alignments or links. A part is a string, a number, or a list of these such as `["nsubj", 2, 5]`.
    gold: the parts of the true structure of each item.
    sample_weight: for k-best lists, the weight of each structure, such as its probability; weights need not sum to 1.
    candidates: all parts that an item could have. Each of them gets a pair, even if its probability is 0.
    by_label: make one group per label; the label is the first element of a part.

    Without weights, structures must be independent samples. The proportion of samples with a part is a noisy
    probability: a part that is in many samples by chance seems too probable. Therefore each sample is left out in turn,
    and the probability that a further sample has the part is estimated from all parts that are in equally many of the
    other samples. Isotonic regression makes this probability increase with the number of samples that have the part.
    Items with different numbers of samples are estimated separately. Without candidates, only proposed parts have
    pairs: the parts of any structure in a k-best list, or of any sample but the last. Lists identify items by index,
    mappings by key. The item is the cluster.

    >>> samples = {"a": [[("N", 0, 2)], [("N", 0, 2), ("V", 2, 3)]]}
    >>> pairs = structure_pairs(samples, {"a": [("N", 0, 2)]}, sample_weight={"a": [3, 1]})
    >>> pairs.probabilities, pairs.labels
    (array([1.  , 0.25]), array([1, 0], dtype=uint8))

    Raises InputError for items that differ between arguments, weights that sum to 0, or parts outside the candidates.
    """
    check_arguments(structure_pairs, locals())
    parts: list[Hashable] = []
    labels: list[bool] = []
    sizes: list[int] = []
    totals: list[float] = []
    others: list[float] = []  # for each part, the number of samples without the last that have it
    n_samples: list[int] = []
    items = _items(samples, gold, sample_weight, candidates)
    for item in items:
        weight_by_part = item.totals()
        parts += weight_by_part
        labels += [part in item.gold for part in weight_by_part]
        sizes.append(len(weight_by_part))
        totals += weight_by_part.values()
        last = item.structures[-1]
        others += [total - (part in last) for part, total in weight_by_part.items()]
        n_samples += [len(item.structures)] * len(weight_by_part)
    if sample_weight is None:
        least = 1 if candidates is None else 0
        probabilities = _next_sample(np.array(totals), np.array(others), np.array(n_samples), least=least)
        rows = np.flatnonzero(np.array(others) >= least)
    else:
        probabilities = np.minimum(totals, 1.0)
        rows = np.arange(len(parts))
    if not len(rows):
        raise InputError("there is nothing to evaluate, because no structure contains a part.")
    parts = [parts[row] for row in rows]
    gold_parts, proposed = sum(len(item.gold) for item in items), int(np.array(labels)[rows].sum())
    notes = []
    if proposed < gold_parts:
        missed = gold_parts - proposed
        of_gold = f"{missed:,} of {counted(gold_parts, 'gold part')} {'has' if missed == 1 else 'have'}"
        notes.append(f"{of_gold} no pair, because no structure contains them; give candidates to include them")
    names = sorted({_label(part) for part in parts}) if by_label else []
    codes = {name: code for code, name in enumerate(names)}
    return Pairs(
        np.array(labels, dtype=np.uint8)[rows],
        probabilities[rows],
        groups=np.array([codes[_label(part)] for part in parts]) if by_label else None,
        group_names=tuple(names),
        clusters=np.unique(np.repeat(np.arange(len(sizes)), sizes)[rows], return_inverse=True)[1],
        notes=tuple(notes),
    )


def _next_sample(totals: Floats, others: Floats, n_samples: Floats, *, least: int) -> Floats:
    """Return the probability that one further sample has a part that `others` of n - 1 samples have.

    Each sample is left out in turn. The probability for j is the proportion of parts in j of the other n - 1 samples
    that the left out sample has. A part in k of n samples counts k times as a hit for j = k - 1, and n - k times as a
    miss for j = k. least: the smallest j for which all parts are known.
    """
    from scipy.optimize import isotonic_regression

    probabilities = np.zeros(len(totals))
    for n in np.unique(n_samples):
        rows = n_samples == n
        parts_by_total = np.bincount(totals[rows].astype(np.int64), minlength=int(n) + 1)
        j = np.arange(int(n))
        hits, misses = (j + 1) * parts_by_total[1:], (n - j) * parts_by_total[:-1]
        estimable = (j >= least) & (hits + misses > 0)
        if estimable.any():
            times = (hits + misses)[estimable]
            by_j = np.zeros(int(n))
            by_j[estimable] = isotonic_regression(hits[estimable] / times, weights=times).x
            probabilities[rows] = by_j[others[rows].astype(np.int64)]
    return probabilities.clip(0.0, 1.0)


def _items(samples: Any, gold: Any, weights: Any, candidates: Any) -> list[_Item]:
    of_items = {name: _as_mapping(value, name) for name, value in (("samples", samples), ("gold", gold))}
    optional = {"weights": weights, "candidates": candidates}
    of_items |= {name: _as_mapping(value, name) for name, value in optional.items() if value is not None}
    keys = of_items["samples"]
    for name, values in of_items.items():
        one_sided = next((key for key in (*keys, *values) if (key in keys) != (key in values)), None)
        if one_sided is not None:
            lacking, having = (name, "samples") if one_sided in keys else ("samples", name)
            raise InputError(
                f"{name} must have the items of samples: {counted(len(keys), 'item')} in samples, {len(values):,} in "
                f"{name}; item {one_sided} is in {having}, not in {lacking}."
            )
    return [_item(str(key), {name: values[key] for name, values in of_items.items()}) for key in keys]


def _as_mapping(value: Any, name: str) -> Mapping[Any, Any]:
    if isinstance(value, Mapping):
        return value
    if not is_listlike(value):
        raise InputError(f"{name} must be a list with an entry per item, or a mapping; it is {quote(value)}.")
    return dict(enumerate(value))


def _item(name: str, values: Mapping[str, Any]) -> _Item:
    """Check the arguments of an item and return it."""
    if not is_listlike(values["samples"]):
        raise InputError(f"samples of item {name} must be a list of structures; they are {quote(values['samples'])}.")
    structures = [_parts(structure, f"a structure of item {name}") for structure in values["samples"]]
    gold = _parts(values["gold"], f"gold of item {name}")
    candidates = None
    if "candidates" in values:
        candidates = _parts(values["candidates"], f"candidates of item {name}")
        for what, parts in (("gold", gold), ("samples", _union(structures))):
            outside = next((part for part in parts if part not in candidates), None)
            if outside is not None:
                raise InputError(
                    f"candidates of item {name} must contain every part that it could have; {what} has "
                    f"{quote(outside)}, which is not one of the {len(candidates):,} candidates."
                )
    least = 1 if "weights" in values else 2
    if len(structures) < least:
        why = "; the probability of a part is estimated by leaving out a sample" if least == 2 else ""
        raise InputError(f"item {name} must have {counted(least, 'sample')} or more; it has {len(structures)}{why}.")
    weights = _weights(values["weights"], len(structures), name) if "weights" in values else None
    return _Item(name, structures, gold, weights, candidates)


def _parts(parts: Any, where: str) -> Parts:
    if not is_listlike(parts):
        raise InputError(f"{where} must be a list of parts; it is {quote(parts)}.")
    return dict.fromkeys(_hashable(part, where) for part in parts)


def _hashable(part: Any, where: str) -> Hashable:
    """Make a part hashable: lists become tuples."""
    if isinstance(part, (list, tuple)):
        return tuple(_hashable(element, where) for element in part)
    if not isinstance(part, Hashable):
        raise InputError(
            f"{where} must consist of strings, numbers and lists of these, such as ['nsubj', 2, 5]; it contains "
            f"{quote(part)}."
        )
    return part


def _weights(weights: Any, n: int, name: str) -> Floats:
    """Check the weights of n structures and divide them by their sum."""
    try:
        array = np.asarray(weights, dtype=np.float64)
    except (TypeError, ValueError):
        array = np.array(None)
    if array.shape != (n,):
        raise InputError(
            f"weights of item {name} must be {counted(n, 'number')}, one per structure; they are {quote(weights)}."
        )
    if not (np.isfinite(array).all() and (array >= 0).all()):
        raise InputError(
            f"weights of item {name} must be finite and not negative; they are {shortened(map(str, array.tolist()))}. "
            "Give probabilities, not their logarithms."
        )
    if not array.any():
        raise InputError(f"weights of item {name} sum to 0, so its parts have no probability. Leave the item out.")
    array = array / array.max()
    return np.asarray(array / array.sum())


def _union(structures: Iterable[Parts]) -> Parts:
    return {part: None for structure in structures for part in structure}


def _label(part: Hashable) -> str:
    """Return the label of a part: its first element."""
    if not isinstance(part, tuple) or not part:
        raise InputError(
            f"`by_label` needs parts that begin with a label, such as ['nsubj', 2, 5]; one is {quote(part)}."
        )
    return str(part[0])
