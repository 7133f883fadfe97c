"""CoNLL-U with tags put in: cell by cell, only the tags and what is said of them differ."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from howsure.data import read_conllu
from howsure.data.documents.conllu import TAG, UNIVERSAL_TAG, Tagging, tagged_conllu
from howsure.errors import InputError

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

SAID = {"P": ["0.5", "0.25", "1"]}


def test_all_else_stays() -> None:
    taggings = [[Tagging(["V", "R|X", "W W"], SAID)], [Tagging(["N", "O"], {"P": ["0.1", "0.2"]})]]
    wanted = RICH
    for before, after in {
        "\tVB\tMood=Imp": "\tV\tMood=Imp",
        "\tRB\t_\t3\tadvmod\t3:advmod\t_": "\tR|X\t_\t3\tadvmod\t3:advmod\tP=0.25",
        "\tVB\t_\t0": "\tW W\t_\t0",
        "P=0.1|Gloss=do|Top=VB:0.1": "Gloss=do|P=0.5",
        "Plus=1=1": "Plus=1=1|P=1",
        "\tCD\t_\t_\t_\t_\t_": "\tN\t_\t_\t_\t_\tP=0.1",
        "\tNN\t_\t_\t_\t_\t": "\tO\t_\t_\t_\t_\tP=0.2",
    }.items():
        assert wanted.count(before) == 1
        wanted = wanted.replace(before, after)
    assert tagged_conllu(RICH, taggings, replaced=["P", "Top"]) == wanted


def test_several_taggings_of_a_sentence_are_one_document() -> None:
    ranked = [
        [Tagging(list(tags), {}, {"rank": str(rank), "odd comment": "x"}) for rank, tags in enumerate(all_tags)]
        for all_tags in (["abc", "def"], ["gh", "ij", "kl"])
    ]
    found = tagged_conllu(RICH, ranked, column=UNIVERSAL_TAG)
    blocks = found.strip("\n").split("\n\n")
    assert [block.count("# newdoc") + block.count("# newpar") for block in blocks if block.strip()] == [2, 0, 0, 0, 0]
    assert [line for line in blocks[1].split("\n") if line.startswith("#")] == [
        "# global.Entity = eid-etype", "# text = Don't go , Ann", "# text = a second of one key",
        "# rank = 1", "# odd comment = x",
    ]  # fmt: skip
    assert [block.count("1-2\tDon't") for block in blocks if block.strip()] == [1, 1, 0, 0, 0]
    assert found.count("P=0.1|Gloss=do|Top=VB:0.1") == 2


@pytest.mark.parametrize("tag", ["", "a\tb", "a\nb"])
def test_a_tag_that_cannot_stand_there(tag: str) -> None:
    with pytest.raises(InputError, match="a tag must be text without tab and line break"):
        tagged_conllu("1\tw" + "\t_" * 8 + "\n", [[Tagging([tag], {})]])


def test_the_treebank_with_its_own_tags_is_itself(real_data: Path) -> None:
    path = real_data / "ud_english_ewt" / "en_ewt-ud-test.conllu.gz"
    content = gzip.decompress(path.read_bytes()).decode("utf-8")
    sentences = [sentence for document in read_conllu(path) for sentence in document.sentences]
    gold = [[Tagging(sentence.tags or ("_",) * len(sentence), {})] for sentence in sentences]
    assert tagged_conllu(content, gold, column=TAG) == content
