"""Words and their attributes as sparse matrices for scoring."""
