"""Wrong inputs of `howsure check`, and what is said to them."""

from __future__ import annotations

from tests.cli.bad_input import CSV, Wrong, table

CHECK = "check calibration dev.csv --target gold --prob prob"
SCORE = "check score dev.csv --score prob"


def toml(text: str) -> dict[str, bytes]:
    """A file of checks beside the predictions."""
    return {**CSV, "howsure.toml": text.encode()}


CHECKED = [
    Wrong("bounds the wrong way round", f"{SCORE} --min-score 0.5 --bounds 1,0", CSV),
    Wrong("a score outside its bounds", f"{SCORE} --min-score 0.5 --bounds 0.6,1", CSV),
    Wrong("nothing to check", CHECK, CSV),
    Wrong("a limit in per cent", f"{CHECK} --max-error 5", CSV),
    Wrong("a negative margin", f"{CHECK} --against weight --not-worse-than -0.1", CSV),
    Wrong("no margin", f"{CHECK} --against weight", CSV),
    Wrong("a margin and no other model", f"{CHECK} --not-worse-than 0.01", CSV),
    Wrong("two other models", f"{CHECK} --better-than weight --against model --not-worse-than 0.01", CSV),
    Wrong("another model that is this one", f"{CHECK} --better-than prob", CSV),
    Wrong("another file that is this one", f"{CHECK} --better-than dev.csv", CSV),
    Wrong("a misspelt column of the other model", f"{CHECK} --better-than wieght", CSV),
    Wrong("a level of a check in per cent", f"{CHECK} --max-error 0.05 --level 95", CSV),
    Wrong("JUnit that is no XML", f"{CHECK} --max-error 0.05 --junit check.json", CSV),
    Wrong(
        "a baseline that is none", f"{CHECK} --baseline night.json --not-worse-than 0.01", {**CSV, "night.json": b"[]"}
    ),
    Wrong("a damaged baseline", f"{CHECK} --baseline night.json --not-worse-than 0.01", {**CSV, "night.json": b"{"}),
    Wrong(
        "a baseline that would be overwritten",
        f"{CHECK} --baseline night.json --not-worse-than 0.01 --write-baseline night.json",
        {**CSV, "night.json": b"{}"},
    ),
    Wrong("scores that are text", "check score dev.csv --score model --min-score 0.5", CSV),
    Wrong("scores without a limit", SCORE, CSV),
    Wrong("a total of items without bets", f"{SCORE} --min-score 0.5 --items-total 50", CSV),
    Wrong("bets without bounds", f"{SCORE} --min-score 0.5 --sequential", CSV),
    Wrong("more items than there are", f"{SCORE} --min-score 0.5 --sequential --bounds 0,1 --items-total 2", CSV),
    Wrong("bets on groups", f"{SCORE} --min-score 0.5 --sequential --group model", CSV),
    Wrong("bets on clusters of any size", f"{SCORE} --min-score 0.5 --sequential --bounds 0,1 --cluster model", CSV),
    Wrong("scores of files of different length", f"{SCORE} --better-than old.csv", {**CSV, "old.csv": b"prob\n0.5\n"}),
    Wrong("an id that occurs twice", f"{SCORE} --better-than old.csv --id model", {**CSV, "old.csv": table()}),
    Wrong(
        "a check of no coverage",
        "check selective dev.csv --target gold --prob prob --max-risk 0.1 --min-coverage 0",
        CSV,
    ),
    Wrong("no file of checks", "check", CSV),
    Wrong("a file of checks that is nested too deeply", "check", toml(f"[check]\na = {'[' * 20_000}{']' * 20_000}")),
    Wrong("a file of checks that is no TOML", "check", toml("]")),
    Wrong("a file without checks", "check", toml("[other]\na = 1\n")),
    Wrong("a misspelt check", "check", toml('[check.calibraton]\nfiles = "dev.csv"\n')),
    Wrong("a misspelt key", "check", toml('[check.score]\nfiles = "dev.csv"\nscore = "prob"\nmin-scor = 0.5\n')),
    Wrong(
        "a limit that is text", "check", toml('[check.score]\nfiles = "dev.csv"\nscore = "prob"\nmin-score = "high"\n')
    ),
    Wrong("a level for one check", "check", toml('[check.score]\nfiles = "dev.csv"\nscore = "prob"\nlevel = 0.9\n')),
    Wrong("a check without files", "check", toml('[check.score]\nscore = "prob"\nmin-score = 0.5\n')),
    Wrong(
        "two checks of one name",
        "check",
        toml('[[check.score]]\nfiles = "dev.csv"\nscore = "prob"\nmin-score = 0.5\n' * 2),
    ),
    Wrong(
        "a first night, with nothing to be compared with",
        "check",
        toml('[check.score]\nfiles = "dev.csv"\nscore = "prob"\nnot-worse-than = 0.5\n'),
    ),
    Wrong(
        "a baseline that no check is compared with",
        "check --baseline night.json",
        {
            **toml('[check.score]\nfiles = "dev.csv"\nscore = "prob"\nmin-score = 0.5\n'),
            "night.json": b'{"format": "howsure check baseline", "schema": 1, "howsure": "0.2.0", "entries": []}',
        },
    ),
]
