"""Ways of giving a model's probabilities: one number per row, several classes, logits, or words that state them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from howsure.errors import GIVEN, Fault, InputError, parameter, shown, way
from howsure.inputs.checks import Column, as_column, check_probabilities, first_missing, missing, no_number
from howsure.inputs.classes import LOG_PROBABILITIES, LOGITS, ROUNDING, TOP_LABEL, first_fault_in_scores, softmax
from howsure.inputs.pairs import Floats

# The confidence that a text states in words: "I am 85 % sure", "Confidence: 0.85", "8/10". A rule, and no guesses.
#
# Read are a percentage ("85 %", "85 percent"), a part of ten or a hundred ("8/10", "85 out of 100") and a decimal from
# 0 to 1 after or before a word of confidence ("probability: 0.85", "0.85 confident"). A percentage or part counts where
# a word of confidence stands in the same sentence, or where it is alone on its line. A text that states several values,
# a range, a bound ("at least 90 %"), a doubt ("15 % uncertain") or the probability of being wrong is unclear.

NONE, UNCLEAR = "none", "unclear"
START, END = r"(?<![\d.,/])", r"(?!\d|[.,]\d)"
OF_HUNDRED = r"(?:\s*(?:%|percent\b|per\s?cent\b))"
OF_TOTAL = r"(?:\s*(?:/|out\s+of)\s*(?P<total>100|10)(?![\d/%]|[.,]\d|\s*%))"
PART = re.compile(rf"{START}(?P<part>\d+(?:\.\d+)?){END}(?:{OF_HUNDRED}|{OF_TOTAL})", re.IGNORECASE)
CUE = re.compile(r"\b(?:confiden|certain|sure|probab|likel|chance|credence|odds|belie)", re.IGNORECASE)
LABEL = r"\b(?:confidence|probability|certainty|likelihood|chance|credence)\b[^\d\n]{0,30}?"
DECIMAL = rf"{START}(?P<{{name}}>0?\.\d+|[01](?:\.\d*)?){END}(?!{OF_HUNDRED}|\s*/|\s*out\s+of)"
LABELLED = re.compile(LABEL + DECIMAL.format(name="value"), re.IGNORECASE)
BEFORE_LABEL = re.compile(DECIMAL.format(name="value") + r"\s+(?:confident|certain|sure|likely)\b", re.IGNORECASE)
ALONE = re.compile(rf"\W*(?:{DECIMAL.format(name='value')})\W*")
BOUND = re.compile(
    r"(?:at least|at most|more than|less than|greater than|no more than|over|under|above|below|up to|between|from"
    r"|\bnot|n't|[<>≤≥-])\s*(?:an?\s+|about\s+)?$",
    re.IGNORECASE,
)
RANGE = re.compile(r"[\d%]\s*(?:-|–|—|to|and|or)\s*$|^\s*(?:-|–|—|to|or)\s*\d", re.IGNORECASE)
DOUBT = re.compile(r"\b(?:wrong|incorrect|mistaken|false|errs?|error|unsure|uncertain|unlikely|doubt)", re.IGNORECASE)
SENTENCES = re.compile(r"(?<=[.!?;])\s+|\n+")


@lru_cache(maxsize=100_000)
def stated_confidence(text: str) -> float | str:
    """The confidence that a text states, from 0 to 1; or NONE, or UNCLEAR.

    >>> stated_confidence("B. I am 85 % sure."), stated_confidence("Confidence: 0.85"), stated_confidence("8/10")
    (0.85, 0.85, 0.8)
    >>> stated_confidence("B"), stated_confidence("I am 80-90 % sure."), stated_confidence("At least 90 % sure")
    ('none', 'unclear', 'unclear')
    """
    found: set[float | str] = set()
    for sentence in SENTENCES.split(text):
        found |= _stated(sentence)
    if not found:
        return NONE
    value = found.pop()
    return value if not found else UNCLEAR


def _stated(sentence: str) -> set[float | str]:
    """All that one sentence states."""
    cued = CUE.search(sentence) is not None
    found = [
        (match, _value(match)) for match in PART.finditer(sentence)
        if cued or not re.search(r"\w", sentence[: match.start()] + sentence[match.end() :])
    ]  # fmt: skip
    for pattern in (LABELLED, BEFORE_LABEL):
        found += [(match, _decimal(match)) for match in pattern.finditer(sentence)]
    alone = ALONE.fullmatch(sentence)
    if alone is not None and "." in alone["value"]:
        found.append((alone, _decimal(alone)))
    doubtful = bool(found) and DOUBT.search(sentence) is not None
    return {UNCLEAR if doubtful or _is_open(sentence, match) else value for match, value in found}


def _value(match: re.Match[str]) -> float | str:
    share = float(match["part"]) / float(match["total"] or 100)
    return share if share <= 1.0 else UNCLEAR


def _decimal(match: re.Match[str]) -> float | str:
    value = float(match["value"])
    return value if value <= 1.0 else UNCLEAR


def _is_open(sentence: str, match: re.Match[str]) -> bool:
    """Whether what stands beside the number makes it a bound or a range."""
    name = "part" if "part" in match.re.groupindex else "value"
    before, after = sentence[: match.start(name)], sentence[match.end() :]
    return BOUND.search(before) is not None or RANGE.search(before) is not None or RANGE.search(after) is not None


PROB, PROBS, PROBS_COLUMN, VERBALISED = "prob", "probs", "probs_column", "verbalised"
UNNAMED = "unnamed"  # a log names them
WAYS = (PROB, PROBS, PROBS_COLUMN, LOGITS, LOG_PROBABILITIES, VERBALISED, UNNAMED)
OF_ONE = (PROB, VERBALISED)


@dataclass(frozen=True, slots=True)
class Given:
    """How `y_prob` is given, where it is not one probability per row.

    way: "probs", several columns of class probabilities; "probs_column", one column of lists of them; "logits" and
    "logprobs" (log-probabilities), several columns, one of lists, or one number per row; "verbalised", a column of
    texts that state a confidence ("85 % sure"); "prob", one probability per row. values: names of columns with `data`,
    else the values themselves. reduce: with classes, "top-label" (the default), "class-wise", or the name of one class;
    with "prob", selective answers take "top-label": the confidence is then the larger of p and 1 - p.
    classes: their names, in order.

    >>> Given("logits", ["a", "b"]).columns
    ('a', 'b')

    Raises InputError for another way, and for classes where there are none.
    """

    way: str
    values: Any
    reduce: str | None = None
    classes: Sequence[str] | None = None

    def __post_init__(self) -> None:
        if self.way not in WAYS:
            known = ", ".join(map(repr, WAYS[:-1]))
            raise InputError(f"{parameter('way')} must be one of {known}; it is {self.way!r}.")
        if self.way in OF_ONE and (self.classes is not None or not self.of_the_likelier):
            self.refuse_classes()

    @property
    def of_the_likelier(self) -> bool:
        """Whether one probability per row stands for that of the likelier of two labels."""
        return self.way == PROB and self.reduce == TOP_LABEL

    def refuse_classes(self) -> None:
        """Raise InputError for what is asked of several classes, where there is one probability per row."""
        for name in ("reduce", "classes"):
            if getattr(self, name) is not None:
                raise InputError(
                    f"{parameter(name)} is for several classes; with {way(self.way)}, there is one probability per row."
                )

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns.

        Raises InputError if these are no names.
        """
        named = (self.values,) if isinstance(self.values, str) else tuple(self.values)
        if not named or not all(isinstance(one, str) for one in named):
            raise InputError(
                f"with {parameter('data', GIVEN)}, {way(self.way)} must name columns; it is {shown(self.values)}."
            )
        return named


def given_of(y_prob: Any) -> Given:
    """How probabilities are given: names of several columns are those of classes.

    >>> given_of("score").way, given_of(["p_no", "p_yes"]).way
    ('prob', 'probs')
    """
    if isinstance(y_prob, Given):
        return y_prob
    several = isinstance(y_prob, (list, tuple)) and len(y_prob) > 0 and all(isinstance(one, str) for one in y_prob)
    return Given(PROBS if several else PROB, y_prob)


def array_of_given(values: Any) -> Column:
    """A column, or a matrix of the lists in it."""
    held = np.asarray(values)
    if held.dtype.kind == "O" and held.ndim == 1 and len(held) and isinstance(held[0], (list, tuple, np.ndarray)):
        lengths = {len(one) for one in held}
        if len(lengths) > 1:
            raise InputError(f"{parameter('y_prob')} must hold lists of one length; they have {sorted(lengths)[:3]}.")
        return np.stack([np.asarray(one) for one in held])
    return held


def of_one(given: Given, held: Column) -> Floats:
    """One probability per row."""
    if given.way == VERBALISED:
        return _confidences_of(held)
    if given.way not in (LOGITS, LOG_PROBABILITIES):
        return held
    values = check_numbers(held)
    wrong = ~np.isfinite(values) if given.way == LOGITS else ~(values <= ROUNDING)
    if wrong.any():
        row = int(wrong.argmax())
        rule = "must be a finite logit" if given.way == LOGITS else "must be a log-probability, at most 0"
        raise InputError(Fault("y_prob", rule, repr(float(values[row])), row))
    if given.way == LOGITS:
        return np.asarray(1 / (1 + np.exp(-values)))
    return np.minimum(np.exp(values), 1.0)


def check_numbers(column: Any, *, name: str = "y_prob") -> Floats:
    """Numbers as float64, none missing."""
    held = as_column(column, name=name)
    row = first_missing(held)
    if row is not None:
        raise missing(name, row)
    try:
        return held.astype(np.float64)
    except (TypeError, ValueError):
        row = next(row for row, value in enumerate(held) if not hasattr(value, "__float__"))
        raise no_number(name, repr(held[row]), row=row) from None


def _confidences_of(texts: Column) -> Floats:
    found = [stated_confidence("" if one is None else str(one)) for one in texts]
    row = next((row for row, one in enumerate(found) if not isinstance(one, float)), None)
    if row is not None:
        advice = "Leave such rows out first."
        raise InputError(
            Fault("y_prob", "must state one confidence in every row", shown(texts[row]), row, advice=advice)
        )
    return check_probabilities(found)


def classes_of_given(given: Given, held: Column) -> Floats:
    """The probabilities of classes (n, K)."""
    if given.way in (PROBS, PROBS_COLUMN):
        return held
    matrix = np.asarray(held, dtype=np.float64)
    names = tuple(given.classes) if given.classes is not None else tuple(str(one) for one in range(matrix.shape[1]))
    fault = first_fault_in_scores(matrix, names, given.way)
    if fault is not None:
        what = "the logits" if given.way == LOGITS else "log-probabilities"
        raise InputError(f"y_prob must hold {what} of the classes; row {fault[0]} {fault[1]}")
    return softmax(matrix)
