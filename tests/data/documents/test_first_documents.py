"""The first documents of a file are the first of all of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from howsure.data import Document, Mention, Sentence, read_documents, write_conll2012, write_conllu, write_three_columns
from howsure.data.documents.read_documents import first_documents

DOCUMENTS = [
    Document(name, (Sentence(("It", "rains")), Sentence(("Yes",))), (Mention(0, 0, 1, "1"),), {"part": "000"})
    for name in ("a", "b", "c")
]


@pytest.mark.parametrize("write", [write_conllu, write_conll2012, write_three_columns])
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
    assert [one.name for one in first_documents(path, 2)] == ["a", "b"]
