"""CoNLL-2012, LitBank and three columns, and the door that tells forms apart."""

from __future__ import annotations

from pathlib import Path

from howsure.data import (
    Document,
    Mention,
    Sentence,
    read_conll2012,
    read_documents,
    read_three_columns,
    write_conll2012,
    write_conllu,
    write_tagged,
)

CONLL2012 = """\
#begin document (bn/one); part 000
bn/one  0  0  She  PRP  *  -    -  -  Ann_Lee  *  (3)
bn/one  0  1  saw  VBD  *  see  1  1  Ann_Lee  *  -
bn/one  0  2  her  PRP$ *  -    -  -  Ann_Lee  *  (4|(3)
bn/one  0  3  dog  NN   *  -    -  -  Ann_Lee  *  4)

bn/one  0  0  It   PRP  *  -    -  -  -        *  (4)

#end document
#begin document (bn/one); part 001
bn/one  1  0  Yes  UH   *  -    -  -  -        *  -
#end document
"""
LITBANK = "#begin document (novel); part 0\n" + "".join(
    "\t".join(["novel", "0", str(at), word, *["_"] * 8, coreference]) + "\n"
    for at, (word, coreference) in enumerate([("My", "(1|(0)"), ("old house", ""), ("fell", "1)"), (".", "_")])
)
LITBANK += "\n#end document\n"
THREE = """\
# begin document one
0\tAnn\t(person-1-Ann_(x))
1\tsaw\t_
2\ther\t(animal-2(person-1)
3\tdog\tanimal-2)

# begin document two
0\tYes\t_
"""


def written(folder: Path, content: str) -> Path:
    path = folder / "some.conll"
    path.write_text(content, encoding="utf-8")
    return path


def told(document: Document) -> list[tuple[str, object, str | None]]:
    return [(" ".join(document.words_of(mention)), mention.entity, mention.type) for mention in document.mentions or ()]


def test_conll2012(tmp_path: Path) -> None:
    first, second = read_conll2012(written(tmp_path, CONLL2012))
    assert (first.name, first.metadata, second.name, second.metadata) == (
        "bn/one",
        {"part": "000"},
        "bn/one",
        {"part": "001"},
    )
    assert [sentence.words for sentence in first.sentences] == [("She", "saw", "her", "dog"), ("It",)]
    assert [sentence.tags for sentence in first.sentences] == [("PRP", "VBD", "PRP$", "NN"), ("PRP",)]
    assert [dict(sentence.metadata) for sentence in first.sentences] == [{"speaker": "Ann_Lee"}, {}]
    assert told(first) == [("She", "3", None), ("her", "3", None), ("her dog", "4", None), ("It", "4", None)]
    assert second.mentions == ()


def test_litbank(tmp_path: Path) -> None:
    (novel,) = read_conll2012(written(tmp_path, LITBANK))
    assert novel.sentences == (Sentence(("My", "old house", "fell", ".")),)
    assert told(novel) == [("My", "0", None), ("My old house fell", "1", None)]


def test_three_columns(tmp_path: Path) -> None:
    first, second = read_three_columns(written(tmp_path, THREE.replace("-Ann_(x)", "-Ann")))
    assert (first.name, first.sentences[0].words, second.name, second.mentions) == (
        "one",
        ("Ann", "saw", "her", "dog"),
        "two",
        (),
    )
    assert told(first) == [("Ann", "1", "person"), ("her", "1", "person"), ("her dog", "2", "animal")]
    untyped = written(tmp_path, "0\tAnn\t(1)\n1\tsaw\t(1)\n")
    (plain,) = read_three_columns(untyped)
    assert (plain.name, told(plain)) == ("some", [("Ann", "1", None), ("saw", "1", None)])


WORD = "d\t0\t0\tgo" + "\t-" * 8


DOCUMENT = Document(
    "d",
    (
        Sentence(("She", "saw", "her"), tags=("PRP", "VBD", "PRP"), metadata={"speaker": "Ann"}),
        Sentence(("Her", "dog"), tags=("PRP$", "NN")),
    ),
    (Mention(0, 0, 1, "1"), Mention(0, 2, 3, "1"), Mention(1, 0, 1, "1"), Mention(1, 0, 2, "2")),
    {"part": "000"},
)
SAME = [(mention.entity, mention.type) for mention in DOCUMENT.mentions or ()]


def test_written_columns_are_read_again(tmp_path: Path) -> None:
    path = tmp_path / "x.conll"
    write_conll2012([DOCUMENT], path)
    (copy,) = read_documents(path)
    assert copy == DOCUMENT
    assert [(mention.entity, mention.type) for mention in copy.mentions or ()] == SAME


def test_the_door_tells_forms_apart(tmp_path: Path) -> None:
    assert [document.name for document in read_documents(written(tmp_path, CONLL2012))] == ["bn/one", "bn/one"]
    assert [document.name for document in read_documents(written(tmp_path, LITBANK))] == ["novel"]
    assert [document.name for document in read_documents(written(tmp_path, "0\ta\t_\n1\tb\t_\n"))] == ["some"]
    write_conllu([DOCUMENT], tmp_path / "x.conllu")
    assert [sentence.words for sentence in read_documents(tmp_path / "x.conllu")[0].sentences] == [
        sentence.words for sentence in DOCUMENT.sentences
    ]
    write_tagged([("#a", "#b"), ("c",)], [("#", "#"), ("N",)], tmp_path / "x.tsv")
    (tagged,) = read_documents(tmp_path / "x.tsv")
    assert (tagged.name, tagged.mentions) == ("x", None)
    assert tagged.sentences == (Sentence(("#a", "#b"), tags=("#", "#")), Sentence(("c",), tags=("N",)))
