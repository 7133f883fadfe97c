"""Does recalibration help? Errors and scores before and after it, on rows that no map has seen."""
