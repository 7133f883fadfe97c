"""Labels: documents of a store that people read, their answers, and the settled labels."""
