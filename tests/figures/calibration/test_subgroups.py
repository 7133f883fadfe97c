"""Groups found: a row each, their gap, its interval, and the gap of the whole at the same predictions."""

from __future__ import annotations

from functools import cache

import numpy as np
from matplotlib.collections import LineCollection

from howsure import find_groups
from howsure.calibration.group_results import FoundGroups
from howsure.figures.calibration import groups_figure
from howsure.figures.width import of_width


@cache
def found(against: str) -> FoundGroups:
    rng = np.random.default_rng(0)
    kind, q = rng.choice(["a", "$b_1$"], 4000), rng.random(4000)
    labels = rng.random(4000) < np.where(kind == "$b_1$", q**2, q)
    return find_groups(labels, q, features={"kind": kind}, against=against)


def test_every_group_is_drawn_where_it_is() -> None:
    result = found("whole")
    ax = groups_figure(result).axes[0]
    (row,) = result.rows
    assert [tick.get_text() for tick in ax.get_yticklabels()] == ["all rows", "kind = $b_1$"]
    places = [(float(line.get_xdata()[0]), float(line.get_ydata()[0])) for line in ax.lines[1:]]  # type: ignore[index]
    assert places == [(result.whole.gap, 0.0), (row.gap, 1.0), (row.whole_gap, 1.0)]
    (segment,) = [one.get_segments()[0] for one in ax.collections if isinstance(one, LineCollection)]
    assert row.excess.low is not None
    assert row.excess.high is not None
    assert np.allclose(segment[:, 0], [row.excess.low + row.whole_gap, row.excess.high + row.whole_gap])


def test_against_the_diagonal_there_is_no_whole_beside_it() -> None:
    result = found("diagonal")
    assert len(groups_figure(result).axes[0].lines) == 2 + len(result)


def test_in_a_narrow_figure_conditions_stand_one_under_another() -> None:
    rng = np.random.default_rng(1)
    kind, sort, q = rng.choice(["a", "b"], 6000), rng.choice(["k", "l"], 6000), rng.random(6000)
    labels = rng.random(6000) < np.where((kind == "b") & (sort == "k"), q**3, q)
    result = find_groups(labels, q, features={"kind": kind, "sort": sort})
    with of_width(3.3):
        names = [tick.get_text() for tick in groups_figure(result).axes[0].get_yticklabels()]
    assert "kind = b\nand sort = k" in names
