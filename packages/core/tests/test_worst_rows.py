"""The worst rows against a search by hand: of arrays, frames, files, very large files, classes; what is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.cli.running import howsure as run_command

import howsure
from howsure.calibration.curves import curves_by_group
from howsure.data.predictions import stream

LONG = "<b>Who</b>\n\x1b[31m" + "long " * 60


def answers(n: int = 400) -> pd.DataFrame:
    draw = np.random.default_rng(0)
    q = draw.integers(0, 41, n) / 40  # with ties
    gold, kind = (draw.random(n) < q).astype(int), np.array(["a", "b"])[np.arange(n) % 2]
    return pd.DataFrame({"gold": gold, "p": q, "kind": kind, "text": [f"{i} {LONG * (i % 3)}" for i in range(n)]})


def by_hand(
    frame: pd.DataFrame, n: int, wrong: Callable[[Any], bool] = lambda row: True
) -> list[tuple[int, float, str]]:
    """Row, probability and text of the worst, sorted in plain Python."""
    rows = list(enumerate(frame.itertuples(), start=1))
    candidates = [
        (-abs(row.p - row.gold), i, row.p, row.text) for i, row in rows if wrong(row) and abs(row.p - row.gold) > 0
    ]
    return [(i, p, text) for _, i, p, text in sorted(candidates)[:n]]


def worst_rows(curves: Any) -> list[tuple[int, float, str]]:
    return [(row.row, row.probability, row.shown["text"]) for row in curves.worst]


@pytest.mark.parametrize("n", [1, 30, 5000])
def test_arrays_frames_and_files_give_the_rows_found_by_hand(tmp_path: Path, n: int) -> None:
    frame = answers()
    frame.to_csv(tmp_path / "a.csv", index=False)
    frame.to_parquet(tmp_path / "a.parquet")
    expected = by_hand(frame, n)
    show = {"text": frame["text"]}
    assert worst_rows(curves_by_group(frame["gold"], frame["p"], worst=n, show=show)) == expected
    for data in (frame, howsure.read(tmp_path / "a.csv"), howsure.read(tmp_path / "a.parquet")):
        curves = curves_by_group("gold", "p", groups="kind", worst=n, show=["text"], data=data)
        assert curves.worst is not None
        assert worst_rows(curves) == expected
        assert [row.group for row in curves.worst] == [frame["kind"][row.row - 1] for row in curves.worst]
        assert [int(row.label) for row in curves.worst] == [frame["gold"][row.row - 1] for row in curves.worst]


@pytest.mark.long
def test_of_very_many_rows_the_same_are_found_some_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows are left out, so that the number of a row is not that of a pair; ties go over the ends of chunks."""
    monkeypatch.setattr(stream, "CHUNK", 7_777)
    frame = answers(200_000)
    frame.loc[np.arange(0, 200_000, 7), "p"] = np.nan
    frame.to_parquet(tmp_path / "a.parquet", row_group_size=20_000)
    data = howsure.read(tmp_path / "a.parquet", skip_missing=True, where="gold < 2")
    curves = curves_by_group("gold", "p", groups="kind", worst=25, show=["text"], data=data)
    assert curves.worst is not None
    assert worst_rows(curves) == by_hand(frame, 25, lambda row: row.p == row.p)
    assert [row.group for row in curves.worst] == [frame["kind"][row.row - 1] for row in curves.worst]


def test_answers_count_where_they_are_wrong(tmp_path: Path) -> None:
    frame = answers()
    frame.to_csv(tmp_path / "a.csv", index=False)
    data = howsure.read(tmp_path / "a.csv")
    table = howsure.selective_table("gold", "p", worst=40, show=["text"], data=data)
    assert worst_rows(table) == by_hand(frame, 40, lambda row: row.gold == 0)
    likelier = howsure.Probabilities("prob", "p", reduce="top-label")
    table = howsure.selective_table("gold", likelier, worst=400, show=["text"], data=data)
    assert worst_rows(table) == by_hand(frame, 400, lambda row: (row.p > 0.5) != row.gold)


@pytest.mark.parametrize("reduce", ["top-label", "class-wise", "b"])
def test_of_classes_the_confidence_in_the_wrong_one_counts(tmp_path: Path, reduce: str) -> None:
    draw = np.random.default_rng(1)
    matrix = np.round(draw.dirichlet(np.ones(3), 60) * 64) / 64
    matrix[:, 2] = 1 - matrix[:, :2].sum(axis=1)
    frame = pd.DataFrame(np.abs(matrix), columns=["a", "b", "c"]).assign(gold=list("abc") * 20)
    frame["text"] = frame.index.astype(str)
    frame.to_csv(tmp_path / "a.csv", index=False)
    pairs = []
    for i, row in frame.iterrows():
        top = frame.loc[i, ["a", "b", "c"]].astype(float).idxmax()
        for class_name in {"top-label": [top], "class-wise": "abc", "b": "b"}[reduce]:
            by = abs(row[class_name] - (row["gold"] == class_name))
            if by > 0 and (reduce != "top-label" or row["gold"] != top):
                pairs.append((-by, i + 1, class_name, row[class_name]))
    probabilities = howsure.Probabilities("probs", ["a", "b", "c"], reduce=reduce)
    for data in (frame, howsure.read(tmp_path / "a.csv")):
        worst = curves_by_group("gold", probabilities, worst=20, show=["text"], data=data).worst
        assert worst is not None
        assert [(row.row, row.probability) for row in worst] == [(i, q) for _, i, _, q in sorted(pairs)[:20]]
        assert [row.shown["text"] for row in worst] == [str(row.row - 1) for row in worst]
        if reduce == "class-wise":
            assert [row.group for row in worst] == [class_name for *_, class_name, _ in sorted(pairs)[:20]]


@pytest.mark.long
def test_texts_are_cut_for_people_and_whole_for_programs(tmp_path: Path) -> None:
    answers().to_csv(tmp_path / "a.csv", index=False)
    curves = curves_by_group("gold", "p", worst=5, show=["text"], data=howsure.read(tmp_path / "a.csv"))
    whole = next(row.shown["text"] for row in curves.worst if len(row.shown["text"]) > 300)
    assert "Texts are cut after 60 characters" in curves.text()
    assert max(map(len, curves.worst.text().splitlines())) < 120
    assert "long…" in curves.to_markdown()
    assert "long\\dots{}" in curves.to_latex()
    assert whole in [row["shown"]["text"] for row in json.loads(json.dumps(curves.to_dict()))["worst"]]
    assert list(curves.worst.to_frame()["text"]) == [row.shown["text"] for row in curves.worst]
    curves.report(tmp_path / "page.html")
    for page in (curves._repr_html_(), curves.worst._repr_html_(), (tmp_path / "page.html").read_text()):
        assert "long " * 60 in page
        assert "<b>Who" not in page
        assert "\x1b" not in page
    alone = howsure.selective_table("gold", "p", worst=5, show=["text"], data=howsure.read(tmp_path / "a.csv"))
    alone.report(tmp_path / "alone.html")
    assert "AUROC" in (tmp_path / "alone.html").read_text().partition("Worst rows")[0]
    assert "\x1b" not in curves.text()
    assert curves.to_csv() == curves.worst.to_csv()
    assert curves.worst.to_csv().startswith("file,row,label,probability,text\n")


@pytest.mark.long
def test_the_command_says_what_the_function_says(tmp_path: Path) -> None:
    frame = answers()
    frame[::2].to_csv(tmp_path / "x.csv", index=False)
    frame[1::2].to_csv(tmp_path / "y.csv", index=False)
    typed = (str(tmp_path / "x.csv"), str(tmp_path / "y.csv"), "--target", "gold", "--prob", "p")
    for name, function in (("calibration", curves_by_group), ("selective", howsure.selective_table)):
        curves = function("gold", "p", worst=4, show=["text", "kind"], data=howsure.read(typed[:2]))
        printed = json.loads(run_command(name, *typed, "--worst", "4", "--show", "text,kind", "--format", "json").out)
        assert printed["worst"] == curves.to_dict()["worst"]
        assert curves.to_dict()["recipe"]["show"] == ["text", "kind"]
        table = run_command(name, *typed, "--worst", "4", "--show", "kind").out
        listed = table.partition("Worst rows")[2].splitlines()
        assert sum(line.startswith(("x ", "y ")) for line in listed) == 4
        assert "worst" not in function("gold", "p", data=howsure.read(typed[:2])).to_dict()


def test_nothing_is_wrong_where_all_is_right() -> None:
    table = howsure.selective_table([1, 1, 1], [0.5, 0.6, 0.7], worst=2)
    assert table.to_dict()["worst"] == []
    assert table.text().endswith("None is wrong.")
    assert table.to_csv() == "file,row,group,label,probability"
