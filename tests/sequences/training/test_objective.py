"""The objective and its gradient, against every tag sequence written out and against differences."""

from __future__ import annotations

import numpy as np
import pytest

from howsure.sequences.features import Attributes, Design, design_of_items, design_of_words, families_of
from howsure.sequences.training import Layout, Objective, parts_of
from howsure.sequences.words import coded
from tests.sequences.corpora import made_up
from tests.sequences.enumeration import Enumeration


def setting(features: str | None = "advanced", *, sentences: int = 6) -> tuple[Design, np.ndarray, Layout]:
    words, tags = made_up(sentences, seed=5, longest=5)
    labels, codes = coded(tags)
    attributes = Attributes(growing=True)
    if features is None:
        rng = np.random.default_rng(0)
        items = [[{word: float(rng.normal()), "bias": 1.0} for word in one] for one in words]
        design = design_of_items(items, attributes)
    else:
        design = design_of_words(words, families_of(features), attributes)
    return design, codes, Layout.of(design, codes, len(attributes), len(labels))


@pytest.mark.parametrize("features", ["basic", "advanced", None])
def test_the_value_is_that_of_enumeration(features: str | None) -> None:
    design, codes, layout = setting(features)
    weights = np.random.default_rng(1).normal(size=len(layout))
    state, transition = layout.unpack(weights)
    wanted, start = 0.3 * float(weights @ weights), 0
    for length in design.lengths.tolist():
        tokens = range(start, start + length)
        rows = [sum(b.matrix[[b.rows[t]]].toarray()[0] @ state for b in design.blocks) for t in tokens]
        every = Enumeration(np.array(rows), transition)
        wanted += every.log_z - every.score([int(code) for code in codes[start : start + length]])
        start += length
    value, _ = Objective(design, codes, layout, c2=0.3)(weights)
    assert value == pytest.approx(wanted, abs=1e-10)


@pytest.mark.parametrize("features", ["basic", "advanced", None])
def test_the_gradient_is_that_of_differences(features: str | None) -> None:
    design, codes, layout = setting(features)
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
    labels, codes = coded(tags)
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
    design, codes, layout = setting(sentences=23)
    objective = Objective(design, codes, layout, c2=0.3)
    weights = np.random.default_rng(3).normal(size=len(layout))
    parts = parts_of(design, codes, layout, size=10, rng=np.random.default_rng(0))
    assert [part.share for part in parts] == [10 / 23, 10 / 23, 3 / 23]
    value, gradient = 0.0, np.zeros(len(layout))
    for part in parts:
        own, slope = part.objective(weights[part.weights])
        value += own + 0.3 * part.share * float(weights @ weights)
        gradient += 0.6 * part.share * weights
        gradient[part.weights] += slope
    whole, wanted = objective(weights)
    assert value == pytest.approx(whole, abs=1e-10)
    np.testing.assert_allclose(gradient, wanted, atol=1e-10)


def test_wild_weights_do_no_harm() -> None:
    """Where potentials leave the range of exp, scores are so far apart that log Z is the best one."""
    design, codes, layout = setting("basic")
    weights = 1e4 * np.random.default_rng(4).normal(size=len(layout))
    state, transition = layout.unpack(weights)
    wanted, start = 0.0, 0
    for length in design.lengths.tolist():
        rows = state[design.blocks[0].matrix.indices[design.blocks[0].rows[start : start + length]]]
        every = Enumeration(rows, transition)
        wanted += every.log_z - every.score([int(code) for code in codes[start : start + length]])
        start += length
    value, gradient = Objective(design, codes, layout, c2=0.0)(weights)
    assert value == pytest.approx(wanted, rel=1e-12)
    assert np.abs(gradient).max() <= design.lengths.sum()
