"""Calibration against accuracy, setting by setting, on a slice of the data."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from howsure_papers import regulariser
from howsure_papers.regulariser import CRF, GRIDS, HMM, KINDS, every_fit, near_extremes, reproduce_regulariser
from howsure_papers.replicates import random_subsamples
from howsure_papers.reproduction import nobody
from howsure_papers.tagging.corpora import read_wsj

from howsure.sequences.crf import CRFTagger

SMALL = dict.fromkeys(KINDS, (1.0, 0.1))


@pytest.mark.long
def test_the_experiment(real_data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(regulariser, "GRIDS", SMALL)
    monkeypatch.setattr(regulariser, "SUBSAMPLES", 2)
    monkeypatch.setattr(regulariser, "random_subsamples", partial(random_subsamples, times=2))
    steps: list[int] = []
    result = reproduce_regulariser(data=str(real_data), limit=6, seed=1, advance=steps.append)
    assert sum(steps) == regulariser.steps_of_regulariser()
    assert len(result.findings) == 2 * (len(KINDS) + 1)
    assert set(result.draw()) == set(result.captions) == {"settings-wsj", "settings-ewt"}
    assert [len(table.rows) for table in result.tables] == [2 * len(KINDS)] * 2
    json.dumps(result.to_dict(), allow_nan=False)


def test_every_setting_is_a_model_of_its_own(real_data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(regulariser, "GRIDS", SMALL)
    corpus = read_wsj(str(real_data), 30)
    fits = every_fit(corpus, CRF, nobody)
    alone = CRFTagger(c2=0.1).fit(corpus.train.sentences, corpus.train.tags)
    assert fits[1].accuracy == pytest.approx(alone.score(corpus.test.sentences, corpus.test.tags), abs=0.01)
    assert not np.array_equal(fits[0].pairs.probabilities, fits[1].pairs.probabilities)


def test_of_settings_of_equal_accuracy_the_worst_and_the_best_calibrated(
    real_data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(regulariser, "GRIDS", SMALL)
    one = every_fit(read_wsj(str(real_data), 30), HMM, nobody)[0]
    made_up = [(0.70, 0.9), (0.795, 0.2), (0.80, 0.1), (0.791, 0.3), (0.78, 0.0)]
    fits = [replace(one, dev_accuracy=accuracy, dev_error=error) for accuracy, error in made_up]
    worst, least = near_extremes(fits)
    assert (worst.dev_error, least.dev_error) == (0.3, 0.1)


def test_the_grids_go_from_the_strongest_to_the_weakest() -> None:
    assert all(list(grid) == sorted(grid, reverse=True) for grid in GRIDS.values())
