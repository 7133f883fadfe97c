"""Wrong inputs of `howsure monitor` and what is said to them: part of the table of `bad_input.py`."""

from __future__ import annotations

from tests.cli.bad_input import Wrong

ROWS = [("2026-01-01", 1, 0.9), ("2026-01-02", 0, 0.4), ("2026-01-03", 1, 0.8)]


def log(*rows: tuple[object, object, object]) -> dict[str, bytes]:
    """A log of these rows, or of three good ones."""
    lines = ["day,right,p", *(f"{day},{right},{p}" for day, right, p in rows or ROWS), ""]
    return {"log.csv": "\n".join(lines).encode()}


WATCH = "monitor update s.json log.csv --date day --target right --prob p"
LOG = log()

MONITORED = [
    Wrong("a date of a log that is none", WATCH, log(ROWS[0], ("02/01/2026", 1, 0.5))),
    Wrong("a day that does not exist", WATCH, log(("2026-02-30", 1, 0.5))),
    Wrong("a row without a date", WATCH, log(ROWS[0], ("", 1, 0.5))),
    Wrong("a misspelt column of dates", WATCH.replace("--date day", "--date days"), LOG),
    Wrong("a labelled row without a probability", WATCH, log(ROWS[0], ("2026-01-02", 1, ""))),
    Wrong("a log without any label", WATCH, log(("2026-01-01", "", 0.5))),
    Wrong("a state that is not there", "monitor status s.json", {}),
    Wrong("a state that is another file", "monitor status s.json", {"s.json": b"{}"}),
    Wrong(
        "a state that was changed",
        "monitor metrics s.json",
        {"s.json": b'{"kind": "howsure monitor", "schema": 3, "sha256": "", "state": {}}'},
    ),
    Wrong(
        "a state of an earlier form",
        "monitor status s.json",
        {"s.json": b'{"kind": "howsure monitor", "schema": 1, "sha256": "", "state": {}}'},
    ),
    Wrong("an output that a store would take for its own", "monitor status s.json --output news.duckdb.wal", {}),
    Wrong("a tolerance in per cent", f"{WATCH} --tolerance 2", LOG),
    Wrong("a reference that is no date", f"{WATCH} --reference january", LOG),
    Wrong("an end that is no date", f"{WATCH} --until today", LOG),
    Wrong("nothing to watch", "monitor update s.json --date day --target right --prob p", {}),
    Wrong("a database without a table", "monitor update s.json --database d.duckdb --date day --target y --prob p", {}),
    Wrong("a database that is none", "monitor update s.json --database log.csv --table t --date day --prob p", LOG),
    Wrong("weights of a monitor", f"{WATCH} --weight p", LOG),
    Wrong(
        "a pair for each class",
        "monitor update s.json log.csv --date day --target right --probs p,q --reduce class-wise",
        {"log.csv": b"day,right,p,q\n2026-01-01,p,0.4,0.6\n"},
    ),
]
