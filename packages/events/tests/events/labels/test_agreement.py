"""The agreement of coders in a store: by hand, with missing answers, and where there is nothing to agree on."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from tests.events.labels.labelled_stores import answer_all, drawn_store, give

from howsure.errors import InputError
from howsure_events.labels.agreement import NO_VARIATION_NOTE, RARE_NOTE, SINGLE_DOCUMENT_NOTE, Agreement, agreement
from howsure_events.labels.answers import reading_order, record_answer
from howsure_events.store.event_store import EventStore


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EventStore]:
    with drawn_store(tmp_path_factory.mktemp("whole") / "s.duckdb", 40) as store:
        yield store


@pytest.fixture
def store(whole: EventStore) -> EventStore:
    """A store whose drawn documents nobody has read."""
    with whole.transaction() as connection:
        connection.execute("DELETE FROM answers")
    return whole


def rows_by_actor(agreed: Agreement) -> dict[str, tuple[float | None, int, int]]:
    return {row.actor: (row.alpha, row.documents, row.differing) for row in agreed.rows}


def test_two_coders_by_hand(store: EventStore) -> None:
    """Krippendorff's example of ten units, as answers on one actor: alpha 0.095; the other actor never acts."""
    for coder, bits in (("anna", "0100000010"), ("bob", "1110010000")):
        units = zip(reading_order(store), bits, strict=False)
        give(store, coder, [(number, ["IRQ"] if value == "1" else []) for number, value in units])
    agreed = agreement(store)
    by = rows_by_actor(agreed)
    assert by["IRQ"] == (pytest.approx(0.0952, abs=5e-5), 10, 4)
    assert by["NATO"] == (None, 10, 0)
    pairs = 1 - 39 * 8 / (2 * 6 * 34)  # 20 pairs: 40 values, 6 of them "acts"; 4 differ, counted both ways
    assert by["all"] == (pytest.approx(pairs), 10, 4)
    assert agreed.total.low < pairs < agreed.total.high  # type: ignore[operator]
    assert f"NATO: {NO_VARIATION_NOTE}." in agreed.footnotes()


def test_unclear_answers_and_single_readers_are_missing(store: EventStore) -> None:
    order = answer_all(store, "anna", {at: ["IRQ"] for at in range(0, 40, 2)})
    give(store, "bob", [(order[at], ["IRQ"] if at % 2 == 0 else []) for at in range(20)])
    before = agreement(store)
    record_answer(store, order[19], "bob", acting=[], unclear=True, revision=1)
    after = agreement(store)
    assert (before.total.documents, after.total.documents) == (20, 19)
    assert after.recipe["unclear"] == 1
    assert "1 answer 'unclear' counts as missing." in after.footnotes()


def test_full_agreement_has_an_interval_too(store: EventStore) -> None:
    """Twenty documents without a difference leave a share of differing ones of 1 - 0.025^(1/20) = 0.168 possible."""
    for coder in ("anna", "bob"):
        units = enumerate(reading_order(store)[:20])
        give(store, coder, [(number, ["IRQ"] if at < 10 else []) for at, number in units])
    row = agreement(store).rows[0]
    assert (row.alpha, row.high) == (1.0, 1.0)
    assert row.low == pytest.approx(1 - (1 - 0.025 ** (1 / 20)) / 0.5)


def test_a_rare_answer_gives_no_interval(store: EventStore) -> None:
    answer_all(store, "anna", {3: ["IRQ"]})
    answer_all(store, "bob")
    row = agreement(store).rows[0]
    assert (row.alpha, row.low, row.why) == (pytest.approx(0.0), None, RARE_NOTE)


@pytest.mark.parametrize(("acting", "alpha"), [([], 0.0), (["IRQ"], 1.0)])
def test_a_single_document_gives_no_interval(store: EventStore, acting: list[str], alpha: float) -> None:
    """All of its resamples are itself: an interval of no width would say that alpha is known."""
    order = answer_all(store, "anna", {0: ["IRQ"]})
    give(store, "bob", [(order[0], acting)])
    agreed = agreement(store)
    total = agreed.total
    assert (total.documents, total.alpha, total.low, total.high) == (1, alpha, None, None)
    assert total.why == SINGLE_DOCUMENT_NOTE
    assert any(line.endswith(f"all: {SINGLE_DOCUMENT_NOTE}.") for line in agreed.footnotes())


def test_three_coders_or_two_of_them(store: EventStore) -> None:
    for coder, every in (("anna", 2), ("bob", 2), ("carla", 3)):
        answer_all(store, coder, {at: ["IRQ"] for at in range(0, 40, every)})
    assert agreement(store, coders=["bob", " anna "]).rows[0].alpha == 1.0
    three = agreement(store).rows[0]
    assert three.documents == 40
    assert 0 < three.alpha < 1
    with pytest.raises(InputError, match="no coder 'dan' in the labels; it has anna, bob, carla"):
        agreement(store, coders=["anna", "dan"])
    with pytest.raises(InputError, match="agreement needs documents that two coders answered"):
        agreement(store, coders=["anna"])
    with pytest.raises(InputError, match="level must be greater than 0 and less than 1"):
        agreement(store, level=1.0)


@pytest.mark.long
def test_the_interval_covers(tmp_path: Path) -> None:
    """Coders who say the truth with probability 0.9 each: alpha of the population is known, intervals hold it."""
    rng, hits, rounds = np.random.default_rng(0), 0, 12
    share, right = 0.4, 0.9
    differ = 2 * right * (1 - right)
    acts = share * right + (1 - share) * (1 - right)
    truth = 1 - differ / (2 * acts * (1 - acts))
    with drawn_store(tmp_path / "s.duckdb", 40) as store:
        order = reading_order(store)
        for at in range(rounds):
            world = rng.random(40) < share
            store.connection.execute("DELETE FROM answers")
            for coder in ("anna", "bob"):
                judged = world ^ (rng.random(40) > right)
                answers = zip(order, judged.tolist(), strict=True)
                give(store, coder, [(number, ["IRQ"] if is_positive else []) for number, is_positive in answers])
            row = agreement(store, rng=at).rows[0]
            hits += row.low <= truth <= (row.high or 0)
    assert hits / rounds >= 0.85
