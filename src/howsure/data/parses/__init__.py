"""Parses: the output of a dependency parser for a sentence, read once for all uses."""
