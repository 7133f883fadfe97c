"""Monitoring: from a log to a state, a verdict, a series, metrics and a page."""

from __future__ import annotations

from tests.goldens.running import Room

READ = "log.jsonl --date time --target right --prob p"

ROOM = Room(
    f"""
    monitor update state.json {READ} --group part
    monitor update state.json {READ} --group part
    monitor status state.json
    monitor status state.json --format json
    monitor status state.json --format csv
    monitor status state.json --format markdown
    monitor status state.json --format latex
    monitor series state.json
    monitor series state.json --group shaky
    monitor series state.json --group shaky --format json
    monitor series state.json --group fine --format csv
    monitor series state.json --group shaky --format markdown
    monitor series state.json --group shaky --format latex --figure series.svg
    monitor metrics state.json
    monitor metrics state.json --output howsure.prom
    monitor series state.json --group shaky --report series.html
    monitor update weeks.json {READ} --period week --level 0.9 --tolerance 0.02 --wait 1
    monitor status weeks.json
    monitor series weeks.json --format json
    monitor update until.json {READ} --until 2026-01-05
    monitor series until.json
    monitor status until.json --columns group,n
    monitor update state.json {READ} --group part --period week
    monitor update reference.json {READ} --reference 2026-01-03 --until 2026-01-09
    monitor status reference.json --format json
    monitor update no.json {READ} --level 2
    monitor update no.json log.jsonl --date day --target right --prob p
    monitor update no.json log.jsonl --date time --target right --prob time
    monitor series state.json --group nobody
    monitor status log.jsonl
    monitor status nothing.json
    """
)
