"""Each meaning has one word: every public parameter and every option of a command is in the vocabulary."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from importlib import import_module

import click

from howsure.cli.terminal.vocabulary import GONE, OWN, WORDS, option_of
from tests.cli.walking import commands
from tests.test_results import ROOMS

FOREIGN = {"self", "cls"}
OPEN: set[str] = {
    "RecalibrationMap.apply_rows(scores)",
    "calibration logits --weights",
    "coreference posterior --scores",
    "coreference predict --scores",
    "coreference recalibrate --scores",
    "corrected_series(scores)",
    "draw_documents(scores)",
    "evaluate_recalibration(bins)",
    "import_events(scores)",
    "posterior_from_scores(scores)",
    "recalibrate(bins)",
    "recalibration_table(bins)",
    "reproduce synthetic --runs",
    "resolve(scores)",
    "write_antecedent_scores(scores)",
}  # former words that are left, with where they are: it only gets shorter
SAME: set[str] = {"--bins", "--group"}  # options that two words spell


def functions() -> Iterator[tuple[str, object]]:
    """Every public function and public method, by its name."""
    for room in map(import_module, ROOMS):
        for name in room.__all__:
            held = getattr(room, name)
            if inspect.isfunction(held):
                yield name, held
            elif inspect.isclass(held):
                methods = {key: one for key, one in vars(held).items() if inspect.isfunction(one)}
                yield from ((f"{name}.{key}", one) for key, one in methods.items() if not key.startswith("_"))


def parameters() -> dict[str, list[str]]:
    """The functions that have a parameter, by its name."""
    found: dict[str, list[str]] = {}
    for name, function in functions():
        for parameter in inspect.signature(function).parameters:  # type: ignore[arg-type]
            if parameter not in FOREIGN:
                found.setdefault(parameter, []).append(name)
    return found


def options() -> dict[str, list[str]]:
    """The commands that have an option, by the option."""
    found: dict[str, list[str]] = {}
    for name, command in commands().items():
        for parameter in command.params:
            if isinstance(parameter, click.Option):
                found.setdefault(parameter.opts[0], []).append(name)
    return found


def test_every_parameter_is_a_word() -> None:
    assert {name: where for name, where in parameters().items() if name not in WORDS and name not in OWN} == {}


def test_every_option_spells_a_word() -> None:
    known = {option_of(word) for word in (*WORDS, *OWN)}
    assert {option: where for option, where in options().items() if option not in known} == {}


def test_no_two_words_have_one_option() -> None:
    spelled: dict[str, list[str]] = {}
    for word in sorted({*WORDS, *OWN}):
        spelled.setdefault(option_of(word), []).append(word)
    assert {option for option, words in spelled.items() if len(words) > 1} <= SAME


def test_no_former_word_comes_back() -> None:
    """A word that meant what another means is no parameter and no option, but where it is still to be renamed."""
    known, right = parameters(), {word.option for word in WORDS.values()}
    left = {f"{where}({word})" for word in GONE for where in known.get(word, [])}
    typed = {f"--{word}" for word in GONE} - right
    left |= {f"{where} {option}" for option in typed for where in options().get(option, [])}
    assert left <= OPEN
