"""Bins of more pairs than fit in memory: a fixed grid of cells, and a second reading of cells divided by an edge."""
