"""Lines of a shell end and print as in a shell, wherever their commands run."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.shell_lines import filled_in, pieces_of, run_in_a_shell, run_line, words_of

LINES = [
    "howsure simulate 9 --seed 1 --output a.csv && cp a.csv b.csv; howsure simulate 30 --seed 0 | tail -n 3 | grep 1,",
    "howsure calibration none.csv --target a --prob b | cat && echo never",
]


@pytest.mark.long
@pytest.mark.parametrize("line", [LINES[0], pytest.param(LINES[1], marks=pytest.mark.long)])
def test_a_line_ends_and_prints_as_in_a_shell(line: str, tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    there.mkdir()
    assert run_line(line, here) == run_in_a_shell(line, there)[:2]
    assert {path.name: path.read_bytes() for path in here.iterdir()} == {
        path.name: path.read_bytes() for path in there.iterdir()
    }


@pytest.mark.parametrize(
    ("line", "texts"),
    [
        ("howsure a | grep 'b | c' && cp d e; cat", ["howsure a", "grep 'b | c'", "cp d e", "cat"]),
        ("howsure a \\\n    --b c | cat", ["howsure a  --b c", "cat"]),
        ("howsure a || cat", None),
        ("howsure a & cat", None),
        ("howsure a 2>&1 | cat", None),
        ("cd b && howsure a", None),
        ("N=3; howsure a", None),
        ("for x in a b; do howsure $x; done", None),
        ("howsure a | (cat)", None),
        ("howsure 'a", None),
        ("howsure a\nhowsure b | cat", ["howsure a\nhowsure b", "cat"]),
    ],
)
def test_a_line_is_split_where_a_shell_does(line: str, texts: list[str] | None) -> None:
    assert [text for text, _, _ in pieces_of(line)] == ([line] if texts is None else texts)


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("howsure data list", ["data", "list"]),
        (
            "howsure quantiles 'my draws.npz' \\\n    --target \"a > b\"",
            ["quantiles", "my draws.npz", "--target", "a > b"],
        ),
        ("howsure demo | cat", None),
        ("howsure demo >out", None),
        ("howsure data list; howsure demo", None),
        ("howsure calibration $(ls)", None),
        ("howsure calibration `ls`", None),
        ("howsure calibration ~/a.csv", None),
        ("howsure demo\nhowsure demo", None),
        ("cat howsure", None),
        ("howsurely", None),
    ],
)
def test_what_is_run_here_and_what_in_a_shell(command: str, words: list[str] | None) -> None:
    assert words_of(command) == words


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("howsure data list", ["data", "list"]),
        ("howsure calibration *.csv", ["calibration", "a b.csv", "c.csv"]),
        ("howsure calibration '*.csv' \"*.csv\" \\\n    none*", ["calibration", "*.csv", "*.csv", "none*"]),
        ("howsure calibration {0,1}.csv '{0,1}.csv'", ["calibration", "0.csv", "1.csv", "{0,1}.csv"]),
        ("howsure calibration $LINE \"$LINE\" '$LINE'", ["calibration", "x", "y", "x y", "$LINE"]),
        ("howsure calibration $NO_SUCH_VARIABLE", None),
    ],
)
def test_a_shell_fills_in_what_is_run_here(
    command: str, words: list[str] | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LINE", "x y")
    for name in ("a b.csv", "c.csv"):
        (tmp_path / name).touch()
    assert filled_in(command, tmp_path) == words
