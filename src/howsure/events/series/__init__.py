"""How often in each period? Counts with intervals, series and comparisons."""
