"""Files as Label Studio's converter (label-studio-sdk 2.1.2) and doccano 1.8.4 wrote them, of texts that we made up.

Two annotators; actors, "none" and "unclear" as labels; an annotation without a choice; documents that nobody read.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from howsure.errors import InputError
from howsure.events.labels.answers import answers_of
from howsure.events.labels.import_labels import import_labels
from howsure.events.labels.label_files import read_labels
from tests.events.labels.labelled_stores import store_to_label

# item-3 was skipped by annotator 1, item-6 by all; item-5 has no annotation.
STUDIO_CSV = """\
"annotation_id","annotator","created_at","date","document","id","label","lead_time","text","title","updated_at"
2,"2","2026-11-20T10:02:00Z","2001-01-01","item-1",1,"IRQ",4.5,"Norland, says the paper,
attacked Sudmark; ""at dawn"".","A ""quoted"" title","2026-11-20T10:02:30Z"
1,"1","2026-11-20T10:01:00Z","2001-01-01","item-1",1,"{""choices"":[""IRQ"",""NATO""]}",4.5,"Norland, says the paper,
attacked Sudmark; ""at dawn"".","A ""quoted"" title","2026-11-20T10:01:30Z"
4,"2","2026-11-20T10:04:00Z","2001-01-01","item-2",2,"none",4.5,"Nobody came.","A title","2026-11-20T10:04:30Z"
3,"1","2026-11-20T10:03:00Z","2001-01-01","item-2",2,"",4.5,"Nobody came.","A title","2026-11-20T10:03:30Z"
6,"2","2026-11-20T10:06:00Z","2001-01-01","item-3",3,"unclear",4.5,"Whose ship?","A title","2026-11-20T10:06:30Z"
7,"anna@example.org","2026-11-20T10:07:00Z","2001-01-01","item-4",4,"NATO",4.5,"Östland.","","2026-11-20T10:07:30Z"
"","","","2001-01-01","item-5",5,"","","Not read yet.","A title",""
"""
STUDIO_TSV = """\
"annotation_id"\t"annotator"\t"date"\t"document"\t"id"\t"label"\t"lead_time"\t"text"
1\t"1"\t"2001-01-01"\t"item-1"\t1\t"{""choices"":[""IRQ"",""NATO""]}"\t4.5\t"Norland, says the paper,
attacked Sudmark; ""at dawn""."
""\t""\t"2001-01-01"\t"item-5"\t5\t""\t""\t"Not read yet, they say, at all, by anyone."
"""
STUDIO_MIN = [
    {"document": "item-1", "text": "Norland attacked.", "id": 1, "label": "IRQ", "annotator": 2, "annotation_id": 2,
     "created_at": "2026-11-20T10:02:00Z", "updated_at": "2026-11-20T10:02:30Z", "lead_time": 4.5},
    {"document": "item-1", "text": "Norland attacked.", "id": 1, "label": {"choices": ["IRQ", "NATO"]}, "annotator": 1,
     "annotation_id": 1, "created_at": "2026-11-20T10:01:00Z", "updated_at": "2026-11-20T10:01:30Z", "lead_time": 4.5},
    {"document": "item-2", "text": "Nobody came.", "id": 2, "label": "none", "annotator": 2, "annotation_id": 4,
     "created_at": "2026-11-20T10:04:00Z", "updated_at": "2026-11-20T10:04:30Z", "lead_time": 4.5},
    {"document": "item-2", "text": "Nobody came.", "id": 2, "annotator": 1, "annotation_id": 3,
     "created_at": "2026-11-20T10:03:00Z", "updated_at": "2026-11-20T10:03:30Z", "lead_time": 4.5},
    {"document": "item-3", "text": "Whose ship?", "id": 3, "label": "unclear", "annotator": 2, "annotation_id": 6,
     "created_at": "2026-11-20T10:06:00Z", "updated_at": "2026-11-20T10:06:30Z", "lead_time": 4.5},
    {"document": "item-4", "text": "Östland.", "id": 4, "label": "NATO", "annotator": "anna@example.org",
     "annotation_id": 7, "created_at": "2026-11-20T10:07:00Z", "updated_at": None, "lead_time": 4.5},
    {"document": "item-5", "text": "Not read yet.", "id": 5, "annotator": None, "annotation_id": None,
     "created_at": None, "updated_at": None, "lead_time": None},
]  # fmt: skip
DOCCANO = [
    {"id": 1, "text": 'Norland, says the paper,\nattacked Sudmark; "at dawn".', "document": "item-1",
     "date": "2001-01-01", "title": 'A "quoted" title', "label": ["IRQ", "NATO"], "Comments": []},
    {"id": 2, "text": "Nothing happened.", "document": "item-2", "date": "2001-01-01", "title": "A title",
     "label": ["none"], "Comments": []},
    {"id": 3, "text": "Whose ship?", "document": "item-3", "date": "2001-01-01", "title": "A title",
     "label": ["unclear"], "Comments": ["hard"]},
]  # fmt: skip
UNREAD = {"id": 5, "text": "Not read yet.", "document": "item-5", "label": [], "Comments": []}
DOCCANO_CSV = """\
id,text,document,date,title,label,Comments
1,"Norland, says the paper,
attacked Sudmark; ""at dawn"".",item-1,2001-01-01,"A ""quoted"" title",IRQ#NATO,
2,Nothing happened.,item-2,2001-01-01,A title,none,
3,Whose ship?,item-3,2001-01-01,A title,unclear,hard
"""
UNREAD_ROW = "5,Not read yet.,item-5,2001-01-01,A title,,\n"
FASTTEXT = '"__label__IRQ __label__NATO Norland attacked,\nat dawn. "\n__label__none Nothing happened. \n'

BOTH, ONE, NOBODY = {"IRQ": True, "NATO": True}, {"IRQ": True}, dict[str, bool]()
OF_STUDIO = [
    ("item-1", "2", ONE, False), ("item-1", "1", BOTH, False), ("item-2", "2", NOBODY, False),
    ("item-2", "1", NOBODY, False), ("item-3", "2", NOBODY, True),
    ("item-4", "anna@example.org", {"NATO": True}, False),
]  # fmt: skip
OF_DOCCANO = [("item-1", None, BOTH, False), ("item-2", None, NOBODY, False), ("item-3", None, NOBODY, True)]
RENAMED = [{("actors" if name == "label" else name): value for name, value in one.items()} for one in STUDIO_MIN]
READ = {
    "label studio, csv": (STUDIO_CSV, "label-studio", OF_STUDIO),
    "label studio, tsv": (STUDIO_TSV, "label-studio", [("item-1", "1", BOTH, False)]),
    "label studio, minimal": (json.dumps(STUDIO_MIN, indent=2), "label-studio", OF_STUDIO),
    "label studio, choices named actors": (json.dumps(RENAMED), "label-studio", OF_STUDIO),
    "doccano, json": (json.dumps(DOCCANO), "doccano", OF_DOCCANO),
    "doccano, json lines": ("".join(json.dumps(one) + "\n" for one in DOCCANO), "doccano", OF_DOCCANO),
    "doccano, csv": (DOCCANO_CSV, "doccano", OF_DOCCANO),
}
REFUSED = {
    "doccano, fasttext": (FASTTEXT, "fastText's format, which has no ids of documents; export JSON lines"),
    "label studio, nothing read": (json.dumps(STUDIO_MIN[-1:]), "holds no answer; nobody labelled its documents"),
    "label studio, other names": (json.dumps(STUDIO_MIN[3:4]), "task 1 must have its choices under the key 'label'"),
}


def written(folder: Path, content: str) -> Path:
    path = folder / "labels"
    path.write_text(content, encoding="utf-8", newline="")
    return path


@pytest.mark.parametrize("what", READ)
def test_what_was_read_counts_and_nothing_else(what: str, tmp_path: Path) -> None:
    content, kind, wanted = READ[what]
    answers, found = read_labels(written(tmp_path, content))
    assert found == kind
    assert [(one.document, one.coder, one.says, one.unclear) for one in answers] == wanted
    assert all(one.closed for one in answers)


@pytest.mark.parametrize("what", REFUSED)
def test_what_holds_no_answers_is_refused(what: str, tmp_path: Path) -> None:
    content, told = REFUSED[what]
    with pytest.raises(InputError, match=told):
        read_labels(written(tmp_path, content))


@pytest.mark.parametrize("content", [STUDIO_CSV, json.dumps(STUDIO_MIN)], ids=["csv", "minimal"])
def test_an_unread_task_does_not_reach_the_store(content: str, tmp_path: Path) -> None:
    with store_to_label(tmp_path / "s.duckdb", documents=20) as store:
        report = import_labels(store, written(tmp_path, content), design="simple")
        ids = dict(store.ask("SELECT document, id FROM documents"))
        assert str(report) == "6 answers to 4 documents by 1, 2, anna@example.org"
        assert sorted((ids[one.document], one.coder, one.acting, one.unclear) for one in answers_of(store)) == [
            ("item-1", "1", ("IRQ", "NATO"), False), ("item-1", "2", ("IRQ",), False), ("item-2", "1", (), False),
            ("item-2", "2", (), False), ("item-3", "2", (), True), ("item-4", "anna@example.org", ("NATO",), False),
        ]  # fmt: skip


@pytest.mark.parametrize("content", [json.dumps([*DOCCANO, UNREAD]), DOCCANO_CSV + UNREAD_ROW], ids=["json", "csv"])
def test_texts_of_doccano_without_a_label_are_told_of(content: str, tmp_path: Path) -> None:
    """They are the same in its export whether somebody approved them or nobody read them."""
    with store_to_label(tmp_path / "s.duckdb", documents=20) as store:
        report = import_labels(store, written(tmp_path, content), coder="anna", design="simple")
        assert (report.format, report.added, report.unlabelled) == ("doccano", 4, 1)
        assert "1 text without a label counted as read, with nobody acting; doccano writes" in str(report)
