"""Judges: what a model's grades of answers say about grades that people would give."""
