"""What a score measures, by its name: quality and its direction, a cost, or a count."""

from __future__ import annotations

import pytest

from howsure.inputs.measures import measure_named


@pytest.mark.parametrize(
    "name", ["acc", "acc_norm", "exact_match", "f1_score", "rougeL", "num_correct", "toxicity_accuracy", "win", "score"]
)
def test_more_of_quality_is_better(name: str) -> None:
    measure = measure_named(name)
    assert (measure.is_quality, measure.lower_is_better) == (True, False)


@pytest.mark.parametrize(
    "name",
    ["word_perplexity", "bits_per_byte", "wer", "brier_score", "expected_max_toxicity", "edit_distance", "error_rate",
     "Hallucination", "squared_error"],
)  # fmt: skip
def test_less_of_an_error_is_better(name: str) -> None:
    measure = measure_named(name)
    assert (measure.is_quality, measure.lower_is_better) == (True, True)


@pytest.mark.parametrize("name", ["inference_runtime", "training_co2_cost", "promptTokens", "latency", "judge.cost"])
def test_lower_costs_are_better(name: str) -> None:
    measure = measure_named(name)
    assert (measure.is_quality, measure.lower_is_better) == (False, True)


@pytest.mark.parametrize(
    "name", ["num_references", "num_prompt_tokens", "batch_size", "acc_stderr", "max_prob", "finish_reason_stop",
             "prompt_truncated", "logprob"]
)  # fmt: skip
def test_counts_have_no_better_direction(name: str) -> None:
    measure = measure_named(name)
    assert (measure.is_quality, measure.lower_is_better) == (False, None)


def test_bounds_are_those_that_a_program_defines() -> None:
    assert measure_named("win", {"win": (0.0, 1.0)}).bounds == (0.0, 1.0)
    assert measure_named("acc", {"win": (0.0, 1.0)}).bounds is None
