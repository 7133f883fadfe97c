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
    "y_prob": Word("--prob", COLUMN, "Column of the predicted probability."),
    "prediction": Word("--prediction", COLUMN, "Column of the predicted label."),
    "score": Word("--score", COLUMN, "Column of a number per item."),
    "model": Word("--model", COLUMN, "Column that names the model of each row."),
    "groups": Word("--group", COLUMN, "Column of groups, one row or curve each; several: a,b."),
    "period": Word("--period", COLUMN, "Column of the period of each row."),
    "clusters": Word("--cluster", COLUMN, "Column identifying correlated rows, e.g. the document; several: a,b."),
    "id": Word("--id", COLUMN, "Column identifying the item of each row; several: a,b."),
    "run": Word("--run", COLUMN, "Column of the repeated run of each row."),
    "sample_weight": Word("--weight", COLUMN, "Column of row weights."),
    "strata": Word("--stratum", COLUMN, "Column of strata."),
    "pos_label": Word("--positive", "VALUE", "Label value treated as positive (default: 1)."),
    # the other model, an earlier result
    "against": Word("--against", "FILE|COL", "The other model: a file with the same columns, or a column."),
    "baseline": Word("--baseline", "FILE", "An earlier result of howsure's."),
    # the source
    "missing_values": Word("--missing", "VALUE"),
    "format": Word("--from", "FORMAT"),
    # the question
    "level": Word("--level", None, "Level of the intervals."),
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


# Words that mean one thing, and whose option is themselves (`--skip-missing` for skip_missing). Before a word is added:
# does another one mean it already? tests/test_vocabulary.py asks for every parameter and option.
PLAIN = """
a accuracy across_files acting actor actors adjust advance after alarms_over all_pairs alone alternative antecedents
arrays assisted attributes ax axis b bad_brackets bad_dates bands batch before better_than binning bins both_methods
bounds bug_compatible by_file c2 category check classes code coder coders column columns condition conditions config
content coreference corpus corrected coverage data database dataset date date_format dates decimals decision delta
dependence design dev development difference disagreement document documents draw_only draws draws_column drop engine
epochs estimator event executor experiments export features fields figure figures file files filters finished first
floor folder folds frequency function gold grammar group had high host how ignore inclusion interval junit k k_best
keep keep_answers keys kinds l1 label_ids labelled labels learn left_out lexicon likelihood limit logits logprobs loss
low lower_is_better map margin max_error max_iterations max_risk max_score members mention mentions method methods
metric metrics min_coverage min_probability min_rows min_score misplaced more most multicalibration n name named names
new_name normalise not_worse_than only only_predicted open options other output output_format overdispersion page
pairs panels parameters parser part parts passes path paths penalty place points port posterior posteriors power
predicted probs probs_column progress pseudocount_emission pseudocount_transition query question raw read
recalibration reduce reference repeated_spans repeats report require_actor result revision risk roles rows rule runs
said sample sample_size samples save scheduler scores second sentence sentences series share sharpen show since
singletons skip_missing small_groups spans spelling spool start stemming store stores stories story summary sums table
tables tag tag_pairs tagger tags targets task temperature test text texts threshold title to tolerance top trainer
transform transitions two_way unclear uncorrected unit unknown unknown_tags unseen until verbalised wait wanted
weight_of_new weights where width words work workers write_baseline y_true_against
"""
OWN = frozenset(PLAIN.split())
GONE = {  # words that meant what another one means
    "label": "y_true",
    "truth": "y_true",
    "prob_b": "against",
    "scores": "score",
    "runs": "run",
    "ids": "id",
    "cells": "groups",
    "by": "model, groups or period",
    "out": "output",
    "seed": "rng",
    "weights": "sample_weight",
    "bins": "n_bins",
}
