"""Scores in files: which pairs a column becomes a feature of, and which files are refused."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tests.events.corrected.known_truth import ACTORS, KnownTruth, known_truth, labelled_store

from howsure.errors import InputError
from howsure_events.examples import example_store
from howsure_events.series.corrected_series import corrected_series
from howsure_events.series.extra_features import read_scores, score_features
from howsure_events.series.labelled_pairs import TooFewLabelsError, joined_strata, pair_features
from howsure_events.store.event_store import EventStore

N = 60
Rows = list[dict[str, object]]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EventStore]:
    path = labelled_store(tmp_path_factory.mktemp("labelled") / "labelled.duckdb", n=N, n_labelled=40)
    with EventStore.open(path) as event_store:
        yield event_store


@pytest.fixture(scope="module")
def ids(store: EventStore) -> list[str]:
    return [document_id for (document_id,) in store.ask("SELECT id FROM documents ORDER BY document")]


def of_documents(ids: list[str]) -> Rows:
    return [{"document": document_id, "judge": at / 4} for at, document_id in enumerate(ids)]


def of_pairs(ids: list[str]) -> Rows:
    return [
        {"document": document_id, "actor": actor, "judge": at + place / 4}
        for at, document_id in enumerate(ids)
        for place, actor in enumerate(ACTORS)
    ]


def written(rows: Rows, path: Path) -> Path:
    if path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    elif path.suffix == ".parquet":
        pd.DataFrame(rows).to_parquet(path)
    elif path.suffix == ".npz":
        np.savez(path, **{name: np.array([row[name] for row in rows]) for name in rows[0]})
    else:
        pd.DataFrame(rows).to_csv(path, index=False, sep="\t" if path.suffix == ".tsv" else ",")
    return path


@pytest.mark.parametrize(
    ("form", "make"), [("csv", of_documents), *((form, of_pairs) for form in ("csv", "tsv", "jsonl", "parquet", "npz"))]
)
def test_every_format_and_order_of_rows(
    store: EventStore, ids: list[str], tmp_path: Path, form: str, make: Callable[[list[str]], Rows]
) -> None:
    rows = make(ids)
    scores = read_scores(store, written(rows[::-1], tmp_path / f"scores.{form}"))
    features = score_features(store, pair_features(store, ACTORS), scores)
    expected = [row["judge"] for row in rows]
    np.testing.assert_array_equal(features["judge"], np.repeat(expected, 2) if make is of_documents else expected)


def test_several_scores_and_actors_by_title(store: EventStore, ids: list[str], tmp_path: Path) -> None:
    titles = {"AAA": "Arland", "BBB": "borland"}
    rows = [row | {"actor": titles[str(row["actor"])], "other": 1} for row in of_pairs(ids)]
    rows += [{"document": ids[0], "actor": "CCC", "judge": 9, "other": 9}]  # an actor of whom nobody was asked
    scores = read_scores(store, written(rows, tmp_path / "scores.csv"))
    assert list(scores) == ["judge", "other"]
    assert scores["judge"][ids[1], "BBB"] == 1.25
    assert {actor for _, actor in scores["judge"]} == set(ACTORS)
    series = corrected_series(store, period="year", scores=scores)
    assert series.recipe["features"][-2:] == series.recipe["scores"] == ["judge", "other"]
    assert "and the scores judge, other. Question:" in series.label_notes[0]
    plain = corrected_series(store, period="year")
    assert "scores" not in plain.recipe
    assert " and the scores " not in plain.label_notes[0]


@pytest.mark.long
def test_a_score_of_actors_helps_by_each_actor(tmp_path: Path) -> None:
    path = labelled_store(tmp_path / "labelled.duckdb", n=160, n_labelled=80)
    with EventStore.open(path) as store:
        acting = {(name, actor): 0.0 for (name,) in store.ask("SELECT id FROM documents") for actor in ACTORS}
        answers = "SELECT d.id, a.acting FROM answers a JOIN documents d USING (document)"
        acting |= {(name, actor): 1.0 for name, actors in store.ask(answers) for actor in actors}
        plain = corrected_series(store, period="year")
        right = corrected_series(store, period="year", scores={"judge": acting})
    assert right.counts.diagnostics.worth > plain.counts.diagnostics.worth


def changed(at: int, **change: object) -> Callable[[list[str]], Rows]:
    def rows(ids: list[str]) -> Rows:
        rows_of_pairs = of_pairs(ids)
        rows_of_pairs[at] |= change
        return rows_of_pairs

    return rows


AT = r"row {} of scores\.csv \(counted from 1, without the header\)"
WRONG: list[tuple[Callable[[list[str]], Rows], str]] = [
    (changed(2, document=""), f"document must not be missing; {AT.format(3)} has none"),
    (changed(2, document="zzz"), rf"document must be the id of a document in .*; {AT.format(3)} is 'zzz'"),
    (changed(3, actor=""), f"actor must not be missing; {AT.format(4)} has none. Leave the column out"),
    (changed(3, actor="ZZZ"), f"actor in {AT.format(4)}: .*'ZZZ'"),
    (changed(1, actor="Arland"), f"'d5' with 'AAA' is in {AT.format(1)} and in {AT.format(2)}. Remove one"),
    (changed(4, judge="0,9"), f"judge must be a finite number, with a decimal point; {AT.format(5)} is '0,9'"),
    (changed(4, judge="inf"), f"judge must be a finite number.*; {AT.format(5)} is 'inf'"),
    (changed(4, judge=""), f"judge must not be missing; {AT.format(5)} has none"),
    (changed(4, judge="nan"), f"judge must not be missing; {AT.format(5)} has none"),
    (
        lambda ids: of_pairs(ids)[:-3],
        r"a row for every document and actor that .*; 'd179' with 'BBB' has none \(3 such",
    ),
    (lambda ids: of_pairs(ids)[::2], r"rows of every actor that .* about, AAA, BBB; BBB has none"),
    (lambda ids: of_documents(ids)[1:], r"a row for every document in .*; 'd5' has none \(1 such\)"),
    (lambda ids: of_documents(ids) + of_documents(ids)[:1], rf"one row per document; 'd5' .* in {AT.format(61)}"),
    (lambda ids: [{"document": document_id} for document_id in ids], r"has no column of scores besides document"),
    (lambda ids: [{"id": document_id, "judge": 1} for document_id in ids], r"no column 'document' in .*scores\.csv"),
    (lambda ids: [], r"scores\.csv"),
]


@pytest.mark.parametrize(("make", "message"), WRONG)
def test_wrong_files_are_refused(
    store: EventStore, ids: list[str], tmp_path: Path, make: Callable[[list[str]], Rows], message: str
) -> None:
    path = written(make(ids), tmp_path / "scores.csv")
    with pytest.raises(InputError) as error:
        read_scores(store, path)
    refusal = str(error.value).replace(f"{tmp_path}/", "")
    assert re.search(message, refusal), refusal


@pytest.mark.long
def test_a_store_without_labels_takes_no_scores(tmp_path: Path) -> None:
    with example_store() as store, pytest.raises(InputError, match="has no labels; draw documents first"):
        read_scores(store, tmp_path / "scores.csv")


# Strata with too few usable answers join the most similar ones; others stay, and unread documents do not cause a join.


STRATA = ["found, p ≥ 0.5, 2001-Q1"] * 3 + ["found, p ≥ 0.5, 2001-Q2"] * 2 + ["found, p ≥ 0.5, 2001-Q4"] * 3
STRATA += ["silent, 2001-Q2"] * 4
SCORE = np.array([0.8] * 8 + [0.0] * 4)
DAY = np.array([0.0, 1, 2, 100, 101, 300, 301, 302, 99, 100, 101, 102])


def joined(usable: list[int], answered: list[int] | None = None) -> tuple[list[str], tuple[str, ...]]:
    places = np.arange(len(STRATA)) if answered is None else np.array(answered)
    merged, names = joined_strata(np.array(STRATA), SCORE, DAY, places, np.array(usable), least=2, most=1.0)
    return merged.tolist(), names


@pytest.fixture(scope="module")
def population(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnownTruth]:
    truth = known_truth(tmp_path_factory.mktemp("joined") / "known.duckdb")
    yield truth
    truth.store.close()


def test_strata_with_enough_answers_stay() -> None:
    assert joined([0, 1, 3, 4, 5, 6, 8, 9]) == (STRATA, ())


def test_the_nearest_period_of_the_same_band_is_joined() -> None:
    merged, names = joined([0, 1, 2, 3, 5, 6, 8, 9])
    assert names == ("found, p ≥ 0.5, 2001-Q2",)
    assert merged[:5] == ["found, p ≥ 0.5, 2001-Q1"] * 5  # 100 days away; the fourth quarter is 200
    assert merged[5:] == STRATA[5:]


def test_a_band_of_its_own_joins_the_one_with_the_nearest_score() -> None:
    merged, names = joined([0, 1, 3, 4, 5, 6, 8])
    assert names == ("silent, 2001-Q2",)
    assert merged[8:] == ["found, p ≥ 0.5, 2001-Q2"] * 4  # equal scores: the nearest in time


def test_what_is_short_because_it_was_not_read_stays() -> None:
    assert joined([0, 1, 3, 4, 5, 6, 8], answered=[0, 1, 3, 4, 5, 6, 8]) == (STRATA, ())


def test_where_much_is_unusable_nothing_is_joined() -> None:
    strata, places = np.array(["a, 2001"] * 2 + ["b, 2001"] * 17), np.arange(19)
    merged, names = joined_strata(strata, np.zeros(19), np.zeros(19), places, places[2:], least=2)
    assert (merged.tolist(), names) == (strata.tolist(), ())  # 2 of 19 are more than a tenth
    strata, places = np.append(strata, "b, 2001"), np.arange(20)
    assert joined_strata(strata, np.zeros(20), np.zeros(20), places, places[2:], least=2)[1] == ("a, 2001",)


def test_joined_strata_may_be_joined_again_until_one_is_left() -> None:
    merged, names = joined([0])
    assert len(set(merged)) == 1
    assert len(names) == 3


def by_quarter(population: KnownTruth) -> dict[int, str]:
    quarters = population.dates.astype("datetime64[M]").astype(int) % 12 // 3 + 1
    numbers = population.documents.tolist()
    return {
        number: f"{population.strata[number]}, 2001-Q{q}" for number, q in zip(numbers, quarters.tolist(), strict=True)
    }


@pytest.mark.long
def test_one_unclear_text_in_a_small_stratum_is_no_end_of_the_correction(
    population: KnownTruth, tmp_path: Path
) -> None:
    strata = by_quarter(population)
    by_quarters = KnownTruth(population.store, population.documents, population.truth, population.dates, strata)
    labelled = np.sort(by_quarters.drawn(90, seed=2))
    small = min(set(strata.values()), key=lambda name: sum(strata[number] == name for number in labelled.tolist()))
    unclear = [place for place, number in enumerate(labelled.tolist()) if strata[number] == small][1:]
    labels = by_quarters.read(labelled).labels.copy()
    labels[unclear] = np.nan
    series = corrected_series(population.store, labels=by_quarters.read(labelled, labels=labels, unclear=len(unclear)))
    assert series.recipe["joined_strata"] == [small]
    assert (
        f"1 stratum with fewer than 2 usable labels merged with the most similar stratum: '{small}'."
        in series.label_notes
    )
    for actor, true in zip(ACTORS, population.truth.sum(axis=0).tolist(), strict=True):
        total = series.total_of(actor)
        assert total.low <= true <= total.high


def test_strata_that_were_not_read_are_an_error_as_before(population: KnownTruth) -> None:
    strata = by_quarter(population)
    by_quarters = KnownTruth(population.store, population.documents, population.truth, population.dates, strata)
    labelled = [number for number in by_quarters.drawn(90, seed=2).tolist() if strata[number] != "silent, 2001-Q3"]
    with pytest.raises(TooFewLabelsError, match="1 stratum has fewer, such as 'silent, 2001-Q3' with 0"):
        corrected_series(population.store, labels=by_quarters.read(labelled))
