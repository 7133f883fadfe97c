"""Advice in messages: the value, column, line or option that it names exists, and the command that it proposes runs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.cli.running import howsure as run

import howsure
from howsure.errors import InputError

NUMBERS = "".join(f"{i % 2},0.{i + 1},good,2\n" for i in range(8))
FILES = {
    "na.csv": f"y,p,s,g\n{NUMBERS}1,NA,no,x\n",
    "ragged.csv": "a,b,c\n1,2,3\n1,2\n4,5,6\n",
    "doc.jsonl": '{"doc":{"category":"days"},"s":1}\n{"doc":{"category":"x"},"s":0}\n',
    "items.csv": "model,id,s\n" + "".join(f"{m},{i},{(i + m) % 2}\n" for m in range(3) for i in range(12)),
    **dict.fromkeys(("A.txt", "B.txt", "ref.txt"), "a b\n"),
}


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("calibration na.csv --target y --prob p", "for example --missing NA with --skip-missing."),
        ("score na.csv --score s", "If one value means correct, name it: --positive VALUE."),
        ("judge agreement na.csv --raters y,g --scale interval", "g must be a number; row 9 of na.csv"),
        ("significance A.txt B.txt --targets ref.txt", "predictions: --against A.txt --model B.txt."),
        ("monitor na.csv", "howsure monitor update STATE.json na.csv"),
        ("score doc.jsonl --score s --where doc.category=days", "Then write it in single quotes: 'days'."),
        ("score ragged.csv --score b", "line 3 has 2 instead of 3. Quote values"),
        ("score items items.csv --score s --model model --id id --figure f.svg", "it needs five models"),
    ],
)
def test_advice_names_what_exists(command: str, expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        Path(name).write_text(text)
    refused = run(*command.split())
    assert refused.code == 2
    assert expected in " ".join(refused.err.split())


@pytest.mark.parametrize("columns", [1, 2])
def test_the_column_to_take_of_a_matrix_exists(columns: int) -> None:
    with pytest.raises(InputError, match=rf"Take one column: y_prob\[:, {columns - 1}\]"):
        howsure.calibration_curve([0, 1], np.full((2, columns), 0.5))
