"""JSON from files: whatever is wrong with it, however deep it is, is a ValueError."""

from __future__ import annotations

import json
from typing import Any


def parsed_json(text: str | bytes) -> Any:
    """The value of a JSON text.

    >>> parsed_json('{"a": [1, 2]}')
    {'a': [1, 2]}
    >>> parsed_json("[" * 100_000)
    Traceback (most recent call last):
    ValueError: it is nested too deeply
    >>> parsed_json('"\\\\ud800"')
    Traceback (most recent call last):
    ValueError: it holds half a character (a lone surrogate)

    Raises ValueError if the text is no JSON or not in UTF-8, too deep, or holds what is no character.
    """
    try:
        value = json.loads(text)
        if (b"\\u" if isinstance(text, bytes) else "\\u") in text:  # type: ignore[operator]
            json.dumps(value, ensure_ascii=False).encode()
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
    except UnicodeEncodeError as error:
        raise ValueError("it holds half a character (a lone surrogate)") from error
    return value
