"""Counts: a sample to label, the labels filled in, the estimates, and the number of labels needed."""

from __future__ import annotations

import csv
from pathlib import Path

from tests.goldens.inputs import news_scores
from tests.goldens.running import Room


def label(drawn: str, done: str) -> None:
    """Fill in the correct labels. A comma or a semicolon may separate the columns."""
    truth = {row["id"]: row["truth"] for row in news_scores()}
    with Path(drawn).open(newline="", encoding="utf-8-sig") as file:
        rows = list(csv.DictReader(file))
    with Path(done).open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows({**row, "label": row["label"] or truth[row["id"]]} for row in rows)


def some_labels() -> None:
    """Return the table of scores with a column of labels for every third unit."""
    rows = [{**row, "found": row["truth"] if k % 3 == 0 else ""} for k, row in enumerate(news_scores())]
    with Path("some.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def read_twice() -> None:
    """Return labels of every third unit, some of them wrong. Every sixth unit has two labels, which are settled if they
    differ."""
    rows = []
    for k, row in enumerate(news_scores()):
        truth = int(row["truth"])
        first, second = (1 - truth if k % of == 0 else truth for of in (39, 66))
        settled = truth if first != second else ""
        labels = [first if k % 3 == 0 else "", second if k % 6 == 0 else "", settled if k % 6 == 0 else ""]
        rows.append({**row, **dict(zip(("first", "second", "settled"), labels, strict=True))})
    with Path("twice.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


READ = "news.csv --prob score"
DONE = "news.csv --prob score --labelled labelled.csv"

TWICE = "counts estimate twice.csv --prob score --target first"
ROOM = Room(
    f"""
    counts sample {READ} --labels 60 --show id,text --output to_label.csv
    counts sample {READ} --labels 60 --group month --show id --seed 3 --output by_month.csv
    counts sample {READ} --labels 40 --design simple --show id --output simple.csv
    counts sample {READ} --labels 40 --cluster source --show id --output clustered.csv
    counts sample {READ} --labels 40 --date day --period month --show id --where "length > 21" --output dated.csv
    !label
    counts sample {READ} --labels 20 --more labelled.csv --show id --output more.csv
    counts estimate {DONE}
    counts estimate {DONE} --method difference --format json
    counts estimate {DONE} --format csv
    counts estimate {DONE} --format markdown
    counts estimate {DONE} --format latex
    counts estimate {DONE} --share --level 0.9
    counts estimate {DONE} --features length
    counts estimate {READ} --labelled labelled_by_month.csv --group month
    counts estimate {READ} --labelled labelled_by_month.csv --group month --format json
    counts estimate {READ} --labelled labelled_by_month.csv --group month --method exact --format csv
    counts estimate {READ} --labelled labelled_by_month.csv --group month --method difference
    counts estimate {READ} --labelled labelled_by_month.csv --group month --method labels --format markdown
    counts estimate {READ} --labelled labelled_by_month.csv --group month --method raw --format latex
    counts estimate {READ} --labelled labelled_by_month.csv --group month --figure counts.svg --report counts.html
    counts estimate {READ} --labelled labelled_clustered.csv --cluster source
    counts estimate some.csv --prob score --target found
    counts estimate some.csv --prob score --target found --group month --format json
    {TWICE} --second second
    {TWICE} --second second --flips alike --group month
    {TWICE} --second second --settled settled --method difference --format json
    {TWICE} --settled settled
    counts plan {READ} --width 40
    counts plan {READ} --width 0.1 --share
    counts plan {READ} --width 40 --labelled labelled.csv
    counts plan {READ} --width 40 --design simple --output plan.txt
    counts sample {READ} --labels 0 --output no.csv
    counts sample {READ} --labels 400 --output no.csv
    counts sample news.csv --prob scor --labels 20 --output no.csv
    counts estimate {READ} --labelled to_label.csv
    counts estimate {READ} --labelled pairs.csv
    counts estimate {READ}
    counts plan {READ} --width 0
    """,
    steps={
        "label": lambda: [
            label("to_label.csv", "labelled.csv"),
            label("by_month.csv", "labelled_by_month.csv"),
            label("clustered.csv", "labelled_clustered.csv"),
            some_labels(),
            read_twice(),
        ]
    },
    long=True,
)
