"""Predictions as data: readers of every file format."""

from howsure.data.arrays import read_columns
from howsure.data.opening import open_predictions
from howsure.data.predictions import Predictions

__all__ = ["Predictions", "open_predictions", "read_columns"]
