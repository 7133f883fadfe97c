"""Calibration curves in words and tables, and their verdict."""
