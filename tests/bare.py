"""Run the tests of the core package with only numpy, scipy and narwhals: `pytest -p tests.bare`, in `make test-bare`.

A rule decides which tests run, not a list. If a test file imports a library of an extra, it gets an empty substitute;
howsure imports only what is installed. A test is left out if it uses such a substitute, or if it fails after howsure
raised MissingExtraError (a command may also print this error): the test needs the extra. A file that cannot be imported
without the contents of a library is left out, too. Every other failure counts, also if howsure itself imports a library
that is not installed. The last lines say how many tests ran, and what the other tests need.
"""

from __future__ import annotations

import builtins
from collections import Counter
from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
import pytest

from howsure.errors import MissingExtraError

LEAST = 0.7  # of the tests must run


class Absent(pytest.skip.Exception):
    """A test uses a library that is not installed."""


class Name:
    """A substitute for a library and its contents. Any attribute may be read until the tests run."""

    running = False

    def __init__(self, library: str) -> None:
        self.__dict__["library"] = library

    def _used(self) -> Name:
        if Name.running:
            raise Absent(self.library)
        return self

    def __getattr__(self, name: str) -> Name:
        if name.startswith("__"):
            raise AttributeError(name)
        return self._used()

    def __call__(self, *values: Any, **named: Any) -> Any:
        decorated = len(values) == 1 and not named and callable(values[0]) and not isinstance(values[0], Name)
        return values[0] if decorated and not Name.running else self._used()

    def __len__(self) -> int:
        self._used()
        return 1

    def __iter__(self) -> Iterator[Name]:
        yield self._used()

    def __contains__(self, member: object) -> bool:
        return member is self._used()

    def __mro_entries__(self, bases: tuple[Any, ...]) -> tuple[type, ...]:
        return (type("Derived", (), {"__init__": lambda *values, **named: self._used()}),)

    def __index__(self) -> int:
        self._used()
        return 1

    def __getitem__(self, key: object) -> Name:
        return self._used()

    def __or__(self, other: object) -> Name:
        return self

    __ror__ = __or__


load = builtins.__import__


def imported(name: str, names: Any = None, local: Any = None, fromlist: Any = (), level: int = 0) -> Any:
    """Return the result of `import`: in a test file, a `Name` for a library that is not installed."""
    asking = str((names or {}).get("__name__", ""))
    try:
        return load(name, names, local, fromlist, level)
    except (ModuleNotFoundError, MissingExtraError) as error:
        missing = str(error.name or name).partition(".")[0] if isinstance(error, ModuleNotFoundError) else str(error)
        if "tests." not in asking or missing == "tests":
            raise
        if Name.running:
            raise Absent(missing) from error
        named_in.setdefault(asking, missing)
        return Name(missing)


named_in: dict[str, str] = {}  # files of tests, and what they import that is not installed
ran: Counter[str] = Counter()
tests_by_want: Counter[str] = Counter()
unread: dict[str, str] = {}


class MissingExtras:
    """The extras that a test has needed so far."""

    messages: ClassVar[list[str]] = []


def pytest_configure() -> None:
    """Install the substitutes before test files are imported."""
    builtins.__import__ = imported
    initialise = MissingExtraError.__init__

    def noted(error: MissingExtraError, what: str, extra: str) -> None:
        initialise(error, what, extra)
        MissingExtras.messages.append(str(error))

    MissingExtraError.__init__ = noted  # type: ignore[method-assign]


def pytest_collection_finish() -> None:
    """From now on, using a substitute raises an error."""
    Name.running = True


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector: pytest.Collector) -> Any:
    """Leave out, and count, a file that cannot be imported without the missing libraries."""
    report = yield
    module = collector.nodeid.removesuffix(".py").replace("/", ".")
    if report.outcome == "failed" and module in named_in:
        report.outcome, report.longrepr = "skipped", (collector.nodeid, 0, f"wants {named_in[module]}")
        unread[collector.nodeid] = named_in[module]
    return report


def names_among(value: Any) -> list[Name]:
    """Return the substitutes among the arguments of a test."""
    if isinstance(value, Name):
        return [value]
    value = value.tolist() if isinstance(value, np.ndarray) and value.dtype == object else value
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
    return [name for part in parts for name in names_among(part)]


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Treat a test with a substitute among its arguments as one that uses it."""
    MissingExtras.messages.clear()
    for name in names_among(getattr(getattr(item, "callspec", None), "params", {})):
        raise Absent(name.library)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Any:
    """Leave out, and count, a test that needs an extra."""
    report = yield
    error = None if call.excinfo is None else call.excinfo.value
    wants = str(error) if isinstance(error, Absent | MissingExtraError) else next(iter(MissingExtras.messages), None)
    if error is not None and wants is not None:
        report.outcome, report.longrepr = "skipped", (str(item.path), 0, f"wants {wants}")
        tests_by_want[wants] += 1
    elif report.when == "call":
        ran[report.outcome] += 1
    return report


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Print how many tests ran, and what the others need."""
    left = tests_by_want.total()
    terminalreporter.write_line(
        f"{ran.total():,} of {ran.total() + left:,} tests ran; {left:,} want what is not installed:"
    )
    for want, tests in tests_by_want.most_common():
        terminalreporter.write_line(f"{tests:6,}  {want}")
    for path, want in unread.items():
        terminalreporter.write_line(f"   all  of {path}: {want}")


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail unless most tests ran."""
    if session.exitstatus == 0 and ran.total() < LEAST * (ran.total() + tests_by_want.total()):
        session.exitstatus = 1
