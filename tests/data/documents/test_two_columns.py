"""Two columns: words and tags; and labelled texts."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from howsure.data import read_labelled_texts, read_sentence_index, read_tagged, write_tagged
from howsure.errors import InputError


def test_a_small_file(tmp_path: Path) -> None:
    path = tmp_path / "small.tsv"
    path.write_text("\n#New York\t^\nis\tV\n\n\n\n \tS\n", encoding="utf-8")
    assert read_tagged(path) == ([("#New York", "is"), (" ",)], [("^", "V"), ("S",)])


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("a\tN\nb", "line 2 of .*: a line must be a word, a tab and its tag, or blank; it has no tab"),
        ("a\tN\nb N", "line 2 .*no tab"),
        ("a\tN\tx\nb", "line 1 .*it has 3 columns"),
        ("\tN", "line 1 .*it has an empty column"),
        ("a\tN\n\nb\t", "line 3 .*it has an empty column"),
    ],
)
def test_a_broken_line_is_named(tmp_path: Path, lines: str, message: str) -> None:
    path = tmp_path / "broken.tsv"
    path.write_text(lines)
    with pytest.raises(InputError, match=message):
        read_tagged(path)


CELL = st.text(st.characters(exclude_characters="\t\r\n", exclude_categories=("Cs",)), min_size=1, max_size=5)
PAIRS = st.lists(st.lists(st.tuples(CELL, CELL), min_size=1, max_size=4), min_size=1, max_size=4)


@settings(max_examples=40)
@given(PAIRS.filter(lambda pairs: not pairs[0][0][0].startswith("\ufeff")))  # at the start it is a byte order mark
def test_what_is_written_is_read(tmp_path_factory: pytest.TempPathFactory, pairs: list) -> None:
    path = tmp_path_factory.mktemp("written") / "some.tsv"
    sentences = [tuple(word for word, _ in sentence) for sentence in pairs]
    tags = [tuple(tag for _, tag in sentence) for sentence in pairs]
    write_tagged(iter(sentences), iter(tags), path)
    assert read_tagged(path) == (sentences, tags)


@pytest.mark.parametrize(
    ("sentences", "tags", "message"),
    [
        ([["a"]], [], "there must be tags for every sentence; 1 sentences, 0 of tags"),
        ([["a"], ["b"]], [["N"], ["N", "V"]], "sentence 1 has 1 words and 2 tags"),
        ([[]], [[]], "sentence 0 has 0 words and 0 tags"),
        ([["a\tb"]], [["N"]], "without tab and line break; sentence 0 has 'a\\\\tb'"),
        ([["a"]], [[""]], "sentence 0 has ''"),
        ([["a"]], [[1]], "must be text .*; sentence 0 has 1"),
        ([["\ud800"]], [["N"]], "sentence 0 has '.ud800'"),
        (["ab"], ["NV"], r"sentences must be a list of lists, one per sentence; sentences\[0\] is 'ab'"),
        ([["a", "b"]], ["NV"], r"tags\[0\] is 'NV'"),
        ("a", "N", "sentences is 'a'"),
        ([["a"]], None, "tags is None"),
    ],
)
def test_what_cannot_be_written(tmp_path: Path, sentences: list, tags: list, message: str) -> None:
    with pytest.raises(InputError, match=message):
        write_tagged(sentences, tags, tmp_path / "x.tsv")
    assert list(tmp_path.iterdir()) == []


SENTENCES = [("a", "b"), ("c",), ("d", "e")]


def test_the_document_of_each_sentence(tmp_path: Path) -> None:
    path = tmp_path / "index.tsv"
    path.write_text("sentence\tfile\ttokens\n1\tone\t2\n2\tone\t1\n3\ttwo\t2\n")
    assert read_sentence_index(path, SENTENCES) == ["one", "one", "two"]


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("1\tone\t2\n2\tone\t1\n3\ttwo\t2\n", "line 1 .*the header must be"),
        ("sentence\tfile\ttokens\n1\tone\t2\n", "must have one row per sentence; it has 1 for 3 sentences"),
        ("sentence\tfile\ttokens\n1\tone\t2\n2\tone\t3\n3\ttwo\t2\n", "line 3 .*sentence 2 of 1 words stands here"),
        ("sentence\tfile\ttokens\n1\tone\t2\n3\tone\t1\n2\ttwo\t2\n", "line 3 .*Is it the index of another file"),
    ],
)
def test_an_index_of_other_sentences(tmp_path: Path, lines: str, message: str) -> None:
    path = tmp_path / "index.tsv"
    path.write_text(lines)
    with pytest.raises(InputError, match=message):
        read_sentence_index(path, SENTENCES)


def test_labelled_texts(tmp_path: Path) -> None:
    path = tmp_path / "tweets.jsonl"
    path.write_text('{"text": "so\\u2028good", "label": 1}\n\n{"label": 0, "text": "", "id": 7}\n')
    assert read_labelled_texts(path) == (["so\u2028good", ""], [1, 0])
    assert read_labelled_texts(path, limit=1) == (["so\u2028good"], [1])


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"text": "a", "label": 1', "line 2 .*must be a JSON object; it is none"),
        ("[1]", 'line 2 .*must have a "text"'),
        ('{"text": 3, "label": 1}', 'line 2 .*must have a "text"'),
        ('{"text": "a"}', 'line 2 .*the "label" must be 0 or 1; it is None'),
        ('{"text": "a", "label": 2}', "it is 2"),
        ('{"text": "a", "label": "1"}', "it is '1'"),
        ('{"text": "a", "label": [1]}', r"it is \[1\]"),
        ("[" * 100_000, "line 2 .*must be a JSON object; it is none"),
    ],
)
def test_a_broken_object_is_named(tmp_path: Path, line: str, message: str) -> None:
    path = tmp_path / "tweets.jsonl"
    path.write_text('{"text": "a", "label": 0}\n' + line)
    with pytest.raises(InputError, match=message):
        read_labelled_texts(path)


def test_a_name_in_gz_is_compressed(tmp_path: Path) -> None:
    path = tmp_path / "birds.tsv.gz"
    write_tagged([["birds"]], [["N"]], path)
    assert path.read_bytes()[:2] == b"\x1f\x8b"
    assert read_tagged(path) == ([("birds",)], [("N",)])
