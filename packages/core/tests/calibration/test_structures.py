"""Pairs of the parts of structures: against literal loops, enumerated structures and simulated models; bad input."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from itertools import product
from typing import Any

import numpy as np
import pytest
from sklearn.isotonic import IsotonicRegression

from howsure.calibration.curve import binned_curve
from howsure.calibration.structures import structure_pairs
from howsure.errors import InputError
from howsure.inputs.pairs import Floats, Pairs

PARTS = [(label, k) for k in range(6) for label in ("N", "V")]


def draw(p: Floats, rng: np.random.Generator) -> list[tuple[str, int]]:
    return [part for part, drawn in zip(PARTS, rng.random(len(PARTS)) < p, strict=True) if drawn]


def simulate(items: int, n_samples: int, rng: np.random.Generator, power: float = 1.0) -> tuple[Any, Any]:
    """Samples of models whose parts are independent, and gold structures from p to a power."""
    samples, gold = [], []
    for _ in range(items):
        p = rng.random(len(PARTS)) ** 3
        samples.append([draw(p, rng) for _ in range(n_samples)])
        gold.append(draw(p**power, rng))
    return samples, gold


def rows_of(pairs: Pairs) -> Counter[tuple[float, int]]:
    return Counter(zip(pairs.probabilities.round(12).tolist(), pairs.labels.tolist(), strict=True))


def literal_rows(samples: Any, gold: Any, candidates: Iterable[Any] | None) -> Counter[tuple[float, int]]:
    """Leave out each sample of each item in turn, and ask of every part whether it has it."""
    times: Counter[int] = Counter()
    hits: Counter[int] = Counter()
    least = 1 if candidates is None else 0
    pairs = []
    for structures, truth in zip(samples, gold, strict=True):
        parts = candidates if candidates is not None else {part for structure in structures for part in structure}
        for left_out in range(len(structures)):
            others = structures[:left_out] + structures[left_out + 1 :]
            for part in parts:
                j = sum(part in structure for structure in others)
                times[j] += 1
                hits[j] += part in structures[left_out]
                if left_out == len(structures) - 1 and j >= least:
                    pairs.append((j, int(part in truth)))
    numbers = sorted(j for j in times if j >= least)
    shares = [hits[j] / times[j] for j in numbers]
    smooth = IsotonicRegression().fit(numbers, shares, sample_weight=[times[j] for j in numbers]).predict(numbers)
    by_number = dict(zip(numbers, smooth.round(12).tolist(), strict=True))
    return Counter((by_number[j], label) for j, label in pairs)


@pytest.mark.parametrize("candidates", [None, PARTS])
@pytest.mark.parametrize("n_samples", [2, 3, 9])
def test_samples_against_literal_loops(n_samples: int, candidates: Any) -> None:
    samples, gold = simulate(12, n_samples, np.random.default_rng(n_samples))
    pairs = structure_pairs(samples, gold, candidates=None if candidates is None else [candidates] * len(gold))
    assert rows_of(pairs) == literal_rows(samples, gold, candidates)


def test_a_list_of_all_structures_gives_the_marginals() -> None:
    rng = np.random.default_rng(0)
    samples, weights, gold, expected = [], [], [], []
    for _ in range(5):
        p = rng.random(4)
        subsets = list(product([False, True], repeat=4))
        samples.append([[k for k in range(4) if subset[k]] for subset in subsets])
        weights.append([7.0 * np.prod(np.where(subset, p, 1 - p)) for subset in subsets])
        gold.append([int(rng.integers(4))])
        expected += [(round(p[k], 12), int(k in gold[-1])) for k in range(4)]
    pairs = structure_pairs(samples, gold, sample_weight=weights)
    assert rows_of(pairs) == Counter(expected)
    np.testing.assert_array_equal(pairs.clusters, np.repeat(np.arange(5), 4))


def test_items_are_matched_by_key_and_parts_by_content() -> None:
    samples = {"a": [[["N", 0]], [["N", 0], "x"]], "b": [["x"], ["y"]]}
    pairs = structure_pairs(samples, {"b": ["y"], "a": [("N", 0)]}, sample_weight={"b": [1, 3], "a": [1, 1]})
    assert rows_of(pairs) == Counter([(1.0, 1), (0.5, 0), (0.25, 0), (0.75, 1)])


def test_labels_are_groups() -> None:
    samples, gold = simulate(40, 8, np.random.default_rng(1))
    pairs = structure_pairs(samples, gold, by_label=True)
    assert pairs.group_names == ("N", "V")
    assert rows_of(pairs) == rows_of(structure_pairs(samples, gold))
    labelled_pairs = structure_pairs(
        [[[("V", 1)], [("V", 1), ("N", 2)]]], [[("N", 2)]], sample_weight=[[1, 1]], by_label=True
    )
    assert [(name, group.probabilities.tolist()) for name, group in labelled_pairs.by_group()] == [
        ("N", [0.5]),
        ("V", [1.0]),
    ]


def test_gold_parts_without_a_pair_are_counted() -> None:
    pairs = structure_pairs([[["a"], ["b"]]], [["a", "c", "d"]], sample_weight=[[1, 1]])
    assert len(pairs) == 2
    assert pairs.notes[0].startswith("2 of 3 gold parts have no pair,")
    everything = structure_pairs(
        [[["a"], ["b"]]], [["a", "c"]], sample_weight=[[1, 1]], candidates=[["a", "b", "c", "d"]]
    )
    assert rows_of(everything) == Counter([(0.5, 1), (0.5, 0), (0.0, 1), (0.0, 0)])
    assert everything.notes == ()


@pytest.mark.long
@pytest.mark.parametrize("n_samples", [10, pytest.param(30, marks=pytest.mark.slow)])
def test_samples_of_a_calibrated_model_are_calibrated(n_samples: int) -> None:
    """The interval of the error reaches 0; that of the shares of ten samples is above 0 too often."""
    covered, of_shares = [], []
    for seed in range(60):
        samples, gold = simulate(150, n_samples, np.random.default_rng([n_samples, seed]))
        covered.append(binned_curve(structure_pairs(samples, gold)).error.low == 0.0)
        shares = structure_pairs(samples, gold, sample_weight=[[1.0] * n_samples] * 150)
        of_shares.append(binned_curve(shares).error.low == 0.0)
    assert np.mean(covered) >= 0.9
    assert n_samples > 10 or np.mean(of_shares) < 0.8


def test_an_overconfident_model_is_found() -> None:
    samples, gold = simulate(200, 50, np.random.default_rng(3), power=1.5)
    curve = binned_curve(structure_pairs(samples, gold))
    assert curve.error.low > 0.03
    assert curve.p_value < 1e-4
    assert curve.base_rate < structure_pairs(samples, gold).probabilities.mean() - 0.03


S = [["a"], ["b"]]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([S], [["a"], ["b"]]), "gold must have the items of samples: 1 item in samples, 2 in gold; item 1 is in gold"),
        (({"x": S}, {"y": ["a"]}), "item x is in samples, not in gold"),
        (([S], [["a"]], [[0, 0]]), "weights of item 0 sum to 0"),
        (([S], [["a"]], [[1, -1]]), "weights of item 0 must be finite and not negative; they are 1.0, -1.0"),
        (([S], [["a"]], [[1, float("nan")]]), "weights of item 0 must be finite"),
        (([S], [["a"]], [[1]]), "weights of item 0 must be 2 numbers, one per structure; they are [1]"),
        (([S], [["c"]], None, [["a", "b"]]), "gold has 'c', which is not one of the 2"),
        (([S], [["a"]], None, [["a"]]), "samples has 'b', which is not one of the 1"),
        (([[["a"]]], [["a"]]), "item 0 must have 2 samples or more; it has 1; the probability of a part is estimated"),
        (([[]], [["a"]], [[]]), "item 0 must have 1 sample or more; it has 0"),
        ((["ab"], [["a"]]), "samples of item 0 must be a list of structures; they are 'ab'"),
        (([["ab", "c"]], [["a"]]), "a structure of item 0 must be a list of parts; it is 'ab'"),
        (([S], [[{"a": 1}]]), "gold of item 0 must consist of strings, numbers and lists of these"),
        (([[[], []]], [["a"]]), "there is nothing to evaluate"),
        ((3, [["a"]]), "samples must be a list with an entry per item, or a mapping; it is 3"),
    ],
)
def test_bad_input(arguments: Any, message: str) -> None:
    samples, gold, weights, candidates = (*arguments, None, None)[:4]
    with pytest.raises(InputError, match=re.escape(message)):
        structure_pairs(samples, gold, sample_weight=weights, candidates=candidates)


def test_groups_need_labels() -> None:
    with pytest.raises(InputError, match=r"^by_label needs parts that begin with a label.*; one is 'a'"):
        structure_pairs([S], [["a"]], sample_weight=[[1, 1]], by_label=True)
