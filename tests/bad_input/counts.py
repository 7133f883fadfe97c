"""The files of wrong inputs of `howsure counts`."""

from __future__ import annotations

import numpy as np

from howsure.counts.label_sheets import row_check
from tests.bad_input.files import Files

UNITS = 40


def units(column: str = "p", *, row: int = 0, value: str = "") -> bytes:
    """Write 40 units with a score, a label of the first 24, and documents of two units; one value is changed."""
    score = np.random.default_rng(0).random(UNITS).round(3)
    names = ["id", "p", "actor", "day", "document", "y", "chance"]
    lines = [",".join(names)]
    for i in range(UNITS):
        y = i % 2 if i < 24 else ""
        cells = [f"d{i}", f"{score[i]}", f"A{i % 2}", f"2001-0{1 + i % 9}-20", i // 2, y, 0.6 if i < 24 else ""]
        if i == row - 1:
            cells[names.index(column)] = value
        lines.append(",".join(map(str, cells)))
    return "\n".join([*lines, ""]).encode()


def sheet(column: str = "label", *, row: int = 0, value: str = "", rows: int = 20, n: int = UNITS) -> bytes:
    """Write the labelled sheet of a simple sample of 20 of the 40 units; one value is changed."""
    score = np.random.default_rng(0).random(UNITS).round(3)
    names = ["row", "stratum", "inclusion", "check", "label"]
    lines = [",".join(names)]
    for i in range(rows):
        cells = [2 * i + 1, "all", 0.5, row_check(float(score[2 * i]), n), i % 2]
        if i == row - 1:
            cells[names.index(column)] = value
        lines.append(",".join(f'"{cell}"' if "," in str(cell) else str(cell) for cell in cells))
    return "\n".join([*lines, ""]).encode()


NEWS = {"news.csv": units()}


def changed(column: str, row: int, value: str) -> dict[str, bytes]:
    return {"news.csv": units(column, row=row, value=value)}


def filled(column: str, row: int, value: str) -> dict[str, bytes]:
    return NEWS | {"sheet.csv": sheet(column, row=row, value=value)}


POSTS = {
    "news.csv": b"".join(
        line + b",3," + str((k - 1) // 2 * 2).encode() + b"\n" if k else line + b",same,twice\n"
        for k, line in enumerate(units().splitlines())
    )
}


def twice(row: int = 0, **values: str) -> dict[str, bytes]:
    """Write the units with a second label, equal to the first, and a column of settled labels; one value is changed."""
    lines = units().decode().splitlines()
    rows = [f"{lines[0]},second,settled"]
    for k, line in enumerate(lines[1:], 1):
        label = line.split(",")[lines[0].split(",").index("y")]
        second_labels = {"second": label, "settled": ""} | (values if k == row else {})
        rows.append(f"{line},{second_labels['second']},{second_labels['settled']}")
    return {"news.csv": "\n".join([*rows, ""]).encode()}


COUNTS = Files(
    NEWS,
    {
        "a second reading without a first": twice(40, second="1"),
        "two readings that differ, and are not settled": twice(3, second="1"),
        "a settled reading that contradicts both": twice(3, settled="1"),
        "a settled reading of a unit that was read once": twice(3, second="", settled="1"),
        "readings that are settled, and assumed to be misread alike": twice(),
        "a settled reading without a second": twice(),
        "a label that is neither 0 nor 1": changed("y", 3, "2"),
        "a unit without a score": changed("p", 3, ""),
        "a score in words": changed("p", 3, "high"),
        "a score above 1": changed("p", 3, "17"),
        "a score with a decimal comma": changed("p", 3, '"0,5"'),
        "a unit without a cell": changed("actor", 3, ""),
        "an invalid date": changed("day", 3, "20/3/2001"),
        "a label without its chance": changed("chance", 3, ""),
        "a chance of 0": changed("chance", 3, "0"),
        "a chance above 1": changed("chance", 3, "1.5"),
        "a cluster labelled in part": changed("y", 3, ""),
        "a row number outside the scored file": filled("row", 3, "400"),
        "a row of the sheet twice": filled("row", 3, "1"),
        "a label in words in the sheet": filled("label", 3, "yes"),
        "three words for two labels": filled("label", 3, "yes"),
        "a chance with a decimal comma": filled("inclusion", 3, "0,5"),
        "rows that were deleted from the sheet": {"sheet.csv": sheet(rows=15)},
        "a sheet of another file": {"sheet.csv": sheet(n=41)},
        "a sheet without a row": {"sheet.csv": b"row,stratum,inclusion,check,label\n,,,,\n"},
        "a covariate that is constant": POSTS,
        "covariates that determine each other": POSTS,
        "a covariate that fixed effects determine": POSTS,
        "a logistic regression of a scale": changed("y", 3, "2"),
        "a chance of labels above 1": changed("chance", 3, "1.2"),
    },
)
