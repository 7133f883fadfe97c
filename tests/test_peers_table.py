"""The coverage compared with other packages: both tables agree, and howsure's own intervals cover."""

from __future__ import annotations

import re

import pytest

from benchmarks.peers import METHODS, PEERS, REGIMES, SHORT, measure
from tests.source import ROOT


def test_the_table_of_the_readme_has_rows_of_the_long_one() -> None:
    long = (ROOT / "docs" / "coverage.md").read_text(encoding="utf-8")
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    regimes = list(REGIMES)
    for place, title in SHORT.items():
        row = re.search(rf"^\| {re.escape(title)} \| (.+) \|$", readme, re.MULTILINE)
        long_row = re.search(rf"^\| {re.escape(regimes[place])} \| (.+) \|$", long, re.MULTILINE)
        assert row is not None, title
        assert long_row is not None, regimes[place]
        figures = dict(zip(METHODS, long_row[1].split(" | "), strict=True))
        for package, cell in zip(("howsure", *PEERS), row[1].split(" | "), strict=True):
            figure = figures[package].split(" ")[0]
            assert cell == (figure if figure == "–" else f"{float(figure):.2f}"), f"{title}: {package}"


@pytest.mark.long
def test_the_intervals_of_howsure_cover_without_the_other_packages() -> None:
    for place in range(len(REGIMES)):
        rows = measure(place, 20, {})
        assert list(rows) == ["howsure"]
        assert rows["howsure"].intervals == 20
        assert rows["howsure"].covers >= 0.85
