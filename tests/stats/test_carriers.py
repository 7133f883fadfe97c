"""Shares that few clusters carry: an interval that is exact for Poisson numbers, and one more cluster."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import chi2

from howsure.stats.clusters import carriers, ends_with_one_more, few_carriers, gamma_interval, gamma_p_value, one_more


@pytest.mark.parametrize("events", [0, 1, 4, 30])
def test_equal_contributions_have_the_exact_interval_of_a_poisson_number(events: int) -> None:
    """Garwood's (1936), and the p-value of its upper end."""
    low, high = gamma_interval(events / 50, events / 50**2, 1 / 50, level=0.9)
    assert low == pytest.approx(chi2.ppf(0.05, 2 * events) / 100 if events else 0.0, rel=1e-9)
    assert high == pytest.approx(chi2.ppf(0.95, 2 * events + 2) / 100, rel=1e-9)
    held = (np.array([one]) for one in (events / 50, events / 50**2, 1 / 50))
    assert gamma_p_value(*held, high).item() == pytest.approx(0.05, rel=1e-9)


def test_one_more_cluster_counts_whole_among_few_and_less_among_many() -> None:
    assert one_more(0.1, np.array([0.0, 19.0, 20.0, 40.0])).tolist() == [0.1, 0.1, 0.1, 0.05]
    assert ends_with_one_more(0.2, 0.001, 0.1, 100.0, level=0.95) == (0.2, 0.2)
    low, high = ends_with_one_more(0.2, 0.001, 0.1, 30.0, level=0.95)
    assert low < 0.2 < high


def test_the_note_names_the_clusters() -> None:
    counts = np.array([18, 1, 1, 0, 0])
    assert carriers(counts) == pytest.approx(400 / 326)
    note = few_carriers(counts, "the wrong answers")
    assert note is not None
    assert "lie in 3 of 5 clusters, equivalent to 1.2 equal ones" in note
    assert few_carriers(np.zeros(5), "the wrong answers") is None
