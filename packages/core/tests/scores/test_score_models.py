"""`mean_scores`, `score_models`, `pass_at_k` and `worst_items` are the table of scores, with fewer parameters each."""

from __future__ import annotations

from pathlib import Path

import howsure

RIGHT = [1, 0, 0, 1, 1, 0] * 10
ITEMS, RUNS = [k // 3 for k in range(60)], [0, 1, 2] * 20


def test_true_values_may_be_a_file(tmp_path: Path) -> None:
    for name, lines in {"true": "a b\nc\nd e\n" * 8, "small": "a\nc\nd\n" * 8}.items():
        (tmp_path / f"{name}.txt").write_text(lines)
    data = howsure.read(tmp_path / "small.txt")
    (row,) = howsure.score_models(str(tmp_path / "true.txt"), metrics="wer", data=data)
    assert round(row.mean.value, 4) == 0.4  # 2 of 5 words are missing


def test_pass_at_1_is_the_default() -> None:
    (row,) = howsure.pass_at_k(RIGHT, id=ITEMS, run=RUNS)
    assert row.score == "score pass@1"
    assert round(row.mean.value, 4) == 0.5
    (row,) = howsure.pass_at_k(RIGHT, id=ITEMS, run=RUNS, pass_hat=3)
    assert row.score == "score pass^3"


def test_worst_items_have_the_lowest_mean_over_runs() -> None:
    items = howsure.worst_items(RIGHT, n=2, id=ITEMS, run=RUNS)
    assert [(item.item, round(item.mean, 4), item.n) for item in items] == [("0", 0.3333, 3), ("2", 0.3333, 3)]
