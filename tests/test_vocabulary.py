"""Each meaning has one word: every public parameter and every option of a command is in the vocabulary."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from importlib import import_module

import click

from howsure_cli.terminal.output import WORDS, option_name
from tests.cli.walking import commands
from tests.test_results import ROOMS

# Words that mean one thing, and whose option is themselves (`--skip-missing` for skip_missing). Before a word is added:
# does another one mean it already? The tests ask for every parameter and option. (`scores` are what another model gave
# for antecedents or documents; the column of a number per item is `score`.)
PLAIN = """
a accuracy across_files acting actor actors adjust advance after alarms_over all_pairs alone alternative antecedents
arrays assisted assume_no_rare_losses attributes audit ax axis b bad_brackets bad_dates bands batch before better_than
binning bins both_methods bounds bug_compatible by_file by_label c2 candidates category check classes clusters_total
code coder coders column columns condition conditions config content coordinator coreference corpus corrected
correlation cost counts covariates coverage data database dataset date date_format dates decimals decision delta
dependence design dev development difference disagreement documents draw_only draws draws_column drop encoding engine
epochs error estimator event expected experiments explode features fields figure figures file files filters finished
first fixed_effects flips floor folder folds following frequency function grammar group had high host how ignore
independent_rows interval items_total junit k k_best keep keep_answers keys kinds l1 label_ids labelled labels
labels_from language largest_cluster learn left_out levels lexicon likelihood limit logits logprobs loss low
lower_is_better macro map margin max_error max_iterations max_risk max_score members mention mentions method methods
metric metrics min_coverage min_probability min_rate min_rows min_score misplaced missing_score model_version
monte_carlo more most multicalibration n name named names new_name normalise not_worse_than on only only_predicted open
options order other output overdispersion overlap page pairs panels parameters parser part parts pass_at
pass_hat passes path paths penalty pivot place points policy port position_effect posterior posteriors power predicted
probs probs_column progress promise pseudocount_emission pseudocount_transition query question raters raw read_pairs
readings recalibrate recalibration reduce reference regression repeated_spans repeats report require_actor rest result
revision risk roles rows rule runs said sample sample_size sampled samples save scale scores semicolons sentence
sentences sequential series share sharpen show since singletons skip_missing small_groups span spans spool
stages start stemming store stores stories story summary sums surface table tables tag tag_model tag_pairs tagger tags
targets
task temperature test text texts threshold tie title to tolerance top trainer transform transitions two_way unclear
uncorrected unit unknown unknown_tags unseen until verbalised verbose wait weight_of_new weights where whole width
winner words work workers worst write_baseline write_policy y_prob_against y_true_against
"""
OWN = frozenset(PLAIN.split())
GONE = {  # words that meant what another one means
    "label": "y_true",
    "truth": "y_true",
    "prob_b": "against",
    "runs": "run",
    "ids": "id",
    "cells": "groups",
    "by": "model, groups or period",
    "out": "output",
    "seed": "rng",
    "weights": "sample_weight",
    "bins": "n_bins",
}

ANYTHING = {  # whatever a user's features read, another library gives, or any result
    "CRFTagger.fit(sentences)",
    "CRFTagger.untempered(sentences)",
    "CorrectedSeries.columns_beside(series)",
    "scores_from_fastcoref(result)",
    "scores_from_fastcoref(words)",
}
FOREIGN = {"self", "cls"}
SAME: set[str] = {"--bins", "--group", "--metric"}  # options that two words spell


def functions() -> Iterator[tuple[str, object]]:
    """Every public function and public method, by its name."""
    for room in map(import_module, ROOMS):
        for name in room.__all__:
            member = getattr(room, name)
            if inspect.isfunction(member):
                yield name, member
            elif inspect.isclass(member):
                methods = {key: method for key, method in vars(member).items() if inspect.isfunction(method)}
                yield from ((f"{name}.{key}", method) for key, method in methods.items() if not key.startswith("_"))


def test_public_parameters_are_typed_as_what_they_take() -> None:
    """A type checker refuses what the checks would; `Any` is for values that nobody looks into."""
    parameters_by_type = {
        f"{name}({parameter.name})"
        for name, function in functions()
        for parameter in inspect.signature(function).parameters.values()  # type: ignore[arg-type]
        if re.search(r"(?<!\[str, )\bAny\b", str(parameter.annotation)) and parameter.kind is not parameter.VAR_KEYWORD
        if not name.startswith("Files.")  # what rooms ask of a source, already in their own types
    }
    assert parameters_by_type == ANYTHING


def parameters() -> dict[str, list[str]]:
    """The functions that have a parameter, by its name."""
    functions_by_parameter: dict[str, list[str]] = {}
    for name, function in functions():
        for parameter in inspect.signature(function).parameters:  # type: ignore[arg-type]
            if parameter not in FOREIGN:
                functions_by_parameter.setdefault(parameter, []).append(name)
    return functions_by_parameter


def options() -> dict[str, list[str]]:
    """The commands that have an option, by the option."""
    commands_by_option: dict[str, list[str]] = {}
    for name, command in commands().items():
        for parameter in command.params:
            if isinstance(parameter, click.Option):
                commands_by_option.setdefault(parameter.opts[0], []).append(name)
    return commands_by_option


def test_every_parameter_is_a_word() -> None:
    assert {name: where for name, where in parameters().items() if name not in WORDS and name not in OWN} == {}


def test_every_option_spells_a_word() -> None:
    known_options = {option_name(word) for word in (*WORDS, *OWN)}
    assert {option: where for option, where in options().items() if option not in known_options} == {}


def test_no_two_words_have_one_option() -> None:
    spelled: dict[str, list[str]] = {}
    for word in sorted({*WORDS, *OWN}):
        spelled.setdefault(option_name(word), []).append(word)
    assert {option for option, words in spelled.items() if len(words) > 1} <= SAME


def test_no_former_word_comes_back() -> None:
    """A word that meant what another means is neither a parameter nor an option."""
    functions_by_parameter, right = parameters(), {word.option for word in WORDS.values()}
    left = {f"{where}({word})" for word in GONE for where in functions_by_parameter.get(word, [])}
    typed = {f"--{word}" for word in GONE} - right
    left |= {f"{where} {option}" for option in typed for where in options().get(option, [])}
    assert not left


TABLE = ("--where", "--skip-missing", "--missing", "--from", "--encoding")
UTF_8 = "documents with tags or clusters are UTF-8; another encoding is refused with the advice to convert the file"
WITHOUT = {  # options that commands with --from lack, and why
    "look": ({"--where", "--skip-missing", "--missing"}, "it shows the values that these options leave out"),
    "recalibrate apply": ({"--where"}, "it writes every row of the file"),
    "events": ({"--where", "--skip-missing", "--missing"}, "documents are texts, left out with the reason"),
    "sequences": ({"--where", "--skip-missing", "--missing", "--encoding"}, UTF_8),
    "data get": (set(TABLE) - {"--from"}, "--from names a folder of downloaded files"),
}


def test_commands_that_read_tables_have_the_same_options_of_input() -> None:
    lacking = {}
    for name, command in commands().items():
        spelled = {parameter.opts[0] for parameter in command.params if isinstance(parameter, click.Option)}
        if "--from" in spelled:
            exempt = next((without for start, (without, _) in WITHOUT.items() if name.startswith(start)), set())
            lacking[name] = (set(TABLE) - spelled) ^ exempt
    assert {name: options for name, options in lacking.items() if options} == {}
