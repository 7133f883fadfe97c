"""Bytes as text: UTF-8 and nothing else, so that no half of a character comes in; plain words for what is wrong."""

from __future__ import annotations

from howsure.errors import InputError


def decoded(raw: bytes) -> str:
    r"""The text of bytes.

    >>> decoded("Łódź".encode())
    'Łódź'
    >>> decoded(b"L\xc3")
    Traceback (most recent call last):
    ValueError: it ends inside a character
    >>> decoded(b"a \xed\xa0\x80")
    Traceback (most recent call last):
    ValueError: it is not UTF-8 text: byte 3 is 0xed

    Raises ValueError naming the byte (from 1), also where it is half a character (a lone surrogate).
    """
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(undecodable(error)) from None


def undecodable(error: UnicodeDecodeError) -> str:
    """What is wrong with bytes that are not UTF-8."""
    if error.reason == "unexpected end of data" and error.end == len(error.object):
        return "it ends inside a character"
    return f"it is not UTF-8 text: byte {error.start + 1:,} is 0x{error.object[error.start]:02x}"


def checked_text(text: str, what: str) -> str:
    r"""A text that someone named or typed, which is UTF-8; in another encoding, Python gives it halves of characters.

    >>> checked_text("p\udcff.csv", "the name of a file")
    Traceback (most recent call last):
    howsure.errors.InputError: the name of a file must be UTF-8 text; it is 'p\udcff.csv'. Rename or rewrite it.

    Raises InputError saying what it is.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        raise InputError(f"{what} must be UTF-8 text; it is {text!r}. Rename or rewrite it.") from None
    return text
