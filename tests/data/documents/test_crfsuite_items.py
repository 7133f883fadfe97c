"""Files of crfsuite: attributes with values, escaped colons, and lines that are wrong."""

from __future__ import annotations

from pathlib import Path

import pycrfsuite
import pytest

from howsure.data.documents.columns import read_attributes
from howsure.errors import InputError


def test_sequences_of_items(tmp_path: Path) -> None:
    path = tmp_path / "items.txt"
    path.write_text("N\tw=dog\tlength:0.5\tw=dog\nV\n\n\n\\:\ta\\:b\\\\:2e-1\tend\\\n", encoding="utf-8")
    items, labels = read_attributes(path)
    assert items == [[{"w=dog": 2.0, "length": 0.5}, {}], [{"a:b\\": 0.2, "end\\": 1.0}]]
    assert labels == [("N", "V"), (":",)]


@pytest.mark.parametrize("attribute", ["w=dog:", "w=dog:x", "a:b:c", "w:inf", "w:nan"])
def test_a_value_must_be_a_number(attribute: str, tmp_path: Path) -> None:
    path = tmp_path / "items.txt"
    path.write_text(f"N\tw=a\n\nN\t{attribute}\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"line 3 of .*items\.txt: what follows a colon"):
        read_attributes(path)


def test_what_crfsuite_reads_is_what_is_read(tmp_path: Path) -> None:
    """A model that crfsuite learnt from the same items has the same attributes."""
    path = tmp_path / "items.txt"
    path.write_text("N\tw=dog\tcolon\\:here:2\nV\tw=runs\tback\\\\slash\n\n" * 3, encoding="utf-8")
    items, labels = read_attributes(path)
    trainer = pycrfsuite.Trainer(verbose=False)
    for one, row in zip(items, labels, strict=True):
        trainer.append(one, row)
    trainer.train(str(tmp_path / "model"))
    tagger = pycrfsuite.Tagger()
    tagger.open(str(tmp_path / "model"))
    assert set(tagger.info().attributes) == {"w=dog", "colon:here", "w=runs", "back\\slash"}


@pytest.mark.parametrize("line", [" ", "\ta", " \ta"])
def test_a_label_must_not_be_blank(line: str, tmp_path: Path) -> None:
    path = tmp_path / "items.txt"
    path.write_text(f"N\ta\n{line}\nV\tb\n")
    with pytest.raises(InputError, match=r"line 2 of .*an item must begin with its label"):
        read_attributes(path)
