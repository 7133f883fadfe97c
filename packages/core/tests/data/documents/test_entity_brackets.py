"""Brackets of mentions: nesting, crossing, in parts, on empty nodes; and back."""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cli.running import howsure as run

from howsure.data.documents.brackets import BracketError, Brackets, BrokenDocument, LeftOut, bracket_texts, entity_text
from howsure.data.documents.columns import read_conll2012, read_three_columns, three_column_documents
from howsure.data.documents.conllu import read_conllu
from howsure.data.documents.document import Document, Mention, Sentence
from howsure.data.documents.read_documents import BAD_BRACKETS, read_documents
from howsure.errors import InputError
from howsure.files.input_files import Text

Found = list[tuple[int, int, object, str | None]]


def mentions_of(column: Sequence[str], layout: Sequence[str] = ("eid",), *, repeated: bool = False) -> Found:
    brackets = Brackets(layout, repeated=repeated)
    for word, text in enumerate(column):
        if text:
            brackets.read(text, word)
    return [(mention.start, mention.end, mention.entity, mention.type) for mention in brackets.finish()]


GUM = ("eid", "etype", "infstat", "minspan", "link", "identity")
CASES = [
    (["(1)"], ("eid",), False, [(0, 1, "1", None)]),
    (["(1", "", "1)"], ("eid",), False, [(0, 3, "1", None)]),
    (["(1(2", "2)", "1)"], ("eid",), False, [(0, 2, "2", None), (0, 3, "1", None)]),
    (["(1|(2", "2)|1)"], ("eid",), False, [(0, 2, "2", None), (0, 2, "1", None)]),
    (["(1", "(2", "1)", "2)"], ("eid",), False, [(0, 3, "1", None), (1, 4, "2", None)]),
    (["(1", "(1", "1)", "1)"], ("eid",), False, [(0, 4, "1", None), (1, 3, "1", None)]),
    (["(1", "(1)1)"], ("eid",), False, [(0, 2, "1", None), (1, 2, "1", None)]),
    (["(1", "1)(1", "1)"], ("eid",), False, [(0, 2, "1", None), (1, 3, "1", None)]),
    (
        ["(8-person-new-1,2-coref-A._B%2DC(9-place-giv:act-1-ana)", "8)"],
        GUM,
        False,
        [(0, 1, "9", "place"), (0, 2, "8", "person")],
    ),
    (["(7", "7)"], ("etype", "GRP"), False, None),
    (["(person-7", "7)"], ("etype", "GRP"), False, [(0, 2, "7", "person")]),
    (
        ["(person-7-Ann", "person-7-Ann)(place-8)"],
        ("etype", "eid"),
        True,
        [(0, 2, "7", "person"), (1, 2, "8", "place")],
    ),
    (["(7[1/2])", "", "(7[2/2]", "7[2/2])"], ("eid",), False, [(0, 4, "7", None)]),
    (
        ["(7[1/2]-person-new)", "(7-person)", "(7[2/2]-person)"],
        GUM,
        False,
        [(0, 3, "7", "person"), (1, 2, "7", "person")],
    ),
]


@pytest.mark.parametrize(("column", "layout", "repeated", "expected"), CASES)
def test_hand_worked_cases(column: list[str], layout: Sequence[str], repeated: bool, expected: Found | None) -> None:
    if expected is None:
        with pytest.raises(BracketError, match="does not name an entity"):
            mentions_of(column, layout, repeated=repeated)
    else:
        assert mentions_of(column, layout, repeated=repeated) == expected


def test_a_mention_of_empty_nodes_alone_has_no_words() -> None:
    brackets = Brackets()
    brackets.read("(1)", 0, empty=True)
    brackets.read("(2", 0, empty=True)
    brackets.read("2)(3", 2)
    brackets.read("3)", 3, empty=True)
    assert [(mention.start, mention.end, mention.entity) for mention in brackets.finish()] == [(1, 3, "2"), (2, 4, "3")]


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(1, 4), st.integers(0, 3)), max_size=8, unique=True))
def test_what_is_written_is_read(spans: list[tuple[int, int, int]]) -> None:
    mentions = sorted(Mention(0, start, start + length, str(entity)) for start, length, entity in spans)
    document = Document("d", (Sentence(("w",) * 9),), tuple(mentions))
    if any(a.entity == b.entity and a.start < b.start < a.end - 1 < b.end - 1 for a in mentions for b in mentions):
        with pytest.raises(InputError, match="must not cross"):
            bracket_texts(document, entity_text, closing=entity_text)
    else:
        texts = bracket_texts(document, entity_text, closing=entity_text, joint="|")
        mentions_read = mentions_of([texts.get((0, word), "") for word in range(9)])
        assert sorted(mentions_read) == sorted(
            (mention.start, mention.end, mention.entity, None) for mention in mentions
        )


# One broken bracket in a release file: an error that names it, or a document less, counted and named.


def conllu(**brackets: str) -> str:
    parts = []
    for name, misc in brackets.items():
        rows = "".join(
            f"{i}\t{word}\t{word}\tPRON\tPRP\t_\t{i - 1}\tdep\t_\t{cell}\n"
            for i, (word, cell) in enumerate(zip(("she", "sees", "her"), misc.split(), strict=True), start=1)
        )
        parts.append(f"# newdoc id = {name}\n# sent_id = {name}-1\n{rows}\n# sent_id = {name}-2\n{rows}\n")
    return "".join(parts)


def three_columns(**brackets: str) -> str:
    return "".join(
        f"# begin document {name}\n"
        + "".join(f"{i}\tw\t{cell}\n" for i, cell in enumerate(column.split()))
        + "# end document\n"
        for name, column in brackets.items()
    )


def conll2012(**brackets: str) -> str:
    return "".join(
        f"#begin document ({name}); part 000\n"
        + "".join(f"{name}\t0\t{i}\tw\tNN\t*\t-\t-\t-\t-\t*\t{cell}\n" for i, cell in enumerate(column.split()))
        + "\n#end document\n"
        for name, column in brackets.items()
    )


GOOD, OPEN, ALIEN = "Entity=(1) _ Entity=(2)", "Entity=(1 _ Entity=(2)", "Entity=(1) _ Entity=(2|"
FORMS = {
    "conllu": (conllu(road=OPEN, sea=GOOD, hill=ALIEN), read_conllu),
    "three-columns": (three_columns(road="(1 _ (2)", sea="(1) _ (2)", hill="3) _ _"), read_three_columns),
    "conll-2012": (conll2012(road="(1 - (2)", sea="(1) - (2)", hill="(2| - -"), read_conll2012),
}


@pytest.mark.parametrize("form", list(FORMS))
def test_a_document_with_broken_brackets_is_an_error_or_left_out(form: str, tmp_path: Path) -> None:
    content, reader = FORMS[form]
    path = tmp_path / "release.txt.gz"
    path.write_bytes(gzip.compress(content.encode()))
    with pytest.raises(InputError, match=r"line \d+ of .*release\.txt\.gz: .*the bracket \(1 is never closed.*road"):
        read_documents(path)
    with pytest.warns(
        UserWarning,
        match=r"left out 2 of 3 documents, because opening and closing brackets do not match: road, hill\. line",
    ):
        documents = read_documents(path, bad_brackets="leave-out")
    assert [document.name for document in documents] == ["sea"]
    assert documents[0].mentions is not None
    assert {mention.entity for mention in documents[0].mentions} == {"1", "2"}
    left_out: LeftOut = []
    assert [document.name for document in reader(path, left_out=left_out)] == ["sea"]
    assert [dropped.name for dropped in left_out] == ["road", "hill"]
    assert "never closed" in left_out[0].fault


def test_a_file_with_broken_documents_only(tmp_path: Path) -> None:
    path = tmp_path / "x.conllu"
    path.write_text(conllu(road=OPEN, hill=ALIEN))
    with pytest.raises(InputError, match=r"the brackets of every document of .* are broken: line"):
        read_documents(path, bad_brackets="leave-out")
    with pytest.raises(InputError, match="no way 'repair' in bad_brackets; it has error, leave-out"):
        read_documents(path, bad_brackets="repair")
    assert BAD_BRACKETS == ("error", "leave-out")


def test_the_command_line_leaves_out_counts_and_names(tmp_path: Path) -> None:
    gold, predicted = tmp_path / "gold.conllu", tmp_path / "predicted.conllu"
    gold.write_text(conllu(road=OPEN, sea=GOOD, hill=GOOD))
    predicted.write_text(conllu(road=GOOD, sea=GOOD, hill=GOOD))
    refused = run("coreference", "score", gold, predicted)
    assert refused.code == 2
    assert "Leave such documents out with --bad-brackets leave-out." in refused.err
    done = run("coreference", "score", gold, predicted, "--bad-brackets", "leave-out")
    assert done.code == 0
    assert "left out 1 of 3 documents, because opening and closing brackets do not match: road. line" in done.err
    assert "2 documents" in done.out
    out = tmp_path / "posterior.json"
    assert run("coreference", "posterior", gold, "--bad-brackets", "leave-out", "--output", out).code == 0
    assert '"left_out": [\n    "road"\n  ]' in out.read_text()


def test_who_reads_no_mentions_does_not_mind_their_brackets(tmp_path: Path) -> None:
    """Taggers and the counting of events make nothing of Entity=: neither its brackets nor its layout stop them."""
    path, model, store = (tmp_path / name for name in ("release.conllu", "model.npz", "news.duckdb"))
    dated = conllu(road=OPEN, sea=GOOD, hill=ALIEN).replace("# sent_id", "# meta::date = 2001-02-03\n# sent_id", 1)
    path.write_text("# global.Entity = none-known\n" + dated)
    trained = run("sequences", "train", path, "--tagger", "hmm", "--output", model)
    assert (trained.code, trained.err) == (0, "")
    assert run("sequences", "evaluate", model, path).code == 0
    assert run("sequences", "tag", model, path).out.count("Entity=(1 ") == path.read_text().count("Entity=(1 ")
    done = run("events", "extract", path, "--bad-dates", "leave-out", "--store", store, "--workers", "1")
    assert (done.code, done.err) == (0, "")
    assert "1 document" in done.out


def test_two_broken_documents_of_one_name_are_two(tmp_path: Path) -> None:
    """They were counted by their names."""
    path = tmp_path / "x.conllu"
    path.write_text(conllu(road=OPEN, sea=GOOD) + conllu(road=ALIEN))
    with pytest.warns(
        UserWarning, match="left out 2 of 3 documents, because opening and closing brackets do not match: road, road"
    ):
        assert len(read_documents(path, bad_brackets="leave-out")) == 1
    other = tmp_path / "y.conllu"
    other.write_text(conllu(road=OPEN, sea=GOOD))
    done = run("coreference", "score", other, other, "--bad-brackets", "leave-out")
    assert "left out 1 of 2 documents" in done.err


def test_taggers_do_not_mind_brackets_in_columns(tmp_path: Path) -> None:
    """CoNLL-2012 with one broken bracket stopped every command of `sequences`; what is whole is written as it was."""
    path, model = tmp_path / "release.conll", tmp_path / "model.npz"
    path.write_text(FORMS["conll-2012"][0])
    trained = run("sequences", "train", path, "--tagger", "hmm", "--output", model)
    assert (trained.code, trained.err) == (0, "")
    assert run("sequences", "evaluate", model, path).code == 0
    tagged = run("sequences", "tag", model, path)
    assert tagged.code == 0
    assert tagged.out.count("Entity=(") == 2
    assert tagged.out.count("# newdoc id") == 3
    warning = "howsure: 2 of 3 documents have broken brackets and are written without Entity=: road, hill. line "
    assert tagged.err.startswith(warning)
    assert run("sequences", "tag", model, path, "--k-best", 2).err == tagged.err


def test_three_columns_are_read_without_mentions() -> None:
    text = Text("x.txt", FORMS["three-columns"][0])
    broken: list[BrokenDocument] = []
    documents_read = three_column_documents(text, broken, mentions=False)
    assert [parsed.name for parsed in broken] == [parsed.name for parsed in documents_read if parsed.mentions is None]
    assert [document.mentions is None for document in documents_read] == [True, False, True]
    assert [len(document.sentences[0]) for document in documents_read] == [3, 3, 3]
