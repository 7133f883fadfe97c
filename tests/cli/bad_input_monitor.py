"""Wrong inputs of `howsure monitor` and what is said to them: part of the table of `bad_input.py`."""

from __future__ import annotations

from tests.cli.bad_input import COUNTED, Wrong

ROWS = [("2026-01-01", 1, 0.9), ("2026-01-02", 0, 0.4), ("2026-01-03", 1, 0.8)]


def log(*rows: tuple[object, object, object]) -> dict[str, bytes]:
    """A log of these rows, or of three good ones."""
    lines = ["day,right,p", *(f"{day},{right},{p}" for day, right, p in rows or ROWS), ""]
    return {"log.csv": "\n".join(lines).encode()}


WATCH = "monitor update s.json log.csv --date day --target right --prob p"
LOG = log()

MONITORED = [
    Wrong("a date of a log that is none", WATCH,
          f"day must be a date such as 2026-11-22 (ISO 8601); row 2 of log.csv {COUNTED} holds '02/01/2026'.",
          log(ROWS[0], ("02/01/2026", 1, 0.5))),
    Wrong("a day that does not exist", WATCH,
          f"day must be a date such as 2026-11-22 (ISO 8601); row 1 of log.csv {COUNTED} holds '2026-02-30'.",
          log(("2026-02-30", 1, 0.5))),
    Wrong("a row without a date", WATCH,
          f"day must be a date such as 2026-11-22 (ISO 8601); row 2 of log.csv {COUNTED} holds nothing.",
          log(ROWS[0], ("", 1, 0.5))),
    Wrong("a misspelt column of dates", WATCH.replace("--date day", "--date days"),
          "no column 'days' in log.csv; it has day, right, p. Did you mean day?", LOG),
    Wrong("a labelled row without a probability", WATCH,
          f"p must not be missing; row 2 of log.csv {COUNTED} holds nothing. Leave such rows out with --skip-missing.",
          log(ROWS[0], ("2026-01-02", 1, ""))),
    Wrong("a log without any label", WATCH,
          "every row of log.csv has a missing value (right: 1); nothing is left.", log(("2026-01-01", "", 0.5))),
    Wrong("a state that is not there", "monitor status s.json",
          "no file s.json; howsure monitor update s.json FILE... begins it.", {}),
    Wrong("a state that is another file", "monitor status s.json",
          "s.json: this is not the state of a monitor. Name the file that howsure monitor update wrote.",
          {"s.json": b"{}"}),
    Wrong("a state that was changed", "monitor metrics s.json",
          "s.json: the state does not match its checksum: it was changed or cut off. Restore a copy, or begin a new "
          "state.", {"s.json": b'{"kind": "howsure monitor", "schema": 3, "sha256": "", "state": {}}'}),
    Wrong("a state of an earlier form", "monitor status s.json",
          "s.json: the state has schema 1, and this howsure reads 3. Begin a new state, and give it the whole log.",
          {"s.json": b'{"kind": "howsure monitor", "schema": 1, "sha256": "", "state": {}}'}),
    Wrong("an output that a store would take for its own", "monitor status s.json --output news.duckdb.wal",
          "--output must not name news.duckdb.wal: DuckDB keeps the last changes of news.duckdb there. Name another "
          "file.", {}),
    Wrong("a tolerance in per cent", f"{WATCH} --tolerance 2",
          "tolerance must lie in [0, 0.5); it is 2.0. Write 0.02 for two points of probability.", LOG),
    Wrong("a reference that is no date", f"{WATCH} --reference january",
          "reference must be a date such as 2026-11-22 (ISO 8601); it is 'january'.", LOG),
    Wrong("an end that is no date", f"{WATCH} --until today",
          "until must be a date such as 2026-11-22 (ISO 8601); it is 'today'.", LOG),
    Wrong("nothing to watch", "monitor update s.json --date day --target right --prob p",
          "no file is named; name a file, a glob in quotes, - for standard input, or a --database.", {}),
    Wrong("a database without a table", "monitor update s.json --database d.duckdb --date day --target y --prob p",
          "a table is named by --database FILE.duckdb --table NAME together, without other files.", {}),
    Wrong("a database that is none", "monitor update s.json --database log.csv --table t --date day --prob p",
          "log.csv is not a DuckDB database.", LOG),
    Wrong("weights of a monitor", f"{WATCH} --weight p",
          "--weight is not supported here: a bet counts rows. Leave --weight out.", LOG),
    Wrong("a pair for each class",
          "monitor update s.json log.csv --date day --target right --probs p,q --reduce class-wise",
          "--reduce must leave one pair a row: top-label, or the name of one class.",
          {"log.csv": b"day,right,p,q\n2026-01-01,p,0.4,0.6\n"}),
]  # fmt: skip
