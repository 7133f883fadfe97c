"""Logs of other programs, unchanged."""

from __future__ import annotations

from howsure.data.logs.agents import AGENTS
from howsure.data.logs.layouts import LAYOUTS
from tests.data.logs.samples import LOGS
from tests.goldens.running import Room

PLACES = [f"logs/{name.replace(' ', '-')}" for name in LOGS if name.partition(" ")[0] not in LAYOUTS | AGENTS]
SCORED = [f"logs/{name}" for name in LAYOUTS]

ROOM = Room(
    "\n".join(f"calibration '{place}/*'" for place in PLACES)
    + "\n".join(["", *(f"calibration '{place}/*' --bins 2 --skip-missing --format json" for place in PLACES)])
    + "\n".join(["", *(f"score '{place}/*'" for place in SCORED)])
    + """
    calibration 'results/*/samples_*.jsonl'
    calibration 'results/*/samples_*.jsonl' --format csv
    calibration 'results/*/samples_*.jsonl' --reduce class-wise --format json
    calibration 'results/*/samples_*.jsonl' --normalise bytes
    calibration compare results/org__small/samples_quiz_*.jsonl results/org__large/samples_quiz_*.jsonl
    selective 'results/*/samples_*.jsonl'
    selective results/org__small/samples_quiz_*.jsonl --format json
    significance 'results/*/samples_*.jsonl' --score acc
    significance 'results/*/samples_*.jsonl'
    check calibration results/org__small/samples_quiz_*.jsonl --max-error 0.3
    check score 'results/org__small/samples_*.jsonl' --score acc --min-score 0.5
    check score results/org__large/samples_*.jsonl --score acc --better-than results/org__small/samples_*.jsonl
    recalibrate evaluate 'results/org__small/samples_*.jsonl'
    ~1e-5 recalibrate fit results/org__small/samples_quiz_*.jsonl --output log-map.json
    calibration find-groups results/org__small/samples_quiz_*.jsonl --features doc.subject --min-rows 20
    calibration summary results/org__small/samples_quiz_*.jsonl --output small.summary
    calibration small.summary
    calibration 'results/*/*.json'
    score judged.json --explode judgments --score judgments.grade --group judgments.judge --cluster id
    score judged.json --score 'judgments[0].grade' --id id --format json
    look judged.json
    """,
    long=True,
)
