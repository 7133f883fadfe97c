"""Parts of an input, done on several machines, and what puts them together again."""
