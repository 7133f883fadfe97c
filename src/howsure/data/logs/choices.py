"""Probabilities of the choices of a question, from the log-likelihoods that a model gave to their texts."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

NORMALISATIONS: Mapping[str, Callable[[str], int]] = {"characters": len, "bytes": lambda text: len(text.encode())}
NONE, TOKENS = "none", "tokens"
WAYS = (NONE, *NORMALISATIONS, TOKENS)


def softmax(logits: Sequence[float]) -> list[float]:
    """exp(xᵢ) / Σ exp(xⱼ).

    >>> softmax([0.0, 0.0])
    [0.5, 0.5]
    >>> softmax([-math.inf, -2.0])
    [0.0, 1.0]

    Raises ValueError if one is no number or infinite, or all are minus infinity.
    """
    largest = max(logits)
    if not math.isfinite(largest) or any(math.isnan(one) for one in logits):
        raise ValueError(f"no probabilities follow from {list(logits)}")
    exponentials = [math.exp(one - largest) for one in logits]
    total = math.fsum(exponentials)
    return [one / total for one in exponentials]


def normalised(log_likelihoods: Sequence[float], row: Mapping[str, Any], way: str) -> list[float]:
    """Log-likelihoods per character or byte of the `classes`, or per one of their `tokens`; or as they are ("none").

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
    return [one / length for one, length in zip(log_likelihoods, lengths, strict=True)]
