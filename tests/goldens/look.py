"""What files are, and what could be asked of them."""

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
    score results --seed 1
    """
)
