"""Files of predictions, opened by options of which some are those of `howsure.read`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import howsure
from howsure.data import Predictions
from howsure.data.predictions.open_predictions import open_predictions

OF_FILES = ("where", "skip_missing", "missing_values", "by_file", "across_files", "format", "normalise")


def opened(*paths: str | Path, **options: Any) -> Predictions:
    how = {name: options.pop(name) for name in OF_FILES if name in options}
    return open_predictions(howsure.read(paths, **how), **options)
