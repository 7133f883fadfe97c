"""`span_agreement`: unitizing α by enumeration and published values, F1 by hand, intervals, refusals."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import howsure
from howsure.errors import InputError
from howsure.judges.span_agreement import Annotated, UnitizingSums

# Krippendorff (1995): starts and lengths of two raters in 24 characters, the observed disagreement and α.
PUBLISHED: dict[str, tuple[Any, Any, float, float]] = {
    "A": ([(2, 8), (14, 6)], [(4, 4), (15, 2)], 0.03125, 0.553),
    "B": ([(0, 18)], [(0, 2), (2, 1), (3, 1), (4, 1), (5, 1), (6, 3), (9, 1)], 2.26736, -0.926),
    "C": ([(2, 6), (10, 2), (14, 4), (20, 2)], [(0, 2), (4, 4), (10, 4), (16, 2), (20, 2)], 0.02777, 0.679),
    "D": ([(0, 2), (2, 8), (10, 4), (14, 6), (20, 4)], [(0, 4), (4, 4), (8, 7), (15, 2), (17, 7)], 0.38715, 0.066),
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_the_published_examples(name: str) -> None:
    """α is published for long texts, with expected disagreements that a later correction moves by up to 0.02."""
    *raters, observed, alpha = PUBLISHED[name]
    spans = [{"c": [(1000 * start, 1000 * (start + size)) for start, size in rater]} for rater in raters]
    sums = UnitizingSums.of([Annotated(24_000, dict(zip("ab", spans, strict=True)))])
    assert sums.disagreement[0] / sums.positions[0] / 24_000 == pytest.approx(observed, abs=2e-5)
    assert sums.alpha(np.ones(1)) == pytest.approx(alpha, abs=0.02)


def sections(document: Annotated, category: str) -> list[tuple[int, bool]]:
    """The lengths of the spans and gaps of all raters, and whether each is a span."""
    lengths: list[tuple[int, bool]] = []
    for kinds in document.spans.values():
        at = 0
        for start, end in [*kinds.get(category, ()), (document.length, document.length)]:
            lengths += [(start - at, False)] * (start > at) + [(end - start, True)] * (end > start)
            at = end
    return lengths


def enumerated_alpha(documents: list[Annotated], categories: str) -> float:
    """Unitizing α from its definition: all positions of all pairs of spans and gaps, one by one."""
    total = sum(len(document.spans) * document.length for document in documents)
    observed = expected = 0.0
    for category in categories:
        for document in documents:
            for first, second in itertools.permutations(document.spans.values(), 2):
                mine, theirs = first.get(category, []), second.get(category, [])
                apart = 0
                for a, b in mine:
                    overlapping = [(c, d) for c, d in theirs if set(range(a, b)) & set(range(c, d))]
                    apart += sum((a - c) ** 2 + (b - d) ** 2 for c, d in overlapping) if overlapping else (b - a) ** 2
                for c, d in theirs:  # seen from the other side: only what overlaps nothing
                    if not any(set(range(a, b)) & set(range(c, d)) for a, b in mine):
                        apart += (d - c) ** 2
                observed += apart / (len(document.spans) - 1) / total
        parts = [section for document in documents for section in sections(document, category)]
        within = sum(size * (size - 1) for size, is_span in parts if is_span)
        apart = 0
        for (size, is_span), (other, other_is_span) in itertools.permutations(parts, 2):
            for start in range(-size + 1, other):  # of the first section, relative to the second
                if is_span and other_is_span:
                    apart += start**2 + (start + size - other) ** 2
                elif is_span and 0 <= start <= other - size:
                    apart += size**2
                elif other_is_span and start <= 0 and start + size >= other:
                    apart += other**2
        expected += apart / (total * (total - 1) - within)
    return 1 - observed / expected


@pytest.mark.parametrize("seed", range(12))
def test_alpha_is_that_of_all_positions(seed: int) -> None:
    rng = np.random.default_rng(seed)
    documents = []
    for _ in range(rng.integers(1, 4)):
        length = int(rng.integers(4, 13))
        spans = {}
        for rater in "abc"[: rng.integers(2, 4)]:
            ends = {c: np.sort(rng.choice(length + 1, 2 * rng.integers(0, 3), replace=False)) for c in "xy"}
            spans[rater] = {c: list(map(tuple, cuts.reshape(-1, 2).tolist())) for c, cuts in ends.items()}
        documents.append(Annotated(length, spans))
    alpha = UnitizingSums.of(documents).alpha(np.ones(len(documents)))
    assert alpha == pytest.approx(enumerated_alpha(documents, "xy"), abs=1e-12, nan_ok=True)


def table(documents: int, rng: np.random.Generator, *, raters: str = "ab", slip: float = 0.3) -> dict[str, Any]:
    """Spans of names in documents that differ in difficulty: each rater misses or moves some of them."""
    rows = []
    for document in range(documents):
        difficulty = rng.beta(slip * 3, (1 - slip) * 3)
        for start in np.flatnonzero(rng.random(12) < 0.5) * 25:
            for rater in raters:
                if rng.random() < difficulty / 2:
                    continue
                moved = int(rng.random() < difficulty / 2) * int(rng.integers(1, 5))
                rows.append((int(start) + moved, int(start) + 12, "name", rater, document, 320))
        rows += [(None, None, None, rater, document, 320) for rater in raters]
    columns = zip(*rows, strict=True)
    return dict(zip(("start", "end", "category", "rater", "document", "length"), map(list, columns), strict=True))


def test_f1_counts_equal_spans_and_pairs_have_rows() -> None:
    spans = table(40, np.random.default_rng(1), raters="abc")
    agreement = howsure.span_agreement(**spans)
    assert [(row.a, row.b) for row in agreement] == [("all", None), ("a", "b"), ("a", "c"), ("b", "c")]
    rows = list(zip(*(spans[name] for name in ("document", "start", "end", "category", "rater")), strict=True))
    marked = {rater: {row[:4] for row in rows if row[4] == rater and row[1] is not None} for rater in "abc"}
    for row in agreement.rows[1:]:
        assert row.b is not None
        first, second = marked[row.a], marked[row.b]
        assert row.f1.value == pytest.approx(2 * len(first & second) / (len(first) + len(second)))
        assert row.spans == len(first) + len(second)
        assert row.f1.low is not None
        assert 0 <= row.f1.low < row.f1.value < row.alpha.value < 1


def test_equal_spans_agree_fully_and_a_rater_without_a_row_did_not_annotate() -> None:
    spans = {"start": [3, 3, 5], "end": [9, 9, 8], "rater": ["a", "b", "a"], "document": ["x", "x", "y"]}
    agreement = howsure.span_agreement(**spans)
    assert (agreement[0].n, agreement[0].f1.value, agreement[0].alpha.value) == (1, 1.0, 1.0)
    assert any("annotated by only one rater" in note for note in agreement.notes)
    found_nothing = {name: [*column, None] for name, column in spans.items()} | {"rater": ["a", "b", "a", "b"]}
    found_nothing["document"] = ["x", "x", "y", "y"]
    assert howsure.span_agreement(**found_nothing)[0].f1.value == pytest.approx(2 / 3)


def test_documents_in_which_nobody_marked_anything_are_kept_without_a_length() -> None:
    spans = {"start": [3, 3, None, None, 1, None], "end": [9, 9, None, None, 4, None]}
    names = {"rater": ["a", "b"] * 3, "document": ["x", "x", "y", "y", "z", "z"]}
    (row,) = howsure.span_agreement(**spans, **names)
    assert (row.n, row.spans, row.f1.value) == (3, 3, pytest.approx(2 / 3))
    for length in ({}, {"length": [20] * 6}):
        with pytest.raises(InputError, match="no rater marked a span in a document with two raters"):
            howsure.span_agreement([None] * 6, end=[None] * 6, **names, **length)


REFUSED: dict[str, tuple[dict[str, list[Any]], str]] = {
    "overlap": ({"start": [0, 2, 0], "end": [4, 6, 4], "rater": [1, 1, 2]}, "overlap in document '1'"),
    "empty": ({"start": [0, 2, 0], "end": [4, 2, 4], "rater": [1, 1, 2]}, "must be above its start, 2"),
    "half": ({"start": [0, None, 0], "end": [4, 6, 4], "rater": [1, 1, 2]}, "whole number from 0 to 1,000,000,000"),
    "one rater": ({"start": [0, 5, 9], "end": [4, 6, 12], "rater": [1, 1, 1]}, "names only '1'"),
    "short": ({"start": [0, 5, 0], "end": [4, 6, 4], "rater": [1, 1, 2], "length": [5] * 3}, "ends at 6"),
}


def test_disagreement_in_one_document_gives_no_interval() -> None:
    """The interval of Student's t would say nothing."""
    start = [0, 0] * 5 + [0, 3000]
    end = [10, 11] * 5 + [3000, 6000]
    documents = [place // 2 for place in range(12)]
    agreement = howsure.span_agreement(start, end=end, rater=["a", "b"] * 6, document=documents, length=[6000] * 12)
    assert (agreement[0].alpha.low, agreement[0].alpha.high) == (None, None)
    assert agreement[0].f1.low == 0.0
    assert "nearly all disagreement is in one or two documents" in str(agreement.notes[-1])


@pytest.mark.parametrize("name", REFUSED)
def test_spans_that_cannot_be(name: str) -> None:
    columns, message = REFUSED[name]
    with pytest.raises(InputError, match=message):
        howsure.span_agreement(**columns, document=[1, 1, 1])


@pytest.mark.slow
@pytest.mark.parametrize(("documents", "slip"), [(10, 0.3), (30, 0.3), (30, 0.02)])
def test_intervals_cover_the_agreement_of_many_documents(documents: int, slip: float) -> None:
    truth = howsure.span_agreement(**table(3000, np.random.default_rng(9), slip=slip))[0]
    rng, runs, covered, unknown = np.random.default_rng(3), 80, np.zeros(2), np.zeros(2)
    for _ in range(runs):
        row = howsure.span_agreement(**table(documents, rng, slip=slip))[0]
        for place, (estimate, true) in enumerate(((row.f1, truth.f1), (row.alpha, truth.alpha))):
            if estimate.low is None or estimate.high is None:
                unknown[place] += 1
            else:
                covered[place] += estimate.low <= true.value <= estimate.high
    assert unknown.max() <= runs / 2
    assert (covered / (runs - unknown) >= 0.95 - 2.5 * np.sqrt(0.95 * 0.05 / (runs - unknown))).all()


def test_an_empty_list_is_a_rater_who_marked_nothing(tmp_path: Path) -> None:
    """Of documents 1 to 3, both mark the same span in the first, one rater marks a span in the others."""
    span = {"start": 0, "end": 4, "label": "PER"}
    marked = [(1, "a", [span]), (1, "b", [span]), (2, "a", []), (2, "b", [span]), (3, "a", [span]), (3, "b", None)]
    path = tmp_path / "spans.jsonl"
    path.write_text("\n".join(json.dumps({"doc": d, "by": rater, "spans": spans}) for d, rater, spans in marked))
    names = {"end": "spans.end", "category": "spans.label", "rater": "by", "document": "doc"}
    notices = list[str]()
    source = replace(howsure.read(path, explode="spans"), tell=notices.append)
    (row,) = howsure.span_agreement("spans.start", **names, data=source)
    assert (row.n, row.spans, row.f1.value) == (3, 4, 0.5)
    assert notices[0].endswith("in the 6 rows of the file. Rows without elements: 2, kept as rows without an element.")
