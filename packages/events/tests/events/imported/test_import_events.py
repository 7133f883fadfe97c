"""An imported store: what was given is in it, whole, and the questions that can be asked of it are answered."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import duckdb
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.events.imported.scored_files import ROWS, csv_of, scores_of
from tests.events.made_up_store import copied
from tests.events.stores import contents
from tests.explorer.serving import data_in

from howsure.errors import InputError
from howsure.stats.proportions import poisson_binomial
from howsure_events import check_store, compare_actors, event_series, example_store, recount_events
from howsure_events.commands.output import empty_texts
from howsure_events.corpus import Fields
from howsure_events.explorer import events_report, queries
from howsure_events.extraction import import_events as module
from howsure_events.extraction.import_events import draw_samples, import_events, split_sentences
from howsure_events.extraction.imported_scores import ScoreColumns
from howsure_events.labels.answers import reading_order
from howsure_events.labels.draw_documents import draw_documents
from howsure_events.labels.import_labels import import_labels
from howsure_events.rule import built_in_rule
from howsure_events.series.corrected_series import corrected_series
from howsure_events.series.files import doubtful_documents, period_documents
from howsure_events.store.event_store import EventStore, StoreError
from howsure_events.store.tables import as_bits

BARE = Fields(id="id", date="date")
REPRINTS = [
    ("a", "2001-01-01", "It rained in the north and in the south of the country on Monday morning .", "IRQ", "0.5"),
    ("b", "2001-01-02", "It rained in the north and in the south of the country on Monday morning .", "IRQ", "0.5"),
    ("c", "2001-01-03", "Snow fell.", "IRQ", "0.5"),
]


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("imported")
    import_events(scores_of(folder), folder / "s.duckdb", event="attack", samples=40)
    return folder


@pytest.fixture
def path(imported: Path, tmp_path: Path) -> Path:
    """A copy of an imported store, next to its scores."""
    shutil.copy(imported / "scores.csv", tmp_path)
    return copied((imported / "s.duckdb").read_bytes(), tmp_path / "s.duckdb")


@pytest.mark.long
def test_contents_of_an_imported_store(path: Path) -> None:
    tables = contents(path)
    assert [row[:4] for row in tables["documents"]] == [
        (number, row[0], row_date, row[2])
        for number, (row, row_date) in enumerate(
            zip((ROWS[0], *ROWS[2:]), [document[2] for document in tables["documents"]], strict=True)
        )
    ]
    assert [(row[0], row[1], row[2], row[5], row[6]) for row in tables["events"]] == [
        (0, "IRQ", 0.9, True, 1),
        (0, "USA", 0.25, False, 0),
        (2, "USA", 1.0, True, 1),
    ]
    shares = as_bits([row[3] for row in tables["events"]], 40).mean(axis=1)
    assert np.allclose(shares, [0.9, 0.25, 1.0])  # 40 p is whole: the shares are exact
    assert [len(row[2]) for row in tables["sentences"]] == [5, 3, 6, 4, 8, 3]
    assert tables["left_out"] == tables["mentions"] == tables["clusterings"] == tables["evidence"] == []
    assert check_store(path).is_whole


def test_a_series_is_exact_where_probabilities_are_given(path: Path) -> None:
    with EventStore.open(path) as store:
        series = event_series(store, period="year")
        (usa,), (irq,) = series.rows_of("USA"), series.rows_of("IRQ")
        share = event_series(store, period="year", unit="share").rows_of("USA")[0]
    law = poisson_binomial(np.array([0.25, 1.0]))
    assert (usa.mean, usa.variance, usa.monte_carlo_error, usa.best, usa.n_documents) == (1.25, 0.1875, 0.0, 1.0, 4)
    assert (usa.low, usa.high) == law.interval(0.95)
    assert (irq.mean, irq.best) == (0.9, 1.0)
    assert share.mean == 1.25 / 4
    assert series.event == "attack"
    assert str(series.recipe["uncertainty"]).startswith("the imported probabilities only")


def test_queries_that_an_imported_store_answers(path: Path) -> None:
    with EventStore.open(path) as store:
        comparison = compare_actors(store, "IRQ", "USA", period="year").rows[0]
        assert abs(comparison.greater + comparison.equal + comparison.less - 1) < 1e-9
        assert [row["id"] for row in period_documents(store, "USA", at="2001")] == ["c", "a"]
        (doubtful,) = doubtful_documents(store)
        assert (doubtful["id"], doubtful["actor"], doubtful["links"]) == ("a", "USA", [])
        view = queries.document_view(store, 0)
        assert view["imported"]
        assert view["evidence"] == view["mentions"] == []
        assert view["sentences"][0]["words"] == ["They", "attacked", "at", "dawn", "."]
        assert queries.overview(store)["units"] == ["documents", "share"]
        assert "They" in str(data_in(events_report(store, period=["year"]))["documents"])


def test_queries_that_an_imported_store_refuses(path: Path) -> None:
    with EventStore.open(path) as store:
        for ask in (
            lambda: event_series(store, unit="entities"),
            lambda: compare_actors(store, "IRQ", "USA", unit="entities"),
        ):
            with pytest.raises(InputError, match="without the entities that act"):
                ask()
        with pytest.raises(InputError, match="cannot be counted again: its events were imported"):
            recount_events(store, path.with_name("again.duckdb"), rule=built_in_rule("attack"))
    assert not path.with_name("again.duckdb").exists()


@pytest.mark.long
def test_reprints_are_one_story(tmp_path: Path) -> None:
    headings = ("id", "date", "text", "actor", "p")
    fields = Fields(id="id", date="date", text="text")
    scores = scores_of(tmp_path, REPRINTS, headings, fields=fields)
    import_events(scores, tmp_path / "s.duckdb")
    assert contents(tmp_path / "s.duckdb")["stories"] == [(0, 0), (1, 0)]
    with EventStore.open(tmp_path / "s.duckdb") as store:
        assert event_series(store, period="year").rows[0].variance == 1.25
    rows = [(*row, "x" if row[0] == "c" else row[0]) for row in REPRINTS]
    fields = Fields(id="id", date="date", text="text", story="story")
    scores = scores_of(tmp_path, rows, (*headings, "story"), fields=fields)
    import_events(scores, tmp_path / "t.duckdb")
    assert contents(tmp_path / "t.duckdb")["stories"] == []


@pytest.mark.long
def test_many_batches_and_left_out_documents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BATCH", 100)
    rows = [
        (
            f"n{i}",
            "0001-01-01" if i % 100 == 7 else f"2001-{1 + i % 12:02}-03",
            "IRQ" if i % 3 else "",
            "0.5" if i % 3 else "",
        )
        for i in range(230)
    ]
    steps = list[int]()
    scores = scores_of(tmp_path, rows, ("id", "date", "actor", "p"), fields=BARE, bad_dates="leave-out")
    report = import_events(scores, tmp_path / "s.duckdb", samples=2, advance=steps.append)
    assert (report.documents, report.left_out, sum(steps)) == (227, 3, 230)
    tables = contents(tmp_path / "s.duckdb")
    kept = [i for i in range(230) if i % 100 != 7]
    assert [row[0] for row in tables["documents"]] == kept
    assert [row[0] for row in tables["events"]] == [i for i in kept if i % 3]
    assert check_store(tmp_path / "s.duckdb").is_whole


@pytest.mark.long
def test_the_order_of_rows_changes_no_sample(tmp_path: Path) -> None:
    rows = [("a", "2001-01-01", "IRQ", ".4"), ("a", "2001-01-01", "USA", ".7"), ("b", "2001-01-02", "IRQ", ".3")]
    drawn = []
    for at, order in enumerate((rows, rows[::-1])):
        scores = scores_of(tmp_path, order, ("id", "date", "actor", "p"), fields=BARE)
        import_events(scores, tmp_path / f"{at}.duckdb", rng=3)
        tables = contents(tmp_path / f"{at}.duckdb")
        names = {row[0]: row[1] for row in tables["documents"]}
        drawn.append({(names[row[0]], row[1]): row[3] for row in tables["events"]})
    assert drawn[0] == drawn[1]


@pytest.mark.long
def test_it_appears_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scores = scores_of(tmp_path)
    before = set(tmp_path.iterdir())

    def interrupted(count: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        import_events(scores, tmp_path / "s.duckdb", advance=interrupted)
    assert set(tmp_path.iterdir()) == before
    (tmp_path / "gone").mkdir()

    def without_a_place(count: int) -> None:
        for folder in (tmp_path / "gone").iterdir():
            shutil.rmtree(folder)

    with pytest.raises((StoreError, OSError)) as caught:
        import_events(scores, tmp_path / "gone" / "s.duckdb", advance=without_a_place)
    assert "s.duckdb" in str(caught.value)
    assert list((tmp_path / "gone").iterdir()) == []


def test_the_same_import_again(path: Path, tmp_path: Path) -> None:
    was = path.read_bytes()
    scores = scores_of(tmp_path)
    report = import_events(scores, path, event="attack", samples=40)
    assert report.was_there
    assert report.documents == 4
    assert path.read_bytes() == was
    with pytest.raises(InputError, match=r"started with other settings: rule.name was \"attack\" and is now \"event\""):
        import_events(scores, path, samples=40)
    example_store(tmp_path / "extracted.duckdb").close()
    with pytest.raises(InputError, match="is a store of extracted events; name another store"):
        import_events(scores, tmp_path / "extracted.duckdb")
    (tmp_path / "other.duckdb").write_text("mine")
    with pytest.raises(InputError, match="not a store of events"):
        import_events(scores, tmp_path / "other.duckdb")
    assert (tmp_path / "other.duckdb").read_text() == "mine"


def test_the_settings_say_where_it_comes_from(path: Path) -> None:
    with EventStore.open(path) as store:
        settings = store.settings
    assert settings["imported"] == {"probabilities": "given", "samples": "drawn"}
    assert settings["input"]["files"] == [["scores.csv", len((path.parent / "scores.csv").read_bytes())]]
    assert json.loads(json.dumps(settings)) == settings


def test_damage_is_found(path: Path) -> None:
    with duckdb.connect(path) as tables:
        tables.execute("UPDATE events SET probability = 0.5 WHERE probability = 0.9")
    (damage,) = check_store(path).damage
    assert damage.rule == "probability and entities must be those of the samples"


# Samples drawn from probabilities: as near as can be, right on average, independent.


@given(st.lists(st.floats(0, 1), min_size=1, max_size=5), st.integers(2, 40), st.integers(0, 2**32))
def test_shares_are_less_than_one_sample_off(probabilities: list[float], n: int, seed: int) -> None:
    drawn = draw_samples(np.array(probabilities), n, rng=seed)
    assert drawn.shape == (len(probabilities), n)
    assert (np.abs(drawn.sum(axis=1) - n * np.array(probabilities)) < 1 + 1e-9).all()
    for p, row in zip(probabilities, drawn, strict=True):
        assert row.all() if p == 1 else row.any() <= (p > 0)


def test_small_probabilities_are_not_rounded_away() -> None:
    drawn = draw_samples(np.full(20_000, 0.003), 100, rng=0)
    assert abs(drawn.mean() - 0.003) < 5 * np.sqrt(0.3 * 0.7 / 20_000) / 100  # 5 standard deviations


def test_events_are_independent_and_samples_exchangeable() -> None:
    pairs = np.stack([draw_samples(np.array([0.3, 0.6]), 10, rng=seed) for seed in range(4_000)])
    assert np.abs(pairs.mean(axis=0) - [[0.3], [0.6]]).max() < 5 * np.sqrt(0.25 / 4_000)
    both = (pairs[:, 0] & pairs[:, 1]).mean()
    assert abs(both - 0.18) < 5 * np.sqrt(0.18 * 0.82 / 40_000)


# Texts as sentences of words: nothing is lost, and sentences end where they should.


def written(text: str) -> str:
    """The words of a text put together again."""
    return "".join(
        word + " " * space for words, spaces in split_sentences(text) for word, space in zip(words, spaces, strict=True)
    )


@given(st.text())
def test_nothing_but_white_space_is_lost(text: str) -> None:
    assert written(text).split() == "".join(written(text)).split()
    assert "".join(written(text).split()) == "".join(text.split())
    assert all(words and len(words) == len(spaces) for words, spaces in split_sentences(text))


@given(
    st.lists(st.sampled_from(["They", "attacked", "Norland,", "(again)", "“No!”", "U.S.", "3.5", "don't"]), min_size=1)
)
def test_spaces_stay_where_they_are(words: list[str]) -> None:
    assert written(" ".join(words)).rstrip() == " ".join(words)


def test_sentences_end_at_marks_and_lines() -> None:
    sentences = split_sentences("They attacked. “We did!” he said.\nNobody saw it\nRain… fell? Yes.")
    assert ["".join(words) for words, _ in sentences] == [
        "Theyattacked.",
        "“Wedid!”hesaid.",
        "Nobodysawit",
        "Rain…fell?",
        "Yes.",
    ]
    assert [len(split_sentences(text)) for text in ("", " \n ", "一。二！", "no end", "...")] == [0, 0, 2, 1, 1]


N, LABELS = 400, 120
QUESTION = "Who bombs here?"
HEADINGS = ("id", "date", "text", "actor", "p")


@pytest.fixture(scope="module")
def truth() -> np.ndarray:
    return np.random.default_rng(7).random(N) < 0.25


@pytest.fixture(scope="module")
def labelled_path(tmp_path_factory: pytest.TempPathFactory, truth: np.ndarray) -> Path:
    """A store of scores that find 60 % of what is there, all of them too low; 120 documents read."""
    folder = tmp_path_factory.mktemp("labelled")
    rng = np.random.default_rng(8)
    detected = rng.random(N) < np.where(truth, 0.6, 0.1)
    p = np.where(detected, rng.beta(2, 6, N), 0.0).round(3)
    rows = [(f"n{i}", f"200{1 + i % 2}-02-03", f"Text {i} of an attack.", "IRQ", p[i]) for i in range(N)]
    fields = Fields(id="id", date="date", text="text")
    scores = scores_of(folder, rows, HEADINGS, fields=fields, columns=ScoreColumns(actor="actor", prob="p"))
    import_events(scores, folder / "s.duckdb", event="attack", question=QUESTION)
    with EventStore.open(folder / "s.duckdb", read_only=False) as store:
        drawn = draw_documents(store, LABELS, period="year")
        assert drawn.question == QUESTION
        names = dict(store.ask("SELECT document, id FROM documents"))
        drawn_names = [names[document] for document in reading_order(store)]
        labelled = [(name, "IRQ", int(truth[int(name[1:])]), "anna") for name in drawn_names]
        (folder / "labels.csv").write_text(csv_of(labelled, ("document", "actor", "label", "coder")))
        import_labels(store, folder / "labels.csv")
    return folder / "s.duckdb"


@pytest.mark.long
def test_silent_documents_are_drawn_too(labelled_path: Path) -> None:
    with EventStore.open(labelled_path) as store:
        silent = "SELECT count(*) FROM label_sample ANTI JOIN events USING (document)"
        assert store.ask(silent)[0][0] > LABELS / 4


def test_the_counts_are_corrected(labelled_path: Path, truth: np.ndarray) -> None:
    with EventStore.open(labelled_path) as store:
        series = corrected_series(store, period="year")
    for row, true in zip(series.rows, (truth[::2].sum(), truth[1::2].sum()), strict=True):
        assert row.low <= true <= row.high
        assert row.high - row.low < true
    (total,) = series.totals
    assert total.low <= truth.sum() <= total.high
    assert re.match(r"[^ ]+: about \d+ ", series.answer), series.answer


@pytest.mark.long
def test_the_store_is_whole_and_can_be_reported(labelled_path: Path) -> None:
    assert check_store(labelled_path).is_whole
    with EventStore.open(labelled_path) as store:
        assert "corrected" in data_in(events_report(store, period=["year"], documents=10))


def test_empty_texts_are_counted(tmp_path: Path) -> None:
    texts = ["It rained.", "", "   ", "Snow fell."]
    rows = [(name, "2001-01-02", "", text, "IRQ", "0.5") for name, text in zip("abcd", texts, strict=True)]
    report = import_events(scores_of(tmp_path, rows), tmp_path / "s.duckdb", samples=5)
    assert (report.documents, report.empty) == (4, 2)
    assert empty_texts(report.empty) == ["  empty text: 2 documents, in which no event can be read"]
