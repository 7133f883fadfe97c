"""The probability of an answer from the tokens of a generated text, each {token, logprob, top_logprobs}."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from howsure.data.logs.json_values import listed, number

MOST = 1e-3  # of a log-probability, which rounding may lift above 0


def of_answer(tokens: Sequence[Any], answer: str) -> dict[str, float]:
    """The probability of the token that is the answer, the last such; nothing if there is none."""
    at = _place(tokens, answer)
    return {} if at is None else {"probability": math.exp(_number(tokens[at]))}


def of_letters(tokens: Sequence[Any], answer: str, letters: Sequence[str]) -> list[float] | None:
    """The log-probabilities of all letters where the answer stands; None if one of them is not known.

    Tokens that differ by spaces around a letter are added up.
    """
    at = _place(tokens, answer)
    if at is None:
        return None
    masses = dict.fromkeys(letters, 0.0)
    for other in listed(tokens[at].get("top_logprobs")):
        if isinstance(other, dict) and str(other.get("token")).strip() in masses:
            masses[str(other["token"]).strip()] += math.exp(_number(other))
    return [math.log(mass) for mass in masses.values()] if all(masses.values()) else None


def of_text(tokens: Sequence[Any]) -> dict[str, float]:
    """The probability of the whole text, as a score of its own, and the number of its tokens."""
    held = [one for one in tokens if isinstance(one, dict)]
    if not held:
        return {}
    return {"text_probability": math.exp(math.fsum(map(_number, held))), "text_tokens": len(held)}


def _place(tokens: Sequence[Any], answer: str) -> int | None:
    places = [at for at, one in enumerate(tokens) if isinstance(one, dict) and str(one.get("token")).strip() == answer]
    return places[-1] if places else None


def _number(token: dict[str, Any]) -> float:
    found = number(token.get("logprob"))
    if found is None or math.isnan(found) or found > MOST:
        raise ValueError(f"logprob must be a number of at most 0; it is {token.get('logprob')!r:.40}")
    return min(0.0, found)
