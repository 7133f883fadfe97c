"""Labels into a store and out of it: nothing is lost, nothing that was picked by hand is taken, all or nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.events.labels.labelled_stores import answer_all, drawn_store, store_to_label
from tests.events.made_up_store import copied

from howsure.errors import InputError
from howsure_events.labels.answers import (
    current_answers,
    current_settlements,
    find_labelling,
    reading_order,
    record_answer,
    require_labelling,
    settle,
    settled_labels,
)
from howsure_events.labels.draw_documents import draw_documents
from howsure_events.labels.import_labels import import_labels, label_table, reading_sheet
from howsure_events.labels.label_files import read_labels
from howsure_events.store.check_store import check_store
from howsure_events.store.event_store import EventStore


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    with store_to_label(tmp_path_factory.mktemp("whole") / "s.duckdb", documents=20) as store:
        return store.path


@pytest.fixture
def store(whole: Path, tmp_path: Path) -> Any:
    with EventStore.open(copied(whole.read_bytes(), tmp_path / "s.duckdb"), read_only=False) as event_store:
        yield event_store


def written(folder: Path, content: str) -> Path:
    path = folder / "labels.csv"
    path.write_text(content)
    return path


ACTORS = ("IRQ", "NATO")


def csv_of(names: list[str], *, actors: tuple[str, ...] = ACTORS, more: str = "") -> str:
    """Labels of documents: the first actor acts in all, the others in none."""
    rows = [f"{name},{actor},{int(actor == actors[0])}{more}" for name in names for actor in actors]
    return "\n".join([f"document,actor,label{',inclusion' if more else ''}", *rows, ""])


def ids_of(store: EventStore) -> list[str]:
    return [name for (name,) in store.ask("SELECT id FROM documents ORDER BY document")]


@pytest.mark.long
def test_a_simple_sample(store: EventStore, tmp_path: Path) -> None:
    names = ids_of(store)
    report = import_labels(store, written(tmp_path, csv_of(names[3:9])), coder="anna", design="simple")
    assert str(report) == "6 answers to 6 documents by anna"
    settled = settled_labels(store)
    assert settled.labels.tolist() == [[1.0, 0.0]] * 6
    assert (settled.design, settled.actors, set(settled.strata.values())) == ("simple", ("IRQ", "NATO"), {"all"})
    assert settled.inclusion.tolist() == [6 / len(names)] * 6
    assert len(settled.strata) == len(names)
    again = import_labels(store, tmp_path / "labels.csv", coder="anna")
    assert (again.added, again.known) == (0, 6)
    import_labels(store, tmp_path / "labels.csv", coder="bob")
    assert {answer.coder for answer in current_answers(store)} == {"anna", "bob"}
    draw_documents(store, 9)
    assert len(reading_order(store)) == 9
    assert store.ask("SELECT DISTINCT inclusion FROM label_sample") == [(9 / len(names),)]
    assert check_whole(store)


def check_whole(store: EventStore) -> bool:
    store.close()
    return check_store(store.path).is_whole


def test_a_census(store: EventStore, tmp_path: Path) -> None:
    names = ids_of(store)
    with pytest.raises(
        InputError, match=r"design='census' needs labels of all 18 documents of .*; .* labels 17\. If these"
    ):
        import_labels(store, written(tmp_path, csv_of(names[1:])), coder="anna", design="census")
    assert find_labelling(store) is None
    import_labels(store, written(tmp_path, csv_of(names)), coder="anna", design="census")
    settled = settled_labels(store)
    assert (settled.inclusion == 1.0).all()
    assert len(settled.documents) == settled.drawn == len(names)


def test_given_chances(store: EventStore, tmp_path: Path) -> None:
    report = import_labels(store, written(tmp_path, csv_of(ids_of(store)[:4], more=",0.25")), coder="anna")
    settled = settled_labels(store)
    assert (report.design, settled.design, settled.strata) == ("chances", "chances", {})
    assert settled.inclusion.tolist() == [0.25] * 4
    with pytest.raises(InputError, match="cannot be drawn, because the labels were imported with the design"):
        draw_documents(store, 6)
    assert check_whole(store)


@pytest.mark.long
def test_exported_labels_are_imported_again(tmp_path: Path) -> None:
    with drawn_store(tmp_path / "a.duckdb", 12) as first:
        order = answer_all(first, "anna", {0: ["IRQ"], 1: ["IRQ", "NATO"]})
        record_answer(first, order[0], "bob", acting=[], unclear=True, revision=0)
        record_answer(first, order[1], "bob", acting=["NATO"], revision=0)
        settle(first, order[1], ["NATO"], coder="carla")
        path = written(tmp_path, label_table(first).csv())
        expected = [(answer.document, answer.coder, answer.acting, answer.unclear) for answer in current_answers(first)]
    with drawn_store(tmp_path / "b.duckdb", 12) as second:
        import_labels(second, path)
        assert [
            (answer.document, answer.coder, answer.acting, answer.unclear) for answer in current_answers(second)
        ] == expected
        assert [
            (settlement.document, settlement.coder, settlement.acting) for settlement in current_settlements(second)
        ] == [(order[1], "carla", ("NATO",))]
        assert label_table(second).csv() == path.read_text()
        record_answer(second, order[0], "bob", acting=["IRQ"], revision=1)
        with pytest.raises(InputError, match=f"bob answered document {order[0]} of the store already, and differently"):
            import_labels(second, path)


def test_a_sheet_has_the_texts_in_the_order_of_reading(tmp_path: Path) -> None:
    with drawn_store(tmp_path / "a.duckdb", 12) as store:
        sheet, order = reading_sheet(store), reading_order(store)
        ids = dict(store.ask("SELECT document, id FROM documents"))
        assert [line["document"] for line in sheet] == [ids[number] for number in order]
        words = store.ask("SELECT words FROM sentences WHERE document = ? ORDER BY sentence", [order[0]])
        assert sheet[0]["text"].replace(" ", "") == "".join(word for (sentence,) in words for word in sentence)
        tasks = [{"data": line, "annotations": [{"completed_by": 7, "result": [choices("IRQ")]}]} for line in sheet]
        unread = {"data": sheet[0], "annotations": []}
        report = import_labels(store, written(tmp_path, json.dumps([*tasks, unread])))
        assert (report.added, report.coders) == (12, ("7",))


def choices(*actors: str) -> dict[str, Any]:
    return {"type": "choices", "from_name": "label", "value": {"choices": list(actors)}}


def test_titles_and_ids_that_spreadsheets_would_calculate(tmp_path: Path) -> None:
    with store_to_label(tmp_path / "a.duckdb", documents=20) as store:
        for number, name in enumerate(("=1+1", "'=1+1", "a;=2")):
            store.connection.execute("UPDATE documents SET id = ? WHERE document = ?", [name, number])
        draw_documents(store, 18, actors=["IRQ"])
        answer_all(store, "anna")
        answer_all(store, "-me")
        text = label_table(store).csv()
        assert "\n'=1+1," in text
        assert "\n''=1+1," in text
        assert '\n"a;\'=2",' in text
        assert "'-me" in text
        path = written(tmp_path, text.replace(",IRQ,", ",iraq,"))
        report = import_labels(store, path)
        assert (report.known, report.added, report.coders) == (36, 0, ("-me", "anna"))


def test_choices_that_nobody_made_are_named(store: EventStore, tmp_path: Path) -> None:
    """A tool says what was chosen; which actors were offered must be said where it matters."""
    answer = [{"result": [choices("IRQ")]}]
    path = written(tmp_path, json.dumps([{"data": {"document": n}, "annotations": answer} for n in ids_of(store)]))
    import_labels(store, path, coder="anna", design="census", actors=["Iraq", "KWT"], question="Who?")
    assert (require_labelling(store).actors, require_labelling(store).question) == (("IRQ", "KWT"), "Who?")


WRONG: list[tuple[str, dict[str, Any], str]] = [
    (
        "item-0,IRQ,1",
        {},
        "has no draw of documents, and .* does not say how its documents were drawn: labels of documents that",
    ),
    ("item-0,IRQ,1", {"design": "picked"}, "no design 'picked' in imports of labels"),
    ("item-99,IRQ,1", {"design": "simple"}, r"line 2 labels document 'item-99', but no document of the store has this"),
    ("item-7,IRQ,1", {"design": "simple"}, "it was left out of the store: no actor"),
    ("item-0,XYZ,1", {"design": "simple"}, "line 2: no actor 'XYZ' in the store"),
    ("item-0,IRQ,1\nitem-1,NATO,1", {"design": "simple"}, "line 2 and later lines have no label of NATO in 'item-0'"),
    ("item-0,IRQ,1", {"design": "simple", "actors": ["NATO"]}, "line 2: no actor 'IRQ' in the question; it has NATO"),
    ("item-0,IRQ,1", {"design": "simple", "coder": ""}, "coder must be a name of 1 to 60"),
    ("item-0,IRQ,1", {"design": "simple", "question": ""}, "question must be a text"),
    (
        "item-0,IRQ,1\nitem-0,Iraq,1",
        {"design": "simple"},
        "line 2: an actor is named twice in 'item-0', by code and by title",
    ),
]


def test_wrong_labels_leave_the_store_as_it_was(store: EventStore, tmp_path: Path) -> None:
    for rows, options, message in WRONG:
        path = written(tmp_path, f"document,actor,label\n{rows}\n")
        with pytest.raises(InputError, match=message):
            import_labels(store, path, **{"coder": "anna", **options})
        assert find_labelling(store) is None


def test_a_file_that_does_not_say_who_labelled(store: EventStore, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="line 2 does not name its coder; name one"):
        import_labels(store, written(tmp_path, csv_of(["item-0"])), design="simple")


def test_chances_that_cannot_be_those_of_this_store(store: EventStore, tmp_path: Path) -> None:
    """Ten documents with a chance of 0.001 each would stand for 10,000, and the store has 20."""
    path = written(tmp_path, csv_of(ids_of(store)[:10], more=",0.001"))
    with pytest.raises(InputError, match="does not fit the store: inclusion says that there are 10,000 documents"):
        import_labels(store, path, coder="anna")
    assert find_labelling(store) is None


def test_only_some_chances(store: EventStore, tmp_path: Path) -> None:
    path = written(tmp_path, "document,actor,label,inclusion\nitem-0,IRQ,1,0.5\nitem-1,IRQ,1,\n")
    with pytest.raises(
        InputError, match="line 3: inclusion is missing; give the inclusion probability of each document"
    ):
        import_labels(store, path, coder="anna")


def test_labels_of_what_was_not_drawn(tmp_path: Path) -> None:
    with drawn_store(tmp_path / "a.duckdb", 12) as store:
        drawn = set(reading_order(store))
        ids = dict(store.ask("SELECT document, id FROM documents"))
        other = next(name for number, name in ids.items() if number not in drawn)
        mine = ids[reading_order(store)[0]]
        with pytest.raises(InputError, match=f"line 2 labels document '{other}', which was not drawn in the store"):
            import_labels(store, written(tmp_path, csv_of([other])), coder="anna")
        with pytest.raises(InputError, match="design, actors and question were set when documents were drawn"):
            import_labels(store, written(tmp_path, csv_of([mine])), coder="anna", design="simple")
        wrong = f"document,actor,label,stratum\n{mine},IRQ,1,other\n{mine},NATO,1,other\n"
        with pytest.raises(InputError, match=f"the stratum of '{mine}' is .* in the store, and 'other' in the file"):
            import_labels(store, written(tmp_path, wrong), coder="anna")
        assert current_answers(store) == []


def test_a_store_open_for_reading(store: EventStore, tmp_path: Path) -> None:
    path = written(tmp_path, csv_of(["item-0", "item-1"]))
    store.close()
    with EventStore.open(store.path) as reading, pytest.raises(InputError, match="open for reading only"):
        import_labels(reading, path, coder="anna", design="simple")


# As Label Studio exports a project with <Choices name="label" toName="text" choice="multiple">.
TASKS: list[dict[str, Any]] = [
    {
        "id": 101,
        "data": {"text": "Iraq attacked.", "document": "item-0"},
        "project": 1,
        "annotations": [
            {
                "id": 1,
                "completed_by": 7,
                "was_cancelled": False,
                "ground_truth": False,
                "lead_time": 4.2,
                "result": [
                    {
                        "value": {"choices": ["IRQ", "NATO"]},
                        "id": "x",
                        "from_name": "label",
                        "to_name": "text",
                        "type": "choices",
                        "origin": "manual",
                    }
                ],
            },
            {"id": 2, "completed_by": {"id": 8, "email": "bob@example.org"}, "was_cancelled": False, "result": []},
        ],
        "predictions": [],
    },
    {
        "id": 102,
        "data": {"text": "?", "document": "item-1"},
        "annotations": [{"id": 3, "completed_by": 7, "was_cancelled": True, "result": []}],
    },
]
Read = tuple[str, str | None, dict[str, bool], bool, bool]  # document, coder, says, closed, unclear
BOTH = {"IRQ": True, "NATO": True}
LISTED = {"IRQ": False, "NATO": False}


KNOWN: dict[str, tuple[str, list[Read]]] = {
    "our csv": (
        "document,actor,label,coder\nitem-0,IRQ,1,anna\nitem-0,NATO,0,anna\nitem-1,IRQ,unclear,anna\n\n",
        [("item-0", "anna", {**LISTED, "IRQ": True}, False, False), ("item-1", "anna", {"IRQ": False}, False, True)],
    ),
    "a spreadsheet's csv": (
        "\ufeffdocument;date;actor;label\r\nitem-0;2001-01-01;IRQ;1.0\r\n",
        [("item-0", None, {"IRQ": True}, False, False)],
    ),
    "label studio": (
        json.dumps(TASKS),
        [
            ("item-0", "7", BOTH, True, False),
            ("item-0", "bob@example.org", {}, True, False),
            ("item-1", "7", {}, True, True),
        ],
    ),
}


@pytest.mark.parametrize("what", KNOWN)
def test_a_file_is_read_as_its_tool_wrote_it(what: str, tmp_path: Path) -> None:
    content, expected = KNOWN[what]
    path = tmp_path / "labels"
    path.write_text(content, encoding="utf-8", newline="")
    answers = read_labels(path)
    assert [
        (answer.document, answer.coder, answer.says, answer.closed, answer.unclear) for answer in answers
    ] == expected


def chosen(*values: Any) -> str:
    """A task, answered by these values, each to a question of its own."""
    result = [{"type": "choices", "from_name": str(at), "value": value} for at, value in enumerate(values)]
    return json.dumps([{"data": {"document": "a"}, "annotations": [{"completed_by": 1, "result": result}]}])


@pytest.mark.parametrize(
    ("choice", "expected"), [("NATO", ({"NATO": True}, False)), ("Nobody", ({}, False)), (" unsure ", ({}, True))]
)
def test_choices_that_name_no_actor(choice: str, expected: tuple[dict[str, bool], bool], tmp_path: Path) -> None:
    (tmp_path / "labels").write_text(chosen({"choices": [choice]}))
    (answer,) = read_labels(tmp_path / "labels")
    assert (answer.says, answer.unclear) == expected


def test_two_labels_in_words_need_the_positive_one(tmp_path: Path) -> None:
    rows = ["a,IRQ,Ja", "a,NATO,Nein", "b,IRQ,unclear", "b,NATO,unclear", "c,IRQ,Nein", "c,NATO,Ja"]
    path = written(tmp_path, "\n".join(["document,actor,label", *rows, ""]))
    with pytest.raises(InputError, match="Name the label that counts as 1: pos_label='Ja' or pos_label='Nein'"):
        read_labels(path)
    answers = {answer.document: answer for answer in read_labels(path, pos_label="Ja")}
    assert answers["a"].says == {"IRQ": True, "NATO": False}
    assert answers["b"].unclear
    assert answers["c"].says == {"IRQ": False, "NATO": True}
    path = written(tmp_path, "\n".join(["document,actor,label", *rows, "d,IRQ,vielleicht", ""]))
    with pytest.raises(InputError, match=r"must have two different values.*If 'vielleicht' means .*, write unclear"):
        read_labels(path, pos_label="Ja")
    with pytest.raises(InputError, match="differ only in case or spaces"):
        read_labels(written(tmp_path, "document,actor,label\na,IRQ,Ja\na,NATO,ja\n"), pos_label="Ja")


def test_documents_without_labels_are_drawn_but_not_answered(store: EventStore, tmp_path: Path) -> None:
    names = ids_of(store)
    path = written(
        tmp_path, csv_of(names[:4]) + "".join(f"{name},{actor},\n" for name in names[4:6] for actor in ACTORS)
    )
    report = import_labels(store, path, coder="anna", design="simple")
    assert str(report) == "4 answers to 4 documents by anna; 2 documents not labelled yet"
    assert (len(settled_labels(store).documents), settled_labels(store).drawn) == (4, 6)
    with pytest.raises(
        InputError, match="a document must be labelled for all actors or for none; a is labelled for some only"
    ):
        read_labels(written(tmp_path, "document,actor,label\na,IRQ,1\na,NATO,\n"))
    with pytest.raises(
        InputError, match=r"it is 'unklar'\. If 'unklar' means that the text leaves it open, write unclear"
    ):
        read_labels(written(tmp_path, "document,actor,label\na,IRQ,1\nb,IRQ,unklar\n"))
