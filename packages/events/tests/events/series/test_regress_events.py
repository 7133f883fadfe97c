"""Regressions on the labels of a store, compared with regressions of columns assembled by hand."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tests.events.corrected.known_truth import labelled_store

import howsure
from howsure_events import EventStore, regress_events
from howsure_events.labels.answers import settled_labels

QUARTERS = [f"2001-Q{part}" for part in range(1, 5)]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EventStore]:
    path = labelled_store(tmp_path_factory.mktemp("labelled") / "labelled.duckdb", n=160, n_labelled=60)
    with EventStore.open(path) as store:
        yield store


def beside() -> pd.DataFrame:
    """What is known of each actor and quarter; one of the actors by its title."""
    rows = [(actor, period) for actor in ("Arland", "BBB", "Elsewhere") for period in QUARTERS]
    table = pd.DataFrame(rows, columns=["actor", "period"])
    table["troops"] = (7 * np.arange(len(table))) % 5
    table["season"] = ["cold" if period[-1] in "14" else "warm" for period in table["period"]]
    return table


def by_hand(store: EventStore) -> pd.DataFrame:
    """All pairs of a document and an actor, one after another."""
    settled = settled_labels(store)
    labels = dict(zip(settled.documents.tolist(), settled.labels, strict=True))
    probabilities = {(n, actor): p for n, actor, p in store.ask("SELECT document, actor, probability FROM events")}
    rows = []
    for number, date in store.ask("SELECT document, date FROM documents ORDER BY document"):
        for k, actor in enumerate(settled.actors):
            label = labels[number][k] if number in labels else np.nan
            stratum, quarter = settled.strata[number], f"{date.year}-Q{(date.month + 2) // 3}"
            rows.append((number, actor, quarter, probabilities.get((number, actor), 0.0), label, stratum))
    return pd.DataFrame(rows, columns=["document", "actor", "period", "p", "label", "stratum"])


@pytest.mark.long
def test_it_is_the_regression_of_all_pairs(store: EventStore) -> None:
    table = beside()
    regression = regress_events(store, covariates=["troops", "season"], fixed_effects=["actor"], data=table)
    pairs = by_hand(store)
    covariates = table.replace({"actor": {"Arland": "AAA"}}).set_index(["actor", "period"])
    at = covariates.loc[list(zip(pairs["actor"], pairs["period"], strict=True))].reset_index()
    expected = howsure.regress_predicted(
        pairs["label"],
        pairs["p"],
        covariates={"troops": at["troops"], "season": at["season"]},
        fixed_effects={"actor": pairs["actor"]},
        strata=pairs["stratum"],
        clusters=pairs["document"],
    )
    assert [row.name for row in regression.rows] == ["troops", "season: warm"]
    for row, other in zip(regression.rows, expected.rows, strict=True):
        assert row.corrected.value == pytest.approx(other.corrected.value, abs=1e-12)
        assert (row.corrected.low, row.naive.high) == pytest.approx((other.corrected.low, other.naive.high), abs=1e-12)
    assert regression.recipe["asked"] == ["AAA", "BBB"]
    assert (regression.recipe["documents"], regression.recipe["labelled"]) == (160, 60)


def test_actors_alone_differ_as_their_corrected_shares(store: EventStore) -> None:
    """The means of the outcome of two actors, whose labels were corrected in the same way."""
    regression = regress_events(store, covariates=["actor"])
    pairs = by_hand(store)
    means = pairs.groupby("actor")["p"].mean()
    assert regression["(intercept)"].naive.value == pytest.approx(means["AAA"])
    assert regression["actor: BBB"].naive.value == pytest.approx(means["BBB"] - means["AAA"])


def test_files_and_documents(store: EventStore, tmp_path: Path) -> None:
    """A file of documents: its ids are names, also where they look like numbers."""
    table = pd.DataFrame({"document": [name for (name,) in store.ask("SELECT id FROM documents")]})
    table["length"] = np.arange(len(table))
    table.to_csv(tmp_path / "length.csv", index=False)
    covariates = howsure.read(tmp_path / "length.csv")
    regression = regress_events(store, covariates=["length"], on=["document"], period="year", data=covariates)
    same = regress_events(store, covariates=["length"], on=["document"], data=table)
    assert regression["length"].corrected == same["length"].corrected


def test_numbers_with_separators_are_refused_by_their_row(store: EventStore) -> None:
    table = beside()
    table["troops"] = np.where(table["troops"] == 0, "5.000,5", "1.200")
    with pytest.raises(
        howsure.InputError, match=r"troops must be a number; row 0 is '5\.000,5'. Leave out the separator"
    ):
        regress_events(store, covariates=["troops"], data=table)
