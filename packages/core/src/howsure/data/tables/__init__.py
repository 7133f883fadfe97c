"""Tables in files of any format, read by DuckDB."""

from howsure.first_use import require

require("A table in a file", "cli", "duckdb", "nanoarrow")
