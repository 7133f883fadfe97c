"""User input: arrays, data frames and names, which are checked once, on entry."""
