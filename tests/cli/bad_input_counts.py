"""Wrong inputs of `howsure counts` and what is said to them: part of the table of `bad_input.py`."""

from __future__ import annotations

import numpy as np

from howsure.counts.sheets import check_of
from tests.cli.bad_input import Wrong

UNITS = 40


def units(column: str = "p", *, row: int = 0, value: str = "") -> bytes:
    """40 units: a score, a label of the first 24, documents of two units; one value changed."""
    score = np.random.default_rng(0).random(UNITS).round(3)
    names = ["id", "p", "actor", "day", "document", "y", "chance"]
    lines = [",".join(names)]
    for i in range(UNITS):
        y = i % 2 if i < 24 else ""
        held = [f"d{i}", f"{score[i]}", f"A{i % 2}", f"2001-0{1 + i % 9}-20", i // 2, y, 0.6 if i < 24 else ""]
        if i == row - 1:
            held[names.index(column)] = value
        lines.append(",".join(map(str, held)))
    return "\n".join([*lines, ""]).encode()


def sheet(column: str = "label", *, row: int = 0, value: str = "", rows: int = 20, n: int = UNITS) -> bytes:
    """The sheet of a simple sample of 20 of the 40 units, filled in; one value changed."""
    score = np.random.default_rng(0).random(UNITS).round(3)
    names = ["row", "stratum", "inclusion", "check", "label"]
    lines = [",".join(names)]
    for i in range(rows):
        held = [2 * i + 1, "all", 0.5, check_of(float(score[2 * i]), n), i % 2]
        if i == row - 1:
            held[names.index(column)] = value
        lines.append(",".join(f'"{one}"' if "," in str(one) else str(one) for one in held))
    return "\n".join([*lines, ""]).encode()


TARGET = "counts estimate news.csv --prob p --target y"
SHEET = "counts estimate news.csv --prob p --labelled sheet.csv"
NEWS = {"news.csv": units()}


def changed(column: str, row: int, value: str) -> dict[str, bytes]:
    return {"news.csv": units(column, row=row, value=value)}


def filled(column: str, row: int, value: str) -> dict[str, bytes]:
    return NEWS | {"sheet.csv": sheet(column, row=row, value=value)}


REGRESS = "counts regress news.csv --prediction p --target y"
POSTS = {
    "news.csv": b"".join(
        line + b",3," + str((k - 1) // 2 * 2).encode() + b"\n" if k else line + b",same,twice\n"
        for k, line in enumerate(units().splitlines())
    )
}


def twice(row: int = 0, **values: str) -> dict[str, bytes]:
    """The units with a second reading of all that have a label, the same, and one that settles none; one changed."""
    lines = units().decode().splitlines()
    held = [f"{lines[0]},second,settled"]
    for k, line in enumerate(lines[1:], 1):
        label = line.split(",")[lines[0].split(",").index("y")]
        read = {"second": label, "settled": ""} | (values if k == row else {})
        held.append(f"{line},{read['second']},{read['settled']}")
    return {"news.csv": "\n".join([*held, ""]).encode()}


TWICE = f"{TARGET} --second second --settled settled"
COUNTS = [
    Wrong("a second reading without a first", TWICE, twice(40, second="1")),
    Wrong("two readings that differ, and are not settled", TWICE, twice(3, second="1")),
    Wrong("a settled reading that contradicts both", TWICE, twice(3, settled="1")),
    Wrong("a settled reading of a unit that was read once", TWICE, twice(3, second="", settled="1")),
    Wrong("readings that are settled, and assumed to be misread alike", f"{TWICE} --flips alike", twice()),
    Wrong("a settled reading without a second", f"{TARGET} --settled settled", twice()),
    Wrong("no labels", "counts estimate news.csv --prob p", NEWS),
    Wrong("labels from two places", f"{TARGET} --labelled sheet.csv", NEWS | {"sheet.csv": sheet()}),
    Wrong("a label that is neither 0 nor 1", TARGET, changed("y", 3, "2")),
    Wrong("labels in words", "counts estimate news.csv --prob p --target actor", NEWS),
    Wrong("a positive value that is none", "counts estimate news.csv --prob p --target actor --positive A2", NEWS),
    Wrong("a unit without a score", TARGET, changed("p", 3, "")),
    Wrong("a score in words", TARGET, changed("p", 3, "high")),
    Wrong("a score above 1", TARGET, changed("p", 3, "17")),
    Wrong("a score with a decimal comma", TARGET, changed("p", 3, '"0,5"')),
    Wrong("a unit without a cell", f"{TARGET} --group actor", changed("actor", 3, "")),
    Wrong("one column for two purposes", f"{TARGET} --group actor,p", NEWS),
    Wrong("a date that is none", f"{TARGET} --date day --period month", changed("day", 3, "20/3/2001")),
    Wrong(
        "a date written in another way than named", f"{TARGET} --date day --date-format %d.%m.%Y --period month", NEWS
    ),
    Wrong("a way to write dates that lacks the day", f"{TARGET} --date day --date-format mm.yyyy --period month", NEWS),
    Wrong("a way to write dates without a date", f"{TARGET} --date-format %d.%m.%Y", NEWS),
    Wrong("a date without a period", f"{TARGET} --date day", NEWS),
    Wrong("a feature in words", f"{TARGET} --features id", NEWS),
    Wrong("a label without its chance", f"{TARGET} --inclusion chance", changed("chance", 3, "")),
    Wrong("a chance of 0", f"{TARGET} --inclusion chance", changed("chance", 3, "0")),
    Wrong("a chance above 1", f"{TARGET} --inclusion chance", changed("chance", 3, "1.5")),
    Wrong("a stratum with one label", f"{TARGET} --stratum document", changed("document", 24, "99")),
    Wrong("a cluster labelled in part", f"{TARGET} --cluster document", changed("y", 3, "")),
    Wrong("a row of the sheet that is none", SHEET, filled("row", 3, "400")),
    Wrong("a row of the sheet twice", SHEET, filled("row", 3, "1")),
    Wrong("a label in words in the sheet", SHEET, filled("label", 3, "yes")),
    Wrong("three words for two labels", f"{SHEET} --positive 1", filled("label", 3, "yes")),
    Wrong("a chance with a decimal comma", SHEET, filled("inclusion", 3, "0,5")),
    Wrong("rows that were deleted from the sheet", SHEET, NEWS | {"sheet.csv": sheet(rows=15)}),
    Wrong("a sheet of another file", SHEET, NEWS | {"sheet.csv": sheet(n=41)}),
    Wrong("a sheet in UTF-16", SHEET, NEWS | {"sheet.csv": sheet().decode().encode("utf-16")}),
    Wrong("a sheet without a row", SHEET, NEWS | {"sheet.csv": b"row,stratum,inclusion,check,label\n,,,,\n"}),
    Wrong("too few units for a sample", "counts sample news.csv --prob p --labels 400", NEWS),
    Wrong("too few labels for the strata", "counts sample news.csv --prob p --labels 3", NEWS),
    Wrong("a column of the sheet shown", "counts sample news.csv --prob p --labels 9 --show label", NEWS),
    Wrong("a width of nothing", "counts plan news.csv --prob p --width 0", NEWS),
    Wrong("a width in per cent", "counts plan news.csv --prob p --width 5 --share", NEWS),
    Wrong("a covariate that is constant", f"{REGRESS} --covariates p,document,same", POSTS),
    Wrong("covariates that tell each other", f"{REGRESS} --covariates p,document,twice", POSTS),
    Wrong("a covariate that fixed effects tell", f"{REGRESS} --covariates twice --fixed-effects document", POSTS),
    Wrong("a covariate with a gap", f"{REGRESS} --covariates p,chance", NEWS),
    Wrong("treated, but when?", f"{REGRESS} --treated same", POSTS),
    Wrong("a logistic regression of a scale", f"{REGRESS} --covariates p --method logit", changed("y", 3, "2")),
    Wrong("a chance of labels above 1", f"{REGRESS} --covariates p --inclusion chance", changed("chance", 3, "1.2")),
    Wrong("predictions in words, labels in numbers", f"{REGRESS.replace('p --t', 'actor --t')} --covariates p", NEWS),
]
