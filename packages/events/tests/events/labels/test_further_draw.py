"""Further documents: where labels vary, at random within strata; and what one more hour of reading buys."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from tests.cli.running import printed
from tests.events.corrected.known_truth import ACTORS, known_truth
from tests.events.labels.labelled_stores import give

from howsure.counts.design_totals import labels_total
from howsure.counts.population import read_units
from howsure_events.labels.answers import SettledLabels, reading_order, record_answer, settled_labels
from howsure_events.labels.draw_documents import (
    HIGH,
    LOW,
    SILENT,
    WORD,
    Strata,
    draw_documents,
    further_documents,
    label_spread,
)
from howsure_events.labels.totals_so_far import intervals, one_more_hour
from howsure_events.series.corrected_series import corrected_series
from howsure_events.store.event_store import EventStore

N, FIRST, MORE = 900, 80, 65
SECONDS = 3600 / MORE  # that each document takes
HOUR = f"One more hour is about {MORE} documents (at 238 words a minute); "
LINE = re.compile(
    re.escape(HOUR)
    + r"for Arland in total, from the labels alone, the interval would be about ([\d,]+) wide \(now ([\d,]+)\)"
)


class Reading:
    """A store of a known truth, to draw from and to read without errors, again and again."""

    def __init__(self, path: Path) -> None:
        truth = known_truth(path, n=N)
        truth.store.close()
        self.truth = dict(zip(truth.documents.tolist(), truth.truth.tolist(), strict=True))
        self.totals = truth.truth.sum(axis=0).tolist()
        self.store = EventStore.open(path, read_only=False)
        with self.store.transaction() as connection:
            connection.execute("UPDATE documents SET words = ?", [round(238 * (SECONDS - 5) / 60)])

    def drawn(self, n: int, *, seed: int = 0, period: str = "quarter") -> Reading:
        """A first draw without any labels."""
        with self.store.transaction() as connection:
            for table in ("label_draw", "label_strata", "label_sample", "answers"):
                connection.execute(f"DELETE FROM {table}")
        draw_documents(self.store, n, actors=ACTORS, period=period, rng=seed)
        return self

    def read(self, n: int | None = None) -> Reading:
        """Anna reads the next n documents, or all that wait."""
        settled = set(settled_labels(self.store).documents.tolist())
        waiting = [number for number in reading_order(self.store) if number not in settled][:n]
        acting = [[actor for actor, acts in zip(ACTORS, self.truth[number], strict=True) if acts] for number in waiting]
        give(self.store, "anna", list(zip(waiting, acting, strict=True)))
        return self

    def width(self) -> float:
        """Of the interval of the first actor's total, by the labels alone."""
        first = intervals(self.store)["actors"][0]
        return float(first["high"] - first["low"])


@pytest.fixture(scope="module")
def reading(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reading]:
    study = Reading(tmp_path_factory.mktemp("further") / "s.duckdb")
    with study.store:
        yield study


@pytest.mark.long
def test_further_documents_go_where_the_labels_of_the_first_actor_vary(reading: Reading) -> None:
    """Where a band's labels are half and half, it gets more; where all say no, no more than the floor gives."""
    store = reading.drawn(FIRST, period="none").store
    bands = dict(store.ask("SELECT document, stratum FROM label_strata"))
    for at, number in enumerate(reading_order(store)):
        record_answer(store, number, "anna", acting=ACTORS[:1] * (at % 2 * (bands[number] == SILENT)), revision=0)
    drawn = draw_documents(store, FIRST + 60)
    more, size = (dict(zip(drawn.strata, counts, strict=True)) for counts in (drawn.drawn, drawn.sizes))
    assert drawn.recipe["allotted_by"] == ACTORS[0]
    assert more[SILENT] / size[SILENT] > 2 * more[WORD] / size[WORD]
    assert "Strata in which the labels of AAA vary more so far get more documents." in str(drawn)
    chances = "SELECT stratum, min(inclusion), max(inclusion), count(*) FROM label_sample JOIN label_strata "
    for name, low, high, n in store.ask(chances + "USING (document) GROUP BY stratum"):
        assert low == high == pytest.approx(n / size[name], abs=1e-15), "the chances of both draws together"


def test_before_20_labels_the_scores_allot_as_at_first(reading: Reading) -> None:
    drawn = draw_documents(reading.drawn(FIRST).read(19).store, FIRST + 10)
    assert drawn.recipe["allotted_by"] is None
    assert "labels so far" not in str(drawn)


def test_labels_of_all_periods_say_how_a_band_varies() -> None:
    names = [f"{band}, 2001-Q{quarter}" for band in (LOW, WORD) for quarter in (1, 2)]
    strata = {at: names[at % 4] for at in range(40)}
    labels = _labels(np.arange(40), np.isin(np.arange(40), [0, 4, 8, 12, 16]).astype(float), strata)
    spread = label_spread(labels, names)
    assert spread[:2] == pytest.approx([np.sqrt(5.5 / 21 * 15.5 / 21)] * 2), "5 of 20, all in one quarter"
    assert spread[2:] == pytest.approx([np.sqrt(0.5 / 21 * 20.5 / 21)] * 2), "none of 20"
    assert label_spread(_labels(np.arange(19), np.ones(19), strata), names) is None


@pytest.mark.long
def test_the_gain_of_one_more_hour_is_reported(reading: Reading) -> None:
    store = reading.drawn(FIRST).store
    assert one_more_hour(store) == "", "nobody has begun"
    assert one_more_hour(reading.read(15).store) == (
        f"{HOUR}before 20 documents have a label, its gain cannot be estimated: 15 have one"
    )
    match = LINE.fullmatch(one_more_hour(reading.read().store))
    assert match
    progress = intervals(store)
    low, high = (progress["actors"][0][end] for end in ("low", "high"))
    assert progress["hour"]["documents"] == MORE
    assert int(match[2]) == round(high) - round(low)
    draw_documents(store, N - 5)
    assert one_more_hour(reading.read().store) == (
        "One more hour is all of the 5 documents left: then the counts are exact"
    )
    draw_documents(store, N)
    assert one_more_hour(reading.read().store) == ""


@pytest.mark.long
def test_the_command_says_it(tmp_path: Path) -> None:
    study = Reading(tmp_path / "s.duckdb").drawn(FIRST).read(40)
    study.store.close()
    last = printed("events", "label", study.store.path, "--draw-only").splitlines()[-1]
    assert LINE.fullmatch(last.strip())


def test_of_few_events_nobody_can_tell(reading: Reading) -> None:
    reading.drawn(FIRST)
    none: list[str] = []
    give(reading.store, "anna", [(number, none) for number in reading_order(reading.store)])
    assert one_more_hour(reading.store) == (
        f"{HOUR}its effect cannot be predicted yet: too few labels show how often Arland acts"
    )


@pytest.mark.long
@pytest.mark.parametrize("n_read", [FIRST, pytest.param(60, marks=pytest.mark.slow)])
def test_the_width_after_an_hour_is_as_predicted(reading: Reading, n_read: int) -> None:
    """Of 12 draws 9 within a fifth, and their mean within a tenth; drawn documents that wait are read first."""
    ratios = []
    for seed in range(12):
        match = LINE.fullmatch(one_more_hour(reading.drawn(FIRST, seed=seed).read(n_read).store))
        assert match
        draw_documents(reading.store, n_read + MORE, rng=seed)
        ratios.append(reading.read().width() / float(match[1]))
    assert (np.abs(np.array(ratios) - 1) < 0.2).sum() >= 9
    assert abs(np.mean(ratios) - 1) < 0.1


@pytest.mark.slow
def test_corrected_counts_of_both_draws_hold(reading: Reading) -> None:
    """Totals of 60 pairs of draws: 120 intervals of 95 %, and estimates without a bias that could be seen."""
    inside, errors = [], []
    for seed in range(60):
        reading.drawn(FIRST, seed=seed).read()
        draw_documents(reading.store, FIRST + MORE, rng=seed)
        counts = corrected_series(reading.read().store)
        estimates = [counts.total_of(actor) for actor in ACTORS]
        inside += [
            estimate.low <= total <= estimate.high for estimate, total in zip(estimates, reading.totals, strict=True)
        ]
        errors.append([estimate.estimate - total for estimate, total in zip(estimates, reading.totals, strict=True)])
    mean, deviation = np.mean(errors, axis=0), np.std(errors, axis=0)
    assert np.mean(inside) > 0.89
    assert (np.abs(mean) < 4 * deviation / np.sqrt(60)).all()


def _labels(documents: np.ndarray, labels: np.ndarray, strata: dict[int, str]) -> SettledLabels:
    n = len(documents)
    return SettledLabels("", ("A",), "stratified", documents, labels[:, None], strata, np.ones(n), ("a",), n, 0, 0)


RATES = {  # of events by band, and the documents of each
    "as found": ((0.9, 200), (0.3, 200), (0.1, 600), (0.01, 1000)),
    "misses": ((0.95, 300), (0.05, 300), (0.3, 300), (0.02, 1100)),
    "rare": ((0.3, 100), (0.05, 100), (0.02, 800), (0.0, 1000)),
    "clear": ((0.99, 800), (0.02, 600), (0.5, 300), (0.02, 300)),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", RATES)
def test_what_leans_on_labels_is_hardly_biased_and_narrower(kind: str) -> None:
    """500 pairs of draws, by labels alone: the same draws with further documents allotted by scores are wider."""
    bands = [f"{band}, 2001-Q{quarter}" for band in (HIGH, LOW, WORD, SILENT) for quarter in range(1, 5)]
    rate, size = (np.repeat([rates[at] for rates in RATES[kind]], 4) for at in (0, 1))
    size = size.astype(np.int64) // 4
    codes = np.repeat(np.arange(16), size)
    truth = np.concatenate([np.arange(n) < round(p * n) for p, n in zip(rate, size, strict=True)]).astype(float)
    score = np.repeat(np.repeat([0.8, 0.2, 0.0, 0.0], 4), size)
    population = Strata(np.arange(len(codes)), score, codes, tuple(bands), "quarter")
    named, strata_of_documents = [bands[code] for code in codes], dict(enumerate(bands[code] for code in codes))

    def found(seed: int, leans: bool) -> tuple[float, float, float]:
        rng = np.random.default_rng(seed)
        first = further_documents(population, np.empty(0, dtype=np.int64), 80, rng)
        spread = label_spread(_labels(first, truth[first], strata_of_documents), bands) if leans else None
        labelled = np.concatenate([first, further_documents(population, first, 60, rng, spread=spread)])
        labels = np.full(len(truth), np.nan)
        labels[labelled] = truth[labelled]
        units = read_units(labels, np.zeros(len(truth)), strata=named)
        total = labels_total(units.draw, units.labels, np.ones(140, dtype=np.bool_), units=len(truth), level=0.95)
        return total.value, total.low, total.high

    leaning, planned = (np.array([found(seed, leans) for seed in range(500)]) for leans in (True, False))
    deviation = leaning[:, 0].std()
    covered = ((leaning[:, 1] <= truth.sum()) & (truth.sum() <= leaning[:, 2])).mean()
    widths = [np.mean(intervals_of_draws[:, 2] - intervals_of_draws[:, 1]) for intervals_of_draws in (leaning, planned)]
    print(kind, (leaning[:, 0].mean() - truth.sum()) / deviation, covered, widths)
    assert abs(leaning[:, 0].mean() - truth.sum()) < (0.15 + 3 / np.sqrt(500)) * deviation
    assert covered > 0.9
    assert widths[0] < widths[1]
    assert deviation < 1.05 * planned[:, 0].std()
