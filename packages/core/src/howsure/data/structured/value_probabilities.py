"""Compute the probability of a value in a JSON text from the tokens that spell it.

p = exp Σ log p over all tokens that contain a character of the value, including its quotes. A token that also contains
a comma, a key or a blank counts fully, because the model chose it as a whole. Therefore, p tends to be too low. For a
number, the probability of tokens that would continue it after its last digit is subtracted. The probabilities of other
spellings of null are added.

A closed value is one of a few: true, false, or one of the choices of a field. At the token where these values diverge,
`top_logprobs` has the probabilities of several of them. The probabilities of tokens that lead to the same value are
added up, and the sum is divided by the sum over all closed values. The unseen probability is 1 minus the latter sum:
some of it may belong to tokens that also lead to the value, but that `top_logprobs` does not list.
"""

from __future__ import annotations

import json
import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from howsure.data.logs.log_file import listed
from howsure.data.logs.tokens import token_probability
from howsure.errors import quote

CONTINUES_NUMBER = frozenset("0123456789.eE")
LITERALS = ("true", "false", "null")
MAX_SHOWN = 20


@dataclass(frozen=True, slots=True)
class ValueProbability:
    """p: the probability of a value. unseen: 1 minus the sum over all closed values; None for other values."""

    p: float
    unseen: float | None = None


@dataclass(frozen=True, slots=True)
class SpelledTokens:
    """The tokens that spell a text. ends: the end of each token in the text, in bytes of UTF-8."""

    tokens: Sequence[Mapping[str, Any]]
    ends: Sequence[int]
    text: str

    @classmethod
    def of(cls, tokens: Sequence[Mapping[str, Any]], text: str) -> SpelledTokens:
        """Return the tokens of a text; tokens after its end, such as the end of the response, are ignored.

        Raises ValueError if they spell another text.
        """
        content, spelled, ends = text.encode(), bytearray(), []
        for token in tokens:
            spelled += _token_bytes(token)
            ends.append(len(spelled))
        if not spelled.startswith(content) or len(content) not in ends:
            pairs = zip(spelled, content, strict=False)
            same = next((i for i, (a, b) in enumerate(pairs) if a != b), min(len(spelled), len(content)))
            parts = [quote(part[same : same + MAX_SHOWN].decode(errors="replace")) for part in (content, spelled)]
            raise ValueError(
                f"its tokens do not spell its content: from byte {same + 1:,} on, the content is {parts[0]} and the "
                f"tokens are {parts[1]}"
            )
        return cls(tokens, ends, text)

    def covering(self, start: int, end: int) -> tuple[range, int]:
        """Return the indices of the tokens that contain characters from `start` to `end`, and an offset.

        The offset is the number of bytes before `start` in the first of these tokens.
        """
        first_byte = len(self.text[:start].encode())
        last_byte = first_byte + len(self.text[start:end].encode())
        first = bisect_right(self.ends, first_byte)
        last = bisect_left(self.ends, last_byte)
        return range(first, last + 1), first_byte - (self.ends[first - 1] if first else 0)

    def probability(self, start: int, end: int, *, choices: Sequence[str] = ()) -> ValueProbability:
        """The probability of the value from `start` to `end`, which may be one of the JSON texts `choices`.

        Raises ValueError for a token without a probability.
        """
        literal = self.text[start:end]
        is_closed = bool(choices) or literal in ("true", "false")
        positions, offset = self.covering(start, end)
        closed = tuple(dict.fromkeys([*choices, "null"])) if choices else LITERALS
        if literal in closed:
            probabilities = self._closed_probabilities(positions, offset, literal, closed)
            total = math.fsum(probabilities.values())
            if probabilities.get(literal) and is_closed and len(probabilities) > 1:
                return ValueProbability(min(1.0, probabilities[literal] / total), max(0.0, 1.0 - total))
            if probabilities.get(literal):
                return ValueProbability(min(1.0, probabilities[literal]), max(0.0, 1.0 - total) if is_closed else None)
        p = math.prod(token_probability(self.tokens[position]) for position in positions)
        is_number = literal[0] in "-0123456789"
        next_position = positions[-1] + 1
        if is_number and self.ends[positions[-1]] == len(self.text[:end].encode()) and next_position < len(self.tokens):
            p *= 1.0 - min(
                1.0, math.fsum(p_next for text, p_next in _branches(self.tokens[next_position]) if _continues(text))
            )
        return ValueProbability(p)

    def _closed_probabilities(
        self, positions: range, offset: int, value: str, closed: Sequence[str]
    ) -> dict[str, float]:
        """Return the probability of each closed value, from the tokens that spell `value`.

        At each of these tokens, the alternatives after which only one closed value is possible count for that value.
        positions, offset: the result of `covering`. Returns no probability if the tokens spell another value.
        """
        probabilities: dict[str, float] = {}
        p_before, before = 1.0, ""
        prefix = _token_bytes(self.tokens[positions[0]])[:offset].decode(errors="replace")
        for position in positions:
            chosen = str(self.tokens[position]["token"])
            for text, p in _branches(self.tokens[position]):
                spelled = _continuation(text, prefix) if position == positions[0] else before + text
                possible = [] if spelled is None else [choice for choice in closed if _may_become(spelled, choice)]
                if len(possible) == 1:
                    probabilities[possible[0]] = probabilities.get(possible[0], 0.0) + p_before * p
                elif text == chosen and not possible:
                    return {}
            before += chosen[len(prefix) :] if position == positions[0] else chosen
            if probabilities.get(value) and [choice for choice in closed if _may_become(before, choice)] == [value]:
                return probabilities
            p_before *= token_probability(self.tokens[position])
        probabilities[value] = probabilities.get(value, 0.0) + p_before
        return probabilities


def _token_bytes(token: Mapping[str, Any]) -> bytes:
    """The bytes of a token, which may be a part of a character."""
    listed_bytes = token.get("bytes")
    if isinstance(listed_bytes, list):
        try:
            return bytes(listed_bytes)
        except (TypeError, ValueError) as error:
            raise ValueError(
                f"the bytes of a token must be numbers from 0 to 255; they are {quote(listed_bytes)}"
            ) from (error)
    return str(token["token"]).encode()


def _branches(token: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    """The token and its alternatives with their probabilities, each text once."""
    branches = {
        str(other["token"]): token_probability(other)
        for other in listed(token.get("top_logprobs"))
        if isinstance(other, dict) and isinstance(other.get("token"), str)
    }
    branches[str(token["token"])] = token_probability(token)
    yield from branches.items()


def _continuation(text: str, prefix: str) -> str | None:
    """Return the part of a token's text that belongs to a value; None if the token begins unlike the chosen token.

    prefix: the characters before the value in the chosen token. They must be the same in this token, except blanks.
    """
    if text.startswith(prefix):
        return text[len(prefix) :].lstrip() if not prefix.strip() else text[len(prefix) :]
    return None if prefix.strip() else text.lstrip()


def _may_become(spelled: str, value: str) -> bool:
    """Whether a JSON text that begins with the characters `spelled` may continue to spell this value."""
    if value.startswith(spelled):
        return True
    rest = spelled[len(value) :]
    return spelled.startswith(value) and not rest[:1].isalnum()


def _continues(text: str) -> bool:
    return text[:1] in CONTINUES_NUMBER and text != ""


def json_texts(values: Sequence[str]) -> list[str]:
    """Choices as JSON texts."""
    return [json.dumps(value, ensure_ascii=False) for value in values]
