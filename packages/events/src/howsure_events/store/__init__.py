"""The events store: a database file, its tables, and their integrity."""
