"""Samples for labels: chances that are true, misses that are seen, batches that go on, files that come back."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tests.counts.populations import labelled

import howsure
from howsure.counts import LabelSample, draw_label_sample, estimate_counts, plan_label_sample
from howsure.counts.further_labels import join_samples, recovered_sample
from howsure.counts.label_sample import allocation, score_bands
from howsure.counts.population import read_units
from howsure.errors import InputError
from howsure.files.serialization import write_model

SCORE = np.concatenate([np.zeros(300), np.random.default_rng(0).beta(0.4, 2.0, 700)])


@pytest.mark.parametrize("design", ["stratified", "simple", "importance"])
def test_units_are_drawn_as_often_as_their_chance_says(design: str) -> None:
    times = np.zeros(len(SCORE))
    chance = np.zeros(len(SCORE))
    for seed in range(400):
        sample = draw_label_sample(SCORE, 60, design=design, rng=seed)
        assert len(sample) == 60
        times[sample.indices] += 1
        chance[sample.indices] = sample.inclusion
    drawn = times > 0
    z = (times[drawn] / 400 - chance[drawn]) / np.sqrt(chance[drawn] * (1 - chance[drawn]) / 400)
    assert np.abs(z).max() < 5.0
    assert abs(z.mean()) < 0.2


def test_the_low_band_is_read_too() -> None:
    sample = draw_label_sample(SCORE, 60, rng=0)
    assert sample.strata[0] == "score 0"
    assert (SCORE[sample.indices] == 0).sum() >= 8
    np.testing.assert_array_equal(sample.stratum == "score 0", SCORE == 0)


def test_strata_go_by_period_where_labels_suffice() -> None:
    period = np.repeat(["2001", "2002"], 500)
    assert len(draw_label_sample(SCORE, 12, groups=period, rng=0).strata) == 4
    assert "score 0, 2001" in draw_label_sample(SCORE, 100, groups={"period": period}, rng=0).strata


def test_clusters_are_drawn_whole() -> None:
    document = np.arange(1000) // 4
    sample = draw_label_sample(SCORE, 40, clusters=document, rng=1)
    assert len(np.unique(document[sample.indices])) == 40
    assert len(sample) == 160


def test_a_next_batch_goes_where_labels_vary() -> None:
    first = draw_label_sample(SCORE, 60, rng=0)
    labels = np.full(len(SCORE), np.nan)
    labels[first.indices] = SCORE[first.indices] == 0  # all that the model misses
    labels[first.indices[::2]] = 0
    second = draw_label_sample(SCORE, 40, batch=(first, labels), rng=1)
    assert len(second) == 40
    assert not set(second.indices) & set(first.indices)
    of_zero = (SCORE[second.indices] == 0).sum()
    size = (SCORE == 0).sum()
    had = (SCORE[first.indices] == 0).sum()
    chances = second.inclusion[SCORE[second.indices] == 0]
    np.testing.assert_allclose(chances, (had + of_zero) / size)
    assert of_zero > had / 60 * 40


def test_the_same_seed_draws_the_same() -> None:
    first, two = (draw_label_sample(SCORE, 50, rng=7) for _ in range(2))
    np.testing.assert_array_equal(first.indices, two.indices)
    assert first.recipe["seed"] == 7


def test_a_sample_comes_back_from_its_file(tmp_path: Path) -> None:
    sample = draw_label_sample(SCORE, 50, rng=7)
    sample.save(tmp_path / "sample.npz")
    loaded = LabelSample.load(tmp_path / "sample.npz")
    assert loaded.to_dict() == sample.to_dict()
    np.testing.assert_array_equal(loaded.stratum, sample.stratum)
    (tmp_path / "bad.npz").write_bytes((tmp_path / "sample.npz").read_bytes()[:200])


@pytest.mark.parametrize("n", [4, 17, 60, 500, 1000])
def test_labels_are_allotted_in_full(n: int) -> None:
    size = np.array([700, 200, 90, 10])
    allotted = allocation(size, np.array([0.1, 0.3, 0.5, 0.5]), min(max(n, 8), 1000))
    assert allotted.sum() == min(max(n, 8), 1000)
    assert (allotted >= 2).all()
    assert (allotted <= size).all()


def test_labels_go_where_most_units_and_most_doubt_are() -> None:
    size, spread = np.array([2400, 180, 180, 200]), np.array([0.3, 0.4, 0.5, 0.4])
    allotted = allocation(size, spread, 200)
    np.testing.assert_allclose(allotted, 200 * size * spread / (size * spread).sum(), atol=1.0)


def test_bands_part_the_scores_in_order() -> None:
    codes, names = score_bands(SCORE)
    assert len(names) == codes.max() + 1
    assert (np.diff(codes[np.argsort(SCORE, kind="stable")]) >= 0).all()
    assert score_bands(np.zeros(5))[1] == ("score 0",)
    assert score_bands(np.ones(5))[1] == ("score (0, 1]",)


def test_a_plan_without_labels_suffices_whatever_the_labels_are() -> None:
    """79 labels were planned for a width of a tenth where a judge says 0 or 1; as many gave twice the width."""
    rng = np.random.default_rng(0)
    truth = rng.random(4000) < 0.3
    judge = np.where(rng.random(4000) < 0.75, truth, ~truth).astype(float)
    n = plan_label_sample(judge, width=400).labels
    assert n == plan_label_sample(np.zeros(4000), width=400, design="simple").labels
    sample, labels = labelled(judge, truth.astype(float), n, 0)
    total = estimate_counts(labels, judge, strata=sample.stratum, rng=0).total
    assert 250 < total.high - total.low <= 400


@pytest.mark.parametrize("kind", ["misses", pytest.param("says nothing", marks=pytest.mark.long)])
def test_a_plan_from_labels_knows_what_scores_are_worth(kind: str) -> None:
    """The mean width of what 6 pilots of 80 labels planned: less than labels alone need, and about as wide as named."""
    wide, planned = [], []
    for run in range(6):
        rng = np.random.default_rng(run)
        truth = rng.random(5000) < 0.2
        detected = np.where(truth & (rng.random(5000) < 0.4), rng.beta(6, 2, 5000), 0.0)
        score = detected if kind == "misses" else rng.beta(1, 4, 5000)
        _, labels = labelled(score, truth.astype(float), 80, run)
        planned.append(plan_label_sample(score, width=500, y_true=labels).labels)
        sample, labels = labelled(score, truth.astype(float), planned[-1], run + 100)
        total = estimate_counts(labels, score, strata=sample.stratum, rng=0).total
        wide.append(total.high - total.low)
    assert np.mean(planned) < plan_label_sample(score, width=500).labels
    assert np.mean(wide) == pytest.approx(500, rel=0.1)


def test_a_third_batch_draws_nothing_twice() -> None:
    score = np.random.default_rng(0).beta(0.4, 2.0, 300)
    labels, drawn, batch = np.full(300, np.nan), set(), None
    for run in range(3):
        sample = draw_label_sample(score, 80, batch=batch, rng=run)
        assert not drawn & set(sample.indices.tolist())
        drawn |= set(sample.indices.tolist())
        labels[sample.indices] = score[sample.indices] > 0.3
        batch = (sample, labels)
    assert sample.recipe["after"] == 160
    size = np.bincount(sample.codes)
    both = np.bincount(sample.codes[sorted(drawn)])
    np.testing.assert_allclose(sample.inclusion, (both / size)[sample.codes[sample.indices]])


@pytest.mark.parametrize(
    "changed", [{"indices": np.array([-1, 2])}, {"indices": np.array([0.0, 2.0])}, {"inclusion": np.array([0.5, -3.0])}]
)
def test_a_file_with_inconsistent_parts_is_not_a_sample(tmp_path: Path, changed: dict) -> None:
    parts = {"indices": np.array([0, 2]), "inclusion": np.full(2, 0.5), "codes": np.zeros(4, dtype=np.int64)}
    content = {"recipe": {}, "strata": ["all"]}
    write_model(tmp_path / "good.npz", kind="sample for labels", schema=1, content=content, arrays=parts)
    assert len(LabelSample.load(tmp_path / "good.npz")) == 2
    write_model(tmp_path / "bad.npz", kind="sample for labels", schema=1, content=content, arrays=parts | changed)
    with pytest.raises(InputError, match="do not fit together"):
        LabelSample.load(tmp_path / "bad.npz")


def test_further_units_keep_the_design_of_those_before() -> None:
    first = draw_label_sample(SCORE, 40, design="simple", rng=0)
    labels = np.full(1000, np.nan)
    labels[first.indices] = 0.0
    second = draw_label_sample(SCORE, 40, batch=(first, labels), rng=1)
    assert second.recipe["design"] == "simple"
    assert draw_label_sample(SCORE, 40, design="simple", batch=(first, labels), rng=1).to_dict() == second.to_dict()
    for changed in ({"design": "importance"}, {"bands": np.arange(1000) % 3}, {"groups": np.arange(1000) % 3}):
        with pytest.raises(InputError, match="leave out groups, bands and design"):
            draw_label_sample(SCORE, 40, batch=(first, labels), rng=1, **changed)


# A sample that is extended: its strata are found again, and both draws together have the chances of one.


PERIOD = np.arange(1000) // 250
DOCUMENT = np.arange(1000) // 4


@pytest.mark.parametrize("design", ["stratified", "simple"])
@pytest.mark.parametrize("clusters", [None, DOCUMENT])
@pytest.mark.parametrize("n", [40, 120])
def test_strata_are_found_again(design: str, clusters: np.ndarray | None, n: int) -> None:
    """Strata by period or without, as the first sample had labels for."""
    options = {"groups": PERIOD, "clusters": clusters}
    first = draw_label_sample(SCORE, n, design=design, rng=0, **options)
    recovered = recovered_sample(SCORE, {row: first.stratum[row] for row in first.indices.tolist()}, **options)
    np.testing.assert_array_equal(recovered.indices, first.indices)
    np.testing.assert_array_equal(recovered.stratum, first.stratum)
    np.testing.assert_allclose(recovered.inclusion, first.inclusion)


def test_both_draws_have_the_chances_of_their_strata() -> None:
    first = draw_label_sample(SCORE, 60, rng=0)
    labels = {row: row % 2 for row in first.indices.tolist()}
    further = draw_label_sample(SCORE, 40, batch=(first, labels), rng=1)
    both = join_samples(first, further)
    assert len(both) == 100
    chances = dict(zip(both.indices.tolist(), both.inclusion.tolist(), strict=True))
    for row, chance in zip(further.indices.tolist(), further.inclusion.tolist(), strict=True):
        assert chances[row] == pytest.approx(chance)
    assert (1 / both.inclusion).sum() == pytest.approx(1000)


# Units as read: a sample that was drawn by the rules is taken, whatever its luck.


def test_no_importance_sample_is_refused_for_its_luck() -> None:
    """Few units above 0 with large chances: how many of the others are drawn varies much from draw to draw."""
    score = np.r_[np.zeros(1059), np.linspace(0.5, 0.8, 198)]
    for run in range(200):
        sample = draw_label_sample(score, 200, design="importance", rng=run)
        labels = np.where(np.isnan(sample.chances), np.nan, 0.0)
        read_units(labels, score, inclusion=sample.chances)


def test_labels_that_a_spreadsheet_would_calculate_come_back(tmp_path: Path) -> None:
    score, path = np.arange(40) / 40, tmp_path / "sheet.csv"
    first = howsure.draw_label_sample(score, 8, rng=1).to_csv()
    rows = list(csv.DictReader(io.StringIO(first)))
    with open(path, "w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows({**row, "label": ("'=yes", "no")[number % 2]} for number, row in enumerate(rows))
    more = howsure.draw_label_sample(score, 12, more=howsure.read(path), rng=2).to_csv()
    labels = [row["label"] for row in csv.DictReader(io.StringIO(more))]
    assert sorted(filter(None, labels)) == ["'=yes"] * 4 + ["no"] * 4


def test_a_column_with_a_role_is_shown_too() -> None:
    data = pd.DataFrame({"id": [*"abcdefgh"], "p": np.arange(8) / 10})
    sheet = howsure.draw_label_sample("p", 4, design="simple", show=["p", "id"], data=data, rng=0).to_csv()
    for row in csv.DictReader(io.StringIO(sheet)):
        assert (float(row["p"]), row["id"]) == (data.p[int(row["row"]) - 1], data.id[int(row["row"]) - 1])
