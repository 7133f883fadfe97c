"""One vocabulary: each meaning has one word in Python, one option, and one help where all commands share it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Word:
    """The option of a parameter. metavar: COL for what names a column. told: its help, where the docstring of the
    function has no line of its own."""

    option: str
    metavar: str | None = None
    told: str = ""


COLUMN = "COL"
WORDS: dict[str, Word] = {
    # roles: what a column is
    "y_true": Word("--target", COLUMN, "Column of the true label."),
    "second": Word("--second", COLUMN, "Column of a second reader's labels."),
    "settled": Word("--settled", COLUMN, "Column of the labels that settle two readings."),
    "y_prob": Word("--prob", COLUMN, "Column of the predicted probability."),
    "prediction": Word("--prediction", COLUMN, "Column of the predicted label."),
    "score": Word("--score", COLUMN, "Column of a number per item."),
    "a": Word("--a", COLUMN, "Column of the first model of each battle."),
    "b": Word("--b", COLUMN, "Column of the other model of each battle."),
    "winner": Word("--winner", COLUMN, "Column of who won each battle."),
    "length": Word("--length", COLUMN, "Column of the length of each answer."),
    "prompt": Word("--prompt", COLUMN),
    "prompt_length": Word("--prompt-length", COLUMN),
    "swapped": Word("--swapped", COLUMN),
    "earlier": Word("--earlier", COLUMN),
    "family": Word("--family", COLUMN),
    "own": Word("--own", "NAME"),
    "categories": Word("--categories", "VALUE,VALUE,…"),
    "model": Word("--model", COLUMN, "Column that names the model of each row."),
    "rater": Word("--rater", COLUMN, "Column of who gave each grade."),
    "judge": Word("--judge", "NAME"),
    "date": Word("--date", COLUMN, "Column of dates."),
    "date_format": Word("--date-format", "FORMAT"),
    "groups": Word("--group", COLUMN, "Column of groups, one row or curve each; several: a,b."),
    "period": Word("--period", COLUMN, "Column of the period of each row."),
    "clusters": Word("--cluster", COLUMN, "Column identifying correlated rows, e.g. the document; several: a,b."),
    "id": Word("--id", COLUMN, "Column identifying the item of each row; several: a,b."),
    "run": Word("--run", COLUMN, "Column of the repeated run of each row."),
    "treated": Word("--treated", COLUMN),
    "after": Word("--after", COLUMN),
    "sample_weight": Word("--weight", COLUMN, "Column of row weights."),
    "strata": Word("--stratum", COLUMN, "Column of strata."),
    "inclusion": Word("--inclusion", COLUMN, "Column of the chance with which a row was drawn."),
    "pos_label": Word("--positive", "VALUE", "Label value treated as positive (default: 1)."),
    # the other model, an earlier result
    "against": Word("--against", "FILE|COL", "The other model: a file with the same columns, or a column."),
    "name": Word("--name", "NAME"),
    "better_than": Word("--better-than", "FILE|COL"),
    "baseline": Word("--baseline", "FILE", "An earlier result of howsure's."),
    # the source
    "missing_values": Word("--missing", "VALUE"),
    "format": Word("--from", "FORMAT"),
    # the question
    "metrics": Word("--metric", "NAME"),
    "method": Word("--method", "METHOD"),
    "interval": Word("--interval", "METHOD"),
    "alternative": Word("--alternative", "SIDE"),
    "level": Word("--level", None, "Level of the intervals."),
    "tolerance": Word("--tolerance", "T"),
    "wait": Word("--wait", "DAYS"),
    "reference": Word("--reference", "DATE"),
    "n_bins": Word("--bins", "N", "Number of bins, instead of a bin size."),
    "bin_size": Word("--bin-size", "N|auto", "Minimum number of pairs per bin; auto: half of n^(2/3)."),
    "n_simulations": Word("--simulations", "N"),
    "n_resamples": Word("--resamples", "N"),
    "rng": Word("--seed", "N", "Seed of what is drawn at random (default: a fresh one)."),
}
WORDS |= {
    "form": Word("--format", None, "Format of the result."),
    "target_class": Word("--class", "NAME", "The class that is meant."),
}
ROLES = tuple(name for name, word in WORDS.items() if word.metavar == COLUMN)


def option_of(parameter: str) -> str:
    """The option of a parameter.

    >>> option_of("groups"), option_of("skip_missing")
    ('--group', '--skip-missing')
    """
    word = WORDS.get(parameter)
    return f"--{parameter.replace('_', '-')}" if word is None else word.option
