"""Labels: documents of a store that people read, their answers, and what these settle."""
