"""The probabilities of answers where one of them stands among the tokens of a text, each {token, logprob, …}.

Tokens that differ by spaces alone are one answer: their probabilities are added up.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from howsure.data.logs.json_values import listed, number
from howsure.errors import shown

SPACES = " \t\r\n\u2581\u0120\u010a"  # also as tokenisers write them
ROUNDING = 1e-3  # by which a log-probability may lie above 0, and probabilities above 1


def answer_masses(token: Mapping[str, Any], answers: Sequence[str]) -> dict[str, float]:
    """The probabilities of the answers that a token and its `top_logprobs` name.

    >>> token = {"token": "A", "logprob": math.log(0.5), "top_logprobs": [{"token": " A", "logprob": math.log(0.25)}]}
    >>> answer_masses(token, "AB")
    {'A': 0.75}

    Raises ValueError if one has no log-probability, they sum to more than 1, or the token itself has none.
    """
    answers = tuple(answers)  # of letters in one text, "" would be one
    by_token = {str(token["token"]): _probability(token)}
    for other in listed(token.get("top_logprobs")):
        if isinstance(other, dict) and isinstance(other.get("token"), str):
            by_token[other["token"]] = _probability(other)
    masses: dict[str, float] = {}
    for text, probability in by_token.items():
        if text.strip(SPACES) in answers and probability > 0:
            masses[text.strip(SPACES)] = masses.get(text.strip(SPACES), 0.0) + probability
    if math.fsum(masses.values()) > 1 + ROUNDING:
        raise ValueError(f"the probabilities of its answers sum to {math.fsum(masses.values()):.6g}")
    if not masses.get(str(token["token"]).strip(SPACES)):
        raise ValueError(f"its answer {token['token']!r} has a probability of 0")
    return masses


def of_answer(tokens: Sequence[Any], answer: str, answers: Sequence[str]) -> dict[str, Any]:
    """The probability of an answer where it stands last, and the log-probabilities of all if all are known there."""
    at = [one for one in tokens if isinstance(one, dict) and str(one.get("token")).strip(SPACES) == answer]
    if not at:
        return {}
    masses = answer_masses(at[-1], answers)
    known = {"log_probabilities": [math.log(masses[one]) for one in answers]} if len(masses) == len(answers) else {}
    return {"probability": min(1.0, masses[answer]), **known}


def of_text(tokens: Sequence[Any]) -> dict[str, float]:
    """The probability of the whole text, as a score of its own, and the number of its tokens."""
    held = [_probability(one) for one in tokens if isinstance(one, dict)]
    return {"text_probability": math.prod(held), "text_tokens": len(held)} if held else {}


def _probability(token: Mapping[str, Any]) -> float:
    found = number(token.get("logprob"))
    if found is None or math.isnan(found) or found > ROUNDING:
        raise ValueError(f"logprob must be a number of at most 0; it is {shown(token.get('logprob'))}")
    return math.exp(min(0.0, found))
