"""`howsure.read`: what a function says of files is what it says of their columns, and what the command line says."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.cli.running import howsure as run

import howsure
from howsure.calibration.engines.pairs_or_sums import GroupsRead, parts_read
from howsure.data.sources import Files
from howsure.errors import InputError

ROWS = 400
FILES = howsure.read("x.csv")


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    q = rng.random(ROWS)
    return pd.DataFrame(
        {
            "gold": (rng.random(ROWS) < q).astype(int),
            "score": q.round(4),
            "other": (q**2).round(4),
            "model": np.where(np.arange(ROWS) % 2, "b", "a"),
            "doc": np.arange(ROWS) // 4,
            "item": np.arange(ROWS) // 2,
            "uid": [f"u{row}" for row in range(ROWS)],
            "length": rng.integers(1, 90, ROWS),
        }
    )


@pytest.fixture(scope="module", params=["csv", "parquet", "jsonl"])
def files(frame: pd.DataFrame, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Files:
    path = tmp_path_factory.mktemp("read") / f"dev.{request.param}"
    writers: dict[str, Any] = {
        "csv": lambda: frame.to_csv(path, index=False),
        "parquet": lambda: frame.to_parquet(path),
        "jsonl": lambda: frame.to_json(path, orient="records", lines=True),
    }
    writers[request.param]()
    return howsure.read(path)


def csv(result: Any) -> str:
    return str(result.to_frame("pandas").to_csv(float_format="%.12g"))


CLUSTERABLE: dict[str, Any] = {
    "error": lambda data, **how: csv(howsure.calibration_error("gold", "score", data=data, **how)),
    "test": lambda data, **how: howsure.calibration_test("gold", "score", data=data, rng=0, **how).p_value,
    "threshold": lambda data, **how: csv(howsure.selective_threshold("gold", "score", risk=0.4, data=data, **how)),
    "check of a risk": lambda data, **how: (
        howsure.check_selective("gold", "score", max_risk=0.6, data=data, **how)[0].sentence
    ),
    "weights": lambda data, **how: csv(
        howsure.calibration_error("gold", "score", sample_weight="length", data=data, **how)
    ),
}
CALLS = {
    **CLUSTERABLE,
    "curve": lambda data: howsure.calibration_curve("gold", "score", clusters="doc", data=data).bins.frequency.tolist(),
    "table": lambda data: csv(howsure.calibration_table("gold", "score", groups="model", data=data)),
    "comparison": lambda data: csv(howsure.compare_calibration("gold", "score", against="other", data=data)),
    "scores": lambda data: csv(howsure.decompose_score("gold", "score", data=data)),
    "selective": lambda data: csv(howsure.selective_table("gold", "score", groups="model", clusters="doc", data=data)),
    "check": lambda data: [
        (verdict.group, verdict.outcome, verdict.p_pass)
        for verdict in howsure.check_calibration("gold", "score", max_error=0.2, groups="model", data=data)
    ],
    "check of two": lambda data: [
        (verdict.outcome, verdict.p_pass)
        for verdict in howsure.check_calibration("gold", "score", against="other", data=data)
    ],
    "check of a score": lambda data: howsure.check_score("gold", min_score=0.3, clusters="doc", data=data)[0].sentence,
    "groups": lambda data: csv(
        howsure.find_miscalibrated_groups("gold", "score", features=["model", "length"], data=data, rng=0)
    ),
    "models": lambda data: csv(howsure.compare_scores(data=data, model="model", id="item", score="gold", rng=0)),
}


@pytest.mark.parametrize("call", CALLS)
def test_files_say_what_their_columns_say(call: str, files: Files, frame: pd.DataFrame) -> None:
    assert CALLS[call](files) == CALLS[call](frame)


@pytest.mark.long
@pytest.mark.parametrize("call", CLUSTERABLE)
def test_items_that_repeat_in_files_are_clusters(call: str, files: Files) -> None:
    function = CLUSTERABLE[call]
    assert function(files) == function(files, clusters="item")
    assert function(files) != function(howsure.read(files.paths, independent_rows=True))


def test_counts_of_files_match_their_columns(frame: pd.DataFrame, tmp_path: Path) -> None:
    labelled = np.random.default_rng(1).random(ROWS) < 0.4
    frame.assign(read=frame["gold"].where(labelled)).to_csv(tmp_path / "x.csv", index=False)
    options: dict[str, Any] = {"groups": ["model"], "rng": 0}
    of_files = howsure.estimate_counts("read", "score", data=howsure.read(tmp_path / "x.csv"), **options)
    of_frame = howsure.estimate_counts("read", "score", data=pd.read_csv(tmp_path / "x.csv"), **options)
    assert csv(of_files) == csv(of_frame)


@pytest.mark.long
def test_two_models_in_two_files(frame: pd.DataFrame, tmp_path: Path) -> None:
    frame.to_csv(tmp_path / "new.csv", index=False)
    old = frame.assign(score=frame["other"]).sample(frac=1, random_state=0)
    old.to_csv(tmp_path / "old.csv", index=False)
    new, before = (howsure.read(tmp_path / name) for name in ("new.csv", "old.csv"))
    by_id = howsure.check_calibration("gold", "score", against=before, id="uid", data=new)
    in_one = howsure.check_calibration("gold", "score", against="other", data=frame)
    assert by_id[0].p_pass == in_one[0].p_pass
    with pytest.raises(InputError, match=r"the label of row \d+ of .* is not that of .*Match them: id='COL'"):
        howsure.check_calibration("gold", "score", against=before, data=new)


def test_what_a_source_leaves_out(frame: pd.DataFrame, tmp_path: Path) -> None:
    frame.assign(score=frame["score"].where(frame.index > 9)).to_csv(tmp_path / "x.csv", index=False)
    path = tmp_path / "x.csv"
    with pytest.raises(InputError, match=r"is empty\. Leave such rows out with skip_missing=True \(10 in all\)\."):
        howsure.calibration_error("gold", "score", data=howsure.read(path))
    left = howsure.calibration_error("gold", "score", data=howsure.read(path, skip_missing=True))
    assert left.n == ROWS - 10
    of_b = howsure.calibration_error("gold", "score", data=howsure.read(path, where="model = 'b' and score > 0.2"))
    rows_of_b = frame[(frame["model"] == "b") & (frame["score"] > 0.2) & (frame.index > 9)]
    assert csv(of_b) == csv(howsure.calibration_error("gold", "score", data=rows_of_b))


def test_ways_of_giving_probabilities(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    logits, gold = rng.normal(size=(200, 3)), rng.integers(0, 3, 200)
    table = pd.DataFrame(logits, columns=["no", "may", "yes"]).assign(gold=np.array(["no", "may", "yes"])[gold])
    table["said"] = [f"I am {int(50 + 40 * abs(logit))} % sure." for logit in np.tanh(logits[:, 0])]
    table["right"] = (gold == 0).astype(int)
    table["all"] = [list(row) for row in logits]
    table.to_parquet(tmp_path / "x.parquet")
    files = howsure.read(tmp_path / "x.parquet")
    columns = ["no", "may", "yes"]
    for probabilities, label in (
        (howsure.Probabilities("logits", columns), "gold"),
        (howsure.Probabilities("logits", columns, reduce="yes"), "gold"),
        (howsure.Probabilities("logits", "all", classes=columns), "gold"),
        (howsure.Probabilities("logits", "no"), "right"),
        (howsure.Probabilities("verbalised", "said"), "right"),
    ):
        of_files = howsure.calibration_error(label, probabilities, data=files)
        assert csv(of_files) == csv(howsure.calibration_error(label, probabilities, data=table)), probabilities
    matrix = howsure.Probabilities("logits", logits, reduce="top-label", classes=columns)
    named = howsure.Probabilities("logits", columns)
    assert csv(howsure.calibration_error(table["gold"], matrix)) == csv(
        howsure.calibration_error("gold", named, data=table)
    )


def test_the_command_line_calls_the_library(frame: pd.DataFrame, tmp_path: Path) -> None:
    frame.to_csv(tmp_path / "dev.csv", index=False)
    options = ["--target", "gold", "--prob", "score", "--max-error", "0.2", "--group", "model", "--where", "length > 9"]
    done = run("check", "calibration", tmp_path / "dev.csv", *options, "--format", "json")
    files = howsure.read(tmp_path / "dev.csv", where="length > 9")
    same = howsure.check_calibration("gold", "score", max_error=0.2, groups="model", data=files)
    assert json.loads(done.out)["verdicts"] == json.loads(json.dumps(same.to_dict()["verdicts"]))


def test_groups_are_read_one_by_one_and_again(files: Files) -> None:
    """A curve of each of a thousand groups needs the sums of one at a time."""
    with files.predictions("gold", "score", groups="model") as predictions:
        parts, at_once = parts_read(predictions, files, one_by_one=True), parts_read(predictions, files)
        assert [name for name, _ in parts.by_group] == ["a", "b"]
        for (name, pairs), (again, pairs_at_once) in zip(parts.by_group, at_once.by_group, strict=True):
            assert (name, pairs.probabilities.tolist()) == (again, pairs_at_once.probabilities.tolist())
    assert isinstance(parts.by_group, GroupsRead)


@pytest.mark.parametrize("reader", [howsure.read, howsure.look])
def test_what_is_not_a_path_is_refused(reader: Callable[[object], object]) -> None:
    with pytest.raises(InputError, match="files must be a path, or a list of paths; it is 3"):
        reader(3)
    with pytest.raises(InputError, match="files must name a file; the name is empty"):
        reader([""])
