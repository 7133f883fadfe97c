"""Descriptions of files, with proposed commands."""

from __future__ import annotations

from tests.goldens.running import Room

ROOM = Room(
    """
    look pairs.csv
    look pairs.csv --format json
    look pairs.csv --format csv
    look scores.csv --format markdown
    look holes.csv
    look long.csv --columns column,holds
    look 'results/*/samples_*.jsonl'
    look results
    look logs/helm
    look logs
    look pairs.csv --format signature
    signature "howsure|curve|n:300|levels:low+high|v:0.2.0"
    signature "howsure|curve|n:300|v:0.2.0" --format json
    signature "bleu|n:300"
    score results --seed 1
    """
)
