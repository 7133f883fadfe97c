"""Files of predictions, opened by options of which some are those of `howsure.read`, and one a way of `Given`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import howsure
from howsure.data import Predictions
from howsure.data.predictions.predictions import open_predictions
from howsure.inputs.given import UNNAMED, WAYS, Given

OF_FILES = ("where", "skip_missing", "missing_values", "by_file", "across_files", "format", "normalise")
OF_CLASSES = ("reduce", "classes")


def opened(*paths: str | Path, **options: Any) -> Predictions:
    how = {name: options.pop(name) for name in OF_FILES if name in options}
    of_classes = {name: options.pop(name) for name in OF_CLASSES if name in options}
    named = {way: options.pop(way) for way in WAYS if way in options}
    ways = {way: values for way, values in named.items() if values is not None} or (
        {UNNAMED: None} if of_classes else {}
    )
    for way, values in ways.items():
        options["y_prob"] = Given(way, values, **of_classes)
    return open_predictions(howsure.read(paths, **how), **options)
