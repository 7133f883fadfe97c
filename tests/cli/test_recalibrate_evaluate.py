"""`howsure recalibrate evaluate`: what it prints is what the functions give."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from howsure import RecalibrationMap, recalibrate
from tests.cli.running import howsure as run

RNG = np.random.default_rng(4)
N = 240
LOGITS = RNG.normal(0, 2, (N, 3))
CODES = np.array([RNG.choice(3, p=p / p.sum()) for p in np.exp(LOGITS / 2)])
Q = 1 / (1 + np.exp(-LOGITS[:, 0]))
Y = (RNG.random(N) < 1 / (1 + np.exp(-LOGITS[:, 0] / 2))).astype(int)
DOC, LANG = np.array([f"{row // 2:03}" for row in range(N)]), np.where(np.arange(N) % 4 < 2, "de", "en")
BINARY = ("--target", "y", "--prob", "q")
CLASSES = ("--target", "gold", "--logits", "a,b,c")


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("evaluate") / "rows.csv"
    logits = {name: LOGITS[:, place] for place, name in enumerate("abc")}
    pd.DataFrame({"y": Y, "q": Q, "doc": DOC, "lang": LANG, "gold": np.array(list("abc"))[CODES], **logits}).to_csv(
        path, index=False
    )
    return path


def evaluated(file: Path, *typed: str) -> str:
    done = run("recalibrate", "evaluate", str(file), *typed)
    assert (done.code, done.err) == (0, "")
    return done.out


def test_a_map_is_judged_as_it_is_whatever_the_order_of_the_classes(file: Path) -> None:
    fitted = recalibrate(CODES[:120], logits=LOGITS[:120], method="vector", classes=["a", "b", "c"])
    turned = recalibrate((2 - CODES)[:120], logits=LOGITS[:120, ::-1], method="vector", classes=["c", "b", "a"])
    expected = fitted.evaluate(CODES, logits=LOGITS)
    for one in (fitted, turned):
        path = file.parent / "map.json"
        path.write_text(one.to_json())
        found = json.loads(evaluated(file, *CLASSES, "--map", str(path), "--format", "json"))["evaluations"][0]
        assert found["recipe"]["folds"] is None
        assert found["error_after"]["value"] == pytest.approx(expected.error_after.value, abs=1e-6)
        assert found["multiclass_brier"]["after"] == pytest.approx(expected.multiclass_brier.after, abs=1e-9)  # type: ignore[union-attr]
    assert "240 rows that the map was not fitted to" in evaluated(file, *CLASSES, "--map", str(path))


def test_a_map_of_groups_is_judged_in_each(file: Path) -> None:
    fitted = recalibrate(Y, Q, groups=LANG, method="platt")
    path = file.parent / "groups.json"
    path.write_text(fitted.to_json())
    found = json.loads(evaluated(file, *BINARY, "--group", "lang", "--map", str(path), "--format", "json"))
    mine = LANG == "en"
    after = RecalibrationMap.from_json(path.read_text()).apply(Q[mine], groups=LANG[mine])
    en = found["evaluations"][1]
    assert (en["group"], en["n"]) == ("en", int(mine.sum()))
    assert en["brier"]["after"] == pytest.approx(np.mean((after - Y[mine]) ** 2))
