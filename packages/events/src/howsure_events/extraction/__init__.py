"""From a corpus to a store: the extraction of each document, in one or several processes."""
