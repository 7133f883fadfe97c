"""CoNLL-U: a small file read by hand, every broken line, and what is written is read."""

from __future__ import annotations

import gzip
from itertools import groupby
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from howsure.data import Document, Mention, Sentence, read_conllu, read_documents, write_conll2012, write_conllu
from howsure.data.documents.conllu import (
    TAG,
    UNIVERSAL_TAG,
    Tagging,
    blocks_in,
    name_of_document,
    parse_comments,
    tagged_conllu,
)
from howsure.data.documents.entities import parse_entities
from howsure.data.documents.read_documents import document_items, first_documents
from howsure.errors import InputError

SMALL = """\
# newdoc id = first
# global.Entity = eid-etype-infstat
# meta::title = A = B
# sent_id = first-1
# newpar
# text = Don't go, Ann.
1-2\tDon't\t_\t_\t_\t_\t_\t_\t_\t_
1\tDo\tdo\tAUX\tVB\tMood=Imp\t3\taux\t3:aux\t_
2\tn't\tnot\tPART\tRB\t_\t3\tadvmod\t3:advmod\t_
3\tgo\tgo\tVERB\tVB\tMood=Imp\t0\troot\t0:root\tSpaceAfter=No
4\t,\t,\tPUNCT\t,\t_\t3\tpunct\t3:punct\t_
4.1\tyou\tyou\tPRON\tPRP\t_\t_\t_\t3:nsubj\tEntity=(1-person-new)
5\tAnn\tAnn\tPROPN\tNNP\tNumber=Sing\t3\tvocative\t3:vocative\tEntity=(2-person-new)|SpaceAfter=No|X=1
6\t.\t.\tPUNCT\t.\t_\t3\tpunct\t3:punct\t_


# sent_id = first-2
# speaker = Ann
1\tWhy\t_\t_\tWRB\t_\t_\t_\t_\tEntity=(3-_-new
2\tme\t_\t_\tPRP\t_\t_\t_\t_\tEntity=(2-person-giv)3)

# newdoc
# sent_id = x
1\tEnd\tend\tNOUN\t_\t_\t0\troot\t_\tNotSpaceAfter=No
"""


def test_a_small_file(tmp_path: Path) -> None:
    path = tmp_path / "small.conllu"
    path.write_text(SMALL, encoding="utf-8")
    first, last = read_conllu(path)
    contraction, two = first.sentences
    assert (first.name, first.metadata) == ("first", {"title": "A = B"})
    assert contraction.words == ("Do", "n't", "go", ",", "Ann", ".")
    assert contraction.lemmas == ("do", "not", "go", ",", "Ann", ".")
    assert contraction.tags == ("VB", "RB", "VB", ",", "NNP", ".")
    assert contraction.universal_tags == ("AUX", "PART", "VERB", "PUNCT", "PROPN", "PUNCT")
    assert contraction.features == ("Mood=Imp", "_", "Mood=Imp", "_", "Number=Sing", "_")
    assert contraction.heads == (2, 2, -1, 2, 2, 2)
    assert contraction.relations == ("aux", "advmod", "root", "punct", "vocative", "punct")
    assert contraction.spaces == (False, True, False, True, False, True)
    assert contraction.metadata == {"sent_id": "first-1", "newpar": "", "text": "Don't go, Ann."}
    assert (two.lemmas, two.universal_tags, two.features, two.heads, two.relations) == (None,) * 5
    assert two.metadata == {"sent_id": "first-2", "speaker": "Ann"}
    assert first.mentions is not None
    mentions = [(first.words_of(mention), mention.entity, mention.type) for mention in first.mentions]
    assert mentions == [(("Ann",), "2", "person"), (("Why", "me"), "3", None), (("me",), "2", "person")]
    assert (last.name, last.mentions) == ("small-2", ())  # the layout holds for all the file
    assert (last.sentences[0].tags, last.sentences[0].spaces) == (None, (True,))


def test_a_file_without_documents_and_mentions_is_one_document(tmp_path: Path) -> None:
    path = tmp_path / "plain.conllu"
    path.write_text("".join(f"1\tw{i}\t_\t_\tX\t_\t0\troot\t_\t_\n\n" for i in range(3)))
    (document,) = read_conllu(path)
    assert (document.name, len(document.sentences), document.mentions) == ("plain", 3, None)


def test_a_sentence_longer_than_the_tables(tmp_path: Path) -> None:
    n = 1_500
    path = tmp_path / "long.conllu"
    path.write_text("".join(f"{i}\tw\t_\t_\tX\t_\t{i - 1}\tdep\t_\t_\n" for i in range(1, n + 1)))
    ((sentence,),) = (document.sentences for document in read_conllu(path))
    assert (len(sentence), sentence.heads) == (n, tuple(range(-1, n - 1)))


ROW = "1\tgo\tgo\tVERB\tVB\t_\t0\troot\t_\t_"
BROKEN = [
    (ROW.replace("\t_\t_", "\t_"), "line 2 of .*: a word needs 10 columns separated by tabs; it has 9"),
    (ROW.replace("\t", " "), "line 2 of .*: a word needs 10 columns separated by tabs; it has 1"),
    (ROW + "\n" + ROW, "line 3 of .*: words must be numbered 1, 2, 3, …, but '1' is in the place of 2"),
    (ROW + "\n3" + ROW[1:], "line 3 .*'3' is in the place of 2"),
    ("0" + ROW[1:], "line 2 .*'0' is in the place of 1"),
    ("x" + ROW[1:], "line 2 .*'x' is in the place of 1"),
    ("1.1" + ROW[1:], "line 2 .*must have words"),
    ("1-2" + ROW[1:] + "\n" + ROW, "line 2 .*1-2 must span two or more of the 1 words"),
    (ROW + "\n2-3" + ROW[1:] + "\n2" + ROW[1:], "line 3 .*2-3 must span two or more of the 2 words"),
    (ROW.replace("\tgo\tgo", "\t\tgo"), "line 2 .*words and tags must not be empty. Write _"),
    ("1-2" + ROW[1:] + "\n" + ROW + "\n2" + ROW[1:].replace("VB\t", "\t"), "line 4 .*must not be empty"),
    (ROW.replace("\t0\t", "\t2\t"), "line 2 .*head must be 0 .*up to 1; it is '2'"),
    (ROW.replace("\t0\t", "\t-1\t"), "head must be 0 .*it is '-1'"),
    (ROW.replace("\t0\t", "\tx\t"), "head must be 0 .*it is 'x'"),
    (ROW + "\n2" + ROW[1:].replace("\t0\t", "\t_\t"), "line 3 .*head must be 0 .*it is '_'"),
    (ROW.replace("\t0\t", "\t1\t"), "line 2 .*heads of sentence s-1 of broken contain a cycle; they must form a tree"),
    (ROW + "\n2" + ROW[1:].replace("\t0\t", "\t3\t") + "\n3" + ROW[1:].replace("\t0\t", "\t2\t"), "contain a cycle"),
    (
        ROW[:-1] + "Entity=(1",
        r"line 2 .*\(1 is never closed, in sentence s-1 of broken. Entity= brackets must open and",
    ),
    (ROW[:-1] + "Entity=1)", r"1\) closes an entity that was never opened, in sentence s-1"),
    (ROW[:-1] + "Entity=", "is not an entity bracket"),
    (ROW.replace("\t0\t", f"\t{'9' * 5_000}\t"), "head must be 0 .*it is '9999"),
    (ROW.replace("\t0\t", "\t٠\t"), "head must be 0 .*it is '٠'"),
    (f"1-{'9' * 5_000}" + ROW[1:] + "\n" + ROW, "line 2 .*9 must span two or more of the 1 words"),
    ("٣" + ROW[1:], "line 2 .*'٣' is in the place of 1"),
    ("9" * 5_000 + ROW[1:], "line 2 .*999.* is in the place of 1"),
    (ROW[:-1] + "Entity=(1[1/" + "9" * 5_000 + "])", "line 2 .*is out of order, in sentence s-1"),
    # 8, 12 and 10 columns: thirty cells in three lines, and every tenth one is a number
    (
        "\n".join(["\t".join(["1", *"abcdefg"]), "\t".join(["2", "x", "2", *"bcdefghij"]), "3" + ROW[1:]]),
        "line 2 .*a word needs 10 columns separated by tabs; it has 8",
    ),
    (
        "\n".join([ROW, "\t".join(["2", *"abcdefg"]), "\t".join(["x", "y", "3", *"bcdefghij"])]),
        "line 3 .*a word needs 10 columns separated by tabs; it has 8",
    ),
    (ROW + "\n\n# sent_id = s-2", "line 4 .*comments must be directly above their sentence"),
    (ROW + "\n\n# sent_id = s-2\n\n" + ROW, "line 4 .*comments must be directly above their sentence"),
    ("# global.Entity = etype-infstat\n" + ROW, "line 2 .*global.Entity must name the field of the entity, eid or GRP"),
    (ROW + "\n \n" + ROW, "line 3 .*a word needs 10 columns separated by tabs; it has 1"),
    ("\n\n" + ROW[:-1] + "Entity=(1", "line 1 .*comments must be directly above"),
    (ROW + "\n\n\n\n" + ROW[:-1] + "Entity=(1", "line 6 .*never closed, in sentence 2 of broken"),
]


@pytest.mark.parametrize(("lines", "message"), BROKEN)
def test_a_broken_line_is_named(tmp_path: Path, lines: str, message: str) -> None:
    path = tmp_path / "broken.conllu"
    path.write_text(f"# sent_id = s-1\n{lines}\n", encoding="utf-8")
    with pytest.raises(InputError, match=message):
        read_conllu(path)


TEXT = st.text(st.characters(exclude_categories=("Cc", "Cs", "Zs", "Zl", "Zp")), min_size=1, max_size=6)
CELL = TEXT.filter(lambda text: text != "_")


@st.composite
def sentences(draw: st.DrawFn) -> Sentence:
    n = draw(st.integers(1, 5))

    def layer() -> tuple[str, ...] | None:
        return draw(st.none() | st.tuples(*[CELL] * n))

    return Sentence(
        draw(st.tuples(*[TEXT] * n)),
        layer(),
        layer(),
        layer(),
        layer(),
        draw(st.none() | st.tuples(*[st.integers(-1, word - 1) for word in range(n)])),
        layer(),
        draw(st.tuples(*[st.booleans()] * n)),
        {"sent_id": draw(TEXT)},
    )


@st.composite
def documents(draw: st.DrawFn) -> Document:
    drawn = draw(st.lists(sentences(), min_size=1, max_size=3))
    places = [(at, word) for at, sentence in enumerate(drawn) for word in range(len(sentence))]
    chosen = draw(st.lists(st.sampled_from(places), max_size=4, unique=True))
    kind = st.none() | st.sampled_from(["person", "place"])
    mentions = tuple(sorted(Mention(at, word, len(drawn[at]), f"e{word}", draw(kind)) for at, word in chosen))
    annotated = draw(st.booleans())
    return Document(draw(TEXT), tuple(drawn), mentions if annotated else None, {"title": draw(TEXT)})


@pytest.mark.long
@settings(max_examples=15)
@given(st.lists(documents(), min_size=1, max_size=3))
def test_what_is_written_is_read(tmp_path_factory: pytest.TempPathFactory, written: list[Document]) -> None:
    path = tmp_path_factory.mktemp("written") / "some.conllu"
    with_mentions = [document for document in written if document.mentions is not None]
    for some in (with_mentions, [document for document in written if document.mentions is None]):
        if some:
            write_conllu(some, path)
            reread = read_conllu(path)
            assert reread == some
            named = [[(mention.entity, mention.type) for mention in document.mentions or ()] for document in reread]
            assert named == [
                [(mention.entity, mention.type) for mention in document.mentions or ()] for document in some
            ]


WORDS = Sentence(("so", "it", "is"), spaces=(True, True, False))


def test_attributes_of_words_are_written(tmp_path: Path) -> None:
    path = tmp_path / "tagged.conllu"
    document = Document("d", (WORDS, WORDS), (Mention(1, 1, 2, 4),))
    write_conllu([document], path, attributes={"P": [[0.5, 0.25, 1.0], [0, 1, 2]]})
    last = [line.split("\t")[9] for line in path.read_text().splitlines() if line[:1].isdigit()]
    assert last == ["P=0.5", "P=0.25", "P=1.0|SpaceAfter=No", "P=0", "Entity=(4)|P=1", "P=2|SpaceAfter=No"]


# Sentences by blank lines, with the numbers of their lines, and the names of documents.


@given(st.lists(st.sampled_from(["", "", "# a", "1\tx", "2\ty", " "])))
def test_every_line_that_is_not_blank_has_its_number(lines: list[str]) -> None:
    blocks = list(blocks_in(iter(lines)))
    numbered = {first + at: text for first, above, rows in blocks for at, text in enumerate([*above, *rows])}
    assert numbered == {number: text for number, text in enumerate(lines, start=1) if text}
    assert len(blocks) == sum(filled for filled, _ in groupby(lines, key=bool))
    assert all(text.startswith("#") for _, above, _ in blocks for text in above)
    assert not any(rows and rows[0].startswith("#") for _, _, rows in blocks)


def test_comments() -> None:
    assert parse_comments(["# a = b = c", "#d=1", "# d = 2", "# newpar"]) == {"a": "b = c", "d": "2", "newpar": ""}


def test_names_of_documents() -> None:
    assert name_of_document({"newdoc id": "x", "newdoc": ""}, stem="f", number=3) == "x"
    assert name_of_document({"newdoc id": ""}, stem="f", number=3) == "f-3"
    assert name_of_document({"text": "Hm"}, stem="f", number=1) == "f"


# The first documents of a file are the first of all of them.


DOCUMENTS = [
    Document(name, (Sentence(("It", "rains")), Sentence(("Yes",))), (Mention(0, 0, 1, "1"),), {"part": "000"})
    for name in ("a", "b", "c")
]


@pytest.mark.parametrize("write", [write_conllu, write_conll2012])
@pytest.mark.parametrize("limit", [1, 2, 3, 9, None])
def test_they_are_the_first_of_all(write, limit: int | None, tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    write(DOCUMENTS, path)
    everything = read_documents(path)
    assert len(everything) == 3
    assert first_documents(path, limit) == everything[:limit]


def test_what_follows_them_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "x.conllu"
    write_conllu(DOCUMENTS, path)
    path.write_text(path.read_text() + "1\tbroken\n")
    assert [document.name for document in first_documents(path, 2)] == ["a", "b"]


# CoNLL-U with tags put in: cell by cell, only the tags and what is said of them differ.


RICH = """\


# newdoc id = first
# newpar
# global.Entity = eid-etype
# text = Don't go , Ann
# odd comment = with = signs
# text = a second of one key
1-2\tDon't\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No
1\tDo\tdo\tAUX\tVB\tMood=Imp\t3\taux\t3:aux\tP=0.1|Gloss=do|Top=VB:0.1
2\tn't\tnot\tPART\tRB\t_\t3\tadvmod\t3:advmod\t_
3\tgo\tgo\tVERB\tVB\t_\t0\troot\t0:root\tEntity=(1-event)|Plus=1=1
3.1\tyou\tyou\tPRON\tPRP\t_\t_\t_\t3:nsubj\tEntity=(2-person)|P=empty


1\tOne\t_\t_\tCD\t_\t_\t_\t_\t_
2\tword\t_\t_\tNN\t_\t_\t_\t_\t"""

ATTRIBUTES = {"P": ["0.5", "0.25", "1"]}


def test_all_else_stays() -> None:
    taggings = [[Tagging(["V", "R|X", "W W"], ATTRIBUTES)], [Tagging(["N", "O"], {"P": ["0.1", "0.2"]})]]
    expected = RICH
    for before, after in {
        "\tVB\tMood=Imp": "\tV\tMood=Imp",
        "\tRB\t_\t3\tadvmod\t3:advmod\t_": "\tR|X\t_\t3\tadvmod\t3:advmod\tP=0.25",
        "\tVB\t_\t0": "\tW W\t_\t0",
        "P=0.1|Gloss=do|Top=VB:0.1": "Gloss=do|P=0.5",
        "Plus=1=1": "Plus=1=1|P=1",
        "\tCD\t_\t_\t_\t_\t_": "\tN\t_\t_\t_\t_\tP=0.1",
        "\tNN\t_\t_\t_\t_\t": "\tO\t_\t_\t_\t_\tP=0.2",
    }.items():
        assert expected.count(before) == 1
        expected = expected.replace(before, after)
    assert tagged_conllu(RICH, taggings, replaced=["P", "Top"]) == expected


def test_several_taggings_of_a_sentence_are_one_document() -> None:
    ranked = [
        [Tagging(list(tags), {}, {"rank": str(rank), "odd comment": "x"}) for rank, tags in enumerate(all_tags)]
        for all_tags in (["abc", "def"], ["gh", "ij", "kl"])
    ]
    tagged = tagged_conllu(RICH, ranked, column=UNIVERSAL_TAG)
    blocks = tagged.strip("\n").split("\n\n")
    assert [block.count("# newdoc") + block.count("# newpar") for block in blocks if block.strip()] == [2, 0, 0, 0, 0]
    assert [line for line in blocks[1].split("\n") if line.startswith("#")] == [
        "# global.Entity = eid-etype",
        "# text = Don't go , Ann",
        "# text = a second of one key",
        "# rank = 1",
        "# odd comment = x",
    ]
    assert [block.count("1-2\tDon't") for block in blocks if block.strip()] == [1, 1, 0, 0, 0]
    assert tagged.count("P=0.1|Gloss=do|Top=VB:0.1") == 2


def test_the_treebank_with_its_own_tags_is_itself(real_data: Path) -> None:
    path = real_data / "ud_english_ewt" / "en_ewt-ud-test.conllu.gz"
    content = gzip.decompress(path.read_bytes()).decode("utf-8")
    sentences = [sentence for document in read_conllu(path) for sentence in document.sentences]
    gold = [[Tagging(sentence.tags or ("_",) * len(sentence), {})] for sentence in sentences]
    assert tagged_conllu(content, gold, column=TAG) == content


def _items(tmp_path, name, text):
    path = tmp_path / name
    path.write_text(text)
    read_items = document_items(path)
    return read_items.items, read_items.documents


def test_a_line_is_a_text(tmp_path):
    assert _items(tmp_path, "a.txt", "one two\n\nthree\r\n") == (["one two", "", "three"], None)


def test_tags_are_in_the_last_column(tmp_path):
    text = "# newdoc\n# text = Ada sang\nAda\tN\tB-PER\nsang\tV\tO\n\n\nRome\tN\tB-LOC\n\n# newdoc\nIn\tP\tO\n"
    assert _items(tmp_path, "a.conll", text) == ([["B-PER", "O"], ["B-LOC"], ["O"]], [0, 0, 1])
    assert _items(tmp_path, "b.bio", "Ada B-PER\n\nsang O\n\n") == ([["B-PER"], ["O"]], None)


def test_brackets_are_mentions(tmp_path):
    row = "a 0 {} {} N * - - - - * {}\n"
    text = (
        "#begin document (a); part 000\n"
        + row.format(0, "Ada", "(1)")
        + row.format(1, "sang", "-")
        + "\n#end document\n"
    )
    items, documents = _items(tmp_path, "a.conll", text)
    assert documents is None
    assert [parse_entities(item) for item in items] == [[(0, 1, "entity")]]


def test_a_file_of_spacy_has_ents(tmp_path):
    import spacy
    from spacy.tokens import DocBin, Span

    doc = spacy.blank("en")("Ada Byron sang")
    doc.ents = [Span(doc, 0, 2, "PERSON")]
    DocBin(docs=[doc]).to_disk(tmp_path / "gold.spacy")
    read_items = document_items(tmp_path / "gold.spacy")
    (item,) = read_items.items
    assert (parse_entities(item), read_items.documents) == ([(0, 9, "PERSON")], None)
