"""Estimates of the calibration error and their intervals."""
