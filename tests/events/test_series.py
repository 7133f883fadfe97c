"""Series: which documents fall into which row, shares, the single best, and bad input."""

from __future__ import annotations

import numpy as np
import pytest

from howsure.errors import InputError
from howsure.events.counts import count_from_samples
from howsure.events.series import series_of_probabilities, series_of_samples

PERIODS = ("1999-Q2", "1999-Q1", "1999-Q2", "1999-Q1")
ACTORS = ("NATO", "YUG")
SAMPLES = np.random.default_rng(7).integers(0, 3, (4, 50, 2))


@pytest.mark.parametrize("interval", ["exact", "normal", "samples"])
@pytest.mark.parametrize("quantity", ["documents", "entities"])
def test_each_row_counts_its_own_documents(interval: str, quantity: str) -> None:
    series = series_of_samples(SAMPLES, PERIODS, actors=ACTORS, interval=interval, quantity=quantity)
    assert [(row.actor, row.period) for row in series.rows] == [
        (actor, period) for actor in ACTORS for period in ("1999-Q1", "1999-Q2")
    ]
    for row in series.rows:
        own = [document for document, period in enumerate(PERIODS) if period == row.period]
        counted = SAMPLES[own, :, ACTORS.index(row.actor)]
        expected = count_from_samples(counted if quantity == "entities" else np.minimum(counted, 1), interval=interval)
        assert (row.mean, row.low, row.high, row.variance) == (
            expected.mean, expected.low, expected.high, expected.variance
        )  # fmt: skip
        assert (row.n_documents, row.best) == (2, None)


def test_mean_and_variance_are_the_closed_form() -> None:
    rng = np.random.default_rng(8)
    p, periods = rng.random((500, 3)), rng.integers(1990, 1995, 500).astype(str).tolist()
    series = series_of_probabilities(p, periods, actors=("A", "B", "C"), n_samples=100)
    assert len(series.rows) == 15
    for row in series.rows:
        own = p[np.array(periods) == row.period, "ABC".index(row.actor)]
        assert abs(row.mean - own.sum()) < 1e-12 * own.sum()
        assert abs(row.variance - (own * (1 - own)).sum() * 100 / 99) < 1e-12 * own.sum()
        assert 0 <= row.low <= row.mean <= row.high <= len(own)


def test_documents_without_events_may_be_left_out() -> None:
    sizes = {"1999-Q1": 40, "1999-Q2": 10, "1999-Q3": 5, "1999-Q4": 0}
    counts = series_of_samples(SAMPLES, PERIODS, actors=ACTORS, documents=sizes, best=np.ones((4, 2)))
    shares = series_of_samples(SAMPLES, PERIODS, actors=ACTORS, documents=sizes, best=np.ones((4, 2)), share=True)
    assert [row.period for row in counts.rows] == list(sizes) * 2
    for count, share in zip(counts.rows, shares.rows, strict=True):
        n = sizes[count.period]
        assert count.n_documents == share.n_documents == n
        if n == 0:
            assert np.isnan([share.mean, share.low, share.high]).all()
            continue
        assert share.mean == pytest.approx(count.mean / n)
        assert (share.low, share.high) == pytest.approx((count.low / n, count.high / n))
        assert share.variance == pytest.approx(count.variance / n**2)
        assert share.best == pytest.approx((count.best or 0.0) / n)
    quiet = counts.rows[2]
    assert (quiet.mean, quiet.low, quiet.high, quiet.best) == (0.0, 0.0, 0.0, 0.0)


def test_as_plain_values_and_as_a_frame() -> None:
    series = series_of_samples(
        SAMPLES, PERIODS, actors=ACTORS, documents={"1999-Q1": 2, "1999-Q2": 2, "x": 0}, share=True
    )
    held = series.to_dict()
    assert (held["interval"], held["quantity"], held["n_samples"], held["share"]) == ("exact", "documents", 50, True)
    assert held["rows"][2]["mean"] is None
    frame = series.to_frame("pandas")
    assert list(frame.columns[:5]) == ["actor", "period", "mean", "low", "high"]
    assert len(frame) == 6


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"quantity": "entity"}, r"no quantity 'entity' .* Did you mean entities\?"),
        ({"interval": "exakt"}, r"Did you mean exact\?"),
        ({"level": 95}, "Write 0.95 for 95 %"),
        ({"documents": {"1999-Q1": 2}}, "no period '1999-Q2' in documents"),
        ({"documents": {"1999-Q1": 2, "1999-Q2": 1}}, r"documents\['1999-Q2'\] must not be less than the 2 rows"),
        ({"best": [[1]]}, r"best must have the shape \(4, 2\)"),
        ({"actors": ("NATO",)}, r"samples must have the shape \(4, 50, 1\)"),
    ],
)
def test_bad_input(options: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        series_of_samples(SAMPLES, PERIODS, **{"actors": ACTORS, **options})  # type: ignore[arg-type]


def test_samples_are_counts() -> None:
    with pytest.raises(InputError, match="must be whole numbers or truth values of shape"):
        series_of_samples(SAMPLES / 2, PERIODS, actors=ACTORS)
    with pytest.raises(InputError, match="2 samples or more"):
        series_of_samples(SAMPLES[:, :1], PERIODS, actors=ACTORS)
    with pytest.raises(InputError, match="must not be negative"):
        series_of_samples(SAMPLES - 1, PERIODS, actors=ACTORS)


def test_probabilities_are_probabilities() -> None:
    with pytest.raises(InputError, match="probabilities must lie in"):
        series_of_probabilities([[1.5]], ["1999"], actors=["A"])
    with pytest.raises(InputError, match=r"probabilities must have the shape \(1, 2\)"):
        series_of_probabilities([[0.5]], ["1999"], actors=["A", "B"])
    with pytest.raises(InputError, match="n_samples must be 2 or more"):
        series_of_probabilities([[0.5]], ["1999"], actors=["A"], n_samples=1)
    assert series_of_probabilities(np.empty((0, 1)), [], actors=["A"], documents={"1999": 3}).rows[0].high == 0.0
