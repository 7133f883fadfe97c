"""Real files of predictions: what their readmes count is what is read."""

from __future__ import annotations

from pathlib import Path

import pytest

import howsure


@pytest.mark.long
def test_answers_of_language_models_with_unparseable_ones_skipped(real_data: Path) -> None:
    with howsure.read(
        real_data / "llm_mcq_confidence" / "mmlu.tsv.gz", missing_values=["unparseable"], skip_missing=True
    ).predictions("grade", "confidence", pos_label="correct", groups="model", clusters="question") as predictions:
        assert (predictions.n, predictions.skipped) == (168_000 - 423, {"grade": 423})
        assert len(predictions.group_names) == 14
        assert predictions.pairs().labels.sum() == 93_585


def test_lists_of_probabilities_of_three_runs(real_data: Path) -> None:
    files = real_data / "nli_model_predictions" / "MNLI_dev_roberta-base_*.jsonl.gz"
    with howsure.read(files).predictions(
        "true", howsure.Given("probs_column", "probs", reduce="top-label")
    ) as predictions:
        assert predictions.n == 3 * 4_772
        accuracy = [part.mean().round(3) for part in predictions.pairs().labels.reshape(3, -1)]
    assert accuracy == [0.797, 0.792, 0.794]
