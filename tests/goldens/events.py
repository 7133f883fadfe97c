"""Events: the demo's news from its parse to series, comparisons, labels, figures and pages."""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.goldens.running import Room

RULE = "forms: [sold, bought]\n"


def write_rules() -> None:
    Path("rule.yaml").write_text(RULE)
    Path("wrong.yaml").write_text("form: [sold]\n")
    rows = [
        "id,date,title,text,actor,p",
        "a,2001-01-03,One,They attacked at dawn. Nobody knew.,IRQ,0.9",
        "a,2001-01-03,One,,USA,0.25",
        "b,2001-02-03,Two,Rain fell in Oslo today.,,",
        "c,2001-05-03,Three,The troops attacked.,USA,1",
        "d,2001-05-13,Four,It rained.,IRQ,0",
    ]
    Path("found.csv").write_text("\n".join([*rows, ""]))


def keep_unlabelled() -> None:
    shutil.copy("news.duckdb", "read.duckdb")


def second_coder() -> None:
    """Return the labels of a second coder, who labelled one thing in seven differently."""
    heading, *rows = Path("demo-labels.csv").read_text().splitlines()
    other = []
    for k, row in enumerate(rows):
        document, actor, label, _ = row.split(",")
        turned = label if k % 7 or label not in "01" else str(1 - int(label))
        other.append(f"{document},{actor},{turned},others")
    Path("second.csv").write_text("\n".join([heading, *other, ""]))


EXTRACT = "events extract demo-news.conllu --lexicon demo-actors.tsv --workers 1"
IMPORT = "events import found.csv --id id --date date --actor actor --prob p"

ROOM = Room(
    f"""
    !write_rules
    {EXTRACT} --store news.duckdb
    {EXTRACT} --store news.duckdb
    {EXTRACT} --rule rule.yaml --store ruled.duckdb
    {EXTRACT} --part 1/2 --store part-1.duckdb
    {EXTRACT} --part 2/2 --store part-2.duckdb
    events merge part-1.duckdb part-2.duckdb --store whole.duckdb
    events merge part-1.duckdb --store no.duckdb
    events check news.duckdb
    events check whole.duckdb --format json
    events series news.duckdb
    events series news.duckdb --period year --format json
    events series news.duckdb --period year --format csv
    events series news.duckdb --period year --format markdown
    events series whole.duckdb --period year --format latex
    events series news.duckdb --actor NORLAND --period quarter --unit share
    events compare news.duckdb SUDORIA NORLAND
    events compare news.duckdb SUDORIA NORLAND --period year --format json
    events compare news.duckdb SUDORIA NORLAND --period year --format csv --stories apart
    events doubtful news.duckdb --limit 3
    events doubtful news.duckdb --low 0.3 --high 0.6 --format json
    events series news.duckdb --format csv --output attacks.csv
    events series news.duckdb --figure events.svg --period year --actor NORLAND
    events report news.duckdb events.html --period year
    events recount news.duckdb --rule rule.yaml --store recounted.duckdb --workers 1
    events series recounted.duckdb --period year
    events dependencies demo-news.conllu --lexicon demo-actors.tsv --top 4
    events dependencies demo-news.conllu --lexicon demo-actors.tsv --format json --top 3
    events parses demo-news.conllu --lexicon demo-actors.tsv
    !keep_unlabelled
    events label read.duckdb --labels 24 --draw-only
    events labels sheet read.duckdb --output sheet.csv
    events labels import read.duckdb demo-labels.csv
    !second_coder
    events labels import read.duckdb second.csv
    events labels agreement read.duckdb
    events labels agreement read.duckdb --format json
    events labels disagreements read.duckdb
    events labels export read.duckdb --output labels.csv
    events series read.duckdb --period year
    events series read.duckdb --period year --format json
    events series read.duckdb --period year --uncorrected
    events compare read.duckdb VESTMERE ALLIANCE --period year
    events compare read.duckdb VESTMERE ALLIANCE --period year --format csv
    events compare read.duckdb VESTMERE ALLIANCE --period year --uncorrected
    events regress read.duckdb --covariates actor
    events regress read.duckdb --fixed-effects actor --method logit --covariates period --period year --format json
    events regress read.duckdb --covariates troops
    events regress whole.duckdb --covariates actor
    events series read.duckdb --figure corrected.svg --period year --actor NORLAND
    events report read.duckdb corrected.html --period year
    {IMPORT} --title title --text text --event attack --store scored.duckdb
    events series scored.duckdb --period year --format json
    events compare scored.duckdb USA IRQ --period year
    events doubtful scored.duckdb
    events check scored.duckdb
    {EXTRACT} --rule wrong.yaml --store no.duckdb
    events extract pairs.csv --text id --date id --store no.duckdb
    events parser nothing
    events series nothing.duckdb
    events series pairs.csv
    events series part-1.duckdb
    events series news.duckdb --actor NOBODY
    events compare news.duckdb SUDORIA NOBODY
    events labels import read.duckdb pairs.csv
    {IMPORT} --event attack --store scored.duckdb
    """,
    steps={"second_coder": second_coder, "write_rules": write_rules, "keep_unlabelled": keep_unlabelled},
    long=True,
)
