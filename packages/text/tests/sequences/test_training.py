"""L-BFGS: where it ends, when, and what Ctrl-C leaves."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.sequences.corpora import made_up
from tests.sequences.enumeration import Enumeration

from howsure_text.sequences.crf import CRFTagger
from howsure_text.sequences.features import Attributes, Design, design_of_items, design_of_words, feature_families
from howsure_text.sequences.sentences import encode_tags
from howsure_text.sequences.training import Layout, Objective, Part, Training, descend, draw_parts, minimise


def bowl(weights: np.ndarray) -> tuple[float, np.ndarray]:
    """A quadratic with its minimum 1 at (1, 2, …), ill-conditioned."""
    scale, centre = 10.0 ** np.arange(len(weights)), np.arange(1.0, len(weights) + 1)
    return 1 + float(scale @ (weights - centre) ** 2), 2 * scale * (weights - centre)


def test_it_finds_the_minimum() -> None:
    minimum = minimise(bowl, np.zeros(4), max_iterations=1000, tolerance=1e-12)
    np.testing.assert_allclose(minimum.weights, [1, 2, 3, 4], atol=1e-4)
    assert minimum.stopped == "converged"
    assert list(minimum.values) == sorted(minimum.values, reverse=True)
    assert bowl(minimum.weights)[0] == minimum.values[-1]


def test_the_number_of_iterations_is_a_limit() -> None:
    ticks: list[int] = []
    minimum = minimise(bowl, np.zeros(4), max_iterations=3, tolerance=0.0, advance=ticks.append)
    assert minimum.stopped == "max_iterations"
    assert ticks == [1, 1, 1]
    assert len(minimum.values) == 3


def test_a_start_at_the_minimum_is_the_end() -> None:
    minimum = minimise(bowl, np.arange(1.0, 4.0), max_iterations=10, tolerance=1e-9)
    assert minimum.weights.tolist() == [1, 2, 3]
    assert minimum.values == (1.0,)
    assert minimum.stopped == "converged"


@pytest.mark.parametrize("calls", [1, 2, 5])
def test_an_interruption_leaves_the_best_so_far(calls: int) -> None:
    values: list[float] = []

    def interrupted(weights: np.ndarray) -> tuple[float, np.ndarray]:
        if len(values) == calls:
            raise KeyboardInterrupt
        values.append(bowl(weights)[0])
        return bowl(weights)

    minimum = minimise(interrupted, np.zeros(4), max_iterations=1000, tolerance=0.0)
    assert minimum.stopped == "interrupted"
    assert bowl(minimum.weights)[0] == min([*minimum.values, bowl(np.zeros(4))[0]])


def test_an_interruption_during_progress_counts_too() -> None:
    def stop(_: int) -> None:
        raise KeyboardInterrupt

    minimum = minimise(bowl, np.zeros(4), max_iterations=1000, tolerance=0.0, advance=stop)
    assert minimum.stopped == "interrupted"
    assert bowl(minimum.weights)[0] == minimum.values[0] < bowl(np.zeros(4))[0]


# AdaGrad: its steps against the formula, its end near that of L-BFGS, and what Ctrl-C leaves.


WORDS, TAGS = made_up(60, seed=2)


def setting(size: int) -> tuple[Objective, list[Part]]:
    labels, codes = encode_tags(TAGS)
    attributes = Attributes(growing=True)
    design = design_of_words(WORDS, ("word", "suffixes"), attributes)
    layout = Layout.of(design, codes, len(attributes), len(labels))
    parts = draw_parts(design, codes, layout, size=size, rng=np.random.default_rng(0))
    return Objective(design, codes, layout, c2=0.1), parts


def run(
    size: int, *, seed: int = 0, rate: float = 1.0, passes: int = 50, tolerance: float = 0.0, start=0.0, **options
) -> Training:
    objective, parts = setting(size)
    weights = np.zeros(len(objective.layout)) + start
    rng = np.random.default_rng(seed)
    return descend(
        objective, parts, weights, learning_rate=rate, max_iterations=passes, tolerance=tolerance, rng=rng, **options
    )


def test_the_first_steps_are_those_of_the_formula() -> None:
    """With one part, a pass is one step on the whole objective."""
    objective, parts = setting(60)
    assert len(parts) == 1
    weights, squares = np.zeros(len(objective.layout)), np.zeros(len(objective.layout))
    for _ in range(2):
        _, gradient = objective(weights)
        squares += gradient**2
        weights = weights - 1.0 * gradient / (np.sqrt(squares) + 1e-8)
    outcome = run(60, passes=2)
    assert outcome.values[-1] == pytest.approx(objective(weights)[0], rel=1e-9)


def test_it_comes_near_the_minimum() -> None:
    objective, _ = setting(10)
    best = minimise(objective, np.zeros(len(objective.layout)), max_iterations=1000, tolerance=1e-9).values[-1]
    outcome = run(10, passes=100)
    assert best <= min(outcome.values) < 1.01 * best
    assert objective(outcome.weights)[0] == pytest.approx(min(outcome.values))


def test_it_stops_when_little_is_gained() -> None:
    outcome = run(10, passes=1000, tolerance=1e-2)
    assert outcome.stopped == "converged"
    assert 10 < len(outcome.values) < 100
    assert run(10, passes=3).stopped == "max_iterations"


def test_a_seed_repeats_it() -> None:
    np.testing.assert_array_equal(run(10, passes=3).weights, run(10, passes=3).weights)
    assert run(10, passes=3, seed=1).values != run(10, passes=3).values


def test_weights_that_cannot_be_bettered_stay() -> None:
    objective, _ = setting(10)
    best = minimise(objective, np.zeros(len(objective.layout)), max_iterations=1000, tolerance=1e-9)
    outcome = run(10, rate=100.0, passes=3, start=best.weights)
    assert min(outcome.values) > best.values[-1]
    np.testing.assert_array_equal(outcome.weights, best.weights)


@pytest.mark.parametrize("ticks", [1, 4])
def test_an_interruption_leaves_the_best_pass(ticks: int) -> None:
    counts: list[int] = []

    def stop(n: int) -> None:
        counts.append(n)
        if len(counts) == ticks:
            raise KeyboardInterrupt

    outcome = run(10, advance=stop)
    assert outcome.stopped == "interrupted"
    assert len(outcome.values) == ticks
    assert setting(10)[0](outcome.weights)[0] == pytest.approx(min(outcome.values))


def test_the_seed_is_known_and_saved_whether_given_or_not(tmp_path: Path) -> None:
    words, tags = made_up(30)
    options: dict[str, Any] = {"trainer": "adagrad", "max_iterations": 3, "batch_size": 5}
    drawn = CRFTagger(**options).fit(words, tags)
    assert isinstance(drawn.seed_, int)
    again = CRFTagger(**options, rng=drawn.seed_).fit(words, tags)
    np.testing.assert_array_equal(again.weights_.toarray(), drawn.weights_.toarray())
    drawn.save(tmp_path / "model")
    assert CRFTagger.load(tmp_path / "model").seed_ == drawn.seed_
    assert CRFTagger(**options, rng=7).fit(words, tags).seed_ == 7
    assert CRFTagger(**options, rng=np.random.default_rng(7)).fit(words, tags).seed_ is None


def objective_of(features: str | None = "advanced", *, sentences: int = 6) -> tuple[Design, np.ndarray, Layout]:
    words, tags = made_up(sentences, seed=5, longest=5)
    labels, codes = encode_tags(tags)
    attributes = Attributes(growing=True)
    if features is None:
        rng = np.random.default_rng(0)
        items = [[{word: float(rng.normal()), "bias": 1.0} for word in sentence] for sentence in words]
        design = design_of_items(items, attributes)
    else:
        design = design_of_words(words, feature_families(features), attributes)
    return design, codes, Layout.of(design, codes, len(attributes), len(labels))


@pytest.mark.parametrize("features", ["basic", "advanced", None])
def test_the_value_is_that_of_enumeration(features: str | None) -> None:
    design, codes, layout = objective_of(features)
    weights = np.random.default_rng(1).normal(size=len(layout))
    state, transition = layout.unpack(weights)
    expected, start = 0.3 * float(weights @ weights), 0
    for length in design.lengths.tolist():
        tokens = range(start, start + length)
        rows = [sum(b.matrix[[b.rows[t]]].toarray()[0] @ state for b in design.blocks) for t in tokens]
        every = Enumeration(np.array(rows), transition)
        expected += every.log_z - every.score([int(code) for code in codes[start : start + length]])
        start += length
    value, _ = Objective(design, codes, layout, c2=0.3)(weights)
    assert value == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize("features", ["basic", "advanced", None])
def test_the_gradient_is_that_of_differences(features: str | None) -> None:
    design, codes, layout = objective_of(features)
    objective = Objective(design, codes, layout, c2=0.3)
    rng = np.random.default_rng(2)
    weights = rng.normal(size=len(layout))
    _, gradient = objective(weights)
    for place in rng.choice(len(layout), size=min(40, len(layout)), replace=False):
        step = np.zeros(len(layout))
        step[place] = 1e-5
        difference = (objective(weights + step)[0] - objective(weights - step)[0]) / 2e-5
        assert gradient[place] == pytest.approx(difference, abs=1e-6)


def test_there_are_weights_for_what_was_seen_together() -> None:
    words, tags = [["a", "b"], ["b"]], [["X", "Y"], ["X"]]
    labels, codes = encode_tags(tags)
    attributes = Attributes(growing=True)
    layout = Layout.of(design_of_words(words, ("word",), attributes), codes, len(attributes), len(labels))
    state, transition = layout.unpack(np.arange(1.0, 5.0))
    assert list(attributes.number) == ["word=a", "word=b"]
    assert state.tolist() == [[1.0, 0.0], [2.0, 3.0]]
    assert transition.tolist() == [[0.0, 4.0], [0.0, 0.0]]
    assert layout.pack(state, transition).tolist() == [1.0, 2.0, 3.0, 4.0]


def test_values_that_cancel_keep_their_weight() -> None:
    design = design_of_items([[{"a": 1.0}, {"a": -1.0}]], Attributes(growing=True))
    assert len(Layout.of(design, np.array([0, 0]), 1, 1)) == 2


def test_the_parts_add_up_to_the_whole() -> None:
    design, codes, layout = objective_of(sentences=23)
    objective = Objective(design, codes, layout, c2=0.3)
    weights = np.random.default_rng(3).normal(size=len(layout))
    parts = draw_parts(design, codes, layout, size=10, rng=np.random.default_rng(0))
    assert [part.share for part in parts] == [10 / 23, 10 / 23, 3 / 23]
    value, gradient = 0.0, np.zeros(len(layout))
    for part in parts:
        loss, slope = part.objective(weights[part.weights])
        value += loss + 0.3 * part.share * float(weights @ weights)
        gradient += 0.6 * part.share * weights
        gradient[part.weights] += slope
    whole, whole_gradient = objective(weights)
    assert value == pytest.approx(whole, abs=1e-10)
    np.testing.assert_allclose(gradient, whole_gradient, atol=1e-10)


def test_wild_weights_do_no_harm() -> None:
    """Where potentials leave the range of exp, scores are so far apart that log Z is the best one."""
    design, codes, layout = objective_of("basic")
    weights = 1e4 * np.random.default_rng(4).normal(size=len(layout))
    state, transition = layout.unpack(weights)
    expected, start = 0.0, 0
    for length in design.lengths.tolist():
        rows = state[design.blocks[0].matrix.indices[design.blocks[0].rows[start : start + length]]]
        every = Enumeration(rows, transition)
        expected += every.log_z - every.score([int(code) for code in codes[start : start + length]])
        start += length
    value, gradient = Objective(design, codes, layout, c2=0.0)(weights)
    assert value == pytest.approx(expected, rel=1e-12)
    assert np.abs(gradient).max() <= design.lengths.sum()
