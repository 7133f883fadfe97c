"""The probabilities of answers among the tokens of a text or a response, or among the choices of a question."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from howsure.data.logs.log_file import listed, mapping, number
from howsure.errors import shown

# Probabilities of the choices of a question, from the log-likelihoods that a model gave to their texts.

NORMALISATIONS: Mapping[str, Callable[[str], int]] = {"characters": len, "bytes": lambda text: len(text.encode())}
NONE, TOKENS = "none", "tokens"
WAYS = (NONE, *NORMALISATIONS, TOKENS)


def softmax(logits: Sequence[float]) -> list[float]:
    """exp(xᵢ) / Σ exp(xⱼ).

    >>> softmax([0.0, 0.0])
    [0.5, 0.5]
    >>> softmax([-math.inf, -2.0])
    [0.0, 1.0]

    Raises ValueError if one is not a number or infinite, or all are minus infinity.
    """
    largest = max(logits)
    exponentials = [math.exp(logit - largest) for logit in logits] if math.isfinite(largest) else [math.nan]
    total = math.fsum(exponentials)
    if math.isnan(total):
        raise ValueError(f"no probabilities can be computed from {list(logits)}")
    return [exponential / total for exponential in exponentials]


def softmax_of_rows(rows: Sequence[Sequence[float] | None]) -> Sequence[Sequence[float] | None]:
    """The softmax of each row; None for a row without numbers.

    >>> softmax_of_rows([[0.0, 0.0], None, [0.0]])
    [[0.5, 0.5], None, [1.0]]

    Raises ValueError as `softmax`.
    """
    if None not in rows and len(set(map(len, rows))) == 1:  # type: ignore[arg-type]
        logits = np.array(rows, dtype=np.float64)
        largest = logits.max(axis=1, keepdims=True, initial=-math.inf)
        if np.isfinite(largest).all():
            exponentials = np.exp(logits - largest)
            totals = np.sort(exponentials, axis=1).sum(axis=1, keepdims=True)  # equal for every order of the choices
            of_rows: list[list[float]] = (exponentials / totals).tolist()
            return of_rows
    return [None if row is None else softmax(row) for row in rows]


def normalised(log_likelihoods: Sequence[float], row: Mapping[str, Any], way: str) -> list[float]:
    """Log-likelihoods of the `classes` per character or byte, or per one of their `tokens`; unchanged for "none".

    Raises ValueError if the row does not say how long they are, or one is empty.
    """
    if way == NONE:
        return list(log_likelihoods)
    if way == TOKENS:
        lengths = row.get("tokens")
    else:
        texts = row.get("classes")
        lengths = None if texts is None else [NORMALISATIONS[way](text) for text in texts]
    if lengths is None:
        raise ValueError(f"the log does not say how many {way} its choices have")
    if 0 in lengths:
        raise ValueError(f"a choice has no {way}")
    return [log_likelihood / length for log_likelihood, length in zip(log_likelihoods, lengths, strict=True)]


# The probabilities of answers where one of them stands among the tokens of a text, each {token, logprob, …}.
#
# Tokens that differ by spaces alone are one answer: their probabilities are added up.

SPACES = " \t\r\n\u2581\u0120\u010a"  # also as tokenisers write them
ROUNDING = 1e-3  # by which a log-probability may lie above 0, and probabilities above 1


def answer_masses(token: Mapping[str, Any], answers: Sequence[str]) -> dict[str, float]:
    """The probabilities of the answers named by a token and its `top_logprobs`.

    >>> token = {"token": "A", "logprob": math.log(0.5), "top_logprobs": [{"token": " A", "logprob": math.log(0.25)}]}
    >>> answer_masses(token, "AB")
    {'A': 0.75}

    Raises ValueError if one has no log-probability, they sum to more than 1, or the token itself has none.
    """
    answers = tuple(answers)  # of letters in one text, "" would be one
    by_token = {str(token["token"]): token_probability(token)}
    for other in listed(token.get("top_logprobs")):
        if isinstance(other, dict) and isinstance(other.get("token"), str):
            by_token[other["token"]] = token_probability(other)
    masses: dict[str, float] = {}
    for text, probability in by_token.items():
        if text.strip(SPACES) in answers and probability > 0:
            masses[text.strip(SPACES)] = masses.get(text.strip(SPACES), 0.0) + probability
    if math.fsum(masses.values()) > 1 + ROUNDING:
        raise ValueError(f"the probabilities of its answers sum to {math.fsum(masses.values()):.6g}")
    if not masses.get(str(token["token"]).strip(SPACES)):
        raise ValueError(f"its answer {token['token']!r} has a probability of 0")
    return masses


def answer_probability(tokens: Sequence[Any], answer: str, answers: Sequence[str]) -> dict[str, Any]:
    """The probability of an answer at its last position, and the log-probabilities of all answers if all are known
    there."""
    at = [token for token in tokens if isinstance(token, dict) and str(token.get("token")).strip(SPACES) == answer]
    if not at:
        return {}
    masses = answer_masses(at[-1], answers)
    log_probabilities = (
        {"log_probabilities": [math.log(masses[answer]) for answer in answers]} if len(masses) == len(answers) else {}
    )
    return {"probability": min(1.0, masses[answer]), **log_probabilities}


def text_probability(tokens: Sequence[Any]) -> dict[str, float]:
    """The probability of the whole text as a separate score, and the number of its tokens."""
    probabilities = [token_probability(token) for token in tokens if isinstance(token, dict)]
    return {"text_probability": math.prod(probabilities), "text_tokens": len(probabilities)} if probabilities else {}


def token_probability(token: Mapping[str, Any]) -> float:
    log_probability = number(token.get("logprob"))
    if log_probability is None or math.isnan(log_probability) or log_probability > ROUNDING:
        raise ValueError(f"logprob must be a number of at most 0; it is {shown(token.get('logprob'))}")
    return math.exp(min(0.0, log_probability))


# The tokens of a response, each {token, logprob, top_logprobs}, as chat, completions and responses hold them.

NO_TOKENS = (
    'it has no logprobs: ask for them, in chat by {"logprobs": true, "top_logprobs": 20}, in responses by '
    '{"include": ["message.output_text.logprobs"]}'
)


def choice_tokens(choice: Mapping[str, Any]) -> list[Any] | None:
    """The tokens of a choice of chat or completions, each {token, logprob, top_logprobs}; None without logprobs, as in
    an empty answer."""
    logprobs_field = choice.get("logprobs")
    if not isinstance(logprobs_field, dict):
        return None
    if "tokens" not in logprobs_field:
        return _check_tokens(listed(logprobs_field.get("content")))
    names, logprobs = listed(logprobs_field["tokens"]), listed(logprobs_field.get("token_logprobs"))
    tops = listed(logprobs_field.get("top_logprobs")) or [None] * len(names)
    if len(names) != len(logprobs) or len(names) != len(tops):
        raise ValueError("its tokens and their logprobs differ in number")
    if logprobs and logprobs[0] is None:
        raise ValueError("it repeats its prompt, whose tokens are not the model's: request it without echo")
    return _check_tokens(
        [
            {
                "token": name,
                "logprob": logprob,
                "top_logprobs": [{"token": k, "logprob": v} for k, v in mapping(top).items()],
            }
            for name, logprob, top in zip(names, logprobs, tops, strict=True)
        ]
    )


def output_tokens(body: Mapping[str, Any]) -> list[Any] | None:
    """The tokens of the text in the output of the responses API; None if the text has no logprobs."""
    parts = [
        part for part_of_output in listed(body.get("output")) for part in listed(mapping(part_of_output).get("content"))
    ]
    texts = [mapping(part) for part in parts if mapping(part).get("type") == "output_text"]
    if texts and not any(listed(text.get("logprobs")) for text in texts):
        return None
    return _check_tokens([token for text in texts for token in listed(text.get("logprobs"))])


def _check_tokens(tokens: list[Any]) -> list[Any]:
    if not all(isinstance(token, dict) and isinstance(token.get("token"), str) for token in tokens):
        raise ValueError("its logprobs must be tokens, each with a logprob")
    return tokens
