"""What the library says of its parameters, said of the options of `howsure counts`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from howsure.errors import InputError

WORDS = (
    (r"^y_prob\b", "--prob"),
    (r"\by_prob\b", "the file"),
    (r"^n must", "--labels must"),
    (r"^labels must be 0, 1 or missing", "--target must be 0, 1 or empty"),
    (r"\bis not a value of labels", "is not a value of --target"),
    (r"^bands\b", "the score bands"),
    (r"^(?:strata)\b(?=:| must)", "--stratum"),
    (r"^inclusion\b(?=[ ,])", "--inclusion"),
    (r"^clusters\b(?= must)", "--cluster"),
    (r"^width must", "--width must"),
    (r"\bdate_format\b(?==|(?= must))", "--date-format"),
    (
        r"^the strata of the sample before are not those of these scores\..*$",
        "--more: the strata of its sheet are not those of this file. Use the same --prob, --by, --date and --cluster.",
    ),
    (r"\bcells\['?([^']*?)'?\]", r"--by \1"),
    (r"\bfeatures\['?([^']*?)'?\]", r"--features \1"),
    (r"\bpos_label='([^']*)'", r"--positive \1"),
    (r"\bPass the sample, its strata or inclusion probabilities, or draw", "Pass --stratum or --inclusion, or draw"),
    (r"\bDraw more units, pass fewer bands, or change design\.", "Draw more, or choose another --design."),
    (r"\b(?:howsure\.)?sample_for_labels\b", "howsure counts sample"),
    (r"Leave such rows out with skip_missing=True( \([^)]*\))?\.", r"Give each unit a value, or remove it\1."),
)


def in_options(message: str) -> str:
    """A message of the library in the words of the command line.

    >>> in_options("n must be at most the number of units, 600; it is 5,000.")
    '--labels must be at most the number of units, 600; it is 5,000.'
    """
    for pattern, words in WORDS:
        message = re.sub(pattern, words, message)
    return message


@contextmanager
def speaking_of_options() -> Iterator[None]:
    """Errors of the library in the words of the command line."""
    try:
        yield
    except InputError as error:
        raise InputError(in_options(str(error))) from error
