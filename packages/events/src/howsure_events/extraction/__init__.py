"""Extraction of the events of a corpus into a store, in one or several processes."""
