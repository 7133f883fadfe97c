"""Wrong inputs of `howsure check`, and what is said to them."""

from __future__ import annotations

from tests.cli.bad_input import COUNTED, CSV, Wrong, table

CHECK = "check calibration dev.csv --target gold --prob prob"
SCORE = "check score dev.csv --score prob"


def toml(text: str) -> dict[str, bytes]:
    """A file of checks beside the predictions."""
    return {**CSV, "howsure.toml": text.encode()}


CHECKED = [
    Wrong("bounds the wrong way round", f"{SCORE} --min-score 0.5 --bounds 1,0",
          "Invalid value for '--bounds': '1,0' must be two numbers, the lower first; write 0,1", CSV),
    Wrong("a score outside its bounds", f"{SCORE} --min-score 0.5 --bounds 0.6,1",
          f"prob must lie between the bounds, 0.6 and 1; row 2 of dev.csv {COUNTED} holds 0.27. Give bounds that hold "
          "for every score.", CSV),
    Wrong("nothing to check", CHECK,
          "nothing to check: name a limit, --max-error 0.05, or another model, --better-than.", CSV),
    Wrong("a limit in per cent", f"{CHECK} --max-error 5",
          "Invalid value for '--max-error': 5.0 is not in the range 0.0<x<1.0.", CSV),
    Wrong("a negative margin", f"{CHECK} --against weight --not-worse-than -0.1",
          "Invalid value for '--not-worse-than': -0.1 is not in the range x>=0.0.", CSV),
    Wrong("no margin", f"{CHECK} --against weight",
          "--against needs the margin by which this model may be worse: --not-worse-than 0.01.", CSV),
    Wrong("a margin and no other model", f"{CHECK} --not-worse-than 0.01",
          "--not-worse-than needs the other model: --against, or what a former run wrote: --baseline", CSV),
    Wrong("two other models", f"{CHECK} --better-than weight --against model --not-worse-than 0.01",
          "--better-than and --against both name the other model; give one of them.", CSV),
    Wrong("another model that is this one", f"{CHECK} --better-than prob",
          "dev.csv:prob is named twice; a model is compared with another one.", CSV),
    Wrong("another file that is this one", f"{CHECK} --better-than dev.csv",
          "dev.csv is what is checked; a model is compared with another one.", CSV),
    Wrong("a misspelt column of the other model", f"{CHECK} --better-than wieght",
          "no column 'wieght' in dev.csv; it has gold, prob, model, weight. Did you mean weight?", CSV),
    Wrong("a level of a check in per cent", f"{CHECK} --max-error 0.05 --level 95",
          "Invalid value for '--level': 95 does not lie strictly between 0.5 and 1; write 0.95 for 95 %", CSV),
    Wrong("JUnit that is no XML", f"{CHECK} --max-error 0.05 --junit check.json",
          "--junit writes .xml; name a file that ends in one of these, not check.json.", CSV),
    Wrong("a baseline that is none", f"{CHECK} --baseline night.json --not-worse-than 0.01",
          "night.json is no baseline: howsure check wrote none of this kind; let a run write it.",
          {**CSV, "night.json": b"[]"}),
    Wrong("a damaged baseline", f"{CHECK} --baseline night.json --not-worse-than 0.01",
          "night.json is no baseline: Expecting property name enclosed in double quotes: line 1 column 2 (char 1).",
          {**CSV, "night.json": b"{"}),
    Wrong("a baseline that would be overwritten",
          f"{CHECK} --baseline night.json --not-worse-than 0.01 --write-baseline night.json",
          "night.json is an input of this command and would be overwritten; name another file.",
          {**CSV, "night.json": b"{}"}),
    Wrong("scores that are text", "check score dev.csv --score model --min-score 0.5",
          f"model must hold numbers; row 1 of dev.csv {COUNTED} holds 'base'.", CSV),
    Wrong("scores without a limit", SCORE,
          "nothing to check: name a limit, --min-score 0.8, or another model, --better-than.", CSV),
    Wrong("scores of files of different length", f"{SCORE} --better-than old.csv",
          "both models must be evaluated on the same rows; dev.csv has 40, old.csv has 1. Match them by --id COL.",
          {**CSV, "old.csv": b"prob\n0.5\n"}),
    Wrong("an id that occurs twice", f"{SCORE} --better-than old.csv --id model",
          "model must differ in every row of dev.csv; base occurs twice or more.", {**CSV, "old.csv": table()}),
    Wrong("a check of no coverage", "check selective dev.csv --target gold --prob prob --max-risk 0.1 --min-coverage 0",
          "Invalid value for '--min-coverage': 0.0 is not in the range 0.0<x<=1.0.", CSV),
    Wrong("no file of checks", "check",
          "there is neither howsure.toml nor pyproject.toml here; name what to check: howsure check calibration "
          "--help.", CSV),
    Wrong("a file of checks that is nested too deeply", "check", "howsure.toml is nested too deeply.",
          toml(f"[check]\na = {'[' * 20_000}{']' * 20_000}")),
    Wrong("a file of checks that is no TOML", "check",
          "howsure.toml is no TOML: Invalid statement (at line 1, column 1).", toml("]")),
    Wrong("a file without checks", "check",
          "howsure.toml holds no checks; write them below [check.calibration].", toml("[other]\na = 1\n")),
    Wrong("a misspelt check", "check",
          "no kind of check 'calibraton' in [check] of howsure.toml; it has calibration, score, selective. Did you "
          "mean calibration?", toml('[check.calibraton]\nfiles = "dev.csv"\n')),
    Wrong("a misspelt key", "check",
          "no option 'min-scor' in [check.score] of howsure.toml; it has files, score, min-score, max-score, "
          "better-than, not-worse-than, against, lower-is-better, bounds, group, cluster, id and 10 more. Did you mean "
          "min-score?", toml('[check.score]\nfiles = "dev.csv"\nscore = "prob"\nmin-scor = 0.5\n')),
    Wrong("a limit that is text", "check",
          "[check.score] of howsure.toml: Invalid value for '--min-score': 'high' is not a number.",
          toml('[check.score]\nfiles = "dev.csv"\nscore = "prob"\nmin-score = "high"\n')),
    Wrong("a level for one check", "check",
          "level is shared by all checks; write it below [check], not in [check.score] of howsure.toml.",
          toml('[check.score]\nfiles = "dev.csv"\nscore = "prob"\nlevel = 0.9\n')),
    Wrong("a check without files", "check",
          '[check.score] of howsure.toml must name the files to check: files = ["dev.jsonl"].',
          toml('[check.score]\nscore = "prob"\nmin-score = 0.5\n')),
    Wrong("two checks of one name", "check",
          "checks must have different names; they are score, score. Name them: name='…'.",
          toml('[[check.score]]\nfiles = "dev.csv"\nscore = "prob"\nmin-score = 0.5\n' * 2)),
    Wrong("a first night, with nothing to be compared with", "check",
          "[check.score] of howsure.toml: --not-worse-than needs the other model: --against, or what a former run "
          "wrote: --baseline", toml('[check.score]\nfiles = "dev.csv"\nscore = "prob"\nnot-worse-than = 0.5\n')),
    Wrong("a baseline that no check is compared with", "check --baseline night.json",
          "no check in howsure.toml is compared with --baseline night.json; name the margin in that which shall be: "
          "not-worse-than = 0.01.",
          {**toml('[check.score]\nfiles = "dev.csv"\nscore = "prob"\nmin-score = 0.5\n'), "night.json":
           b'{"format": "howsure check baseline", "schema": 1, "howsure": "0.1.0", "entries": []}'}),
]  # fmt: skip
