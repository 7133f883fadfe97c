"""Files of predictions too large for memory, read once: added up by cell of the probability scale, by all cores."""
