"""Who reads what, how long it takes, and readings as `counts estimate` takes them."""

from __future__ import annotations

import csv
import datetime
import io
import json
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from tests.cli.running import howsure, printed
from tests.events.labels.labelled_stores import answer_all, drawn_store, give

from howsure.errors import InputError
from howsure_events.labels.agreement import disagreements
from howsure_events.labels.answers import reading_order, record_answer, settle
from howsure_events.labels.coder_progress import documents_for, progress, reading_plan_lines, seconds_for
from howsure_events.labels.draw_documents import draw_documents
from howsure_events.store.event_store import EventStore

N = 40


@pytest.fixture
def store(tmp_path: Path) -> Iterator[EventStore]:
    with drawn_store(tmp_path / "s.duckdb", N) as opened:
        yield opened


def test_the_first_reads_all_and_each_other_one_the_same_fifth(store: EventStore) -> None:
    order = reading_order(store)
    assert documents_for(store, "anna") == documents_for(store, "ben") == order, "nobody has begun"
    record_answer(store, order[3], "anna", acting=[], revision=0)
    assert documents_for(store, "anna") == order
    twice = documents_for(store, "ben")
    assert twice == documents_for(store, "carla")
    assert twice == [number for number in order if number in set(twice)], "in the order of reading"
    places = [order.index(number) for number in twice]
    assert [after - before for before, after in pairwise(places)] == [5] * (N // 5 - 1)
    assert documents_for(store, "ben", overlap=1.0) == order
    extra = next(number for number in order if number not in twice)
    record_answer(store, extra, "ben", acting=[], revision=0)
    assert set(documents_for(store, "ben")) == {*twice, extra}, "what was answered stays"


@pytest.mark.slow
@pytest.mark.parametrize("share", [pytest.param(0.2, marks=pytest.mark.slow), 0.35])
def test_each_document_is_read_twice_with_the_same_chance(tmp_path: Path, share: float) -> None:
    """Over seeds: the chance is the share at every place of the order of reading, the first ones included."""
    times = np.zeros(10)
    with drawn_store(tmp_path / "s.duckdb", 10, design="simple") as store:
        order = reading_order(store)
        record_answer(store, order[0], "anna", acting=[], revision=0)
        for seed in range(300):
            content = json.loads(store.ask("SELECT settings FROM label_draw")[0][0])
            with store.transaction() as connection:
                connection.execute("UPDATE label_draw SET settings = ?", [json.dumps({**content, "seed": seed})])
            times[[order.index(number) for number in documents_for(store, "ben", overlap=share)]] += 1
    assert (np.abs(times / 300 - share) < 4 * np.sqrt(share * (1 - share) / 300)).all()


def test_the_time_is_that_of_the_words_and_then_of_the_coder(store: EventStore) -> None:
    """The estimate follows a coder who needs three times as long after ten answers; a night's pause does not count."""
    order = reading_order(store)
    words = dict(store.ask("SELECT document, words FROM documents"))
    before = progress(store, "anna")
    assert not before.own_pace
    assert before.minutes == pytest.approx(sum(60 * words[document] / 238 + 5 for document in order) / 60)
    assert before.words_left == sum(words[document] for document in order)
    at = datetime.datetime(2026, 1, 5, 9)
    give(store, "anna", [(number, []) for number in order[:12]])
    for place, number in enumerate(order[:12]):
        at += datetime.timedelta(seconds=3 * seconds_for(words[number]), hours=12 if place == 6 else 0)
        with store.transaction() as connection:
            connection.execute("UPDATE answers SET given = ? WHERE document = ?", [at, number])
    after = progress(store, "anna")
    assert after.own_pace
    assert after.minutes == pytest.approx(3 * sum(seconds_for(words[document]) for document in order[12:]) / 60)
    assert "the pace of the answers so far" in after.how


def test_python_and_the_command_line_mean_the_same_by_a_number(store: EventStore) -> None:
    """The number that are drawn in all; fewer than are drawn draw none, and change nothing."""
    draws = "SELECT count(*) FROM label_draw"
    assert sum(draw_documents(store, N).drawn) == 0
    assert sum(draw_documents(store, 5).before) == N
    assert store.ask(draws) == [(1,)]
    more = draw_documents(store, N + 7)
    assert (sum(more.before), sum(more.drawn)) == (N, 7)
    assert len(reading_order(store)) == N + 7
    with pytest.raises(InputError, match=r"n must be at most the number of documents in .*; it is 1,000"):
        draw_documents(store, 1000)


@pytest.mark.long
def test_resuming_says_who_has_how_many_left(tmp_path: Path) -> None:
    path = tmp_path / "s.duckdb"
    with drawn_store(path, N) as store:
        give(store, "anna", [(number, []) for number in reading_order(store)[:30]])
        give(store, "ben", [(number, []) for number in documents_for(store, "ben")])
    command = ["events", "label", path, "--labels", N, "--draw-only"]
    lines = printed(*command).splitlines()
    assert lines[0] == f"{N} documents drawn before: Which of these attack here?"
    assert lines[1].startswith("  anna has read 30 of 40, 10 left, ")
    assert lines[2] == "  ben has read 8 of 8, none left"
    assert printed(*command) == printed(*command)
    further = printed(*command[:3], "--labels", N + 5, "--draw-only")
    assert "  anna has read 30 of 45, 15 left, " in further, "those unread before are counted"
    with EventStore.open(path, read_only=False) as store:
        assert "anna has read 30 of 45" in reading_plan_lines(store)[0]


@pytest.mark.long
def test_imported_labels_go_on_with_the_same_command(tmp_path: Path) -> None:
    """Their documents were not drawn here, so that no more can be; the room opens on them all the same."""
    path, file = tmp_path / "s.duckdb", tmp_path / "labels.csv"
    with drawn_store(tmp_path / "other.duckdb") as other:
        ids = [name for (name,) in other.ask("SELECT id FROM documents ORDER BY document LIMIT 12")]
    rows = [f"{name},IRQ,{at % 2},0.5" for at, name in enumerate(ids)]
    file.write_text("\n".join(["document,actor,label,inclusion", *rows]))
    with drawn_store(path) as store, store.transaction() as connection:
        for table in ("label_draw", "label_strata", "label_sample"):
            connection.execute(f"DELETE FROM {table}")
    printed("events", "labels", "import", path, file, "--coder", "anna")
    assert "12 documents drawn before" in printed("events", "label", path, "--labels", 12, "--draw-only")
    done = howsure("events", "label", path, "--labels", 20, "--draw-only")
    assert (done.code, "further documents cannot be drawn" in done.err) == (2, True)


@pytest.mark.long
def test_readings_are_what_counts_estimate_takes(store: EventStore, tmp_path: Path) -> None:
    """All documents, the first reading, the second one of a fifth, and what was settled; errors of readers follow."""
    path, out = store.path, tmp_path / "readings.csv"
    order = answer_all(store, "anna", {at: ["IRQ"] for at in range(0, N, 3)})
    record_answer(store, order[1], "anna", acting=[], unclear=True, revision=1)
    twice = documents_for(store, "ben", overlap=0.5)
    odd = next(number for number in reversed(twice) if order.index(number) % 3)
    give(
        store,
        "ben",
        [(document, ["IRQ"] if order.index(document) % 3 == 0 or document == odd else []) for document in twice],
    )
    for disagreement in disagreements(store):
        settle(store, disagreement.document, ["IRQ"], coder="carla")
    store.close()
    assert printed("events", "labels", "export", path, "--readings", "--output", out) == f"104 rows in {out}\n"
    rows = [row for row in csv.DictReader(io.StringIO(out.read_text())) if row["actor"] == "IRQ"]
    assert len(rows) == 52, "documents that nobody read are there too"
    labelled = [row for row in rows if row["label"]]
    assert len(labelled) == N - 1, "an unclear text has no label"
    assert all(row["label"] for row in rows if row["second"])
    assert [row["settled"] for row in rows if row["label"] != row["second"] and row["second"]] == ["1"]
    assert sum(bool(row["settled"]) for row in rows) == 1
    columns = ["--prob", "score", "--target", "label", "--stratum", "stratum"]
    output = printed(
        "counts", "estimate", out, "--where", "actor = 'IRQ'", *columns, "--second", "second", "--settled", "settled"
    )
    assert f"Two annotators disagree on 1 of {len(set(twice) - {order[1]})} units" in output
