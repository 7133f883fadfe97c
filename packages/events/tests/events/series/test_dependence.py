"""Stories and overdispersion: the laws against brute force, and intervals that hold what they must."""

from __future__ import annotations

import datetime
import re
from dataclasses import replace
from itertools import permutations, product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm
from tests.events import newswire
from tests.events.made_up_store import hussein_document, write_store
from tests.events.stores import extract_to
from tests.explorer.serving import data_in

from howsure.errors import InputError
from howsure.stats.proportions import poisson_binomial
from howsure_events import example_store
from howsure_events.corpus import Filter
from howsure_events.explorer import events_report
from howsure_events.series import actor_comparison
from howsure_events.series.actor_comparison import compare_actors
from howsure_events.series.counts import (
    cause_share,
    compare_counts,
    count_from_probabilities,
    count_from_samples,
    story_sums,
    sum_law,
    unit_laws,
)
from howsure_events.series.event_series import UNITS, event_series
from howsure_events.store.event_store import EventStore
from howsure_events.store.store_queries import documents_by_period, requested_days

SAMPLES = 100
SMALL = st.lists(st.lists(st.integers(0, 2), min_size=4, max_size=4), min_size=1, max_size=4)


@given(rows=SMALL, data=st.data())
def test_a_story_adds_the_quantiles_of_its_documents(rows: list[list[int]], data: st.DataObject) -> None:
    stories = np.array(data.draw(st.lists(st.integers(3, 5), min_size=len(rows), max_size=len(rows))))
    sums = story_sums(np.array(rows), stories)
    for place, story in enumerate(sorted(set(stories.tolist()))):
        members = [row for row, story_of_row in zip(rows, stories.tolist(), strict=True) if story_of_row == story]
        if len(members) == 1:
            assert story_sums(np.array(members), np.array([story])).tolist() == members
        quantiles = zip(*(sorted(row) for row in members), strict=True)
        assert sorted(sums[place].tolist()) == [sum(column) for column in quantiles]


def test_probabilities_and_samples_of_stories_say_the_same() -> None:
    rng = np.random.default_rng(0)
    samples = (rng.random((30, SAMPLES)) < rng.random((30, 1))).astype(np.int64)
    stories = np.repeat(np.arange(10), 3)
    from_samples = count_from_samples(samples, stories=stories)
    from_shares = count_from_probabilities(samples.mean(axis=1), n_samples=SAMPLES, stories=stories)
    for name in ("mean", "low", "high", "variance", "monte_carlo_error"):
        assert getattr(from_samples, name) == pytest.approx(getattr(from_shares, name), rel=1e-9)


def test_five_equal_documents_are_five_times_one() -> None:
    count = count_from_probabilities(np.full(5, 0.3), n_samples=SAMPLES, stories=np.zeros(5))
    assert (count.low, count.high) == (0.0, 5.0)
    assert count.variance == pytest.approx(25 * 0.3 * 0.7 * SAMPLES / (SAMPLES - 1))
    apart = count_from_probabilities(np.full(5, 0.3), n_samples=SAMPLES)
    assert apart.variance == pytest.approx(5 * 0.3 * 0.7 * SAMPLES / (SAMPLES - 1))


def test_reprints_change_no_comparison() -> None:
    """The probability of more was .846 and became .995 with five reprints of every document."""
    rng = np.random.default_rng(4)
    a = (rng.random((12, SAMPLES)) < rng.random((12, 1))).astype(np.int64)
    b = (rng.random((12, SAMPLES)) < rng.random((12, 1))).astype(np.int64)
    once = compare_counts(a, b)
    drawn = [np.concatenate([rng.permuted(samples, axis=1) for _ in range(5)]) for samples in (a, b)]
    joint = [np.concatenate([samples] * 5) for samples in (a, b)]
    stories = np.tile(np.arange(12), 5)
    together, apart = compare_counts(*joint, stories=stories), compare_counts(*joint)
    assert 0.6 < once.more < 0.8
    assert together.more == pytest.approx(once.more, abs=1e-9)
    assert (together.low, together.high) == (5 * once.low, 5 * once.high)
    assert apart.more > 0.9
    assert count_from_samples(drawn[0], stories=stories).high == 5 * count_from_samples(a).high


@settings(max_examples=15)
@given(p=st.lists(st.floats(0.01, 0.99), min_size=2, max_size=5), rho=st.floats(0.01, 0.5))
def test_overdispersion_keeps_means_and_has_the_correlation(p: list[float], rho: float) -> None:
    laws = np.column_stack([1 - np.array(p), p])
    law = sum_law(laws, overdispersion=rho)
    sd = np.sqrt(np.array(p) * (1 - np.array(p)))
    expected = (sd**2).sum() + rho * (sd.sum() ** 2 - (sd**2).sum())
    assert law.pmf.sum() == pytest.approx(1.0, abs=1e-9)
    assert law.mean == pytest.approx(sum(p), abs=1e-7)
    if cause_share(laws, rho) < 0.99:
        assert law.variance == pytest.approx(expected, rel=1e-6)


def test_overdispersion_is_the_law_of_one_common_cause() -> None:
    p, rho = np.array([0.2, 0.5, 0.9]), 0.2
    laws = np.column_stack([1 - p, p])
    share = cause_share(laws, rho)
    cause = norm.ppf((np.arange(20_000) + 0.5) / 20_000)
    given_z = norm.cdf((norm.ppf(1 - p) - np.sqrt(share) * cause[:, None]) / np.sqrt(1 - share))  # P(none | z)
    expected = np.zeros(4)
    for outcome in product((0, 1), repeat=3):
        chance = np.where(outcome, 1 - given_z, given_z).prod(axis=1).mean()
        expected[sum(outcome)] += chance
    assert sum_law(laws, overdispersion=rho).pmf == pytest.approx(expected, abs=1e-4)


def test_without_overdispersion_nothing_changes() -> None:
    p = np.array([0.1, 0.7, 0.4])
    laws = np.column_stack([1 - p, p])
    assert np.array_equal(sum_law(laws).pmf, poisson_binomial(p).pmf)
    assert unit_laws(np.array([[0, 1, 1, 0]])).tolist() == [[0.5, 0.5]]


def reprinted(rng: np.random.Generator, *, stories: int, most: int) -> tuple[np.ndarray, np.ndarray, int]:
    """Samples of documents of stories with 1 to `most` reprints each, their stories, and the count that is true."""
    p = rng.beta(0.5, 0.5, size=stories)
    copies = rng.integers(1, most + 1, size=stories)
    truth = int((copies * (rng.random(stories) < p)).sum())
    story_ids = np.repeat(np.arange(stories), copies)
    return (rng.random((len(story_ids), SAMPLES)) < p[story_ids, np.newaxis]).astype(np.int64), story_ids, truth


def covered(sets: int, *, seed: int, together: bool, stories: int = 30, most: int = 9) -> float:
    rng, covering = np.random.default_rng(seed), 0
    for _ in range(sets):
        samples, story_ids, truth = reprinted(rng, stories=stories, most=most)
        count = count_from_probabilities(
            samples.mean(axis=1), n_samples=SAMPLES, stories=story_ids if together else None
        )
        covering += count.low <= truth <= count.high
    return covering / sets


def test_intervals_hold_counts_with_reprints() -> None:
    assert covered(100, seed=1, together=False) < 0.75
    assert covered(100, seed=1, together=True) > 0.92


def covered_with_cause(sets: int, rho: float, *, seed: int, documents: int = 60) -> float:
    """How often intervals hold the count, the truths having the correlation through a beta-binomial cause."""
    rng, covering = np.random.default_rng(seed), 0
    for _ in range(sets):
        p = rng.beta(2.0, 2.0)
        common = rng.beta(p * 9.0, (1 - p) * 9.0)  # truths correlate by 1 / (1 + 9) = .1
        truth = int((rng.random(documents) < common).sum())
        shares = rng.binomial(SAMPLES, p, size=documents) / SAMPLES
        count = count_from_probabilities(shares, n_samples=SAMPLES, overdispersion=rho)
        covering += count.low <= truth <= count.high
    return covering / sets


def test_intervals_hold_correlated_counts() -> None:
    assert covered_with_cause(40, 0.0, seed=2) < 0.7
    assert covered_with_cause(40, 0.1, seed=2) > 0.88


@pytest.mark.slow
@pytest.mark.parametrize("most", [2, 5, 20])
@pytest.mark.parametrize("stories", [5, 30, 200])
def test_coverage_with_reprints(stories: int, most: int) -> None:
    """Each reprint is sampled by itself, so that their shares differ a little: many of them cover .93, not .95."""
    assert covered(2_000, seed=stories + most, together=True, stories=stories, most=most) > 0.915


@pytest.mark.slow
@pytest.mark.parametrize("documents", [10, 60, 300])
def test_coverage_with_a_common_cause(documents: int) -> None:
    assert covered_with_cause(1_000, 0.1, seed=documents, documents=documents) > 0.93


@pytest.fixture(scope="module")
def reprinted_stories(tmp_path_factory: pytest.TempPathFactory) -> EventStore:
    """The paper's example six times: documents 0 to 3 are one story, 4 and 5 another."""
    path = tmp_path_factory.mktemp("reprinted") / "made_up.duckdb"
    write_store(path, [hussein_document(number) for number in range(6)]).close()
    with EventStore.open(path, read_only=False) as store:
        store.append({"stories": {"document": [0, 1, 2, 3, 4, 5], "story": [0, 0, 0, 0, 4, 4]}})
    return EventStore.open(path)


@pytest.mark.parametrize("interval", ["exact", "normal", "samples"])
def test_a_story_is_one_source(reprinted_stories: EventStore, interval: str) -> None:
    together = event_series(reprinted_stories, period="year", interval=interval).rows[0]
    apart = event_series(reprinted_stories, period="year", interval=interval, stories="apart").rows[0]
    assert together.mean == apart.mean
    assert together.variance == pytest.approx((16 + 4) * 0.25, rel=0.2)
    assert apart.variance == pytest.approx(6 * 0.25, rel=0.2)
    assert together.high - together.low > apart.high - apart.low
    if interval == "exact":
        assert (together.low, together.high) == (0.0, 6.0)


def test_entities_and_shares_of_stories(reprinted_stories: EventStore) -> None:
    documents, entities, share = (
        event_series(reprinted_stories, period="year", unit=unit).rows[0] for unit in ("documents", "entities", "share")
    )
    assert (entities.low, entities.high) == (documents.low, documents.high) == (6 * share.low, 6 * share.high)


def test_a_comparison_of_stories(reprinted_stories: EventStore) -> None:
    together = compare_actors(reprinted_stories, "IRQ", "KWT", period="year").rows[0]
    apart = compare_actors(reprinted_stories, "IRQ", "KWT", period="year", stories="apart").rows[0]
    assert together.equal == pytest.approx(0.25, abs=0.12)
    assert apart.equal < 0.03
    assert together.greater_low <= together.greater <= together.greater_high


def test_assumptions_are_reported(reprinted_stories: EventStore) -> None:
    series, compared = (
        event_series(reprinted_stories),
        compare_actors(reprinted_stories, "IRQ", "KWT", stories="apart"),
    )
    assert (series.recipe["documents_of_shared_stories"], series.recipe["shared_stories"]) == (6, 2)
    notes = " ".join(series.footnotes())
    assert series.provenance.startswith("attack: ")
    assert "6 documents with an event report 2 stories: documents of one story count as one source" in notes
    notes = " ".join(compared.footnotes())
    assert "6 documents with an event report 2 stories, but all documents are assumed to be independent" in notes
    assert compared.event == "attack"
    begun = series.recipe | {"store": {**series.recipe["store"], "finished": False}}
    assert "The store is not finished: documents are missing." in replace(series, recipe=begun).footnotes()


@pytest.mark.long
def test_leaving_out_documents_without_an_actor_changes_no_series(tmp_path: Path) -> None:
    """Shares were of the documents kept, not of those of the period."""
    model = newswire.write_model(tmp_path / "model.npz")
    corpus = newswire.write_corpus(tmp_path / "news.conllu", 12)
    parts = corpus.read_text().split("# newdoc")
    nowhere = re.compile("|".join(name for _, *names in newswire.ACTORS for name in sorted(names, reverse=True)))
    corpus.write_text(
        "# newdoc".join(nowhere.sub("Ruritanian", part) if at % 3 else part for at, part in enumerate(parts))
    )
    outcomes = []
    for name, filter in (("all", Filter()), ("some", Filter(require_actor=True))):
        extract_to(tmp_path / f"{name}.duckdb", corpus, model, filter=filter)
        with EventStore.open(tmp_path / f"{name}.duckdb") as store:
            series = {unit: event_series(store, period="month", unit=unit).rows for unit in UNITS}
            outcomes.append((series, store.ask("SELECT count(*) FROM left_out")))
    assert outcomes[0][0] == outcomes[1][0]
    assert outcomes[0][1] == [(0,)] != outcomes[1][1]


def dated(path: Path, *days: datetime.date) -> EventStore:
    return write_store(path, [replace(hussein_document(at), date=day) for at, day in enumerate(days)])


NEWS = datetime.date(1999, 2, 3), datetime.date(1999, 7, 8)


@pytest.mark.long
@pytest.mark.parametrize("odd", [datetime.date.max, pytest.param(datetime.date.min, marks=pytest.mark.long)])
def test_one_odd_date_does_not_break_a_store(odd: datetime.date, tmp_path: Path) -> None:
    with dated(tmp_path / "odd.duckdb", *NEWS, odd) as store:
        with pytest.raises(
            InputError, match=rf"{odd}.* periods of a week, more than 10,000\. Is a date wrong\?.*\(since and until\)"
        ):
            event_series(store, period="week")
        assert event_series(store, period="year").rows[0].n_documents in (1, 2)
        span = {"since": "1999-01-01", "until": "1999-12-31"}
        series = event_series(store, period="quarter", **span)
        assert [row.n_documents for row in series.rows] == [1, 0, 1]
        assert (series.recipe["since"], series.recipe["documents"]) == ("1999-01-01", 2)
        assert len(compare_actors(store, "IRQ", "KWT", period="month", **span).rows) == 6


@pytest.mark.long
def test_one_odd_date_does_not_break_a_report(tmp_path: Path) -> None:
    with dated(tmp_path / "odd.duckdb", *NEWS, datetime.date(4600, 5, 1)) as store:
        assert {row["period"] for row in data_in(events_report(store))["periods"]["year"]} >= {"1999", "4600"}


def test_days_without_documents(tmp_path: Path) -> None:
    with (
        dated(tmp_path / "news.duckdb", *NEWS) as store,
        pytest.raises(
            InputError, match=r"no document from 2001-01-01 to .* its documents are of 1999-02-03 to 1999-07-08"
        ),
    ):
        event_series(store, since="2001-01-01")


@pytest.mark.parametrize("period", ["week", "quarter", "year"])
@pytest.mark.parametrize("since", [None, "2001-06-05"])
def test_two_actors_are_compared_alike_by_packed_samples_and_by_all(period: str, since: str | None) -> None:
    """What is kept of each actor by itself gives the laws that all joint samples give."""
    with example_store() as store:
        days, sizes = requested_days(since, "2002-11-01"), documents_by_period(store, period)
        for pair in permutations(["NORLAND", "SUDORIA", "ALLIANCE"], 2):
            packed, has = actor_comparison._document_laws(store, pair, list(sizes), days)
            joint, acts = actor_comparison._laws(store, pair, period, "documents", days, apart=True)
            assert has == acts
            assert packed.keys() == joint.keys()
            for label, laws in joint.items():
                law_of_packed, law_of_all = (law[np.lexsort(law.T)] for law in (packed[label], laws))
                np.testing.assert_allclose(law_of_packed, law_of_all, atol=1e-12)
