"""The labelling room of the page: documents to read, and the only addresses that write."""
