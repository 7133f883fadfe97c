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
WIDE = {  # functions that may take more parameters, and why
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


def test_functions_take_at_most_fifteen_parameters() -> None:
    wide = {
        name
        for name, function in functions()
        if len(set(inspect.signature(function).parameters) - {"self"}) > MOST_PARAMETERS  # type: ignore[arg-type]
    }
    assert wide == set(WIDE)
