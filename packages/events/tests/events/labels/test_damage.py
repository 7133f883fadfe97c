"""Labels that were edited by hand: the store is refused when it is opened, or the check says what is wrong."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.events.damaged_stores import damaged, damaged_for_now
from tests.events.labels.labelled_stores import answer_all, drawn_store
from tests.events.made_up_store import copied

from howsure.errors import InputError
from howsure_events.labels.answers import find_labelling, reading_order, record_answer, settled_labels
from howsure_events.store.check_store import check_store
from howsure_events.store.event_store import EventStore
from howsure_events.store.integrity import check_opened


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    with drawn_store(tmp_path_factory.mktemp("whole") / "s.duckdb", 10) as store:
        answer_all(store, "anna", {0: ["IRQ"]})
        return store.path


AT_OPENING = {
    "DROP TABLE label_sample": "table label_sample: it is missing",
    "ALTER TABLE answers DROP COLUMN acting": "table answers: column acting is missing",
    "DELETE FROM label_draw": "draw must be one of the table label_draw",
    "DELETE FROM label_sample": "document must be one of the table label_sample",
    "DELETE FROM label_strata WHERE document = 0": "every document must have a stratum, or none",
    "INSERT INTO label_strata VALUES (99999, 'x')": "document must be one of the table documents",
    "UPDATE label_sample SET inclusion = 0": "inclusion must be greater than 0 and at most 1",
    "UPDATE label_sample SET inclusion = 'nan'": "inclusion must be greater than 0 and at most 1",
    "UPDATE label_sample SET position = 1": "position must be unique",
    "UPDATE label_draw SET draw = 0": "draw must be 1 or more",
    "UPDATE answers SET revision = 0": "entry and revision must be 1 or more",
    "UPDATE answers SET coder = ''": "coder must be a name",
    "UPDATE answers SET acting = [NULL]": "acting must be codes",
    "UPDATE answers SET unclear = true": "acting must be empty if the text is unclear",
    "UPDATE answers SET undoes = entry": "undoes must be an earlier entry",
}
LATER = {
    "UPDATE label_draw SET settings = '{'": ("label_draw", "settings must be those of a draw"),
    "UPDATE label_draw SET settings = '{\"question\": 3}'": ("label_draw", "settings must be those of a draw"),
    "UPDATE answers SET acting = ['KWT'] WHERE len(acting) > 0": (
        "answers",
        "acting must be actors that coders were asked about",
    ),
}


@pytest.fixture(scope="module")
def store(whole: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[EventStore]:
    """A copy, in which damage is taken back at once."""
    path = copied(whole.read_bytes(), tmp_path_factory.mktemp("damaged") / "s.duckdb")
    with EventStore.open(path, read_only=False) as event_store:
        yield event_store


@pytest.mark.parametrize("statement", AT_OPENING)
def test_the_check_at_opening_finds_damage(statement: str, store: EventStore) -> None:
    with damaged_for_now(store, statement) as damaged_store, pytest.raises(InputError, match=AT_OPENING[statement]):
        check_opened(damaged_store)


def test_damage_is_reported_at_opening(whole: Path, tmp_path: Path) -> None:
    statement = [*AT_OPENING][-1]
    with pytest.raises(InputError, match=AT_OPENING[statement]):
        EventStore.open(damaged(whole, tmp_path / "d.duckdb", statement))


@pytest.mark.parametrize("statement", [*[*LATER][1:], pytest.param(next(iter(LATER)), marks=pytest.mark.long)])
def test_the_check_finds_what_only_answers_depend_on(statement: str, whole: Path, tmp_path: Path) -> None:
    path = damaged(whole, tmp_path / "d.duckdb", statement)
    assert [(damage.table, damage.rule) for damage in check_store(path).damage] == [LATER[statement]]


@pytest.mark.parametrize("statement", [change for change, (table, _) in LATER.items() if table == "label_draw"])
def test_invalid_settings_of_a_draw_are_reported_everywhere(statement: str, store: EventStore) -> None:
    with damaged_for_now(store, statement) as damaged_store:
        for ask in (find_labelling, settled_labels):
            with pytest.raises(InputError, match="is damaged: the settings of a draw in the table label_draw"):
                ask(damaged_store)


def test_files_left_next_to_a_store_are_read_everywhere(whole: Path, tmp_path: Path) -> None:
    """Answers in the log of a process that ended early are there for who reads, and for who writes on."""
    path = tmp_path / "s.duckdb"
    path.write_bytes(whole.read_bytes())
    store = EventStore.open(path, read_only=False)
    first = reading_order(store)[0]
    record_answer(store, first, "bob", acting=["NATO"], revision=0)
    for name in ("s.duckdb", "s.duckdb.wal"):  # as they lie there now
        (tmp_path / f"copy-{name}").write_bytes((tmp_path / name).read_bytes())
    store.close()
    with EventStore.open(tmp_path / "copy-s.duckdb") as copy:
        assert copy.ask("SELECT acting FROM answers WHERE coder = 'bob'") == [(["NATO"],)]
