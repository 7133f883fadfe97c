"""The files of wrong inputs of `howsure monitor`."""

from __future__ import annotations

from tests.bad_input.files import Files

ROWS = [("2026-01-01", 1, 0.9), ("2026-01-02", 0, 0.4), ("2026-01-03", 1, 0.8)]


def log(*rows: tuple[object, object, object]) -> dict[str, bytes]:
    """Write a log of these rows, or of three valid rows."""
    lines = ["day,right,p", *(f"{day},{right},{p}" for day, right, p in rows or ROWS), ""]
    return {"log.csv": "\n".join(lines).encode()}


LOG = log()

MONITORED = Files(
    LOG,
    {
        "an invalid date in a log": log(ROWS[0], ("02/01/2026", 1, 0.5)),
        "a day that does not exist": log(("2026-02-30", 1, 0.5)),
        "a row without a date": log(ROWS[0], ("", 1, 0.5)),
        "a labelled row without a probability": log(ROWS[0], ("2026-01-02", 1, "")),
        "a log without any label": log(("2026-01-01", "", 0.5)),
        "a state that is another file": {"s.json": b"{}"},
        "a state that was changed": {"s.json": b'{"kind": "howsure monitor", "schema": 3, "sha256": "", "state": {}}'},
        "a state of an earlier form": {
            "s.json": b'{"kind": "howsure monitor", "schema": 1, "sha256": "", "state": {}}'
        },
        "a pair for each class": {"log.csv": b"day,right,p,q\n2026-01-01,p,0.4,0.6\n"},
    },
)
