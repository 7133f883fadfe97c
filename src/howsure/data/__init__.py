"""Predictions as data: readers of every file format. DuckDB is loaded when a reader is first used."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from howsure.data.arrays import read_columns
    from howsure.data.opening import open_predictions
    from howsure.data.predictions import Predictions

__all__ = ["Predictions", "open_predictions", "read_columns"]

_FILE_OF = {"Predictions": "predictions", "open_predictions": "opening", "read_columns": "arrays"}


def __getattr__(name: str) -> Any:
    if name not in _FILE_OF:
        raise AttributeError(f"module 'howsure.data' has no attribute {name!r}")
    return getattr(importlib.import_module(f"howsure.data.{_FILE_OF[name]}"), name)
