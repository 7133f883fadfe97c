"""User input: arrays, data frames and names, checked once on entry."""
