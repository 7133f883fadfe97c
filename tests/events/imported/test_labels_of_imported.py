"""Labels of imported events: documents are drawn, read and corrected as those of an extraction."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from howsure.events.corpus import Fields
from howsure.events.extraction.import_events import import_events
from howsure.events.extraction.imported_scores import ScoreColumns
from howsure.events.labels.answers import reading_order
from howsure.events.labels.draw import draw_documents
from howsure.events.labels.import_labels import import_labels
from howsure.events.series.corrected_series import corrected_series
from howsure.events.store.check_store import check_store
from howsure.events.store.event_store import EventStore
from howsure.explorer import events_report
from tests.events.imported.scored_files import csv_of, scores_of

N, LABELS = 400, 120
QUESTION = "Who bombs here?"
HEADINGS = ("id", "date", "text", "actor", "p")


@pytest.fixture(scope="module")
def truth() -> np.ndarray:
    return np.random.default_rng(7).random(N) < 0.25


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory, truth: np.ndarray) -> Path:
    """A store of scores that find 60 % of what is there, all of them too low; 120 documents read."""
    folder = tmp_path_factory.mktemp("labelled")
    rng = np.random.default_rng(8)
    seen = rng.random(N) < np.where(truth, 0.6, 0.1)
    p = np.where(seen, rng.beta(2, 6, N), 0.0).round(3)
    rows = [(f"n{i}", f"200{1 + i % 2}-02-03", f"Text {i} of an attack.", "IRQ", p[i]) for i in range(N)]
    fields = Fields(id="id", date="date", text="text")
    scores = scores_of(folder, rows, HEADINGS, fields=fields, columns=ScoreColumns(actor="actor", prob="p"))
    import_events(scores, folder / "s.duckdb", event="attack", question=QUESTION)
    with EventStore.open(folder / "s.duckdb", read_only=False) as store:
        drawn = draw_documents(store, LABELS, period="year")
        assert drawn.question == QUESTION
        names = dict(store.ask("SELECT document, id FROM documents"))
        drawn_names = [names[document] for document in reading_order(store)]
        read = [(name, "IRQ", int(truth[int(name[1:])]), "anna") for name in drawn_names]
        (folder / "labels.csv").write_text(csv_of(read, ("document", "actor", "label", "coder")))
        import_labels(store, folder / "labels.csv")
    return folder / "s.duckdb"


def test_silent_documents_are_drawn_too(path: Path) -> None:
    with EventStore.open(path) as store:
        silent = "SELECT count(*) FROM label_sample ANTI JOIN events USING (document)"
        assert store.ask(silent)[0][0] > LABELS / 4


def test_the_counts_are_corrected(path: Path, truth: np.ndarray) -> None:
    with EventStore.open(path) as store:
        found = corrected_series(store, period="year")
    assert found is not None
    for row, wanted in zip(found.rows, (truth[::2].sum(), truth[1::2].sum()), strict=True):
        assert row.low <= wanted <= row.high
        assert row.high - row.low < wanted
    (total,) = found.totals
    assert total.low <= truth.sum() <= total.high


def test_the_store_is_whole_and_can_be_reported(path: Path) -> None:
    assert check_store(path).is_whole
    with EventStore.open(path) as store:
        assert "corrected" in events_report(store, period=["year"], documents=10)
