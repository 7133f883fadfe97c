"""What the library says of its parameters, said of the options of the command line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from howsure.errors import InputError
from howsure.significance.comparison import Comparison

NAMES = "labels|ids|target_class|sample_size|metrics|n_resamples|two_way"
WORDS = (
    (rf"\((?:{NAMES})=?, (?=--)", "("),  # (labels=, --classes …)
    (rf"\b(?:{NAMES}) \((--[a-z-]+)\)", r"\1"),  # labels (--classes)
    (r"\blabels=\[\.\.\.\]", "--classes NAME,NAME,…"),
    (r"\bids=\.\.\.", "--id COL"),
    (r"\bids\b(?= must)", "--id"),
    (r"\bmetrics='(\w+)'", r"--metric \1"),
    (r"\b(method|interval|alternative|adjust)='(\w+)'", r"--\1 \2"),
    (r"\b(method|interval|alternative|adjust)(?= must)", r"--\1"),
    (r"\btwo_way=True\b", "--two-way"),
    (r"\bn_resamples\b", "--resamples"),
    (r"(?<!-)\bsample_size\b", "--sample-size"),
    (r"\btarget_class\b", "--class"),
    (r"\bhowsure\.compare_calibration\b", "howsure calibration compare"),
    (r"\bhowsure\.calibration_error\b", "howsure calibration"),
)


def of_options(said: str, *, target: str = "what is true") -> str:
    """A sentence of the library in the words of the command line; `target` is the column or file of what is true.

    >>> of_options("y_true row 3 holds 'x'. Name the columns in their order: labels=[...].", target="gold")
    "gold row 3 holds 'x'. Name the columns in their order: --classes NAME,NAME,…."
    >>> of_options("two_way=True draws runs as well as items: it needs method='bootstrap' and several runs.")
    '--two-way draws runs as well as items: it needs --method bootstrap and several runs.'
    """
    for pattern, option in WORDS:
        said = re.sub(pattern, option, said)
    return re.sub(r"\by_true\b", lambda _: target, said)


def with_options(result: Comparison, target: str = "what is true") -> Comparison:
    """A comparison whose notes speak of options."""
    return replace(result, notes=tuple(of_options(note, target=target) for note in result.notes))


@contextmanager
def options_named(target: str = "what is true") -> Iterator[None]:
    """An error that names parameters of the library names options."""
    try:
        yield
    except InputError as error:
        said = str(error)
        if (told := of_options(said, target=target)) == said:
            raise
        raise InputError(told) from error
