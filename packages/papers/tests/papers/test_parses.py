"""Uncertain parses in counts: what the findings are based on."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.papers.whole import check_whole, rows_of

from howsure.propagation import VarianceShare
from howsure.result import Estimate
from howsure_events.extraction.uncertain_parses import ActorVariance
from howsure_papers.parses import edges, parsed_texts, reproduce_parses, share_finding


@pytest.mark.parametrize(("low", "high", "holds"), [(0.6, 0.9, False), (0.1, 0.4, True), (0.3, 0.7, None)])
def test_a_share_above_one_half_contradicts(low: float, high: float, holds: bool | None) -> None:
    share = Estimate((low + high) / 2, low, high, 0.95, "", 20)
    mean = Estimate(2.0, 1.5, 2.5, 0.95, "", 20)
    sampled = VarianceShare("all actors", mean, 1, 3, 1.0, 0.5, 0.5, share)
    finding = share_finding("attack", ActorVariance("all actors", 3.0, 0.5, sampled))
    assert finding.holds is holds
    assert "2.00 times" in finding.ours
    assert "2.0 instead of 3.0" in finding.ours


@pytest.mark.slow
def test_the_first_stories_and_sentences(real_data: Path, pipeline: Path) -> None:
    steps: list[int] = []
    result = reproduce_parses(data=str(real_data), parser=str(pipeline), limit=400, advance=steps.append)
    check_whole(result)
    assert sum(steps) == reproduce_parses.steps()
    assert {row[0] for row in rows_of(result.tables[0])} <= {"attack"}


def test_edges_of_a_parsed_text(pipeline: Path) -> None:
    from howsure_events.extraction.parsers import SpacyParser

    (document,) = parsed_texts(SpacyParser(str(pipeline)), [("a", "Dogs bark.")])
    assert edges(document.sentences[0])[:2] == [("nsubj", 1, 0), ("root", -1, 1)]
