"""Two actors by their corrected counts: against samples of both laws, turned around, and in the extremes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from howsure.errors import InputError
from howsure.events.series.corrected_comparison import corrected_comparison
from howsure.events.series.corrected_series import CorrectedSeries, corrected_series
from tests.events.corrected.known_truth import KnownTruth, known_truth


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnownTruth]:
    held = known_truth(tmp_path_factory.mktemp("comparison") / "known.duckdb", n=240)
    yield held
    held.store.close()


@pytest.fixture(scope="module")
def series(known: KnownTruth) -> CorrectedSeries:
    return corrected_series(known.store, labels=known.read(known.drawn(80, seed=1)))


def test_probabilities_are_those_of_both_laws(series: CorrectedSeries) -> None:
    compared = corrected_comparison(series, "AAA", "BBB")
    laws = {row.group: law for row, law in zip(series.counts.rows, series.counts.laws, strict=True)}
    methods = {name: {row.period: row.method for row in series.rows_of(name)} for name in ("AAA", "BBB")}
    for row in compared.rows:
        if "labels" in (methods["AAA"][row.period], methods["BBB"][row.period]):  # one stands alone: no law of both
            found, more = series.counts.difference(*((actor, "asked", row.period) for actor in ("AAA", "BBB")))
            assert (row.low, row.mean, row.high) == (found.low, found.value, found.high)
            assert row.greater + row.equal / 2 == pytest.approx(more, rel=1e-12)
            continue
        a, b = (laws[actor, "asked", row.period] for actor in ("AAA", "BBB"))
        every = np.arange(0, a.units + a.known + b.units + b.known + 1)
        mass_a, mass_b = (np.diff(law.cdf(every), prepend=0.0) for law in (a, b))
        joint = np.outer(mass_a, mass_b)
        assert row.greater == pytest.approx(np.tril(joint, -1).sum(), abs=1e-7)
        assert row.equal == pytest.approx(np.trace(joint), abs=1e-7)
        assert row.less == pytest.approx(np.triu(joint, 1).sum(), abs=1e-7)
        assert row.low <= row.mean <= row.high


def test_turned_around(series: CorrectedSeries) -> None:
    one, other = (corrected_comparison(series, *pair) for pair in (("AAA", "BBB"), ("BBB", "AAA")))
    for row, turned in zip((*one.rows, one.total), (*other.rows, other.total), strict=True):
        assert row.greater == pytest.approx(turned.less, abs=1e-7)
        assert row.equal == pytest.approx(turned.equal, abs=1e-7)
        assert row.mean == pytest.approx(-turned.mean)
    assert one.total.low == pytest.approx(-other.total.high)


def test_the_probability_in_all_agrees_with_its_interval(series: CorrectedSeries) -> None:
    total = corrected_comparison(series, "AAA", "BBB").total
    assert total.greater + total.less == pytest.approx(1.0)
    assert (total.low > 0) == (total.greater > 0.975)
    assert total.mean == pytest.approx(series.total_of("AAA").estimate - series.total_of("BBB").estimate)


def test_what_is_read_is_certain(known: KnownTruth, tmp_path: Path) -> None:
    whole = corrected_series(known.store, labels=known.read(known.documents))
    compared = corrected_comparison(whole, "AAA", "BBB")
    for row in (*compared.rows, compared.total):
        difference = row.mean
        sides = float(difference > 1e-9), float(abs(difference) <= 1e-9), float(difference < -1e-9)
        assert (row.greater, row.equal, row.less) == pytest.approx(sides)
        assert row.low == pytest.approx(row.high)
    assert "acts in more" in compared.verdict()


def test_what_cannot_be_compared(known: KnownTruth, series: CorrectedSeries) -> None:
    with pytest.raises(InputError, match="different actors"):
        corrected_comparison(series, "AAA", "AAA")
    with pytest.raises(InputError, match="no actor 'CCC'"):
        corrected_comparison(series, "AAA", "CCC")
    shares = corrected_series(known.store, labels=known.read(known.drawn(80, seed=1)), unit="share")
    with pytest.raises(InputError, match="no unit 'share' in corrected comparisons"):
        corrected_comparison(shares, "AAA", "BBB")
