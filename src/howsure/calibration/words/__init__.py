"""Calibration curves in words and tables: the verdict's sentences are in `verdict`."""
