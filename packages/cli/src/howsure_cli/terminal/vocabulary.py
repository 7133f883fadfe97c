"""One vocabulary: each meaning has one word in Python and one option."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Word:
    """The option of a parameter. metavar: COL for what names a column."""

    option: str
    metavar: str | None = None


COLUMN = "COL"
WORDS: dict[str, Word] = {
    # roles: what a column is
    "y_true": Word("--target", COLUMN),
    "second": Word("--second", COLUMN),
    "settled": Word("--settled", COLUMN),
    "y_prob": Word("--prob", COLUMN),
    "prediction": Word("--prediction", COLUMN),
    "score": Word("--score", COLUMN),
    "a": Word("--a", COLUMN),
    "b": Word("--b", COLUMN),
    "winner": Word("--winner", COLUMN),
    "length": Word("--length", COLUMN),
    "prompt": Word("--prompt", COLUMN),
    "prompt_length": Word("--prompt-length", COLUMN),
    "swapped": Word("--swapped", COLUMN),
    "document": Word("--document", COLUMN),
    "field": Word("--field", COLUMN),
    "value": Word("--value", COLUMN),
    "confidence": Word("--confidence", COLUMN),
    "earlier": Word("--earlier", COLUMN),
    "family": Word("--family", COLUMN),
    "own": Word("--own", "NAME"),
    "categories": Word("--categories", "VALUE,VALUE,…"),
    "model": Word("--model", COLUMN),
    "rater": Word("--rater", COLUMN),
    "start": Word("--start", COLUMN),
    "end": Word("--end", COLUMN),
    "category": Word("--category", COLUMN),
    "judge": Word("--judge", "NAME"),
    "date": Word("--date", COLUMN),
    "date_format": Word("--date-format", "FORMAT"),
    "groups": Word("--group", COLUMN),
    "period": Word("--period", COLUMN),
    "clusters": Word("--cluster", COLUMN),
    "id": Word("--id", COLUMN),
    "run": Word("--run", COLUMN),
    "error": Word("--error", COLUMN),
    "cost": Word("--cost", COLUMN),
    "treated": Word("--treated", COLUMN),
    "after": Word("--after", COLUMN),
    "sample_weight": Word("--weight", COLUMN),
    "strata": Word("--stratum", COLUMN),
    "inclusion": Word("--inclusion", COLUMN),
    "pos_label": Word("--positive", "VALUE"),
    # the other model, an earlier result
    "against": Word("--against", "FILE|COL"),
    "name": Word("--name", "NAME"),
    "better_than": Word("--better-than", "FILE|COL"),
    "baseline": Word("--baseline", "FILE"),
    "gold": Word("--gold", "FILE|COL"),
    "compare": Word("--compare", "FIELD=HOW"),
    "choices": Word("--choices", "FIELD=A|B|…"),
    # the source
    "missing_values": Word("--missing", "VALUE"),
    "format": Word("--from", "FORMAT"),
    # the question
    "metrics": Word("--metric", "NAME"),
    "method": Word("--method", "METHOD"),
    "interval": Word("--interval", "METHOD"),
    "alternative": Word("--alternative", "SIDE"),
    "level": Word("--level"),
    "tolerance": Word("--tolerance", "T"),
    "wait": Word("--wait", "DAYS"),
    "reference": Word("--reference", "DATE"),
    "n_bins": Word("--bins", "N"),
    "bin_size": Word("--bin-size", "N|auto"),
    "n_simulations": Word("--simulations", "N"),
    "n_resamples": Word("--resamples", "N"),
    "rng": Word("--seed", "N"),
}
WORDS |= {"form": Word("--format"), "target_class": Word("--class", "NAME")}
ROLES = tuple(name for name, word in WORDS.items() if word.metavar == COLUMN)


def option_name(parameter: str) -> str:
    """The option of a parameter.

    >>> option_name("groups"), option_name("skip_missing")
    ('--group', '--skip-missing')
    """
    word = WORDS.get(parameter)
    return f"--{parameter.replace('_', '-')}" if word is None else word.option
