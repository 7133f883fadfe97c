"""JSON that is read strictly: UTF-8, whole characters, and where asked for a name once and finite numbers."""

from __future__ import annotations

import pytest

from howsure.files.opened import is_version, parsed_json


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (b'"a\xed\xa0\x80"', "it is not UTF-8 text: byte 3 is 0xed"),
        (b'"\xff"', "it is not UTF-8 text: byte 2 is 0xff"),
        ('"é'.encode()[:-1], "it ends inside a character"),
        ('"é"'.encode("utf-16"), "it is not UTF-8 text: byte 1 is 0xff"),
        (b'"\\ud800"', "it holds half a character"),
        ('"\ud800"', "it holds half a character"),
        (b'{"a": "\\udfff"}', "it holds half a character"),
        (b"[" * 100_000, "it is nested too deeply"),
        (None, "it is a NoneType, not a text"),
    ],
)
def test_what_is_no_json(text: object, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        parsed_json(text)  # type: ignore[arg-type]


def test_what_is_json() -> None:
    assert parsed_json('{"Łódź": "\\ud83d\\ude00"}'.encode()) == {"Łódź": "😀"}
    assert parsed_json('{"a": 1, "a": 2}') == {"a": 2}


@pytest.mark.parametrize("text", ['{"a": 1, "a": 2}', "[NaN]", "[-Infinity]"])
def test_what_the_standard_does_not_allow(text: str) -> None:
    with pytest.raises(ValueError, match="it holds"):
        parsed_json(text, strict=True)


def test_true_is_no_version() -> None:
    assert is_version(1, 1, 2)
    assert not any(is_version(value, 1, 2) for value in (True, 1.0, "1", None, 3))
