"""Bins of more pairs than memory holds: a fixed grid of cells, and a second reading where an edge divides one."""
