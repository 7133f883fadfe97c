"""Compute the probabilities of answers from the tokens of a response, or from the choices of a question."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np

from howsure.data.logs.log_file import Columns, is_infinite, listed, mapping, number
from howsure.errors import quote

# Probabilities of the choices of a question, from the log-likelihoods that a model gave to their texts.

NORMALISATIONS: Mapping[str, Callable[[str], int]] = {"characters": len, "bytes": lambda text: len(text.encode())}
NONE, TOKENS = "none", "tokens"
WAYS = (NONE, *NORMALISATIONS, TOKENS)


def softmax(logits: Sequence[float]) -> list[float]:
    """Return exp(xᵢ) / Σ exp(xⱼ) for each logit xᵢ.

    >>> softmax([0.0, 0.0])
    [0.5, 0.5]
    >>> softmax([-math.inf, -2.0])
    [0.0, 1.0]

    Raises ValueError if a logit is NaN or infinity, or all are minus infinity.
    """
    largest = max(logits)
    exponentials = [math.exp(logit - largest) for logit in logits] if math.isfinite(largest) else [math.nan]
    total = math.fsum(exponentials)
    if math.isnan(total):
        raise ValueError(f"no probabilities can be computed from {list(logits)}")
    return [exponential / total for exponential in exponentials]


def softmax_of_rows(rows: Sequence[Sequence[float] | None]) -> Sequence[Sequence[float] | None]:
    """Return the softmax of each row; None for a row without numbers.

    >>> softmax_of_rows([[0.0, 0.0], None, [0.0]])
    [[0.5, 0.5], None, [1.0]]

    Raises ValueError as `softmax`.
    """
    if None not in rows and len(set(map(len, rows))) == 1:  # type: ignore[arg-type]
        logits = np.array(rows, dtype=np.float64)
        largest = logits.max(axis=1, keepdims=True, initial=-math.inf)
        if np.isfinite(largest).all():
            exponentials = np.exp(logits - largest)
            totals = np.sort(exponentials, axis=1).sum(axis=1, keepdims=True)  # in any order of choices
            of_rows: list[list[float]] = (exponentials / totals).tolist()
            return of_rows
    return [None if row is None else softmax(row) for row in rows]


def normalised(log_likelihoods: Sequence[float], row: Mapping[str, Any], way: str) -> list[float]:
    """Divide the choices' log-likelihoods by their lengths in characters, bytes or tokens; "none": unchanged.

    Raises ValueError if the row does not contain the lengths, or if a choice is empty.
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


# Columns that follow from others in each row.

KEYS = ("item", "model", "task", "prompt", "run")


def with_probabilities(columns: Columns, way: str) -> Columns:
    """Return the columns with class probabilities, the most probable class, and whether it is correct.

    Raises ValueError for a row whose probabilities cannot be computed.
    """
    rows = len(next(iter(columns.values())))
    nothing = (None,) * rows
    for name in KEYS:
        if {list, dict} & set(map(type, columns.get(name, ()))):
            wrong = next(value for value in columns[name] if isinstance(value, (list, dict)))
            raise ValueError(f"{name} must be a string or a number; it is {quote(wrong)}")
    classes = columns.get("classes", ())
    if not {str}.issuperset(map(type, chain.from_iterable(filter(None, classes)))):
        wrong = next(name for names in classes for name in names or () if not isinstance(name, str))
        raise ValueError(f"the answer choices of a question must be strings, but one is {quote(wrong)}")
    likelihoods, logits = columns.get("log_probabilities", nothing), columns.get("logits", nothing)
    if likelihoods is not nothing or logits is not nothing:
        lengths = zip(columns.get("classes", nothing), columns.get("tokens", nothing), strict=True)
        if way != NONE:
            likelihoods = tuple(
                None if likelihood is None else normalised(likelihood, {"classes": texts, "tokens": tokens}, way)
                for likelihood, (texts, tokens) in zip(likelihoods, lengths, strict=True)
            )
        of_rows = _first_values(likelihoods, logits)
        columns["probabilities"] = _first_values(softmax_of_rows(of_rows), columns.get("probabilities", nothing))
    probabilities = columns.get("probabilities", nothing)
    if any(probabilities):
        columns |= _answers(columns, [row if isinstance(row, list) else [] for row in probabilities])
    for name, values in columns.items():
        types = set(map(type, values))
        if types == {float} and all(map(math.isfinite, values)):
            continue
        if bool in types or (float in types and any(map(is_infinite, values))):
            columns[name] = tuple(
                int(value) if isinstance(value, bool) else None if is_infinite(value) else value for value in values
            )
    return columns


def _first_values(values: Sequence[Any], others: Sequence[Any]) -> tuple[Any, ...]:
    """Return values, or the other value of each row without one."""
    if None not in values:
        return tuple(values)
    return tuple(other if value is None else value for value, other in zip(values, others, strict=True))


def _answers(columns: Columns, probabilities: Sequence[list[float]]) -> Columns:
    """Return missing columns that follow from probabilities: the most probable class, its probability, correctness."""
    targets = columns.get("target", (None,) * len(probabilities))
    rights = columns.get("targets") or [() if target is None else (target,) for target in targets]
    best, largest = _likeliest(probabilities)
    answers, probability = columns.get("prediction", best), largest
    if "prediction" in columns:
        probability = [
            row[answer] if answer in range(len(row)) else None
            for row, answer in zip(probabilities, answers, strict=True)
        ]
    correct = [
        int(answer in right) if row and right else None
        for row, answer, right in zip(probabilities, answers, rights, strict=True)
    ]
    added = {"prediction": best, "probability": probability, "correct": correct}
    return {name: tuple(new) for name, new in added.items() if name not in columns and new.count(None) < len(new)}


def _likeliest(rows: Sequence[list[float]]) -> tuple[list[Any], list[Any]]:
    """Return the index and the value of the first largest number in each row; None for a row without numbers."""
    largest: list[Any] = [max(row, default=None) for row in rows]
    return [row.index(value) if row else None for row, value in zip(rows, largest, strict=True)], largest


# The probabilities of answers that are single tokens of a text; each token is {token, logprob, …}. The probabilities of
# tokens that differ only in spaces are added up.

SPACES = " \t\r\n\u2581\u0120\u010a"  # including the characters that tokenisers write for spaces
ROUNDING = 1e-3  # by which a log-probability may exceed 0, and probabilities 1


def answer_masses(token: Mapping[str, Any], answers: Sequence[str]) -> dict[str, float]:
    """Return the probabilities of the answers that occur in a token and its `top_logprobs`.

    >>> token = {"token": "A", "logprob": math.log(0.5), "top_logprobs": [{"token": " A", "logprob": math.log(0.25)}]}
    >>> answer_masses(token, "AB")
    {'A': 0.75}

    Raises ValueError if a token has no log-probability, if probabilities sum to more than 1, or if the token's is 0.
    """
    answers = tuple(answers)  # in a string of letters, "" would count as an answer
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
    """Return the probability of an answer at its last token, and all answers' log-probabilities if known there."""
    at = [token for token in tokens if isinstance(token, dict) and str(token.get("token")).strip(SPACES) == answer]
    if not at:
        return {}
    masses = answer_masses(at[-1], answers)
    log_probabilities = (
        {"log_probabilities": [math.log(masses[answer]) for answer in answers]} if len(masses) == len(answers) else {}
    )
    return {"probability": min(1.0, masses[answer]), **log_probabilities}


def text_probability(tokens: Sequence[Any]) -> dict[str, float]:
    """Return the probability of the whole text as a separate score, and the number of its tokens."""
    probabilities = [token_probability(token) for token in tokens if isinstance(token, dict)]
    return {"text_probability": math.prod(probabilities), "text_tokens": len(probabilities)} if probabilities else {}


def token_probability(token: Mapping[str, Any]) -> float:
    log_probability = number(token.get("logprob"))
    if log_probability is None or math.isnan(log_probability) or log_probability > ROUNDING:
        raise ValueError(f"logprob must be a number of at most 0; it is {quote(token.get('logprob'))}")
    return math.exp(min(0.0, log_probability))


# The tokens of a response, each {token, logprob, top_logprobs}, in the APIs chat, completions and responses.

NO_TOKENS = (
    'it has no logprobs: ask for them, in chat by {"logprobs": true, "top_logprobs": 20}, in responses by '
    '{"include": ["message.output_text.logprobs"]}'
)


def choice_tokens(choice: Mapping[str, Any]) -> list[Any] | None:
    """Return the tokens of a choice of chat or completions; None without logprobs, as in an empty answer."""
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
    """Return the tokens of the text in the output of the responses API; None if the text has no logprobs."""
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
