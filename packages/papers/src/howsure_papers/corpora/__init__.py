"""Readers of the data sets of the experiments."""
