"""Bytes as text: UTF-8 and nothing else, so that no half of a character comes in; plain words for what is wrong."""

from __future__ import annotations


def decoded(raw: bytes) -> str:
    """The text of bytes.

    >>> decoded("Łódź".encode())
    'Łódź'
    >>> decoded(b"L\xc3")
    Traceback (most recent call last):
    ValueError: it ends inside a character
    >>> decoded(b"a \xed\xa0\x80")
    Traceback (most recent call last):
    ValueError: it is not UTF-8 text (byte 3 is 0xed)

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
    return f"it is not UTF-8 text (byte {error.start + 1:,} is 0x{error.object[error.start]:02x})"
