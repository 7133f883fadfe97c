"""The plugin of pytest, in runs of pytest of its own: marked tests, predictions of a run, xdist, and what it costs."""

from __future__ import annotations

import numpy as np
import pytest

import howsure
from howsure.stats.betting import binomial_wealth

MARKED = """
import random
import pytest
draw = random.Random(0)

@pytest.mark.howsure(min_rate=0.9)
def test_good():
    assert draw.random() < 0.99

@pytest.mark.howsure(min_rate=0.9)
def test_bad():
    found = draw.random()
    assert found < 0.5

class TestClass:
    @pytest.mark.howsure(min_rate=0.9, max_runs=50)
    def test_middle(self, tmp_path):
        if draw.random() > 0.9:
            pytest.fail("now and then")

@pytest.mark.howsure(min_rate=0.5)
def test_broken():
    raise KeyError("not a failed run")

@pytest.mark.howsure(min_rate=0.9, max_runs=20)
def test_too_few_runs():
    pass

@pytest.mark.howsure(rate=0.9)
def test_another_word():
    pass

@pytest.mark.howsure(min_rate=90)
def test_in_percent():
    pass
"""
UNITTEST = """
import unittest
import pytest

class Old(unittest.TestCase):
    @pytest.mark.howsure(min_rate=0.9)
    def test_old(self):
        pass
"""
TOLD = [
    "test_marked.py::TestClass::test_middle: cannot tell: 4? of 50 runs passed; not shown whether more or fewer than "
    "0.9 of all runs would pass",
    "test_marked.py::test_bad: fail: * of * runs passed; fewer than 0.9 of all runs would pass",
    "test_marked.py::test_good: pass: 3? of 3? runs passed; more than 0.9 of all runs would pass",
]
PREDICTING = """
import random
import pytest
draw = random.Random(1)
ROWS = [(p := draw.random(), draw.random() < p ** {power}) for _ in range(2000)]

@pytest.mark.parametrize("part", range(4))
def test_part(howsure_predictions, part):
    for i, (probability, label) in list(enumerate(ROWS))[part::4]:
        howsure_predictions.add(label, probability{cluster})

def test_without():
    pass
"""


@pytest.fixture(autouse=True, scope="module")
def loaded() -> None:
    """What a run of pytest in this process imports would be dropped after it, and numpy cannot be loaded twice."""
    binomial_wealth(1, 1, 0.5)
    labels, prob = [0, 1] * 20, [0.25, 0.75] * 20
    howsure.calibration_error(labels, prob, clusters=list(range(20)) * 2)
    assert howsure.check_calibration(labels, prob, max_error=0.5).footnotes()


def ever_decided(limit: float, rate: float, runs: int, *, above: bool) -> float:
    """The probability that this many runs with a given pass rate are ever decided for a side: all paths, no draw."""
    open_paths, decided = {0: 1.0}, 0.0  # by the number that passed
    for n in range(1, runs + 1):
        after: dict[int, float] = {}
        for passed, p in open_paths.items():
            after[passed] = after.get(passed, 0.0) + p * (1 - rate)
            after[passed + 1] = after.get(passed + 1, 0.0) + p * rate
        for passed in [passes for passes in after if binomial_wealth(passes, n - passes, limit, above=above) >= 20]:
            decided += after.pop(passed)
        open_paths = after
    return decided


@pytest.mark.long
@pytest.mark.parametrize("limit", [0.5, 0.9])
def test_wrong_verdicts_are_rare_at_any_stop(limit: float) -> None:
    """A rate just at the limit is the worst case of both sides; a rate apart is decided."""
    for above in (True, False):
        assert 0.005 < ever_decided(limit, limit, 200, above=above) <= 0.05
    assert ever_decided(limit, limit / 2, 100, above=False) > 0.99
    assert ever_decided(0.9, 0.99, 200, above=True) > 0.95


def test_the_wealth_is_a_mixture_of_bets() -> None:
    """Against a sum over shares, for each of which a run that passes wins p / limit, and another the rest."""
    p = (np.arange(200_000) + 0.5) / 200_000
    density = 1 / np.sqrt(p * (1 - p))
    for passed, failed, limit in [(9, 1, 0.5), (3, 4, 0.8), (40, 0, 0.9)]:
        won = (p / limit) ** passed * ((1 - p) / (1 - limit)) ** failed
        for above, side in ((True, p > limit), (False, p < limit)):
            expected = np.sum((won * density)[side]) / np.sum(density[side])
            assert binomial_wealth(passed, failed, limit, above=above) == pytest.approx(expected, rel=0.01)


@pytest.mark.parametrize("workers", [(), pytest.param(("-n", "1"), marks=pytest.mark.long)], ids=["alone", "xdist"])
def test_marked_tests_run_until_they_are_decided(pytester: pytest.Pytester, workers: tuple[str, ...]) -> None:
    pytester.makepyfile(test_marked=MARKED, test_unittest=UNITTEST)
    done = pytester.runpytest_inprocess("--strict-markers", "-rs", *workers)
    done.assert_outcomes(passed=1, failed=6, skipped=1)
    done.stdout.fnmatch_lines(["*= howsure =*", *TOLD])
    done.stdout.fnmatch_lines_random(
        [
            "*assert 0.* < 0.5",  # the last run that failed, as pytest shows it
            "*KeyError: 'not a failed run'",
            "howsure: max_runs must be at least 36 for min_rate=0.9: after fewer runs no test can pass, even if all of "
            "them do; it is 20.",
            "howsure: the arguments of the mark are wrong: got an unexpected keyword argument 'rate'.",
            "howsure: min_rate must be greater than 0 and less than 1; it is 90.",
            "howsure: a unittest test cannot be repeated; write it as a function, or in a plain class.",
            "SKIPPED * cannot tell: 4? of 50 runs passed; *",
        ]
    )


def test_undecided_counts_as(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_marked=MARKED)
    for rule, outcome in (("fail", {"failed": 1}), ("pass", {"passed": 1})):
        done = pytester.runpytest_inprocess("-k", "middle", "-o", f"howsure_cannot_tell={rule}", "--junitxml=j.xml")
        done.assert_outcomes(**outcome, deselected=6)  # type: ignore[arg-type]
    assert 'property name="howsure" value="cannot tell: 4' in (pytester.path / "j.xml").read_text()
    done = pytester.runpytest_inprocess("-o", "howsure_cannot_tell=warn")
    done.stderr.fnmatch_lines(["ERROR: howsure_cannot_tell must be skip, fail or pass; it is 'warn'."])
    done = pytester.runpytest_inprocess("-o", "howsure_max_error=5%")
    done.stderr.fnmatch_lines(["ERROR: howsure_max_error must be a number between 0 and 1; it is '5%'."])


@pytest.mark.parametrize(
    ("power", "cluster", "options", "code"),
    [
        (1, "", ("howsure_max_error=0.1",), 0),
        (3, "", ("howsure_max_error=0.1",), 1),
        (3, "", (), 0),
        pytest.param(1, ", cluster=i // 2", ("howsure_max_error=0.1",), 0, marks=pytest.mark.long),  # with xdist
        (1, "", ("howsure_max_error=0.02", "howsure_cannot_tell=fail"), 1),
    ],
)
def test_predictions_are_judged_at_the_end(
    pytester: pytest.Pytester, power: int, cluster: str, options: tuple[str, ...], code: int
) -> None:
    source = PREDICTING.format(power=power, cluster=cluster)
    pytester.makepyfile(source)
    typed = [word for option in options for word in ("-o", option)]
    done = pytester.runpytest_inprocess(*typed, *(("-n", "2") if cluster else ()))
    assert done.ret == code
    done.assert_outcomes(passed=5)
    namespace: dict[str, list[tuple[float, bool]]] = {}
    exec(source.partition("@")[0], namespace)
    rows = [(i, *row) for part in range(4) for i, row in list(enumerate(namespace["ROWS"]))[part::4]]
    index, prob, label = zip(*rows, strict=True)
    clusters = [i // 2 for i in index] if cluster else None
    if not options:
        lines = [f"calibration error {howsure.calibration_error(label, prob)} of 2,000 predictions"]
    else:
        limit = float(options[0].partition("=")[2])
        check = howsure.check_calibration(label, prob, max_error=limit, clusters=clusters)
        lines = ["2,000 predictions", *check.footnotes()]
    assert [line for line in done.stdout.lines if line in lines] == lines


def test_a_prediction_that_is_none(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("""
def test_label(howsure_predictions):
    howsure_predictions.add(2, 0.5)

def test_probability(howsure_predictions):
    howsure_predictions.add(True, 50)
""")
    done = pytester.runpytest_inprocess()
    done.assert_outcomes(failed=2)
    done.stdout.fnmatch_lines(
        ["*label must be one of True, False; it is 2.", "*probability must be between 0 and 1; it is 50."]
    )


def test_a_start_imports_nothing(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("""
import sys

def test_loaded(pytestconfig):
    assert pytestconfig.pluginmanager.hasplugin("howsure")
    assert not {"howsure", "numpy", "scipy"} & sys.modules.keys()
""")
    pytester.runpytest_subprocess().assert_outcomes(passed=1)
