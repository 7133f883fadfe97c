"""The square of pair probabilities: its colours, its frames, its words."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.patches import Rectangle

from howsure.errors import InputError
from howsure.figures.coreference import NAMED_UP_TO, pair_figure

TOGETHER = np.array([[1.0, 0.8, 0.1], [0.8, 1.0, 0.2], [0.1, 0.2, 1.0]])


def test_it_shows_the_probabilities_and_frames_the_entities() -> None:
    figure = pair_figure(TOGETHER, ["Ann", "she", "the $doctor$"], entities=[0, 0, 2], title="$x$")
    axes = figure.axes[0]
    np.testing.assert_array_equal(np.asarray(axes.images[0].get_array()), TOGETHER)
    assert axes.images[0].get_clim() == (0.0, 1.0)
    frames = [patch for patch in axes.patches if isinstance(patch, Rectangle)]
    assert [(frame.get_xy(), frame.get_width()) for frame in frames] == [((-0.5, -0.5), 2)]
    assert [tick.get_text() for tick in axes.get_yticklabels()] == ["Ann", "she", "the $doctor$"]
    assert axes.get_title() == "$x$"
    figure.canvas.draw()  # no dollar sign starts a formula


def test_many_mentions_have_no_room_for_words() -> None:
    n = NAMED_UP_TO + 1
    axes = pair_figure(np.eye(n), ["x"] * n, entities=range(n)).axes[0]
    assert list(axes.get_xticks()) == []
    assert axes.get_xlabel() == f"{n} mentions"
    assert not axes.patches


@pytest.mark.parametrize(("names", "entities"), [(["a"], [0, 1, 2]), (["a", "b", "c"], [0]), ([], [])])
def test_what_does_not_fit_is_refused(names: list[str], entities: list[int]) -> None:
    with pytest.raises(InputError, match="together must be"):
        pair_figure(TOGETHER, names, entities=entities)
