"""Wrong inputs of `howsure counts` and what is said to them: part of the table of `bad_input.py`."""

from __future__ import annotations

import numpy as np

from howsure.counts.sheets import check_of
from tests.cli.bad_input import COUNTED, Wrong

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


COUNTS = [
    Wrong("no labels", "counts estimate news.csv --prob p",
          "say where the labels are: either --labelled FILE.csv or --target COL.",
          NEWS),
    Wrong("labels from two places", f"{TARGET} --labelled sheet.csv",
          "say where the labels are: either --labelled FILE.csv or --target COL.",
          NEWS | {"sheet.csv": sheet()}),
    Wrong("a label that is neither 0 nor 1", TARGET,
          f"--target must be 0, 1 or missing; row 3 of news.csv {COUNTED} holds '2'.",
          changed("y", 3, "2")),
    Wrong("labels in words", "counts estimate news.csv --prob p --target actor",
          f"--target must be 0, 1 or missing; row 1 of news.csv {COUNTED} holds 'A0'. Say which value is positive:"
          " --positive A0.",
          NEWS),
    Wrong("a positive value that is none", "counts estimate news.csv --prob p --target actor --positive A2",
          "--positive A2 is not a value of --target; it holds 'A0' (20), 'A1' (20). Did you mean --positive A1?",
          NEWS),
    Wrong("a unit without a score", TARGET,
          f"p must not be missing; row 3 of news.csv {COUNTED} holds nothing. Give each unit a value, or remove "
          "it.",
          changed("p", 3, "")),
    Wrong("a score in words", TARGET,
          f"p must hold numbers; row 3 of news.csv {COUNTED} holds 'high'.",
          changed("p", 3, "high")),
    Wrong("a score above 1", TARGET,
          f"--prob must lie in [0, 1]; row 3 of news.csv {COUNTED} holds 17.0. Are these percentages? Divide by "
          "100. Or logits? Apply a softmax first.",
          changed("p", 3, "17")),
    Wrong("a score with a decimal comma", TARGET,
          f"p must hold numbers; row 3 of news.csv {COUNTED} holds '0,5'. Write a decimal point.",
          changed("p", 3, '"0,5"')),
    Wrong("a unit without a cell", f"{TARGET} --group actor",
          f"actor must not be missing; row 3 of news.csv {COUNTED} holds nothing. Give each unit a value, or "
          "remove it.",
          changed("actor", 3, "")),
    Wrong("one column for two purposes", f"{TARGET} --group actor,p",
          "a column has one meaning; some of these are named for two: actor, p, p, y.",
          NEWS),
    Wrong("a date that is none", f"{TARGET} --date day --period month",
          f"day must hold dates such as 2003-03-20; row 3 of news.csv {COUNTED} holds '20/3/2001'. If they are "
          "written in another way, name it: --date-format %d.%m.%Y.",
          changed("day", 3, "20/3/2001")),
    Wrong("a date written in another way than named", f"{TARGET} --date day --date-format %d.%m.%Y --period month",
          f"day must hold dates written as %d.%m.%Y; row 1 of news.csv {COUNTED} holds '2001-01-20'.", NEWS),
    Wrong("a way to write dates that lacks the day", f"{TARGET} --date day --date-format mm.yyyy --period month",
          "--date-format must name the year, the month and the day; it is 'mm.yyyy'. For 31/12/2001 it is '%d/%m/%Y'.",
          NEWS),
    Wrong("a way to write dates without a date", f"{TARGET} --date-format %d.%m.%Y",
          "--date-format says how --date is written; name its column too: --date COL.", NEWS),
    Wrong("a date without a period", f"{TARGET} --date day",
          "--date COL and --period week, month, quarter or year belong together; one of them is missing.",
          NEWS),
    Wrong("a feature in words", f"{TARGET} --features id",
          f"id must hold numbers; row 1 of news.csv {COUNTED} holds 'd0'.",
          NEWS),
    Wrong("a label without its chance", f"{TARGET} --inclusion chance",
          "--inclusion, the probability that a unit was drawn for labelling, must lie in (0, 1] where there is "
          f"a label; row 3 of news.csv {COUNTED} has none. howsure counts sample gives it.",
          changed("chance", 3, "")),
    Wrong("a chance of 0", f"{TARGET} --inclusion chance",
          "--inclusion, the probability that a unit was drawn for labelling, must lie in (0, 1] where there is "
          f"a label; row 3 of news.csv {COUNTED} has '0'. howsure counts sample gives it.",
          changed("chance", 3, "0")),
    Wrong("a chance above 1", f"{TARGET} --inclusion chance",
          "--inclusion, the probability that a unit was drawn for labelling, must lie in (0, 1] where there is "
          f"a label; row 3 of news.csv {COUNTED} has '1.5'. howsure counts sample gives it.",
          changed("chance", 3, "1.5")),
    Wrong("a stratum with one label", f"{TARGET} --stratum document",
          "--stratum: '12' has 2 units and 0 with labels; each needs 2, since nothing else shows what the model"
          " misses there. Label more of it, or merge it with another.",
          changed("document", 24, "99")),
    Wrong("a cluster labelled in part", f"{TARGET} --cluster document",
          f"a cluster is labelled as a whole or not at all; that of row 3 of news.csv {COUNTED} has labels for 1"
          " of its 2 units (1 clusters in all). Label the others, or empty its labels.",
          changed("y", 3, "")),
    Wrong("a row of the sheet that is none", SHEET,
          f"row must be the number of a row of the scored file, 1 to 40; row 3 of sheet.csv {COUNTED} has 400. "
          "Is it the file of another sample?",
          filled("row", 3, "400")),
    Wrong("a row of the sheet twice", SHEET,
          f"row must be different in each row; row 3 of sheet.csv {COUNTED} has 1 again.",
          filled("row", 3, "1")),
    Wrong("a label in words in the sheet", SHEET,
          f"label must be 1 or 0; row 3 of sheet.csv {COUNTED} holds 'yes'. Write 1 for a unit that has the "
          "property and 0 for one that has not, or say which value means 1: --positive.",
          filled("label", 3, "yes")),
    Wrong("three words for two labels", f"{SHEET} --positive 1",
          "label must be '1' or one other value; sheet.csv holds '0', '1', 'yes'.",
          filled("label", 3, "yes")),
    Wrong("a chance with a decimal comma", SHEET,
          f"inclusion must be a number above 0 and at most 1; row 3 of sheet.csv {COUNTED} holds '0,5'. Write a "
          "decimal point.",
          filled("inclusion", 3, "0,5")),
    Wrong("rows that were deleted from the sheet", SHEET,
          "the strata and inclusion probabilities of the labelled units say that there are 30 units; there are "
          "40. Give labels for all drawn units, and the inclusion probabilities that the sample gave.",
          NEWS | {"sheet.csv": sheet(rows=15)}),
    Wrong("a sheet of another file", SHEET,
          f"check must be that of the unit's score: row 1 of news.csv {COUNTED} has the score 0.637, and "
          "sheet.csv was drawn when that row had another, or the file another number of rows (20 such). Has the"
          " scored file been sorted or changed since the sample was drawn? Use the original file, with the same"
          " --prob.",
          NEWS | {"sheet.csv": sheet(n=41)}),
    Wrong("a sheet in UTF-16", SHEET,
          "sheet.csv is UTF-16 text. Save it as UTF-8 (in a spreadsheet: CSV UTF-8).",
          NEWS | {"sheet.csv": sheet().decode().encode("utf-16")}),
    Wrong("a sheet without a row", SHEET,
          "sheet.csv has no row with a unit; write it by howsure counts sample, and fill its label.",
          NEWS | {"sheet.csv": b"row,stratum,inclusion,check,label\n,,,,\n"}),
    Wrong("too few units for a sample", "counts sample news.csv --prob p --labels 400",
          "--labels must be at most the number of units, 40; it is 400.",
          NEWS),
    Wrong("too few labels for the strata", "counts sample news.csv --prob p --labels 3",
          "--labels must be at least 2 per stratum, 6 for 3 strata; it is 3. Draw more, in fewer bands, or by "
          "another --design.",
          NEWS),
    Wrong("a column of the sheet shown", "counts sample news.csv --prob p --labels 9 --show label",
          "--show names 'label', which is the name of a column that is written; rename it.",
          NEWS),
    Wrong("a width of nothing", "counts plan news.csv --prob p --width 0",
          "--width must be a positive number of units; it is 0.0.",
          NEWS),
]  # fmt: skip
