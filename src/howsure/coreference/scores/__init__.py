"""Coreference metrics of a clustering."""
