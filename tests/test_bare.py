"""The rule by which tests are left out where only the core is installed."""

from __future__ import annotations

import numpy as np
import pytest

from tests import bare

FILE_OF_TESTS, OF_HOWSURE = {"__name__": "tests.room.test_it"}, {"__name__": "howsure.room"}


def test_what_is_installed_is_imported() -> None:
    assert bare.imported("json", FILE_OF_TESTS).__name__ == "json"


def test_what_is_not_installed_is_a_name_in_a_file_of_tests_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    name = bare.imported("no_such_library.part", FILE_OF_TESTS, fromlist=("thing",))
    assert name.library == "no_such_library"
    with pytest.raises(ModuleNotFoundError):
        bare.imported("no_such_library", OF_HOWSURE)
    monkeypatch.setattr(bare.Name, "running", True)
    with pytest.raises(bare.Absent, match="no_such_library"):
        bare.imported("no_such_library", FILE_OF_TESTS)


def test_a_name_may_be_read_until_tests_run_and_be_used_never(monkeypatch: pytest.MonkeyPatch) -> None:
    name = bare.Name("pandas")
    frame, same = name.DataFrame({"x": [1, 2]}), name.decorator(bare.names_among)
    assert isinstance(frame, bare.Name)
    assert same is bare.names_among

    class Derived(name.Base):
        """Of a class of the library."""

    monkeypatch.setattr(bare.Name, "running", True)
    uses = (lambda: name.DataFrame, lambda: frame["x"], lambda: list(frame), lambda: len(frame), lambda: range(frame))
    for use in (*uses, lambda: name(1), Derived):
        with pytest.raises(bare.Absent, match="pandas"):
            use()


def test_a_name_is_found_in_what_a_test_is_given() -> None:
    name = bare.Name("pandas")
    assert bare.names_among({"values": [1, ("a", name)], "other": np.array([1, name], dtype=object)}) == [name, name]
    assert bare.names_among({"values": [1, "a", None]}) == []
