"""One person, however their name is spelled: in the store, in files, in agreement, and in stores of older versions."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cli.running import printed
from tests.events.labels.labelled_stores import drawn_store, give

from howsure.errors import InputError
from howsure_events.labels.agreement import agreement, disagreements
from howsure_events.labels.answers import (
    answer_revision,
    current_answers,
    current_settlements,
    reading_order,
    record_answer,
    settle,
    settled_labels,
    undo_answer,
)
from howsure_events.labels.coder_progress import documents_for, first_coder, progress, reading_plan_lines
from howsure_events.labels.coders import clean_coder_name, coder_key, is_same_coder
from howsure_events.labels.import_labels import import_labels, label_table, readings_table
from howsure_events.series.corrected_series import corrected_series
from howsure_events.store.check_store import check_store
from howsure_events.store.event_store import EventStore

N = 20
MERGED = "'Anna' and 'anna' count as one coder, Anna; of a document answered under both, the latest answer counts."


@pytest.fixture
def store(tmp_path: Path) -> Iterator[EventStore]:
    with drawn_store(tmp_path / "s.duckdb", N) as opened:
        yield opened


@pytest.fixture
def older(store: EventStore) -> EventStore:
    """A store of an older version, which took two spellings for two people; Bob read all, too."""
    order = reading_order(store)
    give(store, "Anna", [(number, ["IRQ"]) for number in order[:4]])
    give(store, "anna", [(order[3], ["NATO"]), *((number, []) for number in order[4:])])
    give(store, "bob", [(number, ["IRQ"] if at < 4 or at > N - 3 else []) for at, number in enumerate(order)])
    return store


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Anna", "anna"),
        ("Anna", " anna "),
        ("Anna B", "anna \u00a0 b"),
        ("Ren\u00e9", "RENE\u0301"),
        ("Stra\u00dfe", "STRASSE"),
        ("\uff21nna", "Anna"),  # full width
        ("Anna\ufe0f", "Anna"),  # a variation selector shows nothing
        ("\u03a3\u03c3", "\u03c3\u03c2"),  # two forms of sigma
        ("o\ufb03ce", "OFFICE"),
        ("\u1fb3", "\u03b1\u0345"),
        ("\ud55c", "\u1112\u1161\u11ab"),  # Hangul, composed or not
    ],
)
def test_spellings_of_one_person(first: str, second: str) -> None:
    assert is_same_coder(first, second)


@pytest.mark.parametrize(
    ("first", "second"), [("Anna", "Anne"), ("Ann a", "Anna"), ("Rene", "Ren\u00e9"), ("Anna", "\u0410nna")]
)
def test_other_people(first: str, second: str) -> None:
    """The last is a Cyrillic letter: what looks alike is not compared."""
    assert not is_same_coder(first, second)


@given(st.text(max_size=20))
def test_the_key_of_a_key_is_the_key(name: str) -> None:
    assert coder_key(coder_key(name)) == coder_key(name)
    assert is_same_coder(name.upper().lower(), name.lower().upper().lower())


@pytest.mark.parametrize("name", ["", "  ", "\ufe0f", "\u3164", "a\nb", "a\u200bb", "a" * 61, None, 3])
def test_invalid_names_of_coders(name: object) -> None:
    with pytest.raises(InputError, match="coder must be a name of 1 to 60 printable letters"):
        clean_coder_name(name)


def test_a_person_keeps_the_spelling_that_came_first(store: EventStore) -> None:
    first, second = reading_order(store)[:2]
    assert record_answer(store, first, "Ren\u00e9 D", acting=["IRQ"], revision=0) == 1
    assert record_answer(store, first, " rene\u0301  d ", acting=[], revision=1) == 2
    record_answer(store, second, "REN\u00c9 D", acting=["NATO"], revision=0)
    assert [(answer.document, answer.coder, answer.acting) for answer in current_answers(store)] == sorted(
        [(first, "Ren\u00e9 D", ()), (second, "Ren\u00e9 D", ("NATO",))]
    )
    assert store.ask("SELECT DISTINCT coder FROM answers") == [("Ren\u00e9 D",)]
    assert documents_for(store, "ren\u00e9 d") == reading_order(store)
    assert progress(store, "ren\u00e9 d").answered == 2
    assert answer_revision(store, first, "ren\u00e9 d") == 2
    assert undo_answer(store, "ren\u00e9 d") == second
    assert undo_answer(store, "REN\u00c9 D") == first
    assert [answer.acting for answer in current_answers(store)] == [("IRQ",)]


@pytest.mark.long
def test_a_store_with_two_spellings_opens_and_says_so(older: EventStore) -> None:
    order, path = reading_order(older), older.path
    assert {answer.coder for answer in current_answers(older)} == {"Anna", "bob"}
    assert [answer.acting for answer in current_answers(older, document=order[3])] == [("NATO",), ("IRQ",)], (
        "the latest counts"
    )
    assert first_coder(older) == "Anna"
    assert progress(older, "ANNA").answered == N
    settled = settled_labels(older)
    assert (settled.coders, settled.unsettled, settled.merged_coders) == (("Anna", "bob"), 3, (("Anna", "anna"),))
    assert MERGED in corrected_series(older).label_notes
    assert reading_plan_lines(older)[-1] == MERGED
    measured = agreement(older)
    assert (measured.coders, measured.total.differing) == (("Anna", "bob"), 3)
    assert measured.footnotes()[-1] == MERGED
    assert agreement(older, coders=["bob", "ANNA"]).coders == ("bob", "Anna")
    assert len(disagreements(older)) == 3
    assert {row[4] for row in label_table(older).rows} == {"Anna", "bob"}
    assert [row[5] for row in readings_table(older).rows if row[4]].count("") == 0, "a second reading is another person"
    older.close()
    assert check_store(path).is_whole
    for command in (("labels", "disagreements", path), ("labels", "agreement", path), ("label", path, "--draw-only")):
        assert MERGED in " ".join(printed("events", *command).split())


@pytest.mark.long
def test_what_two_spellings_answered_is_taken_back_one_by_one(older: EventStore) -> None:
    """The later one uncovers the one before it, under whatever spelling."""
    both = reading_order(older)[3]

    def present() -> list[tuple[str, ...]]:
        return [answer.acting for answer in current_answers(older, document=both) if answer.coder == "Anna"]

    for _ in range(N - 4):
        undo_answer(older, "anna")
    assert present() == [("NATO",)]
    assert undo_answer(older, "ANNA") == both
    assert present() == [("IRQ",)]
    assert undo_answer(older, "Anna") == both
    assert present() == []
    assert record_answer(older, both, "anna", acting=[], revision=answer_revision(older, both, "Anna")) > 1
    assert present() == [()]
    assert progress(older, "anna").answered == 4


def test_files_name_a_person_as_they_like(store: EventStore, tmp_path: Path) -> None:
    first, second = reading_order(store)[:2]
    ids = dict(store.ask("SELECT document, id FROM documents"))
    record_answer(store, first, "anna", acting=["IRQ"], revision=0)
    path = tmp_path / "labels.csv"

    def rows(*named: tuple[int, str, str]) -> Path:
        written = [f"{ids[number]},{actor},1,{coder}" for number, coder, actor in named]
        path.write_text("\n".join(["document,actor,label,coder", *written]))
        return path

    imported = import_labels(store, rows((second, "ANNA", "IRQ"), (second, " Anna", "NATO")))
    assert (imported.added, imported.coders, imported.merged_coders) == (1, ("anna",), (("anna", "ANNA"),))
    assert str(imported).splitlines()[1].startswith("'anna' and 'ANNA' count as one coder, anna;")
    assert [(answer.coder, answer.acting) for answer in current_answers(store, document=second)] == [
        ("anna", ("IRQ", "NATO"))
    ]
    both = rows((second, "anna", "IRQ"), (second, "anna", "NATO"))
    assert import_labels(store, both, coder=" ANNA ").known == 1
    with pytest.raises(InputError, match="anna answered document"):
        import_labels(store, rows((first, "Anna", "NATO"), (first, "Anna", "IRQ")))


def test_agreement_is_of_different_people(older: EventStore) -> None:
    with pytest.raises(InputError, match=r"coders names 'Anna' twice: 'anna' is another spelling of it\."):
        agreement(older, coders=["Anna", "anna"])
    with pytest.raises(InputError, match="no coder 'carla'"):
        agreement(older, coders=["Anna", "carla"])


def test_who_settles_is_a_person_too(older: EventStore) -> None:
    number = reading_order(older)[3]
    settle(older, number, ["IRQ"], coder="BOB")
    assert [settlement.coder for settlement in current_settlements(older)] == ["bob"]


@pytest.mark.long
def test_two_people_of_one_name_are_separated_by_hand(older: EventStore) -> None:
    """As docs/labelling.md says."""
    older.connection.execute("UPDATE answers SET coder = 'Anna B' WHERE coder = 'anna'")
    assert settled_labels(older).coders == ("Anna", "Anna B", "bob")
    assert settled_labels(older).merged_coders == ()
    older.close()
    with EventStore.open(older.path) as again:
        assert settled_labels(again).coders == ("Anna", "Anna B", "bob")
    assert check_store(older.path).is_whole
