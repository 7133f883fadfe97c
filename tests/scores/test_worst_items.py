"""The worst items against a search by hand, of arrays, frames, files and logs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import howsure
from tests.cli.running import howsure as run_command


def scored(*, whole: bool) -> pd.DataFrame:
    draw = np.random.default_rng(2)
    n = 5 * 40
    item = np.tile(np.arange(40), 5)
    score = (draw.random(n) < 0.2 + item / 50).astype(float) if whole else np.round(draw.random(n), 2)
    frame = pd.DataFrame({"model": np.repeat(list("vwxyz"), 40), "item": item, "task": item % 2, "score": score})
    return frame.assign(text=[f"text {i}" for i in range(n)]).drop(index=[3, 50, 51]).reset_index(drop=True)


def by_hand(frame: pd.DataFrame, n: int, *, lower: bool = False, best: float | None = None) -> list[tuple[Any, ...]]:
    """Of each item in a task: its mean, rows, and the place, model and text of its first row of the worst score."""
    found = []
    for (item, task), own in frame.groupby(["item", "task"]):
        worst = own["score"].max() if lower else own["score"].min()
        row = own[own["score"] == worst].index[0]
        mean = sum(own["score"]) / len(own)
        place = (str(item), str(task), len(own), row + 1, frame["model"][row], frame["text"][row])
        found += [] if mean == best else [(-mean if lower else mean, own.index[0], mean, *place)]
    return [one[2:] for one in sorted(found)[:n]]


def told(found: Any) -> list[tuple[Any, ...]]:
    return [(row.mean, row.item, row.group, row.n, row.row, row.model, row.shown["text"]) for row in found.worst]


@pytest.mark.parametrize("n", [1, 12, 100])
@pytest.mark.parametrize(("whole", "lower"), [(True, False), (False, False), (False, True)])
def test_items_are_those_found_by_hand(tmp_path: Path, n: int, whole: bool, lower: bool) -> None:
    frame = scored(whole=whole)
    frame.to_csv(tmp_path / "a.csv", index=False)
    expected = by_hand(frame, n, lower=lower, best=1.0 if whole else None)
    roles: dict[str, Any] = {"model": "model", "id": "item", "groups": "task", "lower_is_better": lower, "rng": 0}
    for data in (frame, howsure.read(tmp_path / "a.csv")):
        found = howsure.score_table("score", worst=n, show=["text"], data=data, **roles)
        got = told(found)
        assert [one[1:] for one in got] == [one[1:] for one in expected]
        assert [one[0] for one in got] == pytest.approx([one[0] for one in expected], abs=1e-12)


def test_without_items_rows_are_the_worst_and_missing_ones_count_as_asked(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("right,say\n1,a\n,b\n0,c\n1,d\n0,e\n")
    data = howsure.read(tmp_path / "a.csv")
    found = howsure.score_table("right", missing_score=0, worst=9, show=["say", "right"], data=data)
    assert found.worst is not None
    assert [(row.row, row.mean, row.shown) for row in found.worst] == [
        (2, 0.0, {"say": "b", "right": None}),
        (3, 0.0, {"say": "c", "right": "0"}),
        (5, 0.0, {"say": "e", "right": "0"}),
    ]
    skipping = howsure.read(tmp_path / "a.csv", skip_missing=True)
    found = howsure.score_table("right", worst=9, show=["say"], data=skipping)
    assert found.worst is not None
    assert [(row.row, row.shown["say"]) for row in found.worst] == [(3, "c"), (5, "e")]
    alone = howsure.score_table([1, 0, 1], worst=2, show={"say": ["a", "b", "c"]}).worst
    assert alone is not None
    assert [(row.file, row.row, row.shown) for row in alone] == [(None, 2, {"say": "b"})]


def test_of_logs_fields_of_the_program_and_the_answer_are_shown(tmp_path: Path) -> None:
    for model, wrong in (("small", {0, 1, 4}), ("large", {1})):
        lines = [
            {
                "doc_id": i,
                "doc": {"question": f"{i} + {i}"},
                "target": "1",
                "resps": [[["-9", "F"]], [["-1", "F"]]],
                "filtered_resps": [["-9", "False"], ["-1", "False"]],
                "acc": float(i not in wrong),
            }
            for i in range(6)
        ]
        (tmp_path / model).mkdir()
        texts = "".join(json.dumps(line) + "\n" for line in lines)
        (tmp_path / model / "samples_sums_2026-11-22T10-00-00.000001.jsonl").write_text(texts)
    done = run_command(
        f"score {tmp_path}/*/samples_*.jsonl --worst 2 --show doc.question,prediction --seed 1 --format json"
    )
    worst = json.loads(done.out)["worst"]
    assert [(one["item"], one["mean"], one["n"], one["shown"]["doc.question"]) for one in worst] == [
        ("1", 0.0, 2, "1 + 1"),
        ("0", 0.5, 2, "0 + 0"),
    ]
    assert {one["shown"]["prediction"] for one in worst} == {"1"}
    assert worst[1]["model"] == "small"
