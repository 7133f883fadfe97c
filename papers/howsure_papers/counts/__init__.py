"""Counts that hold: how often intervals from a few hundred labels contain counts that are known."""
