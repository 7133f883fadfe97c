"""Metrics: statistics of each row, and a function of their sum."""
