"""The events store: a database file, its tables, and whether they are whole."""
