"""Extract the confidence that an answer states ("I am 85 % sure", "Confidence: 0.85", "8/10") by fixed rules.

Three forms are recognised: a percentage ("85 %", "85 percent"), a fraction of 10 or 100 ("8/10", "85 out of 100"), and
a decimal from 0 to 1 that follows or precedes a word of confidence ("probability: 0.85", "0.85 confident"). A
percentage or fraction counts only if a word of confidence is in the same sentence, or if nothing else is on its line.
An answer is unclear if it states several values, a range, a bound ("at least 90 %"), doubt ("15 % uncertain") or the
probability of being wrong.
"""

from __future__ import annotations

import re
from functools import lru_cache

from howsure.inputs.numbers_and_names import PERCENT, parse_number

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
MONEY = re.compile(r"[€£¥]|\$(?=[^$]*$)")  # a second $ ends a formula in LaTeX
DOUBT = re.compile(r"\b(?:wrong|incorrect|mistaken|false|errs?|error|unsure|uncertain|unlikely|doubt)", re.IGNORECASE)
SENTENCES = re.compile(r"(?<=[.!?;])\s+|\n+")


@lru_cache(maxsize=100_000)
def stated_confidence(text: str) -> float | str:
    """Return the confidence that an answer states, from 0 to 1; "none" if it states none, "unclear" if it is ambiguous.

    >>> stated_confidence("B. I am 85 % sure."), stated_confidence("Confidence: 0.85"), stated_confidence("8/10")
    (0.85, 0.85, 0.8)
    >>> stated_confidence("$0.85$"), stated_confidence("$0.0262")
    (0.85, 'none')
    >>> stated_confidence("B"), stated_confidence("I am 80-90 % sure."), stated_confidence("At least 90 % sure")
    ('none', 'unclear', 'unclear')
    """
    values: set[float | str] = set()
    for sentence in SENTENCES.split(text):
        values |= _stated(sentence)
    if not values:
        return NONE
    value = values.pop()
    return value if not values else UNCLEAR


def states_confidence(text: str) -> bool:
    """Whether an answer states a confidence in words, not only as a number or percentage.

    >>> states_confidence("85 % sure"), states_confidence("85 %"), states_confidence("sure")
    (True, False, False)
    """
    is_number = PERCENT.fullmatch(text) is not None or parse_number(text) is not None
    return not is_number and isinstance(stated_confidence(text), float)


def _stated(sentence: str) -> set[float | str]:
    """Return the distinct confidences that a sentence states; an ambiguous confidence is UNCLEAR."""
    cued = CUE.search(sentence) is not None
    matches = [
        (match, _value(match))
        for match in PART.finditer(sentence)
        if cued or not re.search(r"\w", sentence[: match.start()] + sentence[match.end() :])
    ]
    for pattern in (LABELLED, BEFORE_LABEL):
        matches += [(match, _decimal(match)) for match in pattern.finditer(sentence)]
    alone = ALONE.fullmatch(sentence)
    if alone is not None and not MONEY.match(sentence.strip()) and "." in alone["value"]:
        matches.append((alone, _decimal(alone)))
    doubtful = bool(matches) and DOUBT.search(sentence) is not None
    return {UNCLEAR if doubtful or _is_open(sentence, match) else value for match, value in matches}


def _value(match: re.Match[str]) -> float | str:
    share = float(match["part"]) / float(match["total"] or 100)
    return share if share <= 1.0 else UNCLEAR


def _decimal(match: re.Match[str]) -> float | str:
    value = float(match["value"])
    return value if value <= 1.0 else UNCLEAR


def _is_open(sentence: str, match: re.Match[str]) -> bool:
    """Whether the words before or after a number make it a bound or part of a range."""
    name = "part" if "part" in match.re.groupindex else "value"
    before, after = sentence[: match.start(name)], sentence[match.end() :]
    return BOUND.search(before) is not None or RANGE.search(before) is not None or RANGE.search(after) is not None


def is_stated(value: object) -> bool:
    """Whether a value is a text that states a confidence, in words or as a percentage."""
    return isinstance(value, str) and (states_confidence(value) or PERCENT.fullmatch(value) is not None)
