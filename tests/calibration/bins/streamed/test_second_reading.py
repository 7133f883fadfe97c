"""The cells that an edge divides: their sums are those of the rows, by bin."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from howsure.calibration.bins.streamed.grid import cells_of
from howsure.calibration.bins.streamed.second_reading import SecondReading, sums_of_divided_cells
from howsure.calibration.bins.sums import sums_of_rows
from tests.calibration.samples import TIED, Source

near = st.sampled_from([0.3, 0.30001, 0.3001, 0.7, 0.70001])


@given(
    st.lists(
        st.tuples(st.one_of(st.sampled_from(TIED), near, st.floats(0, 1).map(abs)), st.integers(0, 1)), min_size=1
    ),
    st.lists(st.one_of(st.sampled_from(TIED[:-1]), near), min_size=1, max_size=6, unique=True),
)
def test_they_are_the_sums_of_the_rows(pairs: list[tuple[float, int]], places: list[float]) -> None:
    q, y = np.array([q for q, _ in pairs]), np.array([y for _, y in pairs], dtype=np.uint8)
    edges = np.sort(places)
    held = np.isin(cells_of(q), cells_of(edges))
    expected = sums_of_rows(q[held], y[held]).into(edges.searchsorted(q[held]), len(edges) + 1)
    found = sums_of_divided_cells(SecondReading(Source(y, q, [3, 10])), edges)
    for column in fields(found):
        np.testing.assert_allclose(getattr(found, column.name), getattr(expected, column.name), rtol=1e-8, atol=1e-13)
    assert found.count.tolist() == expected.count.tolist()
