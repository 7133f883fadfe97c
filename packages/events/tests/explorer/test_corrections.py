"""Corrected counts in the page: what it asks of the store, and what a person sees, served and as a file."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

import pytest
from tests.cli.running import howsure
from tests.events.corrected.known_truth import labelled_store
from tests.explorer.chromium import Browser
from tests.explorer.serving import data_in, serving

from howsure.errors import InputError
from howsure_cli.report.pages import write_report
from howsure_events.explorer import Tokens, create_app, events_report, queries
from howsure_events.explorer.access import COORDINATOR
from howsure_events.explorer.queries import corrected, corrected_pair, labelled_series
from howsure_events.labels.answers import answer_revision, current_answers, record_answer, settle
from howsure_events.series.corrected_comparison import corrected_comparison
from howsure_events.series.corrected_series import corrected_series
from howsure_events.series.event_series import event_series
from howsure_events.series.files import period_documents
from howsure_events.series.regress_events import regress_events, saved_regression
from howsure_events.store.event_store import EventStore

QUESTION = "Which <img src=x onerror=\"document.title='taken'\"> attack here?"


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return labelled_store(
        tmp_path_factory.mktemp("labelled") / "labelled.duckdb", n=160, n_labelled=60, question=QUESTION
    )


@pytest.fixture(scope="module")
def labelled(path: Path) -> Iterator[EventStore]:
    with EventStore.open(path) as store:
        yield store


@pytest.fixture(scope="module", params=["served", "file"])
def address(
    path: Path, labelled: EventStore, tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Iterator[str]:
    if request.param == "file":
        page = tmp_path_factory.mktemp("file") / "events.html"
        write_report(events_report(labelled, period=["quarter", "year"], samples=2), page)
        yield page.as_uri()
        return
    with serving(path) as served:
        browser: Browser = request.getfixturevalue("browser")
        browser.open(served.address)
        yield served.home


def test_answers_are_those_of_the_library(labelled: EventStore) -> None:
    answer, series = corrected(labelled, period="quarter"), corrected_series(labelled)
    for actor, columns in answer["series"].items():
        rows = series.rows_of(actor)
        assert columns["corrected"] == [row.estimate for row in rows]
        assert columns["read"] == [row.labelled for row in rows]
        assert answer["totals"][actor]["high"] == series.total_of(actor).high
    labels = {name: series.recipe[name] for name in queries.LABELS_USED}
    none = {"scores": [], "merged_strata": 0, "merged_coders": [], "left_out": 0}
    assert answer["labels"] == labels | none
    (coder_answer,) = queries.answers_to(labelled, current_answers(labelled)[0].document)["answers"]
    assert (coder_answer["coder"], coder_answer["unclear"], coder_answer["settles"]) == ("Anna", False, False)
    pair, expected = corrected_pair(labelled, "BBB", "AAA"), corrected_comparison(series, "BBB", "AAA").to_dict()
    assert pair == {name: expected[name] for name in ("rows", "total")}
    assert queries.overview(labelled)["question"] == QUESTION
    assert queries.overview(labelled)["labels"] is True


def test_why_there_is_none(labelled: EventStore, store: EventStore) -> None:
    assert corrected(labelled, unit="entities")["reason"].startswith("No corrected counts of entities")
    assert "No corrected count for CCC" in corrected_pair(labelled, "AAA", "CCC")["reason"]
    assert corrected(store)["reason"] == "No document of this store has a label."
    assert corrected_pair(store, "IRQ", "USA") == corrected(store)
    kinds = [corrected(labelled, unit="entities"), corrected_pair(labelled, "AAA", "CCC"), corrected(store)]
    assert [answer["kind"] for answer in kinds] == ["unit", "actors", "unlabelled"]
    assert queries.overview(store)["labels"] is False
    with pytest.raises(InputError, match="different actors"):
        corrected_pair(labelled, "AAA", "AAA")


@pytest.mark.long
def test_a_series_is_kept_until_an_answer_changes(tmp_path: Path) -> None:
    path = labelled_store(tmp_path / "changing.duckdb", n=80, n_labelled=40)
    options = {"period": "year", "level": 0.95, "unit": "documents"}
    with EventStore.open(path, read_only=False) as store:
        first = labelled_series(store, **options)
        assert labelled_series(store, **options) is first
        ((number, revision),) = store.ask("SELECT document, revision FROM answers ORDER BY entry LIMIT 1")
        record_answer(store, number, "Anna", acting=[], unclear=True, revision=revision)
        second = labelled_series(store, **options)
    assert second is not first
    assert second.recipe["unclear"] == 1


@pytest.mark.long
def test_the_page_shows_corrected_and_raw_counts(browser: Browser, address: str, labelled: EventStore) -> None:
    browser.open(f"{address}#period=quarter")
    assert "corrected by labels" in browser.text("#series-key")
    series = corrected_series(labelled)
    row = series.rows_of("AAA")[0]
    outcome = browser.run("return document.querySelector('.place[data-actor=\"AAA\"]').getAttribute('aria-label')")
    assert outcome.startswith(f"Arland, {row.period}: {row.estimate:.1f} documents corrected by labels")
    assert f"{row.labelled} labelled" in outcome
    assert len(browser.all("#series-chart .raw")) == 2
    assert browser.all("#series-chart .best") == []
    total = series.total_of("AAA")
    assert "Corrected with 60 labelled documents (coder: Anna)" in browser.text("#corrections")
    assert QUESTION in browser.text("#corrections")
    assert browser.all("#corrections img") == []
    assert "corrected" in browser.run("return document.getElementById('status').textContent")
    answer = browser.text("#answer p")
    assert browser.text("h1") == QUESTION
    raw = sum(row.mean for row in event_series(labelled, period="quarter", actors=["AAA"]).rows)
    *others, highest = sorted(series.rows_of("AAA"), key=lambda point: point.estimate)
    clear = highest.low > others[-1].estimate
    most = (
        f"; highest estimate in {highest.period}: {highest.estimate:.0f} ({highest.low} to {highest.high})"
        if clear
        else ""
    )
    assert answer == (
        f"Arland: about {total.estimate:.0f} of 160 documents, between {total.low:.0f} and {total.high:.0f}{most}. "
        f"Uncorrected, the rule finds {raw:.0f} (expected value)."
    )
    assert browser.text("#answer p.quiet").startswith("95% intervals; corrected by the labels")
    browser.choose("#counts", "raw")
    assert browser.all("#series-chart .raw") == []
    assert browser.text("#answer p.quiet") == "This is what the rule finds, not corrected by the labels."
    assert browser.text("#answer p") == f"Arland: the rule finds {raw:.0f} in 160 documents (expected value)."
    assert len(browser.all("#series-chart .best")) == 2
    assert browser.run("return location.hash").endswith("counts=raw")
    browser.choose("#counts", "corrected")
    browser.choose("#unit", "entities")
    browser.says("#corrections", "No corrected counts of entities")
    assert browser.errors() == []


@pytest.mark.long
def test_the_documents_behind_a_corrected_count_are_those_read_and_those_found(labelled: EventStore) -> None:
    series, missed = corrected_series(labelled), 0
    acting = dict(labelled.ask("SELECT document, acting FROM answers"))
    for row in series.rows:
        documents = period_documents(labelled, row.actor, at=row.period)
        labelled_documents = [document for document in documents if document["answers"]]
        n_positive = sum(document["label"] for document in labelled_documents)
        assert (len(labelled_documents), n_positive) == (row.labelled, row.positives)
        by_rule = {n for (n,) in labelled.ask("SELECT document FROM events WHERE actor = ?", [row.actor])}
        for document in documents:
            number = document["document"]
            assert document["answers"] or number in by_rule
            acts = row.actor in acting.get(number, [])
            answers = [{"coder": "Anna", "acts": acts, "settles": False}] if number in acting else []
            assert (document["answers"], document["label"]) == (answers, acts if answers else None)
            assert document["missed"] == (acts and number not in by_rule)
        missed += sum(document["missed"] for document in labelled_documents)
    assert missed > 5


def test_answers_of_several_readers_behind_a_count(tmp_path: Path) -> None:
    path = labelled_store(tmp_path / "read.duckdb", n=80, n_labelled=40)
    with EventStore.open(path, read_only=False) as store:
        agreed, open_, unclear, settled = [n for n, *_ in store.ask("SELECT document FROM answers ORDER BY entry")][:4]
        for number, acting in ((agreed, ["AAA"]), (open_, ["AAA"]), (unclear, []), (settled, ["AAA"])):
            for coder in ("Anna", "Ben"):
                actors = acting if coder == "Ben" or number == agreed else []
                revision = answer_revision(store, number, coder)
                is_unclear = number == unclear and coder == "Ben"
                record_answer(store, number, coder, acting=actors, unclear=is_unclear, revision=revision)
        settle(store, settled, ["AAA"], coder="Cleo")
        documents = {document["document"]: document for document in period_documents(store, "AAA", at="2001")}
        assert [documents[case]["label"] for case in (agreed, open_, unclear, settled)] == [True, None, None, True]
        assert [answer["acts"] for answer in documents[unclear]["answers"]] == [False, None]
        assert documents[settled]["answers"][-1] == {"coder": "Cleo", "acts": True, "settles": True}
        assert all(document["answers"] == [] for document in period_documents(store, "CCC", at="2001"))


@pytest.mark.long
@pytest.mark.parametrize("address", ["served", pytest.param("file", marks=pytest.mark.slow)], indirect=True)
def test_the_page_lists_what_a_corrected_count_is_made_of(browser: Browser, address: str, labelled: EventStore) -> None:
    row = max(corrected_series(labelled).rows_of("AAA"), key=lambda point: point.estimate)
    labelled_documents = [
        document for document in period_documents(labelled, "AAA", at=row.period) if document["answers"]
    ]
    missed = sum(answered["missed"] for answered in labelled_documents)
    below = sum(answered["label"] is True and answered["probability"] < 0.5 for answered in labelled_documents)
    assert below > missed > 0, "some positives have a low probability, others none"
    browser.open(f"{address}#period=quarter&point=AAA&at={row.period}")
    behind = browser.text("#behind")
    assert behind.startswith(f"Arland: about {row.estimate:.1f} of {row.n} documents, 95% interval ")
    assert f"Of {row.labelled} labelled, {row.positives} are positive; {below} of these had a" in behind
    assert f"a probability below 0.5. {missed} were not found at all." in behind
    rest = row.estimate - row.positives
    assert f" {rest:.1f} ({100 * rest / row.estimate:.0f}%) are estimated for the" in behind
    cells = [[cell.text for cell in line.find_elements("tag name", "td")] for line in browser.all("#point tbody tr")]
    listed = [line for line in cells if "(Anna)" in line[1]]
    assert len(listed) == len(labelled_documents)
    assert [line[2] for line in listed[:missed]] == ["missed"] * missed
    assert sum(line[1] == "yes (Anna)" for line in listed) == row.positives
    assert browser.violations() == []
    browser.click("#point tbody tr button")
    assert browser.one("#document h2").text == listed[0][0].partition("\n")[0]
    browser.open(f"{address}#period=quarter&counts=raw&point=AAA&at={row.period}")
    listed = period_documents(labelled, "AAA", at=row.period)
    probabilities = [document["probability"] for document in listed]
    n_possible, likely = (sum(p > least for p in probabilities) for least in (0.0, 0.4999999))
    summary = browser.text("#point p")
    assert summary.startswith(f"The probabilities sum to {sum(probabilities):.2f} expected documents.")
    assert f" {n_possible} documents have a probability above 0, {likely} of these of at least 0.5. " in summary
    assert browser.errors() == []


@pytest.mark.long
def test_the_page_compares_by_the_corrected_counts(browser: Browser, address: str, labelled: EventStore) -> None:
    browser.open(f"{address}#period=quarter&first=BBB&second=AAA")
    total = corrected_pair(labelled, "BBB", "AAA")["total"]
    verdict = browser.says("#verdict", "Corrected by labels: Of 4 periods")
    greater = total["greater"]
    probability = "< 0.01" if 0 < greater < 0.005 else "> 0.99" if 0.995 < greater < 1 else f"= {greater:.2f}"
    assert f"P(Borland > Arland) {probability}." in verdict
    browser.click("#save-comparison")
    figure = browser.saved(".svg")
    assert "The counts are corrected by labels: their intervals include what the model misses" in figure
    assert "The intervals include the uncertainty of coreference" not in figure
    assert browser.text("#raw-verdict").startswith("Raw counts: Of 4 periods")
    assert browser.errors() == []


@pytest.mark.long
def test_the_page_says_why_it_compares_by_raw_counts_alone(browser: Browser, address: str) -> None:
    browser.open(f"{address}#period=quarter&unit=entities&first=AAA&second=BBB")
    browser.says("#comparison .problem", "No corrected counts of entities: coders answered only")
    assert browser.errors() == []


@pytest.mark.long
def test_a_regression_is_a_table_of_the_page(labelled: EventStore, path: Path, tmp_path: Path) -> None:
    file, page = tmp_path / "found.json", tmp_path / "page.html"
    done = howsure("events", "regress", path, "--covariates", "actor", "--format", "json", "--output", file)
    assert (done.code, done.err) == (0, "")
    regression = regress_events(labelled, covariates=["actor"])
    saved = saved_regression(labelled, file)
    assert saved.text() == regression.text()
    assert howsure("events", "report", path, page, "--period", "year", "--regression", file).code == 0
    shown = data_in(page.read_text(encoding="utf-8"))["overview"]["regression"]
    assert shown["rows"] == [list(row) for row in regression.table().rows]
    assert shown["notes"] == list(regression.footnotes())
    app = create_app(labelled, tokens=Tokens({"a": COORDINATOR}, "b"), regression=saved)
    assert app is not None
    plain = json.loads(file.read_text(encoding="utf-8"))
    older = {
        **plain,
        "coefficients": [{k: v for k, v in row.items() if "degrees" not in k} for row in plain["coefficients"]],
    }
    (tmp_path / "older.json").write_text(json.dumps(older), encoding="utf-8")
    without = saved_regression(labelled, tmp_path / "older.json")
    assert [row.corrected for row in without] == [row.corrected for row in regression]
    assert all(math.isnan(row.corrected_degrees) for row in without)
    for changed, message in (
        ({**plain, "coefficients": []}, "must contain a regression of events"),
        (
            {**plain, "coefficients": [{**plain["coefficients"][0], "naive": None}]},
            "must contain a regression of events",
        ),
        ([plain], "must contain a regression of events"),
        ({**plain, "recipe": {**plain["recipe"], "store": {}}}, "of this store, "),
    ):
        file.write_text(json.dumps(changed), encoding="utf-8")
        done = howsure("events", "report", path, tmp_path / "none.html", "--regression", file)
        assert done.code == 2
        assert message in done.err
    assert not (tmp_path / "none.html").exists()


@pytest.mark.long
def test_the_page_shows_a_regression(browser: Browser, labelled: EventStore, tmp_path: Path) -> None:
    regression = regress_events(labelled, covariates=["actor"])
    write_report(events_report(labelled, period=["year"], regression=regression), tmp_path / "page.html")
    browser.open((tmp_path / "page.html").as_uri())
    cells = [[cell.text for cell in row.find_elements("tag name", "td")] for row in browser.all("#regression tbody tr")]
    assert cells == [list(row) for row in regression.table().rows]
    assert "Linear regression: 320 rows, " in browser.text("#regression")
    assert browser.violations() == []
    assert browser.errors() == []


@pytest.mark.long
def test_the_page_says_what_each_kind_of_bands_includes(browser: Browser, address: str) -> None:
    browser.open(f"{address}#period=quarter")
    assert "The intervals of the raw counts include the uncertainty of this coreference" in browser.text("#bands")
    assert "how many documents would be labelled positive" in browser.text("#labels-note")
    assert "The intervals include this" not in browser.text("#bands")


@pytest.mark.long
def test_the_saved_table_has_both(browser: Browser, address: str, labelled: EventStore) -> None:
    browser.open(f"{address}#period=quarter")
    browser.click("#save-table")
    rows = list(csv.DictReader(io.StringIO(browser.saved(".csv"))))
    expected = corrected_series(labelled).rows_of("AAA")[0]
    first = next(row for row in rows if row["actor"] == "AAA")
    assert float(first["corrected"]) == pytest.approx(expected.estimate, rel=1e-5)
    assert float(first["labelled"]) == expected.labelled
    assert float(first["mean"]) >= 0
    written = list(csv.DictReader(io.StringIO(queries.export(labelled, period="quarter"))))
    assert [(row["actor"], row["period"]) for row in rows] == [(row["actor"], row["period"]) for row in written]
    total, expected = rows[-1], corrected_series(labelled).total_of(rows[-1]["actor"])
    assert (total["period"], total["low"]) == ("all", "")
    ends = [float(total[f"corrected{end}"]) for end in ("", "_low", "_high")]
    assert ends == pytest.approx([expected.estimate, expected.low, expected.high], rel=1e-5)
    assert float(total["mean"]) == pytest.approx(float(written[-1]["mean"]), rel=1e-5)


@pytest.mark.long
def test_it_fits_a_phone(browser: Browser, address: str) -> None:
    try:
        browser.resize(360, 740)
        browser.open(f"{address}#period=quarter&first=AAA&second=BBB")
        browser.says("#corrections", "with 60 labelled documents")
        wide, window = browser.run("return [document.documentElement.scrollWidth, innerWidth]")
        assert wide <= window
    finally:
        browser.resize(1000, 800)


@pytest.mark.long
def test_withdrawn_estimates_leave_their_intervals(
    browser: Browser, labelled: EventStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Chart, answer, list, table, point and comparison of counts whose labels contradict the sampling design."""
    monkeypatch.setattr("howsure.counts.estimation.contradicts_design", lambda units: True)
    page = tmp_path / "withdrawn.html"
    with patch.dict(queries._KEPT, clear=True):
        write_report(events_report(labelled, period=["year"], samples=1), page)
        series = corrected_series(labelled, period="year")
    total, row = series.total_of("AAA"), series.rows_of("AAA")[0]
    assert math.isnan(total.estimate)
    browser.open(f"{page.as_uri()}#period=year&actor=AAA&point=AAA&at={row.period}&first=AAA&second=BBB")
    answer = f"Arland: between {total.low:.0f} and {total.high:.0f} of {total.n} documents; the labels do not allow"
    browser.says("#answer", answer)
    assert browser.all("#series-chart .dot") == []
    assert len(browser.all("#series-chart .band")) == len(series.rows_of("AAA"))
    assert "no point: the labels do not allow an estimate" in browser.text("#series-key")
    listed = browser.run("return document.querySelector('[data-total=AAA]').textContent")
    assert listed.startswith(f"– [{total.low:.0f}, {total.high:.0f}] · raw ")
    browser.click("#series-table summary")
    assert browser.rows("#series-table")[0][1:3] == ["–", f"{row.low:.0f} to {row.high:.0f}"]
    assert browser.text("#behind").startswith(f"Arland: between {row.low:.0f} and {row.high:.0f} of {row.n} documents;")
    assert "In all periods, the labels do not show which actor has more." in browser.text("#verdict")
    assert "do not show which actor has more" in browser.text("#comparison-readout")
