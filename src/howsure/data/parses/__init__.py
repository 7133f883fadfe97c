"""Parses: what a dependency parser says of a sentence, read once for all who ask."""
