"""Many labels by one jackknife: each is what `compare_calibration` says, but for Student's quantile; averages cover."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.stats import t as student
from tests.papers.whole import rows_of

from howsure import compare_calibration
from howsure.calibration.calibration_errors import calibration_error
from howsure.inputs.pairs import Pairs
from howsure.stats.proportions import normal_quantile
from howsure_events.examples import example_store
from howsure_papers.doubtful_cases import (
    COREFERENCE,
    READINGS,
    cases_table,
    disagreement,
    doubtful_cases,
    doubtful_findings,
)
from howsure_papers.label_errors import Contest, label_errors, select_sentences, squared_errors, wins

SENTENCES, LENGTH, LABELS = 300, 8, 3


def made_up(power: float, rng: np.random.Generator) -> tuple[Pairs, Pairs]:
    """Pairs of three labels, sure by q and by q to a power, of the same tokens."""
    n = SENTENCES * LENGTH * LABELS
    q = rng.random(n)
    shared = {
        "groups": np.repeat(np.arange(LABELS), n // LABELS),
        "group_names": ("A", "B", "C"),
        "clusters": np.tile(np.repeat(np.arange(SENTENCES), LENGTH), LABELS),
    }
    labels = (rng.random(n) < q).view(np.uint8)
    return Pairs(labels, q**power, **shared), Pairs(labels, q, **shared)


@pytest.fixture(scope="module")
def pairs() -> tuple[Pairs, Pairs]:
    return made_up(1.3, np.random.default_rng(0))


def test_each_label_is_judged_as_the_library_does(pairs: tuple[Pairs, Pairs]) -> None:
    contest = Contest(*(label_errors(model_pairs, bin_size=100) for model_pairs in pairs))
    a, b = pairs
    for label, difference in enumerate(contest.differences()):
        rows = a.groups == label
        y, qa, qb, clusters = a.labels[rows], a.probabilities[rows], b.probabilities[rows], a.clusters[rows]
        expected = compare_calibration(y, qa, against=qb, bin_size=100, clusters=clusters)
        assert contest.a.errors[label] == calibration_error(y, qa, bin_size=100, clusters=clusters) == expected.error_a
        assert contest.b.errors[label] == expected.error_b
        theirs = expected.squared_error_difference
        shares = np.bincount(clusters).astype(float) ** 2
        longer = student.ppf(0.975, shares.sum() ** 2 / (shares**2).sum() - 1) / normal_quantile(0.95)
        assert difference.value == pytest.approx(theirs.value, rel=1e-9)
        assert (difference.high - difference.value) * longer == pytest.approx(theirs.high - theirs.value, rel=1e-9)
    np.testing.assert_array_equal(squared_errors(a, bin_size=100), contest.a.squared)
    assert contest.wins() == wins(contest.a.squared, contest.b.squared) == 3


def test_an_average_of_one_label_is_that_label(pairs: tuple[Pairs, Pairs]) -> None:
    errors = label_errors(pairs[0], bin_size=100)
    assert errors.average(np.array([1])).value == pytest.approx(errors.errors[1].value)
    assert errors.average(np.arange(3)).value == pytest.approx(math.sqrt(errors.squared.mean()))


@pytest.mark.long
def test_the_interval_of_an_average_difference_covers() -> None:
    """Of 30 samples, the 95 % interval holds the mean of many in nearly all."""
    rng = np.random.default_rng(1)
    estimates = [
        Contest(*(label_errors(model_pairs, bin_size=400) for model_pairs in made_up(1.5, rng))).average(
            np.arange(LABELS)
        )
        for _ in range(30)
    ]
    truth = np.mean([interval.value for interval in estimates])
    covering = sum(interval.low <= truth <= interval.high for interval in estimates)
    assert covering >= 25  # P(fewer) < 0.005 at 95 %


def test_the_pairs_of_some_sentences(pairs: tuple[Pairs, Pairs]) -> None:
    some = select_sentences(pairs[0], np.array([3, 7]))
    rows = np.isin(pairs[0].clusters, [3, 7])
    np.testing.assert_array_equal(some.probabilities, pairs[0].probabilities[rows])
    np.testing.assert_array_equal(np.unique(some.clusters), [0, 1])
    assert len(some) == 2 * LENGTH * LABELS


def test_a_sentence_without_pairs_does_not_count(pairs: tuple[Pairs, Pairs]) -> None:
    whole = select_sentences(pairs[0], np.arange(SENTENCES - 1))
    gap = Pairs(
        whole.labels,
        whole.probabilities,
        groups=whole.groups,
        group_names=whole.group_names,
        clusters=np.where(whole.clusters < 7, whole.clusters, whole.clusters + 1),
    )
    expected, with_gap = (label_errors(corpus, bin_size=100) for corpus in (whole, gap))
    assert with_gap.errors == expected.errors
    assert with_gap.without.tolist() == expected.without.tolist()


# Documents in doubt: what their samples disagree on, what was read in them, and where their texts are shown.


def link(mention: str, other: str, with_event: float, without_event: float) -> dict[str, Any]:
    return {"mention_text": mention, "with_text": other, "with_event": with_event, "without_event": without_event}


@pytest.mark.parametrize(
    ("links", "description"),
    [
        ([link("They", "Norlandic troops", 1.0, 0.2)], "coreference: whom a pronoun means"),
        ([link("the planes", "Norlandic jets", 0.9, 0.2)], "coreference: whether two nouns mean the same"),
        ([link("they", "Sudorian troops", 0.0, 0.6)], "names: a mention of another actor joins in"),
        ([], "nothing that a link decides"),
    ],
)
def test_what_samples_disagree_on_follows_from_the_first_link(links: list[dict[str, Any]], description: str) -> None:
    assert disagreement({"links": links}) == description


def test_readings_are_compared_with_probabilities() -> None:
    cases = [
        {"id": name, "actor": actor, "probability": 0.5, "best": True, "links": []}
        for name, actor in list(READINGS)[:12]
    ]
    of_coreference, right = doubtful_findings([*cases, cases[0] | {"id": "unknown"}], "made up")
    n = sum(READINGS[case["id"], case["actor"]][1] == COREFERENCE for case in cases)
    assert of_coreference.ours.startswith(f"{n} of 12 are")
    true = sum(READINGS[case["id"], case["actor"]][0] for case in cases)
    assert right.ours.startswith(
        f"{true} of 12 are; by their probabilities 6.0 [3, 9]; the 1-best is wrong in {12 - true}"
    )
    assert right.holds
    unlikely = [case | {"probability": 0.01} for case in cases]
    assert doubtful_findings(unlikely, "made up")[1].holds is False
    assert doubtful_findings([{"id": "unknown", "actor": "NOR"}], "made up") == []
    assert rows_of(cases_table([cases[0] | {"id": "unknown"}], "Made-up"))[0][-3:] == ["not read", "", ""]


@pytest.mark.long
def test_texts_are_printed_and_stand_in_no_table() -> None:
    """Of the news that we made up, whose documents in doubt nobody has read."""
    with example_store() as store:
        result = doubtful_cases(store.path, "Made-up")
    rows = rows_of(result.tables[0])
    assert {row[5] for row in rows} == {"not read"}
    assert rows[0][:3] == ["news-06", "NORLAND", "0.49"]
    assert len(result.quoted) == len(rows)
    assert "They attacked at dawn, witnesses said." in result.quoted[0]
    assert not any("attacked at dawn" in cell for row in rows for cell in row)
    assert not result.findings
