"""The files of wrong inputs of `howsure check`."""

from __future__ import annotations

from tests.bad_input.files import CSV, Files, table


def toml(text: str) -> dict[str, bytes]:
    """Write a file of checks next to the predictions."""
    return {**CSV, "howsure.toml": text.encode()}


CHECKED = Files(
    CSV,
    {
        "a file that is not a baseline": {"night.json": b"[]"},
        "a damaged baseline": {"night.json": b"{"},
        "a baseline that would be overwritten": {"night.json": b"{}"},
        "bets without bounds": {"dev.csv": table(prob=(12, 1.7))},
        "scores of files of different length": {"old.csv": b"prob\n0.5\n"},
        "an id that occurs twice": {"old.csv": table()},
        "a file of checks that is nested too deeply": toml(f"[check]\na = {'[' * 20000}{']' * 20000}"),
        "a file of checks that is not TOML": toml("]"),
        "a file without checks": toml("[other]\na = 1\n"),
        "a misspelt check": toml('[check.calibraton]\nfiles = "dev.csv"\n'),
        "a misspelt key": toml('[check.score]\nfiles = "dev.csv"\nscore = "prob"\nmin-scor = 0.5\n'),
        "a limit that is text": toml('[check.score]\nfiles = "dev.csv"\nscore = "prob"\nmin-score = "high"\n'),
        "a level for one check": toml('[check.score]\nfiles = "dev.csv"\nscore = "prob"\nlevel = 0.9\n'),
        "a check without files": toml('[check.score]\nscore = "prob"\nmin-score = 0.5\n'),
        "two checks of one name": toml('[[check.score]]\nfiles = "dev.csv"\nscore = "prob"\nmin-score = 0.5\n' * 2),
        "a first night without a baseline": toml(
            '[check.score]\nfiles = "dev.csv"\nscore = "prob"\nnot-worse-than = 0.5\n'
        ),
        "a baseline that no check is compared with": {
            **toml('[check.score]\nfiles = "dev.csv"\nscore = "prob"\nmin-score = 0.5\n'),
            "night.json": b'{"format": "howsure check baseline", "schema": 1, "howsure": "0.2.0", "entries": []}',
        },
    },
)
