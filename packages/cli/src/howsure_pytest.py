"""A pytest plugin for tests of models: tests that may fail sometimes, and the calibration of all predictions of a run.

pytest loads this module at every start. Therefore, it imports neither howsure nor numpy before a test needs them, so
that pytest starts fast and the coverage of howsure is measured completely.
"""

from __future__ import annotations

import inspect
import unittest
from bisect import bisect_left
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import pytest

PROPERTY = "howsure"  # the property of a test that reports and JUnit files contain
RULES = ("skip", "fail", "pass")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the settings, which are set in `[tool.pytest.ini_options]` or by `-o`."""
    parser.addini("howsure_cannot_tell", "outcome of an undecided test: skip, fail or pass", default="skip")
    parser.addini("howsure_max_error", "maximum calibration error of the predictions of a run", default="")


def pytest_configure(config: pytest.Config) -> None:
    """Register the mark, check the settings, and collect predictions."""
    config.addinivalue_line(
        "markers",
        "howsure(min_rate, max_runs=100, level=0.95): run the test until it is shown whether more than min_rate of all "
        "runs would pass; it is undecided after max_runs",
    )
    if config.getini("howsure_cannot_tell") not in RULES:
        raise pytest.UsageError(
            f"howsure_cannot_tell must be skip, fail or pass; it is {config.getini('howsure_cannot_tell')!r}."
        )
    largest = config.getini("howsure_max_error")
    try:
        fine = not largest or 0 < float(largest) < 1
    except ValueError:
        fine = False
    if not fine:
        raise pytest.UsageError(f"howsure_max_error must be a number between 0 and 1; it is {largest!r}.")
    config.pluginmanager.register(Session(config), "howsure-session")


def pytest_itemcollected(item: pytest.Item) -> None:
    """Make a marked test run repeatedly."""
    mark = item.get_closest_marker("howsure")
    if mark is not None:
        once = item.runtest
        item.runtest = partial(run_until_decided, item, once, mark)  # type: ignore[method-assign]


def run_until_decided(item: pytest.Item, once: Callable[[], None], mark: pytest.Mark) -> None:
    """Run a test until its pass rate is shown to be above or below the limit, or the maximum number of runs is reached.

    A run fails by an assertion or `pytest.fail`. Any other exception ends the test at once, as without the mark.
    """
    __tracebackhide__ = True
    from howsure.stats.betting import binomial_wealth

    limit, most, size = mark_settings(item, mark)
    passed = runs = 0
    last: BaseException | None = None
    verdict = "cannot tell"
    while runs < most and verdict == "cannot tell":
        runs += 1
        try:
            once()
            passed += 1
        except (AssertionError, pytest.fail.Exception) as error:
            last = error
        if binomial_wealth(passed, runs - passed, limit) >= 1 / size:
            verdict = "pass"
        elif binomial_wealth(passed, runs - passed, limit, above=False) >= 1 / size:
            verdict = "fail"
    shown = {
        "pass": f"more than {limit:g} of all runs would pass",
        "fail": f"fewer than {limit:g} of all runs would pass",
        "cannot tell": f"not shown whether more or fewer than {limit:g} of all runs would pass",
    }
    summary = f"{verdict}: {passed} of {runs} runs passed; {shown[verdict]}"
    item.user_properties.append((PROPERTY, summary))
    rule = "fail" if verdict == "fail" else item.config.getini("howsure_cannot_tell")
    if verdict != "pass" and rule == "fail":
        raise pytest.fail.Exception(summary) from last
    if verdict != "pass" and rule == "skip":
        pytest.skip(summary)


def mark_settings(item: pytest.Item, mark: pytest.Mark) -> tuple[float, int, float]:
    """Return the settings of a mark: the limit, the maximum number of runs, and the probability of a wrong verdict.

    An invalid mark makes the test fail.
    """
    __tracebackhide__ = True
    from howsure.errors import InputError
    from howsure.inputs.numbers_and_names import check_integer, check_level, check_number
    from howsure.stats.betting import binomial_wealth

    def read(min_rate: Any = None, max_runs: Any = 100, level: Any = 0.95) -> tuple[float, int, float]:
        check_number(min_rate, name="min_rate", low=0, high=1, open="both")
        most, size = check_integer(max_runs, name="max_runs"), 1 - check_level(level)
        if binomial_wealth(most, 0, min_rate) < 1 / size:
            least = fewest_runs(lambda runs: binomial_wealth(runs, 0, min_rate) >= 1 / size, above=most)
            raise InputError(
                f"max_runs must be at least {least:,} for min_rate={min_rate:.10g}: after fewer runs no test can pass, "
                f"even if all of them do; it is {most:,}."
            )
        return float(min_rate), most, size

    if isinstance(item, pytest.Function) and item.cls is not None and issubclass(item.cls, unittest.TestCase):
        pytest.fail("howsure: a unittest test cannot be repeated; write it as a function, or in a plain class.", False)
    try:
        arguments = inspect.signature(read).bind(*mark.args, **mark.kwargs)
    except TypeError as error:
        pytest.fail(f"howsure: the arguments of the mark are wrong: {error}.", pytrace=False)
    try:
        return read(*arguments.args, **arguments.kwargs)
    except InputError as error:
        pytest.fail(f"howsure: {error}", pytrace=False)


def fewest_runs(are_enough: Callable[[int], bool], *, above: int) -> int:
    """Return the smallest number of runs that is enough. are_enough: an increasing condition, false for `above` runs.

    >>> fewest_runs(lambda runs: runs >= 10**15 + 1, above=100)
    1000000000000001
    """
    high = 2 * above
    while not are_enough(high):
        high *= 2
    return bisect_left(range(high), True, lo=above, key=are_enough)


@dataclass(frozen=True, slots=True)
class Predictions:
    """The predictions of a test, which the method `add` collects."""

    rows: list[tuple[bool, float, str | None]] = field(default_factory=list)

    def add(self, label: Any, probability: Any, *, cluster: object = None) -> None:
        """Add a prediction. label: whether the event occurred, or the answer is right. probability: its probability.

        cluster: the cluster of the prediction, such as its document; predictions of a cluster may be correlated.
        """
        from howsure.inputs.numbers_and_names import check_choice, check_number

        check_choice(label, (True, False), name="label")
        check_number(probability, name="probability", low=0, high=1)
        self.rows.append((bool(label), float(probability), None if cluster is None else str(cluster)))


PREDICTIONS = pytest.StashKey[Predictions]()


@pytest.fixture
def howsure_predictions(request: pytest.FixtureRequest) -> Predictions:
    """Collect predictions with `howsure_predictions.add(label, probability)`; the run ends with their calibration."""
    predictions: Predictions = request.node.stash.setdefault(PREDICTIONS, Predictions())
    return predictions


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, Any, Any]:
    """Attach the predictions of a test to its report, so that xdist workers send them to the main process."""
    report = yield
    if call.when == "call" and PREDICTIONS in item.stash:
        report.howsure_predictions = item.stash[PREDICTIONS].rows
    return report


class Session:
    """All predictions of a run, by test, and the summary that is printed at its end."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.found: dict[str, list[tuple[bool, float, str | None]]] = {}
        self.lines: list[str] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Collect the predictions of a test; if a test ran several times, those of the last run."""
        rows = getattr(report, "howsure_predictions", None)
        if rows:
            self.found[report.nodeid] = rows

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Check the calibration of all predictions; the run fails if the check fails."""
        if not self.found or hasattr(self.config, "workerinput"):
            return
        outcome, self.lines = judge_predictions(
            [row for _, rows in sorted(self.found.items()) for row in rows], self.config
        )
        failed = outcome == "fail" or (outcome, self.config.getini("howsure_cannot_tell")) == ("cannot tell", "fail")
        if failed and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Print the verdicts of all marked tests, and the verdict on the predictions."""
        stats: Mapping[str, list[Any]] = terminalreporter.stats
        reports = [report for stat in stats.values() for report in stat if getattr(report, "when", None) == "call"]
        text_by_test = {
            report.nodeid: text for report in reports for name, text in report.user_properties if name == PROPERTY
        }
        lines = [f"{test}: {text}" for test, text in sorted(text_by_test.items())] + self.lines
        if lines:
            terminalreporter.section("howsure")
            for line in lines:
                terminalreporter.write_line(line)


def judge_predictions(rows: list[tuple[bool, float, str | None]], config: pytest.Config) -> tuple[str, list[str]]:
    """Return the outcome of a check of predictions, and lines to print; without a limit, the calibration error."""
    import howsure

    labels, probabilities, named = zip(*rows, strict=True)
    clusters = [f"own {i}" if cluster is None else f"cluster {cluster}" for i, cluster in enumerate(named)]
    cluster_names = clusters if set(named) != {None} else None
    limit = config.getini("howsure_max_error")
    if not limit:
        error = howsure.calibration_error(labels, probabilities, clusters=cluster_names)
        return "pass", [f"calibration error {error} of {len(rows):,} predictions"]
    check = howsure.check_calibration(labels, probabilities, max_error=float(limit), clusters=cluster_names)
    return check.outcome, [f"{len(rows):,} predictions", *check.footnotes()]
