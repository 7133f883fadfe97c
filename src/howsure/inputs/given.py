"""Ways of giving a model's probabilities: one number per row, several classes, logits, or words that state them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from howsure.errors import GIVEN, Fault, InputError, parameter, shown, way
from howsure.inputs.checks import Column, check_numbers, check_probabilities
from howsure.inputs.classes import LOG_PROBABILITIES, LOGITS, ROUNDING, TOP_LABEL, distributions
from howsure.inputs.pairs import Floats

PROB, PROBS, PROBS_COLUMN, VERBALISED = "prob", "probs", "probs_column", "verbalised"
UNNAMED = "unnamed"  # a log names them
WAYS = (PROB, PROBS, PROBS_COLUMN, LOGITS, LOG_PROBABILITIES, VERBALISED, UNNAMED)
OF_ONE = (PROB, VERBALISED)
RULES = {LOGITS: "must be a finite logit", LOG_PROBABILITIES: "must be a log-probability, at most 0"}


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
        if self.is_one and (self.classes is not None or not self.of_the_likelier):
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
    def is_one(self) -> bool:
        """Whether there is one probability per row, and no classes; of logits, that depends on their column."""
        return self.way in OF_ONE

    @property
    def scale(self) -> str | None:
        """On which scale the probabilities are, "logits" or "logprobs"; None: as they are."""
        return self.way if self.way in RULES else None

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
    if given.scale is None:
        return held
    values = check_numbers(held, name="y_prob")
    row = first_no_score(values, given.scale)
    if row is not None:
        raise no_score(given.scale, repr(float(values[row])), row=row)
    if given.scale == LOGITS:
        return np.asarray(1 / (1 + np.exp(-values)))
    return np.minimum(np.exp(values), 1.0)


def first_no_score(values: Floats, scale: str) -> int | None:
    """The first row that holds no logit or log-probability of one answer."""
    wrong = ~np.isfinite(values) if scale == LOGITS else ~(values <= ROUNDING)
    return int(wrong.argmax()) if wrong.any() else None


def no_score(
    scale: str, value: str, *, name: str = "y_prob", row: int | None = None, place: str | None = None
) -> InputError:
    """The error for a number that is no logit or log-probability."""
    return InputError(Fault(name, RULES[scale], value, row, place))


def _confidences_of(texts: Column) -> Floats:
    from howsure.inputs.stated_confidence import stated_confidence

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
    return distributions(matrix, names, given.scale, name=parameter("y_prob"))
