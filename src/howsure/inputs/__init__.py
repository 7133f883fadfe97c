"""What users hand over: arrays, data frames and names, checked once where they enter."""
