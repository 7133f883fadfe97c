"""BooStSa's own test data: the figures that it prints, and the p-values that its rule tends to."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from howsure.significance import compare

METRICS = ["macro_f1", "macro_precision", "macro_recall", "accuracy"]

PRINTED = {
    (("h0.0",), ("h1.0",)): (".6776 .7407 .0631", ".6994 .7410 .0416", ".6796 .7422 .0626", ".6900 .7410 .0510"),
    (("h0.1",), ("h1.1",)): (".7259 .7299 .0040", ".7323 .7360 .0037", ".7308 .7347 .0039", ".7260 .7300 .0040"),
    (("h0.0",), ("h2.0",)): (".6776 .7132 .0356", ".6994 .7170 .0176", ".6796 .7124 .0328", ".6900 .7170 .0270"),
    (("h0.1",), ("h2.1",)): (".7259 .7120 -.0139", ".7323 .7126 -.0197", ".7308 .7116 -.0192", ".7260 .7140 -.0120"),
    (("h0.0", "h0.1"), ("h1.0", "h1.1")): (
        ".7057 .7355 .0298",
        ".7066 .7379 .0313",
        ".7052 .7385 .0333",
        ".7080 .7355 .0275",
    ),
    (("h0.0", "h0.1"), ("h2.0", "h2.1")): (
        ".7057 .7127 .0070",
        ".7066 .7146 .0080",
        ".7052 .7120 .0068",
        ".7080 .7155 .0075",
    ),
}

# p of macro-F1: the limit of BooStSa's rule by sub-sample share, exact permutation, exact McNemar. The permutation is
# of the difference over its standard error; 4,000 draws of a loop over rows have .00025, .735, .0255, .340.
TESTED = {
    ("h0.0", "h1.0"): ({0.1: 0.123, 0.2: 0.0496, 0.5: 0.0045}, 0.000223, 0.0030),
    ("h0.1", "h1.1"): ({0.1: 0.480, 0.2: 0.444, 0.5: 0.398}, 0.730, 0.793),
    ("h0.0", "h2.0"): ({0.1: 0.236, 0.2: 0.153, 0.5: 0.052}, 0.02174, 0.0814),
    ("h0.1", "h2.1"): ({0.1: 0.615, 0.2: 0.663, 0.5: 0.749}, 0.3384, 0.452),
}


def read(folder: Path, names: tuple[str, ...], what: str) -> np.ndarray:
    return np.concatenate([np.loadtxt(folder / "boostsa_test" / name / f"{what}.txt", dtype=int) for name in names])


@pytest.mark.parametrize("pair", PRINTED)
def test_the_figures_are_those_that_boostsa_prints(pair: tuple[tuple[str, ...], ...], real_data: Path) -> None:
    first, second = pair
    columns = read(real_data, first, "targs"), read(real_data, first, "preds"), read(real_data, second, "preds")
    result = compare(*columns, metrics=METRICS, rng=0, n_resamples=10, interval=None)
    for row, printed in zip(result, PRINTED[pair], strict=True):
        a, b, d = (float(figure) for figure in printed.split())
        assert (round(row.against_value, 4), round(row.model_value, 4)) == (a, b)
        assert round(round(row.model_value, 4) - round(row.against_value, 4), 4) == d


@pytest.mark.parametrize("bug_compatible", [False, True])
@pytest.mark.parametrize(
    "pair", [pytest.param(pair, marks=pytest.mark.long if at else ()) for at, pair in enumerate(TESTED)]
)
def test_its_rule_has_its_p_values(pair: tuple[str, str], bug_compatible: bool, real_data: Path) -> None:
    """Ten seeds of 1,000 draws: each, and their mean, within 4 binomial standard deviations of the limit."""
    columns = read(real_data, pair[:1], "targs"), read(real_data, pair[:1], "preds"), read(real_data, pair[1:], "preds")
    options = {"metrics": "macro_f1", "method": "boostsa", "n_resamples": 1000, "bug_compatible": bug_compatible}
    for share, limit in TESTED[pair][0].items():
        found = [
            compare(*columns, sample_size=share, rng=seed, interval=None, **options)[0].p_value for seed in range(10)
        ]
        deviation = np.sqrt(limit * (1 - limit) / 1000)
        assert np.abs(np.array(found) - limit).max() < 4 * deviation
        assert abs(np.mean(found) - limit) < 4 * deviation / np.sqrt(10) + 0.0005  # the limit has so many digits


@pytest.mark.parametrize("pair", TESTED)
def test_the_exact_tests_have_theirs(pair: tuple[str, str], real_data: Path) -> None:
    columns = read(real_data, pair[:1], "targs"), read(real_data, pair[:1], "preds"), read(real_data, pair[1:], "preds")
    _, permutation, mcnemar = TESTED[pair]
    f1, accuracy = compare(*columns, metrics=["macro_f1", "accuracy"], interval=None, adjust=None, rng=0)
    assert f1.exact
    assert f1.p_value == pytest.approx(permutation, rel=0.02)
    assert accuracy.p_value == pytest.approx(
        mcnemar, rel=0.02
    )  # the permutation test of accuracy is McNemar's exact one


def test_two_runs_on_the_same_items_are_not_twice_as_many_items(real_data: Path) -> None:
    """BooStSa concatenates its two runs; the exact p of that is .0033. By item it happens to be the same."""
    both = ("h0.0", "h0.1"), ("h1.0", "h1.1")
    columns = read(real_data, both[0], "targs"), *(read(real_data, one, "preds") for one in both)
    one, other = (read(real_data, (name,), "idxs") for name in both[0])
    assert (one == other).all()
    options = {"metrics": "macro_f1", "rng": 0, "interval": None}
    concatenated = compare(*columns, **options)[0]
    by_item = compare(*columns, run=np.repeat([0, 1], 1000), id=np.concatenate([one, other]), **options)[0]
    assert concatenated.p_value == pytest.approx(0.00334, rel=0.02)
    assert (concatenated.n, by_item.n) == (2000, 1000)
    assert by_item.difference == pytest.approx(concatenated.difference)
    assert not by_item.exact  # each item has 9 outcomes and more, so these are too many to enumerate
