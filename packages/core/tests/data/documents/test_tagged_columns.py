"""Words and tags in columns as corpora publish them, against sentences and tags written by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from howsure.data import read_documents, read_tagged
from howsure.data.documents.entities import detect_scheme, entities_in, strict_entities
from howsure.data.documents.read_documents import document_items, is_plain
from howsure.errors import InputError
from howsure.scores.score_table import score_table

ADA = [("Ada", "Byron", "sang"), ("In", "Rome")]
NAMES = [("B-PER", "I-PER", "O"), ("O", "B-LOC")]
PUBLISHED = {
    "two columns, spaces": ("Ada B-PER\nByron I-PER\nsang O\n\nIn O\nRome B-LOC\n", None),
    "CoNLL-2003": (
        "-DOCSTART- -X- O O\n\nAda NNP I-NP B-PER\nByron NNP I-NP I-PER\nsang VBD I-VP O\n\n"
        "-DOCSTART- -X- O O\n\nIn IN I-PP O\nRome NNP I-NP B-LOC\n",
        None,
    ),
    "WNUT17, a lone tab": ("Ada\tB-PER\nByron\tI-PER\nsang\tO\n\t\nIn\tO\nRome\tB-LOC\n\t\n", None),
    "GermEval, inner names last": (
        "#\thttp://example.org\t[2009-10-17]\t\n1\tAda\tB-PER\tO\n2\tByron\tI-PER\tB-PER\n3\tsang\tO\tO\n\n"
        "#\tother\t[2009-10-18]\t\n1\tIn\tO\tO\n2\tRome\tB-LOC\tO\n",
        3,
    ),
    "CoNLL-U Plus": (
        "# global.columns = FORM CONLL:NER LEMMA\nAda\tB-PER\tAda\nByron\tI-PER\tByron\nsang\tO\tsing\n\n"
        "In\tO\tin\nRome\tB-LOC\tRome\n",
        None,
    ),
    "outer names before few inner ones": (
        "Ada\tB-PER\tB-PER\nByron\tI-PER\tO\nsang\tO\tO\n\nIn\tO\tO\nRome\tB-LOC\tO\n",
        2,
    ),
    "tags among attributes of CoNLL-U": (
        "# text = Ada Byron sang\n1\tAda\t_\tX\t_\t_\t0\troot\t_\tname=B-PER|SpaceAfter=No\n"
        "2\tByron\t_\tX\t_\t_\t1\tflat\t_\tname=I-PER\n3\tsang\t_\tX\t_\t_\t1\tdep\t_\tname=O\n\n"
        "1-2\tInRome\t_\t_\t_\t_\t_\t_\t_\tname=O\n1\tIn\t_\tX\t_\t_\t0\troot\t_\tname=O\n"
        "2\tRome\t_\tX\t_\t_\t1\tdep\t_\tname=B-LOC\n",
        None,
    ),
    "headings": ("<HEADLINE>\t\n\t\nAda\tB-PER\nByron\tI-PER\nsang\tO\n<BODY>\t\nIn\tO\nRome\tB-LOC\n", None),
    "names of columns, numbers of sentences": (
        "sentence\tword\tner_tag\n7\tAda\tB-PER\n7\tByron\tI-PER\n7\tsang\tO\n8\tIn\tO\n8\tRome\tB-LOC\n",
        None,
    ),
    "numbered words, three columns": ("1\tAda\tB-PER\n2\tByron\tI-PER\n3\tsang\tO\n\n1\tIn\tO\n2\tRome\tB-LOC\n", None),
    "line ends of Windows, byte order mark": (
        "\ufeffAda B-PER\r\nByron I-PER\r\nsang O\r\n\r\nIn O\r\nRome B-LOC\r\n\r\n",
        None,
    ),
}


@pytest.mark.parametrize("published", PUBLISHED)
def test_sentences_and_tags(published: str, tmp_path: Path) -> None:
    text, column = PUBLISHED[published]
    path = tmp_path / "names.conll"
    path.write_text(text, encoding="utf-8", newline="")
    assert read_tagged(path, column=column) == (ADA, NAMES)
    assert document_items(path, column=column).items == [list(tags) for tags in NAMES]
    assert not is_plain(path)


def test_documents_and_columns_are_reported(tmp_path: Path) -> None:
    path = tmp_path / "names.testa"  # CoNLL-2002 and 2003 end so
    path.write_text(PUBLISHED["CoNLL-2003"][0])
    read_items = document_items(path)
    assert (read_items.documents, read_items.columns) == ([0, 1], "4 columns separated by spaces: word 1, tag 4 (BIO)")
    (document,) = read_documents(path)
    assert document.metadata == {"columns": read_items.columns}
    path.write_text(PUBLISHED["GermEval, inner names last"][0])
    columns = (
        "4 columns separated by tabs: word 2, tag 4 (BIO); column 3 has tags of the same types; 2 comments skipped"
    )
    assert document_items(path).columns == columns
    path.write_text(PUBLISHED["headings"][0])
    skipped = "2 headings such as <HEADLINE> skipped"
    assert document_items(path).columns == f"2 columns separated by tabs: word 1, tag 2 (BIO); {skipped}"
    path.write_text("Ada\tB-PER\tO\nByron\tI-PER\tO\nRome\tB-LOC\tB-LOC\n")  # a model's tags after the correct ones
    assert document_items(path).items == [["O", "O", "B-LOC"]]


def test_sentences_of_one_word_are_not_numbers_of_sentences(tmp_path: Path) -> None:
    path = tmp_path / "names.conll"
    for first in 0, 1:
        numbers = [str(first), f"{first + 1}"]
        path.write_text(
            "".join(f"{numbers[0]}\t{word}\tX\tO\n\n" for word in ("Yes", "Well"))
            + (f"{numbers[0]}\tAda\tX\tB-PER\n{numbers[1]}\tsang\tX\tO\n")
        )
        assert read_tagged(path)[1] == [("O",), ("O",), ("B-PER", "O")]


def test_a_word_without_tag_is_no_heading(tmp_path: Path) -> None:
    path = tmp_path / "names.conll"
    path.write_text("In\tO\n<unk>\nRome\tB-LOC\n")
    with pytest.raises(InputError, match=r"line 2 .* no tab"):
        read_tagged(path)


def test_what_is_not_in_columns(tmp_path: Path) -> None:
    path = tmp_path / "text.txt"
    path.write_text("Ada sang.\nShe sang well.\nAll of it.\n")
    assert is_plain(path)
    assert document_items(path).columns is None
    path.write_text("Ada B-PER\nsang O\nBy ron I-PER\n")
    with pytest.raises(InputError, match=r"line 3 .*: a line must be a word, a space and its tag, .* 3 columns"):
        read_tagged(path)
    for column in 1, 3:
        with pytest.raises(InputError, match=f"column must be from 2 to 2, .*; it is {column}"):
            read_tagged(path, column=column)


@pytest.mark.parametrize(
    ("tags", "scheme", "lenient", "strict"),
    [
        ("B-X I-X O I-Y", "BIO", "0-2X 3-4Y", "0-2X"),
        ("B-X I-Y I-Y O", "BIO", "0-1X 1-3Y", "0-1X"),
        ("I-X I-X B-X O I-Y", "IOB1", "0-2X 2-3X 4-5Y", "0-2X 2-3X 4-5Y"),
        ("B-X I-X E-X S-Y B-X", "BIOES", "0-3X 3-4Y 4-5X", "0-3X 3-4Y"),
        ("B-X I-X L-X U-Y I-X", "BILOU", "0-3X 3-4Y 4-5X", "0-3X 3-4Y"),
        ("I-X E-X E-Y I-X", "IOE2", "0-2X 2-3Y 3-4X", "0-2X 2-3Y"),
    ],
)
def test_lenient_and_strict_entities(tags: str, scheme: str, lenient: str, strict: str) -> None:
    """As seqeval 1.2.2 finds them, which was compared on 8,150 sequences of up to four tags, without a difference."""
    sentence = tags.split()
    assert detect_scheme([sentence]) == scheme
    for entities, expected in ((entities_in(sentence), lenient), (strict_entities(sentence, scheme), strict)):
        assert " ".join(f"{start}-{stop}{type_}" for start, stop, type_ in entities) == expected


def test_strict_scores_name_their_scheme() -> None:
    gold = [["B-X", "I-X", "O"], ["O", "B-Y", "O"]] * 10
    predicted = [["B-X", "I-X", "O"], ["O", "I-Y", "O"]] * 10  # lenient: all right; strict: half are found
    table = score_table(
        y_true=gold, prediction=predicted, metrics=["entity_f1", "strict_entity_f1", "strict_entity_recall"]
    )
    assert [row.mean.value for row in table] == pytest.approx([1.0, 2 / 3, 1 / 2])
    assert table.recipe["strict_entity_f1"] == "chunks:strict|scheme:BIO"
    with pytest.raises(InputError, match="labels must be in BIO, like the true labels; they contain 'E-X'"):
        score_table(y_true=gold, prediction=[["B-X", "E-X", "O"]] * 20, metrics="strict_entity_f1")


ONE_SENTENCE = "Ada {fill}B-PER\nsang {fill}O\n\n"


@pytest.mark.parametrize(
    ("comment", "fill"),
    [("# id 5239 domain=en", "_ _ "), ("# id X", "_ "), ("# x", ""), ("# id 5239 in another number of cells", "")],
)
def test_comments_with_as_many_cells_as_words(comment: str, fill: str, tmp_path: Path) -> None:
    path = tmp_path / "names.conll"
    path.write_text(f"{comment}\n{ONE_SENTENCE.format(fill=fill)}" * 2)
    assert read_tagged(path) == ([("Ada", "sang")] * 2, [("B-PER", "O")] * 2)
    (document,) = read_documents(path, format="columns")
    assert document.metadata["columns"].endswith("(BIO); 2 comments skipped")


@pytest.mark.parametrize(
    ("text", "words", "hashes"),
    [
        (
            "# O\nAda B-PER\nsang O\n\n",
            ("#", "Ada", "sang"),
            "; 1 line with # at the beginning of a sentence read as words",
        ),
        ("Ada B-PER\n# x\nsang O\n\n", ("Ada", "#", "sang"), ""),
        ("#ada O\nsang O\n\n", ("#ada", "sang"), ""),
        ("# x\n# y\n\n", ("#", "#"), "; 1 line with # at the beginning of a sentence read as words"),
    ],
    ids=["a known tag", "inside a sentence", "a hashtag", "no other tags"],
)
def test_hashes_that_are_words(text: str, words: tuple[str, ...], hashes: str, tmp_path: Path) -> None:
    path = tmp_path / "names.conll"
    path.write_text(text)
    (document,) = read_documents(path, format="columns")
    assert document.sentences[0].words == words
    assert "".join(document.metadata["columns"].partition(";")[1:]) == hashes
