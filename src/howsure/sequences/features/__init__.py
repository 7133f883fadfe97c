"""Words and their attributes as the sparse matrices that taggers score."""
