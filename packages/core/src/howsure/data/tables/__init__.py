"""Tables in files of any format, read by DuckDB."""

from howsure.lazy_imports import require

require("A table in a file", "cli", "duckdb", "nanoarrow")
