"""Counts per period, with intervals: series and comparisons."""
