"""The public list: a former name says what it is called now, and no function takes more than 15 parameters."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest

import howsure
from tests.test_vocabulary import functions

MOST_PARAMETERS = 15
FORMER_NAMES = (Path(__file__).parent / "former_names.txt").read_text(encoding="utf-8").split()  # of 0.1.0 and 0.2.0
OPEN_ENDED = {  # functions with **options, whose number nobody can count
    *(f"{result}.text" for result in ("CoreferenceScores", "WorstRows")),  # those of `Result.text`
    *(f"Files.{method}" for method in ("dated", "matched", "predictions", "rows", "to_extend")),  # for howsure's rooms
    "load_tagger",  # replaces fields of a saved tagger
}


@pytest.mark.parametrize("name", FORMER_NAMES)
def test_a_former_name_is_there_or_says_the_new_one(name: str) -> None:
    if name in howsure.__all__:
        assert getattr(howsure, name) is not None
        return
    with pytest.raises(AttributeError, match=rf"howsure\.{name} was renamed; use howsure\.\w+") as raised:
        getattr(howsure, name)
    new_names = re.findall(r"howsure\.(\w+)", str(raised.value))[1:]
    assert new_names
    assert set(new_names) <= set(howsure.__all__)


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        (
            "from howsure import compare",
            "howsure.compare was renamed; use howsure.compare_models or howsure.compare_scores",
        ),
        ("import howsure.events", "howsure.events was renamed; use howsure_events"),
        ("from howsure.sequences import read_crfsuite", "howsure.sequences was renamed; use howsure_text.sequences"),
        ("from howsure import report", "howsure.report was renamed; use howsure_cli.report"),
        ("from howsure import read_crfsuite", "howsure.read_crfsuite was renamed; use howsure.CRFTagger"),
    ],
)
def test_an_import_of_a_former_name_says_the_new_one(statement: str, message: str) -> None:
    with pytest.raises(ImportError) as raised:
        exec(statement, {})
    assert str(raised.value) == message


def test_other_names_are_reported_by_python() -> None:
    assert not hasattr(howsure, "compare")
    with pytest.raises(ImportError, match="cannot import name 'no_such_name' from 'howsure'"):
        exec("from howsure import no_such_name", {})
    with pytest.raises(ModuleNotFoundError, match=r"No module named 'howsure\.no_such_module'"):
        exec("import howsure.no_such_module", {})


def test_functions_take_at_most_fifteen_parameters() -> None:
    wide, open_ended = set(), set()
    for name, function in functions():
        parameters = inspect.signature(function).parameters  # type: ignore[arg-type]
        if len(set(parameters) - {"self", "cls"}) > MOST_PARAMETERS:
            wide.add(name)
        if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values()):
            open_ended.add(name)
    assert wide == set()
    assert open_ended == OPEN_ENDED
