"""Read and write documents and tagged sentences in the usual formats (CoNLL-U, CoNLL-2012, columns)."""
