"""Estimated counts: intervals that hold, results that do not depend on the order of rows, and what is refused."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from scipy.stats import hypergeom
from tests.counts.populations import CELLS, KINDS, counted_words, labelled, population

import howsure
from howsure.calibration import calibration_error
from howsure.counts import CountEstimates, cell_counts, draw_label_sample, estimate_counts
from howsure.counts import population as cells
from howsure.counts import proxy as unit_features
from howsure.counts.estimation import METHODS
from howsure.counts.population import read_units
from howsure.counts.proxy import MAX_DOMAINS, fit_proxy
from howsure.errors import InputError


def covered(counts: CountEstimates, truth: np.ndarray, cell: np.ndarray) -> list[bool]:
    numbers = np.bincount(cell, weights=truth, minlength=CELLS)
    return [row.low <= numbers[int(row.group[0])] <= row.high for row in counts]


def coverage_of(kind: str, runs: int, **options: object) -> tuple[float, float, float]:
    """Of cells and totals, how often the interval holds the truth; and the mean width of cells."""
    cells, totals, widths = [], [], []
    for run in range(runs):
        score, truth, cell = population(kind, np.random.default_rng(run))
        sample, labels = labelled(score, truth, 200, run)
        counts = estimate_counts(labels, score, groups=cell, strata=sample.stratum, rng=run, **options)
        cells += covered(counts, truth, cell)
        totals.append(counts.total.low <= truth.sum() <= counts.total.high)
        widths += [row.high - row.low for row in counts]
    return float(np.mean(cells)), float(np.mean(totals)), float(np.mean(widths))


@pytest.mark.parametrize("kind", [pytest.param("misses", marks=pytest.mark.long), "break"])
def test_counts_hold_where_scores_mislead(kind: str) -> None:
    """A small cell of the simulations: 2 populations of 12 cells each, so that .95 allows .8 (4 of 24 outside)."""
    cells, totals, _ = coverage_of(kind, 2)
    assert cells >= 0.8
    assert totals >= 0.5


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_cells_and_totals_are_covered(kind: str) -> None:
    cells, totals, width = coverage_of(kind, 60)
    labels_only = coverage_of(kind, 20, method="labels")[2]
    assert cells >= 0.95
    assert totals >= 0.88
    assert width < labels_only


def test_strata_that_are_read_unevenly_do_not_mislead_cells() -> None:
    """Half the labels are of the tenth of the units with most positives, which the score does not know."""
    rng = np.random.default_rng(0)
    often = np.arange(2000) % 10 == 0
    truth = (rng.random(2000) < np.where(often, 0.8, 0.1)).astype(float)
    cell = rng.integers(0, 4, 2000)
    labels = np.full(2000, np.nan)
    for stratum in (often, ~often):
        sampled = rng.choice(np.flatnonzero(stratum), 100, replace=False)
        labels[sampled] = truth[sampled]
    counts = estimate_counts(labels, np.full(2000, 0.5), groups=cell, strata=often.astype(int), rng=0)
    assert sum(row.estimate for row in counts) == pytest.approx(truth.sum(), rel=0.25)
    assert sum(row.low <= (truth * (cell == int(row.group[0]))).sum() <= row.high for row in counts) >= 3


def test_few_positive_labels_are_covered() -> None:
    """The exact coverage of the interval of one cell: 100 labels of 1,100 units drawn at random, of each outcome."""
    rows = []
    for k in range(10):
        labels = np.array([1.0] * k + [0.0] * (100 - k) + [np.nan] * 1000)
        rows.append(estimate_counts(labels, np.full(1100, 0.5), method="hierarchical", rng=0)[0])
    for total in (15, 40):
        chances = hypergeom.pmf(range(10), 1100, total, 100)
        assert sum(p for p, row in zip(chances, rows, strict=True) if row.low <= total <= row.high) >= 0.93, total


@pytest.mark.parametrize("counted", [1.0, 0.0])
def test_an_interval_reaches_0_unless_a_label_of_the_group_is_positive(counted: float) -> None:
    """Two of ten groups never have the event, which occurs in 30% of the others' units; mirrored for negatives."""
    rng = np.random.default_rng(0)
    cell = np.repeat(np.arange(10), 60)
    event = (rng.random(600) < 0.3) & (cell > 1)
    labels = np.full(600, np.nan)
    drawn = (np.arange(10)[:, None] * 60 + np.arange(5)).ravel()  # five of each group
    event[: 2 * 60] = False
    labels[drawn] = np.where(event[drawn], counted, 1.0 - counted)
    half, counts = (
        estimate_counts(labels, np.full(600, 0.5), groups=cell.astype(str), method="hierarchical", level=level, rng=0)
        for level in (0.5, 0.95)
    )
    for row, inner in zip(counts, half, strict=True):
        assert row.low <= inner.low < inner.high <= row.high
    for row in (*counts, *half):
        counted_labels = row.positives if counted else row.labelled - row.positives
        reaches = row.low == 0 if counted else row.high == row.n
        assert reaches == (counted_labels == 0)
    assert {row.positives for row in list(counts)[:2]} == {0 if counted else 5}


@pytest.fixture(scope="module")
def news() -> dict[str, np.ndarray]:
    score, truth, period = population("drift", np.random.default_rng(5), n=1200)
    actor = np.random.default_rng(6).integers(0, 2, 1200)
    sample, labels = labelled(score, truth, 150, 5)
    columns = {"score": score, "truth": truth, "period": period % 3, "actor": np.array(["IRQ", "USA"])[actor]}
    return columns | {"labels": labels, "stratum": sample.stratum}


@pytest.mark.parametrize("method", METHODS)
def test_every_method_gives_rows_domains_and_a_total(news: dict[str, np.ndarray], method: str) -> None:
    counts = estimate_counts(
        news["labels"],
        news["score"],
        groups={"actor": news["actor"], "period": news["period"]},
        strata=news["stratum"],
        method=method,
        rng=0,
    )
    assert [row.group for row in counts][:2] == [("IRQ", "0"), ("IRQ", "1")]
    assert [row.group for row in counts.domains] == [("IRQ",), ("USA",)]
    assert sum(row.n for row in counts) == counts.total.n == 1200
    for row in (*counts, *counts.domains, counts.total):
        assert row.low <= row.estimate <= row.high
        assert 0 <= row.low < row.high <= row.n
    assert json.loads(json.dumps(counts.to_dict()))["total"]["n"] == 1200
    frame = counts.to_frame("pandas")
    assert list(frame.columns[:3]) == ["actor", "period", "n"]
    assert "IRQ" in str(counts)
    assert "<table" in counts._repr_html_()


def test_the_order_of_rows_changes_nothing(news: dict[str, np.ndarray]) -> None:
    order = np.random.default_rng(0).permutation(1200)
    estimates = []
    for rows in (np.arange(1200), order):
        shuffled = {name: column[rows] for name, column in news.items()}
        counts = estimate_counts(
            shuffled["labels"], shuffled["score"], groups=shuffled["period"], strata=shuffled["stratum"], rng=3
        )
        estimates.append([(row.group, row.n, row.estimate, row.low, row.high) for row in (*counts, counts.total)])
    for first_row, other in zip(*estimates, strict=True):
        assert first_row[:2] == other[:2]
        assert first_row[2:] == pytest.approx(other[2:], abs=1e-6)


@pytest.mark.parametrize("together", [1, 3])
def test_the_order_of_rows_changes_nothing_where_scores_are_equal(together: int) -> None:
    """Few different scores, as of a model that says "80 %": what features tell apart keeps its fold."""
    rng = np.random.default_rng(1)
    n = 900
    score, feature = rng.choice([0.0, 0.25, 0.5, 0.75], n), rng.normal(size=n)
    cell, document = rng.integers(0, 5, n).astype(str), np.repeat(np.arange(n // together), together)
    truth = rng.random(n) < 1 / (1 + np.exp(-(feature + 2 * score - 1.5)))
    labels = np.where(np.isin(document, rng.choice(n // together, 120 // together, replace=False)), truth, np.nan)
    estimates = [
        estimate_counts(
            labels[rows], score[rows], groups=cell[rows], features=feature[rows], clusters=document[rows], rng=3
        )
        for rows in (np.arange(n), rng.permutation(n))
    ]
    for row, other in zip(*[(*counts, counts.total) for counts in estimates], strict=True):
        assert (row.estimate, row.low, row.high) == pytest.approx((other.estimate, other.low, other.high), abs=1e-6)


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 1.0])
def test_labels_alone_are_worth_themselves(share: float) -> None:
    """120 labels drawn at random; where they are all alike, their interval is near that of a share of 0."""
    labels = np.full(1500, np.nan)
    labels[::12] = np.arange(125) < 125 * share
    worth = estimate_counts(labels, np.full(1500, 0.5), method="labels", rng=0).diagnostics.worth
    assert worth == pytest.approx(125, rel=0.25)


def test_the_same_seed_gives_the_same(news: dict[str, np.ndarray]) -> None:
    first, second = (
        estimate_counts(news["labels"], news["score"], groups=news["period"], strata=news["stratum"], rng=4).to_dict()
        for _ in range(2)
    )
    assert first == second


def test_a_data_frame_says_the_same(news: dict[str, np.ndarray]) -> None:
    frame = pd.DataFrame(news)
    by_name = estimate_counts(
        "labels", "score", groups=["actor", "period"], strata="stratum", features=["score"], data=frame, rng=0
    )
    by_array = estimate_counts(
        news["labels"],
        news["score"],
        groups={"actor": news["actor"], "period": news["period"]},
        strata=news["stratum"],
        features={"score": news["score"]},
        rng=0,
    )
    assert by_name.to_dict() == by_array.to_dict()


@pytest.mark.parametrize("value", [0.0, 1.0])
@pytest.mark.parametrize("method", METHODS)
def test_labels_that_are_all_alike_raise_nothing_and_are_not_sure(value: float, method: str) -> None:
    score = np.random.default_rng(0).random(500)
    labels = np.full(500, np.nan)
    labels[:40] = value
    counts = estimate_counts(labels, score, groups=np.arange(500) % 3, method=method, rng=0)
    assert all(row.high - row.low >= 1 for row in (*counts, counts.total))


def test_tables_and_figures_show_only_the_interval_without_a_positive_label() -> None:
    labels = dict.fromkeys(range(12), 0) | {row: row % 2 for row in range(30, 45)}
    groups = ["a"] * 30 + ["b"] * 30
    counts = estimate_counts(labels, [0.1] * 60, groups=groups, method="labels")
    assert (counts["a"].estimate, counts["b"].estimate) == (0.0, 14.0)  # 30 · 0/12 and 30 · 7/15
    assert [line.split()[4] for line in str(counts.table()).splitlines()[2:4]] == ["–", "14.0"]
    assert [*counts.to_frame()["estimate"]] == [0.0, 14.0]
    np.testing.assert_array_equal(counts.plot().lines[0].get_ydata(), [np.nan, 14.0])
    assert any("no labelled unit is positive" in note for note in counts.footnotes())
    alone = estimate_counts(dict.fromkeys(range(12), 0), [0.1] * 60, method="labels")
    high = alone.total.high
    assert alone.answer == f"At most {high:.0f} of 60 units are positive (95% interval); no label is positive."
    assert f"at most {high / 60:.3f} (95% interval; 60 units)" in alone.as_shares().answer


@pytest.mark.parametrize("method", ["auto", "exact", "difference", "labels"])
def test_where_all_is_labelled_counts_are_exact(method: str) -> None:
    score, truth, cell = population("misses", np.random.default_rng(1), n=300)
    counts = estimate_counts(truth, score, groups=cell, method=method, rng=0)
    numbers = np.bincount(cell, weights=truth, minlength=CELLS)
    for row in counts:
        assert (row.low, row.estimate, row.high) == pytest.approx((numbers[int(row.group[0])],) * 3)
    assert (counts.total.low, counts.total.high) == (truth.sum(), truth.sum())


def test_two_cells_differ_by_their_joint_law(news: dict[str, np.ndarray]) -> None:
    counts = estimate_counts(news["labels"], news["score"], groups=news["actor"], strata=news["stratum"], rng=0)
    difference, more = counts.difference("IRQ", "USA")
    assert difference.value == pytest.approx(counts["IRQ"].estimate - counts["USA"].estimate)
    assert difference.low < difference.value < difference.high
    back, less = counts.difference("USA", "IRQ")
    assert more + less == pytest.approx(1.0, abs=1e-9)
    assert back.value == pytest.approx(-difference.value)
    with pytest.raises(InputError, match="no group 'IRN'"):
        counts.difference("IRQ", "IRN")
    raw = estimate_counts(news["labels"], news["score"], method="raw", strata=news["stratum"])
    with pytest.raises(InputError, match="hierarchical"):
        raw.difference("IRQ", "USA")


def test_checks_distinguish_a_drifting_score_from_a_stable_one() -> None:
    checks_by_kind = {}
    for kind in ("calibrated", "break"):
        score, truth, cell = population(kind, np.random.default_rng(2))
        sample, labels = labelled(score, truth, 600, 2)
        checks = estimate_counts(labels, score, groups=cell, strata=sample.stratum, rng=0).diagnostics
        assert checks.hidden_coverage > 0.8
        assert checks.worth is not None
        checks_by_kind[kind] = checks
    assert checks_by_kind["break"].raw_error.value > checks_by_kind["calibrated"].raw_error.value


def test_labels_chosen_by_hand_are_reported() -> None:
    score = np.random.default_rng(0).random(2000)
    labels = np.where(score > 0.9, (score > 0.95).astype(float), np.nan)
    counts = estimate_counts(labels, score, rng=0)
    notes, total = counts.notes, counts.total
    assert any("no estimates" in note and "stated sampling design" in note for note in notes)
    assert (total.low, total.high) == (total.positives, 2000 - (total.labelled - total.positives))
    assert np.isnan(total.estimate)
    assert any("has a label" in note and "misses at low scores are unknown" in note for note in notes)


def test_strata_of_the_labelled_units_with_their_chances_are_enough(news: dict[str, np.ndarray]) -> None:
    """What a spreadsheet of labelled units holds says as much as the strata of all units."""
    is_labelled = ~np.isnan(news["labels"])
    size = {name: (news["stratum"] == name).sum() for name in np.unique(news["stratum"])}
    chance = {name: (is_labelled & (news["stratum"] == name)).sum() / size[name] for name in size}
    inclusion = [chance[name] if k else None for name, k in zip(news["stratum"], is_labelled, strict=True)]
    strata = [name if k else None for name, k in zip(news["stratum"], is_labelled, strict=True)]
    full = estimate_counts(news["labels"], news["score"], strata=news["stratum"], rng=0)
    few = estimate_counts(news["labels"], news["score"], strata=strata, inclusion=inclusion, rng=0)
    assert few.to_dict() == full.to_dict()


def test_importance_samples_are_weighted() -> None:
    hits = []
    for run in range(5):
        score, truth, _ = population("misses", np.random.default_rng(run))
        sample, labels = labelled(score, truth, 300, run, design="importance")
        total = estimate_counts(labels, score, inclusion=sample.chances, rng=run).total
        hits.append(total.low <= truth.sum() <= total.high)
    assert sum(hits) >= 4


def importance_coverage(kind: str, runs: int, method: str) -> float:
    """How often the total of an importance sample of 200 labels holds the truth."""
    hits = 0
    for run in range(runs):
        rng = np.random.default_rng(run)
        score, truth = counted_words(rng) if kind == "words" else population(kind, rng)[:2]
        sample, labels = labelled(score, truth, 200, run, design="importance")
        units = read_units(labels, score, inclusion=sample.chances)
        proxy = fit_proxy(units, [], np.random.default_rng(run))
        fitted = cell_counts.fit_cells(units, proxy, with_laws=False)
        total = cell_counts.count_total(units, proxy, fitted, domain=None, method=method, level=0.95)
        hits += bool(total.low <= truth.sum() <= total.high)
    return hits / runs


def test_importance_samples_see_what_a_count_of_words_misses() -> None:
    """Few units of score 0 were drawn, each for many: .815 of the intervals held, before they were drawn more often."""
    assert importance_coverage("words", 40, "difference") >= 0.93


@pytest.mark.slow
@pytest.mark.parametrize("method", ["difference", "labels"])
@pytest.mark.parametrize("kind", ["misses", "break", "words", "rare"])
def test_totals_of_importance_samples_are_covered(kind: str, method: str) -> None:
    assert importance_coverage(kind, 200, method) >= 0.93


def test_cells_and_features_in_several_forms(news: dict[str, np.ndarray]) -> None:
    month, length = np.arange(len(news["score"])) % 3, np.arange(len(news["score"])) % 7
    options = {"strata": news["stratum"], "rng": 0}
    frame = pd.DataFrame({"month": month, "length": length}, index=np.arange(len(month)) + 5)
    counts = estimate_counts(
        news["labels"], news["score"], groups={"month": month}, features={"length": length}, **options
    )
    frames = estimate_counts(
        news["labels"], news["score"], groups=frame[["month"]], features=frame[["length"]], **options
    )
    assert frames.to_dict() == counts.to_dict()
    for column in (frame["length"], length.tolist(), [length], length[:, None]):
        counts_by_name = estimate_counts(
            news["labels"], news["score"], groups=frame["month"], features=column, **options
        )
        assert counts_by_name.total == counts.total
        assert counts_by_name.recipe["features"] == ["feature 1"]


def test_labels_written_as_floats_are_labels(news: dict[str, np.ndarray]) -> None:
    """A column of 1 and 0 with gaps becomes one of 1.0 and 0.0 in many programs."""
    texts = [None if np.isnan(label) else f"{label:.1f}" for label in news["labels"]]
    counts = estimate_counts(news["labels"], news["score"], strata=news["stratum"], rng=0)
    assert estimate_counts(texts, news["score"], strata=news["stratum"], rng=0).to_dict() == counts.to_dict()
    row = next(k for k, text in enumerate(texts) if text is not None)
    with pytest.raises(InputError, match=f"row {row} is '2.0'"):
        estimate_counts([*texts[:row], "2.0", *texts[row + 1 :]], news["score"], strata=news["stratum"])


def test_scores_taken_as_they_are_claim_no_worth() -> None:
    score, truth, _ = population("misses", np.random.default_rng(0), n=400)
    labels = labelled(score, truth, 60, 0, design="simple")[1]
    raw = estimate_counts(labels, score, method="raw", rng=0)
    assert raw.diagnostics.worth is None
    assert raw.notes == (
        "the scores are used as if they were calibrated: the labels changed neither estimates nor intervals",
    )
    assert "as precise as" not in str(raw)


def test_one_cell_says_nothing_of_how_cells_differ() -> None:
    score, truth, cell = population("misses", np.random.default_rng(0), n=400)
    labels = labelled(score, truth, 60, 0, design="simple")[1]
    counts = estimate_counts(labels, score, rng=0)
    assert np.isnan(counts.diagnostics.drift).all()
    assert counts.to_dict()["diagnostics"]["drift"] == [None]
    assert "differ between groups" not in counts.text()
    assert "differ between groups" in estimate_counts(labels, score, groups=cell, rng=0).text()


def test_a_row_is_found_by_any_whole_number(news: dict[str, np.ndarray]) -> None:
    counts = estimate_counts(news["labels"], news["score"], groups=news["actor"], method="labels")
    assert counts[np.int64(1)] == counts[1] == counts["USA"]


def test_documents_as_clusters() -> None:
    rng = np.random.default_rng(0)
    document = np.repeat(np.arange(400), 5)
    score = rng.beta(0.5, 2.0, 2000)
    truth = (rng.random(2000) < score).astype(float)
    sample = draw_label_sample(score, 60, clusters=document, rng=0)
    labels = np.full(2000, np.nan)
    labels[sample.indices] = truth[sample.indices]
    counts = estimate_counts(labels, score, strata=sample.stratum, clusters=document, rng=0)
    assert counts.total.labelled == 300
    assert "clusters" in counts.recipe["design"]
    assert any("independent given their scores" in note for note in counts.notes)
    error = counts.diagnostics.raw_error
    is_labelled = ~np.isnan(labels)
    weight = 1 / sample.inclusion
    expected = calibration_error(
        labels[is_labelled], score[is_labelled], sample_weight=weight, clusters=document[is_labelled]
    )
    assert (error.low, error.high) == pytest.approx((expected.low, expected.high), abs=1e-9)


def test_labels_as_a_mapping_of_rows_say_the_same(news: dict[str, np.ndarray]) -> None:
    labelled_rows = np.flatnonzero(~np.isnan(news["labels"])).tolist()
    counts = estimate_counts(news["labels"], news["score"], rng=0)
    mapped = estimate_counts({row: int(news["labels"][row]) for row in reversed(labelled_rows)}, news["score"], rng=0)
    assert mapped.to_dict() == counts.to_dict()
    size = {name: (news["stratum"] == name).sum() for name in np.unique(news["stratum"])}
    sampled = {name: (news["stratum"][labelled_rows] == name).sum() for name in size}
    of_rows = {row: news["stratum"][row] for row in labelled_rows}
    chances = {row: sampled[name] / size[name] for row, name in of_rows.items()}
    sparse = estimate_counts(news["labels"], news["score"], strata=of_rows, inclusion=chances, rng=0)
    assert sparse.to_dict() == estimate_counts(news["labels"], news["score"], strata=news["stratum"], rng=0).to_dict()


def test_labels_may_be_words(news: dict[str, np.ndarray]) -> None:
    words = [None if np.isnan(label) else "correct" if label else "wrong" for label in news["labels"]]
    counts = estimate_counts(news["labels"], news["score"], rng=0)
    assert estimate_counts(words, news["score"], pos_label="correct", rng=0).to_dict() == counts.to_dict()
    with pytest.raises(InputError, match="Name the positive value: pos_label='wrong' or pos_label='correct'"):
        estimate_counts(words, news["score"])
    with pytest.raises(InputError, match=r"'unsure' is not a label, make it missing \(in files: missing_values="):
        estimate_counts([*words[:-1], "unsure"], news["score"], pos_label="correct")
    with pytest.raises(InputError, match="'right' is not a value of y_true"):
        estimate_counts(words, news["score"], pos_label="right")


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_few_negatives_fall_back_as_few_positives_do(value: float) -> None:
    """The count of what is not positive is N minus the count: both ends mirror each other."""
    rng = np.random.default_rng(0)
    score = rng.random(2_000)
    labels = np.full(2_000, np.nan)
    drawn = rng.choice(2_000, 100, replace=False)
    labels[drawn] = np.where(np.arange(100) < 10, 1 - value, value)
    total = estimate_counts(labels, score, rng=0).total
    assert total.method == "labels"
    mirrored = estimate_counts(1 - labels, 1 - score, rng=0).total
    assert (total.low, total.high) == (2_000 - mirrored.high, 2_000 - mirrored.low)


def test_a_cell_does_not_differ_from_itself(news: dict[str, np.ndarray]) -> None:
    counts = estimate_counts(news["labels"], news["score"], groups=news["actor"], strata=news["stratum"], rng=0)
    same, more = counts.difference("IRQ", "IRQ")
    assert (same.value, same.low, same.high, more) == (0.0, 0.0, 0.0, 0.5)


def test_rounded_chances_are_accepted_with_a_note() -> None:
    score = np.random.default_rng(0).random(2_998)
    strata = np.where(score > 0.7, "high", "low")
    labels = {int(row): int(row) % 2 for name in ("high", "low") for row in np.flatnonzero(strata == name)[:40]}
    chances = {row: round(40 / (strata == strata[row]).sum(), 4) for row in labels}
    counts = estimate_counts(labels, score, strata={row: strata[row] for row in labels}, inclusion=chances, rng=0)
    assert any("probabilities are rounded" in note and "not 2,998" in note for note in counts.notes)


def test_hundreds_of_domains_need_no_matrix_of_them() -> None:
    """The domains with most labels have a coefficient of their own, the others share what is left."""
    rng = np.random.default_rng(0)
    actor, score = rng.integers(0, 400, 20_000), rng.random(20_000)
    truth = rng.random(20_000) < score**2
    _, labels = labelled(score, truth.astype(float), 300, 0)
    units = read_units(labels, score, groups={"actor": actor, "half": np.arange(20_000) % 2})
    proxy = fit_proxy(units, [], rng)
    assert proxy.fits.shape[1] == 1 + 1 + MAX_DOMAINS
    features = proxy.features
    rows = np.arange(500)
    expected = features.matrix(rows) @ proxy.fits[:, 1:].T + proxy.fits[:, 0]
    np.testing.assert_allclose(features.linear(rows, proxy.fits), expected.T, atol=1e-12)


def test_blocks_of_units_change_nothing(news: dict[str, np.ndarray], monkeypatch: pytest.MonkeyPatch) -> None:
    """Large populations are read in blocks, cell by cell; where cells are large, logits alike are taken together."""
    options = {"groups": {"actor": news["actor"], "period": news["period"]}, "strata": news["stratum"], "rng": 0}
    counts = estimate_counts(news["labels"], news["score"], **options)
    for module, name in ((cell_counts, "BLOCK"), (unit_features, "BLOCK"), (cells, "BLOCK")):
        monkeypatch.setattr(module, name, 170)
    small_blocks = estimate_counts(news["labels"], news["score"], **options)
    for row, other in zip((*small_blocks, small_blocks.total), (*counts, counts.total), strict=True):
        assert (row.low, row.estimate, row.high) == pytest.approx((other.low, other.estimate, other.high), abs=1e-6)
    monkeypatch.setattr(cell_counts, "MAX_SINGLE_UNITS", 10)
    binned = estimate_counts(news["labels"], news["score"], **options)
    for row, other in zip((*binned, binned.total), (*counts, counts.total), strict=True):
        assert abs(row.estimate - other.estimate) < 0.1
        assert abs(row.low - other.low) <= 1 >= abs(row.high - other.high)


BASE = {"y_prob": np.linspace(0, 1, 40), "labels": [1, 0] * 10 + [None] * 20}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"y_prob": [0.5, 1.7] + [0.1] * 38}, "y_prob must be between 0 and 1; row 1 is 1.7"),
        ({"y_prob": []}, "y_prob is empty"),
        ({"y_prob": [None] * 40}, "y_prob must not be missing"),
        ({"labels": [1, 0]}, "y_true must have as many rows as y_prob; it has 2, y_prob has 40"),
        ({"labels": [None] * 40}, "at least 10 units must have a label; 0 of 40 have one"),
        ({"labels": [1] + [None] * 39}, "1 of 40 have one"),
        ({"labels": [1, 0, 2] + [1] * 17 + [None] * 20}, "y_true must be 0, 1 or missing; row 2 is 2"),
        ({"labels": ["yes"] + ["0"] * 19 + [""] * 20}, "row 0 is 'yes'"),
        ({"labels": 1}, "y_true must be a list"),
        ({"groups": ["a"] * 39}, "as many rows"),
        ({"groups": ["a"] * 39 + [None]}, "row 39"),
        ({"groups": {}}, "groups names no column"),
        ({"groups": [["a"] * 40, ["b"] * 3]}, "as many rows"),
        ({"features": [["x"] * 40]}, "must be a column of numbers"),
        ({"features": [[1.0] * 39]}, "must have 40 rows"),
        ({"features": {"length": [1.0] * 39 + [float("inf")]}}, r"features\['length'\] must be finite.*row 39"),
        ({"strata": ["a"] * 39 + ["b"]}, "'b' has 1 units and 0 with labels|'b'"),
        ({"strata": ["a"] * 20 + ["b"] * 20}, "'b' has 20 units and 0 with labels; each stratum needs 2"),
        ({"strata": ["a"] * 40, "inclusion": [0.1] * 40}, "there are 200 units; there are 40"),
        (
            {"strata": ["a"] * 40, "inclusion": [0.5] * 10 + [0.4] * 30},
            "the same for all units of a stratum; stratum 'a' has 0.4 and 0.5",
        ),
        ({"strata": [None] * 40, "inclusion": [0.5] * 40}, "missing for a unit with a label; row 0 has none"),
        ({"inclusion": [0.0] + [0.5] * 39}, r"must be greater than 0 and at most 1.*row 0 is 0.0"),
        ({"inclusion": [1.5] + [0.5] * 39}, "row 0 is 1.5"),
        ({"inclusion": [None] * 40}, "row 0 is empty"),
        ({"inclusion": [0.5]}, "inclusion must have as many rows"),
        ({"inclusion": ["often"] * 40}, r"must be greater than 0 and at most 1.*row 0 is 'often'"),
        ({"labels": [{}] * 40}, "y_true must be 0, 1 or missing; row 0 is {}"),
        ({"labels": {7: 1, 40: 0}}, "y_true must map rows, 0 to 39, to values; one of its rows is 40"),
        ({"labels": {"7": 1}}, "one of its rows is '7'"),
        ({"labels": {}}, "0 of 40 have one"),
        ({"labels": dict.fromkeys(range(20), 1), "inclusion": {0: 0.5}}, "row 1 is empty"),
        ({"features": [[1 + 2j] * 40]}, "must not contain complex numbers; row 0 is"),
        ({"features": [["1"] * 39 + ["2,5"]]}, "row 39 is '2,5'"),
        ({"features": [np.ma.masked_array([1.0] * 40, [0] * 39 + [1])]}, "row 39 is empty"),
        ({"groups": {"month": ["a"] * 40, "day": [1.0] * 39 + [float("nan")]}}, r"groups\['day'\].*row 39"),
        ({"features": 3}, "features must be columns of numbers; it is a int"),
        ({"features": [[1e300] * 40]}, r"at most 1e\+100 in size; row 0"),
        ({"clusters": [0] * 21 + list(range(1, 20))}, "labelled completely or not at all.*row 20"),
        ({"clusters": [0]}, "clusters must have as many rows"),
        ({"clusters": list(range(20)) * 2, "inclusion": None}, "labelled completely"),
        ({"method": "magic"}, "magic"),
        ({"level": 95}, "Write 0.95"),
        ({"date": ["2001-01-01"] * 3 + [None] * 97, "period": "year"}, "date must not be missing; row 3"),
        ({"labels": howsure.read("sheet.csv"), "inclusion": None, "strata": ["a"] * 100}, "leave out strata"),
        ({"rng": "dice"}, "rng must be a seed"),
        ({"data": [1, 2]}, "data must be a data frame"),
    ],
)
def test_what_cannot_be_right_is_refused(change: dict, message: str) -> None:
    options = BASE | change
    with pytest.raises(InputError, match=message):
        estimate_counts(options.pop("labels"), options.pop("y_prob"), **options)


def test_arrays_may_be_mixed_with_columns_of_a_frame() -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"score": rng.random(400), "country": np.repeat(["A", "B"], 200), "words": rng.random(400)})
    sample = draw_label_sample(frame["score"], 60, groups=frame[["country"]], rng=0)
    frame["label"] = np.nan
    frame.loc[sample.indices, "label"] = (rng.random(60) < frame["score"].to_numpy()[sample.indices]).astype(float)
    plain = estimate_counts(
        frame["label"],
        frame["score"],
        groups=frame[["country"]],
        features=frame[["words"]],
        strata=sample.stratum,
        rng=0,
    )
    for strata in (sample.stratum, pd.Series(sample.stratum)):
        mixed = estimate_counts(
            "label", "score", groups=["country"], features=frame.columns[2:3], strata=strata, rng=0, data=frame
        )
        assert mixed.to_dict() == plain.to_dict()


@pytest.mark.long
def test_cells_of_an_event_use_their_own_labels() -> None:
    """An event in 3 of 12 cells: in most draws, all cells use their own labels. A note names the cells of the event."""
    hits, by_labels = [], 0
    for run in range(4):
        rng = np.random.default_rng(run)
        cell = rng.integers(0, 12, 2400)
        truth = (rng.random(2400) < np.where(cell < 3, 0.4, 0.01)).astype(float)
        score = np.where(rng.random(2400) < np.where(truth == 1, 0.6, 0.1), rng.random(2400), 0.0)
        sample, labels = labelled(score, truth, 200, run)
        counts = estimate_counts(labels, score, groups=cell, sample=sample, rng=0)
        hits += covered(counts, truth, cell)[:3]
        numbers = np.bincount(cell, weights=truth)
        difference, _ = counts.difference("0", "11")
        hits.append(difference.low <= numbers[0] - numbers[11] <= difference.high)
        notes = [note for note in counts.notes if "differ too much" in note]
        assert {row.method for row in counts} == ({"labels"} if notes else {"hierarchical"})
        by_labels += len(notes)
        for note in notes:
            assert "of 12 contribute" in note
            most = note.partition("(most: ")[2].partition(")")[0].replace(" and ", ", ").split(", ")
            assert set(most) <= {"0", "1", "2"}
    assert sum(hits) >= 14
    assert by_labels >= 3


@pytest.mark.parametrize("design", ["stratified", "importance"])
def test_holes_of_a_sample_are_bounded(design: str) -> None:
    """Half of the positives that were drawn have no label; the interval holds whatever they are, and says so."""
    rng = np.random.default_rng(0)
    truth = (rng.random(2000) < 0.2).astype(float)
    score = np.where(rng.random(2000) < np.where(truth == 1, 0.6, 0.1), rng.random(2000), 0.0)
    sample, labels = labelled(score, truth, 200, 0, design=design)
    whole = estimate_counts(labels, score, sample=sample, rng=0)
    by_hand = {"strata": sample.stratum} if design == "stratified" else {"inclusion": sample.chances}
    assert whole.total.low == pytest.approx(estimate_counts(labels, score, rng=0, **by_hand).total.low, rel=1e-9)
    lost = sample.indices[truth[sample.indices] == 1][::2]
    labels[lost] = np.nan
    counts = estimate_counts(labels, score, sample=sample, rng=0)
    assert counts.total.low <= whole.total.low <= truth.sum() <= whole.total.high <= counts.total.high + 1e-9
    assert counts.total.labelled == 200 - len(lost)
    assert f"{len(lost)} of 200 drawn units have no label" in counts.notes[0]
    labels[np.setdiff1d(np.arange(2000), sample.indices)[0]] = 1.0
    with pytest.raises(InputError, match="was not drawn"):
        estimate_counts(labels, score, sample=sample)


def test_labels_chosen_by_score_within_strata_show_nothing_beyond_themselves() -> None:
    rng = np.random.default_rng(0)
    truth = (rng.random(2000) < 0.2).astype(float)
    score = np.clip(rng.beta(2, 5, 2000) + 0.15 * truth, 0, 1).round(3)
    sample, _ = labelled(score, truth, 200, 0)
    order = np.lexsort((-score, sample.codes))
    rank = np.arange(2000) - np.searchsorted(sample.codes[order], sample.codes[order])
    highest = order[rank < np.bincount(sample.codes[sample.indices])[sample.codes[order]]]
    labels = {row: truth[row] for row in highest.tolist()}
    counts = estimate_counts(labels, score, strata=sample.stratum, rng=0)
    assert np.isnan(counts.total.estimate)
    assert counts.total.low <= truth.sum() <= counts.total.high
    assert any(note.startswith("no estimates") for note in counts.notes)


@pytest.mark.long
def test_few_long_documents_are_bounded() -> None:
    """60 documents read; 5 % of them contain 40 pairs and most of the positives: 12 draws, none outside."""
    hits = []
    for run in range(12):
        rng = np.random.default_rng(run)
        long = rng.random(800) < 0.05
        document = np.repeat(np.arange(800), np.where(long, 40, rng.integers(1, 4, 800)))
        truth = (rng.random(len(document)) < np.where(long, 0.5, 0.15)[document]).astype(float)
        sampled = np.isin(document, rng.choice(800, 60, replace=False))
        counts = estimate_counts(
            np.where(sampled, truth, np.nan), np.full(len(document), 0.5), clusters=document, rng=0
        )
        hits.append(counts.total.low <= truth.sum() <= counts.total.high)
        assert any("the largest has 40 units" in note for note in counts.notes)
    assert all(hits)
