"""Strata with too few usable answers join those most like them; others stay, and what was not read is no reason."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from howsure.events.series.corrected_series import corrected_series
from howsure.events.series.labelled_pairs import TooFewLabelsError, joined_strata
from tests.events.corrected.known_truth import ACTORS, KnownTruth, known_truth

STRATA = ["found, p ≥ 0.5, 2001-Q1"] * 3 + ["found, p ≥ 0.5, 2001-Q2"] * 2 + ["found, p ≥ 0.5, 2001-Q4"] * 3
STRATA += ["silent, 2001-Q2"] * 4
SCORE = np.array([0.8] * 8 + [0.0] * 4)
DAY = np.array([0.0, 1, 2, 100, 101, 300, 301, 302, 99, 100, 101, 102])


def joined(usable: list[int], answered: list[int] | None = None) -> tuple[list[str], tuple[str, ...]]:
    places = np.arange(len(STRATA)) if answered is None else np.array(answered)
    held, names = joined_strata(np.array(STRATA), SCORE, DAY, places, np.array(usable), least=2, most=1.0)
    return held.tolist(), names


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnownTruth]:
    held = known_truth(tmp_path_factory.mktemp("joined") / "known.duckdb")
    yield held
    held.store.close()


def test_strata_with_enough_answers_stay() -> None:
    assert joined([0, 1, 3, 4, 5, 6, 8, 9]) == (STRATA, ())


def test_the_nearest_period_of_the_same_band_is_joined() -> None:
    held, names = joined([0, 1, 2, 3, 5, 6, 8, 9])
    assert names == ("found, p ≥ 0.5, 2001-Q2",)
    assert held[:5] == ["found, p ≥ 0.5, 2001-Q1"] * 5  # 100 days away; the fourth quarter is 200
    assert held[5:] == STRATA[5:]


def test_a_band_of_its_own_joins_the_one_with_the_nearest_score() -> None:
    held, names = joined([0, 1, 3, 4, 5, 6, 8])
    assert names == ("silent, 2001-Q2",)
    assert held[8:] == ["found, p ≥ 0.5, 2001-Q2"] * 4  # equal scores: the nearest in time


def test_what_is_short_because_it_was_not_read_stays() -> None:
    assert joined([0, 1, 3, 4, 5, 6, 8], answered=[0, 1, 3, 4, 5, 6, 8]) == (STRATA, ())


def test_where_much_is_unusable_nothing_is_joined() -> None:
    strata, places = np.array(["a, 2001"] * 2 + ["b, 2001"] * 17), np.arange(19)
    held, names = joined_strata(strata, np.zeros(19), np.zeros(19), places, places[2:], least=2)
    assert (held.tolist(), names) == (strata.tolist(), ())  # 2 of 19 are more than a tenth
    strata, places = np.append(strata, "b, 2001"), np.arange(20)
    assert joined_strata(strata, np.zeros(20), np.zeros(20), places, places[2:], least=2)[1] == ("a, 2001",)


def test_joined_strata_may_be_joined_again_until_one_is_left() -> None:
    held, names = joined([0])
    assert len(set(held)) == 1
    assert len(names) == 3


def by_quarter(known: KnownTruth) -> dict[int, str]:
    quarters = known.dates.astype("datetime64[M]").astype(int) % 12 // 3 + 1
    numbers = known.documents.tolist()
    return {one: f"{known.strata[one]}, 2001-Q{q}" for one, q in zip(numbers, quarters.tolist(), strict=True)}


def test_one_unclear_text_in_a_small_stratum_is_no_end_of_the_correction(known: KnownTruth, tmp_path: Path) -> None:
    strata = by_quarter(known)
    held = KnownTruth(known.store, known.documents, known.truth, known.dates, strata)
    read = np.sort(held.drawn(90, seed=2))
    small = min(set(strata.values()), key=lambda name: sum(strata[one] == name for one in read.tolist()))
    unclear = [place for place, one in enumerate(read.tolist()) if strata[one] == small][1:]
    labels = held.read(read).labels.copy()
    labels[unclear] = np.nan
    series = corrected_series(known.store, labels=held.read(read, labels=labels, unclear=len(unclear)))
    assert series is not None
    assert series.recipe["joined_strata"] == [small]
    assert (
        f"Joined with the stratum most like it: 1 stratum with fewer than 2 usable answers ('{small}')." in series.said
    )
    for actor, true in zip(ACTORS, known.truth.sum(axis=0).tolist(), strict=True):
        total = series.total_of(actor)
        assert total.low <= true <= total.high


def test_strata_that_were_not_read_are_an_error_as_before(known: KnownTruth) -> None:
    strata = by_quarter(known)
    held = KnownTruth(known.store, known.documents, known.truth, known.dates, strata)
    read = [one for one in held.drawn(90, seed=2).tolist() if strata[one] != "silent, 2001-Q3"]
    with pytest.raises(TooFewLabelsError, match="1 stratum has fewer, such as 'silent, 2001-Q3' with 0"):
        corrected_series(known.store, labels=held.read(read))
